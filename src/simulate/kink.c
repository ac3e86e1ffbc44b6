/* drivers whose function of time jumps, has a kink, or starts with a speed: what velocities and poses do there is said for each of them,
 * in the units of the driver.
 *
 * C = x - f(t) of a driver: with the state as it is, other pieces of f change C by -df and Ct by -df'. velocities follow by the impulse
 *   (1) M du + A'L = 0,  A du = -dCt in all rows at once; -L is that of a driver, as its load is
 * at the start, from rest: with Ct itself for dCt. a value that jumps moves the pose in no time, and there is no impulse for that. */
#include "simulate/simulate.h"

enum { MOST_LISTED = 16 };           /* of each driver, in the log                                 */
static const double ROUNDOFF = 1e-9; /* of the rate: two pieces of a straight line differ by less */
static const double NOTHING = 1e-3;  /* of the contract                                            */

void tn_kink_carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  s->kinks.C = TN_CARVE(c, double, m->rows);
  s->kinks.Ct = TN_CARVE(c, double, m->rows);
  s->kinks.lines = TN_CARVE(c, int, m->joints);
  s->kinks.part = TN_CARVE(c, int, m->bodies);
}

void tn_kink_reset(tn_sim *s) {
  for (int i = 0; i < s->m->joints; i++) s->kinks.lines[i] = 0;
}

const char *tn_impulse_unit(const tn_model *m, int row) {
  const char *unit = tn_row_si(m, row);
  return !*unit ? "" : tn_row_unit(m, row) == TN_ANGLE ? " N m s" : " N s";
}

/* (1) with rates that are -Ct: L into s->C_row. false: it is not determined */
static bool impulses(tn_sim *s, const double *Ct) {
  tn_solver *solver = &s->solver;
  tn_error *const outer = s->e;
  tn_error own;
  const double nearness = solver->nearness, seen = solver->seen;
  s->e = &own; /* nothing but the figure is lost */
  for (int i = 0; i < s->m->rows; i++) s->contract.V_row[i] = -Ct[i];
  tn_status status = tn_solver_factor(solver, TN_METRIC_MASS, s->e);
  if (status == TN_OK)
    status = tn_solver_solve(solver, NULL, s->contract.V_row, s->start.walk.s, s->contract.C_row, s->e);
  solver->nearness = nearness;
  solver->seen = seen;
  s->e = outer;
  return status == TN_OK;
}

/* `, which takes an impulse of 2 N s`; nothing where actuators do it instead of the driver */
static void impulse_text(const tn_sim *s, int row, const char *words, bool known, char *text, size_t size) {
  text[0] = 0;
  if (known && isfinite(s->contract.C_row[row]) && !s->m->joint[s->m->row_joint[row]].servos)
    tn_format(text, size, "%s%.6g%s", words, -s->contract.C_row[row] + 0.0, tn_impulse_unit(s->m, row));
}

/* rows that follow a function of time which jumps: joints that have switches of their own */
static bool is_driven(const tn_model *m, int row) {
  const int i = m->row_joint[row];
  if (i >= m->joints) return false;
  for (int k = 0; k < m->switches; k++)
    if (m->switched[k].in_joint && strcmp(m->switched[k].name, m->joint[i].name) == 0) return true;
  return false;
}

tn_status tn_kink_begin(tn_sim *s) {
  const tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  const size_t size = sizeof *s->kinks.C * (size_t)s->m->rows;
  if (status != TN_OK) return status;
  memcpy(s->kinks.C, s->solver.sys.rows.C, size);
  memcpy(s->kinks.Ct, s->solver.sys.rows.Ct, size);
  return TN_OK;
}

/* one line for each driver */
static void list(tn_sim *s, int row, double value, double rate, bool known) {
  const char *unit = tn_row_si(s->m, row);
  const int i = s->m->row_joint[row];
  char jump[64] = "", kink[64] = "", impulse[80] = "", owner[160];
  if (s->kinks.lines[i] >= MOST_LISTED) return;
  s->kinks.lines[i]++;
  if (value != 0) tn_format(jump, sizeof jump, "its value jumps by %.6g%s", value, unit);
  if (rate != 0) tn_format(kink, sizeof kink, "its rate jumps by %.6g%s/s", rate, *unit ? unit : " 1");
  if (rate != 0) impulse_text(s, row, ", which takes an impulse of ", known, impulse, sizeof impulse);
  tn_row_owner(s->m, row, owner, sizeof owner);
  tn_log(s, s->now.t, "jump", "%s: %s%s%s%s%s", owner, jump, value != 0 && rate != 0 ? "; " : "", kink, impulse,
         s->kinks.lines[i] < MOST_LISTED ? "" : "; later ones are not listed");
}

