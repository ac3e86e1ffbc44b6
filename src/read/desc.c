/* desc: the description, and changing it by calls.
 * SPDX-License-Identifier: MIT
 *
 *   pointer = "/" name { "/" name } [ "/-" ]        RFC 6901: ~1 is '/', ~0 is '~'; a name is not empty
 *   part    = type [ ":" key "=" value { "," key "=" value } ]
 *             value: a JSON number, true, false, [ value { "," value } ], else text; commas inside ( ) [ ] { } belong to it
 *
 * A call that fails leaves the description unchanged: new values are built apart and linked in last. Replaced values keep their
 * position. Memory of old values stays in the arena until the description is freed; setting a number over a number takes none. */
#include "read/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const tn_place nowhere = {NULL, -1, 0, 0};

/* ---- making, reading ---- */

static tn_status no_memory(tn_error *e) {
  tn_fail(e, TN_E_MEMORY, "no memory for the description");
  return TN_E_MEMORY;
}

tn_status tn_desc_new(const tn_allocator *allocator, tn_desc **desc, tn_error *e) {
  TN_NEED(e, desc, "desc");
  *desc = NULL;
  TN_NEED(e, !allocator || (allocator->allocate && allocator->release), "allocator->allocate or release");
  tn_arena arena;
  tn_arena_init(&arena, allocator);
  tn_desc *d = arena.allocator.allocate(arena.allocator.user, sizeof *d);
  if (!d) return no_memory(e);
  *d = (tn_desc){.arena = arena};
  tn_arena_init(&d->types, allocator);
  if (!(d->root = tn_node_new(&d->arena, TN_NODE_OBJECT))) {
    tn_desc_free(d);
    return no_memory(e);
  }
  *desc = d;
  return TN_OK;
}

void tn_desc_free(tn_desc *d) {
  if (!d) return;
  tn_allocator allocator = d->arena.allocator;
  tn_arena_free(&d->arena);
  tn_arena_free(&d->types);
  allocator.release(allocator.user, d);
}

tn_status tn_desc_parse(tn_desc *d, const char *name, const char *text, size_t size, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, text || !size, "text");
  tn_arena arena;
  tn_node *root = NULL;
  tn_arena_init(&arena, &d->arena.allocator);
  tn_status status = tn_json_parse(&arena, name, text ? text : "", size, &root, e);
  if (status) {
    tn_arena_free(&arena);
    return status;
  }
  tn_arena_free(&d->arena);
  d->arena = arena;
  d->root = root;
  return TN_OK;
}

/* Read an open file, up to one byte more than is allowed. *text belongs to the caller also if it fails. */
static tn_status read_all(const tn_allocator *a, FILE *file, const char *path, char **text, size_t *size, tn_error *e) {
  size_t room = 0;
  for (;;) {
    if (*size == room) {
      if (*size > TN_TEXT_MOST) {
        tn_fail(e, TN_E_MODEL, "the model has more than %zu bytes", TN_TEXT_MOST);
        tn_error_at(e, &(tn_place){path, 0, 1, 1}, NULL);
        return TN_E_MODEL;
      }
      size_t more = room ? 2 * room : (size_t)1 << 16;
      if (more > TN_TEXT_MOST) more = TN_TEXT_MOST + 1;
      char *larger = a->allocate(a->user, more);
      if (!larger) return tn_fail(e, TN_E_MEMORY, "no memory to read '%s'", path);
      if (*text) {
        memcpy(larger, *text, *size);
        a->release(a->user, *text);
      }
      *text = larger;
      room = more;
    }
    errno = 0;
    size_t got = fread(*text + *size, 1, room - *size, file);
    if (ferror(file)) return tn_fail(e, TN_E_IO, "cannot read '%s': %s", path, strerror(errno));
    if (!got) return TN_OK;
    *size += got;
  }
}

tn_status tn_desc_read(tn_desc *d, const char *path, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, path, "path");
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return tn_fail(e, TN_E_IO, "cannot open '%s': %s", path, strerror(errno));
  const tn_allocator a = d->arena.allocator;
  char *text = NULL;
  size_t size = 0;
  tn_status status = read_all(&a, file, path, &text, &size, e);
  fclose(file);
  if (!status) status = tn_desc_parse(d, path, text, size, e);
  if (text) a.release(a.user, text);
  return status;
}

/* ---- pointers ---- */

typedef struct segment {
  const char *s; /* as written, with ~0 and ~1 */
  size_t n;
} segment;

typedef struct path {
  const char *pointer;
  int n;
  segment segments[TN_DEPTH];
} path;

