/* the summary for people: what was run, how good it is, what it cost, how to repeat it. */
#include "report/report.h"

tn_status tn_report_text(const tn_sim *s, const char *model_name, tn_write write, void *user) {
  tn_printer printer = {write, user, false}, *p = &printer;
  const tn_summary *r = &s->summary;
  const tn_model *m = s->m;
  char settings[512];
  if (!r->contract_kept) tn_put(p, "%s\n", r->contract_text);
  tn_put(p, "%s%s%s\n", model_name, *m->title ? ": " : "", m->title);
  tn_put(p, "  %d bodies, %d coordinates, %d rows, %d degree%s of freedom", m->bodies, m->nq, m->rows,
         r->degrees_of_freedom, r->degrees_of_freedom == 1 ? "" : "s");
  if (r->redundant_rows) tn_put(p, ", %d redundant row%s", r->redundant_rows, r->redundant_rows == 1 ? "" : "s");
  tn_put(p, "\n");
  if (r->start_moved > 1e-9)
    tn_put(p, "  start assembled: %s moved most, by %.3g\n", r->start_moved_name, r->start_moved);
  tn_model_settings(m, settings, sizeof settings);
  tn_put(p, "  method %s: %s\n", m->run.method, settings);
  tn_put(p, "  reached t = %.9g s in %ld steps (%ld rejected), %ld right-hand sides, %.3g s of CPU\n", r->t_end,
         r->steps, r->rejected, r->rhs, r->cpu_seconds);
  if (m->rows) {
    tn_put(p, "  largest violation: position %.2e, velocity %.2e (contract %.0e, %.0e: %s)", r->max_position_violation,
           r->max_velocity_violation, m->run.contract_position, m->run.contract_velocity,
           r->contract_kept ? "kept" : "BROKEN");
    if (*r->worst_joint) tn_put(p, ", worst joint '%s' at t = %.4g s", r->worst_joint, r->worst_time);
    tn_put(p, "\n");
  }
  tn_put(p, "  energy balance: %.2e of the largest kinetic energy, %.4g J\n", r->energy_balance, r->max_kinetic);
  if (r->energy_balance > 1e-3)
    tn_put(p, "  the energy does not balance: do not trust the motion; tighten the tolerances or the step\n");
  if (r->redundant_rows)
    tn_put(p, "  redundant rows share their load in more than one way: reactions are the smallest that do\n");
  if (r->inconsistency > 1e-9)
    tn_put(p, "  redundant rows contradict each other by up to %.2e in acceleration\n", r->inconsistency);
  for (int i = 0; i < s->events && i < 8; i++)
    tn_put(p, "  event at t = %.6g s, %s: %s\n", s->event[i].t, s->event[i].kind, s->event[i].text);
  if (s->events > 8) tn_put(p, "  and %d events more (--json lists them)\n", s->events - 8);
  if (r->status != TN_OK) tn_put(p, "  stopped: %s\n", r->message);
  return p->failed ? TN_E_IO : TN_OK;
}
