/* events: where they are, against solutions of 50 digits and closed forms; what they do, against conservation laws and models that
 * never had what was switched. */
#include <tenon/extend.h>

#include "../support/failing.h"
#include "model/model.h"
#include "test.h"

typedef struct row {
  double t, value[16];
} row;

typedef struct run {
  tn_desc *desc;
  tn_model *model;
  tn_sim *sim;
  tn_error error;
  tn_status status;
  int rows;
  row row[4096];
} run;

static tn_status keep(void *user, double t, int n, const double *values) {
  run *r = user;
  if (r->rows == 4096) return TN_E_MEMORY;
  r->row[r->rows].t = t;
  memcpy(r->row[r->rows++].value, values, sizeof *values * (size_t)(n < 16 ? n : 16));
  return TN_OK;
}

/* a text with ' for ", or models/NAME.json; settings: pairs of name and value, NULL at the end */
static run *made(const char *model, const char *const *settings, const tn_allocator *allocator) {
  run *r = calloc(1, sizeof *r);
  char *text = malloc(strlen(model) + 256);
  tn_status status = tn_desc_new(allocator, &r->desc, &r->error);
  if (*model == '{') {
    strcpy(text, model);
    for (char *c = text; *c; c++)
      if (*c == '\'') *c = '"';
    if (!status) status = tn_desc_parse(r->desc, "m.json", text, strlen(text), &r->error);
  } else {
    sprintf(text, TN_SOURCE_DIR "/models/%s.json", model);
    if (!status) status = tn_desc_read(r->desc, text, &r->error);
  }
  for (; !status && settings && *settings; settings += 2) {
    const tn_setting one = {settings[0], settings[1]};
    if (**settings == '/')
      status = tn_desc_json(r->desc, settings[0], settings[1], &r->error);
    else
      status = tn_desc_settings(r->desc, 1, &one, &r->error);
  }
  if (!status) status = tn_compile(r->desc, &r->model, &r->error);
  if (!status) status = tn_sim_new(r->model, &r->sim, &r->error);
  r->status = status;
  free(text);
  return r;
}

static run *simulated(const char *model, const char *const *settings) {
  run *r = made(model, settings, NULL);
  if (!r->status) r->status = tn_sim_run(r->sim, keep, r, &r->error);
  return r;
}

static void done(run *r) {
  tn_sim_free(r->sim);
  tn_model_free(r->model);
  tn_desc_free(r->desc);
  free(r);
}

static void good(const run *r) {
  char text[1024];
  if (!r->status) return;
  tn_error_text(&r->error, text, sizeof text);
  printf("%s\n", text);
  CHECK(r->status == TN_OK);
}

/* the k-th event of the log with this name; NaN */
static double when(const run *r, const char *name, int k) {
  for (int i = 0; r->sim && i < tn_sim_events(r->sim); i++) {
    const tn_event *e = tn_sim_event(r->sim, i);
    if (strcmp(e->kind, "event") == 0 && (!name || strcmp(e->text, name) == 0) && k-- == 0) return e->t;
  }
  return NAN;
}

static int64_t count(const run *r, const char *name) {
  tn_fired f;
  for (int i = 0; tn_sim_fired(r->sim, i, &f); i++)
    if (strcmp(f.event, name) == 0) return f.count;
  return -1;
}

static bool has(const char *integrator) {
  for (int i = 0; i < tn_integrator_type_count; i++)
    if (strcmp(tn_integrator_types[i]->name, integrator) == 0) return true;
  return false;
}

/* times in the list `key` of a file of test/data; their number */
static int times_of(const char *file, const char *key, int most, double *t) {
  char path[256];
  static char text[1 << 20];
  int n = 0;
  snprintf(path, sizeof path, TN_SOURCE_DIR "/test/data/%s.json", file);
  FILE *f = fopen(path, "r");
  if (!f) return 0;
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  const char *at = strstr(text, key), *end = at ? strchr(at, ']') : NULL;
  while (n < most && at && (at = strstr(at, "\"t\": \"")) && at < end) t[n++] = strtod(at += 6, NULL);
  return n;
}

/* ---- where -------------------------------------------------------------------------------------------------------------------- */

static void against_the_stop(const char *integrator, double tolerance) {
  double ref[16], off = 0;
  if (!has(integrator)) return;
  char part[80];
  snprintf(part, sizeof part, "%s:rtol=1e-13,atol=1e-13", integrator);
  const char *const settings[] = {"integrator", part, NULL};
  run *r = simulated("pendulum_stop", settings);
  good(r);
  const int n = times_of("ref_pendulum_stop", "events", 16, ref);
  CHECK(n == 8);
  for (int i = 0; i < n; i++) off = fmax(off, fabs(when(r, i % 2 ? "leave" : "hit", i / 2) - ref[i]));
  printf("%s: %.1e s\n", integrator, off);
  CHECK(n && off <= tolerance);
  CHECK(isnan(when(r, NULL, 8)));
  CHECK_NEAR(r->row[r->rows - 1].value[0], -0.16609373220770352256, 1e-10);
  CHECK(r->row[r->rows - 1].value[3] == 32000);
  done(r);
}

TEST(a_pendulum_against_a_spring_stop) {
  against_the_stop("dop853", 1e-12);
  against_the_stop("dopri5", 1e-12);
  against_the_stop("radau5", 1e-12);
  against_the_stop("abm", 1e-12);
  against_the_stop("cvode-adams", 1e-12);
}

/* with what a user gets who sets nothing, the motion has its error, but the zero is found in it */
TEST(located_at_the_defaults) {
  double most = 0;
  int events = 0;
  run *r = simulated("pendulum_stop", NULL);
  good(r);
  for (int i = 1; i < r->rows; i++) {
    const row *x = &r->row[i];
    if (fabs(x->t / 0.05 - round(x->t / 0.05)) < 1e-9) continue;
    most = fmax(most, fabs((x->value[0] - 0.3) / x->value[1]));
    events++;
  }
  printf("%.1e s\n", most);
  CHECK(events == 8 && most <= 1e-12);
  done(r);
}

