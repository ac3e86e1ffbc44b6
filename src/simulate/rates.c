/* the ode that integrators see: y = (q, u, states of forces and stabilizers, ledger).
 *   (1) K (udot, lambda) = (f, gamma);  K (udot_s, lambda_s) = (0, -U): the feedback U of the stabilizers
 *   (2) qdot = N (u + s), du/dt = udot + udot_s;  A s = r, s the smallest: what stabilizers add to qdot, mostly nothing
 *   (3) the ledger, and that with s the rate of T + V along it: ledger.c */
#include "simulate/simulate.h"

static tn_stage stage_of(const tn_sim *s, int i, double h) {
  return (tn_stage){
      .h = h, .state = s->solver.sys.at.state + s->m->run.stabilizer[i].state, .room = s->stabilizing.room[i]};
}

/* a step that is cut short, by an event, a switch or the end of the run, has the gains of the whole one: with C/h^2 of a splinter,
 * roundoff of C would move mountains, and smaller ones are stable where the whole step is */
static double gain_length(const tn_sim *s, double h) {
  const double whole = s->m->run.fixed ? s->m->run.step : s->stepper.h;
  return h < 0.5 * whole ? whole : h;
}

/* of those that are held, or not: U, and r of drifts. before the first step there is no length that gains could be tied to */
static void feedback(tn_sim *s, bool held, double *U, double *r) {
  const double h = s->stabilizing.gain_length;
  for (int i = 0; i < s->m->run.stabilizers; i++) {
    const tn_part *p = &s->m->run.stabilizer[i];
    const tn_stabilizer_type *type = p->type;
    const tn_stage at = stage_of(s, i, h);
    if ((!type->feedback && !type->drift) || type->held(p->self) != held) continue;
    if (type->tied_to_step(p->self) && !(h > 0)) continue;
    if (type->needs_matrices) tn_need(&s->solver.sys, TN_LEVEL_MATRICES), tn_need(&s->solver.sys, TN_LEVEL_GENERALIZED);
    if (type->feedback && U) type->feedback(p->self, &s->solver.sys, &at, U);
    if (type->drift && r) type->drift(p->self, &s->solver.sys, &at, r, NULL);
  }
}

/* live part of drifts, all of it that is not held */
static void live_drift(tn_sim *s, double *r) {
  const double h = s->stabilizing.gain_length;
  for (int i = 0; i < s->m->run.stabilizers; i++) {
    const tn_part *p = &s->m->run.stabilizer[i];
    const tn_stabilizer_type *type = p->type;
    const tn_stage at = stage_of(s, i, h);
    if (!type->drift || (type->tied_to_step(p->self) && !(h > 0))) continue;
    type->drift(p->self, &s->solver.sys, &at, type->held(p->self) ? NULL : r, r);
  }
}

tn_status tn_stabilizer_accept(tn_sim *s, int i, double t, double *y, bool *changed) {
  const tn_part *p = &s->m->run.stabilizer[i];
  const tn_stage at = stage_of(s, i, s->stepper.length);
  TN_TRY(tn_at(s, t, y, s->e)); /* one from outside may have left the system elsewhere */
  return ((const tn_stabilizer_type *)p->type)->accept(p->self, &at, &s->solver, t, y, tn_u_of(s, y), changed);
}

tn_status tn_stabilizer_try(tn_sim *s, int i, double t, double *y, bool *changed) {
  const tn_part *p = &s->m->run.stabilizer[i];
  tn_stage at = stage_of(s, i, s->stepper.length);
  TN_TRY(tn_at(s, t, y, s->e));
  at.room = s->stabilizing.rooms_trial + ((unsigned char *)at.room - s->stabilizing.rooms);
  return ((const tn_stabilizer_type *)p->type)->accept(p->self, &at, &s->solver, t, y, tn_u_of(s, y), changed);
}

tn_status tn_rates_begin(void *sim, double t, const double *y, double h) {
  tn_sim *s = sim;
  s->stepper.length = h;
  s->stabilizing.gain_length = gain_length(s, h);
  tn_guards_attempt(s);
  if (!s->stabilizing.held) return TN_OK;
  tn_status status = tn_at(s, t, y, s->e);
  if (status != TN_OK) return status;
  memset(s->stabilizing.U_held, 0, sizeof *s->stabilizing.U_held * (size_t)s->m->rows);
  memset(s->stabilizing.r_held, 0, sizeof *s->stabilizing.r_held * (size_t)s->m->rows);
  feedback(s, true, s->stabilizing.U_held, s->stabilizing.r_held);
  return TN_OK;
}

