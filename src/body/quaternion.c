/* quaternion: x, y, z of the frame origin and a quaternion e = (e0, e1, e2, e3); u = (v, w), the twist itself.
 *   (1) A = A(e/|e|): the length of e, which an integrator may change, has no meaning
 *   (2) twist = u, S = 1, no bias
 *   (3) qdot = N u: rdot = v, edot = E'w/2, E as in euler-parameters; |e| stays as it is (base/chart.h) */
#include "body/body.h"

static void motion(const double *q, const double *u, tn_frame3 *b, double *S) {
  memset(b, 0, sizeof *b);
  memcpy(b->r, q, sizeof b->r);
  tn_quaternion_rotation(q + 3, b->A);
  memcpy(b->v, u, sizeof b->v);
  memcpy(b->w, u + 3, sizeof b->w);
  for (int i = 0; S && i < 36; i++) S[i] = i % 7 == 0;
}

static void from_pose(const double r[3], const double A[9], double *q) {
  memcpy(q, r, 3 * sizeof *q);
  tn_rotation_quaternion(A, q + 3);
}

const tn_body_type tn_body_quaternion = {
    .name = "quaternion",
    .doc = "x, y, z of the frame origin and a unit quaternion; speeds are the velocity and the angular velocity",
    .example =
        "'bodies': { 'racket': { 'mass': 0.3, 'inertia': [0.002, 0.015, 0.016], 'coordinates': 'quaternion' } },\n"
        "'start': { 'racket.wx': 0.02, 'racket.wy': 8, 'racket.vz': 0.5 },\n"
        "'outputs': { 'handle': 'axis(racket, x)', 'across': 'axis(racket, y)', 'spin': 'omega(racket)' }",
    .oriented = true,
    .space = {.plain = true, .nq = 7, .nu = 6, .chart = &tn_chart_pose, .motion = motion, .from_pose = from_pose},
};
