/* gauss: of all accelerations that the rows allow the one nearest to the free ones, in the metric of the masses (Gauss 1829; Udwadia
 * & Kalaba 1992; Braun & Goldfarb 2009 eq. 17). dense, by its definition: a reference for the others.
 *   (1) N = M + sum sigma_i a_i a_i',  f + sum sigma_i a_i gamma_i for f: as (2) of kkt.c, for masses that rows stand in for
 *   (2) T T' = N^-1:  root  T = N^-1/2, symmetric, from N = U diag(e^2) U';  cholesky  T = L^-T, N = L L'
 *   (3) B = s A T,  y = T'f:  udot = T (y + B^+ (s gamma - B y)),  lambda = s (B B')^+ (B y - s gamma)
 *   (4) multiplier: mu = (B B')^+ (B y - s gamma) first, then udot = T (y - B'mu)
 * s measures the rows (kkt.c (3)): it changes nothing where they agree; where they contradict each other the least squares are
 * those of `augmented`. B^+ by singular values, of which as many count as rows are independent in general, and none below
 * max(rows, nu) eps of the largest; (4) has only their squares, and so is blind to what lies below 1e-8 and loses twice the digits
 * near singular positions. fast: the same point as the solution of `augmented`, by its factorisation. So is every form where the
 * model has blocks, unless `matrices` is dense: (3) is where |x - M^-1 f| in the norm of M is least with A x = gamma, and that is
 * stationary where M x + A'lambda = f. correct, nearness and rank are those of kkt.c. */
#include "formulate/formulate.h"

typedef enum form { ROOT, CHOLESKY, MULTIPLIER, FAST } form;

typedef struct gauss {
  int form, matrices; /* form; tn_matrices */
} gauss;

typedef struct space {
  tn_kkt kkt;             /* first: it is the workspace of what is not done here          */
  int r;                  /* singular values that count                                   */
  bool failed;            /* N is not positive definite                                   */
  double *N, *T;          /* nu x nu: L in the lower half; T'                             */
  double *B;              /* rows x nu                                                    */
  double *X;              /* rows x nu: sigma_k v_k; multiplier: rows x rows, B B'        */
  double *Q;              /* rows x rows: q_k                                             */
  double *sigma, *w, *mu; /* rows                                               */
  double *f, *y, *z;      /* nu                                                 */
} space;

static void carve(space *s, tn_carve *c, int nu, int rows) {
  const uint64_t n = (uint64_t)nu, m = (uint64_t)rows;
  tn_kkt_carve(&s->kkt, c, nu, rows);
  s->N = TN_CARVE(c, double, n *n);
  s->T = TN_CARVE(c, double, n *n);
  s->B = TN_CARVE(c, double, m *n);
  s->X = TN_CARVE(c, double, m *(n > m ? n : m));
  s->Q = TN_CARVE(c, double, m *m);
  double **by_row[] = {&s->sigma, &s->w, &s->mu}, **by_speed[] = {&s->f, &s->y, &s->z};
  for (int i = 0; i < 3; i++) *by_row[i] = TN_CARVE(c, double, m);
  for (int i = 0; i < 3; i++) *by_speed[i] = TN_CARVE(c, double, n);
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

/* (1), (2); T' is kept, so that its rows are what a row of A is multiplied with */
static bool root_of_mass(space *s, const tn_system *sys, bool symmetric) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  const double *sigma = sys->m->sigma;
  memcpy(s->N, sys->M, sizeof *s->N * (size_t)nu * (size_t)nu);
  for (int k = 0; sigma && k < rows; k++)
    for (int i = 0; sigma[k] > 0 && i < nu; i++)
      for (int j = 0; j < nu; j++) s->N[i * nu + j] += sigma[k] * sys->A[k * nu + i] * sys->A[k * nu + j];
  if (!tn_cholesky(nu, s->N)) return false;
  for (int i = 0; i < nu * nu; i++) s->T[i] = 0;
  if (!symmetric) { /* rows of L^-1 are columns of L^-T */
    for (int j = 0; j < nu; j++) {
      for (int i = 0; i < nu; i++) s->y[i] = i == j;
      tn_cholesky_down(nu, s->N, s->y);
      for (int i = j; i < nu; i++) s->T[i * nu + j] = s->y[i];
    }
    return true;
  }
  /* rows of L', turned until orthogonal, are e_k u_k */
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) s->N[i * nu + j] = i <= j ? s->N[j * nu + i] : 0;
  tn_svd(nu, nu, s->N, NULL, s->y);
  for (int k = 0; k < nu; k++) {
    const double *x = s->N + (size_t)k * (size_t)nu, e = s->y[k];
    for (int i = 0; i < nu; i++)
      for (int j = 0; x[i] != 0 && j < nu; j++) s->T[i * nu + j] += x[i] / e * x[j] / e / e;
  }
  return true;
}

static bool factor(const void *self, void *work, const tn_system *sys, int *bad) {
  space *s = work;
  const form how = (form)((const gauss *)self)->form;
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  if (!tn_by_kkt_factor(work, sys, bad)) return false;
  if (how == FAST) return true;
  s->failed = !root_of_mass(s, sys, how == ROOT);
  if (s->failed) return true;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nu; j++)
      s->B[i * nu + j] = s->kkt.s[i] * tn_dot(nu, sys->A + (size_t)i * (size_t)nu, s->T + (size_t)j * (size_t)nu);
  if (how == MULTIPLIER) {
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < rows; j++)
        s->X[i * rows + j] = tn_dot(nu, s->B + (size_t)i * (size_t)nu, s->B + (size_t)j * (size_t)nu);
    tn_svd(rows, rows, s->X, s->Q, s->sigma);
  } else {
    memcpy(s->X, s->B, sizeof *s->X * (size_t)rows * (size_t)nu);
    tn_svd(rows, nu, s->X, s->Q, s->sigma);
  }
  s->r = tn_svd_rank(rows, nu, s->sigma, s->kkt.independent);
  return true;
}

