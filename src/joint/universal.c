/* universal in space: a point in common, and two axes that stay perpendicular: z0 fixed in the first, z1 in the second.
 *   (1) C = d, z0'z1          rows in space.c
 *   (2) at the given pose x0 = z1, x1 = -z0, y1 = y0. coordinates, with their turns
 *         angle1 = atan2(y0'z1, x0'z1)    z1 as seen in frame 0, turned about z0
 *         angle2 = atan2(y1'z0, -x1'z0)   z0 as seen in frame 1, turned back about z1
 *   (3) w = w1 - w0, k = z0'z1. off (1) the rates are the parts of w along the dual of z0, z1:
 *         rate1 = g1'w, g1 = (z0 - k z1)/(1 - k^2);  rate2 = g2'w, g2 = (z1 - k z0)/(1 - k^2);  rows [0 -g' 0 g']
 *   (4) z0dot'w = -z0'(w0 x w1), z1dot'w = -z1'(w0 x w1), kdot = (z1 x z0)'w, so
 *         gamma1 = -g1dot'w = g1'(w0 x w1) + kdot (z1'w - 2 k rate1)/(1 - k^2), gamma2 alike with z0'w and rate2
 *   (5) motion: A = Rz(angle1) A0 Rz(angle2), A0 = (2) at rest; w = z0 rate1 + z1 rate2, z1 = (cos, sin, 0) of angle1:
 *         S = [0 z0], [0 z1], bias [0 (z0 x z1) rate1 rate2] */
#include "joint/joint.h"

static const tn_row3 list[] = {{TN_ROWS_POINT, 0, 0}, {TN_ROW_DOT, 2, 2}, {TN_ROWS_END, 0, 0}};

/* (2), within half a turn */
static void angles(const tn_frame3 *f, double angle[2]) {
  double R[9];
  tn_t_product3(f[0].A, f[1].A, R);
  angle[0] = atan2(R[5], R[2]);
  angle[1] = atan2(R[7], -R[6]);
}

static void measure3(const void *self, const double *memory, const tn_frame3 *f, double *value, double *J,
                     double *gamma) {
  double z[2][3], w[3], g[3];
  (void)self;
  for (int i = 0; i < 2; i++) tn_unit_axis3(&f[i], 2, z[i]);
  tn_sub3(f[1].w, f[0].w, w);
  const double k = tn_dot3(z[0], z[1]), n = 1 - k * k, kdot = tn_triple3(w, z[1], z[0]);
  angles(f, value);
  for (int i = 0; i < 2; i++) {
    const double *own = z[i], *other = z[1 - i];
    for (int c = 0; c < 3; c++) g[c] = (own[c] - k * other[c]) / n;
    value[i] = tn_unwrap(value[i], memory[i]);
    tn_turn3_row(g, J + 12 * i);
    gamma[i] = tn_triple3(g, f[0].w, f[1].w) + kdot * (tn_dot3(other, w) - 2 * k * tn_dot3(g, w)) / n;
  }
}

static void accept3(const void *self, const tn_frame3 *f, double *memory) {
  double angle[2];
  (void)self;
  angles(f, angle);
  for (int i = 0; i < 2; i++) memory[i] = tn_unwrap(angle[i], memory[i]);
}

static void motion3(const void *self, const double *q, const double *u, tn_motion3 *m) {
  static const double z[3] = {0, 0, 1}, A0[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
  const double c = cos(q[0]), s = sin(q[0]);
  double R1[9], R2[9], B[9];
  (void)self;
  tn_motion3_none(m);
  tn_rotation_about3(z, q[0], R1);
  tn_rotation_about3(z, q[1], R2);
  tn_product3(A0, R2, B);
  tn_product3(R1, B, m->A);
  m->S[2 * 5] = 1;
  m->S[2 * 3 + 1] = c;
  m->S[2 * 4 + 1] = s;
  m->bias[3] = -s * u[0] * u[1];
  m->bias[4] = c * u[0] * u[1];
}

static const tn_coordinate coordinates[] = {
    {"angle1", "rate1", TN_ANGLE}, {"angle2", "rate2", TN_ANGLE}, {NULL, NULL, TN_ANGLE}};

const tn_joint_type tn_joint_universal = {
    .name = "universal",
    .doc = "a cardan joint: a point in common, the first of `axes`, fixed in the first body, stays perpendicular to "
           "the second, fixed in the second",
    .example = "'bodies': {\n"
               "  'input': { 'mass': 1, 'inertia': [0.01, 0.02, 0.02] },\n"
               "  'output': { 'mass': 1, 'inertia': [0.01, 0.02, 0.02], 'axis_angle': [[0, 1, 0], '30*deg'] }\n"
               "},\n"
               "'joints': {\n"
               "  'drive': { 'type': 'revolute', 'between': ['ground', 'input'], 'at': [0, 0, 0], 'axis': 'x' },\n"
               "  'cross': { 'type': 'universal', 'between': ['input', 'output'], 'at': [0, 0, 0], 'axes': ['y', "
               "['sin(30*deg)', 0, 'cos(30*deg)']] },\n"
               "  'bearing': { 'type': 'parallel', 'between': ['ground', 'output'], 'axes': [['cos(30*deg)', 0, "
               "'-sin(30*deg)'], ['cos(30*deg)', 0, '-sin(30*deg)']] }\n"
               "},\n"
               "'forces': { 'motor': { 'type': 'torque', 'on': 'drive.angle', 'value': 0.5 } },\n"
               "'outputs': { 'rate_in': 'input.w1', 'rate_out': 'output.w1', 'angle1': 'cross.angle1', 'angle2': "
               "'cross.angle2' }",
    .symbol = TN_SYM_BALL,
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .coordinates = coordinates,
    .space = {.there = true,
              .regular = tn_regular_across,
              .frames = TN_AXES_PAIR,
              .perpendicular = true,
              .list = list,
              .rows = 4,
              .unit = {TN_LENGTH, TN_LENGTH, TN_LENGTH, TN_ANGLE},
              .axes = 2,
              .memory = 2,
              .measure = measure3,
              .motion = motion3,
              .accept = accept3},
};
