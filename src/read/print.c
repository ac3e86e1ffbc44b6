/* print: the description as JSON text.
 * SPDX-License-Identifier: MIT
 *
 * two spaces a level, one member a line. a list without objects is on one line if it is at most LINE bytes long.
 * numbers have the fewest digits that read back as the same double, so reading the text gives the same description. */
#include "read/read.h"

enum { LINE = 88 };

int tn_json_digits(double value, char text[32]) {
  int n = 0;
  double back;
  for (int p = fabs(value) < 1e15 && value == floor(value) ? 15 : 1; p <= 17; p++) {
    n = tn_format(text, 32, "%.*g", p, value);
    if (tn_json_number(text, (size_t)n, &back) && back == value) break;
  }
  return n;
}

/* Text goes through a buffer to `write`. With write NULL it is only checked whether it fits (a list on one line). */
typedef struct printer {
  tn_write write;
  void *user;
  bool stopped;
  size_t used, room;
  char buffer[2048];
} printer;

static void flush(printer *p) {
  if (!p->stopped && p->used && !p->write(p->user, p->buffer, p->used)) p->stopped = true;
  p->used = 0;
}

static void put(printer *p, const char *s, size_t n) {
  while (n && !p->stopped) {
    if (p->used == p->room) {
      if (p->write)
        flush(p);
      else
        p->stopped = true;
      continue;
    }
    size_t piece = p->room - p->used < n ? p->room - p->used : n;
    memcpy(p->buffer + p->used, s, piece);
    p->used += piece;
    s += piece;
    n -= piece;
  }
}

/* the counter of a repeat that was met at a byte of an expression, or NULL */
static const tn_scope *counter_at(const tn_node *node, size_t i) {
  if (!node->counters || !node->counters[i]) return NULL;
  const tn_scope *longest = NULL;
  for (const tn_scope *c = node->scope; c; c = c->outer) {
    const size_t n = strlen(c->name);
    if (strncmp(node->text + i, c->name, n) == 0 && (!longest || n > strlen(longest->name))) longest = c;
  }
  return longest;
}

/* Escaped characters become \u, which JSON reads back as they were. A byte that is not UTF-8 has no JSON, and stays escaped. */
int tn_json_escape(const char *s, size_t n, char piece[8]) {
  if (*s == '"' || *s == '\\') {
    tn_format(piece, 8, "\\%c", *s);
    return 1;
  }
  const int bytes = tn_escape(s, n, piece);
  if (piece[0] && piece[1] == 'x') tn_format(piece, 8, tn_utf8(s, n) ? "\\u%04x" : "\\\\x%02x", (unsigned char)*s);
  return bytes;
}

static void put_text(printer *p, const char *s, size_t n, const tn_node *expression) {
  put(p, "\"", 1);
  for (size_t i = 0; i < n && !p->stopped;) {
    char piece[8], number[32];
    const tn_scope *counter = expression ? counter_at(expression, i) : NULL;
    if (counter) {
      put(p, number, (size_t)tn_format(number, sizeof number, counter->value < 0 ? "(%.0f)" : "%.0f", counter->value));
      i += strlen(counter->name);
      continue;
    }
    const int bytes = tn_json_escape(s + i, n - i, piece);
    put(p, *piece ? piece : s + i, *piece ? strlen(piece) : (size_t)bytes);
    i += (size_t)bytes;
  }
  put(p, "\"", 1);
}

static void new_line(printer *p, int level) {
  put(p, "\n", 1);
  for (int i = 0; i < level; i++) put(p, "  ", 2);
}

static void print_scalar(printer *p, const tn_node *node) {
  char digits[32];
  if (node->kind == TN_NODE_TEXT)
    put_text(p, node->text, node->size, node);
  else if (node->kind == TN_NODE_NUMBER)
    put(p, digits, (size_t)tn_json_digits(node->number, digits));
  else if (node->kind == TN_NODE_BOOL)
    put(p, node->boolean ? "true" : "false", node->boolean ? 4 : 5);
  else
    put(p, "null", 4);
}

/* on one line, as long as there is no object in it and room for it */
static void print_flat(printer *p, const tn_node *node) {
  if (node->kind == TN_NODE_OBJECT) p->stopped = true;
  if (p->stopped) return;
  if (node->kind != TN_NODE_LIST) {
    print_scalar(p, node);
    return;
  }
  put(p, "[", 1);
  for (const tn_node *c = node->first; c && !p->stopped; c = c->next) {
    print_flat(p, c);
    if (c->next) put(p, ", ", 2);
  }
  put(p, "]", 1);
}

static void print_node(printer *p, const tn_node *node, int level) {
  bool object = node->kind == TN_NODE_OBJECT;
  if (!object && node->kind != TN_NODE_LIST) {
    print_scalar(p, node);
    return;
  }
  if (!node->first) {
    put(p, object ? "{}" : "[]", 2);
    return;
  }
  if (!object) {
    printer line = {.room = LINE};
    print_flat(&line, node);
    if (!line.stopped) {
      put(p, line.buffer, line.used);
      return;
    }
  }
  put(p, object ? "{" : "[", 1);
  for (const tn_node *c = node->first; c && !p->stopped; c = c->next) {
    new_line(p, level + 1);
    if (object) {
      put_text(p, c->key, strlen(c->key), NULL);
      put(p, ": ", 2);
    }
    print_node(p, c, level + 1);
    if (c->next) put(p, ",", 1);
  }
  new_line(p, level);
  put(p, object ? "}" : "]", 1);
}

bool tn_node_print(const tn_node *node, int level, tn_write write, void *user) {
  printer p = {.write = write, .user = user, .room = sizeof p.buffer};
  print_node(&p, node, level);
  flush(&p);
  return !p.stopped;
}

tn_status tn_desc_print(const tn_desc *desc, tn_write write, void *user, tn_error *e) {
  TN_NEED(e, desc, "desc");
  TN_NEED(e, write, "write");
  return !tn_node_print(desc->root, 0, write, user) || !write(user, "\n", 1)
             ? tn_fail(e, TN_E_IO, "writing the description was stopped")
             : TN_OK;
}
