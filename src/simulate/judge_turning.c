/* angles that joints count: within half a turn of what they were at the last step. */
#include "simulate/step.h"

/* of the tolerance: an error that makes the next attempt about half as long */
static const double TOO_FAR = 32;

tn_status tn_measure_turning(tn_sim *s, tn_candidate *c) {
  if (s->m->run.fixed || !s->m->memory || tn_by_numbers(s)) return TN_OK;
  int which;
  const tn_status status = tn_at(s, c->t_end, s->next.y, s->e);
  if (status == TN_OK && c->h * tn_turning(&s->solver.sys, &which) > TN_TURN_MOST) c->err = fmax(c->err, TOO_FAR);
  return status;
}

tn_status tn_refuse_turning(tn_sim *s, double h) {
  const double turned = h * s->stepper.turning;
  if (!(turned > TN_TURN_MOST)) return TN_OK;
  tn_fail(s->e, TN_E_RUN,
          "joint '%s': a step of %.3g s turns it by %.3g rad, and beyond half a turn they cannot be counted",
          s->m->joint[s->stepper.turning_joint].name, h, turned);
  tn_hint(s->e, "a shorter step, or relative coordinates, where angles are coordinates");
  s->e->time = s->now.t;
  return TN_E_RUN;
}
