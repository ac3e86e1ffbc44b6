/* sweeps: what is varied, in which order and with which numbers; values that do not depend on who makes a run; journals; sensitivities
 * against a closed form; and what is refused. */
#include "study/study.h"

#include <unistd.h>

#include "support/build.h"
#include "support/failing.h"
#include "test.h"

/* x'' = -k/m x from x = 1 at rest: x = cos(w t), w = sqrt(k/m) */
static const char oscillator[] =
    "{'tenon': 1, 'dimension': 2, 'constants': {'k': 4, 'm': 1},"
    " 'bodies': {'bob': {'mass': 'm', 'position': [1, 0], 'coordinates': 'point'}},"
    " 'forces': {'spring': {'type': 'spring', 'on': 'bob.x', 'stiffness': 'k'}},"
    " 'outputs': {'x': 'bob.x'}, 'run': {'until': 1, 'integrator': {'type': 'dop853', 'rtol': 1e-10, 'atol': 1e-10}}}";

static void spill(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  if (!f) abort();
  for (; *text; text++) fputc(*text == '\'' ? '"' : *text, f);
  fclose(f);
}

static tn_error e;

static tn_sweep *read_text(const char *text) {
  tn_sweep *s = NULL;
  spill("model.json", oscillator);
  spill("sweep.json", text);
  tn_sweep_read(NULL, "sweep.json", &s, &e);
  return s;
}

#define RUN "'run': {'model': 'model.json', 'set': {'/constants/k': '{k}'}}"
#define X "'measures': {'x': {'expression': 'bob.x', 'take': 'final'}}"

static tn_sweep *must_read(const char *text) {
  tn_sweep *s = read_text(text);
  if (!s) FAIL("%s: %s", text, e.message);
  return s;
}

typedef struct page {
  size_t used;
  char text[1 << 16];
} page;

static bool to_page(void *user, const char *text, size_t n) {
  page *p = user;
  if (p->used + n >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, n);
  p->text[p->used += n] = 0;
  return true;
}

static char *csv_of(const tn_sweep *s) {
  static page p[4];
  static int turn;
  page *now = &p[turn++ % 4];
  now->used = 0;
  now->text[0] = 0;
  CHECK(tn_sweep_csv(s, to_page, now) == TN_OK);
  return now->text;
}

static double value_of(const tn_sweep *s, int run, int measure) {
  tn_sweep_row row;
  return tn_sweep_row_at(s, run, &row) && row.values ? row.values[measure] : (double)NAN;
}

static void check_given(const tn_sweep *s, int run, const char *expected) {
  char all[200] = "", one[64];
  for (int i = 0; i < tn_sweep_parameters(s); i++) {
    tn_sweep_given_text(s, run, i, one, sizeof one, NULL);
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "", one);
  }
  CHECK_TEXT(all, expected);
}

/* ---- what is varied ---------------------------------------------------------------------------------------------------------- */

TEST(the_last_axis_is_the_fastest) {
  tn_sweep *s = must_read("{'sweep': 1, 'run': {'model': 'model.json', 'rtol': '{tol}', 'integrator': '{by}', "
                          "'set': {'/constants/k': '{k}'}}, 'vary': {'k': {'from': 1, 'to': 2, 'n': 11}, 'by': "
                          "['dopri5', 'dop853'], 'tol': {'from': 1e-4, 'to': 1e-8, 'n': 3, 'scale': 'log'}}, " X "}");
  if (!s) return;
  CHECK(tn_sweep_runs(s) == 66 && tn_sweep_parameters(s) == 3 && tn_sweep_measures(s) == 1);
  check_given(s, 0, "1 dopri5 0.0001");
  check_given(s, 1, "1 dopri5 1e-06");
  check_given(s, 3, "1 dop853 0.0001");
  check_given(s, 6 * 3 + 5, "1.3 dop853 1e-08"); /* tenths are tenths */
  check_given(s, 65, "2 dop853 1e-08");
  CHECK(tn_sweep_given_text(s, 66, 0, NULL, 0, NULL) == -1);
  tn_sweep_free(s);
}

TEST(lists_walked_together) {
  tn_sweep *s = must_read("{'sweep': 1, 'run': {'model': 'model.json', 'set': {'/constants/k': '{k}', '/constants/m': "
                          "'{m}'}, 'until': '{t}'}, 'vary': {'k': [1, 2, 3], 't': [1, 2], 'm': {'from': 4, 'to': 6, "
                          "'n': 3}}, 'together': [['m', 'k']], " X "}");
  if (!s) return;
  CHECK(tn_sweep_runs(s) == 6);
  check_given(s, 0, "1 1 4");
  check_given(s, 1, "2 1 5");
  check_given(s, 5, "3 2 6");
  tn_sweep_free(s);
}

static double random_of(const char *vary, int run, int parameter) {
  char text[1000];
  double x = NAN;
  snprintf(text, sizeof text,
           "{'sweep': 1, 'run': {'model': 'model.json', 'set': {'/constants/k': '{k}', '/run/until': '{t}+{u}'}}, "
           "'vary': {%s}, 'samples': 20, 'seed': 3, " X "}",
           vary);
  tn_sweep *s = must_read(text);
  if (s) tn_sweep_given_text(s, run, parameter, text, sizeof text, &x);
  tn_sweep_free(s);
  return x;
}

TEST(a_random_number_is_that_of_its_name) {
  const double k = random_of("'k': {'normal': [1, 0.1]}, 't': [1], 'u': [1]", 7, 0);
  CHECK(k == random_of("'t': [1], 'u': {'uniform': [1, 2]}, 'k': {'normal': [1, 0.1]}", 7, 2));
  CHECK(k ==
        random_of("'k': {'normal': [1, 0.1]}, 't': [1, 2], 'u': [1]", 27, 0)); /* the same at every point of a grid */
  CHECK(k != random_of("'k': {'normal': [1, 0.1]}, 't': [1], 'u': [1]", 8, 0));
  CHECK(random_of("'t': {'uniform': [0, 1]}, 'k': [1], 'u': [1]", 0, 0) !=
        random_of("'u': {'uniform': [0, 1]}, 'k': [1], 't': [1]", 0, 0));
  CHECK_NEAR(random_of("'t': {'uniform': [0, 1]}, 'k': [1], 'u': [1]", 0, 0), 0.74103700400771699,
             0); /* for all time */
}

