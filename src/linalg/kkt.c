/* The saddle point system of constrained motion, through singular positions and with redundant rows.
 * SPDX-License-Identifier: MIT
 *
 *   (1) M x + A'lambda = f,  A x = g
 *   (2) M + W = L L',  W = sum sigma_i a_i a_i';  with f + sum sigma_i a_i g_i for f, (1) keeps its solution
 *   (3) b_i = s_i L^-1 a_i,  s_i = 1/sqrt(D_i),  D_i = |L^-1 a_i|^2;  lambda_i = s_i mu_i      (zero row: s_i = 0)
 *       or D_i of a typical pose, if that is larger: a row that shrinks on the way is as bad as a redundant one
 *   (4) (B B' + eps) mu = B y - s g,  y = L^-1 f;   z = y - B'mu;   x = L^-T z
 *   (5) P (B B' + eps) P' = U' diag(p_e + eps) U,  p_e the largest that is left, at least 0;  rho_e = p_e
 * With rows of unit length eps is relative to D_i, and p_e is the squared sine between a row and the rows before it
 * (times the square of what is left of its length).
 * The norms cost nothing: |x| in the metric of M + W is |z|, and sqrt(sum D_i lambda_i^2) is |mu|.
 *
 * Refined with the true residual (never mu += r/eps, which divides roundoff by eps), unless rho is large:
 *   (6) (dx, dmu) = Ke^-1 (f - M x - A'lambda, g - A x),  d = |dx|
 *   (7) stop when d c/(1 - c) <= tol |x|, c = d/d_before; a residual cannot judge: an error e along a singular
 *       value sigma leaves a residual of only sigma e
 *
 * Redundant rows are the last in (5), from `independent` on. They are left out of (4) and (6); the left-null vectors of
 * B do the rest, in the order of (5):
 *   (8) N = [-T; 1],  T = U11^-1 U12,  refined by T += (B1 B1')^-1 B1 B'N: error u/sigma instead of u/sigma^2
 *   (9) n = N (N'N)^-1 N' s g is the inconsistency of g; g - n/s is solved, which is least squares with weights 1/D
 *  (10) mu - N (N'N)^-1 N' mu is the shortest mu
 * Rows may repeat each other only nearly: the state is off the constraints, or a joint is there twice, a little apart. Then F = N'B
 * is not zero. P = 1 - N (N'N)^-1 N'; the system is solved with P B, the nearest rows of rank `independent`:
 *  (11) [1 T] B F' = 0, or B1 F' + T (N'N)^-1 F F' = 0,  by T += (B1 B1')^-1 of that: then N spans the left singular vectors of the
 *       smallest singular values, and P B is B with these cut off
 *  (12) P (A x - g) = 0 and mu = P mu, by (6) with P on both: the answer does not depend on which rows are left out
 * (A prototype found n and the shortest mu from the growth of mu in sweeps with eps = 1e-12. That leaves roundoff of
 * u/eps in mu, 1e-3 of it, and needs one to six more sweeps.) */
#include "linalg/kkt.h"

static const double RHO_GAP = 1e-6; /* 1: rho over the one before: so far below it a row repeats others nearly   */
enum { SWEEPS_MAX = 12 };

static bool all_finite(int n, const double *a) {
  bool good = true;
  for (int i = 0; i < n; i++) good = good && isfinite(a[i]);
  return good;
}

/* ---- factor ------------------------------------------------------------------------------------------------------ */

