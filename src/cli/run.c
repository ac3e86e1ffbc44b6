/* tenon run MODEL: read, override, compile, simulate, write. */
#include "cli.h"

#include <signal.h>
#include <unistd.h>

static const option options[] = {
    {"--output", "-o", "FILE",
     "write the outputs of the model, by suffix: .csv, .tnr (everything, to be read again), .npy (an array for each "
     "group of channels), .svg (a picture), .html (a page for a browser: the motion and everything about it), .glb "
     "(glTF: solids that move); - is CSV "
     "on standard output. may repeat",
     "file", true},
    {"--no-clobber", NULL, NULL, "never replace a file that is there", NULL, false},
    {"--json", NULL, NULL, "the summary as one JSON object on standard output", NULL, false},
    {"--quiet", "-q", NULL, "no summary", NULL, false},
    {"--verbose", "-v", NULL, "all warnings and events", NULL, false},
    {.flag = NULL}};

static volatile sig_atomic_t caught;

/* the first one is for the run to end well, a second one ends it at once */
static void on_signal(int number) { caught = number; }

static void catch_signals(void) {
  /* a write that waits for a slow reader goes on: what is handed over is whole rows */
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  static const int signals[] = {SIGINT, SIGTERM};
  for (int i = 0; i < 2; i++) {
    struct sigaction old;
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue; /* as nohup wants it */
    sigaction(signals[i], &action, NULL);
  }
}

typedef struct progress {
  bool shown; /* on a terminal                  */
  bool line;  /* something stands on the line   */
  double began, last, t0, until;
  int calls;
} progress;

static void clear_line(progress *p) {
  if (p->line) fputs("\r\x1b[K", stderr);
  p->line = false;
}

/* between the rows of one long step, too */
static tn_status on_row(void *out, double t, int n, const double *values) {
  return caught ? TN_E_STOPPED : tn_outputs_row(out, t, n, values);
}

static bool watch(void *user, double t) {
  progress *p = user;
  if (caught) return false;
  if (!p->shown || ++p->calls % 16) return true;
  const double now = tn_wall_clock(), gone = now - p->began;
  if (gone < 1 || now - p->last < 0.2) return true;
  const double speed = (t - p->t0) / gone;
  fprintf(stderr, "\r  t = %.4g of %.4g s, %.3g s a second", t, p->until, speed);
  if (speed > 0) fprintf(stderr, ", %.0f s left", (p->until - t) / speed);
  fputs("\x1b[K", stderr);
  fflush(stderr);
  p->last = now;
  p->line = true;
  return true;
}

/* the first line of a summary that begins with a broken contract stands out */
typedef struct paint {
  FILE *to;
  bool red;
} paint;

static bool painted(void *user, const char *text, size_t n) {
  paint *p = user;
  if (!tn_to_file(p->to, text, n)) return false;
  if (p->red && memchr(text, '\n', n)) {
    fputs("\x1b[0m", p->to);
    p->red = false;
  }
  return true;
}

static void say_summary(const loaded *l, FILE *to, bool verbose) {
  paint p = {to, !tn_sim_summary(l->sim)->contract_kept && tn_colored(to)};
  char text[1600];
  if (p.red) fputs("\x1b[1;31m", to);
  tn_report_text(l->sim, l->name, painted, &p);
  for (int i = 3; verbose && i < tn_model_warnings(l->model); i++) {
    tn_error_text(tn_model_warning(l->model, i), text, sizeof text);
    fprintf(to, "  warning: %s\n", text);
  }
  for (int i = 8; verbose && i < tn_sim_events(l->sim); i++) {
    const tn_event *e = tn_sim_event(l->sim, i);
    fprintf(to, "  event at t = %.6g s, %s: %s\n", e->t, e->kind, e->text);
  }
}

static int simulate(const words *w, loaded *l, outputs *out) {
  const bool json = tn_words_has(w, "--json"), quiet = tn_words_has(w, "--quiet");
  FILE *const to = tn_outputs_to_stdout(out) ? stderr : stdout, *const say = json || quiet ? NULL : to;
  tn_model_info info;
  /* the start first: a model that is refused touches no file */
  tn_status status = tn_sim_start(l->sim, &l->error);
  if (status == TN_E_MODEL) return tn_load_failed(w, l);
  int code = status == TN_OK ? tn_outputs_open(out, l) : 0;
  if (code) {
    const tn_error e = {.status = (tn_status)code, .message = "an output cannot be written", .byte = -1};
    if (json && code != TN_E_USAGE) tn_report_failure(&e, l->name, tn_to_file, stdout);
    return code;
  }
  tn_model_get_info(l->model, &info);
  progress p = {.shown = !json && !quiet && isatty(STDERR_FILENO), .began = tn_wall_clock(), .until = info.until};
  if (status == TN_OK) {
    catch_signals();
    tn_sim_watch(l->sim, watch, &p);
    status = tn_sim_run(l->sim, on_row, out, &l->error);
  }
  clear_line(&p);
  if (say) say_summary(l, say, tn_words_has(w, "--verbose"));
  code = tn_outputs_close(out, l, status == TN_OK, say);
  if (json && code && status == TN_OK) {
    const tn_error e = {.status = TN_E_IO, .message = "the run is done, but an output cannot be written", .byte = -1};
    tn_report_failure(&e, l->name, tn_to_file, stdout);
  } else if (json && tn_report_json(l->sim, l->name, tn_to_file, stdout) != TN_OK) {
    code = TN_E_IO;
  }
  if (status == TN_E_STOPPED) {
    tn_say(RED, "interrupted at t = %.9g of %.9g s", tn_sim_time(l->sim), info.until);
    return 128 + (int)caught;
  }
  if (status != TN_OK && status != TN_E_IO) return tn_say_error(&l->error);
  return code;
}

static int run(const words *w) {
  loaded l = {.name = NULL};
  outputs *out = NULL;
  int code = tn_outputs_plan(w, &out);
  if (!code) code = tn_load(w, &l);
  if (!code) code = simulate(w, &l, out);
  tn_outputs_free(out);
  tn_unload(&l);
  return code;
}

const command tn_cli_run = {
    .name = "run",
    .takes = "MODEL",
    .doc = "Simulate a model and write its outputs.",
    .more =
        "MODEL is a file, - for standard input, or a result file, whose model is run again. What is given here wins "
        "over the model's `run` settings; defaults: method project, adaptive dopri5, rtol = atol = 1e-8. A PART has "
        "parameters after a colon: --stabilize baumgarte:alpha=5,beta=5 --integrator rk4:step=1e-3\n"
        "Files are written as FILE.part and renamed at the end. A run that is stopped or interrupted leaves the rows "
        "it made, and never replaces an older file: if there is one they stay in FILE.part.",
    .completes = "model",
    .least = 1,
    .most = 1,
    .options = options,
    .shared = tn_cli_settings,
    .run = run,
};
