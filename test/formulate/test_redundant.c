/* rows that repeat each other: accelerations and loads against a solution in four times the digits, least squares where the
 * rows contradict each other and the shortest loads where they are not unique, in the metric that the solver states (kkt.c);
 * and what that costs beside a singular value decomposition. */
#include <lapacke.h>
#include <time.h>

#include "simulate/simulate.h"
#include "support/build.h"
#include "support/quad.h"
#include "test.h"

enum { MOST = 128 };

typedef struct compared {
  double udot, lambda;   /* relative, in the metrics of masses and rows                    */
  double cut, kept;      /* singular values: the largest left out, the smallest that is not */
  double size, shortest; /* |lambda| and what is least                   */
  double inconsistency, expected;
} compared;

/* the metric of rows */
static const double *measured_by(const tn_sim *sim) {
  static double D[MOST];
  const tn_solver *s = &sim->solver;
  const tn_model *m = s->sys.m;
  if (!s->by_blocks) return ((const tn_kkt *)s->work)->D;
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    const int first = m->plan.columns[m->plan.column[j->block]].row;
    for (int r = 0; j->block >= 0 && r < j->rows; r++) D[j->row + r] = s->sparse.root.root.D[first + r];
    for (int r = 0; j->block >= 0 && r < j->rows_velocity; r++)
      D[j->row_velocity + r] = s->sparse.root.root.D[first + j->rows + r];
  }
  return D;
}

/* with redundant rows blocks are never used, but reflections may be */
static bool may_be_compared(const tn_solver *s) { return !s->by_blocks || s->sparse.by_root; }

/* at a state, with the right side of the rows */
static bool compare(build *b, const double *gamma, compared *c) {
  tn_solver *s = &b->sim->solver;
  const tn_model *m = b->model;
  double udot[MOST], lambda[MOST], x[MOST], l[MOST];
  tn_error e;
  if (m->nu > MOST || m->rows > MOST || tn_solver_factor(s, TN_METRIC_MASS, &e) != TN_OK || !may_be_compared(s))
    return false;
  if (tn_solver_solve(s, s->sys.f, gamma, udot, lambda, &e) != TN_OK) return false;
  tn_need(&s->sys, TN_LEVEL_MATRICES);
  tn_need(&s->sys, TN_LEVEL_GENERALIZED);
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

/* rows that are repeated only nearly: the singular values from `rank` on cut off, by LAPACK.
 *   (1) B = s A L^-T = U S V',  z = y + V S^+ (U's g - S V'y),  mu = U S^+ V'(y - z);  x = L^-T z,  lambda = s mu */
static bool cut_off(build *b, const double *gamma, compared *c) {
  static double L[MOST * MOST], B[MOST * MOST], U[MOST * MOST], V[MOST * MOST], sv[MOST];
  double udot[MOST], lambda[MOST], y[MOST], z[MOST], l[MOST];
  tn_solver *s = &b->sim->solver;
  const int n = b->model->nu, rows = b->model->rows, m = n < rows ? n : rows;
  tn_error e;
  if (n > MOST || rows > MOST || tn_solver_factor(s, TN_METRIC_MASS, &e) != TN_OK || !may_be_compared(s)) return false;
  if (tn_solver_solve(s, s->sys.f, gamma, udot, lambda, &e) != TN_OK) return false;
  tn_need(&s->sys, TN_LEVEL_MATRICES);
  tn_need(&s->sys, TN_LEVEL_GENERALIZED);
  const double *D = measured_by(b->sim);
  memcpy(L, s->sys.M, sizeof *L * (size_t)(n * n));
  if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, L, n) != 0) return false;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) B[j * rows + i] = s->sys.A[i * n + j] / sqrt(D[i]);
  memcpy(y, s->sys.f, sizeof *y * (size_t)n);
  if (LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'L', 'N', 'N', n, rows, L, n, B, rows) != 0) return false; /* B' */
  if (LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'L', 'N', 'N', n, 1, L, n, y, 1) != 0) return false;
  if (LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'S', n, rows, B, rows, sv, V, m, U, rows) != 0) return false; /* V S U' */
  memcpy(z, y, sizeof y);
  memset(l, 0, sizeof l);
  c->expected = 0;
  double left[MOST];
  for (int i = 0; i < rows; i++) left[i] = gamma[i] / sqrt(D[i]);
  for (int k = 0; k < s->rank; k++) {
    double vy = 0, ug = 0;
    for (int j = 0; j < n; j++) vy += V[j * m + k] * y[j];
    for (int i = 0; i < rows; i++) ug += U[k * rows + i] * gamma[i] / sqrt(D[i]);
    for (int j = 0; j < n; j++) z[j] += V[j * m + k] * (ug / sv[k] - vy);
    for (int i = 0; i < rows; i++) {
      l[i] += U[k * rows + i] * (vy - ug / sv[k]) / sv[k] / sqrt(D[i]);
      left[i] -= U[k * rows + i] * ug;
    }
  }
  for (int i = 0; i < rows; i++) c->expected = fmax(c->expected, fabs(left[i]));
  if (LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'L', 'T', 'N', n, 1, L, n, z, 1) != 0) return false;
  c->udot = quad_error(n, s->sys.M, udot, z);
  c->lambda = quad_error_by(rows, D, lambda, l);
  c->size = c->shortest = 0;
  for (int i = 0; i < rows; i++) {
    c->size += D[i] * lambda[i] * lambda[i];
    c->shortest += D[i] * l[i] * l[i];
  }
  c->size = sqrt(c->size);
  c->shortest = sqrt(c->shortest);
  c->inconsistency = s->inconsistency;
  c->kept = sv[s->rank - 1];
  c->cut = s->rank < m ? sv[s->rank] : 0;
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
    CHECK(tn_sim_advance(b.sim, k, &e) == TN_OK && at_present(&b) && compare(&b, b.sim->solver.sys.rows.gamma, &c));
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
  for (int i = 0; i < b->model->rows; i++) gamma[i] = sys->rows.gamma[i] - 100 * sys->rows.C[i];
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

