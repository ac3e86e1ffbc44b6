/* stabilizers one by one: projection in both metrics, feedback held and staged, stacks. ' stands for " in what is given
 * as JSON here. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

enum { MOST = 32 };

/* a model of models/ started, with stabilizers, then moved off the constraints by about `off` in every coordinate and
 * rate */
typedef struct moved {
  build b;
  tn_solver *solver;
  const tn_model *m;
  double q[MOST], u[MOST];
} moved;

static void set_stabilizers(build *b, const char *json) {
  char text[400];
  if (strlen(json) >= sizeof text) abort();
  for (char *c = strcpy(text, json); *c; c++)
    if (*c == '\'') *c = '"';
  build_set(b, "/run/stabilize", "%s", text);
}

static void moved_new(moved *s, const char *model, const char *stabilize, double off) {
  build_new(&s->b, 7);
  build_read(&s->b, model);
  build_set(&s->b, "/run/integrator", "{\"step\": 0.01}");
  set_stabilizers(&s->b, stabilize);
  CHECK(build_simulate(&s->b));
  if (s->b.failed) {
    printf("%s\n", s->b.message);
    exit(1);
  }
  s->m = s->b.model;
  s->solver = &s->b.sim->solver;
  if (s->m->nq > MOST) abort();
  for (int i = 0; i < s->m->nq; i++) {
    s->q[i] = tn_sim_q(s->b.sim)[i] + off * build_uniform(&s->b, -1, 1);
    s->u[i] = tn_sim_u(s->b.sim)[i] + off * build_uniform(&s->b, -1, 1);
  }
}

static void moved_free(moved *s) { build_free(&s->b); }

static const tn_stabilizer_type *type_of(const moved *s, int i) { return s->m->run.stabilizer[i].type; }
static const void *self_of(const moved *s, int i) { return s->m->run.stabilizer[i].self; }

static bool accept(moved *s, double *q, double *u) {
  bool changed = false;
  tn_error e;
  s->solver->e = &e;
  CHECK(tn_solver_at(s->solver, 0, q, u, s->solver->e) == TN_OK);
  CHECK(type_of(s, 0)->accept(self_of(s, 0), &(tn_stage){0}, s->solver, 0, q, u, &changed) == TN_OK);
  return changed;
}

static void at(moved *s, const double *q, const double *u) {
  tn_error e;
  CHECK(tn_solver_at(s->solver, 0, q, u, &e) == TN_OK);
  tn_need(&s->solver->sys, TN_LEVEL_MATRICES);
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double row_times(tn_system *sys, int row, const double *x) {
  tn_need(sys, TN_LEVEL_MATRICES);
  return dot(sys->m->nu, sys->A + (size_t)row * (size_t)sys->m->nu, x);
}

/* directions the rows allow, orthonormal: Gram-Schmidt on the rows of A, then on the axes; returns their number */
static int allowed(int nu, int rows, const double *A, double (*direction)[MOST]) {
  double basis[2 * MOST][MOST];
  int n = 0, found = 0;
  for (int i = 0; i < rows + nu; i++) {
    double x[MOST] = {0};
    if (i < rows)
      memcpy(x, A + (size_t)i * (size_t)nu, sizeof *x * (size_t)nu);
    else
      x[i - rows] = 1;
    const double size = sqrt(dot(nu, x, x));
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < n; k++) {
        const double c = dot(nu, x, basis[k]);
        for (int j = 0; j < nu; j++) x[j] -= c * basis[k][j];
      }
    const double left = sqrt(dot(nu, x, x));
    if (left < 1e-9 * size) continue;
    for (int j = 0; j < MOST; j++) basis[n][j] = j < nu ? x[j] / left : 0;
    if (i >= rows) memcpy(direction[found++], basis[n], sizeof basis[n]);
    n++;
  }
  return found;
}

/* M x, or x */
static void weigh(const moved *s, bool identity, const double *x, double *y) {
  const int nu = s->m->nu;
  for (int i = 0; i < nu; i++) y[i] = identity ? x[i] : dot(nu, s->solver->sys.M + (size_t)i * (size_t)nu, x);
}

static double position_off(moved *s, const double *q, const double *u) {
  at(s, q, u);
  return tn_violation(&s->solver->sys, s->solver->sys.rows.C, s->m->holonomic, NULL);
}

