#include "integrate/sundials.h"

static const double INSIDE_UNSEEN = 16;      /* of the roundoff of the time: a step that time hardly sees */
static const double INSIDE_SHORTEST = 1e-14; /* of 1 s, or of the way if that is shorter: no step is shorter */
static const double STILL = 200;             /* of the roundoff of the time: what SUNDIALS refuses to go */
static const double STILL_AT_0 = 1e-200;     /* s: the same, at t = 0 */

/* of the error that a number may have: what a step may add, so that a tolerance means as much as with step.c; and what a
 * correction is at most */
static const double STEP_SHARE = 1.0 / 32, CORRECTION_MOST = 10;

enum { MOST_DENSE = 16384 }; /* 2 GiB */

static double *data(N_Vector v) { return N_VGetArrayPointer(v); }

static size_t bytes(int n) { return sizeof(double) * (size_t)n; }

size_t tn_sundials_size(const void *self, int n) {
  (void)self, (void)n;
  return sizeof(tn_sundials);
}

void tn_sundials_end(void *work) {
  tn_sundials *w = work;
  if (w->solver) w->solver_free(&w->solver);
  if (w->linear) SUNLinSolFree(w->linear);
  if (w->nonlinear) SUNNonlinSolFree(w->nonlinear);
  if (w->matrix) SUNMatDestroy(w->matrix);
  N_Vector *vector[] = {&w->x, &w->xdot, &w->shift, &w->given, &w->y, &w->room};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
    if (*vector[i]) N_VDestroy(*vector[i]);
  if (w->context) SUNContext_Free(&w->context);
  *w = (tn_sundials){0};
}

/* their objects stay where they fit, and are made at the first step */
void tn_sundials_start(const void *self, void *work, int n) {
  tn_sundials *w = work;
  if (w->n != n) tn_sundials_end(w);
  w->self = self;
  w->n = n;
  w->fresh = true;
}

/* the state from which it goes on comes with the next step */
void tn_sundials_accept(void *work, const double *y, bool changed) { (void)work, (void)y, (void)changed; }

tn_status tn_sundials_no_memory(tn_sundials *w, double t) {
  const tn_ode *ode = w->ode;
  tn_sundials_end(w);
  return ode->refuse(ode->self, t, NULL);
}

tn_status tn_sundials_make(tn_sundials *w, double t, int all, bool matrix) {
  char text[160];
  if (matrix && all > MOST_DENSE) {
    tn_format(text, sizeof text, "%s: its matrix is dense, and for %d numbers that is too large; at most %d", w->name,
              all, MOST_DENSE);
    return w->ode->refuse(w->ode->self, t, text);
  }
  if (SUNContext_Create(NULL, &w->context) != 0) return tn_sundials_no_memory(w, t);
  w->x = N_VNew_Serial(all, w->context);
  w->xdot = N_VNew_Serial(all, w->context);
  w->shift = N_VNew_Serial(w->n, w->context);
  w->given = N_VNew_Serial(w->n, w->context);
  w->y = N_VNew_Serial(w->n, w->context);
  w->room = N_VNew_Serial(all, w->context);
  if (!w->x || !w->xdot || !w->shift || !w->given || !w->y || !w->room) return tn_sundials_no_memory(w, t);
  if (!matrix) return TN_OK;
  w->matrix = SUNDenseMatrix(all, all, w->context);
  if (w->matrix) w->linear = SUNLinSol_Dense(w->x, w->matrix, w->context);
  return w->linear ? TN_OK : tn_sundials_no_memory(w, t);
}

tn_status tn_sundials_begin(tn_sundials *w, const char *name, const tn_ode *ode, double t) {
  char text[200];
  w->name = name;
  w->ode = ode;
  w->status = TN_OK;
  if (!ode->rates_know_step) return TN_OK;
  tn_format(
      text, sizeof text,
      "%s chooses its steps inside: feedback that depends on the step is not for it. a projection is, or feedback "
      "with `alpha` and `beta`",
      name);
  return ode->refuse(ode->self, t, text);
}

double tn_sundials_shortest(double t, double limit) {
  return fmax(INSIDE_UNSEEN * TN_EPS * fabs(t), INSIDE_SHORTEST * fmin(1, limit - t));
}

bool tn_sundials_still(tn_sundials *w, double t, const double *y, double limit, double *tnew, double *ynew) {
  w->still = limit - t <= fmax(STILL * TN_EPS * (fabs(t) + fabs(limit)), STILL_AT_0);
  if (!w->still) return false;
  *tnew = limit;
  memcpy(ynew, y, bytes(w->n));
  return true;
}

void tn_sundials_set(tn_sundials *w, const double *y) {
  memcpy(data(w->x), y, bytes(w->n));
  memcpy(data(w->given), y, bytes(w->n));
  N_VConst(0, w->shift);
  w->fresh = false;
  w->iterations = w->rejected = w->decompositions = 0;
}

bool tn_sundials_goes_on(tn_sundials *w, const double *y) {
  const double *given = data(w->given), *weight = data(w->room);
  if (w->fresh) return false;
  w->ode->weights(w->ode->self, y, data(w->room));
  for (int i = 0; i < w->n; i++)
    if (!(fabs(y[i] - given[i]) <= CORRECTION_MOST * weight[i])) return false;
  return true;
}

