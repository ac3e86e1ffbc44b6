/* the implicit midpoint rule: order, area of phase space, energy over very long times, quadratic first integrals, stability. */
#include "integrate/integrate.h"
#include "support/reference.h"

#include "test.h"

extern const tn_integrator_type tn_integrator_midpoint;

typedef tn_status (*rates)(void *self, double t, const double *y, double *ydot);

typedef struct stepper {
  const tn_integrator_type *type;
  void *work;
  tn_effort effort;
  tn_ode ode;
} stepper;

static tn_status begin(void *self, double t, const double *y, double h) {
  (void)self, (void)t, (void)y, (void)h;
  return TN_OK;
}

static void weights(void *self, const double *y, double *w) {
  (void)self, (void)y;
  w[0] = w[1] = w[2] = 1e-14;
}

static tn_status refuse(void *self, double t, const char *message) {
  (void)self, (void)t, (void)message;
  return TN_E_RUN;
}

static void stepper_new(stepper *s, const tn_integrator_type *type, int n, rates f, void *self) {
  *s = (stepper){.type = type, .work = calloc(1, type->memory(type->constants, n))};
  s->ode = (tn_ode){
      .self = self, .n = n, .effort = &s->effort, .begin = begin, .rates = f, .weights = weights, .refuse = refuse};
  type->start(type->constants, s->work, n);
}

static void step(stepper *s, double t, double h, double *y) {
  double ynew[3];
  CHECK(s->type->attempt(s->work, &s->ode, t, y, h, ynew, NULL) == TN_OK);
  memcpy(y, ynew, sizeof *y * (size_t)s->ode.n);
  s->type->accept(s->work, y, false);
}

static tn_status swing(void *self, double t, const double *y, double *ydot) {
  (void)self, (void)t;
  ydot[0] = y[1];
  ydot[1] = -sin(y[0]);
  return TN_OK;
}

static double energy(const double *y) { return y[1] * y[1] / 2 - cos(y[0]); }

/* the period of a swing to 1 rad is 6.6999: 10^4 of them in steps of a sixteenth. what the energy is off by does not grow */
static double worst_energy(const tn_integrator_type *type, int periods, int from) {
  stepper s;
  double y[2] = {1, 0}, worst = 0;
  const double h = 6.6999 / 16, start = energy(y);
  stepper_new(&s, type, 2, swing, NULL);
  for (int i = 0; i < 16 * periods; i++) {
    step(&s, i * h, h, y);
    if (i >= 16 * from) worst = fmax(worst, fabs(energy(y) - start));
  }
  free(s.work);
  return worst;
}

TEST(energy_stays_within_bounds_over_ten_thousand_periods) {
  const double early = worst_energy(&tn_integrator_midpoint, 20, 0),
               late = worst_energy(&tn_integrator_midpoint, 10000, 9980);
  printf("midpoint: energy off by %.4g in the first 20 periods, %.4g in the last\n", early, late);
  CHECK(early > 1e-4 && early < 0.05); /* it is not exact */
  CHECK_NEAR(late / early, 1, 0.05);
}

/* a step of half a radian keeps the area of phase space: the determinant of its Jacobian is 1 */
TEST(a_step_keeps_the_area_of_phase_space) {
  static const double start[][2] = {{1, 0.2}, {2.5, -0.4}, {-0.3, 1.7}};
  for (int i = 0; i < 3; i++) {
    double D[2][2];
    const double d = 1e-5;
    for (int j = 0; j < 2; j++) {
      double y[2][2];
      for (int side = 0; side < 2; side++) {
        stepper s;
        memcpy(y[side], start[i], sizeof y[side]);
        y[side][j] += side ? d : -d;
        stepper_new(&s, &tn_integrator_midpoint, 2, swing, NULL);
        step(&s, 0, 0.5, y[side]);
        free(s.work);
      }
      for (int k = 0; k < 2; k++) D[k][j] = (y[1][k] - y[0][k]) / (2 * d);
    }
    CHECK_NEAR(D[0][0] * D[1][1] - D[0][1] * D[1][0], 1, 1e-8);
  }
}

/* Euler's equations of a free body: energy and momentum are quadratic, and stay; rk4 of the same step loses them */
static tn_status tumble(void *self, double t, const double *y, double *ydot) {
  (void)self, (void)t;
  static const double I[3] = {0.3, 0.2, 0.1};
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    ydot[i] = (1 / I[k] - 1 / I[j]) * y[j] * y[k];
  }
  return TN_OK;
}

