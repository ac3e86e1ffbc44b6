/* Dense matrices for formulations that serve as references: singular vectors, least squares, elimination with pivots.
 * SPDX-License-Identifier: MIT
 *
 * Singular vectors by rotations of the rows, as in svd.c:
 *   (1) Q X = diag(sigma) V',  Q orthogonal: the product of the rotations;  X^+ = V diag(1/sigma) Q
 * Least squares by Householder reflections, which never form H'H:
 *   (2) H = Q R;  H^+ = R^-1 Q',  H^+' = Q R^-T: the shortest y with H'y = w
 * Elimination without exchanging rows or columns in memory:
 *   (3) X = L U;  row k of U is the pivot row when it was chosen, column k of L has the multiples of it in each row */
#include "linalg/linalg.h"

enum { SWEEPS_MAX = 60 };

static inline double *row(double *a, int i, int n) { return a + (size_t)i * (size_t)n; }
static inline const double *crow(const double *a, int i, int n) { return a + (size_t)i * (size_t)n; }

static inline double dot(int n, const double *restrict a, const double *restrict b) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++) s0 += a[i] * b[i];
  return (s0 + s2) + (s1 + s3);
}

static inline void axpy(int n, double c, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++) b[i] += c * a[i];
}

/* ---- the system, scaled ---------------------------------------------------------------------------------------------- */

void tn_dense_scale(int nu, int rows, const double *M, const double *A, const double *sigma, const double *s, double *d,
                    double *Ms, double *As) {
  for (int j = 0; j < nu; j++) {
    d[j] = crow(M, j, nu)[j];
    for (int i = 0; sigma && i < rows; i++) d[j] += sigma[i] * crow(A, i, nu)[j] * crow(A, i, nu)[j];
    d[j] = 1 / sqrt(d[j]);
  }
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) row(Ms, i, nu)[j] = d[i] * crow(M, i, nu)[j] * d[j];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nu; j++) row(As, i, nu)[j] = s[i] * crow(A, i, nu)[j] * d[j];
}

double tn_dense_left(int nu, int rows, const double *A, const double *s, const double *g, const double *x) {
  double worst = 0;
  for (int i = 0; i < rows; i++)
    worst = fmax(worst, s[i] == 0 ? fabs(g[i]) : s[i] * fabs(g[i] - dot(nu, crow(A, i, nu), x)));
  return worst;
}

/* ---- singular vectors ------------------------------------------------------------------------------------------------ */

static void rotate(int n, double cosine, double sine, double *restrict x, double *restrict y) {
  for (int k = 0; k < n; k++) {
    const double xk = x[k], yk = y[k];
    x[k] = cosine * xk - sine * yk;
    y[k] = sine * xk + cosine * yk;
  }
}

static void exchange(int n, double *restrict x, double *restrict y) {
  for (int k = 0; k < n; k++) {
    const double t = x[k];
    x[k] = y[k];
    y[k] = t;
  }
}

void tn_svd(int m, int n, double *X, double *Q, double *sigma) {
  double all = 0, *square = sigma; /* of the lengths; found anew in every sweep */
  for (int i = 0; i < m; i++) all += dot(n, crow(X, i, n), crow(X, i, n));
  const double none = all * (m * TN_EPS) * (m * TN_EPS) / 16;
  for (int i = 0; Q && i < m; i++)
    for (int j = 0; j < m; j++) row(Q, i, m)[j] = i == j;
  bool turned = true;
  for (int sweep = 0; turned && sweep < SWEEPS_MAX; sweep++) {
    turned = false;
    for (int i = 0; i < m; i++) square[i] = dot(n, crow(X, i, n), crow(X, i, n));
    for (int i = 0; i < m; i++)
      for (int j = i + 1; j < m; j++) {
        if (!(square[i] > none) || !(square[j] > none)) continue;
        const double c = dot(n, crow(X, i, n), crow(X, j, n));
        if (!(fabs(c) > n * TN_EPS * sqrt(square[i]) * sqrt(square[j]))) continue;
        const double zeta = (square[j] - square[i]) / (2 * c);
        const double tangent = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
        const double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
        rotate(n, cosine, sine, row(X, i, n), row(X, j, n));
        if (Q) rotate(m, cosine, sine, row(Q, i, m), row(Q, j, m));
        square[i] = fmax(square[i] - tangent * c, 0);
        square[j] += tangent * c;
        turned = true;
      }
  }
  for (int i = 0; i < m; i++) sigma[i] = sqrt(dot(n, crow(X, i, n), crow(X, i, n)));
  for (int i = 0; i < m; i++) {
    int best = i;
    for (int j = i + 1; j < m; j++)
      if (sigma[j] > sigma[best]) best = j;
    if (best == i) continue;
    const double t = sigma[i];
    sigma[i] = sigma[best];
    sigma[best] = t;
    exchange(n, row(X, i, n), row(X, best, n));
    if (Q) exchange(m, row(Q, i, m), row(Q, best, m));
  }
}

int tn_svd_rank(int m, int n, const double *sigma, int most) {
  int r = 0;
  while (r < m && r < most && sigma[r] > (m > n ? m : n) * TN_EPS * sigma[0]) r++;
  return r;
}

/* ---- least squares --------------------------------------------------------------------------------------------------- */

/* b -= 2 v v'b / v'v, v column c of H from row c on */
static void reflect(int m, int n, const double *H, int c, double *b) {
  double vv = 0, vb = 0;
  for (int i = c; i < m; i++) {
    const double v = crow(H, i, n)[c];
    vv += v * v;
    vb += v * b[i];
  }
  if (!(vv > 0)) return;
  for (int i = c; i < m; i++) b[i] -= 2 * vb / vv * crow(H, i, n)[c];
}

