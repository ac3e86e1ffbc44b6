/* result files: what is written is read, bit for bit; what is cut off reads up to there; what is damaged or hostile never does more
 * than it should; and what is made of them - tables, arrays, pictures. */
#include "record/record.h"

#include <unistd.h>
#if TN_PROGRAM /* a platform with signals */
#include <setjmp.h>
#include <signal.h>
#endif

#include "support/build.h"
#include "test.h"

static const char path[] = "result.tnr";

/* ---- bytes, files, rows -------------------------------------------------------------------------------------------------- */

typedef struct page {
  size_t used, room;
  char *text;
  int64_t calls, fail; /* the call number `fail` is refused           */
  bool on;             /* and the one after it is not                  */
} page;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  ++p->calls;
  if (p->fail && (p->on ? p->calls == p->fail : p->calls >= p->fail)) return false;
  if (p->used + size >= p->room) {
    p->room = 2 * (p->used + size) + 1000;
    if (!(p->text = realloc(p->text, p->room))) abort();
  }
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

static void drop(page *p) {
  free(p->text);
  *p = (page){0};
}

static void save(const char *name, const void *bytes, size_t n) {
  FILE *f = fopen(name, "wb");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) abort();
}

typedef struct rows {
  int columns; /* with t */
  int64_t n, room;
  double *value;
} rows;

static tn_status keep(void *user, double t, int n, const double *values) {
  rows *r = user;
  if (r->n == r->room) {
    r->room = 2 * r->room + 16;
    if (!(r->value = realloc(r->value, sizeof *r->value * (size_t)(n + 1) * (size_t)r->room))) abort();
  }
  r->columns = n + 1;
  double *to = r->value + (size_t)r->n++ * (size_t)(n + 1);
  to[0] = t;
  if (n) memcpy(to + 1, values, sizeof *values * (size_t)n);
  return TN_OK;
}

/* the first n rows have the same bits */
static bool same_rows(const rows *a, const rows *b, int64_t n) {
  return n == 0 || (a->n >= n && b->n >= n && a->columns == b->columns &&
                    memcmp(a->value, b->value, sizeof *a->value * (size_t)n * (size_t)a->columns) == 0);
}

static uint64_t state = 88172645463325252u;
static uint64_t bits(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

/* any bits at all, and those that arithmetic would not bring back */
static double any_double(void) {
  static const uint64_t odd[] = {0x8000000000000000u,
                                 0x7ff0000000000000u,
                                 0xfff0000000000000u,
                                 0x7ff8000000000001u,
                                 0xfff8dead0000beefu,
                                 0x7ff0000000000001u,
                                 1,
                                 0x7fefffffffffffffu};
  const uint64_t b = bits() % 3 ? bits() : odd[bits() % 8];
  double x;
  memcpy(&x, &b, sizeof x);
  return x;
}

/* ---- a recording of random rows ---------------------------------------------------------------------------------------------- */

static const char small[] =
    "{\"tenon\": 1, \"dimension\": 2, \"title\": \"a <b> & \\\"c\\\"\", \"gravity\": [0, -9.81],"
    "\"bodies\": {\"p\": {\"mass\": 1, \"position\": [1, 0], \"coordinates\": \"point\"}},"
    "\"joints\": {\"r\": {\"type\": \"distance\", \"between\": [\"ground\", \"p\"], \"at\": [[0, 0]]}},"
    "\"outputs\": {\"tip\": \"position(p)\", \"e\": \"2*p.x\"}, \"run\": {\"until\": 0.3, \"every\": 0.1}}";

typedef struct recording {
  build b;
  page p;
  rows rows;
  size_t head;         /* bytes up to the first block       */
  int blocks;          /* of rows                           */
  size_t end[64];      /* where each ends                   */
  int64_t rows_at[64]; /* rows up to there                  */
} recording;

/* `sizes`: rows of each block, ends with 0 */
static void record(recording *r, const char *model, const int *sizes) {
  tn_error e;
  tn_recorder *recorder = NULL;
  double values[4096];
  memset(r, 0, sizeof *r);
  build_new(&r->b, 1);
  build_parse(&r->b, model);
  if (!build_simulate(&r->b)) {
    printf("%s\n", r->b.message);
    abort();
  }
  const int n = tn_sim_columns(r->b.sim);
  CHECK(tn_recorder_new(r->b.sim, r->b.desc, "dir/small \"model\".json", to_page, &r->p, &recorder, &e) == TN_OK);
  r->head = r->p.used - TN_TNR_BLOCK - TN_TNR_HEAD; /* its checksum is a block */
  for (; *sizes; sizes++) {
    for (int i = 0; i < *sizes; i++) {
      for (int k = 0; k < n; k++) values[k] = any_double();
      const double t = any_double();
      CHECK(tn_recorder_row(recorder, t, n, values) == TN_OK);
      keep(&r->rows, t, n, values);
    }
    CHECK(tn_recorder_flush(recorder) == TN_OK);
    r->end[r->blocks] = r->p.used;
    r->rows_at[r->blocks++] = r->rows.n;
  }
  CHECK(tn_recorder_end(recorder, r->b.sim, "m", tn_report_json) == TN_OK);
  tn_recorder_free(recorder);
}

static void record_free(recording *r) {
  build_free(&r->b);
  drop(&r->p);
  free(r->rows.value);
  remove(path);
}

static tn_result *open_page(const page *p) {
  tn_result *r = NULL;
  tn_error e;
  save(path, p->text, p->used);
  if (tn_result_open(NULL, path, &r, &e) != TN_OK) FAIL("%s", e.message);
  return r;
}

TEST(the_checksum_is_the_usual_one) {
  CHECK(tn_crc32(0, "123456789", 9) == 0xcbf43926u);
  CHECK(tn_crc32(0, "", 0) == 0);
  CHECK(tn_crc32(0, "a", 1) == 0xe8b7be43u);
}

TEST(rows_come_back_bit_for_bit) {
  recording r;
  record(&r, small, (const int[]){1, 7, 400, 2, 0});
  tn_result *result = open_page(&r.p);
  if (result) {
    for (int pass = 0; pass < 3; pass++) { /* as often as one likes */
      rows back = {0};
      tn_error e;
      CHECK(tn_result_rows(result) == r.rows.n);
      CHECK(tn_result_each(result, keep, &back, &e) == TN_OK);
      CHECK(back.n == r.rows.n && same_rows(&back, &r.rows, r.rows.n));
      free(back.value);
    }
    tn_result_close(result);
  }
  record_free(&r);
}

TEST(the_head_says_what_it_is) {
  recording r;
  record(&r, small, (const int[]){3, 0});
  tn_result *result = open_page(&r.p);
  if (result) {
    page text = {0};
    char settings[400];
    tn_error e;
    CHECK(tn_desc_print(r.b.desc, to_page, &text, NULL) == TN_OK);
    tn_model_settings(r.b.model, settings, sizeof settings);
    CHECK_TEXT(tn_result_name(result), "dir/small \"model\".json");
    CHECK_TEXT(tn_result_title(result), "a <b> & \"c\"");
    CHECK_TEXT(tn_result_model(result), text.text);
    CHECK_TEXT(tn_result_settings(result), settings);
    CHECK(tn_result_columns(result) == 3);
    static const char *const names[] = {"t", "tip.x", "tip.y", "e"}, *const units[] = {"s", "m", "m", ""};
    for (int i = -1; i < 3; i++) {
      CHECK_TEXT(tn_result_column(result, i), names[i + 1]);
      CHECK_TEXT(tn_result_unit(result, i), units[i + 1]);
    }
    CHECK(!tn_result_column(result, -2) && !tn_result_column(result, 3) && !tn_result_unit(result, 3));
    /* the model in it is the model */
    tn_desc *d = NULL;
    tn_model *m = NULL;
    CHECK(tn_desc_new(NULL, &d, &e) == TN_OK &&
          tn_desc_parse(d, "m", tn_result_model(result), strlen(tn_result_model(result)), &e) == TN_OK &&
          tn_compile(d, &m, &e) == TN_OK);
    CHECK(m && m->columns == 3 && m->nq == 2);
    tn_model_free(m);
    /* and the summary that of the simulation */
    page summary = {0};
    CHECK(tn_report_json(r.b.sim, "m", to_page, &summary) == TN_OK);
    const char *found = tn_result_summary(result);
    CHECK(found && strncmp(found, summary.text, summary.used) == 0);
    CHECK(found && strspn(found + summary.used, " ") == strlen(found + summary.used));
    CHECK(found && tn_desc_parse(d, "s", found, strlen(found), &e) == TN_OK && tn_desc_has(d, "/status"));
    tn_desc_free(d);
    drop(&summary);
    drop(&text);
    tn_result_close(result);
  }
  record_free(&r);
}

/* the bytes themselves, by what record.h says and nothing of its code */
TEST(the_layout_is_the_documented_one) {
  recording r;
  record(&r, small, (const int[]){2, 3, 0});
  const unsigned char *b = (const unsigned char *)r.p.text;
  CHECK(memcmp(b, "\x89TNR\r\n\x1a\n", 8) == 0);
  CHECK(b[8] == 1 && b[9] == 0 && b[10] == 0 && b[11] == 0);
  size_t at = 16 + ((size_t)b[12] | (size_t)b[13] << 8 | (size_t)b[14] << 16);
  CHECK(at == r.head && at % 8 == 0);
  const double *next = r.rows.value;
  for (int block = -1; block < 5; block++) { /* the motion of rows before them */
    size_t size = 0;
    uint32_t sum = 0;
    for (int i = 0; i < 8; i++) {
      if (i < 4) size |= (size_t)b[at + 8 + (size_t)i] << (8 * i);
      if (i >= 4) CHECK(b[at + 8 + (size_t)i] == 0);
    }
    for (int i = 0; i < 4; i++) sum |= (uint32_t)b[at + 4 + (size_t)i] << (8 * i);
    const bool given = block > 0 && block % 2;
    CHECK(memcmp(b + at, block < 0 ? "HEAD" : given ? "ROWS" : block < 4 ? "MOVE" : "DONE", 4) == 0 && size % 8 == 0);
    if (block < 0) CHECK(size == 8 && tn_get_u32(b + at + 16) == tn_crc32(0, b, at) && tn_get_u32(b + at + 20) == 0);
    uint32_t crc = 0xffffffffu; /* bit by bit */
    for (size_t i = 0; i < 12 + size; i++) {
      crc ^= b[at + (i < 4 ? i : i + 4)]; /* all of the block but the sum itself */
      for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    CHECK((crc ^ 0xffffffffu) == sum);
    for (size_t i = 0; given && i < size; i += 8, next++) {
      uint64_t x = 0;
      for (int k = 0; k < 8; k++) x |= (uint64_t)b[at + 16 + i + (size_t)k] << (8 * k);
      CHECK(memcmp(&x, next, 8) == 0);
    }
    at += 16 + size;
  }
  CHECK(at == r.p.used && next == r.rows.value + r.rows.n * r.rows.columns);
  record_free(&r);
}

/* blocks of a size of their own: many rows, and a row that is larger than a block */
TEST(blocks_are_handed_over_whole) {
  recording r;
  record(&r, small, (const int[]){5000, 0}); /* 160,000 bytes, and 5 times as much of motion */
  CHECK(r.p.calls >= 26 && r.p.calls <= 34);
  tn_result *result = open_page(&r.p);
  rows back = {0};
  if (result) CHECK(tn_result_each(result, keep, &back, NULL) == TN_OK && same_rows(&back, &r.rows, 5000));
  tn_result_close(result);
  free(back.value);
  record_free(&r);
}

TEST(rows_longer_than_a_block) {
  build b;
  page p = {0};
  tn_recorder *recorder = NULL;
  enum { WIDE = 9000 };
  static double values[WIDE];
  rows all = {0}, back = {0};
  build_new(&b, 1);
  build_set(&b, "/bodies/p", "{\"mass\": 1, \"coordinates\": \"point\"}");
  build_set(&b, "/outputs", "{\"o{i}\": {\"repeat\": \"i=1..%d\", \"value\": \"p.x + i\"}}", WIDE);
  CHECK(build_simulate(&b));
  CHECK(tn_recorder_new(b.sim, b.desc, "wide", to_page, &p, &recorder, NULL) == TN_OK);
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < WIDE; k++) values[k] = any_double();
    CHECK(tn_recorder_row(recorder, i, WIDE, values) == TN_OK);
    keep(&all, i, WIDE, values);
  }
  CHECK(tn_recorder_end(recorder, b.sim, "wide", tn_report_json) == TN_OK);
  tn_recorder_free(recorder);
  tn_result *result = open_page(&p);
  if (result) {
    CHECK(tn_result_rows(result) == 5 && tn_result_columns(result) == WIDE);
    CHECK(tn_result_each(result, keep, &back, NULL) == TN_OK && same_rows(&back, &all, 5));
  }
  tn_result_close(result);
  free(all.value);
  free(back.value);
  drop(&p);
  build_free(&b);
  remove(path);
}

