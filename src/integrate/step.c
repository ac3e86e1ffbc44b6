/* what one-step formulas without a dense output of their own share: the ends of the last step, and the cubic between them. */
#include "integrate/integrate.h"

void tn_hermite(int n, double theta, double h, const double *y0, const double *f0, const double *y1, const double *f1,
                double *y) {
  const double r = 1 - theta;
  for (int i = 0; i < n; i++) {
    const double d = y1[i] - y0[i];
    y[i] = r * y0[i] + theta * y1[i] + theta * r * (r * (h * f0[i] - d) - theta * (h * f1[i] - d));
  }
}

/* numbers from `at` on, as many as fit into some registers; the sum first, then y, which may be much larger */
static inline __attribute__((always_inline)) void combine_some(const int registers, int at, const double *y, double h,
                                                               int terms, const double *a, const double *const *from,
                                                               double *out) {
  const tn_lanes none = {0};
  tn_lanes s[8];
  for (int r = 0; r < registers; r++) s[r] = none;
  for (int j = 0; j < terms; j++) {
    const double *p = from[j] + at, w = a[j];
    for (int r = 0; r < registers; r++) s[r] += w * TN_LOAD(p + r * TN_LANES);
  }
  if (y)
    for (int r = 0; r < registers; r++) TN_STORE(out + at + r * TN_LANES, TN_LOAD(y + at + r * TN_LANES) + h * s[r]);
  else
    for (int r = 0; r < registers; r++) TN_STORE(out + at + r * TN_LANES, none + h * s[r]);
}

void tn_combine(int n, const double *y, double h, int m, const double *c, double *const *k, double *out) {
  enum { MOST = 32 };
  const double *from[MOST];
  double a[MOST];
  int terms = 0, at = 0;
  for (int j = 0; j < m; j++)
    if (c[j] != 0) from[terms] = k[j], a[terms++] = c[j];
  for (; at + 8 * TN_LANES <= n; at += 8 * TN_LANES) combine_some(8, at, y, h, terms, a, from, out);
  for (; at + 2 * TN_LANES <= n; at += 2 * TN_LANES) combine_some(2, at, y, h, terms, a, from, out);
  for (; at + TN_LANES <= n; at += TN_LANES) combine_some(1, at, y, h, terms, a, from, out);
  for (; at < n; at++) {
    double sum = 0;
    for (int j = 0; j < terms; j++) sum += a[j] * from[j][at];
    out[at] = (y ? y[at] : 0) + h * sum;
  }
}

static const tn_array arrays[] = {TN_INSIDE(tn_step_memory, f0_ready, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(tn_step_memory, f1_ready, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(tn_step_memory, t, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(tn_step_memory, h, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_ARRAY(tn_step_memory, y0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(tn_step_memory, y1, .rows = TN_N, .kept = true),
                                  TN_ARRAY(tn_step_memory, f0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(tn_step_memory, f1, .rows = TN_N, .kept = true),
                                  TN_ARRAY(tn_step_memory, k, .rows = TN_N),
                                  TN_ARRAY(tn_step_memory, stage, .rows = TN_N),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(tn_step_memory), arrays};

size_t tn_step_memory_size(const void *self, int n) { return tn_workspace_size(&workspace, self, (tn_sizes){.n = n}); }

void tn_step_memory_start(const void *self, void *work, int n) {
  tn_step_memory *w = tn_workspace_start(&workspace, self, work, (tn_sizes){.n = n});
  w->n = n;
}

tn_status tn_step_begin(tn_step_memory *w, const tn_ode *ode, double t, const double *y, double h) {
  w->t = t;
  w->h = h;
  memcpy(w->y0, y, sizeof *y * (size_t)w->n);
  tn_status status = ode->begin(ode->self, t, y, h);
  if (status == TN_OK && (!w->f0_ready || ode->rates_know_step)) status = ode->rates(ode->self, t, y, w->f0);
  w->f0_ready = status == TN_OK;
  w->f1_ready = false;
  return status;
}

void tn_step_accept(void *work, const double *y, bool changed) {
  (void)y, (void)changed;
  ((tn_step_memory *)work)->f0_ready = false;
}

tn_status tn_step_dense(void *work, const tn_ode *ode, double theta, double *y) {
  tn_step_memory *w = work;
  if (!w->f1_ready) {
    tn_status status = ode->rates(ode->self, w->t + w->h, w->y1, w->f1);
    if (status != TN_OK) return status;
    w->f1_ready = true;
  }
  tn_hermite(w->n, theta, w->h, w->y0, w->f0, w->y1, w->f1, y);
  return TN_OK;
}

void tn_step_keep(void *work, tn_keep *keep) {
  tn_workspace_keep(&workspace, NULL, work, (tn_sizes){.n = ((const tn_step_memory *)work)->n}, keep);
}
