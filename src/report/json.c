/* the summary as one JSON object. */
#include "report/report.h"

#include <stdio.h>

void tn_put(tn_printer *p, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n >= (int)sizeof text) n = (int)sizeof text - 1;
  if (!p->failed && n > 0) p->failed = !p->write(p->user, text, (size_t)n);
}

/* paths and names may hold anything: what is not UTF-8 becomes a question mark */
static void quoted(tn_printer *p, const char *s) {
  tn_put(p, "\"");
  for (; *s; s++) {
    const unsigned char c = (unsigned char)*s;
    if (c >= 0x80) {
      const int n = tn_utf8(s, strlen(s));
      tn_put(p, "%.*s", n > 0 ? n : 1, n > 0 ? s : "?");
      s += n > 0 ? n - 1 : 0;
      continue;
    }
    if (c == '"' || c == '\\')
      tn_put(p, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      tn_put(p, "\\u%04x", c);
    else
      tn_put(p, "%c", c);
  }
  tn_put(p, "\"");
}

static void text(tn_printer *p, const char *key, const char *value) {
  tn_put(p, "  \"%s\": ", key);
  quoted(p, value);
  tn_put(p, ",\n");
}

static void number(tn_printer *p, const char *key, double value) {
  char digits[40];
  if (!isfinite(value)) {
    tn_put(p, "  \"%s\": null,\n", key);
    return;
  }
  tn_text_of(value, digits);
  tn_put(p, "  \"%s\": %s,\n", key, digits);
}

static void whole(tn_printer *p, const char *key, long value) { tn_put(p, "  \"%s\": %ld,\n", key, value); }

static const char *ending(tn_status status) {
  switch (status) {
  case TN_OK: return "done";
  case TN_E_MODEL: return "refused";
  case TN_E_RUN: return "stopped";
  default: return "failed";
  }
}

tn_status tn_report_failure(const tn_error *e, const char *model_name, tn_write write, void *user) {
  tn_printer printer = {write, user, false}, *p = &printer;
  char message[1600];
  tn_error_text(e, message, sizeof message);
  tn_put(p, "{\n");
  text(p, "tenon", TN_VERSION);
  text(p, "model", model_name);
  text(p, "status", ending(e->status));
  tn_put(p, "  \"message\": ");
  quoted(p, message);
  tn_put(p, "\n}\n");
  return p->failed ? TN_E_IO : TN_OK;
}

tn_status tn_report_json(const tn_sim *s, const char *model_name, tn_write write, void *user) {
  tn_printer printer = {write, user, false}, *p = &printer;
  const tn_summary *r = &s->summary;
  const tn_model *m = s->m;
  char digits[40];
  tn_put(p, "{\n");
  text(p, "tenon", TN_VERSION);
  text(p, "model", model_name);
  text(p, "method", m->run.method);
  text(p, "formulation", m->run.formulation.text);
  tn_put(p, "  \"stabilizers\": [");
  for (int i = 0; i < m->run.stabilizers; i++) {
    if (i) tn_put(p, ", ");
    quoted(p, m->run.stabilizer[i].text);
  }
  tn_put(p, "],\n");
  text(p, "integrator", m->run.integrator->name);
  if (m->run.fixed) {
    number(p, "step", m->run.step);
  } else {
    number(p, "rtol", m->run.rtol);
    number(p, "atol", m->run.atol);
  }
  number(p, "t_end", r->t_end);
  whole(p, "steps", r->steps);
  whole(p, "rejected", r->rejected);
  whole(p, "rhs", r->rhs);
  whole(p, "factorizations", r->factorizations);
  number(p, "max_position_violation", r->max_position_violation);
  number(p, "max_velocity_violation", r->max_velocity_violation);
  text(p, "worst_joint", r->worst_joint);
  number(p, "worst_time", r->worst_time);
  number(p, "energy_balance", r->energy_balance);
  tn_put(p, "  \"contract\": {\"position\": ");
  tn_text_of(m->run.contract_position, digits);
  tn_put(p, "%s, \"velocity\": ", digits);
  tn_text_of(m->run.contract_velocity, digits);
  tn_put(p, "%s, \"breach\": \"%s\", \"kept\": %s", digits, m->run.breach_stops ? "stop" : "record",
         r->contract_kept ? "true" : "false");
  if (!r->contract_kept) {
    tn_put(p, ", \"broken\": ");
    quoted(p, r->contract_text);
  }
  tn_put(p, "},\n");
  whole(p, "degrees_of_freedom", r->degrees_of_freedom);
  whole(p, "redundant_rows", r->redundant_rows);
  number(p, "inconsistency", r->inconsistency);
  tn_put(p, "  \"events\": [");
  for (int i = 0; i < s->events; i++) {
    tn_text_of(s->event[i].t, digits);
    tn_put(p, "%s\n    {\"t\": %s, \"kind\": \"%s\", \"text\": ", i ? "," : "", digits, s->event[i].kind);
    quoted(p, s->event[i].text);
    tn_put(p, "}");
  }
  tn_put(p, s->events ? "\n  ],\n" : "],\n");
  number(p, "cpu_seconds", r->cpu_seconds);
  number(p, "time_assemble", r->time_assemble);
  number(p, "time_solve", r->time_solve);
  number(p, "time_project", r->time_project);
  text(p, "status", ending(r->status));
  tn_put(p, "  \"message\": ");
  quoted(p, r->message);
  tn_put(p, "\n}\n");
  return p->failed ? TN_E_IO : TN_OK;
}
