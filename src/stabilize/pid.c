/* pid: feedback of the violation and of its integral on the acceleration of the rows, with gains tied to the step.
 *   (1) A udot = gamma - U,  U = (a/h) Cdot + (b/h^2) C + (c/h^3) Z,  Zdot = C
 *   (2) held, order three or more, mu = lambda - 1 for an eigenvalue lambda of the step on (C, h Cdot, Z/h):
 *       mu^3 + (a + b/2 + c/6) mu^2 + (b + c) mu + c = 0
 * by default a = 7/6, b = 5/8, c = 1/8, which is (mu + 1/2)^3: a violation is halved by each step, in the long run. what is always
 * added to Cddot, d, leaves C = d h^2/b with c = 0, and with c > 0 nothing: Z = d h^3/c. rows without a C have a/h alone. Z is a number of the
 * state for each row that has a C, integrated along and with its part in the error norm. rows that contradict each other in C are
 * refused a rest by this: Z grows without end. */
#include "stabilize/stabilize.h"

typedef struct pid {
  double a, b, c;
  int feedback; /* 0 held, 1 staged */
} pid;

static tn_feedback gains(const pid *s) {
  return (tn_feedback){.gain = {s->a, s->b, s->c}, .n = 3, .held = s->feedback == 0};
}

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  const pid *s = self;
  tn_settings run;
  tn_context_settings(ctx, &run);
  const tn_integrator_type *type = run.integrator;
  const void *parameters = run.integrator_self;
  const tn_feedback g = gains(s);
  if (!g.held && !fixed_step)
    return tn_context_fail(
        ctx, "feedback", "gains per step, evaluated at every stage, need a fixed step: give `step`, or feedback held");
  const double growth = tn_feedback_growth(type, parameters, &g);
  if (tn_feedback_stable(growth)) {
    if (growth > 1 - TN_GROWTH_EDGE)
      tn_context_warn(ctx, "a", "undamped: gains a = %g, b = %g, c = %g are on the edge of what is stable with %s",
                      s->a, s->b, s->c, type->name);
    return TN_OK;
  }
  const double x = tn_feedback_limit(type, parameters, &g);
  char hint[160];
  if (x > 0)
    tn_format(hint, sizeof hint, "stable to a = %.4g, b = %.4g, c = %.4g in this ratio", x * s->a, x * x * s->b,
              x * x * x * s->c);
  else
    tn_format(hint, sizeof hint, "not stable at any size in this ratio: c less than about a b");
  return tn_context_unstable(ctx, NULL, growth, hint,
                             "gains a = %g, b = %g, c = %g let a violation grow by %.4g a step with %s", s->a, s->b,
                             s->c, growth, type->name);
}

static bool held(const void *self) { return ((const pid *)self)->feedback == 0; }

static void limits(const void *self, const tn_integrator_type *type, const void *parameters, double h, char *text,
                   size_t size) {
  const tn_feedback g = gains(self);
  (void)h;
  tn_feedback_text(type, parameters, &g, 0, true, text, size);
}

static int states(const void *self, int rows, int holonomic) {
  (void)self, (void)rows;
  return holonomic;
}

static void state_rates(const void *self, const tn_system *sys, const tn_stage *at, double *rate) {
  (void)self, (void)at;
  const tn_view *v = tn_view_of(sys);
  for (int i = 0; i < v->holonomic; i++) rate[i] = v->C[i];
}

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  const pid *s = self;
  const double h = at->h, kd = s->a / h, kp = s->b / (h * h), ki = s->c / (h * h * h);
  const tn_view *v = tn_view_of(sys);
  for (int i = 0; i < v->rows; i++) U[i] += kd * v->Cdot[i];
  for (int i = 0; i < v->holonomic; i++) U[i] += kp * v->C[i] + ki * at->state[i];
}

static const tn_field fields[] = {
    {.key = "a", .doc = "gain of Cdot times the step", .offset = offsetof(pid, a), .dflt = 7.0 / 6, .hi = INFINITY},
    {.key = "b",
     .doc = "gain of C times the step squared",
     .offset = offsetof(pid, b),
     .dflt = 0.625,
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "c",
     .doc = "gain of the integral of C times the step cubed",
     .offset = offsetof(pid, c),
     .dflt = 0.125,
     .hi = INFINITY},
    {.key = "feedback",
     .doc = "held over the step, or at every stage, which needs a fixed step",
     .kind = TN_WORD,
     .offset = offsetof(pid, feedback),
     .choices = "held staged"},
    {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_pid = {
    .name = "pid",
    .doc = "feedback of the violation and of its integral, which takes away what always pushes one way",
    .example = "--stabilize pid --integrator rk4 --step 1e-3 --breach record",
    .source = "Baumgarte 1972 with an integral; map and gains: Tenon",
    .size = sizeof(pid),
    .fields = fields,
    .init = init,
    .held = held,
    .tied_to_step = tn_always,
    .limits = limits,
    .states = states,
    .state_rates = state_rates,
    .feedback = feedback,
};
