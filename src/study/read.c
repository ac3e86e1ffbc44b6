/* a study file. what is said in it is checked here as far as that can be done without a run. */
#include "study/claims.h"

enum { MOST_LIKE = 32, MOST_MEASURES = 10000 };

/* ---- runs and references ------------------------------------------------------------------------------------------------ */

static const char *const run_keys[] = {
    "model",          "like",  "set",   "method",      "formulation",      "stabilize",
    "integrator",     "step",  "rtol",  "atol",        "breach",           "at-singularity",
    "allow-unstable", "until", "every", "coordinates", "body-coordinates", "most-rhs",
    "repeat",         "doc",   NULL};

static tn_plan_of_run *plan_named(const tn_study *s, const char *name) {
  for (int i = 0; i < s->plans; i++)
    if (strcmp(s->plan[i].name, name) == 0) return &s->plan[i];
  return NULL;
}

static tn_status unknown_run(const tn_study *s, const tn_node *at, const char *name, tn_error *e) {
  const char *known[64];
  int n = 0;
  for (; n < s->plans && n < 64; n++) known[n] = s->plan[n].name;
  const char *near = tn_nearest(name, n, known);
  tn_node_fail(at, e, TN_E_MODEL, "there is no run '%.64s'", name);
  if (near) tn_hint(e, "did you mean '%s'?", near);
  return TN_E_MODEL;
}

const tn_plan_of_run *tn_study_run_at(const tn_study *s, const tn_node *object, const char *key, tn_error *e) {
  const char *name;
  if (tn_member_text(object, key, NULL, &name, e) != TN_OK) return NULL;
  const tn_plan_of_run *p = plan_named(s, name);
  if (!p) unknown_run(s, tn_node_get(object, key), name, e);
  return p;
}

static tn_status read_run(tn_study *s, const tn_node *c, tn_error *e) {
  tn_plan_of_run *p = &s->plan[s->plans];
  const char *like;
  TN_TRY(tn_members_known(c, run_keys, e));
  TN_TRY(tn_member_text(c, "like", "", &like, e));
  *p = (tn_plan_of_run){.name = c->key, .node = c};
  if (*like && !(p->like = plan_named(s, like))) return unknown_run(s, tn_node_get(c, "like"), like, e); /* above it */
  s->plans++;
  int depth = 0, whole;
  for (const tn_plan_of_run *up = p->like; up; up = up->like) depth++;
  if (depth > MOST_LIKE)
    return tn_node_fail(c, e, TN_E_MODEL, "runs are like one another more than %d deep", MOST_LIKE);
  TN_TRY(tn_member_whole(c, "repeat", 1, 1, 1000, &whole, e));
  TN_TRY(tn_member_whole(c, "most-rhs", 1, 1, 2e9, &whole, e));
  const tn_node *set = tn_node_get(c, "set");
  if (set && set->kind != TN_NODE_OBJECT)
    return tn_node_fail(set, e, TN_E_MODEL, "`set` has pointers into the model and values for them");
  if (!tn_plan_get(p, "model")) return tn_node_fail(c, e, TN_E_MODEL, "run '%.64s' has no `model`", c->key);
  return TN_OK;
}

static tn_status read_runs(tn_study *s, const tn_node *runs, tn_error *e) {
  if (runs && runs->kind != TN_NODE_OBJECT) return tn_node_fail(runs, e, TN_E_MODEL, "`runs` has to be an object");
  s->plan = tn_arena_alloc(&s->arena, sizeof *s->plan * (size_t)(tn_member_count(runs) + 1));
  if (!s->plan) return tn_out_of_memory(e);
  for (const tn_node *c = runs ? runs->first : NULL; c; c = c->next) TN_TRY(read_run(s, c, e));
  return TN_OK;
}

static const char *const reference_keys[] = {"run", "file", "doc", NULL};

