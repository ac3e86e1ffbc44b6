/* order of convergence with a fixed step: the error over a run against one with a tight tolerance, at a step and three
 * halvings of it, for each kind of stabilizer. feedback held over the step must not spoil the order, nor may a projection. */
#include "support/reference.h"

#include "test.h"

enum { RUNS = 4, MODELS = 3, STABILIZERS = 4 };

static const struct {
  const char *model, *columns;
} subjects[MODELS] = {
    {"pendulum", "x y vx vy"},
    {"wu_crank_slider", "theta phi x y theta_rate phi_rate vx vy"},
    {"triple_pendulum", "th1 th2 th3 w1 w2 w3"},
};

/* moderate: the gains are not tied to the step, and so evaluated at every stage */
static const struct {
  const char *name, *json;
} stabilizers[STABILIZERS] = {
    {"none", "\"none\""},
    {"project", "\"project\""},
    {"baumgarte held", "{\"type\": \"baumgarte\", \"a\": 1, \"b\": 0.5, \"feedback\": \"held\"}"},
    {"baumgarte moderate", "{\"type\": \"baumgarte\", \"alpha\": 5, \"beta\": 5}"},
};

typedef struct plan {
  const char *integrator, *until;
  double theory;
  double step[MODELS]; /* s, the longest: small enough for the order to show, errors well above roundoff */
  double above;        /* how far the order may lie above theory with moderate feedback */
} plan;

