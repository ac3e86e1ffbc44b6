/* Adams-Moulton solved in every step, and the modes P(EC)^n E and P(EC)^n: error constants of Wu, Chiou & Lin 2000 (appendix), orders,
 * limits of stability in closed form and by the steps themselves, what an iteration that diverges says, gains of feedback. */
#include "integrate/integrate.h"
#include "stabilize/stabilize.h"
#include "support/reference.h"

#include "test.h"

static const tn_integrator_type *type_of(const char *name) {
  for (int i = 0; i < tn_integrator_type_count; i++)
    if (strcmp(tn_integrator_types[i]->name, name) == 0) return tn_integrator_types[i];
  FAIL("there is no integrator %s", name);
  return tn_integrator_types[0];
}

/* the part as a model reads it: `am3:iteration=fixed-point` */
typedef struct part {
  tn_desc *desc;
  tn_model *m;
  const tn_integrator_type *type;
  const void *self;
} part;

static part part_of(const char *text) {
  part p = {NULL, NULL, NULL, NULL};
  const ref_change changes[] = {{NULL, NULL}};
  tn_error e;
  CHECK(ref_desc("pendulum", changes, &p.desc));
  if (tn_desc_part(p.desc, "/run/integrator", text, &e) != TN_OK) FAIL("%s", e.message);
  CHECK(tn_desc_number(p.desc, "/run/integrator/step", 0.01, &e) == TN_OK && ref_compile(p.desc, &p.m));
  p.type = p.m->run.integrator;
  p.self = p.type->size ? p.m->run.integrator_part.self : p.type->constants;
  return p;
}

static void part_free(part *p) {
  tn_model_free(p->m);
  tn_desc_free(p->desc);
}

/* ---- an equation of its own ------------------------------------------------------------------------------------------------- */

typedef tn_status (*rates)(void *self, double t, const double *y, double *ydot);

static tn_status begin(void *self, double t, const double *y, double h) {
  (void)self, (void)t, (void)y, (void)h;
  return TN_OK;
}

static void weights(void *self, const double *y, double *w) {
  (void)self;
  w[0] = w[1] = 1e-13 * hypot(y[0], y[1]) + 1e-300;
}

static tn_status refuse(void *self, double t, const char *message) {
  (void)self, (void)t;
  return strstr(message, "does not converge") ? TN_E_RUN : TN_E_MODEL;
}

/* n steps of length h from y, 2 numbers */
static tn_status steps(const part *p, rates f, void *self, int n, double h, double *y, int64_t *iterations) {
  tn_effort effort = {0};
  const tn_ode ode = {
      .self = self, .n = 2, .effort = &effort, .begin = begin, .rates = f, .weights = weights, .refuse = refuse};
  void *work = calloc(1, p->type->memory(p->self, 2));
  tn_status status = TN_OK;
  p->type->start(p->self, work, 2);
  for (int i = 0; i < n && status == TN_OK; i++) {
    double ynew[2];
    status = p->type->attempt(work, &ode, i * h, y, h, ynew, NULL);
    if (status != TN_OK) break;
    memcpy(y, ynew, sizeof ynew);
    p->type->accept(work, y, false);
    if (!(hypot(y[0], y[1]) < 1e200)) break;
  }
  if (iterations) *iterations = effort.iterations;
  free(work);
  return status;
}

static tn_status power(void *self, double t, const double *y, double *ydot) {
  (void)y;
  ydot[0] = pow(t, *(const int *)self);
  ydot[1] = 0;
  return TN_OK;
}

static tn_status swing(void *self, double t, const double *y, double *ydot) {
  (void)self;
  ydot[0] = y[1];
  ydot[1] = -sin(y[0]) - 0.1 * y[1] + 0.5 * cos(t);
  return TN_OK;
}

typedef struct linear {
  double re, im;
} linear;

static tn_status grow(void *self, double t, const double *y, double *ydot) {
  const linear *z = self;
  (void)t;
  ydot[0] = z->re * y[0] - z->im * y[1];
  ydot[1] = z->re * y[1] + z->im * y[0];
  return TN_OK;
}

/* ---- order and error ------------------------------------------------------------------------------------------------------- */

