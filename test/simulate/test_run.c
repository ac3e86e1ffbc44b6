/* runs: when rows come, how far steps go, what can be asked in between, and motions that are known. ' stands for " in the
 * models here. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

#define HEAD "{'tenon': 1, 'dimension': 2, "
#define BALL                                                                                                           \
  HEAD "'gravity': [0, -10], 'bodies': {'ball': {'mass': 2, 'position': [0, 5], 'coordinates': 'point'}},"             \
       "'start': {'ball.vx': 3, 'ball.vy': 4},"

static void simulated(build *b, const char *format, ...) {
  char text[8000];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n < 0 || (size_t)n >= sizeof text) abort();
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
  CHECK(build_simulate(b));
  if (b->failed) {
    printf("%s\n", b->message);
    exit(1);
  }
}

static void same_table(const build_table *a, const build_table *b) {
  CHECK(a->rows == b->rows && a->columns == b->columns && a->rows > 0);
  if (a->rows == b->rows && a->columns == b->columns)
    CHECK(memcmp(a->value, b->value, sizeof *a->value * (size_t)a->rows * (size_t)(a->columns + 1)) == 0);
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

TEST(rows_come_at_multiples_and_at_the_end) {
  static const struct {
    double until, every;
    int rows;
  } cases[] = {{1, 0.1, 11}, {1, 0.3, 5},   {0.7, 0.1, 8}, {1, 1, 2},     {1, 7, 2},
               {0, 1, 1},    {1e-30, 1, 2}, {3, 0.7, 6},   {2.1, 0.3, 8}, {10, 0.01, 1001}};
  static const char *const integrators[] = {"{'rtol': 1e-6}", "{'type': 'rk4', 'step': 0.137}",
                                            "{'type': 'euler', 'step': 5}"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < 3; k++) {
      build b;
      build_table t = {0};
      const double until = cases[i].until, every = cases[i].every;
      simulated(
          &b, BALL "'outputs': {'now': 't', 'x': 'ball.x'}, 'run': {'until': %.17g, 'every': %.17g, 'integrator': %s}}",
          until, every, integrators[k]);
      CHECK(build_run(&b, &t));
      CHECK(t.rows == cases[i].rows);
      for (int r = 0; r < t.rows; r++) {
        const double wanted = r == t.rows - 1 ? until : r * every; /* a product, not a sum; the end exactly */
        CHECK(build_at(&t, r, -1) == wanted && build_at(&t, r, 0) == wanted);
        CHECK_NEAR(build_at(&t, r, 1), 3 * wanted, 1e-12 * (1 + wanted));
      }
      CHECK(tn_sim_time(b.sim) == until && tn_sim_summary(b.sim)->t_end == until);
      build_table_free(&t);
      build_free(&b);
    }
}

