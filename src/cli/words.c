/* tables of options: parsing and help. */
#include "cli.h"

const option tn_cli_general[] = {{"--help", "-h", NULL, "this text", NULL, false}, {.flag = NULL}};

const char *const tn_cli_exit_codes[] = {
    "0    done",
    "1    the command line makes no sense",
    "2    the model is refused",
    "3    the run stopped before its end; of a sweep, some did",
    "4    cannot read or write; a result is damaged or has no end",
    "5    out of memory, or a mistake in tenon itself",
    "6    a study whose verdicts are not as it expects",
    "8    the run reached its end; its verdict is doubtful (0 with --accept-doubt) or wrong",
    "130  interrupted by Ctrl-C (129: by SIGHUP, 143: by SIGTERM)",
    NULL};

/* ---- parsing ----------------------------------------------------------------------------------------------------------- */

static const option *find(const option *table, const char *word, size_t n) {
  for (const option *o = table; o && o->flag; o++)
    if ((strlen(o->flag) == n && strncmp(o->flag, word, n) == 0) || (o->also && strcmp(o->also, word) == 0)) return o;
  return NULL;
}

static const option *option_named(const command *c, const char *word) {
  const size_t n = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") : strlen(word);
  const option *o = find(c->options, word, n);
  if (!o) o = find(c->shared, word, n);
  return o ? o : find(tn_cli_general, word, n);
}

static int unknown_option(const words *w, const char *word) {
  const char *known[64];
  int n = 0;
  const option *const tables[] = {w->command->options, w->command->shared, tn_cli_general};
  for (int t = 0; t < 3; t++)
    for (const option *o = tables[t]; o && o->flag && n < 64; o++) known[n++] = o->flag;
  const char *near = tn_nearest(word, n, known);
  tn_say(RED, near ? "unknown option '%s': did you mean '%s'?" : "unknown option '%s'", word, near);
  fprintf(stderr, "       see tenon %s --help\n", w->command->name);
  return TN_E_USAGE;
}

int tn_words_parse(const command *c, int argc, char **argv, words *w) {
  bool only_words = false;
  *w = (words){.command = c};
  w->word = calloc((size_t)argc + 1, sizeof *w->word);
  w->option = calloc((size_t)argc + 1, sizeof *w->option);
  if (!w->word || !w->option) {
    tn_say(RED, "out of memory");
    return 5;
  }
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i];
    if (only_words || word[0] != '-' || !word[1]) {
      w->word[w->words++] = word;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      only_words = true;
      continue;
    }
    const option *o = option_named(c, word);
    if (!o) return unknown_option(w, word);
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    given *g = &w->option[w->options++];
    g->option = o;
    if (!o->value) {
      if (equals) return tn_say_usage(w, "no value is taken by", o->flag);
      continue;
    }
    if (equals)
      g->value = equals + 1;
    else if (i + 1 < argc)
      g->value = argv[++i];
    else
      return tn_say_usage(w, "a value is missing after", word);
    for (int k = 0; k < w->options - 1 && !o->repeats; k++)
      if (w->option[k].option == o) return tn_say_usage(w, "given twice:", o->flag);
  }
  if (tn_words_has(w, "--help")) return 0;
  if (w->words > c->most)
    return tn_say_usage(w, c->most == 0 ? "no words are taken, not" : "that is one word too many:", w->word[c->most]);
  if (w->words >= c->least) return 0;
  char message[80];
  snprintf(message, sizeof message, "%s needs %s", c->name, c->takes);
  return tn_say_usage(w, message, NULL);
}

void tn_words_free(words *w) {
  free(w->word);
  free(w->option);
}

const char *tn_words_value(const words *w, const char *flag) {
  const char *value = NULL;
  for (int i = 0; i < w->options; i++)
    if (strcmp(w->option[i].option->flag, flag) == 0) value = w->option[i].value;
  return value;
}

bool tn_words_has(const words *w, const char *flag) {
  for (int i = 0; i < w->options; i++)
    if (w->option[i].option && strcmp(w->option[i].option->flag, flag) == 0) return true;
  return false;
}

/* ---- the same again --------------------------------------------------------------------------------------------------- */

