/* K = [M A'; A 0] with the accelerations of bodies as unknowns (model/plan.c), filled from the system, factored block by block
 * (linalg/block.c) and refined with the true residual where a pivot is small.
 *   (1) body on its own coordinates: S'M_b S, right side S'(wrench - bias)
 *   (2) body that stands on another: M_b on its twist, right side wrench - bias; its tie: [1, -X (or -X S), -S]
 *   (3) joint: rows R on twists, R S where speeds are the unknowns; right side gamma
 *   (4) rod between P and Q: m/3 and m/6 on their velocities
 *   (5) the row n of Euler parameters: sigma n n' on their mass, sigma n gamma on their right side
 * rows are measured by D_i = (A M_b^-1 A')_ii of the bodies they touch, found once; rho_i = p_i/D_i with p_i the pivot. */
#include "formulate/formulate.h"

static const double SETTLED = 1e-10;   /* error that sweeps must come below */
static const double REDUNDANT = 1e-10; /* rho at typical poses below which a row is taken for redundant */

void tn_sparse_carve(tn_sparse *s, tn_carve *c, const tn_model *m) {
  const tn_plan *p = &m->plan;
  s->there = p->nodes > 0;
  if (!s->there) return;
  tn_saddle_carve(&s->saddle, c, p);
  double **vectors[] = {&s->x, &s->b, &s->typical};
  for (int i = 0; i < 3; i++) *vectors[i] = TN_CARVE(c, double, p->size);
}

/* ---- filling ---------------------------------------------------------------------------------------------------------- */

static int place(const tn_model *m, int node) { return m->plan.columns[m->plan.column[node]].x; }
static bool stands_on(const tn_body *b) { return b->tie >= 0; }

/* mass of a body at its frame; in the plane the lower triangle, by columns */
static inline void mass2_of(const tn_lump *b, const tn_frame2 *f, double *M) {
  const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1],
               m = b->mass;
  M[0] = M[4] = m;
  M[1] = 0;
  M[2] = -m * y;
  M[5] = m * x;
  M[8] = b->inertia + m * (x * x + y * y);
}

