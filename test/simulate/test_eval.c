/* tn_sim_eval: M udot + A'lambda = f, A udot = gamma, and what these numbers mean: differences of C along the motion, energies,
 * singular values, names. */
#include "support/build.h"
#include "test.h"

enum { MOST = BUILD_MOST };

/* numbers of an evaluation, kept */
typedef struct numbers {
  int nq, nu, rows, holonomic, rank, values;
  double t, q[MOST], u[MOST], M[MOST * MOST], f[MOST], A[MOST * MOST], C[MOST], Cdot[MOST], gamma[MOST], udot[MOST],
      lambda[MOST], sigma[MOST];
} numbers;

static bool evaluate(tn_sim *s, numbers *n) {
  tn_eval e;
  tn_error error;
  if (tn_sim_eval(s, &e, &error) != TN_OK) {
    FAIL("%s", error.message);
    return false;
  }
  *n = (numbers){.nq = e.coordinates,
                 .nu = e.speeds,
                 .rows = e.rows,
                 .holonomic = e.holonomic,
                 .rank = e.rank,
                 .values = e.values,
                 .t = e.t};
  const size_t d = sizeof(double), nu = (size_t)e.speeds, rows = (size_t)e.rows;
  memcpy(n->q, e.q, d * (size_t)e.coordinates);
  memcpy(n->u, e.u, d * nu);
  memcpy(n->M, e.M, d * nu * nu);
  memcpy(n->f, e.f, d * nu);
  if (rows) {
    memcpy(n->A, e.A, d * rows * nu);
    memcpy(n->C, e.C, d * rows);
    memcpy(n->Cdot, e.Cdot, d * rows);
    memcpy(n->gamma, e.gamma, d * rows);
    memcpy(n->lambda, e.lambda, d * rows);
    memcpy(n->sigma, e.singular_values, d * (size_t)e.values);
  }
  memcpy(n->udot, e.udot, d * nu);
  return true;
}

/* the same simulation somewhere else, as it is */
static bool evaluate_at(tn_sim *s, double t, const double *q, const double *u, numbers *n) {
  tn_error e;
  if (tn_sim_set(s, t, q, u, false, &e) != TN_OK) {
    FAIL("%s", e.message);
    return false;
  }
  return evaluate(s, n);
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* the two equations themselves, each against the size of its terms */
static void check_equations(const numbers *n, const char *what) {
  for (int i = 0; i < n->nu; i++) {
    double sum = dot(n->nu, n->M + i * n->nu, n->udot), size = fabs(sum) + fabs(n->f[i]);
    for (int k = 0; k < n->rows; k++) {
      sum += n->A[k * n->nu + i] * n->lambda[k];
      size += fabs(n->A[k * n->nu + i] * n->lambda[k]);
    }
    if (!(fabs(sum - n->f[i]) <= 1e-9 * (size + 1e-3)))
      FAIL("%s: row %d of M udot + A'lambda is %g, f is %g", what, i, sum, n->f[i]);
  }
  for (int k = 0; k < n->rows; k++) {
    const double sum = dot(n->nu, n->A + k * n->nu, n->udot);
    double size = fabs(n->gamma[k]), most = 0, row = 0, speed = 0;
    for (int i = 0; i < n->nu; i++) {
      speed = fmax(speed, fabs(n->u[i]));
      size += fabs(n->A[k * n->nu + i] * n->udot[i]);
      most = fmax(most, fabs(n->udot[i]));
      row = fmax(row, fabs(n->A[k * n->nu + i]));
    }
    /* of a row that a tree of joints keeps anyway nothing is left but the roundoff of gamma */
    if (!(fabs(sum - n->gamma[k]) <= 1e-9 * size + 1e-12 * row * (1 + most) + 1e-14 * speed * speed))
      FAIL("%s: row %d of A udot is %g, gamma is %g", what, k, sum, n->gamma[k]);
  }
}

/* symmetric and positive: by elimination without exchanges */
static void check_mass(const numbers *n, double kinetic, bool regular, const char *what) {
  static double L[MOST * MOST];
  const int nu = n->nu;
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) {
      if (!(fabs(n->M[i * nu + j] - n->M[j * nu + i]) <= 1e-14 * sqrt(n->M[i * nu + i] * n->M[j * nu + j])))
        FAIL("%s: M is not symmetric at %d %d", what, i, j);
      L[i * nu + j] = n->M[i * nu + j];
    }
  for (int k = 0; k < nu && regular; k++) {
    if (!(L[k * nu + k] > 0)) FAIL("%s: M is not positive definite at %d", what, k);
    for (int i = k + 1; i < nu; i++)
      for (int j = nu - 1; j >= k; j--) L[i * nu + j] -= L[i * nu + k] / L[k * nu + k] * L[k * nu + j];
  }
  double T = 0;
  for (int i = 0; i < nu; i++) T += 0.5 * n->u[i] * dot(nu, n->M + i * nu, n->u);
  if (!(fabs(T - kinetic) <= 1e-12 * (1 + kinetic)))
    FAIL("%s: u'Mu/2 is %.17g, the kinetic energy %.17g", what, T, kinetic);
}

