/* the energy ledger: T + V - (T0 + V0) = work of forces, drivers and stabilizers, whatever happens in a run. every force
 * type of the registry alone; drivers; dampers; motion off the constraints, where the constraint forces do work too. */
#include "support/build.h"
#include "test.h"

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

/* started and run to its end */
static bool ran(build *b, build_table *t) {
  if (build_simulate(b) && build_run(b, t)) return true;
  FAIL("%s", b->message);
  return false;
}

static void energies(build *b) {
  static const char *const name[] = {"kinetic", "potential",  "total",   "force",
                                     "driver",  "stabilizer", "balance", "dissipated"};
  for (int i = 0; i < 8; i++) {
    char at[64];
    snprintf(at, sizeof at, "/outputs/e_%s", name[i]);
    build_set(b, at, "\"energy.%s\"", name[i]);
  }
}

/* columns of `energies` at row i */
typedef struct ledger {
  double kinetic, potential, total, force, driver, stabilizer, balance, dissipated;
} ledger;

static ledger ledger_at(const build *b, const build_table *t, int i) {
  const int k = build_column(b, "e_kinetic");
  return (ledger){build_at(t, i, k),     build_at(t, i, k + 1), build_at(t, i, k + 2), build_at(t, i, k + 3),
                  build_at(t, i, k + 4), build_at(t, i, k + 5), build_at(t, i, k + 6), build_at(t, i, k + 7)};
}

/* what the columns say of each other, row by row: the largest contradiction, and balance over the largest T */
static void audit(const build *b, const build_table *t, double *contradiction, double *balance) {
  const ledger first = ledger_at(b, t, 0);
  double T = 0, off = 0;
  *contradiction = 0;
  for (int i = 0; i < t->rows; i++) {
    const ledger e = ledger_at(b, t, i);
    T = fmax(T, e.kinetic);
    off = worse(off, fabs(e.balance));
    *contradiction = worse(*contradiction, fabs(e.total - e.kinetic - e.potential));
    *contradiction = worse(*contradiction, fabs(e.total - first.total - e.force - e.driver - e.stabilizer - e.balance));
  }
  *balance = worse(off / T, tn_sim_summary(b->sim)->energy_balance);
}

/* ---- every force type alone ------------------------------------------------------------------------------------------- */

TEST(every_force_alone) {
  static const int ways[] = {TN_ON_BODY, TN_ON_CHANNEL, TN_BETWEEN};
  static const char *const way_name[] = {"on a body", "on a channel", "between"};
  for (int i = 0; i < tn_force_type_count; i++)
    for (int k = 0; k < 3; k++) {
      const tn_force_type *type = tn_force_types[i];
      double worst = 0, exchanged = 0;
      int runs = 0;
      char why[1200] = "";
      if (!(type->takes & (unsigned)ways[k])) continue;
      /* one that acts on one side only may have to be looked for */
      for (int n = 0; n < 40 && (runs < 6 || !(exchanged > 1e-3)); n++) {
        build b;
        build_table t = {0};
        build_given given;
        double contradiction, balance;
        build_new(&b, 53u * (uint64_t)n + (uint64_t)ways[k]);
        build_world(&b);
        build_helpers(&b, 0);
        build_force(&b, "f", type, ways[k], &given);
        build_set(&b, "/start/guess", "{\"a.rate\": 1, \"b.rate\": -1.5, \"c.vx\": 0.7, \"a.vy\": 1.2}");
        energies(&b);
        build_tight(&b, 1, 0.01);
        if (build_compile(
                &b)) { /* else two fields that exclude each other: test_forces sees to it that all are built */
          runs++;
          if (ran(&b, &t)) {
            const ledger first = ledger_at(&b, &t, 0), last = ledger_at(&b, &t, t.rows - 1);
            audit(&b, &t, &contradiction, &balance);
            worst = worse(worst, balance);
            CHECK(contradiction <= 1e-12 * (1 + fabs(first.total)));
            CHECK(last.dissipated >= 0);
            exchanged = fmax(exchanged, fmax(fabs(last.force), fabs(last.potential - first.potential)));
          }
        } else {
          snprintf(why, sizeof why, "%s", b.message);
        }
        build_table_free(&t);
        build_free(&b);
      }
      printf("%-8s %-14s %d runs: balance %.1e, exchanged %.2g J\n", type->name, way_name[k], runs, worst, exchanged);
      if (runs < 6) FAIL("force %s %s: only %d could be built: %s", type->name, way_name[k], runs, why);
      if (!(worst <= 1e-9)) FAIL("force %s %s: balance %.3g", type->name, way_name[k], worst);
      if (!(exchanged > 1e-3)) FAIL("force %s %s: nothing happened", type->name, way_name[k]);
    }
}