static void mass_of(const tn_system *sys, int i, double *M) {
  const tn_body *b = &sys->m->body[i];
  if (sys->m->dimension == 2) {
    mass2_of(&sys->m->lump[i], &sys->body[i], M);
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
  if (twist == 3) M[3] = M[1], M[6] = M[2], M[7] = M[5];
  if (stands_on(b) || b->plain) {
    double *B = K + b->where.at;
    for (int k = 0; k < twist; k++, B += b->where.row) {
      for (int l = 0; l < twist; l++) B[l] = M[k * twist + l];
      for (int l = twist; l < b->where.row; l++) B[l] = 0;
    }
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
    if ((j->pin || j->listed) && (b->plain || stands_on(b))) continue; /* set already */
    for (int i = 0; i < rows; i++) {
      double room[3];
      const double *R = tn_touch_row(sys, j, i, k, room);
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

/* a point in common: all of its blocks, if they are made of its arms alone */
static inline void fill_end(double *B, bool by_twos, double sign, double x, double y) {
  B[0] = sign;
  B[1] = 0;
  if (by_twos) {
    B[2] = 0, B[3] = sign, B[4] = -y;
  } else {
    B[2] = -y, B[3] = 0, B[4] = sign;
  }
  B[5] = x;
}

static inline void fill_pin(const tn_system *sys, const tn_pin *p, double *K) {
  const double *R = sys->R + p->R;
  double *D = K + p->at;
  D[0] = D[1] = D[3] = 0;
  if (p->direct[0]) fill_end(K + p->where[0].at, p->where[0].row == 1, -1, -R[0], -R[1]);
  if (p->direct[1]) fill_end(K + p->where[1].at, p->where[1].row == 1, 1, R[2], R[3]);
}

/* rows on the twist of a body in space, with the padding: all of the block */
static inline void fill_twist(const tn_where *w, const int rows, const double *R, int step, double *K) {
  double *B = K + w->at;
  if (w->row == 1) {
    const int pad = w->col;
    for (int c = 0; c < 6; c++) {
      for (int i = 0; i < rows; i++) B[c * pad + i] = R[i * step + c];
      for (int i = rows; i < pad; i++) B[c * pad + i] = 0;
    }
  } else {
    for (int i = 0; i < rows; i++) {
      for (int c = 0; c < 6; c++) B[i * 8 + c] = R[i * step + c];
      B[i * 8 + 6] = B[i * 8 + 7] = 0;
    }
  }
}

static void fill_list(const tn_system *sys, const tn_joint *j, double *K) {
  const double *R = sys->R + j->R;
  const int step = 6 * j->touches;
  for (int k = 0; k < j->touches; k++) {
    const tn_body *b = &sys->m->body[j->touch[k].body];
    if (!b->plain && !stands_on(b)) continue;
    if (j->rows == 5)
      fill_twist(&j->touch[k].where, 5, R + 6 * k, step, K);
    else if (j->rows == 3)
      fill_twist(&j->touch[k].where, 3, R + 6 * k, step, K);
    else
      fill_twist(&j->touch[k].where, j->rows, R + 6 * k, step, K);
  }
}

static void fill(const void *who, double *K) {
  const tn_system *sys = who;
  const tn_model *m = sys->m;
  for (int i = 0; i < m->clears; i++) memset(K + m->clear[i].at, 0, sizeof *K * (size_t)m->clear[i].n);
  if (m->dimension == 2 && m->plain) {
    for (int i = 0; i < m->bodies; i++) mass2_of(&m->lump[i], &sys->body[i], K + m->lump[i].at);
  } else {
    for (int i = 0; i < m->bodies; i++) {
      fill_body(sys, i, K);
      if (stands_on(&m->body[i])) fill_tie(sys, i, K);
    }
  }
  for (int i = 0; i < m->pins; i++) fill_pin(sys, &m->pin[i], K);
  for (int i = 0; (m->pins < m->joints || !m->plain) && i < m->joints + m->owned; i++) {
    if (m->joint[i].block < 0) continue;
    if (m->joint[i].listed) fill_list(sys, &m->joint[i], K);
    if (!m->joint[i].listed || !m->plain) fill_joint(sys, &m->joint[i], K);
  }
  for (int i = 0; i < m->rods; i++) fill_rod(sys, &m->rod[i], K);
}

/* ---- the size of rows -------------------------------------------------------------------------------------------------- */

/* D_i of the rows of node a against the mass node b: scale += diag of K(a,b) K(b,b)^-1 K(b,a); room: 64 + 64 */
static void add_scale(const tn_model *m, const double *K, int a, int b, const tn_where *w, double *scale) {
  const tn_column *ca = &m->plan.columns[m->plan.column[a]], *cb = &m->plan.columns[m->plan.column[b]];
  const int n = cb->size, pad = tn_block_pad(n);
  double L[TN_BLOCK_MOST * TN_BLOCK_MOST], y[TN_BLOCK_MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = K[cb->at + j * pad + i];
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
    add_scale(m, s->saddle.K0, b->tie, b->block, &b->where_tie[0], scale);
    if (b->parent >= 0) add_scale(m, s->saddle.K0, b->tie, m->body[b->parent].block, &b->where_tie[1], scale);
  }
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int k = 0; j->block >= 0 && k < j->touches; k++) {
      const tn_body *b = &m->body[j->touch[k].body];
      if (j->touch[k].speed >= 0 && stands_on(b)) { /* a coordinate has no mass of its own: as if its tie were stiff */
        for (int r = 0; r < j->rows + j->rows_velocity; r++) scale[place(m, j->block) + r] += 1 / fmax(b->mass, 1e-300);
        continue;
      }
      add_scale(m, s->saddle.K0, j->block, b->block, &j->touch[k].where, scale);
    }
  }
}

/* redundant rows share their load as D says: those of a joint with the same unit alike, so that it does not matter how its axes
 * lie */
static void level(const tn_model *m, double *scale) {
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->block < 0) continue;
    double *D = scale + place(m, j->block);
    for (int r = 0; r < j->rows; r++) {
      double sum = 0;
      int n = 0;
      if (m->row_group[j->row + r] != j->row + r) continue;
      for (int k = r; k < j->rows; k++)
        if (m->row_group[j->row + k] == j->row + r) sum += D[k], n++;
      for (int k = r; k < j->rows; k++)
        if (m->row_group[j->row + k] == j->row + r) D[k] = sum / n;
    }
  }
}