static void crossings(const char *model, const char *file, const char *until, int n) {
  const char *const settings[] = {"integrator",
                                  "dop853:rtol=1e-13,atol=1e-13",
                                  "until",
                                  until,
                                  "/events/theta",
                                  "{\"when\": \"det([rod1, rod2, rod3], [crank1.angle, crank2.angle, crank3.angle])\"}",
                                  "/events/x",
                                  "{\"when\": \"det([rod1, rod2, rod3], [platform.x, platform.y, platform.angle])\"}",
                                  NULL};
  double ref[128], off = 0;
  run *r = simulated(model, settings);
  good(r);
  const int all = times_of(file, "crossings", 128, ref);
  int seen = 0;
  for (; seen < all && ref[seen] <= atof(until); seen++) off = fmax(off, fabs(when(r, NULL, seen) - ref[seen]));
  printf("%s: %d crossings, %.1e s\n", model, seen, off);
  CHECK(seen == n && off <= 1e-12);
  CHECK(isnan(when(r, NULL, seen)));
  done(r);
}

TEST(determinants_of_a_robot_pass_zero) {
  crossings("hoang_const", "ref_hoang_const", "1", 9);
  crossings("hoang_pd", "ref_hoang_pd", "5", 7);
}

#define FREE                                                                                                           \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'b': {'mass': 1, 'coordinates': 'point'}},"              \
  " 'start': {'b.vx': 1, 'b.vy': -0.5}, 'outputs': {'x': 'b.x', 'y': 'b.y', 'vx': 'b.vx', 'n': 'n'},"                  \
  " 'run': {'until': 2, 'every': 0.5}, "

TEST(several_in_one_step_come_in_their_order) {
  static const char *const by[][3] = {{"integrator", "rk4:step=1", NULL},
                                      {"integrator", "dopri5", NULL},
                                      {"integrator", "abm", NULL},
                                      {"integrator", "radau5", NULL}};
  for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
    run *r =
        simulated(FREE "'parameters': {'n': 0}, 'events': {"
                       "'d': {'when': 'b.x - 0.9', 'do': {'set': {'n': '10*n + 4'}}},"
                       "'b': {'when': 't - 0.5', 'do': {'set': {'n': '10*n + 2'}}},"
                       "'a': {'when': 'b.x > 0.5', 'do': {'set': {'n': '10*n + 1'}}}," /* with b, which stands before */
                       "'c': {'when': 'b.y < -0.35', 'do': {'set': {'n': '10*n + 3'}}}}}",
                  by[i]);
    good(r);
    CHECK_NEAR(when(r, "c", 0), 0.7, 1e-12);
    CHECK_NEAR(when(r, "d", 0), 0.9, 1e-12);
    CHECK(r->row[r->rows - 1].value[3] == 2134);
    done(r);
  }
}

TEST(directions_times_and_conditions) {
  run *r = simulated(
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'b': {'mass': 1, 'coordinates': 'point'}},"
      " 'outputs': {'x': 'b.x'}, 'run': {'until': 10, 'every': 10, 'integrator': {'type': 'dopri5', 'max_step': 0.1}},"
      " 'events': {"
      "'up': {'when': 'sin(t)', 'direction': 'up'}, 'down': {'when': 'sin(t)', 'direction': 'down'},"
      "'both': {'when': 'sin(t)'}, 'twice': {'when': 'sin(t)', 'times': 2},"
      "'true': {'when': 'cos(t) > 0.5'}, 'false': {'when': 'cos(t) > 0.5', 'direction': 'down'},"
      "'either': {'when': 'cos(t) > 0.5 and t > 1', 'direction': 'both'}}}",
      NULL);
  good(r);
  const double pi = 3.14159265358979323846;
  CHECK(count(r, "up") == 1 && count(r, "down") == 2 && count(r, "both") == 3 && count(r, "twice") == 2);
  CHECK(count(r, "true") == 1 && count(r, "false") == 2 && count(r, "either") == 4);
  CHECK_NEAR(when(r, "up", 0), 2 * pi, 1e-12); /* not where it begins, at zero */
  CHECK_NEAR(when(r, "down", 1), 3 * pi, 1e-12);
  CHECK_NEAR(when(r, "false", 0), pi / 3, 1e-12);
  CHECK_NEAR(when(r, "either", 0), 1, 1e-12);
  CHECK_NEAR(when(r, "either", 2), 5 * pi / 3, 1e-12);
  done(r);
}

#define SPINNING                                                                                                       \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'arm': {'mass': 2, 'inertia': 0.1}},"                    \
  " 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'arm'], 'at': [0, 0]}}, 'start': {'pin.rate': 1},"

/* at a constant rate places inside a step are met to the last bit, and a margin there is 0 or roundoff */
TEST(none_is_lost_that_is_met_exactly) {
  static const char *const by[][3] = {{"integrator", "dopri5", NULL},
                                      {"integrator", "dopri5:step=0.05", NULL},
                                      {"integrator", "rk4:step=0.25", NULL},
                                      {"integrator", "radau5", NULL}};
  char text[8192];
  for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
    int n = snprintf(text, sizeof text, SPINNING "'run': {'until': 1, 'every': 1}, 'events': {");
    for (int i = 1; i < 50; i++)
      n += snprintf(text + n, sizeof text - (size_t)n, "'e%d': {'when': 'pin.angle %s 0.%02d'}, ", i, i % 2 ? ">" : "-",
                    2 * i);
    snprintf(text + n, sizeof text - (size_t)n, "'last': {'when': 'pin.angle > 0.99', 'do': 'stop'}}}");
    run *r = simulated(text, by[k]);
    good(r);
    double off = 0;
    for (int i = 1; i < 50; i++) {
      char name[16];
      snprintf(name, sizeof name, "e%d", i);
      CHECK(count(r, name) == 1);
      off = fmax(off, fabs(when(r, name, 0) - 0.02 * i));
    }
    CHECK(off <= 1e-12);
    CHECK_NEAR(when(r, "last", 0), 0.99, 1e-12);
    done(r);
  }
}

/* the step is no longer than rows are apart, unless it is said how long: crossings inside are seen */
TEST(crossings_inside_long_steps) {
  run *r = simulated(SPINNING "'run': {'until': 7, 'every': 0.1}, 'events': {'c': {'when': 'cos(3*pin.angle)'},"
                              " 'm': {'when': 'mod(pin.angle, 1) > 0.5'}}}",
                     NULL);
  good(r);
  CHECK(count(r, "c") == 7 && count(r, "m") == 7);
  done(r);
}

