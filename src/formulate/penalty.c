/* penalty: rows that give way, by blocks in the order of the plan, beside the factorization of sparse.c:
 *   K = [N A'; A -E],   E diagonal
 * With the rows eliminated it is N + A'E^-1 A, which is what a penalty 1/E on the rows adds to a mass. So two dense codes have blocks:
 *   (1) augmented-lagrangian: E_i = eps D_i, D_i = a_i N^-1 a_i', and passes K (x, lambda_k+1) = (f, gamma - E lambda_k), lambda_0 = 0.
 *       the second line says lambda_k+1 = lambda_k + (A x - gamma)/E, the first N x = f - A'lambda_k+1: (1) of that file, pass by pass
 *   (2) adjust: N = w 1, E = 1/p, and in A the columns of the dependent components alone:
 *       K (ds, mu) = (-w s, -C)  is  (w + p A_D'A_D) ds = -(w s + p A_D'C)
 *   (3) what is left of the rows after (1): A x - gamma = E (lambda_k+1 - lambda_k)
 * D_i is a sum over bodies as long as N has a block for each of them and no others. Where bodies stand on others, or rods tie their
 * masses together, there are no such blocks, and the dense codes serve. */
#include "formulate/formulate.h"

static bool has_blocks_alone(const tn_model *m) {
  if (!m->plan.nodes || m->rods || m->flywheels) return false;
  for (int i = 0; i < m->bodies; i++)
    if (tn_stands_on(&m->body[i])) return false;
  return true;
}

void tn_penalty_carve(tn_penalty *k, tn_carve *c, const tn_model *m, bool wanted) {
  const tn_plan *p = &m->plan;
  k->there = wanted && has_blocks_alone(m);
  if (!k->there) return;
  tn_ldl_carve(&k->ldl, c, p);
  k->E = TN_CARVE(c, double, p->rows + 1);
  k->b = TN_CARVE(c, double, p->size);
  k->x = TN_CARVE(c, double, p->size);
  k->last = TN_CARVE(c, double, p->size);
}

/* D of each row measures its pivot, whose E counts */
static bool factor(tn_penalty *k) {
  tn_ldl *q = &k->ldl;
  const tn_plan *p = q->plan;
  for (int n = 0; n < p->nodes; n++) {
    const tn_column *c = &p->columns[n];
    if (c->kind != TN_BLOCK_ROWS) continue;
    for (int i = 0, at = c->at; i < c->size; i++, at += tn_block_pad(c->size) + 1) q->K[at] -= k->E[c->row + i];
  }
  q->eps = 0;
  return tn_ldl_factor(q, NULL);
}

static void measure(tn_penalty *k, int row, double D) {
  k->ldl.gauge[row] = (tn_gauge){.D = D, .D_inv = D > 0 ? 1 / D : 0};
}

/* ---- (1) ------------------------------------------------------------------------------------------------------------------- */

static bool factor_lagrangian(tn_penalty *k, const tn_sparse *s, const tn_system *sys, double eps) {
  const tn_plan *p = &sys->m->plan;
  for (int t = 0; t < p->tiles; t++) tn_fill(sys, t, k->ldl.K, NULL);
  tn_sparse_scale(sys, k->ldl.K, k->E);
  for (int i = 0; i < p->rows; i++) {
    const double D = fmax(k->E[i], s->saddle.ldl.gauge[i].D); /* a row that shrinks is measured as it was */
    measure(k, i, D);
    k->E[i] = eps * D;
  }
  return factor(k);
}

bool tn_penalty_lagrangian(tn_solver *s, double eps, int passes, bool forces, const double *gamma, double *udot,
                           double *lambda, double *left) {
  tn_penalty *k = &s->penalty;
  const tn_system *sys = &s->sys;
  const tn_plan *p = &sys->m->plan;
  if (k->at != sys->known.place) {
    k->at = 0;
    if (!factor_lagrangian(k, &s->sparse, sys, eps)) return false;
    k->at = sys->known.place;
  }
  for (int t = 0; t < p->tiles; t++) tn_right_side(sys, t, forces, gamma, k->b);
  memset(k->x, 0, sizeof *k->x * (size_t)p->size);
  for (int pass = 0; pass < passes; pass++) {
    memcpy(k->last, k->x, sizeof *k->x * (size_t)p->size);
    memcpy(k->x, k->b, sizeof *k->x * (size_t)p->size);
    for (int n = 0; n < p->nodes; n++) {
      const tn_column *c = &p->columns[n];
      for (int i = 0; c->kind == TN_BLOCK_ROWS && i < c->size; i++)
        k->x[c->x + i] -= k->E[c->row + i] * k->last[c->x + i];
    }
    tn_ldl_solve(&k->ldl, k->x);
  }
  *left = 0;
  for (int n = 0; n < p->nodes; n++) {
    const tn_column *c = &p->columns[n];
    for (int i = 0; c->kind == TN_BLOCK_ROWS && i < c->size; i++)
      *left = fmax(*left, fabs(k->E[c->row + i] * (k->x[c->x + i] - k->last[c->x + i])) *
                              sqrt(k->ldl.gauge[c->row + i].D_inv));
  }
  return tn_sparse_results(sys, k->x, udot, lambda);
}