static tn_status read_references(tn_study *s, const tn_node *all, tn_error *e) {
  if (all && all->kind != TN_NODE_OBJECT) return tn_node_fail(all, e, TN_E_MODEL, "`references` has to be an object");
  s->reference = tn_arena_alloc(&s->arena, sizeof *s->reference * (size_t)(tn_member_count(all) + 1));
  if (!s->reference) return tn_out_of_memory(e);
  for (const tn_node *c = all ? all->first : NULL; c; c = c->next) {
    tn_reference_plan *r = &s->reference[s->references];
    const char *run, *file;
    TN_TRY(tn_members_known(c, reference_keys, e));
    TN_TRY(tn_member_text(c, "run", "", &run, e));
    TN_TRY(tn_member_text(c, "file", "", &file, e));
    *r = (tn_reference_plan){.node = c, .table = {.name = c->key}};
    tn_arena_init(&r->table.arena, &s->arena.allocator);
    s->references++;
    if (!*run == !*file) return tn_node_fail(c, e, TN_E_MODEL, "a reference is either a `run` or a `file`");
    if (*run && !(r->plan = plan_named(s, run))) return unknown_run(s, tn_node_get(c, "run"), run, e);
    if (*file) r->path = file;
  }
  return TN_OK;
}

/* ---- measures --------------------------------------------------------------------------------------------------------------- */

int tn_study_measure_named(const tn_study *s, const char *name) {
  for (int i = 0; i < s->measures; i++)
    if (s->measure[i].name && strcmp(s->measure[i].name, name) == 0) return i;
  return -1;
}

static bool find(void *user, const char *name, tn_meaning *m, tn_error *e) {
  const tn_study *s = user;
  int slot = tn_study_measure_named(s, name);
  for (int k = 0; slot < 0 && s->word[k]; k++)
    if (strcmp(s->word[k], name) == 0) slot = TN_SLOT_MEASURED + k;
  if (slot < 0) {
    tn_fail(e, TN_E_MODEL, "there is no measure '%.64s'", name);
    return false;
  }
  *m = (tn_meaning){.is_slot = true, .slot = slot, .width = 1};
  return true;
}

tn_status tn_study_expression_at(tn_study *s, const tn_node *node, const char *what, tn_expr **out, tn_error *e) {
  *out = NULL;
  if (node->kind == TN_NODE_NUMBER)
    return (*out = tn_expr_number(&s->arena, node->number)) ? TN_OK : tn_out_of_memory(e);
  if (node->kind != TN_NODE_TEXT) return tn_node_fail(node, e, TN_E_MODEL, "%s has to be an expression", what);
  const tn_names names = {.user = s, .dimension = 3, .find = find};
  tn_error inner;
  if (tn_expr_parse(&s->arena, node->text, strlen(node->text), TN_CLASS_RUNNING, &names, out, &inner) == TN_OK)
    return tn_expr_width(*out) == 1 ? TN_OK : tn_node_fail(node, e, TN_E_MODEL, "%s has to be a number", what);
  return tn_node_fail(node, e, inner.status, "%.400s", inner.message);
}

tn_status tn_study_expression(tn_study *s, const tn_node *object, const char *key, tn_expr **out, tn_error *e) {
  const tn_node *node = tn_node_get(object, key);
  char what[72];
  *out = NULL;
  if (!node) return TN_OK;
  tn_format(what, sizeof what, "`%.64s`", key);
  return tn_study_expression_at(s, node, what, out, e);
}

static tn_status channels(tn_study *s, tn_finding *m, const tn_node *list, tn_error *e) {
  tn_meter *meter = &m->meter;
  const int n = tn_member_count(list);
  const char **ours = tn_arena_alloc(&s->arena, sizeof *ours * (size_t)(n + 1));
  int *theirs = tn_arena_alloc(&s->arena, sizeof *theirs * (size_t)(n + 1));
  meter->column = tn_arena_alloc(&s->arena, sizeof *meter->column * (size_t)(n + 1));
  if (!ours || !theirs || !meter->column) return tn_out_of_memory(e);
  if (!list || (list->kind != TN_NODE_LIST && list->kind != TN_NODE_OBJECT) || !n)
    return tn_node_fail(list ? list : m->node, e, TN_E_MODEL,
                        "`channels` is a list of expressions, or an object of ours and theirs");
  tn_reference_plan *r = &s->reference[m->against];
  int i = 0;
  for (const tn_node *c = list->first; c; c = c->next, i++) {
    if (c->kind != TN_NODE_TEXT) return tn_node_fail(c, e, TN_E_MODEL, "this has to be an expression");
    ours[i] = c->key ? c->key : c->text;
    const char *wanted = c->text;
    if ((theirs[i] = tn_reference_column(&r->table, wanted)) >= 0) continue;
    if (r->path)
      return tn_node_fail(c, e, TN_E_MODEL, "the reference '%s' has no column '%.64s'", r->table.name, wanted);
    const char **more = tn_arena_alloc(&s->arena, sizeof *more * (size_t)(r->table.columns + 1));
    if (!more) return tn_out_of_memory(e);
    if (r->table.columns) memcpy(more, r->table.column, sizeof *more * (size_t)r->table.columns);
    more[r->table.columns] = wanted;
    r->table.column = more;
    theirs[i] = r->table.columns++;
  }
  meter->channels = n;
  meter->channel = ours;
  meter->theirs = theirs;
  meter->against = &r->table;
  return TN_OK;
}

