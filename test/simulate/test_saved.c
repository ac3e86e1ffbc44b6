/* states that are saved: put back into another simulation, at any step, the run goes on as the one that was never stopped, to the last
 * bit, with every one-step integrator and every stabilizer, formulation and layout; saving changes nothing; what is damaged is
 * refused in words. */
#include "report/report.h"
#include "support/build.h"
#include "test.h"

typedef struct bytes {
  unsigned char *data;
  size_t used, room;
  size_t most; /* fails beyond */
} bytes;

static bool to_bytes(void *user, const char *text, size_t n) {
  bytes *b = user;
  if (b->most && b->used + n > b->most) return false;
  if (b->used + n > b->room) {
    b->room = 2 * (b->used + n);
    if (!(b->data = realloc(b->data, b->room))) abort();
  }
  memcpy(b->data + b->used, text, n);
  b->used += n;
  return true;
}

typedef struct rows {
  int columns;
  int64_t n, room;
  double *value;
} rows;

static tn_status to_rows(void *user, double t, int n, const double *values) {
  rows *r = user;
  if (r->n == r->room) {
    r->room = 2 * r->room + 64;
    if (!(r->value = realloc(r->value, sizeof *r->value * (size_t)(n + 1) * (size_t)r->room))) abort();
  }
  r->columns = n + 1;
  r->value[r->n * r->columns] = t;
  memcpy(r->value + r->n++ * r->columns + 1, values, sizeof *values * (size_t)n);
  return TN_OK;
}

/* the rows of b are the last of a */
static bool same_end(const rows *a, const rows *b, int64_t from) {
  const size_t row = sizeof *a->value * (size_t)a->columns;
  if (b->n != a->n - from) {
    printf("%" PRId64 " rows for %" PRId64 "\n", b->n, a->n - from);
    return false;
  }
  for (int64_t i = 0; i < b->n; i++)
    if (memcmp(a->value + (from + i) * a->columns, b->value + i * b->columns, row) != 0) {
      printf("row %" PRId64 " of %" PRId64 " is another, t = %.17g\n", i, b->n, b->value[i * b->columns]);
      return false;
    }
  return true;
}

/* the report without what clocks have told */
static void report(const tn_sim *sim, bytes *b) {
  bytes all = {0};
  if (tn_report_json(sim, "m", to_bytes, &all) != TN_OK) abort();
  to_bytes(&all, "", 1);
  for (char *line = (char *)all.data; line && *line;) {
    char *end = strchr(line, '\n');
    if (!strstr(line, "\"cpu_seconds\"") || (end && strstr(line, "\"cpu_seconds\"") > end)) {
      const size_t n = end ? (size_t)(end - line) : strlen(line);
      const bool clock = n > 10 && (strncmp(line, "  \"cpu_", 7) == 0);
      if (!clock) to_bytes(b, line, n);
    }
    line = end ? end + 1 : NULL;
  }
  to_bytes(b, "", 1);
  free(all.data);
}

/* saves after some of the steps */
enum { SAVES = 3 };
typedef struct saver {
  tn_sim *sim;
  const rows *given;
  int64_t step, at[SAVES], rows_then[SAVES];
  bytes state[SAVES];
} saver;

static bool watch(void *user, double t) {
  saver *s = user;
  (void)t;
  s->step++;
  for (int i = 0; i < SAVES; i++) {
    tn_error e;
    if (s->step != s->at[i]) continue;
    if (tn_sim_save(s->sim, to_bytes, &s->state[i], &e) != TN_OK) FAIL("%s", e.message);
    s->rows_then[i] = s->given->n;
  }
  return true;
}

typedef struct subject {
  const char *model, *text; /* by name, or ' for " */
  const char *integrator, *stabilize, *formulation, *coordinates, *set;
  double until, every;
} subject;

static bool make(build *b, const subject *s) {
  tn_error e;
  build_new(b, 1);
  if (s->model)
    build_read(b, s->model);
  else {
    char text[4000];
    snprintf(text, sizeof text, "%s", s->text);
    for (char *c = text; *c; c++)
      if (*c == '\'') *c = '"';
    build_parse(b, text);
  }
  if (s->until > 0) build_set(b, "/run/until", "%.17g", s->until);
  if (s->every > 0) build_set(b, "/run/every", "%.17g", s->every);
  build_set(b, "/run/contract", "{\"breach\": \"record\", \"position\": 1, \"velocity\": 1}");
  if (s->integrator && tn_desc_part(b->desc, "/run/integrator", s->integrator, &e)) abort();
  if (s->stabilize) {
    const tn_setting part = {"stabilize", s->stabilize};
    if (tn_desc_settings(b->desc, 1, &part, &e)) abort();
  }
  if (s->formulation && tn_desc_part(b->desc, "/run/formulation", s->formulation, &e)) abort();
  if (s->coordinates) {
    const tn_setting kind = {"coordinates", s->coordinates};
    if (tn_desc_settings(b->desc, 1, &kind, &e)) abort();
  }
  if (s->set) {
    const tn_setting constant = {"set", s->set};
    if (tn_desc_settings(b->desc, 1, &constant, &e)) abort();
  }
  /* not build_compile: large models are among them */
  if (!b->failed && tn_compile(b->desc, &b->model, &e) == TN_OK && tn_sim_new(b->model, &b->sim, &e) == TN_OK)
    return true;
  build_fail(b, "%s", e.message);
  return false;
}

static uint64_t seed = 20261116;
static double random_share(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}

