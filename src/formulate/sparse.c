/* K = [M A'; A 0] with the accelerations of bodies as unknowns (model/plan.c), filled from the system, factored block by block
 * (linalg/block.c) and refined with the true residual where a pivot is small.
 *   (1) body on its own coordinates: S'M_b S, right side S'(wrench - bias)
 *   (2) body that stands on another: M_b on its twist, right side wrench - bias; its tie: [1, -X (or -X S), -S]
 *   (3) joint: rows R on twists, R S where speeds are the unknowns; right side gamma
 *   (4) rod between P and Q: m/3 and m/6 on their velocities
 *   (5) the row n of Euler parameters: sigma n n' on their mass, sigma n gamma on their right side
 * rows are measured by D_i = (A M_b^-1 A')_ii of the bodies they touch, found once; rho_i = p_i/D_i with p_i the pivot. */
#include "formulate/formulate.h"

static const double EPS = 1e-15, RHO_DIRECT = 0.2, TOL = 1e-12;
enum { SWEEPS_MAX = 12 };

void tn_sparse_carve(tn_sparse *s, tn_carve *c, const tn_model *m) {
  const tn_plan *p = &m->plan;
  s->there = p->nodes > 0;
  if (!s->there) return;
  s->K = TN_CARVE(c, double, p->values);
  s->K0 = TN_CARVE(c, double, p->values);
  s->z = TN_CARVE(c, double, (p->most + 1) * TN_BLOCK_MOST);
  double **vectors[] = {&s->x, &s->b, &s->r, &s->scale, &s->rho, &s->typical};
  for (int i = 0; i < 6; i++) *vectors[i] = TN_CARVE(c, double, p->size);
}

/* ---- filling ---------------------------------------------------------------------------------------------------------- */

static int place(const tn_model *m, int node) { return m->plan.columns[m->plan.column[node]].x; }
static bool stands_on(const tn_body *b) { return b->tie >= 0; }

/* mass of a body at its frame */
static void mass_of(const tn_system *sys, int i, double *M) {
  const tn_body *b = &sys->m->body[i];
  if (sys->m->dimension == 2) {
    const tn_frame2 *f = &sys->body[i];
    const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1],
                 m = b->mass;
    const double full[9] = {m, 0, -m * y, 0, m, m * x, -m * y, m * x, b->inertia + m * (x * x + y * y)};
    memcpy(M, full, sizeof full);
    return;
  }
  const double *A = sys->body3[i].A, m = b->mass;
  double rho[3], AI[9], I[9];
  tn_turn3(A, b->center, rho);
  tn_product3(A, b->tensor, AI);
  tn_product_t3(AI, A, I);
  const double cross[9] = {0, -rho[2], rho[1], rho[2], 0, -rho[0], -rho[1], rho[0], 0}, square = tn_dot3(rho, rho);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      M[6 * r + c] = r == c ? m : 0;
      M[6 * r + 3 + c] = -m * cross[3 * r + c];
      M[6 * (3 + r) + c] = m * cross[3 * r + c];
      M[6 * (3 + r) + 3 + c] = I[3 * r + c] + m * ((r == c ? square : 0) - rho[r] * rho[c]);
    }
}

/* K(at) += scale X' Y for X (n x a), Y (n x b) */
static void add_product(double *K, const tn_where *w, int n, int a, int b, const double *X, const double *Y,
                        double scale) {
  for (int i = 0; i < a; i++)
    for (int j = 0; j < b; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += X[k * a + i] * Y[k * b + j];
      K[w->at + i * w->row + j * w->col] += scale * sum;
    }
}

static void fill_body(const tn_system *sys, int i, double *K) {
  const tn_model *m = sys->m;
  const tn_body *b = &m->body[i];
  const int twist = m->twist, n = b->nu;
  double M[36], MS[48];
  mass_of(sys, i, M);
  if (stands_on(b) || b->plain) {
    for (int k = 0; k < twist * twist; k++) K[b->where.at + k] += M[k];
    return;
  }
  for (int r = 0; r < twist; r++)
    for (int c = 0; c < n; c++) {
      double sum = 0;
      for (int k = 0; k < twist; k++) sum += M[r * twist + k] * sys->S[i][k * n + c];
      MS[r * n + c] = sum;
    }
  add_product(K, &b->where, twist, n, n, sys->S[i], MS, 1);
}

