/* the summary for people: what was run, how good it is, what it cost, how to repeat it. */
#include "report/report.h"

/* of the accelerations: redundant rows that contradict each other by more are reported */
static const double CONTRADICTION = 1e-9;

/* the verdict and its reasons: the first line and those behind it */
static void verdict(tn_printer *p, const tn_sim *s) {
  tn_run_fact f;
  tn_put(p, "verdict: %s\n", tn_run_verdict_name(s->summary.verdict));
  for (int i = 0; tn_sim_fact(s, i, &f); i++)
    if (f.severity != TN_TRUSTED) tn_put(p, "  %s: %s\n", tn_run_verdict_name(f.severity), f.sentence);
}

/* facts within their limits */
static void facts(tn_printer *p, const tn_sim *s) {
  tn_run_fact f;
  for (int i = 0; tn_sim_fact(s, i, &f); i++)
    if (f.severity == TN_TRUSTED) tn_put(p, "  %s\n", f.sentence);
}

/* events of the model and what impulses took */
static void happenings(tn_printer *p, const tn_sim *s) {
  tn_fired f;
  double lost = 0;
  int listed = 0, more = 0;
  for (int i = 0; tn_sim_fired(s, i, &f); i++) {
    lost += f.energy_lost;
    if (!f.count) continue;
    if (listed == 8) {
      more++;
      continue;
    }
    listed++;
    tn_put(p, "  event '%s': %" PRId64 " time%s, ", f.event, f.count, TN_S(f.count));
    if (f.count > 1)
      tn_put(p, "from t = %.9g to %.9g s\n", f.first, f.last);
    else
      tn_put(p, "at t = %.9g s\n", f.first);
  }
  if (more) tn_put(p, "  and %d other event%s (--json lists them)\n", more, TN_S(more));
  if (s->summary.impulses)
    tn_put(p, "  velocities jumped %" PRId64 " time%s: impulses took %.6g J\n", s->summary.impulses,
           TN_S(s->summary.impulses), lost);
}

/* the first of the log. events of the model are left out: `happenings` has them */
static void log_of(tn_printer *p, const tn_sim *s) {
  enum { MOST = 8 };
  int listed = 0;
  for (int i = 0; i < s->log.events && listed < MOST; i++) {
    const tn_event *e = &s->log.event[i];
    if (strcmp(e->kind, "event") == 0) continue;
    tn_put(p, "  event at t = %.6g s, %s: %s\n", e->t, e->kind, e->text);
    listed++;
  }
  const int more = s->log.events - listed;
  if (more) tn_put(p, "  and %d event%s more (-v or --json lists them)\n", more, TN_S(more));
}

/* the first of them */
static void bad_outputs(tn_printer *p, const tn_sim *s) {
  enum { MOST = 5 };
  tn_bad_output x;
  for (int i = 0; i < MOST && tn_sim_bad_output(s, i, &x); i++)
    tn_put(p, "  output '%s' is not a finite number in %" PRId64 " row%s, first at t = %.6g s\n", x.name, x.rows,
           TN_S(x.rows), x.first);
  const int more = s->summary.bad_outputs - MOST;
  if (more > 0) tn_put(p, "  and %d other output%s (--json lists them)\n", more, TN_S(more));
}

static void long_run(tn_printer *p, const tn_sim *s) {
  const tn_summary *r = &s->summary;
  if (s->m->run.fixed)
    tn_put(p,
           "  long run: %" PRId64
           " fixed steps, whose errors nobody has estimated; `--verify` measures what they add up to\n",
           r->steps);
  else
    tn_put(p,
           "  long run: errors of steps add up to about %.1e of the motion; `--verify` measures what becomes of them\n",
           r->local_errors);
}

/* what inconsistency is measured in */
#define SCALED "each row divided by its length in the metric of the masses"