/* 1: the same to the last bit from every saved state; 0: not; -1: the combination is refused, or its run fails */
static int goes_on(const subject *s) {
  build b, other;
  tn_error e;
  rows plain = {0}, again = {0};
  bytes end = {0}, other_end = {0};
  saver w = {0};
  int good = 1;
  if (!make(&b, s) || tn_sim_run(b.sim, to_rows, &plain, &e) != TN_OK) {
    printf("not tried: %s\n", b.failed ? b.message : e.message);
    build_free(&b);
    free(plain.value);
    return -1;
  }
  report(b.sim, &end);
  const int64_t steps = tn_sim_summary(b.sim)->steps;
  if (!make(&other, s)) abort();
  w.sim = other.sim;
  w.given = &again;
  for (int i = 0; i < SAVES; i++) w.at[i] = i == 0 ? 1 : 1 + (int64_t)(random_share() * (double)(steps - 1));
  tn_sim_watch(other.sim, watch, &w);
  if (tn_sim_run(other.sim, to_rows, &again, &e) != TN_OK || !same_end(&plain, &again, 0)) {
    FAIL("saving has changed the run");
    good = 0;
  }
  build_free(&other);
  for (int i = 0; i < SAVES && steps > 1; i++) {
    rows rest = {0};
    if (!make(&other, s)) abort();
    tn_status status = tn_sim_load(other.sim, w.state[i].data, w.state[i].used, &e);
    if (status == TN_OK) {
      bytes twice = {0}; /* what was put back is all there is */
      tn_sim_save(other.sim, to_bytes, &twice, NULL);
      if (twice.used != w.state[i].used || memcmp(twice.data, w.state[i].data, twice.used) != 0) {
        printf("saved again it is another state\n");
        good = 0;
      }
      free(twice.data);
      status = tn_sim_run(other.sim, to_rows, &rest, &e);
    }
    if (status != TN_OK) printf("%s\n", e.message);
    rest.columns = plain.columns;
    if (status != TN_OK || !same_end(&plain, &rest, w.rows_then[i])) good = 0;
    other_end.used = 0;
    report(other.sim, &other_end);
    if (good && strcmp((char *)end.data, (char *)other_end.data) != 0) {
      printf("%s\n%s\n", (char *)end.data, (char *)other_end.data);
      good = 0;
    }
    if (!good) printf("from step %" PRId64 " of %" PRId64 " on\n", w.at[i], steps);
    free(rest.value);
    build_free(&other);
    if (!good) break;
  }
  for (int i = 0; i < SAVES; i++) free(w.state[i].data);
  free(plain.value);
  free(again.value);
  free(end.data);
  free(other_end.data);
  build_free(&b);
  return good;
}

static bool check(const subject *s) {
  const int good = goes_on(s);
  if (good == 0)
    FAIL("%s: integrator %s, stabilizer %s, formulation %s, coordinates %s", s->model ? s->model : "text",
         s->integrator ? s->integrator : "", s->stabilize ? s->stabilize : "", s->formulation ? s->formulation : "",
         s->coordinates ? s->coordinates : "");
  return good == 1;
}

/* stops, dry friction that is switched on, a driver with kinks */
#define SWITCHED                                                                                                       \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'tables': {'ts': [0, 0.5, 1, 3], 'ys': [0, 0.2, -0.1, 0.3]},"   \
  " 'bodies': {'cart': {'mass': 2, 'inertia': 1}, 'bob': {'mass': 1, 'inertia': 0.1, 'position': [0.5, 0]}},"          \
  " 'joints': {'rail': {'type': 'prismatic', 'between': ['ground', 'cart'], 'at': [0, 0], 'axis': 'x'},"               \
  " 'pin': {'type': 'revolute', 'between': ['cart', 'bob'], 'at': [0, 0]},"                                            \
  " 'drive': {'type': 'driver', 'on': 'rail.shift', 'value': 'table(ts, ys, t)'}},"                                    \
  " 'forces': {'stop': {'type': 'torque', 'on': 'pin.angle',"                                                          \
  " 'value': '-200*max(0, abs(pin.angle + pi/2) - 0.4)*sign(pin.angle + pi/2) - 0.2*pin.rate*step(t - 0.3)'}},"        \
  " 'outputs': {'angle': 'pin.angle', 'x': 'bob.x', 'force': 'norm(force(pin))'},"                                     \
  " 'run': {'until': 2, 'every': 0.013}}"

#define RUBBED                                                                                                         \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81],"                                                                \
  " 'bodies': {'bob': {'mass': 2, 'inertia': 0.05, 'position': [0.5, 0]}},"                                            \
  " 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'bob'], 'at': [0, 0]}},"                              \
  " 'forces': {'rubs': {'type': 'friction', 'on': 'pin.angle', 'viscous': 0.01, 'mu': 0.3, 'radius': 0.02}},"          \
  " 'outputs': {'angle': 'pin.angle', 'friction': 'rubs.load', 'lost': 'energy.dissipated'},"                          \
  " 'run': {'until': 2, 'every': 0.013}}"

/* the name alone; where a field must be given, as the example has it */
static void simplest_part(const tn_stabilizer_type *type, char *part, size_t size) {
  const char *from = type->name;
  for (const tn_field *f = type->fields; f && f->key; f++)
    if (f->required) from = strstr(type->example, "--stabilize ") + strlen("--stabilize ");
  snprintf(part, size, "%.*s", (int)strcspn(from, " "), from);
}

TEST(every_integrator_and_stabilizer) {
  int tried = 0;
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *type = tn_integrator_types[i];
    if (!type->keep) continue;
    for (int k = 0; k < tn_stabilizer_type_count; k++)
      for (int fixed = 0; fixed < 2; fixed++) {
        char integrator[64];
        char part[200];
        const char *stabilizer = part;
        simplest_part(tn_stabilizer_types[k], part, sizeof part);
        if (fixed ? !type->fixed : !type->adaptive) continue;
        if (strcmp(stabilizer, "baumgarte") == 0)
          stabilizer = i % 2 ? "baumgarte:alpha=10,beta=10" : "baumgarte:a=1,b=0.5";
        snprintf(integrator, sizeof integrator, fixed ? "%s:step=0.002" : "%s:rtol=1e-5,atol=1e-5", type->name);
        tried += check(&(subject){
            .model = "four_bar", .integrator = integrator, .stabilize = stabilizer, .until = 0.05, .every = 0.0037});
      }
  }
  printf("%d combinations\n", tried);
  CHECK(tried >= 88);
}

