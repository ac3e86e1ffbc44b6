/* rows in the metric of the inverse mass, for stabilizers that make multipliers of their own. dense.
 *   (1) L L' = M + W, W = sum sigma_i a_i a_i' for masses that rows stand in for;  f + sum sigma_i a_i gamma_i for f
 *   (2) B = A L^-T,  S = B B' = A (M + W)^-1 A',  g = B L^-1 f - gamma: what a row lacks of its acceleration without multipliers
 *   (3) (add + S) x = x by Cholesky, add a diagonal: any that is above roundoff lets rows repeat each other */
#include "stabilize/stabilize.h"

static const tn_array arrays[] = {TN_ARRAY(tn_gram, L, .rows = TN_N, .columns = TN_N),
                                  TN_ARRAY(tn_gram, y, .rows = TN_N),
                                  TN_ARRAY(tn_gram, B, .rows = TN_M, .columns = TN_N),
                                  TN_ARRAY(tn_gram, S, .rows = TN_M, .columns = TN_M),
                                  TN_ARRAY(tn_gram, G, .rows = TN_M, .columns = TN_M),
                                  TN_ARRAY(tn_gram, g, .rows = TN_M),
                                  TN_ARRAY(tn_gram, add, .rows = TN_M),
                                  {.name = NULL}};
const tn_workspace tn_gram_workspace = {sizeof(tn_gram), arrays};

bool tn_gram_form(tn_gram *w, const tn_view *v) {
  const int nu = w->nu = v->speeds, rows = w->rows = v->rows;
  const double *sigma = v->sigma;
  memcpy(w->L, v->M, sizeof *w->L * (size_t)nu * (size_t)nu);
  memcpy(w->y, v->f, sizeof *w->y * (size_t)nu);
  for (int k = 0; sigma && k < rows; k++) {
    const double *a = v->A + (size_t)k * (size_t)nu;
    for (int i = 0; sigma[k] > 0 && i < nu; i++) {
      w->y[i] += sigma[k] * a[i] * v->gamma[k];
      for (int j = 0; j < nu; j++) w->L[i * nu + j] += sigma[k] * a[i] * a[j];
    }
  }
  if (!tn_cholesky(nu, w->L)) return false;
  tn_cholesky_down(nu, w->L, w->y);
  for (int k = 0; k < rows; k++) {
    double *b = w->B + (size_t)k * (size_t)nu;
    memcpy(b, v->A + (size_t)k * (size_t)nu, sizeof *b * (size_t)nu);
    tn_cholesky_down(nu, w->L, b);
    w->g[k] = tn_dot(nu, b, w->y) - v->gamma[k];
    for (int i = 0; i <= k; i++) w->S[k * rows + i] = w->S[i * rows + k] = tn_dot(nu, b, w->B + (size_t)i * (size_t)nu);
  }
  return true;
}

/* by a share of S itself, so that nothing but rows that repeat each other sees it */
void tn_gram_least(tn_gram *w) {
  static const double GRAM_SHARE = 1e-13;
  for (int i = 0; i < w->rows; i++) {
    const double size = w->S[i * w->rows + i];
    w->add[i] = size > 0 ? GRAM_SHARE * size : 1;
  }
}

bool tn_gram_factor(tn_gram *w) {
  const int rows = w->rows;
  memcpy(w->G, w->S, sizeof *w->G * (size_t)rows * (size_t)rows);
  for (int i = 0; i < rows; i++) w->G[i * rows + i] += w->add[i];
  return tn_cholesky(rows, w->G);
}

void tn_gram_solve(const tn_gram *w, double *x) {
  tn_cholesky_down(w->rows, w->G, x);
  tn_cholesky_up(w->rows, w->G, x);
}

/* dx = M^-1 A' x */
void tn_gram_spread(const tn_gram *w, const double *x, double *dx) {
  for (int j = 0; j < w->nu; j++) dx[j] = 0;
  for (int i = 0; i < w->rows; i++)
    for (int j = 0; j < w->nu; j++) dx[j] += x[i] * w->B[i * w->nu + j];
  tn_cholesky_up(w->nu, w->L, dx);
}
