/* a motion to compare with: rows of t and channels, from a file (CSV as Tenon writes it) or from a run. */
#include "study/study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

tn_status tn_reference_add(tn_reference *r, double t, const double *values) {
  const size_t width = (size_t)r->columns + 1;
  if (r->rows == r->room) {
    const size_t room = r->room ? 2 * r->room : 256;
    double *larger = tn_arena_alloc(&r->arena, room * width * sizeof *larger);
    if (!larger) return TN_E_MEMORY;
    if (r->rows) memcpy(larger, r->value, r->rows * width * sizeof *larger);
    r->value = larger;
    r->room = room;
  }
  double *row = r->value + r->rows++ * width;
  row[0] = t;
  memcpy(row + 1, values, sizeof *values * (size_t)r->columns);
  return TN_OK;
}

int tn_reference_column(const tn_reference *r, const char *name) {
  for (int i = 0; i < r->columns; i++)
    if (strcmp(r->column[i], name) == 0) return i;
  return -1;
}

#define MOST_LINE ((size_t)1 << 24)

/* a file, or a text */
typedef struct source {
  FILE *file; /* NULL: the text */
  const char *text;
  size_t left;
} source;

/* as fgets: up to the end of a line, or as much as there is room for */
static bool piece(source *s, char *to, size_t room) {
  if (s->file) return fgets(to, (int)room, s->file) != NULL;
  if (!s->left) return false;
  const char *end = memchr(s->text, '\n', s->left);
  size_t n = end ? (size_t)(end - s->text) + 1 : s->left;
  if (n > room - 1) n = room - 1;
  memcpy(to, s->text, n);
  to[n] = 0;
  s->text += n;
  s->left -= n;
  return true;
}

static char *line_of(source *from, char **line, size_t *room, bool *failed) {
  size_t used = 0;
  for (;;) {
    if (*room - used < 256) {
      char *larger = *room > MOST_LINE ? NULL : realloc(*line, *room ? 2 * *room : 4096);
      if (!larger) return *failed = true, NULL;
      *room = *room ? 2 * *room : 4096;
      *line = larger;
    }
    const bool more = piece(from, *line + used, *room - used);
    if (!more && !used) return NULL;
    used += more ? strlen(*line + used) : 0;
    if (more && (*line)[used - 1] != '\n') continue;
    while (used && ((*line)[used - 1] == '\n' || (*line)[used - 1] == '\r')) (*line)[--used] = 0;
    return *line;
  }
}

static tn_status bad(tn_error *e, const char *path, int line, const char *why) {
  tn_fail(e, TN_E_MODEL, "the reference has %s", why);
  tn_format(e->file, sizeof e->file, "%.250s", path);
  e->line = line;
  e->column = 1;
  return TN_E_MODEL;
}

static tn_status heads(tn_reference *r, char *line, const char *path, tn_error *e) {
  int n = 1;
  for (const char *c = line; *c; c++) n += *c == ',';
  r->columns = n - 1;
  r->column = tn_arena_alloc(&r->arena, sizeof *r->column * (size_t)n);
  if (!r->column) return tn_fail(e, TN_E_MEMORY, "out of memory");
  for (int i = 0; i < n; i++) {
    const size_t size = strcspn(line, ",");
    if (i == 0 && (size != 1 || *line != 't')) return bad(e, path, 1, "a first column that is not t");
    if (i && !(r->column[i - 1] = tn_arena_text(&r->arena, line, size)))
      return tn_fail(e, TN_E_MEMORY, "out of memory");
    line += size + (line[size] == ',');
  }
  return TN_OK;
}

static tn_status read_rows(tn_reference *r, const char *path, source *from, tn_error *e) {
  char *line = NULL;
  size_t room = 0;
  double *values = NULL;
  bool failed = false;
  tn_status status =
      line_of(from, &line, &room, &failed) ? heads(r, line, path, e) : bad(e, path, 1, "no line of names");
  if (status == TN_OK && !(values = tn_arena_alloc(&r->arena, sizeof *values * ((size_t)r->columns + 1))))
    status = tn_fail(e, TN_E_MEMORY, "out of memory");
  for (int n = 2; status == TN_OK && line_of(from, &line, &room, &failed); n++) {
    const char *at = line;
    if (!*line) continue; /* a blank line says nothing */
    for (int i = 0; i <= r->columns && status == TN_OK; i++) {
      const size_t size = strcspn(at, ",");
      if (!tn_json_number(at, size, &values[i])) status = bad(e, path, n, "something that is not a number");
      if ((at[size] == ',') != (i < r->columns)) status = bad(e, path, n, "a line of another length");
      at += size + (at[size] == ',');
    }
    if (status == TN_OK && r->rows && !(values[0] > r->value[(r->rows - 1) * ((size_t)r->columns + 1)]))
      status = bad(e, path, n, "times that do not increase");
    if (status == TN_OK && tn_reference_add(r, values[0], values + 1) != TN_OK)
      status = tn_fail(e, TN_E_MEMORY, "out of memory");
  }
  if (status == TN_OK && failed)
    status = tn_fail(e, TN_E_MODEL, "a line of '%.200s' is too long, or there is no memory for it", path);
  if (status == TN_OK && from->file && ferror(from->file)) status = tn_fail(e, TN_E_IO, "cannot read '%.200s'", path);
  if (status == TN_OK && !r->rows) status = bad(e, path, 2, "no rows");
  free(line);
  return status;
}

tn_status tn_reference_read(tn_reference *r, const char *path, tn_error *e) {
  source from = {.file = fopen(path, "rb")};
  if (!from.file) return tn_fail(e, TN_E_IO, "cannot read '%.200s': %s", path, strerror(errno));
  const tn_status status = read_rows(r, path, &from, e);
  fclose(from.file);
  return status;
}

tn_status tn_reference_parse(tn_reference *r, const char *path, const char *text, size_t size, tn_error *e) {
  source from = {.text = text, .left = size};
  return read_rows(r, path, &from, e);
}
