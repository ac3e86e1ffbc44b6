/* K = [M A'; A 0] filled from the system (fill.c), factored block by block (linalg/block.c) and refined with the true residual where a
 * pivot is small. rows are measured by D_i = (A M_b^-1 A')_ii of the bodies they touch, found once; rho_i = p_i/D_i with p_i the
 * pivot. */
#include "formulate/formulate.h"

static const double SETTLED = 1e-10;   /* error that sweeps must come below */
static const double REDUNDANT = 1e-10; /* rho at typical poses below which a row is taken for redundant */
static const double UNSEEN = 1e-16;    /* of a violation, scaled as the contract does: what a correction may leave */
static const double LOST = 1e-12;      /* rho at all typical poses below which a pivot is roundoff */
enum { REFLECT_FROM = 100 }; /* speeds and rows: with redundant rows the dense factorization is cheaper below */

void tn_sparse_carve(tn_sparse *s, tn_carve *c, const tn_model *m) {
  const tn_plan *p = &m->plan;
  s->there = p->nodes > 0;
  if (!s->there) return;
  tn_saddle_carve(&s->saddle, c, p);
  double **vectors[] = {&s->x, &s->b};
  for (int i = 0; i < 2; i++) *vectors[i] = TN_CARVE(c, double, p->size);
  s->typical = TN_CARVE(c, double, p->rows);
  s->measured = TN_CARVE(c, double, p->rows);
  tn_reflected_carve(&s->root, c, m, false);
  s->root.K = s->saddle.K0;
}

/* ---- the size of rows -------------------------------------------------------------------------------------------------- */

static int row_place(const tn_model *m, int node) { return m->plan.columns[m->plan.column[node]].row; }

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
      scale[ca->row + r] += y[i] * y[i];
    }
}

void tn_sparse_scale(const tn_system *sys, const double *K, double *scale) {
  const tn_model *m = sys->m;
  memset(scale, 0, sizeof *scale * (size_t)m->plan.rows);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (!tn_stands_on(b)) continue;
    add_scale(m, K, b->tie, b->block, &b->where_tie[0], scale);
    if (b->parent >= 0) add_scale(m, K, b->tie, m->body[b->parent].block, &b->where_tie[1], scale);
  }
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int r = 0; sys->given.off[i] && r < j->rows + j->rows_velocity; r++) scale[row_place(m, j->block) + r] = 1;
    for (int k = 0; j->block >= 0 && !sys->given.off[i] && k < j->touches; k++) {
      const tn_body *b = &m->body[j->touch[k].body];
      if (j->touch[k].speed >= 0 &&
          tn_stands_on(b)) { /* a coordinate has no mass of its own: as if its tie were stiff */
        for (int r = 0; r < j->rows + j->rows_velocity; r++)
          scale[row_place(m, j->block) + r] += 1 / fmax(b->mass, 1e-300);
        continue;
      }
      add_scale(m, K, j->block, b->block, &j->touch[k].where, scale);
    }
  }
}

/* redundant rows share their load as D says: those of a joint with the same unit alike, so that it does not matter how its axes
 * lie */
static void level(const tn_model *m, double *scale) {
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->block < 0) continue;
    double *D = scale + row_place(m, j->block);
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
  s->ready = s->quick = s->judged = s->by_root = s->saddle.redundant = false;
  s->saddle.grain = 0;
  tn_reflected_reset(&s->root, m);
  for (int i = 0; s->there && i < m->plan.rows; i++)
    s->typical[i] = s->measured[i] = 0, s->saddle.ldl.gauge[i] = (tn_gauge){0};
}

bool tn_sparse_begun(const tn_sparse *s) { return s->there && s->saddle.fill; }

void tn_sparse_keep(tn_sparse *s, const tn_system *sys, tn_keep *keep) {
  const tn_model *m = sys->m;
  bool forward = s->forward == sys->known.epoch;
  tn_keep_group(keep, "blocks");
  if (!s->there) return;
  tn_keep_flag(keep, "ready", &s->ready, tn_sparse_begun(s));
  tn_keep_flags(keep, "forward", 1, &forward);
  s->forward = forward ? sys->known.epoch : 0;
  tn_keep_flags(keep, "settled", 1, &s->settled);
  bool *const flags[] = {&s->quick, &s->rooted, &s->by_root};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    tn_keep_flag(keep, "which", flags[i], i == 0 || s->root.there);
  tn_saddle_keep(&s->saddle, keep);
  tn_keep_numbers(keep, "measured", (size_t)m->plan.rows, s->measured);
  if (s->root.there) tn_root_keep(&s->root.root, keep);
  if (tn_keep_reads(keep) && s->by_root) s->by_root = tn_root_factor(&s->root.root, s->root.K);
  tn_keep_numbers(keep, "x", (size_t)m->plan.size, s->x);
  tn_keep_numbers(keep, "typical", (size_t)m->plan.rows, s->typical);
}

