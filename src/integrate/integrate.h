/* integrate: one-step formulas on the begin / rates interface. a step of length h from (t, y); an error estimate where there is
 * one; dense output inside the last step. one file a family. */
#ifndef TN_INTEGRATE_H
#define TN_INTEGRATE_H

#include "base/base.h"
#include "tenon/extend.h"

/* cubic through (y0, f0), (y1, f1) at theta in [0, 1] of a step h; local error h^4 y''''/384 */
void tn_hermite(int n, double theta, double h, const double *y0, const double *f0, const double *y1, const double *f1,
                double *y);

/* what euler and rk4 keep of a step */
typedef struct tn_step_memory {
  int n;
  bool f0_ready, f1_ready; /* f0 holds the rate at the start of the next attempt; f1 that at the end of the last */
  double t, h;
  double *y0, *y1, *f0, *f1, *k, *stage;
} tn_step_memory;

size_t tn_step_memory_size(int n);
void tn_step_memory_start(void *work, int n);
/* begin the attempt and have the rate at its start in f0 */
tn_status tn_step_begin(tn_step_memory *w, const tn_ode *ode, double t, const double *y, double h);
void tn_step_accept(void *work, bool changed);
tn_status tn_step_dense(void *work, const tn_ode *ode, double theta, double *y);

#endif
