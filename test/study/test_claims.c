/* what a study counts, and how its rows are judged: claims, and rules that are satisfied by nothing. */
#include "study/claims.h"

#include "test.h"

static char path[] = "claims_under_test.json";

static tn_status read_text(const char *text, tn_study **s, tn_error *e) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
  tn_status status = tn_study_read(NULL, path, s, e);
  remove(path);
  return status;
}

#define VALUE(id, value)                                                                                               \
  "{\"id\": \"" id "\", \"what\": \"says " id "\", \"where\": \"in " id "\", \"holds\": \"measured > 0\", "            \
  "\"measure\": {\"value\": " value "}, \"expected\": 1, \"tolerance\": \"exact\", \"verdict\": \"reproduced\", "      \
  "\"ours\": {\"value\": 2, \"tolerance\": \"exact\", \"why\": \"two\"}}"
#define ROWS "\"rows\": [" VALUE("a.1", "1") ", " VALUE("a.2", "-1") ", " VALUE("b", "2") ", " VALUE("c", "1") "]}"

/* claims of the paper are counted, whatever the number of their rows; checks and remarks are counted apart */
TEST(claims_are_counted_apart) {
  tn_study *s;
  tn_error e;
  tn_study_counts n;
  if (read_text("{\"study\": 1, \"claims\": {\"both\": {\"what\": \"w\", \"rows\": [\"a.*\"]}, \"more\": {\"kind\": "
                "\"check\", \"rows\": [\"c\"]}}, " ROWS,
                &s, &e) != TN_OK) {
    FAIL("%s", e.message);
    return;
  }
  tn_study_count(s, &n);
  CHECK(n.claims == 0 && n.rows == 0); /* nothing was run */
  CHECK(tn_study_run(s, NULL, &e) == TN_OK);
  const tn_study_claim *both = tn_study_claim_at(s, 0), *b = tn_study_claim_at(s, 1), *more = tn_study_claim_at(s, 2);
  CHECK(!tn_study_claim_at(s, 3) && !tn_study_claim_at(s, -1));
  CHECK(both->verdict == TN_IN_PART && both->rows == 2 && both->run == 2);
  CHECK_TEXT(both->what, "w");
  CHECK_TEXT(both->where, "in a.1"); /* of its first row */
  CHECK_TEXT(b->name, "b");
  CHECK_TEXT(b->what, "says b");
  CHECK(more->kind == TN_CHECK && more->verdict == TN_REPRODUCED);
  CHECK(tn_study_row_at(s, 3)->claim == 2 && tn_study_row_at(s, 1)->claim == 0);
  tn_study_count(s, &n);
  CHECK(n.claims == 2 && n.reproduced == 1 && n.in_part == 1 && n.differ == 0 && n.checks == 1 && n.remarks == 0);
  CHECK(n.rows == 4 && n.outside == 2 && n.unexplained == 1); /* of a.2 nothing is said that would explain -1 */
  CHECK_TEXT(tn_verdict_name(TN_IN_PART), "in-part");
  const tn_study_options only = {.only = "a.2"};
  CHECK(tn_study_run(s, &only, &e) == TN_OK);
  CHECK(tn_study_claim_at(s, 0)->verdict == TN_DIFFERS && tn_study_claim_at(s, 1)->verdict == TN_NOT_RUN);
  tn_study_free(s);
}