TEST(fixed_steps_end_where_the_run_ends) {
  static const struct {
    double until, step;
    int64_t steps;
  } cases[] = {{1, 0.1, 10}, {1, 0.3, 4}, {1, 2, 1}, {0.3, 0.1, 3}, {2, 0.001, 2000}, {0, 0.1, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    build_table t = {0};
    simulated(&b, BALL "'run': {'until': %g, 'every': 10, 'integrator': {'type': 'rk4', 'step': %g}}}", cases[i].until,
              cases[i].step);
    CHECK(build_run(&b, &t));
    const tn_summary *s = tn_sim_summary(b.sim);
    CHECK(s->steps == cases[i].steps && s->rejected == 0 && s->t_end == cases[i].until);
    CHECK(s->rhs == 4 * s->steps);
    build_table_free(&t);
    build_free(&b);
  }
}

/* inside a step too, where they come from a polynomial */
TEST(quaternions_of_rows_have_length_one) {
  static const char *const integrators[] = {"{'type': 'ampc3', 'step': 0.01}", "{'type': 'rk4', 'step': 0.03}"};
  for (int k = 0; k < 2; k++) {
    build b;
    build_table t = {0};
    simulated(&b,
              "{'tenon': 1, 'dimension': 3, 'bodies': {'b': {'mass': 1, 'inertia': [1, 2, 2.5]}}, 'start': {'b.wx': 5, "
              "'b.wy': 3}, 'outputs': {'n': 'sqrt(b.e0^2 + b.e1^2 + b.e2^2 + b.e3^2)'}, 'run': {'until': 1, 'every': "
              "0.0137, 'integrator': %s}}",
              integrators[k]);
    CHECK(build_run(&b, &t) && t.rows > 70);
    for (int r = 0; r < t.rows; r++) CHECK_NEAR(build_at(&t, r, 0), 1, 2e-9);
    build_table_free(&t);
    build_free(&b);
  }
}

TEST(the_same_model_gives_the_same_bytes) {
  static const char *const models[] = {"four_bar", "n_four_bar", "driven_pivot"};
  for (int i = 0; i < 3; i++) {
    build a, b;
    build_table x = {0}, y = {0}, z = {0};
    build_new(&a, 1);
    build_read(&a, models[i]);
    build_set(&a, "/run/until", "1");
    CHECK(build_simulate(&a) && build_run(&a, &x));
    build_new(&b, 1);
    build_read(&b, models[i]);
    build_set(&b, "/run/until", "1");
    CHECK(build_simulate(&b));
    double q[BUILD_MOST], u[BUILD_MOST];
    memcpy(q, tn_sim_q(b.sim), sizeof *q * (size_t)b.model->nq);
    memcpy(u, tn_sim_u(b.sim), sizeof *u * (size_t)b.model->nu);
    CHECK(build_run(&b, &y));
    same_table(&x, &y);
    /* and the same simulation from the same state again */
    CHECK(tn_sim_set(b.sim, 0, q, u, false, NULL) == TN_OK && build_run(&b, &z));
    same_table(&x, &z);
    build_table_free(&x);
    build_table_free(&y);
    build_table_free(&z);
    build_free(&a);
    build_free(&b);
  }
}

static tn_status stop_at_third(void *user, double t, int n, const double *values) {
  (void)t, (void)n, (void)values;
  return ++*(int *)user == 3 ? TN_E_IO : TN_OK;
}

TEST(a_caller_that_takes_no_more_rows_stops_the_run) {
  build b;
  tn_error e;
  int rows = 0;
  simulated(&b, BALL "'run': {'until': 1, 'every': 0.1}}");
  CHECK(tn_sim_run(b.sim, stop_at_third, &rows, &e) == TN_E_IO);
  CHECK(rows == 3 && tn_sim_summary(b.sim)->status == TN_E_IO);
  CHECK(e.status == TN_E_IO && e.message[0]); /* every error has words */
  build_free(&b);
}

TEST(nobody_needs_to_take_rows) {
  build b;
  simulated(&b, BALL "'run': {'until': 1}}");
  CHECK(tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
  CHECK_NEAR(build_channel(&b, "ball.x"), 3, 1e-13);
  build_free(&b);
}

/* ---- in between --------------------------------------------------------------------------------------------------------- */

TEST(advance_goes_exactly_there) {
  build b;
  tn_error e;
  static const double times[] = {0, 0.25, 0.25, 0.9, 2};
  simulated(&b, BALL "'run': {'until': 1}}");
  for (int i = 0; i < 5; i++) {
    const double t = times[i];
    CHECK(tn_sim_advance(b.sim, t, &e) == TN_OK && tn_sim_time(b.sim) == t);
    CHECK_NEAR(tn_sim_q(b.sim)[1], 5 + 4 * t - 5 * t * t, 1e-12);
    CHECK_NEAR(tn_sim_u(b.sim)[1], 4 - 10 * t, 1e-12);
  }
  CHECK(tn_sim_advance(b.sim, 1, &e) == TN_E_USAGE && e.message[0] && tn_sim_time(b.sim) == 2);
  CHECK(tn_sim_advance(b.sim, NAN, &e) == TN_E_USAGE);
  CHECK(tn_sim_advance(b.sim, INFINITY, &e) == TN_E_USAGE); /* there is no end to that */
  CHECK_NEAR(tn_sim_q(b.sim)[1], 5 + 8 - 20, 1e-12);
  build_free(&b);
}

TEST(advance_in_pieces_is_the_run) {
  build a, b;
  simulated(&a, HEAD "'gravity': [0, -9.81], 'bodies': {'k': {'mass': 1, 'inertia': 0.1, 'center': [1, 0]}},"
                     "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'k'], 'at': [0, 0]}},"
                     "'run': {'until': 2, 'integrator': {'rtol': 1e-11}}}");
  simulated(&b, HEAD "'gravity': [0, -9.81], 'bodies': {'k': {'mass': 1, 'inertia': 0.1, 'center': [1, 0]}},"
                     "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'k'], 'at': [0, 0]}},"
                     "'run': {'until': 2, 'integrator': {'rtol': 1e-11}}}");
  CHECK(tn_sim_run(a.sim, NULL, NULL, NULL) == TN_OK);
  for (int i = 1; i <= 20; i++) CHECK(tn_sim_advance(b.sim, 0.1 * i, NULL) == TN_OK);
  CHECK_NEAR(build_channel(&a, "k.angle"), build_channel(&b, "k.angle"), 1e-9);
  CHECK_NEAR(build_channel(&a, "energy.balance"), 0, 1e-8);
  CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 1e-8);
  build_free(&a);
  build_free(&b);
}

TEST(a_run_after_an_advance_gives_the_rows_that_are_left) {
  build b;
  build_table t = {0};
  simulated(&b, BALL "'outputs': {'x': 'ball.x'}, 'run': {'until': 1, 'every': 0.25}}");
  CHECK(tn_sim_advance(b.sim, 0.5, NULL) == TN_OK);
  CHECK(build_run(&b, &t) && t.rows == 3);
  static const double times[] = {0.5, 0.75, 1};
  for (int i = 0; i < 3; i++) {
    CHECK(build_at(&t, i, -1) == times[i]);
    CHECK_NEAR(build_at(&t, i, 0), 3 * times[i], 1e-13);
  }
  build_table_free(&t);
  build_free(&b);
}

TEST(another_state_can_be_set) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "pendulum");
  CHECK(build_simulate(&b));
  CHECK(tn_sim_advance(b.sim, 0.3, &e) == TN_OK);
  /* made consistent: onto the circle, along it */
  CHECK(tn_sim_set(b.sim, 7, (double[]){0, -3}, (double[]){1, 1}, true, &e) == TN_OK);
  CHECK(tn_sim_time(b.sim) == 7);
  CHECK_NEAR(tn_sim_q(b.sim)[0], 0, 1e-15);
  CHECK_NEAR(tn_sim_q(b.sim)[1], -1, 1e-15);
  CHECK_NEAR(tn_sim_u(b.sim)[0], 1, 1e-15);
  CHECK_NEAR(tn_sim_u(b.sim)[1], 0, 1e-15);
  CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 0); /* ledgers begin here */
  CHECK(tn_sim_advance(b.sim, 7.5, &e) == TN_OK);
  CHECK_NEAR(build_channel(&b, "energy.total"), 0.5 - 9.81, 1e-7);
  CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 1e-7);
  /* one of the two kept */
  const double x = tn_sim_q(b.sim)[0];
  CHECK(tn_sim_set(b.sim, 7.5, NULL, (double[]){0, 0}, true, &e) == TN_OK);
  CHECK(tn_sim_q(b.sim)[0] == x && tn_sim_u(b.sim)[0] == 0 && tn_sim_u(b.sim)[1] == 0);
  /* not a state */
  CHECK(tn_sim_set(b.sim, NAN, NULL, NULL, false, &e) == TN_E_USAGE && e.message[0]);
  CHECK(tn_sim_set(b.sim, 0, (double[]){NAN, 0}, NULL, false, &e) == TN_E_RUN);
  CHECK_HAS(e.message, "bob.x");
  CHECK(tn_sim_set(b.sim, 0, (double[]){1, 0}, (double[]){0, NAN}, false, &e) == TN_E_RUN);
  CHECK_HAS(e.message, "bob.vy");
  build_free(&b);
}

