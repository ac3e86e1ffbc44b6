/* outputs of two runs of one model, compared row by row as they come: a run and a second one with smaller errors.
 *
 *   (1) d = |a - b|; of an angle that has stayed within one turn in both runs, modulo a turn
 *   (2) scale = range of the output over both runs; of angles at most one turn, of energies at least the largest kinetic energy
 *   (3) error of the first run, about factor d: factor = 1/(1 - r), r the ratio of the errors of the two runs
 *   (4) predictable until the last row before factor d first exceeds threshold scale, in any output
 *   (5) growth of the largest d so far, over times t0 < t <= T, by two fits of least squares, the better of which is taken:
 *         exponential   log d = a + (t - t0)/tau
 *         power         log d = a + p log(t - t0)
 *       exponential only if d grows by e^3 from T/2 to T, which t^4 does not; also where it grows in bursts, p > 4 and by e^10 in all.
 *       T is the end, or where d reaches a tenth of the scale: what is larger does not grow any more
 *
 * a jump happens at slightly different times in both runs, and rows in between differ by all of the jump, however small the difference
 * of the times is. such rows are counted apart if the other run follows soon, within 1 % of the time so far or one row:
 *   - of all outputs, where one run has had more events, switches and impulses than the other;
 *   - of an output that jumps by itself, as atan2 and mod do, where it does so in one of them. */
#include "study/study.h"

static const double TURN = 6.283185307179586;
static const double STAIR = 1.1;     /* of the largest difference so far: what is worth another entry in its history */
static const double JUMP_SPIKE = 10; /* a jump makes the difference so many times larger than at the row before .. */
/* .. by the change of one run, to this share, while the other changes by less than it */
static const double JUMP_SHARE = 0.25;
static const double JUMP_RARE = 10; /* .. and by so many times the mean change of the output from row to row */
static const double FOLLOWS = 0.01; /* of the time so far: how long one run may be behind an event and the other not */
/* of its largest size: an output that changes less may change by errors alone */
static const double STILL_OUTPUT = 1e-7;
static const double STILL_BESIDE = 1e-9; /* likewise, of the largest range of outputs of the same unit */
/* likewise, of a turn or of the model's length: roundoff of what an output was made of */
static const double STILL_LENGTH = 1e-12;
static const double SATURATED = 0.1; /* of the scale: differences that are larger do not tell how they grow */
static const double DIFFERENCE_ROUNDOFF = 1e3 * TN_EPS; /* of its largest size: differences below it do not either */
/* e-foldings in the second half of the time: more than t^4 has, whatever came before */
static const double LEAST_GROWTH = 3;
static const double MOST_POWER = 4,
                    MUCH_GROWTH = 10; /* no error of a phase grows by such a power, and by e-foldings so many */
enum { FIT = 64 };                    /* times of (5) */

tn_status tn_differences_new(tn_differences *s, const tn_allocator *allocator, const tn_sim *sim, tn_error *e) {
  tn_arena_init(&s->arena, allocator);
  s->n = tn_sim_columns(sim);
  s->begin = s->end = NAN;
  const size_t n = (size_t)s->n + 1;
  s->output = tn_arena_alloc(&s->arena, sizeof *s->output * n);
  if (!s->output) return tn_fail(e, TN_E_MEMORY, "out of memory");
  memset(s->output, 0, sizeof *s->output * n);
  s->a = tn_arena_alloc(&s->arena, sizeof *s->a * n);
  s->b = tn_arena_alloc(&s->arena, sizeof *s->b * n);
  if (!s->a || !s->b) return tn_fail(e, TN_E_MEMORY, "out of memory");
  for (int i = 0; i < s->n; i++) {
    tn_difference *d = &s->output[i];
    d->name = tn_sim_column(sim, i);
    d->unit = tn_sim_column_unit(sim, i);
    d->angle = strcmp(d->unit, "rad") == 0;
    d->low = INFINITY;
    d->high = -INFINITY;
    d->at = d->last = NAN;
  }
  return TN_OK;
}

void tn_differences_free(tn_differences *s) { tn_arena_free(&s->arena); }

/* (1) */
static double apart(const tn_difference *d, double a, double b) {
  return fabs(d->angle && d->high - d->low <= TURN * (1 + TN_WHOLE) ? remainder(a - b, TURN) : a - b);
}

static bool add(tn_differences *s, tn_difference *d, double before, double t, double x) {
  if (x > d->most || isnan(d->at)) d->most = x, d->at = t;
  if (!(x > 0) || (d->stairs && x < STAIR * d->stair[d->stairs - 1].d)) return true;
  if (d->stairs == d->room) {
    const int room = d->room ? 2 * d->room : 32;
    tn_stair *larger = tn_arena_alloc(&s->arena, sizeof *larger * (size_t)room);
    if (!larger) return false;
    if (d->stairs) memcpy(larger, d->stair, sizeof *larger * (size_t)d->stairs);
    d->stair = larger;
    d->room = room;
  }
  d->stair[d->stairs++] = (tn_stair){.before = before, .t = t, .d = x};
  return true;
}

