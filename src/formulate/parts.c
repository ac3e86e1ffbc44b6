/* the solver as parts see it: tenon/extend.h. */
#include "formulate/formulate.h"

const tn_system *tn_solver_system(const tn_solver *s) { return s ? &s->sys : NULL; }

tn_status tn_solver_evaluate_at(tn_solver *s, tn_evaluation level, double t, const double *q, const double *u) {
  if (!s || !q || !u) return TN_E_USAGE;
  if (level == TN_EVALUATE_ROWS) {
    tn_solver_rows_at(s, t, q, u);
    return TN_OK;
  }
  TN_TRY(tn_solver_at(s, t, q, u, s->e));
  if (level != TN_EVALUATE_MATRICES) return TN_OK;
  tn_need(&s->sys, TN_LEVEL_GENERALIZED);
  tn_need(&s->sys, TN_LEVEL_MATRICES);
  return TN_OK;
}

tn_status tn_solver_assemble(tn_solver *s, double t, const double *q, const double *u) {
  return tn_solver_evaluate_at(s, TN_EVALUATE_MATRICES, t, q, u);
}

tn_status tn_solver_smallest(tn_solver *solver, bool position, const double *r, double *s) {
  if (!solver || !r || !s) return TN_E_USAGE;
  TN_TRY(tn_solver_factor(solver, TN_METRIC_MASS, solver->e));
  return tn_solver_correct(solver, TN_METRIC_MASS, position ? TN_OF_POSITION : TN_OF_VELOCITY, r, s, solver->e);
}

void tn_solver_move(const tn_solver *s, double *q, const double *x) {
  if (s && q && x) tn_model_add(s->sys.m, q, x);
}

tn_status tn_solver_fail(tn_solver *s, tn_status status, const char *format, ...) {
  char text[400];
  va_list args;
  if (!s || !format) return TN_E_USAGE;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  return tn_fail(s->e, status, "%s", text);
}

/* a part may hand over any state; where the system stands there already nothing is done */
static tn_status stand_at(tn_solver *s, double t, const double *q, const double *u) {
  const bool there = tn_knows(&s->sys, TN_LEVEL_TWISTS) && tn_system_is_at(&s->sys, t, q, u, NULL);
  return there ? TN_OK : tn_solver_at(s, t, q, u, s->e);
}

static tn_metric metric_of(tn_solver *s, const tn_projection *how) {
  if (how->metric == TN_METRIC_DEPENDENT) tn_dependent_by(&s->dependent, how->choose, how->independent, how->shared);
  return how->metric;
}

tn_status tn_solver_project(tn_solver *s, const tn_projection *how, double t, double *q, double *u, bool *changed) {
  if (!s || !how || !q || !u || !changed) return TN_E_USAGE;
  TN_TRY(stand_at(s, t, q, u));
  return tn_put_back(s, metric_of(s, how), how->once, t, q, u, NULL, NULL, changed, s->e);
}

tn_status tn_solver_guard(tn_solver *s, double position, double velocity, double t, double *q, double *u,
                          bool *changed) {
  if (!s || !q || !u || !changed) return TN_E_USAGE;
  TN_TRY(stand_at(s, t, q, u));
  return tn_put_back_beyond(s, position, velocity, t, q, u, changed);
}

void tn_solver_filter(tn_solver *s, const tn_projection *how, double *dq, double *du, double *taken_position,
                      double *taken_velocity) {
  if (!s || !how || !dq || !du || !taken_position || !taken_velocity) return;
  tn_put_back_filter(s, metric_of(s, how), dq, du, taken_position, taken_velocity);
}

int tn_solver_dependent(tn_solver *s, bool velocity, int *column) {
  if (!s || !column || !s->sys.m->run.chooses_dependent || (s->sys.m->large && !tn_dependent_sparse_serves(s)))
    return 0;
  tn_dependent_by(&s->dependent, 0, NULL, false);
  const int n = s->sys.m->large ? tn_dependent_sparse_choose(s, velocity) : tn_dependent_choose(s, velocity);
  if (n < 0) return 0;
  memcpy(column, s->dependent.column, sizeof *column * (size_t)n);
  return n;
}

bool tn_solver_has_penalized(const tn_solver *s) { return s && tn_penalty_serves(s); }

tn_status tn_solver_penalized(tn_solver *s, bool velocity, double weight, double penalty, const bool *dependent,
                              const double *far, double *x) {
  if (!s || !dependent || !x || !tn_penalty_serves(s)) return TN_E_USAGE;
  if (tn_penalty_change(s, velocity, weight, penalty, dependent, far, x)) return TN_OK;
  return tn_fail(s->e, TN_E_RUN, "a change by a penalty is not a finite number");
}

double tn_solver_penalized_slope(tn_solver *s, double weight, double penalty, const bool *dependent,
                                 const double *far) {
  if (!s || !dependent || !far || !tn_penalty_serves(s)) return NAN;
  return tn_penalty_slope(s, weight, penalty, dependent, far);
}
