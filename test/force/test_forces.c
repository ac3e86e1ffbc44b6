/* every force type in the registry, in every way it can act, by random instances built from its field table:
 *   power identity   sum of wrench times twist = power - dV/dt along any motion
 *   at rest          generalised force = -dV/dq + d power/du, coordinate by coordinate
 *   between two      no force and no moment on the two together
 *   dissipated       never negative
 * then the values of the ones there are. a type that cannot be built here fails. */
#include "support/build.h"
#include "test.h"

enum { INSTANCES = 150 };

static const int ways[] = {TN_ON_BODY, TN_ON_CHANNEL, TN_BETWEEN};
static const char *const way_name[] = {"on a body", "on a channel", "between"};

static bool instance(build *b, const tn_force_type *type, int how, int seed, build_given *given) {
  build_new(b, 31u * (uint64_t)seed + (uint64_t)how);
  build_world(b);
  build_helpers(b, 1);
  return build_force(b, "f", type, how, given) && build_compile(b);
}

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

typedef double (*check)(build *b);

static double error_of(build *b, const void *of) { return (*(const check *)of)(b); }

static void each_type(const char *what, double tolerance, check f) {
  for (int i = 0; i < tn_force_type_count; i++)
    for (int k = 0; k < 3; k++) {
      const tn_force_type *type = tn_force_types[i];
      double worst = -1;
      if (!(type->takes & (unsigned)ways[k])) continue;
      for (int n = 0; n < INSTANCES; n++) {
        build b;
        build_given given;
        if (instance(&b, type, ways[k], n, &given)) {
          const double err = build_converged(&b, error_of, &f, tolerance, type->smooth);
          if (!(err <= worst)) worst = isnan(err) ? INFINITY : err;
        }
        build_free(&b);
      }
      if (worst < 0) continue; /* the check does not apply */
      printf("%-8s %-14s %-16s %.1e\n", type->name, way_name[k], what, worst);
      if (!(worst <= tolerance))
        FAIL("force %s %s: %s is off by %.3g > %.3g", type->name, way_name[k], what, worst, tolerance);
    }
}

TEST(every_type_can_be_built_with_every_field) {
  CHECK(tn_force_type_count > 0);
  for (int i = 0; i < tn_force_type_count; i++) {
    const tn_force_type *type = tn_force_types[i];
    const unsigned known = TN_ON_BODY | TN_ON_CHANNEL | TN_BETWEEN | TN_AT_POINT | TN_SHARED | TN_ON_NOTHING;
    build_given all = {0};
    char why[1200] = "", text[64];
    if (type->takes & ~known || !(type->takes & known))
      FAIL("force %s acts in a way this test does not know", type->name);
    for (int k = 0; k < 3; k++) {
      int built = 0;
      if (!(type->takes & (unsigned)ways[k])) continue;
      for (int n = 0; n < INSTANCES; n++) {
        build b;
        build_given given;
        if (instance(&b, type, ways[k], n, &given)) {
          built++;
          build_given_too(&all, &given);
        } else {
          snprintf(why, sizeof why, "%s", b.message);
        }
        build_free(&b);
      }
      printf("%-8s %-14s %d of %d\n", type->name, way_name[k], built, INSTANCES);
      if (built < INSTANCES / 6)
        FAIL("force %s %s: only %d of %d were accepted: %s", type->name, way_name[k], built, INSTANCES, why);
    }
    const char *missing = build_missing(type->fields, &all, text, sizeof text);
    if (missing) FAIL("force %s: `%s` was never accepted: %s", type->name, missing, why);
  }
}

