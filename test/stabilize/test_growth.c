/* what feedback does to a violation, and how far gains are stable: against closed forms, tables of the documents, and runs. */
#include "simulate/simulate.h"
#include "stabilize/stabilize.h"
#include "support/build.h"
#include "test.h"

static const tn_integrator_type *type_of(const char *name) {
  for (int i = 0; i < tn_integrator_type_count; i++)
    if (strcmp(tn_integrator_types[i]->name, name) == 0) return tn_integrator_types[i];
  FAIL("there is no integrator %s", name);
  return tn_integrator_types[0];
}

static double limit_of(const char *name, bool held, double a, double b) {
  const tn_integrator_type *type = type_of(name);
  return tn_feedback_limit(type, type->constants, &(tn_feedback){.gain = {a, b}, .n = 2, .held = held});
}

/* largest beta h by alpha/beta at every stage: section 9 of the theory */
TEST(staged_limits) {
  static const double ratio[] = {0.1, 0.5, 0.70710678, 1, 2};
  static const struct {
    const char *name;
    double limit[5];
  } row[] = {{"euler", {0.2, 1, 1.414, 2, 0.535}},
             {"rk4", {2.950, 2.622, 2.704, 2.785, 0.746}},
             {"dopri5", {2.681, 3.398, 3.296, 3.306, 0.885}}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    for (int k = 0; k < 5; k++) CHECK_NEAR(limit_of(row[i].name, false, 2 * ratio[k], 1), row[i].limit[k], 1.1e-3);
  CHECK_NEAR(limit_of("ab3", false, 2, 1), 6.0 / 11, 1e-4); /* a double root on the real axis: Wu 2000, Table 2 */
  CHECK_NEAR(limit_of("mampc4", false, 2, 1), 1.41146148599764, 1e-4);
  CHECK(isinf(limit_of("radau5", false, 2, 1)) && isinf(limit_of("trbdf2", false, 2, 1)));
  CHECK(limit_of("euler", false, 0, 1) == 0);
  /* held: b/2 < a < 2, so that gains in 1/s leave at a = 2 */
  CHECK_NEAR(limit_of("rk4", true, 2, 1), 1, 1e-6);
  CHECK_NEAR(limit_of("rk4", true, 1, 4), 0.5, 1e-6);
}

/* the growth at every stage is the larger |R| of the two roots */
TEST(staged_growth_is_R_at_the_roots) {
  const tn_integrator_type *rk4 = type_of("rk4");
  for (double a = 0.2; a < 5; a += 0.7)
    for (double b = 0.1; b < 6; b += 0.9) {
      const double d = a * a / 4 - b;
      double worst = 0;
      for (int k = -1; k < 2; k += 2) {
        const double re = d > 0 ? -a / 2 + k * sqrt(d) : -a / 2, im = d > 0 ? 0 : k * sqrt(-d);
        double x = 1, y = 0; /* 1 + z/1 (1 + z/2 (1 + z/3 (1 + z/4))) */
        for (int n = 4; n > 0; n--) {
          const double p = (re * x - im * y) / n, q = (re * y + im * x) / n;
          x = 1 + p, y = q;
        }
        worst = fmax(worst, hypot(x, y));
      }
      CHECK_NEAR(tn_feedback_growth(rk4, NULL, &(tn_feedback){.gain = {a, b}, .n = 2}), worst, 1e-9);
    }
}

static bool compiles(build *b, const char *model, const char *stabilize, const char *integrator, double step) {
  tn_error e;
  build_new(b, 1);
  build_read(b, model);
  build_set(b, "/run/contract", "{\"breach\": \"record\"}");
  if (step > 0) build_set(b, "/run/integrator", "{\"type\": \"%s\", \"step\": %g}", integrator, step);
  if (tn_desc_part(b->desc, "/run/stabilize", stabilize, &e) != TN_OK) build_fail(b, "%s", e.message);
  return build_simulate(b);
}

TEST(gains_outside_are_refused_with_the_limit) {
  static const struct {
    const char *model, *stabilize, *integrator;
    double step;
    const char *message; /* NULL: none */
  } all[] = {{"pendulum", "baumgarte:alpha=270,beta=270", "rk4", 1e-2, NULL},
             {"pendulum", "baumgarte:alpha=280,beta=280", "rk4", 1e-2, "grow by"},
             {"pendulum", "baumgarte:alpha=280,beta=280", "rk4", 0, NULL},
             {"pendulum", "baumgarte:frequency=280", "rk4", 1e-2, "grow by"},
             {"pendulum", "baumgarte:alpha=280,beta=280", "radau5", 1e-2, NULL},
             {"pendulum", "baumgarte:alpha=0,beta=5", "euler", 1e-3, "grow by"},
             {"pendulum", "baumgarte:a=5.4,b=7.29,feedback=staged", "rk4", 1e-3, NULL},
             {"pendulum", "baumgarte:a=6,b=9,feedback=staged", "rk4", 1e-3, "grow by"},
             {"pendulum", "baumgarte:a=2.1,b=1", "rk4", 1e-3, "unstable"},
             {"pendulum", "baumgarte:frequency=5,alpha=2", "rk4", 1e-3, "not both"},
             {"pendulum", "baumgarte:damping=0.7", "rk4", 1e-3, "needs a frequency"},
             {"rolling_disc", "baumgarte:alpha=5,nonholonomic=3000", "rk4", 1e-3, "velocity rows"},
             {"rolling_disc", "baumgarte:alpha=5,nonholonomic=2000", "rk4", 1e-3, NULL},
             {"pendulum", "baumgarte:alpha=5,nonholonomic=3000", "rk4", 1e-3, NULL}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    build b;
    const bool good = compiles(&b, all[i].model, all[i].stabilize, all[i].integrator, all[i].step);
    if (good != !all[i].message) FAIL("%s %s %g: %s", all[i].stabilize, all[i].integrator, all[i].step, b.message);
    if (all[i].message) CHECK_HAS(b.message, all[i].message);
    build_free(&b);
  }
}

/* the same gains in every stabilizer that has some: refused, or run with a reason of the verdict and the growth as its value */
TEST(unstable_gains_run_only_where_they_are_allowed) {
  static const struct {
    const char *model, *stabilize, *integrator;
    double step, growth; /* a step; 0: they are stable */
  } all[] = {{"pendulum", "baumgarte:alpha=140,beta=140", "rk4", 2e-2, 0.9999},
             {"pendulum", "baumgarte:alpha=140,beta=140", "rk4", 1e-2, 0},
             {"pendulum", "baumgarte:a=2.1,b=1", "rk4", 1e-3, 1.1306623862917885},
             {"rolling_disc", "baumgarte:alpha=5,nonholonomic=3000", "rk4", 1e-3, 1.375},
             {"pendulum", "pid:a=3", "rk4", 1e-3, 0.9999},
             {"pendulum", "fuzzy:kp=100,kd=0.01,ku=1e4", "rk4", 1e-2, 0.9999},
             {"rolling_disc", "fuzzy:kp=1e-6,kd=0.03,ku=1e5", "rk4", 1e-3, 1.375},
             {"pendulum", "fuzzy:kp=100,kd=0.01,ku=1e4", "rk4", 1e-3, 0},
             {"pendulum", "fuzzy", "abm", 0, 0}}; /* the guard ends the growth */
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int allowed = 0; allowed < 2; allowed++) {
      build b;
      tn_error e;
      tn_run_fact f = {.key = ""};
      build_new(&b, 1);
      build_read(&b, all[i].model);
      build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
      build_set(&b, "/run/allow_unstable", allowed ? "true" : "false");
      build_set(&b, "/run/until", "0.05");
      if (all[i].step > 0)
        build_set(&b, "/run/integrator", "{\"type\": \"%s\", \"step\": %g}", all[i].integrator, all[i].step);
      else
        build_set(&b, "/run/integrator", "\"%s\"", all[i].integrator);
      if (tn_desc_part(b.desc, "/run/stabilize", all[i].stabilize, &e) != TN_OK) build_fail(&b, "%s", e.message);
      const bool good = build_simulate(&b), wanted = allowed || !(all[i].growth > 0);
      if (good != wanted) FAIL("%s %s: %s", all[i].stabilize, all[i].integrator, b.message);
      if (!good) CHECK_HAS(b.message, "--allow-unstable");
      if (good) {
        (void)tn_sim_run(b.sim, NULL, NULL, &e); /* it may end early */
        for (int k = 0; strcmp(f.key, "unstable-gains") != 0 && tn_sim_fact(b.sim, k, &f); k++) continue;
        const bool told = strcmp(f.key, "unstable-gains") == 0;
        CHECK(told == (all[i].growth > 0));
        if (told) {
          CHECK(f.severity == TN_DOUBTFUL && f.value >= all[i].growth - 1e-9);
          CHECK(tn_sim_summary(b.sim)->verdict >= TN_DOUBTFUL);
          CHECK(tn_model_warnings(b.model) > 0);
          if (all[i].growth > 1) CHECK_NEAR(f.value, all[i].growth, 1e-9);
        }
      }
      build_free(&b);
    }
}

