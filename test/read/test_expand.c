/* repeat: what it makes, and what it refuses. */
#include "read/read.h"

#include "support/failing.h"
#include "test.h"

/* a stand-in for expressions: sums and differences, quotients of integers and names of counters, N = 4 */
static tn_status number_of(void *user, const tn_scope *scope, const tn_node *at, const char *text, size_t n,
                           double *value, tn_error *e) {
  ++*(long *)user;
  CHECK(at != NULL);
  double sum = 0;
  char op = '+';
  for (size_t i = 0; i < n;) {
    size_t k = i;
    while (k < n && !strchr("+-/", text[k])) k++;
    size_t size = k - i;
    double term = 0;
    const tn_scope *s = scope;
    while (s && (strlen(s->name) != size || memcmp(s->name, text + i, size) != 0)) s = s->outer;
    if (s)
      term = s->value;
    else if (!size && i == 0)
      term = 0; /* a sign in front */
    else if (size == 1 && text[i] == 'N')
      term = 4;
    else if (!size || !tn_json_number(text + i, size, &term))
      return tn_fail(e, TN_E_MODEL, "no name '%.*s'", (int)size, text + i);
    sum = op == '+' ? sum + term : op == '-' ? sum - term : sum / term;
    if (k < n) op = text[k];
    i = k + 1;
  }
  *value = sum;
  return TN_OK;
}

static bool page_write(void *user, const char *text, size_t size) {
  strncat(user, text, size);
  return true;
}

/* the expanded model without blanks, or the error as a line */
static const char *expanded(const char *model) {
  static char text[20000];
  tn_desc *d = NULL, copy;
  tn_error e;
  long v = 0;
  tn_error_clear(&e);
  text[0] = 0;
  if (tn_desc_new(NULL, &d, NULL)) abort();
  tn_status s = tn_desc_parse(d, "m.json", model, strlen(model), &e);
  CHECK(s == TN_OK);
  tn_arena_init(&copy.arena, NULL);
  if (!s) s = tn_expand(&copy.arena, d->root, number_of, &v, &copy.root, &e);
  tn_desc_free(d); /* the copy stands alone */
  if (!s) {
    CHECK(tn_desc_print(&copy, page_write, text, NULL) == TN_OK);
    char *to = text;
    for (const char *c = text; *c; c++)
      if (*c != ' ' && *c != '\n') *to++ = *c;
    *to = 0;
  } else {
    CHECK(s == TN_E_MODEL && e.status == s);
    tn_error_text(&e, text, sizeof text);
  }
  tn_arena_free(&copy.arena);
  return text;
}

TEST(without_repeat_it_is_a_copy) {
  static const char model[] = "{\"a\":1,\"b\":[true,null,\"x{i}\",{\"c{\":\"}\"}],\"d\":{}}";
  CHECK_TEXT(expanded(model), model); /* braces outside repeats are none of its business */
}

TEST(members_repeat) {
  CHECK_TEXT(
      expanded(
          "{\"o\": {\"a\": 1, \"b{i}\": {\"repeat\": \"i=1..3\", \"m\": \"i*2\", \"at\": [\"O{i}\", 0]}, \"c\": 2}}"),
      "{\"o\":{\"a\":1,\"b1\":{\"m\":\"i*2\",\"at\":[\"O1\",0]},\"b2\":{\"m\":\"i*2\",\"at\":[\"O2\",0]},"
      "\"b3\":{\"m\":\"i*2\",\"at\":[\"O3\",0]},\"c\":2}}");
  CHECK_TEXT(expanded("{\"b{i}\": {\"x\": 1, \"repeat\": \" i = 0 .. N-2 \"}}"),
             "{\"b0\":{\"x\":1},\"b1\":{\"x\":1},\"b2\":{\"x\":1}}");
  CHECK_TEXT(expanded("{\"b{i}-{i-1}\": {\"repeat\": \"i=0..0\", \"k{i+1}\": \"{i}{i-5} {N}\"}}"),
             "{\"b0--1\":{\"k1\":\"0-54\"}}");
  CHECK_TEXT(expanded("{\"b{i}.rate\": {\"repeat\": \"i=-1..0\"}}"), "{\"b-1.rate\":{},\"b0.rate\":{}}");
}

