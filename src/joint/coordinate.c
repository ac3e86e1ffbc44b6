/* coordinate: a linear combination of coordinate channels is fixed or a function of time,
 * C = sum coefficient channel - f(t). the assembler forms the row, see joint rows on channels in assemble/rows.c */
#include "joint/joint.h"

typedef struct coordinate {
  const tn_expr *value;
} coordinate;

static const tn_expr *value(const void *self) { return ((const coordinate *)self)->value; }

static const tn_field fields[] = {
    {"terms", "", "coefficient of each coordinate channel in the sum", TN_TERMS, 1, 0, NAN, 0, 0, true, NULL},
    {"value", "m or rad", "what the sum equals: a number or a function of t", TN_TIME, 1, offsetof(coordinate, value),
     NAN, 0, 0, true, NULL},
    {.key = NULL}};

const tn_joint_type tn_joint_coordinate = {
    .name = "coordinate",
    .doc = "a linear combination of coordinates is fixed or follows a function of time",
    .seat = TN_SEAT_CHANNELS,
    .size = sizeof(coordinate),
    .fields = fields,
    .value = value,
    .plane = {.rows = 1, .unit = {TN_LENGTH}, .axes = -1},
};
