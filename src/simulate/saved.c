/* a simulation between two steps, saved and put back.
 *
 * `list` names everything that the next step depends on beside the model: numbers of the parts by the walk of parts.c, then lists, texts and
 * what others keep of themselves. not listed: what the start makes of the model in every run (shared loads, rank, typical poses are, since
 * tn_sim_set may have made others), scratch, and the system at a state, which is assembled anew where it was.
 * one-step formulas go on to the last bit. those that do not tell their memory (multistep ones, SUNDIALS) start anew, and an event
 * `restart` says so. */
#include "simulate/simulate.h"

#include <limits.h>

/* of the system: where it was, so that it is assembled there again and what was solved there still fits */
typedef struct place {
  tn_sim *s;
  bool complete, dense;
  int how, loads;
} place;

/* what tn_end_run does not make of the rest */
static void list_summary(tn_summary *r, tn_keep *k) {
  int64_t *const counts[] = {&r->steps,       &r->rejected, &r->rhs,   &r->singular_positions,
                             &r->set_changes, &r->switches, &r->fired, &r->impulses};
  double *const numbers[] = {&r->t_end,
                             &r->max_position_violation,
                             &r->max_velocity_violation,
                             &r->worst_time,
                             &r->max_kinetic,
                             &r->stabilizer_work,
                             &r->start_moved,
                             &r->start_violation,
                             &r->local_errors};
  tn_keep_group(k, "summary");
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) tn_keep_longs(k, "count", 1, counts[i]);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tn_keep_numbers(k, "number", 1, numbers[i]);
  tn_keep_text(k, "worst_joint", sizeof r->worst_joint, r->worst_joint);
  tn_keep_flags(k, "contract_kept", 1, &r->contract_kept);
  tn_keep_text(k, "contract_text", sizeof r->contract_text, r->contract_text);
  tn_keep_ints(k, "degrees_of_freedom", 1, &r->degrees_of_freedom, INT_MIN, INT_MAX);
  tn_keep_ints(k, "redundant_rows", 1, &r->redundant_rows, 0, INT_MAX);
  tn_keep_text(k, "start_moved_name", sizeof r->start_moved_name, r->start_moved_name);
  tn_keep_ints(k, "start_moves", 1, &r->start_moves, 0, INT_MAX);
  for (int i = 0; i < TN_MOST_MOVES; i++) {
    tn_keep_text(k, "start_move", sizeof r->start_move[i].name, r->start_move[i].name);
    tn_keep_text(k, "unit", sizeof r->start_move[i].unit, r->start_move[i].unit);
    tn_keep_numbers(k, "by", 1, &r->start_move[i].by);
  }
  tn_keep_text(k, "start_violation_joint", sizeof r->start_violation_joint, r->start_violation_joint);
}

/* their kinds are words of the program: those that are read stand beside them */
static void list_events(tn_sim *s, tn_keep *k) {
  const int n = tn_keep_count(k, "events", &s->log.events, 0, TN_MOST_EVENTS);
  for (int i = 0; i < n; i++) {
    tn_event *e = &s->log.event[i];
    char kind[sizeof s->log.kind[i]] = "";
    if (e->kind) tn_format(kind, sizeof kind, "%s", e->kind);
    tn_keep_numbers(k, "t", 1, &e->t);
    tn_keep_text(k, "kind", sizeof kind, kind);
    tn_keep_text(k, "text", sizeof e->text, e->text);
    if (!tn_keep_reads(k)) continue;
    memcpy(s->log.kind[i], kind, sizeof kind);
    e->kind = s->log.kind[i];
  }
}

/* an index into so many; where there are none it stands at 0 and is not used */
static int last_of(int n) { return n > 0 ? n - 1 : 0; }

