/* tenon export RESULT -o FILE: a result file as other kinds. */
#include "cli.h"

#include <inttypes.h>

static const option options[] = {
    {"--output", "-o", "FILE",
     "by suffix: .csv, .npy (an array for each group of channels), .svg, .png (poses), .html, .glb; - is CSV "
     "on standard output. may repeat",
     "file", true},
    {"--poses", NULL, "BY",
     "pictures (.svg, .png) show the mechanism, in the plane, each BY seconds, or FROM:BY:TO, its poses over one "
     "another",
     NULL, false},
    {"--recover", NULL, NULL,
     "of a result that is damaged or has no end take all good rows, and report how many are missing and from when to "
     "when",
     NULL, false},
    {"--replace", NULL, NULL, "with --recover: replace a file that is there, though rows are missing", NULL, false},
    {"--no-clobber", NULL, NULL, "never replace a file that is there", NULL, false},
    {"--quiet", "-q", NULL, "say nothing", NULL, false},
    {.flag = NULL}};

/* a member of the summary as it stands there, up to the end of its line */
static void say_member(const char *summary, const char *key) {
  const char *at = summary ? strstr(summary, key) : NULL;
  if (at) tn_line(stdout, "  %.*s", (int)strcspn(at, ",\n"), at);
}

static void describe(tn_result *r, const char *path) {
  const int n = tn_result_columns(r);
  tn_line(stdout, "%s: %s%s%s", path, tn_result_name(r), *tn_result_title(r) ? ": " : "", tn_result_title(r));
  tn_line(stdout, "  %" PRId64 " rows of t and %d channel%s", tn_result_rows(r), n, n == 1 ? "" : "s");
  say_member(tn_result_summary(r), "\"t_end\"");
  say_member(tn_result_summary(r), "\"status\"");
  tn_run_verdict verdict;
  if (tn_result_verdict(r, &verdict))
    tn_line(stdout, "  verdict: %s", tn_run_verdict_name(verdict));
  else
    tn_line(stdout, "  no verdict");
  tn_line(stdout, "  settings: %s", tn_result_settings(r));
  for (int i = -1; i < n; i++) tn_line(stdout, "  %-20s %s", tn_result_column(r, i), tn_result_unit(r, i));
}

static bool is_output(const given *g) { return strcmp(g->option->flag, "--output") == 0; }

static int run(const words *w) {
  tn_result *r;
  bool any = false, out = false, incomplete;
  tn_poses poses;
  int code = tn_poses_given(w, &poses);
  if (!code) code = tn_poses_shown(w, &poses);
  for (int i = 0; i < w->options && !code; i++)
    if (is_output(&w->option[i])) code = tn_poses_fit(w, w->option[i].value, &poses);
  if (code) return code;
  code = tn_open_result(w, &r, &incomplete);
  for (int i = 0; i < w->options; i++)
    if (is_output(&w->option[i])) any = true, out = out || strcmp(w->option[i].value, "-") == 0;
  for (int i = 0; i < w->options && !code; i++) {
    if (is_output(&w->option[i]))
      code = tn_export_opened(w, r, incomplete, w->option[i].value, &poses,
                              tn_words_has(w, "--quiet") || out ? NULL : stdout);
  }
  if (!any && r) describe(r, w->word[0]);
  tn_result_close(r);
  return code;
}

const command tn_cli_export = {
    .name = "export",
    .takes = "RESULT",
    .doc =
        "Write a result file (.tnr) as CSV, arrays for NumPy, a picture, a page or glTF; without -o say what is in it.",
    .more = "A result that is damaged, cannot be read or has no end is refused with exit code 4, and nothing is "
            "written. --recover takes all good rows of it: what is missing is reported, the exit code is 0, and a file "
            "that is there is not replaced without --replace.",
    .completes = "file",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
