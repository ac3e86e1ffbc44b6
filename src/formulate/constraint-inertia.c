/* constraint-inertia: the equations of motion projected on what the rows leave free, and a constraint inertia that can be inverted
 * whatever the rank of the rows (Aghili 2005). dense: a reference.
 *   (1) As = s A d, Ms = d (M + W) d: rows and speeds measured (linalg.h, T114), where Aghili takes them as they come. W = sum sigma_i
 *       a_i a_i' for masses that rows stand in for; d f has d sum sigma_i a_i gamma_i added
 *   (2) P = 1 - As^+ As,  As^+ by singular values;  the part of udot that the rows give: w = As^+ s gamma
 *   (3) P Ms x = P fs and (1 - P) x = w, as one system:
 *       skew:       Mc x = P fs + Ms w,           Mc = Ms + P Ms - Ms P;  y'Mc y = y'Ms y > 0, since P Ms - Ms P is skew
 *       symmetric:  Mc x = P (fs - Ms w) + w,     Mc = P Ms P + (1 - P)
 *       then x <- w + P x, which is the same x but for the roundoff of Mc: 8e-12 instead of 6e-10 over all models
 *   (4) lambda = s mu, As'mu = (1 - P) (fs - Ms x), shortest mu
 * singular values below max(rows, nu) eps of the largest do not count, nor more of them than rows are independent in general.
 * correct, nearness and rank are those of kkt.c. */
#include "formulate/formulate.h"

typedef enum form { SKEW, SYMMETRIC } form;

typedef struct inertia {
  int form;
} inertia;

typedef struct space {
  tn_kkt kkt;               /* first: it is the workspace of what is not done here */
  int r;                    /* rows that count                                     */
  bool failed;              /* Mc is singular                                      */
  double *d, *Ms, *As;      /* (1)                                                 */
  double *X;                /* rows x nu: v_k                                      */
  double *Q;                /* rows x rows: q_k                                    */
  double *P, *PM, *Mc;      /* nu x nu; Mc by its factors                          */
  double *sigma, *b, *mu;   /* rows                                                */
  double *f, *w, *x, *rest; /* nu; rest: fs - Ms w                     */
  int *pivot;               /* nu                                                  */
} space;

static void carve(space *s, tn_carve *c, int nu, int rows) {
  const uint64_t n = (uint64_t)nu, m = (uint64_t)rows;
  tn_kkt_carve(&s->kkt, c, nu, rows);
  s->d = TN_CARVE(c, double, n);
  s->As = TN_CARVE(c, double, m *n);
  s->X = TN_CARVE(c, double, m *n);
  s->Q = TN_CARVE(c, double, m *m);
  double **square[] = {&s->Ms, &s->P, &s->PM, &s->Mc}, **by_row[] = {&s->sigma, &s->b, &s->mu},
         **by_speed[] = {&s->f, &s->w, &s->x, &s->rest};
  for (int i = 0; i < 4; i++) *square[i] = TN_CARVE(c, double, n *n);
  for (int i = 0; i < 3; i++) *by_row[i] = TN_CARVE(c, double, m);
  for (int i = 0; i < 4; i++) *by_speed[i] = TN_CARVE(c, double, n);
  s->pivot = TN_CARVE(c, int, n);
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

/* (1): W, from the rows as they come */
static void add_rows(space *s, const tn_system *sys) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  const double *sigma = sys->m->sigma;
  for (int k = 0; sigma && k < rows; k++) {
    const double *a = sys->A + (size_t)k * (size_t)nu;
    for (int i = 0; sigma[k] > 0 && i < nu; i++)
      for (int j = 0; a[i] != 0 && j < nu; j++) s->Ms[i * nu + j] += sigma[k] * s->d[i] * a[i] * a[j] * s->d[j];
  }
}

/* (2) */
static void project(space *s) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  memcpy(s->X, s->As, sizeof *s->X * (size_t)rows * (size_t)nu);
  tn_svd(rows, nu, s->X, s->Q, s->sigma);
  s->r = tn_svd_rank(rows, nu, s->sigma, s->kkt.independent < nu ? s->kkt.independent : nu);
  for (int i = 0; i < nu * nu; i++) s->P[i] = i % (nu + 1) == 0;
  for (int k = 0; k < s->r; k++) {
    double *v = s->X + (size_t)k * (size_t)nu;
    for (int j = 0; j < nu; j++) v[j] /= s->sigma[k];
    for (int i = 0; i < nu; i++)
      for (int j = 0; v[i] != 0 && j < nu; j++) s->P[i * nu + j] -= v[i] * v[j];
  }
}

static bool factor(const void *self, void *work, const tn_system *sys, int *bad) {
  space *s = work;
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  const bool skew = ((const inertia *)self)->form == SKEW;
  if (!tn_by_kkt_factor(work, sys, bad)) return false;
  tn_dense_scale(nu, rows, sys->M, sys->A, sys->m->sigma, s->kkt.s, s->d, s->Ms, s->As);
  add_rows(s, sys);
  project(s);
  for (int i = 0; i < nu; i++) /* P and Ms are symmetric */
    for (int j = 0; j < nu; j++)
      s->PM[i * nu + j] = tn_dot(nu, s->P + (size_t)i * (size_t)nu, s->Ms + (size_t)j * (size_t)nu);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++)
      s->Mc[i * nu + j] = skew ? s->Ms[i * nu + j] + s->PM[i * nu + j] - s->PM[j * nu + i]
                               : tn_dot(nu, s->PM + (size_t)i * (size_t)nu, s->P + (size_t)j * (size_t)nu) + (i == j) -
                                     s->P[i * nu + j];
  s->failed = !tn_lu_factor(nu, s->Mc, s->pivot);
  return true;
}

