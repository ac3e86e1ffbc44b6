/* the blocks of a result file: record.h has their layout. */
#ifndef TN_RECORD_BLOCKS_H
#define TN_RECORD_BLOCKS_H

#include <stdio.h>

#include "record/record.h"

#define TN_TNR_MOST ((uint32_t)128 << 20) /* bytes of a head or a payload */

typedef enum tn_block_state {
  TN_BLOCK_GOOD,
  TN_BLOCK_END,        /* the file ends where a block would begin                     */
  TN_BLOCK_CUT,        /* the file ends inside the block                              */
  TN_BLOCK_BAD,        /* a checksum, or a size that no block has                     */
  TN_BLOCK_UNREADABLE, /* the system reports an error: `why`                          */
  TN_BLOCK_NO_MEMORY
} tn_block_state;

typedef struct tn_block {
  char kind[4];
  uint64_t at; /* byte of the file at which its head begins */
  size_t size; /* of the payload                            */
} tn_block;

typedef struct tn_blocks {
  tn_arena *arena;
  FILE *file;
  uint64_t size;         /* of the file when it was opened                                          */
  size_t row, move;      /* bytes of a row in ROWS and MOVE, which have whole ones; 0: not known     */
  unsigned char *buffer; /* the payload that was read last                                          */
  size_t room;
  int why; /* errno of the last read that failed */
} tn_blocks;

void tn_blocks_measure(tn_blocks *b);
tn_block_state tn_blocks_take(tn_blocks *b, uint64_t at, void *to, size_t n); /* just bytes */
tn_block_state tn_blocks_read(tn_blocks *b, uint64_t at, tn_block *block);
/* The first good block of a known kind at `from` or behind it. Bytes that cannot be read are skipped. TN_BLOCK_END: there is none. */
tn_block_state tn_blocks_find(tn_blocks *b, uint64_t from, tn_block *block);

#endif
