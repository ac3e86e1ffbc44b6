/* functions made of pieces in laws of forces and drivers (step sign abs min max mod table .., comparisons). through a step each
 * keeps the piece it begins with, so that every formula sees smooth rates. a piece has a margin g(t, y), 0 at its edge and below 0
 * outside (base/expr_piece.c). after an attempt that could be taken
 *   (1) t* = first time in it at which some g falls below 0, on the integrator's own state inside the step: g >= 0 at `low`, g < 0
 *       at `high`, by regula falsi (Illinois) on the nearest, every third time by halving, down to roundoff of t
 *   (2) the step is made anew with the length t* - t, and twice nearer with t* - g/gdot; or, of formulas that keep rates of
 *       earlier steps, the state inside is taken
 *   (3) the next step begins with the pieces behind t*; those whose operands jump thereby follow; integrators start anew
 * a switch at the start of a step is made there. one that is made MOST_IDLE times without the time going on is refused: no
 * piece has a motion that stays in it. what an event sets may be passed at once by many others: event.c counts these.
 * an attempt that ends inside all pieces may have left one and come back: then an evaluation inside it was outside, or the parabola
 *   (4) q(x) = (1 - x) g0 + x g1 + a x (x - 1),  a = (gs - (1 - x) g0 - x g1)/(x (x - 1)) at the share x of an evaluation
 * through the margins at its ends and near a third or two (of formulas that keep rates: at the start of the step before) has a least
 * value below 0; the state inside is looked at in these places and at eighths of the step.
 * an operand that rests on an edge, as one that joints hold there, is on either side by roundoff. what a margin changes by when every
 * number of the state is off by TN_NOISE of the error it may have is nothing to switch at: it is not outside until it is by more.
 * a margin that was below 0 at the start, by roundoff behind a switch, counts from where it has been above.
 * behind a passage of an event: edge.c */
#include "simulate/simulate.h"

enum { MOST_IDLE = 20, MOST_TOLD = 4, MOST_SEARCH = 200, PARTS = 8 };

static const double PROGRESS = 1e-6;  /* of the longest step                            */
static const double HERE = 1e-13;     /* of the time, or of the step: no length of its own */
static const double ROUNDOFF = 9e-16; /* of the time, or of the step                    */
static const double BACK = 1e-3;      /* of the step, for the slope                     */
static const double EDGE = 0.05;      /* of the step: evaluations nearer to its ends say nothing of a parabola */

static tn_switching *pieces(tn_sim *s) { return &s->solver.sys.switching; }

void tn_switch_carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  tn_switches *w = &s->switches;
  double **numbers[] = {&w->to,   &w->begin, &w->from,    &w->low,     &w->high,
                        &w->last, &w->room,  &w->near[0], &w->near[1], &w->before};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = TN_CARVE(c, double, m->switches);
  w->noise = TN_CARVE(c, double, m->switches);
  w->clear = TN_CARVE(c, double, m->switches);
  w->span = TN_CARVE(c, double, m->switches);
  w->wander = TN_CARVE(c, double, m->switches);
  w->deep = TN_CARVE(c, bool, m->switches);
  w->sent = TN_CARVE(c, bool, m->switches);
  w->idle = TN_CARVE(c, int, m->switches);
  w->told = TN_CARVE(c, int, m->switches);
  w->quick = TN_CARVE(c, int, m->switches);
  w->at_step = TN_CARVE(c, int64_t, m->switches);
}

/* forces and rows may be others then */
static void set_how(tn_sim *s, tn_how how) {
  if (!s->m->switches || pieces(s)->how == how) return;
  pieces(s)->how = how;
  tn_system_stale(&s->solver.sys);
}

void tn_switch_hold(tn_sim *s) { set_how(s, TN_PIECES_HELD); }
void tn_switch_live(tn_sim *s) { set_how(s, TN_PIECES_LIVE); }

/* a state at the very edge of a piece came there on the piece that is held: what is computed there is of that side, as the state is.
 * before the first step nothing is held */
void tn_switch_side(tn_sim *s) { set_how(s, s->switches.known ? TN_PIECES_HELD : TN_PIECES_LIVE); }

