/* the strict reader: what it gives, what it refuses, with which words and where. */
#include "read/read.h"

#include <locale.h>

#include "test.h"

/* parse `text`; the error as one line, "" if it was accepted */
static const char *outcome_of(const char *text, size_t size, tn_error *e) {
  static char line[1024];
  tn_arena arena;
  tn_node *root = NULL;
  tn_arena_init(&arena, NULL);
  tn_error_clear(e);
  tn_status status = tn_json_parse(&arena, "m.json", text, size, &root, e);
  CHECK(status == e->status && (status || root));
  CHECK(status == TN_OK || status == TN_E_MODEL);
  tn_error_text(e, line, sizeof line);
  tn_arena_free(&arena);
  return line;
}

static const char *outcome(const char *text) {
  tn_error e;
  return outcome_of(text, strlen(text), &e);
}

static tn_arena kept;
static const tn_node *value(const char *text) { /* of {"v": text}; kept until forget() */
  char *all = malloc(strlen(text) + 16);
  if (!all) abort();
  sprintf(all, "{\"v\": %s}", text);
  tn_error e;
  tn_node *root = NULL;
  tn_arena_init(&kept, NULL);
  tn_error_clear(&e);
  tn_status status = tn_json_parse(&kept, "m.json", all, strlen(all), &root, &e);
  CHECK_TEXT(e.message, "");
  free(all);
  static const tn_node nothing;
  return status ? &nothing : root->first;
}
static void forget(void) { tn_arena_free(&kept); }

TEST(every_kind_of_value) {
  static const char text[] = "// head\n{ \"a\": null, \"b\": true, \"c\": false,\r\n  \"d\": -1.5e2, // half\n"
                             "\t\"e\": \"x\\ny\", \"f\": [1, [], {}], \"g\": {\"h\": 0}, \"\": 1 }\n// tail";
  tn_arena arena;
  tn_error e;
  tn_node *root = NULL;
  tn_arena_init(&arena, NULL);
  CHECK(tn_json_parse(&arena, "m.json", text, strlen(text), &root, &e) == TN_OK);
  CHECK(root->kind == TN_NODE_OBJECT && root->size == 8 && !root->key && !root->parent);
  CHECK(root->place.line == 2 && root->place.column == 1 && root->place.byte == 8);
  CHECK_TEXT(root->place.file, "m.json");
  CHECK(tn_node_get(root, "a")->kind == TN_NODE_NULL);
  const tn_node *b = tn_node_get(root, "b"), *c = tn_node_get(root, "c"), *d = tn_node_get(root, "d");
  CHECK(b->kind == TN_NODE_BOOL && b->boolean && c->kind == TN_NODE_BOOL && !c->boolean);
  CHECK(d->kind == TN_NODE_NUMBER && d->number == -150);
  CHECK(d->key_place.line == 3 && d->key_place.column == 3 && d->place.line == 3 && d->place.column == 8);
  CHECK(strncmp(text + d->place.byte, "-1.5e2", 6) == 0 && strncmp(text + d->key_place.byte, "\"d\"", 3) == 0);
  const tn_node *t = tn_node_get(root, "e"), *f = tn_node_get(root, "f");
  CHECK(t->kind == TN_NODE_TEXT && t->size == 3 && t->place.line == 4 && t->place.column == 7);
  CHECK_TEXT(t->text, "x\ny");
  CHECK(f->kind == TN_NODE_LIST && f->size == 3 && f->first->number == 1 && !f->first->key && f->first->parent == f);
  CHECK(tn_node_item(f, 1)->kind == TN_NODE_LIST && tn_node_item(f, 2)->kind == TN_NODE_OBJECT);
  CHECK(tn_node_get(root, "") == root->last && root->last->next == NULL && root->last->number == 1);
  tn_arena_free(&arena);
}

