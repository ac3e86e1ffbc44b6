/* a sweep as CSV, as JSON, as text; and what comes of all of it. nothing here depends on when or where a run was made. */
#include "study/study.h"

#include <stdlib.h>

enum { MOST_REASONS = 3 };

/* ---- CSV -------------------------------------------------------------------------------------------------------------------- */

static void field(tn_printer *p, const char *text) {
  if (!p->failed) p->failed = !tn_csv_text(text, false, p->write, p->user);
}

/* all digits; nothing where there is no number */
static void number(tn_printer *p, double x) {
  char digits[32];
  if (isfinite(x)) {
    tn_json_digits(x, digits);
    tn_put(p, "%s", digits);
  } else if (!isnan(x)) {
    tn_put(p, x > 0 ? "inf" : "-inf");
  }
}

static void given_fields(tn_printer *p, const tn_sweep *s, int run) {
  tn_given given[TN_MOST_AXES];
  tn_sweep_given(s, run, given);
  tn_put(p, "%d", run + 1);
  for (int k = 0; k < s->axes; k++) {
    const char *text = tn_given_text(&given[k]);
    double number;
    tn_put(p, ",");
    if (tn_json_number(text, strlen(text), &number))
      tn_put(p, "%s", text);
    else
      field(p, text);
  }
}

static void head(tn_printer *p, const tn_sweep *s) {
  tn_put(p, "run");
  for (int k = 0; k < s->axes; k++) {
    tn_put(p, ",");
    field(p, s->axis[k].name);
  }
}

tn_status tn_sweep_plan(const tn_sweep *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "sweep");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  head(p, s);
  tn_put(p, "\n");
  for (int i = 0; i < s->runs && !p->failed; i++) {
    given_fields(p, s, i);
    tn_put(p, "\n");
  }
  return p->failed ? TN_E_IO : TN_OK;
}

static void sensitivities_csv(tn_printer *p, const tn_sweep *s) {
  tn_sensitivity d;
  tn_put(p, "parameter,measure,at,step,value,derivative,error,failure\n");
  for (int i = 0; tn_sweep_sensitivity(s, i, &d); i++) {
    const double values[] = {d.at, d.step, d.value, d.derivative, d.error};
    field(p, d.parameter);
    tn_put(p, ",");
    field(p, d.measure);
    for (int k = 0; k < 5; k++) {
      tn_put(p, ",");
      number(p, values[k]);
    }
    tn_put(p, ",");
    field(p, d.failure ? d.failure : "");
    tn_put(p, "\n");
  }
}

tn_status tn_sweep_csv(const tn_sweep *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "sweep");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  tn_sweep_row row;
  if (s->sensitivity) {
    sensitivities_csv(p, s);
    return p->failed ? TN_E_IO : TN_OK;
  }
  head(p, s);
  for (int k = 0; k < s->study.measures; k++) {
    tn_put(p, ",");
    field(p, s->study.measure[k].name);
  }
  tn_put(p, ",verdict,failure\n");
  for (int i = 0; tn_sweep_row_at(s, i, &row) && !p->failed; i++) {
    given_fields(p, s, i);
    for (int k = 0; k < s->study.measures; k++) {
      tn_put(p, ",");
      number(p, row.done ? row.values[k] : (double)NAN);
    }
    tn_put(p, ",%s,", row.done && !row.failure ? tn_run_verdict_name(row.verdict) : "");
    field(p, row.failure ? row.failure : row.done ? "" : "not run");
    tn_put(p, "\n");
  }
  return p->failed ? TN_E_IO : TN_OK;
}

/* ---- what comes of it ------------------------------------------------------------------------------------------------------- */