static void list_singular(const tn_model *m, tn_singular *p, tn_keep *k) {
  int kind = (int)p->kind;
  tn_keep_numbers(k, "t", 1, &p->t);
  tn_keep_numbers(k, "rho", 1, &p->rho);
  tn_keep_numbers(k, "change", 1, &p->change);
  tn_keep_ints(k, "kind", 1, &kind, TN_SINGULAR_PASSED, TN_SINGULAR_STAYS);
  const int all = m->joints + m->owned;
  tn_keep_ints(k, "joints", 1, &p->joints, 0, all < TN_MOST_IN_SINGULAR ? all : TN_MOST_IN_SINGULAR);
  tn_keep_ints(k, "joint", TN_MOST_IN_SINGULAR, p->joint, 0, last_of(all));
  tn_keep_flags(k, "more", 1, &p->more);
  tn_keep_flags(k, "smooth", 1, &p->smooth);
  p->kind = (tn_singular_kind)kind;
}

static void list_found(tn_sim *s, tn_keep *k) {
  list_singular(s->m, &s->singular.passing.found, k);
  const int n = tn_keep_count(k, "found", &s->singular.count, 0, TN_MOST_SINGULAR);
  for (int i = 0; i < n; i++) list_singular(s->m, &s->singular.found[i], k);
}

/* reasons to doubt the run */
static void list_doubts(tn_sim *s, tn_keep *k) {
  tn_doubts *d = &s->log.doubts;
  int64_t *const counts[] = {&d->forced.n, &d->branch.n, &d->stays.n, &d->closed.n, &d->outputs.n, &d->chatter.n};
  double *const numbers[] = {&d->crossing.work, &d->crossing.t, &d->forced.error,      &d->forced.t,
                             &d->branch.change, &d->branch.t,   &d->stays.t,           &d->closed.gap,
                             &d->closed.t,      &d->outputs.t,  &d->chatter.t,         &d->inside.off,
                             &d->inside.energy, &d->inside.t,   &d->inside.balance[0], &d->inside.balance[1]};
  tn_keep_group(k, "doubts");
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) tn_keep_longs(k, "count", 1, counts[i]);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tn_keep_numbers(k, "number", 1, numbers[i]);
  tn_keep_ints(k, "column", 1, &d->outputs.column, 0, last_of(s->m->columns));
  tn_keep_ints(k, "switch", 1, &d->chatter.guard, 0, last_of(s->m->switches));
  tn_keep_ints(k, "closed_row", 1, &d->closed.row, 0, last_of(s->m->rows));
  tn_keep_flags(k, "closed_rate", 1, &d->closed.rate);
  tn_keep_ints(k, "row_off_row", 1, &d->inside.row, 0, last_of(s->m->rows));
  if (!s->m->run.by_numbers) return;
  tn_keep_longs(k, "turns", 1, &d->turns.n);
  tn_keep_numbers(k, "turned", 1, &d->turns.angle);
  tn_keep_numbers(k, "turns_time", 1, &d->turns.t);
}

/* a stabilizer's room, or none of it */
static void list_rooms(tn_sim *s, tn_keep *k) {
  const tn_run *r = &s->m->run;
  tn_keep_group(k, "stabilizers");
  if (tn_keep_reads(k)) memset(s->stabilizing.rooms, 0, s->stabilizing.rooms_size);
  for (int i = 0; i < r->stabilizers; i++) {
    const tn_stabilizer_type *type = r->stabilizer[i].type;
    tn_keep_group(k, type->name);
    if (type->keep && type->memory) type->keep(r->stabilizer[i].self, s->stabilizing.room[i], k);
  }
}

