/* Messages: the texts of tn_error, and the nearest known name for an unknown one.
 * SPDX-License-Identifier: MIT
 *
 * Every text of a tn_error is cut to its field and shown as by tn_show, whatever names and paths are in it. So it can be
 * printed, logged or written as JSON without further care. The caller's tn_error may be NULL everywhere. */
#include "base/base.h"

enum { NEAR_LONGEST = 64 }; /* names beyond it are not compared */

/* bytes of the UTF-8 character at s, 0 if there is no valid one. Unicode 15, table 3-7: no overlong forms, no
 * surrogates, nothing above U+10FFFF */
int tn_utf8(const char *s, size_t n) {
  if (!n) return 0;
  unsigned char a = (unsigned char)s[0], lo = 0x80, hi = 0xbf;
  if (a < 0x80) return 1;
  int length = a >= 0xc2 && a <= 0xdf ? 2 : (a & 0xf0) == 0xe0 ? 3 : a >= 0xf0 && a <= 0xf4 ? 4 : 0;
  if (!length || (size_t)length > n) return 0;
  if (a == 0xe0) lo = 0xa0;
  if (a == 0xed) hi = 0x9f;
  if (a == 0xf0) lo = 0x90;
  if (a == 0xf4) hi = 0x8f;
  for (int i = 1; i < length; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c < lo || c > hi) return 0;
    lo = 0x80;
    hi = 0xbf;
  }
  return length;
}

/* a text that was cut may end in half a character: remove it */
static size_t whole(const char *text, size_t n) {
  for (size_t back = 1; back < 4 && back <= n; back++) {
    const unsigned char c = (unsigned char)text[n - back];
    if ((c & 0xc0) == 0x80) continue;
    const size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;
    return length > back ? n - back : n;
  }
  return n;
}

void tn_show_cut(char *field, size_t size, const char *text, bool cut) {
  char shown[1024]; /* the text may be the field itself */
  const size_t n = strlen(text);
  tn_show_part(shown, size < sizeof shown ? size : sizeof shown, text, cut ? whole(text, n) : n);
  memcpy(field, shown, strlen(shown) + 1);
}

static void write_field(char *field, size_t size, const char *text) {
  tn_show_cut(field, size, text, strlen(text) >= size);
}

void tn_error_clear(tn_error *e) {
  if (!e) return;
  *e = (tn_error){.byte = -1, .time = NAN};
}

tn_status tn_fail(tn_error *e, tn_status status, const char *format, ...) {
  if (!e) return status;
  char message[sizeof e->message + 4]; /* longer than the field, so a cut is seen; apart, as arguments may lie in *e */
  va_list arguments;
  va_start(arguments, format);
  if (tn_vformat(message, sizeof message, format, arguments) < 0) message[0] = 0;
  va_end(arguments);
  tn_error_clear(e);
  e->status = status;
  write_field(e->message, sizeof e->message, message);
  return status;
}

tn_status tn_null_argument(tn_error *e, const char *function, const char *name) {
  return tn_fail(e, TN_E_USAGE, "%s: `%s` is NULL", function, name);
}

void tn_hint(tn_error *e, const char *format, ...) {
  if (!e) return;
  char hint[sizeof e->hint + 4];
  va_list arguments;
  va_start(arguments, format);
  if (tn_vformat(hint, sizeof hint, format, arguments) < 0) hint[0] = 0;
  va_end(arguments);
  write_field(e->hint, sizeof e->hint, hint);
}

void tn_error_at(tn_error *e, const tn_place *place, const char *pointer) {
  if (!e) return;
  if (place) {
    write_field(e->file, sizeof e->file, place->file ? place->file : "");
    e->byte = place->byte;
    e->line = place->line;
    e->column = place->column;
  }
  if (pointer) write_field(e->pointer, sizeof e->pointer, pointer);
}

int tn_error_text(const tn_error *e, char *text, size_t size) {
  if (!e) return tn_format(text, size, "%s", "");
  char place[sizeof e->file + 32] = "", time[48] = "";
  if (e->file[0] && e->line > 0)
    tn_format(place, sizeof place, " (%s:%d:%d)", e->file, e->line, e->column);
  else if (e->file[0])
    tn_format(place, sizeof place, " (%s)", e->file);
  else if (e->pointer[0])
    tn_format(place, sizeof place, " (at %s)", e->pointer);
  else if (e->line > 0)
    tn_format(place, sizeof place, " (line %d, column %d)", e->line, e->column);
  if (!isnan(e->time)) tn_format(time, sizeof time, " at t = %.9g s", e->time);
  return tn_format(text, size, "%s%s%s%s%s", e->message, place, time, e->hint[0] ? " - " : "", e->hint);
}

int tn_names_text(char *text, size_t size, const char *between, int n, const char *const *names) {
  enum { REST = 24 }; /* ` and 2147483647 more` */
  size_t used = 0, left = 0;
  int shown = 0;
  if (!size) return 0;
  text[0] = 0;
  for (int i = 0; i < n; i++) left += strlen(names[i]) + (i ? strlen(between) : 0);
  for (; shown < n; shown++) {
    const char *before = shown ? between : "";
    const size_t length = strlen(before) + strlen(names[shown]);
    if (used + left >= size && used + length + REST >= size) break;
    used += (size_t)tn_format(text + used, size - used, "%s%s", before, names[shown]);
    left -= length;
  }
  if (shown < n) tn_format(text + used, size - used, "%s%d more", shown ? " and " : "", n - shown);
  return n - shown;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* edit distance with swaps of neighbors (optimal string alignment), case ignored:
 *   d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a_i != b_j),
 *                 d[i-2][j-2] + 1 if a_i a_{i-1} = b_{j-1} b_j) */
static int distance(const char *a, int m, const char *b, int n) {
  int rows[3][NEAR_LONGEST + 1];
  for (int j = 0; j <= n; j++) rows[0][j] = j;
  for (int i = 1; i <= m; i++) {
    int *d = rows[i % 3], *d1 = rows[(i + 2) % 3], *d2 = rows[(i + 1) % 3];
    d[0] = i;
    for (int j = 1; j <= n; j++) {
      char x = lower(a[i - 1]), y = lower(b[j - 1]);
      int best = d1[j - 1] + (x != y);
      if (d1[j] + 1 < best) best = d1[j] + 1;
      if (d[j - 1] + 1 < best) best = d[j - 1] + 1;
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]) && d2[j - 2] + 1 < best) best = d2[j - 2] + 1;
      d[j] = best;
    }
  }
  return rows[m % 3][n];
}

const char *tn_nearest(const char *name, int n, const char *const *names) {
  size_t length = name ? strlen(name) : 0;
  if (length == 0 || length > NEAR_LONGEST) return NULL;
  /* a name of one letter has nothing left when that one is changed: only its other case is near */
  int limit = length == 1 ? 0 : length < 6 ? 1 : (int)length / 3, best = limit + 1;
  const char *nearest = NULL;
  for (int i = 0; names && i < n; i++) {
    size_t other = names[i] ? strlen(names[i]) : 0;
    if (other == 0 || other > NEAR_LONGEST) continue;
    int d = distance(name, (int)length, names[i], (int)other);
    if (d < best) {
      best = d;
      nearest = names[i];
    }
  }
  return nearest;
}