typedef struct tally {
  int n;
  double least, mean, deviation, largest, quantile[3]; /* 5, 50 and 95 in a hundred */
} tally;

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* of what is a number; `sorted` has room for all */
static tally tally_of(const tn_sweep *s, int measure, double *sorted) {
  static const double at[] = {0.05, 0.5, 0.95};
  tally t = {.least = NAN, .mean = NAN, .deviation = NAN, .largest = NAN, .quantile = {NAN, NAN, NAN}};
  double sum = 0, squares = 0;
  for (int i = 0; i < s->runs; i++) {
    const double x = s->value[(size_t)i * (size_t)s->study.measures + (size_t)measure];
    if (!s->done[i] || !isfinite(x)) continue;
    sorted[t.n++] = x;
    sum += x;
  }
  if (!t.n) return t;
  t.mean = sum / t.n;
  for (int i = 0; i < t.n; i++) squares += (sorted[i] - t.mean) * (sorted[i] - t.mean);
  if (t.n > 1) t.deviation = sqrt(squares / (t.n - 1));
  qsort(sorted, (size_t)t.n, sizeof *sorted, by_size);
  t.least = sorted[0];
  t.largest = sorted[t.n - 1];
  for (int k = 0; k < 3; k++) { /* straight lines between those in order */
    const double place = at[k] * (t.n - 1);
    const int i = (int)place, next = i + 1 < t.n ? i + 1 : i;
    t.quantile[k] = sorted[i] + (place - i) * (sorted[next] - sorted[i]);
  }
  return t;
}

typedef struct reason {
  const char *text;
  int first, runs;
} reason;

/* different reasons of failures, the first few; returns how many runs failed for others */
static int reasons_of(const tn_sweep *s, reason *r, int *n) {
  int others = 0;
  *n = 0;
  for (int i = 0; s->done && i < s->runs; i++) {
    int k = 0;
    if (!s->failure[i]) continue;
    while (k < *n && strcmp(r[k].text, s->failure[i]) != 0) k++;
    if (k < *n)
      r[k].runs++;
    else if (k < MOST_REASONS)
      r[(*n)++] = (reason){s->failure[i], i, 1};
    else
      others++;
  }
  return others;
}

static void failures_text(tn_printer *p, const tn_sweep *s) {
  reason r[MOST_REASONS];
  int n;
  const int others = reasons_of(s, r, &n);
  if (!s->failed) return;
  if (s->failed == s->runs && n == 1 && !others) {
    tn_put(p, "all %d runs failed alike: %s\n", s->runs, r[0].text);
    return;
  }
  tn_put(p, "%d of %d runs failed:\n", s->failed, s->runs);
  for (int i = 0; i < n; i++) {
    tn_put(p, "  run %d", r[i].first + 1);
    if (r[i].runs > 1) tn_put(p, " and %d more alike", r[i].runs - 1);
    tn_put(p, ": %s\n", r[i].text);
  }
  if (others) tn_put(p, "  and %d more, each with its reason in its row\n", others);
}

/* runs that reached their end, by verdict: a line, where there are any */
static void verdicts_text(tn_printer *p, const tn_sweep *s) {
  int n[TN_WRONG + 1];
  for (int v = TN_TRUSTED; v <= TN_WRONG; v++) n[v] = tn_sweep_count(s, (tn_run_verdict)v);
  if (s->failed < s->runs)
    tn_put(p, "verdicts: %d trusted, %d doubtful, %d wrong\n", n[TN_TRUSTED], n[TN_DOUBTFUL], n[TN_WRONG]);
}

static int width_of_names(const tn_sweep *s) {
  int width = 8;
  for (int k = 0; k < s->study.measures; k++) {
    const int n = (int)strlen(s->study.measure[k].name);
    if (n > width) width = n < 40 ? n : 40;
  }
  return width;
}

