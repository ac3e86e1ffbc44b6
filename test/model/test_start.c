/* starts: what is exact stays, what is a guess moves as little as possible, what cannot be is refused (see refusals); and
 * the count of freedom. ' stands for " in the models here. */
#include "support/build.h"
#include "support/quad.h"
#include "test.h"

#include <time.h>

#define HEAD "{'tenon': 1, 'dimension': 2, 'outputs': {}, "
#define PI 3.14159265358979323846

/* a whole model, or one without its closing brace and a start */
static void simulated(build *b, const char *model, const char *start) {
  char text[8000];
  snprintf(text, sizeof text, "%s%s%s%s", model, start ? ", 'start': " : "", start ? start : "", start ? "}" : "");
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
  build_simulate(b);
  if (b->failed) printf("%s\n", b->message);
  CHECK(!b->failed);
}

/* crank 1 m, coupler sqrt(10) m, rocker sqrt(5) m, base 4 m; without its closing brace */
#define FOUR_BAR                                                                                                       \
  HEAD "'points': {'A': [0, 0], 'B': [0, 1], 'C': [3, 2], 'D': [4, 0]},"                                               \
       "'bodies': {'crank': {'rod': ['A', 'B'], 'mass': 1}, 'coupler': {'rod': ['B', 'C'], 'mass': 3},"                \
       "           'rocker': {'rod': ['D', 'C'], 'mass': 2}},"                                                         \
       "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'crank'], 'at': 'A'},"                              \
       "'B': {'type': 'revolute', 'between': ['crank', 'coupler'], 'at': 'B'},"                                        \
       "'C': {'type': 'revolute', 'between': ['coupler', 'rocker'], 'at': 'C'},"                                       \
       "'D': {'type': 'revolute', 'between': ['ground', 'rocker'], 'at': 'D'}}"

/* where the tip of the rocker is for a crank angle; side: 1 as drawn, -1 the other branch */
static void four_bar_tip(double crank, int side, double tip[2]) {
  const double bx = cos(crank), by = sin(crank), dx = 4 - bx, dy = -by, l = hypot(dx, dy);
  const double along = (l * l + 10 - 5) / (2 * l), across = sqrt(10 - along * along) * side;
  tip[0] = bx + (along * dx - across * dy) / l;
  tip[1] = by + (along * dy + across * dx) / l;
}

static void check_four_bar(build *b, double crank, int side, double tolerance) {
  double tip[2];
  if (b->failed) return;
  four_bar_tip(crank, side, tip);
  CHECK_NEAR(build_channel(b, "crank.x"), 0, tolerance);
  CHECK_NEAR(build_channel(b, "crank.angle"), crank, tolerance);
  CHECK_NEAR(build_channel(b, "coupler.x"), cos(crank), tolerance);
  CHECK_NEAR(build_channel(b, "coupler.y"), sin(crank), tolerance);
  const double rocker = build_channel(b, "rocker.angle");
  CHECK_NEAR(4 + sqrt(5) * cos(rocker), tip[0], tolerance);
  CHECK_NEAR(sqrt(5) * sin(rocker), tip[1], tolerance);
  CHECK_NEAR(build_channel(b, "C.violation"), 0, 1e-15);
  CHECK(tn_sim_summary(b->sim)->max_position_violation <= 1e-14);
}

TEST(one_exact_number_moves_a_mechanism_with_one_freedom) {
  static const double turn[] = {-0.3, 0.5, -1.2};
  for (int i = 0; i < 3; i++) {
    build b;
    char start[80];
    snprintf(start, sizeof start, "{'A.angle': %.17g}", turn[i]);
    simulated(&b, FOUR_BAR, start);
    check_four_bar(&b, PI / 2 + turn[i], 1, 1e-13);
    if (!b.failed) CHECK_NEAR(build_channel(&b, "A.angle"), turn[i], 1e-15);
    build_free(&b);
  }
}

TEST(joint_and_body_channels_are_the_same_start) {
  build b;
  simulated(&b, FOUR_BAR, "{'crank.angle': 1.3}");
  check_four_bar(&b, 1.3, 1, 1e-13);
  build_free(&b);
  simulated(&b, FOUR_BAR, "{'coupler.x': 0.6}"); /* cos of the crank angle, the nearer of the two */
  check_four_bar(&b, acos(0.6), 1, 1e-12);
  build_free(&b);
}

TEST(rates_are_met_exactly_and_the_rest_follows) {
  build b;
  simulated(&b, FOUR_BAR, "{'A.rate': '60*rpm'}");
  if (!b.failed) {
    CHECK_NEAR(build_channel(&b, "crank.rate"), 2 * PI, 1e-14);
    CHECK_NEAR(build_channel(&b, "coupler.vx"), -2 * PI, 1e-13); /* w k x (0, 1) */
    CHECK_NEAR(build_channel(&b, "coupler.vy"), 0, 1e-13);
    /* velocity of C from both sides: coupler at B + w x (3, 1), rocker w x (-1, 2) */
    const double wc = build_channel(&b, "coupler.rate"), wr = build_channel(&b, "rocker.rate");
    CHECK_NEAR(-2 * PI - wc * 1, -wr * 2, 1e-13);
    CHECK_NEAR(wc * 3, -wr * 1, 1e-13);
    CHECK(tn_sim_summary(b.sim)->start_moved == 0 && tn_sim_events(b.sim) == 0);
    CHECK(tn_sim_summary(b.sim)->max_velocity_violation <= 1e-14);
  }
  build_free(&b);
}

TEST(values_that_agree_may_be_redundant) {
  build b;
  simulated(&b, FOUR_BAR,
            "{'A.angle': 0.25, 'crank.angle': 'pi/2 + 0.25', 'A.rate': 2, 'crank.rate': 2,"
            " 'keep': ['crank.x', 'rocker.y', 'rocker.vx']}");
  check_four_bar(&b, PI / 2 + 0.25, 1, 1e-13);
  if (!b.failed) CHECK_NEAR(build_channel(&b, "A.rate"), 2, 1e-14);
  build_free(&b);
  /* by less than 1e-9 they agree */
  simulated(&b, FOUR_BAR,
            "{'A.angle': 0.25, 'crank.angle': 'pi/2 + 0.25 + 1e-11', 'A.rate': 2, 'crank.rate': '2 + 1e-11'}");
  check_four_bar(&b, PI / 2 + 0.25, 1, 1e-10);
  build_free(&b);
}

/* a coupler that does not fit: what is kept stays, the others give way */
#define OPEN_FOUR_BAR                                                                                                  \
  HEAD "'bodies': {'crank': {'mass': 1, 'inertia': 1, 'angle': 'pi/2'},"                                               \
       "'coupler': {'mass': 1, 'inertia': 1, 'position': [0, 1], 'angle': 0.4},"                                       \
       "'rocker': {'mass': 1, 'inertia': 1, 'position': [4, 0], 'angle': 2.1}},"                                       \
       "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'crank'], 'on_bodies': [[0, 0], [0, 0]]},"          \
       "'B': {'type': 'revolute', 'between': ['crank', 'coupler'], 'on_bodies': [[1, 0], [0, 0]]},"                    \
       "'C': {'type': 'revolute', 'between': ['coupler', 'rocker'], 'on_bodies': [['sqrt(10)', 0], ['sqrt(5)', 0]]},"  \
       "'D': {'type': 'revolute', 'between': ['ground', 'rocker'], 'on_bodies': [[4, 0], [0, 0]]}}"

