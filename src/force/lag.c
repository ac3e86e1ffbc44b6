/* lag: an actuator of first order. on a coordinate channel its output is the effort along it; on nothing, a signal for others.
 *   (1) T xdot = value - x, output = x */
#include "force/force.h"

typedef struct lag {
  double time_constant;
  const tn_expr *value;
} lag;

enum { OUTPUT, COMMAND };

static int states(const void *self) {
  (void)self;
  return 1;
}

static void eval(const void *self, const tn_force_in *in, tn_force_out *out) {
  const lag *p = self;
  const double x = in->state[OUTPUT], command = tn_running(in->system, p->value);
  out->state_rate[OUTPUT] = (command - x) / p->time_constant;
  out->effort = x;
  out->power = in->how == TN_ON_CHANNEL ? x * in->rate : 0;
  out->signal[COMMAND] = command;
}

static const tn_field fields[] = {{.key = "value",
                                   .doc = "the command that the output follows, a running expression",
                                   .kind = TN_RUNNING,
                                   .n = 1,
                                   .offset = offsetof(lag, value),
                                   .required = true},
                                  {.key = "time_constant",
                                   .unit = "s",
                                   .doc = "of the lag",
                                   .offset = offsetof(lag, time_constant),
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY,
                                   .required = true},
                                  {.key = NULL}};

const tn_force_type tn_force_lag = {
    .name = "lag",
    .doc = "an actuator of first order: an effort, or a signal for others, that follows a command",
    .example =
        "'bodies': { 'cart': { 'mass': 10, 'inertia': 1 } },\n"
        "'joints': { 'rail': { 'type': 'prismatic', 'between': ['ground', 'cart'], 'at': [0, 0], 'axis': 'x' } },\n"
        "'forces': { 'thruster': { 'type': 'lag', 'on': 'rail.shift', 'time_constant': 0.05, 'value': "
        "'50*(1 - rail.shift) - 30*rail.speed' } },\n"
        "'outputs': { 'x': 'rail.shift', 'thrust': 'thruster.output', 'wanted': 'thruster.command' }",
    .example_space =
        "'bodies': { 'rotor': { 'mass': 3, 'inertia': [0.1, 0.1, 0.2] } },\n"
        "'joints': { 'axle': { 'type': 'revolute', 'between': ['ground', 'rotor'], 'at': [0, 0, 0], 'axis': 'z' } },\n"
        "'forces': { 'brake': { 'type': 'lag', 'on': 'axle.angle', 'time_constant': 0.1, 'value': '-2*axle.rate' } },\n"
        "'start': { 'axle.rate': 10 },\n"
        "'outputs': { 'speed': 'axle.rate', 'torque': 'brake.output' }",
    .takes = TN_ON_CHANNEL | TN_ON_NOTHING,
    .size = sizeof(lag),
    .fields = fields,
    .signals = (const tn_signal[]){{"output", NULL}, {"command", NULL}, {NULL, NULL}},
    .states = states,
    .plane = eval,
    .space = eval,
};
