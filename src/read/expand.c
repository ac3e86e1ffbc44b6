/* expand: a description without `repeat`.
 * SPDX-License-Identifier: MIT
 *
 *   repeat  = counter "=" first ".." last        on an object that is a member of an object or an item of a list
 *   counter = letter { letter | digit }          not a reserved name, not that of a repeat around it
 *   first, last: constant expressions, integers; last < first gives nothing
 *
 * Each value of the counter gives a copy of the object without its `repeat`, in place of the object. In the key of the copy and in all
 * keys and texts below, `{expression}` is replaced by its value, an integer. Text outside repeats is unchanged. The copy shares no
 * memory with the original. A few lines may ask for very much, so there are limits: ITEMS_MOST copies by one repeat, MADE_MOST nodes
 * and TN_TEXT_MOST bytes by all of them. */
#include "read/read.h"

enum { ITEMS_MOST = 100000, MADE_MOST = 4 << 20 };

typedef struct expander {
  tn_arena *arena;
  tn_number_of number;
  void *user;
  tn_error *e;
  int own;                   /* inside a member of the user's own */
  int64_t made;              /* nodes by repeats       */
  size_t text;               /* bytes of text by them  */
  const char *file, *copied; /* the last name of a file, in the original and in the copy */
} expander;

static tn_status no_memory(expander *x) {
  tn_fail(x->e, TN_E_MEMORY, "no memory to expand the model");
  return TN_E_MEMORY;
}

static tn_status place_of(expander *x, const tn_place *from, tn_place *to) {
  *to = *from;
  if (!from->file) return TN_OK;
  if (from->file != x->file) {
    x->copied = tn_arena_text(x->arena, from->file, strlen(from->file));
    x->file = x->copied ? from->file : NULL;
    if (!x->copied) return no_memory(x);
  }
  to->file = x->copied;
  return TN_OK;
}

/* an integer, of text in `at` */
static tn_status integer(expander *x, const tn_scope *scope, const tn_node *at, const char *text, size_t n,
                         double *value) {
  if (x->e) tn_error_clear(x->e);
  tn_status status = x->number(x->user, scope, at, text, n, value, x->e);
  if (status && x->e && !x->e->line && !x->e->pointer[0]) {
    char pointer[sizeof x->e->pointer];
    tn_node_pointer(at, pointer, sizeof pointer);
    tn_error_at(x->e, &at->place, pointer);
  }
  if (status) return status;
  double rounded = round(*value);
  if (!(fabs(*value - rounded) <= TN_WHOLE) || fabs(rounded) > INT32_MAX)
    return tn_node_fail(at, x->e, TN_E_MODEL, "'%.*s' is %.9g, not an integer", (int)(n < 100 ? n : 100), text, *value);
  *value = rounded;
  return TN_OK;
}

/* a copy of text with the braces replaced */
static tn_status fill(expander *x, const tn_scope *scope, const tn_node *at, const char *text, size_t n,
                      const char **out, size_t *out_size) {
  size_t room = n + 1, used = 0;
  for (size_t i = 0; scope && i < n; i++) room += text[i] == '{' ? 12 : 0;
  if (scope && (x->text += room) > TN_TEXT_MOST)
    return tn_node_fail(at, x->e, TN_E_MODEL, "the repeats make more than %zu bytes of text", TN_TEXT_MOST);
  char *to = tn_arena_alloc(x->arena, room);
  if (!to) return no_memory(x);
  for (size_t i = 0; i < n; i++) {
    if (!scope || (text[i] != '{' && text[i] != '}')) {
      to[used++] = text[i];
      continue;
    }
    size_t inside = i + 1, end = inside;
    while (end < n && text[end] != '{' && text[end] != '}') end++;
    if (text[i] == '}' || end == n || text[end] == '{')
      return tn_node_fail(at, x->e, TN_E_MODEL, "\"%.100s\": '%c' without '%c'", text, text[i],
                          text[i] == '{' ? '}' : '{');
    if (end == inside) return tn_node_fail(at, x->e, TN_E_MODEL, "\"%.100s\": nothing between the braces", text);
    double value;
    tn_status status = integer(x, scope, at, text + inside, end - inside, &value);
    if (status) return status;
    used += (size_t)tn_format(to + used, 13, "%d", (int)value);
    i = end;
  }
  *out = to;
  if (out_size) *out_size = used;
  return TN_OK;
}

