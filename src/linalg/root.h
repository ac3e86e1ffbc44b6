/* root: the saddle point system K = [M A'; A 0] by orthogonal reflections, in an order made once. The error is u/sigma_min, where that of
 * LDL' is u/sigma_min^2: it serves near singular positions and where rows are redundant. root_plan.c makes the plan, root.c
 * factors, root_solve.c solves, root_rank.c has what is about redundant rows. Equations are at the head of root.c. */
#ifndef TN_ROOT_H
#define TN_ROOT_H

#include "linalg/linalg.h"

/* ---- the plan: made at compile, never changed ------------------------------------------------------------------------------- */

typedef struct tn_root_body { /* a mass node */
  int x, n;                   /* its numbers in the vector of the plan; how many   */
  tn_where where;             /* of its mass in K                                  */
  int t;                      /* its numbers among the twists of all bodies        */
  int L;                      /* values: the Cholesky factor of its mass, n x n    */
} tn_root_body;

/* A piece is a set of bodies with the rows already eliminated between them: first the bodies one by one, then one for each step. Its
 * state is a vector of freedoms with unit mass. An open body is one with rows that are still to come. */
typedef struct tn_root_piece {
  int most; /* freedoms that it may have                                              */
  int v;    /* its numbers in the vector of freedoms                                  */
  int T;    /* values: twists of its open bodies by its freedoms, rows `most` apart   */
} tn_root_piece;

typedef struct tn_root_end { /* a body as a step sees it */
  int body, child;           /* child: of the step, the piece that the body is in */
  int T;                     /* values: its twist by the freedoms of that piece   */
  int a;                     /* of a touch, values: scaled rows on its twist      */
  tn_where where;            /* of a touch: the rows in K; at -1: not there, only by a coordinate */
} tn_root_end;

/* rows on a coordinate without mass: what its tie says about it is put in */
typedef struct tn_root_via {
  int step;       /* of the tie                                                  */
  tn_where where; /* rows on the coordinate in K                                 */
  int V;          /* values: rows on what the tie is solved for, size x n        */
  int map;        /* first of `maps`: ends of the tie to ends of the step        */
} tn_root_via;

typedef struct tn_root_step { /* a node of rows, in the order of elimination */
  int x, row, size;           /* its numbers in the vector of the plan; its first gauge; how many        */
  int off;                    /* of its own block in K: first number, and from one of the diagonal to the next */
  int stride;
  int skip;             /* rows that determine the coordinates: of a tie. the others are eliminated */
  int free_x;           /* of a tie: its coordinates in the vector                                  */
  tn_where free;        /* and in K                                                                 */
  int end, ends;        /* touches, then ports: bodies that are open behind it; first, touches      */
  int ports, port_rows; /* and the numbers of their twists                                          */
  int child, children;  /* pieces that it joins; they have `p` freedoms at most                     */
  int via, vias;
  int p, most; /* most: of the new piece                                                   */
  int W;       /* values: rows, then twists of ports, p apart; reflections above the diagonal */
  int scale;   /* values: of reflections, rows + port rows; then the diagonal of R         */
  int tie;     /* values, of a tie: R (skip x skip), reflections (skip x size), their scales (skip) */
  int piece;
} tn_root_step;

typedef struct tn_root_entry { /* of a left-null vector */
  int row;
  double value;
} tn_root_entry;

typedef struct tn_root_plan {
  const tn_plan *plan;
  int bodies, steps, pieces; /* steps 0: there is none, see tn_root_plan_make */
  int freedoms, twists;      /* numbers in vectors                            */
  int64_t values;
  tn_root_body *body;
  tn_root_piece *piece;
  tn_root_step *step;
  tn_root_end *end;
  int *child; /* pieces                                        */
  tn_root_via *via;
  int *maps;
  int entries; /* room for those of left-null vectors                     */
  int widest;  /* most freedoms that a step has                 */
} tn_root_plan;

/* what rows are. A tie names its own body first; it must hold exactly. Others may be known to stand between two bodies and not to touch
 * the ground */
