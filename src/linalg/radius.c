/* the largest modulus of an eigenvalue of a small matrix: |A^m|^(1/m) for m = 2^40, by squaring. what is not normal about A has no
 * weight at such a power, so that it is good to roundoff. */
#include "linalg/linalg.h"

double tn_spectral_radius(int n, double *A) {
  enum { SQUARINGS = 40, MOST = 48 };
  double B[MOST * MOST], size = 0; /* logarithm of what was taken out of A */
  if (!A || n < 1 || n > MOST) return NAN;
  for (int s = 0; s <= SQUARINGS; s++) {
    double most = 0;
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(A[i]));
    if (!(most > 0) || !isfinite(most)) return most;
    size += log(most);
    for (int i = 0; i < n * n; i++) A[i] /= most;
    if (s == SQUARINGS) break;
    memset(B, 0, sizeof *B * (size_t)(n * n));
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) B[i * n + j] += A[i * n + k] * A[k * n + j];
    memcpy(A, B, sizeof *B * (size_t)(n * n));
    size *= 2;
  }
  return exp(ldexp(size, -SQUARINGS));
}
