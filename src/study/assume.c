/* what had to be assumed: what the paper does not say, what is used instead, and what else was tried. A variation replaces members of
 * the study itself. Rows rest on it whose runs, measures or rules it replaces. */
#include "study/claims.h"

/* ---- members in the place of others ------------------------------------------------------------------------------------------ */

/* a list of rows is replaced by their names */
static tn_node *member_of(tn_node *into, const char *key) {
  for (tn_node *c = into->first; c; c = c->next) {
    const tn_node *id = into->kind == TN_NODE_LIST ? tn_node_get(c, "id") : NULL;
    if (id ? id->kind == TN_NODE_TEXT && strcmp(id->text, key) == 0 : c->key && strcmp(c->key, key) == 0) return c;
  }
  return NULL;
}

static tn_status put(tn_arena *arena, tn_node *into, tn_node *there, const tn_node *c, tn_error *e) {
  tn_node *node = there ? there : tn_node_new(arena, c->kind), *next = there ? there->next : NULL;
  if (!node) return tn_out_of_memory(e);
  *node = *c;
  node->next = next;
  node->parent = into;
  if (!there) tn_node_append(into, node);
  return TN_OK;
}

/* of `set` of a run members are values for a model, and replaced as they are */
tn_status tn_study_replace(tn_arena *arena, tn_node *into, const tn_node *replace, tn_error *e) {
  for (const tn_node *c = replace->first; c; c = c->next) {
    tn_node *there = member_of(into, c->key);
    if (!there && into->kind == TN_NODE_LIST) return tn_node_fail(c, e, TN_E_MODEL, "there is no row '%.100s'", c->key);
    const bool deeper = there && c->kind == TN_NODE_OBJECT && !(into->key && strcmp(into->key, "set") == 0);
    if (deeper && (there->kind == TN_NODE_OBJECT || there->kind == TN_NODE_LIST))
      TN_TRY(tn_study_replace(arena, there, c, e));
    else
      TN_TRY(put(arena, into, there, c, e));
  }
  return TN_OK;
}

/* ---- which rows rest on it ------------------------------------------------------------------------------------------------------ */

typedef struct search {
  const tn_study *s;
  const tn_node *replace;
  unsigned char *rests, *timed; /* measures: answer */
} search;
typedef enum answer { UNKNOWN, BUSY, NO, YES } answer; /* BUSY: it is being followed, and needs itself */

static bool replaced(const search *f, const char *group, const char *key) {
  return key && tn_node_get(tn_node_get(f->replace, group), key);
}

/* a run takes a member from one that it is like, unless it has its own */
static bool run_rests(const search *f, const tn_plan_of_run *p) {
  for (const tn_plan_of_run *q = p; q; q = q->like) {
    const tn_node *members = tn_node_get(tn_node_get(f->replace, "runs"), q->name);
    for (const tn_node *c = members ? members->first : NULL; c; c = c->next) {
      bool own = false;
      for (const tn_plan_of_run *r = p; r != q && strcmp(c->key, "set") != 0; r = r->like)
        own = own || tn_node_get(r->node, c->key);
      if (!own) return true;
    }
  }
  return false;
}

static bool measure_rests(const search *f, int i);

static bool named_rests(const search *f, const tn_expr *expr) {
  for (int k = 0; expr && k < tn_expr_slots(expr); k++)
    if (tn_expr_slot(expr, k) < f->s->measures && measure_rests(f, tn_expr_slot(expr, k))) return true;
  return false;
}

static bool measure_rests(const search *f, int i) {
  const tn_finding *m = &f->s->measure[i];
  const tn_node *expression = tn_node_get(m->node, "expression");
  if (f->rests[i] != UNKNOWN) return f->rests[i] == YES;
  f->rests[i] = BUSY;
  const tn_reference_plan *r = m->against >= 0 ? &f->s->reference[m->against] : NULL;
  const bool rests = replaced(f, "measures", m->name) || (m->plan && run_rests(f, m->plan)) ||
                     (expression && replaced(f, "expressions", expression->text)) ||
                     (r && (replaced(f, "references", r->table.name) || (r->plan && run_rests(f, r->plan)))) ||
                     named_rests(f, m->value) || named_rests(f, m->where);
  f->rests[i] = rests ? YES : NO;
  return rests;
}

/* another time each time: a variation would say nothing about it */
static bool is_timed(const search *f, int i) {
  const tn_finding *m = &f->s->measure[i];
  if (m->kind != TN_MEASURE_VALUE) return m->meter.signal == TN_SIGNAL_FIGURE && tn_figure_timed(m->meter.figure);
  bool timed = false;
  if (f->timed[i] != UNKNOWN) return f->timed[i] == YES;
  f->timed[i] = BUSY;
  for (int k = 0; m->value && k < tn_expr_slots(m->value); k++)
    timed = timed || (tn_expr_slot(m->value, k) < f->s->measures && is_timed(f, tn_expr_slot(m->value, k)));
  f->timed[i] = timed ? YES : NO;
  return timed;
}