/* rows between the jumps of the two runs: the other has followed, or will not */
static bool settle(tn_differences *s, tn_difference *d, bool followed) {
  bool good = true;
  if (d->waiting && !followed) good = add(s, d, d->wait_before, d->wait_at, d->wait_most);
  if (d->waiting && followed) d->jump = fmax(d->jump, d->wait_most), d->jump_rows += d->waiting;
  d->waiting = 0;
  d->alone = false;
  return good;
}

static void wait_at(tn_difference *d, double before, double t, double x) {
  if (!d->waiting++) d->wait_before = before, d->wait_since = t, d->wait_most = 0;
  if (x >= d->wait_most) d->wait_most = x, d->wait_at = t;
}

/* how long one run may be ahead of the other by a jump, s */
static double patience(const tn_differences *s, double t) { return fmax(1.5 * (t - s->end), FOLLOWS * (t - s->begin)); }

/* since the row before, one run has jumped by what they differ by now, and the other has not */
static bool jumped(const tn_difference *d, double by, double by_b, double x_before, double x) {
  const double size = fmax(fabs(d->low), fabs(d->high)), mean = d->changes ? d->change / (double)d->changes : 0;
  if (!(x > DIFFERENCE_ROUNDOFF * size) || !(x > JUMP_SPIKE * x_before) || !(x > JUMP_RARE * mean)) return false;
  return fabs(fmax(by, by_b) - x) <= JUMP_SHARE * x && fmin(by, by_b) <= JUMP_SHARE * x;
}

static bool judge(tn_differences *s, int i, double t, const double *a, const double *b) {
  tn_difference *d = &s->output[i];
  const double before = s->rows ? s->end : t;
  if (!isfinite(a[i]) || !isfinite(b[i])) {
    d->not_finite++;
    d->one_finite += isfinite(a[i]) || isfinite(b[i]);
    return true;
  }
  const double x = apart(d, a[i], b[i]);
  bool good = true, jump = false;
  d->last = x;
  if (s->rows && isfinite(s->a[i]) && isfinite(s->b[i])) {
    const double by = fabs(a[i] - s->a[i]), by_b = fabs(b[i] - s->b[i]);
    jump = jumped(d, by, by_b, apart(d, s->a[i], s->b[i]), x);
    d->change += by + by_b;
    d->changes += 2;
  }
  if (s->between) return wait_at(d, before, t, x), true;
  if (d->alone) {
    const bool followed = JUMP_SPIKE * x <= d->wait_most;
    if (!followed && t - d->wait_since <= patience(s, t)) return wait_at(d, before, t, x), true;
    good = settle(s, d, followed);
  } else if (jump) {
    wait_at(d, before, t, x);
    d->alone = true;
    return true;
  }
  return add(s, d, before, t, x) && good;
}

/* one run has had more events, switches and impulses than the other: `ahead` by another number than the last time they agreed */
static bool look_at_jumps(tn_differences *s, double t, int64_t ahead) {
  const bool was = s->between;
  bool followed = true, good = true;
  s->between = ahead != s->ahead;
  if (s->between && !was) s->apart_since = t;
  if (s->between && was && t - s->apart_since > patience(s, t)) { /* they had another number of them */
    s->ahead = ahead;
    s->between = followed = false;
  }
  for (int i = 0; i < s->n && was && !s->between; i++) good = settle(s, &s->output[i], followed) && good;
  return good;
}

bool tn_differences_row(tn_differences *s, double t, int64_t ahead, const double *a, const double *b) {
  if (!s->rows) s->begin = s->end = t;
  for (int i = 0; i < s->n; i++) {
    tn_difference *d = &s->output[i];
    for (int k = 0; k < 2; k++) {
      const double x = k ? b[i] : a[i];
      if (!isfinite(x)) continue;
      d->low = fmin(d->low, x);
      d->high = fmax(d->high, x);
    }
  }
  bool good = look_at_jumps(s, t, ahead);
  for (int i = 0; i < s->n; i++) good = judge(s, i, t, a, b) && good;
  memcpy(s->a, a, sizeof *a * (size_t)s->n);
  memcpy(s->b, b, sizeof *b * (size_t)s->n);
  s->rows++;
  s->end = t;
  return good;
}

/* ---- what comes of it --------------------------------------------------------------------------------------------------- */

