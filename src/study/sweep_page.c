/* a sweep as one HTML file that needs nothing else: what viewer/src/study_data.ts says. of very many runs every k-th is shown. */
#include "study/study.h"

enum { MOST_SHOWN = 5000, MOST_FAILURES = 200 };

/* curves and clouds are looked at: nine digits will do */
static void some_digits(tn_json *j, double x) {
  char digits[32];
  double value = x;
  if (isfinite(x)) tn_json_number(digits, (size_t)tn_format(digits, sizeof digits, "%.9g", x), &value);
  tn_json_real(j, NULL, value);
}

static void parameters(tn_json *j, const tn_sweep *s, int by) {
  tn_given given[TN_MOST_AXES];
  tn_json_open(j, "parameters", "[");
  for (int k = 0; k < s->axes; k++) {
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "name", s->axis[k].name);
    tn_json_bool(j, "log", s->axis[k].log || s->axis[k].kind == TN_AXIS_LOG_UNIFORM);
    tn_json_open(j, "values", "[-");
    for (int i = 0; i < s->runs; i += by) {
      tn_sweep_given(s, i, given);
      if (given[k].text)
        tn_json_text(j, NULL, given[k].text);
      else
        some_digits(j, given[k].number);
    }
    tn_json_close(j);
    tn_json_close(j);
  }
  tn_json_close(j);
}

static void measures(tn_json *j, const tn_sweep *s, int by) {
  const int n = s->study.measures;
  tn_json_open(j, "measures", "[");
  for (int k = 0; k < n; k++) {
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "name", s->study.measure[k].name);
    tn_json_open(j, "values", "[-");
    for (int i = 0; i < s->runs; i += by) some_digits(j, s->value[(size_t)i * (size_t)n + (size_t)k]);
    tn_json_close(j);
    tn_json_close(j);
  }
  tn_json_close(j);
}

static void failures(tn_json *j, const tn_sweep *s) {
  int told = 0;
  tn_json_open(j, "failures", "[");
  for (int i = 0; i < s->runs && told < MOST_FAILURES; i++) {
    if (!s->failure[i]) continue;
    told++;
    tn_json_open(j, NULL, "[-");
    tn_json_whole(j, NULL, i + 1);
    tn_json_text(j, NULL, s->failure[i]);
    tn_json_close(j);
  }
  tn_json_close(j);
}

tn_status tn_sweep_page(const tn_sweep *s, const char *command, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, s, "sweep");
  TN_NEED(error, command, "command");
  TN_NEED(error, write, "write");
  tn_error spare, *e = error ? error : &spare;
  const int by = 1 + (s->runs - 1) / MOST_SHOWN;
  char title[256];
  tn_page page;
  tn_error_clear(e);
  if (!s->done) return tn_fail(e, TN_E_USAGE, "the sweep has not been run");
  tn_format(title, sizeof title, "%.250s", *s->study.title ? s->study.title : "A sweep");
  TN_TRY(tn_page_begin(&page, write, user, "study", s->study.folder, title, e));
  tn_json *j = tn_page_data(&page);
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "kind", "sweep");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "command", command);
  tn_json_text(j, "text", s->text);
  tn_json_whole(j, "by", by);
  tn_json_open(j, "sweep", "{");
  const bool good = tn_sweep_members(j, s);
  tn_json_close(j);
  parameters(j, s, by);
  measures(j, s, by);
  failures(j, s);
  tn_json_close(j);
  tn_page_data_end(&page);
  return good ? tn_page_end(&page, e) : tn_out_of_memory(e);
}
