/* what feedback does to a violation that nothing else adds to, and how far its gains are stable. with z = (C, h Cdot, Z/h), Zdot = C:
 *   (1) U h^2 = a h Cdot + b C + c Z/h:   z' = B z,  B = [0 1 0; -b -a -c; 1 0 0] over a step of length 1; without c or b: fewer
 *   (2) staged: one step of the integrator on (1) is a linear map, found by making it; a formula that keeps rates: the matrix of
 *       y_i = y_n + B (c_0 y_{i-1} + sum c_{j+1} y_{n-j}), y_0 = p = y_n + B sum b_j y_{n-j}, y_{n+1} the last of them, or solved for. its
 *       spectral radius is the growth a step, which is the largest |R(h s)| at the roots s of s^3 + a s^2 + b s + c. rates kept at
 *       predicted states: with w_{n+2} of stability.c
 *   (3) held: the step on (C, h Cdot, Z/h, w) with w = -U h^2 as it is where the step begins, and wdot = 0
 *   (4) held, rates of earlier steps are kept, without feedback: as (2) of held.c, and Z/h' by the same formula from C; at
 *       predicted states, of which C(p_{n+1}) = C_n + sum b_j Cdot(p_{n-j}), Cdot(p_{n+1}) = Cdot_n. from the second correction on
 *       C is what the corrector makes of it
 *   (5) limit: the largest x so that x a, x^2 b, x^3 c are stable, and all below: what x times the step does to gains in 1/s */
#include <stdlib.h>

#include "stabilize/stabilize.h"

/* 1: weights of the steps that are asked for their map: iterations in them end at roundoff */
static const double PROBE_WEIGHT = 1e-13;

enum { MOST = 4, RATES = 16, LARGEST = 48 };
static const double LIMIT_MOST = 1e4;

typedef struct linear {
  int n;
  const double *B;
} linear;

static tn_status begin(void *self, double t, const double *y, double h) {
  (void)self, (void)t, (void)y, (void)h;
  return TN_OK;
}

static tn_status rates(void *self, double t, const double *y, double *ydot) {
  const linear *s = self;
  (void)t;
  for (int i = 0; i < s->n; i++) {
    ydot[i] = 0;
    for (int j = 0; j < s->n; j++) ydot[i] += s->B[i * s->n + j] * y[j];
  }
  return TN_OK;
}

static void weights(void *self, const double *y, double *w) {
  (void)y;
  for (int i = 0; i < ((const linear *)self)->n; i++) w[i] = PROBE_WEIGHT;
}

static tn_status refuse(void *self, double t, const char *message) {
  (void)self, (void)t, (void)message;
  return TN_E_RUN;
}

/* S: a step of length 1 on y' = B y. false: it cannot be made */
static bool step_map(const tn_integrator_type *type, const void *self, int n, const double *B, double *S) {
  linear s = {n, B};
  tn_effort effort = {0};
  const tn_ode ode = {
      .self = &s, .n = n, .effort = &effort, .begin = begin, .rates = rates, .weights = weights, .refuse = refuse};
  void *work = calloc(1, type->memory(self, n) + 1);
  bool good = work != NULL;
  for (int j = 0; good && j < n; j++) {
    double y[MOST] = {0}, ynew[MOST] = {0};
    y[j] = 1;
    type->start(self, work, n);
    good = type->attempt(work, &ode, 0, y, 1, ynew, NULL) == TN_OK;
    for (int i = 0; i < n; i++) S[i * n + j] = ynew[i];
  }
  free(work);
  return good;
}

/* X <- T + G X, n x n */
static void times_and_add(int n, const double *G, const double *T, double *X) {
  double Y[MOST * MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Y[i * n + j] = T[i * n + j];
      for (int l = 0; l < n; l++) Y[i * n + j] += G[i * n + l] * X[l * n + j];
    }
  memcpy(X, Y, sizeof *X * (size_t)(n * n));
}

/* (1 - G) X = T; false: singular */
static bool solve_for(int n, const double *G, const double *T, double *X) {
  double A[MOST * MOST], x[MOST];
  int pivot[MOST];
  for (int i = 0; i < n * n; i++) A[i] = (i % (n + 1) == 0) - G[i];
  if (!tn_lu_factor(n, A, pivot)) return false;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) x[i] = T[i * n + j];
    tn_lu_solve(n, A, pivot, x);
    for (int i = 0; i < n; i++) X[i * n + j] = x[i];
  }
  return true;
}

/* delta + c B, or c B */
static void scaled(int n, bool delta, double c, const double *B, double *X) {
  for (int i = 0; i < n * n; i++) X[i] = (delta && i % (n + 1) == 0) + c * B[i];
}

