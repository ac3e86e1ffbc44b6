/* fuzzy: the surface of the controller against slopes and values that an independent check of Nada & Bayoumi 2023 measured; bounds that
 * are kept; projection as a guard and at stages. */
#include "stabilize/stabilize.h"
#include "support/build.h"
#include "test.h"

/* slopes at zero along x and along the diagonal, F(1, 0); rows: triangular, trapezoidal, Gaussian; minimum, product */
TEST(the_surface) {
  static const struct {
    int set, both;
    double slope, diagonal, end;
  } all[] = {{0, 1, 1, 4, 1},           {0, 0, 1, 2, 1}, {1, 1, 0, 0, 1}, {1, 0, 0, 0, 1}, {2, 1, 0.813, 1.63, 0.928},
             {2, 0, 0.505, 1.01, 0.960}};
  const double d = 1e-5;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const int set = all[i].set, both = all[i].both;
    CHECK_NEAR(tn_fuzzy_surface(set, both, d, 0) / d, all[i].slope, 1e-3);
    CHECK_NEAR(tn_fuzzy_surface(set, both, 0, d) / d, all[i].slope, 1e-3);
    CHECK_NEAR(tn_fuzzy_surface(set, both, d, d) / d, all[i].diagonal, 5e-3);
    CHECK_NEAR(tn_fuzzy_surface(set, both, 1, 0), all[i].end, 1e-3);
    for (double x = -3; x <= 3; x += 0.25)
      for (double y = -3; y <= 3; y += 0.25) { /* odd, bounded, cut at 1, and of the sign of the violation */
        const double F = tn_fuzzy_surface(set, both, x, y);
        CHECK_NEAR(F, -tn_fuzzy_surface(set, both, -x, -y), 1e-14);
        CHECK(fabs(F) <= 1 && (x < 0 || y < 0 || F >= 0));
        CHECK(F == tn_fuzzy_surface(set, both, fmin(fmax(x, -1), 1), fmin(fmax(y, -1), 1)));
      }
  }
  CHECK_NEAR(tn_fuzzy_line(2, d) / d, 0.505, 1e-3);
  CHECK_NEAR(tn_fuzzy_line(0, 0.3), 0.3, 1e-14);
  CHECK(tn_fuzzy_line(1, 0.09) == 0 && tn_fuzzy_line(1, 5) == 1);
  /* triangular with products: x + y inside */
  CHECK_NEAR(tn_fuzzy_surface(0, 0, 0.2, 0.15), 0.35, 1e-14);
}

typedef struct result {
  double position, velocity;
  long guard, rhs;
} result;

static result run(const char *model, const char *stabilize, double rtol, double until, bool large) {
  build b;
  tn_error e;
  result r = {INFINITY, INFINITY, -1, 0};
  build_new(&b, 1);
  build_read(&b, model);
  if (large) build_set(&b, "/constants/release", "0");
  build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&b, "/run/integrator", "{\"type\": \"dopri5\", \"rtol\": %g, \"atol\": %g}", rtol, rtol / 10);
  if (!b.failed && tn_desc_part(b.desc, "/run/stabilize", stabilize, &e) != TN_OK) build_fail(&b, "%s", e.message);
  if (build_simulate(&b)) {
    if (tn_sim_advance(b.sim, until, &e) != TN_OK) FAIL("%s: %s", model, e.message);
    const tn_summary *s = tn_sim_summary(b.sim);
    r = (result){s->max_position_violation, s->max_velocity_violation, s->guard_calls, s->rhs};
    if (!(s->energy_balance < 10 * sqrt(rtol))) FAIL("%s: balance %.1e", model, s->energy_balance);
  }
  if (b.failed) FAIL("%s", b.message);
  build_free(&b);
  return r;
}

static void bounds(double until) {
  static const struct {
    const char *model;
    bool large;
  } models[] = {{"triple_pendulum", false}, {"triple_pendulum", true}, {"rotary_pendulum", false}};
  static const double eps[][2] = {{1e-4, 1e-2}, {1e-6, 1e-4}, {1e-8, 1e-6}};
  static const char *const set[] = {"triangular", "gaussian"};
  for (int m = 0; m < 3; m++)
    for (int k = 0; k < 3; k++)
      for (int s = 0; s < 2; s++) {
        char stabilize[128];
        snprintf(stabilize, sizeof stabilize, "fuzzy:set=%s,eps_position=%g,eps_velocity=%g", set[s], eps[k][0],
                 eps[k][1]);
        const result r = run(models[m].model, stabilize, eps[k][0], until, models[m].large);
        printf("%s %d, %g %g, %s: %.1e %.1e, %ld guard calls\n", models[m].model, models[m].large, eps[k][0], eps[k][1],
               set[s], r.position, r.velocity, r.guard);
        CHECK(r.position <= eps[k][0] && r.velocity <= eps[k][1]);
      }
}

