/* control objectives realised by actuators: efforts against inverse dynamics done by hand, motions against an ode of its own,
 * the ledger, reactions, and what is refused. ' stands for " in the models here. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

#define PI 3.14159265358979323846
#define HEAD "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], "

static void parsed(build *b, const char *model, const char *more) {
  char text[6000];
  snprintf(text, sizeof text, "%s%s}", model, more);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
}

static bool advanced(build *b, double t) {
  tn_error e;
  if (!b->failed && tn_sim_advance(b->sim, t, &e) != TN_OK) build_fail(b, "%s", e.message);
  if (b->failed) printf("%s\n", b->message);
  CHECK(!b->failed);
  return !b->failed;
}

/* ---- an arm of two links: objectives on their absolute angles, torques at the joints ------------------------------------- */

#define ARM(first, second)                                                                                             \
  HEAD "'bodies': {'link1': {'mass': 2, 'inertia': 0.1, 'center': [0.4, 0], 'angle': 0.3},"                            \
       "'link2': {'mass': 1.5, 'inertia': 0.05, 'center': [0.3, 0], 'angle': 1.1,"                                     \
       "          'position': ['0.8*cos(0.3)', '0.8*sin(0.3)']}},"                                                     \
       "'joints': {'shoulder': {'type': 'revolute', 'between': ['ground', 'link1'], 'on_bodies': [[0, 0], [0, 0]]},"   \
       "'elbow': {'type': 'revolute', 'between': ['link1', 'link2'], 'on_bodies': [[0.8, 0], [0, 0]]},"                \
       "'up': {'type': 'driver', 'on': 'link1.angle', 'value': '0.3 + 0.5*sin(2*t)', 'actuators': [" first "]},"       \
       "'hand': {'type': 'driver', 'on': 'link2.angle', 'value': '1.1 - 0.7*t^2', 'actuators': [" second "]}}"

/* by Lagrange, in absolute angles; then torques at the joints: that at the elbow acts on both links */
static void arm_torques(double t, double tau[2], double power[2]) {
  const double m1 = 2, c1 = 0.4, I1 = 0.1, l = 0.8, m2 = 1.5, c2 = 0.3, I2 = 0.05, g = 9.81;
  const double a = 0.3 + 0.5 * sin(2 * t), da = cos(2 * t), dda = -2 * sin(2 * t);
  const double b = 1.1 - 0.7 * t * t, db = -1.4 * t, ddb = -1.4;
  const double k = m2 * l * c2, M12 = k * cos(a - b);
  const double Q1 =
      (I1 + m1 * c1 * c1 + m2 * l * l) * dda + M12 * ddb + k * sin(a - b) * db * db + (m1 * c1 + m2 * l) * g * cos(a);
  const double Q2 = M12 * dda + (I2 + m2 * c2 * c2) * ddb - k * sin(a - b) * da * da + m2 * c2 * g * cos(b);
  tau[1] = Q2;
  tau[0] = Q1 + Q2;
  power[0] = tau[0] * da;
  power[1] = tau[1] * (db - da);
}

static void check_arm(build *b, double tolerance) {
  for (int k = 0; k <= 4; k++) {
    const double t = 0.25 * k;
    double tau[2], power[2];
    if (!advanced(b, t)) return;
    arm_torques(t, tau, power);
    CHECK_NEAR(build_channel(b, "up.load"), tau[0], tolerance);
    CHECK_NEAR(build_channel(b, "hand.load"), tau[1], tolerance);
    CHECK_NEAR(build_channel(b, "up.power"), power[0], tolerance);
    CHECK_NEAR(build_channel(b, "hand.power"), power[1], tolerance);
    /* a revolute hands on no torque: what turns the links are the actuators */
    CHECK_NEAR(build_channel(b, "shoulder.t"), 0, 1e-12);
    CHECK_NEAR(build_channel(b, "elbow.t"), 0, 1e-12);
  }
  CHECK(tn_sim_summary(b->sim)->energy_balance <= 1e-9);
}

TEST(an_arm_by_torques_at_its_joints) {
  for (int relative = 0; relative < 2; relative++) {
    build b;
    parsed(&b, ARM("'shoulder.angle'", "'elbow.angle'"), relative ? ", 'coordinates': 'relative'" : "");
    build_tight(&b, 1, 0.1);
    build_simulate(&b);
    check_arm(&b, 1e-10);
    build_free(&b);
  }
}