static double determinant_size(int n, const double *A) {
  static double U[MOST * MOST];
  double product = 1; /* but for its sign */
  memcpy(U, A, sizeof *U * (size_t)(n * n));
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabs(U[i * n + k]) > fabs(U[best * n + k])) best = i;
    for (int j = 0; j < n && best != k; j++) {
      const double swap = U[k * n + j];
      U[k * n + j] = U[best * n + j], U[best * n + j] = swap;
    }
    if (U[k * n + k] == 0) return 0;
    product *= fabs(U[k * n + k]);
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--) U[i * n + j] -= U[i * n + k] / U[k * n + k] * U[k * n + j];
  }
  return product;
}

static void check_values(const numbers *n, const char *what) {
  double squares = 0, sum = 0, product = 1;
  CHECK(n->values == (n->rows < n->nu ? n->rows : n->nu));
  for (int i = 0; i < n->rows * n->nu; i++) squares += n->A[i] * n->A[i];
  for (int i = 0; i < n->values; i++) {
    CHECK(n->sigma[i] >= 0 && (!i || n->sigma[i] <= n->sigma[i - 1]));
    sum += n->sigma[i] * n->sigma[i];
    product *= n->sigma[i];
  }
  if (!(fabs(sum - squares) <= 1e-12 * squares))
    FAIL("%s: squares of the values are %.17g, of A %.17g", what, sum, squares);
  /* det(A A') or det(A'A) is the square of the product */
  static double G[MOST * MOST];
  const int m = n->values;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      G[i * m + j] = 0;
      for (int k = 0; k < (m == n->rows ? n->nu : n->rows); k++)
        G[i * m + j] +=
            m == n->rows ? n->A[i * n->nu + k] * n->A[j * n->nu + k] : n->A[k * n->nu + i] * n->A[k * n->nu + j];
    }
  if (m && n->sigma[m - 1] > 1e-4 * n->sigma[0]) {
    const double expected = determinant_size(m, G);
    if (!(fabs(product * product / expected - 1) < 1e-6))
      FAIL("%s: the product squared is %g, det(AA') is %g", what, product * product, expected);
  }
  /* rank, where there is no doubt */
  int rank = 0;
  bool clear = true;
  for (int i = 0; i < m; i++) {
    rank += n->sigma[i] > 1e-6 * n->sigma[0];
    clear = clear && (n->sigma[i] > 1e-4 * n->sigma[0] || n->sigma[i] < 1e-10 * n->sigma[0]);
  }
  if (clear && rank != n->rank) FAIL("%s: rank %d, by the values it is %d", what, n->rank, rank);
}

