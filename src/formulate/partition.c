/* partition: the speeds that depend on others are put in terms of these (Wehage & Haug 1982; Nada & Bashiri 2017). dense: a
 * reference. which of them are integrated is in layout.c; here are the accelerations, which are the same in every layout.
 *   (1) As = s A d, Ms = d M d: rows and speeds measured (linalg.h), so that the choice does not hang on units
 *   (2) As = L U by elimination; its pivot columns are the dependent speeds x_d = p - B x_i,  p = Ud^-1 L^+ s gamma,  B = Ud^-1 Ui
 *   (3) R = [-B; 1]:  R'Ms R x_i = R'(fs - Ms (p; 0))
 *   (4) lambda = s mu,  Ud' L'mu = (fs - Ms x)_d, shortest mu
 *   (5) once more with what is left, fs - Ms x - As'mu and s gamma - As x: a choice may be poor, as the first columns are that rref
 *       takes (2.6e-9 of udot in a chain of ten bodies with Euler parameters)
 * rows that repeat each other are in L^+, least squares: where they contradict each other a little it does not matter which rows
 * the pivots were taken from, and the answers are those of `augmented`. no more pivots than rows are independent in general,
 * and none below max(rows, nu) eps.
 * pivoting   full  the largest number left
 *            rref  column by column, the largest of each: the first speeds that can depend do (MATLAB's rref takes a column
 *                  above roundoff, here above 1e-6 as long as that gives columns enough: a state a little off the constraints
 *                  makes a column that depends look as if it did not)
 * choose     always  at every factorisation
 *            kept    again when the smallest pivot is below a tenth of the best it has had
 *            once    again only before it degenerates: below 1e-6 of that. accelerations lose the digits that the pivot loses
 *            never   again only where it is lost in roundoff. in the other layouts the run ends before that
 * independent, by name: these from start to end, as many of the first named as rows leave free. nothing is chosen; where the others
 * do not follow from them there is no solution
 * blocks: (3) and (4) say M x + A'lambda = f with A x = gamma, whichever speeds are dependent. where the model has blocks, all
 * states are integrated and the choice is open (full, no names) these stand in. which speeds depend matters to corrections alone:
 * dependent_sparse.c
 * correct, nearness and rank are those of kkt.c. */
#include "formulate/partition.h"

/* smallest pivot over the best it has had, below which it is chosen again */
static const double GIVE_UP[] = {
    [TN_CHOOSE_ALWAYS] = 1, [TN_CHOOSE_KEPT] = 0.1, [TN_CHOOSE_ONCE] = 1e-6, [TN_CHOOSE_NEVER] = 0};
static const double RREF_LEAST = 1e-6;

typedef struct space {
  tn_kkt kkt; /* first: it is the workspace of what is not done here */
  /* the dependent speeds: valid once factored. written by choose_speeds and factor */
  struct {
    int r;       /* how many                                                     */
    int last;    /* how many were chosen last, 0: none                           */
    int first;   /* of the independent speeds; -1: others in turn, -2: none yet  */
    double best; /* the largest that the smallest pivot of this choice was       */
    bool untold; /* named ones do not tell the others                            */
    int *column; /* nu: dependent speeds, then the others                        */
    int *kept;   /* nu: as they were chosen last                                 */
    bool *taken; /* rows and nu                                                  */
  } choice;
  bool failed;              /* R'Ms R is not positive definite                      */
  double *d, *Ms, *As;      /* (1)                                                  */
  double *X;                /* rows x nu                                            */
  double *L, *diagonal, *U; /* rows x r, by reflections; rows; r x nu               */
  double *R, *Y;            /* (nu - r) x nu: R', R'Ms                              */
  double *G;                /* (nu - r) x (nu - r): Cholesky factor of R'Ms R       */
  /* right sides and solutions of one solve */
  struct {
    double *b, *w, *mu; /* rows                                                 */
    double *f, *x, *y;  /* nu                                                   */
  } room;
} space;

