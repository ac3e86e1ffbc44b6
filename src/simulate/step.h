/* a step: proposed, attempted, judged, taken.
 *
 *   propose   a length                                                            lengths.c, first_step.c
 *   attempt   a candidate: the state at its end, its error, how it went           attempt.c
 *   judge     what is to become of it, judge by judge: the list is in judges.c    judge_*.c
 *   revise    another length                                                      lengths.c
 *   take      the only place where state, memories and ledgers change             take.c
 *
 * An attempt writes into what belongs to attempts: sim->next, the error estimate, room of the integrator. What a step remembers (sim->now,
 * sim->before, memory of stabilizers, of joints and of the integrator, ledgers, log) is written by `take` alone, so that a candidate
 * that is not taken leaves no trace but counts of work. */
#ifndef TN_STEP_H
#define TN_STEP_H

#include "simulate/simulate.h"

/* of rho: nearer to a singular position than this ... */
#define TN_RHO_SPOILED 1e-3 /* estimates of the error are spoiled in directions that lose rank */

/* of the tolerance: the error that the next step shall have. what a tolerance then means is said in step.c */
#define TN_STEP_AIM (1.0 / 32)

/* rad: an angle is counted within half a turn of what it was at the last step, so that a step must not turn it by more. the control by
 * numbers asks for what its formulas would do by themselves, and is not limited: tn_doubt_turn tells */
#define TN_TURN_MOST 3.0

/* the end of an attempt, in sim->next, and what is known of it. written by attempt.c and the judges */
typedef struct tn_candidate {
  tn_status status; /* TN_OK, or TN_E_RUN: something on the way is not a number. other failures end the step */
  double h;         /* s: length of the attempt                                                             */
  double t_end;     /* s: where it ends                                                                     */
  double err;       /* its error in tolerances; 0: not known, the step is fixed                             */
  double left;      /* err without what corrections take away, for steps near a singular position; else as err */
  double violation; /* the part of err that stabilizers take away: as the violation that it would leave     */
  double rho;       /* the nearest to a singular position of all evaluations inside; 1: far from any        */
  double seen;      /* likewise, by blocks                                                                  */
  double rho_end;   /* where it ends                                                                        */
  int worst;        /* component of the estimate with the largest error                                     */
  bool jumped;      /* the energy tells that it went wrong                                                  */
  bool forced;      /* it is taken whatever its error is: no length does better                             */
  bool cut;         /* it ends at a guard, and says nothing of the length of the next step                  */
} tn_candidate;

/* attempts of one adaptive step. written by lengths.c and other_lengths.c */
typedef struct tn_trials {
  double t_limit;       /* s: not beyond                                                    */
  double h;             /* s: proposed                                                      */
  bool last;            /* the candidate ends at t_limit                                    */
  bool passed;          /* other lengths were tried for the proposal at hand                */
  int rejected;         /* candidates of this step that were rejected, 2: two or more       */
  int shortened;        /* of these, for an error so large that nothing else matters        */
  tn_candidate longest; /* the first of them; h 0: not to be compared with any more         */
  tn_candidate at_hand;
} tn_trials;

/* what is to become of a candidate */
typedef enum tn_decision {
  TN_STANDS,        /* nothing against it                                                   */
  TN_SHORTER,       /* its error is too large                                               */
  TN_MUCH_SHORTER,  /* likewise, by so much that it is not said to be of a singular position */
  TN_OTHER_LENGTHS, /* it came too near to a singular position: longer or shorter           */
  TN_AFRESH,        /* pieces of functions have changed where it begins: as if it had not been */
  TN_ENDED          /* an event has ended the run                                           */
} tn_decision;

/* attempt.c: a candidate of length h from the present state. fails where the run ends; `own`: of an integrator that chooses its steps
 * itself, up to t_limit. then the factorisation at the end of a candidate, for its nearness to a singular position */
tn_status tn_attempt(tn_sim *s, double h, tn_candidate *c);
tn_status tn_attempt_own(tn_sim *s, double t_limit, tn_candidate *c);
tn_status tn_candidate_look(tn_sim *s, tn_candidate *c);

/* judges.c: how good an attempt is, all measures; what is to become of it, all judges */
tn_status tn_weigh(tn_sim *s, tn_candidate *c);
tn_status tn_judge(tn_sim *s, tn_trials *x, tn_decision *decision);

/* measures: each raises c->err, or fails; TN_E_RUN: something is not a number */
tn_status tn_measure_violation(tn_sim *s, tn_candidate *c); /* judge_error.c  */
tn_status tn_measure_error(tn_sim *s, tn_candidate *c);
tn_status tn_measure_turning(tn_sim *s, tn_candidate *c); /* judge_turning.c */
tn_status tn_measure_left(tn_sim *s, tn_candidate *c);    /* judge_error.c: what corrections do not take away */
tn_status tn_measure_energy(tn_sim *s, tn_candidate *c);  /* judge_energy.c */

/* judges of an adaptive step. those of guards and of fixed steps act on a candidate alone */
tn_status tn_judge_singular(tn_sim *s, tn_trials *x, tn_decision *decision);  /* judge_singular.c */
tn_status tn_judge_error(tn_sim *s, tn_trials *x, tn_decision *decision);     /* judge_error.c    */
tn_status tn_judge_guards(tn_sim *s, tn_candidate *c, tn_decision *decision); /* judge_guards.c  */
bool tn_lands_singular(const tn_candidate *c);    /* a fixed step that ends too near to a singular position */
tn_status tn_refuse_turning(tn_sim *s, double h); /* a fixed step so long that angles cannot be counted   */

/* judge_singular.c, for other_lengths.c: nearer than the next step could begin; an error that does not fall with the length */
bool tn_candidate_landed(const tn_candidate *c);
bool tn_candidate_helpless(const tn_trials *x);
enum { TN_MOST_SHORTENED = 8 }; /* so often shorter steps are tried for an error of TN_ABSURD first */
#define TN_ABSURD 1e4 /* of the tolerance: an error of a step that is far too long, whatever position it came near */

/* other_lengths.c: instead of a candidate that came too near to a singular position */
tn_status tn_try_other_lengths(tn_sim *s, tn_trials *x);

/* lengths.c: the length of the next attempt; after a candidate that stands, or does not */
tn_status tn_propose(tn_sim *s, tn_trials *x);
tn_status tn_propose_own(tn_sim *s, double t_limit, double *limit); /* up to where an integrator may choose */
void tn_learn(tn_sim *s, const tn_trials *x);
tn_status tn_revise(tn_sim *s, tn_trials *x, tn_decision decision);
/* first_step.c: into stepper.h */
tn_status tn_first_step(tn_sim *s, double t_limit);

/* take.c: the candidate becomes the present state */
tn_status tn_take(tn_sim *s, const tn_candidate *c);

static inline bool tn_by_numbers(const tn_sim *s) { return s->m->run.by_numbers; }
/* as MATLAB's codes do; for `mean` as those of Hairer and SciPy */
static inline bool tn_by_largest(const tn_sim *s) { return s->m->run.by_numbers && !s->m->run.by_mean; }

#endif