TEST(claims_that_are_refused) {
  static const struct {
    const char *text, *why;
  } bad[] = {
      {"{\"study\": 1, \"claims\": [], " ROWS, "`claims` has to be an object"},
      {"{\"study\": 1, \"claims\": {\"x\": {}}, " ROWS, "`rows` of a claim"},
      {"{\"study\": 1, \"claims\": {\"x\": {\"rows\": [1]}}, " ROWS, "the name of a row"},
      {"{\"study\": 1, \"claims\": {\"x\": {\"rows\": [\"a\"]}}, " ROWS, "there is no row 'a'"},
      {"{\"study\": 1, \"claims\": {\"x\": {\"rows\": [\"a.*\", \"a.1\"]}}, " ROWS, "belongs to claim 'x'"},
      {"{\"study\": 1, \"claims\": {\"x\": {\"kind\": \"fact\", \"rows\": [\"b\"]}}, " ROWS, "can be claim, check"},
      {"{\"study\": 1, \"publication\": {\"authors\": \"a\"}, " ROWS, "`title` is missing"},
      {"{\"study\": 1, \"publication\": {\"athors\": \"a\"}, " ROWS, "did you mean"},
      {"{\"study\": 1, \"check\": 1, " ROWS, "`check` has to be a text"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tn_study *s = NULL;
    tn_error e;
    char whole[1024];
    CHECK(read_text(bad[i].text, &s, &e) == TN_E_MODEL && e.line);
    tn_error_text(&e, whole, sizeof whole);
    if (!strstr(whole, bad[i].why)) FAIL("%s: %s", bad[i].text, whole);
    tn_study_free(s);
  }
}

/* a reader finds each claim in the paper, and knows who checked it */
TEST(every_row_says_where) {
  static const char *const all[] = {"wu2000", "braun2009", "nada2017", "nada2023", "hoang2023", "iftomm"};
  char file[512];
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    tn_study *s;
    tn_error e;
    snprintf(file, sizeof file, TN_SOURCE_DIR "/studies/%s.json", all[k]);
    if (tn_study_read(NULL, file, &s, &e) != TN_OK) {
      FAIL("%s: %s", all[k], e.message);
      continue;
    }
    for (int i = 0; i < tn_study_rows(s); i++) {
      const tn_study_row *r = tn_study_row_at(s, i);
      if (!*r->where || !*r->what || !*tn_study_claim_at(s, r->claim)->where)
        FAIL("%s has no place in the paper", r->id);
      if (strstr(r->what, "eyond the paper") && tn_study_claim_at(s, r->claim)->kind == TN_CLAIM)
        FAIL("%s is no claim of the paper", r->id);
    }
    CHECK(*s->check && tn_node_get(s->root, "publication"));
    tn_study_free(s);
  }
}

static void in_document(const char *paper, const char *document, const char *words) {
  if (words && !strstr(document, words)) FAIL("docs/papers/%s.md does not have: %s", paper, words);
}

/* the document of a paper begins with where it is to be found, and has every assumption with what was tried */
TEST(documents_have_the_assumptions) {
  static const char *const all[] = {"wu2000", "braun2009", "nada2017", "nada2023", "hoang2023", "iftomm"};
  static const char *const parts[] = {"authors", "title", "journal", "pages", "year", "doi"};
  char file[512];
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    tn_study *s;
    tn_error e;
    tn_arena arena;
    char *document = NULL;
    size_t size = 0;
    tn_arena_init(&arena, NULL);
    snprintf(file, sizeof file, TN_SOURCE_DIR "/docs/papers/%s.md", all[k]);
    CHECK(tn_file_text(&arena, file, &document, &size, &e) == TN_OK);
    snprintf(file, sizeof file, TN_SOURCE_DIR "/studies/%s.json", all[k]);
    if (!document || tn_study_read(NULL, file, &s, &e) != TN_OK) {
      FAIL("%s: %s", all[k], e.message);
      tn_arena_free(&arena);
      continue;
    }
    char *text = tn_arena_text(&arena, document, size);
    const tn_node *publication = tn_node_get(s->root, "publication");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      const tn_node *part = tn_node_get(publication, parts[i]);
      in_document(all[k], text, part ? part->text : NULL);
    }
    in_document(all[k], text, s->check);
    for (int i = 0; tn_study_assumption_at(s, i); i++) {
      const tn_study_assumption *a = tn_study_assumption_at(s, i);
      in_document(all[k], text, a->what);
      in_document(all[k], text, a->used);
      in_document(all[k], text, a->not_varied);
      for (int l = 0; tn_study_variation_at(s, i, l); l++)
        in_document(all[k], text, tn_study_variation_at(s, i, l)->to);
    }
    tn_study_free(s);
    tn_arena_free(&arena);
  }
}

/* ---- rules ------------------------------------------------------------------------------------------------------------------------------ */

/* values that say nothing: of the measures that the rule is about, those that are figures (counts, times, facts), and others */
typedef struct nothing {
  const bool *own;
  double mine, my_figure, spread, other, figure;
} nothing;

static bool is_figure(const tn_finding *m) {
  if (m->kind == TN_MEASURE_FACT || m->meter.signal == TN_SIGNAL_FIGURE) return true;
  if (m->kind == TN_MEASURE_VARIED && (m->collect == TN_COLLECT_FIRST || m->collect == TN_COLLECT_LAST)) return true;
  const tn_take t = m->meter.take;
  return t == TN_TAKE_COUNT || t == TN_TAKE_CROSSING || t == TN_TAKE_ABOVE || t == TN_TAKE_SETTLED;
}

