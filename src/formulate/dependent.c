/* dependent: what rows determine of a change of the state, while the rest of it stands. dense; where blocks
 * stand in for the formulation, sparse (dependent_sparse.c).
 *   (1) As = s A d: d the model's length where a speed is one of a length, else 1; s makes every row one of length 1, so that
 *       the choice does not hang on units
 *   (2) As = L U by elimination with the largest pivot left; its pivot columns are the dependent components
 *   (3) A x = r, x zero but for these:  Ud y = L^+ s r,  x = d y
 * positions: the holonomic rows; velocities: all. there are no more pivots than rows are independent in general, and none below
 * 1e-6: what is off would be moved a million times as far. rows that repeat each other are in L^+, least squares.
 * components that are named to be independent have no pivots, unless the others are too few.
 * shared: a formulation that has chosen dependent speeds owns the choice. velocities are corrected in these, as long as they can be,
 * and positions in as many of them as holonomic rows are independent
 * choose     always  at every correction
 *            kept    again when the smallest pivot is below a tenth of the best it has had
 *            once    again only before it degenerates: below a hundredth of that */
#include "formulate/formulate.h"

const double tn_dependent_give_up[3] = {1, 0.1, 0.01};

void tn_dependent_carve(tn_dependent *w, tn_carve *c, const tn_model *model) {
  const int nu = model->large ? 0 : model->nu, rows = model->large ? 0 : model->rows; /* of matrices */
  const uint64_t n = (uint64_t)nu, m = (uint64_t)rows, r = n < m ? n : m;
  w->nu = model->nu;
  w->least = (int)r;
  w->As = TN_CARVE(c, double, m *n);
  w->X = TN_CARVE(c, double, m *n);
  w->L = TN_CARVE(c, double, m *r);
  w->U = TN_CARVE(c, double, r *n);
  w->scale = TN_CARVE(c, double, m + 1);
  w->diagonal = TN_CARVE(c, double, m + 1);
  w->b = TN_CARVE(c, double, m + 1);
  w->y = TN_CARVE(c, double, m + 1);
  w->column = TN_CARVE(c, int, model->nu + 1);
  for (int k = 0; k < 2; k++) w->kept[k] = TN_CARVE(c, int, n + 1);
  w->taken = TN_CARVE(c, bool, m + 1);
  w->named = TN_CARVE(c, bool, model->nu + 1);
  w->stands = TN_CARVE(c, bool, model->nu + 1);
  tn_dependent_sparse_carve(&w->sparse, c, model);
  tn_dependent_reset(w);
}

void tn_dependent_reset(tn_dependent *w) {
  w->chosen[0] = w->chosen[1] = 0;
  tn_dependent_sparse_reset(&w->sparse);
}

void tn_dependent_keep(tn_dependent *w, const tn_model *m, tn_keep *keep) {
  const int nu = m->large ? 0 : m->nu;
  const size_t n = (size_t)nu;
  tn_keep_group(keep, "dependent");
  tn_keep_ints(keep, "choose", 1, &w->choose, 0, 2);
  tn_keep_flags(keep, "fresh", 2, w->fresh);
  tn_keep_ints(keep, "chosen", 2, w->chosen, 0, w->least);
  for (int i = 0; i < 2; i++) tn_keep_ints(keep, "kept", n, w->kept[i], 0, nu - 1);
  tn_keep_numbers(keep, "best", 2, w->best);
  tn_keep_flags(keep, "named", (size_t)m->nu, w->named);
  tn_keep_flags(keep, "some_named", 1, &w->some_named);
  tn_dependent_sparse_keep(&w->sparse, m, keep);
}

/* by what they are and not by where they stand: a state that was put back stands elsewhere */
static bool same_names(tn_dependent *w, const bool *independent) {
  const size_t size = sizeof *w->named * (size_t)w->nu;
  const bool same = independent ? w->some_named && memcmp(w->named, independent, size) == 0 : !w->some_named;
  w->some_named = independent != NULL;
  if (independent) memcpy(w->named, independent, size);
  return same;
}

void tn_dependent_by(tn_dependent *w, int choose, const bool *independent, bool shared) {
  assert(choose >= 0 && choose <= 2);
  if (!same_names(w, independent) || w->choose != choose) tn_dependent_reset(w);
  w->choose = choose;
  w->independent = independent;
  w->shared = shared;
  w->fresh[0] = w->fresh[1] = true;
}

/* (1) */
static void measure(tn_dependent *w, const tn_system *sys, int rows) {
  const int nu = sys->m->nu;
  for (int i = 0; i < rows; i++) {
    const double *a = sys->A + (size_t)i * (size_t)nu;
    double *as = w->As + (size_t)i * (size_t)nu, sum = 0;
    for (int j = 0; j < nu; j++) {
      as[j] = a[j] * tn_component_size(sys->m, j);
      sum += as[j] * as[j];
    }
    /* a row that is about to vanish holds nothing */
    w->scale[i] = sqrt(sum) * sys->m->row_scale[i] > TN_DEPENDENT_LEAST ? 1 / sqrt(sum) : 0;
    for (int j = 0; j < nu; j++) as[j] *= w->scale[i];
  }
}