static bool valid_text(const char *s, size_t n) {
  while (n) {
    int length = tn_utf8(s, n);
    if (!length) return false;
    s += length;
    n -= (size_t)length;
  }
  return true;
}

static bool is_dash(segment s) { return s.n == 1 && s.s[0] == '-'; }

static tn_status path_of(const char *pointer, path *p, tn_error *e) {
  *p = (path){.pointer = pointer};
  if (!pointer || !pointer[0])
    return tn_fail(e, TN_E_USAGE, "the pointer is empty: expected one like /bodies/crank/mass");
  if (pointer[0] != '/') return tn_fail(e, TN_E_USAGE, "pointer '%s' does not begin with '/'", pointer);
  if (!valid_text(pointer, strlen(pointer))) return tn_fail(e, TN_E_USAGE, "pointer '%s' is not UTF-8", pointer);
  for (const char *s = pointer; *s;) {
    size_t n = strcspn(++s, "/");
    if (!n) return tn_fail(e, TN_E_USAGE, "pointer '%s' has an empty name in it", pointer);
    for (size_t i = 0; i < n; i++)
      if (s[i] == '~' && s[i + 1] != '0' && s[i + 1] != '1')
        return tn_fail(e, TN_E_USAGE, "pointer '%s': '~' is followed by 0 (a '~') or 1 (a '/')", pointer);
    if (p->n == TN_DEPTH) return tn_fail(e, TN_E_USAGE, "pointer '%s' has more than %d names", pointer, TN_DEPTH);
    segment g = {s, n};
    if (is_dash(g) && s[n]) return tn_fail(e, TN_E_USAGE, "pointer '%s': '-' only stands at the end", pointer);
    p->segments[p->n++] = g;
    s += n;
  }
  return TN_OK;
}

static bool same_name(segment g, const char *key) {
  for (size_t i = 0; i < g.n; i++, key++) {
    char c = g.s[i];
    if (c == '~') c = g.s[++i] == '1' ? '/' : '~';
    if (*key != c) return false;
  }
  return !*key;
}

static char *name_of(tn_arena *arena, segment g) {
  char *name = tn_arena_text(arena, g.s, g.n), *to = name;
  if (!name) return NULL;
  for (size_t i = 0; i < g.n; i++) *to++ = g.s[i] != '~' ? g.s[i] : g.s[++i] == '1' ? '/' : '~';
  *to = 0;
  return name;
}

/* the number of an item; -1 if it is none */
static int index_of(segment g) {
  int index = 0;
  if (g.n > 9 || (g.n > 1 && g.s[0] == '0')) return -1;
  for (size_t i = 0; i < g.n; i++) {
    if (g.s[i] < '0' || g.s[i] > '9') return -1;
    index = 10 * index + (g.s[i] - '0');
  }
  return index;
}

static tn_node *child_of(const tn_node *parent, segment g) {
  tn_node *c = parent->first;
  if (parent->kind == TN_NODE_OBJECT) {
    while (c && !same_name(g, c->key)) c = c->next;
    return c;
  }
  int index = parent->kind == TN_NODE_LIST ? index_of(g) : -1;
  if (index < 0) return NULL;
  while (c && index-- > 0) c = c->next;
  return c;
}

static tn_node *find(const tn_desc *d, const path *p) {
  tn_node *node = d->root;
  for (int i = 0; node && i < p->n; i++) node = child_of(node, p->segments[i]);
  return node;
}

bool tn_desc_has(const tn_desc *d, const char *pointer) {
  path p;
  return d && !path_of(pointer, &p, NULL) && find(d, &p);
}

void tn_desc_remove(tn_desc *d, const char *pointer) {
  path p;
  tn_node *node = d && !path_of(pointer, &p, NULL) ? find(d, &p) : NULL;
  if (!node) return;
  tn_node *parent = node->parent, *before = NULL;
  for (tn_node *c = parent->first; c != node; c = c->next) before = c;
  *(before ? &before->next : &parent->first) = node->next;
  if (parent->last == node) parent->last = before;
  parent->size--;
}

/* ---- changing ---- */

/* the value of `from` into `to`, which keeps its key and its position */
static void take(tn_node *to, const tn_node *from) {
  to->kind = from->kind;
  to->boolean = from->boolean;
  to->number = from->number;
  to->text = from->text;
  to->size = from->size;
  to->first = from->first;
  to->last = from->last;
  to->place = nowhere;
  for (tn_node *c = to->first; c; c = c->next) c->parent = to;
}

