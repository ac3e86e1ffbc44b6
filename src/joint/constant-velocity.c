/* constant-velocity in space: shafts along z0 and z1 meet in a point and turn at the same rate at any angle.
 *   (1) C[0..2] = d                        rows in space.c
 *   (2) C[3] = x0'y1 - y0'x1 = -(1 + k) sin phi, phi and k as there: no twist beyond the smallest turn from z0 to z1, which
 *       is what frame 1 is turned by at the given pose. two dot rows, one less the other
 *   (3) at phi = 0 the row of (2) is (z0 + z1)'(w0 - w1) = 0: both rates are the same along the bisector of the shafts.
 *       it vanishes only for k = -1, a shaft folded back on itself */
#include "joint/joint.h"

static const tn_row3 list[] = {{TN_ROWS_POINT, 0, 0}, {TN_ROW_DOT, 0, 1}, {TN_ROW_DOT, 1, 0}, {TN_ROWS_END, 0, 0}};

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  double all[5];
  (void)self, (void)memory, (void)t;
  tn_rows3_position(list, f, all);
  memcpy(C, all, 4 * sizeof *C);
  C[3] -= all[4];
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) {
  double all[60];
  (void)self, (void)t;
  tn_rows3_on_twists(list, f, all);
  memcpy(J, all, 48 * sizeof *J);
  for (int i = 0; i < 12; i++) J[36 + i] -= all[48 + i];
}

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  double Call[5], all[5];
  (void)self, (void)t;
  tn_rows3_rates(list, f, Call, all);
  memcpy(Ct, Call, 4 * sizeof *Ct);
  memcpy(gamma, all, 4 * sizeof *gamma);
  gamma[3] -= all[4];
}

static bool stretch3(const void *self, const tn_frame3 *f, double *E) {
  double all[10];
  (void)self;
  tn_rows3_stretch(list, f, all);
  memcpy(E, all, 8 * sizeof *E);
  for (int k = 0; k < 2; k++) E[6 + k] -= all[8 + k];
  return true;
}

const tn_joint_type tn_joint_constant_velocity = {
    .name = "constant-velocity",
    .doc = "shafts along `axes`, the first fixed in the first body, the second in the second, meet in a point and turn "
           "at the "
           "same rate",
    .example =
        "'bodies': {\n"
        "  'input': { 'mass': 1, 'inertia': [0.01, 0.02, 0.02] },\n"
        "  'output': { 'mass': 1, 'inertia': [0.01, 0.02, 0.02], 'axis_angle': [[0, 1, 0], '30*deg'] }\n"
        "},\n"
        "'joints': {\n"
        "  'drive': { 'type': 'revolute', 'between': ['ground', 'input'], 'at': [0, 0, 0], 'axis': 'x' },\n"
        "  'cross': { 'type': 'constant-velocity', 'between': ['input', 'output'], 'at': [0, 0, 0], 'axes': ['x', "
        "['cos(30*deg)', 0, '-sin(30*deg)']] },\n"
        "  'bearing': { 'type': 'parallel', 'between': ['ground', 'output'], 'axes': [['cos(30*deg)', 0, "
        "'-sin(30*deg)'], ['cos(30*deg)', 0, '-sin(30*deg)']] }\n"
        "},\n"
        "'forces': { 'motor': { 'type': 'torque', 'on': 'drive.angle', 'value': 0.5 } },\n"
        "'outputs': { 'rate_in': 'input.w1', 'rate_out': 'output.w1' }",
    .symbol = TN_SYM_BALL,
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .space = {.there = true,
              .regular = tn_regular_axis,
              .frames = TN_AXES_PAIR,
              .rows = 4,
              .unit = {TN_LENGTH, TN_LENGTH, TN_LENGTH, TN_ANGLE},
              .axes = -1,
              .position = position3,
              .rows_on_twists = rows3,
              .rates = rates3,
              .stretch = stretch3},
};
