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
TEST(dopri5) { order(&(plan){"dopri5", "4", 5, {0.02, 0.0125, 0.01}, 1}); }