/* a word becomes {"type": word} */
static tn_status open_word(tn_desc *d, tn_node *word, tn_error *e) {
  tn_node object = {.kind = TN_NODE_OBJECT}, *type = tn_node_new(&d->arena, TN_NODE_TEXT);
  if (!type) return no_memory(e);
  tn_place place = word->place;
  take(type, word);
  type->key = "type";
  type->key_place = type->place = place;
  tn_node_append(&object, type);
  take(word, &object);
  word->place = place;
  return TN_OK;
}

static tn_status cannot_step(const tn_node *node, segment g, const path *p, tn_error *e) {
  static const char *const kinds[] = {"null", "true or false", "a number", "a text", "a list", "an object"};
  char at[64];
  tn_node_pointer(node, at, sizeof at);
  if (node->kind == TN_NODE_LIST && index_of(g) >= 0)
    tn_fail(e, TN_E_USAGE, "%s: there is no item %.*s, the list has %zu", at, (int)g.n, g.s, node->size);
  else if (node->kind == TN_NODE_LIST)
    tn_fail(e, TN_E_USAGE, "%s is a list: expected the number of an item from 0 or '-', found '%.*s'", at,
            (int)(g.n < 60 ? g.n : 60), g.s);
  else if (is_dash(g))
    tn_fail(e, TN_E_USAGE, "%s is %s: '-' appends to a list", at[0] ? at : "the root", kinds[node->kind]);
  else
    tn_fail(e, TN_E_USAGE, "%s is %s: it has no '%.*s'", at, kinds[node->kind], (int)(g.n < 60 ? g.n : 60), g.s);
  tn_error_at(e, NULL, p->pointer);
  return TN_E_USAGE;
}

/* link `value` into the tree at p */
static tn_status put(tn_desc *d, const path *p, const tn_node *value, tn_error *e) {
  tn_arena *arena = &d->arena;
  tn_node *node = d->root;
  int i = 0;
  for (; i < p->n; i++) {
    segment g = p->segments[i];
    if (node->kind == TN_NODE_TEXT && !is_dash(g)) {
      tn_status status = open_word(d, node, e);
      if (status) return status;
    }
    bool appends = is_dash(g) && node->kind == TN_NODE_LIST, named = !is_dash(g) && node->kind == TN_NODE_OBJECT;
    tn_node *child = is_dash(g) ? NULL : child_of(node, g);
    if (!child && !appends && !named) return cannot_step(node, g, p, e);
    if (!child) break;
    node = child;
  }
  if (i == p->n) {
    take(node, value);
    return TN_OK;
  }
  /* the rest of the way is new, from its end: the value, and around it an object or list for every name left */
  tn_node *top = tn_node_new(arena, value->kind);
  if (!top) return no_memory(e);
  for (int k = p->n - 1; k >= i; k--) {
    segment g = p->segments[k];
    if (!is_dash(g) && !(top->key = name_of(arena, g))) return no_memory(e);
    if (k == p->n - 1) take(top, value);
    if (k == i) break;
    tn_node *around = tn_node_new(arena, is_dash(g) ? TN_NODE_LIST : TN_NODE_OBJECT);
    if (!around) return no_memory(e);
    tn_node_append(around, top);
    top = around;
  }
  tn_node_append(node, top);
  return TN_OK;
}

/* a place for a value that is itself `levels` objects or lists deep */
static tn_status place_for(tn_desc *d, const char *pointer, int levels, path *p, tn_error *e) {
  *p = (path){.pointer = pointer};
  if (!d) return tn_fail(e, TN_E_USAGE, "no description");
  tn_status status = path_of(pointer, p, e);
  if (!status && p->n + levels > TN_DEPTH)
    status = tn_fail(e, TN_E_USAGE, "pointer '%s': nested deeper than %d levels", pointer, TN_DEPTH);
  return status;
}

static tn_status not_finite(const char *pointer, double value, tn_error *e) {
  tn_fail(e, TN_E_USAGE, "%s: a number must be finite, this is %s", pointer,
          isnan(value) ? "not a number" : "infinite");
  tn_error_at(e, NULL, pointer);
  return TN_E_USAGE;
}

tn_status tn_desc_number(tn_desc *d, const char *pointer, double value, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, pointer, "pointer");
  path p;
  tn_status status = place_for(d, pointer, 0, &p, e);
  if (status) return status;
  if (!isfinite(value)) return not_finite(pointer, value, e);
  return put(d, &p, &(tn_node){.kind = TN_NODE_NUMBER, .number = value}, e);
}