void tn_switch_forget(tn_sim *s) {
  s->switches.due = false;
  for (int i = 0; i < s->m->switches; i++) s->switches.to[i] = NAN;
}

void tn_switch_reset(tn_sim *s) {
  tn_switches *w = &s->switches;
  w->known = false;
  w->share = 1;
  w->longest = 0;
  s->summary.switches = 0;
  for (int i = 0; i < s->m->switches; i++) {
    w->last[i] = -INFINITY;
    w->noise[i] = w->clear[i] = w->span[i] = 0;
    w->idle[i] = w->quick[i] = 0;
    w->at_step[i] = 0;
    w->sent[i] = false;
  }
  tn_switch_forget(s);
  tn_switch_live(s);
}

/* laws and events at a state */
static tn_status look(tn_sim *s, double t, double *y) {
  const bool solved = s->m->triggers_after_solve;
  tn_status status = solved ? tn_solve_at(s, t, y) : tn_at(s, t, y, s->e);
  if (status == TN_OK && s->m->triggers) {
    memcpy(s->solver.sys.ledger, tn_ledger_of(s, y), sizeof s->solver.sys.ledger);
    if (solved) tn_reactions_here(s);
    status = tn_events_look(s, solved);
  }
  return status;
}

/* margins at a state */
tn_status tn_switch_margins(tn_sim *s, double t, double *y, double *to) {
  tn_switch_hold(s);
  const tn_status status = look(s, t, y);
  if (status == TN_OK) memcpy(to, pieces(s)->margin, sizeof *to * (size_t)s->m->switches);
  return status;
}

/* it counts from the start of the step: it was inside there, or has been sent inside and is at the edge by roundoff */
static bool counts(const tn_switches *w, int i) { return w->begin[i] >= w->clear[i] || w->sent[i]; }

/* a margin below this is outside */
static double least_of(const tn_switches *w, int i) { return fmax(w->noise[i], w->clear[i]); }

void tn_switch_notice(tn_sim *s) {
  tn_switches *w = &s->switches;
  const double share = (s->solver.sys.t - s->now.t) / s->stepper.length;
  if (pieces(s)->how != TN_PIECES_HELD) return;
  if (s->m->triggers) tn_events_look(s, false); /* at a stage one may be anything */
  for (int i = 0; i < s->m->switches; i++)
    if (pieces(s)->margin[i] < -least_of(w, i) && counts(w, i)) w->suspect = fmin(w->suspect, share);
  for (int k = 0; k < 2 && share > EDGE && share < 1 - EDGE; k++) {
    const double best = (1 + k) / 3.0;
    if (fabs(share - best) > fabs(w->near_at[k] - best)) continue;
    w->near_at[k] = share;
    memcpy(w->near[k], pieces(s)->margin, sizeof *w->near[k] * (size_t)s->m->switches);
  }
}

void tn_switch_attempt(tn_sim *s) {
  s->switches.suspect = INFINITY;
  s->switches.near_at[0] = s->switches.near_at[1] = INFINITY;
}

/* ---- to another piece --------------------------------------------------------------------------------------------------- */

/* the event that a switch is, or -1 */
static int event_of(const tn_model *m, int i) {
  for (int k = 0; k < m->triggers; k++)
    if (m->trigger[k].slot == i) return k;
  return -1;
}

/* once for all components of a vector that have the expression in common */
static void log_switch(tn_sim *s, int i) {
  const tn_switch *x = &s->m->switched[i];
  int *told = &s->switches.told[i];
  if (++*told > MOST_TOLD) return;
  char text[sizeof s->log.event->text];
  tn_format(text, sizeof text, "%s '%s': %s%s", x->kind, x->name, x->text,
            *told < MOST_TOLD ? "" : "; later ones are only counted");
  for (int k = s->log.events - 1; k >= 0 && s->log.event[k].t == s->now.t; k--)
    if (strcmp(s->log.event[k].kind, "switch") == 0 && strcmp(s->log.event[k].text, text) == 0) return;
  tn_log(s, s->now.t, "switch", "%s", text);
}

