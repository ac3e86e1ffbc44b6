/* field tables: one declaration of a parameter gives its reading, default, range and messages. */
#include "model/model.h"

#include <assert.h>
#include <limits.h>

static const tn_field *find(const tn_field *fields, const char *key) {
  for (const tn_field *f = fields; f && f->key; f++)
    if (strcmp(f->key, key) == 0 || strcmp(f->key, "*") == 0) return f;
  return NULL;
}

/* the member of an object that takes a key which the object itself does not */
static const char *section_of(const tn_field *fields, const char *key) {
  for (const tn_field *f = fields; f && f->key; f++) {
    const tn_field *inside = f->kind == TN_OBJECT ? f->inside : NULL;
    if (f->kind == TN_PART && strcmp(f->choices, "integrator") == 0) inside = tn_integrator_fields;
    for (const tn_field *k = inside; k && k->key; k++)
      if (strcmp(k->key, key) == 0) return f->key;
  }
  return NULL;
}

tn_status tn_keys_known(tn_context *c, const tn_node *object, const tn_field *fields, const tn_field *common) {
  if (object->kind != TN_NODE_OBJECT) return tn_refuse(c, object, "an object is needed here");
  for (const tn_node *k = object->first; k; k = k->next) {
    if (tn_node_is_own(k) || find(fields, k->key) || find(common, k->key)) continue;
    const char *names[64] = {NULL};
    int n = 0;
    for (const tn_field *f = fields; f && f->key && n < 64; f++) names[n++] = f->key;
    for (const tn_field *f = common; f && f->key && n < 64; f++) names[n++] = f->key;
    const char *near = tn_nearest(k->key, n, names);
    tn_refuse_key(c, k, "unknown key '%s'", k->key);
    const char *inside = section_of(fields, k->key);
    if (near)
      tn_hint(c->e, "did you mean '%s'?", near);
    else if (inside)
      tn_hint(c->e, "it stands inside `%s`", inside);
    return TN_E_MODEL;
  }
  return TN_OK;
}

bool tn_field_has_range(const tn_field *f) { return f->lo != 0 || f->hi != 0; }

void tn_field_range_text(const tn_field *f, char *text, size_t size) {
  const bool positive = f->lo == TN_POSITIVE, open = isinf(f->hi);
  if (!tn_field_has_range(f))
    *text = 0;
  else if (positive && open)
    tn_format(text, size, " > 0");
  else if (positive)
    tn_format(text, size, " > 0, at most %g", f->hi);
  else if (open)
    tn_format(text, size, " >= %g", f->lo);
  else
    tn_format(text, size, " from %g to %g", f->lo, f->hi);
}

tn_status tn_unknown(tn_context *c, const tn_node *at, const char *what, const char *word, int n,
                     const char *const *known) {
  char list[240];
  const char *near = tn_nearest(word, n, known);
  tn_refuse(c, at, "unknown %s '%s'", what, word);
  if (near) {
    tn_hint(c->e, "did you mean '%s'?", near);
  } else {
    tn_names_text(list, sizeof list, " ", n, known);
    tn_hint(c->e, "known: %s", list);
  }
  return TN_E_MODEL;
}

tn_status tn_word_at(tn_context *c, const tn_node *node, const char *what, const char **word) {
  if (node->kind != TN_NODE_TEXT) return tn_refuse(c, node, "`%s` must be a word", what);
  *word = node->text;
  return TN_OK;
}

tn_status tn_type_word(tn_context *c, const tn_node *node, const char **word) {
  const tn_node *type = node;
  if (node->kind == TN_NODE_OBJECT && !(type = tn_node_get(node, "type"))) return tn_missing(c, node, "type");
  if (type->kind != TN_NODE_TEXT) return tn_refuse(c, type, "`type` must be a word");
  *word = type->text;
  return TN_OK;
}

/* the index of a word among blank-separated choices, or -1 */
static int choice(const char *choices, const char *word) {
  const size_t n = strlen(word);
  for (int i = 0; *choices; i++) {
    const size_t k = strcspn(choices, " ");
    if (k == n && strncmp(choices, word, n) == 0) return i;
    choices += k + (choices[k] == ' ');
  }
  return -1;
}

