/* every number of a simulation, once: one walk over the parts carves their memory, saves and puts back what the next step depends on, and
 * sets to zero what begins with a run. What is new in a part gets its line here, with what is to be done with it, and nobody else has
 * to know. Guards, the solver, the integrator and stabilizers walk over their own: sim.c and saved.c call them.
 *
 * Not saved: what the start makes of the model in every run, and room for numbers that live no longer than a step. */
#include "simulate/simulate.h"

enum {
  ROOM = 0,   /* carved, and no more                     */
  SAVED = 1,  /* any number                              */
  FINITE = 2, /* saved; one that is not finite is refused */
  ZERO = 4,   /* 0 where a run begins                    */
};

/* what a walk is for: one of these is not NULL, or `begin` */
struct tn_walk {
  const tn_model *m;
  tn_carve *carve;
  tn_keep *keep;
  bool begin;
};

static void save(tn_walk *w, const char *name, size_t n, double *x, unsigned how) {
  if (how & FINITE)
    tn_keep_finite(w->keep, name, n, x);
  else if (how & SAVED)
    tn_keep_numbers(w->keep, name, n, x);
}

/* n numbers behind a pointer; one in the struct */
static void numbers(tn_walk *w, const char *name, int n, double **x, unsigned how) {
  assert(n >= 0);
  if (w->carve) *x = TN_CARVE(w->carve, double, n);
  if (w->keep) save(w, name, (size_t)n, *x, how);
  if (w->begin && (how & ZERO)) memset(*x, 0, sizeof **x * (size_t)n);
}

static void number(tn_walk *w, const char *name, double *x, unsigned how) {
  if (w->keep) save(w, name, 1, x, how);
  if (w->begin && (how & ZERO)) *x = 0;
}

static void flags(tn_walk *w, const char *name, int n, bool **x, unsigned how) {
  if (w->carve) *x = TN_CARVE(w->carve, bool, n);
  if (w->keep && how) tn_keep_flags(w->keep, name, (size_t)n, *x);
}

static void flag(tn_walk *w, const char *name, bool *x) {
  if (w->keep) tn_keep_flags(w->keep, name, 1, x);
}

/* an index into so many; where there are none it stands at 0 and is not used */
static void index_of(tn_walk *w, const char *name, int *x, int many) {
  if (w->keep) tn_keep_ints(w->keep, name, 1, x, 0, many > 0 ? many - 1 : 0);
}

static void count(tn_walk *w, const char *name, int64_t *x, unsigned how) {
  if (w->keep && (how & SAVED)) tn_keep_longs(w->keep, name, 1, x);
  if (w->begin && (how & ZERO)) *x = 0;
}

static void group(tn_walk *w, const char *name) {
  if (w->keep) tn_keep_group(w->keep, name);
}

/* ---- the parts -------------------------------------------------------------------------------------------------------------- */

static void walk_life(tn_sim *s, tn_walk *w) {
  flags(w, "mask", w->m->joints, &s->life.read.off, ROOM);
  flags(w, "mask", w->m->forces, &s->life.read.force_off, ROOM);
}

static void walk_states(tn_sim *s, tn_walk *w) {
  number(w, "t", &s->now.t, FINITE);
  numbers(w, "y", s->n, &s->now.y, FINITE);
  number(w, "before.t", &s->before.t, SAVED);
  numbers(w, "before.y", s->n, &s->before.y, SAVED);
  numbers(w, "next.y", s->n, &s->next.y, ROOM);
  numbers(w, "inside.y", s->n, &s->inside.y, ROOM);
}

static void walk_stepper(tn_sim *s, tn_walk *w) {
  tn_stepper *x = &s->stepper;
  int64_t *const effort[] = {&x->effort.jacobians, &x->effort.jacobian_rates, &x->effort.decompositions,
                             &x->effort.iterations, &x->effort.rejected};
  number(w, "t0", &x->t0, FINITE);
  number(w, "length", &x->length, SAVED);
  number(w, "h", &x->h, SAVED | ZERO);
  number(w, "err_last", &x->err_last, SAVED | ZERO);
  number(w, "turning", &x->turning, SAVED);
  index_of(w, "turning_joint", &x->turning_joint, w->m->joints + w->m->owned);
  count(w, "fixed_steps", &x->fixed_steps, SAVED | ZERO);
  flag(w, "unfinished", &x->unfinished);
  number(w, "share", &x->share, FINITE);
  number(w, "longest", &x->longest, FINITE | ZERO);
  for (size_t i = 0; i < sizeof effort / sizeof *effort; i++) count(w, "effort", effort[i], SAVED);
}

