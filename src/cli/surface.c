/* tenon surface STABILIZER. */
#include "cli.h"

static const option options[] = {{"--json", NULL, NULL, "as one JSON object, with sets and table", NULL, false},
                                 {"--csv", NULL, NULL, "on a grid: x, y, F(x, y), and F of y alone", NULL, false},
                                 {.flag = NULL}};

static int run(const words *w) {
  tn_error e;
  tn_status (*report)(const char *, tn_write, void *, tn_error *) = tn_report_surface_text;
  if (tn_words_has(w, "--json") && tn_words_has(w, "--csv")) return tn_say_usage(w, "either --json or", "--csv");
  if (tn_words_has(w, "--json")) report = tn_report_surface_json;
  if (tn_words_has(w, "--csv")) report = tn_report_surface_csv;
  return report(w->word[0], tn_to_file, stdout, &e) == TN_OK ? 0 : tn_say_error(&e);
}

const command tn_cli_surface = {
    .name = "surface",
    .takes = "STABILIZER",
    .doc = "What a controller makes of x = Kp C and y = Kd Cdot: F(x, y), its slopes at zero, and F of y alone, for "
           "rows on velocities. STABILIZER as after --stabilize: fuzzy:set=gaussian,both=minimum.",
    .completes = "fuzzy",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
