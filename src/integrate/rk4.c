/* rk4: the classical Runge-Kutta formula of order 4.
 *   k1 = f(t, y), k2 = f(t + h/2, y + h/2 k1), k3 = f(t + h/2, y + h/2 k2), k4 = f(t + h, y + h k3)
 *   y1 = y + h/6 (k1 + 2 k2 + 2 k3 + k4) */
#include "integrate/integrate.h"

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  static const double c[3] = {0.5, 0.5, 1}, b[3] = {2, 2, 1};
  tn_step_memory *w = work;
  const int n = w->n;
  (void)error;
  tn_status status = tn_step_begin(w, ode, t, y, h);
  if (status != TN_OK) return status;
  const double *k = w->f0;
  memcpy(w->y1, w->f0, sizeof *y * (size_t)n);
  for (int s = 0; s < 3; s++) {
    for (int i = 0; i < n; i++) w->stage[i] = y[i] + c[s] * h * k[i];
    if ((status = ode->rates(ode->self, t + c[s] * h, w->stage, w->k)) != TN_OK) return status;
    k = w->k;
    for (int i = 0; i < n; i++) w->y1[i] += b[s] * k[i];
  }
  for (int i = 0; i < n; i++) ynew[i] = w->y1[i] = y[i] + h / 6 * w->y1[i];
  return TN_OK;
}

const tn_integrator_type tn_integrator_rk4 = {
    .name = "rk4",
    .doc = "the classical Runge-Kutta formula, order 4, fixed step",
    .example = "--integrator rk4 --step 1e-3",
    .source = "Kutta 1901",
    .order = 4,
    .fixed = true,
    .memory = tn_step_memory_size,
    .start = tn_step_memory_start,
    .attempt = attempt,
    .accept = tn_step_accept,
    .dense = tn_step_dense,
    .keep = tn_step_keep,
};
