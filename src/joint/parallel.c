/* parallel in space: a direction fixed in the second body stays parallel to one fixed in the first. rows in space.c
 *   (1) C = x0'z1, y0'z1 */
#include "joint/joint.h"

static const tn_row3 list[] = {{TN_ROW_DOT, 0, 2}, {TN_ROW_DOT, 1, 2}, {TN_ROWS_END, 0, 0}};

const tn_joint_type tn_joint_parallel = {
    .name = "parallel",
    .doc = "the first of `axes`, fixed in the first body, stays parallel to the second, fixed in the second",
    .example = "'bodies': { 'mast': { 'mass': 2, 'inertia': [0.5, 0.5, 0.1] } },\n"
               "'joints': { 'upright': { 'type': 'parallel', 'between': ['ground', 'mast'], 'axes': ['z', 'z'] } },\n"
               "'forces': { 'wind': { 'type': 'force', 'on': 'mast', 'on_body': [0, 0.1, 1], 'value': [1, 0, 0] } },\n"
               "'outputs': { 'place': 'position(mast)', 'spin': 'mast.wz', 'moment': 'upright.ty' }",
    .seat = TN_SEAT_NOWHERE,
    .oriented = 3,
    .space = {.there = true,
              .frames = TN_AXES_PAIR,
              .parallel = true,
              .list = list,
              .rows = 2,
              .unit = {TN_ANGLE, TN_ANGLE},
              .axes = -1},
};
