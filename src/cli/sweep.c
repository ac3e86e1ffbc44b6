/* tenon sweep FILE: a model over many values of its parameters. the same in tenon-mpi, where the first rank does all that is here but
 * runs, which it shares with the others. */
#include "cli.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

static const option options[] = {
    {"--output", "-o", "FILE",
     "write the values, by suffix: .csv, .json or .html (a page for a browser); - is CSV on standard output. may "
     "repeat. What is done is kept in FILE.journal until the end",
     "file", true},
    {"--jobs", "-j", "N", "runs at a time; as many as there are processors if left out", NULL, false},
    {"--anew", NULL, NULL, "begin anew, whatever FILE.journal has", NULL, false},
    {"--dry-run", NULL, NULL, "the values of all parameters as CSV, and no run", NULL, false},
    {"--json", NULL, NULL, "print one JSON object", NULL, false},
    {"--quiet", "-q", NULL, "no progress, no summary", NULL, false},
    {.flag = NULL}};

static tn_status as_csv(const void *s, tn_write write, void *user) { return tn_sweep_csv(s, write, user); }
static tn_status as_json(const void *s, tn_write write, void *user) { return tn_sweep_json(s, write, user); }
static tn_status as_text(const void *s, tn_write write, void *user) { return tn_sweep_text(s, write, user); }
static tn_status as_summary(const void *s, tn_write write, void *user) { return tn_sweep_summary(s, write, user); }
static tn_status as_plan(const void *s, tn_write write, void *user) { return tn_sweep_plan(s, write, user); }

/* a page, with how to make it again */
typedef struct page {
  const tn_sweep *s;
  char *command;
} page;

static tn_status as_page(const void *what, tn_write write, void *user) {
  const page *p = what;
  return tn_sweep_page(p->s, p->command, write, user, NULL);
}

static bool no_option(const words *w, const option *o) {
  (void)w;
  (void)o;
  return false;
}

static int save_page(const words *w, const char *path, const tn_sweep *s) {
  page p = {s, tn_words_again(w, "tenon sweep", no_option)};
  const int code = p.command ? tn_save(path, as_page, &p) : 5;
  free(p.command);
  return code;
}

/* ---- progress --------------------------------------------------------------------------------------------------------------- */

typedef struct progress {
  bool shown, terminal, line, begun;
  double began, last;
  tn_sweep_progress now;
  pthread_mutex_t lock; /* of all of it: runs under way ask, too */
} progress;

static void clear_line(progress *p) {
  if (p->line) fputs("\r\x1b[K", stderr);
  p->line = false;
}

/* in seconds, minutes and hours */
static void duration(char *text, size_t size, double s) {
  if (s < 100)
    snprintf(text, size, "%.0f s", s);
  else if (s < 6000)
    snprintf(text, size, "%.0f min", s / 60);
  else
    snprintf(text, size, "%.1f h", s / 3600);
}

/* a line that is replaced on a terminal; elsewhere one now and then */
static void tell(progress *p) {
  const double t = tn_wall_clock(), rate = (p->now.done - p->now.resumed) / (t - p->began);
  if (!p->shown || !p->begun || t - p->last < (p->terminal ? 0.2 : 10)) return;
  char left[32] = "", failed[48] = "", speed[64] = "";
  duration(left, sizeof left, (p->now.all - p->now.done) / rate);
  if (rate > 0) snprintf(speed, sizeof speed, ", %.3g a second, %s left", rate, left);
  if (p->now.failed) snprintf(failed, sizeof failed, ", %d failed", p->now.failed);
  fprintf(stderr, "%s  %d of %d runs%s%s%s", p->terminal ? "\r" : "", p->now.done, p->now.all, failed, speed,
          p->terminal ? "\x1b[K" : "\n");
  fflush(stderr);
  p->last = t;
  p->line = p->terminal;
}

static bool stop(void *unused) {
  (void)unused;
  return tn_caught() != 0;
}

/* runs that take long do not keep the line waiting */
static bool stop_and_tell(void *user) {
  progress *p = user;
  if (p->shown && pthread_mutex_trylock(&p->lock) == 0) {
    tell(p);
    pthread_mutex_unlock(&p->lock);
  }
  return stop(NULL);
}

static bool on_progress(void *user, const tn_sweep_progress *now) {
  progress *p = user;
  pthread_mutex_lock(&p->lock);
  if (!p->begun && now->resumed && p->shown) tn_say(PLAIN, "going on: %d of %d runs are done", now->resumed, now->all);
  if (!p->begun) p->began = p->last = tn_wall_clock();
  p->begun = true;
  p->now = *now;
  tell(p);
  pthread_mutex_unlock(&p->lock);
  return !stop(NULL);
}

/* ---- files ---------------------------------------------------------------------------------------------------------------- */

static const char *journal_of(const words *w, char *path, size_t size) {
  for (int i = 0; i < w->options; i++) {
    const given *g = &w->option[i];
    if (strcmp(g->option->flag, "--output") != 0 || strcmp(g->value, "-") == 0) continue;
    return (size_t)snprintf(path, size, "%s.journal", g->value) < size ? path : NULL;
  }
  return NULL;
}

static bool to_stdout(const words *w) {
  for (int i = 0; i < w->options; i++)
    if (strcmp(w->option[i].option->flag, "--output") == 0 && strcmp(w->option[i].value, "-") == 0) return true;
  return false;
}

