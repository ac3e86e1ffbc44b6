/* conditions of events on parameters that other events set: they happen at the time of the setting, in the order of the file, with every
 * form of comparison, alone and beside quantities that move; circles of events are refused by name. */
#include "support/build.h"
#include "test.h"

static const char *const integrators[] = {
    "dopri5",       "dop853",           "abm",           "radau5",           "trbdf2",
    "cvode-adams",  "cvode-bdf",        "ida",           "arkode",           "rk4:step=0.01",
    "rk4:step=0.1", "dopri5:step=0.03", "ab4:step=0.01", "radau5:step=0.05", "euler:step=0.02"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

static bool has(const char *integrator) {
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const size_t n = strcspn(integrator, ":");
    if (strncmp(tn_integrator_types[i]->name, integrator, n) == 0 && !tn_integrator_types[i]->name[n]) return true;
  }
  return false;
}

/* a text with ' for " */
static bool made(build *b, const char *text, const char *integrator) {
  static char model[65536];
  tn_error e;
  snprintf(model, sizeof model, "%s", text);
  for (char *c = model; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, model);
  if (!b->failed && integrator && tn_desc_part(b->desc, "/run/integrator", integrator, &e))
    build_fail(b, "%s", e.message);
  if (!b->failed) build_simulate(b);
  if (b->failed) FAIL("%s", b->message);
  return !b->failed;
}

static tn_status nowhere(void *user, double t, int n, const double *values) {
  (void)user, (void)t, (void)n, (void)values;
  return TN_OK;
}

/* the k-th time of an event in the log; NaN */
static double when(const build *b, const char *name, int k) {
  for (int i = 0; i < tn_sim_events(b->sim); i++) {
    const tn_event *e = tn_sim_event(b->sim, i);
    if (strcmp(e->kind, "event") == 0 && strcmp(e->text, name) == 0 && k-- == 0) return e->t;
  }
  return NAN;
}

static int64_t count(const build *b, const char *name) {
  tn_fired f;
  for (int i = 0; tn_sim_fired(b->sim, i, &f); i++)
    if (strcmp(f.event, name) == 0) return f.count;
  return -1;
}

static double parameter(const build *b, const char *name) {
  for (int i = 0; i < tn_sim_parameters(b->sim); i++)
    if (strcmp(tn_sim_parameter_name(b->sim, i), name) == 0) return tn_sim_parameter(b->sim, i);
  return NAN;
}

#define FREE                                                                                                           \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'b': {'mass': 1, 'coordinates': 'point'}},"              \
  " 'start': {'b.vx': 1}, 'run': {'until': 1, 'every': 0.1}, 'tables': {'ks': [0, 1, 2], 'vs': [0, 2, 5]}, "

/* x = t; n is 0, 1 from 0.3 on, 2 from 0.55 on, 0 from 0.8 on */
static const struct {
  const char *when;
  int times;
  double time[2];
  const char *direction;
} forms[] = {
    {"n == 1", 1, {0.3}, NULL},
    {"n >= 1", 1, {0.3}, NULL},
    {"n > 0", 1, {0.3}, NULL},
    {"1 <= n", 1, {0.3}, NULL},
    {"n != 0", 1, {0.3}, NULL},
    {"not (n < 2)", 1, {0.55}, NULL},
    {"not (n != 2)", 1, {0.55}, NULL},
    {"not (2 > n)", 1, {0.55}, NULL},
    {"n == 0", 1, {0.8}, NULL}, /* true from the start */
    {"n <= 0", 1, {0.8}, NULL},
    {"not (n >= 1)", 1, {0.8}, NULL},
    {"n >= 0", 0, {0}, NULL},
    {"n == 3", 0, {0}, NULL},
    {"mod(n, 2) == 0", 1, {0.55}, NULL},
    {"mod(n, 2) == 1", 1, {0.3}, NULL},
    {"not (mod(n, 2) == 1)", 1, {0.55}, NULL},
    {"mod(n + 1, 2) >= 1", 1, {0.55}, NULL},
    {"abs(n - 1) <= 0", 1, {0.3}, NULL},
    {"sign(n - 1) == 0", 1, {0.3}, NULL},
    {"max(n, 1) == n", 1, {0.3}, NULL},
    {"min(n, 2) >= 2", 1, {0.55}, NULL},
    {"if(n == 2, 1, 0) == 1", 1, {0.55}, NULL},
    {"step(n - 2) == 1", 1, {0.55}, NULL},
    {"table(ks, vs, n) >= 5", 1, {0.55}, NULL},
    {"n == 1", 1, {0.55}, "down"},
    {"n == 1", 2, {0.3, 0.55}, "both"},
    {"n == 1 or n == 0", 1, {0.8}, NULL},
    {"n == 1 and mod(n, 2) == 1", 1, {0.3}, NULL},
    {"b.x > 0.4 and n == 1", 1, {0.4}, NULL},
    {"b.x > 0.1 and n == 1", 1, {0.3}, NULL},
    {"n >= 1 and b.x > 0.1", 1, {0.3}, NULL},
    {"b.x > 0.7 and not (n < 2)", 1, {0.7}, NULL},
    {"b.x > 0.7 and mod(n, 2) == 0", 1, {0.7}, NULL},
    {"b.x > 0.9 or n == 1", 2, {0.3, 0.9}, NULL},
    {"not (b.x < 0.4 or n < 2)", 1, {0.55}, NULL},
    {"n*b.x >= 1", 1, {0.55}, NULL},
    {"n + b.x >= 1.4", 1, {0.4}, NULL},
    {"b.vx > 0.5 and n == 2", 1, {0.55}, NULL},
    {"t > 0.7 and n == 2", 1, {0.7}, NULL},
    {"abs(b.ax) < 1 and n == 2", 1, {0.55}, NULL}, /* known after a solve */
};
enum { FORMS = sizeof forms / sizeof *forms };

