/* Kernels of columns with blocks of more than three rows: bodies and joints in space. Also the kernels for any column. The rows of a
 * block are padded, so that loops over them become vector instructions. */
#include "linalg/kernel.h"

/* a column of a block of five to eight rows; compilers split it where the processor has no such vectors */
typedef double column8 __attribute__((vector_size(64), aligned(8), may_alias));
INLINE column8 *at8(double *p) { return (column8 *)(void *)p; }
INLINE const column8 *of8(const double *p) { return (const column8 *)(const void *)p; }

/* (1) for n rows below chunk c (w wide) of a column of s: W kept as Y, Z in z. P^-1 = t I */
INLINE void scale_rows(const int s, const int c, const int w, const int n, const double t, const double *I,
                       const double *Zd, double *W, double *z) {
  const int pad = tn_block_pad(n), pad_d = tn_block_pad(s);
  if (n > 4) {
    column8 y[3];
    for (int k = 0; k < w; k++) *at8(z + 8 * (c + k)) = *of8(W + 8 * (c + k));
    for (int k = 0; k < w; k++) {
      y[k] = I[3 * k] * *of8(z + 8 * c);
      for (int l = 1; l < w; l++) y[k] += I[3 * k + l] * *of8(z + 8 * (c + l));
      y[k] *= t;
      *at8(W + 8 * (c + k)) = y[k];
    }
    for (int m = c + w; m < s; m++) {
      column8 sum = *of8(W + 8 * m);
      for (int k = 0; k < w; k++) sum -= y[k] * Zd[(c + k) * pad_d + m];
      *at8(W + 8 * m) = sum;
    }
    return;
  }
  for (int k = 0; k < w; k++)
    for (int r = 0; r < n; r++) z[(c + k) * pad + r] = W[(c + k) * pad + r];
  for (int k = 0; k < w; k++)
    for (int r = 0; r < n; r++) {
      double sum = I[3 * k] * z[c * pad + r];
      for (int l = 1; l < w; l++) sum += I[3 * k + l] * z[(c + l) * pad + r];
      W[(c + k) * pad + r] = t * sum;
    }
  for (int m = c + w; m < s; m++)
    for (int r = 0; r < n; r++)
      for (int k = 0; k < w; k++) W[m * pad + r] -= W[(c + k) * pad + r] * Zd[(c + k) * pad_d + m];
}

/* (2): K (n x m) -= Y Z', s numbers each. of a pivot the lower triangle counts */
INLINE void update_block(const int s, const int n, const int m, const bool pivot, const double *Y, const double *z,
                         double *K) {
  const int pad = tn_block_pad(n), pad_z = tn_block_pad(m);
  for (int j = 0; j < m; j++) {
    if (n > 4) {
      column8 sum = *of8(K + 8 * j);
      for (int k = 0; k < s; k++) sum -= *of8(Y + 8 * k) * z[k * pad_z + j];
      *at8(K + 8 * j) = sum;
      continue;
    }
    for (int r = pivot ? j : 0; r < n; r++) {
      double sum = Y[r] * z[j];
      for (int k = 1; k < s; k++) sum += Y[k * pad + r] * z[k * pad_z + j];
      K[j * pad + r] -= sum;
    }
  }
}

INLINE void forward_column(const int s, const int n, const double *Y, const double *y, double *x) {
  const int pad = tn_block_pad(n);
  if (n > 4) {
    column8 sum = *of8(Y) * y[0];
    for (int k = 1; k < s; k++) sum += *of8(Y + 8 * k) * y[k];
    for (int r = 0; r < n; r++) x[r] -= sum[r];
    return;
  }
  for (int r = 0; r < n; r++)
    for (int k = 0; k < s; k++) x[r] -= Y[k * pad + r] * y[k];
}

/* in the column's own rows, chunks of w */
INLINE void forward_pivot(const int s, const int w, const double *D, double *y) {
  const int pad = tn_block_pad(s);
  for (int c = 0; c + w < s; c += w)
    for (int m = c + w; m < s; m++)
      for (int k = c; k < c + w; k++) y[m] -= D[k * pad + m] * y[k];
}

/* y -= Y'x of a block */
INLINE void backward_column(const int s, const int n, const double *Y, const double *x, double *y) {
  const int pad = tn_block_pad(n);
  for (int k = 0; k < s; k++) {
    double even = 0, odd = 0;
    for (int r = 0; r < n; r += 2) even += Y[k * pad + r] * x[r];
    for (int r = 1; r < n; r += 2) odd += Y[k * pad + r] * x[r];
    y[k] -= even + odd;
  }
}

/* x of a column; y is the sum over its blocks */
INLINE void backward_pivot(const int s, const int chunk, const double *D, const double *y, double *x) {
  const int pad = tn_block_pad(s), last = (s - 1) / chunk * chunk;
  double all[TN_BLOCK_MOST];
  for (int f = last; f >= 0; f -= chunk)
    for (int k = f; k < f + chunk && k < s; k++) {
      double sum = y[k];
      for (int l = f; l < f + chunk && l < s; l++) sum += D[k * pad + l] * x[l];
      for (int m = f + chunk; m < s; m++) sum -= D[k * pad + m] * all[m];
      all[k] = sum;
    }
  for (int k = 0; k < s; k++) x[k] = all[k];
}

