/* tenon new NAME: a copy of an example to begin with. */
#include "cli.h"

static const option options[] = {{"--force", "-f", NULL, "replace a file that is there", NULL, false}, {.flag = NULL}};

static void list_examples(void) {
  for (const example *x = tn_cli_examples; x->name; x++) {
    tn_desc *desc = NULL;
    tn_model *model = NULL;
    tn_error e;
    tn_model_info info = {.title = ""};
    if (tn_desc_new(NULL, &desc, &e) == TN_OK &&
        tn_desc_parse(desc, x->name, (const char *)x->text, x->size, &e) == TN_OK &&
        tn_compile(desc, &model, &e) == TN_OK)
      tn_model_get_info(model, &info);
    printf("  %-20s %s\n", x->name, info.title);
    tn_model_free(model);
    tn_desc_free(desc);
  }
}

static tn_status as_text(const void *what, tn_write write, void *user) {
  const example *x = what;
  return write(user, (const char *)x->text, x->size) ? TN_OK : TN_E_IO;
}

static int run(const words *w) {
  if (!w->words) {
    puts("examples to copy:");
    list_examples();
    return 0;
  }
  const example *x = tn_cli_examples;
  while (x->name && strcmp(x->name, w->word[0]) != 0) x++;
  if (!x->name) {
    const char *known[64];
    int n = 0;
    for (x = tn_cli_examples; x->name && n < 64; x++) known[n++] = x->name;
    const char *near = tn_nearest(w->word[0], n, known);
    tn_say(RED,
           near ? "there is no example '%s': did you mean '%s'?" : "there is no example '%s'; tenon new lists them",
           w->word[0], near);
    return TN_E_USAGE;
  }
  char own[80];
  snprintf(own, sizeof own, "%s.json", x->name);
  const char *path = w->words > 1 ? w->word[1] : own;
  if (strcmp(path, "-") == 0) return tn_to_file(stdout, (const char *)x->text, x->size) ? 0 : TN_E_IO;
  if (!tn_words_has(w, "--force") && tn_exists(path)) {
    tn_say(RED, "'%s' is there already; --force replaces it", path);
    return TN_E_IO;
  }
  const int code = tn_save(path, as_text, x);
  if (code) return code;
  tn_line(stdout, "wrote %s; next: tenon check %s, tenon run %s -o %s.svg", path, path, path, x->name);
  return 0;
}

const command tn_cli_new = {
    .name = "new",
    .takes = "[EXAMPLE [FILE]]",
    .doc = "Copy an example model to begin with, into EXAMPLE.json or FILE (-: standard output); without words, list "
           "them.",
    .completes = "example",
    .most = 2,
    .options = options,
    .run = run,
};
