/* the description: nodes, reading files, building by calls, printing. */
#include "read/read.h"

#include "support/failing.h"
#include "test.h"

/* what tn_desc_print wrote */
typedef struct page {
  size_t used, stop_after;
  char text[100000];
} page;

static bool page_write(void *user, const char *text, size_t size) {
  page *p = user;
  if (p->stop_after && p->used + size > p->stop_after) return false;
  if (p->used + size >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, size);
  p->used += size;
  p->text[p->used] = 0;
  return true;
}

static const char *printed(const tn_desc *d) {
  static page p;
  p.used = p.stop_after = 0;
  p.text[0] = 0;
  CHECK(tn_desc_print(d, page_write, &p, NULL) == TN_OK);
  return p.text;
}

static tn_desc *desc_of(const char *text) {
  tn_desc *d = NULL;
  tn_error e;
  tn_error_clear(&e);
  if (tn_desc_new(NULL, &d, &e)) abort();
  if (text && tn_desc_parse(d, "m.json", text, strlen(text), &e)) {
    CHECK_TEXT(e.message, "");
    abort();
  }
  return d;
}

static const char *line_of(const tn_error *e) {
  static char text[2048];
  tn_error_text(e, text, sizeof text);
  return text;
}

TEST(a_new_description_is_an_empty_object) {
  tn_desc *d = desc_of(NULL);
  CHECK_TEXT(printed(d), "{}\n");
  CHECK(!tn_desc_has(d, "/a") && !tn_desc_has(d, "") && !tn_desc_has(d, NULL) && !tn_desc_has(NULL, "/a"));
  tn_desc_free(d);
  tn_desc_free(NULL);
}

TEST(built_by_calls) {
  tn_desc *d = desc_of(NULL);
  tn_error e;
  CHECK(tn_desc_number(d, "/tenon", 1, &e) == TN_OK);
  CHECK(tn_desc_numbers(d, "/gravity", 2, (double[]){0, -9.81}, &e) == TN_OK);
  CHECK(tn_desc_number(d, "/bodies/crank/mass", 1.5, &e) == TN_OK);
  CHECK(tn_desc_text(d, "/bodies/crank/at", "A \"\xc3\xa4\"\n", &e) == TN_OK);
  CHECK(tn_desc_json(d, "/joints/A", "{\"type\": \"revolute\", \"between\": [\"ground\", \"crank\"], \"x\": null}",
                     &e) == TN_OK);
  CHECK(tn_desc_number(d, "/start/A.rate", 2, &e) == TN_OK);
  CHECK(tn_desc_text(d, "/run/stabilize/-", "adjust", &e) == TN_OK);
  CHECK(tn_desc_part(d, "/run/stabilize/-", "baumgarte:alpha=5,beta=5", &e) == TN_OK);
  CHECK(tn_desc_numbers(d, "/none", 0, NULL, &e) == TN_OK);
  CHECK_TEXT(printed(d), "{\n"
                         "  \"tenon\": 1,\n"
                         "  \"gravity\": [0, -9.81],\n"
                         "  \"bodies\": {\n"
                         "    \"crank\": {\n"
                         "      \"mass\": 1.5,\n"
                         "      \"at\": \"A \\\"\xc3\xa4\\\"\\n\"\n"
                         "    }\n"
                         "  },\n"
                         "  \"joints\": {\n"
                         "    \"A\": {\n"
                         "      \"type\": \"revolute\",\n"
                         "      \"between\": [\"ground\", \"crank\"],\n"
                         "      \"x\": null\n"
                         "    }\n"
                         "  },\n"
                         "  \"start\": {\n"
                         "    \"A.rate\": 2\n"
                         "  },\n"
                         "  \"run\": {\n"
                         "    \"stabilize\": [\n"
                         "      \"adjust\",\n"
                         "      {\n"
                         "        \"type\": \"baumgarte\",\n"
                         "        \"alpha\": 5,\n"
                         "        \"beta\": 5\n"
                         "      }\n"
                         "    ]\n"
                         "  },\n"
                         "  \"none\": []\n"
                         "}\n");
  CHECK(tn_desc_has(d, "/bodies/crank/mass") && tn_desc_has(d, "/run/stabilize/1/beta") &&
        tn_desc_has(d, "/start/A.rate"));
  CHECK(!tn_desc_has(d, "/run/stabilize/2") && !tn_desc_has(d, "/run/stabilize/-") && !tn_desc_has(d, "/tenon/x"));
  tn_desc_free(d);
}

