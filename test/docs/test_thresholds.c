/* numbers that decide something have names, and docs/design/thresholds.md has a line with a unit and a reason for each of them.
 *   - a threshold of the code is `static const double NAME = value;`, or a #define of a number that is not whole
 *   - each has a line of the table with its file and its value, and each line of the table has its threshold
 *   - a name stands for one number: no two files declare the same one
 *   - a number as small as 1e-3 that has no name is not there, but for those that decide nothing (`exempt`) */
#include "test.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>

enum { MOST = 1024, LINE = 2048 };

typedef struct threshold {
  char name[48], file[64], value[64];
  bool seen;
} threshold;

static threshold code[MOST], table[MOST];
static int in_code, in_table;

/* what has a small number and decides nothing: a text of its line, in files of this beginning, and why */
static const struct {
  const char *file, *text, *why;
} exempt[] = {
    {"", "tv_nsec", "nanoseconds are counted in seconds"},
    {"", ".dflt = ", "defaults of fields, which docs/reference.md lists"},
    {"", ".lo = ", "ranges of fields, which docs/reference.md lists"},
    {"base/expr.c", "\"mm\"", "units of expressions, which docs/expressions.md lists"},
    {"base/trig.c", "", "coefficients of polynomials"},
};

/* constants of mathematics and of formulas, no thresholds */
static const struct {
  const char *file, *name;
} constants[] = {{"base/trig.c", "TWO_OVER_PI"},  {"base/trig.c", "P1"},          {"base/trig.c", "P2"},
                 {"base/trig.c", "P3"},           {"base/trig.c", "ROUND"},       {"base/space.c", "TURN"},
                 {"base/expr.c", "PI"},           {"draw/maker.h", "TN_PI"},      {"draw/gears.c", "A0"},
                 {"report/glb.c", "PI"},          {"study/difference.c", "TURN"}, {"integrate/radau5.c", "ROOT6"},
                 {"integrate/trbdf2.c", "GAMMA"}, {"integrate/trbdf2.c", "D"},    {"integrate/trbdf2.c", "W"}};

/* folders whose thresholds have no names and lines yet */
static const char *const later[] = {"formulate/", "simulate/"};
static const char *const now[] = {"simulate/guards", "simulate/judge_guards"}; /* files of these that have */

static bool is_later(const char *file) {
  for (size_t i = 0; i < sizeof now / sizeof *now; i++)
    if (strncmp(file, now[i], strlen(now[i])) == 0) return false;
  for (size_t i = 0; i < sizeof later / sizeof *later; i++)
    if (strncmp(file, later[i], strlen(later[i])) == 0) return true;
  return false;
}

static bool is_constant(const char *file, const char *name) {
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (strcmp(file, constants[i].file) == 0 && strcmp(name, constants[i].name) == 0) return true;
  return false;
}

/* ---- the code --------------------------------------------------------------------------------------------------------------- */

