/* a comparison or a study as one HTML file that needs nothing else: what viewer/src/study_data.ts says. */
#include "study/study.h"

/* ---- numbers and words ------------------------------------------------------------------------------------------------------ */

/* curves are looked at: six digits will do */
static void few_digits(tn_json *j, double x) {
  char digits[32];
  double value = x;
  if (isfinite(x)) tn_json_number(digits, (size_t)tn_format(digits, sizeof digits, "%.6g", x), &value);
  tn_json_real(j, NULL, value);
}

/* of many runs fewer places in time, each with the largest value there: a page stays one that a browser opens at once */
enum { MOST_PLACES = 100 * TN_BINS };

static void curve(tn_json *j, const tn_trial *t, int runs) {
  static const char *const names[] = {"t", "C", "Cdot", "error"};
  const int together = 1 + (runs * TN_BINS - 1) / MOST_PLACES;
  for (int k = 0; k < (t->has_error ? 4 : 3); k++) {
    tn_json_open(j, names[k], "[-");
    for (int i = 0; i < TN_BINS; i += together) {
      double value[4] = {NAN, NAN, NAN, NAN};
      for (const tn_bin *b = &t->bin[i]; b < &t->bin[i] + together && b < t->bin + TN_BINS; b++) {
        const double here[] = {b->t, b->C, b->Cdot, b->error};
        for (int l = 0; l < 4; l++) value[l] = fmax(value[l], here[l]); /* of NaN and a number it is the number */
      }
      if (!isnan(value[0])) few_digits(j, value[k]);
    }
    tn_json_close(j);
  }
}

typedef struct line {
  char *at;
  size_t used, size;
} line;

static void add(line *l, const char *text) {
  for (; *text && l->used + 1 < l->size; text++) l->at[l->used++] = *text;
  l->at[l->used] = 0;
}

static void add_word(line *l, const char *word) {
  char quoted[1200];
  tn_shell_word(quoted, sizeof quoted, word);
  add(l, " ");
  add(l, quoted);
}

/* ---- a comparison -------------------------------------------------------------------------------------------------------------- */

static void compare_data(tn_json *j, const tn_compare *c, const char *command, const char *run) {
  char label[256], text[4096];
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "kind", "compare");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "title", c->title);
  tn_json_text(j, "command", command);
  tn_json_text(j, "text", c->text);
  tn_json_reals(j, "contract", 2, c->contract);
  tn_json_bool(j, "fixed", c->fixed);
  tn_json_bool(j, "outputs", c->from_file); /* errors are of outputs, in their units */
  tn_json_real(j, "apart", TN_APART);
  tn_json_open(j, "compare", "{");
  tn_compare_members(j, c);
  tn_json_close(j);
  tn_json_open(j, "runs", "[");
  for (int i = 0; i < c->rows; i++) {
    const tn_entry *x = &c->entry[i];
    line l = {text, 0, sizeof text};
    tn_compare_label(c, &x->row, label, sizeof label);
    add(&l, run ? run : "tenon run");
    if (!run) add_word(&l, c->name);
    for (int k = 0; k < x->trial.settings; k++) {
      if (strcmp(x->setting[k].name, "every") == 0) continue;
      add(&l, " --");
      add(&l, x->setting[k].name);
      add_word(&l, x->setting[k].value);
    }
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "label", label);
    tn_json_text(j, "run", text);
    curve(j, &x->trial, c->rows);
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_close(j);
}

tn_status tn_compare_page(const tn_compare *c, const char *command, const char *run, tn_write write, void *user,
                          tn_error *error) {
  TN_NEED(error, c, "compare");
  TN_NEED(error, command, "command");
  TN_NEED(error, write, "write");
  tn_error spare, *e = error ? error : &spare;
  char title[256];
  tn_error_clear(e);
  tn_format(title, sizeof title, "%.200s: methods compared", *c->title ? c->title : c->name);
  tn_page page;
  TN_TRY(tn_page_begin(&page, write, user, "study", c->name, title, e));
  compare_data(tn_page_data(&page), c, command, run);
  tn_page_data_end(&page);
  return tn_page_end(&page, e);
}

/* ---- a study --------------------------------------------------------------------------------------------------------------------- */

/* measures of runs and facts behind one, in their order; what has been seen is not followed again */
static void reach(const tn_study *s, int i, bool *seen);