/* the same torques as sums of channels, and in the other order: which actuator stands where does not matter to the motion */
TEST(an_actuator_may_be_a_sum_of_channels) {
  build b;
  parsed(&b, ARM("'link1.angle'", "{'link2.angle': 1, 'link1.angle': -1}"), "");
  build_tight(&b, 1, 0.1);
  build_simulate(&b);
  check_arm(&b, 1e-10);
  build_free(&b);
  parsed(&b, ARM("'elbow.angle'", "{'shoulder.angle': -2}"), "");
  build_tight(&b, 1, 0.1);
  build_simulate(&b);
  if (advanced(&b, 0.7)) {
    double tau[2], power[2];
    arm_torques(0.7, tau, power);
    CHECK_NEAR(build_channel(&b, "up.load"), tau[1], 1e-10);
    CHECK_NEAR(build_channel(&b, "hand.load"), -tau[0] / 2, 1e-10);
    CHECK_NEAR(build_channel(&b, "up.power"), power[1], 1e-10);
  }
  build_free(&b);
}

/* an actuator along the row itself is what the row does without one */
TEST(an_actuator_along_the_row_is_the_ideal_force) {
  build a, b;
  static const char ideal[] =
      HEAD "'bodies': {'link': {'mass': 2, 'inertia': 0.1, 'center': [0.4, 0]}},"
           "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'link'], 'at': [0, 0]},"
           "'up': {'type': 'driver', 'on': 'pin.angle', 'value': 'sin(3*t)'";
  parsed(&a, ideal, "}}");
  parsed(&b, ideal, ", 'actuators': ['pin.angle']}}");
  build_tight(&a, 1, 0.1);
  build_tight(&b, 1, 0.1);
  build_simulate(&a);
  build_simulate(&b);
  if (advanced(&a, 0.8) && advanced(&b, 0.8)) {
    static const char *const channels[] = {"up.load", "up.power", "pin.fx", "pin.fy", "link.angle", "energy.driver"};
    for (int i = 0; i < 6; i++)
      CHECK_NEAR(build_channel(&a, "%s", channels[i]), build_channel(&b, "%s", channels[i]), 1e-12);
  }
  build_free(&a);
  build_free(&b);
}

/* ---- a cart that is pushed so that the pole on it follows a function of time ------------------------------------------------ */

#define CART(value, angle)                                                                                             \
  HEAD "'bodies': {'cart': {'mass': 3, 'inertia': 1}, 'pole': {'mass': 1, 'inertia': 0.02, 'center': [0.5, 0],"        \
       "  'angle': " angle "}},"                                                                                       \
       "'joints': {'rail': {'type': 'prismatic', 'between': ['ground', 'cart'], 'at': 'cart', 'axis': 'x'},"           \
       "'hinge': {'type': 'revolute', 'between': ['cart', 'pole'], 'at': 'pole'},"                                     \
       "'goal': {'type': 'driver', 'on': 'pole.angle', 'value': " value ", 'actuators': ['rail.shift']}},"             \
       "'start': {'cart.vx': 0}"

/* the pole alone says how the cart must move:
 *   (I + m c^2) a'' - m c sin(a) x'' + m g c cos(a) = 0,   F = (M + m) x'' - m c (cos(a) a'^2 + sin(a) a'') */
static double cart_acceleration(double t, double *force) {
  const double m = 1, c = 0.5, I = 0.02, M = 3, g = 9.81;
  const double a = PI / 2 + 0.3 * sin(2 * t), da = 0.6 * cos(2 * t), dda = -1.2 * sin(2 * t);
  const double x = ((I + m * c * c) * dda + m * g * c * cos(a)) / (m * c * sin(a));
  *force = (M + m) * x - m * c * (cos(a) * da * da + sin(a) * dda);
  return x;
}

/* x and x' at t from rest: Simpson's rule on x'' and, for x, on (t - s) x''(s) */
static void cart_place(double t, double *x, double *v) {
  enum { PARTS = 4000 };
  const double h = t / (2 * PARTS);
  double unused;
  *x = *v = 0;
  for (int k = 0; k <= 2 * PARTS; k++) {
    const double weight = (k == 0 || k == 2 * PARTS ? 1 : k % 2 ? 4 : 2) * h / 3, a = cart_acceleration(k * h, &unused);
    *v += weight * a;
    *x += weight * (t - k * h) * a;
  }
}

