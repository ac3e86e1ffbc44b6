/* rows that a start wants, and the smallest change, in the kinetic-energy metric, that meets them.
 *   (1) position: rows C(q) = 0 and exact channels m(q) = value, Newton with step halving on K (0, r)
 *   (2) velocity: A u = -Ct and exact rates, one linear solve
 *   (3) a channel that is a number of q or u: that number is the value given, to the last bit */
#include "simulate/start.h"

enum { MOST_PASSES = 60, MOST_HALVINGS = 20 };

static const double OF_WAY = 1e-3; /* of the way: what it may be off, as lengths count in the scale of rows */
static const double DONE = 1e-15;  /* of *off: the rest is roundoff                                             */
static const double MET = 1e-9;    /* of *off, for rates relative to the largest speed above 1: rows are met    */

bool tn_start_asks(const tn_sim *s, const tn_wanted *w, int i) {
  const tn_target *t = &s->m->target[i];
  return t->rate == w->rate && !s->start.rows.left_out[i] && (i < s->m->exact ? w->exact : w->guesses);
}

static bool has_joint(const tn_sim *s, int row) { return !s->start.rows.without[s->m->row_joint[row]]; }

double tn_target_scale(const tn_model *m, const tn_target *t) { return 1 / tn_measure_length(m, &t->of); }

/* (3) which number of q (u, if it is a rate) a target is, or -1: its row is that speed alone, and the values have the same bits */
static int number_of(const tn_system *sys, const tn_target *t, double value, const double *row) {
  const tn_model *m = sys->m;
  int at = -1;
  for (int i = 0; i < m->nu; i++) {
    if (row[i] == 0) continue;
    if (at >= 0 || row[i] != 1) return -1;
    at = i;
  }
  if (at < 0) return -1;
  if (t->rate) return sys->at.u[at] == value ? at : -1;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (at < b->u || at >= b->u + b->nu) continue;
    const int k = b->chart ? t->of.k : at - b->u; /* places come first in every chart */
    return k < b->nq && sys->at.q[b->q + k] == value ? b->q + k : -1;
  }
  return -1;
}

/* rows collected so far, and the one that is off most */
typedef struct collected {
  int n;
  double off; /* scaled */
  int worst;  /* a row of the model, or of a target behind these; -1: none */
} collected;

static void note(collected *k, double off, int row) {
  if (!(off <= k->off)) k->off = off, k->worst = row;
}

/* rows of joints */
static void collect_joints(tn_sim *s, const tn_wanted *w, collected *k) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  const size_t nu = (size_t)m->nu;
  tn_start_rows *rows = &s->start.rows;
  for (int i = 0; i < m->rows; i++) {
    const bool position_of_velocity_row = !w->rate && i >= m->holonomic;
    if (!has_joint(s, i)) continue;
    rows->r[k->n] = w->rate ? -sys->rows.Cdot[i] : position_of_velocity_row ? 0 : -sys->rows.C[i];
    rows->weight[k->n] = m->sigma ? m->sigma[i] : 0;
    if (!m->large && !rows->reflected)
      memcpy(rows->A + (size_t)k->n * nu, sys->A + (size_t)i * nu, sizeof(double) * nu);
    note(k, tn_contract_at_start(m, i, rows->r[k->n]), i);
    k->n++;
  }
}

/* the way gone from the state along start.walk.way, in units of it: 1 is all of it. kept: rows of joints that `A` does not have */
static void collect_way(tn_sim *s, int kept, collected *k) {
  const tn_model *m = s->m;
  tn_start_rows *rows = &s->start.rows;
  const double *way = s->start.walk.way;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double size = 0, gone = 0, *row = rows->A + (size_t)(k->n - kept) * (size_t)m->nu, *dq = tn_room(s, m->nq),
         *ds = tn_room(s, m->nu);
  for (int i = 0; i < m->nq; i++) dq[i] = s->solver.sys.at.q[i] - s->now.y[i];
  tn_model_tangent(m, s->now.y, dq, ds);
  for (int i = 0; i < m->nu; i++) size += way[i] * way[i];
  for (int i = 0; i < m->nu; i++) {
    row[i] = size > 0 ? way[i] / size : 0;
    gone += row[i] * ds[i];
  }
  tn_scratch_close(&s->scratch, scope);
  rows->r[k->n] = 1 - gone;
  rows->weight[k->n] = 0;
  const double off = OF_WAY * fabs(rows->r[k->n]);
  if (!(off <= k->off)) k->off = off;
  k->n++;
}

