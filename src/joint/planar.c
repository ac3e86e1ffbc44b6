/* planar in space: point 1 stays in the plane of x0, y0, and the body turns about its normal z0 only. rows in space.c
 *   (1) C = z0'd, x0'z1, y0'z1
 *   (2) motion: d = (x + x00, y + y00, 0), (x00, y00) that of the given pose; A = Rz(angle); S = [x0 0], [y0 0], [0 z0] */
#include "joint/joint.h"

typedef struct planar {
  double d0[3];
} planar;

static const tn_row3 list[] = {{TN_ROW_ALONG, 2, 0}, {TN_ROW_DOT, 0, 2}, {TN_ROW_DOT, 1, 2}, {TN_ROWS_END, 0, 0}};

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  planar *j = self;
  double d[3];
  (void)ctx, (void)frames, (void)masses;
  tn_sub3(f[1].r, f[0].r, d);
  tn_unturn3(f[0].A, d, j->d0);
  return TN_OK;
}

static void motion3(const void *self, const double *q, const double *u, tn_motion3 *m) {
  const planar *j = self;
  (void)u;
  tn_motion3_none(m);
  tn_motion3_turn(m, q[2]);
  for (int i = 0; i < 2; i++) {
    m->d[i] = q[i] + j->d0[i];
    m->S[3 * i + i] = 1;
  }
  m->S[3 * 5 + 2] = 1;
}

static const tn_coordinate carried[] = {
    {"x", "vx", TN_LENGTH}, {"y", "vy", TN_LENGTH}, {"angle", "rate", TN_ANGLE}, {NULL, NULL, TN_ANGLE}};

const tn_joint_type tn_joint_planar = {
    .name = "planar",
    .doc = "face on face: the second body slides on and turns in the plane normal to `normal`, fixed in the first",
    .example = "'gravity': [0, 0, -9.81],\n"
               "'bodies': { 'puck': { 'mass': 0.2, 'inertia': [0.0001, 0.0001, 0.0002], 'axis_angle': [[0, 1, 0], "
               "'20*deg'] } },\n"
               "'joints': { 'table': { 'type': 'planar', 'between': ['ground', 'puck'], 'at': 'puck', 'normal': "
               "['sin(20*deg)', 0, 'cos(20*deg)'] } },\n"
               "'start': { 'puck.vy': 1, 'puck.w3': 5 },\n"
               "'outputs': { 'place': 'position(puck)', 'spin': 'puck.w3', 'load': 'norm(force(table))' }",
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .size = sizeof(planar),
    .space = {.side = tn_side_axis,
              .there = true,
              .frames = TN_AXES_NORMAL,
              .marks = tn_marks_floor3,
              .list = list,
              .rows = 3,
              .unit = {TN_LENGTH, TN_ANGLE, TN_ANGLE},
              .axes = 3,
              .carried = carried,
              .init = init3,
              .motion = motion3},
};
