/* what stands in K = [M A'; A 0] and its right side, with the accelerations of bodies as unknowns (model/plan.c); tile by tile of the
 * plan, in the order in which elimination needs it.
 *   (1) body on its own coordinates: S'M_b S, right side S'(wrench - bias)
 *   (2) body that stands on another: M_b on its twist, right side wrench - bias; its tie: [1, -X (or -X S), -S]
 *   (3) joint: rows R on twists, R S where speeds are the unknowns; right side gamma
 *   (4) rod between P and Q: m/3 and m/6 on their velocities; flywheel on a coordinate: I r'r, r its row on twists
 *   (5) the row n of Euler parameters: sigma n n' on their mass, sigma n gamma on their right side
 *   (6) joint that is switched off: rows of zeros, whose efforts -1 on their diagonal makes zero
 *   (7) where bodies stretch, twists are (v, w, ds) and T = m |v + w x rho + ds rho|^2/2 + w'J w/2: on ds m rho' of v, m rho'rho of ds */
#include "formulate/formulate.h"

enum { SOON = 12 };                          /* bodies or joints ahead of what is filled in, numbers are asked for */
#define NOT_INLINE __attribute__((noinline)) /* each has its registers to itself */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* mass of a body at its frame; in the plane the lower triangle, by columns. rho: its centre from there */
static inline void mass2_of(const tn_lump *b, const tn_frame2 *f, double *M, double rho[2]) {
  const double x = rho[0] = f->c * b->center[0] - f->s * b->center[1],
               y = rho[1] = f->s * b->center[0] + f->c * b->center[1], m = b->mass;
  M[0] = M[4] = m;
  M[1] = 0;
  M[2] = -m * y;
  M[5] = m * x;
  M[8] = b->inertia + m * (x * x + y * y);
}

/* in space all of it, by rows `pad` apart. I: the tensor in the axes of the world */
static inline void mass3_of(const tn_lump3 *b, const tn_frame3 *f, const int pad, double *M, double rho[3],
                            double I[9]) {
  const double *A = f->A, m = b->mass;
  double AI[9];
  tn_turn3(A, b->center, rho);
  tn_product3(A, b->tensor, AI);
  tn_product_t3(AI, A, I);
  const double cross[9] = {0, -rho[2], rho[1], rho[2], 0, -rho[0], -rho[1], rho[0], 0}, square = tn_dot3(rho, rho);
  for (int r = 0; r < 3; r++) {
    double *top = M + r * pad, *low = M + (3 + r) * pad;
    for (int c = 0; c < 3; c++) {
      top[c] = r == c ? m : 0;
      top[3 + c] = -m * cross[3 * r + c];
      low[c] = m * cross[3 * r + c];
      low[3 + c] = I[3 * r + c] + m * ((r == c ? square : 0) - rho[r] * rho[c]);
    }
    for (int c = 6; c < pad; c++) top[c] = low[c] = 0;
  }
}