TEST(replaced_values_keep_their_position) {
  tn_desc *d = desc_of("{\"a\": 1, \"b\": {\"x\": [1, 2, 3]}, \"c\": \"t\"}");
  CHECK(tn_desc_text(d, "/a", "one", NULL) == TN_OK);
  CHECK(tn_desc_number(d, "/b/x/1", 20, NULL) == TN_OK);
  CHECK(tn_desc_json(d, "/b/x/2", "[true, {}]", NULL) == TN_OK);
  CHECK(tn_desc_numbers(d, "/c", 2, (double[]){7, 8}, NULL) == TN_OK);
  CHECK_TEXT(printed(d), "{\n  \"a\": \"one\",\n  \"b\": {\n    \"x\": [\n      1,\n      20,\n      [\n        true,\n"
                         "        {}\n      ]\n    ]\n  },\n  \"c\": [7, 8]\n}\n");
  const tn_node *x = tn_node_get(tn_node_get(d->root, "b"), "x");
  CHECK(tn_node_item(x, 2)->first->parent == tn_node_item(x, 2) && tn_node_item(x, 2)->parent == x);
  CHECK(!x->first->next->place.file && x->first->next->place.line == 0); /* no longer from the file */
  CHECK(x->first->place.line == 1);
  tn_desc_free(d);
}

TEST(a_word_becomes_an_object_where_one_is_needed) {
  tn_desc *d = desc_of("{\"run\": {\"integrator\": \"rk4\", \"every\": 1}}");
  CHECK(tn_desc_number(d, "/run/integrator/step", 0.002, NULL) == TN_OK);
  CHECK_TEXT(printed(d),
             "{\n  \"run\": {\n    \"integrator\": {\n      \"type\": \"rk4\",\n      \"step\": 0.002\n    },\n"
             "    \"every\": 1\n  }\n}\n");
  const tn_node *type = tn_node_get(tn_node_get(tn_node_get(d->root, "run"), "integrator"), "type");
  CHECK(type->place.line == 1 && type->place.column == 24); /* the word is still where it was written */
  tn_desc_free(d);
  d = desc_of("{\"integrator\": \"rk4\"}");
  CHECK(tn_desc_text(d, "/integrator/type", "dopri5", NULL) == TN_OK);
  CHECK_TEXT(printed(d), "{\n  \"integrator\": {\n    \"type\": \"dopri5\"\n  }\n}\n");
  tn_desc_free(d);
}

TEST(pointers_with_escapes) {
  tn_desc *d = desc_of(NULL);
  CHECK(tn_desc_number(d, "/a~1b/c~0d/~01", 3, NULL) == TN_OK);
  CHECK(tn_desc_has(d, "/a~1b/c~0d/~01") && !tn_desc_has(d, "/a/b"));
  CHECK_TEXT(d->root->first->key, "a/b");
  CHECK_TEXT(d->root->first->first->first->key, "~1");
  char pointer[64];
  tn_node_pointer(d->root->first->first->first, pointer, sizeof pointer);
  CHECK_TEXT(pointer, "/a~1b/c~0d/~01");
  CHECK(tn_desc_number(d, "/a~1b/c~0d/~01", 4, NULL) == TN_OK && d->root->first->size == 1);
  tn_desc_free(d);
}

static const char *refusal(const char *pointer) {
  static const char model[] = "{\"n\": 1, \"l\": [1, [2]], \"o\": {\"w\": \"x\"}, \"b\": true, \"z\": null}";
  static char line[2048];
  tn_desc *d = desc_of(model);
  char before[1000];
  snprintf(before, sizeof before, "%s", printed(d));
  tn_error e;
  tn_error_clear(&e);
  CHECK(tn_desc_number(d, pointer, 5, &e) == TN_E_USAGE && e.status == TN_E_USAGE);
  tn_error_text(&e, line, sizeof line);
  CHECK_TEXT(printed(d), before);
  CHECK(!tn_desc_has(d, pointer));
  tn_desc_remove(d, pointer);
  CHECK_TEXT(printed(d), before);
  tn_desc_free(d);
  return line;
}

