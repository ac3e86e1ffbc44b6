/* guards: what has no end, and what chatters.
 *
 *   (1) switching to and fro: a piece that changes IDLE_MOST times while the time hardly goes on. No piece has a
 *       motion that stays in it
 *   (2) Zeno behavior: an event of the motion that comes sooner and sooner, SHORTER_TIMES times in a row, and a
 *       thousand times sooner in the end than at first and than a step is long, as bounces that die away. It is
 *       refused while that can be told from roundoff
 *   (3) a circle: what an event sets may make others true, at the same time, and these again others. Where that has
 *       no end, FIRINGS_MOST firings later, the circle is of those that have come more than once in the later half
 *   (4) chattering, a sliding mode: changes TN_CHATTER_TIMES times in a row with no more than TN_CHATTER_STEPS steps
 *       in between. It is not refused; the verdict tells */
#include "simulate/guards.h"

#include "simulate/simulate.h"

enum { IDLE_MOST = 20, SHORTER_TIMES = 4, FIRINGS_MOST = 1000, NAMED_MOST = 8 }; /* the last: events in a message */

static const double PROGRESS = 1e-6;   /* of the longest step: time that goes on */
static const double SHORTER = 0.9995;  /* of the time before: events that come sooner */
static const double ZENO_SHORT = 1e-3; /* of the longest step, and of the first of these times: too soon */

/* ---- (1), (4) ---------------------------------------------------------------------------------------------------- */

tn_status tn_limit_changes(tn_sim *s, int i, bool by_event) {
  tn_guard *g = &s->guards.guard[i];
  const tn_switch *x = &s->m->switched[i];
  if (!by_event) g->idle = s->now.t - g->last <= PROGRESS * s->stepper.longest ? g->idle + 1 : 0;
  g->last = s->now.t;
  if (g->idle < IDLE_MOST) return TN_OK;
  tn_fail(s->e, TN_E_RUN, "%s '%s': %s switches to and fro without the time going on", x->kind, x->name, x->text);
  if (g->event >= 0)
    tn_hint(s->e, "what it does leads back across its zero: let it do less, or only in one `direction`");
  else
    tn_hint(s->e,
            "what it does on either side leads back to the edge: smooth it, as tanh(x/small) does with sign(x), or, if "
            "it is friction, use a force of that type");
  s->e->time = s->now.t;
  return TN_E_RUN;
}

bool tn_guard_chatters(tn_sim *s, int i) {
  tn_guard *g = &s->guards.guard[i];
  const bool soon = s->summary.steps - g->at_step <= TN_CHATTER_STEPS;
  g->at_step = s->summary.steps;
  if (!(g->noise > 0)) return false; /* a function of time alone may switch as often as it likes */
  g->quick = soon ? g->quick + 1 : 0;
  return g->quick == TN_CHATTER_TIMES;
}

/* ---- (2) --------------------------------------------------------------------------------------------------------- */

/* functions of time alone come as often as they like */
static bool is_of_the_motion(const tn_sim *s, const tn_trigger *x) {
  bool noisy = s->guards.guard[x->slot].noise > 0;
  for (int k = 0; k < x->inside; k++) noisy = noisy || s->guards.guard[x->switches + k].noise > 0;
  return noisy;
}

static tn_status ever_sooner(tn_sim *s, int i) {
  tn_event_record *r = &s->events.record[i];
  const double apart = s->now.t - r->last;
  if (!(apart > 0)) return TN_OK;
  r->shorter = apart < SHORTER * r->apart ? r->shorter + 1 : 0;
  r->apart = apart;
  if (r->shorter == 0) r->apart_first = apart;
  if (r->shorter < SHORTER_TIMES || apart > ZENO_SHORT * fmin(s->stepper.longest, r->apart_first)) return TN_OK;
  if (!is_of_the_motion(s, &s->m->trigger[i])) return TN_OK;
  tn_event_refuse(s, i, "it happens ever sooner, %.3g s after the last time: there is no end to it", apart);
  tn_hint(s->e,
          "as of bounces that die away: let another event end them, where the speed is small, by a joint that holds");
  return TN_E_RUN;
}

/* ---- (3) --------------------------------------------------------------------------------------------------------- */

/* it has come more than once, and does what others may see */
static bool in_circle(const tn_sim *s, int i) {
  const tn_trigger *x = &s->m->trigger[i];
  bool does = false;
  for (int k = 0; k < x->acts; k++) does = does || (x->act[k].kind != TN_ACT_RECORD && x->act[k].kind != TN_ACT_STOP);
  return does && s->events.record[i].here > 1;
}

static tn_status refuse_circle(tn_sim *s) {
  char names[NAMED_MOST * 80] = "";
  int n = 0, k = 0;
  size_t at = 0;
  for (int i = 0; i < s->m->triggers; i++) n += in_circle(s, i);
  for (int i = 0; i < s->m->triggers && k < NAMED_MOST && at < sizeof names; i++) {
    if (!in_circle(s, i)) continue;
    const char *before = k == 0 ? "" : k == n - 1 ? " and " : ", ";
    at += (size_t)tn_format(names + at, sizeof names - at, "%s'%.60s'", before, s->m->trigger[i].name);
    k++;
  }
  if (n > k && at < sizeof names) tn_format(names + at, sizeof names - at, " and %d more", n - k);
  tn_event_refuse(s, -1, "%s %s %s off without end: %" PRId64 " firings", n > 1 ? "events" : "event", names,
                  n > 1 ? "set each other" : "sets itself", s->events.firings);
  tn_hint(s->e, "let one of them do less, happen only in one `direction`, or a number of `times`");
  return TN_E_RUN;
}

static tn_status count_here(tn_sim *s, int i) {
  tn_events *w = &s->events;
  if (s->now.t != w->t_here) w->firings = 0;
  if (w->firings == 0 || w->firings == FIRINGS_MOST / 2)
    for (int k = 0; k < s->m->triggers; k++) w->record[k].here = 0;
  w->t_here = s->now.t;
  if (w->firings >= FIRINGS_MOST && w->record[i].here > 1) return refuse_circle(s);
  w->firings++;
  w->record[i].here++;
  return TN_OK;
}

tn_status tn_limit_firings(tn_sim *s, int i) {
  TN_TRY(count_here(s, i));
  return s->events.record[i].count ? ever_sooner(s, i) : TN_OK;
}
