/* the end of a step: stabilizers correct the state, what that does to the energy goes into the ledger, and the contract is
 * checked on what remains. */
#include "simulate/simulate.h"

static const double JUMP = 1e-3; /* scaled as the contract does; of the kinetic energy */
static const double ROUNDOFF =
    100;                         /* of the roundoff of speeds: what velocities may be off, whatever the contract says */
static const double NEAR = 0.02; /* of what coordinates call regular, 1 */

/* `position off by 2e-07 m, allowed 6.49e-08 m`, in SI, with digits enough to see the difference */
static void breach_text(const tn_system *sys, int row, bool rate, double seen, char *text, size_t size) {
  const tn_model *m = sys->m;
  const double allowed = rate ? m->run.contract_velocity : m->run.contract_position;
  const int digits = seen < 1.01 * allowed ? 9 : 3;
  char off[48], most[48];
  tn_row_figure(m, row, sys->scale[row], rate, seen, digits, off, sizeof off);
  tn_row_figure(m, row, sys->scale[row], rate, allowed, digits, most, sizeof most);
  tn_format(text, size, "%s off by %s, allowed %s", rate ? "velocity" : "position", off, most);
}

/* the largest violation of velocities. what of it is roundoff of the speeds of an assembly is no breach: where that is more than the
 * contract allows, the violation is seen in shares of it */
static double velocity_violation(tn_sim *s, int *row) {
  tn_system *sys = &s->solver.sys;
  const tn_model *m = s->m;
  double worst = tn_violation(sys, sys->Cdot, m->rows, row);
  if (worst <= m->run.contract_velocity || isnan(worst)) return worst;
  worst = 0;
  tn_system_extents(sys, true);
  for (int i = 0; i < m->rows; i++) {
    const double floor = ROUNDOFF * TN_EPS * tn_row_extent(sys, i) / m->run.contract_velocity;
    const double v = fabs(sys->Cdot[i]) * sys->scale[i] / fmax(1, floor);
    if (v > worst) worst = v, *row = i;
  }
  return worst;
}

tn_status tn_check_contract(tn_sim *s, double t) {
  const tn_system *sys = &s->solver.sys;
  const tn_model *m = s->m;
  tn_summary *sum = &s->summary;
  int ip, iv;
  const double position = tn_violation(sys, sys->C, m->holonomic, &ip), velocity = velocity_violation(s, &iv);
  if (!m->rows) return TN_OK;
  /* the worst by its share of what is allowed, whichever of the two it is */
  const double share = fmax(position / m->run.contract_position, velocity / m->run.contract_velocity);
  const double before = fmax(sum->max_position_violation / m->run.contract_position,
                             sum->max_velocity_violation / m->run.contract_velocity);
  const bool by_position = position / m->run.contract_position >= velocity / m->run.contract_velocity;
  const int row = by_position ? ip : iv;
  const char *name = m->joint[m->row_joint[row]].name;
  char owner[160];
  tn_row_owner(m, row, owner, sizeof owner);
  if (!(share <= before)) {
    tn_format(sum->worst_joint, sizeof sum->worst_joint, "%s", name);
    sum->worst_time = t;
  }
  if (!(position <= sum->max_position_violation)) s->contract.worst_row[0] = ip;
  if (!(velocity <= sum->max_velocity_violation)) s->contract.worst_row[1] = iv;
  sum->max_position_violation = fmax(sum->max_position_violation, position);
  sum->max_velocity_violation = fmax(sum->max_velocity_violation, velocity);
  if (share <= 1) return TN_OK;
  char size[120];
  breach_text(sys, row, !by_position, by_position ? position : velocity, size, sizeof size);
  if (sum->contract_kept) {
    sum->contract_kept = false;
    tn_format(sum->contract_text, sizeof sum->contract_text, "contract broken: %s at t = %.6g s, %s", owner, t, size);
    tn_log(s, t, "contract", "%s, %s", owner, size);
  }
  if (!m->run.breach_stops) return TN_OK;
  tn_fail(s->e, TN_E_RUN, "contract broken: %s, %s", owner, size);
  bool corrected = false;
  for (int i = 0; i < m->run.stabilizers; i++)
    corrected = corrected || ((const tn_stabilizer_type *)m->run.stabilizer[i].type)->accept;
  if (corrected)
    tn_hint(s->e, "smaller steps, if they are large; else a driver may lead where the joints cannot follow");
  else
    tn_hint(s->e, "a stabilizer (--method project), tighter tolerances, or --breach record to go on");
  s->e->time = t;
  return TN_E_RUN;
}

/* with the system at the state y and its ledger in y */
void tn_watch_energy(tn_sim *s, double *y) {
  tn_system *sys = &s->solver.sys;
  memcpy(sys->ledger, tn_ledger_of(s, y), sizeof sys->ledger);
  double kinetic, potential;
  tn_energy_here(sys, &kinetic, &potential);
  s->summary.max_kinetic = fmax(s->summary.max_kinetic, kinetic);
  s->ledger.max_potential = fmax(s->ledger.max_potential, fabs(potential));
  s->summary.stabilizer_work = fmax(s->summary.stabilizer_work, fabs(sys->ledger[TN_LEDGER_STABILIZER]));
  tn_balance_watch(s, y);
  const double balance = fabs(tn_energy_of(sys, TN_BALANCE));
  if (!isnan(s->ledger.max_balance) && !(balance <= s->ledger.max_balance))
    s->ledger.max_balance = balance; /* and NaN stays */
}