TEST(numbers_are_rounded_correctly) {
  static const struct {
    const char *text;
    double value;
  } cases[] = {{"0", 0},
               {"-0", -0.0},
               {"1", 1},
               {"0.1", 0.1},
               {"1e0", 1},
               {"1E+2", 100},
               {"1e-2", 0.01},
               {"123456789012345678", 123456789012345678.0},
               {"9007199254740993", 9007199254740992.0}, /* a tie: to even */
               {"9007199254740993.00000000000000000000000000000000000001", 9007199254740994.0},
               {"1.7976931348623157e308", 1.7976931348623157e308},
               {"1.7976931348623158e308", 1.7976931348623157e308},
               {"4.9406564584124654e-324", 0x1p-1074},
               {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
               {"1e-400", 0},
               {"0e999999999999", 0},
               {"0.3e1", 3},
               {"8.41e21", 8.41e21}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const tn_node *v = value(cases[i].text);
    CHECK(v->kind == TN_NODE_NUMBER && v->number == cases[i].value && signbit(v->number) == signbit(cases[i].value));
    forget();
  }
}

/* a locale with another decimal point must change nothing; without one on the machine the "C" run stands alone */
TEST(numbers_do_not_depend_on_the_locale) {
  static const char *const names[] = {"C", "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR", "cs_CZ.UTF-8"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!setlocale(LC_ALL, names[i])) continue;
    char digits[32];
    CHECK(value("1.5")->number == 1.5);
    forget();
    CHECK(tn_json_digits(-0.001, digits) == 6);
    CHECK_TEXT(digits, "-0.001");
    double x = 0;
    CHECK(tn_json_number("2.25e1", 6, &x) && x == 22.5 && !tn_json_number("2,25", 4, &x));
    CHECK_HAS(outcome("{\"v\": 1,5}"), "expected a key");
  }
  setlocale(LC_ALL, "C");
}

TEST(digits_are_the_fewest_that_read_back) {
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0"},
               {-0.0, "-0"},
               {100000, "100000"},
               {123456789012345, "123456789012345"},
               {0.1, "0.1"},
               {0.1 + 0.2, "0.30000000000000004"},
               {1.0 / 3, "0.3333333333333333"},
               {1e300, "1e+300"},
               {5e-324, "5e-324"},
               {-9.81, "-9.81"},
               {1.7976931348623157e308, "1.7976931348623157e+308"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char digits[32];
    CHECK(tn_json_digits(cases[i].value, digits) == (int)strlen(cases[i].text));
    CHECK_TEXT(digits, cases[i].text);
  }
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    double v, back = 0;
    memcpy(&v, &bits, sizeof v);
    char digits[32];
    if (!isfinite(v)) continue;
    int n = tn_json_digits(v, digits);
    CHECK(n > 0 && n < 32 && tn_json_number(digits, (size_t)n, &back) && memcmp(&v, &back, sizeof v) == 0);
  }
}

