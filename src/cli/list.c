/* tenon list KIND: the registries. */
#include "cli.h"

int tn_cli_list(int argc, char **argv) {
  static const char *const kinds[] = {"joint",      "force",      "coordinates", "formulation",
                                      "stabilizer", "integrator", "method"};
  const size_t n = sizeof kinds / sizeof *kinds;
  if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    puts("tenon list KIND: joint force coordinates formulation stabilizer integrator method; all of them without KIND");
    return 0;
  }
  if (argc > 2) return tn_cli_usage("list", "one kind at a time, not also", argv[2]);
  bool known = argc == 1;
  for (size_t k = 0; k < n; k++) {
    if (argc == 2 && strcmp(argv[1], kinds[k]) != 0) continue;
    known = true;
    if (argc == 1) printf("%s%s:\n", k ? "\n" : "", kinds[k]);
    for (int i = 0; tn_list_name(kinds[k], i); i++)
      printf("  %-16s %s\n", tn_list_name(kinds[k], i), tn_list_doc(kinds[k], i));
  }
  return known ? 0 : tn_cli_usage("list", "unknown kind", argv[1]);
}
