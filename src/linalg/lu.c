/* P A = L U with exchange of rows, real and complex. Row major; a complex matrix is two real ones. Used by Newton's iteration in
 * implicit integrators, whose matrices are neither symmetric nor sparse. */
#include "linalg/linalg.h"

bool tn_lu_factor(int n, double *A, int *pivot) {
  if (!A || !pivot) return false;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[(size_t)i * (size_t)n + (size_t)k]) > fabs(A[(size_t)p * (size_t)n + (size_t)k])) p = i;
    pivot[k] = p;
    double *a = A + (size_t)k * (size_t)n, *b = A + (size_t)p * (size_t)n;
    for (int j = 0; p != k && j < n; j++) {
      const double x = a[j];
      a[j] = b[j];
      b[j] = x;
    }
    if (!(fabs(a[k]) > 0) || !isfinite(a[k])) return false;
    for (int i = k + 1; i < n; i++) {
      double *c = A + (size_t)i * (size_t)n;
      if (c[k] == 0) continue;
      const double l = c[k] /= a[k];
      for (int j = k + 1; j < n; j++) c[j] -= l * a[j];
    }
  }
  return true;
}

void tn_lu_solve(int n, const double *LU, const int *pivot, double *x) {
  if (!LU || !pivot || !x) return;
  for (int k = 0; k < n; k++) { /* all exchanges first: the rows of L were exchanged with them */
    const double y = x[pivot[k]];
    x[pivot[k]] = x[k];
    x[k] = y;
  }
  for (int k = 0; k < n; k++) {
    const double *a = LU + (size_t)k * (size_t)n;
    for (int j = 0; j < k; j++) x[k] -= a[j] * x[j];
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *a = LU + (size_t)k * (size_t)n;
    for (int j = k + 1; j < n; j++) x[k] -= a[j] * x[j];
    x[k] /= a[k];
  }
}

static void divide(double a, double b, double c, double d, double *re, double *im) {
  const double r = c * c + d * d;
  *re = (a * c + b * d) / r;
  *im = (b * c - a * d) / r;
}

bool tn_lu_factor_complex(int n, double *A, double *B, int *pivot) {
  if (!A || !B || !pivot) return false;
  for (int k = 0; k < n; k++) {
    int p = k;
    double most = -1;
    for (int i = k; i < n; i++) {
      const size_t at = (size_t)i * (size_t)n + (size_t)k;
      const double size = fabs(A[at]) + fabs(B[at]);
      if (size > most) most = size, p = i;
    }
    pivot[k] = p;
    double *a = A + (size_t)k * (size_t)n, *b = B + (size_t)k * (size_t)n;
    double *ap = A + (size_t)p * (size_t)n, *bp = B + (size_t)p * (size_t)n;
    for (int j = 0; p != k && j < n; j++) {
      const double x = a[j], y = b[j];
      a[j] = ap[j], b[j] = bp[j];
      ap[j] = x, bp[j] = y;
    }
    if (!(most > 0) || !isfinite(most)) return false;
    for (int i = k + 1; i < n; i++) {
      double *c = A + (size_t)i * (size_t)n, *d = B + (size_t)i * (size_t)n;
      if (c[k] == 0 && d[k] == 0) continue;
      divide(c[k], d[k], a[k], b[k], &c[k], &d[k]);
      const double re = c[k], im = d[k];
      for (int j = k + 1; j < n; j++) {
        c[j] -= re * a[j] - im * b[j];
        d[j] -= re * b[j] + im * a[j];
      }
    }
  }
  return true;
}

void tn_lu_solve_complex(int n, const double *A, const double *B, const int *pivot, double *x, double *y) {
  if (!A || !B || !pivot || !x || !y) return;
  for (int k = 0; k < n; k++) {
    const double re = x[pivot[k]], im = y[pivot[k]];
    x[pivot[k]] = x[k], y[pivot[k]] = y[k];
    x[k] = re, y[k] = im;
  }
  for (int k = 0; k < n; k++) {
    const double *a = A + (size_t)k * (size_t)n, *b = B + (size_t)k * (size_t)n;
    for (int j = 0; j < k; j++) {
      x[k] -= a[j] * x[j] - b[j] * y[j];
      y[k] -= a[j] * y[j] + b[j] * x[j];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *a = A + (size_t)k * (size_t)n, *b = B + (size_t)k * (size_t)n;
    for (int j = k + 1; j < n; j++) {
      x[k] -= a[j] * x[j] - b[j] * y[j];
      y[k] -= a[j] * y[j] + b[j] * x[j];
    }
    divide(x[k], y[k], a[k], b[k], &x[k], &y[k]);
  }
}
