/* the motion with its multipliers as unknowns, for integrators of implicit equations: the stabilised index-2 form of Gear, Gupta
 * & Leimkuhler 1985,
 *   (1) qdot - N (u - A_h'mu) = 0,  M udot + A'lambda - f = 0
 *   (2) states of forces and the ledgers, as in rates.c
 *   (3) Cdot = 0, all rows;  C = 0, the holonomic ones
 * mu is zero where both of (3) hold, but for errors. */
#include "simulate/simulate.h"

tn_status tn_dae_residual(void *sim, double t, const double *y, const double *ydot, const double *lambda,
                          const double *mu, double *r) {
  tn_sim *s = sim;
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  const int nq = m->nq, nu = m->nu;
  s->summary.rhs++;
  tn_status status = tn_at(s, t, y, s->e);
  if (status == TN_OK && s->efforts.loads.n) status = tn_loads_given(s, ydot + nq, lambda);
  if (status != TN_OK) return status;
  tn_need(sys, TN_LEVEL_MATRICES);
  tn_need(sys, TN_LEVEL_GENERALIZED);
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  const double *udot = ydot + nq, *xdot = udot + nu, *wdot = xdot + m->states;
  double *ru = r + nq, *rx = ru + nu, *rw = rx + m->states, *rv = rw + tn_ledgers(m), *rc = rv + m->rows,
         *v = tn_room(s, nu);
  for (int j = 0; j < nu; j++) {
    v[j] = y[nq + j];
    ru[j] = -sys->f[j];
    for (int i = 0; i < nu; i++) ru[j] += sys->M[(size_t)j * (size_t)nu + (size_t)i] * udot[i];
  }
  for (int i = 0; i < m->rows; i++) {
    const double *row = sys->A + (size_t)i * (size_t)nu;
    for (int j = 0; j < nu; j++) ru[j] += row[j] * lambda[i];
    for (int j = 0; i < m->holonomic && j < nu; j++) v[j] -= row[j] * mu[i];
    const bool off = sys->given.off[m->row_joint[i]]; /* then it has no effort instead */
    rv[i] = off ? lambda[i] : sys->rows.Cdot[i];
    if (i < m->holonomic) rc[i] = off ? mu[i] : sys->rows.C[i];
  }
  tn_model_rates(m, y, v, r);
  for (int i = 0; i < nq; i++) r[i] = ydot[i] - r[i];
  for (int i = 0; i < m->states; i++) rx[i] = xdot[i] - sys->forces.state_rate[i];
  tn_ledger_rates(s, lambda, NULL, rw);
  for (int i = 0; i < tn_ledgers(m); i++) rw[i] = wdot[i] - rw[i];
  tn_scratch_close(&s->scratch, scope);
  return TN_OK;
}

void tn_dae_move(void *sim, double *y, const double *x) { tn_model_add(((const tn_sim *)sim)->m, y, x); }

void tn_dae_tangent(void *sim, const double *y, const double *dq, double *x) {
  tn_model_tangent(((const tn_sim *)sim)->m, y, dq, x);
}

tn_status tn_dae_multipliers(void *sim, double t, const double *y, double *ydot, double *lambda) {
  tn_sim *s = sim;
  tn_status status = tn_rates(s, t, y, ydot);
  for (int i = 0; status == TN_OK && i < s->m->rows; i++) lambda[i] = s->solver.sys.solved.lambda[i];
  return status;
}
