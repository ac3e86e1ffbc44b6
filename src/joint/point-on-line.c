/* point-on-line: a point of the second body stays on a line fixed in the first.
 *   (1) plane: C = n'd          row and gamma in line.c
 *   (2) space: C = x0'd, y0'd   z along the line; rows in space.c */
#include "joint/joint.h"

static void position(const void *self, double t, const tn_frame2 *f, double *C) {
  (void)self, (void)t;
  C[0] = tn_line_position(f);
}

static void rows(const void *self, double t, const tn_frame2 *f, double *J) {
  (void)self, (void)t;
  tn_line_row(f, J);
}

static void rates(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  (void)self, (void)t;
  Ct[0] = 0;
  gamma[0] = tn_line_gamma(f);
}

static const tn_row3 list[] = {{TN_ROW_ALONG, 0, 0}, {TN_ROW_ALONG, 1, 0}, {TN_ROWS_END, 0, 0}};

const tn_joint_type tn_joint_point_on_line = {
    .name = "point-on-line",
    .doc = "a point of the second body stays on the line along `axis` through the place, fixed in the first",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'ladder': { 'rod': [[0, 3], [1, 0]], 'mass': 10 } },\n"
               "'joints': {\n"
               "  'wall': { 'type': 'point-on-line', 'between': ['ground', 'ladder'], 'at': [0, 3], 'axis': 'y' },\n"
               "  'floor': { 'type': 'point-on-line', 'between': ['ground', 'ladder'], 'at': [1, 0], 'axis': 'x' }\n"
               "},\n"
               "'outputs': { 'wall': 'wall.fx', 'floor': 'floor.fy' },\n"
               "'run': { 'until': 0.5 }",
    .example_space = "'gravity': [0, 0, -9.81],\n"
                     "'bodies': { 'bead': { 'mass': 0.1, 'position': [0, 0, 2], 'coordinates': 'point' } },\n"
                     "'joints': { 'wire': { 'type': 'point-on-line', 'between': ['ground', 'bead'], 'at': 'bead', "
                     "'axis': [1, 2, -2] } },\n"
                     "'outputs': { 'place': 'position(bead)', 'load': 'norm(force(wire))' }",
    .symbol = TN_SYM_SLIDE,
    .seat = TN_SEAT_SHARED,
    .oriented = 1,
    .plane = {.there = true,
              .has_axis = true,
              .marks = tn_marks_roller2,
              .rows = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .position = position,
              .rows_on_twists = rows,
              .rates = rates},
    .space = {.there = true,
              .frames = TN_AXES_AXIS,
              .marks = tn_marks_roller3,
              .list = list,
              .rows = 2,
              .unit = {TN_LENGTH, TN_LENGTH},
              .axes = -1},
};
