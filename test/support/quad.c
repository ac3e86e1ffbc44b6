/* rows in the metric of M, B = s A L^-T; the best `rank` of them by pivoted Cholesky of B B'; the others as combinations of
 * these, B = E B1; everything refined with true residuals, since B B' has the square of a small singular value.
 *   (1) h = (E'E)^-1 E's g                      what the rows can be asked for
 *   (2) z + B1'v = y,  B1 z = h,  y = L^-1 f    x = L^-T z
 *   (3) mu = E (E'E)^-1 v                       the shortest with E'mu = v; lambda = s mu */
#include "support/quad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad; /* 128 bits where there is no other name for them */
#endif

enum { REFINED = 3, ITERATIONS = 12 };

typedef struct work {
  int n, rows, rank;
  quad *L, *B, *s; /* n x n; rows x n; rows                                       */
  int *first;      /* n: first number of a row of L that is not zero              */
  int *lo, *hi;    /* rows: where B is not zero                                   */
  quad *S;         /* rows x rows: lower, Cholesky factor in the order of `pivot` */
  int *pivot;
  quad *E, *G;           /* rows x rank in the order of `pivot`; Cholesky factor of E'E */
  quad *y, *z, *ry;      /* n    */
  quad *h, *v, *rh, *mu; /* rows */
} work;

static quad root(quad a) {
  if (!(a > 0)) return 0;
  quad x = (quad)sqrt((double)a);
  for (int i = 0; i < 3; i++) x = (x + a / x) / 2;
  return x;
}

static quad *row(quad *a, int i, int n) { return a + (size_t)i * (size_t)n; }

static quad dot(int n, const quad *a, const quad *b) {
  quad s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* A (n x n, lower) = L L' from the first number of each row that is not zero */
static bool cholesky(int n, quad *A, const int *first) {
  for (int i = 0; i < n; i++)
    for (int j = first ? first[i] : 0; j <= i; j++) {
      const int f = first ? (first[i] > first[j] ? first[i] : first[j]) : 0;
      quad t = row(A, i, n)[j];
      if (f < j) t -= dot(j - f, row(A, i, n) + f, row(A, j, n) + f);
      if (i == j && !(t > 0)) return false;
      row(A, i, n)[j] = i == j ? root(t) : t / row(A, j, n)[j];
    }
  return true;
}

/* x = (L L')^-1 x of the first r rows, which lie `stride` apart */
static void cholesky_solve(int r, int stride, quad *L, quad *x) {
  for (int i = 0; i < r; i++) x[i] = (x[i] - dot(i, row(L, i, stride), x)) / row(L, i, stride)[i];
  for (int i = r - 1; i >= 0; i--) {
    x[i] /= row(L, i, stride)[i];
    for (int k = 0; k < i; k++) x[k] -= row(L, i, stride)[k] * x[i];
  }
}

static bool factor_mass(work *w, const quad_system *q) {
  const int n = w->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) row(w->L, i, n)[j] = q->M[(size_t)i * (size_t)n + (size_t)j];
  for (int k = 0; q->sigma && k < w->rows; k++) {
    const double *a = q->A + (size_t)k * (size_t)n;
    for (int i = 0; i < n && q->sigma[k] > 0; i++)
      for (int j = 0; j <= i && a[i] != 0; j++) row(w->L, i, n)[j] += (quad)q->sigma[k] * a[i] * a[j];
  }
  for (int i = 0; i < n; i++) {
    int f = 0;
    while (f < i && row(w->L, i, n)[f] == 0) f++;
    w->first[i] = f;
  }
  return cholesky(n, w->L, w->first);
}

/* y = L^-1 y from `lo` on */
static void down(work *w, int lo, quad *y) {
  for (int j = lo; j < w->n; j++) {
    const int f = w->first[j] > lo ? w->first[j] : lo;
    if (f < j) y[j] -= dot(j - f, row(w->L, j, w->n) + f, y + f);
    y[j] /= row(w->L, j, w->n)[j];
  }
}

static void scale_rows(work *w, const quad_system *q, quad_answer *a) {
  const int n = w->n;
  for (int i = 0; i < w->rows; i++) {
    quad *b = row(w->B, i, n);
    int lo = n, hi = 0;
    for (int j = n - 1; j >= 0; j--)
      if ((b[j] = q->A[(size_t)i * (size_t)n + (size_t)j]) != 0) lo = j;
    down(w, lo < n ? lo : 0, b);
    for (int j = 0; j < n; j++)
      if (b[j] != 0) hi = j + 1;
    const quad d = lo >= hi ? 0 : q->D ? (quad)q->D[i] : dot(hi - lo, b + lo, b + lo);
    w->lo[i] = lo < hi ? lo : 0;
    w->hi[i] = hi;
    w->s[i] = d > 0 ? 1 / root(d) : 0;
    if (a->D) a->D[i] = (double)d;
    for (int j = 0; j < n; j++) b[j] *= w->s[i];
  }
}

