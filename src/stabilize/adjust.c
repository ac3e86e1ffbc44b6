/* adjust: after each step the dependent components alone are moved, to where a penalty on the violation and the distance from the
 * integrated values are least together (Hoang et al. 2023, section 4). s the change, D its dependent components, w `weight`,
 * p `penalty`, all in SI units as they come:
 *   (1) positions: w |s|^2/2 + p |C(q + s)|^2/2 least:  h = w s + p A_D'C = 0, their (28); their (27) lacks the half
 *   (2) Gauss-Newton: (w 1 + p A_D'A_D) ds = -h, from s = 0, until |h| < `eps` or `passes` times, their (29) and step 3
 *   (3) velocities, all rows, A at the new q: (w 1 + p A_D'A_D) du = -p A_D'Cdot, their (34)
 * C stays off by about w/(p sigma^2) of what it was, sigma the smallest singular value of A_D; near a position where A_D is singular
 * the dependent components are moved far for little: the violation falls and the motion suffers.
 * (2), (3) are the Schur complement of [w 1, A_D'; A_D, -1/p]: where the solver has blocks these have it (formulate/penalty.c). */
#include "stabilize/stabilize.h"

typedef struct adjust {
  double weight, penalty, eps;
  int passes;
  const bool *dependent; /* nu, or NULL: by pivoting */
} adjust;

typedef struct room {
  double *H, *h, *s; /* nu x nu, nu, nu      */
  double *A;         /* rows x nu: columns of D */
  double *move;      /* nu: s, of all speeds */
  double *change;    /* nu: of s             */
  int *column;       /* nu: D                */
  bool *in_D;        /* nu                   */
} room;

/* nothing in it outlives a correction */
static const tn_array arrays[] = {TN_ARRAY(room, H, .rows = TN_N, .columns = TN_N),
                                  TN_ARRAY(room, h, .rows = TN_N),
                                  TN_ARRAY(room, s, .rows = TN_N),
                                  TN_ARRAY(room, A, .rows = TN_M, .columns = TN_N),
                                  TN_ARRAY(room, move, .rows = TN_Q),
                                  TN_ARRAY(room, change, .rows = TN_Q),
                                  TN_ARRAY(room, column, .element = TN_INTS, .rows = TN_Q),
                                  TN_ARRAY(room, in_D, .element = TN_FLAGS, .rows = TN_Q),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(room), arrays};

/* what stands in matrices by `n` and `m`, which are 0 where there are none; by `q` what has a number for each speed */
static tn_sizes sizes_of(const tn_view *v) {
  tn_sizes sizes = tn_matrix_sizes(v);
  sizes.q = v->speeds;
  return sizes;
}

static size_t memory(const void *self, const tn_system *sys) {
  return tn_workspace_size(&workspace, self, sizes_of(tn_view_of(sys)));
}

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  adjust *a = self;
  (void)fixed_step;
  TN_TRY(tn_context_speed_set(ctx, "dependent", &a->dependent));
  if (!a->dependent) tn_context_use_dependent(ctx);
  tn_context_use_penalty(ctx);
  return TN_OK;
}

/* D, their number */
static int choose(const adjust *a, room *w, tn_solver *s, int speeds, bool velocity) {
  int n = 0;
  if (!a->dependent) return tn_solver_dependent(s, velocity, w->column);
  for (int j = 0; j < speeds; j++)
    if (a->dependent[j]) w->column[n++] = j;
  return n;
}

/* columns of D, and -h of (1), (3) into w->h: `far` is how far it has gone so far, or NULL. |h| */
static double look(const adjust *a, room *w, const tn_view *v, int n, int rows, const double *off, const double *far) {
  const int nu = v->speeds;
  double square = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) w->A[i * n + j] = v->A[i * nu + w->column[j]];
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

