/* events: what happens where a running expression passes zero, and the jumps that come of it.
 *
 * an event has the value x of its `when` (of a condition x - 1/2) and is on the side sign(x) of it; its margin is sign x, and the
 * switches (switch.c) find where that falls below 0. at such a place, in the order of the file, what is due is done. behind it
 *   (1) C of a joint that was switched on, or of a driver whose parameters changed, must be within the contract: positions never jump
 *   (2) u+ = u- + du,  M du + A'L = 0,  A du = -Cdot in their rows, 0 in all others: the projection in the metric of masses; -A'L are
 *       the impulses
 *   (3) T+ - T- = -du'M du/2 - L'Ct: the first, L'Cdot/2, is lost, whatever else is the work of drivers
 *   (4) what forces store may change with a parameter or a switch: it goes into the ledger of forces
 *   (5) an event of the motion that comes sooner and sooner, MOST_SHORTER times in a row and a thousand times sooner in the end than at
 *       first and than a step is long, has no end, as bounces that die away: it is refused while it can still be told from roundoff
 *   (6) what an event sets may make others true, at the same time, and these again others. where that has no end, MOST_HERE firings
 *       later, it is a circle: of those that have come more than once in the later half
 * each action by itself, those of one action at once. rows of a joint that is off are zero, so the rank is counted anew; feedback, step
 * and history begin anew. */
#include "simulate/simulate.h"

enum { MOST_NOTED = 32 };                  /* of each event, in the log */
enum { MOST_HERE = 1000, MOST_NAMED = 8 }; /* (6): firings at one time; events in the message */

/* rho, which is as the square of the distance: within some times what the contract lets positions be off */
static const double STRUCK = 1e-13;
static const double NOTHING = 1e-7; /* of a row that has the size 1 elsewhere */

/* (5) */
enum { MOST_SHORTER = 4 };
static const double SHRINKS = 0.9995,
                    SHORT = 1e-3; /* of the time before; of the longest step, and of the first of these times */

static tn_switching *pieces(tn_sim *s) { return &s->solver.sys.switching; }

void tn_events_carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  tn_happening *h = &s->happening;
  h->due = TN_CARVE(c, bool, m->triggers);
  h->count = TN_CARVE(c, int64_t, m->triggers);
  h->first = TN_CARVE(c, double, m->triggers);
  h->last = TN_CARVE(c, double, m->triggers);
  h->lost = TN_CARVE(c, double, m->triggers);
  h->apart = TN_CARVE(c, double, m->triggers);
  h->apart_first = TN_CARVE(c, double, m->triggers);
  h->shorter = TN_CARVE(c, int, m->triggers);
  h->here = TN_CARVE(c, int, m->triggers);
  h->off = TN_CARVE(c, bool, m->joints);
  h->force_off = TN_CARVE(c, bool, m->forces);
  h->value = TN_CARVE(c, double, m->parameters);
  h->wrench = TN_CARVE(c, double, m->twist * m->joints);
  h->touched = TN_CARVE(c, bool, m->joints);
  h->ended = -1;
}

void tn_events_reset(tn_sim *s) {
  tn_happening *h = &s->happening;
  for (int i = 0; i < s->m->triggers; i++) {
    h->due[i] = false;
    h->count[i] = 0;
    h->first[i] = h->last[i] = NAN;
    h->lost[i] = h->apart[i] = h->apart_first[i] = 0;
    h->shorter[i] = h->here[i] = 0;
  }
  h->t_here = NAN;
  h->firings = 0;
  for (int i = 0; i < s->m->joints; i++) h->touched[i] = false;
  h->ended = -1;
  h->wish = h->uncounted = h->changed = h->switched = false;
  h->impulses = 0;
  s->summary.fired = s->summary.impulses = 0;
}

/* ---- where ------------------------------------------------------------------------------------------------------------------- */

static void look_at(tn_sim *s, const tn_trigger *x) {
  tn_switching *w = pieces(s);
  double value;
  tn_expr_on(&s->solver.sys, x->when, &value);
  if (x->condition) value -= 0.5;
  if (isnan(value)) s->happening.bad = (int)(x - s->m->trigger);
  double *piece = &w->piece[x->slot];
  if (w->how == TN_PIECES_RECORD) *piece = value > 0 ? 1 : value < 0 ? -1 : 0;
  w->margin[x->slot] = *piece == 0 ? INFINITY : *piece * value; /* at zero from the start: not before it has left */
  w->live[x->slot] = value > 0 ? 1 : -1;
}

