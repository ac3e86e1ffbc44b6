/* every force type in the registry that is there in space, in every way it can act, by random instances built from its
 * tables:
 *   power identity   sum of wrench times twist = power - dV/dt along any motion
 *   at rest          force on each speed = -dV along it + d power/du
 *   between two      no force and no moment on the two together; none on what moves with both
 *   dissipated       never negative
 * then the values of the ones there are. a type that cannot be built here fails. */
#include "support/space.h"
#include "test.h"

enum { INSTANCES = 150 };

static const int ways[] = {TN_ON_BODY, TN_ON_CHANNEL, TN_BETWEEN};
static const char *const way_name[] = {"on a body", "on a channel", "between"};

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

static bool instance(build *b, const tn_force_type *type, int how, int seed, build_given *plain, build_given *space) {
  space_new(b, 31u * (uint64_t)seed + (uint64_t)how);
  space_world(b);
  space_helpers(b);
  return space_force(b, "f", type, how, seed % 3 ? "a" : "b", seed % 3 == 1 ? "p" : "c", plain, space) &&
         build_compile(b);
}

typedef double (*check)(build *b);

static double error_of(build *b, const void *of) { return (*(const check *)of)(b); }

static void each_type(const char *what, double tolerance, check f) {
  int found = 0;
  for (int i = 0; i < tn_force_type_count; i++)
    for (int k = 0; k < 3; k++) {
      const tn_force_type *type = tn_force_types[i];
      double worst = -1;
      if (!type->space || !(type->takes & (unsigned)ways[k])) continue;
      for (int n = 0; n < INSTANCES; n++) {
        build b;
        build_given plain, space;
        if (instance(&b, type, ways[k], n, &plain, &space)) {
          const double err = build_converged(&b, error_of, &f, tolerance, type->smooth);
          if (!(err <= worst)) worst = isnan(err) ? INFINITY : err;
        }
        build_free(&b);
      }
      if (worst < 0) continue; /* the check does not apply */
      found++;
      printf("%-8s %-14s %-16s %.1e\n", type->name, way_name[k], what, worst);
      if (!(worst <= tolerance))
        FAIL("force %s %s: %s is off by %.3g > %.3g", type->name, way_name[k], what, worst, tolerance);
    }
  CHECK(found > 0);
}

TEST_FULL(every_type_can_be_built_with_every_field) {
  int types = 0;
  for (int i = 0; i < tn_force_type_count; i++) {
    const tn_force_type *type = tn_force_types[i];
    const unsigned known = TN_ON_BODY | TN_ON_CHANNEL | TN_BETWEEN | TN_AT_POINT | TN_SHARED | TN_ON_NOTHING;
    build_given all[2] = {0};
    char why[1200] = "", text[64];
    if (!type->space) continue;
    types++;
    if (type->takes & ~known || !(type->takes & known))
      FAIL("force %s acts in a way this test does not know", type->name);
    for (int k = 0; k < 3; k++) {
      int built = 0;
      if (!(type->takes & (unsigned)ways[k])) continue;
      for (int n = 0; n < INSTANCES; n++) {
        build b;
        build_given given[2] = {0};
        if (instance(&b, type, ways[k], n, &given[0], &given[1])) {
          built++;
          for (int t = 0; t < 2; t++) build_given_too(&all[t], &given[t]);
        } else {
          snprintf(why, sizeof why, "%s", b.message);
        }
        build_free(&b);
      }
      printf("%-8s %-14s %d of %d\n", type->name, way_name[k], built, INSTANCES);
      if (built < INSTANCES / 6)
        FAIL("force %s %s: only %d of %d were accepted: %s", type->name, way_name[k], built, INSTANCES, why);
    }
    for (int t = 0; t < 2; t++) {
      const char *missing = build_missing(t ? type->fields_space : type->fields, &all[t], text, sizeof text);
      if (missing) FAIL("force %s: `%s` was never accepted: %s", type->name, missing, why);
    }
  }
  CHECK(types >= 3);
}