static void walk_estimate(tn_sim *s, tn_walk *w) {
  const tn_model *m = w->m;
  tn_scales *x = &s->estimate.scales;
  const int n = m->nu + m->states, groups = w->carve ? n : x->groups; /* as many at most */
  /* components that an error may be the largest of: numbers but the ledger, or those of the motion and of forces */
  index_of(w, "worst", &s->estimate.worst, m->run.by_numbers ? s->n - tn_ledgers(m) : 2 * m->nu + m->states);
  numbers(w, "error", s->n, &s->estimate.error, ROOM);
  numbers(w, "tangent", 2 * m->nu + m->states, &s->estimate.tangent, ROOM);
  double **const by_number[] = {&x->d, &x->dbar, &x->ubar}, **const by_group[] = {&x->s_d, &x->s_u, &x->m_d, &x->m_u},
                 **const attempt[] = {&x->S_d, &x->S_u, &x->w_d, &x->w_u};
  for (size_t i = 0; i < sizeof by_number / sizeof *by_number; i++)
    numbers(w, "motion", n, by_number[i], FINITE | ZERO);
  for (size_t i = 0; i < sizeof by_group / sizeof *by_group; i++)
    numbers(w, "size", groups, by_group[i], FINITE | ZERO);
  for (size_t i = 0; i < sizeof attempt / sizeof *attempt; i++) numbers(w, "attempt", n, attempt[i], ROOM);
  number(w, "h_first", &x->h_first, FINITE | ZERO);
  number(w, "h_long", &x->h_long, FINITE | ZERO);
  numbers(w, "far", m->bodies, &x->far, FINITE);
  numbers(w, "away", m->assemblies + (w->carve != NULL), &x->away, FINITE); /* one without bodies has one too */
  numbers(w, "gone", n, &x->gone, ROOM);
  numbers(w, "twist", m->bodies * m->twist, &x->twist, ROOM);
  numbers(w, "C_d", m->parts + 1, &x->C_d, ROOM);
  numbers(w, "C_u", m->parts + 1, &x->C_u, ROOM);
  numbers(w, "B_d", m->assemblies + 1, &x->B_d, ROOM);
  numbers(w, "B_u", m->assemblies + 1, &x->B_u, ROOM);
  if (w->keep) tn_keep_finite(w->keep, "scale", (size_t)m->rows, s->solver.sys.rows.scale); /* the motion decides it */
}

static void walk_stabilizing(tn_sim *s, tn_walk *w) {
  const tn_model *m = w->m;
  tn_stabilizing *x = &s->stabilizing;
  number(w, "gain_length", &x->gain_length, SAVED);
  numbers(w, "U_held", m->rows, &x->U_held, SAVED);
  numbers(w, "r_held", m->rows, &x->r_held, SAVED);
  numbers(w, "U", m->rows, &x->U, ROOM);
  numbers(w, "gamma", m->rows, &x->gamma, ROOM);
  numbers(w, "r", m->rows, &x->r, ROOM);
  numbers(w, "drift", m->nu, &x->drift, ROOM);
  numbers(w, "speed", m->nu, &x->speed, ROOM);
  numbers(w, "y_corrected", s->n, &x->y_corrected, ROOM);
}

static void walk_contract(tn_sim *s, tn_walk *w) {
  const tn_model *m = w->m;
  tn_contract *x = &s->contract;
  double **const ends[] = {&x->C0, &x->V0, &x->C1, &x->V1};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) numbers(w, "rows", m->rows, ends[i], SAVED);
  numbers(w, "C_row", m->rows, &x->C_row, ROOM);
  numbers(w, "V_row", m->rows, &x->V_row, ROOM);
  for (int i = 0; i < 2; i++) index_of(w, "worst_row", &x->worst_row[i], m->rows);
  number(w, "inconsistency", &x->inconsistency, SAVED);
  if (w->carve) x->drifted = TN_CARVE(w->carve, tn_drift, m->joints);
  for (int i = 0; !w->carve && i < m->joints; i++) {
    tn_drift *d = &x->drifted[i];
    double *const drift[] = {&d->position_max, &d->position_rms, &d->velocity_max, &d->velocity_rms};
    for (size_t k = 0; k < sizeof drift / sizeof *drift; k++) number(w, "drift", drift[k], SAVED | ZERO);
  }
}

