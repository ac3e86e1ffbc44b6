/* ask.c: a simulation asked from outside, for much at a time: channels, outputs, poses; and the equations at any state.
 *
 *   (1) qdot = N(q) u;  M udot + A'lambda = f, A udot = gamma: without what stabilizers add
 *
 * A state that is not the present one is put where the next attempt of a step has its numbers, and the system is evaluated there. */
#include "simulate/simulate.h"

int tn_sim_bodies(const tn_sim *s) { return s ? s->m->bodies : 0; }
const char *tn_sim_body(const tn_sim *s, int i) { return s && i >= 0 && i < s->m->bodies ? s->m->body[i].name : NULL; }
int tn_sim_pose_size(const tn_sim *s) { return s ? tn_motion_pose(s->m) : 0; }

/* the system solved at the present state; from a watch too */
static tn_status solved(tn_sim *s, tn_error *error) {
  tn_error *const before = s->e;
  s->e = error ? error : &s->life.spare;
  tn_status status = s->life.started ? TN_OK : tn_sim_start(s, error);
  if (status == TN_OK) status = tn_solve_here(s, s->now.t, s->now.y);
  s->e = before;
  return status;
}

tn_status tn_sim_poses(tn_sim *s, double *pose, tn_error *error) {
  TN_NEED(error, s, "sim");
  TN_NEED(error, pose, "pose");
  tn_error *const before = s->e;
  tn_error_clear(error);
  s->e = error ? error : &s->life.spare;
  tn_status status = s->life.started ? TN_OK : tn_sim_start(s, error);
  if (status == TN_OK) status = tn_at(s, s->now.t, s->now.y, s->e);
  s->e = before;
  if (status == TN_OK) tn_motion_poses(s, pose);
  return status;
}

tn_status tn_sim_channels(tn_sim *s, int n, const char *const *name, double *value, tn_error *error) {
  TN_NEED(error, s, "sim");
  TN_NEED(error, name || n <= 0, "name");
  TN_NEED(error, value || n <= 0, "value");
  tn_error_clear(error);
  TN_TRY(solved(s, error));
  tn_system *sys = &s->solver.sys;
  memcpy(sys->ledger, tn_ledger_of(s, s->now.y), sizeof sys->ledger);
  tn_reactions_here(s);
  for (int i = 0; i < n; i++) {
    tn_channel channel;
    TN_NEED(error, name[i], "name");
    if (!tn_model_channel(s->m, name[i], &channel, error)) {
      if (error) error->status = TN_E_USAGE;
      return TN_E_USAGE;
    }
    tn_channel_eval(sys, &channel, &value[i]);
  }
  return TN_OK;
}

tn_status tn_sim_outputs(tn_sim *s, double *value, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  TN_NEED(error, value || !s->m->columns, "value");
  TN_TRY(s->life.started ? TN_OK : tn_sim_start(s, error));
  tn_error *const before = s->e;
  s->e = error ? error : &s->life.spare;
  const tn_status status = tn_row_here(s);
  s->e = before;
  if (status == TN_OK && s->m->columns) memcpy(value, s->output.row, sizeof *value * (size_t)s->m->columns);
  return status;
}

/* ---- at any state ------------------------------------------------------------------------------------------------------- */

/* q, u and states of forces as given, or the present ones, in room for the next step; ledgers are those of now */
static double *state_of(tn_sim *s, const double *q, const double *u, const double *state) {
  double *y = s->next.y;
  memcpy(y, s->now.y, sizeof *y * (size_t)s->n);
  if (q) memcpy(y, q, sizeof *y * (size_t)s->m->nq);
  if (u) memcpy(tn_u_of(s, y), u, sizeof *y * (size_t)s->m->nu);
  if (state) memcpy(tn_states_of(s, y), state, sizeof *y * (size_t)s->m->states);
  return y;
}

static tn_status may_ask(tn_sim *s, const char *function, double t, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, function, error));
  if (!isfinite(t)) return tn_fail(error, TN_E_USAGE, "the time is not a finite number");
  return s->life.started ? TN_OK : tn_sim_start(s, error);
}

tn_status tn_sim_eval_at(tn_sim *s, double t, const double *q, const double *u, const double *state, tn_eval *eval,
                         tn_error *error) {
  TN_NEED(error, s, "sim");
  TN_NEED(error, eval, "eval");
  TN_TRY(may_ask(s, __func__, t, error));
  if (s->m->large) return tn_too_large(s, error);
  const bool known = s->guards.known;
  tn_error *const before = s->e;
  s->e = error ? error : &s->life.spare;
  s->guards.known = false; /* functions made of pieces are those of the state that is asked about */
  const tn_status status = tn_evaluate(s, t, state_of(s, q, u, state), eval);
  s->guards.known = known;
  s->e = before;
  return status;
}

tn_status tn_sim_rates(tn_sim *s, double t, const double *q, const double *u, const double *state, double *qdot,
                       double *udot, double *state_rate, double *lambda, tn_error *error) {
  TN_NEED(error, s, "sim");
  TN_TRY(may_ask(s, __func__, t, error));
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  const bool known = s->guards.known;
  tn_error *const before = s->e;
  s->e = error ? error : &s->life.spare;
  s->guards.known = false;
  double *y = state_of(s, q, u, state);
  const tn_status status = tn_solve_here(s, t, y);
  s->guards.known = known;
  s->e = before;
  if (status != TN_OK) return status;
  s->summary.rhs++;
  if (qdot) tn_model_rates(m, y, tn_u_of(s, y), qdot);
  if (udot) memcpy(udot, sys->solved.udot, sizeof *udot * (size_t)m->nu);
  if (state_rate && m->states) memcpy(state_rate, sys->forces.state_rate, sizeof *state_rate * (size_t)m->states);
  if (lambda && m->rows) memcpy(lambda, sys->solved.lambda, sizeof *lambda * (size_t)m->rows);
  return TN_OK;
}
