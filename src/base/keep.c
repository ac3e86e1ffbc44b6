/* Serialization of a running object: one list of named numbers. One function goes through the list when it is measured, written,
 * checked and restored. So a list cannot be written one way and read another.
 *
 *   head    8 bytes 89 54 4e 53 0d 0a 1a 0a, u32 version, u32 0, u64 size of all of it, u64 fingerprint of what it belongs to
 *   items   u8 kind, u8 length of the name, u64 how many, name, values; little endian throughout
 *   end     u32 0, u32 CRC-32 of all before it
 * All data is checked before the first number is restored: names and counts against the list, whole numbers against their range,
 * numbers that must be finite, texts for their end and for control characters. Data that would be refused is not written either: then
 * saving fails, and the earlier file stays. */
#include "base/base.h"

static const unsigned char MAGIC[8] = {0x89, 'T', 'N', 'S', '\r', '\n', 0x1a, '\n'};
enum { VERSION = 1, HEAD = 32, TAIL = 8 };
enum { GROUP = 'g', NUMBERS = 'd', INTS = 'i', LONGS = 'l', FLAGS = 'b', TEXT = 't', BYTES = 'x' };

static void refuse(tn_keep *k, const char *format, ...) TN_PRINTF(2, 3);
static void refuse(tn_keep *k, const char *format, ...) {
  char text[320];
  va_list args;
  if (k->failed) return;
  k->failed = true;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  if (k->mode == TN_KEEP_MEASURE || k->mode == TN_KEEP_WRITE)
    tn_fail(k->e, TN_E_INTERNAL, "the state cannot be saved: it %s", text);
  else
    tn_fail(k->e, TN_E_IO, "the saved state %s", text);
}

/* ---- writing ------------------------------------------------------------------------------------------------------------- */

static void flush(tn_keep *k) {
  k->crc = tn_crc32(k->crc, k->buffer, k->used);
  if (!k->failed && !k->write(k->user, (const char *)k->buffer, k->used)) {
    k->failed = true;
    tn_fail(k->e, TN_E_IO, "the state could not be written");
  }
  k->used = 0;
}

static void put(tn_keep *k, const void *from, size_t n) {
  const unsigned char *bytes = from;
  k->size += n;
  if (k->mode == TN_KEEP_MEASURE) return;
  while (n) {
    const size_t part = n < sizeof k->buffer - k->used ? n : sizeof k->buffer - k->used;
    memcpy(k->buffer + k->used, bytes, part);
    k->used += part;
    bytes += part;
    n -= part;
    if (k->used == sizeof k->buffer) flush(k);
  }
}

/* ---- reading ------------------------------------------------------------------------------------------------------------- */

/* n items of so many bytes; NULL: it ends before */
static const unsigned char *take(tn_keep *k, size_t n, size_t bytes) {
  const size_t left = k->end - k->at;
  if (k->failed || (bytes && n > left / bytes)) {
    refuse(k, "ends too early");
    return NULL;
  }
  const unsigned char *from = k->data + k->at;
  k->at += n * bytes;
  return from;
}

static bool writes(const tn_keep *k) { return k->mode == TN_KEEP_MEASURE || k->mode == TN_KEEP_WRITE; }

/* the head of an item: true if its values follow. `n` NULL: any number of them */
static bool item(tn_keep *k, int kind, const char *name, size_t *n, size_t bytes, const unsigned char **values) {
  unsigned char head[10];
  const size_t length = strlen(name);
  *values = NULL;
  if (k->failed || length > 255) return k->failed = true, false;
  if (writes(k)) {
    head[0] = (unsigned char)kind;
    head[1] = (unsigned char)length;
    tn_put_u64(head + 2, *n);
    put(k, head, sizeof head);
    put(k, name, length);
    return true;
  }
  const unsigned char *h = take(k, 1, sizeof head), *found = h ? take(k, 1, h[1]) : NULL;
  if (!found) return false;
  if (h[0] != kind || h[1] != length || memcmp(found, name, length) != 0) {
    char other[64] = "";
    for (int i = 0; i < h[1] && i < 40; i++) other[i] = found[i] > 0x20 && found[i] < 0x7f ? (char)found[i] : '?';
    refuse(k, "has '%s' where '%s' belongs", other, name);
    return false;
  }
  if (tn_get_u64(h + 2) != *n) {
    refuse(k, "has %" PRIu64 " of '%s', and %zu are needed", tn_get_u64(h + 2), name, *n);
    return false;
  }
  *values = take(k, *n, bytes);
  return *values != NULL;
}

