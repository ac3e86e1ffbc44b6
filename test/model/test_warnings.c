/* remarks on models that are good: what they say, where they point, and that a good model has none. */
#include "support/build.h"
#include "test.h"

static char model[8000]; /* as it was read */

static void compile(build *b, const char *text) {
  snprintf(model, sizeof model, "%s", text);
  for (char *c = model; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, model);
  if (!build_compile(b)) FAIL("%s", b->message);
}

/* the warning whose pointer this is, or NULL */
static const tn_error *at(const build *b, const char *pointer) {
  for (int i = 0; b->model && i < tn_model_warnings(b->model); i++)
    if (strcmp(tn_model_warning(b->model, i)->pointer, pointer) == 0) return tn_model_warning(b->model, i);
  return NULL;
}

typedef struct page {
  char text[20000];
  size_t used;
} page;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (p->used + size >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

/* at the value that stands behind `mark` in the text */
static void check_at(const build *b, const char *pointer, const char *mark, const char *message, const char *hint) {
  const tn_error *w = at(b, pointer);
  char key[80];
  snprintf(key, sizeof key, "%s", mark);
  for (char *c = key; *c; c++)
    if (*c == '\'') *c = '"';
  const char *value = strstr(model, key);
  if (!w || !value) {
    FAIL("no warning at %s, or no %s", pointer, key);
    return;
  }
  value += strlen(key);
  int line = 1, column = 1;
  for (const char *c = model; c < value; c++) column = *c == '\n' ? line++, 1 : column + 1;
  CHECK(w->status == TN_OK && isnan(w->time));
  CHECK_TEXT(w->message, message);
  CHECK_TEXT(w->hint, hint);
  CHECK_TEXT(w->file, "test");
  CHECK(w->byte == value - model);
  if (w->line != line || w->column != column)
    FAIL("%s: warned of %d:%d, not %d:%d", pointer, w->line, w->column, line, column);
}

#define HINT "write \"gravity\": [0, 0] if that is meant"

TEST(no_gravity) {
  build b;
  compile(&b, "  {'tenon': 1, 'dimension': 2,\n 'bodies': {'a': {'mass': 1, 'inertia': 1, 'position': [1, 0]}},\n"
              " 'joints': {'j': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]}}}");
  CHECK(b.model && tn_model_warnings(b.model) == 1);
  check_at(&b, "", "  ", "no gravity is given, so body 'a' has no weight", HINT);
  CHECK(!tn_model_warning(b.model, -1) && !tn_model_warning(b.model, 1));
  build_free(&b);
  /* none on purpose is no mistake */
  compile(
      &b,
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'a': {'mass': 1, 'inertia': 1, 'position': [1, 0]}},"
      " 'joints': {'j': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]}}}");
  CHECK(b.model && tn_model_warnings(b.model) == 0 && !tn_model_warning(b.model, 0));
  build_free(&b);
}

