/* a sweep file: one run, what is varied in it, what is measured. runs are numbered: first what is random, then the last of `vary`
 * changes fastest. */
#include "study/study.h"

static const char *const sweep_keys[] = {"sweep",       "title",      "doc",     "kind", "run",
                                         "vary",        "together",   "samples", "seed", "measures",
                                         "expressions", "references", NULL};

/* ---- what is varied ------------------------------------------------------------------------------------------------------- */

static tn_status read_axes(tn_sweep *s, const char **words, tn_error *e) {
  const tn_node *vary = tn_node_get(s->study.root, "vary");
  if (!vary || vary->kind != TN_NODE_OBJECT || !vary->size)
    return tn_node_fail(vary ? vary : s->study.root, e, TN_E_MODEL, "`vary` has names and what they are to be");
  if (vary->size > TN_MOST_AXES)
    return tn_node_fail(vary, e, TN_E_MODEL, "more than %d parameters are varied", TN_MOST_AXES);
  s->axis = tn_arena_alloc(&s->study.arena, sizeof *s->axis * vary->size);
  if (!s->axis) return tn_out_of_memory(e);
  for (const tn_node *c = vary->first; c; c = c->next) {
    words[s->axes] = c->key;
    TN_TRY(tn_axis_read(&s->study.arena, c, s->sensitivity, &s->axis[s->axes++], e));
  }
  words[s->axes] = NULL;
  return TN_OK;
}

static tn_axis *axis_named(const tn_sweep *s, const char *name) {
  for (int i = 0; i < s->axes; i++)
    if (strcmp(s->axis[i].name, name) == 0) return &s->axis[i];
  return NULL;
}

static tn_status no_parameter(const tn_sweep *s, const tn_node *at, const char *name, tn_error *e) {
  const char *known[TN_MOST_AXES];
  for (int i = 0; i < s->axes; i++) known[i] = s->axis[i].name;
  const char *near = tn_nearest(name, s->axes, known);
  tn_node_fail(at, e, TN_E_MODEL, "'%.64s' is not varied", name);
  if (near) tn_hint(e, "did you mean '%s'?", near);
  return TN_E_MODEL;
}

/* lists that are walked together share a place in the product: leader[i] is the first of those that axis i goes with */
static tn_status read_together(const tn_sweep *s, int *leader, tn_error *e) {
  const tn_node *all = tn_node_get(s->study.root, "together");
  for (int i = 0; i < s->axes; i++) leader[i] = i;
  if (!all) return TN_OK;
  if (all->kind != TN_NODE_LIST) return tn_node_fail(all, e, TN_E_MODEL, "`together` is a list of lists of names");
  for (const tn_node *group = all->first; group; group = group->next) {
    if (group->kind != TN_NODE_LIST || group->size < 2)
      return tn_node_fail(group, e, TN_E_MODEL, "this has to be a list of at least two names");
    int first = -1;
    for (const tn_node *c = group->first; c; c = c->next) {
      tn_axis *a = c->kind == TN_NODE_TEXT ? axis_named(s, c->text) : NULL;
      if (!a && c->kind == TN_NODE_TEXT) return no_parameter(s, c, c->text, e);
      if (!a) return tn_node_fail(c, e, TN_E_MODEL, "this has to be the name of a parameter");
      const int i = (int)(a - s->axis);
      if (tn_axis_random(a) || a->kind == TN_AXIS_AT)
        return tn_node_fail(c, e, TN_E_MODEL, "'%.64s' is no grid and no list", c->text);
      bool taken = leader[i] != i;
      for (int k = 0; k < s->axes; k++) taken = taken || (k != i && leader[k] == i);
      if (taken || i == first) return tn_node_fail(c, e, TN_E_MODEL, "'%.64s' stands here twice", c->text);
      if (first >= 0 && a->n != s->axis[first].n)
        return tn_node_fail(c, e, TN_E_MODEL, "'%.64s' has %d values, and '%.64s' %d", s->axis[first].name,
                            s->axis[first].n, c->text, a->n);
      if (first < 0) first = i;
      leader[i] = first;
    }
  }
  return TN_OK;
}

/* what random numbers begin with; one that is left out is 1 */
static tn_status read_seed(tn_sweep *s, tn_error *e) {
  double seed;
  TN_TRY(tn_member_number(s->study.root, "seed", 1, &seed, e));
  if (!(seed >= 0 && seed <= 0x1p53 && seed == floor(seed)))
    return tn_node_fail(tn_node_get(s->study.root, "seed"), e, TN_E_MODEL, "`seed` is a whole number from 0 to 2^53");
  s->seed = (uint64_t)seed;
  return TN_OK;
}

