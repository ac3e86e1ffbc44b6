/* tn_format against snprintf: in the C locale they say the same, and in every other one tn_format goes on saying it. */
#include "base/base.h"

#include <float.h>
#include <locale.h>

#include "test.h"

enum { ROOM = 1400 };

static uint64_t state = 88172645463325252u;
static uint64_t bits(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
static int pick(int lo, int hi) { return lo + (int)((bits() >> 20) % (uint64_t)(hi - lo + 1)); }

/* the last byte of a buffer that has not been written to */
static const char untouched = '\x55';

/* what was written, what was left alone, and what came back, for the same arguments and any size of the buffer */
typedef struct result {
  char text[ROOM];
  int n;
} result;

static bool check_same(const char *format, size_t size, const result *ours, const result *theirs) {
  if (ours->n == theirs->n && memcmp(ours->text, theirs->text, ROOM) == 0) return true;
  FAIL("\"%s\" with room for %zu: %d \"%.60s\", snprintf says %d \"%.60s\"", format, size, ours->n,
       size ? ours->text : "", theirs->n, size ? theirs->text : "");
  return false;
}

/* with ample room, then with every size that cuts */
#define SAME(...)                                                                                                      \
  do {                                                                                                                 \
    static result ours, theirs;                                                                                        \
    const int n = snprintf(NULL, 0, __VA_ARGS__);                                                                      \
    for (int size = -1; size <= n + 2 && size < ROOM; size++) {                                                        \
      memset(ours.text, untouched, ROOM);                                                                              \
      memset(theirs.text, untouched, ROOM);                                                                            \
      const size_t room = size < 0 ? ROOM : (size_t)size;                                                              \
      ours.n = tn_format(ours.text, room, __VA_ARGS__);                                                                \
      theirs.n = snprintf(theirs.text, room, __VA_ARGS__);                                                             \
      if (!check_same(FIRST(__VA_ARGS__, 0), room, &ours, &theirs)) break;                                             \
    }                                                                                                                  \
  } while (0)
#define FIRST(a, ...) (a)

TEST(plain_text_and_percent_signs) {
  SAME("%s", "");
  SAME("abc");
  SAME("100%%");
  SAME("%%");
  SAME("%%%d%%", 5);
  SAME("a%%b%sc%%", "-");
  SAME("%d%d%s%d", 1, 2, "3", 4);
}

TEST(texts_with_width_and_precision) {
  SAME("%s|%10s|%-10s|", "abc", "abc", "abc");
  SAME("%.2s|%.0s|%.9s|", "abc", "abc", "abc");
  SAME("%8.2s|%-8.2s|%2.8s|", "abc", "abc", "abc");
  SAME("%*s|%*s|%*s|", 6, "abc", -6, "abc", 0, "abc");
  SAME("%.*s|%.*s|%.*s|", 2, "abc", 0, "abc", -1, "abc");
  SAME("%*.*s|%*.*s|", 6, 1, "abc", -6, 2, "abc");
  SAME("%-*s|%-*.*s|", 6, "abc", 6, 1, "abc");
  SAME("%s %s", "", "\xc3\xa4\xe2\x82\xac");
  const char open[3] = {'a', 'b', 'c'}; /* no NUL: the precision alone says where it ends */
  SAME("%.3s|%.*s|%5.2s", open, 3, open, open);
}

TEST(characters) {
  SAME("%c%c%c", 'a', '%', '\n');
  SAME("%5c|%-5c|%*c|", 'a', 'b', 3, 'c');
}

TEST(whole_numbers) {
  static const int64_t numbers[] = {
      0, 1, -1, 9, 10, -10, 2147483647, -2147483647 - 1, 4294967296, -9223372036854775807 - 1};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const int64_t w = numbers[i];
    const long l = (long)w;
    const long long ll = w;
    const int d = (int)w;
    const unsigned u = (unsigned)w;
    const size_t z = (size_t)w;
    SAME("%d %i %u %x", d, d, u, u);
    SAME("%ld %li %lu %lx", l, l, (unsigned long)l, (unsigned long)l);
    SAME("%lld %lli %llu %llx", ll, ll, (unsigned long long)ll, (unsigned long long)ll);
    SAME("%" PRId64 " %" PRIu64 " %016" PRIx64, w, (uint64_t)w, (uint64_t)w);
    SAME("%zu %zx", z, z);
    SAME("%08d|%-8d|%+d|% d|%+8d|%.5d|%8.5d|", d, d, d, d, d, d, d);
    SAME("%08x|%#x|%#10x|%-10x|%.4x|", u, u, u, u, u);
    SAME("%24ld|%-24ld|%024ld|%24zu|", l, l, l, z);
    SAME("%*d|%-*d|%*.*d|%0*d|%*ld|", 12, d, 12, d, 12, 4, d, 12, d, -22, l);
    SAME("%.0d|%.*d", d, 3, d);
  }
}