/* a body that hangs is the only one that misses its weight */
TEST(no_gravity_is_remarked_where_a_body_hangs) {
  static const struct {
    const char *model;
    bool hangs;
  } cases[] = {
      /* free flight; two bodies that hold each other */
      {"'dimension': 2, 'bodies': {'a': {'mass': 1, 'inertia': 1}}", false},
      {"'dimension': 2, 'bodies': {'a': {'mass': 1, 'inertia': 1}, 'b': {'mass': 1, 'inertia': 1, 'position': [2, 0]}},"
       "'joints': {'j': {'type': 'revolute', 'between': ['a', 'b'], 'at': [1, 0]}}",
       false},
      /* wheels on their shafts, in the plane and in space; a planet on its carrier */
      {"'dimension': 2, 'bodies': {'a': {'mass': 1, 'inertia': 1}, 'b': {'mass': 1, 'inertia': 1, 'position': [3, 0]}},"
       "'joints': {'j': {'type': 'revolute', 'between': ['ground', 'a'], 'at': 'a'},"
       " 'k': {'type': 'revolute', 'between': ['ground', 'b'], 'at': 'b'},"
       " 'g': {'type': 'gear', 'between': ['a', 'b'], 'teeth': [20, 40]}}",
       false},
      {"'dimension': 3, 'bodies': {'a': {'mass': 1, 'inertia': [1, 1, 1]}},"
       "'joints': {'j': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0, 2], 'axis': 'z'}}",
       false},
      {"'dimension': 2, 'bodies': {'a': {'mass': 1, 'inertia': 1}, 'b': {'mass': 1, 'inertia': 1, 'position': [3, 0]}},"
       "'joints': {'j': {'type': 'revolute', 'between': ['ground', 'a'], 'at': 'a'},"
       " 'k': {'type': 'revolute', 'between': ['a', 'b'], 'at': 'b'}}",
       false},
      /* on rails; welded to the ground; without mass */
      {"'dimension': 2, 'bodies': {'a': {'mass': 1, 'inertia': 1}},"
       "'joints': {'j': {'type': 'prismatic', 'between': ['ground', 'a'], 'at': [1, 0], 'axis': [1, 0]}}",
       false},
      {"'dimension': 2, 'bodies': {'a': {'mass': 1, 'inertia': 1}},"
       "'joints': {'j': {'type': 'weld', 'between': ['ground', 'a'], 'at': [1, 0]}}",
       false},
      /* a pendulum, as a rod, a ball joint, a distance; one that stands on a cart */
      {"'dimension': 2, 'bodies': {'a': {'rod': [[0, 0], [1, 0]], 'mass': 1}},"
       "'joints': {'j': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]}}",
       true},
      {"'dimension': 3, 'bodies': {'a': {'mass': 1, 'inertia': [1, 1, 1]}},"
       "'joints': {'j': {'type': 'spherical', 'between': ['ground', 'a'], 'at': [0, 0, 2]}}",
       true},
      {"'dimension': 3, 'bodies': {'a': {'mass': 1, 'inertia': [1, 1, 1]}},"
       "'joints': {'j': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0, 2], 'axis': 'x'}}",
       true},
      {"'dimension': 2, 'bodies': {'a': {'mass': 1, 'coordinates': 'point', 'position': [0, -1]}},"
       "'joints': {'j': {'type': 'distance', 'between': ['ground', 'a'], 'at': [[0, 0], [0, -1]]}}",
       true},
      {"'dimension': 2, 'bodies': {'a': {'mass': 1, 'inertia': 1}, 'b': {'rod': [[0, 0], [0, 1]], 'mass': 1}},"
       "'joints': {'j': {'type': 'prismatic', 'between': ['ground', 'a'], 'at': [0, 0], 'axis': [1, 0]},"
       " 'k': {'type': 'revolute', 'between': ['a', 'b'], 'at': [0, 0]}}",
       true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int relative = 0; relative < 2; relative++) {
      build b;
      char text[1500];
      snprintf(text, sizeof text, "{'tenon': 1, %s%s}", cases[i].model, relative ? ", 'coordinates': 'relative'" : "");
      compile(&b, text);
      if (b.model && tn_model_warnings(b.model) != cases[i].hangs)
        FAIL("%s: %d warnings", text, tn_model_warnings(b.model));
      build_free(&b);
    }
}

TEST(angles_that_look_like_degrees) {
  build b;
  compile(&b, "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81],\n"
              " 'bodies': {'a': {'mass': 1, 'inertia': 1, 'angle': 90}, 'p': {'mass': 1, 'coordinates': 'point'},\n"
              "  'b': {'mass': 1, 'inertia': 1, 'angle': -45.5,\n"
              "    'coordinates': {'type': 'swing', 'parent': 'c', 'at': [0, 0]}},\n"
              "  'c': {'mass': 1, 'inertia': 1, 'angle': 30}},\n"
              " 'joints': {'j': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]},\n"
              "  'd': {'type': 'driver', 'on': 'c.angle', 'value': 180}},\n"
              " 'forces': {'s': {'type': 'spring', 'on': 'j.angle', 'stiffness': 1, 'rest': 60}},\n"
              " 'start': {'a.angle': 95, 'guess': {'b.angle': -720}, 'b.rate': 1000}}");
  check_at(&b, "/bodies/a/angle", "'a': {'mass': 1, 'inertia': 1, 'angle': ",
           "body 'a': an angle of 90 rad is more than a turn: are degrees meant?", "write \"90*deg\"");
  check_at(&b, "/bodies/b/angle", "'b': {'mass': 1, 'inertia': 1, 'angle': ",
           "body 'b': an angle of -45.5 rad is more than a turn: are degrees meant?", "write \"-45.5*deg\"");
  check_at(&b, "/bodies/c/angle", "'c': {'mass': 1, 'inertia': 1, 'angle': ",
           "body 'c': an angle of 30 rad is more than a turn: are degrees meant?", "write \"30*deg\"");
  check_at(&b, "/joints/d/value",
           "'on': 'c.angle', 'value': ", "joint 'd': an angle of 180 rad is more than a turn: are degrees meant?",
           "write \"180*deg\"");
  check_at(&b, "/forces/s/rest", "'rest': ", "force 's': an angle of 60 rad is more than a turn: are degrees meant?",
           "write \"60*deg\"");
  check_at(&b, "/start/a.angle", "'a.angle': ", "an angle of 95 rad is more than a turn: are degrees meant?",
           "write \"95*deg\"");
  check_at(&b, "/start/guess/b.angle", "'b.angle': ", "an angle of -720 rad is more than a turn: are degrees meant?",
           "write \"-720*deg\"");
  CHECK(b.model && tn_model_warnings(b.model) == 7); /* a rate may be anything */
  char text[900];
  if (at(&b, "/forces/s/rest")) {
    tn_error_text(at(&b, "/forces/s/rest"), text, sizeof text);
    CHECK_TEXT(text,
               "force 's': an angle of 60 rad is more than a turn: are degrees meant? (test:8:78) - write \"60*deg\"");
  }
  build_free(&b);
}

/* a turn and less, expressions, lengths: nothing to remark */
TEST(what_is_meant_is_left_alone) {
  build b;
  compile(
      &b,
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'constants': {'big': 90},\n"
      " 'bodies': {'a': {'mass': 1, 'inertia': 1, 'angle': 6.28}, 'c': {'mass': 1, 'inertia': 1, 'angle': '90*deg'},\n"
      "  'b': {'mass': 1, 'inertia': 1, 'angle': -6.283185307179586, 'position': [90, 180]},\n"
      "  'd': {'mass': 1, 'inertia': 1, 'angle': 'big'}},\n"
      " 'joints': {'j': {'type': 'prismatic', 'between': ['ground', 'a'], 'at': [0, 0], 'axis': [90, 180]},\n"
      "  'x': {'type': 'driver', 'on': 'b.x', 'value': 180},\n"
      "  'y': {'type': 'driver', 'on': 'b.angle', 'value': '720*t'}},\n"
      " 'forces': {'s': {'type': 'spring', 'on': 'j.shift', 'stiffness': 100, 'rest': 60},\n"
      "  'm': {'type': 'torque', 'on': 'c', 'value': 1000}},\n"
      " 'start': {'c.x': 95, 'c.rate': 100, 'd.angle': '100*deg'}}");
  for (int i = 0; b.model && i < tn_model_warnings(b.model); i++) FAIL("%s", tn_model_warning(b.model, i)->message);
  build_free(&b);
}

TEST(the_models_of_the_collection) {
  static char name[64][64];
  const int n = build_models(name, 64);
  CHECK(n > 5);
  for (int i = 0; i < n; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, name[i]);
    CHECK(build_compile(&b));
    const bool weightless = strcmp(name[i], "andrews") == 0; /* it lies in a horizontal plane */
    /* the published inertia of the ring gear is rounded */
    const bool ring = strncmp(name[i], "gear_train", 10) == 0;
    /* so are the constants of its motors: they differ by a factor of 30, in one repeat */
    const int robot = strncmp(name[i], "hoang", 5) == 0;
    if (!b.model || tn_model_warnings(b.model) != weightless + ring + robot) FAIL("%s: other warnings", name[i]);
    for (int k = 0; b.model && k < tn_model_warnings(b.model); k++)
      CHECK_HAS(tn_model_warning(b.model, k)->message, k < weightless
                                                           ? "no gravity is given, so body 'K1' has no weight"
                                                       : robot ? "in one motor these are the same number"
                                                               : "body 'ring': a principal moment of inertia");
    build_free(&b);
  }
}

