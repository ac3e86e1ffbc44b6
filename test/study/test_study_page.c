/* pages of studies: what they hold is what the JSON of the same study says, with the curves, sweeps and runs behind it, and a disk that is
 * full is told. */
#include "study/study.h"

#include "support/build.h"
#include "test.h"

typedef struct text {
  size_t used, room;
  char *text;
  long calls, fail; /* from the call number `fail` on it is refused */
} text;

static bool to_text(void *user, const char *bytes, size_t size) {
  text *p = user;
  p->calls++;
  if (p->fail && p->calls >= p->fail) return false;
  if (p->used + size >= p->room) {
    p->room = 2 * (p->used + size) + 1000;
    if (!(p->text = realloc(p->text, p->room))) abort();
  }
  memcpy(p->text + p->used, bytes, size);
  p->text[p->used += size] = 0;
  return true;
}

/* the object in a page; there is one, and nothing in it could end it */
static const tn_node *data_of(text *page, tn_arena *arena) {
  static const char before[] = "<script id=\"data\" type=\"application/json\">";
  tn_error e;
  tn_node *root = NULL;
  char *from = page->text ? strstr(page->text, before) : NULL;
  CHECK(from != NULL);
  if (!from) return NULL;
  from += strlen(before);
  const size_t n = strcspn(from, "<");
  CHECK(strncmp(from + n, "</script>", 9) == 0);
  tn_arena_init(arena, NULL);
  if (tn_json_parse(arena, "page", from, n, &root, &e) != TN_OK) FAIL("%s at %d:%d", e.message, e.line, e.column);
  return root;
}

static const tn_node *at(const tn_node *n, const char *key) { return n ? tn_node_get(n, key) : NULL; }
static const char *words(const tn_node *n, const char *key) {
  const tn_node *x = at(n, key);
  return x && x->kind == TN_NODE_TEXT ? x->text : "";
}
static double real(const tn_node *n, const char *key) {
  const tn_node *x = at(n, key);
  return x && x->kind == TN_NODE_NUMBER ? x->number : (double)NAN;
}
static bool alike(double a, double b) { return a == b || (!isfinite(a) && !isfinite(b)); }

static tn_compare *compare(void) {
  static const char *const methods[] = {"project", "fci", "baumgarte:alpha=5,beta=5"};
  static const double rtol[] = {1e-4, 1e-6};
  const tn_compare_options o = {.methods = 3, .method = methods, .settings = 2, .setting = rtol};
  tn_desc *d = NULL;
  tn_compare *c = NULL;
  tn_error e;
  if (tn_desc_new(NULL, &d, &e) != TN_OK || tn_desc_read(d, TN_SOURCE_DIR "/models/four_bar.json", &e) != TN_OK ||
      tn_desc_number(d, "/run/until", 0.5, &e) != TN_OK ||
      tn_desc_text(d, "/title", "</script><b>\"'& it", &e) != TN_OK ||
      tn_compare_run(d, "four bars.json", &o, &c, &e) != TN_OK)
    FAIL("%s", e.message);
  tn_desc_free(d);
  return c;
}

static bool no_pages(void) {
  text page = {0};
  tn_error e;
  if (tn_has_pages(NULL)) return false;
  tn_compare *c = compare(); /* refused in words */
  CHECK(c && tn_compare_page(c, "", NULL, to_text, &page, &e) == TN_E_USAGE && strstr(e.message, "left out"));
  CHECK(!page.used);
  tn_compare_free(c);
  return true;
}

TEST(a_comparison) {
  text page = {0};
  tn_arena arena;
  tn_error e;
  if (no_pages()) return;
  tn_compare *c = compare();
  if (!c) return;
  CHECK(tn_compare_page(c, "tenon compare x", NULL, to_text, &page, &e) == TN_OK);
  const tn_node *root = data_of(&page, &arena), *rows = at(at(root, "compare"), "rows"), *runs = at(root, "runs");
  CHECK_TEXT(words(root, "kind"), "compare");
  CHECK_TEXT(words(root, "title"), "</script><b>\"'& it");
  CHECK_TEXT(words(root, "command"), "tenon compare x");
  CHECK_HAS(words(root, "text"), "\"bodies\"");
  CHECK(rows && (int)rows->size == tn_compare_rows(c) && runs && runs->size == rows->size);
  const tn_node *row = rows ? rows->first : NULL, *run = runs ? runs->first : NULL;
  for (int i = 0; row && run; i++, row = row->next, run = run->next) {
    const tn_compare_row *r = tn_compare_row_at(c, i);
    CHECK(real(row, "error") == r->error && real(row, "rhs") == (double)r->rhs && real(row, "rtol") == r->setting);
    CHECK_HAS(words(run, "label"), r->method);
    char command[200], digits[32];
    tn_json_digits(r->setting, digits);
    const bool part = strchr(r->method, ':') != NULL;
    snprintf(command, sizeof command, "tenon run 'four bars.json' --%s %s --rtol %s", part ? "stabilize" : "method",
             r->method, digits);
    CHECK_TEXT(words(run, "run"), command);
    /* curves: as long as each other, their largest that of the row */
    double C = 0;
    for (const tn_node *v = at(run, "C") ? at(run, "C")->first : NULL; v; v = v->next)
      if (v->kind == TN_NODE_NUMBER) C = fmax(C, v->number);
    CHECK(at(run, "t") && at(run, "error") && at(run, "t")->size > 20 && at(run, "t")->size == at(run, "error")->size);
    CHECK_NEAR(C, r->C_max, 1e-5 * r->C_max);
  }
  tn_arena_free(&arena);
  tn_compare_free(c);
  free(page.text);
}

