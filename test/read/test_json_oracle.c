/* the reader against Jansson: random documents mean the same to both, and random damage is refused by both or by
 * none. */
#include "read/read.h"

#include <jansson.h>

#include "test.h"

static uint64_t state;
static unsigned pick(unsigned n) { /* 0 .. n-1 */
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)((state * 2685821657736338717u >> 33) % n);
}

typedef struct sheet {
  size_t used;
  char text[1 << 16];
} sheet;

static void put(sheet *s, const char *text) {
  size_t n = strlen(text);
  if (s->used + n + 1 > sizeof s->text) abort();
  memcpy(s->text + s->used, text, n + 1);
  s->used += n;
}

static void put_space(sheet *s) {
  static const char *const spaces[] = {"", "", "", " ", "\n", "\t", "\r\n", "  "};
  put(s, spaces[pick(8)]);
}

static void put_text(sheet *s) {
  static const char *const pieces[] = {"a",
                                       "Z",
                                       "\\n",
                                       "\\\"",
                                       "\\\\",
                                       "\\/",
                                       "\xc3\xa4",
                                       "\xe2\x82\xac",
                                       "\xf0\x9d\x84\x9e",
                                       "\\u0041",
                                       "\\t",
                                       "\\u00e4",
                                       "\\uFFFF",
                                       "\\ud834\\udd1e",
                                       "\x7f",
                                       "{i}",
                                       "//",
                                       "'",
                                       " ",
                                       "\\b\\f\\r"};
  put(s, "\"");
  for (unsigned n = pick(6); n > 0; n--) put(s, pieces[pick(20)]);
  put(s, "\"");
}

static void put_number(sheet *s) {
  char text[64];
  int n = 0;
  if (pick(2)) text[n++] = '-';
  if (pick(4) == 0)
    text[n++] = '0';
  else
    for (unsigned k = 0, digits = 1 + pick(20); k < digits; k++) text[n++] = (char)('0' + (k ? pick(10) : 1 + pick(9)));
  if (pick(2)) {
    text[n++] = '.';
    for (unsigned k = 1 + pick(20); k > 0; k--) text[n++] = (char)('0' + pick(10));
  }
  if (pick(2))
    n += sprintf(text + n, "%c%s%u", pick(2) ? 'e' : 'E', pick(3) == 0 ? "+" : pick(2) ? "-" : "", pick(280));
  text[n] = 0;
  put(s, text);
}

static void put_value(sheet *s, int depth);

static void put_members(sheet *s, int depth) {
  put(s, "{");
  for (unsigned n = pick(5), i = 0; i < n; i++) {
    char unique[16];
    put_space(s);
    put_text(s);
    s->used--; /* the closing quote: a number makes the key unique */
    sprintf(unique, "%u\"", i);
    put(s, unique);
    put_space(s);
    put(s, ":");
    put_value(s, depth + 1);
    if (i + 1 < n) put(s, ",");
  }
  put_space(s);
  put(s, "}");
}

static void put_value(sheet *s, int depth) {
  static const char *const words[] = {"true", "false", "null"};
  put_space(s);
  unsigned kind = pick(depth > 5 ? 3 : 5);
  if (kind == 0) put(s, words[pick(3)]);
  if (kind == 1) put_number(s);
  if (kind == 2) put_text(s);
  if (kind == 3) put_members(s, depth);
  if (kind == 4) {
    put(s, "[");
    for (unsigned n = pick(5); n > 0; n--) {
      put_value(s, depth + 1);
      if (n > 1) put(s, ",");
    }
    put_space(s);
    put(s, "]");
  }
  put_space(s);
}

static bool same(const tn_node *a, const json_t *b) {
  if (a->kind == TN_NODE_NULL) return json_is_null(b);
  if (a->kind == TN_NODE_BOOL) return json_is_boolean(b) && a->boolean == json_is_true(b);
  if (a->kind == TN_NODE_NUMBER) {
    double x = json_real_value(b);
    return json_is_real(b) && a->number == x && signbit(a->number) == signbit(x);
  }
  if (a->kind == TN_NODE_TEXT)
    return json_is_string(b) && a->size == json_string_length(b) && memcmp(a->text, json_string_value(b), a->size) == 0;
  if (a->kind == TN_NODE_LIST) {
    if (!json_is_array(b) || a->size != json_array_size(b)) return false;
    size_t i = 0;
    for (const tn_node *c = a->first; c; c = c->next)
      if (!same(c, json_array_get(b, i++))) return false;
    return true;
  }
  if (!json_is_object(b) || a->size != json_object_size(b)) return false;
  for (const tn_node *c = a->first; c; c = c->next) {
    const json_t *member = json_object_get(b, c->key);
    if (!member || !same(c, member)) return false;
  }
  return true;
}