static double velocity_off(moved *s, const double *q, const double *u) {
  at(s, q, u);
  return tn_violation(&s->solver->sys, s->solver->sys.rows.Cdot, s->m->rows, NULL);
}

/* ---- projection ------------------------------------------------------------------------------------------------------ */

static const char *const projections[] = {"'project'", "{'type': 'project', 'metric': 'identity'}",
                                          "{'type': 'project', 'passes': 'one'}",
                                          "{'type': 'project', 'metric': 'identity', 'passes': 'one'}"};
static const char *const models[] = {"four_bar", "triple_pendulum", "wu_crank_slider", "braun_four_bars", "pendulum"};
enum { MODELS = sizeof models / sizeof *models };

TEST(iterated_projection_ends_at_roundoff) {
  for (int p = 0; p < 2; p++)
    for (int k = 0; k < MODELS; k++) {
      moved s;
      moved_new(&s, models[k], projections[p], 0.02);
      double q[MOST], u[MOST];
      memcpy(q, s.q, sizeof q);
      memcpy(u, s.u, sizeof u);
      CHECK(position_off(&s, q, u) > 1e-4 && velocity_off(&s, q, u) > 1e-4);
      CHECK(accept(&s, q, u));
      CHECK_NEAR(position_off(&s, q, u), 0, 4e-15);
      CHECK_NEAR(velocity_off(&s, q, u), 0, 4e-15);
      moved_free(&s);
    }
}

/* one pass is one Newton step: what is left falls with the square of what was there */
TEST(one_pass_leaves_the_square) {
  for (int p = 2; p < 4; p++)
    for (int k = 0; k < MODELS; k++) {
      double left[2];
      for (int e = 0; e < 2; e++) {
        moved s;
        moved_new(&s, models[k], projections[p], e ? 1e-4 : 1e-3);
        CHECK(accept(&s, s.q, s.u));
        left[e] = position_off(&s, s.q, s.u);
        CHECK(velocity_off(&s, s.q, s.u) <= 1e-14); /* linear, at the corrected position */
        moved_free(&s);
      }
      CHECK(left[0] > 1e-10 && left[0] < 1e-5);
      CHECK_NEAR(left[0] / left[1], 100, 15);
    }
}

/* the change is orthogonal, in its metric, to everything the rows allow; and it is what the rows ask for */
TEST(the_change_is_the_smallest_in_its_metric) {
  for (int p = 2; p < 4; p++)
    for (int k = 0; k < MODELS; k++) {
      moved s;
      const bool identity = p == 3;
      moved_new(&s, models[k], projections[p], 0.01);
      const int nu = s.m->nu, rows = s.m->rows;
      tn_system *sys = &s.solver->sys;
      double q[MOST], u[MOST], change[MOST], weighed[MOST], along[MOST][MOST];
      memcpy(q, s.q, sizeof q);
      memcpy(u, s.u, sizeof u);
      accept(&s, q, u);
      at(&s, s.q, s.u); /* position: with the rows of the state it came from */
      for (int i = 0; i < nu; i++) change[i] = q[i] - s.q[i];
      for (int i = 0; i < rows; i++) CHECK_NEAR(row_times(sys, i, change), -sys->rows.C[i], 1e-14);
      weigh(&s, identity, change, weighed);
      int n = allowed(nu, rows, sys->A, along);
      CHECK(n == nu - rows);
      for (int i = 0; i < n; i++) CHECK_NEAR(dot(nu, weighed, along[i]), 0, 1e-15);
      at(&s, q, s.u); /* velocity: with those of the corrected position */
      for (int i = 0; i < nu; i++) change[i] = u[i] - s.u[i];
      for (int i = 0; i < rows; i++) CHECK_NEAR(row_times(sys, i, change), -sys->rows.Cdot[i], 1e-13);
      CHECK(dot(nu, change, change) > 1e-6);
      weigh(&s, identity, change, weighed);
      n = allowed(nu, rows, sys->A, along);
      for (int i = 0; i < n; i++) CHECK_NEAR(dot(nu, weighed, along[i]), 0, 1e-14);
      moved_free(&s);
    }
}

