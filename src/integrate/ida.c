/* ida: the backward differentiation formulas of IDA, of SUNDIALS, orders 1 to 5, on implicit equations: the stabilised index-2 form
 * of the motion, with the multipliers as unknowns,
 *   (1) x = (y, lambda, mu), F(t, x, xdot) = 0                 dae.c
 *   (2) its matrix: dF/dx + c dF/dxdot, by differences of F(x + e, xdot + c e)
 * no error is judged by multipliers. its states keep the constraints to within its tolerance; what is given out is corrected as
 * after any step. */
#include <ida/ida.h>

#include "integrate/sundials.h"

enum { MOST_FAILURES = 40 };

/* of the error that a step may add: what the iteration may leave open. with ten times that, which is usual, the remainders look
 * like errors, and steps get shorter by half */
static const double ITERATION_OPEN = 0.033;

static const tn_sundials_flag flags[] = {
    {IDA_ERR_FAIL, TN_SUNDIALS_ERROR, "the error stays above what is allowed"},
    {IDA_CONV_FAIL, TN_SUNDIALS_OTHER,
     "the iteration for its implicit equations does not converge, as where rows become dependent and its "
     "matrix singular"},
    {IDA_LSETUP_FAIL, TN_SUNDIALS_OURS, "the matrix of its iteration cannot be formed"},
    {IDA_LSOLVE_FAIL, TN_SUNDIALS_OTHER, "the matrix of its iteration is singular"},
    {IDA_RES_FAIL, TN_SUNDIALS_OURS, "the equations cannot be evaluated"},
    {IDA_REP_RES_ERR, TN_SUNDIALS_OURS, "the equations cannot be evaluated"},
    {IDA_FIRST_RES_FAIL, TN_SUNDIALS_OURS, "the equations cannot be evaluated"},
    {IDA_MEM_FAIL, TN_SUNDIALS_MEMORY, ""},
    {0, TN_SUNDIALS_OTHER, NULL},
};

static double *data(N_Vector v) { return N_VGetArrayPointer(v); }

static int residual(double t, N_Vector x, N_Vector xdot, N_Vector r, void *work) {
  tn_sundials *w = work;
  const tn_ode *ode = w->ode;
  const double *lambda = data(x) + w->n, *mu = lambda + ode->rows;
  double *y = data(w->y);
  tn_sundials_inside(w, data(x), y);
  w->status = ode->residual(ode->self, t, y, data(xdot), lambda, mu, data(r));
  return w->status == TN_OK ? 0 : w->status == TN_E_RUN ? 1 : -1;
}

/* (2); linear in multipliers and ledgers, where any length will do */
static int jacobian(double t, double c, N_Vector x, N_Vector xdot, N_Vector r, SUNMatrix J, void *work, N_Vector a,
                    N_Vector b, N_Vector unused) {
  tn_sundials *w = work;
  const tn_ode *ode = w->ode;
  double *y = data(x), *ydot = data(xdot), *size = data(b);
  const double *f = data(r), *g = data(a);
  const int moving = w->n - ode->ledgers, all = w->n + ode->rows + ode->holonomic;
  (void)unused;
  tn_sundials_inside(w, y, data(w->y));
  N_VConst(1, b);
  if (ode->sizes) ode->sizes(ode->self, data(w->y), size);
  SUNMatZero(J);
  for (int j = 0; j < all; j++) {
    double *column = SUNDenseMatrix_Column(J, j);
    if (j >= moving && j < w->n) {
      column[j] = c;
      continue;
    }
    const double before = y[j], before_dot = ydot[j];
    y[j] += j < moving ? tn_increment(before, size[j]) : fmax(1, fabs(before));
    const double h = y[j] - before;
    if (j < moving) ydot[j] += c * h;
    const int failed = residual(t, x, xdot, a, w);
    y[j] = before;
    ydot[j] = before_dot;
    if (failed) return failed;
    for (int i = 0; i < all; i++) column[i] = (g[i] - f[i]) / h;
  }
  ode->effort->jacobians++;
  ode->effort->jacobian_rates += all - ode->ledgers;
  return 0;
}

/* x and xdot on the constraints: mu = 0 */
static tn_status consistent(tn_sundials *w, double t, const double *y) {
  const tn_ode *ode = w->ode;
  N_VConst(0, w->x);
  N_VConst(0, w->xdot);
  tn_sundials_set(w, y);
  return ode->multipliers(ode->self, t, y, data(w->xdot), data(w->x) + w->n);
}

