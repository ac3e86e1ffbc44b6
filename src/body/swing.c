/* swing: the absolute angle of a body whose frame origin sits at a place p of a parent.
 *   (1) r = r_p, v = v_p, a0 = a0_p: the pivot moves with the parent
 *   (2) angle = q, w = u, al0 = 0: the rotation does not depend on the parent's
 *   (3) S = [0 0 1] */
#include "body/body.h"

static void motion(const double *q, const double *u, const tn_frame2 *p, tn_frame2 *b, double *S) {
  const double angle = q[0];
  *b = *p;
  b->angle = angle;
  b->c = cos(angle);
  b->s = sin(angle);
  b->w = u[0];
  b->al0 = 0;
  S[0] = S[1] = 0;
  S[2] = 1;
}

static void from_pose(const double pose[3], double *q) { q[0] = pose[2]; }

static const tn_coordinate coordinates[] = {{"angle", "rate", TN_ANGLE}, {NULL, NULL, TN_ANGLE}};

const tn_body_type tn_body_swing = {
    .name = "swing",
    .doc = "the absolute angle, about a pivot on any parent",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': {\n"
               "  'upper': { 'rod': [[0, 0], [0, -1]], 'mass': 1, 'coordinates': { 'type': 'swing', 'parent': "
               "'ground', 'at': [0, 0] } },\n"
               "  'lower': { 'rod': [[0, -1], [1, -1]], 'mass': 1, 'coordinates': { 'type': 'swing', 'parent': "
               "'upper', 'at': [0, -1] } }\n"
               "},\n"
               "'outputs': { 'tip': 'position(lower) + axis(lower, x)', 'pull': 'lower.fy' }",
    .oriented = true,
    .on_parent = true,
    .plane = {.n = 1, .coordinates = coordinates, .motion = motion, .from_pose = from_pose},
};
