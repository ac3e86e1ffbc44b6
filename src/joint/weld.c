/* weld in the plane: no motion between the two.
 *   (1) C = (d, angle1 - angle0)
 *   (2) rows on twists [v0 w0 v1 w1]: [-1 0 1 0], [0 -1 0 1];  gamma = 0
 * in space, rows in space.c
 *   (3) C = d, x0'y1, y0'z1, z0'x1: the last three are the small angles about z, x, y */
#include "joint/joint.h"

static void position(const void *self, double t, const tn_frame2 *f, double *C) {
  (void)self, (void)t;
  C[0] = f[1].r[0] - f[0].r[0];
  C[1] = f[1].r[1] - f[0].r[1];
  C[2] = f[1].angle - f[0].angle;
}

static void rows(const void *self, double t, const tn_frame2 *f, double *J) {
  (void)self, (void)t, (void)f;
  memset(J, 0, 18 * sizeof *J);
  for (int i = 0; i < 3; i++) {
    J[6 * i + i] = -1;
    J[6 * i + 3 + i] = 1;
  }
}

static void rates(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  (void)self, (void)t, (void)f;
  for (int i = 0; i < 3; i++) Ct[i] = gamma[i] = 0;
}

static void motion(const void *self, const double *q, double d[2], double *angle, double *S) {
  (void)self, (void)q, (void)S;
  d[0] = d[1] = *angle = 0;
}

static const tn_row3 list[] = {
    {TN_ROWS_POINT, 0, 0}, {TN_ROW_DOT, 0, 1}, {TN_ROW_DOT, 1, 2}, {TN_ROW_DOT, 2, 0}, {TN_ROWS_END, 0, 0}};

static void motion3(const void *self, const double *q, const double *u, tn_motion3 *m) {
  (void)self, (void)q, (void)u;
  tn_motion3_none(m);
}

const tn_joint_type tn_joint_weld = {
    .name = "weld",
    .doc = "no motion between the two",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'bar': { 'rod': [[0, 0], [1, 0]], 'mass': 2 }, 'tip': { 'rod': [[1, 0], [1, 0.5]], 'mass': "
               "1 } },\n"
               "'joints': {\n"
               "  'pin': { 'type': 'revolute', 'between': ['ground', 'bar'], 'at': [0, 0] },\n"
               "  'seam': { 'type': 'weld', 'between': ['bar', 'tip'], 'at': [1, 0] }\n"
               "},\n"
               "'outputs': { 'moment': 'seam.t' }",
    .example_space = "'gravity': [0, 0, -9.81],\n"
                     "'bodies': {\n"
                     "  'bar': { 'mass': 2, 'inertia': [0.01, 0.17, 0.17], 'position': [0.5, 0, 0] },\n"
                     "  'tip': { 'mass': 1, 'inertia': [0.02, 0.02, 0.005], 'position': [1, 0.25, 0] }\n"
                     "},\n"
                     "'joints': {\n"
                     "  'hinge': { 'type': 'revolute', 'between': ['ground', 'bar'], 'at': [0, 0, 0], 'axis': 'y' },\n"
                     "  'seam': { 'type': 'weld', 'between': ['bar', 'tip'], 'at': [1, 0, 0] }\n"
                     "},\n"
                     "'outputs': { 'twist': 'seam.tx', 'bend': 'seam.ty' }",
    .symbol = TN_SYM_WELD,
    .seat = TN_SEAT_SHARED,
    .at_second = true,
    .oriented = 3,
    .plane = {.there = true,
              .rows = 3,
              .unit = {TN_LENGTH, TN_LENGTH, TN_ANGLE},
              .axes = 0,
              .position = position,
              .rows_on_twists = rows,
              .rates = rates,
              .motion = motion},
    .space = {.side = tn_side_axes,
              .there = true,
              .list = list,
              .rows = 6,
              .unit = {TN_LENGTH, TN_LENGTH, TN_LENGTH, TN_ANGLE, TN_ANGLE, TN_ANGLE},
              .axes = 0,
              .motion = motion3},
};
