/* reading a result file, whole or cut off. the head and the places of the blocks are found once; rows are read again from the
 * file whenever they are asked for, so that a result may be larger than the memory. */
#include "record/record.h"

#include <limits.h>
#include <stdio.h>

#define HEAD_MOST ((uint32_t)128 << 20) /* bytes */

struct tn_result {
  tn_arena arena;
  FILE *file;
  char *path;
  const tn_node *head;
  const char *name, *title, *settings; /* can be printed */
  int columns;
  const char **column, **unit;
  long start; /* of the first block                     */
  long end;   /* of the last good one                   */
  long rows, moves;
  int motion;    /* numbers in a row of it with t; 0: none is there */
  char *summary; /* JSON; NULL: cut off               */
  unsigned char *buffer;
  size_t room;
  double *row;   /* columns, or motion                  */
  uint64_t size; /* of the file                         */
  bool no_memory;
  int groups;
  int *group; /* first column of each, t is column 0    */
};

static tn_status damaged(const tn_result *r, tn_error *e, const char *what) {
  tn_fail(e, TN_E_IO, "%s", what);
  tn_error_at(e, &(tn_place){.file = r->path}, NULL);
  return TN_E_IO;
}

static bool take(tn_result *r, void *to, size_t n) { return fread(to, 1, n, r->file) == n; }

static const char *text_of(const tn_node *object, const char *key) {
  const tn_node *node = tn_node_get(object, key);
  return node && node->kind == TN_NODE_TEXT ? node->text : "";
}

