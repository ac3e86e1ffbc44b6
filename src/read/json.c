/* json: the strict reader of RFC 8259 with comments.
 * SPDX-License-Identifier: MIT
 *
 *   text    = space object space                      (tn_json_value: any value)
 *   value   = object | list | string | number | "true" | "false" | "null"
 *   object  = "{" [ string ":" value { "," string ":" value } ] "}"       keys differ from each other
 *   list    = "[" [ value { "," value } ] "]"
 *   string  = '"' { UTF-8 from U+0020 on, but no '"' and no '\' | escape } '"'
 *   escape  = '\' ( '"' | '\' | '/' | b | f | n | r | t | u hex hex hex hex )       U+0000 and half pairs refused
 *   number  = [-] ( 0 | 1-9 { digit } ) [ . digit { digit } ] [ (e | E) [+ | -] digit { digit } ]     within a double
 *   space   = { blank | tab | CR | LF | "//" to the end of the line }              allowed around every token
 *
 * Limits, so that hostile text ends in a message: TN_TEXT_MOST bytes, VALUES_MOST values, TN_DEPTH levels (which
 * bounds the recursion), NUMBER_LONGEST bytes in a number. */
#include "read/read.h"

#include <locale.h>
#include <stdlib.h>

enum { VALUES_MOST = 4 << 20, NUMBER_LONGEST = 1000 };

typedef struct reader {
  tn_arena *arena;
  const char *file;
  bool placed; /* nodes get their places */
  const char *s;
  size_t n, at, line_start;
  int line, depth;
  int values;
  tn_error *e;
} reader;

static int peek(const reader *r) { return r->at < r->n ? (unsigned char)r->s[r->at] : -1; }

static tn_place here(const reader *r) {
  return (tn_place){r->file, (int64_t)r->at, r->line, (int)(r->at - r->line_start) + 1};
}

static tn_status TN_PRINTF(3, 4) refuse(reader *r, tn_place place, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  tn_vformat(message, sizeof message, format, arguments);
  va_end(arguments);
  tn_fail(r->e, TN_E_MODEL, "%s", message);
  tn_error_at(r->e, &place, NULL);
  return TN_E_MODEL;
}