/* ---- (2) ------------------------------------------------------------------------------------------------------------------- */

/* rows of a joint that stay, on the columns of a body that may move */
static void strike(const tn_joint *j, int rows, const tn_touch *t, const tn_body *b, const bool *dependent, double *K) {
  for (int r = 0; r < j->rows + j->rows_velocity; r++)
    for (int c = 0; c < b->nu; c++)
      if (r >= rows || !dependent[b->u + c]) K[t->where.at + r * t->where.row + c * t->where.col] = 0;
}

/* |a|^2 of row r as it is filled; a body that is touched twice has one block */
static double square_of(const tn_model *m, const tn_joint *j, int r, const double *K) {
  double sum = 0;
  for (int e = 0; e < j->touches; e++) {
    const tn_where *w = &j->touch[e].where;
    bool seen = false;
    for (int d = 0; d < e; d++) seen = seen || j->touch[d].body == j->touch[e].body;
    for (int c = 0; !seen && c < m->body[j->touch[e].body].nu; c++) {
      const double a = K[w->at + r * w->row + c * w->col];
      sum += a * a;
    }
  }
  return sum;
}

/* velocity: all rows; else those that have a C */
static void fill_penalized(tn_penalty *k, const tn_system *sys, bool velocity, double weight, double penalty,
                           const bool *dependent) {
  const tn_model *m = sys->m;
  const tn_plan *p = &m->plan;
  double *K = k->ldl.K;
  for (int t = 0; t < p->tiles; t++) tn_fill(sys, t, K, NULL);
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    const int rows = j->rows + j->rows_velocity;
    if (j->block < 0) continue;
    const tn_column *own = &p->columns[p->column[j->block]];
    for (int e = 0; e < j->touches; e++)
      strike(j, velocity ? rows : j->rows, &j->touch[e], &m->body[j->touch[e].body], dependent, K);
    for (int r = 0; r < rows; r++) {
      K[own->at + r * (tn_block_pad(rows) + 1)] = 0; /* of one that is switched off: -1 */
      k->E[own->row + r] = 1 / penalty;
      measure(k, own->row + r, square_of(m, j, r, K) / weight + 1 / penalty);
    }
  }
  for (int i = 0; i < m->bodies; i++) {
    const tn_where *w = &m->body[i].where;
    for (int r = 0; r < m->body[i].nu; r++)
      for (int c = 0; c < m->body[i].nu; c++) K[w->at + r * w->row + c * w->col] = r == c ? weight : 0;
  }
}

bool tn_penalty_serves(const tn_solver *s) { return s->penalty.there && tn_solver_has_blocks(s); }

bool tn_penalty_change(tn_solver *s, bool velocity, double weight, double penalty, const bool *dependent,
                       const double *far, double *x) {
  tn_penalty *k = &s->penalty;
  const tn_system *sys = &s->sys;
  const tn_model *m = sys->m;
  const double *off = velocity ? sys->rows.Cdot : sys->rows.C;
  fill_penalized(k, sys, velocity, weight, penalty, dependent);
  k->at = 0; /* another matrix than that of (1) */
  if (!factor(k)) return false;
  for (int i = 0; i < m->rows; i++) s->r[i] = velocity || i < m->holonomic ? -off[i] : 0;
  for (int t = 0; t < m->plan.tiles; t++) tn_right_side(sys, t, false, s->r, k->x);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    double *at = k->x + tn_node_x(m, b->block);
    for (int c = 0; c < b->nu; c++) at[c] = far && dependent[b->u + c] ? -weight * far[b->u + c] : 0;
  }
  tn_ldl_solve(&k->ldl, k->x);
  return tn_sparse_results(sys, k->x, x, s->scratch);
}

/* x += C times a row on the twist of a body */
static void add_force(const tn_system *sys, const tn_seen *at, double C, const double *R, double *x) {
  double w[TN_TWIST];
  for (int r = 0; r < sys->m->twist; r++) w[r] = C * R[r];
  tn_add_row(sys, at, w, x, NULL);
}

/* |w s + p A_D'C| of positions, at the present rows */
double tn_penalty_slope(tn_solver *s, double weight, double penalty, const bool *dependent, const double *far) {
  const tn_system *sys = &s->sys;
  const tn_model *m = sys->m;
  double square = 0;
  for (int j = 0; j < m->nu; j++) s->s[j] = 0;
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int r = 0; j->block >= 0 && !sys->given.off[i] && r < j->rows; r++)
      for (int e = 0; e < j->touches; e++) {
        const tn_touch *t = &j->touch[e];
        double room[3];
        const double *R = tn_touch_row(sys, j, r, e, room), C = sys->rows.C[j->row + r];
        const tn_seen at = {.body = t->body};
        if (t->speed >= 0)
          for (int c = 0; c < (j->owner >= 0 ? m->body[t->body].nu : 1); c++) s->s[t->speed + c] += R[c] * C;
        else
          add_force(sys, &at, C, R, s->s);
      }
  }
  for (int j = 0; j < m->nu; j++) {
    const double h = dependent[j] ? weight * far[j] + penalty * s->s[j] : 0;
    square += h * h;
  }
  return sqrt(square);
}
