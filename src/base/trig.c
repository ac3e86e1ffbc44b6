/* Cosines and sines of many angles at once. The loop has no branch, so that a compiler can vectorize it.
 *   (1) x = k pi/2 + r, |r| <= pi/4, pi/2 in three parts of which the first two have few enough digits for k times them to be exact
 *       (Cody & Waite); beyond |x| = 1e5 the library does it
 *   (2) polynomials of r^2: the coefficients of the freely usable fdlibm, kernel sine and cosine
 * absolute error 2e-16. */
#include "base/base.h"

static const double FAR_ANGLE = 1e5; /* rad */
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double P1 = 0x1.921fb544p+0, P2 = 0x1.0b4611a6p-34, P3 = 0x1.3198a2e037073p-69;
static const double ROUND = 0x1.8p52; /* added and taken off again: the nearest whole number */

static inline void one(double x, double *c, double *s) {
  const double shifted = x * TWO_OVER_PI + ROUND, k = shifted - ROUND;
  const double r = ((x - k * P1) - k * P2) - k * P3, z = r * r;
  const double sine = r + r * z *
                              (-1.66666666666666324348e-01 +
                               z * (8.33333333332248946124e-03 +
                                    z * (-1.98412698298579493134e-04 +
                                         z * (2.75573137070700676789e-06 +
                                              z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const double cosine =
      1 - (0.5 * z - z * z *
                         (4.16666666666666019037e-02 +
                          z * (-1.38888888888741095749e-03 +
                               z * (2.48015872894767294178e-05 +
                                    z * (-2.75573143513906633035e-07 +
                                         z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  /* quadrant: the last two bits of k, as numbers, so that no branch is needed */
  const double quarter = k - 4 * ((k * 0.25 - 0.375 + ROUND) - ROUND); /* 0 1 2 3 */
  const double swap = quarter == 1 || quarter == 3 ? 1 : 0;
  const double a = swap > 0 ? sine : cosine, b = swap > 0 ? cosine : sine;
  *c = quarter == 1 || quarter == 2 ? -a : a;
  *s = quarter >= 2 ? -b : b;
}

void tn_cos_sin(int n, const double *x, int stride, double *restrict c, double *restrict s) {
  enum { AT_ONCE = 64 };
  double here[AT_ONCE];
  for (int i = 0; i < n; i += AT_ONCE) {
    const int m = n - i < AT_ONCE ? n - i : AT_ONCE;
    double most = 0;
    for (int k = 0; k < m; k++) here[k] = x[(size_t)(i + k) * (size_t)stride];
    for (int k = 0; k < m; k++) most = fabs(here[k]) > most ? fabs(here[k]) : most;
    for (int k = 0; k < m; k++) one(here[k], c + i + k, s + i + k);
    if (most < FAR_ANGLE) continue;
    for (int k = 0; k < m; k++) {
      if (fabs(here[k]) < FAR_ANGLE) continue;
      c[i + k] = cos(here[k]);
      s[i + k] = sin(here[k]);
    }
  }
}