/* one that acts on one side only, or beyond a gap, is zero in many places */
TEST_FULL(every_force_acts_somewhere) {
  for (int i = 0; i < tn_force_type_count; i++)
    for (int k = 0; k < 3; k++) {
      const tn_force_type *type = tn_force_types[i];
      double most = 0;
      int acts = 0;
      if (!type->space || !(type->takes & (unsigned)ways[k])) continue;
      for (int n = 0; n < INSTANCES; n++) {
        build b;
        build_given given, space;
        const double f = instance(&b, type, ways[k], n, &given, &space) ? build_force_at_random(&b, 0.7) : 0;
        acts += f > 0;
        most = fmax(most, f);
        build_free(&b);
      }
      printf("%-8s %-14s acts in %d of %d, up to %.2g N or N m\n", type->name, way_name[k], acts, INSTANCES, most);
      if (acts < INSTANCES / 20) FAIL("force %s %s acts in %d of %d", type->name, way_name[k], acts, INSTANCES);
    }
}

/* ---- laws that hold for all -------------------------------------------------------------------------------------- */

static double power_of_wrenches(const build *b) {
  const tn_system *s = &b->sys;
  double P = 0;
  for (int i = 0; i < b->model->bodies; i++)
    P += tn_dot3(s->forces.wrench + 6 * i, s->pose.body3[i].v) +
         tn_dot3(s->forces.wrench + 6 * i + 3, s->pose.body3[i].w);
  return P;
}

/* a motion away from where the law has no derivative */
static void apart(build *b, space_motion *m) {
  double q[BUILD_MOST], u[BUILD_MOST];
  do {
    space_motion_random(b, 0.4, m);
    space_motion_at(b, m, 0, q, u, NULL);
  } while (build_force_regular(b, m->t, q, u) < 0.2);
}

static double power_identity(build *b) {
  tn_system *s = &b->sys;
  space_motion m;
  double V[BUILD_STENCIL], q[BUILD_MOST], u[BUILD_MOST];
  build_states states;
  apart(b, &m);
  space_motion_at(b, &m, 0, q, u, NULL);
  build_states_random(b, m.t, q, u, &states);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    space_motion_at(b, &m, build_offset(k, b->h), q, u, NULL);
    build_states_at(b, &states, build_offset(k, b->h));
    tn_assemble(s, m.t + build_offset(k, b->h), q, u);
    V[k] = s->forces.out[0].energy;
    if (fabs(tn_energy_of(s, TN_POTENTIAL) - V[k]) > 1e-14 * fabs(V[k])) return INFINITY; /* no gravity here */
  }
  space_motion_at(b, &m, 0, q, u, NULL);
  build_states_at(b, &states, 0);
  tn_assemble(s, m.t, q, u);
  const double P = power_of_wrenches(b), all = s->forces.power_of[0], size = 1 + fabs(P) + fabs(s->forces.power);
  double err = fabs(P - all) / size;
  err = worse(err, fabs(P - (s->forces.power - build_slope(V, b->h))) / size);
  err = worse(err, fabs(s->forces.power - s->forces.out[0].power) / size);
  return err;
}

/* f on each speed, at rest: bias is zero there. a power that depends on speeds, as dampers' does, vanishes to first
 * order */