/* of many runs the curves are coarser, and keep what is largest */
TEST(many_runs) {
  static const char *const rk4[] = {"rk4"}, *const fci[] = {"fci"};
  double step[150];
  text page = {0};
  tn_arena arena;
  tn_desc *d = NULL;
  tn_compare *c = NULL;
  tn_error e;
  if (no_pages()) return;
  for (int i = 0; i < 150; i++) step[i] = 1e-3 + 1e-6 * i;
  const tn_compare_options o = {.methods = 1,
                                .method = fci,
                                .integrators = 1,
                                .integrator = rk4,
                                .settings = 150,
                                .setting = step,
                                .fixed = true};
  if (tn_desc_new(NULL, &d, &e) != TN_OK || tn_desc_read(d, TN_SOURCE_DIR "/models/pendulum.json", &e) != TN_OK ||
      tn_desc_number(d, "/run/until", 1, &e) != TN_OK || tn_compare_run(d, "pendulum", &o, &c, &e) != TN_OK)
    FAIL("%s", e.message);
  tn_desc_free(d);
  if (!c) return;
  CHECK(tn_compare_page(c, "", NULL, to_text, &page, &e) == TN_OK);
  const tn_node *root = data_of(&page, &arena), *run = at(root, "runs") ? at(root, "runs")->first : NULL;
  for (int i = 0; run; i++, run = run->next) {
    double C = 0;
    for (const tn_node *v = at(run, "C")->first; v; v = v->next)
      if (v->kind == TN_NODE_NUMBER) C = fmax(C, v->number);
    CHECK(at(run, "t")->size == 250 && at(run, "C")->size == 250);
    CHECK_NEAR(C, tn_compare_row_at(c, i)->C_max, 1e-5 * C);
  }
  tn_arena_free(&arena);
  tn_compare_free(c);
  free(page.text);
}

TEST(a_full_disk) {
  text page = {0};
  tn_error e;
  if (no_pages()) return;
  tn_compare *c = compare();
  if (!c) return;
  CHECK(tn_compare_page(c, "", "tenon run x", to_text, &page, &e) == TN_OK);
  const long calls = page.calls;
  CHECK(calls > 20);
  for (long n = 1; n <= calls; n += n < 20 || n > calls - 5 ? 1 : calls / 40) {
    page = (text){.text = page.text, .room = page.room, .fail = n};
    if (tn_compare_page(c, "", NULL, to_text, &page, &e) != TN_E_IO) FAIL("call %ld of %ld", n, calls);
    page.fail = 0;
  }
  tn_compare_free(c);
  free(page.text);
}