TEST(the_metric_says_who_gives_way) {
  for (int identity = 0; identity < 2; identity++) {
    moved s;
    build_new(&s.b, 1);
    build_set(&s.b, "/bodies",
              "{\"p\": {\"mass\": 1, \"position\": [0, 0], \"coordinates\": \"point\"},"
              " \"q\": {\"mass\": 3, \"position\": [3, 4], \"coordinates\": \"point\"}}");
    build_set(&s.b, "/joints/rod", "{\"type\": \"distance\", \"between\": [\"p\", \"q\"]}");
    set_stabilizers(&s.b, projections[identity]);
    CHECK(build_simulate(&s.b));
    if (!s.b.failed) {
      s.m = s.b.model;
      s.solver = &s.b.sim->solver;
      double q[] = {0, 0, 6, 8}, u[] = {0, 0, 0.6, 0.8}; /* 5 m too far, 1 m/s too fast */
      accept(&s, q, u);
      const double share = identity ? 0.5 : 0.75; /* of p */
      CHECK_NEAR(q[0], share * 5 * 0.6, 1e-14);
      CHECK_NEAR(q[1], share * 5 * 0.8, 1e-14);
      CHECK_NEAR(q[2], 6 - (1 - share) * 5 * 0.6, 1e-14);
      CHECK_NEAR(u[0], share * 0.6, 1e-15);
      CHECK_NEAR(u[3], 0.8 - (1 - share) * 0.8, 1e-15);
    }
    moved_free(&s);
  }
}

TEST(what_is_on_the_constraints_is_left_alone) {
  moved s;
  moved_new(&s, "pendulum", "'project'", 0);
  CHECK(!accept(&s, s.q, s.u));
  CHECK(s.q[0] == 1 && s.q[1] == 0 && s.u[0] == 0 && s.u[1] == 0);
  moved_free(&s);
  moved_new(&s, "iftomm_a01", "'project'", 0.1); /* no rows at all */
  const double q = s.q[0];
  CHECK(!accept(&s, s.q, s.u) && s.q[0] == q);
  moved_free(&s);
}

/* ---- feedback -------------------------------------------------------------------------------------------------------- */

static void check_feedback(const char *stabilize, double h, double kd, double kp, bool held, bool tied) {
  moved s;
  moved_new(&s, "four_bar", stabilize, 0.01);
  const tn_stabilizer_type *type = type_of(&s, 0);
  tn_system *sys = &s.solver->sys;
  double U[MOST], largest = 0;
  at(&s, s.q, s.u);
  for (int i = 0; i < s.m->rows; i++) U[i] = 100 + i;
  type->feedback(self_of(&s, 0), sys, &(tn_stage){.h = h}, U);
  for (int i = 0; i < s.m->rows; i++) {
    const double wanted = kd * sys->rows.Cdot[i] + kp * sys->rows.C[i];
    CHECK_NEAR(U[i] - 100 - i, wanted, 1e-13 * fabs(wanted) + 1e-12); /* added to what others ask for */
    largest = fmax(largest, fabs(wanted));
  }
  CHECK(largest > 1e-3);
  CHECK(type->held(self_of(&s, 0)) == held && type->tied_to_step(self_of(&s, 0)) == tied);
  CHECK(!type->accept);
  moved_free(&s);
}

TEST(feedback_is_gains_times_violation) {
  check_feedback("{'type': 'baumgarte', 'alpha': 3, 'beta': 7}", 0.1, 6, 49, false, false);
  check_feedback("{'type': 'baumgarte', 'alpha': 3}", 0.1, 6, 9, false, false);
  check_feedback("{'type': 'baumgarte', 'beta': 7}", 0.1, 14, 49, false, false);
  check_feedback("{'type': 'baumgarte', 'alpha': 3, 'beta': 7, 'feedback': 'held'}", 0.1, 6, 49, true, false);
  check_feedback("{'type': 'baumgarte', 'a': 1, 'b': 0.5}", 0.1, 10, 50, true, true);
  check_feedback("{'type': 'baumgarte', 'a': 2, 'b': 2, 'feedback': 'staged'}", 0.01, 200, 20000, false, true);
  check_feedback("{'type': 'baumgarte', 'alpha': '100*sqrt(2)', 'beta': '1/3'}", 1, 200 * sqrt(2), 1.0 / 9, false,
                 false);
}