/* one that is at zero where the run begins, while another ends every step */
TEST(at_zero_where_it_begins) {
  run *r = simulated("{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81],"
                     " 'bodies': {'bob': {'mass': 1, 'inertia': 0.1, 'center': [0, -1]}},"
                     " 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'bob'], 'at': [0, 0]}},"
                     " 'start': {'pin.rate': 1}, 'run': {'until': 5, 'every': 0.5},"
                     " 'events': {'bottom': {'when': 'pin.angle'}, 'clock': {'when': 'mod(t, 0.02) > 0.01'}}}",
                     NULL);
  good(r);
  CHECK(count(r, "bottom") == 4 && count(r, "clock") == 250);
  done(r);
}

/* what an event switches on may hold what it looks at, at its edge, for long: it does not happen again, nor when it is let go */
TEST(held_at_the_edge) {
  static const char *const by[][3] = {{"integrator", "dopri5", NULL},
                                      {"integrator", "rk4:step=0.01", NULL},
                                      {"integrator", "abm", NULL},
                                      {"stabilize", "baumgarte:alpha=5,beta=5", NULL}};
  for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
    run *r = simulated("{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81],"
                       " 'bodies': {'bob': {'mass': 1, 'inertia': 0.1, 'center': [0.5, -1]}},"
                       " 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'bob'], 'at': [0, 0]},"
                       "  'hold': {'type': 'driver', 'on': 'pin.angle', 'value': 0.25, 'active': false}},"
                       " 'start': {'pin.rate': 4}, 'run': {'until': 3, 'every': 0.1}, 'outputs': {'a': 'pin.angle'},"
                       " 'events': {'near': {'when': 'pin.angle > 0.25', 'do': {'on': 'hold'}},"
                       "  'zero': {'when': 'pin.angle - 0.25'}, 'go': {'when': 't > 1.5', 'do': {'off': 'hold'}}}}",
                       by[k]);
    good(r);
    CHECK(count(r, "near") == 1 && count(r, "go") == 1);
    CHECK(count(r, "zero") >= 1 && count(r, "zero") <= 2);
    CHECK(r->row[r->rows - 1].value[0] < 0.2);
    done(r);
  }
}

/* ---- what they do ----------------------------------------------------------------------------------------------------------------- */

TEST(stop_and_record) {
  run *r = simulated(FREE "'parameters': {'n': 0}, 'events': {'there': {'when': 'b.x - 0.7', 'do': ['record', {'set': "
                          "{'n': 5}}, 'record', 'stop']}}}",
                     NULL);
  good(r);
  CHECK(r->rows == 4); /* 0, 0.5, and two, of which the second stands for the end too */
  CHECK_NEAR(r->row[2].t, 0.7, 1e-13);
  CHECK(r->row[3].t == r->row[2].t);
  CHECK(r->row[2].value[3] == 0 && r->row[3].value[3] == 5);
  CHECK(strstr(tn_sim_summary(r->sim)->message, "ended by event 'there' at t = 0.7"));
  CHECK(tn_sim_summary(r->sim)->t_end == r->row[2].t);
  CHECK(tn_sim_run(r->sim, keep, r, &r->error) == TN_E_USAGE && strstr(r->error.message, "has ended the run"));
  CHECK(tn_sim_advance(r->sim, 2, &r->error) == TN_E_USAGE);
  const double q[2] = {0, 0}; /* from another state it goes on */
  CHECK(tn_sim_set(r->sim, 0, q, NULL, true, &r->error) == TN_OK && tn_sim_advance(r->sim, 0.25, &r->error) == TN_OK);
  done(r);
  r = simulated(
      FREE "'parameters': {'n': 0}, 'events': {'end': {'when': 't - 1.999999999999999', 'do': [{'set': {'n': 1}}]}}}",
      NULL);
  good(r); /* at the very end */
  CHECK(count(r, "end") == 1 && tn_sim_parameter(r->sim, 0) == 1);
  done(r);
}

/* momentum is conserved: 5*2/(2 + 3) rad/s, 15 J lost; by every formulation, in both kinds of coordinates, with all integrators */
static void clutch(const char *what, const char *name, const char *coordinates, double tolerance) {
  const char *const settings[] = {what, name, "coordinates", coordinates, NULL};
  run *r = simulated("clutch", settings);
  tn_fired f;
  tn_impulse p = {0};
  good(r);
  const double *end = r->row[r->rows - 1].value;
  CHECK_NEAR(end[0], 2, tolerance);
  CHECK_NEAR(end[1], 2, tolerance);
  CHECK_NEAR(end[3], 15, 10 * tolerance);
  CHECK_NEAR(end[4], 0, 10 * tolerance);
  CHECK_NEAR(when(r, "engage", 0), 1.25, 1e-12);
  CHECK_NEAR(when(r, "let_go", 0), 8.125, 10 * tolerance);
  CHECK_NEAR(when(r, "arrived", 0), 16.25, 10 * tolerance);
  CHECK(tn_sim_fired(r->sim, 0, &f) && f.count == 1 && fabs(f.energy_lost - 15) < 10 * tolerance);
  CHECK(tn_sim_impulse(r->sim, 0, &p) && !tn_sim_impulse(r->sim, 1, &p));
  CHECK(strcmp(p.joint, "clutch") == 0 && strcmp(p.event, "engage") == 0);
  CHECK_NEAR(fabs(p.wrench[0]), 6, 10 * tolerance);
  if (tn_test_failures) printf("%s %s, %s\n", what, name, coordinates);
  done(r);
}

TEST(a_clutch_by_every_formulation) {
  for (int i = 0; i < tn_formulation_type_count; i++)
    for (int k = 0; k < 2; k++)
      clutch("formulation", tn_formulation_types[i]->name, k ? "relative" : "absolute",
             tn_formulation_types[i]->inexact ? 1e-9 : 1e-12);
}

TEST(a_clutch_by_every_integrator) {
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *t = tn_integrator_types[i];
    char part[96];
    const bool adaptive = t->order_estimate || t->advance || t->plan;
    snprintf(part, sizeof part, adaptive ? "%s" : "%s:step=0.01", t->name);
    clutch("integrator", part, "absolute", 1e-10);
  }
}

