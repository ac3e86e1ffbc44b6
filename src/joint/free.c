/* free: forbids nothing. in a tree it gives a body coordinates against another that it is not joined to.
 *   (1) plane: d = d0 + (x, y), angle, S = 1; d0 that of the given pose, in axes of frame 0
 *   (2) space: d = d0 + (x, y, z), A = A(e), S = 1 on u = (v of origin 1, w), against and in axes of frame 0; no bias */
#include "joint/joint.h"

typedef struct free_joint {
  double d0[3];
} free_joint;

static tn_status init(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  free_joint *j = self;
  const double c = f[0].c, s = f[0].s, dx = f[1].r[0] - f[0].r[0], dy = f[1].r[1] - f[0].r[1];
  (void)ctx, (void)frames, (void)masses;
  j->d0[0] = c * dx + s * dy;
  j->d0[1] = -s * dx + c * dy;
  return TN_OK;
}

static void position(const void *self, double t, const tn_frame2 *f, double *C) {
  (void)self, (void)t, (void)f, (void)C;
}

static void rows(const void *self, double t, const tn_frame2 *f, double *J) { (void)self, (void)t, (void)f, (void)J; }

static void rates(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  (void)self, (void)t, (void)f, (void)Ct, (void)gamma;
}

static void motion(const void *self, const double *q, double d[2], double *angle, double *S) {
  const free_joint *j = self;
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  d[0] = j->d0[0] + q[0];
  d[1] = j->d0[1] + q[1];
  *angle = q[2];
  memcpy(S, identity, sizeof identity);
}

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  free_joint *j = self;
  double d[3];
  (void)ctx, (void)frames, (void)masses;
  tn_sub3(f[1].r, f[0].r, d);
  tn_unturn3(f[0].A, d, j->d0);
  return TN_OK;
}

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  (void)self, (void)memory, (void)t, (void)f, (void)C;
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) { (void)self, (void)t, (void)f, (void)J; }

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  (void)self, (void)t, (void)f, (void)Ct, (void)gamma;
}

static void motion3(const void *self, const double *q, const double *u, tn_motion3 *m) {
  const free_joint *j = self;
  (void)u;
  tn_motion3_none(m);
  for (int i = 0; i < 3; i++) m->d[i] = j->d0[i] + q[i];
  tn_quaternion_rotation(q + 3, m->A);
  for (int i = 0; i < 6; i++) m->S[7 * i] = 1;
}

static const tn_coordinate carried[] = {
    {"x", "vx", TN_LENGTH}, {"y", "vy", TN_LENGTH}, {"angle", "rate", TN_ANGLE}, {NULL, NULL, TN_ANGLE}};

const tn_joint_type tn_joint_free = {
    .name = "free",
    .doc = "nothing is forbidden; with relative coordinates the second body has its own against the first",
    .example = "'coordinates': 'relative',\n"
               "'gravity': [0, -9.81],\n"
               "'bodies': { 'plate': { 'mass': 2, 'inertia': 0.05, 'position': [0, 1] } },\n"
               "'joints': { 'flight': { 'type': 'free', 'between': ['ground', 'plate'] } },\n"
               "'start': { 'plate.vx': 2, 'plate.rate': 5 },\n"
               "'outputs': { 'place': 'position(plate)', 'angle': 'plate.angle' }",
    .example_space = "'coordinates': 'relative',\n"
                     "'gravity': [0, 0, -9.81],\n"
                     "'bodies': { 'book': { 'mass': 1, 'inertia': [0.002, 0.005, 0.007], 'position': [0, 0, 1] } },\n"
                     "'joints': { 'flight': { 'type': 'free', 'between': ['ground', 'book'] } },\n"
                     "'start': { 'book.vx': 1, 'book.wy': 20, 'book.wx': 0.1 },\n"
                     "'outputs': { 'place': 'position(book)', 'spin': 'book.w2' }",
    .seat = TN_SEAT_SHARED,
    .at_second = true,
    .oriented = 3,
    .size = sizeof(free_joint),
    .plane = {.there = true,
              .axes = 3,
              .carried = carried,
              .init = init,
              .position = position,
              .rows_on_twists = rows,
              .rates = rates,
              .motion = motion},
    .space = {.there = true,
              .axes = 6,
              .chart = &tn_chart_pose,
              .init = init3,
              .position = position3,
              .rows_on_twists = rows3,
              .rates = rates3,
              .motion = motion3},
};
