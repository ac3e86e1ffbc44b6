/* assumptions of a study: what rests on them, what a variation changes, and whether that is as the study says. */
#include "study/claims.h"

#include "support/failing.h"
#include "test.h"

#define MODELS TN_SOURCE_DIR "/models/"

static char path[] = "assumptions_under_test.json";

static tn_status read_text(const char *text, tn_study **s, tn_error *e) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
  return tn_study_read(NULL, path, s, e);
}

/* "long" is like "short" with another span; "own" has its own integrator. the rows: of each run, of a value over two, of none */
#define HEAD                                                                                                           \
  "{\"study\": 1, \"paper\": \"p\", \"runs\": {\"short\": {\"model\": \"" MODELS                                       \
  "pendulum.json\", \"method\": \"fci\", \"integrator\": \"rk4\", \"step\": 0.01, \"until\": 0.5},"                    \
  "\"long\": {\"like\": \"short\", \"until\": 1}, \"own\": {\"like\": \"short\", \"integrator\": \"heun\"}},"          \
  "\"measures\": {\"s\": {\"run\": \"short\", \"of\": \"C\"}, \"l\": {\"run\": \"long\", \"of\": \"C\"},"              \
  " \"o\": {\"run\": \"own\", \"of\": \"C\"}, \"both\": {\"value\": \"l/s\"}, \"none\": {\"value\": 1}},"              \
  "\"rows\": [" ROW("s", "measured < 1e-6") "," ROW("l", "measured < 1e-5") "," ROW("o", "measured < 1") "," ROW(      \
      "both", "measured > 1") "," ROW("none", "measured == 1") "],"
#define ROW(name, rule)                                                                                                \
  "{\"id\": \"" name "\", \"measure\": \"" name "\", \"holds\": \"" rule                                               \
  "\", \"tolerance\": \"qualitative\", \"verdict\": \"reproduced\"}"
#define ONE(to, replace, changes)                                                                                      \
  "{\"what\": \"w\", \"used\": \"u\", \"why\": \"y\", \"varied\": [{\"to\": \"" to "\", \"replace\": " replace         \
  ", \"changes\": " changes "}]}"

static bool rests(const tn_study *s, int assumption, const char *id) {
  for (int i = 0; i < s->rows; i++)
    if (strcmp(s->row[i].row.id, id) == 0) return s->assumption[assumption].rests[i];
  return false;
}

/* members are taken from the run that it is like, unless a run has its own */
TEST(rows_rest_on_what_is_replaced) {
  static const struct {
    const char *replace, *rest;
  } cases[] = {{"{\"runs\": {\"short\": {\"step\": 0.02}}}", "s l o both"},
               {"{\"runs\": {\"short\": {\"until\": 0.4}}}", "s o both"},
               {"{\"runs\": {\"short\": {\"integrator\": \"euler\"}}}", "s l both"},
               {"{\"runs\": {\"own\": {\"set\": {\"/gravity\": [0, -1]}}}}", "o"},
               {"{\"measures\": {\"l\": {\"take\": \"min\"}}}", "l both"},
               {"{\"rows\": {\"none\": {\"holds\": \"measured == 2\"}}}", "none"}};
  static const char *const all[] = {"s", "l", "o", "both", "none"};
  char text[4096];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tn_study *s;
    tn_error e;
    snprintf(text, sizeof text, "%s\"assumptions\": [" ONE("t", "%s", "{}") "]}", HEAD, cases[i].replace);
    if (read_text(text, &s, &e) != TN_OK) {
      FAIL("%s: %s", cases[i].replace, e.message);
      continue;
    }
    int n = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
      char word[8];
      snprintf(word, sizeof word, " %s ", all[k]);
      char list[64];
      snprintf(list, sizeof list, " %s ", cases[i].rest);
      const bool wanted = strstr(list, word) != NULL;
      n += wanted;
      if (rests(s, 0, all[k]) != wanted) FAIL("%s: %s", cases[i].replace, all[k]);
    }
    CHECK(tn_study_assumption_at(s, 0)->rows == n && tn_study_variation_at(s, 0, 0)->rows == n);
    tn_study_free(s);
  }
  remove(path);
}

