/* the length of a first step: where a run begins, and where an event or a switch makes integrators begin anew.
 *
 * Control by `numbers` (MATLAB):
 *   (2) 0.8 rtol^k / max_i |f_i|/max(|y_i|, atol/rtol) */
#include "simulate/step.h"

static const double SAFE = 0.8; /* of (2) */

/* of the way to go: where a change of the rates is looked for, and the longest first step; of a rate: a change that is roundoff */
static const double FIRST_LOOK = 1e-4, FIRST_MOST = 1e-2, FIRST_NOISE = 1e-12;
enum { MOST_LOOKS = 10 };

/* (2) of `numbers`; an integrator of variable order begins with the first */
static tn_status first_step_of_numbers(tn_sim *s, double t_limit) {
  const tn_run *r = &s->m->run;
  const double k = 1.0 / (r->integrator->orders ? 2 : r->integrator->order_estimate + 1), least = r->atol / r->rtol;
  double *f = s->inside.y, fastest = 0;
  tn_status status = tn_rates_begin(s, s->now.t, s->now.y, 1e-3 * (t_limit - s->now.t));
  if (status == TN_OK) status = tn_rates(s, s->now.t, s->now.y, f);
  if (status != TN_OK) return status;
  for (int i = 0; i < s->n - s->stepper.ode.ledgers; i++)
    fastest = fmax(fastest, fabs(f[i]) / fmax(fabs(s->now.y[i]), least));
  s->stepper.h = fmin(t_limit - s->now.t, SAFE * pow(r->rtol, k) / fastest);
  return TN_OK;
}

/* the time in which accelerations of a part change by as much as they are: over a time h they change by `change`, over a hundred times that
 * by `before`, NaN: it was not looked at. from rest they change as h^2. INFINITY: they tell nothing; NaN: h is too long to tell */
static double change_time(double h, double size, double change, double before) {
  if (change <= 0.1 * size) return change > FIRST_NOISE * size ? h * sqrt(size / change) : INFINITY;
  if (change > 0.3 * before) return INFINITY; /* roundoff, or a jump */
  if (change < 0.03 * before) return 100 * h; /* in proportion to h: they begin with 0, and are smooth */
  return NAN;
}

/* the shortest of these, of all parts; `before` (parts) as above, and then those over h. *look: some h is too long. angles turn by 1 rad
 * in it */
static double shortest_time(const tn_sim *s, double h, const double *f0, const double *f1, double *before, bool *look) {
  const tn_model *m = s->m;
  const tn_scales *x = &s->estimate.scales;
  double shortest = INFINITY;
  *look = false;
  for (int part = 0; part < m->parts; part++) {
    double a0 = 0, a1 = 0, change = 0, turn = 0;
    for (int i = 0; i < x->groups; i++) {
      const tn_group *g = &x->group[i];
      if (g->body < 0 || m->part[m->nq + g->first] != part) continue;
      const bool length = m->u_unit[g->first] == TN_LENGTH;
      const double arm = length ? 1 : tn_length_at(m, g->body);
      for (int k = m->nq + g->first; k < m->nq + g->first + g->n; k++) {
        a0 = hypot(a0, arm * f0[k]);
        a1 = hypot(a1, arm * f1[k]);
        change = hypot(change, arm * (f1[k] - f0[k]));
        if (!length) turn = hypot(turn, s->now.y[k]);
      }
    }
    const double tau = change_time(h, fmax(a0, a1), change, before[part]);
    if (isnan(tau)) *look = true;
    before[part] = isnan(tau) ? change : 0; /* 0: it has told */
    if (tau < shortest) shortest = tau;
    if (turn > 0) shortest = fmin(shortest, 1 / turn);
  }
  return shortest;
}

/* the state a time h ahead, with accelerations as they are: those of a motion from rest change with its places */
static void ahead(const tn_sim *s, double h, const double *f0, double *y1) {
  const tn_model *m = s->m;
  for (int i = 0; i < s->n; i++) y1[i] = s->now.y[i] + 0.5 * h * f0[i];
  tn_model_rates(m, s->now.y, y1 + m->nq, y1);
  for (int i = 0; i < s->n; i++) y1[i] = s->now.y[i] + h * (i < m->nq ? y1[i] : f0[i]);
}

/* a first step: the tolerance, as the motion that the step makes itself is weighed with it, is met by a formula of order p in about
 * tau tol^(1/p), tau the time in which accelerations change. tau is seen over a time that has to be short against it */
tn_status tn_first_step(tn_sim *s, double t_limit) {
  if (tn_by_numbers(s)) return first_step_of_numbers(s, t_limit);
  const tn_run *run = &s->m->run;
  const double most = fmin(t_limit - s->now.t, run->max_step),
               k = 1.0 / (run->integrator->orders ? 2 : run->integrator->order);
  double *f0 = s->inside.y, *y1 = s->next.y, *f1 = s->estimate.error, *before = s->estimate.scales.C_u,
         h = FIRST_LOOK * most, tau = INFINITY;
  tn_status status = tn_rates_begin(s, s->now.t, s->now.y, h);
  if (status == TN_OK) status = tn_rates(s, s->now.t, s->now.y, f0);
  if (status != TN_OK) return status;
  for (int i = 0; i < s->m->parts; i++) before[i] = NAN;
  bool look = true;
  for (int tries = 0; look && tries < MOST_LOOKS; tries++, h *= 0.01) {
    ahead(s, h, f0, y1);
    status = tn_rates(s, s->now.t + h, y1, f1);
    if (status != TN_OK && status != TN_E_RUN) return status;
    if (status == TN_OK) tau = fmin(tau, shortest_time(s, h, f0, f1, before, &look));
  }
  s->stepper.h = fmin(FIRST_MOST * most, tau * pow(TN_STEP_AIM * run->rtol, k));
  if (look) s->stepper.h = fmin(s->stepper.h, h); /* it goes up from there */
  tn_scales_first(s, fmin(FIRST_MOST * most, 0.1 * tau), f0 + s->m->nq);
  return TN_OK;
}
