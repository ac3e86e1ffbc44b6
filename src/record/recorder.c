/* Writing a result file: a head from which the model can be run again, then blocks of rows. */
#include "record/record.h"

#include <errno.h>
#include <stdio.h>

enum { BLOCK_BYTES = 65536 };

/* rows that are not written yet */
typedef struct waiting {
  int columns;           /* without t                     */
  size_t used, room;     /* bytes                         */
  unsigned char *buffer; /* block head, then rows         */
} waiting;

struct tn_recorder {
  tn_allocator allocator;
  tn_write write;
  void *user;
  tn_sim *sim;
  waiting rows, moves;
  int64_t written; /* bytes, and their CRC: a saved state continues behind them */
  uint32_t crc;
  double *motion; /* a row of it                   */
  bool failed;    /* a write failed: nothing more is appended */
};

/* a text that grows */
typedef struct page {
  const tn_allocator *allocator;
  char *text;
  size_t used, room;
  bool failed;
} page;

static bool to_page(void *user, const char *text, size_t n) {
  page *p = user;
  if (p->room - p->used <= n) {
    const size_t room = 2 * (p->used + n) + 4096;
    char *larger = p->allocator->allocate(p->allocator->user, room);
    if (!larger) return p->failed = true, false;
    if (p->used) memcpy(larger, p->text, p->used);
    if (p->text) p->allocator->release(p->allocator->user, p->text);
    p->text = larger;
    p->room = room;
  }
  memcpy(p->text + p->used, text, n);
  p->used += n;
  p->text[p->used] = 0;
  return true;
}

static void drop(page *p) {
  if (p->text) p->allocator->release(p->allocator->user, p->text);
}

uint32_t tn_block_crc(const unsigned char head[TN_TNR_BLOCK], const void *payload, size_t size) {
  return tn_crc32(tn_crc32(tn_crc32(0, head, 4), head + 8, 8), payload, size);
}

void tn_record_channels(tn_json *j, const tn_model *m) {
  tn_json_open(j, "channels", "[");
  for (int i = -1; i < m->columns; i++) {
    const char *unit = i < 0 ? "s" : m->column_unit[i];
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "name", i < 0 ? "t" : m->column[i]);
    if (*unit)
      tn_json_text(j, "unit", unit);
    else
      tn_json_null(j, "unit", NULL);
    tn_json_close(j);
  }
  tn_json_close(j);
}

static void write_head(page *head, const tn_sim *sim, const char *model_text, const char *model_name) {
  char settings[1024];
  tn_json json = {.write = to_page, .user = head}, *j = &json;
  tn_model_settings(sim->m, settings, sizeof settings);
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "name", model_name);
  tn_json_text(j, "title", sim->m->title);
  tn_json_text(j, "settings", settings);
  tn_json_whole(j, "motion", tn_motion_size(sim->m) + 1);
  tn_record_channels(j, sim->m);
  tn_json_text(j, "model", model_text);
  tn_json_close(j);
  while (head->used % 8 && !head->failed) to_page(head, " ", 1);
}

/* in one piece */
static bool hand_over(tn_recorder *r, const void *data, size_t size) {
  r->written += (int64_t)size;
  r->crc = tn_crc32(r->crc, data, size);
  return r->write(r->user, data, size);
}

static bool make_room(waiting *w, const tn_allocator *a, int columns) {
  const size_t row = sizeof(double) * ((size_t)columns + 1);
  w->columns = columns;
  w->room = row > BLOCK_BYTES ? row : BLOCK_BYTES / row * row;
  return (w->buffer = a->allocate(a->user, TN_TNR_BLOCK + w->room)) != NULL;
}

static void destroy(tn_recorder *r) {
  if (!r) return;
  const tn_allocator a = r->allocator;
  if (r->rows.buffer) a.release(a.user, r->rows.buffer);
  if (r->moves.buffer) a.release(a.user, r->moves.buffer);
  if (r->motion) a.release(a.user, r->motion);
  tn_sim_drop(r->sim);
  a.release(a.user, r);
}