/* in space two bodies in free flight become one: linear and angular momentum stay, and the joint holds from there on */
TEST(a_weld_in_space) {
  run *r = made("{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, 0],"
                " 'bodies': {'a': {'mass': 2, 'inertia': [1, 2, 3], 'position': [0, 0, 0]},"
                "            'b': {'mass': 1, 'inertia': [0.3, 0.2, 0.1], 'position': [1, 0.5, 0]}},"
                " 'joints': {'ball': {'type': 'spherical', 'between': ['a', 'b'], 'at': [0.5, 0, 0]},"
                "            'lock': {'type': 'weld', 'between': ['a', 'b'], 'at': [0.5, 0, 0], 'active': false}},"
                " 'events': {'go': {'when': 't - 0.3', 'do': {'off': 'ball'}}},"
                " 'start': {'a.vx': 1, 'a.vy': 2, 'b.wz': 3, 'b.wx': -1, 'a.wy': 0.5},"
                " 'outputs': {'p': 'momentum.px', 'q': 'momentum.py', 'r': 'momentum.pz', 'lx': 'momentum.lx',"
                "  'ly': 'momentum.ly', 'lz': 'momentum.lz', 'balance': 'energy.balance', 'v': 'lock.violation',"
                "  'apart': 'norm(omega(a) - omega(b))'},"
                " 'run': {'until': 1, 'every': 0.1}}",
                NULL, NULL);
  good(r);
  static const char *const momentum[] = {"momentum.px", "momentum.py", "momentum.pz",
                                         "momentum.lx", "momentum.ly", "momentum.lz"};
  double before[6], kinetic, after;
  bool on = true;
  CHECK(tn_sim_start(r->sim, &r->error) == TN_OK);
  for (int k = 0; k < 6; k++) CHECK(tn_sim_channel(r->sim, momentum[k], &before[k], &r->error) == TN_OK);
  CHECK(tn_sim_channel(r->sim, "energy.kinetic", &kinetic, &r->error) == TN_OK);
  CHECK(tn_sim_is_on(r->sim, "lock", &on, &r->error) == TN_OK && !on);
  CHECK(tn_sim_switch(r->sim, "lock", true, &r->error) == TN_OK);
  CHECK(tn_sim_is_on(r->sim, "lock", &on, &r->error) == TN_OK && on);
  tn_impulse p;
  CHECK(tn_sim_impulse(r->sim, 0, &p) && !p.event && strcmp(p.joint, "lock") == 0);
  CHECK(tn_sim_channel(r->sim, "energy.kinetic", &after, &r->error) == TN_OK);
  CHECK(p.energy_lost > 0.1);
  CHECK_NEAR(kinetic - after, p.energy_lost, 1e-12);
  r->status = tn_sim_run(r->sim, keep, r, &r->error);
  good(r);
  CHECK(r->rows == 11);
  for (int i = 0; i < r->rows; i++) {
    for (int k = 0; k < 6; k++) CHECK_NEAR(r->row[i].value[k], before[k], 1e-8);
    CHECK_NEAR(r->row[i].value[6], 0, 1e-8);
    CHECK(r->row[i].value[7] < 1e-12 && r->row[i].value[8] < 1e-12);
  }
  CHECK(tn_sim_is_on(r->sim, "ball", &on, &r->error) == TN_OK && !on);
  done(r);
}

/* a joint that breaks under its load: from there on the motion of a model that never had it */
TEST(a_joint_that_breaks) {
  static const char *const kinds[] = {"absolute", "relative"};
  for (int k = 0; k < 2; k++) {
    const char *const settings[] = {
        "coordinates",
        kinds[k],
        "until",
        "2",
        "/outputs",
        "{\"x\": \"position(coupler, C)\", \"f\": \"norm(force(C))\", \"b\": \"norm(force(B))\"}",
        "/events/breaks",
        "{\"when\": \"norm(force(C)) > 40\", \"do\": {\"off\": \"C\"}}",
        NULL};
    const char *const without[] = {
        "coordinates", kinds[k], "/joints/C",
        "{\"type\": \"revolute\", \"between\": [\"coupler\", \"rocker\"], \"at\": \"C\", \"active\": false}", NULL};
    run *r = made("four_bar", settings, NULL), *w = made("four_bar", without, NULL);
    good(r);
    good(w);
    double x[2], y[2];
    /* up to the event by steps of the model itself, then both */
    for (double t = 0.001; t < 1 && r->status == TN_OK && count(r, "breaks") < 1; t += 0.001)
      r->status = tn_sim_advance(r->sim, t, &r->error);
    good(r);
    CHECK(when(r, "breaks", 0) > 0.04 && when(r, "breaks", 0) < 0.05);
    CHECK(tn_sim_channel(r->sim, "C.fx", &x[0], &r->error) == TN_OK && x[0] == 0);
    CHECK(tn_sim_set(w->sim, tn_sim_time(r->sim), tn_sim_q(r->sim), tn_sim_u(r->sim), false, &w->error) == TN_OK);
    CHECK(tn_sim_advance(r->sim, 1, &r->error) == TN_OK && tn_sim_advance(w->sim, 1, &w->error) == TN_OK);
    static const char *const seen[] = {"coupler.x", "coupler.angle", "rocker.angle", "D.fy"};
    for (int i = 0; i < 4; i++) {
      CHECK(tn_sim_channel(r->sim, seen[i], &x[0], &r->error) == TN_OK &&
            tn_sim_channel(w->sim, seen[i], &y[0], &w->error) == TN_OK);
      CHECK_NEAR(x[0], y[0], 1e-5);
    }
    done(w);
    /* it cannot be put back where its bodies are apart */
    tn_error e;
    CHECK(tn_sim_switch(r->sim, "C", true, &e) == TN_E_RUN);
    CHECK(strstr(e.message, "joint 'C' is off by") && strstr(e.message, "allowed 4.12e-08 m"));
    bool on = true; /* and is as it was: the motion goes on */
    CHECK(tn_sim_is_on(r->sim, "C", &on, &e) == TN_OK && !on && tn_sim_advance(r->sim, 1.1, &e) == TN_OK);
    done(r);
  }
}

