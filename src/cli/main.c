/* tenon: dynamics of constrained multibody systems from the command line. */
#include "cli.h"

static const char usage[] =
    "tenon " TN_VERSION ": dynamics of constrained multibody systems\n"
    "\n"
    "  tenon run MODEL [options]   simulate a model file; `tenon run --help` lists the options\n"
    "  tenon list KIND             what can be named: joint force coordinates formulation stabilizer integrator "
    "method\n"
    "  tenon --version\n"
    "  tenon --help\n"
    "\n"
    "exit codes: 0 done, 1 usage, 2 model refused, 3 run stopped, 4 cannot read or write, 5 memory or internal\n";

int tn_cli_fail(const tn_error *e) {
  char text[1600];
  tn_error_text(e, text, sizeof text);
  fprintf(stderr, "tenon: %s\n", text);
  return e->status == TN_E_INTERNAL ? 5 : (int)e->status;
}

int tn_cli_usage(const char *command, const char *message, const char *word) {
  fprintf(stderr, "tenon: %s%s%s%s\n", message, word ? " '" : "", word ? word : "", word ? "'" : "");
  fprintf(stderr, "       see tenon%s%s --help\n", command ? " " : "", command ? command : "");
  return TN_E_USAGE;
}

bool tn_cli_to_file(void *file, const char *text, size_t size) { return fwrite(text, 1, size, file) == size; }

int main(int argc, char **argv) {
  if (argc < 2) {
    fputs(usage, stderr);
    return TN_E_USAGE;
  }
  const char *word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
    fputs(usage, stdout);
    return 0;
  }
  if (strcmp(word, "--version") == 0) {
    puts("tenon " TN_VERSION);
    return 0;
  }
  if (strcmp(word, "run") == 0) return tn_cli_run(argc - 1, argv + 1);
  if (strcmp(word, "list") == 0) return tn_cli_list(argc - 1, argv + 1);
  return tn_cli_usage(NULL, "unknown command", word);
}