TEST(what_is_kept_has_the_value_of_the_given_pose) {
  build b;
  simulated(&b, OPEN_FOUR_BAR, "{'keep': ['crank.angle']}");
  check_four_bar(&b, PI / 2, 1, 1e-13);
  build_free(&b);
  simulated(&b, OPEN_FOUR_BAR, "{'keep': ['rocker.angle', 'rocker.rate', 'crank.rate']}");
  if (!b.failed) {
    CHECK_NEAR(build_channel(&b, "rocker.angle"), 2.1, 1e-14);
    CHECK(fabs(build_channel(&b, "crank.angle") - PI / 2) > 1e-3);
    CHECK_NEAR(build_channel(&b, "crank.rate"), 0, 0);
  }
  build_free(&b);
  /* without any, all three move */
  simulated(&b, OPEN_FOUR_BAR, "{}");
  if (!b.failed) {
    CHECK(fabs(build_channel(&b, "crank.angle") - PI / 2) > 1e-3);
    CHECK(fabs(build_channel(&b, "rocker.angle") - 2.1) > 1e-3);
    check_four_bar(&b, build_channel(&b, "crank.angle"), 1, 1e-13);
  }
  build_free(&b);
}

TEST(a_guess_is_where_assembly_begins) {
  build b;
  const double crank = 1.2;
  double tip[2];
  char start[200];
  four_bar_tip(crank, -1, tip);
  snprintf(start, sizeof start, "{'crank.angle': %.17g, 'guess': {'rocker.angle': %.17g, 'coupler.angle': %.17g}}",
           crank, atan2(tip[1], tip[0] - 4) + 0.1, atan2(tip[1] - sin(crank), tip[0] - cos(crank)) - 0.1);
  simulated(&b, OPEN_FOUR_BAR, start); /* near the other branch */
  check_four_bar(&b, crank, -1, 1e-12);
  build_free(&b);
  simulated(&b, OPEN_FOUR_BAR, "{'crank.angle': 1.2}");
  check_four_bar(&b, crank, 1, 1e-12);
  build_free(&b);
  simulated(&b, FOUR_BAR, "{'guess': {'crank.rate': 1}}"); /* rates too: the nearest that the joints allow */
  if (!b.failed) {
    const double rate = build_channel(&b, "crank.rate");
    CHECK(rate > 0.01 && rate < 1);
    CHECK(tn_sim_summary(b.sim)->max_velocity_violation <= 1e-14);
  }
  build_free(&b);
}

TEST(a_guess_in_a_model_with_a_body_without_mass) {
  static const char *const guess[] = {"{\"guess\": {\"rod.angle\": -1}}",
                                      /* more targets than rows */
                                      "{\"guess\": {\"rod.angle\": -1, \"rod.x\": 0.01, \"rod.y\": 0, \"pivot.x\": 0, "
                                      "\"pivot.y\": 0, \"pivot.angle\": 0.01}}"};
  for (int i = 0; i < 2; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "driven_pivot");
    build_set(&b, "/start", "%s", guess[i]);
    CHECK(build_simulate(&b));
    if (b.failed) printf("%s\n", b.message);
    if (!b.failed) {
      CHECK_NEAR(build_channel(&b, "pin.violation"), 0, 1e-15);
      CHECK_NEAR(build_channel(&b, "rod.angle"), -1, 0.05);
    }
    build_free(&b);
  }
}

TEST(an_exact_start_in_a_model_with_a_body_without_mass) {
  build b;
  build_new(&b, 1);
  build_read(&b, "driven_pivot");
  build_set(&b, "/start", "{\"rod.angle\": -1, \"rod.rate\": 2}");
  CHECK(build_simulate(&b));
  if (!b.failed) {
    CHECK_NEAR(build_channel(&b, "rod.angle"), -1, 1e-15);
    CHECK_NEAR(build_channel(&b, "rod.rate"), 2, 1e-14);
    CHECK_NEAR(build_channel(&b, "pivot.x"), 0, 1e-15);
  }
  build_free(&b);
}

/* the change is the smallest in the metric of the masses */
TEST(light_bodies_move_more_than_heavy_ones) {
  build b;
  simulated(&b,
            HEAD "'bodies': {'p': {'mass': 1, 'position': [0, 0], 'coordinates': 'point'},"
                 "           'q': {'mass': 3, 'position': [3, 4], 'coordinates': 'point'}},"
                 "'joints': {'rod': {'type': 'distance', 'between': ['p', 'q'], 'length': 4}}",
            "{'p.vx': 1}");
  if (!b.failed) {
    /* 1 m too long: p moves 3/4, q 1/4 along (0.6, 0.8) */
    CHECK_NEAR(build_channel(&b, "p.x"), 0.75 * 0.6, 1e-14);
    CHECK_NEAR(build_channel(&b, "p.y"), 0.75 * 0.8, 1e-14);
    CHECK_NEAR(build_channel(&b, "q.x"), 3 - 0.25 * 0.6, 1e-14);
    CHECK_NEAR(build_channel(&b, "q.y"), 4 - 0.25 * 0.8, 1e-14);
    /* p.vx = 1 is exact; the least of vy^2 + 3 (wx^2 + wy^2) with 0.6 (wx - 1) + 0.8 (wy - vy) = 0 */
    const double k = 0.6 / (0.8 * 0.8 + 1.0 / 3);
    CHECK_NEAR(build_channel(&b, "p.vx"), 1, 1e-14);
    CHECK_NEAR(build_channel(&b, "p.vy"), -0.8 * k, 1e-14);
    CHECK_NEAR(build_channel(&b, "q.vx"), 0.6 * k / 3, 1e-14);
    CHECK_NEAR(build_channel(&b, "q.vy"), 0.8 * k / 3, 1e-14);
    const tn_summary *s = tn_sim_summary(b.sim);
    CHECK_NEAR(s->start_moved, 0.6, 1e-14); /* y of p, 0.75 * 0.8 */
    CHECK_TEXT(s->start_moved_name, "p.y");
    CHECK(tn_sim_events(b.sim) == 1);
    if (tn_sim_events(b.sim) == 1) {
      CHECK_TEXT(tn_sim_event(b.sim, 0)->kind, "assembled");
      CHECK_TEXT(tn_sim_event(b.sim, 0)->text,
                 "the start moved p.y by 0.6 m, p.x by 0.45 m, q.y by -0.2 m, q.x by -0.15 m");
      CHECK(tn_sim_event(b.sim, 0)->t == 0);
    }
  }
  build_free(&b);
}

