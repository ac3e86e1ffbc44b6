/* rows of output. inside a step the state is interpolated and put back: an interpolant leaves the constraints by much more than
 * the steps do. it is put back not to zero but to the violation that the steps themselves have, linear between their ends, so
 * that a method that drifts is shown with its drift and one that does not without. then udot and lambda are solved there, with functions
 * made of pieces as the step had them: at an edge a row is of the side that the motion comes from, all of it. */
#include "simulate/simulate.h"

static const double BACK = 1e-14; /* of the time, or of the step: roundoff of where an edge was found */

/* some law or driver is at the edge of its piece, with the system at the state of the row */
static bool is_at_edge(const tn_sim *s) {
  const tn_switching *w = &s->solver.sys.given.switching;
  bool edge = false;
  for (int i = 0; w->how == TN_PIECES_HELD && i < s->m->switches; i++)
    edge = edge || (!s->m->switched[i].in_event && w->margin[i] <= 0);
  return edge;
}

/* an output. its own pieces are not held: at an edge its functions of time are those of just before, as all else in the row */
static void output(tn_sim *s, const tn_expr *expr, bool edge, double value[3]) {
  tn_system *sys = &s->solver.sys;
  const double t = sys->at.t;
  if (edge && tn_expr_uses_time(expr) && tn_expr_has_pieces(expr))
    sys->at.t -= BACK * fmax(fabs(t), s->now.t - s->before.t);
  tn_expr_on(sys, expr, value);
  sys->at.t = t;
}

void tn_row_outdated(tn_sim *s) { s->output.t_given = NAN; }

tn_status tn_row_eval(tn_sim *s, double *y) {
  tn_system *sys = &s->solver.sys;
  const bool edge = is_at_edge(s);
  memcpy(sys->ledger, tn_ledger_of(s, y), sizeof sys->ledger);
  tn_reactions_here(s);
  int k = 0;
  for (int i = 0; i < s->m->outputs; i++) {
    double value[3];
    output(s, s->m->output[i].expr, edge, value);
    for (int j = 0; j < tn_expr_width(s->m->output[i].expr); j++) s->output.row[k++] = value[j];
  }
  tn_motion_take(s);
  return TN_OK;
}

tn_status tn_row_here(tn_sim *s) {
  tn_status status = tn_solve_here(s, s->now.t, s->now.y);
  return status == TN_OK ? tn_row_eval(s, s->now.y) : status;
}

static void level(const tn_sim *s, double theta, const double *a, const double *b, int n, double *target) {
  for (int i = 0; i < n; i++) target[i] = (1 - theta) * a[i] + theta * b[i];
  for (int i = n; i < s->m->rows; i++) target[i] = 0;
}

/* *off: what y was off from what it is put back to, scaled as the contract does, and in which row. C, V: rows, room */
static tn_status put_back_to(tn_sim *s, double t, double theta, double *y, double *C, double *V, double *off,
                             int *row) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  bool changed = false;
  tn_status status = tn_at(s, t, y, s->e);
  if (status != TN_OK) return status;
  const double before = tn_ledger_before(s);
  level(s, theta, s->contract.C0, s->contract.C1, m->holonomic, C);
  level(s, theta, s->contract.V0, s->contract.V1, m->rows, V);
  for (int i = 0; i < m->holonomic; i++) {
    const double x = tn_contract_scaled(s, i, sys->rows.C[i] - C[i]);
    if (x > *off) *off = x, *row = i;
  }
  status = tn_put_back(&s->solver, TN_METRIC_MASS, false, t, y, tn_u_of(s, y), C, V, &changed, s->e);
  if (status == TN_OK && s->packed.packing) status = tn_packed_again(s, t);
  if (status != TN_OK) return status;
  tn_ledger_book(s, TN_LEDGER_STABILIZER, before, y);
  return TN_OK;
}

static tn_status put_back(tn_sim *s, double t, double theta, double *y, double *off, int *row) {
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *C = tn_room(s, s->m->rows), *V = tn_room(s, s->m->rows);
  const tn_status status = put_back_to(s, t, theta, y, C, V, off, row);
  tn_scratch_close(&s->scratch, scope);
  return status;
}

tn_status tn_row_inside(tn_sim *s, double t) {
  const double theta = (t - s->before.t) / (s->now.t - s->before.t);
  tn_pieces_hold(s);
  tn_status status = tn_packed_inside(s, t, theta, s->before.y, s->now.y);
  double off = 0;
  int row = 0;
  if (status == TN_OK) tn_model_tidy(s->m, s->inside.y); /* a polynomial between two unit quaternions is none */
  if (status == TN_OK && s->m->rows) status = put_back(s, t, theta, s->inside.y, &off, &row);
  if (status == TN_OK) status = tn_solve_here(s, t, s->inside.y);
  if (status != TN_OK) return status;
  const double energy = tn_watch_energy(s, s->inside.y);
  tn_doubt_interpolation(s, t, theta, energy, off, row);
  if ((status = tn_contract_check(s, t)) != TN_OK) return status;
  return tn_row_eval(s, s->inside.y);
}