static void reach_named(const tn_study *s, const tn_expr *expr, bool *seen) {
  for (int k = 0; expr && k < tn_expr_slots(expr); k++)
    if (tn_expr_slot(expr, k) < s->measures) reach(s, tn_expr_slot(expr, k), seen);
}

static void reach(const tn_study *s, int i, bool *seen) {
  if (seen[i]) return;
  seen[i] = true;
  reach_named(s, s->measure[i].value, seen);
  reach_named(s, s->measure[i].where, seen);
}

static void behind(tn_json *j, const tn_study *s, const tn_row_plan *r, bool *seen) {
  memset(seen, 0, sizeof *seen * (size_t)s->measures);
  if (r->measure >= 0) reach(s, r->measure, seen);
  reach_named(s, r->holds, seen);
  if (r->own_measure >= 0) reach(s, r->own_measure, seen);
  tn_json_whole(j, "measure", r->measure);
  tn_json_open(j, "from", "[-");
  for (int i = 0; i < s->measures; i++)
    if (seen[i]) tn_json_whole(j, NULL, i);
  tn_json_close(j);
}

/* how it is judged; in the order of the rows of tn_study_json */
static void claims(tn_json *j, const tn_study *s, bool *seen) {
  static const char *const keys[] = {"agree", "holds"};
  tn_json_open(j, "claims", "[");
  for (int i = 0; i < s->rows; i++) {
    const tn_row_plan *r = &s->row[i];
    if (r->row.verdict == TN_NOT_RUN) continue;
    tn_json_open(j, NULL, "{");
    behind(j, s, r, seen);
    for (int k = 0; k < 2; k++)
      if (tn_node_get(r->node, keys[k])) tn_json_node(j, keys[k], tn_node_get(r->node, keys[k]));
    if (r->ours_tolerance) {
      tn_json_real(j, "ours", r->ours);
      tn_json_text(j, "ours_tolerance", r->ours_tolerance);
    }
    tn_json_close(j);
  }
  tn_json_close(j);
}

enum { MOST_POINTS = 2000 };

static void points(tn_json *j, const tn_finding *m) {
  const int every = (m->points + MOST_POINTS - 1) / MOST_POINTS;
  tn_json_open(j, "points", "[");
  for (int k = 0; k < m->points; k += every) {
    const tn_point *p = &m->point[k];
    tn_json_open(j, NULL, "[-");
    tn_json_real(j, NULL, p->x);
    tn_json_real(j, NULL, p->value);
    tn_json_whole(j, NULL, p->holds);
    tn_json_whole(j, NULL, p->failed);
    tn_json_close(j);
  }
  tn_json_close(j);
}

static void measures(tn_json *j, const tn_study *s) {
  static const char *const kinds[] = {"run", "varied", "fact", "value"};
  tn_json_open(j, "measures", "[");
  for (int i = 0; i < s->measures; i++) {
    const tn_finding *m = &s->measure[i];
    if (!m->needed) continue;
    tn_json_open(j, NULL, "{");
    tn_json_whole(j, "id", i);
    tn_json_text(j, "kind", kinds[m->kind]);
    if (m->name) tn_json_text(j, "name", m->name);
    tn_json_whole(j, "run", m->plan ? (int64_t)(m->plan - s->plan) : -1);
    tn_json_real(j, "result", m->result);
    if (m->failure) tn_json_text(j, "failure", m->failure);
    tn_json_node(j, "as_written", m->node);
    if (m->kind == TN_MEASURE_VARIED) points(j, m);
    tn_json_close(j);
  }
  tn_json_close(j);
}

/* all that is said of it, with what it is like */
static void settings(tn_json *j, const tn_plan_of_run *p) {
  static const char *const keys[] = {
      "model",          "method",         "formulation", "stabilize", "integrator",  "step",
      "rtol",           "atol",           "until",       "every",     "coordinates", "body-coordinates",
      "at-singularity", "allow-unstable", "breach",      "most-rhs",  "repeat"};
  tn_json_open(j, "settings", "{");
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (tn_plan_get(p, keys[k])) tn_json_node(j, keys[k], tn_plan_get(p, keys[k]));
  tn_json_close(j);
  tn_json_open(j, "set", "[");
  for (; p; p = p->like)
    if (tn_node_get(p->node, "set")) tn_json_node(j, NULL, tn_node_get(p->node, "set"));
  tn_json_close(j);
}

static bool wanted(const tn_study *s, const tn_plan_of_run *p) {
  for (int i = 0; i < s->measures; i++)
    if (s->measure[i].needed && s->measure[i].plan == p) return true;
  return false;
}

