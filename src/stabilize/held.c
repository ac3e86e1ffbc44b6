/* what feedback that is held over a step does to a violation that nothing else adds to: with inc = -a h Cdot - b C at the start of
 * the step,
 *   (1) one step knows all, order two or more:  C' = C + h Cdot + inc/2,  h Cdot' = h Cdot + inc;  euler: C' = C + h Cdot
 *   (2) rates of earlier steps are kept, without feedback:  C' = C + sum beta_j h Cdot_{n-j} + inc/2; the rate at the predicted state
 *       has none either, so that its Cdot is that of n. rates kept at predicted states (PEC): Cdot_{n-j-1} in the place of Cdot_{n-j}
 * the spectral radius of these maps is the growth, in the long run. (1) is stable if and only if 0 < b, b/2 < a < 2; euler if 0 < b < a
 * < 2 + b/2. */
#include "stabilize/stabilize.h"

/* 1: growth over a step that is above 1 by no more is roundoff: the range of gains is known to as many digits */
static const double HELD_EDGE = 1e-12;

enum { MOST = 15 };

static double of_formula(int k, const double *b, const double *c, bool predicted, double gain_a, double gain_b) {
  double A[(MOST + 2) * (MOST + 2)] = {0};
  const int late = predicted, n = k + 1 + late; /* C, then h Cdot of n, n-1 .. */
  A[0] = 1;
  A[1] = c[0];
  for (int j = 0; j < k; j++) A[1 + late + j] += c[0] != 0 ? c[j + 1] : b[j];
  A[0] -= gain_b / 2;
  A[1] -= gain_a / 2;
  A[n] = -gain_b;
  A[n + 1] = 1 - gain_a;
  for (int j = 1; j < k + late; j++) A[(1 + j) * n + j] = 1;
  return tn_spectral_radius(n, A);
}

double tn_held_growth(const tn_integrator_type *type, const void *self, double a, double b) {
  double A[4] = {1 - b / 2, 1 - a / 2, -b, 1 - a}, euler[4] = {1, 1, -b, 1 - a}, worst = 0;
  if (!type->formula) return tn_spectral_radius(2, type->order == 1 ? euler : A);
  const bool predicted = type->keeps_predicted && type->keeps_predicted(self);
  for (int order = type->orders ? 1 : 0; order <= type->orders; order++) {
    double p[MOST + 1], c[MOST + 2];
    const int k = type->formula(self, order, p, c);
    worst = k <= MOST ? fmax(worst, of_formula(k, p, c, predicted, a, b)) : INFINITY;
  }
  return worst;
}

bool tn_held_range(const tn_integrator_type *type, const void *self, double b, double *from, double *to) {
  const double d = 1.0 / 64, most = 1 + HELD_EDGE;
  *from = *to = NAN;
  for (double a = 0; a < 4; a += d) {
    if (tn_held_growth(type, self, a, b) > most) {
      if (!isnan(*from)) break;
      continue;
    }
    if (isnan(*from)) *from = a;
    *to = a;
  }
  if (isnan(*from)) return false;
  for (int end = *from > 0 ? 0 : 1; end < 2; end++) { /* closer */
    double *edge = end ? to : from, out = end ? *to + d : *from - d;
    for (int i = 0; i < 40; i++) {
      const double x = (*edge + out) / 2;
      if (tn_held_growth(type, self, x, b) > most)
        out = x;
      else
        *edge = x;
    }
  }
  return true;
}