/* moments of 4000 of each kind, within four of their own deviations */
TEST(random_numbers_are_distributed_as_they_say) {
  tn_axis axis[3] = {{.name = "a", .kind = TN_AXIS_UNIFORM, .n = 1, .a = 2, .b = 5},
                     {.name = "a", .kind = TN_AXIS_NORMAL, .n = 1, .a = -1, .b = 0.5},
                     {.name = "b", .kind = TN_AXIS_LOG_UNIFORM, .n = 1, .a = 1, .b = 100}};
  const double mean[] = {3.5, -1, log(10)}, deviation[] = {3 / sqrt(12), 0.5, log(100) / sqrt(12)};
  const int n = 4000;
  for (int i = 0; i < 3; i++) {
    double sum = 0, squares = 0, lag = 0, last = 0;
    for (int k = 0; k < n; k++) {
      tn_given g;
      tn_axis_value(&axis[i], 11, k, &g);
      const double z = ((i == 2 ? log(g.number) : g.number) - mean[i]) / deviation[i];
      CHECK(i == 1 || (g.number >= axis[i].a && g.number <= axis[i].b));
      sum += z;
      squares += z * z;
      lag += z * last;
      last = z;
    }
    CHECK_NEAR(sum / n, 0, 4 / sqrt(n));
    CHECK_NEAR(squares / n, 1, 4 * sqrt(2.0 / n));
    CHECK_NEAR(lag / n, 0, 4 / sqrt(n));
  }
}

/* ---- values ------------------------------------------------------------------------------------------------------------------ */

TEST(values_are_those_of_the_runs) {
  tn_sweep *s = must_read("{'sweep': 1, 'title': 'k', " RUN ", 'vary': {'k': [1, 4, 9]}, 'measures': {"
                          "'double': {'value': '2*x + k'}, 'x': {'expression': 'bob.x', 'take': 'final'}, "
                          "'never': {'expression': 'bob.x', 'take': 'above', 'level': 2}}}");
  if (!s) return;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK && tn_sweep_failed(s) == 0);
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(value_of(s, i, 1), cos(i + 1.0), 1e-8);
    CHECK_NEAR(value_of(s, i, 0), 2 * value_of(s, i, 1) + (i + 1) * (i + 1), 0);
    CHECK(isnan(value_of(s, i, 2)));
  }
  CHECK_TEXT(tn_sweep_title(s), "k");
  page p = {0};
  CHECK(tn_sweep_text(s, to_page, &p) == TN_OK);
  CHECK_HAS(p.text, "median");
  p.used = 0;
  CHECK(tn_sweep_json(s, to_page, &p) == TN_OK);
  CHECK_HAS(p.text, "\"given\": {\"k\": 9}");
  tn_node *root;
  tn_arena arena;
  tn_arena_init(&arena, NULL);
  CHECK(tn_json_parse(&arena, "json", p.text, p.used, &root, &e) == TN_OK);
  tn_arena_free(&arena);
  tn_sweep_free(s);
}

TEST(a_pointer_is_set_and_models_may_be_a_list) {
  spill("other.json", oscillator);
  tn_sweep *s = must_read("{'sweep': 1, 'run': {'model': '{which}.json'}, 'vary': {'/constants/k': [1, 4], 'which': "
                          "['model', 'other']}, " X "}");
  if (!s) return;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
  for (int i = 0; i < 4; i++) CHECK_NEAR(value_of(s, i, 0), cos(i < 2 ? 1 : 2), 1e-8);
  CHECK_TEXT(tn_sweep_file(s, 1), "other.json");
  CHECK(!tn_sweep_file(s, 2));
  tn_sweep_free(s);
}

TEST(errors_against_a_file) {
  FILE *f = fopen("exact.csv", "w");
  fputs("t,x\n", f);
  for (int i = 0; i <= 10; i++) fprintf(f, "%.17g,%.17g\n", 0.1 * i, cos(0.2 * i));
  fclose(f);
  tn_sweep *s = must_read(
      "{'sweep': 1, 'run': {'model': 'model.json', 'every': '{every}', 'rtol': 1e-9}, 'vary': {'every': [0.1, 0.7]}, "
      "'references': {'exact': {'file': 'exact.csv'}}, 'measures': {'off': {'of': 'error', 'against': 'exact', "
      "'channels': {'bob.x': 'x'}, 'from': 0.05}}}");
  if (!s) return;
  tn_sweep_row row;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
  CHECK(value_of(s, 0, 0) > 0 && value_of(s, 0, 0) < 1e-7);
  CHECK_TEXT(tn_sweep_file(s, 1), "exact.csv");
  CHECK(tn_sweep_row_at(s, 1, &row) && !row.failure); /* at 0.7 s alone */
  tn_sweep_free(s);
}

TEST(a_name_stands_in_pointers_too) {
  tn_sweep *s = must_read("{'sweep': 1, 'run': {'model': 'model.json', 'set': {'/constants/{which}': 9}}, 'vary': "
                          "{'which': ['k', 'm']}, " X "}");
  if (!s) return;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
  CHECK_NEAR(value_of(s, 0, 0), cos(3), 1e-8);
  CHECK_NEAR(value_of(s, 1, 0), cos(2.0 / 3), 1e-8);
  tn_sweep_free(s);
}