TEST(a_row_of_another_width_is_refused) {
  recording r;
  tn_recorder *recorder = NULL;
  page p = {0};
  record(&r, small, (const int[]){1, 0});
  CHECK(tn_recorder_new(r.b.sim, r.b.desc, "m", to_page, &p, &recorder, NULL) == TN_OK);
  const size_t before = p.used;
  const double values[5] = {1, 2, 3, 4, 5};
  CHECK(tn_recorder_row(recorder, 0, 2, values) == TN_E_USAGE && tn_recorder_row(recorder, 0, 4, values) == TN_E_USAGE);
  CHECK(tn_recorder_flush(recorder) == TN_OK && p.used == before); /* nothing is no block */
  tn_recorder_free(recorder);
  tn_recorder_free(NULL);
  drop(&p);
  record_free(&r);
}

/* ---- cut off ------------------------------------------------------------------------------------------------------------------- */

TEST(cut_anywhere_it_reads_the_whole_blocks_before) {
  recording r;
  record(&r, small, (const int[]){2, 1, 3, 0});
  save(path, r.p.text, r.p.used);
  for (size_t cut = r.p.used; cut-- > 0 && tn_test_failures < 10;) {
    tn_result *result = NULL;
    tn_error e;
    if (truncate(path, (off_t)cut) != 0) abort();
    const tn_status status = tn_result_open(NULL, path, &result, &e);
    if (cut < r.head) { /* without its head it is nothing */
      if (status != TN_E_IO || result) FAIL("cut at %zu: %d", cut, status);
      CHECK(e.status == TN_E_IO && *e.message);
      CHECK_TEXT(e.file, path);
      tn_result_close(result);
      continue;
    }
    int64_t expected = 0;
    for (int k = 0; k < r.blocks; k++)
      if (r.end[k] <= cut) expected = r.rows_at[k];
    rows back = {0};
    if (status != TN_OK) {
      FAIL("cut at %zu of %zu: %s", cut, r.p.used, e.message);
      continue;
    }
    if (tn_result_rows(result) != expected)
      FAIL("cut at %zu: %" PRId64 " rows, not %" PRId64, cut, tn_result_rows(result), expected);
    tn_result_fault fault;
    CHECK(tn_result_check(result, &fault, &e) == TN_E_IO && fault == TN_FAULT_NO_END);
    CHECK(strstr(e.message, "the end of the result is missing"));
    for (int pass = 0; pass < 2; pass++) { /* it does not pass for whole, unless that is asked for */
      back.n = 0;
      CHECK(tn_result_each(result, keep, &back, &e) == (pass ? TN_OK : TN_E_IO) && back.n == expected &&
            same_rows(&back, &r.rows, expected));
      CHECK(!tn_result_summary(result)); /* it has not ended */
      CHECK(tn_result_columns(result) == 3 && tn_result_rows(result) == expected);
      CHECK(tn_result_recover(result, &e) == TN_OK);
    }
    free(back.value);
    tn_result_close(result);
  }
  record_free(&r);
}

/* what comes after the end is not read */
TEST(more_after_the_end_is_left_alone) {
  recording r;
  record(&r, small, (const int[]){2, 0});
  page p = {0};
  to_page(&p, r.p.text, r.p.used);
  to_page(&p, r.p.text + r.head, r.end[0] - r.head); /* a good block */
  to_page(&p, "rubbish", 7);
  tn_result *result = open_page(&p);
  if (result) CHECK(tn_result_rows(result) == 2 && tn_result_summary(result));
  tn_result_close(result);
  drop(&p);
  record_free(&r);
}

