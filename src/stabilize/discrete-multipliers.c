/* discrete-multipliers: multipliers of the step and not of the differential equation. they are found from the equations after these have
 * been made discrete, so that the next state is on the constraints (ten Dam 1992). q*, u* is where the formula alone arrives, W = M^-1 A'
 * at the start of the step:
 *   (1) q1 = q* (+) W mu with C(q1) = 0,  u1 = u* + W nu with Cdot(q1, u1) = 0
 *   (2) q <- q (+) -W G^-1 C(q) from q*, then u <- u - W G^-1 Cdot from u*, G = A W at the start, until both are roundoff. A(q) W G^-1 is
 *       the unit matrix but for O(h), so that each pass makes the violation smaller by that; what is moved stays in the range of W
 * -2 mu/h^2 and -nu/h are what the multipliers of the differential equation lack in the mean of a step. `project` moves in the range of
 * M^-1 A' at the end of the step instead. ten Dam derives it for explicit one-step formulas; here it is any integrator's step. if the
 * passes do not close the violation the run ends. dense. rows that repeat each other: gram.c (3) */
#include "stabilize/stabilize.h"

enum { MOST_PASSES = 60 };
/* of a violation, scaled; shares of the one before */
static const double GAP_CLOSED = 1e-15, GAP_CLOSE = 1e-9, GAP_OF_FIRST = 1e-3, GAP_SLOW = 0.9;

typedef struct room {
  bool ready;     /* gram is that of the start of the step */
  tn_gram *gram;  /* G by its factor                       */
  double *r, *dx; /* rows, nu                              */
  double *q;      /* nq: what a pass makes of it           */
} room;

static const tn_array arrays[] = {TN_ARRAY(room, gram, .element = TN_NESTED, .nested = &tn_gram_workspace),
                                  TN_ARRAY(room, r, .rows = TN_M),
                                  TN_ARRAY(room, dx, .rows = TN_N),
                                  TN_ARRAY(room, q, .rows = TN_Q),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(room), arrays};

static size_t memory(const void *self, const tn_system *sys) { return tn_room_size(&workspace, self, sys); }

static void make(room *w, const tn_view *v) {
  w->ready = tn_gram_form(w->gram, v);
  if (!w->ready) return;
  tn_gram_least(w->gram);
  w->ready = tn_gram_factor(w->gram);
}

/* where a step begins; nothing is fed back */
static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  (void)U;
  const tn_view *v = tn_view_of(sys);
  if (!v->large && v->rows) make(tn_workspace_ready(&workspace, self, at->room, tn_matrix_sizes(v)), v);
}

/* w->dx = -W G^-1 r, r of the first n rows */
static void change(room *w, int n, const double *r) {
  for (int i = 0; i < w->gram->rows; i++) w->r[i] = i < n ? -r[i] : 0;
  tn_gram_solve(w->gram, w->r);
  tn_gram_spread(w->gram, w->r, w->dx);
}

/* first: the violation before all passes, worst: what is left of it */
static tn_status judge(tn_solver *s, const tn_stage *at, const char *what, double first, double worst) {
  if (worst <= GAP_CLOSE || worst <= GAP_OF_FIRST * first) return TN_OK;
  return tn_solver_fail(
      s, TN_E_RUN,
      "the discrete multipliers of %s do not converge in a step of %.3g s: the constraint equations turn too "
      "far in it, take shorter steps",
      what, at->h);
}

static tn_status positions(room *w, const tn_stage *at, tn_solver *s, double t, double *q, const double *u,
                           bool *changed) {
  const tn_system *sys = tn_solver_system(s);
  const tn_view *v = tn_view_of(sys);
  const size_t size = sizeof *q * (size_t)v->coordinates;
  const double first = tn_violation(sys, v->C, v->holonomic, NULL);
  double worst = first;
  for (int pass = 0; pass < MOST_PASSES && worst >= GAP_CLOSED; pass++) {
    change(w, v->holonomic, v->C);
    memcpy(w->q, q, size);
    tn_solver_move(s, w->q, w->dx);
    TN_TRY(tn_solver_evaluate_at(s, TN_EVALUATE_ROWS, t, w->q, u));
    const double now = tn_violation(sys, v->C, v->holonomic, NULL);
    if (!(now < worst)) break;
    memcpy(q, w->q, size);
    *changed = true;
    const bool slow = now > GAP_SLOW * worst;
    worst = now;
    if (slow) break;
  }
  TN_TRY(tn_solver_evaluate_at(s, TN_EVALUATE_ROWS, t, q, u));
  return judge(s, at, "positions", first, worst);
}

static tn_status velocities(room *w, const tn_stage *at, tn_solver *s, double t, const double *q, double *u,
                            bool *changed) {
  const tn_system *sys = tn_solver_system(s);
  const tn_view *v = tn_view_of(sys);
  const double first = tn_violation(sys, v->Cdot, v->rows, NULL);
  double worst = first;
  for (int pass = 0; pass < MOST_PASSES && worst > 0; pass++) {
    change(w, v->rows, v->Cdot);
    for (int j = 0; j < v->speeds; j++) u[j] += w->dx[j];
    TN_TRY(tn_solver_evaluate_at(s, TN_EVALUATE_ROWS, t, q, u));
    const double now = tn_violation(sys, v->Cdot, v->rows, NULL);
    const bool slow = now > GAP_SLOW * worst;
    *changed = true;
    worst = now;
    if (slow || now < GAP_CLOSED) break;
  }
  return judge(s, at, "velocities", first, worst);
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *s, double t, double *q, double *u,
                        bool *changed) {
  const tn_view *v = tn_view_of(tn_solver_system(s));
  if (!v->rows) return TN_OK;
  if (v->large)
    return tn_solver_fail(s, TN_E_MODEL, "a model of %d speeds and %d rows is too large for `discrete-multipliers`",
                          v->speeds, v->rows);
  room *w = tn_workspace_ready(&workspace, self, at->room, tn_matrix_sizes(v));
  TN_TRY(tn_solver_assemble(s, t, q, u));
  if (!w->ready) make(w, v);
  if (!w->ready)
    return tn_solver_fail(s, TN_E_RUN, "the discrete multipliers cannot be found: the mass matrix is singular");
  TN_TRY(positions(w, at, s, t, q, u, changed));
  TN_TRY(velocities(w, at, s, t, q, u, changed));
  return tn_solver_evaluate_at(s, TN_EVALUATE_MOTION, t, q, u);
}

/* to first order that of the smallest change: W of the start for W of the end */
static void filter(const void *self, tn_solver *solver, double *dq, double *du, double *taken_position,
                   double *taken_velocity) {
  static const tn_projection by = {.metric = TN_METRIC_MASS};
  (void)self;
  tn_solver_filter(solver, &by, dq, du, taken_position, taken_velocity);
}

/* every step makes its room anew */
static void keep(const void *self, void *space, tn_keep *k) {
  tn_workspace_keep(&workspace, self, space, (tn_sizes){0}, k);
}

const tn_stabilizer_type tn_stabilizer_discrete_multipliers = {
    .name = "discrete-multipliers",
    .doc = "multipliers of the step itself put the next state on the constraints, along their gradients at its start",
    .example = "--stabilize discrete-multipliers --integrator rk4 --step 1e-3",
    .source = "ten Dam 1992",
    .held = tn_always,
    .tied_to_step = tn_never,
    .needs_matrices = true,
    .memory = memory,
    .feedback = feedback,
    .accept = accept,
    .filter = filter,
    .keep = keep,
};