/* X: the twist of the parent's frame seen at the child's */
static void transport(const tn_system *sys, const tn_body *b, int i, double *X) {
  const int twist = sys->m->twist, d = sys->m->dimension;
  const bool turns = !b->type || b->type->turns_with_parent;
  double here[3], there[3], arm[3];
  tn_body_origin(sys, i, here);
  tn_body_origin(sys, b->parent, there);
  tn_sub3(here, there, arm);
  memset(X, 0, sizeof *X * (size_t)(twist * twist));
  for (int r = 0; r < twist; r++) X[r * twist + r] = r < d || turns;
  if (d == 2) {
    X[2] = -arm[1];
    X[5] = arm[0];
  } else {
    X[4] = arm[2], X[5] = -arm[1];
    X[9] = -arm[2], X[11] = arm[0];
    X[15] = arm[1], X[16] = -arm[0];
  }
}

static void fill_tie(const tn_system *sys, int i, double *K) {
  const tn_model *m = sys->m;
  const tn_body *b = &m->body[i], *p = b->parent >= 0 ? &m->body[b->parent] : NULL;
  const int twist = m->twist;
  const tn_where *w = b->where_tie;
  for (int r = 0; r < twist; r++) K[w[0].at + r * (w[0].row + w[0].col)] = 1;
  for (int r = 0; r < twist && b->free >= 0; r++)
    for (int c = 0; c < b->nu; c++) K[w[2].at + r * w[2].row + c * w[2].col] = -sys->S[i][r * b->nu + c];
  if (!p) return;
  double X[36];
  transport(sys, b, i, X);
  const bool direct = stands_on(p) || p->plain;
  const int n = direct ? twist : p->nu;
  for (int r = 0; r < twist; r++)
    for (int c = 0; c < n; c++) {
      double sum = 0;
      if (direct)
        sum = X[r * twist + c];
      else
        for (int k = 0; k < twist; k++) sum += X[r * twist + k] * sys->S[b->parent][k * n + c];
      K[w[1].at + r * w[1].row + c * w[1].col] = -sum;
    }
}

static void fill_joint(const tn_system *sys, const tn_joint *j, double *K) {
  const tn_model *m = sys->m;
  const int rows = j->rows + j->rows_velocity, twist = m->twist;
  for (int k = 0; k < j->touches; k++) {
    const tn_touch *t = &j->touch[k];
    const tn_body *b = &m->body[t->body];
    const tn_where *w = &t->where;
    for (int i = 0; i < rows; i++) {
      const double *R = sys->R + j->R + (i * j->touches + k) * TN_BLOCK_MOST;
      double *row = K + w->at + i * w->row;
      if (t->speed >= 0) {
        const int n = j->owner >= 0 ? b->nu : 1, first = t->speed - b->u;
        for (int c = 0; c < n; c++) row[(first + c) * w->col] += R[c];
      } else if (stands_on(b) || b->plain) {
        for (int c = 0; c < twist; c++) row[c * w->col] += R[c];
      } else {
        const double *S = sys->S[t->body];
        for (int c = 0; c < b->nu; c++) {
          double sum = 0;
          for (int r = 0; r < twist; r++) sum += R[r] * S[r * b->nu + c];
          row[c * w->col] += sum;
        }
      }
    }
  }
  if (j->owner < 0) return;
  const tn_body *b = &m->body[j->owner]; /* (5) */
  const double *n = sys->R + j->R, sigma = m->sigma[j->row];
  for (int r = 0; r < b->nu; r++)
    for (int c = 0; c < b->nu; c++) K[b->where.at + r * b->where.row + c] += sigma * n[r] * n[c];
}

/* velocity of an end along the world's axes, on the unknowns of its body: dimension x n */
static int end_rows(const tn_system *sys, const tn_spot *spot, double *V) {
  const tn_model *m = sys->m;
  const tn_body *b = &m->body[spot->body];
  const int twist = m->twist;
  const bool direct = stands_on(b) || b->plain;
  const int n = direct ? twist : b->nu;
  tn_seen seen;
  tn_look(sys, spot, NULL, NULL, &seen);
  for (int d = 0; d < m->dimension; d++) {
    double e[6] = {0}, root[6] = {0};
    e[d] = 1;
    tn_move_wrench(m->dimension, seen.arm, e, root);
    for (int c = 0; c < n; c++) {
      double sum = 0;
      if (direct)
        sum = root[c];
      else
        for (int r = 0; r < twist; r++) sum += root[r] * sys->S[spot->body][r * n + c];
      V[d * n + c] = sum;
    }
  }
  return n;
}

static void fill_rod(const tn_system *sys, const tn_rod *r, double *K) {
  const tn_model *m = sys->m;
  double V[2][24];
  int n[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    if (r->end[k].body < 0) continue;
    n[k] = end_rows(sys, &r->end[k], V[k]);
    add_product(K, &m->body[r->end[k].body].where, m->dimension, n[k], n[k], V[k], V[k], r->mass / 3);
  }
  if (!n[0] || !n[1]) return;
  if (r->end[0].body != r->end[1].body) {
    add_product(K, &r->where, m->dimension, n[0], n[1], V[0], V[1], r->mass / 6);
    return;
  }
  for (int k = 0; k < 2; k++)
    add_product(K, &m->body[r->end[0].body].where, m->dimension, n[0], n[0], V[k], V[1 - k], r->mass / 6);
}

