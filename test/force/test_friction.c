/* friction: (T147) to (T150) of docs/theory.md. closed forms on a slope; a pin whose friction goes with its load against an
 * integration that is written out here; the same motion by every formulation, in all coordinates, and by those integrators that see
 * the multipliers; a mechanism that locks. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

static bool reach(build *b, double t) {
  tn_error e;
  if (b->failed || !b->sim) {
    FAIL("%s", b->message);
    return false;
  }
  if (tn_sim_advance(b->sim, t, &e) == TN_OK) return true;
  FAIL("%s", e.message);
  return false;
}

static void few_sweeps(const build *b, int most) {
  CHECK(b->sim->efforts.loads.most <= TN_MOST_SWEEPS);
  if (b->sim->efforts.loads.most > most) FAIL("%d sweeps, expected at most %d", b->sim->efforts.loads.most, most);
}

/* ---- on a slope ------------------------------------------------------------------------------------------------------- */

static const double SLOPE = 0.5, G = 9.81;

static void slope(build *b, bool space, bool relative, const char *friction, double speed) {
  build_new(b, 1);
  if (space) build_set(b, "/dimension", "3");
  if (relative) build_set(b, "/coordinates", "\"relative\"");
  build_set(b, "/gravity", space ? "[0, 0, -9.81]" : "[0, -9.81]");
  build_set(b, "/bodies/block",
            space ? "{\"mass\": 3, \"inertia\": [0.1, 0.2, 0.3], \"center\": [0, 0, 0.1]}"
                  : "{\"mass\": 3, \"inertia\": 0.1, \"center\": [0, 0.1]}");
  build_set(b, "/joints/slope",
            space ? "{\"type\": \"prismatic\", \"between\": [\"ground\", \"block\"], \"at\": [0, 0, 0], \"axis\": "
                    "[\"cos(0.5)\", 0, \"-sin(0.5)\"]}"
                  : "{\"type\": \"prismatic\", \"between\": [\"ground\", \"block\"], \"at\": [0, 0], \"axis\": "
                    "[\"cos(0.5)\", \"-sin(0.5)\"]}");
  build_set(b, "/forces/rubs", "{\"type\": \"friction\", \"on\": \"slope.shift\", %s}", friction);
  build_set(b, "/start", "{\"slope.speed\": %g}", speed);
  build_tight(b, 5, 1);
  build_simulate(b);
}

/* downwards and upwards: a = g (sin - (+)mu cos), tanh is 1; the load is its limit, the heat its work */
TEST(a_block_on_a_slope) {
  for (int k = 0; k < 8; k++) {
    const bool space = k & 1, relative = k & 2, up = k & 4;
    const double mu = 0.3, v0 = up ? -6 : 1, t = 0.5, N = 3 * G * cos(SLOPE);
    const double a = G * sin(SLOPE) + (up ? 1 : -1) * mu * G * cos(SLOPE), s = v0 * t + a * t * t / 2;
    build b;
    slope(&b, space, relative, "\"mu\": 0.3", v0);
    if (reach(&b, t)) {
      CHECK_NEAR(build_channel(&b, "slope.shift"), s, 1e-12);
      CHECK_NEAR(build_channel(&b, "slope.speed"), v0 + a * t, 1e-12);
      CHECK_NEAR(build_channel(&b, "rubs.load"), (up ? 1 : -1) * mu * N, 1e-12);
      CHECK_NEAR(build_channel(&b, "energy.dissipated"), mu * N * fabs(s), 1e-10);
      CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 1e-11);
      few_sweeps(&b, 2);
    }
    build_free(&b);
  }
}

