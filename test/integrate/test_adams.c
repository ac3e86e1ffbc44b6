/* the formulas of Adams: their coefficients in exact rational numbers, Wu, Chiou & Lin 2000 (Theorem 1, appendix, Tables 2 and 3,
 * thresholds), and the code against them. test/data/wu_coefficients.json was made by others, with rational numbers of any size. */
#include "integrate/integrate.h"
#include "read/read.h"
#include "support/reference.h"

#include "test.h"

static tn_ratio parsed(const char *text) {
  tn_ratio r = tn_ratio_of(0, 1);
  if (!tn_ratio_read(text, &r)) FAIL("'%s' is not read", text);
  return r;
}

static tn_ratio at(const tn_node *list, int i) {
  const tn_node *n = list->first;
  while (i--) n = n->next;
  return parsed(n->text);
}

static tn_ratio of(const tn_node *object, int step) {
  char key[16];
  snprintf(key, sizeof key, "%d", step);
  return parsed(tn_node_get(object, key)->text);
}

static tn_desc *coefficients(void) {
  tn_error e;
  tn_desc *d = NULL;
  if (tn_desc_new(NULL, &d, &e) != TN_OK ||
      tn_desc_read(d, TN_SOURCE_DIR "/test/data/wu_coefficients.json", &e) != TN_OK)
    FAIL("%s", e.message);
  return d;
}

/* Table 1, for m = 0 .. 20 */
TEST(coefficients_of_differences) {
  tn_desc *d = coefficients();
  tn_ratio gamma[TN_ADAMS_MOST];
  for (int star = 0; star < 2; star++) {
    const tn_node *list = tn_node_get(d->root, star ? "gamma_star" : "gamma");
    tn_adams_gamma(20, !star, gamma);
    for (int m = 0; m <= 20; m++) CHECK(tn_ratio_same(gamma[m], at(list, m)));
  }
  tn_desc_free(d);
}

/* Theorem 1 and the appendix A1 to A7: the weighted mean of Adams-Bashforth of m steps and Adams-Moulton of m - 1 is Adams-Moulton
 * of m steps; m = 1 .. 20 */
TEST(modified_formula_is_the_next_corrector) {
  tn_desc *d = coefficients();
  const tn_node *n = tn_node_get(d->root, "methods")->first;
  for (int m = 1; m <= 20; m++, n = n ? n->next : NULL) {
    tn_ratio b[TN_ADAMS_MOST + 1], c[TN_ADAMS_MOST + 1], next[TN_ADAMS_MOST + 1];
    tn_adams_beta(m, true, b);
    tn_adams_beta(m, false, c);
    tn_adams_beta(m + 1, false, next);
    /* only one of the two has f_{n+1}: its weight is next[0]/c[0]. with x = f_{n+1-j}: c_0 next = (c_0 - next_0) b + next_0 c */
    const tn_ratio none = tn_ratio_of(0, 1), w = tn_ratio_sum(c[0], tn_ratio_minus(next[0]));
    for (int j = 0; j <= m; j++)
      CHECK(
          tn_ratio_same(tn_ratio_product(c[0], next[j]), tn_ratio_sum(tn_ratio_product(w, j > 0 ? b[j - 1] : none),
                                                                      tn_ratio_product(next[0], j < m ? c[j] : none))));
    CHECK(n || m > 7);
    if (!n) continue;
    const tn_node *ab = tn_node_get(n, "AB"), *less = tn_node_get(n, "AM_m_minus_1"), *more = tn_node_get(n, "AM_m");
    const tn_ratio rest = tn_ratio_product(next[0], tn_ratio_inverse(c[0]));
    CHECK(tn_ratio_same(tn_ratio_sum(tn_ratio_of(1, 1), tn_ratio_minus(rest)),
                        parsed(tn_node_get(n, "weight_AB")->text)) &&
          tn_ratio_same(rest, parsed(tn_node_get(n, "weight_AM")->text)));
    for (int j = 0; j < m; j++) CHECK(tn_ratio_same(b[j], of(ab, -j)) && tn_ratio_same(c[j], of(less, 1 - j)));
    for (int j = 0; j <= m; j++) CHECK(tn_ratio_same(next[j], of(more, 1 - j)));
  }
  tn_desc_free(d);
}

