/* Kernels of columns whose blocks have at most three rows: bodies and joints in the plane. Everything is a scalar. The build keeps the
 * compiler from making vector loads: these would wait for the single numbers that the column before has just stored. */
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
      double left = K[j * n + r];
      for (int k = 0; k < s; k++) left -= Y[k * n + r] * z[k * m + j];
      K[j * n + r] = left;
    }
}

INLINE void down(const int s, const int n, const double *Y, const double *y, double *restrict x) {
  for (int r = 0; r < n; r++) {
    double left = x[r];
    for (int k = 0; k < s; k++) left -= Y[k * n + r] * y[k];
    x[r] = left;
  }
}

INLINE bool factor_kind(const int s, const int n1, const int n2, const bool rows, const tn_ldl *q, const tn_column *c,
                        double *x, double least[2]) {
  const tn_later *b = q->plan->later + c->first;
  const int *t = q->plan->target + c->update;
  double *K = q->K, *D = K + c->at, *W1 = D + s * s, *W2 = W1 + s * n1, P[9], I[9], minor[3], z1[9], z2[9];
  for (int k = 0; k < s; k++)
    for (int r = k; r < s; r++) P[3 * k + r] = D[k * s + r];
  tn_gauge *g = q->gauge + c->row;
  if (rows)
    for (int k = 0; k < s; k++) P[4 * k] -= q->eps * g[k].D;
  const double inverse = 1 / cofactors(s, P, 3, I, minor);
  if (!pivots_good(s, rows, P, 3, minor, g, least)) return false;
  for (int k = 0; k < s; k++)
    for (int r = k; r < s; r++) D[k * s + r] = inverse * I[3 * k + r];
  if (n1) {
    scale(s, n1, inverse, I, W1, z1);
    update(s, n1, n1, true, W1, z1, K + t[0]);
    if (x) down(s, n1, W1, x + c->x, x + b[0].x);
  }
  if (n2) {
    scale(s, n2, inverse, I, W2, z2);
    update(s, n2, n1, false, W2, z1, K + t[1]);
    update(s, n2, n2, true, W2, z2, K + t[2]);
    if (x) down(s, n2, W2, x + c->x, x + b[1].x);
  }
  return true;
}

INLINE bool factor_quick(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x,
                         double least[2]) {
  return c->kind == TN_BLOCK_ROWS ? factor_kind(s, n1, n2, true, q, c, x, least)
                                  : factor_kind(s, n1, n2, false, q, c, x, least);
}

INLINE void forward_quick(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x) {
  const tn_later *b = q->plan->later + c->first;
  const double *W = q->K + c->at + s * s;
  if (n1) down(s, n1, W, x + c->x, x + b[0].x);
  if (n2) down(s, n2, W + s * n1, x + c->x, x + b[1].x);
}

INLINE void up(const int s, const int n, const double *Y, const double *x, double *y) {
  for (int k = 0; k < s; k++)
    for (int r = 0; r < n; r++) y[k] -= Y[k * n + r] * x[r];
}

INLINE void backward_quick(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x) {
  const tn_later *b = q->plan->later + c->first;
  const double *D = q->K + c->at;
  double *at = x + c->x, y[3];
  for (int k = 0; k < s; k++) {
    y[k] = D[k] * at[0];
    for (int l = 1; l < s; l++) y[k] += (l < k ? D[l * s + k] : D[k * s + l]) * at[l];
  }
  if (n1) up(s, n1, D + s * s, x + b[0].x, y);
  if (n2) up(s, n2, D + s * s + s * n1, x + b[1].x, y);
  for (int k = 0; k < s; k++) at[k] = y[k];
}

/* ---- number by number ----------------------------------------------------------------------------------------------------- */