/* a file that grows: the reader sees the blocks that were there when it opened, whole, and goes on doing so */
TEST(read_while_it_is_written) {
  recording r;
  record(&r, small, (const int[]){4, 4, 4, 4, 0});
  for (int k = 0; k < r.blocks; k++) {
    for (int part = 0; part < 2; part++) { /* at the end of a block, and in the middle of the next */
      const size_t now = r.end[k] + (part ? (r.end[0] - r.head) / 2 : 0);
      tn_result *result = NULL;
      rows before = {0}, after = {0};
      save(path, r.p.text, now);
      CHECK(tn_result_open(NULL, path, &result, NULL) == TN_OK);
      if (!result) continue;
      CHECK(tn_result_rows(result) == r.rows_at[k] && !tn_result_summary(result));
      CHECK(tn_result_recover(result, NULL) == TN_OK && tn_result_rows(result) == r.rows_at[k]);
      CHECK(tn_result_each(result, keep, &before, NULL) == TN_OK && same_rows(&before, &r.rows, r.rows_at[k]));
      FILE *f = fopen(path, "ab"); /* the writer goes on */
      if (!f || fwrite(r.p.text + now, 1, r.p.used - now, f) != r.p.used - now || fclose(f) != 0) abort();
      CHECK(tn_result_each(result, keep, &after, NULL) == TN_OK && after.n == r.rows_at[k]);
      CHECK(same_rows(&after, &r.rows, r.rows_at[k]));
      tn_result_close(result);
      free(before.value);
      free(after.value);
    }
  }
  record_free(&r);
}

TEST(a_file_that_shrinks_under_the_reader_is_told) {
  recording r;
  record(&r, small, (const int[]){4, 4, 0});
  tn_result *result = open_page(&r.p);
  rows back = {0};
  tn_error e;
  if (result) {
    if (truncate(path, (off_t)(r.end[0] + 20)) != 0) abort();
    CHECK(tn_result_each(result, keep, &back, &e) == TN_E_IO && e.status == TN_E_IO);
    CHECK(back.n == 4 && same_rows(&back, &r.rows, 4));
    free(back.value);
    back = (rows){0};
    if (truncate(path, 3) != 0) abort();
    CHECK(tn_result_each(result, keep, &back, &e) == TN_E_IO && back.n == 0);
  }
  tn_result_close(result);
  record_free(&r);
}

TEST(a_receiver_may_stop) {
  recording r;
  record(&r, small, (const int[]){4, 0});
  tn_result *result = open_page(&r.p);
  tn_error e;
  if (result) {
    page p = {.fail = 6};
    CHECK(tn_result_csv(result, to_page, &p, &e) == TN_E_IO && e.status == TN_E_IO);
    drop(&p);
    for (int64_t n = 1; n < 40; n++) {
      page whole = {0}, cut = {.fail = n};
      CHECK(tn_result_csv(result, to_page, &whole, &e) == TN_OK);
      const tn_status status = tn_result_csv(result, to_page, &cut, &e);
      CHECK(status == (n <= whole.calls ? TN_E_IO : TN_OK));
      drop(&whole);
      drop(&cut);
    }
  }
  tn_result_close(result);
  record_free(&r);
}

/* ---- damage -------------------------------------------------------------------------------------------------------------------- */

/* one byte changed in the file: that is never read as whole. rows before the damage are what they were; recovered are all rows but those
 * of the block that was hit */
static void check_damage(const recording *r, size_t at, unsigned char change) {
  tn_result *result = NULL;
  tn_result_fault fault = TN_FAULT_NONE;
  tn_error e;
  const unsigned char byte = (unsigned char)(r->p.text[at] ^ change);
  FILE *f = fopen(path, "r+b");
  if (!f || fseek(f, (long)at, SEEK_SET) || fwrite(&byte, 1, 1, f) != 1 || fclose(f)) abort();
  const tn_status status = tn_result_open(NULL, path, &result, &e);
  if (status != TN_OK) {
    if (status != TN_E_IO || result) FAIL("byte %zu ^ %02x: status %d", at, change, status);
    if (at >= r->head) FAIL("byte %zu ^ %02x behind the head: %s", at, change, e.message);
  } else if (tn_result_check(result, &fault, &e) != TN_E_IO) {
    FAIL("byte %zu ^ %02x: it passes for whole", at, change);
  } else if (at < r->head) {
    CHECK(fault == TN_FAULT_HEAD || fault == TN_FAULT_BLOCK); /* a size of the head that is not its own */
  } else {
    int64_t before = 0, lost = 0;
    size_t begin = r->head + TN_TNR_BLOCK + TN_TNR_HEAD;
    for (int k = 0; k < r->blocks; begin = r->end[k++]) { /* a block of motion, and one of rows */
      const size_t second = begin + TN_TNR_BLOCK + (size_t)tn_get_u64((const unsigned char *)r->p.text + begin + 8);
      const int64_t first = k ? r->rows_at[k - 1] : 0;
      if (r->end[k] <= at) before = r->rows_at[k];
      if (second <= at && at < r->end[k]) lost = r->rows_at[k] - first;
    }
    rows back = {0};
    CHECK(fault == TN_FAULT_BLOCK || (fault == TN_FAULT_NO_END && at > r->end[r->blocks - 1]));
    CHECK(tn_result_each(result, keep, &back, NULL) == TN_E_IO && tn_result_rows(result) == back.n);
    if (back.n != before || !same_rows(&back, &r->rows, before))
      FAIL("byte %zu ^ %02x: %" PRId64 " rows before it, not %" PRId64, at, change, back.n, before);
    back.n = 0;
    CHECK(tn_result_recover(result, &e) == TN_OK && tn_result_each(result, keep, &back, &e) == TN_OK);
    const double *behind = r->rows.value + (size_t)(before + lost) * (size_t)r->rows.columns;
    if (back.n != r->rows.n - lost || !same_rows(&back, &r->rows, before) ||
        (back.n > before && memcmp(back.value + (size_t)before * (size_t)back.columns, behind,
                                   sizeof *behind * (size_t)(back.n - before) * (size_t)back.columns) != 0))
      FAIL("byte %zu ^ %02x: %" PRId64 " rows recovered, not %" PRId64, at, change, back.n, r->rows.n - lost);
    CHECK((tn_result_summary(result) != NULL) == (at < r->end[r->blocks - 1]));
    free(back.value);
  }
  tn_result_close(result);
  f = fopen(path, "r+b");
  if (!f || fseek(f, (long)at, SEEK_SET) || fwrite(r->p.text + at, 1, 1, f) != 1 || fclose(f)) abort();
}

TEST(a_byte_changed_anywhere) {
  static const unsigned char changes[] = {0x01, 0x80, 0x20, 0xff};
  recording r;
  record(&r, small, (const int[]){2, 1, 3, 0});
  save(path, r.p.text, r.p.used);
  for (size_t at = 0; at < r.p.used && tn_test_failures < 10; at++)
    for (size_t k = 0; k < sizeof changes; k++) check_damage(&r, at, changes[k]);
  record_free(&r);
}

TEST(every_bit_of_the_heads_of_blocks) {
  recording r;
  record(&r, small, (const int[]){2, 1, 3, 0});
  save(path, r.p.text, r.p.used);
  for (int block = 0; block < r.blocks && tn_test_failures < 10; block++) {
    const size_t start = block ? r.end[block - 1] : r.head;
    for (size_t at = start; at < start + 24; at++)
      for (int bit = 0; bit < 8 && tn_test_failures < 5; bit++) check_damage(&r, at, (unsigned char)(1 << bit));
  }
  record_free(&r);
}

/* ---- hostile heads ---------------------------------------------------------------------------------------------------------- */

/* a file of its own making: head as given, padded unless it is not to be */
typedef struct craft {
  page p;
} craft;

static void craft_head(craft *c, uint32_t version, const char *json, size_t n, int64_t size) {
  unsigned char start[16];
  *c = (craft){0};
  const size_t padded = (n + 7) / 8 * 8;
  memcpy(start, TN_TNR_MAGIC, 8);
  tn_put_u32(start + 8, version);
  tn_put_u32(start + 12, size >= 0 ? (uint32_t)size : (uint32_t)padded);
  to_page(&c->p, (const char *)start, 16);
  to_page(&c->p, json, n);
  to_page(&c->p, "       ", padded - n);
}

static void craft_rows(craft *c, const double *values, size_t n) {
  unsigned char *block = malloc(16 + 8 * n);
  if (!block) abort();
  for (size_t i = 0; i < n; i++) {
    uint64_t x;
    memcpy(&x, &values[i], 8);
    tn_put_u64(block + 16 + 8 * i, x);
  }
  memcpy(block, "ROWS", 4);
  tn_put_u64(block + 8, 8 * n);
  tn_put_u32(block + 4, tn_block_crc(block, block + 16, 8 * n));
  to_page(&c->p, (const char *)block, 16 + 8 * n);
  free(block);
}

