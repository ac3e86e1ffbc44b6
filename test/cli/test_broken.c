/* broken models through the command line and the library: refused with exit code 2, at the place that is wrong and in
 * words that hold what one looks for; no crash, no hang.
 *   files    test/broken/<name>.json, one mistake each; test/broken/expected.txt says where and which word
 *   giants   made here
 *   mutants  of the good models: one edit each, of a class that knows the byte where a complaint is due. it knows the
 *            text by a scanner of its own, so that the reader is not its own judge */
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "read/read.h"
#include "support/build.h"
#include "test.h"

#ifdef __SANITIZE_ADDRESS__
enum { SECONDS = 8 };
#else
enum { SECONDS = 2 };
#endif

/* ---- running it -------------------------------------------------------------------------------------------------- */

typedef struct result {
  int code; /* of its exit; 1000 + the signal that ended it */
  char out[400], err[4000];
} result;

static void slurp(const char *path, char *text, size_t size) {
  FILE *f = fopen(path, "rb");
  const size_t n = f ? fread(text, 1, size - 1, f) : 0;
  text[n] = 0;
  if (f) fclose(f);
  remove(path);
}

static void redirect(int to, const char *path, int how) {
  const int f = open(path, how, 0666);
  if (f < 0 || dup2(f, to) < 0) _exit(101);
}

/* `tenon run name` in a folder. the limit is one of processor time, so that a busy machine does not fail it; what only
 * waits is ended too, later */
static void tenon_run(const char *folder, const char *name, result *r) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit limit = {SECONDS, SECONDS + 1}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &limit);
    setrlimit(RLIMIT_CORE, &none);
    alarm(10 * SECONDS);
    redirect(0, "/dev/null", O_RDONLY);
    redirect(1, ".out", O_WRONLY | O_CREAT | O_TRUNC);
    redirect(2, ".err", O_WRONLY | O_CREAT | O_TRUNC);
    if (chdir(folder) == 0) execl(TN_BINARY, "tenon", "run", name, (char *)NULL);
    _exit(101);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) abort();
  r->code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  slurp(".out", r->out, sizeof r->out);
  slurp(".err", r->err, sizeof r->err);
}