/* a row that takes long would do so once for each variation */
static bool row_rests(const search *f, const tn_row_plan *r) {
  if (!r->row.quick || (r->measure >= 0 && is_timed(f, r->measure))) return false;
  return replaced(f, "rows", r->row.id) || (r->measure >= 0 && measure_rests(f, r->measure)) ||
         named_rests(f, r->holds);
}

/* ---- the file ------------------------------------------------------------------------------------------------------------------- */

static bool is_run(const tn_study *s, const char *name) {
  for (int i = 0; i < s->plans; i++)
    if (strcmp(s->plan[i].name, name) == 0) return true;
  return false;
}

static int row_named(const tn_study *s, const char *id) {
  for (int i = 0; i < s->rows; i++)
    if (strcmp(s->row[i].row.id, id) == 0) return i;
  return -1;
}

static tn_status check_replace(const tn_study *s, const tn_node *replace, tn_error *e) {
  static const char *const groups[] = {"runs", "references", "expressions", "measures", "rows", NULL};
  TN_TRY(tn_members_known(replace, groups, e));
  for (const tn_node *group = replace->first; group; group = group->next) {
    if (group->kind != TN_NODE_OBJECT) return tn_node_fail(group, e, TN_E_MODEL, "this has to be an object");
    for (const tn_node *c = group->first; c; c = c->next) {
      const bool known = strcmp(group->key, "runs") == 0       ? is_run(s, c->key)
                         : strcmp(group->key, "measures") == 0 ? tn_study_measure_named(s, c->key) >= 0
                         : strcmp(group->key, "rows") == 0
                             ? row_named(s, c->key) >= 0
                             : tn_node_get(tn_node_get(s->root, group->key), c->key) != NULL;
      if (!known) return tn_node_fail(c, e, TN_E_MODEL, "`%s` of the study has no '%.64s'", group->key, c->key);
    }
  }
  return TN_OK;
}

static tn_status read_changes(tn_study *s, tn_variation_plan *v, tn_error *e) {
  static const char *const verdicts[] = {"reproduced", "differs", "not-decidable", NULL};
  const tn_node *changes = tn_node_get(v->node, "changes");
  int verdict;
  if (!changes || changes->kind != TN_NODE_OBJECT)
    return tn_node_fail(changes ? changes : v->node, e, TN_E_MODEL,
                        "`changes` has the rows whose verdicts change, and their verdicts: {} if none does");
  for (const tn_node *c = changes->first; c; c = c->next) {
    const int i = row_named(s, c->key);
    if (i < 0) return tn_node_fail(c, e, TN_E_MODEL, "there is no row '%.100s'", c->key);
    if (!v->rests[i]) return tn_node_fail(c, e, TN_E_MODEL, "'%.100s' does not rest on what is replaced", c->key);
    TN_TRY(tn_member_word(changes, c->key, verdicts, &verdict, e));
    v->said[i] = (tn_verdict)(TN_REPRODUCED + verdict);
    v->variation.said++;
    s->row[i].row.assumptions++;
  }
  return TN_OK;
}

static tn_status read_variation(tn_study *s, tn_assumption_plan *a, const tn_node *node, tn_error *e) {
  static const char *const keys[] = {"to", "replace", "changes", "cost", NULL}, *const costs[] = {"quick", "long",
                                                                                                  NULL};
  tn_variation_plan *v = &a->variation[a->variations];
  const size_t n = (size_t)s->rows;
  int cost;
  *v = (tn_variation_plan){.node = node};
  TN_TRY(tn_members_known(node, keys, e));
  TN_TRY(tn_member_text(node, "to", NULL, &v->variation.to, e));
  TN_TRY(tn_member_word(node, "cost", costs, &cost, e));
  v->variation.quick = cost == 0;
  if (!(v->replace = tn_node_get(node, "replace"))) return tn_node_fail(node, e, TN_E_MODEL, "`replace` is missing");
  TN_TRY(check_replace(s, v->replace, e));
  v->rests = tn_arena_alloc(&s->arena, sizeof *v->rests * n);
  v->said = tn_arena_alloc(&s->arena, sizeof *v->said * n);
  v->used = tn_arena_alloc(&s->arena, sizeof *v->used * n);
  v->found = tn_arena_alloc(&s->arena, sizeof *v->found * n);
  const search f = {s, v->replace, tn_arena_alloc(&s->arena, (size_t)s->measures + 1),
                    tn_arena_alloc(&s->arena, (size_t)s->measures + 1)};
  if (!v->rests || !v->said || !v->used || !v->found || !f.rests || !f.timed) return tn_out_of_memory(e);
  for (int i = 0; i < s->rows; i++) {
    v->rests[i] = row_rests(&f, &s->row[i]);
    a->rests[i] = a->rests[i] || v->rests[i];
    v->variation.rows += v->rests[i];
  }
  if (!v->variation.rows) return tn_node_fail(v->replace, e, TN_E_MODEL, "no row rests on what is replaced");
  a->variations++;
  return read_changes(s, v, e);
}