TEST(failures_are_rows) {
  tn_sweep *s = must_read("{'sweep': 1, 'run': {'model': 'model.json', 'set': {'/constants/m': '{m}'}}, 'vary': {'m': "
                          "[1, -1, 'nonsense(', 4]}, " X "}");
  if (!s) return;
  tn_sweep_row row;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK && tn_sweep_failed(s) == 2);
  CHECK_NEAR(value_of(s, 0, 0), cos(2), 1e-8);
  CHECK_NEAR(value_of(s, 3, 0), cos(1), 1e-8);
  for (int i = 1; i < 3; i++) {
    CHECK(tn_sweep_row_at(s, i, &row) && row.done && row.failure && isnan(row.values[0]));
    CHECK_HAS(row.failure, i == 1 ? "the mass must not be negative" : "unknown function 'nonsense'");
  }
  CHECK_HAS(csv_of(s), "\n3,nonsense(,,,unknown function");
  tn_sweep_free(s);
}

/* as in `tenon run`, and not as in a study */
TEST(a_broken_contract_is_a_failure) {
  tn_sweep *s = must_read("{'sweep': 1, 'run': {'model': '" TN_SOURCE_DIR "/models/pendulum.json', 'method': 'fci', "
                          "'integrator': 'euler', 'step': '{h}', 'until': 1}, 'vary': {'h': [0.01]}, 'measures': {'C': "
                          "{'of': 'C'}}}");
  if (!s) return;
  tn_sweep_row row;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK && tn_sweep_failed(s) == 1);
  CHECK(tn_sweep_row_at(s, 0, &row) && row.failure);
  CHECK_HAS(row.failure ? row.failure : "", "contract");
  page p = {0};
  CHECK(tn_sweep_text(s, to_page, &p) == TN_OK);
  CHECK_HAS(p.text, "all 1 runs failed alike: ");
  tn_sweep_free(s);
}

static const char random_k[] = "{'sweep': 1, " RUN ", 'vary': {'k': {'uniform': [-1, 9]}}, 'samples': 40, " X "}";

TEST(any_number_of_workers_gives_the_same_bytes) {
  char first[sizeof(page)] = "";
  for (int workers = 1; workers <= 5; workers += 2) {
    tn_sweep *s = must_read(random_k);
    if (!s) return;
    CHECK(tn_sweep_run(s, &(tn_sweep_options){.workers = workers}, &e) == TN_OK);
    CHECK(tn_sweep_failed(s) > 0 && tn_sweep_failed(s) < 40); /* a stiffness below 0 */
    if (workers == 1) strcpy(first, csv_of(s));
    CHECK_TEXT(csv_of(s), first);
    tn_sweep_free(s);
  }
}

/* ---- journals ----------------------------------------------------------------------------------------------------------------- */

static bool after(void *most, const tn_sweep_progress *p) { return p->done < *(int *)most; }

static int resumed;
static bool note(void *unused, const tn_sweep_progress *p) {
  (void)unused;
  resumed = p->resumed;
  return true;
}

TEST(a_journal_goes_on_wherever_it_was_cut) {
  tn_sweep *s = must_read(random_k);
  if (!s) return;
  remove("j");
  int most = 25;
  CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "j", .progress = after, .user = &most, .workers = 2}, &e) ==
        TN_E_STOPPED);
  tn_sweep_free(s);
  if (!(s = must_read(random_k))) return;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
  char whole[sizeof(page)], journal[1 << 14];
  strcpy(whole, csv_of(s));
  FILE *f = fopen("j", "rb");
  const size_t n = f ? fread(journal, 1, sizeof journal, f) : 0;
  if (f) fclose(f);
  CHECK(n > 500);
  for (size_t cut = n; cut > 0; cut -= cut > 37 ? 37 : cut) {
    f = fopen("j", "wb");
    fwrite(journal, 1, cut, f);
    if (cut % 2) fputs("7 zzzz", f); /* and something that is no line */
    fclose(f);
    const bool head = memchr(journal, '\n', cut);
    const tn_status status = tn_sweep_run(s, &(tn_sweep_options){.journal = "j", .progress = note}, &e);
    if (!head && cut % 2) { /* that is no head of ours */
      CHECK(status == TN_E_USAGE);
      continue;
    }
    CHECK(status == TN_OK);
    CHECK_TEXT(csv_of(s), whole);
    CHECK(cut == n ? resumed >= 25 : resumed <= 26);
  }
  tn_sweep_free(s);
}

TEST(a_journal_of_another_is_refused) {
  tn_sweep *s = must_read(random_k);
  if (!s) return;
  remove("j");
  CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "j"}, &e) == TN_OK);
  char mine[64];
  strcpy(mine, tn_sweep_fingerprint(s));
  tn_sweep_free(s);
  if (!(s = must_read("{'sweep': 1, " RUN ", 'vary': {'k': {'uniform': [-1, 8]}}, 'samples': 40, " X "}"))) return;
  CHECK(strcmp(mine, tn_sweep_fingerprint(s)) != 0);
  CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "j"}, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "of another sweep");
  CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "j", .anew = true, .progress = note}, &e) == TN_OK);
  CHECK(resumed == 0);
  CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "sweep.json"}, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "no journal");
  CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "nowhere/j"}, &e) == TN_E_IO);
  tn_sweep_free(s);
}

/* a value that was changed, and a run that is not there: it is made again, and the line behind it stays */
TEST(lines_that_are_not_right_are_not_believed) {
  tn_sweep *s = must_read("{'sweep': 1, " RUN ", 'vary': {'k': [1, 4]}, " X "}");
  if (!s) return;
  remove("j");
  CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "j"}, &e) == TN_OK);
  char good[1 << 10] = "", bad[1 << 10];
  FILE *f = fopen("j", "rb");
  good[f ? fread(good, 1, sizeof good - 1, f) : 0] = 0;
  if (f) fclose(f);
  const size_t line = (size_t)(strchr(good, '\n') - good) + 1;
  for (size_t at = line; good[at] != '\n'; at++) {
    strcpy(bad, good);
    bad[at] = bad[at] == '1' ? '2' : '1';
    f = fopen("j", "wb");
    fputs(bad, f);
    fclose(f);
    CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "j", .progress = note}, &e) == TN_OK);
    CHECK(resumed == 1);
    CHECK_NEAR(value_of(s, 0, 0), cos(1), 1e-8);
    CHECK_NEAR(value_of(s, 1, 0), cos(2), 1e-8);
    CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "j", .progress = note}, &e) == TN_OK);
    CHECK(resumed == 2); /* the new line stands at the end */
  }
  tn_sweep_free(s);
}

