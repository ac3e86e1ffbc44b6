/* a file that is written at once: beside its name, NAME.part, and renamed when it is whole. `-` is standard output. */
#include "cli.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(const char *path) {
  tn_say(RED, "cannot write '%s': %s", path, strerror(errno));
  return TN_E_IO;
}

bool tn_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

char *tn_link_target(const char *path) {
  enum { MOST_LINKS = 16, LONGEST = 4096 };
  struct stat s;
  char at[LONGEST], to[LONGEST];
  if (lstat(path, &s) != 0 || !S_ISLNK(s.st_mode)) return NULL;
  char *real = realpath(path, NULL);
  if (real || strlen(path) >= sizeof at) return real;
  strcpy(at, path); /* what it leads to is not there yet */
  for (int i = 0; i < MOST_LINKS && lstat(at, &s) == 0 && S_ISLNK(s.st_mode); i++) {
    const ssize_t n = readlink(at, to, sizeof to - 1);
    char *slash = strrchr(at, '/');
    if (n <= 0) return NULL;
    to[n] = 0;
    char *end = *to == '/' || !slash ? at : slash + 1;
    if ((size_t)(end - at) + (size_t)n >= sizeof at) return NULL;
    strcpy(end, to);
  }
  return lstat(at, &s) == 0 ? NULL : strdup(at);
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
  char part[1024], *target = tn_link_target(path);
  const size_t n = (size_t)snprintf(part, sizeof part, "%s.part", target ? target : path);
  free(target);
  if (n >= sizeof part) return errno = ENAMETOOLONG, cannot(path);
  FILE *file = fopen(part, "w"); /* better now than after all the work */
  if (!file) return cannot(path);
  fclose(file);
  remove(part);
  return 0;
}

static int save(const char *path, tn_status (*print)(const void *what, tn_write write, void *user), const void *what) {
  char part[1024];
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

int tn_save(const char *path, tn_status (*print)(const void *what, tn_write write, void *user), const void *what) {
  if (strcmp(path, "-") == 0) return print(what, tn_to_file, stdout) == TN_OK ? 0 : TN_E_IO;
  char *target = tn_link_target(path); /* what a link stands for is written, not the link */
  const int code = save(target ? target : path, print, what);
  free(target);
  return code;
}

int tn_jobs(const words *w) {
  const char *jobs = tn_words_value(w, "--jobs");
  char *end = NULL;
  const long n = jobs ? strtol(jobs, &end, 10) : 0;
  if (!jobs || (*jobs && !*end && n >= 1 && n <= 1024)) return (int)n;
  tn_say_usage(w, "--jobs needs a number from 1 to 1024, not", jobs);
  return -1;
}