/* the method itself runs: the violation of a rod that is held still grows by the factor that is printed */
TEST(an_unstable_violation_grows_as_told) {
  build b;
  tn_error e;
  tn_run_fact f = {.key = ""};
  build_new(&b, 1);
  build_read(&b, "pendulum");
  build_set(&b, "/gravity", "[0, 0]");
  build_set(&b, "/run",
            "{\"until\": 1, \"contract\": {\"breach\": \"record\"}, \"allow_unstable\": true, \"integrator\": "
            "{\"type\": \"rk4\", \"step\": 0.01}}");
  if (tn_desc_part(b.desc, "/run/stabilize", "baumgarte:alpha=160,beta=77", &e) != TN_OK)
    build_fail(&b, "%s", e.message);
  if (!build_simulate(&b)) FAIL("%s", b.message);
  if (!b.failed) {
    double C[2];
    tn_sim *s = b.sim;
    for (int i = 0; i < s->m->nq; i++) s->now.y[i] += 1e-9 * (i + 1);
    for (int k = 0; k < 2; k++) {
      CHECK(tn_sim_advance(s, k ? 0.3 : 0.2, &e) == TN_OK);
      C[k] = tn_violation(&s->solver.sys, s->solver.sys.rows.C, s->m->holonomic, NULL);
    }
    for (int k = 0; strcmp(f.key, "unstable-gains") != 0 && tn_sim_fact(s, k, &f); k++) continue;
    printf("grows by %.4g a step, told %.4g\n", pow(C[1] / C[0], 0.1), f.value);
    CHECK_NEAR(pow(C[1] / C[0], 0.1), f.value, 0.002);
  }
  build_free(&b);
}