static const char *const measure_keys[] = {
    "name",  "run",   "take", "of",       "expression", "norm", "row",  "rows",  "joint", "at",      "from", "to",
    "level", "share", "k",    "channels", "against",    "fact", "vary", "value", "doc",   "without", NULL};
/* of the only run that there is, which has no name */
static const char *const run_measure_keys[] = {"take",    "of",    "expression", "norm",    "row",   "rows", "joint",
                                               "at",      "from",  "to",         "level",   "share", "k",    "channels",
                                               "against", "value", "doc",        "without", NULL};
static const char *const vary_keys[] = {"from", "to", "by", "collect", "where", NULL};

/* the study's own name for an expression, or the expression itself */
static const char *expression_of(const tn_study *s, const char *text) {
  const tn_node *named = tn_node_get(tn_node_get(s->root, "expressions"), text);
  return named && named->kind == TN_NODE_TEXT ? named->text : text;
}

/* a number of the whole run; a sweep has no use for times and failures */
static tn_status figure_named(const tn_study *s, const tn_node *at, const char *const *words, tn_error *e) {
  const char *name[TN_FIGURES], *known[TN_FIGURES + 8];
  char all[400];
  int n = 0;
  const int figures = tn_figure_names(name);
  for (int i = 0; i < figures; i++)
    if (strcmp(name[i], at->text) == 0) return TN_OK;
  for (; words[n]; n++) known[n] = words[n];
  for (int i = 0; i < figures; i++)
    if (!s->one_run || (!tn_figure_timed(name[i]) && strcmp(name[i], "failed") != 0)) known[n++] = name[i];
  tn_names_text(all, sizeof all, ", ", n, known);
  const char *near = tn_nearest(at->text, n, known);
  tn_node_fail(at, e, TN_E_MODEL, "'%.64s' is not known to be measured; known are: %s", at->text, all);
  if (near) tn_hint(e, "did you mean '%s'?", near);
  return TN_E_MODEL;
}

