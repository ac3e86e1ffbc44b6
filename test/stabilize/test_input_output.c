/* input-output: violations follow the linear equation whose poles are given, whatever the motion; rows do not see each other; rows
 * without a C; the integral; poles that a step is too long for. */
#include "support/build.h"
#include "test.h"

/* a particle on a rod that is 1e-3 too long and swings under its weight: C(t) against the closed form, Cdot(0) = v */
static double off(const char *stabilize, double (*exact)(double t, double C, double v), double x, double vx) {
  build s;
  tn_eval e;
  double worst = 0, C0 = 0, V0 = 0;
  build_new(&s, 1);
  build_read(&s, "pendulum");
  build_set(&s, "/start", "{\"mode\": \"as-given\", \"bob.vx\": %g, \"bob.vy\": -1}", vx);
  build_set(&s, "/bodies/bob/position", "[%g, 0]", x);
  build_set(&s, "/joints/rod",
            "{\"type\": \"distance\", \"between\": [\"ground\", \"bob\"], \"at\": [[0, 0], \"bob\"], \"length\": 1}");
  build_set(&s, "/run/stabilize", "%s", stabilize);
  build_set(&s, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&s, "/run/integrator", "{\"type\": \"dop853\", \"rtol\": 1e-12, \"atol\": 1e-14}");
  CHECK(build_simulate(&s));
  if (s.failed) printf("%s\n", s.message);
  for (int k = 0; k <= 20 && !s.failed; k++) {
    CHECK(tn_sim_advance(s.sim, 0.05 * k, NULL) == TN_OK && tn_sim_eval(s.sim, &e, NULL) == TN_OK);
    if (k == 0) C0 = e.C[0], V0 = e.Cdot[0];
    worst = fmax(worst, fabs(e.C[0] - exact(0.05 * k, C0, V0)));
  }
  build_free(&s);
  return worst / 1e-3;
}

static double two(double t, double C, double v) {
  const double p = 4, q = 11, a = (v + q * C) / (q - p), b = -(v + p * C) / (q - p);
  return a * exp(-p * t) + b * exp(-q * t);
}

static double pair(double t, double C, double v) {
  const double p = 3, w = 20;
  return exp(-p * t) * (C * cos(w * t) + (v + p * C) / w * sin(w * t));
}

/* s^3 + .. with -2, -5, -9 and Z(0) = 0: C, Cdot and Cddot(0) = -a v - b C */
static double three(double t, double C, double v) {
  static const double p[3] = {2, 5, 9};
  const double a = p[0] + p[1] + p[2], b = p[0] * p[1] + p[1] * p[2] + p[2] * p[0], acceleration = -a * v - b * C;
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const double q = p[(i + 1) % 3], r = p[(i + 2) % 3];
    sum += (acceleration + (q + r) * v + q * r * C) / ((q - p[i]) * (r - p[i])) * exp(-p[i] * t);
  }
  return sum;
}

TEST(violations_follow_the_poles) {
  static const struct {
    const char *json;
    double (*exact)(double, double, double);
  } row[] = {{"{\"type\": \"input-output\", \"pole\": 4, \"second\": 11}", two},
             {"{\"type\": \"input-output\", \"pole\": 3, \"frequency\": 20}", pair},
             {"{\"type\": \"input-output\", \"pole\": 2, \"second\": 5, \"integral\": 9}", three}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      const double worst = off(row[i].json, row[i].exact, 1.001, k ? 0.02 : 0);
      printf("%s: C off by %.2g of what it was\n", row[i].json, worst);
      CHECK(worst < 1e-7);
    }
}

/* of three rows one is off, and the others stay: with an inertia that couples all of them */
TEST(rows_do_not_see_each_other) {
  build s;
  tn_eval e;
  double C0[3] = {0};
  build_new(&s, 1);
  build_read(&s, "wu_crank_slider");
  build_set(&s, "/start", "{\"mode\": \"as-given\", \"crank.rate\": 0}");
  build_set(&s, "/bodies/coupler/position", "[\"r*(cos(theta) + cos(phi)) + 1e-4\", 0.1]");
  build_set(&s, "/run/stabilize", "{\"type\": \"input-output\", \"pole\": 7}");
  build_set(&s, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&s, "/run/integrator", "{\"type\": \"dop853\", \"rtol\": 1e-12, \"atol\": 1e-14}");
  CHECK(build_simulate(&s) && s.model->rows == 3);
  for (int k = 0; k <= 10 && !s.failed; k++) {
    CHECK(tn_sim_advance(s.sim, 0.1 * k, NULL) == TN_OK && tn_sim_eval(s.sim, &e, NULL) == TN_OK);
    for (int i = 0; i < 3; i++) {
      if (k == 0) C0[i] = e.C[i];
      CHECK_NEAR(e.C[i] / 1e-4, C0[i] / 1e-4 * (1 + 0.7 * k) * exp(-0.7 * k), 1e-7);
    }
  }
  CHECK(fabs(C0[0]) > 0.9e-4 && fabs(C0[1]) < 1e-9 && fabs(C0[2]) < 1e-9);
  build_free(&s);
}

