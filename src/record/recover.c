/* The good part of a damaged result: blocks behind the first bad one, and which rows are missing.
 *
 * Rows of a run are at t = k every, k = 0, 1, .., and at its end. Between rows at a and b there were
 *   (1) ceil(b/every) - floor(a/every) - 1
 * others. Rows at other times, as a program of its own may record, cannot be counted so. */
#include "record/result.h"

static const double NEAR_GRID = 1e-6; /* of every: roundoff of t/every is 1e-7 for k = 1e9 */

/* ---- lists -------------------------------------------------------------------------------------------------------------------- */

/* room for one more item of `size` bytes; NULL: no memory, and the list is unchanged */
static void *grown(tn_result *r, void *list, size_t used, size_t *room, size_t size) {
  if (used < *room) return list;
  void *larger = tn_arena_alloc(&r->arena, size * (2 * *room + 16));
  if (!larger) return r->no_memory = true, NULL;
  if (used) memcpy(larger, list, size * used);
  *room = 2 * *room + 16;
  return larger;
}

static bool add_hole(tn_result *r, uint64_t from, uint64_t to) {
  tn_hole *hole = grown(r, r->hole, r->holes, &r->holes_room, sizeof *hole);
  if (!hole) return false;
  r->hole = hole;
  r->hole[r->holes++] = (tn_hole){from, to};
  for (int i = 0; i < TN_STREAMS; i++) r->stream[i].torn = true;
  return true;
}

static bool add_gap(tn_result *r, const tn_gap *g) {
  tn_gap *gap = grown(r, r->gap, r->gaps, &r->gaps_room, sizeof *gap);
  if (!gap) return false;
  r->gap = gap;
  r->gap[r->gaps++] = *g;
  return true;
}

static bool add_lone(tn_result *r, uint64_t at, int stream, int64_t rows) {
  uint64_t *lone = grown(r, r->lone_at, r->lone, &r->lone_room, sizeof *lone);
  if (!lone) return false;
  size_t i = r->lone++;
  r->lone_at = lone;
  for (; i && lone[i - 1] > at; i--)
    lone[i] = lone[i - 1]; /* a block of motion is known to be alone only behind the next one */
  lone[i] = at;
  r->lone_rows[stream] += rows;
  return true;
}

/* ---- contents of a block --------------------------------------------------------------------------------------------------------- */

static double time_of(const tn_result *r, size_t at) {
  const uint64_t bits = tn_get_u64(r->blocks.buffer + at);
  double t;
  memcpy(&t, &bits, sizeof t);
  return t;
}

static bool lone_motion(tn_result *r) {
  const bool good = !r->partner.rows || add_lone(r, r->partner.at, TN_MOVES, r->partner.rows);
  r->partner.rows = 0;
  return good;
}

/* a recorder writes the motion of some rows, and then these rows. in a file with holes only such pairs are known to belong together */
static bool match(tn_result *r, int stream, const tn_block *block, size_t row, int64_t rows) {
  const tn_partner p = {block->at, rows, tn_get_u64(r->blocks.buffer),
                        tn_get_u64(r->blocks.buffer + block->size - row)};
  const tn_partner *q = &r->partner;
  if (stream == TN_ROWS && q->rows == rows && q->first == p.first && q->last == p.last) {
    r->partner.rows = 0;
    return true;
  }
  if (!lone_motion(r)) return false;
  if (stream == TN_ROWS) return add_lone(r, block->at, stream, rows);
  r->partner = p;
  return true;
}

static bool note_rows(tn_result *r, int stream, const tn_block *block) {
  tn_stream *s = &r->stream[stream];
  const size_t row = stream == TN_ROWS ? r->blocks.row : r->blocks.move;
  const int64_t rows = (int64_t)(block->size / row);
  if (s->torn && !add_gap(r, &(tn_gap){.motion = stream, .from = s->rows ? s->last : (double)NAN, .to = time_of(r, 0)}))
    return false;
  s->torn = false;
  for (size_t at = 0; r->every > 0 && at < block->size; at += row) {
    const double k = time_of(r, at) / r->every;
    if (!(fabs(k - round(k)) <= NEAR_GRID)) s->between++;
  }
  s->rows += rows;
  s->last = time_of(r, block->size - row);
  return !r->recovered || match(r, stream, block, row, rows);
}

