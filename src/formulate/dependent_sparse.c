/* dependent_sparse: dependent components of a change where blocks stand in for the formulation; (1) to (3) of dependent.c by sparse
 * rows (linalg/pivots.c) instead of dense matrices. rows are taken in the order in which the plan eliminates joints, so that little
 * fills in: time and memory grow with the bodies. The set is another one than the dense code finds, which pivots on the largest number
 * of all rows; here each row has a number of at least a tenth of its largest. A set is chosen again where a row has lost as much of its
 * pivot as the dense code allows the smallest one to lose: row by row, since the smallest may be another one, and small all along.
 * A set may look good at the end of a long step and yet not lead back, as Euler parameters do not where the independent one is beyond
 * its extremum: if passes of Newton's method end far from the constraints, a new set is tried there (put_back.c).
 *
 * If a row has no pivot above 1e-6, rows may depend on others here; the dense code takes over, whose least squares know what to do. A
 * model without matrices leaves such a row out. If rows fill in beyond `ROOM`, there is no factor. */
#include "formulate/formulate.h"

/* 1: of the smallest pivot at typical positions; nearer to a singular one the dense code takes over. a pivot falls as the sine between
 * rows, and blocks are left where the square of that falls below 1e-4 */
static const double PIVOT_NEAR = 1e-2;

enum { ROOM = 6, ROOM_OF_ROW = 64 }; /* numbers of L, and of U: so many times those of the rows, and of each row */

/* ---- what rows have -------------------------------------------------------------------------------------------------------- */

static int number(const tn_joint *j, int r) { return r < j->rows ? j->row + r : j->row_velocity + r - j->rows; }

static int all_rows(const tn_joint *j) { return j->rows + j->rows_velocity; }

/* speeds c .. c + n - 1 that touch k of a row may have, and the next body below, -1: none; body: k's at first */
static int columns_of(const tn_model *m, const tn_joint *j, const tn_touch *t, int body, int *first) {
  const tn_body *b = &m->body[body];
  *first = t->speed >= 0 ? t->speed : b->u;
  return t->speed >= 0 && j->owner < 0 ? 1 : b->nu;
}

/* of row r of a joint, each column once; column NULL: they are counted, some twice */
static int list_columns(const tn_model *m, const tn_joint *j, int r, int *column) {
  int n = 0;
  for (int k = 0; k < j->touches; k++) {
    const tn_touch *t = &j->touch[k];
    for (int i = t->body; i >= 0; i = t->speed >= 0 ? -1 : m->body[i].parent) {
      int first;
      const int count = columns_of(m, j, t, i, &first);
      for (int c = 0; c < count; c++) {
        bool there = j->pin && m->body[i].plain && c == 1 - r; /* of x and y a pin has one */
        for (int e = 0; column && e < n && !there; e++) there = column[e] == first + c;
        if (there) continue;
        if (column) column[n] = first + c;
        n++;
      }
    }
  }
  return n;
}

static int by_plan(const tn_model *m, int *joint) {
  int n = 0;
  for (int i = 0; i < m->joints + m->owned; i++) n += m->joint[i].block >= 0;
  for (int i = 0; joint && i < m->joints + m->owned; i++) {
    if (m->joint[i].block < 0) continue;
    joint[m->plan.column[m->joint[i].block]] = i;
  }
  return n;
}

static void list_joints(tn_dependent_sparse *l, const tn_model *m, int *at_column) {
  for (int k = 0; k < m->plan.nodes; k++) at_column[k] = -1;
  by_plan(m, at_column);
  for (int k = 0, n = 0; k < m->plan.nodes; k++)
    if (at_column[k] >= 0) l->joint[n++] = at_column[k];
}

void tn_dependent_sparse_carve(tn_dependent_sparse *l, tn_carve *c, const tn_model *m) {
  const tn_part *by = &m->run.formulation;
  const tn_formulation_type *type = by->type;
  l->there = m->plan.nodes > 0 && type->same_as_augmented && type->same_as_augmented(by->self);
  if (!l->there) return;
  int numbers = 0, holonomic = 0;
  for (int i = 0; i < m->joints + m->owned; i++)
    for (int r = 0; m->joint[i].block >= 0 && r < all_rows(&m->joint[i]); r++) {
      const int n = list_columns(m, &m->joint[i], r, NULL);
      numbers += n;
      if (r < m->joint[i].rows) holonomic += n;
    }
  l->joints = by_plan(m, NULL);
  l->sets = m->holonomic < m->rows ? 2 : 1;
  l->joint = TN_CARVE(c, int, l->joints + 1);
  l->first = TN_CARVE(c, int, m->rows + 1);
  l->place = TN_CARVE(c, int, numbers + 1);
  l->off = TN_CARVE(c, bool, m->joints + m->owned);
  l->scale = TN_CARVE(c, double, m->rows + 1);
  l->x = TN_CARVE(c, double, m->nu + 1);
  l->size = TN_CARVE(c, double, m->nu + 1);
  int *at_column = TN_CARVE(c, int, m->plan.nodes);
  tn_pivots_carve(&l->set[0].pivots, c, m->holonomic, m->nu, ROOM * holonomic + ROOM_OF_ROW * m->holonomic);
  if (l->sets == 2) tn_pivots_carve(&l->set[1].pivots, c, m->rows, m->nu, ROOM * numbers + ROOM_OF_ROW * m->rows);
  if (!c->base) return;
  list_joints(l, m, at_column);
  for (int i = 0, at = 0; i < m->rows; i++) { /* rows by number: those of a joint need not be together */
    const tn_joint *j = &m->joint[m->row_joint[i]];
    l->first[i] = at;
    at += j->block < 0 ? 0
                       : list_columns(m, j, i - (i < m->holonomic ? j->row : j->row_velocity - j->rows), l->place + at);
    l->first[i + 1] = at;
  }
}

