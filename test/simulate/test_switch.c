/* functions made of pieces in laws of forces and drivers: steps end at their switches, so that a run is as exact as one with
 * smooth laws. against closed forms, with formulas of one step, of several, implicit ones and those of SUNDIALS. */
#include <tenon/extend.h>

#include "model/model.h"
#include "test.h"

#define PI 3.14159265358979323846

static tn_status to_last_row(void *user, double t, int n, const double *values) {
  (void)t;
  memcpy(user, values, sizeof *values * (size_t)(n < 8 ? n : 8));
  return TN_OK;
}

typedef struct run {
  tn_status status;
  tn_error error;
  tn_summary sum;
  int events;
  tn_event event[64]; /* `switch` and `jump` */
  double row[8];      /* the last */
} run;

static bool has(const char *integrator) {
  for (int i = 0; i < tn_integrator_type_count; i++)
    if (strcmp(tn_integrator_types[i]->name, integrator) == 0) return true;
  return false;
}

static run simulate(const char *model, const char *integrator, const char *formulation) {
  run r = {.status = TN_OK};
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  tn_status status = tn_desc_new(NULL, &d, &r.error);
  if (!status) status = tn_desc_parse(d, "m.json", model, strlen(model), &r.error);
  if (!status && integrator) status = tn_desc_part(d, "/run/integrator", integrator, &r.error);
  if (!status && formulation) status = tn_desc_part(d, "/run/formulation", formulation, &r.error);
  if (!status) status = tn_compile(d, &m, &r.error);
  if (!status) status = tn_sim_new(m, &s, &r.error);
  if (!status) status = tn_sim_run(s, to_last_row, r.row, &r.error);
  r.status = status;
  if (s) r.sum = *tn_sim_summary(s);
  for (int i = 0; s && i < tn_sim_events(s) && r.events < 64; i++) {
    const tn_event *e = tn_sim_event(s, i);
    if (strcmp(e->kind, "switch") == 0 || strcmp(e->kind, "jump") == 0) r.event[r.events++] = *e;
  }
  tn_sim_free(s);
  tn_model_free(m);
  tn_desc_free(d);
  return r;
}

/* a particle of mass 1 under a force along x */
static run particle(const char *force, double x, double v, double until, const char *integrator) {
  char model[2048];
  snprintf(model, sizeof model,
           "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0],"
           " 'tables': {'ts': [0, 0.3, 0.5, 1], 'ys': [0, 1, 1, -2], 'cube': [0, 0.027, 0.125, 1]},"
           " 'bodies': {'b': {'mass': 1, 'coordinates': 'point'}},"
           " 'forces': {'push': {'type': 'force', 'on': 'b', 'value': ['%s', 0]}},"
           " 'start': {'b.x': %.17g, 'b.vx': %.17g},"
           " 'outputs': {'x': 'b.x', 'vx': 'b.vx'},"
           " 'run': {'until': %.17g, 'every': 0.0371}}",
           force, x, v, until);
  for (char *c = model; *c; c++)
    if (*c == '\'') *c = '"';
  return simulate(model, integrator, NULL);
}

/* ---- closed forms ------------------------------------------------------------------------------------------------------- */

typedef struct state {
  double x, v;
} state;

static state constant(state s, double a, double t) { return (state){s.x + s.v * t + a * t * t / 2, s.v + a * t}; }
static state linear(state s, double a, double b, double t) { /* from a to b */
  return (state){s.x + s.v * t + a * t * t / 2 + (b - a) * t * t / 6, s.v + (a + b) * t / 2};
}

static state pushed(double T) {
  const state s = constant((state){0, 0}, 20, 0.5);
  return constant(s, 0, T - 0.5);
}

/* stiffness above and below 0, from x = 1 at rest */
static state two_springs(double above, double below, double T) {
  const double a = sqrt(above), b = sqrt(below), first = PI / (2 * a);
  const double t = fmod(T - first, PI / a + PI / b);
  if (t < PI / b) return (state){-a / b * sin(b * t), -a * cos(b * t)};
  return (state){sin(a * (t - PI / b)), a * cos(a * (t - PI / b))};
}
static state stiffer(double T) { return two_springs(4, 1, T); }
static state of_abs(double T) { return two_springs(1.5, 0.5, T); }