static void sensitivities_text(tn_printer *p, const tn_sweep *s) {
  tn_sensitivity d;
  int width = 9;
  for (int k = 0; k < s->axes; k++)
    if ((int)strlen(s->axis[k].name) > width) width = (int)strlen(s->axis[k].name);
  tn_put(p, "  %-*s %-*s %12s %12s %14s %10s\n", width, "parameter", width_of_names(s), "measure", "at", "value",
         "derivative", "error");
  for (int i = 0; tn_sweep_sensitivity(s, i, &d); i++) {
    tn_put(p, "  %-*s %-*s %12.6g %12.6g ", width, d.parameter, width_of_names(s), d.measure, d.at, d.value);
    if (d.failure)
      tn_put(p, "%s\n", d.failure);
    else
      tn_put(p, "%14.8g %10.2g\n", d.derivative, d.error);
  }
}

tn_status tn_sweep_summary(const tn_sweep *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "sweep");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  if (!s->done) return TN_E_USAGE;
  if (s->sensitivity) {
    sensitivities_text(p, s);
    verdicts_text(p, s);
    failures_text(p, s);
    return p->failed ? TN_E_IO : TN_OK;
  }
  double *sorted = tn_block_new(&s->study.arena.allocator, sizeof *sorted * (size_t)s->runs);
  if (!sorted) return TN_E_MEMORY;
  const int width = width_of_names(s);
  if (s->failed < s->runs)
    tn_put(p, "  %-*s %9s %11s %11s %11s %11s %11s %11s %11s\n", width, "measure", "runs", "least", "5 %", "median",
           "95 %", "largest", "mean", "deviation");
  for (int k = 0; k < s->study.measures && s->failed < s->runs; k++) {
    const tally t = tally_of(s, k, sorted);
    tn_put(p, "  %-*.40s %9d %11.5g %11.5g %11.5g %11.5g %11.5g %11.5g %11.5g\n", width, s->study.measure[k].name, t.n,
           t.least, t.quantile[0], t.quantile[1], t.quantile[2], t.largest, t.mean, t.deviation);
  }
  tn_block_free(&s->study.arena.allocator, sorted);
  verdicts_text(p, s);
  failures_text(p, s);
  return p->failed ? TN_E_IO : TN_OK;
}

tn_status tn_sweep_text(const tn_sweep *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "sweep");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  tn_sweep_row row;
  tn_given given[TN_MOST_AXES];
  int width[TN_MOST_AXES];
  if (!s->done) return TN_E_USAGE;
  if (*s->study.title) tn_put(p, "%s\n", s->study.title);
  if (s->sensitivity || s->failed == s->runs) return p->failed ? TN_E_IO : tn_sweep_summary(s, write, user);
  tn_put(p, "  %7s", "run");
  for (int k = 0; k < s->axes; k++) {
    width[k] = (int)strlen(s->axis[k].name) > 12 ? (int)strlen(s->axis[k].name) : 12;
    tn_put(p, " %*s", width[k], s->axis[k].name);
  }
  for (int k = 0; k < s->study.measures; k++) tn_put(p, " %14s", s->study.measure[k].name);
  tn_put(p, "\n");
  for (int i = 0; tn_sweep_row_at(s, i, &row) && !p->failed; i++) {
    tn_sweep_given(s, i, given);
    tn_put(p, "  %7d", i + 1);
    for (int k = 0; k < s->axes; k++) {
      if (given[k].text)
        tn_put(p, " %*s", width[k], given[k].text);
      else
        tn_put(p, " %*.8g", width[k], given[k].number);
    }
    if (row.failure) tn_put(p, "  %s", row.failure);
    for (int k = 0; k < s->study.measures && row.done && !row.failure; k++) {
      const int column = (int)strlen(s->study.measure[k].name) > 14 ? (int)strlen(s->study.measure[k].name) : 14;
      if (isnan(row.values[k]))
        tn_put(p, " %*s", column, "-");
      else
        tn_put(p, " %*.8g", column, row.values[k]);
    }
    tn_put(p, "\n");
  }
  tn_put(p, "\n");
  return p->failed ? TN_E_IO : tn_sweep_summary(s, write, user);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------------- */

