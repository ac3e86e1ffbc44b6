/* guards: events, which act where a running expression passes 0.
 *
 * An event has the value x of its `when` (of a condition x - 1/2), and is on the side sign(x) of it. Its margin is
 * sign x, and its guard finds where that falls below 0. Where it was passed in a direction that counts it is due, and
 * due events act in the order of the file. Each action acts by itself, and what one action sets or switches together
 * acts at once. guards_impulse.c has what follows from that.
 *
 * Rows of a joint that is off are zero, so the rank is counted anew. Feedback, the length of steps and the history of
 * formulas begin anew behind an event that changed something. */
#include "simulate/guards.h"

#include <limits.h>

#include "simulate/simulate.h"

enum { NOTED_MOST = 32 }; /* firings of each event, in the log */

static tn_switching *pieces(tn_sim *s) { return &s->solver.sys.given.switching; }

void tn_events_carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  s->events.record = TN_CARVE(c, tn_event_record, m->triggers);
  s->events.touched = TN_CARVE(c, bool, m->joints);
  s->events.ended = -1;
}

void tn_events_reset(tn_sim *s) {
  tn_events *w = &s->events;
  for (int i = 0; i < s->m->triggers; i++) w->record[i] = (tn_event_record){.due = false};
  w->t_here = 0;
  w->firings = 0;
  tn_impulse_untouch(s);
  w->ended = w->undefined = -1;
  w->stop_asked = w->uncounted = w->changed = w->switched = false;
  w->impulses = 0;
  s->summary.fired = s->summary.impulses = 0;
}

void tn_events_keep(tn_sim *s, tn_keep *k) {
  tn_events *w = &s->events;
  tn_keep_group(k, "events");
  tn_keep_finite(k, "parameter", (size_t)s->m->parameters, s->solver.sys.given.switching.parameter);
  for (int i = 0; i < s->m->triggers; i++) {
    tn_event_record *r = &w->record[i];
    double *const numbers[] = {&r->first, &r->last, &r->lost, &r->apart, &r->apart_first};
    tn_keep_flags(k, "due", 1, &r->due);
    tn_keep_longs(k, "count", 1, &r->count);
    for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) tn_keep_numbers(k, "event", 1, numbers[j]);
    tn_keep_ints(k, "shorter", 1, &r->shorter, 0, INT_MAX / 2);
    tn_keep_ints(k, "here", 1, &r->here, 0, INT_MAX / 2);
  }
  tn_keep_numbers(k, "t_here", 1, &w->t_here);
  tn_keep_longs(k, "firings", 1, &w->firings);
  tn_keep_ints(k, "ended", 1, &w->ended, -1, s->m->triggers - 1);
  tn_keep_flags(k, "changed", 1, &w->changed);
  const int impulses = tn_keep_count(k, "impulses", &w->impulses, 0, TN_MOST_IMPULSES);
  for (int i = 0; i < impulses; i++) {
    tn_struck *x = &w->impulse[i];
    tn_keep_ints(k, "joint", 1, &x->joint, 0, s->m->joints - 1);
    tn_keep_ints(k, "event", 1, &x->event, -1, s->m->triggers - 1);
    tn_keep_numbers(k, "t", 1, &x->t);
    tn_keep_numbers(k, "wrench", 6, x->wrench);
    tn_keep_numbers(k, "lost", 1, &x->lost);
  }
}

