/* tenon stability INTEGRATOR. */
#include "cli.h"

static const option options[] = {
    {"--json", NULL, NULL, "as one JSON object", NULL, false},
    {"--csv", NULL, NULL, "the region on a grid: re, im of h lambda, 1 if stable", NULL, false},
    {.flag = NULL}};

static int run(const words *w) {
  tn_error e;
  tn_status (*report)(const char *, tn_write, void *, tn_error *) = tn_report_stability_text;
  if (tn_words_has(w, "--json") && tn_words_has(w, "--csv")) return tn_say_usage(w, "either --json or", "--csv");
  if (tn_words_has(w, "--json")) report = tn_report_stability_json;
  if (tn_words_has(w, "--csv")) report = tn_report_stability_csv;
  return report(w->word[0], tn_to_file, stdout, &e) == TN_OK ? 0 : tn_say_error(&e);
}

const command tn_cli_stability = {
    .name = "stability",
    .takes = "INTEGRATOR",
    .doc =
        "Where the steps of an integrator do not let zdot = lambda z grow: limits on both axes, area and region; and "
        "which gains of a violation may be held over a step.",
    .completes = "integrator",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
