/* the energy balance of each assembly, beside that of the whole model. An assembly is what joints tie together (model/assemblies.c);
 * forces that act across its boundary are cut and count as work on it:
 *   (1) b_s = T_s + V_s - (T_s + V_s)_start - W_s
 *   (2) dW_s/dt = sum_inside p + sum_across (F'v + tau'w)_on s + sum_servos effort rate - sum_rows (lambda + lambda_s) (Cdot - Ct)
 * p is the power of a force without its potential. V_s has gravity and what forces inside s, or between s and the ground, store. What
 * drivers, stabilizers and constraint forces off the constraints do is the last term, as in rates.c.
 * W_s is a number of y behind the four ledgers of the whole. What jumps, by projections, impulses or switches, is booked as the
 * difference of T_s + V_s. A model of one assembly has none of this: its balance is that of the whole. */
#include "simulate/simulate.h"

static const double RESTING = 1e-9;         /* of V: what T is where nothing moves */
static const double ROUNDOFF = 16 * TN_EPS; /* of the terms of a balance: as good as none */
static const double CREEP = 1e-12;          /* of a length, per second: a motion that nobody sees */

void tn_balance_carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  tn_balances *b = &s->ledger.balances;
  const int n = b->n;
  b->row = TN_CARVE(c, int, n ? m->rows : 0);
  if (!c->base || !n) return;
  memset(b->mass, 0, sizeof *b->mass * (size_t)n);
  for (int i = 0; i < m->bodies; i++) b->mass[m->assembly[i]] += m->body[i].mass;
  for (int i = 0; i < m->rows; i++) b->row[i] = m->joint_assembly[m->row_joint[i]];
}

static double *work_of(const tn_sim *s, double *y) { return tn_ledger_of(s, y) + TN_LEDGERS; }

void tn_balance_rates(const tn_sim *s, const double *lambda, const double *lambda_s, double *rate) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  const tn_balances *b = &s->ledger.balances;
  if (!b->n) return;
  memset(rate, 0, sizeof *rate * (size_t)b->n);
  for (int i = 0; i < m->forces; i++) {
    const int at = m->force_assembly[i];
    if (at >= 0) rate[at] += sys->forces.out[i].power;
    for (int k = 0; at == TN_ACROSS && k < m->force[i].frames; k++)
      if (m->force[i].spot[k].body >= 0)
        rate[m->assembly[m->force[i].spot[k].body]] += sys->forces.side_power[2 * i + k];
  }
  for (int i = 0; i < m->rows; i++)
    if (b->row[i] >= 0)
      rate[b->row[i]] -= (lambda[i] + (lambda_s ? lambda_s[i] : 0)) * (sys->rows.Cdot[i] - sys->rows.Ct[i]);
  for (int i = 0; i < m->servos; i++) {
    const int at = m->joint_assembly[m->servo[i].joint];
    if (at >= 0) rate[at] += sys->solved.effort[i] * tn_servo_rate(sys, i);
  }
}

void tn_balance_energies(const tn_sim *s, double *energy) {
  const tn_balances *b = &s->ledger.balances;
  if (!b->n) return;
  tn_energy_by_assembly(&s->solver.sys, energy, b->potential);
  for (int i = 0; i < b->n; i++) energy[i] += b->potential[i];
}

void tn_balance_book(const tn_sim *s, const double *before, double *y) {
  const tn_balances *b = &s->ledger.balances;
  if (!b->n) return;
  double *work = work_of(s, y);
  tn_balance_energies(s, b->kinetic);
  for (int i = 0; i < b->n; i++) work[i] += b->kinetic[i] - before[i];
}

void tn_balance_kick(const tn_sim *s, double h, double *work) {
  const tn_system *sys = &s->solver.sys;
  const tn_balances *b = &s->ledger.balances;
  for (int i = 0; b->n && i < s->m->rows; i++)
    if (b->row[i] >= 0)
      work[b->row[i]] -=
          h * sys->solved.lambda_s[i] * (sys->rows.Cdot[i] - sys->rows.Ct[i] - h / 2 * s->stabilizing.U_held[i]);
}

