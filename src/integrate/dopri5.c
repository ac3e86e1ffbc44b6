/* dopri5: Dormand and Prince 1980, order 5 with an embedded formula of order 4 and the dense output of order 4 of
 * Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.5 and II.6. the seventh stage is the first of the
 * next step, unless the state was changed at its acceptance. fixed or adaptive step; with a fixed one nobody asks for the seventh stage
 * but the dense output, and it is made when that does. */
#include "integrate/integrate.h"

enum { STAGES = 7 };

typedef struct memory {
  int n;
  bool first_ready; /* k[0] holds the rate at the start of the next attempt */
  bool last_ready;  /* k[6] that at the end of the last                     */
  bool exchanged;   /* since its acceptance: k[6] is k[0] and the other way */
  double t, h;
  double *y0, *y1, *stage, *k[STAGES];
} memory;

static const double C[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double A[STAGES][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
/* order 5 minus order 4 */
static const double E[STAGES] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
/* of the dense output */
static const double D[STAGES] = {-12715105075.0 / 11282082432.0,  0,
                                 87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                 701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                 69997945.0 / 29380423.0};

static const tn_array arrays[] = {TN_INSIDE(memory, first_ready, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(memory, last_ready, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(memory, exchanged, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(memory, t, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(memory, h, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_ARRAY(memory, y0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, y1, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, k, .rows = TN_N, .count = STAGES, .kept = true),
                                  TN_ARRAY(memory, stage, .rows = TN_N),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(memory), arrays};

static size_t size(const void *self, int n) { return tn_workspace_size(&workspace, self, (tn_sizes){.n = n}); }

static void start(const void *self, void *work, int n) {
  memory *w = tn_workspace_start(&workspace, self, work, (tn_sizes){.n = n});
  w->n = n;
}

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  memory *w = work;
  const int n = w->n;
  w->t = t;
  w->h = h;
  memcpy(w->y0, y, sizeof *y * (size_t)n);
  tn_status status = ode->begin(ode->self, t, y, h);
  if (status != TN_OK) return status;
  if (!w->first_ready || ode->rates_know_step) {
    w->first_ready = false;
    if ((status = ode->rates(ode->self, t, y, w->k[0])) != TN_OK) return status;
    w->first_ready = true; /* a rejected attempt leaves it standing */
  }
  w->last_ready = error != NULL;
  w->exchanged = false;
  for (int s = 1; s < STAGES; s++) {
    double *x = s == STAGES - 1 ? w->y1 : w->stage;
    tn_combine(n, y, h, s, A[s], w->k, x);
    if (s == STAGES - 1 && !w->last_ready) break;
    if ((status = ode->rates(ode->self, t + C[s] * h, x, w->k[s])) != TN_OK) return status;
  }
  memcpy(ynew, w->y1, sizeof *ynew * (size_t)n);
  if (error) tn_combine(n, NULL, h, STAGES, E, w->k, error);
  return TN_OK;
}

static void accept(void *work, const double *y, bool changed) {
  memory *w = work;
  (void)y;
  w->first_ready = w->exchanged = w->last_ready && !changed;
  if (!w->exchanged) return;
  double *k = w->k[0]; /* the dense output still needs both: exchange, and dense knows */
  w->k[0] = w->k[STAGES - 1];
  w->k[STAGES - 1] = k;
}

static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  memory *w = work;
  const double r = 1 - theta, h = w->h;
  if (!w->last_ready) {
    const tn_status status = ode->rates(ode->self, w->t + h, w->y1, w->k[STAGES - 1]);
    if (status != TN_OK) return status;
    w->last_ready = true;
  }
  const double *first = w->k[0], *last = w->k[STAGES - 1];
  if (w->exchanged) first = w->k[STAGES - 1], last = w->k[0];
  for (int i = 0; i < w->n; i++) {
    const double d = w->y1[i] - w->y0[i], b = h * first[i] - d, c = d - h * last[i] - b;
    double e = D[0] * first[i] + D[6] * last[i];
    for (int s = 2; s < STAGES - 1; s++) e += D[s] * w->k[s][i];
    y[i] = w->y0[i] + theta * (d + r * (b + theta * (c + r * h * e)));
  }
  return TN_OK;
}

static void keep(void *work, tn_keep *k) {
  tn_workspace_keep(&workspace, NULL, work, (tn_sizes){.n = ((const memory *)work)->n}, k);
}

const tn_integrator_type tn_integrator_dopri5 = {
    .name = "dopri5",
    .doc = "Dormand-Prince, order 5(4), with dense output; adaptive, or fixed step",
    .example = "--integrator dopri5 --rtol 1e-10",
    .source = "Dormand & Prince 1980; Hairer, Norsett & Wanner 1993",
    .order = 5,
    .fixed = true,
    .adaptive = true,
    .order_estimate = 4,
    .memory = size,
    .start = start,
    .attempt = attempt,
    .accept = accept,
    .dense = dense,
    .keep = keep,
};
