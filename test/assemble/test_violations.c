/* violations of constraint equations as channels, against gaps computed here from the poses and velocities of bodies, in runs that
 * drift: nothing holds the joints. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

#define DRIFTS                                                                                                         \
  "\"run\": {\"until\": 1, \"every\": 0.1, \"stabilize\": \"none\", \"integrator\": {\"type\": \"euler\", "            \
  "\"step\": 0.01}, \"contract\": {\"breach\": \"record\"}}"

/* two rods on pins, the second turned by a driver */
static const char rods[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
    "\"bodies\": {\"a\": {\"mass\": 1, \"inertia\": 0.1, \"position\": [0.5, 0]},"
    "             \"b\": {\"mass\": 2, \"inertia\": 0.2, \"position\": [1.3, 0]}},"
    "\"joints\": {\"P\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]},"
    "  \"Q\": {\"type\": \"revolute\", \"between\": [\"a\", \"b\"], \"at\": [1, 0]},"
    "  \"turn\": {\"type\": \"driver\", \"on\": \"Q.angle\", \"value\": \"0.3*sin(3*t)\"}},"
    "\"outputs\": {\"ax\": \"a.x\", \"ay\": \"a.y\", \"ar\": \"a.angle\", \"avx\": \"a.vx\", \"avy\": \"a.vy\", "
    "\"aw\": \"a.rate\","
    "  \"bx\": \"b.x\", \"by\": \"b.y\", \"br\": \"b.angle\", \"bvx\": \"b.vx\", \"bvy\": \"b.vy\", \"bw\": \"b.rate\","
    "  \"Q1\": \"violation(Q, 1)\", \"Q2\": \"violation(Q, 1 + 1)\", \"V1\": \"violation_rate(Q, 1)\", \"V2\": "
    "\"violation_rate(Q, 2)\", \"turned\": \"violation(turn, 1)\", \"turning\": \"violation_rate(turn, 1)\","
    "  \"Q_norm1\": \"violation(Q, norm1)\", \"Q_norm2\": \"violation(Q, norm2)\", \"Q_max\": \"violation(Q)\","
    "  \"V_norm2\": \"violation_rate(Q, norm2)\", \"all1\": \"violation.norm1\", \"all2\": \"violation.norm2\","
    "  \"all\": \"violation.max\", \"rate1\": \"violation.rate_norm1\", \"rate2\": \"violation.rate_norm2\","
    "  \"rate\": \"violation.rate_max\", \"scaled\": \"scaled_violation(Q, norm2)\", \"as_before\": \"Q.violation\","
    "  \"scaled_Q\": \"scaled_violation(Q)\", \"scaled_V\": \"scaled_violation_rate(Q, max)\","
    "  \"scaled_all\": \"violation.scaled_max\", \"scaled_rate\": \"violation.scaled_rate_norm2\"}," DRIFTS "}";

/* p + turned by the angle (x, y), and its velocity */
static void carried(const double *body, double x, double y, double p[2], double v[2]) {
  const double c = cos(body[2]), s = sin(body[2]), r[2] = {c * x - s * y, s * x + c * y};
  p[0] = body[0] + r[0], p[1] = body[1] + r[1];
  v[0] = body[3] - body[5] * r[1], v[1] = body[4] + body[5] * r[0];
}

static double norm(int kind, int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum = kind == 0 ? fmax(sum, fabs(x[i])) : kind == 1 ? sum + fabs(x[i]) : hypot(sum, x[i]);
  return sum;
}

TEST(gaps_of_pins_and_drivers) {
  build b;
  build_table t = {0};
  build_new(&b, 1);
  build_parse(&b, rods);
  if (!build_simulate(&b) || !build_run(&b, &t)) {
    FAIL("%s", b.message);
    return;
  }
  double most = 0;
#define AT(name) build_at(&t, i, build_column(&b, name))
  for (int i = 0; i < t.rows; i++) {
    const double time = build_at(&t, i, -1);
    const double a[] = {AT("ax"), AT("ay"), AT("ar"), AT("avx"), AT("avy"), AT("aw")},
                 c[] = {AT("bx"), AT("by"), AT("br"), AT("bvx"), AT("bvy"), AT("bw")};
    double P[2], PV[2], Q[2][2], V[2][2];
    carried(a, -0.5, 0, P, PV);
    carried(a, 0.5, 0, Q[0], V[0]);
    carried(c, -0.3, 0, Q[1], V[1]);
    const double C[] = {P[0], P[1], Q[1][0] - Q[0][0], Q[1][1] - Q[0][1], c[2] - a[2] - 0.3 * sin(3 * time)},
                 D[] = {PV[0], PV[1], V[1][0] - V[0][0], V[1][1] - V[0][1], c[5] - a[5] - 0.9 * cos(3 * time)};
    const double tol = 1e-14;
    CHECK_NEAR(AT("Q1"), C[2], tol);
    CHECK_NEAR(AT("Q2"), C[3], tol);
    CHECK_NEAR(AT("V1"), D[2], tol);
    CHECK_NEAR(AT("V2"), D[3], tol);
    CHECK_NEAR(AT("turned"), C[4], tol);
    CHECK_NEAR(AT("turning"), D[4], tol);
    CHECK_NEAR(AT("Q_norm1"), norm(1, 2, C + 2), tol);
    CHECK_NEAR(AT("Q_norm2"), norm(2, 2, C + 2), tol);
    CHECK_NEAR(AT("Q_max"), norm(0, 2, C + 2), tol);
    CHECK_NEAR(AT("V_norm2"), norm(2, 2, D + 2), tol);
    CHECK_NEAR(AT("all1"), norm(1, 5, C), 3 * tol);
    CHECK_NEAR(AT("all2"), norm(2, 5, C), 3 * tol);
    CHECK_NEAR(AT("all"), norm(0, 5, C), tol);
    CHECK_NEAR(AT("rate1"), norm(1, 5, D), 3 * tol);
    CHECK_NEAR(AT("rate2"), norm(2, 5, D), 3 * tol);
    CHECK_NEAR(AT("rate"), norm(0, 5, D), tol);
    /* as the contract scales: a length by that of the assembly, an angle not */
    const double L = b.sim->m->length, scaled[] = {C[0] / L, C[1] / L, C[2] / L, C[3] / L, C[4]},
                 rates[] = {D[0] / L, D[1] / L, D[2] / L, D[3] / L, D[4]};
    CHECK_NEAR(AT("scaled"), norm(2, 2, scaled + 2), tol);
    CHECK_NEAR(AT("scaled_Q"), norm(0, 2, scaled + 2), tol);
    CHECK(AT("as_before") == AT("scaled_Q"));
    CHECK_NEAR(AT("scaled_V"), norm(0, 2, rates + 2), tol);
    CHECK_NEAR(AT("scaled_all"), norm(0, 5, scaled), tol);
    CHECK_NEAR(AT("scaled_rate"), norm(2, 5, rates), 3 * tol);
    most = fmax(most, norm(0, 4, C));
  }
#undef AT
  printf("largest gap %.3g m\n", most);
  CHECK(t.rows == 11 && most > 1e-3);
  const char *const units[][2] = {{"Q1", "m"},          {"V1", "m/s"},   {"turned", "rad"},
                                  {"turning", "rad/s"}, {"Q_max", "m"},  {"V_norm2", "m/s"},
                                  {"all2", ""},         {"scaled", "1"}, {"scaled_V", "1/s"}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    CHECK_TEXT(b.model->column_unit[build_column(&b, units[i][0])], units[i][1]);
  build_table_free(&t);
  build_free(&b);
}

/* a blade has no gap, only a velocity across it */
TEST(nonholonomic_joints_have_rates_alone) {
  build b;
  build_table t = {0};
  build_new(&b, 1);
  build_read(&b, "chaplygin_sleigh");
  build_set(&b, "/outputs",
            "{\"vx\": \"sleigh.vx\", \"vy\": \"sleigh.vy\", \"angle\": \"sleigh.angle\", \"across\": "
            "\"violation_rate(blade, 1)\", \"size\": \"violation_rate(blade)\", \"all\": \"violation.rate_norm1\", "
            "\"none\": \"violation.norm2\"}");
  build_set(&b, "/run",
            "{\"until\": 1, \"every\": 0.1, \"stabilize\": \"none\", \"integrator\": {\"type\": \"euler\", "
            "\"step\": 0.01}, \"contract\": {\"breach\": \"record\"}}");
  if (!build_simulate(&b) || !build_run(&b, &t)) {
    FAIL("%s", b.message);
    return;
  }
  double most = 0;
  for (int i = 0; i < t.rows; i++) {
    const double angle = build_at(&t, i, 2), across = cos(angle) * build_at(&t, i, 1) - sin(angle) * build_at(&t, i, 0);
    CHECK_NEAR(fabs(build_at(&t, i, 3)), fabs(across), 1e-14);
    CHECK_NEAR(build_at(&t, i, 4), fabs(across), 1e-14);
    CHECK_NEAR(build_at(&t, i, 5), fabs(across), 1e-14);
    CHECK(build_at(&t, i, 6) == 0);
    most = fmax(most, fabs(across));
  }
  CHECK(most > 1e-4);
  CHECK_TEXT(b.model->column_unit[3], "m/s");
  build_table_free(&t);
  build_free(&b);
}

/* a ball joint in space: the place of the body and its axes, which are turned by a quaternion */
TEST(a_gap_in_space) {
  build b;
  build_table t = {0};
  build_new(&b, 1);
  build_parse(&b, "{\"tenon\": 1, \"dimension\": 3, \"gravity\": [0, 0, -9.81],"
                  "\"bodies\": {\"a\": {\"mass\": 1, \"inertia\": [0.1, 0.2, 0.25], \"position\": [0.4, 0, 0]}},"
                  "\"joints\": {\"O\": {\"type\": \"spherical\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0, 0]}},"
                  "\"start\": {\"a.wz\": 3, \"a.wx\": 2},"
                  "\"outputs\": {\"p\": \"position(a)\", \"e0\": \"a.e0\", \"e1\": \"a.e1\", \"e2\": \"a.e2\", \"e3\": "
                  "\"a.e3\", \"x\": \"violation(O, 1)\", \"y\": \"violation(O, 2)\", \"z\": \"violation(O, 3)\", "
                  "\"gap\": \"violation(O, norm2)\"}," DRIFTS "}");
  if (!build_simulate(&b) || !build_run(&b, &t)) {
    FAIL("%s", b.message);
    return;
  }
  double most = 0;
  for (int i = 0; i < t.rows; i++) {
    const double *v = t.value + i * (t.columns + 1) + 1, *e = v + 3;
    /* first column of A(e), times -0.4 */
    const double x[3] = {e[0] * e[0] + e[1] * e[1] - e[2] * e[2] - e[3] * e[3], 2 * (e[1] * e[2] + e[0] * e[3]),
                         2 * (e[1] * e[3] - e[0] * e[2])};
    double gap[3];
    for (int k = 0; k < 3; k++) {
      gap[k] = v[k] - 0.4 * x[k];
      CHECK_NEAR(v[7 + k], gap[k], 1e-14);
    }
    CHECK_NEAR(v[10], norm(2, 3, gap), 1e-14);
    most = fmax(most, norm(2, 3, gap));
  }
  CHECK(most > 1e-3);
  build_table_free(&t);
  build_free(&b);
}

TEST(an_event_on_a_violation) {
  build b;
  build_table t = {0};
  build_new(&b, 1);
  build_parse(&b, rods);
  build_set(&b, "/outputs", "{\"gap\": \"violation(Q, norm2)\"}");
  build_set(&b, "/run/integrator", "{\"type\": \"rk4\", \"step\": 0.01}");
  build_set(&b, "/run/until", "20");
  build_set(&b, "/events", "{\"apart\": {\"when\": \"violation(Q, norm2) - 1e-6\", \"do\": [\"record\", \"stop\"]}}");
  if (build_simulate(&b) && build_run(&b, &t))
    CHECK_NEAR(build_at(&t, t.rows - 1, 0), 1e-6, 1e-9);
  else
    FAIL("%s", b.message);
  build_table_free(&t);
  build_free(&b);
}

TEST(refusals) {
  static const struct {
    const char *model, *coordinates, *output, *words;
  } list[] = {
      {"four_bar", "absolute", "violation(Q)", "'violation' needs a joint, there is none named 'Q'"},
      {"four_bar", "absolute", "violation(A, 3)", "joint 'A' has constraint equations 1 to 2, not 3"},
      {"four_bar", "absolute", "violation(A, 0)", "1 to 2, not 0"},
      {"four_bar", "absolute", "violation(A, 1.5)", "not 1.5"},
      {"four_bar", "absolute", "violation(A, t)", "must be a constant"},
      {"four_bar", "absolute", "violation(A, norm3)", "norm3"},
      {"four_bar", "absolute", "violation(3)", "expected a name"},
      {"four_bar", "absolute", "violation()", "takes 1 or 2 arguments"},
      {"four_bar", "absolute", "violation(A, 1, 2)", "takes 1 or 2 arguments"},
      {"four_bar", "absolute", "violation.norm3", "did you mean 'violation.norm"},
      {"four_bar", "relative", "violation(A)", "it carries a body in relative coordinates"},
      {"chaplygin_sleigh", "absolute", "violation(blade)", "violation_rate(blade) is its violation"},
      {"chaplygin_sleigh", "absolute", "violation(blade, 1)", "violation_rate(blade, 1) is its violation"},
      {"chaplygin_sleigh", "absolute", "scaled_violation(blade)", "scaled_violation_rate(blade) is its violation"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, list[i].model);
    build_set(&b, "/coordinates", "\"%s\"", list[i].coordinates);
    build_set(&b, "/outputs", "{\"x\": \"%s\"}", list[i].output);
    if (build_compile(&b))
      FAIL("%s is not refused", list[i].output);
    else if (!strstr(b.message, list[i].words))
      FAIL("%s: %s", list[i].output, b.message);
    build_free(&b);
  }
  static const char *const laws[] = {"violation(A, 1)", "violation.norm2"};
  for (int i = 0; i < 2; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/forces", "{\"f\": {\"type\": \"torque\", \"on\": \"crank\", \"value\": \"%s\"}}", laws[i]);
    CHECK(!build_compile(&b));
    CHECK_HAS(b.message, "a force cannot depend on it");
    build_free(&b);
  }
}
