/* heun: the trapezoidal rule with the end predicted by Euler's. order 2.
 *   y1 = y + h/2 (k1 + k2), k1 = f(t, y), k2 = f(t + h, y + h k1) */
#include "integrate/integrate.h"

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  tn_step_memory *w = work;
  (void)error;
  tn_status status = tn_step_begin(w, ode, t, y, h);
  if (status != TN_OK) return status;
  for (int i = 0; i < w->n; i++) w->stage[i] = y[i] + h * w->f0[i];
  if ((status = ode->rates(ode->self, t + h, w->stage, w->k)) != TN_OK) return status;
  for (int i = 0; i < w->n; i++) ynew[i] = w->y1[i] = y[i] + h / 2 * (w->f0[i] + w->k[i]);
  return TN_OK;
}

const tn_integrator_type tn_integrator_heun = {
    .name = "heun",
    .doc = "Heun's formula, order 2, fixed step",
    .example = "--integrator heun --step 1e-3",
    .source = "Heun 1900",
    .order = 2,
    .fixed = true,
    .memory = tn_step_memory_size,
    .start = tn_step_memory_start,
    .attempt = attempt,
    .accept = tn_step_accept,
    .dense = tn_step_dense,
    .keep = tn_step_keep,
};
