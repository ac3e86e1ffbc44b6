/* every way to give a body coordinates in space, found in the registry: motion axes against differences of the pose,
 * bias against differences of the twist along a random motion on which quaternions have any length, rates of
 * coordinates, rows of their own, from_pose and back; and the same motion from all of them, which is that of Euler's
 * equations. */
#include "simulate/simulate.h"
#include "support/space.h"
#include "test.h"

enum { INSTANCES = 100, MOST = 8 };

/* a check on one instance of a type, and what is off there */
typedef struct off {
  double twist, axes, bias, turn, worst, rates, inverse, back, first, second, zero;
} off;

typedef struct trial {
  const tn_body_type *type;
  off *to;
} trial;

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

/* q of one body as polynomials of s */
typedef struct course {
  double c[MOST][4];
} course;

static bool small(const tn_body_type *type) {
  const tn_body3 *x = &type->space;
  if (!x->nq) return false;
  if (x->nq <= MOST && x->nu <= MOST && (x->chart ? x->chart->nq == x->nq && x->chart->nu == x->nu : x->nq == x->nu))
    return true;
  FAIL("coordinates %s: %d and %d of them are not known to this test", type->name, x->nq, x->nu);
  return false;
}

static void course_random(build *b, const tn_body3 *x, course *c) {
  do {
    for (int i = 0; i < MOST; i++)
      for (int k = 0; k < 4; k++) c->c[i][k] = build_uniform(b, -1.2, 1.2);
    double q[MOST];
    for (int i = 0; i < MOST; i++) q[i] = c->c[i][0];
    if (x->regular && x->regular(q) < 0.2) continue;
    if (x->nq < 7 || q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6] > 0.5) return;
  } while (true);
}

static void course_at(const tn_body3 *x, const course *c, double s, double *q, double *u) {
  double qdot[MOST];
  for (int i = 0; i < x->nq; i++) {
    const double *k = c->c[i];
    q[i] = k[0] + s * (k[1] + s * (k[2] + s * k[3]));
    qdot[i] = k[1] + s * (2 * k[2] + s * 3 * k[3]);
  }
  if (x->chart)
    x->chart->tangent(q, qdot, u);
  else
    memcpy(u, qdot, sizeof *u * (size_t)x->nu);
}

static void body_at(const tn_body3 *x, const double *q, const double *u, tn_frame3 *f, double *S) {
  memset(f, 0x7f, sizeof *f); /* all of it must be filled */
  memset(S, 0x7f, sizeof *S * 6 * (size_t)x->nu);
  x->motion(q, u, f, S);
}

/* the rate at which A turns, against w */
static double off_turn(const tn_frame3 *f, double A[9][BUILD_STENCIL], double h) {
  double err = 0;
  for (int col = 0; col < 3; col++) {
    double e[3], wx[3];
    tn_axis3(f->A, col, e);
    tn_cross3(f->w, e, wx);
    for (int d = 0; d < 3; d++) err = worse(err, fabs(build_slope(A[3 * d + col], h) - wx[d]) / (1 + tn_norm3(f->w)));
  }
  return err;
}

