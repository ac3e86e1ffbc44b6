/* events at their edge, behind a passage.
 *
 * what an event switches on may hold its own quantity there, to within the contract: then its margin, and those of functions inside it,
 * count again from where they have been above CLEAR of what they change by when the state is off by as much as the contract allows, or
 * when they are as far below 0; but no more than SPAN of the largest that the margin has been: where springs are stiff, loads wander by
 * more than they are. whether joints hold it is told by a motion that they let through:
 *   (1) v in no direction in particular; M x + A'L = 0, A x = A v; along v - x what is held does not change
 * one that nothing holds counts at once, on the side that it moves to: a ball that bounces is above the floor again however little it
 * rises. */
#include "simulate/simulate.h"

static const double SPAN = 1e-3;  /* of the largest margin so far: no more than that is roundoff */
static const double CLEAR = 3;    /* of what the contract lets a margin wander       */
static const double FREE = 1e-3;  /* of that: a margin that changes so much along the motion is not held */
static const double SMALL = 1e-6; /* of states beside others: contracts may be wider */
static const double AHEAD = 1e-6; /* of the longest step: where a margin moves to    */

/* number i of a motion in no direction in particular, of the size given */
static double any_way(int i, double size) { return size * (0.75 + 0.25 * cos(i)) * (i % 2 ? -1 : 1); }

/* (1): v - x into s->start_s */
static tn_status free_way(tn_sim *s) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  double *v = s->start.walk.s, *x = s->y_moved, *r = s->contract.V_row, *u = tn_u_of(s, s->inside.y);
  for (int i = 0; i < m->nu; i++) v[i] = any_way(i, m->u_length[i]);
  if (!m->rows) return TN_OK;
  memcpy(s->inside.y, s->now.y, sizeof *s->now.y * (size_t)s->n);
  for (int i = 0; i < m->nu; i++) u[i] += v[i];
  tn_status status = tn_at(s, s->now.t, s->inside.y, s->e);
  if (status != TN_OK) return status;
  memcpy(r, sys->Cdot, sizeof *r * (size_t)m->rows);
  if ((status = tn_at(s, s->now.t, s->now.y, s->e)) != TN_OK) return status;
  for (int i = 0; i < m->rows; i++) r[i] -= sys->Cdot[i];
  if ((status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e)) != TN_OK) return status;
  if ((status = tn_solver_solve(&s->solver, NULL, r, x, s->contract.C_row, s->e)) != TN_OK) return status;
  for (int i = 0; i < m->nu; i++) v[i] -= x[i];
  return TN_OK;
}

/* what margins wander by where joints hold them, into w->wander: CLEAR of what they change by with the state off by as much as the
 * contract allows. 0 for those that change as well along motions which the joints let through: nothing holds them */
tn_status tn_edge_wander(tn_sim *s) {
  tn_switches *w = &s->switches;
  const tn_model *m = s->m;
  const double position = fmin(m->run.contract_position, SMALL), velocity = fmin(m->run.contract_velocity, SMALL),
               wide = fmax(m->run.contract_position / position, m->run.contract_velocity / velocity);
  double *y = s->inside.y;
  for (int i = 0; i < m->switches; i++) w->wander[i] = 0;
  if (!m->rows) return TN_OK;
  tn_status status = free_way(s);
  if (status != TN_OK) return status;
  double *before = w->from; /* nobody needs it between steps */
  if ((status = tn_switch_margins(s, s->now.t, s->now.y, before)) != TN_OK) return status;
  memcpy(y, s->now.y, sizeof *y * (size_t)s->n);
  for (int i = 0; i < m->nq; i++) y[i] += position * any_way(i, m->q_length[i]);
  for (int i = 0; i < m->nu; i++) y[m->nq + i] += velocity * any_way(m->nq + i, m->u_length[i]);
  status = tn_switch_margins(s, s->now.t, y, w->room);
  if (status != TN_OK) return status == TN_E_RUN ? TN_OK : status;
  for (int i = 0; i < m->switches; i++) w->wander[i] = fabs(w->room[i] - before[i]);
  memcpy(y, s->now.y, sizeof *y * (size_t)s->n);
  for (int i = 0; i < m->nu; i++) {
    y[m->nq + i] += velocity * s->start.walk.s[i];
    s->start.walk.s[i] *= position;
  }
  tn_model_add(m, y, s->start.walk.s);
  status = tn_switch_margins(s, s->now.t, y, w->room);
  if (status != TN_OK && status != TN_E_RUN) return status;
  for (int i = 0; i < m->switches; i++) {
    const double change = w->wander[i], along = status == TN_OK ? fabs(w->room[i] - before[i]) : 0;
    w->wander[i] = isfinite(change) && !(along > FREE * change) ? fmin(wide * CLEAR * change, SPAN * w->span[i]) : 0;
  }
  return TN_OK;
}