/* a switched joint that was off and is on again does what it did before, bit by bit of what the rows are */
TEST(off_and_on_again) {
  run *r = made("four_bar", (const char *const[]){"/joints/C/active", "true", "until", "1", NULL}, NULL);
  run *w = made("four_bar", (const char *const[]){"until", "1", NULL}, NULL);
  tn_error e;
  double x = 0, y = NAN;
  CHECK(tn_sim_start(r->sim, &e) == TN_OK && tn_sim_start(w->sim, &e) == TN_OK);
  CHECK(tn_sim_switch(r->sim, "C", false, &e) == TN_OK && tn_sim_summary(r->sim)->degrees_of_freedom == 1);
  CHECK(tn_sim_switch(r->sim, "C", true, &e) == TN_OK);
  CHECK(tn_sim_advance(r->sim, 1, &e) == TN_OK && tn_sim_advance(w->sim, 1, &e) == TN_OK);
  CHECK(tn_sim_channel(r->sim, "coupler.angle", &x, &e) == TN_OK &&
        tn_sim_channel(w->sim, "coupler.angle", &y, &e) == TN_OK);
  CHECK_NEAR(x, y, 1e-12);
  CHECK(tn_sim_switch(r->sim, "A", false, &e) == TN_E_USAGE && strstr(e.message, "cannot be switched") &&
        strstr(e.hint, "active"));
  CHECK(tn_sim_switch(r->sim, "Z", false, &e) == TN_E_USAGE && strstr(e.message, "no joint or force 'Z'"));
  done(r);
  done(w);
}

/* a large model, by blocks: a chain that has a joint which is off, against one that has none; then on, where it holds */
TEST_FULL(a_large_model_with_a_joint_that_is_off) {
  static const char chain[] =
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81],"
      " 'bodies': {'r{i}': {'repeat': 'i=0..599', 'mass': 1, 'inertia': 0.01, 'position': ['0.1*i', 0], 'center': "
      "[0.05, 0]}},"
      " 'joints': {'j{i}': {'repeat': 'i=1..599', 'type': 'revolute', 'between': ['r{i-1}', 'r{i}'], 'at': ['0.1*i', "
      "0]},"
      "            'j0': {'type': 'revolute', 'between': ['ground', 'r0'], 'at': [0, 0]}%s},"
      " 'outputs': {'x': 'r599.x', 'y': 'r599.y', 'tip': 'r200.vy'}, 'run': {'until': 0.2, 'every': 0.02}}";
  char text[2048];
  double most = 0;
  snprintf(text, sizeof text, chain,
           ", 'hook': {'type': 'coordinate', 'terms': {'r200.y': 1}, 'value': 0, 'active': false}");
  run *a = made(text, NULL, NULL);
  good(a);
  CHECK(a->model->large);
  tn_error e;
  a->status = tn_sim_run(a->sim, keep, a, &a->error);
  good(a);
  snprintf(text, sizeof text, chain, "");
  run *b = simulated(text, NULL);
  good(b);
  CHECK(a->rows == b->rows && tn_sim_summary(a->sim)->degrees_of_freedom == 600);
  for (int i = 0; i < a->rows; i++)
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(a->row[i].value[k] - b->row[i].value[k]));
  printf("%.1e\n", most);
  CHECK(most < 1e-7 && fabs(a->row[a->rows - 1].value[2]) > 1);
  done(a);
  snprintf(text, sizeof text, chain,
           ", 'hook': {'type': 'coordinate', 'terms': {'r200.y': 1}, 'value': 0, 'active': false}");
  a = made(text, NULL, NULL);
  CHECK(tn_sim_switch(a->sim, "hook", true, &e) == TN_OK);
  a->status = tn_sim_run(a->sim, keep, a, &a->error);
  good(a);
  CHECK(fabs(a->row[a->rows - 1].value[2]) < 1 && tn_sim_summary(a->sim)->degrees_of_freedom == 599);
  done(a);
  done(b);
}

/* a driver whose rate is a parameter: velocities jump, and the impulse does work; one that would jump itself is refused */
TEST(drivers_with_parameters) {
  static const char shaft[] =
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'parameters': {'w': 2, 'at': 0},"
      " 'bodies': {'a': {'mass': 1, 'inertia': 2}},"
      " 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]},"
      "            'drive': {'type': 'coordinate', 'terms': {'pin.angle': 1}, 'value': 'at + w*t'}},"
      " 'events': {'faster': {'when': 't - 1', 'do': {'set': %s}}},"
      " 'outputs': {'angle': 'pin.angle', 'rate': 'pin.rate', 'driver': 'energy.driver', 'lost': 'energy.dissipated', "
      "'balance': 'energy.balance'},"
      " 'run': {'until': 2, 'every': 0.5}}";
  char text[2048];
  snprintf(text, sizeof text, shaft, "{'w': 'w + 3', 'at': 'at - 3*t'}"); /* both at once, with the old w */
  run *r = simulated(text, NULL);
  good(r);
  const double *end = r->row[r->rows - 1].value;
  CHECK_NEAR(end[0], 2 + 5, 1e-9);
  CHECK_NEAR(end[1], 5, 1e-12);
  CHECK_NEAR(end[4], 0, 1e-9);
  CHECK_NEAR(end[2] - end[3], 0.5 * 2 * (25 - 4), 1e-9); /* what it puts in, less what is lost, is in the motion */
  CHECK_NEAR(end[3], 0.5 * 2 * 9, 1e-9);
  done(r);
  snprintf(text, sizeof text, shaft, "{'at': 0.5}");
  r = simulated(text, NULL);
  CHECK(r->status == TN_E_RUN && strstr(r->error.message, "event 'faster': joint 'drive' is off by 0.5 rad where"));
  done(r);
}

/* a spring that is let go takes its energy with it, and the books say so */
TEST(forces_switched) {
  run *r = simulated(
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'b': {'mass': 1, 'coordinates': 'point'}},"
      " 'forces': {'pull': {'type': 'spring', 'between': ['ground', 'b'], 'on_bodies': [[0, 0], [0, 0]], 'stiffness': "
      "4, 'length': 0}},"
      " 'events': {'off': {'when': 't > 0.4', 'do': {'off': 'pull'}}, 'on': {'when': 't > 0.9', 'do': {'on': 'pull'}}},"
      " 'start': {'b.x': 1}, 'outputs': {'x': 'b.x', 'v': 'b.vx', 'balance': 'energy.balance', 'work': 'energy.force'},"
      " 'run': {'until': 1.5, 'every': 0.1}}",
      NULL);
  good(r);
  const double x = cos(0.8), v = -2 * sin(0.8), y = x + 0.5 * v;
  const double *end = r->row[r->rows - 1].value;
  CHECK_NEAR(end[0], y * cos(1.2) + v / 2 * sin(1.2), 1e-7);
  CHECK_NEAR(end[2], 0, 1e-7);
  CHECK_NEAR(end[3], -2 * x * x + 2 * y * y, 1e-7);
  done(r);
}