/* ---- kinds --------------------------------------------------------------------------------------------------------------- */

/* arguments of a part from outside: NULL in place of numbers is its mistake, and makes the state invalid */
static bool given(tn_keep *k, const char *name, size_t n, const void *x) {
  if (!k) return false;
  if (!name || (n && !x)) refuse(k, "has NULL in place of '%s'", name ? name : "a name");
  return !k->failed;
}

void tn_keep_group(tn_keep *k, const char *name) {
  const unsigned char *values;
  size_t n = 0;
  if (!given(k, name, 0, &n)) return;
  item(k, GROUP, name, &n, 1, &values);
}

static void numbers(tn_keep *k, const char *name, size_t n, double *x, bool finite) {
  const unsigned char *from;
  if (!item(k, NUMBERS, name, &n, 8, &from)) return;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    unsigned char bytes[8];
    if (writes(k)) {
      if (finite && !isfinite(x[i])) {
        refuse(k, "has no finite number for '%s'", name);
        return;
      }
      memcpy(&bits, &x[i], sizeof bits);
      tn_put_u64(bytes, bits);
      put(k, bytes, sizeof bytes);
      continue;
    }
    double value;
    bits = tn_get_u64(from + 8 * i);
    memcpy(&value, &bits, sizeof value);
    if (finite && !isfinite(value)) {
      refuse(k, "has no finite number for '%s'", name);
      return;
    }
    if (k->mode == TN_KEEP_READ) x[i] = value;
  }
}

void tn_keep_numbers(tn_keep *k, const char *name, size_t n, double *x) {
  if (given(k, name, n, x)) numbers(k, name, n, x, false);
}
void tn_keep_finite(tn_keep *k, const char *name, size_t n, double *x) {
  if (given(k, name, n, x)) numbers(k, name, n, x, true);
}

/* the last of the values that are read is returned */
static int64_t wholes(tn_keep *k, int kind, const char *name, size_t n, void *x, int64_t least, int64_t most) {
  const bool is_wide = kind == LONGS;
  const unsigned char *from;
  int64_t value = 0;
  if (!item(k, kind, name, &n, is_wide ? 8 : 4, &from)) return 0;
  for (size_t i = 0; i < n; i++) {
    unsigned char bytes[8];
    if (writes(k))
      value = is_wide ? ((int64_t *)x)[i] : ((int *)x)[i];
    else if (is_wide)
      value = (int64_t)tn_get_u64(from + 8 * i);
    else
      value = (int)(int32_t)tn_get_u32(from + 4 * i);
    if (value < least || value > most) {
      refuse(k, "has %" PRId64 " for '%s', beyond %" PRId64 " .. %" PRId64, value, name, least, most);
      return 0;
    }
    if (writes(k)) {
      if (is_wide)
        tn_put_u64(bytes, (uint64_t)value);
      else
        tn_put_u32(bytes, (uint32_t)value);
      put(k, bytes, is_wide ? 8 : 4);
    }
    if (k->mode != TN_KEEP_READ) continue;
    if (is_wide)
      ((int64_t *)x)[i] = value;
    else
      ((int *)x)[i] = (int)value;
  }
  return value;
}

