/* penalty-staggered: multipliers by a penalty that has been differentiated, so that they have an equation of their own, which is
 * integrated implicitly beside the motion (Park & Chiou 1988).
 *   (1) lambda = C/eps of a row with a C, lambda = Cdot/eps of one without;  M udot + A'lambda = f
 *   (2) differentiated: eps lambda' = Cdot, and eps lambda' = A udot - gamma = g - S lambda with S = A M^-1 A', g = A M^-1 f - gamma
 *   (3) midpoint, d = h/2, with Cdot half a step on taken from the motion, Cdot + d (g - S l): for l, lambda half a step on,
 *       (eps/d^2 + S) l = eps/d^2 lambda + Cdot/d + g,   rows without a C: (eps/d + S) l = eps/d lambda + g
 *       lambda <- 2 l - lambda at the end of the step;  euler, the default: d = h, lambda <- l
 *   (4) the motion has the multipliers l: A udot = gamma - U, U = S l - g as it is where the step begins, held over it
 * staggered: (3) is solved with A, M, f, Cdot of the start of the step, then the motion with l. what is solved has eps on its diagonal,
 * so that rows may repeat each other. of one row, (3) is the midpoint rule of C'' = -S C/eps: no step is too long, C - eps lambda stays
 * and nothing is damped, so that S which changes from step to step may make it grow; euler damps. eps -> 0: l is the multiplier that makes Cdot zero half a step on, U = Cdot/d. the first lambda
 * is that of the constrained motion. eps is in SI units as they come: m/N of a row of length, and is not scaled. S and g: gram.c. */
#include "stabilize/stabilize.h"

enum { EULER, MIDPOINT };

typedef struct penalty {
  double eps;
  int rule;
  tn_sizes sizes; /* for `keep`, which gets no system */
} penalty;

typedef struct room {
  bool have, ready, failed; /* lambda is there; half is that of the last attempt; a matrix was singular */
  double *lambda, *half;    /* rows                                                                     */
  tn_gram *gram;
} room;

static const tn_array arrays[] = {TN_INSIDE(room, have, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(room, ready, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(room, failed, .element = TN_FLAGS, .kept = true),
                                  TN_ARRAY(room, lambda, .rows = TN_M, .kept = true),
                                  TN_ARRAY(room, half, .rows = TN_M, .kept = true),
                                  TN_ARRAY(room, gram, .element = TN_NESTED, .nested = &tn_gram_workspace),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(room), arrays};

static size_t memory(const void *self, const tn_system *sys) { return tn_room_size(&workspace, self, sys); }

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  penalty *s = self;
  tn_settings run;
  (void)fixed_step;
  tn_context_settings(ctx, &run);
  if (!run.large) s->sizes = (tn_sizes){.n = run.speeds, .m = run.rows, .q = run.coordinates};
  if (run.integrator->attempt && !run.integrator->keeps_rates) return TN_OK;
  return tn_context_fail(ctx, NULL, "multipliers that are held over a step go with formulas of one step, not with %s",
                         run.integrator->name);
}

/* that of the constrained motion, and the smallest where rows repeat each other */
static bool first_lambda(room *w) {
  tn_gram_least(w->gram);
  if (!tn_gram_factor(w->gram)) return false;
  memcpy(w->lambda, w->gram->g, sizeof *w->lambda * (size_t)w->gram->rows);
  tn_gram_solve(w->gram, w->lambda);
  return true;
}

/* (3) */
static bool half_a_step_on(const penalty *s, room *w, const tn_view *v, double h) {
  const double d = s->rule == EULER ? h : h / 2;
  for (int i = 0; i < w->gram->rows; i++) {
    const bool holonomic = i < v->holonomic;
    w->gram->add[i] = s->eps / (holonomic ? d * d : d);
    w->half[i] = w->gram->add[i] * w->lambda[i] + (holonomic ? v->Cdot[i] / d : 0) + w->gram->g[i];
  }
  if (!tn_gram_factor(w->gram)) return false;
  tn_gram_solve(w->gram, w->half);
  return true;
}

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  const tn_view *v = tn_view_of(sys);
  if (v->large || !v->rows) return; /* accept says so */
  room *w = tn_workspace_ready(&workspace, self, at->room, tn_matrix_sizes(v));
  w->ready = tn_gram_form(w->gram, v) && (w->have || first_lambda(w)) && half_a_step_on(self, w, v, at->h);
  w->failed = !w->ready;
  for (int i = 0; w->ready && i < v->rows; i++)
    U[i] += tn_dot(v->rows, w->gram->S + (size_t)i * (size_t)v->rows, w->half) - w->gram->g[i];
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *s, double t, double *q, double *u,
                        bool *changed) {
  (void)t, (void)q, (void)u, (void)changed;
  const tn_view *v = tn_view_of(tn_solver_system(s));
  if (!v->rows) return TN_OK;
  if (v->large)
    return tn_solver_fail(s, TN_E_MODEL, "a model of %d speeds and %d rows is too large for `penalty-staggered`",
                          v->speeds, v->rows);
  room *w = tn_workspace_ready(&workspace, self, at->room, tn_matrix_sizes(v));
  if (w->failed)
    return tn_solver_fail(s, TN_E_RUN, "the penalty of `penalty-staggered` has no multipliers at this state");
  if (!w->ready) return TN_OK;
  for (int i = 0; i < v->rows; i++)
    w->lambda[i] = ((const penalty *)self)->rule == EULER ? w->half[i] : 2 * w->half[i] - w->lambda[i];
  w->have = true;
  w->ready = false;
  return TN_OK;
}

static void keep(const void *self, void *space, tn_keep *k) {
  const penalty *s = self;
  tn_workspace_ready(&workspace, s, space, s->sizes);
  tn_workspace_keep(&workspace, s, space, s->sizes, k);
}

static const tn_field fields[] = {{.key = "eps",
                                   .doc = "violation per multiplier, in SI units: m/N of a row of length",
                                   .offset = offsetof(penalty, eps),
                                   .dflt = 1e-12,
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY},
                                  {.key = "rule",
                                   .doc = "by which the multipliers are integrated: implicit Euler, which damps, or "
                                          "the midpoint rule of the paper, which damps nothing",
                                   .kind = TN_WORD,
                                   .offset = offsetof(penalty, rule),
                                   .choices = "euler midpoint"},
                                  {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_penalty_staggered = {
    .name = "penalty-staggered",
    .doc =
        "multipliers by a penalty with a differential equation of their own, integrated implicitly beside the motion",
    .example = "--stabilize penalty-staggered --integrator rk4 --step 1e-3 --breach record",
    .source = "Park & Chiou 1988",
    .size = sizeof(penalty),
    .fields = fields,
    .init = init,
    .held = tn_always,
    .tied_to_step = tn_always,
    .needs_matrices = true,
    .memory = memory,
    .feedback = feedback,
    .accept = accept,
    .keep = keep,
};