tn_status tn_events_look(tn_sim *s, bool solved) {
  tn_switching *w = pieces(s);
  s->happening.bad = -1;
  for (int i = 0; i < s->m->triggers; i++) {
    const tn_trigger *x = &s->m->trigger[i];
    if (solved || !x->after_solve) {
      look_at(s, x);
      continue;
    }
    w->margin[x->slot] = NAN;
    for (int k = 0; k < x->inside; k++) w->margin[x->switches + k] = NAN;
  }
  if (s->happening.bad < 0) return TN_OK;
  tn_fail(s->e, TN_E_RUN, "event '%s': `when` is not a number", s->m->trigger[s->happening.bad].name);
  s->e->time = s->solver.sys.t;
  return TN_E_RUN;
}

void tn_events_decide(tn_sim *s) {
  for (int i = 0; i < s->m->triggers; i++) {
    const tn_trigger *x = &s->m->trigger[i];
    double value;
    if (pieces(s)->piece[x->slot] != 0) continue;
    tn_expr_on(&s->solver.sys, x->when, &value);
    if (fabs(value) > s->switches.noise[x->slot]) pieces(s)->piece[x->slot] = value > 0 ? 1 : -1;
  }
}

void tn_events_pass(tn_sim *s, int i, double to) {
  const tn_trigger *x = &s->m->trigger[i];
  if ((to > 0 ? x->up : x->down) && !(x->most && s->happening.count[i] >= x->most)) s->happening.due[i] = true;
}

/* ---- what is done -------------------------------------------------------------------------------------------------------------- */

/* `event 'hit': ` before what went wrong */
static tn_status refuse(tn_sim *s, const tn_trigger *x, const char *format, ...) TN_PRINTF(3, 4);
static tn_status refuse(tn_sim *s, const tn_trigger *x, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  if (x)
    tn_fail(s->e, TN_E_RUN, "event '%s': %s", x->name, text);
  else
    tn_fail(s->e, TN_E_RUN, "%s", text);
  s->e->time = s->now.t;
  return TN_E_RUN;
}

/* system, ledger and reactions at the present state, for expressions */
static tn_status know(tn_sim *s) {
  const tn_status status = tn_solve_here(s, s->now.t, s->now.y);
  if (status != TN_OK) return status;
  memcpy(s->solver.sys.ledger, tn_ledger_of(s, s->now.y), sizeof s->solver.sys.ledger);
  tn_reactions_here(s);
  return TN_OK;
}

static void touch_parameters(tn_sim *s) {
  s->happening.changed = true;
  s->output.t_given = NAN; /* a row of this time is not the last word */
  for (int i = 0; i < s->m->joints; i++)
    if (s->m->joint[i].has_parameters && !s->solver.sys.off[i]) s->happening.touched[i] = true;
}

/* n parameters from act k on */
static tn_status set(tn_sim *s, const tn_trigger *x, int k, int n) {
  const tn_status status = know(s);
  if (status != TN_OK) return status;
  for (int i = k; i < k + n; i++) {
    const tn_act *act = &x->act[i];
    tn_expr_on(&s->solver.sys, act->value, &s->happening.value[act->part]);
    if (!isfinite(s->happening.value[act->part]))
      return refuse(s, x, "what parameter '%s' shall become is not a finite number", s->m->parameter[act->part].name);
  }
  for (int i = k; i < k + n; i++) {
    const int part = x->act[i].part;
    if (pieces(s)->parameter[part] != s->happening.value[part]) touch_parameters(s);
    pieces(s)->parameter[part] = s->happening.value[part];
  }
  tn_system_stale(&s->solver.sys);
  tn_solver_forget(&s->solver);
  return TN_OK;
}

static void turn(tn_sim *s, bool joint, int part, bool on) {
  tn_system *sys = &s->solver.sys;
  if ((joint ? sys->off : sys->force_off)[part] == !on) return;
  tn_system_switch(sys, joint, part, on);
  tn_solver_forget(&s->solver);
  s->happening.changed = true;
  s->output.t_given = NAN;
  if (!joint) return;
  s->happening.switched = s->happening.uncounted = true;
  s->happening.touched[part] = on;
}