void tn_kkt_carve(tn_kkt *k, tn_carve *c, int nu, int rows) {
  const uint64_t n = (uint64_t)nu, m = (uint64_t)rows;
  *k = (tn_kkt){.nu = nu, .rows = rows, .rank = rows, .independent = rows, .rho_min = 1, .bad_pivot = -1};
  k->L = TN_CARVE(c, double, n *n);
  k->L_inv = TN_CARVE(c, double, n);
  k->first = TN_CARVE(c, int, n);
  k->end = TN_CARVE(c, int, n);
  k->B = TN_CARVE(c, double, m *n);
  k->F = TN_CARVE(c, double, m *n);
  k->order = TN_CARVE(c, int, m);
  k->list = TN_CARVE(c, int, m + 1);
  k->lo = TN_CARVE(c, int, m);
  k->hi = TN_CARVE(c, int, m);
  k->D = TN_CARVE(c, double, m);
  k->D_typical = TN_CARVE(c, double, m);
  if (c->base) memset(k->D_typical, 0, sizeof(double) * (size_t)rows);
  for (int j = 0; c->base && j < nu; j++) k->end[j] = j + 1;
  k->s = TN_CARVE(c, double, m);
  k->S = TN_CARVE(c, double, m *m);
  k->S_inv = TN_CARVE(c, double, m);
  k->G_inv = TN_CARVE(c, double, m);
  k->pivot = TN_CARVE(c, int, m);
  k->rho = TN_CARVE(c, double, m);
  double **by_speed[] = {&k->y, &k->z, &k->z_sum, &k->dx, &k->r1};
  double **by_row[] = {&k->r2, &k->g, &k->v, &k->mu, &k->dmu};
  for (int i = 0; i < 5; i++) *by_speed[i] = TN_CARVE(c, double, n);
  for (int i = 0; i < 5; i++) *by_row[i] = TN_CARVE(c, double, m);
}

/* how many zeros a (n) begins with, eight at a time */
static int zeros(int n, const double *a) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    double sum[2] = {0, 0};
    for (int j = 0; j < 8; j += 2) sum[0] += fabs(a[i + j]), sum[1] += fabs(a[i + j + 1]);
    if (sum[0] + sum[1] != 0) break;
  }
  while (i < n && a[i] == 0) i++;
  return i;
}

/* lo, hi of the rows of A */
static void find_ranges(tn_kkt *k, const double *A) {
  for (int i = 0; i < k->rows; i++) {
    const double *a = crow(A, i, k->nu);
    const int lo = zeros(k->nu, a);
    int hi = k->nu;
    while (hi - 8 >= lo && zeros(8, a + hi - 8) == 8) hi -= 8;
    while (hi > lo && a[hi - 1] == 0) hi--;
    k->lo[i] = lo;
    k->hi[i] = hi;
  }
}

/* (2) within the envelope */
static bool factor_mass(tn_kkt *k, const double *M, const double *A, const double *sigma) {
  const int nu = k->nu;
  int *restrict first = k->first, *restrict end = k->end;
  for (int j = 0; j < nu; j++) first[j] = zeros(j, crow(M, j, nu));
  for (int i = 0; sigma && i < k->rows; i++) {
    if (!(sigma[i] > 0)) continue;
    const double *a = crow(A, i, nu);
    for (int j = k->lo[i]; j < k->hi[i]; j++)
      if (a[j] != 0 && first[j] > k->lo[i]) first[j] = k->lo[i];
  }
  for (int j = 0; j < nu; j++) {
    double *l = row(k->L, j, nu);
    for (int i = first[j]; i <= j; i++) l[i] = crow(M, j, nu)[i];
  }
  for (int i = 0; sigma && i < k->rows; i++) {
    if (!(sigma[i] > 0)) continue;
    const double *a = crow(A, i, nu);
    for (int j = k->lo[i]; j < k->hi[i]; j++) {
      if (a[j] != 0) axpy(j + 1 - k->lo[i], sigma[i] * a[j], a + k->lo[i], row(k->L, j, nu) + k->lo[i]);
    }
  }
  for (int j = 0; j < nu; j++) {
    double *l = row(k->L, j, nu);
    const double diagonal = l[j];
    for (int i = first[j]; i < j; i++) {
      const int f = first[i] > first[j] ? first[i] : first[j];
      l[i] = (l[i] - dot(i - f, crow(k->L, i, nu) + f, l + f)) * k->L_inv[i];
    }
    const double p = diagonal - dot(j - first[j], l + first[j], l + first[j]);
    if (!(p > TN_PIVOT_LEAST * diagonal) || !isfinite(p)) {
      k->bad_pivot = j;
      return false;
    }
    l[j] = sqrt(p);
    k->L_inv[j] = 1 / l[j];
  }
  /* diagonal blocks: no row from `e` on reaches before it */
  for (int e = nu, j = nu - 1, reach = nu; j >= 0; j--) {
    if (first[j] < reach) reach = first[j];
    end[j] = e;
    if (reach == j) e = reach = j;
  }
  return true;
}

