/* the lists of what can be named: every type has words and an example, and the examples run. */
#include "support/build.h"
#include "test.h"

typedef struct page {
  size_t used, room;
  char *text;
  long calls, fail; /* the call number `fail` is refused */
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

static void drop(page *p) {
  free(p->text);
  *p = (page){0};
}

static void list(page *p, const char *kind, const char *name, bool markdown) {
  tn_error e;
  *p = (page){0};
  if (tn_list_print(kind, name, markdown, to_page, p, &e) != TN_OK)
    FAIL("%s %s: %s", kind ? kind : "all", name ? name : "", e.message);
  CHECK(e.status == TN_OK);
  if (!p->text && !to_page(p, "", 0)) abort();
}

TEST(every_kind_and_every_type_is_listed) {
  static const char *const kinds[] = {"joint",      "force",      "coordinates", "formulation",
                                      "stabilizer", "integrator", "method"};
  int n = 0;
  for (; tn_list_kind(n); n++) CHECK_TEXT(tn_list_kind(n), n < 7 ? kinds[n] : "");
  CHECK(n == 7 && !tn_list_kind(-1) && !tn_list_kind(1000));
  for (int k = 0; k < 7; k++) {
    int i = 0;
    for (; tn_list_name(kinds[k], i); i++) {
      const char *doc = tn_list_doc(kinds[k], i), *name = tn_list_name(kinds[k], i);
      CHECK(strlen(name) < 21); /* in one column */
      CHECK(*name && doc && strlen(doc) > 5);
      CHECK_TEXT(tn_type_name(tn_registry_type(NULL, (tn_registry)k, i)), name);
      for (int j = 0; j < i; j++) CHECK(strcmp(tn_list_name(kinds[k], j), name) != 0);
      /* one clause: no capital, no stop; a line of a list */
      if (doc) CHECK(doc[strlen(doc) - 1] != '.' && !strchr(doc, '\n'));
    }
    CHECK(i > 0 && !tn_list_doc(kinds[k], i) && !tn_list_name(kinds[k], -1) && !tn_list_doc(kinds[k], -1));
  }
  CHECK(!tn_list_name("bodies", 0) && !tn_list_doc("", 0));
}

static void check_coordinates(const page *p, const tn_coordinate *c, bool markdown) {
  char text[200];
  for (; c && c->name; c++) {
    snprintf(text, sizeof text, markdown ? "`%s`, `%s` (%s)" : "%s, %s (%s)", c->name, c->rate,
             c->unit == TN_ANGLE   ? "rad, rad/s"
             : c->unit == TN_RATIO ? "1, 1/s"
                                   : "m, m/s");
    CHECK_HAS(p->text, text);
  }
}

/* name, what it is, every field that it takes, and an example */
TEST(one_type_has_its_fields_and_an_example) {
  for (int k = 0; tn_list_kind(k); k++)
    for (int i = 0; tn_list_name(tn_list_kind(k), i); i++)
      for (int markdown = 0; markdown < 2; markdown++) {
        const char *kind = tn_list_kind(k), *name = tn_list_name(kind, i);
        const void *type = tn_registry_type(NULL, (tn_registry)k, i);
        const tn_field *fields = k == TN_JOINTS         ? ((const tn_joint_type *)type)->fields
                                 : k == TN_FORCES       ? ((const tn_force_type *)type)->fields
                                 : k == TN_FORMULATIONS ? ((const tn_formulation_type *)type)->fields
                                 : k == TN_STABILIZERS  ? ((const tn_stabilizer_type *)type)->fields
                                                        : NULL;
        page p;
        char text[200];
        list(&p, kind, name, markdown);
        snprintf(text, sizeof text, markdown ? "### %s `%s`\n" : "%s %s: ", kind, name);
        CHECK_HAS(p.text, text);
        CHECK_HAS(p.text, tn_list_doc(kind, i));
        if (!strstr(p.text, markdown ? "```" : "example:\n")) FAIL("%s %s has no example", kind, name);
        for (const tn_field *f = fields; f && f->key; f++) {
          snprintf(text, sizeof text, markdown ? "| `%s` |" : "\n  %s ", f->key);
          if (!strstr(p.text, text)) FAIL("%s %s: field %s is not listed", kind, name, f->key);
          if (!f->doc || !*f->doc) FAIL("%s %s: field %s says nothing", kind, name, f->key);
        }
        const tn_field *more = k == TN_FORCES   ? ((const tn_force_type *)type)->fields_space
                               : k == TN_JOINTS ? ((const tn_joint_type *)type)->fields_space
                                                : NULL;
        for (; more && more->key; more++) {
          snprintf(text, sizeof text, markdown ? "| `%s` |" : "\n  %s ", more->key);
          if (!strstr(p.text, text)) FAIL("%s %s: field %s is not listed", kind, name, more->key);
          CHECK(more->doc && *more->doc);
        }
        const tn_body_type *body = type;
        const tn_coordinate *c = k == TN_JOINTS        ? ((const tn_joint_type *)type)->coordinates
                                 : k == TN_COORDINATES ? body->plane.coordinates
                                                       : NULL;
        check_coordinates(&p, c, markdown);
        if (k == TN_COORDINATES) check_coordinates(&p, body->space.coordinates, markdown);
        if (k == TN_COORDINATES && body->space.chart)
          for (int q = 0; q < body->space.nq; q++) CHECK_HAS(p.text, body->space.chart->q_name[q]);
        CHECK(p.text[p.used - 1] == '\n' && !strstr(p.text, "(null)"));
        drop(&p);
      }
}

/* what a field is asked for is what the reader asks for */
TEST(fields_that_are_required_say_so) {
  for (int k = TN_JOINTS; k <= TN_FORCES; k++)
    for (int i = 0; tn_list_name(tn_list_kind(k), i); i++) {
      const void *type = tn_registry_type(NULL, (tn_registry)k, i);
      const tn_field *fields =
          k == TN_JOINTS ? ((const tn_joint_type *)type)->fields : ((const tn_force_type *)type)->fields;
      page p;
      list(&p, tn_list_kind(k), tn_type_name(type), true);
      for (const tn_field *f = fields; f && f->key; f++) {
        char key[100];
        snprintf(key, sizeof key, "| `%s` |", f->key);
        const char *line = strstr(p.text, key), *required = line ? strstr(line, "required") : NULL;
        const bool says = line && required && required < strchr(line, '\n');
        if (says != f->required)
          FAIL("%s: field %s is%s required", tn_type_name(type), f->key, f->required ? "" : " not");
      }
      drop(&p);
    }
}

/* the text of the example itself, out of the list, is a model */
static void run_example(const char *kind, const char *name, const char *text, size_t n) {
  build b;
  build_table table = {0};
  char *model = malloc(n + 1);
  if (!model) abort();
  memcpy(model, text, n);
  model[n] = 0;
  build_new(&b, 1);
  build_parse(&b, model);
  if (!build_simulate(&b) || !build_run(&b, &table)) FAIL("%s %s: %s", kind, name, b.message);
  if (!b.failed) {
    CHECK(table.rows >= 10 && table.columns >= 1 && tn_sim_summary(b.sim)->contract_kept);
    for (int i = 0; i < table.rows; i++)
      for (int c = 0; c < table.columns; c++) CHECK(isfinite(build_at(&table, i, c)));
    CHECK(tn_sim_summary(b.sim)->energy_balance < 1e-3);
    /* it shows what it is an example of */
    char type[100];
    snprintf(type, sizeof type, "\"%s\"", name);
    if (!strstr(model, type) && strcmp(name, "plane") != 0)
      FAIL("%s %s: the example is about something else", kind, name);
  }
  build_table_free(&table);
  build_free(&b);
  free(model);
}

/* those of a page, in the plane and in space; how many */
static int run_examples(const char *kind, const char *name, const page *p, bool markdown) {
  const char *const mark = markdown ? "```jsonc\n" : "example:\n";
  int n = 0;
  for (const char *begin = strstr(p->text, mark), *end; begin; begin = strstr(end, mark), n++) {
    begin += strlen(mark);
    end = strstr(begin, markdown ? "```" : mark);
    if (!end) end = p->text + p->used;
    run_example(kind, name, begin, (size_t)(end - begin));
  }
  return n;
}

/* of one that is in the plane and in space there are two at most */
static int examples_of(const void *type, int kind) {
  const char *const space = kind == TN_JOINTS   ? ((const tn_joint_type *)type)->example_space
                            : kind == TN_FORCES ? ((const tn_force_type *)type)->example_space
                                                : ((const tn_body_type *)type)->example_space;
  return 1 + (space != NULL);
}

TEST(examples_of_parts_run) {
  for (int k = TN_JOINTS; k <= TN_COORDINATES; k++)
    for (int i = 0; tn_list_name(tn_list_kind(k), i); i++)
      for (int markdown = 0; markdown < 2; markdown++) {
        const char *kind = tn_list_kind(k), *name = tn_list_name(kind, i);
        page p;
        list(&p, kind, name, markdown);
        if (run_examples(kind, name, &p, markdown) != examples_of(tn_registry_type(NULL, (tn_registry)k, i), k))
          FAIL("%s %s: not all of its examples are there", kind, name);
        drop(&p);
      }
}

/* options of the command line: what stands in them can be set, and the pendulum runs with it */
static void run_options(const char *kind, const char *name, const char *options) {
  build b;
  tn_error e;
  build_table table = {0};
  char text[400], *word, *rest = text;
  bool shown = false;
  snprintf(text, sizeof text, "%s", options);
  build_new(&b, 1);
  build_read(&b, "pendulum");
  build_set(&b, "/run/until", "1");
  while ((word = strtok(rest, " "))) {
    char *value = strtok(NULL, " ");
    rest = NULL;
    if (strncmp(word, "--", 2) != 0 || !value) {
      FAIL("%s %s: '%s' is no option with a value", kind, name, word);
      break;
    }
    shown = shown || strncmp(value, name, strlen(name)) == 0;
    char pointer[64];
    double number;
    const bool tolerance = strcmp(word, "--rtol") == 0 || strcmp(word, "--atol") == 0 || strcmp(word, "--step") == 0;
    snprintf(pointer, sizeof pointer,
             tolerance                       ? "/run/integrator/%s"
             : strcmp(word, "--breach") == 0 ? "/run/contract/%s"
                                             : "/run/%s",
             word + 2);
    const tn_status status = tn_json_number(value, strlen(value), &number) ? tn_desc_number(b.desc, pointer, number, &e)
                                                                           : tn_desc_part(b.desc, pointer, value, &e);
    if (status != TN_OK) FAIL("%s %s: %s", kind, name, e.message);
  }
  if (!build_simulate(&b) || !build_run(&b, &table)) FAIL("%s %s: %s", kind, name, b.message);
  CHECK(shown);
  if (!b.failed) CHECK(table.rows >= 10 && tn_sim_summary(b.sim)->t_end == 1);
  build_table_free(&table);
  build_free(&b);
}

TEST(examples_of_settings_run) {
  for (int k = TN_FORMULATIONS; tn_list_kind(k); k++)
    for (int i = 0; tn_list_name(tn_list_kind(k), i); i++) {
      static const char command[] = "tenon run models/pendulum.json --until 1 ";
      const char *kind = tn_list_kind(k), *name = tn_list_name(kind, i);
      page p;
      list(&p, kind, name, false);
      char *begin = strstr(p.text, command);
      if (begin) {
        begin += strlen(command);
        begin[strcspn(begin, "\n")] = 0;
        run_options(kind, name, begin);
      } else {
        FAIL("%s %s: no example to run", kind, name);
      }
      drop(&p);
    }
}

/* all of a kind: a line each; all kinds: with a heading */
TEST(lists_have_a_line_for_each) {
  page all;
  list(&all, NULL, NULL, false);
  for (int k = 0; tn_list_kind(k); k++) {
    page p;
    char text[400];
    int lines = 0, n = 0;
    list(&p, tn_list_kind(k), NULL, false);
    for (const char *c = p.text; *c; c++) lines += *c == '\n';
    for (; tn_list_name(tn_list_kind(k), n); n++) {
      const char *name = tn_list_name(tn_list_kind(k), n);
      snprintf(text, sizeof text, "  %-21s %s\n", name, tn_list_doc(tn_list_kind(k), n));
      CHECK_HAS(p.text, text);
      CHECK_HAS(all.text, text);
    }
    CHECK(lines == n);
    snprintf(text, sizeof text, "%s:\n", tn_list_kind(k));
    CHECK_HAS(all.text, text);
    drop(&p);
  }
  drop(&all);
}

/* fences open and close, tables have their columns on every line, headings stand on lines of their own */
TEST(markdown_is_well_formed) {
  for (int k = -1; k < 0 || tn_list_kind(k); k++) {
    page p;
    list(&p, k < 0 ? NULL : tn_list_kind(k), NULL, true);
    bool inside = false;
    int fences = 0, headings = 0, expected = 0, examples = 0;
    for (char *line = p.text, *next; *line; line = next) {
      next = line + strcspn(line, "\n");
      if (*next) *next++ = 0;
      if (strncmp(line, "```", 3) == 0) {
        CHECK(inside ? strlen(line) == 3
                     : strcmp(line, "```jsonc") == 0 || strcmp(line, "```sh") == 0 || strcmp(line, "```text") == 0);
        inside = !inside;
        fences++;
      } else if (!inside && line[0] == '|') {
        int bars = 0;
        for (const char *c = line; *c; c++) bars += *c == '|';
        if (bars != 4) FAIL("a line with %d bars: %s", bars, line);
        CHECK(line[strlen(line) - 1] == '|');
      } else if (!inside) {
        int ticks = 0;
        for (const char *c = line; *c; c++) ticks += *c == '`';
        if (ticks % 2) FAIL("a tick that is not closed: %s", line);
        headings += strncmp(line, "### ", 4) == 0;
      }
      CHECK(inside || !strstr(line, "%s"));
    }
    CHECK(!inside && fences % 2 == 0);
    for (int i = 0; tn_list_kind(i); i++)
      for (int j = 0; (k < 0 || i == k) && tn_list_name(tn_list_kind(i), j); j++) {
        expected++;
        examples += i > TN_COORDINATES ? 1 : examples_of(tn_registry_type(NULL, (tn_registry)i, j), i);
        if (i == TN_METHODS) examples++; /* what it does, in words */
      }
    CHECK(headings == expected && fences == 2 * examples);
    drop(&p);
  }
}

/* all of it in one: what each says alone stands in the whole */
TEST(the_reference_holds_every_entry) {
  page all;
  list(&all, NULL, NULL, true);
  for (int k = 0; tn_list_kind(k); k++)
    for (int i = 0; tn_list_name(tn_list_kind(k), i); i++) {
      page p;
      list(&p, tn_list_kind(k), tn_list_name(tn_list_kind(k), i), true);
      if (!strstr(all.text, p.text))
        FAIL("%s %s is not in the reference", tn_list_kind(k), tn_list_name(tn_list_kind(k), i));
      drop(&p);
    }
  drop(&all);
}

TEST(what_is_not_known) {
  static const struct {
    const char *kind, *name, *message, *hint;
  } cases[] = {{"joint", "revolut", "there is no joint 'revolut'", "did you mean 'revolute'?"},
               {"joint", "rk4", "there is no joint 'rk4'", ""},
               {NULL, "dopri", "there is no type 'dopri'", "did you mean 'dopri5'?"},
               {"joints", NULL, "unknown kind 'joints'", "did you mean 'joint'?"},
               {"integrater", "rk4", "unknown kind 'integrater'", "did you mean 'integrator'?"},
               {"xyzzy", NULL, "unknown kind 'xyzzy'", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int markdown = 0; markdown < 2; markdown++) {
      page p = {0};
      tn_error e;
      CHECK(tn_list_print(cases[i].kind, cases[i].name, markdown, to_page, &p, &e) == TN_E_USAGE &&
            e.status == TN_E_USAGE);
      CHECK_TEXT(e.message, cases[i].message);
      CHECK_TEXT(e.hint, cases[i].hint);
      CHECK(p.used == 0); /* and nothing is written */
      CHECK(tn_list_print(cases[i].kind, cases[i].name, markdown, to_page, &p, NULL) == TN_E_USAGE);
      drop(&p);
    }
  page p; /* a name is found in whatever kind it is */
  list(&p, NULL, "rk4", false);
  CHECK_HAS(p.text, "integrator rk4: ");
  drop(&p);
}

TEST_FULL(a_write_that_fails_is_an_error_wherever_it_fails) {
  static const char *const names[] = {NULL, "distance", NULL}, *const kinds[] = {NULL, "joint", "method"};
  for (int i = 0; i < 3; i++)
    for (int markdown = 0; markdown < 2; markdown++) {
      page whole = {0};
      tn_error e;
      CHECK(tn_list_print(kinds[i], names[i], markdown, to_page, &whole, &e) == TN_OK);
      for (long n = 1; n <= whole.calls; n += n < 50 ? 1 : 97) {
        page p = {.fail = n};
        CHECK(tn_list_print(kinds[i], names[i], markdown, to_page, &p, &e) == TN_E_IO && e.status == TN_E_IO &&
              p.calls == n);
        drop(&p);
      }
      drop(&whole);
    }
}
