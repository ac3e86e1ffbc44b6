/* every example in README, CONTRIBUTING and docs/ runs, from top to bottom of each document and in a folder of its own: models compile and
 * move, commands of `tenon` succeed, Python and C programs run. a model whose first line is `// NAME.json` is saved under that
 * name for the commands after it, and so is a study, a block of `json`. blocks of `text` are what programs print; those of `py` use the
 * Python package, whose tests run them: python/tests/test_docs.py. */
#include "docs/documents.h"
#include "model/model.h"
#include "test.h"

#include <ctype.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tenon/tenon.h"

typedef struct block {
  const char *document;
  char language[16];
  char text[32768];
} block;

static int seen[8];
enum { MODELS, COMMANDS, PROGRAMS, SCRIPTS, TEXTS };

/* hand every fenced block of a document to `use`, in order */
static void each_block(const char *document, void (*use)(const block *)) {
  static block b;
  char path[5200], line[4096];
  snprintf(path, sizeof path, "%s/%.63s", TN_SOURCE_DIR, document);
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  if (!file) return;
  bool inside = false;
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "```", 3) == 0) {
      if (inside) use(&b);
      inside = !inside;
      b.document = document;
      b.text[0] = 0;
      snprintf(b.language, sizeof b.language, "%.15s", line + 3);
      b.language[strcspn(b.language, " \n")] = 0;
    } else if (inside) {
      if (strlen(b.text) + strlen(line) >= sizeof b.text)
        FAIL("%s: a block is too long", document);
      else
        strcat(b.text, line);
    }
  }
  CHECK(!inside);
  fclose(file);
}

/* each document in an empty folder */
static void each_document(void (*use)(const block *)) {
  char name[TN_MOST_DOCUMENTS][64], here[1024];
  const int n = tn_documents(name);
  CHECK(getcwd(here, sizeof here));
  CHECK(n > 6);
  for (int i = 0; i < n; i++) {
    char scratch[] = "docXXXXXX";
    CHECK(mkdtemp(scratch) && chdir(scratch) == 0);
    each_block(name[i], use);
    CHECK(chdir(here) == 0);
  }
}

static void run_model(const block *b) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  char text[1600], name[64];
  if (sscanf(b->text, "// %60[A-Za-z0-9_].json", name) == 1) {
    strcat(name, ".json");
    FILE *file = fopen(name, "w");
    CHECK(file && fputs(b->text, file) >= 0);
    if (file) fclose(file);
  }
  CHECK(tn_desc_new(NULL, &desc, &e) == TN_OK);
  tn_status status = tn_desc_parse(desc, b->document, b->text, strlen(b->text), &e);
  if (status == TN_OK) status = tn_desc_number(desc, "/run/until", 0.02, &e);
  if (status == TN_OK) status = tn_compile(desc, &model, &e);
  if (status == TN_OK) status = tn_sim_new(model, &sim, &e);
  if (status == TN_OK) status = tn_sim_run(sim, NULL, NULL, &e);
  if (status != TN_OK) {
    tn_error_text(&e, text, sizeof text);
    FAIL("%s: %s\n%s", b->document, text, b->text);
  }
  if (sim) CHECK(tn_sim_summary(sim)->steps > 0);
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
}

/* `text` holds `word`, with no letter, digit or dash on either side */
static bool has_word(const char *text, const char *word) {
  for (const char *at = text; *word && (at = strstr(at, word)); at++) {
    const char before = at > text ? at[-1] : ' ', after = at[strlen(word)];
    if (!strchr("-_.", before) && !strchr("-_.", after) && !isalnum((unsigned char)before) &&
        !isalnum((unsigned char)after))
      return true;
  }
  return false;
}

static void check_in(const char *document, const char *line, const char *source, const char *word) {
  char *text = tn_read_source(source);
  if (!text || !has_word(text, word)) FAIL("%s: %s: `%s` is not in %s", document, line, word, source);
  free(text);
}

/* what builds and tests is not run here: that ./dev and CMake know its words, and that there are such tests, is looked at. true: it was
 * a line of that kind */
static bool check_developer(const char *document, const char *line) {
  char word[64] = "", command[8192], source[128];
  if (sscanf(line, "./dev %63s", word) == 1) {
    check_in(document, line, "dev", word);
    char preset[64];
    if (sscanf(line, "./dev build %63s", preset) == 1) check_in(document, line, "CMakePresets.json", preset);
    return true;
  }
  if (sscanf(line, "cmake --preset %63s", word) == 1) {
    check_in(document, line, "CMakePresets.json", word);
    return true;
  }
  if (sscanf(line, "cmake --build build/%*63[a-z0-9] --target %63s", word) == 1) {
    if (strcmp(word, "tenon") == 0) return true;
    snprintf(source, sizeof source, "%s.c", word);
    for (char *dot = source; (dot = strchr(dot, '.')) && strcmp(dot, ".c") != 0;) *dot = '/';
    char *text = tn_read_source(source);
    if (!text) FAIL("%s: %s: there is no %s", document, line, source);
    free(text);
    return true;
  }
  if (sscanf(line, "build/%*63[a-z0-9]/test/%63s", word) == 1) { /* a test program that was built */
    snprintf(source, sizeof source, "test/%s.c", word);
    char *text = tn_read_source(source);
    if (!text) FAIL("%s: %s: there is no %s", document, line, source);
    free(text);
    return true;
  }
  int options = 0;
  if (sscanf(line, "ctest --test-dir build/%63s %n", word, &options) != 1 || !options) return false;
  check_in(document, line, "CMakePresets.json", word);
  char folder[1000] = TN_BINARY;
  *strrchr(folder, '/') = '\0';
  snprintf(command, sizeof command, "ctest --test-dir \"%s\" -N %s | grep -q '^Total Tests: [1-9]'", folder,
           line + options);
  if (system(command) != 0) FAIL("%s: %s: there is no such test", document, line);
  return true;
}

