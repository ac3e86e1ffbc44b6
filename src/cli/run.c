/* tenon run MODEL: read, override, compile, simulate, write. */
#include "cli.h"

#include <math.h>
#include <unistd.h>

static const option options[] = {
    {"--output", "-o", "FILE",
     "write the outputs of the model, by suffix: .csv, .tnr (everything, to be read again), .npy (an array for each "
     "group of channels), .svg (a picture; .png with --poses), .html (a page for a browser: the motion and everything "
     "about it), .glb "
     "(glTF: solids that move); - is CSV "
     "on standard output. may repeat",
     "file", true},
    {"--poses", NULL, "BY",
     "pictures (.svg, .png) show the mechanism, in the plane, each BY seconds, or FROM:BY:TO, its poses over one "
     "another",
     NULL, false},
    {"--no-clobber", NULL, NULL, "never replace a file that is there", NULL, false},
    {"--anew", NULL, NULL, "begin anew where FILE.tnr.state is there, from which the run before could go on", NULL,
     false},
    {"--checkpoint", NULL, "SECONDS",
     "with a .tnr: save the state in FILE.tnr.state so often, in seconds of the clock, 60 if left out; 0: never. "
     "`tenon "
     "resume FILE.tnr` goes on from there",
     NULL, false},
    {"--accept-doubt", NULL, NULL, "exit with 0 if the verdict is `doubtful`; `wrong` stays 8", NULL, false},
    {"--verify", NULL, NULL,
     "make the run a second time beside it, at a tenth of the tolerances or half the step, and report how much every "
     "output "
     "differs, its error, and up to when a chaotic motion is predictable",
     NULL, false},
    {"--json", NULL, NULL, "the summary as one JSON object on standard output", NULL, false},
    {"--quiet", "-q", NULL, "no summary", NULL, false},
    {"--verbose", "-v", NULL, "all warnings and events", NULL, false},
    {.flag = NULL}};

typedef struct progress {
  bool shown; /* on a terminal                  */
  bool line;  /* something stands on the line   */
  double began, last, t0, until;
  int calls;
  outputs *out;
  double checkpoint, saved; /* s: how often, 0: never; when */
} progress;

static void clear_line(progress *p) {
  if (p->line) fputs("\r\x1b[K", stderr);
  p->line = false;
}

/* between the rows of one long step, too; where a checkpoint will be made, not at once: not every integrator can give the rest of
 * them later */
static tn_status on_row(void *user, double t, int n, const double *values) {
  static const double PATIENCE = 2; /* s */
  static double since;
  progress *p = user;
  if (tn_caught() && p->checkpoint > 0 && since == 0) since = tn_wall_clock();
  if (tn_caught() && !(p->checkpoint > 0 && tn_wall_clock() - since < PATIENCE)) return TN_E_STOPPED;
  return tn_outputs_row(p->out, t, n, values);
}

static bool watch(void *user, double t) {
  progress *p = user;
  if (tn_caught()) return false;
  if ((!p->shown && !(p->checkpoint > 0)) || ++p->calls % 16) return true;
  const double now = tn_wall_clock(), gone = now - p->began;
  if (p->checkpoint > 0 && now - p->saved >= p->checkpoint) {
    tn_outputs_checkpoint(p->out);
    p->saved = tn_wall_clock();
  }
  if (!p->shown || gone < 1 || now - p->last < 0.2) return true;
  const double speed = (t - p->t0) / gone;
  fprintf(stderr, "\r  t = %.4g of %.4g s, %.3g s a second", t, p->until, speed);
  if (speed > 0) fprintf(stderr, ", %.0f s left", (p->until - t) / speed);
  fputs("\x1b[K", stderr);
  fflush(stderr);
  p->last = now;
  p->line = true;
  return true;
}

/* the verdict stands out: the first line */
typedef struct paint {
  FILE *to;
  bool colored; /* the line under way is */
} paint;

static bool painted(void *user, const char *text, size_t n) {
  paint *p = user;
  if (!tn_to_file(p->to, text, n)) return false;
  if (p->colored && memchr(text, '\n', n)) {
    fputs("\x1b[0m", p->to);
    p->colored = false;
  }
  return true;
}

static void say_summary(const loaded *l, FILE *to, bool verbose) {
  static const char *const paints[] = {
      [TN_TRUSTED] = "\x1b[32m", [TN_DOUBTFUL] = "\x1b[1;33m", [TN_WRONG] = "\x1b[1;31m"};
  paint p = {to, tn_colored(to)};
  if (p.colored) fputs(paints[tn_sim_summary(l->sim)->verdict], to);
  if (verbose)
    tn_report_text_all(l->sim, l->name, painted, &p);
  else
    tn_report_text(l->sim, l->name, painted, &p);
}

/* of a run that reached its end; where there is no summary for people, the reasons are said on standard error */
static int code_of_verdict(const words *w, const tn_sim *sim) {
  const tn_run_verdict verdict = tn_sim_summary(sim)->verdict;
  tn_run_fact f;
  if (verdict == TN_TRUSTED || (verdict == TN_DOUBTFUL && tn_words_has(w, "--accept-doubt"))) return 0;
  const bool unsaid = tn_words_has(w, "--quiet") || tn_words_has(w, "--json");
  for (int i = 0; unsaid && tn_sim_fact(sim, i, &f); i++)
    if (f.severity == verdict)
      tn_say(verdict == TN_WRONG ? RED : YELLOW, "%s: %s", tn_run_verdict_name(verdict), f.sentence);
  return EXIT_DOUBT;
}

