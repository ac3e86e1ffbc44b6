/* friction along a coordinate channel: viscous, dry with a limit that is given, and dry with one that goes with the load of the joint.
 *   (1) effort = -viscous rate - (coulomb + mu R N) tanh(rate/speed);  power = -dissipated = effort rate <= 0
 *   (2) N = |reaction force of the joint|;  R = radius on an angle, 1 on a shift
 * N depends on the effort through the multipliers: simulate/loads.c finds the two together. tanh stands for the jump of dry friction at
 * rest: what should stick creeps, at F/limit `speed` under a small push F */
#include "force/force.h"

typedef struct friction {
  double viscous, coulomb, mu, radius, speed;
} friction;

static tn_status init(void *self, tn_context *ctx, const tn_force_in *in) {
  friction *p = self;
  const bool angle = in->unit == TN_ANGLE, given = !isnan(p->radius);
  if (!(p->viscous > 0 || p->coulomb > 0 || p->mu > 0))
    return tn_context_fail(ctx, NULL, "it needs one of `viscous`, `coulomb` and `mu`");
  if (given && !angle)
    return tn_context_fail(ctx, "radius", "`radius` belongs to an angle: `mu` alone is the friction of a shift");
  if (given && !(p->mu > 0)) return tn_context_fail(ctx, "radius", "`radius` goes with `mu`: the load has this arm");
  if (p->mu > 0 && angle && !given)
    return tn_context_fail(ctx, NULL, "`radius` is missing: the arm of the friction `mu` times the load");
  if (!angle) p->radius = 1;
  return TN_OK;
}

static bool loaded(const void *self) { return ((const friction *)self)->mu > 0; }

static void act(const void *self, const tn_force_in *in, tn_force_out *out) {
  const friction *p = self;
  double limit = p->coulomb;
  if (p->mu > 0) limit += p->mu * p->radius * in->load;
  out->effort = -p->viscous * in->rate - limit * tanh(in->rate / p->speed);
  out->power = out->effort * in->rate;
  out->dissipated = -out->power;
}

static const tn_field fields[] = {
    {.key = "viscous",
     .unit = "N s/m or N m s/rad",
     .doc = "in proportion to the rate",
     .offset = offsetof(friction, viscous),
     .hi = INFINITY},
    {.key = "coulomb",
     .unit = "N or N m",
     .doc = "limit of dry friction, whatever the load",
     .offset = offsetof(friction, coulomb),
     .hi = INFINITY},
    {.key = "mu",
     .doc = "on a joint's channel: dry friction of mu times the force in the joint, on an angle at the arm `radius`",
     .offset = offsetof(friction, mu),
     .hi = INFINITY},
    {.key = "radius",
     .unit = "m",
     .doc = "arm of that friction; on an angle, with `mu`",
     .offset = offsetof(friction, radius),
     .dflt = NAN,
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "speed",
     .unit = "m/s or rad/s",
     .doc = "of smoothing: dry friction is its limit times tanh(rate/speed); 0.01 if left out",
     .offset = offsetof(friction, speed),
     .dflt = 0.01,
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = NULL}};

const tn_force_type tn_force_friction = {
    .name = "friction",
    .doc = "viscous and dry friction along a coordinate channel, of a limit or of the load of the joint",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'bob': { 'mass': 2, 'inertia': 0.05, 'position': [0.5, 0] } },\n"
               "'joints': { 'pin': { 'type': 'revolute', 'between': ['ground', 'bob'], 'at': [0, 0] } },\n"
               "'forces': { 'rubs': { 'type': 'friction', 'on': 'pin.angle', 'viscous': 0.01, 'mu': 0.3, 'radius': "
               "0.02 } },\n"
               "'outputs': { 'angle': 'pin.angle', 'friction': 'rubs.load', 'lost': 'energy.dissipated' },\n"
               "'run': { 'until': 2 }",
    .example_space = "'gravity': [0, 0, -9.81],\n"
                     "'bodies': { 'sled': { 'mass': 2, 'inertia': [0.1, 0.1, 0.1] } },\n"
                     "'joints': { 'slope': { 'type': 'prismatic', 'between': ['ground', 'sled'], 'at': [0, 0, 0], "
                     "'axis': [1, 0, -1] } },\n"
                     "'forces': { 'rubs': { 'type': 'friction', 'on': 'slope.shift', 'mu': 0.2, 'coulomb': 0.5 } },\n"
                     "'outputs': { 'way': 'slope.shift', 'friction': 'rubs.load', 'lost': 'energy.dissipated' }",
    .takes = TN_ON_CHANNEL,
    .size = sizeof(friction),
    .fields = fields,
    .init = init,
    .loaded = loaded,
    .plane = act,
    .space = act,
};
