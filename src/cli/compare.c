/* tenon compare MODEL: methods, integrators and settings on one model, against a reference. */
#include "cli.h"

#include <unistd.h>

#include "tenon/study.h"

static const option options[] = {
    {"--methods", NULL, "A,B,..", "named methods, or stabilizers with their parameters; a choice of them if left out",
     "method", false},
    {"--integrators", NULL, "A,B,..", "that of the model if left out", "integrator", false},
    {"--rtol", NULL, "X,Y,..", "adaptive steps: relative (and absolute) tolerances", NULL, false},
    {"--step", NULL, "X,Y,..", "fixed steps, s", NULL, false},
    {"--reference", NULL, "FILE", "auto, or a CSV with outputs of the model, as tenon run -o writes it", "file", false},
    {"--accuracy", NULL, "X",
     "an error that is good enough, in lengths of the model and of directions (outputs of a file: as they are); 1e-4",
     NULL, false},
    {"--jobs", "-j", "N", "runs at a time; as many as there are processors if left out", NULL, false},
    {"--output", "-o", "FILE", "by suffix: .html (a page for a browser), .csv (a line a run), .json; may repeat",
     "file", true},
    {"--curves", NULL, "FILE", "violations and errors of all runs over time, as CSV", "file", false},
    {"--json", NULL, NULL, "as one JSON object", NULL, false},
    {"--quiet", "-q", NULL, "no progress", NULL, false},
    {.flag = NULL}};

enum { MOST = 64 };

/* at commas, but not those before a parameter: `a,b:x=1,y=2` is a and b:x=1,y=2. the text is cut up */
static int split(const words *w, const char *flag, char *text, const char **item) {
  int n = 0;
  for (char *at = text; at; n++) {
    if (n == MOST) {
      tn_say_usage(w, "more than 64 are named by", flag);
      return -1;
    }
    item[n] = at;
    for (char *comma = strchr(at, ',');; comma = strchr(comma + 1, ',')) {
      at = comma ? comma + 1 : NULL;
      const size_t word = comma ? strcspn(at, ",:=") : 0;
      if (comma && at[word] == '=') continue; /* a parameter of it */
      if (comma) *comma = 0;
      break;
    }
    if (!*item[n]) {
      tn_say_usage(w, "an empty name is among those of", flag);
      return -1;
    }
  }
  return n;
}

static int numbers(const words *w, char *text, const char *flag, double *value) {
  const char *item[MOST];
  const int n = split(w, flag, text, item);
  for (int i = 0; i < n; i++) {
    char *end;
    value[i] = strtod(item[i], &end);
    if (end == item[i] || *end || !(value[i] > 0) || value[i] > 1e300) {
      char message[80];
      snprintf(message, sizeof message, "%s needs numbers, not", flag);
      tn_say_usage(w, message, item[i]);
      return -1;
    }
  }
  return n;
}

static bool on_progress(void *user, int done, int all, const char *run) {
  bool *line = user;
  char shown[48];
  tn_show(shown, sizeof shown, run);
  fprintf(stderr, "\r  %d of %d runs, %s\x1b[K", done, all, shown);
  fflush(stderr);
  return *line = true;
}

static tn_status as_csv(const void *c, tn_write write, void *user) { return tn_compare_csv(c, write, user); }
static tn_status as_json(const void *c, tn_write write, void *user) { return tn_compare_json(c, write, user); }
static tn_status as_text(const void *c, tn_write write, void *user) { return tn_compare_text(c, write, user); }
static tn_status as_curves(const void *c, tn_write write, void *user) { return tn_compare_curves(c, write, user); }

/* a page, with how to make it again and how to run the model with the options of a row */
typedef struct page {
  const tn_compare *c;
  char *command, *run;
} page;

static bool of_comparison(const words *w, const option *o) {
  static const char *const idle[] = {"--output", "--curves", "--json", "--quiet", "--jobs", NULL};
  (void)w;
  for (int i = 0; idle[i]; i++)
    if (strcmp(o->flag, idle[i]) == 0) return false;
  return true;
}

/* of the model; its method is that of a row */
static bool of_run(const words *w, const option *o) {
  for (const option *s = w->command->shared; s->flag; s++)
    if (s == o)
      return strcmp(s->flag, "--method") && strcmp(s->flag, "--formulation") && strcmp(s->flag, "--stabilize");
  return false;
}

static tn_status as_page(const void *what, tn_write write, void *user) {
  const page *p = what;
  return tn_compare_page(p->c, p->command, p->run, write, user, NULL);
}

static int save_page(const words *w, const char *path, const tn_compare *c) {
  page p = {c, tn_words_again(w, "tenon compare", of_comparison), NULL};
  if (p.command) p.run = tn_words_again(w, "tenon run", of_run);
  const int code = p.run ? tn_save(path, as_page, &p) : 5;
  free(p.command);
  free(p.run);
  return code;
}

/* before anything runs */
static int plan_files(const words *w, const inputs *in) {
  for (int i = 0; i < w->options; i++) {
    const char *flag = w->option[i].option->flag, *path = w->option[i].value;
    const bool output = strcmp(flag, "--output") == 0;
    if (!output && strcmp(flag, "--curves") != 0) continue;
    const bool html = output && tn_ends_in(path, ".html");
    if (output && strcmp(path, "-") != 0 && !html && !tn_ends_in(path, ".csv") && !tn_ends_in(path, ".json"))
      return tn_say_usage(w, "the name of an output ends in .html, .csv or .json, not", path);
    if (html && !tn_pages(path)) return TN_E_USAGE;
    const int code = tn_save_plan(path, in);
    if (code) return code;
  }
  return 0;
}

