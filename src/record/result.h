/* a result file that is open. */
#ifndef TN_RECORD_RESULT_H
#define TN_RECORD_RESULT_H

#include "record/blocks.h"

enum { TN_ROWS, TN_MOVES, TN_STREAMS }; /* the outputs, and the motion */

/* the rows of one stream that were found */
typedef struct tn_stream {
  int64_t rows;
  double last;     /* s: time of the last one; valid if there are rows                               */
  bool torn;       /* something is lost behind it                                                    */
  int64_t between; /* rows that are not at k every: the last row of a run may be, others are of no run */
} tn_stream;

/* bytes of the file that belong to no good block */
typedef struct tn_hole {
  uint64_t from, to;
} tn_hole;

/* of the block of motion that waits for the block of the same rows */
typedef struct tn_partner {
  uint64_t at;
  int64_t rows;
  uint64_t first, last; /* times, as bits */
} tn_partner;

struct tn_result {
  tn_arena arena;
  tn_blocks blocks;
  char *path;
  const tn_node *head;
  const char *name, *title, *settings; /* can be printed */
  double every, until;                 /* s, of the settings; 0: not known */
  int columns;
  const char **column, **unit;
  int groups;
  int *group; /* first column of each, t is column 0    */
  int motion; /* numbers in a row of it with t; 0: none is there */

  /* the data found: by tn_result_open up to the first fault, by tn_result_recover in the whole file */
  uint64_t start; /* byte of the first block                */
  tn_stream stream[TN_STREAMS];
  char *summary; /* JSON; NULL: none was found             */
  bool no_memory;
  tn_result_fault fault; /* the first one; where, why (errno), and how many rows are before it */
  uint64_t fault_at;
  int fault_why;
  int64_t fault_rows;

  /* of tn_result_recover */
  bool recovered;
  size_t holes, holes_room, gaps, gaps_room, lone, lone_room;
  tn_hole *hole;
  tn_gap *gap;
  uint64_t *lone_at; /* blocks that have lost their partner, in the order of the file */
  int64_t lone_rows[TN_STREAMS];
  tn_partner partner; /* rows 0: none waits */

  double *row; /* columns, or motion                  */
};

/* takes note of a good block; false: no memory */
bool tn_result_note(tn_result *r, const tn_block *block);

#endif