void tn_dependent_sparse_reset(tn_dependent_sparse *l) {
  for (int k = 0; k < 2; k++) l->set[k].chosen = false, l->set[k].at = 0, l->typical[k] = 0;
}

void tn_dependent_sparse_keep(tn_dependent_sparse *l, const tn_model *m, tn_keep *keep) {
  if (!l->there) return;
  tn_keep_group(keep, "dependent, by blocks");
  tn_keep_flags(keep, "off", (size_t)(m->joints + m->owned), l->off);
  tn_keep_longs(keep, "fits", 1, &l->fits);
  for (int k = 0; k < l->sets; k++) {
    tn_keep_flags(keep, "chosen", 1, &l->set[k].chosen);
    tn_keep_numbers(keep, "typical", 1, &l->typical[k]);
    tn_keep_longs(keep, "number", 1, &l->set[k].number);
    tn_pivots_keep(&l->set[k].pivots, keep);
    if (tn_keep_reads(keep)) l->set[k].at = 0;
  }
}

/* ---- factor ---------------------------------------------------------------------------------------------------------------- */

/* row r of a joint into v, in units, of length 1; its scale */
static double put_row(const tn_system *sys, tn_dependent_sparse *l, const tn_joint *j, int r, double *v) {
  const tn_model *m = sys->m;
  const int i = number(j, r);
  double *size = m->relative ? l->size : NULL, room[3], sum = 0;
  tn_seen at = {.body = -1};
  for (int e = l->first[i]; size && e < l->first[i + 1]; e++) size[l->place[e]] = 0;
  for (int k = 0; k < j->touches; k++) {
    const tn_touch *t = &j->touch[k];
    const double *R = tn_touch_row(sys, j, r, k, room);
    at.body = t->body;
    if (t->speed < 0)
      tn_add_row(sys, &at, R, v, size);
    else
      for (int c = 0; c < (j->owner >= 0 ? m->body[t->body].nu : 1); c++) v[t->speed + c] += R[c];
  }
  for (int e = l->first[i]; e < l->first[i + 1]; e++) {
    const int c = l->place[e];
    if (size) tn_clean_row(1, v + c, size + c);
    v[c] *= tn_component_size(m, c);
    sum += v[c] * v[c];
  }
  const double scale = sqrt(sum) * m->row_scale[i] > TN_DEPENDENT_LEAST ? 1 / sqrt(sum) : 0;
  for (int e = l->first[i]; e < l->first[i + 1]; e++) v[l->place[e]] *= scale;
  return scale;
}

static void factor(const tn_system *sys, tn_dependent_sparse *l, tn_pivots *k, int set, bool again, const bool *never) {
  const tn_model *m = sys->m;
  const bool all = set || l->sets == 1;
  tn_pivots_begin(k, again);
  memset(k->later, 0, sizeof *k->later * (size_t)m->nu);
  for (int i = 0; i < (all ? m->rows : m->holonomic) && !again; i++)
    for (int e = l->first[i]; e < l->first[i + 1]; e++) k->later[l->place[e]]++;
  for (int n = 0; n < l->joints; n++) {
    const tn_joint *j = &m->joint[l->joint[n]];
    for (int r = 0; r < (all ? all_rows(j) : j->rows); r++) {
      const int i = number(j, r);
      l->scale[i] = 0;
      if (!sys->given.off[l->joint[n]]) {
        l->scale[i] = put_row(sys, l, j, r, k->v);
        for (int e = l->first[i]; e < l->first[i + 1] && !again; e++) tn_pivots_has(k, l->place[e]);
      }
      tn_pivots_row(k, never, TN_DEPENDENT_LEAST);
    }
  }
}

bool tn_dependent_sparse_serves(const tn_solver *s) { return s->dependent.sparse.there && tn_solver_has_blocks(s); }

