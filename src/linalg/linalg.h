/* linalg: factorisations. Matrices are dense and row major unless said otherwise. Nothing allocates. What parts see of it is in
 * tenon/dense.h. */
#ifndef TN_LINALG_H
#define TN_LINALG_H

#include "base/base.h"

/* 1: pivot over diagonal element below which a matrix is not positive definite */
static const double TN_PIVOT_LEAST = 1e-14;
static const double TN_SHIFT = 1e-15; /* 1: eps of K - eps D, which keeps the pivots of dependent rows off zero       */
/* of the answer: sweeps of refinement end where the next one changes it by less */
static const double TN_SWEEP_END = 1e-12;
static const double TN_REPEAT_OFF = 1e-14; /* 1: |F| above which redundant rows repeat others only nearly */

/* K = [M A'; A 0], regularised and refined. Numbers in brackets are the equations at the head of kkt.c. */
typedef struct tn_kkt {
  int nu, rows;
  int rank;         /* rows that are independent in general; below `rows`: redundant. set by the caller before factor */
  double *L;        /* nu x nu, lower: M + W = L L' (2)                                                               */
  double *L_inv;    /* nu: 1 / L_jj                                                                                   */
  int *first, *end; /* nu: first column of row j of L that is not zero; end of the diagonal block that holds j        */
  double *B;        /* rows x nu: rows of A in the metric of (M + W)^-1, scaled to length 1 (3)                       */
  double *F;    /* rows x nu: N'B of redundant rows (11), 0 if they repeat exactly; in the order of `pivot`        */
  int *lo, *hi; /* rows: row i of A and of B is zero outside lo .. hi-1                                           */
  int *order, *list; /* rows: the order of elimination that is kept; scratch                                          */
  enum { TN_NOT_ORDERED, TN_ORDERED, TN_NO_ORDER } ordered; /* not yet; there is one; none was good enough            */
  double rho_ordered, least_ordered; /* rho_min, and the least pivot in that order, when it was made                  */
  const int *group; /* rows, or NULL: the first of the rows that share a scale where some are redundant               */
  double *D;        /* rows: (A (M + W)^-1 A')_ii                                                                     */
  double
      *D_typical; /* rows: D at typical poses, 0 before any; a row is scaled by the larger of D and this            */
  double *s;      /* rows: 1 / sqrt(D), 0 for a row of zeros                                                        */
  double *S;      /* rows x rows: above the diagonal U of (5), in the order of `pivot`; below it T and N'N of (8)   */
  double *S_inv;  /* rows: 1 / (pivot e + eps)                                                                      */
  double *G_inv;  /* rows: 1 / diagonal of the factor of N'N                                                        */
  int *pivot;     /* rows: row eliminated e-th                                                                      */
  double *rho; /* rows: pivot e before eps: squared sine against the rows before it; unless ordered never increasing */
  int independent; /* rows solved with, the first of `pivot`: `rank`, or more where rows after it do not depend      */
  double off;      /* the largest of |F| (11): how far redundant rows are from repeating each other                  */
  double least;    /* the smallest of the pivots that are solved with                                                */
  double rho_min;  /* the smallest rho among the first `rank` pivots                                                  */
  double
      rho_typical; /* that at typical poses, 0 before any                                                             */
  int bad_pivot;   /* the speed at which M + W was not positive definite if factor has failed, else -1               */
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

/* Forget rank and typical poses; or take the pose as factored for a typical one. The largest D of all typical poses counts. */
void tn_kkt_reset(tn_kkt *k);
void tn_kkt_keep(tn_kkt *k, tn_keep *keep); /* serialize all that outlives a call */
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
/* The smallest x in the metric with A x = g, of a g that is known only to within its roundoff `noise` (rows). Near a singular position
 * the directions that would carry only roundoff are left out. */
void tn_kkt_correct(tn_kkt *k, const double *M, const double *A, const double *sigma, const double *g,
                    const double *noise, double *x, double *lambda, tn_kkt_info *info);
/* Nearness of a singular position: rho_min over its typical value, 1 far away. (Masses of very different size make rho small
 * everywhere.) */
double tn_kkt_nearness(const tn_kkt *k);
/* rank of A in the metric of M as factored: leading pivots with rho above 1e-12 */
int tn_kkt_rank(const tn_kkt *k);
/* leading pivots before rho falls below 1e-9 at once, by a factor of a million: the rows behind repeat them, at least nearly */
int tn_kkt_gap(const tn_kkt *k);
/* the left-null vector c (rows), c'A = 0, of redundant row e of the elimination (independent <= e < rows), 1 at the row that is
 * returned */
int tn_kkt_dependence(const tn_kkt *k, int e, double *c);

/* svd.c: the singular values of A (m x n, m <= n), largest first, in sigma (m). A is overwritten */
void tn_singular_values(int m, int n, double *A, double *sigma);

/* determinant.c: of A (n x n), which is used up */
double tn_determinant(int n, double *A);

/* ---- dense.c: for formulations that serve as references; clarity comes before speed ------------------------------------- */

/* Speeds scaled by their masses and rows by s (rows): x = d xs, lambda = s mu.
 *   d_j = 1/sqrt(M_jj + sum sigma_i a_ij^2),  Ms = d M d,  As = s A d.  sigma NULL: none */
void tn_dense_scale(int nu, int rows, const double *M, const double *A, const double *sigma, const double *s, double *d,
                    double *Ms, double *As);
/* max s_i |g_i - a_i x|, of a row of zeros |g_i|: the residual of rows that contradict each other */
double tn_dense_left(int nu, int rows, const double *A, const double *s, const double *g, const double *x);

/* X (m x n) -> rows sigma_i v_i, largest first; Q (m x m, or NULL): rows q_i, X as it was = sum sigma_i q_i v_i'. X, of rows
 * of any rank, is turned until its rows are orthogonal but for those below m eps of all, which are roundoff */
void tn_svd(int m, int n, double *X, double *Q, double *sigma);
/* the numerical rank: how many of sigma (m, largest first) are above max(m, n) eps sigma_0, `most` at most */
int tn_svd_rank(int m, int n, const double *sigma, int most);

/* H (m x n, m >= n) = Q R by reflections, in place; the diagonal (n) of R apart. H must have full column rank. */
void tn_qr(int m, int n, double *H, double *diagonal);
/* x = H^+ b, b is used up; y = H^+'w: the shortest y with H'y = w */
void tn_qr_solve(int m, int n, const double *H, const double *diagonal, double *b, double *x);
void tn_qr_shortest(int m, int n, const double *H, const double *diagonal, const double *w, double *y);

/* X (m x n) = L U by elimination, of rank `most` at most: L m x rank, U rank x n (X is used up). `column` (most): the k-th pivot
 * is U[k][column[k]], and the columns of those before it are zero in row k. taken (m): room */
typedef enum tn_pivoting {
  TN_PIVOT_FULL, /* the largest number that is left                                                         */
  TN_PIVOT_RREF, /* column by column, the largest of each that is above `least`                             */
  TN_PIVOT_KEPT, /* as full, among the columns that `column` holds already                                  */
  TN_PIVOT_GIVEN /* these in their order, the largest of each                                               */
} tn_pivoting;
/* returns the rank found: pivots above `least`; smallest: the least of them, 0 if rank is less than `most` */
int tn_eliminate(int m, int n, double *X, int most, tn_pivoting pivoting, double least, double *L, double *U,
                 int *column, bool *taken, double *smallest);

/* ---- pivots.c: sparse rows, some columns in terms of the others. numbers in brackets are the equations at its head ------------- */

typedef struct tn_pivots {
  int rows, columns, room;           /* of L and of U, numbers at most                                          */
  bool again, full;                  /* with the columns as they are; there is no room: no factor               */
  int at, rank;                      /* rows done; of them those that have a pivot                              */
  double least;                      /* the smallest pivot                                                      */
  double worth;                      /* the smallest pivot over the largest that it was with these columns */
  double *best;                      /* rows: that */
  int *pivot;                        /* rows: column, or -1: the row depends on those before it                 */
  int *step;                         /* columns: the row whose pivot it is, or -1: independent                  */
  int *first_l, *first_u;            /* rows + 1: of a row in L and in U, where its pivot is first              */
  int *step_l, *column_u;            /* room: of which row before it, of which column                           */
  double *L, *U;                     /* room                                                                    */
  double *v;                         /* columns: the next row, by the caller; zero between two                  */
  double *y;                         /* rows: of (2), by the caller: the right side, measured as the rows are   */
  int *later;                        /* columns: rows to come that have it, by the caller before a new choice   */
  int *list, *heap, listed, waiting; /* of the row at hand: columns; steps that it needs, the smallest first */
  bool *in, *queued;                 /* columns in `list`; steps in `heap`                                  */
} tn_pivots;

void tn_pivots_carve(tn_pivots *k, tn_carve *c, int rows, int columns, int room);
void tn_pivots_keep(tn_pivots *k, tn_keep *keep); /* the choice, not the factor */
/* rows follow: each is put into `v`, its columns are told, and then it is taken. again: with the columns as chosen last */
void tn_pivots_begin(tn_pivots *k, bool again);
void tn_pivots_has(tn_pivots *k, int column);
/* never (columns, or NULL): these are no pivots where a row has others; no pivot is below `least` */
void tn_pivots_row(tn_pivots *k, const bool *never, double least);
/* (2) of the right side in y, which is used up; x (columns) */
void tn_pivots_solve(tn_pivots *k, double *x);

/* ---- blocks: LDL' of a symmetric matrix made of small blocks, ordered once, factored often ------------------------------
 * A node is a group of unknowns: the speeds of a body, the rows of a joint. Its kind says which sign its pivots have:
 *   TN_BLOCK_MASS  positive                         TN_BLOCK_ROWS  negative; may be small, see factor
 *   TN_BLOCK_FREE  positive once the rows that hold it are eliminated, zero before (coordinates of a tree) */

enum { TN_BLOCK_MOST = 8 }; /* numbers in a node */

typedef enum tn_block_kind { TN_BLOCK_MASS, TN_BLOCK_ROWS, TN_BLOCK_FREE } tn_block_kind;

typedef struct tn_edge {
  int a, b;
} tn_edge;

/* A block of n rows is stored column by column, each of this length. Numbers past n are zero and stay zero. */
static inline int tn_block_pad(int n) { return n <= 3 ? n : n <= 4 ? 4 : 8; }

typedef struct tn_later { /* a block of L below the pivot of a column */
  int column, size;       /* of the node it belongs to                 */
  int at;                 /* first value                               */
  int x;                  /* of the vector                             */
} tn_later;

typedef struct tn_column {
  const struct tn_kernel *kernel; /* for its pattern of sizes                                        */
  int at;                         /* first value of its pivot; those of its blocks follow            */
  int x;                          /* first of its numbers in the vector, in the order of elimination */
  int row;                        /* of rows: the first of its gauges                                */
  int first;                      /* its blocks in `later`                                           */
  int update;                     /* first of its targets: n (n + 1)/2 first values, of (i, j), j <= i       */
  short n;                        /* blocks                                                                  */
  unsigned char size, kind;       /* numbers; tn_block_kind                                                  */
} tn_column;

/* columns that are filled and factored together, while they are in the caches: so many numbers of the matrix, or a few more */
enum { TN_TILE = 8192 };
typedef struct tn_tile {
  int column, needed; /* the first of its columns, and of the nodes that must be there before it */
} tn_tile;

/* the plan, order.c: made at compile, never changed */
typedef struct tn_plan {
  int nodes, size, values, rows; /* numbers in a vector; in the matrix; of them in nodes of rows */
  int *column;                   /* nodes: its place in the order                                */
  int *node;                     /* columns: whose it is                                         */
  tn_column *columns;            /* nodes, and one that ends the last: `at`                       */
  tn_later *later;
  int *target;
  int most; /* longest column: blocks below a pivot                         */
  int tiles;
  tn_tile *tile; /* tiles + 1                                                    */
  int *needed;   /* nodes, in the order in which elimination needs them          */
} tn_plan;

/* order and pattern for nodes of these sizes and kinds, and edges between them (each once, a != b). NULL members: no memory */
bool tn_plan_make(tn_plan *p, tn_arena *arena, int nodes, const int *size, const int *kind, int edges,
                  const tn_edge *edge);

/* the address of a block: value (i, j) of K(a, b) is values[at + i*row + j*col]; a == b: the lower triangle counts */
typedef struct tn_where {
  int at, row, col;
} tn_where;
bool tn_plan_where(const tn_plan *p, int a, int b, tn_where *w);

typedef struct tn_gauge { /* the scale of the pivot of a row                    */
  double D, D_inv;        /* its size, and the inverse of that                  */
  double usual;           /* 1 over D times rho at typical poses                 */
  double rho;             /* pivot over D                                       */
} tn_gauge;

/* the factor, block.c. vectors are in the order of elimination */
typedef struct tn_ldl {
  const tn_plan *plan;
  double *K;                   /* values: filled by the caller, then factored in place                     */
  bool *careful, some_careful; /* nodes: columns with a small pivot; whether there are any                 */
  double *z;                   /* room for a column                                                        */
  tn_gauge *gauge;             /* rows                                                                     */
  double eps;                  /* row pivots are -(max(p, 0) + eps D)                                      */
  double rho_min, nearness;    /* the smallest rho; the smallest rho over its typical value, 1 at most      */
  int bad;                     /* the node whose positive pivot is not, when factor fails                  */
} tn_ldl;

/* How a column is factored and solved with. `factor` returns false if a pivot has the wrong sign, or if that of a row is small;
 * `least` are the least rho and nearness so far. */
typedef struct tn_elimination {
  bool (*factor)(const tn_ldl *b, const tn_column *c, double *x, double least[2]);
  void (*forward)(const tn_ldl *b, const tn_column *c, double *x);
  void (*backward)(const tn_ldl *b, const tn_column *c, double *x);
} tn_elimination;

typedef struct tn_kernel {
  int code;                      /* sizes of the pivot, the first and the second block: 320 */
  tn_elimination quick, careful; /* chunk by chunk; number by number, see block.c           */
  void (*residual)(const tn_plan *p, const tn_column *c, const double *K, const double *x,
                   double *r); /* r -= K x of it */
} tn_kernel;
extern const tn_kernel tn_kernels_small[], tn_kernels_wide[], tn_kernel_any; /* lists end with code 0 */

void tn_ldl_carve(tn_ldl *b, tn_carve *c, const tn_plan *p);
/* Factors in place. x (or NULL) is a right side, which is forward substituted on the way. false: see bad. */
bool tn_ldl_factor(tn_ldl *q, double *x);
/* The same tile by tile, from the first to the last. The nodes that a tile needs may be filled just before it is factored. */
void tn_ldl_begin(tn_ldl *q);
bool tn_ldl_factor_tile(tn_ldl *q, int tile, double *x);
/* x = K^-1 x; or its halves; the second also tile by tile, from the last to the first */
void tn_ldl_solve(const tn_ldl *q, double *x);
void tn_ldl_forward(const tn_ldl *q, double *x);
void tn_ldl_backward(const tn_ldl *q, double *x);
void tn_ldl_backward_tile(const tn_ldl *q, int tile, double *x);
/* r = b - K x, K as filled */
void tn_ldl_residual(const tn_plan *p, const double *K, const double *x, const double *b, double *r);

/* ---- saddle.c: K = [M A'; A 0] by blocks, with rows that may be redundant or nearly so -------------------------------------- */

typedef struct tn_saddle {
  tn_ldl ldl;
  /* by the caller: fills the nodes that a tile needs, of K at the present state, and of the right side x unless it is NULL */
  void (*fill)(const void *who, int tile, double *K, double *x);
  const void *who;
  bool redundant;     /* rows depend on each other in general: set by the caller                              */
  bool filled;        /* K0 is that of the factor                                                             */
  double grain;       /* roundoff error times rho_min, measured at typical poses; 0: not known                */
  double *K0;         /* as filled                                                                            */
  double *g, *r, *dl; /* work: vectors                                                                        */
} tn_saddle;

typedef struct tn_saddle_info {
  int sweeps;
  double inconsistency; /* max |part of the right side that contradicts itself| / sqrt(D) */
  double error;         /* of u, relative: after the last sweep, if there was one               */
} tn_saddle_info;

void tn_saddle_carve(tn_saddle *s, tn_carve *c, const tn_plan *p);
void tn_saddle_keep(tn_saddle *s, tn_keep *keep); /* serialize all that outlives a call */
/* Fills and factors. x (or NULL) is a right side, which is forward substituted on the way. false: see ldl.bad. */
bool tn_saddle_factor(tn_saddle *s, double *x);
/* K0 is that of the present state, unless it is already */
void tn_saddle_fill(tn_saddle *s);
/* the number of redundant rows, from the pivots of a factor with `redundant` set */
int tn_saddle_redundant(tn_saddle *s);
/* true: the factor alone is not accurate enough, and tn_saddle_sweep must follow */
bool tn_saddle_sweeps(const tn_saddle *s);
/* the relative error of a solution without sweeps; INFINITY: near a singular position, or rows are redundant */
double tn_saddle_error(const tn_saddle *s);
/* at a typical pose, with x solved by the factor: measures the grain */
void tn_saddle_measure(tn_saddle *s, const double *b, double *x);
/* refines x, which the factor has solved for the right side b */
void tn_saddle_sweep(tn_saddle *s, const double *b, double *x, tn_saddle_info *info);

/* ---- root.c: the same by reflections, near singular positions and with redundant rows ---------------------------------------- */

#include "linalg/root.h"

#endif
