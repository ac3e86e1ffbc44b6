/* fuzzing result files: what opens can be listed, read, recovered, and written as CSV, arrays and a picture; the rest is refused
 * in words.
 * SPDX-License-Identifier: MIT
 *
 * the first byte: 0 leaves the file as it is, else the checksums of its blocks are put right, so that what stands behind
 * them is reached. the rest is the file. */
#include "fuzz.h"

#include <stdio.h>
#include <unistd.h>

#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_right(uint8_t *file, size_t size) {
  if (size < TN_TNR_START) return;
  uint64_t at = TN_TNR_START + (uint64_t)tn_get_u32(file + 12);
  while (at + TN_TNR_BLOCK <= size) {
    uint64_t n = tn_get_u64(file + at + 8), left = size - at - TN_TNR_BLOCK;
    if (n > left) return;
    tn_put_u32(file + at + 4, tn_block_crc(file + at, file + at + TN_TNR_BLOCK, (size_t)n));
    at += TN_TNR_BLOCK + n;
  }
}

static bool write_away(void *user, const char *text, size_t size) {
  size_t *written = user;
  require(text != NULL || size == 0);
  *written += size;
  return true;
}

static tn_status count_row(void *user, double t, int n, const double *values) {
  long *rows = user;
  (void)t;
  require(n >= 0 && values != NULL);
  ++*rows;
  return TN_OK;
}

/* it was read a moment ago: what is read again is there. `good`: what functions return that go through its rows */
static void use_result(tn_result *r, tn_status good) {
  char name[32];
  tn_error e;
  int columns = 0, first;
  long rows = 0;
  size_t written = 0;
  require(tn_result_columns(r) >= 0 && tn_result_rows(r) >= 0);
  for (int i = -1; i < tn_result_columns(r); i++) require(tn_result_column(r, i) && tn_result_unit(r, i));
  require(!tn_result_column(r, tn_result_columns(r)) && !tn_result_column(r, -2));
  require(tn_result_model(r) && tn_result_name(r) && tn_result_title(r) && tn_result_settings(r));
  if (tn_result_summary(r)) require(strlen(tn_result_summary(r)) < ((size_t)1 << 20));
  require(tn_result_each(r, count_row, &rows, &e) == good && rows == tn_result_rows(r));
  require(tn_result_csv(r, write_away, &written, &e) == good && written > 0);
  for (int k = 0; k < tn_result_groups(r); k++) {
    int n = tn_result_group(r, k, name, sizeof name, &first);
    require(n > 0 && first == columns - 1);
    columns += n;
    if (k < 4) require(tn_result_npy(r, k, write_away, &written, &e) == good);
  }
  require(columns == tn_result_columns(r) + 1);
  require(tn_result_svg(r, write_away, &written, &e) == good);
  rows = 0;
  require(tn_result_motion_rows(r) >= 0 && tn_result_motion_size(r) >= 0);
  require(tn_result_motion_each(r, count_row, &rows, &e) == good && rows == tn_result_motion_rows(r));
  (void)tn_result_page(r, write_away, &written, &e); /* its model may be anything */
  (void)tn_result_glb(r, write_away, &written, &e);
}

/* all good rows, in pairs those that have their motion; what is missing is a number and a sentence */
static void use_recovered(tn_result *r) {
  char text[200];
  tn_gap gap;
  tn_error e;
  int gaps = 0;
  use_result(r, TN_OK);
  for (; tn_result_gap(r, gaps, &gap); gaps++)
    require((gap.rows > 0 || gap.rows == -1) && tn_result_missing(r, gaps, text, sizeof text) > 0);
  for (int i = 0; tn_result_missing(r, i, text, sizeof text); i++) require(i < gaps + 3);
  for (int motion = 0; motion < 2; motion++) {
    long rows = 0;
    require(tn_result_pair_each(r, motion, count_row, &rows, &e) == TN_OK && rows == tn_result_pairs(r));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[64];
  if (size < 1) return 0;
  if (!path[0]) snprintf(path, sizeof path, "fuzz_result.%ld.tnr", (long)getpid());
  uint8_t *copy = malloc(size);
  FILE *file = fopen(path, "wb");
  require(copy != NULL && file != NULL);
  memcpy(copy, data, size);
  if (data[0]) put_right(copy + 1, size - 1);
  require(fwrite(copy + 1, 1, size - 1, file) == size - 1);
  require(fclose(file) == 0);
  free(copy);

  purse memory = {(size_t)512 << 20, 1000};
  const tn_allocator allocator = {purse_allocate, purse_release, &memory};
  tn_result *result = NULL;
  tn_result_fault fault;
  tn_error e;
  tn_status status = tn_result_open(&allocator, path, &result, &e);
  require((status == TN_OK) == (result != NULL));
  remove(path);
  if (status == TN_OK) {
    const tn_status whole = tn_result_check(result, &fault, &e);
    require((whole == TN_OK) == (fault == TN_FAULT_NONE) && (whole == TN_OK || whole == TN_E_IO));
    const long before = tn_result_rows(result);
    use_result(result, whole);
    require(tn_result_recover(result, &e) == TN_OK && tn_result_rows(result) >= before);
    use_recovered(result);
  } else
    require_words(status, &e, SIZE_MAX / 2);
  tn_result_close(result);
  return 0;
}