/* (3) */
static void factor_row(tn_kkt *k, int i, const double *A, bool identity) {
  const int nu = k->nu, lo = k->lo[i];
  const double *restrict a = crow(A, i, nu);
  double *restrict b = row(k->B, i, nu);
  if (!identity && lo < k->hi[i]) k->hi[i] = k->end[k->hi[i] - 1];
  const int hi = k->hi[i];
  for (int j = lo; j < hi; j++) {
    const int f = identity ? j : k->first[j] > lo ? k->first[j] : lo;
    b[j] = a[j];
    if (f < j) b[j] -= dot(j - f, crow(k->L, j, nu) + f, b + f);
    if (!identity) b[j] *= k->L_inv[j];
  }
  k->D[i] = dot(hi - lo, b + lo, b + lo);
  if (k->D[i] > 0 && k->D[i] < k->D_typical[i]) k->D[i] = k->D_typical[i];
}

/* Where rows are redundant, all rows of a joint that are forces have one scale, and all that are torques. Otherwise the shortest mu
 * would depend on the world axes. */
static void level_groups(tn_kkt *k) {
  if (!k->group || k->rank >= k->rows) return;
  double *sum = k->v, *typical = k->mu, *n = k->dmu; /* a sum over axes does not depend on the axes; a maximum would */
  for (int i = 0; i < k->rows; i++) sum[i] = typical[i] = n[i] = 0;
  for (int i = 0; i < k->rows; i++) {
    if (!(k->D[i] > 0)) continue;
    const double *b = row(k->B, i, k->nu) + k->lo[i];
    sum[k->group[i]] += dot(k->hi[i] - k->lo[i], b, b);
    typical[k->group[i]] += k->D_typical[i];
    n[k->group[i]]++;
  }
  for (int i = 0; i < k->rows; i++)
    if (k->D[i] > 0) k->D[i] = tn_max(sum[k->group[i]], typical[k->group[i]]) / n[k->group[i]];
}

static void scale_row(tn_kkt *k, int i) {
  double *b = row(k->B, i, k->nu);
  k->s[i] = k->D[i] > 0 ? 1 / sqrt(k->D[i]) : k->D[i]; /* NaN stays */
  for (int j = k->lo[i]; j < k->hi[i]; j++) b[j] *= k->s[i];
}

bool tn_kkt_factor(tn_kkt *k, const double *M, const double *A, const double *sigma) {
  k->bad_pivot = -1;
  find_ranges(k, A);
  if (M && !factor_mass(k, M, A, sigma)) return false;
  for (int i = 0; i < k->rows; i++) factor_row(k, i, A, !M);
  level_groups(k);
  for (int i = 0; i < k->rows; i++) scale_row(k, i);
  tn_kkt_factor_rows(k);
  return true;
}

void tn_kkt_reset(tn_kkt *k) {
  k->rank = k->rows;
  k->rho_typical = 0;
  k->ordered = TN_NOT_ORDERED;
  for (int i = 0; i < k->rows; i++) k->D_typical[i] = 0;
}

void tn_kkt_typical(tn_kkt *k, int rank) {
  const bool ordered = k->ordered == TN_ORDERED && rank <= k->rank;
  k->rho_typical = tn_max(k->rho_typical, ordered ? k->rho_min : rank > 0 ? k->rho[rank - 1] : 1);
  k->rank = rank;
  k->ordered = TN_NOT_ORDERED;
  for (int i = 0; i < k->rows; i++) k->D_typical[i] = tn_max(k->D_typical[i], k->D[i]);
}