/* a pendulum 7 % inside the limit keeps its rod */
TEST(what_is_inside_is_damped) {
  build b;
  CHECK(compiles(&b, "pendulum", "baumgarte:alpha=26000,beta=26000", "rk4", 1e-4));
  CHECK(!b.failed && tn_sim_advance(b.sim, 0.5, NULL) == TN_OK);
  if (!b.failed) printf("%.1e\n", tn_sim_summary(b.sim)->max_position_violation);
  if (!b.failed) CHECK(tn_sim_summary(b.sim)->max_position_violation < 1e-5);
  build_free(&b);
}

TEST(held_on_the_edge_is_undamped) {
  static const char *const all[] = {"baumgarte:a=2,b=2,feedback=held", "baumgarte:a=1,b=2,feedback=held",
                                    "baumgarte:a=1,b=0.5", "baumgarte:a=2,b=2,feedback=staged"};
  for (int i = 0; i < 4; i++) {
    build b;
    CHECK(compiles(&b, "pendulum", all[i], "rk4", 1e-3));
    const int n = b.model ? tn_model_warnings(b.model) : -1;
    CHECK(n == (i < 2));
    if (n == 1) CHECK_HAS(tn_model_warning(b.model, 0)->message, "undamped");
    build_free(&b);
  }
}

/* U by frequency and damping; rows without a C have a gain of their own */
TEST(frequency_damping_and_the_gain_of_velocity_rows) {
  build b;
  CHECK(compiles(&b, "rolling_disc", "baumgarte:frequency=10,damping=0.5,nonholonomic=3", "rk4", 1e-3));
  if (!b.failed) {
    const tn_part *p = &b.model->run.stabilizer[0];
    tn_system *sys = &b.sim->solver.sys;
    const int rows = b.model->rows, holonomic = b.model->holonomic;
    double U[64] = {0};
    CHECK(rows > holonomic && rows < 64);
    for (int i = 0; i < rows; i++) sys->rows.C[i] = 0.1 * (i + 1), sys->rows.Cdot[i] = i + 2;
    ((const tn_stabilizer_type *)p->type)->feedback(p->self, sys, &(tn_stage){.h = 1e-3}, U);
    for (int i = 0; i < rows; i++)
      CHECK_NEAR(U[i], i < holonomic ? 10 * (i + 2) + 100 * 0.1 * (i + 1) : 3 * (i + 2), 1e-12);
  }
  build_free(&b);
}
