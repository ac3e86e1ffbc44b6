/* point: x, y of a particle; it has no orientation. natural coordinates are made of these.
 *   (1) r = (x, y), v = u, w = 0 */
#include "body/body.h"

static void motion(const double *q, const double *u, const tn_frame2 *p, tn_frame2 *b, double *S) {
  static const double axes[6] = {1, 0, 0, 1, 0, 0};
  (void)p;
  memset(b, 0, sizeof *b);
  b->r[0] = q[0];
  b->r[1] = q[1];
  b->c = 1;
  b->v[0] = u[0];
  b->v[1] = u[1];
  memcpy(S, axes, sizeof axes);
}

static void from_pose(const double pose[3], double *q) { memcpy(q, pose, 2 * sizeof *q); }

static const tn_coordinate coordinates[] = {{"x", "vx", TN_LENGTH}, {"y", "vy", TN_LENGTH}, {NULL, NULL, TN_LENGTH}};

const tn_body_type tn_body_point = {
    .name = "point",
    .doc = "x, y of a particle, without orientation",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'stone': { 'mass': 0.3, 'position': [0, 2], 'coordinates': 'point' } },\n"
               "'start': { 'stone.vx': 4, 'stone.vy': 3 },\n"
               "'outputs': { 'at': 'position(stone)' }",
    .coordinates = coordinates,
    .n = 2,
    .motion = motion,
    .from_pose = from_pose,
};
