/* a force from outside that acts on one side only, by tenon/extend.h alone.
 *
 *   cc bump_stop.c $(pkg-config --cflags --libs tenon) -lm -o bump_stop && ./bump_stop
 *
 * `bump-stop`: rubber that is pressed by x and pushes back with
 *   (1) N = k x^2 (1 + c x'),  x > 0;  else 0
 *   (2) V = k x^3/3;  power of the rest = -heat = -k c x^2 x'^2
 * on a channel x = rest - value, between two places x = length - |d|, d = r1 - r0; it pushes along the channel, or along d.
 * N and its slope are continuous where it begins to act, its second derivative jumps: TN_C1. at |d| = 0 it has no direction. */
#include <stdio.h>
#include <string.h>
#include <tenon/extend.h>

/* ---- the force ---------------------------------------------------------------------------------------------------------- */

typedef struct bump_stop {
  double stiffness, damping, rest, length;
} bump_stop;

/* d, its rate, |d|; how many numbers they have */
static int reach(const tn_force_in *in, double d[3], double v[3], double *l) {
  const int n = in->f3 ? 3 : 2;
  double square = 0;
  for (int i = 0; i < n; i++) {
    d[i] = in->f3 ? in->f3[1].r[i] - in->f3[0].r[i] : in->f[1].r[i] - in->f[0].r[i];
    v[i] = in->f3 ? in->f3[1].v[i] - in->f3[0].v[i] : in->f[1].v[i] - in->f[0].v[i];
    square += d[i] * d[i];
  }
  *l = sqrt(square);
  return n;
}

static tn_status init(void *self, tn_context *ctx, const tn_force_in *in) {
  bump_stop *p = self;
  double d[3], v[3], l;
  const bool channel = in->how == TN_ON_CHANNEL;
  if (channel && !isnan(p->length)) return tn_context_fail(ctx, "length", "on a channel it takes `rest`, not `length`");
  if (!channel && !isnan(p->rest)) return tn_context_fail(ctx, "rest", "between places it takes `length`, not `rest`");
  if (channel) {
    if (isnan(p->rest)) p->rest = 0;
    return TN_OK;
  }
  reach(in, d, v, &l);
  if (isnan(p->length)) p->length = l;
  if (!(p->length > 0)) return tn_context_fail(ctx, "length", "the two places coincide: it would never act");
  return TN_OK;
}

/* (1), (2) */
static double push(const bump_stop *p, double x, double xdot, tn_force_out *out) {
  if (!(x > 0)) return 0;
  out->energy = p->stiffness * x * x * x / 3;
  out->dissipated = p->stiffness * p->damping * x * x * xdot * xdot;
  out->power = -out->dissipated;
  return p->stiffness * x * x * (1 + p->damping * xdot);
}

/* in the plane and in space: fx fy t, or fx fy fz tx ty tz, for each of the two places */
static void act(const void *self, const tn_force_in *in, tn_force_out *out) {
  const bump_stop *p = self;
  if (in->how == TN_ON_CHANNEL) {
    out->effort = push(p, p->rest - in->value, -in->rate, out);
    return;
  }
  double d[3], v[3], l, rate = 0;
  const int n = reach(in, d, v, &l), wrench = n == 3 ? 6 : 3;
  if (!(l > 0)) return;
  for (int i = 0; i < n; i++) rate += d[i] * v[i] / l;
  const double N = push(p, p->length - l, -rate, out);
  for (int i = 0; i < n; i++) {
    out->w[wrench + i] = N * d[i] / l;
    out->w[i] = -out->w[wrench + i];
  }
}

static double regular(const void *self, const tn_force_in *in) {
  double d[3], v[3], l;
  if (in->how == TN_ON_CHANNEL) return 1;
  reach(in, d, v, &l);
  return fmin(1, l / ((const bump_stop *)self)->length);
}

static const tn_field bump_stop_fields[] = {
    {.key = "stiffness",
     .unit = "N/m^2 or N m/rad^2",
     .doc = "force for the square of how far it is pressed",
     .offset = offsetof(bump_stop, stiffness),
     .lo = TN_POSITIVE,
     .hi = INFINITY,
     .required = true},
    {.key = "damping",
     .unit = "s/m or s/rad",
     .doc = "by how much of itself the force grows with the rate at which it is pressed",
     .offset = offsetof(bump_stop, damping),
     .hi = INFINITY},
    {.key = "rest",
     .unit = "m or rad",
     .doc = "on a channel: the value below which it pushes; 0 if left out",
     .offset = offsetof(bump_stop, rest),
     .dflt = NAN},
    {.key = "length",
     .unit = "m",
     .doc = "between places: the distance below which it pushes; that of the given pose if left out",
     .offset = offsetof(bump_stop, length),
     .dflt = NAN,
     .hi = INFINITY},
    {.key = NULL}};

static const tn_force_type bump_stop_type = {
    .name = "bump-stop",
    .doc = "rubber that pushes back once it is pressed, on a coordinate channel or between two places",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'box': { 'mass': 2, 'position': [0, 0.1], 'coordinates': 'point' } },\n"
               "'forces': { 'floor': { 'type': 'bump-stop', 'on': 'box.y', 'stiffness': 2e5, 'damping': 0.4 } },\n"
               "'outputs': { 'y': 'box.y', 'push': 'floor.load' },\n"
               "'run': { 'until': 0.5 }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'box': { 'mass': 2, 'position': [0, 0, 0.1], 'coordinates': 'point' } },\n"
        "'forces': { 'floor': { 'type': 'bump-stop', 'on': 'box.z', 'stiffness': 2e5, 'damping': 0.4 } },\n"
        "'outputs': { 'z': 'box.z', 'push': 'floor.load' },\n"
        "'run': { 'until': 0.5 }",
    .takes = TN_ON_CHANNEL | TN_BETWEEN,
    .size = sizeof(bump_stop),
    .fields = bump_stop_fields,
    .init = init,
    .plane = act,
    .space = act,
    .smooth = TN_C1,
    .regular = regular,
};