static bool run(const char *model, const char *integrator, const char *stabilizer, const char *until,
                ref_table *table) {
  /* without a stabilizer the constraints drift: that is recorded, not a reason to stop */
  const ref_change changes[] = {
      {"/run/integrator", integrator}, {"/run/stabilize", stabilizer}, {"/run/contract", "{\"breach\": \"record\"}"},
      {"/run/until", until},           {"/run/every", "0.1"},          {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  const bool ok = ref_desc(model, changes, &desc) && ref_compile(desc, &m) && ref_run(m, table, NULL);
  tn_model_free(m);
  tn_desc_free(desc);
  return ok;
}

static void order(const plan *p) {
  for (int i = 0; i < MODELS; i++) {
    char json[96];
    ref_table tight = {0};
    ref_tolerance(json, 1e-14);
    CHECK(run(subjects[i].model, json, "\"project\"", p->until, &tight));
    for (int k = 0; k < STABILIZERS; k++) {
      double h[RUNS], error[RUNS];
      for (int r = 0; r < RUNS; r++) {
        ref_table table = {0};
        h[r] = ldexp(p->step[i], -r);
        ref_step(json, p->integrator, h[r]);
        CHECK(run(subjects[i].model, json, stabilizers[k].json, p->until, &table));
        error[r] = ref_distance(&table, &tight, subjects[i].columns, 10, false, NULL);
        ref_table_free(&table);
      }
      const double slope = ref_slope(RUNS, h, error);
      printf("%-6s %-15s %-18s h %.5g .. %.5g: error %.2e %.2e %.2e %.2e, order %.2f\n", p->integrator,
             subjects[i].model, stabilizers[k].name, h[0], h[RUNS - 1], error[0], error[1], error[2], error[3], slope);
      CHECK(error[RUNS - 1] > 1e-12); /* else roundoff is measured, or nothing */
      CHECK(slope >= p->theory - 0.25);
      CHECK(slope <= p->theory + (k == 3 ? p->above : 0.25));
    }
    ref_table_free(&tight);
  }
}

TEST(euler) { order(&(plan){"euler", "1", 1, {1e-3, 1e-3, 5e-4}, 0.25}); }
TEST(rk4) { order(&(plan){"rk4", "1", 4, {0.02, 0.003125, 0.01}, 0.25}); }
/* the leading error of this formula is small by design. with moderate feedback the term of order 6 still outweighs it where
 * double precision ends, and the order seen lies between the two */
TEST_FULL(dopri5) { order(&(plan){"dopri5", "4", 5, {0.02, 0.0125, 0.01}, 1}); }

/* ---- all that have a fixed step ------------------------------------------------------------------------------------------- */

/* mechanisms that are shaken faster than they swing: an error of order nine falls by eight digits in three halvings, and is
 * to be seen in all of them without the formula being unstable */
static const struct {
  const char *model, *columns, *shake;
} shaken[MODELS] = {
    {"four_bar", "tip.x tip.y rate other",
     "{\"shake\": {\"type\": \"torque\", \"on\": \"crank\", \"value\": \"800*sin(400*t)\"}}"},
    {"wu_crank_slider", "theta phi x y theta_rate phi_rate vx vy",
     "{\"shake\": {\"type\": \"torque\", \"on\": \"crank\", \"value\": \"160*sin(400*t)\"}}"},
    {"triple_pendulum", "th1 th2 th3 w1 w2 w3",
     "{\"shake\": {\"type\": \"torque\", \"on\": \"link1\", \"value\": \"6*sin(400*t)\"}}"},
};

enum { HALVINGS = 11 };

static bool run_shaken(int i, const char *integrator, const char *stabilizer, ref_table *table) {
  const ref_change changes[] = {{"/run/integrator", integrator},
                                {"/run/stabilize", stabilizer},
                                {"/run/contract", "{\"breach\": \"record\"}"},
                                {"/run/until", "0.13"},
                                {"/run/every", "0.013"},
                                {"/forces", shaken[i].shake},
                                {i ? NULL : "/outputs/rate", "\"A.rate\""},
                                {"/outputs/other", "\"D.rate\""},
                                {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  const bool ok = ref_desc(shaken[i].model, changes, &desc) && ref_compile(desc, &m) && ref_run(m, table, NULL);
  tn_model_free(m);
  tn_desc_free(desc);
  return ok;
}

/* of four errors in a row, how far the slopes between them are apart */
static double bend(const double *e) {
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < 3; i++) {
    const double s = log2(e[i] / e[i + 1]);
    least = fmin(least, s);
    most = fmax(most, s);
  }
  return most - least;
}

/* the order over three halvings above 1e-12: before them the step is too long, behind them is roundoff. of those whose points lie
 * on a line the nearest to theory */
static void order_when_shaken(const char *integrator, double theory, double longest) {
  for (int i = 0; i < MODELS; i++) {
    ref_table tight = {0};
    CHECK(run_shaken(i, "{\"type\": \"dop853\", \"rtol\": 1e-14, \"atol\": 1e-14}", "\"project\"", &tight));
    for (int k = 0; k < 2; k++) {
      double h[HALVINGS], error[HALVINGS];
      int runs = 0, first = -1;
      for (double step = longest; runs < HALVINGS; step /= 2) {
        ref_table table = {0};
        char json[96];
        ref_step(json, integrator, step);
        const bool ok = run_shaken(i, json, k ? "\"project\"" : "\"none\"", &table);
        const double e = ok ? ref_distance(&table, &tight, shaken[i].columns, 10, false, NULL) : INFINITY;
        ref_table_free(&table);
        if (e < 1e-12) break;
        h[runs] = step;
        error[runs++] = e;
      }
      for (int r = 0; r + 3 < runs; r++) {
        if (!(error[r] < 1) || bend(error + r) > 2.5) continue;
        if (first < 0 ||
            fabs(ref_slope(4, h + r, error + r) - theory) < fabs(ref_slope(4, h + first, error + first) - theory))
          first = r;
      }
      CHECK(first >= 0);
      if (first < 0) continue;
      const double slope = ref_slope(4, h + first, error + first);
      printf("%-7s %-15s %-8s h %.2g: error %.1e %.1e %.1e %.1e, order %.2f\n", integrator, shaken[i].model,
             k ? "project" : "none", h[first], error[first], error[first + 1], error[first + 2], error[first + 3],
             slope);
      CHECK_NEAR(slope, theory, 0.25);
    }
    ref_table_free(&tight);
  }
}

static void family(const char *name, int from, int more) {
  for (int k = from; k <= 8; k++) {
    char integrator[16];
    snprintf(integrator, sizeof integrator, "%s%d", name, k);
    order_when_shaken(integrator, k + more, 0.0026);
  }
}

TEST_LONG(one_step_shaken) {
  static const struct {
    const char *name;
    double order, longest;
  } all[] = {{"euler", 1, 1e-4},
             {"heun", 2, 1e-3},
             {"rk4", 4, 0.0026},
             {"trbdf2", 2, 1e-3},
             {"radau5", 5, 0.013}}; /* dopri5: above */
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) order_when_shaken(all[i].name, all[i].order, all[i].longest);
}
TEST_LONG(midpoint_shaken) { order_when_shaken("midpoint", 2, 1e-3); }
TEST_LONG(am_shaken) { family("am", 1, 0); }
TEST_LONG(ab_shaken) { family("ab", 1, 0); }
TEST_LONG(ampc_shaken) { family("ampc", 1, 0); }
TEST_LONG(mampc_shaken) { family("mampc", 1, 1); }