TEST(drivers_set_the_rates_of_the_start) {
  build b;
  simulated(&b,
            HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}},"
                 "'joints': {'x': {'type': 'driver', 'on': 'k.x', 'value': '2 + 3*t'},"
                 "'s': {'type': 'coordinate', 'terms': {'k.y': 2, 'k.angle': 1}, 'value': 'sin(t)'}}}",
            NULL);
  if (!b.failed) {
    CHECK_NEAR(build_channel(&b, "k.x"), 2, 1e-15);
    CHECK_NEAR(build_channel(&b, "k.vx"), 3, 1e-15);
    CHECK_NEAR(2 * build_channel(&b, "k.vy") + build_channel(&b, "k.rate"), 1, 1e-15);
    CHECK_NEAR(build_channel(&b, "k.vy"), 0.4, 1e-15); /* least vy^2 + rate^2 */
    CHECK(tn_sim_summary(b.sim)->degrees_of_freedom == 1);
  }
  build_free(&b);
}

TEST(as_given_stays_as_it_is_and_says_how_far_off) {
  build b;
  simulated(&b, OPEN_FOUR_BAR, "{'mode': 'as-given', 'crank.angle': 1.5, 'guess': {'coupler.rate': 2}}");
  if (!b.failed) {
    CHECK_NEAR(build_channel(&b, "crank.angle"), 1.5, 1e-15);
    CHECK(build_channel(&b, "coupler.angle") == 0.4 && build_channel(&b, "rocker.angle") == 2.1);
    CHECK(build_channel(&b, "coupler.y") == 1);
    CHECK_NEAR(build_channel(&b, "coupler.rate"), 2, 1e-15);
    const double off =
        fmax(fabs(sqrt(10) * cos(0.4) - 4 - sqrt(5) * cos(2.1)), fabs(1 + sqrt(10) * sin(0.4) - sqrt(5) * sin(2.1)));
    CHECK_NEAR(build_channel(&b, "C.violation"), off / b.model->length, 1e-15);
    const tn_summary *s = tn_sim_summary(b.sim);
    CHECK(s->contract_kept && s->start_moved == 0); /* reported, not judged */
    bool told = false;
    for (int i = 0; i < tn_sim_events(b.sim); i++) told = told || strstr(tn_sim_event(b.sim, i)->text, "joint 'C'");
    CHECK(told);
  }
  build_free(&b);
}

TEST(as_given_changes_only_what_is_named) {
  build b;
  simulated(&b, FOUR_BAR, "{'mode': 'as-given', 'crank.angle': 1.5, 'rocker.vx': 2}"); /* mass centres off the origin */
  if (!b.failed) {
    CHECK(build_channel(&b, "crank.x") == 0 && build_channel(&b, "crank.y") == 0);
    CHECK_NEAR(build_channel(&b, "crank.angle"), 1.5, 1e-15);
    CHECK_NEAR(build_channel(&b, "rocker.vx"), 2, 1e-15);
    CHECK(build_channel(&b, "rocker.rate") == 0);
  }
  build_free(&b);
}

TEST(start_values_repeat) {
  build b;
  build_new(&b, 1);
  build_read(&b, "triple_pendulum");
  build_set(&b, "/start", "{\"link{i}.rate\": {\"repeat\": \"i=1..N\", \"value\": \"i*0.5\"}}");
  CHECK(build_simulate(&b));
  for (int i = 1; i <= 3 && !b.failed; i++) CHECK_NEAR(build_channel(&b, "link%d.rate", i), 0.5 * i, 1e-14);
  build_free(&b);
}

TEST(the_same_start_has_the_same_bytes) {
  build a, b;
  simulated(&a, OPEN_FOUR_BAR, "{'crank.angle': 1.2, 'guess': {'rocker.rate': 1}}");
  simulated(&b, OPEN_FOUR_BAR, "{'crank.angle': 1.2, 'guess': {'rocker.rate': 1}}");
  if (!a.failed && !b.failed) {
    CHECK(tn_sim_coordinates(a.sim) == 9 && tn_sim_speeds(a.sim) == 9);
    CHECK(memcmp(tn_sim_q(a.sim), tn_sim_q(b.sim), 9 * sizeof(double)) == 0);
    CHECK(memcmp(tn_sim_u(a.sim), tn_sim_u(b.sim), 9 * sizeof(double)) == 0);
    CHECK(tn_sim_summary(a.sim)->start_moved == tn_sim_summary(b.sim)->start_moved);
    CHECK(tn_sim_summary(a.sim)->start_moved > 0.01);
    /* once started it does not start again */
    double q[9];
    memcpy(q, tn_sim_q(a.sim), sizeof q);
    CHECK(tn_sim_start(a.sim, NULL) == TN_OK && memcmp(q, tn_sim_q(a.sim), sizeof q) == 0);
    CHECK(tn_sim_events(a.sim) == 1);
  }
  build_free(&a);
  build_free(&b);
}

TEST(absolute_and_relative_coordinates_start_alike) {
  static const char *const starts[] = {"{'A.angle': -0.3, 'A.rate': 2}", "{'rocker.angle': 2.0, 'coupler.rate': 1}"};
  static const char *const channels[] = {"crank.angle", "coupler.x",   "coupler.angle", "rocker.angle",
                                         "crank.rate",  "rocker.rate", "C.angle"};
  for (int i = 0; i < 2; i++) {
    build a, b;
    simulated(&a, FOUR_BAR, starts[i]);
    simulated(&b, FOUR_BAR ", 'coordinates': 'relative'", starts[i]);
    if (!a.failed && !b.failed)
      for (int k = 0; k < 7; k++)
        CHECK_NEAR(build_channel(&a, "%s", channels[k]), build_channel(&b, "%s", channels[k]), 1e-12);
    build_free(&a);
    build_free(&b);
  }
}

/* ---- to the last bit -------------------------------------------------------------------------------------------------- */

/* 3RRR robot of Hoang 2023: cranks on the ground, rods without mass to a platform */
#define ROBOT                                                                                                          \
  HEAD "'constants': {'l1': 0.581, 'l2': 0.62, 'L0': 1.2, 'b': '0.2/sqrt(3)', 'm2': 0.75},"                            \
       "'points': {'O1': [0, 0], 'O2': ['L0', 0], 'O3': ['L0/2', 'L0*sqrt(3)/2']},"                                    \
       "'tables': {'alpha': ['7*pi/6', '-pi/6', 'pi/2'], 'th0': [-0.1259, 1.3727, 3.2675]},"                           \
       "'bodies': {'platform': {'mass': 0.978, 'inertia': 0.007, 'position': [0.59363, 0.60145], 'angle': 0.020707,"   \
       "  'lumps': [{'repeat': 'i=1..3', 'mass': 'm2/2', 'at': ['b*cos(alpha[i])', 'b*sin(alpha[i])']}]},"             \
       "'crank{i}': {'repeat': 'i=1..3', 'mass': 2.072, 'inertia': 0.13, 'center': ['l1/2', 0],"                       \
       "  'lumps': [{'mass': 'm2/2', 'at': ['l1', 0]}],"                                                               \
       "  'coordinates': {'type': 'swing', 'parent': 'ground', 'at': 'O{i}'}, 'angle': 'th0[i]'}},"                    \
       "'joints': {'rod{i}': {'repeat': 'i=1..3', 'type': 'distance', 'between': ['crank{i}', 'platform'],"            \
       "  'length': 'l2', 'form': 'squared', 'on_bodies': [['l1', 0], ['b*cos(alpha[i])', 'b*sin(alpha[i])']]}}"

