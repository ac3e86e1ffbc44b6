/* the integrators of SUNDIALS: motions against solutions that others computed, what is refused and in which words, and their life:
 * restarts, packed states, no memory. a build without SUNDIALS knows their names and says so. */
#include <unistd.h>

#include "support/build.h"
#include "support/reference.h"

#include "test.h"

static const char *const names[] = {"arkode", "cvode-adams", "cvode-bdf", "ida"};
enum { NAMES = sizeof names / sizeof *names };

static bool without(void) { return tn_types_left_out[0].name != NULL; }

/* ---- memory: theirs comes from malloc ----------------------------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__) || defined(__has_feature)
#define OWN_MALLOC 0
#else
#define OWN_MALLOC 1
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
static int64_t left = -1; /* calls until one fails; below 0: none does */
static int64_t calls;
extern int SUNContext_Create(void *, void **) __attribute__((weak));
extern int SUNContext_Free(void **) __attribute__((weak));
static bool fails(void) {
  calls++;
  return left >= 0 && left-- == 0;
}
void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
#endif

/* calls for their vectors fail, one after the other. for a context and for what is inside a solver SUNDIALS takes what malloc
 * gives without looking, and nobody can help that */
TEST(no_memory_for_their_vectors) {
  if (without()) return;
#if OWN_MALLOC
  void *context = NULL;
  const int64_t before = calls;
  CHECK(SUNContext_Create(NULL, &context) == 0);
  const int64_t first = calls - before;
  CHECK(SUNContext_Free(&context) == 0);
  for (int i = 0; i < NAMES; i++)
    for (int64_t n = first; n < first + 20; n++) {
      build b;
      tn_error e;
      build_new(&b, 1);
      build_read(&b, "four_bar");
      build_set(&b, "/run/integrator", "{\"type\": \"%s\"}", names[i]);
      CHECK(build_simulate(&b));
      left = n;
      const tn_status status = tn_sim_advance(b.sim, 0.01, &e);
      CHECK(left == -1);
      left = -1;
      CHECK(status == TN_E_MEMORY && e.status == TN_E_MEMORY);
      CHECK_HAS(e.message, "out of memory");
      build_free(&b);
    }
#endif
}

/* ---- motions ------------------------------------------------------------------------------------------------------------ */

typedef struct problem {
  const char *model, *file, *rows, *columns, *every, *until;
  double end;
} problem;

static const problem wu = {.model = "wu_crank_slider",
                           .file = "ref_wu_crank_slider",
                           .rows = "/rows",
                           .columns = "theta=q0 phi=q1 x=q2 y=q3 theta_rate=v0 phi_rate=v1 vx=v2 vy=v3",
                           .every = "0.25",
                           .until = "10",
                           .end = 10};
static const problem andrews = {.model = "andrews",
                                .file = "iftomm_A03_andrews_0.05s",
                                .rows = "/reference/samples",
                                .columns = "beta Theta gamma Phi delta Omega eps beta_d Fx Fy Fvx Fvy",
                                .every = "0.00125",
                                .until = "0.05",
                                .end = 0.05};

