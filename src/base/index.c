/* Names to numbers: a hash table with open addressing, at most half full. */
#include "base/base.h"

/* FNV-1a from a start that a file cannot know, well mixed: names cannot be chosen to collide */
static size_t hash(const tn_index *x, const char *name) {
  uint64_t h = 1469598103934665603u ^ (uint64_t)(uintptr_t)x->name * 0x9e3779b97f4a7c15u;
  for (; *name; name++) {
    h = (h ^ (unsigned char)*name) * 1099511628211u;
    h ^= h >> 29;
  }
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  return (size_t)(h ^ (h >> 33));
}

bool tn_index_make(tn_index *x, tn_arena *arena, size_t n) {
  size_t room = 8;
  while (room < 2 * n) room *= 2;
  x->room = room;
  x->name = tn_arena_alloc(arena, sizeof *x->name * room);
  x->value = tn_arena_alloc(arena, sizeof *x->value * room);
  return x->name && x->value;
}

void tn_index_add(tn_index *x, const char *name, int value) {
  size_t i = hash(x, name) & (x->room - 1);
  while (x->name[i] && strcmp(x->name[i], name) != 0) i = (i + 1) & (x->room - 1);
  if (x->name[i]) return; /* the first definition counts */
  x->name[i] = name;
  x->value[i] = value;
}

int tn_index_find(const tn_index *x, const char *name) {
  if (!x->room) return -1;
  size_t i = hash(x, name) & (x->room - 1);
  while (x->name[i] && strcmp(x->name[i], name) != 0) i = (i + 1) & (x->room - 1);
  return x->name[i] ? x->value[i] : -1;
}