/* place and angle of the platform for given cranks: Newton on |B_i - A_i|^2 = l2^2 with more digits than a double has */
static void robot_platform(const double crank[3], long double x[3]) {
  const long double pi = 3.14159265358979323846264338327950288L, r = 0.2L / sqrtl(3.0L);
  const long double O[3][2] = {{0, 0}, {1.2L, 0}, {0.6L, 0.6L * sqrtl(3.0L)}}, alpha[3] = {7 * pi / 6, -pi / 6, pi / 2};
  for (int pass = 0; pass < 20; pass++) {
    long double a[3][4];
    for (int i = 0; i < 3; i++) {
      const long double bx = r * cosl(x[2] + alpha[i]), by = r * sinl(x[2] + alpha[i]);
      const long double dx = x[0] + bx - O[i][0] - 0.581L * cosl(crank[i]),
                        dy = x[1] + by - O[i][1] - 0.581L * sinl(crank[i]);
      a[i][0] = 2 * dx;
      a[i][1] = 2 * dy;
      a[i][2] = 2 * (dy * bx - dx * by);
      a[i][3] = 0.62L * 0.62L - dx * dx - dy * dy;
    }
    for (int k = 0; k < 3; k++) { /* Cramer would do; three rows are eliminated as fast */
      int p = k;
      for (int i = k + 1; i < 3; i++)
        if (fabsl(a[i][k]) > fabsl(a[p][k])) p = i;
      for (int j = 0; j < 4; j++) {
        const long double swap = a[k][j];
        a[k][j] = a[p][j];
        a[p][j] = swap;
      }
      for (int i = 0; i < 3; i++) {
        const long double factor = a[i][k] / a[k][k];
        for (int j = k; i != k && j < 4; j++) a[i][j] -= factor * a[k][j];
      }
    }
    for (int k = 0; k < 3; k++) x[k] += a[k][3] / a[k][k];
  }
}

TEST(the_cranks_of_a_robot_stay_and_its_platform_is_found) {
  static const double crank[] = {-0.1259, 1.3727, 3.2675};
  static const char *const starts[] = {"{'keep': ['crank1.angle', 'crank2.angle', 'crank3.angle']}",
                                       "{'crank1.angle': -0.1259, 'crank2.angle': 1.3727, 'crank3.angle': 3.2675}"};
  long double x[3] = {0.59363L, 0.60145L, 0.020707L};
  robot_platform(crank, x);
  CHECK_NEAR((double)x[0], 0.59362715, 5e-9);
  CHECK_NEAR((double)x[1], 0.60145079, 5e-9);
  CHECK_NEAR((double)x[2], 0.02070710, 5e-9);
  for (int i = 0; i < 2; i++) {
    build b;
    simulated(&b, ROBOT, starts[i]);
    for (int k = 0; k < 3 && !b.failed; k++) CHECK(build_channel(&b, "crank%d.angle", k + 1) == crank[k]);
    if (!b.failed) {
      CHECK_NEAR(build_channel(&b, "platform.x"), (double)x[0], 1e-14);
      CHECK_NEAR(build_channel(&b, "platform.y"), (double)x[1], 1e-14);
      CHECK_NEAR(build_channel(&b, "platform.angle"), (double)x[2], 1e-13);
    }
    build_free(&b);
  }
  /* other cranks, further away */
  static const double turned[] = {0.2, 1.7, 3.4};
  build b;
  simulated(&b, ROBOT, "{'crank1.angle': 0.2, 'crank2.angle': 1.7, 'crank3.angle': 3.4}");
  if (!b.failed) {
    for (int k = 0; k < 3; k++) CHECK(build_channel(&b, "crank%d.angle", k + 1) == turned[k]);
    x[0] = build_channel(&b, "platform.x");
    x[1] = build_channel(&b, "platform.y");
    x[2] = build_channel(&b, "platform.angle");
    const double found = (double)x[0];
    robot_platform(turned, x);
    CHECK_NEAR(found, (double)x[0], 1e-12);
    CHECK_NEAR(build_channel(&b, "platform.angle"), (double)x[2], 1e-12);
  }
  build_free(&b);
}