static tn_status count_runs(tn_sweep *s, tn_error *e) {
  const tn_node *root = s->study.root, *samples = tn_node_get(root, "samples"), *seed = tn_node_get(root, "seed");
  int leader[TN_MOST_AXES] = {0};
  bool random = false;
  TN_TRY(read_seed(s, e));
  TN_TRY(tn_member_whole(root, "samples", 0, 1, TN_MOST_RUNS, &s->samples, e));
  TN_TRY(read_together(s, leader, e));
  for (int i = 0; i < s->axes; i++) random = random || tn_axis_random(&s->axis[i]);
  if (random && !samples)
    return tn_node_fail(root, e, TN_E_MODEL, "`samples` is missing: how many random values are to be taken");
  if (!random && (samples || seed))
    return tn_node_fail(samples ? samples : seed, e, TN_E_MODEL, "nothing here is random: `%s` means nothing",
                        samples ? "samples" : "seed");
  if (s->sensitivity) {
    s->runs = 1 + TN_BESIDE * s->axes;
    return TN_OK;
  }
  int64_t runs = random ? s->samples : 1;
  for (int i = s->axes - 1; i >= 0; i--) {
    tn_axis *a = &s->axis[i];
    if (tn_axis_random(a) || leader[i] != i) continue;
    a->per = (int)runs;
    runs *= a->n; /* each at most 1e7 */
    if (runs > TN_MOST_RUNS)
      return tn_node_fail(tn_node_get(root, "vary"), e, TN_E_MODEL, "these are more than %d runs", TN_MOST_RUNS);
  }
  for (int i = 0; i < s->axes; i++) s->axis[i].per = s->axis[leader[i]].per;
  s->runs = (int)runs;
  return TN_OK;
}

void tn_sweep_given(const tn_sweep *s, int run, tn_given *given) {
  static const double away[TN_BESIDE] = {1, -1, 0.5, -0.5, 0.5, -0.5};
  for (int i = 0; i < s->axes; i++) {
    const tn_axis *a = &s->axis[i];
    if (s->sensitivity)
      tn_axis_number(a, run > 0 && (run - 1) / TN_BESIDE == i ? a->a + away[(run - 1) % TN_BESIDE] * a->b : a->a,
                     &given[i]);
    else
      tn_axis_value(a, s->seed, tn_axis_random(a) ? run % s->samples : run / a->per % a->n, &given[i]);
  }
}

/* ---- where it is used ------------------------------------------------------------------------------------------------------- */

static bool repeats(const tn_node *node) {
  bool found = node->key && strcmp(node->key, "repeat") == 0;
  for (const tn_node *c = node->first; c && !found; c = c->next) found = repeats(c);
  return found;
}

/* {name} in a text: varied, and noted as used; braces inside a `repeat` may be its own */
static tn_status look_in(const tn_sweep *s, const tn_node *at, const char *text, const tn_given *given, bool own,
                         bool *used, tn_error *e) {
  for (const char *brace = text; (brace = strchr(brace, '{')); brace++) {
    const tn_given *g = tn_given_at(s->axes, given, brace);
    if (g && g->name[0] != '/') used[g - given] = true;
    const size_t n = strcspn(brace + 1, "{}");
    char name[64];
    if (g || own || !n || n >= sizeof name || brace[1 + n] != '}') continue;
    tn_format(name, sizeof name, "%.*s", (int)n, brace + 1);
    return no_parameter(s, at, name, e);
  }
  return TN_OK;
}

static tn_status look(const tn_sweep *s, const tn_node *node, const tn_given *given, bool own, bool *used,
                      tn_error *e) {
  if (node->kind == TN_NODE_TEXT && !(node->key && strcmp(node->key, "doc") == 0))
    TN_TRY(look_in(s, node, node->text, given, own, used, e));
  for (const tn_node *c = node->first; c; c = c->next) TN_TRY(look(s, c, given, own, used, e));
  return TN_OK;
}