static double value_of_nothing(void *user, const tn_study *s, int i) {
  const nothing *n = user;
  const bool figure = is_figure(&s->measure[i]);
  if (!n->own[i]) return figure ? n->figure : n->other;
  return (figure ? n->my_figure : n->mine) * (1 + n->spread * (i % 7));
}

static void mark(const tn_study *s, int i, bool *own) {
  if (i < 0 || i >= s->measures || own[i]) return;
  own[i] = true;
  const tn_expr *expr = s->measure[i].value;
  for (int k = 0; expr && k < tn_expr_slots(expr); k++) mark(s, tn_expr_slot(expr, k), own);
}

/* what the rule is about: the measure of the row, or, where it is not named, all that it names */
static void mark_own(const tn_study *s, const tn_row_plan *r, bool *own) {
  bool named = !r->holds;
  for (int k = 0; r->holds && k < tn_expr_slots(r->holds); k++)
    named = named || tn_expr_slot(r->holds, k) == TN_SLOT_MEASURED || tn_expr_slot(r->holds, k) == r->measure;
  if (named) mark(s, r->measure, own);
  for (int k = 0; !named && k < tn_expr_slots(r->holds); k++) mark(s, tn_expr_slot(r->holds, k), own);
}

/* whether zero or roundoff satisfies the rule, whatever their ratio */
static bool holds_of_roundoff(const tn_study *s, const tn_row_plan *r, const bool *own) {
  static const double times[] = {0, 1e-3, 0.1, 0.5, 1, 1.5, 2, 5, 9, 10, 11, 20, 50, 99, 101, 300, 1e3};
  static const double other[] = {0, 1e-16, 1e-15};
  for (size_t k = 0; k < sizeof times / sizeof *times; k++)
    for (size_t l = 0; l < sizeof other / sizeof *other; l++)
      for (int figure = 0; figure < 2; figure++) {
        nothing n = {own, times[k] * (other[l] > 0 ? other[l] : 1e-16), 0, 0, other[l], figure};
        if (tn_rule_holds(s, r, value_of_nothing, &n)) return true;
      }
  return false;
}

static bool holds_of_huge(const tn_study *s, const tn_row_plan *r, const bool *own) {
  static const double other[] = {0, 1e-12, 1};
  for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
    nothing n = {own, 1e30, 1e30, 0.37, other[k], 1};
    if (tn_rule_holds(s, r, value_of_nothing, &n)) return true;
  }
  return false;
}

static const char *rule_of(const tn_row_plan *r) {
  const tn_node *holds = tn_node_get(r->node, "holds");
  return holds && holds->kind == TN_NODE_TEXT ? holds->text : r->agree;
}

/* a claim that something is large or goes wrong, by its words */
static bool says_large(const char *what) {
  static const char *const words[] = {"accumulate", "grow",       "wrong", "drift",      "unstable", "sharp",
                                      "break down", "leaves the", "worse", "inaccurate", "costly",   "chaotic"},
                           *const denied[] = {"no error", "not grow", "not go", "or wrong"};
  for (size_t i = 0; i < sizeof denied / sizeof *denied; i++)
    if (strstr(what, denied[i])) return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(what, words[i])) return true;
  return false;
}

/* a claim that something goes wrong, grows or is larger is not reproduced by zero or roundoff; one that something is small is not by a
 * huge value. So no rule is satisfied by whatever is measured */
TEST(no_rule_is_satisfied_by_nothing) {
  static const char *const all[] = {"wu2000", "braun2009", "nada2017", "nada2023", "hoang2023", "iftomm"};
  static bool own[4096];
  char file[512];
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    tn_study *s;
    tn_error e;
    snprintf(file, sizeof file, TN_SOURCE_DIR "/studies/%s.json", all[k]);
    if (tn_study_read(NULL, file, &s, &e) != TN_OK) {
      FAIL("%s: %s", all[k], e.message);
      continue;
    }
    for (int i = 0; i < s->rows; i++) {
      const tn_row_plan *r = &s->row[i];
      if (!r->decidable) continue;
      memset(own, 0, sizeof own);
      mark_own(s, r, own);
      if (!holds_of_roundoff(s, r, own)) continue;
      if (holds_of_huge(s, r, own)) FAIL("%s: both roundoff and a huge value satisfy it: %s", r->row.id, rule_of(r));
      if (says_large(r->row.what)) FAIL("%s: zero or roundoff satisfies it: %s", r->row.id, rule_of(r));
    }
    tn_study_free(s);
  }
}