static double twist_and_bias(build *b, const void *of) {
  const tn_body_type *type = ((const trial *)of)->type;
  const tn_body3 *x = &type->space;
  off *to = ((const trial *)of)->to;
  *to = (off){0};
  course c;
  tn_frame3 f;
  double q[MOST], u[MOST], S[6 * MOST], r[3][BUILD_STENCIL], A[9][BUILD_STENCIL], v[6][BUILD_STENCIL],
      speeds[MOST][BUILD_STENCIL];
  course_random(b, x, &c);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    course_at(x, &c, build_offset(k, b->h), q, u);
    body_at(x, q, u, &f, S);
    for (int d = 0; d < 3; d++) r[d][k] = f.r[d], v[d][k] = f.v[d], v[3 + d][k] = f.w[d];
    for (int d = 0; d < 9; d++) A[d][k] = f.A[d];
    for (int d = 0; d < x->nu; d++) speeds[d][k] = u[d];
  }
  course_at(x, &c, 0, q, u);
  body_at(x, q, u, &f, S);
  for (int d = 0; d < 3; d++) to->twist = worse(to->twist, fabs(f.v[d] - build_slope(r[d], b->h)));
  to->twist = worse(to->twist, off_turn(&f, A, b->h));
  for (int d = 0; d < 6; d++) {
    double t = d < 3 ? f.v[d] : f.w[d - 3], a = d < 3 ? f.a0[d] : f.al0[d - 3], size = 1 + fabs(a);
    for (int k = 0; k < x->nu; k++) {
      t -= S[d * x->nu + k] * u[k];
      a += S[d * x->nu + k] * build_slope(speeds[k], b->h);
      size += fabs(S[d * x->nu + k] * build_slope(speeds[k], b->h));
    }
    to->axes = worse(to->axes, fabs(t) / (1 + tn_norm3(f.w)));
    to->bias = worse(to->bias, fabs(a - build_slope(v[d], b->h)) / size);
  }
  double R[9];
  tn_t_product3(f.A, f.A, R);
  for (int k = 0; k < 9; k++) to->turn = worse(to->turn, fabs(R[k] - (k % 4 == 0)));
  if (!type->oriented)
    to->turn = worse(to->turn, tn_norm3(f.w) + fabs(f.A[0] - 1) + fabs(f.A[4] - 1) + fabs(f.A[8] - 1));
  return worse(to->twist, to->bias);
}

TEST(twist_axes_and_bias) {
  int types = 0;
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *type = tn_body_types[i];
    double twist = 0, axes = 0, bias = 0, turn = 0;
    if (!small(type)) continue;
    types++;
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      off to;
      const trial of = {type, &to};
      build_new(&b, (uint64_t)n);
      twist = worse(twist, build_converged(&b, twist_and_bias, &of, 1e-9, TN_ANALYTIC));
      twist = worse(twist, to.twist);
      axes = worse(axes, to.axes);
      bias = worse(bias, to.bias);
      turn = worse(turn, to.turn);
      build_free(&b);
    }
    printf("%-16s twist %.1e, axes %.1e, bias %.1e, orthogonal %.1e\n", type->name, twist, axes, bias, turn);
    if (!(twist <= 1e-9 && axes <= 1e-13 && bias <= 1e-9 && turn <= 1e-14)) FAIL("coordinates %s", type->name);
  }
  CHECK(types >= 4);
}

static double axes_of(build *b, const void *of) {
  const tn_body_type *type = ((const trial *)of)->type;
  const tn_body3 *x = &type->space;
  off *to = ((const trial *)of)->to;
  *to = (off){0};
  course c;
  tn_frame3 f;
  double q[MOST], u[MOST], S[6 * MOST], unused[6 * MOST], r[3][BUILD_STENCIL], A[9][BUILD_STENCIL];
  static const double rest[MOST];
  course_random(b, x, &c);
  course_at(x, &c, 0, q, u);
  body_at(x, q, rest, &f, S);
  CHECK(tn_norm3(f.v) + tn_norm3(f.w) + tn_norm3(f.a0) + tn_norm3(f.al0) == 0);
  for (int k = 0; k < x->nu; k++) {
    for (int l = 0; l < BUILD_STENCIL; l++) {
      double y[MOST], s[MOST] = {0};
      memcpy(y, q, sizeof y);
      s[k] = build_offset(l, b->h);
      if (x->chart)
        x->chart->add(y, s);
      else
        y[k] += s[k];
      tn_frame3 moved;
      body_at(x, y, rest, &moved, unused);
      for (int d = 0; d < 3; d++) r[d][l] = moved.r[d];
      for (int d = 0; d < 9; d++) A[d][l] = moved.A[d];
    }
    for (int d = 0; d < 3; d++) {
      to->worst = worse(to->worst, fabs(S[d * x->nu + k] - build_slope(r[d], b->h)));
      f.w[d] = S[(3 + d) * x->nu + k];
    }
    to->worst = worse(to->worst, off_turn(&f, A, b->h));
  }
  return to->worst;
}

