/* a small test header. one test file is one program; each TEST runs as a CTest test of its own.
 *   TEST(name) {...}       label fast: in every build, under the sanitizers too
 *   TEST_FULL(name) {...}  label full: release build only
 *   TEST_LONG(name) {...}  label long: `./dev test long`
 * run all of a program's tests, or those named on its command line; last line `N passed, N failed`. */
#ifndef TN_TEST_H
#define TN_TEST_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOL_MACHINE(n) (2.3e-16 * (double)(n))
#define TOL_METHOD(order, h) pow((h), (order))

typedef struct tn_test {
  const char *name;
  void (*run)(void);
  struct tn_test *next;
} tn_test;

static tn_test *tn_tests, **tn_tests_end = &tn_tests;
static int tn_test_failures;

#define TN_TEST_DEFINE(name)                                                                                           \
  static void name(void);                                                                                              \
  __attribute__((constructor)) static void name##_register(void) {                                                     \
    static tn_test self = {#name, name, NULL};                                                                         \
    *tn_tests_end = &self;                                                                                             \
    tn_tests_end = &self.next;                                                                                         \
  }                                                                                                                    \
  static void name(void)
#define TEST(name) TN_TEST_DEFINE(name)
#define TEST_FULL(name) TN_TEST_DEFINE(name)
#define TEST_LONG(name) TN_TEST_DEFINE(name)

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      tn_test_failures++;                                                                                              \
      printf("%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #condition);                                                    \
    }                                                                                                                  \
  } while (0)

/* fails on NaN too */
#define CHECK_NEAR(a, b, tolerance)                                                                                    \
  do {                                                                                                                 \
    double tn_a = (a), tn_b = (b), tn_tol = (tolerance);                                                               \
    if (!(fabs(tn_a - tn_b) <= tn_tol)) {                                                                              \
      tn_test_failures++;                                                                                              \
      printf("%s:%d: CHECK_NEAR(%s, %s): %.17g and %.17g differ by %.3g > %.3g\n", __FILE__, __LINE__, #a, #b, tn_a,   \
             tn_b, fabs(tn_a - tn_b), tn_tol);                                                                         \
    }                                                                                                                  \
  } while (0)

#define CHECK_TEXT(a, b)                                                                                               \
  do {                                                                                                                 \
    const char *tn_s = (a), *tn_t = (b);                                                                               \
    if (!tn_s || !tn_t || strcmp(tn_s, tn_t) != 0) {                                                                   \
      tn_test_failures++;                                                                                              \
      printf("%s:%d: CHECK_TEXT(%s, %s): \"%s\" and \"%s\"\n", __FILE__, __LINE__, #a, #b, tn_s ? tn_s : "(null)",     \
             tn_t ? tn_t : "(null)");                                                                                  \
    }                                                                                                                  \
  } while (0)

/* the first holds the second */
#define CHECK_HAS(text, part)                                                                                          \
  do {                                                                                                                 \
    const char *tn_s = (text), *tn_t = (part);                                                                         \
    if (!strstr(tn_s, tn_t)) {                                                                                         \
      tn_test_failures++;                                                                                              \
      printf("%s:%d: \"%s\" does not hold \"%s\"\n", __FILE__, __LINE__, tn_s, tn_t);                                  \
    }                                                                                                                  \
  } while (0)

/* in words */
#define FAIL(...)                                                                                                      \
  do {                                                                                                                 \
    tn_test_failures++;                                                                                                \
    printf("%s:%d: ", __FILE__, __LINE__);                                                                             \
    printf(__VA_ARGS__);                                                                                               \
    printf("\n");                                                                                                      \
  } while (0)

int main(int argc, char **argv) {
  int passed = 0, failed = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (tn_test *t = tn_tests; t; t = t->next) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; i++) wanted = wanted || strcmp(argv[i], t->name) == 0;
    if (!wanted) continue;
    tn_test_failures = 0;
    t->run();
    if (tn_test_failures) {
      failed++;
      printf("FAILED %s\n", t->name);
    } else {
      passed++;
      printf("ok %s\n", t->name);
    }
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed ? 1 : 0;
}

#endif
