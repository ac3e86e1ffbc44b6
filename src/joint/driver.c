/* driver: one coordinate channel as a function of time, C = channel - f(t). the assembler forms the row, see joint rows on
 * channels in assemble/rows.c */
#include "joint/joint.h"

typedef struct driver {
  const tn_expr *value;
} driver;

static const tn_expr *value(const void *self) { return ((const driver *)self)->value; }

static const tn_field fields[] = {
    {"on", "", "the coordinate channel that is driven", TN_CHANNEL_OF, 1, 0, NAN, 0, 0, true, NULL},
    {"value", "m or rad", "its value: a number or a function of t", TN_TIME, 1, offsetof(driver, value), NAN, 0, 0,
     true, NULL},
    {.key = NULL}};

const tn_joint_type tn_joint_driver = {
    .name = "driver",
    .doc = "a coordinate follows a function of time",
    .seat = TN_SEAT_CHANNELS,
    .size = sizeof(driver),
    .fields = fields,
    .value = value,
    .plane = {.rows = 1, .unit = {TN_LENGTH}, .axes = -1},
};
