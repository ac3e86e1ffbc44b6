/* the parts of a start: which rows are wanted, how they are met, and the way there. */
#ifndef TN_START_H
#define TN_START_H

#include "simulate/simulate.h"

/* which rows are wanted: the constraints, and of the targets those that pass the filter */
typedef struct tn_wanted {
  bool constraints, exact, guesses, rate;
  bool away; /* and to be start.walk.way away from the state, along it */
} tn_wanted;

/* a number of q or u is set to its value once it is as near as this, of what rows are measured in */
#define TN_START_NEXT_TO 1e-12

/* start.c: positions and velocities of this model may be found, and its rows counted, by reflections, without matrices */
bool tn_start_may_reflect(const tn_model *m);

/* start_solve.c: whether target i is asked for; rows and residuals at the assembled system, the worst scaled one in *off and *worst; the n
 * rows that were collected factored, those that depend on others last */
bool tn_start_asks(const tn_sim *s, const tn_wanted *w, int i);
int tn_start_collect(tn_sim *s, const tn_wanted *w, double *off, int *worst);
tn_status tn_start_factor(tn_sim *s, const tn_wanted *w, int n);
/* Newton from q, and the linear solve of velocities; what stays away from what is wanted, and by how much, comes back in *worst and *off */
tn_status tn_start_positions(tn_sim *s, const tn_wanted *w, double *q, double *off, int *worst);
tn_status tn_start_velocities(tn_sim *s, const tn_wanted *w, double *off, int *worst);
double tn_start_allowed(const tn_sim *s, bool rate); /* of *off: less is met */

/* start_walk.c: towards exact values that are far from the pose */
tn_status tn_start_approach(tn_sim *s, const tn_wanted *w);

/* start_count.c: a fixed sequence between -1 and 1, the same on every machine */
double tn_start_jitter(unsigned *state);

#endif
