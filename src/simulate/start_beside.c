/* start values where no matrices are formed: the rows of joints by blocks or reflections, those of the values t_i beside them.
 *   (1) K (x_0, .) = (0, r),  K (x_i, .) = (t_i', 0),  S_ij = t_i x_j
 *   (2) S mu = r_t - t x_0,  x = x_0 + sum mu_i x_i
 * the smallest change, as with matrices; S is symmetric and positive, but for values that joints or other values decide: these are left
 * out, and what they say is seen to hold or not by those who ask. guesses alone: x_0 = 0 and x_i = t_i' */
#include "simulate/simulate.h"

static const double DEPENDENT = 1e-10; /* of its square: a value that others decide */

static tn_status not_finite(tn_sim *s) {
  return tn_fail(s->e, TN_E_MODEL, "the start cannot be assembled: a correction is not a finite number");
}

/* (1) of the joints */
static tn_status closed(tn_sim *s, bool rate, double *x) {
  tn_system *sys = &s->solver.sys;
  double unused;
  if (s->start.rows.reflected) {
    tn_reflected *by = &s->singular.look;
    if (tn_reflected_factor(by, sys) < 0) return tn_fail(s->e, TN_E_MODEL, "the mass matrix is singular");
    return tn_reflected_solve(by, sys, false, s->start.rows.r, x, s->start.rows.lambda, &unused) ? TN_OK
                                                                                                 : not_finite(s);
  }
  TN_TRY(tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e));
  return tn_solver_correct(&s->solver, TN_METRIC_MASS, rate ? TN_OF_VELOCITY : TN_OF_POSITION, s->start.rows.r, x,
                           s->e);
}

/* (1) of the values */
static tn_status effects(tn_sim *s, bool constraints, int first, int n) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  const size_t nu = (size_t)m->nu;
  tn_status status = TN_OK;
  if (!constraints) {
    memcpy(s->start.rows.X, s->start.rows.A, sizeof *s->start.rows.X * (size_t)n * nu);
    return TN_OK;
  }
  for (int i = 0; i < n && s->start.rows.reflected; i++)
    if (!tn_reflected_push(&s->singular.look, sys, s->start.rows.A + (size_t)i * nu, s->start.rows.X + (size_t)i * nu,
                           s->start.rows.lambda))
      return not_finite(s);
  if (s->start.rows.reflected) return TN_OK;
  tn_need(sys, TN_LEVEL_GENERALIZED); /* before anything acts alone */
  for (int i = 0; i < n && status == TN_OK; i++) {
    memset(s->start.rows.push, 0, sizeof *s->start.rows.push * (size_t)(m->bodies * m->twist));
    tn_measure_push(sys, &m->target[s->start.rows.of[first + i]].of, 1, s->start.rows.push);
    sys->given.push = s->start.rows.push;
    status = tn_solver_solve_exactly(&s->solver, s->start.rows.A + (size_t)i * nu, s->start.rows.zero,
                                     s->start.rows.X + (size_t)i * nu, s->start.rows.lambda, s->e);
    sys->given.push = NULL;
  }
  return status;
}

/* (2): S = L L', row by row; mu in place of r */
static void combine(const tn_sim *s, int n, double *r) {
  const int nu = s->m->nu;
  double *S = s->start.rows.S;
  for (int i = 0; i < n; i++) {
    const double *t = s->start.rows.A + (size_t)i * (size_t)nu,
                 whole = tn_dot(nu, t, s->start.rows.X + (size_t)i * (size_t)nu);
    r[i] -= tn_dot(nu, t, s->start.rows.x);
    for (int j = 0; j <= i; j++) {
      double sum = j < i ? tn_dot(nu, t, s->start.rows.X + (size_t)j * (size_t)nu) : whole;
      for (int k = 0; k < j; k++) sum -= S[i * n + k] * S[j * n + k];
      if (j < i)
        S[i * n + j] = S[j * n + j] > 0 ? sum / S[j * n + j] : 0;
      else
        S[i * n + i] = sum > DEPENDENT * whole ? sqrt(sum) : 0;
    }
    for (int k = 0; k < i; k++) r[i] -= S[i * n + k] * r[k];
    r[i] = S[i * n + i] > 0 ? r[i] / S[i * n + i] : 0;
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) r[i] -= S[k * n + i] * r[k];
    r[i] = S[i * n + i] > 0 ? r[i] / S[i * n + i] : 0;
  }
}

tn_status tn_start_solve_beside(tn_sim *s, bool constraints, bool rate, int n) {
  const int nu = s->m->nu, first = constraints ? s->m->rows : 0;
  double *x = s->start.rows.x, *mu = s->start.rows.r + first;
  tn_status status = TN_OK;
  memset(x, 0, sizeof *x * (size_t)nu);
  if (constraints) status = closed(s, rate, x);
  if (status == TN_OK) status = effects(s, constraints, first, n - first);
  if (status != TN_OK) return status;
  combine(s, n - first, mu);
  for (int i = 0; i < n - first; i++)
    for (int k = 0; k < nu; k++) x[k] += mu[i] * s->start.rows.X[(size_t)i * (size_t)nu + (size_t)k];
  return TN_OK;
}
