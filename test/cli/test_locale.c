/* a locale with a comma in its numbers changes not a byte: of the program, and of the library in a program that has set it. the
 * locale is made here, from the sources of the system. */
#include <locale.h>

#include "support/build.h"
#include "test.h"

#include "cli_support.h"

/* LOCPATH and LC_ALL of the environment lead to it; false, in words, where it cannot be made */
static bool make_locale(void) {
  char here[500], path[520];
  fresh();
  if (system("command -v localedef >/dev/null && test -e /usr/share/i18n/locales/de_DE") != 0) {
    printf("no localedef with de_DE: nothing is checked\n");
    return false;
  }
  CHECK(system("mkdir locales && localedef -i de_DE -f UTF-8 ./locales/de_DE.UTF-8 2>/dev/null") == 0);
  if (!getcwd(here, sizeof here)) abort();
  snprintf(path, sizeof path, "%s/locales", here);
  setenv("LOCPATH", path, 1);
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  /* it is what it should be: else all of this would check nothing */
  char text[20];
  CHECK(setlocale(LC_ALL, "") != NULL);
  snprintf(text, sizeof text, "%.1f", 1.5);
  CHECK_TEXT(text, "1,5");
  setlocale(LC_ALL, "C");
  return true;
}

static void leave_locale(void) {
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  unsetenv("LC_ALL");
}

/* all but what the clock says */
static void append_timeless(char *to, size_t size, const char *from) {
  static const char *const clocks[] = {"cpu_seconds", "\"cpu_", " s of CPU"};
  for (; *from; from += strcspn(from, "\n") + (from[strcspn(from, "\n")] != 0)) {
    char line[4000];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(from, "\n"), from);
    for (int i = 0; i < 3; i++)
      if (strstr(line, clocks[i])) line[0] = 0;
    const size_t used = strlen(to);
    if (used + strlen(line) + 2 > size) abort();
    snprintf(to + used, size - used, "%s\n", line);
  }
}

/* ---- the program ----------------------------------------------------------------------------------------------------- */

TEST(the_program_says_the_same_in_every_locale) {
  if (!make_locale()) return;
  spill("bad.json", "{'tenon': 1, 'dimension': 2, 'bodies': {'k': {'mass': -1.5, 'inertia': 1}}}");
  spill("angle.json", "{'tenon': 1, 'dimension': 2, 'bodies': {'k': {'mass': 1.5, 'inertia': 1, 'angle': 90.5}}}");
  static const char *const words[] = {
      "run " FOUR_BAR " --until 0.25 --set rho=1.75 -o a.csv -o a.svg -o a.npy",
      "run " FOUR_BAR " --until 0.25 --set 'rho=3.5/2' --json",
      "run " FOUR_BAR " --until 0.25 --stabilize baumgarte:alpha=1.5,beta=2.5 --breach record -o -",
      "run " FOUR_BAR " --method fci --rtol 1.5e-6",
      "run bad.json",
      "run bad.json --json",
      "run " FOUR_BAR " --until -0.5",
      "check " FOUR_BAR,
      "check " FOUR_BAR " --json --step 0.0025",
      "check angle.json",
      "check '" MODELS "biped_3.json'",
      "eval " FOUR_BAR " --at t=0.15",
      "eval " FOUR_BAR " --at crank.angle=1.25",
      "eval " FOUR_BAR " --at t=0,15",
      "show '" MODELS "triple_pendulum.json' --set l=0.35",
      "schema",
      "list --markdown",
      "--version",
      "export a.tnr",
  };
  static char expected[sizeof out + sizeof err], found[sizeof out + sizeof err];
  CHECK(tenon_after("LC_ALL=C", "run " FOUR_BAR " --until 0.25 -q -o a.tnr") == 0);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    expected[0] = found[0] = 0;
    const int code = tenon_after("LC_ALL=C", "%s", words[i]);
    append_timeless(expected, sizeof expected, out);
    append_timeless(expected, sizeof expected, err);
    if (i == 0) CHECK(rename("a.csv", "b.csv") == 0 && rename("a.svg", "b.svg") == 0);
    CHECK(tenon("%s", words[i]) == code);
    append_timeless(found, sizeof found, out);
    append_timeless(found, sizeof found, err);
    if (strcmp(expected, found) != 0) FAIL("%s: %.600s\nand not %.600s", words[i], found, expected);
    if (i == 0) CHECK(same_files("a.csv", "b.csv") && same_files("a.svg", "b.svg"));
  }
  leave_locale();
}

TEST(an_interruption_says_the_same_in_every_locale) {
  if (!terminal_there()) return;
  if (!make_locale()) return;
  static const char *const words[] = {
      "run", MODELS "four_bar.json", "--until", "1.5e5", "--step", "1e-4", "--every", "1e-3", "-o", "a.csv", NULL};
  terminal t;
  terminal_start(&t, words, false, (const char *const[]){"TERM=xterm", NULL});
  CHECK(terminal_shows(&t, " s left", 60));
  kill(t.child, SIGINT);
  CHECK(terminal_end(&t) == 130);
  CHECK(strstr(t.text, " of 1.5e+05 s, ") && strstr(t.text, " of 150000 s"));
  for (const char *c = t.text; *c; c++) CHECK(*c != ',' || c[1] == ' ');
  CHECK(csv_rows("a.csv", 1e-3, false) > 0);
  leave_locale();
}

/* ---- the library ------------------------------------------------------------------------------------------------------- */

typedef struct page {
  size_t used;
  char text[1 << 20];
} page;