/* differences along the motion, on a simulation of its own */
static void check_differences(build *b, const numbers *n, const char *what) {
  static numbers near[4];
  static const double step[] = {-2, -1, 1, 2};
  tn_sim *s = NULL;
  tn_error e;
  if (tn_sim_new(b->model, &s, &e) != TN_OK) abort();
  double speed = 1, size = 0;
  for (int i = 0; i < n->nq; i++) size = fmax(size, fabs(n->q[i]));
  for (int i = 0; i < n->nu; i++) speed = fmax(speed, fmax(fabs(n->u[i]), sqrt(fabs(n->udot[i]))));
  const double h = 1e-4 / speed;
  for (int k = 0; k < 4; k++) {
    double q[MOST], u[MOST], way[MOST];
    const double d = step[k] * h;
    for (int i = 0; i < n->nu; i++) {
      way[i] = d * n->u[i] + 0.5 * d * d * n->udot[i];
      u[i] = n->u[i] + d * n->udot[i];
    }
    memcpy(q, n->q, sizeof q);
    tn_model_add(b->model, q, way);
    if (!evaluate_at(s, n->t + d, q, u, &near[k])) break;
  }
  for (int i = 0; i < n->rows; i++) {
    double scale = 1;
    for (int j = 0; j < n->nu; j++) scale = fmax(scale, fabs(n->A[i * n->nu + j]) * fmax(size, fabs(n->u[j])));
    const double rate = (near[0].C[i] - 8 * near[1].C[i] + 8 * near[2].C[i] - near[3].C[i]) / (12 * h);
    if (i < n->holonomic && !(fabs(rate - n->Cdot[i]) <= 1e-8 * scale * speed))
      FAIL("%s: Cdot of row %d is %.12g, by differences %.12g", what, i, n->Cdot[i], rate);
    /* A udot = gamma says that this vanishes */
    const double accel = (near[0].Cdot[i] - 8 * near[1].Cdot[i] + 8 * near[2].Cdot[i] - near[3].Cdot[i]) / (12 * h);
    if (!(fabs(accel) <= 1e-6 * scale * speed * speed))
      FAIL("%s: row %d is not met in acceleration, %g", what, i, accel);
  }
  const int stride = 1 + n->nu / 20;
  for (int j = (int)(n->t * 1000) % stride; j < n->nu; j += stride) { /* A, column by column; of many, some */
    double q[MOST], way[MOST] = {0};
    const double d = 1e-6;
    memcpy(q, n->q, sizeof q);
    way[j] = d;
    tn_model_add(b->model, q, way);
    bool good = evaluate_at(s, n->t, q, n->u, &near[0]);
    memcpy(q, n->q, sizeof q);
    way[j] = -d;
    tn_model_add(b->model, q, way);
    good = good && evaluate_at(s, n->t, q, n->u, &near[1]);
    for (int i = 0; good && i < n->holonomic; i++) {
      if (b->model->joint[b->model->row_joint[i]].type->seat == TN_SEAT_MESH)
        continue; /* in its bearings only: gear.c */
      const double slope = (near[0].C[i] - near[1].C[i]) / (2 * d);
      if (!(fabs(slope - n->A[i * n->nu + j]) <= 1e-7 * (1 + fabs(slope))))
        FAIL("%s: A[%d][%d] is %g, by differences %g", what, i, j, n->A[i * n->nu + j], slope);
    }
  }
  tn_sim_free(s);
}

static void check_state(build *b, const char *what) {
  static numbers n, again;
  tn_error e;
  double kinetic = NAN;
  if (!evaluate(b->sim, &n)) return;
  CHECK(n.nq == tn_sim_coordinates(b->sim) && n.nu == tn_sim_speeds(b->sim) && n.t == tn_sim_time(b->sim));
  CHECK(n.rows == b->model->rows && n.holonomic <= n.rows);
  CHECK(memcmp(n.q, tn_sim_q(b->sim), sizeof *n.q * (size_t)n.nq) == 0 &&
        memcmp(n.u, tn_sim_u(b->sim), sizeof *n.u * (size_t)n.nu) == 0);
  CHECK(evaluate(b->sim, &again) && memcmp(&n, &again, sizeof n) == 0); /* to ask changes nothing */
  check_equations(&n, what);
  CHECK(tn_sim_channel(b->sim, "energy.kinetic", &kinetic, &e) == TN_OK);
  check_mass(&n, kinetic, !b->model->sigma, what);
  check_values(&n, what);
  check_differences(b, &n, what);
  for (int i = 0; i < n.rows; i++) {
    CHECK(i >= n.holonomic || fabs(n.C[i]) * b->model->row_scale[i] < 1e-8);
    CHECK(fabs(n.Cdot[i]) * b->model->row_scale[i] < 1e-6);
  }
}

