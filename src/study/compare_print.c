/* a comparison as text, as JSON, as CSV; in the order of ranks. */
#include "study/study.h"

static void reference_text(const tn_compare *c, tn_printer *p) {
  tn_put(p, "reference: %s\n", c->reference);
  if (c->reference_error > 0)
    tn_put(p, "  it may be off by %.2g itself; errors below %.2g are not told apart\n", c->reference_error,
           TN_APART * c->reference_error);
  if (c->holds < c->until * (1 - TN_SAME_TIME))
    tn_put(p, "  it holds up to t = %.6g s of %.6g s; errors are taken up to there\n", c->holds, c->until);
}

/* the next in the order of ranks, behind one of a rank; those that failed last */
static int next_in_order(const tn_compare *c, int i) {
  const int none = c->rows + 1;
  const int now = i < 0 ? 0 : c->entry[i].row.rank_error ? c->entry[i].row.rank_error : none;
  int best = -1, rank = none + 1;
  for (int k = 0; k < c->rows; k++) {
    const int r = c->entry[k].row.rank_error ? c->entry[k].row.rank_error : none;
    if ((r > now || (r == now && k > i)) && r < rank) best = k, rank = r;
  }
  return best;
}

tn_status tn_compare_text(const tn_compare *c, tn_write write, void *user) {
  TN_NEED(NULL, c, "compare");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  int width = 20;
  char name[256];
  tn_put(p, "%s: %d run%s\n", c->name, c->rows, c->rows == 1 ? "" : "s");
  reference_text(c, p);
  for (int i = 0; i < c->rows; i++) {
    tn_compare_label(c, &c->entry[i].row, name, sizeof name);
    if ((int)strlen(name) > width) width = (int)strlen(name);
  }
  tn_put(p, "\n  rank  %-*s %9s %9s %9s %9s %9s %8s %5s %8s %8s %9s\n", width, "method", "error", "balance", "max |C|",
         "rms |C|", "max |C'|", "contract", "by C", "steps", "rhs", "cpu, s");
  for (int k = next_in_order(c, -1); k >= 0; k = next_in_order(c, k)) {
    const tn_compare_row *r = &c->entry[k].row;
    tn_compare_label(c, r, name, sizeof name);
    if (!r->rank_error) {
      tn_put(p, "  %4s  %-*s %s\n", "-", width, name, r->failure ? r->failure : "nothing could be compared");
      continue;
    }
    tn_put(p, "%s %4d  %-*s %8.2g%s %9.2g %9.2g %9.2g %9.2g %8s %5d %8" PRId64 " %8" PRId64 " %9.3g\n",
           k == c->winner ? ">" : " ", r->rank_error, width, name, r->error, r->resolved ? " " : "*", r->energy,
           r->C_max, r->C_rms, r->Cdot_max, r->contract_kept ? "kept" : "broken", r->rank_residual, r->steps, r->rhs,
           r->cpu_seconds);
  }
  tn_put(p, c->from_file ? "\nerror: largest difference of an output from the reference, in its unit"
                         : "\nerror: largest distance of a body from the reference, in lengths of the model, and of "
                           "unit vectors along its axes");
  tn_put(p,
         "; *: too small to be told from that of the reference\n"
         "balance: of energy, relative; C: violations as the contract scales them, which `tenon run` would stop at "
         "where it says broken;"
         " by C: the rank by max |C| alone\n\n%s\n",
         c->recommendation);
  if (*c->remark) tn_put(p, "%s\n", c->remark);
  if (c->winner >= 0) {
    const tn_entry *w = &c->entry[c->winner];
    tn_put(p, "\n  tenon run %s", c->name);
    for (int i = 0; i < w->trial.settings; i++)
      if (strcmp(w->setting[i].name, "every") != 0) tn_put(p, " --%s %s", w->setting[i].name, w->setting[i].value);
    tn_put(p, "\n");
  }
  return p->failed ? TN_E_IO : TN_OK;
}

