/* assumptions, and what came of their variations, as text and as JSON. */
#include "study/claims.h"

static const char *more(int n) { return n == 1 ? "" : "s"; }

static void variation_text(tn_printer *p, const tn_study *s, const tn_variation_plan *v) {
  const tn_study_variation *shown = &v->variation;
  if (!shown->done) {
    tn_put(p, "  to %s: not run; %d row%s rest on it\n", shown->to, shown->rows, more(shown->rows));
    return;
  }
  tn_put(p, "  to %s: of %d row%s %d verdict%s change%s%s\n", shown->to, shown->run, more(shown->run), shown->changed,
         more(shown->changed), shown->changed == 1 ? "s" : "", shown->as_said ? "" : "  <- NOT AS THE STUDY SAYS");
  for (int i = 0; i < s->rows; i++) {
    const tn_verdict used = v->used[i], found = v->found[i], said = v->said[i] == TN_NOT_RUN ? used : v->said[i];
    if (used == TN_NOT_RUN || (found == used && found == said)) continue;
    tn_put(p, "    %s: %s, then %s", s->row[i].row.id, tn_verdict_name(used), tn_verdict_name(found));
    tn_put(p, found == said ? "\n" : "; the study says %s\n", tn_verdict_name(said));
  }
}

tn_status tn_study_vary_text(const tn_study *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "study");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  int run = 0, as_said = 0, fixed = 0;
  tn_put(p, "%s: what had to be assumed\n", s->paper);
  for (int k = 0; k < s->assumptions; k++) {
    const tn_assumption_plan *a = &s->assumption[k];
    tn_put(p, "\n%s: %s\n  %s\n", a->assumption.what, a->assumption.used, a->assumption.why);
    if (a->assumption.not_varied)
      tn_put(p, "  %d row%s rest on it; not varied: %s\n", a->assumption.rows, more(a->assumption.rows),
             a->assumption.not_varied);
    fixed += a->assumption.not_varied != NULL;
    for (int l = 0; l < a->variations; l++) {
      variation_text(p, s, &a->variation[l]);
      run += a->variation[l].variation.done;
      as_said += a->variation[l].variation.done && a->variation[l].variation.as_said;
    }
  }
  tn_put(p, "\n%s: %d assumption%s, %d of them not varied; %d variation%s run: %d as the study says, %d not\n",
         s->paper, s->assumptions, more(s->assumptions), fixed, run, more(run), as_said, run - as_said);
  return p->failed ? TN_E_IO : TN_OK;
}

static void change(tn_json *j, const tn_study *s, int row, tn_verdict from, tn_verdict to) {
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "row", s->row[row].row.id);
  if (from != TN_NOT_RUN) tn_json_text(j, "from", tn_verdict_name(from));
  tn_json_text(j, "to", tn_verdict_name(to));
  tn_json_close(j);
}

static void variation_json(tn_json *j, const tn_study *s, const tn_variation_plan *v, bool found) {
  const tn_study_variation *shown = &v->variation;
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "to", shown->to);
  tn_json_whole(j, "rows", shown->rows);
  if (found) tn_json_bool(j, "done", shown->done);
  if (found && shown->done) tn_json_whole(j, "run", shown->run);
  if (found && shown->done) tn_json_bool(j, "as_said", shown->as_said);
  tn_json_open(j, "changes", "[");
  for (int i = 0; i < s->rows; i++) {
    if (found && shown->done && v->found[i] != v->used[i]) change(j, s, i, v->used[i], v->found[i]);
    if (!found && v->said[i] != TN_NOT_RUN) change(j, s, i, TN_NOT_RUN, v->said[i]);
  }
  tn_json_close(j);
  tn_json_close(j);
}

/* found: what tn_study_vary has found, else what the file says */
static void assumptions(tn_json *j, const tn_study *s, bool found) {
  tn_json_open(j, "assumptions", "[");
  for (int k = 0; k < s->assumptions; k++) {
    const tn_assumption_plan *a = &s->assumption[k];
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "what", a->assumption.what);
    tn_json_text(j, "used", a->assumption.used);
    tn_json_text(j, "why", a->assumption.why);
    tn_json_whole(j, "rows", a->assumption.rows);
    if (a->assumption.not_varied) tn_json_text(j, "not_varied", a->assumption.not_varied);
    tn_json_open(j, "variations", "[");
    for (int l = 0; l < a->variations; l++) variation_json(j, s, &a->variation[l], found);
    tn_json_close(j);
    tn_json_close(j);
  }
  tn_json_close(j);
}

void tn_assumptions_json(tn_json *j, const tn_study *s) { assumptions(j, s, false); }

tn_status tn_study_vary_json(const tn_study *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "study");
  TN_NEED(NULL, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "paper", s->paper);
  tn_json_bool(j, "as_said", tn_study_varied_as_said(s));
  assumptions(j, s, true);
  tn_json_close(j);
  return j->failed ? TN_E_IO : TN_OK;
}