void tn_recorder_free(tn_recorder *r) {
  if (r && !r->sim->life.under_way) destroy(r); /* a run may hand it rows */
}

static tn_recorder *empty(tn_sim *sim, tn_write write, void *user) {
  const tn_allocator *a = &sim->life.allocator;
  tn_recorder *r = a->allocate(a->user, sizeof *r);
  if (!r) return NULL;
  *r = (tn_recorder){.allocator = *a, .write = write, .user = user, .sim = sim};
  tn_sim_hold(sim);
  if (make_room(&r->rows, a, sim->m->columns) && make_room(&r->moves, a, tn_motion_size(sim->m)) &&
      (r->motion = a->allocate(a->user, sizeof *r->motion * (size_t)tn_motion_size(sim->m))))
    return r;
  destroy(r);
  return NULL;
}

static void block_head(unsigned char *to, const char *kind, const void *payload, size_t size) {
  memcpy(to, kind, 4);
  tn_put_u64(to + 8, size);
  tn_put_u32(to + 4, tn_block_crc(to, payload, size));
}

/* start and head in their own pieces, then the checksum of both as the first block */
static bool begin(tn_recorder *r, const page *head) {
  unsigned char start[TN_TNR_START], check[TN_TNR_BLOCK + TN_TNR_HEAD] = {0};
  memcpy(start, TN_TNR_MAGIC, 8);
  tn_put_u32(start + 8, TN_TNR_VERSION);
  tn_put_u32(start + 12, (uint32_t)head->used);
  if (!hand_over(r, start, sizeof start) || !hand_over(r, head->text, head->used)) return false;
  tn_put_u32(check + TN_TNR_BLOCK, r->crc);
  block_head(check, "HEAD", check + TN_TNR_BLOCK, TN_TNR_HEAD);
  return hand_over(r, check, sizeof check);
}

tn_status tn_recorder_new(tn_sim *sim, const tn_desc *desc, const char *model_name, tn_write write, void *user,
                          tn_recorder **recorder, tn_error *e) {
  TN_NEED(e, sim, "sim");
  TN_NEED(e, desc, "desc");
  TN_NEED(e, model_name, "model_name");
  TN_NEED(e, write, "write");
  TN_NEED(e, recorder, "recorder");
  const tn_allocator *a = &sim->life.allocator;
  page model = {.allocator = a}, head = {.allocator = a};
  tn_error_clear(e);
  *recorder = NULL;
  tn_recorder *r = empty(sim, write, user);
  tn_status status = TN_OK;
  if (!r || tn_desc_print(desc, to_page, &model, NULL) != TN_OK)
    status = TN_E_MEMORY;
  else
    write_head(&head, sim, model.text, model_name);
  if (status == TN_OK && head.failed) status = TN_E_MEMORY;
  if (status == TN_OK && head.used > TN_TEXT_MOST) { /* a head that could not be read again is not written */
    drop(&model);
    drop(&head);
    destroy(r);
    return tn_fail(e, TN_E_MODEL, "the model is too large to be recorded: its head has more than %zu bytes",
                   TN_TEXT_MOST);
  }
  if (status == TN_OK && !begin(r, &head)) status = TN_E_IO;
  drop(&model);
  drop(&head);
  if (status == TN_OK) {
    sim->output.moving = true;
    *recorder = r;
    return TN_OK;
  }
  destroy(r);
  return tn_fail(e, status, status == TN_E_IO ? "the result could not be written" : "out of memory for the result");
}

/* write a block in one piece; after a failure no other follows */
static bool append(tn_recorder *r, const void *block, size_t size) {
  if (!r->failed) r->failed = !hand_over(r, block, size);
  return !r->failed;
}