/* a step of length 1 on ydot = t^k, k the order, is off by k! times the constant of the appendix. A5 to A7, and Table 1 further on */
TEST(error_constants_of_the_appendix) {
  static const double constant[] = {-1.0 / 2,       -1.0 / 12,      -1.0 / 24,          -19.0 / 720,      -3.0 / 160,
                                    -863.0 / 60480, -275.0 / 24192, -33953.0 / 3628800, -8183.0 / 1036800};
  double factorial = 1;
  for (int k = 1; k <= 9; k++) {
    char name[8];
    snprintf(name, sizeof name, "am%d", k);
    part p = part_of(name);
    int degree = k;
    double y[2][2] = {{0, 0}, {0, 0}};
    const int n = 12;
    factorial *= k;
    CHECK(p.type->order == k);
    CHECK(steps(&p, power, &degree, n, 1, y[0], NULL) == TN_OK);
    CHECK(steps(&p, power, &degree, n + 1, 1, y[1], NULL) == TN_OK);
    const double exact = (pow(n + 1, k + 1) - pow(n, k + 1)) / (k + 1), off = exact - (y[1][0] - y[0][0]);
    printf("%s: %.9f, %.9f\n", name, off / factorial, constant[k - 1]);
    CHECK_NEAR(off / factorial / constant[k - 1], 1, 1e-6);
    part_free(&p);
  }
}

static double error_at(const part *p, double h) {
  static double exact[2] = {NAN, NAN};
  const part fine = {NULL, NULL, type_of("dop853"), type_of("dop853")->constants};
  double y[2] = {1, 0.3};
  if (isnan(exact[0])) {
    exact[0] = 1, exact[1] = 0.3;
    CHECK(steps(&fine, swing, NULL, 800, 0.01, exact, NULL) == TN_OK);
  }
  CHECK(steps(p, swing, NULL, (int)lround(8 / h), h, y, NULL) == TN_OK);
  return hypot(y[0] - exact[0], y[1] - exact[1]);
}

/* the slope over the last two halvings above roundoff */
static double order_of(const part *p) {
  double h[16], e[16];
  int n = 0;
  for (double step = 0.1; step > 5e-4; step /= 2, n++) {
    h[n] = step;
    if ((e[n] = error_at(p, step)) < 1e-12) break;
  }
  return n >= 3 ? ref_slope(3, h + n - 3, e + n - 3) : NAN;
}

