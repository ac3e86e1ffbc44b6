/* one accepted step.
 *
 * adaptive: error norm max |e|/w over groups of q, u and states of forces (never multipliers, nor the ledger), scaled by the motion that
 * they make: scale.c.
 * the estimate is taken after what the stabilizers will take from the end point anyway, and that part is judged as the
 * violation it would leave. a step is accepted at norm 1, and the next one aims at 1/32 of that:
 * then a tolerance means about what it says after ten seconds of motion. the controller is
 *   h' = h (e/aim)^-(1 - 3/4 P) k  (e_last/aim)^(P k),  k = 1/(order of the estimate + 1), P of the integrator
 * or the plan of an integrator that has one; docs/design/step-size.md has the settings that were tried.
 *
 * control by `numbers`, as codes for equations without constraints do it (MATLAB's ode45): every number that is integrated is judged by
 *   w = max(atol, rtol |y|), y the larger of both ends; nothing is taken from the estimate
 *   (1) h' = 0.8 h e^-k, at most 5 h; after a rejection at least h/10, after a second one h/2; then the next step has the same length
 *   (2) first step: 0.8 rtol^k / max_i |f_i|/max(|y_i|, atol/rtol)
 * where integrators plan, the error they aim at is the one of their table
 *
 * through a singular position: near it the minimum-norm answer is not the limit of the motion, so a step must not land there,
 * and an adaptive one must not creep up to it. a step with a stage or end at rho < 1e-9, or rejected at rho < 1e-8, is tried at
 * other lengths, none much shorter, and the best is taken; so is one that was rejected twice at rho < 1e-3 with an error
 * that does not fall with its length. a fixed step that comes to rho < 1e-7 ends at 0.618 of its length, and
 * the next one crosses. */
#include "simulate/simulate.h"

#include <stdio.h>

static const double LANDED = 1e-9, CREEPING = 1e-8, SPLIT = 1e-7, BEGINS = 2e-6, ASIDE = 1e-4,
                    SPOILED = 1e-3; /* of rho */

/* of the relative tolerance and the largest kinetic energy: what a step near a singular position may do to the energy */
static const double ENERGY = 30;

/* of the tolerance: the error that the next step shall have */
static const double AIM = 1.0 / 32;

static const double SAFE = 0.8, LEAST = 0.1, MOST = 5; /* of `numbers`, (1) */
static const double SAFE_MEAN = 0.9;                   /* of `mean`         */

/* of the tolerance: an error that is taken where shorter steps do not make it smaller */
static const double CREPT_MOST = 2;

/* of the tolerance: an error that tells of a step that is far too long, whatever position it came near; so often shorter ones are tried
 * before it is taken for one of a singular position */
static const double ABSURD = 1e4;
enum { MOST_ABSURD = 8 };

/* an angle is counted within half a turn of what it was at the last step: a step must not be longer. the control by numbers asks for
 * what its formulas would do by themselves, and is not limited: tn_doubt_turn tells */
static const double TURN_AIM = 2, TURN_MOST = 3; /* rad */

enum { MOST_PARTS = 12 }; /* halvings of a fixed step */

/* of the way to go: where a change of the rates is looked for, and the longest first step; of a rate: a change that is roundoff */
static const double FIRST_LOOK = 1e-4, FIRST_MOST = 1e-2, FIRST_NOISE = 1e-12;
enum { MOST_LOOKS = 10 };

typedef struct trial {
  double h, err, rho, rho_end;
  double seen; /* as rho, by blocks */
  double left; /* err without what corrections take away, for steps near a singular position; else as err */
  int worst;   /* component of the estimate with the largest error */
  bool jumped; /* the energy tells that it went wrong               */
  tn_status status;
} trial;

static bool by_numbers(const tn_sim *s) { return s->m->run.by_numbers; }

