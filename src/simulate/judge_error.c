/* the error of a candidate, from the estimate of its integrator.
 *
 * err = max |e|/w over groups of q, u and states of forces (never multipliers, nor the ledger), scaled by the motion that they make: scale.c.
 * the estimate is taken after what the stabilizers will take from the end point anyway, and that part is judged as the violation it
 * would leave. control by `numbers`, as codes for equations without constraints do it (MATLAB's ode45): every number that is integrated
 * is judged by w = max(atol, rtol |y|), y the larger of both ends; nothing is taken from the estimate. */
#include "simulate/step.h"

static double norm_of_numbers(const tn_sim *s, int *worst) {
  const double *e = s->packed.error, *a = s->now.z, *b = s->next.z;
  const tn_run *run = &s->m->run;
  const int n = s->stepper.ode.n - s->stepper.ode.ledgers;
  double most = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    const double x = fabs(e[i]) / (run->by_mean ? run->atol + run->rtol * tn_max(fabs(a[i]), fabs(b[i]))
                                                : tn_weight_of_number(run, a[i], b[i]));
    if (!(x <= most)) most = x, *worst = i;
    if (isnan(x)) return INFINITY;
    sum += x * x;
  }
  return run->by_mean ? sqrt(sum / n) : most;
}

/* the other half of the error: what a filter takes from the estimate, as a violation of the constraints, in units of the
 * tolerance. for a mechanism without freedom it is all there is. near a singular position the estimate is spoiled in this
 * part too, and the violation that the step really adds judges */
static double violation(tn_sim *s, double *position, double *velocity) {
  const tn_system *sys = &s->solver.sys;
  for (int i = 0; s->solver.nearness < TN_RHO_SPOILED && i < s->m->rows; i++) {
    position[i] = i < s->m->holonomic ? sys->rows.C[i] - s->contract.C1[i] : 0;
    velocity[i] = sys->rows.Cdot[i] - s->contract.V1[i];
  }
  return tn_error_rows(s, position, velocity);
}

/* what filters of stabilizers take from the estimate */
tn_status tn_measure_violation(tn_sim *s, tn_candidate *c) {
  const tn_model *m = s->m;
  if (m->run.fixed || tn_by_numbers(s)) return TN_OK;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *position = tn_room(s, m->rows), *velocity = tn_room(s, m->rows), *estimate = s->estimate.tangent;
  tn_status status = TN_OK;
  for (int i = 0; i < m->run.stabilizers && status == TN_OK; i++) {
    const tn_stabilizer_type *type = m->run.stabilizer[i].type;
    if (!type->filter) continue;
    status = tn_at(s, c->t_end, s->next.y, s->e);
    if (status != TN_OK) break;
    memset(position, 0, sizeof *position * (size_t)m->rows);
    memset(velocity, 0, sizeof *velocity * (size_t)m->rows);
    type->filter(m->run.stabilizer[i].self, &s->solver, estimate, estimate + m->nu, position, velocity);
    c->violation = tn_max(c->violation, violation(s, position, velocity));
  }
  tn_scratch_close(&s->scratch, scope);
  return status;
}

tn_status tn_measure_error(tn_sim *s, tn_candidate *c) {
  if (s->m->run.fixed) return TN_OK;
  if (tn_by_numbers(s)) {
    c->err = norm_of_numbers(s, &c->worst);
    return TN_OK;
  }
  tn_packed_own_error(s);
  c->err = tn_max(tn_error_norm(s, &c->worst), c->violation);
  return TN_OK;
}

/* near a singular position corrections take away more than an estimate can tell. what they leave is of second order in it */
tn_status tn_measure_left(tn_sim *s, tn_candidate *c) {
  const tn_run *run = &s->m->run;
  c->left = c->err;
  if (run->fixed || tn_by_numbers(s) || !(c->rho < TN_RHO_SPOILED) || c->err != c->violation) return TN_OK;
  c->left = tn_max(tn_error_norm(s, &c->worst), c->violation * sqrt(tn_min(tn_max(run->rtol, run->atol), 1)));
  return TN_OK;
}

tn_status tn_judge_error(tn_sim *s, tn_trials *x, tn_decision *decision) {
  (void)s;
  if (!(x->at_hand.err <= 1 || x->at_hand.forced)) *decision = TN_SHORTER;
  return TN_OK;
}