static tn_status check_names(const tn_sweep *s, tn_error *e) {
  const tn_node *run = s->study.plan[0].node;
  tn_given given[TN_MOST_AXES];
  bool used[TN_MOST_AXES] = {false};
  tn_sweep_given(s, 0, given);
  for (const tn_node *c = run->first; c; c = c->next) TN_TRY(look(s, c, given, repeats(c), used, e));
  const tn_node *set = tn_node_get(run, "set");
  for (const tn_node *c = set ? set->first : NULL; c; c = c->next)
    TN_TRY(look_in(s, c, c->key, given, repeats(c), used, e));
  for (int i = 0; i < s->axes; i++) {
    const char *name = s->axis[i].name;
    if (name[0] != '/' && !used[i]) {
      tn_node_fail(s->axis[i].node, e, TN_E_MODEL, "'%.64s' is varied and used nowhere in `run`", name);
      tn_hint(e, "write {%.64s} into a text there, or vary a pointer into the model, as /constants/%.64s", name, name);
      return TN_E_MODEL;
    }
    for (int k = 0; k < s->study.measures; k++)
      if (strcmp(s->study.measure[k].name, name) == 0)
        return tn_node_fail(s->study.measure[k].node, e, TN_E_MODEL, "'%.64s' is varied and measured: one name for two",
                            name);
  }
  return TN_OK;
}

/* ---- measures ------------------------------------------------------------------------------------------------------------- */

/* after those that it names */
static tn_status place(tn_sweep *s, int i, int depth, unsigned char *state, int *n, tn_error *e) {
  const tn_finding *m = &s->study.measure[i];
  if (state[i] == 2) return TN_OK;
  if (state[i] == 1 || depth > 256) return tn_node_fail(m->node, e, TN_E_MODEL, "this measure needs itself");
  state[i] = 1;
  for (int k = 0; m->value && k < tn_expr_slots(m->value); k++)
    if (tn_expr_slot(m->value, k) < s->study.measures)
      TN_TRY(place(s, tn_expr_slot(m->value, k), depth + 1, state, n, e));
  state[i] = 2;
  s->order[(*n)++] = i;
  return TN_OK;
}

static tn_status check_measures(tn_sweep *s, tn_error *e) {
  tn_study *st = &s->study;
  if (!st->measures) return tn_node_fail(st->root, e, TN_E_MODEL, "`measures` says what is measured: there is nothing");
  unsigned char *state = tn_arena_alloc(&st->arena, (size_t)st->measures);
  s->order = tn_arena_alloc(&st->arena, sizeof *s->order * (size_t)st->measures);
  if (!state || !s->order) return tn_out_of_memory(e);
  int n = 0;
  for (int i = 0; i < st->measures; i++) {
    const tn_finding *m = &st->measure[i];
    const char *figure = m->meter.signal == TN_SIGNAL_FIGURE && m->meter.figure ? m->meter.figure : "";
    if (!m->name || strlen(m->name) > 200 || strcmp(m->name, "run") == 0 || strcmp(m->name, "failure") == 0)
      return tn_node_fail(m->node, e, TN_E_MODEL, "this cannot be the name of a measure");
    if (tn_figure_timed(figure))
      return tn_node_fail(m->node, e, TN_E_MODEL,
                          "'%s' is another one each time, and results of a sweep do not depend on that", figure);
    if (strcmp(figure, "failed") == 0)
      return tn_node_fail(m->node, e, TN_E_MODEL,
                          "a run that fails is a row without values: there is nothing to measure");
    for (int k = 0; m->value && k < tn_expr_slots(m->value); k++) {
      const int slot = tn_expr_slot(m->value, k) - TN_SLOT_MEASURED;
      tn_given given;
      for (int v = 0; slot >= 0 && s->axis[slot].kind == TN_AXIS_LIST && v < s->axis[slot].n; v++) {
        tn_axis_value(&s->axis[slot], 0, v, &given);
        if (given.text) return tn_node_fail(m->node, e, TN_E_MODEL, "'%.64s' has texts for values", given.name);
      }
    }
    TN_TRY(place(s, i, 0, state, &n, e));
  }
  return TN_OK;
}

/* ---- models --------------------------------------------------------------------------------------------------------------- */

