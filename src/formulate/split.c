/* which numbers tell all the others. rows A (scaled; x in its units) leave free what a basis spans; candidates are linear
 * functions of x, each in its unit.
 *   (1) A = L U by elimination with full pivoting; basis = [-Ud^-1 Ui; 1], p = [Ud^-1 L^+ r; 0]
 *   (2) G = (candidate c of vector b). a set S of k candidates tells x if G_S can be inverted; the basis is then changed so that
 *       G_S = 1, and G_cb is by how much an error of the chosen candidate b is seen in candidate c
 *   (3) gain = max |G_cb|, 1 for the set of largest determinant. with one freedom it is 1 over |t_S|/|t_best|, t the tangent
 *       in terms of the candidates (Nada & Bashiri 2017 take coordinates so)
 *   (4) choice: full pivoting on G, then exchanges of b for c while |G_cb| > 1.02, each of which makes the determinant larger.
 *       rref: from the last candidate backwards the first that has a tenth of the largest pivot. preferred candidates come first, as
 *       long as they have a hundredth of the largest. what is chosen already counts 1.01: no change for roundoff */
#include "formulate/partition.h"

static const double EXCHANGE = 1.02, STAY = 1.01, RREF = 0.1, PREFERRED = 1e-2;
enum { MOST_EXCHANGES = 200 };

void tn_split_carve(tn_split *s, tn_carve *c, int nu, int rows, int candidates) {
  const uint64_t n = (uint64_t)nu, m = (uint64_t)rows, all = (uint64_t)candidates, r = n < m ? n : m;
  s->nu = nu;
  s->rows = rows;
  s->candidates = candidates;
  s->preferred = TN_CARVE(c, bool, all);
  s->set = TN_CARVE(c, int, n);
  s->last = TN_CARVE(c, int, n);
  s->X = TN_CARVE(c, double, m *n);
  s->L = TN_CARVE(c, double, m *r);
  s->diagonal = TN_CARVE(c, double, m + 1);
  s->U = TN_CARVE(c, double, r *n);
  s->basis = TN_CARVE(c, double, n *(n + all));
  s->p = TN_CARVE(c, double, n);
  s->b = TN_CARVE(c, double, m);
  s->w = TN_CARVE(c, double, m);
  s->weight = TN_CARVE(c, double, n);
  s->column = TN_CARVE(c, int, n);
  s->taken = TN_CARVE(c, bool, n + m + all);
}

/* the choice; its basis is made anew at every state */
void tn_split_keep(tn_split *s, tn_keep *keep) {
  tn_keep_ints(keep, "set", (size_t)s->nu, s->set, 0, s->candidates - 1);
  tn_keep_ints(keep, "last", (size_t)s->nu, s->last, 0, s->candidates - 1);
  tn_keep_flags(keep, "chosen", 1, &s->chosen);
  tn_keep_numbers(keep, "least", 1, &s->least);
}

double *tn_split_vector(const tn_split *s, int b) {
  assert(b >= 0);
  return s->basis + (size_t)b * ((size_t)s->nu + (size_t)s->candidates);
}

double *tn_split_told(const tn_split *s, int b) { return tn_split_vector(s, b) + s->nu; }

int tn_split_factor(tn_split *s, const double *A, const double *scale, int most, double least) {
  assert(most >= 0 && A);
  const int nu = s->nu, rows = s->rows;
  const double none = (nu > rows ? nu : rows) * TN_EPS;
  double smallest;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nu; j++) s->X[i * nu + j] = scale[i] * A[i * nu + j] * s->weight[j];
  const int r = tn_eliminate(rows, nu, s->X, most < nu ? most : nu, TN_PIVOT_FULL, least > 0 ? least : none, s->L, s->U,
                             s->column, s->taken, &smallest);
  s->rank = r;
  s->k = nu - r;
  tn_qr(rows, r, s->L, s->diagonal);
  for (int j = 0; j < nu; j++) s->taken[j] = false;
  for (int e = 0; e < r; e++) s->taken[s->column[e]] = true;
  for (int j = 0, e = r; j < nu; j++)
    if (!s->taken[j]) s->column[e++] = j;
  return r;
}

void tn_split_free(tn_split *s) {
  const int nu = s->nu, r = s->rank;
  for (int b = 0; b < s->k; b++) {
    double *x = tn_split_vector(s, b);
    memset(x, 0, sizeof *x * (size_t)nu);
    x[s->column[r + b]] = 1;
    for (int e = r - 1; e >= 0; e--) {
      const double *u = s->U + (size_t)e * (size_t)nu;
      double sum = u[s->column[r + b]];
      for (int j = e + 1; j < r; j++) sum += u[s->column[j]] * x[s->column[j]];
      x[s->column[e]] = -sum / u[s->column[e]];
    }
    for (int j = 0; j < nu; j++) x[j] *= s->weight[j];
  }
}

