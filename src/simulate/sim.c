/* life of a simulation: one block, carved once; nothing allocates after tn_sim_new. */
#include "simulate/simulate.h"

/* bytes; what is larger is a mistake, and would take the machine with it. a carve never counts more than half of the addresses */
#define TN_SIM_MOST (SIZE_MAX / 2 < UINT64_C(16) << 30 ? SIZE_MAX / 2 : UINT64_C(16) << 30)

/* pieces of scratch that are open at once: poses and rows of a search for a singular position inside a step; a test has the deepest */
enum { DEEP = 8 };

/* likewise, numbers of guards: where events send guards back, and what joints hold is asked */
enum { MARGINS = 8 };

void tn_log(tn_sim *s, double t, const char *kind, const char *format, ...) {
  tn_event *last = &s->log.event[TN_MOST_EVENTS - 1];
  if (s->log.events == TN_MOST_EVENTS) { /* the log is full: the last entry says so and when */
    last->kind = "dropped";
    last->t = t;
    tn_format(last->text, sizeof last->text, "more events than %d: later ones are not listed", TN_MOST_EVENTS);
    return;
  }
  tn_event *e = &s->log.event[s->log.events++];
  va_list args;
  e->t = t;
  e->kind = kind;
  va_start(args, format);
  const int n = tn_vformat(e->text, sizeof e->text, format, args);
  va_end(args);
  tn_show_cut(e->text, sizeof e->text, e->text,
              n >= (int)sizeof e->text); /* expressions stand in it as they were written */
}

/* memory of stabilizers: side by side, and once more for attempts that may not be taken */
static void carve_rooms(tn_sim *s, tn_carve *c, const tn_model *m) {
  enum { APART = 16 }; /* bytes: any number may stand at a multiple of it */
  size_t at = 0;
  s->stabilizing.room = TN_CARVE(c, void *, m->run.stabilizers);
  for (int pass = 0; pass < 2; pass++, s->stabilizing.rooms_size = at) {
    if (pass) s->stabilizing.rooms = tn_carve_bytes(c, at), s->stabilizing.rooms_trial = tn_carve_bytes(c, at);
    if (pass && c->base) memset(s->stabilizing.rooms, 0, at);
    at = 0;
    for (int i = 0; i < m->run.stabilizers; i++) {
      const tn_stabilizer_type *type = m->run.stabilizer[i].type;
      const size_t size = type->memory ? type->memory(m->run.stabilizer[i].self, &s->solver.sys) : 0;
      if (pass && c->base) s->stabilizing.room[i] = s->stabilizing.rooms + at;
      at += (size + APART - 1) / APART * APART;
    }
  }
}

static void carve_scratch(tn_sim *s, tn_carve *c, const tn_model *m) {
  const uint64_t state = (uint64_t)s->n + (uint64_t)m->rows + (uint64_t)m->nu;
  const uint64_t impulse = (uint64_t)m->twist * (uint64_t)m->joints;
  tn_scratch_carve(&s->scratch, c,
                   tn_scratch_need(DEEP, state) + tn_scratch_need(MARGINS, (uint64_t)m->switches) +
                       tn_scratch_need(1, (uint64_t)m->parameters) + tn_scratch_need(1, impulse));
}

static void carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  s->n = m->nq + m->nu + m->states + tn_ledgers(m);
  tn_solver_carve(&s->solver, c, m);
  tn_loads_carve(&s->efforts.loads, c, m);
  tn_sharing_carve(&s->efforts.sharing, c, m);
  s->stepper.work = tn_carve_bytes(c, m->run.integrator->memory(tn_integrator_self(m), s->n));
  tn_parts_carve(s, c, m);
  carve_rooms(s, c, m);
  carve_scratch(s, c, m);
  tn_servos_carve(&s->efforts.servos, c, m);
  tn_start_carve(&s->start, c, m);
  tn_balance_carve(s, c, m);
  tn_scales_carve(s, c, m);
  tn_packed_carve(s, c, m);
  tn_guards_carve(s, c, m);
  tn_events_carve(s, c, m);
  tn_kink_carve(s, c, m);
}

/* what cannot be simulated together */
static tn_status fits(const tn_model *m, tn_error *error) {
  TN_TRY(tn_start_large(m, error));
  if (!tn_packing_of(m)) return TN_OK;
  if (m->large)
    return tn_fail(error, TN_E_MODEL, "a model of %d speeds and %d rows is too large for `%s`", m->nu, m->rows,
                   m->run.formulation.text);
  for (int i = 0; i < m->run.stabilizers; i++) {
    const tn_stabilizer_type *type = m->run.stabilizer[i].type;
    if (type->drift)
      return tn_fail(error, TN_E_MODEL, "stabilizer '%s' acts on qdot, of which `%s` integrates only a part",
                     type->name, m->run.formulation.text);
  }
  return TN_OK;
}