static void list_system(place *p, tn_keep *k) {
  tn_system *sys = &p->s->solver.sys;
  const tn_model *m = sys->m;
  tn_keep_group(k, "system");
  tn_keep_numbers(k, "t", 1, &sys->at.t);
  tn_keep_numbers(k, "q", (size_t)m->nq, sys->at.q);
  tn_keep_numbers(k, "u", (size_t)m->nu, sys->at.u);
  tn_keep_numbers(k, "state", (size_t)m->states, sys->at.state);
  tn_keep_finite(k, "memory", (size_t)m->memory, sys->given.memory);
  tn_keep_numbers(k, "ledger", TN_LEDGERS, sys->ledger);
  tn_keep_finite(k, "energy0", 1, &sys->energy0);
  tn_keep_flags(k, "counted", 1, &sys->known.counted);
  tn_keep_flags(k, "complete", 1, &p->complete);
  tn_keep_flags(k, "dense", 1, &p->dense);
  if (!m->large) { /* they outlive a state where another with the same positions follows */
    tn_keep_numbers(k, "M", (size_t)m->nu * (size_t)m->nu, sys->M);
    tn_keep_numbers(k, "A", (size_t)m->rows * (size_t)m->nu, sys->A);
  }
  tn_keep_ints(k, "how", 1, &p->how, TN_PIECES_LIVE, TN_PIECES_HELD);
  tn_keep_ints(k, "loads", 1, &p->loads, TN_LOADS_NONE, TN_LOADS_FOUND);
  if (m->loaded) tn_keep_numbers(k, "load", (size_t)m->forces, sys->forces.load);
  tn_keep_ints(k, "sweeps", 1, &p->s->efforts.loads.most, 0, TN_MOST_SWEEPS);
}

static void list(void *self, tn_keep *k) {
  place *p = self;
  tn_sim *s = p->s;
  const tn_model *m = s->m;
  const size_t z = s->packed.indirect ? (size_t)s->stepper.ode.n : 0;
  tn_keep_group(k, "simulation");
  tn_keep_same(k, "tenon", TN_VERSION);
  tn_keep_ints(k, "integrated", 1, &s->stepper.ode.n, s->stepper.ode.n, s->stepper.ode.n);
  tn_parts_keep(s, k);
  /* what z stands for the states, where it is another vector */
  tn_keep_numbers(k, "z", z, s->now.z);
  tn_keep_numbers(k, "znew", z, s->before.z);
  tn_keep_numbers(k, "y_stage", z ? (size_t)s->n : 0, s->packed.y_stage);
  tn_keep_ints(k, "kinks", (size_t)m->joints, s->kinks.lines, 0, INT_MAX / 2);
  if (!m->large && m->rows) tn_keep_finite(k, "sharing", (size_t)(m->joints + m->bodies), s->efforts.sharing.length);
  s->efforts.sharing.ready = false;
  tn_keep_ints(k, "servos.sign", 1, &s->efforts.servos.sign, -1, 1);
  list_summary(&s->summary, k);
  list_events(s, k);
  list_found(s, k);
  list_doubts(s, k);
  tn_guards_keep(s, k);
  tn_events_keep(s, k);
  list_rooms(s, k);
  list_system(p, k);
  tn_solver_keep(&s->solver, k);
  if (s->packed.packing && s->packed.packing->keep) s->packed.packing->keep(s->packed.memory, k);
  tn_keep_group(k, "integrator");
  tn_keep_group(k, m->run.integrator->name);
  if (m->run.integrator->keep) m->run.integrator->keep(s->stepper.work, k);
}

/* what is switched off stands before all else: how long the rest is may depend on it */
typedef struct mask {
  tn_sim *s;
  bool *off, *force_off; /* joints, forces */
} mask;

static void list_mask(void *self, tn_keep *k) {
  mask *x = self;
  tn_keep_group(k, "switched off");
  tn_keep_flags(k, "joints", (size_t)x->s->m->joints, x->off);
  tn_keep_flags(k, "forces", (size_t)x->s->m->forces, x->force_off);
}

/* the mask that is read, into room for it */
static mask mask_of(tn_sim *s) { return (mask){s, s->life.read.off, s->life.read.force_off}; }

static bool other_joints(const tn_sim *s) {
  for (int i = 0; i < s->m->joints; i++)
    if ((s->life.read.off[i] && s->m->joint[i].switchable) != s->solver.sys.given.off[i]) return true;
  return false;
}

static void exchange_forces(tn_sim *s) {
  for (int i = 0; i < s->m->forces; i++) {
    const bool off = s->life.read.force_off[i];
    s->life.read.force_off[i] = s->solver.sys.given.force_off[i];
    tn_system_switch(&s->solver.sys, false, i, !off);
  }
}

