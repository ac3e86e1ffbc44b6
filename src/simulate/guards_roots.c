/* guards: where an event function falls below its threshold inside a candidate of a step.
 *
 * Through a step each guard keeps the piece that it begins with, so that every formula sees smooth rates. Its margin
 * g(t, y) is 0 at the edge of the piece and below 0 outside (base/expr_piece.c). In a candidate that could be taken
 *   (1) t* = the first time at which some g falls below 0, on the integrator's own state inside the step: g >= 0 at
 *       `low`, g < 0 at `high`, by regula falsi (Illinois) on the nearest, every third time by halving, down to
 *       roundoff of t
 *   (2) the step is made anew with the length t* - t, and twice nearer with t* - g/gdot (judge_guards.c). Of formulas
 *       that keep rates of earlier steps the state inside is taken
 * A candidate that ends inside all pieces may have left one and come back. It is looked into where an evaluation was
 * outside, or where the parabola
 *   (3) q(x) = (1 - x) g0 + x g1 + a x (x - 1),  a = (gs - (1 - x) g0 - x g1)/(x (x - 1)) at the share x of an
 *       evaluation
 * through the margins at its ends and near a third or two has a least value below 0, and at eighths of the step.
 * Formulas that keep rates have the start of the step before in place of an evaluation inside.
 *
 * An operand that rests at a threshold, as one that joints hold there, is on either side by roundoff. So a margin has
 * a noise: what it changes by when every number of the state is off by TN_NOISE of the error that it may have. It is
 * outside only beyond that. A margin that is below 0 where the step begins, by roundoff behind a passage, counts from
 * where it has been above. */
#include "simulate/guards.h"

#include "simulate/simulate.h"

enum { SEARCH_MOST = 200, LOOK_PARTS = 8 }; /* halvings and more; parts of a candidate that is looked into */

static const double ROOT_HERE =
    1e-13; /* of the time, or of the step: a root so near to where the step begins is there */
static const double ROOT_BRACKET = 9e-16; /* of the time, or of the step: a bracket so short has found its root */
static const double SLOPE_OVER = 1e-3;    /* of the step: what the slope of a margin at its root is taken over */
static const double END_NEAR = 0.05;      /* of the step: evaluations nearer to its ends say nothing of a parabola */

static tn_switching *pieces(tn_sim *s) { return &s->solver.sys.given.switching; }

/* one search. all arrays are numbers of guards */
typedef struct search {
  double t_end, h;                  /* s: end and length of the candidate                                             */
  bool by_step;                     /* the formula knows nothing of earlier steps: evaluations are inside of this one */
  double low, high;                 /* shares: the bracket                                                            */
  double *low_margin, *high_margin; /* margins there                                                                  */
  double *from;                     /* share from which on a margin counts; INFINITY: nowhere in this candidate       */
  double *bound;                    /* a margin below it is outside: 0 where it has been outside by more than noise   */
  double *room;                     /* margins at the share at hand                                                   */
  double *dip;                      /* `dips` shares at which some margin may have been below 0                       */
  int dips;
} search;

/* ---- an attempt -------------------------------------------------------------------------------------------------- */

void tn_guards_attempt(tn_sim *s) {
  s->guards.suspect = INFINITY;
  s->guards.near_at[0] = s->guards.near_at[1] = INFINITY;
}

void tn_guards_notice(tn_sim *s) {
  tn_guards *w = &s->guards;
  const double share = (s->solver.sys.at.t - s->now.t) / s->stepper.length;
  if (pieces(s)->how != TN_PIECES_HELD) return;
  /* at a stage one may be anything; where the evaluation failed, pieces of laws have margins and events do not */
  if (tn_knows(&s->solver.sys, TN_LEVEL_TWISTS))
    tn_events_margins(s, false);
  else
    tn_events_unknown(s);
  for (int i = 0; i < s->m->switches; i++) {
    const tn_guard *g = &w->guard[i];
    if (pieces(s)->margin[i] < -tn_guard_least(g) && tn_guard_counts(g, w->begin[i]))
      w->suspect = fmin(w->suspect, share);
  }
  for (int k = 0; k < 2 && share > END_NEAR && share < 1 - END_NEAR; k++) {
    const double best = (1 + k) / 3.0;
    if (fabs(share - best) > fabs(w->near_at[k] - best)) continue;
    w->near_at[k] = share;
    memcpy(w->near[k], pieces(s)->margin, sizeof *w->near[k] * (size_t)s->m->switches);
  }
}

