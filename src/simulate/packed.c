/* the vector z that the integrator sees, where it is not y: other numbers than (q, u), and behind them, as in y, states of forces and
 * the ledger. the simulation keeps the state y as ever; z goes with it. There are two kinds.
 *   turns:   as many numbers, with angular speeds along the axes of the bodies: z = (q, T(q) u), zdot = (qdot, T udot); tn_chart.to_own
 *   packing: of a formulation that integrates fewer numbers. Which numbers z has changes between steps only, so that output inside the
 *            last step is unpacked as it was packed; an integrator then starts anew. */
#include "simulate/simulate.h"

enum { MOST_LOGGED = 8 }; /* changes of the set; the summary counts all */

static const void *self_of(const tn_sim *s) { return s->m->run.formulation.self; }

const tn_packing *tn_packing_of(const tn_model *m) {
  const tn_formulation_type *type = m->run.formulation.type;
  return type->packing && type->packing->wanted(m->run.formulation.self) ? type->packing : NULL;
}

void tn_packed_carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  const tn_packing *p = s->packed.packing = tn_packing_of(m);
  s->packed.turns = !p && tn_model_turns(m);
  s->packed.indirect = p || s->packed.turns;
  const size_t n = s->packed.indirect ? (size_t)s->n : 0;
  assert(!c->base || s->inside.y); /* states are carved before */
  s->packed.memory = tn_carve_bytes(c, p ? p->memory(m->run.formulation.self, &s->solver.sys) : 0);
  if (p && c->base) p->prepare(m->run.formulation.self, s->packed.memory, &s->solver.sys);
  double **vectors[] = {&s->now.z,        &s->before.z,       &s->next.z,       &s->inside.z,
                        &s->packed.error, &s->packed.y_stage, &s->packed.y_rate};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = TN_CARVE(c, double, n);
  if (s->packed.indirect) return;
  tn_state *const states[] = {&s->now, &s->before, &s->next, &s->inside};
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) states[i]->z = states[i]->y;
  s->packed.error = s->estimate.error;
}

/* states and ledger: in z from here on, and of y */
static int tail_at(const tn_sim *s) { return s->stepper.ode.n - s->m->states - tn_ledgers(s->m); }
static double *tail_of(const tn_sim *s, double *y) { return tn_states_of(s, y); }

static void copy_tail(const tn_sim *s, double *to, const double *from) {
  memcpy(to, from, sizeof *to * (size_t)(s->m->states + tn_ledgers(s->m)));
}

/* (q, u) of y with speeds along the axes of bodies, into z; and back */
static void turn(const tn_sim *s, const double *y, double *z) {
  const tn_model *m = s->m;
  memcpy(z, y, sizeof *z * (size_t)m->nq);
  tn_model_to_own(m, y, y + m->nq, z + m->nq);
}

static void turn_back(const tn_sim *s, const double *z, double *y) {
  const tn_model *m = s->m;
  memcpy(y, z, sizeof *y * (size_t)m->nq);
  tn_model_from_own(m, z, z + m->nq, y + m->nq);
}

static tn_status pack(tn_sim *s) {
  s->solver.e = s->e;
  copy_tail(s, s->now.z + tail_at(s), tail_of(s, s->now.y));
  if (s->packed.turns) {
    turn(s, s->now.y, s->now.z);
    return TN_OK;
  }
  return s->packed.packing->pack(self_of(s), s->packed.memory, &s->solver, s->now.t, s->now.y, tn_u_of(s, s->now.y),
                                 s->now.z);
}

static tn_status unpack(tn_sim *s, double t, const double *z, double *y) {
  if (s->packed.turns) {
    turn_back(s, z, y);
    copy_tail(s, tail_of(s, y), z + tail_at(s));
    return TN_OK;
  }
  s->solver.e = s->e;
  tn_status status = s->packed.packing->unpack(self_of(s), s->packed.memory, &s->solver, t, z, y, tn_u_of(s, y));
  copy_tail(s, tail_of(s, y), z + tail_at(s));
  return status;
}

static tn_status begin(void *sim, double t, const double *z, double h) {
  tn_sim *s = sim;
  (void)z; /* that of the present state */
  memcpy(s->packed.y_stage, s->now.y, sizeof *s->now.y * (size_t)s->n);
  return tn_rates_begin(s, t, s->packed.y_stage, h);
}

