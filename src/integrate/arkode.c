/* arkode: the embedded Runge-Kutta formulas of ARKODE, of SUNDIALS, by the names of their tables: explicit, or diagonally implicit
 * with Newton's method and a dense matrix of difference quotients. rows inside a step are interpolated by a polynomial of
 * degree 5 at most. */
#include <arkode/arkode_arkstep.h>

#include "integrate/sundials.h"

#define EXPLICIT(X)                                                                                                    \
  X(ARKODE_DORMAND_PRINCE_7_4_5)                                                                                       \
  X(ARKODE_HEUN_EULER_2_1_2)                                                                                           \
  X(ARKODE_BOGACKI_SHAMPINE_4_2_3)                                                                                     \
  X(ARKODE_ARK324L2SA_ERK_4_2_3)                                                                                       \
  X(ARKODE_ZONNEVELD_5_3_4)                                                                                            \
  X(ARKODE_ARK436L2SA_ERK_6_3_4)                                                                                       \
  X(ARKODE_ARK437L2SA_ERK_7_3_4)                                                                                       \
  X(ARKODE_SAYFY_ABURUB_6_3_4)                                                                                         \
  X(ARKODE_CASH_KARP_6_4_5)                                                                                            \
  X(ARKODE_FEHLBERG_6_4_5)                                                                                             \
  X(ARKODE_ARK548L2SA_ERK_8_4_5)                                                                                       \
  X(ARKODE_ARK548L2SAb_ERK_8_4_5)                                                                                      \
  X(ARKODE_VERNER_8_5_6)                                                                                               \
  X(ARKODE_FEHLBERG_13_7_8)
#define IMPLICIT(X)                                                                                                    \
  X(ARKODE_SDIRK_2_1_2)                                                                                                \
  X(ARKODE_BILLINGTON_3_3_2)                                                                                           \
  X(ARKODE_TRBDF2_3_3_2)                                                                                               \
  X(ARKODE_KVAERNO_4_2_3)                                                                                              \
  X(ARKODE_ARK324L2SA_DIRK_4_2_3)                                                                                      \
  X(ARKODE_ESDIRK324L2SA_4_2_3)                                                                                        \
  X(ARKODE_ESDIRK325L2SA_5_2_3)                                                                                        \
  X(ARKODE_ESDIRK32I5L2SA_5_2_3)                                                                                       \
  X(ARKODE_CASH_5_2_4)                                                                                                 \
  X(ARKODE_CASH_5_3_4)                                                                                                 \
  X(ARKODE_SDIRK_5_3_4)                                                                                                \
  X(ARKODE_KVAERNO_5_3_4)                                                                                              \
  X(ARKODE_ARK436L2SA_DIRK_6_3_4)                                                                                      \
  X(ARKODE_ARK437L2SA_DIRK_7_3_4)                                                                                      \
  X(ARKODE_ESDIRK436L2SA_6_3_4)                                                                                        \
  X(ARKODE_ESDIRK43I6L2SA_6_3_4)                                                                                       \
  X(ARKODE_QESDIRK436L2SA_6_3_4)                                                                                       \
  X(ARKODE_ESDIRK437L2SA_7_3_4)                                                                                        \
  X(ARKODE_KVAERNO_7_4_5)                                                                                              \
  X(ARKODE_ARK548L2SA_DIRK_8_4_5)                                                                                      \
  X(ARKODE_ARK548L2SAb_DIRK_8_4_5)                                                                                     \
  X(ARKODE_ESDIRK547L2SA_7_4_5)                                                                                        \
  X(ARKODE_ESDIRK547L2SA2_7_4_5)
#define WORD(name) " " #name
#define NUMBER(name) name,

static const ARKODE_ERKTableID explicit_table[] = {EXPLICIT(NUMBER)};
static const ARKODE_DIRKTableID implicit_table[] = {IMPLICIT(NUMBER)};
enum { EXPLICITS = sizeof explicit_table / sizeof *explicit_table, MOST_FAILURES = 40 };

typedef struct parameters {
  int table;
} parameters;

static const tn_field fields[] = {
    {.key = "table",
     .doc = "a Butcher table, by its name in ARKODE; the numbers are stages, order of the estimate, order",
     .kind = TN_WORD,
     .offset = offsetof(parameters, table),
     .choices = &(EXPLICIT(WORD) IMPLICIT(WORD))[1]},
    {0},
};

static const tn_sundials_flag flags[] = {
    {ARK_ERR_FAILURE, TN_SUNDIALS_ERROR, "the error stays above what is allowed"},
    {ARK_CONV_FAILURE, TN_SUNDIALS_OTHER, "the iteration for its implicit equations does not converge"},
    {ARK_LSETUP_FAIL, TN_SUNDIALS_OURS, "the matrix of its iteration cannot be formed"},
    {ARK_LSOLVE_FAIL, TN_SUNDIALS_OTHER, "the matrix of its iteration is singular"},
    {ARK_RHSFUNC_FAIL, TN_SUNDIALS_OURS, "the rates cannot be evaluated"},
    {ARK_FIRST_RHSFUNC_ERR, TN_SUNDIALS_OURS, "the rates cannot be evaluated"},
    {ARK_REPTD_RHSFUNC_ERR, TN_SUNDIALS_OURS, "the rates cannot be evaluated"},
    {ARK_UNREC_RHSFUNC_ERR, TN_SUNDIALS_OURS, "the rates cannot be evaluated"},
    {ARK_TOO_CLOSE, TN_SUNDIALS_OTHER, "the interval is too short for a first step"},
    {ARK_MEM_FAIL, TN_SUNDIALS_MEMORY, ""},
    {0, TN_SUNDIALS_OTHER, NULL},
};