static void check_cart(build *b, double tolerance) {
  double x, v, force;
  if (!advanced(b, 2)) return;
  cart_place(2, &x, &v);
  cart_acceleration(2, &force);
  CHECK_NEAR(build_channel(b, "cart.x"), x, tolerance);
  CHECK_NEAR(build_channel(b, "cart.vx"), v, tolerance);
  CHECK_NEAR(build_channel(b, "goal.load"), force, 10 * tolerance);
  CHECK_NEAR(build_channel(b, "goal.power"), force * v, 100 * tolerance);
  CHECK_NEAR(build_channel(b, "rail.fx"), 0, 1e-10);
  CHECK_NEAR(build_channel(b, "hinge.t"), 0, 1e-10);
  CHECK_NEAR(build_channel(b, "energy.driver"),
             build_channel(b, "energy.total") - (0.5 * 1 * 0.25 + 0.5 * 0.02) * 0.36 - 9.81 * 0.5, 10 * tolerance);
}

#define SWAY "'pi/2 + 0.3*sin(2*t)'"

TEST(a_cart_that_balances_a_pole) {
  for (int relative = 0; relative < 2; relative++) {
    build b;
    parsed(&b, CART(SWAY, "'pi/2'"), relative ? ", 'coordinates': 'relative'" : "");
    build_tight(&b, 2, 0.1);
    build_simulate(&b);
    check_cart(&b, 1e-9);
    if (!b.failed) CHECK(tn_sim_summary(b.sim)->energy_balance <= 1e-9);
    build_free(&b);
  }
}

TEST(every_formulation_and_integrator_has_actuators) {
  for (int i = 0; i < tn_formulation_type_count; i++) {
    build b;
    parsed(&b, CART(SWAY, "'pi/2'"), "");
    build_tight(&b, 2, 0.1);
    build_set(&b, "/run/formulation", "\"%s\"", tn_formulation_types[i]->name);
    build_simulate(&b);
    check_cart(&b, 1e-9);
    build_free(&b);
  }
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *type = tn_integrator_types[i];
    if (type->order < 3 || strcmp(type->name, "ida") == 0) continue;
    build b;
    parsed(&b, CART(SWAY, "'pi/2'"), "");
    if (type->adaptive)
      build_set(&b, "/run/integrator", "{\"type\": \"%s\", \"rtol\": 1e-10, \"atol\": 1e-10}", type->name);
    else
      build_set(&b, "/run/integrator", "{\"type\": \"%s\", \"step\": 0.001}", type->name);
    build_simulate(&b);
    check_cart(&b, 2e-7);
    if (!b.failed) CHECK(tn_sim_summary(b.sim)->energy_balance <= 2e-8);
    if (tn_test_failures) printf("  with %s\n", type->name);
    build_free(&b);
  }
}

/* The cart is at the origin and has neither speed nor acceleration: its place has no roundoff, its motion grows with t^3, and only the
 * roundoff of the pole moves it at first. Steps are short, as rows are. */
TEST(a_cart_at_the_origin_starts_from_rest) {
  static const double every[] = {0.02, 2e-4, 2e-5};
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *type = tn_integrator_types[i];
    if (!type->adaptive || type->advance) continue; /* those that choose their steps scale errors by lengths */
    for (int k = 0; k < 3; k++) {
      build b;
      double x, v;
      parsed(&b, CART(SWAY, "'pi/2'"), "");
      build_set(&b, "/run", "{\"until\": 0.02, \"every\": %g, \"integrator\": \"%s\"}", every[k], type->name);
      build_simulate(&b);
      if (advanced(&b, 0.02)) {
        cart_place(0.02, &x, &v);
        CHECK_NEAR(build_channel(&b, "cart.x"), x, 1e-5 * fabs(x));
        CHECK_NEAR(build_channel(&b, "cart.vx"), v, 1e-5 * fabs(v));
      }
      if (tn_test_failures) printf("  with %s, every %g s\n", type->name, every[k]);
      build_free(&b);
    }
  }
}

