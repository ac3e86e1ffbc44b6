/* constants, points and tables: evaluated when first asked for, so that they may stand in any order; a ring of definitions
 * is refused. and the expressions over them, with channels where those are allowed. */
#include "model/model.h"

#include <stdio.h>

static const char *const reserved[] = {"ground", "world", "t",  "pi",     "deg",     "rpm",
                                       "mm",     "ms",    "g0", "energy", "momentum"};

bool tn_is_name(const char *s) {
  if (!(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))) return false;
  for (s++; *s; s++)
    if (!(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9'))) return false;
  return true;
}

tn_status tn_check_name(tn_context *c, const tn_node *member) {
  if (!tn_is_name(member->key)) {
    const bool braces = strpbrk(member->key, "{}") != NULL;
    if (braces && tn_misspelt(member, "repeat")) return tn_missing(c, member, "repeat");
    tn_refuse_key(c, member, "'%s' is not a name: letters, digits and _, not starting with a digit", member->key);
    if (braces) tn_hint(c->e, "braces are replaced inside a `repeat` only");
    return TN_E_MODEL;
  }
  if (strlen(member->key) > 60)
    return tn_refuse_key(c, member, "the name '%.20s..' is longer than 60 characters", member->key);
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (strcmp(member->key, reserved[i]) == 0)
      return tn_refuse_key(c, member, "the name '%s' is reserved", member->key);
  return TN_OK;
}

/* the object under a top key: NULL if missing */
static tn_status section(tn_context *c, const tn_node *root, const char *key, const tn_node **object) {
  *object = tn_node_get(root, key);
  if (*object && (*object)->kind != TN_NODE_OBJECT) return tn_refuse(c, *object, "`%s` must be an object", key);
  return TN_OK;
}

tn_status tn_names_points(tn_context *c, const tn_node *root) {
  const tn_node *points;
  TN_TRY(section(c, root, "points", &points));
  c->points = 0;
  if (!points) return TN_OK;
  c->point = tn_arena_alloc(c->arena, sizeof *c->point * (points->size + 1));
  if (!c->point || !tn_index_make(&c->point_index, c->arena, points->size)) return tn_no_memory(c);
  for (const tn_node *p = points->first; p; p = p->next) {
    if (tn_node_is_own(p)) continue;
    if (!tn_node_get(p, "repeat")) TN_TRY(tn_check_name(c, p));
    tn_index_add(&c->point_index, p->key, c->points);
    c->point[c->points].name = p->key;
    c->point[c->points++].node = p;
  }
  return TN_OK;
}

static bool settle_table(tn_context *c, tn_table *t, tn_error *e);

tn_status tn_names_prepare(tn_context *c, const tn_node *root) {
  const tn_node *constants, *tables;
  TN_TRY(section(c, root, "constants", &constants));
  TN_TRY(section(c, root, "tables", &tables));
  if (constants) {
    c->constant = tn_arena_alloc(c->arena, sizeof *c->constant * (constants->size + 1));
    if (!c->constant || !tn_index_make(&c->constant_index, c->arena, constants->size)) return tn_no_memory(c);
    for (const tn_node *k = constants->first; k; k = k->next) {
      if (tn_node_is_own(k)) continue;
      TN_TRY(tn_check_name(c, k));
      tn_index_add(&c->constant_index, k->key, c->constants);
      c->constant[c->constants].name = k->key;
      c->constant[c->constants++].node = k;
    }
  }
  if (tables) {
    c->table = tn_arena_alloc(c->arena, sizeof *c->table * (tables->size + 1));
    if (!c->table || !tn_index_make(&c->table_index, c->arena, tables->size)) return tn_no_memory(c);
    for (const tn_node *k = tables->first; k; k = k->next) {
      if (tn_node_is_own(k)) continue;
      TN_TRY(tn_check_name(c, k));
      if (k->kind != TN_NODE_LIST || k->size == 0)
        return tn_refuse(c, k, "table '%s' must be a list of numbers", k->key);
      tn_index_add(&c->table_index, k->key, c->tables);
      tn_table *t = &c->table[c->tables++];
      t->name = k->key;
      t->node = k;
      t->n = (int)k->size;
      t->value = tn_arena_alloc(c->arena, sizeof(double) * k->size);
      if (!t->value) return tn_no_memory(c);
    }
  }
  /* in any order: one that is asked for is settled first */
  for (int i = 0; i < c->tables; i++)
    if (!settle_table(c, &c->table[i], c->e)) return c->e->status;
  return TN_OK;
}

static bool settle_table(tn_context *c, tn_table *t, tn_error *e) {
  if (t->state == 2) return true;
  if (t->state == 1) return tn_fail(e, TN_E_MODEL, "table '%s' is defined by itself", t->name), false;
  if (c->depth >= TN_MOST_DEPTH)
    return tn_fail(e, TN_E_MODEL, "table '%s' is the last of more than %d definitions that ask for one another",
                   t->name, TN_MOST_DEPTH),
           false;
  tn_error *outer = c->e;
  tn_status status = TN_OK;
  int n = 0;
  c->e = e;
  c->depth++;
  t->state = 1;
  for (const tn_node *v = t->node->first; v && status == TN_OK; v = v->next)
    status = tn_number_at(c, v, &t->value[n++]);
  c->depth--;
  c->e = outer;
  t->state = status == TN_OK ? 2 : 0;
  return status == TN_OK;
}

/* ---- what names mean in an expression ------------------------------------------------------------------------------- */

typedef struct lookup {
  tn_context *c;
  const tn_scope *scope;
  bool *counters; /* of the node: where counters of repeats stand in its text; may be NULL */
  size_t at;      /* in the text */
  bool running;
} lookup;

static tn_constant *constant_named(tn_context *c, const char *name) {
  const int i = tn_index_find(&c->constant_index, name);
  return i >= 0 ? &c->constant[i] : NULL;
}

static tn_constant *point_named(tn_context *c, const char *name) {
  const int i = c->points ? tn_index_find(&c->point_index, name) : -1;
  return i >= 0 ? &c->point[i] : NULL;
}

/* evaluate a constant or point once; its own error goes to *e with its place */
static bool settle(tn_context *c, tn_constant *k, bool point, tn_error *e) {
  if (k->state == 2) return true;
  if (k->state == 1) return tn_fail(e, TN_E_MODEL, "'%s' is defined by itself", k->name), false;
  if (c->depth >= TN_MOST_DEPTH)
    return tn_fail(e, TN_E_MODEL, "'%s' is the last of more than %d definitions that ask for one another", k->name,
                   TN_MOST_DEPTH),
           false;
  c->depth++;
  k->state = 1;
  tn_error *outer = c->e;
  c->e = e;
  tn_status status;
  if (point) {
    const tn_node *at = k->node;
    if (at->kind == TN_NODE_OBJECT && !(at = tn_node_get(k->node, "at")))
      status = tn_missing(c, k->node, "at");
    else
      status = tn_vector_at(c, at, k->value);
    if (status == TN_OK && k->node->kind == TN_NODE_OBJECT) status = tn_keys_known(c, k->node, tn_point_fields, NULL);
  } else {
    status = tn_number_at(c, k->node, k->value);
  }
  c->e = outer;
  c->depth--;
  k->state = status == TN_OK ? 2 : 0;
  return status == TN_OK;
}

/* a dotted name where channels are not known: why not. the component of a point that cannot be settled has its own reason */
static bool not_here(tn_context *c, const char *name, tn_error *e) {
  char part[64];
  const size_t n = strcspn(name, ".");
  if (n < sizeof part) {
    memcpy(part, name, n);
    part[n] = 0;
    tn_constant *point = point_named(c, part);
    if (point && !settle(c, point, true, e)) return false;
    if (tn_body_named(c, part) >= 0 || tn_joint_named(c, part) >= 0)
      return tn_fail(e, TN_E_MODEL, "'%s' depends on the motion: it is not known here", name), false;
  }
  return tn_fail(e, TN_E_MODEL, "unknown name '%s'", name), false;
}

static bool find(void *user, const char *name, tn_meaning *m, tn_error *e) {
  lookup *l = user;
  tn_context *c = l->c;
  memset(m, 0, sizeof *m);
  m->width = 1;
  for (const tn_scope *s = l->scope; s; s = s->outer)
    if (strcmp(s->name, name) == 0) {
      m->value[0] = s->value;
      if (l->counters) l->counters[l->at] = true;
      return true;
    }
  tn_constant *k = constant_named(c, name);
  if (k) {
    if (!settle(c, k, false, e)) return false;
    m->value[0] = k->value[0];
    return true;
  }
  if ((k = point_named(c, name))) {
    if (!settle(c, k, true, e)) return false;
    memcpy(m->value, k->value, sizeof m->value);
    m->width = c->m->dimension;
    return true;
  }
  const int parameter = tn_index_find(&c->m->parameter_index, name);
  if (parameter >= 0) {
    m->is_parameter = true;
    m->slot = parameter;
    return true;
  }
  tn_channel ch;
  const bool channel = c->names_ready && (strchr(name, '.') || (c->has_own && l->running)),
             found = channel && tn_channel_find(c, name, &ch, e) == TN_OK;
  if (channel && !found && (strchr(name, '.') || *e->hint)) return false;
  if (found) {
    if (c->before_solve && l->running && ch.after_solve)
      return tn_fail(e, TN_E_MODEL, "'%s' is known only after the accelerations: a force cannot depend on it", name),
             false;
    if (c->equation && l->running && !tn_equation_takes(c, &ch, name, e)) return false;
    m->is_slot = true;
    m->width = ch.width;
    return tn_channel_slot(c, &ch, &m->slot) == TN_OK || (tn_fail(e, TN_E_MEMORY, "out of memory"), false);
  }
  if (strchr(name, '.')) return not_here(c, name, e);
  static const char *const built_in[] = {"pi", "deg", "rpm", "mm", "ms", "g0", "t"};
  const char *known[104];
  int n = 0;
  for (int i = 0; i < c->constants && n < 64; i++) known[n++] = c->constant[i].name;
  for (int i = 0; i < c->m->parameters && n < 96; i++) known[n++] = c->m->parameter[i].name;
  for (int i = 0; i < 7; i++) known[n++] = built_in[i];
  const char *near = tn_nearest(name, n, known);
  tn_fail(e, TN_E_MODEL, "unknown name '%s'", name);
  if (near)
    tn_hint(e, "did you mean '%s'?", near);
  else if (strcmp(name, "time") == 0)
    tn_hint(e, "the time is t");
  else if (l->running && tn_is_energy(name))
    tn_hint(e, "did you mean 'energy.%s'?", name);
  else if (l->running && c->names_ready &&
           (tn_body_named(c, name) >= 0 || tn_joint_named(c, name) >= 0 ||
            tn_index_find(&c->m->force_index, name) >= 0))
    tn_hint(e, "of a body, joint or force a channel is needed: %s.NAME", name);
  return false;
}

static tn_table *table_named(tn_context *c, const char *name, tn_error *e) {
  const int found = tn_index_find(&c->table_index, name);
  if (found >= 0) return settle_table(c, &c->table[found], e) ? &c->table[found] : NULL;
  const char *known[64];
  int n = 0;
  for (int i = 0; i < c->tables && n < 64; i++) known[n++] = c->table[i].name;
  const char *near = tn_nearest(name, n, known);
  tn_fail(e, TN_E_MODEL, "there is no table '%s'", name);
  if (near) tn_hint(e, "did you mean '%s'?", near);
  return NULL;
}

static bool item(void *user, const char *name, double index, double *value, tn_error *e) {
  const tn_table *t = table_named(((lookup *)user)->c, name, e);
  if (!t) return false;
  if (!(index >= 1 && index <= t->n) || index != floor(index))
    return tn_fail(e, TN_E_MODEL, "table '%s' has items 1 to %d, not %g", name, t->n, index), false;
  *value = t->value[(int)index - 1];
  return true;
}

static bool items(void *user, const char *name, int *n, const double **values, tn_error *e) {
  const tn_table *t = table_named(((lookup *)user)->c, name, e);
  if (!t) return false;
  *n = t->n;
  *values = t->value;
  return true;
}

static bool call(void *user, const char *function, int n, const char *const *args, tn_meaning *m, tn_error *e) {
  lookup *l = user;
  tn_context *c = l->c;
  memset(m, 0, sizeof *m);
  m->width = 1;
  if (strcmp(function, "dist") == 0) {
    double p[2][3], d[3];
    if (n != 2) return tn_fail(e, TN_E_MODEL, "'dist' takes 2 points, %d given", n), false;
    for (int i = 0; i < 2; i++) {
      tn_constant *k = point_named(c, args[i]);
      if (!k) return tn_fail(e, TN_E_MODEL, "there is no point '%s'", args[i]), false;
      if (!settle(c, k, true, e)) return false;
      memcpy(p[i], k->value, sizeof p[i]);
    }
    tn_sub3(p[1], p[0], d);
    m->value[0] = c->m->dimension == 2 ? hypot(d[0], d[1]) : tn_norm3(d);
    return true;
  }
  if (!l->running || !c->names_ready)
    return tn_fail(e, TN_E_MODEL, "'%s' depends on the motion: it is not known here", function), false;
  tn_channel ch;
  if (tn_channel_call(c, function, n, args, &ch, e) != TN_OK) return false;
  if (c->before_solve && ch.after_solve)
    return tn_fail(e, TN_E_MODEL, "'%s' is known only after the accelerations: a force cannot depend on it", function),
           false;
  if (c->equation && !tn_equation_takes(c, &ch, function, e)) return false;
  m->is_slot = true;
  m->width = ch.width;
  return tn_channel_slot(c, &ch, &m->slot) == TN_OK || (tn_fail(e, TN_E_MEMORY, "out of memory"), false);
}

static int piecewise(void *user, const char *text) { return tn_switch_new(((lookup *)user)->c, text); }

/* parse the text of a node; an error is moved from the offset in the text to the place of the node */
static tn_status parse(tn_context *c, const tn_scope *scope, const tn_node *at, const char *text, size_t n,
                       tn_class allowed, tn_expr **expr, tn_error *e) {
  lookup l = {c, scope, at && text == at->text ? at->counters : NULL, 0, allowed == TN_CLASS_RUNNING};
  const tn_names names = {
      &l, c->m->dimension, find, item, items, call, &c->nest, &l.at, c->switching ? piecewise : NULL};
  tn_error inner;
  tn_error_clear(&inner);
  tn_status status = tn_expr_parse(c->arena, text, n, allowed, &names, expr, &inner);
  if (status == TN_OK) return TN_OK;
  if (inner.line > 0 || status == TN_E_MEMORY) { /* it has a place already: the definition of a constant */
    if (e) *e = inner;
    return status;
  }
  const int64_t offset = inner.byte;
  char message[512];
  tn_of_part(c, inner.message, message, sizeof message);
  tn_fail(e, TN_E_MODEL, "%s", message);
  if (*inner.hint) tn_hint(e, "%s", inner.hint);
  if (at && e) {
    char pointer[256];
    tn_node_pointer(at, pointer, sizeof pointer);
    tn_error_at(e, &at->place, pointer);
    if (offset > 0 && e->line > 0 && at->text == text && !at->rewritten) { /* into it, behind its quote */
      e->byte += offset + 1;
      e->column += (int)offset + 1;
    }
  }
  return TN_E_MODEL;
}

tn_status tn_number_text(void *context, const tn_scope *scope, const tn_node *at, const char *text, size_t n,
                         double *value, tn_error *e) {
  tn_expr *expr;
  tn_status status = parse(context, scope, at, text, n, TN_CLASS_CONSTANT, &expr, e);
  if (status != TN_OK) return status;
  if (tn_expr_width(expr) != 1) return tn_node_fail(at, e, TN_E_MODEL, "a vector where a number is needed");
  tn_expr_eval(expr, 0, NULL, NULL, value);
  return TN_OK;
}

tn_status tn_number_at(tn_context *c, const tn_node *node, double *value) {
  if (node->kind == TN_NODE_NUMBER) {
    *value = node->number;
    return TN_OK;
  }
  if (node->kind != TN_NODE_TEXT) return tn_refuse(c, node, "a number or an expression is needed here");
  return tn_number_text(c, node->scope, node, node->text, node->size, value, c->e);
}

tn_status tn_numbers_at(tn_context *c, const tn_node *node, int n, double *values) {
  if (node->kind != TN_NODE_LIST || (int)node->size != n)
    return tn_refuse(c, node, "a list of %d numbers is needed here", n);
  const tn_node *k = node->first;
  for (int i = 0; i < n; i++, k = k->next) TN_TRY(tn_number_at(c, k, &values[i]));
  return TN_OK;
}

tn_status tn_expr_at(tn_context *c, const tn_node *node, tn_class allowed, int width, const tn_expr **expr) {
  tn_expr *x = NULL;
  if (node->kind == TN_NODE_NUMBER) {
    if (!(x = tn_expr_number(c->arena, node->number))) return tn_no_memory(c);
  } else if (node->kind == TN_NODE_TEXT) {
    TN_TRY(parse(c, node->scope, node, node->text, node->size, allowed, &x, c->e));
  } else {
    return tn_refuse(c, node, "a number or an expression is needed here");
  }
  if (width && tn_expr_width(x) != width) return tn_refuse(c, node, "a number is needed here, not a vector");
  *expr = x;
  return TN_OK;
}

tn_status tn_vector_at(tn_context *c, const tn_node *node, double v[3]) {
  v[2] = 0;
  return tn_numbers_at(c, node, c->m->dimension, v);
}

tn_status tn_direction_at(tn_context *c, const tn_node *node, double axis[3]) {
  const bool plane = c->m->dimension == 2;
  if (node->kind == TN_NODE_TEXT) {
    const bool minus = node->text[0] == '-';
    const char *word = node->text + minus;
    const int k = word[0] - 'x';
    if (word[0] && !word[1] && k >= 0 && k < c->m->dimension) {
      for (int i = 0; i < 3; i++) axis[i] = i != k ? 0 : minus ? -1 : 1;
      return TN_OK;
    }
    return tn_refuse(c, node,
                     plane ? "'%s' is not a direction: x, y, -x, -y or [x, y]"
                           : "'%s' is not a direction: x, y, z, -x, -y, -z or [x, y, z]",
                     node->text);
  }
  TN_TRY(tn_vector_at(c, node, axis));
  const double norm = hypot(hypot(axis[0], axis[1]), axis[2]);
  if (!(norm > 0)) return tn_refuse(c, node, "axis has zero length");
  if (!isfinite(norm)) return tn_refuse(c, node, "the length of this direction is beyond all bounds");
  for (int i = 0; i < 3; i++) axis[i] /= norm;
  return TN_OK;
}

tn_status tn_place_at(tn_context *c, const tn_node *node, double place[3]) {
  if (node->kind != TN_NODE_TEXT) return tn_vector_at(c, node, place);
  tn_constant *k = point_named(c, node->text);
  if (k) {
    if (settle(c, k, true, c->e)) {
      memcpy(place, k->value, 3 * sizeof *place);
      return TN_OK;
    }
    if (c->e->line == 0 && c->e->status == TN_E_MODEL)
      return tn_refuse(c, node, "point '%s' is defined by itself", node->text);
    return c->e->status;
  }
  const int body = tn_body_named(c, node->text);
  if (body >= 0) {
    TN_TRY(tn_pose_of(c, body, node));
    memcpy(place, c->m->body[body].pose.r, 3 * sizeof *place);
    return TN_OK;
  }
  const char *known[128];
  int n = 0;
  for (int i = 0; i < c->points && n < 128; i++) known[n++] = c->point[i].name;
  for (int i = 0; i < c->m->bodies && n < 128; i++) known[n++] = c->m->body[i].name;
  const char *near = tn_nearest(node->text, n, known);
  tn_refuse(c, node, "there is no point or body '%s'", node->text);
  if (strchr(node->text, '{'))
    tn_hint(c->e, "braces are replaced inside a `repeat` only");
  else if (near)
    tn_hint(c->e, "did you mean '%s'?", near);
  return TN_E_MODEL;
}

/* all of them, so that a mistake in an unused one is found too */
tn_status tn_names_settle(tn_context *c) {
  for (int i = 0; i < c->constants + c->points; i++) {
    const bool point = i >= c->constants;
    tn_constant *k = point ? &c->point[i - c->constants] : &c->constant[i];
    if (settle(c, k, point, c->e)) continue;
    if (c->e->line == 0 && c->e->status == TN_E_MODEL && k->node->place.line > 0)
      return tn_refuse(c, k->node, "'%s' is defined by itself", k->name);
    return c->e->status;
  }
  return TN_OK;
}
