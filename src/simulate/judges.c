/* who judges a candidate, and in which order.
 *
 * Measures say how good it is: each is asked at every attempt, and what they find is the error err of the candidate. Judges say what is to
 * become of it: each is asked if those before it have nothing against it. */
#include "simulate/step.h"

static tn_status measure_end(tn_sim *s, tn_candidate *c) { return s->m->rows ? tn_candidate_look(s, c) : TN_OK; }

/* something is not a number: of an adaptive step, an error without end */
static void judge_finite(tn_candidate *c) {
  if (c->status == TN_E_RUN) c->err = c->left = INFINITY;
}

typedef tn_status (*measure)(tn_sim *s, tn_candidate *c);

tn_status tn_weigh(tn_sim *s, tn_candidate *c) {
  static const measure everywhere[] = {tn_measure_violation, measure_end, tn_measure_error, tn_measure_turning};
  static const measure near_singular[] = {tn_measure_left, tn_measure_energy}; /* they ask how near it came */
  for (size_t i = 0; i < sizeof everywhere / sizeof *everywhere && c->status == TN_OK; i++)
    c->status = everywhere[i](s, c);
  c->rho = s->solver.nearness;
  c->seen = s->solver.seen;
  for (size_t i = 0; i < sizeof near_singular / sizeof *near_singular && c->status == TN_OK; i++)
    c->status = near_singular[i](s, c);
  if (!s->m->run.fixed) judge_finite(c);
  return c->status == TN_E_RUN ? TN_OK : c->status;
}

static tn_status guards(tn_sim *s, tn_trials *x, tn_decision *decision) {
  return tn_judge_guards(s, &x->at_hand, decision);
}

tn_status tn_judge(tn_sim *s, tn_trials *x, tn_decision *decision) {
  static tn_status (*const judge[])(tn_sim *, tn_trials *, tn_decision *) = {tn_judge_singular, tn_judge_error, guards};
  if (!x->rejected) x->longest = x->at_hand;
  do {
    *decision = TN_STANDS;
    x->at_hand.t_end = x->last ? x->t_limit : s->now.t + x->at_hand.h;
    for (size_t i = 0; i < sizeof judge / sizeof *judge && *decision == TN_STANDS; i++)
      TN_TRY(judge[i](s, x, decision));
    if (*decision == TN_OTHER_LENGTHS) TN_TRY(tn_try_other_lengths(s, x));
  } while (*decision == TN_OTHER_LENGTHS);
  return TN_OK;
}