/* to another piece, where the motion leads; `set`: by what an event has done, which may come back as often as events do */
static tn_status change(tn_sim *s, int i, double piece, bool set) {
  tn_switches *w = &s->switches;
  const tn_switch *x = &s->m->switched[i];
  const int event = event_of(s->m, i);
  pieces(s)->piece[i] = piece;
  if (x->in_event) w->clear[i] = NAN; /* to be found once all is done */
  w->before[i] = NAN;
  if (event >= 0) tn_events_pass(s, event, piece);
  if (!x->in_event) {
    s->summary.switches++;
    log_switch(s, i);
  }
  tn_doubt_switch(s, i);
  if (!set) w->idle[i] = s->now.t - w->last[i] <= PROGRESS * w->longest ? w->idle[i] + 1 : 0;
  w->last[i] = s->now.t;
  if (w->idle[i] < MOST_IDLE) return TN_OK;
  tn_fail(s->e, TN_E_RUN, "%s '%s': %s switches to and fro without the time going on", x->kind, x->name, x->text);
  if (event >= 0)
    tn_hint(s->e, "what it does leads back across its zero: let it do less, or only in one `direction`");
  else
    tn_hint(s->e,
            "what it does on either side leads back to the edge: smooth it, as tanh(x/small) does with sign(x), or, if "
            "it is friction, use a force of that type");
  s->e->time = s->now.t;
  return TN_E_RUN;
}

tn_status tn_switch_change(tn_sim *s, int i, double piece) { return change(s, i, piece, false); }

/* an operand has jumped onto the edge of a piece of an event or beyond it, and joints hold it there to within `wander`: it is on either
 * side by roundoff, and has not passed. on the edge itself, where nothing holds it, it is where its value is: n of `n >= 1` is 1 when it
 * was set to 1. the number of an event has passed zero only beyond it */
static bool stays(const tn_sim *s, int i, double margin) {
  const tn_switches *w = &s->switches;
  if (!s->m->switched[i].in_event || -margin > w->wander[i]) return false;
  return w->wander[i] > 0 || event_of(s->m, i) >= 0;
}

/* what follows from jumps of operands */
typedef struct following {
  bool laws_only; /* those of events wait                        */
  bool set;       /* an event has set what they are made of      */
  bool in_joint;  /* some of a joint did                         */
  bool some;      /* some of a law did                           */
} following;

/* of laws alone, at the present state: those of events are what they were */
static tn_status law_margins(tn_sim *s, double *to) {
  tn_switch_hold(s);
  const tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  if (status == TN_OK) memcpy(to, pieces(s)->margin, sizeof *to * (size_t)s->m->switches);
  return status;
}

/* pieces whose operands have jumped follow; margins before it are in w->low, those behind it come into w->high */
static tn_status follow(tn_sim *s, following *f) {
  tn_switches *w = &s->switches;
  bool known = false;
  for (bool more = true; more;) { /* an operand is made of what stands before it: n times at most */
    more = false;
    tn_system_stale(&s->solver.sys);
    const tn_status status = f->laws_only ? law_margins(s, w->high) : tn_switch_margins(s, s->now.t, s->now.y, w->high);
    if (status != TN_OK) return status;
    for (int i = 0; i < s->m->switches; i++) {
      const double live = pieces(s)->live[i];
      const bool in_event = s->m->switched[i].in_event;
      if (f->laws_only && in_event) continue;
      if (!isnan(w->to[i]) || !(w->high[i] <= 0) || w->high[i] == w->low[i] || live == pieces(s)->piece[i]) continue;
      if (in_event && !known) {
        known = more = true; /* and once more, with what is found */
        const tn_status found = tn_edge_wander(s);
        if (found != TN_OK) return found;
        break;
      }
      if (stays(s, i, w->high[i])) {
        w->clear[i] = NAN;
        continue;
      }
      const tn_status changed = change(s, i, w->to[i] = live, f->set);
      if (changed != TN_OK) return changed;
      f->in_joint = f->in_joint || s->m->switched[i].in_joint;
      f->some = f->some || !in_event;
      more = true;
      break; /* those behind it may be made of it */
    }
  }
  tn_switch_forget(s);
  return TN_OK;
}

