/* the saddle point system by reflections, solved: forward, backward, and what redundant rows leave open. Numbers in brackets are those of
 * root.c */
#include "linalg/root.h"

#include <assert.h>

enum { SWEEPS_MOST = 12 };

/* (6): right sides of a tie reflected, h1 and h2 in g; (8): what acts on its coordinates acts on its bodies. Then (7) */
static void right_side_of_ties(tn_root *q, double *x) {
  const tn_root_plan *plan = q->plan;
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    double *g = q->g + s->row;
    for (int i = 0; i < s->size; i++) g[i] = q->s[s->row + i] * x[s->x + i];
    if (!s->skip) continue;
    const tn_root_tie t = tn_root_tie_of(q, s);
    double r[TN_BLOCK_MOST];
    for (int j = 0; j < s->skip; j++) tn_root_reflect_rows(s, &t, j, 1, g);
    for (int i = 0; i < s->skip; i++) {
      r[i] = x[s->free_x + i];
      for (int j = 0; j < i; j++) r[i] -= t.R[j * s->skip + i] * r[j];
      r[i] /= t.R[i * s->skip + i];
    }
    for (int e = 0; e < s->ends; e++) {
      const tn_root_end *end = &plan->end[s->end + e];
      const tn_root_body *b = &plan->body[end->body];
      for (int i = 0; i < s->skip; i++)
        for (int j = 0; j < b->n; j++) x[b->x + j] -= q->value[end->a + i * b->n + j] * r[i];
    }
  }
}

static void right_side_of_vias(tn_root *q) {
  const tn_root_plan *plan = q->plan;
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    for (int n = 0; n < s->vias; n++) {
      const tn_root_via *via = &plan->via[s->via + n];
      const tn_root_step *from = &plan->step[via->step];
      const double *V = q->value + via->V, *h = q->g + from->row;
      for (int i = 0; i < s->size; i++)
        for (int j = 0; j < from->skip; j++) q->g[s->row + i] -= V[i * from->skip + j] * h[j];
    }
  }
}

/* rows less what is known of the twists of their bodies, in the order of elimination: (3), as far as g */
static void known(const tn_root *q, const tn_root_step *s, const double *right, double *restrict g) {
  const tn_root_plan *plan = q->plan;
  const int rows = s->size - s->skip, *pivot = q->pivot + s->row + s->skip;
  double own[TN_BLOCK_MOST];
  for (int i = 0; i < rows; i++) own[i] = right[i];
  for (int e = 0; e < s->ends; e++) {
    const tn_root_end *end = &plan->end[s->end + e];
    const tn_root_body *b = &plan->body[end->body];
    const double *restrict a = q->value + end->a + s->skip * b->n, *restrict t = q->t + b->t;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < b->n; j++) own[i] -= a[i * b->n + j] * t[j];
  }
  for (int i = 0; i < rows; i++) g[i] = own[pivot[i]];
}

/* (3): z_1 in place of g; t */
static void go_on(tn_root *q, int number, const double *restrict z) {
  const tn_root_step *s = &q->plan->step[number];
  const int rank = q->rank[number];
  const tn_root_end *port = q->plan->end + s->end + s->ends;
  const double *restrict H = q->value + s->W + (s->size - s->skip) * s->p;
  for (int e = 0; e < s->ports; e++, port++) {
    const tn_root_body *b = &q->plan->body[port->body];
    double *restrict t = q->t + b->t;
    for (int i = 0; i < b->n; i++, H += s->p)
      for (int j = 0; j < rank; j++) t[i] += H[j] * z[j];
  }
}

static const double *diagonal(const tn_root *q, const tn_root_step *s) {
  return q->value + s->scale + s->size - s->skip + s->port_rows;
}

/* z_1 = R^-1 g, or y_1 in rows that are skipped */
static void substitute(const tn_root *q, int number, const bool *skip, double *restrict g) {
  const tn_root_step *s = &q->plan->step[number];
  const double *restrict W = q->value + s->W, *restrict R = diagonal(q, s), *y = q->v + q->plan->piece[s->piece].v;
  for (int i = 0; i < q->rank[number]; i++) {
    double sum = g[i];
    for (int j = 0; j < i; j++) sum -= W[i * s->p + j] * g[j];
    g[i] = skip && skip[s->row + s->skip + i] ? y[i] : sum / R[i];
  }
}

