/* augmented-lagrangian: what is left of the rows, and of the difference to `augmented`, falls as eps to the power of the passes;
 * redundant rows; what is left is told. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

enum { MOST = BUILD_MOST };

static const char *gravity; /* NULL: that of the model */

static bool begin(build *b, const char *model, double eps, int passes) {
  build_new(b, 3);
  build_read(b, model);
  if (gravity) build_set(b, "/gravity", "%s", gravity);
  if (eps > 0)
    build_set(b, "/run/formulation", "{\"type\": \"augmented-lagrangian\", \"eps\": %g, \"iterations\": %d}", eps,
              passes);
  return build_simulate(b);
}

/* accelerations and multipliers at the start; what is left of the rows */
static double solved(const char *model, double eps, int passes, double *udot, double *lambda, int *nu, int *rows) {
  build b;
  tn_error e;
  double left = NAN;
  if (begin(&b, model, eps, passes)) {
    tn_solver *s = &b.sim->solver;
    *nu = b.model->nu, *rows = b.model->rows;
    if (*nu > MOST || *rows > MOST) abort();
    CHECK(tn_solver_at(s, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), &e) == TN_OK &&
          tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK &&
          tn_solver_solve(s, s->sys.f, s->sys.rows.gamma, udot, lambda, &e) == TN_OK);
    left = s->inconsistency;
  } else {
    FAIL("%s: %s", model, b.message);
  }
  build_free(&b);
  return left;
}

static double apart(int n, const double *a, const double *b) {
  double worst = 0, size = 1;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i]));
  return worst / size;
}

static const char *const models[] = {"four_bar", "triple_pendulum", "spatial_four_bar", "biped_1", "hoang_pd"};
enum { MODELS = sizeof models / sizeof *models };

TEST(the_error_falls_as_eps_to_the_power_of_the_passes) {
  for (int k = 0; k < MODELS; k++) {
    double x[MOST], l[MOST], x0[MOST], l0[MOST];
    int nu, rows;
    solved(models[k], 0, 0, x0, l0, &nu, &rows);
    for (int passes = 1; passes <= 3; passes++) {
      double off[2], left[2], off_l[2];
      const double eps[2] = {2e-4, 1e-4};
      for (int i = 0; i < 2; i++) {
        left[i] = solved(models[k], eps[i], passes, x, l, &nu, &rows);
        off[i] = apart(nu, x, x0);
        off_l[i] = apart(rows, l, l0);
      }
      printf("%s, %d passes: udot off by %.1e, lambda by %.1e, rows by %.1e; order %.2f %.2f %.2f\n", models[k], passes,
             off[1], off_l[1], left[1], log2(off[0] / off[1]), log2(off_l[0] / off_l[1]), log2(left[0] / left[1]));
      if (left[1] > 1e-9) CHECK_NEAR(log2(left[0] / left[1]), passes, 0.1);
      if (off[1] > 1e-9) CHECK_NEAR(log2(off[0] / off[1]), passes, 0.1);
      if (off_l[1] > 1e-9) CHECK_NEAR(log2(off_l[0] / off_l[1]), passes, 0.1);
      CHECK(off[1] < 1 && (passes < 3 || off[1] < 1e-5));
    }
  }
}

/* three hinges where one is enough, four meshes: rows that depend on each other */
TEST(redundant_rows) {
  static const char *const all[] = {"door_three_hinges", "gear_train_four_meshes", "four_bar_in_space"};
  for (int k = 0; k < 3; k++) {
    double x[MOST], l[MOST], x0[MOST], l0[MOST];
    int nu, rows;
    solved(all[k], 0, 0, x0, l0, &nu, &rows);
    const double left = solved(all[k], 1e-6, 4, x, l, &nu, &rows);
    printf("%s: udot off by %.1e, rows by %.1e\n", all[k], apart(nu, x, x0), left);
    CHECK(apart(nu, x, x0) < 1e-8 && left < 1e-8);
  }
}

/* one row, d = 1: lambda has 1 - (eps/(1 + eps))^n of what it should have, exactly */
TEST(one_row_in_closed_form) {
  gravity = "[9.81, 0]"; /* along the rod */
  for (int n = 1; n <= 4; n++) {
    double x[MOST], l[MOST], x0[MOST], l0[MOST];
    int nu, rows;
    const double eps = 0.2;
    solved("pendulum", 0, 0, x0, l0, &nu, &rows);
    solved("pendulum", eps, n, x, l, &nu, &rows);
    CHECK(rows == 1);
    CHECK_NEAR(l[0] / l0[0], 1 - pow(eps / (1 + eps), n), 1e-12);
  }
  gravity = NULL;
}

TEST(runs_and_tells_what_is_left) {
  for (int coarse = 0; coarse < 2; coarse++) {
    build b;
    if (begin(&b, "four_bar", coarse ? 1e-2 : 1e-6, coarse ? 1 : 3)) {
      CHECK(tn_sim_advance(b.sim, 1, NULL) == TN_OK);
      build_table t = {0};
      CHECK(build_run(&b, &t));
      build_table_free(&t);
      const tn_summary *s = tn_sim_summary(b.sim);
      printf("rows are off by %.1e in acceleration; balance %.1e\n", s->inconsistency, s->energy_balance);
      CHECK(coarse ? s->inconsistency > 1e-3 : s->inconsistency < 1e-9);
      if (!coarse) CHECK(s->energy_balance < 1e-6);
      CHECK(tn_model_warnings(b.model) == coarse);
    } else {
      FAIL("%s", b.message);
    }
    build_free(&b);
  }
}