/* a step ten times as long makes two verdicts fall; what the file says of that is compared, verdict by verdict */
TEST(verdicts_that_change) {
  static const struct {
    const char *changes;
    bool as_said;
  } cases[] = {{"{\"s\": \"differs\", \"l\": \"differs\"}", true},
               {"{\"s\": \"differs\"}", false},
               {"{\"s\": \"differs\", \"l\": \"not-decidable\"}", false},
               {"{\"s\": \"differs\", \"l\": \"differs\", \"o\": \"differs\"}", false}};
  char text[4096];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tn_study *s;
    tn_error e;
    snprintf(text, sizeof text,
             "%s\"assumptions\": [" ONE("0.1 s", "{\"runs\": {\"short\": {\"step\": 0.1}}}", "%s") "]}", HEAD,
             cases[i].changes);
    if (read_text(text, &s, &e) != TN_OK || tn_study_vary(s, NULL, &e) != TN_OK) {
      FAIL("%s", e.message);
      continue;
    }
    const tn_study_variation *v = tn_study_variation_at(s, 0, 0);
    CHECK(v->done && v->run == 4 && v->changed == 2 && v->as_said == cases[i].as_said);
    CHECK(tn_study_varied_as_said(s) == cases[i].as_said);
    CHECK(s->assumption[0].variation[0].used[0] == TN_REPRODUCED &&
          s->assumption[0].variation[0].found[0] == TN_DIFFERS);
    CHECK(tn_study_row_at(s, 0)->verdict == TN_REPRODUCED); /* the study itself has what is used */
    CHECK(tn_study_row_at(s, 4)->verdict == TN_NOT_RUN);    /* nothing rests on it */
    CHECK(tn_study_row_at(s, 0)->assumptions == 1 && tn_study_row_at(s, 4)->assumptions == 0);
    const tn_study_options only = {.only = "none"};
    CHECK(tn_study_vary(s, &only, &e) == TN_OK && v->run == 0 && v->as_said);
    CHECK(tn_study_run(s, NULL, &e) == TN_OK && tn_study_row_at(s, 4)->verdict == TN_REPRODUCED);
    tn_study_counts n;
    tn_study_count(s, &n);
    CHECK(n.assumed >= 1 && n.claims == 5);
    tn_study_free(s);
  }
  remove(path);
}

TEST(assumptions_that_are_refused) {
  static const struct {
    const char *text, *why;
  } bad[] = {
      {"{}", "has to be a list"},
      {"[{}]", "`what` is missing"},
      {"[{\"what\": \"w\", \"used\": \"u\", \"why\": \"y\"}]", "either `varied`"},
      {"[{\"what\": \"w\", \"used\": \"u\", \"why\": \"y\", \"not_varied\": \"n\", \"varied\": [{}]}]",
       "either `varied`"},
      {"[{\"what\": \"w\", \"used\": \"u\", \"why\": \"y\", \"varied\": []}]", "what else was tried"},
      {"[{\"what\": \"w\", \"used\": \"u\", \"why\": \"y\", \"not_varied\": \"n\", \"rows\": [\"x\"]}]", "no row 'x'"},
      {"[" ONE("t", "{\"runs\": {\"other\": {}}}", "{}") "]", "`runs` of the study has no 'other'"},
      {"[" ONE("t", "{\"rows\": {\"x\": {}}}", "{}") "]", "`rows` of the study has no 'x'"},
      {"[" ONE("t", "{\"rnus\": {}}", "{}") "]", "did you mean"},
      {"[" ONE("t", "{\"runs\": 1}", "{}") "]", "has to be an object"},
      {"[" ONE("t", "{\"runs\": {\"short\": {}}}", "{}") "]", "no row rests on"},
      {"[" ONE("t", "{\"runs\": {\"own\": {\"step\": 1}}}", "{\"s\": \"differs\"}") "]", "'s' does not rest"},
      {"[" ONE("t", "{\"runs\": {\"own\": {\"step\": 1}}}", "{\"o\": \"worse\"}") "]", "can be reproduced"},
      {"[" ONE("t", "{\"runs\": {\"own\": {\"step\": 1}}}", "[]") "]", "{} if none does"}};
  char text[4096];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tn_study *s = NULL;
    tn_error e;
    snprintf(text, sizeof text, "%s\"assumptions\": %s}", HEAD, bad[i].text);
    if (read_text(text, &s, &e) == TN_OK || !strstr(e.message, bad[i].why) || !e.line) {
      char whole[512];
      tn_error_text(&e, whole, sizeof whole);
      if (!strstr(whole, bad[i].why)) FAIL("%s: %s", bad[i].text, s ? "read" : whole);
    }
    tn_study_free(s);
  }
  remove(path);
}

