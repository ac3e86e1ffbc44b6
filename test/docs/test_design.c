/* how the documents are written: pages of docs/design/ are short and can be found from the overview, and links between
 * documents lead to a file and to a heading that exist. The table of thresholds is as long as it has to be. */
#include "docs/documents.h"
#include "test.h"

#include <ctype.h>

enum { MOST_LINES = 150, MOST_COLUMNS = 120, MOST_OF_PARAGRAPH = 6 };

static bool is_design(const char *name) { return strncmp(name, "docs/design/", 12) == 0; }

/* a line of running text: no heading, table, code, comment or blank line */
static bool is_prose(const char *line) {
  return *line && !strchr("#|<", *line) && strncmp(line, "    ", 4) != 0 && strncmp(line, "```", 3) != 0;
}

static bool begins_item(const char *line) {
  while (*line == ' ') line++;
  if (strncmp(line, "- ", 2) == 0) return true;
  while (isdigit((unsigned char)*line)) line++;
  return strncmp(line, ". ", 2) == 0;
}

/* characters of UTF-8, not bytes */
static int columns(const char *line) {
  int n = 0;
  for (; *line; line++) n += (*line & 0xc0) != 0x80;
  return n;
}

TEST(pages_of_the_design_are_short) {
  char name[TN_MOST_DOCUMENTS][64];
  int seen = 0;
  for (int i = 0, n = tn_documents(name); i < n; i++) {
    if (!is_design(name[i])) continue;
    char *text = tn_read_source(name[i]);
    int lines = 0, paragraph = 0;
    bool code = false;
    seen++;
    for (char *at = text, *end; at && *at; at = end + 1) {
      end = at + strcspn(at, "\n");
      if (!*end) FAIL("%s does not end with a newline", name[i]);
      if (!*end) break;
      *end = '\0';
      lines += *at != '|' || strcmp(name[i], "docs/design/thresholds.md") != 0; /* a list, compared with the code */
      if (strncmp(at, "```", 3) == 0) code = !code;
      const bool prose = !code && is_prose(at);
      paragraph = !prose ? 0 : begins_item(at) ? 1 : paragraph + 1;
      if (prose && columns(at) > MOST_COLUMNS) FAIL("%s:%d: %d columns", name[i], lines, columns(at));
      if (paragraph == MOST_OF_PARAGRAPH + 1) FAIL("%s:%d: a paragraph of more than six lines", name[i], lines);
    }
    if (lines > MOST_LINES) FAIL("%s has %d lines, more than %d", name[i], lines, MOST_LINES);
    free(text);
  }
  CHECK(seen >= 20);
}

TEST(pages_of_the_design_are_linked_from_the_overview) {
  char name[TN_MOST_DOCUMENTS][64], link[80];
  char *overview = tn_read_source("docs/design/overview.md");
  CHECK(overview != NULL);
  for (int i = 0, n = tn_documents(name); overview && i < n; i++) {
    if (!is_design(name[i]) || strcmp(name[i], "docs/design/overview.md") == 0) continue;
    snprintf(link, sizeof link, "](%s)", name[i] + 12);
    if (!strstr(overview, link)) FAIL("docs/design/overview.md has no link %s", link);
  }
  free(overview);
}

/* the anchor of a heading: lower case, blanks to dashes, punctuation left out, of a link its text */
static void anchor_of(const char *heading, char *anchor, size_t size) {
  size_t used = 0;
  for (const char *c = heading; *c && used + 1 < size; c++) {
    if (c[0] == ']' && c[1] == '(') {
      c = strchr(c, ')') ? strchr(c, ')') : c + 1;
      continue;
    }
    if (isalnum((unsigned char)*c) || *c == '_' || *c == '-' || (*c & 0x80))
      anchor[used++] = (char)tolower((unsigned char)*c);
    else if (*c == ' ')
      anchor[used++] = '-';
  }
  anchor[used] = '\0';
}

static bool has_anchor(const char *text, const char *anchor) {
  bool code = false;
  for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    char line[512], own[512];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    if (strncmp(line, "```", 3) == 0) code = !code;
    if (code || *line != '#') continue;
    const char *heading = line + strspn(line, "#");
    anchor_of(heading + strspn(heading, " "), own, sizeof own);
    if (strcmp(own, anchor) == 0) return true;
  }
  return false;
}

/* `target` as seen from the folder of `document`, with `..` taken out */
static void resolve(const char *document, const char *target, char *path, size_t size) {
  const char *slash = strrchr(document, '/');
  snprintf(path, size, "%.*s%s", slash ? (int)(slash - document) + 1 : 0, document, target);
  for (char *up; (up = strstr(path, "/../"));) {
    char *before = up;
    while (before > path && before[-1] != '/') before--;
    memmove(before, up + 4, strlen(up + 4) + 1);
  }
}

static int check_links(const char *document, const char *text) {
  int n = 0;
  bool code = false;
  for (const char *at = text; *at; at++) {
    if ((at == text || at[-1] == '\n') && strncmp(at, "```", 3) == 0) code = !code;
    if (code || strncmp(at, "](", 2) != 0) continue;
    char target[512], path[1024], whole[1600];
    snprintf(target, sizeof target, "%.*s", (int)strcspn(at + 2, ")\n"), at + 2);
    if (strstr(target, "://") || strchr(target, ' ')) continue;
    char *hash = strchr(target, '#');
    if (hash) *hash = '\0';
    resolve(document, target, path, sizeof path);
    if (!*target) snprintf(path, sizeof path, "%.63s", document);
    n++;
    snprintf(whole, sizeof whole, "%s/%s", TN_SOURCE_DIR, path);
    FILE *there = fopen(whole, "r"); /* of a folder, too */
    if (!there) FAIL("%s: a link to %s, which is not there", document, path);
    if (there) fclose(there);
    if (!there || !hash) continue;
    char *other = tn_read_source(path);
    if (!other || !has_anchor(other, hash + 1)) FAIL("%s: %s has no heading for #%s", document, path, hash + 1);
    free(other);
  }
  return n;
}

TEST(links_between_documents_lead_somewhere) {
  char name[TN_MOST_DOCUMENTS][64];
  int links = 0;
  for (int i = 0, n = tn_documents(name); i < n; i++) {
    char *text = tn_read_source(name[i]);
    CHECK(text != NULL);
    if (text) links += check_links(name[i], text);
    free(text);
  }
  CHECK(links > 100);
}
