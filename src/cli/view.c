/* tenon view RESULT: the page of a result file. */
#include "cli.h"

#include <unistd.h>

static const option options[] = {
    {"--output", "-o", "FILE", "the page; RESULT with .html for its suffix if left out", "file", false},
    {"--open", NULL, NULL, "show it in a browser (xdg-open)", NULL, false},
    {"--recover", NULL, NULL, "as of export: show what is good of a result that is damaged or has no end", NULL, false},
    {"--replace", NULL, NULL, "with --recover: replace a page that is there, though rows are missing", NULL, false},
    {"--no-clobber", NULL, NULL, "never replace a file that is there", NULL, false},
    {"--quiet", "-q", NULL, "say nothing", NULL, false},
    {.flag = NULL}};

/* the browser goes on by itself; this program becomes what starts it */
static int show(const char *path) {
  fflush(stdout);
  /* a name that begins with a dash would be an option */
  char name[4096 + 2];
  snprintf(name, sizeof name, "%s%s", *path == '-' ? "./" : "", path);
  execlp("xdg-open", "xdg-open", name, (char *)NULL);
  tn_say(RED, "there is no xdg-open to show it with: open '%s' in a browser", path);
  return TN_E_IO;
}

static int run(const words *w) {
  const char *result = w->word[0], *output = tn_words_value(w, "--output");
  tn_result *r;
  bool incomplete;
  char path[4096];
  const size_t stem = strlen(result) - (tn_ends_in(result, ".tnr") ? 4 : 0);
  if (output && !tn_ends_in(output, ".html")) return tn_say_usage(w, "the name of a page ends in .html, not", output);
  if (!output && (size_t)snprintf(path, sizeof path, "%.*s.html", (int)stem, result) >= sizeof path)
    return tn_say_usage(w, "the name is too long; name the page by", "-o");
  if (!output) output = path;
  int code = tn_open_result(w, &r, &incomplete);
  if (!code) code = tn_export_opened(w, r, incomplete, output, NULL, tn_words_has(w, "--quiet") ? NULL : stdout);
  tn_result_close(r);
  return code || !tn_words_has(w, "--open") ? code : show(output);
}

const command tn_cli_view = {
    .name = "view",
    .takes = "RESULT",
    .doc = "Write the page of a result file (.tnr): one HTML file that needs nothing else, with the "
           "mechanism in motion, plots of everything, how good it is and how to repeat it.",
    .completes = "file",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
