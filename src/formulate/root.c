/* the factorization by reflections (linalg/root.c) of the system at a state: filled as the blocks are (fill.c). */
#include "formulate/formulate.h"

void tn_reflected_carve(tn_reflected *r, tn_carve *c, const tn_model *m, bool owns) {
  const tn_plan *p = &m->plan;
  r->there = p->nodes > 0 && m->root_plan.steps > 0;
  if (!r->there) return;
  tn_root_carve(&r->root, c, &m->root_plan);
  if (owns) r->K = TN_CARVE(c, double, p->values);
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

int tn_reflected_factor(tn_reflected *r, const tn_system *sys) {
  const tn_model *m = sys->m;
  assert(r->there && tn_knows(sys, TN_LEVEL_ROWS));
  tn_reflected_reset(r, m);
  tn_reflected_fill(r, sys);
  tn_sparse_scale(sys, r->K, r->root.D);
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->block < 0 || !sys->given.off[i]) continue;
    const int first = m->plan.columns[m->plan.column[j->block]].row;
    for (int k = 0; k < j->rows + j->rows_velocity; k++) r->root.D[first + k] = 0;
  }
  return tn_root_leave_out(&r->root, r->K, -1);
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

bool tn_reflected_push(tn_reflected *r, const tn_system *sys, const double *force, double *x, double *lambda) {
  const tn_model *m = sys->m;
  memset(r->x, 0, sizeof *r->x * (size_t)m->plan.size);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    const int node = tn_stands_on(b) ? b->free : b->block;
    if (node >= 0) memcpy(r->x + tn_node_x(m, node), force + b->u, sizeof *force * (size_t)b->nu);
  }
  tn_root_solve(&r->root, r->x);
  return tn_sparse_results(sys, r->x, x, lambda);
}

bool tn_reflected_correct(tn_reflected *r, const tn_system *sys, const double *rows, const double *noise, double *x,
                          double *lambda) {
  assert(r->there);
  right_side(sys, false, rows, r->x);
  right_side(sys, false, noise, r->noise);
  tn_root_correct(&r->root, r->noise, r->x);
  return tn_sparse_results(sys, r->x, x, lambda);
}