tn_status tn_solve_motion(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  const tn_status status =
      tn_solver_solve(&s->solver, sys->f, sys->rows.gamma, sys->solved.udot, sys->solved.lambda, s->e);
  return status == TN_OK && s->m->servos ? tn_servos_solve(s) : status;
}

static bool moving(const tn_system *sys) {
  for (int i = 0; i < sys->m->rows; i++)
    if (sys->rows.Ct[i] != 0) return true;
  return false;
}

/* (1) with gamma - U for gamma, which the factorisation takes forward on its way: U is in s->U */
static tn_status solve_together(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  const size_t rows = (size_t)s->m->rows;
  memcpy(s->stabilizing.gamma, sys->rows.gamma, sizeof *s->stabilizing.gamma * rows);
  for (size_t i = 0; i < rows; i++) sys->rows.gamma[i] -= s->stabilizing.U[i];
  tn_system_changed(sys);
  memset(sys->solved.udot_s, 0, sizeof *sys->solved.udot_s * (size_t)s->m->nu);
  memset(sys->solved.lambda_s, 0, sizeof *sys->solved.lambda_s * rows);
  tn_status status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  if (status == TN_OK)
    status = tn_solver_solve(&s->solver, sys->f, sys->rows.gamma, sys->solved.udot, sys->solved.lambda, s->e);
  memcpy(sys->rows.gamma, s->stabilizing.gamma, sizeof *s->stabilizing.gamma * rows);
  tn_system_changed(sys);
  tn_set_solved(sys); /* of the gamma that is meant */
  return status;
}

/* with the system assembled: (1). where nobody asks for the share of the stabilizer, and it needs not to be told from what drivers
 * do, both at once */
static tn_status solve(tn_sim *s, const double *U_held, bool apart) {
  tn_system *sys = &s->solver.sys;
  const int rows = s->m->rows;
  if (s->stabilizing.feedback) {
    for (int i = 0; i < rows; i++) s->stabilizing.U[i] = U_held ? U_held[i] : 0;
    feedback(s, false, s->stabilizing.U, NULL);
    if (!apart && !s->efforts.loads.n && !s->m->servos && !moving(sys)) return solve_together(s);
  }
  tn_status status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  if (status == TN_OK) status = s->efforts.loads.n ? tn_loads_solve(s) : tn_solve_motion(s);
  if (status != TN_OK || !s->stabilizing.feedback) return status;
  for (int i = 0; i < rows; i++) s->stabilizing.U[i] = -s->stabilizing.U[i];
  return tn_solver_solve(&s->solver, NULL, s->stabilizing.U, sys->solved.udot_s, sys->solved.lambda_s, s->e);
}

/* T + V at q moved by x (nu); beside: of each assembly */
static tn_status energy_beside(tn_sim *s, double t, const double *y, const double *x, double step, double *energy,
                               double *beside) {
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *z = tn_room(s, s->n), *way = tn_room(s, s->m->nu), kinetic, potential;
  memcpy(z, y, sizeof *z * (size_t)s->n);
  for (int i = 0; i < s->m->nu; i++) way[i] = step * x[i];
  tn_model_add(s->m, z, way);
  const tn_status status = tn_at(s, t, z, s->e);
  tn_energy_here(&s->solver.sys, &kinetic, &potential);
  *energy = kinetic + potential;
  tn_balance_energies(s, beside);
  tn_scratch_close(&s->scratch, scope);
  return status;
}

/* the rate of T + V at q that moves along x with u as it is, by a difference over a ten-thousandth of a radian or of the length; that
 * of each assembly is added to `work`. the system is elsewhere then */
static tn_status energy_along(tn_sim *s, double t, const double *y, const double *x, double *power, double *work) {
  double most = 0, energy[2], *const forth = s->ledger.balances.before, *const back = s->ledger.balances.beside;
  *power = 0;
  for (int i = 0; i < s->m->nu; i++) most = fmax(most, fabs(x[i]) / s->m->u_length[i]);
  if (!(most > 0)) return TN_OK;
  const double step = 1e-4 / most;
  tn_status status = energy_beside(s, t, y, x, step, &energy[0], forth);
  if (status == TN_OK) status = energy_beside(s, t, y, x, -step, &energy[1], back);
  *power = (energy[0] - energy[1]) / (2 * step);
  for (int i = 0; i < s->ledger.balances.n; i++) work[i] += (forth[i] - back[i]) / (2 * step);
  return status;
}

