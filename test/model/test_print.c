/* tn_model_print: what it prints has no repeats and compiles to the same model, to the last bit of its motion. */
#include "support/build.h"
#include "test.h"

typedef struct page {
  size_t used, room;
  char *text;
  long calls, fail;
} page;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (++p->calls == p->fail) return false;
  if (p->used + size >= p->room) {
    p->room = 2 * (p->used + size) + 1000;
    if (!(p->text = realloc(p->text, p->room))) abort();
  }
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

/* printed, read, compiled, run: the same; and printed again the same text. what was printed stays on the page */
static void check_printed(build *a, page *p, const char *what) {
  build b;
  build_table one = {0}, two = {0};
  tn_error e;
  *p = (page){0};
  if (!build_simulate(a) || !build_run(a, &one) || tn_model_print(a->model, to_page, p, &e) != TN_OK) {
    FAIL("%s: %s", what, a->message);
    build_table_free(&one);
    return;
  }
  CHECK(!strstr(p->text, "\"repeat\""));
  build_new(&b, 1);
  build_parse(&b, p->text);
  if (build_simulate(&b) && build_run(&b, &two)) {
    page again = {0};
    bool same = one.rows == two.rows && one.columns == two.columns;
    for (int i = 0; same && i < one.columns; i++) {
      CHECK_TEXT(tn_sim_column(b.sim, i), tn_sim_column(a->sim, i));
      CHECK_TEXT(tn_sim_column_unit(b.sim, i), tn_sim_column_unit(a->sim, i));
    }
    same = same && memcmp(one.value, two.value, sizeof *one.value * (size_t)one.rows * (size_t)(one.columns + 1)) == 0;
    if (!same) FAIL("%s: printed, it moves otherwise", what);
    CHECK(tn_model_print(b.model, to_page, &again, &e) == TN_OK);
    CHECK_TEXT(again.text, p->text);
    free(again.text);
  } else {
    FAIL("%s: printed, it is refused: %s", what, b.message);
  }
  build_table_free(&one);
  build_table_free(&two);
  build_free(&b);
}

/* text with ' for " */
static void parse(build *b, const char *text) {
  char model[6000];
  snprintf(model, sizeof model, "%s", text);
  for (char *c = model; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, model);
}

static void check_text(const char *what, const char *text, const char *const *parts) {
  build a;
  page p;
  parse(&a, text);
  check_printed(&a, &p, what);
  for (; parts && *parts && p.text; parts++) CHECK_HAS(p.text, *parts);
  free(p.text);
  build_free(&a);
}

TEST(every_model_prints_as_itself) {
  static char name[64][64];
  const int n = build_models(name, 64);
  CHECK(n > 5);
  for (int i = 0; i < n; i++) {
    build a;
    page p;
    build_new(&a, 1);
    build_read(&a, name[i]);
    build_set(&a, "/run/until", "0.02");
    build_set(&a, "/run/every", "0.005");
    check_printed(&a, &p, name[i]);
    free(p.text);
    build_free(&a);
  }
}

TEST(every_example_prints_as_itself) {
  for (int kind = TN_JOINTS; kind <= TN_COORDINATES; kind++) {
    const void *type;
    for (int i = 0; (type = tn_registry_type(NULL, (tn_registry)kind, i)); i++) {
      char text[4000];
      const tn_joint_type *j = type;
      const tn_force_type *f = type;
      const tn_body_type *c = type;
      const char *first = kind == TN_JOINTS ? j->example : kind == TN_FORCES ? f->example : c->example;
      const char *space = kind == TN_JOINTS   ? j->example_space
                          : kind == TN_FORCES ? f->example_space
                                              : c->example_space;
      const bool plane = kind == TN_JOINTS ? j->plane.there : kind == TN_FORCES ? f->plane != NULL : c->plane.n > 0;
      snprintf(text, sizeof text, "{'tenon': 1, 'dimension': %d, %s}", plane ? 2 : 3, first);
      check_text(tn_type_name(type), text, NULL);
      if (!space) continue;
      snprintf(text, sizeof text, "{'tenon': 1, 'dimension': 3, %s}", space);
      check_text(tn_type_name(type), text, NULL);
    }
  }
}