void tn_keep_ints(tn_keep *k, const char *name, size_t n, int *x, int least, int most) {
  if (given(k, name, n, x)) wholes(k, INTS, name, n, x, least, most);
}

void tn_keep_longs(tn_keep *k, const char *name, size_t n, int64_t *x) {
  wholes(k, LONGS, name, n, x, 0, INT64_MAX / 2); /* counters: half of the range is left for counting on */
}

int tn_keep_count(tn_keep *k, const char *name, int *x, int least, int most) {
  return (int)wholes(k, INTS, name, 1, x, least, most);
}

void tn_keep_flags(tn_keep *k, const char *name, size_t n, bool *x) {
  const unsigned char *from;
  if (!given(k, name, n, x) || !item(k, FLAGS, name, &n, 1, &from)) return;
  for (size_t i = 0; i < n; i++) {
    const unsigned char byte = writes(k) ? x[i] : from[i];
    if (writes(k))
      put(k, &byte, 1);
    else if (byte > 1)
      refuse(k, "has %d for '%s', which is yes or no", byte, name);
    else if (k->mode == TN_KEEP_READ)
      x[i] = byte;
  }
}

void tn_keep_flag(tn_keep *k, const char *name, bool *x, bool can) {
  const size_t at = k->at + 10 + strlen(name);
  tn_keep_flags(k, name, 1, x);
  if (!can && !k->failed && (writes(k) ? *x : k->data[at] != 0))
    refuse(k, "has yes for '%s', which cannot be here", name);
}

/* bytes of a character that a text may have, 0: none */
static int readable(const char *x, size_t n) {
  const unsigned char c = (unsigned char)*x;
  return c < 0x20 || c == 0x7f ? 0 : tn_utf8(x, n);
}

void tn_keep_text(tn_keep *k, const char *name, size_t room, char *x) {
  const unsigned char *from;
  if (!item(k, TEXT, name, &room, 1, &from)) return;
  size_t length = 0;
  if (writes(k)) { /* bytes behind its end are not written; a name may have been cut inside a character */
    while (length < room - 1 && x[length]) {
      const int n = readable(x + length, room - 1 - length);
      put(k, n ? x + length : "?", n ? (size_t)n : 1);
      length += n ? (size_t)n : 1;
    }
    for (size_t i = length; i < room; i++) put(k, "", 1);
    return;
  }
  while (length < room && from[length]) {
    const int n = readable((const char *)from + length, room - length);
    if (!n) break;
    length += (size_t)n;
  }
  if (length >= room || from[length])
    refuse(k, "has a text for '%s' that is none", name);
  else if (k->mode == TN_KEEP_READ)
    memcpy(x, from, room);
}

void tn_keep_same(tn_keep *k, const char *name, const char *text) {
  char found[64] = "";
  const unsigned char *from;
  size_t n = sizeof found;
  tn_format(found, sizeof found, "%s", text);
  for (size_t i = strlen(found); i < sizeof found; i++) found[i] = 0;
  if (!item(k, TEXT, name, &n, 1, &from)) return;
  if (writes(k)) {
    put(k, found, sizeof found);
    return;
  }
  if (memcmp(found, from, sizeof found) == 0) return;
  for (size_t i = 0; i < sizeof found - 1; i++) found[i] = from[i] > 0x20 && from[i] < 0x7f ? (char)from[i] : 0;
  refuse(k, "has %s '%.40s', and this is '%s'", name, found, text);
}

size_t tn_keep_bytes(tn_keep *k, const char *name, size_t *used, size_t most, unsigned char *x) {
  const unsigned char *from;
  int64_t n = (int64_t)*used;
  const size_t now = (size_t)wholes(k, LONGS, name, 1, &n, 0, (int64_t)most);
  size_t count = now;
  if (!item(k, BYTES, name, &count, 1, &from)) return 0;
  if (writes(k)) put(k, x, now);
  if (k->mode == TN_KEEP_READ) {
    memcpy(x, from, now);
    *used = now;
  }
  return now;
}

