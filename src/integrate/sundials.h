/* what the integrators of SUNDIALS share; cvode.c, arkode.c and ida.c have what is particular to each.
 *
 * they keep a history of their own, which a state that the stabilizers have corrected at the end of a step does not fit. so they
 * do not see y but x, with
 *   (1) y = x + s,  xdot = f(t, x + s)
 * where the shift s is constant through a step. a correction d at its end goes into s: the next step goes on from y + d, with all
 * that is known of the rates of earlier steps, and nothing starts anew. where d is no correction but another state, all does. */
#ifndef TN_SUNDIALS_H
#define TN_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "integrate/integrate.h"

/* a flag of theirs below zero, in words */
typedef struct tn_sundials_flag {
  int flag;
  enum {
    TN_SUNDIALS_OTHER,
    TN_SUNDIALS_ERROR,
    TN_SUNDIALS_OURS,
    TN_SUNDIALS_MEMORY
  } kind; /* ours: a status says why */
  const char *words;
} tn_sundials_flag; /* a list ends with words NULL */

typedef struct tn_sundials {
  const char *name;                             /* of the integrator                              */
  const tn_ode *ode;                            /* of the call under way                          */
  const void *self;                             /* its parameters                                 */
  int n;                                        /* of y                                           */
  bool fresh;                                   /* nothing is known of earlier steps              */
  bool still;                                   /* the last step was too short for time to see it */
  double t0, t1;                                /* the last step                                  */
  tn_status status;                             /* of the last rate that could not be had         */
  int64_t iterations, rejected, decompositions; /* as counted before        */
  SUNContext context;
  void *solver; /* theirs                                 */
  void (*solver_free)(void **);
  N_Vector x, xdot;      /* n, or all unknowns of ida; xdot: ida   */
  N_Vector shift, given; /* n: s, the state last given out         */
  N_Vector y, room;      /* n, as x                                */
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
} tn_sundials;

size_t tn_sundials_size(const void *self, int n);
void tn_sundials_start(const void *self, void *work, int n);
void tn_sundials_end(void *work);
void tn_sundials_accept(void *work, const double *y, bool changed);

/* before a step: what cannot be done is refused */
tn_status tn_sundials_begin(tn_sundials *w, const char *name, const tn_ode *ode, double t);
double tn_sundials_shortest(double t, double limit); /* step: one that time hardly sees */
/* from t to limit is an interval that time does not see: y is the new state */
bool tn_sundials_still(tn_sundials *w, double t, const double *y, double limit, double *tnew, double *ynew);
/* context and vectors; x has `all` numbers, and there is a matrix of that size if one is wanted */
tn_status tn_sundials_make(tn_sundials *w, double t, int all, bool matrix);
tn_status tn_sundials_no_memory(tn_sundials *w, double t);
/* x = y, s = 0 */
void tn_sundials_set(tn_sundials *w, const double *y);
/* y is the state last given out, but for a correction; which goes into s */
bool tn_sundials_goes_on(tn_sundials *w, const double *y);
void tn_sundials_shift(tn_sundials *w, const double *y);
/* what they have counted since the last start */
void tn_sundials_count(tn_sundials *w, int64_t iterations, int64_t rejected, int64_t decompositions);
/* a step to t1 was made: ynew = x + s */
void tn_sundials_made(tn_sundials *w, double t, double *tnew, double *ynew);
/* y = x + s */
void tn_sundials_inside(const tn_sundials *w, const double *x, double *y);
/* why there is none; errors and weights of theirs, if the flag speaks of them */
tn_status tn_sundials_fail(tn_sundials *w, double t, double h, int flag, const tn_sundials_flag *flags,
                           const double *errors, const double *weights);

/* for them to call; `work` is a tn_sundials */
int tn_sundials_rates(double t, N_Vector x, N_Vector xdot, void *work);
int tn_sundials_weights(N_Vector x, N_Vector weight, void *work);
int tn_sundials_jacobian(double t, N_Vector x, N_Vector xdot, SUNMatrix J, void *work, N_Vector a, N_Vector b,
                         N_Vector c);
void tn_sundials_quiet(int code, const char *module, const char *function, char *message, void *work);

#endif