static tn_status make(tn_sundials *w, double t, const double *y) {
  const int table = ((const parameters *)w->self)->table;
  const bool implicit = table >= EXPLICITS;
  tn_status status = tn_sundials_make(w, t, w->n, implicit);
  if (status != TN_OK) return status;
  tn_sundials_set(w, y);
  w->solver_free = ARKStepFree;
  w->solver =
      ARKStepCreate(implicit ? NULL : tn_sundials_rates, implicit ? tn_sundials_rates : NULL, t, w->x, w->context);
  if (!w->solver) return tn_sundials_no_memory(w, t);
  const double most = w->ode->max_step;
  int flag = ARKStepSetErrHandlerFn(w->solver, tn_sundials_quiet, w);
  if (flag == 0) flag = ARKStepSetUserData(w->solver, w);
  if (flag == 0) flag = ARKStepWFtolerances(w->solver, tn_sundials_weights);
  if (flag == 0)
    flag = ARKStepSetTableNum(w->solver, implicit ? implicit_table[table - EXPLICITS] : ARKODE_DIRK_NONE,
                              implicit ? ARKODE_ERK_NONE : explicit_table[table]);
  if (flag == 0 && implicit) flag = ARKStepSetLinearSolver(w->solver, w->linear, w->matrix);
  if (flag == 0 && implicit) flag = ARKStepSetJacFn(w->solver, tn_sundials_jacobian);
  if (flag == 0) flag = ARKStepSetMaxErrTestFails(w->solver, MOST_FAILURES);
  if (flag == 0) flag = ARKStepSetMaxConvFails(w->solver, MOST_FAILURES);
  if (flag == 0 && isfinite(most)) flag = ARKStepSetMaxStep(w->solver, most);
  return flag == 0 ? TN_OK : tn_sundials_no_memory(w, t);
}

/* of what they count, what this step has added */
static void count(tn_sundials *w) {
  long iterations = 0, tests = 0, convergences = 0, setups = 0;
  ARKStepGetNumNonlinSolvIters(w->solver, &iterations);
  ARKStepGetNumErrTestFails(w->solver, &tests);
  ARKStepGetNumNonlinSolvConvFails(w->solver, &convergences);
  ARKStepGetNumLinSolvSetups(w->solver, &setups);
  tn_sundials_count(w, iterations, tests + convergences, setups);
}

static tn_status advance(void *work, const tn_ode *ode, double t, const double *y, double limit, double *tnew,
                         double *ynew) {
  tn_sundials *w = work;
  double h = 0;
  tn_status status = tn_sundials_begin(w, "arkode", ode, t);
  if (status != TN_OK) return status;
  if (!w->solver) {
    if ((status = make(w, t, y)) != TN_OK) return status;
  } else if (tn_sundials_goes_on(w, y)) {
    tn_sundials_shift(w, y);
  } else {
    tn_sundials_set(w, y);
    const bool implicit = ((const parameters *)w->self)->table >= EXPLICITS;
    ARKStepReInit(w->solver, implicit ? NULL : tn_sundials_rates, implicit ? tn_sundials_rates : NULL, t, w->x);
  }
  if (tn_sundials_still(w, t, y, limit, tnew, ynew)) return TN_OK;
  ARKStepGetCurrentStep(w->solver, &h);
  if ((status = ode->begin(ode->self, t, y, fmin(h, limit - t))) != TN_OK) return status;
  ARKStepSetMinStep(w->solver, tn_sundials_shortest(t, limit));
  ARKStepSetStopTime(w->solver, limit);
  const int flag = ARKStepEvolve(w->solver, limit, w->x, &w->t1, ARK_ONE_STEP);
  count(w);
  if (flag < 0) {
    ARKStepGetCurrentStep(w->solver, &h);
    ARKStepGetEstLocalErrors(w->solver, w->room);
    ARKStepGetErrWeights(w->solver, w->xdot);
    return tn_sundials_fail(w, t, h, flag, flags, N_VGetArrayPointer(w->room), N_VGetArrayPointer(w->xdot));
  }
  tn_sundials_made(w, t, tnew, ynew);
  return TN_OK;
}

static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  tn_sundials *w = work;
  w->ode = ode;
  w->status = TN_OK;
  if (!w->still) ARKStepGetDky(w->solver, w->t0 + theta * (w->t1 - w->t0), 0, w->room);
  tn_sundials_inside(w, N_VGetArrayPointer(w->still ? w->x : w->room), y);
  return w->status;
}

const tn_integrator_type tn_integrator_arkode = {
    .name = "arkode",
    .doc = "ARKODE of SUNDIALS: embedded Runge-Kutta formulas, explicit or diagonally implicit, adaptive",
    .example = "--integrator arkode:table=ARKODE_KVAERNO_7_4_5 --rtol 1e-8",
    .source = "Reynolds et al. 2023",
    .size = sizeof(parameters),
    .fields = fields,
    .order = 5,
    .adaptive = true,
    .order_estimate = 4,
    .memory = tn_sundials_size,
    .start = tn_sundials_start,
    .end = tn_sundials_end,
    .accept = tn_sundials_accept,
    .advance = advance,
    .dense = dense,
};
