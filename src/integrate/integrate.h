/* integrate: formulas on the begin / rates interface. a step of length h from (t, y); an error estimate where there is one; dense
 * output inside the last step. one file a family.
 *
 *   step.c    what one-step formulas share       coefficients.c  those of Adams, exactly
 *   newton.c  what implicit formulas share       stability.c     regions of zdot = lambda z, and of held feedback */
#ifndef TN_INTEGRATE_H
#define TN_INTEGRATE_H

#include "tenon/extend.h"

/* of the tolerance: iterations end where what would follow is below */
static const double TN_LEFT_OPEN = 1e-3;
/* of the tolerance: where corrections no longer fall they are roundoff, as long as they are below */
static const double TN_STUCK = 0.03;
/* of the length: two steps of the same length, but for roundoff of their times */
static const double TN_SAME_LENGTH = 1e-9;

/* cubic through (y0, f0), (y1, f1) at theta in [0, 1] of a step h; local error h^4 y''''/384 */
void tn_hermite(int n, double theta, double h, const double *y0, const double *f0, const double *y1, const double *f1,
                double *y);

/* four numbers at once, from any place and to any */
typedef double tn_four __attribute__((vector_size(32), aligned(8), may_alias));
#define TN_LOAD4(p) (*(const tn_four *)(const void *)(p))
#define TN_STORE4(p, x) (*(tn_four *)(void *)(p) = (x))
/* as many as fit into a register: a sum of wider ones would go through memory term by term */
#ifdef __AVX__
enum { TN_LANES = 4 };
#else
enum { TN_LANES = 2 };
#endif
typedef double tn_lanes __attribute__((vector_size(8 * TN_LANES), aligned(8), may_alias));
#define TN_LOAD(p) (*(const tn_lanes *)(const void *)(p))
#define TN_STORE(p, x) (*(tn_lanes *)(void *)(p) = (x))

/* out = y + h sum_j c_j k_j, m terms of which those with c_j = 0 are left out; y NULL: zero. out may be y, and none of k */
void tn_combine(int n, const double *y, double h, int m, const double *c, double *const *k, double *out);

/* dop853.c, as others use it to begin with: its memory, one step without an estimate, and the state inside it */
typedef struct tn_dop853 tn_dop853;
extern const tn_workspace tn_dop853_workspace;
void tn_dop853_begin(tn_dop853 *w, int n); /* after tn_workspace_start */
tn_status tn_dop853_step(tn_dop853 *w, const tn_ode *ode, double t, const double *y, double h, double *ynew);
tn_status tn_dop853_dense(tn_dop853 *w, const tn_ode *ode, double theta, double *y);
void tn_dop853_forget(tn_dop853 *w); /* the rate at the start of its next step */

/* what euler, heun and rk4 keep of a step */
typedef struct tn_step_memory {
  int n;
  bool f0_ready, f1_ready; /* f0 holds the rate at the start of the next attempt; f1 that at the end of the last */
  double t, h;
  double *y0, *y1, *f0, *f1, *k, *stage;
} tn_step_memory;

size_t tn_step_memory_size(const void *self, int n);
void tn_step_memory_start(const void *self, void *work, int n);
/* begin the attempt and have the rate at its start in f0 */
tn_status tn_step_begin(tn_step_memory *w, const tn_ode *ode, double t, const double *y, double h);
void tn_step_accept(void *work, const double *y, bool changed);
tn_status tn_step_dense(void *work, const tn_ode *ode, double theta, double *y);
void tn_step_keep(void *work, tn_keep *keep);

/* newton.c */
enum { TN_NEWTON_FIXED = 50 }; /* iterations of a formula that has no shorter step to try */
typedef struct tn_newton {
  int m;               /* numbers that are iterated: all but the ledgers                      */
  bool have, stale;    /* there is a Jacobian; it should be made anew                        */
  bool fresh;          /* it is of the place where the step begins                            */
  bool first_ready;    /* the rates at the start of the next attempt are there                 */
  bool factored;       /* matrix and pivot are those of h                                    */
  double h;            /* that they are of                                                   */
  double ceiling;      /* longest step to be tried after one whose iteration failed; 0: any   */
  double before, rate; /* the last correction; by which they get smaller                     */
  int iterations, *color;
  int most;              /* iterations that are allowed; 0: as of those that may shorten their step */
  double *J, *matrix[3]; /* m x m                                                             */
  int *pivot[2];
  double *y, *f, *w; /* n                                                                 */
} tn_newton;