static tn_status flush(tn_recorder *r, waiting *w, const char *kind) {
  if (!w->used) return r->failed ? TN_E_IO : TN_OK;
  block_head(w->buffer, kind, w->buffer + TN_TNR_BLOCK, w->used);
  const bool good = append(r, w->buffer, TN_TNR_BLOCK + w->used);
  w->used = 0;
  return good ? TN_OK : TN_E_IO;
}

tn_status tn_recorder_flush(tn_recorder *r) {
  TN_NEED(NULL, r, "recorder");
  const tn_status status = flush(r, &r->moves, "MOVE"); /* first: so every row that can be read has its motion */
  return status == TN_OK ? flush(r, &r->rows, "ROWS") : status;
}

static bool show(waiting *w, const char *kind, tn_write write, void *user) {
  if (!w->used) return true;
  block_head(w->buffer, kind, w->buffer + TN_TNR_BLOCK, w->used);
  return write(user, (const char *)w->buffer, TN_TNR_BLOCK + w->used);
}

tn_status tn_recorder_tail(tn_recorder *r, tn_write write, void *user) {
  TN_NEED(NULL, r, "recorder");
  TN_NEED(NULL, write, "write");
  return show(&r->moves, "MOVE", write, user) && show(&r->rows, "ROWS", write, user) ? TN_OK : TN_E_IO;
}

/* true: there is no room for another */
static bool put_row(waiting *w, double t, const double *values) {
  unsigned char *to = w->buffer + TN_TNR_BLOCK + w->used;
  for (int i = -1; i < w->columns; i++, to += 8) {
    uint64_t bits;
    memcpy(&bits, i < 0 ? &t : &values[i], sizeof bits);
    tn_put_u64(to, bits);
  }
  w->used += 8 * ((size_t)w->columns + 1);
  return w->used + 8 * ((size_t)w->columns + 1) > w->room;
}

tn_status tn_recorder_row(void *recorder, double t, int n, const double *values) {
  tn_recorder *r = recorder;
  if (!r || n != r->rows.columns || (n && !values)) return TN_E_USAGE;
  if (r->failed) return TN_E_IO;
  tn_motion(r->sim, t, r->motion);
  /* both together: so a file that is cut off has about as much of one as of the other */
  const bool full = put_row(&r->rows, t, values), moved = put_row(&r->moves, t, r->motion);
  return full || moved ? tn_recorder_flush(r) : TN_OK;
}

tn_status tn_recorder_end(tn_recorder *r, const tn_sim *sim, const char *model_name, tn_report report) {
  TN_NEED(NULL, r, "recorder");
  TN_NEED(NULL, sim, "sim");
  TN_NEED(NULL, model_name, "model_name");
  TN_NEED(NULL, report, "report");
  page text = {.allocator = &r->allocator};
  unsigned char head[TN_TNR_BLOCK];
  tn_status status = tn_recorder_flush(r);
  if (status == TN_OK) status = to_page(&text, (const char[TN_TNR_BLOCK]){0}, TN_TNR_BLOCK) ? TN_OK : TN_E_MEMORY;
  if (status == TN_OK && report(sim, model_name, to_page, &text) != TN_OK) status = TN_E_MEMORY;
  while (status == TN_OK && text.used % 8) status = to_page(&text, " ", 1) ? TN_OK : TN_E_MEMORY;
  if (status == TN_OK) {
    block_head(head, "DONE", text.text + TN_TNR_BLOCK, text.used - TN_TNR_BLOCK);
    memcpy(text.text, head, sizeof head);
    if (!append(r, text.text, text.used)) status = TN_E_IO;
  }
  drop(&text);
  return status;
}

/* ---- states ---------------------------------------------------------------------------------------------------------------- */

