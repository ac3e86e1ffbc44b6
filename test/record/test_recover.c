/* results that are damaged: which rows are recovered, how many are missing and from when to when; and reads that fail. the subject is a
 * run of 301 rows, in several blocks of rows and of motion. */
#define _GNU_SOURCE /* fopencookie */
#include "record/record.h"

#include <errno.h>

#include "support/build.h"
#include "support/failing.h"
#include "test.h"

enum { BLOCKS_MOST = 64 };

typedef struct block {
  char kind[5];
  size_t from, to; /* with its head */
  long first, rows;
} block;

/* a file in memory, and reads of it that fail */
typedef struct disk {
  char *data;
  size_t used, room, at;
  long reads, fail;        /* the read number `fail` is refused, once       */
  size_t bad_from, bad_to; /* and so are those of these bytes, every time   */
  int blocks, row, move;   /* bytes of rows                                 */
  block block[BLOCKS_MOST];
} disk;

static bool to_disk(void *user, const char *text, size_t size) {
  disk *d = user;
  if (d->used + size > d->room) {
    d->room = 2 * (d->used + size);
    if (!(d->data = realloc(d->data, d->room))) abort();
  }
  memcpy(d->data + d->used, text, size);
  d->used += size;
  return true;
}

static const unsigned char *bytes(const disk *d, size_t at) { return (const unsigned char *)d->data + at; }

static void find_blocks(disk *d) {
  long rows = 0, moves = 0;
  d->blocks = 0;
  for (size_t at = 16 + tn_get_u32(bytes(d, 12)); at < d->used; d->blocks++) {
    block *b = &d->block[d->blocks];
    const size_t n = (size_t)tn_get_u64(bytes(d, at + 8));
    *b = (block){.from = at, .to = at + 16 + n};
    memcpy(b->kind, d->data + at, 4);
    if (strcmp(b->kind, "ROWS") == 0) b->first = rows, rows += b->rows = (long)n / d->row;
    if (strcmp(b->kind, "MOVE") == 0) b->first = moves, moves += b->rows = (long)n / d->move;
    at = b->to;
  }
}

/* until 3 s, every 0.01 s, in blocks of 50 rows, or of as many as a recorder likes */
static void record_run(disk *d, int flush, const char *run) {
  build b;
  tn_error e;
  tn_recorder *recorder = NULL;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run", "%s", run);
  if (!build_simulate(&b)) abort();
  *d = (disk){.row = 8 * (tn_sim_columns(b.sim) + 1), .move = 8 * (tn_motion_size(b.model) + 1)};
  CHECK(tn_recorder_new(b.sim, b.desc, "four_bar", to_disk, d, &recorder, &e) == TN_OK);
  if (!flush) {
    CHECK(tn_sim_run(b.sim, tn_recorder_row, recorder, &e) == TN_OK);
  } else {
    for (int k = 0; k <= 300; k++) {
      const double row[] = {k, 2 * k, 3 * k};
      CHECK(tn_recorder_row(recorder, k * 0.01, 3, row) == TN_OK);
      if (k % flush == flush - 1) CHECK(tn_recorder_flush(recorder) == TN_OK);
    }
    CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_OK);
  }
  CHECK(tn_recorder_end(recorder, b.sim, "four_bar", tn_report_json) == TN_OK);
  tn_recorder_free(recorder);
  build_free(&b);
  find_blocks(d);
}

#define RUN "{\"until\": 3, \"every\": 0.01}"

static bool is_kind(const block *b, const char *kind) { return strcmp(b->kind, kind) == 0; }

/* ---- reading it ------------------------------------------------------------------------------------------------------------------- */

static ssize_t read_disk(void *cookie, char *to, size_t n) {
  disk *d = cookie;
  if (++d->reads == d->fail) return errno = EIO, -1;
  if (d->at >= d->used) return 0;
  if (n > d->used - d->at) n = d->used - d->at;
  if (d->at < d->bad_to && d->at + n > d->bad_from) {
    if (d->at >= d->bad_from) return errno = EIO, -1;
    n = d->bad_from - d->at;
  }
  memcpy(to, d->data + d->at, n);
  d->at += n;
  return (ssize_t)n;
}

static int seek_disk(void *cookie, off64_t *to, int whence) {
  disk *d = cookie;
  const off64_t at = *to + (whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off64_t)d->at : (off64_t)d->used);
  if (at < 0) return -1;
  d->at = (size_t)at;
  *to = at;
  return 0;
}

