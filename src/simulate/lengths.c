/* lengths of steps. A candidate is taken at an error of 1, and the next one aims at TN_STEP_AIM of that:
 *   h' = h (e/aim)^-(1 - 3/4 P) k  (e_last/aim)^(P k),  k = 1/(order of the estimate + 1), P of the integrator
 * or the plan of an integrator that has one; docs/design/step-size.md has the settings that were tried.
 *
 * Control by `numbers`:
 *   (1) h' = 0.8 h e^-k, at most 5 h; after a rejection at least h/10, after a second one h/2; then the next step has the same length
 * where integrators plan, the error they aim at is the one of their table. */
#include "simulate/step.h"

static const double SAFE = 0.8, LEAST = 0.1, MOST = 5; /* of `numbers`, (1) */
static const double SAFE_MEAN = 0.9;                   /* of `mean`         */
static const double SHRINKS = 0.2, GROWS = 10;         /* of the length of a step: of that of the next */
static const double ERR_LEAST = 1e-10; /* of the tolerance: smaller errors are roundoff                     */
static const double BLIND = 0.25;      /* of the length, after an error without end                          */
static const double TURN_AIM = 2;      /* rad: what a step turns angles that are counted by; TN_TURN_MOST is refused */
static const double UNSEEN = 16;       /* of the roundoff of the time: a step that time hardly sees          */
static const double SHORTEST = 1e-14;  /* of 1 s, or of the run                                             */
static const double NEARLY = 1.01;     /* a step that ends so near to the limit ends at it                  */

/* number k of the motion or of its rates, in words: where a coordinate goes with the speed, it has the name */
static void component(const tn_model *m, int k, bool speed, char *text, size_t size) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (k < b->u || k >= b->u + b->nu || b->chart) continue;
    tn_format(text, size, speed ? "%s (rate)" : "%s", m->q_name[b->q + k - b->u]);
    return;
  }
  tn_format(text, size, speed ? "%s" : "%s (integrated)", m->u_name[k]);
}

static tn_status too_short(tn_sim *s, const tn_candidate *c, double h) {
  const tn_model *m = s->m;
  if (c->status == TN_E_RUN) return TN_E_RUN; /* in words already */
  const bool speed = c->worst >= m->nu;
  char name[96];
  if (tn_by_numbers(s))
    tn_format(name, sizeof name, "%s", s->stepper.ode.name ? s->stepper.ode.name(s, c->worst) : "what is independent");
  else if (c->worst >= 2 * m->nu)
    tn_format(name, sizeof name, "%s", m->state_name[c->worst - 2 * m->nu]);
  else
    component(m, speed ? c->worst - m->nu : c->worst, speed, name, sizeof name);
  if (c->err > 1)
    tn_fail(s->e, TN_E_RUN, "the step fell to %.2g s: the error of %s stays %.2g times what is allowed", h, name,
            c->err);
  else
    tn_fail(s->e, TN_E_RUN, "the step fell to %.2g s: %s changes too fast to be followed", h, name);
  tn_hint(s->e, "looser tolerances, or look for a jump in a force or a position that cannot be passed");
  for (int i = 0; i < m->bodies; i++)
    if (s->singular.near[i]) { /* its own coordinates are at fault */
      tn_fail(s->e, TN_E_RUN, "the step fell to %.2g s: body '%s' is at a singular position of its coordinates `%s`", h,
              m->body[i].name, m->body[i].type->name);
      if (m->body[i].type->space.remedy) tn_hint(s->e, "%s", m->body[i].type->space.remedy);
      break;
    }
  s->e->time = s->now.t;
  return TN_E_RUN;
}

/* a step that time hardly sees */
static bool vanishes(const tn_sim *s, double h, double t_limit) {
  return h < UNSEEN * TN_EPS * fabs(s->now.t) || h < SHORTEST * fmin(1, t_limit - s->stepper.t0);
}