/* comments, texts and characters become spaces, lines stay */
static void blank(char *s) {
  while (*s) {
    const char *end = NULL;
    if (strncmp(s, "/*", 2) == 0) {
      end = strstr(s + 2, "*/");
      end = end ? end + 2 : s + strlen(s);
    } else if (strncmp(s, "//", 2) == 0) {
      end = s + strcspn(s, "\n");
    } else if (*s == '"' || *s == '\'') {
      end = s + 1;
      while (*end && *end != *s) end += *end == '\\' && end[1] ? 2 : 1;
      if (*end) end++;
    }
    if (!end) s++;
    for (; end && s < end; s++)
      if (*s != '\n') *s = ' ';
  }
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* the length of a word of capitals at s, 0: none */
static size_t capitals(const char *s) {
  size_t n = 0;
  if (!isupper((unsigned char)*s)) return 0;
  while (isupper((unsigned char)s[n]) || isdigit((unsigned char)s[n]) || s[n] == '_') n++;
  return is_word(s[n]) ? 0 : n;
}

/* n bytes without spaces at their ends, and one for several */
static void squeeze(char *to, size_t size, const char *from, size_t n) {
  size_t used = 0;
  for (size_t i = 0; i < n && used + 1 < size; i++) {
    if (!isspace((unsigned char)from[i]))
      to[used++] = from[i];
    else if (used && to[used - 1] != ' ')
      to[used++] = ' ';
  }
  while (used && to[used - 1] == ' ') used--;
  to[used] = 0;
}

static void declare(const char *file, const char *name, size_t n, const char *value, size_t length) {
  char word[48];
  squeeze(word, sizeof word, name, n);
  if (is_constant(file, word) || is_later(file)) return;
  CHECK(in_code < MOST);
  if (in_code == MOST) return;
  threshold *t = &code[in_code++];
  *t = (threshold){.seen = false};
  snprintf(t->name, sizeof t->name, "%s", word);
  snprintf(t->file, sizeof t->file, "%s", file);
  squeeze(t->value, sizeof t->value, value, length);
}

/* the end of an initializer: at a comma or semicolon outside of brackets */
static char *end_of_value(char *s) {
  int deep = 0;
  for (; *s && (deep || (*s != ',' && *s != ';')); s++) deep += strchr("([{", *s) ? 1 : strchr(")]}", *s) ? -1 : 0;
  return s;
}

/* `static const double NAME = value, ..;` at s: declared, and their values blanked. arrays are tables of coefficients */
static void constants_at(const char *file, char *s) {
  for (;;) {
    while (isspace((unsigned char)*s)) s++;
    char *name = s;
    const size_t n = capitals(name);
    char *end = end_of_value(s), *value = memchr(s, '=', (size_t)(end - s));
    if (n && value && memchr(s, '[', (size_t)(value - s)) == NULL)
      declare(file, name, n, value + 1, (size_t)(end - value - 1));
    for (; (n || (value && memchr(s, '[', (size_t)(value - s)))) && value && value < end; value++)
      if (*value != '\n') *value = ' ';
    if (*end != ',') return;
    s = end + 1;
  }
}

/* a number that is not whole */
static bool is_fraction(const char *s, size_t n) {
  if (!isdigit((unsigned char)*s) && *s != '(') return false;
  for (size_t i = 0; i < n; i++)
    if (s[i] == '.' || (i + 1 < n && (s[i] == 'e' || s[i] == 'p') && s[i + 1] == '-')) return true;
  return false;
}

static void defined_at(const char *file, char *s) {
  char *name = s + strlen("#define "), *end = s + strcspn(s, "\n");
  const size_t n = capitals(name);
  char *value = name + n;
  while (*value == ' ') value++;
  if (!n || name[n] != ' ' || !is_fraction(value, (size_t)(end - value))) return;
  declare(file, name, n, value, (size_t)(end - value));
  memset(value, ' ', (size_t)(end - value));
}

/* the length of a number at s with a negative exponent, 0: none */
static size_t small_number(const char *s) {
  if (!isdigit((unsigned char)*s) && !(*s == '.' && isdigit((unsigned char)s[1]))) return 0;
  const bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
  size_t n = hex ? 2 : 0;
  while (hex ? isxdigit((unsigned char)s[n]) || s[n] == '.' : isdigit((unsigned char)s[n]) || s[n] == '.') n++;
  const char e = (char)tolower((unsigned char)s[n]);
  return e == (hex ? 'p' : 'e') && s[n + 1] == '-' ? n + 2 : 0;
}

static bool is_exempt(const char *file, const char *line) {
  for (size_t i = 0; i < sizeof exempt / sizeof *exempt; i++)
    if (strncmp(file, exempt[i].file, strlen(exempt[i].file)) == 0 && strstr(line, exempt[i].text)) return true;
  return is_later(file);
}

/* numbers that are left where those with a name are blanked; `whole` is the text as it is written */
static void look_for_numbers(const char *file, const char *text, const char *whole) {
  int line = 1;
  for (const char *s = text; *s; s++) {
    line += *s == '\n';
    if ((s > text && (is_word(s[-1]) || s[-1] == '.')) || !small_number(s)) continue;
    const char *from = whole + (s - text), *to = from;
    while (from > whole && from[-1] != '\n') from--;
    to += strcspn(to, "\n");
    char written[512];
    squeeze(written, sizeof written, from, (size_t)(to - from));
    if (!is_exempt(file, written))
      FAIL("src/%s:%d: a number that decides something needs a name and a line in docs/design/thresholds.md: %s", file,
           line, written);
  }
}

static void read_source(const char *file) {
  static char text[1 << 18], whole[1 << 18];
  char path[5200];
  snprintf(path, sizeof path, "%s/src/%s", TN_SOURCE_DIR, file);
  FILE *f = fopen(path, "r");
  CHECK(f != NULL);
  if (!f) return;
  const size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  CHECK(n < sizeof text - 1);
  text[n] = 0;
  memcpy(whole, text, n + 1);
  blank(text);
  for (char *s = text; (s = strstr(s, "static const double ")); s++)
    constants_at(file, s + strlen("static const double "));
  for (char *s = text; (s = strstr(s, "#define ")); s++) defined_at(file, s);
  look_for_numbers(file, text, whole);
  if (strstr(text, "DBL_EPSILON")) FAIL("src/%s: machine epsilon is TN_EPS", file);
}

static void read_folder(const char *folder) {
  char path[5200], file[320];
  snprintf(path, sizeof path, "%s/src/%s", TN_SOURCE_DIR, folder);
  DIR *d = opendir(path);
  CHECK(d != NULL);
  for (struct dirent *e; d && (e = readdir(d));) {
    const size_t n = strlen(e->d_name);
    if (e->d_name[0] == '.') continue;
    snprintf(file, sizeof file, "%s%s%s", folder, *folder ? "/" : "", e->d_name);
    if (n > 2 && e->d_name[n - 2] == '.' && strchr("ch", e->d_name[n - 1]))
      read_source(file);
    else if (!strchr(e->d_name, '.'))
      read_folder(file);
  }
  if (d) closedir(d);
}

/* ---- the table -------------------------------------------------------------------------------------------------------------- */

/* | `NAME` | file | `value` | unit | what it decides | why | */
static void read_line(const char *line) {
  enum { CELLS = 6 };
  static const char *const of[CELLS] = {"name", "file", "value", "unit", "what it decides", "why"};
  char cell[CELLS][512] = {""};
  const char *s = line + 1;
  for (int i = 0; i < CELLS; i++) {
    const size_t n = strcspn(s, "|\n");
    squeeze(cell[i], sizeof cell[i], s, n);
    if (!*cell[i]) FAIL("docs/design/thresholds.md: %s is missing: %s", of[i], line);
    s += n + (s[n] == '|');
  }
  CHECK(in_table < MOST);
  if (in_table == MOST) return;
  threshold *t = &table[in_table++];
  *t = (threshold){.seen = false};
  sscanf(cell[0], "`%47[^`]`", t->name);
  snprintf(t->file, sizeof t->file, "%.63s", cell[1]);
  sscanf(cell[2], "`%63[^`]`", t->value);
}

static void read_table(void) {
  char path[5200], line[LINE];
  snprintf(path, sizeof path, "%s/docs/design/thresholds.md", TN_SOURCE_DIR);
  FILE *f = fopen(path, "r");
  CHECK(f != NULL);
  while (f && fgets(line, sizeof line, f))
    if (strncmp(line, "| `", 3) == 0) read_line(line);
  if (f) fclose(f);
}

/* ---- together --------------------------------------------------------------------------------------------------------------- */

static threshold *find(threshold *list, int n, const threshold *t) {
  for (int i = 0; i < n; i++)
    if (strcmp(list[i].name, t->name) == 0 && strcmp(list[i].file, t->file) == 0) return &list[i];
  return NULL;
}

TEST(every_threshold_of_the_code_is_in_the_table_and_nothing_else) {
  in_code = in_table = 0;
  read_folder("");
  read_source("../include/tenon/dense.h"); /* which parts see, too */
  read_table();
  CHECK(in_code > 60);
  for (int i = 0; i < in_code; i++) {
    threshold *t = find(table, in_table, &code[i]);
    if (!t) {
      FAIL("docs/design/thresholds.md lacks a line: | `%s` | %s | `%s` | unit | what it decides | why |", code[i].name,
           code[i].file, code[i].value);
      continue;
    }
    if (t->seen) FAIL("src/%s declares %s twice", code[i].file, code[i].name);
    t->seen = true;
    if (strcmp(t->value, code[i].value) != 0)
      FAIL("%s is `%s` in src/%s and `%s` in docs/design/thresholds.md", code[i].name, code[i].value, code[i].file,
           t->value);
  }
  for (int i = 0; i < in_table; i++)
    if (!table[i].seen) FAIL("docs/design/thresholds.md: there is no %s in src/%s", table[i].name, table[i].file);
}

TEST(a_name_stands_for_one_number) {
  in_code = 0;
  read_folder("");
  read_source("../include/tenon/dense.h"); /* which parts see, too */
  for (int i = 0; i < in_code; i++)
    for (int k = 0; k < i; k++)
      if (strcmp(code[i].name, code[k].name) == 0)
        FAIL("%s is declared in src/%s and in src/%s: one idea has one declaration, two ideas have two names",
             code[i].name, code[k].file, code[i].file);
}