static tn_status open_disk(disk *d, const tn_allocator *a, tn_result **r, tn_error *e) {
  FILE *file = fopencookie(d, "rb", (cookie_io_functions_t){.read = read_disk, .seek = seek_disk});
  if (!file) abort();
  *r = NULL;
  d->reads = 0;
  d->at = 0;
  return tn_result_open_file(a, file, "disk.tnr", r, e);
}

typedef struct seen {
  long rows;
  bool row[400];
  bool good; /* each row once, in order */
} seen;

static tn_status see(void *user, double t, int n, const double *values) {
  seen *s = user;
  const long k = lround(t / 0.01);
  (void)n, (void)values;
  s->good = s->good && k >= 0 && k < 400 && !s->row[k];
  for (long i = k; s->good && i < 400; i++) s->good = !s->row[i];
  if (s->good) s->row[k] = true;
  s->rows++;
  return TN_OK;
}

static bool count_page(void *user, const char *text, size_t n) {
  (void)text;
  *(size_t *)user += n;
  return true;
}

/* everything that is made of a result, now and then also what takes long; the first status that is not TN_OK */
static tn_status make_all(tn_result *r, tn_error *e) {
  static int calls;
  const bool pages = ++calls % 8 == 0;
  size_t n = 0;
  seen s = {0};
  tn_status status = tn_result_csv(r, count_page, &n, e);
  if (!status) status = tn_result_motion_each(r, see, &s, e);
  for (int g = 0; g < tn_result_groups(r) && !status; g++) status = tn_result_npy(r, g, count_page, &n, e);
  if (!status && pages) status = tn_result_svg(r, count_page, &n, e);
  if (!status && pages) status = tn_result_glb(r, count_page, &n, e);
  if (!status && pages && tn_has_pages(NULL)) status = tn_result_page(r, count_page, &n, e);
  return status;
}

/* the file is damaged; recovered is what is left of the blocks that are not `hit`, and what is missing is counted */
static void check_recovered(disk *d, const bool *hit, const char *what) {
  tn_result *r;
  tn_error e;
  tn_gap g;
  seen rows = {.good = true}, moves = {.good = true}, pairs[2] = {{.good = true}, {.good = true}};
  long expected[2] = {0}, missing[2] = {0}, paired = 0;
  bool done = true;
  CHECK(open_disk(d, NULL, &r, &e) == TN_OK && r);
  if (!r) return;
  for (int i = 0; i < d->blocks; i++) {
    const block *b = &d->block[i];
    if (is_kind(b, "DONE")) done = !hit[i];
    if (is_kind(b, "ROWS")) *(hit[i] ? &missing[0] : &expected[0]) += b->rows;
    if (is_kind(b, "MOVE")) *(hit[i] ? &missing[1] : &expected[1]) += b->rows;
    if (is_kind(b, "ROWS") && !hit[i] && !hit[i - 1]) paired += b->rows;
  }
  CHECK(tn_result_check(r, NULL, &e) == TN_E_IO && *e.message && strcmp(e.file, "disk.tnr") == 0);
  CHECK(make_all(r, &e) == TN_E_IO); /* not as whole */
  CHECK(tn_result_recover(r, &e) == TN_OK);
  CHECK(tn_result_each(r, see, &rows, &e) == TN_OK && tn_result_motion_each(r, see, &moves, &e) == TN_OK);
  for (int motion = 0; motion < 2; motion++)
    CHECK(tn_result_pair_each(r, motion, see, &pairs[motion], &e) == TN_OK && pairs[motion].good);
  CHECK(memcmp(pairs[0].row, pairs[1].row, sizeof pairs[0].row) == 0);
  if (rows.rows != expected[0] || moves.rows != expected[1] || !rows.good || !moves.good)
    FAIL("%s: %ld rows, %ld of motion, not %ld and %ld", what, rows.rows, moves.rows, expected[0], expected[1]);
  if (pairs[0].rows != paired) FAIL("%s: %ld rows with their motion, not %ld", what, pairs[0].rows, paired);
  CHECK((tn_result_summary(r) != NULL) == done);
  long told[2] = {0};
  for (int i = 0; tn_result_gap(r, i, &g); i++) {
    const seen *s = g.motion ? &moves : &rows;
    char text[200];
    told[g.motion] += g.rows;
    CHECK(tn_result_missing(r, i, text, sizeof text) > 0 && strstr(text, "missing"));
    /* rows at both ends are there, and those between them are not */
    const long from = isnan(g.from) ? -1 : lround(g.from / 0.01), to = lround(g.to / 0.01) + g.end;
    CHECK(g.rows == to - from - 1 && (from < 0 || s->row[from]) && (g.end || s->row[to]));
    for (long k = from + 1; k < to; k++) CHECK(!s->row[k]);
  }
  if (told[0] != missing[0] || told[1] != missing[1])
    FAIL("%s: %ld rows missing, %ld of motion, not %ld and %ld", what, told[0], told[1], missing[0], missing[1]);
  const tn_status made = make_all(r, &e); /* a page needs a row */
  CHECK(made == TN_OK || (made == TN_E_USAGE && (!paired || !moves.rows)));
  tn_result_close(r);
}

