/* weld in the plane: no motion between the two.
 *   (1) C = (d, angle1 - angle0)
 *   (2) rows on twists [v0 w0 v1 w1]: [-1 0 1 0], [0 -1 0 1];  gamma = 0 */
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
    .seat = TN_SEAT_SHARED,
    .at_second = true,
    .oriented = 3,
    .plane = {.rows = 3,
              .unit = {TN_LENGTH, TN_LENGTH, TN_ANGLE},
              .axes = 0,
              .position = position,
              .rows_on_twists = rows,
              .rates = rates,
              .motion = motion},
};