/* (2) */
static void find_scales(tn_differences *s, double length, double kinetic) {
  for (int i = 0; i < s->n; i++) {
    tn_difference *d = &s->output[i];
    const double range = d->high >= d->low ? d->high - d->low : 0, size = fmax(fabs(d->low), fabs(d->high));
    double others = 0;
    for (int k = 0; k < s->n && *d->unit; k++)
      if (strcmp(s->output[k].unit, d->unit) == 0 && s->output[k].high >= s->output[k].low)
        others = fmax(others, s->output[k].high - s->output[k].low);
    const double natural = d->angle ? TURN : strcmp(d->unit, "m") == 0 ? length : 0;
    const bool energy = strcmp(d->unit, "J") == 0;
    d->range = range;
    d->scale = d->angle ? fmin(range, TURN) : energy ? fmax(range, kinetic) : range;
    const bool still =
        range <= fmax(STILL_OUTPUT * (isfinite(size) ? size : 0), fmax(STILL_BESIDE * others, STILL_LENGTH * natural));
    d->constant = !(d->scale > 0) || (!energy && still && d->most > s->threshold * range);
  }
}

/* (4) */
static void find_limit(tn_differences *s) {
  s->predictable_until = s->end;
  s->limited_by = -1;
  for (int i = 0; i < s->n; i++) {
    const tn_difference *d = &s->output[i];
    for (int k = 0; k < d->stairs && !d->constant; k++) {
      if (s->factor * d->stair[k].d <= s->threshold * d->scale) continue;
      if (s->limited_by < 0 || d->stair[k].before < s->predictable_until)
        s->limited_by = i, s->predictable_until = d->stair[k].before;
      break;
    }
  }
}

/* y = a + b x by least squares; the sum of squares that it leaves */
static double line(int n, const double *x, const double *y, double *b) {
  double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
  for (int i = 0; i < n; i++) mx += x[i] / n, my += y[i] / n;
  for (int i = 0; i < n; i++) {
    xx += (x[i] - mx) * (x[i] - mx);
    xy += (x[i] - mx) * (y[i] - my);
    yy += (y[i] - my) * (y[i] - my);
  }
  *b = xx > 0 ? xy / xx : 0;
  return yy - *b * xy;
}

/* (5), of the output that limits, or of the one with the largest difference */
static void find_growth(tn_differences *s, double t0) {
  int which = s->limited_by;
  double most = 0, x[FIT], log_x[FIT], y[FIT], rate, power;
  for (int i = 0; i < s->n && s->limited_by < 0; i++) {
    const tn_difference *d = &s->output[i];
    if (d->constant || !(d->most / d->scale > most)) continue;
    most = d->most / d->scale;
    which = i;
  }
  s->growth = TN_GROWTH_UNKNOWN;
  s->folding = s->exponent = NAN;
  s->growing = which;
  if (which < 0) return;
  const tn_difference *d = &s->output[which];
  const double size = fmax(fabs(d->low), fabs(d->high));
  int first = 0, last = d->stairs - 1;
  while (first < d->stairs && d->stair[first].d < DIFFERENCE_ROUNDOFF * size) first++;
  if (first >= d->stairs) return;
  while (last > first && d->stair[last].d > SATURATED * d->scale) last--;
  const double from = fmax(d->stair[first].before, t0), to = last < d->stairs - 1 ? d->stair[last].t : s->end;
  if (!(to > from) || last - first < 4 || s->rows < 8) return;
  for (int i = 0, k = first; i < FIT; i++) {
    const double t = from + (to - from) * (i + 1) / FIT;
    while (k < last && d->stair[k + 1].t <= t) k++;
    x[i] = t - t0;
    log_x[i] = log(t - t0);
    y[i] = log(d->stair[k].d);
  }
  const double left = line(FIT, x, y, &rate), left_power = line(FIT, log_x, y, &power);
  const bool steady = left < left_power && y[FIT - 1] - y[FIT / 2 - 1] > LEAST_GROWTH;
  const bool in_bursts = power > MOST_POWER && y[FIT - 1] - y[0] > MUCH_GROWTH;
  if (rate > 0 && (steady || in_bursts)) {
    s->growth = TN_GROWTH_EXPONENTIAL;
    s->folding = 1 / rate;
  } else {
    s->growth = TN_GROWTH_POWER;
    s->exponent = power;
  }
}

bool tn_differences_end(tn_differences *s, double t0, double length, double kinetic, double factor, double threshold) {
  s->factor = factor;
  s->threshold = threshold;
  bool good = true;
  for (int i = 0; i < s->n; i++)
    good = settle(s, &s->output[i], true) && good; /* nobody knows whether it would follow */
  find_scales(s, length, kinetic);
  find_limit(s);
  find_growth(s, t0);
  return good;
}
