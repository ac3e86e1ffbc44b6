/* what a sweep has done, for one that is cut off: a line for every run, whole or not there.
 *
 *   tenon sweep journal 2 FINGERPRINT RUNS MEASURES
 *   RUN BITS BITS .. CHECK          values and the verdict, 16 hexadecimal digits each: the bits of a double
 *   RUN ! WORDS .. CHECK            why there are none
 *
 * CHECK is of the line before it. A line is written in one piece when its run has ended; where the last one is torn it is cut off, and
 * the run is made again. So is that of a line that is not right; those behind it have checks of their own.
 *
 * Lines are brought to the disk once a second, and when the sweep ends in whatever way: a loss of power costs a second of runs. */
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE /* O_NOFOLLOW */
#include "study/study.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* what a platform does not have, it does not do */
#ifndef O_NOFOLLOW
#define O_NOFOLLOW 0
#endif
#ifndef O_NONBLOCK
#define O_NONBLOCK 0
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef O_DIRECTORY
#define O_DIRECTORY 0
#endif
#ifndef O_BINARY
#define O_BINARY 0
#endif
#ifdef _WIN32
#include <io.h>
#define lstat stat  /* no links that would be followed without asking */
#define geteuid() 0 /* as st_uid is there */
#define fsync _commit
#endif

enum { MOST_LINE = 1 << 18 }; /* 10000 measures */

void tn_journal_close(tn_journal *j) {
  if (j->stream)
    fclose(j->stream);
  else if (j->file >= 0)
    close(j->file);
  *j = (tn_journal){.file = -1};
}

