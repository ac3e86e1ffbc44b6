/* x with A x = r of sparse rows, in a square part of its columns: which columns is chosen on the way.
 *
 * Rows are taken one by one, in an order given once (the plan's, from the leaves). Row i less multiples of those before it has zeros in
 * their pivot columns; its own pivot is a column of what is left. So
 *   (1) s_i a_i = sum l_ip u_p + u_i over the steps p < i,  u_i zero in the pivot columns of steps before i
 *   (2) y_i = s_i r_i - sum l_ip y_p;   x_c(i) = (y_i - sum u_ij x_j)/u_ic(i), from the last step backwards, j pivot columns after it
 * where the columns without a pivot, the independent ones, have x_j = 0.
 * The pivot is a number of at least a tenth of the largest of its row: by this the dependent columns are bounded by the independent
 * ones, row by row. Among these it is the column that the fewest later rows have, since those rows are what it fills in.
 *
 * A choice has a pattern: with the same columns the factor is made again without any search. `room` bounds the numbers of L and of U; a
 * mechanism that fills in more has none (`full`), and others take over. */
#include "linalg/linalg.h"

#include <assert.h>

static const double RELAXED = 0.1; /* 1: of the largest number of a row, a pivot at least */

void tn_pivots_carve(tn_pivots *k, tn_carve *c, int rows, int columns, int room) {
  k->rows = rows;
  k->columns = columns;
  k->room = room;
  int **by_step[] = {&k->pivot, &k->first_l, &k->first_u, &k->heap};
  for (int i = 0; i < 4; i++) *by_step[i] = TN_CARVE(c, int, rows + 1);
  int **by_column[] = {&k->step, &k->later, &k->list};
  for (int i = 0; i < 3; i++) *by_column[i] = TN_CARVE(c, int, columns + 1);
  k->column_u = TN_CARVE(c, int, room);
  k->step_l = TN_CARVE(c, int, room);
  k->U = TN_CARVE(c, double, room);
  k->L = TN_CARVE(c, double, room);
  k->v = TN_CARVE(c, double, columns + 1);
  k->y = TN_CARVE(c, double, rows + 1);
  k->best = TN_CARVE(c, double, rows + 1);
  k->in = TN_CARVE(c, bool, columns + 1);
  k->queued = TN_CARVE(c, bool, rows + 1);
}

void tn_pivots_begin(tn_pivots *k, bool again) {
  k->again = again && !k->full;
  k->at = 0;
  k->least = INFINITY;
  k->worth = 1;
  if (k->again) return;
  k->full = false;
  k->rank = k->first_l[0] = k->first_u[0] = 0;
  for (int j = 0; j < k->columns; j++) k->step[j] = -1;
}

/* ---- a row that is new ---------------------------------------------------------------------------------------------------- */

