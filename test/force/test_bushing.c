/* bushing: (T144) to (T146) of docs/theory.md, at any angle, against an energy that is computed here in another way; motions with a
 * closed form; channels; what is refused. */
#include "support/build.h"
#include "test.h"

/* the rotation vector of R by its definition: log R = sum over the skew part, angle from trace and skew part together */
static void rotation_vector(const double R[9], double phi[3]) {
  const double s[3] = {(R[7] - R[5]) / 2, (R[2] - R[6]) / 2, (R[3] - R[1]) / 2};
  const double sine = tn_norm3(s), angle = atan2(sine, (R[0] + R[4] + R[8] - 1) / 2);
  for (int i = 0; i < 3; i++) phi[i] = sine > 0 ? s[i] / sine * angle : 0;
}

static double energy(const double K[36], double r[2][3], double A[2][9]) {
  double d[3], xi[6], R[9], V = 0;
  tn_sub3(r[1], r[0], d);
  tn_unturn3(A[0], d, xi);
  tn_t_product3(A[0], A[1], R);
  rotation_vector(R, xi + 3);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) V += 0.5 * xi[i] * K[6 * i + j] * xi[j];
  return V;
}

static const tn_force_type *bushing(void) {
  for (int i = 0; i < tn_force_type_count; i++)
    if (strcmp(tn_force_types[i]->name, "bushing") == 0) return tn_force_types[i];
  FAIL("there is no bushing");
  exit(1);
}

static void random_rotation(build *b, double most, double A[9]) {
  double e[3];
  for (int i = 0; i < 3; i++) e[i] = build_uniform(b, -1, 1);
  const double n = tn_norm3(e);
  for (int i = 0; i < 3; i++) e[i] /= n;
  tn_rotation_about3(e, build_uniform(b, 0, most), A);
}

/* frames as they are turned and moved by a small twist */
static void moved(const double r[3], const double A[9], int k, double step, double r1[3], double A1[9]) {
  double e[3] = {0, 0, 0}, turn[9];
  memcpy(r1, r, 3 * sizeof *r);
  memcpy(A1, A, 9 * sizeof *A);
  e[k % 3] = 1;
  if (k < 3) {
    r1[k] += step;
  } else {
    tn_rotation_about3(e, step, turn);
    tn_product3(turn, A, A1);
  }
}

/* both wrenches are -dV/dx; the damping does -xidot'D xidot, with xidot by differences. up to 3 rad, and near 0 where the series is */
TEST(wrenches_are_minus_the_gradient_at_any_angle) {
  const tn_force_type *type = bushing();
  const double h = 1e-3;
  double worst = 0, worst_small = 0;
  for (int n = 0; n < 400; n++) {
    build b = {.random = 17u * (uint64_t)n + 1};
    struct {
      double K[36], D[36];
    } self = {{0}, {0}};
    double G[36], r[2][3], A[2][9];
    for (int i = 0; i < 36; i++) G[i] = build_uniform(&b, -1, 1);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        for (int k = 0; k < 6; k++) self.K[6 * i + j] += G[6 * k + i] * G[6 * k + j];
    tn_frame3 f[2] = {0};
    const double most = n % 4 == 0 ? 0.03 : 3;
    random_rotation(&b, 3, A[0]);
    random_rotation(&b, most, G);
    tn_product3(A[0], G, A[1]);
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < 3; i++) r[k][i] = build_uniform(&b, -1, 1);
      memcpy(f[k].r, r[k], sizeof r[k]);
      memcpy(f[k].A, A[k], sizeof A[k]);
    }
    tn_force_out out = {0};
    type->space(&self, &(tn_force_in){.how = TN_BETWEEN, .f3 = f}, &out);
    double err = fabs(out.energy - energy(self.K, r, A));
    for (int k = 0; k < 12; k++) {
      double V[BUILD_STENCIL], rm[2][3], Am[2][9];
      memcpy(rm, r, sizeof r);
      memcpy(Am, A, sizeof A);
      for (int i = 0; i < BUILD_STENCIL; i++) {
        moved(r[k / 6], A[k / 6], k % 6, build_offset(i, h), rm[k / 6], Am[k / 6]);
        V[i] = energy(self.K, rm, Am);
      }
      err = fmax(err, fabs(out.w[k] + build_slope(V, h)));
    }
    if (n % 4 == 0)
      worst_small = fmax(worst_small, err);
    else
      worst = fmax(worst, err);
  }
  printf("wrench + dV/dx: %.1e, near no rotation %.1e\n", worst, worst_small);
  CHECK(worst < 2e-10 && worst_small < 1e-10);
}

