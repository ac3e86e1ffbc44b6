/* soak: see soak.h. Nothing may be lost, no file may be a mixture, and a run that was killed and resumed has the bytes of one that was not.
 * SPDX-License-Identifier: MIT
 *
 *   tenon-soak PROGRAM LIBRARY FOLDER MINUTES [SEED [WORKERS]]
 * LIBRARY injects faults; - leaves those out. MINUTES may be so many rounds of each worker instead, `40r`. Failures stay in FOLDER/failed-K with the commands that made them. */
#define _GNU_SOURCE
#include "soak.h"
#include "judge.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_KEPT = 40, JUDGED_AT_ONCE = 10, STEPS_JUDGED = 300, MOST_KILLS = 6 };
/* s: what takes longer undisturbed is passed over; what takes longer than that, and many times what it took undisturbed, hangs */
static const double PATIENCE = 5, HANGS = 200;

typedef struct counts {
  atomic_long mechanisms, runs, sweeps, kills, resumes, faults, harmless, failures;
} counts;

typedef struct worker {
  soak_setup setup;
  counts *n;
  char folder[PATH_MAX];
  int number;
  uint64_t seed;
  long round;
  mech_choices random; /* of this round: it does not depend on how long others took */
  char commands[8192]; /* of this round */
  bool failed;         /* in this round */
} worker;

/* ---- what all rounds use ---------------------------------------------------------------------------------------------------- */

static void note(worker *w, const soak_early *early, const char *const *words, const soak_end *e) {
  char line[1200];
  int n = 0;
  if (early && early->fault[0]) n += snprintf(line + n, sizeof line - (size_t)n, "TENON_FAULT=%s ", early->fault);
  n += snprintf(line + n, sizeof line - (size_t)n, "tenon");
  for (int i = 0; words[i] && n < 900; i++) n += snprintf(line + n, sizeof line - (size_t)n, " %.100s", words[i]);
  if (early && early->signal)
    n += snprintf(line + n, sizeof line - (size_t)n, "   # signal %d after %.4f s", early->signal, early->after);
  snprintf(line + n, sizeof line - (size_t)n, "   # exit %d%s: %.160s\n", e->code, e->hung ? ", hung" : "", e->words);
  const size_t used = strlen(w->commands), size = strlen(line);
  if (used + size < sizeof w->commands) memcpy(w->commands + used, line, size + 1);
}