/* whoever knows how checks are made can write words that a terminal would obey */
TEST(words_of_a_journal_are_cleaned) {
  tn_sweep *s = must_read("{'sweep': 1, " RUN ", 'vary': {'k': [1, 4]}, " X "}");
  if (!s) return;
  const char line[] = "0 ! red\x1b[31m\x7f\xc2\x9b \xc3\xa4 \xff";
  unsigned check = 2166136261u;
  for (const char *c = line; *c; c++) check = (check ^ (unsigned char)*c) * 16777619u;
  FILE *f = fopen("j", "wb");
  fprintf(f, "tenon sweep journal 2 %s 2 1\n%s %08x\n", tn_sweep_fingerprint(s), line, check);
  fclose(f);
  CHECK(tn_sweep_run(s, &(tn_sweep_options){.journal = "j", .progress = note}, &e) == TN_OK);
  CHECK(resumed == 1 && tn_sweep_failed(s) == 1);
  CHECK_HAS(csv_of(s), "\n1,1,,,red [31m    \xc3\xa4 ?\n2,4,-0.41");
  tn_sweep_free(s);
}

/* spreadsheets run what begins like a formula; numbers begin with a sign and are none */
TEST(texts_in_csv_are_no_formulas) {
  tn_sweep *s = must_read(
      "{'sweep': 1, 'run': {'model': 'model.json', 'set': {'/title': '{w}', '/constants/k': '{k}'}}, 'vary': {"
      "'w': ['=cmd|calc!A0', '+1+2', '-x', '@SUM(1)', 'plain', 'a=b', '\\u009b31m', '\\u202eabc', 'two, words'], 'k': "
      "[-1, 1.5]}, " X "}");
  if (!s) return;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
  const char *csv = csv_of(s);
  CHECK_HAS(csv, ",\"'=cmd|calc!A0\",-1,");
  CHECK_HAS(csv, ",\"'=cmd|calc!A0\",1.5,");
  CHECK_HAS(csv, ",\"'+1+2\",");
  CHECK_HAS(csv, ",\"'-x\",");
  CHECK_HAS(csv, ",\"'@SUM(1)\",");
  CHECK_HAS(csv, ",plain,");
  CHECK_HAS(csv, ",a=b,");
  CHECK_HAS(csv, ",\\u009b31m,");
  CHECK_HAS(csv, ",\\u202eabc,");
  CHECK_HAS(csv, ",\"two, words\",");
  CHECK(!strstr(csv, "'-1"));
  tn_sweep_free(s);
}

static bool to_text(void *user, const char *text, size_t n) {
  strncat(user, text, n);
  return true;
}

TEST(fields_of_csv) {
  static const char *const cases[][2] = {{"a", "a"},
                                         {"", ""},
                                         {"=1", "\"'=1\""},
                                         {"+", "\"'+\""},
                                         {"-", "\"'-\""},
                                         {"@x", "\"'@x\""},
                                         {"\tx", "\"'\\tx\""},
                                         {"\rx", "\"'\\rx\""},
                                         {"a\"b", "\"a\"\"b\""},
                                         {"=\"\"", "\"'=\"\"\"\"\""},
                                         {" a", "\" a\""},
                                         {"a\nb", "\"a\\nb\""},
                                         {"\x1b", "\\x1b"},
                                         {"\xff", "\\xff"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[64] = "";
    CHECK(tn_csv_text(cases[i][0], false, to_text, text));
    CHECK_TEXT(text, cases[i][1]);
  }
  char text[64] = "";
  CHECK(tn_csv_text("a", true, to_text, text));
  CHECK_TEXT(text, "\"a\"");
}

/* ---- sensitivities -------------------------------------------------------------------------------------------------------------- */

/* x(1) = cos(w): dx/dk = -sin(w)/(2 sqrt(k m)), dx/dm = sin(w) sqrt(k)/(2 m^1.5). the error said is one, and no idle one */
TEST(sensitivities_are_those_of_the_closed_form) {
  static const double step[] = {0.3, 0.04, 1e-3, 1e-6};
  for (int i = 0; i < 4; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "{'sweep': 1, 'kind': 'sensitivity', 'run': {'model': 'model.json', 'set': {'/constants/k': '{k}'}}, "
             "'vary': {'k': {'at': 4, 'step': %g}, '/constants/m': {'at': 1, 'step': %g}}, " X "}",
             step[i], step[i] / 4);
    tn_sweep *s = must_read(text);
    if (!s) return;
    tn_sensitivity d;
    CHECK(tn_sweep_runs(s) == 13);
    CHECK(tn_sweep_sensitivity(s, 0, &d) && isnan(d.derivative)); /* before it is run */
    CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
    const double exact[] = {-sin(2) / 4, sin(2)};
    for (int k = 0; k < 2; k++) {
      CHECK(tn_sweep_sensitivity(s, k, &d));
      CHECK(d.error > 0 && fabs(d.derivative - exact[k]) <= d.error);
      CHECK(d.error < (i == 0 ? 1e-2 : i == 3 ? 1e-2 : 1e-3));
      CHECK_NEAR(d.value, cos(2), 1e-8);
    }
    if (i == 1) CHECK_NEAR(d.derivative, exact[1], 1e-7); /* better than it says */
    CHECK(!tn_sweep_sensitivity(s, 2, &d));
    CHECK_HAS(csv_of(s), "/constants/m,x,1,");
    tn_sweep_free(s);
  }
}