TEST(orders) {
  static const char *const modes[] = {"am%d", "ampc%d:corrections=3", "mampc%d:corrections=2",
                                      "ampc%d:mode=pec,corrections=2", "mampc%d:mode=pec,corrections=3"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    for (int k = 1; k <= 5 - (modes[i][0] == 'm'); k++) {
      char name[64];
      snprintf(name, sizeof name, modes[i], k);
      part p = part_of(name);
      const double order = order_of(&p);
      printf("%-32s order %.2f\n", name, order);
      CHECK_NEAR(order, p.type->order, 0.3);
      part_free(&p);
    }
}

/* eq. 29 is where the corrections of mampc of one step less lead, and fixed points are those of Newton's iteration; the first correction
 * is off by (30): one order more than the error */
TEST(corrections_lead_to_the_implicit_formula) {
  for (int k = 2; k <= 6; k++) {
    char name[4][48];
    double y[4][2];
    int64_t iterations[4];
    snprintf(name[0], sizeof *name, "am%d", k + 1);
    snprintf(name[1], sizeof *name, "am%d:iteration=fixed-point", k + 1);
    snprintf(name[2], sizeof *name, "mampc%d:corrections=40", k);
    snprintf(name[3], sizeof *name, "mampc%d", k);
    for (int i = 0; i < 4; i++) {
      part p = part_of(name[i]);
      y[i][0] = 1, y[i][1] = 0.3;
      CHECK(steps(&p, swing, NULL, 40, 0.05, y[i], &iterations[i]) == TN_OK);
      part_free(&p);
    }
    for (int i = 1; i < 3; i++) CHECK(hypot(y[i][0] - y[0][0], y[i][1] - y[0][1]) < 2e-13);
    CHECK(hypot(y[3][0] - y[0][0], y[3][1] - y[0][1]) > 1e-12);
    CHECK(iterations[0] > 40 && iterations[1] > iterations[0] && iterations[2] == 0);
  }
}

/* ---- stability ------------------------------------------------------------------------------------------------------------- */

/* |y| after 2000 steps against that after 4000, per step */
static double growth(const part *p, double re, double im) {
  linear z = {re, im};
  tn_effort effort = {0};
  const tn_ode ode = {
      .self = &z, .n = 2, .effort = &effort, .begin = begin, .rates = grow, .weights = weights, .refuse = refuse};
  double y[2] = {1, 0.5}, ynew[2], size[2] = {1, 1};
  void *work = calloc(1, p->type->memory(p->self, 2));
  p->type->start(p->self, work, 2);
  for (int i = 0; i < 4000 && size[1] < 1e150 && size[1] > 1e-250; i++) {
    if (p->type->attempt(work, &ode, i, y, 1, ynew, NULL) != TN_OK) ynew[0] = INFINITY;
    memcpy(y, ynew, sizeof y);
    p->type->accept(work, y, false);
    size[1] = hypot(y[0], y[1]);
    if (i == 1999) size[0] = size[1];
  }
  free(work);
  return !(size[1] < 1e150) ? INFINITY : size[1] < 1e-250 ? 0 : pow(size[1] / size[0], 1.0 / 2000);
}

static void region_of(const part *p, tn_region *r) { CHECK(tn_stability(p->type, p->self, 0, r) == TN_OK); }

/* on the negative real axis a root leaves at -1: the limit is -rho(-1)/sigma(-1), 2 over the alternating sum of coefficients */
TEST(limits_of_the_implicit_formulas) {
  static tn_region r;
  static const double real[] = {INFINITY, INFINITY, 6, 3, 90.0 / 49, 45.0 / 38};
  for (int k = 1; k <= 9; k++) {
    char name[8];
    tn_ratio beta[TN_ADAMS_MOST];
    double sum = 0;
    snprintf(name, sizeof name, "am%d", k);
    part p = part_of(name);
    region_of(&p, &r);
    tn_adams_beta(k, false, beta);
    for (int j = 0; j < k; j++) sum += (j % 2 ? 1 : -1) * tn_ratio_value(beta[j]);
    printf("%s: real %.9g, imaginary %.6g, area %.6g\n", name, r.real, r.imaginary, r.area);
    if (k <= 2) {
      CHECK(isinf(r.real) && isinf(r.imaginary));
      CHECK(growth(&p, -50, 0) < 1 && growth(&p, 0, 30) < 1 + 1e-9);
    } else {
      CHECK_NEAR(r.real, 2 / sum, 1e-6);
      if (k <= 6) CHECK_NEAR(r.real, real[k - 1], 1e-6);
      CHECK(growth(&p, -0.98 * r.real, 0) < 1 && growth(&p, -1.02 * r.real, 0) > 1);
    }
    part_free(&p);
  }
}

/* the region is of the mode: just inside and outside on both axes, by the steps */
TEST(limits_of_the_modes) {
  static tn_region r;
  for (int kind = 0; kind < 2; kind++)
    for (int pec = 0; pec < 2; pec++)
      for (int k = 1; k <= 7; k += 3)
        for (int n = 1; n <= 3; n++) {
          char name[64];
          snprintf(name, sizeof name, "%s%d:mode=%s,corrections=%d", kind ? "mampc" : "ampc", k, pec ? "pec" : "pece",
                   n);
          part p = part_of(name);
          region_of(&p, &r);
          printf("%s: real %.6g, imaginary %.6g\n", name, r.real, r.imaginary);
          CHECK(r.real > 0.005);
          CHECK(growth(&p, -0.97 * r.real, 0) < 1 && growth(&p, -1.03 * r.real, 0) > 1);
          if (r.imaginary > 0) CHECK(growth(&p, 0, 0.97 * r.imaginary) < 1 + 1e-6);
          CHECK(growth(&p, 0, 1.1 * r.imaginary + 0.05) > 1);
          part_free(&p);
        }
}

/* corrections without end are stable where those of fixed points converge, h g |lambda| < 1, and not beyond: g = 5/12 of order three */
TEST(many_corrections_converge_up_to_one_over_g) {
  static tn_region r;
  part p = part_of("ampc3:corrections=100");
  region_of(&p, &r);
  CHECK_NEAR(r.real, 2.4, 0.1);
  part_free(&p);
  p = part_of("am3:iteration=fixed-point");
  linear in = {-1.5, 0}, out = {-2.6, 0};
  double y[2] = {1, 0};
  CHECK(steps(&p, grow, &in, 20, 1, y, NULL) == TN_OK);
  CHECK(steps(&p, grow, &out, 20, 1, y, NULL) == TN_E_RUN);
  part_free(&p);
  p = part_of("am3");
  y[0] = 1;
  CHECK(steps(&p, grow, &out, 20, 1, y, NULL) == TN_OK && hypot(y[0], y[1]) < 1);
  part_free(&p);
}

/* ---- feedback -------------------------------------------------------------------------------------------------------------- */

/* alpha = beta is the double root -alpha: its limit is that of the real axis. of a, b, c the map of a step is the largest growth at
 * the roots of s^3 + a s^2 + b s + c: here -w, -w, -w */
TEST(gains_of_feedback) {
  static const char *const names[] = {"am3",
                                      "am4",
                                      "ampc3:corrections=2",
                                      "mampc4:corrections=3",
                                      "ampc3:mode=pec,corrections=2",
                                      "mampc3:mode=pec,corrections=3"};
  static tn_region r;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    part p = part_of(names[i]);
    region_of(&p, &r);
    const tn_feedback two = {.gain = {2, 1}, .n = 2};
    CHECK_NEAR(tn_feedback_limit(p.type, p.self, &two) / r.real, 1, 1e-3);
    for (int edge = 0; edge < 2; edge++) {
      const double w = (edge ? 1.03 : 0.97) * r.real;
      const tn_feedback three = {.gain = {3 * w, 3 * w * w, w * w * w}, .n = 3}, one = {.gain = {w}, .n = 1};
      CHECK((tn_feedback_growth(p.type, p.self, &three) > 1) == (edge == 1));
      CHECK((tn_feedback_growth(p.type, p.self, &one) > 1) == (edge == 1));
    }
    part_free(&p);
  }
}