static inline void apply(const double *restrict w, double scale, int n, double *restrict y) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += w[j] * y[j];
  sum *= scale;
  for (int j = 0; j < n; j++) y[j] -= sum * w[j];
}

/* reflections that a step made: of its rows, then of its twists */
static int reflections(const tn_root *q, const tn_root_step *s, int number, int p) {
  const int rank = q->rank[number];
  return p - rank > s->port_rows ? rank + s->port_rows : rank;
}

static const double *reflection(const tn_root *q, const tn_root_step *s, int number, int i, double *scale) {
  const int rank = q->rank[number], at = i < rank ? i : s->size - s->skip + i - rank;
  *scale = q->value[s->scale + at];
  return q->value + s->W + at * s->p + i;
}

static int freedoms_of(const tn_root *q, const tn_root_step *s) {
  int p = 0;
  for (int c = 0; c < s->children; c++) p += q->p[q->plan->child[s->child + c]];
  return p;
}

/* where the freedoms of a piece stand: those of a step behind those that its rows have taken */
static double *vector_of(const tn_root *q, int piece) {
  const int step = piece - q->plan->bodies;
  return q->v + q->plan->piece[piece].v + (step >= 0 ? q->rank[step] : 0);
}

/* y of all pieces, (2) */
static void forward_freedoms(tn_root *q, int number) {
  const tn_root_step *s = &q->plan->step[number];
  double *y = q->v + q->plan->piece[s->piece].v;
  for (int c = 0; c < s->children; c++) {
    const int piece = q->plan->child[s->child + c];
    const double *from = vector_of(q, piece);
    for (int i = 0, at = q->offset[s->child + c]; i < q->p[piece]; i++) y[at + i] = from[i];
  }
  const int p = freedoms_of(q, s), n = reflections(q, s, number, p);
  for (int i = 0; i < n; i++) {
    double scale;
    const double *w = reflection(q, s, number, i, &scale);
    apply(w, scale, p - i, y + i);
  }
}

/* z of the pieces that a step has joined */
static void backward_freedoms(tn_root *q, int number, const double *z) {
  const tn_root_step *s = &q->plan->step[number];
  double *y = q->v + q->plan->piece[s->piece].v;
  const int p = freedoms_of(q, s);
  for (int i = 0; i < q->rank[number]; i++) y[i] = z[i];
  for (int i = reflections(q, s, number, p); i-- > 0;) {
    double scale;
    const double *w = reflection(q, s, number, i, &scale);
    apply(w, scale, p - i, y + i);
  }
  for (int c = 0; c < s->children; c++) {
    const int piece = q->plan->child[s->child + c];
    double *to = vector_of(q, piece);
    for (int i = 0, at = q->offset[s->child + c]; i < q->p[piece]; i++) to[i] = y[at + i];
  }
}

/* The first part of (4). mu (rows, in the order of elimination) is what the freedoms lack, y_1 - z_1, and behind the rank multipliers that
 * are given. Multipliers come out, `to` by rows; those of rows that are skipped are zero. */
void tn_root_multipliers(tn_root *q, int number, const bool *skip, double *restrict mu, double *restrict to) {
  const tn_root_plan *plan = q->plan;
  const tn_root_step *s = &plan->step[number];
  const int rows = s->size - s->skip, rank = q->rank[number], *pivot = q->pivot + s->row + s->skip;
  const double *restrict W = q->value + s->W, *restrict R = diagonal(q, s), *restrict H = W + rows * s->p;
  const tn_root_end *port = plan->end + s->end + s->ends;
  for (int e = 0; e < s->ports; e++, port++) {
    const tn_root_body *b = &plan->body[port->body];
    const double *restrict c = q->c + b->t;
    for (int i = 0; i < b->n; i++, H += s->p)
      for (int j = 0; j < rank; j++) mu[j] -= H[j] * c[i];
  }
  for (int i = rows; i-- > 0;) {
    if (i < rank) mu[i] = skip && skip[s->row + s->skip + i] ? 0 : mu[i] / R[i];
    for (int j = 0; j < (i < rank ? i : rank); j++) mu[j] -= W[i * s->p + j] * mu[i];
  }
  for (int i = 0; i < rows; i++) to[pivot[i]] = mu[i];
  for (int e = 0; e < s->ends; e++) {
    const tn_root_end *end = &plan->end[s->end + e];
    const tn_root_body *b = &plan->body[end->body];
    const double *restrict a = q->value + end->a + s->skip * b->n;
    double *restrict c = q->c + b->t;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < b->n; j++) c[j] += a[i * b->n + j] * to[i];
  }
}

