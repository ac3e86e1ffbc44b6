/* a result that is to be shown or exported: whole, or with --recover what is good of it, and then it is reported what is not. */
#include <inttypes.h>

#include "cli.h"

/* what is missing; false: nothing */
static bool say_missing(const tn_result *r, const char *path) {
  char text[200];
  int n = 0;
  while (tn_result_missing(r, n, text, sizeof text)) {
    tn_say(YELLOW, "'%s': %s", path, text);
    n++;
  }
  if (!n) tn_say(YELLOW, "'%s': all rows and the summary are there", path);
  return n > 0;
}

int tn_open_result(const words *w, tn_result **r, bool *incomplete) {
  const char *path = w->word[0];
  tn_result_fault fault;
  tn_error e;
  *incomplete = false;
  if (tn_result_open(NULL, path, r, &e) != TN_OK) return tn_say_error(&e);
  if (tn_result_check(*r, &fault, &e) == TN_OK) return 0;
  if (!tn_words_has(w, "--recover")) {
    const int code = tn_say_error(&e);
    if (fault != TN_FAULT_HEAD) tn_say(PLAIN, "%" PRId64 " rows before that are good", tn_result_rows(*r));
    tn_say(PLAIN, "tenon %s --recover takes all good rows", w->command->name);
    return code;
  }
  char text[1600];
  tn_error_text(&e, text, sizeof text);
  tn_say(YELLOW, "%s", text);
  if (tn_result_recover(*r, &e) != TN_OK) return tn_say_error(&e);
  *incomplete = say_missing(*r, path);
  return 0;
}

int tn_export_opened(const words *w, tn_result *r, bool incomplete, const char *path, const tn_poses *poses,
                     FILE *say) {
  const bool keep = incomplete && !tn_words_has(w, "--replace");
  const int code = tn_export(r, w->word[0], path, poses, keep || tn_words_has(w, "--no-clobber"), say);
  if (keep && code == TN_E_IO)
    tn_say(PLAIN, "a file that is there may have more rows than '%s': name another, or add --replace", w->word[0]);
  return code;
}