typedef enum tn_root_role { TN_ROOT_OTHER, TN_ROOT_TIE, TN_ROOT_BETWEEN } tn_root_role;

/* For the nodes and edges of a plan; role: of nodes, NULL where there are no ties. There is none (steps 0) where mass nodes are joined by an edge, or a free node has no node of rows
 * to itself that is large enough to determine it, the first one that an edge names. false: no memory. */
bool tn_root_plan_make(tn_root_plan *r, tn_arena *arena, const tn_plan *p, int edges, const tn_edge *edge,
                       const unsigned char *role);

/* ---- the factor ---------------------------------------------------------------------------------------------------------------- */

typedef struct tn_root {
  const tn_root_plan *plan;
  double *D;     /* rows: what they are scaled by; 0: a row that is switched off, its multiplier is 0            */
  double *s;     /* rows: 1/sqrt(D)                                                                              */
  bool *left;    /* rows: redundant, left out                                                                    */
  bool *tied;    /* rows: of a tie, which say what coordinates are: never left out; set by the caller            */
  double *value; /* of the plan                                                                                  */
  double *v;     /* freedoms                                                                                     */
  double *t, *c; /* twists: known part; forces that rows still to come exert                                     */
  double *push;  /* twists: forces on bodies by the part of multipliers that (12) takes away                    */
  double *push_kept,
      *c_kept;        /* twists: room                                                                                 */
  double *g, *mu;     /* rows: right side, multipliers, both scaled                                                   */
  double *z;          /* rows: freedoms that they take, in the order of elimination of each step                      */
  double *rho;        /* rows: squares of the pivots, in the order of elimination of each step; left out: -1          */
  double *typical;    /* rows: the largest of them at typical poses                                                   */
  int *pivot;         /* rows: of a step, the row eliminated there; those left out last                               */
  bool *taken;        /* rows: have changed places last */
  bool *skip;         /* rows: of a correction, left out as roundoff; in the order of elimination of each step        */
  int *p, *rank;      /* pieces: freedoms; steps: rows eliminated                                                     */
  int *offset;        /* children: their first freedom in the step                                                    */
  const double *K;    /* as filled, of the factor                                                                     */
  double *b, *r, *y;  /* in the order of the plan: right side, residual, room                                        */
  double off;         /* the largest F of a row left out: how far it is from repeating the others, (13)               */
  double off_typical; /* the largest of it at typical poses                                                         */
  double *work[10];   /* rows each: for root_rank.c                                                                   */
  /* root_null.c: left-null vectors of the factor, one after another; listed: there is room for all of them */
  bool listed;
  int nulls, entries, *null_row, *null_first; /* their rows left out; nulls + 1: where they begin                     */
  tn_root_entry *entry;
  int *list;     /* steps: room                                                                                */
  bool gauged;   /* typical poses are known                                                                    */
  int out;       /* rows left out                                                                                */
  double leaves; /* pivots |R_ii| up to which the next factor leaves rows out; 0: those of `left`                 */
  double inconsistency; /* largest part of a scaled row that the last right side contradicts the others by, (11)    */
  double rho_min, nearness; /* smallest pivot; smallest over its typical value, 1 at most                           */
  int least; /* the row in the vector of the plan where the nearness is                                      */
  int bad;   /* the first number of a body whose mass is not positive definite, if factor fails              */
} tn_root;

/* of a step, in its values: R, the vectors of its reflections and their scales */
typedef struct tn_root_tie {
  double *R, *v, *scale;
} tn_root_tie;

static inline tn_root_tie tn_root_tie_of(const tn_root *q, const tn_root_step *s) {
  double *R = q->value + s->tie;
  return (tn_root_tie){R, R + s->skip * s->skip, R + s->skip * (s->skip + s->size)};
}
/* columns of a (size x n) reflected by reflection j of a tie */
void tn_root_reflect_rows(const tn_root_step *s, const tn_root_tie *t, int j, int n, double *restrict a);

