/* nullspace: the multipliers are taken out by a matrix R whose columns no row sees, A R = 0 (Hoang et al. 2023). dense: a reference.
 *   (1) As = s A d, Ms = d M d: rows and speeds measured (linalg.h); As R = 0
 *   (2) projector (eq. 21): R = 1 - As^+ As = 1 - V V',  As = sum sigma_k q_k v_k'
 *   (3) elimination (eq. 20): R = [1; -Ad^-1 Ai] with the dependent speeds chosen by full pivoting, As = L U; or named: then R grows
 *       without bound where Ad is singular, and udot loses the digits
 *   (4) H udot = h (eqs. 22, 23):  H = [R'Ms; V'],  h = [R'fs; diag(1/sigma) Q s gamma]   with (2)
 *                                  H = [R'Ms; U],   h = [R'fs; L^+ s gamma]               with (3)
 *       eqs. 22, 23 print -Phi_q qdot for what is -Phidot_q qdot: gamma. the rows are written as V'udot, U udot, so that rows
 *       which repeat each other count once; where they contradict each other both are the least squares of `augmented`
 *   (5) H has full column rank: H^+ by reflections (nu + r rows with (2), nu with (3))
 *   (6) lambda = s mu, As'mu = fs - Ms udot, shortest mu
 * singular values below max(rows, nu) eps of the largest do not count, nor more of them than rows are independent in general.
 * masses that rows stand in for need no care: R does not see them.
 * (7) R'(M udot - f) = 0 says that M udot - f is in the range of A': with A udot = gamma that is the system of `augmented`, whatever R
 *     is. where the model has blocks they stand in, unless `matrices` is dense or dependent speeds are named. correct, nearness and rank are those of kkt.c. */
#include "formulate/formulate.h"

typedef enum form { PROJECTOR, ELIMINATION } form;

typedef struct nullspace {
  int form, matrices;    /* form; tn_matrices */
  const bool *dependent; /* nu, or NULL: by pivoting */
} nullspace;

typedef struct space {
  tn_kkt kkt;                    /* first: it is the workspace of what is not done here               */
  int r;                         /* rows that count                                                   */
  double *d, *Ms, *As;           /* (1)                                                               */
  double *X;                     /* rows x nu: sigma_k v_k                                            */
  double *Q;                     /* rows x rows: q_k; elimination: L, rows x r, by reflections        */
  double *U;                     /* least of rows, nu, x nu                                           */
  double *R;                     /* nu x nu, columns: R'                                              */
  double *H;                     /* (nu + r) x nu                                                     */
  double *diagonal, *diagonal_L; /* nu, rows                                                */
  double *sigma, *b, *mu;        /* rows                                                    */
  double *f, *h, *x;             /* nu, 2 nu, nu                                            */
  int *column;                   /* nu: dependent speeds, then the others                   */
  bool *taken;                   /* rows or nu, the more                                    */
} space;

static void carve(space *s, tn_carve *c, int nu, int rows) {
  const uint64_t n = (uint64_t)nu, m = (uint64_t)rows, r = n < m ? n : m;
  tn_kkt_carve(&s->kkt, c, nu, rows);
  s->d = TN_CARVE(c, double, n);
  s->Ms = TN_CARVE(c, double, n *n);
  s->As = TN_CARVE(c, double, m *n);
  s->X = TN_CARVE(c, double, m *n);
  s->Q = TN_CARVE(c, double, m *m);
  s->U = TN_CARVE(c, double, r *n);
  s->R = TN_CARVE(c, double, n *n);
  s->H = TN_CARVE(c, double, (n + r) * n);
  s->diagonal = TN_CARVE(c, double, n + 1);
  s->diagonal_L = TN_CARVE(c, double, m + 1);
  double **by_row[] = {&s->sigma, &s->b, &s->mu};
  for (int i = 0; i < 3; i++) *by_row[i] = TN_CARVE(c, double, m);
  s->f = TN_CARVE(c, double, n);
  s->h = TN_CARVE(c, double, n + r);
  s->x = TN_CARVE(c, double, n);
  s->column = TN_CARVE(c, int, n);
  s->taken = TN_CARVE(c, bool, n + m);
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

/* (2): R', all of its nu rows, and V' below */
static int project(space *s) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  memcpy(s->X, s->As, sizeof *s->X * (size_t)rows * (size_t)nu);
  tn_svd(rows, nu, s->X, s->Q, s->sigma);
  s->r = tn_svd_rank(rows, nu, s->sigma, s->kkt.independent < nu ? s->kkt.independent : nu);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) s->R[i * nu + j] = i == j;
  for (int k = 0; k < s->r; k++) {
    double *v = s->X + (size_t)k * (size_t)nu;
    for (int j = 0; j < nu; j++) v[j] /= s->sigma[k];
    for (int i = 0; i < nu; i++)
      for (int j = 0; v[i] != 0 && j < nu; j++) s->R[i * nu + j] -= v[i] * v[j];
  }
  return nu;
}