/* every block alone, and every set of some: by one bit, by zeros, by text */
TEST(rows_that_are_missing_are_counted) {
  disk d;
  unsigned random = 1;
  record_run(&d, 50, RUN);
  CHECK(d.blocks == 1 + 7 + 7 + 1);
  char *good = malloc(d.used), what[80];
  if (!good) abort();
  memcpy(good, d.data, d.used);
  for (int trial = 0; trial < 3 * d.blocks + 60 && tn_test_failures < 5; trial++) {
    bool hit[BLOCKS_MOST] = {false};
    int hits = 0;
    for (int i = 0; i < d.blocks; i++) {
      random = random * 1664525u + 1013904223u;
      hit[i] = trial < 3 * d.blocks ? i == trial % d.blocks : (random >> 16) % 3 == 0;
      hits += hit[i];
    }
    if (!hits) continue;
    for (int i = 0; i < d.blocks; i++) {
      const block *b = &d.block[i];
      if (!hit[i]) continue;
      random = random * 1664525u + 1013904223u;
      const size_t at = b->from + (random >> 8) % (b->to - b->from);
      if (trial % 3 == 0) d.data[at] ^= (char)(1 << (random >> 28) % 8);
      if (trial % 3 == 1) memset(d.data + b->from, 0, b->to - b->from);
      if (trial % 3 == 2) memcpy(d.data + b->from, "ROWS again", 10);
    }
    snprintf(what, sizeof what, "trial %d", trial);
    check_recovered(&d, hit, what);
    memcpy(d.data, good, d.used);
  }
  free(good);
  free(d.data);
}

/* blocks as a run writes them; a piece of the file is gone, or rubbish was put into it: blocks are found wherever they are */
TEST(bytes_that_are_gone_or_too_many) {
  disk d;
  record_run(&d, 0, "{\"until\": 3, \"every\": 0.001}");
  CHECK(d.blocks > 6);
  for (int more = 0; more < 2; more++) {
    disk odd = {.row = d.row, .move = d.move};
    const block *b = &d.block[3];
    tn_result *r;
    tn_error e;
    tn_gap g;
    CHECK(is_kind(b, "MOVE") && is_kind(&d.block[4], "ROWS"));
    to_disk(&odd, d.data, b->from + 100);
    if (more) to_disk(&odd, "what is this?", 13);
    to_disk(&odd, d.data + b->from + (more ? 100 : 103), d.used - b->from - (more ? 100 : 103));
    CHECK(open_disk(&odd, NULL, &r, &e) == TN_OK && tn_result_recover(r, &e) == TN_OK && tn_result_rows(r) == 3001);
    CHECK(tn_result_gap(r, 0, &g) && g.motion && g.rows == b->rows && !tn_result_gap(r, 1, &g));
    CHECK_NEAR(g.from, 0.001 * (double)(b->first - 1), 1e-9);
    CHECK_NEAR(g.to, 0.001 * (double)(b->first + b->rows), 1e-9);
    tn_result_close(r);
    free(odd.data);
  }
  free(d.data);
}