static int eliminate(tn_dependent *w, int rows, int nu, int most, tn_pivoting how, const bool *never,
                     double *smallest) {
  memcpy(w->X, w->As, sizeof *w->X * (size_t)rows * (size_t)nu);
  for (int j = 0; never && j < nu; j++)
    for (int i = 0; never[j] && i < rows; i++) w->X[i * nu + j] = 0;
  return tn_eliminate(rows, nu, w->X, most, how, TN_DEPENDENT_LEAST, w->L, w->U, w->column, w->taken, smallest);
}

/* the formulation's set: its dependent speeds, *n of them, and the others in `stands`; NULL: it has none */
static const int *shared_set(tn_solver *s, int *n) {
  tn_dependent *w = &s->dependent;
  if (tn_dependent_sparse_serves(s)) return NULL; /* the formulation is not asked, and has none */
  const int *set = w->shared && s->type->dependent ? s->type->dependent(s->self, s->work, n) : NULL;
  if (!set) return NULL;
  for (int j = 0; j < w->nu; j++) w->stands[j] = true;
  for (int k = 0; k < *n; k++) w->stands[set[k]] = false;
  return set;
}

static int choose_dense(tn_solver *s, bool velocity) {
  tn_dependent *w = &s->dependent;
  tn_need(&s->sys, TN_LEVEL_MATRICES);
  const tn_model *m = s->sys.m;
  const int nu = m->nu, rows = velocity ? m->rows : m->holonomic;
  const int most = s->rank < rows ? (s->rank < nu ? s->rank : nu) : rows < nu ? rows : nu;
  double smallest;
  int owned = 0;
  const int *set = shared_set(s, &owned);
  const bool *never = set ? w->stands : w->independent;
  measure(w, &s->sys, rows);
  if (set && velocity) {
    memcpy(w->column, set, sizeof *w->column * (size_t)owned);
    w->rank = eliminate(w, rows, nu, owned, TN_PIVOT_KEPT, NULL, &smallest);
    if (w->rank == owned) return owned;
    never = NULL; /* lost here: for this correction, another */
  }
  /* the passes of a correction move the same ones */
  const double give_up = w->fresh[velocity] ? tn_dependent_give_up[w->choose] : 0;
  if ((w->choose || !w->fresh[velocity]) && w->chosen[velocity]) {
    const int n = w->chosen[velocity];
    memcpy(w->column, w->kept[velocity], sizeof *w->column * (size_t)n);
    w->rank = eliminate(w, rows, nu, n, TN_PIVOT_KEPT, set ? never : NULL, &smallest);
    if (w->rank == n && smallest > give_up * w->best[velocity]) {
      w->best[velocity] = fmax(w->best[velocity], smallest);
      w->fresh[velocity] = false;
      return w->rank;
    }
  }
  w->rank = eliminate(w, rows, nu, most, TN_PIVOT_FULL, never, &smallest);
  if (never && w->rank < most) {
    const int without = w->rank;
    w->rank = eliminate(w, rows, nu, most, TN_PIVOT_FULL, NULL, &smallest);
    /* the rows have no more to give: the named ones stand */
    if (w->rank <= without) w->rank = eliminate(w, rows, nu, most, TN_PIVOT_FULL, never, &smallest);
  }
  w->fresh[velocity] = false;
  w->chosen[velocity] = w->rank;
  w->best[velocity] = INFINITY;
  for (int k = 0; k < w->rank; k++) w->best[velocity] = fmin(w->best[velocity], fabs(w->U[k * nu + w->column[k]]));
  memcpy(w->kept[velocity], w->column, sizeof *w->column * (size_t)w->rank);
  return w->rank;
}

int tn_dependent_choose(tn_solver *s, bool velocity) {
  assert(tn_knows(&s->sys, TN_LEVEL_ROWS));
  const int sparse = tn_dependent_sparse_choose(s, velocity);
  return sparse >= 0 ? sparse : choose_dense(s, velocity);
}
/* (3) */
static bool correct_dense(tn_solver *s, bool velocity, const double *r, double *x) {
  tn_dependent *w = &s->dependent;
  const tn_model *m = s->sys.m;
  tn_need(&s->sys, TN_LEVEL_MATRICES);
  const int nu = m->nu, rows = velocity ? m->rows : m->holonomic, rank = choose_dense(s, velocity);
  double sum = 0;
  for (int j = 0; j < nu; j++) x[j] = 0;
  for (int i = 0; i < rows; i++) w->b[i] = w->scale[i] * r[i];
  tn_qr(rows, rank, w->L, w->diagonal);
  tn_qr_solve(rows, rank, w->L, w->diagonal, w->b, w->y);
  for (int k = rank - 1; k >= 0; k--) {
    const double *u = w->U + (size_t)k * (size_t)nu;
    double y = w->y[k];
    for (int j = k + 1; j < rank; j++) y -= u[w->column[j]] * x[w->column[j]];
    x[w->column[k]] = y / u[w->column[k]];
  }
  for (int k = 0; k < rank; k++) sum += x[w->column[k]] *= tn_component_size(m, w->column[k]);
  return isfinite(sum);
}

bool tn_dependent_correct(tn_solver *s, bool velocity, const double *r, double *x) {
  assert(tn_knows(&s->sys, TN_LEVEL_ROWS));
  return tn_dependent_sparse_choose(s, velocity) >= 0 ? tn_dependent_sparse_correct(s, velocity, r, x)
                                                      : correct_dense(s, velocity, r, x);
}
