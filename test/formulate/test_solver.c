/* the solver: accelerations and corrections against plain elimination, what is kept from one state to the next, and what
 * it says when there is no answer. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

enum { MOST = BUILD_MOST };

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* K x = b by elimination with row exchanges; K is n x n, overwritten. false: singular */
static bool eliminate(int n, double *K, double *b) {
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(K[r * n + c]) > fabs(K[best * n + c])) best = r;
    if (fabs(K[best * n + c]) < 1e-12) return false;
    for (int k = 0; k < n; k++) {
      const double x = K[c * n + k];
      K[c * n + k] = K[best * n + k];
      K[best * n + k] = x;
    }
    const double x = b[c];
    b[c] = b[best];
    b[best] = x;
    for (int r = c + 1; r < n; r++) {
      const double f = K[r * n + c] / K[c * n + c];
      for (int k = c; k < n; k++) K[r * n + k] -= f * K[c * n + k];
      b[r] -= f * b[c];
    }
  }
  for (int c = n - 1; c >= 0; c--) {
    for (int k = c + 1; k < n; k++) b[c] -= K[c * n + k] * b[k];
    b[c] /= K[c * n + c];
  }
  return true;
}

/* M x + A' l = f, A x = g by elimination; M NULL: the identity */
static bool reference(int nu, int rows, const double *M, const double *A, const double *f, const double *g, double *x,
                      double *l) {
  const int n = nu + rows;
  double *K = calloc((size_t)(n * n), sizeof *K), *b = calloc((size_t)n, sizeof *b);
  if (!K || !b) abort();
  for (int i = 0; i < nu; i++) {
    for (int k = 0; k < nu; k++) K[i * n + k] = M ? M[i * nu + k] : i == k;
    for (int k = 0; k < rows; k++) K[i * n + nu + k] = K[(nu + k) * n + i] = A[k * nu + i];
    b[i] = f ? f[i] : 0;
  }
  for (int k = 0; k < rows; k++) b[nu + k] = g[k];
  const bool ok = eliminate(n, K, b);
  memcpy(x, b, sizeof *x * (size_t)nu);
  memcpy(l, b + nu, sizeof *l * (size_t)rows);
  free(K);
  free(b);
  return ok;
}

static void near_all(int n, const double *a, const double *b, double tolerance) {
  double size = 1;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
  for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], tolerance * size);
}

/* a state near the start, off the constraints or not */
static void somewhere(build *b, double off, double *q, double *u) {
  for (int i = 0; i < b->model->nq; i++) {
    q[i] = tn_sim_q(b->sim)[i] + off * build_uniform(b, -1, 1);
    u[i] = tn_sim_u(b->sim)[i] + build_uniform(b, -1, 1);
  }
}

static void read_model(build *b, const char *name) {
  build_new(b, 11);
  build_read(b, name);
  CHECK(build_simulate(b));
  if (b->failed) {
    printf("%s: %s\n", name, b->message);
    exit(1);
  }
}

static const char *const regular[] = {"four_bar",   "triple_pendulum", "wu_crank_slider", "braun_slider_crank",
                                      "n_four_bar", "braun_four_bars", "pendulum",        "iftomm_a01"};
enum { REGULAR = sizeof regular / sizeof *regular };

