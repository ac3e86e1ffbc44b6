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

static const tn_field fields[] = {{"value", "N m", "the torque (on a shift: the force), a running expression",
                                   TN_RUNNING, 1, offsetof(torque, value), NAN, 0, 0, true, NULL},
                                  {.key = NULL}};

const tn_force_type tn_force_torque = {
    .name = "torque",
    .doc = "a torque on a body, or an effort along a coordinate channel",
    .takes = TN_ON_BODY | TN_ON_CHANNEL,
    .size = sizeof(torque),
    .fields = fields,
    .plane = plane,
};
