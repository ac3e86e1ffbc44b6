/* what is varied in a stabilizer, and between what. the stabilizer is a part of a copy of the model; runs change its numbers there.
 *   (1) a part without numbers gets those of the published one: all of that, if it is a bare word
 *   (2) varied are the fields that the caller names; else the numbers of the part that the published one has, too; if there are none, all
 *       numbers of the part, or, of a type of which nothing is published, the numbers that its fields have by default
 *   (3) between a hundredth and a hundred times where it begins, as far as the field allows */
#include "study/study.h"

static const double SEARCH_SPAN = 100;
static const char place[] = "/run/stabilize";

static const tn_node *part_of(const tn_desc *d) { return tn_node_get(tn_node_get(d->root, "run"), "stabilize"); }

typedef struct buffer {
  tn_arena *arena;
  char *text;
  size_t size, room;
} buffer;

static bool collect(void *user, const char *text, size_t n) {
  buffer *b = user;
  if (b->size + n + 1 > b->room) {
    const size_t room = 2 * (b->room + n) + 4096;
    char *larger = tn_arena_alloc(b->arena, room);
    if (!larger) return false;
    if (b->size) memcpy(larger, b->text, b->size);
    b->text = larger;
    b->room = room;
  }
  memcpy(b->text + b->size, text, n);
  b->size += n;
  b->text[b->size] = 0;
  return true;
}

static tn_status print(tn_tune *t, const tn_desc *d, char **text, tn_error *e) {
  buffer b = {.arena = &t->arena};
  if (tn_desc_print(d, collect, &b, e) != TN_OK) return tn_out_of_memory(e);
  *text = b.text;
  return TN_OK;
}

/* ---- the part ----------------------------------------------------------------------------------------------------------- */

static tn_status find_type(tn_tune *t, const char *part, tn_error *e) {
  const char *all[64] = {NULL};
  const size_t size = strcspn(part, ":");
  int n = 0;
  for (int i = 0; i < tn_stabilizer_type_count; i++) {
    const char *name = tn_stabilizer_types[i]->name;
    if (strlen(name) == size && strncmp(name, part, size) == 0) t->type = tn_stabilizer_types[i];
    if (n < 64) all[n++] = name;
  }
  if (t->type) return TN_OK;
  const char *near = tn_nearest(part, n, all);
  tn_fail(e, TN_E_USAGE, "there is no stabilizer '%.64s'", part);
  if (near) tn_hint(e, "did you mean '%s'?", near);
  return TN_E_USAGE;
}

static bool has_numbers(const tn_node *part) {
  for (const tn_node *k = part->kind == TN_NODE_OBJECT ? part->first : NULL; k; k = k->next)
    if (k->kind == TN_NODE_NUMBER || k->kind == TN_NODE_LIST) return true;
  return false;
}

/* (1): words of its own stay */
static tn_status add_numbers(const tn_tune *t, tn_desc *d, tn_error *e) {
  tn_desc *published = NULL;
  tn_status status = tn_desc_new(&t->arena.allocator, &published, e);
  if (status == TN_OK) status = tn_desc_part(published, place, t->type->published, e);
  const tn_node *k = status == TN_OK ? part_of(published)->first : NULL;
  for (; k && status == TN_OK; k = k->next) {
    char pointer[80];
    if (k->kind != TN_NODE_NUMBER || tn_node_get(part_of(d), k->key)) continue;
    tn_format(pointer, sizeof pointer, "%s/%s", place, k->key);
    status = tn_desc_number(d, pointer, k->number, e);
  }
  tn_desc_free(published);
  return status;
}

/* published numbers may have no place beside the words of the part, such as `rule=paper`, which finds them itself */
static tn_status add_fitting(const tn_tune *t, tn_desc *d, tn_error *e) {
  tn_model *m = NULL;
  TN_TRY(add_numbers(t, d, e));
  const tn_status status = tn_compile(d, &m, e);
  tn_model_free(m);
  if (status != TN_E_MODEL) return status;
  tn_fail(e, TN_E_USAGE, "the published numbers of '%s' do not go with '%.100s'", t->type->name,
          t->options->stabilizer);
  tn_hint(e, "give those that are varied: %.100s,FIELD=NUMBER", t->options->stabilizer);
  return TN_E_USAGE;
}

static tn_status put_part(tn_tune *t, tn_desc *d, tn_error *e) {
  const char *part = t->options->stabilizer;
  TN_TRY(find_type(t, part, e));
  TN_TRY(tn_desc_part(d, place, part, e));
  if (part_of(d)->kind == TN_NODE_TEXT) { /* fields can be put beside the type */
    char typed[80];
    tn_format(typed, sizeof typed, "{\"type\": \"%s\"}", t->type->name);
    return t->type->published ? tn_desc_part(d, place, t->type->published, e) : tn_desc_json(d, place, typed, e);
  }
  return has_numbers(part_of(d)) || !t->type->published ? TN_OK : add_fitting(t, d, e);
}

