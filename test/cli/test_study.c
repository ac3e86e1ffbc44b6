/* tenon compare and tenon reproduce at the command line: what they print and write, and what they refuse before anything runs. */
#include "support/build.h"
#include "test.h"

#include "cli_support.h"

#include <sys/stat.h>
#include <unistd.h>

TEST(compare_prints_ranks_and_a_line_to_paste) {
  CHECK(tenon("compare " MODELS
              "four_bar.json --until 0.5 --methods project,baumgarte:alpha=5,beta=5,fci --rtol 1e-4,1e-6") == 0);
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
             {"-o a.svg", ".csv or .json", 1},
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
  CHECK_HAS(out, "wu2000: 3 rows: 3 reproduced");
  CHECK(tenon("reproduce " TN_SOURCE_DIR "/studies/wu2000.json --only table2.abp3 --json") == 0);
  CHECK_HAS(out, "\"id\": \"wu2000.table2.abp3\"");
  CHECK_HAS(out, "\"verdict\": \"reproduced\"");
  CHECK(tenon("reproduce wu2001") == 1 && strstr(err, "did you mean 'wu2000'"));
  CHECK(tenon("reproduce wu2000 --only nothing") == 1 && strstr(err, "no claim has"));
  CHECK(tenon("reproduce all --only abp3 --json") == 0 && *out == '[' && strstr(out, "]\n"));
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