/* counters stand as numbers in expressions, in parentheses where they are negative; repeats in repeats see both */
TEST(counters_become_numbers) {
  static const char *const parts[] = {"\"P1\"",         "\"P3\"",         "\"(-1)*0.5 + 3\"",  "\"(-1)^2 - (-1)\"",
                                      "\"1*0.5 + 3\"",  "\"b1\"",         "\"2 - (-1)*0.1\"",  "\"1 + (-2)*(-1)\"",
                                      "\"0.3*(-1)/1\"", "\"1 + (-2)*0\"", "\"sin((-1)) - 2\"", NULL};
  check_text(
      "counters",
      "{'tenon': 1, 'dimension': 2, 'constants': {'N': 2}, 'gravity': [0, -1],"
      "'points': {'P{i+2}': {'repeat': 'i=-1..1', 'at': ['i*0.5 + 3', 'i^2 - i']}},"
      "'bodies': {'b{i+2}': {'repeat': 'i=-1..1', 'mass': '2 - i*0.1', 'inertia': '1 + i*0.01', 'position': 'P{i+2}',"
      "  'angle': 'sin(i) - 2', 'lumps': [{'repeat': 'k=-2..i', 'mass': '1 + k*i + k^2', 'at': ['0.3*i/1', '1 + k*i']},"
      "  {'mass': 1, 'at': ['1 + (-2)*i', 'i']}]}},"
      "'joints': {'j{i}': {'repeat': 'i=1..3', 'type': 'revolute', 'between': ['ground', 'b{i}'], 'at': 'P{i}'}},"
      "'forces': {'f{m}': {'repeat': 'm=1..3', 'type': 'torque', 'on': 'j{m}.angle', 'value': 'm - 0.1*rate*m'}},"
      "'start': {'j{i}.rate': {'repeat': 'i=1..2', 'value': 'i/3'}, 'guess': {'b{i}.rate': {'repeat': 'i=3..3', "
      "'value': '-i'}}},"
      "'outputs': {'o{i}': {'repeat': 'i=1..3', 'value': 'j{i}.angle + i'}, 'e': 'energy.total'},"
      "'run': {'until': 0.3, 'every': 0.1}}",
      parts);
}

/* a word is a word, whatever counters there are */
TEST(words_are_not_counters) {
  static const char *const parts[] = {
      "\"axis\": \"x\"",        "\"form\": \"squared\"", "\"type\": \"prismatic\"", "\"axes\": \"body\"",
      "\"x-note\": \"x is x\"", "\"at\": \"x\"",         "\"position\": \"i\"",     NULL};
  check_text(
      "counters",
      "{'tenon': 1, 'dimension': 2, 'gravity': [1, -1], 'points': {'x': [3, 0], 'i': [4, 1]},"
      "'bodies': {'b{x}': {'repeat': 'x=1..3', 'mass': 'x', 'inertia': 1, 'position': ['x', 0], 'x-note': 'x is x'},"
      "  'c{i}': {'repeat': 'i=1..2', 'mass': 'i', 'inertia': 'i', 'position': 'i'},"
      "  'p{squared}': {'repeat': 'squared=1..2', 'mass': 'squared', 'position': ['squared', 2], 'coordinates': "
      "'point'}},"
      "'joints': {'s{x}': {'repeat': 'x=1..3', 'type': 'prismatic', 'between': ['ground', 'b{x}'], 'at': 'x', 'axis': "
      "'x'},"
      "  'd{squared}': {'repeat': 'squared=1..2', 'type': 'distance', 'between': ['ground', 'p{squared}'],"
      "    'at': [[0, 0], 'p{squared}'], 'form': 'squared', 'length': 'sqrt(squared^2 + 4)'}},"
      "'forces': {'f{body}': {'repeat': 'body=1..2', 'type': 'force', 'on': 'b{body}', 'on_body': [0, 'body'], "
      "'value': ['body', 0], 'axes': 'body'}},"
      "'run': {'until': 0.3, 'every': 0.1}}",
      parts);
}

/* a counter is a name of its own, not a letter of another: in functions, numbers, channels, components, tables */
TEST(counters_inside_other_names_stay) {
  static const char *const parts[] = {"\"ab + a_ + 1\"", "\"1e3*1e-3 + 2*1\"", "\"position(b1).x + 1\"",
                                      "\"w[1] + 1*v[2]\"", NULL};
  check_text("counters",
             "{'tenon': 1, 'dimension': 2, 'constants': {'ab': 2, 'a_': 3}, 'tables': {'w': [1, 2], 'v': [3, 4]}, "
             "'gravity': [0, -1],"
             "'bodies': {'b{a}': {'repeat': 'a=1..1', 'mass': 'ab + a_ + a', 'inertia': 1},"
             "  'c{e}': {'repeat': 'e=1..1', 'mass': '1e3*1e-3 + 2*e', 'inertia': 'exp(e)'},"
             "  'd{w}': {'repeat': 'w=1..1', 'mass': 'w', 'inertia': 1}},"
             "'outputs': {'o{x}': {'repeat': 'x=1..1', 'value': 'position(b1).x + x'}, 'q{i}': {'repeat': 'i=1..1', "
             "'value': 'w[i] + i*v[i+1]'},"
             "  'r{i}': {'repeat': 'i=1..1', 'value': 'w[1] + i*v[2]'}, 's{rate}': {'repeat': 'rate=1..1', 'value': "
             "'b1.rate*rate'}},"
             "'run': {'until': 0.2, 'every': 0.1}}",
             parts);
}

