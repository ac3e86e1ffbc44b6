/* stabilize: what keeps constraints from drifting. three places to act: on gamma before the solve, on qdot, on the state after
 * a step. one file a stabilizer. */
#ifndef TN_STABILIZE_H
#define TN_STABILIZE_H

#include "formulate/formulate.h"

#endif
