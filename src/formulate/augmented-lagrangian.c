/* augmented-lagrangian: rows by a penalty, whose force is moved into the multipliers pass by pass (Bayo & Ledesma 1996). dense.
 *   (1) (N + B'B/eps) x_{i+1} = f + B'g/eps - B'mu_i,   mu_{i+1} = mu_i + (B x_{i+1} - g)/eps,   mu_0 = 0,  i < iterations
 *   (2) N = M + sum sigma_k a_k a_k', and f likewise, as (2) of kkt.c: for masses that rows stand in for
 *   (3) B = s A, g = s gamma with s_i = 1/sqrt(a_i N^-1 a_i') (kkt.c (3)): a row counts as one over its own effective mass, so that eps is a
 *       pure number, the share of the mass beside the penalty; lambda = s mu
 *   (4) with the eigenvalues d of B N^-1 B' what is left of a row falls by eps/(eps + d) a pass: as (eps/d)^iterations
 * what is left, max s |A udot - gamma|, is reported: it is the finite eps that the user chose. in one direction the matrix is 1/eps larger than in the others:
 * roundoff is about 1e-16/eps. redundant rows share their load as mu stays in the range of B. By
 * blocks, where bodies have coordinates of their own: the same passes, penalty.c. correct, nearness and rank are those of kkt.c. */
#include "formulate/formulate.h"

typedef struct lagrangian {
  double eps;
  int iterations, matrices; /* tn_matrices */
} lagrangian;

typedef struct space {
  tn_kkt kkt;    /* first: it is the workspace of what is not done here */
  bool failed;   /* (1) is not positive definite                        */
  double *N;     /* nu x nu: L in its lower half                        */
  double *B;     /* rows x nu                                           */
  double *mu;    /* rows                                                */
  double *f, *x; /* nu                                                  */
} space;

static void carve(space *s, tn_carve *c, int nu, int rows) {
  const uint64_t n = (uint64_t)nu, m = (uint64_t)rows;
  tn_kkt_carve(&s->kkt, c, nu, rows);
  s->N = TN_CARVE(c, double, n *n);
  s->B = TN_CARVE(c, double, m *n);
  s->mu = TN_CARVE(c, double, m);
  s->f = TN_CARVE(c, double, n);
  s->x = TN_CARVE(c, double, n);
}

static size_t memory(const void *self, int nu, int rows) {
  tn_carve c = {NULL, 0};
  space s;
  (void)self;
  TN_CARVE(&c, space, 1);
  carve(&s, &c, nu, rows);
  return c.used;
}

static void prepare(const void *self, void *work, int nu, int rows) {
  tn_carve c = {work, 0};
  (void)self;
  space *s = TN_CARVE(&c, space, 1);
  carve(s, &c, nu, rows);
}

static bool factor(const void *self, void *work, const tn_system *sys, int *bad) {
  space *s = work;
  const double eps = ((const lagrangian *)self)->eps, *sigma = sys->m->sigma;
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  if (!tn_by_kkt_factor(work, sys, bad)) return false;
  memcpy(s->N, sys->M, sizeof *s->N * (size_t)nu * (size_t)nu);
  for (int k = 0; k < rows; k++) {
    const double *a = sys->A + (size_t)k * (size_t)nu, scale = s->kkt.s[k];
    const double weight = (sigma ? sigma[k] : 0) + scale * scale / eps;
    for (int j = 0; j < nu; j++) s->B[k * nu + j] = scale * a[j];
    for (int i = 0; i < nu; i++)
      for (int j = 0; a[i] != 0 && j <= i; j++) s->N[i * nu + j] += weight * a[i] * a[j];
  }
  s->failed = !tn_cholesky(nu, s->N);
  return true;
}