/* where an expression takes a name, the name stands: axes, points, bodies, joints, tables */
TEST(arguments_that_are_names_stay) {
  static const char *const outputs[] = {"'o{x}': {'repeat': 'x=1..2', 'value': 'axis(b, x)*x'}",
                                        "'o{b}': {'repeat': 'b=1..2', 'value': 'position(b)*b'}",
                                        "'o{b}': {'repeat': 'b=1..2', 'value': 'omega( b ) + b'}",
                                        "'o{P}': {'repeat': 'P=1..2', 'value': 'velocity(b, P)*P'}",
                                        "'o{j}': {'repeat': 'j=1..2', 'value': 'j*force(j)'}",
                                        "'o{j+2}': {'repeat': 'j=-1..-1', 'value': 'torque(j) - j'}",
                                        "'o{w}': {'repeat': 'w=1..2', 'value': 'table(w, v, t) + w'}",
                                        "'o{w}': {'repeat': 'w=1..2', 'value': 'w[2] + w'}",
                                        "'o{b}': {'repeat': 'b=1..2', 'value': 'in(b, position(b)).x + b'}",
                                        "'o{P}': {'repeat': 'P=1..2', 'value': 'dist(P, Q)*P'}",
                                        "'o{b}': {'repeat': 'b=1..2', 'value': 'b.x + b'}",
                                        "'o{min}': {'repeat': 'min=1..2', 'value': 'min(min, t)'}"};
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
    char text[1500];
    snprintf(text, sizeof text,
             "{'tenon': 1, 'dimension': 2, 'gravity': [0, -1], 'points': {'P': [1, 0], 'Q': [0, 3]}, 'tables': {'w': "
             "[0, 1], 'v': [3, 4]},"
             "'bodies': {'b': {'rod': [[0, 0], [1, 0]], 'mass': 1}},"
             "'joints': {'j': {'type': 'revolute', 'between': ['ground', 'b'], 'at': [0, 0]}},"
             "'outputs': {%s}, 'run': {'until': 0.2, 'every': 0.1}}",
             outputs[i]);
    check_text(outputs[i], text, NULL);
  }
}

/* escapes, numbers and values that nothing reads go through as they are */
TEST(texts_and_numbers_go_through) {
  static const char *const parts[] = {"\"title\": \"a \\\"b\\\" \\\\ \xc3\xa4\"", "0.1", "1e-300",
                                      "\"k\": 1.2345678901234568e+17", NULL};
  build a;
  page p;
  build_new(&a, 1);
  build_parse(&a, "{\"tenon\": 1, \"dimension\": 2, \"title\": \"a \\\"b\\\" \\\\ \\u00e4\", \"gravity\": "
                  "[0, 0.1], // a remark\n"
                  "\"x-mine\": {\"deep\": [[1e-300, true, null], {\"k\": 123456789012345680}]}, \"$schema\": \"s\","
                  "\"bodies\": {\"b\": {\"mass\": 0.30000000000000004, \"inertia\": 1}}, \"run\": {\"until\": 0.1}}");
  check_printed(&a, &p, "texts");
  for (const char *const *part = parts; *part && p.text; part++) CHECK_HAS(p.text, *part);
  if (p.text) CHECK_HAS(p.text, "0.30000000000000004");
  free(p.text);
  build_free(&a);
}

TEST(what_is_set_by_calls_is_printed) {
  build a;
  page p;
  build_new(&a, 1);
  build_read(&a, "n_four_bar");
  build_set(&a, "/constants/N", "3");
  build_set(&a, "/run/until", "0.05");
  CHECK(tn_desc_part(a.desc, "/run/stabilize", "baumgarte:alpha=5,beta=5", NULL) == TN_OK);
  build_set(&a, "/run/contract", "{\"breach\": \"record\"}");
  check_printed(&a, &p, "n_four_bar");
  if (p.text) CHECK(strstr(p.text, "\"link3\"") && !strstr(p.text, "\"link4\"") && strstr(p.text, "\"baumgarte\""));
  free(p.text);
  build_free(&a);
}

TEST(a_write_that_fails_is_an_error_wherever_it_fails) {
  build a;
  page whole = {0};
  tn_error e;
  build_new(&a, 1);
  build_read(&a, "n_four_bar");
  CHECK(build_compile(&a) && tn_model_print(a.model, to_page, &whole, &e) == TN_OK);
  CHECK(whole.calls >= 2 && whole.text[whole.used - 1] == '\n');
  for (long n = 1; n <= whole.calls; n++) {
    page p = {.fail = n};
    CHECK(tn_model_print(a.model, to_page, &p, &e) == TN_E_IO && e.status == TN_E_IO && p.calls == n);
    free(p.text);
  }
  free(whole.text);
  build_free(&a);
}
