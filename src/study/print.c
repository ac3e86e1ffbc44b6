/* rows as text, as JSON; curves as CSV. */
#include "study/claims.h"

const char *tn_verdict_name(tn_verdict v) {
  static const char *const names[] = {"not-run", "reproduced", "differs", "not-decidable", "in-part"};
  return (int)v >= 0 && v <= TN_IN_PART ? names[v] : "";
}

/* ": 3 differ", ", 3 differ" */
static void part(tn_printer *p, int n, const char *what, bool *first) {
  if (n) tn_put(p, "%s %d %s", *first ? ":" : ",", n, what);
  *first = *first && !n;
}

static const char *more(int n) { return n == 1 ? "" : "s"; }

static void headline(tn_printer *p, const tn_study *s) {
  tn_study_counts n;
  bool first = true;
  tn_study_count(s, &n);
  tn_put(p, "\n%s: %d claim%s of the paper", s->paper, n.claims, more(n.claims));
  part(p, n.reproduced, "reproduced", &first);
  part(p, n.in_part, "in part", &first);
  part(p, n.differ, n.differ == 1 ? "differs" : "differ", &first);
  part(p, n.not_decidable, "not decidable", &first);
  tn_put(p, "\n  %d value%s outside the independent check, explained", n.outside - n.unexplained,
         more(n.outside - n.unexplained));
  if (n.unexplained) tn_put(p, "; %d not explained", n.unexplained);
  tn_put(p, "\n");
  if (n.assumed) tn_put(p, "  an assumption decides %d claim%s\n", n.assumed, more(n.assumed));
  tn_put(p, "  beside the claims %d check%s beyond the paper and %d remark%s\n", n.checks, more(n.checks), n.remarks,
         more(n.remarks));
}

static const char *state_of(const tn_study_figure *f) {
  return f->failure ? "failed" : f->drawn ? "drawn" : f->left_out ? "left-out" : "not-run";
}

static void figures_text(tn_printer *p, const tn_study *s) {
  int drawn = 0, left_out = 0, failed = 0;
  if (!s->figures_asked) return;
  tn_put(p, "\n");
  for (int i = 0; i < s->figures; i++) {
    const tn_study_figure *f = &s->figure[i].figure;
    const char *why = f->failure ? f->failure : f->left_out;
    if (!f->drawn && !f->left_out) continue;
    tn_put(p, "Fig. %d: %s%s%s\n", f->number, f->caption, why ? f->failure ? "  <- " : "; not drawn: " : "",
           why ? why : "");
    drawn += f->drawn;
    left_out += f->left_out != NULL;
    failed += f->failure != NULL;
  }
  tn_put(p, "%s: %d figures: %d drawn, %d with curves that are missing, %d left out, %d not asked for\n", s->paper,
         s->figures, drawn, failed, left_out, s->figures - drawn - left_out);
}

void tn_figure_members(tn_json *j, const tn_study *s, int i) {
  const tn_study_figure *f = &s->figure[i].figure;
  tn_json_text(j, "id", f->id);
  tn_json_whole(j, "figure", f->number);
  tn_json_text(j, "caption", f->caption);
  tn_json_text(j, "state", state_of(f));
  if (f->left_out) tn_json_text(j, "left_out", f->left_out);
  if (f->failure) tn_json_text(j, "failure", f->failure);
}

static void figures_json(tn_json *j, const tn_study *s) {
  tn_json_open(j, "figures", "[");
  for (int i = 0; i < s->figures; i++) {
    tn_json_open(j, NULL, "{");
    tn_figure_members(j, s, i);
    tn_json_close(j);
  }
  tn_json_close(j);
}

tn_status tn_study_text(const tn_study *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "study");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  int all = 0, good = 0;
  tn_put(p, "%s: %s\n", s->paper, s->title);
  for (int i = 0; i < s->rows; i++) {
    const tn_study_row *r = &s->row[i].row;
    if (r->verdict == TN_NOT_RUN) continue;
    char measured[40] = "-", expected[40] = "";
    if (!isnan(r->measured)) tn_format(measured, sizeof measured, "%.6g", r->measured);
    if (!isnan(r->expected)) tn_format(expected, sizeof expected, "%.6g, ", r->expected);
    static const char *const beside[] = {"", "  (beyond the paper)", "  (a remark)"};
    tn_put(p, "\n%s  %s%s\n", r->id, r->where, beside[s->claim[r->claim].claim.kind]);
    if (*r->what) tn_put(p, "  %s\n", r->what);
    tn_put(p, "  paper %s; measured %s (expected %s%s): %s%s\n", *r->paper ? r->paper : "-", measured, expected,
           r->tolerance, tn_verdict_name(r->verdict), r->as_expected ? "" : "  <- NOT AS EXPECTED");
    if (r->own_why) tn_put(p, "  Tenon's own form: %.6g; %s\n", r->own, r->own_why);
    if (r->verdict != r->foreseen) tn_put(p, "  the study expects: %s\n", tn_verdict_name(r->foreseen));
    if (!r->within && r->differs) tn_put(p, "  the value is not within its tolerance: %s\n", r->differs);
    if (r->failure) tn_put(p, "  the run: %s\n", r->failure);
    if (*r->why) tn_put(p, "  %s\n", r->why);
    all++;
    good += r->as_expected;
  }
  headline(p, s);
  tn_put(p, "  %d rows: %d as the study expects, %d not\n", all, good, all - good);
  figures_text(p, s);
  return p->failed ? TN_E_IO : TN_OK;
}