TEST(pointers_that_make_no_sense) {
  CHECK_TEXT(refusal(NULL), "tn_desc_number: `pointer` is NULL");
  CHECK_TEXT(refusal(""), "the pointer is empty: expected one like /bodies/crank/mass");
  CHECK_TEXT(refusal("n"), "pointer 'n' does not begin with '/'");
  CHECK_TEXT(refusal("/"), "pointer '/' has an empty name in it");
  CHECK_TEXT(refusal("//n"), "pointer '//n' has an empty name in it");
  CHECK_TEXT(refusal("/o/"), "pointer '/o/' has an empty name in it");
  CHECK_TEXT(refusal("/o/~2"), "pointer '/o/~2': '~' is followed by 0 (a '~') or 1 (a '/')");
  CHECK_TEXT(refusal("/o/a~"), "pointer '/o/a~': '~' is followed by 0 (a '~') or 1 (a '/')");
  CHECK_TEXT(refusal("/\xff"), "pointer '/\\xff' is not UTF-8");
  CHECK_TEXT(refusal("/l/-/x"), "pointer '/l/-/x': '-' only stands at the end");
  CHECK_TEXT(refusal("/n/x"), "/n is a number: it has no 'x' (at /n/x)");
  CHECK_TEXT(refusal("/b/x/y"), "/b is true or false: it has no 'x' (at /b/x/y)");
  CHECK_TEXT(refusal("/z/x"), "/z is null: it has no 'x' (at /z/x)");
  CHECK_TEXT(refusal("/l/x"), "/l is a list: expected the number of an item from 0 or '-', found 'x' (at /l/x)");
  CHECK_TEXT(refusal("/l/01"), "/l is a list: expected the number of an item from 0 or '-', found '01' (at /l/01)");
  CHECK_TEXT(refusal("/l/2"), "/l: there is no item 2, the list has 2 (at /l/2)");
  CHECK_TEXT(refusal("/l/1/7"), "/l/1: there is no item 7, the list has 1 (at /l/1/7)");
  CHECK_TEXT(refusal("/o/-"), "/o is an object: '-' appends to a list (at /o/-)");
  CHECK_TEXT(refusal("/-"), "the root is an object: '-' appends to a list (at /-)");
  CHECK_TEXT(refusal("/o/w/-"), "/o/w is a text: '-' appends to a list (at /o/w/-)");
  CHECK_TEXT(refusal("/l/99999999999999999999"),
             "/l is a list: expected the number of an item from 0 or '-', found '99999999999999999999' (at "
             "/l/99999999999999999999)");
}

TEST(values_that_make_no_sense) {
  tn_desc *d = desc_of("{\"a\": 1}");
  tn_error e;
  CHECK(tn_desc_number(d, "/a", NAN, &e) == TN_E_USAGE);
  CHECK_TEXT(line_of(&e), "/a: a number must be finite, this is not a number (at /a)");
  CHECK(tn_desc_numbers(d, "/a", 2, (double[]){0, -INFINITY}, &e) == TN_E_USAGE);
  CHECK_TEXT(line_of(&e), "/a: a number must be finite, this is infinite (at /a)");
  CHECK(tn_desc_numbers(d, "/a", -1, NULL, &e) == TN_E_USAGE && tn_desc_numbers(d, "/a", 1, NULL, &e) == TN_E_USAGE);
  CHECK(tn_desc_text(d, "/a", NULL, &e) == TN_E_USAGE && tn_desc_json(d, "/a", NULL, &e) == TN_E_USAGE);
  CHECK(tn_desc_part(d, "/a", NULL, &e) == TN_E_USAGE);
  CHECK(tn_desc_text(d, "/a", "\xc3", &e) == TN_E_USAGE);
  CHECK_TEXT(line_of(&e), "/a: the text is not UTF-8 (at /a)");
  CHECK(tn_desc_json(d, "/a", "[1,]", &e) == TN_E_MODEL);
  CHECK_TEXT(line_of(&e), "trailing ',' before ']' (at /a)");
  CHECK(e.line == 1 && e.column == 3);
  CHECK(tn_desc_json(d, "/a", "", &e) == TN_E_MODEL && tn_desc_json(d, "/a", "1 1", &e) == TN_E_MODEL);
  CHECK(tn_desc_number(NULL, "/a", 1, &e) == TN_E_USAGE && tn_desc_parse(NULL, "x", "{}", 2, &e) == TN_E_USAGE);
  CHECK(tn_desc_parse(d, NULL, NULL, 2, &e) == TN_E_USAGE && tn_desc_read(d, NULL, &e) == TN_E_USAGE);
  CHECK(tn_desc_print(d, NULL, NULL, &e) == TN_E_USAGE && tn_desc_new(NULL, NULL, &e) == TN_E_USAGE);
  CHECK_TEXT(printed(d), "{\n  \"a\": 1\n}\n");
  tn_desc_free(d);
}

