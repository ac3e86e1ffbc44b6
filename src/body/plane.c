/* plane: x, y of the frame origin and the angle; u = qdot.
 *   (1) r = (x, y), twist = u, S = 1, no bias */
#include "body/body.h"

static void motion(const double *q, const double *u, const tn_frame2 *p, tn_frame2 *b, double *S) {
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double angle = q[2];
  (void)p;
  b->r[0] = q[0];
  b->r[1] = q[1];
  b->angle = angle;
  b->c = cos(angle);
  b->s = sin(angle);
  b->v[0] = u[0];
  b->v[1] = u[1];
  b->w = u[2];
  b->a0[0] = b->a0[1] = b->al0 = 0;
  memcpy(S, identity, sizeof identity);
}

static void from_pose(const double pose[3], double *q) { memcpy(q, pose, 3 * sizeof *q); }

static const tn_coordinate coordinates[] = {
    {"x", "vx", TN_LENGTH}, {"y", "vy", TN_LENGTH}, {"angle", "rate", TN_ANGLE}, {NULL, NULL, TN_ANGLE}};

const tn_body_type tn_body_plane = {
    .name = "plane",
    .doc = "x, y of the frame origin and the angle",
    .example = "'bodies': { 'plate': { 'mass': 2, 'inertia': 0.05, 'position': [1, 0], 'angle': '30*deg', "
               "'coordinates': 'plane' } },\n"
               "'start': { 'plate.rate': 3, 'plate.vx': 1 },\n"
               "'outputs': { 'corner': 'position(plate) + 0.2*axis(plate, x)' }",
    .oriented = true,
    .plane = {.n = 3, .plain = true, .coordinates = coordinates, .motion = motion, .from_pose = from_pose},
};
