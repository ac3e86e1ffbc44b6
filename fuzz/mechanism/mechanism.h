/* random mechanisms: put together from a string of bytes, written as a model file, and judged from the poses that a run reports.
 *
 * Bodies get their poses first. Joints are then placed at points and along axes of the world, where both bodies already are: every joint
 * fits, and so does every closed loop. gaps.c has rotations and joint equations of its own. It calls nothing of the library, and neither do
 * make.c and write.c.
 * SPDX-License-Identifier: MIT */
#ifndef TN_MECHANISM_H
#define TN_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MECH_BODIES = 8,
  MECH_JOINTS = 20,
  MECH_TEXT = 24000, /* bytes of a model file */
  MECH_COLUMNS = 80, /* of a row, without t */
  MECH_PARAMETERS = 8,
  MECH_NAME = 24,
  MECH_GROUND = -1,
};

/* names of joint types, in the order of mech_joint_kind; NULL ends them */
extern const char *const mech_joint_names[];
typedef enum mech_joint_kind {
  MECH_REVOLUTE,
  MECH_PRISMATIC,
  MECH_WELD,
  MECH_CYLINDRICAL,
  MECH_SCREW,
  MECH_UNIVERSAL,
  MECH_CONSTANT_VELOCITY,
  MECH_SPHERICAL,
  MECH_PLANAR,
  MECH_POINT_ON_PLANE,
  MECH_POINT_ON_LINE,
  MECH_DISTANCE,
  MECH_PARALLEL,
  MECH_PERPENDICULAR,
  MECH_GEAR,
  MECH_RACK,
  MECH_ROLLING_DISC,
  MECH_ROLLING_SPHERE,
  MECH_ROLLING_ELLIPSOID,
  MECH_KNIFE_EDGE,
  MECH_FREE,
  MECH_DRIVER,
  MECH_COORDINATE,
  MECH_CENTER_OF_MASS,
  MECH_CONSTRAINT, /* an equation: the distance of two origins, or of one from a place of the world */
} mech_joint_kind;

typedef struct mech_body {
  bool point;         /* a particle: no orientation */
  double p[3];        /* m, origin at the given pose; z is 0 in the plane */
  double angle, e[4]; /* orientation there: rad in the plane, a unit quaternion in space */
  double center[3];   /* m, in body axes */
  double mass;        /* kg */
  double inertia[3];  /* kg m^2; in the plane the first */
  int column;         /* of x in a row; y, (z) and angle or e0 .. e3 follow */
  const char *coordinates;
} mech_body;

/* a function of time: value(0) = base */
typedef enum mech_law { MECH_LAW_LINEAR, MECH_LAW_SINE, MECH_LAW_COSINE, MECH_LAW_SQUARE, MECH_LAWS } mech_law;

typedef struct mech_joint {
  mech_joint_kind kind;
  int body[2];                    /* MECH_GROUND: the ground */
  bool on_bodies;                 /* places are written in body axes, axes too where the type takes them so */
  double at[2][3];                /* m, in the world at the given pose; both are the same but for distance */
  double axis[2][3];              /* unit vectors there: axis, axes, normal or direction */
  double size[3];                 /* length of a distance, pitch, radius, semi-axes, teeth; unit as in the model */
  bool squared, position_form;    /* distance: form squared; gear and rack: form position */
  int of[2];                      /* driver, coordinate: joints whose coordinate it is about; -1: none */
  bool shift;                     /* that is the shift and not the angle */
  double factor[2];               /* coordinate: of its terms */
  mech_law law;                   /* driver, center-of-mass */
  double base, amount, frequency; /* of the law */
  int hold;                       /* column of the parameter that is its value; -1: the law is */
  int on;                         /* column of the parameter that is 0 while it is switched off; -1: always on */
  /* in the axes of each body, from the given pose: gaps_prepare */
  double place[2][3], direction[2][3], cross[2][3], turn[9], start;
} mech_joint;

typedef struct mechanism {
  int dimension, bodies, joints, columns;
  mech_body body[MECH_BODIES];
  mech_joint joint[MECH_JOINTS];
  double length;            /* m, about how large it is made */
  double contract_position; /* as the run asks */
  double until, every;      /* s */
  bool stops;               /* at a breach of the contract */
  bool driven;              /* by a driver or an objective */
  int parameters;
  double parameter[MECH_PARAMETERS];
  int used;             /* bytes of text */
  char text[MECH_TEXT]; /* the model file, ends with 0 */
} mechanism;

/* make.c: the same bytes make the same mechanism; false: it does not fit */
bool mech_make(mechanism *m, const uint8_t *bytes, size_t size);
bool mech_make_seed(mechanism *m, uint64_t seed);

/* where choices come from: the bytes while there are some, then numbers that follow from all of them */
typedef struct mech_choices {
  const uint8_t *bytes;
  size_t left;
  uint64_t state;
} mech_choices;
mech_choices mech_choices_of(const uint8_t *bytes, size_t size);
unsigned mech_pick(mech_choices *c, unsigned n); /* 0 .. n - 1 */
bool mech_chance(mech_choices *c, unsigned percent);
double mech_between(mech_choices *c, double low, double high);

/* write.c: the text of a made mechanism, with forces, events and settings chosen on the way */
bool mech_write(mechanism *m, mech_choices *c);
/* words of each kind that write.c chooses from, NULL ends them: `formulation stabilizer integrator method force` */
const char *mech_word(const char *kind, int i);

/* gaps.c */
typedef struct mech_gap {
  double length; /* m, the largest of one constraint equation of the joint */
  double angle;  /* rad */
} mech_gap;
void gaps_prepare(mechanism *m);
/* the gap of joint j in a row; false: it is switched off there */
bool gap_of(const mechanism *m, int j, double t, const double *row, mech_gap *gap);
/* lengths L of the assemblies by which the contract divides, of every joint; distance of bodies from the origin in that row */
void gap_lengths(const mechanism *m, double *length);
double gap_reach(const mechanism *m, const double *row);
double gap_turns(const mechanism *m, const double *row); /* largest number of turns of a body in the plane */
/* whether orientations of a row are orientations */
double gap_unit(const mechanism *m, const double *row);
void gap_rotate(const double e[4], const double v[3], double out[3]);

#endif
