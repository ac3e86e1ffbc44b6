/* linalg: factorisations. dense here; row major; nothing allocates. */
#ifndef TN_LINALG_H
#define TN_LINALG_H

#include "base/base.h"

/* K = [M A'; A 0], regularised and refined; numbers in brackets are the equations at the head of kkt.c */
typedef struct tn_kkt {
  int nu, rows;
  int rank;         /* rows that are independent in general; below `rows`: redundant. set by the caller before factor */
  double *L;        /* nu x nu, lower: M + W = L L' (2)                                                               */
  double *L_inv;    /* nu: 1 / L_jj                                                                                   */
  int *first, *end; /* nu: first column of row j of L that is not zero; end of the diagonal block that holds j        */
  double *B;        /* rows x nu: rows of A in the metric of (M + W)^-1, scaled to length 1 (3)                       */
  int *lo, *hi;     /* rows: row i of A and of B is zero outside lo .. hi-1                                           */
  double *D;        /* rows: (A (M + W)^-1 A')_ii                                                                     */
  double
      *D_typical;  /* rows: D at typical poses, 0 before any; the larger of the two scales a row                     */
  double *s;       /* rows: 1 / sqrt(D), 0 for a row of zeros                                                        */
  double *S;       /* rows x rows: above the diagonal U of (5), in the order of `pivot`; below it T and N'N of (8)   */
  double *S_inv;   /* rows: 1 / (pivot e + eps)                                                                      */
  double *G_inv;   /* rows: 1 / diagonal of the factor of N'N                                                        */
  int *pivot;      /* rows: row eliminated e-th                                                                      */
  double *rho;     /* rows: pivot e before eps: squared sine against the rows before it; never increasing            */
  int independent; /* rows solved with, the first of `pivot`: `rank`, or more where rows after it do not depend      */
  double rho_min;  /* the smallest rho among the first `rank` pivots                                                  */
  double
      rho_typical; /* that at typical poses, 0 before any                                                             */
  int bad_pivot;   /* speed at which M + W was not positive definite when factor fails, else -1                      */
  double *y, *z, *z_sum, *dx, *r1; /* work, nu each   */
  double *r2, *g, *v, *mu, *dmu;   /* work, rows each */
} tn_kkt;

typedef struct tn_kkt_info {
  int sweeps;           /* refinement sweeps made                                                          */
  double inconsistency; /* max |left-null part of g| / sqrt(D), 0 if the rows are not redundant            */
  bool failed;          /* the result is not finite                                                        */
} tn_kkt_info;

/* carves the arrays and sets rank = rows */
void tn_kkt_carve(tn_kkt *k, tn_carve *c, int nu, int rows);

/* forget rank and typical poses; or take the pose as factored for a typical one (the largest D of all such stands) */
void tn_kkt_reset(tn_kkt *k);
void tn_kkt_typical(tn_kkt *k, int rank);

/* factor at M (nu x nu, full, symmetric), A (rows x nu). sigma (rows, or NULL): W = sum sigma_i a_i a_i' makes M + W
 * positive definite without changing any answer. M NULL stands for the identity (sigma is then not used).
 * false: M + W is not positive definite, see bad_pivot */
bool tn_kkt_factor(tn_kkt *k, const double *M, const double *A, const double *sigma);
/* M x + A' lambda = f, A x = g. where A x = g has no solution: least squares, rows weighted with 1/D; where lambda is
 * not unique: least sum D_i lambda_i^2. f NULL: zero. M, A, sigma as factored; x, lambda must not overlap f, g.
 * one factor serves any number of right-hand sides */
void tn_kkt_solve(tn_kkt *k, const double *M, const double *A, const double *sigma, const double *f, const double *g,
                  double *x, double *lambda, tn_kkt_info *info);
/* the correction A x = g, |x| least in the metric, of a g that is known only to within its roundoff `noise` (rows): near a
 * singular position the directions that would only carry roundoff are left alone */
void tn_kkt_correct(tn_kkt *k, const double *M, const double *A, const double *sigma, const double *g,
                    const double *noise, double *x, double *lambda, tn_kkt_info *info);
/* nearness of a singular position: rho_min over what it typically is; 1 far away. (masses of very different size make
 * rho small everywhere) */
double tn_kkt_nearness(const tn_kkt *k);
/* rank of A in the metric of M as factored: leading pivots with rho above 1e-12 */
int tn_kkt_rank(const tn_kkt *k);
/* the left-null vector c (rows), c'A = 0, of redundant row e of the elimination (independent <= e < rows), 1 at the row that is
 * returned */
int tn_kkt_dependence(const tn_kkt *k, int e, double *c);

/* svd.c: the singular values of A (m x n, m <= n), largest first, in sigma (m). A is overwritten */
void tn_singular_values(int m, int n, double *A, double *sigma);

#endif