/* one block for the simulation and all that it points to */
static tn_status allocate(const tn_model *m, tn_sim **sim, tn_error *error) {
  tn_sim measure = {0};
  tn_carve c = {NULL, 0};
  TN_CARVE(&c, tn_sim, 1);
  carve(&measure, &c, m);
  const size_t size = c.used;
  if (size > TN_SIM_MOST)
    return tn_fail(error, TN_E_MEMORY, "the simulation of %d coordinates and %d rows needs %.3g GiB, more than %g",
                   m->nq, m->rows, (double)size / 1073741824, (double)TN_SIM_MOST / 1073741824);
  unsigned char *block = tn_block_new(&m->arena.allocator, size);
  if (!block) return tn_fail(error, TN_E_MEMORY, "out of memory: the simulation needs %zu bytes", size);
  c = (tn_carve){block, 0};
  tn_sim *s = *sim = TN_CARVE(&c, tn_sim, 1);
  s->m = m;
  s->life = (tn_life){.references = 1, .allocator = m->arena.allocator, .size = size};
  carve(s, &c, m);
  assert(c.used == size); /* both passes carve the same */
  return TN_OK;
}

/* which of the stabilizers act on rates, and how */
static void look_at_stabilizers(tn_sim *s) {
  const tn_model *m = s->m;
  tn_stabilizing *x = &s->stabilizing;
  for (int i = 0; i < m->run.stabilizers; i++) {
    const tn_part *p = &m->run.stabilizer[i];
    const tn_stabilizer_type *type = p->type;
    if (type->wants_stages && type->wants_stages(p->self)) x->stages = true;
    if (!type->feedback && !type->drift) continue;
    if (type->feedback) x->feedback = true;
    if (type->drift) x->drifts = true;
    if (type->held(p->self)) x->held = true;
    if (type->held(p->self) || type->tied_to_step(p->self)) s->stepper.ode.rates_know_step = true;
  }
}

/* what the integrator sees */
static void make_ode(tn_sim *s) {
  const tn_model *m = s->m;
  const bool implicit = !m->large && !m->servos;
  s->stepper.ode = (tn_ode){.self = s,
                            .n = s->n,
                            .ledgers = tn_ledgers(m),
                            .part = m->parts > 1 ? m->part : NULL,
                            .max_step = m->run.max_step,
                            .by_numbers = m->run.by_numbers,
                            .rows = m->rows,
                            .holonomic = m->holonomic,
                            .effort = &s->stepper.effort,
                            .begin = tn_rates_begin,
                            .rates = tn_rates,
                            .weights = tn_error_weights,
                            .sizes = tn_error_sizes,
                            .correct = tn_rates_correct,
                            .residual = implicit ? tn_dae_residual : NULL,
                            .multipliers = implicit ? tn_dae_multipliers : NULL,
                            .coordinates = m->nq,
                            .speeds = m->nu,
                            .move = tn_dae_move,
                            .tangent = tn_dae_tangent,
                            .name = tn_rates_name,
                            .refuse = tn_rates_refuse};
  look_at_stabilizers(s);
  if (m->run.integrator->keeps_rates && s->stabilizing.held) s->stepper.ode.kick = tn_rates_kick;
}

tn_status tn_sim_new(const tn_model *m, tn_sim **sim, tn_error *error) {
  TN_NEED(error, sim, "sim");
  *sim = NULL;
  TN_NEED(error, m, "model");
  tn_error_clear(error);
  tn_sim *s;
  TN_TRY(fits(m, error));
  TN_TRY(allocate(m, &s, error));
  make_ode(s);
  m->run.integrator->start(tn_integrator_self(m), s->stepper.work, s->n);
  memcpy(s->now.y, m->q0, sizeof *s->now.y * (size_t)m->nq);
  memcpy(tn_states_of(s, s->now.y), m->state0, sizeof *s->now.y * (size_t)m->states);
  if (m->sigma) memcpy(s->start.rows.sigma, m->sigma, sizeof *m->sigma * (size_t)m->rows);
  s->summary.contract_kept = true;
  s->e = &s->life.spare;
  tn_model_hold(m);
  *sim = s;
  return TN_OK;
}

void tn_sim_hold(tn_sim *s) { s->life.references++; }

void tn_sim_drop(tn_sim *s) {
  if (!s || --s->life.references > 0) return;
  const tn_allocator allocator = s->life.allocator;
  const tn_model *m = s->m;
  if (m->run.integrator->end) m->run.integrator->end(s->stepper.work);
  tn_block_free(&allocator, s);
  tn_model_drop(m);
}

void tn_sim_free(tn_sim *s) {
  if (s && !s->life.under_way) tn_sim_drop(s);
}