/* C, h Cdot and Z/h with gains a, b, c held over the step: growth a step, by steps of the formula itself */
static double held_by_steps(const part *p, const double *gain) {
  double b[16], c[17], C = 1, V = 0.3, Z = 0.1, of_C[16] = {0}, of_Z[16] = {0}, size[2] = {0, 0};
  const int k = p->type->formula(p->self, 0, b, c), n = p->type->corrections(p->self);
  const bool pec = p->type->keeps_predicted && p->type->keeps_predicted(p->self);
  for (int i = 0; i < 800; i++) {
    const double U = gain[0] * V + gain[1] * C + gain[2] * Z;
    if (!pec) of_C[0] = V, of_Z[0] = C;
    double C_p = C, C_next = C + c[0] * V, Z_next = Z;
    for (int j = 0; j < k; j++) {
      C_p += b[j] * of_C[j];
      C_next += c[j + 1] * of_C[j];
      Z_next += c[j + 1] * of_Z[j];
    }
    const double last = n == 1 ? C_p : C_next; /* of which the last correction is made */
    Z = Z_next + c[0] * last;
    C = C_next - U / 2;
    memmove(of_C + 1, of_C, sizeof *of_C * 15);
    memmove(of_Z + 1, of_Z, sizeof *of_Z * 15);
    of_C[0] = V;
    of_Z[0] = last;
    V -= U;
    if (i >= 150) size[i >= 600] += i < 350 || i >= 600 ? C * C + V * V + Z * Z : 0;
  }
  return pow(size[1] / size[0], 0.5 / 450);
}

TEST(gains_that_are_held) {
  static const char *const names[] = {"am2",
                                      "am4",
                                      "ampc3:corrections=2",
                                      "mampc3:corrections=3",
                                      "ampc3:mode=pec,corrections=2",
                                      "mampc2:mode=pec,corrections=3",
                                      "ampc2:mode=pec,corrections=1"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    part p = part_of(names[i]);
    const double gain[3] = {0.4, 0.15, 0.01};
    const tn_feedback g = {.gain = {gain[0], gain[1], gain[2]}, .n = 3, .held = true};
    const double map = tn_feedback_growth(p.type, p.self, &g), seen = held_by_steps(&p, gain);
    printf("%s: map %.5f, seen %.5f\n", names[i], map, seen);
    CHECK_NEAR(seen, map, 1e-3);
    part_free(&p);
  }
}

/* ---- in a model ------------------------------------------------------------------------------------------------------------ */

/* a stiff spring of 1e6 N/m on 1 kg, steps of 10 ms: h w = 10. fixed points diverge and the message says what helps */
TEST(a_run_says_why_it_ends) {
  static const char *const text = "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"bodies\": {\"bob\": "
                                  "{\"mass\": 1, \"position\": [1.1, 0], "
                                  "\"coordinates\": \"point\"}}, \"forces\": {\"s\": {\"type\": \"spring\", "
                                  "\"between\": [\"ground\", \"bob\"], \"at\": "
                                  "[[0, 0], \"bob\"], \"stiffness\": 1e6, \"damping\": 1e4, \"length\": 1}}}";
  for (int newton = 0; newton < 2; newton++) {
    tn_desc *desc = NULL;
    tn_model *m = NULL;
    tn_sim *s = NULL;
    tn_error e;
    CHECK(tn_desc_new(NULL, &desc, &e) == TN_OK && tn_desc_parse(desc, NULL, text, strlen(text), &e) == TN_OK);
    CHECK(tn_desc_part(desc, "/run/integrator", newton ? "am2:step=0.01" : "am2:step=0.01,iteration=fixed-point", &e) ==
          TN_OK);
    CHECK(tn_compile(desc, &m, &e) == TN_OK && tn_sim_new(m, &s, &e) == TN_OK);
    const tn_status status = tn_sim_advance(s, 1, &e);
    if (newton)
      CHECK(status == TN_OK);
    else
      CHECK(status == TN_E_RUN && strstr(e.message, "fixed-point") && strstr(e.message, "iteration=newton"));
    tn_sim_free(s);
    tn_model_free(m);
    tn_desc_free(desc);
  }
}