/* a saved state has two parts: that of the recorder, and behind it that of the simulation */
static void list(void *recorder, tn_keep *k) {
  tn_recorder *r = recorder;
  waiting *const both[] = {&r->rows, &r->moves};
  int64_t crc = (int64_t)r->crc;
  tn_keep_group(k, "recorder");
  tn_keep_longs(k, "written", 1, &r->written);
  tn_keep_longs(k, "crc", 1, &crc);
  r->crc = (uint32_t)crc;
  for (int i = 0; i < 2; i++) {
    waiting *w = both[i];
    tn_keep_ints(k, "columns", 1, &w->columns, w->columns, w->columns);
    tn_keep_bytes(k, "waiting", &w->used, w->room, w->buffer + TN_TNR_BLOCK);
  }
}

tn_status tn_recorder_save(tn_recorder *r, tn_write write, void *user, tn_error *e) {
  TN_NEED(e, r, "recorder");
  TN_NEED(e, write, "write");
  tn_error_clear(e);
  if (r->failed) return tn_fail(e, TN_E_IO, "the result could not be written: its state is not worth saving");
  const tn_status status = tn_keep_save(list, r, r->sim->m->fingerprint, write, user, e);
  return status == TN_OK ? tn_sim_save(r->sim, write, user, e) : status;
}

/* whole rows, and never as many as make a block */
static bool sensible(const waiting *w) {
  const size_t row = 8 * ((size_t)w->columns + 1);
  return w->used % row == 0 && (!w->used || w->used + row <= w->room);
}

/* true if the file begins with the bytes that it had when the state was saved */
static tn_status check_file(const tn_recorder *r, const char *path, tn_error *e) {
  unsigned char part[4096];
  uint32_t crc = 0;
  int64_t left = r->written;
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return tn_fail(e, TN_E_IO, "cannot read '%s': %s", path, strerror(errno));
  while (left > 0) {
    const size_t wanted = left < (int64_t)sizeof part ? (size_t)left : sizeof part, n = fread(part, 1, wanted, file);
    crc = tn_crc32(crc, part, n);
    left -= (int64_t)n;
    if (n < wanted) break;
  }
  const int why = ferror(file) ? errno ? errno : EIO : 0;
  fclose(file);
  if (why)
    return tn_fail(e, TN_E_IO, "the result '%s' cannot be read at byte %" PRId64 ": %s", path, r->written - left,
                   strerror(why));
  if (left > 0)
    return tn_fail(e, TN_E_IO, "'%s' has %" PRId64 " of the %" PRId64 " bytes that it had when the state was saved",
                   path, r->written - left, r->written);
  if (crc != r->crc)
    return tn_fail(e, TN_E_IO, "'%s' is another result than the one that the state was saved of, or is damaged", path);
  return TN_OK;
}

tn_status tn_recorder_resume(tn_sim *sim, const char *path, const void *state, size_t size, tn_write write, void *user,
                             tn_recorder **recorder, int64_t *length, tn_error *e) {
  size_t used = 0;
  if (recorder) *recorder = NULL;
  TN_TRY(tn_sim_may_change(sim, __func__, e));
  TN_NEED(e, path, "path");
  TN_NEED(e, state, "state");
  TN_NEED(e, write, "write");
  TN_NEED(e, recorder, "recorder");
  TN_NEED(e, length, "length");
  tn_recorder *r = empty(sim, write, user);
  if (!r) return tn_fail(e, TN_E_MEMORY, "out of memory for the result");
  tn_status status = tn_keep_load(list, r, sim->m->fingerprint, state, size, &used, e);
  if (status == TN_OK && !(sensible(&r->rows) && sensible(&r->moves)))
    status = tn_fail(e, TN_E_IO, "the saved state contradicts itself: rows that wait are none");
  if (status == TN_OK) status = check_file(r, path, e);
  if (status == TN_OK) status = tn_sim_load(sim, (const unsigned char *)state + used, size - used, e);
  if (status != TN_OK) {
    destroy(r);
    return status;
  }
  sim->output.moving = true;
  *length = r->written;
  *recorder = r;
  return TN_OK;
}
