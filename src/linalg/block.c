/* the factorisation K = L D L' block by block, in the order of the plan.
 *
 * One column has the pivot D and blocks W_i below it. Its unknowns are eliminated in chunks of three, the last chunk may be smaller.
 * P is the pivot of a chunk, Z the numbers below it, in the column's own rows and in the blocks:
 *   (1) Y = Z P^-1, the rest of the column -= Y Z_D'     Z_D: Z in the column's own rows
 *   (2) after the last chunk, K_ij -= Y_i Z_j'
 *   (3) forward   x_i -= Y_i x_k             backward   x_k = P^-1 x_k - sum Y_i' x_i
 * P^-1 is made of cofactors and one division, which waits only for the products that it multiplies. An explicit inverse is not good
 * enough in two cases: the pivot of a row is small (rho < 1e-6), or the numbers of a chunk nearly depend on each other. Such a
 * column is eliminated carefully: number by number, with guarded pivots of rows. The kernels are in small.c and wide.c. */
#include "linalg/linalg.h"

void tn_ldl_carve(tn_ldl *b, tn_carve *c, const tn_plan *p) {
  b->plan = p;
  b->K = TN_CARVE(c, double, p->values);
  b->careful = TN_CARVE(c, bool, p->nodes);
  b->z = TN_CARVE(c, double, (p->most + 1) * TN_BLOCK_MOST * TN_BLOCK_MOST);
  b->gauge = TN_CARVE(c, tn_gauge, p->rows + 1);
}

void tn_ldl_begin(tn_ldl *q) {
  if (q->some_careful) memset(q->careful, 0, sizeof *q->careful * (size_t)q->plan->nodes);
  q->some_careful = false;
  q->rho_min = INFINITY;
  q->nearness = 1;
}

/* prefetch the values of the column that is so many numbers of the matrix away */
static inline void soon(const tn_ldl *q, const tn_column *c, int away) {
  tn_soon(q->K + c->at + away, sizeof *q->K * (size_t)(c[1].at - c->at));
}

bool tn_ldl_factor_tile(tn_ldl *q, int tile, double *x) {
  const tn_plan *p = q->plan;
  const tn_column *end = p->columns + p->tile[tile + 1].column;
  const bool more = tile + 2 < p->tiles;
  double least[2] = {q->rho_min, q->nearness};
  for (const tn_column *c = p->columns + p->tile[tile].column; c < end; c++) {
    if (more) soon(q, c, TN_TILE); /* of the next tile: it is filled before it is factored */
    if (c->kernel->quick.factor(q, c, x, least)) continue;
    q->careful[c - p->columns] = q->some_careful = true;
    if (c->kernel->careful.factor(q, c, x, least)) continue;
    q->bad = p->node[c - p->columns];
    return false;
  }
  q->rho_min = least[0];
  q->nearness = least[1];
  return true;
}

bool tn_ldl_factor(tn_ldl *q, double *x) {
  tn_ldl_begin(q);
  for (int t = 0; t < q->plan->tiles; t++)
    if (!tn_ldl_factor_tile(q, t, x)) return false;
  return true;
}

static const tn_elimination *way(const tn_ldl *q, const tn_column *c) {
  return q->some_careful && q->careful[c - q->plan->columns] ? &c->kernel->careful : &c->kernel->quick;
}

void tn_ldl_forward(const tn_ldl *q, double *x) {
  const tn_column *end = q->plan->columns + q->plan->nodes;
  for (const tn_column *c = q->plan->columns; c < end; c++) way(q, c)->forward(q, c, x);
}

void tn_ldl_backward_tile(const tn_ldl *q, int tile, double *x) {
  const tn_column *first = q->plan->columns + q->plan->tile[tile].column,
                  *c = q->plan->columns + q->plan->tile[tile + 1].column;
  if (!q->some_careful && tile == 0)
    while (c-- > first) c->kernel->quick.backward(q, c, x);
  else
    while (c-- > first) {
      if (tile > 0) soon(q, c, -TN_TILE / 4);
      way(q, c)->backward(q, c, x);
    }
}

void tn_ldl_backward(const tn_ldl *q, double *x) {
  for (int t = q->plan->tiles; t-- > 0;) tn_ldl_backward_tile(q, t, x);
}

void tn_ldl_solve(const tn_ldl *q, double *x) {
  tn_ldl_forward(q, x);
  tn_ldl_backward(q, x);
}

void tn_ldl_residual(const tn_plan *p, const double *K, const double *x, const double *b, double *r) {
  const tn_column *end = p->columns + p->nodes;
  memcpy(r, b, sizeof *r * (size_t)p->size);
  for (const tn_column *c = p->columns; c < end; c++) c->kernel->residual(p, c, K, x, r);
}
