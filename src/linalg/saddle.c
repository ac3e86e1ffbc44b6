/* K = [M A'; A 0] by blocks, where rows may be redundant or nearly so. The factor is that of K - E, E = eps D in the rows. Sweeps of
 * iterative refinement with the residual of K itself remove the effect of E.
 *   (1) correction (du, dl) = (K - E)^-1 (b - K x). The corrections decide when to stop, |du| c/(1 - c) <= tol |u| with c the
 *       contraction that was seen. A residual cannot: along a small singular value sigma an error e leaves a residual of only sigma e
 *   (2) without sweeps the error is grain/rho_min. The grain is roundoff, at most about 1e-13. If nothing else is known, no sweep is
 *       made where rho_min > 1e-2. Bodies of very different mass or inertia make rho small everywhere and do no harm. So the grain is
 *       measured at typical poses, as the first correction there times rho_min
 *   (3) redundant rows: the part of the right side that no u can meet is r = -E dl, dl of the last sweep. It is taken out of the right
 *       side. If it is roundoff it is taken out of the multipliers only, which are then the least in the norm of D
 * eps is 1e-15 where rows are independent. Where some are redundant it is 1e-12, or smaller if sweeps with that are slow. */
#include "linalg/linalg.h"

static const double SHIFT_REDUNDANT = 1e-12; /* 1: eps of K - eps D where some rows are redundant        */
static const double DIRECT_ERROR = 1e-13;    /* of the answer: what (2) may leave without a sweep         */
static const double INVERSE_HUGE = 1e-8;     /* 1: diagonal element over its pivot: the pivot is held by eps */
enum { SWEEPS_MAX = 12, ROUNDS_MAX = 5, ROUNDS_MAX_SMALL = 8 };

void tn_saddle_carve(tn_saddle *s, tn_carve *c, const tn_plan *p) {
  tn_ldl_carve(&s->ldl, c, p);
  s->K0 = TN_CARVE(c, double, p->values);
  double **vectors[] = {&s->g, &s->r, &s->dl};
  for (int i = 0; i < 3; i++) *vectors[i] = TN_CARVE(c, double, p->size);
}

void tn_saddle_keep(tn_saddle *s, tn_keep *keep) {
  tn_ldl *q = &s->ldl;
  const tn_plan *p = q->plan;
  tn_keep_flags(keep, "redundant", 1, &s->redundant);
  tn_keep_flags(keep, "filled", 1, &s->filled);
  tn_keep_flags(keep, "careful", (size_t)p->nodes, q->careful);
  tn_keep_flags(keep, "some_careful", 1, &q->some_careful);
  double *const scalar[] = {&s->grain, &q->eps, &q->rho_min, &q->nearness};
  for (size_t i = 0; i < sizeof scalar / sizeof *scalar; i++) tn_keep_numbers(keep, "scalar", 1, scalar[i]);
  for (int i = 0; i < p->rows; i++) {
    tn_gauge *g = &q->gauge[i];
    double x[4] = {g->D, g->D_inv, g->usual, g->rho};
    tn_keep_numbers(keep, "gauge", 4, x);
    *g = (tn_gauge){.D = x[0], .D_inv = x[1], .usual = x[2], .rho = x[3]};
  }
  tn_keep_numbers(keep, "K", (size_t)p->values, q->K);
  tn_keep_numbers(keep, "K0", (size_t)p->values, s->K0);
}

static bool factor(tn_saddle *s, double eps, double *x) {
  s->ldl.eps = eps;
  tn_ldl_begin(&s->ldl);
  for (int t = 0; t < s->ldl.plan->tiles; t++) {
    s->fill(s->who, t, s->ldl.K, x);
    if (!tn_ldl_factor_tile(&s->ldl, t, x)) return false;
  }
  return true;
}

void tn_saddle_fill(tn_saddle *s) {
  for (int t = 0; t < s->ldl.plan->tiles && !s->filled; t++) s->fill(s->who, t, s->K0, NULL);
  s->filled = true;
}