void tn_compare_members(tn_json *j, const tn_compare *c) {
  tn_json_text(j, "model", c->name);
  tn_json_open(j, "reference", "{");
  tn_json_text(j, "what", c->reference);
  tn_json_real(j, "error", c->reference_error);
  tn_json_real(j, "holds_until", c->holds);
  tn_json_real(j, "until", c->until);
  tn_json_close(j);
  tn_json_real(j, "accuracy", c->accuracy);
  tn_json_text(j, "recommendation", c->recommendation);
  if (*c->remark) tn_json_text(j, "remark", c->remark);
  tn_json_whole(j, "winner", c->winner);
  tn_json_open(j, "rows", "[");
  for (int i = 0; i < c->rows; i++) {
    const tn_compare_row *r = &c->entry[i].row;
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "method", r->method);
    tn_json_text(j, "integrator", r->integrator);
    if (!isnan(r->setting)) tn_json_real(j, c->fixed ? "step" : "rtol", r->setting);
    if (r->failure) tn_json_text(j, "failure", r->failure);
    tn_json_real(j, "error", r->error);
    tn_json_real(j, "error_final", r->error_final);
    tn_json_bool(j, "resolved", r->resolved);
    tn_json_bool(j, "contract_kept", r->contract_kept);
    if (!r->failure) tn_json_text(j, "verdict", tn_run_verdict_name(r->verdict));
    tn_json_real(j, "energy_balance", r->energy);
    tn_json_real(j, "C_max", r->C_max);
    tn_json_real(j, "C_rms", r->C_rms);
    tn_json_real(j, "Cdot_max", r->Cdot_max);
    tn_json_real(j, "Cdot_rms", r->Cdot_rms);
    tn_json_whole(j, "steps", r->steps);
    tn_json_whole(j, "rejected", r->rejected);
    tn_json_whole(j, "rhs", r->rhs);
    tn_json_real(j, "cpu_seconds", r->cpu_seconds);
    tn_json_whole(j, "rank_error", r->rank_error);
    tn_json_whole(j, "rank_residual", r->rank_residual);
    tn_json_close(j);
  }
  tn_json_close(j);
}

tn_status tn_compare_json(const tn_compare *c, tn_write write, void *user) {
  TN_NEED(NULL, c, "compare");
  TN_NEED(NULL, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  tn_json_open(j, NULL, "{");
  tn_compare_members(j, c);
  tn_json_close(j);
  return j->failed ? TN_E_IO : TN_OK;
}

/* a name as a field of CSV: parameters have commas */
static void field(tn_printer *p, const char *text) {
  if (!p->failed) p->failed = !tn_csv_text(text, true, p->write, p->user);
  tn_put(p, ",");
}

tn_status tn_compare_csv(const tn_compare *c, tn_write write, void *user) {
  TN_NEED(NULL, c, "compare");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  tn_put(p,
         "method,integrator,%s,error,error_final,energy_balance,C_max,C_rms,Cdot_max,Cdot_rms,steps,rejected,rhs,cpu_"
         "seconds,"
         "rank_error,rank_residual,contract_kept,verdict,failure\n",
         c->fixed ? "step" : "rtol");
  for (int i = 0; i < c->rows; i++) {
    const tn_compare_row *r = &c->entry[i].row;
    field(p, r->method);
    field(p, r->integrator);
    const double values[] = {r->setting, r->error, r->error_final, r->energy,
                             r->C_max,   r->C_rms, r->Cdot_max,    r->Cdot_rms};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
      if (isfinite(values[k]))
        tn_put(p, "%.9g,", values[k]);
      else
        tn_put(p, ",");
    tn_put(p, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%.6g,%d,%d,%d,%s,", r->steps, r->rejected, r->rhs, r->cpu_seconds,
           r->rank_error, r->rank_residual, r->contract_kept, r->failure ? "" : tn_run_verdict_name(r->verdict));
    if (!p->failed) p->failed = !tn_csv_text(r->failure ? r->failure : "", true, p->write, p->user);
    tn_put(p, "\n");
  }
  return p->failed ? TN_E_IO : TN_OK;
}

tn_status tn_compare_curves(const tn_compare *c, tn_write write, void *user) {
  TN_NEED(NULL, c, "compare");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  char name[256];
  tn_put(p, "run,t,C,Cdot,error\n");
  for (int i = 0; i < c->rows; i++) {
    tn_compare_label(c, &c->entry[i].row, name, sizeof name);
    for (int k = 0; k < TN_BINS; k++) {
      const tn_bin *b = &c->entry[i].trial.bin[k];
      if (isnan(b->t)) continue;
      field(p, name);
      tn_bin_line(p, b, true);
    }
  }
  return p->failed ? TN_E_IO : TN_OK;
}