static void fail(worker *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(worker *w, const char *format, ...) {
  char text[900];
  va_list list;
  if (w->failed) return; /* the first of a round says it */
  w->failed = true;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const long k = atomic_fetch_add(&w->n->failures, 1) + 1;
  fprintf(stderr, "failure %ld, seed %llu, worker %d, round %ld: %s\n%s", k, (unsigned long long)w->seed, w->number,
          w->round, text, w->commands);
  FILE *file = fopen("failure.txt", "w");
  if (file) fprintf(file, "%s\n%s", text, w->commands), fclose(file);
}

static soak_end run(worker *w, const soak_early *early, const char *const *words) {
  const soak_end e = soak_run(&w->setup, early, HANGS, words);
  note(w, early, words, &e);
  if (e.hung) fail(w, "a command hangs");
  if (e.code >= 96 && e.code <= 99) fail(w, "the command cannot be run: %d", e.code);
  return e;
}

/* undisturbed; one that takes too long has a code of its own */
static soak_end run_first(worker *w, const soak_early *counting, const char *const *words) {
  soak_end e = soak_run(&w->setup, counting, PATIENCE, words);
  note(w, counting, words, &e);
  if (e.code >= 96 && e.code <= 99) fail(w, "the command cannot be run: %d", e.code);
  if (e.hung) e.code = -1;
  return e;
}

static void empty_folder(void) {
  DIR *here = opendir(".");
  for (struct dirent *e; here && (e = readdir(here));)
    if (e->d_name[0] != '.') unlink(e->d_name);
  if (here) closedir(here);
}

/* a new folder for a round; one that failed stays */
static void begin_round(worker *w) {
  static int kept;
  char path[PATH_MAX + 64];
  w->commands[0] = 0;
  if (w->failed && kept < MOST_KEPT) {
    snprintf(path, sizeof path, "%s/failed-%d-%d", w->folder, w->number, ++kept);
    if (chdir("..") || rename("round", path)) exit(95);
    if (mkdir("round", 0755) || chdir("round")) exit(95);
  }
  w->failed = false;
  empty_folder();
  uint8_t bytes[16];
  w->round++;
  for (int k = 0; k < 8; k++) bytes[k] = (uint8_t)(w->seed >> 8 * k);
  for (int k = 0; k < 4; k++)
    bytes[8 + k] = (uint8_t)(w->number >> 8 * k), bytes[12 + k] = (uint8_t)(w->round >> 8 * k);
  w->random = mech_choices_of(bytes, sizeof bytes);
  w->random.left = 0; /* numbers that follow from these bytes, and not the bytes */
}

/* a model of a random mechanism in m.json */
static bool put_model(worker *w, mechanism *m) {
  const uint64_t seed = (uint64_t)mech_pick(&w->random, 65536) << 32 | (uint64_t)mech_pick(&w->random, 65536) << 16 |
                        mech_pick(&w->random, 65536);
  return mech_make_seed(m, seed) && soak_write("m.json", m->text, (size_t)m->used);
}

static bool reached_its_end(int code) { return code == 0 || code == 8; }

/* a signal after some share of the time that it takes, or at one of its calls; or one of its calls fails */
static soak_early some_trouble(worker *w, double seconds, long calls) {
  soak_early early = {0};
  static const char *const hows[] = {"kill", "kill", "torn", "torn", "term", "term", "28", "28+", "5", "5+"};
  if (w->setup.faults && calls > 0 && mech_chance(&w->random, 60)) {
    snprintf(early.fault, sizeof early.fault, "files:%u:%s", 1 + mech_pick(&w->random, (unsigned)calls + 1),
             hows[mech_pick(&w->random, sizeof hows / sizeof *hows)]);
  } else {
    early.signal = mech_chance(&w->random, 60) ? SIGKILL : SIGTERM;
    early.after = mech_between(&w->random, 0, 1.1) * seconds;
  }
  return early;
}

static bool is_error(const soak_early *early) {
  return early->fault[0] && strpbrk(strrchr(early->fault, ':'), "0123456789");
}

/* the command did not come to its end, for a reason that it was given; counted */
static bool was_stopped(worker *w, const soak_early *early, int code) {
  const bool killed = code == 128 + SIGKILL || code == 128 + SIGTERM,
             faulted = is_error(early) && (code == 4 || code == 5);
  if (killed) atomic_fetch_add(&w->n->kills, 1);
  if (faulted) atomic_fetch_add(&w->n->faults, 1);
  return killed || faulted;
}

/* ---- mechanisms, in a process of their own ------------------------------------------------------------------------------------ */

static void round_of_mechanisms(worker *w) {
  static mechanism m;
  mech_outcome o;
  uint64_t seeds[JUDGED_AT_ONCE];
  for (int i = 0; i < JUDGED_AT_ONCE; i++)
    seeds[i] = (uint64_t)mech_pick(&w->random, 65536) << 32 | (uint64_t)mech_pick(&w->random, 65536) << 16 |
               mech_pick(&w->random, 65536);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm((unsigned)HANGS);
    for (int i = 0; i < JUDGED_AT_ONCE; i++) {
      if (!mech_make_seed(&m, seeds[i])) continue;
      FILE *file = fopen("seed.txt", "w"); /* for the one that crashes */
      if (file) fprintf(file, "%llu", (unsigned long long)seeds[i]), fclose(file);
      mech_judge(&m, STEPS_JUDGED, &o);
      if (!o.fault[0]) continue;
      soak_write("m.json", m.text, (size_t)m.used);
      soak_write("fault.txt", o.fault, strlen(o.fault));
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  atomic_fetch_add(&w->n->mechanisms, JUDGED_AT_ONCE);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return; /* some are slow */
  size_t n;
  unsigned char *seed = soak_read("seed.txt", &n), *fault = soak_read("fault.txt", &n);
  fail(w, "mechanism of seed %s: %s", seed ? (char *)seed : "?", fault ? (char *)fault : "a crash");
  free(seed);
  free(fault);
}

/* ---- runs that are killed and resumed ----------------------------------------------------------------------------------------- */

static void round_of_kills(worker *w) {
  static mechanism m;
  static const char *const integrators[] = {"rk4", "dopri5", "heun", "euler", "dop853", "trbdf2", "radau5"};
  char step[32], every[32], why[256];
  const char *integrator = integrators[mech_pick(&w->random, 7)];
  if (!put_model(w, &m)) return;
  snprintf(step, sizeof step, "%.3g", m.until / (double)(300 + mech_pick(&w->random, 6000)));
  snprintf(every, sizeof every, "%.3g", m.until / (double)(10 + mech_pick(&w->random, 2000)));
  const char *const plain[] = {"run",  "m.json",       "-o",       "whole.tnr",      "-q", "--checkpoint",
                               "0.01", "--integrator", integrator, "--step",         step, "--every",
                               every,  "--breach",     "record",   "--accept-doubt", NULL};
  const soak_early counting = {.fault = "files:0:0"};
  const soak_end whole = run_first(w, &counting, plain);
  if (w->failed || !reached_its_end(whole.code)) return;
  if (soak_exists("whole.tnr.state")) fail(w, "a run that has ended leaves a checkpoint");
  atomic_fetch_add(&w->n->runs, 1);
  const char *again[sizeof plain / sizeof *plain];
  memcpy(again, plain, sizeof plain);
  again[3] = "r.tnr";
  const char *const resume[] = {"resume", "r.tnr", "-q", "--checkpoint", "0.01", "--accept-doubt", NULL};
  int code = -1;
  bool met_error = false; /* a file that cannot be removed stays */
  for (int kills = 0; !w->failed && kills < 50;) {
    const bool resumes = soak_exists("r.tnr.state");
    if (!resumes && soak_exists("r.tnr") && soak_is_whole("r.tnr") && reached_its_end(code)) break;
    const soak_early early = kills < MOST_KILLS ? some_trouble(w, whole.seconds, whole.calls) : (soak_early){0};
    if (!resumes) unlink("r.tnr"); /* interrupted before its first checkpoint */
    const soak_end e = run(w, &early, resumes ? resume : again);
    code = e.code;
    met_error = is_error(&early);
    if (was_stopped(w, &early, code)) {
      kills++;
    } else if (!reached_its_end(code)) {
      fail(w, "exit %d: %s", code, e.words);
    } else if (resumes) {
      atomic_fetch_add(&w->n->resumes, 1);
    }
    if (soak_exists("r.tnr.part") && !soak_begins("r.tnr.part", "whole.tnr", why)) fail(w, "%s", why);
    if (soak_exists("r.tnr") && !soak_begins("r.tnr", "whole.tnr", why)) fail(w, "%s", why);
  }
  if (w->failed) return;
  if (code != whole.code) fail(w, "exit %d, that of a run which was never stopped is %d", code, whole.code);
  if (!soak_same("r.tnr", "whole.tnr", why)) fail(w, "not as a run which was never stopped: %s", why);
  if (!met_error && (soak_exists("r.tnr.part") || soak_exists("r.tnr.state")))
    fail(w, "the end leaves r.tnr.part or r.tnr.state");
}

/* ---- sweeps that are killed and go on ------------------------------------------------------------------------------------------ */

static bool put_sweep(worker *w, const mechanism *m) {
  char text[1024];
  const int n =
      snprintf(text, sizeof text,
               "{\"sweep\": 1, \"run\": {\"model\": \"m.json\"}, \"vary\": {\"/bodies/b0/mass\": {\"uniform\": "
               "[%.17g, %.17g]}}, \"samples\": %u, \"seed\": %u, \"measures\": {\"x\": {\"expression\": \"b0.x\", "
               "\"take\": \"final\"}, \"y\": {\"expression\": \"b0.y\", \"take\": \"max\"}}}",
               0.5 * m->body[0].mass, 2 * m->body[0].mass, 5 + mech_pick(&w->random, 40), mech_pick(&w->random, 1000));
  return soak_write("s.json", text, (size_t)n);
}

static void round_of_sweeps(worker *w) {
  static mechanism m;
  char why[256];
  if (!put_model(w, &m) || !put_sweep(w, &m)) return;
  const char *const plain[] = {"sweep", "s.json", "-o", "whole.csv", "-q", "-j", "2", NULL}, *const again[] = {
                                                                                                 "sweep", "s.json",
                                                                                                 "-o",    "r.csv",
                                                                                                 "-q",    "-j",
                                                                                                 "2",     NULL};
  const soak_early counting = {.fault = "files:0:0"};
  const soak_end whole = run_first(w, &counting, plain);
  if (w->failed || (whole.code != 0 && whole.code != 3)) return;
  atomic_fetch_add(&w->n->sweeps, 1);
  int code = -1;
  bool goes_on = false, met_error = false;
  for (int kills = 0; !w->failed && kills < 50;) {
    const soak_early early = kills < MOST_KILLS ? some_trouble(w, whole.seconds, whole.calls) : (soak_early){0};
    const soak_end e = run(w, &early, again);
    code = e.code;
    met_error = is_error(&early);
    if (was_stopped(w, &early, code)) {
      kills++;
      goes_on = soak_exists("r.csv.journal");
      if (soak_exists("r.csv") && !soak_same("r.csv", "whole.csv", why)) fail(w, "%s", why);
      continue;
    }
    if (code != whole.code) fail(w, "exit %d: %s", code, e.words);
    if (goes_on) atomic_fetch_add(&w->n->resumes, 1);
    break;
  }
  if (w->failed) return;
  if (!soak_same("r.csv", "whole.csv", why)) fail(w, "not as a sweep in one piece: %s", why);
  if (!met_error && (soak_exists("r.csv.part") || soak_exists("r.csv.journal")))
    fail(w, "the end leaves r.csv.part or r.csv.journal");
}

/* ---- faults -------------------------------------------------------------------------------------------------------------------- */

static const char OLD[] = "an older file that nobody may spoil\n";

typedef struct disturbed {
  const char *const *words;
  const char *const *outputs; /* r.*, NULL ends them; those of the whole run are whole.* */
} disturbed;

static void whole_name(const char *output, char name[64]) { snprintf(name, 64, "whole%s", strchr(output, '.')); }

static bool is_old(const char *path) {
  size_t n;
  unsigned char *x = soak_read(path, &n);
  const bool old = x && n == sizeof OLD - 1 && memcmp(x, OLD, n) == 0;
  free(x);
  return old;
}

/* a fault of any kind at any of its calls; false: there is none of the kind chosen */
static bool some_fault(worker *w, const char *const *words, soak_early *early) {
  static const struct {
    const char *kind, *errors[4];
  } kinds[] = {{"memory", {"12", "12", "12", "12+"}}, {"write", {"28", "28+", "5", "122+"}},
               {"write", {"5", "28", "27", "5+"}},    {"read", {"5", "5", "5+", "5"}},
               {"sync", {"5", "5+", "28", "5"}},      {"rename", {"5", "13", "28", "5+"}},
               {"open", {"24", "24+", "28", "13"}},   {"truncate", {"5", "5+", "28", "5"}},
               {"unlink", {"13", "13+", "5", "5"}}};
  const unsigned k = mech_pick(&w->random, sizeof kinds / sizeof *kinds);
  snprintf(early->fault, sizeof early->fault, "%s:0:0", kinds[k].kind);
  const soak_end counted = run(w, early, words);
  if (counted.calls < 1 || w->failed) return false;
  snprintf(early->fault, sizeof early->fault, "%s:%u:%s", kinds[k].kind,
           1 + mech_pick(&w->random, (unsigned)counted.calls), kinds[k].errors[mech_pick(&w->random, 4)]);
  return true;
}

static void clear(const disturbed *d, bool old) {
  static const char *const more[] = {"", ".part", ".state", ".journal"};
  for (int i = 0; d->outputs[i]; i++)
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
      char path[80];
      snprintf(path, sizeof path, "%s%s", d->outputs[i], more[k]);
      unlink(path);
      if (old && k == 0) soak_write(path, OLD, sizeof OLD - 1);
    }
}

/* rows of a run that stopped are a beginning of all of them; of other files nothing is said */
static bool is_beginning(const char *path, const char *whole) {
  char why[256];
  const size_t n = strlen(path);
  if (strcmp(path + n - 4, ".tnr") == 0) return soak_begins(path, whole, why);
  if (strcmp(path + n - 4, ".csv") != 0) return true;
  size_t a, b;
  unsigned char *x = soak_read(path, &a), *y = soak_read(whole, &b);
  const bool good = x && y && a <= b && memcmp(x, y, a) == 0;
  free(x);
  free(y);
  return good;
}

static void disturb(worker *w, const disturbed *d) {
  char why[256], whole[64];
  soak_early early = {0};
  clear(d, false);
  const soak_end good = run_first(w, NULL, d->words);
  if (w->failed || !reached_its_end(good.code)) return;
  for (int i = 0; d->outputs[i]; i++) {
    whole_name(d->outputs[i], whole);
    if (rename(d->outputs[i], whole)) fail(w, "there is no %s", d->outputs[i]);
  }
  clear(d, false);
  if (w->failed || !some_fault(w, d->words, &early)) return;
  const bool old = mech_chance(&w->random, 50);
  clear(d, old);
  const soak_end e = run(w, &early, d->words);
  atomic_fetch_add(&w->n->faults, 1);
  if (e.code >= 128) fail(w, "a fault ends the program by signal %d", e.code - 128);
  if (e.code == good.code) atomic_fetch_add(&w->n->harmless, 1);
  for (int i = 0; d->outputs[i] && !w->failed; i++) {
    const char *path = d->outputs[i];
    whole_name(path, whole);
    const bool same = soak_exists(path) && soak_same(path, whole, why);
    if (same) continue;
    if (e.code == good.code) fail(w, "exit %d, but %s: %s", e.code, path, why);
    if (old && !is_old(path)) fail(w, "exit %d, and the older %s is spoilt", e.code, path);
    if (!old && soak_exists(path) && !is_beginning(path, whole))
      fail(w, "exit %d, and %s is a mixture: %s", e.code, path, why);
  }
  if (w->failed) return;
  /* what is left behind stands in nobody's way; a checkpoint is taken away by hand, as the message asks */
  for (int i = 0; d->outputs[i]; i++) {
    char state[80];
    snprintf(state, sizeof state, "%s.state", d->outputs[i]);
    unlink(state);
  }
  const soak_end after = run(w, NULL, d->words);
  if (after.code != good.code) fail(w, "exit %d behind a fault: %s", after.code, after.words);
  for (int i = 0; d->outputs[i] && !w->failed; i++) {
    whole_name(d->outputs[i], whole);
    if (!soak_same(d->outputs[i], whole, why)) fail(w, "behind a fault: %s", why);
  }
}

static void round_of_faults(worker *w) {
  static mechanism m;
  static const char *const run_words[] = {"run",          "m.json", "-o", "r.csv",    "-o",     "r.tnr",
                                          "-o",           "r.svg",  "-q", "--breach", "record", "--accept-doubt",
                                          "--checkpoint", "0.005",  NULL},
                           *const export_words[] = {"export", "x.tnr", "-o", "r.csv", "-o", "r.svg", NULL},
                           *const sweep_words[] = {"sweep",  "s.json", "-o", "r.csv", "-o",
                                                   "r.json", "-q",     "-j", "1",     NULL},
                           *const make_words[] = {"run",    "m.json",         "-o", "x.tnr", "-q", "--breach",
                                                  "record", "--accept-doubt", NULL};
  static const char *const all[] = {"r.csv", "r.tnr", "r.svg", NULL}, *const made[] = {"r.csv", "r.svg", NULL},
                           *const swept[] = {"r.csv", "r.json", NULL};
  static const disturbed commands[] = {{run_words, all}, {export_words, made}, {sweep_words, swept}};
  if (!w->setup.faults || !put_model(w, &m) || !put_sweep(w, &m)) return;
  const unsigned which = mech_pick(&w->random, 4) % 3;
  if (which == 1 && !reached_its_end(run_first(w, NULL, make_words).code)) return;
  disturb(w, &commands[which]);
}

/* ---- workers -------------------------------------------------------------------------------------------------------------------- */

static void work(worker *w, double until, long rounds) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/worker-%d", w->folder, w->number);
  if ((mkdir(path, 0755) && errno != EEXIST) || chdir(path)) exit(95);
  if ((mkdir("round", 0755) && errno != EEXIST) || chdir("round")) exit(95);
  while (soak_seconds() < until && rounds-- != 0) {
    begin_round(w);
    switch (mech_pick(&w->random, 8)) {
    case 0:
    case 1:
    case 2: round_of_mechanisms(w); break;
    case 3:
    case 4: round_of_kills(w); break;
    case 5: round_of_sweeps(w); break;
    default: round_of_faults(w); break;
    }
  }
  begin_round(w);
}

