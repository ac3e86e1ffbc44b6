/* baumgarte-adaptive: feedback at every stage with alpha = beta = w, which is adapted to the violations of the last steps (the idea, and
 * integrals of squares of C and Cdot as the measure: Chang & Nikravesh 1985; the rule (3): Tenon).
 *   (1) A udot = gamma - U,  U = 2 w Cdot + w^2 C
 *   (2) over a window of ten to a hundred steps, 1/(4 w) long if that is between them, of length T, scaled as the contract does:
 *       P^2 = int (max s_i C_i)^2 dt/T,  V^2 = int (max s_i Cdot_i)^2 dt/T,  J = max(P/p, V/v) with the bounds p, v
 *   (3) what a step adds to Cddot leaves C in proportion to 1/w^2 and Cdot to 1/w: with r = max(sqrt(P/(k p)), V/(k v)), k = 1/4,
 *       w <- w r if r is outside 1/2 .. 1, never by more than a factor 2. where J has become larger by raising w, and w h > 1/20, it is
 *       lowered by 3/2, and may not be raised for a while: near w h = 1 stages, which lie off the constraints, are fed back
 *   (4) least <= w <= most, and w h <= L/4 with the longest step h of the window, L the limit of growth.c for alpha = beta
 * w changes between steps alone. */
#include "stabilize/stabilize.h"

enum { SHORTEST = 10, LONGEST = 100 };
static const double LIMIT_SHARE = 0.25, VIOLATION_AIM = 0.25, GAIN_LOWER = 1.5, CEILING_RELAX = 1.02,
                    FEEDBACK_FELT = 0.05;

typedef struct adaptive {
  double start, least, most, position, velocity;
  double limit; /* L */
} adaptive;

typedef struct space { /* all 0 at first */
  double w;            /* 0: that of the start                         */
  double ceiling;      /* 0: none; by (3)                              */
  double before;       /* J of the last window                         */
  bool raised;         /* w, after it                                  */
  int steps;           /* in this window, and its sums                 */
  double time, position, velocity, longest;
} space;