tn_status tn_report_text(const tn_sim *s, const char *model_name, tn_write write, void *user) {
  TN_NEED(NULL, s, "sim");
  TN_NEED(NULL, model_name, "model_name");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {write, user, false}, *p = &printer;
  const tn_summary *r = &s->summary;
  const tn_model *m = s->m;
  char settings[512];
  verdict(p, s);
  tn_put(p, "%s%s%s\n", model_name, *m->title ? ": " : "", m->title);
  tn_put(p, "  %d bod%s, %d coordinate%s, %d row%s, %d degree%s of freedom", m->bodies, m->bodies == 1 ? "y" : "ies",
         m->nq, TN_S(m->nq), m->rows, TN_S(m->rows), r->degrees_of_freedom, TN_S(r->degrees_of_freedom));
  if (r->redundant_rows) tn_put(p, ", %d redundant row%s", r->redundant_rows, r->redundant_rows == 1 ? "" : "s");
  tn_put(p, "\n");
  if (r->start_moves)
    tn_put(p, "  start assembled: %s moved most, by %.3g %s\n", r->start_move[0].name, fabs(r->start_move[0].by),
           r->start_move[0].unit);
  tn_model_settings(m, settings, sizeof settings);
  tn_put(p, "  method %s: %s\n", m->run.method, settings);
  tn_put(p,
         "  reached t = %.9g s in %" PRId64 " step%s (%" PRId64 " rejected), %" PRId64
         " right-hand sides, %.3g s of CPU\n",
         r->t_end, r->steps, TN_S(r->steps), r->rejected, r->rhs, r->cpu_seconds);
  if (r->jacobians)
    tn_put(p,
           "  implicit: %" PRId64 " iteration%s, %" PRId64 " Jacobian%s (%" PRId64 " of the right-hand sides), %" PRId64
           " decomposition%s\n",
           r->iterations, TN_S(r->iterations), r->jacobians, TN_S(r->jacobians), r->jacobian_rhs, r->decompositions,
           TN_S(r->decompositions));
  if (r->set_changes)
    tn_put(p, "  other coordinates or speeds became independent %" PRId64 " time%s\n", r->set_changes,
           TN_S(r->set_changes));
  if (r->switches)
    tn_put(p, "  %" PRId64 " switch%s of piecewise functions\n", r->switches, r->switches == 1 ? "" : "es");
  happenings(p, s);
  facts(p, s);
  if (r->guard_calls)
    tn_put(p, "  a bound was exceeded and the state corrected %" PRId64 " time%s\n", r->guard_calls,
           TN_S(r->guard_calls));
  bad_outputs(p, s);
  if (tn_sim_is_long(s) && !s->output.addition.text) long_run(p, s);
  if (r->redundant_rows)
    tn_put(p, "  redundant rows share their load in more than one way: reactions are %s\n",
           m->large ? "the smallest that do" : "as equally stiff joints would share it");
  const tn_formulation_type *formulation = m->run.formulation.type;
  if (formulation->inexact)
    tn_put(p, "  %s leaves rows off by up to %.2e in acceleration, " SCALED "\n", formulation->name, r->inconsistency);
  else if (r->inconsistency > CONTRADICTION)
    tn_put(p, "  redundant rows contradict each other by up to %.2e in acceleration, " SCALED "\n", r->inconsistency);
  if (r->singular_positions > 1)
    tn_put(p, "  singular positions on the way, where rows become dependent: %" PRId64 ", from t = %.6g to %.6g s\n",
           r->singular_positions, s->singular.found[0].t, s->singular.found[s->singular.count - 1].t);
  log_of(p, s);
  for (int i = 0; i < m->warnings && i < 3; i++) {
    char text[1600];
    tn_error_text(m->warning[i], text, sizeof text);
    tn_put(p, "  warning: %s\n", text);
  }
  const int more = m->warnings > 3 ? m->warnings - 3 + m->warnings_more : 0;
  if (more) tn_put(p, "  and %d warning%s more: tenon check\n", more, TN_S(more));
  if (s->output.addition.text && s->output.addition.text(s->output.addition.self, write, user) != TN_OK)
    p->failed = true;
  if (s->happening.ended >= 0) tn_put(p, "  %s\n", r->message);
  if (r->status != TN_OK) tn_put(p, "  %s: %s\n", r->status == TN_E_STOPPED ? "interrupted" : "stopped", r->message);
  return p->failed ? TN_E_IO : TN_OK;
}
