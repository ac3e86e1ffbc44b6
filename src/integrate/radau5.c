/* radau5: collocation at the points of Radau, order 5, L-stable (Hairer & Wanner, Solving Ordinary Differential Equations II, IV.8).
 *   (1) Z_i = h sum_j a_ij f(t + c_j h, y + Z_j), i = 1..3;  y1 = y + Z_3;  c = ((4 - sqrt 6)/10, (4 + sqrt 6)/10, 1)
 *   (2) A^-1 = T L T^-1 with L = diag(G, [A -B; B A]);  V = T^-1 Z;  Newton:
 *       (G/h - J) x_1 = (T^-1 F)_1 - G/h V_1;  ((A + iB)/h - J)(x_2 + i x_3) = (T^-1 F)_2 + i (T^-1 F)_3 - (A + iB)/h (V_2 + i V_3)
 *   (3) error: (G/h - J)^-1 (f(t, y) + sum e_i Z_i/h), e = (-13 - 7 sqrt 6, -13 + 7 sqrt 6, -1)/3: falls as h^4. after a rejection
 *       once more, with f at y + that error
 * the columns of T are eigenvectors, made at the start from A. the first guess is the polynomial of the last step, prolonged. */
#include "integrate/integrate.h"

static const double ROOT6 = 2.4494897427831781;

typedef struct memory {
  int n;
  bool have_polynomial, was_rejected;
  bool candidate; /* the last attempt is not accepted: its polynomial is in z, and that of the step before in `last` */
  double t, h, h_last;
  double c[3], T[9], T_inv[9], G, A, B;
  double *y0, *f0, *z[3], *v[3], *f[3], *x[3], *last[3];
  tn_newton *newton;
} memory;