static void swap_rows(work *w, int i, int j) {
  const int r = w->rows, t = w->pivot[i];
  w->pivot[i] = w->pivot[j];
  w->pivot[j] = t;
  for (int k = 0; k < r; k++) { /* the whole of it, symmetric */
    const quad x = row(w->S, i, r)[k];
    row(w->S, i, r)[k] = row(w->S, j, r)[k];
    row(w->S, j, r)[k] = x;
  }
  for (int k = 0; k < r; k++) {
    const quad x = row(w->S, k, r)[i];
    row(w->S, k, r)[i] = row(w->S, k, r)[j];
    row(w->S, k, r)[j] = x;
  }
}

static quad product(work *w, int i, int j) {
  const int lo = w->lo[i] > w->lo[j] ? w->lo[i] : w->lo[j], hi = w->hi[i] < w->hi[j] ? w->hi[i] : w->hi[j];
  return lo < hi ? dot(hi - lo, row(w->B, i, w->n) + lo, row(w->B, j, w->n) + lo) : 0;
}

/* right-looking, so that the largest that is left can be chosen. L below the diagonal, what it was made from above */
static bool factor_rows(work *w) {
  const int r = w->rows;
  for (int i = 0; i < r; i++) {
    w->pivot[i] = i;
    for (int j = 0; j <= i; j++) row(w->S, i, r)[j] = row(w->S, j, r)[i] = product(w, i, j);
  }
  for (int e = 0; e < w->rank; e++) {
    int best = e;
    for (int i = e + 1; i < r; i++)
      if (row(w->S, i, r)[i] > row(w->S, best, r)[best]) best = i;
    if (best != e) swap_rows(w, e, best);
    if (!(row(w->S, e, r)[e] > 1e-33)) return false;
    const quad d = row(w->S, e, r)[e] = root(row(w->S, e, r)[e]);
    for (int i = e + 1; i < r; i++) row(w->S, i, r)[e] /= d;
    for (int i = e + 1; i < r; i++) {
      const quad c = row(w->S, i, r)[e];
      for (int j = e + 1; j <= i && c != 0; j++) {
        row(w->S, i, r)[j] -= c * row(w->S, j, r)[e];
        row(w->S, j, r)[i] = row(w->S, i, r)[j];
      }
    }
  }
  return true;
}

/* z + B1'v = y, B1 z = h. z and v hold an answer already, to which is added */
static void improve(work *w, const quad *y, const quad *h, quad *z, quad *v) {
  const int n = w->n;
  for (int j = 0; j < n; j++) w->ry[j] = y[j] - z[j];
  for (int e = 0; e < w->rank; e++) {
    const int i = w->pivot[e];
    const quad *b = row(w->B, i, n);
    for (int j = w->lo[i]; j < w->hi[i]; j++) w->ry[j] -= b[j] * v[e];
  }
  for (int e = 0; e < w->rank; e++) {
    const int i = w->pivot[e], lo = w->lo[i], m = w->hi[i] - lo;
    w->rh[e] = dot(m, row(w->B, i, n) + lo, w->ry + lo) - h[e] + dot(m, row(w->B, i, n) + lo, z + lo);
  }
  cholesky_solve(w->rank, w->rows, w->S, w->rh);
  for (int j = 0; j < n; j++) z[j] += w->ry[j];
  for (int e = 0; e < w->rank; e++) {
    const int i = w->pivot[e];
    const quad *b = row(w->B, i, n);
    v[e] += w->rh[e];
    for (int j = w->lo[i]; j < w->hi[i]; j++) z[j] -= b[j] * w->rh[e];
  }
}

/* row d of E: the v with B1'v nearest to b_d, which is (2) with h = 0 */
static bool combine(work *w) {
  const int r = w->rank, n = w->n;
  memset(w->E, 0, sizeof *w->E * (size_t)w->rows * (size_t)(r + 1));
  for (int e = 0; e < r; e++) {
    row(w->E, e, r)[e] = 1;
    w->h[e] = 0;
  }
  for (int d = r; d < w->rows; d++) {
    memset(w->z, 0, sizeof *w->z * (size_t)n);
    for (int k = 0; k < REFINED; k++) improve(w, row(w->B, w->pivot[d], n), w->h, w->z, row(w->E, d, r));
  }
  for (int i = 0; i < r; i++)
    for (int j = 0; j <= i; j++) {
      quad t = i == j;
      for (int d = r; d < w->rows; d++) t += row(w->E, d, r)[i] * row(w->E, d, r)[j];
      row(w->G, i, r)[j] = t;
    }
  return r == w->rows || cholesky(r, w->G, NULL);
}

/* x = (E'E)^-1 x */
static void unweigh(work *w, quad *x) {
  if (w->rank < w->rows) cholesky_solve(w->rank, w->rank, w->G, x);
}