/* of whatever allocation fails, nothing is left over */
TEST(every_allocation_of_a_variation_may_fail) {
  bool good = false;
  tn_study *s = NULL;
  tn_error e;
  char text[4096];
  snprintf(text, sizeof text, "%s\"assumptions\": [" ONE("t", "{\"runs\": {\"own\": {\"step\": 0.02}}}", "{}") "]}",
           HEAD);
  CHECK(read_text(text, &s, &e) == TN_OK);
  tn_study_free(s);
  for (long fail = 1; fail < 3000 && !good; fail += 1 + fail / 20) {
    failing f = {.fail = fail};
    const tn_allocator a = {fail_allocate, fail_release, &f};
    const tn_study_options one = {.workers = 1};
    s = NULL;
    tn_status status = tn_study_read(&a, path, &s, &e);
    if (status == TN_OK) status = tn_study_vary(s, &one, &e);
    CHECK(status == TN_OK || status == TN_E_MEMORY);
    good = status == TN_OK && tn_study_varied_as_said(s) && f.calls < fail;
    tn_study_free(s);
    CHECK(f.out == 0);
  }
  CHECK(good);
  remove(path);
}

/* a run that fails while what is measured is still small does not show that it stays small */
TEST(a_run_that_fails_reproduces_nothing) {
  static const char text[] =
      "{\"study\": 1, \"runs\": {\"a\": {\"model\": \"" MODELS "pendulum.json\", \"integrator\": \"rk4\", "
      "\"step\": 0.01, \"until\": 1, \"method\": \"fci\", \"most-rhs\": 20}},"
      "\"rows\": [{\"id\": \"small\", \"measure\": {\"run\": \"a\", \"of\": \"C\"}, \"holds\": \"measured < 1e-3\", "
      "\"tolerance\": \"qualitative\", \"verdict\": \"differs\"},"
      "{\"id\": \"ends\", \"measure\": {\"run\": \"a\", \"of\": \"time\"}, \"holds\": \"measured < 0.1\", "
      "\"tolerance\": \"qualitative\", \"verdict\": \"reproduced\"}]}";
  tn_study *s;
  tn_error e;
  if (read_text(text, &s, &e) != TN_OK || tn_study_run(s, NULL, &e) != TN_OK) {
    FAIL("%s", e.message);
    return;
  }
  CHECK(tn_study_row_at(s, 0)->measured < 1e-3 && tn_study_row_at(s, 0)->failure);
  CHECK(tn_study_row_at(s, 0)->verdict == TN_DIFFERS && tn_study_row_at(s, 1)->verdict == TN_REPRODUCED);
  tn_study_free(s);
  remove(path);
}

/* ---- the papers ------------------------------------------------------------------------------------------------------------------ */

static void vary(const char *paper, const char *only) {
  char file[512];
  tn_error e;
  tn_study *s;
  const tn_study_options o = {.quick = true, .only = only};
  snprintf(file, sizeof file, TN_SOURCE_DIR "/studies/%s.json", paper);
  if (tn_study_read(NULL, file, &s, &e) != TN_OK || tn_study_vary(s, &o, &e) != TN_OK) {
    FAIL("%s: %s", paper, e.message);
    return;
  }
  for (int k = 0; k < s->assumptions; k++)
    for (int l = 0; l < s->assumption[k].variations; l++) {
      const tn_variation_plan *v = &s->assumption[k].variation[l];
      for (int i = 0; i < s->rows && !v->variation.as_said; i++)
        if (v->used[i] != TN_NOT_RUN && v->found[i] != (v->said[i] ? v->said[i] : v->used[i]))
          FAIL("%s, to %s: %s is %s, then %s", s->assumption[k].assumption.what, v->variation.to, s->row[i].row.id,
               tn_verdict_name(v->used[i]), tn_verdict_name(v->found[i]));
    }
  tn_study_free(s);
}

TEST(limits_without_the_last_evaluation) { vary("wu2000", "table2"); }
TEST_FULL(wu2000) { vary("wu2000", "table3"); }
TEST_FULL(hoang2023) { vary("hoang2023", "sim1.range"); }
TEST_FULL(iftomm) { vary("iftomm", "a0"); }
TEST_LONG(all_assumptions) {
  static const char *const papers[] = {"wu2000", "braun2009", "nada2017", "nada2023", "hoang2023", "iftomm"};
  for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) vary(papers[i], NULL);
}