tn_status tn_event_refuse(tn_sim *s, int event, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  if (event >= 0)
    tn_fail(s->e, TN_E_RUN, "event '%s': %s", s->m->trigger[event].name, text);
  else
    tn_fail(s->e, TN_E_RUN, "%s", text);
  s->e->time = s->now.t;
  return TN_E_RUN;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void margin_of(tn_sim *s, const tn_trigger *x) {
  tn_switching *w = pieces(s);
  double value;
  tn_expr_on(&s->solver.sys, x->when, &value);
  if (x->condition) value -= 0.5;
  if (isnan(value)) s->events.undefined = (int)(x - s->m->trigger);
  double *piece = &w->piece[x->slot];
  if (w->how == TN_PIECES_RECORD) *piece = value > 0 ? 1 : value < 0 ? -1 : 0;
  w->margin[x->slot] = *piece == 0 ? INFINITY : *piece * value; /* undecided: not before it has left 0 */
  w->live[x->slot] = value > 0 ? 1 : -1;
}

/* it is not known here, and compares with nothing */
static void unknown(tn_switching *w, const tn_trigger *x) {
  w->margin[x->slot] = NAN;
  for (int k = 0; k < x->inside; k++) w->margin[x->switches + k] = NAN;
}

void tn_events_unknown(tn_sim *s) {
  for (int i = 0; i < s->m->triggers; i++) unknown(pieces(s), &s->m->trigger[i]);
}

tn_status tn_events_margins(tn_sim *s, bool solved) {
  s->events.undefined = -1;
  for (int i = 0; i < s->m->triggers; i++) {
    const tn_trigger *x = &s->m->trigger[i];
    if (solved || !x->after_solve)
      margin_of(s, x);
    else
      unknown(pieces(s), x);
  }
  if (s->events.undefined < 0) return TN_OK;
  tn_event_refuse(s, s->events.undefined, "`when` is not a number");
  s->e->time = s->solver.sys.at.t;
  return TN_E_RUN;
}

bool tn_events_decide(tn_sim *s) {
  bool some = false;
  for (int i = 0; i < s->m->triggers; i++) {
    const tn_trigger *x = &s->m->trigger[i];
    const tn_guard *g = &s->guards.guard[x->slot];
    double value;
    if (g->state != TN_GUARD_UNDECIDED) continue;
    tn_expr_on(&s->solver.sys, x->when, &value);
    if (!(fabs(value) > g->noise)) continue;
    pieces(s)->piece[x->slot] = value > 0 ? 1 : -1;
    tn_guard_move(s, x->slot, TN_GUARD_ARMED);
    some = true;
  }
  return some;
}

void tn_events_pass(tn_sim *s, int i, double to) {
  const tn_trigger *x = &s->m->trigger[i];
  tn_event_record *r = &s->events.record[i];
  if ((to > 0 ? x->up : x->down) && !(x->most && r->count >= x->most)) r->due = true;
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

/* system, ledger and reactions at the present state, for expressions */
static tn_status solve_present(tn_sim *s) {
  TN_TRY(tn_solve_here(s, s->now.t, s->now.y));
  memcpy(s->solver.sys.ledger, tn_ledger_of(s, s->now.y), sizeof s->solver.sys.ledger);
  tn_reactions_here(s);
  return TN_OK;
}

void tn_event_touch_parameters(tn_sim *s) {
  s->events.changed = true;
  tn_row_outdated(s);
  for (int i = 0; i < s->m->joints; i++)
    if (s->m->joint[i].has_parameters && !s->solver.sys.given.off[i]) s->events.touched[i] = true;
}

/* n parameters from act k on, at once: their values are found before any is set */
static tn_status set_to(tn_sim *s, int event, int k, int n, double *value) {
  const tn_act *act = &s->m->trigger[event].act[k];
  TN_TRY(solve_present(s));
  for (int i = 0; i < n; i++) {
    double *v = &value[act[i].part];
    tn_expr_on(&s->solver.sys, act[i].value, v);
    if (!isfinite(*v))
      return tn_event_refuse(s, event, "what parameter '%s' shall become is not a finite number",
                             s->m->parameter[act[i].part].name);
  }
  for (int i = 0; i < n; i++) {
    double *parameter = &pieces(s)->parameter[act[i].part];
    if (*parameter != value[act[i].part]) tn_event_touch_parameters(s);
    *parameter = value[act[i].part];
  }
  tn_system_stale(&s->solver.sys);
  tn_solver_forget(&s->solver);
  return TN_OK;
}

static tn_status set(tn_sim *s, int event, int k, int n) {
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  const tn_status status = set_to(s, event, k, n, tn_room(s, s->m->parameters));
  tn_scratch_close(&s->scratch, scope);
  return status;
}

void tn_event_switch(tn_sim *s, bool joint, int part, bool on) {
  tn_system *sys = &s->solver.sys;
  if ((joint ? sys->given.off : sys->given.force_off)[part] == !on) return;
  tn_system_switch(sys, joint, part, on);
  tn_guards_part(s, joint, part, !on);
  tn_solver_forget(&s->solver);
  s->events.changed = true;
  tn_row_outdated(s);
  if (!joint) return;
  s->events.switched = s->events.uncounted = true;
  s->events.touched[part] = on;
}

/* a row here. a receiver that wants to stop is heard when all that happens here is done */
static tn_status record(tn_sim *s) {
  tn_status status = tn_row_here(s);
  if (status == TN_OK) status = tn_hand_out(s, s->now.t);
  if (status != TN_E_STOPPED) return status;
  s->events.stop_asked = true;
  return TN_OK;
}

/* n acts of one action, from act k on, which set or switch */
static tn_status change(tn_sim *s, tn_application *a, int event, int k, int n) {
  const tn_act *act = &s->m->trigger[event].act[k];
  TN_TRY(tn_at(s, s->now.t, s->now.y, s->e));
  const double before = tn_energy_of(&s->solver.sys, TN_TOTAL);
  tn_balance_energies(s, s->ledger.balances.event);
  if (act->kind == TN_ACT_SET)
    TN_TRY(set(s, event, k, n));
  else
    for (int j = 0; j < n; j++) tn_event_switch(s, act[j].joint, act[j].part, act->kind == TN_ACT_ON);
  return tn_impulse_settle(s, a, event, before);
}

static tn_status act(tn_sim *s, tn_application *a, int event) {
  const tn_trigger *x = &s->m->trigger[event];
  for (int k = 0, n; k < x->acts; k += n) {
    const tn_act_kind kind = x->act[k].kind;
    for (n = 1; k + n < x->acts && x->act[k + n].together;) n++;
    if (kind == TN_ACT_STOP && s->events.ended < 0) s->events.ended = event;
    if (kind == TN_ACT_RECORD && s->output.to) TN_TRY(record(s));
    if (kind != TN_ACT_STOP && kind != TN_ACT_RECORD) TN_TRY(change(s, a, event, k, n));
  }
  return TN_OK;
}

static tn_status fire(tn_sim *s, tn_application *a, int i) {
  tn_event_record *r = &s->events.record[i];
  r->due = false;
  TN_TRY(tn_limit_firings(s, i));
  if (r->count++ == 0) r->first = s->now.t;
  r->last = s->now.t;
  s->summary.fired++;
  if (r->count <= NOTED_MOST)
    tn_log(s, s->now.t, "event", "%s%s", s->m->trigger[i].name,
           r->count < NOTED_MOST ? "" : "; later ones are only counted");
  return act(s, a, i);
}

tn_status tn_events_next(tn_sim *s, tn_application *a, int *at, bool *some) {
  const int n = s->m->triggers;
  *some = false;
  for (int k = 1; k <= n; k++) {
    const int i = (*at + k) % n;
    if (!s->events.record[i].due) continue;
    *some = true;
    *at = i;
    return fire(s, a, i);
  }
  return TN_OK;
}

tn_status tn_events_restart(tn_sim *s) {
  const tn_model *m = s->m;
  bool changed = false;
  tn_pieces_hold(s);
  if (s->events.switched) {
    memset(s->stabilizing.rooms, 0, s->stabilizing.rooms_size);
    for (int i = 0; i < m->run.stabilizers; i++) {
      const tn_part *p = &m->run.stabilizer[i];
      if (p->states)
        memcpy(tn_states_of(s, s->now.y) + p->state, m->state0 + p->state, sizeof(double) * (size_t)p->states);
    }
    if (m->servos) TN_TRY(tn_servos_begin(s));
  }
  TN_TRY(tn_packed_start(s));
  TN_TRY(tn_accept(s, s->now.t, s->now.y, &changed));
  tn_packed_ledger(s);
  s->stepper.h = s->stepper.err_last = 0;
  return TN_OK;
}

/* ---- for those who ask ------------------------------------------------------------------------------------------- */

bool tn_sim_fired(const tn_sim *s, int i, tn_fired *f) {
  if (!s || !f) return false;
  if (i < 0 || i >= s->m->triggers) return false;
  const tn_event_record *r = &s->events.record[i];
  *f = (tn_fired){.event = s->m->trigger[i].name, .count = r->count, .energy_lost = r->lost};
  f->first = r->count ? r->first : NAN;
  f->last = r->count ? r->last : NAN;
  return true;
}

bool tn_sim_impulse(const tn_sim *s, int i, tn_impulse *p) {
  if (!s || !p) return false;
  if (i < 0 || i >= s->events.impulses) return false;
  const tn_struck *x = &s->events.impulse[i];
  *p = (tn_impulse){.t = x->t, .joint = s->m->joint[x->joint].name, .energy_lost = x->lost};
  if (x->event >= 0) p->event = s->m->trigger[x->event].name;
  memcpy(p->wrench, x->wrench, sizeof p->wrench);
  return true;
}