/* a force parameter has nothing to do with joints: a run that records its breaches goes on, and nothing is put back */
TEST(what_is_not_touched_stays) {
  static const char *const drifting[] = {
      "stabilize",   "none",       "integrator", "euler:step=0.001",
      "breach",      "record",     "until",      "1",
      "/parameters", "{\"k\": 0}", "/events",    "{\"e\": {\"when\": \"t > 0.5\", \"do\": {\"set\": {\"k\": 1}}}}",
      NULL};
  run *r = simulated("four_bar", drifting),
      *w = simulated("four_bar",
                     (const char *const[]){"stabilize", "none", "integrator", "euler:step=0.001", "breach", "record",
                                           "until", "1", "/events", "{\"e\": {\"when\": \"t > 0.5\"}}", NULL});
  good(r);
  good(w);
  CHECK(tn_sim_summary(r->sim)->impulses == 0 && !tn_sim_summary(r->sim)->contract_kept);
  CHECK(count(r, "e") == 1 && r->rows == w->rows);
  for (int i = 0; i < r->rows; i++) CHECK(r->row[i].value[0] == w->row[i].value[0]);
  done(r);
  done(w);
}

/* on and off again is a blow, whether or not a row is recorded between */
TEST(each_action_by_itself) {
  static const char *const between[] = {"", "'record',"};
  char text[2048];
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text,
             "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'a': {'mass': 1, 'inertia': 2}},"
             " 'parameters': {'at': 0},"
             " 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]},"
             "  'lock': {'type': 'driver', 'on': 'pin.angle', 'value': 'at', 'active': false}},"
             " 'events': {'blow': {'when': 't > 0.5',"
             "  'do': [{'set': {'at': 'pin.angle'}}, {'on': 'lock'}, %s {'off': 'lock'}]}},"
             " 'start': {'pin.rate': 3}, 'outputs': {'w': 'pin.rate'}, 'run': {'until': 1, 'every': 1}}",
             between[i]);
    run *r = simulated(text, NULL);
    good(r);
    CHECK_NEAR(r->row[r->rows - 1].value[0], 0, 1e-12);
    CHECK(tn_sim_summary(r->sim)->impulses == 1);
    done(r);
  }
}

static tn_status stop_at_event(void *user, double t, int n, const double *values) {
  const tn_status status = keep(user, t, n, values);
  return status == TN_OK && t > 0.69 && t < 0.71 ? TN_E_STOPPED : status;
}

/* a receiver that stops at the row of an event: the rest of the event is done all the same */
TEST(stopped_at_the_row_of_an_event) {
  run *r =
      made(FREE "'parameters': {'n': 0}, 'events': {'e': {'when': 'b.x - 0.7', 'do': ['record', {'set': {'n': 5}}]}}}",
           NULL, NULL);
  CHECK(tn_sim_run(r->sim, stop_at_event, r, &r->error) == TN_E_STOPPED);
  r->status = tn_sim_run(r->sim, keep, r, &r->error);
  good(r);
  CHECK(count(r, "e") == 1 && r->row[r->rows - 1].value[3] == 5);
  done(r);
}

/* an event at the very start of a step: the attempt beyond it is not taken, and leaves nothing behind */
TEST(rates_are_those_of_the_state) {
  static const char *const with[] = {"'events': {}", "'events': {'e': {'when': 'p.x > 0'}}",
                                     "'events': {'a': {'when': 't > 0.25', 'do': 'record'},"
                                     " 'b': {'when': 't > 0.25 + 1e-15', 'do': 'record'}}"};
  for (int law = 0; law < 2; law++)
    for (int i = 0; i < 3; i++) {
      char text[1024];
      snprintf(text, sizeof text,
               "{'tenon': 1, 'dimension': 2, 'bodies': {'p': {'mass': 1, 'coordinates': 'point', 'position': [%d, 0]}},"
               " 'forces': {'f': {'type': 'force', 'on': 'p', 'value': ['%s', 0]}}, 'outputs': {'x': 'p.x'},"
               " 'run': {'until': 1, 'every': 0.1}, %s}",
               law, law ? "-100*p.x" : "15*t", with[i]);
      run *r = simulated(text, NULL);
      good(r);
      CHECK_NEAR(r->row[r->rows - 1].value[0], law ? cos(10) : 2.5, 2e-9);
      done(r);
    }
}

#define BALL                                                                                                           \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, -10], 'constants': {'e': %g}, 'parameters': {'y0': 0, 't0': 0, 'v': "   \
  "0},"                                                                                                                \
  " 'bodies': {'p': {'mass': 1, 'coordinates': 'point', 'position': [0, 5]}},"                                         \
  " 'joints': {'kick': {'type': 'driver', 'on': 'p.y', 'value': 'y0 + v*(t - t0)', 'active': false}},"                 \
  " 'events': {'hit': {'when': '%s', 'direction': '%s',"                                                               \
  "   'do': [{'set': {'y0': 'p.y', 't0': 't', 'v': '-e*p.vy'}}, {'on': 'kick'}, {'off': 'kick'}]}%s},"                 \
  " 'outputs': {'y': 'p.y'}, 'run': {'until': %g, 'every': 0.1}}"

/* a ball that bounces for ever, hits at 1, 3, 5 .. s; and bounces that die away, which end at 1 + 2 e/(1 - e) s */
TEST(bounces) {
  static const char *const integrators[] = {"dopri5", "dop853", "radau5", "abm", "trbdf2", "rk4:step=0.01", "ida"};
  static const double share[] = {0.05, 0.1, 0.5, 0.8};
  char text[2048];
  for (int i = 0; i < 4; i++) {
    snprintf(text, sizeof text, BALL, 1.0, i % 2 ? "p.y < 0" : "p.y", i % 2 ? "up" : "down", "", 20.0);
    run *r = simulated(text, (const char *const[]){"integrator", integrators[i], NULL});
    good(r);
    CHECK(count(r, "hit") == 10);
    for (int k = 0; k < 10; k++) CHECK_NEAR(when(r, "hit", k), 1 + 2 * k, i == 3 ? 1e-6 : 1e-9);
    done(r);
  }
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
    for (int k = 0; k < 4; k++) {
      if (strcmp(integrators[i], "ida") == 0 && !has("ida")) continue;
      snprintf(text, sizeof text, BALL, share[k], "p.y", "down", "", 20.0);
      run *r = simulated(text, (const char *const[]){"integrator", integrators[i], NULL});
      CHECK(r->status == TN_E_RUN);
      CHECK_HAS(r->error.message, "event 'hit': it happens ever sooner");
      CHECK_NEAR(r->error.time, 1 + 2 * share[k] / (1 - share[k]), 2e-3);
      done(r);
    }
  /* ended where it is slow: it rests on the floor */
  snprintf(
      text, sizeof text, BALL, 0.5, "p.y", "down",
      ", 'rest': {'when': 'p.y < 1e-9 and abs(p.vy) < 1e-2', 'do': [{'set': {'y0': 'p.y', 'v': 0}}, {'on': 'kick'}]}",
      5.0);
  run *r = simulated(text, NULL);
  good(r);
  CHECK(count(r, "rest") == 1);
  CHECK_NEAR(r->row[r->rows - 1].value[0], 0, 1e-8);
  done(r);
}

