/* tenon list KIND NAME: what can be named in a model. */
#include "cli.h"

static const option options[] = {
    {"--markdown", NULL, NULL, "every type with its fields and an example, as Markdown", NULL, false}, {.flag = NULL}};

static int run(const words *w) {
  tn_error e;
  const char *kind = w->words > 0 ? w->word[0] : NULL, *name = w->words > 1 ? w->word[1] : NULL;
  /* a type may be asked for by its name alone */
  bool is_kind = kind == NULL;
  for (int i = 0; !is_kind && tn_list_kind(i); i++) is_kind = strcmp(tn_list_kind(i), kind) == 0;
  if (!is_kind && !name && tn_list_print(NULL, kind, tn_words_has(w, "--markdown"), tn_to_file, stdout, &e) == TN_OK)
    return 0;
  if (tn_list_print(kind, name, tn_words_has(w, "--markdown"), tn_to_file, stdout, &e) == TN_OK) return 0;
  return tn_say_error(&e);
}

const command tn_cli_list = {
    .name = "list",
    .takes = "[KIND [NAME]]",
    .doc = "What can be named: joint, force, coordinates, formulation, stabilizer, integrator, method; with NAME its "
           "fields and an example.",
    .completes = "joint force coordinates formulation stabilizer integrator method",
    .most = 2,
    .options = options,
    .run = run,
};