void tn_kkt_keep(tn_kkt *k, tn_keep *keep) {
  const size_t n = (size_t)k->nu, m = (size_t)k->rows;
  const int nu = k->nu, rows = k->rows;
  int ordered = (int)k->ordered;
  tn_keep_group(keep, "kkt");
  tn_keep_ints(keep, "rank", 1, &k->rank, 0, rows);
  tn_keep_ints(keep, "independent", 1, &k->independent, 0, rows);
  tn_keep_ints(keep, "ordered", 1, &ordered, TN_NOT_ORDERED, TN_NO_ORDER);
  k->ordered = (unsigned)ordered;
  double *const scalar[] = {&k->rho_ordered, &k->least_ordered, &k->off, &k->least, &k->rho_min, &k->rho_typical};
  for (size_t i = 0; i < sizeof scalar / sizeof *scalar; i++) tn_keep_numbers(keep, "scalar", 1, scalar[i]);
  tn_keep_numbers(keep, "L", n * n, k->L);
  tn_keep_numbers(keep, "L_inv", n, k->L_inv);
  for (int j = 0; j < nu; j++) {
    tn_keep_ints(keep, "first", 1, &k->first[j], 0, j);
    tn_keep_ints(keep, "end", 1, &k->end[j], j + 1, nu);
  }
  tn_keep_numbers(keep, "B", m * n, k->B);
  tn_keep_numbers(keep, "F", m * n, k->F);
  tn_keep_ints(keep, "lo", m, k->lo, 0, nu);
  tn_keep_ints(keep, "hi", m, k->hi, 0, nu);
  tn_keep_ints(keep, "order", m, k->order, 0, rows - 1);
  tn_keep_ints(keep, "pivot", m, k->pivot, 0, rows - 1);
  double *const by_row[] = {k->D, k->D_typical, k->s, k->S_inv, k->G_inv, k->rho};
  for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) tn_keep_numbers(keep, "rows", m, by_row[i]);
  tn_keep_numbers(keep, "S", m * m, k->S);
}

double tn_kkt_nearness(const tn_kkt *k) {
  return k->rho_typical > k->rho_min ? k->rho_min / k->rho_typical : k->rho_typical > 0 ? 1 : k->rho_min;
}

int tn_kkt_rank(const tn_kkt *k) {
  int rank = 0;
  while (rank < k->rows && k->rho[rank] > TN_RHO_RANK) rank++;
  return rank;
}

int tn_kkt_gap(const tn_kkt *k) {
  int e = 1;
  while (e < k->rows && !(k->rho[e] <= TN_RHO_NEARLY && k->rho[e] <= RHO_GAP * k->rho[e - 1])) e++;
  return e < k->rows ? e : k->rows;
}

/* ---- solve ------------------------------------------------------------------------------------------------------- */

/* (12): v = P v in the order of the rows; its null part, N w, stays in k->v, in the order of (5) */
static void project(tn_kkt *k, double *restrict v) {
  for (int e = 0; e < k->rows; e++) k->v[e] = v[k->pivot[e]];
  tn_kkt_null_part(k, k->v);
  for (int e = 0; e < k->rows; e++) v[k->pivot[e]] -= k->v[e];
}

/* the same for numbers scaled by 1/s */
static void project_rows(tn_kkt *k, double *restrict g) {
  for (int e = 0; e < k->rows; e++) k->v[e] = k->s[k->pivot[e]] * g[k->pivot[e]];
  tn_kkt_null_part(k, k->v);
  for (int e = 0; e < k->rows; e++) g[k->pivot[e]] -= k->v[e] * sqrt(k->D[k->pivot[e]]);
}

static bool nearly(const tn_kkt *k) { return k->independent < k->rows && k->off > TN_REPEAT_OFF; }