/* ---- the code against the coefficients ------------------------------------------------------------------------------------ */

typedef struct numbers {
  double t[64], f[64];
  int n;
} numbers;

static tn_status no_begin(void *self, double t, const double *y, double h) {
  (void)self, (void)t, (void)y, (void)h;
  return TN_OK;
}

/* a rate that depends on t alone, and is remembered */
static tn_status rate(void *self, double t, const double *y, double *ydot) {
  numbers *s = self;
  (void)y;
  ydot[0] = cos(3 * t) + t * t;
  s->t[s->n % 64] = t;
  s->f[s->n++ % 64] = ydot[0];
  return TN_OK;
}

static void tight(void *self, const double *y, double *w) {
  (void)self, (void)y;
  w[0] = 1e-15;
}

/* with steps of one length every step is the formula, to roundoff; an implicit one to that of its iteration */
TEST(steps_are_the_formulas) {
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *type = tn_integrator_types[i];
    if (!type->formula || type->orders) continue;
    numbers s = {.n = 0};
    tn_effort effort = {0};
    const tn_ode ode = {.self = &s, .n = 1, .effort = &effort, .begin = no_begin, .rates = rate, .weights = tight};
    const double close = type->corrections && type->corrections(type->constants) == 0 ? 2e-15 : 1e-16;
    double b[16], c[17], y = 0, ynew, h = 0.01, f[16] = {0};
    const int k = type->formula(type->constants, 0, b, c);
    void *work = calloc(1, type->memory(type->constants, 1));
    type->start(type->constants, work, 1);
    for (int n = 0; n < 30; n++) {
      const double t = n * h;
      CHECK(type->attempt(work, &ode, t, &y, h, &ynew, NULL) == TN_OK);
      memmove(f + 1, f, sizeof *f * 15);
      f[0] = cos(3 * t) + t * t;
      double sum = 0;
      for (int j = 0; j < k; j++) sum += h * (c[0] != 0 ? c[j + 1] : b[j]) * f[j];
      if (c[0] != 0) sum += h * c[0] * (cos(3 * (t + h)) + (t + h) * (t + h));
      if (n >= k) CHECK_NEAR(ynew - y, sum, close);
      y = ynew;
      type->accept(work, &y, false);
    }
    free(work);
  }
}

/* steps of any lengths: a rate that is a polynomial of the formula's degree is integrated exactly */
static tn_status power(void *self, double t, const double *y, double *ydot) {
  (void)y;
  ydot[0] = pow(t, *(const int *)self);
  return TN_OK;
}

TEST(steps_of_any_length_are_exact_for_polynomials) {
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *type = tn_integrator_types[i];
    if (!type->formula || type->orders) continue;
    int degree = type->order - 1;
    tn_effort effort = {0};
    const tn_ode ode = {
        .self = &degree, .n = 1, .effort = &effort, .begin = no_begin, .rates = power, .weights = tight};
    double y = 0, ynew, t = 0, inside;
    void *work = calloc(1, type->memory(type->constants, 1));
    type->start(type->constants, work, 1);
    for (int n = 0; n < 40; n++) {
      const double h = 0.03 * (1 + 0.6 * sin(7.0 * n));
      CHECK(type->attempt(work, &ode, t, &y, 0.7 * h, &ynew, NULL) == TN_OK); /* one that does not stand */
      CHECK(type->attempt(work, &ode, t, &y, h, &ynew, NULL) == TN_OK);
      t += h;
      y = ynew;
      CHECK_NEAR(y, pow(t, degree + 1) / (degree + 1), 1e-13);
      type->accept(work, &y, false);
      CHECK(type->dense(work, &ode, 0.3, &inside) == TN_OK);
      CHECK_NEAR(inside, pow(t - 0.7 * h, degree + 1) / (degree + 1), 1e-13);
    }
    free(work);
  }
}

