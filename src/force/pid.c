/* pid: a controller. on a coordinate channel it is the effort along it; on nothing, a signal for others.
 *   (1) e = target - of;  output = kp e + ki z + kd edot,  zdot = e
 *   (2) edot = target_rate - rate_of, where these are known;
 *       else filtered: edot = (e - x)/T, xdot = (e - x)/T: that of e behind a lag T */
#include "force/force.h"

typedef struct pid {
  double kp, ki, kd, filter;
  const tn_expr *target, *target_rate, *of, *rate_of;
} pid;

enum { INTEGRAL, FILTERED, OUTPUT, ERROR };

static tn_status init(void *self, tn_context *ctx, const tn_force_in *in) {
  pid *p = self;
  if (p->kp == 0 && p->ki == 0 && p->kd == 0)
    return tn_context_fail(ctx, NULL, "a controller without gains does nothing: give `kp`, `ki` or `kd`");
  const bool own = in->how == TN_ON_CHANNEL && !p->of;
  if (in->how != TN_ON_CHANNEL && !p->of)
    return tn_context_fail(ctx, NULL, "`of` is missing: what is controlled, where it acts on no channel");
  if (isnan(p->filter)) {
    if (p->kd != 0 && !own && !p->rate_of)
      return tn_context_fail(ctx, "kd",
                             "the rate of `of` is not known: give `rate_of`, or `filter` to take it from `of`");
  } else if (p->rate_of || p->target_rate) {
    return tn_context_fail(ctx, "filter",
                           "with `rate_of` or `target_rate` the rate of the error is known: no `filter`");
  }
  return TN_OK;
}

static int states(const void *self) {
  const pid *p = self;
  return isnan(p->filter) ? p->ki != 0 : 2;
}

static void eval(const void *self, const tn_force_in *in, tn_force_out *out) {
  const pid *p = self;
  const double of = p->of ? tn_running(in->system, p->of) : in->value, e = tn_running(in->system, p->target) - of;
  const bool filtered = !isnan(p->filter);
  double z = 0, edot = 0;
  if (states(self)) {
    z = in->state[INTEGRAL];
    out->state_rate[INTEGRAL] = e;
  }
  if (filtered)
    edot = out->state_rate[FILTERED] = (e - in->state[FILTERED]) / p->filter;
  else if (p->kd != 0)
    edot = (p->target_rate ? tn_running(in->system, p->target_rate) : 0) -
           (p->rate_of ? tn_running(in->system, p->rate_of) : in->rate);
  const double output = p->kp * e + p->ki * z + p->kd * edot;
  out->effort = output;
  out->power = in->how == TN_ON_CHANNEL ? output * in->rate : 0;
  out->signal[OUTPUT] = output;
  out->signal[ERROR] = e;
}

#define RUNNING(name, text, needed)                                                                                    \
  { .key = #name, .doc = text, .kind = TN_RUNNING, .n = 1, .offset = offsetof(pid, name), .required = needed }
#define GAIN(name, text)                                                                                               \
  { .key = #name, .doc = text, .offset = offsetof(pid, name) }

static const tn_field fields[] = {
    RUNNING(target, "what `of` shall be, a running expression", true),
    RUNNING(of, "what is controlled, a running expression; the channel it acts on if left out", false),
    GAIN(kp, "gain of the error"),
    GAIN(ki, "gain of its integral, which is a state"),
    GAIN(kd, "gain of its rate"),
    RUNNING(rate_of, "the rate of `of`; that of the channel if both are left out", false),
    RUNNING(target_rate, "the rate of `target`; 0 if left out", false),
    {.key = "filter",
     .unit = "s",
     .doc = "the rate of the error is taken from the error, behind a lag of this time",
     .offset = offsetof(pid, filter),
     .dflt = NAN,
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = NULL}};

const tn_force_type tn_force_pid = {
    .name = "pid",
    .doc = "a controller: proportional, integral, derivative; an effort, or a signal for others",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'arm': { 'rod': [[0, 0], [1, 0]], 'mass': 2 } },\n"
               "'joints': { 'shoulder': { 'type': 'revolute', 'between': ['ground', 'arm'], 'at': [0, 0] } },\n"
               "'forces': { 'hold': { 'type': 'pid', 'on': 'shoulder.angle', 'target': '0.5', 'kp': 200, 'ki': 300, "
               "'kd': 30 } },\n"
               "'outputs': { 'angle': 'shoulder.angle', 'torque': 'hold.output', 'off': 'hold.error' }",
    .example_space = "'bodies': { 'craft': { 'mass': 5, 'inertia': [0.2, 0.3, 0.4] } },\n"
                     "'joints': { 'rail': { 'type': 'cylindrical', 'between': ['ground', 'craft'], 'at': [0, 0, 0], "
                     "'axis': 'z' } },\n"
                     "'forces': { 'turn': { 'type': 'pid', 'on': 'rail.angle', 'target': 'sin(t)', 'target_rate': "
                     "'cos(t)', 'kp': 20, "
                     "'ki': 5, 'kd': 6 },\n"
                     "            'climb': { 'type': 'pid', 'on': 'rail.shift', 'target': 1, 'kp': 40, 'kd': 20, "
                     "'filter': 0.02 } },\n"
                     "'outputs': { 'angle': 'rail.angle', 'height': 'rail.shift', 'off': 'climb.error' }",
    .takes = TN_ON_CHANNEL | TN_ON_NOTHING,
    .size = sizeof(pid),
    .fields = fields,
    .signals =
        (const tn_signal[]){{"integral", NULL}, {"filtered", NULL}, {"output", NULL}, {"error", NULL}, {NULL, NULL}},
    .init = init,
    .states = states,
    .plane = eval,
    .space = eval,
};
