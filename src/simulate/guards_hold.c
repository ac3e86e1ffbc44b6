/* guards: hysteresis behind the passage of an event.
 *
 * What an event switches on may hold its own quantity at the threshold, to within the contract. Then its margin, and
 * those of functions inside it, are on either side by roundoff, and count again from `level` on: CLEAR of what they
 * change by when the state is off by as much as the contract allows. But no more than SPAN of the largest that the
 * margin has been: where springs are stiff, loads wander by more than they are. They count too once they are as far
 * below 0. A motion that the joints let through tells whether they hold a margin:
 *   (1) v in no direction in particular; M x + A'L = 0, A x = A v; along v - x what is held does not change
 * A guard that nothing holds counts at once, on the side that it moves to: a ball that bounces is above the floor
 * again however little it rises. */
#include "simulate/guards.h"

#include "simulate/simulate.h"

static const double SPAN = 1e-3;          /* of the largest margin so far: no more than that is roundoff */
static const double CLEAR = 3;            /* of what the contract lets a margin wander */
static const double HELD_CHANGE = 1e-3;   /* of that: a margin that changes so much along a free motion is not held */
static const double CONTRACT_MOST = 1e-6; /* of a state: contracts may be wider than what changes it little */
static const double AHEAD = 1e-6;         /* of the longest step: where a margin moves to */

static void copy(const tn_sim *s, double *y) { memcpy(y, s->now.y, sizeof *y * (size_t)s->n); }

/* what a velocity v does to the rows, into r */
static tn_status rows_of(tn_sim *s, const double *v, double *r) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  double *y = tn_room(s, s->n);
  copy(s, y);
  for (int i = 0; i < m->nu; i++) tn_u_of(s, y)[i] += v[i];
  TN_TRY(tn_at(s, s->now.t, y, s->e));
  memcpy(r, sys->rows.Cdot, sizeof *r * (size_t)m->rows);
  TN_TRY(tn_at(s, s->now.t, s->now.y, s->e));
  for (int i = 0; i < m->rows; i++) r[i] -= sys->rows.Cdot[i];
  return TN_OK;
}

/* (1): v becomes v - x */
static tn_status let_through(tn_sim *s, double *v) {
  const tn_model *m = s->m;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *x = tn_room(s, m->nu), *r = tn_room(s, m->rows), *lambda = tn_room(s, m->rows);
  for (int i = 0; i < m->nu; i++) v[i] = tn_any_way(i, m->u_length[i]);
  tn_status status = rows_of(s, v, r);
  if (status == TN_OK) status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  if (status == TN_OK) status = tn_solver_solve(&s->solver, NULL, r, x, lambda, s->e);
  for (int i = 0; i < m->nu && status == TN_OK; i++) v[i] -= x[i];
  tn_scratch_close(&s->scratch, scope);
  return status;
}

/* with room for a velocity, a state, and margins at the present state and beside it */
static tn_status wander_with(tn_sim *s, double *v, double *y, double *here, double *beside, double *wander) {
  const tn_model *m = s->m;
  const double position = fmin(m->run.contract_position, CONTRACT_MOST),
               velocity = fmin(m->run.contract_velocity, CONTRACT_MOST),
               wide = fmax(m->run.contract_position / position, m->run.contract_velocity / velocity);
  TN_TRY(let_through(s, v));
  TN_TRY(tn_guards_margins(s, s->now.t, s->now.y, here));
  copy(s, y);
  for (int i = 0; i < m->nq; i++) y[i] += position * tn_any_way(i, m->q_length[i]);
  for (int i = 0; i < m->nu; i++) tn_u_of(s, y)[i] += velocity * tn_any_way(m->nq + i, m->u_length[i]);
  tn_status status = tn_guards_margins(s, s->now.t, y, beside);
  if (status != TN_OK) return status == TN_E_RUN ? TN_OK : status;
  for (int i = 0; i < m->switches; i++) wander[i] = fabs(beside[i] - here[i]);
  copy(s, y);
  for (int i = 0; i < m->nu; i++) {
    tn_u_of(s, y)[i] += velocity * v[i];
    v[i] *= position;
  }
  tn_model_add(m, y, v);
  status = tn_guards_margins(s, s->now.t, y, beside);
  if (status != TN_OK && status != TN_E_RUN) return status;
  for (int i = 0; i < m->switches; i++) {
    const double change = wander[i], along = status == TN_OK ? fabs(beside[i] - here[i]) : 0;
    const bool held = isfinite(change) && !(along > HELD_CHANGE * change);
    wander[i] = held ? fmin(wide * CLEAR * change, SPAN * s->guards.guard[i].span) : 0;
  }
  return TN_OK;
}

tn_status tn_guards_wander(tn_sim *s, double *wander) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->switches; i++) wander[i] = 0;
  if (!m->rows) return TN_OK;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *v = tn_room(s, m->nu), *y = tn_room(s, s->n), *here = tn_room(s, m->switches),
         *beside = tn_room(s, m->switches);
  const tn_status status = wander_with(s, v, y, here, beside, wander);
  tn_scratch_close(&s->scratch, scope);
  return status;
}

/* ---- sent back --------------------------------------------------------------------------------------------------- */

