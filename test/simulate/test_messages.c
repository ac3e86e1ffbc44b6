/* messages of a simulation: figures are in SI whatever the length of the model is, and name what they are of. */
#include "support/build.h"
#include "test.h"

static void parse(build *b, const char *format, ...) {
  static char text[8000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
}

/* the first event of a kind, "" if there is none */
static const char *event_of(const tn_sim *s, const char *kind) {
  for (int i = 0; i < tn_sim_events(s); i++)
    if (strcmp(tn_sim_event(s, i)->kind, kind) == 0) return tn_sim_event(s, i)->text;
  return "";
}

static const char *fact_of(const tn_sim *s, const char *key) {
  static tn_run_fact f;
  for (int i = 0; tn_sim_fact(s, i, &f); i++)
    if (strcmp(f.key, key) == 0) return f.sentence;
  return "";
}

/* ---- figures in SI -------------------------------------------------------------------------------------------------- */

/* a slider, and another body that makes the model so many metres long */
static void slider(build *b, double length, const char *joints, const char *more) {
  parse(b,
        "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0],"
        "'bodies': {'p': {'mass': 1, 'inertia': 1}, 'far': {'mass': 1, 'inertia': 1, 'position': [0, %g]}},"
        "'joints': {%s}, 'run': {'until': 1, 'every': 0.1}%s}",
        length, joints, more);
}

/* every unit that a constraint equation has, with a figure that the contract sees as 0.25 */
TEST(a_figure_of_a_row_is_in_si) {
  static const struct {
    const char *joints, *value, *rate, *share;
  } cases[] = {
      {"'d': {'type': 'driver', 'on': 'p.x', 'value': 0}", "0.25 m", "0.25 m/s", "2.50e-01 of 1 m"},
      {"'d': {'type': 'driver', 'on': 'p.angle', 'value': 0}", "0.25 rad", "0.25 rad/s", "2.50e-01 rad"},
      {"'d': {'type': 'coordinate', 'terms': {'p.x': 1, 'p.angle': 1}, 'value': 0}", "0.25", "0.25 1/s", "2.50e-01"},
      {"'d': {'type': 'distance', 'between': ['p', 'far'], 'on_bodies': [[0, 0], [0, 0]]}", "2 m", "2 m/s",
       "2.50e-01 of 8 m"},
      {"'d': {'type': 'distance', 'form': 'squared', 'between': ['p', 'far'], 'on_bodies': [[0, 0], [0, 0]]}", "32 m^2",
       "32 m^2/s", "2.50e-01 of 128 m^2"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    char text[80];
    slider(&b, 8, cases[i].joints, "");
    if (!build_compile(&b)) {
      FAIL("%s", b.message);
    } else {
      tn_row_figure(b.model, 0, b.model->row_scale[0], false, 0.25, 3, text, sizeof text);
      CHECK_TEXT(text, cases[i].value);
      tn_row_figure(b.model, 0, b.model->row_scale[0], true, 0.25, 3, text, sizeof text);
      CHECK_TEXT(text, cases[i].rate);
      tn_row_share(b.model, 0, b.model->row_scale[0], false, 0.25, text, sizeof text);
      CHECK_TEXT(text, cases[i].share);
    }
    build_free(&b);
  }
}

/* joints that contradict each other by 0.3 m, in models of 5 m and of 80 m */
TEST(a_start_that_cannot_be_is_off_by_metres) {
  for (double length = 5; length <= 80; length *= 16) {
    build b;
    slider(&b, length,
           "'a': {'type': 'distance', 'between': ['ground', 'p'], 'on_bodies': [[1, 0], [0, 0]], 'length': 1},"
           "'b': {'type': 'distance', 'between': ['ground', 'p'], 'on_bodies': [[1, 0], [0, 0]], 'length': 1.3}",
           "");
    CHECK(!build_simulate(&b));
    CHECK_HAS(b.message, "off by 0.15 m");
    build_free(&b);
  }
}

/* a driver that jumps: the projection closes as many metres as it jumps by */
TEST(a_gap_that_is_closed_has_its_metres_and_its_joint) {
  build b;
  build_table t = {0};
  slider(&b, 50, "'d': {'type': 'driver', 'on': 'p.x', 'value': 'if(t < 0.45, 0, 0.3)'}", "");
  CHECK(build_simulate(&b) && build_run(&b, &t));
  CHECK_HAS(fact_of(b.sim, "projection"), "up to 0.3 m at joint 'd'; the first at t = 0.45 s");
  build_table_free(&t);
  build_free(&b);
}

TEST(a_start_as_given_is_off_by_metres) {
  build b;
  slider(&b, 50, "'d': {'type': 'driver', 'on': 'p.x', 'value': '0.3 + 2*t'}", ", 'start': {'mode': 'as-given'}");
  CHECK(build_simulate(&b));
  CHECK_TEXT(event_of(b.sim, "as-given"), "the start is off by 0.3 m (joint 'd'), in velocity by 2 m/s (joint 'd')");
  build_free(&b);
}

/* before a row of output is put back to the constraints it is off by so much, at a joint */
TEST(a_coarse_interpolation_has_its_metres_and_its_joint) {
  build b;
  build_table t = {0};
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run", "{\"until\": 1, \"every\": 0.001, \"integrator\": {\"type\": \"dop853\", \"rtol\": 1e-5}}");
  CHECK(build_simulate(&b) && build_run(&b, &t));
  CHECK_HAS(fact_of(b.sim, "interpolation"), " m at joint '");
  build_table_free(&t);
  build_free(&b);
}

/* ---- what the start moved -------------------------------------------------------------------------------------------- */

/* a body in space is shifted by (0.4, 0, 0) m and turned by 1.2 rad about y: 2 sin(0.6) = 1.13 is no angle */
TEST(changes_of_pose_are_named_as_poses) {
  static const char *const coordinates[] = {"quaternion", "euler-parameters"};
  for (int i = 0; i < 2; i++) {
    build b;
    parse(
        &b,
        "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, 0],"
        "'bodies': {'arm': {'mass': 1, 'inertia': [1, 1, 1], 'coordinates': '%s'}},"
        "'joints': {'hinge': {'type': 'revolute', 'between': ['ground', 'arm'], 'on_bodies': [[0.4, 0, 0], [0, 0, 0]],"
        " 'axis': [0, 1, 0]}, 'motor': {'type': 'driver', 'on': 'hinge.angle', 'value': 1.2}}}",
        coordinates[i]);
    if (!build_simulate(&b)) {
      FAIL("%s", b.message);
    } else {
      if (i == 0) CHECK_TEXT(event_of(b.sim, "assembled"), "the start moved arm about y by 1.2 rad, arm.x by 0.4 m");
      CHECK(!strstr(event_of(b.sim, "assembled"), "arm.v") && !strstr(event_of(b.sim, "assembled"), "arm.w"));
      CHECK_HAS(event_of(b.sim, "assembled"), "arm.x by 0.4 m");
    }
    build_free(&b);
  }
}

/* ---- drivers that contradict each other -------------------------------------------------------------------------------- */

#define CHAIN                                                                                                          \
  "'bodies': {'k': {'rod': [[0, 0], [1, 0]], 'mass': 1}, 'l': {'rod': [[1, 0], [2, 0]], 'mass': 1},"                   \
  " 'z': {'rod': [[0, 5], [1, 5]], 'mass': 1}},"                                                                       \
  "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'k'], 'at': [0, 0]},"                                    \
  " 'B': {'type': 'revolute', 'between': ['k', 'l'], 'at': [1, 0]},"                                                   \
  " 'C': {'type': 'revolute', 'between': ['ground', 'z'], 'at': [0, 5]},"                                              \
  " 'other': {'type': 'driver', 'on': 'C.angle', 'value': 0.2},"

/* message "": the start is good */
static void drivers(const char *joints, const char *message) {
  build b;
  parse(&b, "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], " CHAIN " %s}}", joints);
  const bool good = build_simulate(&b);
  if (good != !*message) FAIL("%s: %s", joints, good ? "it is assembled" : b.message);
  if (!good) CHECK_HAS(b.message, message);
  build_free(&b);
}

TEST(drivers_that_are_over_determined_are_named) {
  /* two on one freedom, and one beside them that has no part in it */
  drivers("'m1': {'type': 'driver', 'on': 'A.angle', 'value': 0.3}, 'm2': {'type': 'driver', 'on': 'k.angle', 'value': "
          "0.5}",
          "drivers 'm1', 'm2' are over-determined: they prescribe the same freedom and disagree by 0.2 rad ");
  /* three on two freedoms, any two of which agree */
  drivers("'m1': {'type': 'driver', 'on': 'A.angle', 'value': 0.3}, 'm2': {'type': 'driver', 'on': 'B.angle', 'value': "
          "0.1},"
          "'m3': {'type': 'driver', 'on': 'l.angle', 'value': 0.5}",
          "drivers 'm1', 'm2', 'm3' are over-determined: driver 'm3' disagrees with the others by 0.1 rad ");
  /* a driver against a joint that locks what it moves */
  drivers("'m1': {'type': 'driver', 'on': 'A.angle', 'value': 0.3},"
          "'lock': {'type': 'weld', 'between': ['ground', 'k'], 'at': [0.5, 0]}",
          "driver 'm1' is over-determined: joint 'lock' leaves it no freedom, and it is off by 0.3 rad ");
  /* rates alone: at t = 0 the values agree */
  drivers("'m1': {'type': 'driver', 'on': 'A.angle', 'value': '2*t'}, 'm2': {'type': 'driver', 'on': 'k.angle', "
          "'value': '5*t'}",
          "drivers 'm1', 'm2' are over-determined: they prescribe the same freedom and disagree by 3 rad/s ");
  /* as many drivers as freedoms, beyond what the link reaches; it is stretched, in a singular position, where it starts */
  drivers("'px': {'type': 'driver', 'on': 'l.x', 'value': 1.2}",
          "driver 'px' cannot be reached: with joints 'A', 'B' driver 'px' stays off by 0.2 m ");
  /* those that agree are redundant and no error */
  drivers("'m1': {'type': 'driver', 'on': 'A.angle', 'value': '0.3 + t'},"
          "'m2': {'type': 'driver', 'on': 'k.angle', 'value': '0.3 + t'}",
          "");
}

/* ---- events -------------------------------------------------------------------------------------------------------------- */

typedef struct page {
  char text[20000];
  size_t used;
} page;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (p->used + size >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

static int occurs(const char *text, const char *words) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, words)); at++) n++;
  return n;
}

