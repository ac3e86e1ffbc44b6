/* fuzzing expressions: any text is either an expression that can be run or an error with a message and a place. what is
 * computed when it is read is what would be computed when it runs.
 * SPDX-License-Identifier: MIT
 *
 * the first byte chooses class and dimension, the rest is the text. names are known by their first letter:
 * a .. h constants, k l m constant vectors, p q r channels, u v w channels that are vectors, x y table names. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct known {
  int dimension;
  bool late;       /* constants are channels too: nothing is known before it runs */
  size_t at, size; /* where a name stands; of the text */
} known;

static const double xs[] = {0, 1, 3}, ys[] = {5, 7, 3};

static void constant_of(int c, double *value) { value[0] = c - 'a', value[1] = -2.5, value[2] = 1e300; }

/* slots: the letter; 1000 more for a vector, 2000 more for a constant met late */
static bool name_known(void *user, const char *name, tn_meaning *m, tn_error *e) {
  const known *k = user;
  char c = name[0];
  require(k->at < k->size);
  bool constant = c < 'p';
  m->is_slot = !constant || k->late;
  constant_of(c, m->value);
  m->width = strchr("klmuvw", c) ? k->dimension : 1;
  m->slot = c + (m->width > 1 ? 1000 : 0) + (constant ? 2000 : 0);
  if (strlen(name) < 4) return true;
  tn_fail(e, TN_E_MODEL, "unknown name '%s'", name);
  return false;
}

static bool item_known(void *user, const char *table, double index, double *value, tn_error *e) {
  (void)user, (void)table;
  *value = index;
  if (index >= 1 && index <= 3) return true;
  tn_fail(e, TN_E_MODEL, "no item %g", index);
  return false;
}

static bool items_known(void *user, const char *table, int *n, const double **values, tn_error *e) {
  (void)user, (void)e;
  *n = table[0] == 'x' || table[0] == 'y' ? 3 : 1;
  *values = table[0] == 'x' ? xs : ys;
  return true;
}

static bool call_known(void *user, const char *function, int n, const char *const *arguments, tn_meaning *m,
                       tn_error *e) {
  const known *k = user;
  const char *first = n > 0 ? arguments[0] : ""; /* `sigma_min()` has none */
  require(n >= 0);
  m->is_slot = first[0] >= 'p';
  m->value[0] = n, m->value[1] = 1, m->value[2] = 0;
  m->width = function[0] == 'd' ? 1 : k->dimension;
  m->slot = m->width > 1 ? 1000 + function[0] : function[0];
  if (first[0] != 'z') return true;
  tn_fail(e, TN_E_MODEL, "no body '%s'", first);
  return false;
}

static void fetch_slot(const void *scope, int slot, double *value) {
  const known *k = scope;
  double all[3];
  int width = slot % 2000 >= 1000 ? k->dimension : 1, letter = slot % 1000;
  constant_of(letter, all);
  for (int i = 0; i < width; i++) value[i] = slot >= 2000 ? all[i] : letter - 110 * i;
}

static tn_names names_of(known *k) {
  return (tn_names){.user = k,
                    .dimension = k->dimension,
                    .find = name_known,
                    .item = item_known,
                    .items = items_known,
                    .call = call_known,
                    .at = &k->at};
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* the same text with nothing known before it runs; an index, or a table, may then be refused */
static void require_same_late(const char *text, size_t n, known k, int width, const double *x) {
  tn_arena arena;
  tn_expr *expr = NULL;
  tn_error e;
  k.late = true;
  const tn_names names = names_of(&k);
  tn_arena_init(&arena, NULL);
  if (tn_expr_parse(&arena, text, n, TN_CLASS_RUNNING, &names, &expr, &e) == TN_OK) {
    double y[3];
    require(tn_expr_width(expr) == width);
    tn_expr_eval(expr, 0.6, fetch_slot, &k, y);
    for (int i = 0; i < width; i++) require(same_number(x[i], y[i]));
  }
  tn_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  tn_class allowed = (tn_class)(data[0] % 3);
  size_t n = size - 1;
  known k = {.dimension = 2 + data[0] / 3 % 2, .size = n};
  char *text = malloc(n ? n : 1); /* a block of its own: a byte read too far is seen */
  require(text != NULL);
  if (n) memcpy(text, data + 1, n);

  const tn_names names = names_of(&k);
  tn_arena arena;
  tn_expr *expr = NULL;
  tn_error e = {.status = TN_OK};
  tn_arena_init(&arena, NULL);
  tn_status status = tn_expr_parse(&arena, text, n, allowed, &names, &expr, &e);
  if (status == TN_OK) {
    double x[3], jet[3];
    int width = tn_expr_width(expr);
    tn_class kind = tn_expr_class(expr);
    require(width == 1 || width == k.dimension);
    require(kind <= allowed);
    require(kind != TN_CLASS_CONSTANT || !tn_expr_uses_time(expr));
    require(kind != TN_CLASS_TIME || tn_expr_uses_time(expr));
    tn_expr_eval(expr, 0.6, fetch_slot, &k, x);
    if (kind == TN_CLASS_CONSTANT)
      for (int i = 0; i < width; i++) require(isfinite(x[i]));
    if (width == 1 && kind != TN_CLASS_RUNNING) {
      tn_expr_jet(expr, 0.6, jet);
      require(same_number(jet[0], x[0]));
    }
    require_same_late(text, n, k, width, x);
  } else {
    require_words(status, &e, n);
    require(status == TN_E_MODEL && expr == NULL && e.byte >= 0);
  }
  tn_arena_free(&arena);
  free(text);
  return 0;
}