tn_status tn_desc_numbers(tn_desc *d, const char *pointer, int n, const double *values, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, pointer, "pointer");
  path p;
  tn_status status = place_for(d, pointer, 1, &p, e);
  if (status) return status;
  if (n < 0) return tn_fail(e, TN_E_USAGE, "%s: %d numbers", pointer, n);
  TN_NEED(e, values || !n, "values");
  for (int i = 0; i < n; i++)
    if (!isfinite(values[i])) return not_finite(pointer, values[i], e);
  /* over as many numbers nothing new is needed */
  tn_node *old = find(d, &p);
  bool fits = old && old->kind == TN_NODE_LIST && old->size == (size_t)n;
  for (const tn_node *c = fits ? old->first : NULL; c; c = c->next) fits = fits && c->kind == TN_NODE_NUMBER;
  if (fits) {
    tn_node *c = old->first;
    old->place = nowhere;
    for (int i = 0; c && i < n; i++, c = c->next) {
      c->number = values[i];
      c->place = nowhere;
    }
    return TN_OK;
  }
  tn_node list = {.kind = TN_NODE_LIST};
  for (int i = 0; i < n; i++) {
    tn_node *item = tn_node_new(&d->arena, TN_NODE_NUMBER);
    if (!item) return no_memory(e);
    item->number = values[i];
    tn_node_append(&list, item);
  }
  return put(d, &p, &list, e);
}

tn_status tn_desc_text(tn_desc *d, const char *pointer, const char *text, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, pointer, "pointer");
  TN_NEED(e, text, "text");
  path p;
  tn_status status = place_for(d, pointer, 0, &p, e);
  if (status) return status;
  if (!valid_text(text, strlen(text))) {
    tn_fail(e, TN_E_USAGE, "%s: the text is not UTF-8", pointer);
    tn_error_at(e, NULL, pointer);
    return TN_E_USAGE;
  }
  tn_node value = {.kind = TN_NODE_TEXT, .size = strlen(text), .text = tn_arena_text(&d->arena, text, strlen(text))};
  return value.text ? put(d, &p, &value, e) : no_memory(e);
}

tn_status tn_desc_json(tn_desc *d, const char *pointer, const char *json, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, pointer, "pointer");
  TN_NEED(e, json, "json");
  path p;
  tn_status status = place_for(d, pointer, 0, &p, e);
  if (status) return status;
  tn_node *value = NULL;
  status = tn_json_value(&d->arena, json, strlen(json), p.n, &value, e);
  if (!status) return put(d, &p, value, e);
  tn_error_at(e, NULL, pointer);
  return status;
}

/* ---- the short form ---- */

static segment trim(const char *s, size_t n) {
  while (n && (s[0] == ' ' || s[0] == '\t')) s++, n--;
  while (n && (s[n - 1] == ' ' || s[n - 1] == '\t')) n--;
  return (segment){s, n};
}

/* letters, digits, '_', '-', '.'; begins with a letter or '_' */
static bool is_name(segment g) {
  for (size_t i = 0; i < g.n; i++) {
    char c = g.s[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '.'))) return false;
  }
  return g.n > 0;
}

/* bytes up to the next comma outside brackets, or to the end; -1 if they do not match */
static ptrdiff_t value_length(const char *s, const char *end) {
  char open[TN_DEPTH];
  int depth = 0;
  const char *c = s;
  for (; c < end && (depth || *c != ','); c++) {
    if (*c == '(' || *c == '[' || *c == '{') {
      if (depth == TN_DEPTH) return -1;
      open[depth++] = (char)(*c == '(' ? ')' : *c + 2);
    } else if (*c == ')' || *c == ']' || *c == '}') {
      if (!depth || open[--depth] != *c) return -1;
    }
  }
  return depth ? -1 : c - s;
}

/* true if the bracket at the beginning is closed at the end, and those inside match */
static bool is_bracketed(segment g) {
  int depth = 0;
  if (g.n < 2 || g.s[0] != '[') return false;
  for (size_t i = 0; i < g.n; i++) {
    depth += g.s[i] == '[' ? 1 : g.s[i] == ']' ? -1 : 0;
    if (!depth) return i == g.n - 1;
  }
  return false;
}

static tn_status part_value(tn_arena *arena, segment g, int room, const char *part, tn_node **out, tn_error *e);

/* the text between the matching brackets of a list */
static tn_status part_items(tn_arena *arena, segment g, int room, const char *part, tn_node *list, tn_error *e) {
  if (room < 1) return tn_fail(e, TN_E_USAGE, "part '%.100s': lists stand too deep in one another", part);
  const char *s = g.s, *end = g.s + g.n;
  if (!trim(s, g.n).n) return TN_OK;
  for (;; s++) {
    const ptrdiff_t n = value_length(s, end);
    const segment item = trim(s, (size_t)n);
    tn_node *node;
    if (!item.n) return tn_fail(e, TN_E_USAGE, "part '%s': a list has an empty place", part);
    const tn_status status = part_value(arena, item, room - 1, part, &node, e);
    if (status) return status;
    tn_node_append(list, node);
    if ((s += n) == end) return TN_OK;
  }
}