/* files of its own making have no end */
static tn_status try_open(const page *p, tn_result **result, tn_error *e) {
  save(path, p->text, p->used);
  *result = NULL;
  const tn_status status = tn_result_open(NULL, path, result, e);
  return status == TN_OK ? tn_result_recover(*result, e) : status;
}

static void check_refused(const char *what, const page *p) {
  tn_result *result;
  tn_error e;
  const tn_status status = try_open(p, &result, &e);
  if (status != TN_E_IO || result || e.status != TN_E_IO || !*e.message) FAIL("%s: status %d", what, status);
  if (status != TN_OK) CHECK_TEXT(e.file, path);
  tn_result_close(result);
}

#define GOOD_HEAD                                                                                                      \
  "{\"model\": \"{}\", \"channels\": [{\"name\": \"t\", \"unit\": \"s\"}, {\"name\": \"x\", \"unit\": null}]}"

TEST(heads_that_make_no_sense) {
  static const char *const heads[] = {
      "",
      "[]",
      "1",
      "null",
      "\"text\"",
      "{",
      "{}",
      "{\"model\": \"{}\"}",
      "{\"channels\": [{\"name\": \"t\"}]}",
      "{\"model\": \"{}\", \"channels\": []}",
      "{\"model\": \"{}\", \"channels\": {}}",
      "{\"model\": \"{}\", \"channels\": 3}",
      "{\"model\": \"{}\", \"channels\": null}",
      "{\"model\": 1, \"channels\": [{\"name\": \"t\"}]}",
      "{\"model\": {}, \"channels\": [{\"name\": \"t\"}]}",
      "{\"model\": \"{}\", \"model\": \"{}\", \"channels\": [{\"name\": \"t\"}]}",
      "{\"model\": \"\xff\", \"channels\": [{\"name\": \"t\"}]}",
      "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["};
  craft c;
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    craft_head(&c, 1, heads[i], strlen(heads[i]), -1);
    check_refused(heads[i], &c.p);
    drop(&c.p);
  }
  static const uint32_t versions[] = {0, 2, 256, 0x01000000, 0xffffffff};
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    craft_head(&c, versions[i], GOOD_HEAD, strlen(GOOD_HEAD), -1);
    check_refused("another version", &c.p);
    drop(&c.p);
  }
  static const int64_t sizes[] = {0, 1, 7, 8, 16, 4294967295, 4294967288, 2147483648, 134217728, 134217736, 1000000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    craft_head(&c, 1, GOOD_HEAD, strlen(GOOD_HEAD), sizes[i]);
    check_refused("a size that is not its", &c.p);
    drop(&c.p);
  }
  check_refused("an empty file", &(page){.text = (char[]){0}, .used = 0});
  check_refused("a text", &(page){.text = (char[]){"t,x\n0,1\n2,3\n4,5\n"}, .used = 16});
  tn_result *result = NULL;
  tn_error e;
  remove(path);
  CHECK(tn_result_open(NULL, path, &result, &e) == TN_E_IO && !result);
  CHECK_HAS(e.message, path);
  CHECK(tn_result_open(NULL, ".", &result, &e) == TN_E_IO && !result); /* a folder */
  CHECK(tn_result_open(NULL, path, &result, NULL) == TN_E_IO);
}

/* names of channels become names of files and columns: anything that a run would not write is refused */
TEST(channels_that_have_no_good_name_are_refused) {
  static const char *const bad[] = {"1",
                                    "{}",
                                    "null",
                                    "{\"name\": 3}",
                                    "{\"name\": \"\"}",
                                    "{\"name\": \"a b\"}",
                                    "{\"name\": \"../up\"}",
                                    "{\"name\": \"a\\u001b[31m\"}",
                                    "{\"name\": \".x\"}",
                                    "{\"name\": \"x.\"}",
                                    "{\"name\": \"t\"}",
                                    "{\"name\": \"a.x\"}, {\"name\": \"b\"}, {\"name\": \"a.y\"}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char head[400];
    craft c;
    tn_result *result;
    tn_error e;
    snprintf(head, sizeof head, "{\"model\": \"\", \"channels\": [{\"name\": \"t\"}, %s]}", bad[i]);
    craft_head(&c, 1, head, strlen(head), -1);
    if (try_open(&c.p, &result, &e) != TN_E_IO || result) FAIL("%s is read", bad[i]);
    tn_result_close(result);
    drop(&c.p);
  }
}

/* blocks that lie about themselves: what is before them is read */
TEST(blocks_that_make_no_sense) {
  static const uint64_t sizes[] = {
      0,          1,          7,        8, 24, 40, 0xffffffffffffffff, 0x8000000000000000, 0xfffffffffffffff8,
      1ull << 32, 1ull << 40, 134217736};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int kind = 0; kind < 3; kind++) {
      craft c;
      tn_result *result;
      tn_error e;
      craft_head(&c, 1, GOOD_HEAD, strlen(GOOD_HEAD), -1);
      craft_rows(&c, (double[]){0, 1, 2, 3}, 4);
      const size_t at = c.p.used;
      craft_rows(&c, (double[]){4, 5, 6, 7}, 4);
      memcpy(c.p.text + at, kind == 0 ? "ROWS" : kind == 1 ? "DONE" : "ABCD", 4);
      tn_put_u64((unsigned char *)c.p.text + at + 8, sizes[i]);
      const size_t within = sizes[i] < 32 ? (size_t)sizes[i] : 32; /* a sum that is right, if it is that short */
      unsigned char *block = (unsigned char *)c.p.text + at;
      tn_put_u32(block + 4, tn_block_crc(block, block + 16, within));
      CHECK(try_open(&c.p, &result, &e) == TN_OK);
      if (result) {
        rows back = {0};
        CHECK(!tn_result_summary(result) || (kind == 1 && sizes[i] % 8 == 0));
        CHECK(tn_result_rows(result) == 2 && tn_result_each(result, keep, &back, &e) == TN_OK && back.n == 2 &&
              back.value[3] == 3);
        free(back.value);
      }
      tn_result_close(result);
      drop(&c.p);
    }
}

/* kinds that may come one day are passed over */
TEST(blocks_of_other_kinds_are_passed_over) {
  craft c;
  tn_result *result;
  tn_error e;
  rows back = {0};
  craft_head(&c, 1, GOOD_HEAD, strlen(GOOD_HEAD), -1);
  for (int i = 0; i < 5; i++) {
    const size_t at = c.p.used;
    craft_rows(&c, (double[]){i, -i}, 2);
    unsigned char *block = (unsigned char *)c.p.text + at;
    if (i % 2) memcpy(block, "NOTE", 4);
    tn_put_u32(block + 4, tn_block_crc(block, block + 16, 16));
  }
  CHECK(try_open(&c.p, &result, &e) == TN_OK);
  if (result) {
    CHECK(tn_result_rows(result) == 3 && tn_result_each(result, keep, &back, &e) == TN_OK);
    CHECK(back.n == 3 && back.value[0] == 0 && back.value[2] == 2 && back.value[4] == 4);
  }
  tn_result_close(result);
  free(back.value);
  drop(&c.p);
}

TEST(a_million_channels) {
  enum { MANY = 1000000 };
  craft c;
  tn_result *result;
  tn_error e;
  page head = {0};
  static const char begin[] = "{\"model\": \"{}\", \"channels\": [", end[] = "{\"name\": \"last\"}]}";
  to_page(&head, begin, strlen(begin));
  for (int i = 0; i < MANY - 1; i++) {
    char channel[40];
    to_page(&head, channel, (size_t)snprintf(channel, sizeof channel, "{\"name\":\"c%d\"},", i));
  }
  to_page(&head, end, strlen(end));
  craft_head(&c, 1, head.text, head.used, -1);
  double *values = calloc(MANY, sizeof *values);
  if (!values) abort();
  values[MANY - 1] = 7;
  craft_rows(&c, values, MANY);
  free(values);
  rows back = {0};
  CHECK(try_open(&c.p, &result, &e) == TN_OK);
  if (result) {
    page svg = {0};
    CHECK(tn_result_columns(result) == MANY - 1 && tn_result_rows(result) == 1);
    CHECK_TEXT(tn_result_column(result, MANY - 2), "last");
    CHECK(tn_result_each(result, keep, &back, &e) == TN_OK && back.value[MANY - 1] == 7);
    CHECK(tn_result_svg(result, to_page, &svg, &e) == TN_OK && svg.used < 1000000);
    drop(&svg);
    tn_result_close(result);
  }
  free(back.value);
  drop(&head);
  drop(&c.p);
  remove(path);
}

