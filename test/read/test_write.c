/* the JSON writer: whatever goes in, its own reader gets it back; numbers that JSON has no word for are null with a reason. */
#include "read/read.h"

#include <float.h>
#include <limits.h>

#include "test.h"

typedef struct page {
  size_t used, room;
  char *text;
  long calls, fail; /* the call number `fail` is refused */
  long after;       /* calls after that                  */
  size_t largest;
} page;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (p->fail && p->calls >= p->fail) p->after++;
  if (++p->calls == p->fail) return false;
  if (size > p->largest) p->largest = size;
  if (p->used + size >= p->room) {
    p->room = 2 * (p->used + size) + 1000;
    if (!(p->text = realloc(p->text, p->room))) abort();
  }
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

static tn_json writer(page *p) { return (tn_json){.write = to_page, .user = p}; }

/* the text read again; the arena must be freed */
static const tn_node *read_back(tn_arena *arena, const page *p) {
  tn_node *root = NULL;
  tn_error e;
  tn_arena_init(arena, NULL);
  if (tn_json_parse(arena, "page", p->text, p->used, &root, &e) != TN_OK) {
    FAIL("%s at %d:%d of\n%.2000s", e.message, e.line, e.column, p->text);
    return NULL;
  }
  return root;
}

TEST(layout) {
  page p = {0};
  tn_json j = writer(&p);
  tn_json_open(&j, NULL, "{");
  tn_json_text(&j, "a", "x\ty");
  tn_json_open(&j, "b", "{-");
  tn_json_real(&j, "c", 0.1);
  tn_json_bool(&j, "d", true);
  tn_json_open(&j, "e", "["); /* inside what is flat everything is */
  tn_json_whole(&j, NULL, -3);
  tn_json_null(&j, NULL, "lost in a list");
  tn_json_close(&j);
  tn_json_close(&j);
  tn_json_open(&j, "f", "[");
  tn_json_open(&j, NULL, "{");
  tn_json_close(&j);
  tn_json_reals(&j, NULL, 3, (double[]){1, NAN, -2.5});
  tn_json_close(&j);
  tn_json_open(&j, "g", "[");
  tn_json_close(&j);
  tn_json_null(&j, "h", NULL);
  tn_json_null(&j, "i", "why");
  tn_json_bool(&j, "j", false);
  CHECK(p.calls == 0); /* nothing is handed over before it must be */
  tn_json_close(&j);
  CHECK(!j.failed && j.level == 0 && p.calls == 1);
  CHECK_TEXT(p.text, "{\n"
                     "  \"a\": \"x\\ty\",\n"
                     "  \"b\": {\"c\": 0.1, \"d\": true, \"e\": [-3, null]},\n"
                     "  \"f\": [\n"
                     "    {},\n"
                     "    [1, null, -2.5]\n"
                     "  ],\n"
                     "  \"g\": [],\n"
                     "  \"h\": null,\n"
                     "  \"i\": null,\n"
                     "  \"i_reason\": \"why\",\n"
                     "  \"j\": false\n"
                     "}\n");
  free(p.text);
}

/* ---- random documents ------------------------------------------------------------------------------------------------- */

/* the same draws twice: once to write, once to know what must be read */
typedef struct walk {
  uint64_t state;
  tn_json *j; /* NULL: compare */
  int depth, values;
} walk;

static unsigned pick(walk *w, unsigned n) {
  w->state ^= w->state << 13, w->state ^= w->state >> 7, w->state ^= w->state << 17;
  return (unsigned)((w->state * 2685821657736338717u >> 33) % n);
}