typedef struct range {
  const char *counter;
  int first, count;
} range;

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* a stretch of text without the blanks around it */
static void trim(const char **s, size_t *n) {
  while (*n && is_blank((*s)[0])) ++*s, --*n;
  while (*n && is_blank((*s)[*n - 1])) --*n;
}

static tn_status counter_of(expander *x, const tn_scope *scope, const tn_node *at, const char *s, size_t n, range *r) {
  static const char *const reserved[] = {"t", "pi", "deg", "rpm", "mm", "ms", "g0"};
  bool good = n && is_letter(s[0]);
  for (size_t i = 0; i < n; i++) good = good && (is_letter(s[i]) || (s[i] >= '0' && s[i] <= '9'));
  int shown = (int)(n < 60 ? n : 60);
  if (!good) return tn_node_fail(at, x->e, TN_E_MODEL, "repeat: '%.*s' is not a name for a counter", shown, s);
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (strlen(reserved[i]) == n && !memcmp(reserved[i], s, n))
      return tn_node_fail(at, x->e, TN_E_MODEL, "repeat: '%s' is a reserved name, not for a counter", reserved[i]);
  for (; scope; scope = scope->outer)
    if (strlen(scope->name) == n && !memcmp(scope->name, s, n))
      return tn_node_fail(at, x->e, TN_E_MODEL, "repeat: '%s' is already the counter of a repeat around it",
                          scope->name);
  r->counter = tn_arena_text(x->arena, s, n);
  return r->counter ? TN_OK : no_memory(x);
}

static tn_status range_of(expander *x, const tn_scope *scope, const tn_node *at, range *r) {
  if (at->kind != TN_NODE_TEXT) return tn_node_fail(at, x->e, TN_E_MODEL, "repeat is a text such as \"i=1..3\"");
  const char *equals = strchr(at->text, '='), *dots = equals ? strstr(equals, "..") : NULL;
  const char *name = at->text, *first = equals ? equals + 1 : NULL, *last = dots ? dots + 2 : NULL;
  size_t name_size = equals ? (size_t)(equals - name) : 0, first_size = dots ? (size_t)(dots - first) : 0;
  size_t last_size = last ? strlen(last) : 0;
  trim(&name, &name_size);
  if (first_size) trim(&first, &first_size);
  if (last_size) trim(&last, &last_size);
  if (!name_size || !first_size || !last_size)
    return tn_node_fail(at, x->e, TN_E_MODEL, "repeat \"%.100s\": expected counter=first..last, such as \"i=1..3\"",
                        at->text);
  double a, b;
  tn_status status = counter_of(x, scope, at, name, name_size, r);
  if (!status) status = integer(x, scope, at, first, first_size, &a);
  if (!status) status = integer(x, scope, at, last, last_size, &b);
  if (status) return status;
  if (b - a + 1 > ITEMS_MOST)
    return tn_node_fail(at, x->e, TN_E_MODEL, "repeat \"%.100s\" has %.0f values; at most %d are made", at->text,
                        b - a + 1, ITEMS_MOST);
  r->first = (int)a;
  r->count = b < a ? 0 : (int)(b - a + 1);
  return TN_OK;
}

static tn_status copy(expander *x, const tn_node *from, const tn_scope *scope, tn_node **out);

/* a member or item with its key into `to` */
static tn_status copy_child(expander *x, const tn_node *from, const tn_scope *scope, tn_node *to) {
  tn_node *child;
  const char *key = NULL;
  tn_status status = from->key ? fill(x, scope, from, from->key, strlen(from->key), &key, NULL) : TN_OK;
  if (status) {
    if (status == TN_E_MODEL && from->key_place.line) tn_error_at(x->e, &from->key_place, NULL);
    return status;
  }
  if ((status = copy(x, from, scope, &child))) return status;
  child->key = key;
  if ((status = place_of(x, &from->key_place, &child->key_place))) return status;
  tn_node_append(to, child);
  return TN_OK;
}

