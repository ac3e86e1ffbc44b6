/* attempts: a candidate for the next state, and how it went. nothing that outlives an attempt changes here. */
#include "simulate/step.h"

/* at the end of the step, whether or not a stage lies there. its factorisation serves the projection or the next step; where a stage
 * beside it was far from a singular position, there is nothing to see */
tn_status tn_candidate_look(tn_sim *s, tn_candidate *c) {
  tn_status status = tn_at(s, c->t_end, s->next.y, s->e);
  if (status == TN_OK && tn_solver_stale_is_near(&s->solver)) return TN_OK;
  if (status == TN_OK) status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  if (status == TN_OK) c->rho_end = tn_solver_nearness(&s->solver);
  return status;
}

static void begin(tn_sim *s) {
  assert(s->scratch.scopes == 0);
  s->solver.nearness = s->solver.seen = 1;
}

tn_status tn_attempt(tn_sim *s, double h, tn_candidate *c) {
  const bool adaptive = !s->m->run.fixed;
  *c = (tn_candidate){.h = h, .t_end = s->now.t + h, .rho_end = 1};
  begin(s);
  c->status = s->m->run.integrator->attempt(s->stepper.work, &s->stepper.ode, s->now.t, s->now.z, h, s->next.z,
                                            adaptive ? s->packed.error : NULL);
  if (c->status == TN_OK) c->status = tn_packed_end(s, c->t_end, adaptive);
  if (c->status == TN_OK && adaptive && !tn_by_numbers(s)) tn_scales_trial(s, h);
  return tn_weigh(s, c);
}

tn_status tn_attempt_own(tn_sim *s, double t_limit, tn_candidate *c) {
  *c = (tn_candidate){.rho_end = 1};
  begin(s);
  const int64_t before = s->stepper.effort.rejected;
  c->status = s->m->run.integrator->advance(s->stepper.work, &s->stepper.ode, s->now.t, s->now.z, t_limit, &c->t_end,
                                            s->next.z);
  s->summary.rejected += s->stepper.effort.rejected - before;
  if (c->status == TN_OK) c->status = tn_packed_end(s, c->t_end, false);
  if (c->status == TN_OK && s->m->rows) c->status = tn_candidate_look(s, c);
  c->rho = s->solver.nearness;
  c->seen = s->solver.seen;
  return c->status;
}