TEST(channels_at_any_time) {
  build b;
  tn_error e;
  double value;
  build_new(&b, 1);
  build_read(&b, "pendulum");
  CHECK(build_compile(&b) && tn_sim_new(b.model, &b.sim, &e) == TN_OK);
  /* it starts by itself */
  CHECK(tn_sim_channel(b.sim, "bob.ay", &value, &e) == TN_OK);
  CHECK_NEAR(value, -9.81, 1e-13);
  CHECK(tn_sim_advance(b.sim, 0.4, &e) == TN_OK);
  const double y = build_channel(&b, "bob.y");
  CHECK_NEAR(hypot(build_channel(&b, "rod.fx"), build_channel(&b, "rod.fy")), -3 * 9.81 * y, 1e-6);
  CHECK_NEAR(build_channel(&b, "energy.kinetic"), -9.81 * y, 1e-6);
  /* asking changes nothing */
  const double q = tn_sim_q(b.sim)[0];
  const int64_t rhs = tn_sim_summary(b.sim)->rhs;
  for (int i = 0; i < 5; i++) build_channel(&b, "energy.balance");
  CHECK(tn_sim_q(b.sim)[0] == q && tn_sim_summary(b.sim)->rhs == rhs && tn_sim_time(b.sim) == 0.4);
  CHECK(tn_sim_channel(b.sim, "bob.z", &value, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "particle 'bob' has no channel 'z'");
  CHECK(tn_sim_channel(b.sim, "bob.z", &value, NULL) == TN_E_USAGE);
  build_free(&b);
}

TEST(the_log_says_when_it_is_full) {
  build b;
  simulated(&b, BALL "'run': {'until': 1}}");
  CHECK(tn_sim_events(b.sim) == 0 && !tn_sim_event(b.sim, 0));
  for (int i = 0; i < TN_MOST_EVENTS + 50; i++) tn_log(b.sim, i, "singular", "event %d", i);
  CHECK(tn_sim_events(b.sim) == TN_MOST_EVENTS);
  CHECK_TEXT(tn_sim_event(b.sim, 0)->text, "event 0");
  CHECK_TEXT(tn_sim_event(b.sim, TN_MOST_EVENTS - 2)->kind, "singular");
  CHECK_TEXT(tn_sim_event(b.sim, TN_MOST_EVENTS - 1)->kind, "dropped");
  CHECK(!tn_sim_event(b.sim, TN_MOST_EVENTS) && !tn_sim_event(b.sim, -1));
  build_free(&b);
}

/* ---- motions that are known ------------------------------------------------------------------------------------------------ */

TEST(free_fall_and_its_energies) {
  build b;
  build_table t = {0};
  simulated(
      &b, BALL
      "'outputs': {'p': 'position(ball)', 'v': 'velocity(ball)', 'T': 'energy.kinetic', 'V': 'energy.potential',"
      "'E': 'energy.total', 'B': 'energy.balance', 'a': 'acceleration(ball)'}, 'run': {'until': 2, 'every': 0.013}}");
  CHECK(build_run(&b, &t));
  for (int r = 0; r < t.rows; r++) {
    const double now = build_at(&t, r, -1), y = 5 + 4 * now - 5 * now * now, vy = 4 - 10 * now;
    const double wanted[] = {3 * now, y, 3, vy, 9 + vy * vy, 20 * y, 9 + 16 + 100, 0, 0, -10};
    for (int c = 0; c < 10; c++) CHECK_NEAR(build_at(&t, r, c), wanted[c], 1e-10);
  }
  CHECK(tn_sim_summary(b.sim)->energy_balance < 1e-12 && tn_sim_summary(b.sim)->degrees_of_freedom == 2);
  CHECK(tn_sim_summary(b.sim)->max_position_violation == 0 && tn_sim_summary(b.sim)->contract_kept);
  build_table_free(&t);
  build_free(&b);
}

/* without forces: the mass centre in a straight line, the angle at a constant rate */
TEST(a_free_body_without_gravity) {
  build b;
  simulated(&b,
            HEAD "'bodies': {'k': {'mass': 2, 'inertia': 3, 'center': [1, 0]}},"
                 "'start': {'k.vx': 1, 'k.vy': 2, 'k.rate': 3}, 'run': {'until': 2, 'integrator': {'rtol': 1e-11}}}");
  CHECK(tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
  /* centre from (1, 0), its velocity (1, 2 + 3) */
  CHECK_NEAR(build_channel(&b, "k.angle"), 6, 1e-12);
  CHECK_NEAR(build_channel(&b, "k.x") + cos(6), 1 + 1 * 2, 1e-9);
  CHECK_NEAR(build_channel(&b, "k.y") + sin(6), 5 * 2, 1e-9);
  CHECK_NEAR(build_channel(&b, "energy.kinetic"), 0.5 * 2 * 26 + 0.5 * 3 * 9, 1e-8);
  CHECK(build_channel(&b, "energy.potential") == 0);
  CHECK(tn_sim_summary(b.sim)->degrees_of_freedom == 3);
  build_free(&b);
}

TEST(work_and_heat_are_booked) {
  build b;
  /* m v' = 6 - 2 v, from rest: v = 3 (1 - exp(-t)), x = 3 (t - 1 + exp(-t)) */
  simulated(&b, HEAD "'bodies': {'p': {'mass': 2, 'coordinates': 'point'}},"
                     "'forces': {'pull': {'type': 'force', 'on': 'p', 'value': [6, 0]},"
                     "'oil': {'type': 'spring', 'on': 'p.x', 'stiffness': 0, 'damping': 2}},"
                     "'run': {'until': 1.5, 'integrator': {'rtol': 1e-11}}}");
  CHECK(tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
  const double x = 3 * (1.5 - 1 + exp(-1.5)), v = 3 * (1 - exp(-1.5)), heat = 6 * x - v * v;
  CHECK_NEAR(build_channel(&b, "p.x"), x, 1e-9);
  CHECK_NEAR(build_channel(&b, "p.vx"), v, 1e-9);
  CHECK_NEAR(build_channel(&b, "energy.dissipated"), heat, 1e-8);
  CHECK_NEAR(build_channel(&b, "energy.force"), 6 * x - heat, 1e-8);
  CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 1e-8);
  CHECK_NEAR(build_channel(&b, "pull.power"), 6 * v, 1e-9);
  CHECK_NEAR(build_channel(&b, "oil.power"), -2 * v * v, 1e-8);
  build_free(&b);
}

TEST(nothing_that_moves_is_done_at_once) {
  build b;
  build_table t = {0};
  simulated(&b, HEAD
            "'bodies': {'k': {'mass': 1, 'inertia': 1}}, 'joints': {'w': {'type': 'weld', 'between': ['ground', 'k']}},"
            "'gravity': [0, -10], 'outputs': {'fy': 'w.fy', 'x': 'k.x'}, 'run': {'until': 100, 'every': 10}}");
  CHECK(build_run(&b, &t) && t.rows == 11);
  for (int r = 0; r < t.rows; r++) {
    CHECK_NEAR(build_at(&t, r, 0), 10, 1e-12);
    CHECK_NEAR(build_at(&t, r, 1), 0, 1e-12);
  }
  CHECK(tn_sim_summary(b.sim)->degrees_of_freedom == 0 && tn_sim_summary(b.sim)->steps < 50);
  build_table_free(&t);
  build_free(&b);
}

/* ---- ends before the end ------------------------------------------------------------------------------------------------------ */

TEST(a_force_that_stops_being_a_number_stops_the_run_where_it_does) {
  static const char *const integrators[] = {"{'rtol': 1e-8}", "{'type': 'rk4', 'step': 0.01}"};
  for (int i = 0; i < 2; i++) {
    build b;
    tn_error e;
    simulated(&b,
              BALL "'forces': {'f': {'type': 'force', 'on': 'ball', 'value': ['sqrt(0.5 - t)', 0]}},"
                   "'run': {'until': 1, 'integrator': %s}}",
              integrators[i]);
    CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_E_RUN);
    CHECK_HAS(e.message, "force 'f' is not a finite number");
    CHECK_NEAR(tn_sim_time(b.sim), 0.5, 0.011);
    CHECK_NEAR(e.time, 0.5, 0.011);
    CHECK(tn_sim_summary(b.sim)->status == TN_E_RUN && strstr(tn_sim_summary(b.sim)->message, "force 'f'"));
    build_free(&b);
  }
}

TEST(a_motion_that_cannot_be_followed_says_which_coordinate) {
  build b;
  tn_error e;
  /* x'' = x^3 from x = 1 and speed: infinite in finite time */
  simulated(&b, HEAD "'bodies': {'p': {'mass': 1, 'position': [1, 0], 'coordinates': 'point'}},"
                     "'forces': {'f': {'type': 'force', 'on': 'p', 'value': ['100*p.x^3', 0]}}, 'run': {'until': 10}}");
  CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_E_RUN);
  CHECK(strstr(e.message, "p.x") || strstr(e.message, "p.vx") || strstr(e.message, "force 'f'"));
  CHECK(e.time > 0 && e.time < 1 && tn_sim_time(b.sim) < 1);
  build_free(&b);
}

