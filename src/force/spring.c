/* spring with damping, between two places or along a coordinate channel.
 *   (1) between: d = r1 - r0, l = |d|, e = d/l, ldot = e'(v1 - v0)
 *       N = k (l - l0) + c ldot pulls: w0 = (N e, 0), w1 = (-N e, 0);  V = k (l - l0)^2 / 2,  power -c ldot^2
 *   (2) channel: effort = -k (value - rest) - c rate;  V = k (value - rest)^2 / 2,  power -c rate^2
 * (1) holds in the plane and in space. at l = 0 the pull has no direction and is taken as zero */
#include "force/force.h"

typedef struct spring {
  double stiffness, length, rest, damping;
  double given; /* |d| in the initial configuration */
} spring;

static double distance3(const tn_frame3 *f, double d[3]) {
  tn_sub3(f[1].r, f[0].r, d);
  return tn_norm3(d);
}

static double distance(const tn_force_in *in) {
  double d[3];
  const tn_frame2 *f = in->f;
  return in->f3 ? distance3(in->f3, d) : hypot(f[1].r[0] - f[0].r[0], f[1].r[1] - f[0].r[1]);
}

static tn_status init(void *self, tn_context *ctx, const tn_force_in *in) {
  spring *p = self;
  if (in->how == TN_ON_CHANNEL) {
    if (!isnan(p->length)) return tn_context_fail(ctx, "length", "a spring on a channel takes `rest`, not `length`");
    if (isnan(p->rest)) p->rest = 0;
  } else {
    if (!isnan(p->rest)) return tn_context_fail(ctx, "rest", "a spring between places takes `length`, not `rest`");
    p->given = distance(in);
    if (isnan(p->length)) p->length = p->given;
  }
  return TN_OK;
}

/* energy and power; the pull, which is against the stretch */
static double pull(const spring *p, double stretch, double rate, tn_force_out *out) {
  out->energy = 0.5 * p->stiffness * stretch * stretch;
  out->dissipated = p->damping * rate * rate;
  out->power = -out->dissipated;
  return p->stiffness * stretch + p->damping * rate;
}

static void plane(const void *self, const tn_force_in *in, tn_force_out *out) {
  const spring *p = self;
  if (in->how == TN_ON_CHANNEL) {
    out->effort = -pull(p, in->value - p->rest, in->rate, out);
    return;
  }
  const tn_frame2 *f = in->f;
  const double dx = f[1].r[0] - f[0].r[0], dy = f[1].r[1] - f[0].r[1], l = hypot(dx, dy);
  const double ex = l > 0 ? dx / l : 0, ey = l > 0 ? dy / l : 0;
  const double rate = ex * (f[1].v[0] - f[0].v[0]) + ey * (f[1].v[1] - f[0].v[1]);
  const double N = pull(p, l - p->length, rate, out);
  out->w[0] = N * ex;
  out->w[1] = N * ey;
  out->w[3] = -N * ex;
  out->w[4] = -N * ey;
}

static void space(const void *self, const tn_force_in *in, tn_force_out *out) {
  const spring *p = self;
  if (in->how == TN_ON_CHANNEL) {
    out->effort = -pull(p, in->value - p->rest, in->rate, out);
    return;
  }
  const tn_frame3 *f = in->f3;
  double e[3], v[3];
  const double l = distance3(f, e);
  for (int i = 0; i < 3; i++) e[i] = l > 0 ? e[i] / l : 0;
  tn_sub3(f[1].v, f[0].v, v);
  const double N = pull(p, l - p->length, tn_dot3(e, v), out);
  tn_axpy3(N, e, out->w);
  tn_axpy3(-N, e, out->w + 6);
}

/* the pull has no direction at l = 0 */
static double regular(const void *self, const tn_force_in *in) {
  const spring *p = self;
  if (in->how == TN_ON_CHANNEL) return 1;
  const double l = distance(in), size = fmax(p->length, p->given);
  return size > 0 ? fmin(1, l / size) : l > 0;
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
    .example_space = "'gravity': [0, 0, -9.81],\n"
                     "'bodies': { 'bob': { 'mass': 1, 'position': [0, 0, -1], 'coordinates': 'point' } },\n"
                     "'forces': { 'spring': { 'type': 'spring', 'between': ['ground', 'bob'], 'at': [[0, 0, 0]], "
                     "'stiffness': 100, 'damping': 0.5 } },\n"
                     "'start': { 'bob.vx': 2, 'bob.vy': 0.5 },\n"
                     "'outputs': { 'at': 'position(bob)', 'stored': 'spring.energy' }",
    .takes = TN_ON_CHANNEL | TN_BETWEEN,
    .size = sizeof(spring),
    .fields = fields,
    .init = init,
    .plane = plane,
    .space = space,
    .stretch = true,
    .regular = regular,
};