/* ---- groups, tables, arrays ----------------------------------------------------------------------------------------------- */

typedef struct group {
  const char *name;
  int first, n;
} group;

static void check_groups(const char *channels, const group *expected, int n) {
  craft c;
  tn_result *result;
  tn_error e;
  char head[2000], name[128];
  int first;
  snprintf(head, sizeof head, "{\"model\": \"\", \"channels\": [%s]}", channels);
  craft_head(&c, 1, head, strlen(head), -1);
  CHECK(try_open(&c.p, &result, &e) == TN_OK);
  if (result) {
    CHECK(tn_result_groups(result) == n);
    for (int i = 0; i < n && i < tn_result_groups(result); i++) {
      const int columns = tn_result_group(result, i, name, sizeof name, &first);
      CHECK_TEXT(name, expected[i].name);
      if (columns != expected[i].n || first != expected[i].first)
        FAIL("group %s: %d from %d, not %d from %d", name, columns, first, expected[i].n, expected[i].first);
    }
    CHECK(tn_result_group(result, n, name, sizeof name, &first) == 0);
    CHECK(tn_result_group(result, -1, name, sizeof name, &first) == 0);
    char little[4];
    CHECK(tn_result_group(result, 0, little, sizeof little, &first) > 0 && strlen(little) < 4);
  }
  tn_result_close(result);
  drop(&c.p);
}

#define N(name) "{\"name\": \"" name "\"}"

TEST(groups_are_vectors_and_bodies) {
  check_groups(N("t"), (const group[]){{"t", -1, 1}}, 1);
  check_groups(N("t") "," N("tip.x") "," N("tip.y") "," N("e") "," N("f") "," N("arm.x") "," N("arm.y") "," N(
                   "arm.angle") "," N("arm.vx") "," N("leg.x") "," N("armx.x2"),
               (const group[]){
                   {"t", -1, 1}, {"tip", 0, 2}, {"e", 2, 1}, {"f", 3, 1}, {"arm", 4, 4}, {"leg", 8, 1}, {"armx", 9, 1}},
               7);
  /* one that begins like another, names without a dot, dots in dots */
  check_groups(N("t") "," N("a.x") "," N("ab.x") "," N("abc") "," N("abc1.y") "," N("a.b.x") "," N("a.b.y"),
               (const group[]){{"t", -1, 1}, {"a", 0, 1}, {"ab", 1, 1}, {"abc", 2, 1}, {"abc1", 3, 1}, {"a.b", 4, 2}},
               6);
}

TEST(a_table_of_a_result_is_the_table_of_the_run) {
  static const char *const models[] = {"four_bar", "triple_pendulum", "andrews"};
  for (int i = 0; i < 3; i++) {
    build b;
    page direct = {0}, recorded = {0}, p = {0};
    build_table table = {0};
    tn_recorder *recorder = NULL;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, models[i]);
    build_set(&b, "/run/until", "0.05");
    build_set(&b, "/run/every", "0.0007");
    CHECK(build_simulate(&b));
    CHECK(tn_csv_head(b.sim, to_page, &direct) == TN_OK);
    CHECK(tn_recorder_new(b.sim, b.desc, models[i], to_page, &p, &recorder, &e) == TN_OK);
    CHECK(build_run(&b, &table) && table.rows == 73);
    for (int k = 0; k < table.rows; k++) {
      const double *row = table.value + (size_t)k * (size_t)(table.columns + 1);
      CHECK(tn_csv_row(row[0], table.columns, row + 1, to_page, &direct) == TN_OK);
      CHECK(tn_recorder_row(recorder, row[0], table.columns, row + 1) == TN_OK);
    }
    CHECK(tn_recorder_end(recorder, b.sim, models[i], tn_report_json) == TN_OK);
    tn_recorder_free(recorder);
    tn_result *result = open_page(&p);
    if (result) CHECK(tn_result_csv(result, to_page, &recorded, &e) == TN_OK);
    CHECK(recorded.used == direct.used && recorded.text && strcmp(recorded.text, direct.text) == 0);
    tn_result_close(result);
    build_table_free(&table);
    drop(&direct);
    drop(&recorded);
    drop(&p);
    build_free(&b);
  }
  remove(path);
}

/* NPY 1.0 as NumPy documents it: magic, version, size of the head, a Python literal, doubles */
static const unsigned char *read_npy(const page *p, int64_t shape[2], int *dimensions) {
  const unsigned char *b = (const unsigned char *)p->text;
  if (p->used < 10 || memcmp(b, "\x93NUMPY\x01\x00", 8) != 0) return NULL;
  const size_t size = (size_t)b[8] | (size_t)b[9] << 8;
  if ((10 + size) % 64 || 10 + size > p->used || b[10 + size - 1] != '\n') return NULL;
  char head[400];
  if (size >= sizeof head) return NULL;
  memcpy(head, b + 10, size);
  head[size] = 0;
  if (head[0] != '{' || !strstr(head, "'descr': '<f8'") || !strstr(head, "'fortran_order': False")) return NULL;
  const char *s = strstr(head, "'shape': (");
  if (!s) return NULL;
  shape[0] = shape[1] = 1;
  *dimensions = sscanf(s, "'shape': (%" PRId64 ", %" PRId64 ")", &shape[0], &shape[1]);
  if (*dimensions == 1 && !strstr(s, ",)")) return NULL; /* (3) would be a number */
  for (const char *c = strchr(s, '}') + 1; *c != '\n'; c++)
    if (*c != ' ') return NULL;
  if (p->used != 10 + size + 8 * (size_t)shape[0] * (size_t)shape[1]) return NULL;
  return b + 10 + size;
}

TEST(arrays_for_numpy) {
  recording r;
  record(&r, small, (const int[]){3, 20, 0});
  tn_result *result = open_page(&r.p);
  tn_error e;
  static const group expected[] = {{"t", -1, 1}, {"tip", 0, 2}, {"e", 2, 1}};
  for (int g = 0; result && g < 3; g++) {
    page p = {0};
    int64_t shape[2];
    int dimensions = 0;
    CHECK(tn_result_npy(result, g, to_page, &p, &e) == TN_OK);
    const unsigned char *data = read_npy(&p, shape, &dimensions);
    CHECK(data && shape[0] == 23 && shape[1] == expected[g].n && dimensions == (expected[g].n > 1 ? 2 : 1));
    for (int64_t i = 0; data && i < 23; i++)
      for (int k = 0; k < expected[g].n; k++, data += 8) {
        uint64_t x = 0;
        for (int j = 0; j < 8; j++) x |= (uint64_t)data[j] << (8 * j);
        CHECK(memcmp(&x, &r.rows.value[i * r.rows.columns + expected[g].first + 1 + k], 8) == 0);
      }
    const int64_t calls = p.calls;
    drop(&p);
    for (int64_t n = 1; n <= calls; n++) {
      page cut = {.fail = n};
      CHECK(tn_result_npy(result, g, to_page, &cut, &e) == TN_E_IO && e.status == TN_E_IO);
      drop(&cut);
    }
  }
  page none = {0};
  if (result)
    CHECK(tn_result_npy(result, 3, to_page, &none, &e) == TN_E_USAGE &&
          tn_result_npy(result, -1, to_page, &none, &e) == TN_E_USAGE);
  CHECK(none.used == 0);
  tn_result_close(result);
  record_free(&r);
  /* no rows: an array all the same */
  craft c;
  craft_head(&c, 1, GOOD_HEAD, strlen(GOOD_HEAD), -1);
  CHECK(try_open(&c.p, &result, &e) == TN_OK);
  int64_t shape[2];
  int dimensions;
  if (result)
    CHECK(tn_result_npy(result, 1, to_page, &none, &e) == TN_OK && read_npy(&none, shape, &dimensions) &&
          shape[0] == 0);
  tn_result_close(result);
  drop(&none);
  drop(&c.p);
}

/* ---- pictures --------------------------------------------------------------------------------------------------------------- */

