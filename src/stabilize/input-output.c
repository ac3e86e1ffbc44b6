/* input-output: multipliers as inputs, constraint equations as outputs, and a linear relation between them by feedback (Chiou & Wu 1998).
 *   (1) udot = M^-1 (f - A'lambda);  output C of a row: Cddot = A M^-1 f - gamma - A M^-1 A'lambda, relative degree 2;  output Cdot of a
 *       row without a C: its rate, relative degree 1
 *   (2) with lambda = (A M^-1 A')^-1 (A M^-1 f - gamma - v) each output has an equation of its own, Cddot = v, or d Cdot/dt = v
 *   (3) v by poles: Cddot + (p1 + p2) Cdot + p1 p2 C = 0;  with the integral Z of C and a third, all coefficients of (s + p1)(s + p2)
 *       (s + p3);  rows without a C: d Cdot/dt + p Cdot = 0
 * (2) is the accelerations with gamma + v for gamma, which every formulation solves, redundant rows too. p1 = p2 is baumgarte's
 * alpha = beta = p1; a pair p +- i w is alpha = p, beta^2 = p^2 + w^2. poles do not depend on the step, and rates are those of the stage. */
#include "stabilize/stabilize.h"

typedef struct poles {
  double pole, second, frequency, integral, rate;
  tn_feedback gain; /* per second: of rows that have a C */
} poles;

/* gains per step of length h */
static tn_feedback per_step(const poles *s, double h) {
  const double *k = s->gain.gain;
  return (tn_feedback){.n = s->gain.n, .gain = {k[0] * h, k[1] * h * h, k[2] * h * h * h}};
}

static tn_status refuse(tn_context *ctx, const tn_settings *run, const tn_feedback *g, const char *key, double growth) {
  const tn_integrator_type *type = run->integrator;
  const double x = tn_feedback_limit(type, run->integrator_self, g);
  char hint[120];
  if (x > 0)
    tn_format(hint, sizeof hint, "stable to a step of %.4g s, or with this step to poles %.4g times as large",
              x * run->step, x);
  else
    tn_format(hint, sizeof hint, "no step is short enough: a lower `frequency`");
  return tn_context_unstable(ctx, key, growth, hint, "poles let a violation grow by %.4g a step with %s", growth,
                             type->name);
}

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  poles *s = self;
  tn_settings run;
  tn_context_settings(ctx, &run);
  const tn_integrator_type *type = run.integrator;
  const void *parameters = run.integrator_self;
  if (!isnan(s->frequency) && !isnan(s->second))
    return tn_context_fail(ctx, "second", "a pair of poles has a frequency, or two real ones: not both");
  if (isnan(s->second)) s->second = s->pole;
  if (isnan(s->frequency)) s->frequency = 0;
  if (isnan(s->rate)) s->rate = s->pole;
  const double sum = s->pole + s->second, product = s->pole * s->second + s->frequency * s->frequency,
               third = s->integral;
  s->gain = third > 0 ? (tn_feedback){.n = 3, .gain = {sum + third, product + sum * third, product * third}}
                      : (tn_feedback){.n = 2, .gain = {sum, product}};
  for (int i = 0; i < s->gain.n; i++)
    if (!isfinite(s->gain.gain[i]))
      return tn_context_fail(ctx, "pole", "the products of these poles are not finite numbers");
  if (!fixed_step) return TN_OK;
  const tn_feedback g = per_step(s, run.step), v = {.n = 1, .gain = {s->rate * run.step}};
  const double growth = tn_feedback_growth(type, parameters, &g);
  if (!tn_feedback_stable(growth)) TN_TRY(refuse(ctx, &run, &g, "pole", growth));
  if (run.rows == run.holonomic) return TN_OK;
  const double rate = tn_feedback_growth(type, parameters, &v);
  return tn_feedback_stable(rate) ? TN_OK : refuse(ctx, &run, &v, "rate", rate);
}

static void limits(const void *self, const tn_integrator_type *type, const void *parameters, double h, char *text,
                   size_t size) {
  const tn_feedback g = per_step(self, h > 0 ? h : 1);
  tn_feedback_text(type, parameters, &g, h > 0 ? h : 1, h > 0, text, size);
}

static int states(const void *self, int rows, int holonomic) {
  (void)rows;
  return ((const poles *)self)->gain.n == 3 ? holonomic : 0;
}

static void state_rates(const void *self, const tn_system *sys, const tn_stage *at, double *rate) {
  (void)at;
  const tn_view *v = tn_view_of(sys);
  for (int i = 0; ((const poles *)self)->gain.n == 3 && i < v->holonomic; i++) rate[i] = v->C[i];
}

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  const poles *s = self;
  const double *k = s->gain.gain;
  const tn_view *v = tn_view_of(sys);
  for (int i = 0; i < v->holonomic; i++) {
    U[i] += k[0] * v->Cdot[i] + k[1] * v->C[i];
    if (s->gain.n == 3) U[i] += k[2] * at->state[i];
  }
  for (int i = v->holonomic; i < v->rows; i++) U[i] += s->rate * v->Cdot[i];
}

static const tn_field fields[] = {{.key = "pole",
                                   .unit = "1/s",
                                   .doc = "p1: a pole is at -p1, or the real part of a pair",
                                   .offset = offsetof(poles, pole),
                                   .dflt = 10,
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY},
                                  {.key = "second",
                                   .unit = "1/s",
                                   .doc = "p2, p1 if left out",
                                   .offset = offsetof(poles, second),
                                   .dflt = NAN,
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY},
                                  {.key = "frequency",
                                   .unit = "rad/s",
                                   .doc = "instead of p2: imaginary part of a pair",
                                   .offset = offsetof(poles, frequency),
                                   .dflt = NAN,
                                   .hi = INFINITY},
                                  {.key = "integral",
                                   .unit = "1/s",
                                   .doc = "p3, with the integral of C as a state; 0: without",
                                   .offset = offsetof(poles, integral),
                                   .hi = INFINITY},
                                  {.key = "rate",
                                   .unit = "1/s",
                                   .doc = "pole of rows that have no C, p1 if left out",
                                   .offset = offsetof(poles, rate),
                                   .dflt = NAN,
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY},
                                  {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_input_output = {
    .name = "input-output",
    .doc = "input-output linearisation: each violation has a linear equation of its own, with poles that are given",
    .example = "--stabilize input-output:pole=20,second=50 --integrator rk4 --step 1e-3 --breach record",
    .source = "Chiou & Wu 1998",
    .size = sizeof(poles),
    .fields = fields,
    .init = init,
    .held = tn_never,
    .tied_to_step = tn_never,
    .limits = limits,
    .states = states,
    .state_rates = state_rates,
    .feedback = feedback,
};