static void collect_targets(tn_sim *s, const tn_wanted *w, int kept, collected *k) {
  const tn_model *m = s->m;
  const size_t nu = (size_t)m->nu;
  tn_start_rows *rows = &s->start.rows;
  for (int i = 0; i < m->exact + m->guesses; i++) {
    if (!tn_start_asks(s, w, i)) continue;
    const tn_target *t = &m->target[i];
    double value, rate, accel, *row = rows->A + (size_t)(k->n - kept) * nu;
    memset(row, 0, sizeof *row * nu);
    tn_measure_eval(&s->solver.sys, &t->of, &value, &rate, &accel, row);
    rows->r[k->n] = s->start.walk.goal[i] - (w->rate ? rate : value);
    rows->weight[k->n] = 0;
    rows->of[k->n] = i;
    rows->number[i] = i < m->exact ? number_of(&s->solver.sys, t, w->rate ? rate : value, row) : -1;
    note(k, fabs(rows->r[k->n]) * tn_target_scale(m, t), m->rows + i);
    k->n++;
  }
}

int tn_start_collect(tn_sim *s, const tn_wanted *w, double *off, int *worst) {
  const tn_model *m = s->m;
  collected k = {.worst = -1};
  const bool beside = m->large || s->start.rows.reflected;
  const int kept = beside && w->constraints ? m->rows : 0;
  if (!beside) tn_need(&s->solver.sys, TN_LEVEL_MATRICES);
  if (w->constraints) collect_joints(s, w, &k);
  if (w->away) collect_way(s, kept, &k);
  collect_targets(s, w, kept, &k);
  *off = k.off;
  *worst = k.worst;
  return k.n;
}

/* guesses alone move what they name and nothing else: the metric of the coordinates */
static const double *metric(const tn_sim *s, const tn_wanted *w) { return w->constraints ? s->solver.sys.M : NULL; }
static const double *weights(const tn_sim *s, const tn_wanted *w) {
  return w->constraints && s->m->sigma ? s->start.rows.weight : NULL;
}

/* the n rows that were collected, those that depend on others last */
tn_status tn_start_factor(tn_sim *s, const tn_wanted *w, int n) {
  tn_kkt *k = &s->start.rows.kkt;
  const double *M = metric(s, w), *sigma = weights(s, w);
  k->rows = n;
  k->rank = n;
  if (!tn_kkt_factor(k, M, s->start.rows.A, sigma)) {
    /* the solver says it in words */
    tn_status status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
    return status != TN_OK ? status : tn_fail(s->e, TN_E_MODEL, "the mass matrix is singular");
  }
  const int rank = tn_kkt_rank(k);
  if (rank < n) {
    k->rank = rank;
    tn_kkt_factor(k, M, s->start.rows.A, sigma);
  }
  return TN_OK;
}

static tn_status solve(tn_sim *s, const tn_wanted *w, int n) {
  tn_kkt *k = &s->start.rows.kkt;
  tn_kkt_info info;
  const double *M = metric(s, w), *sigma = weights(s, w);
  if (s->m->large || (s->start.rows.reflected && w->constraints))
    return tn_start_solve_beside(s, w->constraints, w->rate, n);
  tn_status status = tn_start_factor(s, w, n);
  if (status != TN_OK) return status;
  tn_kkt_solve(k, M, s->start.rows.A, sigma, NULL, s->start.rows.r, s->start.rows.x, s->start.rows.lambda, &info);
  if (!info.failed) return TN_OK;
  tn_fail(s->e, TN_E_MODEL, "the start cannot be assembled: a correction is not a finite number");
  if (s->m->rows) { /* the place where the pose is open most */
    const tn_node *node = s->m->joint[s->m->row_joint[s->start.row]].node;
    char pointer[256];
    tn_node_pointer(node, pointer, sizeof pointer);
    tn_error_at(s->e, &node->place, pointer);
  }
  return TN_E_MODEL;
}

