/* what joints exert. closed forms (hanging, swinging, driven), and Newton's law on every body of random models:
 *   m a_c = sum F, I al = sum of moments about the mass centre,
 * each joint's (fx, fy, t) on its second body at its frame and the opposite on the first at the same place. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

static const double g = 9.81;

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

static bool started(build *b) {
  if (build_simulate(b)) return true;
  FAIL("%s", b->message);
  return false;
}

/* ---- at rest ---------------------------------------------------------------------------------------------------------- */

TEST(hanging_double_pendulum) {
  double worst = 0;
  for (int n = 0; n < 16;
       n++) { /* coordinates; which joints are written the other way round; rods or frames at the middle */
    const bool relative = n & 1, swap1 = n & 2, swap2 = n & 4, middle = n & 8;
    const double s1 = swap1 ? -1 : 1, s2 = swap2 ? -1 : 1, m1 = 2, m2 = 1.25;
    build b;
    build_new(&b, 1);
    build_set(&b, "/gravity", "[0, -9.81]");
    build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
    if (middle) {
      build_set(&b, "/bodies/upper", "{\"mass\": 2, \"inertia\": 0.3, \"position\": [0.5, -0.5], \"angle\": 0.3}");
      build_set(&b, "/bodies/lower", "{\"mass\": 1.25, \"inertia\": 0.2, \"position\": [0.5, -1.75], \"angle\": -2}");
    } else {
      build_set(&b, "/bodies/upper", "{\"rod\": [[0.5, 0], [0.5, -1]], \"mass\": 2}");
      build_set(&b, "/bodies/lower", "{\"rod\": [[0.5, -1], [0.5, -2.5]], \"mass\": 1.25}");
    }
    build_set(&b, "/joints/top", "{\"type\": \"revolute\", \"between\": [\"%s\", \"%s\"], \"at\": [0.5, 0]}",
              swap1 ? "upper" : "ground", swap1 ? "ground" : "upper");
    build_set(&b, "/joints/knee", "{\"type\": \"revolute\", \"between\": [\"%s\", \"%s\"], \"at\": [0.5, -1]}",
              swap2 ? "lower" : "upper", swap2 ? "upper" : "lower");
    if (started(&b)) {
      CHECK(b.model->joint[0].in_tree == relative && b.model->joint[1].in_tree == relative);
      worst = worse(worst, fabs(build_channel(&b, "top.fx")));
      worst = worse(worst, fabs(build_channel(&b, "top.fy") - s1 * (m1 + m2) * g));
      worst = worse(worst, fabs(build_channel(&b, "top.t")));
      worst = worse(worst, fabs(build_channel(&b, "knee.fx")));
      worst = worse(worst, fabs(build_channel(&b, "knee.fy") - s2 * m2 * g));
      worst = worse(worst, fabs(build_channel(&b, "knee.t")));
    }
    build_free(&b);
  }
  printf("hanging double pendulum: %.1e N\n", worst);
  CHECK(worst <= 1e-12);
}

