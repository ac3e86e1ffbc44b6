/* vectors, rotations, quaternions and charts in space, against definitions: sums over components, the exponential
 * series of a skew matrix, differences. */
#include "base/chart.h"
#include "support/space.h"
#include "test.h"

enum { INSTANCES = 300 };
static const double H = 3e-3, PI = 3.141592653589793;

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

static double apart(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = worse(most, fabs(a[i] - b[i]));
  return most;
}

/* exp of the skew matrix of s: its series, for s halved until it is small, and squared back */
static void exponential(const double s[3], double A[9]) {
  double K[9] = {0, -s[2], s[1], s[2], 0, -s[0], -s[1], s[0], 0}, term[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[9];
  for (int i = 0; i < 9; i++) K[i] /= 64, A[i] = term[i];
  for (int n = 1; n < 16; n++) {
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        x[3 * i + k] = 0;
        for (int l = 0; l < 3; l++) x[3 * i + k] += term[3 * i + l] * K[3 * l + k] / n;
      }
    for (int i = 0; i < 9; i++) term[i] = x[i], A[i] += x[i];
  }
  for (int n = 0; n < 6; n++) {
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        x[3 * i + k] = 0;
        for (int l = 0; l < 3; l++) x[3 * i + k] += A[3 * i + l] * A[3 * l + k];
      }
    memcpy(A, x, sizeof x);
  }
}

/* orthogonal, right-handed */
static double off_rotation(const double A[9]) {
  double err = 0, c[3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int l = 0; l < 3; l++) sum += A[3 * l + i] * A[3 * l + k];
      err = worse(err, fabs(sum - (i == k)));
    }
  tn_cross3(A, A + 3, c);
  return worse(err, fabs(tn_dot3(c, A + 6) - 1));
}

TEST(products) {
  build b;
  build_new(&b, 1);
  for (int n = 0; n < INSTANCES; n++) {
    double a[3], c[3], d[3], A[9], B[9], x[3], y[3], P[9], Q[9];
    space_vector(&b, 2, a), space_vector(&b, 2, c), space_vector(&b, 2, d);
    for (int i = 0; i < 9; i++) A[i] = build_uniform(&b, -2, 2), B[i] = build_uniform(&b, -2, 2);
    /* the cross product is the one linear map that is normal to both, as long as the area, and right-handed */
    tn_cross3(a, c, x);
    CHECK_NEAR(tn_dot3(x, a), 0, 1e-14);
    CHECK_NEAR(tn_dot3(x, c), 0, 1e-14);
    CHECK_NEAR(tn_dot3(x, x), tn_dot3(a, a) * tn_dot3(c, c) - tn_dot3(a, c) * tn_dot3(a, c), 1e-12);
    CHECK_NEAR(tn_triple3(d, a, c),
               d[0] * (a[1] * c[2] - a[2] * c[1]) + d[1] * (a[2] * c[0] - a[0] * c[2]) +
                   d[2] * (a[0] * c[1] - a[1] * c[0]),
               1e-13);
    tn_cross_twice3(a, c, d, x); /* a x (c x d) = c a'd - d a'c */
    for (int i = 0; i < 3; i++) y[i] = c[i] * tn_dot3(a, d) - d[i] * tn_dot3(a, c);
    CHECK(apart(3, x, y) <= 1e-13);
    /* of matrices */
    for (int kind = 0; kind < 3; kind++) {
      (kind == 0 ? tn_product3 : kind == 1 ? tn_product_t3 : tn_t_product3)(A, B, P);
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
          Q[3 * i + k] = 0;
          for (int l = 0; l < 3; l++)
            Q[3 * i + k] += (kind == 2 ? A[3 * l + i] : A[3 * i + l]) * (kind == 1 ? B[3 * k + l] : B[3 * l + k]);
        }
      CHECK(apart(9, P, Q) <= 1e-14);
    }
    tn_turn3(A, a, x);
    tn_unturn3(A, c, y);
    CHECK_NEAR(tn_dot3(c, x), tn_dot3(y, a), 1e-13); /* c'(A a) = (A'c)'a */
    for (int k = 0; k < 3; k++) {
      const double e[3] = {k == 0, k == 1, k == 2};
      tn_axis3(A, k, x);
      tn_turn3(A, e, y);
      CHECK(apart(3, x, y) == 0);
    }
  }
  const double ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0}, ez[3] = {0, 0, 1};
  double x[3];
  tn_cross3(ex, ey, x);
  CHECK(apart(3, x, ez) == 0);
  build_free(&b);
}

