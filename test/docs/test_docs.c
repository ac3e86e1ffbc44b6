/* every example in the documents runs: models compile and move, commands of `tenon` succeed, C programs build and run. */
#include "test.h"

#include "tenon/tenon.h"

static const char *const documents[] = {"README.md", "docs/model.md", "docs/methods.md", "docs/library.md",
                                        "docs/expressions.md"};

typedef struct block {
  const char *document;
  char language[16];
  char text[16384];
} block;

/* hand every fenced block of the documents to `use`; returns how many were of the language */
static int each_block(const char *language, void (*use)(const block *)) {
  static block b;
  int found = 0;
  for (size_t d = 0; d < sizeof documents / sizeof *documents; d++) {
    char path[1024], line[4096];
    snprintf(path, sizeof path, "%s/%s", TN_SOURCE_DIR, documents[d]);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    if (!file) continue;
    bool inside = false;
    while (fgets(line, sizeof line, file)) {
      if (strncmp(line, "```", 3) == 0) {
        if (inside && strcmp(b.language, language) == 0) {
          found++;
          use(&b);
        }
        inside = !inside;
        b.document = documents[d];
        b.text[0] = 0;
        snprintf(b.language, sizeof b.language, "%.15s", line + 3);
        b.language[strcspn(b.language, " \n")] = 0;
      } else if (inside) {
        CHECK(strlen(b.text) + strlen(line) < sizeof b.text);
        strcat(b.text, line);
      }
    }
    CHECK(!inside);
    fclose(file);
  }
  return found;
}

static void run_model(const block *b) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  char text[1600];
  CHECK(tn_desc_new(NULL, &desc, &e) == TN_OK);
  tn_status status = tn_desc_parse(desc, b->document, b->text, strlen(b->text), &e);
  if (status == TN_OK) status = tn_desc_number(desc, "/run/until", 0.02, &e);
  if (status == TN_OK) status = tn_compile(desc, &model, &e);
  if (status == TN_OK) status = tn_sim_new(model, &sim, &e);
  if (status == TN_OK) status = tn_sim_run(sim, NULL, NULL, &e);
  if (status != TN_OK) {
    tn_error_text(&e, text, sizeof text);
    printf("%s: %s\n%s", b->document, text, b->text);
  }
  CHECK(status == TN_OK);
  if (sim) CHECK(tn_sim_summary(sim)->steps > 0);
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
}

TEST(models_in_documents_run) { CHECK(each_block("jsonc", run_model) >= 5); }

/* `tenon ...` lines, with the program and the models of this tree */
static void run_commands(const block *b) {
  char copy[16384];
  strcpy(copy, b->text);
  for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n")) {
    char command[4096] = "";
    if (strncmp(line, "./dev ", 6) == 0) {
      char word[32] = "", dev[1024], text[512];
      sscanf(line + 6, "%31s", word);
      snprintf(dev, sizeof dev, "%s/dev", TN_SOURCE_DIR);
      FILE *file = fopen(dev, "r");
      CHECK(file != NULL);
      bool known = false;
      while (file && fgets(text, sizeof text, file)) known = known || strstr(text, word) != NULL;
      if (file) fclose(file);
      CHECK(known);
      continue;
    }
    if (strncmp(line, "tenon ", 6) != 0) {
      printf("%s: a command that the test does not know: %s\n", b->document, line);
      CHECK(false);
      continue;
    }
    snprintf(command, sizeof command, "\"%s\" ", TN_BINARY);
    for (char *word = line + 6; *word;) {
      const size_t n = strcspn(word, " "), used = strlen(command);
      if (strncmp(word, "models/", 7) == 0)
        snprintf(command + used, sizeof command - used, "\"%s/%.*s\" ", TN_SOURCE_DIR, (int)n, word);
      else
        snprintf(command + used, sizeof command - used, "%.*s ", (int)n, word);
      word += n + (word[n] == ' ');
    }
    strcat(command, "> command.out 2>&1");
    const int code = system(command);
    if (code != 0) {
      printf("%s: %s\n", b->document, line);
      if (system("cat command.out")) printf("(no output)\n");
    }
    CHECK(code == 0);
  }
}

TEST(commands_in_documents_succeed) { CHECK(each_block("sh", run_commands) >= 3); }

static void build_program(const block *b) {
  char command[4096], folder[1024];
  FILE *file = fopen("example.c", "w");
  CHECK(file != NULL);
  if (!file) return;
  fputs(b->text, file);
  fclose(file);
  snprintf(folder, sizeof folder, "%s", TN_BINARY);
  *strrchr(folder, '/') = 0;
  snprintf(command, sizeof command,
           "cc -std=c17 -Wall -Wextra -Werror -I\"%s/include\" example.c \"%s/libtenon.a\" -lm -o example && ./example",
           TN_SOURCE_DIR, folder);
  const int code = system(command);
  if (code != 0) printf("%s: the example program fails\n", b->document);
  CHECK(code == 0);
}

/* full: in the release build only, whose library needs no flags of its own */
TEST_FULL(programs_in_documents_run) { CHECK(each_block("c", build_program) >= 1); }
