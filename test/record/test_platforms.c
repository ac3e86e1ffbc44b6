/* a result that x86-64 has written, on whatever platform this is. test/data/pendulum_64.tnr and its table pendulum_64.csv were made by
 *   tenon run models/pendulum.json --until 1 -q -o pendulum_64.tnr -o pendulum_64.csv */
#include "record/record.h"

#include "support/build.h"
#include "test.h"

typedef struct text {
  char byte[4096];
  size_t used;
} text;

static bool to_text(void *user, const char *from, size_t n) {
  text *t = user;
  if (n >= sizeof t->byte - t->used) return false;
  memcpy(t->byte + t->used, from, n);
  t->used += n;
  return true;
}

static tn_result *given(void) {
  tn_result *r = NULL;
  tn_error e;
  if (tn_result_open(NULL, TN_SOURCE_DIR "/test/data/pendulum_64.tnr", &r, &e) != TN_OK) FAIL("%s", e.message);
  return r;
}

TEST(its_rows_are_read_bit_by_bit) {
  tn_result *r = given();
  text table = {.used = 0}, expected = {.used = 0};
  tn_error e;
  if (!r) return;
  FILE *f = fopen(TN_SOURCE_DIR "/test/data/pendulum_64.csv", "rb");
  expected.used = f ? fread(expected.byte, 1, sizeof expected.byte - 1, f) : 0;
  if (f) fclose(f);
  CHECK(tn_result_rows(r) == 11 && tn_result_columns(r) == 5 && tn_result_motion_rows(r) == 11);
  CHECK(tn_result_csv(r, to_text, &table, &e) == TN_OK);
  CHECK_TEXT(table.byte, expected.byte); /* 17 digits: each number has one text */
  CHECK(tn_result_summary(r) != NULL);   /* it is whole */
  tn_result_close(r);
}

typedef struct both {
  double row[16][8];
  int rows, columns;
  double off; /* largest difference of the second from the first */
} both;

static tn_status first(void *user, double t, int n, const double *values) {
  both *b = user;
  b->columns = n + 1;
  b->row[b->rows][0] = t;
  memcpy(b->row[b->rows++] + 1, values, sizeof *values * (size_t)n);
  return TN_OK;
}

static tn_status second(void *user, double t, int n, const double *values) {
  both *b = user;
  const double *row = b->row[b->rows++];
  b->off = fmax(b->off, n + 1 == b->columns ? fabs(t - row[0]) : INFINITY);
  for (int i = 0; i < n; i++) b->off = fmax(b->off, fabs(values[i] - row[i + 1]));
  return TN_OK;
}

/* its model, run again here: the functions of libm differ in their last digits from one platform to the other, and rtol is 1e-8 */
TEST(its_model_moves_in_the_same_way_here) {
  tn_result *r = given();
  both b = {.rows = 0};
  build again;
  tn_error e;
  if (!r) return;
  CHECK(tn_result_each(r, first, &b, &e) == TN_OK && b.rows == 11);
  b.rows = 0;
  build_new(&again, 2);
  if (tn_desc_parse(again.desc, "result", tn_result_model(r), strlen(tn_result_model(r)), &e) != TN_OK)
    build_fail(&again, "%s", e.message);
  CHECK(build_simulate(&again) && tn_sim_run(again.sim, second, &b, &e) == TN_OK && b.rows == 11);
  CHECK(b.off < 1e-9);
  build_free(&again);
  tn_result_close(r);
}
