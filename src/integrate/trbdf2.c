/* trbdf2: the trapezoidal rule to t + gamma h, then the second backward difference formula to t + h, gamma = 2 - sqrt(2); as a
 * Runge-Kutta formula whose two implicit stages have one matrix (Bank et al. 1985; Hosea & Shampine 1996). order 2, L-stable.
 *   (1) Y2 = y + h d (k1 + k2),  Y3 = y + h (w k1 + w k2 + d k3) = y1,  k_i = f(Y_i),  d = gamma/2, w = sqrt(2)/4
 *   (2) each by Newton: (I/(h d) - J) x = k(Y) - (Y - r)/(h d), Y += x, with r what is known of Y; then k = (Y - r)/(h d)
 *   (3) error: (I/(h d) - J)^-1 applied to h sum (b^ - b) k/(h d), b^ = ((1 - w)/3, (3w + 1)/3, d/3): that of a formula of order 3,
 *       made small where the motion is stiff */
#include "integrate/integrate.h"

static const double GAMMA = 0.58578643762690495, D = 0.29289321881345248, W = 0.35355339059327376;

typedef struct memory {
  int n;
  double t, h;
  double *y0, *y1, *r, *x, *k[3], *f1;
  tn_newton *newton;
} memory;

static const tn_array arrays[] = {TN_INSIDE(memory, t, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(memory, h, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_ARRAY(memory, y0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, y1, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, k, .rows = TN_N, .count = 3, .kept = true),
                                  TN_ARRAY(memory, r, .rows = TN_N),
                                  TN_ARRAY(memory, x, .rows = TN_N),
                                  TN_ARRAY(memory, newton, .element = TN_NESTED, .nested = &tn_newton_workspace),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(memory), arrays};

static size_t size(const void *self, int n) { return tn_workspace_size(&workspace, self, (tn_sizes){.n = n}); }

static void start(const void *self, void *work, int n) {
  memory *w = tn_workspace_start(&workspace, self, work, (tn_sizes){.n = n});
  w->n = n;
}

/* (2): Y from a guess, and its rate */
static tn_newton_state solve(memory *w, const tn_ode *ode, double t, double *Y, double *k, tn_status *status) {
  tn_newton *newton = w->newton;
  const double c = 1 / (w->h * D);
  tn_newton_state state = TN_NEWTON_GOES_ON;
  newton->iterations = 0;
  while (state == TN_NEWTON_GOES_ON) {
    if ((*status = ode->rates(ode->self, t, Y, w->x)) != TN_OK) return TN_NEWTON_FAILS;
    for (int i = 0; i < w->n; i++) w->x[i] -= c * (Y[i] - w->r[i]);
    tn_lu_solve(newton->m, newton->matrix[0], newton->pivot[0], w->x);
    for (int i = newton->m; i < w->n; i++) w->x[i] /= c;
    for (int i = 0; i < w->n; i++) Y[i] += w->x[i];
    state = tn_newton_judge(newton, ode, tn_newton_norm(newton, w->x));
  }
  for (int i = 0; i < w->n; i++) k[i] = c * (Y[i] - w->r[i]);
  return state;
}

static tn_newton_state both(void *work, const tn_ode *ode, tn_status *status) {
  memory *w = work;
  tn_newton *newton = w->newton;
  const double h = w->h;
  const int n = w->n;
  double *Y = w->y1;
  *status = tn_newton_begin(newton, ode, w->t, w->y0, h, w->k[0]);
  if (*status != TN_OK) return TN_NEWTON_FAILS;
  if (!newton->factored) {
    tn_newton_matrix(newton, 1 / (h * D), newton->matrix[0]);
    if (!tn_lu_factor(newton->m, newton->matrix[0], newton->pivot[0])) {
      newton->h = 0;
      return TN_NEWTON_FAILS;
    }
  }
  for (int i = 0; i < n; i++) {
    w->r[i] = w->y0[i] + h * D * w->k[0][i];
    Y[i] = w->y0[i] + h * GAMMA * w->k[0][i];
  }
  tn_newton_state state = solve(w, ode, w->t + GAMMA * h, Y, w->k[1], status);
  if (state != TN_NEWTON_DONE) return state;
  for (int i = 0; i < n; i++) {
    w->r[i] = w->y0[i] + h * W * (w->k[0][i] + w->k[1][i]);
    /* the rate goes on as from the first stage to the second */
    Y[i] = w->r[i] + h * D * (w->k[1][i] + (1 - GAMMA) / GAMMA * (w->k[1][i] - w->k[0][i]));
  }
  state = solve(w, ode, w->t + h, Y, w->k[2], status);
  return state;
}

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  memory *w = work;
  w->t = t;
  w->h = h;
  memcpy(w->y0, y, sizeof *y * (size_t)w->n);
  tn_status status = tn_newton_try(w->newton, ode, t, y, h, w->k[0], both, w, "trbdf2");
  if (status != TN_OK) return status;
  memcpy(ynew, w->y1, sizeof *ynew * (size_t)w->n);
  const double b[3] = {(1 - W) / 3 - W, (3 * W + 1) / 3 - W, D / 3 - D};
  if (error) {
    tn_combine(w->n, NULL, 1 / D, 3, b, w->k, error);
    tn_lu_solve(w->newton->m, w->newton->matrix[0], w->newton->pivot[0], error);
    for (int i = w->newton->m; i < w->n; i++) error[i] = 0;
  }
  return TN_OK;
}

static void accept(void *work, const double *y, bool changed) {
  memory *w = work;
  (void)y, (void)changed;
  tn_newton_accept(w->newton);
}

static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  memory *w = work;
  (void)ode;
  tn_hermite(w->n, theta, w->h, w->y0, w->k[0], w->y1, w->k[2], y);
  return TN_OK;
}

static double plan(void *work, const tn_ode *ode, double err, double aim) {
  memory *w = work;
  (void)ode;
  return tn_newton_plan(w->newton, w->h, err, aim, 2);
}

static void keep(void *work, tn_keep *k) {
  tn_workspace_keep(&workspace, NULL, work, (tn_sizes){.n = ((const memory *)work)->n}, k);
}

const tn_integrator_type tn_integrator_trbdf2 = {
    .name = "trbdf2",
    .doc = "trapezoidal rule and backward differences, implicit, L-stable, order 2; adaptive, or fixed step",
    .example = "--integrator trbdf2 --rtol 1e-5",
    .source = "Bank et al. 1985; Hosea & Shampine 1996",
    .order = 2,
    .fixed = true,
    .adaptive = true,
    .order_estimate = 2,
    .memory = size,
    .start = start,
    .attempt = attempt,
    .accept = accept,
    .dense = dense,
    .keep = keep,
    .plan = plan,
    .aim = 16,               /* nothing of the error is taken away by an order more: it may be what is allowed */
    .aim_of_numbers = 0.512, /* 0.8 of the length */
};
