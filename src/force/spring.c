/* spring with damping, between two places or along a coordinate channel.
 *   (1) between: d = r1 - r0, l = |d|, e = d/l, ldot = e'(v1 - v0)
 *       N = k (l - l0) + c ldot pulls: w0 = (N e, 0), w1 = (-N e, 0);  V = k (l - l0)^2 / 2,  power -c ldot^2
 *   (2) channel: effort = -k (value - rest) - c rate;  V = k (value - rest)^2 / 2,  power -c rate^2
 * at l = 0 the pull has no direction and is taken as zero */
#include "force/force.h"

typedef struct spring {
  double stiffness, length, rest, damping;
} spring;

static tn_status init(void *self, tn_context *ctx, int how, const tn_frame2 *f) {
  spring *p = self;
  if (how == TN_ON_CHANNEL) {
    if (!isnan(p->length)) return tn_context_fail(ctx, "length", "a spring on a channel takes `rest`, not `length`");
    if (isnan(p->rest)) p->rest = 0;
  } else {
    if (!isnan(p->rest)) return tn_context_fail(ctx, "rest", "a spring between places takes `length`, not `rest`");
    if (isnan(p->length)) p->length = hypot(f[1].r[0] - f[0].r[0], f[1].r[1] - f[0].r[1]);
  }
  return TN_OK;
}

static void plane(const void *self, const tn_force_in *in, tn_force_out *out) {
  const spring *p = self;
  double stretch, rate;
  if (in->how == TN_ON_CHANNEL) {
    stretch = in->value - p->rest;
    rate = in->rate;
    out->effort = -p->stiffness * stretch - p->damping * rate;
  } else {
    const tn_frame2 *f = in->f;
    const double dx = f[1].r[0] - f[0].r[0], dy = f[1].r[1] - f[0].r[1], l = hypot(dx, dy);
    const double ex = l > 0 ? dx / l : 0, ey = l > 0 ? dy / l : 0;
    stretch = l - p->length;
    rate = ex * (f[1].v[0] - f[0].v[0]) + ey * (f[1].v[1] - f[0].v[1]);
    const double N = p->stiffness * stretch + p->damping * rate;
    out->w[0] = N * ex;
    out->w[1] = N * ey;
    out->w[3] = -N * ex;
    out->w[4] = -N * ey;
  }
  out->energy = 0.5 * p->stiffness * stretch * stretch;
  out->dissipated = p->damping * rate * rate;
  out->power = -out->dissipated;
}

static const tn_field fields[] = {{.key = "stiffness",
                                   .unit = "N/m or N m/rad",
                                   .doc = "stiffness; 0 for a damper alone",
                                   .offset = offsetof(spring, stiffness),
                                   .hi = INFINITY,
                                   .required = true},
                                  {.key = "length",
                                   .unit = "m",
                                   .doc = "length at rest, between places; that of the given pose if left out",
                                   .offset = offsetof(spring, length),
                                   .dflt = NAN,
                                   .hi = INFINITY},
                                  {.key = "rest",
                                   .unit = "m or rad",
                                   .doc = "value at rest, on a channel; 0 if left out",
                                   .offset = offsetof(spring, rest),
                                   .dflt = NAN},
                                  {.key = "damping",
                                   .unit = "N s/m or N m s/rad",
                                   .doc = "viscous damping",
                                   .offset = offsetof(spring, damping),
                                   .hi = INFINITY},
                                  {.key = NULL}};

const tn_force_type tn_force_spring = {
    .name = "spring",
    .doc = "a spring with damping between two places, or along a coordinate channel",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'bob': { 'mass': 1, 'position': [0, -1], 'coordinates': 'point' } },\n"
               "'forces': { 'spring': { 'type': 'spring', 'between': ['ground', 'bob'], 'at': [[0, 0]], 'stiffness': "
               "100, 'damping': 0.5 } },\n"
               "'outputs': { 'y': 'bob.y', 'stored': 'spring.energy' }",
    .takes = TN_ON_CHANNEL | TN_BETWEEN,
    .size = sizeof(spring),
    .fields = fields,
    .init = init,
    .plane = plane,
};