/* (8): the share of a tie that determines its coordinates, and these */
static void solve_ties(tn_root *q, double *x) {
  const tn_root_plan *plan = q->plan;
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    const tn_root_tie t = tn_root_tie_of(q, s);
    for (int i = 0; s->skip && i < s->skip; i++) { /* R^-T r, less what vias have left there */
      double r = x[s->free_x + i];
      for (int j = 0; j < i; j++) r -= t.R[j * s->skip + i] * x[s->free_x + j];
      x[s->free_x + i] = r / t.R[i * s->skip + i];
    }
  }
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    for (int n = 0; n < s->vias; n++) {
      const tn_root_via *via = &plan->via[s->via + n];
      const tn_root_step *from = &plan->step[via->step];
      const double *V = q->value + via->V;
      for (int i = 0; i < s->size; i++)
        for (int j = 0; j < from->skip; j++) x[from->free_x + j] -= V[i * from->skip + j] * q->mu[s->row + i];
    }
  }
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    const tn_root_tie t = tn_root_tie_of(q, s);
    double *mu = q->mu + s->row, *f = x + s->free_x;
    if (!s->skip) continue;
    for (int i = 0; i < s->skip; i++) mu[i] = f[i], f[i] = q->g[s->row + i];
    for (int j = s->skip; j-- > 0;) tn_root_reflect_rows(s, &t, j, 1, mu);
    for (int e = 0; e < s->ends; e++) {
      const tn_root_end *end = &plan->end[s->end + e];
      const tn_root_body *b = &plan->body[end->body];
      for (int i = 0; i < s->skip; i++)
        for (int j = 0; j < b->n; j++) f[i] -= q->value[end->a + i * b->n + j] * x[b->x + j];
    }
    for (int i = s->skip; i-- > 0;) {
      for (int j = i + 1; j < s->skip; j++) f[i] -= t.R[i * s->skip + j] * f[j];
      f[i] /= t.R[i * s->skip + i];
    }
  }
}

static void forward_bodies(tn_root *q, const double *x) {
  for (int i = 0; i < q->plan->bodies; i++) {
    const tn_root_body *b = &q->plan->body[i];
    const double *L = q->value + b->L;
    double *y = q->v + q->plan->piece[i].v;
    for (int r = 0; r < b->n; r++) {
      double sum = x[b->x + r];
      for (int k = 0; k < r; k++) sum -= L[r * b->n + k] * y[k];
      y[r] = sum / L[r * b->n + r];
    }
  }
}

static void backward_bodies(const tn_root *q, double *x) {
  for (int i = 0; i < q->plan->bodies; i++) {
    const tn_root_body *b = &q->plan->body[i];
    const double *L = q->value + b->L, *z = q->v + q->plan->piece[i].v;
    for (int r = b->n; r-- > 0;) {
      double sum = z[r];
      for (int k = r + 1; k < b->n; k++) sum -= L[k * b->n + r] * x[b->x + k];
      x[b->x + r] = sum / L[r * b->n + r];
    }
  }
}

static void clear(int n, double *x) { memset(x, 0, sizeof *x * (size_t)n); }

void tn_root_balance(tn_root *q, const double *a, double *mu) {
  const tn_root_plan *plan = q->plan;
  double own[TN_BLOCK_MOST];
  clear(plan->twists, q->c);
  for (int k = plan->steps; k-- > 0;) {
    const tn_root_step *s = &plan->step[k];
    const int first = s->row + s->skip, *pivot = q->pivot + first;
    for (int i = 0; i < s->size - s->skip; i++)
      own[i] = i >= q->rank[k] && q->left[first + pivot[i]] ? a[first + pivot[i]] : 0;
    tn_root_multipliers(q, k, NULL, own, mu + first);
    for (int i = s->row; i < first; i++) mu[i] = 0;
  }
}