/* as they are in the files, but shorter */
static int models_with(const char *integrator, double steps) {
  char name[64][64];
  const int n = build_models(name, 64);
  int tried = 0;
  for (int i = 0; i < n; i++) {
    build b;
    subject s = {.model = name[i], .integrator = integrator};
    if (!make(&b, &s)) abort();
    s.until = fmin(b.model->run.until, steps * 1e-3);
    s.every = s.until / 31.3;
    build_free(&b);
    tried += check(&s);
  }
  printf("%d of %d models\n", tried, n);
  return tried;
}

TEST_FULL(every_model) {
  CHECK(models_with(NULL, 120) >= 35);
  CHECK(models_with("rk4:step=0.001", 50) >= 35);
}

TEST_LONG(every_model_longer) {
  CHECK(models_with("radau5:rtol=1e-6,atol=1e-6", 300) >= 30);
  CHECK(models_with("dop853:rtol=1e-9,atol=1e-9", 500) >= 30);
  CHECK(models_with("dopri5:step=0.002", 1000) >= 30);
}

/* with a joint switched on and off on the way: the mask, the rank and what is integrated are those of the moment */
TEST(what_is_switched) {
  static const char *const formulations[] = {"augmented", "augmented-lagrangian",
                                             "gauss",     "nullspace",
                                             "partition", "partition:layout=independent,choose=once"};
  int tried = 0;
  for (size_t i = 0; i < sizeof formulations / sizeof *formulations; i++)
    for (int j = 0; j < 2; j++)
      tried += check(&(subject){.model = "clutch",
                                .formulation = formulations[i],
                                .integrator = j ? "rk4:step=0.05" : "dopri5:max_step=0.1",
                                .until = 10,
                                .every = 0.3});
  CHECK(tried == 12);
}

/* events that others set off at the same time, by parameters; a law and a driver with kinks that follow them */
#define COUNTED                                                                                                        \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'parameters': {'n': 0, 'm': 0, 'x0': 0, 't0': 0},"                  \
  " 'bodies': {'a': {'mass': 1, 'coordinates': 'point'}, 'b': {'mass': 2, 'coordinates': 'point'}},"                   \
  " 'joints': {'drive': {'type': 'driver', 'on': 'b.x', 'value': 'x0 + if(m >= 1, 0.5, -0.25)*(t - t0)'}},"            \
  " 'forces': {'push': {'type': 'force', 'on': 'a', 'value': ['if(mod(n, 2) == 0, 3, -3)*(1 + t)', 0]}},"              \
  " 'events': {'step': {'when': 'sin(17*t)', 'do': {'set': {'n': 'n + 1'}}},"                                          \
  " 'third': {'when': 'mod(n, 3) == 0 and a.x < 9', 'do': {'set': {'m': '1 - m', 'x0': 'b.x', 't0': 't'}}},"           \
  " 'then': {'when': 'm == 1', 'do': ['record', {'off': 'push'}]},"                                                    \
  " 'back': {'when': 'not (m >= 1)', 'do': {'on': 'push'}}},"                                                          \
  " 'outputs': {'x': 'a.x', 'b': 'b.x', 'n': 'n', 'load': 'drive.load'}, 'run': {'until': 3, 'every': 0.07}}"

TEST(events_that_set_others_off) {
  static const char *const by[] = {"dopri5", "dop853", "radau5", "rk4:step=0.01", "dopri5:step=0.02"};
  for (int i = 0; i < 5; i++) CHECK(check(&(subject){.text = COUNTED, .integrator = by[i]}));
}

TEST_FULL(formulations_and_layouts) {
  static const char *const formulations[] = {"augmented",
                                             "augmented-lagrangian",
                                             "gauss",
                                             "gauss:form=multiplier",
                                             "gauss:form=fast",
                                             "nullspace",
                                             "nullspace:form=elimination",
                                             "partition",
                                             "partition:pivoting=rref,choose=kept",
                                             "partition:choose=once",
                                             "partition:layout=speeds",
                                             "partition:layout=speeds,choose=kept",
                                             "partition:layout=independent,choose=once",
                                             "partition:layout=independent,choose=kept"};
  static const char *const models[] = {"four_bar", "braun_slider_crank", "spatial_four_bar", "door_three_hinges"};
  static const char *const stabilizers[] = {"project:metric=dependent,choose=kept", "project:metric=identity", "none"};
  int tried = 0;
  for (size_t i = 0; i < sizeof formulations / sizeof *formulations; i++)
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
      for (int j = 0; j < 2; j++)
        tried += check(&(subject){.model = models[k],
                                  .formulation = formulations[i],
                                  .stabilize = stabilizers[(i + k) % 3],
                                  .integrator = j ? "rk4:step=0.005" : NULL,
                                  .until = 0.08,
                                  .every = 0.011});
  printf("%d combinations\n", tried);
  CHECK(tried >= 90);
}