static bool to_page(void *user, const char *text, size_t n) {
  page *p = user;
  if (p->used + n >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, n);
  p->text[p->used += n] = 0;
  return true;
}

static tn_status row_to_page(void *user, double t, int n, const double *values) {
  return tn_csv_row(t, n, values, to_page, user);
}

static bool to_file(void *user, const char *text, size_t n) { return fwrite(text, 1, n, user) == n; }

static void error_to_page(page *p, const tn_error *e) {
  char text[1600];
  tn_error_text(e, text, sizeof text);
  to_page(p, text, strlen(text));
  to_page(p, "\n", 1);
}

/* everything the library can say about a model, a run and its mistakes */
static void say_everything(page *p, const char *model) {
  tn_desc *d;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  tn_recorder *recorder = NULL;
  tn_result *result = NULL;
  tn_error e;
  double value;
  char path[400];
  p->used = 0;
  p->text[0] = 0;
  snprintf(path, sizeof path, MODELS "%s.json", model);
  CHECK(tn_desc_new(NULL, &d, &e) == TN_OK && tn_desc_read(d, path, &e) == TN_OK);
  CHECK(tn_desc_number(d, "/run/until", 0.25, &e) == TN_OK && tn_desc_text(d, "/run/every", "0.5/10", &e) == TN_OK);
  CHECK(tn_desc_part(d, "/run/stabilize/-", "baumgarte:alpha=1.5,beta=2.5*1.5", &e) == TN_OK);
  CHECK(tn_desc_json(d, "/run/contract", "{\"position\": 1.5e-1, \"breach\": \"record\"}", &e) == TN_OK);
  tn_desc_remove(d, "/run/method");
  const tn_status status = tn_compile(d, &m, &e);
  if (status) error_to_page(p, &e);
  CHECK(status == TN_OK && tn_sim_new(m, &s, &e) == TN_OK && tn_sim_start(s, &e) == TN_OK);
  if (!s) return;
  tn_desc_print(d, to_page, p, &e);
  tn_model_print(m, to_page, p, &e);
  tn_report_check_text(s, model, to_page, p);
  tn_report_check_json(s, model, to_page, p);
  tn_report_eval(s, model, to_page, p, &e);
  tn_csv_head(s, to_page, p);
  CHECK(tn_sim_run(s, row_to_page, p, &e) == TN_OK);
  tn_report_text(s, model, to_page, p);
  tn_report_json(s, model, to_page, p);
  FILE *f = fopen("r.tnr", "wb");
  if (!f) abort();
  CHECK(tn_recorder_new(s, d, model, to_file, f, &recorder, &e) == TN_OK);
  for (int i = 0; i < 20; i++) {
    double row[40] = {0.5 * i};
    row[1] = sin(0.3 * i);
    CHECK(tn_recorder_row(recorder, 0.05 * i, tn_sim_columns(s), row) == TN_OK);
  }
  CHECK(tn_recorder_end(recorder, s, model, tn_report_json) == TN_OK);
  tn_recorder_free(recorder);
  fclose(f);
  CHECK(tn_result_open(NULL, "r.tnr", &result, &e) == TN_OK);
  if (result) {
    CHECK(tn_result_csv(result, to_page, p, &e) == TN_OK && tn_result_svg(result, to_page, p, &e) == TN_OK);
    to_page(p, tn_result_settings(result), strlen(tn_result_settings(result)));
  }
  tn_result_close(result);
  tn_schema_print(to_page, p);
  tn_list_print(NULL, NULL, true, to_page, p, &e);
  /* mistakes with numbers in them */
  CHECK(tn_sim_advance(s, 0.125, &e) != TN_OK);
  error_to_page(p, &e);
  CHECK(tn_sim_channel(s, "nothing.at.all", &value, &e) != TN_OK);
  error_to_page(p, &e);
  CHECK(tn_desc_json(d, "/bodies/heavy", "{\"mass\": -1.5, \"inertia\": 2.5}", &e) == TN_OK);
  tn_model *none = NULL;
  CHECK(tn_compile(d, &none, &e) != TN_OK);
  error_to_page(p, &e);
  CHECK(tn_desc_parse(d, "text", "{\"tenon\": 1,5}", 14, &e) != TN_OK); /* a comma is no point, in no locale */
  error_to_page(p, &e);
  tn_sim_free(s);
  tn_model_free(m);
  tn_desc_free(d);
}

TEST(the_library_says_the_same_in_every_locale) {
  static page plain, german;
  static char expected[sizeof plain.text], found[sizeof plain.text];
  static const char *const models[] = {"four_bar", "biped_3", "triple_pendulum"};
  if (!make_locale()) return;
  for (int i = 0; i < 3; i++) {
    setlocale(LC_ALL, "C");
    say_everything(&plain, models[i]);
    CHECK(setlocale(LC_ALL, "") != NULL);
    say_everything(&german, models[i]);
    CHECK_TEXT(setlocale(LC_ALL, NULL), "de_DE.UTF-8"); /* left as it was */
    setlocale(LC_ALL, "C");
    expected[0] = found[0] = 0;
    append_timeless(expected, sizeof expected, plain.text);
    append_timeless(found, sizeof found, german.text);
    size_t at = 0;
    while (expected[at] && expected[at] == found[at]) at++;
    if (expected[at] != found[at]) FAIL("%s: \"%.80s\" and not \"%.80s\"", models[i], found + at, expected + at);
    CHECK(plain.used > 20000 && plain.used < sizeof plain.text - 1000);
  }
  leave_locale();
}
