/* dense matrices of the references: singular vectors, least squares and elimination of random matrices of every shape and rank, held
 * against what defines them. */
#include "linalg/kkt.h"
#include "linalg/linalg.h"
#include "test.h"

enum { MOST = 12 };

static double uniform(void) {
  static uint64_t state = 7;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return 2 * (double)(state >> 11) * 0x1p-53 - 1;
}

/* m x n of rank r, rows of very different length if spread > 0 */
static void random_matrix(int m, int n, int r, double spread, double *X) {
  memset(X, 0, sizeof *X * (size_t)(m * n));
  for (int k = 0; k < r; k++) {
    double p[MOST], q[MOST];
    for (int i = 0; i < m; i++) p[i] = uniform();
    for (int j = 0; j < n; j++) q[j] = uniform();
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) X[i * n + j] += p[i] * q[j];
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) X[i * n + j] *= pow(10, -spread * i / m);
}

static double largest(int n, const double *a) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
  return size;
}

TEST(singular_vectors_make_the_matrix) {
  for (int m = 1; m <= MOST; m++)
    for (int n = 1; n <= MOST; n++)
      for (int r = 0; r <= (m < n ? m : n); r++) {
        double A[MOST * MOST], X[MOST * MOST], Q[MOST * MOST], sigma[MOST], worst = 0;
        random_matrix(m, n, r, 3, A);
        memcpy(X, A, sizeof X);
        tn_svd(m, n, X, Q, sigma);
        const double size = largest(m * n, A);
        for (int i = 0; i < m; i++)
          for (int j = 0; j < n; j++) {
            double sum = -A[i * n + j];
            for (int k = 0; k < m; k++) sum += Q[k * m + i] * X[k * n + j];
            worst = fmax(worst, fabs(sum));
          }
        CHECK(worst <= 1e-14 * size);
        CHECK(tn_svd_rank(m, n, sigma, m) == r && tn_svd_rank(m, n, sigma, 1) == (r > 0));
        for (int i = 0; i < m; i++)
          for (int k = 0; k <= i; k++) {
            double qq = -(i == k), xx = 0;
            for (int j = 0; j < m; j++) qq += Q[i * m + j] * Q[k * m + j];
            for (int j = 0; j < n; j++) xx += X[i * n + j] * X[k * n + j];
            CHECK(fabs(qq) < 1e-13);
            if (i == k) CHECK_NEAR(sqrt(xx), sigma[i], 1e-15 * size);
            if (k < i) CHECK(sigma[i] <= sigma[k]);
            if (k < i && i < r) CHECK(fabs(xx) <= 1e-13 * sigma[i] * sigma[k]);
          }
      }
}

/* the residual is normal to the columns; the shortest y lies in them */
TEST(least_squares) {
  for (int m = 1; m <= MOST; m++)
    for (int n = 1; n <= m; n++) {
      double A[MOST * MOST], H[MOST * MOST], diagonal[MOST + 1], b[MOST], r[MOST], x[MOST], y[MOST], w[MOST], z[MOST];
      random_matrix(m, n, n, 0, A);
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) A[i * n + j] += i == j ? 3 : 0;
      memcpy(H, A, sizeof H);
      for (int i = 0; i < m; i++) b[i] = r[i] = uniform();
      for (int j = 0; j < n; j++) w[j] = uniform();
      tn_qr(m, n, H, diagonal);
      tn_qr_solve(m, n, H, diagonal, b, x);
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) r[i] -= A[i * n + j] * x[j];
      tn_qr_shortest(m, n, H, diagonal, w, y);
      memcpy(b, y, sizeof b);
      tn_qr_solve(m, n, H, diagonal, b, z); /* y = A z then */
      for (int j = 0; j < n; j++) {
        double normal = 0, sum = 0;
        for (int i = 0; i < m; i++) normal += A[i * n + j] * r[i], sum += A[i * n + j] * y[i];
        CHECK_NEAR(normal, 0, 1e-12);
        CHECK_NEAR(sum, w[j], 1e-12);
      }
      for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) y[i] -= A[i * n + j] * z[j];
        CHECK_NEAR(y[i], 0, 1e-12);
      }
    }
}