/* ---- drivers and motors of the models -------------------------------------------------------------------------------- */

TEST(driven_pivot) {
  for (int relative = 0; relative < 2; relative++) {
    build b;
    build_table t = {0};
    double contradiction = INFINITY, balance = INFINITY, most = 0;
    build_new(&b, 1);
    build_read(&b, "driven_pivot");
    build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
    energies(&b);
    build_tight(&b, 10, 0.05);
    if (ran(&b, &t)) {
      audit(&b, &t, &contradiction, &balance);
      for (int i = 0; i < t.rows; i++) {
        const ledger e = ledger_at(&b, &t, i);
        most = fmax(most, fabs(e.driver));
        CHECK_NEAR(e.force, 0, 0);
        CHECK(fabs(e.stabilizer) < 1e-9);
      }
    }
    printf("driven pivot: balance %.1e of max T, driver work up to %.3g J\n", balance, most);
    CHECK(balance <= 1e-8 && contradiction <= 1e-12 && most > 1);
    build_table_free(&t);
    build_free(&b);
  }
}

/* the crank torque 20 - 5 rate: its work is also the integral of its power over the rows */
TEST(damped_slider_crank) {
  build b;
  build_table t = {0};
  double contradiction = INFINITY, balance = INFINITY, sum = 0, worst = 0;
  build_new(&b, 1);
  build_read(&b, "braun_slider_crank");
  build_set(&b, "/outputs/power", "\"motor.power\"");
  energies(&b);
  build_tight(&b, 10, 0.001);
  if (ran(&b, &t)) {
    const int w = build_column(&b, "omega1"), p = build_column(&b, "power");
    audit(&b, &t, &contradiction, &balance);
    for (int i = 0; i < t.rows; i++) {
      const double rate = build_at(&t, i, w);
      worst = worse(worst, fabs(build_at(&t, i, p) - (20 - 5 * rate) * rate));
    }
    for (int i = 0; i + 4 < t.rows; i += 4) { /* Boole's rule */
      static const double c[] = {7, 32, 12, 32, 7};
      for (int k = 0; k < 5; k++) sum += 4 * 0.001 / 90 * c[k] * build_at(&t, i + k, p);
    }
    CHECK_NEAR(ledger_at(&b, &t, t.rows - 1).force, sum, 1e-6);
  }
  printf("slider-crank: balance %.1e of max T, work %.6g J\n", balance, sum);
  CHECK(balance <= 1e-8 && contradiction <= 1e-11 && worst <= 1e-12 && fabs(sum) > 1);
  build_table_free(&t);
  build_free(&b);
}

/* a damped oscillator: x = e^-dt (cos wt + d/w sin wt), what is gone has been dissipated */
TEST(damped_oscillator) {
  build b;
  build_table t = {0};
  const double m = 2, k = 50, c = 3, d = c / (2 * m), w = sqrt(k / m - d * d);
  double worst = 0;
  build_new(&b, 1);
  build_set(&b, "/bodies/x", "{\"mass\": 2, \"position\": [2, 0], \"coordinates\": \"point\"}");
  build_set(&b, "/forces/s",
            "{\"type\": \"spring\", \"between\": [\"ground\", \"x\"], \"at\": [[0, 0], \"x\"], \"stiffness\": 50, "
            "\"damping\": 3, \"length\": 1}");
  build_set(&b, "/outputs", "{\"x\": \"x.x\", \"power\": \"s.power\", \"v\": \"x.vx\", \"stored\": \"s.energy\"}");
  energies(&b);
  build_tight(&b, 2, 0.05);
  if (ran(&b, &t))
    for (int i = 0; i < t.rows; i++) {
      const double time = build_at(&t, i, -1), x = exp(-d * time) * (cos(w * time) + d / w * sin(w * time));
      const double v = -exp(-d * time) * (w + d * d / w) * sin(w * time);
      const ledger e = ledger_at(&b, &t, i);
      worst = worse(worst, fabs(build_at(&t, i, 0) - 1 - x));
      worst = worse(worst, fabs(build_at(&t, i, 1) - (-k * x - c * v) * v) / 10);
      worst = worse(worst, fabs(build_at(&t, i, 3) - k * x * x / 2) / 10);
      worst = worse(worst, fabs(e.dissipated - (25 - k * x * x / 2 - m * v * v / 2)) / 10);
      worst = worse(worst, fabs(e.force + e.dissipated));
    }
  printf("damped oscillator: %.1e\n", worst);
  CHECK(worst <= 1e-9 && t.rows == 41);
  build_table_free(&t);
  build_free(&b);
}