/* each column of S: the pose moved along one speed alone, by the chart */
TEST(motion_axes_one_by_one) {
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *type = tn_body_types[i];
    double worst = 0;
    if (!small(type)) continue;
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      off to;
      const trial of = {type, &to};
      build_new(&b, (uint64_t)n);
      worst = worse(worst, build_converged(&b, axes_of, &of, 1e-9, TN_ANALYTIC));
      worst = worse(worst, to.worst);
      build_free(&b);
    }
    printf("%-16s axes %.1e\n", type->name, worst);
    if (!(worst <= 1e-9)) FAIL("coordinates %s: axes are off by %.3g", type->name, worst);
  }
}

static double rates_of(build *b, const void *of) {
  const tn_body_type *type = ((const trial *)of)->type;
  const tn_body3 *x = &type->space;
  off *to = ((const trial *)of)->to;
  *to = (off){0};
  course c;
  double q[MOST], u[MOST], qdot[MOST], s[MOST], at[MOST][BUILD_STENCIL];
  course_random(b, x, &c);
  course_at(x, &c, 0, q, u);
  /* any length: tangent undoes rates */
  x->chart->rates(q, u, qdot);
  x->chart->tangent(q, qdot, s);
  for (int k = 0; k < x->nu; k++) to->inverse = worse(to->inverse, fabs(s[k] - u[k]) / (1 + fabs(u[k])));
  /* length 1: q moved by add has the rate N u */
  memset(s, 0, sizeof s);
  x->chart->add(q, s);
  x->chart->rates(q, u, qdot);
  for (int l = 0; l < BUILD_STENCIL; l++) {
    double y[MOST];
    memcpy(y, q, sizeof y);
    for (int k = 0; k < x->nu; k++) s[k] = build_offset(l, b->h) * u[k];
    x->chart->add(y, s);
    for (int k = 0; k < x->nq; k++) at[k][l] = y[k];
  }
  for (int k = 0; k < x->nq; k++)
    to->rates = worse(to->rates, fabs(build_slope(at[k], b->h) - qdot[k]) / (1 + fabs(qdot[k])));
  /* a small step there, and the tangent of it: the same to third order */
  double y[MOST], dq[MOST];
  const double h = 1e-3;
  memcpy(y, q, sizeof y);
  for (int k = 0; k < x->nu; k++) s[k] = h * u[k];
  x->chart->add(y, s);
  for (int k = 0; k < x->nq; k++) dq[k] = y[k] - q[k];
  x->chart->tangent(q, dq, s);
  double w = 0;
  for (int k = 3; k < x->nu; k++) w += u[k] * u[k];
  for (int k = 0; k < x->nu; k++) to->back = worse(to->back, fabs(s[k] - h * u[k]) / (1 + pow(w, 1.5)));
  return to->rates;
}

/* N u against differences of what `add` does; `tangent` its inverse, and add and tangent of one another */
TEST(rates_of_coordinates) {
  int charts = 0;
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *type = tn_body_types[i];
    const tn_body3 *x = &type->space;
    double rates = 0, inverse = 0, back = 0;
    if (!small(type) || !x->chart) continue;
    charts++;
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      off to;
      const trial of = {type, &to};
      build_new(&b, (uint64_t)n);
      rates = worse(rates, build_converged(&b, rates_of, &of, 1e-9, TN_ANALYTIC));
      rates = worse(rates, to.rates);
      inverse = worse(inverse, to.inverse);
      back = worse(back, to.back);
      build_free(&b);
    }
    printf("%-16s rates %.1e, tangent of them %.1e, of a step of 1e-3 %.1e\n", type->name, rates, inverse, back);
    if (!(rates <= 1e-9 && inverse <= 1e-13 && back <= 1e-9)) FAIL("coordinates %s", type->name);
  }
  CHECK(charts >= 1);
}