static tn_status budget(expander *x, const tn_node *at) {
  if (++x->made <= MADE_MOST) return TN_OK;
  return tn_node_fail(at, x->e, TN_E_MODEL, "the repeats make more than %d values", MADE_MOST);
}

static tn_status repeat(expander *x, const tn_node *from, const tn_node *at, const tn_scope *outer, tn_node *to) {
  range r = {0};
  tn_status status = budget(x, at); /* a repeat that makes nothing takes time, too */
  if (!status) status = range_of(x, outer, at, &r);
  if (status) return status;
  if (from->key && r.count > 1 && !strchr(from->key, '{')) {
    tn_node_fail(from, x->e, TN_E_MODEL, "duplicate key \"%.60s\": its repeat makes it %d times", from->key, r.count);
    tn_hint(x->e, "write the counter in the key: \"%.60s{%.60s}\"", from->key, r.counter);
    if (from->key_place.line) tn_error_at(x->e, &from->key_place, NULL);
    return TN_E_MODEL;
  }
  for (int i = 0; i < r.count; i++) {
    tn_scope *scope = tn_arena_alloc(x->arena, sizeof *scope);
    if (!scope) return no_memory(x);
    *scope = (tn_scope){r.counter, (double)r.first + i, outer};
    if ((status = copy_child(x, from, scope, to))) return status;
  }
  return TN_OK;
}

static tn_status unique(expander *x, const tn_node *object, const tn_node *from) {
  const tn_node *first, *again;
  tn_status status = tn_node_duplicate(&x->arena->allocator, object, &first, &again, x->e);
  if (status || !again) return status;
  char line[32] = "";
  if (first->key_place.line) tn_format(line, sizeof line, ", first on line %d", first->key_place.line);
  tn_node_fail(from, x->e, TN_E_MODEL, "duplicate key \"%.60s\" after expanding the repeats%s", again->key, line);
  if (again->key_place.line) tn_error_at(x->e, &again->key_place, NULL);
  return TN_E_MODEL;
}

static tn_status copy(expander *x, const tn_node *from, const tn_scope *scope, tn_node **out) {
  tn_status status = scope ? budget(x, from) : TN_OK;
  if (status) return status;
  tn_node *to = tn_node_new(x->arena, from->kind);
  if (!to) return no_memory(x);
  to->boolean = from->boolean;
  to->number = from->number;
  to->scope = scope;
  if ((status = place_of(x, &from->place, &to->place))) return status;
  to->rewritten = from->rewritten || (scope && from->kind == TN_NODE_TEXT && strchr(from->text, '{'));
  if (from->kind == TN_NODE_TEXT && (status = fill(x, scope, from, from->text, from->size, &to->text, &to->size)))
    return status;
  if (scope && to->text && !(to->counters = tn_arena_alloc(x->arena, to->size + 1))) return no_memory(x);
  bool renamed = false;
  for (const tn_node *c = from->first; c; c = c->next) {
    const tn_node *at = x->own ? NULL : tn_node_get(c, "repeat");
    if (tn_node_is_own(c)) { /* copied unread, whatever it says */
      x->own++;
      status = copy_child(x, c, NULL, to);
      x->own--;
      if (status) return status;
      continue;
    }
    if (scope && c->key && strcmp(c->key, "repeat") == 0) continue; /* of this object: it has been carried out */
    renamed = renamed || at || scope;
    status = at ? repeat(x, c, at, scope, to) : copy_child(x, c, scope, to);
    if (status) return status;
  }
  *out = to;
  return to->kind == TN_NODE_OBJECT && renamed ? unique(x, to, from) : TN_OK;
}

tn_status tn_expand(tn_arena *arena, const tn_node *root, tn_number_of number, void *user, tn_node **out, tn_error *e) {
  expander x = {.arena = arena, .number = number, .user = user, .e = e};
  const tn_node *at = tn_node_get(root, "repeat");
  if (at) return tn_node_fail(at, e, TN_E_MODEL, "the model itself cannot repeat; a member or an item of a list can");
  return copy(&x, root, NULL, out);
}