/* a speed that jumps from one side of a window to the other has not been in it, whatever pieces `abs` has */
TEST(a_jump_over_a_window) {
  char text[2048];
  snprintf(text, sizeof text, BALL, 0.5, "p.y", "down", ", 'slow': {'when': 'abs(p.vy) < 0.01 and p.y < 0.1'}", 1.6);
  run *r = simulated(text, NULL);
  good(r);
  CHECK(count(r, "hit") == 1 && count(r, "slow") == 0);
  done(r);
}

/* what an impulse brings to an edge and joints hold there has not passed it, whatever the last digits say */
TEST(brought_to_the_edge) {
  unsigned state = 1;
  for (int i = 0; i < 40; i++) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = 1 + 4 * (double)((state = state * 1664525u + 1013904223u) >> 8) / (1 << 24);
    char text[2048];
    snprintf(text, sizeof text,
             "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'parameters': {'o': 0}, 'bodies': {'a': {'mass': 1,"
             " 'inertia': %.17g}, 'b': {'mass': 1, 'inertia': %.17g, 'position': [1, 0]}}, 'joints': {"
             " 'ra': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]},"
             " 'rb': {'type': 'revolute', 'between': ['ground', 'b'], 'at': [1, 0]},"
             " 'c': {'type': 'coordinate', 'terms': {'ra.angle': 1, 'rb.angle': -1}, 'value': 'o', 'active': false}},"
             " 'forces': {'m': {'type': 'torque', 'on': 'ra.angle', 'value': 1}}, 'start': {'ra.rate': %.17g},"
             " 'events': {'on': {'when': 't > 0.5', 'do': [{'set': {'o': 'ra.angle - rb.angle'}}, {'on': 'c'}]},"
             "  'off': {'when': 't > 1', 'do': {'off': 'c'}}, 'n': {'when': 'ra.rate - rb.rate'},"
             "  'lt': {'when': 'ra.rate < rb.rate'}, 'le': {'when': 'ra.rate <= rb.rate'}},"
             " 'run': {'until': 1.5, 'every': 0.1}}",
             x[0], x[1], x[2]);
    run *r = simulated(text, NULL);
    good(r);
    CHECK(count(r, "on") == 1 && count(r, "off") == 1);
    CHECK(count(r, "n") == 0 && count(r, "lt") == 0 && count(r, "le") == 0);
    done(r);
  }
}

/* a step cut to a splinter has the gains of the whole one */
TEST(feedback_in_a_splinter) {
  static const char *const at[] = {"0.070000001", "0.0700001", "0.07499999"};
  for (int i = 0; i < 3; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'bodies': {'a': {'rod': [[0, 0], [1, 0]], 'mass': 1},"
             " 'b': {'rod': [[1, 0], [2, 0]], 'mass': 1}}, 'joints': {'hA': {'type': 'revolute',"
             " 'between': ['ground', 'a'], 'at': [0, 0]}, 'hB': {'type': 'revolute', 'between': ['a', 'b'],"
             " 'at': [1, 0]}}, 'start': {'hA.rate': 1}, 'events': {'e': {'when': 't > %s', 'do': 'record'}},"
             " 'run': {'until': 0.5, 'every': 0.1}}",
             at[i]);
    run *r = simulated(text, (const char *const[]){"method", "baumgarte-step", "integrator", "rk4:step=0.005", NULL});
    good(r);
    CHECK(tn_sim_summary(r->sim)->max_velocity_violation < 1e-6);
    done(r);
  }
}

