/* The spectral radius of a small matrix: |A^m|^(1/m) for m = 2^40, by repeated squaring. At such a power a non-normal part of A has no
 * weight, so the result is exact to roundoff. */
#include "linalg/linalg.h"

double tn_spectral_radius(int n, double *A) {
  enum { SQUARINGS = 40, MOST = 48 };
  double B[MOST * MOST], size = 0; /* logarithm of the factors divided out of A */
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
