/* guards: states and transitions, life, values.
 *
 *              a part is switched          `when` has left 0
 *        OFF <--------------------> ARMED <------------------ UNDECIDED
 *
 *                        a root                an event
 *        ARMED    -----------------> DUE ------------------> PASSED ----------------> SENT_BACK
 *        HELD     <-----------------  |                       |  ^     sent back         |  |
 *        RETURNED     withdrawn       | a law                 |  |                       |  |
 *          ^ | ^                      v                       |  +--- passed again ------+  |
 *          | | |                    ARMED                     |  ^                          |
 *          | | |                                              |  |                          |
 *          | | +---- jumped to its threshold or beyond -------|--+                          |
 *          | |                                                |                             |
 *          | +------ settled: ARMED, or HELD by joints <------+                             |
 *          +-------- settled: RETURNED <----------------------------------------------------+
 *
 *        as a step begins: HELD -> ARMED where margin >= level;  RETURNED -> ARMED, or HELD where margin < level
 *        as pieces are recorded: ARMED, HELD, RETURNED -> UNDECIDED where `when` is 0
 *
 * A guard of a law knows OFF, ARMED and DUE only: nothing happens there but that the next step takes another piece.
 * UNDECIDED is of events alone. The other states are of events and of piecewise functions inside `when`. PASSED and
 * SENT_BACK last as long as tn_guards_apply; no step begins and no state is saved with one of them.
 *
 * Why there are three states behind a passage. The action of an event may put its own quantity at the threshold. Then
 * either nothing holds the quantity there (ARMED: any later root counts); or joints hold it, and it wanders about the
 * threshold by what the contract allows (HELD: hysteresis); or the motion goes back to where it came from, as a ball
 * that bounces (RETURNED: a root counts at once, however little the ball rises, and though the margin may be below 0
 * by roundoff where the step begins).
 *
 * The fields of a guard:
 *
 * state    Always valid. Written by tn_guard_move, which asserts that the transition is one of the diagram, and by
 *          tn_guards_reset.
 *
 * from     The state before DUE, one of ARMED, HELD and RETURNED. A root is withdrawn where the candidate that should
 *          end there fails: then the guard is again what it was. Valid in DUE, else ARMED.
 *
 * to       The piece behind the root, as the evaluator found it there. Valid in DUE, else 0. tn_switching has the
 *          piece that is held; it is written where the step begins, by tn_guard_change.
 *
 * level    The margin from which a guard counts again, in the unit of its event function. Above 0 in HELD, and in DUE
 *          from there; it may be above 0 in RETURNED; else 0. Found by tn_guards_wander, written by tn_guard_settle.
 *
 * noise    What the margin changes by when the state is off by TN_NOISE of the error that it may have; 0 until a root
 *          was sought, and for functions of time alone. Written by find_noise in guards_roots.c, for the state at the
 *          end of a candidate.
 *
 * span     The largest |margin| where steps began since the start of the run, of guards of models with events; a
 *          scale for `level`. Written by tn_guards_rearm.
 *
 * last     The time of the last change of its piece; at_step, the count of steps then; idle and quick, how often in a
 *          row that came without progress of time, or within few steps. Written by guards_limits.c.
 *
 * moved    Its piece has changed since margins were last compared, so that it is not changed once more before all
 *          others had a chance. True only inside tn_guards_apply.
 *
 * fresh    Its piece has changed since the step before began, so that `before` of tn_guards is a margin of another
 *          piece. Set where pieces change, cleared by tn_guards_begin.
 *
 * event, part, of_joint  Follow from the model. logged counts over all runs of a simulation. */
#include "simulate/guards.h"

#include <limits.h>

#include "simulate/simulate.h"

#define BIT(state) (1u << TN_GUARD_##state)

/* the diagram: where each state may lead */
static const unsigned leads_to[TN_GUARD_STATES] = {
    [TN_GUARD_OFF] = BIT(ARMED),
    [TN_GUARD_UNDECIDED] = BIT(ARMED),
    [TN_GUARD_ARMED] = BIT(OFF) | BIT(UNDECIDED) | BIT(DUE) | BIT(PASSED),
    [TN_GUARD_HELD] = BIT(UNDECIDED) | BIT(ARMED) | BIT(DUE) | BIT(PASSED),
    [TN_GUARD_RETURNED] = BIT(UNDECIDED) | BIT(ARMED) | BIT(HELD) | BIT(DUE) | BIT(PASSED),
    [TN_GUARD_DUE] = BIT(ARMED) | BIT(HELD) | BIT(RETURNED) | BIT(PASSED),
    [TN_GUARD_PASSED] = BIT(ARMED) | BIT(HELD) | BIT(SENT_BACK),
    [TN_GUARD_SENT_BACK] = BIT(PASSED) | BIT(RETURNED),
};

bool tn_guard_may(tn_guard_state from, tn_guard_state to) {
  assert(from >= 0 && from < TN_GUARD_STATES && to >= 0 && to < TN_GUARD_STATES);
  return (leads_to[from] & 1u << to) != 0;
}