/* numbers that are channels of q or u themselves, with digits that arithmetic on them would change */
TEST(numbers_that_are_given_stay_to_the_last_bit) {
  static const struct {
    const char *model, *channel;
  } cases[] = {{FOUR_BAR, "crank.angle"},
               {FOUR_BAR, "crank.rate"},
               {FOUR_BAR, "rocker.rate"},
               {FOUR_BAR, "coupler.vx"},
               {OPEN_FOUR_BAR, "crank.angle"},
               {OPEN_FOUR_BAR, "rocker.rate"},
               {FOUR_BAR ", 'coordinates': 'relative'", "A.angle"},
               {FOUR_BAR ", 'coordinates': 'relative'", "A.rate"},
               {FOUR_BAR ", 'coordinates': 'relative'", "B.rate"},
               {HEAD "'bodies': {'p': {'mass': 1, 'position': [3, 4], 'coordinates': 'point'}},"
                     "'joints': {'rod': {'type': 'distance', 'between': ['ground', 'p'], 'at': [[0, 0], 'p']}}",
                "p.x"},
               {"{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, 0], 'outputs': {},"
                "'bodies': {'a': {'mass': 1, 'inertia': [1, 2, 3], 'position': [2, 1, 1]}},"
                "'joints': {'rod': {'type': 'distance', 'between': ['ground', 'a'], 'at': [[0, 0, 0], [2, 1, 1]]}}",
                "a.y"},
               {"{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, 0], 'outputs': {},"
                "'bodies': {'a': {'mass': 1, 'inertia': [1, 2, 3], 'position': [2, 1, 1]}},"
                "'joints': {'rod': {'type': 'distance', 'between': ['ground', 'a'], 'at': [[0, 0, 0], [2, 1, 1]]}}",
                "a.vz"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < 8; k++) {
      build a, b;
      char start[120];
      simulated(&a, cases[i].model, "{}");
      const double value =
          (a.failed ? 0 : build_channel(&a, "%s", cases[i].channel)) + 0.1 * sin(1 + k + 10 * (double)i);
      build_free(&a);
      snprintf(start, sizeof start, "{'%s': %.17g}", cases[i].channel, value);
      simulated(&b, cases[i].model, start);
      if (!b.failed) {
        const double found = build_channel(&b, "%s", cases[i].channel);
        if (found != value) printf("%s: %.17g became %.17g\n", cases[i].channel, value, found);
        CHECK(found == value);
        CHECK(tn_sim_summary(b.sim)->max_position_violation <= 2e-15);
      }
      build_free(&b);
    }
}

/* the same angle twice, as the joint measures it and as a coordinate: they agree but for roundoff, and the coordinate stays */
TEST(of_values_that_agree_but_for_roundoff_the_coordinate_stays) {
  for (int k = 0; k < 40; k++) {
    build b;
    char start[200];
    const double turn = 0.3 * sin(1.0 + k), angle = PI / 2 + turn, rate = 3 * cos(1.0 + k);
    snprintf(start, sizeof start, "{'A.angle': %.17g, 'crank.angle': %.17g, 'A.rate': %.17g, 'crank.rate': %.17g}",
             turn + 8e-16, angle, rate + 1e-15, rate);
    simulated(&b, FOUR_BAR, start);
    if (!b.failed) {
      CHECK(build_channel(&b, "crank.angle") == angle);
      CHECK(build_channel(&b, "crank.rate") == rate);
      CHECK(tn_sim_summary(b.sim)->max_position_violation <= 2e-15);
    }
    build_free(&b);
  }
}

/* two four-bars that have nothing to do with each other, and a body in between */
#define TWO_FOUR_BARS                                                                                                  \
  HEAD                                                                                                                 \
      "'bodies': {'c{i}': {'repeat': 'i=1..2', 'rod': [['10*i', 0], ['10*i', 1]], 'mass': 1},"                         \
      "'k{i}': {'repeat': 'i=1..2', 'rod': [['10*i', 1], ['10*i + 3', 2]], 'mass': 3},"                                \
      "'r{i}': {'repeat': 'i=1..2', 'rod': [['10*i + 4', 0], ['10*i + 3', 2]], 'mass': 2},"                            \
      "'free': {'mass': 1, 'inertia': 1}},"                                                                            \
      "'joints': {'A{i}': {'repeat': 'i=1..2', 'type': 'revolute', 'between': ['ground', 'c{i}'], 'at': ['10*i', 0]}," \
      "'B{i}': {'repeat': 'i=1..2', 'type': 'revolute', 'between': ['c{i}', 'k{i}'], 'at': ['10*i', 1]},"              \
      "'C{i}': {'repeat': 'i=1..2', 'type': 'revolute', 'between': ['k{i}', 'r{i}'], 'at': ['10*i + 3', 2]},"          \
      "'D{i}': {'repeat': 'i=1..2', 'type': 'revolute', 'between': ['ground', 'r{i}'], 'at': ['10*i + 4', 0]}}"

/* values that contradict each other a little: the joints win, and who has no part in it stays to the last bit */
TEST(of_values_that_disagree_a_little_the_others_stay) {
  build b;
  simulated(&b, TWO_FOUR_BARS,
            "{'A1.angle': 0.25, 'c1.angle': 'pi/2 + 0.25 + 1e-11', 'c2.angle': 1.3000000000000003, 'c1.rate': 2,"
            " 'A1.rate': '2 + 1e-11', 'r2.rate': 0.7000000000000001}");
  if (!b.failed) {
    CHECK_NEAR(build_channel(&b, "c1.angle"), PI / 2 + 0.25, 2e-11);
    CHECK(tn_sim_summary(b.sim)->max_position_violation <= 2e-15 &&
          tn_sim_summary(b.sim)->max_velocity_violation <= 2e-15);
    CHECK(build_channel(&b, "c2.angle") == 1.3000000000000003);
    CHECK(build_channel(&b, "r2.rate") == 0.7000000000000001);
  }
  build_free(&b);
}

/* the change is the smallest in the norm of the kinetic energy: against a solution in four times the digits */
TEST(the_smallest_change_in_the_metric_of_the_masses) {
  static const char *const open[] = {
      OPEN_FOUR_BAR,
      "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, 0], 'outputs': {},"
      "'bodies': {'a': {'mass': 1, 'inertia': [1, 2, 3], 'position': [2, 1, 1]},"
      "           'b': {'mass': 2, 'inertia': [3, 2, 2], 'position': [3, 1, 1]}},"
      "'joints': {'pin': {'type': 'spherical', 'between': ['a', 'b'], 'at': [2.5, 1, 1]},"
      "           'rod': {'type': 'distance', 'between': ['ground', 'a'], 'at': [[0, 0, 0], [2, 1, 1]]}}"};
  static const char *const rates[] = {"{'guess': {'rocker.rate': 1, 'crank.vx': 0.3, 'coupler.vy': -2}}",
                                      "{'guess': {'a.wx': 1, 'b.vx': 0.3, 'a.vy': -2}}"};
  for (int i = 0; i < 2; i++) {
    build b;
    double q[20], x[20], u0[20] = {0}, g[20], lambda[20], f[20] = {0};
    simulated(&b, open[i], rates[i]);
    if (b.failed) continue;
    const tn_model *m = b.model;
    const size_t nq = (size_t)m->nq, nu = (size_t)m->nu;
    quad_system system = {.n = m->nu, .rows = m->rows, .rank = m->rows, .f = f, .g = g};
    quad_answer answer = {.x = x, .lambda = lambda};
    /* a little off the constraints, and put back: the end is what the linear problem says, but for the square of the change */
    memcpy(q, tn_sim_q(b.sim), nq * sizeof *q);
    for (size_t k = 0; k < nu; k++) x[k] = 1e-6 * sin(1.0 + 3 * (double)k);
    tn_model_add(m, q, x);
    tn_assemble(&b.sys, 0, q, u0);
    system.M = b.sys.M;
    system.A = b.sys.A;
    for (int k = 0; k < m->rows; k++) g[k] = -b.sys.rows.C[k];
    CHECK(quad_solve(&system, &answer));
    CHECK(tn_sim_set(b.sim, 0, q, u0, true, NULL) == TN_OK);
    double dq[20], s[20], size = 0, error = 0;
    for (size_t k = 0; k < nq; k++) dq[k] = tn_sim_q(b.sim)[k] - q[k];
    tn_model_tangent(m, q, dq, s);
    for (size_t k = 0; k < nu; k++) size = fmax(size, fabs(x[k])), error = fmax(error, fabs(s[k] - x[k]));
    CHECK(size > 1e-8 && error <= 1e-5 * size);
    /* rates: linear, to roundoff */
    for (size_t k = 0; k < nu; k++) u0[k] = cos(2.0 + 5 * (double)k);
    CHECK(tn_sim_set(b.sim, 0, NULL, u0, true, NULL) == TN_OK);
    tn_assemble(&b.sys, 0, tn_sim_q(b.sim), u0);
    for (int k = 0; k < m->rows; k++) g[k] = -b.sys.rows.Cdot[k];
    CHECK(quad_solve(&system, &answer));
    for (size_t k = 0; k < nu; k++) CHECK_NEAR(tn_sim_u(b.sim)[k], u0[k] + x[k], 4e-15);
    build_free(&b);
  }
}

/* ---- without matrices ------------------------------------------------------------------------------------------------- */

/* a long chain: what is asked for is met, and the change is the smallest one. it is held against the same model with matrices,
 * which it has where the same value is asked for more often than a model without them takes */
#define LONG_CHAIN                                                                                                     \
  HEAD "'bodies': {'link{i}': {'repeat': 'i=1..501', 'rod': [[0, '-0.1*(i - 1)'], [0, '-0.1*i']], 'mass': 0.2}},"      \
       "'joints': {'pin1': {'type': 'revolute', 'between': ['ground', 'link1'], 'at': [0, 0]},"                        \
       "'pin{i}': {'repeat': 'i=2..501', 'type': 'revolute', 'between': ['link{i-1}', 'link{i}'],"                     \
       "           'at': [0, '-0.1*(i - 1)']}}"

TEST_FULL(start_values_of_a_large_model) {
  static const char values[] = "'link1.angle': -1.5, 'pin20.angle': 0.1, 'link501.vx': 0.3, 'pin7.rate': 1, "
                               "'link8.rate': 0.4, 'link9.rate': -0.3, 'guess': "
                               "{'link3.rate': 2, 'pin4.rate': 0.5}";
  static char text[2][4000];
  tn_desc *d[2] = {NULL, NULL};
  tn_model *m[2] = {NULL, NULL};
  tn_sim *s[2] = {NULL, NULL};
  tn_error e;
  for (int k = 0; k < 2; k++) {
    int used = snprintf(text[k], sizeof text[k], "%s, 'start': {%s, 'keep': ['link1.x'", LONG_CHAIN, values);
    for (int i = 0; k == 1 && i < 64; i++)
      used += snprintf(text[k] + used, sizeof text[k] - (size_t)used, ", 'link1.x'");
    snprintf(text[k] + used, sizeof text[k] - (size_t)used, "]}}");
    for (char *c = text[k]; *c; c++)
      if (*c == '\'') *c = '"';
    tn_status status = tn_desc_new(NULL, &d[k], &e);
    if (status == TN_OK) status = tn_desc_parse(d[k], "test", text[k], strlen(text[k]), &e);
    if (status == TN_OK) status = tn_compile(d[k], &m[k], &e);
    if (status == TN_OK) status = tn_sim_new(m[k], &s[k], &e);
    if (status == TN_OK) status = tn_sim_start(s[k], &e);
    if (status != TN_OK) printf("%s\n", e.message);
    CHECK(status == TN_OK);
    if (status != TN_OK) return;
    CHECK(m[k]->large == (k == 0));
  }
  double value, worst[2] = {0, 0};
  CHECK(tn_sim_channel(s[0], "link1.angle", &value, &e) == TN_OK && value == -1.5);
  CHECK(tn_sim_channel(s[0], "link501.vx", &value, &e) == TN_OK && value == 0.3);
  CHECK(tn_sim_channel(s[0], "pin20.angle", &value, &e) == TN_OK && fabs(value - 0.1) < 1e-14);
  CHECK(tn_sim_channel(s[0], "pin7.rate", &value, &e) == TN_OK && fabs(value - 1) < 1e-13);
  CHECK(tn_sim_summary(s[0])->max_position_violation < 1e-13);
  for (int i = 0; i < m[0]->nq; i++) {
    worst[0] = fmax(worst[0], fabs(tn_sim_q(s[0])[i] - tn_sim_q(s[1])[i]));
    worst[1] = fmax(worst[1], fabs(tn_sim_u(s[0])[i] - tn_sim_u(s[1])[i]));
  }
  printf("with and without matrices: positions within %.2g, speeds %.2g\n", worst[0], worst[1]);
  CHECK(worst[0] < 1e-10 && worst[1] < 1e-10);
  for (int k = 0; k < 2; k++) {
    tn_sim_free(s[k]);
    tn_model_free(m[k]);
    tn_desc_free(d[k]);
  }
}

TEST_FULL(start_values_of_a_large_model_that_contradict) {
  static char text[4000];
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  tn_error e;
  snprintf(text, sizeof text, "%s, 'start': {'link7.rate': 1, 'link6.rate': 3, 'pin7.rate': 1, 'keep': ['link1.x']}}",
           LONG_CHAIN);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  CHECK(tn_desc_new(NULL, &d, &e) == TN_OK && tn_desc_parse(d, "test", text, strlen(text), &e) == TN_OK);
  CHECK(tn_compile(d, &m, &e) == TN_OK && tn_sim_new(m, &s, &e) == TN_OK && m->large);
  CHECK(s && tn_sim_start(s, &e) == TN_E_MODEL && strstr(e.message, "start value '") && strstr(e.message, "/s"));
  tn_sim_free(s);
  tn_model_free(m);
  tn_desc_free(d);
}

/* ---- conflicts -------------------------------------------------------------------------------------------------------- */

static void refused(const char *model, const char *start, const char *message) {
  build b;
  char text[8000];
  snprintf(text, sizeof text, "%s, 'start': %s}", model, start);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(&b, 1);
  build_parse(&b, text);
  build_simulate(&b);
  char *quote = b.message;
  const bool found = b.failed && strstr(quote, message);
  if (!found) printf("%s\n  got    %s\n  wanted %s\n", start, b.message, message);
  CHECK(found);
  build_free(&b);
}

TEST(a_conflict_is_told_by_those_who_make_it) {
  static const struct {
    const char *model, *start, *message;
  } cases[] = {
      /* a loop has one freedom */
      {FOUR_BAR, "{'A.angle': 0.2, 'D.angle': -0.1}",
       "start value 'D.angle' contradicts start value 'A.angle' (joints 'A', 'B', 'C', 'D'), off by"},
      /* what is consistent, and what belongs to another mechanism, is left out; the order of the file does not matter */
      {TWO_FOUR_BARS, "{'A1.angle': 0.1, 'D2.angle': -0.1, 'free.x': 3, 'A2.angle': 0.2, 'keep': ['free.angle']}",
       "start value 'A2.angle' contradicts start value 'D2.angle' (joints 'A2', 'B2', 'C2', 'D2'), off by"},
      /* a value that no pose of the mechanism has: the links are too short */
      {FOUR_BAR, "{'coupler.x': 1.5}", "start value 'coupler.x' contradicts joints 'A', 'B', off by"},
      /* the same number twice, and a value that is kept */
      {FOUR_BAR, "{'crank.x': 0.5}", "start value 'crank.x' contradicts joint 'A', off by 0.25 m "},
      {HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}}", "{'k.x': 0.5, 'keep': ['k.x', 'k.y']}",
       "start value 'k.x' contradicts start value 'k.x', off by"},
      /* three together, any two of which agree */
      {HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}, 'l': {'mass': 1, 'inertia': 1, 'position': [1, 0]},"
            "'z': {'mass': 1, 'inertia': 1}},"
            "'joints': {'h': {'type': 'revolute', 'between': ['k', 'l'], 'at': [0.5, 0]},"
            "'g': {'type': 'weld', 'between': ['ground', 'z'], 'at': [0, 0]}}",
       "{'k.angle': 0.5, 'z.x': 0, 'l.angle': 0.25, 'h.angle': 0.1}",
       "start value 'h.angle' contradicts start values 'k.angle', 'l.angle', off by"},
      /* rates */
      {FOUR_BAR, "{'A.rate': 1, 'D.rate': 1}",
       "start value 'D.rate' contradicts start value 'A.rate' (joints 'A', 'B', 'C', 'D'), off by"},
      {TWO_FOUR_BARS, "{'A1.rate': 1, 'free.vx': 2, 'A2.rate': 3, 'k2.vy': 1}",
       "start value 'k2.vy' contradicts joints 'A2', 'B2', off by"},
      /* coordinates that joints give: these have no rows */
      {FOUR_BAR ", 'coordinates': 'relative'", "{'crank.x': 0.5}",
       "start value 'crank.x' cannot be reached, it stays off by"},
      {FOUR_BAR ", 'coordinates': 'relative', 'cut': ['C']", "{'A.angle': 0.2, 'D.angle': -0.1}",
       "start value 'D.angle' contradicts start value 'A.angle' (joint 'C'), off by"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refused(cases[i].model, cases[i].start, cases[i].message);
}