/* ---- margins inside ---------------------------------------------------------------------------------------------- */

/* margins at a share of the candidate */
static tn_status inside(tn_sim *s, double t_end, double share, double *to) {
  const double t = share < 1 ? s->now.t + share * (t_end - s->now.t) : t_end;
  tn_pieces_hold(s);
  TN_TRY(s->packed.indirect ? tn_packed_inside(s, t, share, s->now.y, s->next.y)
                            : s->m->run.integrator->dense(s->stepper.work, &s->stepper.ode, share, s->inside.y));
  return tn_guards_margins(s, t, s->inside.y, to);
}

static bool is_deep(const tn_sim *s, int i, double margin) { return margin < -tn_guard_least(&s->guards.guard[i]); }

static bool counts(const tn_sim *s, int i) { return tn_guard_counts(&s->guards.guard[i], s->guards.begin[i]); }

static bool is_outside(const search *x, int i, double share, const double *margin) {
  return margin[i] < x->bound[i] && share >= x->from[i];
}

/* the first that is outside its piece, or -1 */
static int first_outside(const tn_sim *s, const search *x, double share, const double *margin) {
  for (int i = 0; i < s->m->switches; i++)
    if (is_outside(x, i, share, margin)) return i;
  return -1;
}

/* ---- does anything speak for a root? ----------------------------------------------------------------------------- */

/* What margins change by with the state, in no direction of it in particular. Those of functions of time alone do not
 * change. */
static tn_status find_noise(tn_sim *s, const search *x) {
  double *y = s->inside.y;
  tn_error_weights(s, s->next.y, y);
  for (int i = 0; i < s->n; i++) y[i] = s->next.y[i] + (isfinite(y[i]) ? tn_any_way(i, TN_NOISE * y[i]) : 0);
  const tn_status status = tn_guards_margins(s, x->t_end, y, x->room);
  if (status != TN_OK && status != TN_E_RUN) return status;
  for (int i = 0; i < s->m->switches; i++) {
    const double change = status == TN_OK ? fabs(x->room[i] - x->high_margin[i]) : 0;
    s->guards.guard[i].noise = isfinite(change) ? change : 0;
  }
  return TN_OK;
}

/* (3): *at where the parabola is least, if it is below 0 there */
static bool parabola_dips(double share, double between, double begin, double end, double noise, double *at) {
  if (!(begin >= 0 && end >= 0) || !isfinite(share) || share == 0) return false;
  const double a = (between - (1 - share) * begin - share * end) / (share * (share - 1));
  const double x = 0.5 - 0.5 * (end - begin) / a;
  *at = x;
  return a > 0 && x > 0 && x < 1 && (1 - x) * begin + x * end + a * x * (x - 1) < -noise;
}

/* whether the margin of guard i may have been below 0 inside. A margin that is not known at stages, because it needs
 * accelerations, is looked at over the step before */
static bool may_dip(const tn_sim *s, const search *x, int i, double *at) {
  const tn_guards *w = &s->guards;
  const tn_guard *g = &w->guard[i];
  const double begin = w->begin[i], end = x->high_margin[i];
  bool some = false;
  if (g->level > 0) return false;
  if (!x->by_step || isnan(w->near[0][i]))
    return !g->fresh && parabola_dips((w->before_at - s->now.t) / x->h, w->before[i], begin, end, g->noise, at);
  for (int k = 0; k < 2 && !some; k++) some = parabola_dips(w->near_at[k], w->near[k][i], begin, end, g->noise, at);
  return some;
}

