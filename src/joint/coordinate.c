/* coordinate: a linear combination of coordinate channels is fixed or a function of time,
 * C = sum coefficient channel - f(t). the assembler forms the row, see joint rows on channels in assemble/rows.c */
#include "joint/joint.h"

typedef struct coordinate {
  const tn_expr *value;
} coordinate;

static const tn_expr *value(const void *self) { return ((const coordinate *)self)->value; }

static const tn_field fields[] = {{.key = "terms",
                                   .doc = "coefficient of each coordinate channel in the sum",
                                   .kind = TN_OBJECT,
                                   .required = true,
                                   .inside = tn_fields_numbers},
                                  {.key = "value",
                                   .unit = "m or rad",
                                   .doc = "what the sum equals: a number or a function of t",
                                   .kind = TN_TIME,
                                   .offset = offsetof(coordinate, value),
                                   .required = true},
                                  {.key = NULL}};

const tn_joint_type tn_joint_coordinate = {
    .name = "coordinate",
    .doc = "a linear combination of coordinates is fixed or follows a function of time",
    .example = "'bodies': {\n"
               "  'small': { 'mass': 1, 'inertia': 0.02 },\n"
               "  'large': { 'mass': 4, 'inertia': 0.3, 'position': [0.3, 0] }\n"
               "},\n"
               "'joints': {\n"
               "  'axle1': { 'type': 'revolute', 'between': ['ground', 'small'], 'at': 'small' },\n"
               "  'axle2': { 'type': 'revolute', 'between': ['ground', 'large'], 'at': 'large' },\n"
               "  'mesh': { 'type': 'coordinate', 'terms': { 'axle1.angle': 1, 'axle2.angle': 2 }, 'value': 0 }\n"
               "},\n"
               "'start': { 'axle1.rate': 10 },\n"
               "'outputs': { 'slow': 'axle2.rate', 'torque': 'mesh.load' }",
    .example_space = "'bodies': {\n"
                     "  'small': { 'mass': 1, 'inertia': [0.01, 0.01, 0.02] },\n"
                     "  'large': { 'mass': 4, 'inertia': [0.15, 0.15, 0.3], 'position': [0.3, 0, 0] }\n"
                     "},\n"
                     "'joints': {\n"
                     "  'axle1': { 'type': 'revolute', 'between': ['ground', 'small'], 'at': 'small', 'axis': 'z' },\n"
                     "  'axle2': { 'type': 'revolute', 'between': ['ground', 'large'], 'at': 'large', 'axis': 'z' },\n"
                     "  'mesh': { 'type': 'coordinate', 'terms': { 'axle1.angle': 1, 'axle2.angle': 2 }, 'value': 0 }\n"
                     "},\n"
                     "'forces': { 'motor': { 'type': 'torque', 'on': 'axle1.angle', 'value': 1 } },\n"
                     "'outputs': { 'fast': 'axle1.rate', 'slow': 'axle2.rate', 'torque': 'mesh.load' }",
    .seat = TN_SEAT_CHANNELS,
    .size = sizeof(coordinate),
    .fields = fields,
    .value = value,
    .plane = {.there = true, .rows = 1, .unit = {TN_LENGTH}, .axes = -1},
    .space = {.there = true, .rows = 1, .unit = {TN_LENGTH}, .axes = -1},
};