TEST(rotation_about_an_axis) {
  build b;
  double worst = 0;
  build_new(&b, 2);
  for (int n = 0; n < INSTANCES; n++) {
    const double angle = n < 20 ? pow(10, -n) : build_uniform(&b, -7, 7);
    double e[3], s[3], A[9], B[9];
    space_direction(&b, e);
    for (int i = 0; i < 3; i++) s[i] = angle * e[i];
    tn_rotation_about3(e, angle, A);
    exponential(s, B);
    worst = worse(worst, worse(apart(9, A, B), off_rotation(A)));
  }
  printf("rotation about an axis: %.1e\n", worst);
  CHECK(worst <= 1e-13);
  build_free(&b);
}

TEST(smallest_turn_from_one_to_another) {
  build b;
  double worst = 0;
  build_new(&b, 3);
  for (int n = 0; n < INSTANCES; n++) {
    double a[3], c[3], A[9], x[3], normal[3];
    space_direction(&b, a);
    space_normal(&b, a, normal);
    /* at all angles, and close to none and to half a turn */
    const double small = n % 4 == 0 ? 0 : pow(10, -(n % 17)), angle = n % 2   ? small
                                                                      : n % 3 ? PI - small
                                                                              : build_uniform(&b, 0, PI);
    for (int i = 0; i < 3; i++) c[i] = cos(angle) * a[i] + sin(angle) * normal[i];
    tn_rotation_to3(a, c, A);
    tn_turn3(A, a, x);
    worst = worse(worst, worse(apart(3, x, c), off_rotation(A)));
    worst = worse(worst, fabs(A[0] + A[4] + A[8] - 1 - 2 * tn_dot3(a, c))); /* no larger than it must be */
    if (angle < 3) { /* then there is one only: the normal to both stays */
      double m[3];
      tn_cross3(a, normal, m);
      tn_turn3(A, m, x);
      worst = worse(worst, apart(3, x, m) * fmin(1, sin(angle) * 1e8));
    }
  }
  printf("smallest turns: %.1e\n", worst);
  CHECK(worst <= 1e-13);
  build_free(&b);
}

TEST(frames_along) {
  build b;
  double worst = 0;
  build_new(&b, 4);
  for (int n = 0; n < INSTANCES; n++) {
    double z[3], t[3], A[9], x[3], y[3];
    space_direction(&b, z);
    if (n < 6) z[0] = z[1] = z[2] = 0, z[n % 3] = n < 3 ? 1 : -1;
    space_direction(&b, t);
    if (n % 3 == 1) memcpy(t, z, sizeof t); /* says nothing */
    if (n % 6 == 3) {                       /* hardly anything */
      for (int i = 0; i < 3; i++) t[i] = z[i] + pow(10, -(n / 6 % 9)) * t[i];
      const double l = tn_norm3(t);
      for (int i = 0; i < 3; i++) t[i] /= l;
    }
    tn_frame_along3(z, n % 3 == 2 ? NULL : t, A);
    tn_axis3(A, 2, x);
    worst = worse(worst, worse(apart(3, x, z), off_rotation(A)));
    if (n % 3) continue;
    tn_axis3(A, 0, x);
    tn_axis3(A, 1, y);
    worst = worse(worst, fabs(tn_dot3(y, t))); /* t in the plane of x and z, on the side of x */
    CHECK(tn_dot3(x, t) > 0 || fabs(fabs(tn_dot3(z, t)) - 1) < 1e-9);
  }
  printf("frames along a direction: %.1e\n", worst);
  CHECK(worst <= 1e-13);
  build_free(&b);
}