/* a number or expression that the motion follows */
static tn_status law_at(tn_context *c, const tn_node *node, tn_class allowed, const tn_expr **x) {
  c->switching = true;
  const tn_status status = tn_expr_at(c, node, allowed, 1, x);
  c->switching = false;
  return status;
}

/* in the range of a field */
static tn_status check_range(tn_context *c, const tn_node *node, const tn_field *f, double value) {
  if (!tn_field_has_range(f) || (value >= f->lo && value <= f->hi)) return TN_OK;
  if (f->lo == TN_POSITIVE && isinf(f->hi)) return tn_refuse(c, node, "`%s` must be positive, not %g", f->key, value);
  if (f->lo == TN_POSITIVE)
    return tn_refuse(c, node, "`%s` must be positive and at most %g, not %g", f->key, f->hi, value);
  if (isinf(f->hi)) return tn_refuse(c, node, "`%s` must be at least %g, not %g", f->key, f->lo, value);
  return tn_refuse(c, node, "`%s` must be between %g and %g, not %g", f->key, f->lo, f->hi, value);
}

static tn_status read_number(tn_context *c, const tn_node *node, const tn_field *f, void *at) {
  double value;
  TN_TRY(tn_number_at(c, node, &value));
  TN_TRY(check_range(c, node, f, value));
  if (f->unit && (strcmp(f->unit, "rad") == 0 ||
                  (strcmp(f->unit, "m or rad") == 0 && c->has_own && tn_measure_unit(c->m, &c->own) == TN_ANGLE)))
    tn_warn_angle(c, node);
  memcpy(at, &value, sizeof value);
  return TN_OK;
}

static tn_status read_integer(tn_context *c, const tn_node *node, const tn_field *f, void *at) {
  double value;
  TN_TRY(tn_number_at(c, node, &value));
  if (value != floor(value)) return tn_refuse(c, node, "`%s` must be a whole number, not %g", f->key, value);
  TN_TRY(check_range(c, node, f, value));
  if (!(fabs(value) <= INT_MAX))
    return tn_refuse(c, node, "`%s` must be between %d and %d, not %g", f->key, -INT_MAX, INT_MAX, value);
  const int whole = (int)value;
  memcpy(at, &whole, sizeof whole);
  return TN_OK;
}

static tn_status read_vector(tn_context *c, const tn_node *node, const tn_field *f, void *at) {
  double value[3];
  if (f->n)
    TN_TRY(tn_numbers_at(c, node, f->n, value));
  else
    TN_TRY(tn_vector_at(c, node, value));
  for (int i = 0; i < f->n && tn_field_has_range(f); i++)
    if (!(value[i] >= f->lo && value[i] <= f->hi))
      return tn_refuse(c, node, "the numbers of `%s` must be %s, not %g", f->key,
                       f->lo == TN_POSITIVE ? "positive" : "in their range", value[i]);
  memcpy(at, value, sizeof *value * (size_t)(f->n ? f->n : 3));
  return TN_OK;
}

static tn_status read_matrix(tn_context *c, const tn_node *node, const tn_field *f, void *at) {
  double value[36];
  const int n = f->n ? f->n : c->m->wrench;
  TN_TRY(tn_matrix_at(c, node, f->key, n, value));
  memcpy(at, value, sizeof *value * (size_t)(n * n));
  return TN_OK;
}

static tn_status read_direction(tn_context *c, const tn_node *node, const tn_field *f, void *at) {
  double value[3];
  (void)f;
  TN_TRY(tn_direction_at(c, node, value));
  memcpy(at, value, sizeof value);
  return TN_OK;
}

static tn_status read_word(tn_context *c, const tn_node *node, const tn_field *f, void *at) {
  const char *word = "";
  TN_TRY(tn_word_at(c, node, f->key, &word));
  const int i = choice(f->choices, word);
  if (i < 0) return tn_refuse(c, node, "`%s` is one of: %s; not '%s'", f->key, f->choices, word);
  memcpy(at, &i, sizeof i);
  return TN_OK;
}

static tn_status read_boolean(tn_context *c, const tn_node *node, const tn_field *f, void *at) {
  if (node->kind != TN_NODE_BOOL) return tn_refuse(c, node, "`%s` must be true or false", f->key);
  const int value = node->boolean;
  memcpy(at, &value, sizeof value);
  return TN_OK;
}