/* how far the actuator reaches the objective: the cosine between the two in the metric of cart and pole, by hand */
TEST(the_effect_of_one_actuator_is_a_cosine) {
  static const double angle[] = {1.5, 1, 0.5, 0.1, 1e-3};
  for (int i = 0; i < 5; i++) {
    build b;
    parsed(&b, CART("0", "0"), "");
    build_set(&b, "/bodies/pole/angle", "%.17g", angle[i]);
    build_set(&b, "/joints/goal/value", "%.17g", angle[i]);
    build_simulate(&b);
    if (b.failed) printf("%s\n", b.message);
    CHECK(!b.failed);
    /* M = [M + m, -m c sin a; ., I + m c^2]: the inverse has -M12 beside, M22 and M11 on its diagonal, over the determinant */
    const double M11 = 4, M12 = -0.5 * sin(angle[i]), M22 = 0.02 + 0.25;
    if (!b.failed) CHECK_NEAR(b.sim->efforts.servos.sigma[0], fabs(M12) / sqrt(M11 * M22), 1e-14);
    build_free(&b);
  }
}

/* feedback corrects drift by forces along the rows, not by the actuators, and its work is booked apart */
TEST(stabilizers_correct_along_the_rows) {
  static const char *const stabilizers[] = {"\"none\"", "{\"type\": \"baumgarte\", \"alpha\": 5, \"beta\": 5}",
                                            "{\"type\": \"project\", \"metric\": \"identity\"}"};
  for (int i = 0; i < 3; i++) {
    build b;
    parsed(&b, CART(SWAY, "'pi/2'"), "");
    build_tight(&b, 2, 0.1);
    build_set(&b, "/run/stabilize", "[%s]", stabilizers[i]);
    build_simulate(&b);
    check_cart(&b, 1e-8);
    if (!b.failed) CHECK(tn_sim_summary(b.sim)->energy_balance <= 1e-9);
    build_free(&b);
  }
  /* off the constraints: the effort is that of the motion alone, the stabilizer's share is a channel of its own */
  build b;
  parsed(&b, CART(SWAY, "'pi/2'"), ", 'run': {'stabilize': [{'type': 'baumgarte', 'alpha': 5, 'beta': 5}]}");
  build_simulate(&b);
  double q[6], u[6] = {0};
  if (!b.failed) {
    memcpy(q, tn_sim_q(b.sim), sizeof q);
    q[5] += 1e-3; /* the pole */
    CHECK(tn_sim_set(b.sim, 0, q, u, false, NULL) == TN_OK);
    const double a = PI / 2 + 1e-3, x = 9.81 * cos(a) / sin(a); /* rate 0, and the goal has no acceleration at t = 0 */
    CHECK_NEAR(build_channel(&b, "goal.load"), 4 * x, 1e-12);
    CHECK(fabs(build_channel(&b, "hinge.sfx")) > 1e-3);
  }
  build_free(&b);
}

/* ---- by blocks: a long chain hangs from a cart; its first link is led --------------------------------------------------------- */

TEST_FULL(actuators_in_a_model_that_is_factored_by_blocks) {
  static const char chain[] = HEAD
      "'bodies': {'cart': {'mass': 3, 'inertia': 1},"
      "'link{i}': {'repeat': 'i=1..24', 'rod': [[0, '-0.1*(i - 1)'], [0, '-0.1*i']], 'mass': 0.2}},"
      "'joints': {'rail': {'type': 'prismatic', 'between': ['ground', 'cart'], 'at': 'cart', 'axis': 'x'},"
      "'hook': {'type': 'revolute', 'between': ['cart', 'link1'], 'at': [0, 0]},"
      "'pin{i}': {'repeat': 'i=2..24', 'type': 'revolute', 'between': ['link{i-1}', 'link{i}'], 'at': [0, '-0.1*(i - "
      "1)']},"
      "'lead': {'type': 'driver', 'on': 'link1.angle', 'value': '-pi/2 + 0.2*sin(2*t)', 'actuators': ['rail.shift']},"
      "'bend': {'type': 'driver', 'on': 'pin20.angle', 'value': '0.3*sin(t)', 'actuators': ['pin20.angle']}}";
  build a, b;
  parsed(&a, chain, "");
  parsed(&b, chain, ", 'run': {'formulation': {'type': 'gauss', 'matrices': 'dense'}}");
  build_simulate(&a);
  build_simulate(&b);
  if (advanced(&a, 0.15) && advanced(&b, 0.2)) {
    CHECK(a.sim->solver.by_blocks && !b.sim->solver.by_blocks);
    static const char *const channels[] = {"lead.load", "bend.load", "cart.x", "link24.x", "hook.fy", "pin22.fx"};
    /* at one state: that of a */
    CHECK(tn_sim_set(b.sim, 0.15, tn_sim_q(a.sim), tn_sim_u(a.sim), false, NULL) == TN_OK);
    for (int i = 0; i < 6; i++) {
      const double x = build_channel(&a, "%s", channels[i]), y = build_channel(&b, "%s", channels[i]);
      CHECK_NEAR(x, y, 1e-9 * fmax(1, fabs(y)));
    }
    CHECK(fabs(build_channel(&a, "lead.load")) > 0.1);
    CHECK(tn_sim_summary(a.sim)->energy_balance <= 1e-6);
  }
  build_free(&a);
  build_free(&b);
}