void tn_qr(int m, int n, double *H, double *diagonal) {
  for (int c = 0; c < n; c++) {
    double size = 0;
    for (int i = c; i < m; i++) size += row(H, i, n)[c] * row(H, i, n)[c];
    size = sqrt(size);
    diagonal[c] = row(H, c, n)[c] > 0 ? -size : size;
    row(H, c, n)[c] -= diagonal[c];
    const double vv = 2 * size * (size + fabs(row(H, c, n)[c] + diagonal[c]));
    if (!(vv > 0)) continue;
    /* all later columns at once, by rows: diagonal has room for v'H */
    double *w = diagonal + c + 1;
    for (int j = 0; j < n - c - 1; j++) w[j] = 0;
    for (int i = c; i < m; i++) axpy(n - c - 1, row(H, i, n)[c], row(H, i, n) + c + 1, w);
    for (int i = c; i < m; i++) axpy(n - c - 1, -2 * row(H, i, n)[c] / vv, w, row(H, i, n) + c + 1);
  }
}

void tn_qr_solve(int m, int n, const double *H, const double *diagonal, double *b, double *x) {
  for (int c = 0; c < n; c++) reflect(m, n, H, c, b);
  for (int c = n - 1; c >= 0; c--) x[c] = (b[c] - dot(n - c - 1, crow(H, c, n) + c + 1, x + c + 1)) / diagonal[c];
}

void tn_qr_shortest(int m, int n, const double *H, const double *diagonal, const double *w, double *y) {
  for (int i = 0; i < m; i++) y[i] = i < n ? w[i] : 0;
  for (int c = 0; c < n; c++) {
    y[c] /= diagonal[c];
    axpy(n - c - 1, -y[c], crow(H, c, n) + c + 1, y + c + 1);
  }
  for (int c = n - 1; c >= 0; c--) reflect(m, n, H, c, y);
}

/* ---- Cholesky -------------------------------------------------------------------------------------------------------- */

bool tn_cholesky(int n, double *A) {
  if (!A) return false;
  for (int j = 0; j < n; j++) {
    double *l = row(A, j, n);
    for (int i = 0; i < j; i++) l[i] = (l[i] - dot(i, crow(A, i, n), l)) / crow(A, i, n)[i];
    const double p = l[j] - dot(j, l, l);
    if (!(p > TN_PIVOT_LEAST * l[j]) || !isfinite(p)) return false;
    l[j] = sqrt(p);
  }
  return true;
}

void tn_cholesky_down(int n, const double *L, double *x) {
  if (!L || !x) return;
  for (int j = 0; j < n; j++) x[j] = (x[j] - dot(j, crow(L, j, n), x)) / crow(L, j, n)[j];
}

void tn_cholesky_up(int n, const double *L, double *x) {
  if (!L || !x) return;
  for (int j = n - 1; j >= 0; j--) {
    x[j] /= crow(L, j, n)[j];
    axpy(j, -x[j], crow(L, j, n), x);
  }
}

/* ---- elimination ----------------------------------------------------------------------------------------------------- */

/* the largest of column c among rows not taken yet */
static void look(int m, int n, const double *X, const bool *taken, int c, int *best, double *size) {
  for (int i = 0; i < m; i++)
    if (!taken[i] && fabs(crow(X, i, n)[c]) > *size) *best = i, *size = fabs(crow(X, i, n)[c]);
}

int tn_eliminate(int m, int n, double *X, int most, tn_pivoting pivoting, double least, double *L, double *U,
                 int *column, bool *taken, double *smallest) {
  int next = 0, k = 0;
  for (int i = 0; i < m; i++) taken[i] = false;
  *smallest = HUGE_VAL;
  for (; k < most; k++) {
    int best = -1, at = -1;
    double size = least;
    if (pivoting == TN_PIVOT_RREF) {
      for (; next < n && best < 0; next++) look(m, n, X, taken, at = next, &best, &size);
    } else if (pivoting == TN_PIVOT_GIVEN) {
      look(m, n, X, taken, at = column[k], &best, &size);
    } else if (pivoting == TN_PIVOT_KEPT) {
      for (int c = k; c < most; c++) {
        const double before = size;
        look(m, n, X, taken, column[c], &best, &size);
        if (size > before) at = c;
      }
    } else {
      for (int c = 0; c < n; c++) {
        const double before = size;
        look(m, n, X, taken, c, &best, &size);
        if (size > before) at = c;
      }
    }
    if (best < 0) break;
    if (pivoting == TN_PIVOT_KEPT) {
      const int c = column[at];
      column[at] = column[k];
      column[k] = at = c;
    }
    column[k] = at;
    taken[best] = true;
    *smallest = fmin(*smallest, size);
    double *u = row(U, k, n), *x = row(X, best, n);
    for (int i = 0; i < m; i++) {
      double *l = row(L, i, most) + k;
      *l = i == best ? 1 : taken[i] ? 0 : row(X, i, n)[at] / x[at];
      if (taken[i] || *l == 0) continue;
      axpy(n, -*l, x, row(X, i, n));
      row(X, i, n)[at] = 0;
    }
    memcpy(u, x, sizeof *u * (size_t)n);
  }
  if (k == most) return k;
  *smallest = 0;
  for (int i = 0; i < m; i++) memmove(row(L, i, k), row(L, i, most), sizeof *L * (size_t)k);
  return k;
}