static void carve(space *s, tn_carve *c, int nu, int rows) {
  const uint64_t n = (uint64_t)nu, m = (uint64_t)rows, r = n < m ? n : m;
  tn_kkt_carve(&s->kkt, c, nu, rows);
  s->choice.last = 0;
  s->choice.first = -2;
  s->d = TN_CARVE(c, double, n);
  s->Ms = TN_CARVE(c, double, n *n);
  s->As = TN_CARVE(c, double, m *n);
  s->X = TN_CARVE(c, double, m *n);
  s->L = TN_CARVE(c, double, m *r);
  s->U = TN_CARVE(c, double, r *n);
  s->R = TN_CARVE(c, double, n *n);
  s->Y = TN_CARVE(c, double, n *n);
  s->G = TN_CARVE(c, double, n *n);
  double **by_row[] = {&s->room.b, &s->room.w, &s->room.mu}, **by_speed[] = {&s->room.f, &s->room.x, &s->room.y};
  s->diagonal = TN_CARVE(c, double, m + 1);
  for (int i = 0; i < 3; i++) *by_row[i] = TN_CARVE(c, double, m);
  for (int i = 0; i < 3; i++) *by_speed[i] = TN_CARVE(c, double, n);
  s->choice.column = TN_CARVE(c, int, n);
  s->choice.kept = TN_CARVE(c, int, n);
  s->choice.taken = TN_CARVE(c, bool, n + m);
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

static void reset(void *work) {
  space *s = work;
  tn_kkt_reset(&s->kkt);
  s->choice.last = 0;
  s->choice.first = -2;
}

static void typical(void *work, int rank) {
  space *s = work;
  tn_kkt_typical(&s->kkt, rank);
  s->choice.last = 0;
}

/* (2); *smallest: pivot */
static int eliminate(space *s, int most, tn_pivoting pivoting, double least, double *smallest) {
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  memcpy(s->X, s->As, sizeof *s->X * (size_t)rows * (size_t)nu);
  return tn_eliminate(rows, nu, s->X, most, pivoting, least, s->L, s->U, s->choice.column, s->choice.taken, smallest);
}

/* all but the first named: false where they are not as many as rows are independent, or do not follow */
static bool take_named(space *s, const tn_partition *p, int most, double none) {
  const int nu = s->kkt.nu;
  double smallest;
  int n = 0;
  if (p->named < nu - most) return false;
  for (int j = 0; j < nu; j++) {
    bool free = false;
    for (int k = 0; k < nu - most; k++) free = free || p->speed[k] == j;
    if (!free) s->choice.column[n++] = j;
  }
  s->choice.r = eliminate(s, most, TN_PIVOT_GIVEN, none, &smallest);
  return s->choice.r == most;
}

static void choose_speeds(space *s, const tn_partition *p, bool counted) {
  const int nu = s->kkt.nu, rows = s->kkt.rows, most = s->kkt.independent < nu ? s->kkt.independent : nu;
  const double none = (nu > rows ? nu : rows) * TN_EPS;
  double smallest;
  s->choice.untold = false;
  if (p->named && counted) {
    s->choice.untold = !take_named(s, p, most, none);
    if (!s->choice.untold) return;
  }
  if (p->choose != TN_CHOOSE_ALWAYS && s->choice.last > 0 && s->choice.last == most) {
    memcpy(s->choice.column, s->choice.kept, sizeof *s->choice.column * (size_t)most);
    s->choice.r = eliminate(s, most, TN_PIVOT_KEPT, none, &smallest);
    if (s->choice.r == most && smallest > GIVE_UP[p->choose] * s->choice.best) {
      s->choice.best = fmax(s->choice.best, smallest);
      return;
    }
  }
  const tn_pivoting how = p->pivoting ? TN_PIVOT_RREF : TN_PIVOT_FULL;
  s->choice.r = eliminate(s, most, how, p->pivoting ? RREF_LEAST : none, &smallest);
  if (s->choice.r < most && p->pivoting) s->choice.r = eliminate(s, most, how, none, &smallest);
  s->choice.last = counted ? s->choice.r : 0; /* while rows are counted poses are not those of the motion */
  s->choice.best = smallest;
  memcpy(s->choice.kept, s->choice.column, sizeof *s->choice.column * (size_t)s->choice.r);
}

static bool factor(const void *self, void *work, const tn_system *sys, int *bad) {
  space *s = work;
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  if (!tn_by_kkt_factor(work, sys, bad)) return false;
  tn_dense_scale(nu, rows, sys->M, sys->A, sys->m->sigma, s->kkt.s, s->d, s->Ms, s->As);
  choose_speeds(s, self, sys->known.counted);
  const int r = s->choice.r, n = nu - r;
  tn_qr(rows, r, s->L, s->diagonal);
  for (int j = 0; j < nu; j++) s->choice.taken[j] = false;
  for (int k = 0; k < r; k++) s->choice.taken[s->choice.column[k]] = true;
  for (int j = 0, k = r; j < nu; j++)
    if (!s->choice.taken[j]) s->choice.column[k++] = j;
  if (sys->known.counted && n)
    s->choice.first = s->choice.first == -2 || s->choice.first == s->choice.column[r] ? s->choice.column[r] : -1;
  /* (3) */
  for (int i = 0; i < n; i++) {
    double *R = s->R + (size_t)i * (size_t)nu, *Y = s->Y + (size_t)i * (size_t)nu;
    memset(R, 0, sizeof *R * (size_t)nu);
    R[s->choice.column[r + i]] = 1;
    for (int k = r - 1; k >= 0; k--) {
      const double *u = s->U + (size_t)k * (size_t)nu;
      double sum = u[s->choice.column[r + i]];
      for (int j = k + 1; j < r; j++) sum += u[s->choice.column[j]] * R[s->choice.column[j]];
      R[s->choice.column[k]] = -sum / u[s->choice.column[k]];
    }
    for (int j = 0; j < nu; j++) Y[j] = tn_dot(nu, R, s->Ms + (size_t)j * (size_t)nu);
    for (int j = 0; j <= i; j++) s->G[i * n + j] = tn_dot(nu, Y, s->R + (size_t)j * (size_t)nu);
  }
  s->failed = !tn_cholesky(n, s->G) || s->choice.untold;
  return true;
}

/* (2) to (4): x and mu of the right sides in f and b, which is used up */
static void solve_once(space *s) {
  const int nu = s->kkt.nu, rows = s->kkt.rows, r = s->choice.r, n = nu - r;
  const int *column = s->choice.column;
  double *f = s->room.f, *w = s->room.w, *x = s->room.x, *y = s->room.y;
  for (int j = 0; j < nu; j++) x[j] = 0;
  /* p in x */
  tn_qr_solve(rows, r, s->L, s->diagonal, s->room.b, w);
  for (int k = r - 1; k >= 0; k--) {
    const double *u = s->U + (size_t)k * (size_t)nu;
    double sum = w[k];
    for (int j = k + 1; j < r; j++) sum -= u[column[j]] * x[column[j]];
    x[column[k]] = sum / u[column[k]];
  }
  for (int i = 0; i < n; i++)
    y[i] = tn_dot(nu, s->R + (size_t)i * (size_t)nu, f) - tn_dot(nu, s->Y + (size_t)i * (size_t)nu, x);
  tn_cholesky_down(n, s->G, y);
  tn_cholesky_up(n, s->G, y);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < nu; j++) x[j] += s->R[i * nu + j] * y[i];
  /* (4) */
  for (int k = 0; k < r; k++) {
    double sum = f[column[k]] - tn_dot(nu, s->Ms + (size_t)column[k] * (size_t)nu, x);
    for (int j = 0; j < k; j++) sum -= s->U[j * nu + column[k]] * w[j];
    w[k] = sum / s->U[k * nu + column[k]];
  }
  tn_qr_shortest(rows, r, s->L, s->diagonal, w, s->room.mu);
}