/* components of a force that have an expression in common switch together: one line in the log; and the summary has each event of the
 * model once, with its count */
TEST(what_happens_once_is_reported_once) {
  static page p;
  build b;
  build_table t = {0};
  parse(&b,
        "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'p': {'mass': 1, 'inertia': 1}},"
        "'forces': {'push': {'type': 'force', 'on': 'p', 'at': [0, 0], 'value': ['max(0, x - 1)', '2*max(0, x - 1)']}},"
        "'events': {'half': {'when': 'p.x > 0.5'}},"
        "'start': {'p.vx': 1}, 'run': {'until': 2, 'every': 0.1}}");
  CHECK(build_simulate(&b) && build_run(&b, &t));
  CHECK(tn_sim_summary(b.sim)->switches == 2);
  CHECK(tn_report_text(b.sim, "m", to_page, &p) == TN_OK);
  CHECK(occurs(p.text, "switch: force 'push': max(0, x - 1)") == 1);
  CHECK(occurs(p.text, "half") == 1 && occurs(p.text, "  event 'half': 1 time, at t = 0.5 s\n") == 1);
  CHECK_HAS(p.text, "  2 switches of piecewise functions\n");
  CHECK_HAS(p.text, "  and 1 event more (-v or --json lists them)\n");
  build_table_free(&t);
  build_free(&b);
}
