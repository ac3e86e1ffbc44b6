/* the measuring program: every case in both kinds of coordinates gives a line whose states it has checked itself; words
 * that it does not know are refused. bench/same.py: two programs that write the same are told from two that do not.
 * bench/peers: tables and mechanisms, without the engines. */
#include <sys/stat.h>
#include <sys/wait.h>

#include "test.h"

/* exit status of tenon-bench beside the program, its output in `text` */
static int bench(const char *words, char *text, size_t size) {
  char command[1200], folder[1000] = TN_BINARY;
  char *slash = strrchr(folder, '/');
  if (slash) *slash = '\0';
  snprintf(command, sizeof command, "'%s/tenon-bench' %s 2>&1", folder, words);
  FILE *pipe = popen(command, "r");
  if (!pipe) return -1;
  text[fread(text, 1, size - 1, pipe)] = '\0';
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(every_case_has_a_line) {
  static const char *const cases[] = {"planar-chain", "spatial-chain", "tree", "n-four-bar", "ladder"};
  static const int bodies[] = {12, 12, 12, 25, 36};
  for (int i = 0; i < 5; i++)
    for (int relative = 0; relative < 2; relative++) {
      char words[200], text[4000], name[200];
      const char *coordinates = relative ? "relative" : "absolute";
      snprintf(words, sizeof words, "--json --case %s --coordinates %s --n 12", cases[i], coordinates);
      snprintf(name, sizeof name,
               "{\"case\":\"%s\",\"coordinates\":\"%s\",\"n\":12,\"bodies\":%d,\"compile_seconds\":", cases[i],
               coordinates, bodies[i]);
      if (bench(words, text, sizeof text) != 0) FAIL("%s: %s", words, text);
      CHECK(strncmp(text, name, strlen(name)) == 0);
      const char *ns = strstr(text, "\"ns_per_rhs\":");
      CHECK(ns && atof(ns + 13) > 10);
      CHECK_HAS(text, "\"ns_per_body\":");
      CHECK_HAS(text, "\"instructions_per_rhs\":null}\n");
    }
}

TEST(a_count_says_nothing) {
  char text[4000];
  CHECK(bench("--case tree --n 20 --coordinates absolute --count 3", text, sizeof text) == 0);
  CHECK_TEXT(text, "");
}

/* instructions of `count` evaluations of a law and all it takes to come there; 0: there is no valgrind, or it does not know
 * this processor's */
static double collected(int law, int count) {
  char command[1400], folder[1000] = TN_BINARY, line[400];
  char *slash = strrchr(folder, '/');
  double instructions = 0;
  if (slash) *slash = '\0';
  snprintf(
      command, sizeof command,
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s/tenon-bench' --case law --n %d --count %d 2>&1",
      folder, law, count);
  FILE *pipe = popen(command, "r");
  if (!pipe) return 0;
  while (fgets(line, sizeof line, pipe)) {
    const char *at = strstr(line, "Collected : ");
    if (at) instructions = atof(at + 12);
  }
  return pclose(pipe) == 0 ? instructions : 0;
}

/* 30 ns where it was measured, of the 60 it may take: of a PD law over channels of a body, a joint, and a joint that carries its body */
TEST_FULL(a_running_law_takes_few_instructions) {
  for (int law = 1; law <= 3; law++) {
    const double few = collected(law, 1000), many = collected(law, 11000), each = (many - few) / 10000;
    if (few == 0 || many == 0) continue;
    if (!(each > 50 && each < 500)) printf("law %d: %.1f instructions\n", law, each);
    CHECK(each > 50 && each < 500);
  }
}

TEST_FULL(laws_have_a_line) {
  static const char *const laws[] = {"body", "joint", "relative", "body-space", "joint-space"};
  char text[4000];
  CHECK(bench("--json --case law", text, sizeof text) == 0);
  for (int i = 0; i < 5; i++) {
    char name[64];
    snprintf(name, sizeof name, "{\"law\":\"%s\",\"ns\":", laws[i]);
    CHECK_HAS(text, name);
  }
}

TEST(words_that_are_not_known) {
  static const char *const words[] = {"--case chain", "--n 0",   "--n 12x", "--n 200000",  "--coordinates polar",
                                      "--count -1",   "--count", "--fast",  "planar-chain"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    char text[4000];
    CHECK(bench(words[i], text, sizeof text) == 1);
    CHECK_HAS(text, "tenon-bench: cannot use '");
  }
}

/* a program at `path` that counts its runs in the file `runs` and hands its words to tenon, with `more` of them */
static void write_wrapper(const char *path, const char *more) {
  FILE *file = fopen(path, "w");
  CHECK(file && fprintf(file, "#!/bin/sh\necho run >> runs\nexec '%s' \"$@\" %s\n", TN_BINARY, more) > 0);
  if (file) fclose(file);
  CHECK(chmod(path, 0755) == 0);
}

/* exit status of bench/same.py, its output in `text` */
static int same(const char *words, char *text, size_t size) {
  char command[1200];
  snprintf(command, sizeof command, "python3 '%s/bench/same.py' %s 2>&1", TN_SOURCE_DIR, words);
  FILE *pipe = popen(command, "r");
  if (!pipe) return -1;
  text[fread(text, 1, size - 1, pipe)] = '\0';
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int count_runs(void) {
  FILE *file = fopen("runs", "r");
  int n = 0;
  for (int c; file && (c = fgetc(file)) != EOF;) n += c == '\n';
  if (file) fclose(file);
  return n;
}

TEST(two_programs_are_compared) {
  char text[8000];
  if (system("command -v python3 > /dev/null && rm -rf kept runs") != 0) {
    printf("no python3 to compare with\n");
    return;
  }
  FILE *file = fopen("fall.json", "w");
  CHECK(file &&
        fputs("{ \"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],\n"
              "  \"bodies\": { \"b\": { \"mass\": 1, \"inertia\": 1, \"position\": [1, 0] } },\n"
              "  \"joints\": { \"p\": { \"type\": \"revolute\", \"between\": [\"ground\", \"b\"], \"at\": [0, 0] } },\n"
              "  \"run\": { \"until\": 0.1, \"every\": 0.02 } }\n",
              file) >= 0);
  if (file) fclose(file);
  write_wrapper("one", "");
  write_wrapper("two", "--rtol 1e-5");
  CHECK(same("--keep kept ./one ./one fall.json", text, sizeof text) == 0);
  CHECK_TEXT(text, "9 the same, 0 different, 0 by more than 0.01 tolerances\n");
  CHECK(count_runs() == 18);
  /* the results of the program of before are kept, those of the other are not */
  CHECK(same("--keep kept ./one ./two fall.json", text, sizeof text) == 1);
  CHECK_HAS(text, " tolerances in `");
  CHECK(count_runs() == 27);
  /* a model that was changed has no results yet */
  CHECK(system("echo >> fall.json") == 0);
  CHECK(same("--keep kept ./one ./one fall.json", text, sizeof text) == 0);
  CHECK(count_runs() == 45);
  CHECK(same("./one ./one no_such_model", text, sizeof text) == 2);
  CHECK_HAS(text, "no file and no model in models/: no_such_model");
}

TEST(peers_are_judged_by_the_same_rules_on_consistent_mechanisms) {
  if (system("command -v python3 > /dev/null") != 0) {
    printf("no python3 to judge with\n");
    return;
  }
  CHECK(system("python3 -W error '" TN_SOURCE_DIR
               "/test/bench/peers_test.py' > peers.out 2>&1 || { cat peers.out; false; }") == 0);
}