/* events that set n stand before the conditions, behind them, or amid them */
static void model_of_forms(char *text, size_t size, int place) {
  static const char setters[] = "'s1': {'when': 't > 0.3', 'do': {'set': {'n': 1}}}, "
                                "'s2': {'when': 'b.x > 0.55', 'do': {'set': {'n': 'n + 1'}}}, "
                                "'s3': {'when': 't > 0.8', 'do': {'set': {'n': 0}}}, ";
  int n = snprintf(text, size, FREE "'parameters': {'n': 0}, 'events': {");
  for (int i = 0; i <= FORMS; i++) {
    if (i == place) n += snprintf(text + n, size - (size_t)n, "%s", setters);
    if (i == FORMS) break;
    const char *direction = forms[i].direction ? forms[i].direction : "up";
    n += snprintf(text + n, size - (size_t)n, "'c%02d': {'when': '%s', 'direction': '%s'}, ", i, forms[i].when,
                  direction);
  }
  snprintf(text + n - 2, size - (size_t)n + 2, "}}");
}

TEST(every_form_at_the_time_of_the_setting) {
  static char text[32768];
  for (int k = 0; k < INTEGRATORS; k++)
    for (int place = 0; has(integrators[k]) && place <= FORMS; place += FORMS / 2) {
      build b;
      tn_error e;
      model_of_forms(text, sizeof text, place);
      if (!made(&b, text, integrators[k])) return;
      if (tn_sim_run(b.sim, nowhere, NULL, &e) != TN_OK) FAIL("%s: %s", integrators[k], e.message);
      for (int i = 0; i < FORMS; i++) {
        char name[8];
        snprintf(name, sizeof name, "c%02d", i);
        bool good = count(&b, name) == forms[i].times;
        for (int j = 0; j < forms[i].times; j++) good = good && fabs(when(&b, name, j) - forms[i].time[j]) < 1e-9;
        if (!good)
          FAIL("%s, `%s` %s: %" PRId64 " times, first at %g", integrators[k], forms[i].when,
               forms[i].direction ? forms[i].direction : "", count(&b, name), when(&b, name, 0));
      }
      /* behind the setting, round the file: not one is out of its turn */
      const tn_event *last = NULL;
      int from = -1, at = -1;
      for (int i = 0; i < tn_sim_events(b.sim); i++) {
        const tn_event *ev = tn_sim_event(b.sim, i);
        if (strcmp(ev->kind, "event") != 0) continue;
        const bool sets = ev->text[0] == 's';
        const int turn = sets ? place : atoi(ev->text + 1) + (atoi(ev->text + 1) >= place);
        if (sets) from = at = turn, last = ev;
        if (sets || !last || ev->t != last->t) continue;
        const int all = FORMS + 1;
        if ((turn - from + all) % all < (at - from + all) % all) FAIL("%s is out of its turn", ev->text);
        at = turn;
      }
      build_free(&b);
    }
}