TEST(texts_and_escapes) {
  static const char *const cases[][2] = {{"\"\"", ""},
                                         {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "a\"\\/\b\f\n\r\tz"},
                                         {"\"\\u0041\\u00e4\\u20AC\"", "A\xc3\xa4\xe2\x82\xac"},
                                         {"\"\\ud834\\udd1E\"", "\xf0\x9d\x84\x9e"},
                                         {"\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf"},
                                         {"\"\xc3\xa4 \x7f // {i} /*\"", "\xc3\xa4 \x7f // {i} /*"},
                                         {"\"\\uffff\\u0001\"", "\xef\xbf\xbf\x01"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const tn_node *v = value(cases[i][0]);
    CHECK_TEXT(v->text, cases[i][1]);
    CHECK(v->size == strlen(cases[i][1]));
    forget();
  }
}

/* each is refused with these words at this place */
static const char *const refused[][2] = {
    {"", "the text is empty: expected '{' (m.json:1:1)"},
    {" \n // only this", "the text is empty: expected '{' (m.json:2:14)"},
    {"\xef\xbb\xbf{}", "the text begins with a byte order mark; save it as UTF-8 without one (m.json:1:1)"},
    {"\xff\xfe{", "the text is UTF-16; save it as UTF-8 (m.json:1:1)"},
    {"[1]", "a model is an object: expected '{', found '[' (m.json:1:1)"},
    {"\n 12", "a model is an object: expected '{', found '12' (m.json:2:2)"},
    {"{} x", "expected the end of the text after the closing '}', found 'x' (m.json:1:4)"},
    {"{}{}", "expected the end of the text after the closing '}', found '{' (m.json:1:3)"},
    {"{", "expected a key in double quotes or '}', found the end of the text (m.json:1:2)"},
    {"{\n \"a\": {\n  \"mass\" }\n}", "expected ':' after key \"mass\", found '}' (m.json:3:10)"},
    {"{\"a\" 1}", "expected ':' after key \"a\", found '1' (m.json:1:6)"},
    {"{\"a\":}", "expected a value after key \"a\", found '}' (m.json:1:6)"},
    {"{\"a\":", "expected a value after key \"a\", found the end of the text (m.json:1:6)"},
    {"{\"a\": 1,}", "trailing ',' before '}' (m.json:1:8)"},
    {"{\"a\": [1,\n\n ]}", "trailing ',' before ']' (m.json:1:9)"},
    {"{\"a\": [,1]}", "expected a value or ']', found ',' (m.json:1:8)"},
    {"{\"a\": [1,,1]}", "expected a value, found ',' (m.json:1:10)"},
    {"{,}", "expected a key in double quotes or '}', found ',' (m.json:1:2)"},
    {"{\"a\": 1,, \"b\": 2}", "expected a key in double quotes, found ',' (m.json:1:9)"},
    {"{\"a\": 1\n \"b\": 2}", "missing ',': expected ',' or '}' after the value of \"a\", found '\"' (m.json:2:2)"},
    {"{\"a\": [1 2]}", "missing ',': expected ',' or ']' after the item, found '2' (m.json:1:10)"},
    {"{\"a\": [{} {}]}", "missing ',': expected ',' or ']' after the item, found '{' (m.json:1:11)"},
    {"{\"a\": 1]", "expected ',' or '}' after the value of \"a\", found ']' (m.json:1:8)"},
    {"{\"a\": [1}", "expected ',' or ']' after the item, found '}' (m.json:1:9)"},
    {"{\n\"a\": 1", "expected ',' or '}' after the value of \"a\", found the end of the text (m.json:2:7)"
                    " - the '{' of line 1 is not closed"},
    {"{'a': 1}", "a key is quoted with \", not with ' (m.json:1:2)"},
    {"{\"a\": 'b'}", "a text is quoted with \", not with ' (m.json:1:7)"},
    {"{a: 1}", "expected a key in double quotes or '}', found 'a' (m.json:1:2)"},
    {"{\"a\": \"b}", "unterminated text: the closing '\"' is missing at the end of the text (m.json:1:7)"},
    {"{\"a\": \"b\n\"}", "unterminated text: the line ends before the closing '\"' (m.json:1:7)"},
    {"{\"a\": \"b\\", "unterminated text: the closing '\"' is missing at the end of the text (m.json:1:7)"},
    {"{\"a\": \"b\\\"", "unterminated text: the closing '\"' is missing at the end of the text (m.json:1:7)"},
    {"{\"a\": \"b\tc\"}", "control character 0x09 in a text (m.json:1:9) - write \\u0009 or \\t"},
    {"{\"a\": \"b\x01\"}", "control character 0x01 in a text (m.json:1:9) - write \\u0001"},
    {"{\"a\": \"b\xff\"}", "byte 0xff in a text is not UTF-8 (m.json:1:9)"},
    {"{\"a\": \"\xc3\"}", "byte 0xc3 in a text is not UTF-8 (m.json:1:8)"},
    {"{\"\xed\xa0\x80\": 1}", "byte 0xed in a text is not UTF-8 (m.json:1:3)"},
    {"{} // \xff", "byte 0xff in a comment is not UTF-8 (m.json:1:7)"},
    {"{\xc3\xa4}", "expected a key in double quotes or '}', found '\xc3\xa4' (m.json:1:2)"},
    {"{\xff}", "expected a key in double quotes or '}', found byte 0xff (m.json:1:2)"},
    {"{\x1f}", "expected a key in double quotes or '}', found byte 0x1f (m.json:1:2)"},
    {"{\"a\": \"\x1f\"}", "control character 0x1f in a text (m.json:1:8) - write \\u001f"},
    {"{\f}", "expected a key in double quotes or '}', found byte 0x0c (m.json:1:2)"},
    {"{\"a\": \"\\x41\"}", "unknown escape: '\\' followed by 'x41' (m.json:1:8)"},
    {"{\"a\": \"\\'\"}", "unknown escape: '\\' followed by ''' (m.json:1:8)"},
    {"{\"a\": \"\\\nb\"}", "unknown escape: '\\' followed by byte 0x0a (m.json:1:8)"},
    {"{\"a\": \"\\u12g4\"}", "expected four hexadecimal digits after '\\u' (m.json:1:8)"},
    {"{\"a\": \"\\u12\"}", "expected four hexadecimal digits after '\\u' (m.json:1:8)"},
    {"{\"a\": \"z\\u0000\"}", "\\u0000 is not allowed in a text (m.json:1:9)"},
    {"{\"a\": \"\\ud834\"}", "\\ud834 is half of a surrogate pair; the other half is missing (m.json:1:8)"},
    {"{\"a\": \"\\ud834\\u0041\"}", "\\ud834 is half of a surrogate pair; the other half is missing (m.json:1:8)"},
    {"{\"a\": \"\\udd1e\"}", "\\udd1e is half of a surrogate pair; the other half is missing (m.json:1:8)"},
    {"{ /* no */ }", "only // comments are read, not /* */ (m.json:1:3)"},
    {"{ / }", "a single '/': a comment begins with // (m.json:1:3)"},
    {"{\"a\": 01}", "'01' is not a number: it may not begin with 0 (m.json:1:7)"},
    {"{\"a\": -012}", "'-012' is not a number: it may not begin with 0 (m.json:1:7)"},
    {"{\"a\": +1}", "expected a value after key \"a\", found '+' (m.json:1:7) - a number begins with a digit or '-'"},
    {"{\"a\": .5}", "expected a value after key \"a\", found '.' (m.json:1:7) - a number begins with a digit or '-'"},
    {"{\"a\": -.5}", "'-.5' is not a number: it needs a digit before '.' (m.json:1:7)"},
    {"{\"a\": -}", "'-' is not a number: it needs a digit after '-' (m.json:1:7)"},
    {"{\"a\": -+1}", "'-+1' is not a number: it may not begin with '+' (m.json:1:7)"},
    {"{\"a\": 1.}", "'1.' is not a number: it needs a digit after '.' (m.json:1:7)"},
    {"{\"a\": 1.e3}", "'1.e3' is not a number: it needs a digit after '.' (m.json:1:7)"},
    {"{\"a\": 1e}", "'1e' is not a number: it needs a digit in the exponent (m.json:1:7)"},
    {"{\"a\": 1e+}", "'1e+' is not a number: it needs a digit in the exponent (m.json:1:7)"},
    {"{\"a\": 0x10}", "'0x10' is not a number: a number ends sooner (m.json:1:7) - an expression is a text, in double "
                      "quotes"},
    {"{\"a\": 1-2}", "'1-2' is not a number: a number ends sooner (m.json:1:7) - an expression is a text, in double "
                     "quotes"},
    {"{\"a\": 1e309}", "1e309 is too large for a number (m.json:1:7)"},
    {"{\"a\": -1e99999999999}", "-1e99999999999 is too large for a number (m.json:1:7)"},
    {"{\"a\": -Infinity}", "'-Infinity' is not a number: it needs a digit after '-' (m.json:1:7)"},
    {"{\"a\": NaN}", "expected a value after key \"a\", found 'NaN' (m.json:1:7) - every number is finite"},
    {"{\"a\": Infinity}", "expected a value after key \"a\", found 'Infinity' (m.json:1:7) - every number is finite"},
    {"{\"a\": True}", "expected a value after key \"a\", found 'True' (m.json:1:7) - did you mean true?"},
    {"{\"a\": fals}", "expected a value after key \"a\", found 'fals' (m.json:1:7) - did you mean false?"},
    {"{\"a\": truex}", "expected a value after key \"a\", found 'truex' (m.json:1:7) - did you mean true?"},
    {"{\"a\": [abcdefghijklmnopqrstuvwxyz]}",
     "expected a value or ']', found 'abcdefghijklmnopqrstuvwx...' (m.json:1:8)"
     " - words and expressions are texts, in double quotes"},
    {"{\"a\": 1, \"b\": 2,\n \"a\": 3}", "duplicate key \"a\", first on line 1 (m.json:2:2)"},
    {"{\"a\": 1, \"\\u0061\": 3}", "duplicate key \"a\", first on line 1 (m.json:1:10)"},
    {"{\"o\": {\"a\": 1, \"b\": 2, \"b\": 3, \"a\": 3}}", "duplicate key \"b\", first on line 1 (m.json:1:24)"},
};

TEST(refusals_say_what_was_expected_and_found) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) CHECK_TEXT(outcome(refused[i][0]), refused[i][1]);
}