/* ---- in space, and a mass centre -------------------------------------------------------------------------------------------- */

/* the mass centre of two links over the foot, by the torque at the hip. statics: the torque holds the upper link */
TEST(a_mass_centre_is_led_by_a_torque) {
  static const char model[] =
      HEAD "'bodies': {'leg': {'mass': 1, 'inertia': 0.02, 'center': [0.5, 0], 'angle': 'pi/2 + 0.2'},"
           "'trunk': {'mass': 2, 'inertia': 0.1, 'center': [0.4, 0], 'angle': 'pi/2 - 0.3',"
           "          'position': ['cos(pi/2 + 0.15)', 'sin(pi/2 + 0.2)']}},"
           "'joints': {'foot': {'type': 'revolute', 'between': ['ground', 'leg'], 'on_bodies': [[0, 0], [0, 0]]},"
           "'hip': {'type': 'revolute', 'between': ['leg', 'trunk'], 'on_bodies': [[1, 0], [0, 0]]},"
           "'balance': {'type': 'center-of-mass', 'bodies': ['leg', 'trunk'], 'axis': 'x', 'value': '0.02*t^2',"
           "            'actuators': ['hip.angle']}}";
  for (int relative = 0; relative < 2; relative++) {
    build b;
    parsed(&b, model, relative ? ", 'coordinates': 'relative'" : "");
    build_tight(&b, 0.5, 0.1);
    build_simulate(&b);
    if (advanced(&b, 0.3)) {
      /* of the trunk about the hip: I al + r x m a = tau + r x m g */
      const double a = build_channel(&b, "trunk.angle"), rx = 0.4 * cos(a), ry = 0.4 * sin(a);
      const double al = build_channel(&b, "trunk.accel"), w = build_channel(&b, "trunk.rate");
      const double ax = build_channel(&b, "trunk.ax") - al * ry - w * w * rx,
                   ay = build_channel(&b, "trunk.ay") + al * rx - w * w * ry;
      CHECK_NEAR(build_channel(&b, "balance.load"), 0.1 * al + 2 * (rx * (ay + 9.81) - ry * ax), 1e-10);
      CHECK_NEAR(build_channel(&b, "balance.violation"), 0, 1e-14);
      CHECK_NEAR(build_channel(&b, "foot.t"), 0, 1e-12);
      /* the foot alone pushes the whole: 3 kg with 0.04 m/s^2 */
      CHECK_NEAR(build_channel(&b, "foot.fx"), 3 * 0.04, 1e-10);
    }
    if (!b.failed) CHECK(tn_sim_summary(b.sim)->energy_balance <= 1e-9);
    build_free(&b);
  }
}