/* a driver that jumps is mended by the projection, and every trace of it is there: event, work, words */
TEST(a_driver_that_jumps_is_told) {
  static const struct {
    const char *value;
    bool jumps;
  } drivers[] = {{"if(t < 0.3, 0, 1)", true},
                 {"max(0, t - 0.3)*10", true},
                 {"sin(3*t)", false},
                 {"10*t^2*step(0.3 - t) + step(t - 0.3)*(0.9 + 6*(t - 0.3))", false}};
  for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_set(&b, "/bodies/arm", "{\"rod\": [[0, 0], [1, 0]], \"mass\": 1}");
    build_set(&b, "/joints/pin", "{\"type\": \"revolute\", \"between\": [\"ground\", \"arm\"], \"at\": [0, 0]}");
    build_set(&b, "/joints/motor", "{\"type\": \"driver\", \"on\": \"pin.angle\", \"value\": \"%s\"}",
              drivers[i].value);
    build_set(&b, "/run", "{\"until\": 1, \"every\": 0.01}");
    CHECK(build_simulate(&b) && tn_sim_run(b.sim, NULL, NULL, &e) == TN_OK);
    int jumps = 0;
    for (int k = 0; k < tn_sim_events(b.sim); k++)
      if (strcmp(tn_sim_event(b.sim, k)->kind, "jump") == 0) {
        jumps++;
        CHECK_HAS(tn_sim_event(b.sim, k)->text, "joint 'motor'");
        CHECK_NEAR(tn_sim_event(b.sim, k)->t, 0.3, 0.011);
      }
    const tn_summary *s = tn_sim_summary(b.sim);
    if ((jumps > 0) != drivers[i].jumps) FAIL("%s: %d jumps", drivers[i].value, jumps);
    if (i > 0) CHECK(s->stabilizer_work < 1e-6 * s->max_kinetic); /* an impulse is the driver's work too */
    build_free(&b);
  }
}