/* a text of the head as it is shown: it may come from anywhere */
static char *printable(tn_result *r, const char *key) {
  const char *text = text_of(r->head, key);
  const size_t size = (size_t)tn_show(NULL, 0, text) + 1;
  char *copy = tn_arena_alloc(&r->arena, size);
  if (copy) tn_show(copy, size, text);
  return copy;
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
  if (!take(r, start, 8) || memcmp(start, TN_TNR_MAGIC, 8) != 0)
    return damaged(r, e, "this is not a result file of Tenon");
  if (!take(r, start + 8, 8)) return damaged(r, e, "the result file ends before its head");
  const uint32_t version = tn_get_u32(start + 8), size = tn_get_u32(start + 12);
  if (version != TN_TNR_VERSION) {
    tn_fail(e, TN_E_IO, "result file of version %u; this Tenon reads version %d", (unsigned)version, TN_TNR_VERSION);
    tn_error_at(e, &(tn_place){.file = r->path}, NULL);
    return TN_E_IO;
  }
  if (size > HEAD_MOST || size % 8 || size > r->size)
    return damaged(r, e, "the head of the result file makes no sense");
  char *text = tn_arena_alloc(&r->arena, (size_t)size + 1);
  if (!text) return tn_fail(e, TN_E_MEMORY, "out of memory");
  if (!take(r, text, size)) return damaged(r, e, "the result file ends within its head");
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
  if (motion && motion->kind == TN_NODE_NUMBER && motion->number >= 2 && motion->number <= HEAD_MOST / 8 &&
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
  r->start = r->end = (long)TN_TNR_START + (long)size;
  return TN_OK;
}

/* the payload of the block at hand into the buffer; false: it is not whole */
static bool read_block(tn_result *r, char kind[4], size_t *size) {
  unsigned char head[TN_TNR_BLOCK];
  if (!take(r, head, sizeof head)) return false;
  const uint64_t n = tn_get_u64(head + 8);
  memcpy(kind, head, 4);
  if (n == 0 || n % 8 || n > HEAD_MOST || n > r->size) return false;
  if (n > r->room) {
    unsigned char *larger = tn_arena_alloc(&r->arena, (size_t)n + 1);
    if (!larger) return r->no_memory = true, false;
    r->buffer = larger;
    r->room = (size_t)n;
  }
  if (!take(r, r->buffer, (size_t)n) || tn_block_crc(head, r->buffer, (size_t)n) != tn_get_u32(head + 4)) return false;
  *size = (size_t)n;
  return true;
}

static void find_blocks(tn_result *r) {
  char kind[4];
  size_t size;
  const size_t row = 8 * (size_t)r->columns;
  while (!r->summary && read_block(r, kind, &size)) {
    if (memcmp(kind, "ROWS", 4) == 0) {
      if (size % row) return;
      r->rows += (long)(size / row);
    } else if (memcmp(kind, "MOVE", 4) == 0 && r->motion) {
      if (size % (8 * (size_t)r->motion)) return;
      r->moves += (long)(size / (8 * (size_t)r->motion));
    } else if (memcmp(kind, "DONE", 4) == 0) {
      if (!(r->summary = tn_arena_text(&r->arena, (const char *)r->buffer, size))) r->no_memory = true;
      if (r->no_memory) return;
    } /* other kinds may come one day */
    r->end += (long)(TN_TNR_BLOCK + size);
  }
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

tn_status tn_result_open(const tn_allocator *allocator, const char *path, tn_result **result, tn_error *e) {
  tn_arena arena;
  tn_error_clear(e);
  *result = NULL;
  tn_arena_init(&arena, allocator);
  tn_result *r = tn_arena_alloc(&arena, sizeof *r);
  if (!r) return tn_fail(e, TN_E_MEMORY, "out of memory");
  r->arena = arena;
  tn_status status = TN_OK;
  if (!(r->path = tn_arena_text(&r->arena, path, strlen(path))))
    status = tn_fail(e, TN_E_MEMORY, "out of memory");
  else if (!(r->file = fopen(path, "rb")))
    status = tn_fail(e, TN_E_IO, "cannot open '%s'", path);
  if (status == TN_OK)
    setvbuf(r->file, NULL, _IONBF, 0); /* blocks are read whole; what has changed since must be seen */
  if (status == TN_OK && fseek(r->file, 0, SEEK_END) == 0) {
    const long size = ftell(r->file);
    r->size = size > 0 ? (uint64_t)size : 0;
    rewind(r->file);
  }
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

void tn_result_close(tn_result *r) {
  if (!r) return;
  if (r->file) fclose(r->file);
  tn_arena arena = r->arena; /* it lies in its own arena */
  tn_arena_free(&arena);
}

int tn_result_columns(const tn_result *r) { return r->columns - 1; }
const char *tn_result_column(const tn_result *r, int i) {
  return i >= -1 && i < r->columns - 1 ? r->column[i + 1] : NULL;
}
const char *tn_result_unit(const tn_result *r, int i) { return i >= -1 && i < r->columns - 1 ? r->unit[i + 1] : NULL; }
long tn_result_rows(const tn_result *r) { return r->rows; }
const char *tn_result_model(const tn_result *r) { return text_of(r->head, "model"); }
const char *tn_result_name(const tn_result *r) { return r->name; }
const char *tn_result_title(const tn_result *r) { return r->title; }
const char *tn_result_settings(const tn_result *r) { return r->settings; }
const char *tn_result_summary(const tn_result *r) { return r->summary; }
int tn_result_groups(const tn_result *r) { return r->groups; }

int tn_result_group(const tn_result *r, int g, char *name, size_t size, int *first) {
  if (g < 0 || g >= r->groups) return 0;
  const char *column = r->column[r->group[g]];
  *first = r->group[g] - 1;
  tn_format(name, size, "%.*s", (int)prefix(column), column);
  return r->group[g + 1] - r->group[g];
}

int tn_result_motion_size(const tn_result *r) { return r->motion ? r->motion - 1 : 0; }
long tn_result_motion_rows(const tn_result *r) { return r->moves; }

static tn_status each(tn_result *r, const char *wanted, int columns, long rows, tn_row row, void *user, tn_error *e) {
  double *values = r->row;
  char kind[4];
  size_t size;
  tn_error_clear(e);
  if (fseek(r->file, r->start, SEEK_SET) != 0) return damaged(r, e, "the result file cannot be read");
  for (long left = rows; left > 0;) {
    if (!read_block(r, kind, &size))
      return r->no_memory ? tn_fail(e, TN_E_MEMORY, "out of memory") : damaged(r, e, "the result file has changed");
    if (memcmp(kind, wanted, 4) != 0) continue;
    for (size_t at = 0; at + 8 * (size_t)columns <= size && left > 0; at += 8 * (size_t)columns, left--) {
      for (int i = 0; i < columns; i++) {
        const uint64_t bits = tn_get_u64(r->buffer + at + 8 * (size_t)i);
        memcpy(&values[i], &bits, sizeof bits);
      }
      tn_status status = row(user, values[0], columns - 1, values + 1);
      if (status != TN_OK) return tn_fail(e, status, "reading was stopped by the receiver of the rows");
    }
  }
  return TN_OK;
}

tn_status tn_result_each(tn_result *r, tn_row row, void *user, tn_error *e) {
  return each(r, "ROWS", r->columns, r->rows, row, user, e);
}

tn_status tn_result_motion_each(tn_result *r, tn_row row, void *user, tn_error *e) {
  return each(r, "MOVE", r->motion, r->moves, row, user, e);
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
  csv c = {write, user};
  bool good = true;
  for (int i = 0; i < r->columns && good; i++)
    good = (!i || write(user, ",", 1)) && tn_csv_text(r->column[i], false, write, user);
  if (!good || !write(user, "\n", 1)) return tn_fail(e, TN_E_IO, "the table could not be written");
  return tn_result_each(r, csv_row, &c, e);
}

const tn_allocator *tn_result_allocator(const tn_result *r) { return &r->arena.allocator; }
