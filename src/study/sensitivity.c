/* derivatives of measures f by a parameter x, by central differences.
 *
 *   (1) D(h) = (f(x + h) - f(x - h))/2h = f' + c h^2 + O(h^4)
 *   (2) f' = (4 D(h/2) - D(h))/3 + O(h^4), Richardson's rule
 *   (3) d = D*(h/2) - D(h/2), D* of runs that are more accurate: tolerances a tenth, fixed steps half as long. added to (2)
 *   (4) error: |D(h/2) - D(h)| + 2 |d|, and what roundoff of f leaves in (1): 4 eps max|f|/h
 *
 * the first of (4) is three times the error that h/2 leaves in (1), much more than that of (2) where h is small enough for c h^2 to be what
 * there is. what runs are off by is the same in D(h) and D(h/2) where it is smooth, and only the second sees it: it is then most of
 * that, and what is left of it a ninth or less, or of a formula of first order with fixed steps as much. noise is in all of them. */
#include "study/study.h"

/* which: +h, -h, +h/2, -h/2, and the last two more accurate */
static double f_at(const tn_sweep *s, int parameter, int which, int measure, const char **failure) {
  const int run = 1 + TN_BESIDE * parameter + which;
  if (!*failure) *failure = s->failure[run];
  return s->value[(size_t)run * (size_t)s->study.measures + (size_t)measure];
}

static double x_at(const tn_sweep *s, int parameter, int which) {
  tn_given given[TN_MOST_AXES];
  tn_sweep_given(s, 1 + TN_BESIDE * parameter + which, given);
  return given[parameter].number;
}

bool tn_sweep_sensitivity(const tn_sweep *s, int i, tn_sensitivity *out) {
  if (!s || !out) return false;
  const int measures = s->study.measures;
  if (!s->sensitivity || i < 0 || i >= s->axes * measures) return false;
  const int p = i / measures, m = i % measures;
  const tn_axis *a = &s->axis[p];
  *out = (tn_sensitivity){.parameter = a->name,
                          .measure = s->study.measure[m].name,
                          .at = a->a,
                          .step = a->b,
                          .value = NAN,
                          .derivative = NAN,
                          .error = NAN};
  if (!s->done || s->finished < s->runs) return true;
  double f[TN_BESIDE], x[TN_BESIDE], largest = 0;
  out->value = s->value[m];
  for (int k = 0; k < TN_BESIDE; k++) {
    f[k] = f_at(s, p, k, m, &out->failure);
    x[k] = x_at(s, p, k);
    largest = fmax(largest, fabs(f[k]));
  }
  if (out->failure) return true;
  const double D1 = (f[0] - f[1]) / (x[0] - x[1]), D2 = (f[2] - f[3]) / (x[2] - x[3]),
               d = (f[4] - f[5]) / (x[4] - x[5]) - D2;
  out->derivative = (4 * D2 - D1) / 3 + d;
  out->error = fabs(D2 - D1) + 2 * fabs(d) + 4 * TN_EPS * largest / a->b;
  if (!isfinite(out->derivative)) {
    out->derivative = out->error = NAN;
    out->failure = "the measure has no value in a run beside it";
  }
  return true;
}
