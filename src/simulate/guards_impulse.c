/* guards: what follows from an action of an event: jumps of velocities and of energies.
 *
 *   (1) C of a joint that was switched on, or of a driver whose parameters changed, must be within the contract:
 *       positions never jump
 *   (2) u+ = u- + du,  M du + A'L = 0,  A du = -Cdot in their rows, 0 in all others: the projection in the metric of
 *       masses; -A'L are the impulses
 *   (3) T+ - T- = -du'M du/2 - L'Ct: the first, L'Cdot/2, is lost, whatever else is the work of drivers
 *   (4) what forces store may change with a parameter or a switch: it goes into the ledger of forces
 * Joints whose rows (1) and (2) are about are `touched`. */
#include "simulate/guards.h"

#include "simulate/simulate.h"

enum { IMPULSES_NOTED = 32 }; /* in the log */

static const double STRUCK_RHO =
    1e-13; /* of rho, which is as the square of the distance to a singular position: some contracts of positions */
static const double ROW_NOTHING = 1e-7; /* of a row that has the size 1 elsewhere: nothing moves it */
static const double GAP_OF_STEP = 1e-3; /* of the contract of velocities: a step leaves as much */

void tn_impulse_untouch(tn_sim *s) { memset(s->events.touched, 0, sizeof *s->events.touched * (size_t)s->m->joints); }

static bool is_touched(const tn_sim *s, int row) {
  const int joint = s->m->row_joint[row];
  return joint < s->m->joints && s->events.touched[joint];
}

/* the worst of rows of joints that were touched, scaled; -1 in *row: there is none */
static double worst_touched(const tn_sim *s, const double *rows, bool velocity, int *row) {
  const tn_model *m = s->m;
  double worst = 0;
  *row = -1;
  for (int i = 0; i < (velocity ? m->rows : m->holonomic); i++) {
    if (!is_touched(s, i)) continue;
    const double off = tn_contract_scaled(s, i, rows[i]);
    if (*row < 0 || !(off <= worst)) worst = off, *row = i;
  }
  return worst;
}

/* ---- the impulse ------------------------------------------------------------------------------------------------- */

/* of one joint: the row along which it is largest, and that; J that are lost */
typedef struct share {
  int row;
  double along, lost;
} share;

static share share_of(const tn_model *m, int joint, const double *r, const double *lambda) {
  share x = {0, 0, 0};
  for (int k = 0; k < m->rows; k++) {
    if (m->row_joint[k] != joint) continue;
    x.lost -= 0.5 * r[k] * lambda[k];
    if (fabs(lambda[k]) > fabs(x.along)) x.along = lambda[k], x.row = k;
  }
  return x;
}

static void log_impulse(tn_sim *s, int i, const share *x, const double *wrench) {
  const tn_model *m = s->m;
  const char *name = m->joint[i].name;
  double size = 0, turn = 0;
  if (s->summary.impulses > IMPULSES_NOTED) return;
  if (!tn_joint_has_wrench(&m->joint[i])) {
    tn_log(s, s->now.t, "jump", "joint '%s': velocities jump by an impulse of %.6g%s along it, %.6g J are lost", name,
           fabs(x->along), tn_impulse_unit(m, x->row), x->lost);
    return;
  }
  for (int k = 0; k < m->wrench; k++)
    *(k < m->dimension ? &size : &turn) = hypot(k < m->dimension ? size : turn, wrench[k]);
  tn_log(s, s->now.t, "jump", "joint '%s': velocities jump by an impulse of %.6g N s and %.6g N m s, %.6g J are lost",
         name, size, turn, x->lost);
}

/* what joint i exerted by its rows, and its part of what is lost */
static void note_impulse(tn_sim *s, int event, int i, const double *r, const double *lambda, double *wrench) {
  tn_events *w = &s->events;
  const share x = share_of(s->m, i, r, lambda);
  if (x.along == 0) return;
  if (!tn_joint_has_wrench(&s->m->joint[i])) wrench[0] = -x.along;
  log_impulse(s, i, &x, wrench);
  if (w->impulses == TN_MOST_IMPULSES) return;
  tn_struck *p = &w->impulse[w->impulses++];
  *p = (tn_struck){.joint = i, .event = event, .t = s->now.t, .lost = x.lost};
  memcpy(p->wrench, wrench, sizeof(double) * (size_t)s->m->wrench);
}

/* a row that nothing moves, to within what the contract lets positions be off; -1: there is none. what velocities it
 * asks for would be anything */
static int row_of_nothing(tn_sim *s) {
  const tn_model *m = s->m;
  if (m->large) return -1;
  tn_need(&s->solver.sys, TN_LEVEL_MATRICES);
  for (int i = 0; i < m->rows; i++) {
    const double *A = s->solver.sys.A + (size_t)i * (size_t)m->nu;
    double most = 0;
    if (!is_touched(s, i)) continue;
    for (int j = 0; j < m->nu; j++) most = fmax(most, fabs(A[j]) * m->u_length[j]);
    if (most * m->row_scale[i] < fmin(10 * m->run.contract_position, ROW_NOTHING)) return i;
  }
  return -1;
}

static tn_status too_near(tn_sim *s, int event, int row) {
  char owner[160];
  tn_row_owner(s->m, row, owner, sizeof owner);
  tn_event_refuse(s, event, "%s would be struck in a singular position, where the jump of velocities is not determined",
                  owner);
  tn_hint(s->e, "let it happen a little before or behind it");
  return TN_E_RUN;
}