/* rows on velocities alone: a blade that slips at first */
TEST(rows_without_a_position) {
  build s;
  tn_eval e;
  double V0 = 0;
  build_new(&s, 1);
  build_read(&s, "chaplygin_sleigh");
  build_set(&s, "/run/stabilize", "{\"type\": \"input-output\", \"pole\": 7, \"rate\": 3}");
  build_set(&s, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&s, "/run/integrator", "{\"type\": \"dop853\", \"rtol\": 1e-12, \"atol\": 1e-14}");
  CHECK(build_simulate(&s) && s.model->rows > s.model->holonomic);
  const int row = s.model->holonomic;
  /* across the blade */
  CHECK(tn_sim_eval(s.sim, &e, NULL) == TN_OK);
  double q[BUILD_MOST], u[BUILD_MOST];
  memcpy(q, e.q, sizeof *q * (size_t)e.coordinates);
  memcpy(u, e.u, sizeof *u * (size_t)e.speeds);
  for (int j = 0; j < e.speeds; j++) u[j] += 1e-3 * e.A[row * e.speeds + j];
  CHECK(tn_sim_set(s.sim, 0, q, u, false, NULL) == TN_OK);
  for (int k = 0; k <= 10; k++) {
    CHECK(tn_sim_advance(s.sim, 0.1 * k, NULL) == TN_OK && tn_sim_eval(s.sim, &e, NULL) == TN_OK);
    if (k == 0) V0 = e.Cdot[row];
    CHECK_NEAR(e.Cdot[row] / V0, exp(-0.3 * k), 1e-7);
  }
  CHECK(fabs(V0) > 1e-4);
  build_free(&s);
}

/* a double pole is critical damping of baumgarte, to the last digits of the motion */
TEST(a_double_pole_is_critical_damping) {
  double x[2] = {0};
  for (int k = 0; k < 2; k++) {
    build s;
    build_new(&s, 1);
    build_read(&s, "four_bar");
    build_set(&s, "/run/stabilize",
              k ? "{\"type\": \"baumgarte\", \"alpha\": 8, \"beta\": 8}" : "{\"type\": \"input-output\", \"pole\": 8}");
    build_set(&s, "/run/contract", "{\"breach\": \"record\"}");
    build_set(&s, "/run/integrator", "{\"type\": \"rk4\", \"step\": 0.002}");
    CHECK(build_simulate(&s) && tn_sim_advance(s.sim, 1, NULL) == TN_OK &&
          tn_sim_channel(s.sim, "A.angle", &x[k], NULL) == TN_OK);
    build_free(&s);
  }
  CHECK_NEAR(x[0], x[1], 1e-12);
}

TEST(poles_that_are_refused) {
  static const struct {
    const char *json, *model, *says, *hint;
  } row[] = {
      {"{\"type\": \"input-output\", \"pole\": 30}", "four_bar", "let a violation grow", "poles"},
      {"{\"type\": \"input-output\", \"pole\": 5, \"second\": 7, \"frequency\": 3}", "four_bar", "not both", ""},
      {"{\"type\": \"input-output\", \"pole\": 1, \"rate\": 40}", "chaplygin_sleigh", "let a violation grow", "poles"},
      {"{\"type\": \"input-output\", \"pole\": 0}", "four_bar", "pole", ""}};
  for (int i = 0; i < 4; i++) {
    build s;
    build_new(&s, 1);
    build_read(&s, row[i].model);
    build_set(&s, "/run/stabilize", "%s", row[i].json);
    build_set(&s, "/run/integrator", "{\"type\": \"rk4\", \"step\": 0.1}");
    CHECK(!build_compile(&s) && strstr(s.message, row[i].says) && strstr(s.message, row[i].hint));
    if (!strstr(s.message, row[i].says)) printf("%s\n", s.message);
    build_free(&s);
  }
}
