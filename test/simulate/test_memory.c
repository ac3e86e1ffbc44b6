/* memory: nothing after tn_sim_new allocates; an allocation that fails, whichever, is a clean error and leaks nothing. */
#include "model/model.h"
#include "tenon/tenon.h"
#include "test.h"

/* counts, fails the call number `fail`, fills what it gives with garbage */
typedef struct counting {
  int64_t calls, out, fail;
} counting;

static void *count_allocate(void *user, size_t size) {
  counting *c = user;
  if (++c->calls == c->fail) return NULL;
  void *p = malloc(size ? size : 1);
  if (!p) abort();
  c->out++;
  return memset(p, 0xa5, size);
}

static void count_release(void *user, void *block) {
  CHECK(block != NULL);
  ((counting *)user)->out--;
  free(block);
}

typedef struct options {
  const char *model;                         /* models/<model>.json, or a text that begins with { */
  double until, every;                       /* s                                                 */
  const char *stabilize, *integrator, *kick; /* kick: a torque on the crank                       */
} options;

static tn_status describe(tn_desc *d, const options *o, tn_error *e) {
  char path[512];
  tn_status status;
  if (o->model[0] == '{') {
    status = tn_desc_parse(d, "m.json", o->model, strlen(o->model), e);
  } else {
    snprintf(path, sizeof path, TN_SOURCE_DIR "/models/%s.json", o->model);
    status = tn_desc_read(d, path, e);
  }
  if (!status) status = tn_desc_number(d, "/run/until", o->until, e);
  if (!status) status = tn_desc_number(d, "/run/every", o->every, e);
  if (!status && o->stabilize) status = tn_desc_part(d, "/run/stabilize", o->stabilize, e);
  if (!status && o->integrator) status = tn_desc_part(d, "/run/integrator", o->integrator, e);
  if (!status && o->kick)
    status = tn_desc_json(d, "/forces/kick", "{\"type\": \"torque\", \"on\": \"crank.angle\"}", e);
  if (!status && o->kick) status = tn_desc_text(d, "/forces/kick/value", o->kick, e);
  return status;
}

static tn_status count_row(void *user, double t, int n, const double *values) {
  (void)t;
  for (int i = 0; i < n; i++) CHECK(isfinite(values[i]));
  ++*(int64_t *)user;
  return TN_OK;
}

static bool to_nowhere(void *user, const char *text, size_t size) {
  (void)text;
  *(size_t *)user += size;
  return true;
}

/* steps and rows without a single call of the allocator */
static tn_summary steady(const options *o, int *singular) {
  counting c = {0};
  const tn_allocator allocator = {count_allocate, count_release, &c};
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  tn_error e = {.status = TN_OK};
  int64_t rows = 0;
  tn_summary summary = {.steps = 0};
  tn_status status = tn_desc_new(&allocator, &d, &e);
  if (!status) status = describe(d, o, &e);
  if (!status) status = tn_compile(d, &m, &e);
  const int64_t compiled = c.calls;
  if (!status) status = tn_sim_new(m, &s, &e);
  if (!status) CHECK(c.calls == compiled + 1); /* one block */
  const int64_t before = c.calls;
  size_t written = 0;
  double value;
  if (!status) status = tn_sim_run(s, count_row, &rows, &e);
  if (!status) status = tn_sim_channel(s, "energy.total", &value, &e);
  if (!status) status = tn_report_json(s, "m", to_nowhere, &written);
  if (!status) status = tn_report_text(s, "m", to_nowhere, &written);
  CHECK(c.calls == before && written > 500);
  if (status) printf("%s: %s\n", o->model, e.message);
  CHECK(status == TN_OK);
  if (!status) {
    summary = *tn_sim_summary(s);
    CHECK(rows == (int64_t)ceil(o->until / o->every - 1e-9) + 1);
    for (int i = 0; singular && i < tn_sim_events(s); i++)
      *singular += strcmp(tn_sim_event(s, i)->kind, "singular") == 0;
  }
  tn_sim_free(s);
  tn_model_free(m);
  tn_desc_free(d);
  CHECK(c.out == 0);
  return summary;
}