/* exit code, place and word as they should be. the word is sought outside the place: a file's name often holds it */
static bool check_refused(const result *r, const char *name, int line, int column, const char *word) {
  char place[300], text[sizeof r->err];
  snprintf(place, sizeof place, "(%s:%d:%d)", name, line, column);
  snprintf(text, sizeof text, "%s", r->err);
  char *at = strstr(text, place), *end = strchr(text, '\n');
  if (at) memset(at, ' ', strlen(place));
  const bool one_line = end && !end[1], hang = r->code == 1000 + SIGXCPU || r->code == 1000 + SIGALRM;
  if (r->code == 2 && !*r->out && one_line && !strncmp(text, "tenon: ", 7) && at && strstr(text, word)) return true;
  FAIL("%s: wanted exit 2, %s and \"%s\"; got %s%d\n%.600s%s", name, place, word, hang ? "a hang, " : "exit ", r->code,
       r->err, *r->out ? "\nand words on stdout" : "");
  return false;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

#define FOLDER TN_SOURCE_DIR "/test/broken"

typedef struct expectation {
  char name[80], word[40];
  int line, column;
  bool seen;
} expectation;

static int read_expectations(expectation *list, int most) {
  FILE *f = fopen(FOLDER "/expected.txt", "r");
  char text[300], rest;
  int n = 0;
  while (f && fgets(text, sizeof text, f)) {
    expectation e = {.line = 0};
    if (*text == '#' || *text == '\n') continue;
    const bool good =
        n < most && sscanf(text, "%79s %d:%d %39s %c", e.name, &e.line, &e.column, e.word, &rest) == 4 && e.line > 0;
    if (!good) FAIL("expected.txt: '%s' is not `name.json LINE:COLUMN word`", text);
    for (int i = 0; i < n; i++)
      if (strcmp(list[i].name, e.name) == 0) FAIL("expected.txt: %s stands twice", e.name);
    if (good) list[n++] = e;
  }
  if (f) fclose(f);
  return n;
}

TEST(every_file_is_refused_at_its_place) {
  static expectation list[1000];
  const int n = read_expectations(list, 1000);
  int files = 0;
  CHECK(n >= 45);
  DIR *dir = opendir(FOLDER);
  for (struct dirent *d; dir && (d = readdir(dir));) {
    if (d->d_name[0] == '.' || strcmp(d->d_name, "expected.txt") == 0) continue;
    files++;
    int i = 0;
    while (i < n && strcmp(list[i].name, d->d_name) != 0) i++;
    if (i < n)
      list[i].seen = true;
    else
      FAIL("%s is not in expected.txt", d->d_name);
  }
  if (dir) closedir(dir);
  CHECK(files >= 45);
  int good = 0;
  for (int i = 0; i < n; i++) {
    result r;
    if (!list[i].seen) FAIL("%s of expected.txt is not there", list[i].name);
    if (!list[i].seen) continue;
    tenon_run(FOLDER, list[i].name, &r);
    good += check_refused(&r, list[i].name, list[i].line, list[i].column, list[i].word);
  }
  printf("%d of %d files as expected\n", good, n);
}

/* ---- giants ------------------------------------------------------------------------------------------------------ */

/* ' stands for " in the models here; all of a model is one line */
#define GIANT "giant.json"
#define HEAD "{'tenon': 1, 'dimension': 2, "
#define BODY "'bodies': {'k': {'mass': 1, 'inertia': 1}}"

static FILE *giant(void) {
  FILE *f = fopen(GIANT, "wb");
  if (!f) abort();
  return f;
}

static void put(FILE *f, const char *text) {
  for (; *text; text++) fputc(*text == '\'' ? '"' : *text, f);
}

static void put_many(FILE *f, const char *text, long n) {
  const size_t size = strlen(text), count = 4096 / size;
  char block[4096];
  for (size_t i = 0; i < count; i++) memcpy(block + i * size, text, size);
  for (; n >= (long)count; n -= (long)count) fwrite(block, size, count, f);
  fwrite(block, size, (size_t)n, f);
}

static void check_giant(FILE *f, long byte, const char *word) {
  result r;
  if (fclose(f) != 0) abort();
  tenon_run(".", GIANT, &r);
  check_refused(&r, GIANT, 1, (int)byte + 1, word);
  CHECK(strlen(r.err) < 1500); /* what is long is cut */
  remove(GIANT);
}

/* in the model, @ marks where a complaint is due and ~ stands for `fill`, n times */
static void check_filled(const char *model, const char *fill, long n, const char *word) {
  FILE *f = giant();
  long byte = 0;
  for (const char *c = model; *c; c++) {
    const char one[] = {*c, 0};
    if (*c == '@')
      byte = ftell(f);
    else if (*c == '~')
      put_many(f, fill, n);
    else
      put(f, one);
  }
  check_giant(f, byte, word);
}

TEST(an_empty_file) {
  check_filled("@", "", 0, "empty");
  check_filled("~@", "\t ", 1000, "empty");
}

TEST_FULL(a_hundred_megabytes_of_brackets) { check_filled("@~", "[", 100000000, "bytes"); }

/* not so many that the size alone is refused */
TEST_FULL(sixty_megabytes_of_brackets) {
  check_filled("@~", "[", 60000000, "'{'");
  FILE *f = giant();
  put(f, HEAD "'x-': ");
  const long byte = ftell(f) + TN_DEPTH - 1; /* the root is one level */
  put_many(f, "[", 60000000);
  check_giant(f, byte, "nested");
}

TEST(a_million_objects_in_objects) {
  FILE *f = giant();
  put_many(f, "{\"a\":", 1000000);
  check_giant(f, 5L * TN_DEPTH, "nested");
}

TEST(a_billion_fold_repeat) {
#define LINK "'mass': 1, 'inertia': 1"
  check_filled(HEAD "'bodies': {'b{i}': {'repeat': @'i=1..1000000000', " LINK "}}}", "", 0, "repeat");
  check_filled(HEAD "'bodies': {'b{i}': {'repeat': @'i=-1e9..-1', " LINK "}}}", "", 0, "repeat");
  check_filled(HEAD "'constants': {'N': 1e9}, 'bodies': {'b{i}': {'repeat': @'i=1..N', " LINK "}}}", "", 0, "repeat");
  /* a thousand of a thousand of a thousand */
  check_filled(HEAD "'bodies': {'b{i}': {'repeat': 'i=1..1000', " LINK ", 'lumps': [{'repeat': 'j=1..1000', 'mass': 0, "
                    "'at': [0, {'deep': [@{'repeat': 'k=1..1000'}]}]}]}}}",
               "", 0, "repeats");
}

TEST(a_string_of_ten_megabytes) {
  const long n = 10000000;
  check_filled(HEAD "'title': @'~", "a", n, "unterminated");
  check_filled(HEAD BODY ", 'joints': {'j': {'type': @'~'}}}", "a", n, "unknown joint type 'aaa");
  check_filled(HEAD BODY ", 'joints': {'j': {'type': 'weld', 'between': ['ground', @'~']}}}", "a", n,
               "there is no body 'aaa");
  check_filled(HEAD BODY ", 'run': {'method': @'~'}}", "\xc3\xa9", n / 2, "unknown method '\xc3\xa9");
}

/* at the first byte too many: 10,000 are allowed */
TEST(an_expression_of_ten_megabytes) {
  FILE *f = giant();
  put(f, HEAD "'bodies': {'k': {'inertia': 1, 'mass': '");
  const long in_mass = ftell(f) + 10000;
  put_many(f, "1+", 5000000);
  put(f, "1'}}}");
  check_giant(f, in_mass, "bytes");
  f = giant();
  put(f, HEAD BODY ", 'outputs': {'o': '");
  const long in_output = ftell(f) + 10000;
  put_many(f, "(", 10000000);
  put(f, "'}}");
  check_giant(f, in_output, "bytes");
}

TEST(a_key_of_a_megabyte) {
  const long n = 1000000;
  check_filled(HEAD "@'~': 1, " BODY "}", "k", n, "unknown key 'kkk");
  check_filled(HEAD "'bodies': {'k': {" LINK ", @'~': 1}}}", "k", n, "unknown key 'kkk");
}

TEST(a_name_of_a_megabyte) {
  const long n = 1000000;
  check_filled(HEAD "'bodies': {@'~': {" LINK "}}}", "k", n, "longer than 60");
  check_filled(HEAD BODY ", 'start': {@'~.x': 1}}", "k", n, "kkk");
}

TEST(a_number_of_a_megabyte) { check_filled(HEAD "'gravity': [0, @~], " BODY "}", "1", 1000000, "not a number"); }

/* a million members: the first is wrong, or one behind them */
TEST(a_million_keys) {
  static const char *const before[] = {HEAD BODY ", ", HEAD BODY ", 'constants': {", HEAD BODY ", 'constants': {"},
                           *const behind[] = {"}", "'k999999': 1}}", "'k2000000'}}"},
                           *const word[] = {"unknown key 'k0'", "duplicate key \"k999999\"", "unknown name 'k2000000'"};
  for (int way = 0; way < 3; way++) {
    FILE *f = giant();
    put(f, before[way]);
    long byte = ftell(f);
    for (int i = 0; i < 1000000; i++) fprintf(f, "%s\"k%d\": %d", i ? ", " : "", i, i);
    if (way) put(f, way == 1 ? ", " : ", 'q': ");
    if (way) byte = ftell(f);
    put(f, behind[way]);
    check_giant(f, byte, word[way]);
  }
}

/* names that are sought as often as there are names */
TEST(a_hundred_thousand_constants_that_use_another) {
  FILE *f = giant();
  put(f, HEAD BODY ", 'constants': {");
  for (int i = 0; i < 100000; i++) fprintf(f, "\"k%d\": \"2*last\", ", i);
  put(f, "'last': 1, 'q': ");
  const long byte = ftell(f);
  put(f, "null}}");
  check_giant(f, byte, "number");
}

TEST(a_hundred_thousand_bodies_before_a_mistake) {
#define BODIES "'bodies': {'b{i}': {'repeat': 'i=1..100000', " LINK "}}"
  check_filled(HEAD BODIES ", 'outputs': {'o': '1 + @zz.x'}}", "", 0, "unknown name 'zz.x'");
  check_filled(HEAD BODIES
               ", 'joints': {'j{i}': {'repeat': 'i=1..100000', 'type': 'weld', 'between': ['ground', 'b{i}']}, "
               "'z': @7}}",
               "", 0, "object");
}

/* ---- the scanner: values, keys and separators of a text, or the byte at which it stops being JSON ---------------- */

typedef struct token {
  char kind; /* of a value: { [ " or 0 for a number, t for true and false */
  int parent, last;
  size_t from, to;     /* of the value                          */
  size_t key, key_end; /* of its key, quotes included; or equal */
  size_t colon, comma; /* behind the key, behind the value; 0   */
} token;

enum { TOKENS = 2000, DEEPEST = 40, COMMENTS = 100 };

typedef struct scan {
  const char *s;
  size_t n, at, wrong;
  const char *word; /* what a complaint must hold              */
  bool twice;       /* an object with the same key twice       */
  int count, comments;
  token t[TOKENS];
  size_t comment[COMMENTS][2];
} scan;

static bool wrong(scan *c, size_t at, const char *word) {
  c->wrong = at;
  c->word = word;
  return false;
}

static int peek(const scan *c) { return c->at < c->n ? (unsigned char)c->s[c->at] : -1; }

static bool skip_space(scan *c) {
  for (;;) {
    const int k = peek(c);
    if (k == ' ' || k == '\n' || k == '\t' || k == '\r') {
      c->at++;
    } else if (k == '/') {
      const size_t from = c->at;
      if (from + 1 >= c->n || c->s[from + 1] != '/') return wrong(c, from, "//");
      while (c->at < c->n && c->s[c->at] != '\n') c->at++;
      if (c->comments < COMMENTS) c->comment[c->comments][0] = from, c->comment[c->comments++][1] = c->at;
    } else {
      return true;
    }
  }
}

static bool unexpected(scan *c) { return wrong(c, c->at, c->at < c->n ? "expected" : "the text"); }

/* the good models have no escapes, and no mutant of theirs that is judged by the scanner */
static bool scan_string(scan *c) {
  const size_t from = c->at++;
  while (c->at < c->n && c->s[c->at] != '"' && c->s[c->at] != '\n') c->at++;
  if (peek(c) != '"') return wrong(c, from, "unterminated");
  c->at++;
  return true;
}

static size_t digits(const scan *c, size_t i) {
  while (i < c->n && c->s[i] >= '0' && c->s[i] <= '9') i++;
  return i;
}

static bool scan_number(scan *c) {
  size_t i = c->at + (peek(c) == '-'), end = c->at;
  while (end < c->n && strchr("+-.0123456789eE", c->s[end])) end++;
  size_t next = digits(c, i);
  bool good = next > i && (c->s[i] != '0' || next == i + 1);
  if (good && next < c->n && c->s[next] == '.') good = (i = digits(c, next + 1)) > next + 1, next = i;
  if (good && next < c->n && (c->s[next] == 'e' || c->s[next] == 'E')) {
    i = next + 1 + (next + 1 < c->n && (c->s[next + 1] == '-' || c->s[next + 1] == '+'));
    good = (next = digits(c, i)) > i;
  }
  if (!good || next != end) return wrong(c, c->at, "not a number");
  c->at = end;
  return true;
}

static bool scan_literal(scan *c) {
  static const char *const words[] = {"true", "false"};
  for (int i = 0; i < 2; i++) {
    const size_t n = strlen(words[i]);
    if (c->at + n > c->n || memcmp(c->s + c->at, words[i], n) != 0) continue;
    c->at += n;
    return true;
  }
  return unexpected(c);
}

static bool same_key(const scan *c, const token *a, const token *b) {
  return a->key_end - a->key == b->key_end - b->key && !memcmp(c->s + a->key, c->s + b->key, a->key_end - a->key);
}

static bool scan_value(scan *c, int parent, size_t key, size_t key_end, size_t colon, int depth) {
  const int kind = peek(c), self = c->count;
  if (self == TOKENS || depth > DEEPEST) abort();
  token *t = &c->t[c->count++];
  *t = (token){(char)kind, parent, self, c->at, 0, key, key_end, colon, 0};
  for (int i = parent + 1; key < key_end && i < self; i++)
    if (c->t[i].parent == parent && same_key(c, &c->t[i], t)) c->twice = true;
  if (kind == '"') {
    if (!scan_string(c)) return false;
  } else if (kind == '-' || (kind >= '0' && kind <= '9')) {
    t->kind = '0';
    if (!scan_number(c)) return false;
  } else if (kind == 't' || kind == 'f') {
    t->kind = 't';
    if (!scan_literal(c)) return false;
  } else if (kind == '{' || kind == '[') {
    const char close = kind == '{' ? '}' : ']';
    c->at++;
    if (!skip_space(c)) return false;
    for (bool more = peek(c) != close; more;) {
      size_t from = 0, to = 0, after = 0;
      if (kind == '{') {
        from = c->at;
        if (peek(c) != '"') return unexpected(c);
        if (!scan_string(c)) return false;
        to = c->at;
        if (!skip_space(c)) return false;
        if (peek(c) != ':') return unexpected(c);
        after = c->at++;
        if (!skip_space(c)) return false;
      }
      const int child = c->count;
      if (!scan_value(c, self, from, to, after, depth + 1) || !skip_space(c)) return false;
      const size_t comma = c->at;
      more = peek(c) == ',';
      if (!more && peek(c) != close) return unexpected(c);
      if (!more) break;
      c->t[child].comma = comma;
      c->at++;
      if (!skip_space(c)) return false;
      if (peek(c) == close) return wrong(c, comma, "trailing");
    }
    c->at++;
  } else {
    return unexpected(c);
  }
  t->to = c->at;
  t->last = c->count - 1;
  return true;
}

/* false: `wrong` is where, `word` why */
static bool scan_text(scan *c, const char *s, size_t n) {
  c->s = s;
  c->n = n;
  c->at = 0;
  c->count = c->comments = 0;
  c->twice = false;
  if (!skip_space(c)) return false;
  if (peek(c) != '{') return unexpected(c);
  if (!scan_value(c, -1, 0, 0, 0, 0) || !skip_space(c)) return false;
  return c->at == n || wrong(c, c->at, "the end of the text");
}

/* `/bodies/crank/rod/0` */
static const char *path_of(const scan *c, int i, char *text, size_t size) {
  if (i <= 0) return *text = 0, text;
  const token *t = &c->t[i];
  path_of(c, t->parent, text, size);
  const size_t used = strlen(text);
  int index = 0;
  for (int k = t->parent + 1; k < i; k++) index += c->t[k].parent == t->parent;
  if (t->key < t->key_end)
    snprintf(text + used, size - used, "/%.*s", (int)(t->key_end - t->key - 2), c->s + t->key + 1);
  else
    snprintf(text + used, size - used, "/%d", index);
  return text;
}

/* ---- mutants ----------------------------------------------------------------------------------------------------- */

typedef struct mutant {
  const scan *c; /* of the good text */
  uint64_t random;
  char *text; /* NULL: this class finds nothing in this model */
  size_t n, at;
  char word[80], hint[80]; /* a complaint at byte `at` holds both */
} mutant;

/* splitmix64: seeds that are neighbours give sequences that are not */
static unsigned dice(mutant *m, size_t sides) {
  uint64_t z = m->random += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (unsigned)((z ^ (z >> 31)) % sides);
}

/* bytes [from, to) of the good text become these */
static void edit_bytes(mutant *m, size_t from, size_t to, const char *bytes, size_t n) {
  const scan *c = m->c;
  free(m->text);
  m->n = c->n - (to - from) + n;
  if (!(m->text = malloc(m->n + 1))) abort();
  memcpy(m->text, c->s, from);
  memcpy(m->text + from, bytes, n);
  memcpy(m->text + from + n, c->s + to, c->n - to);
  m->text[m->n] = 0;
}

static void edit(mutant *m, size_t from, size_t to, const char *text) { edit_bytes(m, from, to, text, strlen(text)); }

static void TN_PRINTF(3, 4) expect(mutant *m, size_t at, const char *format, ...) {
  va_list args;
  m->at = at;
  va_start(args, format);
  vsnprintf(m->word, sizeof m->word, format, args);
  va_end(args);
}

typedef bool (*fits)(const scan *c, int i);

/* the path of a value is one of these, blanks between them; * stands for one name */
static bool is_at(const scan *c, int i, const char *patterns) {
  char path[300], pattern[100];
  path_of(c, i, path, sizeof path);
  for (size_t n; *patterns; patterns += n + (patterns[n] == ' ')) {
    n = strcspn(patterns, " ");
    snprintf(pattern, sizeof pattern, "%.*s", (int)n, patterns);
    if (fnmatch(pattern, path, FNM_PATHNAME) == 0) return true;
  }
  return false;
}

/* a random value of these kinds at such a path; -1 if there is none. fit and patterns may be NULL */
static int choose(mutant *m, const char *kinds, fits fit, const char *patterns) {
  int found = -1, seen = 0;
  for (int i = 1; i < m->c->count; i++)
    if (strchr(kinds, m->c->t[i].kind) && (!fit || fit(m->c, i)) && (!patterns || is_at(m->c, i, patterns)) &&
        dice(m, (size_t)++seen) == 0)
      found = i;
  return found;
}

static int sibling(const scan *c, int i, const char *key) {
  for (int k = c->t[i].parent + 1; k <= c->t[c->t[i].parent].last; k++)
    if (c->t[k].parent == c->t[i].parent && c->t[k].key_end - c->t[k].key == strlen(key) + 2 &&
        !strncmp(c->s + c->t[k].key + 1, key, strlen(key)))
      return k;
  return -1;
}

static bool has_key(const scan *c, int i) { return c->t[i].key < c->t[i].key_end; }
static bool has_braces(const scan *c, int i) { return memchr(c->s + c->t[i].from, '{', c->t[i].to - c->t[i].from); }
static bool has_dot(const scan *c, int i) { return memchr(c->s + c->t[i].from, '.', c->t[i].to - c->t[i].from); }
static bool plain_key(const scan *c, int i) {
  return has_key(c, i) && !memchr(c->s + c->t[i].key, '{', c->t[i].key_end - c->t[i].key);
}

static const char kinds_all[] = "{[\"0t";

/* of the model: 2 or 3 */
static int dimension_of(const scan *c) {
  for (int i = 1; i < c->count; i++)
    if (is_at(c, i, "/dimension")) return c->s[c->t[i].from] - '0';
  return 0;
}

/* -- syntax -- */

static bool has_comma(const scan *c, int i) { return c->t[i].comma > 0; }

static void comma_deleted(mutant *m) {
  const int i = choose(m, kinds_all, has_comma, NULL);
  if (i < 0) return;
  const size_t comma = m->c->t[i].comma;
  edit(m, comma, comma + 1, " "); /* not nothing: two numbers would grow together */
  const token *next = &m->c->t[m->c->t[i].last + 1];
  expect(m, has_key(m->c, m->c->t[i].last + 1) ? next->key : next->from, "missing ','");
}

static void colon_deleted(mutant *m) {
  const int i = choose(m, kinds_all, has_key, NULL);
  if (i < 0) return;
  edit(m, m->c->t[i].colon, m->c->t[i].colon + 1, " ");
  expect(m, m->c->t[i].from, "expected ':'");
}

static void comma_trailing(mutant *m) {
  const int i = choose(m, "{[", NULL, NULL);
  if (i < 0 || m->c->t[i].last == i) return;
  int last = m->c->t[i].last;
  while (m->c->t[last].parent != i) last = m->c->t[last].parent;
  edit(m, m->c->t[last].to, m->c->t[last].to, ",");
  expect(m, m->c->t[last].to, "trailing");
}

/* texts that begin with a letter, so that nothing of them is read as a number */
static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool word_key(const scan *c, int i) { return has_key(c, i) && letter(c->s[c->t[i].key + 1]); }
static bool word_text(const scan *c, int i) { return letter(c->s[c->t[i].from + 1]); }

/* a key or a text */
static bool quoted(mutant *m, size_t *from, size_t *to) {
  const bool key = dice(m, 2);
  const int i = choose(m, key ? kinds_all : "\"", key ? word_key : word_text, NULL);
  if (i < 0) return false;
  *from = key ? m->c->t[i].key : m->c->t[i].from;
  *to = key ? m->c->t[i].key_end : m->c->t[i].to;
  return true;
}

static void quote_not_opened(mutant *m) {
  size_t from, to;
  if (!quoted(m, &from, &to)) return;
  edit(m, from, from + 1, "");
  expect(m, from, "expected a");
}

/* the text then reaches to the next quote of the line, behind which something stands that does not belong there */
static void quote_not_closed(mutant *m) {
  size_t from, to;
  if (!quoted(m, &from, &to)) return;
  const char *end = memchr(m->c->s + to, '\n', m->c->n - to), *next = memchr(m->c->s + to, '"', m->c->n - to);
  if (next && end && next < end && strchr(" ,:/]}\"", next[1])) return;
  edit(m, to - 1, to, "");
  if (next && end && next < end)
    expect(m, (size_t)(next - m->c->s), "expected"); /* one byte less, and the one behind it */
  else
    expect(m, from, "unterminated");
}

static void quotes_single(mutant *m) {
  size_t from, to;
  char text[300];
  if (!quoted(m, &from, &to)) return;
  snprintf(text, sizeof text, "'%.*s'", (int)(to - from - 2), m->c->s + from + 1);
  edit(m, from, to, text);
  expect(m, from, "quoted with \"");
}

/* what one bracket does to the rest is for the scanner to find out */
static void judge(mutant *m, const char *word) {
  scan *c = malloc(sizeof *c);
  if (!c) abort();
  const bool good = scan_text(c, m->text, m->n);
  if (good || c->twice) /* a second mistake, or none: not this one */
    free(m->text), m->text = NULL;
  else
    expect(m, c->wrong, "%s", word ? word : c->word);
  free(c);
}

static size_t bracket(mutant *m) {
  const int i = choose(m, "{[", NULL, NULL);
  if (i < 0) return 0;
  return dice(m, 2) ? m->c->t[i].from : m->c->t[i].to - 1;
}

static void bracket_deleted(mutant *m) {
  const size_t at = bracket(m);
  if (at) edit(m, at, at + 1, ""), judge(m, "expected");
}

static void bracket_doubled(mutant *m) {
  const size_t at = bracket(m);
  if (at) edit_bytes(m, at, at, m->c->s + at, 1), judge(m, "expected");
}

static void bracket_swapped(mutant *m) {
  const size_t at = bracket(m);
  if (!at) return;
  const char other[] = {m->c->s[at] == '{' ? '[' : m->c->s[at] == '[' ? '{' : m->c->s[at] == '}' ? ']' : '}', 0};
  edit(m, at, at + 1, other), judge(m, "expected");
}

static void truncated(mutant *m) {
  const size_t at = dice(m, m->c->t[0].to);
  edit(m, at, m->c->n, ""), judge(m, NULL);
}

static void more_behind_the_end(mutant *m) {
  static const char *const more[] = {"}", "]", ",", "{}", "x", "\"x\": 1", "0"};
  const size_t at = m->c->t[0].to;
  edit(m, at, at, more[dice(m, sizeof more / sizeof *more)]);
  expect(m, at, "the end of the text");
}

static void comment_of_another_kind(mutant *m) {
  static const char *const kind[] = {"/* of C */", "# of the shell\n", "; of assembly\n", "<!-- of HTML -->"};
  const int i = choose(m, kinds_all, NULL, NULL);
  if (i < 0) return;
  const unsigned which = dice(m, 4);
  edit(m, m->c->t[i].from, m->c->t[i].from, kind[which]);
  expect(m, m->c->t[i].from, "%s", which ? "expected a value" : "only // comments");
}

static void key_twice(mutant *m) {
  const int i = choose(m, kinds_all, has_key, NULL);
  if (i < 0) return;
  const token *t = &m->c->t[i];
  const size_t n = t->to - t->key;
  char *text = malloc(n + 2);
  if (!text) abort();
  memcpy(text, ", ", 2);
  memcpy(text + 2, m->c->s + t->key, n);
  edit_bytes(m, t->to, t->to, text, n + 2);
  free(text);
  expect(m, t->to + 2, "duplicate key \"%.*s\"", (int)(t->key_end - t->key - 2), m->c->s + t->key + 1);
}

/* -- bytes -- */

/* a random place inside a text, a key or a comment; *quote: where the text begins */
static size_t inside(mutant *m, bool comments, size_t *quote) {
  size_t from, to;
  if (comments && m->c->comments && dice(m, 3) == 0) {
    const size_t *range = m->c->comment[dice(m, (size_t)m->c->comments)];
    return range[0] + 2 + dice(m, range[1] - range[0] - 1);
  }
  if (!quoted(m, &from, &to)) return 0;
  *quote = from;
  return from + 1 + dice(m, to - from - 1);
}

static void not_utf8(mutant *m) {
  static const char *const bytes[] = {"\xff",    "\x80", "\xc0\xaf", "\xe4", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                      "\xe2\x82"};
  size_t quote;
  const size_t at = inside(m, true, &quote);
  if (!at) return;
  edit(m, at, at, bytes[dice(m, sizeof bytes / sizeof *bytes)]);
  expect(m, at, "not UTF-8");
}

static void control_character(mutant *m) {
  static const char bytes[] = {0, 1, '\t', '\r', '\n', 0x1f};
  size_t quote;
  const size_t at = inside(m, false, &quote);
  if (!at) return;
  const char byte = bytes[dice(m, sizeof bytes)];
  edit_bytes(m, at, at, &byte, 1);
  if (byte == '\n')
    expect(m, quote, "unterminated");
  else
    expect(m, at, "control character 0x%02x", byte);
}

static void stray_byte(mutant *m) {
  static const char *const bytes[] = {"\xff", "\x01", "\xc2\xa0", "\xe2\x80\x9c", "@", "\\", "&"};
  const int i = choose(m, kinds_all, NULL, NULL);
  if (i < 0) return;
  edit(m, m->c->t[i].from, m->c->t[i].from, bytes[dice(m, sizeof bytes / sizeof *bytes)]);
  expect(m, m->c->t[i].from, "expected a value");
}

static void unknown_escape(mutant *m) {
  static const char *const escapes[] = {"\\q", "\\x41", "\\u12", "\\u0000", "\\ud800", "\\'"};
  size_t quote;
  const size_t at = inside(m, false, &quote);
  if (!at) return;
  const char *escape = escapes[dice(m, sizeof escapes / sizeof *escapes)];
  edit(m, at, at, escape);
  /* digits of the text itself may complete a short one */
  if (strcmp(escape, "\\u12") == 0 && strspn(m->text + at + 2, "0123456789abcdefABCDEF") >= 4) edit(m, at, at, "\\q");
  expect(m, at, "\\");
}

static void literal(mutant *m) {
  static const struct {
    const char *text, *word;
  } list[] = {{"NaN", "'NaN'"},
              {"nan", "'nan'"},
              {"Infinity", "'Infinity'"},
              {"-Infinity", "'-Infinity'"},
              {"1e999", "large"},
              {"-1e999", "large"},
              {"0x10", "'0x10'"},
              {"+1", "'+'"},
              {".5", "'.'"},
              {"1.", "digit"},
              {"01", "begin with 0"},
              {"1e", "exponent"},
              {"--1", "'--1'"},
              {"1_000", "'1_000'"},
              {"True", "true"},
              {"1.5.2", "'1.5.2'"},
              {"3kg", "'3kg'"},
              {"None", "'None'"},
              {"-", "digit"},
              {"1e400", "large"}};
  const int i = choose(m, "0", NULL, NULL);
  if (i < 0) return;
  const unsigned which = dice(m, sizeof list / sizeof *list);
  edit(m, m->c->t[i].from, m->c->t[i].to, list[which].text);
  expect(m, m->c->t[i].from, "%s", list[which].word);
}

/* -- keys -- */

/* one edit away from a word: letters swapped, doubled or dropped */
static void misspell(mutant *m, const char *word, size_t n, char *out, size_t size) {
  for (;;) {
    const size_t i = dice(m, n);
    const unsigned how = dice(m, 3);
    if (how == 0 && i + 1 < n && word[i] != word[i + 1])
      snprintf(out, size, "%.*s%c%c%.*s", (int)i, word, word[i + 1], word[i], (int)(n - i - 2), word + i + 2);
    else if (how == 1)
      snprintf(out, size, "%.*s%c%.*s", (int)i, word, word[i], (int)(n - i), word + i);
    else if (how == 2 && n > 3)
      snprintf(out, size, "%.*s%.*s", (int)i, word, (int)(n - i - 1), word + i + 1);
    else
      continue;
    return;
  }
}

static void key_misspelt(mutant *m) {
  static const char keys[] = "/* /bodies/*/* /bodies/*/coordinates/* /bodies/*/lumps/*/* /rods/*/* /joints/*/* "
                             "/forces/*/* /points/*/* /outputs/*/* /run/* /run/integrator/*";
  const int i = choose(m, kinds_all, has_key, keys);
  if (i < 0) return;
  const token *t = &m->c->t[i];
  char bad[100], text[120];
  const int n = (int)(t->key_end - t->key) - 2;
  misspell(m, m->c->s + t->key + 1, (size_t)n, bad, sizeof bad);
  snprintf(text, sizeof text, "\"%s\"", bad);
  edit(m, t->key, t->key_end, text);
  expect(m, t->key, "unknown key '%s'", bad);
  snprintf(m->hint, sizeof m->hint, "did you mean '"); /* another key may be as near: oints, points, joints */
}

/* a name where it is given */
static void name_that_is_none(mutant *m) {
  static const char names[] = "/constants/* /points/* /bodies/* /joints/* /forces/* /outputs/*";
  static const char *const bad[] = {"\"2x\"", "\"a b\"", "\"a-b\"",      "\"pi\"",
                                    "\"\"",   "\"a.b\"", "\"\xc3\xa9\"", "\"t\""};
  const int i = choose(m, kinds_all, plain_key, names);
  if (i < 0) return;
  edit(m, m->c->t[i].key, m->c->t[i].key_end, bad[dice(m, sizeof bad / sizeof *bad)]);
  expect(m, m->c->t[i].key, "name");
}

/* a channel in the place of a key */
static void channel_misspelt_in_a_key(mutant *m) {
  static const char channels[] = "/start/* /start/guess/* /joints/*/terms/*";
  const int i = choose(m, "\"0", has_key, channels);
  const char *dot = i < 0 ? NULL : memchr(m->c->s + m->c->t[i].key, '.', m->c->t[i].key_end - m->c->t[i].key);
  if (!dot) return;
  const size_t at = (size_t)(dot - m->c->s) + dice(m, 2);
  edit(m, at, at, "q");
  expect(m, m->c->t[i].key, "did you mean");
}

/* a body with neither mass nor inertia may be held by joints alone; a weld has a place by default */
static bool needed(const scan *c, int i) {
  if (is_at(c, i, "/bodies/*/mass")) return sibling(c, i, "inertia") >= 0;
  const int type = is_at(c, i, "/joints/*/at") ? sibling(c, i, "type") : -1;
  return type < 0 || strncmp(c->s + c->t[type].from, "\"weld\"", 6) != 0;
}

static void key_missing(mutant *m) {
  static const char keys[] =
      "/tenon /dimension /bodies /bodies/*/inertia /bodies/*/mass /bodies/*/coordinates/type "
      "/bodies/*/coordinates/parent /bodies/*/coordinates/at /bodies/*/coordinates/on_body "
      "/bodies/*/lumps/*/mass /bodies/*/lumps/*/at /rods/*/mass /rods/*/between /joints/*/type "
      "/joints/*/between /joints/*/at /joints/*/axis /joints/*/on /joints/*/value /joints/*/terms "
      "/joints/*/bodies /forces/*/type /forces/*/on /forces/*/value /forces/*/between "
      "/forces/*/stiffness /outputs/*/value /joints/*/on_bodies /forces/*/on_bodies";
  const int i = choose(m, kinds_all, needed, keys);
  if (i < 0) return;
  const token *t = &m->c->t[i];
  size_t from = t->key, to = t->comma ? t->comma + 1 : t->to;
  if (!t->comma) /* the last one: the comma before it goes too */
    for (int j = t->parent + 1; j < i; j++)
      if (m->c->t[j].parent == t->parent) from = m->c->t[j].comma;
  edit(m, from, to, "");
  if (is_at(m->c, i, "/*/*/on_bodies"))
    expect(m, m->c->t[t->parent].from, "`at`");
  else
    expect(m, m->c->t[t->parent].from, "`%.*s`", (int)(t->key_end - t->key - 2), m->c->s + t->key + 1);
}

/* -- values -- */

static void number_of_another_type(mutant *m) {
  static const char *const types[] = {"null", "true", "[]", "[1]", "{}", "{\"x\": 1}"};
  const int i = choose(m, "0", NULL, NULL);
  if (i < 0) return;
  /* a start value may be an object */
  edit(m, m->c->t[i].from, m->c->t[i].to, types[dice(m, is_at(m->c, i, "/start/* /start/guess/*") ? 4 : 6)]);
  expect(m, m->c->t[i].from, "number");
}

static void section_of_another_type(mutant *m) {
  static const char sections[] =
      "/constants /tables /points /bodies /rods /joints /forces /start /run /outputs /joints/* "
      "/forces/* /bodies/*";
  static const char *const types[] = {"[]", "7", "null", "true", "[{}]"};
  const int i = choose(m, "{", plain_key, sections);
  if (i < 0) return;
  edit(m, m->c->t[i].from, m->c->t[i].to, types[dice(m, sizeof types / sizeof *types)]);
  expect(m, m->c->t[i].from, "object");
}

static void body_misspelt(mutant *m) {
  static const char bodies[] = "/joints/*/between/* /rods/*/between/* /forces/*/between/* /bodies/*/coordinates/parent "
                               "/joints/*/bodies/*";
  const int i = choose(m, "\"", NULL, bodies);
  if (i < 0) return;
  edit(m, m->c->t[i].to - 1, m->c->t[i].to - 1, "q");
  expect(m, m->c->t[i].from, "there is no body '");
  snprintf(m->hint, sizeof m->hint, "did you mean '");
}

static void channel_misspelt(mutant *m) {
  static const char channels[] = "/joints/*/on /forces/*/on /start/keep/*";
  const int i = choose(m, "\"", has_dot, channels);
  if (i < 0) return;
  const char *dot = memchr(m->c->s + m->c->t[i].from, '.', m->c->t[i].to - m->c->t[i].from);
  const size_t at = (size_t)(dot - m->c->s) + dice(m, 2);
  edit(m, at, at, "q");
  expect(m, m->c->t[i].from, "did you mean '");
}

static void mass_negative(mutant *m) {
  static const char masses[] = "/bodies/*/mass /bodies/*/inertia /bodies/*/lumps/*/mass /rods/*/mass";
  const int i = choose(m, "0\"", NULL, masses);
  if (i < 0) return;
  const token *t = &m->c->t[i];
  char text[300] = "-0.5";
  if (t->kind == '"') snprintf(text, sizeof text, "\"-1 - (%.*s)\"", (int)(t->to - t->from - 2), m->c->s + t->from + 1);
  edit(m, t->from, t->to, text);
  expect(m, t->from, is_at(m->c, i, "/rods/*/mass") ? "positive" : "negative");
}

static void word_misspelt(mutant *m) {
  static const char words[] = "/joints/*/type /forces/*/type /bodies/*/coordinates /bodies/*/coordinates/type "
                              "/run/integrator/type /run/method /joints/*/form";
  const int i = choose(m, "\"", NULL, words);
  if (i < 0) return;
  const token *t = &m->c->t[i];
  char bad[100], text[120];
  const int n = (int)(t->to - t->from) - 2;
  misspell(m, m->c->s + t->from + 1, (size_t)n, bad, sizeof bad);
  snprintf(text, sizeof text, "\"%s\"", bad);
  edit(m, t->from, t->to, text);
  expect(m, t->from, "'%s'", bad);
  if (is_at(m->c, i, "/joints/*/form"))
    snprintf(m->hint, sizeof m->hint,
             n == 5 ? "one of: velocity position rates" : "one of: length squared"); /* `rates` */
  else
    snprintf(m->hint, sizeof m->hint, "did you mean '%.*s'?", n, m->c->s + t->from + 1);
}

static void list_of_another_length(mutant *m) {
  static const char lists[] = "/joints/*/between /rods/*/between /bodies/*/rod /joints/*/on_bodies /gravity /points/* "
                              "/points/*/at /bodies/*/center /bodies/*/position /bodies/*/coordinates/on_body "
                              "/bodies/*/coordinates/at /bodies/*/lumps/*/at /joints/*/on_bodies/*";
  const int i = choose(m, "[", NULL, lists);
  if (i < 0) return;
  const token *t = &m->c->t[i];
  if (dice(m, 2))
    edit(m, t->to - 1, t->to - 1, ", 0");
  else
    edit(m, m->c->t[i + 1].to, t->to - 1, ""); /* the first stays */
  if (is_at(m->c, i, "/*/*/between /bodies/*/rod /joints/*/on_bodies"))
    expect(m, t->from, "two");
  else
    expect(m, t->from, "list of %d", dimension_of(m->c));
}

static void axis_zero(mutant *m) {
  static const char axes[] = "/joints/*/axis";
  static const char *const zeros[] = {"0, 0", "0, -0.0", "\"0*pi\", 0", "0, 1e-999"};
  char text[40];
  const int i = choose(m, "\"[", NULL, axes);
  if (i < 0) return;
  snprintf(text, sizeof text, "[%s%s]", dimension_of(m->c) == 3 ? "0, " : "", zeros[dice(m, 4)]);
  edit(m, m->c->t[i].from, m->c->t[i].to, text);
  expect(m, m->c->t[i].from, "axis has zero length");
}

static void repeat_that_is_none(mutant *m) {
  static const char repeats[] = "/*/*/repeat";
  static const struct {
    const char *text, *word;
  } bad[] = {{"\"i=1..\"", "expected"},   {"\"1..3\"", "expected"},    {"\"i=1..1e9\"", "at most"},
             {"\"i=0.5..3\"", "integer"}, {"\"i=1..qqq\"", "'qqq'"},   {"\"pi=1..2\"", "reserved"},
             {"\"i=1..2e9\"", "at most"}, {"\"i=1..3e9\"", "integer"}, {"3", "repeat"},
             {"[1, 3]", "repeat"},        {"\"\"", "expected"},        {"\"i j=1..2\"", "name"}};
  const int i = choose(m, "\"", NULL, repeats);
  if (i < 0) return;
  const unsigned which = dice(m, sizeof bad / sizeof *bad);
  edit(m, m->c->t[i].from, m->c->t[i].to, bad[which].text);
  expect(m, m->c->t[i].from, "%s", bad[which].word);
}

/* -- expressions -- */

/* a complaint inside the text is due at its byte; where braces of a repeat are replaced, at the text */
static int expression(mutant *m, size_t *base, size_t *end) {
  static const char places[] =
      "/constants/* /points/*/* /points/*/at/* /bodies/*/mass /bodies/*/inertia /bodies/*/angle "
      "/bodies/*/center/* /bodies/*/position/* /bodies/*/coordinates/on_body/* /joints/*/value "
      "/joints/*/on_bodies/*/* /joints/*/at/*/* /forces/*/value /forces/*/value/* "
      "/forces/*/on_bodies/*/* /start/* /outputs/* /outputs/*/value";
  const int i = choose(m, "\"", NULL, places);
  if (i < 0) return i;
  if (is_at(m->c, i, "/points/*/repeat")) return -1;
  *base = m->c->t[i].from;
  *end = m->c->t[i].to - 1;
  return i;
}

static void append(mutant *m, const char *text, size_t skip, const char *word) {
  size_t base, end;
  const int i = expression(m, &base, &end);
  if (i < 0) return;
  edit(m, end, end, text);
  expect(m, has_braces(m->c, i) ? base : end + skip, "%s", word);
}

static void parenthesis(mutant *m) {
  size_t base, end;
  if (dice(m, 2)) {
    append(m, ")", 0, "')'");
    return;
  }
  const int i = expression(m, &base, &end);
  if (i < 0) return;
  edit(m, base + 1, base + 1, "(");
  expect(m, has_braces(m->c, i) ? base : end + 1, "')'");
}

static void unknown_name(mutant *m) { append(m, "*qqq", 1, "unknown name 'qqq'"); }
static void unknown_function(mutant *m) { append(m, " + qqq(1)", 3, "unknown function 'qqq'"); }

static void operator_missing(mutant *m) {
  static const struct {
    const char *text, *word;
    size_t skip;
  } list[] = {{"*", "a value", 1},  {" +", "a value", 2},       {" 2", "an operator", 1}, {" $", "'$'", 1},
              {" = 1", "'='", 1},   {"*3deg", "'3deg'", 1},     {" + 1e999", "large", 3}, {" ? 1", "'?'", 1},
              {" ** 2", "'**'", 1}, {"*(1 < 2 < 3)", "'<'", 8}, {" + 1..5", "1..5", 3},   {" && 1", "'&&'", 1}};
  const unsigned which = dice(m, sizeof list / sizeof *list);
  append(m, list[which].text, list[which].skip, list[which].word);
}

static void expression_empty(mutant *m) {
  size_t base, end;
  if (expression(m, &base, &end) < 0) return;
  edit(m, base + 1, end, dice(m, 2) ? "" : "  ");
  expect(m, base, "empty");
}

/* -- all of them -- */

static const struct {
  const char *group, *name;
  void (*make)(mutant *m);
} classes[] = {
#define CLASS(group, name)                                                                                             \
  { group, #name, name }
    CLASS("syntax", comma_deleted),
    CLASS("syntax", colon_deleted),
    CLASS("syntax", comma_trailing),
    CLASS("syntax", quote_not_opened),
    CLASS("syntax", quote_not_closed),
    CLASS("syntax", quotes_single),
    CLASS("syntax", bracket_deleted),
    CLASS("syntax", bracket_doubled),
    CLASS("syntax", bracket_swapped),
    CLASS("syntax", truncated),
    CLASS("syntax", more_behind_the_end),
    CLASS("syntax", comment_of_another_kind),
    CLASS("syntax", key_twice),
    CLASS("bytes", not_utf8),
    CLASS("bytes", control_character),
    CLASS("bytes", stray_byte),
    CLASS("bytes", unknown_escape),
    CLASS("bytes", literal),
    CLASS("keys", key_misspelt),
    CLASS("keys", name_that_is_none),
    CLASS("keys", channel_misspelt_in_a_key),
    CLASS("keys", key_missing),
    CLASS("values", number_of_another_type),
    CLASS("values", section_of_another_type),
    CLASS("values", body_misspelt),
    CLASS("values", channel_misspelt),
    CLASS("values", mass_negative),
    CLASS("values", word_misspelt),
    CLASS("values", list_of_another_length),
    CLASS("values", axis_zero),
    CLASS("values", repeat_that_is_none),
    CLASS("expressions", parenthesis),
    CLASS("expressions", unknown_name),
    CLASS("expressions", unknown_function),
    CLASS("expressions", operator_missing),
    CLASS("expressions", expression_empty),
#undef CLASS
};
enum { CLASSES = sizeof classes / sizeof *classes, MODELS = 100, ROUNDS = 4, SEED = 20090 };

static int models;
static char model_name[MODELS][64], *model_text[MODELS];
static scan *model_scan[MODELS];

/* the good models, scanned */
static void load(void) {
  if (models) return;
  models = build_models(model_name, MODELS);
  CHECK(models >= 9);
  for (int i = 0; i < models; i++) {
    char path[600];
    snprintf(path, sizeof path, "%s/models/%s.json", TN_SOURCE_DIR, model_name[i]);
    FILE *f = fopen(path, "rb");
    model_text[i] = calloc(1, 100000);
    model_scan[i] = malloc(sizeof *model_scan[i]);
    if (!f || !model_text[i] || !model_scan[i]) abort();
    const size_t n = fread(model_text[i], 1, 99999, f);
    fclose(f);
    if (!scan_text(model_scan[i], model_text[i], n)) FAIL("%s is not JSON at byte %zu", path, model_scan[i]->wrong);
  }
}

/* the mutant of a class, a model and a round, always the same; text NULL if there is none */
static mutant make(int class, int model, int round) {
  mutant m = {.c = model_scan[model], .random = (uint64_t)(SEED + round + 100 * (class + 100 * model))};
  for (int i = 0; i < 8 && !m.text; i++) {
    for (int k = 0; k < 5; k++) dice(&m, 2);
    classes[class].make(&m);
  }
  if (m.text && m.n == m.c->n && memcmp(m.text, m.c->s, m.n) == 0) FAIL("%s changes nothing", classes[class].name);
  return m;
}

static void place_of(const mutant *m, int *line, int *column) {
  *line = *column = 1;
  for (size_t i = 0; i < m->at; i++) {
    ++*column;
    if (m->text[i] == '\n') ++*line, *column = 1;
  }
}

/* what is around a byte, of its line */
static void print_around(const mutant *m) {
  size_t from = m->at, to = m->at;
  while (from > 0 && m->text[from - 1] != '\n' && m->at - from < 60) from--;
  while (to < m->n && m->text[to] != '\n' && to - m->at < 60) to++;
  printf("    ");
  for (size_t i = from; i < to; i++)
    putchar((unsigned char)m->text[i] < ' ' || (unsigned char)m->text[i] > '~' ? '?' : m->text[i]);
  printf("\n    %*s^\n", (int)(m->at - from), "");
}

static tn_status try_model(const char *text, size_t n, tn_error *e) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_status status = tn_desc_new(NULL, &desc, e);
  if (!status) status = tn_desc_parse(desc, "m.json", text, n, e);
  if (!status) status = tn_compile(desc, &model, e);
  tn_desc_free(desc);
  if (!status) status = tn_sim_new(model, &sim, e);
  if (!status) status = tn_sim_start(sim, e);
  tn_sim_free(sim);
  tn_model_free(model);
  return status;
}

static bool check_mutant(int class, int model, int round, const mutant *m) {
  tn_error e = {.status = TN_OK};
  char text[2000] = "";
  int line, column;
  place_of(m, &line, &column);
  const tn_status status = try_model(m->text, m->n, &e);
  if (status) tn_error_text(&e, text, sizeof text);
  if (status == TN_E_MODEL && e.status == status && e.byte == (long)m->at && e.line == line && e.column == column &&
      strstr(text, m->word) && strstr(text, m->hint))
    return true;
  FAIL("%s of %s, round %d, seed %d: wanted \"%s\"%s%s%s at %d:%d, got %d \"%s\"", classes[class].name,
       model_name[model], round, SEED, m->word, *m->hint ? " and \"" : "", m->hint, *m->hint ? "\"" : "", line, column,
       status, text);
  print_around(m);
  return false;
}

static void check_group(const char *group) {
  int all = 0;
  load();
  for (int k = 0; k < CLASSES; k++) {
    if (strcmp(classes[k].group, group) != 0) continue;
    int n = 0, good = 0;
    for (int i = 0; i < models; i++)
      for (int round = 0; round < ROUNDS; round++) {
        mutant m = make(k, i, round);
        if (!m.text) continue;
        n++;
        good += check_mutant(k, i, round, &m);
        free(m.text);
      }
    if (good < n) printf("%s: %d of %d\n", classes[k].name, good, n);
    all += n;
  }
  printf("%d mutants\n", all);
}

TEST(models_that_are_mutated_are_good_themselves) {
  load();
  for (int i = 0; i < models; i++) {
    tn_error e;
    const tn_status status = try_model(model_text[i], model_scan[i]->n, &e);
    if (status) FAIL("%s: %s", model_name[i], e.message);
  }
}

TEST(mutants_of_syntax) { check_group("syntax"); }
TEST(mutants_of_bytes) { check_group("bytes"); }
TEST(mutants_of_keys) { check_group("keys"); }
TEST(mutants_of_values) { check_group("values"); }
TEST(mutants_of_expressions) { check_group("expressions"); }

static int by_hash(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* of every class, of every model, few of them alike */
TEST(there_are_many_mutants) {
  static uint64_t hash[CLASSES * MODELS * ROUNDS];
  int n = 0, of_class[CLASSES] = {0}, of_model[MODELS] = {0}, different = 0;
  load();
  for (int k = 0; k < CLASSES; k++)
    for (int i = 0; i < models; i++)
      for (int round = 0; round < ROUNDS; round++) {
        mutant m = make(k, i, round);
        if (!m.text) continue;
        uint64_t h = 14695981039346656037u;
        for (size_t c = 0; c < m.n; c++) h = (h ^ (unsigned char)m.text[c]) * 1099511628211u;
        hash[n++] = h;
        of_class[k]++;
        of_model[i]++;
        free(m.text);
      }
  qsort(hash, (size_t)n, sizeof *hash, by_hash);
  for (int i = 0; i < n; i++) different += i == 0 || hash[i] != hash[i - 1];
  for (int k = 0; k < CLASSES; k++)
    if (of_class[k] < 2 * ROUNDS) FAIL("%s: %d mutants", classes[k].name, of_class[k]);
  for (int i = 0; i < models; i++)
    if (of_model[i] < 80) FAIL("%s: %d mutants", model_name[i], of_model[i]);
  printf("%d mutants, %d different\n", n, different);
  CHECK(different >= 1000);
}

/* two of every class, the models in turn */
TEST(mutants_through_the_program) {
  int n = 0;
  load();
  for (int k = 0; k < CLASSES; k++)
    for (int i = 0, done = 0; i < models && done < 2; i++) {
      const int model = (5 * k + i) % models;
      mutant m = make(k, model, 0);
      if (!m.text) continue;
      char name[200];
      int line, column;
      result r;
      snprintf(name, sizeof name, "%s_%s.json", classes[k].name, model_name[model]);
      FILE *f = fopen(name, "wb");
      if (!f || fwrite(m.text, 1, m.n, f) != m.n || fclose(f) != 0) abort();
      place_of(&m, &line, &column);
      tenon_run(".", name, &r);
      if (!check_refused(&r, name, line, column, m.word)) print_around(&m);
      remove(name);
      free(m.text);
      done++;
      n++;
    }
  CHECK(n >= 60);
}
