/* a candidate becomes the present state: nothing of a step changes what outlives it but here. */
#include "simulate/step.h"

/* the error of the step that is taken, relative to the scale of the motion; an integrator that judges its steps itself aims at TN_STEP_AIM */
static double local_error(const tn_sim *s, const tn_candidate *c) {
  const tn_run *run = &s->m->run;
  if (run->fixed) return 0; /* nothing is known of it */
  return (run->integrator->advance ? TN_STEP_AIM : c->err) * fmax(run->rtol, run->atol);
}

/* the present state and what is known of it become those of before, and the end of the candidate the present one */
static void move_on(tn_sim *s, double t_end) {
  tn_contract *x = &s->contract;
  double *const C = x->C0, *const V = x->V0;
  const tn_state oldest = s->before; /* its numbers are room for the next attempt */
  x->C0 = x->C1, x->C1 = C;
  x->V0 = x->V1, x->V1 = V;
  s->before = s->now;
  s->now = s->next;
  s->now.t = t_end;
  s->next = oldest;
}

tn_status tn_take(tn_sim *s, const tn_candidate *c) {
  bool changed = false;
  const double h = c->t_end - s->now.t;
  assert(c->status == TN_OK && h >= 0 && s->scratch.scopes == 0);
  TN_TRY(tn_singular_look(s, h, c->rho, c->seen, c->rho_end));
  move_on(s, c->t_end);
  s->summary.steps++;
  s->summary.local_errors += local_error(s, c);
  s->summary.t_end = s->now.t;
  const tn_status status = tn_accept(s, s->now.t, s->now.y, &changed);
  tn_packed_ledger(s);
  tn_scales_take(s, s->now.t - s->before.t);
  if (s->stepper.share == 1) s->m->run.integrator->accept(s->stepper.work, s->now.z, changed);
  s->stepper.longest = fmax(s->stepper.longest, s->now.t - s->before.t);
  if (c->err > 1) tn_doubt_forced(s, s->before.t, c->err);
  const bool singular = s->singular.passing.is_found;
  tn_singular_log(s, s->now.t - s->before.t, c->err);
  tn_crossing_follow(s, s->now.t - s->before.t, fmin(c->rho, c->rho_end), singular);
  return status;
}
