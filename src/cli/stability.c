/* tenon stability INTEGRATOR .. */
#include "cli.h"

static const option options[] = {
    {"--json", NULL, NULL, "as one JSON object (several integrators: a list of them)", NULL, false},
    {"--csv", NULL, NULL, "the region on a grid: re, im of h lambda, 1 if stable; of one integrator", NULL, false},
    {"--output", "-o", "FILE", "a page for a browser, .html", "file", false},
    {.flag = NULL}};

typedef struct page {
  const words *w;
  const char *command;
} page;

static tn_status as_page(const void *what, tn_write write, void *user) {
  const page *p = what;
  return tn_report_stability_page(p->w->words, p->w->word, p->command, write, user, NULL);
}

static bool nothing(const words *w, const option *o) {
  (void)w, (void)o;
  return false;
}

static int save(const words *w, const char *path) {
  char *line = tn_words_again(w, "tenon stability", nothing);
  const int code = line ? tn_save(path, as_page, &(page){.w = w, .command = line}) : 5;
  free(line);
  return code;
}

/* all of them, in one format */
static tn_status print(const words *w, FILE *to, tn_error *e) {
  const bool json = tn_words_has(w, "--json"), csv = tn_words_has(w, "--csv");
  for (int i = 0; i < w->words; i++) {
    const char *name = w->word[i];
    if (json && w->words > 1) fputs(i ? "," : "[", to);
    if (!json && i) fputs("\n", to);
    const tn_status status = json  ? tn_report_stability_json(name, tn_to_file, to, e)
                             : csv ? tn_report_stability_csv(name, tn_to_file, to, e)
                                   : tn_report_stability_text(name, tn_to_file, to, e);
    if (status != TN_OK) return status;
  }
  if (json && w->words > 1) fputs("]\n", to);
  return TN_OK;
}

/* of several, nothing if one of them is not known */
static int print_all(const words *w) {
  tn_error e;
  char *text = NULL;
  size_t size = 0;
  if (w->words == 1) return print(w, stdout, &e) == TN_OK ? 0 : tn_say_error(&e);
  FILE *held = open_memstream(&text, &size);
  if (!held) return tn_say(RED, "out of memory"), 5;
  const tn_status status = print(w, held, &e);
  int code = status == TN_OK ? 0 : tn_say_error(&e);
  if (fclose(held) != 0 && !code) code = 5;
  if (!code) fwrite(text, 1, size, stdout);
  free(text);
  return code;
}

static int run(const words *w) {
  const bool json = tn_words_has(w, "--json"), csv = tn_words_has(w, "--csv");
  const char *path = tn_words_value(w, "--output");
  if (json && csv) return tn_say_usage(w, "either --json or", "--csv");
  if (csv && w->words > 1) return tn_say_usage(w, "--csv is of one integrator, not also of", w->word[1]);
  if (path && !tn_ends_in(path, ".html")) return tn_say_usage(w, "the name of a page ends in .html, not", path);
  if (path && !tn_pages(path)) return TN_E_USAGE;
  const int code = path ? tn_save_plan(path, NULL) : 0;
  if (code) return code;
  const int printed = print_all(w);
  if (printed) return printed;
  return path ? save(w, path) : 0;
}

const command tn_cli_stability = {
    .name = "stability",
    .takes = "INTEGRATOR ..",
    .doc =
        "Where the steps of an integrator do not let zdot = lambda z grow: limits on both axes, area and region; and "
        "which gains of a violation may be held over a step.",
    .completes = "integrator",
    .least = 1,
    .most = 16,
    .options = options,
    .run = run,
};
