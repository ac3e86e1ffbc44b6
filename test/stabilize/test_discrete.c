/* discrete-multipliers: the next state is on the constraints, and the way there lies along their gradients at the start of the step, in the
 * metric of the masses; orders; rows that repeat each other; steps that are too long. */
#include "support/build.h"
#include "support/reference.h"
#include "test.h"

static void begin(build *b, const char *model, const char *stabilize, const char *integrator, double h) {
  build_new(b, 1);
  build_read(b, model);
  build_set(b, "/run/stabilize", "\"%s\"", stabilize);
  build_set(b, "/run/contract", "{\"breach\": \"record\"}");
  build_set(b, "/run/integrator", "{\"type\": \"%s\", \"step\": %g}", integrator, h);
  CHECK(build_simulate(b));
  if (b->failed) printf("%s\n", b->message);
}

/* redundant rows, drivers, rows on velocities, charts: closed to roundoff after every step */
TEST(every_step_ends_on_the_constraints) {
  static const char *const models[] = {"four_bar",     "door_three_hinges", "bricard",    "driven_pivot",
                                       "rolling_disc", "chaplygin_sleigh",  "gear_train", "stewart_platform"};
  for (int i = 0; i < 8; i++) {
    build b;
    tn_eval e;
    double C = 0, V = 0;
    begin(&b, models[i], "discrete-multipliers", "rk4", 2e-3);
    for (int k = 1; k <= 100 && !b.failed; k++) {
      tn_error error;
      if (tn_sim_advance(b.sim, 2e-3 * k, &error) != TN_OK) FAIL("%s: %s", models[i], error.message);
      CHECK(tn_sim_eval(b.sim, &e, NULL) == TN_OK);
      for (int r = 0; r < e.holonomic; r++) C = fmax(C, fabs(e.C[r]));
      for (int r = 0; r < e.rows; r++) V = fmax(V, fabs(e.Cdot[r]));
    }
    printf("%s: C %.1e, Cdot %.1e\n", models[i], C, V);
    CHECK(C < 2e-13 && V < 2e-12);
    build_free(&b);
  }
}

/* x - A'(A A')^-1 A x: what of x is no combination of rows of A (3 at most), relative to |x| */
static double beyond_rows(int rows, int n, const double *A, const double *x) {
  double G[9], r[3], rest = 0, size = 0;
  for (int i = 0; i < rows; i++) {
    r[i] = tn_dot(n, A + i * n, x);
    for (int j = 0; j < rows; j++) G[i * rows + j] = tn_dot(n, A + i * n, A + j * n);
  }
  CHECK(tn_cholesky(rows, G));
  tn_cholesky_down(rows, G, r);
  tn_cholesky_up(rows, G, r);
  for (int j = 0; j < n; j++) {
    double left = x[j];
    for (int i = 0; i < rows; i++) left -= r[i] * A[i * n + j];
    rest += left * left, size += x[j] * x[j];
  }
  return sqrt(rest / size);
}

/* one step of 20 ms from one state, with the stabilizer and without: M times the difference, by rows of A at the start and at the end */
static void direction(const char *stabilize, double *at_start, double *at_end) {
  build b[3];
  tn_eval e;
  double A0[24], M[64], q0[8], u0[8], q[2][8], u[2][8], A1[24], d[8];
  begin(&b[2], "wu_crank_slider", "project", "rk4", 1e-3);
  CHECK(tn_sim_advance(b[2].sim, 0.3, NULL) == TN_OK && tn_sim_eval(b[2].sim, &e, NULL) == TN_OK);
  const int n = e.speeds, rows = e.rows;
  memcpy(A0, e.A, sizeof *A0 * (size_t)(rows * n));
  memcpy(M, e.M, sizeof *M * (size_t)(n * n));
  memcpy(q0, e.q, sizeof *q0 * (size_t)n);
  memcpy(u0, e.u, sizeof *u0 * (size_t)n);
  for (int k = 0; k < 2; k++) {
    begin(&b[k], "wu_crank_slider", k ? stabilize : "none", "rk4", 0.02);
    CHECK(tn_sim_set(b[k].sim, 0.3, q0, u0, false, NULL) == TN_OK);
    CHECK(tn_sim_advance(b[k].sim, 0.32, NULL) == TN_OK && tn_sim_eval(b[k].sim, &e, NULL) == TN_OK);
    CHECK(tn_sim_summary(b[k].sim)->steps == 1);
    memcpy(q[k], e.q, sizeof *q[k] * (size_t)n);
    memcpy(u[k], e.u, sizeof *u[k] * (size_t)n);
    memcpy(A1, e.A, sizeof *A1 * (size_t)(rows * n));
  }
  for (int level = 0; level < 2; level++) {
    for (int i = 0; i < n; i++) {
      d[i] = 0;
      for (int j = 0; j < n; j++) d[i] += M[i * n + j] * (level ? u[1][j] - u[0][j] : q[1][j] - q[0][j]);
    }
    at_start[level] = beyond_rows(rows, n, A0, d);
    at_end[level] = beyond_rows(rows, n, A1, d);
  }
  for (int k = 0; k < 3; k++) build_free(&b[k]);
}

