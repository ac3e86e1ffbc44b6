/* every way to give a body coordinates in the plane, found in the registry: motion axes against differences of the pose, bias against
 * differences of the twist along a random motion, from_pose and back, and the same motion as `plane`. */
#include "support/build.h"
#include "test.h"

enum { INSTANCES = 60 };

/* a check on one instance of a type, and what is off there */
typedef struct off {
  double twist, bias, turn, worst;
} off;

typedef struct trial {
  const tn_body_type *type;
  off *to;
} trial;

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

/* q of one body as polynomials of s, and the frame it stands on as another motion */
typedef struct course {
  double q[6], u[6], a[6], j[6];
  build_path parent;
} course;

static void course_random(build *b, course *c) {
  for (int i = 0; i < 6; i++) {
    c->q[i] = build_uniform(b, -2, 2);
    c->u[i] = build_uniform(b, -2, 2);
    c->a[i] = build_uniform(b, -2, 2);
    c->j[i] = build_uniform(b, -2, 2);
  }
  build_path_random(b, &c->parent);
}

static void body_at(const tn_body_type *type, const course *c, double s, tn_frame2 *f, double *S) {
  double q[6], u[6], a[3];
  tn_frame2 p;
  for (int i = 0; i < 6; i++) {
    q[i] = c->q[i] + s * (c->u[i] + s / 2 * (c->a[i] + s / 3 * c->j[i]));
    u[i] = c->u[i] + s * (c->a[i] + s / 2 * c->j[i]);
  }
  /* the parent's whole acceleration: what the body's own udot does not give is bias */
  build_path_at(&c->parent, s, &p, a);
  p.a0[0] = a[0], p.a0[1] = a[1], p.al0 = a[2];
  memset(f, 0x7f, sizeof *f); /* all of it must be filled */
  type->plane.motion(q, u, &p, f, S);
}

static void along(const tn_body_type *type, const course *c, double h, double r[3][BUILD_STENCIL],
                  double v[3][BUILD_STENCIL]) {
  for (int k = 0; k < BUILD_STENCIL; k++) {
    double S[18];
    tn_frame2 f;
    body_at(type, c, build_offset(k, h), &f, S);
    for (int d = 0; d < 2; d++) r[d][k] = f.r[d], v[d][k] = f.v[d];
    r[2][k] = f.angle, v[2][k] = f.w;
  }
}

/* it is there in the plane, and no larger than the arrays here */
static bool small(const tn_body_type *type) {
  if (type->plane.n == 0) return false;
  if (type->plane.n >= 1 && type->plane.n <= 6) return true;
  FAIL("coordinates %s: %d of them are not known to this test", type->name, type->plane.n);
  return false;
}

static double twist_and_bias(build *b, const void *of) {
  const tn_body_type *type = ((const trial *)of)->type;
  off *to = ((const trial *)of)->to;
  *to = (off){0};
  course c;
  tn_frame2 f;
  double r[3][BUILD_STENCIL], v[3][BUILD_STENCIL], S[18];
  course_random(b, &c);
  along(type, &c, b->h, r, v);
  body_at(type, &c, 0, &f, S);
  const double tw[3] = {f.v[0], f.v[1], f.w}, a0[3] = {f.a0[0], f.a0[1], f.al0};
  for (int d = 0; d < 3; d++) {
    double a = a0[d];
    for (int k = 0; k < type->plane.n; k++) a += S[d * type->plane.n + k] * c.a[k];
    to->twist = worse(to->twist, fabs(tw[d] - build_slope(r[d], b->h)));
    to->bias = worse(to->bias, fabs(a - build_slope(v[d], b->h)));
  }
  to->turn = worse(to->turn, worse(fabs(f.c - cos(f.angle)), fabs(f.s - sin(f.angle))));
  if (!type->oriented) to->turn = worse(to->turn, worse(fabs(f.angle), fabs(f.w)));
  return worse(to->twist, to->bias);
}

