/* drivers that start with a speed, have a kink or jump: each is named, in the units of the driver, with its impulse. */
#include "support/build.h"
#include "test.h"

static const char *const integrators[] = {"dopri5",        "dop853",       "abm",    "radau5",
                                          "cvode-adams",   "ida",          "arkode", "euler:step=0.01",
                                          "rk4:step=0.01", "rk4:step=0.07"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

static bool has(const char *integrator) {
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const size_t n = strcspn(integrator, ":");
    if (strncmp(tn_integrator_types[i]->name, integrator, n) == 0 && !tn_integrator_types[i]->name[n]) return true;
  }
  return false;
}

/* a text with ' for ", run to its end */
static bool ran(build *b, const char *text, const char *integrator, const char *coordinates) {
  static char model[16384];
  tn_error e;
  snprintf(model, sizeof model, "%s", text);
  for (char *c = model; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, model);
  const tn_setting kind = {"coordinates", coordinates};
  if (!b->failed && integrator && tn_desc_part(b->desc, "/run/integrator", integrator, &e))
    build_fail(b, "%s", e.message);
  if (!b->failed && coordinates && tn_desc_settings(b->desc, 1, &kind, &e)) build_fail(b, "%s", e.message);
  if (!b->failed &&
      (tn_compile(b->desc, &b->model, &e) || tn_sim_new(b->model, &b->sim, &e) || tn_sim_run(b->sim, NULL, NULL, &e)))
    build_fail(b, "%s", e.message);
  if (b->failed) FAIL("%s: %s", integrator ? integrator : "", b->message);
  return !b->failed;
}

/* the k-th line of a kind; NULL */
static const tn_event *line(const build *b, const char *kind, int k) {
  for (int i = 0; i < tn_sim_events(b->sim); i++) {
    const tn_event *e = tn_sim_event(b->sim, i);
    if (strcmp(e->kind, kind) == 0 && k-- == 0) return e;
  }
  return NULL;
}

/* numbers of a line, which is otherwise the text with # for each; false: it is another */
static bool reads(const tn_event *e, const char *text, double *number) {
  if (!e) return false;
  const char *at = e->text;
  for (; *text; text++) {
    char *end;
    if (*text != '#') {
      if (*at++ != *text) return false;
      continue;
    }
    *number++ = strtod(at, &end);
    if (end == at) return false;
    at = end;
  }
  return *at == 0;
}

/* a cart of 2 kg, and on it an arm of 3 kg whose mass centre is 0.5 m from the hinge: both driven by tables with a kink at 1 s. elsewhere
 * there is nothing, or a heavy body far away */
#define CART                                                                                                           \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'tables': {'ts': [0, 1, 2], 'xs': [0, %g, %g],"                 \
  " 'as': [0, %g, %g]}, 'bodies': {'cart': {'mass': 2, 'inertia': 1}, %s"                                              \
  "  'arm': {'mass': 3, 'inertia': 0.2, 'center': [0.5, 0]}},"                                                         \
  " 'joints': {'rail': {'type': 'prismatic', 'between': ['ground', 'cart'], 'at': [0, 0], 'axis': 'x'},"               \
  "  'hinge': {'type': 'revolute', 'between': ['cart', 'arm'], 'at': [0, 0]},"                                         \
  "  'push': {'type': 'driver', 'on': 'rail.shift', 'value': 'table(ts, xs, t)'},"                                     \
  "  'turn': {'type': 'driver', 'on': 'hinge.angle', 'value': 'table(ts, as, t)'}},"                                   \
  " 'run': {'until': 1.5, 'every': 0.5}}"

/* (x', phi') jump by d; the impulses are those of the matrix ((5, -1.5 sin phi), (.., 0.2 + 0.75)) */
static void impulses(double phi, const double d[2], double to[2]) {
  const double across = -1.5 * sin(phi);
  to[0] = 5 * d[0] + across * d[1];
  to[1] = across * d[0] + 0.95 * d[1];
}

TEST(every_driver_with_its_impulse) {
  static const double rates[][4] = {
      {1, 0.25, 0.7, -0.8}, {0.15, 0.3, -1.2, 2}, {-2, -2.5, 0.5, 0.4}}; /* x', x', phi', phi' */
  static const char *const beside[] = {"", "'far': {'mass': 1e9, 'coordinates': 'point', 'position': [1e5, 0]}, "};
  for (int k = 0; k < INTEGRATORS; k++)
    for (int c = 0; has(integrators[k]) && c < 2; c++)
      for (int i = 0; i < 3; i++)
        for (int far = 0; far < 2; far++) {
          build b;
          char text[4096];
          double n[2], want[2];
          const double *r = rates[i], start[2] = {r[0], r[2]}, kink[2] = {r[1] - r[0], r[3] - r[2]};
          snprintf(text, sizeof text, CART, r[0], r[0] + r[1], r[2], r[2] + r[3], beside[far]);
          if (!ran(&b, text, integrators[k], c ? "relative" : "absolute")) return;
          impulses(0, start, want);
          CHECK(
              reads(line(&b, "start", 0),
                    "joint 'push': it starts with a rate of # m/s, and `start` gives no speed; from rest this takes an "
                    "impulse of # N s",
                    n));
          CHECK_NEAR(n[0], start[0], 1e-5);
          CHECK_NEAR(n[1], want[0], 1e-4);
          CHECK(reads(
              line(&b, "start", 1),
              "joint 'turn': it starts with a rate of # rad/s, and `start` gives no speed; from rest this takes an "
              "impulse of # N m s",
              n));
          CHECK_NEAR(n[0], start[1], 1e-5);
          CHECK_NEAR(n[1], want[1], 1e-4);
          CHECK(!line(&b, "start", 2));
          impulses(r[2], kink, want);
          CHECK(
              reads(line(&b, "jump", 0), "joint 'push': its rate jumps by # m/s, which takes an impulse of # N s", n));
          CHECK_NEAR(n[0], kink[0], 1e-5);
          CHECK_NEAR(n[1], want[0], 1e-4);
          CHECK(reads(line(&b, "jump", 1), "joint 'turn': its rate jumps by # rad/s, which takes an impulse of # N m s",
                      n));
          CHECK_NEAR(n[0], kink[1], 1e-5);
          CHECK_NEAR(n[1], want[1], 1e-4);
          CHECK(!line(&b, "jump", 2));
          CHECK(line(&b, "jump", 0) && fabs(line(&b, "jump", 0)->t - 1) < 1e-9);
          build_free(&b);
        }
}

