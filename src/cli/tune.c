/* tenon tune STABILIZER MODEL: numbers of a stabilizer that keep violation times cost of a model small. */
#include "cli.h"

#include <unistd.h>

static const option options[] = {
    {"--vary", NULL, "A,B=X:Y,..",
     "numbers of the stabilizer, with a range of each; the published ones, between a hundredth and a hundred times of "
     "where they begin, if left out",
     NULL, false},
    {"--budget", NULL, "N", "runs, 100 if left out", NULL, false},
    {"--most-rhs", NULL, "N", "right-hand sides that a run may have; 20 times those of the start if left out", NULL,
     false},
    {"--violation", NULL, "WORD", "which counts: position, the default where there is one, or velocity",
     "position velocity", false},
    {"--jobs", "-j", "N", "runs at a time; as many as there are processors if left out. The result is the same", NULL,
     false},
    {"--output", "-o", "FILE", "by suffix: .csv (a line a run), .json; may repeat", "file", true},
    {"--json", NULL, NULL, "print one JSON object", NULL, false},
    {"--quiet", "-q", NULL, "no progress", NULL, false},
    {.flag = NULL}};

enum { MOST = 64 };

static tn_status as_csv(const void *t, tn_write write, void *user) { return tn_tune_csv(t, write, user); }
static tn_status as_json(const void *t, tn_write write, void *user) { return tn_tune_json(t, write, user); }
static tn_status as_text(const void *t, tn_write write, void *user) { return tn_tune_text(t, write, user); }

typedef struct progress {
  bool shown, line;
} progress;

static bool on_progress(void *user, int done, int all, const char *stage) {
  progress *p = user;
  if (p->shown) {
    fprintf(stderr, "\r  %d of %d runs, %s\x1b[K", done, all, stage);
    fflush(stderr);
    p->line = true;
  }
  return !tn_caught();
}

static bool stop(void *unused) {
  (void)unused;
  return tn_caught() != 0;
}

/* ---- options ------------------------------------------------------------------------------------------------------------ */

static int bad_range(const words *w, const char *item) {
  return tn_say_usage(w, "--vary needs names, or NAME=FROM:TO with two positive numbers, not", item);
}

/* `a,b=1:10`: the text is cut up */
static int ranges(const words *w, char *text, tn_tune_range *range, int *n) {
  *n = 0;
  for (char *at = text, *next; at; at = next) {
    char *comma = strchr(at, ',');
    next = comma ? comma + 1 : NULL;
    if (comma) *comma = 0;
    if (*n == MOST) return tn_say_usage(w, "more than 64 are named by", "--vary");
    tn_tune_range *r = &range[(*n)++];
    *r = (tn_tune_range){.field = at};
    char *equal = strchr(at, '=');
    if (equal) {
      char *colon, *end;
      r->from = strtod(equal + 1, &colon);
      if (colon == equal + 1 || *colon != ':') return bad_range(w, at);
      r->to = strtod(colon + 1, &end);
      if (end == colon + 1 || *end || !(r->from > 0) || !(r->to > r->from) || r->to > 1e300) return bad_range(w, at);
      *equal = 0;
    }
    if (!*at) return tn_say_usage(w, "an empty name is among those of", "--vary");
  }
  return 0;
}

/* a whole number from 1 on, if it is given; false: it is none, which has been explained */
static bool whole(const words *w, const char *flag, double most, double *n) {
  const char *text = tn_words_value(w, flag);
  if (!text) return true;
  char *end, message[80];
  *n = strtod(text, &end);
  if (end != text && !*end && *n >= 1 && *n <= most && *n == (double)(int64_t)*n) return true;
  snprintf(message, sizeof message, "%s needs a whole number from 1 to %g, not", flag, most);
  tn_say_usage(w, message, text);
  return false;
}