/* between the actions of an event: laws have the values that were set, conditions are looked at when all is done */
tn_status tn_switch_laws_follow(tn_sim *s) {
  tn_switches *w = &s->switches;
  following f = {.laws_only = true, .set = true};
  bool some = false;
  for (int i = 0; i < s->m->switches; i++) some = some || !s->m->switched[i].in_event;
  if (!some) {
    tn_switch_hold(s);
    return TN_OK;
  }
  const tn_status status = follow(s, &f);
  for (int i = 0; i < s->m->switches; i++)
    if (!s->m->switched[i].in_event) w->low[i] = w->high[i];
  w->set_in_joint = w->set_in_joint || f.in_joint;
  w->set_some = w->set_some || f.some;
  return status;
}

/* velocities of what is driven go on at another rate; what the impulse does is the driver's work */
static tn_status drive_on(tn_sim *s) {
  bool changed = false;
  s->switches.making = true;
  const tn_status status = tn_accept(s, s->now.t, s->now.y, &changed);
  s->switches.making = false;
  if (status == TN_OK) tn_packed_ledger(s);
  return status;
}

/* events that are due, one by one in the order of the file, and again from its first on as long as what they do passes others */
static tn_status happen(tn_sim *s, following *f) {
  tn_switches *w = &s->switches;
  int at = -1;
  for (bool some = true; some;) {
    memcpy(w->low, w->high, sizeof *w->low * (size_t)s->m->switches);
    tn_status status = tn_events_next(s, &at, &some);
    if (status == TN_OK && !some) status = tn_edge_send_back(s, &some);
    f->set = true;
    if (status == TN_OK && some) status = follow(s, f);
    if (status != TN_OK) return status;
  }
  return TN_OK;
}

/* those that are due, at the present state, those whose operands jump thereby, and what events do; this may pass other events */
static tn_status apply(tn_sim *s) {
  tn_switches *w = &s->switches;
  const tn_integrator_type *type = s->m->run.integrator;
  following f = {.set = false};
  tn_status status = tn_switch_margins(s, s->now.t, s->now.y, w->low);
  if (status == TN_OK) status = tn_kink_begin(s);
  if (status != TN_OK) return status;
  for (int i = 0; i < s->m->switches; i++) {
    if (isnan(w->to[i])) continue;
    if ((status = tn_switch_change(s, i, w->to[i])) != TN_OK) return status;
    f.in_joint = f.in_joint || s->m->switched[i].in_joint;
    f.some = f.some || !s->m->switched[i].in_event;
  }
  s->happening.changed = s->happening.switched = w->set_in_joint = w->set_some = false;
  if ((status = follow(s, &f)) != TN_OK) return status;
  if (f.in_joint && (status = tn_kink_end(s)) != TN_OK) return status;
  if (f.in_joint && (status = drive_on(s)) != TN_OK) return status;
  f.in_joint = w->kinked = false;
  if (s->m->triggers && (status = happen(s, &f)) != TN_OK) return status;
  if ((f.in_joint || w->set_in_joint) && (status = drive_on(s)) != TN_OK) return status;
  if (s->happening.changed && (status = tn_events_restart(s)) != TN_OK) return status;
  if (f.some || w->set_some || s->happening.changed || type->keeps_rates || type->advance) {
    type->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
    if (type->keeps_rates) s->stepper.h = 0; /* it begins with order one */
    s->stepper.err_last = 0;
  }
  if (s->m->triggers) {
    tn_events_decide(s);
    if ((status = tn_edge_clear(s)) != TN_OK) return status;
  }
  status = tn_switch_margins(s, s->now.t, s->now.y, w->begin);
  if (status != TN_OK || !s->happening.wish) return status;
  s->happening.wish = false;
  tn_fail(s->e, TN_E_STOPPED, "the run was interrupted");
  s->e->time = s->now.t;
  return TN_E_STOPPED;
}