TEST(a_nul_byte_is_refused_anywhere) {
  tn_error e;
  CHECK_TEXT(outcome_of("{}\0", 3, &e),
             "expected the end of the text after the closing '}', found byte 0x00 (m.json:1:3)");
  CHECK_TEXT(outcome_of("{\0}", 3, &e), "expected a key in double quotes or '}', found byte 0x00 (m.json:1:2)");
  CHECK_TEXT(outcome_of("{\"\0\":1}", 7, &e), "control character 0x00 in a text (m.json:1:3) - write \\u0000");
  CHECK_TEXT(outcome_of("{\"\\\0\":1}", 8, &e), "unknown escape: '\\' followed by byte 0x00 (m.json:1:3)");
}

/* no prefix of a good text is good, and none reads past its end (the copy has exactly its size) */
TEST(every_prefix_is_refused) {
  static const char text[] =
      "{\"a\": [1.5e3, true, null, \"\\ud834\\udd1e\\n\xe2\x82\xac\"], // c\n \"b\": {\"c\": -0.1}}";
  tn_error e;
  CHECK_TEXT(outcome(text), "");
  for (size_t n = 0; n + 1 < sizeof text; n++) {
    char *copy = malloc(n + !n);
    if (!copy) abort();
    memcpy(copy, text, n);
    outcome_of(copy, n, &e);
    CHECK(e.status == TN_E_MODEL && e.message[0] && e.line >= 1 && e.column >= 1);
    CHECK(e.byte >= 0 && e.byte <= (long)n);
    free(copy);
  }
}