static tn_status part_value(tn_arena *arena, segment g, int room, const char *part, tn_node **out, tn_error *e) {
  double number = 0;
  bool is_true = g.n == 4 && !memcmp(g.s, "true", 4), is_false = g.n == 5 && !memcmp(g.s, "false", 5);
  bool is_number = tn_json_number(g.s, g.n, &number), is_list = is_bracketed(g);
  tn_node *node = tn_node_new(arena, is_number             ? TN_NODE_NUMBER
                                     : is_true || is_false ? TN_NODE_BOOL
                                     : is_list             ? TN_NODE_LIST
                                                           : TN_NODE_TEXT);
  if (!node) return no_memory(e);
  node->number = number;
  node->boolean = is_true;
  if (node->kind == TN_NODE_TEXT) {
    node->size = g.n;
    if (!(node->text = tn_arena_text(arena, g.s, g.n))) return no_memory(e);
  }
  *out = node;
  return is_list ? part_items(arena, (segment){g.s + 1, g.n - 2}, room, part, node, e) : TN_OK;
}

/* one `key=value` at *s into object; *s moves to the comma or the end */
static tn_status part_pair(tn_arena *arena, const char **s, int room, const char *part, tn_node *object, tn_error *e) {
  ptrdiff_t n = value_length(*s, *s + strlen(*s));
  if (n < 0) return tn_fail(e, TN_E_USAGE, "part '%s': brackets do not match", part);
  segment pair = trim(*s, (size_t)n);
  const char *equals = pair.n ? memchr(pair.s, '=', pair.n) : NULL;
  if (!pair.n) return tn_fail(e, TN_E_USAGE, "part '%s': expected key=value after ':' and after every ','", part);
  if (!equals) return tn_fail(e, TN_E_USAGE, "part '%s': expected key=value, found '%.*s'", part, (int)pair.n, pair.s);
  segment key = trim(pair.s, (size_t)(equals - pair.s));
  segment value = trim(equals + 1, pair.n - (size_t)(equals + 1 - pair.s));
  if (!is_name(key)) return tn_fail(e, TN_E_USAGE, "part '%s': '%.*s' is not a key", part, (int)key.n, key.s);
  if (!value.n) return tn_fail(e, TN_E_USAGE, "part '%s': no value after '%.*s='", part, (int)key.n, key.s);
  if (child_of(object, key)) return tn_fail(e, TN_E_USAGE, "part '%s': '%.*s' is given twice", part, (int)key.n, key.s);
  tn_node *node;
  tn_status status = part_value(arena, value, room, part, &node, e);
  if (status) return status;
  if (!(node->key = tn_arena_text(arena, key.s, key.n))) return no_memory(e);
  tn_node_append(object, node);
  *s += n;
  return TN_OK;
}

tn_status tn_part_parse(tn_arena *arena, const char *part, int depth, tn_node *out, tn_error *e) {
  segment type = trim(part, strcspn(part, ":"));
  const char *s = strchr(part, ':');
  if (!is_name(type)) return tn_fail(e, TN_E_USAGE, "part '%s': expected type or type:key=value,key=value", part);
  *out = (tn_node){.kind = TN_NODE_TEXT, .size = type.n, .text = tn_arena_text(arena, type.s, type.n)};
  if (!out->text) return no_memory(e);
  if (!s) return TN_OK;
  tn_node *first = tn_node_new(arena, TN_NODE_TEXT);
  if (!first) return no_memory(e);
  take(first, out);
  first->key = "type";
  *out = (tn_node){.kind = TN_NODE_OBJECT};
  tn_node_append(out, first);
  do {
    s++; /* the ':' or a ',' */
    const tn_status status = part_pair(arena, &s, TN_DEPTH - depth - 1, part, out, e);
    if (status) return status;
  } while (*s);
  return TN_OK;
}

tn_status tn_desc_part(tn_desc *d, const char *pointer, const char *part, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, pointer, "pointer");
  TN_NEED(e, part, "part");
  path p;
  tn_node node;
  tn_status status = place_for(d, pointer, 1, &p, e);
  if (status) return status;
  if (!valid_text(part, strlen(part))) return tn_fail(e, TN_E_USAGE, "%s: the part is not UTF-8", pointer);
  if ((status = tn_part_parse(&d->arena, part, p.n, &node, e))) return status;
  return put(d, &p, &node, e);
}