static int by_pivots(space *s, int most, tn_pivoting how) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  double smallest;
  memcpy(s->X, s->As, sizeof *s->X * (size_t)rows * (size_t)nu);
  return tn_eliminate(rows, nu, s->X, most, how, (nu > rows ? nu : rows) * TN_EPS, s->Q, s->U, s->column, s->taken,
                      &smallest);
}

/* (3): R', one row for each independent speed, and U below */
static int eliminate(space *s, const bool *named) {
  const int nu = s->kkt.nu, rows = s->kkt.rows, most = s->kkt.independent < nu ? s->kkt.independent : nu;
  int wanted = 0;
  for (int j = 0; named && j < nu; j++)
    if (named[j]) s->column[wanted++] = j;
  s->r = named && wanted == most ? by_pivots(s, most, TN_PIVOT_KEPT) : 0;
  if (s->r < most) s->r = by_pivots(s, most, TN_PIVOT_FULL);
  tn_qr(rows, s->r, s->Q, s->diagonal_L);
  for (int j = 0; j < nu; j++) s->taken[j] = false;
  for (int k = 0; k < s->r; k++) s->taken[s->column[k]] = true;
  for (int j = 0, n = s->r; j < nu; j++)
    if (!s->taken[j]) s->column[n++] = j;
  for (int i = s->r; i < nu; i++) {
    double *R = s->R + (size_t)(i - s->r) * (size_t)nu;
    memset(R, 0, sizeof *R * (size_t)nu);
    R[s->column[i]] = 1;
    for (int k = s->r - 1; k >= 0; k--) {
      const double *u = s->U + (size_t)k * (size_t)nu;
      double sum = u[s->column[i]];
      for (int j = k + 1; j < s->r; j++) sum += u[s->column[j]] * R[s->column[j]];
      R[s->column[k]] = -sum / u[s->column[k]];
    }
  }
  return nu - s->r;
}

static bool factor(const void *self, void *work, const tn_system *sys, int *bad) {
  space *s = work;
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  const nullspace *by = self;
  const bool projector = by->form == PROJECTOR;
  if (!tn_by_kkt_factor(work, sys, bad)) return false;
  tn_dense_scale(nu, rows, sys->M, sys->A, sys->m->sigma, s->kkt.s, s->d, s->Ms, s->As);
  const int n = projector ? project(s) : eliminate(s, by->dependent);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < nu; j++)
      s->H[i * nu + j] = tn_dot(nu, s->R + (size_t)i * (size_t)nu, s->Ms + (size_t)j * (size_t)nu);
  memcpy(s->H + (size_t)n * (size_t)nu, projector ? s->X : s->U, sizeof *s->H * (size_t)s->r * (size_t)nu);
  tn_qr(n + s->r, nu, s->H, s->diagonal);
  return true;
}

