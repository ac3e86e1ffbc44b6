/* rows that repeat each other: accelerations and loads against a solution in four times the digits, least squares where the
 * rows contradict each other and the shortest loads where they are not unique, in the metric that the solver states (kkt.c);
 * and what that costs beside a singular value decomposition. */
#include <lapacke.h>
#include <time.h>

#include "support/build.h"
#include "support/quad.h"
#include "test.h"

enum { MOST = 128 };

typedef struct compared {
  double udot, lambda;   /* relative, in the metrics of masses and rows */
  double size, shortest; /* |lambda| and what is least                   */
  double inconsistency, expected;
} compared;

/* the metric of rows */
static const double *measured_by(const tn_sim *sim) { return ((const tn_kkt *)sim->solver.work)->D; }

/* at a state, with the right side of the rows */
static bool compare(build *b, const double *gamma, compared *c) {
  tn_solver *s = &b->sim->solver;
  const tn_model *m = b->model;
  double udot[MOST], lambda[MOST], x[MOST], l[MOST];
  tn_error e;
  if (m->nu > MOST || m->rows > MOST || tn_solver_factor(s, TN_METRIC_MASS, &e) != TN_OK || s->by_blocks) return false;
  if (tn_solver_solve(s, s->sys.f, gamma, udot, lambda, &e) != TN_OK) return false;
  tn_system_dense(&s->sys);
  const double *D = measured_by(b->sim);
  const quad_system q = {.n = m->nu,
                         .rows = m->rows,
                         .rank = s->rank,
                         .M = s->sys.M,
                         .A = s->sys.A,
                         .sigma = m->sigma,
                         .f = s->sys.f,
                         .g = gamma,
                         .D = D};
  quad_answer a = {.x = x, .lambda = l};
  if (!quad_solve(&q, &a)) return false;
  c->udot = quad_error(m->nu, s->sys.M, udot, x);
  c->lambda = quad_error_by(m->rows, D, lambda, l);
  c->size = c->shortest = 0;
  for (int i = 0; i < m->rows; i++) {
    c->size += D[i] * lambda[i] * lambda[i];
    c->shortest += D[i] * l[i] * l[i];
  }
  c->size = sqrt(c->size);
  c->shortest = sqrt(c->shortest);
  c->inconsistency = s->inconsistency;
  c->expected = a.inconsistency;
  return true;
}

static bool at_present(build *b) {
  tn_error e;
  return tn_solver_at(&b->sim->solver, tn_sim_time(b->sim), tn_sim_q(b->sim), tn_sim_u(b->sim), &e) == TN_OK;
}

TEST(gear_train_with_a_redundant_mesh) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "gear_train_four_meshes");
  CHECK(build_simulate(&b));
  for (int k = 0; k <= 4 && b.sim; k++) {
    compared c = {.udot = INFINITY};
    CHECK(tn_sim_advance(b.sim, k, &e) == TN_OK && at_present(&b) && compare(&b, b.sim->solver.sys.gamma, &c));
    printf("gear train, %d s: udot %.1e, lambda %.1e, inconsistency %.1e, rank %d of %d\n", k, c.udot, c.lambda,
           c.inconsistency, b.sim->solver.rank, b.model->rows);
    CHECK(b.sim->solver.rank == b.model->rows - 1);
    CHECK_NEAR(c.udot, 0, 1e-13);
    CHECK_NEAR(c.lambda, 0, 1e-12);
    CHECK_NEAR(c.inconsistency, 0, 1e-12);
  }
  build_free(&b);
}

/* the rows are asked to close what is off, as a stabilizer does */
static void feedback(const build *b, double *gamma) {
  const tn_system *sys = &b->sim->solver.sys;
  for (int i = 0; i < b->model->rows; i++) gamma[i] = sys->gamma[i] - 100 * sys->C[i];
}

static void print(const char *what, const compared *c) {
  printf("%s: udot %.1e, lambda %.1e, |lambda| %.3g of %.3g, inconsistency %.3g of %.3g\n", what, c->udot, c->lambda,
         c->size, c->shortest, c->inconsistency, c->expected);
}