/* the worst of rows of joints that were touched, scaled; -1 in *row: there is none */
static double worst_touched(const tn_sim *s, const double *rows, bool velocity, int *row) {
  const tn_model *m = s->m;
  double worst = 0;
  *row = -1;
  for (int i = 0; i < (velocity ? m->rows : m->holonomic); i++) {
    const int joint = m->row_joint[i];
    if (joint >= m->joints || !s->happening.touched[joint]) continue;
    const double off = fabs(rows[i]) * s->solver.sys.scale[i];
    if (*row < 0 || !(off <= worst)) worst = off, *row = i;
  }
  return worst;
}

/* what joint i exerted by its rows, and its part of what is lost */
static void note_impulse(tn_sim *s, int event, int i, const double *r, const double *lambda) {
  const tn_model *m = s->m;
  tn_happening *h = &s->happening;
  const char *name = m->joint[i].name;
  const bool has_wrench = tn_joint_has_wrench(&m->joint[i]);
  int row = 0;
  double lost = 0, along = 0, size = 0, turn = 0, *wrench = h->wrench + m->twist * i;
  for (int k = 0; k < m->rows; k++) {
    if (m->row_joint[k] != i) continue;
    lost -= 0.5 * r[k] * lambda[k];
    if (fabs(lambda[k]) > fabs(along)) along = lambda[k], row = k;
  }
  if (along == 0) return;
  if (!has_wrench) wrench[0] = -along;
  for (int k = 0; has_wrench && k < m->wrench; k++)
    *(k < m->dimension ? &size : &turn) = hypot(k < m->dimension ? size : turn, wrench[k]);
  if (s->summary.impulses <= MOST_NOTED && has_wrench)
    tn_log(s, s->now.t, "jump", "joint '%s': velocities jump by an impulse of %.6g N s and %.6g N m s, %.6g J are lost",
           name, size, turn, lost);
  else if (s->summary.impulses <= MOST_NOTED)
    tn_log(s, s->now.t, "jump", "joint '%s': velocities jump by an impulse of %.6g%s along it, %.6g J are lost", name,
           fabs(along), tn_impulse_unit(m, row), lost);
  if (h->impulses == TN_MOST_IMPULSES) return;
  tn_struck *p = &h->impulse[h->impulses++];
  *p = (tn_struck){.joint = i, .event = event, .t = s->now.t, .lost = lost};
  memcpy(p->wrench, wrench, sizeof(double) * (size_t)m->wrench);
}

/* a row that nothing moves, to within what the contract lets positions be off; -1: there is none. what velocities it asks for would be
 * anything */
static int row_of_nothing(tn_sim *s) {
  const tn_model *m = s->m;
  if (m->large) return -1;
  tn_need(&s->solver.sys, TN_LEVEL_MATRICES);
  for (int i = 0; i < m->rows; i++) {
    const double *A = s->solver.sys.A + (size_t)i * (size_t)m->nu;
    double most = 0;
    if (m->row_joint[i] >= m->joints || !s->happening.touched[m->row_joint[i]]) continue;
    for (int j = 0; j < m->nu; j++) most = fmax(most, fabs(A[j]) * m->u_length[j]);
    if (most * m->row_scale[i] < fmin(10 * m->run.contract_position, NOTHING)) return i;
  }
  return -1;
}

static tn_status too_near(tn_sim *s, int event, int row) {
  char owner[160];
  tn_row_owner(s->m, row, owner, sizeof owner);
  refuse(s, event >= 0 ? &s->m->trigger[event] : NULL,
         "%s would be struck in a singular position, where the jump of velocities is not determined", owner);
  tn_hint(s->e, "let it happen a little before or behind it");
  return TN_E_RUN;
}