/* ---- off the constraints ---------------------------------------------------------------------------------------------- */

/* driven, inconsistent at the start in positions and velocities; the books must balance for every way to deal with it */
TEST(off_the_constraints) {
  static const struct {
    const char *stabilize;
    double tolerance; /* gains of 1/h make the first steps rough, whatever h is */
  } how[] = {{"\"none\"", 1e-9},
             {"{\"type\": \"baumgarte\", \"alpha\": 5, \"beta\": 12}", 1e-9},
             {"{\"type\": \"baumgarte\", \"a\": 1, \"b\": 0.5}", 1e-4},
             {"{\"type\": \"baumgarte\", \"alpha\": 8, \"beta\": 8, \"feedback\": \"held\"}", 1e-9},
             {"\"project\"", 1e-9},
             {"{\"type\": \"project\", \"metric\": \"identity\", \"passes\": \"one\"}", 1e-9},
             {"[{\"type\": \"baumgarte\", \"alpha\": 5, \"beta\": 5}, \"project\"]", 1e-9}};
  for (size_t n = 0; n < sizeof how / sizeof *how; n++)
    for (int relative = 0; relative < 2; relative++) {
      build b;
      build_table t = {0};
      double contradiction = INFINITY, balance = INFINITY, work = 0;
      build_new(&b, 1);
      build_parse(
          &b,
          "{ \"tenon\": 1, \"dimension\": 2, \"gravity\": [0.5, -9.81],"
          "  \"bodies\": { \"a\": { \"rod\": [[0, 0], [1, 0.2]], \"mass\": 2 }, \"b\": { \"rod\": [[1, 0.2], [1.6, "
          "-0.8]], \"mass\": 1 },"
          "               \"c\": { \"rod\": [[1.6, -0.8], [2.5, -0.3]], \"mass\": 1.2 } },"
          "  \"joints\": { \"A\": { \"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0] },"
          "              \"B\": { \"type\": \"revolute\", \"between\": [\"b\", \"a\"], \"on_bodies\": [[0.02, 0.01], "
          "[1, 0]] },"
          "              \"C\": { \"type\": \"revolute\", \"between\": [\"b\", \"c\"], \"at\": [1.6, -0.8] },"
          "              \"D\": { \"type\": \"point-on-line\", \"between\": [\"ground\", \"c\"], \"at\": [2.5, -0.3], "
          "\"axis\": [1, 0.2] },"
          "              \"m\": { \"type\": \"driver\", \"on\": \"a.angle\", \"value\": \"0.21 + 0.4*sin(2*t)\" } },"
          "  \"start\": { \"mode\": \"as-given\", \"c.rate\": 0.5 },"
          "  \"run\": { \"contract\": { \"breach\": \"record\" } } }");
      build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
      energies(&b);
      build_set(&b, "/run/until", "0.5");
      build_set(&b, "/run/every", "0.017");
      build_set(&b, "/run/integrator", "{\"type\": \"dopri5\", \"step\": 0.001}");
      build_set(&b, "/run/stabilize", "%s", how[n].stabilize);
      if (ran(&b, &t)) {
        audit(&b, &t, &contradiction, &balance);
        work = ledger_at(&b, &t, t.rows - 1).stabilizer;
      }
      printf("%-60s %s: balance %.1e, work of the stabilizer %.2g J\n", how[n].stabilize,
             relative ? "relative" : "absolute", balance, work);
      CHECK(balance <= how[n].tolerance && contradiction <= 1e-11);
      CHECK(fabs(work) > 1e-4);
      build_table_free(&t);
      build_free(&b);
    }
}
