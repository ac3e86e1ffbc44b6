/* Reading a result file. The head and the positions of the blocks are read once. Rows are read from the file whenever they are asked for,
 * so that a result may be larger than the memory. Of a damaged file the rows up to the first fault are given, followed by an error.
 * Only tn_result_recover (recover.c) gives the rest. */
#include "record/result.h"

#include <errno.h>
#include <limits.h>

static tn_status damaged(const tn_result *r, tn_error *e, const char *what) {
  tn_fail(e, TN_E_IO, "%s", what);
  tn_error_at(e, &(tn_place){.file = r->path}, NULL);
  return TN_E_IO;
}

static tn_status unreadable(const tn_result *r, uint64_t at, int why, tn_error *e) {
  tn_fail(e, TN_E_IO, "the result cannot be read at byte %llu: %s", (unsigned long long)at, strerror(why));
  tn_error_at(e, &(tn_place){.file = r->path}, NULL);
  return TN_E_IO;
}

/* bytes of the head; `what` if the file ends before */
static tn_status take(tn_result *r, uint64_t at, void *to, size_t n, const char *what, tn_error *e) {
  const tn_block_state state = tn_blocks_take(&r->blocks, at, to, n);
  if (state == TN_BLOCK_GOOD) return TN_OK;
  return state == TN_BLOCK_UNREADABLE ? unreadable(r, at, r->blocks.why, e) : damaged(r, e, what);
}

static const char *text_of(const tn_node *object, const char *key) {
  const tn_node *node = tn_node_get(object, key);
  return node && node->kind == TN_NODE_TEXT ? node->text : "";
}

/* a text of the head, escaped: it may come from anywhere */
static char *printable(tn_result *r, const char *key) {
  const char *text = text_of(r->head, key);
  const size_t size = (size_t)tn_show(NULL, 0, text) + 1;
  char *copy = tn_arena_alloc(&r->arena, size);
  if (copy) tn_show(copy, size, text);
  return copy;
}

/* a number of the settings, which are options; 0: it is not there */
static double setting(tn_result *r, const char *flag) {
  const char *at = strstr(r->settings, flag);
  char text[64];
  tn_node *root;
  tn_error why;
  if (!at) return 0;
  at += strlen(flag);
  const int n = tn_format(text, sizeof text, "{\"value\": %.*s}", (int)strcspn(at, " "), at);
  if (n >= (int)sizeof text || tn_json_parse(&r->arena, "settings", text, (size_t)n, &root, &why) != TN_OK) return 0;
  const tn_node *value = tn_node_get(root, "value");
  return value && value->kind == TN_NODE_NUMBER && value->number > 0 ? value->number : 0;
}

