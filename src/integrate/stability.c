/* where zdot = lambda z does not grow: the steps h = 1 of an integrator multiply z by the roots of a polynomial, that of its formula if
 * it keeps rates, else by R(lambda), which is found by making the step, so that the code itself is judged.
 *   (1) stable at lambda: all roots within 1 + tolerance, by the recursion of Schur and Cohn: p of degree k has all roots inside the
 *       unit circle if and only if |p_0| > |p_k| and so has conj(p_0) p - p_k p*, of degree k - 1, p* with its coefficients
 *       conjugated and reversed
 *       n corrections, x = z c_0, S_n = 1 + x + .. + x^{n-1}: y_{n+1} = x^n p + S_n (y_n + z sum c_{j+1} y_{n-j}); solved for y_{n+1}:
 *       (1 - x) y_{n+1} = y_n + z sum c_{j+1} y_{n-j}
 *       kept rates z w, w_{n+1} that of which y_{n+1} is made (PEC: w = p): with d_j = x^{n-1} b_j + S_{n-1} c_{j+1}, d_k = 0,
 *       w_{n+2} = (1 + z d_0 + S_n x) w_{n+1} + z sum (d_{j+1} - d_j + S_n c_{j+1}) w_{n-j}
 *   (2) limits: the first exit on the way from 0 along an axis. an axis that is left at once, by little, counts as left at 0: the
 *       place found depends on the tolerance then
 *   (3) area: cells of a grid around the part of the region at 0 */
#include <stdlib.h>

#include "integrate/integrate.h"

/* 1: weights of steps of the test equation: iterations in them end at roundoff */
static const double TEST_WEIGHT = 1e-13;
static const double STABLE = 1e-12; /* 1: growth over a step that is above 1 by no more is roundoff */
/* 1: the same: where more than this is needed the region only touches the axis */
static const double STABLE_LOOSE = 1e-8;

enum { MOST_DEGREE = 16, COARSE = 64 };

typedef struct test {
  const tn_integrator_type *type;
  const void *self;
  int k;
  double b[MOST_DEGREE], c[MOST_DEGREE + 1]; /* of its formula    */
  void *work;
  double z[2];
} test;

static tn_status begin(void *self, double t, const double *y, double h) {
  (void)self, (void)t, (void)y, (void)h;
  return TN_OK;
}

static tn_status rates(void *self, double t, const double *y, double *ydot) {
  const double *z = ((const test *)self)->z;
  (void)t;
  ydot[0] = z[0] * y[0] - z[1] * y[1];
  ydot[1] = z[0] * y[1] + z[1] * y[0];
  return TN_OK;
}

static void weights(void *self, const double *y, double *w) {
  (void)self, (void)y;
  w[0] = w[1] = TEST_WEIGHT;
}

static tn_status refuse(void *self, double t, const char *message) {
  (void)self, (void)t, (void)message;
  return TN_E_RUN;
}

/* x^n and 1 + x + .. + x^{n-1} */
static void powers(const double *x, int n, double *power, double *sum) {
  power[0] = 1;
  power[1] = sum[0] = sum[1] = 0;
  for (int i = 0; i < n; i++) {
    const double re = power[0];
    sum[0] += power[0];
    sum[1] += power[1];
    power[0] = re * x[0] - power[1] * x[1];
    power[1] = re * x[1] + power[1] * x[0];
  }
}

/* (1), w */
static int of_predicted(const test *s, int n, double (*p)[2]) {
  const double *z = s->z, x[2] = {z[0] * s->c[0], z[1] * s->c[0]};
  double power[2], less[2], sum[2], spare[2], d[MOST_DEGREE + 1][2] = {{0}};
  powers(x, n, spare, sum);
  powers(x, n - 1, power, less);
  for (int j = 0; j < s->k; j++)
    for (int i = 0; i < 2; i++) d[j][i] = power[i] * s->b[j] + less[i] * s->c[j + 1];
  p[0][0] = 1;
  p[0][1] = 0;
  for (int j = 0; j <= s->k; j++) { /* of w_{n+1-j}, without z */
    double a[2];
    for (int i = 0; i < 2; i++) a[i] = d[j][i] - (j ? d[j - 1][i] : 0) + sum[i] * s->c[j];
    p[j + 1][0] = -(j == 0) - (z[0] * a[0] - z[1] * a[1]);
    p[j + 1][1] = -(z[0] * a[1] + z[1] * a[0]);
  }
  return s->k + 1;
}

/* (1), y */
static int of_formula(const test *s, double (*p)[2]) {
  const int n = s->c[0] == 0 ? 0 : s->type->corrections ? s->type->corrections(s->self) : 1;
  const bool solved = n == 0 && s->c[0] != 0;
  const double *z = s->z, x[2] = {z[0] * s->c[0], z[1] * s->c[0]};
  double power[2], sum[2];
  if (n > 0 && s->type->keeps_predicted && s->type->keeps_predicted(s->self)) return of_predicted(s, n, p);
  powers(x, n, power, sum);
  p[0][0] = solved ? 1 - x[0] : 1;
  p[0][1] = solved ? -x[1] : 0;
  for (int j = 0; j < s->k; j++) {
    const double first = j == 0, of_p[2] = {first + z[0] * s->b[j], z[1] * s->b[j]},
                 of_c[2] = {first + z[0] * s->c[j + 1], z[1] * s->c[j + 1]};
    if (solved) {
      p[j + 1][0] = -of_c[0], p[j + 1][1] = -of_c[1];
      continue;
    }
    p[j + 1][0] = -(power[0] * of_p[0] - power[1] * of_p[1] + sum[0] * of_c[0] - sum[1] * of_c[1]);
    p[j + 1][1] = -(power[0] * of_p[1] + power[1] * of_p[0] + sum[0] * of_c[1] + sum[1] * of_c[0]);
  }
  return s->k;
}