/* `model` may name one list: of files */
static tn_status read_models(tn_sweep *s, tn_error *e) {
  const tn_node *model = tn_plan_get(&s->study.plan[0], "model");
  tn_given given[TN_MOST_AXES];
  if (model->kind != TN_NODE_TEXT) return tn_node_fail(model, e, TN_E_MODEL, "`model` has to be a text");
  tn_sweep_given(s, 0, given);
  s->models = 1;
  for (const char *brace = model->text; (brace = strchr(brace, '{')); brace++) {
    const tn_given *g = tn_given_at(s->axes, given, brace);
    const tn_axis *a = g ? &s->axis[g - given] : NULL;
    if (!a) continue;
    if (a->kind != TN_AXIS_LIST || (s->model_axis && s->model_axis != a))
      return tn_node_fail(model, e, TN_E_MODEL, "a model can be varied by one list of texts alone");
    s->model_axis = a;
    s->models = a->n;
  }
  s->model_text = tn_arena_alloc(&s->study.arena, sizeof *s->model_text * (size_t)s->models);
  s->model_name = tn_arena_alloc(&s->study.arena, sizeof *s->model_name * (size_t)s->models);
  if (!s->model_text || !s->model_name) return tn_out_of_memory(e);
  for (int i = 0; i < s->models; i++) {
    char path[TN_PATH];
    size_t size;
    tn_given *which = s->model_axis ? &given[s->model_axis - s->axis] : NULL;
    if (which) tn_axis_value(s->model_axis, 0, i, which);
    const tn_node *at = which ? which->node : model;
    TN_TRY(tn_plan_model(&s->study.plan[0], s->study.folder, s->axes, given, path, e));
    TN_TRY(tn_placed(tn_file_text(&s->study.arena, path, &s->model_text[i], &size, e), at, e));
    if (strlen(s->model_text[i]) != size) return tn_node_fail(at, e, TN_E_MODEL, "'%.200s' is no text", path);
    if (!(s->model_name[i] = tn_arena_text(&s->study.arena, path, strlen(path)))) return tn_out_of_memory(e);
  }
  return TN_OK;
}

/* ---- all of it -------------------------------------------------------------------------------------------------------------- */

static tn_status make_fingerprint(tn_sweep *s, const char *text, tn_error *e) {
  char built[512];
  int n = 0;
  const char **all = tn_arena_alloc(&s->study.arena, sizeof *all * (size_t)(3 + s->models + s->study.references));
  s->reference_name = tn_arena_alloc(&s->study.arena, sizeof *s->reference_name * (size_t)(s->study.references + 1));
  if (!all || !s->reference_name) return tn_out_of_memory(e);
  tn_built_with(built, sizeof built);
  all[n++] = tn_version();
  all[n++] = built;
  all[n++] = text;
  for (int i = 0; i < s->models; i++) all[n++] = s->model_text[i];
  for (int i = 0; i < s->study.references; i++) {
    char path[2 * TN_PATH], *table;
    size_t size;
    const char *file = s->study.reference[i].path;
    tn_format(path, sizeof path, "%s%s", file[0] == '/' ? "" : s->study.folder, file);
    TN_TRY(tn_file_text(&s->study.arena, path, &table, &size, e));
    s->reference_name[i] = tn_arena_text(&s->study.arena, path, strlen(path));
    if (!s->reference_name[i]) return tn_out_of_memory(e);
    all[n++] = table;
  }
  tn_fingerprint(n, all, s->fingerprint);
  return TN_OK;
}

tn_status tn_sweep_parse_text(tn_sweep *s, const char *path, const char *text, size_t size, tn_error *e) {
  static const char *const kinds[] = {"table", "sensitivity", NULL};
  const char **words = tn_arena_alloc(&s->study.arena, sizeof *words * (TN_MOST_AXES + 1));
  double version;
  int kind;
  if (!words) return tn_out_of_memory(e);
  s->text = text;
  TN_TRY(tn_study_parse_json(&s->study, path, text, size, e));
  const tn_node *root = s->study.root;
  TN_TRY(tn_member_number(root, "sweep", NAN, &version, e)); /* before all else: it may be a model */
  if (version != 1) return tn_node_fail(root, e, TN_E_MODEL, "it has to begin with \"sweep\": 1");
  TN_TRY(tn_members_known(root, sweep_keys, e));
  TN_TRY(tn_member_text(root, "title", "", &s->study.title, e));
  TN_TRY(tn_member_word(root, "kind", kinds, &kind, e));
  s->sensitivity = kind == 1;
  TN_TRY(read_axes(s, words, e));
  TN_TRY(count_runs(s, e));
  TN_TRY(tn_study_parse_run(&s->study, words, e));
  TN_TRY(check_measures(s, e));
  TN_TRY(check_names(s, e));
  TN_TRY(read_models(s, e));
  TN_TRY(tn_sweep_try(s, e));
  return make_fingerprint(s, text, e);
}
