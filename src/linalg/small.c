/* kernels of columns whose blocks have at most three rows: bodies and joints in the plane. everything is a scalar: the build keeps
 * the compiler from loading them as vectors, which would wait for the single numbers that the column before has just written. */
#include "linalg/kernel.h"

/* Y = t W I in place of W (n x s), K -= Y W' on its pivot; W is still needed by a second block: kept in z */
INLINE void scale(const int s, const int n, const double t, const double I[9], double *restrict W, double *restrict z) {
  double y[9];
  for (int i = 0; i < s * n; i++) z[i] = W[i];
  for (int k = 0; k < s; k++)
    for (int r = 0; r < n; r++) {
      double sum = I[3 * k] * z[r];
      for (int l = 1; l < s; l++) sum += I[3 * k + l] * z[l * n + r];
      y[k * n + r] = t * sum;
    }
  for (int i = 0; i < s * n; i++) W[i] = y[i];
}

/* K (n x m) -= Y Z'; of a pivot the lower triangle */
INLINE void update(const int s, const int n, const int m, const bool pivot, const double *Y, const double *z,
                   double *restrict K) {
  for (int j = 0; j < m; j++)
    for (int r = pivot ? j : 0; r < n; r++) {
      double sum = Y[r] * z[j];
      for (int k = 1; k < s; k++) sum += Y[k * n + r] * z[k * m + j];
      K[j * n + r] -= sum;
    }
}

INLINE void down(const int s, const int n, const double *Y, const double *y, double *restrict x) {
  for (int r = 0; r < n; r++) {
    double sum = Y[r] * y[0];
    for (int k = 1; k < s; k++) sum += Y[k * n + r] * y[k];
    x[r] -= sum;
  }
}

INLINE bool factor(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x,
                   double least[2]) {
  const tn_later *b = q->plan->later + c->first;
  const int *t = q->plan->target + c->update;
  const bool rows = c->kind == TN_BLOCK_ROWS;
  double *K = q->K, *D = K + c->at, P[9], I[9], minor[3], z1[9], z2[9];
  for (int k = 0; k < s; k++)
    for (int r = k; r < s; r++) P[3 * k + r] = D[k * s + r];
  if (rows)
    for (int k = 0; k < s; k++) P[4 * k] -= q->eps * q->D[c->x + k];
  const double inverse = 1 / cofactors(s, P, 3, I, minor);
  if (!pivots_good(q, s, rows, P, 3, minor, c->x, least)) return false;
  for (int k = 0; k < s; k++)
    for (int r = 0; r < s; r++) D[k * s + r] = inverse * I[3 * k + r];
  if (n1) {
    double *W = K + b[0].at;
    scale(s, n1, inverse, I, W, z1);
    update(s, n1, n1, true, W, z1, K + t[0]);
    if (x) down(s, n1, W, x + c->x, x + b[0].x);
  }
  if (n2) {
    double *W = K + b[1].at;
    scale(s, n2, inverse, I, W, z2);
    update(s, n2, n1, false, W, z1, K + t[1]);
    update(s, n2, n2, true, W, z2, K + t[2]);
    if (x) down(s, n2, W, x + c->x, x + b[1].x);
  }
  return true;
}

INLINE void forward(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x) {
  const tn_later *b = q->plan->later + c->first;
  if (n1) down(s, n1, q->K + b[0].at, x + c->x, x + b[0].x);
  if (n2) down(s, n2, q->K + b[1].at, x + c->x, x + b[1].x);
}

INLINE void up(const int s, const int n, const double *Y, const double *x, double *y) {
  for (int k = 0; k < s; k++)
    for (int r = 0; r < n; r++) y[k] -= Y[k * n + r] * x[r];
}

INLINE void backward(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x) {
  const tn_later *b = q->plan->later + c->first;
  const double *D = q->K + c->at;
  double *at = x + c->x, y[3];
  for (int k = 0; k < s; k++) {
    y[k] = D[k * s] * at[0];
    for (int l = 1; l < s; l++) y[k] += D[k * s + l] * at[l];
  }
  if (n1) up(s, n1, q->K + b[0].at, x + b[0].x, y);
  if (n2) up(s, n2, q->K + b[1].at, x + b[1].x, y);
  for (int k = 0; k < s; k++) at[k] = y[k];
}

#define PATTERNS(CASE)                                                                                                 \
  CASE(3, 0, 0)                                                                                                        \
  CASE(3, 2, 0)                                                                                                        \
  CASE(3, 2, 2)                                                                                                        \
  CASE(3, 3, 0)                                                                                                        \
  CASE(3, 3, 2)                                                                                                        \
  CASE(3, 2, 3)                                                                                                        \
  CASE(3, 3, 3)                                                                                                        \
  CASE(3, 1, 0)                                                                                                        \
  CASE(3, 3, 1)                                                                                                        \
  CASE(3, 1, 3)                                                                                                        \
  CASE(3, 1, 1)                                                                                                        \
  CASE(3, 2, 1)                                                                                                        \
  CASE(3, 1, 2)                                                                                                        \
  CASE(2, 0, 0)                                                                                                        \
  CASE(2, 3, 0)                                                                                                        \
  CASE(2, 2, 0)                                                                                                        \
  CASE(2, 3, 2)                                                                                                        \
  CASE(2, 2, 2)                                                                                                        \
  CASE(2, 2, 3)                                                                                                        \
  CASE(2, 3, 3)                                                                                                        \
  CASE(2, 1, 0)                                                                                                        \
  CASE(1, 0, 0)                                                                                                        \
  CASE(1, 3, 0)                                                                                                        \
  CASE(1, 1, 0)                                                                                                        \
  CASE(1, 2, 0)                                                                                                        \
  CASE(1, 3, 3)                                                                                                        \
  CASE(1, 3, 2)                                                                                                        \
  CASE(1, 2, 3)

PATTERNS(TN_KERNEL_FUNCTIONS)

const tn_kernel tn_kernels_small[] = {PATTERNS(TN_KERNEL_ENTRY){0, NULL, NULL, NULL, NULL}};