/* as outputs are named: they become names of files */
static bool good_name(const char *name) {
  const size_t n = strlen(name);
  if (!n || n > 128 || name[0] == '.' || name[n - 1] == '.') return false;
  for (const char *c = name; *c; c++)
    if (!(*c == '.' || *c == '_' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
      return false;
  return true;
}

static tn_status read_head(tn_result *r, tn_error *e) {
  unsigned char start[TN_TNR_START];
  TN_TRY(take(r, 0, start, 8, "this is not a result file of Tenon", e));
  if (memcmp(start, TN_TNR_MAGIC, 8) != 0) return damaged(r, e, "this is not a result file of Tenon");
  TN_TRY(take(r, 8, start + 8, 8, "the result file ends before its head", e));
  const uint32_t version = tn_get_u32(start + 8), size = tn_get_u32(start + 12);
  if (version != TN_TNR_VERSION) {
    tn_fail(e, TN_E_IO, "result file of version %u; this Tenon reads version %d", (unsigned)version, TN_TNR_VERSION);
    tn_error_at(e, &(tn_place){.file = r->path}, NULL);
    return TN_E_IO;
  }
  if (size > TN_TNR_MOST || size % 8 || size > r->blocks.size)
    return damaged(r, e, "the head of the result file makes no sense");
  char *text = tn_arena_alloc(&r->arena, (size_t)size + 1);
  if (!text) return tn_fail(e, TN_E_MEMORY, "out of memory");
  TN_TRY(take(r, TN_TNR_START, text, size, "the result file ends within its head", e));
  tn_node *root;
  const tn_status status = tn_json_parse(&r->arena, r->path, text, size, &root, e);
  if (status == TN_E_MEMORY) return status;
  if (status != TN_OK) return damaged(r, e, "the head of the result file is damaged");
  r->head = root;
  const tn_node *channels = tn_node_get(root, "channels");
  if (!channels || channels->kind != TN_NODE_LIST || channels->size < 1 || channels->size > INT_MAX / 16 ||
      !tn_node_get(root, "model") || tn_node_get(root, "model")->kind != TN_NODE_TEXT)
    return damaged(r, e, "the head of the result file lacks its model or channels");
  r->column = tn_arena_alloc(&r->arena, sizeof *r->column * channels->size);
  r->unit = tn_arena_alloc(&r->arena, sizeof *r->unit * channels->size);
  r->group = tn_arena_alloc(&r->arena, sizeof *r->group * (channels->size + 1));
  const tn_node *motion = tn_node_get(root, "motion");
  if (motion && motion->kind == TN_NODE_NUMBER && motion->number >= 2 && motion->number <= TN_TNR_MOST / 8 &&
      motion->number == floor(motion->number))
    r->motion = (int)motion->number;
  const size_t widest = (size_t)r->motion > channels->size ? (size_t)r->motion : channels->size;
  r->row = tn_arena_alloc(&r->arena, sizeof *r->row * widest);
  if (!r->column || !r->unit || !r->group || !r->row) return tn_fail(e, TN_E_MEMORY, "out of memory");
  for (const tn_node *k = channels->first; k; k = k->next) {
    if (!good_name(text_of(k, "name")))
      return damaged(r, e, "the head of the result file has a channel without a name");
    r->column[r->columns] = text_of(k, "name");
    r->unit[r->columns++] = text_of(k, "unit");
  }
  if (!(r->name = printable(r, "name")) || !(r->title = printable(r, "title")) ||
      !(r->settings = printable(r, "settings")))
    return tn_fail(e, TN_E_MEMORY, "out of memory");
  r->every = setting(r, " --every ");
  r->until = setting(r, " --until ");
  r->start = TN_TNR_START + (uint64_t)size;
  r->blocks.row = 8 * (size_t)r->columns;
  r->blocks.move = 8 * (size_t)r->motion;
  return TN_OK;
}

/* ---- blocks ----------------------------------------------------------------------------------------------------------------- */

static void note_fault(tn_result *r, tn_result_fault fault, uint64_t at) {
  if (r->fault) return;
  r->fault = fault;
  r->fault_at = at;
  r->fault_why = r->blocks.why;
  r->fault_rows = r->stream[TN_ROWS].rows;
}

/* the first block has the checksum of all that is before it. files of versions before 0.11 have none */
static void check_head(tn_result *r, const tn_block *block) {
  unsigned char part[4096];
  const uint32_t wanted = tn_get_u32(r->blocks.buffer);
  uint32_t crc = 0;
  for (uint64_t at = 0; at < r->start;) {
    const size_t n = r->start - at < sizeof part ? (size_t)(r->start - at) : sizeof part;
    const tn_block_state state = tn_blocks_take(&r->blocks, at, part, n);
    if (state == TN_BLOCK_UNREADABLE) note_fault(r, TN_FAULT_READ, at);
    if (state != TN_BLOCK_GOOD) break;
    crc = tn_crc32(crc, part, n);
    at += n;
  }
  if (block->size != TN_TNR_HEAD || crc != wanted) note_fault(r, TN_FAULT_HEAD, 0);
}

static void find_blocks(tn_result *r) {
  tn_block block;
  tn_block_state state;
  uint64_t at = r->start;
  while ((state = tn_blocks_read(&r->blocks, at, &block)) == TN_BLOCK_GOOD) {
    if (at == r->start && memcmp(block.kind, "HEAD", 4) == 0) check_head(r, &block);
    if (!tn_result_note(r, &block)) return;
    if (r->summary) return;
    at += TN_TNR_BLOCK + block.size;
  }
  /* a size beyond the end of the file: the file was cut off, unless good blocks follow */
  if (state == TN_BLOCK_CUT && tn_blocks_find(&r->blocks, at, &block) != TN_BLOCK_END) state = TN_BLOCK_BAD;
  if (state == TN_BLOCK_NO_MEMORY) r->no_memory = true;
  if (state == TN_BLOCK_END || state == TN_BLOCK_CUT) note_fault(r, TN_FAULT_NO_END, at);
  if (state == TN_BLOCK_BAD) note_fault(r, TN_FAULT_BLOCK, at);
  if (state == TN_BLOCK_UNREADABLE) note_fault(r, TN_FAULT_READ, at);
}

static size_t prefix(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? (size_t)(dot - name) : strlen(name);
}

/* false: the channels of a group are apart, which no run writes */
static bool find_groups(tn_result *r) {
  tn_index seen;
  if (!tn_index_make(&seen, &r->arena, (size_t)r->columns)) return !(r->no_memory = true);
  for (int i = 0; i < r->columns; i++) {
    const char *a = i ? r->column[i - 1] : NULL, *b = r->column[i];
    const bool same = a && strchr(a, '.') && strchr(b, '.') && prefix(a) == prefix(b) && strncmp(a, b, prefix(a)) == 0;
    if (same) continue;
    r->group[r->groups++] = i;
    char *name = tn_arena_text(&r->arena, b, prefix(b));
    if (!name) return !(r->no_memory = true);
    if (tn_index_find(&seen, name) >= 0) return false;
    tn_index_add(&seen, name, i);
  }
  r->group[r->groups] = r->columns;
  return true;
}

tn_status tn_result_open_file(const tn_allocator *allocator, FILE *file, const char *path, tn_result **result,
                              tn_error *e) {
  tn_arena arena;
  tn_arena_init(&arena, allocator);
  tn_result *r = tn_arena_alloc(&arena, sizeof *r);
  if (!r) {
    fclose(file);
    return tn_fail(e, TN_E_MEMORY, "out of memory");
  }
  r->arena = arena;
  r->blocks = (tn_blocks){.arena = &r->arena, .file = file};
  tn_blocks_measure(&r->blocks);
  tn_status status = TN_OK;
  if (!(r->path = tn_arena_text(&r->arena, path, strlen(path)))) status = tn_fail(e, TN_E_MEMORY, "out of memory");
  if (status == TN_OK) status = read_head(r, e);
  if (status == TN_OK && !find_groups(r) && !r->no_memory)
    status = damaged(r, e, "the head of the result file has a group of channels twice");
  if (status == TN_OK) find_blocks(r);
  if (status == TN_OK && r->no_memory) status = tn_fail(e, TN_E_MEMORY, "out of memory");
  if (status != TN_OK) {
    tn_result_close(r);
    return status;
  }
  *result = r;
  return TN_OK;
}

tn_status tn_result_open(const tn_allocator *allocator, const char *path, tn_result **result, tn_error *e) {
  TN_NEED(e, result, "result");
  *result = NULL;
  TN_NEED(e, path, "path");
  TN_NEED(e, !allocator || (allocator->allocate && allocator->release), "allocator->allocate or release");
  tn_error_clear(e);
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return tn_fail(e, TN_E_IO, "cannot open '%s': %s", path, strerror(errno));
  setvbuf(file, NULL, _IONBF, 0); /* unbuffered: blocks are read whole, and later changes of the file must be seen */
  return tn_result_open_file(allocator, file, path, result, e);
}

void tn_result_close(tn_result *r) {
  if (!r) return;
  fclose(r->blocks.file);
  tn_arena arena = r->arena; /* it lies in its own arena */
  tn_arena_free(&arena);
}

tn_status tn_result_check(const tn_result *r, tn_result_fault *fault, tn_error *e) {
  TN_NEED(e, r, "result");
  const unsigned long long at = (unsigned long long)r->fault_at;
  tn_error_clear(e);
  if (fault) *fault = r->fault;
  switch (r->fault) {
  case TN_FAULT_NONE: return TN_OK;
  case TN_FAULT_NO_END:
    return damaged(r, e, "the end of the result is missing: the run was killed or goes on, or the file was cut off");
  case TN_FAULT_HEAD: return damaged(r, e, "the head of the result is damaged: its checksum is wrong");
  case TN_FAULT_READ: return unreadable(r, r->fault_at, r->fault_why, e);
  case TN_FAULT_BLOCK: break;
  }
  tn_fail(e, TN_E_IO, "the result is damaged: the block at byte %llu has a wrong checksum or size", at);
  tn_error_at(e, &(tn_place){.file = r->path}, NULL);
  return TN_E_IO;
}

int tn_result_columns(const tn_result *r) { return r ? r->columns - 1 : 0; }
const char *tn_result_column(const tn_result *r, int i) {
  return r && i >= -1 && i < r->columns - 1 ? r->column[i + 1] : NULL;
}
const char *tn_result_unit(const tn_result *r, int i) {
  return r && i >= -1 && i < r->columns - 1 ? r->unit[i + 1] : NULL;
}
int64_t tn_result_rows(const tn_result *r) { return r ? r->stream[TN_ROWS].rows : 0; }
const char *tn_result_model(const tn_result *r) { return r ? text_of(r->head, "model") : NULL; }
const char *tn_result_name(const tn_result *r) { return r ? r->name : NULL; }
const char *tn_result_title(const tn_result *r) { return r ? r->title : NULL; }
const char *tn_result_settings(const tn_result *r) { return r ? r->settings : NULL; }
const char *tn_result_summary(const tn_result *r) { return r ? r->summary : NULL; }
int tn_result_groups(const tn_result *r) { return r ? r->groups : 0; }

int tn_result_group(const tn_result *r, int g, char *name, size_t size, int *first) {
  if (!r || !first || g < 0 || g >= r->groups) return 0;
  const char *column = r->column[r->group[g]];
  *first = r->group[g] - 1;
  tn_format(name, size, "%.*s", (int)prefix(column), column);
  return r->group[g + 1] - r->group[g];
}

int tn_result_motion_size(const tn_result *r) { return r->motion ? r->motion - 1 : 0; }
int64_t tn_result_motion_rows(const tn_result *r) { return r->stream[TN_MOVES].rows; }

/* `paired`: only rows that are in both streams */
static tn_status each(tn_result *r, int stream, bool paired, tn_row row, void *user, tn_error *e) {
  static const char *const kinds[TN_STREAMS] = {"ROWS", "MOVE"};
  const int columns = stream == TN_ROWS ? r->columns : r->motion;
  double *values = r->row;
  size_t hole = 0, lone = 0;
  uint64_t at = r->start;
  tn_block block;
  tn_error_clear(e);
  for (int64_t left = paired ? tn_result_pairs(r) : r->stream[stream].rows; left > 0;) {
    if (hole < r->holes && r->hole[hole].from == at) at = r->hole[hole++].to;
    const tn_block_state state = tn_blocks_read(&r->blocks, at, &block);
    if (state == TN_BLOCK_NO_MEMORY) return tn_fail(e, TN_E_MEMORY, "out of memory");
    if (state == TN_BLOCK_UNREADABLE) return unreadable(r, at, r->blocks.why, e);
    if (state != TN_BLOCK_GOOD) return damaged(r, e, "the result file has changed");
    at += TN_TNR_BLOCK + block.size;
    while (lone < r->lone && r->lone_at[lone] < block.at) lone++;
    const bool alone = paired && lone < r->lone && r->lone_at[lone] == block.at;
    if (alone || memcmp(block.kind, kinds[stream], 4) != 0) continue;
    for (size_t k = 0; k + 8 * (size_t)columns <= block.size && left > 0; k += 8 * (size_t)columns, left--) {
      for (int i = 0; i < columns; i++) {
        const uint64_t bits = tn_get_u64(r->blocks.buffer + k + 8 * (size_t)i);
        memcpy(&values[i], &bits, sizeof bits);
      }
      tn_status status = row(user, values[0], columns - 1, values + 1);
      if (status != TN_OK) return tn_fail(e, status, "reading was stopped by the receiver of the rows");
    }
  }
  return r->recovered ? TN_OK : tn_result_check(r, NULL, e);
}

tn_status tn_result_each(tn_result *r, tn_row row, void *user, tn_error *e) {
  TN_NEED(e, r, "result");
  TN_NEED(e, row, "row");
  return each(r, TN_ROWS, false, row, user, e);
}

tn_status tn_result_motion_each(tn_result *r, tn_row row, void *user, tn_error *e) {
  return each(r, TN_MOVES, false, row, user, e);
}

int64_t tn_result_pairs(const tn_result *r) {
  const int64_t rows = r->stream[TN_ROWS].rows - r->lone_rows[TN_ROWS],
                moves = r->stream[TN_MOVES].rows - r->lone_rows[TN_MOVES];
  return rows < moves ? rows : moves;
}

tn_status tn_result_pair_each(tn_result *r, bool motion, tn_row row, void *user, tn_error *e) {
  return each(r, motion ? TN_MOVES : TN_ROWS, true, row, user, e);
}

typedef struct csv {
  tn_write write;
  void *user;
} csv;

static tn_status csv_row(void *user, double t, int n, const double *values) {
  const csv *c = user;
  return tn_csv_row(t, n, values, c->write, c->user);
}

tn_status tn_result_csv(tn_result *r, tn_write write, void *user, tn_error *e) {
  TN_NEED(e, r, "result");
  TN_NEED(e, write, "write");
  csv c = {write, user};
  bool good = true;
  for (int i = 0; i < r->columns && good; i++)
    good = (!i || write(user, ",", 1)) && tn_csv_text(r->column[i], false, write, user);
  if (!good || !write(user, "\n", 1)) return tn_fail(e, TN_E_IO, "the table could not be written");
  return tn_result_each(r, csv_row, &c, e);
}

const tn_allocator *tn_result_allocator(const tn_result *r) { return &r->arena.allocator; }