/* (4): y holds f and is used up; -> z, x, mu. off: (12), z = y - B'P mu = y - B1'mu + F'w */
static void solve_once(tn_kkt *k, bool identity, bool off, const double *A, const double *sigma, double *restrict y,
                       const double *restrict g, double *restrict z, double *restrict x, double *restrict mu) {
  const int nu = k->nu, r = k->independent;
  double *restrict v = k->v;
  if (!identity) {
    for (int i = 0; sigma && i < k->rows; i++) {
      const int lo = k->lo[i];
      if (sigma[i] > 0) axpy(k->hi[i] - lo, sigma[i] * g[i], crow(A, i, nu) + lo, y + lo);
    }
    for (int j = 0; j < nu; j++) {
      const int f = k->first[j];
      y[j] = (y[j] - dot(j - f, crow(k->L, j, nu) + f, y + f)) * k->L_inv[j];
    }
  }
  for (int e = 0; e < r; e++) {
    const int i = k->pivot[e], lo = k->lo[i];
    v[e] = dot(k->hi[i] - lo, crow(k->B, i, nu) + lo, y + lo) - k->s[i] * g[i];
  }
  tn_kkt_solve_rows(k, v);
  copy(nu, y, z);
  for (int e = 0; e < r; e++) {
    const int i = k->pivot[e], lo = k->lo[i];
    mu[i] = v[e];
    axpy(k->hi[i] - lo, -v[e], crow(k->B, i, nu) + lo, z + lo);
  }
  for (int e = r; e < k->rows; e++) mu[k->pivot[e]] = 0;
  if (off) {
    project(k, mu);
    for (int e = r; e < k->rows; e++) axpy(nu, v[e], crow(k->F, e, nu), z);
  }
  copy(nu, z, x);
  if (identity) return;
  for (int j = nu - 1; j >= 0; j--) {
    const int f = k->first[j];
    x[j] *= k->L_inv[j];
    axpy(j - f, -x[j], crow(k->L, j, nu) + f, x + f);
  }
}

/* r1 = f - M x - A'lambda, r2 = g - A x */
static void residual(const tn_kkt *k, const double *M, const double *A, const double *f, const double *g,
                     const double *restrict x, const double *restrict lambda, double *restrict r1,
                     double *restrict r2) {
  const int nu = k->nu;
  if (M) {
    for (int b = 0; b < nu; b = k->end[b])
      for (int j = b; j < k->end[b]; j++) r1[j] = (f ? f[j] : 0) - dot(k->end[b] - b, crow(M, j, nu) + b, x + b);
  } else {
    for (int j = 0; j < nu; j++) r1[j] = (f ? f[j] : 0) - x[j];
  }
  for (int i = 0; i < k->rows; i++) {
    const double *a = crow(A, i, nu) + k->lo[i];
    const int n = k->hi[i] - k->lo[i];
    axpy(n, -lambda[i], a, r1 + k->lo[i]);
    r2[i] = g[i] - dot(n, a, x + k->lo[i]);
  }
}

/* (6), (7); returns the number of sweeps. z_sum is L'x */
static int refine(tn_kkt *k, const double *M, const double *A, const double *sigma, const double *f, bool off,
                  double *x, double *lambda) {
  const int nu = k->nu, rows = k->rows;
  double before = 0;
  for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    residual(k, M, A, f, k->g, x, lambda, k->r1, k->r2);
    if (off) project_rows(k, k->r2);
    solve_once(k, !M, off, A, sigma, k->r1, k->r2, k->z, k->dx, k->dmu);
    const double d = norm(nu, k->z);
    /* roundoff is reached: drop this correction. NaN stops here too */
    if (!isfinite(d) || (sweep > 0 && d > 0.7 * before)) return sweep + 1;
    axpy(nu, 1, k->dx, x);
    axpy(nu, 1, k->z, k->z_sum);
    axpy(rows, 1, k->dmu, k->mu);
    for (int i = 0; i < rows; i++) lambda[i] = k->s[i] * k->mu[i];
    const double c = sweep > 0 ? d / before : 0.1, size = norm(nu, k->z_sum);
    if (d * c <= (1 - c) * TN_SWEEP_END * size || d <= TN_EPS * (norm(rows, k->mu) + size)) return sweep + 1;
    before = d;
  }
  return SWEEPS_MAX;
}