/* ---- patterns of sizes ---------------------------------------------------------------------------------------------------- */

INLINE bool factor_quick(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x,
                         double least[2]) {
  const tn_later *b = q->plan->later + c->first;
  const int *t = q->plan->target + c->update;
  const int pad = tn_block_pad(s), pad1 = tn_block_pad(n1), pad2 = tn_block_pad(n2), at = c->x;
  const bool rows = c->kind == TN_BLOCK_ROWS;
  double D[64], W1[64], W2[64], zd[64], z1[64], z2[64], *restrict K = q->K;
  for (int i = 0; i < s * pad; i++) D[i] = K[c->at + i];
  tn_gauge *g = q->gauge + c->row;
  if (rows)
    for (int i = 0; i < s; i++) D[i * pad + i] -= q->eps * g[i].D;
  for (int i = 0; n1 && i < s * pad1; i++) W1[i] = K[b[0].at + i];
  for (int i = 0; n2 && i < s * pad2; i++) W2[i] = K[b[1].at + i];
  for (int f = 0; f < s; f += 3) {
    const int w = s - f < 3 ? s - f : 3;
    double I[9], minor[3];
    const double inverse = 1 / cofactors(w, D + f * pad + f, pad, I, minor);
    if (!pivots_good(w, rows, D + f * pad + f, pad, minor, g + f, least)) return false;
    if (f + 3 < s) scale_rows(s, f, w, s, inverse, I, zd, D, zd);
    for (int k = 0; k < w; k++)
      for (int l = 0; l < w; l++) D[(f + k) * pad + f + l] = inverse * I[3 * k + l];
    if (n1) scale_rows(s, f, w, n1, inverse, I, zd, W1, z1);
    if (n2) scale_rows(s, f, w, n2, inverse, I, zd, W2, z2);
  }
  for (int i = 0; i < s * pad; i++) K[c->at + i] = D[i];
  if (n1) {
    update_block(s, n1, n1, true, W1, z1, K + t[0]);
    for (int i = 0; i < s * pad1; i++) K[b[0].at + i] = W1[i];
  }
  if (n2) {
    update_block(s, n2, n1, false, W2, z1, K + t[1]);
    update_block(s, n2, n2, true, W2, z2, K + t[2]);
    for (int i = 0; i < s * pad2; i++) K[b[1].at + i] = W2[i];
  }
  if (!x) return true;
  forward_pivot(s, 3, D, x + at);
  if (n1) forward_column(s, n1, W1, x + at, x + b[0].x);
  if (n2) forward_column(s, n2, W2, x + at, x + b[1].x);
  return true;
}

INLINE void forward_quick(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x) {
  const tn_later *b = q->plan->later + c->first;
  forward_pivot(s, 3, q->K + c->at, x + c->x);
  if (n1) forward_column(s, n1, q->K + b[0].at, x + c->x, x + b[0].x);
  if (n2) forward_column(s, n2, q->K + b[1].at, x + c->x, x + b[1].x);
}

INLINE void backward_quick(const int s, const int n1, const int n2, const tn_ldl *q, const tn_column *c, double *x) {
  const tn_later *b = q->plan->later + c->first;
  double y[TN_BLOCK_MOST] = {0};
  if (n1) backward_column(s, n1, q->K + b[0].at, x + b[0].x, y);
  if (n2) backward_column(s, n2, q->K + b[1].at, x + b[1].x, y);
  backward_pivot(s, 3, q->K + c->at, y, x + c->x);
}

/* ---- any column ---------------------------------------------------------------------------------------------------------- */