static tn_status signal_of(tn_study *s, tn_finding *m, tn_error *e) {
  static const char *const norms[] = {"inf", "1", "2", NULL},
                           *const which[] = {"all", "holonomic", "nonholonomic", NULL},
                           *const places[] = {"steps", "rows", NULL};
  static const char *const words[] = {"C", "Cdot", "C and Cdot", "error", NULL};
  tn_meter *x = &m->meter;
  const tn_node *n = m->node;
  const char *of, *expression, *take, *joint;
  int row = 0, place, norm;
  TN_TRY(tn_member_text(n, "of", "", &of, e));
  TN_TRY(tn_member_text(n, "expression", "", &expression, e));
  TN_TRY(tn_member_text(n, "take", "max", &take, e));
  TN_TRY(tn_member_text(n, "joint", "", &joint, e));
  TN_TRY(tn_member_word(n, "rows", which, &x->rows, e));
  TN_TRY(tn_member_word(n, "at", places, &place, e));
  TN_TRY(tn_member_word(n, "norm", norms, &norm, e));
  TN_TRY(tn_member_whole(n, "row", 0, 1, 1e9, &row, e));
  TN_TRY(tn_member_number(n, "from", -INFINITY, &x->from, e));
  TN_TRY(tn_member_number(n, "to", INFINITY, &x->to, e));
  if (!(x->from <= x->to)) return tn_node_fail(n, e, TN_E_MODEL, "`from` is later than `to`");
  TN_TRY(tn_member_number(n, "level", 0, &x->level, e));
  if (tn_node_get(n, "share")) TN_TRY(tn_member_number(n, "share", 0, &x->level, e));
  TN_TRY(tn_member_whole(n, "k", 1, 1, 1e9, &x->k, e));
  x->norm = norm;
  x->row = row - 1; /* they are counted from 1 */
  x->at_rows = place == 1;
  x->joint = *joint ? joint : NULL;
  const int taken = tn_take_named(take);
  if (taken < 0)
    return tn_node_fail(tn_node_get(n, "take"), e, TN_E_MODEL, "nothing called '%.64s' can be taken", take);
  x->take = (tn_take)taken;
  if (!*of == !*expression) return tn_node_fail(n, e, TN_E_MODEL, "a measure has either `of` or `expression`");
  if (*expression) {
    const char **one = tn_arena_alloc(&s->arena, sizeof *one);
    x->column = tn_arena_alloc(&s->arena, sizeof *x->column);
    if (!one || !x->column) return tn_out_of_memory(e);
    *one = expression_of(s, expression);
    x->signal = TN_SIGNAL_EXPRESSION;
    x->channels = 1;
    x->channel = one;
    return TN_OK;
  }
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], of) == 0) {
      x->signal = (tn_quantity)i;
      if (i != TN_SIGNAL_ERROR) return TN_OK;
      const char *against;
      TN_TRY(tn_member_text(n, "against", NULL, &against, e));
      for (m->against = s->references - 1; m->against >= 0; m->against--)
        if (strcmp(s->reference[m->against].table.name, against) == 0) break;
      if (m->against < 0)
        return tn_node_fail(tn_node_get(n, "against"), e, TN_E_MODEL, "there is no reference '%.64s'", against);
      return channels(s, m, tn_node_get(n, "channels"), e);
    }
  TN_TRY(figure_named(s, tn_node_get(n, "of"), words, e));
  static const char *const idle[] = {"take", "from", "to", "norm", "row", "rows", "joint", "at", "k"};
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
    if (tn_node_get(n, idle[i]))
      return tn_node_fail(tn_node_get(n, idle[i]), e, TN_E_MODEL,
                          "`%s` is one number of the whole run: `%s` means nothing there", of, idle[i]);
  x->signal = TN_SIGNAL_FIGURE;
  x->figure = of;
  const tn_node *without = tn_node_get(n, "without");
  if (!without) return TN_OK;
  const char **left = tn_arena_alloc(&s->arena, sizeof *left * (size_t)(tn_member_count(without) + 1));
  if (!left) return tn_out_of_memory(e);
  if (strcmp(of, "condition") != 0 || without->kind != TN_NODE_LIST)
    return tn_node_fail(without, e, TN_E_MODEL, "`without` is a list of coordinates that a `condition` leaves out");
  for (const tn_node *c = without->first; c; c = c->next) {
    if (c->kind != TN_NODE_TEXT) return tn_node_fail(c, e, TN_E_MODEL, "this has to be a name");
    left[x->channels++] = c->text;
  }
  x->channel = left;
  return TN_OK;
}

static tn_status vary(tn_finding *m, const tn_node *v, tn_error *e) {
  static const char *const collects[] = {"max", "min", "sum", "first", "last", NULL};
  int collect;
  TN_TRY(tn_members_known(v, vary_keys, e));
  TN_TRY(tn_member_number(v, "from", NAN, &m->from, e));
  TN_TRY(tn_member_number(v, "to", NAN, &m->to, e));
  TN_TRY(tn_member_number(v, "by", 1, &m->by, e));
  TN_TRY(tn_member_word(v, "collect", collects, &collect, e));
  m->collect = (tn_collect)collect;
  m->kind = TN_MEASURE_VARIED;
  if (!(m->from <= m->to) || !(m->by > 0) || !((m->to - m->from) / m->by < 1e5))
    return tn_node_fail(v, e, TN_E_MODEL, "`from`, `to` and `by` do not give a range of at most 100000 numbers");
  if ((collect == TN_COLLECT_FIRST || collect == TN_COLLECT_LAST) && !tn_node_get(v, "where"))
    return tn_node_fail(v, e, TN_E_MODEL, "`where` says of which x the %s is wanted", collects[collect]);
  return TN_OK;
}