/* r of all drifts; s into s->drift, and u + s into s->speed */
static tn_status drift(tn_sim *s, const double *u) {
  const int nu = s->m->nu, rows = s->m->rows;
  memcpy(s->stabilizing.r, s->stabilizing.r_held, sizeof *s->stabilizing.r * (size_t)rows);
  if (!s->stabilizing.held || s->stepper.ode.kick) memset(s->stabilizing.r, 0, sizeof *s->stabilizing.r * (size_t)rows);
  live_drift(s, s->stabilizing.r);
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  tn_status status = tn_solver_solve(&s->solver, NULL, s->stabilizing.r, s->stabilizing.drift, tn_room(s, rows), s->e);
  tn_scratch_close(&s->scratch, scope);
  for (int i = 0; i < nu; i++) s->stabilizing.speed[i] = u[i] + s->stabilizing.drift[i];
  return status;
}

/* those that correct the state at every stage do so in a copy */
static tn_status correct_stage(tn_sim *s, double t, const double **y) {
  double *z = s->stabilizing.y_corrected;
  memcpy(z, *y, sizeof *z * (size_t)s->n);
  for (int i = 0; i < s->m->run.stabilizers; i++) {
    const tn_part *p = &s->m->run.stabilizer[i];
    const tn_stabilizer_type *type = p->type;
    if (!type->wants_stages || !type->wants_stages(p->self)) continue;
    tn_system_move_states(&s->solver.sys, *y + s->m->nq + s->m->nu);
    s->solver.e = s->e;
    const tn_stage at = stage_of(s, i, s->stepper.length);
    const tn_status status = type->stage(p->self, &at, &s->solver, t, z, tn_u_of(s, z));
    if (status != TN_OK) return status;
  }
  *y = z;
  return TN_OK;
}

tn_status tn_rates(void *sim, double t, const double *y, double *ydot) {
  tn_sim *s = sim;
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  s->summary.rhs++;
  tn_status status = s->stabilizing.stages ? correct_stage(s, t, &y) : TN_OK;
  if (status == TN_OK) status = tn_at(s, t, y, s->e);
  if (m->switches) tn_guards_notice(s);
  if (status == TN_OK) status = solve(s, s->stepper.ode.kick ? NULL : s->stabilizing.U_held, false);
  if (status == TN_OK && s->stabilizing.drifts) status = drift(s, y + m->nq);
  if (status != TN_OK) return status;
  tn_model_rates(m, y, s->stabilizing.drifts ? s->stabilizing.speed : y + m->nq, ydot);
  double *a = tn_u_of(s, ydot), *w = tn_ledger_of(s, ydot);
  for (int i = 0; i < m->nu; i++) a[i] = sys->solved.udot[i] + sys->solved.udot_s[i];
  for (int i = 0; i < m->states; i++) tn_states_of(s, ydot)[i] = sys->forces.state_rate[i];
  tn_ledger_rates(s, sys->solved.lambda, sys->solved.lambda_s, w);
  for (int i = 0; i < m->run.stabilizers; i++) {
    const tn_part *p = &m->run.stabilizer[i];
    const tn_stage at = stage_of(s, i, s->stepper.length);
    if (p->states)
      ((const tn_stabilizer_type *)p->type)->state_rates(p->self, sys, &at, tn_states_of(s, ydot) + p->state);
  }
  if (!s->stabilizing.drifts) return TN_OK;
  double along;
  status = energy_along(s, t, y, s->stabilizing.drift, &along, w + TN_LEDGERS);
  w[TN_LEDGER_STABILIZER] += along;
  return status;
}

/* z: n numbers of room */
static tn_status kick_with_drift(tn_sim *s, double t, const double *y, double h, double *z, double *dy) {
  const tn_model *m = s->m;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  tn_status status =
      tn_solver_solve(&s->solver, NULL, s->stabilizing.r_held, s->stabilizing.drift, tn_room(s, m->rows), s->e);
  tn_scratch_close(&s->scratch, scope);
  if (status != TN_OK) return status;
  for (int i = 0; i < m->nu; i++) s->stabilizing.drift[i] *= h;
  tn_model_rates(m, y, s->stabilizing.drift, dy);
  const double before = tn_ledger_before(s);
  memcpy(z, y, sizeof *z * (size_t)s->n);
  tn_model_add(m, z, s->stabilizing.drift);
  for (int i = 0; i < m->nu; i++) tn_u_of(s, z)[i] += tn_u_of(s, dy)[i];
  if ((status = tn_at(s, t, z, s->e)) != TN_OK) return status;
  tn_ledger_book(s, TN_LEDGER_STABILIZER, before, dy);
  return TN_OK;
}