/* through singular positions, over switches, with friction, states of motors, turns that are counted, relative coordinates */
static const subject hidden[] = {
    {.model = "n_four_bar", .until = 3, .every = 0.05},
    {.model = "n_four_bar", .integrator = "rk4:step=0.01", .until = 3, .every = 0.05},
    {.model = "n_four_bar", .coordinates = "relative", .until = 3, .every = 0.05},
    {.model = "n_four_bar", .set = "N=12", .until = 1.5, .every = 0.05},
    {.model = "n_four_bar",
     .set = "N=12",
     .formulation = "partition:choose=kept",
     .stabilize = "project:metric=dependent,choose=kept",
     .until = 0.6,
     .every = 0.05},
    {.model = "n_four_bar",
     .set = "N=12",
     .formulation = "augmented-lagrangian",
     .stabilize = "adjust",
     .integrator = "rk4:step=5e-3",
     .until = 0.2,
     .every = 0.05},
    {.model = "spatial_chain", .set = "N=20", .until = 0.1, .every = 0.01},
    {.model = "spatial_chain", .set = "N=20", .integrator = "rk4:step=1e-3", .until = 0.05, .every = 0.01},
    {.model = "four_bar", .coordinates = "relative", .until = 1, .every = 0.01},
    {.model = "spatial_slider_crank", .coordinates = "relative", .until = 1, .every = 0.01},
    {.model = "hoang_pd_voltage_inductance", .until = 0.2, .every = 0.003},
    {.model = "motor_slider_crank", .integrator = "radau5:rtol=1e-6", .until = 0.5, .every = 0.01},
    {.model = "iftomm_a01", .until = 10, .every = 0.31},
    {.model = "gear_train", .until = 5, .every = 0.1},
    {.model = "biped_actuated", .until = 0.5, .every = 0.02},
    {.text = RUBBED},
    {.text = RUBBED, .integrator = "rk4:step=0.01"},
    {.text = SWITCHED},
    {.text = SWITCHED, .integrator = "rk4:step=0.01"},
    {.text = SWITCHED, .integrator = "dop853:rtol=1e-6"},
    {.text = SWITCHED, .integrator = "trbdf2:rtol=1e-5", .formulation = "partition:layout=independent"},
    {.text = SWITCHED, .integrator = "rk4:step=0.01", .stabilize = "baumgarte-adaptive"},
    {.text = SWITCHED, .integrator = "rk4:step=0.01", .stabilize = "fuzzy:rule=measured,steps=20,ku=1e-9"},
};

static void check_hidden(int times) {
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
    for (int k = 0; k < times; k++)
      if (!check(&hidden[i])) FAIL("%d: no such run", (int)i);
}

TEST_FULL(hidden_state) { check_hidden(1); }
TEST_LONG(hidden_state_at_many_steps) { check_hidden(40); }

/* some of it under the sanitizers */
TEST(some_hidden_state) {
  CHECK(check(&(subject){.model = "n_four_bar", .until = 0.4, .every = 0.05}));
  CHECK(check(&(subject){.model = "door_three_hinges", .integrator = "radau5:rtol=1e-4", .until = 0.1, .every = 0.02}));
  CHECK(check(&(subject){.text = SWITCHED, .formulation = "partition:layout=independent", .until = 0.6}));
  CHECK(check(&(subject){.text = RUBBED, .until = 0.2}));
}

