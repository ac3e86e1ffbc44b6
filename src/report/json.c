/* the summary as one JSON object. */
#include "report/report.h"

static const char *ending(tn_status status) {
  switch (status) {
  case TN_OK: return "done";
  case TN_E_MODEL: return "refused";
  case TN_E_RUN: return "stopped";
  case TN_E_STOPPED: return "interrupted";
  default: return "failed";
  }
}

/* where an error is, for editors and other programs */
static void place(tn_json *j, const tn_error *e) {
  tn_json_text(j, "message", e->message);
  if (*e->hint) tn_json_text(j, "hint", e->hint);
  if (*e->pointer) tn_json_text(j, "pointer", e->pointer);
  if (*e->file) tn_json_text(j, "file", e->file);
  if (e->line > 0) {
    tn_json_whole(j, "line", e->line);
    tn_json_whole(j, "column", e->column);
  }
}

tn_status tn_report_failure(const tn_error *e, const char *model_name, tn_write write, void *user) {
  TN_NEED(NULL, e, "error");
  TN_NEED(NULL, model_name, "model_name");
  TN_NEED(NULL, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "model", model_name);
  tn_json_text(j, "status", ending(e->status));
  place(j, e);
  tn_json_close(j);
  return j->failed ? TN_E_IO : TN_OK;
}

void tn_report_warnings(tn_json *j, const tn_model *m) {
  tn_json_open(j, "warnings", "[");
  for (int i = 0; i < m->warnings; i++) {
    tn_json_open(j, NULL, "{");
    place(j, m->warning[i]);
    tn_json_close(j);
  }
  tn_json_close(j);
  if (m->warnings_more) tn_json_whole(j, "warnings_more", m->warnings_more);
}

void tn_report_settings(tn_json *j, const tn_model *m) {
  const tn_run *r = &m->run;
  tn_json_text(j, "method", r->method);
  tn_json_text(j, "formulation", r->formulation.text);
  tn_json_open(j, "stabilizers", "[-");
  for (int i = 0; i < r->stabilizers; i++) tn_json_text(j, NULL, r->stabilizer[i].text);
  tn_json_close(j);
  tn_json_text(j, "integrator", r->integrator->name);
  if (r->fixed) {
    tn_json_real(j, "step", r->step);
  } else {
    tn_json_real(j, "rtol", r->rtol);
    if (r->atol > 0)
      tn_json_real(j, "atol", r->atol);
    else
      tn_json_null(j, "atol", "not given");
  }
  tn_json_real(j, "until", r->until);
  tn_json_real(j, "every", r->every);
}