/* more friction than slope: it creeps at the speed where limit tanh(v/speed) is the weight along the slope */
TEST(what_should_stick_creeps) {
  static const char *const how[] = {"\"mu\": 0.8, \"speed\": 0.02", "\"coulomb\": 20, \"speed\": 0.02",
                                    "\"mu\": 0.4, \"coulomb\": 15, \"speed\": 0.02",
                                    "\"mu\": 0.4, \"coulomb\": 15, \"viscous\": 30, \"speed\": 0.02"};
  for (int k = 0; k < 4; k++) {
    const double N = 3 * G * cos(SLOPE), W = 3 * G * sin(SLOPE);
    const double limit = k == 0 ? 0.8 * N : k == 1 ? 20 : 0.4 * N + 15, viscous = k == 3 ? 30 : 0;
    double v = 0.02 * atanh(W / limit); /* with viscous friction by Newton */
    for (int i = 0; i < 20 && viscous > 0; i++) {
      const double c = cosh(v / 0.02);
      v -= (viscous * v + limit * tanh(v / 0.02) - W) / (viscous + limit / 0.02 / c / c);
    }
    build b;
    slope(&b, false, k & 1, how[k], 0.5);
    if (reach(&b, 2)) {
      CHECK_NEAR(build_channel(&b, "slope.speed"), v, 1e-9);
      CHECK_NEAR(build_channel(&b, "rubs.load"), -W, 1e-8);
    }
    build_free(&b);
  }
}

/* viscous friction alone: m v' = W - c v */
TEST(viscous_friction_alone) {
  build b;
  slope(&b, false, false, "\"viscous\": 4", 2);
  if (reach(&b, 1)) {
    const double a = G * sin(SLOPE), k = 4.0 / 3, v = a / k + (2 - a / k) * exp(-k);
    CHECK_NEAR(build_channel(&b, "slope.speed"), v, 1e-11);
    CHECK(b.sim->efforts.loads.n == 0);
  }
  build_free(&b);
}

/* ---- a pin -------------------------------------------------------------------------------------------------------------- */

/* pendulum in its angle from the vertical, friction mu r N tanh(w/speed) with N from m a_c = m g + R: the load by iteration of its
 * own, and steps of order 4 */
typedef struct pin {
  double m, I, l, mu_r, speed;
} pin;

static double angular(const pin *p, double x, double w, double *load) {
  double N = 0, a = 0;
  for (int i = 0; i < 200; i++) {
    a = (-p->m * G * p->l * sin(x) - p->mu_r * N * tanh(w / p->speed)) / (p->I + p->m * p->l * p->l);
    const double ax = p->l * (a * cos(x) - w * w * sin(x)), ay = p->l * (a * sin(x) + w * w * cos(x));
    const double next = hypot(p->m * ax, p->m * (ay + G));
    if (fabs(next - N) < 1e-15 * next) break;
    N = next;
  }
  *load = N;
  return a;
}

static void pendulum(const pin *p, double t, double *x, double *w, double *heat) {
  const int n = (int)(t / 5e-5 + 0.5);
  const double h = t / n;
  for (int i = 0; i < n; i++) {
    double kx[4] = {0}, kw[4] = {0}, kh[4], N;
    for (int s = 0; s < 4; s++) {
      const double f = s == 3 ? h : s ? h / 2 : 0, at = s ? *x + f * kx[s - 1] : *x, rate = s ? *w + f * kw[s - 1] : *w;
      kx[s] = rate;
      kw[s] = angular(p, at, rate, &N);
      kh[s] = p->mu_r * N * tanh(rate / p->speed) * rate;
    }
    *x += h / 6 * (kx[0] + 2 * kx[1] + 2 * kx[2] + kx[3]);
    *w += h / 6 * (kw[0] + 2 * kw[1] + 2 * kw[2] + kw[3]);
    *heat += h / 6 * (kh[0] + 2 * kh[1] + 2 * kh[2] + kh[3]);
  }
}