static state bang(double T) {
  const double q = sqrt(2), t = fmod(T + q, 4 * q); /* from x = 0, v = q */
  if (t < 2 * q) return (state){q * t - t * t / 2, q - t};
  return (state){-(q * (t - 2 * q) - (t - 2 * q) * (t - 2 * q) / 2), -(q - (t - 2 * q))};
}

static state by_table(double T) {
  state s = linear((state){0, 0}, 0, 1, 0.3);
  s = linear(s, 1, 1, 0.2);
  s = linear(s, 1, -2, 0.5);
  return constant(s, -2, T - 1);
}

static state saw(double T) {
  state s = {0, 0};
  for (int i = 0; i < (int)floor(3 * T); i++) s = linear(s, 0, 1, 1.0 / 3);
  const double t = T - floor(3 * T) / 3;
  return linear(s, 0, 3 * t, t);
}

/* 3 s^2 (3 - 2 s) over 0.5 from 0.2 on */
static state smooth(double T) {
  const double d = 0.5;
  const state s = {3 * d * d * (1.0 / 4 - 1.0 / 10), 3 * d * 0.5}; /* int int, int of s^2 (3 - 2 s) to 1 */
  return constant(s, 3, T - 0.7);
}

/* t^3 up to 1, then 1 */
static state cubic(double T) { return constant((state){1.0 / 20, 1.0 / 4}, 1, T - 1); }

static const struct {
  const char *force;
  double x, until;
  state (*exact)(double T);
  int switches, times;
  double time[4]; /* of the first */
} cases[] = {
    {"20*step(0.5 - t)", 0, 1, pushed, 1, 1, {0.5}},
    {"20*(t < 0.5)", 0, 1, pushed, 1, 1, {0.5}},
    {"if(0.5 >= t, 20, 0)", 0, 1, pushed, 1, 1, {0.5}},
    {"if(b.x > 0, -4*b.x, -b.x)", 1, 10, stiffer, 4, 4, {PI / 4, 5 * PI / 4, 7 * PI / 4, 11 * PI / 4}},
    {"min(-b.x, -4*b.x)", 1, 10, stiffer, 4, 4, {PI / 4, 5 * PI / 4, 7 * PI / 4, 11 * PI / 4}},
    {"-max(b.x, 4*b.x)", 1, 10, stiffer, 4, 4, {PI / 4, 5 * PI / 4, 7 * PI / 4, 11 * PI / 4}},
    {"-b.x - abs(b.x)/2", 1, 10, of_abs, 3, 1, {1.2825498301618641}},
    {"-sign(b.x)", 1, 10, bang, 4, 4, {1.4142135623730951, 4.2426406871192853, 7.0710678118654755, 9.8994949366116654}},
    {"table(ts, ys, t)", 0, 1.2, by_table, 3, 3, {0.3, 0.5, 1}},
    {"mod(3*t, 1)", 0, 1.9, saw, 5, 4, {1.0 / 3, 2.0 / 3, 1, 4.0 / 3}},
    {"step(t, 0.2, 0, 0.7, 3)", 0, 1.2, smooth, 2, 2, {0.2, 0.7}},
    {"spline(ts, cube, t)", 0, 1.2, cubic, 1, 1, {1}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void check_case(int i, const char *integrator, double tolerance, double most) {
  char text[96];
  snprintf(text, sizeof text, "%s:rtol=%g", integrator, tolerance);
  const run r = particle(cases[i].force, cases[i].x, 0, cases[i].until, text);
  const state e = cases[i].exact(cases[i].until);
  const double off = fmax(fabs(r.row[0] - e.x), fabs(r.row[1] - e.v));
  const int64_t few = 14 + 9 * (int64_t)cases[i].switches; /* abm begins with some that are too long */
  const bool good = r.status == TN_OK && off <= most && r.sum.switches == cases[i].switches &&
                    (r.sum.rejected <= few || tolerance < 1e-13);
  if (!good)
    printf("%s, %s: off by %.3g, %" PRId64 " switches, %" PRId64 " of %" PRId64 " rejected, %s\n", text, cases[i].force,
           off, r.sum.switches, r.sum.rejected, r.sum.steps, r.error.message);
  CHECK(good);
  CHECK(r.events >= cases[i].times);
  for (int k = 0; k < cases[i].times && k < r.events; k++) {
    CHECK_NEAR(r.event[k].t, cases[i].time[k], fmax(1e-10, 10 * most));
    CHECK(strncmp(r.event[k].text, "force 'push': ", 14) == 0);
  }
}

/* T139, T140 */
TEST(runs_with_switches_are_as_exact_as_smooth_ones) {
  static const char *const integrators[] = {"dopri5", "dop853", "abm", "radau5", "cvode-adams", "arkode"};
  for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++)
    for (int i = 0; has(integrators[k]) && i < CASES; i++) {
      check_case(i, integrators[k], 1e-12, strcmp(integrators[k], "cvode-adams") == 0 ? 1e-9 : 2e-10);
      check_case(i, integrators[k], 1e-8, 2e-6);
    }
}

/* a step that goes over a switch has an error of order one or two: here of its own order, with the grid kept */
TEST(fixed_steps_keep_their_order) {
  static const struct {
    const char *name;
    double order;
  } formulas[] = {{"rk4", 4}, {"heun", 2}, {"ab4", 4}, {"dopri5", 5}, {"radau5", 5}};
  for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
    double off[2], t = 0;
    for (int i = 0; i < 2; i++) {
      char text[64];
      snprintf(text, sizeof text, "%s:step=%g", formulas[k].name, i ? 0.01 : 0.02);
      const run r = particle("if(b.x > 0, -4*b.x, -b.x)", 1, 0, 10, text);
      const state e = stiffer(10);
      off[i] = hypot(r.row[0] - e.x, r.row[1] - e.v);
      CHECK(r.status == TN_OK && r.sum.switches == 4);
      /* each switch splits one step of the grid */
      CHECK(r.sum.steps == (i ? 1000 : 500) + 4);
      t = r.event[0].t;
    }
    const double order = log2(off[0] / off[1]);
    if (!(order > formulas[k].order - 0.5)) printf("%s: order %.2f, off by %.3g\n", formulas[k].name, order, off[1]);
    CHECK(order > formulas[k].order - 0.5);
    CHECK_NEAR(t, PI / 4, formulas[k].order > 3 ? 1e-6 : 1e-4);
  }
}