static void fill(const tn_system *sys, double *K) {
  const tn_model *m = sys->m;
  memset(K, 0, sizeof *K * (size_t)m->plan.values);
  for (int i = 0; i < m->bodies; i++) {
    fill_body(sys, i, K);
    if (stands_on(&m->body[i])) fill_tie(sys, i, K);
  }
  for (int i = 0; i < m->joints + m->owned; i++)
    if (m->joint[i].block >= 0) fill_joint(sys, &m->joint[i], K);
  for (int i = 0; i < m->rods; i++) fill_rod(sys, &m->rod[i], K);
}

/* ---- the size of rows -------------------------------------------------------------------------------------------------- */

/* D_i of the rows of node a against the mass node b: scale += diag of K(a,b) K(b,b)^-1 K(b,a); room: 64 + 64 */
static void add_scale(const tn_model *m, const double *K, int a, int b, const tn_where *w, double *scale) {
  const tn_column *ca = &m->plan.columns[m->plan.column[a]], *cb = &m->plan.columns[m->plan.column[b]];
  const int n = cb->size;
  double L[TN_BLOCK_MOST * TN_BLOCK_MOST], y[TN_BLOCK_MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = K[cb->at + i * n + j];
      for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
    }
  for (int r = 0; r < ca->size; r++)
    for (int i = 0; i < n; i++) {
      double sum = K[w->at + r * w->row + i * w->col];
      for (int k = 0; k < i; k++) sum -= L[i * n + k] * y[k];
      y[i] = sum / L[i * n + i];
      scale[ca->x + r] += y[i] * y[i];
    }
}

static void find_scale(tn_sparse *s, const tn_system *sys, double *scale) {
  const tn_model *m = sys->m;
  memset(scale, 0, sizeof *scale * (size_t)m->plan.size);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (!stands_on(b)) continue;
    add_scale(m, s->K0, b->tie, b->block, &b->where_tie[0], scale);
    if (b->parent >= 0) add_scale(m, s->K0, b->tie, m->body[b->parent].block, &b->where_tie[1], scale);
  }
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int k = 0; j->block >= 0 && k < j->touches; k++) {
      const tn_body *b = &m->body[j->touch[k].body];
      if (j->touch[k].speed >= 0 && stands_on(b)) { /* a coordinate has no mass of its own: as if its tie were stiff */
        for (int r = 0; r < j->rows + j->rows_velocity; r++) scale[place(m, j->block) + r] += 1 / fmax(b->mass, 1e-300);
        continue;
      }
      add_scale(m, s->K0, j->block, b->block, &j->touch[k].where, scale);
    }
  }
}

void tn_sparse_typical(tn_sparse *s, const tn_system *sys) {
  const tn_plan *p = &sys->m->plan;
  double nearest;
  int bad;
  if (!s->there) return;
  fill(sys, s->K0);
  find_scale(s, sys, s->r);
  for (int i = 0; i < p->size; i++) s->scale[i] = fmax(s->scale[i], s->r[i]);
  memcpy(s->K, s->K0, sizeof *s->K * (size_t)p->values);
  if (!tn_plan_factor(p, s->K, s->z, s->scale, EPS, s->rho, &nearest, &bad)) return;
  for (int i = 0; i < p->size; i++) s->typical[i] = fmax(s->typical[i], s->rho[i]);
  s->ready = true;
}

void tn_sparse_reset(tn_sparse *s, const tn_model *m) {
  s->ready = false;
  for (int i = 0; s->there && i < m->plan.size; i++) s->scale[i] = s->typical[i] = 0;
}

/* ---- factor and solve -------------------------------------------------------------------------------------------------- */

bool tn_sparse_factor(tn_sparse *s, const tn_system *sys, double *nearness) {
  const tn_plan *p = &sys->m->plan;
  int bad;
  fill(sys, s->K);
  s->filled = false;
  if (!tn_plan_factor(p, s->K, s->z, s->scale, EPS, s->rho, &s->rho_min, &bad)) return false;
  *nearness = 1;
  for (int k = 0; k < p->nodes; k++) {
    const tn_column *c = &p->columns[k];
    for (int i = c->x; c->kind == TN_BLOCK_ROWS && i < c->x + c->size; i++)
      if (s->rho[i] < *nearness * s->typical[i]) *nearness = s->rho[i] / s->typical[i];
  }
  return true;
}