TEST(a_pendulum_in_a_pin_that_rubs) {
  const pin p = {.m = 2, .I = 0.03, .l = 0.2, .mu_r = 0.5 * 0.06, .speed = 0.3};
  for (int k = 0; k < 4; k++) {
    const bool space = k & 1, relative = k & 2;
    double x = 1.5, w = 0, heat = 0, load;
    build b;
    build_new(&b, 1);
    if (space) build_set(&b, "/dimension", "3");
    if (relative) build_set(&b, "/coordinates", "\"relative\"");
    build_set(&b, "/gravity", space ? "[0, 0, -9.81]" : "[0, -9.81]");
    build_set(&b, "/bodies/bob",
              space ? "{\"mass\": 2, \"inertia\": [0.02, 0.03, 0.05], \"position\": [\"0.2*sin(1.5)\", 0, "
                      "\"-0.2*cos(1.5)\"]}"
                    : "{\"mass\": 2, \"inertia\": 0.03, \"position\": [\"0.2*sin(1.5)\", \"-0.2*cos(1.5)\"]}");
    build_set(&b, "/joints/pin",
              space
                  ? "{\"type\": \"revolute\", \"between\": [\"ground\", \"bob\"], \"at\": [0, 0, 0], \"axis\": \"-y\"}"
                  : "{\"type\": \"revolute\", \"between\": [\"ground\", \"bob\"], \"at\": [0, 0]}");
    build_set(&b, "/forces/rubs",
              "{\"type\": \"friction\", \"on\": \"pin.angle\", \"mu\": 0.5, \"radius\": 0.06, \"speed\": 0.3}");
    build_tight(&b, 2, 1);
    if (build_simulate(&b), reach(&b, 1.5)) {
      pendulum(&p, 1.5, &x, &w, &heat);
      angular(&p, x, w, &load);
      CHECK_NEAR(1.5 + build_channel(&b, "pin.angle"), x, 1e-10);
      CHECK_NEAR(build_channel(&b, "pin.rate"), w, 1e-9);
      CHECK_NEAR(build_channel(&b, "energy.dissipated"), heat, 1e-9);
      CHECK_NEAR(build_channel(&b, "rubs.load"), -p.mu_r * load * tanh(w / p.speed), 1e-9);
      CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 1e-11);
      CHECK(heat > 0.5);
      few_sweeps(&b, 4);
    }
    build_free(&b);
  }
}

/* ---- a mechanism ---------------------------------------------------------------------------------------------------------- */

static void crank(build *b, const char *coordinates) {
  build_new(b, 1);
  build_set(b, "/coordinates", "\"%s\"", coordinates);
  build_set(b, "/gravity", "[0, -9.81]");
  build_set(b, "/points", "{\"O\": [0, 0], \"P\": [0, 0.1], \"Q\": [\"sqrt(0.08)\", 0]}");
  build_set(b, "/bodies/crank", "{\"rod\": [\"O\", \"P\"], \"mass\": 0.4}");
  build_set(b, "/bodies/conrod", "{\"rod\": [\"P\", \"Q\"], \"mass\": 0.6}");
  build_set(b, "/bodies/piston", "{\"position\": \"Q\", \"mass\": 0.5, \"inertia\": 1e-4}");
  build_set(b, "/joints/main", "{\"type\": \"revolute\", \"between\": [\"ground\", \"crank\"], \"at\": \"O\"}");
  build_set(b, "/joints/big", "{\"type\": \"revolute\", \"between\": [\"crank\", \"conrod\"], \"at\": \"P\"}");
  build_set(b, "/joints/small", "{\"type\": \"revolute\", \"between\": [\"conrod\", \"piston\"], \"at\": \"Q\"}");
  build_set(b, "/joints/bore",
            "{\"type\": \"prismatic\", \"between\": [\"ground\", \"piston\"], \"at\": \"Q\", \"axis\": [1, 0]}");
  build_set(b, "/forces/drive", "{\"type\": \"torque\", \"on\": \"main.angle\", \"value\": 0.8}");
  build_set(b, "/forces/f0",
            "{\"type\": \"friction\", \"on\": \"main.angle\", \"mu\": 0.2, \"radius\": 0.02, \"speed\": 0.5}");
  build_set(b, "/forces/f1",
            "{\"type\": \"friction\", \"on\": \"big.angle\", \"mu\": 0.3, \"radius\": 0.02, \"speed\": 0.5}");
  build_set(b, "/forces/f2",
            "{\"type\": \"friction\", \"on\": \"small.angle\", \"mu\": 0.2, \"radius\": 0.01, \"speed\": 0.5}");
  build_set(b, "/forces/f3", "{\"type\": \"friction\", \"on\": \"bore.shift\", \"mu\": 0.3, \"speed\": 0.1}");
  build_set(b, "/start", "{\"main.rate\": 20}");
  build_tight(b, 1, 0.1);
}