TEST_FULL(the_equations_and_their_meaning_in_every_model) {
  static char name[64][64];
  const int n = build_models(name, 64);
  CHECK(n > 5);
  for (int i = 0; i < n; i++)
    for (int relative = 0; relative < 2; relative++) {
      build b;
      char what[100];
      build_new(&b, 1);
      build_read(&b, name[i]);
      build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
      if (relative) build_set(&b, "/coordinates", "\"relative\"");
      if (!build_simulate(&b)) FAIL("%s: %s", name[i], b.message);
      for (int k = 0; !b.failed && k < 3 && tn_test_failures < 10; k++) {
        snprintf(what, sizeof what, "%.60s, %s, t = %g", name[i], relative ? "relative" : "absolute",
                 tn_sim_time(b.sim));
        check_state(&b, what);
        if (tn_sim_advance(b.sim, tn_sim_time(b.sim) + 0.013 + 0.01 * k, NULL) != TN_OK) break;
      }
      build_free(&b);
    }
}

/* random worlds with a joint of every kind: rows of all units, and more of them than are independent */
TEST(the_equations_with_joints_of_every_kind) {
  int checked = 0;
  for (uint64_t seed = 1; seed <= 30 && tn_test_failures < 10; seed++) {
    build b;
    char what[64], name[16];
    build_given given;
    build_new(&b, seed);
    build_world(&b);
    build_helpers(&b, 0);
    int i;
    do i = build_integer(&b, 0, tn_joint_type_count - 1);
    while (!tn_joint_types[i]->plane.there);
    snprintf(name, sizeof name, "extra");
    build_joint(&b, name, tn_joint_types[i], NULL, NULL, 0, &given);
    build_set(&b, "/gravity", "[1, -9.81]");
    build_set(&b, "/start", "{\"mode\": \"as-given\"}");
    build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
    static numbers n;
    if (!build_compile(&b)) { /* two joints between the same bodies may contradict each other: not this test's matter */
      build_free(&b);
      continue;
    }
    tn_error e;
    if (tn_sim_new(b.model, &b.sim, &e) == TN_OK && tn_sim_start(b.sim, &e) == TN_OK) {
      double u[MOST];
      for (int k = 0; k < b.model->nu; k++) u[k] = build_uniform(&b, -1, 1);
      snprintf(what, sizeof what, "seed %d, %s", (int)seed, tn_joint_types[i]->name);
      if (evaluate_at(b.sim, 0.3, tn_sim_q(b.sim), u, &n)) {
        if (n.rank == n.rows) check_equations(&n, what), checked++; /* else they may contradict each other */
        check_values(&n, what);
      }
    }
    build_free(&b);
  }
  CHECK(checked > 10);
}

TEST(names_of_coordinates_and_rows) {
  static const char *const coordinates[] = {"crank.x",       "crank.y",  "crank.angle", "coupler.x",   "coupler.y",
                                            "coupler.angle", "rocker.x", "rocker.y",    "rocker.angle"};
  static const char *const rows[] = {"A", "A", "B", "B", "C", "C", "D", "D"};
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_simulate(&b));
  for (int i = 0; i < 9; i++) {
    CHECK_TEXT(tn_sim_coordinate(b.sim, i), coordinates[i]);
    double value;
    CHECK(tn_sim_channel(b.sim, tn_sim_coordinate(b.sim, i), &value, NULL) == TN_OK && value == tn_sim_q(b.sim)[i]);
  }
  for (int i = 0; i < 8; i++) CHECK_TEXT(tn_sim_row_joint(b.sim, i), rows[i]);
  CHECK(!tn_sim_coordinate(b.sim, -1) && !tn_sim_coordinate(b.sim, 9) && !tn_sim_row_joint(b.sim, -1) &&
        !tn_sim_row_joint(b.sim, 8));
  build_free(&b);
  /* in relative coordinates those of the joints */
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/coordinates", "\"relative\"");
  CHECK(build_simulate(&b) && tn_sim_coordinates(b.sim) == 3);
  for (int i = 0; i < 3 && !b.failed; i++) {
    double value = NAN;
    CHECK_HAS(tn_sim_coordinate(b.sim, i), ".angle");
    CHECK(tn_sim_channel(b.sim, tn_sim_coordinate(b.sim, i), &value, NULL) == TN_OK &&
          fabs(value - tn_sim_q(b.sim)[i]) < 1e-14);
  }
  CHECK(b.failed ||
        (tn_sim_row_joint(b.sim, 0) && strcmp(tn_sim_row_joint(b.sim, 0), tn_sim_row_joint(b.sim, 1)) == 0));
  build_free(&b);
}