void tn_root_remains(tn_root *q, const double *v, double *d) {
  const tn_root_plan *plan = q->plan;
  clear(plan->twists, q->t);
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    const int first = s->row + s->skip, rank = q->rank[k], *pivot = q->pivot + first;
    const double *restrict W = q->value + s->W;
    double z[TN_BLOCK_MOST];
    known(q, s, v + first, z);
    for (int i = s->row; i < s->row + s->size; i++) d[i] = 0;
    substitute(q, k, NULL, z);
    go_on(q, k, z);
    for (int i = rank; i < s->size - s->skip; i++) {
      if (!q->left[first + pivot[i]]) continue;
      for (int j = 0; j < rank; j++) z[i] -= W[i * s->p + j] * z[j];
      d[first + pivot[i]] = z[i];
    }
  }
}

void tn_root_forces(tn_root *q, const double *mu) {
  const tn_root_plan *plan = q->plan;
  clear(plan->twists, q->c);
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    for (int e = 0; e < s->ends; e++) {
      const tn_root_end *end = &plan->end[s->end + e];
      const tn_root_body *b = &plan->body[end->body];
      const double *restrict a = q->value + end->a;
      double *restrict c = q->c + b->t;
      for (int i = s->skip; i < s->size; i++)
        for (int j = 0; j < b->n; j++) c[j] += a[i * b->n + j] * mu[s->row + i];
    }
  }
}

void tn_root_efforts(const tn_root *q, double *x) {
  const tn_root_plan *plan = q->plan;
  for (int k = 0; k < plan->steps; k++)
    for (int i = 0, at = plan->step[k].row; i < plan->step[k].size; i++, at++)
      x[plan->step[k].x + i] = q->s[at] * q->mu[at];
}

void tn_root_pushed(const tn_root *q, const double *push, double *x) {
  for (int i = 0; i < q->plan->bodies; i++) {
    const tn_root_body *b = &q->plan->body[i];
    const double *L = q->value + b->L, *c = push + b->t;
    double *y = x + b->x;
    for (int r = 0; r < b->n; r++) {
      y[r] = c[r];
      for (int k = 0; k < r; k++) y[r] -= L[r * b->n + k] * y[k];
      y[r] /= L[r * b->n + r];
    }
    for (int r = b->n; r-- > 0;) {
      for (int k = r + 1; k < b->n; k++) y[r] -= L[k * b->n + r] * y[k];
      y[r] /= L[r * b->n + r];
    }
  }
}

void tn_root_pass(tn_root *q, const bool *skip, double *x) {
  const tn_root_plan *plan = q->plan;
  double mu[TN_BLOCK_MOST];
  forward_bodies(q, x);
  clear(plan->twists, q->t);
  clear(plan->twists, q->c);
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    double *z = q->z + s->row + s->skip;
    forward_freedoms(q, k);
    known(q, s, q->g + s->row + s->skip, z);
    substitute(q, k, skip, z);
    go_on(q, k, z);
  }
  for (int k = plan->steps; k-- > 0;) {
    const tn_root_step *s = &plan->step[k];
    const double *z = q->z + s->row + s->skip, *y = q->v + plan->piece[s->piece].v;
    for (int i = 0; i < s->size - s->skip; i++) mu[i] = i < q->rank[k] ? y[i] - z[i] : 0;
    tn_root_multipliers(q, k, skip, mu, q->mu + s->row + s->skip);
    for (int i = s->row; i < s->row + s->skip; i++) q->mu[i] = 0;
    backward_freedoms(q, k, z);
  }
  backward_bodies(q, x);
}

/* K x = b, but for the shortest multipliers; the largest part of a scaled row that rows left out contradict */
static double solve(tn_root *q, const bool *skip, double *x) {
  right_side_of_ties(q, x);
  right_side_of_vias(q);
  double inconsistency = 0;
  if (q->out) { /* it works in g */
    memcpy(q->work[5], q->g, sizeof *q->g * (size_t)q->plan->plan->rows);
    inconsistency = tn_root_consistent(q, q->work[5]);
    memcpy(q->g, q->work[5], sizeof *q->g * (size_t)q->plan->plan->rows);
  }
  tn_root_pass(q, skip, x);
  solve_ties(q, x);
  tn_root_efforts(q, x);
  return inconsistency;
}