TEST(quaternions) {
  build b;
  double worst = 0;
  build_new(&b, 5);
  for (int n = 0; n < INSTANCES; n++) {
    static const double quarter[] = {0, 1.5707963267948966, 3.141592653589793, -1.5707963267948966};
    const double angle = n < 12 ? quarter[n / 3] : n < 40 ? PI - pow(10, -(n % 14)) : build_uniform(&b, -PI, PI);
    const double l = build_uniform(&b, 0.2, 4);
    double a[3], e[4], f[4], g[4], A[9], B[9], C[9], D[9];
    space_direction(&b, a);
    if (n < 12) a[0] = n % 3 == 0, a[1] = n % 3 == 1, a[2] = n % 3 == 2;
    tn_rotation_about3(a, angle, A);
    /* (cos, e sin) of half the angle, of any length, either sign */
    for (int i = 0; i < 4; i++) e[i] = l * (n & 1 ? 1 : -1) * (i ? sin(angle / 2) * a[i - 1] : cos(angle / 2));
    tn_quaternion_rotation(e, B);
    worst = worse(worst, worse(apart(9, A, B), off_rotation(B)));
    /* and back: of length 1, w >= 0 */
    tn_rotation_quaternion(A, f);
    worst = worse(worst, fabs(f[0] * f[0] + f[1] * f[1] + f[2] * f[2] + f[3] * f[3] - 1));
    CHECK(f[0] >= 0);
    tn_quaternion_rotation(f, B);
    worst = worse(worst, apart(9, A, B));
    /* the product turns one after the other */
    for (int i = 0; i < 4; i++) f[i] = build_uniform(&b, -1, 1);
    tn_quaternion_product(e, f, g);
    tn_quaternion_rotation(e, A);
    tn_quaternion_rotation(f, B);
    tn_quaternion_rotation(g, C);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        D[3 * i + k] = 0;
        for (int m = 0; m < 3; m++) D[3 * i + k] += A[3 * i + m] * B[3 * m + k];
      }
    worst = worse(worst, apart(9, C, D));
  }
  printf("quaternions: %.1e\n", worst);
  CHECK(worst <= 1e-13);
  build_free(&b);
}

/* (+) by s: the turn s comes after, in world axes, and is the inverse of the rotation vector */
TEST(rotation_vectors) {
  build b;
  double worst = 0, back = 0;
  build_new(&b, 6);
  for (int n = 0; n < INSTANCES; n++) {
    const double size = n < 40 ? pow(10, -n / 2.0) : n < 60 ? PI - pow(10, -(n - 40) / 2.0) : build_uniform(&b, 0, PI);
    double a[3], s[3], e[4], A[9], R[9], B[9], C[9], x[3], l = 0;
    space_direction(&b, a);
    for (int i = 0; i < 3; i++) s[i] = size * a[i];
    for (int i = 0; i < 4; i++) e[i] = build_uniform(&b, -2, 2);
    tn_quaternion_rotation(e, A);
    tn_quaternion_add(e, s);
    for (int i = 0; i < 4; i++) l += e[i] * e[i];
    tn_quaternion_rotation(e, B);
    exponential(s, R);
    tn_product3(R, A, C);
    worst = worse(worst, worse(apart(9, B, C), fabs(l - 1)));
    tn_rotation_vector3(R, x);
    /* at half a turn -s is as good */
    back = worse(back, fmin(apart(3, x, s), size > 3.1 ? apart(3, x, (double[3]){-s[0], -s[1], -s[2]}) : 9) /
                           fmax(size, 1e-8));
    CHECK(tn_norm3(x) <= PI + 1e-15);
  }
  printf("turns added: %.1e, rotation vectors %.1e of their length\n", worst, back);
  CHECK(worst <= 1e-13 && back <= 2e-8); /* R knows a small angle to within 1e-16 */
  const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double x[3];
  tn_rotation_vector3(none, x);
  CHECK(x[0] == 0 && x[1] == 0 && x[2] == 0);
  build_free(&b);
}

/* small rotation vectors are as exact as the rotation knows them */
TEST(small_rotation_vectors) {
  for (int n = 0; n < 16; n++) {
    const double size = pow(10, -n), s[3] = {0.36 * size, -0.48 * size, 0.8 * size};
    double A[9], x[3];
    exponential(s, A);
    tn_rotation_vector3(A, x);
    CHECK(apart(3, x, s) <= 1e-14 * size);
  }
}

TEST(unwrapped_angles) {
  build b;
  build_new(&b, 7);
  for (int n = 0; n < INSTANCES; n++) {
    const double angle = build_uniform(&b, -PI, PI), last = build_uniform(&b, -60, 60), x = tn_unwrap(angle, last);
    const double turns = (x - angle) / (2 * PI);
    CHECK_NEAR(turns, round(turns), 1e-13);
    CHECK(fabs(x - last) <= PI * (1 + 1e-14));
  }
  CHECK(tn_unwrap(0.3, 0.2) == 0.3);
  CHECK(tn_unwrap(-3.1, 3.1) > 3.1);
  CHECK(tn_unwrap(3.1, -3.1) < -3.1);
  build_free(&b);
}

/* ---- charts ------------------------------------------------------------------------------------------------------ */

/* pose of a chart: place if it has one, and rotation; q of a rotation is its last four */
static void pose_of(const tn_chart *c, const double *q, double r[3], double A[9]) {
  memset(r, 0, 3 * sizeof *r);
  if (c->nq == 7) memcpy(r, q, 3 * sizeof *r);
  tn_quaternion_rotation(q + c->nq - 4, A);
}

