/* Dependences between the rows of the saddle point system: their order by pivots, (5) of kkt.c, and the left-null vectors of redundant
 * rows, (8) to (11). Numbers in brackets are the equations of kkt.c. */
#include "linalg/kkt.h"

static const double ORDER_KEPT = 0.1; /* of the least pivot of an order: at which it is given up */
enum { NULL_SWEEPS_MAX = 12 };
enum { FEW = 16 }; /* rows: so few are eliminated without a list of what is not zero */

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

/* bring the largest pivot that is left to place e */
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

/* row u of U from the rows below it. subtracting 0 from a number does not change it: the bits are those of eliminate_runs */
static void eliminate_few(tn_kkt *k, int e, double *restrict p) {
  const int n = k->rows;
  double *restrict u = row(k->S, e, n);
  for (int i = e + 1; i < n; i++) {
    if (u[i] == 0) continue;
    const double c = u[i] * k->S_inv[e];
    double *restrict s = row(k->S, i, n);
    p[i] -= c * u[i];
    for (int j = i + 1; j < n; j++) s[j] -= c * u[j];
    u[i] = c; /* not needed again as it was: later rows use what follows it */
  }
}

/* the same where there are many, and most of them do not meet */
static void eliminate_runs(tn_kkt *k, int e, double *restrict p) {
  const int n = k->rows;
  double *restrict u = row(k->S, e, n);
  int *run = k->list, runs = 0; /* where u is not zero: first and end of each stretch */
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
      u[i] = c;
    }
}

/* (5), the largest pivot first, or in the order that is kept */
static void eliminate(tn_kkt *k, bool largest, double *restrict p) {
  for (int e = 0; e < k->rows; e++) {
    if (largest) choose(k, e, p);
    k->rho[e] = p[e] < 0 ? 0 : p[e];
    k->S_inv[e] = 1 / (k->rho[e] > TN_RHO_DIRECT ? k->rho[e] : k->rho[e] + TN_SHIFT);
    (k->rows <= FEW ? eliminate_few : eliminate_runs)(k, e, p);
  }
}

/* with redundant rows: order the independent ones for little fill, by the number of other rows that they meet */
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

/* false: the order is not good enough, or no longer */
static bool in_order(tn_kkt *k) {
  const int n = k->rows, r = k->rank;
  for (int e = 0; e < n; e++) k->pivot[e] = k->order[e];
  form_gram(k, k->v);
  eliminate(k, false, k->v);
  k->independent = r;
  k->least = 1;
  for (int e = 0; e < r; e++)
    if (!(k->rho[e] >= k->least)) k->least = k->rho[e];
  bool good = k->least > TN_RHO_DIRECT && k->least > ORDER_KEPT * k->least_ordered;
  for (int e = r; e < n; e++) good = good && k->rho[e] <= TN_RHO_REDUNDANT;
  return good;
}

static void by_pivots(tn_kkt *k) {
  const int n = k->rows;
  for (int e = 0; e < n; e++) k->pivot[e] = e;
  form_gram(k, k->v);
  eliminate(k, true, k->v);
  int e = k->rank < n ? k->rank : n;
  k->rho_min = e > 0 ? k->rho[e - 1] : 1;
  while (e < n && !(k->rho[e] <= TN_RHO_REDUNDANT)) e++;
  k->independent = e;
  k->least = e > 0 ? k->rho[e - 1] : 1;
}

/* The answer does not depend on which redundant rows are left out, (11) and (12). So a choice, and an order with little fill, are kept
 * as long as no pivot needs sweeps and none falls much. Near a singular position the largest pivot is searched every time. */
static void factor_schur(tn_kkt *k) {
  const bool redundant = k->rank < k->rows;
  if (redundant && k->ordered == TN_ORDERED && in_order(k)) {
    const double part = k->least / k->least_ordered;
    k->rho_min = k->rho_ordered * (part < 1 ? part : 1);
    return;
  }
  by_pivots(k);
  if (k->ordered == TN_ORDERED) k->ordered = TN_NOT_ORDERED;
  if (!redundant || k->ordered == TN_NO_ORDER || k->independent != k->rank || !(tn_kkt_nearness(k) > ORDER_KEPT))
    return;
  k->rho_ordered = k->rho_min;
  k->least_ordered = 0;
  make_order(k);
  k->ordered = in_order(k) ? TN_ORDERED : TN_NO_ORDER;
  k->least_ordered = k->least;
  if (k->ordered == TN_NO_ORDER) by_pivots(k);
}

/* v = (U' diag U)^-1 v for the independent rows, in the order of (5) */
void tn_kkt_solve_rows(const tn_kkt *k, double *restrict v) {
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
  tn_kkt_solve_rows(k, v);
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
    k->off = tn_max(k->off, norm(nu, crow(k->F, j, nu)));
  }
  if (r == 0 || r == n) return;
  /* the factor by which each sweep reduces the error */
  const double part = k->off * k->off / k->least;
  double left = part;
  for (int sweep = 0; sweep < NULL_SWEEPS_MAX && left > TN_EPS && part < 0.1; sweep++, left *= part) {
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
    for (int sweep = 0; sweep < NULL_SWEEPS_MAX && r > 0 && !(k->least > TN_RHO_DIRECT); sweep++) {
      null_rest(k, j, t, k->y);
      rows_times(k, k->y, k->v);
      tn_kkt_solve_rows(k, k->v);
      const double d = norm(r, k->v);
      if (!(d <= 0.7 * before)) break;
      axpy(r, 1, k->v, t);
      if (d <= 4 * TN_EPS * (1 + norm(r, t))) break;
      before = d;
    }
  }
  factor_gram(k);
  find_rest(k);
}

/* (9), (10): v = its part in the null space, v in the order of (5) */
void tn_kkt_null_part(const tn_kkt *k, double *restrict v) {
  const int n = k->rows, r = k->independent;
  for (int j = r; j < n; j++) v[j] -= dot(r, crow(k->S, j, n), v);
  gram_down(k, v);
  gram_up(k, v);
  for (int e = 0; e < r; e++) v[e] = 0;
  for (int j = r; j < n; j++) axpy(r, -v[j], crow(k->S, j, n), v);
}

void tn_kkt_factor_rows(tn_kkt *k) {
  factor_schur(k);
  factor_null(k);
}
