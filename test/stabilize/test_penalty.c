/* penalty-staggered: the map of a step of one row, by hand; the differential equation of the multiplier; the limit of the penalty; rows
 * that repeat each other; formulas it does not go with. */
#include "support/build.h"
#include "support/reference.h"
#include "test.h"

static void begin(build *b, const char *model, double eps, const char *rule, const char *integrator, double h) {
  build_new(b, 1);
  build_read(b, model);
  build_set(b, "/run/stabilize", "{\"type\": \"penalty-staggered\", \"eps\": %g, \"rule\": \"%s\"}", eps, rule);
  build_set(b, "/run/contract", "{\"breach\": \"record\"}");
  build_set(b, "/run/integrator", "{\"type\": \"%s\", \"step\": %g}", integrator, h);
}

#define ROD "{\"type\": \"distance\", \"between\": [\"ground\", \"bob\"], \"at\": [[0, 0], \"bob\"], \"length\": 1}"

/* a bob of 3 kg hangs at rest, 1e-4 m too low and moving: C, h Cdot and the multiplier are those of the formula, S = 1/m, g constant */
TEST(the_map_of_a_step) {
  for (int rule = 0; rule < 2; rule++)
    for (int k = 0; k < 3; k++) {
      const double h = 0.01, m = 3, S = 1 / m, eps = k == 0 ? 1e-2 : k == 1 ? 1e-5 : 1e-9, d = rule ? h / 2 : h;
      build b;
      tn_eval e;
      double worst = 0;
      begin(&b, "pendulum", eps, rule ? "midpoint" : "euler", "rk4", h);
      build_set(&b, "/bodies/bob", "{\"mass\": 3, \"position\": [0, -1.0001], \"coordinates\": \"point\"}");
      build_set(&b, "/joints/rod", ROD);
      build_set(&b, "/start", "{\"mode\": \"as-given\", \"bob.vy\": -1e-3}");
      CHECK(build_simulate(&b) && tn_sim_eval(b.sim, &e, NULL) == TN_OK);
      double C = e.C[0], V = e.Cdot[0], lambda = 0; /* less its value in equilibrium, at which it begins */
      for (int n = 1; n <= 60 && !b.failed; n++) {
        const double l = (eps / (d * d) * lambda + V / d) / (eps / (d * d) + S), U = S * l;
        C += h * V - h * h / 2 * U;
        V -= h * U;
        lambda = rule ? 2 * l - lambda : l;
        CHECK(tn_sim_advance(b.sim, n * h, NULL) == TN_OK && tn_sim_eval(b.sim, &e, NULL) == TN_OK);
        worst = fmax(worst, fmax(fabs(e.C[0] - C) / 1e-4, fabs(e.Cdot[0] - V) / 1e-3));
      }
      printf("rule %d, eps %g: off by %.1e\n", rule, eps, worst);
      CHECK(worst < 1e-9 && fabs(C) < 1e-2);
      build_free(&b);
    }
}

/* eps lambda' = Cdot: C is eps times what the multiplier has changed by, which is that of the constrained motion but for oscillations */
TEST(the_violation_is_eps_times_the_change_of_the_multiplier) {
  for (int k = 0; k < 2; k++) {
    build b[2];
    tn_eval e;
    double lambda0 = 0, worst = 0, size = 0;
    const double eps = k ? 1e-6 : 1e-5;
    for (int i = 0; i < 2; i++) {
      begin(&b[i], "pendulum", eps, "euler", "rk4", 1e-3);
      build_set(&b[i], "/joints/rod", ROD);
      if (i) build_set(&b[i], "/run/stabilize", "\"project\"");
      CHECK(build_simulate(&b[i]));
    }
    for (int n = 0; n <= 100; n++) {
      CHECK(tn_sim_advance(b[0].sim, 0.01 * n, NULL) == TN_OK && tn_sim_advance(b[1].sim, 0.01 * n, NULL) == TN_OK);
      CHECK(tn_sim_eval(b[1].sim, &e, NULL) == TN_OK);
      const double lambda = e.lambda[0];
      if (n == 0) lambda0 = lambda;
      CHECK(tn_sim_eval(b[0].sim, &e, NULL) == TN_OK);
      worst = fmax(worst, fabs(e.C[0] / eps - (lambda - lambda0)));
      size = fmax(size, fabs(lambda - lambda0));
    }
    printf("eps %g: C/eps off by %.2g of %.3g N\n", eps, worst, size);
    CHECK(size > 20 && worst < 0.02 * size);
    build_free(&b[0]);
    build_free(&b[1]);
  }
}

/* the motion comes to that of exact multipliers as eps does to zero, in proportion to it */
TEST(the_limit_of_the_penalty) {
  double exact[2] = {0}, eps[3], error[3];
  for (int k = -1; k < 3; k++) {
    build b;
    double x[2];
    const double at = k < 0 ? 1 : 1e-4 * pow(10, -k);
    begin(&b, "wu_crank_slider", at, "euler", "rk4", 5e-4);
    if (k < 0) build_set(&b, "/run/stabilize", "\"project\"");
    CHECK(build_simulate(&b) && tn_sim_advance(b.sim, 1, NULL) == TN_OK);
    CHECK(tn_sim_channel(b.sim, "crank.angle", &x[0], NULL) == TN_OK &&
          tn_sim_channel(b.sim, "crank.rate", &x[1], NULL) == TN_OK);
    if (k < 0) memcpy(exact, x, sizeof exact);
    if (k >= 0) eps[k] = at, error[k] = hypot(x[0] - exact[0], x[1] - exact[1]);
    build_free(&b);
  }
  printf("errors %.2e %.2e %.2e at eps %g %g %g\n", error[0], error[1], error[2], eps[0], eps[1], eps[2]);
  CHECK_NEAR(ref_slope(3, eps, error), 1, 0.15);
}

/* rows that repeat each other, rows on velocities, drivers; the contract is kept by default */
TEST(models_of_all_kinds) {
  static const char *const models[] = {"four_bar",     "door_three_hinges", "bricard",
                                       "driven_pivot", "rolling_disc",      "chaplygin_sleigh"};
  for (int i = 0; i < 6; i++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, models[i]);
    build_set(&b, "/run/stabilize", "\"penalty-staggered\"");
    build_set(&b, "/run/integrator", "{\"type\": \"rk4\", \"step\": 0.0005}");
    CHECK(build_simulate(&b));
    if (tn_sim_advance(b.sim, 0.5, &e) != TN_OK) FAIL("%s: %s", models[i], e.message);
    CHECK(tn_sim_summary(b.sim)->contract_kept);
    build_free(&b);
  }
}

TEST(formulas_it_does_not_go_with) {
  static const char *const names[] = {"ab3", "mampc4", "am3"};
  for (int i = 0; i < 4; i++) {
    build b;
    begin(&b, "four_bar", 1e-9, "euler", i < 3 ? names[i] : "rk4", 1e-3);
    if (i == 3) build_set(&b, "/run/integrator", "\"abm\"");
    CHECK(!build_compile(&b) && strstr(b.message, "formulas of one step"));
    build_free(&b);
  }
}
