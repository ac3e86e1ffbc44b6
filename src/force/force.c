/* force: a vector at a point of a body, its components running expressions in world or body axes.
 *   (1) w = (F, 0) at the point, F = value or A value;  power F'v */
#include "force/force.h"

typedef struct force {
  const tn_expr *value[2];
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

static const tn_field fields[] = {{.key = "value",
                                   .unit = "N",
                                   .doc = "components of the force, running expressions",
                                   .kind = TN_RUNNING,
                                   .n = 2,
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
    .takes = TN_ON_BODY | TN_AT_POINT,
    .size = sizeof(force),
    .fields = fields,
    .plane = plane,
};