/* out = P y */
static void projected(const space *s, const double *y, double *out) {
  for (int i = 0; i < s->kkt.nu; i++) out[i] = tn_dot(s->kkt.nu, s->P + (size_t)i * (size_t)s->kkt.nu, y);
}

/* the forces, measured, and s gamma */
static void right_side(space *s, const tn_system *sys, const double *f, const double *gamma) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  const double *sigma = sys->m->sigma;
  for (int j = 0; j < nu; j++) s->f[j] = f ? f[j] : 0;
  for (int k = 0; k < rows; k++) {
    s->b[k] = s->kkt.s[k] * gamma[k];
    for (int j = 0; sigma && sigma[k] > 0 && j < nu; j++) s->f[j] += sigma[k] * sys->A[k * nu + j] * gamma[k];
  }
  for (int j = 0; j < nu; j++) s->f[j] *= s->d[j];
}

/* (2): sum over k of v_k (q_k'b)/sigma_k */
static void given_by_rows(space *s) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  for (int j = 0; j < nu; j++) s->w[j] = 0;
  for (int k = 0; k < s->r; k++) {
    const double c = tn_dot(rows, s->Q + (size_t)k * (size_t)rows, s->b) / s->sigma[k];
    for (int j = 0; j < nu; j++) s->w[j] += c * s->X[k * nu + j];
  }
}

/* (4) */
static void multipliers(space *s) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  for (int j = 0; j < nu; j++) s->f[j] -= tn_dot(nu, s->Ms + (size_t)j * (size_t)nu, s->x);
  for (int i = 0; i < rows; i++) s->mu[i] = 0;
  for (int k = 0; k < s->r; k++) {
    const double c = tn_dot(nu, s->X + (size_t)k * (size_t)nu, s->f) / s->sigma[k];
    for (int i = 0; i < rows; i++) s->mu[i] += c * s->Q[k * rows + i];
  }
}

static void solve(const void *self, void *work, const tn_system *sys, const double *f, const double *gamma,
                  double *udot, double *lambda, tn_solve_info *info) {
  space *s = work;
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  *info = (tn_solve_info){.failed = s->failed};
  for (int j = 0; j < nu; j++) udot[j] = 0;
  for (int i = 0; i < rows; i++) lambda[i] = 0;
  if (s->failed) return;
  right_side(s, sys, f, gamma);
  given_by_rows(s);
  if (((const inertia *)self)->form == SKEW) {
    projected(s, s->f, s->x);
    for (int j = 0; j < nu; j++) s->x[j] += tn_dot(nu, s->Ms + (size_t)j * (size_t)nu, s->w);
  } else {
    for (int j = 0; j < nu; j++) s->rest[j] = s->f[j] - tn_dot(nu, s->Ms + (size_t)j * (size_t)nu, s->w);
    projected(s, s->rest, s->x);
    for (int j = 0; j < nu; j++) s->x[j] += s->w[j];
  }
  tn_lu_solve(nu, s->Mc, s->pivot, s->x);
  /* (3): what P leaves is given by the rows */
  projected(s, s->x, s->rest);
  for (int j = 0; j < nu; j++) s->x[j] = s->w[j] + s->rest[j];
  multipliers(s);
  double sum = 0;
  for (int j = 0; j < nu; j++) sum += udot[j] = s->d[j] * s->x[j];
  for (int i = 0; i < rows; i++) sum += lambda[i] = s->kkt.s[i] * s->mu[i];
  info->failed = !isfinite(sum);
  if (s->r < rows) info->inconsistency = tn_dense_left(nu, rows, sys->A, s->kkt.s, gamma, udot);
}

static void keep(void *work, tn_keep *k) {
  space *s = work;
  const size_t n = (size_t)s->kkt.nu, m = (size_t)s->kkt.rows;
  tn_kkt_keep(&s->kkt, k);
  tn_keep_ints(k, "r", 1, &s->r, 0, (int)(n < m ? n : m));
  tn_keep_flags(k, "failed", 1, &s->failed);
  tn_keep_numbers(k, "d", n, s->d);
  tn_keep_numbers(k, "Ms", n * n, s->Ms);
  tn_keep_numbers(k, "X", m * n, s->X);
  tn_keep_numbers(k, "Q", m * m, s->Q);
  tn_keep_numbers(k, "P", n * n, s->P);
  tn_keep_numbers(k, "Mc", n * n, s->Mc);
  tn_keep_numbers(k, "sigma", m, s->sigma);
  tn_keep_ints(k, "pivot", n, s->pivot, 0, s->kkt.nu - 1);
}

static const tn_field fields[] = {
    {.key = "form",
     .doc = "of the constraint inertia: M + P M - M P, which needs no weight; or P M P + (1 - P), which is symmetric",
     .kind = TN_WORD,
     .offset = offsetof(inertia, form),
     .choices = "skew symmetric"},
    {.key = NULL}};

const tn_formulation_type tn_formulation_constraint_inertia = {
    .name = "constraint-inertia",
    .doc = "equations projected on what the rows leave free, and an inertia that can be inverted at any rank; dense",
    .example = "--formulation constraint-inertia",
    .source = "Aghili 2005",
    .size = sizeof(inertia),
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
