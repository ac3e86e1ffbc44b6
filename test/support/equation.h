/* equations of a joint `constraint`, at random, of the channels that a model of build.h or space.h has. */
#ifndef TN_TEST_EQUATION_H
#define TN_TEST_EQUATION_H

#include "support/build.h"

/* `value` or `rate`, and perhaps `unit` and `scale`, of the part at a pointer */
bool build_equation(build *b, const char *part, const tn_joint_type *type, bool space, build_given *given);
/* a smooth function of positions and t; one that is linear in rates, with functions of positions and t before them */
void build_equation_value(build *b, bool space, char *text, size_t size);
void build_equation_rate(build *b, bool space, char *text, size_t size);

#endif