TEST(a_conflict_of_a_driver_with_a_value) {
  refused(HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}, 'l': {'mass': 1, 'inertia': 1}},"
               "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'k'], 'at': [0, 0]},"
               "'motor': {'type': 'driver', 'on': 'pin.angle', 'value': '0.3 + 2*t'}}",
          "{'l.x': 1, 'k.angle': 0.4}", "start value 'k.angle' contradicts joint 'motor', off by 0.05 rad ");
  refused(HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}, 'l': {'mass': 1, 'inertia': 1}},"
               "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'k'], 'at': [0, 0]},"
               "'motor': {'type': 'driver', 'on': 'pin.angle', 'value': '0.3 + 2*t'}}",
          "{'l.vx': 1, 'k.rate': 1}", "start value 'k.rate' contradicts joint 'motor', off by 0.5 rad/s ");
}

/* joints that cannot be met by themselves are to blame, not the values beside them */
TEST(a_conflict_of_joints_alone_with_values_beside_it) {
  refused(HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}},"
               "'joints': {'a': {'type': 'driver', 'on': 'k.x', 'value': 0.1},"
               "'b': {'type': 'driver', 'on': 'k.x', 'value': 0.2}}",
          "{'k.angle': 0.5}",
          "drivers 'a', 'b' are over-determined: they prescribe the same freedom and disagree by 0.1 m ");
}

