/* symmetric matrices without negative eigenvalues, as stiffness and damping are: one that is not symmetric has no potential, one
 * with a negative eigenvalue drives what it should hold.
 *   (1) in units of its diagonal, K_ij / sqrt(K_ii K_jj), no entry is above 1, whatever units the rows have
 *   (2) elimination with the largest pivot first: no pivot below zero, and where none is above it nothing is left */
#include "model/model.h"

enum { MOST = 6 };
static const double MATRIX_ROUNDOFF = 1e-12;

static tn_status read_rows(tn_context *c, const tn_node *node, const char *key, int n, double *K) {
  memset(K, 0, sizeof *K * (size_t)(n * n));
  if (node->kind != TN_NODE_LIST || (int)node->size != n)
    return tn_refuse(c, node, "`%s` needs %d numbers, or a matrix of %d rows", key, n, n);
  if (node->first->kind != TN_NODE_LIST) {
    const tn_node *k = node->first;
    for (int i = 0; i < n; i++, k = k->next) TN_TRY(tn_number_at(c, k, &K[i * n + i]));
    return TN_OK;
  }
  const tn_node *row = node->first;
  for (int i = 0; i < n; i++, row = row->next) TN_TRY(tn_numbers_at(c, row, n, K + i * n));
  return TN_OK;
}

/* (2) */
static bool is_positive(int n, double *K) {
  bool done[MOST] = {false};
  for (int step = 0; step < n; step++) {
    int p = -1;
    double largest = 0;
    for (int i = 0; i < n; i++)
      if (!done[i] && (p < 0 || K[i * n + i] > K[p * n + p])) p = i;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (!done[i] && !done[j]) largest = fmax(largest, fabs(K[i * n + j]));
    if (K[p * n + p] <= MATRIX_ROUNDOFF) return largest <= MATRIX_ROUNDOFF;
    done[p] = true;
    for (int i = 0; i < n; i++)
      for (int j = 0; !done[i] && j < n; j++)
        if (!done[j]) K[i * n + j] -= K[i * n + p] * K[p * n + j] / K[p * n + p];
  }
  return true;
}

tn_status tn_matrix_at(tn_context *c, const tn_node *node, const char *key, int n, double *K) {
  double unit[MOST * MOST], d[MOST];
  TN_TRY(read_rows(c, node, key, n, K));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (!isfinite(K[i * n + j])) return tn_refuse(c, node, "`%s` must be made of finite numbers", key);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (fabs(K[i * n + j] - K[j * n + i]) > MATRIX_ROUNDOFF * (fabs(K[i * n + j]) + fabs(K[j * n + i])))
        return tn_refuse(c, node, "`%s` is not symmetric: row %d has %g where row %d has %g", key, j + 1, K[j * n + i],
                         i + 1, K[i * n + j]);
  for (int i = 0; i < n; i++) {
    if (K[i * n + i] < 0)
      return tn_refuse(c, node, "`%s` must not be negative: number %d of its diagonal is %g", key, i + 1, K[i * n + i]);
    d[i] = K[i * n + i] > 0 ? sqrt(K[i * n + i]) : 1;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      K[i * n + j] = i < j ? K[i * n + j] : K[j * n + i]; /* to the last digit */
      unit[i * n + j] = K[i * n + j] / d[i] / d[j];
    }
  if (!is_positive(n, unit))
    return tn_refuse(c, node, "`%s` has a negative eigenvalue: in some direction it would push on what it should hold",
                     key);
  return TN_OK;
}
