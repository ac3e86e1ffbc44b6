/* Escaping of texts from outside, for terminals, tables, messages and JSON.
 * SPDX-License-Identifier: MIT
 *
 * Names, paths and titles may hold anything. These characters are escaped, because a terminal would obey them or a reader would be
 * misled:
 *   control characters    U+0000 .. U+001F, U+007F .. U+009F
 *   marks of direction    U+061C, U+200E, U+200F, U+202A .. U+202E, U+2066 .. U+2069
 *   line separators       U+2028, U+2029
 *   bytes that are not UTF-8
 * A backslash is not escaped: so a text that was escaped once stays the same when it is escaped again. */
#include "base/base.h"

static unsigned code_point(const char *s, int length) {
  const unsigned char *b = (const unsigned char *)s;
  if (length == 1) return b[0];
  unsigned code = b[0] & (0xffu >> (length + 1));
  for (int i = 1; i < length; i++) code = code << 6 | (b[i] & 0x3fu);
  return code;
}

static bool is_shown(unsigned c) {
  return !(c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069));
}

int tn_escape(const char *s, size_t n, char escape[8]) {
  const int length = tn_utf8(s, n);
  escape[0] = 0;
  if (!length) {
    tn_format(escape, 8, "\\x%02x", (unsigned)(unsigned char)s[0]);
    return 1;
  }
  const unsigned code = code_point(s, length);
  if (is_shown(code)) return length;
  static const char known[] = "\b\f\n\r\t", names[] = "bfnrt";
  const char *at = code && code < 0x20 ? strchr(known, (int)code) : NULL;
  if (at)
    tn_format(escape, 8, "\\%c", names[at - known]);
  else
    tn_format(escape, 8, code < 0x80 ? "\\x%02x" : "\\u%04x", code);
  return length;
}

int tn_show_part(char *shown, size_t size, const char *text, size_t n) {
  size_t used = 0;
  bool room = size > 0;
  if (size) shown[0] = 0;
  for (size_t i = 0; i < n;) {
    char escape[8];
    const int bytes = tn_escape(text + i, n - i, escape);
    const char *from = *escape ? escape : text + i;
    const size_t length = *escape ? strlen(escape) : (size_t)bytes;
    room = room && used + length < size; /* cut between characters */
    if (room) {
      memcpy(shown + used, from, length);
      shown[used + length] = 0;
    }
    used += length;
    i += (size_t)bytes;
  }
  return (int)used;
}

int tn_show(char *shown, size_t size, const char *text) {
  return tn_show_part(shown, shown ? size : 0, text ? text : "", text ? strlen(text) : 0);
}
