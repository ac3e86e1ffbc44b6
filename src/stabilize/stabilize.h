/* stabilize: what keeps constraints from drifting. three places to act: on gamma before the solve, on qdot, on the state after
 * a step. one file a stabilizer. */
#ifndef TN_STABILIZE_H
#define TN_STABILIZE_H

#include "formulate/formulate.h"

/* held.c: a violation under feedback (a/h) Cdot + (b/h^2) C that is held over each step grows by this a step, in the long run; and the
 * gains a that do not let it, at b: false: none */
double tn_held_growth(const tn_integrator_type *type, const void *self, double a, double b);
bool tn_held_range(const tn_integrator_type *type, const void *self, double b, double *from, double *to);

/* fuzzy.c: what the controller makes of x = Kp C and y = Kd Cdot, set and both as in its fields; and of y alone */
double tn_fuzzy_surface(int set, int both, double x, double y);
double tn_fuzzy_line(int set, double y);

#endif
