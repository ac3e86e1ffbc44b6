/* guards: other pieces, at the time of a root.
 *
 *   (1) guards that are DUE take the piece behind the root, at the start of a step
 *   (2) pieces follow whose operands jump thereby; an operand is made of what stands before it, so that this ends
 *   (3) rows of joints whose drivers changed are met again in velocity; the work of that impulse is the driver's
 *   (4) events that are due act, one by one in the order of the file. Behind each action (2), and guards that it
 *       sends back turn round; both may pass further events. What has no end is refused: guards_limits.c
 *   (5) what was passed is settled: armed, held or returned. The integrator starts anew where rates have jumped */
#include "simulate/guards.h"

#include "simulate/simulate.h"

enum { LOGGED_MOST = 4 }; /* lines of one guard in the log */

static tn_switching *pieces(tn_sim *s) { return &s->solver.sys.given.switching; }

/* once for all components of a vector that have the expression in common */
static void log_change(tn_sim *s, int i) {
  const tn_switch *x = &s->m->switched[i];
  const int logged = ++s->guards.guard[i].logged;
  if (logged > LOGGED_MOST) return;
  char text[sizeof s->log.event->text];
  tn_format(text, sizeof text, "%s '%s': %s%s", x->kind, x->name, x->text,
            logged < LOGGED_MOST ? "" : "; later ones are only counted");
  for (int k = s->log.events - 1; k >= 0 && s->log.event[k].t == s->now.t; k--)
    if (strcmp(s->log.event[k].kind, "switch") == 0 && strcmp(s->log.event[k].text, text) == 0) return;
  tn_log(s, s->now.t, "switch", "%s", text);
}

tn_status tn_guard_change(tn_sim *s, int i, double piece, bool by_event) {
  tn_guard *g = &s->guards.guard[i];
  pieces(s)->piece[i] = piece;
  if (s->m->switched[i].in_event) {
    if (g->state != TN_GUARD_PASSED) tn_guard_move(s, i, TN_GUARD_PASSED);
    if (g->event >= 0) tn_events_pass(s, g->event, piece);
  } else {
    if (g->state == TN_GUARD_DUE) tn_guard_move(s, i, TN_GUARD_ARMED);
    s->summary.switches++;
    log_change(s, i);
  }
  g->moved = g->fresh = true;
  if (tn_guard_chatters(s, i)) tn_doubt_chatter(s, i);
  return tn_limit_changes(s, i, by_event);
}

/* ---- pieces whose operands have jumped --------------------------------------------------------------------------- */

/* margins of laws alone, at the present state: those of events are what they were */
static tn_status law_margins(tn_sim *s, double *to) {
  tn_pieces_hold(s);
  TN_TRY(tn_at(s, s->now.t, s->now.y, s->e));
  memcpy(to, pieces(s)->margin, sizeof *to * (size_t)s->m->switches);
  return TN_OK;
}

/* An operand has jumped onto its threshold or beyond it, and joints hold it there: it is on either side by roundoff,
 * and has not passed. On the threshold itself, where nothing holds it, a function has the piece of its value: n of `n
 * >= 1` is 1 when it was set to 1. The number of an event has passed 0 only beyond it. */
static bool stays(const tn_sim *s, const tn_application *a, int i) {
  if (!s->m->switched[i].in_event || -a->behind[i] > a->wander[i]) return false;
  return a->wander[i] > 0 || s->guards.guard[i].event >= 0;
}

/* an operand has jumped to the edge of its piece or beyond, and its value asks for another */
static bool has_jumped(tn_sim *s, const tn_application *a, int i, bool laws_only) {
  if (s->guards.guard[i].moved || (laws_only && s->m->switched[i].in_event)) return false;
  return a->behind[i] <= 0 && a->behind[i] != a->before[i] && pieces(s)->live[i] != pieces(s)->piece[i];
}

/* the first guard that follows, with margins as they are now; *more: there was one, those behind it may be made of
 * it. what joints hold is asked once, where an event may stay: *known */
static tn_status follow_one(tn_sim *s, tn_application *a, bool laws_only, bool *known, bool *more) {
  *more = false;
  tn_system_stale(&s->solver.sys);
  TN_TRY(laws_only ? law_margins(s, a->behind) : tn_guards_margins(s, s->now.t, s->now.y, a->behind));
  for (int i = 0; i < s->m->switches && !*more; i++) {
    const bool in_event = s->m->switched[i].in_event;
    const double live = pieces(s)->live[i];
    if (!has_jumped(s, a, i, laws_only)) continue;
    if (in_event && !*known) {
      *known = *more = true; /* once more, with what is found */
      return tn_guards_wander(s, a->wander);
    }
    if (stays(s, a, i)) { /* it is settled with those that have passed */
      const tn_guard_state state = s->guards.guard[i].state;
      if (state != TN_GUARD_PASSED && state != TN_GUARD_SENT_BACK) tn_guard_move(s, i, TN_GUARD_PASSED);
      continue;
    }
    TN_TRY(tn_guard_change(s, i, live, a->by_event));
    a->in_joint = a->in_joint || s->m->switched[i].in_joint;
    a->in_law = a->in_law || !in_event;
    *more = true;
  }
  return TN_OK;
}

/* pieces whose operands have jumped from a->before to what they are now, a->behind */
static tn_status follow(tn_sim *s, tn_application *a, bool laws_only) {
  bool known = false;
  for (bool more = true; more;) TN_TRY(follow_one(s, a, laws_only, &known, &more));
  for (int i = 0; i < s->m->switches; i++) s->guards.guard[i].moved = false;
  return TN_OK;
}