typedef struct seen {
  double angle, rate, lost, f0, f2, f3, N;
} seen;

static seen look(build *b) {
  return (seen){build_channel(b, "main.angle"),   build_channel(b, "main.rate"), build_channel(b, "energy.dissipated"),
                build_channel(b, "f0.load"),      build_channel(b, "f2.load"),   build_channel(b, "f3.load"),
                fabs(build_channel(b, "bore.fy"))};
}

static double apart(const seen *a, const seen *b) {
  const double scale[] = {10, 20, 5, 1, 1, 10, 50};
  const double *x = &a->angle, *y = &b->angle;
  double most = 0;
  for (int i = 0; i < 7; i++) most = isnan(x[i] - y[i]) ? INFINITY : fmax(most, fabs(x[i] - y[i]) / scale[i]);
  return most;
}

TEST_FULL(one_motion_by_all_ways) {
  static const struct {
    const char *coordinates, *formulation, *stabilize, *integrator;
    double tolerance;
  } way[] = {
      {"absolute", "augmented", "project", "{\"type\": \"dopri5\", \"rtol\": 1e-12}", 0},
      {"relative", "augmented", "project", "{\"type\": \"dopri5\", \"rtol\": 1e-12}", 1e-9},
      {"absolute", "nullspace", "project", "{\"type\": \"dopri5\", \"rtol\": 1e-12}", 1e-9},
      {"absolute", "gauss", "project", "{\"type\": \"dopri5\", \"rtol\": 1e-12}", 1e-9},
      {"relative", "partition", "project", "{\"type\": \"dopri5\", \"rtol\": 1e-12}", 1e-9},
      {"absolute", "{\"type\": \"partition\", \"layout\": \"independent\"}", "project",
       "{\"type\": \"dopri5\", \"rtol\": 1e-12}", 1e-9},
      {"absolute", "augmented", "{\"type\": \"baumgarte\", \"alpha\": 20, \"beta\": 20}",
       "{\"type\": \"dopri5\", \"rtol\": 1e-12}", 1e-9},
      {"absolute", "augmented", "project", "{\"type\": \"dop853\", \"rtol\": 1e-12}", 1e-9},
      {"absolute", "augmented", "project", "{\"type\": \"abm\", \"rtol\": 1e-11}", 1e-8},
      {"absolute", "augmented", "project", "{\"type\": \"rk4\", \"step\": 1e-4}", 1e-6},
      {"absolute", "augmented", "project", "{\"type\": \"radau5\", \"rtol\": 1e-11}", 1e-8},
      {"relative", "augmented", "project", "{\"type\": \"radau5\", \"rtol\": 1e-11}", 1e-8},
      {"absolute", "augmented", "project", "{\"type\": \"ida\", \"rtol\": 1e-10}", 1e-6},
      {"relative", "augmented", "project", "{\"type\": \"ida\", \"rtol\": 1e-10}", 1e-6},
      {"absolute", "augmented", "project", "{\"type\": \"cvode-bdf\", \"rtol\": 1e-10}", 1e-6},
      {"relative", "augmented", "project", "{\"type\": \"arkode\", \"rtol\": 1e-10}", 1e-6},
  };
  seen first = {0};
  for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
    build b;
    crank(&b, way[i].coordinates);
    build_set(&b, "/run/formulation", way[i].formulation[0] == '{' ? "%s" : "\"%s\"", way[i].formulation);
    build_set(&b, "/run/stabilize", way[i].stabilize[0] == '{' ? "%s" : "\"%s\"", way[i].stabilize);
    build_set(&b, "/run/integrator", "%s", way[i].integrator);
    if (!build_simulate(&b) && strstr(b.message, "SUNDIALS")) {
      build_free(&b);
      continue;
    }
    if (reach(&b, 0.5)) {
      const seen now = look(&b);
      if (i == 0) first = now;
      const double off = apart(&now, &first);
      printf("%-9s %-22.22s %-22.22s %-36s %.1e, %d sweeps\n", way[i].coordinates, way[i].formulation, way[i].stabilize,
             way[i].integrator, off, b.sim->efforts.loads.most);
      if (!(off <= way[i].tolerance)) FAIL("off by %.3g", off);
      few_sweeps(&b, 7);
    }
    build_free(&b);
  }
  CHECK(first.lost > 0.5 && fabs(first.f3) > 0.1);
  /* and the law itself, from what the outputs say */
  CHECK_NEAR(fabs(first.f3) <= 0.3 * first.N * (1 + 1e-12), 1, 0);
}