/* numbers that can be had by hand: a particle on a string, at rest, level */
TEST(a_particle_on_a_string) {
  build b;
  static numbers n;
  build_new(&b, 1);
  build_set(&b, "/gravity", "[0, -10]");
  build_set(&b, "/bodies/p", "{\"mass\": 2, \"position\": [3, 4], \"coordinates\": \"point\"}");
  build_set(&b, "/joints/s", "{\"type\": \"distance\", \"between\": [\"ground\", \"p\"], \"at\": [[0, 0]]}");
  CHECK(build_simulate(&b) && evaluate(b.sim, &n));
  if (!b.failed) {
    CHECK(n.nq == 2 && n.rows == 1 && n.holonomic == 1 && n.rank == 1 && n.values == 1);
    CHECK(n.M[0] == 2 && n.M[1] == 0 && n.M[2] == 0 && n.M[3] == 2 && n.f[0] == 0 && n.f[1] == -20);
    CHECK_NEAR(n.A[0], 0.6, 1e-15);
    CHECK_NEAR(n.A[1], 0.8, 1e-15);
    CHECK_NEAR(n.sigma[0], 1, 1e-15);
    CHECK_NEAR(n.lambda[0], -16, 1e-13); /* f - M udot = A'lambda: along the string, what it holds */
    CHECK_NEAR(n.udot[0], 4.8, 1e-14);
    CHECK_NEAR(n.udot[1], -3.6, 1e-14);
    CHECK(n.gamma[0] == 0 && n.Cdot[0] == 0);
  }
  build_free(&b);
}

TEST(a_model_without_rows) {
  build b;
  tn_eval e;
  build_new(&b, 1);
  build_set(&b, "/bodies/p", "{\"mass\": 2, \"inertia\": 3}");
  build_set(&b, "/gravity", "[1, 2]");
  CHECK(build_compile(&b) && tn_sim_new(b.model, &b.sim, NULL) == TN_OK);
  CHECK(tn_sim_eval(b.sim, &e, NULL) == TN_OK); /* it starts by itself */
  CHECK(e.rows == 0 && e.holonomic == 0 && e.rank == 0 && e.values == 0 && e.speeds == 3);
  CHECK_NEAR(e.udot[0], 1, 1e-15);
  CHECK_NEAR(e.udot[1], 2, 1e-15);
  build_free(&b);
}

/* three rows that say the same: rank and values at once */
TEST(redundant_rows) {
  build b;
  static numbers n;
  build_new(&b, 1);
  build_set(&b, "/gravity", "[0, -10]");
  build_set(&b, "/bodies/k", "{\"mass\": 1, \"inertia\": 1, \"position\": [1, 0]}");
  build_set(&b, "/joints",
            "{\"a\": {\"type\": \"weld\", \"between\": [\"ground\", \"k\"], \"at\": [0, 0]},"
            " \"b\": {\"type\": \"weld\", \"between\": [\"ground\", \"k\"], \"at\": [0, 0]}}");
  CHECK(build_simulate(&b) && evaluate(b.sim, &n));
  if (!b.failed) {
    CHECK(n.rows == 6 && n.nu == 3 && n.rank == 3 && n.values == 3);
    check_equations(&n, "welded twice");
    check_values(&n, "welded twice");
    for (int i = 0; i < 3; i++) CHECK_NEAR(n.lambda[i], n.lambda[i + 3], 1e-12); /* each bears half */
  }
  build_free(&b);
}