/* as given, as it must come back: a byte that is not UTF-8 comes back as it is shown, \\xff */
static const char *const pieces[][2] = {{"a", "a"},
                                        {"\"", "\""},
                                        {"\\", "\\"},
                                        {"/", "/"},
                                        {"\n\r\t\b\f", "\n\r\t\b\f"},
                                        {"\x01\x1f", "\x01\x1f"},
                                        {"\x7f", "\x7f"},
                                        {"\xc3\xa4", "\xc3\xa4"},
                                        {"\xe2\x82\xac", "\xe2\x82\xac"},
                                        {"\xf0\x9d\x84\x9e", "\xf0\x9d\x84\x9e"},
                                        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
                                        {"%s %d {i}", "%s %d {i}"},
                                        {"//", "//"},
                                        {"\xff", "\\xff"},
                                        {"\xc3(", "\\xc3("},
                                        {"\xe2\x82y", "\\xe2\\x82y"},
                                        {"\xed\xa0\x80 ", "\\xed\\xa0\\x80 "},
                                        {"\xc0\xaf.", "\\xc0\\xaf."},
                                        {"\xf4\x90\x80\x80 ", "\\xf4\\x90\\x80\\x80 "},
                                        {"\xf8\x88\x80\x80\x80 ", "\\xf8\\x88\\x80\\x80\\x80 "},
                                        {"\xc2\x9b", "\xc2\x9b"},
                                        {"\xe2\x80\xae", "\xe2\x80\xae"}};
enum { PIECES = sizeof pieces / sizeof *pieces };

static void random_text(walk *w, char *given, char *back, size_t size) {
  given[0] = back[0] = 0;
  for (unsigned n = pick(w, 30) ? pick(w, 7) : 300; n > 0; n--) {
    const unsigned k = pick(w, PIECES);
    if (strlen(given) + 8 > size || strlen(back) + 24 > size) break;
    strcat(given, pieces[k][0]);
    strcat(back, pieces[k][1]);
  }
}

static double random_real(walk *w) {
  double x;
  uint64_t bits = (uint64_t)pick(w, 1u << 16) << 48 | (uint64_t)pick(w, 1u << 24) << 24 | pick(w, 1u << 24);
  memcpy(&x, &bits, sizeof x);
  switch (pick(w, 4)) {
  case 0: return (double)pick(w, 2000) / 10 - 100;
  case 1: return pick(w, 2) ? NAN : pick(w, 2) ? INFINITY : -INFINITY;
  default: return x;
  }
}

static const tn_node *expect(const tn_node *at, tn_node_kind kind, const char *key) {
  if (!at || at->kind != kind || !at->key != !key || (key && strcmp(at->key, key) != 0)) {
    FAIL("expected kind %d at \"%s\", found kind %d at \"%s\"", kind, key ? key : "", at ? (int)at->kind : -1,
         at && at->key ? at->key : "");
    return NULL;
  }
  return at;
}

/* a member or item; returns what stands after it in the tree that is compared */
static const tn_node *value(walk *w, const char *key, const char *key_back, const tn_node *at) {
  char given[2400], back[2400], reason[2500];
  const unsigned kind = pick(w, w->depth < 12 && w->values < 400 ? 9 : 6);
  w->values++;
  switch (kind) {
  case 0:
    random_text(w, given, back, sizeof given);
    if (w->j)
      tn_json_text(w->j, key, given);
    else if (expect(at, TN_NODE_TEXT, key_back))
      CHECK_TEXT(at->text, back);
    break;
  case 1:
  case 2: {
    const double x = random_real(w);
    if (w->j) {
      tn_json_real(w->j, key, x);
    } else if (isfinite(x)) {
      if (expect(at, TN_NODE_NUMBER, key_back)) CHECK(memcmp(&at->number, &x, sizeof x) == 0);
    } else {
      if (!expect(at, TN_NODE_NULL, key_back) || !key) break;
      at = at->next;
      snprintf(reason, sizeof reason, "%s_reason", key_back);
      if (expect(at, TN_NODE_TEXT, reason)) CHECK_TEXT(at->text, isnan(x) ? "not a number" : "beyond all bounds");
    }
    break;
  }
  case 3: {
    const long x = (long)pick(w, 1u << 30) - (1 << 29);
    if (w->j)
      tn_json_whole(w->j, key, x);
    else if (expect(at, TN_NODE_NUMBER, key_back))
      CHECK(at->number == (double)x);
    break;
  }
  case 4: {
    const bool x = pick(w, 2);
    if (w->j)
      tn_json_bool(w->j, key, x);
    else if (expect(at, TN_NODE_BOOL, key_back))
      CHECK(at->boolean == x);
    break;
  }
  case 5: {
    const bool why = pick(w, 2);
    if (w->j) {
      tn_json_null(w->j, key, why ? "so" : NULL);
    } else {
      expect(at, TN_NODE_NULL, key_back);
      if (!key || !why || !at) break;
      at = at->next;
      snprintf(reason, sizeof reason, "%s_reason", key_back);
      if (expect(at, TN_NODE_TEXT, reason)) CHECK_TEXT(at->text, "so");
    }
    break;
  }
  default: {
    static const char *const kinds[] = {"{", "[", "{-", "[-"};
    const char *bracket = kinds[pick(w, 4)];
    const bool object = bracket[0] == '{';
    if (w->j)
      tn_json_open(w->j, key, bracket);
    else
      expect(at, object ? TN_NODE_OBJECT : TN_NODE_LIST, key_back);
    const tn_node *inside = at ? at->first : NULL;
    w->depth++;
    const unsigned n = pick(w, 6);
    for (unsigned i = 0; i < n && tn_test_failures < 5; i++) {
      char name[80], name_back[80];
      name[0] = name_back[0] = 0;
      if (object) {
        const unsigned k = pick(w, PIECES);
        snprintf(name, sizeof name, "k%u%s", i, pieces[k][0]);
        snprintf(name_back, sizeof name_back, "k%u%s", i, pieces[k][1]);
      }
      inside = value(w, object ? name : NULL, object ? name_back : NULL, inside);
    }
    w->depth--;
    if (w->j)
      tn_json_close(w->j);
    else
      CHECK(!inside);
  }
  }
  return at ? at->next : NULL;
}

