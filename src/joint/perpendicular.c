/* perpendicular in space: a direction fixed in the second body stays perpendicular to one in the first. row in space.c
 *   (1) C = z0'z1 */
#include "joint/joint.h"

static const tn_row3 list[] = {{TN_ROW_DOT, 2, 2}, {TN_ROWS_END, 0, 0}};

const tn_joint_type tn_joint_perpendicular = {
    .name = "perpendicular",
    .doc = "the first of `axes`, fixed in the first body, stays perpendicular to the second, fixed in the second",
    .example =
        "'bodies': { 'mast': { 'mass': 2, 'inertia': [0.5, 0.5, 0.1] } },\n"
        "'joints': { 'sideways': { 'type': 'perpendicular', 'between': ['ground', 'mast'], 'axes': ['x', 'z'] } },\n"
        "'forces': { 'wind': { 'type': 'force', 'on': 'mast', 'on_body': [0, 0, 1], 'value': [1, 1, 0] } },\n"
        "'outputs': { 'mast': 'axis(mast, z)', 'moment': 'sideways.ty' }",
    .seat = TN_SEAT_NOWHERE,
    .oriented = 3,
    .space = {.there = true,
              .frames = TN_AXES_PAIR,
              .perpendicular = true,
              .list = list,
              .rows = 1,
              .unit = {TN_ANGLE},
              .axes = -1},
};