tn_status tn_sim_may_change(const tn_sim *s, const char *function, tn_error *e) {
  if (!s) return tn_null_argument(e, function, "sim");
  tn_error_clear(e);
  if (!s->life.under_way) return TN_OK;
  tn_fail(e, TN_E_USAGE, "%s: not while the simulation runs", function);
  tn_hint(e, "a watch and a receiver of rows may only read it: end the run first");
  return TN_E_USAGE;
}

int tn_sim_columns(const tn_sim *s) { return s ? s->m->columns : 0; }
const char *tn_sim_column(const tn_sim *s, int i) { return s && i >= 0 && i < s->m->columns ? s->m->column[i] : NULL; }
const char *tn_sim_column_unit(const tn_sim *s, int i) {
  return s && i >= 0 && i < s->m->columns ? s->m->column_unit[i] : NULL;
}
const char *tn_sim_coordinate(const tn_sim *s, int i) { return s && i >= 0 && i < s->m->nq ? s->m->q_name[i] : NULL; }
const char *tn_sim_speed(const tn_sim *s, int i) { return s && i >= 0 && i < s->m->nu ? s->m->u_name[i] : NULL; }
const char *tn_sim_row_joint(const tn_sim *s, int i) {
  return s && i >= 0 && i < s->m->rows ? s->m->joint[s->m->row_joint[i]].name : NULL;
}
void tn_sim_watch(tn_sim *s, tn_watch watch, void *user) {
  if (!s) return;
  s->output.watch = watch;
  s->output.watcher = user;
}
double tn_sim_time(const tn_sim *s) { return s ? s->now.t : (double)NAN; }
int tn_sim_coordinates(const tn_sim *s) { return s ? s->m->nq : 0; }
int tn_sim_speeds(const tn_sim *s) { return s ? s->m->nu : 0; }
const double *tn_sim_q(const tn_sim *s) { return s ? s->now.y : NULL; }
const double *tn_sim_u(const tn_sim *s) { return s ? s->now.y + s->m->nq : NULL; }
bool tn_sim_drift(const tn_sim *s, int i, tn_drift *d) {
  if (!s || !d || i < 0 || i >= s->m->joints) return false;
  const tn_joint *j = &s->m->joint[i];
  *d = s->contract.drifted[i];
  d->joint = j->name;
  d->rows = j->in_tree ? 0 : j->rows + j->rows_velocity;
  const double time = s->now.t - s->stepper.t0;
  d->position_rms = time > 0 ? sqrt(d->position_rms / time) : d->position_max;
  d->velocity_rms = time > 0 ? sqrt(d->velocity_rms / time) : d->velocity_max;
  return true;
}

int tn_sim_states(const tn_sim *s) { return s ? s->m->states : 0; }
const double *tn_sim_state(const tn_sim *s) { return s ? s->now.y + s->m->nq + s->m->nu : NULL; }
const char *tn_sim_state_name(const tn_sim *s, int i) {
  return s && i >= 0 && i < s->m->states ? s->m->state_name[i] : NULL;
}
int tn_sim_remembered(const tn_sim *s) { return s ? s->m->memory : 0; }
const double *tn_sim_memory(const tn_sim *s) { return s ? s->solver.sys.given.memory : NULL; }
const tn_summary *tn_sim_summary(const tn_sim *s) { return s ? &s->summary : NULL; }
int tn_sim_events(const tn_sim *s) { return s ? s->log.events : 0; }
const tn_event *tn_sim_event(const tn_sim *s, int i) {
  return s && i >= 0 && i < s->log.events ? &s->log.event[i] : NULL;
}

tn_status tn_sim_channel(tn_sim *s, const char *name, double *value, tn_error *error) {
  TN_NEED(error, s, "sim");
  TN_NEED(error, name, "name");
  TN_NEED(error, value, "value");
  tn_channel ch;
  tn_error_clear(error);
  if (!tn_model_channel(s->m, name, &ch, error)) {
    if (error) error->status = TN_E_USAGE;
    return TN_E_USAGE;
  }
  tn_error *const before = s->e; /* of a run that is under way, if a watch asks */
  s->e = error ? error : &s->life.spare;
  tn_status status = s->life.started ? TN_OK : tn_sim_start(s, error);
  if (status == TN_OK) status = tn_solve_here(s, s->now.t, s->now.y);
  s->e = before;
  if (status != TN_OK) return status;
  memcpy(s->solver.sys.ledger, tn_ledger_of(s, s->now.y), sizeof s->solver.sys.ledger);
  tn_reactions_here(s);
  tn_channel_eval(&s->solver.sys, &ch, value);
  return TN_OK;
}

