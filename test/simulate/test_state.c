/* a simulation as a thing with a state: stopping, setting, going on, rows that are not numbers, steps cut at a singular
 * position. */
#include "test.h"

#include "support/build.h"

#include <time.h>

static void parse(build *b, const char *text) {
  build_new(b, 1);
  build_parse(b, text);
}

static const char parallelogram[] =
    "{\"tenon\": 1, \"dimension\": 2,"
    " \"points\": {\"A\": [0, 0], \"B\": [\"cos(0.5)\", \"sin(0.5)\"], \"C\": [\"2 + cos(0.5)\", \"sin(0.5)\"], \"D\": "
    "[2, 0]},"
    " \"bodies\": {\"a\": {\"rod\": [\"A\", \"B\"], \"mass\": 1}, \"b\": {\"rod\": [\"B\", \"C\"], \"mass\": 1},"
    "              \"c\": {\"rod\": [\"D\", \"C\"], \"mass\": 1}},"
    " \"joints\": {\"A\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": \"A\"},"
    "              \"B\": {\"type\": \"revolute\", \"between\": [\"a\", \"b\"], \"at\": \"B\"},"
    "              \"C\": {\"type\": \"revolute\", \"between\": [\"b\", \"c\"], \"at\": \"C\"},"
    "              \"D\": {\"type\": \"revolute\", \"between\": [\"ground\", \"c\"], \"at\": \"D\"}},"
    " \"start\": {\"a.rate\": -1},"
    " \"outputs\": {\"angle\": \"a.angle\", \"balance\": \"energy.balance\", \"off\": \"c.angle - a.angle\"},"
    " \"run\": {\"until\": 1, \"every\": 0.05, \"integrator\": {\"type\": \"rk4\", \"step\": 0.1}}}";

/* no forces: the cranks turn at a constant rate and lie flat exactly at t = 0.5, at the end of the fifth step */
TEST(fixed_step_that_would_land_flat) {
  build b;
  build_table t = {0};
  parse(&b, parallelogram);
  CHECK(build_simulate(&b) && build_run(&b, &t));
  CHECK(t.rows == 21);
  for (int i = 0; i < t.rows; i++) {
    CHECK_NEAR(build_at(&t, i, 0), 0.5 - build_at(&t, i, -1), 2e-6);
    CHECK_NEAR(build_at(&t, i, 1), 0, 1e-5);
    CHECK_NEAR(build_at(&t, i, 2), 0, 1e-7);
  }
  bool cut = false;
  for (int i = 0; i < tn_sim_events(b.sim); i++) cut = cut || strcmp(tn_sim_event(b.sim, i)->kind, "singular") == 0;
  CHECK(cut);
  build_table_free(&t);
  build_free(&b);
}

static const char free_body[] = "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": 1}},"
                                " \"start\": {\"a.vx\": 2}, \"run\": {\"until\": 0.9, \"every\": 0.3}}";

static int rows_seen;
static tn_status count(void *user, double t, int n, const double *values) {
  (void)user, (void)t, (void)n, (void)values;
  rows_seen++;
  return TN_OK;
}

TEST(rows_after_an_advance) {
  build b;
  tn_error e;
  parse(&b, free_body);
  CHECK(build_simulate(&b));
  CHECK(tn_sim_advance(b.sim, 0.6, &e) == TN_OK);
  rows_seen = 0;
  CHECK(tn_sim_run(b.sim, count, NULL, &e) == TN_OK);
  CHECK(rows_seen == 2); /* 0.6 and 0.9 */
  CHECK_NEAR(tn_sim_q(b.sim)[0], 1.8, 1e-12);
  build_free(&b);
}

TEST(times_that_make_no_sense) {
  build b;
  tn_error e;
  parse(&b, free_body);
  CHECK(build_simulate(&b));
  CHECK(tn_sim_advance(b.sim, INFINITY, &e) == TN_E_USAGE);
  CHECK(tn_sim_advance(b.sim, NAN, &e) == TN_E_USAGE);
  CHECK(tn_sim_advance(b.sim, 0.5, &e) == TN_OK);
  CHECK(tn_sim_advance(b.sim, 0.4, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "cannot go back");
  CHECK(tn_sim_set(b.sim, INFINITY, NULL, NULL, false, &e) == TN_E_USAGE);
  build_free(&b);
}

static tn_status refuse_row(void *user, double t, int n, const double *values) {
  (void)user, (void)n, (void)values;
  return t > 0 ? TN_E_IO : TN_OK;
}

TEST(receiver_that_gives_up) {
  build b;
  tn_error e;
  parse(&b, free_body);
  CHECK(build_simulate(&b));
  CHECK(tn_sim_run(b.sim, refuse_row, NULL, &e) == TN_E_IO);
  CHECK_HAS(e.message, "receiver");
  build_free(&b);
}

/* a breach stops, and stays stopped until another state is set; then everything begins anew */
TEST(stopped_stays_stopped) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "wu_crank_slider");
  build_set(&b, "/run/method", "\"fci\"");
  build_set(&b, "/run/integrator", "{\"rtol\": 1e-5}");
  CHECK(build_simulate(&b));
  CHECK(tn_sim_advance(b.sim, 5, &e) == TN_E_RUN);
  CHECK_HAS(e.message, "contract broken");
  CHECK(!tn_sim_summary(b.sim)->contract_kept);
  CHECK(tn_sim_advance(b.sim, 5, &e) == TN_E_RUN);
  CHECK_HAS(e.message, "has stopped before");
  CHECK(tn_sim_set(b.sim, 0, NULL, NULL, true, &e) == TN_OK);
  CHECK(tn_sim_summary(b.sim)->contract_kept && tn_sim_summary(b.sim)->max_position_violation < 1e-12);
  CHECK(tn_sim_advance(b.sim, 1e-3, &e) == TN_OK);
  build_free(&b);
}