TEST(items_repeat) {
  CHECK_TEXT(expanded("{\"l\": [0, {\"repeat\": \"i=1..2\", \"v\": \"{i}\"}, 9]}"),
             "{\"l\":[0,{\"v\":\"1\"},{\"v\":\"2\"},9]}");
  CHECK_TEXT(expanded("{\"l\": [[{\"repeat\": \"i=5..5\", \"v\": \"{i}\"}]]}"), "{\"l\":[[{\"v\":\"5\"}]]}");
}

TEST(empty_ranges_give_nothing) {
  CHECK_TEXT(expanded("{\"o\": {\"b{i}\": {\"repeat\": \"i=1..0\", \"x\": \"{bad\"}}, \"l\": [{\"repeat\": "
                      "\"i=2000000000..-2000000000\"}]}"),
             "{\"o\":{},\"l\":[]}");
}

TEST(a_single_value_needs_no_brace_in_the_key) {
  CHECK_TEXT(expanded("{\"b\": {\"repeat\": \"i=3..3\", \"v\": \"{i}\"}}"), "{\"b\":{\"v\":\"3\"}}");
}

TEST(repeats_inside_see_the_counters_outside) {
  CHECK_TEXT(expanded("{\"a{i}\": {\"repeat\": \"i=1..2\", \"b{j}\": {\"repeat\": \"j=i..2\", \"v\": \"{i}{j}\"},"
                      "\"l\": [{\"repeat\": \"k=1..i\", \"w\": [\"{k+i}\"]}]}}"),
             "{\"a1\":{\"b1\":{\"v\":\"11\"},\"b2\":{\"v\":\"12\"},\"l\":[{\"w\":[\"2\"]}]},"
             "\"a2\":{\"b2\":{\"v\":\"22\"},\"l\":[{\"w\":[\"3\"]},{\"w\":[\"4\"]}]}}");
  CHECK_TEXT(expanded("{\"a{i}\": {\"repeat\": \"i=1..1\"}, \"b{i}\": {\"repeat\": \"i=2..2\"}}"),
             "{\"a1\":{},\"b2\":{}}");
}

TEST(copies_keep_their_places_and_get_their_counters) {
  static const char model[] =
      "{\"o\": {\n  \"b{i}\": {\"repeat\": \"i=4..5\", \"l\": [{\"repeat\": \"j=1..1\", \"v\": 1}]},\n"
      "  \"c\": 1}}";
  tn_desc *d = NULL;
  tn_arena arena;
  tn_node *root = NULL;
  long v = 0;
  if (tn_desc_new(NULL, &d, NULL)) abort();
  CHECK(tn_desc_parse(d, "m.json", model, strlen(model), NULL) == TN_OK);
  tn_arena_init(&arena, NULL);
  CHECK(tn_expand(&arena, d->root, number_of, &v, &root, NULL) == TN_OK);
  tn_desc_free(d);
  const tn_node *o = tn_node_get(root, "o"), *b4 = tn_node_get(o, "b4"), *b5 = tn_node_get(o, "b5");
  CHECK(!o->scope && !tn_node_get(o, "c")->scope && o->size == 3);
  CHECK(b4->parent == o && b4->next == b5 && b4->place.line == 2 && b4->place.column == 11);
  CHECK(b5->key_place.line == 2 && b5->key_place.column == 3);
  CHECK_TEXT(b5->place.file, "m.json");
  CHECK_TEXT(b5->scope->name, "i");
  CHECK(b4->scope->value == 4 && b5->scope->value == 5 && !b5->scope->outer);
  const tn_node *leaf = tn_node_get(tn_node_item(tn_node_get(b5, "l"), 0), "v");
  CHECK_TEXT(leaf->scope->name, "j");
  CHECK(leaf->scope->value == 1 && leaf->scope->outer == b5->scope);
  CHECK(tn_node_get(b5, "l")->scope == b5->scope && !tn_node_get(b5, "repeat"));
  char pointer[40];
  tn_node_pointer(leaf, pointer, sizeof pointer);
  CHECK_TEXT(pointer, "/o/b5/l/0/v");
  tn_arena_free(&arena);
}

