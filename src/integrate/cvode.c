/* cvode-adams and cvode-bdf: the variable-order, variable-step multistep formulas of CVODE, of SUNDIALS. Adams-Moulton of orders 1 to
 * 12 solved by iterating, BDF of orders 1 to 5 by Newton's method with a dense matrix of difference quotients; here the
 * stabilizers correct each state before its error is judged (Eich 1993), which CVODE knows for BDF only. */
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "integrate/sundials.h"

typedef struct formula {
  const char *name;
  int lmm;
} formula;

static const formula adams = {"cvode-adams", CV_ADAMS}, bdf = {"cvode-bdf", CV_BDF};

static const tn_sundials_flag flags[] = {
    {CV_ERR_FAILURE, TN_SUNDIALS_ERROR, "the error stays above what is allowed"},
    {CV_CONV_FAILURE, TN_SUNDIALS_OTHER, "the iteration for its implicit equations does not converge"},
    {CV_LSETUP_FAIL, TN_SUNDIALS_OURS, "the matrix of its iteration cannot be formed"},
    {CV_LSOLVE_FAIL, TN_SUNDIALS_OTHER, "the matrix of its iteration is singular"},
    {CV_RHSFUNC_FAIL, TN_SUNDIALS_OURS, "the rates cannot be evaluated"},
    {CV_FIRST_RHSFUNC_ERR, TN_SUNDIALS_OURS, "the rates cannot be evaluated"},
    {CV_REPTD_RHSFUNC_ERR, TN_SUNDIALS_OURS, "the rates cannot be evaluated"},
    {CV_UNREC_RHSFUNC_ERR, TN_SUNDIALS_OURS, "the rates cannot be evaluated"},
    {CV_PROJFUNC_FAIL, TN_SUNDIALS_OURS, "the state cannot be corrected"},
    {CV_REPTD_PROJFUNC_ERR, TN_SUNDIALS_OURS, "the state cannot be corrected"},
    {CV_TOO_CLOSE, TN_SUNDIALS_OTHER, "the interval is too short for a first step"},
    {CV_MEM_FAIL, TN_SUNDIALS_MEMORY, ""},
    {0, TN_SUNDIALS_OTHER, NULL},
};

enum { MOST_FAILURES = 40 }; /* of one step: it gets as short as time can tell */

/* the correction of a state before its error is judged */
static int project(double t, N_Vector x, N_Vector correction, double tolerance, N_Vector error, void *work) {
  tn_sundials *w = work;
  double *y = N_VGetArrayPointer(w->y), *c = N_VGetArrayPointer(correction);
  bool changed;
  (void)tolerance, (void)error;
  tn_sundials_inside(w, N_VGetArrayPointer(x), c);
  memcpy(y, c, sizeof *y * (size_t)w->n);
  w->status = w->ode->correct(w->ode->self, t, y, &changed);
  for (int i = 0; i < w->n; i++) c[i] = y[i] - c[i];
  return w->status == TN_OK ? 0 : w->status == TN_E_RUN ? 1 : -1;
}

/* linear equations, their matrix, and the projection, which only BDF takes */
static int set_implicit(tn_sundials *w) {
  int flag = CVodeSetLinearSolver(w->solver, w->linear, w->matrix);
  if (flag == 0) flag = CVodeSetJacFn(w->solver, tn_sundials_jacobian);
  if (flag == 0) flag = CVodeSetProjFn(w->solver, project);
  if (flag == 0) flag = CVodeSetProjErrEst(w->solver, SUNFALSE);
  return flag;
}

