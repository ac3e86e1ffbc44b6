/* a file that is written at once: beside its name, NAME.part, and renamed when it is whole. `-` is standard output. */
#include "cli.h"

#include <errno.h>
#include <sys/stat.h>

static int cannot(const char *path) {
  tn_say(RED, "cannot write '%s': %s", path, strerror(errno));
  return TN_E_IO;
}

bool tn_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool tn_ends_in(const char *path, const char *suffix) {
  const size_t n = strlen(path), k = strlen(suffix);
  return n > k && strcmp(path + n - k, suffix) == 0;
}

bool tn_pages(const char *path) {
  const char *why;
  if (tn_has_pages(&why)) return true;
  tn_say(RED, "cannot write '%s': pages are left out of this Tenon: %s", path, why);
  tn_say(PLAIN,
         "with npm on the path, build it again; a .tnr of a run keeps everything until then: tenon view FILE.tnr");
  return false;
}

int tn_save_plan(const char *path, const char *const *inputs) {
  struct stat s;
  if (strcmp(path, "-") == 0) return 0;
  for (int i = 0; inputs[i]; i++)
    if (tn_same_file(path, inputs[i])) {
      tn_say(RED, "'%s' is read, and would be replaced", path);
      return TN_E_USAGE;
    }
  if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) return errno = EISDIR, cannot(path);
  char part[1024];
  if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part) return errno = ENAMETOOLONG, cannot(path);
  FILE *file = fopen(part, "w"); /* better now than after all the work */
  if (!file) return cannot(path);
  fclose(file);
  remove(part);
  return 0;
}

int tn_save(const char *path, tn_status (*print)(const void *what, tn_write write, void *user), const void *what) {
  char part[1024];
  if (strcmp(path, "-") == 0) return print(what, tn_to_file, stdout) == TN_OK ? 0 : TN_E_IO;
  if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part) return errno = ENAMETOOLONG, cannot(path);
  FILE *file = fopen(part, "w");
  bool good = file && print(what, tn_to_file, file) == TN_OK;
  if (file && fclose(file) != 0) good = false;
  if (good && rename(part, path) == 0) return 0;
  const int why = errno;
  remove(part);
  errno = why;
  return cannot(path);
}

int tn_jobs(const words *w) {
  const char *jobs = tn_words_value(w, "--jobs");
  char *end = NULL;
  const long n = jobs ? strtol(jobs, &end, 10) : 0;
  if (!jobs || (*jobs && !*end && n >= 1 && n <= 1024)) return (int)n;
  tn_say_usage(w, "--jobs needs a number, not", jobs);
  return -1;
}