/* counts where `to` is NULL */
static size_t quoted(char *to, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  const bool bare = *word && strspn(word, plain) == strlen(word);
  size_t n = 0;
  const char *piece[3] = {bare ? " " : " '", NULL, bare ? "" : "'"};
  for (int i = 0; i < 3; i++)
    for (const char *c = i == 1 ? word : piece[i]; *c; c++) {
      const char *as = i == 1 && *c == '\'' ? "'\\''" : NULL;
      const size_t size = as ? strlen(as) : 1;
      if (to) memcpy(to + n, as ? as : c, size);
      n += size;
    }
  if (to) to[n] = 0;
  return n;
}

char *tn_quoted(const char *word) {
  char *text = malloc(quoted(NULL, word) + 1);
  if (text) quoted(text, word);
  return text;
}

/* a file by its name alone if it is given from the root: the line is shown to others */
static const char *as_shown(const char *word) {
  const char *slash = *word == '/' ? strrchr(word, '/') : NULL;
  return slash ? slash + 1 : word;
}

char *tn_words_again(const words *w, const char *start, bool (*keep)(const words *w, const option *o)) {
  char *line = NULL;
  for (int pass = 0; pass < 2; pass++) { /* measured, then written */
    size_t n = strlen(start);
    if (pass) memcpy(line, start, n + 1);
    for (int i = 0; i < w->words; i++) n += quoted(line ? line + n : NULL, as_shown(w->word[i]));
    for (int i = 0; i < w->options; i++) {
      const given *g = &w->option[i];
      if (!keep(w, g->option)) continue;
      n += quoted(line ? line + n : NULL, g->option->flag);
      const bool file = g->option->value && strcmp(g->option->value, "FILE") == 0;
      if (g->value) n += quoted(line ? line + n : NULL, file ? as_shown(g->value) : g->value);
    }
    if (!pass && !(line = malloc(n + 1))) return tn_say(RED, "out of memory"), NULL;
  }
  return line;
}

/* ---- help ---------------------------------------------------------------------------------------------------------------- */

enum { LINE = 100, COLUMN = 27 };

/* words from a column on, broken at blanks; a line end in the text stays one */
static void wrap(FILE *to, const char *text, int column, int indent) {
  while (*text) {
    size_t n = strcspn(text, "\n"), most = (size_t)(LINE - column);
    if (n > most) {
      n = most;
      while (n > 0 && text[n] != ' ') n--;
      if (n == 0) n = strcspn(text, " \n");
    }
    fprintf(to, "%.*s\n", (int)n, text);
    text += n;
    if (*text) text++;
    column = indent;
    if (*text) fprintf(to, "%*s", indent, "");
  }
}

static void help_options(FILE *to, const char *title, const option *table) {
  if (!table || !table->flag) return;
  fprintf(to, "\n%s:\n", title);
  for (const option *o = table; o->flag; o++) {
    char flags[64];
    int n = snprintf(flags, sizeof flags, "  %s%s%s%s%s", o->also ? o->also : "", o->also ? ", " : "", o->flag,
                     o->value ? " " : "", o->value ? o->value : "");
    if (n < COLUMN - 1)
      fprintf(to, "%-*s", COLUMN, flags);
    else
      fprintf(to, "%s\n%*s", flags, COLUMN, "");
    wrap(to, o->doc, COLUMN, COLUMN);
  }
}

void tn_help(FILE *to, const command *c) {
  fprintf(to, "tenon %s%s%s%s\n\n", c->name, *c->takes ? " " : "", c->takes,
          c->options || c->shared ? " [options]" : "");
  wrap(to, c->doc, 0, 0);
  if (c->more) {
    fputc('\n', to);
    wrap(to, c->more, 0, 0);
  }
  help_options(to, "options", c->options);
  help_options(to, "instead of what the model says", c->shared);
  help_options(to, "general", tn_cli_general);
}

void tn_help_all(FILE *to) {
  fprintf(to, "tenon %s: dynamics of constrained multibody systems\n\n", TN_VERSION);
  for (const command *const *c = tn_cli_commands; *c; c++) {
    char line[80];
    snprintf(line, sizeof line, "  tenon %s %s", (*c)->name, (*c)->takes);
    fprintf(to, "%-*s", COLUMN + 4, line);
    wrap(to, (*c)->doc, COLUMN + 4, COLUMN + 4);
  }
  fprintf(to, "\n  tenon COMMAND --help      what a command takes\n"
              "  tenon --version           version, and what was built in\n"
              "  tenon --manual            the manual page, as man reads it\n\nexit codes:\n");
  for (const char *const *s = tn_cli_exit_codes; *s; s++) fprintf(to, "  %s\n", *s);
}