tn_status tn_switch_begin(tn_sim *s) {
  tn_switches *w = &s->switches;
  tn_status status;
  if (!s->m->switches) return TN_OK;
  w->share = 1;
  memcpy(w->before, w->begin, sizeof *w->begin * (size_t)s->m->switches);
  w->before_at = s->before.t; /* not behind it, if nothing was done yet */
  if (!w->known) {
    set_how(s, TN_PIECES_RECORD);
    if ((status = look(s, s->now.t, s->now.y)) != TN_OK) return status;
    w->known = true;
  }
  if (w->due) return apply(s);
  if ((status = tn_switch_margins(s, s->now.t, s->now.y, w->begin)) != TN_OK) return status;
  if (!s->m->triggers) return TN_OK;
  tn_events_decide(s);
  if ((status = tn_switch_margins(s, s->now.t, s->now.y, w->begin)) != TN_OK) return status;
  tn_edge_cleared(s);
  return TN_OK;
}

tn_status tn_switch_finish(tn_sim *s, bool all) {
  bool some = all;
  for (int i = 0; s->switches.due && i < s->m->switches; i++)
    some = some || (s->m->switched[i].in_event && !isnan(s->switches.to[i]));
  return s->m->switches && s->switches.due && some ? apply(s) : TN_OK;
}

/* ---- where ---------------------------------------------------------------------------------------------------------------- */

/* margins at a share of the attempt, into `to` */
static tn_status inside(tn_sim *s, double t_end, double share, double *to) {
  const double t = share < 1 ? s->now.t + share * (t_end - s->now.t) : t_end;
  tn_switch_hold(s);
  const tn_status status = s->packed.indirect
                               ? tn_packed_inside(s, t, share, s->now.y, s->next.y)
                               : s->m->run.integrator->dense(s->stepper.work, &s->stepper.ode, share, s->inside.y);
  return status == TN_OK ? tn_switch_margins(s, t, s->inside.y, to) : status;
}

static bool is_outside(const tn_switches *w, int i, double share, const double *margin) {
  return margin[i] < (w->deep[i] ? 0 : -least_of(w, i)) && share >= w->from[i];
}

/* the first that is outside its piece, or -1 */
static int outside(const tn_sim *s, double share, const double *margin) {
  for (int i = 0; i < s->m->switches; i++)
    if (is_outside(&s->switches, i, share, margin)) return i;
  return -1;
}

/* from which share on margins count. *here: some were outside all the time, and go where they are */
static tn_status count_from(tn_sim *s, double t_end, bool *here) {
  static const double look[] = {1.0 / 64, 1.0 / 8, 1.0 / 2};
  tn_switches *w = &s->switches;
  bool back = false;
  *here = false;
  for (int i = 0; i < s->m->switches; i++) {
    w->from[i] = counts(w, i) ? 0 : INFINITY;
    back = back || (!counts(w, i) && w->deep[i]);
  }
  for (size_t k = 0; back && k < sizeof look / sizeof *look; k++) {
    tn_status status = inside(s, t_end, look[k], w->room);
    if (status != TN_OK) return status;
    for (int i = 0; i < s->m->switches; i++) {
      if (counts(w, i) || !w->deep[i]) continue;
      if (w->room[i] >= w->clear[i]) w->from[i] = fmin(w->from[i], look[k]);
      if (w->room[i] < 0 && k == 0) w->to[i] = pieces(s)->live[i];
    }
  }
  for (int i = 0; back && i < s->m->switches; i++) {
    if (isfinite(w->from[i])) w->to[i] = NAN;
    *here = *here || !isnan(w->to[i]);
  }
  return TN_OK;
}