static void random_document(uint64_t seed, tn_json *j, const tn_node *root) {
  walk w = {.state = seed, .j = j};
  const tn_node *at = root ? root->first : NULL;
  if (j) tn_json_open(j, NULL, "{");
  for (int i = 0; i < 8; i++) {
    char key[16];
    snprintf(key, sizeof key, "m%d", i);
    at = value(&w, key, key, at);
  }
  if (j) tn_json_close(j);
  CHECK(!at);
}

TEST(random_documents_read_back) {
  for (uint64_t seed = 1; seed <= 400 && tn_test_failures < 5; seed++) {
    page p = {0};
    tn_arena arena;
    tn_json j = writer(&p);
    random_document(88172645463325252u * seed, &j, NULL);
    CHECK(!j.failed && j.level == 0 && j.used == 0);
    const tn_node *root = read_back(&arena, &p);
    if (root) random_document(88172645463325252u * seed, NULL, root);
    tn_arena_free(&arena);
    free(p.text);
  }
}

/* ---- numbers --------------------------------------------------------------------------------------------------------------- */

TEST(numbers_keep_their_bits) {
  page p = {0};
  tn_arena arena;
  tn_json j = writer(&p);
  static double x[3000];
  uint64_t state = 5;
  static const double special[] = {
      0,       1,       -1,     0.1,      1e15,    1e16,        123456789012345680.0, 1e22,
      DBL_MAX, DBL_MIN, 5e-324, -DBL_MAX, 1.0 / 3, DBL_EPSILON, 9007199254740993.0,   1e-5};
  enum { SPECIAL = sizeof special / sizeof *special };
  for (int i = 0; i < 3000; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    memcpy(&x[i], &state, sizeof *x);
    if (!isfinite(x[i])) x[i] = 0.5;
    if (i < SPECIAL) x[i] = special[i];
  }
  tn_json_open(&j, NULL, "{");
  tn_json_reals(&j, "x", 3000, x);
  tn_json_reals(&j, "none", 0, NULL);
  tn_json_close(&j);
  const tn_node *root = read_back(&arena, &p), *list = root ? tn_node_get(root, "x") : NULL;
  CHECK(list && list->size == 3000 && tn_node_get(root, "none")->size == 0);
  int i = 0;
  for (const tn_node *k = list ? list->first : NULL; k; k = k->next) CHECK(k->number == x[i++]);
  CHECK(strstr(p.text, "[0, 1, -1, 0.1, 1e+15") != NULL || strstr(p.text, "[0, 1, -1, 0.1, 1000000000000000") != NULL);
  tn_arena_free(&arena);
  free(p.text);
}