/* Chunks of three, or of one for careful columns. false: a pivot has the wrong sign or is small. */
INLINE bool any(const tn_ldl *q, const tn_column *c, int chunk, double *x, double least[2]) {
  const tn_plan *p = q->plan;
  const tn_later *b = p->later + c->first;
  const int *t = p->target + c->update, s = c->size, pad = tn_block_pad(s);
  const bool rows = c->kind == TN_BLOCK_ROWS, careful = chunk == 1;
  double D[64], zd[64];
  tn_gauge *g = q->gauge + c->row;
  memcpy(D, q->K + c->at, sizeof *D * (size_t)(s * pad));
  for (int i = 0; rows && !careful && i < s; i++) D[i * pad + i] -= q->eps * g[i].D;
  for (int f = 0; f < s; f += chunk) {
    const int w = s - f < chunk ? s - f : chunk;
    double I[9], minor[3], det;
    if (rows && careful) {
      I[0] = 1;
      det = guarded(q->eps, D[f * pad + f], g + f, least);
    } else {
      det = cofactors(w, D + f * pad + f, pad, I, minor);
      if (!pivots_good(w, rows, D + f * pad + f, pad, minor, g + f, least)) return false;
    }
    if (f + w < s) scale_rows(s, f, w, s, 1 / det, I, zd, D, zd);
    for (int k = 0; k < w; k++)
      for (int l = 0; l < w; l++) D[(f + k) * pad + f + l] = I[3 * k + l] / det;
  }
  /* with D known, Z and Y of the blocks follow: as in scale_rows, chunk by chunk */
  double *z = q->z;
  for (int i = 0; i < c->n; i++, z += TN_BLOCK_MOST * TN_BLOCK_MOST) {
    double *W = q->K + b[i].at;
    for (int f = 0; f < s; f += chunk) {
      const int w = s - f < chunk ? s - f : chunk;
      double I[9];
      for (int k = 0; k < w; k++)
        for (int l = 0; l < w; l++) I[3 * k + l] = D[(f + k) * pad + f + l];
      scale_rows(s, f, w, b[i].size, 1, I, zd, W, z);
    }
  }
  memcpy(q->K + c->at, D, sizeof *D * (size_t)(s * pad));
  if (x) forward_pivot(s, chunk, D, x + c->x);
  for (int i = 0; i < c->n; i++) {
    for (int j = 0; j <= i; j++)
      update_block(s, b[i].size, b[j].size, i == j, q->K + b[i].at, q->z + j * TN_BLOCK_MOST * TN_BLOCK_MOST,
                   q->K + *t++);
    if (x) forward_column(s, b[i].size, q->K + b[i].at, x + c->x, x + b[i].x);
  }
  return true;
}

INLINE void forward_any(const tn_ldl *q, const tn_column *c, int chunk, double *x) {
  const tn_later *b = q->plan->later + c->first;
  forward_pivot(c->size, chunk, q->K + c->at, x + c->x);
  for (int i = 0; i < c->n; i++) forward_column(c->size, b[i].size, q->K + b[i].at, x + c->x, x + b[i].x);
}

INLINE void backward_any(const tn_ldl *q, const tn_column *c, int chunk, double *x) {
  const tn_later *b = q->plan->later + c->first;
  double y[TN_BLOCK_MOST] = {0};
  for (int i = 0; i < c->n; i++) backward_column(c->size, b[i].size, q->K + b[i].at, x + b[i].x, y);
  backward_pivot(c->size, chunk, q->K + c->at, y, x + c->x);
}

static void residual_any(const tn_plan *p, const tn_column *c, const double *K, const double *x, double *r) {
  residual_of(c->size, -1, -1, c->n, p, c, K, x, r);
}

#define ANY(chunk)                                                                                                     \
  static bool factor_##chunk(const tn_ldl *b, const tn_column *c, double *x, double least[2]) {                        \
    return any(b, c, chunk, x, least);                                                                                 \
  }                                                                                                                    \
  static void forward_##chunk(const tn_ldl *b, const tn_column *c, double *x) { forward_any(b, c, chunk, x); }         \
  static void backward_##chunk(const tn_ldl *b, const tn_column *c, double *x) { backward_any(b, c, chunk, x); }
ANY(3)
ANY(1)
#undef ANY

#define BY(chunk)                                                                                                      \
  { factor_##chunk, forward_##chunk, backward_##chunk }
const tn_kernel tn_kernel_any = {0, BY(3), BY(1), residual_any};

/* ---- patterns, in lists ---------------------------------------------------------------------------------------------------- */

#define PATTERNS(CASE)                                                                                                 \
  CASE(6, 0, 0)                                                                                                        \
  CASE(6, 5, 0)                                                                                                        \
  CASE(6, 5, 5)                                                                                                        \
  CASE(5, 6, 0)                                                                                                        \
  CASE(5, 5, 0)                                                                                                        \
  CASE(5, 0, 0)                                                                                                        \
  CASE(6, 6, 0)                                                                                                        \
  CASE(6, 6, 6)                                                                                                        \
  CASE(6, 3, 0)                                                                                                        \
  CASE(3, 6, 0)                                                                                                        \
  CASE(6, 1, 0)                                                                                                        \
  CASE(1, 6, 0)                                                                                                        \
  CASE(6, 6, 1)                                                                                                        \
  CASE(6, 3, 3)                                                                                                        \
  CASE(6, 5, 3)                                                                                                        \
  CASE(6, 3, 5)                                                                                                        \
  CASE(3, 3, 6)                                                                                                        \
  CASE(5, 6, 6)

#define FUNCTIONS(s, n1, n2)                                                                                           \
  TN_ELIMINATION(_quick, s, n1, n2)                                                                                    \
  TN_RESIDUAL(s, n1, n2)
#define ENTRY(s, n1, n2)                                                                                               \
  {100 * s + 10 * n1 + n2,                                                                                             \
   {factor_quick_##s##n1##n2, forward_quick_##s##n1##n2, backward_quick_##s##n1##n2},                                  \
   BY(1),                                                                                                              \
   residual_##s##n1##n2},

PATTERNS(FUNCTIONS)

const tn_kernel tn_kernels_wide[] = {PATTERNS(ENTRY){.code = 0}};