void tn_sundials_shift(tn_sundials *w, const double *y) {
  double *given = data(w->given), *shift = data(w->shift);
  for (int i = 0; i < w->n; i++) shift[i] += y[i] - given[i];
  memcpy(given, y, bytes(w->n));
}

void tn_sundials_count(tn_sundials *w, int64_t iterations, int64_t rejected, int64_t decompositions) {
  tn_effort *effort = w->ode->effort;
  effort->iterations += iterations - w->iterations;
  effort->rejected += rejected - w->rejected;
  effort->decompositions += decompositions - w->decompositions;
  w->iterations = iterations;
  w->rejected = rejected;
  w->decompositions = decompositions;
}

void tn_sundials_made(tn_sundials *w, double t, double *tnew, double *ynew) {
  w->t0 = t;
  *tnew = w->t1;
  tn_sundials_inside(w, data(w->x), ynew);
  memcpy(data(w->given), ynew, bytes(w->n));
}

void tn_sundials_inside(const tn_sundials *w, const double *x, double *y) {
  const double *shift = data(w->shift);
  for (int i = 0; i < w->n; i++) y[i] = x[i] + shift[i];
}

tn_status tn_sundials_fail(tn_sundials *w, double t, double h, int flag, const tn_sundials_flag *flags,
                           const double *errors, const double *weights) {
  const tn_ode *ode = w->ode;
  const tn_sundials_flag *f = flags;
  char text[300];
  while (f->words && f->flag != flag) f++;
  /* a rate that could not be had, in words already */
  if (w->status != TN_OK && (w->status != TN_E_RUN || f->kind == TN_SUNDIALS_OURS)) return w->status;
  if (f->kind == TN_SUNDIALS_MEMORY) return tn_sundials_no_memory(w, t);
  if (!f->words) {
    tn_format(text, sizeof text, "%s: a step failed with flag %d of SUNDIALS", w->name, flag);
    return ode->refuse(ode->self, t, text);
  }
  const int used = tn_format(text, sizeof text, "%s: the step fell to %.2g s: %s", w->name, h, f->words);
  if (f->kind == TN_SUNDIALS_ERROR) {
    int worst = 0;
    for (int i = 0; i < w->n; i++)
      if (fabs(errors[i]) * weights[i] > fabs(errors[worst]) * weights[worst]) worst = i;
    const char *name = ode->name ? ode->name(ode->self, worst) : NULL;
    tn_format(text + used, sizeof text - (size_t)used, ", most of all in %s",
              name ? name : "an independent coordinate");
  }
  return ode->refuse(ode->self, t, text);
}

void tn_sundials_quiet(int code, const char *module, const char *function, char *message, void *work) {
  (void)code, (void)module, (void)function, (void)message, (void)work; /* flags say it again */
}

/* below zero: nothing else will help; above: a shorter step may */
int tn_sundials_rates(double t, N_Vector x, N_Vector xdot, void *work) {
  tn_sundials *w = work;
  double *y = data(w->y);
  tn_sundials_inside(w, data(x), y);
  w->status = w->ode->rates(w->ode->self, t, y, data(xdot));
  return w->status == TN_OK ? 0 : w->status == TN_E_RUN ? 1 : -1;
}

/* of the error that a number may have: its roundoff. they refuse to go on where that is 1 */
static const double NUMBER_KNOWN = 0.1;

/* their norm is sqrt(sum (e_i weight_i)^2 / n): one number alone counts 1 when it has the error that a step may add; multipliers
 * and ledgers count nothing. by numbers: all of them together count 1 when each has its tolerance, as is usual with them */
int tn_sundials_weights(N_Vector x, N_Vector weight, void *work) {
  const tn_sundials *w = work;
  const sunindextype all = N_VGetLength(weight);
  double *out = data(weight);
  tn_sundials_inside(w, data(x), data(w->y));
  w->ode->weights(w->ode->self, data(w->y), out);
  const double count = sqrt((double)all);
  const double size = w->ode->by_numbers ? count / sqrt(w->n - w->ode->ledgers) : count / STEP_SHARE;
  const double *y = data(w->y);
  for (sunindextype i = 0; i < all; i++)
    out[i] = i < w->n ? fmin(size / out[i], NUMBER_KNOWN / (TN_EPS * fmax(fabs(y[i]), DBL_MIN))) : 0;
  return 0;
}

int tn_sundials_jacobian(double t, N_Vector x, N_Vector xdot, SUNMatrix J, void *work, N_Vector a, N_Vector b,
                         N_Vector c) {
  tn_sundials *w = work;
  const tn_ode *ode = w->ode;
  double *y = data(x), *size = data(b);
  const double *f = data(xdot), *g = data(a);
  (void)c;
  tn_sundials_inside(w, y, data(w->y));
  N_VConst(1, b);
  if (ode->sizes) ode->sizes(ode->self, data(w->y), size);
  SUNMatZero(J);
  for (int j = 0; j < w->n - ode->ledgers; j++) { /* no rate depends on a ledger */
    const double before = y[j];
    y[j] += tn_increment(before, size[j]);
    const double h = y[j] - before;
    const int failed = tn_sundials_rates(t, x, a, w);
    y[j] = before;
    if (failed) return failed;
    double *column = SUNDenseMatrix_Column(J, j);
    for (int i = 0; i < w->n; i++) column[i] = (g[i] - f[i]) / h;
  }
  ode->effort->jacobians++;
  ode->effort->jacobian_rates += w->n - ode->ledgers;
  return 0;
}
