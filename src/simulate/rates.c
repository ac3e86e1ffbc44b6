/* the ode that integrators see: y = (q, u, states of forces, ledger).
 *   (1) K (udot, lambda) = (f, gamma);  K (udot_s, lambda_s) = (0, -U): the feedback U of the stabilizers
 *   (2) qdot = N u, du/dt = udot + udot_s
 *   (3) ledger: power of forces; of drivers lambda'Ct, and of actuators (servo.c); of the stabilizer lambda_s'Ct - (lambda + lambda_s)'Cdot, which is what
 *       constraint forces do beside that: together they are -(lambda + lambda_s)'A u */
#include "simulate/simulate.h"

static void feedback(tn_sim *s, bool held, double h, double *U) {
  for (int i = 0; i < s->m->run.stabilizers; i++) {
    const tn_part *p = &s->m->run.stabilizer[i];
    const tn_stabilizer_type *type = p->type;
    if (!type->feedback || type->held(p->self) != held) continue;
    if (type->tied_to_step(p->self) && !(h > 0)) continue; /* before the first step there is none */
    type->feedback(p->self, &s->solver.sys, h, U);
  }
}

tn_status tn_rates_begin(void *sim, double t, const double *y, double h) {
  tn_sim *s = sim;
  s->step_length = h;
  tn_switch_attempt(s);
  if (!s->held) return TN_OK;
  tn_status status = tn_at(s, t, y, s->e);
  if (status != TN_OK) return status;
  memset(s->U_held, 0, sizeof *s->U_held * (size_t)s->m->rows);
  feedback(s, true, h, s->U_held);
  return TN_OK;
}

tn_status tn_solve_motion(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  const tn_status status = tn_solver_solve(&s->solver, sys->f, sys->gamma, sys->udot, sys->lambda, s->e);
  return status == TN_OK && s->m->servos ? tn_servos_solve(s) : status;
}

/* with the system assembled: (1) */
static tn_status solve(tn_sim *s, const double *U_held) {
  tn_system *sys = &s->solver.sys;
  const int rows = s->m->rows;
  tn_status status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  if (status == TN_OK) status = s->loads.n ? tn_loads_solve(s) : tn_solve_motion(s);
  if (status != TN_OK || !s->feedback) return status;
  for (int i = 0; i < rows; i++) s->U[i] = U_held ? U_held[i] : 0;
  feedback(s, false, s->step_length, s->U);
  for (int i = 0; i < rows; i++) s->U[i] = -s->U[i];
  return tn_solver_solve(&s->solver, NULL, s->U, sys->udot_s, sys->lambda_s, s->e);
}

tn_status tn_rates(void *sim, double t, const double *y, double *ydot) {
  tn_sim *s = sim;
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  s->summary.rhs++;
  tn_status status = tn_at(s, t, y, s->e);
  if (m->switches) tn_switch_notice(s);
  if (status == TN_OK) status = solve(s, s->ode.kick ? NULL : s->U_held);
  if (status != TN_OK) return status;
  tn_model_rates(m, y, y + m->nq, ydot);
  double *a = tn_u_of(s, ydot), *w = tn_ledger_of(s, ydot);
  for (int i = 0; i < m->nu; i++) a[i] = sys->udot[i] + sys->udot_s[i];
  for (int i = 0; i < m->states; i++) tn_states_of(s, ydot)[i] = sys->state_rate[i];
  double driver = 0, stabilizer = 0;
  for (int i = 0; i < m->rows; i++) {
    driver += sys->lambda[i] * sys->Ct[i];
    stabilizer += sys->lambda_s[i] * sys->Ct[i] - (sys->lambda[i] + sys->lambda_s[i]) * sys->Cdot[i];
  }
  w[TN_LEDGER_FORCE] = sys->power;
  w[TN_LEDGER_DRIVER] = m->servos ? driver + tn_servo_power(sys) : driver;
  w[TN_LEDGER_STABILIZER] = stabilizer;
  w[TN_LEDGER_DISSIPATED] = sys->dissipated;
  return TN_OK;
}

/* with the feedback U held at the start of the step, as an impulse:
 *   (4) K (a, lambda_s) = (0, -U), du = h a, dq = N du h/2
 *   (5) what it does to the kinetic energy: (u + du/2)'M du = -h lambda_s'A (u + du/2), with A u = Cdot - Ct, A du = -h U */
tn_status tn_rates_kick(void *sim, double t, const double *y, double h, double *dy) {
  tn_sim *s = sim;
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_status status = tn_at(s, t, y, s->e);
  if (status == TN_OK) status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  for (int i = 0; i < m->rows; i++) s->U[i] = -s->U_held[i];
  if (status == TN_OK) status = tn_solver_solve(&s->solver, NULL, s->U, sys->udot_s, sys->lambda_s, s->e);
  if (status != TN_OK) return status;
  double *du = tn_u_of(s, dy), *w = tn_ledger_of(s, dy);
  for (int i = 0; i < m->nu; i++) du[i] = h * h / 2 * sys->udot_s[i];
  tn_model_rates(m, y, du, dy);
  for (int i = 0; i < m->nu; i++) du[i] = h * sys->udot_s[i];
  memset(tn_states_of(s, dy), 0, sizeof *dy * (size_t)m->states);
  memset(w, 0, sizeof *w * TN_LEDGERS);
  for (int i = 0; i < m->rows; i++)
    w[TN_LEDGER_STABILIZER] -= h * sys->lambda_s[i] * (sys->Cdot[i] - sys->Ct[i] - h / 2 * s->U_held[i]);
  return TN_OK;
}

tn_status tn_rates_correct(void *sim, double t, double *y, bool *changed) {
  tn_sim *s = sim;
  *changed = false;
  tn_status status = tn_at(s, t, y, s->e);
  if (status != TN_OK) return status;
  const double before = tn_energy_of(&s->solver.sys, TN_TOTAL);
  for (int i = 0; i < s->m->run.stabilizers; i++) {
    const tn_stabilizer_type *type = s->m->run.stabilizer[i].type;
    s->solver.e = s->e;
    if (!type->accept) continue;
    status = type->accept(s->m->run.stabilizer[i].self, &s->solver, t, y, tn_u_of(s, y), changed);
    if (status != TN_OK) return status;
  }
  if (!*changed) return TN_OK;
  if ((status = tn_at(s, t, y, s->e)) != TN_OK) return status;
  tn_ledger_of(s, y)[TN_LEDGER_STABILIZER] += tn_energy_of(&s->solver.sys, TN_TOTAL) - before;
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

tn_status tn_solve_here(tn_sim *s, double t, double *y) {
  tn_switch_live(s);
  tn_status status = tn_at(s, t, y, s->e);
  if (status != TN_OK) return status;
  if (s->held) {
    memset(s->C_row, 0, sizeof *s->C_row * (size_t)s->m->rows);
    feedback(s, true, s->step_length, s->C_row);
  }
  status = solve(s, s->held ? s->C_row : NULL);
  /* here and not at stages, which lie off the constraints: there redundant rows contradict each other a little */
  if (status == TN_OK) s->inconsistency = fmax(s->inconsistency, s->solver.inconsistency);
  return status;
}