void tn_sparse_reset(tn_sparse *s, const tn_model *m) {
  s->ready = s->saddle.redundant = false;
  s->saddle.grain = 0;
  for (int i = 0; s->there && i < m->plan.size; i++)
    s->typical[i] = s->saddle.ldl.D[i] = s->saddle.ldl.D_inv[i] = s->saddle.ldl.usual[i] = 0;
}

/* ---- factor and solve -------------------------------------------------------------------------------------------------- */

/* the right side of bodies on the speeds that are not their twist */
static void force_on(const tn_system *sys, int i, double *at) {
  const tn_body *b = &sys->m->body[i];
  const int twist = sys->m->twist;
  const double *w = sys->wrench + twist * i, *h = sys->bias + twist * i, *S = sys->S[i];
  for (int c = 0; c < b->nu; c++) {
    at[c] = 0;
    for (int r = 0; r < twist; r++) at[c] += S[r * b->nu + c] * (w[r] - h[r]);
  }
}

static void right_side(const tn_system *sys, bool forces, const double *gamma, double *b) {
  const tn_model *m = sys->m;
  const int twist = m->twist;
  if (!m->plain || !forces) memset(b, 0, sizeof *b * (size_t)m->plan.size); /* of ties and coordinates it stays so */
  if (forces && m->plain && m->dimension == 2) {
    const double *w = sys->wrench, *h = sys->bias;
    for (int i = 0; i < m->bodies; i++, w += 3, h += 3) {
      double *at = b + m->lump[i].x;
      for (int k = 0; k < 3; k++) at[k] = w[k] - h[k];
    }
  } else {
    for (int i = 0; forces && i < m->bodies; i++) {
      const tn_body *body = &m->body[i];
      double *at = b + place(m, body->block);
      if (stands_on(body) || body->plain)
        for (int r = 0; r < twist; r++) at[r] = sys->wrench[twist * i + r] - sys->bias[twist * i + r];
      else
        force_on(sys, i, at);
    }
  }
  for (int i = 0; i < m->pins; i++) {
    const tn_pin *p = &m->pin[i];
    b[p->x] = gamma[p->row];
    b[p->x + 1] = gamma[p->row + 1];
  }
  for (int i = 0; (m->pins < m->joints || m->owned) && i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->block < 0 || j->pin) continue;
    double *at = b + place(m, j->block);
    for (int r = 0; r < j->rows; r++) at[r] = gamma[j->row + r];
    for (int r = 0; r < j->rows_velocity; r++) at[j->rows + r] = gamma[j->row_velocity + r];
    if (j->owner < 0) continue;
    const tn_body *body = &m->body[j->owner];
    for (int c = 0; c < body->nu; c++)
      b[place(m, body->block) + c] += m->sigma[j->row] * sys->R[j->R + c] * gamma[j->row];
  }
}

static bool results(const tn_system *sys, const double *x, double *udot, double *lambda) {
  const tn_model *m = sys->m;
  if (m->plain && m->dimension == 2) {
    for (int i = 0; i < m->bodies; i++) {
      const double *at = x + m->lump[i].x;
      udot[3 * i] = at[0];
      udot[3 * i + 1] = at[1];
      udot[3 * i + 2] = at[2];
    }
  } else {
    for (int i = 0; i < m->bodies; i++) {
      const tn_body *body = &m->body[i];
      const int node = stands_on(body) ? body->free : body->block;
      for (int c = 0; node >= 0 && c < body->nu; c++) udot[body->u + c] = x[place(m, node) + c];
    }
  }
  for (int i = 0; i < m->pins; i++) {
    const tn_pin *p = &m->pin[i];
    lambda[p->row] = x[p->x];
    lambda[p->row + 1] = x[p->x + 1];
  }
  for (int i = 0; (m->pins < m->joints || m->owned) && i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->block < 0 || j->pin) continue;
    const double *at = x + place(m, j->block);
    for (int r = 0; r < j->rows; r++) lambda[j->row + r] = at[r];
    for (int r = 0; r < j->rows_velocity; r++) lambda[j->row_velocity + r] = at[j->rows + r];
  }
  return tn_all_finite(m->nu, udot) && tn_all_finite(m->rows, lambda);
}

