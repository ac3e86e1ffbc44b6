/* running the program from a test: words in; files, what it says and exit codes out. everything happens in a folder of its
 * own that is gone at the end. ' stands for " in the models of these tests. include after test.h */
#ifndef TN_TEST_CLI_SUPPORT_H
#define TN_TEST_CLI_SUPPORT_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "read/read.h"

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#define MODELS TN_SOURCE_DIR "/models/"
#define PENDULUM "'" MODELS "pendulum.json'"
#define FOUR_BAR "'" MODELS "four_bar.json'"

/* ---- files -------------------------------------------------------------------------------------------------------- */

static inline void leave(void) {
  char command[600], here[500];
  if (!getcwd(here, sizeof here) || !strstr(here, "tenon-cli-")) return;
  snprintf(command, sizeof command, "rm -rf '%s'", here);
  if (chdir("/") || system(command)) return;
}

static inline void enter(void) {
  static bool done = false;
  char folder[] = "/tmp/tenon-cli-XXXXXX";
  if (done) return;
  done = true;
  if (!mkdtemp(folder) || chdir(folder)) abort();
  atexit(leave);
}

/* what is in a file; nothing if it is not there */
static inline char *slurp(const char *path, char *text, size_t size) {
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, size - 1, f) : 0;
  text[n] = 0;
  if (f) fclose(f);
  return text;
}

static inline void spill(const char *path, const char *text) {
  enter();
  FILE *f = fopen(path, "wb");
  if (!f) abort();
  for (; *text; text++) fputc(*text == '\'' ? '"' : *text, f);
  fclose(f);
}

static inline bool exists(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0;
}

static inline long size_of(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 ? (long)s.st_size : -1;
}

static inline bool same_files(const char *a, const char *b) {
  char command[800];
  snprintf(command, sizeof command, "cmp -s '%.300s' '%.300s'", a, b);
  return system(command) == 0;
}

/* holds just this */
static inline bool file_is(const char *path, const char *text) {
  char found[400];
  return exists(path) && strcmp(slurp(path, found, sizeof found), text) == 0;
}

static inline int lines_of(const char *path) {
  int n = 0, c;
  FILE *f = fopen(path, "rb");
  if (!f) return -1;
  while ((c = fgetc(f)) != EOF) n += c == '\n';
  fclose(f);
  return n;
}

/* how many names in the folder have this in them */
static inline int names_with(const char *part) {
  int n = 0;
  DIR *folder = opendir(".");
  if (!folder) abort();
  for (const struct dirent *e; (e = readdir(folder));)
    n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strstr(e->d_name, part);
  closedir(folder);
  return n;
}

static inline void drop_files(const char *pattern) {
  char command[200];
  snprintf(command, sizeof command, "rm -rf %s", pattern);
  if (system(command)) abort();
}

/* an empty folder: for tests that count what is left, when several run in one program */
static inline void fresh(void) {
  enter();
  drop_files("./* ./.out ./.err");
}

/* rows of a CSV of the program: a head, then whole lines of as many numbers at t = k every; the last one may be cut off in
 * the middle where `torn` says so. returns how many are whole, -1 if anything else is found */
static inline int csv_rows(const char *path, double every, bool torn) {
  FILE *f = fopen(path, "rb");
  static char line[20000];
  int rows = 0, columns = 0;
  if (!f) return -1;
  if (!fgets(line, sizeof line, f) || strncmp(line, "t,", 2) != 0) rows = -1;
  for (const char *c = line; *c; c++) columns += *c == ',';
  while (rows >= 0 && fgets(line, sizeof line, f)) {
    if (torn && !strchr(line, '\n')) break;
    char *at = line, *end = at;
    int k = 0;
    const double t = strtod(at, &end);
    bool good = end > at && fabs(t - rows * every) <= 1e-9 * (1 + t);
    for (; good && *end == ','; k++) {
      at = end + 1;
      good = isfinite(strtod(at, &end)) && end > at;
    }
    rows = good && k == columns && strcmp(end, "\n") == 0 ? rows + 1 : -1;
  }
  fclose(f);
  return rows;
}

/* ---- processes ------------------------------------------------------------------------------------------------------ */

enum {
  LONGEST = 200
}; /* s: those that would go on for hours end at the latest by then, if the test could not end them */

static char out[1 << 20], err[1 << 16]; /* what the last one wrote */

