/* Memory: arenas for objects that are built once, one block for a simulation.
 * SPDX-License-Identifier: MIT
 *
 * Arena: chunks, each twice the one before up to CHUNK_LARGEST (a larger piece gets a chunk of its own size); a piece
 * is cut from the newest. Block: the address that the allocator returned is stored in the word before the aligned address.
 * A size that does not fit a size_t fails as if there were no memory. It never gives a short piece. */
#include "base/base.h"

#include <stdlib.h>

enum { PIECE = 16, BLOCK = 64 };
#define CHUNK_FIRST ((size_t)4096)
#define CHUNK_LARGEST ((size_t)4 << 20)

typedef struct tn_chunk {
  struct tn_chunk *next;
  size_t size, used; /* bytes of data; `used` keeps data + used aligned */
  unsigned char *data;
} tn_chunk;

static void *malloc_allocate(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static void malloc_release(void *user, void *block) {
  (void)user;
  free(block);
}

static const tn_allocator with_malloc = {malloc_allocate, malloc_release, NULL};

/* bytes from p to the next multiple of `to`, a power of 2 */
static size_t gap(const void *p, size_t to) { return (size_t)(-(uintptr_t)p & (uintptr_t)(to - 1)); }

void tn_arena_init(tn_arena *a, const tn_allocator *allocator) {
  a->allocator = allocator ? *allocator : with_malloc;
  a->head = NULL;
}

void tn_arena_free(tn_arena *a) {
  while (a->head) {
    tn_chunk *chunk = a->head;
    a->head = chunk->next;
    a->allocator.release(a->allocator.user, chunk);
  }
}

void *tn_arena_alloc(tn_arena *a, size_t size) {
  if (size > SIZE_MAX / 2) return NULL;
  size = size ? (size + PIECE - 1) & ~(size_t)(PIECE - 1) : PIECE; /* every piece has its own address */
  tn_chunk *chunk = a->head;
  if (!chunk || chunk->size - chunk->used < size) {
    size_t wanted = chunk ? (chunk->size < CHUNK_LARGEST / 2 ? 2 * chunk->size : CHUNK_LARGEST) : CHUNK_FIRST;
    if (wanted < size) wanted = size;
    chunk = a->allocator.allocate(a->allocator.user, sizeof *chunk + PIECE + wanted);
    if (!chunk) return NULL;
    unsigned char *data = (unsigned char *)(chunk + 1);
    *chunk = (tn_chunk){.next = a->head, .size = wanted, .data = data + gap(data, PIECE)};
    a->head = chunk;
  }
  void *piece = chunk->data + chunk->used;
  chunk->used += size;
  return memset(piece, 0, size);
}

char *tn_arena_text(tn_arena *a, const char *text, size_t n) {
  char *copy = n < SIZE_MAX ? tn_arena_alloc(a, n + 1) : NULL;
  if (copy && n) memcpy(copy, text, n);
  return copy;
}

void *tn_carve_bytes(tn_carve *c, uint64_t size) {
  size_t at = c->used > SIZE_MAX / 2 ? SIZE_MAX : (c->used + BLOCK - 1) & ~(size_t)(BLOCK - 1);
  if (at > SIZE_MAX / 2 || size > SIZE_MAX / 2 - at) {
    c->used = SIZE_MAX; /* stays at the largest size, which no allocator grants */
    return NULL;
  }
  c->used = at + (size_t)size;
  return c->base ? c->base + at : NULL;
}

void *tn_block_new(const tn_allocator *allocator, size_t size) {
  const tn_allocator *from = allocator ? allocator : &with_malloc;
  if (size > SIZE_MAX / 2) return NULL;
  unsigned char *given = from->allocate(from->user, size + BLOCK + sizeof(void *));
  if (!given) return NULL;
  unsigned char *block = given + sizeof(void *);
  block += gap(block, BLOCK);
  memcpy(block - sizeof(void *), &given, sizeof given);
  return memset(block, 0, size);
}

void tn_block_free(const tn_allocator *allocator, void *block) {
  if (!block) return;
  const tn_allocator *from = allocator ? allocator : &with_malloc;
  void *given;
  memcpy(&given, (unsigned char *)block - sizeof given, sizeof given);
  from->release(from->user, given);
}