/* a small checker: tags balance, attributes are quoted, `&` begins an entity that XML knows, one root. NULL: well-formed */
static const char *xml_fault(const char *s) {
  char open[32][32];
  int depth = 0, roots = 0;
  while (*s) {
    if (*s == '<') {
      char name[32];
      size_t n = 0;
      const bool closing = s[1] == '/';
      s += closing ? 2 : 1;
      while ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')) {
        if (n == sizeof name - 1) return "a name too long";
        name[n++] = *s++;
      }
      name[n] = 0;
      if (!n) return "a tag without a name";
      if (closing) {
        if (*s != '>' || !depth || strcmp(open[--depth], name) != 0) return "a closing tag that does not match";
        s++;
        continue;
      }
      while (*s == ' ' || *s == '\n') {
        while (*s == ' ' || *s == '\n') s++;
        if (*s == '/' || *s == '>') break;
        const char *attribute = s;
        while (*s && *s != '=' && *s != '>' && *s != ' ') s++;
        if (s == attribute || s[0] != '=' || s[1] != '"') return "an attribute without a quoted value";
        for (s += 2; *s && *s != '"'; s++)
          if (*s == '<' || *s == '&') return "a value with < or &";
        if (!*s++) return "a value without an end";
      }
      if (depth == 0) roots++;
      if (s[0] == '/' && s[1] == '>') {
        s += 2;
      } else if (*s == '>') {
        if (depth == 32) return "too deep";
        memcpy(open[depth++], name, n + 1);
        s++;
      } else {
        return "a tag without an end";
      }
      continue;
    }
    if (*s == '>') return "a bare >";
    if (*s == '&' && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) && strncmp(s, "&amp;", 5)) return "a bare &";
    if (depth == 0 && *s != '\n' && *s != ' ') return "text outside the root";
    if ((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t') return "a control character";
    s++;
  }
  return depth ? "tags that are not closed" : roots == 1 ? NULL : "more or less than one root";
}

TEST(the_checker_itself) {
  CHECK(!xml_fault("<a><b c=\"d\" e=\"f\"/>text &lt;&amp;<g>h</g></a>\n"));
  static const char *const faults[] = {
      "<a>",          "<a></b>", "<a b=c/>", "<a b=\"c/>",     "<a>&</a>",    "<a/><b/>",           "<a>></a>",
      "<a b=\"<\"/>", "x<a/>",   "",         "<a><b></a></b>", "<a>\x01</a>", "<a b=\"c\"d=\"e\"/>"};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (!xml_fault(faults[i])) FAIL("%s is not well-formed", faults[i]);
}

#if TN_PROGRAM
static sigjmp_buf out_of_time;
static void on_alarm(int signal) {
  (void)signal;
  siglongjmp(out_of_time, 1);
}
#else
static unsigned alarm(unsigned seconds) { return seconds; } /* the time limit of the test holds */
#endif

/* the picture, well-formed, finite and in time; `p` must be dropped */
static void draw(const craft *c, page *p, const char *what) {
  tn_result *result;
  tn_error e;
  *p = (page){0};
  if (try_open(&c->p, &result, &e) != TN_OK) {
    FAIL("%s: %s", what, e.message);
    return;
  }
#if TN_PROGRAM
  signal(SIGALRM, on_alarm);
  if (sigsetjmp(out_of_time, 1)) {
    FAIL("%s: the picture does not end", what);
    return; /* what it held is lost */
  }
#endif
  alarm(3);
  const tn_status status = tn_result_svg(result, to_page, p, &e);
  alarm(0);
  if (status != TN_OK) FAIL("%s: %s", what, e.message);
  if (p->text) {
    const char *fault = xml_fault(p->text);
    if (fault) FAIL("%s: %s", what, fault);
    if (strncmp(p->text, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 38) != 0) FAIL("%s: this is no picture", what);
    /* a number that no renderer can use */
    if (strstr(p->text, "\"nan") || strstr(p->text, "nan,") || strstr(p->text, ",nan") || strstr(p->text, "inf,") ||
        strstr(p->text, ",inf") || strstr(p->text, "Mnan") || strstr(p->text, "Minf") || strstr(p->text, " nan") ||
        strstr(p->text, "\"inf") || strstr(p->text, "\"-inf") || strstr(p->text, "\"-nan") || strstr(p->text, "M-nan"))
      FAIL("%s: numbers that are none", what);
  } else {
    FAIL("%s: nothing is drawn", what);
  }
  tn_result_close(result);
}

static int count(const char *text, const char *part) {
  int n = 0;
  for (; (text = strstr(text, part)); text++) n++;
  return n;
}

#define XY_HEAD                                                                                                        \
  "{\"title\": \"a <b> & c\", \"model\": \"\", \"channels\": [" N(                                                     \
      "t") ", {\"name\": \"p.x\", \"unit\": \"m\"}, "                                                                  \
           "{\"name\": \"p.y\", \"unit\": \"m\"}, {\"name\": \"load\", \"unit\": \"N\"}]}"

static void craft_xy(craft *c, int64_t n, double (*x)(int64_t i, int column)) {
  craft_head(c, 1, XY_HEAD, strlen(XY_HEAD), -1);
  double *values = malloc(sizeof *values * 4 * (size_t)(n + 1));
  if (!values) abort();
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) values[4 * i + k] = x(i, k);
  if (n) craft_rows(c, values, 4 * (size_t)n);
  free(values);
}

static double circle(int64_t i, int k) {
  const double t = 0.001 * (double)i;
  return k == 0 ? t : k == 1 ? cos(t) : k == 2 ? sin(t) : t * t - 3;
}

TEST(a_picture) {
  craft c;
  page p;
  craft_xy(&c, 500, circle);
  draw(&c, &p, "circle");
  if (p.text) {
    CHECK_HAS(p.text, "a &lt;b&gt; &amp; c");
    CHECK_HAS(p.text, ">p.x, m<");
    CHECK_HAS(p.text, ">load, N<");
    CHECK(count(p.text, "<polyline") == 4); /* x and y over time, the path, the load */
  }
  drop(&p);
  drop(&c.p);
}

/* names with everything in them, however long */
TEST(names_with_marks_of_xml) {
  static const char head[] = "{\"title\": \"<script>&amp;\\u0001\\t\\\"'\\u00e4\", \"model\": \"\", \"channels\": [" N(
      "t") ", {\"name\": \"p.x\", \"unit\": \"<m>\"}, {\"name\": \"p.y\", \"unit\": \"<m>\"}, {\"name\": \"c\", "
           "\"unit\": "
           "\"]]>\\u0007&\"}, {\"name\": \"d\", \"unit\": "
           "\"\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4"
           "\\u00e4"
           "\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\"
           "u00e4\"}]}";
  craft c;
  page p;
  craft_head(&c, 1, head, strlen(head), -1);
  craft_rows(&c, (double[]){0, 1, 2, 3, 4, 1, 3, 2, 4, 5}, 10);
  draw(&c, &p, "marks");
  if (p.text) {
    CHECK_HAS(p.text, "&lt;script&gt;&amp;amp;");
    CHECK_HAS(p.text, ">c, ]]&gt;\\x07&amp;<");
    size_t n = p.used; /* a character of two bytes is not cut in two */
    for (size_t i = 0; i < n;) {
      const int size = tn_utf8(p.text + i, n - i);
      if (!size) {
        FAIL("not UTF-8 at byte %zu", i);
        break;
      }
      i += (size_t)size;
    }
  }
  drop(&p);
  drop(&c.p);
}

static double constant(int64_t i, int k) { return k == 0 ? 0.1 * (double)i : k == 1 ? 1e9 : k == 2 ? 0 : -3e-7; }
static double nothing(int64_t i, int k) { return k == 0 ? 0.1 * (double)i : NAN; }
static double endless(int64_t i, int k) { return k == 0 ? 0.1 * (double)i : i % 2 ? INFINITY : -INFINITY; }
static double gaps(int64_t i, int k) {
  return k == 0 ? 0.1 * (double)i : i % 3 == 1 ? NAN : i % 5 == 2 ? INFINITY : 10 + circle(50 * i, k);
}
static double still(int64_t i, int k) { return k == 0 ? 2 : circle(i, k); } /* time that stands */
static double tiny(int64_t i, int k) { return k == 0 ? (double)i : (i % 2 ? 1 : 2) * 1e-300; }

TEST(channels_that_hardly_move_or_are_no_numbers) {
  static const struct {
    const char *what;
    double (*x)(int64_t, int);
  } cases[] = {{"constant", constant}, {"no numbers", nothing}, {"without bounds", endless},
               {"with gaps", gaps},    {"at one time", still},  {"tiny", tiny}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int64_t n = 0; n <= 30; n += n < 3 ? 1 : 27) {
      craft c;
      page p;
      craft_xy(&c, n, cases[i].x);
      draw(&c, &p, cases[i].what);
      drop(&p);
      drop(&c.p);
    }
}