static const tn_array arrays[] = {TN_INSIDE(memory, have_polynomial, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(memory, was_rejected, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(memory, t, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(memory, h, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(memory, h_last, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_ARRAY(memory, y0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, f0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, last, .rows = TN_N, .count = 3, .kept = true),
                                  TN_ARRAY(memory, z, .rows = TN_N, .count = 3),
                                  TN_ARRAY(memory, v, .rows = TN_N, .count = 3),
                                  TN_ARRAY(memory, f, .rows = TN_N, .count = 3),
                                  TN_ARRAY(memory, x, .rows = TN_N, .count = 3),
                                  TN_ARRAY(memory, newton, .element = TN_NESTED, .nested = &tn_newton_workspace_3),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(memory), arrays};

static size_t size(const void *self, int n) { return tn_workspace_size(&workspace, self, (tn_sizes){.n = n}); }

static void invert(const double a[9], double b[9]) {
  double det = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int r = (j + 1) % 3, s = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
      b[i * 3 + j] = a[r * 3 + p] * a[s * 3 + q] - a[r * 3 + q] * a[s * 3 + p];
    }
  for (int j = 0; j < 3; j++) det += a[j] * b[j * 3];
  for (int i = 0; i < 9; i++) b[i] /= det;
}

/* T: with N = A^-1, the null vector of N - G, and u, v of (N - A - iB)(u - iv) = 0, so that N u = A u + B v, N v = A v - B u */
static void transform(memory *w) {
  const double r = ROOT6;
  const double a[9] = {(88 - 7 * r) / 360,     (296 - 169 * r) / 1800, (-2 + 3 * r) / 225,
                       (296 + 169 * r) / 1800, (88 + 7 * r) / 360,     (-2 - 3 * r) / 225,
                       (16 - r) / 36,          (16 + r) / 36,          1.0 / 9};
  double N[9];
  invert(a, N);
  const double c = cbrt(9), d = cbrt(3); /* the roots of x^3 - 9x^2 + 36x - 60 */
  w->G = 3 + c - d;
  w->A = 3 - (c - d) / 2;
  w->B = (c + d) * sqrt(3) / 2;
  w->c[0] = (4 - r) / 10;
  w->c[1] = (4 + r) / 10;
  w->c[2] = 1;
  /* the last component 1, and two rows of the equations tell the others */
  const double p = N[0] - w->G, q = N[1], s = N[3], u = N[4] - w->G, det = p * u - q * s;
  w->T[0] = (-N[2] * u + q * N[5]) / det;
  w->T[3] = (-p * N[5] + s * N[2]) / det;
  w->T[6] = 1;
  /* complex, with mu = A + iB: (N00 - mu) x + N01 y = -N02, N10 x + (N11 - mu) y = -N12; x = re + i im, T has re and -im */
  const double k0 = N[0] - w->A, k1 = N[4] - w->A, m = -w->B;
  const double dr = k0 * k1 - m * m - N[1] * N[3], di = (k0 + k1) * m, size2 = dr * dr + di * di;
  const double xr = -N[2] * k1 + N[1] * N[5], xi = -N[2] * m, yr = -k0 * N[5] + N[3] * N[2], yi = -m * N[5];
  w->T[1] = (xr * dr + xi * di) / size2;
  w->T[2] = -(xi * dr - xr * di) / size2;
  w->T[4] = (yr * dr + yi * di) / size2;
  w->T[5] = -(yi * dr - yr * di) / size2;
  w->T[7] = 1;
  w->T[8] = 0;
  invert(w->T, w->T_inv);
}

static void start(const void *self, void *work, int n) {
  memory *w = tn_workspace_start(&workspace, self, work, (tn_sizes){.n = n});
  w->n = n;
  transform(w);
}

static void multiply(int n, const double M[9], double *const *from, double *const *to) {
  for (int i = 0; i < n; i++) {
    const double a = from[0][i], b = from[1][i], c = from[2][i];
    for (int k = 0; k < 3; k++) to[k][i] = M[3 * k] * a + M[3 * k + 1] * b + M[3 * k + 2] * c;
  }
}

/* z at theta of the polynomial through 0 and z_1 .. z_3 */
static void polynomial(const memory *w, double *const *z, double theta, double l[3]) {
  (void)z;
  const double *c = w->c;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    l[i] = theta / c[i] * (theta - c[j]) / (c[i] - c[j]) * (theta - c[k]) / (c[i] - c[k]);
  }
}

static void guess(memory *w) {
  for (int k = 0; k < 3; k++) {
    double l[3];
    if (w->have_polynomial) {
      polynomial(w, w->last, 1 + w->c[k] * w->h / w->h_last, l);
      l[2] -= 1;
      tn_combine(w->n, NULL, 1, 3, l, w->last, w->z[k]);
    } else {
      memset(w->z[k], 0, sizeof(double) * (size_t)w->n);
    }
  }
  multiply(w->n, w->T_inv, w->z, w->v);
}

/* (2) */
static tn_newton_state iterate(memory *w, const tn_ode *ode, tn_status *status) {
  tn_newton *newton = w->newton;
  const int n = w->n, m = newton->m;
  const double G = w->G / w->h, A = w->A / w->h, B = w->B / w->h, size2 = A * A + B * B;
  double *stage = newton->y, *const *x = w->x;
  for (;;) {
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < n; i++) stage[i] = w->y0[i] + w->z[k][i];
      *status = ode->rates(ode->self, w->t + w->c[k] * w->h, stage, w->f[k]);
      if (*status != TN_OK) return TN_NEWTON_FAILS;
    }
    multiply(n, w->T_inv, w->f, x);
    for (int i = 0; i < n; i++) {
      x[0][i] -= G * w->v[0][i];
      x[1][i] -= A * w->v[1][i] - B * w->v[2][i];
      x[2][i] -= B * w->v[1][i] + A * w->v[2][i];
    }
    tn_lu_solve(m, newton->matrix[0], newton->pivot[0], x[0]);
    tn_lu_solve_complex(m, newton->matrix[1], newton->matrix[2], newton->pivot[1], x[1], x[2]);
    for (int i = m; i < n; i++) { /* ledgers: J is zero */
      const double re = x[1][i], im = x[2][i];
      x[0][i] /= G;
      x[1][i] = (re * A + im * B) / size2;
      x[2][i] = (im * A - re * B) / size2;
    }
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < n; i++) w->v[k][i] += x[k][i];
    multiply(n, w->T, w->v, w->z);
    multiply(n, w->T, x, w->f); /* the change of z */
    double change = 0;
    for (int k = 0; k < 3; k++) change = fmax(change, tn_newton_norm(newton, w->f[k]));
    const tn_newton_state state = tn_newton_judge(newton, ode, change);
    if (state != TN_NEWTON_GOES_ON) return state;
  }
}