void tn_root_carve(tn_root *q, tn_carve *c, const tn_root_plan *plan);
/* forget what is left out and typical poses */
void tn_root_reset(tn_root *q);
void tn_root_keep(tn_root *q, tn_keep *keep);
/* K as filled, not factored; it must stay as it is as long as the factor is used. The rows of `left` are left out, whatever they are; D
 * is set by the caller. false: see bad */
bool tn_root_factor(tn_root *q, const double *K);
/* the pose as factored is a typical one: of the pivots of all of them the largest counts */
void tn_root_typical(tn_root *q);
/* K x = b, b in x, in the order of the plan. What rows left out contradict is taken out of b, and multipliers are the shortest ones */
void tn_root_solve(tn_root *q, double *x);
/* The same of a correction: x is known only to within its roundoff `noise`, both in the order of the plan. Pivots along which that would
 * move more than the correction is worth are left out, (9). */
void tn_root_correct(tn_root *q, const double *noise, double *x);

/* ---- root_rank.c: redundant rows ------------------------------------------------------------------------------------------------- */

/* factors K and finds `count` rows that the others repeat; count below 0: as many as clearly do. From then on they are left out.
 * Returns their number, which may differ from `count`; -1: a mass is not positive definite */
int tn_root_leave_out(tn_root *q, const double *K, int count);
/* The left-null vector of the k-th row left out, multipliers in the order of the plan, 1 at that row, which is returned (its gauge); -1: there
 * are no more. Accelerations in x stay. */
int tn_root_null(tn_root *q, int k, double *x);
/* rows of the factor at hand whose pivots are below `limit` of what they typically are will be left out too */
void tn_root_leave_near(tn_root *q, double limit);
/* typical poses, scales and rows left out are those of another one of the same plan */
void tn_root_as(tn_root *q, const tn_root *other);
/* rows with worn pivots change places with rows left out; true: the factor is of another choice now. Then what pivots that had no
 * typical value are becomes it */
bool tn_root_exchange(tn_root *q);
void tn_root_change_places(tn_root *q); /* once more: as it was */
void tn_root_new_typical(tn_root *q);
/* rows with worn pivots change places with rows left out; true: the factor is of another choice now. Then what pivots that had no
 * typical value are becomes it */
bool tn_root_exchange(tn_root *q);
void tn_root_new_typical(tn_root *q);
/* (11) for the scaled right side of rows; the largest part that is taken out */
double tn_root_consistent(tn_root *q, double *g);
/* (12): the part of mu in the null space, and in q->push what it does to bodies. mu of ties becomes 0 */
void tn_root_null_part(tn_root *q, double *mu, double *part);

/* root.c: one pass each. v, a, mu: rows, scaled; v and d, a and mu may be the same */
void tn_root_balance(tn_root *q, const double *a, double *mu); /* mu = N a, a on the rows left out         */
void tn_root_remains(tn_root *q, const double *v, double *d);  /* d = N'v on the rows left out, 0 elsewhere */
void tn_root_efforts(const tn_root *q, double *x);             /* multipliers of all rows from q->mu        */
/* the first part of (4) for one step: own (rows in the order of elimination), `to` by rows */
void tn_root_multipliers(tn_root *q, int step, const bool *skip, double *own, double *to);

/* root_null.c: the vectors of the factor, and the same two passes with them, without forces */
void tn_root_list_nulls(tn_root *q);
void tn_root_list_balance(const tn_root *q, const double *a, double *mu);
void tn_root_list_remains(const tn_root *q, const double *v, double *d);
/* q->c: the forces of these multipliers on bodies */
void tn_root_forces(tn_root *q, const double *mu);
/* x_b = M_b^-1 of forces c on bodies */
void tn_root_pushed(const tn_root *q, const double *c, double *x);
/* accelerations and q->mu for forces in x and right sides in q->g, without ties; q->c: all forces of rows on bodies */
void tn_root_pass(tn_root *q, const bool *skip, double *x);

#endif
