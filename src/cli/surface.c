/* tenon surface STABILIZER. */
#include "cli.h"

static const option options[] = {{"--json", NULL, NULL, "as one JSON object, with sets and table", NULL, false},
                                 {"--csv", NULL, NULL, "on a grid: x, y, F(x, y), and F of y alone", NULL, false},
                                 {"--output", "-o", "FILE", "a page for a browser, .html", "file", false},
                                 {.flag = NULL}};

typedef struct page {
  const char *stabilizer, *command;
} page;

static tn_status as_page(const void *what, tn_write write, void *user) {
  const page *p = what;
  return tn_report_surface_page(p->stabilizer, p->command, write, user, NULL);
}

static bool nothing(const words *w, const option *o) {
  (void)w, (void)o;
  return false;
}

static int save(const words *w, const char *path) {
  char *line = tn_words_again(w, "tenon surface", nothing);
  const int code = line ? tn_save(path, as_page, &(page){w->word[0], line}) : 5;
  free(line);
  return code;
}

static int run(const words *w) {
  tn_error e;
  tn_status (*report)(const char *, tn_write, void *, tn_error *) = tn_report_surface_text;
  if (tn_words_has(w, "--json") && tn_words_has(w, "--csv")) return tn_say_usage(w, "either --json or", "--csv");
  if (tn_words_has(w, "--json")) report = tn_report_surface_json;
  if (tn_words_has(w, "--csv")) report = tn_report_surface_csv;
  const char *path = tn_words_value(w, "--output");
  if (path && !tn_ends_in(path, ".html")) return tn_say_usage(w, "the name of a page ends in .html, not", path);
  if (path && !tn_pages(path)) return TN_E_USAGE;
  const int code = path ? tn_save_plan(path, NULL) : 0;
  if (code) return code;
  if (report(w->word[0], tn_to_file, stdout, &e) != TN_OK) return tn_say_error(&e);
  return path ? save(w, path) : 0;
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