/* r = b - K0 x, and the energy norm of nothing: the caller judges by corrections */
static void residual(const tn_plan *p, const double *K, const double *x, const double *b, double *r) {
  memcpy(r, b, sizeof *r * (size_t)p->size);
  for (int k = 0; k < p->nodes; k++) {
    const tn_column *c = &p->columns[k];
    const double *D = K + c->at;
    for (int i = 0; i < c->size; i++)
      for (int j = 0; j < c->size; j++) r[c->x + i] -= (j <= i ? D[i * c->size + j] : D[j * c->size + i]) * x[c->x + j];
    for (int l = c->first; l < c->first + c->n; l++) {
      const tn_later *b2 = &p->later[l];
      const double *L = K + b2->at;
      for (int i = 0; i < b2->size; i++)
        for (int j = 0; j < c->size; j++) {
          r[b2->x + i] -= L[i * c->size + j] * x[c->x + j];
          r[c->x + j] -= L[i * c->size + j] * x[b2->x + i];
        }
    }
  }
}

/* in the norm of unknown accelerations as they are: only ratios matter */
static double size_of(const tn_plan *p, const double *x) {
  double sum = 0;
  for (int k = 0; k < p->nodes; k++) {
    const tn_column *c = &p->columns[k];
    for (int i = c->x; c->kind != TN_BLOCK_ROWS && i < c->x + c->size; i++) sum += x[i] * x[i];
  }
  return sqrt(sum);
}

bool tn_sparse_solve(tn_sparse *s, const tn_system *sys, bool forces, const double *gamma, double *udot,
                     double *lambda) {
  const tn_model *m = sys->m;
  const tn_plan *p = &m->plan;
  const int twist = m->twist;
  double *b = s->b, *x = s->x, before = 0;
  memset(b, 0, sizeof *b * (size_t)p->size);
  for (int i = 0; forces && i < m->bodies; i++) {
    const tn_body *body = &m->body[i];
    const double *w = sys->wrench + twist * i, *h = sys->bias + twist * i;
    double *at = b + place(m, body->block);
    if (stands_on(body) || body->plain) {
      for (int r = 0; r < twist; r++) at[r] = w[r] - h[r];
    } else {
      const double *S = sys->S[i];
      for (int c = 0; c < body->nu; c++)
        for (int r = 0; r < twist; r++) at[c] += S[r * body->nu + c] * (w[r] - h[r]);
    }
  }
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->block < 0) continue;
    double *at = b + place(m, j->block);
    for (int r = 0; r < j->rows; r++) at[r] = gamma[j->row + r];
    for (int r = 0; r < j->rows_velocity; r++) at[j->rows + r] = gamma[j->row_velocity + r];
    if (j->owner < 0) continue;
    const tn_body *body = &m->body[j->owner];
    for (int c = 0; c < body->nu; c++)
      b[place(m, body->block) + c] += m->sigma[j->row] * sys->R[j->R + c] * gamma[j->row];
  }
  memcpy(x, b, sizeof *x * (size_t)p->size);
  tn_plan_solve(p, s->K, x);
  for (int sweep = 0; !(s->rho_min > RHO_DIRECT) && sweep < SWEEPS_MAX; sweep++) {
    if (!s->filled) fill(sys, s->K0);
    s->filled = true;
    residual(p, s->K0, x, b, s->r);
    tn_plan_solve(p, s->K, s->r);
    const double d = size_of(p, s->r);
    if (!isfinite(d) || (sweep > 0 && d > 0.7 * before)) break;
    for (int i = 0; i < p->size; i++) x[i] += s->r[i];
    const double c = sweep > 0 ? d / before : 0.1;
    if (d * c <= (1 - c) * TOL * size_of(p, x)) break;
    before = d;
  }
  double sum = 0;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *body = &m->body[i];
    const int node = stands_on(body) ? body->free : body->block;
    if (node < 0) continue;
    const double *at = x + place(m, node);
    for (int c = 0; c < body->nu; c++) sum += udot[body->u + c] = at[c];
  }
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->block < 0) continue;
    const double *at = x + place(m, j->block);
    for (int r = 0; r < j->rows; r++) sum += lambda[j->row + r] = at[r];
    for (int r = 0; r < j->rows_velocity; r++) sum += lambda[j->row_velocity + r] = at[j->rows + r];
  }
  return isfinite(sum);
}

double tn_sparse_least(const tn_sparse *s, const tn_model *m, int *row) {
  double least = INFINITY;
  *row = 0;
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int r = 0; j->block >= 0 && r < j->rows + j->rows_velocity; r++) {
      const double rho = s->rho[place(m, j->block) + r];
      if (rho >= least) continue;
      least = rho;
      *row = r < j->rows ? j->row + r : j->row_velocity + r - j->rows;
    }
  }
  return least;
}
