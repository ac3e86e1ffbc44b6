#include "support/judge.h"

#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const double TOLERANCES = 10, OWN_ERRORS = 3, USELESS = 0.01;

/* ---- cases ------------------------------------------------------------------------------------------------------------ */

static const char *only(void) {
  const char *words = getenv("TENON_ONLY");
  return words ? words : "";
}

bool judge_filters(void) { return *only() != 0; }

static bool has_word(const char *name, const char *word, size_t n) {
  for (const char *p = name; *p; p += strcspn(p, " "), p += strspn(p, " "))
    if (strcspn(p, " ") == n && memcmp(p, word, n) == 0) return true;
  return false;
}

bool judge_wants(const char *name) {
  for (const char *p = only() + strspn(only(), " "); *p; p += strspn(p, " ")) {
    const size_t n = strcspn(p, " ");
    if (!has_word(name, p, n)) return false;
    p += n;
  }
  return true;
}

void judge_case(judge *j, const char *name, const char *output, double difference, double allowed) {
  const double off = isnan(difference) ? INFINITY : difference;
  const double ratio = off > 0 ? off / allowed : 0;
  const bool fails = !(ratio <= 1);
  char text[sizeof j->worst];
  snprintf(text, sizeof text, "%s, output %s: differs by %.2g, allowed %.2g", name, output, off, allowed);
  if (fails || getenv("TENON_SHOW")) printf("%s%9.3g  %s\n", fails ? "FAILS" : "     ", ratio, text);
  j->cases++;
  j->failed += fails;
  if (j->cases > 1 && ratio <= j->ratio) return;
  j->ratio = ratio;
  memcpy(j->worst, text, sizeof text);
}

bool judge_ends(const judge *j, const char *title) {
  printf("%s: %d of %d cases fail; the worst, %.3g times what is allowed: %s\n", title, j->failed, j->cases, j->ratio,
         j->worst);
  return !j->failed && (j->cases || judge_filters());
}

static void quote(char *text) {
  for (char *p = text; *p; p++)
    if (*p == '\'') *p = '"';
}

tn_desc *model_new(const char *text) {
  char json[8192];
  tn_desc *desc;
  tn_error e;
  if (tn_desc_new(NULL, &desc, &e) != TN_OK || strlen(text) >= sizeof json) abort();
  strcpy(json, text);
  quote(json);
  if (tn_desc_parse(desc, "text", json, strlen(json), &e) == TN_OK) return desc;
  printf("%s: %s\n", e.message, json);
  abort();
}

void model_set(tn_desc *desc, const char *pointer, const char *format, ...) {
  char text[4096];
  tn_error e;
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  quote(text);
  if (n >= 0 && (size_t)n < sizeof text && tn_desc_json(desc, pointer, text, &e) == TN_OK) return;
  printf("%s: %s\n", pointer, text);
  abort();
}

/* ---- a run that others are compared with ------------------------------------------------------------------------------ */

static double at(const ref_table *t, int row, int column) {
  return t->value[(size_t)row * (size_t)t->columns + (size_t)column];
}

/* up to which rows are compared */
static int rows_of(const yardstick *y) {
  int n = 0;
  while (n < y->run.rows && y->run.t[n] <= y->until * (1 + 1e-12)) n++;
  return n;
}