/* ---- Wu's crank-slider ------------------------------------------------------------------------------------------------------ */

/* mean and largest |Phi| over all steps of ten seconds; false: it overflows */
static bool drift(const char *integrator, double h, double gain, double *mean, double *most) {
  char json[96], stabilize[96];
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  tn_eval e;
  ref_step(json, integrator, h);
  snprintf(stabilize, sizeof stabilize,
           "{\"type\": \"baumgarte\", \"alpha\": %g, \"beta\": %g, \"feedback\": \"staged\"}", gain, gain);
  const ref_change changes[] = {{"/run/integrator", json},
                                {"/run/stabilize", stabilize},
                                {"/run/contract", "{\"breach\": \"record\"}"},
                                {NULL, NULL}};
  bool ok = ref_desc("wu_crank_slider", changes, &desc) && ref_compile(desc, &m) && tn_sim_new(m, &s, NULL) == TN_OK;
  const long steps = lround(10 / h);
  *mean = *most = 0;
  for (long k = 1; ok && k <= steps; k++) {
    ok = tn_sim_advance(s, (double)k * h, NULL) == TN_OK && tn_sim_eval(s, &e, NULL) == TN_OK;
    if (!ok) break;
    const double size = sqrt(e.C[0] * e.C[0] + e.C[1] * e.C[1] + e.C[2] * e.C[2]);
    *mean += size / (double)(steps + 1); /* with the start, where it is 0 */
    *most = fmax(*most, size);
    if (size > 1) ok = false;
  }
  tn_sim_free(s);
  tn_model_free(m);
  tn_desc_free(desc);
  return ok;
}

/* Table 3, alpha = beta = 5: as the paper prints it, and as it was measured with g = 9.81 by others */
TEST_FULL(wu_table_3) {
  static const struct {
    const char *integrator;
    double h, printed, measured;
  } row[] = {{"ampc3", 0.01, 4.65e-6, 4.676061287373438e-06},
             {"ampc3", 0.001, 4.14e-9, 4.154700454938023e-09},
             {"mampc3", 0.01, 9.8e-7, 9.86513371970804e-07},
             {"mampc3", 0.001, 9.6e-11, 9.72527873145982e-11}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double mean, most;
    CHECK(drift(row[i].integrator, row[i].h, 5, &mean, &most));
    printf("%s h %g: mean |Phi| %.4g, printed %.3g, measured by others %.5g\n", row[i].integrator, row[i].h, mean,
           row[i].printed, row[i].measured);
    CHECK_NEAR(mean / row[i].printed, 1, 0.02);
    CHECK_NEAR(mean / row[i].measured, 1, 1e-3);
  }
}

/* Fig. 7: the last gain that is stable over ten seconds at h = 0.01, and the first that is not */
TEST(wu_thresholds) {
  static const struct {
    const char *integrator;
    double stable, unstable, most;
  } row[] = {{"ampc3", 167, 168, 1e-2}, {"mampc3", 188, 190, 1e-2}, {"ampc4", 124, 125, 1}, {"mampc4", 138, 139, 1}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double mean, most;
    const bool stays = drift(row[i].integrator, 0.01, row[i].stable, &mean, &most);
    printf("%s: %g has |Phi| up to %.2g", row[i].integrator, row[i].stable, most);
    CHECK(stays && most < row[i].most);
    const bool goes = !drift(row[i].integrator, 0.01, row[i].unstable, &mean, &most) || most > row[i].most;
    printf(", %g up to %.2g\n", row[i].unstable, most);
    CHECK(goes);
  }
}
