/* Small dense matrices, for parts: row major, in place where it says so. Nothing allocates.
 * SPDX-License-Identifier: MIT
 *
 * NULL where a matrix is needed does nothing: false, 0 or NaN is returned. */
#ifndef TENON_DENSE_H
#define TENON_DENSE_H

#include "tenon/tenon.h"

/* 1: machine epsilon, the distance from 1 to the next double. roundoff of one operation is at most half of it */
#define TN_EPS 2.220446049250313e-16

#ifdef __cplusplus
extern "C" {
#endif

static inline double tn_dot(int n, const double *a, const double *b) {
  double sum = 0;
  if (n == 3) return sum + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; /* a twist in the plane: the same sum, no loop */
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* A (n x n) = L L', in the lower half; false: not positive definite. x = A^-1 x is `down` and then `up`: L^-1 x, L^-T x */
TN_API bool tn_cholesky(int n, double *A);
TN_API void tn_cholesky_down(int n, const double *L, double *x);
TN_API void tn_cholesky_up(int n, const double *L, double *x);

/* A (n x n) = P L U in place, pivot (n); false: singular. the complex matrix is A + i B, its vectors x + i y */
TN_API bool tn_lu_factor(int n, double *A, int *pivot);
TN_API void tn_lu_solve(int n, const double *LU, const int *pivot, double *x);
TN_API bool tn_lu_factor_complex(int n, double *A, double *B, int *pivot);
TN_API void tn_lu_solve_complex(int n, const double *A, const double *B, const int *pivot, double *x, double *y);

/* the largest |eigenvalue| of A (n x n, n <= 48), which is used up */
TN_API double tn_spectral_radius(int n, double *A);

#ifdef __cplusplus
}
#endif
#endif