/* of a pose at random; of a unit vector its components */
static void place_of(build *b, const tn_body_type *type, double r[3]) {
  if (type->direction)
    space_direction(b, r);
  else
    space_vector(b, 2, r);
}

static double own_rows(build *b, const void *of) {
  const tn_body_type *type = ((const trial *)of)->type;
  const tn_body3 *x = &type->space;
  off *to = ((const trial *)of)->to;
  *to = (off){0};
  course c;
  double q[MOST], u[MOST], C, row[MOST], gamma, along[BUILD_STENCIL], rate[BUILD_STENCIL], r[3], A[9];
  course_random(b, x, &c);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    course_at(x, &c, build_offset(k, b->h), q, u);
    x->own(q, u, &along[k], row, &gamma);
    rate[k] = 0;
    for (int d = 0; d < x->nu; d++) rate[k] += row[d] * u[d];
  }
  course_at(x, &c, 0, q, u);
  x->own(q, u, &C, row, &gamma);
  double Cdot = 0, Cddot = -gamma;
  for (int d = 0; d < x->nu; d++) Cdot += row[d] * u[d], Cddot += row[d] * 2 * c.c[d][2];
  to->first = worse(to->first, fabs(Cdot - build_slope(along, b->h)) / (1 + fabs(Cdot)));
  to->second = worse(to->second, fabs(Cddot - build_slope(rate, b->h)) / (1 + fabs(Cddot)));
  /* what the row holds moves nothing of the body; of a unit vector it is the length */
  tn_frame3 f;
  double S[6 * MOST];
  body_at(x, q, u, &f, S);
  for (int d = 0; d < 6 && !type->direction; d++) {
    double sum = 0;
    for (int k = 0; k < x->nu; k++) sum += S[d * x->nu + k] * row[k];
    to->zero = worse(to->zero, fabs(sum));
  }
  place_of(b, type, r);
  space_rotation(b, A);
  x->from_pose(r, A, q);
  x->own(q, u, &C, row, &gamma);
  to->zero = worse(to->zero, fabs(C));
  return worse(to->first, to->second);
}

/* own rows: row and gamma against differences of C, and C = 0 where from_pose puts it */
TEST(rows_of_their_own) {
  int found = 0;
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *type = tn_body_types[i];
    const tn_body3 *x = &type->space;
    double first = 0, second = 0, zero = 0;
    if (!small(type) || !x->rows) continue;
    found++;
    CHECK(x->rows == 1 && x->own && !x->chart);
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      off to;
      const trial of = {type, &to};
      build_new(&b, (uint64_t)n);
      first = worse(first, build_converged(&b, own_rows, &of, 1e-10, TN_ANALYTIC));
      first = worse(first, to.first);
      second = worse(second, to.second);
      zero = worse(zero, to.zero);
      build_free(&b);
    }
    printf("%-16s own row %.1e, gamma %.1e, at a pose %.1e\n", type->name, first, second, zero);
    if (!(first <= 1e-10 && second <= 1e-10 && zero <= 1e-13)) FAIL("coordinates %s: its own row", type->name);
  }
  CHECK(found >= 1);
}