/* rates inside a step: A udot = gamma - U, with U of the start of the step (held) or of the stage itself (staged) */
TEST(feedback_is_held_over_the_step_or_follows_its_stages) {
  static const char *const feedback[] = {"{'type': 'baumgarte', 'alpha': 3, 'beta': 7, 'feedback': 'held'}",
                                         "{'type': 'baumgarte', 'alpha': 3, 'beta': 7, 'feedback': 'staged'}"};
  for (int staged = 0; staged < 2; staged++) {
    moved s;
    moved_new(&s, "four_bar", feedback[staged], 0.01);
    const int nu = s.m->nu, rows = s.m->rows;
    double y[2][2 * MOST + TN_LEDGERS] = {{0}}, ydot[2 * MOST + TN_LEDGERS], U[2][MOST];
    CHECK(s.b.sim->n == 2 * nu + TN_LEDGERS);
    tn_system *sys = &s.solver->sys;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < nu; i++) {
        y[k][i] = s.q[i] + k * 0.01 * build_uniform(&s.b, -1, 1);
        y[k][nu + i] = s.u[i] + k * 0.01 * build_uniform(&s.b, -1, 1);
      }
      at(&s, y[k], y[k] + nu);
      for (int i = 0; i < rows; i++) U[k][i] = 6 * sys->rows.Cdot[i] + 49 * sys->rows.C[i];
    }
    CHECK(s.b.sim->stepper.ode.begin(s.b.sim, 0, y[0], 0.1) == TN_OK);
    CHECK(s.b.sim->stepper.ode.rates(s.b.sim, 0.05, y[1], ydot) == TN_OK);
    for (int i = 0; i < nu; i++) CHECK(ydot[i] == y[1][nu + i]);
    for (int i = 0; i < rows; i++) CHECK_NEAR(row_times(sys, i, ydot + nu) - sys->rows.gamma[i], -U[staged][i], 1e-11);
    moved_free(&s);
  }
}

/* off the constraints the reaction is that of the motion alone; what the stabilizer adds has channels of its own */
TEST(the_share_of_the_stabilizer_is_kept_apart) {
  moved with, without;
  double f[2], share[2];
  tn_error e;
  moved_new(&without, "four_bar", "'none'", 1e-4);
  moved_new(&with, "four_bar", "{'type': 'baumgarte', 'alpha': 20, 'beta': 20}", 1e-4); /* same seed: same state */
  moved *both[] = {&without, &with};
  for (int i = 0; i < 2; i++) {
    tn_sim_set(both[i]->b.sim, 0, both[i]->q, both[i]->u, false, NULL); /* a breach, which is not the matter here */
    CHECK(tn_sim_channel(both[i]->b.sim, "C.fx", &f[i], &e) == TN_OK);
    CHECK(tn_sim_channel(both[i]->b.sim, "C.sfx", &share[i], &e) == TN_OK);
  }
  CHECK_NEAR(f[0], f[1], 1e-9 * fabs(f[0]));
  CHECK(share[0] == 0 && fabs(share[1]) > 1e-3);
  /* A udot_s = -U, M udot_s + A' lambda_s = 0 */
  const int nu = with.m->nu, rows = with.m->rows;
  tn_system *sys = &with.solver->sys;
  for (int i = 0; i < rows; i++)
    CHECK_NEAR(row_times(sys, i, sys->solved.udot_s), -(40 * sys->rows.Cdot[i] + 400 * sys->rows.C[i]), 1e-11);
  for (int i = 0; i < nu; i++) {
    double sum = dot(nu, sys->M + (size_t)i * (size_t)nu, sys->solved.udot_s);
    for (int k = 0; k < rows; k++) sum += sys->A[(size_t)k * (size_t)nu + (size_t)i] * sys->solved.lambda_s[k];
    CHECK_NEAR(sum, 0, 1e-10);
  }
  moved_free(&with);
  moved_free(&without);
}

/* ---- runs -------------------------------------------------------------------------------------------------------------- */

