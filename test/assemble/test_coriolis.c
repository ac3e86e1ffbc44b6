/* the Coriolis matrix H: of every model in models/ and of random trees in space, at random states, in absolute and relative
 * coordinates,
 *   (1) dM/dt - H - H' = 0, dM/dt by differences along the motion
 *   (2) H u = f(0) - f(u) where no force depends on speeds
 *   (3) H_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) u_k/2 by differences, where rates are speeds
 * and two links in closed form, by the library and by the command. */
#include "support/space.h"
#include "test.h"

enum { TREES = 24, MOST = BUILD_MOST };
static const double TOLERANCE = 1e-9;

typedef struct state {
  double q[MOST], u[MOST], M[MOST * MOST], H[MOST * MOST], room[3 * MOST];
} state;

static void mass_at(build *b, const double *q, const double *u, double *M) {
  const int nu = b->model->nu;
  tn_assemble(&b->sys, 0, q, u);
  memcpy(M, b->sys.M, sizeof *M * (size_t)(nu * nu));
}

/* at a random state */
static void look(build *b, state *x) {
  build_motion m;
  build_motion_random(b, 0.3, &m);
  memcpy(x->q, m.q, sizeof *x->q * (size_t)b->model->nq);
  memcpy(x->u, m.u, sizeof *x->u * (size_t)b->model->nu);
  mass_at(b, x->q, x->u, x->M);
  tn_system_coriolis(&b->sys, x->u, x->M, x->room, x->H);
}

/* dM along speeds `way`, by differences of steps h */
static void slope_of_mass(build *b, const state *x, const double *way, double h, double *slope) {
  static double M[BUILD_STENCIL][MOST * MOST];
  const int nu = b->model->nu;
  for (int k = 0; k < BUILD_STENCIL; k++) {
    double q[MOST], step[MOST];
    memcpy(q, x->q, sizeof *q * (size_t)b->model->nq);
    for (int i = 0; i < nu; i++) step[i] = build_offset(k, h) * way[i];
    tn_model_add(b->model, q, step);
    mass_at(b, q, x->u, M[k]);
  }
  for (int i = 0; i < nu * nu; i++) {
    double f[BUILD_STENCIL];
    for (int k = 0; k < BUILD_STENCIL; k++) f[k] = M[k][i];
    slope[i] = build_slope(f, h);
  }
}

/* entries of a matrix between numbers of different units: over the roots of the diagonal of M */
static double size_of(const state *x, int nu, int i, int j) { return 1e-6 + sqrt(x->M[i * nu + i] * x->M[j * nu + j]); }

static double skew_at(build *b, const state *x, double h) {
  static double slope[MOST * MOST];
  const int nu = b->model->nu;
  double worst = 0, speed = 1;
  slope_of_mass(b, x, x->u, h, slope);
  for (int i = 0; i < nu; i++) speed = fmax(speed, fabs(x->u[i]));
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++)
      build_worst(&worst, slope[i * nu + j], x->H[i * nu + j] + x->H[j * nu + i], speed * size_of(x, nu, i, j) - 1);
  return worst;
}

static double skew(build *b, const state *x) {
  double least = INFINITY;
  for (double h = 4e-3; h > 4e-4; h /= 2) least = fmin(least, skew_at(b, x, h));
  return least;
}

/* (2) */
static double bias(build *b, const state *x) {
  static const double rest[MOST];
  const int nu = b->model->nu;
  double worst = 0, f0[MOST];
  tn_assemble(&b->sys, 0, x->q, rest);
  memcpy(f0, b->sys.f, sizeof *f0 * (size_t)nu);
  tn_assemble(&b->sys, 0, x->q, x->u);
  for (int i = 0; i < nu; i++) {
    double sum = 0, size = 0;
    for (int j = 0; j < nu; j++) sum += x->H[i * nu + j] * x->u[j], size += fabs(x->H[i * nu + j] * x->u[j]);
    build_worst(&worst, sum, f0[i] - b->sys.f[i], size + fabs(f0[i]));
  }
  return worst;
}

/* (3) */
static double christoffel_at(build *b, const state *x, double h) {
  static double dM[24][MOST * MOST];
  const int nu = b->model->nu;
  double worst = 0;
  for (int k = 0; k < nu; k++) {
    double way[MOST] = {0};
    way[k] = 1;
    slope_of_mass(b, x, way, h, dM[k]);
  }
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) {
      double sum = 0, size = 0;
      for (int k = 0; k < nu; k++) {
        const double c = dM[k][i * nu + j] + dM[j][i * nu + k] - dM[i][j * nu + k];
        sum += c * x->u[k] / 2;
        size += fabs(c * x->u[k]);
      }
      build_worst(&worst, x->H[i * nu + j], sum, size);
    }
  return worst;
}

