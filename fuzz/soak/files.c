/* files that runs leave, compared as docs/results.md describes them.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "soak.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool soak_exists(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0;
}

unsigned char *soak_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  *size = 0;
  if (!file) return NULL;
  unsigned char *data = NULL;
  size_t room = 0;
  for (;;) {
    if (*size + 1 >= room) {
      unsigned char *larger = realloc(data, room = 2 * room + 65536);
      if (!larger) abort();
      data = larger;
    }
    const size_t n = fread(data + *size, 1, room - *size - 1, file);
    if (n == 0) break;
    *size += n;
  }
  fclose(file);
  data[*size] = 0;
  return data;
}

bool soak_write(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  const bool good = fwrite(data, 1, size, file) == size;
  return fclose(file) == 0 && good;
}

/* ---- blocks of a .tnr ------------------------------------------------------------------------------------------------------- */

enum { START = 16, BLOCK = 16 };

static uint64_t number(const unsigned char *p, int n) {
  uint64_t x = 0;
  for (int i = n - 1; i >= 0; i--) x = x << 8 | p[i];
  return x;
}

static uint32_t crc32_of(uint32_t crc, const unsigned char *p, size_t n) {
  crc = ~crc;
  for (size_t i = 0; i < n; i++) {
    crc ^= p[i];
    for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

/* the block at `at`, if it is whole: its size with its head; 0: it is not */
static size_t block_at(const unsigned char *data, size_t size, size_t at) {
  if (at + BLOCK > size) return 0;
  const uint64_t n = number(data + at + 8, 8);
  if (n == 0 || n > size - at - BLOCK) return 0;
  const uint32_t crc = crc32_of(crc32_of(crc32_of(0, data + at, 4), data + at + 8, 8), data + at + BLOCK, (size_t)n);
  return crc == (uint32_t)number(data + at + 4, 4) ? BLOCK + (size_t)n : 0;
}

static size_t first_block(const unsigned char *data, size_t size) {
  static const unsigned char magic[8] = {0x89, 'T', 'N', 'R', '\r', '\n', 0x1a, '\n'};
  if (size < START || memcmp(data, magic, 8) != 0) return 0;
  return START + (size_t)number(data + 12, 4);
}

/* all payloads of a kind, one behind the other, to be freed; and where its blocks end */
static unsigned char *payloads(const unsigned char *data, size_t size, const char *kind, size_t *n) {
  unsigned char *all = malloc(size + 1);
  if (!all) abort();
  *n = 0;
  for (size_t at = first_block(data, size), whole; at && (whole = block_at(data, size, at)); at += whole)
    if (memcmp(data + at, kind, 4) == 0) {
      memcpy(all + *n, data + at + BLOCK, whole - BLOCK);
      *n += whole - BLOCK;
    }
  all[*n] = 0;
  return all;
}

/* a resumed run reads its model from the result: places of warnings are places there */
static void blank_places(char *text) {
  static const char column[] = "\"column\":";
  for (char *at = text; (at = strstr(at, "\"file\":\""));) {
    char *end = strstr(at, column), *close = strchr(at, '}');
    if (!end || !close || end > close) {
      at++;
      continue;
    }
    end += sizeof column - 1;
    end += strspn(end, "0123456789");
    memmove(at, end, strlen(end) + 1);
  }
}

/* the summary without the times of clocks and without blanks */
static void blank(char *text) {
  char *to = text;
  for (char *line = text; *line;) {
    char *end = strchr(line, '\n');
    const size_t n = end ? (size_t)(end - line) + 1 : strlen(line);
    if (!memmem(line, n, "\"cpu_", 5))
      for (size_t i = 0; i < n; i++)
        if (!isspace((unsigned char)line[i])) *to++ = line[i];
    line += n;
  }
  *to = 0;
  blank_places(text);
}

static bool same_results(const unsigned char *a, size_t n, const unsigned char *b, size_t m, char why[256]) {
  static const char *const kinds[] = {"ROWS", "MOVE", "DONE"};
  const size_t head = first_block(a, n);
  bool good = head && head == first_block(b, m) && memcmp(a, b, head) == 0;
  if (!good) snprintf(why, 256, "the heads differ");
  for (int k = 0; k < 3 && good; k++) {
    size_t x, y;
    unsigned char *p = payloads(a, n, kinds[k], &x), *q = payloads(b, m, kinds[k], &y);
    if (k == 2) {
      blank((char *)p);
      blank((char *)q);
      x = strlen((char *)p);
      y = strlen((char *)q);
    }
    size_t at = 0;
    while (at < x && at < y && p[at] == q[at]) at++;
    good = x == y && at == x && (k < 2 || x > 0);
    if (!good)
      snprintf(why, 256, "%s: %zu and %zu bytes, other from %zu on: %.60s | %.60s", kinds[k], x, y, at,
               k == 2 ? (char *)p + at : "", k == 2 ? (char *)q + at : "");
    free(p);
    free(q);
  }
  return good;
}

static bool is_result(const char *path) {
  const size_t n = strlen(path);
  return n > 4 && strcmp(path + n - 4, ".tnr") == 0;
}

bool soak_same(const char *a, const char *b, char why[256]) {
  size_t n, m;
  unsigned char *x = soak_read(a, &n), *y = soak_read(b, &m);
  bool good = x && y;
  if (!good)
    snprintf(why, 256, "there is no %.200s", x ? b : a);
  else if (is_result(a) && is_result(b))
    good = same_results(x, n, y, m, why);
  else if (!(good = n == m && memcmp(x, y, n) == 0))
    snprintf(why, 256, "%.100s has %zu bytes, %.100s %zu, and they differ", a, n, b, m);
  free(x);
  free(y);
  return good;
}

bool soak_begins(const char *part, const char *whole, char why[256]) {
  static const char *const kinds[] = {"ROWS", "MOVE"};
  size_t n, m;
  unsigned char *x = soak_read(part, &n), *y = soak_read(whole, &m);
  bool good = x && y;
  for (int k = 0; k < 2 && good; k++) {
    size_t p, q;
    unsigned char *u = payloads(x, n, kinds[k], &p), *v = payloads(y, m, kinds[k], &q);
    good = p <= q && memcmp(u, v, p) == 0;
    if (!good) snprintf(why, 256, "%s of %.150s are not those of a whole run", kinds[k], part);
    free(u);
    free(v);
  }
  free(x);
  free(y);
  return good;
}

bool soak_is_whole(const char *path) {
  size_t n, size = 0;
  unsigned char *x = soak_read(path, &n);
  if (x) free(payloads(x, n, "DONE", &size));
  free(x);
  return size > 0;
}
