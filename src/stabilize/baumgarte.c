/* baumgarte: feedback of the violation on the acceleration of the rows.
 *   (1) A udot = gamma - U,  U = 2 alpha Cdot + beta^2 C                      (Baumgarte 1972), or
 *   (2) U = (a/h) Cdot + (b/h^2) C with the step h: a = 2 alpha h, b = beta^2 h^2
 * held: C, Cdot at the start of the step stand through its stages; held.c has which gains are stable. staged: evaluated at every stage, the literal reading of the papers. */
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
  /* where the step is known, gains in 1/s are gains per step too */
  const double h = ctx->m->run.step, a = step ? s->a : 2 * s->alpha * h, b = step ? s->b : s->beta * s->beta * h * h;
  const tn_run *run = &ctx->m->run;
  const tn_integrator_type *type = run->integrator;
  const void *parameters = type->size ? run->integrator_part.self : type->constants;
  if (s->feedback == 1 && (step || fixed_step) && (!(b > 0) || !(tn_held_growth(type, parameters, a, b) <= 1 + 1e-9))) {
    double from, to;
    tn_context_fail(ctx, step ? "a" : "alpha", "held gains a = %g, b = %g per step are unstable with %s", a, b,
                    type->name);
    if (b > 0 && tn_held_range(type, parameters, b, &from, &to))
      tn_hint(ctx->e, "with this b, a from %.4g to %.4g; `tenon stability %s` tells more", from, to, type->name);
    else
      tn_hint(ctx->e, "`tenon stability %s` tells which are not", type->name);
    return TN_E_MODEL;
  }
  /* a gain of 1/h at every stage: the error estimate does not fall with h, and the step goes to zero */
  if (step && s->feedback == 2 && !fixed_step)
    return tn_context_fail(
        ctx, "feedback", "gains per step, evaluated at every stage, need a fixed step: give `step`, or feedback held");
  return TN_OK;
}

static bool held(const void *self) { return ((const baumgarte *)self)->feedback == 1; }

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  const baumgarte *s = self;
  const double h = at->h;
  const double kd = tied(self) ? s->a / h : 2 * s->alpha, kp = tied(self) ? s->b / (h * h) : s->beta * s->beta;
  for (int i = 0; i < sys->m->rows; i++) U[i] += kd * sys->Cdot[i] + (i < sys->m->holonomic ? kp * sys->C[i] : 0);
}

static const tn_field fields[] = {
    {.key = "alpha",
     .unit = "1/s",
     .doc = "half the gain of Cdot",
     .offset = offsetof(baumgarte, alpha),
     .dflt = NAN,
     .hi = INFINITY},
    {.key = "beta",
     .unit = "1/s",
     .doc = "root of the gain of C",
     .offset = offsetof(baumgarte, beta),
     .dflt = NAN,
     .hi = INFINITY},
    {.key = "a", .doc = "gain of Cdot times the step", .offset = offsetof(baumgarte, a), .dflt = NAN, .hi = INFINITY},
    {.key = "b",
     .doc = "gain of C times the step squared",
     .offset = offsetof(baumgarte, b),
     .dflt = NAN,
     .hi = INFINITY},
    {.key = "feedback",
     .doc = "held over the step, or at every stage; by default held if tied to the step",
     .kind = TN_WORD,
     .offset = offsetof(baumgarte, feedback),
     .choices = "default held staged"},
    {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_baumgarte = {
    .name = "baumgarte",
    .doc = "feedback of the violation on the accelerations",
    .example = "--stabilize baumgarte:alpha=5,beta=5 --integrator rk4 --step 1e-3 --breach record",
    .source = "Baumgarte 1972; Nada & Bayoumi 2023 B1 to B3",
    .size = sizeof(baumgarte),
    .fields = fields,
    .init = init,
    .held = held,
    .tied_to_step = tied,
    .feedback = feedback,
};