tn_status tn_study_measure(tn_study *s, const tn_node *node, const char *name, int *out, tn_error *e) {
  tn_finding *m = &s->measure[s->measures];
  const char *fact, *run;
  *m = (tn_finding){.node = node, .against = -1, .result = NAN};
  if (s->one_run) TN_TRY(tn_members_known(node, run_measure_keys, e));
  TN_TRY(tn_member_text(node, "fact", "", &fact, e));
  if (*fact) {
    m->kind = TN_MEASURE_FACT;
    if (!tn_fact_keys(fact))
      return tn_node_fail(tn_node_get(node, "fact"), e, TN_E_MODEL, "there is no fact '%.64s'", fact);
    TN_TRY(tn_members_known(node, tn_fact_keys(fact), e));
  } else {
    TN_TRY(tn_members_known(node, measure_keys, e));
  }
  TN_TRY(tn_member_text(node, "run", "", &run, e));
  if (tn_node_get(node, "value")) {
    m->kind = TN_MEASURE_VALUE;
  } else if (!*fact) {
    if (!*run && !s->one_run) return tn_node_fail(node, e, TN_E_MODEL, "a measure has a `run`, a `fact` or a `value`");
    if (!(m->plan = s->one_run ? s->plan : plan_named(s, run))) return unknown_run(s, tn_node_get(node, "run"), run, e);
    TN_TRY(signal_of(s, m, e));
    if (tn_node_get(node, "vary")) TN_TRY(vary(m, tn_node_get(node, "vary"), e));
  }
  if (!name) TN_TRY(tn_member_text(node, "name", "", &name, e));
  if (*name) {
    if (tn_study_measure_named(s, name) >= 0)
      return tn_node_fail(node, e, TN_E_MODEL, "there are two measures '%.64s'", name);
    m->name = m->meter.name = name;
  }
  *out = s->measures++;
  return TN_OK;
}

/* expressions may name measures that stand below them */
static tn_status read_values(tn_study *s, tn_finding *m, tn_error *e) {
  TN_TRY(tn_study_expression(s, m->node, "value", &m->value, e));
  return tn_study_expression(s, tn_node_get(m->node, "vary"), "where", &m->where, e);
}

/* whether a measure comes of one that is varied; `where` cannot wait for that */
static bool of_varied(const tn_study *s, int i, int depth) {
  const tn_finding *m = &s->measure[i];
  if (m->kind == TN_MEASURE_VARIED || depth > MOST_LIKE) return true;
  for (int k = 0; m->value && k < tn_expr_slots(m->value); k++)
    if (tn_expr_slot(m->value, k) < s->measures && of_varied(s, tn_expr_slot(m->value, k), depth + 1)) return true;
  return false;
}