/* ---- factor and solve -------------------------------------------------------------------------------------------------- */

static void right_side(const tn_system *sys, bool forces, const double *gamma, double *b) {
  for (int t = 0; t < sys->m->plan.tiles; t++) tn_right_side(sys, t, forces, gamma, b);
}

static inline void copy(int n, const double *restrict from, double *restrict to) {
  for (int i = 0; i < n; i++) to[i] = from[i];
}

/* of bodies and joints that are side by side */
static void plain_results(const tn_system *sys, const tn_put_tile *t, const double *x, double *udot, double *lambda) {
  const tn_model *m = sys->m;
  const tn_put_body *b = m->put.body + t[0].body, *last_body = m->put.body + t[1].body;
  const tn_put_rows *r = m->put.rows + t[0].rows, *last_rows = m->put.rows + t[1].rows;
  if (m->dimension == 2) {
    for (; b < last_body; b++) copy(3, x + b->x, udot + 3 * b->body);
    for (; r < last_rows; r++) copy(2, x + r->x, lambda + r->row);
  } else {
    for (; b < last_body; b++) copy(6, x + b->x, udot + 6 * b->body);
    for (; r < last_rows; r++) copy(r->rows, x + r->x, lambda + r->row);
  }
}

/* of the nodes that were needed before a tile */
static void results(const tn_system *sys, const tn_put_tile *t, const double *x, double *udot, double *lambda) {
  const tn_model *m = sys->m;
  if (m->plain) plain_results(sys, t, x, udot, lambda);
  for (int i = t[0].body; i < t[1].body && !m->plain; i++) {
    const tn_body *b = &m->body[m->put.body[i].body];
    const int node = tn_stands_on(b) ? b->free : b->block;
    if (node >= 0) copy(b->nu, x + tn_node_x(m, node), udot + b->u);
  }
  for (int i = t[0].rows; i < t[1].rows && !m->plain; i++)
    copy(m->put.rows[i].rows, x + m->put.rows[i].x, lambda + m->put.rows[i].row);
  for (int i = t[0].joint; i < t[1].joint; i++) {
    const tn_joint *j = &m->joint[m->put.joint[i]];
    if (j->pin || j->listed) continue;
    const double *at = x + tn_node_x(m, j->block);
    for (int r = 0; r < j->rows; r++) lambda[j->row + r] = at[r];
    for (int r = 0; r < j->rows_velocity; r++) lambda[j->row_velocity + r] = at[j->rows + r];
  }
}

bool tn_sparse_results(const tn_system *sys, const double *x, double *udot, double *lambda) {
  for (int t = 0; t < sys->m->plan.tiles; t++) results(sys, sys->m->put.tile + t, x, udot, lambda);
  return tn_all_finite(sys->m->nu, udot) && tn_all_finite(sys->m->rows, lambda);
}

/* ---- by reflections ---------------------------------------------------------------------------------------------------- */

/* the larger of what rows are here and at typical poses, with one measure for those that share a load */
static void level_rows(tn_sparse *s, const tn_system *sys) {
  tn_root *q = &s->root.root;
  const int rows = q->plan->plan->rows;
  tn_sparse_scale(sys, s->saddle.K0, s->b);
  memcpy(s->x, s->measured, sizeof *s->x * (size_t)rows);
  level(sys->m, s->b);
  level(sys->m, s->x);
  for (int i = 0; i < rows; i++) q->D[i] = fmax(s->x[i], s->b[i]);
}