static const tn_array arrays[] = {TN_INSIDE(space, w, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(space, ceiling, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(space, before, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(space, time, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(space, position, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(space, velocity, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(space, longest, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(space, raised, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(space, steps, .element = TN_INTS, .kept = true, .most = LONGEST),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(space), arrays};

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  adaptive *s = self;
  tn_settings run;
  tn_context_settings(ctx, &run);
  const tn_integrator_type *type = run.integrator;
  tn_bounds_default(&run, &s->position, &s->velocity);
  if (s->least > s->start || s->start > s->most)
    return tn_context_fail(ctx, "start", "least <= start <= most is asked of gains");
  if (!type->attempt)
    return tn_context_fail(ctx, NULL, "%s keeps what it knows of earlier steps: gains may not change between them",
                           type->name);
  s->limit = tn_feedback_limit(type, run.integrator_self, &(tn_feedback){.gain = {2, 1}, .n = 2});
  if (!fixed_step || s->least * run.step <= LIMIT_SHARE * s->limit) return TN_OK;
  return tn_context_fail(ctx, "least", "with steps of %g s gains above %.4g are too near the limit of %s", run.step,
                         LIMIT_SHARE * s->limit / run.step, type->name);
}

static size_t memory(const void *self, const tn_system *sys) {
  (void)sys;
  return tn_workspace_size(&workspace, self, (tn_sizes){0});
}

static void keep(const void *self, void *work, tn_keep *k) {
  tn_workspace_keep(&workspace, self, work, (tn_sizes){0}, k);
}

static double gain(const adaptive *s, const tn_stage *at) {
  const double w = ((const space *)at->room)->w, most = at->h > 0 ? LIMIT_SHARE * s->limit / at->h : INFINITY;
  return fmin(w > 0 ? w : s->start, fmax(most, s->least));
}

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  const double w = gain(self, at);
  const tn_view *v = tn_view_of(sys);
  for (int i = 0; i < v->rows; i++) U[i] += 2 * w * v->Cdot[i];
  for (int i = 0; i < v->holonomic; i++) U[i] += w * w * v->C[i];
}

/* (3), (4) at the end of a window */
static void adapt(const adaptive *s, space *r) {
  const double P = sqrt(r->position / r->time) / s->position, V = sqrt(r->velocity / r->time) / s->velocity;
  const double J = fmax(P, V), now = r->w > 0 ? r->w : s->start;
  double factor = fmax(sqrt(P / VIOLATION_AIM), V / VIOLATION_AIM);
  if (factor >= 0.5 && factor <= 1) factor = 1;
  factor = fmin(fmax(factor, 0.5), 2);
  r->ceiling *= CEILING_RELAX;
  if (r->raised && J > r->before && factor > 1 && now * r->longest > FEEDBACK_FELT) {
    factor = 1 / GAIN_LOWER;
    r->ceiling = now / GAIN_LOWER;
  }
  double w = now * factor;
  if (r->ceiling > 0) w = fmin(w, r->ceiling);
  w = fmax(fmin(w, fmin(s->most, LIMIT_SHARE * s->limit / r->longest)), s->least);
  r->raised = w > now;
  r->before = J;
  r->w = w;
  r->steps = 0;
  r->time = r->position = r->velocity = r->longest = 0;
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u,
                        bool *changed) {
  space *r = at->room;
  (void)changed;
  if (!(at->h > 0)) return TN_OK;
  TN_TRY(tn_solver_evaluate_at(solver, TN_EVALUATE_MOTION, t, q, u));
  const tn_system *sys = tn_solver_system(solver);
  const tn_view *v = tn_view_of(sys);
  const double C = tn_violation(sys, v->C, v->holonomic, NULL), Cdot = tn_violation(sys, v->Cdot, v->rows, NULL);
  r->position += at->h * C * C;
  r->velocity += at->h * Cdot * Cdot;
  r->time += at->h;
  r->longest = fmax(r->longest, at->h);
  const double w = r->w > 0 ? r->w : ((const adaptive *)self)->start;
  r->steps++;
  if (r->steps >= LONGEST || (r->steps >= SHORTEST && 4 * w * r->time >= 1)) adapt(self, r);
  return TN_OK;
}

static void limits(const void *self, const tn_integrator_type *type, const void *parameters, double h, char *text,
                   size_t size) {
  const adaptive *s = self;
  (void)type, (void)parameters;
  if (isinf(s->limit))
    tn_format(text, size, "stable at any step");
  else if (h > 0)
    tn_format(text, size, "gains to %.4g are taken; stable to %.4g", fmin(s->most, LIMIT_SHARE * s->limit / h),
              s->limit / h);
  else
    tn_format(text, size, "gains to %.4g over the step are taken; stable to %.4g", LIMIT_SHARE * s->limit, s->limit);
}

static const tn_field fields[] = {{.key = "start",
                                   .unit = "1/s",
                                   .doc = "alpha = beta to begin with",
                                   .offset = offsetof(adaptive, start),
                                   .dflt = 5,
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY},
                                  {.key = "least",
                                   .unit = "1/s",
                                   .doc = "never below this",
                                   .offset = offsetof(adaptive, least),
                                   .dflt = 1,
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY},
                                  {.key = "most",
                                   .unit = "1/s",
                                   .doc = "never above this, nor a quarter of what is stable",
                                   .offset = offsetof(adaptive, most),
                                   .dflt = 1e6,
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY},
                                  TN_BOUNDS(adaptive),
                                  {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_baumgarte_adaptive = {
    .name = "baumgarte-adaptive",
    .doc = "feedback of the violation with gains that follow the violations of the last steps",
    .example = "--stabilize baumgarte-adaptive --integrator rk4 --step 1e-3 --breach record",
    .source = "Chang & Nikravesh 1985; the rule: Tenon",
    .size = sizeof(adaptive),
    .fields = fields,
    .init = init,
    .held = tn_never,
    .tied_to_step = tn_always, /* a rate does not outlive its step, since w may have changed */
    .memory = memory,
    .limits = limits,
    .feedback = feedback,
    .accept = accept,
    .keep = keep,
};