bool tn_saddle_factor(tn_saddle *s, double *x) {
  s->filled = false;
  return factor(s, s->redundant ? SHIFT_REDUNDANT : TN_SHIFT, x);
}

/* |u| measured by the masses, |lambda| by D: numbers one by one, for only ratios matter */
static void sizes(const tn_saddle *s, const double *x, double *u, double *lambda) {
  const tn_plan *p = s->ldl.plan;
  double a = 0, b = 0;
  for (int k = 0; k < p->nodes; k++) {
    const tn_column *c = &p->columns[k];
    const double *y = x + c->x;
    if (c->kind == TN_BLOCK_ROWS)
      for (int i = 0; i < c->size; i++) b += s->ldl.gauge[c->row + i].D * y[i] * y[i];
    else
      for (int i = 0, at = c->at, step = tn_block_pad(c->size) + 1; i < c->size; i++, at += step)
        a += s->K0[at] * y[i] * y[i];
  }
  *u = sqrt(a);
  *lambda = sqrt(b);
}

typedef struct outcome {
  int sweeps;
  bool slow;    /* eps is too large             */
  double error; /* of u, as far as it can be seen */
} outcome;

/* (1): sweeps at the right side g; the last correction in s->r */
static outcome sweep(tn_saddle *s, const double *g, double *x) {
  const tn_plan *p = s->ldl.plan;
  double before = 0, u, lambda, d, unused;
  outcome o = {0, false, 0};
  sizes(s, x, &u, &lambda);
  while (o.sweeps < SWEEPS_MAX) {
    tn_ldl_residual(p, s->K0, x, g, s->r);
    tn_ldl_solve(&s->ldl, s->r);
    sizes(s, s->r, &d, &unused);
    o.error = d / u;
    if (!isfinite(d)) break;
    if (o.sweeps > 0 && d > 0.3 * before) {
      o.slow = s->ldl.eps > TN_SHIFT && d > 100 * TN_EPS * (lambda + u);
      if (o.slow || d > 0.7 * before) break; /* roundoff is reached: this correction is not worth it */
    }
    for (int i = 0; i < p->size; i++) x[i] += s->r[i];
    memcpy(s->dl, s->r, sizeof *s->dl * (size_t)p->size);
    const double c = o.sweeps++ ? d / before : 0.1;
    before = d;
    o.error = c < 1 ? d * c / ((1 - c) * u) : d / u;
    if (o.error <= TN_SWEEP_END) break;
  }
  return o;
}

/* (3): r into s->r; the largest of it in units of D */
static double contradiction(tn_saddle *s) {
  const tn_plan *p = s->ldl.plan;
  double most = 0;
  memset(s->r, 0, sizeof *s->r * (size_t)p->size);
  for (int k = 0; k < p->nodes; k++) {
    const tn_column *c = &p->columns[k];
    for (int i = 0; c->kind == TN_BLOCK_ROWS && i < c->size; i++) {
      const double D = s->ldl.gauge[c->row + i].D;
      double *r = &s->r[c->x + i];
      *r = -s->ldl.eps * D * s->dl[c->x + i];
      if (D > 0) most = tn_max(most, fabs(*r) / sqrt(D));
    }
  }
  return most;
}

static void least_multipliers(tn_saddle *s, int times, double *x) {
  const tn_plan *p = s->ldl.plan;
  for (int k = 0; k < p->nodes; k++) {
    const tn_column *c = &p->columns[k];
    for (int i = c->x; c->kind == TN_BLOCK_ROWS && i < c->x + c->size; i++) x[i] -= times * s->dl[i];
  }
}

bool tn_saddle_sweeps(const tn_saddle *s) {
  const double rho = s->ldl.rho_min;
  return s->redundant || !(s->grain > 0 ? s->grain <= DIRECT_ERROR * tn_min(rho, 1) : rho > TN_RHO_DIRECT);
}

double tn_saddle_error(const tn_saddle *s) {
  const double rho = s->ldl.rho_min;
  return s->redundant || !(rho > TN_RHO_DIRECT) ? INFINITY : s->grain / tn_min(rho, 1);
}