TEST(twist_and_bias_are_derivatives) {
  CHECK(tn_body_type_count > 0);
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *type = tn_body_types[i];
    double twist = 0, bias = 0, turn = 0;
    if (!small(type)) continue;
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      off to;
      const trial of = {type, &to};
      build_new(&b, (uint64_t)n);
      twist = worse(twist, build_converged(&b, twist_and_bias, &of, 1e-10, TN_ANALYTIC));
      twist = worse(twist, to.twist);
      bias = worse(bias, to.bias);
      turn = worse(turn, to.turn);
      build_free(&b);
    }
    printf("%-16s twist %.1e, bias %.1e, turn %.1e\n", type->name, twist, bias, turn);
    if (!(twist <= 1e-10 && bias <= 1e-10 && turn <= 1e-15)) FAIL("coordinates %s", type->name);
  }
}

static double axes_of(build *b, const void *of) {
  const tn_body_type *type = ((const trial *)of)->type;
  off *to = ((const trial *)of)->to;
  *to = (off){0};
  course c;
  tn_frame2 f;
  double S[18], unused[18], r[3][BUILD_STENCIL], v[3][BUILD_STENCIL];
  course_random(b, &c);
  memset(c.u, 0, sizeof c.u), memset(c.a, 0, sizeof c.a), memset(c.j, 0, sizeof c.j);
  for (int d = 0; d < 3; d++)
    for (int k = 1; k < 6; k++) c.parent.p[d][k] = 0;
  body_at(type, &c, 0, &f, S);
  for (int k = 0; k < type->plane.n; k++) {
    c.u[k] = 1;
    along(type, &c, b->h, r, v);
    body_at(type, &c, 0, &f, unused);
    const double tw[3] = {f.v[0], f.v[1], f.w};
    for (int d = 0; d < 3; d++) {
      to->worst = worse(to->worst, fabs(S[d * type->plane.n + k] - build_slope(r[d], b->h)));
      to->worst = worse(to->worst, fabs(S[d * type->plane.n + k] - tw[d]));
    }
    c.u[k] = 0;
  }
  return to->worst;
}

/* S on a parent at rest: differences of the pose for each coordinate alone, and the twist of each speed alone */
TEST(motion_axes) {
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *type = tn_body_types[i];
    double worst = 0;
    if (!small(type)) continue;
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      off to;
      const trial of = {type, &to};
      build_new(&b, (uint64_t)n);
      worst = worse(worst, build_converged(&b, axes_of, &of, 1e-10, TN_ANALYTIC));
      worst = worse(worst, to.worst);
      build_free(&b);
    }
    printf("%-16s axes %.1e\n", type->name, worst);
    if (!(worst <= 1e-10)) FAIL("coordinates %s: axes are off by %.3g", type->name, worst);
  }
}

TEST(from_pose_and_back) {
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *type = tn_body_types[i];
    double worst = 0;
    if (!small(type)) continue;
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      course c;
      tn_frame2 f, p = {.c = 1};
      double S[18], q[6], u[6] = {0};
      build_new(&b, (uint64_t)n);
      course_random(&b, &c);
      const double pose[3] = {build_uniform(&b, -2, 2), build_uniform(&b, -2, 2), build_uniform(&b, -7, 7)};
      if (type->on_parent) p.r[0] = pose[0], p.r[1] = pose[1];
      type->plane.from_pose(pose, q);
      type->plane.motion(q, u, &p, &f, S);
      worst = worse(worst, hypot(f.r[0] - pose[0], f.r[1] - pose[1]));
      if (type->oriented) worst = worse(worst, fabs(f.angle - pose[2]));
      for (int k = 0; k < 2; k++) worst = worse(worst, fabs(f.v[k]) + fabs(f.a0[k]));
      /* and the other way */
      type->plane.motion(c.q, u, &p, &f, S);
      type->plane.from_pose((double[3]){f.r[0], f.r[1], f.angle}, q);
      for (int k = 0; k < type->plane.n; k++) worst = worse(worst, fabs(q[k] - c.q[k]));
      build_free(&b);
    }
    printf("%-16s pose %.1e\n", type->name, worst);
    if (!(worst <= 1e-14)) FAIL("coordinates %s: from_pose is off by %.3g", type->name, worst);
  }
}

/* ---- the same motion as `plane` --------------------------------------------------------------------------------------- */

