/* guards: parameters and parts that the caller of the library changes, between two steps. Before the first step a
 * change is a part of the start. Later it is as an action of an event: velocities may jump, and what remembers begins
 * anew. */
#include "simulate/guards.h"

#include "simulate/simulate.h"

static double *parameter_of(tn_sim *s, int i) { return &s->solver.sys.given.switching.parameter[i]; }

int tn_sim_parameters(const tn_sim *s) { return s ? s->m->parameters : 0; }
const char *tn_sim_parameter_name(const tn_sim *s, int i) {
  return s && i >= 0 && i < s->m->parameters ? s->m->parameter[i].name : NULL;
}
double tn_sim_parameter(const tn_sim *s, int i) {
  return s && i >= 0 && i < s->m->parameters ? s->solver.sys.given.switching.parameter[i] : NAN;
}

static tn_status was_changed(tn_sim *s, double before) {
  tn_status status = tn_impulse_settle(s, NULL, -1, before);
  if (status == TN_OK) status = tn_events_restart(s);
  if (status != TN_OK) return tn_end_run(s, status);
  s->m->run.integrator->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
  tn_guards_withdraw(s);
  s->guards.known = false; /* pieces and sides are those of the values from here on */
  return TN_OK;
}

/* T + V of a run under way, 0 of one that has not begun */
static tn_status ready(tn_sim *s, tn_error *error, double *before) {
  s->e = error ? error : &s->life.spare;
  tn_error_clear(s->e);
  *before = 0;
  if (s->life.stopped) return tn_fail(s->e, TN_E_RUN, "the simulation has stopped before");
  if (!s->life.started) return TN_OK;
  tn_status status = tn_guards_finish(s, true); /* what is due comes first */
  s->events.changed = s->events.switched = false;
  if (status == TN_OK) status = tn_at(s, s->now.t, s->now.y, s->e);
  *before = tn_energy_of(&s->solver.sys, TN_TOTAL);
  tn_balance_energies(s, s->ledger.balances.event);
  return status;
}

static tn_status set_parameter(tn_sim *s, const char *name, double value, tn_error *error) {
  double before;
  tn_status status = ready(s, error, &before);
  if (status != TN_OK) return status;
  const int i = tn_index_find(&s->m->parameter_index, name);
  if (i < 0) return tn_fail(s->e, TN_E_USAGE, "there is no parameter '%.60s'", name);
  if (!isfinite(value)) return tn_fail(s->e, TN_E_USAGE, "parameter '%s': the value is not a finite number", name);
  if (*parameter_of(s, i) == value) return TN_OK;
  const double old = *parameter_of(s, i);
  tn_event_touch_parameters(s);
  *parameter_of(s, i) = value;
  tn_system_stale(&s->solver.sys);
  tn_solver_forget(&s->solver);
  if (!s->life.started || (status = tn_impulse_in_place(s, NULL, -1)) == TN_OK)
    return s->life.started ? was_changed(s, before) : TN_OK;
  *parameter_of(s, i) = old; /* refused: as it was */
  tn_system_stale(&s->solver.sys);
  tn_impulse_untouch(s);
  return status;
}

tn_status tn_sim_set_parameter(tn_sim *s, const char *name, double value, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  TN_NEED(error, name, "name");
  return set_parameter(s, name, value, error);
}

static tn_status part_named(const tn_sim *s, const char *name, bool *joint, int *part, tn_error *e) {
  *part = tn_index_find(&s->m->joint_index, name);
  *joint = *part >= 0;
  if (!*joint) *part = tn_index_find(&s->m->force_index, name);
  return *part >= 0 ? TN_OK : tn_fail(e, TN_E_USAGE, "there is no joint or force '%.60s'", name);
}

static tn_status switch_part(tn_sim *s, const char *name, bool on, tn_error *error) {
  double before;
  bool joint;
  int part;
  tn_status status = ready(s, error, &before);
  if (status == TN_OK) status = part_named(s, name, &joint, &part, s->e);
  if (status != TN_OK) return status;
  if (joint && !s->m->joint[part].switchable) {
    tn_fail(s->e, TN_E_USAGE, "joint '%s' cannot be switched", name);
    tn_hint(s->e, "with the key `active` in the model it can");
    return TN_E_USAGE;
  }
  s->events.changed = false;
  tn_event_switch(s, joint, part, on);
  if (!s->life.started || !s->events.changed) return TN_OK;
  if ((status = tn_impulse_in_place(s, NULL, -1)) == TN_OK) return was_changed(s, before);
  tn_event_switch(s, joint, part, !on); /* refused: as it was */
  s->events.uncounted = false;
  tn_impulse_untouch(s);
  return status;
}

tn_status tn_sim_switch(tn_sim *s, const char *name, bool on, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  TN_NEED(error, name, "name");
  return switch_part(s, name, on, error);
}

tn_status tn_sim_is_on(const tn_sim *s, const char *name, bool *on, tn_error *error) {
  TN_NEED(error, s, "sim");
  TN_NEED(error, name, "name");
  TN_NEED(error, on, "on");
  bool joint;
  int part;
  tn_error_clear(error);
  const tn_status status = part_named(s, name, &joint, &part, error);
  if (status == TN_OK) *on = !(joint ? s->solver.sys.given.off : s->solver.sys.given.force_off)[part];
  return status;
}