/* one that acts on one side only, or beyond a gap, is zero in many places */
TEST(every_force_acts_somewhere) {
  for (int i = 0; i < tn_force_type_count; i++)
    for (int k = 0; k < 3; k++) {
      const tn_force_type *type = tn_force_types[i];
      double most = 0;
      int acts = 0;
      if (!(type->takes & (unsigned)ways[k])) continue;
      for (int n = 0; n < INSTANCES; n++) {
        build b;
        build_given given;
        const double f = instance(&b, type, ways[k], n, &given) ? build_force_at_random(&b, 0.7) : 0;
        acts += f > 0;
        most = fmax(most, f);
        build_free(&b);
      }
      printf("%-8s %-14s acts in %d of %d, up to %.2g N or N m\n", type->name, way_name[k], acts, INSTANCES, most);
      if (acts < INSTANCES / 20) FAIL("force %s %s acts in %d of %d", type->name, way_name[k], acts, INSTANCES);
    }
}

/* ---- laws that hold for all ------------------------------------------------------------------------------------------ */

/* a motion away from where the law has no derivative */
static void regular_motion(build *b, build_motion *m) {
  do build_motion_random(b, 0.7, m);
  while (build_force_regular(b, m->t, m->q, m->u) < 0.2);
}

static double power_identity(build *b) {
  tn_system *s = &b->sys;
  build_motion m;
  double V[BUILD_STENCIL], q[BUILD_MOST], u[BUILD_MOST], P = 0, size = 0;
  build_states states;
  regular_motion(b, &m);
  build_states_random(b, m.t, m.q, m.u, &states);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    build_motion_at(b, &m, build_offset(k, b->h), q, u);
    build_states_at(b, &states, build_offset(k, b->h));
    tn_assemble(s, m.t + build_offset(k, b->h), q, u);
    V[k] = s->forces.out[0].energy;
    if (fabs(tn_energy_of(s, TN_POTENTIAL) - V[k]) > 1e-14 * fabs(V[k])) return INFINITY; /* no gravity here */
  }
  build_states_at(b, &states, 0);
  tn_assemble(s, m.t, m.q, m.u);
  for (int i = 0; i < b->model->bodies; i++) {
    const double *w = s->forces.wrench + 3 * i;
    const tn_frame2 *f = &s->pose.body[i];
    P += w[0] * f->v[0] + w[1] * f->v[1] + w[2] * f->w;
    size += fabs(w[0] * f->v[0]) + fabs(w[1] * f->v[1]) + fabs(w[2] * f->w);
  }
  const double expected = s->forces.out[0].power - build_slope(V, b->h);
  double err = worse(fabs(P - expected), fabs(s->forces.power_of[0] - P));
  err = worse(err, fabs(s->forces.power - s->forces.out[0].power) +
                       fabs(s->forces.dissipated - s->forces.out[0].dissipated));
  return err / (1 + size);
}

static double at_rest(build *b) {
  tn_system *s = &b->sys;
  build_motion m;
  const int nu = b->model->nu;
  double f[BUILD_MOST], q[BUILD_MOST], u[BUILD_MOST] = {0}, err = 0, size = 0;
  regular_motion(b, &m);
  tn_assemble(s, m.t, m.q, u);
  memcpy(f, s->f, sizeof *f * (size_t)nu);
  for (int i = 0; i < nu; i++) size = fmax(size, fabs(f[i]));
  for (int i = 0; i < nu; i++) {
    double V[BUILD_STENCIL], P[BUILD_STENCIL];
    for (int k = 0; k < BUILD_STENCIL; k++) {
      memcpy(q, m.q, sizeof *q * (size_t)nu);
      q[i] += build_offset(k, b->h);
      tn_assemble(s, m.t, q, u);
      V[k] = s->forces.out[0].energy;
    }
    for (int k = 0; k < BUILD_STENCIL; k++) {
      u[i] = build_offset(k, b->h);
      tn_assemble(s, m.t, m.q, u);
      P[k] = s->forces.out[0].power;
    }
    u[i] = 0;
    err = worse(err, fabs(f[i] + build_slope(V, b->h) - build_slope(P, b->h)) / (1 + size));
  }
  return err;
}