/* multipliers become the shortest ones, and accelerations those that belong to them */
static void share(tn_root *q, double *x) {
  const tn_root_plan *plan = q->plan;
  double *y = q->y, *mu = q->work[5];
  if (!q->out) return;
  for (int k = 0; k < plan->steps; k++)
    for (int i = 0, at = plan->step[k].row; i < plan->step[k].size; i++, at++)
      mu[at] = q->s[at] > 0 ? x[plan->step[k].x + i] / q->s[at] : 0;
  tn_root_null_part(q, mu, q->work[6]);
  clear(plan->plan->size, y);
  tn_root_pushed(q, q->push, y);
  memcpy(q->mu, q->work[6], sizeof *mu * (size_t)plan->plan->rows);
  clear(plan->plan->rows, q->g);
  for (int i = 0; i < plan->bodies; i++)
    for (int k = 0; k < plan->body[i].n; k++) y[plan->body[i].x + k] *= q->off > TN_REPEAT_OFF ? -1 : 0;
  solve_ties(q, y);
  tn_root_efforts(q, y);
  for (int i = 0; i < plan->plan->size; i++) x[i] -= y[i];
}

/* of the accelerations of bodies, in the metric of their masses */
static double size_of(const tn_root *q, const double *x) {
  double sum = 0;
  for (int i = 0; i < q->plan->bodies; i++) {
    const tn_root_body *b = &q->plan->body[i];
    const double *L = q->value + b->L;
    for (int r = 0; r < b->n; r++) {
      double z = 0;
      for (int k = r; k < b->n; k++) z += L[k * b->n + r] * x[b->x + k];
      sum += z * z;
    }
  }
  return sqrt(sum);
}

/* (13) */
static void refine(tn_root *q, double *x) {
  const int n = q->plan->plan->size;
  double before = 0;
  for (int sweep = 0; sweep < SWEEPS_MOST; sweep++) {
    tn_ldl_residual(q->plan->plan, q->K, x, q->b, q->r);
    solve(q, NULL, q->r);
    const double d = size_of(q, q->r);
    if (!isfinite(d) || (sweep > 0 && d > 0.7 * before)) return; /* roundoff is reached */
    for (int i = 0; i < n; i++) x[i] += q->r[i];
    share(q, x);
    const double c = sweep > 0 ? d / before : 0.1;
    if (d * c <= (1 - c) * TN_SWEEP_END * size_of(q, x)) return;
    before = d;
  }
}

void tn_root_solve(tn_root *q, double *x) {
  const bool sweeps = q->out && q->off > TN_REPEAT_OFF;
  if (sweeps) memcpy(q->b, x, sizeof *x * (size_t)q->plan->plan->size);
  q->inconsistency = solve(q, NULL, x);
  share(q, x);
  if (sweeps) refine(q, x);
}

void tn_root_typical(tn_root *q) {
  q->gauged = true;
  q->off_typical = fmax(q->off_typical, q->off);
  for (int i = 0; i < q->plan->plan->rows; i++) q->typical[i] = fmax(q->typical[i], q->rho[i]);
}

/* A part of g along a pivot rho is divided by sqrt(rho). A part that is left out too early grows until it is seen through a smaller rho. So
 * the worth is 100 times the largest residual, and at least 2,000 times the noise. */
static const double WORTH_SIGNAL = 100; /* 1: worth of a correction over its largest residual */
static const double WORTH_NOISE = 2000; /* 1: and over the roundoff of the row                */

void tn_root_correct(tn_root *q, const double *noise, double *x) {
  const tn_root_plan *plan = q->plan;
  double signal = 0;
  bool some = false;
  for (int k = 0; k < plan->steps; k++)
    for (int i = 0; i < plan->step[k].size; i++)
      signal = fmax(signal, q->s[plan->step[k].row + i] * fabs(x[plan->step[k].x + i]));
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    for (int i = 0, at = s->row + s->skip; i < q->rank[k]; i++, at++) {
      const int row = s->skip + q->pivot[at];
      const double least = q->s[s->row + row] * noise[s->x + row],
                   worth = fmax(WORTH_SIGNAL * signal, WORTH_NOISE * least);
      q->skip[at] = worth > 0 && q->rho[at] <= (least / worth) * (least / worth);
      some = some || q->skip[at];
    }
  }
  if (!some) {
    tn_root_solve(q, x);
    return;
  }
  solve(q, q->skip, x);
  share(q, x);
}