/* a sets n, b sees it and sets m, c sees that, and so on: at one time, whatever their order in the file */
TEST(chains_at_one_time) {
  static const char *const orders[] = {"abcd", "dcba", "cadb"};
  static const char *const links[] = {"'a': {'when': 'b.x > 0.35', 'do': {'set': {'n': 1}}}",
                                      "'b': {'when': 'n == 1', 'do': {'set': {'m': 2}}}",
                                      "'c': {'when': 'm > 0 and n >= 1', 'do': {'set': {'k': 'm + n'}}}",
                                      "'d': {'when': 'not (k != 3) and b.vx > 0', 'do': {'set': {'n': 0}}}"};
  for (int k = 0; k < INTEGRATORS; k++)
    for (int o = 0; has(integrators[k]) && o < 3; o++) {
      build b;
      tn_error e;
      char text[2048];
      int n = snprintf(text, sizeof text, FREE "'parameters': {'n': 0, 'm': 0, 'k': 0}, 'events': {");
      for (int i = 0; i < 4; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", links[orders[o][i] - 'a'], i < 3 ? ", " : "}}");
      if (!made(&b, text, integrators[k])) return;
      CHECK(tn_sim_run(b.sim, nowhere, NULL, &e) == TN_OK);
      const double t = when(&b, "a", 0);
      CHECK_NEAR(t, 0.35, 1e-9);
      CHECK(when(&b, "b", 0) == t && when(&b, "c", 0) == t && when(&b, "d", 0) == t);
      CHECK(count(&b, "b") == 1 && count(&b, "c") == 1 && count(&b, "d") == 1);
      CHECK(parameter(&b, "n") == 0 && parameter(&b, "m") == 2 && parameter(&b, "k") == 3);
      build_free(&b);
    }
}

/* two counters that drive each other to an end, many times at one time; a law that follows them does not mind */
TEST(many_firings_at_one_time_that_end) {
  static const char *const by[] = {"dopri5", "rk4:step=0.1", "abm"};
  for (int k = 0; k < 3; k++) {
    build b;
    tn_error e;
    if (!made(&b,
              FREE
              "'parameters': {'n': 0}, 'forces': {'f': {'type': 'force', 'on': 'b', 'value': ['if(mod(n, 2) == 1, 1,"
              " 0)', 0]}}, 'events': {'go': {'when': 't > 0.5', 'do': {'set': {'n': 1}}},"
              " 'odd': {'when': 'mod(n, 2) == 1 and n < 900', 'do': {'set': {'n': 'n + 1'}}},"
              " 'even': {'when': 'mod(n, 2) == 0 and n < 900', 'do': {'set': {'n': 'n + 1'}}},"
              " 'end': {'when': 'n == 900'}}}",
              by[k]))
      return;
    if (tn_sim_run(b.sim, nowhere, NULL, &e) != TN_OK) FAIL("%s", e.message);
    CHECK(parameter(&b, "n") == 900 && count(&b, "odd") == 450 && count(&b, "even") == 449 && count(&b, "end") == 1);
    build_free(&b);
  }
}

/* what is set for no longer than between two events is seen */
TEST(what_stands_between_two_events_is_seen) {
  build b;
  tn_error e;
  if (!made(&b,
            FREE "'parameters': {'n': 0}, 'events': {'a': {'when': 't > 0.5', 'do': {'set': {'n': 1}}},"
                 " 'b': {'when': 't > 0.5', 'do': {'set': {'n': 2}}}, 'one': {'when': 'n == 1'}, 'two': {'when': 'n =="
                 " 2'}}}",
            NULL))
    return;
  CHECK(tn_sim_run(b.sim, nowhere, NULL, &e) == TN_OK);
  CHECK(count(&b, "one") == 1 && count(&b, "two") == 1 && when(&b, "one", 0) == when(&b, "two", 0));
  build_free(&b);
}

