/* CSV: numbers that read back as they were, a line of names, a line a row. */
#include "record/record.h"

#include <float.h>
#include <locale.h>

#include "support/build.h"
#include "test.h"

typedef struct page {
  char text[4000];
  size_t used;
  long calls, fail; /* the call number `fail` is refused */
} page;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (++p->calls == p->fail || p->used + size >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

static void check_round_trip(double value) {
  char text[40];
  const int n = tn_format(text, 40, "%.17g", value);
  CHECK(n == (int)strlen(text) && n < 40 && !strchr(text, ','));
  const double back = strtod(text, NULL);
  CHECK(memcmp(&back, &value, sizeof value) == 0);
  if (memcmp(&back, &value, sizeof value) != 0) printf("%a became %s\n", value, text);
}

TEST(numbers_read_back_as_the_same_bits) {
  static const double special[] = {
      0,       -0.0,   1,       0.1,         1.0 / 3,   1e22,   1e23,      DBL_MAX,           -DBL_MAX,
      DBL_MIN, 5e-324, -5e-324, DBL_EPSILON, 123456789, 1e-300, 0x1p-1074, 9007199254740993.0};
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) check_round_trip(special[i]);
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    double value;
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) check_round_trip(value);
  }
}

TEST(numbers_have_a_point_in_every_locale) {
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8", "nl_NL.UTF-8"};
  char text[40];
  for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
    if (setlocale(LC_NUMERIC, locales[i])) break; /* none may be installed: then this says little */
  tn_format(text, 40, "%.17g", -0.1e-20);
  setlocale(LC_NUMERIC, "C");
  CHECK_TEXT(text, "-9.9999999999999991e-22");
}

TEST(what_is_not_finite_is_said_in_words_that_read_back) {
  char text[40];
  tn_format(text, 40, "%.17g", INFINITY);
  CHECK(strtod(text, NULL) == INFINITY);
  tn_format(text, 40, "%.17g", -INFINITY);
  CHECK(strtod(text, NULL) == -INFINITY);
  for (int i = 0; i < 2; i++) { /* whatever its sign bit is */
    tn_format(text, 40, "%.17g", copysign(NAN, i ? -1 : 1));
    CHECK_TEXT(text, "nan");
    tn_format(text, 40, "%8.2e|%-6g", copysign(NAN, i ? -1 : 1), copysign(NAN, i ? -1 : 1));
    CHECK_TEXT(text, "     nan|nan   ");
  }
}

TEST(rows_have_nan_without_a_sign) {
  static page p;
  CHECK(tn_csv_row(1, 4, (double[]){copysign(NAN, -1), NAN, INFINITY, -INFINITY}, to_page, &p) == TN_OK);
  CHECK_TEXT(p.text, "1,nan,nan,inf,-inf\n");
}

TEST(a_row_is_a_line) {
  static page p;
  CHECK(tn_csv_row(0.1, 3, (double[]){1, -2.5, 1e-300}, to_page, &p) == TN_OK);
  CHECK(tn_csv_row(2, 0, NULL, to_page, &p) == TN_OK);
  CHECK_TEXT(p.text, "0.10000000000000001,1,-2.5,1e-300\n2\n");
}

TEST(the_head_has_the_columns) {
  static page p;
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_simulate(&b));
  if (!b.failed) CHECK(tn_csv_head(b.sim, to_page, &p) == TN_OK);
  CHECK_TEXT(p.text, "t,tip.x,tip.y,load\n");
  build_free(&b);
}

TEST(a_write_that_fails_is_an_error_wherever_it_fails) {
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_simulate(&b));
  page whole = {.used = 0};
  CHECK(tn_csv_head(b.sim, to_page, &whole) == TN_OK);
  for (long n = 1; n <= whole.calls; n++) {
    page p = {.fail = n};
    CHECK(tn_csv_head(b.sim, to_page, &p) == TN_E_IO);
  }
  const double values[] = {1, 2, 3};
  whole = (page){.used = 0};
  CHECK(tn_csv_row(0.5, 3, values, to_page, &whole) == TN_OK);
  for (long n = 1; n <= whole.calls; n++) {
    page p = {.fail = n};
    CHECK(tn_csv_row(0.5, 3, values, to_page, &p) == TN_E_IO);
  }
  build_free(&b);
}