/* ---- where switches stand ------------------------------------------------------------------------------------------------- */

static const char *const some[] = {"dopri5:rtol=1e-12,atol=1e-12", "abm:rtol=1e-12,atol=1e-12",
                                   "radau5:rtol=1e-10,atol=1e-10", "cvode-adams:rtol=1e-11,atol=1e-11",
                                   "rk4:step=0.003"};
enum { SOME = 5 };

static bool built(int k) { return k != 3 || has("cvode-adams"); }

TEST(at_the_start) {
  for (int k = 0; k < SOME; k++) {
    if (!built(k)) continue;
    const run r = particle("step(-t) + step(t) + sign(t)", 0, 0, 1, some[k]); /* 2 at once, then 2 */
    CHECK(r.status == TN_OK && r.sum.switches == 2);
    CHECK_NEAR(r.row[0], 1, 1e-9);
    const run slip = particle("1.5 - sign(b.vx)", 0, 0, 1, some[k]);
    CHECK(slip.status == TN_OK && slip.sum.switches == 1);
    CHECK_NEAR(slip.row[1], 0.5, 1e-9);
  }
}

TEST(at_the_end_and_at_rows) {
  for (int k = 0; k < SOME; k++) {
    if (!built(k)) continue;
    const run end = particle("step(t - 1)", 0, 0, 1, some[k]);
    CHECK(end.status == TN_OK && end.row[0] == 0 && end.row[1] == 0);
    const run row = particle("step(t - 0.371)", 0, 0, 1, some[k]); /* the tenth */
    CHECK(row.status == TN_OK && row.sum.switches == 1);
    CHECK_NEAR(row.row[1], 1 - 0.371, 1e-9);
  }
}

TEST(several_at_once) {
  for (int k = 0; k < SOME; k++) {
    if (!built(k)) continue;
    const run r = particle("step(t - 0.5) + step(2*t - 1) + step(3*t - 1.5) + step(7*t - 3.5)", 0, 0, 1, some[k]);
    CHECK(r.status == TN_OK && r.sum.switches == 4);
    CHECK_NEAR(r.row[1], 2, 1e-9);
  }
}