static void solve(const void *self, void *work, const tn_system *sys, const double *f, const double *gamma,
                  double *udot, double *lambda, tn_solve_info *info) {
  space *s = work;
  const int nu = s->kkt.nu, rows = s->kkt.rows;
  (void)self;
  *info = (tn_solve_info){.failed = s->failed};
  for (int j = 0; j < nu; j++) udot[j] = 0;
  for (int i = 0; i < rows; i++) lambda[i] = 0;
  if (s->failed) return;
  /* (5): udot and lambda in units of (1) */
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < nu; j++)
      s->room.f[j] = (f ? s->d[j] * f[j] : 0) - tn_dot(nu, s->Ms + (size_t)j * (size_t)nu, udot);
    for (int i = 0; i < rows; i++) {
      const double *a = s->As + (size_t)i * (size_t)nu;
      s->room.b[i] = s->kkt.s[i] * gamma[i] - tn_dot(nu, a, udot);
      for (int j = 0; j < nu; j++) s->room.f[j] -= a[j] * lambda[i];
    }
    solve_once(s);
    for (int j = 0; j < nu; j++) udot[j] += s->room.x[j];
    for (int i = 0; i < rows; i++) lambda[i] += s->room.mu[i];
  }
  double sum = 0;
  for (int j = 0; j < nu; j++) sum += udot[j] *= s->d[j];
  for (int i = 0; i < rows; i++) sum += lambda[i] *= s->kkt.s[i];
  if (s->choice.r < rows) info->inconsistency = tn_dense_left(nu, rows, sys->A, s->kkt.s, gamma, udot);
  info->failed = !isfinite(sum);
}

