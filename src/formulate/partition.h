/* what partition.c, layout.c and split.c share. */
#ifndef TN_PARTITION_H
#define TN_PARTITION_H

#include "formulate/formulate.h"

typedef enum tn_choose { TN_CHOOSE_ALWAYS, TN_CHOOSE_KEPT, TN_CHOOSE_ONCE, TN_CHOOSE_NEVER } tn_choose;
typedef enum tn_layout { TN_LAYOUT_ALL, TN_LAYOUT_SPEEDS, TN_LAYOUT_INDEPENDENT } tn_layout;

typedef struct tn_partition {
  int pivoting, choose, layout; /* 0 full, 1 rref; tn_choose; tn_layout */
  int matrices;                 /* tn_matrices */
  int prefer, rate_of;          /* bodies, counted from 1; 0: none      */
  int named; /* speeds by name, in this order; 0: by choice. coordinate: of each, -1 where it has none */
  const int *speed, *coordinate;
} tn_partition;

extern const tn_packing tn_partition_packing; /* layout.c */

/* ---- split.c: speeds that rows leave free, and candidates for telling them -------------------------------------------- */

/* vectors x (nu) with A x = r: x = p + sum_b d_b basis_b. a candidate c is a linear function of x; the k chosen ones tell x */
typedef struct tn_split {
  int nu, rows, rank, k; /* rank: rows that are independent in general; k = nu - rank                 */
  int candidates;
  bool *preferred;            /* candidates                                                                */
  int *set, *last;            /* k: candidates chosen; as they were before                                 */
  bool chosen;                /* there is a set                                                            */
  double least;               /* the least gain that this set has had, see tn_split_gain                   */
  double *X, *L, *diagonal;   /* rows x nu; rows x rank by reflections                                     */
  double *U;                  /* rank x nu                                                                 */
  double *basis;              /* nu x (nu + candidates): of each vector, x and its candidates in their units */
  double *p, *b, *w, *weight; /* nu, rows, rows; nu: units                                                  */
  int *column;                /* nu                                                                        */
  bool *taken;                /* nu + rows + candidates                                                    */
} tn_split;

void tn_split_carve(tn_split *s, tn_carve *c, int nu, int rows, int candidates);
void tn_split_keep(tn_split *s, tn_keep *keep);
/* factor the rows (A: rows x nu, scale: rows); `most` of them are independent at most. the rank found */
int tn_split_factor(tn_split *s, const double *A, const double *scale, int most, double least);
/* the vectors that the rows leave free, without their candidates */
void tn_split_free(tn_split *s);
/* p (nu): a solution of A p = r, least squares where there is none */
void tn_split_particular(tn_split *s, const double *scale, const double *r);
/* vector b of the basis, and its candidates */
double *tn_split_vector(const tn_split *s, int b);
double *tn_split_told(const tn_split *s, int b);
/* the basis changed so that chosen candidate b is 1 in vector b and 0 in the others; false: the set does not tell x */
bool tn_split_reduce(tn_split *s);
/* with it reduced: how much an error of a chosen candidate can be in another. the set's worth is its least gain over this */
double tn_split_gain(const tn_split *s);
/* choose anew; rref: the last ones that are a tenth as good as the best */
bool tn_split_choose(tn_split *s, bool rref, bool *changed);

#endif