/* this build lacks types for want of a library */
static bool without(void) { return tn_types_left_out[0].name != NULL; }

/* a line of a shell with this program and the models of this tree */
static void run_line(const char *document, const char *line) {
  char command[8192];
  if (check_developer(document, line)) return;
  if (strncmp(line, "tenon ", 6) != 0 && strncmp(line, "bench/same.py ", 14) != 0 &&
      strncmp(line, "cp build/", 9) != 0) {
    FAIL("%s: a command that the test does not know: %s", document, line);
    return;
  }
  snprintf(command, sizeof command,
           "for d in models sweeps bench; do [ -e $d ] || ln -s \"%s/$d\" $d; done; tenon() { \"%s\" \"$@\"; }; "
           "mkdir -p build/release; ln -sf \"%s\" build/release/tenon; { %s\n} > command.out 2>&1",
           TN_SOURCE_DIR, TN_BINARY, TN_BINARY, line);
  const int code = system(command);
  /* what shows a rough or drifting method may end with another verdict than `trusted`; what a beginner reads may not */
  const bool doubt = WIFEXITED(code) && WEXITSTATUS(code) == 8;
  const bool first = (strstr(document, "README") || strstr(document, "tutorial")) && !strstr(line, "--breach record");
  if (code != 0 && (first || !doubt)) {
    /* documents are about the default build */
    if (without() && system("grep -q 'is not in this build' command.out") == 0) return;
    if (!tn_has_pages(NULL) && system("grep -q 'pages are left out of this Tenon' command.out") == 0) return;
    FAIL("%s: %s", document, line);
    if (system("cat command.out")) printf("(no output)\n");
  }
}

static void run_commands(const block *b) {
  char copy[sizeof b->text];
  strcpy(copy, b->text);
  for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n")) run_line(b->document, line);
}

/* Python programs of the documents need nothing but its library */
static void run_script(const block *b) {
  FILE *file = fopen("script.py", "w");
  CHECK(file && fputs(b->text, file) >= 0);
  if (file) fclose(file);
  if (system("command -v python3 > /dev/null") != 0) {
    printf("%s: no python3 to try it with\n", b->document);
    return;
  }
  if (system("python3 script.py > command.out 2>&1") != 0) {
    FAIL("%s: a Python program fails", b->document);
    if (system("cat command.out")) printf("(no output)\n");
  }
}

/* a study, for the commands after it */
static void save_study(const block *b) {
  char name[64] = "";
  CHECK(sscanf(b->text, "// %58[A-Za-z0-9_].json", name) == 1);
  strcat(name, ".json");
  FILE *file = fopen(name, "w");
  CHECK(file && fputs(b->text, file) >= 0);
  if (file) fclose(file);
}

static void run_block(const block *b) {
  if (strcmp(b->language, "jsonc") == 0)
    seen[MODELS]++, run_model(b);
  else if (strcmp(b->language, "json") == 0)
    save_study(b);
  else if (strcmp(b->language, "sh") == 0)
    seen[COMMANDS]++, run_commands(b);
  else if (strcmp(b->language, "python") == 0)
    seen[SCRIPTS]++, run_script(b);
  else if (strcmp(b->language, "c") == 0)
    seen[PROGRAMS]++; /* below */
  else if (strcmp(b->language, "text") == 0 || strcmp(b->language, "py") == 0)
    seen[TEXTS]++;
  else
    FAIL("%s: a block of `%s`, which nothing tries", b->document, b->language);
}

TEST_FULL(documents_run_from_top_to_bottom) {
  each_document(run_block);
  CHECK(seen[MODELS] >= 10 && seen[COMMANDS] >= 10 && seen[SCRIPTS] >= 1 && seen[PROGRAMS] >= 1);
}

static void build_program(const block *b) {
  char command[4096], folder[1024];
  if (strcmp(b->language, "c") != 0) return;
  FILE *file = fopen("example.c", "w");
  CHECK(file != NULL);
  if (!file) return;
  fputs(b->text, file);
  fclose(file);
  snprintf(folder, sizeof folder, "%s", TN_BINARY);
  *strrchr(folder, '/') = 0;
  snprintf(
      command, sizeof command,
      "ln -sfn \"%s/models\" models; cc -std=c17 -Wall -Wextra -Werror -I\"%s/include\" example.c \"%s/libtenon.a\" "
      "%s -lm -o example && ./example",
      TN_SOURCE_DIR, TN_SOURCE_DIR, folder, without() ? "" : "-lsundials_arkode -lsundials_cvode -lsundials_ida");
  seen[PROGRAMS]++;
  if (system(command) != 0) FAIL("%s: the example program fails", b->document);
}

/* full: in the release build only, whose library needs no flags of its own */
TEST_FULL(programs_in_documents_run) {
  each_document(build_program);
  CHECK(seen[PROGRAMS] >= 1);
}

/* the reference is what the tables say, with all types there are */
TEST(the_reference_is_up_to_date) {
  char command[4096];
  if (without()) return;
  snprintf(command, sizeof command,
           "\"%s\" list --markdown > tables.md && sed '1,/^<!-- from the tables -->$/d' \"%s/docs/reference.md\" | "
           "diff - tables.md",
           TN_BINARY, TN_SOURCE_DIR);
  if (system(command) != 0) FAIL("docs/reference.md: ./dev reference writes it anew");
}