TEST(cholesky) {
  for (int n = 1; n <= MOST; n++) {
    double A[MOST * MOST] = {0}, B[MOST * MOST], x[MOST], b[MOST];
    random_matrix(n, n, n, 0, B);
    for (int i = 0; i < n; i++) b[i] = x[i] = uniform();
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        A[i * n + j] = i == j;
        for (int k = 0; k < n; k++) A[i * n + j] += B[i * n + k] * B[j * n + k];
      }
    memcpy(B, A, sizeof B);
    CHECK(tn_cholesky(n, B));
    tn_cholesky_down(n, B, x);
    tn_cholesky_up(n, B, x);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) b[i] -= A[i * n + j] * x[j];
      CHECK_NEAR(b[i], 0, 1e-12);
    }
    A[n * n - 1] = -1;
    CHECK(!tn_cholesky(n, A));
    A[0] = NAN;
    CHECK(!tn_cholesky(n, A));
  }
}

TEST(elimination) {
  for (int m = 1; m <= MOST; m++)
    for (int n = 1; n <= MOST; n++)
      for (int r = 0; r <= (m < n ? m : n); r++)
        for (int how = 0; how < 3; how++) {
          double A[MOST * MOST], X[MOST * MOST], L[MOST * MOST], U[MOST * MOST], smallest, worst = 0;
          int column[MOST];
          bool taken[MOST];
          random_matrix(m, n, r, 0, A);
          if (how == 1) /* the first column is zero: rref must pass it over */
            for (int i = 0; i < m; i++) A[i * n] = 0;
          const int rank = how == 1 && r > n - 1 ? n - 1 : r, most = how == 2 ? r : m < n ? m : n;
          if (how == 2)
            for (int k = 0; k < r; k++) column[k] = n - 1 - k;
          memcpy(X, A, sizeof X);
          const int got = tn_eliminate(m, n, X, most, (tn_pivoting)how, 1e-12, L, U, column, taken, &smallest);
          if (got != rank) FAIL("%d x %d, how %d: rank %d instead of %d", m, n, how, got, rank);
          CHECK((smallest > 0) == (got == most));
          for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
              double sum = -A[i * n + j];
              for (int k = 0; k < got; k++) sum += L[i * got + k] * U[k * n + j];
              worst = fmax(worst, fabs(sum));
            }
          if (!(worst < 1e-8)) FAIL("%d x %d of rank %d, how %d: %g", m, n, r, how, worst);
          for (int k = 0; k < got; k++) {
            for (int j = 0; j < k; j++) CHECK(U[k * n + column[j]] == 0);
            if (how == 0)
              for (int j = 0; j < n; j++) CHECK(fabs(U[k * n + j]) <= fabs(U[k * n + column[k]]));
            if (how == 1) CHECK(column[k] == k + 1);
            if (how == 2) CHECK(column[k] >= n - r);
          }
        }
}

/* the four sums of `dot`, of which three are +0: zeros of either sign, values that cancel and values that are not finite */
TEST(short_sums_have_the_bits_of_the_four_sums) {
  static const double some[] = {0, -0.0, 1, -1, 1.0 / 3, -1e-320, 1e308, INFINITY, NAN};
  enum { SOME = sizeof some / sizeof *some };
  int compared = 0;
  for (int n = 0; n < 4; n++)
    for (int i = 0; i < SOME * SOME * SOME; i++) {
      const double a[3] = {some[i % SOME], some[i / SOME % SOME], some[i / SOME / SOME]}, b[3] = {-2, 2, 0.5};
      double s[4] = {0, 0, 0, 0};
      for (int k = 0; k < n; k++) s[0] += a[k] * b[k];
      const double all = (s[0] + s[2]) + (s[1] + s[3]), got = dot(n, a, b);
      if (isnan(all) ? !isnan(got) : memcmp(&all, &got, sizeof all) != 0) FAIL("%d of %d: %g, not %g", i, n, got, all);
      compared++;
    }
  CHECK(compared == 4 * SOME * SOME * SOME);
}
