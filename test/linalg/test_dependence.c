/* tn_kkt_dependence: what a redundant row follows from. c'A = 0 whatever the metric, 1 at the row that is returned, and nothing
 * at rows that have no part in it. */
#include "linalg/linalg.h"
#include "test.h"

enum { MOST = 40 };

static uint64_t state = 7;
static double uniform(double lo, double hi) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(state >> 11) * 0x1p-53;
}
static int integer(int lo, int hi) { return lo + (int)uniform(0, hi - lo + 1 - 1e-9); }

/* a factorisation at the rank that the rows have; the block must be freed */
static void *factor(tn_kkt *k, int nu, int rows, const double *M, const double *A, const double *sigma) {
  tn_carve c = {NULL, 0};
  tn_kkt_carve(k, &c, nu, rows);
  void *block = tn_block_new(NULL, c.used);
  if (!block) abort();
  c = (tn_carve){block, 0};
  tn_kkt_carve(k, &c, nu, rows);
  CHECK(tn_kkt_factor(k, M, A, sigma));
  k->rank = tn_kkt_rank(k);
  CHECK(tn_kkt_factor(k, M, A, sigma));
  return block;
}

static void random_mass(int n, double spread, double *M) {
  double L[MOST * MOST] = {0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) L[i * n + j] = i == j ? pow(10, uniform(-spread, spread)) : uniform(-0.2, 0.2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      M[i * n + j] = 0;
      for (int k = 0; k < n; k++) M[i * n + j] += L[i * n + k] * L[j * n + k];
    }
}

/* |c'A| against the sizes that it is summed from */
static double remainder_of(int nu, int rows, const double *A, const double *c) {
  double worst = 0;
  for (int j = 0; j < nu; j++) {
    double sum = 0, size = 0;
    for (int i = 0; i < rows; i++) sum += c[i] * A[i * nu + j], size += fabs(c[i] * A[i * nu + j]);
    if (size > 0) worst = fmax(worst, fabs(sum) / size);
  }
  return worst;
}

static void check_all(const tn_kkt *k, int nu, int rows, int rank, const double *A, double tolerance) {
  bool told[MOST] = {false};
  CHECK(k->independent == rank);
  for (int e = k->independent; e < rows; e++) {
    double c[MOST];
    for (int i = 0; i < rows; i++) c[i] = NAN; /* all of it is written */
    const int row = tn_kkt_dependence(k, e, c);
    CHECK(row >= 0 && row < rows);
    if (row < 0 || row >= rows) return;
    CHECK(!told[row] && row == k->pivot[e]);
    told[row] = true;
    CHECK(c[row] == 1);
    for (int i = k->independent; i < rows; i++)
      if (i != e) CHECK(c[k->pivot[i]] == 0); /* redundant rows follow from the others, not from each other */
    const double off = remainder_of(nu, rows, A, c);
    if (!(off <= tolerance)) FAIL("%d x %d, rank %d: c'A is %.2g of its parts", rows, nu, rank, off);
  }
}

/* rows at random, some of them combinations of others, of very different size, in any order */
TEST(random_redundant_rows) {
  for (int trial = 0; trial < 600 && tn_test_failures < 20; trial++) {
    double A[MOST * MOST], M[MOST * MOST], sigma[MOST];
    const int nu = integer(2, 20), rank = integer(1, nu), redundant = integer(1, 6), rows = rank + redundant;
    const bool scaled = trial % 3 == 1;
    for (int i = 0; i < rank * nu; i++) A[i] = uniform(-1, 1);
    for (int i = rank; i < rows; i++)
      for (int j = 0; j < nu; j++) {
        A[i * nu + j] = 0;
        for (int k = 0; k < rank; k++) A[i * nu + j] += ((i * 31 + k * 17) % 11 - 5) * A[k * nu + j];
      }
    for (int i = 0; i < rows; i++) { /* shuffled, then scaled */
      const int other = integer(0, rows - 1);
      for (int j = 0; j < nu; j++) {
        const double x = A[i * nu + j];
        A[i * nu + j] = A[other * nu + j];
        A[other * nu + j] = x;
      }
    }
    for (int i = 0; i < rows; i++) {
      const double size = scaled ? pow(10, uniform(-4, 4)) : 1;
      double square = 0;
      for (int j = 0; j < nu; j++) A[i * nu + j] *= size, square += A[i * nu + j] * A[i * nu + j];
      sigma[i] = square > 0 ? uniform(0.1, 1) / square : 0; /* in place of mass: of its size */
    }
    random_mass(nu, trial % 5 == 0 ? 1 : 0.3, M);
    tn_kkt k;
    void *block = factor(&k, nu, rows, trial % 2 ? M : NULL, A, trial % 4 == 3 ? sigma : NULL);
    check_all(&k, nu, rows, rank, A, 1e-9);
    tn_block_free(NULL, block);
  }
}

