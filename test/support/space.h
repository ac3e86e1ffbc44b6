/* models in space for tests, beside build.h: random bodies, joints and forces of every registered type, written as a
 * user writes them; frames and coordinates that move. as there, what goes wrong comes back as a message or as an
 * error. */
#ifndef TN_TEST_SPACE_H
#define TN_TEST_SPACE_H

#include "support/build.h"

void space_new(build *b, uint64_t seed); /* `tenon` and `dimension`, nothing else */

void space_vector(build *b, double size, double v[3]);       /* components within size        */
void space_direction(build *b, double e[3]);                 /* unit                          */
void space_normal(build *b, const double e[3], double n[3]); /* unit, normal to e       */
void space_rotation(build *b, double A[9]);
/* the vector part of A'B - B'A, halved: small angles from A to B, along the axes of A */
void space_turn_between(const double A[9], const double B[9], double angle[3]);

/* mass, mass centre, a full tensor, a place, an orientation given in one of four ways; coordinates NULL: the model's */
void space_body(build *b, const char *name, const char *coordinates);
void space_particle(build *b, const char *name);
/* bodies a, b, c and a particle p; their coordinates become channels */
void space_world(build *b);
void space_channel(build *b, const char *part, const char *word);
/* a joint for every registered type that measures something: h0, h1, ..; channels too */
void space_helpers(build *b);

/* what a joint was given */
typedef struct space_given {
  build_given fields, fields_space;
  char first[16], second[16], carrier[16];
  bool at; /* place[0] in the world; else one on each body               */
  double place[2][3];
  double axis[2][3]; /* of each frame, in the world at the given pose          */
  bool own_axes;     /* or, given as `axis_on_bodies`, in the axes of each body */
  double normal[3];
  bool bevel, bearings; /* of a mesh                                                */
  double O[3];          /* where the axes of a bevel meet                           */
  double direction[3];  /* a field that is a direction                              */
} space_given;

/* `first`, `second`: NULL: any of a b c p ground that the type can hold. places: 0 `at` and `axis`, so that it is
 * closed at the given pose; 1 `on_bodies`. a mesh gets bearings of its own with 0: joints name_0, name_1 */
bool space_joint(build *b, const char *name, const tn_joint_type *type, const char *first, const char *second,
                 int places, space_given *g);
/* how: as build_force; on `first`, or between `first` and `second` */
bool space_force(build *b, const char *name, const tn_force_type *type, int how, const char *first, const char *second,
                 build_given *plain, build_given *space);

/* bodies a b c .. (at least 2), each on a random joint ta tb .. that can carry (`type` NULL: any) on one before it or
 * the ground, in either order. the same seed gives the same mechanism in relative and in absolute coordinates */
enum {
  SPACE_FORCES = 1,   /* gravity, and forces of every kind           */
  SPACE_LOOSE = 2,    /* nothing holds a                              */
  SPACE_PARTICLE = 4, /* p, with a rod as mass element, on a distance */
  SPACE_ON_BODIES = 8 /* joints by places on bodies too: they are not closed at the given pose */
};
void space_tree(build *b, uint64_t seed, bool relative, int bodies, const tn_joint_type *type, unsigned with);
/* one more joint x0, x1 .. of the type between bodies of a tree, closed at the given pose if it can be */
bool space_extra(build *b, int n, int bodies, const tn_joint_type *type);
bool space_carries(const tn_joint_type *type); /* it can carry a body */

/* a frame that moves: place and quaternion, of no particular length, are polynomials of s */
typedef struct space_path {
  double r[3][6], e[4][6];
} space_path;
void space_path_random(build *b, space_path *path);
/* a0 and al0 are not-a-number. a (6): its acceleration */
void space_path_at(const space_path *path, double s, tn_frame3 *f, double a[6]);
/* 0 where the joint is singular, 1 far away: as its type says */
double space_regular(const tn_joint *j, const tn_frame3 *f);

/* coordinates of the model as polynomials of s, those of rotations of no particular length; u to go with them. udot
 * may be NULL */
typedef struct space_motion {
  double t, c[BUILD_MOST][4];
} space_motion;
/* around the given pose, `spread` m or rad away from it */
void space_motion_random(build *b, double spread, space_motion *m);
void space_motion_at(const build *b, const space_motion *m, double s, double *q, double *u, double *udot);

/* put the system of `to`, all of whose bodies have coordinates of their own, where `from` is; false: it cannot */
bool space_same(const build *from, const build *to, double *q, double *u);

#endif