static tn_status check_where(const tn_study *s, const tn_finding *m, tn_error *e) {
  for (int k = 0; m->where && k < tn_expr_slots(m->where); k++)
    if (tn_expr_slot(m->where, k) < s->measures && of_varied(s, tn_expr_slot(m->where, k), 0))
      return tn_node_fail(tn_node_get(tn_node_get(m->node, "vary"), "where"), e, TN_E_MODEL,
                          "`where` cannot name measures that are varied themselves, or come of such");
  return TN_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------------------------- */

static const char *const study_keys[] = {"study", "paper",  "title",       "doc",         "publication",
                                         "check", "runs",   "references",  "expressions", "measures",
                                         "rows",  "claims", "assumptions", "figures",     NULL};

static tn_status read_expressions(const tn_study *s, tn_error *e) {
  const tn_node *named = tn_node_get(s->root, "expressions");
  if (named && named->kind != TN_NODE_OBJECT)
    return tn_node_fail(named, e, TN_E_MODEL, "`expressions` has names and expressions");
  for (const tn_node *c = named ? named->first : NULL; c; c = c->next)
    if (c->kind != TN_NODE_TEXT) return tn_node_fail(c, e, TN_E_MODEL, "this has to be an expression");
  return TN_OK;
}

static tn_status read_reference_files(tn_study *s, tn_error *e) {
  for (int i = 0; i < s->references; i++) {
    tn_reference_plan *r = &s->reference[i];
    char path[2048];
    if (!r->path) continue;
    tn_format(path, sizeof path, "%s%s", r->path[0] == '/' ? "" : s->folder, r->path);
    const char *text = NULL;
    size_t size = 0;
    tn_status status = s->files ? tn_file_from(s->files, s->files_user, path, &text, &size, e) : TN_OK;
    if (status == TN_OK)
      status = text ? tn_reference_parse(&r->table, path, text, size, e) : tn_reference_read(&r->table, path, e);
    TN_TRY(tn_placed(status, tn_node_get(r->node, "file"), e));
  }
  return TN_OK;
}

/* those by name; `more` come of rows */
static tn_status read_measures(tn_study *s, int more, tn_error *e) {
  const tn_node *measures = tn_node_get(s->root, "measures");
  int i;
  if (measures && measures->kind != TN_NODE_OBJECT)
    return tn_node_fail(measures, e, TN_E_MODEL, "`measures` has to be an object");
  if (tn_member_count(measures) > MOST_MEASURES || more > MOST_MEASURES - tn_member_count(measures))
    return tn_node_fail(measures ? measures : s->root, e, TN_E_MODEL,
                        "these are more than %d rows, curves and measures", MOST_MEASURES);
  s->measure = tn_arena_alloc(&s->arena, sizeof *s->measure * (size_t)(tn_member_count(measures) + more + 1));
  if (!s->measure) return tn_out_of_memory(e);
  for (const tn_node *c = measures ? measures->first : NULL; c; c = c->next)
    TN_TRY(tn_study_measure(s, c, c->key, &i, e));
  return TN_OK;
}

/* names of all files, for those who must not write over them */
static tn_status list_files(tn_study *s, tn_error *e) {
  s->input = tn_arena_alloc(&s->arena, sizeof *s->input * (size_t)(s->plans + s->references + 1));
  if (!s->input) return tn_out_of_memory(e);
  for (int i = 0; i < s->plans + s->references; i++) {
    char path[2048];
    const char *file = i < s->plans ? NULL : s->reference[i - s->plans].path;
    if (i >= s->plans && !file) continue;
    if (file) tn_format(path, sizeof path, "%s%s", *file == '/' ? "" : s->folder, file);
    if (!file && tn_plan_model(&s->plan[i], s->folder, 0, NULL, path, e) != TN_OK) {
      tn_error_clear(e); /* its run will say so */
      continue;
    }
    if (!(s->input[s->inputs] = tn_arena_text(&s->arena, path, strlen(path)))) return tn_out_of_memory(e);
    s->inputs++;
  }
  return TN_OK;
}

static tn_status read_all(tn_study *s, tn_error *e) {
  static const char *const words[] = {"measured", "paper", "m", "x", "failed", NULL};
  const tn_node *root = s->root, *rows = tn_node_get(root, "rows");
  double version;
  int i;
  s->word = words;
  if (s->replace) TN_TRY(tn_study_replace(&s->arena, s->root, s->replace, e));
  TN_TRY(tn_members_known(root, study_keys, e));
  TN_TRY(tn_member_number(root, "study", NAN, &version, e));
  if (version != 1) return tn_node_fail(root, e, TN_E_MODEL, "it has to begin with \"study\": 1");
  TN_TRY(tn_member_text(root, "paper", "", &s->paper, e));
  TN_TRY(tn_member_text(root, "title", "", &s->title, e));
  TN_TRY(read_expressions(s, e));
  TN_TRY(read_runs(s, tn_node_get(root, "runs"), e));
  TN_TRY(read_references(s, tn_node_get(root, "references"), e));
  TN_TRY(read_reference_files(s, e));
  if (!rows || rows->kind != TN_NODE_LIST || !rows->size)
    return tn_node_fail(rows ? rows : root, e, TN_E_MODEL, "`rows` has to be a list of claims");
  const tn_node *figures = tn_node_get(root, "figures");
  TN_TRY(
      read_measures(s, 2 * tn_member_count(rows) + tn_figures_measures(figures), e)); /* of claims and our own form */
  s->row = tn_arena_alloc(&s->arena, sizeof *s->row * (size_t)(tn_member_count(rows) + 1));
  s->trial = tn_arena_alloc(&s->arena, sizeof *s->trial * (size_t)(s->plans + 1));
  if (!s->row || !s->trial) return tn_out_of_memory(e);
  for (const tn_node *c = rows->first; c; c = c->next) TN_TRY(tn_row_read(s, c, e));
  TN_TRY(tn_claims_read(s, e));
  TN_TRY(tn_figures_read(s, figures, e));
  s->ruled = tn_arena_alloc(&s->arena, sizeof *s->ruled * (size_t)(s->measures + 1));
  s->is_ruled = tn_arena_alloc(&s->arena, sizeof *s->is_ruled * (size_t)(s->measures + 1));
  if (!s->ruled || !s->is_ruled) return tn_out_of_memory(e);
  for (i = 0; i < s->measures; i++) TN_TRY(read_values(s, &s->measure[i], e));
  for (i = 0; i < s->measures; i++) TN_TRY(check_where(s, &s->measure[i], e));
  for (i = 0; i < s->rows; i++) TN_TRY(tn_row_rule(s, &s->row[i], e));
  TN_TRY(tn_figures_rule(s, e));
  TN_TRY(tn_assumptions_read(s, e));
  return list_files(s, e);
}

tn_status tn_study_parse_run(tn_study *s, const char *const *words, tn_error *e) {
  const tn_node *run = tn_node_get(s->root, "run");
  s->word = words;
  s->one_run = true;
  if (!run) return tn_node_fail(s->root, e, TN_E_MODEL, "`run` is missing: a model, and what is varied in it");
  s->plan = tn_arena_alloc(&s->arena, sizeof *s->plan);
  if (!s->plan) return tn_out_of_memory(e);
  const tn_node *idle = tn_node_get(run, "like") ? tn_node_get(run, "like") : tn_node_get(run, "repeat");
  if (idle) return tn_node_fail(idle, e, TN_E_MODEL, "`%s` means nothing here: there is one run", idle->key);
  TN_TRY(read_run(s, run, e));
  TN_TRY(read_expressions(s, e));
  TN_TRY(read_references(s, tn_node_get(s->root, "references"), e));
  for (int i = 0; i < s->references; i++)
    if (!s->reference[i].path)
      return tn_node_fail(s->reference[i].node, e, TN_E_MODEL, "a reference of a sweep is a `file`");
  TN_TRY(read_reference_files(s, e));
  TN_TRY(read_measures(s, 0, e));
  for (int i = 0; i < s->measures; i++) TN_TRY(read_values(s, &s->measure[i], e));
  return TN_OK;
}

tn_status tn_study_parse_json(tn_study *s, const char *path, const char *text, size_t size, tn_error *e) {
  const char *slash = strrchr(path, '/');
  if (slash && (size_t)(slash - path) + 2 > sizeof s->folder) return tn_fail(e, TN_E_USAGE, "this path is too long");
  tn_format(s->folder, sizeof s->folder, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
  if (!(s->path = tn_arena_text(&s->arena, path, strlen(path)))) return tn_out_of_memory(e);
  return tn_json_parse(&s->arena, path, text, size, &s->root, e);
}

tn_status tn_study_parse_text(tn_study *s, const char *path, const char *text, size_t size, tn_error *e) {
  TN_TRY(tn_study_parse_json(s, path, text, size, e));
  return read_all(s, e);
}

tn_status tn_study_parse(tn_study *s, const char *path, tn_error *e) {
  char *read = NULL;
  const char *text = NULL;
  size_t size = 0;
  if (s->files)
    TN_TRY(tn_file_from(s->files, s->files_user, path, &text, &size, e));
  else
    TN_TRY(tn_file_text(&s->arena, path, &read, &size, e));
  return tn_study_parse_text(s, path, text ? text : read, size, e);
}
