/* fuzzing expressions: any text is either an expression that can be run or an error with a message and a place.
 * SPDX-License-Identifier: MIT
 *
 * the first byte chooses class and dimension, the rest is the text. names are known by their first letter:
 * a .. h constants, k l m constant vectors, p q r channels, u v w channels that are vectors, x y table names. */
#include "base/base.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double xs[] = {0, 1, 3}, ys[] = {5, 7, 3};

static bool find(void *user, const char *name, tn_meaning *m, tn_error *e) {
  int width = *(const int *)user;
  char c = name[0];
  m->is_slot = c >= 'p';
  m->value[0] = c - 'a', m->value[1] = -2.5, m->value[2] = 1e300;
  m->width = strchr("klmuvw", c) ? width : 1;
  m->slot = m->width > 1 ? 1000 + c : c;
  if (strlen(name) < 4) return true;
  tn_fail(e, TN_E_MODEL, "unknown name '%s'", name);
  return false;
}

static bool item(void *user, const char *table, double index, double *value, tn_error *e) {
  (void)user, (void)table;
  *value = index;
  if (index >= 1 && index <= 3) return true;
  tn_fail(e, TN_E_MODEL, "no item %g", index);
  return false;
}

static bool items(void *user, const char *table, int *n, const double **values, tn_error *e) {
  (void)user, (void)e;
  *n = table[0] == 'x' || table[0] == 'y' ? 3 : 1;
  *values = table[0] == 'x' ? xs : ys;
  return true;
}

static bool call(void *user, const char *function, int n, const char *const *arguments, tn_meaning *m, tn_error *e) {
  m->is_slot = arguments[0][0] >= 'p';
  m->value[0] = n, m->value[1] = 1, m->value[2] = 0;
  m->width = function[0] == 'd' ? 1 : *(const int *)user;
  m->slot = m->width > 1 ? 1000 + function[0] : function[0];
  if (arguments[0][0] != 'z') return true;
  tn_fail(e, TN_E_MODEL, "no body '%s'", arguments[0]);
  return false;
}

/* slots of vectors are numbered from 1000 on */
static void fetch(const void *scope, int slot, double *value) {
  int width = slot >= 1000 ? *(const int *)scope : 1;
  for (int i = 0; i < width; i++) value[i] = slot % 1000 - 110 * i;
}

static void require(bool condition) {
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  tn_class allowed = (tn_class)(data[0] % 3);
  int dimension = 2 + data[0] / 3 % 2;
  size_t n = size - 1;
  char *text = malloc(n ? n : 1); /* a block of its own: a byte read too far is seen */
  if (!text) return 0;
  if (n) memcpy(text, data + 1, n);

  tn_names names = {&dimension, dimension, find, item, items, call, NULL};
  tn_arena arena;
  tn_expr *expr = NULL;
  tn_error e = {.status = TN_OK};
  tn_arena_init(&arena, NULL);
  if (tn_expr_parse(&arena, text, n, allowed, &names, &expr, &e) == TN_OK) {
    double x[3], jet[3];
    int width = tn_expr_width(expr);
    tn_class kind = tn_expr_class(expr);
    require(width == 1 || width == dimension);
    require(kind <= allowed);
    tn_expr_eval(expr, 0.6, fetch, &dimension, x);
    if (kind == TN_CLASS_CONSTANT)
      for (int i = 0; i < width; i++) require(isfinite(x[i]));
    if (width == 1 && kind != TN_CLASS_RUNNING) {
      tn_expr_jet(expr, 0.6, jet);
      require(jet[0] == x[0] || (isnan(jet[0]) && isnan(x[0])));
    }
  } else {
    require(e.status == TN_E_MODEL && e.message[0] && expr == NULL);
    require(e.byte >= 0 && (size_t)e.byte <= n);
  }
  tn_arena_free(&arena);
  free(text);
  return 0;
}