/* the error that is said sees what the runs are off by, whatever the step of the difference is; and is no idle one */
TEST(errors_of_sensitivities_are_honest) {
  static const char *const settings[] = {"'rtol': 1e-3, 'atol': 1e-3", "'integrator': 'rk4', 'step': 0.05",
                                         "'integrator': 'abm', 'rtol': 1e-5", "'integrator': 'euler', 'step': 0.001",
                                         "'integrator': 'radau5', 'rtol': 1e-4"};
  static const double step[] = {0.1, 1e-2, 1e-4};
  for (int i = 0; i < 15; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "{'sweep': 1, 'kind': 'sensitivity', 'run': {'model': 'model.json', 'integrator': 'dopri5', %s}, "
             "'vary': {'/constants/m': {'at': 1, 'step': %g}}, " X "}",
             settings[i % 5], step[i / 5]);
    if (strstr(settings[i % 5], "integrator")) memset(strstr(text, "'integrator': 'dopri5',"), ' ', 23);
    tn_sweep *s = must_read(text);
    if (!s) return;
    tn_sensitivity d;
    CHECK(tn_sweep_run(s, NULL, &e) == TN_OK && tn_sweep_sensitivity(s, 0, &d));
    const double off = fabs(d.derivative - sin(2));
    if (!(off <= d.error) || !(d.error < 0.05))
      FAIL("%s, step %g: off by %g, said %g", settings[i % 5], step[i / 5], off, d.error);
    tn_sweep_free(s);
  }
}

TEST(a_sensitivity_that_fails_says_so) {
  tn_sweep *s = must_read("{'sweep': 1, 'kind': 'sensitivity', 'run': {'model': 'model.json'}, 'vary': "
                          "{'/constants/m': {'at': 0.5, 'step': 1}, '/constants/k': {'at': 4}}, " X "}");
  if (!s) return;
  tn_sensitivity d;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK && tn_sweep_failed(s) > 0);
  CHECK(tn_sweep_sensitivity(s, 0, &d) && d.failure && isnan(d.derivative));
  CHECK(tn_sweep_sensitivity(s, 1, &d) && !d.failure && d.step == 0.04 && isfinite(d.derivative));
  tn_sweep_free(s);
}

/* ---- what is refused ----------------------------------------------------------------------------------------------------------- */

TEST(what_makes_no_sense_is_refused) {
  static const struct {
    const char *vary, *why;
  } bad[] = {
      {"'k': {'from': 1, 'to': 2, 'n': 1000000000000}", "from 1 to 1e+07"},
      {"'k': {'from': 1, 'to': 2, 'n': 2.5}", "whole number"},
      {"'k': {'from': 1, 'to': 2, 'n': 0}", "whole number"},
      {"'k': {'from': 1, 'to': 2, 'n': 1}", "at least 2"},
      {"'k': {'from': 1, 'to': 2}", "`n` is missing"},
      {"'k': {'form': 1, 'to': 2, 'n': 3}", "did you mean 'from'"},
      {"'k': {'from': -1, 'to': 2, 'n': 3, 'scale': 'log'}", "above 0"},
      {"'k': {'from': 1, 'to': 2, 'n': 3, 'scale': 'lag'}", "can be linear, log"},
      {"'k': {'from': -1e308, 'to': 1e308, 'n': 3}", "too far apart"},
      {"'k': []", "empty"},
      {"'k': [1, true]", "a number or a text"},
      {"'k': [1, 1e999]", "too large"},
      {"'k': 7", "has to be a list"},
      {"'k': {}", "has to be a list"},
      {"'k': {'normal': [1, -1]}", "not below 0"},
      {"'k': {'normal': [1]}", "two numbers"},
      {"'k': {'uniform': [2, 1]}", "smaller"},
      {"'k': {'uniform': [-1e308, 1e308]}", "too far apart"},
      {"'k': {'log-uniform': [0, 1]}", "above 0"},
      {"'k': {'log-uniform': [1, 2], 'normal': [1, 1]}", "one kind"},
      {"'k': {'uniform': [1, 2]}", "`samples` is missing"},
      {"'k': [1], 'q': [1]", "'q' is varied and used nowhere"},
      {"'kk': [1]", "'k' is not varied"},
      {"'k': [1], '/constants/kk': [1]", "nothing at '/constants/kk'"},
      {"'k': [1], '': [1]", "cannot be the name"},
      {"'k': [1], 'run': [1]", "cannot be the name"},
      {"'k': {'at': 1}", "sensitivity"},
      {"'k': [1], 'x': [1]", "'x' is varied and used nowhere"},
      {"'k': {'from': 0, 'to': 1, 'n': 10000}, '/constants/m': {'from': 1, 'to': 2, 'n': 1001}", "more than 10000000"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[600];
    snprintf(text, sizeof text, "{'sweep': 1, " RUN ", 'vary': {%s}, " X "}", bad[i].vary);
    tn_sweep *s = read_text(text);
    if (s || !strstr(e.message, bad[i].why) == !strstr(e.hint, bad[i].why))
      FAIL("%s: %s", text, s ? "taken" : e.message);
    if (!s && !e.line) FAIL("%s: %s has no place", text, e.message);
    tn_sweep_free(s);
  }
  static const struct {
    const char *text, *why;
  } whole[] = {
      {"{'sweep': 2}", "\"sweep\": 1"},
      {"{'sweep': 1}", "`vary`"},
      {"{'sweep': 1, 'vary': {'k': [1]}}", "`run` is missing"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN "}", "`measures`"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'measurs': {}}", "did you mean 'measures'"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'samples': 3, " X "}", "nothing here is random"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'seed': 3, " X "}", "nothing here is random"},
      {"{'sweep': 1, 'vary': {'k': {'uniform': [1, 2]}}, 'samples': 2, 'seed': -1, " RUN ", " X "}", "`seed`"},
      {"{'sweep': 1, 'vary': {'k': [1]}, 'run': {'modle': 'model.json'}, " X "}", "did you mean 'model'"},
      {"{'sweep': 1, 'vary': {'k': [1]}, 'run': {'model': 'nowhere.json', 'until': '{k}'}, " X "}", "nowhere.json"},
      {"{'sweep': 1, 'vary': {'k': [1]}, 'run': {'model': 'sweep.json', 'until': '{k}', 'like': 'a'}, " X "}",
       "`like`"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'measures': {'x': {'of': 'cpu'}}}", "another one each time"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'measures': {'x': {'of': 'rsh'}}}", "did you mean 'rhs'?"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'measures': {'x': {'of': 't_end'}}}",
       "'t_end' is not known to be measured; known are: C, Cdot, C and Cdot, error, rhs, steps"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'measures': {'x': {'of': 't_end'}}}", "jacobian-rank, condition"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'measures': {'x': {'fact': 'coefficients'}}}", "unknown key 'fact'"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'measures': {'k': {'of': 'rhs'}}}", "one name for two"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'measures': {'a': {'value': 'b'}, 'b': {'value': 'a'}}}",
       "needs itself"},
      {"{'sweep': 1, 'vary': {'k': ['1']}, " RUN ", 'measures': {'a': {'value': 'k'}}}", "has texts for values"},
      {"{'sweep': 1, 'vary': {'k': [1]}, " RUN ", 'measures': {'a': {'value': 'paper'}}}", "no measure 'paper'"},
      {"{'sweep': 1, 'kind': 'sensitivity', 'vary': {'k': [1]}, " RUN ", " X "}", "\"at\""},
      {"{'sweep': 1, 'kind': 'sensitivity', 'vary': {'k': {'at': 0}}, " RUN ", " X "}", "at 0 the length"},
      {"{'sweep': 1, 'kind': 'sensitivity', 'vary': {'k': {'at': 1, 'step': 1e-20}}, " RUN ", " X "}",
       "means nothing at"},
      {"{'sweep': 1, 'vary': {'k': [1, 2], '/constants/m': [1]}, 'together': [['k', '/constants/m']], " RUN ", " X "}",
       "has 2 values"},
      {"{'sweep': 1, 'vary': {'k': [1, 2]}, 'together': [['k', 'k']], " RUN ", " X "}", "twice"},
      {"{'sweep': 1, 'vary': {'k': [1, 2]}, 'together': [['k', 'm']], " RUN ", " X "}", "'m' is not varied"},
      {"[1]", "an object"}};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
    tn_sweep *s = read_text(whole[i].text);
    if (s || (!strstr(e.message, whole[i].why) && !strstr(e.hint, whole[i].why)))
      FAIL("%s: %s", whole[i].text, s ? "taken" : e.message);
    if (!s && !e.line) FAIL("%s: %s has no place", whole[i].text, e.message);
    tn_sweep_free(s);
  }
}

