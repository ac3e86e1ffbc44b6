/* workspaces by tables: arrays have their size and do not touch, and what is kept comes back. */
#include "base/base.h"

#include <stdlib.h>

#include "test.h"

typedef struct inner {
  int count;
  double *x;
} inner;

typedef struct outer {
  bool flag;
  double number[2];
  double *matrix, *scratch, *vector[3];
  int *index;
  inner *part[2];
} outer;

static const tn_array inner_arrays[] = {TN_INSIDE(inner, count, .element = TN_INTS, .kept = true, .most = 9),
                                        TN_ARRAY(inner, x, .rows = TN_M, .kept = true),
                                        {.name = NULL}};
static const tn_workspace inner_table = {sizeof(inner), inner_arrays};

static int as_self_says(const void *self) { return *(const int *)self; }

static const tn_array arrays[] = {
    TN_INSIDE(outer, flag, .element = TN_FLAGS, .kept = true),
    TN_INSIDE(outer, number, .count = 2, .element = TN_FINITE_DOUBLES, .kept = true),
    TN_ARRAY(outer, matrix, .rows = TN_N_AND_LEAST, .columns = TN_N, .kept = true),
    TN_ARRAY(outer, scratch, .rows = TN_Q),
    TN_ARRAY(outer, vector, .rows = TN_N, .count = 3, .kept = true),
    TN_ARRAY(outer, index, .element = TN_INTS, .rows = TN_N_AND_M, .kept = true, .most_of = TN_N, .most = -1),
    TN_ARRAY(outer, part, .element = TN_NESTED, .nested = &inner_table, .many = as_self_says),
    {.name = NULL}};
static const tn_workspace table = {sizeof(outer), arrays};
static const tn_sizes sizes = {.n = 3, .m = 2, .q = 5};

typedef struct page {
  size_t used;
  unsigned char byte[4096];
} page;

static bool to_page(void *user, const char *text, size_t n) {
  page *p = user;
  if (p->used + n > sizeof p->byte) return false;
  memcpy(p->byte + p->used, text, n);
  p->used += n;
  return true;
}

static const int parts = 1;

static void list(void *work, tn_keep *k) { tn_workspace_keep(&table, &parts, work, sizes, k); }

static void *make(size_t *size) {
  *size = tn_workspace_size(&table, &parts, sizes);
  return tn_workspace_start(&table, &parts, aligned_alloc(64, (*size + 63) / 64 * 64), sizes);
}

static void fill(outer *w, double by) {
  *w->number = by, w->number[1] = 2 * by, w->flag = by > 1;
  for (int i = 0; i < 15; i++) w->matrix[i] = by + i;
  for (int i = 0; i < 5; i++) w->scratch[i] = -by;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) w->vector[k][i] = 100 * by + 10 * k + i;
  for (int i = 0; i < 5; i++) w->index[i] = i % 3;
  w->part[0]->count = 7;
  for (int i = 0; i < 2; i++) w->part[0]->x[i] = 1000 * by + i;
}

TEST(arrays_have_their_sizes_and_do_not_touch) {
  size_t size;
  outer *w = make(&size);
  CHECK(w->part[0] && !w->part[1] && !w->flag && w->number[0] == 0 && w->part[0]->count == 0);
  fill(w, 3);
  for (int i = 0; i < 15; i++) CHECK(w->matrix[i] == 3 + i);
  for (int k = 0; k < 3; k++) CHECK(w->vector[k][2] == 302 + 10 * k && (uintptr_t)w->vector[k] % 64 == 0);
  CHECK(w->part[0]->x[1] == 3001 && w->index[4] == 1 && w->scratch[4] == -3);
  CHECK((const char *)(w->part[0]->x + 2) <= (const char *)w + size);
  CHECK(tn_workspace_ready(&table, &parts, w, sizes) == w && w->flag && w->part[0]->count == 7);
  free(w);
}

TEST(what_is_kept_comes_back_elsewhere) {
  size_t size;
  outer *from = make(&size), *to = make(&size);
  page p = {.used = 0};
  tn_error e;
  fill(from, 3);
  fill(to, 1);
  CHECK(tn_keep_save(list, from, 5, to_page, &p, &e) == TN_OK);
  CHECK(tn_keep_load(list, to, 5, p.byte, p.used, NULL, &e) == TN_OK);
  CHECK(to->flag && to->number[1] == 6 && to->matrix[14] == 17 && to->vector[2][2] == 322);
  CHECK(to->index[2] == 2 && to->part[0]->x[1] == 3001);
  CHECK(to->scratch[0] == -1); /* not kept */
  from->index[0] = 3;
  p.used = 0;
  CHECK(tn_keep_save(list, from, 5, to_page, &p, &e) != TN_OK);
  CHECK_HAS(e.message, "index");
  free(from), free(to);
}
