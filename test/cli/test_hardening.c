/* what a release build is protected by, as its ELF headers say. other builds, and linkers that cannot, have nothing to show. */
#include "test.h"

static bool lists(const char *options, const char *what) {
  char command[1200], line[600];
  bool found = false;
  snprintf(command, sizeof command, "LC_ALL=C readelf %s '%s' 2>&1", options, TN_BINARY);
  FILE *f = popen(command, "r");
  if (!f) return false;
  while (fgets(line, sizeof line, f)) found = found || strstr(line, what);
  return pclose(f) == 0 && found;
}

TEST(a_release_build_is_hardened) {
  if (!TN_HARDENED) return;
  CHECK(lists("-hW", "DYN (Position-Independent Executable file)"));
  CHECK(lists("-lW", "GNU_RELRO")); /* and with all symbols bound at the start: full */
  CHECK(lists("-dW", "BIND_NOW") && lists("-dW", " NOW"));
  CHECK(lists("-lW", "GNU_STACK") && !lists("-lW", "RWE"));
  CHECK(lists("-sW --dyn-syms", "__stack_chk_fail"));
  CHECK(lists("-sW --dyn-syms", "__snprintf_chk") && lists("-sW --dyn-syms", "__memcpy_chk"));
}

/* a preset that ships has it; the test above would pass without a word */
TEST(optimized_builds_are_the_hardened_ones) {
#if defined(__OPTIMIZE__) && defined(NDEBUG) && defined(__linux__) && defined(__GNUC__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
  CHECK(TN_HARDENED);
#endif
}