static double loss(const tn_integrator_type *type) {
  stepper s;
  double y[3] = {0.3, 0.4, 0.02}, worst = 0;
  const double T0 = y[0] * y[0] / 0.3 + y[1] * y[1] / 0.2 + y[2] * y[2] / 0.1,
               L0 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
  stepper_new(&s, type, 3, tumble, NULL);
  for (int i = 0; i < 10000; i++) {
    step(&s, i * 0.1, 0.1, y);
    worst = fmax(worst, fabs((y[0] * y[0] / 0.3 + y[1] * y[1] / 0.2 + y[2] * y[2] / 0.1) / T0 - 1));
    worst = fmax(worst, fabs((y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) / L0 - 1));
  }
  free(s.work);
  return worst;
}

TEST(quadratic_first_integrals_are_kept) {
  const tn_integrator_type *rk4 = NULL;
  for (int i = 0; i < tn_integrator_type_count; i++)
    if (strcmp(tn_integrator_types[i]->name, "rk4") == 0) rk4 = tn_integrator_types[i];
  CHECK(rk4 != NULL);
  const double kept = loss(&tn_integrator_midpoint), lost = loss(rk4);
  printf("energy and momentum of a free body after 10000 steps: midpoint %.2g, rk4 %.2g\n", kept, lost);
  CHECK(kept < 1e-11);
  CHECK(lost > 1e-9);
}

TEST(order_two) {
  double h[4], e[4], exact[2] = {1, 0.5};
  stepper s;
  for (int i = 0; i < 4; i++) {
    double y[2] = {1, 0.5};
    h[i] = 0.1 / (1 << i);
    stepper_new(&s, &tn_integrator_midpoint, 2, swing, NULL);
    for (int k = 0; k < lround(5 / h[i]); k++) step(&s, k * h[i], h[i], y);
    free(s.work);
    if (i == 0) {
      const tn_integrator_type *fine = NULL;
      for (int k = 0; k < tn_integrator_type_count; k++)
        if (strcmp(tn_integrator_types[k]->name, "dop853") == 0) fine = tn_integrator_types[k];
      stepper_new(&s, fine, 2, swing, NULL);
      for (int k = 0; k < 500; k++) step(&s, k * 0.01, 0.01, exact);
      free(s.work);
    }
    e[i] = hypot(y[0] - exact[0], y[1] - exact[1]);
  }
  printf("errors %.2e %.2e %.2e %.2e\n", e[0], e[1], e[2], e[3]);
  CHECK_NEAR(ref_slope(4, h, e), 2, 0.05);
}

TEST(a_stable) {
  static tn_region r;
  CHECK(tn_stability(&tn_integrator_midpoint, NULL, 0, &r) == TN_OK);
  CHECK(isinf(r.real) && isinf(r.imaginary) && isinf(r.area));
  bool at[40 * 20];
  CHECK(tn_stability_at(&tn_integrator_midpoint, NULL, 0, 0.5, -20, 40, 20, at) == TN_OK);
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 20; j++) CHECK(at[i * 20 + j] == (i < 20)); /* nothing of the right half */
}

/* with a model: the state inside a step, constraints projected, and the energy balance */
TEST(in_a_model) {
  const ref_change changes[] = {
      {"/run/integrator", "{\"type\": \"midpoint\", \"step\": 0.001}"}, {"/run/until", "2"}, {NULL, NULL}};
  const ref_change exact[] = {
      {"/run/integrator", "{\"type\": \"dop853\", \"rtol\": 1e-12}"}, {"/run/until", "2"}, {NULL, NULL}};
  static const char *const models[] = {"four_bar", "wu_crank_slider", "rolling_disc"};
  for (int i = 0; i < 3; i++) {
    tn_desc *desc[2] = {NULL, NULL};
    tn_model *m[2] = {NULL, NULL};
    ref_table table[2] = {{0}, {0}};
    tn_summary summary;
    for (int k = 0; k < 2; k++)
      CHECK(ref_desc(models[i], k ? exact : changes, &desc[k]) && ref_compile(desc[k], &m[k]) &&
            ref_run(m[k], &table[k], k ? NULL : &summary));
    double worst = 0;
    for (int row = 0; row < table[0].rows && row < table[1].rows; row++)
      for (int c = 0; c < table[0].columns; c++)
        worst =
            fmax(worst, fabs(table[0].value[row * table[0].columns + c] - table[1].value[row * table[1].columns + c]) /
                            fmax(1, fabs(table[1].value[row * table[1].columns + c])));
    printf("%s: off by %.2e, balance %.2e\n", models[i], worst, summary.energy_balance);
    CHECK(worst < 2e-3 && worst > 1e-9 && summary.energy_balance < 1e-4);
    for (int k = 0; k < 2; k++) {
      ref_table_free(&table[k]);
      tn_model_free(m[k]);
      tn_desc_free(desc[k]);
    }
  }
}