static inline void redirect(int to, const char *path, int how) {
  const int f = open(path, how, 0666);
  if (f < 0 || dup2(f, to) < 0) _exit(101);
}

/* the program with these words, a list that ends with NULL; `in` is its stdin, what it says goes to these files */
static inline pid_t start_words(const char *const *words, const char *in, const char *to, const char *errors) {
  char *argv[64] = {strdup("tenon")};
  int n = 1;
  enter();
  for (; words[n - 1] && n < 63; n++) argv[n] = strdup(words[n - 1]);
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    alarm(LONGEST);
    redirect(0, in, O_RDONLY);
    redirect(1, to, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(2, errors, O_WRONLY | O_CREAT | O_TRUNC);
    execv(TN_BINARY, argv);
    _exit(101);
  }
  for (int i = 0; i < n; i++) free(argv[i]);
  return child;
}

/* its exit code, or 1000 + the signal that ended it */
static inline int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) abort();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* what was said into `out` and `err`; neither a crash nor the sanitizers, whose exit code may be one of ours */
static inline int heard(const char *what, int code) {
  slurp(".out", out, sizeof out);
  slurp(".err", err, sizeof err);
  const bool good = code < 100 && !strstr(err, "Sanitizer") && !strstr(err, "runtime error:");
  if (!good) FAIL("%s: %d\n%s", what, code, err);
  return code;
}

static inline int tenon_words(const char *const *words) {
  return heard(words[0], wait_for(start_words(words, "/dev/null", ".out", ".err")));
}
#define TENON(...) tenon_words((const char *const[]){__VA_ARGS__, NULL})

/* what stands before the program, and these words to a shell; returns the exit code, what was written is in `out`, `err` */
static inline int tenon_shell(const char *before, const char *format, va_list args) {
  char command[6000];
  enter();
  int n = snprintf(command, sizeof command, "%s \"%s\" ", before, TN_BINARY);
  n += vsnprintf(command + n, sizeof command - (size_t)n, format, args);
  if (n >= (int)sizeof command) abort();
  char whole[6200];
  snprintf(whole, sizeof whole, "{ %s; } >.out 2>.err </dev/null", command);
  const int status = system(whole);
  return heard(command, WIFEXITED(status) ? WEXITSTATUS(status) : 1000);
}

static inline int tenon(const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int code = tenon_shell("", format, args);
  va_end(args);
  return code;
}

/* `cat x |`, `NAME=value`: whatever a shell takes before a program */
static inline int tenon_after(const char *before, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int code = tenon_shell(before, format, args);
  va_end(args);
  return code;
}

static inline double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void nap(double s) {
  struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
  while (nanosleep(&t, &t) != 0) {}
}

/* true once a file has as many bytes; false when two minutes have gone, or when the child has */
static inline bool wait_bytes(pid_t child, const char *path, long least) {
  siginfo_t gone;
  for (const double began = seconds(); seconds() - began < 120; nap(0.002)) {
    if (size_of(path) >= least) return true;
    gone.si_pid = 0;
    if (waitid(P_PID, (id_t)child, &gone, WEXITED | WNOHANG | WNOWAIT) != 0 || gone.si_pid == child) return false;
  }
  return false;
}

/* whether a signal is in one of the masks of a process: `SigCgt`, those that it has a handler for; `ShdPnd`, sent and not yet seen */
static inline bool signal_in(pid_t child, const char *mask, int number) {
  char path[40], text[4000], key[16];
  snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
  snprintf(key, sizeof key, "\n%s:", mask);
  const char *line = strstr(slurp(path, text, sizeof text), key);
  return line && strtoull(line + strlen(key), NULL, 16) >> (number - 1) & 1;
}

/* true once it is there, or gone; false when a minute has passed. where the system does not show it, it is taken for granted */
static inline bool wait_signal(pid_t child, const char *mask, int number, bool there) {
  if (!exists("/proc/self/status")) return nap(0.3), true;
  for (const double began = seconds(); seconds() - began < 60; nap(0.002))
    if (signal_in(child, mask, number) == there) return true;
  return false;
}

/* ---- a terminal ----------------------------------------------------------------------------------------------------- */

typedef struct terminal {
  pid_t child;
  int master;
  size_t used;
  char text[40000]; /* what was shown so far */
} terminal;