/* a welded cantilever, a box on a slide, a rope: statics by hand, absolute and relative, either order */
TEST(statics) {
  for (int n = 0; n < 4; n++) {
    const bool relative = n & 1, swap = n & 2;
    const double s = swap ? -1 : 1;
    const char *order = swap ? "[\"x\", \"ground\"]" : "[\"ground\", \"x\"]";
    build b;
    build_new(&b, 1); /* a beam of 3 kg, mass centre 0.7 m from the wall, 5 N down at 1.2 m */
    build_set(&b, "/gravity", "[0, -9.81]");
    build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
    build_set(&b, "/bodies/x", "{\"mass\": 3, \"inertia\": 0.1, \"position\": [0.7, 0.2]}");
    build_set(&b, "/joints/j", "{\"type\": \"weld\", \"between\": %s, \"at\": [0, 0.2]}", order);
    build_set(&b, "/forces/f", "{\"type\": \"force\", \"on\": \"x\", \"at\": [1.2, 0.2], \"value\": [0, -5]}");
    if (started(&b)) {
      CHECK_NEAR(build_channel(&b, "j.fx"), 0, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.fy"), s * (3 * g + 5), 1e-12);
      CHECK_NEAR(build_channel(&b, "j.t"), s * (3 * g * 0.7 + 5 * 1.2), 1e-12);
    }
    build_free(&b);
    build_new(&b, 1); /* a box pushed by 4 N along x, its guide 0.5 m below the mass centre and 0.3 m behind it */
    build_set(&b, "/gravity", "[0, -9.81]");
    build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
    build_set(&b, "/bodies/x", "{\"mass\": 3, \"inertia\": 0.1, \"position\": [0.3, 0.5]}");
    build_set(&b, "/joints/j", "{\"type\": \"prismatic\", \"between\": %s, \"at\": [0, 0], \"axis\": \"x\"}", order);
    build_set(&b, "/forces/f", "{\"type\": \"force\", \"on\": \"x\", \"on_body\": [0, 0], \"value\": [4, 0]}");
    if (started(&b)) {
      CHECK_NEAR(build_channel(&b, "x.ax"), 4.0 / 3, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.fx"), 0, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.fy"), s * 3 * g, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.t"), s * (3 * g * 0.3), 1e-12);
    }
    build_free(&b);
  }
}

/* ---- in motion -------------------------------------------------------------------------------------------------------- */

/* released from the horizontal, energy gives v^2 = 2 g l sin: tension 3 m g sin(angle below the horizontal) */
TEST(swinging_pendulum) {
  for (int swap = 0; swap < 2; swap++) {
    build b;
    build_table t = {0};
    double worst = 0, most = 0;
    build_new(&b, 1);
    build_read(&b, "pendulum");
    if (swap) {
      build_set(&b, "/joints/rod/between", "[\"bob\", \"ground\"]");
      build_set(&b, "/joints/rod/at", "[\"bob\", [0, 0]]");
    }
    build_set(&b, "/outputs/fx", "\"rod.fx\"");
    build_set(&b, "/outputs/fy", "\"rod.fy\"");
    build_tight(&b, 10, 0.1);
    if (started(&b) && build_run(&b, &t)) {
      const int x = build_column(&b, "x"), y = build_column(&b, "y"), T = build_column(&b, "tension"),
                fx = build_column(&b, "fx"), fy = build_column(&b, "fy");
      CHECK(t.rows == 101);
      for (int i = 0; i < t.rows; i++) {
        const double sine = -build_at(&t, i, y), tension = 3 * g * sine, sign = swap ? 1 : -1;
        worst = worse(worst, fabs(build_at(&t, i, T) - fabs(tension)));
        worst = worse(worst, fabs(build_at(&t, i, fx) - sign * tension * build_at(&t, i, x)));
        worst = worse(worst, fabs(build_at(&t, i, fy) - sign * tension * build_at(&t, i, y)));
        most = fmax(most, tension);
      }
    }
    if (b.failed) FAIL("%s", b.message);
    printf("pendulum: tension off by %.1e N of %.1f N\n", worst, most);
    CHECK(worst <= 1e-8 && most > 29);
    build_table_free(&t);
    build_free(&b);
  }
}

/* a uniform rod from the horizontal: w^2 = -3 g sin(theta)/l, F = 5/2 m g sin(theta) along it, m g cos(theta)/4 across */
TEST(swinging_rod) {
  static const char *const coordinates[] = {"absolute", "relative"};
  for (int n = 0; n < 5; n++) {
    const bool swing = n == 4, swap = n & 1;
    build b;
    build_table t = {0};
    double worst = 0;
    build_new(&b, 1);
    build_set(&b, "/gravity", "[0, -9.81]");
    build_set(&b, "/coordinates", "\"%s\"", coordinates[n / 2 % 2]);
    build_set(&b, "/bodies/x", "{\"rod\": [[0.2, 0.1], [1.4, 0.1]], \"mass\": 2}");
    if (swing)
      build_set(&b, "/bodies/x/coordinates", "{\"type\": \"swing\", \"parent\": \"ground\", \"at\": [0.2, 0.1]}");
    else
      build_set(&b, "/joints/pin", "{\"type\": \"revolute\", \"between\": %s, \"at\": [0.2, 0.1]}",
                swap ? "[\"x\", \"ground\"]" : "[\"ground\", \"x\"]");
    build_set(&b, "/outputs", "{\"th\": \"x.angle\", \"w\": \"x.rate\", \"fx\": \"%s.fx\", \"fy\": \"%s.fy\"}",
              swing ? "x" : "pin", swing ? "x" : "pin");
    if (!swing) build_set(&b, "/outputs/torque", "\"pin.t\"");
    build_tight(&b, 10, 0.1);
    if (started(&b) && build_run(&b, &t))
      for (int i = 0; i < t.rows; i++) {
        const double th = build_at(&t, i, 0), w = build_at(&t, i, 1), sign = swap ? -1 : 1;
        const double along = 2.5 * 2 * g * sin(th), across = 2 * g * cos(th) / 4;
        worst = worse(worst, fabs(w * w + 3 * g * sin(th) / 1.2));
        worst = worse(worst, fabs(sign * build_at(&t, i, 2) - (along * cos(th) - across * sin(th))));
        worst = worse(worst, fabs(sign * build_at(&t, i, 3) - (along * sin(th) + across * cos(th))));
        if (!swing) worst = worse(worst, fabs(build_at(&t, i, 4)));
      }
    if (b.failed) FAIL("%s", b.message);
    printf("rod pendulum, %s%s: %.1e\n", swing ? "swing" : coordinates[n / 2 % 2], swap ? ", swapped" : "", worst);
    CHECK(worst <= 1e-8 && t.rows == 101);
    build_table_free(&t);
    build_free(&b);
  }
}

/* drivers: power against dE/dt, load against Newton's law on the whole */
TEST(driven_pivot) {
  for (int relative = 0; relative < 2; relative++) {
    build b;
    double power = 0, load = 0, most = 0;
    const double h = 3e-3, m = 2;
    build_new(&b, 1);
    build_read(&b, "driven_pivot");
    build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
    build_tight(&b, 10, 0.05);
    if (started(&b))
      for (int n = 0; n < 12; n++) {
        const double t = 0.1 + 0.37 * n;
        double E[BUILD_STENCIL], P = 0;
        tn_error e;
        for (int k = 0; k < BUILD_STENCIL + 1; k++) { /* in order: three before, here, three after */
          const double s = (k - 3) * h;
          if (tn_sim_advance(b.sim, t + s, &e) != TN_OK) FAIL("%s", e.message);
          if (k != 3) {
            E[k < 3 ? k : k - 1] = build_channel(&b, "energy.total");
            continue;
          }
          P = build_channel(&b, "shake.power") + build_channel(&b, "level.power") + build_channel(&b, "still.power");
          const double th = build_channel(&b, "rod.angle"), w = build_channel(&b, "rod.rate"),
                       al = build_channel(&b, "rod.accel");
          const double ax = build_channel(&b, "rod.ax") - 0.5 * (al * sin(th) + w * w * cos(th));
          const double ay = build_channel(&b, "rod.ay") + 0.5 * (al * cos(th) - w * w * sin(th));
          load = worse(load, fabs(build_channel(&b, "shake.load") - m * ax));
          load = worse(load, fabs(build_channel(&b, "level.load") - m * (ay + g)));
          load = worse(load, fabs(build_channel(&b, "still.load")));
          load = worse(load, fabs(build_channel(&b, "pin.fx") - m * ax));
          load = worse(load, fabs(build_channel(&b, "pin.fy") - m * (ay + g)));
          load = worse(load, fabs(build_channel(&b, "shake.power") - build_channel(&b, "shake.load") * sin(5 * t)));
        }
        power = worse(power, fabs(P - build_slope(E, h)));
        most = fmax(most, fabs(P));
      }
    if (b.failed) FAIL("%s", b.message);
    printf("driven pivot: power against dE/dt %.1e W of %.2g W, loads against Newton %.1e N\n", power, most, load);
    CHECK(power <= 1e-8 && load <= 1e-9 && most > 1);
    build_free(&b);
  }
}

/* ---- Newton's law on every body of random models --------------------------------------------------------------------- */

typedef struct total {
  double F[3], size; /* force, and moment about the world origin */
} total;

static void push(total *all, int body, double sign, const double f[3], double x, double y) {
  if (body < 0) return;
  total *b = &all[body];
  b->F[0] += sign * f[0];
  b->F[1] += sign * f[1];
  b->F[2] += sign * (f[2] + x * f[1] - y * f[0]);
  b->size += fabs(f[0]) + fabs(f[1]) + fabs(f[2]);
}

/* acceleration of a point of a body, from its channels */
static void acceleration(build *b, int body, double x, double y, double a[2]) {
  a[0] = a[1] = 0;
  if (body < 0) return;
  const tn_body *m = &b->model->body[body];
  const double rx = x - build_channel(b, "%s.x", m->name), ry = y - build_channel(b, "%s.y", m->name);
  const double w = m->oriented ? build_channel(b, "%s.rate", m->name) : 0,
               al = m->oriented ? build_channel(b, "%s.accel", m->name) : 0;
  a[0] = build_channel(b, "%s.ax", m->name) - al * ry - w * w * rx;
  a[1] = build_channel(b, "%s.ay", m->name) + al * rx - w * w * ry;
}

/* largest error of Newton's law over the bodies, relative to the forces there; `share`: with the stabilizer's */
static double newton(build *b, bool share) {
  const tn_model *m = b->model;
  const tn_system *s = &b->sim->solver.sys;
  total all[16] = {0};
  double err = 0, a[2], loads[16 * 3] = {0};
  if (m->bodies > 16) abort();
  build_channel(b, "energy.total"); /* everything is at the present state */
  for (int i = 0; i < m->bodies; i++)
    push(all, i, 1, s->forces.wrench + 3 * i, s->pose.body[i].r[0], s->pose.body[i].r[1]);
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->terms) {
      const double load = build_channel(b, "%s.load", j->name);
      for (int k = 0; k < j->terms; k++) tn_measure_push(s, &j->term[k].of, load * tn_term_coefficient(s, j, k), loads);
      continue;
    }
    if (j->type->seat == TN_SEAT_CENTERS) {
      double mass = 0, e[2];
      const double load = build_channel(b, "%s.load", j->name);
      for (int k = 0; k < j->frames; k++) mass += m->body[j->spot[k].body].mass;
      const tn_node *axis = tn_node_get(j->node, "axis");
      e[0] = tn_node_item(axis, 0)->number, e[1] = tn_node_item(axis, 1)->number;
      for (int k = 0; k < j->frames; k++) {
        tn_frame2 f;
        tn_frame_on(s, &j->spot[k], &f);
        const double p = load * m->body[j->spot[k].body].mass / mass / hypot(e[0], e[1]);
        push(all, j->spot[k].body, 1, (double[3]){p * e[0], p * e[1], 0}, f.r[0], f.r[1]);
      }
      continue;
    }
    double f[3] = {build_channel(b, "%s.fx", j->name), build_channel(b, "%s.fy", j->name),
                   build_channel(b, "%s.t", j->name)};
    if (share) {
      f[0] += build_channel(b, "%s.sfx", j->name);
      f[1] += build_channel(b, "%s.sfy", j->name);
      f[2] += build_channel(b, "%s.st", j->name);
    }
    const tn_node *form = tn_node_get(j->node, "form"), *teeth = tn_node_get(j->node, "teeth");
    if (form && teeth &&
        strcmp(form->text, "rates") == 0) { /* torques on both wheels and against both on the carrier */
      const tn_node *internal = tn_node_get(j->node, "internal");
      const double load = f[2] / tn_node_item(teeth, 1)->number, sign = internal && internal->boolean ? -1 : 1;
      const double torque[3] = {sign * load * tn_node_item(teeth, 0)->number, f[2],
                                -f[2] - sign * load * tn_node_item(teeth, 0)->number};
      err = worse(err, fabs(f[0]) + fabs(f[1]));
      for (int k = 0; k < 3; k++) push(all, j->spot[k].body, 1, (double[3]){0, 0, torque[k]}, 0, 0);
      continue;
    }
    tn_frame2 at[2];
    for (int k = 0; k < 2; k++) tn_frame_on(s, &j->spot[k], &at[k]);
    push(all, j->spot[1].body, 1, f, at[1].r[0], at[1].r[1]);
    push(all, j->spot[0].body, -1, f, at[1].r[0], at[1].r[1]);
    /* nothing along what it allows */
    double q[3], J[18], gamma[3], d[2], angle, S[9];
    const int n = j->type->plane.axes;
    if (n > 0) { /* axes of what measures nothing do not depend on where it is */
      memset(q, 0, sizeof q);
      if (j->type->plane.measure) j->type->plane.measure(j->self, at, q, J, gamma);
      j->type->plane.motion(j->self, q, d, &angle, S);
    }
    for (int k = 0; k < n; k++) {
      const double c = at[0].c, sn = at[0].s, x = c * S[k] - sn * S[n + k], y = sn * S[k] + c * S[n + k];
      err = worse(err, fabs(f[0] * x + f[1] * y + f[2] * S[2 * n + k]) / (1 + fabs(f[0]) + fabs(f[1]) + fabs(f[2])));
    }
  }
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *body = &m->body[i];
    push(all, i, 1, loads + 3 * i, s->pose.body[i].r[0], s->pose.body[i].r[1]);
    if (!body->type || !body->type->on_parent) continue;
    const double f[3] = {build_channel(b, "%s.fx", body->name), build_channel(b, "%s.fy", body->name), 0};
    push(all, i, 1, f, s->pose.body[i].r[0], s->pose.body[i].r[1]);
    push(all, body->parent, -1, f, s->pose.body[i].r[0], s->pose.body[i].r[1]);
  }
  for (int i = 0; i < m->rods; i++) { /* inertia of mass elements: m/6 (2 a + a of the other end) */
    double at[2][2], ends[2][2];
    for (int k = 0; k < 2; k++) {
      tn_frame2 f;
      tn_frame_on(s, &m->rod[i].end[k], &f);
      at[k][0] = f.r[0], at[k][1] = f.r[1];
      acceleration(b, m->rod[i].end[k].body, f.r[0], f.r[1], ends[k]);
    }
    for (int k = 0; k < 2; k++) {
      const double c = m->rod[i].mass / 6;
      const double f[3] = {c * (2 * ends[k][0] + ends[1 - k][0]), c * (2 * ends[k][1] + ends[1 - k][1]), 0};
      push(all, m->rod[i].end[k].body, -1, f, at[k][0], at[k][1]);
    }
  }
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *body = &m->body[i];
    const tn_frame2 *f = &s->pose.body[i];
    const double x = f->r[0] + f->c * body->center[0] - f->s * body->center[1];
    const double y = f->r[1] + f->s * body->center[0] + f->c * body->center[1], *F = all[i].F;
    const double al = body->oriented ? build_channel(b, "%s.accel", body->name) : 0;
    acceleration(b, i, x, y, a);
    err = worse(err, fabs(F[0] - body->mass * a[0]) / (1 + all[i].size));
    err = worse(err, fabs(F[1] - body->mass * a[1]) / (1 + all[i].size));
    if (body->oriented) err = worse(err, fabs(F[2] - (x * F[1] - y * F[0]) - body->inertia * al) / (1 + all[i].size));
  }
  return b->failed ? INFINITY : err;
}

