/* laws with a closed form: springs and dampers about an axis and along a line in space, drag by an expression. dopri5 at 1e-12. */
#include "support/build.h"
#include "test.h"

static bool reach(build *b, double t) {
  tn_error e;
  if (!build_simulate(b)) {
    FAIL("%s", b->message);
    return false;
  }
  if (tn_sim_advance(b->sim, t, &e) == TN_OK) return true;
  FAIL("%s", e.message);
  return false;
}

/* I phi'' = -k (phi - rest) - c phi' about an axis in space, in absolute and relative coordinates */
TEST(a_torsional_spring_in_space) {
  for (int k = 0; k < 2; k++) {
    build b;
    build_new(&b, 1);
    build_set(&b, "/dimension", "3");
    build_set(&b, "/coordinates", k ? "\"relative\"" : "\"absolute\"");
    build_set(&b, "/bodies/x", "{\"mass\": 2, \"inertia\": [0.3, 0.4, 0.5]}");
    build_set(&b, "/joints/pin",
              "{\"type\": \"revolute\", \"between\": [\"ground\", \"x\"], \"at\": [0, 0, 0], \"axis\": \"y\"}");
    build_set(&b, "/forces/s",
              "{\"type\": \"spring\", \"on\": \"pin.angle\", \"stiffness\": 10, \"rest\": 0.5, \"damping\": 0.8}");
    build_tight(&b, 2, 1);
    if (reach(&b, 1.3)) {
      const double w0 = 10 / 0.4, d = 0.8 / 0.8, w = sqrt(w0 - d * d), t = 1.3;
      const double x = -0.5 * exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
      CHECK_NEAR(build_channel(&b, "pin.angle"), 0.5 + x, 1e-11);
      CHECK_NEAR(build_channel(&b, "s.energy"), 5 * x * x, 1e-10);
      CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 1e-11);
    }
    build_free(&b);
  }
}

/* stiffness 0: between places, on a shift, about an axis. v = v0 exp(-c t/m), both bodies about their mass centre */
TEST(a_damper_alone) {
  for (int space = 0; space < 2; space++) {
    build b;
    const char *const place = space ? "[1, 2, 2]" : "[3, 4]";
    const double length = space ? 3 : 5, m = 2.0 * 3 / 5, c = 0.7, t = 1.5, v = 6 * exp(-c / m * t);
    build_new(&b, 1);
    if (space) build_set(&b, "/dimension", "3");
    build_set(&b, "/bodies/x", "{\"mass\": 2, \"coordinates\": \"point\"}");
    build_set(&b, "/bodies/y", "{\"mass\": 3, \"position\": %s, \"coordinates\": \"point\"}", place);
    build_set(&b, "/forces/d",
              "{\"type\": \"spring\", \"between\": [\"x\", \"y\"], \"stiffness\": 0, \"damping\": 0.7}");
    build_set(&b, "/start",
              space ? "{\"y.vx\": 2, \"y.vy\": 4, \"y.vz\": 4}" : "{\"y.vx\": \"6*0.6\", \"y.vy\": \"6*0.8\"}");
    build_tight(&b, 2, 1);
    if (reach(&b, t)) {
      const double stretch = (6 - v) * m / c;
      CHECK_NEAR(build_channel(&b, "d.load"), c * v, 1e-11);
      CHECK_NEAR(build_channel(&b, "y.x") - build_channel(&b, "x.x"), (space ? 1 : 3) * (1 + stretch / length), 1e-11);
      CHECK_NEAR(build_channel(&b, "energy.dissipated"), m / 2 * (36 - v * v), 1e-10);
    }
    build_free(&b);
  }
  build b;
  build_new(&b, 1);
  build_set(&b, "/dimension", "3");
  build_set(&b, "/bodies/x", "{\"mass\": 2, \"inertia\": [0.3, 0.4, 0.5]}");
  build_set(&b, "/joints/sleeve",
            "{\"type\": \"cylindrical\", \"between\": [\"ground\", \"x\"], \"at\": [0, 0, 0], \"axis\": \"z\"}");
  build_set(&b, "/forces/along", "{\"type\": \"spring\", \"on\": \"sleeve.shift\", \"stiffness\": 0, \"damping\": 3}");
  build_set(&b, "/forces/about",
            "{\"type\": \"spring\", \"on\": \"sleeve.angle\", \"stiffness\": 0, \"damping\": 0.4}");
  build_set(&b, "/start", "{\"x.vz\": 1, \"x.wz\": 2}");
  build_tight(&b, 2, 1);
  if (reach(&b, 1.5)) {
    CHECK_NEAR(build_channel(&b, "x.vz"), exp(-1.5 * 1.5), 1e-11);
    CHECK_NEAR(build_channel(&b, "x.wz"), 2 * exp(-0.8 * 1.5), 1e-11);
  }
  build_free(&b);
}

/* the model of docs/model.md: drag k |v| v. a fall from rest has v = V tanh(g t/V), V^2 = m g/k */
TEST(drag_by_an_expression) {
  for (int k = 0; k < 2; k++) {
    build b;
    const double g = 9.80665, m = 2, drag = 0.05, V = sqrt(m * g / drag), t = 4;
    build_new(&b, 1);
    if (k) build_set(&b, "/dimension", "3");
    build_set(&b, "/constants", "{\"k\": 0.05}");
    build_set(&b, "/gravity", k ? "[0, 0, \"-g0\"]" : "[0, \"-g0\"]");
    build_set(&b, "/bodies/ball", "{\"mass\": 2, \"coordinates\": \"point\"}");
    build_set(&b, "/forces/air",
              k ? "{\"type\": \"force\", \"on\": \"ball\", \"value\": [\"-k*norm(velocity(ball))*vx\", "
                  "\"-k*norm(velocity(ball))*vy\", \"-k*norm(velocity(ball))*vz\"]}"
                : "{\"type\": \"force\", \"on\": \"ball\", \"value\": [\"-k*norm(velocity(ball))*vx\", "
                  "\"-k*norm(velocity(ball))*vy\"]}");
    build_tight(&b, 5, 1);
    if (reach(&b, t)) {
      const char *axis = k ? "z" : "y";
      CHECK_NEAR(build_channel(&b, "ball.v%s", axis), -V * tanh(g * t / V), 1e-9);
      CHECK_NEAR(build_channel(&b, "ball.%s", axis), -V * V / g * log(cosh(g * t / V)), 1e-9);
      CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 1e-9);
    }
    build_free(&b);
  }
  /* thrown across without weight, in any direction: v = v0/(1 + k v0 t/m) */
  build b;
  build_new(&b, 1);
  build_set(&b, "/dimension", "3");
  build_set(&b, "/bodies/ball", "{\"mass\": 2, \"coordinates\": \"point\"}");
  build_set(&b, "/forces/air",
            "{\"type\": \"force\", \"on\": \"ball\", \"value\": [\"-0.1*norm(velocity(ball))*vx\", "
            "\"-0.1*norm(velocity(ball))*vy\", \"-0.1*norm(velocity(ball))*vz\"]}");
  build_set(&b, "/start", "{\"ball.vx\": 10, \"ball.vy\": 20, \"ball.vz\": 20}");
  build_tight(&b, 5, 1);
  if (reach(&b, 2)) CHECK_NEAR(build_channel(&b, "ball.vy"), 20 / (1 + 0.05 * 30 * 2), 1e-9);
  build_free(&b);
}
