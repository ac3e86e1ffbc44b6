/* a disk that forgets, for LD_PRELOAD: what a program does to files is logged, file contents are kept as they are synced, and at a chosen
 * operation the program is killed, stopped, or refused. Tests build from the log every folder that a loss of power may leave.
 *
 *   DISK_LOG    a line for each operation: create NAME INODE, rename A B INODE, unlink NAME, cut NAME INODE, sync NAME INODE COPY, folder
 *   DISK_STORE  folder of the copies
 *   DISK_KILL   number of the operation before which the program is killed; the first is 1
 *   DISK_FROM   NAME: operations are counted from the first sync of this file on
 *   DISK_STOP   `rename`: before the first operation of this name the program stops, until SIGCONT
 *   DISK_FAIL   `rename:30:2`: operations of this name fail with this errno, from the second on; also write, those of stdio not
 *   DISK_FULL   `NAME:3`: the disk is full for this file from the third fwrite on
 *   DISK_USER   number of the user that the program takes itself for
 *
 * Nothing is brought to the disk really: tests do not wait for it. */
#undef _FILE_OFFSET_BITS /* functions of both widths are defined here */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name, type, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static int operations, copies;
static bool counting;

static const char *base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void name_of(int fd, char name[256]) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = 0;
  snprintf(name, 256, "%.255s", base(path));
}

static void note(const char *format, ...) {
  const char *log = getenv("DISK_LOG");
  char line[1024];
  if (!log) return;
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const int fd = REAL("open", int, const char *, int, ...)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0 || REAL("write", ssize_t, int, const void *, size_t)(fd, line, (size_t)n) != n) abort();
  close(fd);
}

/* an operation is about to be done: whether it fails, with errno */
static bool fails(const char *name) {
  static int times;
  const char *kill_at = getenv("DISK_KILL"), *stop = getenv("DISK_STOP"), *fail = getenv("DISK_FAIL");
  const size_t n = strlen(name);
  counting = counting || !getenv("DISK_FROM");
  if (counting && strcmp(name, "write") != 0 && ++operations && kill_at && operations == atoi(kill_at))
    kill(getpid(), SIGKILL);
  if (stop && strcmp(stop, name) == 0) {
    unsetenv("DISK_STOP");
    raise(SIGSTOP);
  }
  if (!fail || strncmp(fail, name, n) != 0 || fail[n] != ':') return false;
  int why = EIO, from = 1;
  sscanf(fail + n, ":%d:%d", &why, &from);
  if (++times < from) return false;
  errno = why;
  return true;
}

static long inode(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0 ? (long)s.st_ino : 0;
}

static int opened(const char *symbol, const char *path, int flags, mode_t mode) {
  const bool there = inode(path) != 0, makes = (flags & O_CREAT) != 0 && !there;
  if (makes && fails("create")) return -1;
  const int fd = REAL(symbol, int, const char *, int, ...)(path, flags, mode);
  if (fd >= 0 && makes) note("create %s %ld\n", base(path), inode(path));
  return fd;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(arguments, int) : 0;
  va_end(arguments);
  return opened("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(arguments, int) : 0;
  va_end(arguments);
  return opened("open64", path, flags, mode);
}

int rename(const char *from, const char *to) {
  const long ino = inode(from);
  if (fails("rename")) return -1;
  const int code = REAL("rename", int, const char *, const char *)(from, to);
  if (code == 0) note("rename %s %s %ld\n", base(from), base(to), ino);
  return code;
}

int unlink(const char *path) {
  if (fails("unlink")) return -1;
  const int code = REAL("unlink", int, const char *)(path);
  if (code == 0) note("unlink %s\n", base(path));
  return code;
}

static int cut(const char *symbol, int fd, off_t length) {
  char name[256];
  struct stat s;
  if (fails("ftruncate")) return -1;
  name_of(fd, name);
  if (fstat(fd, &s) == 0) note("cut %s %ld\n", name, (long)s.st_ino);
  return REAL(symbol, int, int, off_t)(fd, length);
}

int ftruncate(int fd, off_t length) { return cut("ftruncate", fd, length); }
int ftruncate64(int fd, off_t length) { return cut("ftruncate64", fd, length); }

static void copy(int fd, const char *path) {
  char buffer[65536], from[64];
  snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
  FILE *in = fopen(from, "rb"), *out = fopen(path, "wb");
  if (!in || !out) abort();
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
    if (REAL("fwrite", size_t, const void *, size_t, size_t, FILE *)(buffer, 1, n, out) != n) abort();
  fclose(in);
  if (fclose(out) != 0) abort();
}

int fsync(int fd) {
  struct stat s;
  char name[256], path[4096];
  name_of(fd, name);
  counting = counting || (getenv("DISK_FROM") && strcmp(getenv("DISK_FROM"), name) == 0);
  if (fails("fsync")) return -1;
  if (fstat(fd, &s) != 0) return -1;
  if (S_ISDIR(s.st_mode)) {
    note("folder\n");
  } else if (!S_ISREG(s.st_mode)) {
    errno = EINVAL;
    return -1;
  } else {
    const char *store = getenv("DISK_STORE");
    if (store) {
      snprintf(path, sizeof path, "%s/%d", store, ++copies);
      copy(fd, path);
    }
    note("sync %s %ld %d\n", name, (long)s.st_ino, copies);
  }
  return 0;
}

int fdatasync(int fd) { return fsync(fd); }

ssize_t write(int fd, const void *data, size_t n) {
  if (fails("write")) return -1;
  return REAL("write", ssize_t, int, const void *, size_t)(fd, data, n);
}

/* its descriptor becomes one of a device that is always full */
size_t fwrite(const void *data, size_t size, size_t n, FILE *to) {
  static int times;
  const char *full = getenv("DISK_FULL"), *colon = full ? strrchr(full, ':') : NULL;
  char name[256];
  if (colon) {
    name_of(fileno(to), name);
    if (strlen(name) == (size_t)(colon - full) && strncmp(name, full, strlen(name)) == 0 &&
        ++times == atoi(colon + 1)) {
      fflush(to);
      const int device = REAL("open", int, const char *, int, ...)("/dev/full", O_WRONLY);
      if (device < 0 || dup2(device, fileno(to)) < 0) abort();
      close(device);
    }
  }
  return REAL("fwrite", size_t, const void *, size_t, size_t, FILE *)(data, size, n, to);
}

uid_t geteuid(void) {
  const char *user = getenv("DISK_USER");
  return user ? (uid_t)atol(user) : REAL("geteuid", uid_t, void)();
}