/* from one to the other; 0: that is no jump */
static double jump_of(double before, double after, double least) {
  const double jump = after - before;
  return fabs(jump) > fmax(least, ROUNDOFF * fmax(fabs(before), fabs(after))) ? jump : 0;
}

tn_status tn_kink_end(tn_sim *s) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  bool some = false, known = false;
  s->kinks.kinked = false;
  const tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  if (status != TN_OK) return status;
  for (int i = 0; i < m->rows; i++) {
    if (!is_driven(m, i)) {
      s->kinks.C[i] = s->kinks.Ct[i] = 0;
      continue;
    }
    s->kinks.C[i] = jump_of(sys->rows.C[i], s->kinks.C[i], tn_contract_allowed_of(s, i, false));
    s->kinks.Ct[i] = jump_of(s->kinks.Ct[i], sys->rows.Ct[i], NOTHING * tn_contract_allowed_of(s, i, true));
    some = some || s->kinks.Ct[i] != 0;
    s->kinks.kinked = s->kinks.kinked || s->kinks.C[i] != 0 || s->kinks.Ct[i] != 0;
  }
  if (!s->kinks.kinked) return TN_OK;
  if (some) known = impulses(s, s->kinks.Ct);
  for (int i = 0; i < m->rows; i++)
    if (s->kinks.C[i] != 0 || s->kinks.Ct[i] != 0) list(s, i, s->kinks.C[i], -s->kinks.Ct[i], known);
  return TN_OK;
}

/* ---- the start ------------------------------------------------------------------------------------------------------------- */

static int root(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static void tie(int *up, int a, int b) {
  if (a >= 0 && b >= 0) up[root(up, a)] = root(up, b);
}

/* bodies that joints tie together have the same root in s->kink_part */
static void tie_bodies(tn_sim *s) {
  const tn_model *m = s->m;
  int *up = s->kinks.part;
  for (int i = 0; i < m->bodies; i++) up[i] = i;
  for (int i = 0; i < m->bodies; i++) tie(up, i, m->body[i].parent);
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    for (int k = 1; k < j->touches; k++) tie(up, j->touch[0].body, j->touch[k].body);
    for (int k = 1; k < j->frames; k++) tie(up, j->spot[0].body, j->spot[k].body);
  }
}

/* a body whose motion is measured */
static int measured(const tn_model *m, const tn_measure *of) {
  if (of->kind != TN_OF_JOINT) return of->part;
  const tn_joint *j = &m->joint[of->part];
  for (int k = 0; k < j->frames; k++)
    if (j->spot[k].body >= 0) return j->spot[k].body;
  return -1;
}

static bool in_one_part(tn_sim *s, const tn_measure *a, const tn_measure *b) {
  const int i = measured(s->m, a), k = measured(s->m, b);
  return i < 0 || k < 0 || root(s->kinks.part, i) == root(s->kinks.part, k);
}

/* the model gives speeds to what a driver moves: they are meant */
static bool is_given_speed(tn_sim *s, const tn_joint *j) {
  for (int i = 0; i < s->m->exact + s->m->guesses; i++) {
    const tn_target *t = &s->m->target[i];
    if (t->rate && (!j->terms || in_one_part(s, &t->of, &j->term[0].of))) return true;
  }
  return false;
}

static bool starts(tn_sim *s, int row) {
  const tn_model *m = s->m;
  const int i = m->row_joint[row];
  if (i >= m->joints || s->solver.sys.given.off[i] || row >= m->holonomic) return false;
  return tn_contract_scaled(s, row, s->solver.sys.rows.Ct[row]) > tn_contract_allowed(m, true) &&
         !is_given_speed(s, &m->joint[i]);
}

tn_status tn_kink_start(tn_sim *s) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  bool some = false;
  const tn_status status = m->rows ? tn_at(s, s->now.t, s->now.y, s->e) : TN_OK;
  tie_bodies(s);
  for (int i = 0; status == TN_OK && i < m->rows; i++) some = some || starts(s, i);
  if (status != TN_OK || !some) return status;
  const bool known = impulses(s, sys->rows.Ct);
  for (int i = 0; i < m->rows; i++) {
    if (!starts(s, i)) continue;
    char impulse[80], owner[160];
    const char *unit = tn_row_si(m, i);
    impulse_text(s, i, "; from rest this takes an impulse of ", known, impulse, sizeof impulse);
    tn_row_owner(m, i, owner, sizeof owner);
    tn_log(s, s->now.t, "start", "%s: it starts with a rate of %.6g%s/s, and `start` gives no speed%s", owner,
           -sys->rows.Ct[i], *unit ? unit : " 1", impulse);
  }
  return TN_OK;
}
