/* revolute in the plane: a point in common.
 *   (1) C = d
 *   (2) rows on twists [v0 w0 v1 w1]: [-1 0 1 0];  gamma = 0
 *   (3) coordinate angle = angle1 - angle0; row [0 -1 0 1], gamma 0
 *   (4) motion: d = 0, S = [0 0 1]; (2) times (4) = 0
 * in space: a point and the axis z in common. rows and the angle in space.c
 *   (5) C = d, x0'z1, y0'z1
 *   (6) coordinate angle: (4) there, with its turns
 *   (7) motion: d = 0, A = Rz(angle), S = [0 z0]; (5) times (7): x0'(z0 x z1) = 0 at z0 = z1 */
#include "joint/joint.h"

static void position(const void *self, double t, const tn_frame2 *f, double *C) {
  (void)self, (void)t;
  C[0] = f[1].r[0] - f[0].r[0];
  C[1] = f[1].r[1] - f[0].r[1];
}

static void rows(const void *self, double t, const tn_frame2 *f, double *J) {
  (void)self, (void)t, (void)f;
  memset(J, 0, 12 * sizeof *J);
  J[0] = J[7] = -1;
  J[3] = J[10] = 1;
}

static void rates(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  (void)self, (void)t, (void)f;
  Ct[0] = Ct[1] = gamma[0] = gamma[1] = 0;
}

static void measure(const void *self, const tn_frame2 *f, double *value, double *J, double *gamma) {
  (void)self;
  value[0] = f[1].angle - f[0].angle;
  tn_angle_row(J);
  gamma[0] = 0;
}

static void motion(const void *self, const double *q, double d[2], double *angle, double *S) {
  (void)self;
  d[0] = d[1] = 0;
  *angle = q[0];
  S[0] = S[1] = 0;
  S[2] = 1;
}

static const tn_row3 list[] = {{TN_ROWS_POINT, 0, 0}, {TN_ROW_DOT, 0, 2}, {TN_ROW_DOT, 1, 2}, {TN_ROWS_END, 0, 0}};

static void measure3(const void *self, const double *memory, const tn_frame3 *f, double *value, double *J,
                     double *gamma) {
  (void)self;
  value[0] = tn_unwrap(tn_angle3(f), memory[0]);
  tn_angle3_row(f, J);
  gamma[0] = tn_angle3_gamma(f);
}

static void motion3(const void *self, const double *q, const double *u, tn_motion3 *m) {
  (void)self, (void)u;
  tn_motion3_none(m);
  tn_motion3_turn(m, q[0]);
  m->S[5] = 1;
}

static const tn_coordinate coordinates[] = {{"angle", "rate", TN_ANGLE}, {NULL, NULL, TN_ANGLE}};

const tn_joint_type tn_joint_revolute = {
    .name = "revolute",
    .doc = "a pin: a point in common; in space a hinge, with the line along `axis` in common",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'arm': { 'rod': [[0, 0], [1, 0]], 'mass': 2 } },\n"
               "'joints': { 'pin': { 'type': 'revolute', 'between': ['ground', 'arm'], 'at': [0, 0] } },\n"
               "'outputs': { 'angle': 'pin.angle', 'load': 'norm(force(pin))' }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'flap': { 'mass': 2, 'inertia': [0.01, 0.17, 0.17], 'position': [0.5, 0, 0] } },\n"
        "'joints': { 'hinge': { 'type': 'revolute', 'between': ['ground', 'flap'], 'at': [0, 0, 0], 'axis': 'y' } },\n"
        "'outputs': { 'angle': 'hinge.angle', 'load': 'norm(force(hinge))' }",
    .symbol = TN_SYM_PIN,
    .seat = TN_SEAT_SHARED,
    .coordinates = coordinates,
    .plane = {.there = true,
              .pin = true,
              .turns = true,
              .rows = 2,
              .unit = {TN_LENGTH, TN_LENGTH},
              .axes = 1,
              .position = position,
              .rows_on_twists = rows,
              .rates = rates,
              .measure = measure,
              .motion = motion},
    .space = {.side = tn_side_axis,
              .regular = tn_regular_axis,
              .oriented = 3,
              .there = true,
              .frames = TN_AXES_AXIS,
              .list = list,
              .rows = 5,
              .unit = {TN_LENGTH, TN_LENGTH, TN_LENGTH, TN_ANGLE, TN_ANGLE},
              .axes = 1,
              .memory = 1,
              .measure = measure3,
              .motion = motion3,
              .accept = tn_angle3_accept},
};