#define ONE                                                                                                            \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'tables': {'ts': [0, 0.5, 1, 2], 'line': [0, 1, 2, 4]}, 'bodies': " \
  "{'a': {'mass': 2, 'coordinates': 'point'}, 'b': {'mass': 1, 'coordinates': 'point', 'position': [9, 0]}}, "         \
  "'joints': "                                                                                                         \
  "{'d': {'type': 'driver', 'on': 'a.x', 'value': '%s', 'active': %s}}, 'start': {%s}, 'run': {'until': 2, 'every': "  \
  "0.5}}"

static void lines_of(build *b, const char *value, const char *active, const char *start) {
  char text[2048];
  snprintf(text, sizeof text, ONE, value, active, start);
  if (!ran(b, text, NULL, NULL)) FAIL("%s", value);
}

TEST(which_starts_are_said) {
  static const struct {
    const char *value, *active, *start;
    int lines;
  } starts[] = {{"sin(3*t)", "true", "", 1},     {"1 - cos(3*t)", "true", "", 0},
                {"0.5", "true", "", 0},          {"table(ts, line, t)", "true", "", 1},
                {"3*t", "true", "'a.vx': 3", 0}, {"3*t", "true", "'b.vx': 3", 1}, /* another part */
                {"3*t", "true", "'b.x': 8", 1},  {"3*t", "false", "", 0}};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    build b;
    lines_of(&b, starts[i].value, starts[i].active, starts[i].start);
    int n = 0;
    while (line(&b, "start", n)) n++;
    if (n != starts[i].lines) FAIL("%s, start %s: %d lines", starts[i].value, starts[i].start, n);
    build_free(&b);
  }
}

TEST(which_jumps_are_said) {
  static const struct {
    const char *value, *text;
    int lines;
    double number[3];
  } jumps[] = {
      {"table(ts, line, t)", "", 0, {0}}, /* a straight line */
      {"step(t, 0.5, 0, 1, 2)", "", 0, {0}},
      {"if(t < 1, t^2, 2*t - 1)", "", 0, {0}},
      {"abs(t - 1)", "joint 'd': its rate jumps by # m/s, which takes an impulse of # N s", 1, {2, 4}},
      {"if(t < 1, 0, 0.3)", "joint 'd': its value jumps by # m", 1, {0.3}},
      {"if(t < 1, t, 0.25)",
       "joint 'd': its value jumps by # m; its rate jumps by # m/s, which takes an impulse of # N s",
       1,
       {-0.75, -1, -2}},
      {"min(t, 1) + max(0, t - 1)*1.5",
       "joint 'd': its rate jumps by # m/s, which takes an impulse of # N s",
       1,
       {0.5, 1}},
  };
  for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
    build b;
    double number[3] = {0};
    lines_of(&b, jumps[i].value, "true", "");
    int n = 0;
    while (line(&b, "jump", n)) n++;
    if (n != jumps[i].lines) FAIL("%s: %d lines, %s", jumps[i].value, n, n ? line(&b, "jump", 0)->text : "");
    if (n && !reads(line(&b, "jump", 0), jumps[i].text, number)) FAIL("%s", line(&b, "jump", 0)->text);
    for (int k = 0; k < 3; k++) CHECK_NEAR(number[k], jumps[i].number[k], 1e-5);
    build_free(&b);
  }
}

/* a saw has a kink at every turn: the first sixteen are listed, and the last of them says so */
TEST(many_kinks_of_one_driver) {
  build b;
  lines_of(&b, "abs(mod(20*t, 2) - 1)", "true", "");
  int n = 0;
  while (line(&b, "jump", n)) n++;
  CHECK(n == 16);
  CHECK(n == 16 && strstr(line(&b, "jump", 15)->text, "; later ones are not listed"));
  CHECK(n == 16 && !strstr(line(&b, "jump", 14)->text, "later"));
  build_free(&b);
}

/* a rate that is a parameter: the impulse has its unit there too */
TEST(a_rate_that_an_event_sets) {
  build b;
  double n[2];
  if (!ran(&b,
           "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'parameters': {'v': 0, 't0': 0}, 'bodies': {'a': {'mass': "
           "2, "
           "'coordinates': 'point'}}, 'joints': {'d': {'type': 'driver', 'on': 'a.x', 'value': 'v*(t - t0)'}}, "
           "'events': "
           "{'go': {'when': 't > 0.5', 'do': {'set': {'v': 3, 't0': 't'}}}}, 'run': {'until': 1, 'every': 0.5}}",
           NULL, NULL))
    return;
  CHECK(reads(line(&b, "jump", 0), "joint 'd': velocities jump by an impulse of # N s along it, # J are lost", n));
  CHECK_NEAR(n[0], 6, 1e-9);
  CHECK_NEAR(n[1], 9, 1e-9);
  CHECK(!line(&b, "jump", 1));
  build_free(&b);
}
