/* record: samples to files.
 *
 *   csv.c     text                          recorder.c   writing a result file
 *   result.c  reading one                   npy.c        arrays for NumPy from it
 *   blocks.c  its blocks                    recover.c    the good part of a damaged one
 *
 * A result file, `.tnr`, little endian throughout:
 *   8 bytes   89 54 4e 52 0d 0a 1a 0a       "\x89TNR\r\n\x1a\n": text-mode copies and cut heads are seen
 *   u32 u32   format version 1, size of the head
 *   head      JSON, padded with blanks to a multiple of 8
 *   blocks    4 bytes of kind, u32 CRC-32 of kind, size and payload, u64 size of the payload (a multiple of 8), payload
 *     HEAD    u32 CRC-32 of all bytes before it, u32 0; the first block
 *     ROWS    rows of doubles: t, then the channels of the head
 *     MOVE    rows of doubles: t, then the numbers of simulate/motion.c, `motion` numbers together as the head says
 *     DONE    the summary as JSON, padded with blanks; the last block of a run that ended, however it ended
 * Each block is written in one piece: a file that is cut off anywhere can be read up to its last whole block. Rows that wait for a full
 * block may be written behind the last one. The block that they become part of overwrites them. */
#ifndef TN_RECORD_H
#define TN_RECORD_H

#include <stdio.h>

#include "simulate/simulate.h"

static const unsigned char TN_TNR_MAGIC[8] = {0x89, 'T', 'N', 'R', '\r', '\n', 0x1a, '\n'};
enum { TN_TNR_VERSION = 1, TN_TNR_START = 16, TN_TNR_BLOCK = 16, TN_TNR_HEAD = 8 };

/* names and units of the columns, t first, as a member of a JSON object */
void tn_record_channels(tn_json *j, const tn_model *m);

/* the CRC-32 of a block: its head as it is but for the place of the CRC itself, and its payload */
uint32_t tn_block_crc(const unsigned char head[TN_TNR_BLOCK], const void *payload, size_t size);
/* as tn_result_open, of an open file, which is closed with the result, also on failure; `path` is for messages */
tn_status tn_result_open_file(const tn_allocator *allocator, FILE *file, const char *path, tn_result **result,
                              tn_error *e);
const tn_allocator *tn_result_allocator(const tn_result *r);
/* the motion: numbers in a row without t, 0: it was not recorded; rows; and each of them */
int tn_result_motion_size(const tn_result *r);
int64_t tn_result_motion_rows(const tn_result *r);
tn_status tn_result_motion_each(tn_result *r, tn_row row, void *user, tn_error *e);
/* csv.c: a text as a field: as tn_show shows it, in quotes if it needs them or `quotes`. A text that begins with = + - @, a tab or
 * a carriage return would be a formula for spreadsheets: it gets an apostrophe in front. */
bool tn_csv_text(const char *text, bool quotes, tn_write write, void *user);
/* rows that are there with their motion: how many, and each of them, once the outputs and once the motion, in the same order */
int64_t tn_result_pairs(const tn_result *r);
tn_status tn_result_pair_each(tn_result *r, bool motion, tn_row row, void *user, tn_error *e);
#endif
