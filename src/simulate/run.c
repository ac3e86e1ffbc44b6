/* from the start to the end. */
#include "simulate/simulate.h"

/* the present state is where ledgers, steps and the contract begin. a state that was given as it is is reported, not judged:
 * such starts are studied */
static tn_status settle(tn_sim *s, bool judged) {
  const tn_model *m = s->m;
  tn_guards_reset(s);
  s->stepper.share = 1;
  tn_events_reset(s);
  tn_kink_reset(s);
  tn_status status = tn_start_count(s);
  if (status != TN_OK) return status;
  tn_parts_begin(s);
  tn_contract_begin(s);
  tn_ledger_begin(s);
  s->stepper.ode.redundant = s->summary.redundant_rows;
  if ((status = tn_packed_start(s)) != TN_OK) return status;
  tn_scales_begin(s);
  s->before.t = s->stepper.t0 = s->now.t;
  s->summary.max_kinetic = 0;
  s->summary.guard_calls = s->solver.guard_calls = 0;
  s->summary.local_errors = s->summary.stabilizer_work = 0;
  memset(s->stabilizing.rooms, 0, s->stabilizing.rooms_size);
  tn_singular_reset(s);
  tn_crossing_reset(s);
  tn_doubts_reset(s);
  s->stepper.length = s->stabilizing.gain_length = m->run.fixed ? m->run.step : 0;
  s->summary.t_end = s->now.t;
  tn_watch_energy(s, s->now.y);
  tn_remember(&s->solver.sys);
  s->stepper.turning = tn_turning(&s->solver.sys, &s->stepper.turning_joint);
  s->output.t_row = -INFINITY;
  s->output.t_motion = s->output.t_given = NAN;
  s->life.started = true;
  s->life.stopped = false;
  if (m->servos && (status = tn_servos_begin(s)) != TN_OK) return status;
  if (judged && (status = tn_contract_check(s, s->now.t)) != TN_OK) return status;
  /* last: an integrator may have memory outside of the block, which tn_sim_set_state could not bring back */
  m->run.integrator->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
  return TN_OK;
}

/* how far the given start is off, for the report */
static void note_start(tn_sim *s) {
  int i, j;
  if (!s->m->rows) return;
  const double position = tn_contract_largest(s, false, &i), velocity = tn_contract_largest(s, true, &j);
  char at[2][160], off[2][48];
  tn_row_owner(s->m, i, at[0], sizeof at[0]);
  tn_row_owner(s->m, j, at[1], sizeof at[1]);
  tn_contract_figure(s, i, false, position, 3, off[0], sizeof off[0]);
  tn_contract_figure(s, j, true, velocity, 3, off[1], sizeof off[1]);
  tn_log(s, s->now.t, "as-given", "the start is off by %s (%s), in velocity by %s (%s)", off[0], at[0], off[1], at[1]);
}

tn_status tn_begin_run(tn_sim *s) {
  memcpy(s->solver.sys.rows.scale, s->m->row_scale, sizeof *s->m->row_scale * (size_t)s->m->rows);
  tn_status status = tn_start_assemble(s, true);
  if (status == TN_OK) status = settle(s, !s->m->as_given);
  if (status == TN_OK && s->m->as_given) note_start(s);
  if (status == TN_OK) status = tn_unique(s);
  if (status == TN_OK && !s->m->as_given) status = tn_kink_start(s);
  return status == TN_OK && s->m->servos ? tn_servos_check(s) : status;
}

/* the largest T; the roundoff in V where nothing moves, or a motion that nobody sees: 1e-12 of its length a second */
double tn_energy_scale(const tn_sim *s) {
  double creep = 0;
  for (int i = 0; i < s->m->bodies; i++) {
    const double v = 1e-12 * tn_length_at(s->m, i);
    creep += 0.5 * s->m->body[i].mass * v * v;
  }
  return fmax(fmax(s->summary.max_kinetic, 1e-9 * s->ledger.max_potential), creep);
}

tn_status tn_end_run(tn_sim *s, tn_status status) {
  tn_summary *sum = &s->summary;
  sum->status = status;
  s->life.under_way = false;
  s->life.stopped = status != TN_OK && status != TN_E_STOPPED;
  sum->factorizations = s->solver.factorizations;
  sum->inconsistency = s->contract.inconsistency;
  sum->guard_calls = s->solver.guard_calls;
  sum->jacobians = s->stepper.effort.jacobians;
  sum->jacobian_rhs = s->stepper.effort.jacobian_rates;
  sum->decompositions = s->stepper.effort.decompositions;
  sum->iterations = s->stepper.effort.iterations;
  tn_cost_report(s);
  tn_balance_end(s);
  if (status == TN_OK) {
    if (s->events.ended >= 0)
      tn_format(sum->message, sizeof sum->message, "ended by event '%s' at t = %.9g s",
                s->m->trigger[s->events.ended].name, s->now.t);
    else
      tn_format(sum->message, sizeof sum->message, "done");
    tn_error_clear(s->e); /* of attempts that did not stand */
  } else {
    tn_error_text(s->e, sum->message, sizeof sum->message);
  }
  sum->verdict = tn_verdict_of(s);
  return status;
}