/* margins a little ahead. `off`: with rates that are off by what they may be */
static tn_status look_ahead(tn_sim *s, double ahead, const double *ydot, bool off, double *to) {
  const tn_model *m = s->m;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *y = tn_room(s, s->n), *v = tn_room(s, m->nu);
  if (off) {
    tn_error_weights(s, s->now.y, y);
    for (int i = 0; i < m->nu; i++) v[i] = isfinite(y[m->nq + i]) ? TN_NOISE * y[m->nq + i] * (i % 2 ? -1 : 1) : 0;
    tn_model_rates(m, s->now.y, v, y);
  }
  for (int i = 0; i < s->n; i++) y[i] = s->now.y[i] + ahead * (ydot[i] + (off && i < m->nq ? y[i] : 0));
  const tn_status status = tn_guards_margins(s, s->now.t + ahead, y, to);
  tn_scratch_close(&s->scratch, scope);
  return status;
}

static bool is_passed(const tn_guard *g) { return g->state == TN_GUARD_PASSED || g->state == TN_GUARD_SENT_BACK; }

static bool some_passed(const tn_sim *s) {
  for (int i = 0; i < s->m->switches; i++)
    if (is_passed(&s->guards.guard[i])) return true;
  return false;
}

/* what joints hold, margins and rates at the present state */
static tn_status present(tn_sim *s, double *wander, double *margin, double *ydot) {
  TN_TRY(tn_guards_wander(s, wander));
  TN_TRY(tn_guards_margins(s, s->now.t, s->now.y, margin));
  TN_TRY(tn_rates_begin(s, s->now.t, s->now.y, s->stepper.length));
  return tn_rates(s, s->now.t, s->now.y, ydot);
}

/* How far each guard that was passed has moved back in the time `ahead`, 0: not, or joints hold it. Returns the time
 * after which all that move back are across the threshold. */
static double moves_back(const tn_sim *s, double ahead, const double *wander, const double *margin, const double *there,
                         const double *off, double *back) {
  double far = ahead;
  for (int i = 0; i < s->m->switches; i++) {
    const tn_guard *g = &s->guards.guard[i];
    const double moved = margin[i] - there[i], size = fabs(margin[i]);
    const bool free = is_passed(g) && !(wander[i] > 0), sure = moved > fabs(off[i] - there[i]);
    back[i] = free && sure && size <= fmax(g->noise, moved) ? moved : 0;
    if (back[i] > 0) far = fmax(far, 2 * ahead * size / moved);
  }
  return far;
}

/* a->before becomes the margins now. with room for rates, and for margins ahead, the same with rates that are off,
 * and what they move back by */
static tn_status send_back(tn_sim *s, tn_application *a, double *ydot, double *const room[3], bool *some) {
  double *there = room[0], *off = room[1], *back = room[2];
  const double ahead = AHEAD * s->stepper.longest;
  TN_TRY(present(s, a->wander, a->before, ydot));
  tn_status status = look_ahead(s, ahead, ydot, true, off);
  if (status == TN_OK) status = look_ahead(s, ahead, ydot, false, there);
  if (status != TN_OK) return status == TN_E_RUN ? TN_OK : status;
  const double far = moves_back(s, ahead, a->wander, a->before, there, off, back);
  status = look_ahead(s, far, ydot, false, there);
  if (status != TN_OK) return status == TN_E_RUN ? TN_OK : status;
  for (int i = 0; i < s->m->switches; i++) {
    if (!(back[i] > 0) || !(there[i] < 0)) continue;
    TN_TRY(tn_guard_change(s, i, s->solver.sys.given.switching.live[i], false));
    tn_guard_move(s, i, TN_GUARD_SENT_BACK);
    *some = true;
  }
  return TN_OK;
}

tn_status tn_guards_send_back(tn_sim *s, tn_application *a, bool *some) {
  const int n = s->m->switches;
  *some = false;
  if (!some_passed(s) || !s->events.changed || !(s->now.t + AHEAD * s->stepper.longest > s->now.t)) return TN_OK;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *ydot = tn_room(s, s->n), *const room[3] = {tn_room(s, n), tn_room(s, n), tn_room(s, n)};
  const tn_status status = send_back(s, a, ydot, room, some);
  tn_scratch_close(&s->scratch, scope);
  return status;
}

/* ---- all is done ------------------------------------------------------------------------------------------------- */

tn_status tn_guards_settle(tn_sim *s, double *wander) {
  if (!some_passed(s)) return TN_OK;
  TN_TRY(tn_guards_wander(s, wander));
  for (int i = 0; i < s->m->switches; i++)
    if (is_passed(&s->guards.guard[i])) tn_guard_settle(s, i, wander[i]);
  return TN_OK;
}

void tn_guards_rearm(tn_sim *s) {
  for (int i = 0; i < s->m->switches; i++) {
    tn_guard *g = &s->guards.guard[i];
    const double begin = s->guards.begin[i];
    const bool far = begin >= g->level;
    if (g->state == TN_GUARD_HELD && far) tn_guard_move(s, i, TN_GUARD_ARMED);
    if (g->state == TN_GUARD_RETURNED) tn_guard_move(s, i, far || g->level == 0 ? TN_GUARD_ARMED : TN_GUARD_HELD);
    if (isfinite(begin)) g->span = fmax(g->span, fabs(begin));
  }
}