static void keep(void *work, tn_keep *k) {
  space *s = work;
  const int nu = s->kkt.nu, least = nu < s->kkt.rows ? nu : s->kkt.rows;
  const size_t n = (size_t)nu, m = (size_t)s->kkt.rows, r = (size_t)least;
  tn_kkt_keep(&s->kkt, k);
  tn_keep_ints(k, "r", 1, &s->choice.r, 0, least);
  tn_keep_ints(k, "chosen", 1, &s->choice.last, 0, least);
  tn_keep_ints(k, "first", 1, &s->choice.first, -2, nu - 1);
  tn_keep_numbers(k, "best", 1, &s->choice.best);
  tn_keep_flags(k, "failed", 1, &s->failed);
  tn_keep_flags(k, "untold", 1, &s->choice.untold);
  tn_keep_numbers(k, "d", n, s->d);
  tn_keep_numbers(k, "Ms", n * n, s->Ms);
  tn_keep_numbers(k, "As", m * n, s->As);
  tn_keep_numbers(k, "L", m * r, s->L);
  tn_keep_numbers(k, "U", r * n, s->U);
  tn_keep_numbers(k, "R", n * n, s->R);
  tn_keep_numbers(k, "Y", n * n, s->Y);
  tn_keep_numbers(k, "G", n * n, s->G);
  tn_keep_numbers(k, "diagonal", m + 1, s->diagonal);
  tn_keep_ints(k, "column", n, s->choice.column, 0, nu - 1);
  tn_keep_ints(k, "dependent", n, s->choice.kept, 0, nu - 1);
}

static int independent(const void *work) {
  const space *s = work;
  return s->choice.first < 0 ? -1 : s->choice.first;
}

/* in the other layouts the independent ones are those of layout.c */
static const int *dependent(const void *self, const void *work, int *n) {
  const tn_partition *p = self;
  const space *s = work;
  *n = s->choice.r;
  return p->layout == TN_LAYOUT_ALL && s->choice.first > -2 && !s->choice.untold ? s->choice.column : NULL;
}

static const tn_field fields[] = {
    {.key = "pivoting",
     .doc = "how dependent speeds are found: the largest number left, or column by column",
     .kind = TN_WORD,
     .offset = offsetof(tn_partition, pivoting),
     .choices = "full rref"},
    TN_FIELD_MATRICES(tn_partition),
    {.key = "choose",
     .doc = "again at every factorisation, when the choice becomes ten times worse than it was, only before it "
            "degenerates, or never: where what is integrated no longer tells the rest the run ends",
     .kind = TN_WORD,
     .offset = offsetof(tn_partition, choose),
     .choices = "always kept once never"},
    {.key = "layout",
     .doc = "what is integrated: all coordinates and speeds; the coordinates and independent speeds; or independent "
            "coordinates and speeds",
     .kind = TN_WORD,
     .offset = offsetof(tn_partition, layout),
     .choices = "all speeds independent"},
    {.key = "prefer",
     .doc = "body whose own coordinates and speeds are independent where they can be",
     .kind = TN_NAME},
    {.key = "rate_of",
     .doc = "body whose angular rate is an independent speed where it can be, whatever its coordinates are; with "
            "euler-parameters or euler-angles, and no `prefer`, the slowest if none is named",
     .kind = TN_NAME},
    {.key = "independent",
     .doc =
         "coordinates or speeds, `a.x+a.y` or a list, that are independent from start to end: as many in this order as "
         "there are free ones; where they do not tell the others the run ends",
     .kind = TN_NAMES},
    {.key = NULL}};