static double equal_and_opposite(build *b) {
  const tn_force *f = &b->model->force[0];
  tn_system *s = &b->sys;
  build_motion m;
  double sum[3] = {0, 0, 0}, size = 0;
  if (f->how == TN_ON_BODY || (f->how == TN_ON_CHANNEL && f->on.kind != TN_OF_JOINT)) return -1;
  if (f->how == TN_ON_CHANNEL)
    for (int k = 0; k < 2; k++)
      if (b->model->joint[f->on.part].spot[k].body < 0) return -1;
  build_motion_random(b, 0.7, &m);
  build_states states;
  build_states_random(b, m.t, m.q, m.u, &states);
  for (int i = 0; i < b->model->bodies; i++) {
    const double *w = s->forces.wrench + 3 * i, *r = s->pose.body[i].r;
    sum[0] += w[0];
    sum[1] += w[1];
    sum[2] += w[2] + r[0] * w[1] - r[1] * w[0];
    size = fmax(size, fabs(w[0]) + fabs(w[1]) + fabs(w[2]));
  }
  return worse(worse(fabs(sum[0]), fabs(sum[1])), fabs(sum[2])) / (1 + size);
}

/* 0, or what is wrong with it */
static double dissipates(build *b) {
  double err = 0;
  bool fed = false; /* by what an expression says */
  for (const tn_field *f = b->model->force[0].type->fields; f && f->key; f++) fed = fed || f->kind == TN_RUNNING;
  for (int n = 0; n < 5; n++) {
    build_motion m;
    build_states states;
    build_motion_random(b, 0.7, &m);
    build_states_random(b, m.t, m.q, m.u, &states);
    err = worse(err, -b->sys.forces.out[0].dissipated);
    /* heat is a part of the power that leaves */
    if (!fed && b->sys.forces.out[0].dissipated > 0)
      err = worse(err, b->sys.forces.out[0].power + b->sys.forces.out[0].dissipated > 1e-12);
  }
  return err;
}

TEST(power_is_work_and_potential) { each_type("power identity", 1e-8, power_identity); }
TEST(at_rest_the_force_is_minus_the_gradient) { each_type("gradient", 1e-8, at_rest); }
TEST(two_bodies_feel_opposite_forces) { each_type("opposite", 1e-13, equal_and_opposite); }
TEST(dissipated_power_is_never_negative) { each_type("dissipated", 0, dissipates); }

/* ---- values ---------------------------------------------------------------------------------------------------------- */

/* bodies `a` at (1, 2), turned by 0.5, and `b` at (-1, 1); moving; t = 0.7 */
static void two_bodies(build *b) {
  build_new(b, 3);
  build_set(b, "/bodies/a", "{\"mass\": 2, \"inertia\": 0.5, \"position\": [1, 2], \"angle\": 0.5}");
  build_set(b, "/bodies/b", "{\"mass\": 1, \"inertia\": 0.4, \"position\": [-1, 1], \"angle\": 0}");
  build_set(b, "/joints/pin", "{\"type\": \"revolute\", \"between\": [\"a\", \"b\"], \"at\": [0, 0]}");
}

static const double moving[] = {0.3, -0.4, 1.5, 0.2, 0.6, -0.8};

static bool there(build *b) {
  if (!build_compile(b)) {
    FAIL("%s", b->message);
    return false;
  }
  tn_assemble(&b->sys, 0.7, b->model->q0, moving);
  return true;
}

static void check_wrench(const build *b, int body, double fx, double fy, double t) {
  const double *w = b->sys.forces.wrench + 3 * body;
  CHECK_NEAR(w[0], fx, 1e-14);
  CHECK_NEAR(w[1], fy, 1e-14);
  CHECK_NEAR(w[2], t, 1e-14);
}

