/* bodies that stretch: Euler parameters as they are, off length 1, against the formulas that papers print for them.
 *   rows    every joint type of the registry: it is refused by name, or Cdot is the derivative of C and gamma completes that of Cdot,
 *           along motions on which e has any length
 *   motion  T = m |d(r + A c)/dt|^2/2 + (Gbar edot)'I (Gbar edot)/2 with A(e) and Gbar(e) written out here; u'Mu/2 is T, and
 *           M udot - f = d/dt dT/du - dT/dq + dV/dq
 *   torque  works on Gbar edot
 * derivatives by central differences of h, h/2, h/4, whose errors fall by four each time */
#include "support/space.h"
#include "test.h"

static const char FORM[] = "{\"type\": \"euler-parameters\", \"normalized\": false}";

/* ---- the formulas of the papers ---------------------------------------------------------------------------------------- */

static void rotation_of(const double e[4], double A[9]) {
  const double a = e[0], b = e[1], c = e[2], d = e[3];
  const double x[9] = {a * a + b * b - c * c - d * d, 2 * (b * c - a * d),           2 * (b * d + a * c),
                       2 * (b * c + a * d),           a * a - b * b + c * c - d * d, 2 * (c * d - a * b),
                       2 * (b * d - a * c),           2 * (c * d + a * b),           a * a - b * b - c * c + d * d};
  memcpy(A, x, sizeof x);
}

static void gbar_of(const double e[4], double G[12]) {
  const double x[12] = {-e[1], e[0], e[3], -e[2], -e[2], -e[3], e[0], e[1], -e[3], e[2], -e[1], e[0]};
  for (int i = 0; i < 12; i++) G[i] = 2 * x[i];
}

/* A(e) is quadratic: d/dt of it is A(e + edot) - A(e) - A(edot) */
static void rotation_rate(const double e[4], const double edot[4], double Adot[9]) {
  double sum[4], A[9], B[9];
  for (int i = 0; i < 4; i++) sum[i] = e[i] + edot[i];
  rotation_of(sum, Adot);
  rotation_of(e, A);
  rotation_of(edot, B);
  for (int i = 0; i < 9; i++) Adot[i] -= A[i] + B[i];
}

static double kinetic_of(const build *b, const double *q, const double *u) {
  double T = 0;
  for (int i = 0; i < b->model->bodies; i++) {
    const tn_body *body = &b->model->body[i];
    const double *r = q + body->q, *v = u + body->u;
    double c[3] = {0}, w[3] = {0}, Iw[3], Adot[9], G[12];
    if (body->nu == 7) {
      rotation_rate(r + 3, v + 3, Adot);
      tn_turn3(Adot, body->center, c);
      gbar_of(r + 3, G);
      for (int k = 0; k < 12; k++) w[k / 4] += G[k] * v[3 + k % 4];
    }
    tn_axpy3(1, v, c);
    tn_turn3(body->tensor, w, Iw);
    T += 0.5 * body->mass * tn_dot3(c, c) + 0.5 * tn_dot3(w, Iw);
  }
  return T;
}

/* ---- motions ----------------------------------------------------------------------------------------------------------- */

typedef struct course {
  double c[BUILD_MOST][4];
} course;

/* near the given pose, lengths of e from 0.7 to 1.4 */
static void course_random(build *b, course *x) {
  const tn_model *m = b->model;
  for (int i = 0; i < m->nq; i++) {
    x->c[i][0] = m->q0[i] + build_uniform(b, -0.1, 0.1);
    for (int k = 1; k < 4; k++) x->c[i][k] = build_uniform(b, -0.8, 0.8);
  }
  for (int i = 0; i < m->bodies; i++) {
    const double length = build_uniform(b, 0.75, 1.3);
    for (int k = 3; k < m->body[i].nq; k++) x->c[m->body[i].q + k][0] *= length;
  }
}

static void course_at(const build *b, const course *x, double s, double *q, double *u, double *udot) {
  for (int i = 0; i < b->model->nq; i++) {
    const double *c = x->c[i];
    q[i] = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    u[i] = c[1] + s * (2 * c[2] + s * 3 * c[3]);
    udot[i] = 2 * c[2] + 6 * c[3] * s;
  }
}

/* errors of a difference for h, h/2, h/4: they fall as h^2, or are roundoff */
static bool converges(const double e[3], double size) {
  if (fabs(e[2]) < 1e-8 * size) return true;
  return fabs(e[2]) < 1e-2 * size && fabs(e[0]) > 3 * fabs(e[1]) && fabs(e[1]) > 3 * fabs(e[2]);
}

static const double H = 4e-3;

/* ---- rows -------------------------------------------------------------------------------------------------------------- */

