/* every force type that is registered, in the models of its own examples, in the plane and in space; a new type is here by itself.
 *   potential   where it holds energy: wrench = -dV/dx, by differences, at random poses and speeds
 *   action      between two bodies, and on channels of joints of two: no force and no moment on the two together
 *   heat        never negative, and never falling in a run
 *   ledger      a run of 1 s at rtol = atol = 1e-12: energy is where the ledger says
 * random instances from its field table are in test_forces.c, test_forces_space.c and test/simulate/test_ledger.c; in space their
 * ledger is here. */
#include "support/space.h"
#include "test.h"

enum { POSES = 40 };

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

/* the model of an example; false: there is none in this dimension */
static bool example(build *b, const tn_force_type *type, int dimension) {
  const char *sections = dimension == 2 ? (type->plane ? type->example : NULL)
                         : type->plane  ? type->example_space
                                        : type->example;
  static char text[8000];
  if (!(dimension == 2 ? type->plane : type->space)) return false;
  if (!sections) {
    FAIL("force %s has no example in %s", type->name, dimension == 2 ? "the plane" : "space");
    return false;
  }
  snprintf(text, sizeof text, "{'tenon': 1, 'dimension': %d, %s}", dimension, sections);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 7);
  build_parse(b, text);
  return true;
}

typedef double (*check)(build *b, int force);

/* the worst of all forces of the type in its examples; at least one must be of it */
static void each_type(const char *what, double tolerance, check f) {
  for (int i = 0; i < tn_force_type_count; i++)
    for (int dimension = 2; dimension <= 3; dimension++) {
      const tn_force_type *type = tn_force_types[i];
      build b;
      double worst = -1;
      int found = 0;
      if (!example(&b, type, dimension)) continue;
      if (!build_compile(&b)) FAIL("force %s: %s", type->name, b.message);
      for (int k = 0; b.model && k < b.model->forces; k++) {
        if (b.model->force[k].type != type) continue;
        found++;
        for (int n = 0; n < POSES; n++) worst = fmax(worst, f(&b, k));
      }
      build_free(&b);
      if (!found) FAIL("force %s is not in its example in %dD", type->name, dimension);
      if (worst < 0) continue; /* it does not apply */
      printf("%-10s %dD %-10s %.1e\n", type->name, dimension, what, worst);
      if (!(worst <= tolerance)) FAIL("force %s in %dD: %s is off by %.3g", type->name, dimension, what, worst);
    }
}

/* off the given pose and off the joints, moving */
static void somewhere(build *b, double *t, double *q, double *u) {
  double s[BUILD_MOST];
  const tn_model *m = b->model;
  *t = build_uniform(b, 0, 2);
  memcpy(q, m->q0, sizeof *q * (size_t)m->nq);
  for (int i = 0; i < m->nu; i++) {
    s[i] = build_uniform(b, -0.5, 0.5);
    u[i] = build_uniform(b, -1, 1);
  }
  tn_model_add(m, q, s);
}

/* power of its wrenches on the bodies = power without a potential - dV/dt, where V depends on the pose: for all u, so the wrench is
 * -dV/dx but for that power */
static double potential(build *b, int force) {
  static const double H = 1e-3;
  tn_system *s = &b->sys;
  double t, q[BUILD_MOST], u[BUILD_MOST], V[BUILD_STENCIL], at[BUILD_MOST], step[BUILD_MOST];
  somewhere(b, &t, q, u);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    memcpy(at, q, sizeof q);
    for (int i = 0; i < b->model->nu; i++) step[i] = build_offset(k, H) * u[i];
    tn_model_add(b->model, at, step);
    tn_assemble(s, t, at, u);
    V[k] = s->forces.out[force].energy;
  }
  const double slope = build_slope(V, H);
  if (slope == 0) return -1; /* no energy, or none that a pose changes */
  tn_assemble(s, t, q, u);
  const double power = s->forces.power_of[force], size = 1 + fabs(slope) + fabs(power);
  return fabs(power - (s->forces.out[force].power - slope)) / size;
}