TEST(depth_is_limited) {
  char text[300];
  for (int depth = 60; depth < 70; depth++) {
    int n = sprintf(text, "{\"a\":");
    for (int i = 1; i < depth; i++) text[n++] = '[';
    for (int i = 1; i < depth; i++) text[n++] = ']';
    sprintf(text + n, "}");
    if (depth <= 64)
      CHECK_TEXT(outcome(text), "");
    else
      CHECK_TEXT(outcome(text), "objects and lists nested deeper than 64 levels (m.json:1:69)");
  }
  size_t n = 1000000;
  char *deep = malloc(n);
  if (!deep) abort();
  memset(deep, '[', n);
  memcpy(deep, "{\"a\":", 5);
  tn_error e;
  CHECK_HAS(outcome_of(deep, n, &e), "nested deeper than 64");
  free(deep);
}

TEST(sizes_are_limited) {
  size_t n = TN_TEXT_MOST + 1;
  char *text = malloc(n);
  if (!text) abort();
  memset(text, ' ', n);
  memcpy(text, "{}", 2);
  tn_error e;
  CHECK_TEXT(outcome_of(text, n - 1, &e), "");
  CHECK_TEXT(outcome_of(text, n, &e), "the text has 67108865 bytes; at most 67108864 are read (m.json:1:1)");
  free(text);
  char number[1200] = "{\"a\": 1";
  memset(number + 7, '0', 1002);
  CHECK_HAS(outcome(number), "is not a number: it has more than 1000 characters (m.json:1:7)");
  memset(number + 7, '0', 200);
  strcpy(number + 207, "}");
  CHECK_TEXT(outcome(number), "");
}

/* short values are many nodes: the text is small, the memory is not */
TEST_LONG(values_are_limited) {
  size_t most = (size_t)4 << 20, n = 0;
  char *text = malloc(2 * most + 100);
  if (!text) abort();
  n += (size_t)sprintf(text, "{\"a\":[1");
  for (size_t i = 3; i < most; i++) text[n++] = ',', text[n++] = '1';
  memcpy(text + n, "]}", 2);
  tn_error e;
  CHECK_TEXT(outcome_of(text, n + 2, &e), "");
  memcpy(text + n, ",1]}", 4);
  CHECK_HAS(outcome_of(text, n + 4, &e), "more than 4194304 values");
  CHECK(e.byte == (long)n + 1);
  free(text);
}

/* n members; the time for many must not grow with the square */
static char *many_keys(size_t n, size_t *size) {
  char *text = malloc(24 * n + 16);
  if (!text) abort();
  *size = (size_t)sprintf(text, "{");
  for (size_t i = 0; i < n; i++) *size += (size_t)sprintf(text + *size, "%s\"k%zu\":1", i ? "," : "", i * 7919 % n);
  *size += (size_t)sprintf(text + *size, "}");
  return text;
}

