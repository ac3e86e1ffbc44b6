/* cylindrical in space: the axis z in common. rows and the angle in space.c
 *   (1) C = x0'd, y0'd, x0'z1, y0'z1
 *   (2) coordinates angle, with its turns, and shift = z0'd - shift0, shift0 that of the given pose
 *   (3) motion: d = (shift + shift0) z0, A = Rz(angle), S = [0 z0], [z0 0] */
#include "joint/joint.h"

typedef struct cylindrical {
  double shift0;
} cylindrical;

static const tn_row3 list[] = {
    {TN_ROW_ALONG, 0, 0}, {TN_ROW_ALONG, 1, 0}, {TN_ROW_DOT, 0, 2}, {TN_ROW_DOT, 1, 2}, {TN_ROWS_END, 0, 0}};

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  double z0[3];
  (void)ctx, (void)frames, (void)masses;
  tn_axis3(f[0].A, 2, z0);
  ((cylindrical *)self)->shift0 = tn_along3(f, z0);
  return TN_OK;
}

static void measure3(const void *self, const double *memory, const tn_frame3 *f, double *value, double *J,
                     double *gamma) {
  double z0[3];
  tn_unit_axis3(f, 2, z0);
  value[0] = tn_unwrap(tn_angle3(f), memory[0]);
  tn_angle3_row(f, J);
  gamma[0] = tn_angle3_gamma(f);
  value[1] = tn_along3(f, z0) - ((const cylindrical *)self)->shift0;
  tn_along3_row(f, z0, J + 12);
  gamma[1] = tn_along3_gamma(f, z0);
}

static void motion3(const void *self, const double *q, const double *u, tn_motion3 *m) {
  (void)u;
  tn_motion3_none(m);
  tn_motion3_turn(m, q[0]);
  m->d[2] = q[1] + ((const cylindrical *)self)->shift0;
  m->S[2 * 5] = 1;
  m->S[2 * 2 + 1] = 1;
}

static const tn_coordinate coordinates[] = {
    {"angle", "rate", TN_ANGLE}, {"shift", "speed", TN_LENGTH}, {NULL, NULL, TN_LENGTH}};

const tn_joint_type tn_joint_cylindrical = {
    .name = "cylindrical",
    .doc = "a sleeve on a shaft: the second body turns about and moves along `axis`, fixed in the first",
    .example = "'gravity': [0, 0, -9.81],\n"
               "'bodies': { 'sleeve': { 'mass': 1, 'inertia': [0.002, 0.002, 0.001], 'position': [0, 0, 2] } },\n"
               "'joints': { 'shaft': { 'type': 'cylindrical', 'between': ['ground', 'sleeve'], 'at': 'sleeve', 'axis': "
               "[0, 1, -1] } },\n"
               "'forces': { 'motor': { 'type': 'torque', 'on': 'shaft.angle', 'value': 0.01 } },\n"
               "'outputs': { 'angle': 'shaft.angle', 'way': 'shaft.shift' }",
    .symbol = TN_SYM_SLIDE,
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .coordinates = coordinates,
    .size = sizeof(cylindrical),
    .space = {.side = tn_side_axis,
              .regular = tn_regular_axis,
              .there = true,
              .frames = TN_AXES_AXIS,
              .marks = tn_marks_block3,
              .list = list,
              .rows = 4,
              .unit = {TN_LENGTH, TN_LENGTH, TN_ANGLE, TN_ANGLE},
              .axes = 2,
              .memory = 1,
              .init = init3,
              .measure = measure3,
              .motion = motion3,
              .accept = tn_angle3_accept},
};