/* (7); it does not depend on ds how the body turns, and what is rigid has no ds */
static void mass3_that_stretches(const tn_lump3 *b, const tn_frame3 *f, double M[TN_TWIST * TN_TWIST]) {
  double rho[3], I[9];
  mass3_of(b, f, TN_TWIST, M, rho, I);
  memset(M + 6 * TN_TWIST, 0, TN_TWIST * sizeof *M);
  for (int k = 0; k < 3; k++) M[6 * TN_TWIST + k] = M[TN_TWIST * k + 6] = b->mass * rho[k];
  M[6 * TN_TWIST + 6] = b->mass * tn_dot3(rho, rho);
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

/* K(at) += S'M S, the axes S (twist x n). sizes are constants where it is called: sums go along the rows of S, side by side */
static ALWAYS_INLINE void congruence(const double *M, const double *S, const int twist, const int n, const tn_where *w,
                                     double *K) {
  double MS[TN_TWIST * 8] = {0};
  for (int r = 0; r < twist; r++)
    for (int k = 0; k < twist; k++)
      for (int c = 0; c < n; c++) MS[r * n + c] += M[r * twist + k] * S[k * n + c];
  for (int i = 0; i < n; i++) {
    double sum[8] = {0}, *row = K + w->at + i * w->row;
    for (int k = 0; k < twist; k++)
      for (int c = 0; c < n; c++) sum[c] += S[k * n + i] * MS[k * n + c];
    for (int c = 0; c < n; c++) row[c * w->col] += sum[c];
  }
}

/* a row on the twist of a body, on its n speeds: added to `row`, step apart */
static ALWAYS_INLINE void add_on_axes(const double *R, const double *S, const int twist, const int n, int step,
                                      double *row) {
  double sum[8] = {0};
  for (int r = 0; r < twist; r++)
    for (int c = 0; c < n; c++) sum[c] += R[r] * S[r * n + c];
  for (int c = 0; c < n; c++) row[c * step] += sum[c];
}

static void add_on_speeds(const double *R, const double *S, int twist, int n, int step, double *row) {
  if (twist == 6 && n == 7)
    add_on_axes(R, S, 6, 7, step, row);
  else
    add_on_axes(R, S, twist, n, step, row);
}

static void fill_body(const tn_system *sys, int i, double *K) {
  const tn_model *m = sys->m;
  const tn_body *b = &m->body[i];
  const int twist = m->twist, n = b->nu;
  double M[TN_TWIST * TN_TWIST], rho[3], I[9], *at = tn_direct(b) ? K + b->where.at : M;
  if (twist == 3)
    mass2_of(&m->lump[i], &sys->pose.body[i], at, rho), at[3] = at[1], at[6] = at[2], at[7] = at[5];
  else if (twist == TN_TWIST)
    mass3_that_stretches(&m->lump3[i], &sys->pose.body3[i], M);
  else
    mass3_of(&m->lump3[i], &sys->pose.body3[i], tn_direct(b) ? 8 : 6, at, rho, I);
  if (tn_direct(b)) return;
  if (twist == 6 && n == 7)
    congruence(M, sys->pose.S[i], 6, 7, &b->where, K);
  else
    congruence(M, sys->pose.S[i], twist, n, &b->where, K);
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
    for (int c = 0; c < b->nu; c++) K[w[2].at + r * w[2].row + c * w[2].col] = -sys->pose.S[i][r * b->nu + c];
  if (!p) return;
  double X[TN_TWIST * TN_TWIST];
  transport(sys, b, i, X);
  const int n = tn_direct(p) ? twist : p->nu;
  for (int r = 0; r < twist; r++)
    for (int c = 0; c < n; c++) {
      double sum = 0;
      if (tn_direct(p))
        sum = X[r * twist + c];
      else
        for (int k = 0; k < twist; k++) sum += X[r * twist + k] * sys->pose.S[b->parent][k * n + c];
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
    if ((j->pin || j->listed) && tn_direct(b)) continue; /* set already */
    for (int i = 0; i < rows; i++) {
      double room[3];
      const double *R = tn_touch_row(sys, j, i, k, room);
      double *row = K + w->at + i * w->row;
      if (t->speed >= 0) {
        const int n = j->owner >= 0 ? b->nu : 1, first = t->speed - b->u;
        for (int c = 0; c < n; c++) row[(first + c) * w->col] += R[c];
      } else if (tn_direct(b)) {
        for (int c = 0; c < twist; c++) row[c * w->col] += R[c];
      } else {
        add_on_speeds(R, sys->pose.S[t->body], twist, b->nu, w->col, row);
      }
    }
  }
  if (sys->given.off[j - m->joint]) { /* (6) */
    const tn_column *own = &m->plan.columns[m->plan.column[j->block]];
    for (int i = 0; i < rows; i++) K[own->at + i * (tn_block_pad(rows) + 1)] = -1;
  }
  if (j->owner < 0) return;
  const tn_body *b = &m->body[j->owner]; /* (5) */
  const double *n = sys->rows.R + j->R, sigma = m->sigma[j->row];
  for (int r = 0; r < b->nu; r++)
    for (int c = 0; c < b->nu; c++) K[b->where.at + r * b->where.row + c] += sigma * n[r] * n[c];
}

/* a row on the twist of a body, on its unknowns: their number */
static int on_unknowns(const tn_system *sys, int body, const double *row, double *V) {
  const tn_body *b = &sys->m->body[body];
  const int twist = sys->m->twist, n = tn_direct(b) ? twist : b->nu;
  for (int c = 0; c < n; c++) {
    double sum = 0;
    if (tn_direct(b))
      sum = row[c];
    else
      for (int r = 0; r < twist; r++) sum += row[r] * sys->pose.S[body][r * n + c];
    V[c] = sum;
  }
  return n;
}

/* velocity of an end along the world's axes, on the unknowns of its body: dimension x n */
static int end_rows(const tn_system *sys, const tn_spot *spot, double *V) {
  const tn_model *m = sys->m;
  const tn_body *b = &m->body[spot->body];
  const int n = tn_direct(b) ? m->twist : b->nu;
  tn_seen seen;
  tn_look(sys, spot, NULL, NULL, &seen);
  for (int d = 0; d < m->dimension; d++) {
    double e[TN_TWIST] = {0}, root[TN_TWIST] = {0};
    e[d] = 1;
    tn_move_wrench(m->twist, seen.arm, e, root);
    on_unknowns(sys, spot->body, root, V + d * n);
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
    add_product(K, &m->body[r->end[k].body].where, m->dimension, n[k], n[k], V[k], V[k], r->own[k]);
  }
  if (!n[0] || !n[1]) return;
  if (r->end[0].body != r->end[1].body) {
    add_product(K, &r->where, m->dimension, n[0], n[1], V[0], V[1], r->shared);
    return;
  }
  for (int k = 0; k < 2; k++)
    add_product(K, &m->body[r->end[0].body].where, m->dimension, n[0], n[0], V[k], V[1 - k], r->shared);
}

static void fill_flywheel(const tn_system *sys, const tn_flywheel *e, double *K) {
  const tn_model *m = sys->m;
  tn_seen seen[2];
  double J[2 * TN_TWIST], V[2][24];
  const int n = tn_measure_rows(sys, &e->on, seen, J);
  int size[2] = {0, 0};
  for (int k = 0; k < n; k++) {
    double root[TN_TWIST] = {0};
    const int body = seen[k].body;
    if (body < 0) continue;
    tn_move_wrench(m->twist, seen[k].arm, J + m->twist * k, root);
    size[k] = on_unknowns(sys, body, root, V[k]);
    add_product(K, &m->body[body].where, 1, size[k], size[k], V[k], V[k], e->inertia);
  }
  if (size[0] && size[1]) add_product(K, &e->where, 1, size[0], size[1], V[0], V[1], e->inertia);
}

/* a point in common: all of its blocks, if they are made of its arms alone */
static inline void put_end(double *B, bool down, double sign, double x, double y) {
  B[0] = sign;
  B[1] = 0;
  if (down) {
    B[2] = 0, B[3] = sign, B[4] = -y;
  } else {
    B[2] = -y, B[3] = 0, B[4] = sign;
  }
  B[5] = x;
}

static inline void put_pin(const tn_put_rows *p, const double *R, double *K) {
  double *D = K + p->at;
  D[0] = D[1] = D[3] = 0;
  if (p->end[0] >= 0) put_end(K + p->end[0], p->down[0], -1, -R[0], -R[1]);
  if (p->end[1] >= 0) put_end(K + p->end[1], p->down[1], 1, R[2], R[3]);
}

/* rows on the twist of a body in space, with the padding: all of the block */
static inline void put_twist(double *B, const bool down, const int rows, const double *R, const int step) {
  const int pad = tn_block_pad(rows);
  if (down) {
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

static inline void put_list(const tn_put_rows *l, const int rows, const double *R, double *K) {
  double *D = K + l->at;
  const int step = 6 * l->touches;
  for (int i = 0; i < rows * tn_block_pad(rows); i++) D[i] = 0;
  for (int k = 0; k < 2; k++)
    if (l->end[k] >= 0) put_twist(K + l->end[k], l->down[k], rows, l->touches == 2 ? R + 6 * k : R, step);
}

static NOT_INLINE void put_lists(const tn_system *sys, const tn_put_tile *t, double *K, double *x) {
  const tn_put_rows *r = sys->m->put.rows + t[0].rows, *end = sys->m->put.rows + t[1].rows;
  for (; r < end; r++) {
    const double *R = sys->rows.R + r->R;
    if (end - r > SOON) tn_soon(sys->rows.R + r[SOON].R, sizeof *R * (size_t)(6 * r[SOON].rows * r[SOON].touches));
    if (r->rows == 5)
      put_list(r, 5, R, K);
    else if (r->rows == 3)
      put_list(r, 3, R, K);
    else
      put_list(r, r->rows, R, K);
    for (int i = 0; x && i < r->rows; i++) x[r->x + i] = sys->rows.gamma[r->row + i];
  }
}

/* what acts on a body whose speeds are its twist: its wrench less (2) of assemble/forces.c */
static inline void net3_of(double m, const double rho[3], const double I[9], const tn_frame3 *f, const double *wrench,
                           double *net) {
  double v[3], h[3], Iw[3], torque[3], more[3];
  tn_cross3(f->w, rho, v);
  tn_cross3(f->w, v, h);
  for (int k = 0; k < 3; k++) h[k] *= m;
  tn_turn3(I, f->w, Iw);
  tn_cross3(f->w, Iw, torque);
  tn_cross3(rho, h, more);
  for (int k = 0; k < 3; k++) {
    net[k] = wrench[k] - h[k];
    net[3 + k] = wrench[3 + k] - torque[k] - more[k];
  }
}

/* all bodies on twists of their own: masses into K and what acts on them into x, of which one may be NULL. the right side alone is
 * made by the same code, so that it does not matter in its last digits when it is asked for */
static NOT_INLINE void put_space(const tn_system *sys, const tn_put_tile *t, double *K, double *x) {
  const tn_model *m = sys->m;
  double rho[3], I[9], unused[48];
  for (const tn_put_body *b = m->put.body + t[0].body, *end = m->put.body + t[1].body; b < end; b++) {
    const tn_lump3 *lump = &m->lump3[b->body];
    const tn_frame3 *f = &sys->pose.body3[b->body];
    if (end - b > SOON) {
      const int later = b[SOON].body;
      tn_soon(&sys->pose.body3[later], sizeof *sys->pose.body3);
      tn_soon(&m->lump3[later], sizeof *m->lump3);
      tn_soon(sys->forces.wrench + 6 * later, 6 * sizeof *sys->forces.wrench);
    }
    mass3_of(lump, f, 8, K ? K + b->at : unused, rho, I);
    if (x) net3_of(lump->mass, rho, I, f, sys->forces.wrench + 6 * b->body, x + b->x);
  }
}

static NOT_INLINE void put_plane(const tn_system *sys, const tn_put_tile *t, double *K, double *x) {
  const tn_model *m = sys->m;
  const bool many = m->plan.tiles > 1;
  double rho[2], unused[9];
  for (const tn_put_body *b = m->put.body + t[0].body, *end = m->put.body + t[1].body; b < end; b++) {
    const tn_lump *lump = &m->lump[b->body];
    const tn_frame2 *f = &sys->pose.body[b->body];
    if (many && end - b > SOON) {
      const int later = b[SOON].body;
      tn_soon(&sys->pose.body[later], sizeof *sys->pose.body);
      tn_soon(&m->lump[later], sizeof *m->lump);
      tn_soon(sys->forces.wrench + 3 * later, sizeof *sys->forces.wrench);
    }
    mass2_of(lump, f, K ? K + b->at : unused, rho);
    if (!x) continue;
    const double *w = sys->forces.wrench + 3 * b->body, pull = lump->mass * f->w * f->w;
    double *net = x + b->x;
    net[0] = w[0] + pull * rho[0];
    net[1] = w[1] + pull * rho[1];
    net[2] = w[2];
  }
}

static NOT_INLINE void put_pins(const tn_system *sys, const tn_put_tile *t, double *K, double *x) {
  const tn_model *m = sys->m;
  const bool many = m->plan.tiles > 1;
  for (const tn_put_rows *r = m->put.rows + t[0].rows, *end = m->put.rows + t[1].rows; r < end; r++) {
    if (many && end - r > SOON) {
      tn_soon(sys->rows.R + r[SOON].R, sizeof *sys->rows.R);
      tn_soon(sys->rows.gamma + r[SOON].row, sizeof *sys->rows.gamma);
    }
    put_pin(r, sys->rows.R + r->R, K);
    if (x) x[r->x] = sys->rows.gamma[r->row], x[r->x + 1] = sys->rows.gamma[r->row + 1];
  }
}

/* the right side of bodies on the speeds that are not their twist */
static void force_on(const tn_system *sys, int i, double *at) {
  const tn_body *b = &sys->m->body[i];
  const double *S = sys->pose.S[i];
  double net[TN_TWIST];
  tn_body_net(sys, i, net);
  for (int c = 0; c < b->nu; c++) {
    at[c] = 0;
    for (int r = 0; r < sys->m->twist; r++) at[c] += S[r * b->nu + c] * net[r];
  }
}

static void right_side_of_bodies(const tn_system *sys, const tn_put_tile *t, bool forces, double *b) {
  const tn_model *m = sys->m;
  if (forces && m->plain && !m->rods && !m->flywheels && !sys->given.push) {
    (m->dimension == 2 ? put_plane : put_space)(sys, t, NULL, b);
    return;
  }
  if (!forces && m->plain && m->twist == 3) {
    for (int i = t[0].body; i < t[1].body; i++) {
      double *at = b + m->put.body[i].x;
      at[0] = at[1] = at[2] = 0;
    }
    return;
  }
  for (int i = t[0].body; i < t[1].body; i++) {
    const tn_put_body *p = &m->put.body[i];
    const bool direct = m->plain || tn_direct(&m->body[p->body]);
    double *at = b + p->x;
    if (!forces)
      memset(at, 0, sizeof *at * (size_t)(direct ? m->twist : m->body[p->body].nu));
    else if (direct)
      tn_body_net(sys, p->body, at);
    else
      force_on(sys, p->body, at);
  }
}

/* of the rows of other joints, and what they add to those of bodies */
static void right_side_of_joints(const tn_system *sys, const tn_put_tile *t, const double *gamma, double *b) {
  const tn_model *m = sys->m;
  for (int i = t[0].zero; i < t[1].zero; i++) memset(b + m->put.zero[i].at, 0, sizeof *b * (size_t)m->put.zero[i].n);
  for (int i = t[0].joint; i < t[1].joint; i++) {
    const tn_joint *j = &m->joint[m->put.joint[i]];
    if (j->pin || j->listed) continue;
    double *at = b + tn_node_x(m, j->block);
    for (int r = 0; r < j->rows; r++) at[r] = gamma[j->row + r];
    for (int r = 0; r < j->rows_velocity; r++) at[j->rows + r] = gamma[j->row_velocity + r];
    if (j->owner < 0) continue;
    const tn_body *body = &m->body[j->owner];
    for (int c = 0; c < body->nu; c++)
      b[tn_node_x(m, body->block) + c] += m->sigma[j->row] * sys->rows.R[j->R + c] * gamma[j->row];
  }
}

void tn_right_side(const tn_system *sys, int tile, bool forces, const double *gamma, double *b) {
  assert(tile >= 0 && tile < sys->m->plan.tiles && (!forces || sys->given.push || tn_knows(sys, TN_LEVEL_FORCES)));
  const tn_put_tile *t = sys->m->put.tile + tile;
  right_side_of_bodies(sys, t, forces, b);
  for (int i = t[0].rows; i < t[1].rows; i++) {
    const tn_put_rows *p = &sys->m->put.rows[i];
    for (int r = 0; r < p->rows; r++) b[p->x + r] = gamma[p->row + r];
  }
  right_side_of_joints(sys, t, gamma, b);
}

/* what is needed before a tile, in the matrix and, for accelerations, in the right side */
/* mostly one small block: without a call of memset */
static inline void clear(int n, double *at) {
  if (n >= 8) {
    memset(at, 0, sizeof *at * (size_t)n);
    return;
  }
  if (n >= 4) at[0] = at[1] = at[2] = at[3] = 0, at += 4, n -= 4;
  if (n >= 2) at[0] = at[1] = 0, at += 2, n -= 2;
  if (n >= 1) at[0] = 0;
}

void tn_fill(const void *who, int tile, double *K, double *x) {
  const tn_system *sys = who;
  const tn_model *m = sys->m;
  assert(tile >= 0 && tile < m->plan.tiles && tn_knows(sys, x ? TN_LEVEL_FORCES : TN_LEVEL_ROWS));
  const tn_put_tile *t = m->put.tile + tile;
  for (int i = t[0].clear; i < t[1].clear; i++) {
    clear(m->put.clear[i].n, K + m->put.clear[i].at);
  }
  if (m->plain && !m->rods && !m->flywheels) {
    (m->dimension == 2 ? put_plane : put_space)(sys, t, K, x);
  } else {
    for (int i = t[0].body; i < t[1].body; i++) fill_body(sys, m->put.body[i].body, K);
    if (x) right_side_of_bodies(sys, t, true, x);
  }
  (m->dimension == 2 ? put_pins : put_lists)(sys, t, K, x);
  for (int i = t[0].tie; i < t[1].tie; i++) fill_tie(sys, m->put.tie[i], K);
  for (int i = t[0].joint; i < t[1].joint; i++) fill_joint(sys, &m->joint[m->put.joint[i]], K);
  for (int i = 0; i < m->rods; i++) fill_rod(sys, &m->rod[i], K);
  for (int i = 0; i < m->flywheels; i++) fill_flywheel(sys, &m->flywheel[i], K);
  if (x) right_side_of_joints(sys, t, sys->rows.gamma, x);
}