static void push(tn_pivots *k, int step) {
  int i = k->waiting++;
  while (i > 0 && k->heap[(i - 1) / 2] > step) {
    k->heap[i] = k->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  k->heap[i] = step;
}

/* the smallest that waits */
static int pop(tn_pivots *k) {
  const int first = k->heap[0], last = k->heap[--k->waiting];
  int i = 0;
  for (int child = 1; child < k->waiting; child = 2 * i + 1) {
    if (child + 1 < k->waiting && k->heap[child + 1] < k->heap[child]) child++;
    if (k->heap[child] >= last) break;
    k->heap[i] = k->heap[child];
    i = child;
  }
  k->heap[i] = last;
  return first;
}

static void meet(tn_pivots *k, int column) {
  const int step = k->step[column];
  if (k->in[column]) return;
  k->in[column] = true;
  k->list[k->listed++] = column;
  if (step < 0 || k->queued[step]) return;
  k->queued[step] = true;
  push(k, step);
}

void tn_pivots_has(tn_pivots *k, int column) {
  assert(column >= 0 && column < k->columns);
  k->later[column]--;
  if (!k->again) meet(k, column);
}

/* less the row of step p */
static double take(tn_pivots *k, int p) {
  const int *column = k->column_u;
  const double l = k->v[k->pivot[p]] / k->U[k->first_u[p]];
  k->v[k->pivot[p]] = 0;
  for (int e = k->first_u[p] + 1; e < k->first_u[p + 1]; e++) k->v[column[e]] -= l * k->U[e];
  return l;
}

/* of what is left: the pivot, or -1 where all of it is below `least` */
static int best(const tn_pivots *k, const bool *never, double least) {
  double most = 0;
  int found = -1;
  for (int i = 0; i < k->listed; i++) {
    const int j = k->list[i];
    if (k->step[j] < 0 && !(never && never[j])) most = fmax(most, fabs(k->v[j]));
  }
  if (!(most > least)) return -1;
  for (int i = 0; i < k->listed; i++) {
    const int j = k->list[i];
    if (k->step[j] >= 0 || (never && never[j]) || !(fabs(k->v[j]) >= RELAXED * most)) continue;
    const bool fewer = found < 0 || k->later[j] < k->later[found],
               larger = found >= 0 && k->later[j] == k->later[found] && fabs(k->v[j]) > fabs(k->v[found]);
    if (fewer || larger) found = j;
  }
  return found;
}

static void clear(tn_pivots *k) {
  for (int i = 0; i < k->listed; i++) {
    const int j = k->list[i];
    k->v[j] = 0;
    k->in[j] = false;
  }
  k->listed = 0;
}

/* the row as it is into U, its pivot first */
static void store(tn_pivots *k, int i, int pivot, int *u) {
  if (pivot >= 0) {
    k->step[pivot] = i;
    k->column_u[*u] = pivot;
    k->U[(*u)++] = k->v[pivot];
    k->rank++;
  }
  for (int e = 0; pivot >= 0 && e < k->listed; e++) {
    const int j = k->list[e];
    if (j == pivot || (k->step[j] >= 0 && k->step[j] < i)) continue;
    k->column_u[*u] = j;
    k->U[(*u)++] = k->v[j];
  }
}

static void judge(tn_pivots *k, int i, double pivot) {
  k->best[i] = fmax(k->best[i], pivot);
  k->least = fmin(k->least, pivot);
  k->worth = fmin(k->worth, pivot / k->best[i]);
}

static void new_row(tn_pivots *k, const bool *never, double least) {
  const int i = k->at;
  int l = k->first_l[i], u = k->first_u[i], pivot = -1;
  while (k->waiting) {
    const int p = pop(k);
    k->queued[p] = false;
    for (int e = k->first_u[p] + 1; !k->full && e < k->first_u[p + 1]; e++) meet(k, k->column_u[e]);
    k->full = k->full || l >= k->room;
    if (k->full) continue;
    k->step_l[l] = p;
    k->L[l++] = take(k, p);
  }
  k->full = k->full || u + k->listed > k->room;
  if (!k->full) {
    pivot = best(k, never, least);
    if (pivot < 0 && never) pivot = best(k, NULL, least); /* the others are too few: a named one gives way */
    store(k, i, pivot, &u);
  }
  k->pivot[i] = pivot;
  k->first_l[i + 1] = l;
  k->first_u[i + 1] = u;
  k->best[i] = 0;
  if (pivot >= 0) judge(k, i, fabs(k->v[pivot]));
  clear(k);
}

/* the same columns once more: the pattern is known */
static void same_row(tn_pivots *k) {
  const int i = k->at;
  const int *column = k->column_u;
  for (int e = k->first_l[i]; e < k->first_l[i + 1]; e++) k->L[e] = take(k, k->step_l[e]);
  for (int e = k->first_u[i]; e < k->first_u[i + 1]; e++) {
    k->U[e] = k->v[column[e]];
    k->v[column[e]] = 0;
  }
  if (k->pivot[i] >= 0) judge(k, i, fabs(k->U[k->first_u[i]]));
}

void tn_pivots_row(tn_pivots *k, const bool *never, double least) {
  assert(k->at < k->rows);
  if (k->again)
    same_row(k);
  else
    new_row(k, never, least);
  k->at++;
}

/* ---- solve ---------------------------------------------------------------------------------------------------------------- */

void tn_pivots_solve(tn_pivots *k, double *x) {
  assert(k->at == k->rows && !k->full);
  double *y = k->y;
  for (int i = 0; i < k->rows; i++) {
    double sum = y[i];
    for (int e = k->first_l[i]; e < k->first_l[i + 1]; e++) sum -= k->L[e] * y[k->step_l[e]];
    y[i] = sum;
  }
  for (int j = 0; j < k->columns; j++) x[j] = 0;
  for (int i = k->rows - 1; i >= 0; i--) {
    const int first = k->first_u[i];
    if (k->pivot[i] < 0) continue;
    double sum = y[i];
    for (int e = first + 1; e < k->first_u[i + 1]; e++) sum -= k->U[e] * x[k->column_u[e]];
    x[k->pivot[i]] = sum / k->U[first];
  }
}

void tn_pivots_keep(tn_pivots *k, tn_keep *keep) {
  const size_t rows = (size_t)k->rows, room = (size_t)k->room;
  tn_keep_flags(keep, "full", 1, &k->full);
  tn_keep_ints(keep, "rank", 1, &k->rank, 0, k->rows);
  tn_keep_ints(keep, "pivot", rows, k->pivot, -1, k->columns - 1);
  tn_keep_ints(keep, "first_l", rows + 1, k->first_l, 0, k->room);
  tn_keep_ints(keep, "first_u", rows + 1, k->first_u, 0, k->room);
  tn_keep_ints(keep, "step", (size_t)k->columns, k->step, -1, k->rows - 1);
  tn_keep_ints(keep, "column_u", room, k->column_u, 0, k->columns - 1);
  tn_keep_ints(keep, "step_l", room, k->step_l, 0, k->rows - 1);
  tn_keep_numbers(keep, "best", rows, k->best);
}