/* coordinates of a body that come near their own singular position: steps get short there for no reason of the motion */
static void watch_coordinates(tn_sim *s, double t, const double *q) {
  for (int i = 0; s->m->dimension == 3 && i < s->m->bodies; i++) {
    const tn_body *b = &s->m->body[i];
    if (!b->type || !b->type->space.regular) continue;
    const double regular = b->type->space.regular(q + b->q);
    if (regular < NEAR && !s->singular.near[i])
      tn_log(s, t, "coordinates", "body '%s': its coordinates `%s` are near a singular position (%.2g): %s", b->name,
             b->type->name, regular, b->type->space.remedy ? b->type->space.remedy : "choose others");
    if (regular < NEAR || regular > 2 * NEAR) s->singular.near[i] = regular < NEAR;
  }
}

/* of every joint, over a step of length h that has ended */
static void keep_drift(tn_sim *s, double h) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    tn_drift *d = &s->contract.drifted[i];
    double position = 0, velocity = 0;
    if (j->in_tree) continue;
    for (int r = j->row; r < j->row + j->rows; r++) {
      position = fmax(position, fabs(sys->C[r]) * sys->scale[r]);
      velocity = fmax(velocity, fabs(sys->Cdot[r]) * sys->scale[r]);
    }
    for (int r = j->row_velocity; r < j->row_velocity + j->rows_velocity; r++)
      velocity = fmax(velocity, fabs(sys->Cdot[r]) * sys->scale[r]);
    d->position_max = fmax(d->position_max, position);
    d->velocity_max = fmax(d->velocity_max, velocity);
    d->position_rms += h * position * position;
    d->velocity_rms += h * velocity * velocity;
  }
}

tn_status tn_accept(tn_sim *s, double t, double *y, bool *changed) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_profile *profile = &s->solver.profile;
  const double start = tn_profile_begin(profile),
               inside = profile->time[TN_TIME_ASSEMBLE] + profile->time[TN_TIME_SOLVE];
  tn_status status = tn_at(s, t, y, s->e);
  if (status != TN_OK) return status;
  const double before = tn_energy_of(sys, TN_TOTAL);
  tn_balance_energies(s, s->ledger.balances.before);
  int row, row_v;
  const double open = tn_violation(sys, sys->C, m->holonomic, &row),
               open_v = tn_violation(sys, sys->Cdot, m->rows, &row_v);
  for (int i = 0; i < m->run.stabilizers; i++) {
    const tn_stabilizer_type *type = m->run.stabilizer[i].type;
    if (!type->accept) continue;
    s->solver.e = s->e;
    if ((status = tn_stabilizer_accept(s, i, t, y, changed)) == TN_OK) continue;
    if (!*s->e->message) { /* one from outside has no words of its own */
      tn_fail(s->e, status, "stabilizer '%s' gave up", type->name);
      s->e->time = t;
    }
    return status;
  }
  if (tn_model_tidy(m, y)) *changed = true;
  const bool moved = *changed;
  if ((status = tn_packed_accept(s, t, y, changed)) != TN_OK) return status;
  if ((status = tn_at(s, t, y, s->e)) != TN_OK) return status;
  if (moved) {
    const double work = tn_energy_of(sys, TN_TOTAL) - before;
    tn_ledger_of(s, y)[s->switches.making ? TN_LEDGER_DRIVER : TN_LEDGER_STABILIZER] += work;
    tn_balance_book(s, s->ledger.balances.before, y);
    /* a projection mends what a step leaves; this is more than a step leaves */
    if (open > JUMP ||
        (open_v > JUMP && fabs(work) > JUMP * fmax(s->summary.max_kinetic, tn_energy_of(sys, TN_KINETIC)))) {
      const bool rate = open <= JUMP;
      const int worst = rate ? row_v : row;
      char owner[160], gap[48];
      tn_row_owner(m, worst, owner, sizeof owner);
      tn_row_figure(m, worst, sys->scale[worst], rate, rate ? open_v : open, 3, gap, sizeof gap);
      if (!(s->switches.making && s->switches.kinked)) /* that was said, driver by driver */
        tn_log(s, t, "jump", "the projection closed %s by %s: does a driver jump, or is the step too long?", owner,
               gap);
      if (!s->switches.making || !rate) tn_doubt_closed(s, t, rate ? open_v : open, worst, rate);
    }
  }
  tn_profile_end(profile, TN_TIME_PROJECT, start);
  profile->time[TN_TIME_PROJECT] -= profile->time[TN_TIME_ASSEMBLE] + profile->time[TN_TIME_SOLVE] - inside;
  tn_remember(sys);
  const double turning = tn_turning(sys, &s->stepper.turning_joint);
  tn_doubt_turn(s, t, (t - s->before.t) * fmin(turning, s->stepper.turning));
  s->stepper.turning = turning;
  watch_coordinates(s, t, y);
  tn_watch_energy(s, y);
  tn_doubt_step(s);
  s->ledger.energy = tn_energy_of(sys, TN_TOTAL);
  memcpy(s->contract.C1, sys->C, sizeof *s->contract.C1 * (size_t)m->rows);
  memcpy(s->contract.V1, sys->Cdot, sizeof *s->contract.V1 * (size_t)m->rows);
  keep_drift(s, t - s->before.t);
  return tn_check_contract(s, t);
}