static void state_at(build *b, const course *x, double s, double *udot) {
  double q[BUILD_MOST], u[BUILD_MOST];
  course_at(b, x, s, q, u, udot);
  tn_assemble(&b->sys, 0.3 + s, q, u);
}

static bool rows_of(build *b, char why[120]) {
  const tn_model *m = b->model;
  tn_system *s = &b->sys;
  static double side[2][2][BUILD_MOST];
  double udot[BUILD_MOST], unused[BUILD_MOST], Cdot[BUILD_MOST], rate[BUILD_MOST], size[BUILD_MOST],
      e[BUILD_MOST][2][3];
  course x;
  course_random(b, &x);
  state_at(b, &x, 0, udot);
  tn_remember(s);
  state_at(b, &x, 0, udot);
  for (int i = 0; i < m->rows; i++) {
    double Au = s->rows.Ct[i];
    Cdot[i] = s->rows.Cdot[i];
    rate[i] = -s->rows.gamma[i];
    size[i] = 1 + fabs(s->rows.gamma[i]) + fabs(Cdot[i]);
    for (int k = 0; k < m->nu; k++) {
      const double a = s->A[(size_t)i * (size_t)m->nu + (size_t)k];
      Au += a * s->at.u[k];
      rate[i] += a * udot[k];
      size[i] += fabs(a * udot[k]) + fabs(a * s->at.u[k]);
    }
    if (fabs(Au - Cdot[i]) > 1e-12 * size[i]) return snprintf(why, 120, "Cdot of row %d", i), false;
  }
  for (int n = 0; n < 3; n++) {
    const double h = H / (1 << n);
    for (int k = 0; k < 2; k++) {
      state_at(b, &x, k ? h : -h, unused);
      memcpy(side[k][0], s->rows.C, sizeof *s->rows.C * (size_t)m->rows);
      memcpy(side[k][1], s->rows.Cdot, sizeof *s->rows.C * (size_t)m->rows);
    }
    for (int i = 0; i < m->rows; i++) {
      e[i][0][n] = i < m->holonomic ? (side[1][0][i] - side[0][0][i]) / (2 * h) - Cdot[i] : 0;
      e[i][1][n] = (side[1][1][i] - side[0][1][i]) / (2 * h) - rate[i];
    }
  }
  for (int i = 0; i < m->rows; i++)
    for (int k = 0; k < 2; k++)
      if (!converges(e[i][k], size[i]))
        return snprintf(why, 120, "%s of row %d: off by %.2g, %.2g, %.2g", k ? "gamma" : "C", i, e[i][k][0], e[i][k][1],
                        e[i][k][2]),
               false;
  return true;
}

TEST(rows_of_every_joint) {
  int accepted = 0, refused = 0;
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *type = tn_joint_types[i];
    int good = 0, bad = 0;
    if (!type->space.there) continue;
    for (int n = 0; n < 12; n++) {
      build b;
      space_given g;
      char why[120] = "";
      space_new(&b, (uint64_t)n);
      build_set(&b, "/body_coordinates", "%s", FORM);
      space_world(&b);
      if (type->seat == TN_SEAT_CHANNELS) space_helpers(&b);
      if (!space_joint(&b, "j", type, NULL, NULL, n & 1, &g)) FAIL("joint %s: %s", type->name, b.message);
      if (build_compile(&b)) {
        good++;
        if (b.model->twist == TN_TWIST && !rows_of(&b, why)) FAIL("joint %s, %d: %s", type->name, n, why);
      } else {
        bad++;
        if (!strstr(b.message, "joint 'j'") || !strstr(b.message, "not normalized"))
          FAIL("joint %s, %d: %s", type->name, n, b.message);
      }
      build_free(&b);
    }
    printf("%-18s accepted %d, refused %d\n", type->name, good, bad);
    /* one that says nothing about them is on no such body */
    const bool says = type->space.list || type->space.stretch || type->seat == TN_SEAT_CHANNELS ||
                      !(type->space.rows + type->space.rows_velocity_only);
    if (says ? good == 0 : bad == 0) FAIL("joint %s: %d accepted, %d refused", type->name, good, bad);
    accepted += says;
    refused += !says;
  }
  CHECK(accepted >= 15 && refused >= 4);
}

/* ---- motion ------------------------------------------------------------------------------------------------------------ */

static void pulled(build *b, uint64_t seed) {
  space_new(b, seed);
  build_set(b, "/body_coordinates", "%s", FORM);
  build_set(b, "/gravity", "[1.5, -2, -9.81]");
  space_world(b);
  build_set(b, "/forces/pull",
            "{\"type\": \"spring\", \"between\": [\"a\", \"b\"], \"on_bodies\": [[0.3, -0.2, 0.5], "
            "[-0.4, 0.1, 0.2]], \"stiffness\": 40, \"length\": 0.3}");
}

