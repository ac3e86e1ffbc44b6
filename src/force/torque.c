/* torque: on a body from the ground, or along a coordinate channel (a joint's: on the second body, opposite on the first).
 *   (1) on a body: w = (0, 0, value), power value w
 *   (2) on a channel: effort = value, power value rate */
#include "force/force.h"

typedef struct torque {
  const tn_expr *value;
} torque;

static void plane(const void *self, const tn_force_in *in, tn_force_out *out) {
  const double value = tn_running(in->system, ((const torque *)self)->value);
  if (in->how == TN_ON_CHANNEL) {
    out->effort = value;
    out->power = value * in->rate;
  } else {
    out->w[2] = value;
    out->power = value * in->f->w;
  }
}

static const tn_field fields[] = {{.key = "value",
                                   .unit = "N m",
                                   .doc = "the torque (on a shift: the force), a running expression",
                                   .kind = TN_RUNNING,
                                   .n = 1,
                                   .offset = offsetof(torque, value),
                                   .required = true},
                                  {.key = NULL}};

const tn_force_type tn_force_torque = {
    .name = "torque",
    .doc = "a torque on a body, or an effort along a coordinate channel",
    .example = "'bodies': { 'wheel': { 'mass': 2, 'inertia': 0.1 } },\n"
               "'joints': { 'axle': { 'type': 'revolute', 'between': ['ground', 'wheel'], 'at': [0, 0] } },\n"
               "'forces': { 'motor': { 'type': 'torque', 'on': 'axle.angle', 'value': '3 - 0.2*rate' } },\n"
               "'outputs': { 'speed': 'axle.rate', 'power': 'motor.power' }",
    .takes = TN_ON_BODY | TN_ON_CHANNEL,
    .size = sizeof(torque),
    .fields = fields,
    .plane = plane,
};