/* known beforehand: rows of zeros and ones, the coefficients are whole numbers */
TEST(coefficients_are_those_the_row_was_made_with) {
  static const double A[] = {1, 0,  0, 0, 0,  /* a                */
                             0, 1,  0, 0, 0,  /* b                */
                             0, 0,  1, 0, 0,  /* c                */
                             2, -3, 0, 0, 0,  /* 2 a - 3 b        */
                             0, 0,  0, 1, 1}; /* nothing to do with it */
  for (int metric = 0; metric < 2; metric++) {
    double M[25], c[5];
    tn_kkt k;
    random_mass(5, 0.5, M);
    void *block = factor(&k, 5, 5, metric ? M : NULL, A, NULL);
    CHECK(k.independent == 4);
    const int row = tn_kkt_dependence(&k, 4, c);
    CHECK(row == 0 || row == 1 || row == 3); /* which of the three is a matter of taste */
    const double by = c[3];
    CHECK(by != 0);
    CHECK_NEAR(c[0] / by, -2, 1e-13);
    CHECK_NEAR(c[1] / by, 3, 1e-13);
    CHECK(fabs(c[2]) < 1e-14 && fabs(c[4]) < 1e-14); /* the innocent are not named */
    tn_block_free(NULL, block);
  }
}

TEST(a_row_said_twice_and_thrice) {
  double A[6 * 4], c[6];
  tn_kkt k;
  for (int j = 0; j < 4; j++) {
    A[j] = uniform(-1, 1);
    A[4 + j] = uniform(-1, 1);
    A[8 + j] = A[j];
    A[12 + j] = -3 * A[4 + j];
    A[16 + j] = 1e-5 * A[j];
    A[20 + j] = A[j] - A[4 + j];
  }
  void *block = factor(&k, 4, 6, NULL, A, NULL);
  check_all(&k, 4, 6, 2, A, 1e-13);
  for (int e = 2; e < 6; e++) {
    tn_kkt_dependence(&k, e, c);
    int used = 0;
    for (int i = 0; i < 6; i++) used += fabs(c[i]) > 1e-12;
    CHECK(used == 2 || used == 3);
  }
  tn_block_free(NULL, block);
}

TEST(a_row_of_zeros_depends_on_nothing) {
  for (int metric = 0; metric < 2; metric++) {
    double A[4 * 3] = {1, 2, 3, 0, 0, 0, 0, 1, 1, 0, 0, 0}, M[9], c[4];
    tn_kkt k;
    random_mass(3, 0.5, M);
    void *block = factor(&k, 3, 4, metric ? M : NULL, A, NULL);
    CHECK(k.independent == 2);
    bool told[4] = {false};
    for (int e = 2; e < 4; e++) {
      const int row = tn_kkt_dependence(&k, e, c);
      CHECK(row == 1 || row == 3);
      told[row] = true;
      for (int i = 0; i < 4; i++) CHECK(c[i] == (i == row ? 1 : 0));
    }
    CHECK(told[1] && told[3]);
    double none[2 * 3] = {0}; /* nothing but zeros */
    tn_block_free(NULL, block);
    block = factor(&k, 3, 2, metric ? M : NULL, none, NULL);
    CHECK(k.independent == 0);
    for (int e = 0; e < 2; e++) {
      const int row = tn_kkt_dependence(&k, e, c);
      CHECK(c[row] == 1 && c[1 - row] == 0);
    }
    tn_block_free(NULL, block);
  }
}

/* after a typical pose the rows are scaled by what they were there; what follows from what does not change */
TEST(typical_poses_change_nothing) {
  double A[5 * 6], B[5 * 6], M[36];
  tn_kkt k;
  for (int i = 0; i < 3 * 6; i++) A[i] = uniform(-1, 1);
  for (int j = 0; j < 6; j++) {
    A[18 + j] = A[j] - 2 * A[6 + j];
    A[24 + j] = 3 * A[12 + j] + A[j];
  }
  for (int i = 0; i < 5 * 6; i++) B[i] = (1 + 10 * (i / 6)) * A[i]; /* larger, each by its own factor */
  random_mass(6, 0.5, M);
  void *block = factor(&k, 6, 5, M, A, NULL);
  check_all(&k, 6, 5, 3, A, 1e-12);
  CHECK(tn_kkt_factor(&k, M, B, NULL));
  tn_kkt_typical(&k, 3);
  CHECK(tn_kkt_factor(&k, M, A, NULL));
  check_all(&k, 6, 5, 3, A, 1e-12);
  tn_block_free(NULL, block);
}
