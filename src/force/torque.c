/* torque: on a body from the ground, or along a coordinate channel (a joint's: on the second body, opposite on the first).
 *   (1) on a body in the plane: w = (0, 0, value), power value w
 *   (2) on a body in space: w = (0, T), T = value e, e = about or A about;  power T'w
 *       on a body that stretches (tn_frame3) T works on (1 + stretch) w, Gbar edot of its Euler parameters, in either axes
 *   (3) on a channel: effort = value, power value rate */
#include "force/force.h"

typedef struct torque {
  const tn_expr *value;
  double about[3]; /* of length 1; 0: not given */
  int axes;        /* 0 world, 1 body           */
} torque;

static tn_status init(void *self, tn_context *ctx, const tn_force_in *in) {
  const torque *p = self;
  const bool about = tn_dot3(p->about, p->about) > 0;
  if (in->how == TN_ON_CHANNEL) {
    if (about) return tn_context_fail(ctx, "about", "a torque on a channel acts along it: it takes no `about`");
    if (p->axes) return tn_context_fail(ctx, "axes", "a torque on a channel acts along it: it takes no `axes`");
  } else if (in->f3 && !about) {
    return tn_context_fail(ctx, NULL, "`about` is missing: the direction of a torque on a body");
  }
  return TN_OK;
}

static void on_channel(const tn_force_in *in, double value, tn_force_out *out) {
  out->effort = value;
  out->power = value * in->rate;
}

static void plane(const void *self, const tn_force_in *in, tn_force_out *out) {
  const double value = tn_running(in->system, ((const torque *)self)->value);
  if (in->how == TN_ON_CHANNEL) {
    on_channel(in, value, out);
  } else {
    out->w[2] = value;
    out->power = value * in->f->w;
  }
}

static void space(const void *self, const tn_force_in *in, tn_force_out *out) {
  const torque *p = self;
  const double value = tn_running(in->system, p->value);
  if (in->how == TN_ON_CHANNEL) {
    on_channel(in, value, out);
    return;
  }
  double e[3];
  if (p->axes)
    tn_turn3(in->f3->A, p->about, e);
  else
    for (int i = 0; i < 3; i++) e[i] = (1 + in->f3->stretch) * p->about[i];
  for (int i = 0; i < 3; i++) out->w[3 + i] = value * e[i];
  out->power = tn_dot3(out->w + 3, in->f3->w);
}

static const tn_field fields[] = {{.key = "value",
                                   .unit = "N m",
                                   .doc = "the torque (on a shift: the force), a running expression",
                                   .kind = TN_RUNNING,
                                   .n = 1,
                                   .offset = offsetof(torque, value),
                                   .required = true},
                                  {.key = NULL}};

static const tn_field fields_space[] = {{.key = "about",
                                         .doc = "direction of the torque on a body, right hand",
                                         .kind = TN_DIRECTION,
                                         .offset = offsetof(torque, about)},
                                        {.key = "axes",
                                         .doc = "whether `about` is along world or body axes",
                                         .kind = TN_WORD,
                                         .offset = offsetof(torque, axes),
                                         .choices = "world body"},
                                        {.key = NULL}};

const tn_force_type tn_force_torque = {
    .name = "torque",
    .doc = "a torque on a body, or an effort along a coordinate channel",
    .example = "'bodies': { 'wheel': { 'mass': 2, 'inertia': 0.1 } },\n"
               "'joints': { 'axle': { 'type': 'revolute', 'between': ['ground', 'wheel'], 'at': [0, 0] } },\n"
               "'forces': { 'motor': { 'type': 'torque', 'on': 'axle.angle', 'value': '3 - 0.2*rate' } },\n"
               "'outputs': { 'speed': 'axle.rate', 'power': 'motor.power' }",
    .example_space = "'bodies': { 'rotor': { 'mass': 2, 'inertia': [0.012, 0.012, 0.02] } },\n"
                     "'forces': { 'tilt': { 'type': 'torque', 'on': 'rotor', 'about': 'x', 'value': '0.5*sin(t)' } },\n"
                     "'start': { 'rotor.wz': 50 },\n"
                     "'outputs': { 'axle': 'axis(rotor, z)', 'power': 'tilt.power' },\n"
                     "'run': { 'until': 3 }",
    .takes = TN_ON_BODY | TN_ON_CHANNEL,
    .size = sizeof(torque),
    .fields = fields,
    .fields_space = fields_space,
    .init = init,
    .plane = plane,
    .space = space,
    .stretch = true,
};