/* the four-bar with its base joint twice, the second 1 um beside: feedback asks both to close */
TEST(joint_twice_with_an_offset) {
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/joints/D2",
            "{\"type\": \"revolute\", \"between\": [\"ground\", \"rocker\"], \"on_bodies\": [[4.000001, "
            "-1e-6], [0, 0]]}");
  build_set(&b, "/start", "{\"mode\": \"as-given\"}");
  CHECK(build_simulate(&b));
  if (b.sim && at_present(&b)) {
    compared c = {.udot = INFINITY};
    double gamma[MOST];
    feedback(&b, gamma);
    CHECK(compare(&b, gamma, &c));
    print("joint twice", &c);
    CHECK(b.sim->solver.rank == b.model->rows - 2);
    CHECK_NEAR(c.udot, 0, 1e-10);
    CHECK(c.size <= 10 * c.shortest);
    CHECK(c.expected > 1e-5);
    CHECK_NEAR(c.inconsistency / c.expected, 1, 1e-9);
    tn_error e; /* a run says who cannot be closed */
    CHECK(tn_sim_advance(b.sim, 1, &e) == TN_E_RUN);
    CHECK_HAS(e.message, "joint 'D");
  }
  build_free(&b);
}

/* on a body: its rows are then not quite those of the first, and which of them are left out is seen in the motion */
TEST(joint_twice_on_a_body) {
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(
      &b, "/joints/B2",
      "{\"type\": \"revolute\", \"between\": [\"crank\", \"coupler\"], \"on_bodies\": [[1.000001, 0], [0, 1e-6]]}");
  build_set(&b, "/start", "{\"mode\": \"as-given\"}");
  CHECK(build_simulate(&b));
  if (b.sim && at_present(&b)) {
    compared c = {.udot = INFINITY};
    double gamma[MOST];
    feedback(&b, gamma);
    CHECK(compare(&b, gamma, &c));
    print("joint twice, on a body", &c);
    CHECK(b.sim->solver.rank == b.model->rows - 2);
    CHECK_NEAR(c.udot, 0, 1e-6);
    CHECK(c.size <= 10 * c.shortest);
    CHECK_NEAR(c.inconsistency / c.expected, 1, 1e-3);
  }
  build_free(&b);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* the decomposition alone, of rows already in the metric of the masses, against everything that the solver does. printed,
 * and held to a tenth of what was measured only: machines are busy */
TEST_FULL(time_beside_a_decomposition) {
  enum { TIMES = 200 };
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "gear_train_four_meshes");
  CHECK(build_simulate(&b) && at_present(&b) && tn_solver_factor(&b.sim->solver, TN_METRIC_MASS, &e) == TN_OK);
  if (b.sim) {
    static double B[MOST * MOST], X[MOST * MOST], U[MOST * MOST], V[MOST * MOST], sv[MOST], udot[MOST], lambda[MOST];
    tn_solver *s = &b.sim->solver;
    const int n = b.model->nu, rows = b.model->rows, m = n < rows ? n : rows;
    double solver = INFINITY, decomposition = INFINITY;
    tn_system_dense(&s->sys);
    const tn_kkt *kkt = s->work;
    for (int i = 0; i < rows; i++)
      for (int j = kkt->lo[i]; j < kkt->hi[i]; j++) B[i * n + j] = kkt->B[i * n + j];
    for (int k = 0; k < TIMES; k++) {
      double start = seconds();
      s->mass_ready = false;
      CHECK(tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
      CHECK(tn_solver_solve(s, s->sys.f, s->sys.gamma, udot, lambda, &e) == TN_OK);
      solver = fmin(solver, seconds() - start);
      memcpy(X, B, sizeof *B * (size_t)(n * rows));
      start = seconds();
      if (k < TIMES / 10) CHECK(LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'S', rows, n, X, n, sv, U, m, V, n) == 0);
      if (k < TIMES / 10) decomposition = fmin(decomposition, seconds() - start);
    }
    printf("gear train, %d rows: %.1f us, dgesdd %.0f us, %.0f times as long\n", rows, 1e6 * solver,
           1e6 * decomposition, decomposition / solver);
    CHECK(decomposition > 2 * solver);
  }
  build_free(&b);
}
