/* nodes: a tree of values with their positions in the file.
 * SPDX-License-Identifier: MIT */
#include "read/read.h"

#include <stdlib.h>

static const tn_place nowhere = {NULL, -1, 0, 0};

tn_node *tn_node_new(tn_arena *arena, tn_node_kind kind) {
  tn_node *node = tn_arena_alloc(arena, sizeof *node);
  if (!node) return NULL;
  node->kind = kind;
  node->key_place = node->place = nowhere;
  return node;
}

void tn_node_append(tn_node *parent, tn_node *child) {
  child->parent = parent;
  child->next = NULL;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
  parent->size++;
}

const tn_node *tn_node_get(const tn_node *object, const char *key) {
  if (!object || object->kind != TN_NODE_OBJECT) return NULL;
  for (const tn_node *c = object->first; c; c = c->next)
    if (strcmp(c->key, key) == 0) return c;
  return NULL;
}

const tn_node *tn_node_item(const tn_node *list, int i) {
  if (!list || list->kind != TN_NODE_LIST || i < 0) return NULL;
  const tn_node *c = list->first;
  while (c && i-- > 0) c = c->next;
  return c;
}

static void put_char(char *text, size_t size, size_t *used, char c) {
  if (*used + 1 < size) text[(*used)++] = c;
}

void tn_node_pointer(const tn_node *node, char *text, size_t size) {
  if (!size) return;
  const tn_node *path[TN_DEPTH + 1];
  int n = 0;
  size_t used = 0;
  for (; node && node->parent && n <= TN_DEPTH; node = node->parent) path[n++] = node;
  while (n-- > 0) {
    char index[24];
    const char *name = path[n]->key;
    if (!name) {
      int64_t i = 0;
      for (const tn_node *c = path[n]->parent->first; c != path[n] && c; c = c->next) i++;
      tn_format(index, sizeof index, "%" PRId64, i);
      name = index;
    }
    put_char(text, size, &used, '/');
    for (; *name; name++) {
      bool special = *name == '/' || *name == '~';
      put_char(text, size, &used, special ? '~' : *name);
      if (special) put_char(text, size, &used, *name == '/' ? '1' : '0');
    }
  }
  text[used] = 0;
}

tn_status tn_node_fail(const tn_node *node, tn_error *e, tn_status status, const char *format, ...) {
  char text[sizeof e->message + 4];
  va_list arguments;
  va_start(arguments, format);
  if (tn_vformat(text, sizeof text, format, arguments) < 0) text[0] = 0;
  va_end(arguments);
  tn_fail(e, status, "%s", text);
  if (!e || !node) return status;
  tn_node_pointer(node, text, sizeof e->pointer + 4);
  tn_error_at(e, &node->place, text);
  return status;
}

typedef struct entry {
  const tn_node *node;
  size_t order;
} entry;

static int by_key(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int c = strcmp(x->node->key, y->node->key);
  return c ? c : x->order < y->order ? -1 : x->order > y->order;
}

/* a few members are compared pairwise; many are sorted */
tn_status tn_node_duplicate(const tn_allocator *allocator, const tn_node *object, const tn_node **first,
                            const tn_node **again, tn_error *e) {
  size_t n = object->size, i = 0, earliest = n;
  *first = *again = NULL;
  if (n <= 16) {
    for (const tn_node *b = object->first; b; b = b->next)
      for (const tn_node *a = object->first; a != b; a = a->next)
        if (strcmp(a->key, b->key) == 0) {
          *first = a;
          *again = b;
          return TN_OK;
        }
    return TN_OK;
  }
  entry *entries = n <= SIZE_MAX / sizeof *entries ? allocator->allocate(allocator->user, n * sizeof *entries) : NULL;
  if (!entries) return tn_fail(e, TN_E_MEMORY, "no memory to compare %zu keys", n);
  for (const tn_node *c = object->first; c; c = c->next, i++) entries[i] = (entry){c, i};
  qsort(entries, n, sizeof *entries, by_key);
  for (i = 1; i < n; i++)
    if (entries[i].order < earliest && strcmp(entries[i - 1].node->key, entries[i].node->key) == 0) {
      earliest = entries[i].order;
      *first = entries[i - 1].node;
      *again = entries[i].node;
    }
  allocator->release(allocator->user, entries);
  return TN_OK;
}