/* (2): r, du and the multipliers lambda; `row`: the one that is worst off */
static tn_status solve_impulse(tn_sim *s, int event, int row, double *r, double *du, double *lambda) {
  tn_solver *solver = &s->solver;
  solver->nearness = solver->seen = 1;
  TN_TRY(tn_solver_factor(solver, TN_METRIC_MASS, s->e));
  if (solver->nearness < STRUCK_RHO) return too_near(s, event, row);
  for (int i = 0; i < s->m->rows; i++) r[i] = is_touched(s, i) ? -solver->sys.rows.Cdot[i] : 0;
  return tn_solver_solve(solver, NULL, r, du, lambda, s->e);
}

/* (2) and (3), with the system at the present state. room: for reactions of joints */
static tn_status jump(tn_sim *s, int event, int row, double *const vector[3], double *wrench) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  double *r = vector[0], *du = vector[1], *lambda = vector[2], *w = tn_ledger_of(s, s->now.y), lost = 0;
  const double before = tn_energy_of(sys, TN_TOTAL);
  tn_balance_energies(s, s->ledger.balances.before);
  TN_TRY(solve_impulse(s, event, row, r, du, lambda));
  memset(wrench, 0, sizeof *wrench * (size_t)(m->twist * m->joints)); /* joints without one leave it */
  for (int i = 0; i < m->rows; i++) lost -= 0.5 * r[i] * lambda[i];
  tn_reactions_of_change(sys, du, lambda, wrench, s->efforts.sharing.pivot_s);
  tn_share(s, lambda, wrench, s->efforts.sharing.pivot_s);
  for (int i = 0; i < m->nu; i++) tn_u_of(s, s->now.y)[i] += du[i];
  TN_TRY(tn_at(s, s->now.t, s->now.y, s->e));
  w[TN_LEDGER_DISSIPATED] += lost;
  w[TN_LEDGER_FORCE] -= lost;
  w[TN_LEDGER_DRIVER] += tn_energy_of(sys, TN_TOTAL) - before + lost;
  tn_balance_book(s, s->ledger.balances.before, s->now.y);
  s->summary.impulses++;
  if (event >= 0) s->events.record[event].lost += lost;
  for (int i = 0; i < m->joints; i++)
    if (s->events.touched[i]) note_impulse(s, event, i, r, lambda, wrench + m->twist * i);
  return TN_OK;
}

/* (2), (3), if rows of joints that were touched are off in velocity by more than a step leaves */
static tn_status strike(tn_sim *s, int event) {
  const tn_model *m = s->m;
  int row;
  TN_TRY(tn_at(s, s->now.t, s->now.y, s->e));
  if (!m->rows) return TN_OK;
  const double off = worst_touched(s, s->solver.sys.rows.Cdot, true, &row);
  if (row < 0 || off <= GAP_OF_STEP * m->run.contract_velocity) return TN_OK;
  const int nothing = row_of_nothing(s);
  if (nothing >= 0) return too_near(s, event, nothing);
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *const vector[3] = {tn_room(s, m->rows), tn_room(s, m->nu), tn_room(s, m->rows)};
  const tn_status status = jump(s, event, row, vector, tn_room(s, m->twist * m->joints));
  tn_scratch_close(&s->scratch, scope);
  return status;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* (1), after parts were switched or parameters set */
tn_status tn_impulse_in_place(tn_sim *s, tn_application *a, int event) {
  const tn_model *m = s->m;
  int row;
  if (a)
    TN_TRY(tn_guards_laws_follow(s, a));
  else
    tn_pieces_live(s);
  TN_TRY(tn_at(s, s->now.t, s->now.y, s->e));
  const double off = worst_touched(s, s->solver.sys.rows.C, false, &row);
  if (row < 0 || off <= m->run.contract_position) return TN_OK;
  char owner[160], gap[48], allowed[48];
  tn_row_owner(m, row, owner, sizeof owner);
  tn_contract_figure(s, row, false, off, 3, gap, sizeof gap);
  tn_contract_figure(s, row, false, tn_contract_allowed(m, false), 3, allowed, sizeof allowed);
  tn_event_refuse(s, event, "%s is off by %s where it shall hold, allowed %s", owner, gap, allowed);
  tn_hint(s->e, "it can be switched on, or changed, only where its bodies are in place: `when` must say where");
  return TN_E_RUN;
}

/* the rank, and what redundant rows leave open, with other joints than before. the report has the numbers of the
 * start */
static tn_status count_anew(tn_sim *s) {
  const int freedom = s->summary.degrees_of_freedom, redundant = s->summary.redundant_rows,
            before = s->stepper.ode.redundant;
  tn_status status = tn_start_count(s);
  s->stepper.ode.redundant = s->summary.redundant_rows;
  s->singular.passing = (tn_passing){.rho = 1, .rho_end = 1};
  if (status == TN_OK && s->stepper.ode.redundant != before) status = tn_unique(s);
  s->summary.degrees_of_freedom = freedom;
  s->summary.redundant_rows = redundant;
  s->events.uncounted = false;
  return status;
}

tn_status tn_impulse_settle(tn_sim *s, tn_application *a, int event, double before) {
  TN_TRY(tn_impulse_in_place(s, a, event));
  tn_ledger_of(s, s->now.y)[TN_LEDGER_FORCE] += tn_energy_of(&s->solver.sys, TN_TOTAL) - before;
  tn_balance_book(s, s->ledger.balances.event, s->now.y);
  if (s->events.uncounted) TN_TRY(count_anew(s));
  const tn_status status = strike(s, event);
  tn_impulse_untouch(s);
  return status;
}