/* how far from the origin the bodies of each are, if that is more: roundoff of their places goes with it */
static void measure_reach(const tn_sim *s, double *reach) {
  for (int i = 0; s->ledger.balances.n && i < s->m->bodies; i++) {
    double r[3] = {0}, *most = &reach[s->m->assembly[i]];
    tn_body_origin(&s->solver.sys, i, r);
    const double distance = hypot(hypot(r[0], r[1]), r[2]);
    if (isfinite(distance)) *most = fmax(*most, distance);
  }
}

void tn_balance_begin(tn_sim *s) {
  tn_balances *b = &s->ledger.balances;
  if (!b->n) return;
  tn_balance_energies(s, b->energy0);
  measure_reach(s, b->reach);
}

/* what forces between assemblies store is as much a scale for the roundoff of either as its own V */
static void stored_across(const tn_sim *s, double *energy) {
  const tn_model *m = s->m;
  memset(energy, 0, sizeof *energy * (size_t)s->ledger.balances.n);
  for (int i = 0; i < m->forces; i++)
    for (int k = 0; m->force_assembly[i] == TN_ACROSS && k < m->force[i].frames; k++)
      if (m->force[i].spot[k].body >= 0)
        energy[m->assembly[m->force[i].spot[k].body]] += fabs(s->solver.sys.forces.out[i].energy);
}

void tn_balance_watch(tn_sim *s, double *y) {
  tn_balances *b = &s->ledger.balances;
  if (!b->n) return;
  const double *work = work_of(s, y);
  tn_energy_by_assembly(&s->solver.sys, b->kinetic, b->potential);
  stored_across(s, b->across);
  for (int i = 0; i < b->n; i++) {
    const double T = b->kinetic[i], V = b->potential[i], E0 = b->energy0[i], W = work[i];
    const double balance = fabs(T + V - E0 - W);
    b->max_kinetic[i] = fmax(b->max_kinetic[i], T);
    b->max_potential[i] = fmax(b->max_potential[i], fabs(V) + b->across[i]);
    if (balance <= ROUNDOFF * (fabs(T) + fabs(V) + fabs(E0) + fabs(W))) continue;
    if (!isnan(b->max_balance[i]) && !(balance <= b->max_balance[i])) b->max_balance[i] = balance; /* and NaN stays */
  }
}

/* of the largest T; of the roundoff in V where nothing moves, or of a motion that nobody sees */
static double relative(double balance, double kinetic, double potential, double mass, double length) {
  const double creep = 0.5 * mass * length * length * CREEP * CREEP;
  const double scale = fmax(fmax(kinetic, RESTING * potential), creep);
  return scale > 0 ? balance / scale : balance;
}

void tn_balance_end(tn_sim *s) {
  const tn_model *m = s->m;
  tn_balances *b = &s->ledger.balances;
  tn_summary *sum = &s->summary;
  double mass = 0;
  int worst = -1;
  for (int i = 0; i < m->bodies; i++) mass += m->body[i].mass;
  sum->energy_balance = relative(s->ledger.max_balance, sum->max_kinetic, s->ledger.max_potential, mass, m->length);
  sum->balance_kinetic = sum->max_kinetic;
  sum->balance_part[0] = 0;
  sum->balance_bodies = m->bodies;
  double *const reach = b->across; /* at the start and here */
  if (b->n) memcpy(reach, b->reach, sizeof *reach * (size_t)b->n);
  if (s->life.started) measure_reach(s, reach);
  for (int i = 0; i < b->n; i++) {
    const double off = relative(b->max_balance[i], b->max_kinetic[i], b->max_potential[i], b->mass[i],
                                m->assembly_length[i] + reach[i]);
    /* one that is not a number is the worst, and the first of these stays */
    const bool fault = worst >= 0 && isnan(sum->energy_balance);
    if (fault || off <= sum->energy_balance || (isnan(sum->energy_balance) && !isnan(off))) continue;
    sum->energy_balance = off;
    worst = i;
  }
  if (worst < 0) return;
  sum->balance_kinetic = b->max_kinetic[worst];
  sum->balance_bodies = 0;
  for (int i = 0; i < m->bodies; i++) {
    if (m->assembly[i] != worst) continue;
    if (sum->balance_bodies++ == 0) tn_format(sum->balance_part, sizeof sum->balance_part, "%s", m->body[i].name);
  }
}