bool tn_result_note(tn_result *r, const tn_block *block) {
  if (memcmp(block->kind, "ROWS", 4) == 0) return note_rows(r, TN_ROWS, block);
  if (memcmp(block->kind, "MOVE", 4) == 0 && r->motion) return note_rows(r, TN_MOVES, block);
  if (memcmp(block->kind, "DONE", 4) == 0 &&
      !(r->summary = tn_arena_text(&r->arena, (const char *)r->blocks.buffer, block->size)))
    r->no_memory = true;
  return !r->no_memory; /* other kinds may come one day */
}

/* ---- gaps ----------------------------------------------------------------------------------------------------------------------- */

typedef enum end_row {
  BEFORE,
  UP_TO,
  AND_AT
} end_row; /* rows before b; with one at b if it is at k every; with one at b */

/* (1) */
static int64_t rows_between(const tn_result *r, const tn_gap *g, end_row end) {
  if (!(r->every > 0) || r->stream[g->motion].between > 1) return -1;
  const double a = isnan(g->from) ? -1 : floor(g->from / r->every + NEAR_GRID), b = g->to / r->every,
               n = end == UP_TO ? floor(b + NEAR_GRID) - a
                                : ceil(b - NEAR_GRID) - a - 1 + (end == AND_AT && !(g->to <= g->from));
  return !(n < 1e15) ? -1 : n > 0 ? (int64_t)n : 0;
}

/* only when all rows were read is it known whether they are on a grid; a gap is in one or both of the streams */
static void count_gaps(tn_result *r) {
  size_t kept = 0;
  for (size_t i = 0; i < r->gaps; i++) {
    tn_gap g = r->gap[i];
    if ((g.rows = rows_between(r, &g, BEFORE)) != 0) r->gap[kept++] = g;
  }
  r->gaps = kept;
}

/* when the run ended, by its summary; NaN: it does not say so */
static double end_of(tn_result *r, bool *done) {
  tn_node *root;
  tn_error why;
  const tn_status status = tn_json_parse(&r->arena, "summary", r->summary, strlen(r->summary), &root, &why);
  if (status == TN_E_MEMORY) r->no_memory = true;
  if (status != TN_OK || root->kind != TN_NODE_OBJECT) return NAN;
  const tn_node *t = tn_node_get(root, "t_end"), *how = tn_node_get(root, "status");
  *done = how && how->kind == TN_NODE_TEXT && strcmp(how->text, "done") == 0;
  return t && t->kind == TN_NODE_NUMBER ? t->number : (double)NAN;
}

/* rows behind the last good ones */
static bool add_ends(tn_result *r) {
  bool done = true;
  const double end = r->summary ? end_of(r, &done) : r->until > 0 ? r->until : (double)NAN;
  for (int i = 0; i < (r->motion ? TN_STREAMS : 1); i++) {
    const tn_stream *s = &r->stream[i];
    tn_gap g = {.motion = i, .end = true, .from = s->rows ? s->last : (double)NAN, .to = end};
    if (r->summary && !s->torn) continue;
    g.rows = rows_between(r, &g, done ? AND_AT : UP_TO);
    if (g.rows && !add_gap(r, &g)) return false;
  }
  return true;
}

/* ---- all of it -------------------------------------------------------------------------------------------------------------------- */