/* the one that was read becomes that of the system, and the other way round: rank, numbers that are integrated and the length of
 * memories follow from it */
static tn_status exchange_joints(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  for (int i = 0; i < s->m->joints; i++) {
    const bool off = s->life.read.off[i] && s->m->joint[i].switchable;
    s->life.read.off[i] = sys->given.off[i];
    tn_system_switch(sys, true, i, !off);
  }
  tn_status status = tn_start_count(s);
  s->stepper.ode.redundant = s->summary.redundant_rows;
  if (status == TN_OK) status = tn_packed_start(s);
  if (status == TN_OK) s->m->run.integrator->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
  return status;
}

static place place_of(tn_sim *s) {
  const tn_system *sys = &s->solver.sys;
  return (place){.s = s,
                 .complete = tn_knows(sys, TN_LEVEL_FORCES),
                 .dense = tn_knows(sys, TN_LEVEL_MATRICES),
                 .how = (int)sys->given.switching.how,
                 .loads = (int)sys->forces.loads};
}

/* the system where it was, without a trace of that in the solver: what was factored and taken forward there stands */
static tn_status reassemble(const place *p) {
  tn_sim *s = p->s;
  tn_solver *solver = &s->solver;
  tn_system *sys = &solver->sys;
  const bool forward = solver->sparse.forward == sys->known.epoch;
  for (int i = 0; i < s->efforts.loads.n; i++) s->efforts.loads.N[i] = sys->forces.load[s->efforts.loads.force[i]];
  sys->given.switching.how = (tn_how)p->how;
  tn_system_stale(sys);
  if (!p->complete) return TN_OK;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *q = tn_room(s, s->m->nq), *u = tn_room(s, s->m->nu);
  memcpy(q, sys->at.q, sizeof *q * (size_t)s->m->nq);
  memcpy(u, sys->at.u, sizeof *u * (size_t)s->m->nu);
  const tn_status status = tn_solver_at(solver, sys->at.t, q, u, s->e);
  tn_scratch_close(&s->scratch, scope);
  if (status == TN_OK && p->dense) tn_need(sys, TN_LEVEL_MATRICES);
  if (status == TN_OK && s->m->loaded && p->loads != TN_LOADS_NONE) {
    for (int i = 0; i < s->efforts.loads.n; i++) sys->forces.load[s->efforts.loads.force[i]] = s->efforts.loads.N[i];
    tn_forces_loaded(sys);
    sys->forces.loads = (unsigned)p->loads;
  }
  solver->sparse.forward = forward ? sys->known.epoch : 0;
  return status;
}

/* what starts anew, and says so */
static void restart(tn_sim *s) {
  const tn_run *r = &s->m->run;
  const tn_formulation_type *formulation = r->formulation.type;
  if (!r->integrator->keep) {
    r->integrator->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
    s->stepper.h = 0; /* it begins with its lowest order, or with what it chooses itself */
    s->stepper.err_last = 0;
    if (isfinite(s->output.t_row))
      s->output.t_row = fmax(s->output.t_row, s->now.t); /* it knows nothing of the step before */
    tn_log(s, s->now.t, "restart", "the run was resumed here: %s has begun anew without its history",
           r->integrator->name);
  }
  if (!formulation->keep && !s->m->large)
    tn_log(s, s->now.t, "restart", "the run was resumed here: formulation '%s' has begun anew", formulation->name);
  for (int i = 0; i < r->stabilizers; i++) {
    const tn_stabilizer_type *type = r->stabilizer[i].type;
    if (type->keep || !type->memory || !type->memory(r->stabilizer[i].self, &s->solver.sys)) continue;
    tn_log(s, s->now.t, "restart", "the run was resumed here: stabilizer '%s' has begun anew", type->name);
  }
}

