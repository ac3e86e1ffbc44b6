/* a step across a singular position: no shorter, but other lengths, and the best of them is taken. */
#include "simulate/step.h"

/* of the tolerance: an error that is taken where shorter steps do not make it smaller */
static const double CREPT_MOST = 2;

/* what is too large is a violation that the corrections take away: roundoff of the start, divided by the distance. what is left is of
 * second order in it, and the energy says the same */
static bool mendable(const tn_candidate *r) { return r->status == TN_OK && r->left <= 1 && !tn_candidate_landed(r); }

static bool better(const tn_candidate *a, const tn_candidate *b) {
  const bool mends = mendable(a);
  return a->status == TN_OK && (mends != mendable(b) ? mends : a->err < b->err);
}

/* other lengths for a step that came too near a singular position; the attempt that stands is the last one made. an
 * error above `worst` is not taken. best.h is attempted once more where another came after it */
static tn_status pass(tn_sim *s, tn_candidate first, double most, double worst, tn_candidate *stands) {
  static const double factor[] = {0.8, 1.25, 0.64, 1.5, 0.9, 1.1, 0.5, 0.57, 0.72, 0.45, 0.4, 2, 3, 5, 8};
  tn_candidate best = first, r = first;
  for (size_t i = 0; i < sizeof factor / sizeof *factor; i++) {
    if (factor[i] * first.h > most) continue;
    s->summary.rejected++;
    TN_TRY(tn_attempt(s, factor[i] * first.h, &r));
    if (r.err <= 1 && !tn_candidate_landed(&r)) return *stands = r, TN_OK;
    if (better(&r, &best)) best = r;
  }
  if (mendable(&best)) best.err = best.left;
  *stands = best;
  if (best.status != TN_OK || best.err > worst) return TN_OK; /* none came to an end, or near it: shorter, then */
  if (best.err > 1)
    tn_log(s, s->now.t, "singular", "no length of the step passes, the best error of %.2g tolerances is taken",
           best.err);
  if (r.h == best.h && r.status == TN_OK) return TN_OK;
  s->summary.rejected++;
  TN_TRY(tn_attempt(s, best.h, stands));
  if (mendable(stands)) stands->err = stands->left;
  return TN_OK;
}

/* the candidate is another */
static void replace(tn_sim *s, tn_trials *x, const tn_candidate *other) {
  x->at_hand = *other;
  x->at_hand.forced = other->status == TN_OK;
  x->last = other->h == x->t_limit - s->now.t;
}

tn_status tn_try_other_lengths(tn_sim *s, tn_trials *x) {
  const double most = x->t_limit - s->now.t;
  tn_candidate other;
  if (tn_candidate_helpless(x)) {
    TN_TRY(pass(s, x->longest, most, CREPT_MOST, &other));
    x->longest.h = 0; /* no more of it in this step */
    if (other.status == TN_OK && other.err <= CREPT_MOST) replace(s, x, &other);
    return TN_OK;
  }
  /* rather than to take an error above the tolerance */
  const bool shortens = x->at_hand.err > TN_ABSURD && x->shortened < TN_MOST_SHORTENED;
  x->passed = true;
  TN_TRY(pass(s, x->at_hand, most, shortens ? 1 : INFINITY, &other));
  if (shortens && !(other.err <= 1)) {
    x->shortened++;
    return tn_attempt(s, x->h, &x->at_hand);
  }
  replace(s, x, &other);
  return TN_OK;
}