static const char study_text[] =
    "{\"study\": 1, \"paper\": \"p\", \"title\": \"</script>\", \"doc\": \"<!-- what\", \"runs\": {"
    "\"a\": {\"model\": \"" TN_SOURCE_DIR "/models/pendulum.json\", \"method\": \"fci\", \"integrator\": \"rk4\","
    " \"step\": 0.01, \"until\": 0.5, \"every\": 0.1},"
    "\"b\": {\"like\": \"a\", \"step\": 0.005, \"doc\": \"half\"},"
    "\"x\": {\"like\": \"a\", \"stabilize\": \"baumgarte:alpha={x},beta={x}\"},"
    "\"idle\": {\"like\": \"a\"}},"
    "\"references\": {\"r\": {\"run\": \"b\"}},"
    "\"measures\": {\"coarse\": {\"run\": \"a\", \"of\": \"C\"}, \"fine\": {\"run\": \"b\", \"of\": \"C\"},"
    " \"order\": {\"value\": \"log(coarse/fine)/log(2)\"}, \"unused\": {\"run\": \"idle\", \"of\": \"C\"},"
    " \"swept\": {\"run\": \"x\", \"of\": \"C\", \"vary\": {\"from\": 1, \"to\": 5, \"by\": 2, \"collect\": \"max\"}}},"
    "\"rows\": [{\"id\": \"p.order\", \"where\": \"Fig. 1\", \"measure\": \"order\", \"holds\": \"measured > 2\","
    " \"tolerance\": \"at least 2\", \"verdict\": \"reproduced\"},"
    "{\"id\": \"p.swept\", \"measure\": \"swept\", \"holds\": \"measured < 1\", \"tolerance\": \"at most 1\","
    " \"verdict\": \"reproduced\"},"
    "{\"id\": \"p.error\", \"measure\": {\"run\": \"a\", \"of\": \"error\", \"against\": \"r\","
    " \"channels\": [\"bob.x\"]}, \"holds\": \"measured < 1\", \"tolerance\": \"at most 1\", \"verdict\": "
    "\"reproduced\"}]}";

static const tn_node *named(const tn_node *list, const char *name) {
  for (const tn_node *n = list ? list->first : NULL; n; n = n->next)
    if (strcmp(words(n, "name"), name) == 0) return n;
  return NULL;
}

static bool has(const tn_node *list, double value) {
  for (const tn_node *n = list ? list->first : NULL; n; n = n->next)
    if (n->number == value) return true;
  return false;
}

TEST(a_study) {
  static const char path[] = "study_of_a_page.json";
  text page = {0};
  tn_arena arena;
  tn_study *s = NULL;
  tn_error e;
  if (no_pages()) return;
  FILE *f = fopen(path, "w");
  if (!f || fputs(study_text, f) < 0 || fclose(f) != 0) abort();
  if (tn_study_read(NULL, path, &s, &e) != TN_OK || tn_study_run(s, NULL, &e) != TN_OK) {
    FAIL("%s", e.message);
    remove(path);
    return;
  }
  for (int twice = 0; twice < 2; twice++) { /* a study may be run again */
    page.used = 0;
    CHECK(tn_study_run(s, NULL, &e) == TN_OK);
    CHECK(tn_study_page(s, "tenon reproduce x", to_text, &page, &e) == TN_OK);
    const tn_node *root = data_of(&page, &arena), *measures = at(root, "measures"), *runs = at(root, "runs");
    CHECK_TEXT(words(root, "kind"), "paper");
    CHECK_TEXT(words(root, "doc"), "<!-- what");
    CHECK_TEXT(words(at(root, "study"), "title"), "</script>");
    const tn_node *row = at(at(root, "study"), "rows") ? at(at(root, "study"), "rows")->first : NULL,
                  *claim = at(root, "claims") ? at(root, "claims")->first : NULL;
    const tn_node *first = claim;
    for (int i = 0; i < tn_study_rows(s); i++, row = row->next, claim = claim->next) {
      CHECK(row && claim);
      if (!row || !claim) break;
      if (tn_study_row_at(s, i)->failure) FAIL("%s", tn_study_row_at(s, i)->failure);
      CHECK_TEXT(words(row, "id"), tn_study_row_at(s, i)->id);
      CHECK(alike(real(row, "measured"), tn_study_row_at(s, i)->measured));
    }
    /* an order comes of both measures, and these of their runs */
    const tn_node *coarse = named(measures, "coarse"), *fine = named(measures, "fine"),
                  *swept = named(measures, "swept");
    CHECK(coarse && fine && swept && !named(measures, "unused"));
    if (coarse && fine && first) {
      CHECK(has(at(first, "from"), real(coarse, "id")) && has(at(first, "from"), real(fine, "id")));
      CHECK(!has(at(first, "from"), real(swept, "id")));
      CHECK_NEAR(real(named(measures, "order"), "result"), log(real(coarse, "result") / real(fine, "result")) / log(2),
                 1e-12);
    }
    CHECK(runs && runs->size == 3 && !named(runs, "idle"));
    const tn_node *a = named(runs, "a"), *b = named(runs, "b");
    CHECK(a && b && real(coarse, "run") == real(a, "id") && real(fine, "run") == real(b, "id"));
    CHECK(real(at(a, "settings"), "step") == 0.01 && real(at(b, "settings"), "step") == 0.005);
    CHECK_TEXT(words(at(b, "settings"), "method"), "fci"); /* of what it is like */
    CHECK(at(a, "error") && !at(b, "error") && at(b, "C") && at(b, "C")->size == at(b, "t")->size);
    /* a sweep: its points, and the measure is the largest of them */
    const tn_node *points = at(swept, "points");
    CHECK(points && points->size == 3);
    double most = 0;
    int k = 0;
    for (const tn_node *p = points ? points->first : NULL; p; p = p->next, k++) {
      CHECK(p->size == 4 && p->first->number == 1 + 2 * k);
      most = fmax(most, p->first->next->number);
    }
    CHECK(most == real(swept, "result"));
    CHECK(at(at(root, "references"), "r") != NULL);
    tn_arena_free(&arena);
  }
  const long calls = page.calls;
  for (long n = 1; n < calls / 2; n += 1 + calls / 60) {
    page = (text){.text = page.text, .room = page.room, .fail = n};
    if (tn_study_page(s, "", to_text, &page, &e) != TN_E_IO) FAIL("call %ld", n);
  }
  tn_study_free(s);
  remove(path);
  free(page.text);
}