/* Y of n rows below number k: the rest of W -= Y Z_D', zd (s x s): Z in the column's own rows */
INLINE void scale_number(const int s, const int n, const int k, const double t, const double *zd, double *restrict W,
                         double *restrict z) {
  for (int r = 0; r < n; r++) {
    z[k * n + r] = W[k * n + r];
    const double y = W[k * n + r] = t * z[k * n + r];
    for (int m = k + 1; m < s; m++) W[m * n + r] -= y * zd[k * s + m];
  }
}

INLINE void forward_own(const int s, const double *D, double *x) {
  for (int k = 0; k < s; k++)
    for (int m = k + 1; m < s; m++) x[m] -= D[k * s + m] * x[k];
}

INLINE bool factor_careful(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x,
                           double least[2]) {
  const tn_later *b = q->plan->later + c->first;
  const int *t = q->plan->target + c->update;
  const bool rows = c->kind == TN_BLOCK_ROWS;
  tn_gauge *g = q->gauge + c->row;
  double *K = q->K, *D = K + c->at, *W1 = D + s * s, *W2 = W1 + s * n1, zd[9], z1[9], z2[9];
  for (int k = 0; k < s; k++) {
    const double p = rows ? guarded(q->eps, D[k * s + k], g + k, least) : D[k * s + k];
    if (!rows && !(p > 0)) return false;
    const double inverse = D[k * s + k] = 1 / p;
    for (int m = k + 1; m < s; m++) {
      zd[k * s + m] = D[k * s + m];
      D[k * s + m] *= inverse;
      for (int l = k + 1; l <= m; l++) D[l * s + m] -= D[k * s + m] * zd[k * s + l];
    }
    if (n1) scale_number(s, n1, k, inverse, zd, W1, z1);
    if (n2) scale_number(s, n2, k, inverse, zd, W2, z2);
  }
  if (x) forward_own(s, D, x + c->x);
  if (n1) {
    update(s, n1, n1, true, W1, z1, K + t[0]);
    if (x) down(s, n1, W1, x + c->x, x + b[0].x);
  }
  if (n2) {
    update(s, n2, n1, false, W2, z1, K + t[1]);
    update(s, n2, n2, true, W2, z2, K + t[2]);
    if (x) down(s, n2, W2, x + c->x, x + b[1].x);
  }
  return true;
}

INLINE void forward_careful(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x) {
  forward_own(s, q->K + c->at, x + c->x);
  forward_quick(s, n1, n2, q, c, x);
}

INLINE void backward_careful(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x) {
  const tn_later *b = q->plan->later + c->first;
  const double *D = q->K + c->at, *W = D + s * s;
  double *at = x + c->x, y[3];
  for (int k = 0; k < s; k++) y[k] = D[k * s + k] * at[k];
  if (n1) up(s, n1, W, x + b[0].x, y);
  if (n2) up(s, n2, W + s * n1, x + b[1].x, y);
  for (int k = s - 1; k >= 0; k--) {
    for (int m = k + 1; m < s; m++) y[k] -= D[k * s + m] * at[m];
    at[k] = y[k];
  }
}

/* ---- patterns of sizes ---------------------------------------------------------------------------------------------------- */

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

#define FUNCTIONS(s, n1, n2)                                                                                           \
  TN_ELIMINATION(_quick, s, n1, n2)                                                                                    \
  TN_ELIMINATION(_careful, s, n1, n2)                                                                                  \
  TN_RESIDUAL(s, n1, n2)
#define ENTRY(s, n1, n2)                                                                                               \
  {100 * s + 10 * n1 + n2,                                                                                             \
   {factor_quick_##s##n1##n2, forward_quick_##s##n1##n2, backward_quick_##s##n1##n2},                                  \
   {factor_careful_##s##n1##n2, forward_careful_##s##n1##n2, backward_careful_##s##n1##n2},                            \
   residual_##s##n1##n2},

PATTERNS(FUNCTIONS)

const tn_kernel tn_kernels_small[] = {PATTERNS(ENTRY){.code = 0}};
