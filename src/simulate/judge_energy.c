/* the energy of a candidate near a singular position: an estimate may see nothing of what is wrong there. */
#include "simulate/step.h"

/* of the relative tolerance and the largest kinetic energy: what a step near a singular position may do to the energy */
static const double ENERGY = 30;

static const double ASIDE = 1e-4;       /* of rho: farther away the estimate of the error is enough            */
static const double RESTING = 1e-9;     /* of the largest V: the scale where nothing moves                     */
static const double RTOL_LEAST = 1e-13; /* tighter tolerances are below the roundoff of the energy             */

/* what stabilizers will correct at the end of the step, on y. memory that they write is a copy */
static tn_status correct(tn_sim *s, double t, double *y) {
  const tn_model *m = s->m;
  const int64_t corrections = s->solver.guard_calls; /* those of steps that are taken are counted */
  tn_status status = TN_OK;
  memcpy(s->stabilizing.rooms_trial, s->stabilizing.rooms, s->stabilizing.rooms_size);
  for (int i = 0; i < m->run.stabilizers && status == TN_OK; i++) {
    const tn_stabilizer_type *type = m->run.stabilizer[i].type;
    bool changed = false;
    s->solver.e = s->e;
    if (type->accept) status = tn_stabilizer_try(s, i, t, y, &changed);
  }
  s->solver.guard_calls = corrections;
  return status;
}

/* what of the energy neither forces nor drivers explain, after the corrections that the end of the step will have, in units of what is
 * allowed. y: n numbers of room */
static double energy_off(tn_sim *s, double t, double *y) {
  const tn_model *m = s->m;
  const double *before = tn_ledger_of(s, s->now.y), *after = tn_ledger_of(s, s->next.y);
  double kinetic;
  memcpy(y, s->next.y, sizeof *y * (size_t)s->n);
  if (correct(s, t, y) != TN_OK || tn_at(s, t, y, s->e) != TN_OK) return INFINITY;
  const double off = tn_ledger_unexplained(s, before, after, &kinetic);
  const double scale = tn_max(tn_max(s->summary.max_kinetic, kinetic), RESTING * s->ledger.max_potential);
  return scale > 0 ? fabs(off) / (ENERGY * tn_max(m->run.rtol, RTOL_LEAST) * scale) : 0;
}

tn_status tn_measure_energy(tn_sim *s, tn_candidate *c) {
  const bool near = c->rho < ASIDE && c->err <= 1, spoiled = c->err > 1 && c->left <= 1;
  if (s->m->run.fixed || !(near || spoiled)) return TN_OK;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  const double energy = energy_off(s, c->t_end, tn_room(s, s->n));
  tn_scratch_close(&s->scratch, scope);
  c->jumped = c->err <= 1 && energy > 1;
  c->err = tn_max(c->err, energy);
  c->left = tn_max(c->left, energy);
  return TN_OK;
}