static tn_summary run(const char *stabilize, double until) {
  build b;
  build_table t = {0};
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(
      &b, "/run",
      "{\"until\": %g, \"integrator\": {\"type\": \"rk4\", \"step\": 0.005}, \"contract\": {\"breach\": \"record\"}}",
      until);
  set_stabilizers(&b, stabilize);
  CHECK(build_simulate(&b) && build_run(&b, &t));
  if (b.failed) printf("%s: %s\n", stabilize, b.message);
  const tn_summary s = b.sim ? *tn_sim_summary(b.sim) : (tn_summary){.status = TN_E_INTERNAL};
  build_table_free(&t);
  build_free(&b);
  return s;
}

TEST(feedback_keeps_down_what_drifts_without_it) {
  const tn_summary none = run("'none'", 4), held = run("{'type': 'baumgarte', 'a': 1, 'b': 0.5}", 4),
                   staged = run("{'type': 'baumgarte', 'alpha': 40, 'beta': 40}", 4);
  CHECK(none.max_position_violation > 1e-6);
  CHECK(held.max_position_violation < 0.05 * none.max_position_violation);
  CHECK(staged.max_position_violation < 0.2 * none.max_position_violation);
}

TEST(stabilizers_stack_in_the_order_named) {
  static const char *const stacks[] = {"[{'type': 'baumgarte', 'alpha': 40, 'beta': 40}, 'project']",
                                       "['project', {'type': 'baumgarte', 'alpha': 40, 'beta': 40}]",
                                       "[{'type': 'project', 'passes': 'one'}, 'project', 'none']"};
  for (int i = 0; i < 3; i++) CHECK(run(stacks[i], 1).max_position_violation < 1e-14);
  /* gains add up: the feedback of two is the sum of theirs */
  moved s;
  double U[MOST] = {0}, value;
  tn_error e;
  moved_new(&s, "four_bar", "[{'type': 'baumgarte', 'alpha': 3}, {'type': 'baumgarte', 'alpha': 5}, 'none', 'project']",
            0.01);
  CHECK(s.m->run.stabilizers == 4);
  at(&s, s.q, s.u);
  for (int i = 0; i < 2; i++) type_of(&s, i)->feedback(self_of(&s, i), &s.solver->sys, &(tn_stage){.h = 0.1}, U);
  tn_sim_set(s.b.sim, 0, s.q, s.u, false, &e);
  CHECK(tn_sim_channel(s.b.sim, "C.sfx", &value, &e) == TN_OK);
  for (int i = 0; i < s.m->rows; i++) {
    CHECK_NEAR(U[i], 16 * s.solver->sys.rows.Cdot[i] + 34 * s.solver->sys.rows.C[i], 1e-12);
    CHECK_NEAR(row_times(&s.solver->sys, i, s.solver->sys.solved.udot_s), -U[i], 1e-11);
  }
  moved_free(&s);
}

TEST(every_method_runs_with_fixed_and_adaptive_steps) {
  for (int i = 0; tn_list_name("method", i); i++)
    for (int fixed = 0; fixed < 2; fixed++) {
      build b;
      build_table t = {0};
      /* published gains at every stage: of 700 to 1000 1/s, hardly damped, and of 141 1/s */
      const bool stiff =
          strncmp(tn_list_name("method", i), "fuzzy-", 6) == 0 || strcmp(tn_list_name("method", i), "nullspace") == 0;
      build_new(&b, 1);
      build_read(&b, "pendulum");
      build_set(&b, "/run",
                "{\"until\": 0.5, \"every\": 0.013, \"method\": \"%s\", \"integrator\": {\"type\": \"dopri5\", %s},"
                " \"contract\": {\"breach\": \"record\"}}",
                tn_list_name("method", i),
                !fixed  ? "\"rtol\": 1e-9"
                : stiff ? "\"step\": 0.001"
                        : "\"step\": 0.002");
      if (!build_simulate(&b) && !fixed && strstr(b.message, "need a fixed step")) { /* says so, which is good too */
        build_free(&b);
        continue;
      }
      CHECK(build_run(&b, &t));
      if (b.failed) printf("%s: %s\n", tn_list_name("method", i), b.message);
      for (int k = 0; k < t.rows; k++)
        for (int c = 0; c < t.columns; c++) CHECK(isfinite(build_at(&t, k, c)));
      /* a pendulum falls as it should: v^2 = 2 g h */
      const int last = t.rows - 1;
      const double y = build_at(&t, last, 1), vx = build_at(&t, last, 2), vy = build_at(&t, last, 3);
      CHECK_NEAR(vx * vx + vy * vy, -2 * 9.81 * y, 1e-5);
      build_table_free(&t);
      build_free(&b);
    }
}

