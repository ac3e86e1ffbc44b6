/* the contract: the one place where a violation of a constraint equation is scaled and judged.
 *
 * A violation is C or Cdot of a row in the unit of the row. Scaled by rows.scale (1 over the length that the row is about: scale.c), it is a
 * number without a unit, or 1/s, that is compared with what the run allows. At a start, before there is a motion, lengths are those of
 * the model: row_scale. */
#include "simulate/simulate.h"

/* of the roundoff of speeds: what velocities may be off, whatever the contract says */
static const double ROUNDOFF = 100;

double tn_contract_scaled(const tn_sim *s, int row, double off) {
  assert(row >= 0 && row < s->m->rows);
  return fabs(off) * s->solver.sys.rows.scale[row];
}

double tn_contract_at_start(const tn_model *m, int row, double off) {
  assert(row >= 0 && row < m->rows);
  return fabs(off) * m->row_scale[row];
}

double tn_effort_energy(const tn_model *m, int row, double effort) { return fabs(effort) / m->row_scale[row]; }

double tn_contract_allowed(const tn_model *m, bool rate) {
  return rate ? m->run.contract_velocity : m->run.contract_position;
}

double tn_contract_allowed_of(const tn_sim *s, int row, bool rate) {
  return tn_contract_allowed(s->m, rate) / s->solver.sys.rows.scale[row];
}

double tn_contract_share(const tn_model *m, double position, double velocity) {
  return tn_max(position / tn_contract_allowed(m, false), velocity / tn_contract_allowed(m, true));
}

double tn_contract_largest(const tn_sim *s, bool rate, int *row) {
  const tn_system *sys = &s->solver.sys;
  return rate ? tn_violation(sys, sys->rows.Cdot, s->m->rows, row)
              : tn_violation(sys, sys->rows.C, s->m->holonomic, row);
}

void tn_contract_figure(const tn_sim *s, int row, bool rate, double scaled, int digits, char *text, size_t size) {
  tn_row_figure(s->m, row, s->solver.sys.rows.scale[row], rate, scaled, digits, text, size);
}

void tn_contract_begin(tn_sim *s) {
  tn_contract *x = &s->contract;
  const tn_system *sys = &s->solver.sys;
  const size_t rows = (size_t)s->m->rows;
  memcpy(x->C1, sys->rows.C, sizeof *x->C1 * rows);
  memcpy(x->V1, sys->rows.Cdot, sizeof *x->V1 * rows);
  s->summary.max_position_violation = s->summary.max_velocity_violation = 0;
  s->summary.contract_kept = true;
  s->summary.contract_text[0] = s->summary.worst_joint[0] = 0;
}

/* `position off by 2e-07 m, allowed 6.49e-08 m`, in SI, with digits enough to see the difference */
static void breach_text(const tn_sim *s, int row, bool rate, double seen, char *text, size_t size) {
  const double allowed = tn_contract_allowed(s->m, rate);
  const int digits = seen < 1.01 * allowed ? 9 : 3;
  char off[48], most[48];
  tn_contract_figure(s, row, rate, seen, digits, off, sizeof off);
  tn_contract_figure(s, row, rate, allowed, digits, most, sizeof most);
  tn_format(text, size, "%s off by %s, allowed %s", rate ? "velocity" : "position", off, most);
}

/* the largest violation of velocities. what of it is roundoff of the speeds of an assembly is no breach: where that is more than the
 * contract allows, the violation is seen in shares of it */
static double velocity_violation(tn_sim *s, int *row) {
  tn_system *sys = &s->solver.sys;
  const tn_model *m = s->m;
  double worst = tn_violation(sys, sys->rows.Cdot, m->rows, row);
  if (worst <= tn_contract_allowed(m, true) || isnan(worst)) return worst;
  worst = 0;
  tn_system_extents(sys, true);
  for (int i = 0; i < m->rows; i++) {
    const double floor = ROUNDOFF * TN_EPS * tn_row_extent(sys, i) / tn_contract_allowed(m, true);
    const double v = tn_contract_scaled(s, i, sys->rows.Cdot[i]) / tn_max(1, floor);
    if (v > worst) worst = v, *row = i;
  }
  return worst;
}

/* the largest violations so far, into the summary */
static void note(tn_sim *s, double t, const double off[2], const int row[2], int worse) {
  const tn_model *m = s->m;
  tn_summary *sum = &s->summary;
  const double before = tn_contract_share(m, sum->max_position_violation, sum->max_velocity_violation);
  if (!(tn_contract_share(m, off[0], off[1]) <= before)) {
    tn_format(sum->worst_joint, sizeof sum->worst_joint, "%s", m->joint[m->row_joint[row[worse]]].name);
    sum->worst_time = t;
  }
  if (!(off[0] <= sum->max_position_violation)) s->contract.worst_row[0] = row[0];
  if (!(off[1] <= sum->max_velocity_violation)) s->contract.worst_row[1] = row[1];
  sum->max_position_violation = tn_max(sum->max_position_violation, off[0]);
  sum->max_velocity_violation = tn_max(sum->max_velocity_violation, off[1]);
}

/* the contract is broken by this row: told once, and the end of the run if it shall stop there */
static tn_status breach(tn_sim *s, double t, int row, bool rate, double off) {
  const tn_model *m = s->m;
  tn_summary *sum = &s->summary;
  char size[120], owner[160];
  tn_row_owner(m, row, owner, sizeof owner);
  breach_text(s, row, rate, off, size, sizeof size);
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

tn_status tn_contract_check(tn_sim *s, double t) {
  const tn_model *m = s->m;
  int row[2];
  if (!m->rows) return TN_OK;
  const double off[2] = {tn_contract_largest(s, false, &row[0]), velocity_violation(s, &row[1])};
  /* the worst by its share of what is allowed, whichever of the two it is */
  const int worse = off[0] / tn_contract_allowed(m, false) >= off[1] / tn_contract_allowed(m, true) ? 0 : 1;
  note(s, t, off, row, worse);
  return tn_contract_share(m, off[0], off[1]) <= 1 ? TN_OK : breach(s, t, row[worse], worse == 1, off[worse]);
}

/* of every joint, over a step of length h that has ended */
void tn_contract_drift(tn_sim *s, double h) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    tn_drift *d = &s->contract.drifted[i];
    double position = 0, velocity = 0;
    if (j->in_tree) continue;
    for (int r = j->row; r < j->row + j->rows; r++) {
      position = tn_max(position, tn_contract_scaled(s, r, sys->rows.C[r]));
      velocity = tn_max(velocity, tn_contract_scaled(s, r, sys->rows.Cdot[r]));
    }
    for (int r = j->row_velocity; r < j->row_velocity + j->rows_velocity; r++)
      velocity = tn_max(velocity, tn_contract_scaled(s, r, sys->rows.Cdot[r]));
    d->position_max = tn_max(d->position_max, position);
    d->velocity_max = tn_max(d->velocity_max, velocity);
    d->position_rms += h * position * position;
    d->velocity_rms += h * velocity * velocity;
  }
}