/* -1: they disagree; 0: both refuse; 1: both accept, with the same values */
static int agree(const char *text, size_t size) {
  char *exact = malloc(size + !size); /* so that the sanitizer sees a byte too many */
  if (!exact) abort();
  memcpy(exact, text, size);
  json_error_t je;
  json_t *theirs = json_loadb(exact, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &je);
  if (theirs && !json_is_object(theirs)) { /* we want an object */
    json_decref(theirs);
    theirs = NULL;
  }
  tn_arena arena;
  tn_error e;
  tn_node *ours = NULL;
  tn_error_clear(&e);
  tn_arena_init(&arena, NULL);
  tn_status status = tn_json_parse(&arena, "x", exact, size, &ours, &e);
  int result = status ? (theirs ? -1 : 0) : theirs && same(ours, theirs) ? 1 : -1;
  if (result < 0) printf("%.*s\nours: %s\ntheirs: %s\n", (int)size, text, e.message, theirs ? "accepted" : je.text);
  tn_arena_free(&arena);
  json_decref(theirs);
  free(exact);
  return result;
}

TEST(random_documents_mean_the_same_to_both) {
  static sheet s;
  state = 12345;
  for (int i = 0; i < 3000; i++) {
    s.used = 0;
    put_space(&s);
    put_members(&s, 0);
    put_space(&s);
    CHECK(agree(s.text, s.used) == 1);
  }
}

TEST(random_damage_is_refused_by_both_or_by_none) {
  static const char bytes[] = "{}[]:,\"\\/ \n\t0123456789.eE+-truefalsn'u\x01\x7f\x80\xc3\xe2\xff";
  static sheet s;
  int accepted = 0, refused = 0;
  state = 999;
  for (int i = 0; i < 30000; i++) {
    s.used = 0;
    put_members(&s, 3);
    for (unsigned n = 1 + pick(2); n > 0 && s.used; n--) {
      size_t at = pick((unsigned)s.used);
      unsigned how = pick(4);
      char c = bytes[pick(sizeof bytes - 1)];
      if (how == 0) s.text[at] = c;
      if (how == 1) memmove(s.text + at, s.text + at + 1, --s.used - at);
      if (how == 2) {
        memmove(s.text + at + 1, s.text + at, s.used++ - at);
        s.text[at] = c;
      }
      if (how == 3 && pick(8) == 0) s.used = at;
    }
    s.text[s.used] = 0;
    if (s.used == 0 || strstr(s.text, "//")) continue; /* comments are ours alone */
    int result = agree(s.text, s.used);
    CHECK(result >= 0);
    accepted += result == 1;
    refused += result == 0;
  }
  CHECK(accepted > 1000 && refused > 10000);
}

/* the classics; Jansson refuses them as well */
TEST(bad_documents_are_refused) {
  static const char *const bad[] = {"{\"a\":1,}",
                                    "{,}",
                                    "{\"a\"}",
                                    "{\"a\":}",
                                    "{a:1}",
                                    "{'a':1}",
                                    "{\"a\":[1,]}",
                                    "{\"a\":[,]}",
                                    "{\"a\":[1 2]}",
                                    "{\"a\":01}",
                                    "{\"a\":+1}",
                                    "{\"a\":.1}",
                                    "{\"a\":1.}",
                                    "{\"a\":1e}",
                                    "{\"a\":1e+}",
                                    "{\"a\":-}",
                                    "{\"a\":--1}",
                                    "{\"a\":0x1}",
                                    "{\"a\":1_0}",
                                    "{\"a\":NaN}",
                                    "{\"a\":Infinity}",
                                    "{\"a\":-Infinity}",
                                    "{\"a\":nan}",
                                    "{\"a\":1e999}",
                                    "{\"a\":TRUE}",
                                    "{\"a\":nul}",
                                    "{\"a\":truefalse}",
                                    "{\"a\":\"\t\"}",
                                    "{\"a\":\"\n\"}",
                                    "{\"a\":\"\\x\"}",
                                    "{\"a\":\"\\u12\"}",
                                    "{\"a\":\"\\u0000\"}",
                                    "{\"a\":\"\\ud800\"}",
                                    "{\"a\":\"\\udc00\"}",
                                    "{\"a\":\"\\ud800\\ud800\"}",
                                    "{\"a\":\"\xff\"}",
                                    "{\"a\":\"\xc0\x80\"}",
                                    "{\"a\":\"\xed\xa0\x80\"}",
                                    "{\"a\":\"\xf4\x90\x80\x80\"}",
                                    "{\"a\":\"\xe2\x82\"}",
                                    "{\"a\":\"x}",
                                    "{\"a\":1",
                                    "{\"a\":[1}",
                                    "{\"a\":1]",
                                    "{",
                                    "}",
                                    "[",
                                    "",
                                    " ",
                                    "{}}",
                                    "{}x",
                                    "{} {}",
                                    "\xef\xbb\xbf{}",
                                    "{\"a\":1 \"b\":2}",
                                    "{\"a\":1;\"b\":2}",
                                    "{\"a\"=1}",
                                    "{\"a\"::1}",
                                    "{\"a\":1,\"a\":2}",
                                    "{\"a\":1,\"\\u0061\":2}",
                                    "/* c */{}",
                                    "# c\n{}",
                                    "{1:2}",
                                    "{null:1}",
                                    "{[]:1}",
                                    "{\"a\":1,,\"b\":2}",
                                    "{\xc2\xa0}",
                                    "{\v}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(agree(bad[i], strlen(bad[i])) == 0);
}