static double christoffel(build *b, const state *x) {
  double least = INFINITY;
  for (int i = 0; i < b->model->bodies; i++)
    if (b->model->body[i].chart) return -1;
  if (b->model->nu > 24) return -1;
  for (double h = 4e-3; h > 4e-4; h /= 2) least = fmin(least, christoffel_at(b, x, h));
  return least;
}

typedef struct found {
  double skew, bias, christoffel;
  int models, by_formula;
} found;

static void judge(build *b, const char *name, bool free_of_forces, found *f) {
  static state x;
  if (b->failed || b->model->nu > MOST) {
    FAIL("%s: %s", name, b->message);
    return;
  }
  for (int k = 0; k < 2; k++) {
    look(b, &x);
    const double off[3] = {skew(b, &x), free_of_forces ? bias(b, &x) : 0, christoffel(b, &x)};
    for (int i = 0; i < 3; i++)
      if (!(off[i] <= TOLERANCE)) FAIL("%s: (%d) is off by %.3g", name, i + 1, off[i]);
    f->skew = fmax(f->skew, off[0]);
    f->bias = fmax(f->bias, off[1]);
    f->christoffel = fmax(f->christoffel, off[2]);
    if (k == 0) f->models++, f->by_formula += off[2] >= 0;
  }
}

static void say(const char *what, const found *f) {
  printf("%s: %d models, Mdot - 2 H %.1e, H u %.1e; %d by Christoffel's formula %.1e\n", what, f->models, f->skew,
         f->bias, f->by_formula, f->christoffel);
}

TEST_FULL(of_every_model) {
  char name[64][64];
  const int n = build_models(name, 64);
  found f = {0};
  for (int i = 0; i < 2 * n; i++) {
    build b;
    build_new(&b, (uint64_t)i);
    build_read(&b, name[i / 2]);
    build_set(&b, "/coordinates", i & 1 ? "\"relative\"" : "\"absolute\"");
    build_compile(&b);
    judge(&b, name[i / 2], false, &f);
    build_free(&b);
  }
  say("models/", &f);
  CHECK(f.models >= 60 && f.by_formula >= 40);
}

/* every joint that carries, bodies on quaternions, Euler angles and Euler parameters */
TEST(of_trees_in_space) {
  found f = {0};
  for (int i = 0; i < TREES; i++) {
    build b;
    char name[40];
    snprintf(name, sizeof name, "tree %d", i);
    space_tree(&b, (uint64_t)i / 2, i % 2 == 0, 3, NULL, SPACE_LOOSE);
    build_compile(&b);
    judge(&b, name, true, &f);
    build_free(&b);
  }
  say("trees", &f);
  CHECK(f.models == TREES && f.by_formula >= 4);
}

/* two links in their angles A, B against each other: h = -m l1 c2 sin B;  H = [h B', h (A' + B'); -h A', 0] */
TEST(of_two_links) {
  static const char text[] =
      "{\"tenon\": 1, \"dimension\": 2, \"coordinates\": \"relative\", \"gravity\": [0, -9.81],"
      "\"bodies\": {\"a\": {\"rod\": [[0, 0], [1, 0]], \"mass\": 1}, \"b\": {\"rod\": [[1, 0], [2, 0]], \"mass\": 3}},"
      "\"joints\": {\"A\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]},"
      "  \"B\": {\"type\": \"revolute\", \"between\": [\"a\", \"b\"], \"at\": [1, 0]}},"
      "\"start\": {\"A.angle\": 0.3, \"B.angle\": 0.7, \"A.rate\": 2, \"B.rate\": 5}}";
  build b;
  double H[4], before[4];
  tn_eval e;
  tn_error error;
  build_new(&b, 1);
  build_parse(&b, text);
  if (!build_simulate(&b) || tn_sim_eval(b.sim, &e, &error) != TN_OK) {
    FAIL("%s", b.message);
    return;
  }
  memcpy(before, e.M, sizeof before);
  CHECK(tn_sim_coriolis(b.sim, H, &error) == TN_OK);
  const double h = -1.5 * sin(0.7), expected[4] = {h * 5, h * 7, -h * 2, 0};
  for (int i = 0; i < 4; i++) CHECK_NEAR(H[i], expected[i], 1e-13);
  CHECK(tn_sim_eval(b.sim, &e, &error) == TN_OK && memcmp(before, e.M, sizeof before) == 0);
  CHECK(e.u[0] == 2 && e.u[1] == 5);
  build_free(&b);
}
