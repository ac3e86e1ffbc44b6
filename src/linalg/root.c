/* The saddle point system by reflections. Rows are scaled, the freedoms of bodies have unit mass:
 *   (1) M_b = L L',  x_b = L^-T z_b,  y = L^-1 f,   B z = s g,  z = y - B'mu,  lambda = s mu
 * A piece has freedoms z with unit mass. Its open bodies move with x_b = t_b + T_b z; t_b is known. A step eliminates the rows e of one
 * node between pieces, z being the freedoms of all of them:
 *   (2) G = s sum A_b T_b,   G Q = [R 0],   T_b Q = [H_b T_b'],   Q'y = (y_1, y'),   R lower triangular, by Householder's reflections
 *   (3) forward   g = s (g_e - sum A_b t_b),  z_1 = R^-1 g,  t_b += H_b z_1
 *   (4) backward  mu = R^-T (y_1 - z_1 - sum H_b'c_b),  c_b += s A_b'mu;   z = Q (z_1, z')
 *       c_b: the force on the open body by rows that were eliminated later
 *   (5) a piece with more freedoms than its open bodies have numbers: further reflections make the T_b' lower trapezoidal. The freedoms
 *       with zeros move nothing that is to come, z = y for them
 * This is the QR factorization of B', which is backward stable in any order: the error is u/sigma_min. A small R_ii divides only g and
 * mu. It multiplies nothing that is passed on, so nothing has to be postponed.
 *
 * Coordinates f without mass have a tie, rows A x + K f = g that determine them and may say more. With reflections from the left
 *   (6) Q's [A K] = [E1 R; E2 0],  Q's g = (h1, h2):   f = R^-1 (h1 - E1 x),   E2 x = h2 is eliminated as other rows are
 *   (7) rows A x + B f = g have A - V E1 for A and g - V h1 for g, V = B R^-1
 *   (8) with the right side r of f:  l1 = R^-T r - sum V'mu, tie: lambda = s Q (l1, mu);  f_b - E1'R^-T r for f_b
 * Corrections leave roundoff alone:
 *   (9) z_1 = y_1, mu = 0 in a row with R_ii^2 <= (least/worth)^2, least the roundoff of the row */
#include "linalg/root.h"

#include <assert.h>

enum { EXCHANGES_MOST = 3 };

void tn_root_carve(tn_root *q, tn_carve *c, const tn_root_plan *plan) {
  const int rows = plan->steps ? plan->plan->rows : 0, size = plan->steps ? plan->plan->size : 0;
  *q = (tn_root){.plan = plan, .bad = -1};
  q->b = TN_CARVE(c, double, size + 1);
  q->r = TN_CARVE(c, double, size + 1);
  q->y = TN_CARVE(c, double, size + 1);
  double **of_rows[] = {&q->D, &q->s, &q->g, &q->mu, &q->z, &q->rho, &q->typical};
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) *of_rows[i] = TN_CARVE(c, double, rows + 1);
  for (int i = 0; i < 10; i++) q->work[i] = TN_CARVE(c, double, rows + 1);
  q->left = TN_CARVE(c, bool, rows + 1);
  q->skip = TN_CARVE(c, bool, rows + 1);
  q->taken = TN_CARVE(c, bool, rows + 1);
  q->null_row = TN_CARVE(c, int, rows + 1);
  q->null_first = TN_CARVE(c, int, rows + 1);
  q->entry = TN_CARVE(c, tn_root_entry, plan->entries + 1);
  q->list = TN_CARVE(c, int, 2 * plan->steps + 1);
  q->tied = TN_CARVE(c, bool, rows + 1);
  q->pivot = TN_CARVE(c, int, rows + 1);
  q->value = TN_CARVE(c, double, plan->values + 1);
  q->v = TN_CARVE(c, double, plan->freedoms + 1);
  q->t = TN_CARVE(c, double, plan->twists + 1);
  q->c = TN_CARVE(c, double, plan->twists + 1);
  q->push = TN_CARVE(c, double, plan->twists + 1);
  q->push_kept = TN_CARVE(c, double, plan->twists + 1);
  q->c_kept = TN_CARVE(c, double, plan->twists + 1);
  q->p = TN_CARVE(c, int, plan->pieces + 1);
  q->rank = TN_CARVE(c, int, plan->steps + 1);
  q->offset =
      TN_CARVE(c, int, plan->steps ? plan->step[plan->steps - 1].child + plan->step[plan->steps - 1].children + 1 : 1);
}

