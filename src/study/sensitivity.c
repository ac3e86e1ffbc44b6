/* derivatives of measures f by a parameter x, by central differences.
 *
 *   (1) D(h) = (f(x + h) - f(x - h))/2h = f' + c h^2 + O(h^4)
 *   (2) f' = (4 D(h/2) - D(h))/3 + O(h^4), Richardson's rule
 *   (3) error: |D(h/2) - D(h)|, and what roundoff of f leaves in (1): 4 eps max|f|/h
 *
 * (3) is three times the error that h/2 leaves in (1), much more than that of (2) where h is small enough for c h^2 to be what there is.
 * Where noise d of the runs, which are right to their tolerances, is larger than that, (2) is off by about 1.9 d/h and (3) is about 1.6 d/h. */
#include "study/study.h"

#include <float.h>

static double f_at(const tn_sweep *s, int parameter, int which, int measure, const char **failure) {
  const int run = 1 + 4 * parameter + which;
  if (!*failure) *failure = s->failure[run];
  return s->value[(size_t)run * (size_t)s->study.measures + (size_t)measure];
}

static double x_at(const tn_sweep *s, int parameter, int which) {
  tn_given given[TN_MOST_AXES];
  tn_sweep_given(s, 1 + 4 * parameter + which, given);
  return given[parameter].number;
}

bool tn_sweep_sensitivity(const tn_sweep *s, int i, tn_sensitivity *out) {
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
  double f[4], x[4], largest = 0;
  out->value = s->value[m];
  for (int k = 0; k < 4; k++) {
    f[k] = f_at(s, p, k, m, &out->failure);
    x[k] = x_at(s, p, k);
    largest = fmax(largest, fabs(f[k]));
  }
  if (out->failure) return true;
  const double D1 = (f[0] - f[1]) / (x[0] - x[1]), D2 = (f[2] - f[3]) / (x[2] - x[3]);
  out->derivative = (4 * D2 - D1) / 3;
  out->error = fabs(D2 - D1) + 4 * DBL_EPSILON * largest / a->b;
  if (!isfinite(out->derivative)) {
    out->derivative = out->error = NAN;
    out->failure = "the measure has no value in a run beside it";
  }
  return true;
}