/* relative to max(1, value): the crank of Andrews turns at 1,000 rad/s */
static double error_of(const problem *p, const char *integrator, tn_summary *sum, char where[128]) {
  const ref_change changes[] = {{"/run/integrator", integrator},
                                {"/run/method", "\"project\""},
                                {"/run/until", p->until},
                                {"/run/every", p->every},
                                {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  ref_table got = {0}, reference = {0};
  double error = INFINITY;
  *sum = (tn_summary){.status = TN_E_INTERNAL};
  snprintf(where, 128, "the run");
  if (ref_desc(p->model, changes, &desc) && ref_compile(desc, &model) && ref_run(model, &got, sum) &&
      ref_read(p->file, p->rows, &reference))
    error = ref_distance(&got, &reference, p->columns, p->end, true, where);
  ref_table_free(&got);
  ref_table_free(&reference);
  tn_model_free(model);
  tn_desc_free(desc);
  return error;
}

static void accuracy(const problem *p, const char *name) {
  static const double rtol[] = {1e-6, 1e-8};
  double error[2];
  for (int i = 0; i < 2; i++) {
    tn_summary sum;
    char where[128], json[160];
    snprintf(json, sizeof json, "{\"type\": \"%s\", \"rtol\": %g}", name, rtol[i]);
    error[i] = error_of(p, json, &sum, where);
    printf("%-12s %-16s rtol %.0e: error %.2e (%s), balance %.1e, %" PRId64 " steps, %" PRId64 " rejected, %" PRId64
           " rates\n",
           name, p->model, rtol[i], error[i], where, sum.energy_balance, sum.steps, sum.rejected, sum.rhs);
    CHECK(sum.status == TN_OK && sum.contract_kept);
    CHECK_NEAR(sum.max_position_violation, 0, 1e-11);
    CHECK_NEAR(sum.energy_balance, 0, rtol[i]);
  }
  CHECK_NEAR(error[1], 0, 1e-6);
  CHECK(error[1] < error[0] / 5);
}

static void both(const char *name) {
  if (without()) return;
  accuracy(&andrews, name);
  accuracy(&wu, name);
}

TEST(cvode_adams) { both("cvode-adams"); }
TEST(cvode_bdf) { both("cvode-bdf"); }
TEST(arkode) { both("arkode"); }
TEST(ida) { both("ida"); }

/* the distance of a run from one of dopri5 with a tight tolerance */
static double distance(const char *model, const char *integrator, const char *formulation, const char *columns,
                       tn_summary *sum) {
  static const char tight[] = "{\"type\": \"dopri5\", \"rtol\": 1e-12}";
  ref_table table[2] = {0};
  double d = INFINITY;
  bool ok = true;
  for (int i = 0; i < 2 && ok; i++) {
    const ref_change changes[] = {{"/run/integrator", i ? tight : integrator},
                                  {"/run/formulation", formulation},
                                  {"/run/until", "1"},
                                  {"/run/every", "0.05"},
                                  {NULL, NULL}};
    tn_desc *desc = NULL;
    tn_model *m = NULL;
    ok = ref_desc(model, changes, &desc) && ref_compile(desc, &m) && ref_run(m, &table[i], i ? NULL : sum);
    tn_model_free(m);
    tn_desc_free(desc);
  }
  if (ok) d = ref_distance(&table[0], &table[1], columns, 1, true, NULL);
  ref_table_free(&table[0]);
  ref_table_free(&table[1]);
  return d;
}

/* by its numbers: explicit and implicit, order 2 to 8 */
TEST_FULL(every_table_of_arkode) {
  int tables = 0;
  if (without()) return;
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *t = tn_integrator_types[i];
    if (strcmp(t->name, "arkode") != 0) continue;
    for (const char *word = t->fields[0].choices; *word; word += strspn(word, " ")) {
      const int length = (int)strcspn(word, " ");
      char json[160];
      tn_summary sum;
      snprintf(json, sizeof json, "{\"type\": \"arkode\", \"rtol\": 1e-6, \"table\": \"%.*s\"}", length, word);
      const double d =
          distance("wu_crank_slider", json, "\"augmented\"", "theta phi x y theta_rate phi_rate vx vy", &sum);
      printf("%.*s: error %.1e, %" PRId64 " steps, %" PRId64 " rates\n", length, word, d, sum.steps, sum.rhs);
      CHECK_NEAR(d, 0, 1e-4);
      CHECK(sum.contract_kept);
      word += length;
      tables++;
    }
  }
  CHECK(tables == 37);
}

/* of fewer numbers than q and u; the set changes on the way, and they start anew */
TEST(packed_states) {
  static const char *const layouts[] = {"speeds", "independent"};
  if (without()) return;
  for (int i = 0; i < NAMES; i++)
    for (int k = 0; k < 2; k++) {
      char json[96], formulation[96];
      tn_summary sum;
      if (strcmp(names[i], "ida") == 0) continue;
      snprintf(json, sizeof json, "{\"type\": \"%s\"}", names[i]);
      snprintf(formulation, sizeof formulation, "{\"type\": \"partition\", \"layout\": \"%s\"}", layouts[k]);
      const double d = distance("braun_slider_crank", json, formulation, "theta1 theta2 omega1 xs vxs", &sum);
      printf("%s, %s: error %.1e, %" PRId64 " steps, %" PRId64 " changes\n", names[i], layouts[k], d, sum.steps,
             sum.set_changes);
      CHECK_NEAR(d, 0, 1e-6);
      CHECK(sum.contract_kept);
    }
}

/* ---- life --------------------------------------------------------------------------------------------------------------- */

static void simulate(build *b, const char *model, const char *integrator) {
  build_new(b, 1);
  build_read(b, model);
  build_set(b, "/run/integrator", "{\"type\": \"%s\"}", integrator);
  CHECK(build_simulate(b));
}

static bool same(const build *a, const build *b) {
  return memcmp(tn_sim_q(a->sim), tn_sim_q(b->sim), sizeof(double) * (size_t)tn_sim_coordinates(a->sim)) == 0 &&
         memcmp(tn_sim_u(a->sim), tn_sim_u(b->sim), sizeof(double) * (size_t)tn_sim_speeds(a->sim)) == 0;
}

/* a state that is set begins anew, and nothing is left of what was before; simulations do not know of each other */
TEST(restarts) {
  if (without()) return;
  for (int i = 0; i < NAMES; i++) {
    build a, b;
    tn_error e;
    simulate(&a, "four_bar", names[i]);
    simulate(&b, "four_bar", names[i]);
    double q[BUILD_MOST], u[BUILD_MOST];
    memcpy(q, tn_sim_q(a.sim), sizeof *q * (size_t)tn_sim_coordinates(a.sim));
    memcpy(u, tn_sim_u(a.sim), sizeof *u * (size_t)tn_sim_speeds(a.sim));
    CHECK(tn_sim_advance(b.sim, 0.3, &e) == TN_OK);
    CHECK(tn_sim_set(b.sim, 0, q, u, false, &e) == TN_OK);
    for (int k = 1; k <= 5; k++) {
      CHECK(tn_sim_advance(a.sim, 0.1 * k, &e) == TN_OK);
      CHECK(tn_sim_advance(b.sim, 0.1 * k, &e) == TN_OK);
      CHECK(same(&a, &b));
    }
    build_free(&a);
    /* its own state, too */
    simulate(&a, "four_bar", names[i]);
    memcpy(q, tn_sim_q(b.sim), sizeof *q * (size_t)tn_sim_coordinates(b.sim));
    memcpy(u, tn_sim_u(b.sim), sizeof *u * (size_t)tn_sim_speeds(b.sim));
    CHECK(tn_sim_set(a.sim, 0.5, q, u, false, &e) == TN_OK && tn_sim_set(b.sim, 0.5, q, u, false, &e) == TN_OK);
    CHECK(tn_sim_advance(a.sim, 0.6, &e) == TN_OK && tn_sim_advance(b.sim, 0.6, &e) == TN_OK);
    CHECK(same(&a, &b));
    build_free(&a);
    build_free(&b);
  }
}

/* intervals that time hardly sees, at the start and later; and none longer than is allowed */
TEST(steps_short_and_long) {
  if (without()) return;
  for (int i = 0; i < NAMES; i++) {
    build a, b;
    tn_error e;
    simulate(&a, "four_bar", names[i]);
    CHECK(tn_sim_advance(a.sim, 1e-300, &e) == TN_OK);
    CHECK(tn_sim_advance(a.sim, 0.25, &e) == TN_OK);
    CHECK(tn_sim_advance(a.sim, nextafter(0.25, 1), &e) == TN_OK);
    CHECK(tn_sim_time(a.sim) == nextafter(0.25, 1));
    CHECK(tn_sim_advance(a.sim, 0.5, &e) == TN_OK);
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/run/integrator", "{\"type\": \"%s\", \"max_step\": 1e-4}", names[i]);
    CHECK(build_simulate(&b));
    CHECK(tn_sim_advance(b.sim, 0.5, &e) == TN_OK);
    CHECK(tn_sim_summary(b.sim)->steps >= 5000);
    for (int k = 0; k < tn_sim_coordinates(a.sim); k++) CHECK_NEAR(tn_sim_q(a.sim)[k], tn_sim_q(b.sim)[k], 1e-6);
    build_free(&a);
    build_free(&b);
  }
}

/* no step of them restarts at order one: with a projection after each, about as many as without any */
TEST(corrections_do_not_restart) {
  if (without()) return;
  for (int i = 0; i < NAMES; i++) {
    int64_t steps[2];
    for (int k = 0; k < 2; k++) {
      build b;
      tn_error e;
      build_new(&b, 1);
      build_read(&b, "four_bar");
      build_set(&b, "/run/integrator", "{\"type\": \"%s\"}", names[i]);
      build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
      build_set(&b, "/run/stabilize", k ? "\"project\"" : "\"none\"");
      CHECK(build_simulate(&b));
      CHECK(tn_sim_advance(b.sim, 2, &e) == TN_OK);
      steps[k] = tn_sim_summary(b.sim)->steps;
      build_free(&b);
    }
    printf("%s: %" PRId64 " steps, %" PRId64 " with projection\n", names[i], steps[0], steps[1]);
    CHECK((double)steps[1] < 1.4 * (double)steps[0]);
  }
}

/* ---- refusals ----------------------------------------------------------------------------------------------------------- */

/* what stops a run, in words; nothing is printed meanwhile */
static void stops(build *b, double t, const char *words, double *when) {
  tn_error e = {0};
  FILE *file = tmpfile();
  const int before = dup(STDERR_FILENO);
  CHECK(file && before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
  const tn_status status = build_simulate(b) ? tn_sim_advance(b->sim, t, &e) : TN_E_INTERNAL;
  fflush(stderr);
  CHECK(dup2(before, STDERR_FILENO) >= 0 && close(before) == 0);
  CHECK(lseek(fileno(file), 0, SEEK_END) == 0);
  fclose(file);
  CHECK(status == TN_E_RUN);
  CHECK_HAS(e.message, words);
  if (when) *when = e.time;
  build_free(b);
}

/* xddot = xdot^3: over at t = 1/2 */
static const char blows_up[] =
    "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": 1}},"
    " \"joints\": {\"J\": {\"type\": \"prismatic\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0], \"axis\": [1, "
    "0]}},"
    " \"forces\": {\"f\": {\"type\": \"force\", \"on\": \"a\", \"on_body\": [0, 0], \"value\": [\"vx^3\", 0]}},"
    " \"start\": {\"a.vx\": 1}, \"run\": {\"until\": 1, \"every\": 0.1, \"integrator\": {\"type\": \"%s\"}}}";

