/* baumgarte: feedback of the violation on the acceleration of the rows.
 *   (1) A udot = gamma - U,  U = 2 alpha Cdot + beta^2 C                      (Baumgarte 1972), or
 *   (2) U = (a/h) Cdot + (b/h^2) C with the step h: a = 2 alpha h, b = beta^2 h^2
 *   (3) by frequency w and damping d: beta = w, alpha = d w
 * rows without a C have the gain of Cdot alone. held: C, Cdot at the start of the step stand through its stages. staged: evaluated at every
 * stage, the literal reading of the papers. growth.c has which gains are stable: those that are not are refused where the step is fixed, unless the run allows them */
#include "stabilize/stabilize.h"

typedef struct baumgarte {
  double alpha, beta, frequency, damping, a, b, nonholonomic;
  int feedback; /* 0 by default: held where tied to the step; 1 held; 2 staged */
} baumgarte;

static bool tied(const void *self) { return !isnan(((const baumgarte *)self)->a); }

/* gains per step of length h, of rows that have a C, and of those that have none */
static tn_feedback gains(const baumgarte *s, double h) {
  const bool step = tied(s);
  return (tn_feedback){.n = 2,
                       .held = s->feedback == 1,
                       .gain = {step ? s->a : 2 * s->alpha * h, step ? s->b : s->beta * s->beta * h * h}};
}

static tn_feedback gain_of_rate(const baumgarte *s, double h) {
  const double g = isnan(s->nonholonomic) ? gains(s, h).gain[0] : s->nonholonomic * h;
  return (tn_feedback){.n = 1, .held = s->feedback == 1, .gain = {g}};
}

static tn_status read_gains(baumgarte *s, tn_context *ctx) {
  const bool absolute = !isnan(s->alpha) || !isnan(s->beta), step = !isnan(s->a) || !isnan(s->b),
             oscillator = !isnan(s->frequency) || !isnan(s->damping);
  if (absolute + step + oscillator > 1)
    return tn_context_fail(
        ctx, NULL,
        "give alpha and beta (1/s), or frequency (rad/s) and damping, or a and b (per step), not both of two");
  if (absolute + step + oscillator == 0)
    return tn_context_fail(ctx, NULL,
                           "gains are missing: alpha and beta (1/s), frequency (rad/s) and damping, or a and b "
                           "(per step)");
  if (oscillator) {
    if (isnan(s->frequency)) return tn_context_fail(ctx, "damping", "damping needs a frequency (rad/s)");
    s->beta = s->frequency;
    s->alpha = (isnan(s->damping) ? 1 : s->damping) * s->frequency;
  } else if (absolute) {
    if (isnan(s->alpha)) s->alpha = s->beta;
    if (isnan(s->beta)) s->beta = s->alpha;
  } else if (isnan(s->a) || isnan(s->b)) {
    return tn_context_fail(ctx, NULL, "a and b are needed both");
  }
  if (s->feedback == 0) s->feedback = step ? 1 : 2;
  return TN_OK;
}

static tn_status refuse_held(const baumgarte *s, tn_context *ctx, const tn_integrator_type *type, const void *self,
                             const double *gain, double growth) {
  const double b = gain[1];
  double from, to;
  char hint[160];
  if (b > 0 && tn_held_range(type, self, b, &from, &to))
    tn_format(hint, sizeof hint, "with this b, a from %.4g to %.4g; `tenon stability %s` tells more", from, to,
              type->name);
  else
    tn_format(hint, sizeof hint, "`tenon stability %s` tells which are not", type->name);
  return tn_context_unstable(ctx, tied(s) ? "a" : "alpha", growth, hint,
                             "held gains a = %g, b = %g per step are unstable with %s", gain[0], b, type->name);
}