/* (2), (3) */
static tn_status strike(tn_sim *s, int event) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  tn_system *sys = &solver->sys;
  tn_happening *h = &s->happening;
  double *r = s->contract.V_row, *lambda = s->contract.C_row, *du = s->start.walk.s, *u = tn_u_of(s, s->now.y),
         *w = tn_ledger_of(s, s->now.y);
  tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  if (status != TN_OK || !m->rows) return status;
  int row;
  const double jump = worst_touched(s, sys->Cdot, true, &row), before = tn_energy_of(sys, TN_TOTAL);
  if (row < 0 || jump <= 1e-3 * m->run.contract_velocity) return TN_OK; /* nothing that a step would not leave */
  const int nothing = row_of_nothing(s);
  if (nothing >= 0) return too_near(s, event, nothing);
  tn_balance_energies(s, s->ledger.balances.before);
  solver->nearness = solver->seen = 1;
  if ((status = tn_solver_factor(solver, TN_METRIC_MASS, s->e)) != TN_OK) return status;
  if (solver->nearness < STRUCK) return too_near(s, event, row);
  for (int i = 0; i < m->rows; i++) {
    const int joint = m->row_joint[i];
    r[i] = joint < m->joints && h->touched[joint] ? -sys->Cdot[i] : 0;
  }
  if ((status = tn_solver_solve(solver, NULL, r, du, lambda, s->e)) != TN_OK) return status;
  double lost = 0;
  for (int i = 0; i < m->rows; i++) lost -= 0.5 * r[i] * lambda[i];
  tn_reactions_of_change(sys, du, lambda, h->wrench, s->efforts.sharing.pivot_s);
  tn_share(s, lambda, h->wrench, s->efforts.sharing.pivot_s);
  for (int i = 0; i < m->nu; i++) u[i] += du[i];
  if ((status = tn_at(s, s->now.t, s->now.y, s->e)) != TN_OK) return status;
  w[TN_LEDGER_DISSIPATED] += lost;
  w[TN_LEDGER_FORCE] -= lost;
  w[TN_LEDGER_DRIVER] += tn_energy_of(sys, TN_TOTAL) - before + lost;
  tn_balance_book(s, s->ledger.balances.before, s->now.y);
  s->summary.impulses++;
  if (event >= 0) h->lost[event] += lost;
  for (int i = 0; i < m->joints; i++)
    if (h->touched[i]) note_impulse(s, event, i, r, lambda);
  return TN_OK;
}

/* (1), after parts were switched or parameters set */
static tn_status in_place(tn_sim *s, int event) {
  const tn_model *m = s->m;
  int row;
  tn_status status = TN_OK;
  if (event >= 0)
    status = tn_switch_laws_follow(s);
  else
    tn_switch_live(s);
  if (status == TN_OK) status = tn_at(s, s->now.t, s->now.y, s->e);
  if (status != TN_OK) return status;
  const double off = worst_touched(s, s->solver.sys.C, false, &row);
  if (row < 0 || off <= m->run.contract_position) return TN_OK;
  char owner[160], gap[48], allowed[48];
  tn_row_owner(m, row, owner, sizeof owner);
  tn_row_figure(m, row, s->solver.sys.scale[row], false, off, 3, gap, sizeof gap);
  tn_row_figure(m, row, s->solver.sys.scale[row], false, m->run.contract_position, 3, allowed, sizeof allowed);
  refuse(s, event >= 0 ? &m->trigger[event] : NULL, "%s is off by %s where it shall hold, allowed %s", owner, gap,
         allowed);
  tn_hint(s->e, "it can be switched on, or changed, only where its bodies are in place: `when` must say where");
  return TN_E_RUN;
}

static void untouch(tn_sim *s) { memset(s->happening.touched, 0, sizeof *s->happening.touched * (size_t)s->m->joints); }

/* all of (1) to (4); `before`: T + V, that of assemblies in s->balances.event */
static tn_status settle(tn_sim *s, int event, double before) {
  tn_system *sys = &s->solver.sys;
  tn_status status = in_place(s, event);
  if (status != TN_OK) return status;
  tn_ledger_of(s, s->now.y)[TN_LEDGER_FORCE] += tn_energy_of(sys, TN_TOTAL) - before;
  tn_balance_book(s, s->ledger.balances.event, s->now.y);
  if (s->happening.uncounted) {
    const int freedom = s->summary.degrees_of_freedom, redundant = s->summary.redundant_rows,
              before_it = s->stepper.ode.redundant;
    status = tn_start_count(s);
    s->stepper.ode.redundant = s->summary.redundant_rows;
    s->singular.passing = (tn_passing){.rho = 1, .rho_end = 1};
    if (status == TN_OK && s->stepper.ode.redundant != before_it) status = tn_unique(s);
    s->summary.degrees_of_freedom = freedom; /* the report has those of the start */
    s->summary.redundant_rows = redundant;
    s->happening.uncounted = false;
    if (status != TN_OK) return status;
  }
  status = strike(s, event);
  untouch(s);
  return status;
}

