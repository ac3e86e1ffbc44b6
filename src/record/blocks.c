/* Reading the blocks of a result file, good or damaged, and finding the next good one behind damage. Every read gives its position: it
 * does not depend on where the last one ended, and a read that failed may be tried again. */
#define _POSIX_C_SOURCE 200809L /* fseeko */
#include "record/blocks.h"

#include <errno.h>

enum { SECTOR = 4096 }; /* bytes: an unreadable part of a disk is at least as large */

static bool is_kind(const unsigned char *text) {
  return memcmp(text, "ROWS", 4) == 0 || memcmp(text, "MOVE", 4) == 0 || memcmp(text, "DONE", 4) == 0 ||
         memcmp(text, "HEAD", 4) == 0;
}

/* up to n bytes; *got < n with TN_BLOCK_GOOD: the file ends there */
static tn_block_state read_at(tn_blocks *b, uint64_t at, void *to, size_t n, size_t *got) {
  *got = 0;
  clearerr(b->file);
  errno = 0;
  if (fseeko(b->file, (off_t)at, SEEK_SET) == 0) {
    *got = fread(to, 1, n, b->file);
    if (!ferror(b->file)) return TN_BLOCK_GOOD;
  }
  b->why = errno ? errno : EIO;
  return TN_BLOCK_UNREADABLE;
}

void tn_blocks_measure(tn_blocks *b) {
  const off_t size = fseeko(b->file, 0, SEEK_END) == 0 ? ftello(b->file) : -1;
  b->size = size > 0 ? (uint64_t)size : 0;
}

tn_block_state tn_blocks_take(tn_blocks *b, uint64_t at, void *to, size_t n) {
  size_t got;
  const tn_block_state state = read_at(b, at, to, n, &got);
  if (state != TN_BLOCK_GOOD || got == n) return state;
  return got || !n ? TN_BLOCK_CUT : TN_BLOCK_END;
}

static bool has_room(tn_blocks *b, size_t n) {
  if (n <= b->room) return true;
  const size_t room = n > 2 * b->room ? n : 2 * b->room;
  unsigned char *larger = tn_arena_alloc(b->arena, room);
  if (!larger) return false;
  b->buffer = larger;
  b->room = room;
  return true;
}

/* whole rows */
static bool fits(const tn_blocks *b, const tn_block *block) {
  const size_t row = memcmp(block->kind, "ROWS", 4) == 0 ? b->row : memcmp(block->kind, "MOVE", 4) == 0 ? b->move : 0;
  return !row || block->size % row == 0;
}

tn_block_state tn_blocks_read(tn_blocks *b, uint64_t at, tn_block *block) {
  unsigned char head[TN_TNR_BLOCK];
  *block = (tn_block){.at = at};
  tn_block_state state = at < b->size ? tn_blocks_take(b, at, head, sizeof head) : TN_BLOCK_END;
  if (state != TN_BLOCK_GOOD) return state;
  const uint64_t n = tn_get_u64(head + 8), left = b->size - at;
  if (n == 0 || n % 8 || n > TN_TNR_MOST) return TN_BLOCK_BAD;
  if (left < TN_TNR_BLOCK || n > left - TN_TNR_BLOCK) return TN_BLOCK_CUT;
  if (!has_room(b, (size_t)n)) return TN_BLOCK_NO_MEMORY;
  memcpy(block->kind, head, 4);
  block->size = (size_t)n;
  state = tn_blocks_take(b, at + TN_TNR_BLOCK, b->buffer, (size_t)n);
  if (state != TN_BLOCK_GOOD) return state == TN_BLOCK_END ? TN_BLOCK_CUT : state;
  if (tn_block_crc(head, b->buffer, (size_t)n) != tn_get_u32(head + 4)) return TN_BLOCK_BAD;
  return fits(b, block) ? TN_BLOCK_GOOD : TN_BLOCK_BAD;
}

/* Checksums over everything that looks like the start of a block could take time in proportion to the square of the file's size. A
 * hostile file is given up after `effort` bytes. */
tn_block_state tn_blocks_find(tn_blocks *b, uint64_t from, tn_block *block) {
  unsigned char part[SECTOR];
  uint64_t effort = 8 * b->size + ((uint64_t)1 << 20), at = from;
  while (at < b->size && b->size - at > TN_TNR_BLOCK) {
    size_t got;
    const uint64_t to_sector = SECTOR - at % SECTOR;
    const bool readable = read_at(b, at, part, sizeof part, &got) == TN_BLOCK_GOOD;
    for (size_t i = 0; i + 4 <= got; i++) {
      if (!is_kind(part + i)) continue;
      const tn_block_state state = tn_blocks_read(b, at + i, block);
      if (state == TN_BLOCK_GOOD || state == TN_BLOCK_NO_MEMORY) return state;
      if (block->size > effort) return TN_BLOCK_END;
      effort -= block->size;
    }
    if (readable && got < 4) return TN_BLOCK_END; /* it has become shorter */
    at += readable ? got - 3 : to_sector;
  }
  return TN_BLOCK_END;
}