/* rows that share a load are measured as the dense factorization does: by what they are here, or at typical poses if that is more */
static void measure_rows(tn_sparse *s, const tn_system *sys) {
  tn_root *q = &s->root.root;
  const tn_gauge *gauge = s->saddle.ldl.gauge;
  const int rows = q->plan->plan->rows;
  for (int i = 0; i < rows; i++) q->D[i] = gauge[i].D;
  if (q->out) level_rows(s, sys);
  for (int i = 0; i < sys->m->joints; i++) {
    const tn_joint *j = &sys->m->joint[i];
    for (int r = 0; sys->given.off[i] && j->block >= 0 && r < j->rows + j->rows_velocity; r++)
      q->D[row_place(sys->m, j->block) + r] = 0;
  }
}

static bool factor_root(tn_sparse *s, const tn_system *sys) {
  tn_saddle_fill(&s->saddle);
  measure_rows(s, sys);
  return tn_root_factor(&s->root.root, s->root.K);
}

/* Which rows are left out is chosen once; of pivots at typical poses the larger ones count. Before the rows of a model without matrices are
 * counted, those are left out that clearly repeat others: it is to be assembled first. */
static bool root_typical(tn_sparse *s, const tn_system *sys, int redundant) {
  tn_root *q = &s->root.root;
  measure_rows(s, sys);
  tn_saddle_fill(&s->saddle);
  if (sys->m->large && !sys->known.counted && !redundant) {
    if (tn_root_leave_out(q, s->root.K, -1) < 0) return false;
  } else if (q->out != redundant && tn_root_leave_out(q, s->root.K, redundant) != redundant) {
    return false;
  }
  measure_rows(s, sys);
  if (!tn_root_factor(q, s->root.K)) return false;
  tn_root_typical(q);
  return true;
}

bool tn_sparse_factor_root(tn_sparse *s, const tn_system *sys, double *nearness) {
  assert(s->ready && s->root.there && tn_knows(sys, TN_LEVEL_ROWS));
  s->saddle.filled = s->by_root = s->settled = false;
  s->forward = 0;
  if (!factor_root(s, sys)) return false;
  s->by_root = s->settled = true;
  *nearness = s->root.root.nearness;
  return true;
}

/* ---- by blocks ----------------------------------------------------------------------------------------------------------- */

/* whether they are accurate at this pose and those before */
static bool blocks_typical(tn_sparse *s, const tn_system *sys) {
  const tn_plan *p = &sys->m->plan;
  tn_ldl *k = &s->saddle.ldl;
  const bool redundant = s->saddle.redundant;
  if (!tn_saddle_factor(&s->saddle, NULL)) return false;
  for (int i = 0; i < p->rows; i++) {
    tn_gauge *g = &k->gauge[i];
    s->typical[i] = fmax(s->typical[i], g->rho);
    g->usual = s->typical[i] > (redundant ? REDUNDANT : 0) ? g->D_inv / s->typical[i] : 0;
  }
  right_side(sys, true, sys->rows.gamma, s->b);
  memcpy(s->x, s->b, sizeof *s->x * (size_t)p->size);
  tn_ldl_solve(k, s->x);
  tn_saddle_measure(&s->saddle, s->b, s->x);
  /* rows that are independent, but not yet where their turn comes: two that see one body alike and others behind it do not. the
   * order is that of the plan; where there are others they serve better */
  bool good = true;
  for (int i = 0; i < p->rows && !redundant && (s->root.there || !sys->m->large); i++)
    good = good && s->typical[i] >= LOST;
  return good;
}

/* the larger of D and of the pivots at typical poses measures rows */
void tn_sparse_typical(tn_sparse *s, const tn_system *sys, int redundant) {
  assert(tn_knows(sys, TN_LEVEL_FORCES));
  const tn_plan *p = &sys->m->plan;
  tn_ldl *k = &s->saddle.ldl;
  if (!s->there) return;
  s->judged = true;
  s->saddle.redundant = redundant > 0;
  s->saddle.fill = tn_fill;
  s->saddle.who = sys;
  s->saddle.filled = false;
  tn_saddle_fill(&s->saddle);
  tn_sparse_scale(sys, s->saddle.K0, s->b);
  for (int i = 0; i < p->rows; i++) s->measured[i] = fmax(s->measured[i], s->b[i]);
  if (s->saddle.redundant) level(sys->m, s->b);
  for (int i = 0; i < p->rows; i++) {
    tn_gauge *g = &k->gauge[i];
    g->D = fmax(g->D, s->b[i]);
    g->D_inv = g->D > 0 ? 1 / g->D : 0;
  }
  const bool wide = sys->m->nu + sys->m->rows >= REFLECT_FROM;
  const bool root = s->root.there && (!redundant || wide) && root_typical(s, sys, redundant);
  s->quick = (!redundant || (sys->m->large && !root)) && blocks_typical(s, sys);
  s->rooted = root;
  s->ready = s->quick || root;
}