static void row_json(tn_json *j, const tn_sweep *s, int run) {
  tn_given given[TN_MOST_AXES];
  tn_sweep_row row;
  tn_sweep_given(s, run, given);
  tn_sweep_row_at(s, run, &row);
  tn_json_open(j, NULL, "{-");
  tn_json_whole(j, "run", run + 1);
  tn_json_open(j, "given", "{-");
  for (int k = 0; k < s->axes; k++) {
    if (given[k].text)
      tn_json_text(j, given[k].name, given[k].text);
    else
      tn_json_real(j, given[k].name, given[k].number);
  }
  tn_json_close(j);
  if (row.failure || !row.done) {
    tn_json_text(j, "failure", row.failure ? row.failure : "not run");
  } else {
    tn_json_open(j, "values", "{-");
    for (int k = 0; k < s->study.measures; k++) tn_json_real(j, s->study.measure[k].name, row.values[k]);
    tn_json_close(j);
    tn_json_text(j, "verdict", tn_run_verdict_name(row.verdict));
  }
  tn_json_close(j);
}

static void sensitivity_json(tn_json *j, const tn_sensitivity *d) {
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "parameter", d->parameter);
  tn_json_text(j, "measure", d->measure);
  tn_json_real(j, "at", d->at);
  tn_json_real(j, "step", d->step);
  tn_json_real(j, "value", d->value);
  tn_json_real(j, "derivative", d->derivative);
  tn_json_real(j, "error", d->error);
  if (d->failure) tn_json_text(j, "failure", d->failure);
  tn_json_close(j);
}

static bool tallies_json(tn_json *j, const tn_sweep *s) {
  double *sorted = tn_block_new(&s->study.arena.allocator, sizeof *sorted * (size_t)s->runs);
  if (!sorted) return false;
  tn_json_open(j, "summary", "{");
  for (int k = 0; k < s->study.measures; k++) {
    const tally t = tally_of(s, k, sorted);
    tn_json_open(j, s->study.measure[k].name, "{-");
    tn_json_whole(j, "runs", t.n);
    tn_json_real(j, "least", t.least);
    tn_json_reals(j, "quantiles", 3, t.quantile);
    tn_json_real(j, "largest", t.largest);
    tn_json_real(j, "mean", t.mean);
    tn_json_real(j, "deviation", t.deviation);
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_block_free(&s->study.arena.allocator, sorted);
  return true;
}

bool tn_sweep_members(tn_json *j, const tn_sweep *s) {
  tn_sensitivity d;
  tn_json_text(j, "title", s->study.title);
  tn_json_text(j, "kind", s->sensitivity ? "sensitivity" : "table");
  tn_json_text(j, "version", tn_version());
  tn_json_text(j, "fingerprint", s->fingerprint);
  tn_json_whole(j, "runs", s->runs);
  tn_json_whole(j, "failed", s->failed);
  tn_json_open(j, "verdicts", "{-");
  for (int v = TN_TRUSTED; v <= TN_WRONG; v++)
    tn_json_whole(j, tn_run_verdict_name((tn_run_verdict)v), tn_sweep_count(s, (tn_run_verdict)v));
  tn_json_close(j);
  if (s->samples) {
    tn_json_whole(j, "samples", s->samples);
    tn_json_whole(j, "seed", (int64_t)s->seed);
  }
  if (!s->sensitivity) return tallies_json(j, s);
  tn_json_open(j, "sensitivities", "[");
  for (int i = 0; tn_sweep_sensitivity(s, i, &d); i++) sensitivity_json(j, &d);
  tn_json_close(j);
  return true;
}

tn_status tn_sweep_json(const tn_sweep *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "sweep");
  TN_NEED(NULL, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  if (!s->done) return TN_E_USAGE;
  tn_json_open(j, NULL, "{");
  const bool good = tn_sweep_members(j, s);
  tn_json_open(j, "rows", "[");
  for (int i = 0; i < s->runs && !j->failed; i++) row_json(j, s, i);
  tn_json_close(j);
  tn_json_close(j);
  return !good ? TN_E_MEMORY : j->failed ? TN_E_IO : TN_OK;
}
