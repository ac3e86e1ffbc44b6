/* tenon compare and tenon reproduce at the command line: what they print and write, and what they refuse before anything runs. */
#include "support/build.h"
#include "test.h"

#include "cli_support.h"

#include <sys/stat.h>
#include <unistd.h>

TEST(compare_prints_ranks_and_a_line_to_paste) {
  CHECK(tenon("compare " MODELS
              "four_bar.json --until 0.5 --methods project,baumgarte:alpha=5,beta=5,fci --rtol 1e-4,1e-6 "
              "--accuracy 1e-6") == 0); /* met by runs with rtol 1e-6 only, which are trusted */
  CHECK_HAS(out, "6 runs\nreference: dop853");
  CHECK_HAS(out, "baumgarte:alpha=5,beta=5, rtol 1e-06");
  CHECK_HAS(out, "\nUse ");
  const char *line = strstr(out, "\n  tenon run ");
  CHECK(line != NULL);
  if (!line) return;
  char again[512];
  snprintf(again, sizeof again, "%.*s --until 0.5", (int)strcspn(line + 9, "\n"), line + 9);
  CHECK(tenon("%s", again) == 0);
}

TEST(compare_writes_what_it_is_told) {
  char folder[] = "compareXXXXXX", path[64];
  CHECK(tenon("--version") == 0); /* which goes into a folder of its own */
  CHECK(mkdtemp(folder) != NULL);
  CHECK(tenon("compare " MODELS
              "pendulum.json --until 1 --methods project,fci -o %s/a.csv -o %s/a.json --curves %s/c.csv",
              folder, folder, folder) == 0);
  static const char *const names[] = {"a.csv", "a.json", "c.csv"}, *const begins[] = {"method,integrator,", "{",
                                                                                      "run,t,C,Cdot,error\n"};
  for (int i = 0; i < 3; i++) {
    char text[64] = "";
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    FILE *file = fopen(path, "r");
    CHECK(file && fread(text, 1, sizeof text - 1, file) > 10);
    CHECK(strncmp(text, begins[i], strlen(begins[i])) == 0);
    if (file) fclose(file);
    snprintf(path, sizeof path, "%s/%s.part", folder, names[i]);
    CHECK(access(path, F_OK) != 0);
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
  rmdir(folder);
  CHECK(tenon("compare " MODELS "pendulum.json --until 1 --methods project -o -") == 0);
  CHECK(strncmp(out, "method,", 7) == 0 && !strstr(out, "Use "));
}

TEST(compare_refuses_before_it_runs) {
  static const struct {
    const char *words, *why;
    int code;
  } bad[] = {{"--methods ,,", "an empty name", 1},
             {"--methods projcet", "did you mean 'project'", 1},
             {"--accuracy 1,2", "one number", 1},
             {"--accuracy 0", "needs numbers", 1},
             {"--jobs 2x", "--jobs needs a number", 1},
             {"--rtol nan", "needs numbers", 1},
             {"--rtol 1e-3 --step 1", "either --rtol or", 1},
             {"--rtol 1e-3 --atol 1e-9", "nothing left for '--atol'", 1},
             {"--methods fci --method project", "nothing left for '--method'", 1},
             {"-o a.svg", ".html, .csv or .json", 1},
             {"-o .html", ".html, .csv or .json", 1},
             {"-o /nowhere/a.csv -o a.csv", "cannot write", 4},
             {"-o /nowhere/a.csv", "cannot write", 4},
             {"-o " MODELS "pendulum.json", "would be replaced", 1},
             {"--reference nowhere.csv", "nowhere.csv", 4},
             {"--until 0", "no length", 1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const int code = tenon("compare " MODELS "pendulum.json %s", bad[i].words);
    if (code != bad[i].code || !strstr(err, bad[i].why) || *out) FAIL("%s: %d %s", bad[i].words, code, err);
  }
  CHECK(tenon("compare nowhere.json") != 0 && strstr(err, "nowhere.json"));
}

TEST(reproduce_by_name_and_by_path) {
  CHECK(tenon("reproduce wu2000 --only table2.abp") == 0);
  CHECK_HAS(out, "wu2000: 1 claim of the paper: 1 reproduced");
  CHECK_HAS(out, "0 values outside the independent check, explained");
  CHECK(tenon("reproduce " TN_SOURCE_DIR "/studies/wu2000.json --only table2.abp3 --json") == 0);
  CHECK_HAS(out, "\"id\": \"wu2000.table2.abp3\"");
  CHECK_HAS(out, "\"verdict\": \"reproduced\"");
  CHECK(tenon("reproduce wu2001") == 1 && strstr(err, "did you mean 'wu2000'"));
  CHECK(tenon("reproduce wu2000 --only nothing") == 1 && strstr(err, "no claim has"));
  CHECK(tenon("reproduce all --only abp3 --json") == 0 && *out == '[' && strstr(out, "]\n"));
}

TEST(assumptions_are_varied) {
  static const char study[] =
      "{\"study\": 1, \"paper\": \"p\", \"runs\": {\"a\": {\"model\": \"" MODELS
      "pendulum.json\", \"method\": \"fci\", \"integrator\": \"rk4\", \"step\": 0.01, \"until\": 0.5}}, \"rows\": "
      "[{\"id\": "
      "\"r\", \"measure\": {\"run\": \"a\", \"of\": \"C\"}, \"holds\": \"measured < 1e-6\", \"tolerance\": "
      "\"qualitative\", "
      "\"verdict\": \"reproduced\"}], \"assumptions\": [{\"what\": \"step\", \"used\": \"10 ms\", \"why\": \"w\", "
      "\"varied\": [{\"to\": \"0.1 s\", \"replace\": {\"runs\": {\"a\": {\"step\": 0.1}}}, \"changes\": {%s}}]}]}";
  char text[2048];
  CHECK(tenon("--version") == 0); /* which goes into a folder of its own */
  for (int said = 0; said < 2; said++) {
    snprintf(text, sizeof text, study, said ? "\"r\": \"differs\"" : "");
    FILE *file = fopen("assumed.json", "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
    CHECK(tenon("reproduce ./assumed.json --vary-assumptions") == (said ? 0 : 6));
    CHECK_HAS(out, "r: reproduced, then differs");
    CHECK((strstr(out, "NOT AS THE STUDY SAYS") == NULL) == (said != 0));
    const int code = tenon("reproduce ./assumed.json --vary-assumptions --json");
    if (code != (said ? 0 : 6)) FAIL("%d %s", code, err);
    CHECK_HAS(out, said ? "\"as_said\": true" : "\"as_said\": false");
  }
  CHECK(tenon("reproduce ./assumed.json --vary-assumptions -o a.html") == 1 && strstr(err, "not written to"));
  CHECK(tenon("reproduce ./assumed.json --vary-assumptions --only nothing") == 1 && strstr(err, "no claim has"));
  CHECK(tenon("reproduce ./assumed.json") == 0);
  remove("assumed.json");
}

/* a copy of the program, in a folder where there is nothing else: studies, their references and their models are in it */
TEST(studies_are_in_the_program) {
  static char text[1 << 17], model[1 << 16];
  const char *at;
  int models = 0, studies = 0;
  fresh();
  unsetenv("TENON_DATA");
  if (system("cp '" TN_BINARY "' alone")) abort();
  CHECK(system("./alone reproduce all --only abp3 --json > all.json 2> said") == 0);
  slurp("all.json", text, sizeof text);
  CHECK_HAS(text, "wu2000.table2.abp3");
  CHECK(system("./alone reproduce hoang2023 --quick --only sim2.count.x > one 2> said") == 0);
  DIR *folder = opendir(TN_SOURCE_DIR "/studies");
  for (const struct dirent *d; folder && (d = readdir(folder));) { /* what one names is there too */
    char path[600], command[600];
    if (!strstr(d->d_name, ".json")) continue;
    studies++;
    snprintf(command, sizeof command, "./alone reproduce %.*s --only 'no claim' 2> said", (int)strcspn(d->d_name, "."),
             d->d_name);
    CHECK(system(command) != 0 && strstr(slurp("said", model, sizeof model), "no claim has"));
    snprintf(path, sizeof path, TN_SOURCE_DIR "/studies/%.200s", d->d_name);
    for (at = slurp(path, text, sizeof text); (at = strstr(at, "\"../models/")); at++) {
      const char *name = at + strlen("\"../models/");
      const int n = (int)strcspn(name, ".");
      if (memchr(name, '{', (size_t)n)) continue; /* of many */
      snprintf(command, sizeof command, "./alone new %.*s - > model 2> said", n, name);
      CHECK(system(command) == 0);
      snprintf(path, sizeof path, TN_SOURCE_DIR "/models/%.*s.json", n, name);
      CHECK(same_files("model", path));
      models++;
    }
  }
  if (folder) closedir(folder);
  CHECK(studies >= 6 && models >= 20);
  /* one of the user's own comes first */
  if (mkdir("studies", 0777) || system("cp '" TN_SOURCE_DIR "/studies/wu2000.json' studies/")) abort();
  CHECK(system("./alone reproduce wu2000 --only table2 2> said") != 0);
  CHECK_HAS(slurp("said", model, sizeof model), "studies/reference/wu_crank_slider.csv");
}

/* another number in the file, and the exit code says so */
TEST(a_study_that_is_not_as_expected) {
  static char text[1 << 16];
  FILE *file = fopen(TN_SOURCE_DIR "/studies/wu2000.json", "r");
  const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[n] = 0;
  char *paper = strstr(text, "\"paper\": 0.545");
  CHECK(tenon("--version") == 0);
  CHECK(paper != NULL);
  if (!paper) return;
  memcpy(paper, "\"paper\": 0.645", strlen("\"paper\": 0.645"));
  CHECK(mkdir("changed_studies", 0777) == 0 || access("changed_studies", W_OK) == 0);
  file = fopen("changed_studies/wu2000.json", "w");
  CHECK(file && fputs(text, file) >= 0);
  if (file) fclose(file);
  if (system("cp -r '" TN_SOURCE_DIR "/studies/reference' changed_studies/")) abort();
  CHECK(tenon("reproduce changed_studies/wu2000.json --only table2.abp3") == 6);
  CHECK_HAS(out, "NOT AS EXPECTED");
  if (system("rm -r changed_studies")) abort();
}

/* ---- pages ------------------------------------------------------------------------------------------------------------------- */

static char page_text[1 << 21];

/* a whole page of a kind, with nothing left beside it */
static void check_page(const char *path, const char *kind, const char *command) {
  char part[200], word[64];
  slurp(path, page_text, sizeof page_text);
  CHECK(strncmp(page_text, "<!doctype html>", 15) == 0 && strstr(page_text, "</html>\n"));
  snprintf(word, sizeof word, "\"kind\": \"%s\"", kind);
  CHECK_HAS(page_text, word);
  CHECK_HAS(page_text, command);
  snprintf(part, sizeof part, "%s.part", path);
  CHECK(!exists(part));
}

static bool without_pages(void) {
  if (tn_has_pages(NULL)) return false;
  fresh();
  CHECK(tenon("stability rk4 -o s.html") == 1 && strstr(err, "left out of this Tenon") && !exists("s.html"));
  CHECK(tenon("compare " PENDULUM " --until 1 -o s.html") == 1 && strstr(err, "left out of this Tenon") && !*out);
  CHECK(tenon("reproduce wu2000 --only table2.abp3 -o s.html") == 1 && !exists("s.html"));
  CHECK(tenon("reproduce wu2000 --only table2.abp3 -o folder") == 0 && strstr(err, "no page is written"));
  return true;
}

TEST(pages_are_written) {
  if (without_pages()) return;
  fresh();
  CHECK(tenon("compare " PENDULUM " --until 1 --methods 'project,baumgarte:alpha=5,beta=5' -q -o a.html -o a.json") ==
        0);
  check_page("a.html", "compare", "--until 1 --methods project,baumgarte:alpha=5,beta=5\"");
  CHECK(!strstr(page_text, "-o a.html"));
  CHECK_HAS(page_text, "--until 1 --method project\"");
  CHECK_HAS(out, "\nUse "); /* and said too */
  CHECK(exists("a.json"));
  CHECK(tenon("reproduce wu2000 --only table2.abp -o p.html") == 0);
  check_page("p.html", "paper", "\"tenon reproduce wu2000 --only table2.abp\"");
  CHECK(tenon("reproduce wu2000 --quick --only order -o folder") == 0);
  check_page("folder/wu2000.html", "paper", "\"tenon reproduce wu2000 --quick --only order\"");
  CHECK(tenon("reproduce all --only abp3 -o folder") == 0);
  check_page("folder/wu2000.html", "paper", "\"tenon reproduce wu2000 --only abp3\"");
  CHECK(!exists("folder/iftomm.html")); /* nothing of it was run */
  CHECK(tenon("stability rk4 ab2 -o s.html") == 0);
  check_page("s.html", "stability", "\"tenon stability rk4 ab2\"");
  CHECK(strncmp(out, "rk4:", 4) == 0 && strstr(out, "\nab2:"));
  CHECK(tenon("surface fuzzy:set=gaussian -o f.html") == 0);
  check_page("f.html", "surface", "\"tenon surface fuzzy:set=gaussian\"");
}

TEST(pages_are_refused_before_anything_runs) {
  static const struct {
    const char *words, *why;
    int code;
  } bad[] = {{"compare " PENDULUM " --until 1 -o /nowhere/a.html", "cannot write '/nowhere/a.html'", 4},
             {"compare model.html --until 1 -o model.html", "would be replaced", 1},
             {"reproduce all -o a.html", "all papers need a folder", 1},
             {"reproduce wu2000 -o /nowhere/a.html", "cannot write", 4},
             {"reproduce wu2000 -o /nowhere/folder", "cannot make", 4},
             {"reproduce ./study.html -o study.html", "would be replaced", 1},
             {"stability rk4 -o /nowhere/a.html", "cannot write", 4},
             {"stability rk4 -o a.csv", "ends in .html", 1},
             {"stability rk4 rk44 -o a.html", "did you mean", 1},
             {"stability rk4 ab2 --csv", "of one integrator", 1},
             {"stability rk4 cvode-bdf --json", "cvode-bdf", 1},
             {"surface fuzzy -o a.svg", "ends in .html", 1},
             {"surface fuzzy -o /nowhere/a.html", "cannot write", 4},
             {"surface baumgarte -o a.html", "no control surface", 1}};
  if (without_pages()) return;
  fresh();
  if (system("cp " TN_SOURCE_DIR "/models/pendulum.json model.html && cp " TN_SOURCE_DIR
             "/studies/wu2000.json study.html"))
    abort();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const int code = tenon("%s", bad[i].words);
    if (code != bad[i].code || !strstr(err, bad[i].why) || *out || exists("a.html"))
      FAIL("%s: %d %s", bad[i].words, code, err);
  }
  CHECK(same_files("model.html", TN_SOURCE_DIR "/models/pendulum.json"));
  CHECK(same_files("study.html", TN_SOURCE_DIR "/studies/wu2000.json"));
}

TEST(several_integrators) {
  CHECK(tenon("stability rk4 euler --json") == 0);
  CHECK(*out == '[' && strstr(out, "\"integrator\": \"rk4\"") && strstr(out, "\"integrator\": \"euler\""));
  CHECK(strcmp(out + strlen(out) - 2, "]\n") == 0);
}

/* the limit of two corrections is another than that of one; a field that is not known is refused by name */
TEST(integrators_with_fields) {
  CHECK(tenon("stability ampc3:corrections=2 ampc3") == 0);
  CHECK(strncmp(out, "ampc3:corrections=2:", 20) == 0 && strstr(out, "real axis to 1.26948") &&
        strstr(out, "real axis to 1.72878"));
  CHECK(tenon("stability am3 --json") == 0 && strstr(out, "\"real_limit\": 6"));
  CHECK(tenon("stability dopri5:rtol=1e-6") == 0);
  CHECK(tenon("stability ampc3:correction=2") != 0 && strstr(err, "corrections"));
  CHECK(tenon("stability ampc3:corrections=1.5") != 0 && strstr(err, "whole"));
  CHECK(tenon("stability ampc3:corrections=0") != 0 && *err);
}