static unsigned check_of(const char *text, size_t n) {
  unsigned h = 2166136261u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

static bool write_all(int file, const char *text, size_t n) {
  while (n) {
    const ssize_t some = write(file, text, n);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    text += some;
    n -= (size_t)some;
  }
  return true;
}

static double now(void) {
  struct timespec t;
  return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

/* a file system that cannot do it has done what it can */
static bool to_disk(int file) { return fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP; }

bool tn_journal_sync(tn_journal *j) {
  j->synced = now();
  return j->file < 0 || to_disk(j->file);
}

/* the line with its check and its end; false: it does not fit, or cannot be written */
static bool end_line(int file, char *line, size_t used) {
  used += (size_t)tn_format(line + used, 16, " %08x\n", check_of(line, used));
  return write_all(file, line, used);
}

bool tn_journal_add(tn_journal *j, const tn_sweep *s, int run) {
  const size_t n = (size_t)s->study.measures, room = 600 + 17 * (n + 1);
  char *line = tn_block_new(&s->study.arena.allocator, room);
  if (!line) return errno = ENOMEM, false;
  size_t used = (size_t)tn_format(line, room, "%d", run);
  if (s->failure[run]) used += (size_t)tn_format(line + used, room - used - 16, " ! %.511s", s->failure[run]);
  for (size_t i = 0; i <= n && !s->failure[run]; i++) {
    uint64_t bits;
    const double x = i < n ? s->value[(size_t)run * n + i] : s->verdict[run];
    memcpy(&bits, &x, sizeof bits);
    used += (size_t)tn_format(line + used, room - used, " %016" PRIx64, bits);
  }
  static const double SYNCED_EVERY = 1; /* s */
  bool good = end_line(j->file, line, used);
  if (good && now() - j->synced >= SYNCED_EVERY) good = tn_journal_sync(j);
  const int why = errno;
  tn_block_free(&s->study.arena.allocator, line);
  errno = why;
  return good;
}

/* a run of a line that ends at `end`; false: it is not right */
static bool take_line(tn_sweep *s, char *line, char *end, double *values) {
  char *at;
  if (end - line < 10 || end[-9] != ' ' || strtoul(end - 8, &at, 16) != check_of(line, (size_t)(end - 9 - line)) ||
      at != end)
    return false;
  end[-9] = 0;
  const long run = strtol(line, &at, 10);
  if (at == line || run < 0 || run >= s->runs) return false;
  if (s->done[run]) return true;
  if (strncmp(at, " ! ", 3) == 0) {
    for (int i = 0; i < tn_sweep_values(s); i++) values[i] = NAN;
    tn_one_line(at + 3); /* a check is no proof of who wrote it */
    return tn_sweep_keep(s, (int)run, values, at + 3);
  }
  for (int i = 0; i < tn_sweep_values(s); i++) {
    char *next;
    const uint64_t bits = strtoull(at, &next, 16);
    if (next - at != 17 || *at != ' ') return false;
    memcpy(&values[i], &bits, sizeof bits);
    at = next;
  }
  return !*at && tn_sweep_keep(s, (int)run, values, NULL);
}

/* lines behind the head into the sweep; how many bytes are whole lines */
static off_t take_lines(tn_sweep *s, FILE *in, char *line, double *values, off_t right) {
  while (fgets(line, MOST_LINE, in)) {
    const size_t n = strlen(line);
    if (!n || line[n - 1] != '\n') break;
    line[n - 1] = 0;
    take_line(s, line, line + n - 1, values); /* a run whose line is not right is made again */
    right += (off_t)n;
  }
  return right;
}

static tn_status cannot(const char *path, tn_error *e) {
  return tn_fail(e, TN_E_IO, "cannot use '%.200s': %s", path, strerror(errno));
}

static tn_status no_file(const char *path, const char *why, tn_error *e) {
  return tn_fail(e, TN_E_IO, "cannot use '%.200s': it %s", path, why);
}

/* nobody else writes the file; where a platform has no locks, that is not known */
static tn_status lock(int file, const char *path, tn_error *e) {
#if TN_FILE_LOCKS
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(file, F_SETLK, &all) == 0) return TN_OK;
  if (errno != EACCES && errno != EAGAIN) return TN_OK; /* a file system without locks */
  return tn_fail(e, TN_E_IO, "'%.200s' is in use: another sweep writes it", path);
#else
  (void)file, (void)path, (void)e;
  return TN_OK;
#endif
}

static tn_status read_journal(tn_journal *j, const char *head, tn_sweep *s, tn_error *e) {
  FILE *in = fdopen(j->file, "r+");
  char *line = tn_block_new(&s->study.arena.allocator, MOST_LINE);
  double *values = tn_block_new(&s->study.arena.allocator, sizeof *values * (size_t)tn_sweep_values(s));
  tn_status status = TN_OK;
  off_t right = 0;
  if (!in) {
    status = cannot(j->path, e);
  } else if (!line || !values) {
    status = tn_out_of_memory(e);
  } else if (fgets(line, MOST_LINE, in)) {
    const bool whole = strchr(line, '\n') != NULL;
    if (strcmp(line, head) == 0) {
      right = take_lines(s, in, line, values, (off_t)strlen(head));
    } else if (whole || strncmp(line, head, strlen(line)) != 0) { /* else torn in the head: nothing is lost */
      status = tn_fail(e, TN_E_USAGE,
                       strncmp(line, "tenon sweep journal ", 20) == 0
                           ? "'%.200s' is of another sweep: the file, its model or this program have changed since"
                           : "'%.200s' is no journal of a sweep",
                       j->path);
    }
  }
  j->stream = in;
  tn_block_free(&s->study.arena.allocator, line);
  tn_block_free(&s->study.arena.allocator, values);
  if (status == TN_OK && (ftruncate(j->file, right) != 0 || (lseek)(j->file, right, SEEK_SET) < 0))
    status = cannot(j->path, e);
  if (status == TN_OK && !right && !write_all(j->file, head, strlen(head))) status = cannot(j->path, e);
  return status;
}

/* made anew, or taken over as it is if it is a file of the user's that nobody else writes; links are not followed. a journal that its
 * owner removed while it was opened is none: -1 without an error */
static tn_status open_file(const char *path, int *file, tn_error *e) {
  struct stat is, there;
  *file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_BINARY, 0666);
  const bool made = *file >= 0;
  if (!made && errno != EEXIST) return cannot(path, e);
  if (!made) *file = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_BINARY);
  if (*file < 0) return errno == ENOENT ? TN_OK : errno == ELOOP ? no_file(path, "is not a file", e) : cannot(path, e);
  if (fstat(*file, &is) != 0) return cannot(path, e);
  if (!S_ISREG(is.st_mode)) return no_file(path, "is not a file", e);
  if (!made && is.st_nlink > 1) return no_file(path, "has another name, too (a hard link)", e);
  if (!made && is.st_nlink && is.st_uid != geteuid()) return no_file(path, "belongs to another user", e);
  TN_TRY(lock(*file, path, e));
  if (lstat(path, &there) == 0 && there.st_dev == is.st_dev && there.st_ino == is.st_ino) return TN_OK;
  close(*file);
  *file = -1;
  return TN_OK;
}

/* a name is on the disk when its folder is; where that cannot be done nothing is lost but that */
static bool folder_to_disk(const char *path, char *scratch, size_t size) {
  const char *slash = strrchr(path, '/');
  const int n = tn_format(scratch, size, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
  const int folder = n >= 0 && (size_t)n < size ? open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (folder < 0) return true;
  const bool good = to_disk(folder);
  close(folder);
  return good;
}

tn_status tn_journal_open(tn_journal *j, const char *path, bool anew, tn_sweep *s, tn_error *e) {
  char head[128], folder[4096];
  tn_format(head, sizeof head, "tenon sweep journal 2 %s %d %d\n", s->fingerprint, s->runs, s->study.measures);
  if (!(j->path = tn_arena_text(&s->words, path, strlen(path)))) return tn_out_of_memory(e);
  tn_status status = TN_OK;
  for (int tries = 0; j->file < 0 && tries < 64 && status == TN_OK; tries++) status = open_file(path, &j->file, e);
  if (status == TN_OK && j->file < 0) status = cannot(path, e);
  if (status == TN_OK && anew && ftruncate(j->file, 0) != 0) status = cannot(path, e);
  if (status == TN_OK) status = read_journal(j, head, s, e);
  if (status == TN_OK && (!tn_journal_sync(j) || !folder_to_disk(path, folder, sizeof folder)))
    status = cannot(path, e);
  if (status != TN_OK) tn_journal_close(j);
  return status;
}