/* ---- does it work? ------------------------------------------------------------------------------------------------------ */

static int failures;

/* |value - expected| <= allowed, with a line to read */
static void compare(const char *what, double value, double expected, double allowed) {
  const bool good = fabs(value - expected) <= allowed;
  printf("  %-44s %14.9g  expected %14.9g  %s\n", what, value, expected, good ? "ok" : "WRONG");
  if (!good) failures++;
}

/* a model run until its event stops it; the values of its channels then */
static void run(const char *title, const char *text, int n, const char *const *channels, double *values) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  char message[1600];
  tn_status status = tn_desc_new(NULL, &desc, &e);
  if (status == TN_OK) status = tn_desc_add_force(desc, &bump_stop_type, &e);
  if (status == TN_OK) status = tn_desc_parse(desc, title, text, strlen(text), &e);
  if (status == TN_OK) status = tn_compile(desc, &model, &e);
  if (status == TN_OK) status = tn_sim_new(model, &sim, &e);
  if (status == TN_OK) status = tn_sim_run(sim, NULL, NULL, &e);
  for (int i = 0; i < n && status == TN_OK; i++) status = tn_sim_channel(sim, channels[i], &values[i], &e);
  if (status != TN_OK) {
    tn_error_text(&e, message, sizeof message);
    fprintf(stderr, "%s\n", message);
    failures++;
  }
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
}

/* a mass m falls by h on the stop and comes to rest at x: m g (h + x) = k x^3/3 */
static void check_fall(void) {
  static const char model[] =
      "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
      " \"bodies\": {\"box\": {\"mass\": 2, \"position\": [0, 0.3], \"coordinates\": \"point\"}},"
      " \"forces\": {\"floor\": {\"type\": \"bump-stop\", \"on\": \"box.y\", \"stiffness\": 2e5, \"rest\": 0.1}},"
      " \"events\": {\"lowest\": {\"when\": \"box.vy\", \"direction\": \"up\", \"do\": \"stop\"}},"
      " \"run\": {\"until\": 2, \"integrator\": {\"type\": \"dopri5\", \"rtol\": 1e-10, \"atol\": 1e-12}}}";
  static const char *const channels[] = {"box.y", "floor.load", "floor.energy"};
  const double m = 2, g = 9.81, h = 0.2, k = 2e5;
  double x = 0.1, at[3] = {NAN, NAN, NAN};
  for (int i = 0; i < 50; i++) x -= (k * x * x * x / 3 - m * g * (h + x)) / (k * x * x - m * g); /* Newton */
  run("a fall on the stop", model, 3, channels, at);
  printf("a fall on the stop, at its lowest:\n");
  compare("height, m", at[0], 0.1 - x, 1e-8);
  compare("force, N", at[1], k * x * x, 1e-3);
  compare("energy stored, J", at[2], m * g * (h + x), 1e-6);
}

/* without gravity x' = v follows m v dv/(1 + c v) = -k x^2 dx: m/c (v - log(1 + c v)/c) + k x^3/3 stays, from the speed at which the
 * stop is met to that at which it is left */
static void check_bounce(void) {
  static const char model[] =
      "{\"tenon\": 1, \"dimension\": 3,"
      " \"bodies\": {\"box\": {\"mass\": 2, \"position\": [0.3, 0.6, 0.6], \"coordinates\": \"point\"}},"
      " \"forces\": {\"stop\": {\"type\": \"bump-stop\", \"between\": [\"ground\", \"box\"], \"at\": [[0, 0, 0], "
      "   [0.3, 0.6, 0.6]], \"stiffness\": 2e5, \"damping\": 0.4, \"length\": 0.5}},"
      " \"start\": {\"box.vx\": -1, \"box.vy\": -2, \"box.vz\": -2},"
      " \"outputs\": {\"l\": \"norm(position(box))\"},"
      " \"events\": {\"left\": {\"when\": \"norm(position(box)) - 0.5\", \"direction\": \"up\", \"do\": \"stop\"}},"
      " \"run\": {\"until\": 2, \"integrator\": {\"type\": \"dopri5\", \"rtol\": 1e-10, \"atol\": 1e-12}}}";
  static const char *const channels[] = {"box.vx", "box.vy", "box.vz", "energy.dissipated"};
  const double m = 2, c = 0.4, v0 = 3, level = v0 - log(1 + c * v0) / c;
  double v = -1, at[4] = {NAN, NAN, NAN, NAN};
  for (int i = 0; i < 50; i++) v -= (v - log(1 + c * v) / c - level) * (1 + c * v) / (c * v);
  run("a bounce", model, 4, channels, at);
  printf("a bounce in space, when the stop is left:\n");
  compare("vx, m/s", at[0], -v / 3, 1e-7);
  compare("vy, m/s", at[1], -2 * v / 3, 1e-7);
  compare("vz, m/s", at[2], -2 * v / 3, 1e-7);
  compare("heat, J", at[3], m * (v0 * v0 - v * v) / 2, 1e-7);
}

int main(void) {
  check_fall();
  check_bounce();
  printf("%d wrong\n", failures);
  return failures ? 1 : 0;
}