static bool is_pair(const tn_joint_type *type) {
  return type->plane.there && (type->seat == TN_SEAT_SHARED || type->seat == TN_SEAT_TWO || type->seat == TN_SEAT_MESH);
}

static const tn_joint_type *pair_type(build *b) {
  for (;;) {
    const tn_joint_type *type = tn_joint_types[build_integer(b, 0, tn_joint_type_count - 1)];
    if (is_pair(type)) return type;
  }
}

/* a row a - b - c from the ground, the particle held by one of them, at times a loop; moving. `plain`: reactions alone */
static bool mechanism(build *b, int seed, bool relative, bool plain, unsigned *types) {
  static const char *const body[] = {"ground", "a", "b", "c"};
  build_given given;
  build_new(b, 101u * (uint64_t)seed + 9);
  build_world(b);
  build_set(b, "/gravity", "[1.5, -9.81]");
  build_set(b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
  for (int i = 0; i < 5; i++) {
    const bool swap = build_integer(b, 0, 1), loop = i == 4;
    const tn_joint_type *type = pair_type(b);
    const char *end[2] = {body[i < 3 ? i : 0], body[i < 3 ? i + 1 : 3]};
    char name[16];
    if (loop && build_integer(b, 0, 2)) continue;
    if (i == 3) {
      while (type->oriented & 2) type = pair_type(b);
      end[0] = body[build_integer(b, 0, 3)], end[1] = "p";
    }
    snprintf(name, sizeof name, "j%d", i);
    build_joint(b, name, type, end[swap && i != 3], end[!(swap && i != 3)], 0, &given);
    for (int k = 0; k < tn_joint_type_count; k++)
      if (tn_joint_types[k] == type) *types |= 1u << k;
  }
  build_set(b, "/forces/s",
            "{\"type\": \"spring\", \"between\": [\"a\", \"c\"], \"at\": [[0.3, 0.4], [1, 1]], \"stiffness\": 20, "
            "\"length\": 0.3}");
  build_set(b, "/start/guess",
            "{\"a.rate\": %.17g, \"b.rate\": %.17g, \"c.rate\": %.17g, \"a.vx\": 1.5, \"c.vy\": -2, \"p.vx\": 0.7}",
            build_uniform(b, -3, 3), build_uniform(b, -3, 3), build_uniform(b, -3, 3));
  if (!plain) {
    build_set(b, "/bodies/w",
              "{\"mass\": 1, \"inertia\": 0.2, \"center\": [0.2, 0.1], \"angle\": 0.7,"
              " \"coordinates\": {\"type\": \"swing\", \"parent\": \"b\", \"at\": [0.4, -1.1]}}");
    build_set(b, "/bodies/z",
              "{\"mass\": 0.6, \"inertia\": 0.1, \"center\": [0.3, 0], \"angle\": -0.4,"
              " \"coordinates\": {\"type\": \"swing\", \"parent\": \"w\", \"on_body\": [0.5, 0.3]}}");
    build_set(b, "/rods/r", "{\"between\": [\"w\", \"b\"], \"on_bodies\": [[0.6, -0.2], [0.1, 0.9]], \"mass\": 0.7}");
    build_set(b, "/rods/r2", "{\"between\": [\"ground\", \"c\"], \"on_bodies\": [[2, -1], [0.3, 0.2]], \"mass\": 0.5}");
    build_set(b, "/start/guess/z.rate", "2");
    if (build_integer(b, 0, 1))
      build_set(b, "/joints/d", "{\"type\": \"driver\", \"on\": \"w.angle\", \"value\": \"0.7 + 0.3*sin(2*t)\"}");
    if (build_integer(b, 0, 1))
      build_set(b, "/joints/m",
                "{\"type\": \"center-of-mass\", \"bodies\": [\"w\", \"z\"], \"axis\": [1, 0.5], \"value\": \"%.17g + "
                "0.2*t\"}",
                build_uniform(b, 0.3, 0.4));
  }
  return !b->failed;
}

/* every drawn mechanism, absolute and relative; those whose start cannot be assembled are left out and counted */
static void random_mechanisms(bool plain, double (*f)(build *b, int seed), const char *what, double tolerance) {
  for (int relative = 0; relative < 2; relative++) {
    const int drawn = 150;
    int ready = 0, bad = 0, seen[64] = {0};
    double worst = 0;
    for (int n = 0; n < drawn; n++) {
      build b;
      unsigned types = 0;
      if (!mechanism(&b, n, relative, plain, &types)) FAIL("%s", b.message);
      if (build_compile(&b) && build_simulate(&b)) {
        const double err = f(&b, n);
        if (!(err <= tolerance) && bad++ < 3) FAIL("mechanism %d: off by %.3g %s", n, err, b.message);
        worst = worse(worst, err);
        ready++;
        for (int k = 0; k < tn_joint_type_count; k++) seen[k] += (types & 1u << k) != 0;
      } else if (!b.model && bad++ < 3) {
        FAIL("mechanism %d: %s", n, b.message);
      }
      build_free(&b);
    }
    printf("%s, %s: %d of %d mechanisms, worst %.1e\n", what, relative ? "relative" : "absolute", ready, drawn, worst);
    CHECK(ready > drawn / 3);
    for (int k = 0; k < tn_joint_type_count; k++)
      if (is_pair(tn_joint_types[k]) && seen[k] < 10)
        FAIL("joint %s: in %d mechanisms only", tn_joint_types[k]->name, seen[k]);
  }
}

static double law(build *b, int seed) {
  (void)seed;
  return newton(b, false);
}

TEST(newtons_law_on_every_body) { random_mechanisms(false, law, "Newton", 1e-9); }

/* ---- the stabilizer's share ------------------------------------------------------------------------------------------- */

static void shaken(build *b, const double *q, const double *u, double size) {
  tn_error e;
  double v[BUILD_MOST];
  for (int i = 0; i < b->model->nu; i++) v[i] = u[i] + size * sin(3 * i + 1);
  if (tn_sim_set(b->sim, 0.2, q, v, false, &e) != TN_OK) build_fail(b, "%s", e.message);
}

/* with velocities off the rows: reactions are those of an unstabilized run, and with the share they are Newton's */
static double shares(build *b, int seed) {
  static const char *const how[] = {"{\"stabilize\": {\"type\": \"baumgarte\", \"alpha\": 5, \"beta\": 12}}",
                                    "{\"stabilize\": {\"type\": \"baumgarte\", \"a\": 1, \"b\": 0.5}, \"integrator\": "
                                    "{\"type\": \"rk4\", \"step\": 0.01}}"};
  const double *q = tn_sim_q(b->sim), *u = tn_sim_u(b->sim);
  double err = 0, most = 0, size = 0;
  unsigned types = 0;
  build none, with;
  mechanism(&none, seed, b->model->relative, true, &types);
  mechanism(&with, seed, b->model->relative, true, &types);
  build_set(&with, "/run", "%s", how[seed & 1]);
  build_set(&none, "/run/stabilize", "\"none\"");
  build_set(&none, "/run/contract/breach", "\"record\"");
  build_set(&with, "/run/contract/breach", "\"record\"");
  if (build_simulate(&none) && build_simulate(&with)) {
    shaken(&none, q, u, 0.1);
    shaken(&with, q, u, 0.1);
    for (int i = 0; i < with.model->joints; i++) {
      static const char *const reaction[] = {"fx", "fy", "t"}, *const share[] = {"sfx", "sfy", "st"};
      const char *name = with.model->joint[i].name;
      for (int k = 0; k < 3; k++) {
        const double f = build_channel(&with, "%s.%s", name, reaction[k]),
                     f0 = build_channel(&none, "%s.%s", name, reaction[k]);
        const double s = build_channel(&with, "%s.%s", name, share[k]),
                     s0 = build_channel(&none, "%s.%s", name, share[k]);
        err = worse(err, fabs(f - f0) / (1 + fabs(f0)));
        err = worse(err, fabs(s0));
        most = fmax(most, fabs(s));
        size = fmax(size, fabs(f));
      }
    }
    err = worse(err, newton(&with, true));
    err = worse(err, newton(&none, false));
    if (with.model->rows && !(most > 1e-3)) err = INFINITY; /* a share there must be */
    if (with.model->rows && !(newton(&with, false) > 1e-6)) err = INFINITY;
    /* and after steps: feedback that is held through them too */
    tn_error e;
    double after = 0;
    if (tn_sim_advance(with.sim, 0.23, &e) != TN_OK) build_fail(&with, "%s", e.message);
    for (int i = 0; i < with.model->joints; i++) {
      const char *name = with.model->joint[i].name;
      after = fmax(after, hypot(build_channel(&with, "%s.sfx", name), build_channel(&with, "%s.sfy", name)));
    }
    if (with.model->rows && !(after > 1e-9)) err = INFINITY;
  }
  if (none.failed || with.failed) build_fail(b, "%s%s", none.message, with.message), err = INFINITY;
  build_free(&none);
  build_free(&with);
  return err;
}

TEST(stabilizers_have_their_own_share) { random_mechanisms(true, shares, "shares", 1e-9); }

/* reactions and shares are numbers from the first row on, whatever the method, adaptive or not */
TEST(first_row_of_every_method) {
  for (int i = 0; tn_list_name("method", i); i++)
    for (int fixed = 0; fixed < 2; fixed++) {
      build b;
      build_table t = {0};
      int bad = 0;
      build_new(&b, 1);
      build_read(&b, "four_bar");
      build_set(&b, "/run",
                "{\"until\": 0.02, \"every\": 0.005, \"method\": \"%s\", \"integrator\": %s, \"contract\": "
                "{\"breach\": \"record\"}}",
                tn_list_name("method", i), fixed ? "{\"type\": \"rk4\", \"step\": 1e-3}" : "{\"rtol\": 1e-8}");
      build_set(&b, "/outputs",
                "{\"fx\": \"B.fx\", \"torque\": \"B.t\", \"sfx\": \"B.sfx\", \"sfy\": \"B.sfy\", \"st\": \"B.st\", "
                "\"ax\": \"rocker.ax\"}");
      if (!fixed && !build_compile(&b)) { /* a method may need a fixed step, and says so */
        CHECK_HAS(b.message, "fixed step");
        build_free(&b);
        continue;
      }
      if (!started(&b) || !build_run(&b, &t)) FAIL("%s: %s", tn_list_name("method", i), b.message);
      for (int r = 0; r < t.rows; r++)
        for (int c = 0; c < t.columns; c++) bad += !isfinite(build_at(&t, r, c));
      CHECK(t.rows == 5);
      if (bad)
        FAIL("method %s, %s step: %d values are not finite numbers", tn_list_name("method", i),
             fixed ? "fixed" : "adaptive", bad);
      build_table_free(&t);
      build_free(&b);
    }
}

/* ---- rows on velocities ---------------------------------------------------------------------------------------------- */

/* of joint `name` only the first `keep` rows stay holonomic; numbers of all rows as the compiler gives them */
static void on_velocities(tn_model *m, const char *name, int keep, tn_joint_type *type) {
  double scale[BUILD_MOST];
  int rows = 0;
  for (int i = 0; i < m->joints; i++) {
    tn_joint *j = &m->joint[i];
    if (strcmp(j->name, name) != 0) continue;
    *type = *j->type;
    type->plane.rows_velocity_only = type->plane.rows - keep;
    type->plane.rows = keep;
    j->type = type;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < m->joints; i++) {
      tn_joint *j = &m->joint[i];
      const int n = pass ? j->type->plane.rows_velocity_only : j->type->plane.rows,
                first = pass ? j->type->plane.rows : 0;
      for (int k = 0; k < n; k++) { /* from where it was */
        const int old = first + k < j->rows ? j->row + first + k : j->row_velocity + first + k - j->rows;
        scale[rows + k] = m->row_scale[old];
        if (m->sigma) abort();
      }
      rows += n;
    }
    if (!pass) m->holonomic = rows;
  }
  if (rows != m->rows) abort();
  memcpy(m->row_scale, scale, sizeof *scale * (size_t)rows);
  rows = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m->joints; i++) {
      tn_joint *j = &m->joint[i];
      const int n = pass ? j->type->plane.rows_velocity_only : j->type->plane.rows;
      if (pass)
        j->row_velocity = rows, j->rows_velocity = n;
      else
        j->row = rows, j->rows = n;
      for (int k = 0; k < n; k++) m->row_joint[rows++] = i;
    }
  for (int i = 0, n = 0; i < m->joints; i++)
    if (m->joint[i].pin) m->pin[n++].row = m->joint[i].row;
}