/* ---- what is varied ----------------------------------------------------------------------------------------------------- */

static const tn_field *field_named(const tn_tune *t, const char *key) {
  for (const tn_field *f = t->type->fields; f && f->key; f++)
    if (f->kind == TN_NUMBER && strcmp(f->key, key) == 0) return f;
  return NULL;
}

static tn_status unknown_field(const tn_tune *t, const char *key, tn_error *e) {
  const char *all[64] = {NULL};
  char list[240];
  int n = 0;
  for (const tn_field *f = t->type->fields; f && f->key && n < 64; f++)
    if (f->kind == TN_NUMBER) all[n++] = f->key;
  const char *near = tn_nearest(key, n, all);
  tn_fail(e, TN_E_USAGE, "stabilizer '%s' has no number '%.64s'", t->type->name, key);
  if (near) {
    tn_hint(e, "did you mean '%s'?", near);
  } else {
    tn_names_text(list, sizeof list, " ", n, all);
    tn_hint(e, "it has: %s", n ? list : "none");
  }
  return TN_E_USAGE;
}

/* (3) */
static tn_status find_range(const tn_tune_range *given, const tn_field *f, tn_tuned *v, tn_error *e) {
  const bool ranged = tn_field_has_range(f);
  const double least = ranged ? fmax(f->lo, 0) : 0, most = ranged ? f->hi : INFINITY;
  v->from = given && given->to > 0 ? given->from : fmax(v->start / SEARCH_SPAN, least);
  v->to = given && given->to > 0 ? given->to : fmin(v->start * SEARCH_SPAN, most);
  if (!(v->from > 0 && v->to > v->from && isfinite(v->to)))
    return tn_fail(e, TN_E_USAGE,
                   "'%.64s' is varied between two positive numbers, the smaller one first, not %g and %g", f->key,
                   v->from, v->to);
  if (v->from < least || v->to > most)
    return tn_fail(e, TN_E_USAGE, "'%.64s' may be %g to %g, and is varied from %g to %g", f->key, least, most, v->from,
                   v->to);
  return TN_OK;
}

static tn_status add(tn_tune *t, tn_desc *d, const tn_field *f, const tn_tune_range *given, tn_error *e) {
  const tn_node *now = tn_node_get(part_of(d), f->key);
  char pointer[80];
  tn_tuned *v = &t->vary[t->varied];
  for (int i = 0; i < t->varied; i++)
    if (strcmp(t->vary[i].field, f->key) == 0) return tn_fail(e, TN_E_USAGE, "'%s' is varied twice", f->key);
  if (t->varied == TN_TUNE_MOST) return tn_fail(e, TN_E_USAGE, "more than %d numbers are varied", (int)TN_TUNE_MOST);
  if (now && now->kind != TN_NODE_NUMBER)
    return tn_fail(e, TN_E_USAGE, "'%s' is not a number where it begins, and cannot be varied", f->key);
  if (!now && !isfinite(f->dflt)) {
    tn_fail(e, TN_E_USAGE, "'%s' has no number to begin with", f->key);
    tn_hint(e, "give it in the stabilizer: %s:%s=1", t->type->name, f->key);
    return TN_E_USAGE;
  }
  tn_format(pointer, sizeof pointer, "%s/%s", place, f->key);
  *v = (tn_tuned){.field = f->key, .unit = f->unit, .start = now ? now->number : f->dflt};
  v->pointer = tn_arena_text(&t->arena, pointer, strlen(pointer));
  if (!v->pointer) return tn_out_of_memory(e);
  if (!(v->start > 0))
    return tn_fail(e, TN_E_USAGE, "'%s' begins at %g: only a positive number is varied, by factors", f->key, v->start);
  t->varied++;
  TN_TRY(find_range(given, f, v, e));
  return now ? TN_OK : tn_desc_number(d, v->pointer, v->start, e);
}

/* a number of the published part */
static bool is_published(const tn_tune *t, const char *key) {
  const size_t n = strlen(key);
  for (const char *at = t->type->published; at && (at = strstr(at, key)); at++)
    if (at > t->type->published && (at[-1] == ':' || at[-1] == ',') && at[n] == '=') return true;
  return false;
}

/* (2), the fields of nobody's choice. 0: numbers that are published, 1: all that are there, 2: those by default */
static tn_status add_usual(tn_tune *t, tn_desc *d, int which, tn_error *e) {
  for (const tn_field *f = t->type->fields; f && f->key; f++) {
    const tn_node *now = tn_node_get(part_of(d), f->key);
    const bool positive = now && now->kind == TN_NODE_NUMBER && now->number > 0;
    if (f->kind != TN_NUMBER) continue;
    if (which == 0 ? positive && is_published(t, f->key) : which == 1 ? positive : !now && f->dflt > 0)
      TN_TRY(add(t, d, f, NULL, e));
  }
  return TN_OK;
}