bool tn_keep_reads(const tn_keep *k) { return k->mode == TN_KEEP_READ; }

/* ---- all of it ------------------------------------------------------------------------------------------------------------ */

tn_status tn_keep_save(tn_keep_list list, void *self, uint64_t fingerprint, tn_write write, void *user, tn_error *e) {
  tn_keep k = {.mode = TN_KEEP_MEASURE, .e = e};
  unsigned char head[HEAD] = {0}, tail[TAIL] = {0};
  tn_error_clear(e);
  list(self, &k);
  const uint64_t size = HEAD + k.size + TAIL;
  k = (tn_keep){.mode = TN_KEEP_WRITE, .write = write, .user = user, .e = e, .failed = k.failed};
  memcpy(head, MAGIC, sizeof MAGIC);
  tn_put_u32(head + 8, VERSION);
  tn_put_u64(head + 16, size);
  tn_put_u64(head + 24, fingerprint);
  put(&k, head, sizeof head);
  list(self, &k);
  flush(&k);
  tn_put_u32(tail + 4, tn_crc32(k.crc, tail, 4));
  put(&k, tail, sizeof tail);
  flush(&k);
  if (!k.failed) return TN_OK;
  return e && e->status != TN_OK ? e->status : tn_fail(e, TN_E_INTERNAL, "the state could not be told");
}

size_t tn_keep_look(const void *from, size_t size, uint64_t fingerprint, tn_error *e) {
  const unsigned char *data = from;
  if (memcmp(data, MAGIC, size < sizeof MAGIC ? size : sizeof MAGIC) != 0) {
    tn_fail(e, TN_E_IO, "this is not a saved state of Tenon");
    return 0;
  }
  if (size < HEAD + TAIL) {
    tn_fail(e, TN_E_IO, "the saved state is cut off: it has %zu bytes", size);
    return 0;
  }
  const uint64_t whole = tn_get_u64(data + 16);
  if (tn_get_u32(data + 8) != VERSION) {
    tn_fail(e, TN_E_IO, "the saved state has version %u; this Tenon reads version %d", (unsigned)tn_get_u32(data + 8),
            VERSION);
    return 0;
  }
  if (whole < HEAD + TAIL || whole > size) {
    tn_fail(e, TN_E_IO, "the saved state is cut off: %zu bytes of %" PRIu64, size, whole);
    return 0;
  }
  if (tn_get_u32(data + whole - 4) != tn_crc32(0, data, (size_t)whole - 4)) {
    tn_fail(e, TN_E_IO, "the saved state is damaged: its checksum is another");
    return 0;
  }
  if (tn_get_u64(data + 24) != fingerprint) {
    tn_fail(e, TN_E_IO, "the saved state belongs to another model, or to other settings of it");
    tn_hint(e, "a state is put back into a simulation of the same description");
    return 0;
  }
  return (size_t)whole;
}

tn_status tn_keep_load(tn_keep_list list, void *self, uint64_t fingerprint, const void *data, size_t size, size_t *used,
                       tn_error *e) {
  tn_error_clear(e);
  const size_t whole = tn_keep_look(data, size, fingerprint, e);
  if (!whole) return TN_E_IO;
  if (!used && whole != size) return tn_fail(e, TN_E_IO, "the saved state has %zu bytes behind its end", size - whole);
  for (int pass = 0; pass < 2; pass++) {
    tn_keep k = {.mode = pass ? TN_KEEP_READ : TN_KEEP_CHECK, .data = data, .at = HEAD, .end = whole - TAIL, .e = e};
    list(self, &k);
    if (!k.failed && k.at != k.end) refuse(&k, "has more in it than there is place for");
    if (k.failed) return e && e->status != TN_OK ? e->status : TN_E_IO;
  }
  if (used) *used = whole;
  return TN_OK;
}