/* the same to the last bit: in two pieces or one, asked twice, and with other states in between */
TEST(a_function_of_the_state) {
  build a, b;
  double x[3], y[3];
  crank(&a, "absolute");
  crank(&b, "absolute");
  build_simulate(&a);
  build_simulate(&b);
  if (reach(&a, 0.3) && reach(&b, 0.3)) {
    for (int k = 0; k < 3; k++) x[k] = build_channel(&a, "f3.load");
    CHECK(x[0] == x[1] && x[1] == x[2]);
    CHECK(memcmp(a.sim->now.y, b.sim->now.y, sizeof *a.sim->now.y * (size_t)a.sim->n) == 0);
    double *rates = b.sim->estimate.error, residual[64];
    CHECK(tn_rates(b.sim, b.sim->now.t, b.sim->now.y, rates) == TN_OK);
    memcpy(residual, rates, sizeof *rates * (size_t)b.sim->n);
    CHECK(tn_rates(b.sim, b.sim->now.t + 0.01, b.sim->now.y, rates) == TN_OK);
    double r[64], lambda[16];
    for (int i = 0; i < 16; i++) lambda[i] = 7 - i;
    CHECK(tn_dae_residual(b.sim, b.sim->now.t, b.sim->now.y, residual, lambda, lambda, r) == TN_OK);
    CHECK(tn_rates(b.sim, b.sim->now.t, b.sim->now.y, rates) == TN_OK);
    CHECK(memcmp(residual, rates, sizeof *rates * (size_t)b.sim->n) == 0);
    for (int k = 0; k < 3; k++) y[k] = build_channel(&b, "f3.load");
    CHECK(y[0] == x[0]);
  }
  build_free(&a);
  build_free(&b);
}

/* (T149): with the accelerations and multipliers of the motion the residual of the equations with multipliers is zero */
TEST(the_residual_has_the_same_force) {
  for (int k = 0; k < 2; k++) {
    build b;
    crank(&b, k ? "relative" : "absolute");
    build_simulate(&b);
    if (reach(&b, 0.4)) {
      tn_sim *s = b.sim;
      double ydot[64], lambda[16], mu[16] = {0}, r[64], most = 0;
      CHECK(tn_dae_multipliers(s, s->now.t, s->now.y, ydot, lambda) == TN_OK);
      CHECK(tn_dae_residual(s, s->now.t, s->now.y, ydot, lambda, mu, r) == TN_OK);
      for (int i = 0; i < s->n + s->m->rows + s->m->holonomic; i++) most = fmax(most, fabs(r[i]));
      printf("residual %.1e\n", most);
      CHECK(most < 1e-12);
    }
    build_free(&b);
  }
}

/* ---- many pins -------------------------------------------------------------------------------------------------------- */

enum { LINKS = 20 };