/* the load of (1) into s->f; y of (3), and w = B y - s gamma */
static void transform(space *s, const tn_system *sys, const double *f, const double *gamma) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  const double *weight = sys->m->sigma;
  for (int j = 0; j < nu; j++) s->f[j] = f ? f[j] : 0;
  for (int i = 0; weight && i < rows; i++)
    for (int j = 0; weight[i] > 0 && j < nu; j++) s->f[j] += weight[i] * sys->A[i * nu + j] * gamma[i];
  for (int j = 0; j < nu; j++) s->y[j] = tn_dot(nu, s->T + (size_t)j * (size_t)nu, s->f);
  for (int i = 0; i < rows; i++) s->w[i] = tn_dot(nu, s->B + (size_t)i * (size_t)nu, s->y) - s->kkt.s[i] * gamma[i];
}

/* (3): mu = (B B')^+ w and z = y - B^+ w, by singular values of B */
static void invert_rows(space *s) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  for (int k = 0; k < s->r; k++) {
    const double *q = s->Q + (size_t)k * (size_t)rows, sigma = s->sigma[k], c = tn_dot(rows, q, s->w) / sigma;
    for (int i = 0; i < rows; i++) s->mu[i] += c / sigma * q[i];
    for (int j = 0; j < nu; j++) s->z[j] -= c * s->X[k * nu + j] / sigma;
  }
}

/* (4): mu by singular values of B B', and z = y - B'mu */
static void invert_product(space *s) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  for (int k = 0; k < s->r; k++) {
    const double *q = s->Q + (size_t)k * (size_t)rows, sigma = s->sigma[k], c = tn_dot(rows, q, s->w) / sigma;
    for (int i = 0; i < rows; i++) s->mu[i] += c * q[i];
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nu; j++) s->z[j] -= s->B[i * nu + j] * s->mu[i];
}

static void solve(const void *self, void *work, const tn_system *sys, const double *f, const double *gamma,
                  double *udot, double *lambda, tn_solve_info *info) {
  space *s = work;
  const form how = (form)((const gauss *)self)->form;
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  double sum = 0;
  if (how == FAST) {
    tn_by_kkt_solve(work, sys, f, gamma, udot, lambda, info);
    return;
  }
  *info = (tn_solve_info){.failed = s->failed};
  for (int j = 0; j < nu; j++) udot[j] = 0;
  for (int i = 0; i < rows; i++) lambda[i] = s->mu[i] = 0;
  if (s->failed) return;
  transform(s, sys, f, gamma);
  memcpy(s->z, s->y, sizeof *s->z * (size_t)nu);
  if (how == MULTIPLIER)
    invert_product(s);
  else
    invert_rows(s);
  for (int i = 0; i < rows; i++) lambda[i] = s->kkt.s[i] * s->mu[i];
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) udot[j] += s->T[i * nu + j] * s->z[i];
  for (int j = 0; j < nu; j++) sum += udot[j];
  for (int i = 0; i < rows; i++) sum += lambda[i];
  if (s->r < rows) info->inconsistency = tn_dense_left(nu, rows, sys->A, s->kkt.s, gamma, udot);
  info->failed = !isfinite(sum);
}

static void keep(void *work, tn_keep *k) {
  space *s = work;
  const size_t n = (size_t)s->kkt.nu, m = (size_t)s->kkt.rows;
  tn_kkt_keep(&s->kkt, k);
  tn_keep_ints(k, "r", 1, &s->r, 0, s->kkt.rows);
  tn_keep_flags(k, "failed", 1, &s->failed);
  tn_keep_numbers(k, "T", n * n, s->T);
  tn_keep_numbers(k, "B", m * n, s->B);
  tn_keep_numbers(k, "X", m * (n > m ? n : m), s->X);
  tn_keep_numbers(k, "Q", m * m, s->Q);
  tn_keep_numbers(k, "sigma", m, s->sigma);
}

static const tn_field fields[] = {
    {.key = "form",
     .doc =
         "symmetric root of the mass matrix, its Cholesky factor, the multipliers first; or fast, by the factorisation "
         "of `augmented`",
     .kind = TN_WORD,
     .offset = offsetof(gauss, form),
     .choices = "root cholesky multiplier fast"},
    TN_FIELD_MATRICES(gauss),
    {.key = NULL}};

static bool same(const void *self) {
  const gauss *by = self;
  return by->form == FAST || by->matrices == TN_MATRICES_AUTO;
}

const tn_formulation_type tn_formulation_gauss = {
    .name = "gauss",
    .doc = "the accelerations nearest to the free ones that the rows allow, by pseudo-inverse; large models by blocks",
    .example = "--formulation gauss:form=cholesky",
    .source = "Udwadia & Kalaba 1992; Braun & Goldfarb 2009 eq. 17",
    .same_as_augmented = same,
    .size = sizeof(gauss),
    .fields = fields,
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