/* a row here. a receiver that wants to stop is heard when all that happens here is done */
static tn_status record(tn_sim *s) {
  tn_status status = tn_row_here(s);
  if (status == TN_OK) status = tn_hand_out(s, s->now.t);
  if (status != TN_E_STOPPED) return status;
  s->happening.wish = true;
  return TN_OK;
}

static tn_status act(tn_sim *s, int i) {
  const tn_trigger *x = &s->m->trigger[i];
  tn_status status = TN_OK;
  for (int k = 0, n; k < x->acts && status == TN_OK; k += n) {
    const tn_act *a = &x->act[k];
    for (n = 1; k + n < x->acts && x->act[k + n].together;) n++;
    if (a->kind == TN_ACT_STOP && s->happening.ended < 0) s->happening.ended = i;
    if (a->kind == TN_ACT_RECORD && s->output.to) status = record(s);
    if (a->kind == TN_ACT_STOP || a->kind == TN_ACT_RECORD) continue;
    if ((status = tn_at(s, s->now.t, s->now.y, s->e)) != TN_OK) return status;
    const double before = tn_energy_of(&s->solver.sys, TN_TOTAL);
    tn_balance_energies(s, s->ledger.balances.event);
    if (a->kind == TN_ACT_SET)
      status = set(s, x, k, n);
    else
      for (int j = k; j < k + n; j++) turn(s, x->act[j].joint, x->act[j].part, a->kind == TN_ACT_ON);
    if (status == TN_OK) status = settle(s, i, before);
  }
  return status;
}

/* functions of time alone come as often as they like */
static bool is_of_the_motion(const tn_sim *s, const tn_trigger *x) {
  bool noisy = s->switches.noise[x->slot] > 0;
  for (int k = 0; k < x->inside; k++) noisy = noisy || s->switches.noise[x->switches + k] > 0;
  return noisy;
}

/* (5) */
static tn_status ever_sooner(tn_sim *s, int i) {
  tn_happening *h = &s->happening;
  const tn_trigger *x = &s->m->trigger[i];
  const double apart = s->now.t - h->last[i];
  if (!(apart > 0)) return TN_OK;
  h->shorter[i] = apart < SHRINKS * h->apart[i] ? h->shorter[i] + 1 : 0;
  h->apart[i] = apart;
  if (h->shorter[i] == 0) h->apart_first[i] = apart;
  if (h->shorter[i] < MOST_SHORTER || apart > SHORT * fmin(s->switches.longest, h->apart_first[i])) return TN_OK;
  if (!is_of_the_motion(s, x)) return TN_OK;
  refuse(s, x, "it happens ever sooner, %.3g s after the last time: there is no end to it", apart);
  tn_hint(s->e,
          "as of bounces that die away: let another event end them, where the speed is small, by a joint that holds");
  return TN_E_RUN;
}

/* it has come more than once, and does what others may see */
static bool in_circle(const tn_sim *s, int i) {
  const tn_trigger *x = &s->m->trigger[i];
  bool does = false;
  for (int k = 0; k < x->acts; k++) does = does || (x->act[k].kind != TN_ACT_RECORD && x->act[k].kind != TN_ACT_STOP);
  return does && s->happening.here[i] > 1;
}

/* (6), in words */
static tn_status circle(tn_sim *s) {
  char names[MOST_NAMED * 80] = "";
  int n = 0, k = 0;
  size_t at = 0;
  for (int i = 0; i < s->m->triggers; i++) n += in_circle(s, i);
  for (int i = 0; i < s->m->triggers && k < MOST_NAMED && at < sizeof names; i++) {
    if (!in_circle(s, i)) continue;
    const char *before = k == 0 ? "" : k == n - 1 ? " and " : ", ";
    at += (size_t)tn_format(names + at, sizeof names - at, "%s'%.60s'", before, s->m->trigger[i].name);
    k++;
  }
  if (n > k && at < sizeof names) tn_format(names + at, sizeof names - at, " and %d more", n - k);
  refuse(s, NULL, "%s %s %s off without end: %" PRId64 " firings", n > 1 ? "events" : "event", names,
         n > 1 ? "set each other" : "sets itself", s->happening.firings);
  tn_hint(s->e, "let one of them do less, happen only in one `direction`, or a number of `times`");
  return TN_E_RUN;
}