/* two clutches at once: each has its own impulse and loss */
TEST(every_joint_has_its_impulse) {
  run *r = simulated(
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'parameters': {'o': 0, 'p': 0}, 'bodies': {'a': {'mass': 1,"
      " 'inertia': 1}, 'b': {'mass': 1, 'inertia': 2, 'position': [1, 0]}, 'c': {'mass': 1, 'inertia': 3, 'position':"
      " [2, 0]}, 'd': {'mass': 1, 'inertia': 4, 'position': [3, 0]}}, 'joints': {"
      " 'ra': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]},"
      " 'rb': {'type': 'revolute', 'between': ['ground', 'b'], 'at': [1, 0]},"
      " 'rc': {'type': 'revolute', 'between': ['ground', 'c'], 'at': [2, 0]},"
      " 'rd': {'type': 'revolute', 'between': ['ground', 'd'], 'at': [3, 0]},"
      " 'c1': {'type': 'coordinate', 'terms': {'ra.angle': 1, 'rb.angle': -1}, 'value': 'o', 'active': false},"
      " 'c2': {'type': 'coordinate', 'terms': {'rc.angle': 1, 'rd.angle': -1}, 'value': 'p', 'active': false}},"
      " 'start': {'ra.rate': 3, 'rd.rate': 7}, 'events': {'e': {'when': 't > 0.5', 'do': [{'set': {'o':"
      " 'ra.angle - rb.angle', 'p': 'rc.angle - rd.angle'}}, {'on': ['c1', 'c2']}]}}, 'run': {'until': 1}}",
      NULL);
  static const double size[] = {2, 12}, lost[] = {3, 42};
  tn_impulse p;
  good(r);
  CHECK(tn_sim_summary(r->sim)->impulses == 1 && !tn_sim_impulse(r->sim, 2, &p));
  for (int i = 0; i < 2 && tn_sim_impulse(r->sim, i, &p); i++) {
    CHECK_TEXT(p.joint, i ? "c2" : "c1");
    CHECK_NEAR(fabs(p.wrench[0]), size[i], 1e-12);
    CHECK_NEAR(p.energy_lost, lost[i], 1e-12);
  }
  done(r);
}

/* a row that nothing moves, to 1e-15: rates would hang on that */
TEST(struck_in_a_singular_position) {
  static const char *const coordinates[] = {"absolute", "relative"};
  for (int i = 0; i < 2; i++) {
    run *r = simulated(
        "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'a': {'rod': [[0, 0], [1, 0]], 'mass': 1},"
        " 'b': {'rod': [[1, 0], [2, 0]], 'mass': 1}}, 'joints': {'hA': {'type': 'revolute', 'between': ['ground', 'a'],"
        " 'at': [0, 0]}, 'hB': {'type': 'revolute', 'between': ['a', 'b'], 'at': [1, 0]}, 'pin': {'type': 'revolute',"
        " 'between': ['ground', 'b'], 'on_bodies': [[2, 0], [1, 0]], 'active': false}}, 'start': {'hA.rate': 1,"
        " 'hB.rate': 0}, 'events': {'e': {'when': 't > 2*pi', 'do': {'on': 'pin'}}}, 'run': {'until': 7}}",
        (const char *const[]){"coordinates", coordinates[i], "integrator", "dop853:rtol=1e-13", NULL});
    tn_impulse p;
    CHECK(r->status == TN_E_RUN);
    if (i) CHECK_HAS(r->error.message, "joint 'pin' would be struck in a singular position");
    for (int k = 0; tn_sim_impulse(r->sim, k, &p); k++) CHECK(hypot(p.wrench[0], p.wrench[1]) < 2);
    done(r);
  }
}

/* what is no number later in the step does not hide what comes before it */
TEST(no_number_comes_later) {
  static const char *const integrators[] = {"dopri5", "rk4:step=0.1", "abm", "radau5"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    run *r =
        simulated(FREE "'parameters': {'n': 0.5}, 'events': {'s': {'when': 't > 0.45', 'do': 'stop'}, 'e': {'when':"
                       " 'sqrt(n - t)'}}}",
                  (const char *const[]){"integrator", integrators[i], NULL});
    good(r);
    CHECK_NEAR(tn_sim_time(r->sim), 0.45, 1e-12);
    done(r);
    r = simulated(FREE "'parameters': {'n': 0.5}, 'events': {'s': {'when': 't > 0.45', 'do': {'set': {'n': 9}}}, 'e':"
                       " {'when': 'sqrt(n - t)'}}}",
                  (const char *const[]){"integrator", integrators[i], NULL});
    good(r);
    done(r);
  }
}

/* nothing is evaluated there, and so no event either */
TEST(a_force_that_ends_as_no_number_is_named) {
  run *r = simulated("{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'bodies': {'a': {'mass': 1, 'inertia': 0.1,"
                     " 'position': [1, 0]}}, 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'a'], 'at':"
                     " [0, 0]}}, 'forces': {'m': {'type': 'torque', 'on': 'pin.angle', 'value': 'sqrt(0.3 - t)'}},"
                     " 'events': {'e': {'when': 'pin.angle < -1'}}, 'run': {'until': 1, 'every': 0.1}}",
                     NULL);
  CHECK(r->status == TN_E_RUN && strstr(r->error.message, "force 'm' is not a finite number"));
  done(r);
}

TEST(what_is_no_number_is_refused) {
  run *r = simulated(FREE "'parameters': {'n': 0}, 'events': {'root': {'when': 'sqrt(0.5 - b.x)'}}}", NULL);
  CHECK(r->status == TN_E_RUN && strstr(r->error.message, "event 'root': `when` is not a number"));
  done(r);
}

TEST(what_leads_back_is_refused) {
  run *r = simulated(
      FREE "'parameters': {'n': 0}, 'events': {'a': {'when': 't - 0.5 + n', 'do': {'set': {'n': '-n - 0.1*(n == 0)'}}},"
           " 'b': {'when': 'n*1e3 + (n == 0)', 'do': {'set': {'n': '-n'}}}}}",
      NULL);
  CHECK(r->status == TN_E_RUN);
  CHECK_HAS(r->error.message, "events 'a' and 'b' set each other off without end: 1000 firings");
  done(r);
}

/* nothing allocates on the way, whatever happens there; memory that runs out before is said */
TEST(no_memory_is_taken_on_the_way) {
  static const char *const models[] = {"clutch", "pendulum_stop"};
  for (int i = 0; i < 2; i++) {
    failing f = {0};
    const tn_allocator allocator = {.user = &f, .allocate = fail_allocate, .release = fail_release};
    run *r = made(models[i], NULL, &allocator);
    good(r);
    const int64_t before = f.calls;
    r->status = tn_sim_run(r->sim, keep, r, &r->error);
    good(r);
    CHECK(f.calls == before);
    done(r);
    CHECK(f.out == 0);
    for (long n = 1; n <= before; n++) {
      f = (failing){.fail = n};
      r = made(models[i], NULL, &allocator);
      CHECK(r->status == TN_E_MEMORY);
      done(r);
      CHECK(f.out == 0);
    }
  }
}

TEST(parameters_from_outside) {
  run *r = made("pendulum_stop", NULL, NULL);
  tn_error e;
  double x;
  CHECK(tn_sim_parameters(r->sim) == 2 && strcmp(tn_sim_parameter_name(r->sim, 1), "k") == 0);
  CHECK(tn_sim_parameter(r->sim, 1) == 2000 && isnan(tn_sim_parameter(r->sim, 2)) && !tn_sim_parameter_name(r->sim, 2));
  CHECK(tn_sim_set_parameter(r->sim, "contact", 1, &e) == TN_OK); /* now it is a spring on either side */
  CHECK(tn_sim_advance(r->sim, 0.01, &e) == TN_OK);
  CHECK(tn_sim_channel(r->sim, "stop.load", &x, &e) == TN_OK && x > 2000);
  CHECK(tn_sim_set_parameter(r->sim, "contact", 0, &e) == TN_OK);
  CHECK(tn_sim_channel(r->sim, "stop.load", &x, &e) == TN_OK && x == 0);
  CHECK(tn_sim_set_parameter(r->sim, "contakt", 0, &e) == TN_E_USAGE && strstr(e.message, "no parameter 'contakt'"));
  CHECK(tn_sim_set_parameter(r->sim, "k", NAN, &e) == TN_E_USAGE);
  CHECK(tn_sim_advance(r->sim, 0.5, &e) == TN_OK);
  done(r);
}