static tn_status rates(void *sim, double t, const double *z, double *zdot) {
  tn_sim *s = sim;
  tn_status status = unpack(s, t, z, s->packed.y_stage);
  if (status == TN_OK) status = tn_rates(s, t, s->packed.y_stage, s->packed.y_rate);
  if (status != TN_OK) return status;
  if (s->packed.turns) {
    memcpy(zdot, s->packed.y_rate, sizeof *zdot * (size_t)s->m->nq);
    tn_model_to_own(s->m, z, tn_u_of(s, s->packed.y_rate), zdot + s->m->nq);
  } else {
    s->packed.packing->rates(self_of(s), s->packed.memory, &s->solver.sys, s->packed.y_rate,
                             tn_u_of(s, s->packed.y_rate), zdot);
  }
  copy_tail(s, zdot + tail_at(s), tail_of(s, s->packed.y_rate));
  return TN_OK;
}

static tn_status kick(void *sim, double t, const double *z, double h, double *dz) {
  tn_sim *s = sim;
  tn_status status = tn_rates_kick(s, t, s->now.y, h, s->packed.y_rate);
  if (status != TN_OK) return status;
  if (s->packed.turns) { /* not T du: q moves along */
    for (int i = 0; i < s->n; i++) s->packed.y_stage[i] = s->now.y[i] + s->packed.y_rate[i];
    turn(s, s->packed.y_stage, dz);
    for (int i = 0; i < tail_at(s); i++) dz[i] -= z[i];
    copy_tail(s, dz + tail_at(s), tail_of(s, s->packed.y_rate));
    memcpy(s->packed.y_stage, s->now.y, sizeof *s->now.y * (size_t)s->n);
    return TN_OK;
  }
  const tn_system *sys = &s->solver.sys;
  s->packed.packing->rates(self_of(s), s->packed.memory, sys, s->packed.y_rate, tn_u_of(s, s->packed.y_rate), dz);
  memset(s->packed.y_stage, 0, sizeof *s->now.y * (size_t)s->n); /* without what rates have of their own */
  s->packed.packing->rates(self_of(s), s->packed.memory, sys, s->packed.y_stage, s->packed.y_stage + s->m->nq,
                           s->inside.z);
  for (int i = 0; i < tail_at(s); i++) dz[i] -= s->inside.z[i];
  copy_tail(s, dz + tail_at(s), tail_of(s, s->packed.y_rate));
  memcpy(s->packed.y_stage, s->now.y, sizeof *s->now.y * (size_t)s->n);
  return TN_OK;
}

static void weights(void *sim, const double *z, double *wz) {
  tn_sim *s = sim;
  if (s->packed.turns) { /* a group of speeds of one unit has one weight */
    tn_error_weights(s, z, wz);
    return;
  }
  tn_error_weights(s, s->now.y, s->packed.y_rate); /* about those of the present state */
  s->packed.packing->weights(self_of(s), s->packed.memory, &s->solver.sys, s->packed.y_rate, wz);
  copy_tail(s, wz + tail_at(s), tail_of(s, s->packed.y_rate));
}

/* what is corrected is the state, and z takes from it what it adopts */
static tn_status correct(void *sim, double t, double *z, bool *changed) {
  tn_sim *s = sim;
  memcpy(s->packed.y_stage, s->now.y, sizeof *s->now.y * (size_t)s->n);
  tn_status status = unpack(s, t, z, s->packed.y_stage);
  if (status == TN_OK) status = tn_rates_correct(s, t, s->packed.y_stage, changed);
  if (status != TN_OK) return status;
  if (s->packed.packing) s->packed.packing->adopt(self_of(s), s->packed.memory, &s->solver.sys, s->packed.y_stage, z);
  if (s->packed.turns && *changed) turn(s, s->packed.y_stage, z);
  copy_tail(s, z + tail_at(s), tail_of(s, s->packed.y_stage));
  return TN_OK;
}

static const char *name(void *sim, int i) {
  const tn_model *m = ((const tn_sim *)sim)->m;
  return i >= m->nq && i < m->nq + m->nu ? m->own_name[i - m->nq] : tn_rates_name(sim, i);
}