/* a body on a swinging, sliding parent: pinned to it, or a particle on a rod. coordinates NULL: plane and joints for all */
static bool mechanism(build *b, const tn_body_type *type, bool oriented, bool pinned) {
  build_new(b, 7);
  build_parse(
      b,
      "{ \"tenon\": 1, \"dimension\": 2, \"gravity\": [0.7, -9.81],"
      "  \"bodies\": { \"base\": { \"mass\": 2, \"inertia\": 0.3, \"center\": [0.2, -0.1], \"position\": [0.3, 0.1], "
      "\"angle\": 0.4 } },"
      "  \"forces\": { \"hold\": { \"type\": \"spring\", \"between\": [\"ground\", \"base\"], \"at\": [[-1, 1], [0.1, "
      "0.5]],"
      "                            \"stiffness\": 60, \"length\": 0.5 },"
      "               \"turn\": { \"type\": \"spring\", \"on\": \"base.angle\", \"stiffness\": 9, \"damping\": 0.1 } },"
      "  \"run\": { \"until\": 1.5, \"every\": 0.1, \"integrator\": { \"type\": \"dopri5\", \"rtol\": 1e-12 } } }");
  if (oriented) {
    build_set(b, "/bodies/x", "{\"mass\": 1, \"inertia\": 0.2, \"center\": [0.5, 0.1], \"angle\": -0.6}");
    build_set(b, "/start/x.rate", "1.3");
  } else {
    build_set(b, "/bodies/x", "{\"mass\": 1}");
    if (!type) build_set(b, "/bodies/x/inertia", "0.2");
  }
  build_set(b, "/start/base.rate", "-0.9");
  if (type && type->on_parent) {
    build_set(b, "/bodies/x/coordinates", "{\"type\": \"%s\", \"parent\": \"base\", \"at\": [0.8, 0.2]}", type->name);
  } else {
    build_set(b, "/bodies/x/position", "[0.8, 0.2]");
    if (type) build_set(b, "/bodies/x/coordinates", "\"%s\"", type->name);
    if (pinned)
      build_set(b, "/joints/pin", "{\"type\": \"revolute\", \"between\": [\"base\", \"x\"], \"at\": [0.8, 0.2]}");
    else
      build_set(b, "/joints/rod",
                "{\"type\": \"distance\", \"between\": [\"base\", \"x\"], \"at\": [[0.3, 0.4], [0.8, 0.2]]}");
  }
  build_set(b, "/outputs",
            "{\"x\": \"x.x\", \"y\": \"x.y\", \"vx\": \"x.vx\", \"vy\": \"x.vy\", \"bx\": \"base.x\", \"ba\": "
            "\"base.angle\"}");
  if (oriented) build_set(b, "/outputs/angle", "\"x.angle\"");
  return build_simulate(b);
}

TEST(same_motion_in_all_coordinates) {
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *type = tn_body_types[i];
    for (int pinned = type->on_parent; pinned < 2; pinned++) {
      build own = {0}, plane = {0};
      build_table a = {0}, p = {0};
      double worst = 0, far = 0;
      if (type->plane.n == 0) break;
      if (type->on_parent && type->plane.n != 1) {
        FAIL("coordinates %s: this test knows a pivot on a parent, with one angle", type->name);
        break;
      }
      if (mechanism(&own, type, type->oriented, pinned) && mechanism(&plane, NULL, type->oriented, pinned)) {
        CHECK(build_run(&own, &a) && build_run(&plane, &p));
        CHECK(a.rows == 16 && a.rows == p.rows && a.columns == p.columns);
        for (int r = 0; r < a.rows; r++)
          for (int c = 0; c < a.columns; c++) {
            worst = worse(worst, fabs(build_at(&a, r, c) - build_at(&p, r, c)));
            far = fmax(far, fabs(build_at(&a, r, c) - build_at(&a, 0, c)));
          }
      } else {
        FAIL("coordinates %s: cannot be built: %s%s", type->name, own.message, own.failed ? "" : plane.message);
      }
      printf("%-16s %s: differs from plane by %.1e, moved by %.2g\n", type->name, pinned ? "pinned" : "on a rod", worst,
             far);
      if (!(worst <= 1e-9 && far > 0.1)) FAIL("coordinates %s: another motion, by %.3g", type->name, worst);
      build_table_free(&a), build_table_free(&p);
      build_free(&own), build_free(&plane);
    }
  }
}