static double potential_at(build *b, const double *q, const double *u) {
  double T, V;
  tn_assemble(&b->sys, 0, q, u);
  tn_energy_here(&b->sys, &T, &V);
  return V;
}

TEST(lagranges_equations_with_the_printed_energy) {
  for (int seed = 0; seed < 6; seed++) {
    static double M[BUILD_MOST * BUILD_MOST];
    double q[BUILD_MOST], u[BUILD_MOST], udot[BUILD_MOST], f[BUILD_MOST], p[2][BUILD_MOST], T, V, e[BUILD_MOST][3];
    build b;
    course x;
    pulled(&b, (uint64_t)seed);
    if (!build_compile(&b)) FAIL("%s", b.message);
    const int n = b.model->nu;
    course_random(&b, &x);
    course_at(&b, &x, 0, q, u, udot);
    tn_assemble(&b.sys, 0, q, u);
    memcpy(M, b.sys.M, sizeof *M * (size_t)(n * n));
    memcpy(f, b.sys.f, sizeof *f * (size_t)n);
    tn_energy_here(&b.sys, &T, &V);
    CHECK_NEAR(T, kinetic_of(&b, q, u), 1e-12 * T);
    double half = 0;
    for (int i = 0; i < n * n; i++) half += 0.5 * u[i / n] * M[i] * u[i % n];
    CHECK_NEAR(half, T, 1e-12 * T);
    for (int k = 0; k < 3; k++) {
      const double h = H / (1 << k);
      for (int side = 0; side < 2; side++) { /* dT/du = M u along the motion */
        double qs[BUILD_MOST], us[BUILD_MOST], unused[BUILD_MOST];
        course_at(&b, &x, side ? h : -h, qs, us, unused);
        tn_assemble(&b.sys, 0, qs, us);
        for (int i = 0; i < n; i++) {
          p[side][i] = 0;
          for (int j = 0; j < n; j++) p[side][i] += b.sys.M[i * n + j] * us[j];
        }
      }
      for (int i = 0; i < n; i++) {
        double moved[BUILD_MOST], dL[2], left = (p[1][i] - p[0][i]) / (2 * h);
        for (int side = 0; side < 2; side++) {
          memcpy(moved, q, sizeof moved);
          moved[i] += side ? h : -h;
          dL[side] = kinetic_of(&b, moved, u) - potential_at(&b, moved, u);
        }
        left -= (dL[1] - dL[0]) / (2 * h);
        e[i][k] = left + f[i];
        for (int j = 0; j < n; j++) e[i][k] -= M[i * n + j] * udot[j];
      }
    }
    for (int i = 0; i < n; i++)
      if (!converges(e[i], 30)) FAIL("%d: speed %d is off by %.2g, %.2g, %.2g", seed, i, e[i][0], e[i][1], e[i][2]);
    build_free(&b);
  }
}

TEST(torques_work_on_gbar_edot) {
  static const char *const about[] = {"\"axes\": \"body\"", "\"axes\": \"world\""};
  for (int k = 0; k < 2; k++) {
    double q[BUILD_MOST], u[BUILD_MOST], udot[BUILD_MOST], f[BUILD_MOST], G[12], R[9], n[3], ee = 0;
    const double given[3] = {0.6, 0, 0.8};
    build b;
    course x;
    for (int on = 0; on < 2; on++) {
      pulled(&b, 3);
      build_set(&b, "/forces/turn",
                "{\"type\": \"torque\", \"on\": \"a\", \"about\": [0.6, 0, 0.8], \"value\": %d, %s}", 7 * on, about[k]);
      if (!build_compile(&b)) FAIL("%s", b.message);
      course_random(&b, &x);
      course_at(&b, &x, 0, q, u, udot);
      tn_assemble(&b.sys, 0, q, u);
      for (int i = 0; i < 7; i++) f[i] = b.sys.f[i] - (on ? f[i] : 0);
      build_free(&b);
    }
    gbar_of(q + 3, G);
    for (int i = 0; i < 4; i++) ee += q[3 + i] * q[3 + i];
    tn_quaternion_rotation(q + 3, R);
    if (k)
      tn_unturn3(R, given, n);
    else
      memcpy(n, given, sizeof n);
    CHECK(fabs(ee - 1) > 0.05);
    for (int i = 0; i < 4; i++) CHECK_NEAR(f[3 + i], 7 * (G[i] * n[0] + G[4 + i] * n[1] + G[8 + i] * n[2]), 1e-12);
  }
}