/* where the rows lost rank on the way */
static void singular_positions(tn_json *j, const tn_sim *s) {
  tn_json_text(j, "at_singularity", s->m->run.singular_stops ? "stop" : "pass");
  tn_json_open(j, "singular_positions", "[");
  for (int i = 0; i < s->singular.count; i++) {
    const tn_singular *p = &s->singular.found[i];
    tn_json_open(j, NULL, "{-");
    tn_json_real(j, "t", p->t);
    tn_json_real(j, "rho", p->rho);
    tn_json_open(j, "joints", "[");
    for (int k = 0; k < p->joints; k++) tn_json_text(j, NULL, s->m->joint[p->joint[k]].name);
    tn_json_close(j);
    if (p->more) tn_json_bool(j, "more_joints", true);
    tn_json_text(j, "where",
                 p->kind == TN_SINGULAR_START   ? "start"
                 : p->kind == TN_SINGULAR_STAYS ? "from here on"
                                                : "passed");
    if (isnan(p->change)) {
      tn_json_null(j, "velocity_change", "the run stopped here");
    } else {
      tn_json_real(j, "velocity_change", p->change);
      tn_json_bool(j, "same_branch", p->smooth);
    }
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_whole(j, "singular_positions_more", s->summary.singular_positions - s->singular.count);
  if (s->singular.nearest_rho < 1) {
    tn_json_real(j, "nearest_rho", s->singular.nearest_rho);
    tn_json_real(j, "nearest_time", s->singular.nearest_time);
  } else {
    tn_json_null(j, "nearest_rho", "no step came near a singular position");
    tn_json_null(j, "nearest_time", "no step came near a singular position");
  }
}

enum { MOST_DRIFTS = 1000 };

/* joint by joint, in the order of the file; of very many the first */
static void drift(tn_json *j, const tn_sim *s) {
  tn_drift d;
  int listed = 0, more = 0;
  tn_json_open(j, "drift", "[");
  for (int i = 0; tn_sim_drift(s, i, &d); i++) {
    if (!d.rows) continue;
    if (listed++ >= MOST_DRIFTS) {
      more++;
      continue;
    }
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "joint", d.joint);
    tn_json_real(j, "position_max", d.position_max);
    tn_json_real(j, "position_rms", d.position_rms);
    tn_json_real(j, "velocity_max", d.velocity_max);
    tn_json_real(j, "velocity_rms", d.velocity_rms);
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_whole(j, "drift_more", more);
}

/* events of the model: how often; and impulses */
static void happenings(tn_json *j, const tn_sim *s) {
  tn_fired f;
  tn_impulse p;
  tn_json_open(j, "fired", "[");
  for (int i = 0; tn_sim_fired(s, i, &f); i++) {
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "event", f.event);
    tn_json_whole(j, "count", f.count);
    if (f.count) {
      tn_json_real(j, "first", f.first);
      tn_json_real(j, "last", f.last);
    } else {
      tn_json_null(j, "first", "it did not happen");
      tn_json_null(j, "last", "it did not happen");
    }
    tn_json_real(j, "energy_lost", f.energy_lost);
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_open(j, "impulses", "[");
  for (int i = 0; tn_sim_impulse(s, i, &p); i++) {
    tn_json_open(j, NULL, "{-");
    tn_json_real(j, "t", p.t);
    tn_json_text(j, "joint", p.joint);
    if (p.event) tn_json_text(j, "event", p.event);
    tn_json_open(j, "impulse", "[-");
    for (int k = 0; k < s->m->wrench; k++) tn_json_real(j, NULL, p.wrench[k]);
    tn_json_close(j);
    tn_json_real(j, "energy_lost", p.energy_lost);
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_whole(j, "impulses_all", s->summary.impulses);
}

/* a number that is none is null: whether it is one stands beside it */
static void balance(tn_json *j, const tn_summary *r) {
  tn_json_real(j, "energy_balance", r->energy_balance);
  tn_json_bool(j, "energy_balance_finite", isfinite(r->energy_balance));
  if (*r->balance_part)
    tn_json_text(j, "balance_part", r->balance_part);
  else
    tn_json_null(j, "balance_part", "the whole model");
  tn_json_whole(j, "balance_bodies", r->balance_bodies);
  tn_json_real(j, "balance_kinetic", r->balance_kinetic);
}

static void bad_outputs(tn_json *j, const tn_sim *s) {
  tn_bad_output x;
  tn_json_open(j, "bad_outputs", "[");
  for (int i = 0; tn_sim_bad_output(s, i, &x); i++) {
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "name", x.name);
    tn_json_real(j, "first", x.first);
    tn_json_whole(j, "rows", x.rows);
    tn_json_close(j);
  }
  tn_json_close(j);
}

typedef struct list {
  tn_json *json;
  bool reasons; /* which are wanted */
} list;

/* the log, the warnings and the time of the processor have members of their own, with more in them */
static bool fact(void *user, const tn_run_fact *f) {
  const list *l = user;
  tn_json *j = l->json;
  if ((f->severity != TN_TRUSTED) != l->reasons || f->about == TN_ABOUT_LOG || f->about == TN_ABOUT_MODEL ||
      strcmp(f->key, TN_FACT_CPU) == 0)
    return true;
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "key", f->key);
  tn_json_real(j, "value", f->value);
  if (isnan(f->limit))
    tn_json_null(j, "limit", "there is none");
  else
    tn_json_real(j, "limit", f->limit);
  tn_json_text(j, "unit", f->unit);
  tn_json_text(j, "severity", tn_run_verdict_name(f->severity));
  tn_json_text(j, "about", tn_fact_about_name(f->about));
  if (f->timed) tn_json_real(j, "t", f->t);
  tn_json_text(j, "sentence", f->sentence);
  tn_json_close(j);
  return true;
}

