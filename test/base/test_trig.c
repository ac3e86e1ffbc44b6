/* cosines and sines of many angles at once, against those of the library. */
#include "base/base.h"
#include "test.h"

enum { N = 1000 };

TEST(as_good_as_the_library) {
  static const double reach[] = {0.8, 3, 50, 1e3, 9.9e4, 1e6, 1e15};
  double x[3 * N], c[N], s[N], worst = 0;
  unsigned state = 7;
  for (size_t k = 0; k < sizeof reach / sizeof *reach; k++) {
    for (int i = 0; i < 3 * N; i++) {
      state = state * 1664525u + 1013904223u;
      x[i] = reach[k] * ((double)(state >> 8) / 8388608.0 - 1);
    }
    tn_cos_sin(N, x + 2, 3, c, s);
    for (int i = 0; i < N; i++)
      worst = fmax(worst, fmax(fabs(c[i] - cos(x[3 * i + 2])), fabs(s[i] - sin(x[3 * i + 2]))));
  }
  printf("off by at most %.1e\n", worst);
  CHECK(worst <= 2.3e-16);
}

TEST(quadrants_and_what_is_no_number) {
  const double half = 1.57079632679489661923, x[] = {0, half, 2 * half, 3 * half, -half, -3 * half, NAN, INFINITY};
  double c[8], s[8];
  tn_cos_sin(8, x, 1, c, s);
  for (int i = 0; i < 6; i++) {
    CHECK_NEAR(c[i], cos(x[i]), 1e-16);
    CHECK_NEAR(s[i], sin(x[i]), 1e-16);
  }
  CHECK(c[0] == 1 && s[0] == 0);
  CHECK(isnan(c[6]) && isnan(s[6]) && isnan(c[7]) && isnan(s[7]));
}

TEST(all_finite_or_not) {
  double x[11] = {1, -2, 3, 1e308, -1e308, 1e308, 1e308};
  CHECK(tn_all_finite(11, x) && tn_all_finite(0, x));
  for (int i = 0; i < 11; i++) {
    const double kept = x[i];
    x[i] = i % 2 ? NAN : -INFINITY;
    CHECK(!tn_all_finite(11, x));
    x[i] = kept;
  }
}