/* (1) of MATLAB's codes, for `mean` those of Hairer and SciPy */
static bool by_largest(const tn_sim *s) { return s->m->run.by_numbers && !s->m->run.by_mean; }

static double norm_of_numbers(const tn_sim *s, int *worst) {
  const double *e = s->packed.indirect ? s->packed.error : s->estimate.error,
               *a = s->packed.indirect ? s->now.z : s->now.y, *b = s->packed.indirect ? s->next.z : s->next.y;
  const tn_run *run = &s->m->run;
  const int n = s->stepper.ode.n - s->stepper.ode.ledgers;
  double most = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    const double x = fabs(e[i]) / (run->by_mean ? run->atol + run->rtol * fmax(fabs(a[i]), fabs(b[i]))
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
static double drift(tn_sim *s, double *position, double *velocity) {
  const tn_system *sys = &s->solver.sys;
  for (int i = 0; s->solver.nearness < SPOILED && i < s->m->rows; i++) {
    position[i] = i < s->m->holonomic ? sys->C[i] - s->contract.C1[i] : 0;
    velocity[i] = sys->Cdot[i] - s->contract.V1[i];
  }
  return tn_error_rows(s, position, velocity);
}

/* near a singular position an estimate may see nothing of what is wrong; the energy does. what of it neither forces nor drivers
 * explain, after the corrections that the end of the step will have, in units of what is allowed */
static double energy_off(tn_sim *s, double t) {
  const tn_model *m = s->m;
  const double *before = tn_ledger_of(s, s->now.y), *after = tn_ledger_of(s, s->next.y);
  double *y = s->inside.y, kinetic, potential;
  bool changed = false;
  memcpy(y, s->next.y, sizeof *y * (size_t)s->n);
  const int64_t guard_calls = s->solver.guard_calls; /* the step is not taken yet: what they remember stays as it is */
  memcpy(s->stabilizing.rooms_kept, s->stabilizing.rooms, s->stabilizing.rooms_size);
  tn_status status = TN_OK;
  for (int i = 0; i < m->run.stabilizers && status == TN_OK; i++) {
    const tn_stabilizer_type *type = m->run.stabilizer[i].type;
    s->solver.e = s->e;
    if (type->accept) status = tn_stabilizer_accept(s, i, t, y, &changed);
  }
  memcpy(s->stabilizing.rooms, s->stabilizing.rooms_kept, s->stabilizing.rooms_size);
  s->solver.guard_calls = guard_calls;
  if (status != TN_OK || tn_at(s, t, y, s->e) != TN_OK) return INFINITY;
  tn_energy_here(&s->solver.sys, &kinetic, &potential);
  double off = kinetic + potential - s->ledger.energy;
  for (int i = TN_LEDGER_FORCE; i <= TN_LEDGER_STABILIZER; i++) off -= after[i] - before[i];
  const double scale = fmax(fmax(s->summary.max_kinetic, kinetic), 1e-9 * s->ledger.max_potential);
  return scale > 0 ? fabs(off) / (ENERGY * fmax(m->run.rtol, 1e-13) * scale) : 0;
}

/* at the end of the step, whether or not a stage lies there. its factorisation serves the projection or the next step; where a stage
 * beside it was far from a singular position, there is nothing to see */
static tn_status look_at_end(tn_sim *s, double t, trial *r) {
  tn_status status = tn_at(s, t, s->next.y, s->e);
  if (status == TN_OK && tn_solver_stale_is_near(&s->solver)) return TN_OK;
  if (status == TN_OK) status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  if (!s->m->large && !s->solver.by_blocks) r->rho_end = s->solver.type->nearness(s->solver.work);
  return status;
}

/* attempt a step of length h from the present state: ynew, error and nearness of a singular position */
static trial attempt(tn_sim *s, double h) {
  const tn_model *m = s->m;
  const tn_integrator_type *type = m->run.integrator;
  const bool adaptive = !m->run.fixed;
  trial r = {.h = h, .rho_end = 1};
  double off = 0;
  s->solver.nearness = s->solver.seen = 1;
  if (s->packed.indirect) {
    r.status = type->attempt(s->stepper.work, &s->stepper.ode, s->now.t, s->now.z, h, s->next.z,
                             adaptive ? s->packed.error : NULL);
    if (r.status == TN_OK) r.status = tn_packed_end(s, s->now.t + h, adaptive);
  } else {
    r.status = type->attempt(s->stepper.work, &s->stepper.ode, s->now.t, s->now.y, h, s->next.y,
                             adaptive ? s->estimate.error : NULL);
  }
  if (r.status == TN_OK && adaptive && !s->packed.indirect) {
    tn_model_tangent(m, s->next.y, s->estimate.error, s->estimate.tangent);
    memcpy(s->estimate.tangent + m->nu, s->estimate.error + m->nq,
           sizeof *s->estimate.error * (size_t)(m->nu + m->states));
  }
  if (r.status == TN_OK && adaptive && !by_numbers(s)) tn_scales_trial(s, h);
  for (int i = 0; adaptive && !by_numbers(s) && i < m->run.stabilizers && r.status == TN_OK; i++) {
    const tn_stabilizer_type *st = m->run.stabilizer[i].type;
    if (!st->filter) continue;
    r.status = tn_at(s, s->now.t + h, s->next.y, s->e);
    if (r.status != TN_OK) break;
    memset(s->contract.C_row, 0, sizeof *s->contract.C_row * (size_t)m->rows);
    memset(s->contract.V_row, 0, sizeof *s->contract.V_row * (size_t)m->rows);
    st->filter(m->run.stabilizer[i].self, &s->solver, s->estimate.tangent, s->estimate.tangent + m->nu,
               s->contract.C_row, s->contract.V_row);
    off = fmax(off, drift(s, s->contract.C_row, s->contract.V_row));
  }
  if (r.status == TN_OK && m->rows) r.status = look_at_end(s, s->now.t + h, &r);
  if (r.status == TN_OK && adaptive && !by_numbers(s)) tn_packed_own_error(s);
  if (r.status == TN_OK && adaptive)
    r.err = by_numbers(s) ? norm_of_numbers(s, &r.worst) : fmax(tn_error_norm(s, &r.worst), off);
  if (r.status == TN_OK && adaptive && m->memory && !by_numbers(s)) {
    int which;
    r.status = tn_at(s, s->now.t + h, s->next.y, s->e);
    if (r.status == TN_OK && h * tn_turning(&s->solver.sys, &which) > TURN_MOST) r.err = fmax(r.err, 32);
  }
  if (r.status == TN_E_RUN && adaptive) r.err = INFINITY; /* not a number on the way: too long a step */
  r.rho = s->solver.nearness;
  r.seen = s->solver.seen;
  r.left = r.err;
  if (r.status == TN_OK && adaptive && !by_numbers(s) && r.rho < SPOILED && r.err == off)
    r.left = fmax(tn_error_norm(s, &r.worst), off * sqrt(fmin(fmax(m->run.rtol, m->run.atol), 1)));
  if (r.status == TN_OK && adaptive && ((r.rho < ASIDE && r.err <= 1) || (r.err > 1 && r.left <= 1))) {
    const double energy = energy_off(s, s->now.t + h);
    r.jumped = r.err <= 1 && energy > 1;
    r.err = fmax(r.err, energy);
    r.left = fmax(r.left, energy);
  }
  return r;
}

/* the error of the step that is taken, relative to the scale of the motion; an integrator that judges its steps itself aims at AIM */
static double local_error(const tn_sim *s, const trial *r) {
  const tn_run *run = &s->m->run;
  if (run->fixed) return 0; /* nothing is known of it */
  return (run->integrator->advance ? AIM : r->err) * fmax(run->rtol, run->atol);
}

/* the attempt of r stands: correct, check, move on */
static tn_status take(tn_sim *s, double t_end, const trial *r) {
  bool changed = false;
  double *swap;
  tn_status status = tn_singular_look(s, t_end - s->now.t, r->rho, r->seen, r->rho_end);
  if (status != TN_OK) return status;
  swap = s->contract.C0, s->contract.C0 = s->contract.C1, s->contract.C1 = swap;
  swap = s->contract.V0, s->contract.V0 = s->contract.V1, s->contract.V1 = swap;
  const tn_state oldest = s->before; /* its numbers are room for the next attempt */
  s->before = s->now;
  s->now = s->next;
  s->now.t = t_end;
  s->next = oldest;
  s->summary.steps++;
  s->summary.local_errors += local_error(s, r);
  status = tn_accept(s, s->now.t, s->now.y, &changed);
  tn_packed_ledger(s);
  tn_scales_take(s, s->now.t - s->before.t);
  if (s->switches.share == 1)
    s->m->run.integrator->accept(s->stepper.work, s->packed.indirect ? s->now.z : s->now.y, changed);
  s->switches.longest = fmax(s->switches.longest, s->now.t - s->before.t);
  s->summary.t_end = s->now.t;
  if (r->err > 1) tn_doubt_forced(s, s->before.t, r->err);
  const bool singular = s->singular.passing.is_found;
  tn_singular_log(s, s->now.t - s->before.t, r->err);
  tn_crossing_follow(s, s->now.t - s->before.t, fmin(r->rho, r->rho_end), singular);
  return status;
}

/* ---- switches ----------------------------------------------------------------------------------------------------------- */

enum { MOST_NEARER = 3 }; /* attempts to end at a switch */

static const double ENOUGH = 1e-13;  /* of the time, or of the step: what it may be off */
static const double PRECISE = 2e-13; /* s: the same of events, but for roundoff of the time */

/* an attempt of r could be taken up to *t_end: where a function goes from one piece to another inside, it ends there. a formula of
 * one step is made anew with that length, others have the state there. *again: nothing stands, and pieces may be others */
static tn_status at_switch(tn_sim *s, trial *r, double *t_end, bool *again) {
  const tn_integrator_type *type = s->m->run.integrator;
  tn_found found;
  double t_cut;
  *again = false;
  if (!s->m->switches) return TN_OK;
  tn_status status = tn_switch_look(s, *t_end, &found, &t_cut);
  while (status == TN_E_RUN && s->happening.bad >= 0 && !type->advance &&
         *t_end - s->now.t > ENOUGH * fmax(1, s->now.t)) {
    /* an event is not a number there: what comes before that is seen in a shorter step */
    *t_end = s->now.t + 0.5 * (*t_end - s->now.t);
    s->summary.rejected++;
    type->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
    *r = attempt(s, *t_end - s->now.t);
    if (r->status != TN_OK) return r->status;
    status = tn_switch_look(s, *t_end, &found, &t_cut);
  }
  if (status != TN_OK || found == TN_FOUND_NONE) return status;
  s->summary.rejected++;
  s->stepper.err_last = 0;
  if (found == TN_FOUND_HERE) { /* rates that it has are of the end of what is not taken */
    type->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
    *again = true;
    return TN_OK;
  }
  if (found == TN_FOUND_INSIDE && (type->keeps_rates || type->advance)) {
    status = tn_switch_inside(s, *t_end, t_cut);
    *t_end = t_cut;
    return status == TN_OK && s->m->rows ? look_at_end(s, t_cut, r) : status;
  }
  type->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
  for (int tries = 0; status == TN_OK; tries++) {
    double off = 0;
    *r = attempt(s, t_cut - s->now.t);
    if (r->status == TN_E_RUN || r->err > 1) { /* shorter, then */
      tn_switch_forget(s);
      s->stepper.h = 0.5 * (t_cut - s->now.t);
      *again = true;
      return s->m->run.fixed ? r->status : TN_OK;
    }
    status = r->status;
    if (status == TN_OK && found == TN_FOUND_INSIDE) status = tn_switch_off(s, t_cut, &off);
    const double enough = ENOUGH * fmax(fabs(t_cut), r->h), least = fmax(PRECISE, 4 * TN_EPS * fabs(t_cut));
    if (status != TN_OK || fabs(off) <= (s->m->triggers ? fmin(enough, least) : enough) || tries == MOST_NEARER) break;
    if (!(t_cut - off > s->now.t + 0.5 * r->h)) break;
    t_cut = fmin(t_cut - off, *t_end);
    s->summary.rejected++;
  }
  *t_end = t_cut;
  return status;
}

/* ---- fixed step --------------------------------------------------------------------------------------------------------- */

/* what is independent does not tell the state on the way: with another choice, or in parts. the next step ends where this one
 * should have */
static tn_status shorter_step(tn_sim *s, double t_end) {
  double part = 1;
  bool changed;
  tn_status status = tn_packed_renew(s, TN_AFTER_REJECTION, &changed);
  for (int tries = changed ? 0 : 1; status == TN_OK && tries <= MOST_PARTS; tries++) {
    part = pow(0.5, tries);
    s->summary.rejected++;
    trial r = attempt(s, part * (t_end - s->now.t));
    if (r.status == TN_OK) {
      double end = tries ? s->now.t + part * (t_end - s->now.t) : t_end;
      bool again;
      if ((status = at_switch(s, &r, &end, &again)) != TN_OK) return status;
      if (again && s->happening.ended >= 0) return s->stepper.unfinished = true, TN_OK;
      if (again) return shorter_step(s, t_end);
      s->stepper.unfinished = end != t_end;
      return take(s, end, &r);
    }
    if (r.status != TN_E_RUN || tries == MOST_PARTS) return r.status;
  }
  return status;
}

/* a step that lands too near a singular position ends before it, and the next one crosses */
static tn_status fixed_step(tn_sim *s, double t_end, bool last) {
  if ((t_end - s->now.t) * s->stepper.turning > TURN_MOST) {
    tn_fail(s->e, TN_E_RUN,
            "joint '%s': a step of %.3g s turns it by %.3g rad, and beyond half a turn they cannot be counted",
            s->m->joint[s->stepper.turning_joint].name, t_end - s->now.t, (t_end - s->now.t) * s->stepper.turning);
    tn_hint(s->e, "a shorter step, or relative coordinates, where angles are coordinates");
    s->e->time = s->now.t;
    return TN_E_RUN;
  }
  for (bool again = true; again;) {
    trial r = attempt(s, t_end - s->now.t);
    double end = t_end;
    if (r.status == TN_E_RUN && s->packed.packing) return shorter_step(s, t_end);
    if (r.status == TN_OK && r.rho < SPLIT && !last) {
      end = s->now.t + 0.618 * (t_end - s->now.t);
      r = attempt(s, end - s->now.t);
    }
    if (r.status != TN_OK) return r.status;
    const double whole = end;
    const tn_status status = at_switch(s, &r, &end, &again);
    if (status != TN_OK) return status;
    s->stepper.unfinished = end != whole || s->happening.ended >= 0;
    if (!again) return take(s, end, &r);
    if (s->happening.ended >= 0) return TN_OK;
  }
  return TN_OK;
}

/* ---- adaptive step ------------------------------------------------------------------------------------------------------ */

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
static tn_status first_step(tn_sim *s, double t_limit) {
  if (by_numbers(s)) return first_step_of_numbers(s, t_limit);
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
  s->stepper.h = fmin(FIRST_MOST * most, tau * pow(AIM * run->rtol, k));
  if (look) s->stepper.h = fmin(s->stepper.h, h); /* it goes up from there */
  tn_scales_first(s, fmin(FIRST_MOST * most, 0.1 * tau), f0 + s->m->nq);
  return TN_OK;
}

/* so far too long that shorter ones are tried first, whatever position it came near: longer than the last one, and off by much */
static bool absurd(const tn_sim *s, const trial *r) { return r->err > ABSURD && r->h > 2 * (s->now.t - s->before.t); }

/* a stage at a singular position, or an end so near it that the next step would begin with nothing but roundoff */
static bool landed(const trial *r) { return r->rho < LANDED || r->rho_end < BEGINS; }
static bool too_near(const trial *r) { return landed(r) || (r->err > 1 && r->rho < CREEPING) || r->jumped; }

/* an error that does not fall with the length of the step is not one of the integrator: a singular position lies inside, and
 * every shorter step that still crosses it does so nearer to it */
static bool helpless(const trial *first, const trial *r) {
  return first->h > r->h && r->rho < SPOILED && r->err > 0.5 * first->err && isfinite(first->err);
}

/* what is too large is a violation that the corrections take away: roundoff of the start, divided by the distance. what is left is of
 * second order in it, and the energy says the same */
static bool mendable(const trial *r) { return r->status == TN_OK && r->left <= 1 && !landed(r); }

static bool better(const trial *a, const trial *b) {
  const bool mends = mendable(a);
  return a->status == TN_OK && (mends != mendable(b) ? mends : a->err < b->err);
}

/* other lengths for a step that came too near a singular position; the attempt that stands is the last one made. an
 * error above `worst` is not taken */
static trial step_over(tn_sim *s, trial first, double most, double worst) {
  static const double factor[] = {0.8, 1.25, 0.64, 1.5, 0.9, 1.1, 0.5, 0.57, 0.72, 0.45, 0.4, 2, 3, 5, 8};
  trial best = first, r = first;
  for (size_t i = 0; i < sizeof factor / sizeof *factor; i++) {
    if (factor[i] * first.h > most) continue;
    s->summary.rejected++;
    r = attempt(s, factor[i] * first.h);
    if (r.status != TN_OK && r.status != TN_E_RUN) return r;
    if (r.err <= 1 && !landed(&r)) return r;
    if (better(&r, &best)) best = r;
  }
  if (mendable(&best)) best.err = best.left;
  if (best.status != TN_OK || best.err > worst) return best; /* none came to an end, or near it: shorter, then */
  if (best.err > 1)
    tn_log(s, s->now.t, "singular", "no length of the step passes, the best error of %.2g tolerances is taken",
           best.err);
  if (r.h == best.h && r.status == TN_OK) return best;
  s->summary.rejected++;
  r = attempt(s, best.h);
  if (mendable(&r)) r.err = r.left;
  return r;
}

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

static tn_status too_short(tn_sim *s, const trial *r, double h) {
  const tn_model *m = s->m;
  if (r->status == TN_E_RUN) return TN_E_RUN; /* in words already */
  const bool speed = r->worst >= m->nu;
  char name[96];
  if (by_numbers(s))
    tn_format(name, sizeof name, "%s", s->stepper.ode.name ? s->stepper.ode.name(s, r->worst) : "what is independent");
  else if (r->worst >= 2 * m->nu)
    tn_format(name, sizeof name, "%s", m->state_name[r->worst - 2 * m->nu]);
  else
    component(m, speed ? r->worst - m->nu : r->worst, speed, name, sizeof name);
  if (r->err > 1)
    tn_fail(s->e, TN_E_RUN, "the step fell to %.2g s: the error of %s stays %.2g times what is allowed", h, name,
            r->err);
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
  return h < 16 * TN_EPS * fabs(s->now.t) || h < 1e-14 * fmin(1, t_limit - s->stepper.t0);
}

/* of the length of the next step to that of the last attempt */
static double factor(tn_sim *s, const trial *r) {
  const tn_integrator_type *type = s->m->run.integrator;
  if (type->plan) {
    const double share = type->aim > 0 ? type->aim : 1, half = type->aim_of_numbers > 0 ? type->aim_of_numbers : 0.5;
    return type->plan(s->stepper.work, &s->stepper.ode, r->err, by_numbers(s) ? half : share * AIM);
  }
  if (isinf(r->err)) return 0.25;
  const double k = 1.0 / (type->order_estimate + 1), P = type->proportion;
  if (by_numbers(s)) return (by_largest(s) ? SAFE : SAFE_MEAN) * pow(fmax(r->err, 1e-10), -k); /* (1) */
  const double plain = pow(AIM, k) * pow(fmax(r->err, 1e-10), -k);
  if (P == 0 || r->err > 1 || !(s->stepper.err_last > 0)) return plain;
  return pow(plain, 1 - 0.75 * P) * pow(s->stepper.err_last, P * k);
}

static tn_status adaptive_step(tn_sim *s, double t_limit) {
  bool rejected = false;
  trial longest = {0}; /* the first attempt */
  int shortened = 0;
  for (;;) {
    const double most = t_limit - s->now.t;
    if (!(s->stepper.h > 0)) {
      const tn_status status = first_step(s, t_limit);
      if (status != TN_OK) return status;
    }
    s->stepper.h = fmin(s->stepper.h, s->m->run.max_step);
    if (s->stepper.turning > 0 && !by_numbers(s)) s->stepper.h = fmin(s->stepper.h, TURN_AIM / s->stepper.turning);
    bool last = 1.01 * s->stepper.h >= most;
    double h = last ? most : s->stepper.h;
    if (!last && vanishes(s, h, t_limit)) return too_short(s, &(trial){.err = 1, .worst = s->estimate.worst}, h);
    trial r = attempt(s, h);
    if (r.status != TN_OK && r.status != TN_E_RUN) return r.status;
    bool forced = false;
    if (!rejected) longest = r;
    if (r.err > 1 && helpless(&longest, &r)) {
      const trial other = step_over(s, longest, most, CREPT_MOST);
      if (other.status != TN_OK && other.status != TN_E_RUN) return other.status;
      forced = other.status == TN_OK && other.err <= CREPT_MOST;
      if (forced) r = other, last = r.h == most;
      longest.h = 0; /* no more of it in this step */
    }
    if (!forced && too_near(&r) && !(s->singular.passing.staying && r.err <= 1) &&
        !(absurd(s, &r) && shortened++ < MOST_ABSURD)) {
      /* rather than to take an error above the tolerance */
      const bool shortens = r.err > ABSURD && shortened < MOST_ABSURD;
      const trial other = step_over(s, r, most, shortens ? 1 : INFINITY);
      if (other.status != TN_OK && other.status != TN_E_RUN) return other.status;
      if (shortens && !(other.err <= 1)) {
        shortened++;
        r = attempt(s, h);
        if (r.status != TN_OK && r.status != TN_E_RUN) return r.status;
      } else {
        r = other;
        forced = r.status == TN_OK;
        last = r.h == most;
      }
    }
    double t_end = last ? t_limit : s->now.t + r.h;
    if ((r.err <= 1 || forced) && s->m->switches) {
      const double whole = t_end;
      bool again;
      const tn_status status = at_switch(s, &r, &t_end, &again);
      if (status != TN_OK) return status;
      if (again) {
        if (s->happening.ended >= 0) return TN_OK;
        rejected = false;
        continue;
      }
      if (t_end != whole) { /* a step cut short by a switch says nothing about the next */
        s->estimate.worst = r.worst;
        return take(s, t_end, &r);
      }
    }
    if (r.err <= 1 || forced) {
      s->estimate.worst = r.worst;
      const bool stays = rejected && by_largest(s) && !s->m->run.integrator->plan; /* (1) */
      const double grow = stays ? 1 : fmin(fmax(factor(s, &r), 0.2), rejected ? 1 : by_largest(s) ? MOST : 10);
      s->stepper.err_last = rejected || forced ? 0 : fmax(r.err, 1e-10) / AIM;
      if (!(last && r.h < s->stepper.h))
        s->stepper.h = grow * r.h; /* a step cut short by the limit says nothing about the next */
      if (forced) s->stepper.h = fmax(s->stepper.h, 0.5 * r.h);
      return take(s, t_end, &r);
    }
    s->summary.rejected++;
    const bool second = rejected;
    rejected = true;
    if (r.status == TN_E_RUN && s->packed.packing) { /* with another choice it may pass as it is */
      bool changed;
      const tn_status status = tn_packed_renew(s, TN_AFTER_REJECTION, &changed);
      if (status != TN_OK) return status;
      if (changed) continue;
    }
    const double shorter = factor(s, &r);
    s->stepper.h = h * (!by_largest(s)                          ? fmax(0.2, shorter)
                        : second && !s->m->run.integrator->plan ? 0.5
                                                                : fmax(LEAST, shorter));
    if (vanishes(s, s->stepper.h, t_limit)) return too_short(s, &r, s->stepper.h);
  }
}

/* ---- a step of the integrator's own choice ------------------------------------------------------------------------------ */

static tn_status own_step(tn_sim *s, double t_limit) {
  const tn_integrator_type *type = s->m->run.integrator;
  trial r = {.rho_end = 1};
  double t;
  bool again;
  if (s->stepper.turning > 0 && !by_numbers(s)) t_limit = fmin(t_limit, s->now.t + TURN_AIM / s->stepper.turning);
  if (!(s->stepper.h > 0) && !by_numbers(s) && (r.status = first_step(s, t_limit)) != TN_OK) return r.status;
  s->solver.nearness = s->solver.seen = 1;
  const int64_t before = s->stepper.effort.rejected;
  r.status = type->advance(s->stepper.work, &s->stepper.ode, s->now.t, s->packed.indirect ? s->now.z : s->now.y,
                           t_limit, &t, s->packed.indirect ? s->next.z : s->next.y);
  s->summary.rejected += s->stepper.effort.rejected - before;
  if (r.status == TN_OK && s->packed.indirect) r.status = tn_packed_end(s, t, false);
  if (r.status == TN_OK && s->m->rows) r.status = look_at_end(s, t, &r);
  if (r.status != TN_OK) return r.status;
  r.rho = s->solver.nearness;
  r.seen = s->solver.seen;
  if ((r.status = at_switch(s, &r, &t, &again)) != TN_OK) return r.status;
  if (again) return s->happening.ended >= 0 ? TN_OK : own_step(s, t_limit);
  r.h = t - s->now.t;
  return take(s, t, &r);
}

tn_status tn_step(tn_sim *s, double t_limit) {
  bool changed;
  tn_cost_step(s);
  tn_status status = tn_switch_begin(s);
  if (status != TN_OK || s->happening.ended >= 0) return status;
  if ((status = tn_packed_renew(s, TN_BEFORE_STEP, &changed)) != TN_OK) return status;
  if (s->m->run.integrator->advance) return own_step(s, t_limit);
  if (!s->m->run.fixed) return adaptive_step(s, t_limit);
  /* multiples of the step from t0, not a sum */
  const double next = s->stepper.t0 + (double)(s->stepper.fixed_steps + 1) * s->m->run.step;
  if (next > t_limit * (1 + 1e-12)) {
    status = fixed_step(s, t_limit, true);
    s->stepper.unfinished = false; /* it was not counted */
    return status;
  }
  s->stepper.fixed_steps++;
  const bool last = fabs(next - t_limit) <= 1e-12 * fabs(t_limit);
  status = fixed_step(s, last ? t_limit : next, last);
  if (s->stepper.unfinished) s->stepper.fixed_steps--;
  s->stepper.unfinished = false;
  return status;
}
