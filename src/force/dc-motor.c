/* dc-motor: through a gear on a coordinate channel. n ratio, L inductance, R resistance, k_t and k_e the constants of torque and
 * back-emf, J and d inertia and viscous friction of the rotor (Hoang et al. 2023, 4-17):
 *   (1) L idot = U - R i - k_e n rate;  L = 0: i follows at every moment
 *   (2) effort = n k_t i - n^2 d rate;  n^2 J is added to the inertia of the coordinate
 *   (3) V = L i^2/2, heat = R i^2 + d (n rate)^2, power of the rest: U i - heat + (k_t - k_e) n i rate. the last is zero in a motor
 *       that makes no energy out of nothing */
#include "force/force.h"

static const double SAME_CONSTANT = 1e-3; /* of the larger: k_torque and k_emf of one motor differ by no more */

typedef struct motor {
  double ratio, rotor_inertia, rotor_damping, k_torque, k_emf, resistance, inductance;
  const tn_expr *voltage;
} motor;

enum { CURRENT, TORQUE, VOLTAGE, INPUT, HEAT };

static tn_status init(void *self, tn_context *ctx, const tn_force_in *in) {
  motor *p = self;
  (void)in;
  if (p->ratio == 0) return tn_context_fail(ctx, "ratio", "a ratio of 0 moves nothing");
  if (isnan(p->k_emf)) p->k_emf = p->k_torque;
  if (fabs(p->k_emf - p->k_torque) > SAME_CONSTANT * fmax(fabs(p->k_emf), fabs(p->k_torque)))
    tn_context_warn(
        ctx, "k_emf",
        "k_torque is %g N m/A and k_emf %g V s/rad: in one motor these are the same number, or energy comes "
        "out of nothing",
        p->k_torque, p->k_emf);
  return TN_OK;
}

static int states(const void *self) { return ((const motor *)self)->inductance > 0; }

static double inertia(const void *self) {
  const motor *p = self;
  return p->ratio * p->ratio * p->rotor_inertia;
}

static void eval(const void *self, const tn_force_in *in, tn_force_out *out) {
  const motor *p = self;
  const double n = p->ratio, U = tn_running(in->system, p->voltage), spin = n * in->rate;
  const double left = U - p->k_emf * spin, i = p->inductance > 0 ? in->state[0] : left / p->resistance;
  const double friction = p->rotor_damping * spin * spin;
  if (p->inductance > 0) out->state_rate[0] = (left - p->resistance * i) / p->inductance;
  out->effort = n * (p->k_torque * i - p->rotor_damping * spin);
  out->energy = 0.5 * p->inductance * i * i;
  out->dissipated = p->resistance * i * i + friction;
  out->power = U * i - out->dissipated + (p->k_torque - p->k_emf) * i * spin;
  out->signal[CURRENT] = i;
  out->signal[TORQUE] = out->effort;
  out->signal[VOLTAGE] = U;
  out->signal[INPUT] = U * i;
  out->signal[HEAT] = out->dissipated;
}

static const tn_field fields[] = {{.key = "voltage",
                                   .unit = "V",
                                   .doc = "a running expression",
                                   .kind = TN_RUNNING,
                                   .n = 1,
                                   .offset = offsetof(motor, voltage),
                                   .required = true},
                                  {.key = "k_torque",
                                   .unit = "N m/A",
                                   .doc = "torque of the rotor for a current",
                                   .offset = offsetof(motor, k_torque),
                                   .required = true},
                                  {.key = "k_emf",
                                   .unit = "V s/rad",
                                   .doc = "voltage against a turning rotor; `k_torque` if left out",
                                   .offset = offsetof(motor, k_emf),
                                   .dflt = NAN},
                                  {.key = "resistance",
                                   .unit = "ohm",
                                   .doc = "of the winding",
                                   .offset = offsetof(motor, resistance),
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY,
                                   .required = true},
                                  {.key = "inductance",
                                   .unit = "H",
                                   .doc = "of the winding; above 0 the current is a state",
                                   .offset = offsetof(motor, inductance),
                                   .hi = INFINITY},
                                  {.key = "ratio",
                                   .doc = "turns of the rotor for one of the coordinate",
                                   .offset = offsetof(motor, ratio),
                                   .dflt = 1},
                                  {.key = "rotor_inertia",
                                   .unit = "kg m^2",
                                   .doc = "ratio^2 times this is added to the inertia of the coordinate",
                                   .offset = offsetof(motor, rotor_inertia),
                                   .hi = INFINITY},
                                  {.key = "rotor_damping",
                                   .unit = "N m s/rad",
                                   .doc = "viscous friction of the rotor",
                                   .offset = offsetof(motor, rotor_damping),
                                   .hi = INFINITY},
                                  {.key = NULL}};

const tn_force_type tn_force_dc_motor = {
    .name = "dc-motor",
    .doc = "a direct-current motor with a gear on a coordinate channel",
    .example = "'bodies': { 'wheel': { 'mass': 2, 'inertia': 0.1 } },\n"
               "'joints': { 'axle': { 'type': 'revolute', 'between': ['ground', 'wheel'], 'at': [0, 0] } },\n"
               "'forces': { 'motor': { 'type': 'dc-motor', 'on': 'axle.angle', 'ratio': 20, 'k_torque': 0.05, "
               "'resistance': 2, 'inductance': 0.004, 'rotor_inertia': 1e-5, 'voltage': '12*step(0.2 - t)' } },\n"
               "'outputs': { 'speed': 'axle.rate', 'current': 'motor.current', 'heat': 'motor.heat' }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'arm': { 'mass': 2, 'inertia': [0.02, 0.2, 0.2], 'position': [0.5, 0, 0] } },\n"
        "'joints': { 'shoulder': { 'type': 'revolute', 'between': ['ground', 'arm'], 'at': [0, 0, 0], 'axis': "
        "'y' } },\n"
        "'forces': { 'motor': { 'type': 'dc-motor', 'on': 'shoulder.angle', 'ratio': 50, 'k_torque': 0.05, "
        "'resistance': 2, 'rotor_inertia': 1e-5, 'voltage': '-8 - 4*sin(5*t)' } },\n"
        "'outputs': { 'angle': 'shoulder.angle', 'current': 'motor.current', 'torque': 'motor.torque' }",
    .takes = TN_ON_CHANNEL,
    .size = sizeof(motor),
    .fields = fields,
    .signals =
        (const tn_signal[]){
            {"current", "A"}, {"torque", "N m"}, {"voltage", "V"}, {"input", "W"}, {"heat", "W"}, {NULL, NULL}},
    .init = init,
    .states = states,
    .inertia = inertia,
    .plane = eval,
    .space = eval,
};