TEST(numbers) {
  static const double special[] = {0,       -0.0,     1,        -1,       0.1,      1.0 / 3,  0.5,    1.5,
                                   2.5,     1e15,     1e16,     123456.5, 999999,   999999.5, 1e-5,   9.9995e4,
                                   DBL_MAX, DBL_MIN,  NAN,      INFINITY, 5e-324,   1e100,    -1e300, 1e22,
                                   1e23,    -0.1e-20, -DBL_MAX, 0.05,     -INFINITY};
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
    const double x = special[i];
    SAME("%g|%e|%f", x, x, x);
    SAME("%.17g|%.15g|%.0g|%.3g|%.9g", x, x, x, x, x);
    SAME("%.0f|%.1f|%.2f|%.9f", x, x, x, x);
    SAME("%.0e|%.2e|%.16e", x, x, x);
    SAME("%#g|%#.0f|%#.0e", x, x, x);
    SAME("%+g|% g|%012g|%-12g|%12g|", x, x, x, x, x);
    SAME("%+.3f|%+.3e|%08.3f|%-20.3f|", x, x, x, x);
    SAME("%*g|%.*g|%*.*e|%-*.*f|", 14, x, 4, x, 16, 5, x, 20, 2, x);
    SAME("%lg|%.3lf|%le", x, x, x);
    SAME("t = %.9g s, %s: %d of %ld", x, "what", 3, 4L);
  }
}

/* flags, widths, precisions and stars at random; of each conversion the flags that C gives a meaning */
static void random_case(void) {
  static const struct {
    const char *conversion, *flags;
  } table[] = {{"d", "-+ 0"}, {"ld", "-+ 0"}, {"u", "-0"},    {"lu", "-0"},   {"zu", "-0"},   {"x", "-#0"},
               {"lx", "-#0"}, {"s", "-"},     {"c", "-"},     {"g", "-+ #0"}, {"e", "-+ #0"}, {"f", "-+ #0"},
               {"i", "-+ 0"}, {"g", "-+ #0"}, {"e", "-+ #0"}, {"f", "-+ #0"}, {"s", "-"},     {"li", "-+ 0"}};
  const int k = pick(0, (int)(sizeof table / sizeof *table) - 1);
  const char *conversion = table[k].conversion, kind = conversion[strlen(conversion) - 1];
  char format[64] = "<%";
  bool left = false;
  for (const char *f = table[k].flags; *f; f++)
    if (pick(0, 3) == 0) {
      strncat(format, f, 1);
      left = left || *f == '-';
    }
  int star[2], stars = 0, precision;
  const int width_how = pick(0, 2);
  if (width_how == 1) snprintf(format + strlen(format), 8, "%d", pick(1, 80));
  if (width_how == 2) {
    strcat(format, "*");
    star[stars++] = pick(left ? 0 : -40, 40);
  }
  const int precision_how = kind == 'c' ? 0 : pick(0, 2);
  precision = pick(0, kind == 's' ? 12 : 40);
  if (precision_how == 1) snprintf(format + strlen(format), 8, ".%d", precision);
  if (precision_how == 2) {
    strcat(format, ".*");
    star[stars++] = precision;
  }
  strcat(format, conversion);
  strcat(format, ">");
  static result ours, theirs;
  const uint64_t random = bits() >> pick(0, 63);
  double x;
  const uint64_t pattern = bits();
  memcpy(&x, &pattern, sizeof x);
  if (pick(0, 1)) x = (double)pick(-100000, 100000) / 64;
  if (isnan(x)) x = copysign(x, 1); /* one with a sign: below */
  const char *const texts[] = {"", "a", "abcdef", "a longer text, of forty-one characters in all"};
  const char *text = texts[pick(0, 3)];
  const size_t size = (size_t)(pick(0, 2) ? ROOM : pick(0, 50));
  memset(ours.text, untouched, ROOM);
  memset(theirs.text, untouched, ROOM);
#define TRY(value)                                                                                                     \
  do {                                                                                                                 \
    if (stars == 0) {                                                                                                  \
      ours.n = tn_format(ours.text, size, format, value);                                                              \
      theirs.n = snprintf(theirs.text, size, format, value);                                                           \
    } else if (stars == 1) {                                                                                           \
      ours.n = tn_format(ours.text, size, format, star[0], value);                                                     \
      theirs.n = snprintf(theirs.text, size, format, star[0], value);                                                  \
    } else {                                                                                                           \
      ours.n = tn_format(ours.text, size, format, star[0], star[1], value);                                            \
      theirs.n = snprintf(theirs.text, size, format, star[0], star[1], value);                                         \
    }                                                                                                                  \
  } while (0)
  if (kind == 's')
    TRY(text);
  else if (kind == 'c')
    TRY('a' + (int)(random % 26));
  else if (strchr("gef", kind))
    TRY(x);
  else if (conversion[0] == 'l')
    TRY((long)random);
  else if (conversion[0] == 'z')
    TRY((size_t)random);
  else
    TRY((int)random);
#undef TRY
  check_same(format, size, &ours, &theirs);
}

