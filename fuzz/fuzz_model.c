/* fuzzing models: any text is either refused in words, or it compiles, and then its start, steps, rows, channels and
 * reports end in numbers or in words, never in anything else. printed, it compiles again; without memory it says so.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 20000, MOST_COORDINATES = 60, MOST_ROWS_OUT = 8, MOST_STEPS = 4, MOST_BLOCKS = 1000000 };
#define MOST_MEMORY ((size_t)32 << 20) /* repeats make much out of little: enough is enough */

static size_t text_size; /* of the model at hand */

static tn_status row_taken(void *user, double t, int n, const double *values) {
  int *rows = user;
  require(isfinite(t) && n >= 0 && (n == 0 || values));
  return ++*rows < MOST_ROWS_OUT ? TN_OK : TN_E_IO;
}

static bool step_seen(void *user, double t) {
  int *steps = user;
  require(isfinite(t));
  return ++*steps < MOST_STEPS;
}

static bool to_nowhere(void *user, const char *text, size_t size) {
  (void)user;
  require(text != NULL || size == 0);
  return true;
}

static void require_finite(const tn_sim *sim) {
  for (int i = 0; i < tn_sim_coordinates(sim); i++) require(isfinite(tn_sim_q(sim)[i]));
  for (int i = 0; i < tn_sim_speeds(sim); i++) require(isfinite(tn_sim_u(sim)[i]));
}

/* a report is JSON, whatever is in it */
static void require_json(page *p) {
  tn_desc *desc;
  tn_error e;
  require(tn_desc_new(NULL, &desc, &e) == TN_OK);
  require(tn_desc_parse(desc, "report", p->text, p->used, &e) == TN_OK);
  tn_desc_free(desc);
  free(p->text);
}

static tn_status said(tn_status status, const tn_error *e) {
  page p = {0};
  if (status == TN_OK) return TN_OK;
  require_words(status, e, text_size);
  require(status == TN_E_MODEL || status == TN_E_RUN || status == TN_E_MEMORY || status == TN_E_IO ||
          status == TN_E_STOPPED);
  require(tn_report_failure(e, "a \"model\"", page_write, &p) == TN_OK);
  require_json(&p);
  return status;
}

static void reports(tn_sim *sim, const char *title) {
  page p = {0}, check = {0}, eval = {0};
  tn_error e;
  require(tn_report_json(sim, title, page_write, &p) == TN_OK);
  require_json(&p);
  require(tn_report_text(sim, title, to_nowhere, NULL) == TN_OK);
  require(tn_report_check_json(sim, title, page_write, &check) == TN_OK);
  require_json(&check);
  require(tn_report_check_text(sim, title, to_nowhere, NULL) == TN_OK);
  if (said(tn_report_eval(sim, title, page_write, &eval, &e), &e) == TN_OK)
    require_json(&eval);
  else
    free(eval.text);
  require(tn_csv_head(sim, to_nowhere, NULL) == TN_OK);
  require_clean(tn_sim_summary(sim)->message, sizeof tn_sim_summary(sim)->message);
}

static void channels(tn_sim *sim) {
  static const char *const names[] = {"energy.total", "energy.balance", "", ".", "a.", ".x", "a", "a.b.c", "energy."};
  const int fixed = sizeof names / sizeof *names;
  double value;
  tn_error e;
  for (int i = 0; i < fixed + tn_sim_columns(sim); i++) {
    tn_status status = tn_sim_channel(sim, i < fixed ? names[i] : tn_sim_column(sim, i - fixed), &value, &e);
    if (status == TN_E_USAGE)
      require_words(status, &e, text_size);
    else
      said(status, &e);
  }
}

/* another state: near, far, and none at all */
static void elsewhere(tn_sim *sim) {
  static const double far[] = {1e-3, 1e8, 1e160, NAN};
  double q[MOST_COORDINATES], u[MOST_COORDINATES];
  tn_error e;
  for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
    for (int i = 0; i < tn_sim_coordinates(sim); i++) q[i] = tn_sim_q(sim)[i] + far[k] * (i + 1);
    for (int i = 0; i < tn_sim_speeds(sim); i++) u[i] = tn_sim_u(sim)[i] - far[k];
    if (said(tn_sim_set(sim, 0.25, q, k % 2 ? u : NULL, k != 1, &e), &e) == TN_OK)
      if (said(tn_sim_advance(sim, 0.25, &e), &e) == TN_OK) require_finite(sim);
  }
}