/* what calls build can be printed and read again, so it is no deeper than the reader allows */
TEST(depth_by_calls_is_that_of_the_reader) {
  tn_desc *d = desc_of(NULL), *again = desc_of(NULL);
  char pointer[300] = "";
  for (int i = 0; i < 63; i++) strcat(pointer, "/a");
  tn_error e;
  CHECK(tn_desc_json(d, pointer, "[1]", &e) == TN_OK);
  CHECK(tn_desc_parse(again, NULL, printed(d), strlen(printed(d)), &e) == TN_OK);
  CHECK(tn_desc_json(d, pointer, "[[1]]", &e) == TN_E_MODEL);
  CHECK(tn_desc_number(d, "/b", 1, &e) == TN_OK);
  strcat(pointer, "/0");
  CHECK(tn_desc_number(d, pointer, 2, &e) == TN_OK);
  CHECK(tn_desc_numbers(d, pointer, 1, (double[]){2}, &e) == TN_E_USAGE);
  CHECK(tn_desc_part(d, pointer, "x:a=1", &e) == TN_E_USAGE);
  strcat(pointer, "/a");
  CHECK(tn_desc_number(d, pointer, 2, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "has more than 64 names");
  tn_desc_free(d);
  tn_desc_free(again);
}

TEST(removing) {
  tn_desc *d = desc_of("{\"a\": 1, \"b\": [1, 2, 3], \"c\": {\"d\": 1}}");
  tn_desc_remove(d, "/b/1");
  tn_desc_remove(d, "/c/d");
  tn_desc_remove(d, "/nothing/here");
  tn_desc_remove(d, "/b/7");
  tn_desc_remove(NULL, "/a");
  CHECK_TEXT(printed(d), "{\n  \"a\": 1,\n  \"b\": [1, 3],\n  \"c\": {}\n}\n");
  tn_desc_remove(d, "/c");
  tn_desc_remove(d, "/b/1");
  CHECK(tn_desc_number(d, "/b/-", 4, NULL) == TN_OK && tn_desc_number(d, "/e", 5, NULL) == TN_OK);
  CHECK_TEXT(printed(d), "{\n  \"a\": 1,\n  \"b\": [1, 4],\n  \"e\": 5\n}\n");
  CHECK(d->root->size == 3);
  tn_desc_remove(d, "/a");
  tn_desc_remove(d, "/e");
  tn_desc_remove(d, "/b");
  CHECK_TEXT(printed(d), "{}\n");
  CHECK(!d->root->first && !d->root->last && !d->root->size);
  tn_desc_free(d);
}

TEST(parts) {
  static const char *const cases[][2] = {
      {"rk4", "\"rk4\""},
      {" dc-motor ", "\"dc-motor\""},
      {"baumgarte:alpha=5,beta=-5e-1", "{\"type\":\"baumgarte\",\"alpha\":5,\"beta\":-0.5}"},
      {"a:b=true,c=false,d=null", "{\"type\":\"a\",\"b\":true,\"c\":false,\"d\":\"null\"}"},
      {"a: b = 2*sqrt(2) , c=word", "{\"type\":\"a\",\"b\":\"2*sqrt(2)\",\"c\":\"word\"}"},
      {"a:b=max(1,2),c=v[i,(1,2)],d={1,2}", "{\"type\":\"a\",\"b\":\"max(1,2)\",\"c\":\"v[i,(1,2)]\",\"d\":\"{1,2}\"}"},
      {"a:b=if(x==1,2,3)", "{\"type\":\"a\",\"b\":\"if(x==1,2,3)\"}"},
      {"a:b=01,c=+1,d=1e999", "{\"type\":\"a\",\"b\":\"01\",\"c\":\"+1\",\"d\":\"1e999\"}"},
      {"a:b=[1, -2e0,x+y],c=[[1,true],[]],d=[f(1,2),{1,2}]",
       "{\"type\":\"a\",\"b\":[1,-2,\"x+y\"],\"c\":[[1,true],[]],\"d\":[\"f(1,2)\",\"{1,2}\"]}"},
      {"a:b=[1][2],c=[ ]", "{\"type\":\"a\",\"b\":\"[1][2]\",\"c\":[]}"},
      {"a:b=x:y", "{\"type\":\"a\",\"b\":\"x:y\"}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tn_desc *d = desc_of(NULL), *same = desc_of(NULL);
    char text[1000];
    CHECK(tn_desc_part(d, "/p", cases[i][0], NULL) == TN_OK);
    CHECK(tn_desc_json(same, "/p", cases[i][1], NULL) == TN_OK);
    snprintf(text, sizeof text, "%s", printed(d));
    CHECK_TEXT(text, printed(same));
    tn_desc_free(d);
    tn_desc_free(same);
  }
}

/* lists of a part do not go deeper than those of a text may */
TEST(parts_that_are_deep) {
  for (int deep = TN_DEPTH - 3; deep < TN_DEPTH + 2; deep++) {
    tn_desc *d = desc_of(NULL);
    char part[4 * TN_DEPTH] = "a:b=", json[4 * TN_DEPTH] = "{\"b\":";
    for (int i = 0; i < deep; i++) strcat(part, "["), strcat(json, "[");
    for (int i = 0; i < deep; i++) strcat(part, "]"), strcat(json, "]");
    strcat(json, "}");
    const tn_status as_part = tn_desc_part(d, "/p", part, NULL), as_json = tn_desc_json(d, "/p", json, NULL);
    CHECK((as_part == TN_OK) == (as_json == TN_OK));
    CHECK((as_part == TN_OK) == (deep <= TN_DEPTH - 2));
    tn_desc_free(d);
  }
}

TEST(parts_that_make_no_sense) {
  static const char *const cases[][2] = {
      {"", "part '': expected type or type:key=value,key=value"},
      {":a=1", "part ':a=1': expected type or type:key=value,key=value"},
      {"a=1", "part 'a=1': expected type or type:key=value,key=value"},
      {"two words", "part 'two words': expected type or type:key=value,key=value"},
      {"a:", "part 'a:': expected key=value after ':' and after every ','"},
      {"a:b=1,", "part 'a:b=1,': expected key=value after ':' and after every ','"},
      {"a:b=1,,c=2", "part 'a:b=1,,c=2': expected key=value after ':' and after every ','"},
      {"a:b", "part 'a:b': expected key=value, found 'b'"},
      {"a:b=1,2", "part 'a:b=1,2': expected key=value, found '2'"},
      {"a:=1", "part 'a:=1': '' is not a key"},
      {"a:1b=1", "part 'a:1b=1': '1b' is not a key"},
      {"a:b=", "part 'a:b=': no value after 'b='"},
      {"a:b=,c=1", "part 'a:b=,c=1': no value after 'b='"},
      {"a:b=1,b=2", "part 'a:b=1,b=2': 'b' is given twice"},
      {"a:type=c", "part 'a:type=c': 'type' is given twice"},
      {"a:b=max(1,2", "part 'a:b=max(1,2': brackets do not match"},
      {"a:b=1),c=2", "part 'a:b=1),c=2': brackets do not match"},
      {"a:b=(1],c=2", "part 'a:b=(1],c=2': brackets do not match"},
      {"a:b=[1,,2]", "part 'a:b=[1,,2]': a list has an empty place"},
      {"a:b=[,]", "part 'a:b=[,]': a list has an empty place"},
      {"a:b=[1,(2])", "part 'a:b=[1,(2])': brackets do not match"},
      {"a:b=\xff", "/p: the part is not UTF-8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tn_desc *d = desc_of(NULL);
    tn_error e;
    CHECK(tn_desc_part(d, "/p", cases[i][0], &e) == TN_E_USAGE);
    CHECK_TEXT(e.message, cases[i][1]);
    CHECK_TEXT(printed(d), "{}\n");
    tn_desc_free(d);
  }
}

TEST(a_failed_parse_keeps_what_was_there) {
  tn_desc *d = desc_of("{\"a\": 1}");
  tn_error e;
  CHECK(tn_desc_parse(d, "b.json", "{\"b\": }", 7, &e) == TN_E_MODEL);
  CHECK_TEXT(line_of(&e), "expected a value after key \"b\", found '}' (b.json:1:7)");
  CHECK_TEXT(printed(d), "{\n  \"a\": 1\n}\n");
  CHECK(tn_desc_parse(d, NULL, "{\"b\": }", 7, &e) == TN_E_MODEL);
  CHECK_TEXT(line_of(&e), "expected a value after key \"b\", found '}' (line 1, column 7)");
  CHECK(tn_desc_parse(d, "b.json", NULL, 0, &e) == TN_E_MODEL);
  CHECK(tn_desc_parse(d, "b.json", "{\"b\": 2}", 8, &e) == TN_OK);
  CHECK_TEXT(printed(d), "{\n  \"b\": 2\n}\n");
  tn_desc_free(d);
}

static const char *temporary(const char *text, size_t n) {
  static char path[64];
  snprintf(path, sizeof path, "test_desc_%p.json", (void *)path);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(text, 1, n, f) != n || fclose(f)) abort();
  return path;
}

TEST(reading_files) {
  tn_desc *d = desc_of("{\"a\": 1}");
  tn_error e;
  const char *path = temporary("{\"b\":\n x}", 9);
  CHECK(tn_desc_read(d, path, &e) == TN_E_MODEL);
  CHECK_TEXT(e.file, path);
  CHECK(e.line == 2 && e.column == 2);
  CHECK_TEXT(printed(d), "{\n  \"a\": 1\n}\n");
  path = temporary("{\"b\": 2}", 8);
  CHECK(tn_desc_read(d, path, &e) == TN_OK);
  CHECK_TEXT(printed(d), "{\n  \"b\": 2\n}\n");
  CHECK_TEXT(d->root->first->place.file, path);
  temporary("", 0);
  CHECK(tn_desc_read(d, path, &e) == TN_E_MODEL);
  CHECK_HAS(e.message, "the text is empty");
  /* larger than the first piece of the buffer */
  size_t n = 300000;
  char *big = malloc(n);
  if (!big) abort();
  memset(big, ' ', n);
  big[0] = '{';
  memcpy(big + n - 9, "\"end\": 7}", 9);
  temporary(big, n);
  CHECK(tn_desc_read(d, path, &e) == TN_OK && d->root->first->number == 7 && d->root->first->place.byte == 299998);
  free(big);
  remove(path);
  tn_desc_free(d);
}

TEST(reading_what_cannot_be_read) {
  tn_desc *d = desc_of("{\"a\": 1}");
  tn_error e;
  CHECK(tn_desc_read(d, "no/such\nfile%s%n.json", &e) == TN_E_IO);
  CHECK_TEXT(line_of(&e), "cannot open 'no/such\\nfile%s%n.json': No such file or directory");
  CHECK(tn_desc_read(d, "", &e) == TN_E_IO);
  CHECK(tn_desc_read(d, ".", &e) == TN_E_IO);
  if (TN_PROGRAM)
    CHECK_TEXT(line_of(&e), "cannot read '.': Is a directory");
  else
    CHECK_HAS(line_of(&e),
              "cannot read '.': "); /* the reason is in the words of the platform: WASI speaks of capabilities */
  char path[6000];
  memset(path, 'x', sizeof path);
  path[sizeof path - 1] = 0;
  CHECK(tn_desc_read(d, path, &e) == TN_E_IO && strlen(e.message) == 511);
  FILE *zero = fopen("/dev/zero", "rb"); /* a file without end */
  if (zero) {
    fclose(zero);
    CHECK(tn_desc_read(d, "/dev/zero", &e) == TN_E_MODEL && e.line == 1 && e.column == 1);
    CHECK_TEXT(e.message, "the model has more than 67108864 bytes");
  }
  CHECK_TEXT(printed(d), "{\n  \"a\": 1\n}\n");
  tn_desc_free(d);
}

TEST(node_helpers) {
  tn_desc *d = desc_of("{\"a\": [1, {\"b~/\": [true]}], \"t\": \"x\"}");
  const tn_node *a = tn_node_get(d->root, "a");
  const tn_node *deep = tn_node_item(tn_node_get(tn_node_item(a, 1), "b~/"), 0);
  char text[100];
  tn_node_pointer(deep, text, sizeof text);
  CHECK_TEXT(text, "/a/1/b~0~1/0");
  tn_node_pointer(deep, text, 5);
  CHECK_TEXT(text, "/a/1");
  tn_node_pointer(deep, text, 0);
  tn_node_pointer(d->root, text, sizeof text);
  CHECK_TEXT(text, "");
  tn_node_pointer(NULL, text, sizeof text);
  CHECK_TEXT(text, "");
  CHECK(!tn_node_get(d->root, "b") && !tn_node_get(a, "a") && !tn_node_get(NULL, "a"));
  CHECK(!tn_node_item(a, 2) && !tn_node_item(a, -1) && !tn_node_item(d->root, 0) && !tn_node_item(NULL, 0));
  tn_error e;
  CHECK(tn_node_fail(deep, &e, TN_E_MODEL, "%d of %s", 1, "two") == TN_E_MODEL);
  CHECK_TEXT(line_of(&e), "1 of two (m.json:1:20)");
  CHECK_TEXT(e.pointer, "/a/1/b~0~1/0");
  CHECK(tn_node_fail(deep, NULL, TN_E_MODEL, "x") == TN_E_MODEL && tn_node_fail(NULL, &e, TN_E_RUN, "y") == TN_E_RUN);
  CHECK_TEXT(line_of(&e), "y");
  CHECK(tn_desc_number(d, "/t", 1, &e) == TN_OK);
  tn_node_fail(tn_node_get(d->root, "t"), &e, TN_E_MODEL, "z");
  CHECK_TEXT(line_of(&e), "z (at /t)");
  tn_desc_free(d);
}

/* print, read, print: the same text, and the same doubles */
TEST(printing_round_trips) {
  tn_desc *d = desc_of(NULL), *again = desc_of(NULL);
  uint64_t bits = 2463534242u;
  for (int i = 0; i < 300; i++) {
    char pointer[40];
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    double v;
    memcpy(&v, &bits, sizeof v);
    snprintf(pointer, sizeof pointer, "/o%d/n%d", i % 7, i);
    if (isfinite(v)) CHECK(tn_desc_number(d, pointer, v, NULL) == TN_OK);
    snprintf(pointer, sizeof pointer, "/l%d/-", i % 3);
    CHECK(tn_desc_number(d, pointer, i / 8.0, NULL) == TN_OK);
  }
  CHECK(tn_desc_text(d, "/t~1\x01\"", "\\ \" \b\f\n\r\t\x1f\x7f / \xf0\x9d\x84\x9e", NULL) == TN_OK);
  CHECK(tn_desc_json(d, "/j", "[[], {}, [[]], [1, [2, [\"x\"]]], null, -0, {\"a\": [{}]}]", NULL) == TN_OK);
  static char first[100000];
  snprintf(first, sizeof first, "%s", printed(d));
  tn_error e;
  tn_error_clear(&e);
  CHECK(tn_desc_parse(again, NULL, first, strlen(first), &e) == TN_OK);
  CHECK_TEXT(e.message, "");
  CHECK_TEXT(printed(again), first);
  CHECK_TEXT(tn_node_get(again->root, "t/\x01\"")->text, "\\ \" \b\f\n\r\t\x1f\x7f / \xf0\x9d\x84\x9e");
  const tn_node *a = d->root->first, *b = again->root->first;
  for (; a && b; a = a->next, b = b->next)
    for (const tn_node *x = a->first, *y = b->first; x && y; x = x->next, y = y->next)
      CHECK(x->kind == y->kind && memcmp(&x->number, &y->number, sizeof x->number) == 0);
  CHECK(!a && !b);
  tn_desc_free(d);
  tn_desc_free(again);
}

TEST(lists_stand_on_one_line_when_short) {
  tn_desc *d = desc_of("{\"a\": [[1, 2], [\"x\", true]], \"b\": [{\"c\": [1]}]}");
  double v[40];
  for (int i = 0; i < 40; i++) v[i] = i;
  CHECK(tn_desc_numbers(d, "/long", 40, v, NULL) == TN_OK);
  CHECK_HAS(printed(d), "\"a\": [[1, 2], [\"x\", true]],\n  \"b\": [\n    {\n      \"c\": [1]\n    }\n  ],\n");
  CHECK_HAS(printed(d), "\"long\": [\n    0,\n    1,\n");
  tn_desc_free(d);
}

TEST(printing_can_be_stopped) {
  tn_desc *d = desc_of(NULL);
  for (int i = 0; i < 3000; i++) CHECK(tn_desc_number(d, "/l/-", i + 0.5, NULL) == TN_OK);
  static page p;
  p.used = 0;
  p.stop_after = 5000;
  tn_error e;
  CHECK(tn_desc_print(d, page_write, &p, &e) == TN_E_IO);
  CHECK_TEXT(e.message, "writing the description was stopped");
  CHECK(p.used > 0 && p.used <= 5000);
  tn_desc_free(d);
}

TEST(setting_numbers_again_takes_no_memory) {
  failing f = {0};
  tn_allocator a = {fail_allocate, fail_release, &f};
  tn_desc *d = NULL;
  CHECK(tn_desc_new(&a, &d, NULL) == TN_OK);
  CHECK(tn_desc_number(d, "/x/y", 0, NULL) == TN_OK && tn_desc_numbers(d, "/z", 2, (double[]){1, 2}, NULL) == TN_OK);
  long calls = f.calls;
  for (int i = 0; i < 100000; i++)
    CHECK(tn_desc_number(d, "/x/y", i, NULL) == TN_OK && tn_desc_numbers(d, "/z", 2, (double[]){i, 2}, NULL) == TN_OK);
  CHECK(f.calls == calls);
  CHECK(d->root->first->first->number == 99999 && d->root->last->first->number == 99999);
  tn_desc_free(d);
  CHECK(f.out == 0);
}

TEST(every_allocation_of_reading_may_fail) {
  /* enough members for the reader to sort their keys and for several chunks */
  char text[4000];
  int n = sprintf(text, "{");
  for (int i = 0; i < 100; i++) n += sprintf(text + n, "%s\"member%d\": [%d, \"t\"]", i ? "," : "", i, i);
  n += sprintf(text + n, "}");
  const char *path = temporary(text, (size_t)n);
  tn_status s = TN_E_MEMORY;
  long fail = 0;
  while (s && ++fail < 100) {
    failing f = {.fail = fail};
    tn_allocator a = {fail_allocate, fail_release, &f};
    tn_desc *d = NULL;
    tn_error e;
    tn_error_clear(&e);
    s = tn_desc_new(&a, &d, &e);
    CHECK(!s == (d != NULL));
    if (!s) s = tn_desc_read(d, path, &e);
    CHECK(s == e.status && (s == TN_OK || s == TN_E_MEMORY));
    if (s) CHECK_HAS(e.message, "no memory");
    if (s && d) CHECK_TEXT(printed(d), "{}\n");
    tn_desc_free(d);
    CHECK(f.out == 0);
  }
  CHECK(s == TN_OK && fail > 6);
  remove(path);
}

static tn_status one_call(int call, tn_desc *d, tn_error *e) {
  if (call == 0) return tn_desc_number(d, "/b/c/d/e", 1, e);
  if (call == 1) return tn_desc_numbers(d, "/a", 3, (double[]){1, 2, 3}, e);
  if (call == 2) return tn_desc_text(d, "/b/c/d", "x", e);
  if (call == 3) return tn_desc_json(d, "/a/-", "[\"x\", {\"y\": 2}]", e);
  if (call == 4) return tn_desc_part(d, "/b/c", "t:k=1,l=word", e);
  return tn_desc_part(d, "/b/l/-", "t", e);
}

/* with room for 0, 1, 2, .. pieces of 16 bytes left: either it is done, or nothing has happened */
TEST(a_call_without_memory_changes_nothing) {
  static const char model[] = "{\"a\": [1]}", shown[] = "{\n  \"a\": [1]\n}\n";
  for (int call = 0; call < 6; call++) {
    tn_status s = TN_E_MEMORY;
    int left = -1;
    while (s && ++left < 300) {
      failing f = {0};
      tn_allocator a = {fail_allocate, fail_release, &f};
      int pieces = 0;
      for (int pass = 0; pass < 2; pass++) { /* the first counts the pieces until the chunk is full */
        tn_desc *d = NULL;
        tn_error e;
        f.fail = 0;
        CHECK(tn_desc_new(&a, &d, NULL) == TN_OK && tn_desc_parse(d, "m", model, strlen(model), NULL) == TN_OK);
        f.fail = f.calls + 1;
        if (pass == 0) {
          while (tn_arena_alloc(&d->arena, 16)) pieces++;
        } else {
          for (int i = left; i < pieces; i++) CHECK(tn_arena_alloc(&d->arena, 16) != NULL);
          tn_error_clear(&e);
          s = one_call(call, d, &e);
          CHECK(s == e.status && (s == TN_OK || s == TN_E_MEMORY));
          if (s) CHECK_TEXT(printed(d), shown);
          if (!s) CHECK(strcmp(printed(d), shown) != 0);
        }
        tn_desc_free(d);
        CHECK(f.out == 0);
      }
    }
    CHECK(s == TN_OK && left > 0);
  }
}