TEST(from_pose_and_back) {
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *type = tn_body_types[i];
    const tn_body3 *x = &type->space;
    double worst = 0;
    if (!small(type)) continue;
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      tn_frame3 f;
      double r[3], A[9], q[MOST], S[6 * MOST];
      static const double rest[MOST];
      build_new(&b, (uint64_t)n);
      place_of(&b, type, r);
      space_rotation(&b, A);
      if (n < 24) { /* the 24 turns that take axes to axes, singular ones among them */
        static const double e[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
        const double *z = e[n / 4], *y = e[(n / 4 % 3 + 1 + n % 4 % 2) % 3 + (n % 4 / 2 ? 3 : 0)];
        tn_frame_along3(z, y, A);
      }
      x->from_pose(r, A, q);
      body_at(x, q, rest, &f, S);
      for (int d = 0; d < 3; d++) worst = worse(worst, fabs(f.r[d] - r[d]));
      for (int d = 0; type->oriented && d < 9; d++) worst = worse(worst, fabs(f.A[d] - A[d]));
      build_free(&b);
    }
    printf("%-16s pose %.1e\n", type->name, worst);
    if (!(worst <= 1e-14)) FAIL("coordinates %s: from_pose is off by %.3g", type->name, worst);
  }
}

/* where coordinates are singular S loses rank, and `regular` says how near that is */
TEST(singular_coordinates_say_so) {
  int found = 0;
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body3 *x = &tn_body_types[i]->space;
    if (!x->nq || !x->regular) continue;
    found++;
    CHECK(x->remedy && *x->remedy);
    build b;
    build_new(&b, 3);
    for (int n = 0; n < INSTANCES; n++) {
      tn_frame3 f;
      double q[MOST], S[6 * MOST], G[9] = {0};
      static const double rest[MOST];
      for (int k = 0; k < MOST; k++) q[k] = build_uniform(&b, -4, 4);
      if (n % 2) q[4] = pow(10, -n % 13) * (n % 4 > 1 ? 1 : -1);
      body_at(x, q, rest, &f, S);
      /* determinant of the turning part */
      for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) G[3 * r + k] = S[(3 + r) * x->nu + 3 + k];
      const double det = fabs(tn_triple3(G, G + 3, G + 6));
      CHECK_NEAR(x->regular(q), det, 1e-14);
    }
    build_free(&b);
  }
  CHECK(found >= 1);
}

/* ---- the motion of a free body ----------------------------------------------------------------------------------- */

typedef struct spinning {
  double m, I[9], Inv[9], c[3], g[3]; /* c: mass centre in body axes */
} spinning;

/* Euler's equations: I wdot + w x I w = 0 in body axes, edot = e (0, w)/2; the mass centre falls */
static void spin(const spinning *p, const double y[7], double ydot[7]) {
  double L[3], x[3];
  const double *e = y, *w = y + 4;
  tn_turn3(p->I, w, L);
  tn_cross3(L, w, x);
  tn_turn3(p->Inv, x, ydot + 4);
  ydot[0] = (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2;
  ydot[1] = (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]) / 2;
  ydot[2] = (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]) / 2;
  ydot[3] = (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]) / 2;
}