/* as it wants to run itself, a few steps long */
static void walk(const tn_model *model, const char *title) {
  tn_sim *sim = NULL;
  tn_error e;
  int rows = 0, steps = 0;
  tn_status status = said(tn_sim_new(model, &sim, &e), &e);
  require((status == TN_OK) == (sim != NULL));
  if (!sim) return;
  tn_sim_watch(sim, step_seen, &steps);
  status = said(tn_sim_run(sim, row_taken, &rows, &e), &e);
  if (status == TN_OK || status == TN_E_STOPPED) require_finite(sim);
  channels(sim);
  reports(sim, title);
  elsewhere(sim);
  reports(sim, title);
  tn_sim_free(sim);
}

/* steps of a fixed length to the end, and its rows */
static void run(const tn_model *model) {
  tn_sim *sim = NULL;
  tn_error e;
  int rows = 0;
  if (said(tn_sim_new(model, &sim, &e), &e) != TN_OK) return;
  if (said(tn_sim_run(sim, row_taken, &rows, &e), &e) == TN_OK) {
    require(rows >= 1);
    require_finite(sim);
  }
  tn_sim_free(sim);
}

static tn_status tame(tn_desc *d, tn_error *e) {
  tn_status status = tn_desc_number(d, "/run/until", 0.03, e);
  if (!status) status = tn_desc_number(d, "/run/every", 0.02, e);
  if (!status) status = tn_desc_json(d, "/run/integrator", "{\"type\": \"rk4\", \"step\": 0.01}", e);
  return status;
}

static tn_status compiled(tn_desc *desc, tn_model **model) {
  tn_error e;
  tn_status status = said(tn_compile(desc, model, &e), &e);
  require((status == TN_OK) == (*model != NULL));
  return status;
}

static bool is_small(const tn_model *model) {
  tn_model_info info;
  tn_model_get_info(model, &info);
  return info.coordinates <= MOST_COORDINATES && info.rows <= MOST_COORDINATES;
}

/* the model as text is the same model */
static void print_again(const tn_model *model) {
  page first = {0}, second = {0};
  tn_desc *desc;
  tn_model *again = NULL;
  tn_error e;
  char text[64];
  require(tn_model_settings(model, text, sizeof text) > 0);
  for (int i = 0; i < tn_model_warnings(model); i++) {
    require(tn_model_warning(model, i)->status == TN_OK && tn_model_warning(model, i)->message[0]);
    require_clean(tn_model_warning(model, i)->message, sizeof e.message);
  }
  require(tn_model_print(model, page_write, &first, &e) == TN_OK);
  require(tn_desc_new(NULL, &desc, &e) == TN_OK);
  require(tn_desc_parse(desc, "again.json", first.text, first.used, &e) == TN_OK);
  require(tn_compile(desc, &again, &e) == TN_OK);
  require(tn_model_print(again, page_write, &second, &e) == TN_OK && page_same(&first, &second));
  tn_model_free(again);
  tn_desc_free(desc);
  free(first.text);
  free(second.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > MOST_BYTES) return 0;
  text_size = size;
  purse memory = {MOST_MEMORY, MOST_BLOCKS};
  const tn_allocator allocator = {purse_allocate, purse_release, &memory};
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error e;
  require(tn_desc_new(&allocator, &desc, &e) == TN_OK);
  if (said(tn_desc_parse(desc, "fuzz.json", (const char *)data, size, &e), &e) == TN_OK) {
    const long before = memory.blocks;
    tn_status status = compiled(desc, &model);
    const long blocks = before - memory.blocks;
    tn_model_info info;
    if (status == TN_OK && is_small(model)) {
      tn_model_get_info(model, &info);
      walk(model, info.title);
      print_again(model);
    }
    tn_model_free(model);
    model = NULL;
    /* the same without one of the blocks it took */
    if (status == TN_OK && blocks > 0) {
      memory.blocks = (long)size % blocks;
      require(compiled(desc, &model) == TN_E_MEMORY);
      memory.blocks = MOST_BLOCKS;
    }
    /* settings that end soon; `run` may be anything */
    if (tame(desc, &e) == TN_OK && compiled(desc, &model) == TN_OK && is_small(model)) run(model);
    tn_model_free(model);
  }
  tn_desc_free(desc);
  return 0;
}