static void answer(work *w, const quad_system *q, quad_answer *a) {
  const int n = w->n, r = w->rank;
  for (int j = 0; j < n; j++) w->y[j] = q->f[j], w->z[j] = 0;
  for (int i = 0; q->sigma && i < w->rows; i++) /* the solution is kept: what is added to M acts on both sides */
    for (int j = 0; j < n && q->sigma[i] > 0; j++)
      w->y[j] += (quad)q->sigma[i] * q->g[i] * q->A[(size_t)i * (size_t)n + (size_t)j];
  down(w, 0, w->y);
  for (int e = 0; e < r; e++) {
    w->h[e] = w->v[e] = 0;
    for (int d = 0; d < w->rows; d++)
      if (row(w->E, d, r)[e] != 0) w->h[e] += row(w->E, d, r)[e] * w->s[w->pivot[d]] * q->g[w->pivot[d]];
  }
  unweigh(w, w->h);
  a->inconsistency = 0;
  for (int d = 0; d < w->rows; d++) {
    const quad left = w->s[w->pivot[d]] * q->g[w->pivot[d]] - dot(r, row(w->E, d, r), w->h);
    a->inconsistency = fmax(a->inconsistency, fabs((double)left));
  }
  for (int k = 0; k < REFINED; k++) improve(w, w->y, w->h, w->z, w->v);
  for (int j = n - 1; j >= 0; j--) {
    w->z[j] /= row(w->L, j, n)[j];
    for (int k = w->first[j]; k < j; k++) w->z[k] -= row(w->L, j, n)[k] * w->z[j];
    a->x[j] = (double)w->z[j];
  }
  unweigh(w, w->v);
  for (int d = 0; d < w->rows; d++)
    a->lambda[w->pivot[d]] = (double)(w->s[w->pivot[d]] * dot(r, row(w->E, d, r), w->v));
}

/* by inverse iteration */
static double smallest(work *w) {
  quad *x = w->mu, size = 1;
  for (int e = 0; e < w->rank; e++) x[e] = 1 + (quad)(e % 3) / 7;
  for (int k = 0; k < ITERATIONS && w->rank; k++) {
    size = root(dot(w->rank, x, x));
    for (int e = 0; e < w->rank; e++) x[e] /= size;
    cholesky_solve(w->rank, w->rows, w->S, x);
    size = root(dot(w->rank, x, x));
  }
  return w->rank ? sqrt(1 / (double)size) : 1;
}

static void *take(char **at, size_t n, size_t size) {
  void *here = *at;
  *at += (n + 1) * size;
  return here;
}

bool quad_solve(const quad_system *q, quad_answer *a) {
  const size_t n = (size_t)q->n, rows = (size_t)q->rows;
  const size_t quads = n * n + 3 * rows * (n + rows + 8) + 2 * rows * rows + 4 * n + 64;
  char *memory = calloc(quads, sizeof(quad)), *at = memory;
  int *whole = calloc(n + 3 * rows + 8, sizeof *whole);
  if (!memory || !whole) abort();
  work w = {.n = q->n, .rows = q->rows, .rank = q->rank};
  quad **big[] = {&w.L, &w.B, &w.S, &w.E, &w.G}, **by_speed[] = {&w.y, &w.z, &w.ry},
       **by_row[] = {&w.s, &w.h, &w.v, &w.rh, &w.mu};
  const size_t sizes[] = {n * n, rows * n, rows * rows, rows * (rows + 1), rows * rows};
  for (int i = 0; i < 5; i++) *big[i] = take(&at, sizes[i], sizeof(quad));
  for (int i = 0; i < 3; i++) *by_speed[i] = take(&at, n, sizeof(quad));
  for (int i = 0; i < 5; i++) *by_row[i] = take(&at, rows, sizeof(quad));
  w.first = whole;
  w.lo = w.first + n;
  w.hi = w.lo + rows;
  w.pivot = w.hi + rows;
  bool ok = factor_mass(&w, q);
  if (ok) {
    scale_rows(&w, q, a);
    ok = factor_rows(&w) && combine(&w);
  }
  if (ok) {
    answer(&w, q, a);
    a->smallest = smallest(&w);
  }
  free(memory);
  free(whole);
  return ok;
}

double quad_error(int n, const double *M, const double *x, const double *y) {
  double e = 0, t = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double m = M[(size_t)i * (size_t)n + (size_t)j];
      e += (x[i] - y[i]) * m * (x[j] - y[j]);
      t += y[i] * m * y[j];
    }
  return sqrt(fmax(e, 0) / t);
}

double quad_error_by(int n, const double *D, const double *x, const double *y) {
  double e = 0, t = 0;
  for (int i = 0; i < n; i++) e += D[i] * (x[i] - y[i]) * (x[i] - y[i]), t += D[i] * y[i] * y[i];
  return t > 0 ? sqrt(e / t) : e > 0 ? INFINITY : 0;
}