static int report(const words *w, const tn_compare *c) {
  bool out = false;
  int code = 0, winner;
  for (int i = 0; i < w->options && !code; i++) {
    const char *flag = w->option[i].option->flag, *path = w->option[i].value;
    if (strcmp(flag, "--output") == 0)
      code = tn_ends_in(path, ".html") ? save_page(w, path, c)
                                       : tn_save(path, tn_ends_in(path, ".json") ? as_json : as_csv, c);
    if (strcmp(flag, "--curves") == 0) code = tn_save(path, as_curves, c);
    out = out || (path && strcmp(path, "-") == 0);
  }
  if (!out) {
    const int printed = tn_save("-", tn_words_has(w, "--json") ? as_json : as_text, c);
    if (!code) code = printed;
  }
  tn_compare_recommendation(c, &winner);
  return code ? code : winner < 0 ? TN_E_RUN : 0;
}

/* options into what the library takes; texts are copies that stay */
typedef struct lists {
  char *copy[4];
  const char *method[MOST], *integrator[MOST];
  double setting[MOST];
} lists;

static int read_lists(const words *w, lists *l, tn_compare_options *o) {
  static const char *const flags[] = {"--methods", "--integrators", "--rtol", "--step"};
  for (int i = 0; i < 4; i++) {
    const char *value = tn_words_value(w, flags[i]);
    if (!value) continue;
    if (!*value) return tn_say_usage(w, "nothing is named by", flags[i]);
    l->copy[i] = malloc(strlen(value) + 1);
    if (!l->copy[i]) return tn_say(RED, "out of memory"), 5;
    strcpy(l->copy[i], value);
    if (i == 0 && (o->methods = split(w, flags[i], l->copy[i], l->method)) < 0) return TN_E_USAGE;
    if (i == 1 && (o->integrators = split(w, flags[i], l->copy[i], l->integrator)) < 0) return TN_E_USAGE;
    if (i >= 2 && (o->settings = numbers(w, l->copy[i], flags[i], l->setting)) < 0) return TN_E_USAGE;
    o->fixed = i == 3;
  }
  o->method = l->method;
  o->integrator = l->integrator;
  o->setting = l->setting;
  return 0;
}

static int compare(const words *w, lists *all, loaded *l) {
  tn_compare_options o = {0};
  tn_compare *c = NULL;
  tn_error e;
  bool line = false;
  double accuracy[MOST];
  int code = read_lists(w, all, &o);
  if (code) return code;
  const char *good = tn_words_value(w, "--accuracy"), *reference = tn_words_value(w, "--reference");
  if ((o.workers = tn_jobs(w)) < 0) return TN_E_USAGE;
  if (good) {
    char text[64];
    snprintf(text, sizeof text, "%s", good);
    const int n = numbers(w, text, "--accuracy", accuracy);
    if (n > 1) return tn_say_usage(w, "--accuracy is one number, not", good);
    if (n < 1) return TN_E_USAGE;
    o.accuracy = accuracy[0];
  }
  if (reference && strcmp(reference, "auto") != 0) o.reference = reference;
  if (o.reference && (code = tn_inputs_add(&l->inputs, o.reference)) != 0) return code;
  if ((code = plan_files(w, &l->inputs)) != 0) return code;
  if (isatty(2) && !tn_words_has(w, "--quiet")) {
    o.progress = on_progress;
    o.user = &line;
  }
  const tn_status status = tn_compare_run(l->desc, l->name, &o, &c, &e);
  if (line) fputs("\r\x1b[K", stderr);
  code = status == TN_OK ? report(w, c) : tn_say_error(&e);
  tn_compare_free(c);
  return code;
}

static int run(const words *w) {
  loaded l;
  lists all = {0};
  if (tn_words_has(w, "--rtol") && tn_words_has(w, "--step")) return tn_say_usage(w, "either --rtol or", "--step");
  static const char *const both[][2] = {{"--methods", "--method"},
                                        {"--methods", "--formulation"},
                                        {"--methods", "--stabilize"},
                                        {"--integrators", "--integrator"},
                                        {"--rtol", "--atol"}};
  for (size_t i = 0; i < sizeof both / sizeof *both; i++)
    if (tn_words_has(w, both[i][0]) && tn_words_has(w, both[i][1])) {
      char message[80];
      snprintf(message, sizeof message, "with %s there is nothing left for", both[i][0]);
      return tn_say_usage(w, message, both[i][1]);
    }
  int code = tn_load(w, &l);
  if (!code) code = compare(w, &all, &l);
  for (int i = 0; i < 4; i++) free(all.copy[i]);
  tn_unload(&l);
  return code;
}

const command tn_cli_compare = {
    .name = "compare",
    .takes = "MODEL",
    .doc = "Run a model with several methods, integrators and settings, in parallel, and rank them by how far bodies "
           "are from "
           "where a reference has them, with what that costs; then one sentence on which to use.",
    .more = "The reference is made with other coordinates or another formulation, another integrator and tight "
            "tolerances; how far it may "
            "be off itself is estimated, and errors below ten times that are not ranked. Where the motion is chaotic, "
            "errors are taken "
            "as long as the reference holds.",
    .completes = "file",
    .least = 1,
    .most = 1,
    .options = options,
    .shared = tn_cli_settings,
    .run = run,
};