/* on a body: its rows are then not quite those of the first. what is meant is their mean, and which of them are left out
 * must not be seen */
static void twice(const char *what, const char *model, const char *joint, const char *value, const char *rate) {
  build b;
  build_new(&b, 1);
  build_read(&b, model);
  build_set(&b, joint, value);
  build_set(&b, "/start", "{\"mode\": \"as-given\", \"%s\": 6}", rate);
  CHECK(build_simulate(&b));
  if (b.sim && at_present(&b)) {
    compared c = {.udot = INFINITY};
    double gamma[MOST];
    feedback(&b, gamma);
    CHECK(cut_off(&b, gamma, &c));
    print(what, &c);
    printf("  singular values: cut off from %.1e, kept to %.1e; rank %d of %d\n", c.cut, c.kept, b.sim->solver.rank,
           b.model->rows);
    CHECK_NEAR(c.udot, 0, 1e-10);
    CHECK_NEAR(c.lambda, 0, 1e-8);
    CHECK(c.size <= 10 * c.shortest);
    CHECK_NEAR(c.inconsistency, c.expected, 1e-9 * c.expected + 1e-20);
    tn_error e;
    CHECK(tn_sim_advance(b.sim, 1, &e) == TN_E_RUN);
    CHECK_HAS(e.message, "joint '");
  }
  build_free(&b);
}

TEST(joint_twice_on_a_body) {
  twice("on the crank", "four_bar", "/joints/A2",
        "{\"type\": \"revolute\", \"between\": [\"ground\", \"crank\"], \"on_bodies\": [[1e-6, 0], [0, -1e-6]]}",
        "A.rate");
  twice("along the crank", "four_bar", "/joints/A2",
        "{\"type\": \"revolute\", \"between\": [\"ground\", \"crank\"], \"on_bodies\": [[1e-6, 0], [1e-6, 0]]}",
        "A.rate");
  twice("on two bodies", "four_bar", "/joints/B2",
        "{\"type\": \"revolute\", \"between\": [\"crank\", \"coupler\"], \"on_bodies\": [[1.000001, 0], [0, 1e-6]]}",
        "A.rate");
}

TEST(joint_twice_in_space) {
  twice("a ball", "spatial_four_bar", "/joints/B2",
        "{\"type\": \"spherical\", \"between\": [\"crank\", \"coupler\"], \"on_bodies\": [[0.200001, 0, 0], [0, 1e-6, "
        "0]]}",
        "A.rate");
  twice("a hinge", "four_bar_in_space", "/joints/hinge_b2",
        "{\"type\": \"revolute\", \"between\": [\"crank\", \"coupler\"], \"at\": [0.100001, 0.2, 0], "
        "\"axis\": \"z\"}",
        "hinge_a.rate");
  twice("hinge with axes", "four_bar_in_space", "/joints/hinge_b2",
        "{\"type\": \"revolute\", \"between\": [\"crank\", \"coupler\"], \"at\": [0.100001, 0.2, 0], "
        "\"axis\": [1e-6, 0, 1]}",
        "hinge_a.rate");
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* the decomposition alone, of rows already in the metric of the masses, against everything that the solver does. printed,
 * and held to a sixth of what was measured only (24 to 34 times): machines are busy */
TEST_FULL(time_beside_a_decomposition) {
  enum { TIMES = 2000 };
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
    tn_need(&s->sys, TN_LEVEL_MATRICES);
    tn_need(&s->sys, TN_LEVEL_GENERALIZED);
    const tn_kkt *kkt = s->work;
    for (int i = 0; i < rows; i++)
      for (int j = kkt->lo[i]; j < kkt->hi[i]; j++) B[i * n + j] = kkt->B[i * n + j];
    for (int k = 0; k < TIMES; k++) {
      double start = seconds();
      s->at_mass.ready = false;
      CHECK(tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
      CHECK(tn_solver_solve(s, s->sys.f, s->sys.rows.gamma, udot, lambda, &e) == TN_OK);
      solver = fmin(solver, seconds() - start);
      memcpy(X, B, sizeof *B * (size_t)(n * rows));
      start = seconds();
      if (k % 10 == 0) CHECK(LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'S', rows, n, X, n, sv, U, m, V, n) == 0);
      if (k % 10 == 0) decomposition = fmin(decomposition, seconds() - start);
    }
    printf("gear train, %d rows: %.1f us, dgesdd %.0f us, %.0f times as long\n", rows, 1e6 * solver,
           1e6 * decomposition, decomposition / solver);
    CHECK(decomposition > 4 * solver);
  }
  build_free(&b);
}
