/* files that a command writes and reads. A file is written beside its name, in NAME.part, and renamed when it is whole.
 *
 *   closed --tn_part_open--> open, with what was in it --tn_part_empty--> empty
 *   open --tn_part_commit--> open, but under NAME: whole and on the disk
 *   open --tn_part_discard--> closed; NAME.part is gone
 *   open --tn_part_leave--> closed; NAME.part, or NAME, stays
 *
 * An open part is locked: two programs never write one file.
 * The order of commit is: data to the disk, new name, folder to the disk. After a loss of power NAME is the older file or the new
 * one, whole. What a run can go on from (checkpoint, journal) is removed behind that only. */
#define _GNU_SOURCE /* locks of an open file, which stay when another descriptor of the file is closed */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef F_OFD_SETLK
enum { LOCK = F_OFD_SETLK };
#else
enum { LOCK = F_SETLK };
#endif

char *tn_joined(const char *a, const char *b) {
  const size_t n = strlen(a) + strlen(b) + 1;
  char *text = malloc(n);
  if (text) snprintf(text, n, "%s%s", a, b);
  return text;
}

int tn_say_no_memory(void) {
  tn_say(RED, "out of memory");
  return 5;
}

int tn_cannot_write(const char *name, const char *why) {
  tn_say(RED, "cannot write '%s'%s%s", name, why && *why ? ": " : "", why ? why : "");
  return TN_E_IO;
}

bool tn_exists(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------------- */

/* the folder of a path without links and dots; NULL if it is not there */
static char *real_folder(const char *path) {
  char *copy = tn_joined(path, ""), *slash = copy ? strrchr(copy, '/') : NULL, *real = NULL;
  if (slash) slash[slash == copy] = 0;
  if (copy) real = realpath(slash ? copy : ".", NULL);
  free(copy);
  return real;
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

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* two names of which neither is there yet */
static bool same_place(const char *a, const char *b) {
  char *at = tn_link_target(a), *bt = tn_link_target(b);
  if (at) a = at;
  if (bt) b = bt;
  char *af = real_folder(a), *bf = real_folder(b);
  const bool same =
      af && bf ? strcmp(af, bf) == 0 && strcmp(base_name(a), base_name(b)) == 0 : !af && !bf && strcmp(a, b) == 0;
  free(at);
  free(bt);
  free(af);
  free(bf);
  return same;
}

bool tn_same_file(const char *a, const char *b) {
  struct stat x, y;
  const bool here = stat(a, &x) == 0, there = stat(b, &y) == 0;
  if (here && there) return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
  return here == there && same_place(a, b);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------------ */

int tn_inputs_add(inputs *in, const char *path) {
  if (strcmp(path, "-") == 0) path = "/dev/stdin"; /* a shell may have opened a file there */
  char **more = realloc(in->path, sizeof *more * ((size_t)in->n + 1));
  if (more) in->path = more;
  char *copy = more ? tn_joined(path, "") : NULL;
  if (!copy) return tn_say_no_memory();
  in->path[in->n++] = copy;
  return 0;
}

int tn_inputs_drawn(inputs *in, const char *name, const tn_model *m) {
  const int folder = (int)(base_name(name) - name);
  int code = 0;
  for (int i = 0; !code && tn_model_file(m, i); i++) {
    const char *file = tn_model_file(m, i);
    const size_t room = (size_t)folder + strlen(file) + 1;
    char *path = malloc(room);
    if (!path) return tn_say_no_memory();
    snprintf(path, room, "%.*s%s", *file == '/' ? 0 : folder, name, file);
    code = tn_inputs_add(in, path);
    free(path);
  }
  return code;
}

int tn_inputs_drawn_by(inputs *in, const char *path) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error e;
  int code = 0;
  if (tn_desc_new(NULL, &desc, &e) == TN_OK && tn_desc_read(desc, path, &e) == TN_OK &&
      tn_compile(desc, &model, &e) == TN_OK)
    code = tn_inputs_drawn(in, path, model);
  tn_model_free(model);
  tn_desc_free(desc);
  return code;
}

void tn_inputs_free(inputs *in) {
  for (int i = 0; i < in->n; i++) free(in->path[i]);
  free(in->path);
  *in = (inputs){0};
}

int tn_inputs_spare(const inputs *in, const char *output, const char *const *suffixes) {
  static const char *const always[] = {"", ".part", NULL};
  if (strcmp(output, "-") == 0) return 0;
  char *target = tn_link_target(output);
  int code = 0;
  for (int list = 0; list < 2; list++)
    for (const char *const *s = list ? suffixes : always; s && *s && !code; s++) {
      char *path = tn_joined(target ? target : output, *s);
      if (!path) code = tn_say_no_memory();
      for (int i = 0; i < in->n && !code; i++)
        if (tn_same_file(path, in->path[i])) {
          tn_say(RED, "'%s' is read, and would be replaced: the output needs another name", path);
          code = TN_E_USAGE;
        }
      free(path);
    }
  free(target);
  return code;
}

/* ---- to the disk ------------------------------------------------------------------------------------------------------- */

/* where a file system cannot do it, nothing is lost but that */
static bool sync_fd(int fd) {
  int code;
  do code = fsync(fd);
  while (code != 0 && errno == EINTR);
  return code == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
}

/* a name is on the disk when its folder is. One that may not be read cannot be synced */
static bool sync_folder(const char *path) {
  char *folder = real_folder(path);
  const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(folder);
  if (fd < 0) return true;
  const bool good = sync_fd(fd);
  const int why = errno;
  close(fd);
  errno = why;
  return good;
}

bool tn_remove(const char *path) {
  if (unlink(path) != 0) return errno == ENOENT;
  return sync_folder(path);
}

/* ---- parts ------------------------------------------------------------------------------------------------------------- */

static const char *reason(part_file *p, int why) {
  snprintf(p->why, sizeof p->why, "%s", why ? strerror(why) : "for an unknown reason");
  return p->why;
}

static const char *in_use(part_file *p) {
  snprintf(p->why, sizeof p->why, "another process is writing it");
  return p->why;
}

static bool lock(int fd) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, LOCK, &all) == 0 || (errno != EACCES && errno != EAGAIN); /* there are file systems without locks */
}