static void walk_ledger(tn_sim *s, tn_walk *w) {
  tn_ledger *x = &s->ledger;
  tn_balances *b = &x->balances;
  const int n = b->n = w->m->assemblies > 1 ? w->m->assemblies : 0;
  double **const extremes[] = {&b->max_kinetic, &b->max_potential, &b->max_balance, &b->reach};
  double **const room[] = {&b->kinetic, &b->potential, &b->before, &b->event, &b->across, &b->mass, &b->beside};
  number(w, "energy", &x->energy, SAVED);
  number(w, "max_balance", &x->max_balance, SAVED | ZERO);
  number(w, "max_potential", &x->max_potential, SAVED | ZERO);
  group(w, "balances");
  numbers(w, "energy0", n, &b->energy0, SAVED);
  for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) numbers(w, "assembly", n, extremes[i], SAVED | ZERO);
  for (size_t i = 0; i < sizeof room / sizeof *room; i++) numbers(w, "room", n, room[i], ROOM);
}

static void walk_singular(tn_sim *s, tn_walk *w) {
  const tn_model *m = w->m;
  tn_singular_watch *x = &s->singular;
  tn_passing *p = &x->passing;
  tn_crossing *c = &x->crossing;
  bool *const known[] = {&p->known,  &p->rising, &p->staying,     &p->is_found,
                         &x->beside, &c->inside, &c->accelerates, &c->begins};
  double *const rho[] = {&p->rho,         &p->rho_end,      &p->typical, &p->rho_typical,
                         &x->nearest_rho, &x->nearest_time, &c->t_in,    &c->work_in};
  group(w, "singular positions");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) flag(w, "flag", known[i]);
  for (size_t i = 0; i < sizeof rho / sizeof *rho; i++) number(w, "number", rho[i], SAVED);
  numbers(w, "q_general", m->nq, &x->q_general, FINITE);
  numbers(w, "q_beside", m->nq, &x->q_beside, SAVED);
  numbers(w, "D_typical", m->large ? 0 : m->rows, &x->D_typical, SAVED);
  numbers(w, "value", m->large ? 0 : m->rows, &x->value, ROOM);
  if (w->carve) tn_reflected_carve(&x->look, w->carve, m, true);
  flags(w, "near", m->bodies, &x->near, SAVED);
  count(w, "happened", &c->happened, SAVED);
  index_of(w, "first", &c->first, TN_MOST_SINGULAR + 1);
  numbers(w, "u_in", m->nu, &c->u_in, SAVED);
  numbers(w, "accel", m->nu, &c->accel, SAVED);
}

static void walk_output(tn_sim *s, tn_walk *w) {
  const tn_model *m = w->m;
  tn_output_rows *x = &s->output;
  group(w, "output");
  number(w, "t_row", &x->t_row, SAVED);
  numbers(w, "row", m->columns, &x->row, ROOM);
  numbers(w, "column_base", m->columns, &x->column_base, ROOM);
  numbers(w, "column_other", m->columns, &x->column_other, ROOM);
  numbers(w, "motion", tn_motion_size(m), &x->motion, ROOM);
  flags(w, "column_shared", m->columns, &x->column_shared, SAVED);
  numbers(w, "bad_since", m->columns, &x->bad_since, SAVED | ZERO);
  if (w->carve) {
    x->shared = TN_CARVE(w->carve, tn_shared, m->joints);
    x->bad_rows = TN_CARVE(w->carve, int64_t, m->columns);
  }
  for (int i = 0; !w->carve && i < m->columns; i++) count(w, "bad_rows", &x->bad_rows[i], SAVED | ZERO);
  if (w->keep) tn_keep_ints(w->keep, "bad_outputs", 1, &s->summary.bad_outputs, 0, m->columns);
  if (w->begin) s->summary.bad_outputs = 0;
}

static void walk_log(tn_sim *s, tn_walk *w) {
  tn_cost *x = &s->log.cost;
  double *const spent[] = {&x->cpu, &x->wall, &x->part[TN_TIME_ASSEMBLE], &x->part[TN_TIME_SOLVE],
                           &x->part[TN_TIME_PROJECT]};
  for (size_t i = 0; i < sizeof spent / sizeof *spent; i++) number(w, "spent", spent[i], FINITE);
}

static void walk(tn_sim *s, tn_walk *w) {
  static void (*const part[])(tn_sim *, tn_walk *) = {walk_life,        walk_states,   walk_stepper, walk_estimate,
                                                      walk_stabilizing, walk_contract, walk_ledger,  walk_singular,
                                                      walk_output,      walk_log};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) part[i](s, w);
}

void tn_parts_carve(tn_sim *s, tn_carve *c, const tn_model *m) { walk(s, &(tn_walk){.m = m, .carve = c}); }

void tn_parts_keep(tn_sim *s, tn_keep *k) { walk(s, &(tn_walk){.m = s->m, .keep = k}); }

void tn_parts_begin(tn_sim *s) { walk(s, &(tn_walk){.m = s->m, .begin = true}); }