/* (r, A) to (r', A') as a twist, world axes */
static void step_between(const double r[3], const double A[9], const double r1[3], const double A1[9], double s[6]) {
  double R[9];
  tn_product_t3(A1, A, R);
  tn_sub3(r1, r, s);
  tn_rotation_vector3(R, s + 3);
}

TEST(charts) {
  static const tn_chart *const charts[] = {&tn_chart_rotation, &tn_chart_pose};
  for (int k = 0; k < 2; k++) {
    const tn_chart *c = charts[k];
    double rates = 0, kept = 0, add = 0, tangent = 0, inverse = 0;
    build b;
    build_new(&b, 8);
    CHECK(c->nq == c->nu + 1 && (c->nu == 3 || c->nu == 6));
    for (int n = 0; n < INSTANCES; n++) {
      double q[8], u[8], qdot[8], x[8], s[8], r[3], A[9], r1[3], A1[9], t[6], at[9][BUILD_STENCIL], length = 0,
                                                                                                    along = 0;
      for (int i = 0; i < c->nq; i++) q[i] = build_uniform(&b, -1.5, 1.5);
      for (int i = 0; i < c->nu; i++) u[i] = build_uniform(&b, -2, 2);
      const int e = c->nq - 4;
      c->rates(q, u, qdot);
      pose_of(c, q, r, A);
      /* the pose moves with the twist u */
      for (int i = 0; i < BUILD_STENCIL; i++) {
        for (int d = 0; d < c->nq; d++) x[d] = q[d] + build_offset(i, H) * qdot[d];
        pose_of(c, x, r1, A1);
        for (int d = 0; d < 9; d++) at[d][i] = A1[d];
      }
      for (int col = 0; col < 3; col++) {
        double axis[3], wx[3];
        tn_axis3(A, col, axis);
        tn_cross3(u + c->nu - 3, axis, wx);
        for (int d = 0; d < 3; d++) rates = worse(rates, fabs(build_slope(at[3 * d + col], H) - wx[d]));
      }
      if (e) rates = worse(rates, apart(3, qdot, u));
      for (int d = 0; d < 4; d++) length += q[e + d] * q[e + d], along += q[e + d] * qdot[e + d];
      kept = worse(kept, fabs(along));
      /* tangent undoes rates, and what lies along e does not count */
      for (int d = 0; d < 4; d++) qdot[e + d] += 0.7 * q[e + d];
      c->tangent(q, qdot, s);
      tangent = worse(tangent, apart(c->nu, s, u));
      /* add moves the pose by s, however large, and leaves length 1 */
      memcpy(x, q, sizeof x);
      c->add(x, u);
      pose_of(c, x, r1, A1);
      step_between(r, A, r1, A1, t);
      if (tn_norm3(u + c->nu - 3) < 3) add = worse(add, apart(3, t + 3, u + c->nu - 3));
      if (e) add = worse(add, apart(3, t, u));
      length = 0;
      for (int d = 0; d < 4; d++) length += x[e + d] * x[e + d];
      add = worse(add, fabs(length - 1));
      /* small steps: tangent of what add does to a q of length 1, to second order */
      const double h = 1e-4;
      double small[8], y[8], dq[8];
      for (int d = 0; d < c->nu; d++) small[d] = h * u[d];
      memcpy(y, x, sizeof y);
      c->add(y, small);
      for (int d = 0; d < c->nq; d++) dq[d] = y[d] - x[d];
      c->tangent(x, dq, s);
      inverse = worse(inverse, apart(c->nu, s, small) / h);
      /* add backwards from there comes back */
      for (int d = 0; d < c->nu; d++) small[d] = -u[d];
      c->add(x, small);
      pose_of(c, x, r1, A1);
      step_between(r, A, r1, A1, t);
      add = worse(add, worse(tn_norm3(t), tn_norm3(t + 3)));
    }
    /* at zero there is no displacement */
    double r[3], A[9];
    pose_of(c, c->zero, r, A);
    CHECK(tn_norm3(r) == 0 && A[0] == 1 && A[4] == 1 && A[8] == 1 && A[1] == 0 && A[2] == 0 && A[5] == 0);
    printf("chart of %d: rates %.1e, |e| %.1e, tangent %.1e, add %.1e, one of the other %.1e\n", c->nq, rates, kept,
           tangent, add, inverse);
    CHECK(rates <= 1e-9 && kept <= 1e-14 && tangent <= 1e-13 && add <= 1e-13 && inverse <= 1e-7);
    build_free(&b);
  }
}