static tn_newton_state solve(void *work, const tn_ode *ode, tn_status *status) {
  memory *w = work;
  tn_newton *newton = w->newton;
  *status = tn_newton_begin(newton, ode, w->t, w->y0, w->h, w->f0);
  if (*status != TN_OK) return TN_NEWTON_FAILS;
  if (!newton->factored) {
    const size_t m = (size_t)newton->m;
    tn_newton_matrix(newton, w->G / w->h, newton->matrix[0]);
    tn_newton_matrix(newton, w->A / w->h, newton->matrix[1]);
    memset(newton->matrix[2], 0, sizeof(double) * m * m);
    for (size_t i = 0; i < m; i++) newton->matrix[2][i * m + i] = w->B / w->h;
    if (!tn_lu_factor(newton->m, newton->matrix[0], newton->pivot[0]) ||
        !tn_lu_factor_complex(newton->m, newton->matrix[1], newton->matrix[2], newton->pivot[1])) {
      newton->h = 0;
      return TN_NEWTON_FAILS;
    }
  }
  guess(w);
  return iterate(w, ode, status);
}

/* (3) */
static tn_status estimate(memory *w, const tn_ode *ode, double *error) {
  const tn_newton *newton = w->newton;
  const double e[3] = {(-13 - 7 * ROOT6) / 3, (-13 + 7 * ROOT6) / 3, -1.0 / 3};
  double *sum = newton->f;
  tn_combine(w->n, NULL, 1 / w->h, 3, e, w->z, sum);
  for (int i = 0; i < w->n; i++) error[i] = i < newton->m ? w->f0[i] + sum[i] : 0;
  tn_lu_solve(newton->m, newton->matrix[0], newton->pivot[0], error);
  if (!w->was_rejected || tn_newton_norm(newton, error) <= 1) return TN_OK;
  for (int i = 0; i < w->n; i++) newton->y[i] = w->y0[i] + error[i];
  tn_status status = ode->rates(ode->self, w->t, newton->y, error);
  if (status != TN_OK) return status;
  for (int i = 0; i < w->n; i++) error[i] = i < newton->m ? error[i] + sum[i] : 0;
  tn_lu_solve(newton->m, newton->matrix[0], newton->pivot[0], error);
  return TN_OK;
}

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  memory *w = work;
  w->t = t;
  w->h = h;
  w->candidate = true;
  memcpy(w->y0, y, sizeof *y * (size_t)w->n);
  tn_status status = tn_newton_try(w->newton, ode, t, y, h, w->f0, solve, w, "radau5");
  if (status != TN_OK) return status;
  for (int i = 0; i < w->n; i++) ynew[i] = y[i] + w->z[2][i];
  return error ? estimate(w, ode, error) : TN_OK;
}

static void accept(void *work, const double *y, bool changed) {
  memory *w = work;
  (void)y, (void)changed;
  for (int k = 0; k < 3; k++) {
    double *swap = w->last[k];
    w->last[k] = w->z[k];
    w->z[k] = swap;
  }
  w->candidate = false;
  w->have_polynomial = true;
  w->was_rejected = false;
  w->h_last = w->h;
  tn_newton_accept(w->newton);
}

static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  memory *w = work;
  double *const *z = w->candidate ? w->z : w->last;
  double l[3];
  (void)ode;
  polynomial(w, z, theta, l);
  tn_combine(w->n, w->y0, 1, 3, l, z, y);
  return TN_OK;
}

static double plan(void *work, const tn_ode *ode, double err, double aim) {
  memory *w = work;
  (void)ode;
  w->was_rejected = err > 1;
  return tn_newton_plan(w->newton, w->h, err, aim, 3);
}

static void keep(void *work, tn_keep *k) {
  tn_workspace_keep(&workspace, NULL, work, (tn_sizes){.n = ((const memory *)work)->n}, k);
}

const tn_integrator_type tn_integrator_radau5 = {
    .name = "radau5",
    .doc = "Radau IIA, implicit, L-stable, order 5, for stiff mechanisms; adaptive, or fixed step",
    .example = "--integrator radau5 --rtol 1e-8",
    .source = "Hairer & Wanner 1996",
    .order = 5,
    .fixed = true,
    .adaptive = true,
    .order_estimate = 3,
    .memory = size,
    .start = start,
    .attempt = attempt,
    .accept = accept,
    .dense = dense,
    .keep = keep,
    .plan = plan,
    .aim = 16,                /* the estimate falls slower than the error: so it may be as much more */
    .aim_of_numbers = 0.6561, /* 0.9 of the length */
};
