/* midpoint: the implicit midpoint rule, the Gauss formula of one stage. order 2, A-stable, symmetric, symplectic; quadratic first
 * integrals of the equations are kept to the error of the iteration (Hairer, Lubich & Wanner, IV.2).
 *   (1) Y = y0 + h/2 f(t + h/2, Y),  y1 = 2 Y - y0
 *   (2) by Newton: (2/h I - J) x = f(Y) - 2/h (Y - y0), Y += x
 * nothing is damped: |R(i w)| = 1, and R -> -1 where h lambda is large. a projection after the step ends the symplecticity. */
#include "integrate/integrate.h"

typedef struct memory {
  int n;
  double t, h;
  bool f1_ready;
  double *y0, *y1, *f0, *f1, *x, *Y;
  tn_newton *newton;
} memory;

static const tn_array arrays[] = {TN_INSIDE(memory, f1_ready, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(memory, t, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(memory, h, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_ARRAY(memory, y0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, y1, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, f0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, f1, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, x, .rows = TN_N),
                                  TN_ARRAY(memory, Y, .rows = TN_N),
                                  TN_ARRAY(memory, newton, .element = TN_NESTED, .nested = &tn_newton_workspace),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(memory), arrays};

static size_t size(const void *self, int n) { return tn_workspace_size(&workspace, self, (tn_sizes){.n = n}); }

static void start(const void *self, void *work, int n) {
  memory *w = tn_workspace_start(&workspace, self, work, (tn_sizes){.n = n});
  w->n = n;
  w->newton->most = TN_NEWTON_FIXED;
}

/* (2) */
static tn_newton_state solve(void *work, const tn_ode *ode, tn_status *status) {
  memory *w = work;
  tn_newton *s = w->newton;
  const double c = 2 / w->h;
  /* lengths of steps differ by their roundoff: a matrix serves all of these */
  *status = tn_newton_begin(s, ode, w->t, w->y0, fabs(w->h - s->h) <= TN_SAME_LENGTH * w->h ? s->h : w->h, w->f0);
  if (*status != TN_OK) return TN_NEWTON_FAILS;
  if (!s->factored) {
    tn_newton_matrix(s, c, s->matrix[0]);
    if (!tn_lu_factor(s->m, s->matrix[0], s->pivot[0])) {
      s->h = 0;
      return TN_NEWTON_FAILS;
    }
  }
  for (int i = 0; i < w->n; i++) w->Y[i] = w->y0[i] + w->f0[i] / c;
  for (tn_newton_state state = TN_NEWTON_GOES_ON; state == TN_NEWTON_GOES_ON;) {
    if ((*status = ode->rates(ode->self, w->t + w->h / 2, w->Y, w->x)) != TN_OK) return TN_NEWTON_FAILS;
    for (int i = 0; i < w->n; i++) w->x[i] -= c * (w->Y[i] - w->y0[i]);
    tn_lu_solve(s->m, s->matrix[0], s->pivot[0], w->x);
    for (int i = s->m; i < w->n; i++) w->x[i] /= c;
    for (int i = 0; i < w->n; i++) w->Y[i] += w->x[i];
    state = tn_newton_judge(s, ode, tn_newton_norm(s, w->x));
    if (state != TN_NEWTON_GOES_ON) return state;
  }
  return TN_NEWTON_FAILS;
}

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  memory *w = work;
  (void)error;
  w->t = t;
  w->h = h;
  w->f1_ready = false;
  memcpy(w->y0, y, sizeof *y * (size_t)w->n);
  const tn_status status = tn_newton_try(w->newton, ode, t, y, h, w->f0, solve, w, "midpoint");
  if (status != TN_OK) return status;
  for (int i = 0; i < w->n; i++) ynew[i] = w->y1[i] = 2 * w->Y[i] - y[i];
  return TN_OK;
}

static void accept(void *work, const double *y, bool changed) {
  memory *w = work;
  (void)y, (void)changed;
  tn_newton_accept(w->newton);
}

static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  memory *w = work;
  if (!w->f1_ready) {
    const tn_status status = ode->rates(ode->self, w->t + w->h, w->y1, w->f1);
    if (status != TN_OK) return status;
    w->f1_ready = true;
  }
  tn_hermite(w->n, theta, w->h, w->y0, w->f0, w->y1, w->f1, y);
  return TN_OK;
}

static void keep(void *work, tn_keep *k) {
  tn_workspace_keep(&workspace, NULL, work, (tn_sizes){.n = ((const memory *)work)->n}, k);
}

const tn_integrator_type tn_integrator_midpoint = {
    .name = "midpoint",
    .doc = "implicit midpoint rule, order 2, symplectic, A-stable, fixed step",
    .example = "--integrator midpoint --step 1e-3",
    .source = "Gauss formula of one stage (Butcher 1964); of Park & Chiou 1988",
    .order = 2,
    .fixed = true,
    .memory = size,
    .start = start,
    .attempt = attempt,
    .accept = accept,
    .dense = dense,
    .keep = keep,
};
