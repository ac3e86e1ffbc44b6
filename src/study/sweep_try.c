/* what would be wrong in every run of a sweep is said once, before them, with its place in the file. the first row and, if it cannot
 * be, the last one are made up to where they would begin. Refused are
 *
 *   (1) a file that is no model, and settings that cannot be put into that of the first row
 *   (2) a measure that asks for what neither row has; where the model of one is wrong itself, the other row decides
 *   (3) a setting that is not varied, if both rows fail, and the model alone has the error of one of them with it and not without it
 *   (4) a parameter of which the model of the first row, with all settings, is the same whatever it is: something else is put in its place
 *
 * Any other error is that of a row, and one of its results. */
#include "study/study.h"

static tn_status refuse(const tn_node *at, tn_error *e) {
  char pointer[sizeof e->pointer + 4];
  tn_node_pointer(at, pointer, sizeof pointer);
  tn_error_at(e, &at->place, pointer);
  return e->status;
}

/* ---- measures ------------------------------------------------------------------------------------------------------------- */

/* a row up to its beginning, as it would be made; blamed: the measure, or -1 */
static tn_status try_row(const tn_sweep *s, int run, int *blamed, tn_error *e) {
  tn_given given[TN_MOST_AXES];
  tn_arena arena;
  tn_trial t;
  tn_arena_init(&arena, &s->study.arena.allocator);
  tn_status status = tn_sweep_trial(s, run, given, &arena, &t);
  *blamed = -1;
  if (status != TN_OK)
    tn_out_of_memory(e);
  else if ((status = tn_trial_try(&t, &s->study.arena.allocator, e)) != TN_OK)
    for (int i = 0, k = 0; i < s->study.measures; i++)
      if (s->study.measure[i].kind == TN_MEASURE_RUN && k++ == t.blamed) *blamed = i;
  tn_arena_free(&arena);
  return status;
}

/* where it says what it asks for */
static const tn_node *asked_at(const tn_sweep *s, const tn_finding *m) {
  static const char *const keys[] = {"expression", "channels", "joint", "row", "rows"};
  const tn_node *at = NULL, *all = tn_node_get(s->study.root, "expressions");
  for (size_t i = 0; i < sizeof keys / sizeof *keys && !at; i++) at = tn_node_get(m->node, keys[i]);
  if (!at) return m->node;
  const tn_node *named = strcmp(at->key, "expression") == 0 ? tn_node_get(all, at->text) : NULL;
  return named ? named : at;
}

/* ---- settings ------------------------------------------------------------------------------------------------------------- */

static bool varies(const tn_sweep *s, const tn_node *node, const tn_given *given) {
  const char *texts[] = {node->key, node->kind == TN_NODE_TEXT ? node->text : NULL};
  for (int i = 0; i < 2; i++)
    for (const char *brace = texts[i]; brace && (brace = strchr(brace, '{')); brace++)
      if (tn_given_at(s->axes, given, brace)) return true;
  for (const tn_node *c = node->first; c; c = c->next)
    if (varies(s, c, given)) return true;
  return false;
}

/* the model of a row with nothing of the sweep but this plan, or with nothing at all: the same error? */
static tn_status same_error(const tn_sweep *s, int run, const tn_plan_of_run *plan, const tn_error *e, bool *same) {
  tn_error other;
  const int model = tn_sweep_model(s, run);
  tn_trial t = {.plan = plan,
                .text = s->model_text[model],
                .text_name = s->model_name[model],
                .enforced = true,
                .own_outputs = true};
  const tn_status status = tn_trial_try(&t, &s->study.arena.allocator, &other);
  *same = status != TN_OK && strcmp(other.message, e->message) == 0;
  return status == TN_E_MEMORY ? status : TN_OK;
}

/* one member of `run`, or of `set` in it, and nothing else */
static tn_status alone(const tn_sweep *s, int row, const tn_node *set, const tn_node *item, const tn_error *e,
                       bool *same) {
  tn_node one = *item, in_set = set ? *set : one, run = *s->study.plan[0].node;
  one.next = in_set.next = NULL;
  run.first = run.last = set ? &in_set : &one;
  if (set) in_set.first = in_set.last = &one;
  run.size = in_set.size = 1;
  const tn_plan_of_run plan = {.name = "", .node = &run};
  return same_error(s, row, &plan, e, same);
}

/* the setting that an error comes of, whatever else is varied; NULL: none */
static tn_status find_setting(const tn_sweep *s, int row, const tn_error *e, const tn_node **at) {
  const tn_node *run = s->study.plan[0].node, *set = tn_node_get(run, "set");
  tn_given given[TN_MOST_AXES];
  bool same = false;
  *at = NULL;
  tn_sweep_given(s, 0, given);
  TN_TRY(same_error(s, row, NULL, e, &same));
  if (same) return TN_OK; /* the model's own */
  for (const tn_node *c = run->first; c; c = c->next) {
    if (c == set || strcmp(c->key, "model") == 0 || varies(s, c, given)) continue;
    TN_TRY(alone(s, row, NULL, c, e, &same));
    if (same) return *at = c, TN_OK;
  }
  for (const tn_node *c = set ? set->first : NULL; c; c = c->next) {
    if (varies(s, c, given)) continue;
    TN_TRY(alone(s, row, set, c, e, &same));
    if (same) return *at = c, TN_OK;
  }
  if (varies(s, run, given)) return TN_OK;
  TN_TRY(same_error(s, row, &s->study.plan[0], e, &same)); /* all of them together */
  *at = same ? run : NULL;
  return TN_OK;
}

