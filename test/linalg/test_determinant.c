/* determinants against products, exchanges and a matrix known in closed form. */
#include "linalg/linalg.h"
#include "test.h"

TEST(small_ones) {
  double a[] = {-3}, b[] = {0, 2, 5, 7}, c[] = {2, 0, 1, 1, 3, 2, 1, 1, 4}, zero[] = {1, 2, 2, 4},
         none[] = {0, 0, 0, 0};
  CHECK(tn_determinant(0, a) == 1 && tn_determinant(1, a) == -3);
  CHECK_NEAR(tn_determinant(2, b), -10, 1e-15); /* by an exchange */
  CHECK_NEAR(tn_determinant(3, c), 18, 1e-14);
  CHECK_NEAR(tn_determinant(2, zero), 0, 1e-15);
  CHECK(tn_determinant(2, none) == 0);
}

/* of 1/(i + j + 1), n = 4: 1/6048000 */
TEST(hilbert) {
  double h[16];
  for (int i = 0; i < 16; i++) h[i] = 1.0 / (i / 4 + i % 4 + 1);
  CHECK_NEAR(tn_determinant(4, h) * 6048000, 1, 1e-11);
}

/* a permutation has the sign of it, times the product of what it moves */
TEST(permutations) {
  unsigned state = 1;
  for (int tries = 0; tries < 50; tries++) {
    enum { N = 9 };
    int p[N];
    double A[N * N] = {0}, expected = 1;
    for (int i = 0; i < N; i++) p[i] = i;
    for (int i = N - 1; i > 0; i--) {
      state = state * 1664525u + 1013904223u;
      const int k = (int)(state >> 16) % (i + 1), x = p[i];
      if (k != i) expected = -expected;
      p[i] = p[k];
      p[k] = x;
    }
    for (int i = 0; i < N; i++) {
      A[i * N + p[i]] = i + 0.5;
      expected *= i + 0.5;
    }
    CHECK_NEAR(tn_determinant(N, A) / expected, 1, 1e-14);
  }
}
