/* the saddle point system of constrained motion, through singular positions and with redundant rows.
 * SPDX-License-Identifier: MIT
 *
 *   (1) M x + A'lambda = f,  A x = g
 *   (2) M + W = L L',  W = sum sigma_i a_i a_i';  with f + sum sigma_i a_i g_i for f, (1) keeps its solution
 *   (3) b_i = s_i L^-1 a_i,  s_i = 1/sqrt(D_i),  D_i = |L^-1 a_i|^2;  lambda_i = s_i mu_i      (zero row: s_i = 0)
 *       or D_i of a typical pose, if that is larger: a row that shrinks on the way is as bad as one that others repeat
 *   (4) (B B' + eps) mu = B y - s g,  y = L^-1 f;   z = y - B'mu;   x = L^-T z
 *   (5) P (B B' + eps) P' = U' diag(p_e + eps) U,  p_e the largest that is left, at least 0;  rho_e = p_e
 * With rows of unit length eps is relative to D_i, and p_e is the squared sine between a row and the rows before it
 * (times the square of what is left of its length).
 * The norms come for nothing: |x| in the metric of M + W is |z|, and sqrt(sum D_i lambda_i^2) is |mu|.
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
 * Rows that others repeat only nearly, as where a state is off the constraints or a joint is there twice a little apart, leave
 * F = N'B. P = 1 - N (N'N)^-1 N'; the rows that are meant are P B, the nearest of rank `independent`:
 *  (11) [1 T] B F' = 0, or B1 F' + T (N'N)^-1 F F' = 0,  by T += (B1 B1')^-1 of that: then N spans what belongs to the smallest
 *       singular values, and P B is B with these cut off
 *  (12) P (A x - g) = 0 and mu = P mu, by (6) with P on both: the answer does not depend on which rows are left out
 * (A prototype found n and the shortest mu from the growth of mu in sweeps with eps = 1e-12. That leaves roundoff of
 * u/eps in mu, 1e-3 of it, and needs one to six more sweeps.) */
#include "linalg/linalg.h"

#include <float.h>

static const double EPS = 1e-15;       /* smaller breaks down on dependent rows, larger costs sweeps at sigma 1e-7 */
static const double RHO_DIRECT = 1e-2; /* above: no sweep; errors of up to 1e-13 were seen                         */
static const double RHO_RANK = 1e-12;  /* below: the row depends on those before it                                */
static const double RHO_NEARLY = 1e-9, GAP = 1e-6; /* below, and so far below the one before: nearly                  */
static const double RHO_REDUNDANT = 1e-8; /* alike after `rank`: a state off the constraints by d raises rho to d^2   */
static const double OFF = 1e-14; /* |F| of (11) above which rows are repeated only nearly                         */
static const double KEEP = 0.1;  /* of the least pivot of an order: at which it is given up                    */
static const double TOL = 1e-12; /* of (7)                                                                   */
static const double CHOLESKY_MIN = 1e-14; /* pivot over diagonal element below which M + W counts as singular         */
enum { SWEEPS_MAX = 12, NULL_SWEEPS_MAX = 12 };

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* four sums: vectorizes without leave to reorder, and always in the same order */
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
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    b[i] += c * a[i];
    b[i + 1] += c * a[i + 1];
    b[i + 2] += c * a[i + 2];
    b[i + 3] += c * a[i + 3];
  }
  for (; i < n; i++) b[i] += c * a[i];
}

static inline void copy(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++) b[i] = a[i];
}

static inline void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

static inline double *row(double *a, int i, int n) { return a + (size_t)i * (size_t)n; }
static inline const double *crow(const double *a, int i, int n) { return a + (size_t)i * (size_t)n; }
static inline double norm(int n, const double *a) { return sqrt(dot(n, a, a)); }

static bool all_finite(int n, const double *a) {
  bool good = true;
  for (int i = 0; i < n; i++) good = good && isfinite(a[i]);
  return good;
}

/* ---- factor ------------------------------------------------------------------------------------------------------ */