/* ---- what moved ------------------------------------------------------------------------------------------------------- */

TEST(what_moved_is_listed) {
  build b;
  simulated(&b,
            HEAD "'bodies': {'p{i}': {'repeat': 'i=1..10', 'mass': 1, 'position': ['i', '0.01*i'], 'coordinates': "
                 "'point'}, 'far': {'mass': 1, 'position': [20, 0.001], 'coordinates': 'point'}},"
                 "'joints': {'y{i}': {'repeat': 'i=1..10', 'type': 'driver', 'on': 'p{i}.y', 'value': 0},"
                 "           'up': {'type': 'driver', 'on': 'far.y', 'value': 0.5}}",
            "{}");
  if (!b.failed) {
    const tn_summary *s = tn_sim_summary(b.sim);
    CHECK(s->start_moves == 11);
    CHECK_TEXT(s->start_move[0].name, "far.y");
    CHECK_NEAR(s->start_move[0].by, 0.499, 1e-15);
    for (int i = 1; i < TN_MOST_MOVES; i++) {
      char name[64];
      snprintf(name, sizeof name, "p%d.y", 11 - i);
      CHECK_TEXT(s->start_move[i].name, name);
      CHECK_NEAR(s->start_move[i].by, -0.01 * (11 - i), 1e-15);
    }
    CHECK_TEXT(tn_sim_event(b.sim, 0)->text,
               "the start moved far.y by 0.499 m, p10.y by -0.1 m, p9.y by -0.09 m, p8.y by -0.08 m, "
               "p7.y by -0.07 m, p6.y by -0.06 m, p5.y by -0.05 m, p4.y by -0.04 m and 3 more");
    /* the next start counts anew */
    CHECK(tn_sim_set(b.sim, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), true, NULL) == TN_OK && s->start_moves == 0);
  }
  build_free(&b);
}

/* ---- freedom ------------------------------------------------------------------------------------------------------ */

static void check_freedom(build *b, int freedom, int redundant) {
  if (b->failed) return;
  const tn_summary *s = tn_sim_summary(b->sim);
  CHECK(s->degrees_of_freedom == freedom && s->redundant_rows == redundant);
  if (s->degrees_of_freedom != freedom || s->redundant_rows != redundant)
    printf("%d degrees of freedom, %d redundant rows; wanted %d, %d\n", s->degrees_of_freedom, s->redundant_rows,
           freedom, redundant);
}

TEST(freedom_of_the_models) {
  static const struct {
    const char *name;
    int freedom;
  } models[] = {{"pendulum", 1},           {"triple_pendulum", 3}, {"wu_crank_slider", 1},
                {"braun_slider_crank", 1}, {"braun_four_bars", 1}, {"n_four_bar", 1},
                {"four_bar", 1},           {"driven_pivot", 1},    {"iftomm_a01", 1}};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, models[i].name);
    CHECK(build_simulate(&b));
    check_freedom(&b, models[i].freedom, 0);
    build_free(&b);
  }
}

TEST(freedom_without_rows_and_without_freedom) {
  build b;
  simulated(&b, HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}, 'p': {'mass': 1, 'coordinates': 'point'}}}", NULL);
  check_freedom(&b, 5, 0);
  build_free(&b);
  simulated(&b,
            HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}},"
                 "'joints': {'w': {'type': 'weld', 'between': ['ground', 'k']}}}",
            NULL);
  check_freedom(&b, 0, 0);
  build_free(&b);
  simulated(&b,
            HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}},"
                 "'joints': {'w': {'type': 'weld', 'between': ['ground', 'k']},"
                 "'v': {'type': 'weld', 'between': ['k', 'ground']},"
                 "'d': {'type': 'distance', 'between': ['ground', 'k'], 'at': [[1, 1], 'k']}}}",
            NULL);
  check_freedom(&b, 0, 4);
  build_free(&b);
}