static tn_status refuse_staged(const baumgarte *s, tn_context *ctx, const tn_settings *run, const tn_feedback *g,
                               double growth) {
  const tn_integrator_type *type = run->integrator;
  const double x = tn_feedback_limit(type, run->integrator_self, g);
  char hint[160];
  if (!(x > 0))
    tn_format(hint, sizeof hint, "no step is short enough: more damping");
  else if (tied(s))
    tn_format(hint, sizeof hint, "stable to a = %.4g, b = %.4g in this ratio", x * s->a, x * x * s->b);
  else
    tn_format(hint, sizeof hint, "stable to a step of %.4g s, or with this step to alpha = %.4g, beta = %.4g",
              x * run->step, x * s->alpha, x * s->beta);
  return tn_context_unstable(ctx, tied(s) ? "a" : NULL, growth, hint,
                             "gains at every stage let a violation grow by %.4g a step with %s", growth, type->name);
}

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  baumgarte *s = self;
  TN_TRY(read_gains(s, ctx));
  const bool step = tied(s);
  /* where the step is known, gains in 1/s are gains per step too */
  tn_settings run;
  tn_context_settings(ctx, &run);
  const tn_integrator_type *type = run.integrator;
  const void *parameters = run.integrator_self;
  const tn_feedback g = gains(s, run.step), v = gain_of_rate(s, run.step);
  /* a gain of 1/h at every stage: the error estimate does not fall with h, and the step goes to zero */
  if (step && !g.held && !fixed_step)
    return tn_context_fail(
        ctx, "feedback", "gains per step, evaluated at every stage, need a fixed step: give `step`, or feedback held");
  if (!step && !fixed_step) return TN_OK;
  const double growth = tn_feedback_growth(type, parameters, &g);
  if (g.held && (!(g.gain[1] > 0) || !tn_feedback_stable(growth)))
    TN_TRY(refuse_held(s, ctx, type, parameters, g.gain, growth));
  else if (g.held && growth > 1 - TN_GROWTH_EDGE)
    tn_context_warn(ctx, step ? "a" : "alpha",
                    "undamped: held gains a = %g, b = %g per step are on the edge of what is stable with %s", g.gain[0],
                    g.gain[1], type->name);
  if (!g.held && !tn_feedback_stable(growth)) TN_TRY(refuse_staged(s, ctx, &run, &g, growth));
  if (!fixed_step || run.rows == run.holonomic) return TN_OK;
  const double rate = tn_feedback_growth(type, parameters, &v);
  if (tn_feedback_stable(rate)) return TN_OK;
  char hint[80];
  tn_format(hint, sizeof hint, "stable to `nonholonomic` %.4g",
            tn_feedback_limit(type, parameters, &v) * v.gain[0] / run.step);
  return tn_context_unstable(ctx, "nonholonomic", rate, hint,
                             "gain %g per step lets a violation of velocity rows grow by %.4g a step with %s",
                             v.gain[0], rate, type->name);
}

static void limits(const void *self, const tn_integrator_type *type, const void *parameters, double h, char *text,
                   size_t size) {
  const baumgarte *s = self;
  const tn_feedback g = gains(s, h > 0 ? h : 1);
  tn_feedback_text(type, parameters, &g, tied(self) ? 0 : h > 0 ? h : 1, h > 0 || tied(self), text, size);
}

static bool held(const void *self) { return ((const baumgarte *)self)->feedback == 1; }

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  const baumgarte *s = self;
  const double h = at->h;
  const double kd = tied(self) ? s->a / h : 2 * s->alpha, kp = tied(self) ? s->b / (h * h) : s->beta * s->beta;
  const double kv = isnan(s->nonholonomic) ? kd : s->nonholonomic;
  const tn_view *v = tn_view_of(sys);
  for (int i = 0; i < v->holonomic; i++) U[i] += kd * v->Cdot[i] + kp * v->C[i];
  for (int i = v->holonomic; i < v->rows; i++) U[i] += kv * v->Cdot[i];
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
    {.key = "frequency",
     .unit = "rad/s",
     .doc = "beta; with `damping` instead of alpha and beta",
     .offset = offsetof(baumgarte, frequency),
     .dflt = NAN,
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "damping",
     .doc = "ratio alpha/beta, 1 if left out: as fast as can be without overshoot",
     .offset = offsetof(baumgarte, damping),
     .dflt = NAN,
     .hi = INFINITY},
    {.key = "a", .doc = "gain of Cdot times the step", .offset = offsetof(baumgarte, a), .dflt = NAN, .hi = INFINITY},
    {.key = "b",
     .doc = "gain of C times the step squared",
     .offset = offsetof(baumgarte, b),
     .dflt = NAN,
     .hi = INFINITY},
    {.key = "nonholonomic",
     .unit = "1/s",
     .doc = "gain of Cdot of rows that have no C; that of the others if left out",
     .offset = offsetof(baumgarte, nonholonomic),
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
    .limits = limits,
    .feedback = feedback,
    .published = "baumgarte:alpha=5,beta=5",
};