bool tn_sim_is_long(const tn_sim *s) {
  if (!s) return false;
  static const double WORTH = 1e-5, TOLERANCES = 1000; /* of the scale of the motion; of the tolerance */
  enum { FIXED_STEPS = 100000 };
  const tn_run *r = &s->m->run;
  if (r->fixed) return s->summary.steps > FIXED_STEPS;
  return s->summary.local_errors > fmax(WORTH, TOLERANCES * fmax(r->rtol, r->atol));
}

/* after a failure the state may be anything */
static tn_status has_stopped(tn_sim *s) {
  char why[400];
  tn_format(why, sizeof why, "%.300s", s->summary.message);
  return tn_fail(s->e, TN_E_RUN, "the simulation has stopped before: %s", why);
}

static tn_status has_ended(tn_sim *s) {
  return tn_fail(s->e, TN_E_USAGE, "event '%s' has ended the run at t = %.9g s", s->m->trigger[s->events.ended].name,
                 s->now.t);
}

static tn_status watched(tn_sim *s) {
  if (!s->output.watch || s->output.watch(s->output.watcher, s->now.t)) return TN_OK;
  tn_fail(s->e, TN_E_STOPPED, "the run was interrupted");
  s->e->time = s->now.t;
  return TN_E_STOPPED;
}

tn_status tn_sim_start(tn_sim *s, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  s->e = error ? error : &s->life.spare;
  tn_error_clear(s->e);
  if (s->life.stopped) return has_stopped(s);
  if (s->life.started) return TN_OK;
  tn_cost_begin(s);
  const tn_status status = tn_begin_run(s);
  tn_cost_end(s);
  return tn_end_run(s, status);
}

tn_status tn_sim_set(tn_sim *s, double t, const double *q, const double *u, bool assemble, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  s->e = error ? error : &s->life.spare;
  tn_error_clear(s->e);
  if (!isfinite(t)) return tn_fail(s->e, TN_E_USAGE, "the time is not a finite number");
  tn_cost_begin(s);
  s->now.t = t;
  if (q) memcpy(s->now.y, q, sizeof *q * (size_t)s->m->nq);
  if (u) memcpy(tn_u_of(s, s->now.y), u, sizeof *u * (size_t)s->m->nu);
  tn_system_stale(&s->solver.sys);
  if (q && !s->life.reminded) /* turns are counted anew */
    memset(s->solver.sys.given.memory, 0, sizeof(double) * (size_t)s->m->memory);
  s->life.reminded = false;
  tn_status status = assemble ? tn_start_assemble(s, false) : TN_OK;
  if (status == TN_OK) status = settle(s, assemble);
  if (status == TN_OK && !assemble) note_start(s);
  tn_cost_end(s);
  return tn_end_run(s, status);
}

/* a refused state leaves everything as it was, caches and counts too: all of it lies in one block, of which a copy is kept */
tn_status tn_sim_set_state(tn_sim *s, const double *state, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  const size_t size = sizeof *state * (size_t)s->m->states;
  TN_NEED(error, state || !size, "state");
  for (int i = 0; i < s->m->states; i++)
    if (!isfinite(state[i])) return tn_fail(error, TN_E_USAGE, "%s is not a finite number", s->m->state_name[i]);
  if (!s->life.started) {
    if (size) memcpy(tn_states_of(s, s->now.y), state, size);
    return TN_OK;
  }
  const tn_allocator allocator = s->life.allocator;
  void *before = tn_block_new(&allocator, s->life.size);
  if (!before) return tn_fail(error, TN_E_MEMORY, "out of memory: a copy of the state needs %zu bytes", s->life.size);
  memcpy(before, s, s->life.size);
  s->e = error ? error : &s->life.spare;
  tn_cost_begin(s);
  if (size) memcpy(tn_states_of(s, s->now.y), state, size);
  tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  if (status == TN_OK) status = settle(s, false);
  tn_cost_end(s);
  tn_end_run(s, status);
  if (status != TN_OK) memcpy(s, before, s->life.size);
  tn_block_free(&allocator, before);
  return status;
}

tn_status tn_sim_remember(tn_sim *s, const double *memory, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  TN_NEED(error, memory || !s->m->memory, "memory");
  for (int i = 0; i < s->m->memory; i++)
    if (!isfinite(memory[i])) return tn_fail(error, TN_E_USAGE, "what a joint remembers is not a finite number");
  if (s->m->memory) memcpy(s->solver.sys.given.memory, memory, sizeof *memory * (size_t)s->m->memory);
  tn_system_stale(&s->solver.sys); /* rows may depend on it */
  s->life.reminded = true;
  return TN_OK;
}