static const char jump[] = "40*tanh(1e7*sin(5*pi*t))", switching[] = "if(mod(t, 0.4) < 0.2, 40, -40)";

TEST(adaptive_steps_with_rejections_allocate_nothing) {
  const tn_summary s = steady(&(options){"four_bar", 10, 0.0101, NULL, NULL, jump}, NULL);
  CHECK(s.steps >= 1000 && s.rejected >= 100 && s.factorizations > s.steps);
}

TEST(fixed_steps_allocate_nothing) {
  const tn_summary s = steady(&(options){"four_bar", 1, 0.0037, NULL, "rk4:step=1e-3", NULL}, NULL);
  CHECK(s.steps == 1000);
  const tn_summary euler = steady(&(options){"driven_pivot", 0.1, 0.0037, NULL, "euler:step=1e-4", NULL}, NULL);
  CHECK(euler.steps == 1000);
}

/* of every integrator of ours, with and without feedback that is held */
TEST(integrators_allocate_nothing) {
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *type = tn_integrator_types[i];
    char text[64];
    if (!type->attempt) continue;
    if (type->fixed) {
      snprintf(text, sizeof text, "%s:step=1e-3", type->name);
      CHECK(steady(&(options){"four_bar", 0.5, 0.0037, NULL, text, NULL}, NULL).steps >= 500);
      const char *held =
          "baumgarte:a=0.5,b=0.015625,feedback=held"; /* the contract is for those that are exact enough */
      if (type->order >= 5) CHECK(steady(&(options){"four_bar", 0.5, 0.0037, held, text, NULL}, NULL).steps >= 500);
    }
    if (!type->adaptive) continue;
    snprintf(text, sizeof text, "%s:rtol=1e-6", type->name);
    const tn_summary sum = steady(&(options){"four_bar", 3, 0.0101, NULL, text, jump}, NULL);
    CHECK(sum.rejected > 5);
  }
}

TEST(switches_allocate_nothing) {
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *type = tn_integrator_types[i];
    char text[64];
    if (!type->attempt || type->order < 2) continue;
    snprintf(text, sizeof text, type->adaptive ? "%s:rtol=1e-6,atol=1e-6" : "%s:step=1e-3", type->name);
    const tn_summary s = steady(&(options){"four_bar", 1, 0.0037, NULL, text, switching}, NULL);
    if (s.switches != 6) printf("%s: %" PRId64 " switches\n", type->name, s.switches);
    CHECK(s.switches == 6); /* one at 0.2 and 0.6, two at 0.4 and 0.8: mod, and the comparison follows */
  }
}

TEST(feedback_allocates_nothing) {
  static const char *const gains[] = {"baumgarte:a=1,b=0.5,feedback=held", "baumgarte:alpha=50,beta=50", "embedded",
                                      "fuzzy"};
  for (int i = 0; i < 4; i++)
    CHECK(steady(&(options){"four_bar", 1, 0.0037, gains[i], "rk4:step=1e-3", NULL}, NULL).steps == 1000);
}

TEST(feedback_with_memory_or_states_allocates_nothing) {
  static const char *const all[] = {"baumgarte-adaptive", "pid", "fuzzy:rule=measured,ku=1e-9",
                                    "fuzzy:infer=mamdani,set=gaussian,size=9",
                                    "fuzzy:kp=10,kd=0.1,ku=100,size=31,size_rate=3"};
  for (int i = 0; i < 5; i++) {
    CHECK(steady(&(options){"four_bar", 1, 0.0037, all[i], "rk4:step=1e-3", NULL}, NULL).steps == 1000);
    CHECK(steady(&(options){"four_bar", 1, 0.0037, all[i], NULL, NULL}, NULL).steps > 100);
  }
}

TEST(actuators_allocate_nothing) {
  const tn_summary s = steady(&(options){"biped_actuated", 0.5, 0.0037, NULL, "rk4:step=1e-3", NULL}, NULL);
  CHECK(s.steps == 500);
}