/* an operand that jumps is behind its own switch at once */
TEST(those_that_follow_from_others) {
  for (int k = 0; k < SOME; k++) {
    if (!built(k)) continue;
    const run r =
        particle("sign(step(t - 0.5) - 0.5) + (step(t - 0.5) == 1) + if(not (t > 0.25), 1, 0)", 0, 0, 1, some[k]);
    CHECK(r.status == TN_OK && r.sum.switches == 5); /* the two of step, sign, ==, and > */
    CHECK_NEAR(r.row[1], -0.5 + 0.5 * 2 + 0.25, 1e-9);
  }
}

TEST(touched_and_not_crossed) {
  for (int k = 0; k < SOME; k++) {
    if (!built(k)) continue;
    const run r = particle("-b.x + abs(b.x - 1) - (1 - b.x)", 1, 0, 30, some[k]); /* x = cos t: 0 up to the edge */
    CHECK(r.status == TN_OK && r.sum.switches <= 12);
    CHECK_NEAR(r.row[0], cos(30), 1e-8);
  }
}

TEST(on_an_edge_for_long) {
  for (int k = 0; k < SOME; k++) {
    if (!built(k)) continue;
    const run r = particle("1 + abs(b.y) + sign(b.y) + max(b.y, -b.y)", 0, 0, 1, some[k]);
    CHECK(r.status == TN_OK && r.sum.switches == 0);
    CHECK_NEAR(r.row[1], 1, 1e-9);
  }
}