/* C is not a number while gamma is: never "kept" */
TEST(rows_that_are_not_numbers) {
  build b;
  tn_error e;
  parse(&b, "{\"tenon\": 1, \"dimension\": 2,"
            " \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": 1}, \"b\": {\"mass\": 1, \"inertia\": 1}},"
            " \"joints\": {\"bad\": {\"type\": \"driver\", \"on\": \"a.x\", \"value\": \"log(t - 1)\"},"
            "              \"good\": {\"type\": \"driver\", \"on\": \"b.x\", \"value\": \"t\"}}}");
  CHECK(build_compile(&b));
  CHECK(tn_sim_new(b.model, &b.sim, &e) == TN_OK);
  CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_E_RUN);
  CHECK_HAS(e.message, "joint 'bad'");
  build_free(&b);
}

/* a guess moves what it names and nothing else; a body whose inertia lies in its lever only is fine */
TEST(guesses_move_only_what_they_name) {
  build b;
  parse(&b, "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"b\": {\"mass\": 1, \"inertia\": 0.1, \"center\": [1, 0]}},"
            " \"start\": {\"b.angle\": 0.5, \"mode\": \"as-given\"}}");
  CHECK(build_simulate(&b));
  CHECK_NEAR(tn_sim_q(b.sim)[0], 0, 0);
  CHECK_NEAR(tn_sim_q(b.sim)[1], 0, 0);
  CHECK_NEAR(tn_sim_q(b.sim)[2], 0.5, 1e-15);
  build_free(&b);
  parse(&b, "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
            " \"bodies\": {\"b\": {\"mass\": 1, \"inertia\": 0, \"center\": [1, 0]}},"
            " \"joints\": {\"p\": {\"type\": \"revolute\", \"between\": [\"ground\", \"b\"], \"at\": [0, 0]}},"
            " \"start\": {\"guess\": {\"b.angle\": -1.0}}}");
  CHECK(build_simulate(&b));
  CHECK_NEAR(tn_sim_q(b.sim)[2], -1, 1e-12);
  CHECK_NEAR(build_channel(&b, "b.accel"), -9.81 * cos(-1.0), 1e-10);
  build_free(&b);
}

TEST(unknown_channel) {
  build b;
  tn_error e;
  double value;
  parse(&b, free_body);
  CHECK(build_simulate(&b));
  CHECK(tn_sim_channel(b.sim, "a.angel", &value, &e) == TN_E_USAGE && e.status == TN_E_USAGE);
  CHECK_HAS(e.hint, "a.angle");
  build_free(&b);
}

/* the assembly of a start is most of what a short run costs */
TEST(the_start_is_part_of_the_cost) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "stewart_platform");
  if (!build_compile(&b) || tn_sim_new(b.model, &b.sim, &e)) abort();
  CHECK(tn_sim_summary(b.sim)->cpu_seconds == 0);
  CHECK(tn_sim_start(b.sim, &e) == TN_OK);
  const double start = tn_sim_summary(b.sim)->cpu_seconds;
  CHECK(start > 0 && tn_sim_summary(b.sim)->cpu_assemble > 0 && tn_sim_summary(b.sim)->cpu_assemble < start);
  CHECK(tn_sim_advance(b.sim, 1e-3, &e) == TN_OK);
  const double run = tn_sim_summary(b.sim)->cpu_seconds;
  CHECK(run > start);
  CHECK(tn_sim_set(b.sim, 0, tn_sim_q(b.sim), NULL, true, &e) == TN_OK && tn_sim_summary(b.sim)->cpu_seconds > run);
  double x; /* questions cost the run nothing */
  const double before = tn_sim_summary(b.sim)->cpu_assemble;
  CHECK(tn_sim_channel(b.sim, "energy.total", &x, &e) == TN_OK);
  CHECK(tn_sim_summary(b.sim)->cpu_assemble == before);
  build_free(&b);
}

/* what a run says it cost is no more than the whole process has used */
TEST(times_add_up) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  for (volatile double x = 1; x < 2e7; x += 1) {} /* so that there is something to be confused with */
  CHECK(build_simulate(&b));
  CHECK(tn_sim_advance(b.sim, 0.5, &e) == TN_OK);
  CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_OK);
  const tn_summary *r = tn_sim_summary(b.sim);
  const double used = (double)clock() / CLOCKS_PER_SEC;
  CHECK(r->cpu_seconds >= 0 && r->cpu_seconds <= used);
  CHECK(r->cpu_assemble > 0 && r->cpu_solve > 0 && r->cpu_project >= 0);
  CHECK(r->cpu_assemble + r->cpu_solve + r->cpu_project <= r->cpu_seconds);
  build_free(&b);
}

/* a state off the constraints, set as it is: noted, not judged, and repaired by the first step */
TEST(state_set_as_it_is) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "pendulum");
  CHECK(build_simulate(&b));
  CHECK(tn_sim_set(b.sim, 0, (double[]){1.01, 0}, NULL, false, &e) == TN_OK);
  CHECK_NEAR(tn_sim_q(b.sim)[0], 1.01, 0);
  CHECK(tn_sim_events(b.sim) == 1 && strcmp(tn_sim_event(b.sim, 0)->kind, "as-given") == 0);
  CHECK(tn_sim_advance(b.sim, 0.01, &e) == TN_OK);
  CHECK(tn_sim_summary(b.sim)->max_position_violation < 1e-12);
  CHECK(tn_sim_set(b.sim, 0, (double[]){1.01, 0}, NULL, true, &e) == TN_OK);
  CHECK_NEAR(tn_sim_q(b.sim)[0], 1, 1e-12);
  build_free(&b);
}
