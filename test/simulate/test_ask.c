/* questions from outside: many channels at once, outputs, poses, rates and equations at any state. */
#include "support/build.h"
#include "test.h"

static void in_motion(build *b, const char *model, double t) {
  tn_error e;
  build_new(b, 1);
  build_read(b, model);
  build_tight(b, 10, 0.01);
  CHECK(build_simulate(b));
  CHECK(tn_sim_advance(b->sim, t, &e) == TN_OK);
}

TEST(channels_at_once_are_those_asked_one_by_one) {
  static const char *const name[] = {"A.angle", "D.fx", "energy.total", "coupler.y"};
  build b;
  tn_error e;
  double all[4], one;
  in_motion(&b, "four_bar", 0.3);
  CHECK(tn_sim_channels(b.sim, 4, name, all, &e) == TN_OK);
  for (int i = 0; i < 4; i++) {
    CHECK(tn_sim_channel(b.sim, name[i], &one, &e) == TN_OK);
    CHECK(one == all[i]);
  }
  static const char *const wrong[] = {"A.angle", "A.angel"};
  CHECK(tn_sim_channels(b.sim, 2, wrong, all, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "angel");
  build_free(&b);
}

/* poses of the same bodies by their channels; a quaternion and its negative are the same rotation */
static void check_poses(const char *model, double t) {
  static const char *const plane[] = {"x", "y", "angle"};
  static const char *const space[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  build b;
  tn_error e;
  double value, pose[BUILD_MOST];
  char name[80];
  in_motion(&b, model, t);
  const int n = tn_sim_pose_size(b.sim);
  CHECK(tn_sim_poses(b.sim, pose, &e) == TN_OK);
  for (int i = 0; i < tn_sim_bodies(b.sim); i++) {
    double same = 0;
    for (int k = 0; k < n; k++) {
      snprintf(name, sizeof name, "%s.%s", tn_sim_body(b.sim, i), n == 3 ? plane[k] : space[k]);
      CHECK(tn_sim_channel(b.sim, name, &value, &e) == TN_OK);
      if (k < 3) CHECK_NEAR(value, pose[i * n + k], 1e-14);
      if (k >= 3) same += value * pose[i * n + k];
    }
    if (n == 7) CHECK_NEAR(fabs(same), 1, 1e-14);
  }
  CHECK(!tn_sim_body(b.sim, tn_sim_bodies(b.sim)));
  build_free(&b);
}

TEST(poses_are_those_of_the_channels) {
  check_poses("four_bar", 0.3);
  check_poses("heavy_top", 0.2);
}

TEST(outputs_are_the_row_of_a_run) {
  build b;
  build_table table = {0};
  tn_error e;
  double value[8];
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run/until", "0.5");
  CHECK(build_simulate(&b));
  CHECK(build_run(&b, &table));
  CHECK(tn_sim_outputs(b.sim, value, &e) == TN_OK);
  for (int i = 0; i < table.columns; i++) CHECK(value[i] == build_at(&table, table.rows - 1, i));
  build_table_free(&table);
  build_free(&b);
}

/* at a state from elsewhere the numbers are those of a simulation that was put there */
static void check_elsewhere(const char *model, double t) {
  build b, other;
  tn_error e;
  tn_eval here, there;
  double qdot[BUILD_MOST], udot[BUILD_MOST], lambda[BUILD_MOST], q[BUILD_MOST];
  in_motion(&b, model, t);
  in_motion(&other, model, 0);
  const size_t nq = (size_t)tn_sim_coordinates(b.sim);
  memcpy(q, tn_sim_q(other.sim), sizeof *q * nq);
  CHECK(tn_sim_eval(b.sim, &there, &e) == TN_OK);
  CHECK(tn_sim_eval_at(other.sim, t, tn_sim_q(b.sim), tn_sim_u(b.sim), tn_sim_state(b.sim), &here, &e) == TN_OK);
  CHECK(here.rank == there.rank && here.speeds == there.speeds && here.t == t);
  for (int i = 0; i < here.speeds; i++) CHECK_NEAR(here.udot[i], there.udot[i], 1e-10 * (1 + fabs(there.udot[i])));
  for (int i = 0; i < here.rows * here.speeds; i++) CHECK(here.A[i] == there.A[i]);
  for (int i = 0; i < here.rows; i++) CHECK(here.C[i] == there.C[i] && here.gamma[i] == there.gamma[i]);
  CHECK(tn_sim_rates(other.sim, t, tn_sim_q(b.sim), tn_sim_u(b.sim), tn_sim_state(b.sim), qdot, udot, NULL, lambda,
                     &e) == TN_OK);
  for (int i = 0; i < there.speeds; i++) CHECK_NEAR(udot[i], there.udot[i], 1e-9 * (1 + fabs(there.udot[i])));
  for (int i = 0; i < there.rows; i++) CHECK_NEAR(lambda[i], there.lambda[i], 1e-8 * (1 + fabs(there.lambda[i])));
  CHECK(tn_sim_time(other.sim) == 0 && memcmp(q, tn_sim_q(other.sim), sizeof *q * nq) == 0);
  build_free(&b);
  build_free(&other);
}

TEST(rates_and_equations_at_a_state_from_elsewhere) {
  check_elsewhere("four_bar", 0.3);
  check_elsewhere("hoang_pd", 0.2);
  check_elsewhere("spatial_four_bar", 0.3);
}

/* qdot is the rate of q: a difference along the motion */
TEST(qdot_is_the_rate_of_q) {
  build b;
  tn_error e;
  const double h = 1e-4;
  double before[BUILD_MOST], qdot[BUILD_MOST];
  in_motion(&b, "heavy_top", 0.2 - h);
  const int n = tn_sim_coordinates(b.sim);
  memcpy(before, tn_sim_q(b.sim), sizeof *before * (size_t)n);
  CHECK(tn_sim_advance(b.sim, 0.2, &e) == TN_OK);
  CHECK(tn_sim_rates(b.sim, 0.2, NULL, NULL, NULL, qdot, NULL, NULL, NULL, &e) == TN_OK);
  CHECK(tn_sim_advance(b.sim, 0.2 + h, &e) == TN_OK);
  for (int i = 0; i < n; i++) CHECK_NEAR((tn_sim_q(b.sim)[i] - before[i]) / (2 * h), qdot[i], 1e-2);
  build_free(&b);
}

static bool refused_inside(void *user, double t) {
  tn_error e;
  tn_eval eval;
  double x[BUILD_MOST];
  tn_sim *s = user;
  (void)t;
  CHECK(tn_sim_outputs(s, x, &e) == TN_E_USAGE);
  CHECK(tn_sim_eval_at(s, 0, NULL, NULL, NULL, &eval, &e) == TN_E_USAGE);
  CHECK(tn_sim_rates(s, 0, NULL, NULL, NULL, x, NULL, NULL, NULL, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "tn_sim_rates");
  CHECK(tn_sim_poses(s, x, &e) == TN_OK);
  return true;
}

/* what reads is allowed in a watch and changes no bit; what evaluates elsewhere is refused there */
TEST(a_watch_may_read_poses_and_nothing_elsewhere) {
  build a, b;
  tn_error e;
  in_motion(&a, "four_bar", 0);
  in_motion(&b, "four_bar", 0);
  tn_sim_watch(a.sim, refused_inside, a.sim);
  CHECK(tn_sim_advance(a.sim, 0.5, &e) == TN_OK && tn_sim_advance(b.sim, 0.5, &e) == TN_OK);
  CHECK(memcmp(tn_sim_q(a.sim), tn_sim_q(b.sim), sizeof(double) * (size_t)tn_sim_coordinates(a.sim)) == 0);
  build_free(&a);
  build_free(&b);
}