static double huge(int64_t i, int k) { return k == 0 ? (double)i : (i % 2 ? 1 : -1) * 1.7e308; }

TEST(channels_of_the_largest_numbers) {
  craft c;
  page p;
  craft_xy(&c, 20, huge);
  draw(&c, &p, "huge");
  drop(&p);
  drop(&c.p);
}

/* a point at rest, up to roundoff: the usual end of a damped motion */
static double at_rest(int64_t i, int k) {
  return k == 0 ? 0.1 * (double)i : k == 1 ? (i % 2 ? 1 : nextafter(1, 2)) : k == 2 ? 0.5 : 1;
}
static double at_rest_far(int64_t i, int k) {
  return k == 0   ? 0.1 * (double)i
         : k == 1 ? (i % 3 ? 1e6 : nextafter(1e6, 2e6))
         : k == 2 ? (i % 2 ? 3e5 : nextafter(3e5, 0))
                  : 1;
}
static double next_to(int64_t i, int k) {
  return k == 0 ? (i ? nextafter(1e9, 2e9) : 1e9) : circle(i, k);
} /* times one bit apart */

TEST(a_path_that_rests_but_for_roundoff) {
  craft c;
  page p;
  craft_xy(&c, 20, at_rest);
  draw(&c, &p, "at rest");
  drop(&p);
  drop(&c.p);
  craft_xy(&c, 20, at_rest_far);
  draw(&c, &p, "at rest, far away");
  drop(&p);
  drop(&c.p);
}

TEST(times_that_differ_by_roundoff) {
  craft c;
  page p;
  craft_xy(&c, 2, next_to);
  draw(&c, &p, "times");
  drop(&p);
  drop(&c.p);
}

/* the curve stays inside its frame: what is no number is left out, not drawn at the origin */
TEST(gaps_in_a_path_are_not_points) {
  craft c;
  page p;
  craft_xy(&c, 30, gaps); /* around (10, 10), with holes */
  draw(&c, &p, "gaps");
  const char *s = p.text;
  while (s && (s = strstr(s, "points=\""))) {
    s += 8;
    while (*s && *s != '"') {
      double x, y;
      int n = 0;
      if (sscanf(s, "%lf,%lf %n", &x, &y, &n) != 2 || !n) {
        FAIL("points that cannot be read: %.30s", s);
        break;
      }
      if (!(x >= 0 && x <= 1000 && y >= 0 && y <= 2000)) {
        FAIL("a point at %g, %g: outside the picture", x, y);
        break;
      }
      s += n;
    }
  }
  drop(&p);
  drop(&c.p);
}

TEST(times_that_are_no_numbers) {
  static const char head[] = "{\"model\": \"\", \"channels\": [" N("t") "," N("x") "]}";
  craft c;
  page p;
  craft_head(&c, 1, head, strlen(head), -1);
  craft_rows(&c, (double[]){0, 1, NAN, 2, INFINITY, 3, -INFINITY, 4, 1, 5, 1e300, 6}, 12);
  draw(&c, &p, "times");
  drop(&p);
  drop(&c.p);
}

/* more channels than anyone looks at: some are drawn, the rest are counted */
TEST(two_hundred_channels) {
  page head = {0};
  craft c;
  page p;
  static double values[201 * 50];
  static const char begin[] = "{\"title\": \"many\", \"model\": \"\", \"channels\": [" N("t");
  to_page(&head, begin, strlen(begin));
  for (int i = 0; i < 200; i++) {
    char text[64];
    to_page(&head, text, (size_t)snprintf(text, sizeof text, ",{\"name\": \"c%d\", \"unit\": \"m\"}", i));
  }
  to_page(&head, "]}", 2);
  craft_head(&c, 1, head.text, head.used, -1);
  for (int i = 0; i < 201 * 50; i++) values[i] = i % 201 ? sin(i) : i;
  craft_rows(&c, values, 201 * 50);
  draw(&c, &p, "many");
  if (p.text) {
    const int drawn = count(p.text, "<polyline");
    char rest[64];
    snprintf(rest, sizeof rest, "and %d more that are not drawn", 200 - drawn);
    CHECK(drawn >= 10 && drawn < 200);
    CHECK_HAS(p.text, rest);
    CHECK(p.used < 2000000);
  }
  drop(&p);
  drop(&head);
  drop(&c.p);
  remove(path);
}

TEST(a_hundred_thousand_rows_are_no_larger_than_five_thousand) {
  craft c;
  page small_one, large_one;
  craft_xy(&c, 5000, circle);
  draw(&c, &small_one, "5,000");
  drop(&c.p);
  craft_xy(&c, 100000, circle);
  draw(&c, &large_one, "100,000");
  CHECK(small_one.used > 1000 && (double)large_one.used < 2.5 * (double)small_one.used && large_one.used < 1000000);
  drop(&small_one);
  drop(&large_one);
  drop(&c.p);
  remove(path);
}

TEST(a_picture_that_cannot_be_written) {
  craft c;
  tn_result *result;
  tn_error e;
  craft_xy(&c, 3, circle);
  CHECK(try_open(&c.p, &result, &e) == TN_OK);
  page whole = {0};
  if (result) {
    CHECK(tn_result_svg(result, to_page, &whole, &e) == TN_OK);
    for (int64_t n = 1; n <= whole.calls; n += n < 20 ? 1 : 37) {
      page cut = {.fail = n};
      CHECK(tn_result_svg(result, to_page, &cut, &e) == TN_E_IO && e.status == TN_E_IO && cut.calls == n);
      drop(&cut);
    }
  }
  drop(&whole);
  tn_result_close(result);
  drop(&c.p);
}

/* ---- what fails ------------------------------------------------------------------------------------------------------------------ */

/* the recording with the n-th write refused, and those after it unless `on`; the worst status that came back */
static tn_status record_with(recording *r, page *p) {
  tn_recorder *recorder = NULL;
  tn_error e;
  tn_status worst = tn_recorder_new(r->b.sim, r->b.desc, "m", to_page, p, &recorder, &e);
  if (worst != TN_OK) {
    CHECK(!recorder && e.status == worst);
    return worst;
  }
  const double *v = r->rows.value;
  for (int64_t i = 0; i < r->rows.n; i++, v += r->rows.columns) {
    tn_status status = tn_recorder_row(recorder, v[0], r->rows.columns - 1, v + 1);
    if (status == TN_OK && i % 3 == 2) status = tn_recorder_flush(recorder);
    if (status != TN_OK) worst = status;
  }
  const tn_status status = tn_recorder_end(recorder, r->b.sim, "m", tn_report_json);
  if (status != TN_OK) worst = status;
  tn_recorder_free(recorder);
  return worst;
}

TEST(a_write_that_fails_is_told_wherever_it_fails) {
  recording r;
  page whole = {0};
  record(&r, small, (const int[]){10, 0});
  CHECK(record_with(&r, &whole) == TN_OK && whole.calls >= 6);
  for (int64_t n = 1; n <= whole.calls; n++) {
    page p = {.fail = n};
    CHECK(record_with(&r, &p) == TN_E_IO);
    CHECK(p.used <= whole.used && (!p.used || memcmp(p.text, whole.text, p.used) == 0));
    drop(&p);
  }
  drop(&whole);
  record_free(&r);
}

/* a disk that was full for a moment: what is there afterwards is a beginning, never a run with a hole and an end */
TEST(after_a_write_that_failed_nothing_is_appended) {
  recording r;
  page whole = {0};
  record(&r, small, (const int[]){10, 0});
  CHECK(record_with(&r, &whole) == TN_OK);
  for (int64_t n = 3; n <= whole.calls; n++) { /* of the blocks */
    page p = {.fail = n, .on = true};
    CHECK(record_with(&r, &p) == TN_E_IO);
    tn_result *result = open_page(&p);
    rows back = {0};
    if (result) {
      CHECK(tn_result_recover(result, NULL) == TN_OK);
      CHECK(tn_result_each(result, keep, &back, NULL) == TN_OK);
      if (!same_rows(&back, &r.rows, back.n))
        FAIL("write %" PRId64 " failed: %" PRId64 " rows, not the first ones", n, back.n);
      if (tn_result_summary(result) && n < whole.calls)
        FAIL("write %" PRId64 " failed, and the run ends as if nothing had been", n);
    }
    free(back.value);
    tn_result_close(result);
    drop(&p);
  }
  drop(&whole);
  record_free(&r);
}