static void counts(tn_json *j, const tn_study *s) {
  tn_study_counts n;
  tn_study_count(s, &n);
  tn_json_open(j, "counts", "{-");
  tn_json_whole(j, "claims", n.claims);
  tn_json_whole(j, "reproduced", n.reproduced);
  tn_json_whole(j, "in_part", n.in_part);
  tn_json_whole(j, "differ", n.differ);
  tn_json_whole(j, "not_decidable", n.not_decidable);
  tn_json_whole(j, "assumed", n.assumed);
  tn_json_whole(j, "checks", n.checks);
  tn_json_whole(j, "remarks", n.remarks);
  tn_json_whole(j, "rows", n.rows);
  tn_json_whole(j, "outside", n.outside);
  tn_json_whole(j, "unexplained", n.unexplained);
  tn_json_close(j);
}

/* those of which a row was run */
static void claims(tn_json *j, const tn_study *s) {
  tn_json_open(j, "claims", "[");
  for (int i = 0; i < s->claims; i++) {
    const tn_study_claim *c = &s->claim[i].claim;
    if (!c->run) continue;
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "name", c->name);
    tn_json_text(j, "what", c->what);
    tn_json_text(j, "where", c->where);
    tn_json_text(j, "kind", tn_claim_kind_name(c->kind));
    tn_json_text(j, "verdict", tn_verdict_name(c->verdict));
    tn_json_whole(j, "rows", c->rows);
    tn_json_whole(j, "run", c->run);
    tn_json_close(j);
  }
  tn_json_close(j);
}

void tn_study_members(tn_json *j, const tn_study *s) {
  const tn_node *publication = tn_node_get(s->root, "publication");
  tn_json_text(j, "paper", s->paper);
  tn_json_text(j, "title", s->title);
  if (publication) tn_json_node(j, "publication", publication);
  if (*s->check) tn_json_text(j, "check", s->check);
  tn_json_bool(j, "as_expected", tn_study_as_expected(s));
  counts(j, s);
  claims(j, s);
  tn_assumptions_json(j, s);
  tn_json_open(j, "rows", "[");
  for (int i = 0; i < s->rows; i++) {
    const tn_study_row *r = &s->row[i].row;
    if (r->verdict == TN_NOT_RUN) continue;
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "id", r->id);
    tn_json_text(j, "what", r->what);
    tn_json_text(j, "where", r->where);
    tn_json_text(j, "claim", s->claim[r->claim].claim.name);
    tn_json_text(j, "kind", tn_claim_kind_name(s->claim[r->claim].claim.kind));
    if (!isnan(s->row[i].paper))
      tn_json_real(j, "paper", s->row[i].paper);
    else if (*r->paper)
      tn_json_text(j, "paper", r->paper);
    else
      tn_json_null(j, "paper", NULL);
    tn_json_real(j, "measured", r->measured);
    if (isnan(r->expected))
      tn_json_null(j, "expected", NULL);
    else
      tn_json_real(j, "expected", r->expected);
    tn_json_text(j, "tolerance", r->tolerance);
    tn_json_bool(j, "within", r->within);
    tn_json_text(j, "verdict", tn_verdict_name(r->verdict));
    tn_json_text(j, "foreseen", tn_verdict_name(r->foreseen));
    tn_json_bool(j, "as_expected", r->as_expected);
    tn_json_text(j, "why", r->why);
    if (r->own_why) {
      tn_json_real(j, "own", r->own);
      tn_json_text(j, "own_why", r->own_why);
    }
    if (r->differs) tn_json_text(j, "differs", r->differs);
    if (r->failure) tn_json_text(j, "failure", r->failure);
    tn_json_real(j, "seconds", r->seconds);
    tn_json_close(j);
  }
  tn_json_close(j);
}

tn_status tn_study_json(const tn_study *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "study");
  TN_NEED(NULL, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  tn_json_open(j, NULL, "{");
  tn_study_members(j, s);
  if (s->figures_asked) figures_json(j, s);
  tn_json_close(j);
  return j->failed ? TN_E_IO : TN_OK;
}

void tn_bin_line(tn_printer *p, const tn_bin *b, bool error) {
  const double values[] = {b->t, b->C, b->Cdot, b->error};
  for (int i = 0; i < 3 + error; i++) {
    if (i) tn_put(p, ",");
    if (isfinite(values[i])) tn_put(p, "%.9g", values[i]); /* nothing where nothing was measured */
  }
  tn_put(p, "\n");
}

static const tn_trial *curve(const tn_study *s, int i) {
  for (int k = 0; s && k < s->plans; k++)
    if (s->trial[k].done && s->trial[k].curve && i-- == 0) return &s->trial[k];
  return NULL;
}

const char *tn_study_curve(const tn_study *s, int i) {
  const tn_trial *t = curve(s, i);
  return t ? t->plan->name : NULL;
}

tn_status tn_study_curve_csv(const tn_study *s, int i, tn_write write, void *user) {
  TN_NEED(NULL, s, "study");
  TN_NEED(NULL, write, "write");
  const tn_trial *t = curve(s, i);
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  if (!t) return TN_E_USAGE;
  tn_put(p, t->has_error ? "t,C,Cdot,error\n" : "t,C,Cdot\n");
  for (int k = 0; k < TN_BINS; k++) {
    const tn_bin *b = &t->bin[k];
    if (!isnan(b->t)) tn_bin_line(p, b, t->has_error);
  }
  return p->failed ? TN_E_IO : TN_OK;
}