/* what a force does to bodies, alone */
static void wrenches_of(build *b, int force, double *wrench) {
  const tn_model *m = b->model;
  const tn_force *p = &m->force[force];
  memset(wrench, 0, sizeof *wrench * (size_t)(m->twist * m->bodies));
  for (int k = 0; k < p->frames; k++) {
    tn_seen seen;
    tn_look(&b->sys, &p->spot[k], NULL, NULL, &seen);
    if (seen.body >= 0)
      tn_move_wrench(m->twist, seen.arm, b->sys.forces.out[force].w + m->twist * k, wrench + m->twist * seen.body);
  }
  if (p->how == TN_ON_CHANNEL) tn_measure_push(&b->sys, &p->on, b->sys.forces.out[force].effort, wrench);
}

static double action(build *b, int force) {
  const tn_model *m = b->model;
  const tn_force *p = &m->force[force];
  double t, q[BUILD_MOST], u[BUILD_MOST], wrench[6 * BUILD_MOST], sum[6] = {0}, size = 1, off = 0;
  if (p->how == TN_ON_BODY || (p->how == TN_ON_CHANNEL && p->on.kind != TN_OF_JOINT)) return -1;
  const tn_spot *spot = p->how == TN_BETWEEN ? p->spot : m->joint[p->on.part].spot;
  somewhere(b, &t, q, u);
  tn_assemble(&b->sys, t, q, u);
  if (p->how == TN_BETWEEN) { /* with the ground too: at the frames themselves */
    for (int k = 0; k < 2; k++) {
      tn_frame2 f2;
      tn_frame3 f3;
      tn_seen seen;
      double r[3] = {0};
      const double *w = b->sys.forces.out[force].w + m->twist * k;
      tn_look(&b->sys, &spot[k], &f2, &f3, &seen);
      memcpy(r, m->dimension == 2 ? f2.r : f3.r, sizeof *r * (size_t)m->dimension);
      tn_move_wrench(m->twist, r, w, sum);
      for (int d = 0; d < m->twist; d++) size += fabs(w[d]);
    }
  } else {
    if (spot[0].body < 0 || spot[1].body < 0) return -1;
    wrenches_of(b, force, wrench);
    for (int i = 0; i < m->bodies; i++) {
      double r[3];
      tn_body_origin(&b->sys, i, r);
      tn_move_wrench(m->twist, r, wrench + m->twist * i, sum);
      for (int d = 0; d < m->twist; d++) size += fabs(wrench[m->twist * i + d]);
    }
  }
  for (int d = 0; d < m->twist; d++) off = worse(off, fabs(sum[d]) / size);
  return off;
}

/* the power that is said to be of its wrenches is that of its wrenches on the bodies */
static double power_of_wrenches(build *b, int force) {
  const tn_model *m = b->model;
  double t, q[BUILD_MOST], u[BUILD_MOST], wrench[6 * BUILD_MOST], gains[6 * BUILD_MOST], sum = 0, size = 1;
  somewhere(b, &t, q, u);
  tn_assemble(&b->sys, t, q, u);
  wrenches_of(b, force, wrench);
  tn_gains(&b->sys, u, gains);
  for (int i = 0; i < m->twist * m->bodies; i++) {
    sum += wrench[i] * gains[i];
    size += fabs(wrench[i] * gains[i]);
  }
  return fabs(sum - b->sys.forces.power_of[force]) / size;
}

static double heat(build *b, int force) {
  double t, q[BUILD_MOST], u[BUILD_MOST];
  somewhere(b, &t, q, u);
  tn_assemble(&b->sys, t, q, u);
  return b->sys.forces.out[force].dissipated >= 0 ? 0 : -b->sys.forces.out[force].dissipated;
}

TEST(where_there_is_energy_the_wrench_is_its_gradient) { each_type("potential", 1e-10, potential); }
TEST(two_bodies_are_pushed_apart_equally) { each_type("action", 1e-14, action); }
TEST(power_is_that_of_the_wrenches) { each_type("power", 1e-14, power_of_wrenches); }
TEST(heat_is_never_negative) { each_type("heat", 0, heat); }

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