/* with the feedback U held at the start of the step, as an impulse:
 *   (4) K (a, lambda_s) = (0, -U), du = h a, dq = N du h/2; where qdot has a drift, which lets nothing of du through: dq = N s h,
 *       A s = r, and the ledger has the change of T + V
 *   (5) what it does to the kinetic energy: (u + du/2)'M du = -h lambda_s'A (u + du/2), with A u = Cdot - Ct, A du = -h U */
tn_status tn_rates_kick(void *sim, double t, const double *y, double h, double *dy) {
  tn_sim *s = sim;
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_status status = tn_at(s, t, y, s->e);
  if (status == TN_OK) status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  for (int i = 0; i < m->rows; i++) s->stabilizing.U[i] = -s->stabilizing.U_held[i];
  if (status == TN_OK)
    status = tn_solver_solve(&s->solver, NULL, s->stabilizing.U, sys->solved.udot_s, sys->solved.lambda_s, s->e);
  if (status != TN_OK) return status;
  double *du = tn_u_of(s, dy), *w = tn_ledger_of(s, dy);
  for (int i = 0; i < m->nu; i++) du[i] = h * h / 2 * sys->solved.udot_s[i];
  tn_model_rates(m, y, du, dy);
  for (int i = 0; i < m->nu; i++) du[i] = h * sys->solved.udot_s[i];
  memset(tn_states_of(s, dy), 0, sizeof *dy * (size_t)m->states);
  memset(w, 0, sizeof *w * (size_t)tn_ledgers(m));
  if (s->stabilizing.drifts) {
    const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
    status = kick_with_drift(s, t, y, h, tn_room(s, s->n), dy);
    tn_scratch_close(&s->scratch, scope);
    return status;
  }
  tn_ledger_kick(s, h, s->stabilizing.U_held, w);
  return TN_OK;
}

tn_status tn_rates_correct(void *sim, double t, double *y, bool *changed) {
  tn_sim *s = sim;
  *changed = false;
  tn_status status = tn_at(s, t, y, s->e);
  if (status != TN_OK) return status;
  const double before = tn_ledger_before(s);
  for (int i = 0; i < s->m->run.stabilizers; i++) {
    const tn_stabilizer_type *type = s->m->run.stabilizer[i].type;
    s->solver.e = s->e;
    if (!type->accept) continue;
    status = tn_stabilizer_accept(s, i, t, y, changed);
    if (status != TN_OK) return status;
  }
  if (!*changed) return TN_OK;
  if ((status = tn_at(s, t, y, s->e)) != TN_OK) return status;
  tn_ledger_book(s, TN_LEDGER_STABILIZER, before, y);
  return TN_OK;
}

tn_status tn_rates_refuse(void *sim, double t, const char *message) {
  tn_sim *s = sim;
  const tn_status status = message ? TN_E_RUN : TN_E_MEMORY;
  tn_fail(s->e, status, "%s", message ? message : "out of memory for the integrator");
  s->e->time = t;
  return status;
}

const char *tn_rates_name(void *sim, int i) {
  const tn_model *m = ((const tn_sim *)sim)->m;
  return i < m->nq ? m->q_name[i] : i < m->nq + m->nu ? m->u_name[i - m->nq] : m->state_name[i - m->nq - m->nu];
}

tn_status tn_solve_at(tn_sim *s, double t, double *y) {
  tn_status status = tn_at(s, t, y, s->e);
  if (status != TN_OK) return status;
  if (!s->stabilizing.held) return solve(s, NULL, true);
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *U = tn_room(s, s->m->rows);
  memset(U, 0, sizeof *U * (size_t)s->m->rows);
  feedback(s, true, U, NULL);
  status = solve(s, U, true);
  tn_scratch_close(&s->scratch, scope);
  return status;
}

tn_status tn_solve_here(tn_sim *s, double t, double *y) {
  tn_pieces_side(s);
  const tn_status status = tn_solve_at(s, t, y);
  /* here and not at stages, which lie off the constraints: there redundant rows contradict each other a little */
  if (status == TN_OK) s->contract.inconsistency = fmax(s->contract.inconsistency, s->solver.inconsistency);
  return status;
}