static tn_status no_memory(reader *r) {
  tn_fail(r->e, TN_E_MEMORY, "no memory to read the model");
  return TN_E_MEMORY;
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_word(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

/* the text at the reader, for the message `found ...` */
typedef struct found {
  char text[48];
} found;

static found what(const reader *r) {
  found f = {""};
  size_t left = r->n - r->at, run = 0;
  while (run < left && is_word((unsigned char)r->s[r->at + run])) run++;
  int c = peek(r), length = tn_utf8(r->s + r->at, left);
  if (c < 0)
    tn_format(f.text, sizeof f.text, "the end of the text");
  else if (run > 24)
    tn_format(f.text, sizeof f.text, "'%.24s...'", r->s + r->at);
  else if (run)
    tn_format(f.text, sizeof f.text, "'%.*s'", (int)run, r->s + r->at);
  else if (!length || c < 0x20 || c == 0x7f)
    tn_format(f.text, sizeof f.text, "byte 0x%02x", (unsigned)c);
  else
    tn_format(f.text, sizeof f.text, "'%.*s'", length, r->s + r->at);
  return f;
}

static tn_status space(reader *r) {
  for (;;) {
    int c = peek(r);
    if (c == '\n') {
      r->at++;
      r->line++;
      r->line_start = r->at;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      r->at++;
    } else if (c == '/') {
      int second = r->at + 1 < r->n ? r->s[r->at + 1] : -1;
      if (second == '*') return refuse(r, here(r), "only // comments are read, not /* */");
      if (second != '/') return refuse(r, here(r), "a single '/': a comment begins with //");
      while (r->at < r->n && r->s[r->at] != '\n') {
        int length = tn_utf8(r->s + r->at, r->n - r->at);
        if (!length) return refuse(r, here(r), "byte 0x%02x in a comment is not UTF-8", (unsigned)peek(r));
        r->at += (size_t)length;
      }
    } else {
      return TN_OK;
    }
  }
}

static tn_status new_node(reader *r, tn_node_kind kind, tn_place place, tn_node **node) {
  if (++r->values > VALUES_MOST) {
    refuse(r, place, "more than %d values", VALUES_MOST);
    return TN_E_MODEL;
  }
  *node = tn_node_new(r->arena, kind);
  if (!*node) return no_memory(r);
  if (r->placed) (*node)->place = place;
  return TN_OK;
}

/* ---- strings ---- */

static int hex4(const char *s, size_t n) {
  int value = 0;
  if (n < 4) return -1;
  for (int i = 0; i < 4; i++) {
    int c = (unsigned char)s[i];
    int digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return -1;
    value = 16 * value + digit;
  }
  return value;
}

static size_t put_utf8(char *to, unsigned c) {
  size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const unsigned char head[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = n; i-- > 1; c >>= 6) to[i] = (char)(0x80 | (c & 0x3f));
  to[0] = (char)(head[n] | c);
  return n;
}

/* the escape at the reader, which stands on the backslash */
static tn_status escape(reader *r, char *to, size_t *used) {
  static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  tn_place start = here(r);
  r->at++;
  int c = peek(r); /* it exists: the closing quote was found behind it */
  const char *known = c > 0 ? strchr(names, c) : NULL;
  if (known) {
    to[(*used)++] = meanings[known - names];
    r->at++;
    return TN_OK;
  }
  if (c != 'u') {
    found f = what(r);
    return refuse(r, start, "unknown escape: '\\' followed by %s", f.text);
  }
  int code = hex4(r->s + r->at + 1, r->n - r->at - 1);
  if (code < 0) return refuse(r, start, "expected four hexadecimal digits after '\\u'");
  if (code == 0) return refuse(r, start, "\\u0000 is not allowed in a text");
  r->at += 5;
  if (code >= 0xd800 && code <= 0xdfff) {
    int low = -1;
    if (code < 0xdc00 && r->n - r->at >= 6 && r->s[r->at] == '\\' && r->s[r->at + 1] == 'u')
      low = hex4(r->s + r->at + 2, r->n - r->at - 2);
    if (low < 0xdc00 || low > 0xdfff)
      return refuse(r, start, "\\u%04x is half of a surrogate pair; the other half is missing", (unsigned)code);
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    r->at += 6;
  }
  *used += put_utf8(to + *used, (unsigned)code);
  return TN_OK;
}

static tn_status string(reader *r, const char **text, size_t *size) {
  tn_place start = here(r);
  size_t end = r->at + 1;
  while (end < r->n && r->s[end] != '"' && r->s[end] != '\n') end += r->s[end] == '\\' ? 2 : 1;
  if (end >= r->n) return refuse(r, start, "unterminated text: the closing '\"' is missing at the end of the text");
  if (r->s[end] == '\n') return refuse(r, start, "unterminated text: the line ends before the closing '\"'");
  char *to = tn_arena_alloc(r->arena, end - r->at); /* escapes only get shorter */
  if (!to) return no_memory(r);
  size_t used = 0;
  r->at++;
  while (r->at < end) {
    int c = peek(r);
    if (c == '\\') {
      tn_status status = escape(r, to, &used);
      if (status) return status;
      continue;
    }
    int length = tn_utf8(r->s + r->at, end - r->at);
    if (!length) return refuse(r, here(r), "byte 0x%02x in a text is not UTF-8", (unsigned)c);
    if (c < 0x20) {
      refuse(r, here(r), "control character 0x%02x in a text", (unsigned)c);
      tn_hint(r->e, "write \\u%04x%s", (unsigned)c, c == '\t' ? " or \\t" : c == '\r' ? " or \\r" : "");
      return TN_E_MODEL;
    }
    memcpy(to + used, r->s + r->at, (size_t)length);
    used += (size_t)length;
    r->at += (size_t)length;
  }
  r->at++;
  *text = to;
  *size = used;
  return TN_OK;
}

/* ---- numbers ---- */

/* the reason why s is no number, NULL if it is one */
static const char *number_flaw(const char *s, size_t n) {
  size_t i = 0;
  if (n > NUMBER_LONGEST) return "it has more than 1000 characters";
  if (i < n && s[i] == '-') i++;
  if (i < n && s[i] == '+') return "it may not begin with '+'";
  if (i < n && s[i] == '.') return "it needs a digit before '.'";
  if (i >= n || !is_digit(s[i])) return "it needs a digit after '-'";
  if (s[i] == '0' && i + 1 < n && is_digit(s[i + 1])) return "it may not begin with 0";
  while (i < n && is_digit(s[i])) i++;
  if (i < n && s[i] == '.') {
    i++;
    if (i >= n || !is_digit(s[i])) return "it needs a digit after '.'";
    while (i < n && is_digit(s[i])) i++;
  }
  if (i < n && (s[i] == 'e' || s[i] == 'E')) {
    i++;
    if (i < n && (s[i] == '+' || s[i] == '-')) i++;
    if (i >= n || !is_digit(s[i])) return "it needs a digit in the exponent";
    while (i < n && is_digit(s[i])) i++;
  }
  return i < n ? "a number ends sooner" : NULL;
}

/* strtod rounds correctly but expects the decimal point of the locale, so the text gets that one */
static bool convert(const char *s, size_t n, double *value) {
  char text[NUMBER_LONGEST + 32], *end;
  const char *point = localeconv()->decimal_point;
  size_t used = 0, width = strlen(point);
  if (n > NUMBER_LONGEST || width > 16) return false;
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '.') {
      memcpy(text + used, point, width);
      used += width;
    } else {
      text[used++] = s[i];
    }
  }
  text[used] = 0;
  *value = strtod(text, &end);
  return end == text + used;
}

