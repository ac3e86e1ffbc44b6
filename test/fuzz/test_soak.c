/* the soak itself: some rounds of it find nothing, and they find a program that spoils its files. */
#include "test.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* some rounds with this program; its exit code, and all that it says */
static int soaked(const char *program, const char *library, const char *rounds, char *said, size_t size) {
  char command[4096];
  snprintf(command, sizeof command, "rm -rf soaked && '%s-soak' '%s' '%s' soaked %s 5 1 2>&1", TN_BINARY, program,
           library, rounds);
  FILE *from = popen(command, "r");
  size_t n = 0;
  while (from && n + 1 < size && !feof(from)) n += fread(said + n, 1, size - 1 - n, from);
  said[n] = 0;
  const int status = from ? pclose(from) : -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* the number before these words in the summary; -1: they are not there */
static long counted(const char *said, const char *behind) {
  const char *line = strstr(said, " minutes: "), *at = line ? strstr(line, behind) : NULL;
  while (at && at > line && (at[-1] < '0' || at[-1] > '9')) at--;
  while (at && at > line && at[-1] >= '0' && at[-1] <= '9') at--;
  return at ? atol(at) : -1;
}

TEST_FULL(some_rounds_lose_nothing) {
  static char said[100000];
  const int code = soaked(TN_BINARY, TN_BINARY "-faults.so", "20r", said, sizeof said);
  if (code) FAIL("exit %d: %s", code, said);
  printf("%s", said);
  CHECK(counted(said, " mechanisms") >= 10);
  CHECK(counted(said, " times and resumed") >= 1); /* kills */
  if (!strstr(said, "cannot be injected here")) CHECK(counted(said, " faults") >= 1);
  CHECK(counted(said, " failures") == 0);
}

/* it makes other rows whenever it is to write r.tnr */
TEST_FULL(a_program_that_makes_another_result_is_found) {
  static char said[100000];
  FILE *file = fopen("other.sh", "w");
  if (!file) abort();
  fprintf(file, "#!/bin/sh\ncase \"$*\" in run*r.tnr*) set -- \"$@\" --until 0.0123 ;; esac\nexec '%s' \"$@\"\n",
          TN_BINARY);
  fclose(file);
  CHECK(chmod("other.sh", 0755) == 0);
  CHECK(soaked("./other.sh", "-", "12r", said, sizeof said) == 1);
  CHECK(counted(said, " failures") >= 1);
  CHECK_HAS(said, "those of a whole run");
  struct stat s;
  CHECK(stat("soaked/failed-0-1/failure.txt", &s) == 0);
}