/* what would fail in every run is refused before them, where it is said in the file */
TEST(what_is_wrong_in_every_run_is_refused) {
  static const struct {
    const char *run, *vary, *measure, *why, *pointer;
  } bad[] = {
      {"", "[1, 4]", "'expression': 'bob.xx'", "measure 'm': particle 'bob' has no channel 'xx'",
       "/measures/m/expression"},
      {"", "[1, 4]", "'expression': 'far'", "measure 'm': unknown name 'bib.x'", "/expressions/far"},
      {"", "[1, 4]", "'expression': 'force(spring'", "measure 'm': ", "/measures/m/expression"},
      {"", "[1, 4]", "'expression': 'position(bob)'", "measure 'm': 'position(bob)' is a vector",
       "/measures/m/expression"},
      {"", "[1, 4]", "'of': 'C', 'joint': 'knee'", "measure 'm': there is no joint 'knee'", "/measures/m/joint"},
      {"", "[1, 4]", "'of': 'C', 'row': 3", "measure 'm': there is no row 3", "/measures/m/row"},
      {"", "[-1, 4]", "'of': 'C', 'row': 3", "measure 'm': there is no row 3", "/measures/m/row"},
      {"", "[4, -1]", "'of': 'C', 'row': 3", "measure 'm': there is no row 3", "/measures/m/row"},
      {", 'integrator': 'rk5'", "[1, 4]", "'of': 'rhs'", "unknown integrator 'rk5'", "/run/integrator"},
      {", 'integrator': 'rk5'", "[-1, 4]", "'of': 'rhs'", "unknown integrator 'rk5'", "/run/integrator"},
      {", 'integrator': '(rk4'", "[1, 4]", "'of': 'rhs'", "part '(rk4'", "/run/integrator"},
      {", 'every': -1", "[1, 4]", "'expression': 'bob.x', 'at': 'rows'", "`every` must be positive", "/run/every"},
      {", 'set': {'/bodies/bob/masss': 3}", "[1, 4]", "'of': 'rhs'", "unknown key 'masss'",
       "/run/set/~1bodies~1bob~1masss"},
      {", 'integrator': 'euler', 'rtol': 1e-6", "[1, 4]", "'of': 'rhs'", "euler has a fixed step", "/run"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[800];
    snprintf(text, sizeof text,
             "{'sweep': 1, 'run': {'model': 'model.json'%s}, 'vary': {'/constants/m': %s}, 'expressions': {'far': "
             "'bib.x'}, 'measures': {'rhs': {'of': 'rhs'}, 'm': {%s}}}",
             bad[i].run, bad[i].vary, bad[i].measure);
    tn_sweep *s = read_text(text);
    if (s || !strstr(e.message, bad[i].why) || strcmp(e.pointer, bad[i].pointer) != 0 || !e.line)
      FAIL("%s: %s at %s", text, s ? "taken" : e.message, s ? "" : e.pointer);
    if (!s) CHECK_TEXT(e.file, "sweep.json");
    tn_sweep_free(s);
  }
}

/* what some of the rows can be asked for, or be told, is theirs */
TEST(what_is_wrong_in_some_runs_is_a_failure) {
  static const struct {
    const char *run, *vary, *measure, *why;
    int failed;
  } some[] = {{"'integrator': '{by}'", "'by': ['rk5', 'dopri5']", "bob.x", "unknown integrator 'rk5'", 1},
              {"'integrator': '{by}', 'rtol': 1e-6", "'by': ['euler', 'dopri5']", "bob.x", "euler has a fixed step", 1},
              {"'set': {'/bodies/b{n}': {'mass': 1, 'coordinates': 'point'}}", "'n': [1, 2]", "b2.x",
               "measure 'x': unknown name 'b2.x'", 1},
              {"'set': {'/bodies/b{n}': {'mass': 1, 'coordinates': 'point'}}", "'n': [2, 1]", "b2.x",
               "measure 'x': unknown name 'b2.x'", 1},
              {"'set': {'/constants/m': '{m}'}", "'m': [-1, -2]", "bob.x", "the mass must not be negative", 2}};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    char text[800];
    snprintf(text, sizeof text,
             "{'sweep': 1, 'run': {'model': 'model.json', %s}, 'vary': {%s}, 'measures': {'x': {'expression': '%s', "
             "'take': 'first'}}}",
             some[i].run, some[i].vary, some[i].measure);
    tn_sweep *s = must_read(text);
    if (!s) continue;
    CHECK(tn_sweep_run(s, NULL, &e) == TN_OK && tn_sweep_failed(s) == some[i].failed);
    CHECK_HAS(csv_of(s), some[i].why);
    if (strstr(csv_of(s), "m0_0")) FAIL("%s", csv_of(s));
    tn_sweep_free(s);
  }
}