static double minus_gradient(build *b) {
  tn_system *s = &b->sys;
  static const double rest[BUILD_MOST];
  double at[BUILD_MOST], q[BUILD_MOST], f[BUILD_MOST], u[BUILD_MOST], err = 0, size = 1;
  space_motion m;
  apart(b, &m);
  space_motion_at(b, &m, 0, at, u, NULL);
  memset(u, 0, sizeof u);
  tn_assemble(s, m.t, at, rest);
  memcpy(f, s->f, sizeof *f * (size_t)b->model->nu);
  for (int i = 0; i < b->model->nu; i++) size = fmax(size, fabs(f[i]));
  for (int i = 0; i < b->model->nu; i++) {
    double V[BUILD_STENCIL], P[BUILD_STENCIL];
    for (int k = 0; k < BUILD_STENCIL; k++) {
      double step[BUILD_MOST] = {0};
      memcpy(q, at, sizeof q);
      step[i] = build_offset(k, b->h);
      tn_model_add(b->model, q, step);
      tn_assemble(s, m.t, q, rest);
      V[k] = tn_energy_of(s, TN_POTENTIAL);
      u[i] = build_offset(k, b->h); /* force on it: slope of the power over the speed */
      tn_assemble(s, m.t, at, u);
      P[k] = s->forces.power;
      u[i] = 0;
    }
    err = worse(err, fabs(f[i] - (build_slope(P, b->h) - build_slope(V, b->h))) / size);
  }
  return err;
}

/* on the two together: neither force nor moment about any point; so of a joint's channel, but not of a body's */
static double equal_and_opposite(build *b) {
  const tn_model *m = b->model;
  const tn_force *p = &m->force[0];
  tn_system *s = &b->sys;
  space_motion motion;
  double q[BUILD_MOST], u[BUILD_MOST], sum[6] = {0}, err = 0, size = 1;
  if (p->how == TN_ON_BODY || (p->how == TN_ON_CHANNEL && p->on.kind != TN_OF_JOINT)) return -1;
  if (p->how == TN_ON_CHANNEL) {
    const tn_spot *spot = m->joint[p->on.part].spot;
    if (spot[0].body < 0 || spot[1].body < 0) return -1;
  }
  space_motion_random(b, 0.4, &motion);
  space_motion_at(b, &motion, 0, q, u, NULL);
  tn_assemble(s, motion.t, q, u);
  for (int i = 0; i < m->bodies; i++) {
    tn_move_wrench(6, s->pose.body3[i].r, s->forces.wrench + 6 * i, sum);
    for (int d = 0; d < 6; d++) size += fabs(s->forces.wrench[6 * i + d]);
  }
  for (int d = 0; d < 6; d++) err = worse(err, fabs(sum[d]) / size);
  return err;
}

static double never_gains(build *b) {
  space_motion m;
  double q[BUILD_MOST], u[BUILD_MOST];
  space_motion_random(b, 0.6, &m);
  space_motion_at(b, &m, 0, q, u, NULL);
  tn_assemble(&b->sys, m.t, q, u);
  if (!(b->sys.forces.dissipated >= 0) || b->sys.forces.dissipated != b->sys.forces.out[0].dissipated) return INFINITY;
  /* a part of the power, and the only one a spring has */
  const bool spring = strcmp(b->model->force[0].type->name, "spring") == 0;
  return spring ? fabs(b->sys.forces.power + b->sys.forces.dissipated) : 0;
}

TEST_FULL(power_is_that_of_the_wrenches) { each_type("power", 1e-9, power_identity); }
TEST_FULL(wrenches_are_minus_the_gradient) { each_type("gradient", 1e-9, minus_gradient); }
TEST_FULL(equal_and_opposite_on_two) { each_type("action", 1e-13, equal_and_opposite); }
TEST_FULL(dissipated_is_never_negative) { each_type("dissipated", 0, never_gains); }