TEST(force_at_a_point) {
  build b;
  two_bodies(&b);
  build_set(&b, "/forces/f",
            "{\"type\": \"force\", \"on\": \"a\", \"at\": [1.5, 2.25], \"value\": [\"3 + a.vx\", \"-2*b.rate + t\"]}");
  if (there(&b)) {
    check_wrench(&b, 0, 3.3, 2.3, 0.5 * 2.3 - 0.25 * 3.3);
    check_wrench(&b, 1, 0, 0, 0);
    CHECK_NEAR(b.sys.forces.power, 3.3 * (0.3 - 1.5 * 0.25) + 2.3 * (-0.4 + 1.5 * 0.5), 1e-14);
  }
  build_free(&b);
  two_bodies(&b);
  build_set(&b, "/forces/f",
            "{\"type\": \"force\", \"on\": \"a\", \"on_body\": [0.5, 0], \"value\": [3, 1], \"axes\": \"body\"}");
  if (there(&b)) check_wrench(&b, 0, 3 * cos(0.5) - sin(0.5), 3 * sin(0.5) + cos(0.5), 0.5);
  build_free(&b);
}

TEST(torque_on_a_body_and_along_a_channel) {
  build b;
  two_bodies(&b);
  build_set(&b, "/forces/f", "{\"type\": \"torque\", \"on\": \"a\", \"value\": \"4 - 2*rate\"}");
  if (there(&b)) {
    check_wrench(&b, 0, 0, 0, 1);
    CHECK_NEAR(b.sys.forces.power, 1.5, 1e-14);
  }
  build_free(&b);
  two_bodies(&b); /* on the second of the joint, opposite on the first; `rate` is that of the channel */
  build_set(&b, "/forces/f", "{\"type\": \"torque\", \"on\": \"pin.angle\", \"value\": \"20 - 5*rate\"}");
  if (there(&b)) {
    const double rate = -0.8 - 1.5, value = 20 - 5 * rate;
    check_wrench(&b, 0, 0, 0, -value);
    check_wrench(&b, 1, 0, 0, value);
    CHECK_NEAR(b.sys.forces.power, value * rate, 1e-13);
  }
  build_free(&b);
  two_bodies(&b);
  build_set(&b, "/forces/f", "{\"type\": \"torque\", \"on\": \"b.x\", \"value\": \"7*x\"}");
  if (there(&b)) check_wrench(&b, 1, -7, 0, 0);
  build_free(&b);
}

TEST(spring_between_places_and_along_a_channel) {
  build b;
  two_bodies(&b); /* from (4, 6) on the ground to the origin of a: d = (-3, -4), l = 5, ldot = (-3 0.3 + 4 0.4)/5 */
  build_set(&b, "/forces/f",
            "{\"type\": \"spring\", \"between\": [\"ground\", \"a\"], \"at\": [[4, 6], \"a\"], \"stiffness\": 10, "
            "\"length\": 4, \"damping\": 2}");
  if (there(&b)) {
    const double ldot = (-3 * 0.3 + 4 * 0.4) / 5, N = 10 + 2 * ldot;
    check_wrench(&b, 0, 0.6 * N, 0.8 * N, 0);
    CHECK_NEAR(tn_energy_of(&b.sys, TN_POTENTIAL), 5, 1e-14);
    CHECK_NEAR(b.sys.forces.dissipated, 2 * ldot * ldot, 1e-14);
    CHECK_NEAR(b.sys.forces.power, -2 * ldot * ldot, 1e-14);
  }
  build_free(&b);
  two_bodies(&b); /* at rest as given */
  build_set(&b, "/forces/f",
            "{\"type\": \"spring\", \"between\": [\"b\", \"a\"], \"at\": [\"b\", \"a\"], \"stiffness\": 10}");
  if (there(&b)) check_wrench(&b, 0, 0, 0, 0);
  build_free(&b);
  two_bodies(&b);
  build_set(&b, "/forces/f",
            "{\"type\": \"spring\", \"on\": \"a.angle\", \"stiffness\": 10, \"rest\": 0.2, \"damping\": 3}");
  if (there(&b)) {
    check_wrench(&b, 0, 0, 0, -10 * 0.3 - 3 * 1.5);
    CHECK_NEAR(tn_energy_of(&b.sys, TN_POTENTIAL), 0.45, 1e-14);
    CHECK_NEAR(b.sys.forces.dissipated, 6.75, 1e-14);
  }
  build_free(&b);
  two_bodies(&b); /* no direction at length 0: no pull */
  build_set(&b, "/forces/f",
            "{\"type\": \"spring\", \"between\": [\"ground\", \"a\"], \"at\": [\"a\", \"a\"], \"stiffness\": 10, "
            "\"length\": 1, \"damping\": 1}");
  if (there(&b)) check_wrench(&b, 0, 0, 0, 0);
  build_free(&b);
}