/* a setting that the first of two models cannot be told */
TEST(what_is_wrong_with_some_models_is_a_failure) {
  spill("other.json", "{'tenon': 1, 'dimension': 2, 'bodies': {'bob': {'mass': 1, 'coordinates': 'point'}}, 'run': "
                      "{'until': 1}}");
  tn_sweep *s = must_read("{'sweep': 1, 'run': {'model': '{which}.json', 'set': {'/forces/spring/stiffness': 9}}, "
                          "'vary': {'which': ['other', 'model']}, " X "}");
  if (!s) return;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK && tn_sweep_failed(s) == 1);
  CHECK_HAS(csv_of(s), "1,other,,,force 'spring'");
  CHECK_NEAR(value_of(s, 1, 0), cos(3), 1e-8);
  tn_sweep_free(s);
}

/* what a file names and is not there has its place in that file */
TEST(missing_files_have_a_place) {
  static const struct {
    const char *text, *pointer;
  } bad[] = {
      {"{'sweep': 1, 'run': {'model': 'nowhere.json', 'until': '{k}'}, 'vary': {'k': [1]}, " X "}", "/run/model"},
      {"{'sweep': 1, 'run': {'model': '{k}.json'}, 'vary': {'k': ['model', 'nowhere']}, " X "}", "/vary/k/1"},
      {"{'sweep': 1, 'references': {'r': {'file': 'nowhere.csv'}}, 'vary': {'k': [1]}, " RUN ", " X "}",
       "/references/r/file"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK(!read_text(bad[i].text) && e.status == TN_E_IO && e.line == 1 && e.column > 20);
    CHECK_HAS(e.message, "cannot read 'nowhere.");
    CHECK_TEXT(e.pointer, bad[i].pointer);
    CHECK_TEXT(e.file, "sweep.json");
  }
  if (!TN_PROGRAM) return; /* a platform without devices */
  CHECK(!read_text("{'sweep': 1, 'run': {'model': '/dev/zero', 'until': '{k}'}, 'vary': {'k': [1]}, " X "}"));
  CHECK_HAS(e.message, "'/dev/zero' has more than 67108864 bytes");
}

/* a file with a few letters changed is read or refused in words; what is read can be told of */
TEST(files_that_were_changed_somewhere) {
  static const char *const good[] = {
      "{'sweep': 1, 'title': 't', 'run': {'model': 'model.json', 'rtol': '{r}', 'set': {'/constants/k': '{k}'}}, "
      "'vary': "
      "{'k': {'from': 1, 'to': 20, 'n': 30, 'scale': 'log'}, 'r': ['1e-4', 1e-6], '/constants/m': {'normal': [1, "
      "0.1]}}, "
      "'samples': 9, 'seed': 3, 'expressions': {'far': 'bob.x^2'}, 'measures': {'x': {'expression': 'far', 'take': "
      "'crossing', 'k': 2, 'from': 0.1}, 'y': {'value': 'x + k'}}}",
      "{'sweep': 1, 'kind': 'sensitivity', 'run': {'model': 'model.json'}, 'vary': {'/constants/m': {'at': 1, 'step': "
      "0.1}, '/constants/k': {'at': 2}}, " X "}"};
  static const char letters[] = "{}[]:,'\"/0123456789-.eExkrm \n\\\x01\xc3";
  unsigned state = 1;
  int taken = 0;
  for (int i = 0; i < 600; i++) {
    char text[1000];
    snprintf(text, sizeof text, "%s", good[i % 2]);
    for (int k = 0; k < 1 + i % 3; k++) {
      state = state * 1664525u + 1013904223u;
      const size_t n = strlen(text), at = (state >> 8) % n;
      if (state >> 30 == 0)
        memmove(text + at, text + at + 1, n - at);
      else
        text[at] = letters[(state >> 20) % (sizeof letters - 1)];
    }
    tn_sweep *s = read_text(text);
    if (!s) {
      CHECK(e.status != TN_OK && e.status != TN_E_INTERNAL && e.message[0]);
      continue;
    }
    char last[64];
    CHECK(tn_sweep_runs(s) >= 1 && tn_sweep_runs(s) <= TN_MOST_RUNS);
    for (int k = 0; k < tn_sweep_parameters(s); k++)
      CHECK(tn_sweep_given_text(s, tn_sweep_runs(s) - 1, k, last, sizeof last, NULL) >= 0);
    taken++;
    tn_sweep_free(s);
  }
  CHECK(taken > 15 && taken < 580);
}

/* nothing is silently left as it was */
TEST(what_changes_nothing_is_refused) {
  static const char *const bad[] = {
      "{'sweep': 1, 'run': {'model': 'model.json', 'until': 0.1}, 'vary': {'/run/until': [1, 2]}, " X "}",
      "{'sweep': 1, 'run': {'model': 'model.json', 'integrator': 'dopri5'}, 'vary': {'/run/integrator/rtol': [1e-4, "
      "1e-5]}, " X "}",
      "{'sweep': 1, " RUN ", 'vary': {'k': [3, 4], '/constants/k': [1, 2]}, " X "}",
      "{'sweep': 1, 'kind': 'sensitivity', 'run': {'model': 'model.json', 'until': 0.1}, 'vary': {'/run/until': {'at': "
      "1}}, " X "}",
      "{'sweep': 1, 'run': {'model': 'model.json', 'until': 0.1}, 'vary': {'/run/until': {'normal': [1, 0.1]}}, "
      "'samples':"
      " 3, " X "}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK(!read_text(bad[i]) && e.status == TN_E_MODEL && e.line == 1);
    CHECK_HAS(e.message, "is varied, and changes nothing");
    CHECK_HAS(e.pointer, "/vary/");
  }
  tn_sweep_free(must_read("{'sweep': 1, " RUN ", 'vary': {'k': [3]}, " X "}"));
  tn_sweep_free(must_read("{'sweep': 1, " RUN ", 'vary': {'k': [3, 3]}, " X "}"));
}

/* a number below 0 is taken as a whole */
TEST(powers_of_negative_numbers) {
  tn_sweep *s =
      must_read("{'sweep': 1, 'run': {'model': 'model.json', 'set': {'/constants/k': '3+{k} ^2-{k}'}}, 'vary': "
                "{'k': [-1, 1]}, " X "}");
  if (!s) return;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
  CHECK_NEAR(value_of(s, 0, 0), cos(sqrt(5)), 1e-8);
  CHECK_NEAR(value_of(s, 1, 0), cos(sqrt(3)), 1e-8);
  tn_sweep_free(s);
}

/* steps are as long as in `tenon run`, though nobody wants rows: what is true for a moment is seen; and so is an `every` that means nothing */
TEST(steps_are_those_of_any_run) {
  const char *text =
      "{'sweep': 1, 'run': {'model': 'm2.json', 'every': '{k}'}, 'vary': {'k': [0.02, -1]}, 'measures': {'n':"
      " {'of': 'events'}}}";
  spill("m2.json",
        "{'tenon': 1, 'dimension': 2, 'bodies': {'bob': {'mass': 1, 'position': [1, 0], 'coordinates': 'point'}},"
        " 'events': {'e': {'when': 'abs(t - 0.55) < 0.02'}}, 'run': {'until': 1}}");
  tn_sweep *s = must_read(text);
  if (!s) return;
  tn_sweep_row row;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
  CHECK(value_of(s, 0, 0) == 1);
  CHECK(tn_sweep_row_at(s, 1, &row) && row.failure && strstr(row.failure, "`every`"));
  tn_sweep_free(s);
}

/* what is no number somewhere has no largest value, as it has no least or last one */
TEST(no_number_is_no_extreme) {
  tn_sweep *s =
      must_read("{'sweep': 1, " RUN ", 'vary': {'k': [4]}, 'measures': {'a': {'expression': 'log(bob.x)', 'take':"
                " 'max'}, 'b': {'expression': 'log(bob.x)', 'take': 'min'}, 'c': {'expression': 'log(bob.x + 3)',"
                " 'take': 'max'}, 'd': {'value': 'a + 1'}}}");
  if (!s) return;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
  CHECK(isnan(value_of(s, 0, 0)) && isnan(value_of(s, 0, 1)) && isnan(value_of(s, 0, 3)));
  CHECK_NEAR(value_of(s, 0, 2), log(4), 1e-12);
  tn_sweep_free(s);
}

/* braces of a `repeat` are its own */
TEST(braces_of_a_repeat_stay) {
  tn_sweep *s = must_read("{'sweep': 1, 'run': {'model': 'model.json', 'set': {'/constants/k': '{k}', '/bodies/b{i}': "
                          "{'repeat': 'i=1..3', 'mass': 1, 'position': ['{i}', '{k}'], 'coordinates': 'point'}}}, "
                          "'vary': {'k': [4]}, 'measures': {'x': {'expression': 'bob.x', 'take': 'final'}, 'y': "
                          "{'expression': 'b2.y', 'take': 'first'}}}");
  if (!s) return;
  CHECK(tn_sweep_run(s, NULL, &e) == TN_OK);
  tn_sweep_row row;
  CHECK(tn_sweep_row_at(s, 0, &row));
  if (row.failure) FAIL("%s", row.failure);
  CHECK_NEAR(value_of(s, 0, 0), cos(2), 1e-8);
  CHECK_NEAR(value_of(s, 0, 1), 4, 0);
  tn_sweep_free(s);
}

/* memory that runs out ends a sweep, and is no failure of a run */
TEST(every_allocation_may_fail) {
  spill("model.json", oscillator);
  spill("sweep.json", "{'sweep': 1, " RUN ", 'vary': {'k': [1, -1]}, " X "}");
  long fail = 1;
  bool done = false;
  for (; fail < 3000 && !done; fail++) {
    failing f = {.fail = fail};
    const tn_allocator a = {fail_allocate, fail_release, &f};
    tn_sweep *s = NULL;
    tn_status status = tn_sweep_read(&a, "sweep.json", &s, &e);
    if (status == TN_OK) status = tn_sweep_run(s, &(tn_sweep_options){.workers = 1}, &e);
    done = status == TN_OK;
    if (!done) CHECK(status == TN_E_MEMORY);
    if (done) CHECK(tn_sweep_failed(s) == 1);
    tn_sweep_free(s);
    CHECK(f.out == 0);
  }
  CHECK(done && fail > 40);
}