/* of the length of the next step to that of the last attempt */
static double factor(tn_sim *s, const tn_candidate *c) {
  const tn_integrator_type *type = s->m->run.integrator;
  if (type->plan) {
    const double share = type->aim > 0 ? type->aim : 1, half = type->aim_of_numbers > 0 ? type->aim_of_numbers : 0.5;
    return type->plan(s->stepper.work, &s->stepper.ode, c->err, tn_by_numbers(s) ? half : share * TN_STEP_AIM);
  }
  if (isinf(c->err)) return BLIND;
  const double k = 1.0 / (type->order_estimate + 1), P = type->proportion;
  if (tn_by_numbers(s)) return (tn_by_largest(s) ? SAFE : SAFE_MEAN) * pow(fmax(c->err, ERR_LEAST), -k); /* (1) */
  const double plain = pow(TN_STEP_AIM, k) * pow(fmax(c->err, ERR_LEAST), -k);
  if (P == 0 || c->err > 1 || !(s->stepper.err_last > 0)) return plain;
  return pow(plain, 1 - 0.75 * P) * pow(s->stepper.err_last, P * k);
}

tn_status tn_propose(tn_sim *s, tn_trials *x) {
  const double most = x->t_limit - s->now.t, turning = s->stepper.turning;
  double *h = &s->stepper.h;
  assert(most > 0);
  if (!(*h > 0)) TN_TRY(tn_first_step(s, x->t_limit));
  *h = fmin(*h, s->m->run.max_step);
  if (turning > 0 && !tn_by_numbers(s)) *h = fmin(*h, TURN_AIM / turning);
  x->last = NEARLY * *h >= most;
  x->h = x->last ? most : *h;
  x->passed = false;
  if (x->last || !vanishes(s, x->h, x->t_limit)) return TN_OK;
  return too_short(s, &(tn_candidate){.err = 1, .worst = s->estimate.worst}, x->h);
}

tn_status tn_propose_own(tn_sim *s, double t_limit, double *limit) {
  const double turning = s->stepper.turning;
  *limit = turning > 0 && !tn_by_numbers(s) ? fmin(t_limit, s->now.t + TURN_AIM / turning) : t_limit;
  return s->stepper.h > 0 || tn_by_numbers(s) ? TN_OK : tn_first_step(s, *limit);
}

void tn_learn(tn_sim *s, const tn_trials *x) {
  const tn_candidate *c = &x->at_hand;
  tn_stepper *step = &s->stepper;
  s->estimate.worst = c->worst;
  if (c->cut) return; /* a step cut short by a guard says nothing about the next */
  const bool stays = x->rejected && tn_by_largest(s) && !s->m->run.integrator->plan; /* (1) */
  const double most = x->rejected ? 1 : tn_by_largest(s) ? MOST : GROWS;
  const double grow = stays ? 1 : fmin(fmax(factor(s, c), SHRINKS), most);
  step->err_last = x->rejected || c->forced ? 0 : fmax(c->err, ERR_LEAST) / TN_STEP_AIM;
  if (!(x->last && c->h < step->h)) step->h = grow * c->h; /* one cut short by the limit says nothing about the next */
  if (c->forced) step->h = fmax(step->h, 0.5 * c->h);
}

/* of the length of the attempt: that of the next, after a rejection */
static double shrink(tn_sim *s, const tn_trials *x) {
  const double shorter = factor(s, &x->at_hand);
  if (!tn_by_largest(s)) return fmax(SHRINKS, shorter);
  return x->rejected > 1 && !s->m->run.integrator->plan ? 0.5 : fmax(LEAST, shorter);
}

tn_status tn_revise(tn_sim *s, tn_trials *x, tn_decision decision) {
  if (decision == TN_AFRESH) {
    x->rejected = 0;
    return TN_OK;
  }
  assert(decision == TN_SHORTER || decision == TN_MUCH_SHORTER);
  if (decision == TN_MUCH_SHORTER) x->shortened++;
  s->summary.rejected++;
  x->rejected = x->rejected ? 2 : 1;
  if (x->at_hand.status == TN_E_RUN && s->packed.packing) { /* with another choice it may pass as it is */
    bool changed;
    TN_TRY(tn_packed_renew(s, TN_AFTER_REJECTION, &changed));
    if (changed) return TN_OK;
  }
  s->stepper.h = x->h * shrink(s, x);
  return vanishes(s, s->stepper.h, x->t_limit) ? too_short(s, &x->at_hand, s->stepper.h) : TN_OK;
}
