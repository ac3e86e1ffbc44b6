/* fuzzing studies: what reads can be run and printed; the rest is refused in words. `m` is the one model, `r.csv` the one table.
 * SPDX-License-Identifier: MIT
 *
 * what is run is made short first: of every run `until` is 0.03 s and `most-rhs` 200, and the progress ends the study after some runs. */
#include "fuzz.h"

#include <stdio.h>
#include <unistd.h>

#include "read/read.h"
#include "study/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_RUNS = 12 };

static const char study_model[] = "{\"tenon\": 1, \"dimension\": 2, \"constants\": {\"l\": 1}, \"gravity\": [0, "
                                  "-9.81], \"bodies\": {\"b\": {\"mass\": 1, "
                                  "\"inertia\": 0.1, \"position\": [\"l\", 0]}}, \"joints\": {\"pin\": {\"type\": "
                                  "\"revolute\", \"between\": [\"ground\", \"b\"], "
                                  "\"at\": [0, 0]}}, \"outputs\": {\"angle\": \"pin.angle\"}, \"run\": {\"until\": "
                                  "0.02, \"every\": 0.01, \"integrator\": "
                                  "{\"type\": \"rk4\", \"step\": 0.01}}}",
                  study_table[] = "t,angle\n0,0\n0.01,-0.0005\n0.02,-0.002\n";

static bool count_written(void *user, const char *text, size_t size) {
  size_t *written = user;
  require(text != NULL || size == 0);
  *written += size;
  return true;
}

static bool some_runs(void *user, int done, int all, const char *run) {
  int *runs = user;
  require(done >= 0 && done <= all && run);
  return ++*runs < MOST_RUNS;
}

static void write_file(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  require(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static tn_status read_study(const char *path, const void *data, size_t size, const tn_allocator *allocator,
                            tn_study **s) {
  tn_error e;
  write_file(path, data, size);
  const tn_status status = tn_study_read(allocator, path, s, &e);
  require((status == TN_OK) == (*s != NULL));
  if (status) require_words(status, &e, SIZE_MAX / 2);
  remove(path);
  return status;
}

static void use_study(tn_study *s) {
  size_t written = 0;
  int runs = 0;
  tn_error e;
  const tn_study_options o = {.workers = 1, .quick = true, .figures = true, .progress = some_runs, .user = &runs};
  const tn_status status = tn_study_run(s, &o, &e);
  if (status) require_words(status, &e, SIZE_MAX / 2);
  for (int i = 0; i < tn_study_rows(s); i++) {
    const tn_study_row *row = tn_study_row_at(s, i);
    require(row && row->id && tn_verdict_name(row->verdict));
    if (row->failure) require_clean(row->failure, strlen(row->failure) + 1);
  }
  require(!tn_study_row_at(s, -1) && !tn_study_row_at(s, tn_study_rows(s)));
  if (status) return;
  for (int i = 0; i < tn_study_figures(s); i++) {
    const tn_study_figure *f = tn_study_figure_at(s, i);
    require(f && f->id && f->caption);
    if (f->failure) require_clean(f->failure, strlen(f->failure) + 1);
    const tn_status drawn = tn_study_figure_svg(s, i, count_written, &written, &e);
    require((drawn == TN_OK) == f->drawn && (drawn == TN_OK || drawn == TN_E_USAGE));
    require(tn_study_figure_csv(s, i, count_written, &written, &e) == drawn);
  }
  require(!tn_study_figure_at(s, -1) && !tn_study_figure_at(s, tn_study_figures(s)));
  require(tn_study_text(s, count_written, &written) == TN_OK && tn_study_json(s, count_written, &written) == TN_OK);
  for (int i = 0; i < 4 && tn_study_curve(s, i); i++)
    require(tn_study_curve_csv(s, i, count_written, &written) == TN_OK);
}

/* the same study with short runs; false: it cannot be said so */
static bool shortened(const uint8_t *data, size_t size, page *out) {
  tn_desc *d = NULL;
  tn_error e;
  char runs[64][160];
  int n = 0;
  require(tn_desc_new(NULL, &d, &e) == TN_OK);
  bool good = tn_desc_parse(d, "study", (const char *)data, size, &e) == TN_OK;
  const tn_node *all = good ? tn_node_get(d->root, "runs") : NULL;
  for (const tn_node *c = all ? all->first : NULL; c && good; c = c->next) {
    good = n < 64 && c->kind == TN_NODE_OBJECT;
    if (good) tn_node_pointer(c, runs[n++], sizeof runs[0]);
  }
  for (int i = 0; i < n && good; i++) {
    char pointer[sizeof runs[0] + 16];
    static const char *const keys[] = {"until", "every", "most-rhs", "repeat"};
    static const double values[] = {0.03, 0.01, 200, 1};
    for (int k = 0; k < 4 && good; k++) {
      snprintf(pointer, sizeof pointer, "%.159s/%s", runs[i], keys[k]);
      good = tn_desc_number(d, pointer, values[k], &e) == TN_OK;
    }
  }
  if (good) *out = page_of(d);
  tn_desc_free(d);
  return good && n > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[64];
  for (size_t i = 0; i + 4 < size; i++)
    if (memcmp(data + i, "/dev", 4) == 0 || memcmp(data + i, "/proc", 5) == 0) return 0; /* files that have no end */
  if (!path[0]) {
    write_file("m", study_model, sizeof study_model - 1);
    write_file("r.csv", study_table, sizeof study_table - 1);
    snprintf(path, sizeof path, "fuzz_study.%ld.json", (long)getpid());
  }
  purse memory = {(size_t)256 << 20, 100000};
  const tn_allocator allocator = {purse_allocate, purse_release, &memory};
  tn_study *s = NULL;
  page text = {0};
  const tn_status status = read_study(path, data, size, &allocator, &s);
  tn_study_free(s);
  s = NULL;
  if (status == TN_OK && shortened(data, size, &text)) {
    if (read_study(path, text.text, text.used, &allocator, &s) == TN_OK) use_study(s);
    tn_study_free(s);
    free(text.text);
  }
  return 0;
}