const char *tn_guard_word(tn_guard_state state) {
  static const char *const word[TN_GUARD_STATES] = {"off",      "undecided", "armed",  "held",
                                                    "returned", "due",       "passed", "sent back"};
  return word[state];
}

static tn_switching *pieces(tn_sim *s) { return &s->solver.sys.given.switching; }

void tn_guard_move(tn_sim *s, int i, tn_guard_state to) {
  tn_guard *g = &s->guards.guard[i];
  const bool counts_from_level = to == TN_GUARD_HELD || to == TN_GUARD_RETURNED || to == TN_GUARD_DUE;
  assert(i >= 0 && i < s->m->switches);
  assert(tn_guard_may(g->state, to));
  assert(s->m->switched[i].in_event || to == TN_GUARD_ARMED || to == TN_GUARD_DUE || to == TN_GUARD_OFF);
  assert(to != TN_GUARD_UNDECIDED || g->event >= 0);
  s->guards.due += (to == TN_GUARD_DUE) - (g->state == TN_GUARD_DUE);
  if (to != TN_GUARD_DUE) g->to = 0, g->from = TN_GUARD_ARMED;
  if (!counts_from_level) g->level = 0;
  g->state = to;
}

void tn_guard_due(tn_sim *s, int i, double piece) {
  tn_guard *g = &s->guards.guard[i];
  const tn_guard_state from = g->state;
  tn_guard_move(s, i, TN_GUARD_DUE);
  g->from = from;
  g->to = piece;
}

void tn_guard_withdraw(tn_sim *s, int i) {
  assert(s->guards.guard[i].state == TN_GUARD_DUE);
  tn_guard_move(s, i, s->guards.guard[i].from);
}

void tn_guard_settle(tn_sim *s, int i, double level) {
  tn_guard *g = &s->guards.guard[i];
  assert(level >= 0);
  if (g->state == TN_GUARD_SENT_BACK)
    tn_guard_move(s, i, TN_GUARD_RETURNED);
  else
    tn_guard_move(s, i, level > 0 ? TN_GUARD_HELD : TN_GUARD_ARMED);
  g->level = level;
}

void tn_guards_withdraw(tn_sim *s) {
  for (int i = 0; s->guards.due && i < s->m->switches; i++)
    if (s->guards.guard[i].state == TN_GUARD_DUE) tn_guard_withdraw(s, i);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static bool is_off(const tn_sim *s, const tn_guard *g) {
  if (g->part < 0) return false;
  return (g->of_joint ? s->solver.sys.given.off : s->solver.sys.given.force_off)[g->part];
}

void tn_guards_part(tn_sim *s, bool joint, int part, bool off) {
  for (int i = 0; i < s->m->switches; i++) {
    const tn_guard *g = &s->guards.guard[i];
    if (g->part == part && g->of_joint == joint) tn_guard_move(s, i, off ? TN_GUARD_OFF : TN_GUARD_ARMED);
  }
}

/* which event a guard is, and in whose law */
static void identify(const tn_model *m, tn_guard *g, int i) {
  const tn_switch *x = &m->switched[i];
  const char *kind = x->kind ? x->kind : "";
  g->event = g->part = -1;
  g->of_joint = strcmp(kind, "joint") == 0;
  for (int k = 0; k < m->triggers; k++)
    if (m->trigger[k].slot == i) g->event = k;
  if (g->of_joint) g->part = tn_index_find(&m->joint_index, x->name);
  if (strcmp(kind, "force") == 0) g->part = tn_index_find(&m->force_index, x->name);
}

void tn_guards_carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  tn_guards *w = &s->guards;
  double **const margins[] = {&w->begin, &w->before, &w->near[0], &w->near[1]};
  w->guard = TN_CARVE(c, tn_guard, m->switches);
  for (size_t i = 0; i < sizeof margins / sizeof *margins; i++) *margins[i] = TN_CARVE(c, double, m->switches);
  for (int i = 0; c->base && i < m->switches; i++) identify(m, &w->guard[i], i);
}

void tn_guards_reset(tn_sim *s) {
  tn_guards *w = &s->guards;
  w->known = false;
  w->due = 0;
  s->summary.switches = 0;
  for (int i = 0; i < s->m->switches; i++) {
    const tn_guard g = w->guard[i];
    w->guard[i] = (tn_guard){.state = is_off(s, &g) ? TN_GUARD_OFF : TN_GUARD_ARMED,
                             .from = TN_GUARD_ARMED,
                             .last = -INFINITY,
                             .event = g.event,
                             .part = g.part,
                             .of_joint = g.of_joint,
                             .logged = g.logged};
  }
  tn_pieces_live(s);
}