TEST(the_identity_metric_allocates_nothing) {
  const tn_summary s = steady(&(options){"four_bar", 10, 0.0101, "project:metric=identity", NULL, jump}, NULL);
  CHECK(s.steps >= 1000 && s.rejected >= 100);
}

TEST(dependent_components_allocate_nothing) {
  static const char *const by[] = {"project:metric=dependent", "project:metric=dependent,choose=once", "adjust"};
  for (int i = 0; i < 3; i++)
    CHECK(steady(&(options){"four_bar", 1, 0.0037, by[i], "rk4:step=1e-3", NULL}, NULL).steps == 1000);
  CHECK(steady(&(options){"four_bar", 3, 0.0101, by[0], NULL, jump}, NULL).rejected > 5);
}

TEST(friction_that_goes_with_loads_allocates_nothing) {
  static char crank[] =
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81],"
      "'points': {'O': [0, 0], 'P': [0, 0.1], 'Q': ['sqrt(0.08)', 0]},"
      "'bodies': {'crank': {'rod': ['O', 'P'], 'mass': 0.4}, 'conrod': {'rod': ['P', 'Q'], 'mass': 0.6},"
      "  'piston': {'position': 'Q', 'mass': 0.5, 'inertia': 1e-4}},"
      "'joints': {'main': {'type': 'revolute', 'between': ['ground', 'crank'], 'at': 'O'},"
      "  'big': {'type': 'revolute', 'between': ['crank', 'conrod'], 'at': 'P'},"
      "  'small': {'type': 'revolute', 'between': ['conrod', 'piston'], 'at': 'Q'},"
      "  'bore': {'type': 'prismatic', 'between': ['ground', 'piston'], 'at': 'Q', 'axis': 'x'}},"
      "'forces': {'a': {'type': 'friction', 'on': 'main.angle', 'mu': 0.2, 'radius': 0.02},"
      "  'b': {'type': 'friction', 'on': 'big.angle', 'mu': 0.2, 'radius': 0.02},"
      "  'c': {'type': 'friction', 'on': 'bore.shift', 'mu': 0.2}}, 'start': {'main.rate': 30}}";
  for (char *c = crank; *c; c++)
    if (*c == '\'') *c = '"';
  CHECK(steady(&(options){crank, 1, 0.0037, NULL, NULL, NULL}, NULL).steps > 300);
  CHECK(steady(&(options){crank, 1, 0.0037, NULL, "radau5", NULL}, NULL).steps > 100);
}

/* two four-bars that start lying flat, and lie flat again and again */
TEST(singular_positions_allocate_nothing) {
  static char flat[] =
      "{'tenon': 1, 'dimension': 2, 'constants': {'N': 2},"
      "'points': {'A{i}': {'repeat': 'i=0..N', 'at': ['i', 0]}, 'B{i}': {'repeat': 'i=0..N', 'at': ['i + 1', 0]}},"
      "'bodies': {'link{i}': {'repeat': 'i=0..N', 'rod': ['A{i}', 'B{i}'], 'mass': 1},"
      "'coupler{i}': {'repeat': 'i=1..N', 'rod': ['B{i-1}', 'B{i}'], 'mass': 1}}, 'joints': {"
      "'ground{i}': {'repeat': 'i=0..N', 'type': 'revolute', 'between': ['ground', 'link{i}'], 'at': 'A{i}'},"
      "'left{i}': {'repeat': 'i=1..N', 'type': 'revolute', 'between': ['link{i-1}', 'coupler{i}'], 'at': 'B{i-1}'},"
      "'right{i}': {'repeat': 'i=1..N', 'type': 'revolute', 'between': ['coupler{i}', 'link{i}'], 'at': 'B{i}'}},"
      "'start': {'link{i}.rate': {'repeat': 'i=0..N', 'value': 2}}, 'run': {'contract': {'breach': 'record'}}}";
  int singular = 0;
  for (char *c = flat; *c; c++)
    if (*c == '\'') *c = '"';
  const tn_summary fixed = steady(&(options){flat, 10, 0.021, NULL, "rk4:step=0.01", NULL}, NULL);
  CHECK(fixed.steps >= 1000);
  const tn_summary adaptive = steady(&(options){flat, 30, 0.021, NULL, "dopri5:rtol=1e-10", NULL}, &singular);
  CHECK(adaptive.steps >= 1000 && singular > 0);
}