/* inside the list of one event laws have what was set before, and so has a row */
TEST(laws_between_actions) {
  static const char *const by[] = {"dopri5", "rk4:step=0.1", "abm", "radau5"};
  for (int k = 0; k < 4; k++) {
    build b;
    build_table rows = {0};
    if (!made(&b,
              FREE
              "'parameters': {'n': 0, 'm': 0}, 'forces': {'f': {'type': 'force', 'on': 'b', 'value': ['if(n >= 1, 10,"
              " 3)', 0]}}, 'events': {'e': {'when': 't > 0.45', 'do': ['record', {'set': {'n': 1}}, {'set': {'m':"
              " 'b.ax'}}, 'record', {'set': {'n': 0}}, 'record']}}, 'outputs': {'a': 'b.ax', 'm': 'm'}}",
              by[k]))
      return;
    CHECK(build_run(&b, &rows));
    CHECK(rows.rows == 14);
    if (rows.rows == 14) {
      CHECK(build_at(&rows, 5, 0) == 3 && build_at(&rows, 6, 0) == 10 && build_at(&rows, 7, 0) == 3);
      CHECK(build_at(&rows, 5, 1) == 0 && build_at(&rows, 6, 1) == 10);
    }
    build_table_free(&rows);
    build_free(&b);
  }
}

/* a law that was off while its parameter changed has the piece of the new value when it is on again */
TEST(a_law_that_was_off) {
  static const char *const by[] = {"dopri5", "rk4:step=0.1", "abm", "radau5"};
  for (int k = 0; k < 4; k++) {
    build b;
    build_table rows = {0};
    if (!made(&b,
              FREE
              "'parameters': {'n': 2}, 'forces': {'f': {'type': 'force', 'on': 'b', 'value': ['if(mod(n, 2) == 0, 3,"
              " -3)', 0]}}, 'events': {'o': {'when': 't > 0.25', 'do': {'off': 'f'}},"
              " 's': {'when': 't > 0.45', 'do': {'set': {'n': 4}}}, 'i': {'when': 't > 0.65', 'do': {'on': 'f'}}},"
              " 'outputs': {'a': 'b.ax', 'v': 'b.vx'}}",
              by[k]))
      return;
    CHECK(build_run(&b, &rows) && rows.rows == 11);
    if (rows.rows == 11) {
      CHECK(build_at(&rows, 2, 0) == 3 && build_at(&rows, 3, 0) == 0 && build_at(&rows, 7, 0) == 3);
      CHECK_NEAR(build_at(&rows, 10, 1), 1 + 3 * (0.25 + 0.35), 1e-9);
    }
    build_table_free(&rows);
    build_free(&b);
  }
}

/* 1,000 firings, and those that make the circle by name: not the one that began it, nor one that only looks on */
TEST(circles_are_refused_by_name) {
  static const struct {
    const char *events, *message;
  } circles[] = {{"'a': {'when': 'n == 1', 'do': {'set': {'n': 2}}}, 'z': {'when': 'n == 1'},"
                  " 'b': {'when': 'n == 2', 'do': {'set': {'n': 1}}}",
                  "events 'a' and 'b' set each other off without end: 1000 firings"},
                 {"'a': {'when': 'n == 1', 'do': {'set': {'n': 2}}}, 'b': {'when': 'n >= 2', 'do': {'set': {'n': 3}}},"
                  " 'c': {'when': 'not (n < 3)', 'do': {'set': {'n': 1}}}",
                  "events 'a', 'b' and 'c' set each other off without end: 1000 firings"},
                 {"'a': {'when': 'n - 0.5', 'do': {'set': {'n': '1 - n'}}}",
                  "event 'a' sets itself off without end: 1000 firings"},
                 {"'e{i}': {'repeat': 'i=1..12', 'when': 'n == i', 'do': {'set': {'n': 'if(n == 12, 1, n + 1)'}}}",
                  "'e7', 'e8' and 4 more set each other off"}};
  for (size_t k = 0; k < sizeof circles / sizeof *circles; k++)
    for (int i = 0; i < INTEGRATORS; i++) {
      build b;
      tn_error e;
      char text[2048];
      if (!has(integrators[i])) continue;
      snprintf(text, sizeof text,
               FREE "'parameters': {'n': 0}, 'events': {%s, 'go': {'when': 'b.x > 0.25', 'do': {'set': {'n': 1}}}}}",
               circles[k].events);
      if (!made(&b, text, integrators[i])) return;
      CHECK(tn_sim_run(b.sim, nowhere, NULL, &e) == TN_E_RUN);
      CHECK_HAS(e.message, circles[k].message);
      CHECK_NEAR(e.time, 0.25, 1e-9);
      CHECK(tn_sim_summary(b.sim)->fired == 1000);
      build_free(&b);
    }
}