/* named speeds, and the coordinates that go with them */
static tn_status read_named(tn_partition *p, tn_context *ctx) {
  static const char *const others[] = {"pivoting", "choose", "prefer", "rate_of"};
  const tn_model *m = ctx->m;
  const tn_node *node = tn_node_get(ctx->node, "independent");
  TN_TRY(tn_speeds_in_order(ctx, node, "independent", &p->speed, &p->named));
  if (!p->named) return TN_OK;
  for (int k = 0; k < 4; k++)
    if (tn_node_get(ctx->node, others[k]))
      return tn_context_fail(ctx, others[k], "nothing is chosen where `independent` names the independent ones");
  int *coordinate = tn_context_alloc(ctx, sizeof *coordinate * (size_t)p->named);
  if (!coordinate) return tn_context_fail(ctx, "independent", "out of memory");
  for (int k = 0; k < p->named; k++) {
    coordinate[k] = -1;
    for (int i = 0; i < m->bodies; i++) {
      const tn_body *b = &m->body[i];
      if (!b->chart && p->speed[k] >= b->u && p->speed[k] < b->u + b->nu) coordinate[k] = b->q + p->speed[k] - b->u;
    }
    if (coordinate[k] < 0 && p->layout == TN_LAYOUT_INDEPENDENT)
      return tn_refuse(ctx, node, "`independent`: '%s' is the rate of no coordinate", m->u_name[p->speed[k]]);
  }
  p->coordinate = coordinate;
  return TN_OK;
}

/* a body by name, in the layouts that choose */
static tn_status body_of(tn_context *ctx, const char *key, int layout, int *number) {
  const tn_node *node = tn_node_get(ctx->node, key);
  int body = TN_GROUND;
  *number = 0;
  if (!node) return TN_OK;
  TN_TRY(tn_body_at(ctx, node, &body));
  if (body < 0) return tn_refuse(ctx, node, "`%s`: the ground does not move", key);
  if (layout == TN_LAYOUT_ALL)
    return tn_refuse(ctx, node, "`%s` chooses independent speeds: it needs the layout `speeds` or `independent`", key);
  *number = body + 1;
  return TN_OK;
}

static tn_status init(void *self, tn_context *ctx) {
  tn_partition *p = self;
  TN_TRY(body_of(ctx, "prefer", p->layout, &p->prefer));
  TN_TRY(body_of(ctx, "rate_of", p->layout, &p->rate_of));
  TN_TRY(read_named(p, ctx));
  if (p->prefer && !ctx->m->body[p->prefer - 1].nu)
    return tn_refuse(ctx, tn_node_get(ctx->node, "prefer"), "body '%s' has no coordinates of its own",
                     ctx->m->body[p->prefer - 1].name);
  if (p->rate_of && !ctx->m->body[p->rate_of - 1].oriented)
    return tn_refuse(ctx, tn_node_get(ctx->node, "rate_of"), "body '%s' is a particle: it has no angular rate",
                     ctx->m->body[p->rate_of - 1].name);
  return TN_OK;
}

/* a set that somebody has named, or that `rref` leaves, is part of the answer; and other layouts have a dense one of their own */
static bool same(const void *self) {
  const tn_partition *p = self;
  return p->matrices == TN_MATRICES_AUTO && p->layout == TN_LAYOUT_ALL && !p->pivoting && !p->named;
}

const tn_formulation_type tn_formulation_partition = {
    .name = "partition",
    .doc = "dependent speeds in terms of independent ones; all are integrated, or these alone; large models by blocks",
    .example = "--formulation partition:pivoting=full,choose=kept",
    .source = "Wehage & Haug 1982; Nada & Bashiri 2017",
    .size = sizeof(tn_partition),
    .fields = fields,
    .init = init,
    .same_as_augmented = same,
    .memory = memory,
    .prepare = prepare,
    .reset = reset,
    .typical = typical,
    .factor = factor,
    .solve = solve,
    .correct = tn_by_kkt_correct,
    .nearness = tn_by_kkt_nearness,
    .rank = tn_by_kkt_rank,
    .packing = &tn_partition_packing,
    .independent = independent,
    .keep = keep,
    .dependent = dependent,
};