/* a gimbal: the inner ring is led in space, by torques at both hinges */
TEST(two_torques_lead_an_axis_in_space) {
  static const char model[] =
      "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81],"
      "'bodies': {'outer': {'mass': 1, 'inertia': [0.1, 0.2, 0.3], 'center': [0, 0.1, 0]},"
      "           'inner': {'mass': 2, 'inertia': [0.3, 0.2, 0.4], 'center': [0.2, 0, 0.1]}},"
      "'joints': {'a': {'type': 'revolute', 'between': ['ground', 'outer'], 'at': [0, 0, 0], 'axis': 'x'},"
      "'b': {'type': 'revolute', 'between': ['outer', 'inner'], 'at': [0, 0, 0], 'axis': 'y'},"
      "'turn': {'type': 'coordinate', 'terms': {'a.angle': 1, 'b.angle': 1}, 'value': '0.4*sin(2*t)',"
      "         'actuators': ['a.angle']},"
      "'tilt': {'type': 'coordinate', 'terms': {'a.angle': 1, 'b.angle': -2}, 'value': '0.3*t', 'actuators': "
      "['b.angle']}}";
  double load[2][2];
  for (int relative = 0; relative < 2; relative++) {
    build b;
    parsed(&b, model, relative ? ", 'coordinates': 'relative'" : "");
    build_tight(&b, 1, 0.1);
    build_simulate(&b);
    if (advanced(&b, 0.9)) {
      load[relative][0] = build_channel(&b, "turn.load");
      load[relative][1] = build_channel(&b, "tilt.load");
      /* a revolute in space hands on no torque about its axis */
      CHECK_NEAR(build_channel(&b, "a.tx"), 0, 1e-11);
      CHECK(fabs(build_channel(&b, "a.ty")) > 0.1);
      CHECK(tn_sim_summary(b.sim)->energy_balance <= 1e-9);
    }
    build_free(&b);
  }
  for (int k = 0; k < 2; k++) CHECK_NEAR(load[0][k], load[1][k], 1e-10);
  /* the same motion with ideal drivers at the hinges: there the loads are these torques */
  build b;
  parsed(&b,
         "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81],"
         "'bodies': {'outer': {'mass': 1, 'inertia': [0.1, 0.2, 0.3], 'center': [0, 0.1, 0]},"
         "           'inner': {'mass': 2, 'inertia': [0.3, 0.2, 0.4], 'center': [0.2, 0, 0.1]}},"
         "'joints': {'a': {'type': 'revolute', 'between': ['ground', 'outer'], 'at': [0, 0, 0], 'axis': 'x'},"
         "'b': {'type': 'revolute', 'between': ['outer', 'inner'], 'at': [0, 0, 0], 'axis': 'y'},"
         "'da': {'type': 'driver', 'on': 'a.angle', 'value': '(0.8*sin(2*t) + 0.3*t)/3'},"
         "'db': {'type': 'driver', 'on': 'b.angle', 'value': '(0.4*sin(2*t) - 0.3*t)/3'}}",
         "");
  build_tight(&b, 1, 0.1);
  build_simulate(&b);
  if (advanced(&b, 0.9)) {
    CHECK_NEAR(build_channel(&b, "da.load"), load[0][0], 1e-10);
    CHECK_NEAR(build_channel(&b, "db.load"), load[0][1], 1e-10);
  }
  build_free(&b);
}

/* ---- the biped ---------------------------------------------------------------------------------------------------------- */

/* the motion is determined by its rows alone: the same with ideal torques and with those at the joints, and so is the work */
TEST(the_biped_by_torques_at_its_joints) {
  build a, b;
  build_new(&a, 1);
  build_new(&b, 1);
  build_read(&a, "biped_1");
  build_read(&b, "biped_actuated");
  build_tight(&a, 2, 0.05);
  build_tight(&b, 2, 0.05);
  build_simulate(&a);
  build_simulate(&b);
  for (int k = 0; k <= 8; k++) {
    if (!advanced(&a, 0.25 * k) || !advanced(&b, 0.25 * k)) break;
    static const char *const same[] = {"torso.x", "torso.y", "thigh_f.angle", "shank_b.angle", "foot_f.angle"};
    for (int i = 0; i < 5; i++) CHECK_NEAR(build_channel(&a, "%s", same[i]), build_channel(&b, "%s", same[i]), 1e-9);
    CHECK_NEAR(build_channel(&a, "energy.driver"), build_channel(&b, "energy.driver"), 1e-8);
    /* the torso is held by the hips: what an ideal torque does from outside, both do together */
    CHECK_NEAR(build_channel(&a, "upright.load"), 2 * build_channel(&b, "upright.load"), 1e-7);
  }
  build_free(&a);
  build_free(&b);
}

/* ---- refused ------------------------------------------------------------------------------------------------------------ */

