/* tenon tune at the command line: what it prints and writes, what it refuses before anything runs, Ctrl-C. */
#include "support/build.h"
#include "test.h"

#include "cli_support.h"

TEST(tune_prints_a_block_and_writes_files) {
  enter();
  CHECK(tenon("tune baumgarte " PENDULUM
              " --until 0.5 --step 0.01 --integrator rk4 --budget 15 -q -o t.csv -o t.json") == 0);
  CHECK(!*err);
  CHECK_HAS(out, "baumgarte, 15 runs");
  CHECK_HAS(out, "\"stabilize\": {\n    \"type\": \"baumgarte\",\n    \"alpha\": ");
  CHECK_HAS(out, "  alpha                                   5");
  static char page[60000];
  CHECK_HAS(slurp("t.csv", page, sizeof page), "run,stage,alpha,beta,position_violation,");
  CHECK_HAS(page, "\n1,published,5,5,");
  CHECK_HAS(slurp("t.json", page, sizeof page), "\"violation\": \"position\"");
  CHECK(tenon("tune baumgarte " PENDULUM " --until 0.5 --step 0.01 --integrator rk4 --budget 15 -q --json -j 3") == 0);
  CHECK_TEXT(out, page);
  CHECK(tenon("tune baumgarte " PENDULUM
              " --until 0.5 --step 0.01 --integrator rk4 --budget 10 -q -o - --vary beta=1:50") == 0);
  CHECK(strncmp(out, "run,stage,beta,position", 23) == 0);
}

TEST(tune_refuses_before_it_runs) {
  static const struct {
    const char *words, *message;
    int code;
  } bad[] = {{"tune", "STABILIZER MODEL", 1},
             {"tune fuzzy", "STABILIZER MODEL", 1},
             {"tune fuzy " PENDULUM, "did you mean 'fuzzy'", 1},
             {"tune fuzzy nowhere.json", "nowhere.json", 4},
             {"tune fuzzy " PENDULUM " --stabilize pid", "nothing left for", 1},
             {"tune fuzzy " PENDULUM " --vary kp=1", "--vary needs names", 1},
             {"tune fuzzy " PENDULUM " --vary kp=9:1", "--vary needs names", 1},
             {"tune fuzzy " PENDULUM " --vary kp,,kd", "empty name", 1},
             {"tune fuzzy " PENDULUM " --vary kq", "did you mean", 1},
             {"tune fuzzy " PENDULUM " --budget many", "--budget needs a whole number", 1},
             {"tune fuzzy " PENDULUM " --budget 2.5", "--budget needs a whole number", 1},
             {"tune fuzzy " PENDULUM " --budget 2", "10 to 100000 runs", 1},
             {"tune fuzzy " PENDULUM " --most-rhs 0", "--most-rhs needs a whole number", 1},
             {"tune fuzzy " PENDULUM " --violation both", "position or velocity", 1},
             {"tune fuzzy " PENDULUM " -j none", "--jobs", 1},
             {"tune fuzzy " PENDULUM " -o t.html", "ends in .csv or .json", 1},
             {"tune fuzzy " PENDULUM " -o /nowhere/t.csv", "cannot write", 4}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const int code = tenon("%s", bad[i].words);
    if (code != bad[i].code || !strstr(err, bad[i].message) || *out) FAIL("%s: %d, %s", bad[i].words, code, err);
  }
}

TEST(ctrl_c_ends_a_search) {
  enter();
  spill("t.csv", "old");
  static const char *const words[] = {"tune", "fuzzy", MODELS "pendulum.json", "--until", "1e5", "-o", "t.csv", NULL};
  const pid_t child = start_words(words, "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "t.csv.part", 0)); /* opened once signals are heeded, and before any run */
  kill(child, SIGINT);
  const int code = wait_for(child);
  slurp(".out", out, sizeof out);
  slurp(".err", err, sizeof err);
  CHECK(code == 130 && !*out);
  CHECK_HAS(err, "the search was interrupted: ");
  char page[100];
  CHECK_TEXT(slurp("t.csv", page, sizeof page), "old");
  CHECK(access("t.csv.part", F_OK) != 0);
}
