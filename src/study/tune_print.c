/* gains that were searched for, as text, as JSON, as CSV. */
#include "study/study.h"

static int start_of(const tn_tune *t) { return t->published_text ? 1 : 0; }

static int failures(const tn_tune *t) {
  int n = 0;
  for (int i = 0; i < t->rows; i++) n += t->row[i].failure != NULL;
  return n;
}

/* ---- text --------------------------------------------------------------------------------------------------------------- */

typedef struct table { /* a column for each of these rows */
  const tn_tune *t;
  int columns, row[3];
} table;

static void line(tn_printer *p, const table *b, const char *name, double (*of)(const tn_tune_row *r)) {
  tn_put(p, "  %-28s", name);
  for (int i = 0; i < b->columns; i++) {
    const tn_tune_row *r = &b->t->row[b->row[i]];
    if (r->failure || isnan(of(r)))
      tn_put(p, " %12s", "-");
    else
      tn_put(p, " %12.4g", of(r));
  }
  tn_put(p, "\n");
}

static double position(const tn_tune_row *r) { return r->position; }
static double velocity(const tn_tune_row *r) { return r->velocity; }
static double rhs(const tn_tune_row *r) { return (double)r->rhs; }
static double product(const tn_tune_row *r) { return r->product; }
static double energy(const tn_tune_row *r) { return r->energy; }

static void numbers(tn_printer *p, const table *b) {
  const tn_tune *t = b->t;
  for (int k = 0; k < t->varied; k++) {
    const tn_tuned *v = &t->vary[k];
    tn_put(p, "  %-28s", v->field);
    for (int i = 0; i < b->columns; i++) {
      const double x = t->row[b->row[i]].value[k];
      if (isnan(x))
        tn_put(p, " %12s", "-");
      else
        tn_put(p, " %12.4g", x);
    }
    tn_put(p, "   %g to %g%s%s\n", v->from, v->to, v->unit ? " " : "", v->unit ? v->unit : "");
  }
}

static void results(tn_printer *p, const table *b) {
  line(p, b, b->t->velocity ? "violation of positions" : "violation of positions (v)", position);
  line(p, b, b->t->velocity ? "violation of velocities (v)" : "violation of velocities", velocity);
  line(p, b, "right-hand sides (n)", rhs);
  line(p, b, "v n", product);
  line(p, b, "energy balance", energy);
  tn_put(p, "  %-28s", "verdict");
  for (int i = 0; i < b->columns; i++) {
    const tn_tune_row *r = &b->t->row[b->row[i]];
    tn_put(p, " %12s", r->failure ? "failed" : tn_run_verdict_name(r->verdict));
  }
  tn_put(p, "\n");
}

static void reasons(tn_printer *p, const table *b) {
  for (int i = 0; i < b->columns; i++) {
    const tn_tune_row *r = &b->t->row[b->row[i]];
    if (r->failure) tn_put(p, "\n%s: %s\n", r->stage, r->failure);
  }
}

/* lines of their own: a line end inside a text would be shown as such */
static void block(tn_printer *p, const char *text) {
  tn_put(p, "\n\"stabilize\": ");
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = text + strcspn(text, "\n");
    tn_put(p, "%.*s\n", (int)(end - text), text);
  }
}

tn_status tn_tune_text(const tn_tune *t, tn_write write, void *user) {
  TN_NEED(NULL, t, "tune");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  table b = {.t = t};
  if (t->published_text) b.row[b.columns++] = 0;
  b.row[b.columns++] = start_of(t);
  if (t->best > start_of(t)) b.row[b.columns++] = t->best;
  tn_put(p, "%s: %s, %d runs, %d of them failed or were given up\n\n  %-28s", t->name, t->type->name, t->rows,
         failures(t), "");
  for (int i = 0; i < b.columns; i++) tn_put(p, " %12s", b.row[i] > start_of(t) ? "best" : t->row[b.row[i]].stage);
  tn_put(p, "   range\n");
  numbers(p, &b);
  results(p, &b);
  reasons(p, &b);
  if (t->best == start_of(t)) tn_put(p, "\nNo run was better than the start.\n");
  block(p, t->block);
  tn_put(p, "\n  tenon run %s --stabilize '%s'\n", t->name, t->best_part);
  tn_put(p,
         "\nViolations are the largest of the run, scaled as the contract does. A small one is no small error of the "
         "motion:\n`tenon run --verify` measures that.\n");
  return p->failed ? TN_E_IO : TN_OK;
}