/* ---- all of it -------------------------------------------------------------------------------------------------------------- */

/* settings of the first row into its model; the others are models too */
static tn_status try_models(const tn_sweep *s, tn_error *e) {
  tn_desc *d = NULL;
  tn_given given[TN_MOST_AXES];
  tn_sweep_given(s, 0, given);
  tn_status status = tn_desc_new(&s->study.arena.allocator, &d, e);
  for (int i = s->models - 1; i >= 0 && status == TN_OK; i--)
    status = tn_desc_parse(d, s->model_name[i], s->model_text[i], strlen(s->model_text[i]), e);
  if (status == TN_OK) {
    status = tn_plan_apply(&s->study.plan[0], s->axes, given, d, e);
    const tn_node *at = NULL;
    if (status != TN_OK && status != TN_E_MEMORY && !e->file[0]) {
      const tn_status search = find_setting(s, 0, e, &at);
      status = search == TN_OK ? refuse(at ? at : s->study.plan[0].node, e) : tn_out_of_memory(e);
    }
  }
  tn_desc_free(d);
  return status;
}

/* a setting that a row fails of is refused */
static tn_status try_settings(const tn_sweep *s, int row, tn_error *e) {
  const tn_node *at;
  if (find_setting(s, row, e, &at) != TN_OK) return tn_out_of_memory(e);
  return at ? refuse(at, e) : TN_OK;
}

static bool add_to_hash(void *user, const char *text, size_t n) {
  uint64_t *h = user;
  for (size_t i = 0; i < n; i++) *h = (*h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return true;
}

/* of the model of the first row with these values; false: it cannot be made */
static tn_status hash_with(const tn_sweep *s, const tn_given *given, uint64_t *hash, bool *made, tn_error *e) {
  tn_desc *d = NULL;
  tn_error other;
  const int model = tn_sweep_model(s, 0);
  const tn_trial t = {.plan = s->study.plan,
                      .text = s->model_text[model],
                      .text_name = s->model_name[model],
                      .givens = s->axes,
                      .given = given,
                      .enforced = true};
  tn_status status = tn_desc_new(&s->study.arena.allocator, &d, &other);
  if (status == TN_OK) status = tn_trial_describe(&t, d, &other);
  *hash = UINT64_C(0xcbf29ce484222325);
  if (status == TN_OK) status = tn_desc_print(d, add_to_hash, hash, &other);
  tn_desc_free(d);
  *made = status == TN_OK;
  return status == TN_E_MEMORY ? tn_out_of_memory(e) : TN_OK;
}

/* (4) */
static tn_status try_axes(const tn_sweep *s, tn_error *e) {
  tn_given given[TN_MOST_AXES];
  uint64_t with, without;
  bool made;
  tn_sweep_given(s, 0, given);
  TN_TRY(hash_with(s, given, &without, &made, e));
  for (int i = 0; i < s->axes && made; i++) {
    const tn_axis *a = &s->axis[i];
    const tn_given first = given[i];
    if (a == s->model_axis) continue;
    if (s->sensitivity)
      tn_axis_number(a, a->a + a->b, &given[i]);
    else if (tn_axis_random(a) || a->n > 1)
      tn_axis_value(a, s->seed, tn_axis_random(a) ? 1 : a->n - 1, &given[i]);
    const bool other = strcmp(tn_given_text(&first), tn_given_text(&given[i])) != 0;
    bool there = false;
    if (other) TN_TRY(hash_with(s, given, &with, &there, e));
    given[i] = first;
    if (!there || with != without) continue;
    tn_fail(e, TN_E_MODEL, "'%.64s' is varied, and changes nothing", a->name);
    tn_hint(e, "something else of `run` is put in its place");
    return refuse(a->node, e);
  }
  return TN_OK;
}

tn_status tn_sweep_try(const tn_sweep *s, tn_error *e) {
  tn_error other;
  int blamed, blamed_last;
  TN_TRY(try_models(s, e));
  TN_TRY(try_axes(s, e));
  tn_status status = try_row(s, 0, &blamed, e);
  if (status == TN_OK || status == TN_E_MEMORY) return status;
  status = try_row(s, s->runs - 1, &blamed_last, &other);
  if (status == TN_E_MEMORY) return tn_out_of_memory(e);
  if (status != TN_OK) {
    if (blamed < 0) TN_TRY(try_settings(s, 0, e));
    if (blamed < 0) { /* a model that is wrong says nothing of measures */
      *e = other;
      blamed = blamed_last;
      if (blamed < 0) TN_TRY(try_settings(s, s->runs - 1, e));
    }
    if (blamed >= 0 && (blamed_last < 0 || blamed_last == blamed))
      return refuse(asked_at(s, &s->study.measure[blamed]), e);
  }
  tn_error_clear(e);
  return TN_OK;
}
