/* files that are written at once, when all the work is done. they are opened before it, so that nothing is done in vain and nobody else
 * writes them meanwhile. `-` is standard output. */
#include "cli.h"

#include <errno.h>
#include <sys/stat.h>

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

/* ---- planned files ----------------------------------------------------------------------------------------------------------- */

static struct planned {
  char *name;
  part_file part;
  struct planned *next;
} * planned;

/* a device or pipe is written as it is */
static bool is_direct(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

static struct planned *find(const char *path) {
  struct planned *p = planned;
  while (p && strcmp(p->name, path) != 0) p = p->next;
  return p;
}

static void forget(struct planned *p) {
  struct planned **at = &planned;
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  tn_part_discard(&p->part); /* one that was committed is no part any more */
  free(p->name);
  free(p);
}

/* it stays in the list until it is saved or given up */
static int open_planned(const char *path) {
  struct planned *p = calloc(1, sizeof *p);
  if (!p || !(p->name = tn_joined(path, ""))) return free(p), tn_say_no_memory();
  p->next = planned;
  planned = p;
  const char *why = tn_part_open(&p->part, p->name);
  const int code = why ? tn_cannot_write(path, why) : 0;
  if (why) forget(p);
  return code;
}

void tn_save_end(void) {
  while (planned) forget(planned);
}

int tn_save_plan(const char *path, const inputs *in) {
  if (strcmp(path, "-") == 0) return 0;
  const int code = in ? tn_inputs_spare(in, path, NULL) : 0;
  if (code) return code;
  for (const struct planned *p = planned; p; p = p->next)
    if (tn_same_file(p->part.target, path)) {
      tn_say(RED, "named twice as an output: '%s'", path);
      return TN_E_USAGE;
    }
  return is_direct(path) ? 0 : open_planned(path); /* better now than after all the work */
}

static int save_direct(const char *path, tn_status (*print)(const void *what, tn_write write, void *user),
                       const void *what) {
  errno = 0;
  FILE *file = fopen(path, "wb");
  const bool good = file && print(what, tn_to_file, file) == TN_OK;
  if (file && fclose(file) == 0 && good) return 0;
  return tn_cannot_write(path, errno ? strerror(errno) : NULL);
}

int tn_save(const char *path, tn_status (*print)(const void *what, tn_write write, void *user), const void *what) {
  if (strcmp(path, "-") == 0) return print(what, tn_to_file, stdout) == TN_OK ? 0 : TN_E_IO;
  if (is_direct(path)) return save_direct(path, print, what);
  int code = find(path) ? 0 : open_planned(path);
  if (code) return code;
  struct planned *p = find(path);
  const char *why = tn_part_cut(&p->part, 0);
  errno = 0;
  if (!why && print(what, tn_to_file, p->part.to) != TN_OK) why = errno ? strerror(errno) : "it could not be printed";
  if (!why) why = tn_part_commit(&p->part);
  code = why ? tn_cannot_write(path, why) : 0;
  forget(p);
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
