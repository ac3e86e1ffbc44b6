/* guards: a candidate ends where a function goes from one piece to another inside it, or where an event happens. a formula of one step is
 * made anew with that length, others have the state there. */
#include "simulate/step.h"

enum { NEARER_MOST = 3 }; /* attempts to end at a guard */

static const double CUT_NEAR = 1e-13;  /* of the time, or of the step: what it may be off      */
static const double CUT_EVENT = 2e-13; /* s: the same of events, but for roundoff of the time  */
static const double CUT_ROUNDOFF = 4;  /* of that roundoff                                     */

/* rates that the integrator keeps are of the end of what is not taken */
static void start_anew(tn_sim *s) {
  s->m->run.integrator->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
}

/* the first guard inside. where an event is not a number at the end, what comes before that is seen in a shorter candidate */
static tn_status look(tn_sim *s, tn_candidate *c, tn_guard_root *root) {
  const bool shortens = !s->m->run.integrator->advance;
  tn_status status = tn_guards_look(s, c->t_end, root);
  while (status == TN_E_RUN && s->events.undefined >= 0 && shortens &&
         c->t_end - s->now.t > CUT_NEAR * fmax(1, s->now.t)) {
    const double t_end = s->now.t + 0.5 * (c->t_end - s->now.t);
    s->summary.rejected++;
    start_anew(s);
    TN_TRY(tn_attempt(s, t_end - s->now.t, c));
    if (c->status != TN_OK) return c->status;
    c->t_end = t_end;
    status = tn_guards_look(s, t_end, root);
  }
  return status;
}

/* how far the end of the candidate at t_cut may be from the guard, s */
static double enough(const tn_sim *s, const tn_candidate *c, double t_cut) {
  const double all = CUT_NEAR * fmax(fabs(t_cut), c->h), events = fmax(CUT_EVENT, CUT_ROUNDOFF * TN_EPS * fabs(t_cut));
  return s->m->triggers ? fmin(all, events) : all;
}

/* candidates that end at the root, each nearer to it; none ends behind this one */
static tn_status end_at(tn_sim *s, tn_candidate *c, const tn_guard_root *root, tn_decision *decision) {
  const bool forced = c->forced;
  const double t_last = c->t_end;
  double t_cut = root->t;
  start_anew(s);
  for (int tries = 0;; tries++) {
    double off = 0;
    TN_TRY(tn_attempt(s, t_cut - s->now.t, c));
    c->forced = forced;
    if (c->status == TN_E_RUN || c->err > 1) { /* shorter, then */
      tn_guards_withdraw(s);
      s->stepper.h = 0.5 * (t_cut - s->now.t);
      *decision = TN_AFRESH;
      return s->m->run.fixed ? c->status : TN_OK;
    }
    c->t_end = t_cut;
    TN_TRY(tn_guards_off(s, root, t_cut, &off));
    const bool progress = t_cut - off > s->now.t + 0.5 * c->h;
    if (fabs(off) <= enough(s, c, t_cut) || tries == NEARER_MOST || !progress) return TN_OK;
    t_cut = fmin(t_cut - off, t_last);
    s->summary.rejected++;
  }
}

tn_status tn_judge_guards(tn_sim *s, tn_candidate *c, tn_decision *decision) {
  const tn_integrator_type *type = s->m->run.integrator;
  const double whole = c->t_end;
  tn_guard_root root;
  *decision = TN_STANDS;
  if (!s->m->switches) return TN_OK;
  TN_TRY(look(s, c, &root));
  if (root.found == TN_FOUND_INSIDE && (type->keeps_rates || type->advance)) {
    TN_TRY(tn_guards_inside(s, c->t_end, root.t));
    c->t_end = root.t;
    if (s->m->rows) TN_TRY(tn_candidate_look(s, c));
  } else if (root.found == TN_FOUND_INSIDE) {
    TN_TRY(end_at(s, c, &root, decision));
  } else if (root.found == TN_FOUND_HERE) {
    start_anew(s);
    *decision = s->events.ended >= 0 ? TN_ENDED : TN_AFRESH;
  }
  if (root.found != TN_FOUND_NONE) {
    s->summary.rejected++;
    s->stepper.err_last = 0;
  }
  c->cut = c->t_end != whole;
  return TN_OK;
}
