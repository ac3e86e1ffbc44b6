/* the JSON writer against Jansson: what it writes means the same to a reader that is not ours. */
#include <float.h>
#include <jansson.h>

#include "support/build.h"
#include "test.h"

typedef struct page {
  size_t used, room;
  char *text;
} page;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (p->used + size >= p->room) {
    p->room = 2 * (p->used + size) + 1000;
    if (!(p->text = realloc(p->text, p->room))) abort();
  }
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

static json_t *load(const page *p) {
  json_error_t e;
  json_t *root = json_loadb(p->text, p->used, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &e);
  if (!root) FAIL("Jansson: %s at %d:%d of\n%.2000s", e.text, e.line, e.column, p->text);
  return root;
}

/* the same tree to both */
static bool same(const tn_node *ours, const json_t *theirs) {
  switch (ours->kind) {
  case TN_NODE_NULL: return json_is_null(theirs);
  case TN_NODE_BOOL: return ours->boolean ? json_is_true(theirs) : json_is_false(theirs);
  case TN_NODE_NUMBER: return json_is_number(theirs) && json_number_value(theirs) == ours->number;
  case TN_NODE_TEXT: return json_is_string(theirs) && strcmp(json_string_value(theirs), ours->text) == 0;
  case TN_NODE_LIST: {
    size_t i = 0;
    if (!json_is_array(theirs) || json_array_size(theirs) != ours->size) return false;
    for (const tn_node *k = ours->first; k; k = k->next)
      if (!same(k, json_array_get(theirs, i++))) return false;
    return true;
  }
  case TN_NODE_OBJECT:
    if (!json_is_object(theirs) || json_object_size(theirs) != ours->size) return false;
    for (const tn_node *k = ours->first; k; k = k->next) {
      const json_t *other = json_object_get(theirs, k->key);
      if (!other || !same(k, other)) return false;
    }
    return true;
  }
  return false;
}

static void check_page(page *p, const char *what) {
  tn_arena arena;
  tn_node *root = NULL;
  tn_error e;
  json_t *theirs = load(p);
  tn_arena_init(&arena, NULL);
  if (tn_json_parse(&arena, what, p->text, p->used, &root, &e) != TN_OK) FAIL("%s: %s", what, e.message);
  if (root && theirs && !same(root, theirs)) FAIL("%s: not the same to both:\n%.2000s", what, p->text);
  CHECK(p->used > 1 && p->text[p->used - 1] == '\n');
  json_decref(theirs);
  tn_arena_free(&arena);
  free(p->text);
  *p = (page){0};
}

/* ---- random documents ------------------------------------------------------------------------------------------------- */

static uint64_t state = 88172645463325252u;
static unsigned pick(unsigned n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)((state * 2685821657736338717u >> 33) % n);
}

static const char *random_text(void) {
  static const char *const pieces[] = {"a",          "\"",
                                       "\\",         "/",
                                       "\n\r\t\b\f", "\x01",
                                       "\x1f",       "\x7f",
                                       "\xc3\xa4",   "\xf0\x9d\x84\x9e",
                                       "\xff",       "\xc3",
                                       "\xe2\x82",   "\xed\xa0\x80",
                                       "\xc0\xaf",   "\xf4\x90\x80\x80",
                                       "%n{}",       "\x80",
                                       " "};
  static char text[4000];
  text[0] = 0;
  for (unsigned n = pick(20) ? pick(8) : 900; n > 0; n--) strcat(text, pieces[pick(sizeof pieces / sizeof *pieces)]);
  return text;
}

static double random_real(void) {
  double x;
  memcpy(&x, &state, sizeof x);
  const unsigned k = pick(5);
  return k == 0 ? NAN : k == 1 ? (double)pick(1000) / 8 : k == 2 ? (pick(2) ? INFINITY : -INFINITY) : x;
}