/* (2): of a formula with k rates */
static double staged_formula(int k, const double *b, const double *c, int corrections, int n, const double *B) {
  double A[LARGEST * LARGEST] = {0}, G[MOST * MOST], T[MOST * MOST], X[MOST * MOST];
  const int size = n * k;
  scaled(n, false, c[0], B, G);
  for (int m = 0; m < k; m++) {
    scaled(n, m == 0, b[m], B, X);
    scaled(n, m == 0, c[m + 1], B, T);
    if (c[0] != 0 && corrections == 0 && !solve_for(n, G, T, X)) return INFINITY;
    for (int pass = 0; c[0] != 0 && pass < corrections; pass++) times_and_add(n, G, T, X);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i * size + m * n + j] = X[i * n + j];
  }
  for (int i = n; i < size; i++) A[i * size + i - n] = 1;
  return tn_spectral_radius(size, A);
}

/* (2), rates of w */
static double staged_predicted(int k, const double *b, const double *c, int corrections, int n, const double *B) {
  double A[LARGEST * LARGEST] = {0}, G[MOST * MOST], one[MOST * MOST], none[MOST * MOST] = {0};
  double D[RATES + 1][MOST * MOST] = {{0}}, S[MOST * MOST] = {0}, T[MOST * MOST];
  const int size = n * (k + 1);
  scaled(n, false, c[0], B, G);
  scaled(n, true, 0, B, one);
  for (int i = 0; i < corrections; i++) times_and_add(n, G, one, S);
  for (int j = 0; j < k; j++) {
    scaled(n, false, c[j + 1], one, T);
    scaled(n, false, b[j], one, D[j]);
    for (int pass = 1; pass < corrections; pass++) times_and_add(n, G, T, D[j]);
  }
  for (int m = 0; m <= k; m++) {
    double X[MOST * MOST];
    for (int i = 0; i < n * n; i++) X[i] = D[m][i] - (m ? D[m - 1][i] : 0) + c[m] * S[i];
    times_and_add(n, B, none, X);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i * size + m * n + j] = (m == 0 && i == j) + X[i * n + j];
  }
  for (int i = n; i < size; i++) A[i * size + i - n] = 1;
  return tn_spectral_radius(size, A);
}

/* (4): Z/h, then C and h Cdot of n, n-1 .. */
static double held_formula(int k, const double *b, const double *c, int corrections, const double *gain) {
  double A[LARGEST * LARGEST] = {0};
  const int n = 1 + 2 * k, C = 1, V = 1 + k;
  const bool corrects = c[0] != 0;
  double *Z1 = A, *C1 = A + C * n, *V1 = A + V * n;
  Z1[0] = C1[C] = V1[V] = 1;
  for (int j = 0; j < k; j++) {
    Z1[C + j] += corrects ? c[j + 1] + (j == 0 ? c[0] : 0) : b[j];
    Z1[V + j] += corrects ? c[0] * (corrections == 1 ? b[j] : c[j + 1] + (j == 0 ? c[0] : 0)) : 0;
    C1[V + j] += corrects ? c[j + 1] + (j == 0 ? c[0] : 0) : b[j];
  }
  const double U[3] = {gain[2], gain[1], gain[0]};
  const int at[3] = {0, C, V};
  for (int i = 0; i < 3; i++) C1[at[i]] -= U[i] / 2, V1[at[i]] -= U[i];
  for (int j = 1; j < k; j++) A[(C + j) * n + C + j - 1] = A[(V + j) * n + V + j - 1] = 1;
  return tn_spectral_radius(n, A);
}

/* (4), rates of p */
static double held_predicted(int k, const double *b, const double *c, int corrections, const double *gain) {
  double A[LARGEST * LARGEST] = {0};
  const int n = 3 * k + 3, C = 1, V = k + 2; /* C of n .. n-k, h Cdot of n .. n-2k */
  double *Z1 = A, *C1 = A + C * n, *V1 = A + V * n;
  Z1[0] = C1[C] = V1[V] = 1;
  for (int j = 0; j <= k; j++) {
    Z1[C + j] += c[j];
    C1[V + j] += c[j];
    Z1[V + j] += corrections > 1 ? c[j] * c[0] : 0;
    for (int i = 0; i < k; i++) Z1[V + j + 1 + i] += c[j] * (corrections > 1 ? c[i + 1] : b[i]);
  }
  const double U[3] = {gain[2], gain[1], gain[0]};
  const int at[3] = {0, C, V};
  for (int i = 0; i < 3; i++) C1[at[i]] -= U[i] / 2, V1[at[i]] -= U[i];
  for (int j = C + 1; j < n; j++)
    if (j != V) A[j * n + j - 1] = 1;
  return tn_spectral_radius(n, A);
}