static tn_status read_time(tn_context *c, const tn_node *node, const tn_field *f, void *at) {
  const tn_expr *x;
  (void)f;
  TN_TRY(law_at(c, node, TN_CLASS_TIME, &x));
  c->m->uses_time = c->m->uses_time || tn_expr_uses_time(x);
  memcpy(at, &x, sizeof x);
  return TN_OK;
}

static tn_status read_running(tn_context *c, const tn_node *node, const tn_field *f, void *at) {
  if (!c->names_ready) return TN_OK; /* tn_fields_running will */
  const tn_expr *x[3] = {NULL, NULL, NULL};
  const int n = f->n ? f->n : c->m->dimension;
  if (n == 1) {
    TN_TRY(law_at(c, node, TN_CLASS_RUNNING, x));
  } else {
    if (node->kind != TN_NODE_LIST || (int)node->size != n)
      return tn_refuse(c, node, "`%s` must be a list of %d numbers or expressions", f->key, n);
    const tn_node *k = node->first;
    for (int i = 0; i < n; i++, k = k->next) TN_TRY(law_at(c, k, TN_CLASS_RUNNING, &x[i]));
  }
  for (int i = 0; i < n; i++) c->m->uses_time = c->m->uses_time || tn_expr_uses_time(x[i]);
  memcpy(at, x, sizeof *x * (size_t)(f->n ? f->n : 3));
  return TN_OK;
}

/* the kinds that are read from the table; the others are read by those who make frames and terms */
typedef tn_status (*reader)(tn_context *c, const tn_node *node, const tn_field *f, void *at);
static const reader readers[] = {
    [TN_NUMBER] = read_number,       [TN_INTEGER] = read_integer, [TN_VECTOR] = read_vector,
    [TN_DIRECTION] = read_direction, [TN_WORD] = read_word,       [TN_BOOLEAN] = read_boolean,
    [TN_TIME] = read_time,           [TN_MATRIX] = read_matrix,   [TN_RUNNING] = read_running};

static tn_status read_field(tn_context *c, const tn_node *node, const tn_field *f, void *self) {
  if (f->kind > TN_RUNNING) return TN_OK;
  assert(readers[f->kind]);
  return readers[f->kind](c, node, f, (unsigned char *)self + f->offset);
}

tn_status tn_fields_read(tn_context *c, const tn_node *object, const tn_field *fields, const tn_field *common,
                         void *self) {
  if (object->kind == TN_NODE_OBJECT) TN_TRY(tn_keys_known(c, object, fields, common));
  for (const tn_field *f = fields; f && f->key; f++) {
    const tn_node *node = tn_node_get(object, f->key);
    if (node) {
      TN_TRY(read_field(c, node, f, self));
    } else if (f->required) {
      return tn_refuse(c, object, "`%s` is missing", f->key);
    } else if (f->kind == TN_NUMBER) {
      memcpy((unsigned char *)self + f->offset, &f->dflt, sizeof f->dflt);
    } else if (f->kind == TN_INTEGER || f->kind == TN_WORD || f->kind == TN_BOOLEAN) {
      const int value = (int)f->dflt;
      memcpy((unsigned char *)self + f->offset, &value, sizeof value);
    }
  }
  return TN_OK;
}

tn_status tn_fields_read_both(tn_context *c, const tn_node *object, const tn_field *fields,
                              const tn_field *fields_space, const tn_field *common, void *self) {
  tn_field all[TN_MOST_FIELDS + 1];
  int n = 0;
  const tn_field *const tables[] = {fields, c->m->dimension == 3 ? fields_space : NULL};
  for (int i = 0; i < 2; i++)
    for (const tn_field *f = tables[i]; f && f->key && n < TN_MOST_FIELDS; f++) all[n++] = *f;
  all[n].key = NULL;
  return tn_fields_read(c, object, all, common, self);
}

tn_status tn_fields_running(tn_context *c, const tn_node *object, const tn_field *fields, void *self) {
  for (const tn_field *f = fields; f && f->key; f++) {
    const tn_node *node = f->kind == TN_RUNNING ? tn_node_get(object, f->key) : NULL;
    if (node) TN_TRY(read_field(c, node, f, self));
  }
  return TN_OK;
}
