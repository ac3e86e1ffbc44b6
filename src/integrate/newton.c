/* what implicit formulas share: the Jacobian of the rates by differences, and when it is made anew.
 *
 * numbers of parts that know nothing of each other are moved together, one of each part; the ledgers are not moved at all, since no
 * rate depends on them. so a Jacobian costs as many rates as the largest part has numbers, and one more. */
#include "integrate/integrate.h"

/* of the tolerance: estimates of errors that are smaller are roundoff */
static const double PLAN_ERROR_LEAST = 1e-10;

/* what an iteration leaves in y, f and w is nobody's */
#define ARRAYS(MATRICES)                                                                                               \
  TN_INSIDE(tn_newton, m, .element = TN_INTS, .kept = true, .most_of = TN_N),                                          \
      TN_INSIDE(tn_newton, have, .element = TN_FLAGS, .kept = true),                                                   \
      TN_INSIDE(tn_newton, stale, .element = TN_FLAGS, .kept = true),                                                  \
      TN_INSIDE(tn_newton, fresh, .element = TN_FLAGS, .kept = true),                                                  \
      TN_INSIDE(tn_newton, first_ready, .element = TN_FLAGS, .kept = true),                                            \
      TN_INSIDE(tn_newton, factored, .element = TN_FLAGS, .kept = true), TN_INSIDE(tn_newton, h, .kept = true),        \
      TN_INSIDE(tn_newton, ceiling, .kept = true), TN_INSIDE(tn_newton, before, .kept = true),                         \
      TN_INSIDE(tn_newton, rate, .kept = true), TN_ARRAY(tn_newton, J, .rows = TN_N, .columns = TN_N, .kept = true),   \
      TN_ARRAY(tn_newton, matrix, .rows = TN_N, .columns = TN_N, .count = (MATRICES), .kept = true),                   \
      TN_ARRAY(tn_newton, pivot, .element = TN_INTS, .rows = TN_N, .count = 2, .kept = true, .most_of = TN_N,          \
               .most = -1),                                                                                            \
      TN_ARRAY(tn_newton, y, .rows = TN_N), TN_ARRAY(tn_newton, f, .rows = TN_N),                                      \
      TN_ARRAY(tn_newton, w, .rows = TN_N), TN_ARRAY(tn_newton, color, .element = TN_INTS, .rows = TN_N), {            \
    .name = NULL                                                                                                       \
  }
static const tn_array arrays[] = {ARRAYS(1)}, arrays_3[] = {ARRAYS(3)};
const tn_workspace tn_newton_workspace = {sizeof(tn_newton), arrays},
                   tn_newton_workspace_3 = {sizeof(tn_newton), arrays_3};

/* number i of its part has color i */
static int paint(tn_newton *w, const tn_ode *ode) {
  int colors = 0;
  for (int i = 0; i < w->m; i++) {
    w->color[i] = 0;
    for (int j = 0; j < i; j++)
      if (!ode->part || ode->part[j] == ode->part[i]) w->color[i]++;
    colors = colors > w->color[i] + 1 ? colors : w->color[i] + 1;
  }
  return colors;
}

/* what a difference quotient adds to a number: little of its size, and much of the roundoff in it */
double tn_increment(double y, double size) {
  static const double INCREMENT_OF_SIZE = 5e-9, INCREMENT_OF_NUMBER = 2e-12;
  return fmax(INCREMENT_OF_SIZE * size, INCREMENT_OF_NUMBER * fabs(y));
}

/* f0: the rates at (t, y) */
static tn_status jacobian(tn_newton *w, const tn_ode *ode, double t, const double *y, const double *f0) {
  const int n = ode->n, m = w->m = n - ode->ledgers, colors = paint(w, ode);
  memcpy(w->y, y, sizeof *y * (size_t)n);
  memset(w->J, 0, sizeof *w->J * (size_t)m * (size_t)m);
  for (int i = 0; i < n; i++) w->f[i] = 1;
  if (ode->sizes) ode->sizes(ode->self, y, w->f);
  for (int i = 0; i < m; i++) w->w[i] = tn_increment(y[i], w->f[i]); /* weights are asked for when it is done */
  for (int color = 0; color < colors; color++) {
    for (int i = 0; i < m; i++)
      if (w->color[i] == color) w->y[i] = y[i] + w->w[i];
    tn_status status = ode->rates(ode->self, t, w->y, w->f);
    if (status != TN_OK) return status;
    for (int j = 0; j < m; j++) {
      if (w->color[j] != color) continue;
      const double d = w->y[j] - y[j];
      for (int i = 0; i < m; i++)
        if (!ode->part || ode->part[i] == ode->part[j]) w->J[(size_t)i * (size_t)m + (size_t)j] = (w->f[i] - f0[i]) / d;
      w->y[j] = y[j];
    }
  }
  ode->effort->jacobians++;
  ode->effort->jacobian_rates += colors;
  return TN_OK;
}

