/* singular values: against spectra that matrices were made with, against LAPACK, and small ones of graded matrices to full
 * relative accuracy. */
#include <float.h>
#include <lapacke.h>

#include "linalg/linalg.h"
#include "test.h"

enum { MOST = 40 };
typedef long double real;

static uint64_t state = 1;
static double uniform(double lo, double hi) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(state >> 11) * 0x1p-53;
}
static int integer(int lo, int hi) { return lo + (int)uniform(0, hi - lo + 1 - 1e-9); }

/* A (m x n) <- A H or H A with a random reflection H, in long double */
static void reflect(int m, int n, real *A, bool from_left) {
  real v[MOST], size = 0;
  const int k = from_left ? m : n;
  for (int i = 0; i < k; i++) v[i] = uniform(-1, 1), size += v[i] * v[i];
  for (int i = 0; i < (from_left ? n : m); i++) {
    real sum = 0;
    for (int j = 0; j < k; j++) sum += v[j] * A[from_left ? j * n + i : i * n + j];
    for (int j = 0; j < k; j++) A[from_left ? j * n + i : i * n + j] -= 2 * sum / size * v[j];
  }
}

/* a random matrix with these singular values */
static void make(int m, int n, const double *sigma, double *A) {
  real R[MOST * MOST] = {0};
  for (int i = 0; i < m; i++) R[i * n + i] = sigma[i];
  for (int k = 0; k < 4; k++) {
    reflect(m, n, R, true);
    reflect(m, n, R, false);
  }
  for (int i = 0; i < m * n; i++) A[i] = (double)R[i];
}

static int falling(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void check_order(int m, const double *sigma) {
  for (int i = 0; i < m; i++) CHECK(sigma[i] >= 0 && (i == 0 || sigma[i] <= sigma[i - 1]));
}

static void lapack(int m, int n, const double *A, double *sigma) {
  double copy[MOST * MOST], none[1];
  memcpy(copy, A, sizeof *A * (size_t)(m * n));
  CHECK(LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'N', m, n, copy, n, sigma, none, m, none, n) == 0);
}

/* kinds of spectra */
static void spectrum(int kind, int m, double *sigma) {
  for (int i = 0; i < m; i++) switch (kind) {
    case 0: sigma[i] = uniform(0.1, 10); break;
    case 1: sigma[i] = pow(10, uniform(-12, 3)); break;              /* far apart      */
    case 2: sigma[i] = i % 3 ? 2.5 : 0.5; break;                     /* repeated       */
    case 3: sigma[i] = i < m / 2 ? uniform(0.5, 2) : 0; break;       /* rank deficient */
    case 4: sigma[i] = 1 + 1e-13 * i; break;                         /* in a cluster   */
    case 5: sigma[i] = i == 0 ? 1 : 1e-9; break;                     /* one direction  */
    default: sigma[i] = i == m - 1 ? 1e-14 : uniform(0.5, 2); break; /* nearly singular */
    }
  qsort(sigma, (size_t)m, sizeof *sigma, falling);
}

TEST(prescribed_spectra_come_back_and_lapack_agrees) {
  for (int trial = 0; trial < 700 && tn_test_failures < 20; trial++) {
    double wanted[MOST], sigma[MOST], theirs[MOST], A[MOST * MOST];
    const int m = integer(1, trial % 5 ? 12 : MOST), n = trial % 3 ? integer(m, MOST) : m;
    spectrum(trial % 7, m, wanted);
    make(m, n, wanted, A);
    lapack(m, n, A, theirs);
    tn_singular_values(m, n, A, sigma);
    check_order(m, sigma);
    /* the entries are rounded: that alone moves values by so much */
    const double tolerance = TOL_MACHINE(4 * n) * wanted[0];
    for (int i = 0; i < m; i++) {
      CHECK_NEAR(sigma[i], wanted[i], tolerance);
      CHECK_NEAR(sigma[i], theirs[i], tolerance);
    }
  }
}

/* rows of very different size: each value keeps its digits, which dgesdd would lose and dgesvj keeps */
TEST(small_values_of_graded_rows_have_all_their_digits) {
  for (int trial = 0; trial < 100 && tn_test_failures < 20; trial++) {
    double A[MOST * MOST], columns[MOST * MOST], theirs[MOST], sigma[MOST], stat[MOST + 6] = {0}, none[1], exact[MOST];
    const int m = integer(2, 10), n = integer(m, 20);
    const double grade = pow(10, -uniform(1, 10));
    double flat[MOST];
    for (int i = 0; i < m; i++) flat[i] = uniform(0.5, 2);
    make(m, n, flat, A); /* well conditioned but for the sizes of its rows */
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) A[i * n + j] *= pow(grade, (i * 11) % m);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) columns[j * m + i] = A[i * n + j];
    CHECK(LAPACKE_dgesvj(LAPACK_ROW_MAJOR, 'G', 'N', 'N', n, m, columns, m, exact, 0, none, m, stat) == 0);
    for (int i = 0; i < m; i++) theirs[i] = exact[i] * stat[0];
    qsort(theirs, (size_t)m, sizeof *theirs, falling);
    tn_singular_values(m, n, A, sigma);
    check_order(m, sigma);
    for (int i = 0; i < m; i++) CHECK_NEAR(sigma[i] / theirs[i], 1, TOL_MACHINE(40 * n));
    CHECK(sigma[m - 1] < 10 * pow(grade, m - 1) && sigma[m - 1] > 0.01 * pow(grade, m - 1));
  }
}