/* somewhere a process may not filter its own calls: then there are kills, and no faults */
static void look_at_library(worker *w) {
  static const char *const words[] = {"--version", NULL};
  const soak_early early = {.fault = "files:0:0"};
  if (!w->setup.faults) return;
  if (chdir(w->folder)) exit(95);
  const soak_end e = soak_run(&w->setup, &early, HANGS, words);
  if (e.code == 0 && e.calls > 0) return;
  printf("soak: faults cannot be injected here: exit %d, %s\n", e.code, e.words);
  w->setup.faults = NULL;
}

static int summary(const counts *n, double seconds) {
  printf("soak: %.1f minutes: %ld mechanisms, %ld runs and %ld sweeps killed %ld times and resumed %ld times, %ld "
         "faults (%ld "
         "harmless); %ld failures\n",
         seconds / 60, n->mechanisms, n->runs, n->sweeps, n->kills, n->resumes, n->faults, n->harmless, n->failures);
  return n->failures ? 1 : 0;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "tenon-soak PROGRAM LIBRARY FOLDER MINUTES [SEED [WORKERS]]\n");
    return 2;
  }
  const long rounds = strchr(argv[4], 'r') ? atol(argv[4]) : -1; /* -1: there is a time instead */
  const double began = soak_seconds(), until = rounds >= 0 ? INFINITY : began + 60 * atof(argv[4]);
  const unsigned long long seed = argc > 5 ? strtoull(argv[5], NULL, 10) : (unsigned long long)time(NULL);
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int workers = argc > 6 ? atoi(argv[6]) : cores > 0 ? (int)cores : 1;
  worker w = {.setup = {realpath(argv[1], NULL), strcmp(argv[2], "-") == 0 ? NULL : realpath(argv[2], NULL)}};
  counts *n = mmap(NULL, sizeof *n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if ((mkdir(argv[3], 0755) && errno != EEXIST) || !realpath(argv[3], w.folder) || n == MAP_FAILED ||
      !w.setup.program || (!w.setup.faults && strcmp(argv[2], "-") != 0)) {
    fprintf(stderr, "cannot begin: %s\n", strerror(errno));
    return 2;
  }
  w.n = n;
  w.seed = seed;
  look_at_library(&w);
  printf("soak: seed %llu, %d workers, %s\n", seed, workers, w.folder);
  fflush(stdout);
  for (int i = 0; i < workers; i++) {
    if (fork() != 0) continue;
    w.number = i;
    work(&w, until, rounds);
    exit(0);
  }
  signal(SIGINT, SIG_IGN); /* workers end, and the summary is of what they did */
  int status, bad = 0;
  for (pid_t pid; (pid = wait(&status)) > 0 || errno == EINTR;)
    if (pid > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) bad++;
  if (bad) fprintf(stderr, "%d workers did not come to their end\n", bad);
  return summary(n, soak_seconds() - began) || bad;
}