/* residuals are along the axes of u: they are zero for the same motion */
static tn_status residual(void *sim, double t, const double *z, const double *zdot, const double *lambda,
                          const double *mu, double *r) {
  tn_sim *s = sim;
  const tn_model *m = s->m;
  tn_status status = unpack(s, t, z, s->packed.y_stage);
  memcpy(s->packed.y_rate, zdot, sizeof *zdot * (size_t)s->n);
  tn_model_from_own(m, z, zdot + m->nq, s->packed.y_rate + m->nq);
  return status == TN_OK ? tn_dae_residual(s, t, s->packed.y_stage, s->packed.y_rate, lambda, mu, r) : status;
}

/* a tangent is an integral of the speeds that z has: along the axes of bodies */
static void move(void *sim, double *z, const double *x) {
  tn_sim *s = sim;
  double *along_u = tn_u_of(s, s->packed.y_rate);
  tn_model_from_own(s->m, z, x, along_u);
  tn_model_add(s->m, z, along_u);
}

static void tangent(void *sim, const double *z, const double *dq, double *x) {
  tn_sim *s = sim;
  double *along_u = tn_u_of(s, s->packed.y_rate);
  tn_model_tangent(s->m, z, dq, along_u);
  tn_model_to_own(s->m, z, along_u, x);
}

static tn_status multipliers(void *sim, double t, const double *z, double *zdot, double *lambda) {
  tn_sim *s = sim;
  const tn_status status = rates(s, t, z, zdot);
  for (int i = 0; status == TN_OK && i < s->m->rows; i++) lambda[i] = s->solver.sys.solved.lambda[i];
  return status;
}

static void use_z(tn_sim *s) {
  s->stepper.ode.begin = begin;
  s->stepper.ode.rates = rates;
  s->stepper.ode.weights = weights;
  s->stepper.ode.correct = correct;
  if (s->stepper.ode.kick) s->stepper.ode.kick = kick;
}

tn_status tn_packed_start(tn_sim *s) {
  bool changed = false;
  int n;
  s->stepper.ode.n = s->n;
  if (!s->packed.indirect) return TN_OK;
  use_z(s);
  if (s->packed.turns) {
    s->stepper.ode.name = name;
    if (s->stepper.ode.residual) s->stepper.ode.residual = residual;
    if (s->stepper.ode.multipliers) s->stepper.ode.multipliers = multipliers;
    s->stepper.ode.move = move;
    s->stepper.ode.tangent = tangent;
    return pack(s);
  }
  s->solver.e = s->e;
  tn_status status = s->packed.packing->count(self_of(s), s->packed.memory, &s->solver, s->now.t, s->singular.q_general,
                                              tn_u_of(s, s->now.y), s->solver.rank, &n);
  if (status != TN_OK) return status;
  s->stepper.ode.n = n + s->m->states + tn_ledgers(s->m);
  s->stepper.ode.sizes = NULL; /* numbers of z are what they are */
  s->stepper.ode.part = NULL;
  s->stepper.ode.residual = NULL;
  s->stepper.ode.multipliers = NULL;
  s->stepper.ode.coordinates = s->stepper.ode.speeds = 0;
  s->stepper.ode.move = NULL;
  s->stepper.ode.tangent = NULL;
  s->stepper.ode.name = NULL;
  s->summary.set_changes = 0;
  status = s->packed.packing->choose(self_of(s), s->packed.memory, &s->solver, s->now.t, s->now.y, tn_u_of(s, s->now.y),
                                     TN_AT_START, &changed);
  if (status == TN_OK) status = pack(s);
  /* the system as others have left it */
  return status == TN_OK ? tn_at(s, s->now.t, s->now.y, s->e) : status;
}

tn_status tn_packed_renew(tn_sim *s, tn_choice when, bool *changed) {
  *changed = false;
  if (!s->packed.packing) return TN_OK;
  s->solver.e = s->e;
  tn_status status = s->packed.packing->choose(self_of(s), s->packed.memory, &s->solver, s->now.t, s->now.y,
                                               tn_u_of(s, s->now.y), when, changed);
  if (status != TN_OK || !*changed) return status;
  if (s->summary.set_changes++ < MOST_LOGGED) {
    char text[120];
    s->packed.packing->names(self_of(s), s->packed.memory, &s->solver.sys, text, sizeof text);
    tn_log(s, s->now.t, "partition", "independent from here: %s", text);
  }
  s->m->run.integrator->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
  return pack(s);
}

