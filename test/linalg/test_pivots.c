/* sparse rows in terms of some of their columns: against elimination of dense matrices, with other columns and the same pattern, with
 * rows that depend on others, and with no room. */
#include "linalg/linalg.h"
#include "test.h"

enum { ROWS = 40, COLUMNS = 60, ROOM = 4000 };

static uint64_t seed = 7;

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

typedef struct rows {
  double A[ROWS][COLUMNS];
  bool has[ROWS][COLUMNS];
} rows;

/* like a mechanism: row i has columns near 1.5 i, and some rows one far away */
static void draw(rows *r) {
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      r->has[i][j] = abs(2 * j - 3 * i) < 7 || (i % 7 == 3 && j == (5 * i) % COLUMNS);
      r->A[i][j] = r->has[i][j] ? uniform() : 0;
    }
}

static tn_pivots *made(int room, void **block) {
  tn_carve c = {NULL, 0};
  tn_pivots *k = NULL;
  for (int pass = 0; pass < 2; pass++) {
    tn_pivots unused = {0};
    c.used = 0;
    k = TN_CARVE(&c, tn_pivots, 1);
    tn_pivots_carve(c.base ? k : &unused, &c, ROWS, COLUMNS, room);
    if (!pass) c.base = *block = calloc(1, c.used);
    if (!c.base) abort();
  }
  return k;
}

static void factor(tn_pivots *k, const rows *r, bool again, const bool *never) {
  tn_pivots_begin(k, again);
  for (int j = 0; j < COLUMNS; j++) {
    k->later[j] = 0;
    for (int i = 0; i < ROWS; i++) k->later[j] += r->has[i][j];
  }
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      if (!r->has[i][j]) continue;
      k->v[j] = r->A[i][j];
      if (!again) tn_pivots_has(k, j);
    }
    tn_pivots_row(k, never, 1e-9);
  }
}

/* x of a right side: it meets the rows, moves no independent column, and is what a dense solution of those columns is */
static double off(tn_pivots *k, const rows *r) {
  static double D[ROWS * ROWS];
  double b[ROWS], x[COLUMNS], y[ROWS], worst = 0, size = 0;
  int pivot[ROWS];
  for (int i = 0; i < ROWS; i++) k->y[i] = b[i] = y[i] = uniform();
  tn_pivots_solve(k, x);
  for (int i = 0; i < ROWS; i++)
    for (int e = 0; e < ROWS; e++) D[i * ROWS + e] = r->A[i][k->pivot[e]];
  CHECK(tn_lu_factor(ROWS, D, pivot));
  tn_lu_solve(ROWS, D, pivot, y);
  for (int e = 0; e < ROWS; e++) size = fmax(size, fabs(y[e]));
  for (int e = 0; e < ROWS; e++) worst = fmax(worst, fabs(y[e] - x[k->pivot[e]]));
  for (int j = 0; j < COLUMNS; j++) CHECK((k->step[j] < 0) == (x[j] == 0));
  return worst / size;
}

TEST(a_part_of_the_columns_solves_the_rows) {
  void *block;
  tn_pivots *k = made(ROOM, &block);
  static rows r;
  double worst = 0;
  for (int trial = 0; trial < 50; trial++) {
    draw(&r);
    factor(k, &r, false, NULL);
    CHECK(!k->full && k->rank == ROWS);
    worst = fmax(worst, off(k, &r));
    int pivots[ROWS];
    memcpy(pivots, k->pivot, sizeof pivots);
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLUMNS; j++) r.A[i][j] += r.has[i][j] ? 0.05 * uniform() : 0;
    factor(k, &r, true, NULL);
    CHECK(memcmp(pivots, k->pivot, sizeof pivots) == 0 && k->rank == ROWS);
    worst = fmax(worst, off(k, &r));
    for (int j = 0; j < COLUMNS; j++) CHECK(k->v[j] == 0 && !k->in[j]);
  }
  printf("off by %.1e\n", worst);
  CHECK(worst < 1e-10);
  free(block);
}

/* the same factor whether its pattern is known or not */
TEST(a_known_pattern_changes_nothing) {
  void *block;
  tn_pivots *k = made(ROOM, &block);
  static rows r;
  static double U[ROOM], L[ROOM];
  draw(&r);
  factor(k, &r, false, NULL);
  memcpy(U, k->U, sizeof U);
  memcpy(L, k->L, sizeof L);
  const double least = k->least;
  factor(k, &r, true, NULL);
  CHECK(memcmp(U, k->U, sizeof *U * (size_t)k->first_u[ROWS]) == 0);
  CHECK(memcmp(L, k->L, sizeof *L * (size_t)k->first_l[ROWS]) == 0);
  CHECK(k->least == least);
  free(block);
}

/* columns that are to stand have no pivot while a row has another; a row that repeats two others has none at all */
TEST(columns_that_stand_and_rows_that_depend) {
  void *block;
  tn_pivots *k = made(ROOM, &block);
  static rows r;
  bool never[COLUMNS] = {false};
  draw(&r);
  for (int j = 0; j < COLUMNS; j += 4) never[j] = true;
  factor(k, &r, false, never);
  int given = 0;
  for (int j = 0; j < COLUMNS; j++) given += never[j] && k->step[j] >= 0;
  CHECK(k->rank == ROWS && given <= 2);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS && i == 20; j++) {
      r.A[i][j] = r.A[18][j] - 2 * r.A[19][j];
      r.has[i][j] = r.has[18][j] || r.has[19][j];
    }
  factor(k, &r, false, NULL);
  CHECK(k->rank == ROWS - 1 && k->pivot[20] == -1 && k->least > 1e-9);
  free(block);
}

TEST(rows_that_fill_in_too_much_have_no_factor) {
  void *block;
  tn_pivots *k = made(200, &block);
  static rows r;
  draw(&r);
  factor(k, &r, false, NULL);
  CHECK(k->full);
  for (int j = 0; j < COLUMNS; j++) CHECK(k->v[j] == 0 && !k->in[j]);
  tn_pivots_begin(k, true); /* there is no pattern to follow */
  CHECK(!k->again);
  free(block);
}