static void chain(build *b, bool relative) {
  build_new(b, 1);
  build_set(b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
  build_set(b, "/gravity", "[0, -9.81]");
  for (int i = 0; i < LINKS; i++) {
    char at[64], before[16];
    snprintf(before, sizeof before, "b%d", i - 1);
    snprintf(at, sizeof at, "/bodies/b%d", i);
    build_set(b, at, "{\"rod\": [[%g, 0], [%g, 0]], \"mass\": 0.2}", 0.1 * i, 0.1 * (i + 1));
    snprintf(at, sizeof at, "/joints/j%d", i);
    build_set(b, at, "{\"type\": \"revolute\", \"between\": [\"%s\", \"b%d\"], \"at\": [%g, 0]}", i ? before : "ground",
              i, 0.1 * i);
    snprintf(at, sizeof at, "/forces/f%d", i);
    build_set(b, at, "{\"type\": \"friction\", \"on\": \"j%d.angle\", \"mu\": 0.3, \"radius\": 0.01, \"speed\": 0.5}",
              i);
  }
  build_tight(b, 1, 0.5);
  build_simulate(b);
}

/* by blocks in absolute coordinates, by matrices in relative ones */
TEST_FULL(a_chain_that_rubs_in_every_pin) {
  double end[2][2];
  for (int k = 0; k < 2; k++) {
    build b;
    chain(&b, k);
    if (reach(&b, 0.3)) {
      CHECK(b.sim->solver.by_blocks == !k);
      end[k][0] = build_channel(&b, "b%d.x", LINKS - 1);
      end[k][1] = build_channel(&b, "energy.dissipated");
      printf("chain of %d pins: %d sweeps, %.3g J lost\n", LINKS, b.sim->efforts.loads.most, end[k][1]);
      CHECK(b.sim->efforts.loads.most <= 10 && end[k][1] > 0.1);
      CHECK_NEAR(build_channel(&b, "energy.balance"), 0, 1e-10);
    }
    build_free(&b);
  }
  CHECK_NEAR(end[0][0], end[1][0], 1e-9);
  CHECK_NEAR(end[0][1], end[1][1], 1e-9);
}

/* a state that is first met with other loads, and factored with them: a first sweep without loads nevertheless */
TEST_FULL(loads_begin_at_zero) {
  build a, b;
  chain(&a, false);
  chain(&b, false);
  if (reach(&a, 0.1) && reach(&b, 0.1)) {
    double y[256], r[256], lambda[64], *to[2] = {a.sim->estimate.error, b.sim->estimate.error};
    const size_t size = sizeof *y * (size_t)a.sim->n;
    memcpy(y, a.sim->now.y, size);
    y[2] += 0.1;
    for (int i = 0; i < 64; i++) lambda[i] = 70 - 3 * i;
    CHECK(tn_rates(a.sim, a.sim->now.t, y, to[0]) == TN_OK);
    CHECK(tn_dae_residual(b.sim, b.sim->now.t, y, y, lambda, lambda, r) == TN_OK);
    CHECK(tn_rates(b.sim, b.sim->now.t, y, to[1]) == TN_OK);
    CHECK(a.sim->solver.by_blocks && memcmp(to[0], to[1], size) == 0);
    CHECK(memcmp(a.sim->efforts.loads.R0, b.sim->efforts.loads.R0, sizeof *r * 3 * LINKS) == 0);
  }
  build_free(&a);
  build_free(&b);
}

/* ---- what locks ------------------------------------------------------------------------------------------------------ */

/* a piston pushed at the angle x by a light rod: N = tan x (m a + mu N), which no N meets once mu tan x > 1 */
static tn_status pushed(build *b, double mu, bool relative, double *t, tn_error *e) {
  build_new(b, 1);
  if (relative) build_set(b, "/coordinates", "\"relative\"");
  build_set(b, "/bodies/crank", "{\"mass\": 1, \"inertia\": 1}");
  build_set(b, "/bodies/conrod", "{\"mass\": 1e-6, \"inertia\": 1e-8, \"position\": [0, 0.25]}");
  build_set(b, "/bodies/piston", "{\"mass\": 1, \"inertia\": 1, \"position\": [\"sqrt(0.09 - 0.0625)\", 0]}");
  build_set(b, "/joints/main", "{\"type\": \"revolute\", \"between\": [\"ground\", \"crank\"], \"at\": [0, 0]}");
  build_set(b, "/joints/big", "{\"type\": \"revolute\", \"between\": [\"crank\", \"conrod\"], \"at\": \"conrod\"}");
  build_set(b, "/joints/small", "{\"type\": \"revolute\", \"between\": [\"conrod\", \"piston\"], \"at\": \"piston\"}");
  build_set(b, "/joints/bore",
            "{\"type\": \"prismatic\", \"between\": [\"ground\", \"piston\"], \"at\": \"piston\", \"axis\": \"x\"}");
  build_set(b, "/joints/motor", "{\"type\": \"driver\", \"on\": \"main.angle\", \"value\": \"-1 + 5*t\"}");
  build_set(b, "/forces/rubs", "{\"type\": \"friction\", \"on\": \"bore.shift\", \"mu\": %g}", mu);
  build_tight(b, 2, 0.5);
  if (!build_simulate(b)) FAIL("%s", b->message);
  const tn_status status = tn_sim_advance(b->sim, 1.2, e);
  *t = b->sim->now.t;
  return status;
}

TEST(too_much_friction_is_named) {
  build b;
  tn_error e;
  double t;
  /* below the limit at the steepest angle, tan x = 0.25/sqrt(0.3^2 - 0.25^2) = 1.51 */
  CHECK(pushed(&b, 0.6, false, &t, &e) == TN_OK);
  few_sweeps(&b, 3);
  build_free(&b);
  for (int k = 0; k < 2; k++) {
    CHECK(pushed(&b, 0.9, k, &t, &e) == TN_E_RUN);
    printf("%s (t = %.4f s)\n", e.message, t);
    CHECK_HAS(e.message, "force 'rubs'");
    CHECK_HAS(e.message, "joint 'bore'");
    CHECK_HAS(e.message, "after 10 sweeps");
    CHECK_HAS(e.hint, "locks");
    CHECK(b.sim->efforts.loads.most == TN_MOST_SWEEPS && isfinite(e.time));
    build_free(&b);
  }
}

/* ---- what is refused -------------------------------------------------------------------------------------------------- */

static void refused(const char *part, const char *words) {
  build b;
  tn_model *m = NULL;
  tn_error e;
  build_new(&b, 1);
  build_set(&b, "/bodies/x", "{\"mass\": 2, \"inertia\": 0.3}");
  build_set(&b, "/joints/pin", "{\"type\": \"revolute\", \"between\": [\"ground\", \"x\"], \"at\": [0, 0]}");
  build_set(&b, "/bodies/y", "{\"mass\": 2, \"inertia\": 0.3}");
  build_set(&b, "/joints/way",
            "{\"type\": \"prismatic\", \"between\": [\"ground\", \"y\"], \"at\": [0, 0], \"axis\": \"x\"}");
  build_set(&b, "/forces/rubs", "{\"type\": \"friction\", %s}", part);
  CHECK(tn_compile(b.desc, &m, &e) == TN_E_MODEL);
  CHECK_HAS(e.message, "force 'rubs'");
  CHECK_HAS(e.message, words);
  tn_model_free(m);
  build_free(&b);
}

TEST(what_is_refused) {
  refused("\"on\": \"pin.angle\"", "needs one of `viscous`, `coulomb` and `mu`");
  refused("\"on\": \"pin.angle\", \"mu\": 0.3", "`radius` is missing");
  refused("\"on\": \"way.shift\", \"mu\": 0.3, \"radius\": 0.1", "`radius` belongs to an angle");
  refused("\"on\": \"pin.angle\", \"viscous\": 0.3, \"radius\": 0.1", "`radius` goes with `mu`");
  refused("\"on\": \"x.x\", \"mu\": 0.3", "'x.x' is a coordinate of a body");
  refused("\"on\": \"x\", \"mu\": 0.3", "not on a body");
  refused("\"on\": \"pin.rate\", \"viscous\": 0.3", "is a rate");
  refused("\"on\": \"pin.angle\", \"coulomb\": -1", "at least 0");
  refused("\"on\": \"pin.angle\", \"coulomb\": 1, \"speed\": 0", "positive");
}
