/* integrators with tolerances: how the error falls with them and what that costs, on motions that others computed (test/data);
 * stiff motion; parts that know nothing of each other; many steps without a new start; states inside a step. */
#include "support/reference.h"

#include "test.h"

typedef struct problem {
  const char *model, *file, *rows, *columns, *every, *until;
} problem;

static const problem problems[] = {
    {"andrews", "iftomm_A03_andrews_0.05s", "/reference/samples",
     "beta Theta gamma Phi delta Omega eps beta_d Fx Fy Fvx Fvy", "0.00125", "0.05"},
    {"wu_crank_slider", "ref_wu_crank_slider", "/rows",
     "theta=q0 phi=q1 x=q2 y=q3 theta_rate=v0 phi_rate=v1 vx=v2 vy=v3", "0.25", "10"},
    {"triple_pendulum", "ref_triple_small", "/values", "th1 th2 th3 w1 w2 w3", "0.5", "10"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static void json_of(char json[96], const char *integrator, double rtol) {
  snprintf(json, 96, "{\"type\": \"%s\", \"rtol\": %g, \"atol\": %g}", integrator, rtol, rtol);
}

static bool run(const char *model, const char *integrator, double rtol, const char *every, const char *until,
                ref_table *table, tn_summary *sum) {
  char json[96];
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  json_of(json, integrator, rtol);
  const ref_change changes[] = {{"/run/integrator", json}, {"/run/every", every}, {"/run/until", until}, {NULL, NULL}};
  const bool ok = ref_desc(model, changes, &desc) && ref_compile(desc, &m) && ref_run(m, table, sum);
  tn_model_free(m);
  tn_desc_free(desc);
  return ok;
}

static double error_of(const problem *p, const char *integrator, double rtol, tn_summary *sum) {
  ref_table table = {0}, reference = {0};
  const bool ok =
      run(p->model, integrator, rtol, p->every, p->until, &table, sum) && ref_read(p->file, p->rows, &reference);
  const double e = ok ? ref_distance(&table, &reference, p->columns, atof(p->until), true, NULL) : INFINITY;
  ref_table_free(&table);
  ref_table_free(&reference);
  return e;
}

/* references have about twelve digits: an error below this is theirs as much as that of the run */
static const double OF_REFERENCE = 1e-11;

/* errors fall at least as rtol^(p/(p+1)); less: by which the slope may lie below that */
static void slope(const char *integrator, int order, double tightest, double less) {
  for (int i = 0; i < PROBLEMS; i++) {
    double rtol[8], error[8];
    int n = 0;
    tn_summary sum;
    printf("%s, %s:", integrator, problems[i].model);
    for (double t = 1e-4; t > 0.9 * tightest; t *= 0.1) {
      rtol[n] = t;
      error[n] = error_of(&problems[i], integrator, t, &sum);
      printf(" %.1e/%" PRId64, error[n], sum.rhs);
      if (error[n] > OF_REFERENCE) n++;
    }
    CHECK(n >= 4);
    const double k = ref_slope(n, rtol, error);
    printf(", slope %.3f\n", k);
    CHECK(k >= order / (order + 1.0) - less);
    CHECK(error[n - 1] < 1e-2);
  }
}

TEST_FULL(dopri5_falls) { slope("dopri5", 5, 1e-10, 0); }
TEST_FULL(dop853_falls) { slope("dop853", 8, 1e-10, 0); }
TEST_FULL(abm_falls) { slope("abm", 13, 1e-10, 0); }
/* at 1e-4 its error is a quarter of the swing of triple_pendulum, and cannot be what the line would have */
TEST_FULL(trbdf2_falls) { slope("trbdf2", 2, 1e-7, 0.03); }
TEST_FULL(radau5_falls) { slope("radau5", 5, 1e-10, 0); }

/* the least right-hand sides for an error, from runs at many tolerances: on the line between the two next to it */
static double cost(const problem *p, const char *integrator, double error) {
  double last_e = INFINITY, last_c = 0;
  for (double rtol = 1e-5; rtol > 1e-13; rtol /= sqrt(10)) {
    tn_summary sum;
    const double e = error_of(p, integrator, rtol, &sum), c = (double)sum.rhs;
    if (e <= error) return isfinite(last_e) ? last_c * pow(c / last_c, log(error / last_e) / log(e / last_e)) : c;
    last_e = e;
    last_c = c;
  }
  return INFINITY;
}

static bool is_there(const char *integrator) {
  for (int i = 0; i < tn_integrator_type_count; i++)
    if (strcmp(tn_integrator_types[i]->name, integrator) == 0) return true;
  return false;
}

TEST_FULL(abm_is_cheap) {
  for (int i = 0; i < PROBLEMS; i++)
    for (double error = 1e-8; error > 5e-11; error /= 10) {
      const double abm = cost(&problems[i], "abm", error), dopri5 = cost(&problems[i], "dopri5", error);
      printf("%s, error %.0e: abm %.0f right-hand sides, dopri5 %.0f", problems[i].model, error, abm, dopri5);
      CHECK(abm < dopri5);
      if (is_there("cvode-adams")) {
        const double adams = cost(&problems[i], "cvode-adams", error);
        printf(", cvode-adams %.0f", adams);
        CHECK(abm <= 1.5 * adams);
      }
      putchar('\n');
    }
}

/* ---- stiff ------------------------------------------------------------------------------------------------------------------ */

static double stiff(const char *integrator, double rtol, const ref_table *tight, tn_summary *sum) {
  ref_table table = {0};
  const bool ok = run("stiff_pendulum", integrator, rtol, "0.02", "2", &table, sum);
  const double e = ok ? ref_distance(&table, tight, "x y", 2, false, NULL) : INFINITY;
  ref_table_free(&table);
  printf("%s at %g: error %.1e, %" PRId64 " steps, %" PRId64 " right-hand sides, %" PRId64 " Jacobians, %" PRId64
         " decompositions\n",
         integrator, rtol, e, sum->steps, sum->rhs, sum->jacobians, sum->decompositions);
  return e;
}

TEST(stiff_pendulum) {
  ref_table tight = {0};
  tn_summary explicit, sum;
  CHECK(run("stiff_pendulum", "radau5", 1e-12, "0.02", "2", &tight, &sum));
  for (double rtol = 1e-4; rtol > 5e-9; rtol *= 0.01) {
    stiff("dopri5", rtol, &tight, &explicit);
    CHECK(stiff("radau5", rtol, &tight, &sum) <= fmax(0.1 * rtol, 1e-9));
    CHECK(10 * sum.steps < explicit.steps);
    const double e = stiff("trbdf2", rtol, &tight, &sum);
    CHECK(e <= 1e3 * rtol);
    CHECK((rtol < 1e-7 ? 5 : 10) * sum.steps < explicit.steps); /* of order 2: at 1e-8 it is accuracy that limits it */
    CHECK(sum.jacobians > 0 && sum.jacobian_rhs == 4 * sum.jacobians && sum.iterations > sum.steps);
    if (is_there("cvode-bdf"))
      CHECK(stiff("cvode-bdf", rtol, &tight, &sum) <= 10 * rtol && 10 * sum.steps < explicit.steps);
  }
  ref_table_free(&tight);
}

/* ---- parts -------------------------------------------------------------------------------------------------------------------- */

static const char *const two =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
    "\"bodies\": {\"a\": {\"rod\": [[0, 0], [1, 0]], \"mass\": 1},"
    "             \"b\": {\"rod\": [[0, 3], [2, 3]], \"mass\": 1}},"
    "\"joints\": {\"A\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]},"
    "             \"B\": {\"type\": \"revolute\", \"between\": [\"ground\", \"b\"], \"at\": [0, 3]}},"
    "\"outputs\": {\"a\": \"a.angle\", \"b\": \"b.angle\"}}";

static void count_jacobians(const char *forces, int64_t each) {
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  ref_table table = {0}, tight = {0};
  tn_summary sum;
  const ref_change implicit[] = {{"/forces", forces},
                                 {"/run/integrator", "{\"type\": \"radau5\", \"rtol\": 1e-9}"},
                                 {NULL, NULL}},
                   explicit[] = {{"/forces", forces},
                                 {"/run/integrator", "{\"type\": \"dopri5\", \"rtol\": 1e-11}"},
                                 {NULL, NULL}};
  CHECK(ref_desc(two, implicit, &desc) && ref_compile(desc, &m) && ref_run(m, &table, &sum));
  CHECK(sum.jacobian_rhs == each * sum.jacobians && sum.jacobians > 0);
  tn_model_free(m);
  tn_desc_free(desc);
  desc = NULL, m = NULL;
  CHECK(ref_desc(two, explicit, &desc) && ref_compile(desc, &m) && ref_run(m, &tight, &sum));
  CHECK(ref_distance(&table, &tight, "a b", 1, false, NULL) < 1e-8);
  tn_model_free(m);
  tn_desc_free(desc);
  ref_table_free(&table);
  ref_table_free(&tight);
}

/* two pendulums have twelve numbers; if nothing ties them six are moved at once with the other six */
TEST(jacobian_by_parts) {
  count_jacobians("{}", 6);
  count_jacobians(
      "{\"s\": {\"type\": \"spring\", \"between\": [\"a\", \"b\"], \"at\": [[1, 0], [2, 3]], \"stiffness\": 3}}", 12);
  count_jacobians("{\"s\": {\"type\": \"torque\", \"on\": \"b\", \"value\": \"a.angle\"}}", 12);
}

/* ---- multistep formulas with projection ------------------------------------------------------------------------------------------- */

/* the rate at the projected state is the one that is kept: a projection costs no right-hand side and no new start */
TEST(projection_costs_no_start) {
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  ref_table table = {0};
  tn_summary sum;
  const ref_change changes[] = {{"/run/integrator", "{\"type\": \"mampc4\", \"step\": 0.001}"},
                                {"/run/until", "1"},
                                {"/run/every", "1"},
                                {NULL, NULL}};
  CHECK(ref_desc("wu_crank_slider", changes, &desc) && ref_compile(desc, &m) && ref_run(m, &table, &sum));
  /* two a step, and 24 instead of one in each of the three starting steps; one for the row at the start and at the end */
  CHECK(sum.steps == 1000 && sum.rhs == 2 * 997 + 3 * 25);
  CHECK(sum.contract_kept && sum.max_position_violation < 1e-15);
  tn_model_free(m);
  tn_desc_free(desc);
  ref_table_free(&table);
}

/* feedback that is held is added to the step: the order stays, and the ledger knows what it does */
TEST(held_feedback_keeps_the_order) {
  static const char *const names[] = {"ab3", "ampc4", "mampc3"};
  const double order[] = {3, 4, 4};
  for (int i = 0; i < 3; i++) {
    double h[3], error[3];
    for (int k = 0; k < 3; k++) {
      char json[96];
      tn_desc *desc = NULL;
      tn_model *m = NULL;
      ref_table table = {0}, reference = {0};
      tn_summary sum = {0};
      h[k] = 0.002 / (1 << k);
      ref_step(json, names[i], h[k]);
      const ref_change changes[] = {
          {"/run/integrator", json},
          {"/run/stabilize", "{\"type\": \"baumgarte\", \"a\": 0.5, \"b\": 0.125, \"feedback\": \"held\"}"},
          {"/run/contract", "{\"breach\": \"record\"}"},
          {"/run/until", "2"},
          {NULL, NULL}};
      CHECK(ref_desc("wu_crank_slider", changes, &desc) && ref_compile(desc, &m) && ref_run(m, &table, &sum));
      CHECK(ref_read(problems[1].file, problems[1].rows, &reference));
      error[k] = ref_distance(&table, &reference, problems[1].columns, 2, true, NULL);
      printf("%s h %g: error %.2e, balance %.1e, |C| %.1e\n", names[i], h[k], error[k], sum.energy_balance,
             sum.max_position_violation);
      CHECK(sum.energy_balance < 10 * error[k]);
      CHECK(sum.max_position_violation < 0.05 * error[k] + 1e-12);
      tn_model_free(m);
      tn_desc_free(desc);
      ref_table_free(&table);
      ref_table_free(&reference);
    }
    CHECK(ref_slope(3, h, error) > order[i] - 0.25);
  }
}

/* gains that a formula cannot hold are refused, with those that it can */
TEST(held_gains_are_refused_by_formula) {
  const ref_change changes[] = {{"/run/integrator", "{\"type\": \"ab5\", \"step\": 0.001}"},
                                {"/run/method", "\"baumgarte-step\""},
                                {"/run/contract", "{\"breach\": \"record\"}"},
                                {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  tn_error e;
  char text[800];
  CHECK(ref_desc("wu_crank_slider", changes, &desc));
  CHECK(tn_compile(desc, &m, &e) == TN_E_MODEL);
  tn_error_text(&e, text, sizeof text);
  CHECK_HAS(text, "held gains a = 1, b = 0.5 per step are unstable with ab5");
  CHECK_HAS(text, "a from ");
  tn_desc_free(desc);
}

/* a fixed step that is too long for the iteration ends the run, and says with which step */
TEST(iteration_that_fails_is_named) {
  static const char *const names[] = {"trbdf2", "radau5"};
  for (int i = 0; i < 2; i++) {
    char json[96], text[800], wanted[96];
    tn_desc *desc = NULL;
    tn_model *m = NULL;
    tn_sim *s = NULL;
    tn_error e;
    ref_step(json, names[i], 100);
    const ref_change changes[] = {{"/run/integrator", json}, {"/run/until", "1000"}, {NULL, NULL}};
    CHECK(ref_desc("pendulum", changes, &desc) && ref_compile(desc, &m) && tn_sim_new(m, &s, &e) == TN_OK);
    CHECK(tn_sim_advance(s, 1000, &e) == TN_E_RUN);
    tn_error_text(&e, text, sizeof text);
    snprintf(wanted, sizeof wanted, "the iteration of %s does not converge in a step of 100 s at t = 0 s", names[i]);
    CHECK_HAS(text, wanted);
    tn_sim_free(s);
    tn_model_free(m);
    tn_desc_free(desc);
  }
}

/* ---- inside a step ---------------------------------------------------------------------------------------------------------- */

/* ydot = lambda y: a component that may be far beyond the limit of stability */
typedef struct decay {
  double lambda, weight;
  int rates;
} decay;

static tn_status no_begin(void *self, double t, const double *y, double h) {
  (void)self, (void)t, (void)y, (void)h;
  return TN_OK;
}

static tn_status decays(void *self, double t, const double *y, double *ydot) {
  decay *d = self;
  (void)t;
  ydot[0] = d->lambda * y[0];
  d->rates++;
  return TN_OK;
}

static void weights(void *self, const double *y, double *w) {
  (void)y;
  w[0] = ((const decay *)self)->weight;
}

/* the largest error inside a step of length 1, in units of its estimate; *rates: right-hand sides of twenty states inside */
static double inside(const tn_integrator_type *type, double lambda, int *rates) {
  decay d = {.lambda = lambda, .weight = 1};
  const tn_ode ode = {.self = &d, .n = 1, .begin = no_begin, .rates = decays, .weights = weights};
  double y = 1, ynew, error, most = 0;
  void *work = calloc(1, type->memory(type->constants, 1));
  type->start(type->constants, work, 1);
  CHECK(work && type->attempt(work, &ode, 0, &y, 1, &ynew, &error) == TN_OK);
  d.weight = fabs(error); /* the same step, of an error that is just allowed */
  CHECK(type->attempt(work, &ode, 0, &y, 1, &ynew, &error) == TN_OK);
  type->accept(work, &ynew, false);
  *rates = -d.rates;
  for (int i = 0; i <= 20; i++) {
    double x;
    CHECK(type->dense(work, &ode, i / 20.0, &x) == TN_OK);
    most = fmax(most, fabs(x - exp(lambda * i / 20)));
  }
  *rates += d.rates;
  free(work);
  return most / d.weight;
}

/* a step may be far beyond the limit of stability, if what is stiff hardly moves: its end is judged, and inside it is no worse */
TEST(states_inside_a_step_are_as_good_as_its_end) {
  static const char *const names[] = {"dopri5", "dop853"};
  for (int i = 0; i < tn_integrator_type_count; i++)
    for (int k = 0; k < 2; k++) {
      const tn_integrator_type *type = tn_integrator_types[i];
      if (strcmp(type->name, names[k]) != 0) continue;
      double worst = 0;
      for (double z = -1; z > -40; z *= 1.1) {
        int rates;
        worst = fmax(worst, inside(type, z, &rates));
        if (z > -3.5) CHECK(rates <= 4); /* a polynomial */
      }
      printf("%s: at most %.3g times the estimate\n", names[k], worst);
      CHECK(worst < 30); /* near h lambda = -5.6 and -23 the estimate of dop853 vanishes: 23 */
    }
}