/* the rates of (d, phi) by differences of the frames along a motion: power -xidot'D xidot, and that of the wrenches the same */
TEST(damping_takes_power_along_the_same_coordinates) {
  const tn_force_type *type = bushing();
  double worst = 0;
  for (int n = 0; n < 200; n++) {
    build b = {.random = 5u * (uint64_t)n + 3};
    struct {
      double K[36], D[36];
    } self = {{0}, {0}};
    double G[36], xi[BUILD_STENCIL][6], rate[6], most = 0, expected = 0, of_wrenches = 0;
    for (int i = 0; i < 36; i++) G[i] = build_uniform(&b, -1, 1);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        for (int k = 0; k < 6; k++) self.D[6 * i + j] += G[6 * k + i] * G[6 * k + j];
    tn_frame3 f[2] = {0};
    random_rotation(&b, 3, f[0].A);
    random_rotation(&b, 2.9, G);
    tn_product3(f[0].A, G, f[1].A);
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < 3; i++) {
        f[k].r[i] = build_uniform(&b, -1, 1);
        f[k].v[i] = build_uniform(&b, -1, 1);
        f[k].w[i] = build_uniform(&b, -1, 1);
      }
    const double h = 1e-3;
    for (int s = 0; s < BUILD_STENCIL; s++) {
      double r[2][3], A[2][9], d[3], R[9], turn[9], e[3];
      for (int k = 0; k < 2; k++) {
        const double t = build_offset(s, h), w = tn_norm3(f[k].w);
        for (int i = 0; i < 3; i++) r[k][i] = f[k].r[i] + t * f[k].v[i], e[i] = f[k].w[i] / w;
        tn_rotation_about3(e, w * t, turn);
        tn_product3(turn, f[k].A, A[k]);
      }
      tn_sub3(r[1], r[0], d);
      tn_unturn3(A[0], d, xi[s]);
      tn_t_product3(A[0], A[1], R);
      rotation_vector(R, xi[s] + 3);
    }
    for (int i = 0; i < 6; i++) {
      double x[BUILD_STENCIL];
      for (int s = 0; s < BUILD_STENCIL; s++) x[s] = xi[s][i];
      rate[i] = build_slope(x, h);
      most = fmax(most, fabs(rate[i]));
    }
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) expected += rate[i] * self.D[6 * i + j] * rate[j];
    tn_force_out out = {0};
    type->space(&self, &(tn_force_in){.how = TN_BETWEEN, .f3 = f}, &out);
    for (int k = 0; k < 2; k++) of_wrenches += tn_dot3(out.w + 6 * k, f[k].v) + tn_dot3(out.w + 6 * k + 3, f[k].w);
    const double err = fmax(fabs(out.dissipated - expected), fabs(of_wrenches + expected));
    worst = fmax(worst, err / (1 + most * most));
    CHECK(out.dissipated >= 0 && out.power == -out.dissipated && out.energy == 0);
  }
  printf("power of the damping: %.1e\n", worst);
  CHECK(worst < 1e-10);
}

/* the torque at half a turn is that of the shorter way: it changes sign there */
TEST(half_a_turn) {
  const tn_force_type *type = bushing();
  struct {
    double K[36], D[36];
  } self = {{0}, {0}};
  for (int i = 3; i < 6; i++) self.K[7 * i] = 2;
  for (int k = 0; k < 2; k++) {
    const double angle = 3.14159265358979 + (k ? 1e-6 : -1e-6), e[3] = {0, 0.6, 0.8};
    tn_frame3 f[2] = {0};
    tn_force_out out = {0};
    tn_identity3(f[0].A);
    tn_rotation_about3(e, angle, f[1].A);
    type->space(&self, &(tn_force_in){.how = TN_BETWEEN, .f3 = f}, &out);
    CHECK_NEAR(tn_dot3(out.w + 9, e), k ? 2 * 3.141591653589793 : -2 * 3.141591653589793, 1e-7);
    CHECK_NEAR(out.energy, 3.141591653589793 * 3.141591653589793, 1e-7);
  }
}