static void solve(const void *self, void *work, const tn_system *sys, const double *f, const double *gamma,
                  double *udot, double *lambda, tn_solve_info *info) {
  space *s = work;
  const int nu = s->kkt.nu, rows = s->kkt.rows, r = s->r;
  const bool projector = ((const nullspace *)self)->form == PROJECTOR;
  const int n = projector ? nu : nu - r;
  for (int j = 0; j < nu; j++) s->f[j] = f ? s->d[j] * f[j] : 0;
  for (int i = 0; i < rows; i++) s->b[i] = s->kkt.s[i] * gamma[i];
  for (int i = 0; i < n; i++) s->h[i] = tn_dot(nu, s->R + (size_t)i * (size_t)nu, s->f);
  if (projector)
    for (int k = 0; k < r; k++) s->h[n + k] = tn_dot(rows, s->Q + (size_t)k * (size_t)rows, s->b) / s->sigma[k];
  else
    tn_qr_solve(rows, r, s->Q, s->diagonal_L, s->b, s->h + n);
  tn_qr_solve(n + r, nu, s->H, s->diagonal, s->h, s->x);
  /* (6) */
  for (int j = 0; j < nu; j++) s->f[j] -= tn_dot(nu, s->Ms + (size_t)j * (size_t)nu, s->x);
  if (projector) {
    for (int i = 0; i < rows; i++) s->mu[i] = 0;
    for (int k = 0; k < r; k++) {
      const double c = tn_dot(nu, s->X + (size_t)k * (size_t)nu, s->f) / s->sigma[k];
      for (int i = 0; i < rows; i++) s->mu[i] += c * s->Q[k * rows + i];
    }
  } else {
    for (int k = 0; k < r; k++) {
      double sum = s->f[s->column[k]];
      for (int j = 0; j < k; j++) sum -= s->U[j * nu + s->column[k]] * s->sigma[j];
      s->sigma[k] = sum / s->U[k * nu + s->column[k]];
    }
    tn_qr_shortest(rows, r, s->Q, s->diagonal_L, s->sigma, s->mu);
  }
  double sum = 0;
  for (int j = 0; j < nu; j++) sum += udot[j] = s->d[j] * s->x[j];
  for (int i = 0; i < rows; i++) sum += lambda[i] = s->kkt.s[i] * s->mu[i];
  *info = (tn_solve_info){.failed = !isfinite(sum)};
  if (r < rows) info->inconsistency = tn_dense_left(nu, rows, sys->A, s->kkt.s, gamma, udot);
}

static void keep(void *work, tn_keep *k) {
  space *s = work;
  const size_t n = (size_t)s->kkt.nu, m = (size_t)s->kkt.rows, r = n < m ? n : m;
  tn_kkt_keep(&s->kkt, k);
  tn_keep_ints(k, "r", 1, &s->r, 0, (int)r);
  tn_keep_numbers(k, "d", n, s->d);
  tn_keep_numbers(k, "Ms", n * n, s->Ms);
  tn_keep_numbers(k, "X", m * n, s->X);
  tn_keep_numbers(k, "Q", m * m, s->Q);
  tn_keep_numbers(k, "U", r * n, s->U);
  tn_keep_numbers(k, "R", n * n, s->R);
  tn_keep_numbers(k, "H", (n + r) * n, s->H);
  tn_keep_numbers(k, "diagonal", n + 1, s->diagonal);
  tn_keep_numbers(k, "diagonal_L", m + 1, s->diagonal_L);
  tn_keep_numbers(k, "sigma", m, s->sigma);
  tn_keep_ints(k, "column", n, s->column, 0, s->kkt.nu - 1);
}

static const tn_field fields[] = {
    {.key = "form",
     .doc = "of the matrix that takes out the multipliers: projector on what the rows leave free, or elimination of "
            "dependent speeds",
     .kind = TN_WORD,
     .offset = offsetof(nullspace, form),
     .choices = "projector elimination"},
    TN_FIELD_MATRICES(nullspace),
    {.key = "dependent",
     .doc =
         "form elimination: the speeds that are eliminated, `a.x+a.y`, as many as rows are independent; by pivoting if "
         "left out, and where they are lost in roundoff",
     .kind = TN_TEXT},
    {.key = NULL}};

static tn_status init(void *self, tn_context *ctx) {
  nullspace *by = self;
  const tn_node *named = tn_node_get(ctx->node, "dependent");
  int n = 0;
  if (named && by->form != ELIMINATION) return tn_refuse(ctx, named, "`dependent` is for the form `elimination`");
  TN_TRY(tn_speeds_at(ctx, named, "dependent", &by->dependent));
  for (int j = 0; by->dependent && j < ctx->m->nu; j++) n += by->dependent[j];
  if (n > ctx->m->rows) return tn_refuse(ctx, named, "`dependent` names %d speeds: there are %d rows", n, ctx->m->rows);
  return TN_OK;
}

static bool same(const void *self) {
  const nullspace *by = self;
  return by->matrices == TN_MATRICES_AUTO && !by->dependent;
}

const tn_formulation_type tn_formulation_nullspace = {
    .name = "nullspace",
    .doc = "the multipliers taken out by a matrix that the rows do not see; large models by blocks",
    .example = "--formulation nullspace",
    .source = "Hoang et al. 2023 eqs. 20 to 23",
    .size = sizeof(nullspace),
    .fields = fields,
    .init = init,
    .same_as_augmented = same,
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