/* cut off at any length: the rows to the end of the run are missing, at most */
TEST(what_a_cut_off_file_lacks) {
  disk d;
  record_run(&d, 50, RUN);
  const size_t whole = d.used;
  for (size_t cut = d.block[0].from; cut < whole && tn_test_failures < 5; cut += 197) {
    tn_result *r;
    tn_error e;
    tn_result_fault fault;
    tn_gap g;
    long rows = 0;
    d.used = cut;
    for (int i = 0; i < d.blocks; i++)
      if (is_kind(&d.block[i], "ROWS") && d.block[i].to <= cut) rows += d.block[i].rows;
    CHECK(open_disk(&d, NULL, &r, &e) == TN_OK && tn_result_check(r, &fault, &e) == TN_E_IO);
    CHECK(fault == TN_FAULT_NO_END && tn_result_rows(r) == rows && tn_result_recover(r, &e) == TN_OK);
    CHECK(tn_result_rows(r) == rows && !tn_result_summary(r));
    const bool gap = tn_result_gap(r, 0, &g);
    CHECK(gap == (rows < 301));
    if (gap) CHECK(!g.motion && g.end && g.rows == 301 - rows && g.to == 3);
    if (gap) CHECK(rows ? fabs(g.from - 0.01 * (double)(rows - 1)) < 1e-12 : isnan(g.from));
    tn_result_close(r);
  }
  free(d.data);
}

/* rows of a run that is not at k every at its end; of one that an event has ended; of one whose every is no round number */
TEST(the_last_row_is_counted) {
  static const struct {
    const char *run;
    long rows;
    double end;
  } cases[] = {{"{\"until\": 0.995, \"every\": 0.01}", 101, 0.995},
               {"{\"until\": 1, \"every\": 0.01}", 101, 1},
               {"{\"until\": 1, \"every\": \"1/70\"}", 71, 1},
               {"{\"until\": 0.001, \"every\": 0.01}", 2, 0.001}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    disk d;
    tn_result *r;
    tn_error e;
    tn_gap g;
    record_run(&d, 0, cases[i].run);
    CHECK(d.blocks == 4 && d.block[2].rows == cases[i].rows);
    d.data[d.block[2].from + 40] ^= 1;
    CHECK(open_disk(&d, NULL, &r, &e) == TN_OK && tn_result_recover(r, &e) == TN_OK && tn_result_rows(r) == 0);
    CHECK(tn_result_gap(r, 0, &g) && !g.motion && g.end && isnan(g.from) && g.to == cases[i].end);
    if (g.rows != cases[i].rows) FAIL("%s: %ld rows missing, not %ld", cases[i].run, g.rows, cases[i].rows);
    CHECK(!tn_result_gap(r, 1, &g));
    tn_result_close(r);
    free(d.data);
  }
}

/* rows that a program of its own recorded at times of its own are recovered, and not counted */
TEST(rows_at_odd_times_cannot_be_counted) {
  disk d;
  tn_result *r;
  tn_error e;
  tn_gap g;
  record_run(&d, 50, "{\"until\": 3, \"every\": 0.03}");
  d.data[d.block[2].from + 40] ^= 1;
  CHECK(open_disk(&d, NULL, &r, &e) == TN_OK && tn_result_recover(r, &e) == TN_OK && tn_result_rows(r) == 251);
  char text[200];
  int i = 0;
  while (tn_result_gap(r, i, &g) && g.motion) i++;
  CHECK(tn_result_gap(r, i, &g) && g.rows == -1 && isnan(g.from) && g.to == 0.5);
  CHECK(tn_result_missing(r, i, text, sizeof text) && strstr(text, "an unknown number of rows"));
  tn_result_close(r);
  free(d.data);
}

/* ---- reads that fail -------------------------------------------------------------------------------------------------------------- */