/* in the plane by hand: frames turned by 0.5 against the world, moved by (0.3, -0.2), turned seven times round */
TEST(plane_by_hand) {
  build b;
  build_new(&b, 1);
  build_set(&b, "/bodies/a", "{\"mass\": 1, \"inertia\": 1, \"position\": [1, 2], \"angle\": 0.3}");
  build_set(&b, "/forces/f",
            "{\"type\": \"bushing\", \"between\": [\"ground\", \"a\"], \"at\": [1.5, 2], \"axis\": "
            "[\"cos(0.5)\", \"sin(0.5)\"], \"stiffness\": [[10, 1, 2], [1, 8, 3], [2, 3, 6]]}");
  build_set(&b, "/outputs", "{\"fx\": \"f.fx\", \"fy\": \"f.fy\", \"turn\": \"f.t\"}");
  if (!build_compile(&b)) {
    FAIL("%s", b.message);
    return;
  }
  const double turn = 44, c = cos(turn), s = sin(turn), px = 0.5 * cos(0.3), py = -0.5 * sin(0.3); /* body axes */
  const double ca = cos(0.3 + turn), sa = sin(0.3 + turn);
  const double q[3] = {1.8 - (ca * px - sa * py), 1.8 - (sa * px + ca * py), 0.3 + turn}, u[3] = {0};
  const double d[2] = {cos(0.5) * 0.3 - sin(0.5) * 0.2, -sin(0.5) * 0.3 - cos(0.5) * 0.2};
  const double g[3] = {10 * d[0] + d[1] + 2 * turn, d[0] + 8 * d[1] + 3 * turn, 2 * d[0] + 3 * d[1] + 6 * turn};
  const double F[2] = {cos(0.5) * g[0] - sin(0.5) * g[1], sin(0.5) * g[0] + cos(0.5) * g[1]};
  const double arm[2] = {0.5 * c, 0.5 * s};
  tn_assemble(&b.sys, 0, q, u);
  CHECK_NEAR(b.sys.forces.wrench[0], -F[0], 1e-12);
  CHECK_NEAR(b.sys.forces.wrench[1], -F[1], 1e-12);
  CHECK_NEAR(b.sys.forces.wrench[2], -g[2] - arm[0] * F[1] + arm[1] * F[0], 1e-12);
  CHECK_NEAR(b.sys.forces.out[0].energy, 0.5 * (d[0] * g[0] + d[1] * g[1] + turn * g[2]), 1e-10);
  CHECK_TEXT(b.model->column_unit[0], "N");
  CHECK_TEXT(b.model->column_unit[2], "N m");
  build_free(&b);
}