void tn_kkt_solve(tn_kkt *k, const double *M, const double *A, const double *sigma, const double *f, const double *g,
                  double *x, double *lambda, tn_kkt_info *info) {
  const int nu = k->nu, rows = k->rows, r = k->independent;
  *info = (tn_kkt_info){0};
  copy(rows, g, k->g);
  if (r < rows) {
    project_rows(k, k->g);
    for (int e = 0; e < rows; e++) {
      const int i = k->pivot[e];
      const double n = k->s[i] == 0 ? fabs(g[i]) : fabs(k->v[e]); /* a row of zeros has no scale */
      if (n > info->inconsistency) info->inconsistency = n;
    }
  }

  for (int j = 0; j < nu; j++) k->y[j] = f ? f[j] : 0;
  const bool off = nearly(k);
  solve_once(k, !M, off, A, sigma, k->y, k->g, k->z_sum, x, k->mu);
  for (int i = 0; i < rows; i++) lambda[i] = k->s[i] * k->mu[i];
  if (r > 0 && (off || !(k->least > TN_RHO_DIRECT))) info->sweeps = refine(k, M, A, sigma, f, off, x, lambda);

  if (r < rows) {
    project(k, k->mu);
    for (int i = 0; i < rows; i++) lambda[i] = k->s[i] * k->mu[i];
  }
  info->failed = !all_finite(nu, x) || !all_finite(rows, lambda);
}

/* A part of g along a pivot rho is divided by sqrt(rho). It is left out of the correction where roundoff alone would move x by more
 * than the whole correction is worth: rho < (noise/worth)^2. A part that is left out too early grows until it is seen through a
 * smaller rho. So the worth is 100 times the largest residual, and at least 2,000 times the noise. */
void tn_kkt_correct(tn_kkt *k, const double *M, const double *A, const double *sigma, const double *g,
                    const double *noise, double *x, double *lambda, tn_kkt_info *info) {
  const int nu = k->nu, rows = k->rows, all = k->independent;
  double signal = 0;
  for (int i = 0; i < rows; i++) signal = tn_max(signal, k->s[i] * fabs(g[i]));
  int r = all;
  for (; r > 0; r--) {
    const int i = k->pivot[r - 1];
    const double least = k->s[i] * noise[i], worth = tn_max(100 * signal, 2000 * least);
    if (!(worth > 0) || k->rho[r - 1] > (least / worth) * (least / worth)) break;
  }
  if (r == all) {
    tn_kkt_solve(k, M, A, sigma, NULL, g, x, lambda, info);
    return;
  }
  *info = (tn_kkt_info){0};
  k->independent = r;
  copy(rows, g, k->g);
  for (int j = 0; j < nu; j++) k->y[j] = 0;
  solve_once(k, !M, false, A, sigma, k->y, k->g, k->z_sum, x, k->mu);
  for (int i = 0; i < rows; i++) lambda[i] = k->s[i] * k->mu[i];
  if (r > 0 && !(k->least > TN_RHO_DIRECT)) info->sweeps = refine(k, M, A, sigma, NULL, false, x, lambda);
  k->independent = all;
  info->failed = !all_finite(nu, x) || !all_finite(rows, lambda);
}

int tn_kkt_dependence(const tn_kkt *k, int e, double *c) {
  const double *t = crow(k->S, e, k->rows);
  memset(c, 0, sizeof *c * (size_t)k->rows);
  for (int i = 0; i < k->independent; i++) c[k->pivot[i]] = -t[i] * k->s[k->pivot[i]];
  c[k->pivot[e]] = k->s[k->pivot[e]];
  const double own = c[k->pivot[e]];
  for (int i = 0; i < k->rows && own > 0; i++) c[i] /= own;
  if (!(own > 0)) c[k->pivot[e]] = 1; /* a row of zeros depends on nothing */
  return k->pivot[e];
}