static void runs(tn_json *j, const tn_study *s) {
  tn_json_open(j, "runs", "[");
  for (int i = 0; i < s->plans; i++) {
    const tn_plan_of_run *p = &s->plan[i];
    const tn_trial *t = &s->trial[i];
    if (!wanted(s, p)) continue;
    tn_json_open(j, NULL, "{");
    tn_json_whole(j, "id", i);
    tn_json_text(j, "name", p->name);
    const tn_node *doc = tn_node_get(p->node, "doc");
    if (doc) tn_json_node(j, "doc", doc);
    settings(j, p);
    if (t->done) {
      if (t->status != TN_OK) tn_json_text(j, "failure", t->message);
      tn_json_real(j, "t_end", t->t_end);
      tn_json_real(j, "seconds", t->seconds);
      tn_json_whole(j, "steps", t->summary.steps);
      tn_json_whole(j, "rhs", t->summary.rhs);
      curve(j, t, s->plans);
    }
    tn_json_close(j);
  }
  tn_json_close(j);
}

/* text that is written piece by piece, to be put as one */
typedef struct text {
  const tn_allocator *allocator;
  char *at;
  size_t n, room;
} text;

static bool take(void *user, const char *piece, size_t n) {
  text *t = user;
  if (t->n + n >= t->room) {
    const size_t room = 2 * (t->n + n) + 4096;
    char *more = tn_block_new(t->allocator, room);
    if (!more) return false;
    if (t->n) memcpy(more, t->at, t->n);
    tn_block_free(t->allocator, t->at);
    t->at = more;
    t->room = room;
  }
  memcpy(t->at + t->n, piece, n);
  t->at[t->n += n] = 0;
  return true;
}

static void picture(tn_json *j, const tn_study *s, int i) {
  text t = {.allocator = &s->arena.allocator};
  const tn_graph *g = &s->figure[i].graph;
  tn_json_open(j, "panels", "[");
  for (int k = 0; k < g->panels; k++) {
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "title", g->panel[k].title);
    tn_json_text(j, "x", g->panel[k].x.label);
    tn_json_text(j, "y", g->panel[k].y.label);
    tn_json_close(j);
  }
  tn_json_close(j);
  if (tn_study_figure_svg(s, i, take, &t, NULL) == TN_OK)
    tn_json_text(j, "svg", t.at);
  else
    j->failed = true;
  tn_block_free(t.allocator, t.at);
}

static void figures(tn_json *j, const tn_study *s) {
  tn_json_open(j, "figures", "[");
  for (int i = 0; i < s->figures; i++) {
    tn_json_open(j, NULL, "{");
    tn_figure_members(j, s, i);
    if (s->figure[i].figure.drawn) picture(j, s, i);
    tn_json_close(j);
  }
  tn_json_close(j);
}

static void study_data(tn_json *j, const tn_study *s, const char *command, bool *seen) {
  const tn_node *doc = tn_node_get(s->root, "doc"), *references = tn_node_get(s->root, "references");
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "kind", "paper");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "command", command);
  if (doc) tn_json_node(j, "doc", doc);
  tn_json_whole(j, "rows_in_all", s->rows);
  tn_json_open(j, "study", "{");
  tn_study_members(j, s);
  tn_json_close(j);
  claims(j, s, seen);
  measures(j, s);
  runs(j, s);
  if (references) tn_json_node(j, "references", references);
  if (s->figures_asked) figures(j, s);
  tn_json_close(j);
}

tn_status tn_study_page(const tn_study *s, const char *command, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, s, "study");
  TN_NEED(error, command, "command");
  TN_NEED(error, write, "write");
  tn_error spare, *e = error ? error : &spare;
  char title[256];
  tn_error_clear(e);
  tn_format(title, sizeof title, "%.250s", *s->title ? s->title : s->paper);
  tn_page page;
  TN_TRY(tn_page_begin(&page, write, user, "study", s->folder, title, e));
  bool *seen = tn_block_new(&s->arena.allocator, sizeof *seen * (size_t)(s->measures + 1));
  if (!seen) return tn_fail(e, TN_E_MEMORY, "out of memory");
  study_data(tn_page_data(&page), s, command, seen);
  tn_block_free(&s->arena.allocator, seen);
  tn_page_data_end(&page);
  return tn_page_end(&page, e);
}