/* (6): event i is about to be done */
static tn_status count_here(tn_sim *s, int i) {
  tn_happening *h = &s->happening;
  if (s->now.t != h->t_here) h->firings = 0;
  if (h->firings == 0 || h->firings == MOST_HERE / 2) memset(h->here, 0, sizeof *h->here * (size_t)s->m->triggers);
  h->t_here = s->now.t;
  if (h->firings >= MOST_HERE && h->here[i] > 1) return circle(s);
  h->firings++;
  h->here[i]++;
  return TN_OK;
}

static tn_status fire(tn_sim *s, int i) {
  tn_happening *h = &s->happening;
  h->due[i] = false;
  tn_status status = count_here(s, i);
  if (status == TN_OK && h->count[i]) status = ever_sooner(s, i);
  if (status != TN_OK) return status;
  if (h->count[i]++ == 0) h->first[i] = s->now.t;
  h->last[i] = s->now.t;
  s->summary.fired++;
  if (h->count[i] <= MOST_NOTED)
    tn_log(s, s->now.t, "event", "%s%s", s->m->trigger[i].name,
           h->count[i] < MOST_NOTED ? "" : "; later ones are only counted");
  return act(s, i);
}

tn_status tn_events_next(tn_sim *s, int *at, bool *some) {
  const int n = s->m->triggers;
  *some = false;
  for (int k = 1; k <= n; k++) {
    const int i = (*at + k) % n;
    if (!s->happening.due[i]) continue;
    *some = true;
    *at = i;
    return fire(s, i);
  }
  return TN_OK;
}

tn_status tn_events_restart(tn_sim *s) {
  const tn_model *m = s->m;
  bool changed = false;
  tn_status status = TN_OK;
  tn_switch_hold(s);
  if (s->happening.switched) {
    memset(s->stabilizing.rooms, 0, s->stabilizing.rooms_size);
    for (int i = 0; i < m->run.stabilizers; i++) {
      const tn_part *p = &m->run.stabilizer[i];
      if (p->states)
        memcpy(tn_states_of(s, s->now.y) + p->state, m->state0 + p->state, sizeof(double) * (size_t)p->states);
    }
    if (m->servos && (status = tn_servos_begin(s)) != TN_OK) return status;
  }
  if ((status = tn_packed_start(s)) != TN_OK) return status;
  if ((status = tn_accept(s, s->now.t, s->now.y, &changed)) != TN_OK) return status;
  tn_packed_ledger(s);
  s->stepper.h = s->stepper.err_last = 0;
  return TN_OK;
}

/* ---- for those who ask ----------------------------------------------------------------------------------------------------------- */

bool tn_sim_fired(const tn_sim *s, int i, tn_fired *f) {
  if (!s || !f) return false;
  if (i < 0 || i >= s->m->triggers) return false;
  const tn_happening *h = &s->happening;
  *f = (tn_fired){.event = s->m->trigger[i].name, .count = h->count[i], .energy_lost = h->lost[i]};
  f->first = h->count[i] ? h->first[i] : NAN;
  f->last = h->count[i] ? h->last[i] : NAN;
  return true;
}

bool tn_sim_impulse(const tn_sim *s, int i, tn_impulse *p) {
  if (!s || !p) return false;
  if (i < 0 || i >= s->happening.impulses) return false;
  const tn_struck *x = &s->happening.impulse[i];
  *p = (tn_impulse){.t = x->t, .joint = s->m->joint[x->joint].name, .energy_lost = x->lost};
  if (x->event >= 0) p->event = s->m->trigger[x->event].name;
  memcpy(p->wrench, x->wrench, sizeof p->wrench);
  return true;
}

int tn_sim_parameters(const tn_sim *s) { return s ? s->m->parameters : 0; }
const char *tn_sim_parameter_name(const tn_sim *s, int i) {
  return s && i >= 0 && i < s->m->parameters ? s->m->parameter[i].name : NULL;
}
double tn_sim_parameter(const tn_sim *s, int i) {
  return s && i >= 0 && i < s->m->parameters ? s->solver.sys.switching.parameter[i] : NAN;
}

