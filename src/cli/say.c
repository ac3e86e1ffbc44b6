/* messages: on stderr, in colour on a terminal only. */
#include "cli.h"

#include <stdarg.h>
#include <time.h>
#include <unistd.h>

bool tn_colored(FILE *to) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  if (no && *no) return false;
  return isatty(fileno(to)) && !(term && strcmp(term, "dumb") == 0);
}

static bool said; /* why it did not go well */

/* as on a terminal: words and paths may hold anything */
static void show_line(FILE *to, const char *format, va_list arguments) {
  char text[8192], shown[2 * sizeof text];
  vsnprintf(text, sizeof text, format, arguments);
  tn_show(shown, sizeof shown, text);
  fprintf(to, "%s\n", shown);
}

void tn_line(FILE *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  show_line(to, format, arguments);
  va_end(arguments);
}

void tn_say(color c, const char *format, ...) {
  said = said || c == RED;
  static const char *const codes[] = {"", "\x1b[1;31m", "\x1b[33m"};
  const bool colored = c != PLAIN && tn_colored(stderr);
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%stenon:%s ", colored ? codes[c] : "", colored ? "\x1b[0m" : "");
  show_line(stderr, format, arguments);
  va_end(arguments);
}

int tn_exit_code(tn_status status) { return status >= TN_E_INTERNAL ? 5 : (int)status; }

int tn_say_error(const tn_error *e) {
  char text[1600];
  tn_error_text(e, text, sizeof text);
  tn_say(RED, "%s", text);
  return tn_exit_code(e->status);
}

int tn_say_usage(const words *w, const char *message, const char *word) {
  if (word)
    tn_say(RED, "%s '%s'", message, word);
  else
    tn_say(RED, "%s", message);
  fprintf(stderr, "       see tenon%s%s --help\n", w ? " " : "", w ? w->command->name : "");
  return TN_E_USAGE;
}

int tn_end_stdout(int code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  if (!said) tn_say(RED, "cannot write to standard output");
  return code ? code : TN_E_IO;
}

bool tn_to_file(void *file, const char *text, size_t size) { return fwrite(text, 1, size, file) == size; }

bool tn_to_file_now(void *file, const char *text, size_t size) {
  return tn_to_file(file, text, size) && fflush(file) == 0;
}

double tn_wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