typedef enum tn_newton_state { TN_NEWTON_GOES_ON, TN_NEWTON_DONE, TN_NEWTON_FAILS } tn_newton_state;

extern const tn_workspace tn_newton_workspace, tn_newton_workspace_3; /* with one matrix; with three */
/* a step of length h from (t, y), where the rates are f0: Jacobian and weights; `factored` says whether matrices stand */
tn_status tn_newton_begin(tn_newton *w, const tn_ode *ode, double t, const double *y, double h, const double *f0);
void tn_newton_matrix(const tn_newton *w, double c, double *A); /* c I - J */
/* of a number y whose size is given: what a difference quotient adds to it */
double tn_increment(double y, double size);
double tn_newton_norm(const tn_newton *w, const double *x);
tn_newton_state tn_newton_judge(tn_newton *w, const tn_ode *ode, double change); /* after each correction */
/* an attempt: the rates f0 at its start, kept after one that does not stand; `solve` finds the stages, a second time with a new Jacobian
 * where the first fails */
typedef tn_newton_state (*tn_newton_solve)(void *work, const tn_ode *ode, tn_status *status);
tn_status tn_newton_try(tn_newton *w, const tn_ode *ode, double t, const double *y, double h, double *f0,
                        tn_newton_solve solve, void *work, const char *name);
/* the same of an attempt that has begun, whose rates at the start `solve` knows */
tn_status tn_newton_iterate(tn_newton *w, const tn_ode *ode, double t, double h, tn_newton_solve solve, void *work,
                            const char *name);
void tn_newton_accept(tn_newton *w);
double tn_newton_plan(tn_newton *w, double h, double err, double aim, int order_estimate);

/* ratio.c: rational numbers without rounding */
enum { TN_DIGITS = 24 };
typedef struct tn_natural {
  int used;                  /* digits; 0 is the number 0      */
  uint32_t digit[TN_DIGITS]; /* of base 2^32, the lowest first */
} tn_natural;
typedef struct tn_ratio {
  bool negative;          /* never of 0 */
  tn_natural over, under; /* without a common factor, under > 0 */
} tn_ratio;
tn_ratio tn_ratio_of(int over, int under); /* under > 0 */
/* `-13695779093/2615348736000` or `7`; false: the text is no such number, or has more than 30 digits in a row */
bool tn_ratio_read(const char *text, tn_ratio *r);
tn_ratio tn_ratio_sum(tn_ratio a, tn_ratio b);
tn_ratio tn_ratio_product(tn_ratio a, tn_ratio b);
tn_ratio tn_ratio_minus(tn_ratio a);
tn_ratio tn_ratio_inverse(tn_ratio a); /* not of 0 */
bool tn_ratio_same(tn_ratio a, tn_ratio b);
double tn_ratio_value(tn_ratio a);

/* coefficients.c: of Adams-Bashforth, or of Adams-Moulton */
enum { TN_ADAMS_MOST = 21 };
void tn_adams_gamma(int m, bool is_explicit,
                    tn_ratio *gamma); /* of differences 0 .. m, counted back from f_n, or f_{n+1} */
void tn_adams_beta(int k, bool is_explicit, tn_ratio *beta); /* of order k: of k rates, likewise */

/* stability.c: of zdot = lambda z with h = 1; INFINITY: without end */
enum { TN_REGION_COLUMNS = 400, TN_REGION_ROWS = 200 };
typedef struct tn_region {
  double real, imaginary; /* limits of the negative real axis, of the imaginary one                       */
  double area;
  double left, right, top; /* of the grid, whose cells begin at `left` and at the real axis; if area is finite */
  bool stable[TN_REGION_COLUMNS][TN_REGION_ROWS]; /* in the middle of each cell                           */
} tn_region;
tn_status tn_stability(const tn_integrator_type *type, const void *self, int order, tn_region *r);
/* at ((i + 1/2) d, (j + 1/2) d), the middles of cells, i = first .. first + columns - 1, j = 0 .. rows - 1: columns x rows */
tn_status tn_stability_at(const tn_integrator_type *type, const void *self, int order, double d, int first, int columns,
                          int rows, bool *stable);

#endif