void tn_kkt_carve(tn_kkt *k, tn_carve *c, int nu, int rows) {
  const size_t n = (size_t)nu, m = (size_t)rows;
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
  if (c->base) memset(k->D_typical, 0, sizeof(double) * m);
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
    if (!(p > CHOLESKY_MIN * diagonal) || !isfinite(p)) {
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

/* rows of a joint that are forces, or torques, are measured alike where some are redundant: the shortest mu must not depend on how
 * the axes of the world lie */
static void level_groups(tn_kkt *k) {
  if (!k->group || k->rank >= k->rows) return;
  double *sum = k->v, *typical = k->mu,
         *n = k->dmu; /* a sum over axes does not depend on how they lie; a largest would */
  for (int i = 0; i < k->rows; i++) sum[i] = typical[i] = n[i] = 0;
  for (int i = 0; i < k->rows; i++) {
    if (!(k->D[i] > 0)) continue;
    const double *b = row(k->B, i, k->nu) + k->lo[i];
    sum[k->group[i]] += dot(k->hi[i] - k->lo[i], b, b);
    typical[k->group[i]] += k->D_typical[i];
    n[k->group[i]]++;
  }
  for (int i = 0; i < k->rows; i++)
    if (k->D[i] > 0) k->D[i] = fmax(sum[k->group[i]], typical[k->group[i]]) / n[k->group[i]];
}

static void scale_row(tn_kkt *k, int i) {
  double *b = row(k->B, i, k->nu);
  k->s[i] = k->D[i] > 0 ? 1 / sqrt(k->D[i]) : k->D[i]; /* NaN stays */
  for (int j = k->lo[i]; j < k->hi[i]; j++) b[j] *= k->s[i];
}

/* exchange rows and columns k < m of the symmetric matrix above its diagonal, of which rows before k are U */
static void exchange(double *S, int n, int k, int m) {
  for (int i = 0; i < k; i++) swap(row(S, i, n) + k, row(S, i, n) + m);
  for (int j = k + 1; j < m; j++) swap(row(S, k, n) + j, row(S, j, n) + m);
  for (int j = m + 1; j < n; j++) swap(row(S, k, n) + j, row(S, m, n) + j);
}

/* B B' in the order of `pivot`, above the diagonal; the diagonal in p */
static void form_gram(tn_kkt *k, double *restrict p) {
  const int n = k->rows, nu = k->nu;
  for (int e = 0; e < n; e++) {
    const int i = k->pivot[e];
    const double *b = crow(k->B, i, nu);
    double *s = row(k->S, e, n);
    p[e] = dot(k->hi[i] - k->lo[i], b + k->lo[i], b + k->lo[i]);
    for (int f = e + 1; f < n; f++) {
      const int j = k->pivot[f], lo = k->lo[i] > k->lo[j] ? k->lo[i] : k->lo[j],
                hi = k->hi[i] < k->hi[j] ? k->hi[i] : k->hi[j];
      s[f] = lo < hi ? dot(hi - lo, b + lo, crow(k->B, j, nu) + lo) : 0;
    }
  }
}

/* the largest that is left to place e */
static void choose(tn_kkt *k, int e, double *p) {
  const int n = k->rows, t = k->pivot[e];
  int best = e;
  for (int i = e + 1; i < n; i++)
    if (p[i] > p[best]) best = i;
  if (best == e) return;
  exchange(k->S, n, e, best);
  swap(p + e, p + best);
  k->pivot[e] = k->pivot[best];
  k->pivot[best] = t;
}

/* (5), the largest first or in the order that stands */
static void eliminate(tn_kkt *k, bool largest, double *restrict p) {
  const int n = k->rows;
  for (int e = 0; e < n; e++) {
    if (largest) choose(k, e, p);
    double *restrict u = row(k->S, e, n);
    int *run = k->list, runs = 0; /* where u is not zero: first and end of each stretch */
    k->rho[e] = p[e] < 0 ? 0 : p[e];
    k->S_inv[e] = 1 / (k->rho[e] > RHO_DIRECT ? k->rho[e] : k->rho[e] + EPS);
    for (int i = e + 1; i < n; i++) {
      if (u[i] == 0) continue;
      if (runs && i - run[2 * runs - 1] < 4)
        run[2 * runs - 1] = i + 1;
      else
        run[2 * runs] = i, run[2 * runs++ + 1] = i + 1;
    }
    for (int q = 0; q < runs; q++)
      for (int i = run[2 * q]; i < run[2 * q + 1]; i++) {
        if (u[i] == 0) continue;
        const double c = u[i] * k->S_inv[e];
        double *s = row(k->S, i, n);
        p[i] -= c * u[i];
        axpy(run[2 * q + 1] - i - 1, -c, u + i + 1, s + i + 1);
        for (int w = q + 1; w < runs; w++) axpy(run[2 * w + 1] - run[2 * w], -c, u + run[2 * w], s + run[2 * w]);
        u[i] = c; /* not needed again as it was: later rows use what follows it */
      }
  }
}

/* with redundant rows: those kept in an order with little fill, by how many others they meet */
static void make_order(tn_kkt *k) {
  const int n = k->rows, r = k->independent;
  int *degree = k->list;
  form_gram(k, k->v); /* in the order of `pivot` */
  for (int e = 0; e < n; e++) degree[k->pivot[e]] = 0;
  for (int e = 0; e < n; e++)
    for (int f = e + 1; f < n; f++)
      if (crow(k->S, e, n)[f] != 0) degree[k->pivot[e]]++, degree[k->pivot[f]]++;
  for (int e = 0; e < n; e++) k->order[e] = k->pivot[e];
  for (int e = 1; e < r; e++) {
    const int i = k->order[e];
    int at = e;
    for (; at > 0; at--) {
      const int before = k->order[at - 1];
      const int more = degree[before] - degree[i];
      if (more < 0 || (more == 0 && i > before)) break;
      k->order[at] = before;
    }
    k->order[at] = i;
  }
}

/* false: the order is not good enough, or not any more */
static bool in_order(tn_kkt *k) {
  const int n = k->rows, r = k->rank;
  for (int e = 0; e < n; e++) k->pivot[e] = k->order[e];
  form_gram(k, k->v);
  eliminate(k, false, k->v);
  k->independent = r;
  k->least = 1;
  for (int e = 0; e < r; e++)
    if (!(k->rho[e] >= k->least)) k->least = k->rho[e];
  bool good = k->least > RHO_DIRECT && k->least > KEEP * k->least_ordered;
  for (int e = r; e < n; e++) good = good && k->rho[e] <= RHO_REDUNDANT;
  return good;
}

static void by_pivots(tn_kkt *k) {
  const int n = k->rows;
  for (int e = 0; e < n; e++) k->pivot[e] = e;
  form_gram(k, k->v);
  eliminate(k, true, k->v);
  int e = k->rank < n ? k->rank : n;
  k->rho_min = e > 0 ? k->rho[e - 1] : 1;
  while (e < n && !(k->rho[e] <= RHO_REDUNDANT)) e++;
  k->independent = e;
  k->least = e > 0 ? k->rho[e - 1] : 1;
}

/* which of redundant rows are left out does not matter (11), (12); so a choice, and an order with little fill, stand as long as no
 * pivot asks for sweeps and none falls much. near a singular position the largest is looked for as ever */
static void factor_schur(tn_kkt *k) {
  const bool redundant = k->rank < k->rows;
  if (redundant && k->ordered == TN_ORDERED && in_order(k)) {
    const double part = k->least / k->least_ordered;
    k->rho_min = k->rho_ordered * (part < 1 ? part : 1);
    return;
  }
  by_pivots(k);
  if (k->ordered == TN_ORDERED) k->ordered = TN_NOT_ORDERED;
  if (!redundant || k->ordered == TN_NO_ORDER || k->independent != k->rank || !(tn_kkt_nearness(k) > KEEP)) return;
  k->rho_ordered = k->rho_min;
  k->least_ordered = 0;
  make_order(k);
  k->ordered = in_order(k) ? TN_ORDERED : TN_NO_ORDER;
  k->least_ordered = k->least;
  if (k->ordered == TN_NO_ORDER) by_pivots(k);
}

/* v = (U' diag U)^-1 v for the independent rows, in the order of (5) */
static void solve_schur(const tn_kkt *k, double *restrict v) {
  const int n = k->rows, r = k->independent;
  for (int e = 0; e < r; e++)
    if (v[e] != 0) axpy(r - e - 1, -v[e], crow(k->S, e, n) + e + 1, v + e + 1);
  for (int e = r - 1; e >= 0; e--) v[e] = v[e] * k->S_inv[e] - dot(r - e - 1, crow(k->S, e, n) + e + 1, v + e + 1);
}

/* y = B'(-t; 1) in the order of (5) */
static void null_rest(const tn_kkt *k, int j, const double *t, double *restrict y) {
  const int nu = k->nu, r = k->independent;
  for (int i = 0; i < nu; i++) y[i] = 0;
  for (int e = 0; e <= r; e++) {
    const int i = k->pivot[e < r ? e : j], lo = k->lo[i];
    axpy(k->hi[i] - lo, e < r ? -t[e] : 1, crow(k->B, i, nu) + lo, y + lo);
  }
}

/* v = B1 y */
static void rows_times(const tn_kkt *k, const double *restrict y, double *restrict v) {
  for (int e = 0; e < k->independent; e++) {
    const int i = k->pivot[e], lo = k->lo[i];
    v[e] = dot(k->hi[i] - lo, crow(k->B, i, k->nu) + lo, y + lo);
  }
}

/* N'N = G G', the rows of G behind T; its diagonal inverted */
static void factor_gram(tn_kkt *k) {
  const int n = k->rows, r = k->independent;
  for (int j = r; j < n; j++) {
    double *c = row(k->S, j, n) + r, d = 1 + dot(r, crow(k->S, j, n), crow(k->S, j, n));
    for (int i = r; i < j; i++)
      c[i - r] = (dot(r, crow(k->S, j, n), crow(k->S, i, n)) - dot(i - r, c, crow(k->S, i, n) + r)) * k->G_inv[i];
    d -= dot(j - r, c, c);
    k->G_inv[j] = 1 / sqrt(d);
  }
}

/* w = G^-1 w, G^-T w; w from `independent` on */
static void gram_down(const tn_kkt *k, double *w) {
  const int n = k->rows, r = k->independent;
  for (int j = r; j < n; j++) w[j] = (w[j] - dot(j - r, crow(k->S, j, n) + r, w + r)) * k->G_inv[j];
}

static void gram_up(const tn_kkt *k, double *w) {
  const int n = k->rows, r = k->independent;
  for (int j = n - 1; j >= r; j--) {
    w[j] *= k->G_inv[j];
    axpy(j - r, -w[j], crow(k->S, j, n) + r, w + r);
  }
}

/* (11) for one column; f its row of F */
static void turn_null(tn_kkt *k, int j, double *f) {
  const int n = k->rows, nu = k->nu, r = k->independent;
  double *v = k->v;
  rows_times(k, f, v);
  for (int i = r; i < n; i++) v[i] = dot(nu, crow(k->F, i, nu), f);
  gram_down(k, v);
  gram_up(k, v);
  for (int i = r; i < n; i++) axpy(r, v[i], crow(k->S, i, n), v);
  solve_schur(k, v);
  axpy(r, 1, v, row(k->S, j, n));
  for (int e = 0; e < r; e++) {
    const int i = k->pivot[e], lo = k->lo[i];
    axpy(k->hi[i] - lo, -v[e], crow(k->B, i, nu) + lo, f + lo);
  }
}

static void find_rest(tn_kkt *k) {
  const int n = k->rows, nu = k->nu, r = k->independent;
  k->off = 0;
  for (int j = r; j < n; j++) {
    null_rest(k, j, crow(k->S, j, n), row(k->F, j, nu));
    k->off = fmax(k->off, norm(nu, crow(k->F, j, nu)));
  }
  if (r == 0 || r == n) return;
  /* each sweep leaves this of what was off */
  const double part = k->off * k->off / k->least;
  double left = part;
  for (int sweep = 0; sweep < NULL_SWEEPS_MAX && left > DBL_EPSILON && part < 0.1; sweep++, left *= part) {
    for (int j = r; j < n; j++) turn_null(k, j, row(k->F, j, nu));
    factor_gram(k);
  }
}

/* (8): row j of S from `independent` on keeps column j of T, then the Cholesky factor of N'N without its diagonal */
static void factor_null(tn_kkt *k) {
  const int n = k->rows, r = k->independent;
  for (int j = r; j < n; j++) {
    double *t = row(k->S, j, n), before = HUGE_VAL;
    for (int e = r - 1; e >= 0; e--) t[e] = crow(k->S, e, n)[j] - dot(r - e - 1, crow(k->S, e, n) + e + 1, t + e + 1);
    for (int sweep = 0; sweep < NULL_SWEEPS_MAX && r > 0 && !(k->least > RHO_DIRECT); sweep++) {
      null_rest(k, j, t, k->y);
      rows_times(k, k->y, k->v);
      solve_schur(k, k->v);
      const double d = norm(r, k->v);
      if (!(d <= 0.7 * before)) break;
      axpy(r, 1, k->v, t);
      if (d <= 4 * DBL_EPSILON * (1 + norm(r, t))) break;
      before = d;
    }
  }
  factor_gram(k);
  find_rest(k);
}

/* (9), (10): v = its part in the null space, v in the order of (5) */
static void null_part(const tn_kkt *k, double *restrict v) {
  const int n = k->rows, r = k->independent;
  for (int j = r; j < n; j++) v[j] -= dot(r, crow(k->S, j, n), v);
  gram_down(k, v);
  gram_up(k, v);
  for (int e = 0; e < r; e++) v[e] = 0;
  for (int j = r; j < n; j++) axpy(r, -v[j], crow(k->S, j, n), v);
}

bool tn_kkt_factor(tn_kkt *k, const double *M, const double *A, const double *sigma) {
  k->bad_pivot = -1;
  find_ranges(k, A);
  if (M && !factor_mass(k, M, A, sigma)) return false;
  for (int i = 0; i < k->rows; i++) factor_row(k, i, A, !M);
  level_groups(k);
  for (int i = 0; i < k->rows; i++) scale_row(k, i);
  factor_schur(k);
  factor_null(k);
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
  k->rho_typical = fmax(k->rho_typical, ordered ? k->rho_min : rank > 0 ? k->rho[rank - 1] : 1);
  k->rank = rank;
  k->ordered = TN_NOT_ORDERED;
  for (int i = 0; i < k->rows; i++) k->D_typical[i] = fmax(k->D_typical[i], k->D[i]);
}

double tn_kkt_nearness(const tn_kkt *k) {
  return k->rho_typical > k->rho_min ? k->rho_min / k->rho_typical : k->rho_typical > 0 ? 1 : k->rho_min;
}

int tn_kkt_rank(const tn_kkt *k) {
  int rank = 0;
  while (rank < k->rows && k->rho[rank] > RHO_RANK) rank++;
  return rank;
}

int tn_kkt_gap(const tn_kkt *k) {
  int e = 1;
  while (e < k->rows && !(k->rho[e] <= RHO_NEARLY && k->rho[e] <= GAP * k->rho[e - 1])) e++;
  return e < k->rows ? e : k->rows;
}

/* ---- solve ------------------------------------------------------------------------------------------------------- */

/* (12): v = P v in the order of the rows; its null part, N w, stays in k->v, in the order of (5) */
static void project(tn_kkt *k, double *restrict v) {
  for (int e = 0; e < k->rows; e++) k->v[e] = v[k->pivot[e]];
  null_part(k, k->v);
  for (int e = 0; e < k->rows; e++) v[k->pivot[e]] -= k->v[e];
}

/* alike of numbers measured by 1/s */
static void project_rows(tn_kkt *k, double *restrict g) {
  for (int e = 0; e < k->rows; e++) k->v[e] = k->s[k->pivot[e]] * g[k->pivot[e]];
  null_part(k, k->v);
  for (int e = 0; e < k->rows; e++) g[k->pivot[e]] -= k->v[e] * sqrt(k->D[k->pivot[e]]);
}

static bool nearly(const tn_kkt *k) { return k->independent < k->rows && k->off > OFF; }

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
  solve_schur(k, v);
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
    if (d * c <= (1 - c) * TOL * size || d <= DBL_EPSILON * (norm(rows, k->mu) + size)) return sweep + 1;
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
      const double n = k->s[i] == 0 ? fabs(g[i]) : fabs(k->v[e]); /* a row of zeros has no measure of its own */
      if (n > info->inconsistency) info->inconsistency = n;
    }
  }

  for (int j = 0; j < nu; j++) k->y[j] = f ? f[j] : 0;
  const bool off = nearly(k);
  solve_once(k, !M, off, A, sigma, k->y, k->g, k->z_sum, x, k->mu);
  for (int i = 0; i < rows; i++) lambda[i] = k->s[i] * k->mu[i];
  if (r > 0 && (off || !(k->least > RHO_DIRECT))) info->sweeps = refine(k, M, A, sigma, f, off, x, lambda);

  if (r < rows) {
    project(k, k->mu);
    for (int i = 0; i < rows; i++) lambda[i] = k->s[i] * k->mu[i];
  }
  info->failed = !all_finite(nu, x) || !all_finite(rows, lambda);
}

/* directions in which g is seen only through a small rho are left alone where roundoff alone would move x by more than the
 * whole correction is worth: a part along rho is divided by sqrt(rho), so where rho < (noise/worth)^2. left alone too
 * early, such a part grows until it is seen through a smaller rho; so it is worth 100 times the rest, and never less
 * than 2,000 times the noise */
void tn_kkt_correct(tn_kkt *k, const double *M, const double *A, const double *sigma, const double *g,
                    const double *noise, double *x, double *lambda, tn_kkt_info *info) {
  const int nu = k->nu, rows = k->rows, all = k->independent;
  double signal = 0;
  for (int i = 0; i < rows; i++) signal = fmax(signal, k->s[i] * fabs(g[i]));
  int r = all;
  for (; r > 0; r--) {
    const int i = k->pivot[r - 1];
    const double least = k->s[i] * noise[i], worth = fmax(100 * signal, 2000 * least);
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
  if (r > 0 && !(k->least > RHO_DIRECT)) info->sweeps = refine(k, M, A, sigma, NULL, false, x, lambda);
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
