/* workspaces of parts from the tables that describe them: their size, the pointers into them, and what is saved of them.
 * a workspace is its struct, then its arrays in the order of the table, each aligned to 64 bytes and with room for one element more
 * than it has, so that no two arrays share an address. a nested workspace stands in that order too, its arrays behind it. */
#include "base/base.h"

static uint64_t extent(int of, tn_sizes s) {
  const uint64_t n = (uint64_t)s.n, m = (uint64_t)s.m;
  switch ((tn_extent)of) {
  case TN_N: return n;
  case TN_M: return m;
  case TN_Q: return (uint64_t)s.q;
  case TN_N_OR_M: return n < m ? n : m;
  case TN_N_OR_M_LARGER: return n > m ? n : m;
  case TN_N_AND_M: return n + m;
  case TN_N_AND_LEAST: return n + (n < m ? n : m);
  default: return 1;
  }
}

/* 64 bits: what is too much for a size_t is seen by tn_carve_bytes */
static uint64_t elements(const tn_array *a, tn_sizes s) { return extent(a->rows, s) * extent(a->columns, s); }

static uint64_t element_size(const tn_array *a) {
  return a->element == TN_INTS ? sizeof(int) : a->element == TN_FLAGS ? sizeof(bool) : sizeof(double);
}

static int pointers(const tn_array *a, const void *self) { return a->many ? a->many(self) : a->count ? a->count : 1; }

/* what the carving does beside measuring */
typedef enum task { SIZE, POINTERS, ZERO } task;

static void *carve(tn_carve *c, const tn_workspace *w, const void *self, tn_sizes s, task what) {
  unsigned char *at = tn_carve_bytes(c, w->size);
  if (at && what == ZERO) memset(at, 0, w->size);
  for (const tn_array *a = w->arrays; a && a->name; a++) {
    for (int i = 0; !a->inside && i < pointers(a, self); i++) {
      void *array =
          a->nested ? carve(c, a->nested, self, s, what) : tn_carve_bytes(c, element_size(a) * (elements(a, s) + 1));
      if (at) memcpy(at + a->at + (size_t)i * sizeof array, &array, sizeof array);
    }
  }
  return at;
}

size_t tn_workspace_size(const tn_workspace *w, const void *self, tn_sizes s) {
  tn_carve c = {NULL, 0};
  if (!w) return 0;
  carve(&c, w, self, s, SIZE);
  return c.used;
}

void *tn_workspace_ready(const tn_workspace *w, const void *self, void *work, tn_sizes s) {
  tn_carve c = {work, 0};
  return w && work ? carve(&c, w, self, s, POINTERS) : NULL;
}

void *tn_workspace_start(const tn_workspace *w, const void *self, void *work, tn_sizes s) {
  tn_carve c = {work, 0};
  return w && work ? carve(&c, w, self, s, ZERO) : NULL;
}

static void keep_array(const tn_array *a, void *x, size_t count, tn_sizes s, tn_keep *k) {
  const int most = a->most + (a->most_of ? (int)extent(a->most_of, s) : 0);
  switch (a->element) {
  case TN_DOUBLES: tn_keep_numbers(k, a->name, count, x); break;
  case TN_FINITE_DOUBLES: tn_keep_finite(k, a->name, count, x); break;
  case TN_INTS: tn_keep_ints(k, a->name, count, x, a->least, most); break;
  default: tn_keep_flags(k, a->name, count, x); break;
  }
}

void tn_workspace_keep(const tn_workspace *w, const void *self, void *work, tn_sizes s, tn_keep *k) {
  unsigned char *at = work;
  for (const tn_array *a = w && work ? w->arrays : NULL; a && a->name; a++) {
    if (a->inside && a->kept) keep_array(a, at + a->at, a->count ? (size_t)a->count : 1, s, k);
    for (int i = 0; !a->inside && (a->kept || a->nested) && i < pointers(a, self); i++) {
      void *array;
      memcpy(&array, at + a->at + (size_t)i * sizeof array, sizeof array);
      if (a->nested)
        tn_workspace_keep(a->nested, self, array, s, k);
      else
        keep_array(a, array, (size_t)elements(a, s), s, k);
    }
  }
}