/* whether there are terminals to be had: not in every chroot */
static inline bool terminal_there(void) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  const bool there = master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0;
  if (master >= 0) close(master);
  if (!there) printf("no terminal to try it on\n");
  return there;
}

/* the program with stderr, and stdout too if `both`, on a terminal; else stdout goes to .out. NAME=value pairs go into its
 * environment, a NAME alone is taken out; the list ends with NULL */
static inline void terminal_start(terminal *t, const char *const *words, bool both, const char *const *environment) {
  char *argv[64] = {strdup("tenon")};
  int n = 1, slave;
  enter();
  for (; words[n - 1] && n < 63; n++) argv[n] = strdup(words[n - 1]);
  *t = (terminal){.master = posix_openpt(O_RDWR | O_NOCTTY)};
  if (t->master < 0 || grantpt(t->master) || unlockpt(t->master)) abort();
  if ((slave = open(ptsname(t->master), O_RDWR | O_NOCTTY)) < 0) abort();
  fflush(stdout);
  if ((t->child = fork()) < 0) abort();
  if (t->child == 0) {
    alarm(LONGEST);
    redirect(0, "/dev/null", O_RDONLY);
    redirect(1, ".out", O_WRONLY | O_CREAT | O_TRUNC);
    if (dup2(slave, 2) < 0 || (both && dup2(slave, 1) < 0)) _exit(101);
    close(slave);
    close(t->master);
    for (; *environment; environment++) {
      char name[40];
      snprintf(name, sizeof name, "%.*s", (int)strcspn(*environment, "="), *environment);
      const char *equal = strchr(*environment, '=');
      if (equal ? setenv(name, equal + 1, 1) : unsetenv(name)) _exit(101);
    }
    execv(TN_BINARY, argv);
    _exit(101);
  }
  close(slave);
  for (int i = 0; i < n; i++) free(argv[i]);
}

/* reads on until `part` has been shown; false at the end, or when the time is over */
static inline bool terminal_shows(terminal *t, const char *part, double limit) {
  for (const double began = seconds(); !part || !strstr(t->text, part);) {
    const double left = limit - (seconds() - began);
    struct pollfd from = {.fd = t->master, .events = POLLIN};
    if (left <= 0) return false;
    if (poll(&from, 1, (int)(1000 * left) + 1) <= 0) continue;
    const ssize_t n = read(t->master, t->text + t->used, sizeof t->text - 1 - t->used);
    if (n <= 0) return false; /* nobody holds the other end any more */
    t->used += (size_t)n;
    t->text[t->used] = 0;
    if (t->used == sizeof t->text - 1) t->used = 0; /* long enough: what matters comes at the end */
  }
  return true;
}

static inline int terminal_end(terminal *t) {
  terminal_shows(t, NULL, 60);
  const int code = wait_for(t->child);
  close(t->master);
  return code;
}

/* ---- JSON on stdout --------------------------------------------------------------------------------------------------- */

/* to be freed */
static inline tn_desc *json_of(const char *name, const char *text) {
  tn_desc *d = NULL;
  tn_error e;
  if (tn_desc_new(NULL, &d, &e)) abort();
  const tn_status status = tn_desc_parse(d, name, text, strlen(text), &e);
  if (status) printf("%s at %d:%d\n", e.message, e.line, e.column);
  CHECK(status == TN_OK);
  return d;
}

static inline tn_desc *summary(void) { return json_of("stdout", out); }

static inline double number_of(const char *key) {
  tn_desc *d = summary();
  const tn_node *n = tn_node_get(d->root, key);
  const double value = n && n->kind == TN_NODE_NUMBER ? n->number : NAN;
  tn_desc_free(d);
  return value;
}

/* a text member, or the items of a list with blanks between */
static inline const char *text_of(const char *key) {
  static char text[2000];
  tn_desc *d = summary();
  const tn_node *n = tn_node_get(d->root, key);
  text[0] = 0;
  if (n && n->kind == TN_NODE_TEXT) snprintf(text, sizeof text, "%s", n->text);
  for (const tn_node *c = n && n->kind == TN_NODE_LIST ? n->first : NULL; c; c = c->next) {
    if (*text) strcat(text, " ");
    strncat(text, c->kind == TN_NODE_TEXT ? c->text : "?", 100);
  }
  tn_desc_free(d);
  return text;
}

#endif