/* where nothing else can be tried the file says which rows rest on it */
static tn_status read_rows(tn_study *s, tn_assumption_plan *a, const tn_node *node, tn_error *e) {
  const tn_node *rows = tn_node_get(node, "rows");
  if (rows && rows->kind != TN_NODE_LIST) return tn_node_fail(rows, e, TN_E_MODEL, "`rows` is a list of names of rows");
  for (const tn_node *c = rows ? rows->first : NULL; c; c = c->next) {
    int found = 0;
    if (c->kind != TN_NODE_TEXT) return tn_node_fail(c, e, TN_E_MODEL, "this has to be the name of a row");
    for (int i = 0; i < s->rows; i++) {
      if (!tn_row_is(c->text, s->row[i].row.id)) continue;
      a->rests[i] = true;
      found++;
    }
    if (!found) return tn_node_fail(c, e, TN_E_MODEL, "there is no row '%.100s'", c->text);
  }
  return TN_OK;
}

static tn_status read_assumption(tn_study *s, const tn_node *node, tn_error *e) {
  static const char *const keys[] = {"what", "used", "why", "rows", "varied", "not_varied", NULL};
  tn_assumption_plan *a = &s->assumption[s->assumptions];
  const tn_node *varied = tn_node_get(node, "varied");
  TN_TRY(tn_members_known(node, keys, e));
  *a = (tn_assumption_plan){0};
  TN_TRY(tn_member_text(node, "what", NULL, &a->assumption.what, e));
  TN_TRY(tn_member_text(node, "used", NULL, &a->assumption.used, e));
  TN_TRY(tn_member_text(node, "why", NULL, &a->assumption.why, e));
  if (varied && (varied->kind != TN_NODE_LIST || !varied->size))
    return tn_node_fail(varied, e, TN_E_MODEL, "`varied` is a list of what else was tried");
  if (!varied == !tn_node_get(node, "not_varied"))
    return tn_node_fail(node, e, TN_E_MODEL, "an assumption has either `varied`, or the reason in `not_varied`");
  if (!varied) TN_TRY(tn_member_text(node, "not_varied", NULL, &a->assumption.not_varied, e));
  a->rests = tn_arena_alloc(&s->arena, sizeof *a->rests * (size_t)s->rows);
  a->variation = tn_arena_alloc(&s->arena, sizeof *a->variation * (size_t)(tn_member_count(varied) + 1));
  if (!a->rests || !a->variation) return tn_out_of_memory(e);
  s->assumptions++;
  TN_TRY(read_rows(s, a, node, e));
  for (const tn_node *c = varied ? varied->first : NULL; c; c = c->next) TN_TRY(read_variation(s, a, c, e));
  for (int i = 0; i < s->rows; i++) a->assumption.rows += a->rests[i];
  return TN_OK;
}

tn_status tn_assumptions_read(tn_study *s, tn_error *e) {
  const tn_node *all = tn_node_get(s->root, "assumptions");
  if (!all || s->replace) return TN_OK; /* of a variation they would be those of the study that is varied */
  if (all->kind != TN_NODE_LIST) return tn_node_fail(all, e, TN_E_MODEL, "`assumptions` has to be a list");
  s->assumption = tn_arena_alloc(&s->arena, sizeof *s->assumption * (size_t)(tn_member_count(all) + 1));
  if (!s->assumption) return tn_out_of_memory(e);
  for (const tn_node *c = all->first; c; c = c->next) TN_TRY(read_assumption(s, c, e));
  return TN_OK;
}

const tn_study_assumption *tn_study_assumption_at(const tn_study *s, int i) {
  return s && i >= 0 && i < s->assumptions ? &s->assumption[i].assumption : NULL;
}

const tn_study_variation *tn_study_variation_at(const tn_study *s, int assumption, int i) {
  if (!tn_study_assumption_at(s, assumption)) return NULL;
  const tn_assumption_plan *a = &s->assumption[assumption];
  return i >= 0 && i < a->variations ? &a->variation[i].variation : NULL;
}