bool tn_sparse_factor(tn_sparse *s, const tn_system *sys, double *nearness) {
  assert(s->ready && tn_knows(sys, TN_LEVEL_ROWS));
  const bool forward = tn_knows(sys, TN_LEVEL_FORCES);
  s->by_root = false;
  s->forward = forward ? sys->known.epoch : 0;
  if (!tn_saddle_factor(&s->saddle, forward ? s->x : NULL)) return false;
  *nearness = s->saddle.ldl.nearness;
  return true;
}

static bool solve(tn_sparse *s, const tn_system *sys, bool sweeps, bool forces, const double *gamma, double *udot,
                  double *lambda, double *inconsistency) {
  tn_saddle_info info = {0};
  if (!(forces && s->forward == sys->known.epoch && gamma == sys->rows.gamma)) {
    right_side(sys, forces, gamma, s->x);
    tn_ldl_forward(&s->saddle.ldl, s->x);
  }
  s->forward = 0;
  s->settled = true;
  *inconsistency = 0;
  if (!sweeps && sys->m->plain) { /* a tile's results while they are near */
    const tn_plan *p = &sys->m->plan;
    bool finite = true;
    for (int t = p->tiles, end = p->size; t-- > 0;) {
      const int first = p->columns[p->tile[t].column].x;
      tn_ldl_backward_tile(&s->saddle.ldl, t, s->x);
      finite = tn_all_finite(end - first, s->x + first) && finite;
      results(sys, sys->m->put.tile + t, s->x, udot, lambda);
      end = first;
    }
    return finite;
  }
  tn_ldl_backward(&s->saddle.ldl, s->x);
  if (sweeps) {
    right_side(sys, forces, gamma, s->b);
    tn_saddle_sweep(&s->saddle, s->b, s->x, &info);
    *inconsistency = info.inconsistency;
    s->settled = info.error <= SETTLED;
  }
  return tn_sparse_results(sys, s->x, udot, lambda);
}

bool tn_sparse_solve(tn_sparse *s, const tn_system *sys, bool forces, const double *gamma, double *udot, double *lambda,
                     double *inconsistency) {
  assert(s->ready);
  *inconsistency = 0;
  if (s->by_root) return tn_reflected_solve(&s->root, sys, forces, gamma, udot, lambda, inconsistency);
  return solve(s, sys, tn_saddle_sweeps(&s->saddle), forces, gamma, udot, lambda, inconsistency);
}

bool tn_sparse_correct(tn_sparse *s, const tn_system *sys, const double *r, const double *noise, double *x,
                       double *lambda) {
  assert(s->ready);
  double unused;
  if (s->by_root) return tn_reflected_correct(&s->root, sys, r, noise, x, lambda);
  const bool sweeps = tn_saddle_sweeps(&s->saddle) &&
                      !(tn_saddle_error(&s->saddle) * tn_violation(sys, r, sys->m->rows, NULL) <= UNSEEN);
  return solve(s, sys, sweeps, false, r, x, lambda, &unused);
}

int tn_sparse_redundant(tn_sparse *s, const tn_system *sys) {
  assert(s->there);
  tn_sparse_reset(s, sys->m);
  if (s->root.there) {
    tn_sparse_typical(s, sys, 0); /* sizes of rows */
    return tn_root_leave_out(&s->root.root, s->root.K, -1);
  }
  tn_sparse_typical(s, sys, 1);
  return s->ready ? tn_saddle_redundant(&s->saddle) : 0;
}

double tn_sparse_least(const tn_sparse *s, const tn_model *m, int *row) {
  assert(s->there);
  double least = INFINITY;
  *row = 0;
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int r = 0; j->block >= 0 && r < j->rows + j->rows_velocity; r++) {
      const double rho = s->saddle.ldl.gauge[row_place(m, j->block) + r].rho;
      if (rho >= least) continue;
      least = rho;
      *row = r < j->rows ? j->row + r : j->row_velocity + r - j->rows;
    }
  }
  return least;
}