/* 6 x 6 by its diagonal or whole, at a place given in the world or on the bodies: the same */
TEST(written_in_several_ways) {
  static const char *const how[] = {
      "\"at\": [0.4, 0.1, 0], \"stiffness\": [50, 60, 70, 5, 6, 7], \"damping\": [1, 2, 3, 0.1, 0.2, 0.3]",
      "\"on_bodies\": [[0.4, 0.1, 0], [0.2, 0, 0]], \"stiffness\": [[50, 0, 0, 0, 0, 0], [0, 60, 0, 0, 0, 0], "
      "[0, 0, 70, 0, 0, 0], [0, 0, 0, 5, 0, 0], [0, 0, 0, 0, 6, 0], [0, 0, 0, 0, 0, 7]], "
      "\"damping\": [1, 2, 3, 0.1, 0.2, 0.3]",
      "\"at\": [0.4, 0.1, 0], \"axis\": \"z\", \"stiffness\": [50, 60, 70, 5, 6, 7], \"damping\": [1, 2, 3, 0.1, 0.2, "
      "0.3]"};
  static const char *const ask[] = {"x.x", "x.wz", "m.fx", "m.fz", "m.tx", "m.tz", "m.energy"};
  double value[3][7];
  tn_error e;
  for (int k = 0; k < 3; k++) {
    build b;
    build_new(&b, 1);
    build_set(&b, "/dimension", "3");
    build_set(&b, "/bodies/x", "{\"mass\": 2, \"inertia\": [0.3, 0.4, 0.5], \"position\": [0.2, 0.1, 0]}");
    build_set(&b, "/forces/m", "{\"type\": \"bushing\", \"between\": [\"ground\", \"x\"], %s}", how[k]);
    build_set(&b, "/start", "{\"x.vx\": 1, \"x.vz\": 2, \"x.wz\": 3, \"x.wx\": -2}");
    build_tight(&b, 1, 0.1);
    if (!build_simulate(&b) || tn_sim_advance(b.sim, 0.5, &e) != TN_OK) FAIL("%s", b.message);
    for (int i = 0; i < 7 && b.sim; i++)
      if (tn_sim_channel(b.sim, ask[i], &value[k][i], &e) != TN_OK) FAIL("%s: %s", ask[i], e.message);
    build_free(&b);
  }
  for (int i = 0; i < 7; i++) {
    CHECK_NEAR(value[1][i], value[0][i], 1e-9);
    CHECK_NEAR(value[2][i], value[0][i], 1e-9);
    CHECK(fabs(value[0][i]) > 1e-3);
  }
}

/* m xdd = -k x - c xd along each axis, closed form */
TEST(a_body_that_swings_in_it) {
  build b;
  double x, y, z;
  tn_error e;
  build_new(&b, 1);
  build_set(&b, "/dimension", "3");
  build_set(&b, "/bodies/x", "{\"mass\": 2, \"inertia\": [0.3, 0.4, 0.5]}");
  build_set(
      &b, "/forces/m",
      "{\"type\": \"bushing\", \"between\": [\"ground\", \"x\"], \"at\": [0, 0, 0], \"stiffness\": [50, 98, 0, 5, "
      "6, 7], \"damping\": [4, 0, 1, 0, 0, 0]}");
  build_set(&b, "/start", "{\"x.vx\": 1, \"x.vy\": 1, \"x.vz\": 1}");
  build_tight(&b, 1, 0.1);
  if (!build_simulate(&b) || tn_sim_advance(b.sim, 0.9, &e) != TN_OK) FAIL("%s", b.message);
  x = build_channel(&b, "x.x"), y = build_channel(&b, "x.y"), z = build_channel(&b, "x.z");
  CHECK_NEAR(x, exp(-0.9) / sqrt(24) * sin(sqrt(24) * 0.9), 1e-11);
  CHECK_NEAR(y, sin(7 * 0.9) / 7, 1e-11);
  CHECK_NEAR(z, 2 * (1 - exp(-0.45)), 1e-11);
  build_free(&b);
}

/* two bodies tumble about each other by more than a radian, without damping: energy and momenta stay */
TEST(tumbling_keeps_energy_and_momentum) {
  build b;
  tn_error e;
  static const char *const kept[] = {"momentum.px", "momentum.py", "momentum.pz",
                                     "momentum.lx", "momentum.ly", "momentum.lz"};
  double before[6], most = 0;
  build_new(&b, 1);
  build_set(&b, "/dimension", "3");
  build_set(&b, "/bodies/a", "{\"mass\": 2, \"inertia\": [0.3, 0.4, 0.5]}");
  build_set(&b, "/bodies/b", "{\"mass\": 1, \"inertia\": [0.2, 0.1, 0.25], \"position\": [0.5, 0.2, 0.1]}");
  build_set(&b, "/forces/m",
            "{\"type\": \"bushing\", \"between\": [\"a\", \"b\"], \"at\": [0.2, 0.1, 0], \"axis\": [1, 2, 3], "
            "\"stiffness\": [[50, 5, 0, 1, 0, 2], [5, 40, 0, 0, 3, 0], [0, 0, 30, 0, 0, 1], [1, 0, 0, 3, 0.5, 0], "
            "[0, 3, 0, 0.5, 4, 0], [2, 0, 1, 0, 0, 5]]}");
  build_set(&b, "/start", "{\"a.wx\": 3, \"b.wx\": -3, \"b.wy\": 4, \"b.vz\": 1}");
  build_tight(&b, 3, 0.05);
  if (!build_simulate(&b)) FAIL("%s", b.message);
  for (int i = 0; i < 6; i++) before[i] = build_channel(&b, "%s", kept[i]);
  for (int k = 1; k <= 30 && b.sim; k++) {
    if (tn_sim_advance(b.sim, 0.1 * k, &e) != TN_OK) FAIL("%s", e.message);
    most = fmax(most, build_channel(&b, "m.energy"));
    CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 1e-9);
    for (int i = 0; i < 6; i++) CHECK_NEAR(build_channel(&b, "%s", kept[i]), before[i], 1e-9);
  }
  printf("tumbling: up to %.2g J in the bushing\n", most);
  CHECK(most > 2);
  build_free(&b);
}

