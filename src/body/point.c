/* point: x, y (z) of a particle; it has no orientation. natural coordinates are made of these.
 *   (1) r = q, v = u, w = 0; S = [1; 0], no bias; its axes are those of the world */
#include "body/body.h"

static void motion2(const double *q, const double *u, const tn_frame2 *p, tn_frame2 *b, double *S) {
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

static void from_pose2(const double pose[3], double *q) { memcpy(q, pose, 2 * sizeof *q); }

static void motion3(const double *q, const double *u, tn_frame3 *b, double *S) {
  static const double axes[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memset(b, 0, sizeof *b);
  memcpy(b->r, q, sizeof b->r);
  tn_identity3(b->A);
  memcpy(b->v, u, sizeof b->v);
  memcpy(S, axes, sizeof axes);
}

static void from_pose3(const double r[3], const double A[9], double *q) {
  (void)A;
  memcpy(q, r, 3 * sizeof *q);
}

static const tn_coordinate coordinates2[] = {{"x", "vx", TN_LENGTH}, {"y", "vy", TN_LENGTH}, {NULL, NULL, TN_LENGTH}};
static const tn_coordinate coordinates3[] = {
    {"x", "vx", TN_LENGTH}, {"y", "vy", TN_LENGTH}, {"z", "vz", TN_LENGTH}, {NULL, NULL, TN_LENGTH}};

const tn_body_type tn_body_point = {
    .name = "point",
    .doc = "x, y (z) of a particle, without orientation",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'stone': { 'mass': 0.3, 'position': [0, 2], 'coordinates': 'point' } },\n"
               "'start': { 'stone.vx': 4, 'stone.vy': 3 },\n"
               "'outputs': { 'at': 'position(stone)' }",
    .example_space = "'gravity': [0, 0, -9.81],\n"
                     "'bodies': { 'stone': { 'mass': 0.3, 'position': [0, 0, 2], 'coordinates': 'point' } },\n"
                     "'start': { 'stone.vx': 4, 'stone.vy': 1, 'stone.vz': 3 },\n"
                     "'outputs': { 'at': 'position(stone)' }",
    .plane = {.n = 2, .coordinates = coordinates2, .motion = motion2, .from_pose = from_pose2},
    .space = {.nq = 3, .nu = 3, .coordinates = coordinates3, .motion = motion3, .from_pose = from_pose3},
};