/* with the margins at the end: is one outside, may one have been? */
static void consider(tn_sim *s, search *x, bool *outside, bool *suspect) {
  *outside = false;
  x->dips = 0;
  for (int i = 0; i < s->m->switches; i++) {
    *outside = *outside || is_deep(s, i, x->high_margin[i]);
    if (may_dip(s, x, i, &x->dip[x->dips])) x->dips++;
  }
  *suspect = x->dips > 0 || (x->by_step && s->guards.suspect <= 1);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* with the noise found */
static void set_bounds(const tn_sim *s, search *x) {
  for (int i = 0; i < s->m->switches; i++)
    x->bound[i] = is_deep(s, i, x->high_margin[i]) ? 0 : -tn_guard_least(&s->guards.guard[i]);
}

/* From which share on margins count. Those that did not count where the step began are looked at inside. *here: some
 * were outside all the time, and go to the piece where they are; they are DUE. */
static tn_status count_from(tn_sim *s, search *x, bool *here) {
  static const double look[] = {1.0 / 64, 1.0 / 8, 1.0 / 2};
  const int n = s->m->switches;
  bool back = false;
  *here = false;
  for (int i = 0; i < n; i++) {
    x->from[i] = counts(s, i) ? 0 : INFINITY;
    back = back || (!counts(s, i) && is_deep(s, i, x->high_margin[i]));
  }
  for (size_t k = 0; back && k < sizeof look / sizeof *look; k++) {
    TN_TRY(inside(s, x->t_end, look[k], x->room));
    for (int i = 0; i < n; i++) {
      const tn_guard *g = &s->guards.guard[i];
      if (x->from[i] == 0 || !is_deep(s, i, x->high_margin[i])) continue;
      if (x->room[i] >= g->level) x->from[i] = fmin(x->from[i], look[k]);
      if (x->room[i] < 0 && k == 0) tn_guard_due(s, i, pieces(s)->live[i]);
    }
  }
  for (int i = 0; back && i < n; i++)
    if (isfinite(x->from[i]) && s->guards.guard[i].state == TN_GUARD_DUE) tn_guard_withdraw(s, i);
  *here = s->guards.due > 0;
  return TN_OK;
}

/* Shares of a candidate at which it is looked into: x->high becomes the first at which some margin is outside. */
static tn_status look_into(tn_sim *s, search *x) {
  const int n = s->m->switches;
  for (int k = 0; k < LOOK_PARTS + x->dips; k++) {
    const double share = k == 0 ? s->guards.suspect : k < LOOK_PARTS ? (double)k / LOOK_PARTS : x->dip[k - LOOK_PARTS];
    if (!(share > 0 && share < x->high)) continue;
    TN_TRY(inside(s, x->t_end, share, x->room));
    if (first_outside(s, x, share, x->room) < 0) continue;
    for (int i = 0; i < n; i++)
      if (is_deep(s, i, x->room[i])) x->bound[i] = 0;
    memcpy(x->high_margin, x->room, sizeof *x->room * (size_t)n);
    x->high = share;
  }
  return TN_OK;
}

/* where the nearest root is by regula falsi, or the end of the bracket */
static double nearest_root(const tn_sim *s, const search *x, double weight_low, double weight_high) {
  double nearest = x->high;
  for (int i = 0; i < s->m->switches; i++) {
    const bool brackets =
        x->high_margin[i] < 0 && x->high >= x->from[i] && x->low_margin[i] >= 0 && x->low >= x->from[i];
    if (!brackets) continue;
    const double a = weight_low * x->low_margin[i], b = -weight_high * x->high_margin[i];
    nearest = fmin(nearest, x->low + (x->high - x->low) * (a / (a + b)));
  }
  return nearest;
}

/* (1): the bracket */
static tn_status narrow(tn_sim *s, search *x) {
  const size_t size = sizeof *x->room * (size_t)s->m->switches;
  const double least = ROOT_BRACKET * fmax(fabs(x->t_end), x->h) / x->h;
  double weight_low = 1, weight_high = 1;
  int side = 0;
  memcpy(x->low_margin, s->guards.begin, size);
  for (int k = 0; x->high - x->low > least && k < SEARCH_MOST; k++) {
    double share = 0.5 * (x->low + x->high);
    const double nearest = k % 3 < 2 ? nearest_root(s, x, weight_low, weight_high) : x->high;
    if (nearest > x->low && nearest < x->high) share = nearest;
    if (!(share > x->low && share < x->high)) break;
    TN_TRY(inside(s, x->t_end, share, x->room));
    const bool out = first_outside(s, x, share, x->room) >= 0;
    weight_low = out && side > 0 ? 0.5 * weight_low : 1;
    weight_high = !out && side < 0 ? 0.5 * weight_high : 1;
    side = out ? 1 : -1;
    memcpy(out ? x->high_margin : x->low_margin, x->room, size);
    *(out ? &x->high : &x->low) = share;
  }
  return TN_OK;
}

/* (1), with x->high outside: all that are outside behind it are DUE */
static tn_status locate(tn_sim *s, search *x, tn_guard_root *root) {
  const double least = ROOT_HERE * fmax(fabs(s->now.t), x->h);
  TN_TRY(narrow(s, x));
  TN_TRY(inside(s, x->t_end, x->high, x->high_margin));
  root->guard = first_outside(s, x, x->high, x->high_margin);
  if (root->guard < 0) return tn_fail(s->e, TN_E_INTERNAL, "a switch was lost");
  for (int i = 0; i < s->m->switches; i++)
    if (is_outside(x, i, x->high, x->high_margin)) tn_guard_due(s, i, pieces(s)->live[i]);
  if (x->high * x->h <= least) {
    root->found = TN_FOUND_HERE;
    return TN_OK;
  }
  const double back = fmin(SLOPE_OVER, 0.5 * x->high);
  TN_TRY(inside(s, x->t_end, x->high - back, x->low_margin));
  root->slope = (x->high_margin[root->guard] - x->low_margin[root->guard]) / (back * x->h);
  root->found = TN_FOUND_INSIDE;
  if ((1 - x->high) * x->h > least) root->t = s->now.t + x->high * x->h;
  return TN_OK;
}

static tn_status find(tn_sim *s, search *x, tn_guard_root *root) {
  bool outside, suspect, here = false;
  TN_TRY(tn_guards_margins(s, x->t_end, s->next.y, x->high_margin));
  consider(s, x, &outside, &suspect);
  if (!outside && !suspect) return TN_OK;
  TN_TRY(find_noise(s, x));
  consider(s, x, &outside, &suspect);
  if (!outside && !suspect) return TN_OK;
  set_bounds(s, x);
  if (outside)
    TN_TRY(count_from(s, x, &here));
  else
    for (int i = 0; i < s->m->switches; i++) x->from[i] = counts(s, i) ? 0 : INFINITY;
  if (here) {
    root->found = TN_FOUND_HERE;
    return TN_OK;
  }
  if (suspect) TN_TRY(look_into(s, x));
  return first_outside(s, x, x->high, x->high_margin) < 0 ? TN_OK : locate(s, x, root);
}

tn_status tn_guards_look(tn_sim *s, double t_end, tn_guard_root *root) {
  const tn_integrator_type *type = s->m->run.integrator;
  const int n = s->m->switches;
  search x = {.t_end = t_end, .h = t_end - s->now.t, .by_step = !type->keeps_rates && !type->advance, .high = 1};
  double **const numbers[] = {&x.low_margin, &x.high_margin, &x.from, &x.bound, &x.room, &x.dip};
  enum { NUMBERS = sizeof numbers / sizeof *numbers };
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *const room = tn_room(s, NUMBERS * n);
  assert(s->guards.due == 0);
  for (int i = 0; i < NUMBERS; i++) *numbers[i] = room + i * n;
  *root = (tn_guard_root){.found = TN_FOUND_NONE, .t = t_end, .guard = -1};
  s->events.undefined = -1;
  const tn_status status = find(s, &x, root);
  tn_scratch_close(&s->scratch, scope);
  if (status != TN_OK) tn_guards_withdraw(s); /* a shorter candidate may be looked at */
  return status == TN_OK && root->found == TN_FOUND_HERE ? tn_guards_apply(s) : status;
}

tn_status tn_guards_off(tn_sim *s, const tn_guard_root *root, double t, double *off) {
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *margin = tn_room(s, s->m->switches);
  assert(root->found == TN_FOUND_INSIDE);
  const tn_status status = tn_guards_margins(s, t, s->next.y, margin);
  *off = status == TN_OK && root->slope < 0 ? margin[root->guard] / root->slope : 0;
  tn_scratch_close(&s->scratch, scope);
  return status;
}

tn_status tn_guards_inside(tn_sim *s, double t_end, double t) {
  const double share = t < t_end ? (t - s->now.t) / (t_end - s->now.t) : 1;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  const tn_status status = inside(s, t_end, share, tn_room(s, s->m->switches));
  tn_scratch_close(&s->scratch, scope);
  if (status != TN_OK) return status;
  memcpy(s->next.y, s->inside.y, sizeof *s->next.y * (size_t)s->n);
  if (s->packed.indirect) memcpy(s->next.z, s->inside.z, sizeof *s->next.z * (size_t)s->stepper.ode.n);
  s->stepper.share = share;
  return TN_OK;
}
