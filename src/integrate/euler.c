/* euler: y1 = y0 + h f(t0, y0). order 1. */
#include "integrate/integrate.h"

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  tn_step_memory *w = work;
  (void)error;
  tn_status status = tn_step_begin(w, ode, t, y, h);
  if (status != TN_OK) return status;
  for (int i = 0; i < w->n; i++) ynew[i] = w->y1[i] = y[i] + h * w->f0[i];
  return TN_OK;
}

const tn_integrator_type tn_integrator_euler = {
    .name = "euler",
    .doc = "explicit Euler, order 1, fixed step",
    .example = "--integrator euler --step 1e-4",
    .source = "Euler 1768",
    .order = 1,
    .fixed = true,
    .memory = tn_step_memory_size,
    .start = tn_step_memory_start,
    .attempt = attempt,
    .accept = tn_step_accept,
    .dense = tn_step_dense,
    .keep = tn_step_keep,
};