TEST(refusals) {
  static const char *const cases[][2] = {
      {"{\"repeat\": \"i=1..2\"}", "the model itself cannot repeat; a member or an item of a list can (m.json:1:12)"},
      {"{\"b\": {\"repeat\": 3}}", "repeat is a text such as \"i=1..3\" (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"3\"}}", "repeat \"3\": expected counter=first..last, such as \"i=1..3\" (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i=1-3\"}}",
       "repeat \"i=1-3\": expected counter=first..last, such as \"i=1..3\" (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"=1..3\"}}",
       "repeat \"=1..3\": expected counter=first..last, such as \"i=1..3\" (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i= ..3\"}}",
       "repeat \"i= ..3\": expected counter=first..last, such as \"i=1..3\" (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i=1..\"}}",
       "repeat \"i=1..\": expected counter=first..last, such as \"i=1..3\" (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"1..2=i\"}}",
       "repeat \"1..2=i\": expected counter=first..last, such as \"i=1..3\" (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"1=1..3\"}}", "repeat: '1' is not a name for a counter (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i j=1..3\"}}", "repeat: 'i j' is not a name for a counter (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"t=1..3\"}}", "repeat: 't' is a reserved name, not for a counter (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"g0=1..3\"}}", "repeat: 'g0' is a reserved name, not for a counter (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i=1..x\"}}", "no name 'x' (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i=1/2..3\"}}", "'1/2' is 0.5, not an integer (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i=1..3.00000001\"}}", "'3.00000001' is 3.00000001, not an integer (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i=1..1/0\"}}", "'1/0' is inf, not an integer (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i=1..0/0\"}}", NULL},
      {"{\"b\": {\"repeat\": \"i=0..100000\"}}",
       "repeat \"i=0..100000\" has 100001 values; at most 100000 are made (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i=-2000000000..2000000000\"}}",
       "repeat \"i=-2000000000..2000000000\" has 4000000001 values; at "
       "most 100000 are made (m.json:1:18)"},
      {"{\"b\": {\"repeat\": \"i=1..3000000000\"}}", "'3000000000' is 3e+09, not an integer (m.json:1:18)"},
      {"{\n\"rod\": {\"repeat\": \"i=1..3\"}}",
       "duplicate key \"rod\": its repeat makes it 3 times (m.json:2:1) - write the "
       "counter in the key: \"rod{i}\""},
      {"{\"b{i-i}\": {\"repeat\": \"i=1..2\"}}",
       "duplicate key \"b0\" after expanding the repeats, first on line 1 (m.json:1:2)"},
      {"{\"b2\": 1,\n \"b{i}\": {\"repeat\": \"i=1..2\"}}",
       "duplicate key \"b2\" after expanding the repeats, first on line 1 "
       "(m.json:2:2)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..1\", \"x{i}\": 1,\n \"x1\": 2}}",
       "duplicate key \"x1\" after expanding the repeats, first "
       "on line 1 (m.json:2:2)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..2\", \"v\": \"x{i\"}}", "\"x{i\": '{' without '}' (m.json:1:36)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..2\", \"v\": \"x{{i}}\"}}", "\"x{{i}}\": '{' without '}' (m.json:1:36)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..2\", \"v\": \"x}\"}}", "\"x}\": '}' without '{' (m.json:1:36)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..2\", \"v\": \"x{}\"}}", "\"x{}\": nothing between the braces (m.json:1:36)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..2\", \"k{\": 1}}", "\"k{\": '{' without '}' (m.json:1:31)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..2\", \"v\": \"x{i/2}\"}}", "'i/2' is 0.5, not an integer (m.json:1:36)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..2\", \"v\": \"x{z}\"}}", "no name 'z' (m.json:1:36)"},
      {"{\"b{z}\": {\"repeat\": \"i=1..2\"}}", "no name 'z' (m.json:1:2)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..i\"}}", "no name 'i' (m.json:1:21)"},
      {"{\"b{i}\": {\"repeat\": \"i=1..2\", \"l\": [{\"repeat\": \"i=1..2\"}]}}",
       "repeat: 'i' is already the counter of a repeat around it (m.json:1:48)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *line = expanded(cases[i][0]);
    if (cases[i][1])
      CHECK_TEXT(line, cases[i][1]);
    else
      CHECK_HAS(line, "not an integer"); /* nan or -nan */
  }
}

TEST(integers_may_be_off_by_rounding) {
  CHECK_TEXT(expanded("{\"b{i+0.0000000001}\": {\"repeat\": \"i=1..1.9999999999\"}}"), "{\"b1\":{},\"b2\":{}}");
}

TEST(a_few_lines_cannot_ask_for_everything) {
  CHECK_TEXT(expanded("{\"l\": [{\"repeat\": \"i=1..100000\", \"m\": [{\"repeat\": \"j=1..100000\"}]}]}"),
             "the repeats make more than 4194304 values (m.json:1:40)");
  char nothing[2000] = "{\"l\": [{\"repeat\": \"i=1..100000\", \"a\": [";
  for (int i = 0; i < 45; i++) strcat(nothing, i ? ", {\"repeat\": \"j=1..0\"}" : "{\"repeat\": \"j=1..0\"}");
  strcat(nothing, "]}]}");
  CHECK_TEXT(expanded(nothing), "the repeats make more than 4194304 values (m.json:1:513)");
  size_t n = 200000;
  char *model = malloc(n + 100);
  if (!model) abort();
  int head = sprintf(model, "{\"l\": [{\"repeat\": \"i=1..1000\", \"a\": \"");
  memset(model + head, 'x', n);
  strcpy(model + (size_t)head + n, "\"}]}");
  CHECK_TEXT(expanded(model), "the repeats make more than 67108864 bytes of text (m.json:1:37)");
  free(model);
}

TEST(built_by_calls_errors_name_the_pointer) {
  tn_desc *d = NULL;
  tn_arena arena;
  tn_node *root = NULL;
  tn_error e;
  long v = 0;
  char line[300];
  if (tn_desc_new(NULL, &d, NULL)) abort();
  CHECK(tn_desc_json(d, "/joints/rod", "{\"repeat\": \"i=1..2\"}", NULL) == TN_OK);
  tn_arena_init(&arena, NULL);
  CHECK(tn_expand(&arena, d->root, number_of, &v, &root, &e) == TN_E_MODEL);
  tn_error_text(&e, line, sizeof line);
  CHECK_TEXT(
      line,
      "duplicate key \"rod\": its repeat makes it 2 times (at /joints/rod) - write the counter in the key: \"rod{i}\"");
  CHECK(tn_expand(&arena, d->root, number_of, &v, &root, NULL) == TN_E_MODEL);
  CHECK(tn_desc_text(d, "/joints/rod/repeat", "i=x..2", NULL) == TN_OK);
  CHECK(tn_expand(&arena, d->root, number_of, &v, &root, &e) == TN_E_MODEL);
  tn_error_text(&e, line, sizeof line);
  CHECK_TEXT(line, "no name 'x' (at /joints/rod/repeat)");
  tn_arena_free(&arena);
  tn_desc_free(d);
}

/* chunks end at another piece for every fill the arena starts with, so that each piece is refused once */
TEST(every_allocation_may_fail) {
  static const char model[] =
      "{\"a\": [1, \"t\"], \"b{i}\": {\"repeat\": \"i=1..20\", \"l\": [{\"repeat\": \"j=1..2\", \"v\": \"{i}\"}]}}";
  tn_desc *d = NULL;
  long v = 0;
  if (tn_desc_new(NULL, &d, NULL)) abort();
  CHECK(tn_desc_parse(d, "m.json", model, strlen(model), NULL) == TN_OK);
  int refused = 0, round_refused = 1;
  for (long fail = 1; round_refused && fail < 50; fail++) { /* the chunk that fails, counted from the expansion on */
    round_refused = 0;
    for (int used = 0; used < 256; used++) {
      failing f = {0};
      tn_allocator a = {fail_allocate, fail_release, &f};
      tn_arena arena;
      tn_node *root = NULL;
      tn_error e;
      tn_error_clear(&e);
      tn_arena_init(&arena, &a);
      for (int i = 0; i < used; i++) tn_arena_alloc(&arena, 16);
      f.fail = f.calls + fail;
      tn_status s = tn_expand(&arena, d->root, number_of, &v, &root, &e);
      CHECK(s == e.status && (s == TN_OK || s == TN_E_MEMORY));
      round_refused += s != TN_OK;
      if (s) CHECK_HAS(e.message, "no memory");
      tn_arena_free(&arena);
      CHECK(f.out == 0);
    }
    refused += round_refused;
  }
  CHECK(round_refused == 0 && refused > 500);
  tn_desc_free(d);
}