void tn_root_reset(tn_root *q) {
  const int rows = q->plan->steps ? q->plan->plan->rows : 0;
  for (int i = 0; i < rows; i++) q->left[i] = q->taken[i] = false, q->typical[i] = 0;
  q->out = 0;
  q->gauged = false;
  q->off_typical = 0;
}

void tn_root_keep(tn_root *q, tn_keep *keep) {
  const size_t rows = (size_t)q->plan->plan->rows;
  tn_keep_group(keep, "reflections");
  tn_keep_flags(keep, "left", rows, q->left);
  tn_keep_numbers(keep, "D", rows, q->D);
  tn_keep_numbers(keep, "typical", rows, q->typical);
  tn_keep_numbers(keep, "off", 1, &q->off_typical);
  tn_keep_flags(keep, "gauged", 1, &q->gauged);
  q->out = 0;
  for (size_t i = 0; i < rows; i++) q->out += q->left[i];
}

/* ---- factor: bodies and coefficients ------------------------------------------------------------------------------------------ */

/* M = L L', and T = L^-T, upper triangular. false: not positive definite */
static bool factor_body(tn_root *q, int i, const double *K) {
  const tn_root_body *b = &q->plan->body[i];
  const int n = b->n;
  double *restrict L = q->value + b->L, *restrict T = q->value + q->plan->piece[i].T;
  for (int r = 0; r < n; r++)
    for (int c = 0; c <= r; c++) {
      const double own = K[b->where.at + r * b->where.col + c * b->where.row];
      double sum = own;
      for (int k = 0; k < c; k++) sum -= L[r * n + k] * L[c * n + k];
      if (r == c && !(sum > TN_PIVOT_LEAST * own)) return false;
      L[r * n + c] = r == c ? sqrt(sum) : sum / L[c * n + c];
    }
  /* column j of L^-1 is row j of L^-T */
  for (int j = 0; j < n; j++)
    for (int r = 0; r < n; r++) {
      double sum = r == j;
      for (int k = j; k < r; k++) sum -= L[r * n + k] * T[j * n + k];
      T[j * n + r] = r < j ? 0 : sum / L[r * n + r];
    }
  q->p[i] = n;
  return true;
}

static void gather(tn_root *q, const tn_root_step *s, const double *K) {
  for (int e = 0; e < s->ends; e++) {
    const tn_root_end *end = &q->plan->end[s->end + e];
    const tn_where *w = &end->where;
    const int n = q->plan->body[end->body].n;
    double *a = q->value + end->a;
    for (int i = 0; i < s->size; i++)
      for (int j = 0; j < n; j++) a[i * n + j] = w->at < 0 ? 0 : q->s[s->row + i] * K[w->at + i * w->row + j * w->col];
  }
}

void tn_root_reflect_rows(const tn_root_step *s, const tn_root_tie *t, int j, int n, double *restrict a) {
  const double *v = t->v + j * s->size;
  for (int l = 0; l < n; l++) {
    double sum = 0;
    for (int i = j; i < s->size; i++) sum += v[i] * a[i * n + l];
    sum *= t->scale[j];
    for (int i = j; i < s->size; i++) a[i * n + l] -= sum * v[i];
  }
}