/* a holonomic row held on the velocities alone, from a start that meets it, gives the same motion, reactions and powers.
 * no type in the registry has such rows yet: these are made of those there are */
TEST(rows_held_on_velocities) {
  static const char *const model =
      "{ \"tenon\": 1, \"dimension\": 2, \"gravity\": [0.4, -9.81],"
      "  \"bodies\": { \"a\": { \"rod\": [[0, 0], [1, 0]], \"mass\": 2 }, \"c\": { \"rod\": [[1, 0], [1.5, 0.8]], "
      "\"mass\": 1 },"
      "              \"b\": { \"mass\": 1.5, \"inertia\": 0.2, \"center\": [0.1, 0.2], \"position\": [2, 0], "
      "\"angle\": 0.3 } },"
      "  \"joints\": { \"m\": { \"type\": \"center-of-mass\", \"bodies\": [\"a\", \"c\"], \"axis\": \"x\", \"value\": "
      "\"0.75 - 0.2*sin(2*t)\" },"
      "              \"P\": { \"type\": \"prismatic\", \"between\": [\"ground\", \"b\"], \"at\": [2, 0], \"axis\": [1, "
      "0.4] },"
      "              \"A\": { \"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0] },"
      "              \"B\": { \"type\": \"revolute\", \"between\": [\"a\", \"c\"], \"at\": [1, 0] },"
      "              \"rope\": { \"type\": \"distance\", \"between\": [\"c\", \"b\"], \"at\": [[1.5, 0.8], [2.2, 0.1]] "
      "} },"
      "  \"outputs\": { \"x\": \"position(b)\", \"th\": \"c.angle\", \"w\": \"a.rate\", \"P\": \"force(P)\", \"Pt\": "
      "\"torque(P)\", \"A\": \"force(A)\","
      "               \"power\": \"m.power\", \"E\": \"energy.total\", \"W\": \"energy.driver\" } }";
  static tn_joint_type type[2];
  build one, two;
  build_table a = {0}, v = {0};
  double worst = 0;
  build_new(&one, 1);
  build_new(&two, 1);
  build_parse(&one, model);
  build_parse(&two, model);
  build_tight(&one, 0.6, 0.02);
  build_tight(&two, 0.6, 0.02);
  if (build_compile(&one) && build_compile(&two)) {
    on_velocities(two.model, "m", 0, &type[0]);
    on_velocities(two.model, "P", 1, &type[1]);
    CHECK(one.model->holonomic == 8 && two.model->holonomic == 6);
    if (build_simulate(&one) && build_run(&one, &a) && build_simulate(&two) && build_run(&two, &v)) {
      build_errors e = {0};
      build_motion motion;
      CHECK(a.rows == 31 && v.rows == 31);
      for (int i = 0; i < a.rows; i++)
        for (int k = 0; k < a.columns; k++) worst = worse(worst, fabs(build_at(&a, i, k) - build_at(&v, i, k)) / 10);
      worst = worse(worst, tn_sim_summary(two.sim)->energy_balance);
      CHECK(fabs(build_at(&a, 30, a.columns - 1)) > 0.1); /* the driver works */
      build_motion_random(&two, 0.3, &motion);
      build_rows(&two, &motion, &e);
      worst = worse(worse(worse(worst, e.A), e.Cdot), worse(e.gamma, e.Ct));
    }
  }
  if (one.failed || two.failed) FAIL("%s%s", one.message, two.message);
  printf("held on velocities: differs by %.1e\n", worst);
  CHECK(worst <= 1e-8);
  build_table_free(&a), build_table_free(&v);
  build_free(&one), build_free(&two);
}