bool tn_json_number(const char *text, size_t n, double *value) {
  return !number_flaw(text, n) && convert(text, n, value) && isfinite(*value);
}

static tn_status number(reader *r, tn_node **out) {
  tn_place start = here(r);
  const char *s = r->s + r->at;
  size_t n = 0, left = r->n - r->at;
  while (n < left && (is_word((unsigned char)s[n]) || s[n] == '.' || s[n] == '+' || s[n] == '-')) n++;
  const char *flaw = number_flaw(s, n);
  double value = 0;
  if (flaw) {
    refuse(r, start, "'%.*s%s' is not a number: %s", (int)(n < 40 ? n : 40), s, n > 40 ? "..." : "", flaw);
    if (strcmp(flaw, "a number ends sooner") == 0) tn_hint(r->e, "an expression is a text, in double quotes");
    return TN_E_MODEL;
  }
  if (!convert(s, n, &value)) return tn_fail(r->e, TN_E_INTERNAL, "strtod does not read '%.*s'", (int)n, s);
  if (!isfinite(value))
    return refuse(r, start, "%.*s%s is too large for a number", (int)(n < 40 ? n : 40), s, n > 40 ? "..." : "");
  tn_status status = new_node(r, TN_NODE_NUMBER, start, out);
  if (status) return status;
  (*out)->number = value;
  r->at += n;
  return TN_OK;
}

/* ---- values ---- */

static tn_status no_value(reader *r, const tn_node *parent, const char *key) {
  found f = what(r);
  int c = peek(r);
  if (c == '\'') return refuse(r, here(r), "a text is quoted with \", not with '");
  if (key)
    refuse(r, here(r), "expected a value after key \"%.60s\", found %s", key, f.text);
  else
    refuse(r, here(r), "expected a value%s, found %s", parent && !parent->first ? " or ']'" : "", f.text);
  static const char *const words[] = {"true", "false", "null"};
  const char *near = NULL;
  char word[sizeof f.text];
  if (is_word(c)) {
    tn_format(word, sizeof word, "%.*s", (int)strcspn(f.text + 1, "'."), f.text + 1);
    near = tn_nearest(word, 3, words);
  }
  if (near)
    tn_hint(r->e, "did you mean %s?", near);
  else if (c == '+' || c == '.')
    tn_hint(r->e, "a number begins with a digit or '-'");
  else if (c == '#')
    tn_hint(r->e, "a comment begins with //");
  else if (is_word(c) && (strcmp(word, "NaN") == 0 || strcmp(word, "nan") == 0 || strcmp(word, "Infinity") == 0 ||
                          strcmp(word, "inf") == 0))
    tn_hint(r->e, "every number is finite");
  else if (is_word(c))
    tn_hint(r->e, "words and expressions are texts, in double quotes");
  return TN_E_MODEL;
}

static tn_status word(reader *r, const tn_node *parent, const char *key, tn_node **out) {
  size_t n = 0;
  while (r->at + n < r->n && is_word((unsigned char)r->s[r->at + n])) n++;
  const char *s = r->s + r->at;
  bool is_true = n == 4 && !memcmp(s, "true", 4), is_false = n == 5 && !memcmp(s, "false", 5);
  if (!is_true && !is_false && (n != 4 || memcmp(s, "null", 4) != 0)) return no_value(r, parent, key);
  tn_status status = new_node(r, is_true || is_false ? TN_NODE_BOOL : TN_NODE_NULL, here(r), out);
  if (status) return status;
  (*out)->boolean = is_true;
  r->at += n;
  return TN_OK;
}

static tn_status container(reader *r, bool is_object, tn_node **out);

static tn_status value(reader *r, const tn_node *parent, const char *key, tn_node **out) {
  int c = peek(r);
  if (c == '{' || c == '[') return container(r, c == '{', out);
  if (c == '-' || is_digit(c)) return number(r, out);
  if (c != '"') return word(r, parent, key, out);
  tn_status status = new_node(r, TN_NODE_TEXT, here(r), out);
  if (!status) status = string(r, &(*out)->text, &(*out)->size);
  if (!status) (*out)->rewritten = r->at - (size_t)(*out)->place.byte != (*out)->size + 2;
  return status;
}

/* `"key" :` and the space behind it */
static tn_status key_of(reader *r, const tn_node *object, const char **key, tn_place *place) {
  size_t size;
  int c = peek(r);
  if (c == '\'') return refuse(r, here(r), "a key is quoted with \", not with '");
  if (c != '"') {
    found f = what(r);
    return refuse(r, here(r), "expected a key in double quotes%s, found %s", object->first ? "" : " or '}'", f.text);
  }
  *place = here(r);
  tn_status status = string(r, key, &size);
  if (!status) status = space(r);
  if (status) return status;
  if (peek(r) != ':') {
    found f = what(r);
    return refuse(r, here(r), "expected ':' after key \"%.60s\", found %s", *key, f.text);
  }
  r->at++;
  return space(r);
}

