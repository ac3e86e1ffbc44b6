/* the saddle point system solved in four times the digits: what solvers in double are held against.
 *
 *   M x + A'lambda = f,  A x = g         rows measured by D_i = |L^-1 a_i|^2,  M + sum sigma_i a_i a_i' = L L',
 *                                        or by D as it is given
 * where A x = g has no solution: least squares with weights 1/D; where lambda is not unique: least sum D_i lambda_i^2 */
#ifndef TN_TEST_QUAD_H
#define TN_TEST_QUAD_H

#include <stdbool.h>

typedef struct quad_system {
  int n, rows, rank;           /* rank: of A as it stands                                   */
  const double *M, *A;         /* n x n, rows x n                                           */
  const double *sigma, *f, *g; /* rows, may be NULL: none; n; rows                          */
  const double *D;             /* rows, may be NULL                                         */
} quad_system;

typedef struct quad_answer {
  double *x, *lambda;   /* n, rows; the caller's                                                */
  double *D;            /* rows; the caller's, may be NULL                                      */
  double inconsistency; /* max |what is left of g| / sqrt(D)                                  */
  double smallest;      /* singular value of the first `rank` rows chosen, each of length 1   */
} quad_answer;

/* false: M is not positive definite, or A has less than `rank` independent rows */
bool quad_solve(const quad_system *s, quad_answer *a);

/* |x - y| / |y| in the metric of M (n x n); in that of D (n) */
double quad_error(int n, const double *M, const double *x, const double *y);
double quad_error_by(int n, const double *D, const double *x, const double *y);

#endif