/* D as flags */
static void choose_flags(const adjust *a, room *w, tn_solver *s, int speeds, bool velocity) {
  const int n = choose(a, w, s, speeds, velocity);
  for (int j = 0; j < speeds; j++) w->in_D[j] = false;
  for (int j = 0; j < n; j++) w->in_D[w->column[j]] = true;
}

/* (1) to (3) without matrices */
static tn_status accept_by_blocks(const adjust *a, room *w, tn_solver *s, double t, double *q, double *u,
                                  bool *changed) {
  const tn_view *v = tn_view_of(tn_solver_system(s));
  TN_TRY(tn_solver_evaluate_at(s, TN_EVALUATE_ROWS, t, q, u));
  choose_flags(a, w, s, v->speeds, false);
  for (int j = 0; j < v->speeds; j++) w->move[j] = 0;
  for (int pass = 0; pass < a->passes && v->holonomic; pass++) {
    if (a->eps > 0 && tn_solver_penalized_slope(s, a->weight, a->penalty, w->in_D, w->move) < a->eps) break;
    TN_TRY(tn_solver_penalized(s, false, a->weight, a->penalty, w->in_D, w->move, w->change));
    for (int j = 0; j < v->speeds; j++) {
      w->move[j] += w->change[j];
      *changed = *changed || w->change[j] != 0;
    }
    tn_solver_move(s, q, w->change);
    TN_TRY(tn_solver_evaluate_at(s, TN_EVALUATE_ROWS, t, q, u));
  }
  choose_flags(a, w, s, v->speeds, true);
  TN_TRY(tn_solver_penalized(s, true, a->weight, a->penalty, w->in_D, NULL, w->change));
  for (int j = 0; j < v->speeds; j++) {
    u[j] += w->change[j];
    *changed = *changed || w->change[j] != 0;
  }
  return tn_solver_evaluate_at(s, TN_EVALUATE_MOTION, t, q, u);
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *s, double t, double *q, double *u,
                        bool *changed) {
  const adjust *a = self;
  const tn_view *v = tn_view_of(tn_solver_system(s));
  if (!v->rows) return TN_OK;
  room *w = tn_workspace_ready(&workspace, self, at->room, sizes_of(v));
  if (tn_solver_has_penalized(s)) return accept_by_blocks(a, w, s, t, q, u, changed);
  if (v->large)
    return tn_solver_fail(s, TN_E_MODEL, "a model of %d speeds and %d rows is too large for `adjust`", v->speeds,
                          v->rows);
  TN_TRY(tn_solver_assemble(s, t, q, u));
  int n = choose(a, w, s, v->speeds, false);
  for (int j = 0; j < n; j++) w->s[j] = 0;
  for (int pass = 0; pass < a->passes && v->holonomic && n; pass++) {
    if (look(a, w, v, n, v->holonomic, v->C, w->s) < a->eps) break;
    if (!solve(a, w, n, v->holonomic)) return tn_solver_fail(s, TN_E_RUN, "`adjust` has no solution");
    for (int j = 0; j < v->speeds; j++) w->move[j] = 0;
    for (int j = 0; j < n; j++) {
      w->s[j] += w->h[j];
      w->move[w->column[j]] = w->h[j];
      *changed = *changed || w->h[j] != 0;
    }
    tn_solver_move(s, q, w->move);
    TN_TRY(tn_solver_assemble(s, t, q, u));
  }
  n = choose(a, w, s, v->speeds, true);
  if (!n) return TN_OK;
  look(a, w, v, n, v->rows, v->Cdot, NULL);
  if (!solve(a, w, n, v->rows)) return tn_solver_fail(s, TN_E_RUN, "`adjust` has no solution");
  for (int j = 0; j < n; j++) {
    u[w->column[j]] += w->h[j];
    *changed = *changed || w->h[j] != 0;
  }
  return tn_solver_evaluate_at(s, TN_EVALUATE_MOTION, t, q, u);
}

static void keep(const void *self, void *space, tn_keep *k) {
  tn_workspace_keep(&workspace, self, space, (tn_sizes){0}, k);
}

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