/* ---- the n-th allocation fails ------------------------------------------------------------------------------------ */

static tn_status whole_path(const options *o, counting *c, tn_error *e) {
  const tn_allocator allocator = {count_allocate, count_release, c};
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  int64_t rows = 0;
  tn_status status = tn_desc_new(&allocator, &d, e);
  CHECK((status == TN_OK) == (d != NULL));
  if (!status) status = describe(d, o, e);
  if (!status) {
    status = tn_compile(d, &m, e);
    CHECK((status == TN_OK) == (m != NULL));
  }
  if (!status) {
    status = tn_sim_new(m, &s, e);
    CHECK((status == TN_OK) == (s != NULL));
  }
  if (!status) status = tn_sim_run(s, count_row, &rows, e);
  tn_sim_free(s);
  tn_model_free(m);
  tn_desc_free(d);
  CHECK(c->out == 0);
  return status;
}

static void fail_each(const options *o) {
  counting all = {0};
  tn_error e = {.status = TN_OK};
  CHECK(whole_path(o, &all, &e) == TN_OK);
  if (e.status) printf("%s\n", e.message);
  CHECK(all.calls > 10);
  for (int64_t n = 1; n <= all.calls && tn_test_failures < 20; n++) {
    counting c = {.fail = n};
    e = (tn_error){.status = TN_OK};
    const tn_status status = whole_path(o, &c, &e);
    if (status != TN_E_MEMORY)
      printf("%s: allocation %" PRId64 " of %" PRId64 " fails: %d \"%s\"\n", o->model, n, all.calls, status, e.message);
    CHECK(status == TN_E_MEMORY && e.status == TN_E_MEMORY && strstr(e.message, "memory") && c.calls >= n);
  }
}

TEST(every_allocation_may_fail_in_the_four_bar) { fail_each(&(options){"four_bar", 0.02, 0.01, NULL, NULL, NULL}); }

TEST(every_allocation_may_fail_in_repeats) { fail_each(&(options){"n_four_bar", 0.02, 0.01, NULL, NULL, NULL}); }

TEST(every_allocation_may_fail_with_actuators) {
  fail_each(&(options){"biped_actuated", 0.02, 0.01, NULL, "rk4:step=0.01", NULL});
}

TEST(every_allocation_may_fail_with_drivers) {
  fail_each(&(options){"driven_pivot", 0.02, 0.01, "baumgarte:alpha=5,beta=5", "rk4:step=0.01", NULL});
}