/* counts what is out, refuses the call number `fail`, and gives garbage */
typedef struct counting {
  int64_t calls, out, fail;
} counting;

static void *count_allocate(void *user, size_t size) {
  counting *c = user;
  if (++c->calls == c->fail) return NULL;
  void *p = malloc(size ? size : 1);
  if (!p) abort();
  c->out++;
  return memset(p, 0xa5, size);
}

static void count_release(void *user, void *block) {
  CHECK(block != NULL);
  ((counting *)user)->out--;
  free(block);
}

static tn_status whole_recording(counting *c, tn_error *e) {
  const tn_allocator allocator = {count_allocate, count_release, c};
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  tn_recorder *recorder = NULL;
  page p = {0};
  tn_status status = tn_desc_new(&allocator, &d, e);
  if (!status) status = tn_desc_parse(d, "m", small, strlen(small), e);
  if (!status) status = tn_compile(d, &m, e);
  if (!status) status = tn_sim_new(m, &s, e);
  const int64_t before = c->calls;
  if (!status) {
    status = tn_recorder_new(s, d, "m", to_page, &p, &recorder, e);
    CHECK((status == TN_OK) == (recorder != NULL));
  }
  const int64_t ready = c->calls;
  if (!status) status = tn_sim_run(s, tn_recorder_row, recorder, e);
  if (!status) status = tn_recorder_flush(recorder);
  if (!status) CHECK(c->calls == ready && ready > before); /* rows need no memory */
  if (!status && (status = tn_recorder_end(recorder, s, "m", tn_report_json)) != TN_OK)
    tn_fail(e, status, "the end: memory");
  tn_recorder_free(recorder);
  tn_sim_free(s);
  tn_model_free(m);
  tn_desc_free(d);
  CHECK(c->out == 0);
  drop(&p);
  return status;
}

TEST(writing_without_memory) {
  counting all = {0};
  tn_error e;
  CHECK(whole_recording(&all, &e) == TN_OK && all.calls > 10);
  for (int64_t n = 1; n <= all.calls && tn_test_failures < 10; n++) {
    counting c = {.fail = n};
    const tn_status status = whole_recording(&c, &e);
    if (status != TN_E_MEMORY || e.status != TN_E_MEMORY)
      FAIL("allocation %" PRId64 " of %" PRId64 ": %d \"%s\"", n, all.calls, status, e.message);
  }
}

static tn_status whole_reading(counting *c, int64_t *found, tn_error *e) {
  const tn_allocator allocator = {count_allocate, count_release, c};
  tn_result *result = NULL;
  rows back = {0};
  page csv = {0}, npy = {0}, svg = {0};
  tn_status status = tn_result_open(&allocator, path, &result, e);
  CHECK((status == TN_OK) == (result != NULL));
  *found = -1;
  if (!status) {
    *found = tn_result_rows(result);
    if (!tn_result_summary(result)) *found = -2;
  }
  if (!status) status = tn_result_each(result, keep, &back, e);
  if (!status) status = tn_result_csv(result, to_page, &csv, e);
  if (!status) status = tn_result_npy(result, 1, to_page, &npy, e);
  if (!status) status = tn_result_svg(result, to_page, &svg, e);
  tn_result_close(result);
  CHECK(c->out == 0);
  free(back.value);
  drop(&csv);
  drop(&npy);
  drop(&svg);
  return status;
}

/* too little memory is told as such: not as a file that is damaged, and not by a run that is shorter than it was */
TEST(reading_without_memory) {
  recording r;
  counting all = {0};
  tn_error e;
  int64_t found;
  record(&r, small, (const int[]){1, 700, 300, 0}); /* the buffer grows */
  save(path, r.p.text, r.p.used);
  CHECK(whole_reading(&all, &found, &e) == TN_OK && found == 1001 && all.calls > 3);
  for (int64_t n = 1; n <= all.calls && tn_test_failures < 10; n++) {
    counting c = {.fail = n};
    const tn_status status = whole_reading(&c, &found, &e);
    if (status != TN_E_MEMORY)
      FAIL("allocation %" PRId64 " of %" PRId64 " fails: status %d, %" PRId64 " rows (-2: without an end) of 1001", n,
           all.calls, status, found);
  }
  record_free(&r);
}

/* memory comes from where the result was told to take it */
TEST(pictures_use_the_allocator) {
  recording r;
  counting c = {0};
  const tn_allocator allocator = {count_allocate, count_release, &c};
  tn_result *result = NULL;
  page svg = {0};
  record(&r, small, (const int[]){10, 0});
  save(path, r.p.text, r.p.used);
  CHECK(tn_result_open(&allocator, path, &result, NULL) == TN_OK);
  const int64_t before = c.calls;
  CHECK(result && tn_result_svg(result, to_page, &svg, NULL) == TN_OK);
  CHECK(c.calls > before + 1); /* curves are larger than what is left of a chunk */
  tn_result_close(result);
  CHECK(c.out == 0);
  drop(&svg);
  record_free(&r);
}

/* a result that is read over and over does not grow */
TEST(reading_again_takes_no_more_memory) {
  recording r;
  counting c = {0};
  const tn_allocator allocator = {count_allocate, count_release, &c};
  tn_result *result = NULL;
  record(&r, small, (const int[]){10, 10, 0});
  save(path, r.p.text, r.p.used);
  CHECK(tn_result_open(&allocator, path, &result, NULL) == TN_OK);
  rows back = {0};
  if (result) CHECK(tn_result_each(result, keep, &back, NULL) == TN_OK);
  const int64_t before = c.calls;
  for (int i = 0; result && i < 2000; i++) {
    back.n = 0;
    CHECK(tn_result_each(result, keep, &back, NULL) == TN_OK && back.n == 20);
  }
  CHECK(c.calls <= before + 1);
  free(back.value);
  tn_result_close(result);
  record_free(&r);
}

/* ---- the verdict ------------------------------------------------------------------------------------------------------------- */

static tn_status old_report(const tn_sim *sim, const char *name, tn_write write, void *user) {
  static const char text[] = "{\"tenon\": \"0.10.0\", \"status\": \"done\", \"message\": \"done\"}";
  (void)sim, (void)name;
  return write(user, text, sizeof text - 1) ? TN_OK : TN_E_IO;
}

static tn_status odd_report(const tn_sim *sim, const char *name, tn_write write, void *user) {
  static const char text[] = "{\"verdict\": \"splendid\"}";
  (void)sim, (void)name;
  return write(user, text, sizeof text - 1) ? TN_OK : TN_E_IO;
}

/* a result has the verdict of its run; one that is older, cut off or odd has none, and reads all the same */
TEST(a_result_has_the_verdict_of_its_run) {
  static const struct {
    const char *run;
    tn_report report;
    bool there;
    tn_run_verdict verdict;
  } cases[] = {
      {"{\"until\": 0.2}", tn_report_json, true, TN_TRUSTED},
      {"{\"until\": 0.2, \"integrator\": {\"rtol\": 1e-4}}", tn_report_json, true, TN_DOUBTFUL},
      {"{\"until\": 0.2, \"integrator\": {\"type\": \"euler\", \"step\": 0.001}}", tn_report_json, true, TN_WRONG},
      {"{\"until\": 0.2}", old_report, false, TN_TRUSTED},
      {"{\"until\": 0.2}", odd_report, false, TN_TRUSTED},
      {"{\"until\": 0.2}", NULL, false, TN_TRUSTED}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    tn_error e;
    page p = {0};
    tn_recorder *recorder;
    tn_result *r;
    tn_run_verdict verdict = TN_TRUSTED;
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/run", "%s", cases[i].run);
    CHECK(build_simulate(&b));
    CHECK(tn_recorder_new(b.sim, b.desc, "m", to_page, &p, &recorder, &e) == TN_OK);
    CHECK(tn_sim_run(b.sim, tn_recorder_row, recorder, &e) == TN_OK);
    CHECK(tn_recorder_flush(recorder) == TN_OK);
    if (cases[i].report) CHECK(tn_recorder_end(recorder, b.sim, "m", cases[i].report) == TN_OK);
    tn_recorder_free(recorder);
    save(path, p.text, p.used);
    CHECK(tn_result_open(NULL, path, &r, &e) == TN_OK);
    CHECK(tn_result_rows(r) == (int64_t)(0.2 / b.model->run.every + 1.5));
    CHECK(tn_result_verdict(r, &verdict) == cases[i].there && verdict == cases[i].verdict);
    tn_result_close(r);
    drop(&p);
    build_free(&b);
  }
}