/* those of one repeat have one cause and are one warning, which names the first of them */
TEST(members_of_a_repeat_are_one_warning) {
  static const struct {
    int n;
    const char *others;
  } cases[] = {{1, ""},
               {2, "; likewise 'b2'"},
               {6, "; likewise 'b2', 'b3', 'b4', 'b5', 'b6'"},
               {90, "; likewise 'b2', 'b3', 'b4', 'b5', 'b6' and 84 more"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    char text[400];
    snprintf(text, sizeof text,
             "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {\n"
             "  'b{i}': {'repeat': 'i=1..%d', 'mass': 1, 'inertia': 1, 'angle': 90,\n"
             "    'coordinates': {'type': 'swing', 'parent': 'ground', 'at': [0, 0]}}}}",
             cases[i].n);
    compile(&b, text);
    CHECK(b.model && tn_model_warnings(b.model) == 1);
    snprintf(text, sizeof text, "body 'b1': an angle of 90 rad is more than a turn: are degrees meant?%s",
             cases[i].others);
    check_at(&b, "/bodies/b1/angle", "'angle': ", text, "write \"90*deg\"");
    build_free(&b);
  }
}

/* each at a place of its own: 32 are kept, and the rest is counted */
TEST(at_most_thirty_two) {
  for (int n = 31; n <= 34; n++) {
    static page p;
    build b;
    static char text[8000];
    size_t used = (size_t)snprintf(text, sizeof text, "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {");
    for (int i = 0; i < n; i++)
      used += (size_t)snprintf(text + used, sizeof text - used,
                               "%s'b%d': {'mass': 1, 'inertia': 1, 'angle': 90, 'coordinates': {'type': 'swing', "
                               "'parent': 'ground', 'at': [0, 0]}}",
                               i ? "," : "", i + 1);
    snprintf(text + used, sizeof text - used, "}}");
    compile(&b, text);
    CHECK(b.model && tn_model_warnings(b.model) == (n < 32 ? n : 32) && !tn_model_warning(b.model, 32));
    CHECK(build_simulate(&b));
    p.used = 0;
    CHECK(tn_report_check_text(b.sim, "m", to_page, &p) == TN_OK);
    CHECK(!strstr(p.text, " more\n") == (n <= 32));
    if (n == 33) CHECK_HAS(p.text, "  and 1 warning more\n");
    if (n == 34) CHECK_HAS(p.text, "  and 2 warnings more\n");
    build_free(&b);
  }
}

TEST(built_by_calls_they_have_a_pointer_and_no_line) {
  build b;
  build_new(&b, 1);
  build_set(&b, "/gravity", "[0, -9.81]");
  build_set(&b, "/bodies/arm", "{\"mass\": 1, \"inertia\": 1, \"angle\": 45}");
  CHECK(build_compile(&b) && tn_model_warnings(b.model) == 1);
  const tn_error *w = at(&b, "/bodies/arm/angle");
  CHECK(w && w->line == 0 && w->byte == -1 && !*w->file);
  build_free(&b);
}

TEST(the_check_shows_them) {
  static page p;
  build b;
  tn_desc *d = NULL;
  tn_error e;
  compile(&b, "{'tenon': 1, 'dimension': 2,\n 'bodies': {'a': {'mass': 1, 'inertia': 1, 'angle': 90}},\n"
              " 'joints': {'j': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [1, 0]}}}");
  CHECK(build_simulate(&b));
  if (!b.failed) {
    p.used = 0;
    CHECK(tn_report_check_text(b.sim, "m", to_page, &p) == TN_OK);
    CHECK_HAS(p.text, "  warning: no gravity is given, so body 'a' has no weight (test:1:1) - " HINT "\n");
    CHECK_HAS(p.text,
              "  warning: body 'a': an angle of 90 rad is more than a turn: are degrees meant? (test:2:53) - write "
              "\"90*deg\"\n");
    p.used = 0;
    CHECK(tn_report_check_json(b.sim, "m", to_page, &p) == TN_OK);
    CHECK(tn_desc_new(NULL, &d, &e) == TN_OK && tn_desc_parse(d, "m", p.text, p.used, &e) == TN_OK);
    const tn_node *list = tn_node_get(d->root, "warnings"), *first = tn_node_item(list, 0);
    CHECK(list && list->size == 2 && first);
    if (first) {
      CHECK_TEXT(tn_node_get(first, "pointer")->text, "/bodies/a/angle");
      CHECK_TEXT(tn_node_get(first, "hint")->text, "write \"90*deg\"");
      CHECK(tn_node_get(first, "line")->number == 2 && tn_node_get(first, "column")->number == 53);
    }
    tn_desc_free(d);
  }
  build_free(&b);
}