static void random_value(tn_json *j, const char *key, int depth) {
  switch (pick(depth < 20 ? 9 : 6)) {
  case 0: tn_json_text(j, key, random_text()); return;
  case 1:
  case 2: tn_json_real(j, key, random_real()); return;
  case 3: tn_json_whole(j, key, (long)(state >> 14)); return;
  case 4: tn_json_bool(j, key, pick(2)); return;
  case 5: tn_json_null(j, key, pick(2) ? random_text() : NULL); return;
  default: break;
  }
  static const char *const kinds[] = {"{", "[", "{-", "[-"};
  const char *kind = kinds[pick(4)];
  tn_json_open(j, key, kind);
  const unsigned n = pick(5);
  for (unsigned i = 0; i < n; i++) {
    char name[4100];
    snprintf(name, sizeof name, "%u%s", i, random_text());
    if (strlen(name) > 70) name[70] = 0; /* reasons of longer keys are cut */
    random_value(j, kind[0] == '{' ? name : NULL, depth + 1);
  }
  tn_json_close(j);
}

TEST(random_documents) {
  for (int i = 0; i < 600 && tn_test_failures < 5; i++) {
    page p = {0};
    tn_json j = {.write = to_page, .user = &p};
    tn_json_open(&j, NULL, "{");
    for (int k = 0; k < 6; k++) {
      char name[16];
      snprintf(name, sizeof name, "m%d", k);
      random_value(&j, name, 1);
    }
    tn_json_close(&j);
    CHECK(!j.failed);
    check_page(&p, "random");
  }
}

/* ---- what the library writes with it --------------------------------------------------------------------------------------- */

TEST(the_schema) {
  page p = {0};
  CHECK(tn_schema_print(to_page, &p) == TN_OK);
  json_t *root = load(&p);
  CHECK(json_is_object(json_object_get(root, "definitions")) && json_is_object(json_object_get(root, "properties")));
  json_decref(root);
  check_page(&p, "schema");
}

TEST(reports_of_every_model) {
  static char name[64][64];
  const int n = build_models(name, 64);
  CHECK(n > 5);
  for (int i = 0; i < n; i++) {
    build b;
    page p = {0};
    tn_error e;
    build_new(&b, 1);
    build_read(&b, name[i]);
    build_set(&b, "/run/until", "0.01");
    build_set(&b, "/run/every", "0.01");
    CHECK(build_simulate(&b));
    if (!b.failed) {
      CHECK(tn_report_check_json(b.sim, "a \"name\"\n\xff", to_page, &p) == TN_OK);
      check_page(&p, name[i]);
      CHECK(tn_report_eval(b.sim, name[i], to_page, &p, &e) == TN_OK);
      check_page(&p, name[i]);
      CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_OK);
      CHECK(tn_report_json(b.sim, name[i], to_page, &p) == TN_OK);
      check_page(&p, name[i]);
      CHECK(tn_model_print(b.model, to_page, &p, &e) == TN_OK);
      check_page(&p, name[i]);
    } else {
      printf("%s: %s\n", name[i], b.message);
    }
    build_free(&b);
  }
}

TEST(reports_of_failures) {
  page p = {0};
  tn_error e;
  tn_error_clear(&e);
  tn_fail(&e, TN_E_MODEL, "a \"message\" with \\ and \t");
  tn_hint(&e, "a hint");
  tn_error_at(&e, &(tn_place){"a\\b.json", 12, 3, 4}, "/joints/a~1b");
  CHECK(tn_report_failure(&e, "m", to_page, &p) == TN_OK);
  json_t *root = load(&p);
  CHECK_TEXT(json_string_value(json_object_get(root, "hint")), "a hint");
  CHECK_TEXT(json_string_value(json_object_get(root, "file")), "a\\b.json");
  CHECK_TEXT(json_string_value(json_object_get(root, "pointer")), "/joints/a~1b");
  CHECK(json_number_value(json_object_get(root, "line")) == 3 &&
        json_number_value(json_object_get(root, "column")) == 4);
  json_decref(root);
  check_page(&p, "failure");
}