void tn_split_particular(tn_split *s, const double *scale, const double *r) {
  const int nu = s->nu;
  for (int i = 0; i < s->rows; i++) s->b[i] = scale[i] * r[i];
  tn_qr_solve(s->rows, s->rank, s->L, s->diagonal, s->b, s->w);
  memset(s->p, 0, sizeof *s->p * (size_t)nu);
  for (int e = s->rank - 1; e >= 0; e--) {
    const double *u = s->U + (size_t)e * (size_t)nu;
    double sum = s->w[e];
    for (int j = e + 1; j < s->rank; j++) sum -= u[s->column[j]] * s->p[s->column[j]];
    s->p[s->column[e]] = sum / u[s->column[e]];
  }
  for (int j = 0; j < nu; j++) s->p[j] *= s->weight[j];
}

/* candidate c into the place of vector `at`: (2) for one of them. b: the vector that has most of it */
static bool pivot(tn_split *s, int at, int c, int b) {
  const int width = s->nu + s->candidates;
  double *x = tn_split_vector(s, at), *y = tn_split_vector(s, b);
  for (int j = 0; b != at && j < width; j++) {
    const double swap = x[j];
    x[j] = y[j];
    y[j] = swap;
  }
  const double size = x[s->nu + c];
  if (!(fabs(size) > 0) || !isfinite(size)) return false;
  for (int j = 0; j < width; j++) x[j] /= size;
  x[s->nu + c] = 1;
  for (int i = 0; i < s->k; i++) {
    double *v = tn_split_vector(s, i);
    const double part = v[s->nu + c];
    if (i == at || part == 0) continue;
    for (int j = 0; j < width; j++) v[j] -= part * x[j];
    v[s->nu + c] = 0;
  }
  return true;
}

/* the vector from `first` on that has most of candidate c, and how much */
static double most_of(const tn_split *s, int c, int first, int *b) {
  double size = -1;
  for (int i = first; i < s->k; i++)
    if (fabs(tn_split_told(s, i)[c]) > size) size = fabs(tn_split_told(s, i)[c]), *b = i;
  return size;
}

bool tn_split_reduce(tn_split *s) {
  for (int i = 0; i < s->k; i++) {
    int b = i;
    most_of(s, s->set[i], i, &b);
    if (!pivot(s, i, s->set[i], b)) return false;
  }
  return true;
}

double tn_split_gain(const tn_split *s) {
  double gain = 1;
  for (int b = 0; b < s->k; b++)
    for (int c = 0; c < s->candidates; c++) {
      const double x = fabs(tn_split_told(s, b)[c]);
      if (!(x <= gain)) gain = x;
    }
  return gain;
}

static bool was_chosen(const tn_split *s, int c) {
  for (int i = 0; s->chosen && i < s->k; i++)
    if (s->last[i] == c) return true;
  return false;
}

/* the next candidate of a class, or of both: the largest; rref: the last that has a tenth of that. its size, -1: there is none */
static double next(const tn_split *s, int done, bool preferred_only, bool rref, int *best, int *vector) {
  const bool *used = s->taken + s->nu + s->rows;
  double most = -1;
  int b = done;
  for (int c = 0; c < s->candidates; c++) {
    if (used[c] || (preferred_only && !s->preferred[c])) continue;
    const double size = most_of(s, c, done, &b) * (was_chosen(s, c) ? STAY : 1);
    if (size > most) most = size, *best = c, *vector = b;
  }
  for (int c = s->candidates - 1; rref && c >= 0; c--) {
    if (used[c] || (preferred_only && !s->preferred[c])) continue;
    const double size = most_of(s, c, done, &b);
    if (!(size >= RREF * most)) continue;
    *best = c;
    *vector = b;
    break;
  }
  return most;
}

/* the exchange that makes the determinant largest */
static bool exchange(tn_split *s) {
  bool *used = s->taken + s->nu + s->rows;
  double most = EXCHANGE;
  int best = -1, at = 0;
  for (int b = 0; b < s->k; b++)
    for (int c = 0; c < s->candidates; c++) {
      if (used[c] || s->preferred[c] != s->preferred[s->set[b]]) continue;
      const double size = fabs(tn_split_told(s, b)[c]);
      if (size > most) most = size, best = c, at = b;
    }
  if (best < 0) return false;
  used[s->set[at]] = false;
  used[best] = true;
  s->set[at] = best;
  return pivot(s, at, best, at);
}

bool tn_split_choose(tn_split *s, bool rref, bool *changed) {
  bool *used = s->taken + s->nu + s->rows;
  memcpy(s->last, s->set, sizeof *s->set * (size_t)s->k);
  for (int c = 0; c < s->candidates; c++) used[c] = false;
  for (int i = 0; i < s->k; i++) {
    int c = -1, b = i, c1 = -1, b1 = i;
    const double all = next(s, i, false, rref, &c, &b), first = next(s, i, true, rref, &c1, &b1);
    if (first > PREFERRED * all) c = c1, b = b1;
    if (c < 0 || !pivot(s, i, c, b)) return false;
    used[s->set[i] = c] = true;
  }
  for (int i = 0; !rref && i < MOST_EXCHANGES && exchange(s); i++) continue;
  s->least = tn_split_gain(s);
  /* a set is the same in any order */
  bool same = s->chosen;
  for (int i = 0; i < s->k; i++) same = same && was_chosen(s, s->set[i]);
  s->chosen = true;
  if (!same) {
    *changed = true;
    return true;
  }
  memcpy(s->set, s->last, sizeof *s->set * (size_t)s->k);
  return tn_split_reduce(s);
}