/* ---- JSON --------------------------------------------------------------------------------------------------------------- */

static void row_json(tn_json *j, const tn_tune *t, const char *key, int i, const char *part) {
  const tn_tune_row *r = &t->row[i];
  tn_json_open(j, key, "{");
  tn_json_whole(j, "run", i + 1);
  tn_json_text(j, "stage", r->stage);
  if (part) tn_json_text(j, "stabilizer", part);
  if (r->failure) tn_json_text(j, "failure", r->failure);
  tn_json_open(j, "values", "{");
  for (int k = 0; k < t->varied; k++) tn_json_real(j, t->vary[k].field, r->value[k]);
  tn_json_close(j);
  tn_json_real(j, "position_violation", r->position);
  tn_json_real(j, "velocity_violation", r->velocity);
  tn_json_whole(j, "rhs", r->rhs);
  tn_json_real(j, "product", r->product);
  tn_json_real(j, "energy_balance", r->energy);
  if (!r->failure) tn_json_text(j, "verdict", tn_run_verdict_name(r->verdict));
  tn_json_close(j);
}

tn_status tn_tune_json(const tn_tune *t, tn_write write, void *user) {
  TN_NEED(NULL, t, "tune");
  TN_NEED(NULL, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "model", t->name);
  tn_json_text(j, "stabilizer", t->type->name);
  tn_json_text(j, "violation", t->velocity ? "velocity" : "position");
  tn_json_open(j, "varied", "[");
  for (int k = 0; k < t->varied; k++) {
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "field", t->vary[k].field);
    tn_json_real(j, "from", t->vary[k].from);
    tn_json_real(j, "to", t->vary[k].to);
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_whole(j, "failed", failures(t));
  if (t->published_text) row_json(j, t, "published", 0, t->published_part);
  row_json(j, t, "start", start_of(t), t->start_part);
  row_json(j, t, "best", t->best, t->best_part);
  tn_json_open(j, "rows", "[");
  for (int i = 0; i < t->rows; i++) row_json(j, t, NULL, i, NULL);
  tn_json_close(j);
  tn_json_close(j);
  return j->failed ? TN_E_IO : TN_OK;
}

/* ---- CSV ---------------------------------------------------------------------------------------------------------------- */

static void number(tn_printer *p, double x) {
  char digits[32] = "";
  if (isfinite(x)) tn_json_digits(x, digits);
  tn_put(p, "%s,", digits);
}

tn_status tn_tune_csv(const tn_tune *t, tn_write write, void *user) {
  TN_NEED(NULL, t, "tune");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  tn_put(p, "run,stage");
  for (int k = 0; k < t->varied; k++) tn_put(p, ",%s", t->vary[k].field);
  tn_put(p, ",position_violation,velocity_violation,rhs,product,energy_balance,verdict,failure\n");
  for (int i = 0; i < t->rows; i++) {
    const tn_tune_row *r = &t->row[i];
    tn_put(p, "%d,%s,", i + 1, r->stage);
    for (int k = 0; k < t->varied; k++) number(p, r->value[k]);
    number(p, r->position);
    number(p, r->velocity);
    tn_put(p, "%" PRId64 ",", r->rhs);
    number(p, r->product);
    number(p, r->energy);
    tn_put(p, "%s,", r->failure ? "" : tn_run_verdict_name(r->verdict));
    if (!p->failed) p->failed = !tn_csv_text(r->failure ? r->failure : "", true, p->write, p->user);
    tn_put(p, "\n");
  }
  return p->failed ? TN_E_IO : TN_OK;
}
