/* every stabilizer on every model whose rows all have a C: the run ends, or is refused with a reason. */
#include "support/build.h"
#include "test.h"

/* each type as it is if it needs no gains, and variants that act in other places */
static const char *const all[] = {"none",
                                  "baumgarte:alpha=5,beta=5",
                                  "baumgarte:alpha=5,beta=12",
                                  "baumgarte:frequency=50,damping=0.7",
                                  "baumgarte:a=2,b=2,feedback=staged",
                                  "baumgarte:a=1,b=0.5",
                                  "baumgarte-adaptive",
                                  "pid",
                                  "input-output",
                                  "input-output:pole=20,frequency=30,integral=5",
                                  "penalty-staggered",
                                  "discrete-multipliers",
                                  "fuzzy",
                                  "fuzzy:set=gaussian,kp=100,kd=0.01,ku=10000",
                                  "fuzzy:infer=mamdani,both=minimum,size_rate=3",
                                  "adjust",
                                  "project:metric=dependent",
                                  "embedded",
                                  "embedded:feedback=staged",
                                  "embedded:form=velocity",
                                  "project",
                                  "project:metric=identity",
                                  "project:passes=one",
                                  "project:place=stage",
                                  "project:place=guard"};
enum { ALL = sizeof all / sizeof *all };

static bool known(const char *text) {
  const size_t n = strcspn(text, ":");
  for (int i = 0; i < tn_stabilizer_type_count; i++)
    if (strlen(tn_stabilizer_types[i]->name) == n && strncmp(tn_stabilizer_types[i]->name, text, n) == 0) return true;
  return false;
}

/* done: 1, refused: 0 */
static int run(const char *model, const char *stabilize, double until) {
  build b;
  tn_error e = {0};
  build_new(&b, 1);
  build_read(&b, model);
  build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&b, "/run/integrator", "{\"type\": \"rk4\", \"step\": 1e-3}");
  CHECK(tn_desc_part(b.desc, "/run/stabilize", stabilize, &e) == TN_OK);
  int done = 0;
  if (build_simulate(&b)) {
    tn_status status = TN_OK;
    done = b.model->rows > 0 && b.model->rows == b.model->holonomic;
    if (done) status = tn_sim_advance(b.sim, until, &e);
    const tn_summary *s = tn_sim_summary(b.sim);
    if (!done) {
    } else if (status != TN_OK) {
      done = 0;
      printf("%s %s: refused at %g s: %s\n", model, stabilize, e.time, e.message);
      if (strlen(e.message) < 10) FAIL("%s %s: no reason", model, stabilize);
    } else {
      CHECK_NEAR(tn_sim_time(b.sim), until, 1e-9);
      if (!isfinite(s->max_position_violation)) FAIL("%s %s: not a number", model, stabilize);
      if (s->max_position_violation > 1e-2) printf("%s %s: off by %.1e\n", model, stabilize, s->max_position_violation);
    }
  } else {
    printf("%s %s: refused: %s\n", model, stabilize, b.message);
    if (strlen(b.message) < 10) FAIL("%s %s: no reason", model, stabilize);
  }
  build_free(&b);
  return done;
}

/* a type that is not among them is tried as its example has it */
static bool of_example(const tn_stabilizer_type *type, char *part, size_t size) {
  const size_t n = strlen(type->name);
  for (int k = 0; k < ALL; k++)
    if (strncmp(all[k], type->name, n) == 0 && (all[k][n] == ':' || !all[k][n])) return false;
  const char *from = type->example ? strstr(type->example, "--stabilize ") : NULL;
  if (!from) {
    FAIL("%s has no example", type->name);
    return false;
  }
  from += strlen("--stabilize ");
  snprintf(part, size, "%.*s", (int)strcspn(from, " "), from);
  return true;
}

static void each(double until, int least) {
  static char names[64][64];
  const int models = build_models(names, 64);
  char part[200];
  int done = 0;
  for (int i = 0; i < ALL; i++) {
    if (!known(all[i])) {
      FAIL("there is no %s", all[i]);
      continue;
    }
    for (int k = 0; k < models; k++) done += run(names[k], all[i], until);
  }
  for (int i = 0; i < tn_stabilizer_type_count; i++)
    if (of_example(tn_stabilizer_types[i], part, sizeof part))
      for (int k = 0; k < models; k++) done += run(names[k], part, until);
  printf("%d runs done\n", done);
  CHECK(done >= least);
}

TEST_FULL(every_stabilizer_on_every_model_for_a_while) { each(0.05, 400); }
TEST_LONG(every_stabilizer_on_every_model) { each(5, 400); }