bool tn_checkpoint_given(const words *w, double *seconds) {
  const char *text = tn_words_value(w, "--checkpoint");
  char *end = NULL;
  *seconds = text ? strtod(text, &end) : 60;
  if (!text || (*text && !*end && *seconds >= 0 && *seconds < 1e9)) return true;
  tn_say_usage(w, "--checkpoint needs seconds, not", text);
  return false;
}

static bool is_caught(void *unused) {
  (void)unused;
  return tn_caught() != 0;
}

int tn_simulate(const words *w, loaded *l, outputs *out) {
  const bool verifies = tn_words_has(w, "--verify");
  const bool json = tn_words_has(w, "--json"), quiet = tn_words_has(w, "--quiet");
  FILE *const to = tn_outputs_to_stdout(out) ? stderr : stdout, *const say = json || quiet ? NULL : to;
  tn_model_info info;
  bool saved = false;
  tn_verify *verify = NULL;
  tn_model_get_info(l->model, &info);
  progress p = {.shown = !json && !quiet && isatty(STDERR_FILENO),
                .began = tn_wall_clock(),
                .t0 = tn_sim_time(l->sim),
                .until = info.until,
                .out = out};
  tn_status status = tn_sim_summary(l->sim)->status; /* of the start */
  if (!tn_checkpoint_given(w, &p.checkpoint)) return TN_E_USAGE;
  if (!tn_outputs_result(out)) p.checkpoint = 0;
  p.saved = p.began;
  if (status == TN_OK || status == TN_E_STOPPED) {
    tn_catch_signals();
    tn_sim_watch(l->sim, watch, &p);
    const tn_verify_options second = {.stop = is_caught};
    if (verifies && tn_verify_new(l->desc, &second, &verify, &l->error) != TN_OK) return tn_say_error(&l->error);
    status = verify ? tn_verify_run(verify, l->sim, on_row, &p, &l->error) : tn_sim_run(l->sim, on_row, &p, &l->error);
  }
  clear_line(&p);
  if (status == TN_E_STOPPED && p.checkpoint > 0) saved = tn_outputs_checkpoint(out);
  if (say) say_summary(l, say, tn_words_has(w, "--verbose"));
  int code = tn_outputs_close(out, l, status == TN_OK, say);
  if (json && code && status == TN_OK) {
    const tn_error e = {
        .status = TN_E_IO, .message = "the run is done, but an output cannot be written", .byte = -1, .time = NAN};
    tn_report_failure(&e, l->name, tn_to_file, stdout);
  } else if (json && tn_report_json(l->sim, l->name, tn_to_file, stdout) != TN_OK) {
    code = TN_E_IO;
  }
  tn_verify_free(verify);
  if (status == TN_E_STOPPED) {
    tn_say(RED, "interrupted at t = %.9g of %.9g s", tn_sim_time(l->sim), info.until);
    char *name = saved ? tn_quoted(tn_outputs_result(out)) : NULL;
    if (name) tn_say(PLAIN, "it goes on from there with: tenon resume%s", name);
    free(name);
    return 128 + tn_caught();
  }
  if (status != TN_OK && status != TN_E_IO) return tn_say_error(&l->error);
  return code || status != TN_OK ? code : code_of_verdict(w, l->sim);
}

static int simulate(const words *w, loaded *l, outputs *out) {
  double seconds;
  if (!tn_checkpoint_given(w, &seconds)) return TN_E_USAGE;
  if (tn_words_has(w, "--checkpoint") && !tn_outputs_result(out))
    return tn_say_usage(w, "--checkpoint goes with a result that a run can go on from: -o FILE.tnr", NULL);
  /* the start first: a model that is refused touches no file */
  const tn_status status = tn_sim_start(l->sim, &l->error);
  if (status == TN_E_MODEL) return tn_load_failed(w, l);
  const int code = status == TN_OK ? tn_outputs_open(out, l) : 0;
  if (!code) return tn_simulate(w, l, out);
  const tn_error e = {.status = (tn_status)code, .message = "an output cannot be written", .byte = -1, .time = NAN};
  if (tn_words_has(w, "--json") && code != TN_E_USAGE) tn_report_failure(&e, l->name, tn_to_file, stdout);
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
        "over the model's `run` settings; defaults: method project, adaptive dopri5, rtol = 1e-8. A PART has "
        "parameters after a colon: --stabilize baumgarte:alpha=5,beta=5 --integrator rk4:step=1e-3\n"
        "Files are written as FILE.part and renamed at the end. A run that is stopped or interrupted leaves the rows "
        "it made, and never replaces an older file: if there is one they stay in FILE.part.\n"
        "A run that reached its end has a verdict: trusted, doubtful or wrong, with reasons. It is the first line of "
        "the "
        "summary. If it is not trusted the exit code is 8; all files are written whole.\n"
        "A long run with a .tnr saves its state every minute (--checkpoint), and when it is interrupted: see tenon "
        "resume. Where such a state is there, run refuses to begin anew without --anew.",
    .completes = "model",
    .least = 1,
    .most = 1,
    .options = options,
    .shared = tn_cli_settings,
    .run = run,
};