static tn_status find_varied(tn_tune *t, tn_desc *d, tn_error *e) {
  const tn_tune_options *o = t->options;
  for (int i = 0; i < o->ranges; i++) {
    const tn_field *f = field_named(t, o->range[i].field);
    if (!f) return unknown_field(t, o->range[i].field, e);
    TN_TRY(add(t, d, f, &o->range[i], e));
  }
  for (int which = 0; which < 3 && !t->varied; which++) TN_TRY(add_usual(t, d, which, e));
  if (t->varied) return TN_OK;
  return tn_fail(e, TN_E_USAGE, "stabilizer '%s' has no number that could be varied", t->type->name);
}

/* ---- all of it ---------------------------------------------------------------------------------------------------------- */

/* the published part beside, unless it is where the search begins */
static tn_status put_published(tn_tune *t, tn_desc *d, tn_error *e) {
  if (!t->type->published) return TN_OK;
  buffer own = {.arena = &t->arena}, theirs = own;
  if (!tn_node_print(part_of(d), 0, collect, &own)) return tn_out_of_memory(e);
  TN_TRY(tn_desc_part(d, place, t->type->published, e));
  for (int k = 0; k < t->varied; k++) {
    const tn_node *number = tn_node_get(part_of(d), t->vary[k].field);
    t->vary[k].published = number && number->kind == TN_NODE_NUMBER ? number->number : (double)NAN;
  }
  if (!tn_node_print(part_of(d), 0, collect, &theirs)) return tn_out_of_memory(e);
  const bool same = strcmp(own.text, theirs.text) == 0;
  return same ? TN_OK : print(t, d, &t->published_text, e);
}

/* what is wrong with the model, or with the numbers that it begins with but for their stability, is said before any run */
static tn_status try_start(tn_tune *t, tn_error *e) {
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_status status = tn_desc_new(&t->arena.allocator, &d, e);
  if (status == TN_OK) status = tn_desc_parse(d, t->name, t->text, strlen(t->text), e);
  if (status == TN_OK) status = tn_desc_json(d, "/run/allow_unstable", "true", e);
  if (status == TN_OK) status = tn_compile(d, &m, e);
  if (status == TN_OK && !(m->run.until > 0)) status = tn_fail(e, TN_E_USAGE, "the run has no length");
  if (status == TN_OK && m->rows == 0) status = tn_fail(e, TN_E_USAGE, "the model has no constraint to be violated");
  if (status == TN_OK && !t->options->velocity) t->velocity = m->holonomic == 0;
  tn_model_free(m);
  tn_desc_free(d);
  return status;
}

tn_status tn_tune_describe(tn_tune *t, int row, char **typed, char **json, tn_error *e) {
  const char *text = row == 0 && t->published_text ? t->published_text : t->text;
  tn_desc *d = NULL;
  tn_model *m = NULL;
  buffer block = {.arena = &t->arena};
  tn_status status = tn_desc_new(&t->arena.allocator, &d, e);
  if (status == TN_OK) status = tn_desc_parse(d, t->name, text, strlen(text), e);
  for (int k = 0; k < t->varied && text == t->text && status == TN_OK; k++)
    status = tn_desc_number(d, t->vary[k].pointer, t->row[row].value[k], e);
  if (status == TN_OK && json && !tn_node_print(part_of(d), 1, collect, &block)) status = tn_out_of_memory(e);
  if (status == TN_OK) status = tn_desc_json(d, "/run/allow_unstable", "true", e);
  if (status == TN_OK) status = tn_compile(d, &m, e);
  const char *part = m ? tn_model_stabilizer(m, 0) : "";
  if (status == TN_OK && !(*typed = tn_arena_text(&t->arena, part, strlen(part)))) status = tn_out_of_memory(e);
  if (json) *json = block.text;
  tn_model_free(m);
  tn_desc_free(d);
  return status;
}

tn_status tn_tune_read(tn_tune *t, const tn_desc *desc, tn_error *e) {
  tn_desc *d = NULL;
  TN_TRY(print(t, desc, &t->text, e));
  tn_status status = tn_desc_new(&t->arena.allocator, &d, e);
  if (status == TN_OK) status = tn_desc_parse(d, t->name, t->text, strlen(t->text), e);
  if (status == TN_OK) status = put_part(t, d, e);
  if (status == TN_OK) status = find_varied(t, d, e);
  if (status == TN_OK) status = print(t, d, &t->text, e);
  if (status == TN_OK) status = put_published(t, d, e);
  tn_desc_free(d);
  t->velocity = t->options->velocity;
  return status == TN_OK ? try_start(t, e) : status;
}