TEST(many_keys_are_compared_quickly) {
  size_t size;
  tn_error e;
  char *text = many_keys(200000, &size);
  CHECK_TEXT(outcome_of(text, size, &e), "");
  /* the last of them becomes a copy of the second */
  char *last = text + size;
  while (*last != 'k') last--;
  char *copy = malloc(size + 32);
  if (!copy) abort();
  memcpy(copy, text, (size_t)(last - text));
  int tail = sprintf(copy + (last - text), "k%d\":\n1}", 7919);
  CHECK_HAS(outcome_of(copy, (size_t)(last - text) + (size_t)tail, &e), "duplicate key \"k7919\", first on line 1");
  CHECK(e.byte == (long)(last - text) - 1);
  free(copy);
  free(text);
}

TEST(the_first_repetition_is_named_in_large_objects) {
  char text[600];
  int n = sprintf(text, "{");
  for (int i = 0; i < 20; i++) n += sprintf(text + n, "\"z%d\":1,\n", i);
  sprintf(text + n, "\"z9\":1,\n\"z3\":1,\n\"z9\":2,\n\"a\":1,\"a\":1}");
  CHECK_TEXT(outcome(text), "duplicate key \"z9\", first on line 10 (m.json:21:1)");
}

TEST(one_value_of_any_kind) {
  tn_arena arena;
  tn_error e;
  tn_node *v = NULL;
  tn_arena_init(&arena, NULL);
  CHECK(tn_json_value(&arena, " 12 ", 4, 0, &v, &e) == TN_OK && v->number == 12);
  CHECK(!v->place.file && v->place.line == 0 && v->place.byte == -1);
  CHECK(tn_json_value(&arena, "[true]", 6, 63, &v, &e) == TN_OK && v->first->boolean);
  CHECK(tn_json_value(&arena, "[true]", 6, 64, &v, &e) == TN_E_MODEL);
  CHECK_HAS(e.message, "nested deeper than 64");
  CHECK(tn_json_value(&arena, "{\"k\":\"x\"}", 9, 0, &v, &e) == TN_OK && v->first->key_place.line == 0);
  CHECK(tn_json_value(&arena, "1 2", 3, 0, &v, &e) == TN_E_MODEL);
  CHECK_TEXT(e.message, "expected the end of the text after the value, found '2'");
  CHECK(e.line == 1 && e.column == 3);
  CHECK(tn_json_value(&arena, "", 0, 0, &v, NULL) == TN_E_MODEL);
  CHECK(tn_json_value(&arena, "{\"k\":1,\"k\":2}", 13, 0, &v, &e) == TN_E_MODEL);
  CHECK_TEXT(e.message, "duplicate key \"k\"");
  tn_arena_free(&arena);
}

TEST(a_number_is_all_of_the_text) {
  double x = 0;
  CHECK(tn_json_number("-1.5", 4, &x) && x == -1.5);
  CHECK(tn_json_number("12x", 2, &x) && x == 12);
  CHECK(!tn_json_number("12x", 3, &x) && !tn_json_number("", 0, &x) && !tn_json_number(" 1", 2, &x));
  CHECK(!tn_json_number("1e999", 5, &x) && !tn_json_number("nan", 3, &x) && !tn_json_number("0x1p3", 5, &x));
}

static long calls, fail_at, out;
static void *fail_allocate(void *user, size_t size) {
  (void)user;
  if (++calls == fail_at) return NULL;
  void *p = malloc(size);
  out += p != NULL;
  return p;
}
static void fail_release(void *user, void *p) {
  (void)user;
  out -= p != NULL;
  free(p);
}

TEST(every_allocation_may_fail) {
  static const tn_allocator failing = {fail_allocate, fail_release, NULL};
  size_t size;
  char *text = many_keys(3000, &size);
  tn_status status = TN_E_MEMORY;
  for (fail_at = 1; status && fail_at < 1000; fail_at++) {
    tn_arena arena;
    tn_error e;
    tn_node *root;
    calls = out = 0;
    tn_error_clear(&e);
    tn_arena_init(&arena, &failing);
    status = tn_json_parse(&arena, "m.json", text, size, &root, &e);
    CHECK(status == e.status && (status == TN_E_MEMORY || (!status && fail_at > 5)));
    if (status) CHECK_HAS(e.message, "no memory");
    tn_arena_free(&arena);
    CHECK(out == 0);
  }
  CHECK(status == TN_OK);
  free(text);
}