static void scan(tn_result *r) {
  tn_block block;
  uint64_t at = r->start;
  while (!r->summary) {
    tn_block_state state = tn_blocks_read(&r->blocks, at, &block);
    if (state != TN_BLOCK_GOOD && state != TN_BLOCK_NO_MEMORY) {
      if ((state = tn_blocks_find(&r->blocks, at, &block)) == TN_BLOCK_END) break;
      if (state == TN_BLOCK_GOOD && block.at > at && !add_hole(r, at, block.at)) return;
    }
    if (state == TN_BLOCK_NO_MEMORY) r->no_memory = true;
    if (r->no_memory || !tn_result_note(r, &block)) return;
    at = block.at + TN_TNR_BLOCK + block.size;
  }
  if (r->holes)
    lone_motion(r);
  else /* the n-th row of the one is the n-th of the other, whatever blocks they are in */
    r->lone = 0, memset(r->lone_rows, 0, sizeof r->lone_rows);
}

tn_status tn_result_recover(tn_result *r, tn_error *e) {
  TN_NEED(e, r, "result");
  tn_error_clear(e);
  if (!r->fault || r->recovered) return TN_OK;
  memset(r->stream, 0, sizeof r->stream);
  memset(r->lone_rows, 0, sizeof r->lone_rows);
  r->holes = r->gaps = r->lone = 0;
  r->partner.rows = 0;
  r->summary = NULL;
  r->no_memory = false;
  r->recovered = true;
  scan(r);
  if (!r->no_memory) count_gaps(r);
  if (!r->no_memory) add_ends(r);
  r->recovered = !r->no_memory;
  return r->no_memory ? tn_fail(e, TN_E_MEMORY, "out of memory") : TN_OK;
}

bool tn_result_gap(const tn_result *r, int i, tn_gap *gap) {
  if (!r || !gap || i < 0 || (size_t)i >= r->gaps) return false;
  *gap = r->gap[i];
  return true;
}

/* ---- in words ------------------------------------------------------------------------------------------------------------------ */

static int gap_text(const tn_result *r, const tn_gap *g, char *text, size_t size) {
  char rows[48] = "an unknown number of rows", from[48] = "from the start", to[80] = "";
  const bool open = g->end && !r->summary; /* how far it went is not known */
  if (g->rows >= 0)
    tn_format(rows, sizeof rows, "%s%" PRId64 " row%s", open ? "up to " : "", g->rows, g->rows == 1 ? "" : "s");
  if (!isnan(g->from)) tn_format(from, sizeof from, "behind t = %.9g s", g->from);
  if (!isnan(g->to))
    tn_format(to, sizeof to,
              open     ? "; the run was to end at t = %.9g s"
              : g->end ? " up to the end at t = %.9g s"
                       : " and before t = %.9g s",
              g->to);
  return tn_format(text, size, "%s%s %s missing %s%s", g->motion ? "the motion of " : "", rows,
                   g->motion || g->rows == 1 ? "is" : "are", from, to);
}

/* of all gaps of the outputs; 0: there are less than two, or one of them cannot be counted */
static int64_t missing_rows(const tn_result *r) {
  int64_t all = 0, gaps = 0;
  for (size_t i = 0; i < r->gaps; i++) {
    if (r->gap[i].motion) continue;
    if (r->gap[i].rows < 0) return 0;
    all += r->gap[i].rows;
    gaps++;
  }
  return gaps > 1 ? all : 0;
}

int tn_result_missing(const tn_result *r, int i, char *text, size_t size) {
  if (!r || i < 0 || !r->recovered) return 0;
  const int64_t all = missing_rows(r);
  if ((size_t)i < r->gaps) return gap_text(r, &r->gap[i], text, size);
  i -= (int)r->gaps;
  if (all && i-- == 0) return tn_format(text, size, "%" PRId64 " rows are missing in all", all);
  if (!r->summary && i-- == 0) return tn_format(text, size, "the summary is missing, and with it the verdict");
  if (r->fault == TN_FAULT_HEAD && i-- == 0)
    return tn_format(text, size, "names, units, settings and the model may be wrong");
  return 0;
}
