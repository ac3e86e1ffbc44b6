/* point-on-plane in space: a point of the second body stays in a plane fixed in the first, normal to z0. row in space.c
 *   (1) C = z0'd */
#include "joint/joint.h"

static const tn_row3 list[] = {{TN_ROW_ALONG, 2, 0}, {TN_ROWS_END, 0, 0}};

const tn_joint_type tn_joint_point_on_plane = {
    .name = "point-on-plane",
    .doc = "a point of the second body stays in the plane normal to `normal` through the place, fixed in the first",
    .example =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'ladder': { 'mass': 10, 'inertia': [8, 8, 0.1], 'position': [0.5, 0, 1.5], 'axis_angle': [[0, 1, "
        "0], '-atan(1/3)'] } },\n"
        "'joints': {\n"
        "  'wall': { 'type': 'point-on-line', 'between': ['ground', 'ladder'], 'at': [0, 0, 3], 'axis': 'z' },\n"
        "  'floor': { 'type': 'point-on-plane', 'between': ['ground', 'ladder'], 'at': [1, 0, 0], 'normal': 'z' }\n"
        "},\n"
        "'outputs': { 'wall': 'wall.fx', 'floor': 'floor.fz' },\n"
        "'run': { 'until': 0.5 }",
    .seat = TN_SEAT_SHARED,
    .oriented = 1,
    .space = {.there = true,
              .frames = TN_AXES_NORMAL,
              .marks = tn_marks_floor3,
              .list = list,
              .rows = 1,
              .unit = {TN_LENGTH},
              .axes = -1},
};