/* orthogonal rows of known length, down to 1e-120: nothing has to turn and nothing is lost */
TEST(orthogonal_rows_of_any_size_are_exact) {
  double A[16 * 16], sigma[16];
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++) { /* Hadamard */
      int parity = 0;
      for (int k = i & j; k; k >>= 1) parity ^= k & 1;
      A[((i * 5) % 16) * 16 + j] = ldexp(parity ? -1 : 1, -27 * i);
    }
  tn_singular_values(16, 16, A, sigma);
  for (int i = 0; i < 16; i++) CHECK(sigma[i] == ldexp(4, -27 * i));
}

TEST(a_power_of_two_scales_the_values_and_nothing_else) {
  for (int trial = 0; trial < 20; trial++) {
    double A[MOST * MOST], B[MOST * MOST], one[MOST], other[MOST], wanted[MOST];
    const int m = integer(1, 12), n = integer(m, 20), power = integer(-200, 200);
    spectrum(trial % 7, m, wanted);
    make(m, n, wanted, A);
    for (int i = 0; i < m * n; i++) B[i] = ldexp(A[i], power);
    tn_singular_values(m, n, A, one);
    tn_singular_values(m, n, B, other);
    for (int i = 0; i < m; i++) CHECK(other[i] == ldexp(one[i], power));
  }
}

TEST(one_row_is_its_length) {
  double a[] = {3, 0, -4, 12}, b[] = {-7}, c[] = {0, 0, 0}, sigma[1];
  tn_singular_values(1, 4, a, sigma);
  CHECK(sigma[0] == 13);
  tn_singular_values(1, 1, b, sigma);
  CHECK(sigma[0] == 7);
  tn_singular_values(1, 3, c, sigma);
  CHECK(sigma[0] == 0);
}

TEST(rows_of_zeros_give_zeros_and_leave_the_others) {
  double A[6 * 8], B[3 * 8], sigma[6], less[3];
  for (int i = 0; i < 6 * 8; i++) A[i] = i / 8 % 2 ? 0 : uniform(-1, 1);
  for (int i = 0; i < 3; i++) memcpy(B + 8 * i, A + 16 * i, 8 * sizeof *A);
  tn_singular_values(6, 8, A, sigma);
  tn_singular_values(3, 8, B, less);
  for (int i = 0; i < 3; i++) CHECK_NEAR(sigma[i], less[i], TOL_MACHINE(8) * less[0]);
  for (int i = 3; i < 6; i++) CHECK(sigma[i] == 0);
  double zero[4 * 4] = {0};
  tn_singular_values(4, 4, zero, sigma);
  for (int i = 0; i < 4; i++) CHECK(sigma[i] == 0);
  tn_singular_values(0, 3, zero, sigma); /* a model without rows */
}

TEST(rows_that_repeat_one_another_are_of_rank_one) {
  double A[5 * 7], sigma[5], size = 0;
  for (int j = 0; j < 7; j++) {
    const double x = uniform(-1, 1);
    for (int i = 0; i < 5; i++) A[i * 7 + j] = (i + 1) * x, size += (i + 1) * (i + 1) * x * x;
  }
  tn_singular_values(5, 7, A, sigma);
  CHECK_NEAR(sigma[0], sqrt(size), TOL_MACHINE(20) * sqrt(size));
  for (int i = 1; i < 5; i++) CHECK(sigma[i] <= TOL_MACHINE(20) * sqrt(size));
}

/* angles down to 1e-15 between two rows of length 1: cos and sin of half of it, times sqrt(2) */
TEST(nearly_parallel_rows) {
  for (int k = 0; k <= 15; k++) {
    const double angle = pow(10, -k);
    double A[4] = {1, 0, cos(angle), sin(angle)}, sigma[2];
    tn_singular_values(2, 2, A, sigma);
    CHECK_NEAR(sigma[0], sqrt(2) * cos(angle / 2), 1e-15);
    CHECK_NEAR(sigma[1], sqrt(2) * sin(angle / 2), 1e-15);
  }
}

/* sum of squares and, of a square one, product: identities that need no other library */
TEST(squares_add_up_and_products_are_the_determinant) {
  for (int trial = 0; trial < 100; trial++) {
    double A[25], U[25], sigma[5], squares = 0, sum = 0, product = 1, determinant = 1;
    const int n = integer(1, 5);
    for (int i = 0; i < n * n; i++) U[i] = A[i] = uniform(-1, 1), squares += A[i] * A[i];
    for (int k = 0; k < n; k++) { /* elimination with row exchanges */
      int best = k;
      for (int i = k; i < n; i++)
        if (fabs(U[i * n + k]) > fabs(U[best * n + k])) best = i;
      for (int j = 0; j < n && best != k; j++) {
        const double swap = U[k * n + j];
        U[k * n + j] = U[best * n + j], U[best * n + j] = swap;
      }
      determinant *= U[k * n + k];
      for (int i = k + 1; i < n; i++)
        for (int j = n - 1; j >= k; j--) U[i * n + j] -= U[i * n + k] / U[k * n + k] * U[k * n + j];
    }
    tn_singular_values(n, n, A, sigma);
    for (int i = 0; i < n; i++) sum += sigma[i] * sigma[i], product *= sigma[i];
    CHECK_NEAR(sum, squares, TOL_MACHINE(50) * squares);
    CHECK_NEAR(product, fabs(determinant), TOL_MACHINE(100) * pow(sigma[0], n));
  }
}

TEST(what_is_not_a_number_ends_too) {
  double A[9] = {1, 2, 3, NAN, 5, 6, 7, 8, 9}, B[4] = {INFINITY, 1, 2, 3}, sigma[3] = {0, 0, 0};
  tn_singular_values(3, 3, A, sigma);
  CHECK(isnan(sigma[0]) || isnan(sigma[1]) || isnan(sigma[2]));
  tn_singular_values(2, 2, B, sigma);
}