/* (3) in q, or in u; whether anything changed */
static bool set_numbers(const tn_sim *s, const tn_wanted *w, double *x) {
  bool changed = false;
  for (int i = 0; i < s->m->exact; i++) {
    if (!tn_start_asks(s, w, i) || s->start.rows.number[i] < 0) continue;
    const double goal = s->start.walk.goal[i], scale = tn_target_scale(s->m, &s->m->target[i]);
    double *at = &x[s->start.rows.number[i]];
    if (*at == goal || !(fabs(goal - *at) * scale <= TN_START_NEXT_TO * fmax(1, fabs(goal) * scale))) continue;
    *at = goal;
    changed = true;
  }
  return changed;
}

/* the system at (q, u), and its rows; numbers that are next to their value are set */
static tn_status look(tn_sim *s, const tn_wanted *w, double *q, double *u, tn_error *e, int *n, double *off,
                      int *worst) {
  tn_status status = tn_solver_at(&s->solver, s->now.t, q, u, e);
  if (status != TN_OK) return status;
  *n = tn_start_collect(s, w, off, worst);
  if (!w->exact || !set_numbers(s, w, w->rate ? u : q)) return TN_OK;
  if ((status = tn_solver_at(&s->solver, s->now.t, q, u, e)) == TN_OK) *n = tn_start_collect(s, w, off, worst);
  return status;
}

/* as far along the correction as it comes nearer, by halves; from: nq, way: nu, room. *nearer: it did */
static tn_status go(tn_sim *s, const tn_wanted *w, double *q, double *from, double *way, collected *k, bool *nearer) {
  const tn_model *m = s->m;
  const double before = k->off;
  double step = 1, *u = tn_u_of(s, s->now.y);
  tn_status status = TN_OK;
  memcpy(from, q, sizeof *q * (size_t)m->nq);
  *nearer = false;
  for (int h = 0; h < MOST_HALVINGS && !*nearer; h++, step /= 2) {
    for (int i = 0; i < m->nu; i++) way[i] = step * s->start.rows.x[i];
    memcpy(q, from, sizeof *q * (size_t)m->nq);
    tn_model_add(m, q, way);
    status = look(s, w, q, u, NULL, &k->n, &k->off, &k->worst);
    *nearer = status == TN_OK && k->off < before;
  }
  if (*nearer) {
    tn_remember(&s->solver.sys);
    return TN_OK;
  }
  /* no way down from here: roundoff, or a contradiction */
  memcpy(q, from, sizeof *q * (size_t)m->nq);
  TN_TRY(tn_solver_at(&s->solver, s->now.t, q, u, s->e));
  tn_start_collect(s, w, &k->off, &k->worst);
  return TN_OK;
}

/* (1); what stays away from what is wanted, and by how much, comes back in *worst and *off */
tn_status tn_start_positions(tn_sim *s, const tn_wanted *w, double *q, double *off, int *worst) {
  const tn_model *m = s->m;
  /* a long chain is bent on from link to link */
  const int passes = m->large ? MOST_PASSES + m->rows / 50 : MOST_PASSES;
  collected k;
  bool nearer = true;
  tn_status status = look(s, w, q, tn_u_of(s, s->now.y), s->e, &k.n, &k.off, &k.worst);
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *from = tn_room(s, m->nq), *way = tn_room(s, m->nu);
  for (int pass = 0; status == TN_OK && nearer && k.n && pass < passes && k.off > DONE; pass++) {
    status = solve(s, w, k.n);
    if (status == TN_OK) status = go(s, w, q, from, way, &k, &nearer);
  }
  tn_scratch_close(&s->scratch, scope);
  if (status != TN_OK) return status;
  *off = k.off;
  *worst = k.worst;
  tn_remember(&s->solver.sys);
  return TN_OK;
}

tn_status tn_start_velocities(tn_sim *s, const tn_wanted *w, double *off, int *worst) {
  double *u = tn_u_of(s, s->now.y);
  int n;
  tn_status status = look(s, w, s->now.y, u, s->e, &n, off, worst);
  /* linear: the second pass is refinement */
  for (int pass = 0; status == TN_OK && n && pass < 2; pass++) {
    if ((status = solve(s, w, n)) != TN_OK) return status;
    for (int i = 0; i < s->m->nu; i++) u[i] += s->start.rows.x[i];
    status = look(s, w, s->now.y, u, s->e, &n, off, worst);
  }
  return status;
}

double tn_start_allowed(const tn_sim *s, bool rate) {
  double size = 1;
  for (int i = 0; rate && i < s->m->nu; i++) size = fmax(size, fabs(tn_u_of(s, s->now.y)[i]));
  return MET * size;
}