/* a spring whose ends meet has no direction, a bushing turned by half a turn no sense of its torque */
TEST(regular_is_zero_where_a_force_is_singular) {
  static const struct {
    const char *name;
    double turn, apart, regular; /* quarter turns, m */
  } cases[] = {{"spring", 0, 0, 0},    {"spring", 2, 100, 1}, {"bushing", 0, 0, 1},
               {"bushing", 1, 1, 0.5}, {"bushing", 2, 0, 0},  {"bushing", 3, 2, 0.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    build_given plain, space;
    tn_frame3 f[2] = {{.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    const tn_force_in in = {.how = TN_BETWEEN, .f3 = f};
    const tn_force_type *type = NULL;
    bool there = false;
    for (int k = 0; k < tn_force_type_count; k++)
      if (strcmp(tn_force_types[k]->name, cases[i].name) == 0) type = tn_force_types[k];
    for (int seed = 0; type && !there && seed < INSTANCES; seed++) {
      there = instance(&b, type, TN_BETWEEN, seed, &plain, &space);
      if (there) {
        tn_rotation_about3((double[3]){1, 0, 0}, cases[i].turn * acos(0), f[1].A);
        f[1].r[1] = cases[i].apart;
        CHECK_NEAR(type->regular(b.model->force[0].self, &in), cases[i].regular, 1e-15);
      }
      build_free(&b);
    }
    if (!there) FAIL("%s", cases[i].name);
  }
}

/* ---- the ones there are ------------------------------------------------------------------------------------------ */

/* one body turned by 90 degrees about z, its frame at (1, 2, 3) */
static bool turned(build *b, const char *force) {
  space_new(b, 1);
  build_set(b, "/bodies/x",
            "{\"mass\": 2, \"inertia\": [0.3, 0.4, 0.5], \"position\": [1, 2, 3], \"axis_angle\": [\"z\", "
            "\"90*deg\"]}");
  build_set(b, "/forces/f", "%s", force);
  if (!build_compile(b)) {
    FAIL("%s", b->message);
    return false;
  }
  return true;
}

static void check_wrench(const char *force, const double expected[6]) {
  build b;
  double q[7], u[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  if (turned(&b, force)) {
    memcpy(q, b.model->q0, sizeof q);
    tn_assemble(&b.sys, 0.5, q, u);
    for (int d = 0; d < 6; d++) CHECK_NEAR(b.sys.forces.wrench[d], expected[d], 1e-14);
  }
  build_free(&b);
}

TEST(forces_and_torques_in_their_axes) {
  /* at (1, 2, 3) + A (1, 0, 0) = (1, 3, 3): arm (0, 1, 0) */
  check_wrench("{\"type\": \"force\", \"on\": \"x\", \"on_body\": [1, 0, 0], \"value\": [3, 0, \"2*t\"]}",
               (double[6]){3, 0, 1, 1, 0, -3});
  check_wrench("{\"type\": \"force\", \"on\": \"x\", \"at\": [1, 3, 3], \"value\": [3, 0, \"2*t\"]}",
               (double[6]){3, 0, 1, 1, 0, -3});
  check_wrench("{\"type\": \"force\", \"on\": \"x\", \"on_body\": [1, 0, 0], \"value\": [3, 0, 1], \"axes\": \"body\"}",
               (double[6]){0, 3, 1, 1, 0, 0});
  check_wrench("{\"type\": \"torque\", \"on\": \"x\", \"about\": [0, 0, 4], \"value\": \"x.wx\"}",
               (double[6]){0, 0, 0, 0, 0, 0.4});
  check_wrench("{\"type\": \"torque\", \"on\": \"x\", \"about\": \"x\", \"value\": 5}", (double[6]){0, 0, 0, 5, 0, 0});
  check_wrench("{\"type\": \"torque\", \"on\": \"x\", \"about\": \"x\", \"value\": 5, \"axes\": \"body\"}",
               (double[6]){0, 0, 0, 0, 5, 0});
  /* a spring from the origin to the frame: 14^(1/2) long, rest 1; along d at speed d'v/|d| */
  const double l = sqrt(14), N = 10 * (l - 1) + 2 * (0.1 * 1 + 0.2 * 2 + 0.3 * 3) / l;
  check_wrench(
      "{\"type\": \"spring\", \"between\": [\"x\", \"ground\"], \"at\": [[1, 2, 3], [0, 0, 0]], \"stiffness\": 10, "
      "\"length\": 1, \"damping\": 2}",
      (double[6]){-N / l, -2 * N / l, -3 * N / l, 0, 0, 0});
  check_wrench("{\"type\": \"spring\", \"on\": \"x.z\", \"stiffness\": 10, \"rest\": 1, \"damping\": 2}",
               (double[6]){0, 0, -20 - 2 * 0.3, 0, 0, 0});
}