/* the error of z is judged by what it does to the state: numbers that follow from others have the error of all of these */
tn_status tn_packed_end(tn_sim *s, double t, bool adaptive) {
  const tn_model *m = s->m;
  double *other = s->packed.y_rate;
  if (!s->packed.indirect) {
    if (!adaptive) return TN_OK;
    tn_model_tangent(m, s->next.y, s->estimate.error, s->estimate.tangent);
    memcpy(s->estimate.tangent + m->nu, s->estimate.error + m->nq,
           sizeof *s->estimate.error * (size_t)(m->nu + m->states));
    return TN_OK;
  }
  memcpy(s->next.y, s->packed.y_stage, sizeof *s->now.y * (size_t)s->n);
  tn_status status = unpack(s, t, s->next.z, s->next.y);
  if (status != TN_OK || !adaptive) return status;
  if (s->packed.turns) {
    tn_model_tangent(m, s->next.y, s->packed.error, s->estimate.tangent);
    tn_model_from_own(m, s->next.y, s->packed.error + m->nq, s->estimate.tangent + m->nu);
    tn_model_carry(m, tn_u_of(s, s->next.y), s->estimate.tangent, 1, s->estimate.tangent + m->nu);
    memcpy(s->estimate.tangent + 2 * m->nu, s->packed.error + tail_at(s), sizeof *s->packed.error * (size_t)m->states);
    return TN_OK;
  }
  for (int i = 0; i < s->stepper.ode.n; i++) s->inside.z[i] = s->next.z[i] + s->packed.error[i];
  memcpy(other, s->next.y, sizeof *s->now.y * (size_t)s->n);
  if ((status = unpack(s, t, s->inside.z, other)) != TN_OK) return status;
  for (int i = 0; i < m->nq + m->nu; i++) other[i] -= s->next.y[i];
  tn_model_tangent(m, s->next.y, other, s->estimate.tangent);
  memcpy(s->estimate.tangent + m->nu, tn_u_of(s, other), sizeof *other * (size_t)m->nu);
  memcpy(s->estimate.tangent + 2 * m->nu, s->packed.error + tail_at(s), sizeof *other * (size_t)m->states);
  return TN_OK;
}

void tn_packed_own_error(tn_sim *s) {
  if (s->packed.turns)
    tn_model_carry(s->m, tn_u_of(s, s->next.y), s->estimate.tangent, -1, s->estimate.tangent + s->m->nu);
}

tn_status tn_packed_accept(tn_sim *s, double t, double *y, bool *changed) {
  if (!s->packed.indirect) return TN_OK;
  if (s->packed.turns) {
    if (*changed) turn(s, y, s->now.z);
    return TN_OK;
  }
  memcpy(s->inside.z, s->now.z, sizeof *s->now.z * (size_t)s->stepper.ode.n);
  s->packed.packing->adopt(self_of(s), s->packed.memory, &s->solver.sys, y, s->now.z);
  *changed = memcmp(s->inside.z, s->now.z, sizeof *s->now.z * (size_t)s->stepper.ode.n) != 0;
  copy_tail(s, s->now.z + tail_at(s), tail_of(s, y));
  return unpack(s, t, s->now.z, y);
}

void tn_packed_ledger(tn_sim *s) {
  if (s->packed.indirect) copy_tail(s, s->now.z + tail_at(s), tail_of(s, s->now.y));
}

/* a search begins on the line between the ends of the step */
tn_status tn_packed_inside(tn_sim *s, double t, double theta, const double *from, const double *to) {
  tn_status status =
      s->m->run.integrator->dense(s->stepper.work, &s->stepper.ode, theta * s->stepper.share, s->inside.z);
  if (status != TN_OK || !s->packed.indirect) return status;
  for (int i = 0; s->packed.packing && i < s->n; i++) s->inside.y[i] = (1 - theta) * from[i] + theta * to[i];
  return unpack(s, t, s->inside.z, s->inside.y);
}

tn_status tn_packed_again(tn_sim *s, double t) {
  s->packed.packing->adopt(self_of(s), s->packed.memory, &s->solver.sys, s->inside.y, s->inside.z);
  tn_status status = unpack(s, t, s->inside.z, s->inside.y);
  return status == TN_OK ? tn_at(s, t, s->inside.y, s->e) : status;
}