/* the larger of D and of the pivots at typical poses measures rows */
void tn_sparse_typical(tn_sparse *s, const tn_system *sys, bool redundant) {
  const tn_plan *p = &sys->m->plan;
  tn_ldl *k = &s->saddle.ldl;
  if (!s->there) return;
  s->saddle.redundant = redundant;
  s->saddle.fill = fill;
  s->saddle.who = sys;
  fill(sys, s->saddle.K0);
  find_scale(s, sys, s->b);
  if (s->saddle.redundant) level(sys->m, s->b);
  for (int i = 0; i < p->size; i++) {
    k->D[i] = fmax(k->D[i], s->b[i]);
    k->D_inv[i] = k->D[i] > 0 ? 1 / k->D[i] : 0;
  }
  if (!tn_saddle_factor(&s->saddle, NULL)) return;
  for (int i = 0; i < p->size; i++) {
    s->typical[i] = fmax(s->typical[i], k->rho[i]);
    k->usual[i] = s->typical[i] > (s->saddle.redundant ? REDUNDANT : 0) ? k->D_inv[i] / s->typical[i] : 0;
  }
  right_side(sys, true, sys->gamma, s->b);
  memcpy(s->x, s->b, sizeof *s->x * (size_t)p->size);
  tn_ldl_solve(k, s->x);
  tn_saddle_measure(&s->saddle, s->b, s->x);
  s->ready = true;
}

/* with the right side of the accelerations taken forward on the way: it is what is asked for next, most often */
bool tn_sparse_factor(tn_sparse *s, const tn_system *sys, double *nearness) {
  right_side(sys, true, sys->gamma, s->x);
  s->forward = true;
  if (!tn_saddle_factor(&s->saddle, s->x)) return false;
  *nearness = s->saddle.ldl.nearness;
  return true;
}

bool tn_sparse_solve(tn_sparse *s, const tn_system *sys, bool forces, const double *gamma, double *udot, double *lambda,
                     double *inconsistency) {
  tn_saddle_info info = {0};
  if (!(forces && s->forward && gamma == sys->gamma)) {
    right_side(sys, forces, gamma, s->x);
    tn_ldl_forward(&s->saddle.ldl, s->x);
  }
  tn_ldl_backward(&s->saddle.ldl, s->x);
  s->forward = false;
  if (tn_saddle_sweeps(&s->saddle)) {
    right_side(sys, forces, gamma, s->b);
    tn_saddle_sweep(&s->saddle, s->b, s->x, &info);
  }
  *inconsistency = info.inconsistency;
  s->settled = info.error <= SETTLED;
  return results(sys, s->x, udot, lambda);
}

int tn_sparse_redundant(tn_sparse *s, const tn_system *sys) {
  tn_sparse_reset(s, sys->m);
  tn_sparse_typical(s, sys, true);
  return s->ready ? tn_saddle_redundant(&s->saddle) : 0;
}

double tn_sparse_least(const tn_sparse *s, const tn_model *m, int *row) {
  double least = INFINITY;
  *row = 0;
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int r = 0; j->block >= 0 && r < j->rows + j->rows_velocity; r++) {
      const double rho = s->saddle.ldl.rho[place(m, j->block) + r];
      if (rho >= least) continue;
      least = rho;
      *row = r < j->rows ? j->row + r : j->row_velocity + r - j->rows;
    }
  }
  return least;
}
