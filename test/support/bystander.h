/* a part that has nothing to do with the rest of a model: another place, mass, speed or size, held by the ground or by nothing. its body
 * is `bystander`, its joint `bystander_joint`. it must change nothing of what else moves. */
#ifndef TN_TEST_BYSTANDER_H
#define TN_TEST_BYSTANDER_H

#include "support/judge.h"

typedef enum bystander_held {
  BYSTANDER_FREE,
  BYSTANDER_RAIL,  /* slides along x                        */
  BYSTANDER_WHEEL, /* turns about its mass centre           */
  BYSTANDER_CRANE, /* turns about a place 10 m above it      */
  BYSTANDER_TIED,  /* springs to the origin, along x and y   */
  BYSTANDER_SPRING /* slides along x on a spring             */
} bystander_held;

typedef struct bystander {
  const char *name;
  bystander_held held;
  double mass, inertia;        /* kg, kg m^2 about every axis            */
  double x, vx, vy, rate;      /* m, m/s, rad/s; y = 0                   */
  double stiffness, amplitude; /* N/m, m                                 */
} bystander;

const bystander *bystander_named(const char *name); /* of the list in bystander.c; it has to be there */
/* behind `coordinates` of the model, if it has any */
void bystander_add(tn_desc *desc, int dimension, const bystander *b);

#endif