tn_status tn_newton_begin(tn_newton *w, const tn_ode *ode, double t, const double *y, double h, const double *f0) {
  tn_status status = TN_OK;
  if (w->stale || !w->have) {
    w->have = false;
    if ((status = jacobian(w, ode, t, y, f0)) != TN_OK) return status;
    w->have = w->fresh = true;
    w->stale = false;
    w->h = 0;
  }
  ode->weights(ode->self, y, w->w);
  w->factored = h == w->h;
  if (!w->factored) ode->effort->decompositions++;
  w->h = h;
  w->before = w->rate = 0;
  w->iterations = 0;
  return TN_OK;
}

/* c I - J */
void tn_newton_matrix(const tn_newton *w, double c, double *A) {
  const size_t m = (size_t)w->m;
  for (size_t i = 0; i < m * m; i++) A[i] = -w->J[i];
  for (size_t i = 0; i < m; i++) A[i * m + i] += c;
}

double tn_newton_norm(const tn_newton *w, const double *x) {
  double most = 0;
  for (int i = 0; i < w->m; i++) {
    const double e = fabs(x[i]) / w->w[i];
    if (!(e <= most)) most = isnan(e) ? INFINITY : e;
  }
  return most;
}

/* stops when what the corrections seen so far let expect of all that would follow is below a thousandth of the tolerance; or
 * where they no longer fall, and are below the error that a step aims at */
tn_newton_state tn_newton_judge(tn_newton *w, const tn_ode *ode, double change) {
  static const double NEWTON_SLOW = 0.9; /* of the change before */
  static const double FIRST_OPEN = 1e-2; /* of TN_LEFT_OPEN, where the rate is not known */
  enum { USUAL = 10 };
  ode->effort->iterations++;
  w->iterations++;
  if (!isfinite(change)) return TN_NEWTON_FAILS;
  if (w->iterations > 1) {
    const double ratio = change / w->before;
    if (ratio >= NEWTON_SLOW) return change <= TN_STUCK ? TN_NEWTON_DONE : TN_NEWTON_FAILS; /* roundoff */
    w->rate = w->iterations == 2 ? ratio : sqrt(ratio * w->rate);
  }
  w->before = change;
  if (change == 0 ||
      (w->iterations > 1 ? w->rate / (1 - w->rate) * change <= TN_LEFT_OPEN : change <= FIRST_OPEN * TN_LEFT_OPEN)) {
    if (w->rate > 0.05) w->stale = true; /* it goes on, but a better Jacobian will pay */
    return TN_NEWTON_DONE;
  }
  return w->iterations < (w->most ? w->most : USUAL) ? TN_NEWTON_GOES_ON : TN_NEWTON_FAILS;
}

/* the iteration fails: again with a Jacobian of this place, if it was not; else a shorter step */
static bool again(tn_newton *w) {
  const bool was_fresh = w->fresh;
  w->stale = true;
  w->fresh = false;
  return !was_fresh;
}

tn_status tn_newton_try(tn_newton *w, const tn_ode *ode, double t, const double *y, double h, double *f0,
                        tn_newton_solve solve, void *work, const char *name) {
  tn_status status = ode->begin(ode->self, t, y, h);
  if (status == TN_OK && (!w->first_ready || ode->rates_know_step)) status = ode->rates(ode->self, t, y, f0);
  w->first_ready = status == TN_OK;
  return status == TN_OK ? tn_newton_iterate(w, ode, t, h, solve, work, name) : status;
}

tn_status tn_newton_iterate(tn_newton *w, const tn_ode *ode, double t, double h, tn_newton_solve solve, void *work,
                            const char *name) {
  tn_status status = TN_OK;
  tn_newton_state state = solve(work, ode, &status);
  if (state != TN_NEWTON_DONE && again(w)) state = solve(work, ode, &status);
  if (status != TN_OK || state == TN_NEWTON_DONE) return status;
  char message[96];
  tn_format(message, sizeof message, "the iteration of %s does not converge in a step of %.3g s", name, h);
  return ode->refuse(ode->self, t, message);
}

void tn_newton_accept(tn_newton *w) { w->fresh = w->first_ready = false; }

/* a length at which the iteration failed is not tried again for a while, even if the error would allow it; lengths that would
 * change by little stay as they are, and the factors with them */
double tn_newton_plan(tn_newton *w, double h, double err, double aim, int order_estimate) {
  static const double CEILING_BELOW = 0.7, CEILING_RISES = 1.03;
  if (isinf(err)) {
    w->ceiling = CEILING_BELOW * h;
    return 0.5;
  }
  double x = pow(aim / fmax(err, PLAN_ERROR_LEAST), 1.0 / (order_estimate + 1));
  if (w->ceiling > 0) {
    w->ceiling *= CEILING_RISES;
    x = fmin(x, fmax(w->ceiling / h, 0.5));
  }
  return x >= 1 && x < 1.2 ? 1 : x;
}
