/* singular positions: near one the minimum-norm answer is not the limit of the motion, so that a step must not land there, and an adaptive
 * one must not creep up to it. A candidate with a stage at rho < LANDED or an end at rho < BEGINS, or with an error at rho < CREEPING, is
 * tried at other lengths, none much shorter; so is one that was rejected twice at rho < TN_RHO_SPOILED with an error that does not fall
 * with its length. A fixed step that comes to rho < SPLIT ends at 0.618 of its length, and the next one crosses. */
#include "simulate/step.h"

/* of rho, which is the square of a distance */
static const double LANDED = 1e-9;   /* a stage: no digits are left of what it says                              */
static const double BEGINS = 2e-6;   /* an end: the next step would begin with nothing but roundoff              */
static const double CREEPING = 1e-8; /* a stage of a candidate with an error: shorter ones come nearer still     */
static const double SPLIT = 1e-7;    /* a stage of a fixed step                                                  */

static const double FALLS = 0.5; /* of the error of the longest attempt: one that falls with the length is less */

/* so far too long that shorter ones are tried first, whatever position it came near: longer than the last one, and off by much */
static bool absurd(const tn_sim *s, const tn_candidate *c) {
  return c->err > TN_ABSURD && c->h > 2 * (s->now.t - s->before.t);
}

bool tn_candidate_landed(const tn_candidate *c) { return c->rho < LANDED || c->rho_end < BEGINS; }

static bool too_near(const tn_candidate *c) {
  return tn_candidate_landed(c) || (c->err > 1 && c->rho < CREEPING) || c->jumped;
}

/* an error that does not fall with the length of the step is not one of the integrator: a singular position lies inside, and
 * every shorter step that still crosses it does so nearer to it */
bool tn_candidate_helpless(const tn_trials *x) {
  const tn_candidate *c = &x->at_hand, *first = &x->longest;
  return c->err > 1 && first->h > c->h && c->rho < TN_RHO_SPOILED && c->err > FALLS * first->err &&
         isfinite(first->err);
}

/* The end of the run, or of an advance, lies so near: every other length leaves a rest that ends there too, and is shorter each time. */
static bool imposed(const tn_trials *x) {
  const tn_candidate *c = &x->at_hand;
  return x->last && c->err <= 1 && !(c->rho < LANDED) && !c->jumped;
}

bool tn_lands_singular(const tn_candidate *c) { return c->rho < SPLIT; }

tn_status tn_judge_singular(tn_sim *s, tn_trials *x, tn_decision *decision) {
  const tn_candidate *c = &x->at_hand;
  const bool stays = s->singular.passing.staying && c->err <= 1;
  if (c->forced || x->passed) return TN_OK;
  if (tn_candidate_helpless(x))
    *decision = TN_OTHER_LENGTHS;
  else if (too_near(c) && !stays && !imposed(x))
    *decision = absurd(s, c) && x->shortened < TN_MOST_SHORTENED ? TN_MUCH_SHORTER : TN_OTHER_LENGTHS;
  return TN_OK;
}