static void refused(const char *part, const char *words) {
  build b;
  tn_model *m = NULL;
  tn_error e;
  build_new(&b, 1);
  build_set(&b, "/dimension", "3");
  build_set(&b, "/bodies/x", "{\"mass\": 2, \"inertia\": [0.3, 0.4, 0.5]}");
  build_set(&b, "/bodies/p", "{\"mass\": 2, \"coordinates\": \"point\"}");
  build_set(&b, "/forces/m", "{\"type\": \"bushing\", %s}", part);
  CHECK(tn_compile(b.desc, &m, &e) == TN_E_MODEL);
  CHECK_HAS(e.message, words);
  tn_model_free(m);
  build_free(&b);
}

TEST(what_is_refused) {
#define HOLD "\"between\": [\"ground\", \"x\"], \"at\": [0, 0, 0], "
  refused(HOLD "\"stiffness\": [1, 2, 3]", "needs 6 numbers, or a matrix of 6 rows");
  refused(HOLD "\"stiffness\": [1, 2, 3, 4, 5, -6]", "number 6 of its diagonal is -6");
  refused(HOLD "\"stiffness\": [[1, 2, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], "
               "[0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]",
          "negative eigenvalue");
  refused(HOLD "\"stiffness\": [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], "
               "[0, 0, 0, 0, 1, 0], [0, 0.5, 0, 0, 0, 1]]",
          "not symmetric: row 2 has 0 where row 6 has 0.5");
  refused(HOLD "\"stiffness\": [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], "
               "[0, 0, 0, 0, 1, 0], [0, 0]]",
          "a list of 6 numbers is needed");
  refused(HOLD "\"stiffness\": [[0, 1e-3, 0, 0, 0, 0], [1e-3, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], "
               "[0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]",
          "negative eigenvalue");
  refused(HOLD "\"stiffness\": [1, 1, 1, 1, 1, 1], \"damping\": [0, 0, -1, 0, 0, 0]", "`damping` must not be negative");
  refused("\"between\": [\"ground\", \"x\"], \"stiffness\": [1, 1, 1, 1, 1, 1]", "`at` is missing");
  refused("\"between\": [\"ground\", \"p\"], \"at\": \"p\", \"stiffness\": [1, 1, 1, 1, 1, 1]", "particle 'p'");
  refused("\"on\": \"x\", \"stiffness\": [1, 1, 1, 1, 1, 1]", "acts between two bodies");
}

/* a matrix without an inverse is as good as any */
TEST(stiffness_of_lower_rank) {
  build b;
  build_new(&b, 1);
  build_set(&b, "/bodies/x", "{\"mass\": 2, \"inertia\": 0.3}");
  build_set(
      &b, "/forces/m",
      "{\"type\": \"bushing\", \"between\": [\"ground\", \"x\"], \"at\": [0, 0], \"stiffness\": [[1, 2, 1e-3], [2, "
      "4, 2e-3], [1e-3, 2e-3, 1e-6]]}");
  if (!build_compile(&b)) FAIL("%s", b.message);
  build_free(&b);
}