/* what a spring bears, by its law from the outputs of the same row; a pull is positive */
TEST(the_load_of_springs_and_torques) {
  build b;
  double load[3], x[6];
  static const char *const loads[] = {"far.load", "twist.load", "motor.load"}, *const of[] = {"bob.x",     "bob.y",
                                                                                              "bob.vx",    "bob.vy",
                                                                                              "pin.angle", "pin.rate"};
  tn_error e;
  build_new(&b, 1);
  build_set(&b, "/bodies/bob", "{\"mass\": 1, \"position\": [3, 4], \"coordinates\": \"point\"}");
  build_set(&b, "/bodies/arm", "{\"mass\": 1, \"inertia\": 1}");
  build_set(&b, "/joints/pin", "{\"type\": \"revolute\", \"between\": [\"ground\", \"arm\"], \"at\": [0, 0]}");
  build_set(
      &b, "/forces/far",
      "{\"type\": \"spring\", \"between\": [\"ground\", \"bob\"], \"at\": [[0, 0]], \"stiffness\": 7, \"length\": 4, "
      "\"damping\": 0.5}");
  build_set(&b, "/forces/twist", "{\"type\": \"spring\", \"on\": \"pin.angle\", \"stiffness\": 3, \"rest\": 0.5}");
  build_set(&b, "/forces/motor", "{\"type\": \"torque\", \"on\": \"pin.angle\", \"value\": \"2 - rate\"}");
  build_set(&b, "/start", "{\"bob.vx\": 1, \"pin.rate\": 0.3}");
  build_set(&b, "/outputs", "{\"a\": \"far.load\", \"b\": \"twist.load\", \"c\": \"far.load + far.load\"}");
  CHECK(build_simulate(&b) && tn_sim_advance(b.sim, 0.2, &e) == TN_OK);
  for (int i = 0; i < 3; i++) CHECK(tn_sim_channel(b.sim, loads[i], &load[i], &e) == TN_OK);
  for (int i = 0; i < 6; i++) CHECK(tn_sim_channel(b.sim, of[i], &x[i], &e) == TN_OK);
  const double l = hypot(x[0], x[1]), speed = (x[0] * x[2] + x[1] * x[3]) / l;
  CHECK_NEAR(load[0], 7 * (l - 4) + 0.5 * speed, 1e-12);
  CHECK(load[0] > 5); /* it is longer than at rest: it pulls */
  CHECK_NEAR(load[1], -3 * (x[4] - 0.5), 1e-12);
  CHECK_NEAR(load[2], 2 - x[5], 1e-12);
  CHECK_TEXT(tn_sim_column_unit(b.sim, 0), "N");
  CHECK_TEXT(tn_sim_column_unit(b.sim, 1), "N m");
  CHECK_TEXT(tn_sim_column_unit(b.sim, 2), "N");
  build_free(&b);
}

/* one that acts on a body has no load to speak of, and the message says what there is */
TEST(a_channel_that_a_force_does_not_have) {
  build b;
  build_new(&b, 1);
  build_set(&b, "/bodies/arm", "{\"mass\": 1, \"inertia\": 1}");
  build_set(&b, "/forces/push", "{\"type\": \"torque\", \"on\": \"arm\", \"value\": 1}");
  build_set(&b, "/outputs", "{\"a\": \"push.load\"}");
  tn_model *m = NULL;
  tn_error e;
  CHECK(tn_compile(b.desc, &m, &e) == TN_E_MODEL);
  CHECK_HAS(e.message, "force 'push' has no channel 'load'");
  CHECK_HAS(e.hint, "it has: power energy");
  tn_model_free(m);
  build_free(&b);
}