/* (6) */
static void factor_tie(tn_root *q, const tn_root_step *s, const double *K) {
  const int n = s->skip;
  const tn_root_tie t = tn_root_tie_of(q, s);
  double F[TN_BLOCK_MOST * TN_BLOCK_MOST];
  for (int i = 0; i < s->size; i++)
    for (int j = 0; j < n; j++) F[i * n + j] = q->s[s->row + i] * K[s->free.at + i * s->free.row + j * s->free.col];
  for (int j = 0; j < n; j++) {
    double norm = 0, *v = t.v + j * s->size;
    for (int i = j; i < s->size; i++) v[i] = F[i * n + j], norm += v[i] * v[i];
    norm = sqrt(norm);
    v[j] += copysign(norm, v[j]);
    t.scale[j] = norm > 0 ? 1 / (norm * fabs(v[j])) : 0;
    tn_root_reflect_rows(s, &t, j, n, F);
    for (int e = 0; e < s->ends; e++) {
      const tn_root_end *end = &q->plan->end[s->end + e];
      tn_root_reflect_rows(s, &t, j, q->plan->body[end->body].n, q->value + end->a);
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) t.R[i * n + j] = j >= i ? F[i * n + j] : 0;
}

/* (7) */
static void factor_via(tn_root *q, const tn_root_step *s, const tn_root_via *via, const double *K) {
  const tn_root_step *from = &q->plan->step[via->step];
  const int n = from->skip;
  const tn_root_tie t = tn_root_tie_of(q, from);
  double *V = q->value + via->V;
  for (int i = 0; i < s->size; i++)
    for (int j = 0; j < n; j++) {
      double sum = q->s[s->row + i] * K[via->where.at + i * via->where.row + j * via->where.col];
      for (int k = 0; k < j; k++) sum -= V[i * n + k] * t.R[k * n + j];
      V[i * n + j] = sum / t.R[j * n + j];
    }
  for (int e = 0; e < from->ends; e++) {
    const tn_root_end *end = &q->plan->end[from->end + e];
    const int m = q->plan->body[end->body].n;
    const double *E = q->value + end->a;
    double *a = q->value + q->plan->end[s->end + q->plan->maps[via->map + e]].a;
    for (int i = 0; i < s->size; i++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < m; l++) a[i * m + l] -= V[i * n + k] * E[k * m + l];
  }
}

/* ---- factor: steps --------------------------------------------------------------------------------------------------------------- */

/* (2): rows, then twists, by the freedoms of all pieces; their number is returned */
static int fill_step(tn_root *q, const tn_root_step *s) {
  const tn_root_plan *plan = q->plan;
  const int rows = s->size - s->skip;
  double *restrict W = q->value + s->W;
  int p = 0;
  for (int c = 0; c < s->children; c++) {
    q->offset[s->child + c] = p;
    p += q->p[plan->child[s->child + c]];
  }
  for (int i = 0; i < rows + s->port_rows; i++)
    for (int j = 0; j < p; j++) W[i * s->p + j] = 0;
  const tn_root_end *end = plan->end + s->end;
  for (int e = 0; e < s->ends; e++, end++) {
    const int piece = plan->child[s->child + end->child], n = plan->body[end->body].n, m = q->p[piece],
              most = plan->piece[piece].most;
    const double *restrict a = q->value + end->a + s->skip * n, *restrict T = q->value + end->T;
    double *restrict to = W + q->offset[s->child + end->child];
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j < m; j++) to[i * s->p + j] += a[i * n + k] * T[k * most + j];
  }
  double *restrict to = W + rows * s->p;
  for (int e = 0; e < s->ports; e++, end++) {
    const int piece = plan->child[s->child + end->child], n = plan->body[end->body].n, m = q->p[piece],
              most = plan->piece[piece].most;
    const double *restrict T = q->value + end->T;
    for (int i = 0; i < n; i++, to += s->p)
      for (int j = 0; j < m; j++) to[q->offset[s->child + end->child] + j] = T[i * most + j];
  }
  return p;
}

static double square(int n, const double *restrict a) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * a[i];
  return sum;
}

/* the row at `at`, from number `from` on, is reflected into its first number, and rows below along with it. the reflection takes its
 * place; its scale and the number it becomes are apart */
static void reflect(double *restrict W, int at, int from, int below, int p, int stride, double norm, double *scale,
                    double *R) {
  double *restrict v = W + at * stride + from;
  const int n = p - from;
  *R = -copysign(norm, v[0]);
  v[0] -= *R;
  *scale = norm > 0 ? 1 / (norm * fabs(v[0])) : 0;
  for (int i = at + 1; i < below; i++) {
    double *restrict w = W + i * stride + from, sum = 0;
    for (int j = 0; j < n; j++) sum += v[j] * w[j];
    sum *= *scale;
    for (int j = 0; j < n; j++) w[j] -= sum * v[j];
  }
}

static void exchange(double *restrict a, double *restrict b, int n) {
  for (int i = 0; i < n; i++) {
    const double x = a[i];
    a[i] = b[i];
    b[i] = x;
  }
}

/* the longest row that is left to its place; its length, or -1 if there is none that is not left out */
static double choose(tn_root *q, const tn_root_step *s, int at, int p) {
  const int rows = s->size - s->skip;
  int *pivot = q->pivot + s->row + s->skip, best = -1;
  double most = -1, *W = q->value + s->W;
  for (int i = at; i < rows; i++) {
    if (q->left[s->row + s->skip + pivot[i]]) continue;
    const double size = square(p - at, W + i * s->p + at);
    if (size > most) most = size, best = i;
  }
  if (best < 0) return -1;
  if (best != at) {
    const int row = pivot[at];
    pivot[at] = pivot[best];
    pivot[best] = row;
    exchange(W + at * s->p, W + best * s->p, p);
  }
  return sqrt(most);
}