/* (1): the bracket; margins at its ends in w->low and w->high */
static tn_status search(tn_sim *s, double t_end, double *low, double *high) {
  tn_switches *w = &s->switches;
  const double least = ROUNDOFF * fmax(fabs(t_end), t_end - s->now.t) / (t_end - s->now.t);
  double weight_low = 1, weight_high = 1, *room = s->switches.room;
  int side = 0;
  memcpy(w->low, w->begin, sizeof *w->low * (size_t)s->m->switches);
  for (int k = 0; *high - *low > least && k < MOST_SEARCH; k++) {
    double share = 0.5 * (*low + *high), nearest = *high;
    for (int i = 0; k % 3 < 2 && i < s->m->switches; i++) {
      if (!(w->high[i] < 0 && *high >= w->from[i] && w->low[i] >= 0 && *low >= w->from[i])) continue;
      const double a = weight_low * w->low[i], b = -weight_high * w->high[i];
      nearest = fmin(nearest, *low + (*high - *low) * (a / (a + b)));
    }
    if (nearest > *low && nearest < *high) share = nearest;
    if (!(share > *low && share < *high)) break;
    tn_status status = inside(s, t_end, share, room);
    if (status != TN_OK) return status;
    const bool out = outside(s, share, room) >= 0;
    weight_low = out && side > 0 ? 0.5 * weight_low : 1;
    weight_high = !out && side < 0 ? 0.5 * weight_high : 1;
    side = out ? 1 : -1;
    memcpy(out ? w->high : w->low, room, sizeof *room * (size_t)s->m->switches);
    *(out ? high : low) = share;
  }
  return TN_OK;
}

/* (4): where the parabola is least, if it is below 0 there; else NaN */
static double dip(double share, double between, double begin, double end, double noise) {
  if (!(begin >= 0 && end >= 0) || !isfinite(share) || share == 0) return NAN;
  const double a = (between - (1 - share) * begin - share * end) / (share * (share - 1));
  const double x = 0.5 - 0.5 * (end - begin) / a;
  return a > 0 && x > 0 && x < 1 && (1 - x) * begin + x * end + a * x * (x - 1) < -noise ? x : NAN;
}

/* shares of the step at which a margin may have been below 0, into w->low: NaN where it has not. false: nowhere */
static bool dips(tn_sim *s, double h) {
  tn_switches *w = &s->switches;
  const tn_integrator_type *type = s->m->run.integrator;
  const bool by_step = !type->keeps_rates && !type->advance;
  bool some = false;
  for (int i = 0; i < s->m->switches; i++) {
    w->low[i] = NAN;
    for (int k = 0; by_step && k < 2 && isnan(w->low[i]); k++)
      w->low[i] = dip(w->near_at[k], w->near[k][i], w->begin[i], w->high[i], w->noise[i]);
    if (!by_step || isnan(w->near[0][i]))
      w->low[i] = dip((w->before_at - s->now.t) / h, w->before[i], w->begin[i], w->high[i], w->noise[i]);
    if (w->clear[i] > 0) w->low[i] = NAN;
    some = some || !isnan(w->low[i]);
  }
  return some;
}

/* an attempt that is inside all pieces at its end, or outside some: *high the first share of some at which it is outside one.
 * the shares in w->low are looked at too */
static tn_status peek(tn_sim *s, double t_end, double *high) {
  tn_switches *w = &s->switches;
  const int n = s->m->switches;
  for (int k = 0; k < PARTS + n; k++) {
    const double share = k == 0 ? w->suspect : k < PARTS ? (double)k / PARTS : w->low[k - PARTS];
    if (!(share > 0 && share < *high)) continue;
    tn_status status = inside(s, t_end, share, w->room);
    if (status != TN_OK) return status;
    if (outside(s, share, w->room) < 0) continue;
    for (int i = 0; i < n; i++) w->deep[i] = w->deep[i] || w->room[i] < -least_of(w, i);
    memcpy(w->high, w->room, sizeof *w->high * (size_t)n);
    *high = share;
  }
  return TN_OK;
}

/* those that are outside at the end, with margins there in w->high */
static bool go_deep(tn_sim *s) {
  tn_switches *w = &s->switches;
  bool some = false;
  for (int i = 0; i < s->m->switches; i++) some = (w->deep[i] = w->high[i] < -least_of(w, i)) || some;
  return some;
}

