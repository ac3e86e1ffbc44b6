/* tenon: dynamics of constrained multibody systems from the command line. */
#include "cli.h"

#include <signal.h>

const command *const tn_cli_commands[] = {
    &tn_cli_run,     &tn_cli_resume, &tn_cli_check,  &tn_cli_show,      &tn_cli_eval,       &tn_cli_list,
    &tn_cli_schema,  &tn_cli_new,    &tn_cli_export, &tn_cli_view,      &tn_cli_stability,  &tn_cli_surface,
    &tn_cli_compare, &tn_cli_tune,   &tn_cli_sweep,  &tn_cli_reproduce, &tn_cli_completion, NULL};

static void version(void) {
  char built[512];
  tn_built_with(built, sizeof built);
  printf("%s %s\n%s\n", tn_program, tn_version(), built);
  for (int k = 0; tn_list_kind(k); k++) {
    printf("%-12s", tn_list_kind(k));
    for (int i = 0; tn_list_name(tn_list_kind(k), i); i++) printf(" %s", tn_list_name(tn_list_kind(k), i));
    putchar('\n');
  }
  const char *missing;
  const bool pages = tn_has_pages(&missing);
  printf("%-12s %s%s\n", "pages", pages ? "html" : "none: ", missing);
  tn_farm_version();
}

static int run(const command *c, int argc, char **argv) {
  words w;
  int code = tn_words_parse(c, argc, argv, &w);
  if (!code && tn_words_has(&w, "--help"))
    tn_help(stdout, c);
  else if (!code)
    code = c->run(&w);
  tn_words_free(&w);
  return tn_end_stdout(code);
}

static int dispatch(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "";
  if (argc < 2) {
    tn_help_all(stderr);
    return TN_E_USAGE;
  }
  for (const command *const *c = tn_cli_commands; *c; c++)
    if (strcmp(word, (*c)->name) == 0) return run(*c, argc - 2, argv + 2);
  const bool help = strcmp(word, "help") == 0;
  if (help && argc > 2) {
    for (const command *const *c = tn_cli_commands; *c; c++)
      if (strcmp(argv[2], (*c)->name) == 0) {
        tn_help(stdout, *c);
        return tn_end_stdout(0);
      }
    return tn_say_usage(NULL, "unknown command", argv[2]);
  }
  const bool known = help || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "--version") == 0 ||
                     strcmp(word, "--manual") == 0;
  if (known && argc > 2) return tn_say_usage(NULL, "nothing may follow but", word);
  if (strcmp(word, "--version") == 0)
    version();
  else if (strcmp(word, "--manual") == 0)
    tn_manual(stdout);
  else if (known)
    tn_help_all(stdout);
  if (known) return tn_end_stdout(0);
  const char *names[32];
  int n = 0;
  for (const command *const *c = tn_cli_commands; *c; c++) names[n++] = (*c)->name;
  const char *near = tn_nearest(word, n, names);
  tn_say(RED, near ? "unknown command '%s': did you mean '%s'?" : "unknown command '%s'", word, near);
  fprintf(stderr, "       see tenon --help\n");
  return TN_E_USAGE;
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow any more is one that cannot be written */
  const int rank = tn_farm_begin(&argc, &argv);
  /* the others are there for sweeps alone */
  const bool idle = rank > 0 && (argc < 2 || strcmp(argv[1], tn_cli_sweep.name) != 0);
  const int code = idle ? 0 : dispatch(argc, argv);
  tn_save_end();
  return tn_farm_end(code);
}