/* room for A and for its singular values is that of the start */
static void singular_values(tn_sim *s, tn_eval *e) {
  const int nu = s->m->nu, rows = s->m->rows;
  const bool wide = rows <= nu;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nu; j++)
      s->start.rows.A[wide ? (size_t)i * (size_t)nu + (size_t)j : (size_t)j * (size_t)rows + (size_t)i] =
          s->solver.sys.A[(size_t)i * (size_t)nu + (size_t)j];
  e->values = wide ? rows : nu;
  tn_singular_values(e->values, wide ? nu : rows, s->start.rows.A, s->start.rows.r);
  e->singular_values = s->start.rows.r;
}

/* with the matrices that are shown, not by blocks: to the last digits that these have */
static tn_status solve_densely(tn_sim *s, double t, double *y) {
  const bool ready = s->solver.sparse.ready, quick = s->solver.sparse.quick;
  s->solver.sparse.ready = s->solver.sparse.quick = s->solver.at_mass.ready = false;
  const tn_status status = tn_solve_here(s, t, y);
  s->solver.sparse.ready = ready;
  s->solver.sparse.quick = quick;
  s->solver.at_mass.ready = false;
  return status;
}

/* numbers: 3 nu, then M, then u */
static tn_status coriolis(tn_sim *s, double *room, double *H) {
  tn_system *sys = &s->solver.sys;
  const size_t nu = (size_t)s->m->nu;
  double *M = room + 3 * nu, *u = M + nu * nu;
  TN_TRY(tn_at(s, s->now.t, s->now.y, s->e));
  tn_need(sys, TN_LEVEL_MATRICES);
  memcpy(M, sys->M, sizeof *M * nu * nu);
  memcpy(u, sys->at.u, sizeof *u * nu);
  tn_system_coriolis(sys, u, M, room, H);
  tn_system_stale(sys);
  return tn_at(s, s->now.t, s->now.y, s->e);
}

tn_status tn_sim_coriolis(tn_sim *s, double *matrix, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  TN_NEED(error, matrix, "matrix");
  if (!tn_coriolis_is_known(s->m))
    return s->m->large
               ? tn_fail(error, TN_E_USAGE, "a model of %d speeds is too large for its matrices to be formed", s->m->nu)
               : tn_fail(error, TN_E_USAGE, "coordinates whose chart has no `carry` have no Coriolis matrix");
  const uint64_t nu = (uint64_t)s->m->nu;
  TN_TRY(s->life.started ? TN_OK : tn_sim_start(s, error));
  const tn_allocator allocator = s->life.allocator;
  double *room = tn_block_new(&allocator, (size_t)(sizeof *room * (nu * nu + 4 * nu + 1)));
  if (!room) return tn_fail(error, TN_E_MEMORY, "out of memory");
  s->e = error ? error : &s->life.spare;
  const tn_status status = coriolis(s, room, matrix);
  s->e = &s->life.spare;
  tn_block_free(&allocator, room);
  return status;
}

tn_status tn_sim_eval(tn_sim *s, tn_eval *e, tn_error *error) {
  TN_NEED(error, s, "sim");
  TN_NEED(error, e, "eval");
  tn_error *const before = s->e;
  tn_error_clear(error);
  if (s->m->large) return tn_too_large(s, error);
  s->e = error ? error : &s->life.spare;
  tn_status status = s->life.started ? TN_OK : tn_sim_start(s, error);
  if (status == TN_OK) status = tn_evaluate(s, s->now.t, s->now.y, e);
  s->e = before;
  return status;
}

tn_status tn_too_large(const tn_sim *s, tn_error *error) {
  return tn_fail(error, TN_E_USAGE, "a model of %d speeds and %d rows is too large for its matrices to be formed",
                 s->m->nu, s->m->rows);
}

tn_status tn_evaluate(tn_sim *s, double t, double *y, tn_eval *e) {
  TN_TRY(solve_densely(s, t, y));
  tn_reactions_here(s); /* with the multipliers that are shown */
  tn_need(&s->solver.sys, TN_LEVEL_MATRICES);
  tn_need(&s->solver.sys, TN_LEVEL_GENERALIZED);
  const tn_system *sys = &s->solver.sys;
  *e = (tn_eval){.coordinates = s->m->nq,
                 .speeds = s->m->nu,
                 .rows = s->m->rows,
                 .holonomic = s->m->holonomic,
                 .rank = s->solver.type->rank(s->solver.work),
                 .t = t,
                 .q = sys->at.q,
                 .u = sys->at.u,
                 .M = sys->M,
                 .f = s->m->servos ? tn_servos_force(s) : sys->f,
                 .A = sys->A,
                 .C = sys->rows.C,
                 .Cdot = sys->rows.Cdot,
                 .gamma = sys->rows.gamma,
                 .udot = sys->solved.udot,
                 .lambda = sys->solved.lambda};
  singular_values(s, e);
  return TN_OK;
}