/* margins a little ahead, into `to`, with rates as they are, or off by what they may be */
static tn_status look_ahead(tn_sim *s, double ahead, const double *ydot, bool off, double *to) {
  const tn_model *m = s->m;
  double *y = s->y_moved;
  if (off) {
    tn_error_weights(s, s->now.y, y);
    for (int i = 0; i < m->nu; i++)
      s->start.walk.s[i] = isfinite(y[m->nq + i]) ? TN_NOISE * y[m->nq + i] * (i % 2 ? -1 : 1) : 0;
    tn_model_rates(m, s->now.y, s->start.walk.s, y);
  }
  for (int i = 0; i < s->n; i++) y[i] = s->now.y[i] + ahead * (ydot[i] + (off && i < m->nq ? y[i] : 0));
  return tn_switch_margins(s, s->now.t + ahead, y, to);
}

/* events that were passed here, and that what they did sends back at once, as a ball that bounces: they are on the side that their
 * margins move to. *some: there are such */
tn_status tn_edge_send_back(tn_sim *s, bool *some) {
  tn_switches *w = &s->switches;
  const tn_model *m = s->m;
  double *ydot = s->estimate.error, *off = w->from;
  const double ahead = AHEAD * w->longest;
  bool passed = false;
  *some = false;
  for (int i = 0; i < m->switches; i++) passed = passed || isnan(w->clear[i]);
  if (!passed || !s->happening.changed || !(s->now.t + ahead > s->now.t)) return TN_OK;
  tn_status status = tn_edge_wander(s);
  if (status == TN_OK) status = tn_switch_margins(s, s->now.t, s->now.y, w->low);
  if (status == TN_OK) status = tn_rates_begin(s, s->now.t, s->now.y, s->stepper.length);
  if (status == TN_OK) status = tn_rates(s, s->now.t, s->now.y, ydot);
  if (status != TN_OK) return status;
  status = look_ahead(s, ahead, ydot, true, off);
  if (status == TN_OK) status = look_ahead(s, ahead, ydot, false, w->room);
  if (status != TN_OK) return status == TN_E_RUN ? TN_OK : status;
  double far = ahead; /* where all that go back are across the edge */
  for (int i = 0; i < m->switches; i++) {
    const double back = w->low[i] - w->room[i], low = fabs(w->low[i]);
    const bool goes = isnan(w->clear[i]) && !(w->wander[i] > 0) && back > fabs(off[i] - w->room[i]);
    w->high[i] = goes && low <= fmax(w->noise[i], back) ? back : NAN;
    if (w->high[i] > 0) far = fmax(far, 2 * ahead * low / back);
  }
  status = look_ahead(s, far, ydot, false, w->room);
  if (status != TN_OK) return status == TN_E_RUN ? TN_OK : status;
  for (int i = 0; i < m->switches; i++) {
    if (isnan(w->high[i]) || !(w->room[i] < 0)) continue;
    if ((status = tn_switch_change(s, i, w->to[i] = s->solver.sys.switching.live[i])) != TN_OK) return status;
    *some = w->sent[i] = true;
  }
  return TN_OK;
}

/* how far those that were passed here have to go before they count again */
tn_status tn_edge_clear(tn_sim *s) {
  tn_switches *w = &s->switches;
  bool some = false;
  for (int i = 0; i < s->m->switches; i++) some = some || isnan(w->clear[i]);
  if (!some) return TN_OK;
  const tn_status status = tn_edge_wander(s);
  for (int i = 0; i < s->m->switches; i++)
    if (isnan(w->clear[i])) w->clear[i] = w->wander[i];
  return status;
}

/* those that have gone far enough behind a passage */
void tn_edge_cleared(tn_sim *s) {
  tn_switches *w = &s->switches;
  for (int i = 0; i < s->m->switches; i++) {
    if (w->begin[i] >= w->clear[i]) w->clear[i] = 0;
    w->sent[i] = false;
    if (isfinite(w->begin[i])) w->span[i] = fmax(w->span[i], fabs(w->begin[i]));
  }
}