TEST(every_allocation_may_fail_in_a_model_that_has_everything) {
  static char model[] =
      "{'tenon': 1, 'dimension': 2, 'title': 'all', 'coordinates': 'relative', 'gravity': [0, '-g0'],"
      "'constants': {'a': 'b + 1', 'b': 'w[2]', 'N': 2}, 'tables': {'w': [1, 2], 'v': [3, 5]},"
      "'points': {'P{i}': {'repeat': 'i=0..N', 'at': ['i', 'P.y']}, 'P': [0, 'b - 2']},"
      "'bodies': {'arm': {'rod': ['P0', 'P1'], 'mass': 'a', 'lumps': [{'repeat': 'k=1..2', 'mass': 'k', 'at': ['k', "
      "0]}]},"
      "  'leg': {'mass': 1, 'inertia': 1, 'position': 'P1'},"
      "  'bob': {'mass': 1, 'position': [5, 0], 'coordinates': 'point'},"
      "  'foot': {'mass': 1, 'inertia': 1, 'angle': 1, 'coordinates': {'type': 'swing', 'parent': 'arm', 'at': 'P1'}}},"
      "'rods': {'r': {'between': ['ground', 'bob'], 'at': [[4, 0], 'bob'], 'mass': 1}},"
      "'joints': {'hip': {'type': 'revolute', 'between': ['ground', 'arm'], 'at': 'P0'},"
      "  'slide': {'type': 'prismatic', 'between': ['arm', 'leg'], 'at': 'P1', 'axis': [1, 1]},"
      "  'cord': {'type': 'distance', 'between': ['leg', 'bob'], 'at': ['P1', 'bob']},"
      "  'drive': {'type': 'driver', 'on': 'foot.angle', 'value': '1 + sin(t)'},"
      "  'sum': {'type': 'coordinate', 'terms': {'bob.x': 1, 'bob.y': 'a'}, 'value': 5},"
      "  'mid': {'type': 'center-of-mass', 'bodies': ['bob'], 'axis': 'x', 'value': 5}},"
      "'forces': {'m': {'type': 'torque', 'on': 'hip.angle', 'value': 'table(w, v, t) - rate'},"
      "  's': {'type': 'spring', 'between': ['arm', 'leg'], 'at': ['P0', 'P1'], 'stiffness': 1, 'damping': 0.1},"
      "  'h': {'type': 'bushing', 'between': ['arm', 'leg'], 'at': 'P1', 'stiffness': [1, 1, 1]},"
      "  'k': {'type': 'friction', 'on': 'slide.shift', 'mu': 0.1, 'speed': 1},"
      "  'f': {'type': 'force', 'on': 'leg', 'on_body': [0, 0], 'value': ['if(t < 1, leg.x, 0)', 'velocity(arm, "
      "P1).y']}},"
      "'start': {'hip.rate': 0.1, 'keep': ['slide.shift'], 'guess': {'leg.rate': 0}},"
      "'outputs': {'p{i}': {'repeat': 'i=1..2', 'value': 'position(arm, P{i})'}, 'e': 'energy.total',"
      "            'l': 'norm(force(cord))'},"
      "'run': {'stabilize': ['project', {'type': 'baumgarte', 'alpha': 1, 'beta': 'a'}]}}";
  for (char *c = model; *c; c++)
    if (*c == '\'') *c = '"';
  fail_each(&(options){model, 0.02, 0.01, NULL, NULL, NULL});
}

/* ---- states that are saved -------------------------------------------------------------------------------------------------- */

typedef struct saving {
  tn_sim *sim;
  size_t size;
} saving;

static bool save_now(void *user, double t) {
  saving *s = user;
  (void)t;
  s->size = 0;
  CHECK(tn_sim_save(s->sim, to_nowhere, &s->size, NULL) == TN_OK);
  return true;
}

typedef struct kept {
  unsigned char bytes[200000];
  size_t used;
} kept;

static bool to_state(void *user, const char *text, size_t size) {
  kept *k = user;
  if (size > sizeof k->bytes - k->used) return false;
  memcpy(k->bytes + k->used, text, size);
  k->used += size;
  return true;
}

/* neither saving, at every step, nor putting back */
TEST(saved_states_allocate_nothing) {
  static kept state;
  counting c = {0};
  const tn_allocator allocator = {count_allocate, count_release, &c};
  const options o = {"four_bar", 0.5, 0.01, NULL, NULL, NULL};
  tn_desc *d;
  tn_model *m;
  tn_sim *sim = NULL;
  tn_error e;
  int64_t rows = 0;
  saving s = {0};
  CHECK(tn_desc_new(&allocator, &d, &e) == TN_OK && describe(d, &o, &e) == TN_OK);
  CHECK(tn_compile(d, &m, &e) == TN_OK && tn_sim_new(m, &sim, &e) == TN_OK);
  s.sim = sim;
  tn_sim_watch(sim, save_now, &s);
  const int64_t before = c.calls;
  CHECK(tn_sim_run(sim, count_row, &rows, &e) == TN_OK && rows == 51 && s.size > 1000);
  CHECK(c.calls == before);
  CHECK(tn_sim_save(sim, to_state, &state, &e) == TN_OK && tn_sim_load(sim, state.bytes, state.used, &e) == TN_OK);
  CHECK(c.calls == before);
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(d);
  CHECK(c.out == 0);
}
