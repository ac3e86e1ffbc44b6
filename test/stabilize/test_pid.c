/* pid: the map of a step against its closed form and against runs; what always pushes one way is taken away; refusals. */
#include "stabilize/stabilize.h"
#include "support/build.h"
#include "test.h"

static const tn_integrator_type *type_of(const char *name) {
  for (int i = 0; i < tn_integrator_type_count; i++)
    if (strcmp(tn_integrator_types[i]->name, name) == 0) return tn_integrator_types[i];
  FAIL("there is no integrator %s", name);
  return tn_integrator_types[0];
}

static double growth(const char *name, bool held, double a, double b, double c) {
  const tn_integrator_type *type = type_of(name);
  return tn_feedback_growth(type, type->constants, &(tn_feedback){.gain = {a, b, c}, .n = 3, .held = held});
}

/* mu^3 + (a + b/2 + c/6) mu^2 + (b + c) mu + c, mu = lambda - 1: gains from three eigenvalues, and back */
TEST(the_characteristic_polynomial) {
  static const double roots[][3] = {{0.5, 0.5, 0.5}, {0, 0, 0}, {0.9, -0.3, 0.1}, {0.2, 0.7, -0.6}, {1.1, 0.2, 0.3}};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
    const double p = 1 - roots[i][0], q = 1 - roots[i][1], r = 1 - roots[i][2];
    const double c = p * q * r, b = p * q + q * r + r * p - c, a = p + q + r - b / 2 - c / 6;
    const double largest = fmax(fabs(roots[i][0]), fmax(fabs(roots[i][1]), fabs(roots[i][2])));
    static const char *const of[] = {"rk4", "dopri5", "radau5"};
    for (int k = 0; k < 3; k++)
      CHECK_NEAR(growth(of[k], true, a, b, c), largest, 1e-3); /* a triple root: cube root of roundoff */
  }
  CHECK_NEAR(growth("rk4", true, 7.0 / 6, 0.625, 0.125), 0.5, 1e-3);
  /* without the integral what is left of the three is the map of two, and 1: a sum that nothing looks at */
  CHECK_NEAR(growth("rk4", true, 1, 0.5, 0), 1, 1e-9);
  CHECK_NEAR(growth("ab3", true, 1, 0.5, 0), fmax(1, tn_held_growth(type_of("ab3"), type_of("ab3")->constants, 1, 0.5)),
             1e-9);
}

static void set(build *b, const char *integrator, double h, const char *stabilize) {
  build_set(b, "/run/integrator", "{\"type\": \"%s\", \"step\": %g}", integrator, h);
  build_set(b, "/run/stabilize", "%s", stabilize);
  build_set(b, "/run/contract", "{\"breach\": \"record\"}");
}

/* a particle on a rod, at rest without weight, the rod too long by a millionth: size of (C, h Cdot, Z/h) over many steps */
static double measured(const char *integrator, const char *feedback, double a, double b, double c) {
  build s;
  tn_eval e;
  const double h = 0.01;
  double size[2] = {0, 0};
  char stabilize[160];
  build_new(&s, 1);
  build_read(&s, "pendulum");
  build_set(&s, "/gravity", "[0, 0]");
  build_set(&s, "/start", "{\"mode\": \"as-given\"}");
  build_set(&s, "/bodies/bob/position", "[1.000001, 0]");
  build_set(&s, "/joints/rod",
            "{\"type\": \"distance\", \"between\": [\"ground\", \"bob\"], \"at\": [[0, 0], \"bob\"], \"length\": 1}");
  snprintf(stabilize, sizeof stabilize, "{\"type\": \"pid\", \"a\": %g, \"b\": %g, \"c\": %g, \"feedback\": \"%s\"}", a,
           b, c, feedback);
  set(&s, integrator, h, stabilize);
  CHECK(build_simulate(&s));
  if (s.failed) printf("%s\n", s.message);
  for (int k = 1; !s.failed && k <= 40; k++) {
    if (tn_sim_advance(s.sim, k * h, NULL) != TN_OK || tn_sim_eval(s.sim, &e, NULL) != TN_OK) break;
    const double now = fabs(e.C[0]) + h * fabs(e.Cdot[0]) + fabs(tn_sim_state(s.sim)[0]) / h;
    if (k > 8 && k <= 16) size[0] = fmax(size[0], now);
    if (k > 32 && k <= 40) size[1] = fmax(size[1], now);
  }
  build_free(&s);
  return pow(size[1] / size[0], 1.0 / 24);
}