TEST(whole_numbers_of_any_size) {
  page p = {0};
  tn_json j = writer(&p);
  tn_json_open(&j, NULL, "[-");
  tn_json_whole(&j, NULL, LONG_MAX);
  tn_json_whole(&j, NULL, LONG_MIN);
  tn_json_whole(&j, NULL, 0);
  tn_json_close(&j);
  char expected[100];
  snprintf(expected, sizeof expected, "[%ld, %ld, 0]\n", LONG_MAX, LONG_MIN);
  CHECK_TEXT(p.text, expected);
  free(p.text);
}

TEST(what_is_not_finite_is_null_and_says_why) {
  page p = {0};
  tn_arena arena;
  tn_json j = writer(&p);
  tn_json_open(&j, NULL, "{");
  tn_json_real(&j, "a", NAN);
  tn_json_real(&j, "b", INFINITY);
  tn_json_real(&j, "c", -INFINITY);
  tn_json_reals(&j, "d", 2, (double[]){-NAN, INFINITY});
  tn_json_close(&j);
  const tn_node *root = read_back(&arena, &p);
  if (root) {
    CHECK(tn_node_get(root, "a")->kind == TN_NODE_NULL && tn_node_get(root, "b")->kind == TN_NODE_NULL);
    CHECK_TEXT(tn_node_get(root, "a_reason")->text, "not a number");
    CHECK_TEXT(tn_node_get(root, "b_reason")->text, "beyond all bounds");
    CHECK_TEXT(tn_node_get(root, "c_reason")->text, "beyond all bounds");
    CHECK(tn_node_item(tn_node_get(root, "d"), 0)->kind == TN_NODE_NULL && tn_node_get(root, "d")->size == 2);
    CHECK(root->size == 7 && !tn_node_get(root, "d_reason"));
  }
  tn_arena_free(&arena);
  free(p.text);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------------------ */

/* a buffer that is full, nearly full or much too small: lengths of texts and keys around it, whatever stands before them */
TEST(texts_longer_than_the_buffer) {
  static char text[9001], key[9001];
  for (int n = 980; n <= 9000 && tn_test_failures < 5; n += n < 1060 || n > 8990 ? 1 : 397) {
    page p = {0};
    tn_arena arena;
    tn_json j = writer(&p);
    for (int i = 0; i < n; i++) {
      text[i] = (char)(i % 97 == 0 ? '"' : 'a' + i % 26);
      key[i] = (char)('A' + i % 26);
    }
    text[n] = key[n] = 0;
    tn_json_open(&j, NULL, "{");
    tn_json_text(&j, "text", text);
    tn_json_real(&j, key, 0.123456789012345678);
    tn_json_open(&j, "after", "{");
    tn_json_text(&j, key, text);
    tn_json_close(&j);
    tn_json_close(&j);
    CHECK(p.largest <= sizeof j.buffer || p.largest <= (size_t)n + 2);
    const tn_node *root = read_back(&arena, &p);
    if (root) {
      CHECK_TEXT(tn_node_get(root, "text")->text, text);
      CHECK(tn_node_get(root, key) && tn_node_get(root, key)->number == 0.123456789012345678);
      CHECK(tn_node_get(tn_node_get(root, "after"), key) &&
            strcmp(tn_node_get(tn_node_get(root, "after"), key)->text, text) == 0);
    }
    tn_arena_free(&arena);
    free(p.text);
  }
}

/* the reason of a key that is longer than names are */
TEST(a_long_key_of_nothing_is_still_good_json) {
  page p = {0};
  tn_arena arena;
  tn_json j = writer(&p);
  char key[301] = "";
  for (int i = 0; i < 100; i++) strcat(key, "\xe2\x82\xac"); /* cut at 80 bytes: in the middle of one */
  tn_json_open(&j, NULL, "{");
  tn_json_real(&j, key, NAN);
  tn_json_null(&j, "b", "x");
  tn_json_close(&j);
  const tn_node *root = read_back(&arena, &p);
  if (root) {
    CHECK(root->size == 4 && tn_node_get(root, key) && tn_node_get(root, "b_reason"));
    CHECK_TEXT(root->first->next->text, "not a number");
  }
  tn_arena_free(&arena);
  free(p.text);
}

TEST(nested_as_deep_as_it_goes) {
  for (int flat = 0; flat < 2; flat++) {
    page p = {0};
    tn_arena arena;
    tn_json j = writer(&p);
    const int most = TN_JSON_LEVELS - 1;
    for (int i = 0; i < most; i++)
      tn_json_open(&j, i % 2 ? "k" : NULL, i % 2 ? (flat ? "[-" : "[") : (flat ? "{-" : "{"));
    CHECK(j.level == most);
    tn_json_whole(&j, most % 2 ? "k" : NULL, 7);
    for (int i = 0; i < most; i++) {
      tn_json_close(&j);
      if (i < most - 1) CHECK(p.calls == 0 || p.largest > 900);
    }
    CHECK(j.level == 0 && !j.failed);
    const tn_node *node = read_back(&arena, &p);
    int depth = 0;
    for (; node && node->first; node = node->first) {
      CHECK(node->kind == (depth % 2 ? TN_NODE_LIST : TN_NODE_OBJECT) && node->size == 1);
      depth++;
    }
    CHECK(depth == most && node && node->number == 7);
    tn_arena_free(&arena);
    free(p.text);
  }
}

/* a tree of the reader in the midst of it, and flushes at any time */
TEST(nodes_stand_among_the_rest) {
  static const char text[] =
      "{\"a\": [1, {\"b\": \"\\u00e4\\n\"}, [], {}], \"c\": {\"d\": null, \"e\": [true, false]}}";
  tn_arena first, second;
  tn_node *root;
  page p = {0}, direct = {0};
  tn_json j = writer(&p);
  tn_arena_init(&first, NULL);
  CHECK(tn_json_parse(&first, "t", text, strlen(text), &root, NULL) == TN_OK);
  tn_json_open(&j, NULL, "{");
  tn_json_flush(&j);
  tn_json_whole(&j, "before", 1);
  tn_json_node(&j, "tree", root);
  tn_json_flush(&j);
  tn_json_flush(&j);
  tn_json_open(&j, "list", "[");
  tn_json_node(&j, NULL, tn_node_get(root, "a"));
  tn_json_node(&j, NULL, tn_node_get(tn_node_get(root, "c"), "d"));
  tn_json_close(&j);
  tn_json_whole(&j, "after", 2);
  tn_json_close(&j);
  const tn_node *back = read_back(&second, &p);
  if (back) {
    page again = {0};
    CHECK(back->size == 4 && tn_node_get(back, "before")->number == 1 && tn_node_get(back, "after")->number == 2);
    CHECK(tn_node_print(tn_node_get(back, "tree"), 0, to_page, &again) && tn_node_print(root, 0, to_page, &direct));
    CHECK_TEXT(again.text, direct.text);
    CHECK(tn_node_get(back, "list")->size == 2 && tn_node_item(tn_node_get(back, "list"), 0)->size == 4);
    free(again.text);
  }
  tn_arena_free(&first);
  tn_arena_free(&second);
  free(direct.text);
  free(p.text);
}

/* ---- a write that fails ------------------------------------------------------------------------------------------------------ */

TEST(a_write_that_fails_is_told_and_nothing_is_written_after_it) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    page whole = {0};
    tn_json j = writer(&whole);
    random_document(88172645463325252u * seed, &j, NULL);
    CHECK(whole.calls >= 1);
    for (long n = 1; n <= whole.calls && tn_test_failures < 5; n++) {
      page p = {.fail = n};
      j = writer(&p);
      random_document(88172645463325252u * seed, &j, NULL);
      CHECK(j.failed && p.calls == n && p.after == 0);
      CHECK(p.used <= whole.used && memcmp(p.text ? p.text : "", whole.text, p.used) == 0);
      free(p.text);
    }
    free(whole.text);
  }
}