/* ---- choose and correct ------------------------------------------------------------------------------------------------------ */

static int set_of(const tn_dependent_sparse *l, bool velocity) { return velocity && l->sets == 2; }

static int columns_into(const tn_pivots *k, int *column) {
  int n = 0;
  for (int i = 0; i < k->rows; i++)
    if (k->pivot[i] >= 0) column[n++] = k->pivot[i];
  return n;
}

/* rows that are switched off have no pivot, and no other may lack one unless there are no matrices */
static bool complete(const tn_solver *s, const tn_pivots *k) {
  const tn_model *m = s->sys.m;
  int idle = 0;
  for (int i = 0; i < m->joints + m->owned; i++)
    if (s->sys.given.off[i]) idle += k->rows == m->rows ? all_rows(&m->joint[i]) : m->joint[i].rows;
  return !k->full && (k->rank == k->rows - idle || m->large);
}

/* set 0 or 1, at the present position; `never`: as in tn_pivots_row */
static bool choose(tn_solver *s, int set, bool fresh, const bool *never) {
  tn_dependent *w = &s->dependent;
  tn_dependent_sparse *l = &w->sparse;
  tn_pivots *k = &l->set[set].pivots;
  const size_t flags = sizeof *l->off * (size_t)(s->sys.m->joints + s->sys.m->owned);
  const bool chosen = l->set[set].chosen && memcmp(l->off, s->sys.given.off, flags) == 0;
  if (chosen && l->set[set].at == s->sys.known.place) return true;
  const double give_up = fresh ? tn_dependent_give_up[w->choose] : 0;
  bool good = false;
  if (chosen && (w->choose || !fresh)) {
    factor(&s->sys, l, k, set, true, NULL);
    good = k->worth > give_up && k->least > TN_DEPENDENT_LEAST;
  }
  if (!good) {
    factor(&s->sys, l, k, set, false, never);
    if (memcmp(l->off, s->sys.given.off, flags) != 0) l->set[1 - set].chosen = false;
    memcpy(l->off, s->sys.given.off, flags);
    l->set[set].number++;
  }
  l->typical[set] = fmax(l->typical[set], k->least);
  l->set[set].chosen = complete(s, k) && (s->sys.m->large || k->least > PIVOT_NEAR * l->typical[set]);
  l->set[set].at = s->sys.known.place;
  return l->set[set].chosen;
}

/* a partition owns the set: what is independent among speeds stands among positions too. false: it has chosen others since */
static const bool *of_speeds(tn_solver *s) {
  tn_dependent *w = &s->dependent;
  const tn_pivots *k = &w->sparse.set[1].pivots;
  for (int j = 0; j < w->nu; j++) w->stands[j] = k->step[j] < 0;
  return w->stands;
}

int tn_dependent_sparse_choose(tn_solver *s, bool velocity) {
  tn_dependent *w = &s->dependent;
  tn_dependent_sparse *l = &w->sparse;
  if (!tn_dependent_sparse_serves(s)) return -1;
  const int set = set_of(l, velocity);
  const bool *never = w->independent;
  if (!velocity && l->sets == 2 && w->shared && s->type->dependent) {
    if (!choose(s, 1, w->fresh[0], NULL)) return -1;
    if (l->fits != l->set[1].number) l->set[0].chosen = false;
    l->fits = l->set[1].number;
    never = of_speeds(s);
  }
  if (!choose(s, set, w->fresh[velocity], never)) return -1;
  w->fresh[velocity] = false;
  return columns_into(&l->set[set].pivots, w->column);
}

bool tn_dependent_sparse_renew(tn_solver *s) {
  tn_dependent *w = &s->dependent;
  if (!tn_dependent_sparse_serves(s) || !w->sparse.set[0].chosen) return false;
  for (int k = 0; k < 2; k++) w->sparse.set[k].chosen = false, w->fresh[k] = true;
  return true;
}

/* x with A x = r that moves nothing else, with the factor that tn_dependent_sparse_choose has left */
bool tn_dependent_sparse_correct(tn_solver *s, bool velocity, const double *r, double *x) {
  tn_dependent_sparse *l = &s->dependent.sparse;
  const tn_model *m = s->sys.m;
  tn_pivots *k = &l->set[set_of(l, velocity)].pivots;
  double sum = 0;
  for (int n = 0, step = 0; n < l->joints; n++) {
    const tn_joint *j = &m->joint[l->joint[n]];
    for (int i = 0; i < (k->rows == m->rows ? all_rows(j) : j->rows); i++, step++)
      k->y[step] = l->scale[number(j, i)] * r[number(j, i)];
  }
  tn_pivots_solve(k, x);
  for (int j = 0; j < m->nu; j++) sum += x[j] *= tn_component_size(m, j);
  return isfinite(sum);
}
