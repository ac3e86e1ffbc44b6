/* the determinant by elimination with row pivots: the product of the pivots, with the sign of the exchanges. */
#include "linalg/linalg.h"

double tn_determinant(int n, double *A) {
  double product = 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[(size_t)i * (size_t)n + (size_t)k]) > fabs(A[(size_t)best * (size_t)n + (size_t)k])) best = i;
    double *pivot = A + (size_t)k * (size_t)n, *other = A + (size_t)best * (size_t)n;
    for (int j = k; j < n && best != k; j++) {
      const double x = pivot[j];
      pivot[j] = other[j];
      other[j] = x;
    }
    product *= best != k ? -pivot[k] : pivot[k];
    if (pivot[k] == 0) return product;
    for (int i = k + 1; i < n; i++) {
      double *row = A + (size_t)i * (size_t)n;
      const double c = row[k] / pivot[k];
      for (int j = k + 1; j < n && c != 0; j++) row[j] -= c * pivot[j];
    }
  }
  return product;
}
