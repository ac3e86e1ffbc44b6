/* one step: a length is proposed, attempted, judged, and taken or revised: step.h.
 *
 * A candidate is taken at an error of 1 tolerance, and the next one aims at 1/32 of that: then a tolerance means about what it says after
 * ten seconds of motion. Steps of a fixed length end at multiples of it from the start; integrators that choose their steps themselves
 * offer each as a candidate, which guards may cut short. */
#include "simulate/step.h"

enum { MOST_PARTS = 12 }; /* halvings of a fixed step */

static const double SPLIT_AT = 0.618;  /* of a fixed step that comes too near to a singular position: where it ends */
static const double SAME_TIME = 1e-12; /* of the time: two of these are one                                        */

static tn_status adaptive_step(tn_sim *s, double t_limit) {
  tn_trials x = {.t_limit = t_limit};
  for (;;) {
    tn_decision decision;
    TN_TRY(tn_propose(s, &x));
    TN_TRY(tn_attempt(s, x.h, &x.at_hand));
    TN_TRY(tn_judge(s, &x, &decision));
    if (decision == TN_ENDED) return TN_OK;
    if (decision == TN_STANDS) {
      tn_learn(s, &x);
      return tn_take(s, &x.at_hand);
    }
    TN_TRY(tn_revise(s, &x, decision));
  }
}

/* ---- fixed step --------------------------------------------------------------------------------------------------------- */

/* a candidate up to t_end; t_end is it to the last bit */
static tn_status attempt_to(tn_sim *s, double t_end, tn_candidate *c) {
  TN_TRY(tn_attempt(s, t_end - s->now.t, c));
  c->t_end = t_end;
  return TN_OK;
}

/* what is independent does not tell the state on the way: in parts. the next step ends where this one should have. whole: a candidate of
 * the whole length may stand */
static tn_status attempt_part(tn_sim *s, double t_end, bool whole, tn_candidate *c) {
  for (int tries = whole ? 0 : 1; tries <= MOST_PARTS; tries++) {
    const double end = tries ? s->now.t + pow(0.5, tries) * (t_end - s->now.t) : t_end;
    s->summary.rejected++;
    TN_TRY(tn_attempt(s, pow(0.5, tries) * (t_end - s->now.t), c));
    c->t_end = end;
    if (c->status == TN_OK) return TN_OK;
  }
  return TN_E_RUN; /* in words already */
}

/* the candidate of a fixed step to *t_end, `last` of the run: one that lands too near to a singular position ends before it, at another
 * *t_end, and the next one crosses; with another choice of what is independent, or in parts, where that does not tell the state */
static tn_status attempt_fixed(tn_sim *s, bool last, double *t_end, tn_candidate *c) {
  TN_TRY(attempt_to(s, *t_end, c));
  if (c->status == TN_E_RUN && s->packed.packing) {
    bool changed;
    TN_TRY(tn_packed_renew(s, TN_AFTER_REJECTION, &changed));
    return attempt_part(s, *t_end, changed, c);
  }
  if (c->status == TN_OK && tn_lands_singular(c) && !last) {
    *t_end = s->now.t + SPLIT_AT * (*t_end - s->now.t);
    TN_TRY(attempt_to(s, *t_end, c));
  }
  return c->status;
}

static tn_status fixed_step(tn_sim *s, double t_end, bool last) {
  tn_candidate c;
  tn_decision decision = TN_AFRESH;
  double whole = t_end;
  TN_TRY(tn_refuse_turning(s, t_end - s->now.t));
  while (decision == TN_AFRESH) {
    whole = t_end;
    TN_TRY(attempt_fixed(s, last, &whole, &c));
    TN_TRY(tn_judge_guards(s, &c, &decision));
  }
  s->stepper.unfinished = decision == TN_ENDED || c.t_end != whole;
  return decision == TN_ENDED ? TN_OK : tn_take(s, &c);
}

/* ---- a step of the integrator's own choice ------------------------------------------------------------------------------ */

static tn_status own_step(tn_sim *s, double t_limit) {
  tn_candidate c;
  tn_decision decision = TN_AFRESH;
  while (decision == TN_AFRESH) {
    double limit;
    TN_TRY(tn_propose_own(s, t_limit, &limit));
    TN_TRY(tn_attempt_own(s, limit, &c));
    TN_TRY(tn_judge_guards(s, &c, &decision));
  }
  c.h = c.t_end - s->now.t;
  return decision == TN_ENDED ? TN_OK : tn_take(s, &c);
}

/* ------------------------------------------------------------------------------------------------------------------------- */

/* up to the next multiple of the step from t0, which is no sum */
static tn_status next_fixed_step(tn_sim *s, double t_limit) {
  tn_stepper *step = &s->stepper;
  const double next = step->t0 + (double)(step->fixed_steps + 1) * s->m->run.step;
  const bool counts = !(next > t_limit * (1 + SAME_TIME));
  const bool last = !counts || fabs(next - t_limit) <= SAME_TIME * fabs(t_limit);
  if (counts) step->fixed_steps++;
  const tn_status status = fixed_step(s, last ? t_limit : next, last);
  if (step->unfinished && counts) step->fixed_steps--;
  step->unfinished = false;
  return status;
}

tn_status tn_step(tn_sim *s, double t_limit) {
  bool changed;
  assert(s->life.started && s->scratch.scopes == 0 && s->now.t < t_limit);
  tn_cost_step(s);
  s->stepper.share = 1;
  tn_status status = tn_guards_begin(s);
  if (status != TN_OK || s->events.ended >= 0) return status;
  TN_TRY(tn_packed_renew(s, TN_BEFORE_STEP, &changed));
  status = s->m->run.integrator->advance ? own_step(s, t_limit)
           : s->m->run.fixed             ? next_fixed_step(s, t_limit)
                                         : adaptive_step(s, t_limit);
  assert(s->scratch.scopes == 0);
  return status;
}