TEST(the_way_lies_along_gradients_at_the_start) {
  double start[2], end[2], start_p[2], end_p[2];
  direction("discrete-multipliers", start, end);
  direction("project", start_p, end_p);
  for (int k = 0; k < 2; k++) {
    printf("%s: discrete %.1e of the start, %.1e of the end; project %.1e, %.1e\n", k ? "velocity" : "position",
           start[k], end[k], start_p[k], end_p[k]);
    CHECK(start[k] < 1e-6 && end[k] > 1e-3);
    CHECK(start_p[k] > 1e-3);
  }
  CHECK(end_p[1] < 1e-6);
}

static double error_of(const char *integrator, double h, const char *stabilize) {
  static double exact[2] = {NAN, NAN};
  double x[2];
  for (int k = isnan(exact[0]) ? 0 : 1; k < 2; k++) {
    build b;
    begin(&b, "wu_crank_slider", k ? stabilize : "project", k ? integrator : "dop853", k ? h : 5e-4);
    CHECK(tn_sim_advance(b.sim, 0.5, NULL) == TN_OK &&
          tn_sim_channel(b.sim, "crank.angle", k ? &x[0] : &exact[0], NULL) == TN_OK &&
          tn_sim_channel(b.sim, "crank.rate", k ? &x[1] : &exact[1], NULL) == TN_OK);
    build_free(&b);
  }
  return hypot(x[0] - exact[0], x[1] - exact[1]);
}

TEST(the_order_of_the_formula_stays) {
  static const struct {
    const char *name;
    double order, h;
  } row[] = {{"euler", 1, 1e-3}, {"heun", 2, 2e-3}, {"rk4", 4, 5e-3}};
  for (int i = 0; i < 3; i++) {
    double h[3], e[3];
    for (int k = 0; k < 3; k++) {
      h[k] = row[i].h / (1 << k);
      e[k] = error_of(row[i].name, h[k], "discrete-multipliers");
    }
    printf("%s: %.2e %.2e %.2e, order %.2f\n", row[i].name, e[0], e[1], e[2], ref_slope(3, h, e));
    CHECK_NEAR(ref_slope(3, h, e), row[i].order, 0.25);
  }
}

/* adaptive steps: the estimate has no part of what is taken away */
TEST(with_an_estimate) {
  build b;
  double rate[2];
  for (int k = 0; k < 2; k++) {
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/run/stabilize", k ? "\"discrete-multipliers\"" : "\"project\"");
    build_set(&b, "/run/integrator", "{\"type\": \"dopri5\", \"rtol\": %s}", k ? "1e-8" : "1e-12");
    CHECK(build_simulate(&b) && tn_sim_advance(b.sim, 1, NULL) == TN_OK &&
          tn_sim_channel(b.sim, "A.rate", &rate[k], NULL) == TN_OK);
    CHECK(tn_sim_summary(b.sim)->contract_kept);
    build_free(&b);
  }
  CHECK_NEAR(rate[0], rate[1], 1e-5);
}

/* a bob that turns half a radian in a step has no multiplier along its first direction that reaches the circle: two radians */
TEST(a_step_that_is_too_long_is_refused) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "pendulum");
  build_set(&b, "/start", "{\"bob.vy\": -20}");
  build_set(&b, "/run/stabilize", "\"discrete-multipliers\"");
  build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&b, "/run/integrator", "{\"type\": \"euler\", \"step\": 0.1}");
  CHECK(build_simulate(&b));
  CHECK(tn_sim_advance(b.sim, 1, &e) == TN_E_RUN && strstr(e.message, "discrete multipliers") &&
        strstr(e.message, "shorter"));
  build_free(&b);
}
