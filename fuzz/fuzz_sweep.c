/* fuzzing sweeps and their journals: what reads can be planned, run and printed, and a journal is taken up or refused; the rest is
 * refused in words.
 * SPDX-License-Identifier: MIT
 *
 * the input is a sweep file and, behind a byte 1, lines of its journal below the head, whose checks are put right. `m` is the name of
 * the one model there is. */
#include "fuzz.h"

#include <stdio.h>
#include <unistd.h>

#include "study/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_KEPT = 50, MOST_MADE = 3 };

static const char bob[] =
    "{\"tenon\": 1, \"dimension\": 2, \"constants\": {\"m\": 1, \"k\": 20}, \"gravity\": [0, -9.81], \"bodies\": "
    "{\"b\": "
    "{\"mass\": \"m\", \"position\": [0, -1], \"coordinates\": \"point\"}}, \"forces\": {\"s\": {\"type\": \"spring\", "
    "\"between\": [\"ground\", \"b\"], \"at\": [[0, 0]], \"stiffness\": \"k\"}}, \"run\": {\"until\": 0.02, \"every\": "
    "0.01, "
    "\"integrator\": {\"type\": \"rk4\", \"step\": 0.01}}}";

static bool count_bytes(void *user, const char *text, size_t size) {
  size_t *written = user;
  require(text != NULL || size == 0);
  *written += size;
  return true;
}

static void put_file(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  require(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* lines with the check that journal.c asks for */
static void put_journal(const char *path, const tn_sweep *s, const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  require(file != NULL);
  fprintf(file, "tenon sweep journal 2 %s %d %d\n", tn_sweep_fingerprint(s), tn_sweep_runs(s), tn_sweep_measures(s));
  for (int k = 0; k < LINES_KEPT && size; k++) {
    const uint8_t *end = memchr(data, '\n', size);
    const size_t n = end ? (size_t)(end - data) : size;
    unsigned check = 2166136261u;
    for (size_t i = 0; i < n; i++) check = (check ^ data[i]) * 16777619u;
    fwrite(data, 1, n, file);
    fprintf(file, " %08x%s", check, end ? "\n" : "");
    data += n + (end != NULL);
    size -= n + (end != NULL);
  }
  require(fclose(file) == 0);
}

typedef struct made {
  int runs, steps;
} made;

static bool enough_runs(void *user, const tn_sweep_progress *p) {
  made *m = user;
  require(p->done >= 0 && p->done <= p->all && p->failed <= p->done && p->resumed <= p->done);
  return m->runs++ < MOST_MADE;
}

static bool enough_steps(void *user) {
  made *m = user;
  return m->steps++ > 1000;
}

static void use_sweep(tn_sweep *s, const char *journal) {
  char text[256];
  size_t written = 0;
  made m = {0};
  tn_error e;
  tn_sweep_row row;
  const int last = tn_sweep_runs(s) - 1;
  require(last >= 0 && tn_sweep_measures(s) > 0 && tn_sweep_parameters(s) > 0);
  for (int i = 0; i < tn_sweep_parameters(s); i++)
    require(tn_sweep_given_text(s, last, i, text, sizeof text, NULL) >= 0 && tn_sweep_parameter(s, i));
  const tn_sweep_options o = {
      .workers = 1, .journal = journal, .progress = enough_runs, .stop = enough_steps, .user = &m};
  tn_status status = tn_sweep_run(s, &o, &e);
  if (status != TN_OK) require_words(status, &e, SIZE_MAX / 2);
  require(status == TN_OK || status == TN_E_STOPPED || status == TN_E_MEMORY);
  for (int i = 0; i <= last && i < 100; i++) {
    require(tn_sweep_row_at(s, i, &row));
    if (row.failure) require_clean(row.failure, strlen(row.failure) + 1);
  }
  if (last > 1000) return;
  require(tn_sweep_plan(s, count_bytes, &written) == TN_OK && written > 0);
  if (status != TN_OK) return;
  require(tn_sweep_csv(s, count_bytes, &written) == TN_OK && tn_sweep_json(s, count_bytes, &written) == TN_OK);
  require(tn_sweep_text(s, count_bytes, &written) == TN_OK && tn_sweep_summary(s, count_bytes, &written) == TN_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[64], journal[80];
  const uint8_t *lines = memchr(data, 1, size);
  const size_t n = lines ? (size_t)(lines - data) : size;
  for (size_t i = 0; i + 4 < n; i++)
    if (memcmp(data + i, "/dev", 4) == 0 || memcmp(data + i, "/proc", 5) == 0) return 0; /* files that have no end */
  if (!path[0]) {
    put_file("m", bob, sizeof bob - 1);
    snprintf(path, sizeof path, "fuzz_sweep.%ld.json", (long)getpid());
    snprintf(journal, sizeof journal, "%s.journal", path);
  }
  put_file(path, data, n);
  purse memory = {(size_t)256 << 20, 100000};
  const tn_allocator allocator = {purse_allocate, purse_release, &memory};
  tn_sweep *s = NULL;
  tn_error e;
  tn_status status = tn_sweep_read(&allocator, path, &s, &e);
  require((status == TN_OK) == (s != NULL));
  if (status == TN_OK) {
    if (lines) put_journal(journal, s, lines + 1, size - n - 1);
    use_sweep(s, lines ? journal : NULL);
  } else {
    require_words(status, &e, SIZE_MAX / 2);
  }
  tn_sweep_free(s);
  remove(path);
  remove(journal);
  return 0;
}