static tn_status make(tn_sundials *w, double t, const double *y) {
  const formula *which = w->self;
  const bool implicit = which->lmm == CV_BDF;
  tn_status status = tn_sundials_make(w, t, w->n, implicit);
  if (status != TN_OK) return status;
  tn_sundials_set(w, y);
  w->solver = CVodeCreate(which->lmm, w->context);
  w->solver_free = CVodeFree;
  if (!implicit) w->nonlinear = SUNNonlinSol_FixedPoint(w->x, 0, w->context);
  if (!w->solver || (!implicit && !w->nonlinear)) return tn_sundials_no_memory(w, t);
  const double most = w->ode->max_step;
  int flag = CVodeSetErrHandlerFn(w->solver, tn_sundials_quiet, w);
  if (flag == 0) flag = CVodeInit(w->solver, tn_sundials_rates, t, w->x);
  if (flag == 0) flag = CVodeSetUserData(w->solver, w);
  if (flag == 0) flag = CVodeWFtolerances(w->solver, tn_sundials_weights);
  if (flag == 0) flag = implicit ? set_implicit(w) : CVodeSetNonlinearSolver(w->solver, w->nonlinear);
  if (flag == 0) flag = CVodeSetMaxErrTestFails(w->solver, MOST_FAILURES);
  if (flag == 0) flag = CVodeSetMaxConvFails(w->solver, MOST_FAILURES);
  if (flag == 0 && isfinite(most)) flag = CVodeSetMaxStep(w->solver, most);
  return flag == 0 ? TN_OK : tn_sundials_no_memory(w, t);
}

/* of what they count, what this step has added */
static void count(tn_sundials *w) {
  long iterations = 0, tests = 0, convergences = 0, setups = 0;
  CVodeGetNumNonlinSolvIters(w->solver, &iterations);
  CVodeGetNumErrTestFails(w->solver, &tests);
  CVodeGetNumNonlinSolvConvFails(w->solver, &convergences);
  CVodeGetNumLinSolvSetups(w->solver, &setups);
  tn_sundials_count(w, iterations, tests + convergences, setups);
}

static tn_status advance(void *work, const tn_ode *ode, double t, const double *y, double limit, double *tnew,
                         double *ynew) {
  tn_sundials *w = work;
  const formula *which = w->self;
  double h = 0;
  tn_status status = tn_sundials_begin(w, which->name, ode, t);
  if (status != TN_OK) return status;
  if (!w->solver) {
    if ((status = make(w, t, y)) != TN_OK) return status;
  } else if (tn_sundials_goes_on(w, y)) {
    tn_sundials_shift(w, y);
  } else {
    tn_sundials_set(w, y);
    CVodeReInit(w->solver, t, w->x);
  }
  if (tn_sundials_still(w, t, y, limit, tnew, ynew)) return TN_OK;
  CVodeGetCurrentStep(w->solver, &h);
  if ((status = ode->begin(ode->self, t, y, fmin(h, limit - t))) != TN_OK) return status;
  CVodeSetMinStep(w->solver, tn_sundials_shortest(t, limit));
  CVodeSetStopTime(w->solver, limit);
  const int flag = CVode(w->solver, limit, w->x, &w->t1, CV_ONE_STEP);
  count(w);
  if (flag < 0) {
    CVodeGetCurrentStep(w->solver, &h);
    CVodeGetEstLocalErrors(w->solver, w->room);
    CVodeGetErrWeights(w->solver, w->xdot);
    return tn_sundials_fail(w, t, h, flag, flags, N_VGetArrayPointer(w->room), N_VGetArrayPointer(w->xdot));
  }
  tn_sundials_made(w, t, tnew, ynew);
  return TN_OK;
}

static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  tn_sundials *w = work;
  w->ode = ode;
  if (!w->still) CVodeGetDky(w->solver, w->t0 + theta * (w->t1 - w->t0), 0, w->room);
  tn_sundials_inside(w, N_VGetArrayPointer(w->still ? w->x : w->room), y);
  return TN_OK;
}

const tn_integrator_type tn_integrator_cvode_adams = {
    .name = "cvode-adams",
    .doc = "CVODE of SUNDIALS: Adams-Moulton formulas of order 1 to 12, adaptive",
    .example = "--integrator cvode-adams --rtol 1e-10",
    .source = "Hindmarsh et al. 2005",
    .constants = &adams,
    .order = 12,
    .adaptive = true,
    .order_estimate = 12,
    .memory = tn_sundials_size,
    .start = tn_sundials_start,
    .end = tn_sundials_end,
    .accept = tn_sundials_accept,
    .advance = advance,
    .dense = dense,
};

const tn_integrator_type tn_integrator_cvode_bdf = {
    .name = "cvode-bdf",
    .doc = "CVODE of SUNDIALS: backward differentiation formulas of order 1 to 5, for stiff models; adaptive",
    .example = "--integrator cvode-bdf --rtol 1e-6",
    .source = "Hindmarsh et al. 2005",
    .constants = &bdf,
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