TEST(accelerations_are_those_of_the_full_system) {
  for (int k = 0; k < REGULAR; k++)
    for (int relative = 0; relative < 2; relative++) {
      build b;
      build_new(&b, 11);
      build_read(&b, regular[k]);
      if (relative) build_set(&b, "/coordinates", "\"relative\"");
      CHECK(build_simulate(&b));
      if (b.failed) printf("%s: %s\n", regular[k], b.message);
      if (!b.failed) {
        tn_solver *s = &b.sim->solver;
        const tn_system *sys = &s->sys;
        const int nu = b.model->nu, rows = b.model->rows;
        double q[MOST], u[MOST], udot[MOST], lambda[MOST], x[MOST], l[MOST];
        tn_error e;
        somewhere(&b, 0.1, q, u);
        CHECK(tn_solver_at(s, 0.3, q, u, &e) == TN_OK && tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
        CHECK(tn_solver_solve(s, sys->f, sys->rows.gamma, udot, lambda, &e) == TN_OK);
        tn_need(&s->sys, TN_LEVEL_MATRICES);
        tn_need(&s->sys, TN_LEVEL_GENERALIZED);
        CHECK(reference(nu, rows, sys->M, sys->A, sys->f, sys->rows.gamma, x, l));
        near_all(nu, udot, x, 1e-10);
        near_all(rows, lambda, l, 1e-10);
      }
      build_free(&b);
    }
}

TEST(corrections_are_the_smallest_in_either_metric) {
  for (int k = 0; k < REGULAR - 1; k++) {
    build b;
    read_model(&b, regular[k]);
    tn_solver *s = &b.sim->solver;
    const tn_system *sys = &s->sys;
    const int nu = b.model->nu, rows = b.model->rows;
    double q[MOST], u[MOST], r[MOST], x[MOST], y[MOST], l[MOST];
    tn_error e;
    somewhere(&b, 0.05, q, u);
    CHECK(tn_solver_at(s, 0, q, u, &e) == TN_OK);
    for (int i = 0; i < rows; i++) r[i] = -sys->rows.Cdot[i];
    for (int identity = 0; identity < 2; identity++) {
      const tn_metric metric = identity ? TN_METRIC_IDENTITY : TN_METRIC_MASS;
      CHECK(tn_solver_factor(s, metric, &e) == TN_OK);
      CHECK(tn_solver_correct(s, metric, TN_OF_VELOCITY, r, x, &e) == TN_OK);
      tn_need(&s->sys, TN_LEVEL_MATRICES);
      CHECK(reference(nu, rows, identity ? NULL : sys->M, sys->A, NULL, r, y, l));
      near_all(nu, x, y, 1e-11);
    }
    build_free(&b);
  }
}

TEST(without_mass_the_rows_hold_it) {
  build b;
  read_model(&b, "driven_pivot");
  tn_solver *s = &b.sim->solver;
  const tn_system *sys = &s->sys;
  const int nu = b.model->nu, rows = b.model->rows;
  double q[MOST], u[MOST], udot[MOST], lambda[MOST], x[MOST], l[MOST];
  tn_error e;
  somewhere(&b, 0.1, q, u);
  CHECK(tn_solver_at(s, 0.3, q, u, &e) == TN_OK && tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
  CHECK(tn_solver_solve(s, sys->f, sys->rows.gamma, udot, lambda, &e) == TN_OK);
  tn_need(&s->sys, TN_LEVEL_MATRICES);
  CHECK(reference(nu, rows, sys->M, sys->A, sys->f, sys->rows.gamma, x, l)); /* regular as a whole */
  near_all(nu, udot, x, 1e-11);
  near_all(rows, lambda, l, 1e-11);
  build_free(&b);
}

/* three parallel bars: the accelerations are those with the third bar's last pin left out, and the redundant rows share */
#define BARS                                                                                                           \
  "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"constants\": {\"h\": 0.6, \"w\": \"sqrt(1 - h^2)\"},"   \
  "\"points\": {\"A{i}\": {\"repeat\": \"i=0..2\", \"at\": [\"i\", 0]},"                                               \
  "             \"B{i}\": {\"repeat\": \"i=0..2\", \"at\": [\"i + w\", \"h\"]}},"                                      \
  "\"bodies\": {\"bar{i}\": {\"repeat\": \"i=0..2\", \"rod\": [\"A{i}\", \"B{i}\"], \"mass\": \"i + 1\"},"             \
  "             \"coupler\": {\"rod\": [\"B0\", \"B2\"], \"mass\": 1}},"                                               \
  "\"joints\": {\"low{i}\": {\"repeat\": \"i=0..2\", \"type\": \"revolute\", \"between\": [\"ground\", \"bar{i}\"],"   \
  "                          \"at\": \"A{i}\"},"                                                                       \
  "\"high{i}\": {\"repeat\": \"i=0..2\", \"type\": \"revolute\", \"between\": [\"coupler\", \"bar{i}\"],"              \
  "              \"at\": \"B{i}\"}}, \"start\": {\"bar0.rate\": 2}}"

TEST(redundant_rows_change_no_acceleration) {
  build b;
  build_new(&b, 11);
  build_parse(&b, BARS);
  CHECK(build_simulate(&b));
  if (!b.failed) {
    tn_solver *s = &b.sim->solver;
    const tn_system *sys = &s->sys;
    const int nu = b.model->nu, rows = b.model->rows;
    double udot[MOST], lambda[MOST], x[MOST], l[MOST], left[MOST];
    tn_error e;
    CHECK(tn_solver_at(s, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), &e) == TN_OK);
    CHECK(tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
    CHECK(tn_solver_solve(s, sys->f, sys->rows.gamma, udot, lambda, &e) == TN_OK);
    tn_need(&s->sys, TN_LEVEL_MATRICES);
    tn_need(&s->sys, TN_LEVEL_GENERALIZED);
    CHECK(reference(nu, rows - 1, sys->M, sys->A, sys->f, sys->rows.gamma, x, l));
    near_all(nu, udot, x, 1e-10);
    for (int i = 0; i < rows; i++) CHECK_NEAR(dot(nu, sys->A + (size_t)i * (size_t)nu, udot), sys->rows.gamma[i], 1e-9);
    for (int i = 0; i < nu; i++) {
      left[i] = sys->f[i] - dot(nu, sys->M + (size_t)i * (size_t)nu, udot);
      for (int k = 0; k < rows; k++) left[i] -= sys->A[(size_t)k * (size_t)nu + (size_t)i] * lambda[k];
      CHECK_NEAR(left[i], 0, 1e-9);
    }
    CHECK(s->inconsistency < 1e-9);
  }
  build_free(&b);
}

/* ---- what is kept ------------------------------------------------------------------------------------------------------- */

TEST(the_same_state_is_not_assembled_twice) {
  build b;
  read_model(&b, "four_bar");
  tn_solver *s = &b.sim->solver;
  double q[MOST], u[MOST];
  tn_error e;
  somewhere(&b, 0, q, u);
  CHECK(tn_solver_at(s, 0, q, u, &e) == TN_OK);
  const double C = s->sys.rows.C[0];
  s->sys.rows.C[0] = 123; /* a mark */
  CHECK(tn_solver_at(s, 0, q, u, &e) == TN_OK && s->sys.rows.C[0] == 123);
  u[3] += 1e-9;
  CHECK(tn_solver_at(s, 0, q, u, &e) == TN_OK && s->sys.rows.C[0] == C);
  s->sys.rows.C[0] = 123;
  CHECK(tn_solver_at(s, 1, q, u, &e) == TN_OK && s->sys.rows.C[0] == C);
  s->sys.rows.C[0] = 123;
  q[0] = nextafter(q[0], 1);
  CHECK(tn_solver_at(s, 1, q, u, &e) == TN_OK && s->sys.rows.C[0] != 123);
  tn_solver_rows_at(s, 1, q, u);
  CHECK(!tn_knows(&s->sys, TN_LEVEL_FORCES));
  u[0] += 1;
  CHECK(tn_solver_at(s, 1, q, u, &e) == TN_OK);
  CHECK_NEAR(s->sys.rows.Cdot[0], u[0], 1e-12); /* of the crank's origin, at A */
  build_free(&b);
}

TEST(a_factorisation_lasts_as_long_as_position_and_time) {
  build b;
  read_model(&b, "four_bar");
  tn_solver *s = &b.sim->solver;
  double q[MOST], u[MOST];
  tn_error e;
  somewhere(&b, 0.01, q, u);
  const struct {
    double dt, dq, du;
    int more[2]; /* factorisations: mass, identity */
  } change[] = {{0, 0, 0, {1, 1}}, {0, 0, 0.1, {0, 0}}, {0, 1e-9, 0, {1, 1}}, {0.1, 0, 0, {1, 1}}, {0, 0, 0, {0, 0}}};
  double t = 5;
  for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
    t += change[i].dt, q[2] += change[i].dq, u[2] += change[i].du;
    for (int identity = 0; identity < 2; identity++) {
      const int64_t before = s->factorizations;
      const tn_metric metric = identity ? TN_METRIC_IDENTITY : TN_METRIC_MASS;
      CHECK(tn_solver_at(s, t, q, u, &e) == TN_OK && tn_solver_factor(s, metric, &e) == TN_OK);
      CHECK(s->factorizations - before == change[i].more[identity]);
    }
  }
  build_free(&b);
}

/* a state off by `off` where the factorisation is that of (q0, u0): put back, with so many more. ordinary: without one beside it */
static int64_t put_back(build *b, const double *q0, const double *u0, const double *dq, double off, bool ordinary,
                        double *q) {
  tn_solver *s = &b->sim->solver;
  const tn_model *m = b->model;
  double u[MOST];
  bool changed = false;
  tn_error e;
  CHECK(tn_solver_at(s, 0, q0, u0, &e) == TN_OK && tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK && s->by_blocks);
  CHECK(!tn_solver_stale_is_near(s)); /* it is there */
  for (int i = 0; i < m->nq; i++) q[i] = q0[i] + off * dq[i];
  for (int i = 0; i < m->nu; i++) u[i] = u0[i] + off * dq[i];
  CHECK(tn_solver_at(s, 1, q, u, &e) == TN_OK && !tn_solver_stale_is_near(s)); /* at another time */
  CHECK(tn_solver_at(s, 0, q, u, &e) == TN_OK && tn_solver_stale_is_near(s) == (off < 1e-3));
  if (ordinary) CHECK(tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
  const int64_t before = s->factorizations;
  CHECK(tn_put_back(s, TN_METRIC_MASS, false, 0, q, u, NULL, NULL, &changed, &e) == TN_OK && changed);
  CHECK(tn_violation(&s->sys, s->sys.rows.C, m->holonomic, NULL) < 2e-15);
  CHECK(tn_violation(&s->sys, s->sys.rows.Cdot, m->rows, NULL) < 1e-13);
  return s->factorizations - before;
}

TEST(a_position_is_put_back_with_a_factorisation_beside_it) {
  static const char *const models[] = {"andrews", "stewart_platform"};
  const struct {
    double off;
    int64_t least, most; /* factorisations, that of the velocity among them */
  } cases[] = {{1e-7, 1, 1}, {3e-4, 2, 3}, {2e-3, 3, 4}};
  for (int k = 0; k < 2; k++) {
    build b;
    double q0[MOST], u0[MOST], q[MOST], expected[MOST], dq[MOST];
    read_model(&b, models[k]);
    memcpy(q0, tn_sim_q(b.sim), sizeof *q0 * (size_t)b.model->nq);
    memcpy(u0, tn_sim_u(b.sim), sizeof *u0 * (size_t)b.model->nu);
    for (int i = 0; i < b.model->nq; i++)
      dq[i] = build_uniform(&b, -1, 1) * (b.model->q_unit[i] == TN_LENGTH ? b.model->length : 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      const double off = cases[i].off;
      const int64_t more = put_back(&b, q0, u0, dq, off, false, q);
      if (more < cases[i].least || more > cases[i].most) FAIL("%s, off by %g: %" PRId64, models[k], off, more);
      put_back(&b, q0, u0, dq, off, true, expected);
      for (int j = 0; j < b.model->nq; j++) CHECK_NEAR(q[j], expected[j], 100 * off * off + 1e-14);
    }
    build_free(&b);
  }
}

TEST(nearness_of_a_singular_position_is_noticed) {
  build b;
  read_model(&b, "n_four_bar");
  tn_solver *s = &b.sim->solver;
  const tn_model *m = b.model;
  double q[MOST], u[MOST] = {0};
  tn_error e;
  const double tilt[] = {1, 1e-3, 0};
  double rho[3];
  for (int k = 0; k < 3; k++) {
    /* all links at an angle, the couplers level */
    for (int i = 0; i < m->bodies; i++) {
      const bool link = strncmp(m->body[i].name, "link", 4) == 0;
      const int number = atoi(m->body[i].name + (link ? 4 : 7));
      q[3 * i] = link ? number : number - 1 + cos(tilt[k]);
      q[3 * i + 1] = link ? 0 : sin(tilt[k]);
      q[3 * i + 2] = link ? tilt[k] : 0;
    }
    s->nearness = 1;
    CHECK(tn_solver_at(s, 0, q, u, &e) == TN_OK);
    CHECK_NEAR(tn_violation(&s->sys, s->sys.rows.C, m->holonomic, NULL), 0, 1e-15);
    CHECK(tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
    rho[k] = s->nearness;
    double udot[MOST], lambda[MOST];
    CHECK(tn_solver_solve(s, s->sys.f, s->sys.rows.gamma, udot, lambda, &e) ==
          TN_OK); /* there is an answer everywhere */
    for (int i = 0; i < m->nu; i++) CHECK(isfinite(udot[i]));
  }
  CHECK(rho[0] > 1e-3 && rho[1] < 1e-4 && rho[1] > 1e-9 && rho[2] < 1e-13);
  build_free(&b);
}

/* ---- no answer ------------------------------------------------------------------------------------------------------------ */

TEST(what_is_not_a_number_is_named) {
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/forces/pull",
            "{\"type\": \"force\", \"on\": \"rocker\", \"on_body\": [0, 0], \"value\": [0, \"sqrt(1 - t)\"]}");
  build_set(&b, "/joints/drive",
            "{\"type\": \"driver\", \"on\": \"crank.angle\", \"value\": \"pi/2 + 0*sqrt(4 - t)\"}");
  build_set(&b, "/start", "{}");
  CHECK(build_simulate(&b));
  if (!b.failed) {
    tn_solver *s = &b.sim->solver;
    double q[MOST], u[MOST];
    tn_error e;
    somewhere(&b, 0, q, u);
    CHECK(tn_solver_at(s, 0.5, q, u, &e) == TN_OK);
    CHECK(tn_solver_at(s, 1.5, q, u, &e) == TN_E_RUN && e.status == TN_E_RUN && e.time == 1.5);
    CHECK_HAS(e.message, "force 'pull'");
    build_set(&b, "/forces", "{}"); /* the model is its own */
    CHECK(tn_solver_at(s, 5, q, u, &e) == TN_E_RUN);
    CHECK_HAS(e.message, "not a finite number");
    CHECK(tn_solver_at(s, 0.5, q, u, &e) == TN_OK); /* and it goes on from there */
    const double kept = q[5];
    q[5] = NAN;
    CHECK(tn_solver_at(s, 0.5, q, u, &e) == TN_E_RUN);
    CHECK_HAS(e.message, "coupler.angle");
    q[5] = kept;
    u[1] = INFINITY;
    CHECK(tn_solver_at(s, 0.5, q, u, &e) == TN_E_RUN);
    CHECK_HAS(e.message, "crank.vy");
    u[1] = 0;
    CHECK(tn_solver_at(s, 0.5, q, u, NULL) == TN_OK); /* nobody listens */
    u[1] = NAN;
    CHECK(tn_solver_at(s, 0.5, q, u, NULL) == TN_E_RUN);
  }
  build_free(&b);
}

TEST(the_worst_row_counts_as_the_contract_scales_it) {
  build b;
  read_model(&b, "four_bar");
  const tn_system *sys = &b.sim->solver.sys;
  double rows[8] = {0, 0.5, 0, -2, 0, 1, 0, 0};
  int which = -1;
  CHECK_NEAR(tn_violation(sys, rows, 8, &which), 2 / b.model->length, 1e-16);
  CHECK(which == 3);
  CHECK_NEAR(tn_violation(sys, rows, 3, &which), 0.5 / b.model->length, 1e-16);
  CHECK(which == 1);
  CHECK(tn_violation(sys, rows, 0, NULL) == 0);
  build_free(&b);
}