/* crank and rocker of 1 m, all in line: two motions are possible at once, one in general */
TEST(freedom_of_a_four_bar_that_lies_flat) {
  static const char *const coordinates[] = {"absolute", "relative"};
  for (int i = 0; i < 2; i++) {
    build b;
    char model[2000];
    snprintf(model, sizeof model,
             HEAD "'coordinates': '%s', 'points': {'A': [0, 0], 'B': [1, 0], 'C': [3, 0], 'D': [2, 0]},"
                  "'bodies': {'crank': {'rod': ['A', 'B'], 'mass': 1}, 'coupler': {'rod': ['B', 'C'], 'mass': 1},"
                  "           'rocker': {'rod': ['D', 'C'], 'mass': 1}},"
                  "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'crank'], 'at': 'A'},"
                  "'B': {'type': 'revolute', 'between': ['crank', 'coupler'], 'at': 'B'},"
                  "'C': {'type': 'revolute', 'between': ['coupler', 'rocker'], 'at': 'C'},"
                  "'D': {'type': 'revolute', 'between': ['ground', 'rocker'], 'at': 'D'}}}",
             coordinates[i]);
    simulated(&b, model, NULL);
    check_freedom(&b, 1, 0);
    if (!b.failed) CHECK_NEAR(build_channel(&b, "crank.angle"), 0, 0); /* counting leaves the start where it is */
    build_free(&b);
  }
}

/* three parallel cranks on one coupler: the third holds nothing that the two do not */
TEST(redundant_rows_of_a_third_parallel_bar) {
  static const double height[] = {1, 0.6, 0};
  for (int i = 0; i < 3; i++) {
    build b;
    char model[2000];
    snprintf(model, sizeof model,
             HEAD
             "'constants': {'h': %g, 'w': 'sqrt(1 - h^2)'},"
             "'points': {'A{i}': {'repeat': 'i=0..2', 'at': ['i', 0]},"
             "           'B{i}': {'repeat': 'i=0..2', 'at': ['i + w', 'h']}},"
             "'bodies': {'bar{i}': {'repeat': 'i=0..2', 'rod': ['A{i}', 'B{i}'], 'mass': 1},"
             "           'coupler': {'rod': ['B0', 'B2'], 'mass': 1}},"
             "'joints': {'low{i}': {'repeat': 'i=0..2', 'type': 'revolute', 'between': ['ground', 'bar{i}'],"
             "                      'at': 'A{i}'},"
             "'high{i}': {'repeat': 'i=0..2', 'type': 'revolute', 'between': ['coupler', 'bar{i}'], 'at': 'B{i}'}}}",
             height[i]);
    simulated(&b, model, NULL);
    check_freedom(&b, 1, 1);
    build_free(&b);
  }
}

/* CPU time of a start, s; it may be refused */
static double time_of_start(build *b, const char *model, const char *start) {
  char text[8000];
  snprintf(text, sizeof text, "%s, 'start': %s}", model, start);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  const clock_t begin = clock();
  build_new(b, 1);
  build_parse(b, text);
  build_simulate(b);
  return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* the crank turns all round: where the rocker is follows from the angle within a turn */
TEST(many_turns_are_as_one) {
  static const double value[] = {100, -1000, 1e6, -1e6, 2147483648.0, 1e9};
  for (int i = 0; i < 6; i++) {
    build b;
    char start[80];
    snprintf(start, sizeof start, "{'A.angle': %.17g}", value[i]);
    const double seconds = time_of_start(&b, FOUR_BAR, start);
    printf("%s: %.3g s %s\n", start, seconds, b.failed ? b.message : "");
    CHECK(seconds < 1 && !b.failed);
    check_four_bar(&b, value[i] + PI / 2, 1, 1e-13 + 2e-15 * fabs(value[i]));
    if (!b.failed) CHECK(fabs(build_channel(&b, "rocker.angle")) < PI && build_channel(&b, "A.angle") == value[i]);
    build_free(&b);
  }
}

/* turns that add up: two cranks that a belt couples, one of them half as fast */
TEST(turns_that_do_not_repeat_are_followed_where_that_is_possible) {
  build b;
  simulated(&b,
            HEAD "'bodies': {'a': {'mass': 1, 'inertia': 1}, 'b': {'mass': 1, 'inertia': 1, 'position': [1, 0]}},"
                 "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'a'], 'at': 'a'},"
                 "'B': {'type': 'revolute', 'between': ['ground', 'b'], 'at': 'b'},"
                 "'belt': {'type': 'coordinate', 'terms': {'a.angle': 1, 'b.angle': -2.5}, 'value': 0}}",
            "{'a.angle': 1e6}");
  if (!b.failed) CHECK_NEAR(build_channel(&b, "b.angle"), 4e5, 1e-9);
  if (!b.failed) CHECK_NEAR(build_channel(&b, "a.angle"), 1e6, 0);
  build_free(&b);
}

TEST(a_start_far_away_costs_no_more_than_a_second) {
  static const char *const start[] = {"{'rocker.angle': 1e6}", "{'rocker.angle': 2147483648}",
                                      "{'A.angle': 1e6, 'B.angle': 5}", "{'coupler.x': 1e12}",
                                      "{'A.angle': 1e6, 'D.angle': -1e7, 'coupler.y': 1e9}"};
  for (int i = 0; i < 5; i++) {
    build b;
    const double seconds = time_of_start(&b, FOUR_BAR, start[i]);
    printf("%s: %.3g s %s\n", start[i], seconds, b.failed ? b.message : "");
    CHECK(seconds < 1);
    CHECK(!b.failed || strstr(b.message, "start value"));
    build_free(&b);
  }
}

/* a slider is set at once; a nut that would have to turn ten million times on the way is refused by name */
TEST(what_is_not_walked_to_is_reported) {
  build b;
  simulated(&b,
            HEAD "'bodies': {'sled': {'mass': 1, 'inertia': 1}}, 'joints': {'rail': {'type': 'prismatic', 'between': "
                 "['ground', 'sled'], 'at': 'sled', 'axis': 'x'}}",
            "{'sled.x': 1e9}");
  if (!b.failed) {
    CHECK_NEAR(build_channel(&b, "sled.x"), 1e9, 0);
    CHECK(tn_sim_events(b.sim) > 0 && strstr(tn_sim_event(b.sim, 0)->text, "start value 'sled.x' is too far"));
  }
  build_free(&b);
  const char *nut = "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, 0], 'outputs': {}, 'bodies': {'nut': {'mass': 1, "
                    "'inertia': [1, 1, 1]}}, 'joints': {'thread': {'type': 'screw', 'between': ['ground', 'nut'], "
                    "'at': 'nut', 'axis': 'z', 'pitch': 0.5}}";
  CHECK(time_of_start(&b, nut, "{'nut.z': 1e7}") < 1);
  CHECK(b.failed && strstr(b.message, "start value 'nut.z' is too far"));
  build_free(&b);
  CHECK(time_of_start(&b, nut, "{'nut.z': 300}") < 1); /* 3,000 steps */
  CHECK(!b.failed);
  if (!b.failed) CHECK_NEAR(build_channel(&b, "thread.angle"), 1200 * PI, 1e-9);
  build_free(&b);
}
