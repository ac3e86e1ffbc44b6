/* driver: one coordinate channel as a function of time, C = channel - f(t). the assembler forms the row, see joint rows on
 * channels in assemble/rows.c */
#include "joint/joint.h"

typedef struct driver {
  const tn_expr *value;
} driver;

static const tn_expr *value(const void *self) { return ((const driver *)self)->value; }

static const tn_field fields[] = {
    {.key = "on", .doc = "the coordinate channel that is driven", .kind = TN_CHANNEL, .required = true},
    {.key = "value",
     .unit = "m or rad",
     .doc = "its value: a number or a function of t",
     .kind = TN_TIME,
     .offset = offsetof(driver, value),
     .required = true},
    {.key = NULL}};

const tn_joint_type tn_joint_driver = {
    .name = "driver",
    .doc = "a coordinate follows a function of time",
    .example = "'bodies': { 'crank': { 'rod': [[0, 0], [0.1, 0]], 'mass': 0.5 } },\n"
               "'joints': {\n"
               "  'main': { 'type': 'revolute', 'between': ['ground', 'crank'], 'at': [0, 0] },\n"
               "  'motor': { 'type': 'driver', 'on': 'main.angle', 'value': '2*sin(3*t)' }\n"
               "},\n"
               "'outputs': { 'torque': 'motor.load', 'power': 'motor.power' }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'crank': { 'mass': 0.5, 'inertia': [0.0001, 0.0005, 0.0005], 'position': [0.05, 0, 0] } },\n"
        "'joints': {\n"
        "  'main': { 'type': 'revolute', 'between': ['ground', 'crank'], 'at': [0, 0, 0], 'axis': 'y' },\n"
        "  'motor': { 'type': 'driver', 'on': 'main.angle', 'value': '1 - cos(3*t)' }\n"
        "},\n"
        "'outputs': { 'torque': 'motor.load', 'power': 'motor.power' }",
    .seat = TN_SEAT_CHANNELS,
    .size = sizeof(driver),
    .fields = fields,
    .value = value,
    .plane = {.there = true, .rows = 1, .unit = {TN_LENGTH}, .axes = -1},
    .space = {.there = true, .rows = 1, .unit = {TN_LENGTH}, .axes = -1},
};
