/* fuzzing models: any text is either refused with words and a place, or it compiles, and then its start and a few steps end
 * in rows or in words, never in anything else. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/tenon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 20000, MOST_COORDINATES = 120, MOST_ROWS_OUT = 20 };
#define MOST_MEMORY ((size_t)64 << 20)

static void require(bool condition) {
  if (!condition) abort();
}

/* repeats make much out of little: enough is enough */
typedef struct limited {
  size_t left;
} limited;

static void *limited_allocate(void *user, size_t size) {
  limited *l = user;
  if (size > l->left) return NULL;
  l->left -= size;
  return malloc(size ? size : 1);
}

static void limited_release(void *user, void *block) {
  (void)user;
  free(block);
}

static tn_status take(void *user, double t, int n, const double *values) {
  int *rows = user;
  (void)values;
  require(isfinite(t) && n >= 0);
  return ++*rows < MOST_ROWS_OUT ? TN_OK : TN_E_IO;
}

static bool to_nowhere(void *user, const char *text, size_t size) {
  (void)user;
  require(text != NULL || size == 0);
  return true;
}

/* few steps of a fixed length, few rows, nothing that takes long */
static tn_status tame(tn_desc *d, tn_error *e) {
  tn_status status = tn_desc_number(d, "/run/until", 0.05, e);
  if (!status) status = tn_desc_number(d, "/run/every", 0.02, e);
  if (!status) status = tn_desc_json(d, "/run/integrator", "{\"type\": \"rk4\", \"step\": 0.01}", e);
  return status;
}

static void said(tn_status status, const tn_error *e) {
  require(e->status == status && e->message[0]);
  require(status == TN_E_MODEL || status == TN_E_RUN || status == TN_E_MEMORY || status == TN_E_IO);
}

static void simulate(const tn_model *model) {
  tn_sim *sim = NULL;
  tn_error e;
  int rows = 0;
  tn_model_info info;
  tn_model_get_info(model, &info);
  if (info.coordinates > MOST_COORDINATES || info.rows > MOST_COORDINATES) return;
  tn_status status = tn_sim_new(model, &sim, &e);
  require((status == TN_OK) == (sim != NULL));
  if (status == TN_OK) status = tn_sim_run(sim, take, &rows, &e);
  if (status != TN_OK) said(status, &e);
  if (sim) {
    require(tn_report_json(sim, "fuzz", to_nowhere, NULL) == TN_OK);
    require(tn_report_text(sim, "fuzz", to_nowhere, NULL) == TN_OK);
    require(tn_csv_head(sim, to_nowhere, NULL) == TN_OK);
  }
  tn_sim_free(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > MOST_BYTES) return 0;
  limited memory = {MOST_MEMORY};
  const tn_allocator allocator = {limited_allocate, limited_release, &memory};
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error e;
  if (tn_desc_new(&allocator, &desc, &e) != TN_OK) return 0;
  tn_status status = tn_desc_parse(desc, "fuzz.json", (const char *)data, size, &e);
  /* as it is, for what the reader of run settings says; then with settings that end soon */
  for (int tamed = 0; tamed < 2 && status == TN_OK; tamed++) {
    if (tamed && tame(desc, &e) != TN_OK) break; /* `run` may be anything */
    status = tn_compile(desc, &model, &e);
    require((status == TN_OK) == (model != NULL));
    if (status == TN_OK && tamed) simulate(model);
    tn_model_free(model);
    model = NULL;
    if (status != TN_OK && !tamed) {
      said(status, &e);
      status = TN_OK; /* perhaps only the settings were wrong */
    }
  }
  if (status != TN_OK) said(status, &e);
  tn_desc_free(desc);
  return 0;
}