/* the verdict, its reasons, and all other facts */
static void verdict(tn_json *j, const tn_sim *s) {
  tn_json_text(j, "verdict", tn_run_verdict_name(s->summary.verdict));
  for (int good = 0; good < 2; good++) {
    list l = {j, !good};
    tn_json_open(j, good ? "facts" : "reasons", "[");
    tn_facts_of(s, fact, &l);
    tn_json_close(j);
  }
}

tn_status tn_report_json(const tn_sim *s, const char *model_name, tn_write write, void *user) {
  TN_NEED(NULL, s, "sim");
  TN_NEED(NULL, model_name, "model_name");
  TN_NEED(NULL, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  const tn_summary *r = &s->summary;
  const tn_model *m = s->m;
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "model", model_name);
  verdict(j, s);
  tn_report_settings(j, m);
  tn_json_real(j, "t_end", r->t_end);
  tn_json_whole(j, "steps", r->steps);
  tn_json_whole(j, "rejected", r->rejected);
  tn_json_whole(j, "rhs", r->rhs);
  tn_json_whole(j, "jacobians", r->jacobians);
  tn_json_whole(j, "jacobian_rhs", r->jacobian_rhs);
  tn_json_whole(j, "decompositions", r->decompositions);
  tn_json_whole(j, "iterations", r->iterations);
  tn_json_whole(j, "set_changes", r->set_changes);
  tn_json_whole(j, "switches", r->switches);
  tn_json_whole(j, "factorizations", r->factorizations);
  tn_json_whole(j, "guard_calls", r->guard_calls);
  tn_json_real(j, "max_position_violation", r->max_position_violation);
  tn_json_real(j, "max_velocity_violation", r->max_velocity_violation);
  if (*r->worst_joint) {
    tn_json_text(j, "worst_joint", r->worst_joint);
    tn_json_real(j, "worst_time", r->worst_time);
  } else {
    tn_json_null(j, "worst_joint", "no row was ever off");
    tn_json_null(j, "worst_time", "no row was ever off");
  }
  balance(j, r);
  tn_json_real(j, "max_kinetic", r->max_kinetic);
  tn_json_real(j, "stabilizer_work", r->stabilizer_work);
  bad_outputs(j, s);
  if (m->run.fixed)
    tn_json_null(j, "local_errors", "fixed steps have no error estimate");
  else
    tn_json_real(j, "local_errors", r->local_errors);
  tn_json_bool(j, "long_run", tn_sim_is_long(s));
  drift(j, s);
  tn_json_open(j, "contract", "{-");
  tn_json_real(j, "position", m->run.contract_position);
  tn_json_real(j, "velocity", m->run.contract_velocity);
  tn_json_text(j, "breach", m->run.breach_stops ? "stop" : "record");
  tn_json_bool(j, "kept", r->contract_kept);
  if (!r->contract_kept) tn_json_text(j, "broken", r->contract_text);
  tn_json_close(j);
  tn_json_whole(j, "degrees_of_freedom", r->degrees_of_freedom);
  tn_json_whole(j, "redundant_rows", r->redundant_rows);
  tn_json_real(j, "inconsistency", r->inconsistency);
  singular_positions(j, s);
  tn_record_channels(j, m);
  tn_report_warnings(j, m);
  tn_json_open(j, "events", "[");
  for (int i = 0; i < s->log.events; i++) {
    tn_json_open(j, NULL, "{-");
    tn_json_real(j, "t", s->log.event[i].t);
    tn_json_text(j, "kind", s->log.event[i].kind);
    tn_json_text(j, "text", s->log.event[i].text);
    tn_json_close(j);
  }
  tn_json_close(j);
  happenings(j, s);
  tn_json_real(j, "cpu_seconds", r->cpu_seconds);
  tn_json_real(j, "cpu_assemble", r->cpu_assemble);
  tn_json_real(j, "cpu_solve", r->cpu_solve);
  tn_json_real(j, "cpu_project", r->cpu_project);
  if (s->output.addition.json) s->output.addition.json(s->output.addition.self, j);
  tn_json_text(j, "status", ending(r->status));
  tn_json_text(j, "message", r->message);
  tn_json_close(j);
  return j->failed ? TN_E_IO : TN_OK;
}