TEST(runs_follow_the_map) {
  static const struct {
    const char *name, *feedback;
    double a, b, c;
  } row[] = {{"rk4", "held", 0.5, 0.3, 0.02},   {"rk4", "held", 1.7, 0.3, 0.05},   {"rk4", "staged", 0.5, 0.3, 0.02},
             {"heun", "held", 0.5, 0.3, 0.02},  {"euler", "held", 0.7, 0.2, 0.01}, {"ab2", "held", 0.5, 0.3, 0.02},
             {"ab3", "staged", 0.3, 0.1, 0.01}, {"ampc3", "held", 1.2, 0.3, 0.2},  {"mampc4", "held", 0.4, 0.2, 0.02},
             {"radau5", "held", 0.5, 0.3, 0.02}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const double map = growth(row[i].name, strcmp(row[i].feedback, "held") == 0, row[i].a, row[i].b, row[i].c),
                 seen = measured(row[i].name, row[i].feedback, row[i].a, row[i].b, row[i].c);
    printf("%s %s a %g b %g c %g: map %.4f, seen %.4f\n", row[i].name, row[i].feedback, row[i].a, row[i].b, row[i].c,
           map, seen);
    CHECK_NEAR(seen, map, 0.02);
  }
}

/* ---- what always pushes one way ---------------------------------------------------------------------------------------------- */

static bool yes(const void *self) {
  (void)self;
  return true;
}

static bool no(const void *self) {
  (void)self;
  return false;
}

static void push(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  tn_view v;
  (void)self, (void)at;
  tn_system_view(sys, &v);
  for (int i = 0; i < v.rows; i++) U[i] -= 10;
}

static const tn_stabilizer_type wind = {
    .name = "wind", .doc = "a constant in Cddot", .held = yes, .tied_to_step = no, .feedback = push};

/* |C| where it stays, of a pendulum with Cddot = 10 beside what feedback does */
static double left(const char *stabilize, const char *integrator, double h) {
  build b;
  double C = NAN;
  tn_eval e;
  build_new(&b, 1);
  build_read(&b, "pendulum");
  CHECK(tn_desc_add_stabilizer(b.desc, &wind, NULL) == TN_OK);
  set(&b, integrator, h, stabilize);
  CHECK(build_simulate(&b));
  if (b.failed)
    printf("%s\n", b.message);
  else if (tn_sim_advance(b.sim, 0.5, NULL) == TN_OK && tn_sim_eval(b.sim, &e, NULL) == TN_OK)
    C = fabs(e.C[0]);
  build_free(&b);
  return C;
}

TEST(the_integral_takes_a_constant_away) {
  const double h = 1e-3;
  const double pd = left("[\"wind\", {\"type\": \"baumgarte\", \"a\": 1, \"b\": 0.5}]", "rk4", h),
               pid = left("[\"wind\", \"pid\"]", "rk4", h);
  printf("d = 10: baumgarte leaves %.3e, pid %.3e\n", pd, pid);
  CHECK_NEAR(pd / (10 * h * h / 0.5), 1, 1e-3);
  CHECK(pid < 1e-5 * pd);
  const double ab = left("[\"wind\", {\"type\": \"pid\", \"a\": 0.5, \"b\": 0.2, \"c\": 0.02}]", "ab2", h);
  printf("ab2: %.3e\n", ab);
  CHECK(ab < 1e-3 * pd); /* what its own error adds each step goes with the motion */
}

TEST(adaptive_steps) {
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run/stabilize", "\"pid\"");
  build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
  CHECK(build_simulate(&b));
  if (b.failed) FAIL("%s", b.message);
  if (!b.failed) {
    CHECK(tn_sim_states(b.sim) == b.model->holonomic);
    CHECK(tn_sim_advance(b.sim, 5, NULL) == TN_OK);
    const tn_summary *s = tn_sim_summary(b.sim);
    printf("%.1e %.1e, %" PRId64 " steps\n", s->max_position_violation, s->max_velocity_violation, s->steps);
    CHECK(s->max_position_violation < 1e-7 && s->energy_balance < 1e-6);
  }
  build_free(&b);
}

TEST(what_is_refused) {
  static const struct {
    const char *stabilize, *message;
  } all[] = {{"{\"type\": \"pid\", \"a\": 2.5}", "grow by"},
             {"{\"type\": \"pid\", \"c\": 0.7}", "grow by"},
             {"{\"type\": \"pid\", \"a\": 0.1, \"b\": 0.1, \"c\": 1}", "not stable at any size"},
             {"{\"type\": \"pid\", \"b\": 0}", "`b`"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "pendulum");
    set(&b, "rk4", 1e-3, all[i].stabilize);
    CHECK(!build_compile(&b));
    CHECK_HAS(b.message, all[i].message);
    build_free(&b);
  }
}
