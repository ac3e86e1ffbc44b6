/* spherical in space: a point in common. rows in space.c
 *   (1) C = d
 *   (2) motion: d = 0, A = A(e), S = [0 1] on u = w of frame 1 against frame 0, in axes of frame 0; no bias */
#include "joint/joint.h"

static const tn_row3 list[] = {{TN_ROWS_POINT, 0, 0}, {TN_ROWS_END, 0, 0}};

static void motion3(const void *self, const double *q, const double *u, tn_motion3 *m) {
  (void)self, (void)u;
  tn_motion3_none(m);
  tn_quaternion_rotation(q, m->A);
  m->S[9] = m->S[13] = m->S[17] = 1;
}

const tn_joint_type tn_joint_spherical = {
    .name = "spherical",
    .doc = "a ball joint: a point in common",
    .example = "'gravity': [0, 0, -9.81],\n"
               "'bodies': { 'top': { 'mass': 1, 'inertia': [0.002, 0.002, 0.003], 'center': [0, 0, 0.1], 'axis_angle': "
               "[[0, 1, 0], 0.4] } },\n"
               "'joints': { 'tip': { 'type': 'spherical', 'between': ['ground', 'top'], 'at': [0, 0, 0] } },\n"
               "'start': { 'top.w3': 100 },\n"
               "'outputs': { 'axis': 'axis(top, z)', 'load': 'norm(force(tip))' }",
    .symbol = TN_SYM_BALL,
    .seat = TN_SEAT_SHARED,
    .space = {.there = true,
              .list = list,
              .rows = 3,
              .unit = {TN_LENGTH, TN_LENGTH, TN_LENGTH},
              .axes = 3,
              .chart = &tn_chart_rotation,
              .motion = motion3},
};
