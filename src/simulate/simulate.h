/* simulate: the step loop, the contract, ledgers, the event log.
 *
 *   sim.c    life of a simulation, its state      start.c   assembling a start; rank and freedom
 *   rates.c  the ode the integrators see          step.c    one accepted step
 *   accept.c end of a step: stabilizers, ledger, contract
 *   output.c rows and channels                    run.c     from the start to the end */
#ifndef TN_SIMULATE_H
#define TN_SIMULATE_H

#include "formulate/formulate.h"

enum { TN_MOST_EVENTS = 256 };

struct tn_sim {
  const tn_model *m;
  tn_allocator allocator;
  tn_solver solver;
  tn_ode ode;
  void *work; /* of the integrator                                              */
  int n;      /* length of y: q, u, ledger                                      */
  double t, t0;
  double *y, *ynew, *yrow;   /* n                                                              */
  double *error;             /* n                                                              */
  double *estimate;          /* 2 nu: the error of q, as a tangent, and of u                    */
  double *U_held, *U;        /* rows                                                           */
  double *C0, *V0, *C1, *V1; /* rows: C and Cdot at both ends of the last step                */
  double *C_row, *V_row;     /* rows: the level of a row of output; feedback at a row           */
  double *row;               /* columns                                                        */
  /* the start */
  tn_kkt start_kkt; /* rows and exact targets                                         */
  double *start_A, *start_r, *start_x, *start_lambda, *start_q, *start_sigma, *start_way, *start_gone, *start_try,
      *start_s, *start_memory;
  double *start_goal, *start_begin, *start_end; /* targets */
  /* steps */
  bool started, stopped;
  bool reminded;       /* memory was given for the next state that is set                       */
  bool feedback, held; /* some stabilizer has one; some feedback is held                 */
  double step_length;  /* of the step last begun                                         */
  double h;            /* next to try, adaptive                                          */
  int worst;           /* component with the largest error in the last accepted step       */
  double turning;      /* rad/s, at y: of angles that are remembered                     */
  int turning_joint;   /* whose                                                          */
  double t_step;       /* start of the last accepted step                                */
  long fixed_steps;    /* made since t0, fixed step                                      */
  double max_balance, max_potential;
  double inconsistency; /* of redundant rows, the largest where rows of output are                */
  bool *near;           /* bodies: near a singular position of their coordinates, and it was said  */
  int events;
  tn_event event[TN_MOST_EVENTS];
  tn_summary summary;
  double t_row; /* rows up to here were given before an interruption */
  tn_watch watch;
  void *watcher;
  int start_row;     /* the one that the given pose violates most */
  double *q_general; /* nq: a pose where the rows have the rank that they have in general */
  tn_error *e;       /* of the call under way                                          */
  tn_error spare;
};

/* views of a state vector */
static inline double *tn_u_of(const tn_sim *s, double *y) { return y + s->m->nq; }
static inline double *tn_ledger_of(const tn_sim *s, double *y) { return y + s->m->nq + s->m->nu; }

void tn_log(tn_sim *s, double t, const char *kind, const char *format, ...) TN_PRINTF(4, 5);

/* rates.c */
tn_status tn_rates_begin(void *sim, double t, const double *y, double h);
tn_status tn_rates(void *sim, double t, const double *y, double *ydot);
/* udot, lambda and the stabilizer's share at a state; feedback as a step of the last length would begin with */
tn_status tn_solve_here(tn_sim *s, double t, double *y);

/* start.c */
tn_status tn_start_assemble(tn_sim *s, bool targets);
tn_status tn_start_count(tn_sim *s);
tn_status tn_start_large(const tn_model *m, tn_error *e); /* what a large model asks that needs matrices */

/* accept.c */
tn_status tn_accept(tn_sim *s, double t, double *y, bool *changed);
tn_status tn_check_contract(tn_sim *s, double t);
void tn_watch_energy(tn_sim *s, double *y);

/* step.c: one accepted step, not beyond t_limit */
tn_status tn_step(tn_sim *s, double t_limit);

/* output.c */
tn_status tn_row_inside(tn_sim *s, double t);
tn_status tn_row_here(tn_sim *s);
tn_status tn_row_eval(tn_sim *s, double *y);

/* run.c */
tn_status tn_begin_run(tn_sim *s);
tn_status tn_end_run(tn_sim *s, tn_status status);

#endif
