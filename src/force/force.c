/* force: a vector at a point of a body, its components running expressions in world or body axes.
 *   (1) w = (F, 0) at the point, F = value or A value;  power F'v. in the plane and in space */
#include "force/force.h"

typedef struct force {
  const tn_expr *value[3];
  int axes; /* 0 world, 1 body */
} force;

static void plane(const void *self, const tn_force_in *in, tn_force_out *out) {
  const force *p = self;
  const tn_frame2 *f = in->f;
  const double a = tn_running(in->system, p->value[0]), b = tn_running(in->system, p->value[1]);
  out->w[0] = p->axes ? f->c * a - f->s * b : a;
  out->w[1] = p->axes ? f->s * a + f->c * b : b;
  out->power = out->w[0] * f->v[0] + out->w[1] * f->v[1];
}

static void space(const void *self, const tn_force_in *in, tn_force_out *out) {
  const force *p = self;
  double value[3];
  for (int i = 0; i < 3; i++) value[i] = tn_running(in->system, p->value[i]);
  if (p->axes)
    tn_turn3(in->f3->A, value, out->w);
  else
    memcpy(out->w, value, sizeof value);
  out->power = tn_dot3(out->w, in->f3->v);
}

static const tn_field fields[] = {{.key = "value",
                                   .unit = "N",
                                   .doc = "components of the force, running expressions",
                                   .kind = TN_RUNNING,
                                   .offset = offsetof(force, value),
                                   .required = true},
                                  {.key = "axes",
                                   .doc = "whether they are along world or body axes",
                                   .kind = TN_WORD,
                                   .offset = offsetof(force, axes),
                                   .choices = "world body"},
                                  {.key = NULL}};

const tn_force_type tn_force_force = {
    .name = "force",
    .doc = "a force at a point of a body",
    .example = "'bodies': { 'sled': { 'mass': 5, 'inertia': 0.4 } },\n"
               "'forces': { 'push': { 'type': 'force', 'on': 'sled', 'on_body': [-0.5, 0.1], 'value': ['20*step(0.5 - "
               "t) - 2*vx', 0], 'axes': 'body' } },\n"
               "'outputs': { 'x': 'sled.x', 'angle': 'sled.angle' },\n"
               "'run': { 'until': 1 }",
    .example_space = "'gravity': [0, 0, -9.81],\n"
                     "'bodies': { 'rocket': { 'mass': 5, 'inertia': [2, 2, 0.1] } },\n"
                     "'forces': { 'thrust': { 'type': 'force', 'on': 'rocket', 'on_body': [0, 0, -1], 'value': "
                     "['0.5*sin(2*t)', 0.2, '80 - 5*t'], 'axes': 'body' } },\n"
                     "'outputs': { 'at': 'position(rocket)', 'nose': 'axis(rocket, z)' },\n"
                     "'run': { 'until': 3 }",
    .takes = TN_ON_BODY | TN_AT_POINT,
    .size = sizeof(force),
    .fields = fields,
    .plane = plane,
    .space = space,
    .stretch = true,
};