static int read_options(const words *w, tn_tune_options *o) {
  const char *violation = tn_words_value(w, "--violation");
  double budget = 0, most = 0;
  o->stabilizer = w->word[0];
  if ((o->workers = tn_jobs(w)) < 0) return TN_E_USAGE;
  if (!whole(w, "--budget", 1e6, &budget) || !whole(w, "--most-rhs", 1e15, &most)) return TN_E_USAGE;
  o->budget = (int)budget;
  o->most_rhs = (int64_t)most;
  if (violation && strcmp(violation, "position") != 0 && strcmp(violation, "velocity") != 0)
    return tn_say_usage(w, "--violation is position or velocity, not", violation);
  o->velocity = violation && strcmp(violation, "velocity") == 0;
  return 0;
}

/* before anything runs */
static int plan_files(const words *w, const inputs *in) {
  for (int i = 0; i < w->options; i++) {
    const char *path = w->option[i].value;
    if (strcmp(w->option[i].option->flag, "--output") != 0) continue;
    if (strcmp(path, "-") != 0 && !tn_ends_in(path, ".csv") && !tn_ends_in(path, ".json"))
      return tn_say_usage(w, "the name of an output ends in .csv or .json, not", path);
    const int code = tn_save_plan(path, in);
    if (code) return code;
  }
  return 0;
}

static int report(const words *w, const tn_tune *t) {
  bool out = false;
  int code = 0;
  for (int i = 0; i < w->options && !code; i++) {
    const char *path = w->option[i].value;
    if (strcmp(w->option[i].option->flag, "--output") != 0) continue;
    code = tn_save(path, tn_ends_in(path, ".json") ? as_json : as_csv, t);
    out = out || strcmp(path, "-") == 0;
  }
  return code || out ? code : tn_save("-", tn_words_has(w, "--json") ? as_json : as_text, t);
}

/* ---- all of it ---------------------------------------------------------------------------------------------------------- */

static int tune(const words *w, const loaded *l, tn_tune_options *o) {
  progress p = {.shown = isatty(2) && !tn_words_has(w, "--quiet")};
  tn_tune *t = NULL;
  tn_error e;
  tn_catch_signals();
  int code = plan_files(w, &l->inputs);
  if (code) return code;
  o->progress = on_progress;
  o->stop = stop;
  o->user = &p;
  const tn_status status = tn_tune_run(l->desc, l->name, o, &t, &e);
  if (p.line) fputs("\r\x1b[K", stderr);
  code = status == TN_OK ? report(w, t) : tn_say_error(&e);
  if (status == TN_E_STOPPED) code = 128 + tn_caught();
  tn_tune_free(t);
  return code;
}

static int run(const words *w) {
  tn_tune_options o = {0};
  tn_tune_range range[MOST];
  loaded l = {0};
  const char *vary = tn_words_value(w, "--vary");
  if (tn_words_has(w, "--stabilize"))
    return tn_say_usage(w, "the stabilizer is the first word: there is nothing left for", "--stabilize");
  int code = read_options(w, &o);
  char *text = code || !vary ? NULL : malloc(strlen(vary) + 1);
  if (!code && vary && !text) code = tn_say_no_memory();
  if (text) {
    strcpy(text, vary);
    code = ranges(w, text, range, &o.ranges);
    o.range = range;
  }
  if (!code) {
    code = tn_load(w, &l);
    if (!code) code = tune(w, &l, &o);
    tn_unload(&l);
  }
  free(text);
  return code;
}

const command tn_cli_tune = {
    .name = "tune",
    .takes = "STABILIZER MODEL",
    .doc = "Search for numbers of a stabilizer, gains and widths, with which the largest violation times the number of "
           "right-hand sides is small on this model. STABILIZER as after --stabilize: fuzzy, or "
           "fuzzy:set=triangular,kp=10,kd=0.1,ku=100; without numbers the search begins with the published ones.",
    .more = "It ends with a block to paste into the model, with the figures of the start and of the published numbers "
            "beside. The search makes the same runs each time, on however many processors: half of them spread over "
            "the ranges, the others around the best. Runs that fail do not count. A small violation is no small error "
            "of the motion: tenon run --verify measures that.",
    .completes = "stabilizer",
    .least = 2,
    .most = 2,
    .options = options,
    .shared = tn_cli_settings,
    .run = run,
};