static tn_status unique(reader *r, const tn_node *object) {
  const tn_node *first, *again;
  tn_status status = tn_node_duplicate(&r->arena->allocator, object, &first, &again, r->e);
  if (status || !again) return status;
  if (!r->placed) return tn_fail(r->e, TN_E_MODEL, "duplicate key \"%.60s\"", again->key);
  return refuse(r, again->key_place, "duplicate key \"%.60s\", first on line %d", again->key, first->key_place.line);
}

static tn_status container(reader *r, bool is_object, tn_node **out) {
  const char close = is_object ? '}' : ']';
  tn_place open = here(r);
  if (r->depth >= TN_DEPTH) return refuse(r, open, "objects and lists nested deeper than %d levels", TN_DEPTH);
  tn_node *self;
  tn_status status = new_node(r, is_object ? TN_NODE_OBJECT : TN_NODE_LIST, open, &self);
  if (status) return status;
  r->depth++;
  r->at++;
  if ((status = space(r))) return status;
  bool more = peek(r) != close;
  while (more) {
    tn_node *child = NULL;
    const char *key = NULL;
    tn_place key_place = open;
    if (is_object && (status = key_of(r, self, &key, &key_place))) return status;
    if ((status = value(r, self, key, &child)) || !child) return status;
    child->key = key;
    if (is_object && r->placed) child->key_place = key_place;
    tn_node_append(self, child);
    if ((status = space(r))) return status;
    int c = peek(r);
    if (c == ',') {
      tn_place comma = here(r);
      r->at++;
      if ((status = space(r))) return status;
      if (peek(r) == close) return refuse(r, comma, "trailing ',' before '%c'", close);
    } else if (c == close) {
      more = false;
    } else {
      found f = what(r);
      bool begins = c == '"' || (!is_object && (c == '{' || c == '[' || c == '-' || is_word(c)));
      char after[80] = "the item";
      if (is_object) tn_format(after, sizeof after, "the value of \"%.60s\"", key);
      refuse(r, here(r), "%sexpected ',' or '%c' after %s, found %s", begins ? "missing ',': " : "", close, after,
             f.text);
      if (c == '*' || c == '/' || c == '+' || c == '^' || c == '(' || (c == '-' && is_object))
        tn_hint(r->e, "an expression stands in quotes: \"60*rpm\"");
      if (c < 0) tn_hint(r->e, "the '%c' of line %d is not closed", is_object ? '{' : '[', open.line);
      return TN_E_MODEL;
    }
  }
  r->at++;
  r->depth--;
  *out = self;
  return is_object ? unique(r, self) : TN_OK;
}

static tn_status text_of(reader *r, bool any, tn_node **out) {
  const char *s = r->s;
  if (r->n > TN_TEXT_MOST)
    return refuse(r, here(r), "the text has %zu bytes; at most %zu are read", r->n, TN_TEXT_MOST);
  if (r->n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
    return refuse(r, here(r), "the text begins with a byte order mark; save it as UTF-8 without one");
  if (r->n >= 2 && (!memcmp(s, "\xff\xfe", 2) || !memcmp(s, "\xfe\xff", 2)))
    return refuse(r, here(r), "the text is UTF-16; save it as UTF-8");
  tn_status status = space(r);
  if (status) return status;
  if (peek(r) < 0) return refuse(r, here(r), "the text is empty: expected %s", any ? "a value" : "'{'");
  found f = what(r);
  if (!any && peek(r) != '{') return refuse(r, here(r), "a model is an object: expected '{', found %s", f.text);
  if ((status = value(r, NULL, NULL, out)) || (status = space(r))) return status;
  if (r->at == r->n) return TN_OK;
  f = what(r);
  return refuse(r, here(r), "expected the end of the text after the %s, found %s", any ? "value" : "closing '}'",
                f.text);
}

tn_status tn_json_parse(tn_arena *arena, const char *name, const char *text, size_t size, tn_node **root, tn_error *e) {
  reader r = {.arena = arena, .placed = true, .s = text, .n = size, .line = 1, .e = e};
  if (name && !(r.file = tn_arena_text(arena, name, strlen(name)))) return no_memory(&r);
  return text_of(&r, false, root);
}

tn_status tn_json_value(tn_arena *arena, const char *text, size_t size, int depth, tn_node **out, tn_error *e) {
  reader r = {.arena = arena, .s = text, .n = size, .line = 1, .depth = depth, .e = e};
  return text_of(&r, true, out);
}