/* Runge-Kutta of order 4 in steps so small that its error is roundoff's size */
static void spin_on(const spinning *p, double y[7], double t, int steps) {
  const double h = t / steps;
  for (int n = 0; n < steps; n++) {
    double k[4][7], x[7];
    spin(p, y, k[0]);
    for (int s = 1; s < 4; s++) {
      for (int i = 0; i < 7; i++) x[i] = y[i] + (s == 3 ? h : h / 2) * k[s - 1][i];
      spin(p, x, k[s]);
    }
    for (int i = 0; i < 7; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static void inverse(const double A[9], double B[9]) { /* symmetric: columns by cross products */
  const double det = tn_triple3(A, A + 3, A + 6);
  tn_cross3(A + 3, A + 6, B);
  tn_cross3(A + 6, A, B + 3);
  tn_cross3(A, A + 3, B + 6);
  for (int i = 0; i < 9; i++) B[i] /= det;
}

/* from the same start in all coordinates, 5 s: differences to Euler's equations, and to one another */
TEST(same_motion_in_all_coordinates) {
  enum { BODIES = 5, ROWS = 11 };
  double worst[16] = {0}, far = 0;
  int run[16] = {0};
  CHECK(tn_body_type_count <= 16);
  for (int n = 0; n < BODIES; n++)
    for (int i = 0; i < tn_body_type_count; i++) {
      const tn_body_type *type = tn_body_types[i];
      build b;
      if (!small(type)) continue;
      space_new(&b, (uint64_t)(n + 20));
      space_body(&b, "x", NULL);
      double v[3], w[3];
      static const char *const rates[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
      space_vector(&b, 1, v);
      space_vector(&b, 3, w);
      if (!type->oriented) {
        space_particle(&b, "x");
      } else {
        build_set(&b, "/bodies/x/coordinates", "\"%s\"", type->name);
      }
      for (int d = 0; d < (type->oriented ? 6 : 3); d++) {
        char at[32];
        snprintf(at, sizeof at, "/start/x.%s", rates[d]);
        build_set(&b, at, "%.17g", d < 3 ? v[d] : w[d - 3]);
      }
      build_set(&b, "/gravity", "[0.3, -0.2, -0.5]");
      build_tight(&b, 5, 0.5);
      if (!build_simulate(&b)) {
        FAIL("coordinates %s: %s", type->name, b.message);
        build_free(&b);
        continue;
      }
      const tn_body *body = &b.model->body[0];
      spinning p = {.m = body->mass, .g = {0.3, -0.2, -0.5}};
      memcpy(p.I, body->tensor, sizeof p.I);
      if (type->oriented) inverse(p.I, p.Inv);
      memcpy(p.c, body->center, sizeof p.c);
      double y[7], A[9], rho[3], rc[3], vc[3], x[3];
      tn_rotation_quaternion(body->pose.A, y);
      tn_unturn3(body->pose.A, w, y + 4);
      tn_turn3(body->pose.A, p.c, rho);
      tn_cross3(w, rho, x);
      for (int d = 0; d < 3; d++) rc[d] = body->pose.r[d] + rho[d], vc[d] = v[d] + (type->oriented ? x[d] : 0);
      bool singular = false;
      for (int row = 1; row < ROWS; row++) {
        const double t = 0.5 * row;
        tn_error e;
        if (tn_sim_advance(b.sim, t, &e) != TN_OK) { /* on the way: those that can be singular may say so */
          singular = type->space.regular && strstr(e.message, "singular");
          if (!singular) FAIL("coordinates %s: %s", type->name, e.message);
          break;
        }
        if (type->oriented) spin_on(&p, y, 0.5, 2000);
        tn_quaternion_rotation(y, A);
        tn_turn3(A, p.c, rho);
        build_channel(&b, "energy.total");
        const tn_frame3 *f = &b.sim->solver.sys.pose.body3[0];
        for (int d = 0; d < 3; d++) {
          const double r = rc[d] + t * (vc[d] + t / 2 * p.g[d]) - (type->oriented ? rho[d] : 0);
          worst[i] = worse(worst[i], fabs(f->r[d] - r));
        }
        if (type->oriented) {
          double wb[3];
          tn_unturn3(f->A, f->w, wb);
          for (int d = 0; d < 9; d++) worst[i] = worse(worst[i], fabs(f->A[d] - A[d]));
          for (int d = 0; d < 3; d++) worst[i] = worse(worst[i], fabs(wb[d] - y[4 + d]));
          space_turn_between(body->pose.A, A, x);
          far = fmax(far, tn_norm3(x));
        }
      }
      if (!singular && !b.failed) run[i]++;
      build_free(&b);
    }
  for (int i = 0; i < tn_body_type_count; i++) {
    if (!tn_body_types[i]->space.nq) continue;
    printf("%-16s differs from Euler's equations by %.1e, %d of %d bodies\n", tn_body_types[i]->name, worst[i], run[i],
           BODIES);
    if (!(worst[i] <= 1e-9) || run[i] < BODIES - 2)
      FAIL("coordinates %s: another motion, by %.3g; %d runs", tn_body_types[i]->name, worst[i], run[i]);
  }
  CHECK(far > 0.5);
}