/* reads, one at a time, once: what was asked for is refused in words, or is whole; opened again, or recovered, all is there */
TEST(a_read_that_fails_once) {
  disk d;
  tn_result *r;
  tn_error e;
  record_run(&d, 50, RUN);
  CHECK(open_disk(&d, NULL, &r, &e) == TN_OK && tn_result_check(r, NULL, &e) == TN_OK);
  CHECK(make_all(r, &e) == TN_OK);
  const long all = d.reads;
  tn_result_close(r);
  int refused = 0, reported = 0;
  for (long n = 1; n <= all && tn_test_failures < 5; n += n < 30 ? 1 : 3) {
    d.fail = n;
    tn_status status = open_disk(&d, NULL, &r, &e);
    refused += status != TN_OK; /* within its head */
    if (status == TN_OK) {
      tn_result_fault fault;
      const tn_status whole = tn_result_check(r, &fault, &e);
      if (whole != TN_OK && fault != TN_FAULT_READ) FAIL("read %ld: fault %d", n, fault);
      if (whole == TN_OK && tn_result_rows(r) != 301) FAIL("read %ld: %ld rows pass for all", n, tn_result_rows(r));
      status = make_all(r, &e);
    }
    reported += status != TN_OK;
    if (status != TN_OK && (!strstr(e.message, "cannot be read at byte") || !strstr(e.message, strerror(EIO))))
      FAIL("read %ld of %ld fails: %d \"%s\"", n, all, status, e.message);
    if (r) {
      char text[200];
      CHECK(tn_result_recover(r, &e) == TN_OK && tn_result_rows(r) == 301 && make_all(r, &e) == TN_OK);
      CHECK(!tn_result_missing(r, 0, text, sizeof text));
    }
    tn_result_close(r);
  }
  CHECK(refused >= 1 && refused < 10);
  CHECK(all > 100 && reported > 20); /* the C library tries others again */
  free(d.data);
}

/* bytes that cannot be read: as a block that is bad, and what is behind them is found */
TEST(a_sector_that_cannot_be_read) {
  disk d;
  record_run(&d, 50, RUN);
  for (size_t from = (d.block[1].from / 4096 + 1) * 4096; from + 4096 < d.used && tn_test_failures < 5; from += 4096) {
    bool hit[BLOCKS_MOST] = {false};
    tn_result *r;
    tn_result_fault fault;
    tn_error e;
    d.bad_from = from;
    d.bad_to = from + 4096;
    for (int i = 0; i < d.blocks; i++) hit[i] = d.block[i].from < d.bad_to && d.block[i].to > d.bad_from;
    CHECK(open_disk(&d, NULL, &r, &e) == TN_OK && tn_result_check(r, &fault, &e) == TN_E_IO);
    CHECK(fault == TN_FAULT_READ && strstr(e.message, strerror(EIO)));
    tn_result_close(r);
    check_recovered(&d, hit, "sector");
  }
  free(d.data);
}

/* ---- limits ----------------------------------------------------------------------------------------------------------------------- */

TEST(recovering_without_memory) {
  disk d;
  tn_result *r;
  tn_error e;
  record_run(&d, 50, RUN);
  for (int i = 1; i < d.blocks; i += 4) d.data[d.block[i].from + 20] ^= 1;
  failing all = {.fail = -1};
  const tn_allocator a = {fail_allocate, fail_release, &all};
  CHECK(open_disk(&d, &a, &r, &e) == TN_OK);
  const long opened = all.calls;
  CHECK(tn_result_recover(r, &e) == TN_OK);
  const long rows = tn_result_rows(r), calls = all.calls;
  tn_result_close(r);
  CHECK(all.out == 0 && calls > opened);
  for (long n = opened + 1; n <= calls; n++) {
    failing f = {.fail = n};
    const tn_allocator scarce = {fail_allocate, fail_release, &f};
    CHECK(open_disk(&d, &scarce, &r, &e) == TN_OK && tn_result_recover(r, &e) == TN_E_MEMORY);
    CHECK(tn_result_each(r, see, &(seen){0}, &e) == TN_E_IO); /* still not as whole */
    CHECK(tn_result_recover(r, &e) == TN_OK && tn_result_rows(r) == rows);
    tn_result_close(r);
    CHECK(f.out == 0);
  }
  free(d.data);
}

/* many starts of blocks, each with a size that reaches far: the search does not take the square of that */
TEST(a_file_made_to_be_searched_for_long) {
  disk d;
  tn_result *r;
  tn_error e;
  unsigned char head[16] = "DONE";
  record_run(&d, 50, RUN);
  const size_t whole = d.used;
  d.data[d.block[5].from + 20] ^= 1;
  d.used = d.block[6].from;
  for (size_t i = 0, n = (size_t)2 << 20; i < n / 16; i++) {
    tn_put_u64(head + 8, n - 16 * i - 16 > 8 ? n - 16 * i - 16 : 8);
    to_disk(&d, (const char *)head, sizeof head);
  }
  const long before = d.reads;
  CHECK(open_disk(&d, NULL, &r, &e) == TN_OK && tn_result_recover(r, &e) == TN_OK);
  CHECK(tn_result_rows(r) == 100 && d.used > whole && d.reads - before < 200000);
  tn_result_close(r);
  free(d.data);
}