/* what joints hold on an edge is on either side of it by roundoff, and nothing happens */
TEST(on_an_edge_by_joints) {
  static const char *const laws[] = {"abs(a.x)", "sign(a.x)", "sign(a.vy)", "max(a.x, a.y)", "if(a.y > 0, 1, -1)"};
  for (int k = 0; k < SOME; k++)
    for (int i = 0; built(k) && i < 5; i++) {
      char model[1024];
      snprintf(model, sizeof model,
               "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": {\"a\": {\"mass\": 1,"
               " \"inertia\": 0.1, \"center\": [0.3, 0.1]}, \"b\": {\"mass\": 1, \"inertia\": 0.1,"
               " \"position\": [0.5, 0.2]}}, \"joints\": {\"axle\": {\"type\": \"revolute\","
               " \"between\": [\"ground\", \"a\"], \"at\": [0, 0]}, \"pin\": {\"type\": \"revolute\","
               " \"between\": [\"a\", \"b\"], \"at\": [0.5, 0.2]}}, \"forces\": {\"f\": {\"type\": \"force\","
               " \"on\": \"a\", \"at\": [0, 0], \"value\": [\"%s\", 0]}}, \"outputs\": {\"b\": \"b.angle\"},"
               " \"run\": {\"until\": 1, \"every\": 0.1}}",
               laws[i]);
      const run r = simulate(model, some[k], NULL);
      CHECK(r.status == TN_OK && r.sum.switches <= 1);
      CHECK(r.sum.rejected <= r.sum.steps / 10 + 3);
    }
}

/* T141: x = (t - 1/2)^2 - 1/100 where x > 0; steps are much longer than the time it is below */
TEST(left_and_entered_again_inside_a_step) {
  for (int k = 0; k < SOME; k++) {
    if (!built(k)) continue;
    const run r = particle("2 + 10*(abs(b.x) - b.x)", 0.24, -1, 3, some[k]);
    CHECK(r.status == TN_OK && r.sum.switches == 2);
    CHECK_NEAR(r.event[0].t, 0.4, 1e-9);
    /* below: x'' = 2 - 20 x, x = 1/10 + R cos(w s + p) */
    const double w = sqrt(20), R = hypot(-0.1, 0.2 / w), p = atan2(0.2 / w, -0.1), s = (2 * PI - 2 * p) / w;
    const double v = -R * w * sin(w * s + p), left = 3 - 0.4 - s;
    CHECK_NEAR(r.event[1].t, 0.4 + s, 1e-7);
    CHECK_NEAR(r.row[1], v + 2 * left, 1e-7);
  }
}

TEST(a_pulse_is_not_missed_where_an_evaluation_sees_it) {
  for (int k = 0; k < SOME; k++) {
    if (!built(k)) continue;
    const run r = particle("if(abs(t - 1.53) < 0.05, 100, 0)", 0, 1, 3, some[k]);
    CHECK(r.status == TN_OK);
    CHECK_NEAR(r.row[1], 11, 1e-8);
  }
}

/* narrower than all that is looked at but for the evaluations themselves: those of dop853 are many */
TEST(a_spike_is_seen_by_an_evaluation) {
  int seen = 0;
  for (int i = 0; i < 40; i++) {
    char force[96];
    snprintf(force, sizeof force, "if(exp(-((t - %g)/0.02)^2) > 0.5, 100, 0)", 0.4 + 0.06 * i);
    const run r = particle(force, 0, 1, 3, "dop853:rtol=1e-9,atol=1e-9,max_step=3");
    CHECK(r.status == TN_OK && (r.sum.switches == 2 || r.sum.switches == 0));
    if (r.sum.switches) CHECK_NEAR(r.row[1], 1 + 100 * 0.04 * sqrt(log(2)), 1e-6);
    seen += r.sum.switches > 0;
  }
  CHECK(seen >= 10);
}

typedef struct nearest {
  const tn_sim *sim;
  double x;
} nearest;

static bool look(void *user, double t) {
  nearest *n = user;
  (void)t;
  n->x = fmin(n->x, fabs(tn_sim_q(n->sim)[0]));
  return true;
}

static tn_status to_worst(void *user, double t, int n, const double *values) {
  const state e = bang(t);
  double *worst = user;
  (void)n;
  *worst = fmax(*worst, fmax(fabs(values[0] - e.x), fabs(values[1] - e.v)));
  return TN_OK;
}

/* the state at the end of the step is at the switch, not only that of the interpolant; and rows inside are right on both sides */
TEST(steps_end_at_the_switch_and_rows_are_inside) {
  static const char *const integrators[] = {"rk4:step=0.2", "dopri5:rtol=1e-5,atol=1e-5", "radau5:rtol=1e-5,atol=1e-5",
                                            "abm:rtol=1e-5,atol=1e-5", "cvode-adams:rtol=1e-5,atol=1e-5"};
  for (int k = 0; k < 5; k++)
    for (int law = 0; law < 2; law++) {
      char model[1024];
      tn_desc *d = NULL;
      tn_model *m = NULL;
      tn_sim *s = NULL;
      tn_error e;
      double worst = 0;
      if (k == 4 && !has("cvode-adams")) continue;
      snprintf(model, sizeof model,
               "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"b\": {\"mass\": 1, \"coordinates\": \"point\"}},"
               " \"forces\": {\"push\": {\"type\": \"force\", \"on\": \"b\", \"value\": [\"%s\", 0]}},"
               " \"start\": {\"b.x\": 1}, \"outputs\": {\"x\": \"b.x\", \"v\": \"b.vx\"},"
               " \"run\": {\"until\": 10, \"every\": 0.01}}",
               law ? "-sign(b.x)" : "if(b.x > 0, -b.x, -2*b.x)");
      tn_status status = tn_desc_new(NULL, &d, &e);
      if (!status) status = tn_desc_parse(d, "m.json", model, strlen(model), &e);
      if (!status) status = tn_desc_part(d, "/run/integrator", integrators[k], &e);
      if (!status) status = tn_compile(d, &m, &e);
      if (!status) status = tn_sim_new(m, &s, &e);
      nearest n = {s, 1};
      if (!status) tn_sim_watch(s, look, &n);
      if (!status) status = tn_sim_run(s, law ? to_worst : NULL, &worst, &e);
      CHECK(status == TN_OK);
      CHECK(n.x < 1e-12);
      CHECK(worst < 1e-4);
      if (!(n.x < 1e-12 && worst < 1e-4))
        printf("%s: %.3g from the switch, rows off by %.3g\n", integrators[k], n.x, worst);
      tn_sim_free(s);
      tn_model_free(m);
      tn_desc_free(d);
    }
}

/* ---- sticking --------------------------------------------------------------------------------------------------------------- */

TEST(to_and_fro_is_refused_by_name) {
  static const struct {
    const char *force;
    double v, t;
  } sticks[] = {{"1 - 2*sign(b.vx)", 1, 1}, {"0.5 - sign(b.vx)", 0, 0}, {"if(b.vx > 0, -1, 1)", 0.5, 0.5}};
  for (int k = 0; k < SOME; k++)
    for (size_t i = 0; built(k) && i < sizeof sticks / sizeof *sticks; i++) {
      const run r = particle(sticks[i].force, 0, sticks[i].v, 3, some[k]);
      CHECK(r.status == TN_E_RUN);
      CHECK(strstr(r.error.message, "force 'push': ") && strstr(r.error.message, "b.vx"));
      CHECK(strstr(r.error.message, "to and fro") && strstr(r.error.hint, "tanh"));
      CHECK_NEAR(r.error.time, sticks[i].t, 1e-6);
      CHECK(r.sum.switches < 50 && r.events <= 4);
    }
  const run smooth_one = particle("1 - 2*tanh(b.vx/1e-3)", 0, 1, 3, some[0]);
  CHECK(smooth_one.status == TN_OK && smooth_one.sum.switches == 0);
  CHECK_NEAR(smooth_one.row[1], 1e-3 * atanh(0.5), 1e-9);
}

/* ---- drivers ------------------------------------------------------------------------------------------------------------------ */

static const char driven[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"tables\": {\"ts\": [0, 0.5, 1, 2], \"ys\": [0, 0.5, 0.2, "
    "0.2]},"
    " \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": 0.1}, \"b\": {\"mass\": 1, \"inertia\": 0.4}},"
    " \"joints\": {\"axle\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]},"
    "  \"pin\": {\"type\": \"revolute\", \"between\": [\"a\", \"b\"], \"at\": [0, 0]},"
    "  \"turn\": {\"type\": \"driver\", \"on\": \"axle.angle\", \"value\": \"%s\"}},"
    " \"forces\": {\"hold\": {\"type\": \"torque\", \"on\": \"pin.angle\", \"value\": \"-3.6*angle\"}},"
    " \"outputs\": {\"a\": \"axle.angle\", \"w\": \"axle.rate\", \"b\": \"b.angle\", \"wb\": \"b.rate\","
    " \"balance\": \"energy.balance\", \"driver\": \"energy.driver\", \"stabilizer\": \"energy.stabilizer\"},"
    " \"run\": {\"until\": 2, \"every\": 0.0371}}";

/* x'' = 9 (f - x) with f from f0 at the rate r: x - f is free */
static state follow(state s, double f0, double r, double t) {
  const double d = s.x - f0, e = s.v - r;
  return (state){f0 + r * t + d * cos(3 * t) + e / 3 * sin(3 * t), r - 3 * d * sin(3 * t) + e * cos(3 * t)};
}

/* velocities of what is driven jump, those of what hangs on it by a spring do not; what the impulse does is work of the driver */
TEST(a_driver_made_of_pieces) {
  char model[2048];
  snprintf(model, sizeof model, driven, "table(ts, ys, t)");
  state e = follow((state){0, 0}, 0, 1, 0.5);
  e = follow(e, 0.5, -0.6, 0.5);
  e = follow(e, 0.2, 0, 1);
  static const char *const formulations[] = {"augmented", "partition:layout=independent"};
  for (int k = 0; k < SOME; k++)
    for (int i = 0; built(k) && i < (k == 0 ? 2 : 1); i++) {
      const run r = simulate(model, some[k], formulations[i]);
      if (r.status) printf("%s: %s\n", some[k], r.error.message);
      CHECK(r.status == TN_OK && r.sum.switches == 2);
      CHECK_NEAR(r.row[0], 0.2, 1e-9);
      CHECK_NEAR(r.row[1], 0, 1e-9);
      CHECK_NEAR(r.row[2], e.x, k < 3 ? 1e-9 : 1e-7);
      CHECK_NEAR(r.row[3], e.v, k < 3 ? 1e-9 : 1e-7);
      CHECK(fabs(r.row[4]) < 1e-7 && fabs(r.row[6]) < 1e-9); /* balance; nothing by the stabilizer */
      CHECK(r.events == 4);
      CHECK(strcmp(r.event[0].kind, "switch") == 0 && strcmp(r.event[1].kind, "jump") == 0);
      CHECK(strstr(r.event[1].text, "joint 'turn'") && strstr(r.event[1].text, "1.6"));
      CHECK_NEAR(r.event[0].t, 0.5, 1e-10);
      CHECK_NEAR(r.event[2].t, 1, 1e-10);
    }
}

/* a joint that evaluates its function itself: the mass centre of two, pulled along a path with kinks, keeps to it */
TEST(a_center_of_mass_made_of_pieces) {
  static const char *const laws[] = {"table(ts, ys, t)", "step(t, 0.25, 0, 1, 0.2)"};
  for (int law = 0; law < 2; law++)
    for (int k = 0; k < SOME; k++) {
      char model[1024];
      if (!built(k)) continue;
      snprintf(model, sizeof model,
               "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"tables\": {\"ts\": [0, 0.5, 1, 2], \"ys\": [0, "
               "0.5, 0.2, 0.2]}, \"bodies\": {\"a\": {\"mass\": 1, \"coordinates\": \"point\"}, \"b\": {\"mass\": 3,"
               " \"coordinates\": \"point\"}}, \"joints\": {\"lead\": {\"type\": \"center-of-mass\", \"bodies\": "
               "[\"a\", \"b\"], \"axis\": \"x\", \"value\": \"%s\"}}, \"forces\": {\"tie\": {\"type\": "
               "\"force\", \"on\": \"a\", \"value\": [\"-4*a.x\", 0]}}, \"outputs\": {\"x\": \"0.25*a.x + 0.75*b.x\", "
               "\"v\": \"0.25*a.vx + 0.75*b.vx\", \"a\": \"a.x\"}, \"run\": {\"until\": 2, \"every\": 0.0371}}",
               laws[law]);
      const run r = simulate(model, some[k], NULL);
      if (r.status) printf("%s\n", r.error.message);
      CHECK(r.status == TN_OK && r.sum.switches == 2 && r.events == (law ? 2 : 4));
      CHECK_NEAR(r.row[0], 0.2, 1e-9);
      CHECK_NEAR(r.row[1], 0, 1e-9);
      CHECK(r.sum.rejected < 40);
      CHECK(strstr(r.event[0].text, "joint 'lead': "));
      CHECK_NEAR(r.event[0].t, law ? 0.25 : 0.5, 1e-10);
    }
}

/* where only its second derivative jumps nothing does, and the driver is followed without an impulse */
TEST(a_driver_with_a_jump_of_acceleration) {
  char model[2048];
  snprintf(model, sizeof model, driven, "step(t, 0.25, 0, 1, 0.75)");
  run r[SOME];
  for (int k = 0; k < SOME; k++) {
    if (!built(k)) continue;
    r[k] = simulate(model, some[k], NULL);
    CHECK(r[k].status == TN_OK && r[k].sum.switches == 2 && r[k].events == 2);
    CHECK_NEAR(r[k].row[0], 0.75, 1e-9);
    for (int i = 2; i < 4; i++) CHECK_NEAR(r[k].row[i], r[0].row[i], k < 3 ? 1e-9 : 1e-7);
  }
}

/* ---- the rest ------------------------------------------------------------------------------------------------------------------- */

/* only what the motion follows has switches; and outputs show what the state says, not what a step holds */
TEST(outputs_have_none) {
  const run r =
      simulate("{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"b\": {\"mass\": 1, \"coordinates\": \"point\"}},"
               "\"start\": {\"b.vx\": 1}, \"outputs\": {\"s\": \"sign(b.x - 0.5)\", \"a\": \"abs(t - 0.25)\"},"
               "\"run\": {\"until\": 1, \"every\": 0.1}}",
               "dopri5:rtol=1e-8,atol=1e-8", NULL);
  CHECK(r.status == TN_OK && r.sum.switches == 0 && r.events == 0);
  CHECK(r.row[0] == 1);
  CHECK_NEAR(r.row[1], 0.75, 1e-15);
}

/* the same run twice, and in two halves */
TEST(runs_repeat) {
  const run a = particle("if(b.x > 0, -4*b.x, -b.x)", 1, 0, 10, some[0]),
            b = particle("if(b.x > 0, -4*b.x, -b.x)", 1, 0, 10, some[0]);
  CHECK(memcmp(a.row, b.row, sizeof a.row) == 0);
}