/* what margins change by with the state; those of functions of time alone do not. in no direction of the state in particular */
static tn_status find_noise(tn_sim *s, double t_end) {
  tn_switches *w = &s->switches;
  double *y = s->inside.y;
  tn_error_weights(s, s->next.y, y);
  for (int i = 0; i < s->n; i++)
    y[i] = s->next.y[i] + (isfinite(y[i]) ? TN_NOISE * y[i] * (0.75 + 0.25 * cos(i)) * (i % 2 ? -1 : 1) : 0);
  tn_status status = tn_switch_margins(s, t_end, y, w->room);
  if (status != TN_OK && status != TN_E_RUN) return status;
  for (int i = 0; i < s->m->switches; i++) {
    const double change = status == TN_OK ? fabs(w->room[i] - w->high[i]) : 0;
    w->noise[i] = isfinite(change) ? change : 0;
  }
  return TN_OK;
}

tn_status tn_switch_look(tn_sim *s, double t_end, tn_found *found, double *t_cut) {
  tn_switches *w = &s->switches;
  const tn_integrator_type *type = s->m->run.integrator;
  const double h = t_end - s->now.t, least = HERE * fmax(fabs(s->now.t), h);
  const bool by_step = !type->keeps_rates && !type->advance;
  double low = 0, high = 1;
  bool here = false, some = false;
  *found = TN_FOUND_NONE;
  *t_cut = t_end;
  s->happening.bad = -1;
  tn_status status = tn_switch_margins(s, t_end, s->next.y, w->high);
  if (status != TN_OK) return status;
  some = go_deep(s);
  bool suspect = dips(s, h) || (by_step && w->suspect <= 1);
  if (!some && !suspect) return TN_OK;
  if ((status = find_noise(s, t_end)) != TN_OK) return status;
  some = go_deep(s);
  suspect = dips(s, h) || (by_step && w->suspect <= 1);
  if (!some && !suspect) return TN_OK;
  if (some)
    status = count_from(s, t_end, &here);
  else
    for (int i = 0; i < s->m->switches; i++) w->from[i] = counts(w, i) ? 0 : INFINITY;
  if (status != TN_OK) return status;
  if (here) {
    *found = TN_FOUND_HERE;
    return apply(s);
  }
  if (suspect && (status = peek(s, t_end, &high)) != TN_OK) return status;
  if (outside(s, high, w->high) < 0) return TN_OK;
  if ((status = search(s, t_end, &low, &high)) != TN_OK) return status;
  if ((status = inside(s, t_end, high, w->high)) != TN_OK) return status;
  w->leading = outside(s, high, w->high);
  for (int i = 0; i < s->m->switches; i++) w->to[i] = is_outside(w, i, high, w->high) ? pieces(s)->live[i] : NAN;
  if (w->leading < 0) return tn_fail(s->e, TN_E_INTERNAL, "a switch was lost");
  if (high * h <= least) {
    *found = TN_FOUND_HERE;
    return apply(s);
  }
  const double back = fmin(BACK, 0.5 * high);
  if ((status = inside(s, t_end, high - back, w->low)) != TN_OK) return status;
  w->slope = (w->high[w->leading] - w->low[w->leading]) / (back * h);
  w->due = true;
  *found = TN_FOUND_INSIDE;
  if ((1 - high) * h > least) *t_cut = s->now.t + high * h;
  return TN_OK;
}

tn_status tn_switch_off(tn_sim *s, double t_cut, double *off) {
  tn_switches *w = &s->switches;
  const tn_status status = tn_switch_margins(s, t_cut, s->next.y, w->high);
  *off = status == TN_OK && w->slope < 0 ? w->high[w->leading] / w->slope : 0;
  return status;
}

tn_status tn_switch_inside(tn_sim *s, double t_end, double t_cut) {
  tn_switches *w = &s->switches;
  const double share = t_cut < t_end ? (t_cut - s->now.t) / (t_end - s->now.t) : 1;
  const tn_status status = inside(s, t_end, share, w->high);
  if (status != TN_OK) return status;
  memcpy(s->next.y, s->inside.y, sizeof *s->next.y * (size_t)s->n);
  if (s->packed.indirect) memcpy(s->next.z, s->inside.z, sizeof *s->next.z * (size_t)s->stepper.ode.n);
  w->share = share;
  return TN_OK;
}