static void leave(tn_root *q, int row) {
  if (q->left[row] || q->tied[row] || !(q->s[row] > 0)) return;
  q->left[row] = true;
  q->out++;
}

/* (2), (5) */
static void factor_step(tn_root *q, int number) {
  const tn_root_step *s = &q->plan->step[number];
  const int rows = s->size - s->skip, all = rows + s->port_rows, p = fill_step(q, s);
  double *W = q->value + s->W, *scale = q->value + s->scale, *R = scale + all, *rho = q->rho + s->row + s->skip;
  int *pivot = q->pivot + s->row + s->skip, rank = 0;
  for (int i = 0; i < rows; i++) pivot[i] = i, rho[i] = -1;
  for (; rank < rows && rank < p; rank++) {
    const double norm = choose(q, s, rank, p);
    if (!(norm > q->leaves)) break;
    reflect(W, rank, rank, all, p, s->p, norm, &scale[rank], &R[rank]);
    rho[rank] = norm * norm;
  }
  for (int i = rank; i < rows; i++) {
    if (q->leaves > 0) leave(q, s->row + s->skip + pivot[i]);
    if (q->left[s->row + s->skip + pivot[i]]) q->off = fmax(q->off, sqrt(square(p - rank, W + i * s->p + rank)));
  }
  q->rank[number] = rank;
  const int rest = p - rank, keep = rest < s->port_rows ? rest : s->port_rows;
  double *T = q->value + q->plan->piece[s->piece].T;
  for (int i = 0; i < s->port_rows; i++) {
    double *w = W + (rows + i) * s->p;
    if (rest > s->port_rows) {
      double unused;
      reflect(W, rows + i, rank + i, all, p, s->p, sqrt(square(rest - i, w + rank + i)), &scale[rows + i], &unused);
      for (int j = 0; j < keep; j++) T[i * s->most + j] = j < i ? w[rank + j] : j == i ? unused : 0;
    } else {
      for (int j = 0; j < keep; j++) T[i * s->most + j] = w[rank + j];
    }
  }
  q->p[s->piece] = keep;
}

static void gauge(tn_root *q, const tn_root_step *s, int number) {
  for (int i = 0; i < q->rank[number]; i++) {
    const int at = s->row + s->skip + i;
    const double rho = q->rho[at], near = q->typical[at] > 0 ? rho / q->typical[at] : rho;
    q->rho_min = fmin(q->rho_min, rho);
    if (!(near < q->nearness)) continue;
    q->nearness = near;
    q->least = s->x + s->skip + q->pivot[at];
  }
}

static void factor_steps(tn_root *q) {
  q->rho_min = q->nearness = 1;
  q->off = 0;
  q->least = q->plan->step[0].x;
  for (int i = 0; i < q->plan->steps; i++) {
    factor_step(q, i);
    gauge(q, &q->plan->step[i], i);
  }
}

/* as long as that makes pivots larger, and rows left out repeat the others as they did */
static void improve(tn_root *q) {
  for (int round = 0; round < EXCHANGES_MOST; round++) {
    const double before = q->nearness, off = q->off;
    if (!tn_root_exchange(q)) return;
    factor_steps(q);
    if (!(q->nearness > before && q->off <= 2 * off + TN_REPEAT_OFF)) {
      tn_root_change_places(q);
      factor_steps(q);
      return;
    }
    tn_root_new_typical(q);
  }
}

bool tn_root_factor(tn_root *q, const double *K) {
  const tn_root_plan *plan = q->plan;
  assert(plan->steps > 0);
  for (int i = 0; i < plan->plan->rows; i++) q->s[i] = q->D[i] > 0 ? 1 / sqrt(q->D[i]) : 0;
  q->K = K;
  for (int i = 0; i < plan->bodies; i++)
    if (!factor_body(q, i, K)) return q->bad = plan->body[i].x, false;
  for (int i = 0; i < plan->steps; i++) gather(q, &plan->step[i], K);
  for (int i = 0; i < plan->steps; i++)
    if (plan->step[i].skip) factor_tie(q, &plan->step[i], K);
  for (int i = 0; i < plan->steps; i++)
    for (int n = 0; n < plan->step[i].vias; n++) factor_via(q, &plan->step[i], &plan->via[plan->step[i].via + n], K);
  factor_steps(q);
  if (q->gauged && q->out) improve(q);
  if (q->out) tn_root_list_nulls(q);
  return true;
}
