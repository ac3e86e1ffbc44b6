/* a description over many values: the same rows for any number of threads, which are those of single runs; failures stay apart. */
#include "support/build.h"
#include "tenon/study.h"
#include "test.h"

enum { RUNS = 6, ROWS = 51, COLUMNS = 3, SIZE = RUNS * ROWS * (COLUMNS + 1) };

static const char *const names[] = {"rho", "/start/A.rate"};
static const double values[RUNS][2] = {{1, 5}, {1.5, 6}, {2, 7}, {-1, 5}, {3, 4}, {4, 3}};

static void describe(build *b) {
  build_new(b, 1);
  build_read(b, "four_bar");
  build_set(b, "/run/until", "0.5");
}

static tn_batch_options options(int workers) {
  return (tn_batch_options){
      .name = "four_bar", .runs = RUNS, .parameters = 2, .parameter = names, .value = values[0], .workers = workers};
}

TEST(rows_do_not_depend_on_threads_and_are_those_of_single_runs) {
  static double one[SIZE], many[SIZE];
  static tn_batch_result r[RUNS];
  build b;
  tn_error e;
  tn_batch_options o = options(1);
  describe(&b);
  CHECK(tn_batch_run(b.desc, &o, ROWS, COLUMNS, one, r, &e) == TN_OK);
  o.workers = 4;
  CHECK(tn_batch_run(b.desc, &o, ROWS, COLUMNS, many, r, &e) == TN_OK);
  CHECK(memcmp(one, many, sizeof one) == 0);
  for (int i = 0; i < RUNS; i++) {
    const double *rows = many + (size_t)i * ROWS * (COLUMNS + 1);
    build single;
    build_table table = {0};
    if (i == 3) continue;
    describe(&single);
    build_set(&single, "/constants/rho", "%.17g", values[i][0]);
    build_set(&single, "/start/A.rate", "%.17g", values[i][1]);
    CHECK(r[i].status == TN_OK && r[i].rows == ROWS && r[i].verdict == TN_TRUSTED && r[i].t_end == 0.5);
    CHECK(build_simulate(&single) && build_run(&single, &table));
    for (int k = 0; k < ROWS * (COLUMNS + 1); k++) CHECK(table.value[k] == rows[k]);
    build_table_free(&table);
    build_free(&single);
  }
  CHECK(r[3].status == TN_E_MODEL && r[3].rows == 0);
  CHECK_HAS(r[3].message, "mass");
  CHECK(isnan(many[3 * ROWS * (COLUMNS + 1)]));
  build_free(&b);
}

TEST(room_that_is_too_small_is_an_error_of_the_run) {
  static double x[SIZE];
  static tn_batch_result r[RUNS];
  build b;
  tn_error e;
  tn_batch_options o = options(2);
  describe(&b);
  CHECK(tn_batch_run(b.desc, &o, 10, COLUMNS, x, r, &e) == TN_OK);
  CHECK(r[0].status == TN_E_USAGE && r[0].rows == 10);
  CHECK_HAS(r[0].message, "more rows");
  CHECK(tn_batch_run(b.desc, &o, ROWS, 2, x, r, &e) == TN_OK);
  CHECK_HAS(r[0].message, "3 outputs");
  build_free(&b);
}

static bool after_two(void *user, int done, int all, const char *run) {
  (void)run;
  CHECK(all == RUNS);
  return *(int *)user = done, done < 2;
}

static bool at_once(void *user) {
  (void)user;
  return true;
}

TEST(a_batch_that_is_stopped_says_which_runs_are_there) {
  static double x[SIZE];
  static tn_batch_result r[RUNS];
  build b;
  tn_error e;
  int done = 0;
  tn_batch_options o = options(1);
  describe(&b);
  o.progress = after_two;
  o.user = &done;
  CHECK(tn_batch_run(b.desc, &o, ROWS, COLUMNS, x, r, &e) == TN_E_STOPPED);
  CHECK(done == 2 && r[0].status == TN_OK && r[1].status == TN_OK && r[2].status == TN_E_STOPPED && r[2].rows == 0);
  o.progress = NULL;
  o.stop = at_once;
  CHECK(tn_batch_run(b.desc, &o, ROWS, COLUMNS, x, r, &e) == TN_E_STOPPED);
  CHECK(r[0].status == TN_E_STOPPED && r[0].rows >= 1);
  build_free(&b);
}