/* before anything runs */
static int plan_files(const words *w, const tn_sweep *s, const char *journal) {
  inputs in = {0};
  int code = tn_inputs_add(&in, w->word[0]);
  for (int i = 0; tn_sweep_file(s, i) && !code; i++) {
    code = tn_inputs_add(&in, tn_sweep_file(s, i));
    if (!code) code = tn_inputs_drawn_by(&in, tn_sweep_file(s, i));
  }
  if (journal && !code) code = tn_inputs_spare(&in, journal, NULL);
  for (int i = 0; i < w->options && !code; i++) {
    const char *flag = w->option[i].option->flag, *path = w->option[i].value;
    if (strcmp(flag, "--output") != 0) continue;
    const bool html = tn_ends_in(path, ".html");
    if (strcmp(path, "-") != 0 && !html && !tn_ends_in(path, ".csv") && !tn_ends_in(path, ".json"))
      code = tn_say_usage(w, "the name of an output ends in .html, .csv or .json, not", path);
    else
      code = html && !tn_pages(path) ? (int)TN_E_USAGE : tn_save_plan(path, &in);
  }
  tn_inputs_free(&in);
  return code;
}

static int save(const words *w, const tn_sweep *s) {
  const bool quiet = tn_words_has(w, "--quiet"), json = tn_words_has(w, "--json");
  bool files = false;
  int code = 0;
  for (int i = 0; i < w->options && !code; i++) {
    const char *path = w->option[i].value;
    if (strcmp(w->option[i].option->flag, "--output") != 0) continue;
    files = true;
    code = tn_ends_in(path, ".html") ? save_page(w, path, s)
                                     : tn_save(path, tn_ends_in(path, ".json") ? as_json : as_csv, s);
  }
  if (code || to_stdout(w)) return code;
  if (json) return tn_save("-", as_json, s);
  if (!files) return tn_save("-", as_text, s);
  return quiet ? 0 : tn_save("-", as_summary, s);
}

/* ---- all of it -------------------------------------------------------------------------------------------------------------- */

/* elsewhere: the signal that another rank caught */
static int cut_off(const tn_error *e, const char *journal, int elsewhere) {
  tn_say(RED, "%s", e->message);
  if (journal)
    tn_say(PLAIN, "they are kept in '%s': the same command goes on from there", journal);
  else
    tn_say(PLAIN, "nothing of them is kept: with -o FILE a sweep can go on later");
  return 128 + (tn_caught() ? tn_caught() : elsewhere);
}

static int sweep(const words *w, tn_sweep *s) {
  char path[1200];
  int elsewhere = 0;
  tn_error e;
  progress p = {.shown = !tn_words_has(w, "--quiet"), .terminal = isatty(2), .lock = PTHREAD_MUTEX_INITIALIZER};
  const char *journal = journal_of(w, path, sizeof path);
  tn_sweep_options o = {.journal = journal,
                        .anew = tn_words_has(w, "--anew"),
                        .progress = on_progress,
                        .stop = stop_and_tell,
                        .user = &p,
                        .farm = tn_farm_make,
                        .farm_user = &elsewhere};
  if (!tn_farm_jobs(w, &o.workers)) return TN_E_USAGE;
  if (o.anew && !journal) return tn_say_usage(w, "without -o FILE there is nothing to begin anew", NULL);
  if (to_stdout(w) && tn_words_has(w, "--json"))
    return tn_say_usage(w, "-o - and --json both want standard output: give one of them another place", NULL);
  int code = plan_files(w, s, journal);
  if (code) return code;
  tn_catch_signals();
  const tn_status status = tn_sweep_run(s, &o, &e);
  clear_line(&p);
  if (status == TN_E_STOPPED) return cut_off(&e, journal, elsewhere);
  if (status != TN_OK) {
    code = tn_say_error(&e);
    if (status == TN_E_USAGE) tn_say(PLAIN, "--anew begins again; what is in it is lost then");
    return code;
  }
  code = save(w, s);
  if (code && journal) tn_say(PLAIN, "all runs are kept in '%s': the same command writes the files again", journal);
  if (code) return code;
  if (journal) tn_remove(journal); /* the files are on the disk */
  return tn_sweep_failed(s) ? TN_E_RUN : 0;
}

static int run(const words *w) {
  tn_sweep *s = NULL;
  tn_error e;
  const tn_status status = tn_sweep_read(NULL, w->word[0], &s, &e);
  int code = 0;
  if (tn_farm_rank() > 0) {
    tn_catch_signals();
    tn_farm_serve(s, &e, stop);
  } else if (status != TN_OK) {
    code = tn_say_error(&e);
  } else if (tn_words_has(w, "--dry-run") && (tn_words_has(w, "--output") || tn_words_has(w, "--json"))) {
    code = tn_say_usage(w, "--dry-run prints CSV and writes nothing: it goes with neither -o nor --json", NULL);
  } else if (tn_words_has(w, "--dry-run")) {
    code = tn_save("-", as_plan, s);
  } else {
    code = sweep(w, s);
  }
  tn_sweep_free(s);
  return code;
}

const command tn_cli_sweep = {
    .name = "sweep",
    .takes = "FILE",
    .doc = "Run a model over grids, lists or random samples of its parameters, in parallel, and tell what is measured "
           "on every run; or how that changes with each parameter.",
    .more = "A run that fails is a row with the reason, and the exit code is 3 if there is one. A sweep that is "
            "interrupted or killed goes on where it was if the same command is given again. The values do not depend "
            "on how many runs are made at a time, nor where: tenon-mpi sweep under mpirun writes the same bytes.",
    .completes = "file",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