TEST(integrators_and_surfaces) {
  static const char *const names[] = {"rk4", "ab2", "trbdf2"}, *const bad[] = {"rk4", "rk5"};
  text page = {0};
  tn_arena arena;
  tn_error e;
  if (no_pages()) return;
  CHECK(tn_report_stability_page(3, names, "tenon stability", to_text, &page, &e) == TN_OK);
  const tn_node *root = data_of(&page, &arena), *list = at(root, "integrators");
  CHECK(list && list->size == 3);
  const tn_node *x = list ? list->first : NULL;
  for (int i = 0; x; i++, x = x->next) {
    CHECK_TEXT(words(x, "integrator"), names[i]);
    const tn_node *region = at(x, "regions") ? at(x, "regions")->first : NULL, *columns = at(region, "columns");
    CHECK(region && columns && columns->size == TN_REGION_COLUMNS);
    /* edges rise; where there is an end, their area is that of the region, else the left half is whole */
    double cells = 0;
    int k = 0, whole = 0;
    for (const tn_node *c = columns ? columns->first : NULL; c; c = c->next, k++) {
      double last = -1;
      bool in = false;
      for (const tn_node *v = c->first; v; v = v->next, in = !in) {
        CHECK(v->number > last && v->number <= TN_REGION_ROWS);
        if (in) cells += v->number - last;
        last = v->number;
      }
      CHECK(!in);
      whole += k < TN_REGION_COLUMNS / 2 && c->size == 2 && c->first->number == 0 && last == TN_REGION_ROWS;
    }
    const double dx = (real(region, "right") - real(region, "left")) / TN_REGION_COLUMNS,
                 dy = real(region, "top") / TN_REGION_ROWS;
    if (i < 2) CHECK_NEAR(2 * cells * dx * dy, real(x, "area"), 1e-9 * real(x, "area"));
    if (i == 2) CHECK(whole == TN_REGION_COLUMNS / 2 && cells < TN_REGION_COLUMNS * TN_REGION_ROWS && dx == dy);
    /* the largest gains are those of the table's rules: b/2 < a < 2 with one step that knows all */
    const tn_node *gain = at(x, "gains") ? at(x, "gains")->first : NULL;
    CHECK(gain != NULL);
    if (gain && i == 0) {
      CHECK_NEAR(gain->first->next->number, gain->first->number / 2, 1e-6);
      CHECK_NEAR(gain->first->next->next->number, 2, 1e-6);
    }
  }
  tn_arena_free(&arena);
  page.used = 0;
  CHECK(tn_report_stability_page(2, bad, "", to_text, &page, &e) == TN_E_USAGE && !page.used);
  CHECK_HAS(e.message, "rk5");
  CHECK(tn_report_surface_page("fuzzy:set=gaussian", "tenon surface x", to_text, &page, &e) == TN_OK);
  root = data_of(&page, &arena);
  CHECK_TEXT(words(root, "kind"), "surface");
  CHECK(at(root, "F") && at(root, "F")->size == 41 && at(root, "table")->size == 5);
  tn_arena_free(&arena);
  page.used = 0;
  CHECK(tn_report_surface_page("fuzzy:infer=mamdani,size_rate=3", "tenon surface x", to_text, &page, &e) == TN_OK);
  root = data_of(&page, &arena);
  CHECK(at(root, "sets")->size == 5 && at(root, "sets_rate")->size == 3 && at(root, "outputs")->size == 5);
  CHECK(at(root, "table")->size == 5 && at(root, "table")->first->size == 3 && !at(root, "table_x"));
  tn_arena_free(&arena);
  page.used = 0;
  CHECK(tn_report_surface_page("baumgarte", "", to_text, &page, &e) == TN_E_USAGE && !page.used);
  free(page.text);
}