static void solve(const void *self, void *work, const tn_system *sys, const double *f, const double *gamma,
                  double *udot, double *lambda, tn_solve_info *info) {
  space *s = work;
  const lagrangian *p = self;
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  const double *sigma = sys->m->sigma, *scale = s->kkt.s;
  *info = (tn_solve_info){.failed = s->failed};
  for (int j = 0; j < nu; j++) s->f[j] = f ? f[j] : 0, udot[j] = 0;
  for (int i = 0; i < rows; i++) lambda[i] = s->mu[i] = 0;
  if (s->failed) return;
  for (int i = 0; sigma && i < rows; i++)
    for (int j = 0; sigma[i] > 0 && j < nu; j++) s->f[j] += sigma[i] * sys->A[i * nu + j] * gamma[i];
  for (int pass = 0; pass < p->iterations; pass++) {
    memcpy(udot, s->f, sizeof *udot * (size_t)nu);
    for (int i = 0; i < rows; i++) {
      const double *b = s->B + (size_t)i * (size_t)nu, force = scale[i] * gamma[i] / p->eps - s->mu[i];
      for (int j = 0; j < nu; j++) udot[j] += force * b[j];
    }
    tn_cholesky_down(nu, s->N, udot);
    tn_cholesky_up(nu, s->N, udot);
    for (int i = 0; i < rows; i++)
      s->mu[i] += (tn_dot(nu, s->B + (size_t)i * (size_t)nu, udot) - scale[i] * gamma[i]) / p->eps;
  }
  double sum = 0;
  for (int i = 0; i < rows; i++) lambda[i] = scale[i] * s->mu[i], sum += lambda[i];
  for (int j = 0; j < nu; j++) sum += udot[j];
  info->inconsistency = tn_dense_left(nu, rows, sys->A, scale, gamma, udot);
  info->failed = !isfinite(sum);
}

static void keep(void *work, tn_keep *k) {
  space *s = work;
  const size_t n = (size_t)s->kkt.nu, m = (size_t)s->kkt.rows;
  tn_kkt_keep(&s->kkt, k);
  tn_keep_flags(k, "failed", 1, &s->failed);
  tn_keep_numbers(k, "N", n * n, s->N);
  tn_keep_numbers(k, "B", m * n, s->B);
}

static tn_status init(void *self, tn_context *ctx) {
  const lagrangian *p = self;
  const bool blocks = p->matrices == TN_MATRICES_AUTO && !ctx->m->rods && !ctx->m->flywheels;
  bool own = true; /* speeds: bodies that stand on others have no mass of their own on them */
  for (int i = 0; i < ctx->m->bodies; i++) own = own && !tn_stands_on(&ctx->m->body[i]);
  if (!blocks || !own) ((lagrangian *)self)->matrices = TN_MATRICES_DENSE;
  if (blocks && own) tn_context_use_penalty(ctx);
  if (p->iterations < 2)
    tn_context_warn(ctx, "iterations", "one pass is a penalty alone: rows give way by about %g of what they carry",
                    p->eps);
  return TN_OK;
}

/* far from singular positions: corrections are those of `augmented`, accelerations those of penalty.c */
static bool blocks(const void *self) { return ((const lagrangian *)self)->matrices == TN_MATRICES_AUTO; }

static double penalty(const void *self, int *passes) {
  const lagrangian *p = self;
  *passes = p->iterations;
  return p->eps;
}

static const tn_field fields[] = {{.key = "eps",
                                   .doc = "share of the effective mass of a row beside its penalty",
                                   .offset = offsetof(lagrangian, eps),
                                   .dflt = 1e-6,
                                   .lo = 1e-12,
                                   .hi = 1},
                                  {.key = "iterations",
                                   .doc = "passes, by each of which what is left of a row falls by about eps",
                                   .kind = TN_INTEGER,
                                   .offset = offsetof(lagrangian, iterations),
                                   .dflt = 3,
                                   .lo = 1,
                                   .hi = 1000},
                                  TN_FIELD_MATRICES(lagrangian),
                                  {.key = NULL}};

const tn_formulation_type tn_formulation_augmented_lagrangian = {
    .name = "augmented-lagrangian",
    .doc = "rows by a penalty, whose force goes into the multipliers pass by pass; what is left of the rows is "
           "reported",
    .example = "--formulation augmented-lagrangian:eps=1e-5,iterations=4",
    .source = "Bayo & Ledesma 1996",
    .size = sizeof(lagrangian),
    .fields = fields,
    .init = init,
    .inexact = true,
    .same_as_augmented = blocks,
    .penalty = penalty,
    .memory = memory,
    .prepare = prepare,
    .reset = tn_by_kkt_reset,
    .typical = tn_by_kkt_typical,
    .factor = factor,
    .solve = solve,
    .correct = tn_by_kkt_correct,
    .nearness = tn_by_kkt_nearness,
    .rank = tn_by_kkt_rank,
    .keep = keep,
};