TEST(bounds_are_kept) { bounds(5); }
TEST_LONG(bounds_are_kept_for_a_hundred_seconds) { bounds(100); }

/* without a stabilizer the bounds are left; a guard alone keeps them with hardly more right-hand sides */
TEST(a_guard_alone) {
  const result none = run("triple_pendulum", "none", 1e-5, 10, true),
               guard = run("triple_pendulum", "project:place=guard,position=1e-6,velocity=1e-4", 1e-5, 10, true);
  printf("none %.1e %.1e, %ld right-hand sides; guard %.1e %.1e, %ld, %ld calls\n", none.position, none.velocity,
         none.rhs, guard.position, guard.velocity, guard.rhs, guard.guard);
  CHECK(none.position > 1e-6);
  CHECK(guard.position <= 1e-6 && guard.velocity <= 1e-4);
  CHECK(guard.guard > 0 && guard.rhs < 1.2 * (double)none.rhs);
}

/* corrections that rates see and the state does not: the state drifts all the same */
TEST(at_stages_alone) {
  const result stage = run("triple_pendulum", "project:place=stage", 1e-6, 5, true),
               step = run("triple_pendulum", "project", 1e-6, 5, true);
  printf("stage %.1e, step %.1e\n", stage.position, step.position);
  CHECK(step.position < 1e-14 && stage.position > 1e-9);
}

/* published gains: a feedback with beta 711 to 1000 and hardly any damping; at a fixed step of 10 ms it blows up */
TEST(published_gains) {
  static const struct {
    const char *method;
    double step;
    bool blows_up;
  } all[] = {{"fuzzy-1", 1e-2, true}, {"fuzzy-3", 1e-2, true}, {"fuzzy-1", 1e-3, false}, {"fuzzy-3", 1e-3, false}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "rotary_pendulum");
    build_set(&b, "/run/method", "\"%s\"", all[i].method);
    build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
    build_set(&b, "/run/integrator", "{\"type\": \"dopri5\", \"step\": %g}", all[i].step);
    CHECK(build_simulate(&b));
    const tn_status status = tn_sim_advance(b.sim, 1, &e);
    const double C = tn_sim_summary(b.sim)->max_position_violation;
    printf("%s, %g s: %s, %.1e\n", all[i].method, all[i].step, status == TN_OK ? "done" : e.message, C);
    CHECK((status != TN_OK || !(C < 1e-2)) == all[i].blows_up);
    if (!all[i].blows_up) CHECK(C < 1e-6);
    build_free(&b);
  }
}

TEST(what_is_refused) {
  static const struct {
    const char *stabilize, *message;
  } all[] = {{"fuzzy:kp=1,eps_position=1e-6", "not both"},
             {"fuzzy:eps_position=1e-6", "needed both"},
             {"fuzzy:kp=1,kd=1", "needed all three"},
             {"fuzzy:set=trapezoidal", "do not act near zero"},
             {"fuzzy:feedback=staged", "tied to the step"},
             {"project:position=1e-6", "only a guard has bounds"},
             {"project:place=guard,metric=identity", "one pass in the metric of masses"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "four_bar");
    CHECK(tn_desc_part(b.desc, "/run/stabilize", all[i].stabilize, &e) == TN_OK);
    CHECK(!build_compile(&b));
    CHECK_HAS(b.message, all[i].message);
    build_free(&b);
  }
}

/* every method is explained, in ten lines at most, with names that exist */
TEST(methods_are_explained) {
  for (int i = 0; i < tn_method_count; i++) {
    const char *text = tn_methods[i].text;
    if (!text) {
      FAIL("%s is not explained", tn_methods[i].name);
      continue;
    }
    int lines = 1;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    CHECK(lines <= 10 && strlen(text) > 60);
  }
}
