/* Singular values by rotations of the rows (one-sided Jacobi, Hestenes 1958). Pairs of rows are rotated until all are orthogonal. Their
 * lengths are the singular values, and small ones have full relative accuracy, too.
 *   (1) a = |x|^2, b = |y|^2, c = x'y;  zeta = (b - a)/(2 c),  tan = sign(zeta)/(|zeta| + sqrt(1 + zeta^2))
 *   (2) x <- cos x - sin y,  y <- sin x + cos y */
#include "linalg/linalg.h"

enum { SWEEPS_MAX = 60 };

static bool rotate(int n, double *x, double *y) {
  double a = 0, b = 0, c = 0;
  for (int k = 0; k < n; k++) {
    a += x[k] * x[k];
    b += y[k] * y[k];
    c += x[k] * y[k];
  }
  if (!(fabs(c) > TN_EPS * sqrt(a) * sqrt(b))) return false;
  const double zeta = (b - a) / (2 * c);
  const double tangent = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
  for (int k = 0; k < n; k++) {
    const double xk = x[k];
    x[k] = cosine * xk - sine * y[k];
    y[k] = sine * xk + cosine * y[k];
  }
  return true;
}

void tn_singular_values(int m, int n, double *A, double *sigma) {
  bool turned = true;
  for (int sweep = 0; turned && sweep < SWEEPS_MAX; sweep++) {
    turned = false;
    for (int i = 0; i < m; i++)
      for (int j = i + 1; j < m; j++)
        turned = rotate(n, A + (size_t)i * (size_t)n, A + (size_t)j * (size_t)n) || turned;
  }
  for (int i = 0; i < m; i++) {
    const double *x = A + (size_t)i * (size_t)n;
    double sum = 0;
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    /* insert it in order */
    int at = i;
    for (; at > 0 && sigma[at - 1] < sqrt(sum); at--) sigma[at] = sigma[at - 1];
    sigma[at] = sqrt(sum);
  }
}
