/* kernel.h: code that the kernels of columns share. block.c has the equations. */
#ifndef TN_KERNEL_H
#define TN_KERNEL_H

#include "linalg/linalg.h"

#define INLINE static inline __attribute__((always_inline))

/* A column is eliminated carefully where rho is below the first, or where the determinant of a chunk is below the second times the product
 * of its diagonal: then cofactors lose digits that elimination keeps. */
static const double TN_SMALL_RHO = 1e-6, TN_SMALL_DETERMINANT = 1e-4;

/* of P (n x n, n <= 3, columns `pad` apart): its inverse times its determinant, in I (columns 3 apart); the leading determinants */
INLINE double cofactors(const int n, const double *P, const int pad, double I[9], double minor[3]) {
  minor[0] = P[0];
  if (n == 1) {
    I[0] = 1;
    return P[0];
  }
  const double a = P[0], b = P[1], d = P[pad + 1], ad = a * d - b * b;
  minor[1] = ad;
  if (n == 2) {
    I[0] = d, I[3] = I[1] = -b, I[4] = a;
    return ad;
  }
  const double c = P[2], e = P[pad + 2], f = P[2 * pad + 2];
  I[0] = d * f - e * e;
  I[1] = I[3] = c * e - b * f;
  I[2] = I[6] = b * e - c * d;
  I[4] = a * f - c * c;
  I[5] = I[7] = b * c - a * e;
  I[8] = ad;
  return minor[2] = a * I[0] + b * I[1] + c * I[2];
}

/* true if the pivots of a chunk have the right sign, and those of rows are not small. minor: leading determinants; g: of its rows */
INLINE bool pivots_good(const int n, const bool rows, const double *P, const int pad, const double minor[3],
                        tn_gauge *g, double least[2]) {
  const double d1 = P[0], d2 = n > 1 ? d1 * P[pad + 1] : 0, d3 = n > 2 ? d2 * P[2 * pad + 2] : 0;
  if (!rows)
    return d1 > 0 && (n < 2 || (d2 > 0 && minor[1] > TN_SMALL_DETERMINANT * d2)) &&
           (n < 3 || (d3 > 0 && minor[2] > TN_SMALL_DETERMINANT * d3));
  double here = INFINITY, nearest = least[1];
  for (int k = 0; k < n; k++) {
    const double p = k ? -minor[k] / minor[k - 1] : -minor[0], r = p * g[k].D_inv, near = p * g[k].usual;
    g[k].rho = r;
    here = r < here ? r : here;
    nearest = near < nearest ? near : nearest;
  }
  /* failed here: the careful kernel decides whether the pivot is bad */
  if (!(here > TN_SMALL_RHO && (n < 2 || minor[1] > TN_SMALL_DETERMINANT * d2) &&
        (n < 3 || -minor[2] > -TN_SMALL_DETERMINANT * d3)))
    return false;
  least[0] = here < least[0] ? here : least[0];
  least[1] = nearest;
  return true;
}

/* r -= K x of a column as filled: its pivot, of which the lower triangle counts, and n blocks of sizes n1, n2 (those of `later`
 * where n1 < 0) */
INLINE void residual_of(const int s, const int n1, const int n2, const int n, const tn_plan *p, const tn_column *c,
                        const double *K, const double *x, double *r) {
  const tn_later *b = p->later + c->first;
  const double *D = K + c->at, *y = x + c->x;
  const int pad = tn_block_pad(s);
  double own[TN_BLOCK_MOST];
  for (int i = 0; i < s; i++) own[i] = r[c->x + i] - D[i * pad + i] * y[i];
  for (int j = 0; j < s; j++)
    for (int i = j + 1; i < s; i++) {
      own[i] -= D[j * pad + i] * y[j];
      own[j] -= D[j * pad + i] * y[i];
    }
  for (int k = 0; k < n; k++) {
    const int m = n1 < 0 ? b[k].size : k ? n2 : n1, step = tn_block_pad(m);
    const double *W = K + b[k].at, *z = x + b[k].x;
    double *out = r + b[k].x;
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int j = 0; j < s; j++) {
        sum += W[j * step + i] * y[j];
        own[j] -= W[j * step + i] * z[i];
      }
      out[i] -= sum;
    }
  }
  for (int i = 0; i < s; i++) r[c->x + i] = own[i];
}

/* the pivot of a row, guarded */
INLINE double guarded(const double eps, const double d, tn_gauge *g, double least[2]) {
  const double p = d < 0 ? -d : 0;
  g->rho = p * g->D_inv;
  least[0] = tn_min(least[0], g->rho);
  if (g->usual > 0) least[1] = tn_min(least[1], p * g->usual); /* a redundant row is always small */
  return -(p + eps * g->D);
}

/* of a way to eliminate columns of a pattern, its functions, from `factor`, `forward` and `backward` followed by its name; and their
 * residual */
#define TN_ELIMINATION(way, s, n1, n2)                                                                                 \
  static bool factor##way##_##s##n1##n2(const tn_ldl *b, const tn_column *c, double *x, double least[2]) {             \
    return factor##way(s, n1, n2, b, c, x, least);                                                                     \
  }                                                                                                                    \
  static void forward##way##_##s##n1##n2(const tn_ldl *b, const tn_column *c, double *x) {                             \
    forward##way(s, n1, n2, b, c, x);                                                                                  \
  }                                                                                                                    \
  static void backward##way##_##s##n1##n2(const tn_ldl *b, const tn_column *c, double *x) {                            \
    backward##way(s, n1, n2, b, c, x);                                                                                 \
  }
#define TN_RESIDUAL(s, n1, n2)                                                                                         \
  static void residual_##s##n1##n2(const tn_plan *p, const tn_column *c, const double *K, const double *x,             \
                                   double *r) {                                                                        \
    residual_of(s, n1, n2, (n1 > 0) + (n2 > 0), p, c, K, x, r);                                                        \
  }

#endif