/* the one thing in which it is not C's: the sign bit of what is not a number says nothing */
TEST(nan_has_no_sign) {
  char ours[2][80];
  for (int i = 0; i < 2; i++) {
    const double x = copysign(NAN, i ? -1 : 1);
    tn_format(ours[i], sizeof ours[i], "%g|%.17g|%8.2e|%-6f|%06g", x, x, x, x, x);
    CHECK_TEXT(ours[i], "nan|nan|     nan|nan   |   nan");
  }
}

TEST(conversions_at_random) {
  for (int i = 0; i < 200000 && tn_test_failures < 20; i++) random_case();
}

/* ---- corners of the same promise ---------------------------------------------------------------------------------------- */

TEST(a_negative_precision_is_none) {
  SAME("%.*g|%.*f|%.*e", -1, 1.5, -3, 2.5, -2, 0.1);
  SAME("%.*d", -1, 7);
}

TEST(a_negative_width_and_a_dash_both_mean_left) {
  SAME("%-*d|", -6, 42);
  SAME("%-*s|", -6, "ab");
}

TEST(signed_sizes) {
  SAME("%zd", (ptrdiff_t)-5);
  SAME("%zd %zd", (ptrdiff_t)-5000000000, (ptrdiff_t)5000000000);
}

TEST(numbers_of_any_length) {
  SAME("%.60f", DBL_MAX);
  SAME("%.300f|%.120f", 1e300, -DBL_MAX);
  SAME("%500d|%-450g|", 1, 2.5);
  SAME("%700s|", "abc");
}

/* ---- locales ------------------------------------------------------------------------------------------------------------- */

static bool set_comma(void) {
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                        "nl_NL.UTF-8", "de_DE",      "tn_COMMA"};
  for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
    if (setlocale(LC_ALL, locales[i]) && strcmp(localeconv()->decimal_point, ".") != 0) return true;
  setlocale(LC_ALL, "C");
  return false; /* none is installed: then the test says nothing new */
}

TEST(a_comma_locale_changes_nothing) {
  static const char *const formats[] = {"%g",      "%.17g",    "%f",      "%.3e", "%#.0f",
                                        "%12.4f|", "%-12.4f|", "%012.4f", "%+g",  "%.0f"};
  for (int i = 0; i < 5000 && tn_test_failures < 20; i++) {
    char c[400], comma[400], small[8], small_c[8];
    const char *format = formats[pick(0, 9)];
    double x;
    const uint64_t pattern = bits();
    memcpy(&x, &pattern, sizeof x);
    if (pick(0, 1)) x = (double)pick(-100000, 100000) / 64;
    if (isnan(x)) x = copysign(x, 1);
    const int n = snprintf(c, sizeof c, format, x), m = snprintf(small_c, sizeof small_c, format, x);
    const bool set = set_comma();
    const int n_comma = tn_format(comma, sizeof comma, format, x), m_comma = tn_format(small, sizeof small, format, x);
    if (set) setlocale(LC_ALL, "C");
    CHECK_TEXT(comma, c);
    CHECK_TEXT(small, small_c);
    CHECK(n == n_comma && m == m_comma);
  }
  set_comma();
  char text[64];
  CHECK(tn_format(text, sizeof text, "%d,%s,%.1f,%s", 1, "a,b", 2.5, "3,5") == 13);
  setlocale(LC_ALL, "C");
  CHECK_TEXT(text, "1,a,b,2.5,3,5"); /* commas of texts stay */
}

static int through(char *text, size_t size, const char *format, ...) TN_PRINTF(3, 4);
static int through(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = tn_vformat(text, size, format, arguments);
  va_end(arguments);
  return n;
}

TEST(with_a_list_of_arguments_it_is_the_same) {
  char text[64];
  CHECK(through(text, sizeof text, "%s %5d %-6.2f|%c%%", "a", 42, 2.5, 'z') == 17);
  CHECK_TEXT(text, "a    42 2.50  |z%");
  CHECK(through(text, 5, "%s", "abcdefgh") == 8);
  CHECK_TEXT(text, "abcd");
}