/* what numbers that are each possible must be together */
static tn_status sensible(tn_sim *s) {
  const tn_run *r = &s->m->run;
  const double h = r->step, counted = s->stepper.t0 + (double)s->stepper.fixed_steps * h;
  bool good = s->now.t >= s->stepper.t0 && s->before.t <= s->now.t && s->before.t >= s->stepper.t0 &&
              !isnan(s->output.t_row) && s->stepper.h >= 0;
  if (r->fixed) good = good && fabs(s->now.t - counted) <= 1.001 * h + 1e-9 * fabs(s->now.t);
  /* what is named must be there */
  const bool named = (s->m->joints + s->m->owned || !(s->stepper.turning > 0)) &&
                     (s->singular.count || !s->summary.singular_positions) &&
                     s->summary.singular_positions >= s->singular.count;
  const bool guarded = tn_guards_read(s);
  if (good && named && guarded) return TN_OK;
  s->life.stopped = true; /* as it is nothing good would come of it */
  tn_fail(s->e, TN_E_IO, "the saved state contradicts itself: its %s do not fit together",
          !good    ? "times"
          : !named ? "singular positions and turns"
                   : "guards");
  return TN_E_IO;
}

tn_status tn_sim_save(tn_sim *s, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, s, "sim");
  TN_NEED(error, write, "write");
  tn_error_clear(error);
  if (!s->life.started) return tn_fail(error, TN_E_USAGE, "there is nothing to save before the start: tn_sim_start");
  if (s->life.stopped) return tn_fail(error, TN_E_USAGE, "the simulation has stopped: its state is not worth saving");
  if (s->guards.applying)
    return tn_fail(error, TN_E_USAGE, "events act here: a state can be saved between two steps, as from a watch");
  if (!s->m->run.integrator->keep && isfinite(s->output.t_row) && s->output.t_row < s->now.t)
    return tn_fail(error, TN_E_USAGE,
                   "rows inside the last step are still to be given, which %s knows nothing of later",
                   s->m->run.integrator->name);
  place p = place_of(s);
  mask m = {s, s->solver.sys.given.off, s->solver.sys.given.force_off};
  const bool running = s->life.under_way;
  s->life.under_way = true; /* `write` may not change what is being written */
  tn_status status = tn_keep_save(list_mask, &m, s->m->fingerprint, write, user, error);
  if (status == TN_OK) status = tn_keep_save(list, &p, s->m->fingerprint, write, user, error);
  s->life.under_way = running;
  return status;
}

tn_status tn_sim_load(tn_sim *s, const void *data, size_t size, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  TN_NEED(error, data, "data");
  s->e = error ? error : &s->life.spare;
  tn_error_clear(s->e);
  /* both pieces, before anything is begun */
  const uint64_t fingerprint = s->m->fingerprint;
  const size_t used = tn_keep_look(data, size, fingerprint, s->e);
  const unsigned char *rest = (const unsigned char *)data + used;
  if (!used || !tn_keep_look(rest, size - used, fingerprint, s->e)) return TN_E_IO;
  if (!s->life.started) { /* what follows from the model alone */
    const tn_status status = tn_end_run(s, tn_begin_run(s));
    if (status != TN_OK) return status;
  }
  mask m = mask_of(s);
  tn_status status = tn_keep_load(list_mask, &m, fingerprint, data, used, NULL, s->e);
  if (status != TN_OK) return status;
  /* how long the rest is depends on joints that are off: with others of them more than the mask becomes another before it is read */
  const bool other = other_joints(s);
  if (other) status = exchange_joints(s);
  place p = place_of(s);
  if (status == TN_OK) status = tn_keep_load(list, &p, fingerprint, rest, size - used, NULL, s->e);
  if (status != TN_OK && !other) return status;
  if (status != TN_OK) { /* as it was but for ranks and histories: it is not to go on as if nothing had happened */
    const tn_error why = *s->e;
    exchange_joints(s);
    *s->e = why;
    return tn_end_run(s, status);
  }
  exchange_forces(s);
  if (!s->solver.sys.given.idle) s->stepper.ode.redundant = s->summary.redundant_rows;
  s->life.reminded = false;
  s->output.t_motion = NAN;
  status = reassemble(&p);
  if (status == TN_OK) status = sensible(s);
  if (status == TN_OK) restart(s);
  return tn_end_run(s, status);
}