/* without matrices, by blocks alone; with redundant rows too */
TEST_FULL(large_models) {
  CHECK(check(&(subject){.model = "spatial_chain", .set = "N=400", .until = 0.05, .every = 0.003}));
  CHECK(check(
      &(subject){.model = "n_four_bar", .set = "N=500", .integrator = "rk4:step=0.002", .until = 0.1, .every = 0.01}));
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------ */

/* takes so many rows, then no more for once */
typedef struct taker {
  rows rows;
  int64_t most;
} taker;

static tn_status to_taker(void *user, double t, int n, const double *values) {
  taker *k = user;
  return k->rows.n == k->most ? TN_E_STOPPED : to_rows(&k->rows, t, n, values);
}

/* stopped by whoever takes the rows, between those of one step: the next run gives the rest, here and from a saved state */
TEST(stopped_between_rows) {
  static const char *const integrators[] = {"dopri5:rtol=1e-5", "rk4:step=0.02", "dop853:rtol=1e-7", "radau5:rtol=1e-5",
                                            "trbdf2:rtol=1e-5"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    const subject s = {.model = "four_bar", .integrator = integrators[i], .until = 1, .every = 0.003};
    build b, other;
    tn_error e;
    rows plain = {0}, rest = {0};
    taker k = {.most = 100 + (int64_t)(100 * random_share())};
    bytes state = {0};
    if (!make(&b, &s) || tn_sim_run(b.sim, to_rows, &plain, &e) != TN_OK) abort();
    build_free(&b);
    if (!make(&b, &s) || !make(&other, &s)) abort();
    CHECK(tn_sim_run(b.sim, to_taker, &k, &e) == TN_E_STOPPED);
    CHECK(tn_sim_save(b.sim, to_bytes, &state, &e) == TN_OK);
    CHECK(tn_sim_run(b.sim, to_rows, &k.rows, &e) == TN_OK && same_end(&plain, &k.rows, 0));
    CHECK(tn_sim_load(other.sim, state.data, state.used, &e) == TN_OK);
    CHECK(tn_sim_run(other.sim, to_rows, &rest, &e) == TN_OK && same_end(&plain, &rest, k.most));
    free(plain.value);
    free(rest.value);
    free(k.rows.value);
    free(state.data);
    build_free(&b);
    build_free(&other);
  }
  /* what has a history cannot give them later, and says so */
  build b;
  tn_error e;
  taker k = {.most = 100};
  bytes state = {0};
  if (!make(&b, &(subject){.model = "four_bar", .integrator = "abm:rtol=1e-5", .until = 1, .every = 1e-3})) abort();
  CHECK(tn_sim_run(b.sim, to_taker, &k, &e) == TN_E_STOPPED);
  CHECK(tn_sim_save(b.sim, to_bytes, &state, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "still to be given");
  free(k.rows.value);
  free(state.data);
  build_free(&b);
}

/* ---- histories ----------------------------------------------------------------------------------------------------------- */

/* those that keep one begin anew, say so, and come to the same end as near as their tolerance lets them */
TEST(histories_begin_anew) {
  static const char *const integrators[] = {"abm:rtol=1e-8", "ab4:step=0.001", "cvode-adams:rtol=1e-8",
                                            "ida:rtol=1e-8"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    const subject s = {.model = "four_bar", .integrator = integrators[i], .until = 1, .every = 0.01};
    build b, other;
    tn_error e;
    rows plain = {0}, rest = {0};
    saver w = {.at = {40}, .given = &plain};
    char name[32];
    bool there = false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(integrators[i], ":"), integrators[i]);
    for (int k = 0; k < tn_integrator_type_count; k++) there = there || strcmp(tn_integrator_types[k]->name, name) == 0;
    if (!there) continue;
    if (!make(&b, &s) || !make(&other, &s)) abort();
    w.sim = b.sim;
    tn_sim_watch(b.sim, watch, &w);
    CHECK(tn_sim_run(b.sim, to_rows, &plain, &e) == TN_OK);
    CHECK(tn_sim_load(other.sim, w.state[0].data, w.state[0].used, &e) == TN_OK);
    const int events = tn_sim_events(other.sim);
    CHECK(events > 0);
    CHECK_TEXT(tn_sim_event(other.sim, events - 1)->kind, "restart");
    CHECK_HAS(tn_sim_event(other.sim, events - 1)->text, name);
    CHECK(tn_sim_run(other.sim, to_rows, &rest, &e) == TN_OK);
    CHECK(rest.n == plain.n - w.rows_then[0]);
    for (int c = 1; c < plain.columns && rest.n; c++) {
      const double a = plain.value[(plain.n - 1) * plain.columns + c], z = rest.value[(rest.n - 1) * rest.columns + c];
      CHECK_NEAR(a, z, 1e-5 * fmax(1, fabs(a)));
    }
    for (int k = 0; k < SAVES; k++) free(w.state[k].data);
    free(plain.value);
    free(rest.value);
    build_free(&b);
    build_free(&other);
  }
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------ */

static void saved_at(build *b, const subject *s, double t, bytes *state) {
  tn_error e;
  if (!make(b, s) || tn_sim_advance(b->sim, t, &e) != TN_OK || tn_sim_save(b->sim, to_bytes, state, &e) != TN_OK) {
    printf("%s\n", e.message);
    abort();
  }
}

/* of every piece */
static void sum_anew(bytes *b) {
  for (size_t at = 0, n; at + 40 <= b->used; at += n) {
    n = (size_t)tn_get_u64(b->data + at + 16);
    if (n < 40 || n > b->used - at) return;
    tn_put_u32(b->data + at + n - 4, tn_crc32(0, b->data + at, n - 4));
  }
}

/* texts quote what a model has in it as it was written: whatever that is, a state that was saved is read */
TEST(texts_that_are_quoted) {
  const subject s = {.text = "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81],"
                             " 'bodies': {'bob': {'mass': 1, 'inertia': 0.1, 'center': [0, -1]}},"
                             " 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'bob'], 'at': [0, 0]}},"
                             " 'forces': {'f': {'type': 'torque', 'on': 'pin.angle',"
                             " 'value': '-0.1*step(t\\n-\\t0.5)*pin.rate'}},"
                             " 'start': {'pin.angle': -1.2}, 'outputs': {'a': 'pin.angle'},"
                             " 'run': {'until': 2, 'every': 0.1}}"};
  build b, other;
  bytes state = {0};
  tn_error e;
  char text[400];
  if (!make(&b, &s) || !make(&other, &s)) abort();
  CHECK(tn_sim_advance(b.sim, 1, &e) == TN_OK);
  CHECK(tn_sim_events(b.sim) == 2);
  CHECK_HAS(tn_sim_event(b.sim, 1)->text, "step(t\\n-\\t0.5)");
  for (int i = 0; i < 2; i++) { /* cut inside a character */
    snprintf(text, sizeof text, "%s", i ? "" : "x");
    while (strlen(text) < 300) strcat(text, "\xc3\xa9");
    tn_log(b.sim, 1, "switch", "%s", text);
  }
  CHECK(tn_sim_save(b.sim, to_bytes, &state, &e) == TN_OK);
  const tn_status status = tn_sim_load(other.sim, state.data, state.used, &e);
  if (status != TN_OK) FAIL("%s", e.message);
  CHECK(tn_sim_events(other.sim) == 4);
  /* a name in the summary that was cut likewise; and numbers that would be refused are not written */
  memcpy(b.sim->summary.worst_joint, "pin\xc3\n", 6);
  state.used = 0;
  CHECK(tn_sim_save(b.sim, to_bytes, &state, &e) == TN_OK);
  CHECK(tn_sim_load(other.sim, state.data, state.used, &e) == TN_OK);
  CHECK_TEXT(tn_sim_summary(other.sim)->worst_joint, "pin??");
  b.sim->summary.start_moves = -1;
  CHECK(tn_sim_save(b.sim, to_bytes, &state, &e) == TN_E_INTERNAL);
  CHECK_HAS(e.message, "has -1 for 'start_moves'");
  b.sim->summary.start_moves = 0;
  b.sim->now.y[0] = NAN;
  CHECK(tn_sim_save(b.sim, to_bytes, &state, &e) == TN_E_INTERNAL);
  CHECK_HAS(e.message, "no finite number for 'y'");
  free(state.data);
  build_free(&b);
  build_free(&other);
}

TEST(refused_in_words) {
  const subject s = {.model = "four_bar", .until = 1}, longer = {.model = "four_bar", .until = 2};
  build b, other;
  bytes state = {0};
  tn_error e;
  saved_at(&b, &s, 0.3, &state);
  const double before = tn_sim_q(b.sim)[0];
  CHECK(tn_sim_load(b.sim, state.data, state.used / 2, &e) == TN_E_IO);
  CHECK_HAS(e.message, "cut off");
  to_bytes(&state, "more", 4);
  CHECK(tn_sim_load(b.sim, state.data, state.used, &e) == TN_E_IO);
  CHECK_HAS(e.message, "4 bytes behind its end");
  state.used -= 4;
  CHECK(tn_sim_load(b.sim, "tenon", 5, &e) == TN_E_IO);
  CHECK_HAS(e.message, "not a saved state");
  state.data[state.used / 2] ^= 4;
  CHECK(tn_sim_load(b.sim, state.data, state.used, &e) == TN_E_IO);
  CHECK_HAS(e.message, "checksum");
  state.data[state.used / 2] ^= 4;
  if (!make(&other, &longer)) abort();
  CHECK(tn_sim_load(other.sim, state.data, state.used, &e) == TN_E_IO);
  CHECK_HAS(e.message, "another model");
  build_free(&other);
  state.data[8] = 9;
  CHECK(tn_sim_load(b.sim, state.data, state.used, &e) == TN_E_IO);
  CHECK_HAS(e.message, "version 9");
  state.data[8] = 1;
  /* of another version of Tenon, with numbers that are none, with a whole number out of its range: the checksum is right */
  static const struct {
    const char *name, *words;
    size_t behind;
    unsigned char byte[8];
    size_t n;
  } wrong[] = {{"tenon", "", 0, "9.9", 3},
               {"y", "no finite number", 0, {0, 0, 0, 0, 0, 0, 0xf0, 0x7f}, 8},
               {"worst", "beyond", 0, {0xff, 0xff, 0xff, 0x7f}, 4},
               {"contract_kept", "yes or no", 0, {7}, 1},
               {"worst_joint", "text", 0, {1, 2, 3}, 3}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    bytes copy = {0};
    const size_t length = strlen(wrong[i].name);
    to_bytes(&copy, (const char *)state.data, state.used);
    for (size_t at = 32; at + length < copy.used; at++)
      if (copy.data[at + 1] == length && memcmp(copy.data + at + 10, wrong[i].name, length) == 0) {
        memcpy(copy.data + at + 10 + length, wrong[i].byte, wrong[i].n);
        break;
      }
    sum_anew(&copy);
    CHECK(tn_sim_load(b.sim, copy.data, copy.used, &e) == TN_E_IO);
    CHECK_HAS(e.message, wrong[i].words);
    if (i == 0) CHECK_HAS(e.message, "9.9");
    free(copy.data);
  }
  CHECK(tn_sim_q(b.sim)[0] == before && tn_sim_time(b.sim) == 0.3); /* nothing of it was taken */
  CHECK(tn_sim_load(b.sim, state.data, state.used, &e) == TN_OK);
  CHECK(tn_sim_advance(b.sim, 0.4, &e) == TN_OK);
  /* a writer that fails */
  bytes full = {.most = 5000};
  CHECK(tn_sim_save(b.sim, to_bytes, &full, &e) == TN_E_IO);
  CHECK_HAS(e.message, "could not be written");
  free(full.data);
  build_free(&b);
  if (!make(&b, &s)) abort();
  CHECK(tn_sim_save(b.sim, to_bytes, &state, &e) == TN_E_USAGE);
  build_free(&b);
  free(state.data);
}

/* from a watch and from whoever takes the rows: a state is not put back under a run, and what they ask with an error of their own
 * leaves that of the run alone */
typedef struct asker {
  tn_sim *sim;
  bytes state;
  int refused, asked;
} asker;

static bool ask(void *user, double t) {
  asker *a = user;
  tn_error own;
  double x;
  tn_eval eval;
  (void)t;
  if (tn_sim_load(a->sim, a->state.data, a->state.used, &own) == TN_E_USAGE && strstr(own.message, "while"))
    a->refused++;
  memset(&own, 0x55, sizeof own);
  if (tn_sim_channel(a->sim, "energy.total", &x, &own) == TN_OK && tn_sim_eval(a->sim, &eval, &own) == TN_OK)
    a->asked++;
  if (a->sim->e == &own) FAIL("the run tells its errors to a watch that has ended");
  return a->asked < 3;
}

static tn_status ask_row(void *user, double t, int n, const double *values) {
  (void)n, (void)values;
  return ask(user, t) ? TN_OK : TN_E_STOPPED;
}

TEST(not_while_it_runs) {
  const subject s = {.model = "four_bar", .until = 1};
  build b;
  tn_error e;
  asker a = {0};
  saved_at(&b, &s, 0.1, &a.state);
  a.sim = b.sim;
  tn_sim_watch(b.sim, ask, &a);
  CHECK(tn_sim_advance(b.sim, 0.9, &e) == TN_E_STOPPED);
  CHECK_HAS(e.message, "interrupted");
  CHECK(a.refused == 3 && a.asked == 3);
  tn_sim_watch(b.sim, NULL, NULL);
  a.refused = a.asked = 0;
  CHECK(tn_sim_run(b.sim, ask_row, &a, &e) == TN_E_STOPPED);
  CHECK(a.refused == 3 && a.asked == 3);
  CHECK(tn_sim_load(b.sim, a.state.data, a.state.used, &e) == TN_OK && tn_sim_time(b.sim) == 0.1);
  free(a.state.data);
  build_free(&b);
}

/* the first value of the first item of that name */
static unsigned char *value_of(bytes *b, const char *name) {
  const size_t length = strlen(name);
  for (size_t at = 32; at + 10 + length < b->used; at++)
    if (b->data[at + 1] == length && memcmp(b->data + at + 10, name, length) == 0) return b->data + at + 10 + length;
  FAIL("there is no '%s'", name);
  return b->data + 32;
}

/* a state that is refused changes nothing; where other joints are on in it, and its numbers are wrong behind a right checksum, the
 * simulation is stopped, and says so */
TEST(refused_and_unchanged) {
  const subject s = {.model = "clutch",
                     .formulation = "partition:layout=independent,choose=once",
                     .integrator = "dopri5:max_step=0.1",
                     .until = 10,
                     .every = 0.3};
  build b, late;
  bytes before = {0}, after = {0}, state = {0};
  tn_error e;
  saved_at(&b, &s, 1, &before);
  saved_at(&late, &s, 6, &state);
  CHECK(memcmp(b.sim->solver.sys.given.off, late.sim->solver.sys.given.off, sizeof(bool) * (size_t)b.model->joints) !=
        0);
  CHECK(b.sim->stepper.ode.n != late.sim->stepper.ode.n);
  for (int i = 0; i < 3; i++) { /* other joints, damaged; cut off; the same joints, a number that is none */
    bytes bad = {0};
    const bytes *from = i < 2 ? &state : &before;
    to_bytes(&bad, (const char *)from->data, from->used);
    if (i == 0) bad.data[bad.used - 100] ^= 1;
    if (i == 1) bad.used -= 100;
    if (i == 2) memset(value_of(&bad, "y"), 0xff, 8), sum_anew(&bad);
    CHECK(tn_sim_load(b.sim, bad.data, bad.used, &e) == TN_E_IO);
    after.used = 0;
    CHECK(tn_sim_save(b.sim, to_bytes, &after, &e) == TN_OK);
    CHECK(after.used == before.used && memcmp(after.data, before.data, after.used) == 0);
    free(bad.data);
  }
  bytes bad = {0};
  to_bytes(&bad, (const char *)state.data, state.used);
  memset(value_of(&bad, "y"), 0xff, 8), sum_anew(&bad);
  CHECK(tn_sim_load(b.sim, bad.data, bad.used, &e) == TN_E_IO);
  CHECK_HAS(e.message, "no finite number");
  CHECK(tn_sim_advance(b.sim, 2, &e) == TN_E_RUN);
  CHECK_HAS(e.message, "no finite number");
  CHECK(tn_sim_load(b.sim, before.data, before.used, &e) == TN_OK);
  after.used = 0;
  CHECK(tn_sim_save(b.sim, to_bytes, &after, &e) == TN_OK);
  CHECK(after.used == before.used && memcmp(after.data, before.data, after.used) == 0);
  CHECK(tn_sim_load(b.sim, state.data, state.used, &e) == TN_OK && tn_sim_time(b.sim) == 6);
  free(bad.data);
  free(before.data);
  free(after.data);
  free(state.data);
  build_free(&b);
  build_free(&late);
}

/* an index ends where its list does */
TEST(indices_from_a_file) {
  for (int by_numbers = 0; by_numbers < 2; by_numbers++) {
    const subject s = {.model = "four_bar",
                       .integrator = by_numbers ? "dopri5:control=numbers" : "dopri5",
                       .until = 1,
                       .formulation = "augmented"};
    build b;
    bytes state = {0};
    tn_error e;
    saved_at(&b, &s, 0.1, &state);
    CHECK(b.model->run.by_numbers == (by_numbers == 1));
    const int joints = b.model->joints + b.model->owned;
    const struct {
      const char *name;
      int n;
    } index[] = {{"worst", by_numbers ? b.model->nq + b.model->nu : 2 * b.model->nu},
                 {"turning_joint", joints},
                 {"joint", joints}};
    for (size_t i = 0; i < sizeof index / sizeof *index; i++)
      for (int past = 0; past < 2; past++) {
        unsigned char *x = value_of(&state, index[i].name), was[4];
        memcpy(was, x, sizeof was);
        tn_put_u32(x, (uint32_t)(index[i].n - 1 + past));
        sum_anew(&state);
        CHECK(tn_sim_load(b.sim, state.data, state.used, &e) == (past ? TN_E_IO : TN_OK));
        if (past) CHECK_HAS(e.message, "beyond");
        memcpy(x, was, sizeof was);
      }
    /* positions that are counted, and none is there */
    unsigned char *count = value_of(&state, "summary") + 3 * (10 + strlen("count") + 8);
    CHECK(memcmp(count + 10, "count", 5) == 0);
    tn_put_u64(count + 15, 2);
    sum_anew(&state);
    CHECK(tn_sim_load(b.sim, state.data, state.used, &e) == TN_E_IO);
    CHECK_HAS(e.message, "contradicts itself");
    free(state.data);
    build_free(&b);
  }
}

/* any bytes: with the right checksum too, they are refused or taken, and what is taken runs or stops in words */
static void mutate(const subject *s, int times) {
  build b;
  bytes state = {0}, copy = {0};
  tn_error e;
  int taken = 0;
  saved_at(&b, s, 0.05, &state);
  build_free(&b);
  for (int i = 0; i < times; i++) {
    copy.used = 0;
    to_bytes(&copy, (const char *)state.data, state.used);
    const int changes = 1 + (int)(3 * random_share());
    for (int k = 0; k < changes; k++) {
      const size_t at = 32 + (size_t)(random_share() * (double)(copy.used - 40));
      copy.data[at] = random_share() < 0.3 ? 0xff : (unsigned char)(256 * random_share());
    }
    if (random_share() < 0.1) copy.used = 32 + (size_t)(random_share() * (double)(copy.used - 32));
    if (random_share() < 0.9) {
      tn_put_u64(copy.data + 16, copy.used);
      sum_anew(&copy);
    }
    if (!make(&b, s)) abort();
    tn_status status = tn_sim_load(b.sim, copy.data, copy.used, &e);
    if (status != TN_OK) CHECK(*e.message);
    if (status == TN_OK) taken++;
    const double t = tn_sim_time(b.sim);
    if (status == TN_OK && fabs(t) < 10 && t < 0.1) status = tn_sim_advance(b.sim, 0.1, &e);
    if (status != TN_OK) CHECK(*e.message);
    build_free(&b);
  }
  printf("%d of %d taken\n", taken, times);
  free(state.data);
  free(copy.data);
}

TEST(any_bytes) {
  mutate(&(subject){.model = "four_bar", .integrator = "dopri5:rtol=1e-4"}, 150);
  mutate(&(subject){.model = "spatial_four_bar", .integrator = "radau5:rtol=1e-3"}, 60);
  mutate(&(subject){.text = SWITCHED, .integrator = "rk4:step=0.01"}, 150);
  mutate(&(subject){.text = RUBBED, .integrator = "dopri5:rtol=1e-4", .formulation = "partition:layout=independent"},
         150);
  mutate(&(subject){.model = "door_three_hinges", .integrator = "rk4:step=0.01", .formulation = "nullspace"}, 60);
}

/* item by item, with the right checksum: each flag is turned, each whole number becomes another, one more or less than it may be too;
 * of arrays the first and the last */
static bool some_steps(void *user, double t) {
  int *steps = user;
  (void)t;
  return ++*steps < 5;
}

static void try_state(const tn_model *m, const bytes *state, int *taken) {
  tn_sim *sim;
  tn_error e;
  int steps = 0;
  bytes text = {0};
  if (tn_sim_new(m, &sim, &e) != TN_OK) abort();
  tn_sim_watch(sim, some_steps, &steps);
  tn_status status = tn_sim_load(sim, state->data, state->used, &e);
  if (status == TN_OK) {
    ++*taken;
    report(sim, &text);
    status = tn_sim_run(sim, NULL, NULL, &e);
    report(sim, &text);
  }
  if (status != TN_OK) CHECK(*e.message);
  free(text.data);
  tn_sim_free(sim);
}

static void by_item(const subject *s, double t) {
  static const int64_t other[] = {-1, 1, INT32_MAX};
  build b;
  bytes state = {0}, copy = {0};
  int taken = 0, tried = 0;
  saved_at(&b, s, t, &state);
  const int near[] = {b.model->joints + b.model->owned, 2 * b.model->nu + b.model->states, b.sim->stepper.ode.n,
                      b.model->rows};
  for (size_t piece = 0, size; piece < state.used; piece += size) {
    size = (size_t)tn_get_u64(state.data + piece + 16);
    for (size_t at = piece + 32, next; at < piece + size - 8; at = next) {
      const unsigned char *x = state.data + at;
      const int kind = x[0], width = kind == 'd' || kind == 'l' ? 8 : kind == 'i' ? 4 : kind == 'g' ? 0 : 1;
      const size_t n = (size_t)tn_get_u64(x + 2), values = at + 10 + x[1];
      next = values + n * (size_t)width;
      if (!n || !(kind == 'b' || kind == 'i' || kind == 'l')) continue;
      for (int end = 0; end < (n > 1 ? 2 : 1); end++)
        for (size_t k = 0; k < (kind == 'b' ? 1 : kind == 'l' ? 1 : 7); k++) {
          copy.used = 0;
          to_bytes(&copy, (const char *)state.data, state.used);
          unsigned char *to = copy.data + values + (end ? n - 1 : 0) * (size_t)width;
          const int64_t value = k < 3 ? other[k] : near[k - 3];
          if (kind == 'b') *to = !*to;
          if (kind == 'i') tn_put_u32(to, (uint32_t)value);
          if (kind == 'l') tn_put_u64(to, INT64_MAX / 2);
          if (memcmp(copy.data, state.data, copy.used) == 0) continue;
          sum_anew(&copy);
          try_state(b.model, &copy, &taken);
          tried++;
        }
    }
  }
  printf("%d of %d taken\n", taken, tried);
  CHECK(taken > 20 && taken < tried);
  build_free(&b);
  free(state.data);
  free(copy.data);
}

TEST(every_item) {
  by_item(&(subject){.model = "spatial_chain", .set = "N=2", .integrator = "rk4:step=0.01", .formulation = "nullspace"},
          0.05);
  by_item(&(subject){.model = "four_bar", .integrator = "rk4:step=0.01", .formulation = "gauss"}, 0.05);
}

TEST_FULL(every_item_of_more) {
  by_item(&(subject){.text = RUBBED, .integrator = "dopri5:rtol=1e-4"}, 0.05);
  by_item(&(subject){.model = "four_bar", .integrator = "dopri5:rtol=1e-4"}, 0.05);
  by_item(&(subject){.model = "n_four_bar", .integrator = "rk4:step=0.01", .coordinates = "relative"}, 0.05);
  by_item(&(subject){.model = "four_bar",
                     .integrator = "radau5:rtol=1e-3",
                     .formulation = "partition:layout=independent,choose=kept"},
          0.05);
  by_item(&(subject){.model = "clutch", .integrator = "dopri5:max_step=0.1"}, 6);
}

TEST_LONG(many_bytes) {
  static const subject subjects[] = {
      {.model = "four_bar"},
      {.model = "bricard", .integrator = "rk4:step=0.005"},
      {.model = "n_four_bar", .coordinates = "relative"},
      {.model = "spatial_chain", .set = "N=12", .integrator = "rk4:step=0.005"},
      {.model = "gear_train", .formulation = "partition:pivoting=rref,choose=kept"},
      {.model = "four_bar", .stabilize = "project:metric=dependent,choose=kept"},
      {.model = "four_bar", .stabilize = "baumgarte-adaptive", .integrator = "rk4:step=0.005"},
      {.model = "spatial_four_bar",
       .formulation = "partition:layout=speeds,choose=kept",
       .integrator = "trbdf2:rtol=1e-3"},
      {.model = "hoang_pd_voltage_inductance", .integrator = "radau5:rtol=1e-3"},
      {.model = "iftomm_a01", .integrator = "dop853:rtol=1e-4"},
      {.model = "biped_actuated", .integrator = "rk4:step=0.01"},
      {.model = "four_bar", .integrator = "abm:rtol=1e-4"},
      {.model = "four_bar", .integrator = "cvode-bdf:rtol=1e-4"},
      {.text = SWITCHED, .formulation = "gauss"},
      {.text = RUBBED, .integrator = "ida:rtol=1e-4"},
  };
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) mutate(&subjects[i], 1500);
}
