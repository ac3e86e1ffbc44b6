/* baumgarte: feedback of the violation on the acceleration of the rows.
 *   (1) A udot = gamma - U,  U = 2 alpha Cdot + beta^2 C                      (Baumgarte 1972), or
 *   (2) U = (a/h) Cdot + (b/h^2) C with the step h: a = 2 alpha h, b = beta^2 h^2
 * held: C, Cdot at the start of the step stand through its stages. stable for every one-step method if and only if
 * 0 < b, b/2 < a < 2. staged: evaluated at every stage, the literal reading of the papers. */
#include "stabilize/stabilize.h"

typedef struct baumgarte {
  double alpha, beta, a, b;
  int feedback; /* 0 by default: held where tied to the step; 1 held; 2 staged */
} baumgarte;

static bool tied(const void *self) { return !isnan(((const baumgarte *)self)->a); }

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  baumgarte *s = self;
  const bool absolute = !isnan(s->alpha) || !isnan(s->beta), step = !isnan(s->a) || !isnan(s->b);
  if (absolute && step) return tn_context_fail(ctx, NULL, "give alpha and beta (1/s), or a and b (per step), not both");
  if (!absolute && !step)
    return tn_context_fail(ctx, NULL, "gains are missing: alpha and beta (1/s), or a and b (per step)");
  if (absolute) {
    if (isnan(s->alpha)) s->alpha = s->beta;
    if (isnan(s->beta)) s->beta = s->alpha;
  } else if (isnan(s->a) || isnan(s->b)) {
    return tn_context_fail(ctx, NULL, "a and b are needed both");
  }
  if (s->feedback == 0) s->feedback = step ? 1 : 2;
  if (step && s->feedback == 1 && !(s->b > 0 && s->a >= s->b / 2 && s->a <= 2))
    return tn_context_fail(ctx, "a", "held gains a = %g, b = %g are unstable: 0 < b, b/2 <= a <= 2 is needed", s->a,
                           s->b);
  /* a gain of 1/h at every stage: the error estimate does not fall with h, and the step goes to zero */
  if (step && s->feedback == 2 && !fixed_step)
    return tn_context_fail(
        ctx, "feedback", "gains per step, evaluated at every stage, need a fixed step: give `step`, or feedback held");
  return TN_OK;
}

static bool held(const void *self) { return ((const baumgarte *)self)->feedback == 1; }

static void feedback(const void *self, const tn_system *sys, double h, double *U) {
  const baumgarte *s = self;
  const double kd = tied(self) ? s->a / h : 2 * s->alpha, kp = tied(self) ? s->b / (h * h) : s->beta * s->beta;
  for (int i = 0; i < sys->m->rows; i++) U[i] += kd * sys->Cdot[i] + (i < sys->m->holonomic ? kp * sys->C[i] : 0);
}

static const tn_field fields[] = {
    {"alpha", "1/s", "half the gain of Cdot", TN_NUMBER, 1, offsetof(baumgarte, alpha), NAN, 0, INFINITY, false, NULL},
    {"beta", "1/s", "root of the gain of C", TN_NUMBER, 1, offsetof(baumgarte, beta), NAN, 0, INFINITY, false, NULL},
    {"a", "", "gain of Cdot times the step", TN_NUMBER, 1, offsetof(baumgarte, a), NAN, 0, INFINITY, false, NULL},
    {"b", "", "gain of C times the step squared", TN_NUMBER, 1, offsetof(baumgarte, b), NAN, 0, INFINITY, false, NULL},
    {"feedback", "", "held over the step, or at every stage; by default held if tied to the step", TN_WORD, 1,
     offsetof(baumgarte, feedback), 0, 0, 0, false, "default held staged"},
    {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_baumgarte = {
    .name = "baumgarte",
    .doc = "feedback of the violation on the accelerations",
    .source = "Baumgarte 1972; Nada & Bayoumi 2023 B1 to B3",
    .size = sizeof(baumgarte),
    .fields = fields,
    .init = init,
    .held = held,
    .tied_to_step = tied,
    .feedback = feedback,
};
