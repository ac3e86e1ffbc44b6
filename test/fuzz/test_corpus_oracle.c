/* the corpus of the reader and of the models against Jansson: both accept a text, with the same values, or both refuse
 * it. the differences that are meant are these and no others; each is counted here without the reader's help:
 *   comments     `//` to the end of the line is ours: blanks for Jansson
 *   the comment  has to be UTF-8, though nobody reads it: ours refuses a text that no editor shows as it is
 *   the root     is an object in a model: Jansson takes lists too
 *   the depth    is at most 64: it bounds the recursion; Jansson stops at 2048
 *   a number     has at most 1000 characters: Jansson takes any
 *   a zero byte  is no JSON anywhere: Jansson loses one that it has looked at and put back, behind a number or word */
#include "read/read.h"

#include <jansson.h>

#include "corpus.h"

enum { FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL };

/* what stands in a text beside JSON itself */
typedef struct survey {
  bool bad_comment; /* not UTF-8            */
  int deepest;      /* brackets open at once */
  size_t longest;   /* number               */
  int comments;
  bool zero; /* byte, not in a comment */
} survey;

static bool is_text(const char *text, size_t n) {
  json_t *string = json_stringn(text, n); /* NULL unless UTF-8 */
  json_decref(string);
  return string != NULL;
}

/* comments to blanks; strings are stepped over */
static survey surveyed(char *text, size_t size) {
  survey s = {0};
  int depth = 0;
  size_t number = 0;
  bool inside = false;
  for (size_t i = 0; i < size; i++) {
    char c = text[i];
    s.zero = s.zero || !c;
    if (inside) {
      if (c == '\\')
        i++;
      else if (c == '"')
        inside = false;
      continue;
    }
    if (c == '/' && i + 1 < size && text[i + 1] == '/') {
      size_t n = 0;
      while (i + n < size && text[i + n] != '\n') n++;
      s.bad_comment = s.bad_comment || !is_text(text + i, n);
      s.comments++;
      memset(text + i, ' ', n);
      c = ' ';
    }
    number = c && strchr("0123456789+-.eE", c) ? number + 1 : 0;
    if (number > s.longest) s.longest = number;
    if (c == '"') inside = true;
    if (c == '{' || c == '[') depth++;
    if (c == '}' || c == ']') depth--;
    if (depth > s.deepest) s.deepest = depth;
  }
  return s;
}

typedef struct page {
  char *text;
  size_t used;
} page;

static bool page_write(void *user, const char *text, size_t size) {
  page *p = user;
  p->text = realloc(p->text, p->used + size);
  if (!p->text) abort();
  memcpy(p->text + p->used, text, size);
  p->used += size;
  return true;
}

/* what was read, printed and read by Jansson */
static json_t *through_us(const tn_desc *desc) {
  page p = {0};
  if (tn_desc_print(desc, page_write, &p, NULL)) abort();
  json_t *value = json_loadb(p.text, p.used, FLAGS, NULL);
  free(p.text);
  return value;
}

static struct { int accepted, refused, comments, bad_comments, roots, deep, long_numbers, zeros; } seen;

static void compare(const char *name, const uint8_t *data, size_t size) {
  tn_desc *desc;
  tn_error e;
  if (tn_desc_new(NULL, &desc, NULL)) abort();
  bool ours = tn_desc_parse(desc, name, (const char *)data, size, &e) == TN_OK;

  char *text = malloc(size ? size : 1);
  if (!text) abort();
  memcpy(text, data, size);
  survey s = surveyed(text, size);
  json_error_t je;
  json_t *theirs = json_loadb(text, size, FLAGS, &je);
  free(text);
  seen.comments += s.comments > 0 && ours;

  if (ours) {
    json_t *same = through_us(desc);
    if (!theirs) FAIL("%s: Jansson refuses it: %s", name, je.text);
    if (!same) FAIL("%s: Jansson refuses what we print", name);
    if (theirs && same && !json_equal(theirs, same)) FAIL("%s: other values", name);
    if (s.bad_comment || s.deepest > TN_DEPTH || s.longest > 1000 || s.zero) FAIL("%s: a limit that is none", name);
    json_decref(same);
    seen.accepted++;
  } else if (!theirs) {
    seen.refused++;
  } else if (s.bad_comment) {
    seen.bad_comments++;
  } else if (!json_is_object(theirs)) {
    seen.roots++;
  } else if (s.deepest > TN_DEPTH) {
    seen.deep++;
  } else if (s.longest > 1000) {
    seen.long_numbers++;
  } else if (s.zero) {
    seen.zeros++;
  } else {
    FAIL("%s: Jansson accepts it; ours: %s", name, e.message);
  }
  json_decref(theirs);
  tn_desc_free(desc);
}

TEST(json_is_accepted_and_refused_as_by_jansson) {
  corpus_each("json", compare);
  CHECK(seen.accepted >= 20 && seen.refused >= 20);
  /* no difference is listed that does not occur */
  CHECK(seen.comments > 0 && seen.bad_comments > 0);
  CHECK(seen.roots > 0 && seen.deep > 0 && seen.long_numbers > 0 && seen.zeros > 0);
}

TEST(models_are_read_as_by_jansson) {
  corpus_each("model", compare);
  CHECK(seen.accepted >= 20);
}