/* Each redundant row leaves a pivot of about eps. If the row is eliminated before a body that it touches, the body is held by 1/eps
 * along it, and the next row along that direction gets a pivot of about eps too. So small pivots less bodies held so is the count. */
int tn_saddle_redundant(tn_saddle *s) {
  const tn_plan *p = s->ldl.plan;
  int small = 0, huge = 0;
  tn_saddle_fill(s);
  for (int k = 0; k < p->nodes; k++) {
    const tn_column *c = &p->columns[k];
    for (int i = 0, at = c->at, step = tn_block_pad(c->size) + 1; i < c->size; i++, at += step) {
      if (c->kind == TN_BLOCK_ROWS) small += s->ldl.gauge[c->row + i].rho < TN_RHO_REDUNDANT;
      if (c->kind == TN_BLOCK_MASS)
        huge += s->ldl.K[at] * s->K0[at] < INVERSE_HUGE; /* the inverse of the pivot is kept */
    }
  }
  return small > huge ? small - huge : 0;
}

/* an estimate of |u| without rows, from the diagonal */
static double unbound(const tn_saddle *s, const double *b) {
  const tn_plan *p = s->ldl.plan;
  double sum = 0;
  for (int k = 0; k < p->nodes; k++) {
    const tn_column *c = &p->columns[k];
    for (int i = 0, at = c->at, step = tn_block_pad(c->size) + 1; c->kind == TN_BLOCK_MASS && i < c->size;
         i++, at += step)
      sum += b[c->x + i] * b[c->x + i] / s->K0[at];
  }
  return sqrt(sum);
}

void tn_saddle_measure(tn_saddle *s, const double *b, double *x) {
  double u, lambda, du, dl;
  if (s->redundant) return;
  tn_saddle_fill(s);
  tn_ldl_residual(s->ldl.plan, s->K0, x, b, s->r);
  tn_ldl_solve(&s->ldl, s->r);
  sizes(s, x, &u, &lambda);
  sizes(s, s->r, &du, &dl);
  u = tn_max(u, unbound(s, b)); /* where a body is held still, forces nearly cancel */
  if (!(u > 0)) return;         /* nothing moves: nothing can be measured */
  s->grain = tn_max(s->grain, tn_min(s->ldl.rho_min, 1) * tn_max(tn_max(du / u, lambda > 0 ? dl / lambda : 0), TN_EPS));
}

void tn_saddle_sweep(tn_saddle *s, const double *b, double *x, tn_saddle_info *info) {
  const tn_plan *p = s->ldl.plan;
  const size_t bytes = sizeof *x * (size_t)p->size;
  tn_saddle_fill(s);
  memcpy(s->g, b, bytes);
  for (int n = 0;; n++) {
    const outcome o = sweep(s, s->g, x);
    info->sweeps += o.sweeps;
    info->error = o.error;
    if (o.slow) { /* again, from the start, with a smaller eps */
      if (!factor(s, tn_max(TN_SHIFT, s->ldl.eps / 1000), NULL)) break;
      memcpy(x, s->g, bytes);
      tn_ldl_solve(&s->ldl, x);
      continue;
    }
    if (!s->redundant || !o.sweeps) return;
    const double off = contradiction(s);
    double u, lambda, dl, unused;
    if (n == 0) info->inconsistency = off;
    sizes(s, x, &u, &lambda);
    sizes(s, s->dl, &unused, &dl);
    const double spoilt =
        10 * TN_EPS * (o.sweeps + 1) * dl / u; /* roundoff of the part that is taken out of the multipliers */
    if (spoilt <= 0.1 * TN_SWEEP_END || n >= (s->ldl.eps > TN_SHIFT ? ROUNDS_MAX : ROUNDS_MAX_SMALL)) {
      least_multipliers(s, o.sweeps + 1, x);
      info->error = tn_max(info->error, spoilt);
      return;
    }
    for (int i = 0; i < p->size; i++) s->g[i] -= s->r[i];
    memcpy(x, s->g, bytes);
    tn_ldl_solve(&s->ldl, x);
  }
}
