/* the energy ledger: where the energy of the motion comes from, in J. its equations, all of them:
 *   (1) T + V - (T + V)_start = W_force + W_driver + W_stabilizer; what remains is the balance, which is roundoff and the error of steps
 *   (2) dW_force/dt = power of forces without a potential;  dW_driver/dt = lambda'Ct, and power of actuators (servo.c);
 *       dW_stabilizer/dt = lambda_s'Ct - (lambda + lambda_s)'Cdot, which is what constraint forces do beside that: together with the
 *       driver they are -(lambda + lambda_s)'A u. dissipated is a part of W_force
 *   (3) what jumps, by projections, impulses or switches, is booked as the difference of T + V
 *   (4) of an impulse h lambda_s that changes u by du, with A u = Cdot - Ct and A du = -h U:
 *       (u + du/2)'M du = -h lambda_s'(Cdot - Ct - h U/2)
 * The same for each assembly, whose work stands behind the four of the whole: balance.c. */
#include "simulate/simulate.h"

void tn_ledger_rates(const tn_sim *s, const double *lambda, const double *lambda_s, double *rate) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  double driver = 0, stabilizer = 0;
  for (int i = 0; i < m->rows; i++) {
    const double ls = lambda_s ? lambda_s[i] : 0;
    driver += lambda[i] * sys->rows.Ct[i];
    stabilizer += ls * sys->rows.Ct[i] - (lambda[i] + ls) * sys->rows.Cdot[i];
  }
  rate[TN_LEDGER_FORCE] = sys->forces.power;
  rate[TN_LEDGER_DRIVER] = m->servos ? driver + tn_servo_power(sys) : driver;
  rate[TN_LEDGER_STABILIZER] = stabilizer;
  rate[TN_LEDGER_DISSIPATED] = sys->forces.dissipated;
  tn_balance_rates(s, lambda, lambda_s, rate + TN_LEDGERS);
}

void tn_ledger_kick(const tn_sim *s, double h, const double *U, double *work) {
  const tn_system *sys = &s->solver.sys;
  for (int i = 0; i < s->m->rows; i++)
    work[TN_LEDGER_STABILIZER] -= h * sys->solved.lambda_s[i] * (sys->rows.Cdot[i] - sys->rows.Ct[i] - h / 2 * U[i]);
  tn_balance_kick(s, h, work + TN_LEDGERS);
}

double tn_ledger_before(tn_sim *s) {
  tn_balance_energies(s, s->ledger.balances.before);
  return tn_energy_of(&s->solver.sys, TN_TOTAL);
}

double tn_ledger_book(tn_sim *s, int whose, double before, double *y) {
  assert(whose >= 0 && whose < TN_LEDGERS);
  const double work = tn_energy_of(&s->solver.sys, TN_TOTAL) - before;
  tn_ledger_of(s, y)[whose] += work;
  tn_balance_book(s, s->ledger.balances.before, y);
  return work;
}

double tn_ledger_unexplained(const tn_sim *s, const double *before, const double *after, double *kinetic) {
  double potential;
  tn_energy_here(&s->solver.sys, kinetic, &potential);
  double off = *kinetic + potential - s->ledger.energy;
  for (int i = TN_LEDGER_FORCE; i <= TN_LEDGER_STABILIZER; i++) off -= after[i] - before[i];
  return off;
}

/* with the system at the state y and its ledger in y */
double tn_watch_energy(tn_sim *s, double *y) {
  tn_system *sys = &s->solver.sys;
  memcpy(sys->ledger, tn_ledger_of(s, y), sizeof sys->ledger);
  double kinetic, potential;
  tn_energy_here(sys, &kinetic, &potential);
  s->summary.max_kinetic = fmax(s->summary.max_kinetic, kinetic);
  s->ledger.max_potential = fmax(s->ledger.max_potential, fabs(potential));
  s->summary.stabilizer_work = fmax(s->summary.stabilizer_work, fabs(sys->ledger[TN_LEDGER_STABILIZER]));
  tn_balance_watch(s, y);
  const double total = kinetic + potential, balance = fabs(tn_energy_balance(sys, total));
  if (!isnan(s->ledger.max_balance) && !(balance <= s->ledger.max_balance))
    s->ledger.max_balance = balance; /* and NaN stays */
  return total;
}

void tn_ledger_begin(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  memset(tn_ledger_of(s, s->now.y), 0, sizeof(double) * (size_t)tn_ledgers(s->m));
  s->ledger.energy = sys->energy0 = tn_energy_of(sys, TN_TOTAL);
  tn_balance_begin(s);
}