/* something was changed from outside: before the first step it is part of the start */
static tn_status changed_outside(tn_sim *s, double before) {
  tn_status status = settle(s, -1, before);
  if (status == TN_OK) status = tn_events_restart(s);
  if (status != TN_OK) return tn_end_run(s, status);
  s->m->run.integrator->start(tn_integrator_self(s->m), s->stepper.work, s->stepper.ode.n);
  s->switches.known = false; /* pieces and sides are those of the values from here on */
  tn_switch_forget(s);
  return TN_OK;
}

/* T + V of a run under way, 0 of one that has not begun */
static tn_status ready(tn_sim *s, tn_error *error, double *before) {
  s->e = error ? error : &s->life.spare;
  tn_error_clear(s->e);
  *before = 0;
  if (s->life.stopped) return tn_fail(s->e, TN_E_RUN, "the simulation has stopped before");
  if (!s->life.started) return TN_OK;
  tn_status status = tn_switch_finish(s, true); /* what is due comes first */
  s->happening.changed = s->happening.switched = false;
  if (status == TN_OK) status = tn_at(s, s->now.t, s->now.y, s->e);
  *before = tn_energy_of(&s->solver.sys, TN_TOTAL);
  tn_balance_energies(s, s->ledger.balances.event);
  return status;
}

static tn_status set_parameter(tn_sim *s, const char *name, double value, tn_error *error) {
  double before;
  tn_status status = ready(s, error, &before);
  if (status != TN_OK) return status;
  const int i = tn_index_find(&s->m->parameter_index, name);
  if (i < 0) return tn_fail(s->e, TN_E_USAGE, "there is no parameter '%.60s'", name);
  if (!isfinite(value)) return tn_fail(s->e, TN_E_USAGE, "parameter '%s': the value is not a finite number", name);
  if (pieces(s)->parameter[i] == value) return TN_OK;
  const double old = pieces(s)->parameter[i];
  touch_parameters(s);
  pieces(s)->parameter[i] = value;
  tn_system_stale(&s->solver.sys);
  tn_solver_forget(&s->solver);
  if (!s->life.started || (status = in_place(s, -1)) == TN_OK)
    return s->life.started ? changed_outside(s, before) : TN_OK;
  pieces(s)->parameter[i] = old; /* refused: as it was */
  tn_system_stale(&s->solver.sys);
  untouch(s);
  return status;
}

tn_status tn_sim_set_parameter(tn_sim *s, const char *name, double value, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  TN_NEED(error, name, "name");
  return set_parameter(s, name, value, error);
}

static tn_status part_named(const tn_sim *s, const char *name, bool *joint, int *part, tn_error *e) {
  *part = tn_index_find(&s->m->joint_index, name);
  *joint = *part >= 0;
  if (!*joint) *part = tn_index_find(&s->m->force_index, name);
  return *part >= 0 ? TN_OK : tn_fail(e, TN_E_USAGE, "there is no joint or force '%.60s'", name);
}

static tn_status switch_part(tn_sim *s, const char *name, bool on, tn_error *error) {
  double before;
  bool joint;
  int part;
  tn_status status = ready(s, error, &before);
  if (status == TN_OK) status = part_named(s, name, &joint, &part, s->e);
  if (status != TN_OK) return status;
  if (joint && !s->m->joint[part].switchable) {
    tn_fail(s->e, TN_E_USAGE, "joint '%s' cannot be switched", name);
    tn_hint(s->e, "with the key `active` in the model it can");
    return TN_E_USAGE;
  }
  s->happening.changed = false;
  turn(s, joint, part, on);
  if (!s->life.started || !s->happening.changed) return TN_OK;
  if ((status = in_place(s, -1)) == TN_OK) return changed_outside(s, before);
  turn(s, joint, part, !on); /* refused: as it was */
  s->happening.uncounted = false;
  untouch(s);
  return status;
}

tn_status tn_sim_switch(tn_sim *s, const char *name, bool on, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error));
  TN_NEED(error, name, "name");
  return switch_part(s, name, on, error);
}

tn_status tn_sim_is_on(const tn_sim *s, const char *name, bool *on, tn_error *error) {
  TN_NEED(error, s, "sim");
  TN_NEED(error, name, "name");
  TN_NEED(error, on, "on");
  bool joint;
  int part;
  tn_error_clear(error);
  const tn_status status = part_named(s, name, &joint, &part, error);
  if (status == TN_OK) *on = !(joint ? s->solver.sys.off : s->solver.sys.force_off)[part];
  return status;
}
