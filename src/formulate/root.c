/* the factorization by reflections (linalg/root.c) of the system at a state: filled as the blocks are (fill.c). */
#include "formulate/formulate.h"

void tn_reflected_carve(tn_reflected *r, tn_carve *c, const tn_model *m, double *K) {
  const tn_plan *p = &m->plan;
  r->there = p->nodes > 0 && m->root_plan.steps > 0;
  if (!r->there) return;
  tn_root_carve(&r->root, c, &m->root_plan);
  r->K = K ? K : TN_CARVE(c, double, p->values);
  r->x = TN_CARVE(c, double, p->size);
  r->noise = TN_CARVE(c, double, p->size);
}

void tn_reflected_reset(tn_reflected *r, const tn_model *m) {
  if (!r->there) return;
  tn_root_reset(&r->root);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    const tn_column *c = b->tie >= 0 ? &m->plan.columns[m->plan.column[b->tie]] : NULL;
    for (int k = 0; c && k < c->size; k++) r->root.tied[c->row + k] = true;
  }
}

void tn_reflected_fill(tn_reflected *r, const tn_system *sys) {
  for (int t = 0; t < sys->m->plan.tiles; t++) tn_fill(sys, t, r->K, NULL);
}

static void right_side(const tn_system *sys, bool forces, const double *rows, double *b) {
  for (int t = 0; t < sys->m->plan.tiles; t++) tn_right_side(sys, t, forces, rows, b);
}

bool tn_reflected_solve(tn_reflected *r, const tn_system *sys, bool forces, const double *gamma, double *udot,
                        double *lambda, double *inconsistency) {
  assert(r->there);
  right_side(sys, forces, gamma, r->x);
  tn_root_solve(&r->root, r->x);
  *inconsistency = r->root.inconsistency;
  return tn_sparse_results(sys, r->x, udot, lambda);
}

bool tn_reflected_correct(tn_reflected *r, const tn_system *sys, const double *rows, const double *noise, double *x,
                          double *lambda) {
  assert(r->there);
  right_side(sys, false, rows, r->x);
  right_side(sys, false, noise, r->noise);
  tn_root_correct(&r->root, r->noise, r->x);
  return tn_sparse_results(sys, r->x, x, lambda);
}