/* the open file is what its name stands for: nobody has renamed, removed or replaced it */
static bool is_named(int fd, const char *path) {
  struct stat mine, there;
  return fstat(fd, &mine) == 0 && lstat(path, &there) == 0 && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

/* whether one that is there may be written: NULL, or why not. A result that is taken up in place may have more names */
static const char *stranger(part_file *p, const struct stat *s) {
  const bool in_place = strcmp(p->path, p->target) == 0;
  const char *what = !S_ISREG(s->st_mode)                  ? "is no regular file"
                     : !in_place && s->st_nlink > 1        ? "has another name, too (a hard link)"
                     : !in_place && s->st_uid != geteuid() ? "belongs to another user"
                                                           : NULL;
  if (!what) return NULL;
  snprintf(p->why, sizeof p->why, "'%.300s' is there and %s", p->path, what);
  return p->why;
}

/* the descriptor of a part that is made, or taken over; -1: not, and *why, or it has gone just now */
static int open_fd(part_file *p, bool make, const char **why) {
  struct stat s;
  *why = NULL;
  if (make) {
    const int fd = open(p->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) *why = reason(p, errno);
    p->ours = fd >= 0;
    if (fd >= 0 || *why) return fd;
  }
  if (lstat(p->path, &s) != 0 || (*why = stranger(p, &s))) return -1;
  const int fd = open(p->path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno != ENOENT) *why = reason(p, errno);
  if (fd < 0 || (fstat(fd, &s) == 0 && !(*why = stranger(p, &s)))) return fd;
  close(fd);
  return -1;
}

static const char *open_part(part_file *p, bool make) {
  const char *why = NULL;
  struct stat s;
  if (!p->target || !p->path) return tn_part_leave(p), reason(p, ENOMEM);
  if (stat(p->target, &s) == 0 && S_ISDIR(s.st_mode)) return reason(p, EISDIR);
  for (int tries = 0; tries < 64; tries++) {
    const int fd = open_fd(p, make, &why);
    if (why) return why;
    if (fd < 0) continue;
    if (!lock(fd)) {
      close(fd);
      return in_use(p);
    }
    /* another one may have ended, and renamed it, in between */
    if (is_named(fd, p->path) && (p->to = fdopen(fd, "wb"))) return NULL;
    close(fd);
  }
  return reason(p, ENOENT);
}

const char *tn_part_open(part_file *p, const char *name) {
  char *target = tn_link_target(name); /* what a link stands for is written, not the link */
  *p = (part_file){.name = name, .target = target ? target : tn_joined(name, "")};
  if (p->target) p->path = tn_joined(p->target, ".part");
  return open_part(p, true);
}

const char *tn_part_beside(part_file *p, const char *target) {
  *p = (part_file){.name = target, .target = tn_joined(target, ""), .path = tn_joined(target, ".part")};
  return open_part(p, true);
}

const char *tn_part_take(part_file *p, const char *target, const char *path) {
  *p = (part_file){.name = target, .target = tn_joined(target, ""), .path = tn_joined(path, "")};
  return open_part(p, false);
}

const char *tn_part_cut(part_file *p, int64_t length) {
  if (!lock(fileno(p->to))) return in_use(p); /* without locks of open files, a look at the file has given it away */
  p->ours = true;
  return ftruncate(fileno(p->to), (off_t)length) == 0 && fseeko(p->to, (off_t)length, SEEK_SET) == 0 ? NULL
                                                                                                     : reason(p, errno);
}

const char *tn_part_sync(part_file *p) {
  errno = 0;
  return fflush(p->to) == 0 && !ferror(p->to) && sync_fd(fileno(p->to)) ? NULL : reason(p, errno);
}

const char *tn_part_commit(part_file *p) {
  const char *why = tn_part_sync(p);
  if (why) return why;
  if (strcmp(p->path, p->target) != 0) { /* else it was taken up in place */
    if (!is_named(fileno(p->to), p->path)) {
      snprintf(p->why, sizeof p->why, "'%.300s' was taken away by another program", p->path);
      return p->why;
    }
    if (rename(p->path, p->target) != 0) return reason(p, errno);
  }
  return sync_folder(p->target) ? NULL : reason(p, errno);
}

void tn_part_discard(part_file *p) {
  if (p->to && p->ours && is_named(fileno(p->to), p->path)) unlink(p->path);
  tn_part_leave(p);
}

void tn_part_leave(part_file *p) {
  if (p->to) fclose(p->to);
  free(p->target);
  free(p->path);
  p->to = NULL;
  p->target = p->path = NULL;
}