static double *numbers(int n) {
  double *x = calloc((size_t)n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

static void find_scales(yardstick *y, const tn_sim *sim) {
  const ref_table *t = &y->run;
  const int rows = rows_of(y);
  double *range = numbers(t->columns);
  y->scale = numbers(t->columns);
  for (int c = 0; c < t->columns; c++) {
    double size = 0;
    for (int i = 0; i < rows; i++) {
      range[c] = fmax(range[c], fabs(at(t, i, c) - at(t, 0, c)));
      size = fmax(size, fabs(at(t, i, c)));
    }
    if (range[c] < 1e-6 * size) range[c] = size;
    if (strcmp(tn_sim_column_unit(sim, c), "rad") == 0) range[c] = fmax(range[c], 1e-3);
  }
  for (int c = 0; c < t->columns; c++)
    for (int k = 0; k < t->columns; k++) {
      const bool alike = strcmp(tn_sim_column_unit(sim, c), tn_sim_column_unit(sim, k)) == 0;
      y->scale[c] = fmax(y->scale[c], c == k ? range[k] : alike ? 1e-3 * range[k] : 0);
    }
  free(range);
}

/* the largest difference of a column of two tables; infinite where rows or times do not fit */
static double column_off(const yardstick *y, int c, const ref_table *a, const ref_table *b, double t_unit) {
  const int ca = ref_column(a, y->run.name[c]), cb = ref_column(b, y->run.name[c]), rows = rows_of(y);
  double worst = ca < 0 || cb < 0 || a->rows < rows || b->rows < rows ? INFINITY : 0;
  for (int i = 0; isfinite(worst) && i < rows; i++) {
    const double x = at(a, i, ca), z = at(b, i, cb);
    const bool same_time = fabs(b->t[i] / t_unit - a->t[i]) <= 1e-6 * y->until;
    if (isnan(x) && isnan(z)) continue; /* an output that has no value here, in either */
    worst = same_time && !isnan(x - z) ? fmax(worst, fabs(x - z)) : INFINITY;
  }
  return worst;
}

static bool run_at(tn_model *model, double rtol, double atol, ref_table *table) {
  model->run.rtol = rtol;
  model->run.atol = atol;
  return ref_run(model, table, NULL);
}

/* the errors of a run into `own`; false: one is so large that nothing can be compared with it */
static bool add_errors(yardstick *y, const ref_table *run, const ref_table *tight) {
  for (int c = 0; c < y->run.columns; c++) {
    y->own[c] = fmax(y->own[c], column_off(y, c, run, tight, 1));
    if (y->own[c] <= USELESS * y->scale[c]) continue;
    printf("%s is off by %.1g of its scale\n", y->run.name[c], y->own[c] / y->scale[c]);
    return false;
  }
  return true;
}

bool yardstick_make(yardstick *y, tn_model *model, double until) {
  static const double factors[] = {0.5, 0.6, 0.7, 0.85, 1.2, 1.4, 1.7, 2};
  const double rtol = model->run.rtol, atol = model->run.atol;
  ref_table tight = {0};
  tn_sim *sim;
  tn_error e;
  *y = (yardstick){.rtol = rtol, .until = until};
  if (tn_sim_new(model, &sim, &e) != TN_OK) return false;
  bool good = ref_run_on(sim, &y->run);
  if (good) find_scales(y, sim);
  tn_sim_free(sim);
  y->own = numbers(y->run.columns);
  good = good && run_at(model, 0.01 * rtol, 0.01 * atol, &tight) && add_errors(y, &y->run, &tight);
  for (size_t i = 0; good && i < sizeof factors / sizeof *factors; i++) {
    ref_table run = {0};
    good = run_at(model, factors[i] * rtol, factors[i] * atol, &run) && add_errors(y, &run, &tight);
    ref_table_free(&run);
  }
  ref_table_free(&tight);
  return good;
}

void yardstick_free(yardstick *y) {
  ref_table_free(&y->run);
  free(y->scale);
  free(y->own);
  *y = (yardstick){0};
}

void yardstick_judge(const yardstick *y, tn_model *other, double t_unit, judge *j, const char *name) {
  ref_table run = {0};
  const bool ok = other && ref_run(other, &run, NULL);
  double worst = -1, off = INFINITY, allowed = 1;
  char output[160] = "none, the run failed";
  for (int c = 0; ok && c < y->run.columns; c++) {
    const double d = column_off(y, c, &y->run, &run, t_unit);
    const double may = fmax(fmax(TOLERANCES * y->rtol, y->roundoff) * y->scale[c], OWN_ERRORS * y->own[c]),
                 ratio = d > 0 ? d / may : 0;
    if (!(ratio > worst)) continue;
    worst = ratio;
    off = d;
    allowed = may;
    snprintf(output, sizeof output, "%s (scale %.2g, own error %.1g)", y->run.name[c], y->scale[c], y->own[c]);
  }
  judge_case(j, name, output, off, allowed);
  ref_table_free(&run);
  tn_model_free(other);
}