tn_status tn_sim_advance(tn_sim *s, double t, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  s->e = error ? error : &s->life.spare;
  tn_error_clear(s->e);
  tn_status status = TN_OK;
  if (!isfinite(t)) return tn_fail(s->e, TN_E_USAGE, "the time is not a finite number");
  if (!(t >= s->now.t)) return tn_fail(s->e, TN_E_USAGE, "cannot go back from t = %g to %g", s->now.t, t);
  if (s->life.stopped) return has_stopped(s);
  tn_cost_begin(s);
  if (!s->life.started) status = tn_begin_run(s);
  if (s->events.ended >= 0) {
    tn_cost_end(s);
    return has_ended(s);
  }
  s->life.under_way = true;
  while (status == TN_OK && s->now.t < t && s->events.ended < 0) {
    status = tn_step(s, t);
    s->output.t_row = -INFINITY; /* rows that a run owes for this step are skipped */
    const tn_status wish = status == TN_OK ? watched(s) : TN_OK;
    if (wish != TN_OK && s->now.t < t) status = wish;
  }
  if (status == TN_OK && s->now.t >= t) status = tn_guards_finish(s, false);
  tn_cost_end(s);
  return tn_end_run(s, status);
}

/* rows at k every, and at the end */
typedef struct schedule {
  double every, until;
  int64_t k, last;
} schedule;

static double row_time(const schedule *r) { return r->k >= r->last ? r->until : (double)r->k * r->every; }

tn_status tn_hand_out(tn_sim *s, double t) {
  tn_doubt_row(s, t);
  tn_status status = s->output.to ? s->output.to(s->output.user, t, s->m->columns, s->output.row) : TN_OK;
  s->output.t_given = t;
  tn_finite_row(s, t);
  if (status == TN_OK) return TN_OK;
  tn_fail(s->e, status,
          status == TN_E_STOPPED  ? "the run was interrupted"
          : status == TN_E_MEMORY ? "there is no memory for its rows"
                                  : "the run was stopped by the receiver of its rows");
  s->e->time = t;
  return status;
}

/* an event has ended the run: as far as it went, unless the row is there and stands */
static tn_status last_row(tn_sim *s) {
  if (fabs(s->output.t_given - s->now.t) <= 1e-12 * fabs(s->now.t)) return TN_OK;
  const tn_status status = tn_row_here(s);
  return status == TN_OK ? tn_hand_out(s, s->now.t) : status;
}

static tn_status run(tn_sim *s) {
  const tn_run *r = &s->m->run;
  schedule rows = {.every = r->every, .until = r->until};
  tn_status status = s->life.started ? TN_OK : tn_begin_run(s);
  if (status != TN_OK) return status;
  rows.last = (int64_t)ceil(r->until / r->every * (1 - 1e-12));
  /* one that was interrupted goes on behind the last row it gave, inside the last step too */
  const double given = s->output.t_row;
  while (rows.k <= rows.last && (isfinite(given) ? row_time(&rows) <= given : row_time(&rows) < s->now.t * (1 - 1e-12)))
    rows.k++;
  for (bool stepped = false;; stepped = true) {
    /* all rows up to here: at the step itself if it is one, else inside the last step */
    for (; rows.k <= rows.last && row_time(&rows) <= s->now.t * (1 + 1e-14); rows.k++) {
      const double t = row_time(&rows);
      const bool here = fabs(t - s->now.t) <= 1e-12 * fmax(fabs(s->now.t), s->now.t - s->before.t);
      status = here ? tn_row_here(s) : tn_row_inside(s, t);
      if (status == TN_OK) status = tn_hand_out(s, t);
      if (status != TN_OK) return status;
      s->output.t_row = t;
    }
    const bool last = s->now.t >= r->until;
    s->output.t_row = s->now.t + 1e-14 * fabs(s->now.t); /* as far as rows were due */
    if (stepped && (status = watched(s)) != TN_OK && !last) return status;
    if (last) s->output.t_row = -INFINITY;
    status = last ? tn_guards_finish(s, false) : tn_step(s, r->until);
    if (status != TN_OK || last) return status;
    if (s->events.ended >= 0) return last_row(s);
  }
}

tn_status tn_sim_run(tn_sim *s, tn_row row, void *user, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  s->e = error ? error : &s->life.spare;
  tn_error_clear(s->e);
  if (s->life.stopped) return has_stopped(s);
  if (s->events.ended >= 0) return has_ended(s);
  tn_cost_begin(s);
  s->life.under_way = true;
  s->output.to = row;
  s->output.user = user;
  tn_status status = run(s);
  s->output.to = NULL;
  tn_cost_end(s);
  return tn_end_run(s, status);
}
