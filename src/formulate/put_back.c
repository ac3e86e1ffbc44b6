/* a state put back on the constraints, or to a given level of their violation, by the smallest change in a metric.
 *   (1) position: A s = level - C, |s| least; q moved by s; once, or until that is roundoff. A may be that of a position beside
 *       q, as long as it makes C fall fast: the last stage of a step leaves one at O(h^3) or less from its end
 *   (2) velocity: A du = level - Cdot, |du| least, A at the corrected q; all rows */
#include "formulate/formulate.h"

enum { MOST_PASSES = 12 };
static const double ROUNDOFF = 1e-15; /* of C, scaled */
static const double STALLED = 1e-12;  /* of C, scaled: passes that end above it have not found the constraints */

/* level - C in r; the worst of it, scaled */
static double residual(tn_solver *s, const double *level) {
  const tn_system *sys = &s->sys;
  const int holonomic = sys->m->holonomic;
  for (int i = 0; i < sys->m->rows; i++) s->r[i] = i < holonomic ? (level ? level[i] : 0) - sys->rows.C[i] : 0;
  return tn_violation(sys, s->r, holonomic, NULL);
}

tn_status tn_put_back_beyond(tn_solver *s, double position, double velocity, double t, double *q, double *u,
                             bool *changed) {
  const tn_system *sys = &s->sys;
  assert(tn_system_is_at(sys, t, q, u, NULL) && tn_knows(sys, TN_LEVEL_TWISTS));
  if (!sys->m->rows) return TN_OK;
  if (tn_violation(sys, sys->rows.C, sys->m->holonomic, NULL) <= position &&
      tn_violation(sys, sys->rows.Cdot, sys->m->rows, NULL) <= velocity)
    return TN_OK;
  s->guard_calls++;
  return tn_put_back(s, TN_METRIC_MASS, true, t, q, u, NULL, NULL, changed, s->e);
}

/* s with A s = r: A of q itself, or of a position beside it */
static tn_status position_correction(tn_solver *s, tn_metric metric, bool stale, tn_error *e) {
  if (stale) return tn_solver_correct_stale(s, s->r, s->s, e);
  TN_TRY(tn_solver_factor(s, metric, e));
  return tn_solver_correct(s, metric, TN_OF_POSITION, s->r, s->s, e);
}

/* whether a pass that has not helped is made again: with A of q itself in place of a stale one, or with other dependent components
 * (*renew: these have not been changed yet) */
static bool is_repeated(tn_solver *s, bool stale, double worst, bool *renew) {
  if (stale && worst >= ROUNDOFF) return true;
  if (!*renew || worst <= STALLED || !tn_dependent_sparse_renew(s)) return false;
  *renew = false;
  return true;
}

/* (1); the rows are those of the q that is returned */
static tn_status correct_position(tn_solver *s, tn_metric metric, int passes, bool stale, double t, double *q,
                                  const double *u, const double *level, bool *changed, tn_error *e) {
  const size_t size = sizeof *q * (size_t)s->sys.m->nq;
  double worst = residual(s, level);
  bool at_q = true, renew = passes > 1 && metric == TN_METRIC_DEPENDENT;
  for (int pass = 0; pass < passes && worst > 0; pass++) {
    TN_TRY(position_correction(s, metric, stale, e));
    memcpy(s->q_try, q, size);
    tn_model_add(s->sys.m, s->q_try, s->s);
    tn_solver_rows_at(s, t, s->q_try, u);
    const double now = residual(s, level);
    const bool again = !(now < worst) && is_repeated(s, stale, worst, &renew);
    stale = stale && now * now < ROUNDOFF * worst; /* the next pass will be the last one */
    if (again) {
      tn_solver_rows_at(s, t, q, u);
      residual(s, level);
      continue;
    }
    at_q = now < worst;
    if (!at_q) break; /* roundoff reached, or no help */
    memcpy(q, s->q_try, size);
    *changed = true;
    worst = now;
    if (now < ROUNDOFF) break; /* the next pass would only stir the last digits */
  }
  if (!at_q) tn_solver_rows_at(s, t, q, u);
  return TN_OK;
}

/* (2), where the system is */
static tn_status correct_velocity(tn_solver *s, tn_metric metric, double *u, const double *level, bool *changed,
                                  tn_error *e) {
  const tn_model *m = s->sys.m;
  TN_TRY(tn_solver_factor(s, metric, e));
  for (int i = 0; i < m->rows; i++) s->r[i] = (level ? level[i] : 0) - s->sys.rows.Cdot[i];
  TN_TRY(tn_solver_correct(s, metric, TN_OF_VELOCITY, s->r, s->s, e));
  for (int i = 0; i < m->nu; i++) {
    u[i] += s->s[i];
    *changed = *changed || s->s[i] != 0;
  }
  tn_system_move_speeds(&s->sys, u);
  return tn_solver_evaluate(s, e);
}

tn_status tn_put_back(tn_solver *s, tn_metric metric, bool once, double t, double *q, double *u, const double *C_level,
                      const double *Cdot_level, bool *changed, tn_error *e) {
  assert(tn_system_is_at(&s->sys, t, q, u, NULL) && tn_knows(&s->sys, TN_LEVEL_TWISTS));
  if (!s->sys.m->rows) return TN_OK;
  const bool stale = !once && metric == TN_METRIC_MASS && tn_solver_stale_is_near(s);
  const double began = tn_profile_begin(&s->profile);
  TN_TRY(correct_position(s, metric, once ? 1 : MOST_PASSES, stale, t, q, u, C_level, changed, e));
  if (!s->sys.known.finite) return tn_solver_evaluate(s, e); /* in words */
  tn_profile_end(&s->profile, TN_TIME_POSITION, began);
  const double positioned = tn_profile_begin(&s->profile);
  const tn_status status = correct_velocity(s, metric, u, Cdot_level, changed, e);
  tn_profile_end(&s->profile, TN_TIME_VELOCITY, positioned);
  return status;
}

void tn_put_back_filter(tn_solver *s, tn_metric metric, double *dq, double *du, double *taken_position,
                        double *taken_velocity) {
  assert(tn_knows(&s->sys, TN_LEVEL_TWISTS));
  const tn_system *sys = &s->sys;
  const int rows = sys->m->rows, nu = sys->m->nu;
  if (!rows || tn_solver_factor(s, metric, NULL) != TN_OK) return;
  for (int k = 0; k < 2; k++) {
    double *x = k ? du : dq;
    tn_solver_rows_times(s, x, s->r);
    for (int i = sys->m->holonomic; !k && i < rows; i++) s->r[i] = 0;
    memcpy(k ? taken_velocity : taken_position, s->r, sizeof *s->r * (size_t)rows);
    const tn_residual of = metric != TN_METRIC_DEPENDENT ? TN_OF_ESTIMATE : k ? TN_OF_VELOCITY : TN_OF_POSITION;
    if (tn_solver_correct(s, metric, of, s->r, s->s, NULL) != TN_OK) return;
    for (int j = 0; j < nu; j++) x[j] -= s->s[j];
  }
}