/* the region of held gains is that of the integrator: euler has another, and gains in 1/s are gains per step where it is fixed */
TEST(held_gains_outside_the_stable_region_are_refused) {
  static const struct {
    const char *gains, *integrator;
    bool good;
  } cases[] = {{"'a': 1, 'b': 1.5", "'rk4', 'step': 0.01", true},
               {"'a': 1, 'b': 1.5", "'euler', 'step': 0.01", false},
               {"'a': 2.2, 'b': 1", "'rk4', 'step': 0.01", false},
               {"'a': 2.2, 'b': 1", "'euler', 'step': 0.01", true},
               {"'a': 2.6, 'b': 1", "'euler', 'step': 0.01", false},
               {"'a': 0.4, 'b': 1", "'rk4', 'step': 0.01", false},
               {"'a': 1, 'b': 0", "'rk4', 'step': 0.01", false},
               {"'alpha': 150, 'beta': 10, 'feedback': 'held'", "'rk4', 'step': 0.01", false},
               {"'alpha': 90, 'beta': 10, 'feedback': 'held'", "'rk4', 'step': 0.01", true},
               {"'alpha': 150, 'beta': 10, 'feedback': 'held'", "'dopri5', 'rtol': 1e-6", true},
               {"'alpha': 130, 'beta': 10, 'feedback': 'held'", "'rk4', 'step': 0.01", false},
               {"'alpha': 130, 'beta': 10, 'feedback': 'staged'", "'rk4', 'step': 0.01", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char run[300];
    tn_desc *desc = NULL;
    tn_model *model = NULL;
    tn_error e;
    snprintf(run, sizeof run, "{'stabilize': {'type': 'baumgarte', %s}, 'integrator': {'type': %s}}", cases[i].gains,
             cases[i].integrator);
    for (char *c = run; *c; c++)
      if (*c == '\'') *c = '"';
    CHECK(tn_desc_new(NULL, &desc, &e) == TN_OK &&
          tn_desc_read(desc, TN_SOURCE_DIR "/models/pendulum.json", &e) == TN_OK &&
          tn_desc_json(desc, "/run", run, &e) == TN_OK);
    const tn_status status = tn_compile(desc, &model, &e);
    if ((status == TN_OK) != cases[i].good) FAIL("%s: %d %s", run, (int)status, e.message);
    if (!cases[i].good) CHECK_HAS(e.message, "unstable");
    tn_model_free(model);
    tn_desc_free(desc);
  }
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

static const int64_t *counted; /* in the room of the stabilizer below */

static size_t room_of_one(const void *self, const tn_system *sys) {
  (void)self, (void)sys;
  return sizeof(int64_t);
}
static tn_status count(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u,
                       bool *changed) {
  (void)self, (void)solver, (void)t, (void)q, (void)u, (void)changed;
  counted = at->room;
  ++*(int64_t *)at->room;
  return TN_OK;
}
static const tn_stabilizer_type counting = {
    .name = "counting", .doc = "counts", .source = "", .memory = room_of_one, .accept = count};

/* near singular positions ends of steps are corrected to judge them, before they are taken: that is not remembered */
TEST(what_is_remembered_is_of_steps_that_were_taken) {
  build b;
  tn_error e;
  build_new(&b, 1);
  CHECK(tn_desc_add_stabilizer(b.desc, &counting, &e) == TN_OK);
  build_read(&b, "braun_four_bars");
  build_set(&b, "/run/stabilize", "[\"project\", \"counting\"]");
  if (!build_simulate(&b) || tn_sim_advance(b.sim, 5, &e) != TN_OK) FAIL("%s", b.failed ? b.message : e.message);
  const tn_summary *s = tn_sim_summary(b.sim);
  printf("%" PRId64 " steps, %" PRId64 " singular positions, %" PRId64 " counted\n", s->steps, s->singular_positions,
         counted ? *counted : -1);
  CHECK(s->singular_positions > 3);
  CHECK(counted && *counted == s->steps);
  CHECK(tn_sim_set(b.sim, 0, NULL, NULL, false, &e) == TN_OK && *counted == 0); /* begins anew */
  build_free(&b);
}
