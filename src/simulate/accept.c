/* the end of a step: stabilizers correct the state, and what that does to the energy goes into the ledger. */
#include "simulate/simulate.h"

static const double JUMP = 1e-3; /* scaled as the contract does; of the kinetic energy: more than a step leaves */
static const double NEAR = 0.02; /* of what coordinates call regular, 1                                        */

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

/* what was open before the corrections */
typedef struct gap {
  double position, velocity; /* scaled */
  int row, row_velocity;
} gap;

static gap gap_of(const tn_sim *s) {
  gap g;
  g.position = tn_contract_largest(s, false, &g.row);
  g.velocity = tn_contract_largest(s, true, &g.row_velocity);
  return g;
}

static tn_status correct(tn_sim *s, double t, double *y, bool *changed) {
  for (int i = 0; i < s->m->run.stabilizers; i++) {
    const tn_stabilizer_type *type = s->m->run.stabilizer[i].type;
    if (!type->accept) continue;
    s->solver.e = s->e;
    const tn_status status = tn_stabilizer_accept(s, i, t, y, changed);
    if (status == TN_OK) continue;
    if (!*s->e->message) { /* one from outside has no words of its own */
      tn_fail(s->e, status, "stabilizer '%s' gave up", type->name);
      s->e->time = t;
    }
    return status;
  }
  if (tn_model_tidy(s->m, y)) *changed = true;
  return TN_OK;
}

/* a projection mends what a step leaves; this may be more than a step leaves. work: what it did to the energy, J */
static void doubt_gap(tn_sim *s, double t, const gap *g, double work) {
  const tn_system *sys = &s->solver.sys;
  const bool rate = g->position <= JUMP, making = s->kinks.driving;
  if (!(g->position > JUMP) &&
      !(g->velocity > JUMP && fabs(work) > JUMP * fmax(s->summary.max_kinetic, tn_energy_of(sys, TN_KINETIC))))
    return;
  const int worst = rate ? g->row_velocity : g->row;
  const double off = rate ? g->velocity : g->position;
  char owner[160], figure[48];
  tn_row_owner(s->m, worst, owner, sizeof owner);
  tn_contract_figure(s, worst, rate, off, 3, figure, sizeof figure);
  if (!(making && s->kinks.kinked)) /* that was said, driver by driver */
    tn_log(s, t, "jump", "the projection closed %s by %s: does a driver jump, or is the step too long?", owner, figure);
  if (!making || !rate) tn_doubt_closed(s, t, off, worst, rate);
}

/* what the corrected state says of the run */
static void watch(tn_sim *s, double t, double *y) {
  tn_system *sys = &s->solver.sys;
  const size_t rows = (size_t)s->m->rows;
  tn_remember(sys);
  const double turning = tn_turning(sys, &s->stepper.turning_joint);
  tn_doubt_turn(s, t, (t - s->before.t) * fmin(turning, s->stepper.turning));
  s->stepper.turning = turning;
  watch_coordinates(s, t, y);
  s->ledger.energy = tn_watch_energy(s, y);
  tn_doubt_step(s, s->ledger.energy);
  memcpy(s->contract.C1, sys->rows.C, sizeof *s->contract.C1 * rows);
  memcpy(s->contract.V1, sys->rows.Cdot, sizeof *s->contract.V1 * rows);
  tn_contract_drift(s, t - s->before.t);
}

tn_status tn_accept(tn_sim *s, double t, double *y, bool *changed) {
  assert(y == s->now.y && t == s->now.t);
  tn_profile *profile = &s->solver.profile;
  const double start = tn_profile_begin(profile),
               inside = profile->time[TN_TIME_ASSEMBLE] + profile->time[TN_TIME_SOLVE];
  TN_TRY(tn_at(s, t, y, s->e));
  const double before = tn_ledger_before(s);
  const gap open = gap_of(s);
  TN_TRY(correct(s, t, y, changed));
  const bool moved = *changed;
  TN_TRY(tn_packed_accept(s, t, y, changed));
  TN_TRY(tn_at(s, t, y, s->e));
  if (moved) {
    const int whose = s->kinks.driving ? TN_LEDGER_DRIVER : TN_LEDGER_STABILIZER;
    doubt_gap(s, t, &open, tn_ledger_book(s, whose, before, y));
  }
  tn_profile_end(profile, TN_TIME_PROJECT, start);
  profile->time[TN_TIME_PROJECT] -= profile->time[TN_TIME_ASSEMBLE] + profile->time[TN_TIME_SOLVE] - inside;
  watch(s, t, y);
  return tn_contract_check(s, t);
}
