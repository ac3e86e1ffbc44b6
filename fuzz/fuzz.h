/* what the fuzz programs share: requirements that hold for every input, memory that runs out, a page to print on.
 * SPDX-License-Identifier: MIT */
#ifndef TN_FUZZ_H
#define TN_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static inline void require(bool condition) {
  if (!condition) abort();
}

/* text of an error ends in its field, is UTF-8 and has no control characters */
static inline void require_clean(const char *text, size_t size) {
  const char *end = memchr(text, 0, size);
  require(end != NULL);
  while (text < end) {
    int n = tn_utf8(text, (size_t)(end - text));
    require(n > 0 && (unsigned char)*text >= 0x20 && *text != 0x7f);
    text += n;
  }
}

/* a refusal is in words, and its place is in the text */
static inline void require_words(tn_status status, const tn_error *e, size_t size) {
  require(status != TN_OK && status != TN_E_INTERNAL);
  require(e->status == status && e->message[0]);
  require(e->byte >= -1 && (e->byte < 0 || (size_t)e->byte <= size) && e->line >= 0 && e->column >= 0);
  require_clean(e->message, sizeof e->message);
  require_clean(e->hint, sizeof e->hint);
  require_clean(e->pointer, sizeof e->pointer);
  require_clean(e->file, sizeof e->file);
  char text[2048];
  int n = tn_error_text(e, text, sizeof text);
  require(n > 0 && (size_t)n < sizeof text && strlen(text) == (size_t)n);
}

/* memory with an end: so many bytes and so many blocks, never given back */
typedef struct purse {
  size_t bytes;
  long blocks;
} purse;

static inline void *purse_allocate(void *user, size_t size) {
  purse *p = user;
  if (size > p->bytes || p->blocks <= 0) return NULL;
  p->bytes -= size;
  p->blocks--;
  return malloc(size ? size : 1);
}

static inline void purse_release(void *user, void *block) {
  (void)user;
  free(block);
}

/* a growing text */
typedef struct page {
  char *text;
  size_t used, room;
} page;

static inline bool page_write(void *user, const char *text, size_t size) {
  page *p = user;
  if (p->room - p->used < size) {
    size_t room = 2 * (p->used + size);
    char *larger = realloc(p->text, room);
    require(larger != NULL);
    p->text = larger;
    p->room = room;
  }
  if (size) memcpy(p->text + p->used, text, size);
  p->used += size;
  return true;
}

static inline bool page_same(const page *a, const page *b) {
  return a->used == b->used && (a->used == 0 || memcmp(a->text, b->text, a->used) == 0);
}

/* the description as text; the caller frees it */
static inline page page_of(const tn_desc *desc) {
  page p = {0};
  tn_error e;
  require(tn_desc_print(desc, page_write, &p, &e) == TN_OK);
  return p;
}

#endif