static void refused(const char *model, const char *more, const char *what, const char *also) {
  build b;
  parsed(&b, model, more);
  build_simulate(&b);
  if (!b.failed) {
    tn_error e;
    if (tn_sim_advance(b.sim, 2, &e) != TN_OK) {
      char text[1600];
      tn_error_text(&e, text, sizeof text);
      build_fail(&b, "%s", text);
    }
  }
  const bool found = b.failed && strstr(b.message, what) && strstr(b.message, also);
  if (!found) printf("got    %s\nwanted %s, %s\n", b.message, what, also);
  CHECK(found);
  build_free(&b);
}

TEST(actuators_that_cannot_do_it) {
  /* the pole lies flat: pushing the cart does not turn it */
  refused(CART("'0.1*t'", "0"), "", "'goal' cannot be realised by actuators along 'rail.shift': their effect is",
          "(test:");
  /* it comes there on the way */
  refused(CART("'pi/2 - t'", "'pi/2'"), "", "'goal' cannot be realised by actuators along 'rail.shift'", "at t = 1.57");
  refused(CART("'pi/2 - t'", "'pi/2'"), ", 'run': {'integrator': {'type': 'rk4', 'step': 0.01}}",
          "their effect has vanished and turned round", "at t = 1.5");
  /* two objectives, one torque */
  refused(ARM("'elbow.angle'", "{'link2.angle': 3, 'link1.angle': -3}"), "",
          "'up', 'hand' cannot be realised by actuators along 'elbow.angle', '3*link2.angle - 3*link1.angle'",
          "at least 1e-06");
  /* an actuator that the joints hold */
  refused(ARM("'link1.x'", "'elbow.angle'"), "", "'up', 'hand' cannot be realised", "(test:");
  /* what the joints keep anyway needs none */
  refused(HEAD "'bodies': {'link': {'mass': 2, 'inertia': 0.1}},"
               "'joints': {'pin': {'type': 'weld', 'between': ['ground', 'link'], 'at': [0, 0]},"
               "'up': {'type': 'driver', 'on': 'link.angle', 'value': 0, 'actuators': ['link.angle']}}",
          "", "joint 'up': other rows keep what it asks for as well", "(test:");
}

TEST(actuators_that_cannot_be) {
  static const char *const lists[][3] = {
      {"'actuators': []", "`actuators` must be a list of 1 channel", "joint 'up'"},
      {"'actuators': ['k.x', 'k.y']", "`actuators` must be a list of 1 channel", "joint 'up'"},
      {"'actuators': 'k.x'", "`actuators` must be a list of 1 channel", "joint 'up'"},
      {"'actuators': ['k.vx']", "'k.vx' is a rate", "joint 'up'"},
      {"'actuators': ['k.z']", "has no channel 'z'", "joint 'up'"},
      {"'actuators': [{}]", "without a channel", "joint 'up'"},
      {"'actuators': [{'k.x': 0}]", "all 0", "joint 'up'"},
      {"'actuators': [3]", "actuators", "joint 'up'"},
      {"'actuator': ['k.x']", "did you mean 'actuators'?", "joint 'up'"},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    char more[200];
    snprintf(more, sizeof more, ", %s}}", lists[i][0]);
    refused(HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}},"
                 "'joints': {'up': {'type': 'driver', 'on': 'k.y', 'value': 't'",
            more, lists[i][1], lists[i][2]);
  }
  refused("{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, 0],"
          "'bodies': {'k': {'mass': 1, 'inertia': [1, 1, 1], 'axis_angle': ['x', 0.5], 'coordinates': 'euler-angles'}},"
          "'joints': {'up': {'type': 'driver', 'on': 'k.z', 'value': 't', 'actuators': ['k.phi']}}",
          "", "nothing to push against", "joint 'up'");
  /* ida has multipliers among its unknowns */
  for (int i = 0; i < tn_integrator_type_count; i++)
    if (strcmp(tn_integrator_types[i]->name, "ida") == 0)
      refused(CART(SWAY, "'pi/2'"), ", 'run': {'integrator': 'ida'}", "ida has the multipliers among its unknowns",
              "objectives that actuators realise");
  /* joints with other rows have none */
  refused(HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}}, 'joints': {'pin': {'type': 'revolute',"
               "'between': ['ground', 'k'], 'at': [0, 0], 'actuators': ['k.x']}}",
          "", "unknown key 'actuators'", "joint 'pin'");
}