/* p_0 .. p_k and k; 0: there is no such step */
static int characteristic(test *s, double re, double im, double (*p)[2]) {
  s->z[0] = re;
  s->z[1] = im;
  if (s->type->formula) return of_formula(s, p);
  tn_effort effort = {0};
  const tn_ode ode = {
      .self = s, .n = 2, .effort = &effort, .begin = begin, .rates = rates, .weights = weights, .refuse = refuse};
  const double y[2] = {1, 0};
  double ynew[2];
  s->type->start(s->self, s->work, 2);
  if (s->type->attempt(s->work, &ode, 0, y, 1, ynew, NULL) != TN_OK) return 0;
  p[0][0] = 1;
  p[0][1] = 0;
  p[1][0] = -ynew[0];
  p[1][1] = -ynew[1];
  return 1;
}

/* (1) */
static bool stable(test *s, double re, double im, double tolerance) {
  double p[MOST_DEGREE + 1][2], r[MOST_DEGREE + 1][2], scale = 1;
  int k = characteristic(s, re, im, p);
  if (!k) return false;
  for (int j = k; j >= 0; j--, scale *= 1 + tolerance) p[j][0] *= scale, p[j][1] *= scale;
  for (; k > 0; k--) {
    const double *a = p[0], *b = p[k];
    if (!(hypot(a[0], a[1]) > hypot(b[0], b[1]))) return false;
    double most = 0;
    for (int j = 0; j < k; j++) {
      const double *c = p[j], *d = p[k - j];
      r[j][0] = a[0] * c[0] + a[1] * c[1] - (b[0] * d[0] + b[1] * d[1]);
      r[j][1] = a[0] * c[1] - a[1] * c[0] - (b[1] * d[0] - b[0] * d[1]);
      most = fmax(most, fmax(fabs(r[j][0]), fabs(r[j][1])));
    }
    for (int j = 0; j < k; j++) p[j][0] = r[j][0] / most, p[j][1] = r[j][1] / most;
  }
  return true;
}

/* (2) along (re, im) */
static double exit_along(test *s, double re, double im, double tolerance) {
  double in = 0, out = 0;
  for (double x = 1.0 / 512; out == 0; x += fmax(1.0 / 512, x / 64)) {
    if (x > 1e8) return INFINITY;
    if (stable(s, x * re, x * im, tolerance))
      in = x;
    else
      out = x;
  }
  for (int i = 0; i < 60; i++) {
    const double x = (in + out) / 2;
    if (stable(s, x * re, x * im, tolerance))
      in = x;
    else
      out = x;
  }
  return in;
}

static double limit(test *s, double re, double im) {
  const double loose = exit_along(s, re, im, STABLE_LOOSE), tight = exit_along(s, re, im, STABLE);
  return tight < 0.8 * loose ? 0 : tight;
}

/* (3): a window that the part at 0 does not leave */
static bool window(test *s, tn_region *r) {
  for (double size = 0.05; size < 100; size *= 1.5) {
    const double d = size / COARSE;
    bool leaves = false;
    r->left = r->right = r->top = 0;
    for (int i = -COARSE; i <= COARSE; i++)
      for (int j = 0; j <= COARSE; j++) {
        if (!stable(s, i * d, (j + 0.5) * d, STABLE)) continue;
        leaves = leaves || i == -COARSE || i == COARSE || j == COARSE;
        r->left = fmin(r->left, (i - 2) * d);
        r->right = fmax(r->right, (i + 2) * d);
        r->top = fmax(r->top, (j + 3) * d);
      }
    if (!leaves && r->top > 0) return true;
  }
  return false;
}

static tn_status begin_test(test *s, const tn_integrator_type *type, const void *self, int order) {
  *s = (test){.type = type, .self = self};
  if (type->formula) s->k = type->formula(self, order, s->b, s->c);
  s->work = calloc(1, type->memory(self, 2) + 1);
  return s->work ? TN_OK : TN_E_MEMORY;
}

tn_status tn_stability_at(const tn_integrator_type *type, const void *self, int order, double d, int first, int columns,
                          int rows, bool *is_stable) {
  test s;
  if (begin_test(&s, type, self, order) != TN_OK) return TN_E_MEMORY;
  for (int i = 0; i < columns; i++)
    for (int j = 0; j < rows; j++) is_stable[i * rows + j] = stable(&s, (first + i + 0.5) * d, (j + 0.5) * d, STABLE);
  free(s.work);
  return TN_OK;
}

tn_status tn_stability(const tn_integrator_type *type, const void *self, int order, tn_region *r) {
  test s;
  if (begin_test(&s, type, self, order) != TN_OK) return TN_E_MEMORY;
  r->real = limit(&s, -1, 0);
  r->imaginary = limit(&s, 0, 1);
  r->area = INFINITY;
  if (isfinite(r->real) && window(&s, r)) {
    const double dx = (r->right - r->left) / TN_REGION_COLUMNS, dy = r->top / TN_REGION_ROWS;
    int cells = 0;
    for (int i = 0; i < TN_REGION_COLUMNS; i++)
      for (int j = 0; j < TN_REGION_ROWS; j++) {
        r->stable[i][j] = stable(&s, r->left + (i + 0.5) * dx, (j + 0.5) * dy, STABLE);
        cells += r->stable[i][j];
      }
    r->area = 2 * cells * dx * dy;
  }
  free(s.work);
  return TN_OK;
}
