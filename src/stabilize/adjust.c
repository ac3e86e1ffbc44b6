/* adjust: after each step the dependent components alone are moved, to where a penalty on the violation and the distance from the
 * integrated values are least together (Hoang et al. 2023, section 4). s the change, D its dependent components, w `weight`,
 * p `penalty`, all in SI units as they come:
 *   (1) positions: w |s|^2/2 + p |C(q + s)|^2/2 least:  h = w s + p A_D'C = 0, their (28); their (27) lacks the half
 *   (2) Gauss-Newton: (w 1 + p A_D'A_D) ds = -h, from s = 0, until |h| < `eps` or `passes` times, their (29) and step 3
 *   (3) velocities, all rows, A at the new q: (w 1 + p A_D'A_D) du = -p A_D'Cdot, their (34)
 * C stays off by about w/(p sigma^2) of what it was, sigma the smallest singular value of A_D; near a position where A_D is singular
 * the dependent components are moved far for little: the violation falls and the motion suffers. */
#include "stabilize/stabilize.h"

typedef struct adjust {
  double weight, penalty, eps;
  int passes;
  const bool *dependent; /* nu, or NULL: by pivoting */
} adjust;

typedef struct room {
  double *H, *h, *s, *A; /* nu x nu, nu, nu; rows x nu: columns of D */
  int *column;           /* nu: D       */
} room;

static void carve(room *w, tn_carve *c, const tn_model *m) {
  const uint64_t nu = m->large ? 0 : (uint64_t)m->nu, rows = m->large ? 0 : (uint64_t)m->rows;
  w->H = TN_CARVE(c, double, nu *nu);
  w->h = TN_CARVE(c, double, nu + 1);
  w->s = TN_CARVE(c, double, nu + 1);
  w->A = TN_CARVE(c, double, rows *nu);
  w->column = TN_CARVE(c, int, nu + 1);
}

static size_t memory(const void *self, const tn_system *sys) {
  tn_carve c = {NULL, 0};
  room w;
  (void)self;
  carve(&w, &c, sys->m);
  return c.used;
}

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  adjust *a = self;
  (void)fixed_step;
  TN_TRY(tn_speeds_at(ctx, tn_node_get(ctx->node, "dependent"), "dependent", &a->dependent));
  if (!a->dependent) ctx->m->run.chooses_dependent = true;
  return TN_OK;
}

/* D, their number */
static int choose(const adjust *a, room *w, tn_solver *s, bool velocity) {
  int n = 0;
  if (a->dependent) {
    for (int j = 0; j < s->sys.m->nu; j++)
      if (a->dependent[j]) w->column[n++] = j;
    return n;
  }
  tn_dependent_by(&s->dependent, 0, NULL, false);
  n = tn_dependent_choose(s, velocity);
  memcpy(w->column, s->dependent.column, sizeof *w->column * (size_t)n);
  return n;
}

/* columns of D, and -h of (1), (3) into w->h: `far` is how far it has gone so far, or NULL. |h| */
static double look(const adjust *a, room *w, const tn_system *sys, int n, int rows, const double *off,
                   const double *far) {
  const int nu = sys->m->nu;
  double square = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) w->A[i * n + j] = sys->A[i * nu + w->column[j]];
  for (int j = 0; j < n; j++) {
    w->h[j] = far ? -a->weight * far[j] : 0;
    for (int i = 0; i < rows; i++) w->h[j] -= a->penalty * w->A[i * n + j] * off[i];
    square += w->h[j] * w->h[j];
  }
  return sqrt(square);
}

/* the change of (2), (3) in w->h, of -h there */
static bool solve(const adjust *a, room *w, int n, int rows) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k <= j; k++) {
      double sum = 0;
      for (int i = 0; i < rows; i++) sum += w->A[i * n + j] * w->A[i * n + k];
      w->H[j * n + k] = a->penalty * sum + (j == k ? a->weight : 0);
    }
  if (!tn_cholesky(n, w->H)) return false;
  tn_cholesky_down(n, w->H, w->h);
  tn_cholesky_up(n, w->H, w->h);
  return true;
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *s, double t, double *q, double *u,
                        bool *changed) {
  const adjust *a = self;
  const tn_system *sys = &s->sys;
  const tn_model *m = sys->m;
  tn_carve c = {at->room, 0};
  room w;
  if (!m->rows) return TN_OK;
  if (m->large)
    return tn_fail(s->e, TN_E_MODEL, "a model of %d speeds and %d rows is too large for `adjust`", m->nu, m->rows);
  carve(&w, &c, m);
  TN_TRY(tn_solver_assemble(s, t, q, u));
  int n = choose(a, &w, s, false);
  for (int j = 0; j < n; j++) w.s[j] = 0;
  for (int pass = 0; pass < a->passes && m->holonomic && n; pass++) {
    if (look(a, &w, sys, n, m->holonomic, sys->C, w.s) < a->eps) break;
    if (!solve(a, &w, n, m->holonomic)) return tn_fail(s->e, TN_E_RUN, "`adjust` has no solution");
    for (int j = 0; j < m->nu; j++) s->s[j] = 0;
    for (int j = 0; j < n; j++) {
      w.s[j] += w.h[j];
      s->s[w.column[j]] = w.h[j];
      *changed = *changed || w.h[j] != 0;
    }
    tn_solver_move(s, q, s->s);
    TN_TRY(tn_solver_assemble(s, t, q, u));
  }
  n = choose(a, &w, s, true);
  if (!n) return TN_OK;
  look(a, &w, sys, n, m->rows, sys->Cdot, NULL);
  if (!solve(a, &w, n, m->rows)) return tn_fail(s->e, TN_E_RUN, "`adjust` has no solution");
  for (int j = 0; j < n; j++) {
    u[w.column[j]] += w.h[j];
    *changed = *changed || w.h[j] != 0;
  }
  return tn_solver_at(s, t, q, u, s->e);
}

/* nothing in its room outlives a correction */
static void keep(const void *self, void *space, tn_keep *k) { (void)self, (void)space, (void)k; }

static const tn_field fields[] = {
    {.key = "dependent",
     .doc = "coordinates or speeds that are moved, `a.x+a.y` or a list; by pivoting if left out",
     .kind = TN_NAMES},
    {.key = "weight",
     .doc = "of the squared change, in SI units",
     .offset = offsetof(adjust, weight),
     .dflt = 0.1,
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "penalty",
     .doc = "of the squared violation, in SI units",
     .offset = offsetof(adjust, penalty),
     .dflt = 100,
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "passes",
     .doc = "iterations of the position at most",
     .kind = TN_INTEGER,
     .offset = offsetof(adjust, passes),
     .dflt = 1,
     .lo = 1,
     .hi = 100},
    {.key = "eps",
     .doc = "these end where the norm of h, their eq. 28, is below it, in SI units; 0: all are made",
     .offset = offsetof(adjust, eps),
     .dflt = 0,
     .lo = 0,
     .hi = INFINITY},
    {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_adjust = {
    .name = "adjust",
    .doc = "after each step dependent components are moved by a penalty on the violation, which grows small",
    .example = "--stabilize adjust --breach record",
    .source = "Hoang et al. 2023, eqs. 26 to 34",
    .size = sizeof(adjust),
    .fields = fields,
    .init = init,
    .memory = memory,
    .accept = accept,
    .keep = keep,
};