TEST(they_say_why_they_stop) {
  if (without()) return;
  for (int i = 0; i < NAMES; i++) {
    char text[sizeof blows_up + 32];
    double when;
    build b;
    build_new(&b, 1);
    snprintf(text, sizeof text, blows_up, names[i]);
    build_parse(&b, text);
    stops(&b, 1, "a.vx", &when);
    CHECK_NEAR(when, 0.5, 1e-3);
  }
}

TEST(what_is_not_for_them) {
  if (without()) return;
  for (int i = 0; i < NAMES; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/run/integrator", "{\"type\": \"%s\"}", names[i]);
    build_set(&b, "/run/stabilize", "{\"type\": \"baumgarte\", \"a\": 1, \"b\": 0.5}");
    stops(&b, 1, "feedback that depends on the step", NULL);
  }
  build b;
  build_new(&b, 1);
  build_read(&b, "biped_3");
  build_set(&b, "/run/integrator", "\"ida\"");
  stops(&b, 1, "ida: 1 of 10 rows of the joints depend on others", NULL);
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run/integrator", "\"ida\"");
  build_set(&b, "/run/formulation", "{\"type\": \"partition\", \"layout\": \"speeds\"}");
  stops(&b, 1, "ida has the multipliers among its unknowns", NULL);
}

TEST(without_sundials_their_names_are_known) {
  if (!without()) return;
  for (int i = 0; i < NAMES; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/run/integrator", "\"%s\"", names[i]);
    CHECK(!build_compile(&b));
    CHECK_HAS(b.message, names[i]);
    CHECK_HAS(b.message, "this build");
    CHECK_HAS(b.message, "without SUNDIALS");
    build_free(&b);
  }
}