static void keep_guard(tn_guard *g, tn_keep *k) {
  int state = (int)g->state, from = (int)g->from;
  double *const numbers[] = {&g->to, &g->level, &g->noise, &g->span, &g->last};
  int *const counts[] = {&g->idle, &g->quick, &g->logged};
  tn_keep_ints(k, "state", 1, &state, TN_GUARD_OFF, TN_GUARD_DUE);
  tn_keep_ints(k, "from", 1, &from, TN_GUARD_ARMED, TN_GUARD_RETURNED);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tn_keep_numbers(k, "number", 1, numbers[i]);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) tn_keep_ints(k, "count", 1, counts[i], 0, INT_MAX / 2);
  tn_keep_flags(k, "fresh", 1, &g->fresh);
  tn_keep_longs(k, "at_step", 1, &g->at_step);
  g->state = (tn_guard_state)state;
  g->from = (tn_guard_state)from;
}

void tn_guards_keep(tn_sim *s, tn_keep *k) {
  tn_guards *w = &s->guards;
  const size_t n = (size_t)s->m->switches;
  tn_keep_group(k, "guards");
  tn_keep_numbers(k, "piece", n, s->solver.sys.given.switching.piece);
  tn_keep_numbers(k, "begin", n, w->begin);
  tn_keep_numbers(k, "before", n, w->before);
  tn_keep_numbers(k, "before_at", 1, &w->before_at);
  tn_keep_flags(k, "known", 1, &w->known);
  for (size_t i = 0; i < n; i++) keep_guard(&w->guard[i], k);
}

/* states that no run leaves between two steps */
static bool makes_sense(const tn_sim *s, int i) {
  const tn_guard *g = &s->guards.guard[i];
  const tn_guard_state state = g->state == TN_GUARD_DUE ? g->from : g->state;
  const bool hysteresis = state == TN_GUARD_HELD || state == TN_GUARD_RETURNED,
             has_level = state == TN_GUARD_HELD ? g->level > 0 : g->level == 0;
  if (g->event >= 0 && s->guards.known &&
      (state == TN_GUARD_UNDECIDED) != (s->solver.sys.given.switching.piece[i] == 0))
    return false;
  if (g->event < 0 && state == TN_GUARD_UNDECIDED) return false;
  if (hysteresis && !s->m->switched[i].in_event) return false;
  return g->level < INFINITY && (has_level || (state == TN_GUARD_RETURNED && g->level > 0));
}

bool tn_guards_read(tn_sim *s) {
  tn_guards *w = &s->guards;
  bool good = true;
  w->due = 0;
  for (int i = 0; i < s->m->switches; i++) {
    tn_guard *g = &w->guard[i];
    g->moved = false;
    if (g->state == TN_GUARD_DUE) w->due++;
    good = good && (g->state == TN_GUARD_OFF) == is_off(s, g) && makes_sense(s, i);
  }
  return good;
}

/* ---- pieces and margins ------------------------------------------------------------------------------------------ */

/* forces and rows may be others then */
static void set_how(tn_sim *s, tn_how how) {
  if (!s->m->switches || pieces(s)->how == how) return;
  pieces(s)->how = how;
  tn_system_stale(&s->solver.sys);
}

void tn_pieces_hold(tn_sim *s) { set_how(s, TN_PIECES_HELD); }
void tn_pieces_live(tn_sim *s) { set_how(s, TN_PIECES_LIVE); }

/* A state at the very threshold of a piece came there on the piece that is held. What is computed there is of that
 * side, as the state is. Before the first step nothing is held. */
void tn_pieces_side(tn_sim *s) { set_how(s, s->guards.known ? TN_PIECES_HELD : TN_PIECES_LIVE); }

/* laws and events at a state */
static tn_status evaluate(tn_sim *s, double t, double *y) {
  const bool solved = s->m->triggers_after_solve;
  TN_TRY(solved ? tn_solve_at(s, t, y) : tn_at(s, t, y, s->e));
  if (!s->m->triggers) return TN_OK;
  memcpy(s->solver.sys.ledger, tn_ledger_of(s, y), sizeof s->solver.sys.ledger);
  if (solved) tn_reactions_here(s);
  return tn_events_margins(s, solved);
}

tn_status tn_pieces_record(tn_sim *s) {
  set_how(s, TN_PIECES_RECORD);
  TN_TRY(evaluate(s, s->now.t, s->now.y));
  for (int k = 0; k < s->m->triggers; k++) {
    const int i = s->m->trigger[k].slot;
    const tn_guard_state state = s->guards.guard[i].state;
    const bool undecided = pieces(s)->piece[i] == 0;
    if (undecided && state != TN_GUARD_UNDECIDED) tn_guard_move(s, i, TN_GUARD_UNDECIDED);
    if (!undecided && state == TN_GUARD_UNDECIDED) tn_guard_move(s, i, TN_GUARD_ARMED);
  }
  s->guards.known = true;
  return TN_OK;
}

tn_status tn_guards_margins(tn_sim *s, double t, double *y, double *to) {
  tn_pieces_hold(s);
  const tn_status status = evaluate(s, t, y);
  if (status == TN_OK) memcpy(to, pieces(s)->margin, sizeof *to * (size_t)s->m->switches);
  return status;
}