/* the balance of a run of 1 s over its largest kinetic energy, and what changed hands; heat only grows */
static double ledger(build *b, double *exchanged) {
  static const char *const name[] = {"kinetic", "potential", "force", "balance", "dissipated"};
  build_table t = {0};
  double T = 0, off = 0, lost = 0;
  int at[5];
  for (int i = 0; i < 5; i++) {
    char key[64];
    snprintf(key, sizeof key, "/outputs/e_%s", name[i]);
    build_set(b, key, "\"energy.%s\"", name[i]);
  }
  build_tight(b, 1, 0.01);
  if (!build_simulate(b) || !build_run(b, &t)) {
    build_table_free(&t);
    return NAN;
  }
  for (int i = 0; i < 5; i++) {
    char key[64];
    snprintf(key, sizeof key, "e_%s", name[i]);
    at[i] = build_column(b, key);
  }
  for (int i = 0; i < t.rows; i++) {
    T = fmax(T, build_at(&t, i, at[0]));
    off = worse(off, fabs(build_at(&t, i, at[3])));
    const double now = build_at(&t, i, at[4]);
    CHECK(now >= lost - 1e-12);
    lost = now;
  }
  const int last = t.rows - 1;
  *exchanged =
      fmax(*exchanged, fmax(fabs(build_at(&t, last, at[2])), fabs(build_at(&t, last, at[1]) - build_at(&t, 0, at[1]))));
  build_table_free(&t);
  return worse(off / T, tn_sim_summary(b->sim)->energy_balance);
}

TEST(the_ledger_of_every_example) {
  for (int i = 0; i < tn_force_type_count; i++)
    for (int dimension = 2; dimension <= 3; dimension++) {
      const tn_force_type *type = tn_force_types[i];
      build b;
      double exchanged = 0;
      if (!example(&b, type, dimension)) continue;
      const double off = ledger(&b, &exchanged);
      printf("%-10s %dD balance %.1e, exchanged %.2g J\n", type->name, dimension, off, exchanged);
      if (isnan(off)) FAIL("force %s: %s", type->name, b.message);
      if (!(off <= 1e-9)) FAIL("force %s in %dD: balance %.3g", type->name, dimension, off);
      if (!(exchanged > 1e-4)) FAIL("force %s in %dD: nothing happened", type->name, dimension);
      build_free(&b);
    }
}

/* alone, built from its tables, on bodies in space that turn: two on a sleeve, others free */
static bool alone(build *b, const tn_force_type *type, int how, int n) {
  static const char *const channel[] = {"sleeve.angle", "sleeve.shift", "a.x", "c.z"};
  build_given plain, space;
  space_new(b, 53u * (uint64_t)n + (uint64_t)how);
  space_world(b);
  build_set(b, "/joints/sleeve",
            "{\"type\": \"cylindrical\", \"between\": [\"a\", \"c\"], \"at\": [0.2, 0.3, -0.1], \"axis\": [1, 2, 2]}");
  build_set(b, "/start/guess", "{\"a.wx\": 1, \"a.vy\": 1.2, \"c.wz\": -1.5, \"c.vx\": 0.7}");
  for (b->channels = 0; b->channels < 4; b->channels++)
    snprintf(b->channel[b->channels], sizeof *b->channel, "%s", channel[b->channels]);
  return space_force(b, "f", type, how, "a", n % 2 ? "b" : "c", &plain, &space);
}

TEST_FULL(the_ledger_of_random_instances_in_space) {
  static const int ways[] = {TN_ON_BODY, TN_ON_CHANNEL, TN_BETWEEN};
  for (int i = 0; i < tn_force_type_count; i++)
    for (int k = 0; k < 3; k++) {
      const tn_force_type *type = tn_force_types[i];
      double worst = 0, exchanged = 0;
      int runs = 0;
      char why[1200] = "";
      if (!type->space || !(type->takes & (unsigned)ways[k])) continue;
      for (int n = 0; n < 60 && runs < 4; n++) {
        build b;
        const bool good = alone(&b, type, ways[k], n) && build_compile(&b); /* else fields exclude each other */
        build_free(&b);
        if (!good) continue;
        runs++;
        alone(&b, type, ways[k], n);
        const double off = ledger(&b, &exchanged);
        if (isnan(off)) snprintf(why, sizeof why, "%s", b.message);
        worst = worse(worst, off);
        build_free(&b);
      }
      printf("%-10s way %d: %d runs, balance %.1e, exchanged %.2g J\n", type->name, ways[k], runs, worst, exchanged);
      if (runs < 4) FAIL("force %s: only %d could be built", type->name, runs);
      if (!(worst <= 1e-9)) FAIL("force %s: balance %.3g %s", type->name, worst, why);
      if (!(exchanged > 1e-4)) FAIL("force %s: nothing happened", type->name);
    }
}
