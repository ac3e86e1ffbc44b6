/* fuzzing saved states: the state of a run is changed, its checksum put right, and loaded. It is refused in words, or it is a state: then the
 * run goes on to numbers or to words. The state as it was saved loads behind all that, and with formulas of one step the rows behind it are
 * those of a run that nobody disturbed.
 * SPDX-License-Identifier: MIT
 *
 * the first 4 bytes choose the mechanism and when it is saved. then changes, each 2 bytes of place, 1 of kind, and 1 to 8 of value */
#include "fuzz.h"

#include <stdio.h>

#include "judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SAVED_HEAD = 32, SAVED_TAIL = 8, ROWS_COMPARED = 40, STEPS_AFTER = 10 };

typedef struct kept_rows {
  int n, columns, steps, most;
  double t[ROWS_COMPARED], value[ROWS_COMPARED][MECH_COLUMNS];
} kept_rows;

static tn_status keep_row(void *user, double t, int n, const double *values) {
  kept_rows *r = user;
  if (r->n == ROWS_COMPARED) return TN_OK;
  r->t[r->n] = t;
  memcpy(r->value[r->n++], values, sizeof *values * (size_t)n);
  return TN_OK;
}

static bool until_step(void *user, double t) {
  kept_rows *r = user;
  (void)t;
  return ++r->steps < r->most;
}

static void in_words(tn_status status, const tn_error *e) {
  if (status) require_words(status, e, SIZE_MAX / 2);
}

/* the changes, in place; the sizes in its head stay right */
static void change_state(page *state, const uint8_t *data, size_t size) {
  static const double special[] = {0, -1, 1e308, 1e-308, INFINITY, -INFINITY, NAN, 0.5};
  while (size >= 4) {
    const size_t inside = state->used - SAVED_HEAD - SAVED_TAIL,
                 at = SAVED_HEAD + ((size_t)data[0] << 8 | data[1]) * (inside / 65536 + 1) % inside,
                 left = state->used - at;
    const unsigned kind = data[2], how = kind % 5;
    char *to = state->text + at;
    double number = special[kind / 5 % 8];
    size_t used = 4;
    if (how == 0) { /* a bit */
      *to = (char)(*to ^ 1 << data[3] % 8);
    } else if (how == 1) { /* a byte */
      *to = (char)data[3];
    } else if (how == 2 && left >= SAVED_TAIL + 8) { /* a number */
      memcpy(to, &number, sizeof number);
      used = 3;
    } else if (how == 3 && size >= 11 && left >= SAVED_TAIL + 8) { /* eight bytes */
      memcpy(to, data + 3, 8);
      used = 11;
    } else if (how == 4 && left > SAVED_TAIL + (size_t)data[3]) { /* some are missing */
      memmove(to, to + data[3], left - data[3]);
      state->used -= data[3];
      if (state->used < SAVED_HEAD + SAVED_TAIL + 1) return;
    }
    data += used;
    size -= used;
  }
}

static void put_checksum(page *state) {
  unsigned char *x = (unsigned char *)state->text;
  tn_put_u64(x + 16, state->used);
  tn_put_u32(x + state->used - 4, tn_crc32(0, x, state->used - 4));
}

/* from the state on; what is written there does not matter */
static tn_status go_on(tn_sim *sim, kept_rows *r) {
  tn_error e;
  r->n = r->steps = 0;
  r->most = STEPS_AFTER;
  tn_sim_watch(sim, until_step, r);
  const tn_status status = tn_sim_run(sim, keep_row, r, &e);
  in_words(status, &e);
  return status;
}

static bool is_one_step(const char *text) {
  static const char *const others[] = {"\"ab", "\"ampc", "\"mampc", "\"cvode", "\"arkode", "\"ida"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strstr(text, others[i])) return false;
  return true;
}

static void use_state(const mechanism *m, tn_sim *sim, const uint8_t *data, size_t size, int when) {
  static kept_rows plain, again;
  page good = {0}, bad = {0};
  tn_error e;
  kept_rows before = {.most = when};
  tn_sim_watch(sim, until_step, &before);
  tn_status status = tn_sim_run(sim, keep_row, &before, &e);
  in_words(status, &e);
  if (status != TN_E_STOPPED) return; /* it is at its end */
  status = tn_sim_save(sim, page_write, &good, &e);
  require(status == TN_OK && good.used > SAVED_HEAD + SAVED_TAIL);
  /* from the state as it was saved, which is where the simulation is */
  require(tn_sim_load(sim, good.text, good.used, &e) == TN_OK);
  const tn_status end = go_on(sim, &plain);
  /* from a changed one */
  page_write(&bad, good.text, good.used);
  change_state(&bad, data, size);
  put_checksum(&bad);
  status = tn_sim_load(sim, bad.text, bad.used, &e);
  in_words(status, &e);
  if (status == TN_OK) go_on(sim, &again);
  /* and again from the good one */
  status = tn_sim_load(sim, good.text, good.used, &e);
  require(status == TN_OK);
  require(go_on(sim, &again) == end);
  if (is_one_step(m->text)) {
    require(plain.n == again.n);
    for (int i = 0; i < plain.n; i++)
      require(plain.t[i] == again.t[i] &&
              memcmp(plain.value[i], again.value[i], sizeof(double) * (size_t)m->columns) == 0);
  }
  free(good.text);
  free(bad.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static mechanism m;
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  if (size < 5 || !mech_make_seed(&m, (uint64_t)data[0] << 8 | data[1])) return 0;
  require(tn_desc_new(NULL, &desc, &e) == TN_OK);
  require(tn_desc_parse(desc, "random.json", m.text, (size_t)m.used, &e) == TN_OK);
  if (tn_compile(desc, &model, &e) == TN_OK && tn_sim_new(model, &sim, &e) == TN_OK)
    use_state(&m, sim, data + 4, size - 4, 1 + data[2] % 8);
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
  return 0;
}