static tn_status make(tn_sundials *w, double t, const double *y) {
  const tn_ode *ode = w->ode;
  tn_status status = tn_sundials_make(w, t, w->n + ode->rows + ode->holonomic, true);
  if (status == TN_OK) status = consistent(w, t, y);
  if (status != TN_OK) return status;
  w->solver = IDACreate(w->context);
  w->solver_free = IDAFree;
  if (!w->solver) return tn_sundials_no_memory(w, t);
  const double most = ode->max_step;
  int flag = IDASetErrHandlerFn(w->solver, tn_sundials_quiet, w);
  if (flag == 0) flag = IDAInit(w->solver, residual, t, w->x, w->xdot);
  if (flag == 0) flag = IDASetUserData(w->solver, w);
  if (flag == 0) flag = IDAWFtolerances(w->solver, tn_sundials_weights);
  if (flag == 0) flag = IDASetLinearSolver(w->solver, w->linear, w->matrix);
  if (flag == 0) flag = IDASetJacFn(w->solver, jacobian);
  if (flag == 0) flag = IDASetMaxErrTestFails(w->solver, MOST_FAILURES);
  if (flag == 0) flag = IDASetMaxConvFails(w->solver, MOST_FAILURES);
  if (flag == 0) flag = IDASetNonlinConvCoef(w->solver, ITERATION_OPEN);
  if (flag == 0 && isfinite(most)) flag = IDASetMaxStep(w->solver, most);
  return flag == 0 ? TN_OK : tn_sundials_no_memory(w, t);
}

/* of what they count, what this step has added */
static void count(tn_sundials *w) {
  long iterations = 0, tests = 0, convergences = 0, setups = 0;
  IDAGetNumNonlinSolvIters(w->solver, &iterations);
  IDAGetNumErrTestFails(w->solver, &tests);
  IDAGetNumNonlinSolvConvFails(w->solver, &convergences);
  IDAGetNumLinSolvSetups(w->solver, &setups);
  tn_sundials_count(w, iterations, tests + convergences, setups);
}

static tn_status possible(const tn_ode *ode, double t) {
  char text[400];
  if (!ode->residual)
    return ode->refuse(
        ode->self, t,
        "ida has the multipliers among its unknowns: it is not for a formulation that integrates "
        "independent coordinates alone, nor for a model too large for its matrices to be formed, nor for "
        "objectives that actuators realise, whose efforts do not settle in its iteration");
  if (!ode->redundant) return TN_OK;
  tn_format(
      text, sizeof text,
      "ida: %d of %d rows of the joints depend on others, so the multipliers are not unique and the matrix of its "
      "iteration is singular; take these rows away, or another integrator",
      ode->redundant, ode->rows);
  return ode->refuse(ode->self, t, text);
}

static tn_status advance(void *work, const tn_ode *ode, double t, const double *y, double limit, double *tnew,
                         double *ynew) {
  tn_sundials *w = work;
  double h = 0;
  tn_status status = tn_sundials_begin(w, "ida", ode, t);
  if (status == TN_OK) status = possible(ode, t);
  if (status != TN_OK) return status;
  if (!w->solver) {
    if ((status = make(w, t, y)) != TN_OK) return status;
  } else if (tn_sundials_goes_on(w, y)) {
    tn_sundials_shift(w, y);
  } else {
    if ((status = consistent(w, t, y)) != TN_OK) return status;
    IDAReInit(w->solver, t, w->x, w->xdot);
  }
  if (tn_sundials_still(w, t, y, limit, tnew, ynew)) return TN_OK;
  IDAGetCurrentStep(w->solver, &h);
  if ((status = ode->begin(ode->self, t, y, fmin(h, limit - t))) != TN_OK) return status;
  IDASetMinStep(w->solver, tn_sundials_shortest(t, limit));
  IDASetStopTime(w->solver, limit);
  const int flag = IDASolve(w->solver, limit, &w->t1, w->x, w->xdot, IDA_ONE_STEP);
  count(w);
  if (flag < 0) {
    IDAGetCurrentStep(w->solver, &h);
    IDAGetEstLocalErrors(w->solver, w->room);
    IDAGetErrWeights(w->solver, w->xdot);
    return tn_sundials_fail(w, t, h, flag, flags, data(w->room), data(w->xdot));
  }
  tn_sundials_made(w, t, tnew, ynew);
  return TN_OK;
}

static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  tn_sundials *w = work;
  w->ode = ode;
  if (!w->still) IDAGetDky(w->solver, w->t0 + theta * (w->t1 - w->t0), 0, w->room);
  tn_sundials_inside(w, data(w->still ? w->x : w->room), y);
  return TN_OK;
}

const tn_integrator_type tn_integrator_ida = {
    .name = "ida",
    .doc =
        "IDA of SUNDIALS: backward differentiation formulas of order 1 to 5 with the multipliers as unknowns, adaptive",
    .example = "--integrator ida --rtol 1e-6",
    .source = "Hindmarsh et al. 2005; Gear, Gupta & Leimkuhler 1985",
    .order = 5,
    .adaptive = true,
    .order_estimate = 5,
    .memory = tn_sundials_size,
    .start = tn_sundials_start,
    .end = tn_sundials_end,
    .accept = tn_sundials_accept,
    .advance = advance,
    .dense = dense,
};