/* lengthwise: at a flat position the rank is lower, and the smallest value says by how much */
TEST(near_a_singular_position) {
  double before = INFINITY;
  for (int k = 1; k <= 6; k++) {
    build b;
    static numbers n;
    const double angle = pow(10, -k);
    build_new(&b, 1);
    build_set(&b, "/points",
              "{\"A\": [0, 0], \"B\": [\"cos(%.17g)\", \"sin(%.17g)\"], \"C\": [\"1 + cos(%.17g)\", \"sin(%.17g)\"], "
              "\"D\": [1, 0]}",
              angle, angle, angle, angle);
    build_set(&b, "/bodies",
              "{\"a\": {\"rod\": [\"A\", \"B\"], \"mass\": 1}, \"b\": {\"rod\": [\"B\", \"C\"], \"mass\": 1}, \"c\": "
              "{\"rod\": [\"D\", \"C\"], \"mass\": 1}}");
    build_set(&b, "/joints",
              "{\"A\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": \"A\"}, \"B\": {\"type\": "
              "\"revolute\", \"between\": [\"a\", \"b\"], \"at\": \"B\"},"
              "\"C\": {\"type\": \"revolute\", \"between\": [\"b\", \"c\"], \"at\": \"C\"}, \"D\": {\"type\": "
              "\"revolute\", \"between\": [\"ground\", \"c\"], \"at\": \"D\"}}");
    CHECK(build_simulate(&b) && evaluate(b.sim, &n));
    if (!b.failed) {
      CHECK(n.values == 8 && n.sigma[7] < before / 5 && n.sigma[7] > 0.05 * angle && n.sigma[7] < angle);
      before = n.sigma[7];
    }
    build_free(&b);
  }
}

static bool to_text(void *user, const char *text, size_t size) {
  strncat(user, text, size);
  return true;
}

TEST(as_json_it_is_the_same) {
  static char text[40000];
  static numbers n;
  build b;
  tn_error e;
  tn_desc *d = NULL;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_simulate(&b) && tn_sim_advance(b.sim, 0.1, &e) == TN_OK && evaluate(b.sim, &n));
  text[0] = 0;
  CHECK(tn_report_eval(b.sim, "m", to_text, text, &e) == TN_OK);
  CHECK(tn_desc_new(NULL, &d, &e) == TN_OK && tn_desc_parse(d, "m", text, strlen(text), &e) == TN_OK);
  const struct {
    const char *key;
    int rows, columns;
    const double *value;
  } list[] = {{"q", 0, 9, n.q},
              {"u", 0, 9, n.u},
              {"f", 0, 9, n.f},
              {"udot", 0, 9, n.udot},
              {"C", 0, 8, n.C},
              {"Cdot", 0, 8, n.Cdot},
              {"gamma", 0, 8, n.gamma},
              {"lambda", 0, 8, n.lambda},
              {"singular_values", 0, 8, n.sigma},
              {"M", 9, 9, n.M},
              {"A", 8, 9, n.A}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const tn_node *node = tn_node_get(d->root, list[i].key);
    CHECK(node && node->kind == TN_NODE_LIST && (int)node->size == (list[i].rows ? list[i].rows : list[i].columns));
    if (!node) continue;
    int k = 0;
    for (const tn_node *row = list[i].rows ? node->first : node; row; row = list[i].rows ? row->next : NULL)
      for (const tn_node *x = row->first; x; x = x->next) CHECK(x->number == list[i].value[k++]);
    CHECK(k == (list[i].rows ? list[i].rows : 1) * list[i].columns);
  }
  CHECK(tn_node_get(d->root, "rank")->number == 8 && tn_node_get(d->root, "t")->number == n.t);
  CHECK_TEXT(tn_node_item(tn_node_get(d->root, "coordinates"), 2)->text, "crank.angle");
  CHECK_TEXT(tn_node_item(tn_node_get(d->root, "rows"), 2)->text, "B");
  tn_desc_free(d);
  build_free(&b);
}

/* a start that cannot be: the evaluation says so */
TEST(without_a_start_there_is_nothing) {
  build b;
  tn_eval eval;
  tn_error e;
  build_new(&b, 1);
  build_set(&b, "/bodies/p", "{\"mass\": 1, \"position\": [1, 0], \"coordinates\": \"point\"}");
  build_set(&b, "/joints",
            "{\"a\": {\"type\": \"distance\", \"between\": [\"ground\", \"p\"], \"at\": [[0, 0]]},"
            "\"b\": {\"type\": \"distance\", \"between\": [\"ground\", \"p\"], \"at\": [[0, 0]], \"length\": 2}}");
  CHECK(build_compile(&b) && tn_sim_new(b.model, &b.sim, &e) == TN_OK);
  CHECK(tn_sim_eval(b.sim, &eval, &e) == TN_E_MODEL && e.status == TN_E_MODEL && *e.message);
  CHECK(tn_sim_eval(b.sim, &eval, &e) != TN_OK && tn_sim_eval(b.sim, &eval, NULL) != TN_OK);
  build_free(&b);
}