/* many at one time that nobody sets off are no circle */
TEST(many_at_one_time_are_no_circle) {
  build b;
  tn_error e;
  if (!made(&b,
            FREE "'parameters': {'k': 0}, 'events': {'e{i}': {'repeat': 'i=1..1100', 'when': 't > 0.5', 'do': {'set':"
                 " {'k': 'k + 1'}}}}}",
            NULL))
    return;
  if (tn_sim_run(b.sim, nowhere, NULL, &e) != TN_OK) FAIL("%s", e.message);
  CHECK(parameter(&b, "k") == 1100);
  build_free(&b);
}

/* a drive with four slots: pins go in and out by turns, told by a parameter; the wheel turns by 90 degrees each time */
#define GENEVA                                                                                                         \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'constants': {'c': 0.1, 'a': 'c/sqrt(2)', 'speed': '60*rpm'},"      \
  " 'parameters': {'into': '315*deg', 'out': '405*deg', 'odd': 0, 'th': 0}, 'points': {'O': [0, 0], 'W': ['c', 0]},"   \
  " 'bodies': {'crank': {'mass': 0.5, 'inertia': 5e-4, 'angle': '180*deg'},"                                           \
  "  'wheel': {'position': 'W', 'mass': 0.8, 'inertia': 1e-3}},"                                                       \
  " 'joints': {'O': {'type': 'revolute', 'between': ['ground', 'crank'], 'at': 'O'},"                                  \
  "  'W': {'type': 'revolute', 'between': ['ground', 'wheel'], 'at': 'W'},"                                            \
  "  'motor': {'type': 'driver', 'on': 'crank.angle', 'value': '180*deg + speed*t'},"                                  \
  "  'slotA': {'type': 'point-on-line', 'between': ['wheel', 'crank'], 'on_bodies': [[0, 0], ['a', 0]], 'axis': [1, "  \
  "1], 'active': false},"                                                                                              \
  "  'slotB': {'type': 'point-on-line', 'between': ['wheel', 'crank'], 'on_bodies': [[0, 0], ['a', 0]], 'axis': [1, "  \
  "-1], 'active': false},"                                                                                             \
  "  'lock': {'type': 'driver', 'on': 'W.angle', 'value': 'th'}},"                                                     \
  " 'events': {'inA': {'when': 'crank.angle > into and odd == 0', 'do': [{'off': 'lock'}, {'on': 'slotA'},"            \
  "   {'set': {'into': 'into + 2*pi'}}]},"                                                                             \
  "  'outA': {'when': 'crank.angle > out and odd == 0', 'do': [{'off': 'slotA'}, {'set': {'th': 'W.angle'}},"          \
  "   {'on': 'lock'}, {'set': {'odd': 1, 'out': 'out + 2*pi'}}]},"                                                     \
  "  'inB': {'when': 'crank.angle > into and odd >= 1', 'do': [{'off': 'lock'}, {'on': 'slotB'},"                      \
  "   {'set': {'into': 'into + 2*pi'}}]},"                                                                             \
  "  'outB': {'when': 'crank.angle > out and not (odd < 1)', 'do': [{'off': 'slotB'}, {'set': {'th': 'W.angle'}},"     \
  "   {'on': 'lock'}, {'set': {'odd': 0, 'out': 'out + 2*pi'}}]}},"                                                    \
  " 'outputs': {'wheel': 'W.angle/deg'}, 'run': {'until': 4, 'every': 1}}"

TEST(a_geneva_drive_by_turns) {
  static const char *const by[] = {"dopri5", "dop853", "abm", "radau5", "rk4:step=0.005"};
  for (int k = 0; k < 5; k++) {
    build b;
    build_table rows = {0};
    if (!made(&b, GENEVA, by[k])) return;
    if (!build_run(&b, &rows)) FAIL("%s: %s", by[k], b.message);
    for (int i = 0; i < rows.rows; i++) CHECK_NEAR(build_at(&rows, i, 0), -90.0 * i, 1e-4);
    CHECK(rows.rows == 5 && count(&b, "inB") == 2 && count(&b, "outB") == 2);
    build_table_free(&rows);
    build_free(&b);
  }
}