/* between the actions of an event: laws have the values that were set, conditions are looked at when all is done */
tn_status tn_guards_laws_follow(tn_sim *s, tn_application *a) {
  bool some = false;
  for (int i = 0; i < s->m->switches; i++) some = some || !s->m->switched[i].in_event;
  if (!some) {
    tn_pieces_hold(s);
    return TN_OK;
  }
  const tn_status status = follow(s, a, true);
  for (int i = 0; i < s->m->switches; i++)
    if (!s->m->switched[i].in_event) a->before[i] = a->behind[i];
  return status;
}

/* ---- all that is due --------------------------------------------------------------------------------------------- */

/* (1) */
static tn_status pass_due(tn_sim *s, tn_application *a) {
  for (int i = 0; i < s->m->switches; i++) {
    const tn_guard *g = &s->guards.guard[i];
    if (g->state != TN_GUARD_DUE) continue;
    TN_TRY(tn_guard_change(s, i, g->to, false));
    a->in_joint = a->in_joint || s->m->switched[i].in_joint;
    a->in_law = a->in_law || !s->m->switched[i].in_event;
  }
  return TN_OK;
}

/* (3): velocities of what is driven go on at another rate */
static tn_status drive_on(tn_sim *s) {
  bool changed = false;
  s->kinks.driving = true;
  const tn_status status = tn_accept(s, s->now.t, s->now.y, &changed);
  s->kinks.driving = false;
  if (status == TN_OK) tn_packed_ledger(s);
  return status;
}

/* (4) */
static tn_status act(tn_sim *s, tn_application *a) {
  int at = -1;
  a->by_event = true;
  for (bool some = true; some;) {
    memcpy(a->before, a->behind, sizeof *a->before * (size_t)s->m->switches);
    TN_TRY(tn_events_next(s, a, &at, &some));
    if (!some) TN_TRY(tn_guards_send_back(s, a, &some));
    if (some) TN_TRY(follow(s, a, false));
  }
  return TN_OK;
}

/* (5) */
static void start_integrator(tn_sim *s, const tn_application *a) {
  const tn_integrator_type *type = s->m->run.integrator;
  if (!a->in_law && !s->events.changed && !type->keeps_rates && !type->advance) return;
  type->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
  if (type->keeps_rates) s->stepper.h = 0; /* it begins with order one */
  s->stepper.err_last = 0;
}

static tn_status apply(tn_sim *s, tn_application *a) {
  TN_TRY(tn_guards_margins(s, s->now.t, s->now.y, a->before));
  TN_TRY(tn_kink_begin(s));
  TN_TRY(pass_due(s, a));
  s->events.changed = s->events.switched = false;
  TN_TRY(follow(s, a, false));
  if (a->in_joint) TN_TRY(tn_kink_end(s));
  if (a->in_joint) TN_TRY(drive_on(s));
  a->in_joint = s->kinks.kinked = false;
  if (s->m->triggers) TN_TRY(act(s, a));
  if (a->in_joint) TN_TRY(drive_on(s));
  if (s->events.changed) TN_TRY(tn_events_restart(s));
  start_integrator(s, a);
  if (s->m->triggers) {
    tn_events_decide(s);
    TN_TRY(tn_guards_settle(s, a->wander));
  }
  return tn_guards_margins(s, s->now.t, s->now.y, s->guards.begin);
}

tn_status tn_guards_apply(tn_sim *s) {
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  tn_application a = {0};
  double **const margins[] = {&a.before, &a.behind, &a.wander};
  for (size_t i = 0; i < sizeof margins / sizeof *margins; i++) *margins[i] = tn_room(s, s->m->switches);
  s->guards.applying = true;
  const tn_status status = apply(s, &a);
  s->guards.applying = false;
  tn_scratch_close(&s->scratch, scope);
  if (status != TN_OK || !s->events.stop_asked) return status;
  s->events.stop_asked = false;
  tn_fail(s->e, TN_E_STOPPED, "the run was interrupted");
  s->e->time = s->now.t;
  return TN_E_STOPPED;
}

tn_status tn_guards_begin(tn_sim *s) {
  tn_guards *w = &s->guards;
  const int n = s->m->switches;
  if (!n) return TN_OK;
  memcpy(w->before, w->begin, sizeof *w->begin * (size_t)n);
  w->before_at = s->before.t; /* not behind it, if nothing was done yet */
  for (int i = 0; i < n; i++) w->guard[i].fresh = false;
  if (!w->known) TN_TRY(tn_pieces_record(s));
  if (w->due) return tn_guards_apply(s);
  TN_TRY(tn_guards_margins(s, s->now.t, s->now.y, w->begin));
  if (!s->m->triggers) return TN_OK;
  if (tn_events_decide(s)) TN_TRY(tn_guards_margins(s, s->now.t, s->now.y, w->begin));
  tn_guards_rearm(s);
  return TN_OK;
}

tn_status tn_guards_finish(tn_sim *s, bool all) {
  bool some = all;
  for (int i = 0; s->guards.due && i < s->m->switches; i++)
    some = some || (s->m->switched[i].in_event && s->guards.guard[i].state == TN_GUARD_DUE);
  return s->guards.due && some ? tn_guards_apply(s) : TN_OK;
}