/* (3) */
static double held_step(const tn_integrator_type *type, const void *self, const double *gain) {
  static const double B[16] = {0, 1, 0, 0, 0, 0, 0, 1, 1};
  double S[16], A[9];
  if (!step_map(type, self, 4, B, S)) return NAN;
  const double U[3] = {gain[1], gain[0], gain[2]};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A[i * 3 + j] = S[i * 4 + j] - S[i * 4 + 3] * U[j];
  return tn_spectral_radius(3, A);
}

/* gains whose powers are no numbers let violations grow beyond all bounds */
static double or_endless(double growth) { return isnan(growth) ? INFINITY : growth; }

double tn_feedback_growth(const tn_integrator_type *type, const void *self, const tn_feedback *g) {
  const double *k = g->gain;
  const double B1[1] = {-k[0]}, B2[4] = {0, 1, -k[1], -k[0]}, B3[9] = {0, 1, 0, -k[1], -k[0], -k[2], 1, 0, 0};
  const double *B = g->n == 1 ? B1 : g->n == 2 ? B2 : B3;
  if (!type->attempt) return NAN;
  if (g->held && g->n == 1) return fabs(1 - k[0]);
  if (g->held && g->n == 2) return or_endless(tn_held_growth(type, self, k[0], k[1]));
  if (!type->formula) {
    double S[9];
    if (g->held) return held_step(type, self, k);
    return step_map(type, self, g->n, B, S) ? or_endless(tn_spectral_radius(g->n, S)) : NAN;
  }
  double worst = 0;
  for (int order = type->orders ? 1 : 0; order <= type->orders; order++) {
    double b[RATES], c[RATES + 1];
    const int n = type->formula(self, order, b, c);
    const bool predicted = type->keeps_predicted && type->keeps_predicted(self);
    const int times = type->corrections ? type->corrections(self) : 1;
    const double growth = predicted
                              ? g->held ? held_predicted(n, b, c, times, k) : staged_predicted(n, b, c, times, g->n, B)
                          : g->held ? held_formula(n, b, c, times, k)
                                    : staged_formula(n, b, c, times, g->n, B);
    worst = fmax(worst, or_endless(growth));
  }
  return worst;
}

bool tn_feedback_stable(double growth) { return isnan(growth) || growth <= 1 + TN_GROWTH_EDGE; }

static bool stable_at(const tn_integrator_type *type, const void *self, const tn_feedback *g, double x) {
  const tn_feedback scaled = {
      .n = g->n, .held = g->held, .gain = {x * g->gain[0], x * x * g->gain[1], x * x * x * g->gain[2]}};
  return tn_feedback_stable(tn_feedback_growth(type, self, &scaled));
}

double tn_feedback_limit(const tn_integrator_type *type, const void *self, const tn_feedback *g) {
  const double *k = g->gain, size = fmax(fabs(k[0]), fmax(sqrt(fabs(k[1])), cbrt(fabs(k[2]))));
  double in = 0, out = 0;
  if (!(size > 0)) return INFINITY;
  for (double x = 1.0 / 32; out == 0; x *= 1.0625) {
    if (x > LIMIT_MOST) return INFINITY;
    if (stable_at(type, self, g, x / size))
      in = x;
    else
      out = x;
  }
  for (int i = 0; i < 40 && in > 0; i++) {
    const double x = (in + out) / 2;
    if (stable_at(type, self, g, x / size))
      in = x;
    else
      out = x;
  }
  return in / size;
}

void tn_feedback_text(const tn_integrator_type *type, const void *self, const tn_feedback *g, double h, bool growth,
                      char *text, size_t size) {
  const double x = tn_feedback_limit(type, self, g), *k = g->gain;
  size_t used = 0;
  if (growth)
    used = (size_t)tn_format(text, size, "a violation is multiplied by %.4g a step, in the long run; ",
                             tn_feedback_growth(type, self, g));
  if (used >= size) return;
  text += used, size -= used;
  if (isinf(x))
    tn_format(text, size, "stable at any step");
  else if (!(x > 0))
    tn_format(text, size, "stable at no step");
  else if (h > 0)
    tn_format(text, size, "stable to a step of %.4g s", x * h);
  else if (g->n == 3)
    tn_format(text, size, "stable to a = %.4g, b = %.4g, c = %.4g in this ratio", x * k[0], x * x * k[1],
              x * x * x * k[2]);
  else
    tn_format(text, size, "stable to a = %.4g, b = %.4g in this ratio", x * k[0], x * x * k[1]);
}
