/* write: JSON text piece by piece. Commas, line ends and indentation are added here. A number that JSON cannot express becomes null, and
 * in an object the next member says why. */
#include "read/read.h"

static void out(tn_json *j, const char *text, size_t n) {
  if (n > sizeof j->buffer - j->used) tn_json_flush(j);
  if (n > sizeof j->buffer) { /* as it is */
    j->failed = j->failed || !j->write(j->user, text, n);
    return;
  }
  memcpy(j->buffer + j->used, text, n);
  j->used += n;
}

static void words(tn_json *j, const char *text) { out(j, text, strlen(text)); }

void tn_json_flush(tn_json *j) {
  if (j->used && !j->failed) j->failed = !j->write(j->user, j->buffer, j->used);
  j->used = 0;
}

static void quoted(tn_json *j, const char *s, size_t n) {
  char piece[8];
  const size_t hidden = j->hidden ? strlen(j->hidden) : 0;
  out(j, "\"", 1);
  for (size_t i = 0; i < n;) {
    if (hidden && n - i >= hidden && memcmp(s + i, j->hidden, hidden) == 0) {
      i += hidden;
      continue;
    }
    const int bytes = tn_json_escape(s + i, n - i, piece);
    out(j, *piece ? piece : s + i, *piece ? strlen(piece) : (size_t)bytes);
    i += (size_t)bytes;
  }
  out(j, "\"", 1);
}

static void line(tn_json *j) {
  words(j, "\n");
  for (int i = 0; i < j->level; i++) words(j, "  ");
}

/* to where the next member or item begins */
static void next(tn_json *j, const char *key) {
  if (j->level) {
    const bool flat = j->flat[j->level];
    if (j->filled[j->level]) words(j, flat ? ", " : ",");
    j->filled[j->level] = true;
    if (!flat) line(j);
  }
  if (!key) return;
  quoted(j, key, strlen(key));
  words(j, ": ");
}

void tn_json_open(tn_json *j, const char *key, const char *kind) {
  next(j, key);
  out(j, kind, 1);
  if (j->level + 1 < TN_JSON_LEVELS) j->level++;
  const bool around = j->flat[j->level - 1];
  j->filled[j->level] = false;
  j->flat[j->level] = around || strchr(kind, '-') != NULL;
  j->bracket[j->level] = kind[0] == '{' ? '}' : ']';
}

void tn_json_close(tn_json *j) {
  const bool broken = j->filled[j->level] && !j->flat[j->level];
  const char end = j->bracket[j->level--];
  if (broken) line(j);
  out(j, &end, 1);
  if (j->level) return;
  words(j, "\n");
  tn_json_flush(j);
}

void tn_json_text(tn_json *j, const char *key, const char *value) {
  next(j, key);
  quoted(j, value, strlen(value));
}

void tn_json_real(tn_json *j, const char *key, double value) {
  char digits[32];
  next(j, key);
  if (isfinite(value)) {
    out(j, digits, (size_t)tn_json_digits(value, digits));
    return;
  }
  words(j, "null");
  if (!key) return;
  char reason[96];
  tn_format(reason, sizeof reason, "%.80s_reason", key);
  tn_json_text(j, reason, isnan(value) ? "not a number" : "beyond all bounds");
}

void tn_json_whole(tn_json *j, const char *key, int64_t value) {
  char digits[32];
  next(j, key);
  out(j, digits, (size_t)tn_format(digits, sizeof digits, "%" PRId64, value));
}

void tn_json_bool(tn_json *j, const char *key, bool value) {
  next(j, key);
  words(j, value ? "true" : "false");
}

void tn_json_null(tn_json *j, const char *key, const char *reason) {
  next(j, key);
  words(j, "null");
  if (!key || !reason) return;
  char name[96];
  tn_format(name, sizeof name, "%.80s_reason", key);
  tn_json_text(j, name, reason);
}

void tn_json_reals(tn_json *j, const char *key, int n, const double *values) {
  tn_json_open(j, key, "[-");
  for (int i = 0; i < n; i++) tn_json_real(j, NULL, values[i]);
  tn_json_close(j);
}

void tn_json_node(tn_json *j, const char *key, const tn_node *node) {
  next(j, key);
  tn_json_flush(j);
  if (!j->failed) j->failed = !tn_node_print(node, j->level, j->write, j->user);
}
