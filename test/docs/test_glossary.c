/* the documents do not go stale: words of the glossary are in use, and files that the documents name are there. */
#include "docs/documents.h"
#include "test.h"

#include <ctype.h>

typedef struct term {
  char text[64];
  bool seen;
} term;

enum { MOST_TERMS = 256 };

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-'; }

static bool same_letters(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i])) return false;
  return true;
}

/* `text` has the words of a term, whatever their case, and not inside longer words */
static bool uses(const char *text, const char *words) {
  const size_t n = strlen(words);
  char first[3] = {(char)tolower((unsigned char)*words), (char)toupper((unsigned char)*words), '\0'};
  for (const char *at = text; *(at += strcspn(at, first)); at++)
    if (strlen(at) >= n && same_letters(at, words, n) && !is_word(at[n]) && (at == text || !is_word(at[-1])))
      return true;
  return false;
}

/* `use` is called with each file in the folders of a folder, and in itself: its path from the root and its text */
static void each_source(const char *folder, void (*use)(const char *name, const char *text, void *user), void *user) {
  char path[1200], name[300];
  snprintf(path, sizeof path, "%s/%.200s", TN_SOURCE_DIR, folder);
  DIR *open = opendir(path);
  for (struct dirent *d; open && (d = readdir(open));) {
    if (d->d_name[0] == '.' || strcmp(d->d_name, "glossary.md") == 0) continue;
    snprintf(name, sizeof name, "%.150s/%.100s", folder, d->d_name);
    if (!strchr(d->d_name, '.')) {
      each_source(name, use, user);
      continue;
    }
    char *text = tn_read_source(name);
    if (text) use(name, text, user);
    free(text);
  }
  if (open) closedir(open);
}

static void look_for_terms(const char *name, const char *text, void *user) {
  (void)name;
  for (term *t = user; *t->text; t++) t->seen = t->seen || uses(text, t->text);
}

TEST(words_of_the_glossary_are_in_use) {
  static term terms[MOST_TERMS + 1];
  int n = 0, rows = 0;
  char *text = tn_read_source("docs/glossary.md");
  CHECK(text != NULL);
  for (const char *at = text; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
    if (strncmp(at, "| `", 3) != 0) continue;
    rows++;
    const char *end = strstr(at + 2, " |"); /* of the first cell: `a`, `b` (of what) */
    for (const char *c = at + 2; end && (c = strchr(c, '`')) && c < end;) {
      const char *close = strchr(c + 1, '`');
      CHECK(close && close < end && n < MOST_TERMS);
      if (!close || close >= end || n == MOST_TERMS) break;
      snprintf(terms[n++].text, sizeof terms[0].text, "%.*s", (int)(close - c) - 1, c + 1);
      c = close + 1;
    }
  }
  free(text);
  CHECK(rows >= 50 && n >= rows);
  each_source("src", look_for_terms, terms);
  each_source("include", look_for_terms, terms);
  each_source("docs", look_for_terms, terms);
  for (int i = 0; i < n; i++)
    if (!terms[i].seen) FAIL("docs/glossary.md: `%s` is in no source and in no other document", terms[i].text);
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

static bool is_there(const char *folder, const char *name) {
  char path[1200];
  snprintf(path, sizeof path, "%s/%.100s%.200s", TN_SOURCE_DIR, folder, name);
  FILE *file = fopen(path, "r");
  if (file) fclose(file);
  return file != NULL;
}

/* in a folder of src, fuzz, test or the viewer, as a name without a folder is meant */
static bool is_somewhere(const char *name) {
  static const char *const roots[] = {"src", "fuzz", "test", "viewer", "include", "bench"};
  char folder[200], path[1200];
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
    snprintf(folder, sizeof folder, "%s/", roots[i]);
    if (is_there(folder, name)) return true;
    snprintf(path, sizeof path, "%s/%s", TN_SOURCE_DIR, roots[i]);
    DIR *open = opendir(path);
    bool found = false;
    for (struct dirent *d; open && !found && (d = readdir(open));) {
      snprintf(folder, sizeof folder, "%s/%.100s/", roots[i], d->d_name);
      found = d->d_name[0] != '.' && is_there(folder, name);
    }
    if (open) closedir(open);
    if (found) return true;
  }
  return false;
}

static bool is_file_name(const char *name, size_t n) {
  static const char *const ends[] = {".c", ".h", ".py", ".sh", ".cmake", ".ts"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (n > strlen(ends[i]) && strncmp(name + n - strlen(ends[i]), ends[i], strlen(ends[i])) == 0) return true;
  return false;
}

/* names between backticks that end as sources do */
static int check_names(const char *document, const char *text) {
  int n = 0;
  bool code = false;
  for (const char *at = text; *at; at++) {
    if ((at == text || at[-1] == '\n') && strncmp(at, "```", 3) == 0) code = !code, at += 2;
    if (code || *at != '`') continue;
    const char *name = at + 1;
    const size_t length = strcspn(name, "`\n");
    at = name + length;
    if (*at != '`' || !is_file_name(name, length) || memchr(name, ' ', length) || memchr(name, '*', length)) continue;
    char copy[200];
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    n++;
    const bool found = strchr(copy, '/') ? is_there("", copy) || is_there("src/", copy) || is_there("include/", copy)
                                         : is_somewhere(copy);
    if (!found) FAIL("%s names `%s`, which is not there", document, copy);
  }
  return n;
}

TEST(files_that_documents_name_are_there) {
  char name[TN_MOST_DOCUMENTS][64];
  int seen = 0;
  for (int i = 0, n = tn_documents(name); i < n; i++) {
    if (strncmp(name[i], "docs/design/", 12) != 0 && strcmp(name[i], "docs/glossary.md") != 0 &&
        strcmp(name[i], "docs/theory.md") != 0 && strcmp(name[i], "CONTRIBUTING.md") != 0)
      continue;
    char *text = tn_read_source(name[i]);
    if (text) seen += check_names(name[i], text);
    free(text);
  }
  CHECK(seen > 100);
}
