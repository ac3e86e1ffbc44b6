/* the start: exact values and constraints are met by the smallest change, in the kinetic-energy metric, of what the pose and the
 * guesses say.
 *   (1) position: rows C(q) = 0 and exact channels m(q) = value, Newton with step halving on K (0, r)
 *   (2) velocity: A u = -Ct and exact rates, one linear solve
 *   (3) a channel that is a number of q or u: that number is the value given, to the last bit
 * and the count of freedom: rank of the rows at the start and at a pose nearby on the constraints, so that a start in a singular
 * position does not mislead. */
#include "simulate/simulate.h"

enum { MOST_PASSES = 60, MOST_HALVINGS = 20, POSES_NEARBY = 16 };

/* of walking to exact values: steps of small models at most, those of any size; and turns beyond which one is walked for all */
enum { MOST_STEPS = 10000, FEW_STEPS = 200, WALKED_TURNS = 4 };

static const double TURN = 6.283185307179586;

/* a mechanism is where it was after a turn: to this in rad and of its length */
static const double CLOSED = 1e-6;

/* which rows are wanted: the constraints, and of the targets those that pass the filter */
typedef struct wanted {
  bool constraints, exact, guesses, rate;
  bool away; /* and to be start_way away from the state, along it */
} wanted;

/* a number of q or u is set to its value once it is as near as this, of what rows are measured in */
static const double NEXT_TO = 1e-12;

/* joints that are violated by more than this, of their extent, are not so by roundoff */
static const double ROUNDOFF = 8 * TN_EPS;

static bool asks(const tn_sim *s, const wanted *w, int i) {
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
  if (t->rate) return sys->u[at] == value ? at : -1;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (at < b->u || at >= b->u + b->nu) continue;
    const int k = b->chart ? t->of.k : at - b->u; /* places come first in every chart */
    return k < b->nq && sys->q[b->q + k] == value ? b->q + k : -1;
  }
  return -1;
}

/* rows, residuals r = wanted - present at the assembled system; returns the number of rows, the worst scaled residual in *off */
static int collect(tn_sim *s, const wanted *w, double *off, int *worst) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  const size_t nu = (size_t)m->nu;
  const int kept = m->large && w->constraints ? m->rows : 0; /* rows of joints that start_A has no room for */
  if (!m->large) tn_need(&s->solver.sys, TN_LEVEL_MATRICES);
  int n = 0;
  *off = 0;
  *worst = -1;
  if (w->constraints)
    for (int i = 0; i < m->rows; i++) {
      const bool position_of_velocity_row = !w->rate && i >= m->holonomic;
      if (!has_joint(s, i)) continue;
      s->start.rows.r[n] = w->rate ? -sys->Cdot[i] : position_of_velocity_row ? 0 : -sys->C[i];
      s->start.rows.weight[n] = m->sigma ? m->sigma[i] : 0;
      if (!m->large) memcpy(s->start.rows.A + (size_t)n * nu, sys->A + (size_t)i * nu, sizeof(double) * nu);
      const double v = fabs(s->start.rows.r[n]) * m->row_scale[i];
      if (!(v <= *off)) *off = v, *worst = i;
      n++;
    }
  if (w->away) { /* in units of the step: 1 is all of it */
    double size = 0, gone = 0, *row = s->start.rows.A + (size_t)n * nu, *dq = s->start.walk.gone, *ds = dq + m->nq;
    for (int i = 0; i < m->nq; i++) dq[i] = sys->q[i] - s->now.y[i];
    tn_model_tangent(m, s->now.y, dq, ds);
    for (int i = 0; i < m->nu; i++) size += s->start.walk.way[i] * s->start.walk.way[i];
    for (int i = 0; i < m->nu; i++) {
      row[i] = size > 0 ? s->start.walk.way[i] / size : 0;
      gone += row[i] * ds[i];
    }
    s->start.rows.r[n] = 1 - gone;
    s->start.rows.weight[n] = 0;
    if (!(fabs(s->start.rows.r[n]) * 1e-3 <= *off)) *off = 1e-3 * fabs(s->start.rows.r[n]);
    n++;
  }
  for (int i = 0; i < m->exact + m->guesses; i++) {
    if (!asks(s, w, i)) continue;
    const tn_target *t = &m->target[i];
    double value, rate, accel, *row = s->start.rows.A + (size_t)(n - kept) * nu;
    memset(row, 0, sizeof *row * nu);
    tn_measure_eval(sys, &t->of, &value, &rate, &accel, row);
    s->start.rows.r[n] = s->start.walk.goal[i] - (w->rate ? rate : value);
    s->start.rows.weight[n] = 0;
    s->start.rows.of[n] = i;
    s->start.rows.number[i] = i < m->exact ? number_of(sys, t, w->rate ? rate : value, row) : -1;
    const double v = fabs(s->start.rows.r[n]) * tn_target_scale(m, t);
    if (!(v <= *off)) *off = v, *worst = m->rows + i;
    n++;
  }
  return n;
}

/* guesses alone move what they name and nothing else: the metric of the coordinates */
static const double *metric(const tn_sim *s, const wanted *w) { return w->constraints ? s->solver.sys.M : NULL; }
static const double *weights(const tn_sim *s, const wanted *w) {
  return w->constraints && s->m->sigma ? s->start.rows.weight : NULL;
}

/* the n rows that were collected, those that depend on others last */
static tn_status factor(tn_sim *s, const wanted *w, int n) {
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

static tn_status solve(tn_sim *s, const wanted *w, int n) {
  tn_kkt *k = &s->start.rows.kkt;
  tn_kkt_info info;
  const double *M = metric(s, w), *sigma = weights(s, w);
  if (s->m->large) return tn_start_solve_large(s, w->constraints, w->rate, n);
  tn_status status = factor(s, w, n);
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
static bool set_numbers(const tn_sim *s, const wanted *w, double *x) {
  bool changed = false;
  for (int i = 0; i < s->m->exact; i++) {
    if (!asks(s, w, i) || s->start.rows.number[i] < 0) continue;
    const double goal = s->start.walk.goal[i], scale = tn_target_scale(s->m, &s->m->target[i]);
    double *at = &x[s->start.rows.number[i]];
    if (*at == goal || !(fabs(goal - *at) * scale <= NEXT_TO * fmax(1, fabs(goal) * scale))) continue;
    *at = goal;
    changed = true;
  }
  return changed;
}

/* the system at (q, u), and its rows; numbers that are next to their value are set */
static tn_status look(tn_sim *s, const wanted *w, double *q, double *u, tn_error *e, int *n, double *off, int *worst) {
  tn_status status = tn_solver_at(&s->solver, s->now.t, q, u, e);
  if (status != TN_OK) return status;
  *n = collect(s, w, off, worst);
  if (!w->exact || !set_numbers(s, w, w->rate ? u : q)) return TN_OK;
  if ((status = tn_solver_at(&s->solver, s->now.t, q, u, e)) == TN_OK) *n = collect(s, w, off, worst);
  return status;
}

/* (1); what stays away from what is wanted, and by how much, comes back in *worst and *off */
static tn_status positions(tn_sim *s, const wanted *w, double *q, double *off, int *worst) {
  const tn_model *m = s->m;
  double *u = tn_u_of(s, s->now.y);
  int n;
  tn_status status = look(s, w, q, u, s->e, &n, off, worst);
  if (status != TN_OK) return status;
  /* a long chain is bent on from link to link */
  const int passes = m->large ? MOST_PASSES + m->rows / 50 : MOST_PASSES;
  for (int pass = 0; n && pass<passes && * off> 1e-15; pass++) {
    if ((status = solve(s, w, n)) != TN_OK) return status;
    memcpy(s->start.walk.q, q, sizeof *q * (size_t)m->nq);
    const double before = *off;
    double step = 1;
    for (int h = 0; h < MOST_HALVINGS; h++, step /= 2) {
      for (int i = 0; i < m->nu; i++) s->start.walk.s[i] = step * s->start.rows.x[i];
      memcpy(q, s->start.walk.q, sizeof *q * (size_t)m->nq);
      tn_model_add(m, q, s->start.walk.s);
      if ((status = look(s, w, q, u, NULL, &n, off, worst)) == TN_OK && *off < before) {
        tn_remember(&s->solver.sys);
        break;
      }
    }
    if (status != TN_OK || !(*off < before)) { /* no way down from here: roundoff, or a contradiction */
      memcpy(q, s->start.walk.q, sizeof *q * (size_t)m->nq);
      if ((status = tn_solver_at(&s->solver, s->now.t, q, u, s->e)) != TN_OK) return status;
      collect(s, w, off, worst);
      break;
    }
  }
  tn_remember(&s->solver.sys);
  return TN_OK;
}

static tn_status velocities(tn_sim *s, const wanted *w, double *off, int *worst) {
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

/* 1e-9, of rates relative to those there are */
static double allowed(const tn_sim *s, bool rate) {
  double size = 1;
  for (int i = 0; rate && i < s->m->nu; i++) size = fmax(size, fabs(tn_u_of(s, s->now.y)[i]));
  return 1e-9 * size;
}

/* exact values may contradict the joints by a little; then the joints win. those values that have a part in a dependence among
 * the rows give way, the others stay */
static tn_status joints_win(tn_sim *s, const wanted *w) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_kkt *k = &s->start.rows.kkt;
  double off, *c = s->start.rows.lambda;
  int worst;
  const double violation = tn_violation_seen(sys, w->rate);
  if (violation <= ROUNDOFF) return TN_OK;
  if (m->large) { /* dependences are not known there: all of them, or none */
    const wanted joints = {.constraints = true, .rate = w->rate};
    if (violation <= NEXT_TO) return TN_OK;
    return w->rate ? velocities(s, &joints, &off, &worst) : positions(s, &joints, s->now.y, &off, &worst);
  }
  const int n = collect(s, w, &off, &worst);
  tn_status status = factor(s, w, n);
  if (status != TN_OK) return status;
  for (int e = k->independent; e < n; e++) {
    double most = 0;
    tn_kkt_dependence(k, e, c);
    for (int i = 0; i < n; i++) /* as energy */
      most = fmax(most,
                  fabs(c[i]) / (i < m->rows ? m->row_scale[i] : tn_target_scale(m, &m->target[s->start.rows.of[i]])));
    for (int i = m->rows; i < n; i++) {
      const int target = s->start.rows.of[i];
      if (fabs(c[i]) > 1e-9 * most * tn_target_scale(m, &m->target[target])) s->start.rows.gives[target] = true;
    }
  }
  for (int i = 0; i < m->exact; i++) s->start.rows.left_out[i] = s->start.rows.gives[i];
  return w->rate ? velocities(s, w, &off, &worst) : positions(s, w, s->now.y, &off, &worst);
}

/* rows that say that axes are parallel are met by opposite ones too */
static tn_status right_way_round(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  for (int i = 0; s->m->dimension == 3 && i < s->m->joints; i++) {
    const tn_joint *j = &s->m->joint[i];
    if (j->in_tree || !j->type->space.side) continue;
    tn_look_joint(sys, j);
    if (j->type->space.side(j->self, sys->frame3) > 0) continue;
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: joint '%s' would close the wrong way round, its axes opposite", j->name);
    tn_hint(s->e, "give a pose nearer to the one that is meant");
    char pointer[256];
    tn_node_pointer(j->node, pointer, sizeof pointer);
    tn_error_at(s->e, &j->node->place, pointer);
    return TN_E_MODEL;
  }
  return TN_OK;
}

/* steps of walking target i from start_begin to start_end: a tenth of the length, or 0.2 rad each */
static double steps_of(const tn_sim *s, int i) {
  const tn_measure *of = &s->m->target[i].of;
  const double each = tn_measure_unit(s->m, of) == TN_LENGTH ? 10 / tn_measure_length(s->m, of) : 5;
  return ceil(fabs(s->start.walk.end[i] - s->start.walk.begin[i]) * each);
}

/* the target with most steps to walk; -1: none is asked for */
static int farthest(const tn_sim *s, const wanted *w) {
  int far = -1;
  for (int i = 0; i < s->m->exact; i++)
    if (asks(s, w, i) && (far < 0 || steps_of(s, i) > steps_of(s, far))) far = i;
  return far;
}

static double steps_between(const tn_sim *s, const wanted *w) {
  const int far = farthest(s, w);
  return far < 0 ? 0 : steps_of(s, far);
}

/* each step is a few dense factorisations */
static int most_steps(const tn_model *m) {
  const double size = m->nu + m->rows + m->exact;
  return (int)fmax(FEW_STEPS, fmin(MOST_STEPS, 3e8 / (size * size * size)));
}

/* q along the constraints from start_begin to start_end in n steps, the last of them left to the caller unless `whole` */
static tn_status walk(tn_sim *s, const wanted *w, double *q, int n, bool whole, bool *barred) {
  const tn_model *m = s->m;
  double off;
  int worst;
  tn_status status = TN_OK;
  *barred = false;
  for (int k = 0; k < n + whole && status == TN_OK && !*barred; k++) {
    for (int i = 0; i < m->exact; i++)
      if (!m->target[i].rate)
        s->start.walk.goal[i] =
            s->start.walk.begin[i] + (s->start.walk.end[i] - s->start.walk.begin[i]) * k / fmax(n, 1);
    status = positions(s, w, q, &off, &worst);
    *barred = !(off <= 1e-9);
  }
  if (status == TN_E_RUN) *barred = true, status = TN_OK;
  return status;
}

/* x - x0 in turns if that is a whole number of them, else NaN */
static double turns_of(double x, double x0) {
  const double turns = round((x - x0) / TURN);
  return fabs(x - x0 - turns * TURN) <= CLOSED ? turns : NAN;
}

/* is q the configuration q0 again, but for whole turns of angles? Then q becomes q0 after `times` of such turns, and so does what is
 * remembered, which is angles. A rotation has two quaternions */
static bool repeats(const tn_sim *s, const double *q0, const double *memory0, double times, double *q, double *memory) {
  const tn_model *m = s->m;
  double same = 0, opposite = 0;
  for (int i = 0; i < m->nq; i++) {
    if (m->q_unit[i] == TN_ANGLE && isnan(turns_of(q[i], q0[i]))) return false;
    if (m->q_unit[i] == TN_LENGTH && !(fabs(q[i] - q0[i]) <= CLOSED * m->q_length[i])) return false;
    if (m->q_unit[i] != TN_RATIO) continue;
    if (i == 0 || m->q_unit[i - 1] != TN_RATIO) same = opposite = 0; /* the first of a body */
    same = fmax(same, fabs(q[i] - q0[i]));
    opposite = fmax(opposite, fabs(q[i] + q0[i]));
    if (!(fmin(same, opposite) <= CLOSED)) return false;
  }
  for (int i = 0; i < m->memory; i++)
    if (isnan(turns_of(memory[i], memory0[i]))) return false;
  for (int i = 0; i < m->nq; i++) {
    const double turns = m->q_unit[i] == TN_ANGLE ? turns_of(q[i], q0[i]) : 0;
    q[i] = q0[i] + TURN * turns * times;
  }
  for (int i = 0; i < m->memory; i++) memory[i] = memory0[i] + TURN * turns_of(memory[i], memory0[i]) * times;
  return true;
}

/* as many turns of the exact angle i as start_turns says, from where start_end is reached: one is walked, and if the mechanism is then
 * where it was, all others are the same */
static tn_status turn(tn_sim *s, const wanted *w, double *q, int i, bool *barred) {
  const tn_model *m = s->m;
  double *q0 = s->start.walk.turned, *memory0 = q0 + m->nq, *memory = s->solver.sys.memory;
  const double turns = s->start.walk.turns[i];
  memcpy(q0, q, sizeof *q * (size_t)m->nq);
  memcpy(memory0, memory, sizeof *memory * (size_t)m->memory);
  memcpy(s->start.walk.begin, s->start.walk.end, sizeof *s->start.walk.end * (size_t)m->exact);
  s->start.walk.end[i] = s->start.walk.begin[i] + copysign(TURN, turns);
  tn_status status = walk(s, w, q, (int)steps_between(s, w), true, barred);
  if (status != TN_OK || *barred) return status;
  *barred = !repeats(s, q0, memory0, fabs(turns), q, memory);
  s->start.walk.end[i] = s->start.walk.begin[i] + TURN * turns;
  tn_system_stale(&s->solver.sys); /* rows may depend on what is remembered */
  return TN_OK;
}

/* exact values far from the pose are approached little by little along the constraints, so that a mechanism is turned there and
 * does not jump to another branch. of many turns only one is walked, if the mechanism repeats itself. where the way is barred or too long
 * it is left, and the last leap is made from the pose itself */
static tn_status approach(tn_sim *s, const wanted *w) {
  const tn_model *m = s->m;
  double *goal = s->start.walk.goal, *begin = s->start.walk.begin, *end = s->start.walk.end, *q = s->start.walk.try;
  const int most = most_steps(m);
  bool barred = false, turned = false;
  for (int i = 0; i < m->exact; i++) {
    double rate, accel;
    tn_measure_eval(&s->solver.sys, &m->target[i].of, &begin[i], &rate, &accel, NULL);
    s->start.walk.final[i] = end[i] = goal[i];
    s->start.walk.turns[i] = 0;
  }
  double n = steps_between(s, w);
  s->start.walk.steps = 0;
  s->start.walk.too_far = -1;
  if (n < 2) return TN_OK;
  for (int i = 0; i < m->exact && n > WALKED_TURNS * TURN * 5; i++) {
    if (!asks(s, w, i) || tn_measure_unit(m, &m->target[i].of) != TN_ANGLE) continue;
    s->start.walk.turns[i] = trunc((end[i] - begin[i]) / TURN);
    end[i] -= TURN * s->start.walk.turns[i];
    turned = turned || s->start.walk.turns[i] != 0;
  }
  if (turned) n = steps_between(s, w);
  if (n > most) {
    s->start.walk.too_far = farthest(s, w);
    return TN_OK;
  }
  s->start.walk.steps = (int)n;
  memcpy(s->start.walk.memory, s->solver.sys.memory, sizeof(double) * (size_t)m->memory);
  memcpy(q, s->now.y, sizeof *q * (size_t)m->nq);
  tn_status status = walk(s, w, q, (int)n, turned, &barred);
  for (int i = 0; turned && i < m->exact && status == TN_OK && !barred; i++) {
    if (s->start.walk.turns[i] == 0) continue;
    s->start.walk.steps += (int)(TURN * 5);
    status = turn(s, w, q, i, &barred);
    if (barred) s->start.walk.too_far = i;
  }
  memcpy(goal, s->start.walk.final, sizeof *goal * (size_t)m->exact);
  if (status == TN_OK && !barred) {
    memcpy(s->now.y, q, sizeof *q * (size_t)m->nq);
  } else {
    memcpy(s->solver.sys.memory, s->start.walk.memory, sizeof(double) * (size_t)m->memory);
    tn_system_stale(&s->solver.sys);
  }
  return status;
}

/* where assembly of positions, then of rates begins */
static void keep_base(tn_sim *s) {
  const tn_model *m = s->m;
  memcpy(s->start.walk.base, s->now.y, sizeof *s->now.y * (size_t)(m->nq + m->nu));
  memcpy(s->start.walk.base + m->nq + m->nu, s->solver.sys.memory, sizeof *s->now.y * (size_t)m->memory);
}

bool tn_start_reach(tn_sim *s, bool rate) {
  const tn_model *m = s->m;
  const wanted w = {.constraints = true, .exact = true, .rate = rate};
  double off = 0;
  int worst;
  memcpy(s->now.y, s->start.walk.base, sizeof *s->now.y * (size_t)(m->nq + m->nu));
  memcpy(s->solver.sys.memory, s->start.walk.base + m->nq + m->nu, sizeof *s->now.y * (size_t)m->memory);
  tn_system_stale(&s->solver.sys); /* rows may depend on what is remembered */
  tn_status status =
      rate ? velocities(s, &w, &off, &worst) : tn_solver_at(&s->solver, s->now.t, s->now.y, tn_u_of(s, s->now.y), s->e);
  if (!rate && status == TN_OK) status = approach(s, &w);
  if (!rate && status == TN_OK) status = positions(s, &w, s->now.y, &off, &worst);
  return status != TN_OK || off <= allowed(s, rate);
}

/* a fixed sequence, the same on every machine */
static double jitter(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1;
}

int tn_start_rank(tn_sim *s, bool rate, bool nearby) {
  const tn_model *m = s->m;
  const wanted w = {.constraints = true, .rate = rate};
  double off;
  int worst;
  memcpy(s->now.y, s->start.walk.base, sizeof *s->now.y * (size_t)(m->nq + m->nu));
  memcpy(s->solver.sys.memory, s->start.walk.base + m->nq + m->nu, sizeof *s->now.y * (size_t)m->memory);
  tn_system_stale(&s->solver.sys);
  unsigned state = 1;
  double *way = s->start.walk.way;
  for (int i = 0; i < m->nu; i++) way[i] = jitter(&state) * 1e-2 * m->u_length[i];
  if (nearby) tn_model_add(m, s->now.y, way);
  if (tn_solver_at(&s->solver, s->now.t, s->now.y, tn_u_of(s, s->now.y), s->e) != TN_OK) return -1;
  const int n = collect(s, &w, &off, &worst);
  if (!n) return 0;
  return factor(s, &w, n) == TN_OK ? s->start.rows.kkt.rank : -1;
}

/* without matrices, where no values are wanted: the joints by the smallest change */
tn_status tn_start_large(const tn_model *m, tn_error *e) {
  const tn_formulation_type *formulation = m->run.formulation.type;
  if (!m->large) return TN_OK;
  if (!formulation->same_as_augmented || !formulation->same_as_augmented(m->run.formulation.self))
    return tn_fail(e, TN_E_MODEL, "a model of %d speeds and %d rows is too large for the formulation `%s`", m->nu,
                   m->rows, formulation->name);
  return TN_OK;
}

static tn_status assemble_large(tn_sim *s) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  double *u = tn_u_of(s, s->now.y);
  bool changed = false;
  int row;
  TN_TRY(tn_at(s, s->now.t, s->now.y, s->e));
  tn_status status = tn_put_back(solver, TN_METRIC_MASS, false, s->now.t, s->now.y, u, NULL, NULL, &changed, s->e);
  if (status != TN_OK || !m->rows) return status;
  const double off = tn_violation(&solver->sys, solver->sys.C, m->holonomic, &row);
  if (!(off <= 1e-9)) return tn_start_refuse(s, false, off, row);
  return right_way_round(s);
}

static tn_status count_large(tn_sim *s) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  tn_solver_reset(solver);
  tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  if (status != TN_OK) return status;
  const int redundant = tn_sparse_redundant(&solver->sparse, &solver->sys);
  tn_solver_reset(solver);
  const int rank = m->rows - solver->sys.idle - redundant;
  tn_solver_typical(solver, rank);
  if ((status = tn_solver_factor(solver, TN_METRIC_MASS, s->e)) != TN_OK) return status;
  solver->sys.counted = true;
  memcpy(s->singular.q_general, s->now.y, sizeof *s->now.y * (size_t)m->nq);
  s->summary.degrees_of_freedom = m->nu - rank;
  s->summary.redundant_rows = redundant;
  s->singular.beside = false;
  return TN_OK;
}

tn_status tn_start_assemble(tn_sim *s, bool targets) {
  const tn_model *m = s->m;
  double off, *from = s->next.y, *goal = s->start.walk.goal;
  int worst;
  tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  if (targets) TN_TRY(tn_equations_check(s)); /* where one fails its place is known, too */
  if (status != TN_OK) return status;
  memcpy(from, s->now.y, sizeof *from * (size_t)m->nq);
  memset(s->start.rows.left_out, !targets, sizeof *s->start.rows.left_out * (size_t)(m->exact + m->guesses));
  memset(s->start.rows.gives, 0, sizeof *s->start.rows.gives * (size_t)(m->exact + m->guesses));
  memset(s->start.rows.without, 0, sizeof *s->start.rows.without * (size_t)(m->joints + m->owned));
  if (m->rows) {
    s->summary.start_violation = tn_violation(&s->solver.sys, s->solver.sys.C, m->holonomic, &s->start.row);
    tn_format(s->summary.start_violation_joint, sizeof s->summary.start_violation_joint, "%s",
              m->joint[m->row_joint[s->start.row]].name);
  }
  if (m->large && !(targets && m->exact + m->guesses)) {
    if (targets && m->as_given) return TN_OK;
    status = assemble_large(s);
    if (status == TN_OK) tn_report_moves(s, from);
    return status;
  }
  for (int i = 0; targets && i < m->exact + m->guesses; i++) {
    const tn_target *target = &m->target[i];
    double value, rate, accel;
    tn_measure_eval(&s->solver.sys, &target->of, &value, &rate, &accel, NULL);
    goal[i] = !isnan(target->value) ? target->value : target->rate ? 0 : value;
  }
  /* guesses first, and alone: where assembly begins. a start as given is set and left there */
  for (int rate = 0; targets && rate < 2; rate++) {
    const wanted first = {.guesses = true, .exact = m->as_given, .rate = rate};
    status = rate ? velocities(s, &first, &off, &worst) : positions(s, &first, s->now.y, &off, &worst);
    if (status != TN_OK) return status;
  }
  if (targets && m->as_given) return TN_OK; /* nothing is assembled */
  const wanted position = {.constraints = true, .exact = targets},
               velocity = {.constraints = true, .exact = targets, .rate = true};
  keep_base(s);
  s->start.walk.too_far = -1;
  s->start.walk.steps = 0;
  if (targets && (status = approach(s, &position)) != TN_OK) return status;
  if ((status = positions(s, &position, s->now.y, &off, &worst)) != TN_OK) return status;
  if (!(off <= allowed(s, false))) return tn_start_refuse(s, false, off, worst);
  if (s->start.walk.too_far >= 0)
    tn_log(s, s->now.t, "assembled",
           "start value '%.60s' is too far from the initial configuration to be followed there: the mechanism may be "
           "closed in another way",
           m->target[s->start.walk.too_far].name);
  if (targets && (status = joints_win(s, &position)) != TN_OK) return status;
  keep_base(s);
  if ((status = velocities(s, &velocity, &off, &worst)) != TN_OK) return status;
  if (!(off <= allowed(s, true))) return tn_start_refuse(s, true, off, worst);
  if (targets && (status = joints_win(s, &velocity)) != TN_OK) return status;
  if ((status = right_way_round(s)) != TN_OK) return status;
  tn_report_moves(s, from);
  return TN_OK;
}

static tn_status rank_at(tn_sim *s, const double *q, int *rank) {
  tn_status status = tn_solver_at(&s->solver, s->now.t, q, tn_u_of(s, s->now.y), s->e);
  if (status == TN_OK) status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  if (status == TN_OK) *rank = s->solver.type->rank(s->solver.work);
  return status;
}

static int gap_in(tn_sim *s, const double *M) {
  tn_kkt *k = &s->start.rows.kkt;
  k->rows = k->rank = s->m->rows;
  return tn_kkt_factor(k, M, s->solver.sys.A, M && s->m->sigma ? s->start.rows.sigma : NULL) ? tn_kkt_gap(k) : k->rows;
}

/* rows at the assembled system before those that repeat them, at least nearly, as a joint does that is there twice a little apart.
 * bodies of very different mass look like that in the metric of masses, small ones in that of the coordinates: both must */
static int gap_here(tn_sim *s) {
  tn_need(&s->solver.sys, TN_LEVEL_MATRICES);
  const int gap = gap_in(s, s->solver.sys.M), other = gap < s->m->rows ? gap_in(s, NULL) : 0;
  return gap > other ? gap : other;
}

/* a pose nearby into q: a random step along the allowed directions, put back on the constraints; *off: how well that went */
static tn_status nearby(tn_sim *s, unsigned *state, double *q, double *off) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  double *x = s->start.rows.x;
  int rank, worst;
  tn_status status = rank_at(s, s->now.y, &rank);
  if (status != TN_OK) return status;
  double *way = s->start.walk.way;
  for (int i = 0; i < m->nu; i++) way[i] = jitter(state) * 1e-2 * m->u_length[i];
  tn_solver_rows_times(solver, way, solver->r);
  if ((status = tn_solver_correct(solver, TN_METRIC_MASS, TN_OF_ESTIMATE, solver->r, x, s->e)) != TN_OK) return status;
  for (int i = 0; i < m->nu; i++) way[i] -= x[i];
  memcpy(q, s->now.y, sizeof *q * (size_t)m->nq);
  tn_model_add(m, q, way);
  const wanted position = {.constraints = true, .away = true};
  return positions(s, &position, q, off, &worst);
}

/* the rank in general is the largest of the start and a few poses nearby: a start may be singular, and of the branches that
 * leave it one may be singular all along. rows that are nearly dependent count as dependent where they are so at the start and
 * at no pose nearby less so: then it is not a singular position that makes them */
tn_status tn_start_count(tn_sim *s) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  int rank, near, gap, best;
  unsigned state = 12345;
  double *q = s->inside.y, off;
  if (m->large) return count_large(s);
  memcpy(s->start.walk.memory, solver->sys.memory,
         sizeof(double) * (size_t)m->memory); /* poses nearby are not on the way */
  tn_solver_reset(solver);
  solver->sys.counted = false;
  tn_status status = rank_at(s, s->now.y, &rank);
  if (status != TN_OK) return status;
  tn_solver_typical(solver, rank);
  gap = best = gap_here(s);
  memcpy(s->singular.q_general, s->now.y, sizeof *q * (size_t)m->nq);
  s->singular.beside = false;
  const int rows = m->rows - solver->sys.idle, full = rows < m->nu ? rows : m->nu;
  for (int tries = 0; m->rows && rank < m->nu && tries < (rank < full ? POSES_NEARBY : 1); tries++) {
    if ((status = nearby(s, &state, q, &off)) != TN_OK) return status;
    if (!(off < 1e-9)) continue;
    if ((status = rank_at(s, q, &near)) != TN_OK) return status;
    const int here = gap_here(s);
    if (here > best) best = here;
    if (near > rank) {
      rank = near;
      memcpy(s->singular.q_general, q, sizeof *q * (size_t)m->nq);
      s->singular.beside = false;
    } else {
      if (near == rank && !s->singular.beside)
        memcpy(s->singular.q_beside, q, sizeof *q * (size_t)m->nq), s->singular.beside = true;
      if (tries > 0) continue;
    }
    tn_solver_typical(solver, rank);
  }
  if (gap == best && gap < rank) {
    rank = gap;
    if ((status = rank_at(s, s->singular.q_general, &near)) != TN_OK) return status;
    tn_solver_typical(solver, rank);
  }
  solver->sys.counted = true;
  if ((status = tn_sharing_find(s)) != TN_OK) return status;
  solver->at_mass.ready = false;
  tn_system_stale(&solver->sys);
  memcpy(solver->sys.memory, s->start.walk.memory, sizeof(double) * (size_t)m->memory);
  s->summary.degrees_of_freedom = m->nu - rank;
  s->summary.redundant_rows = rows - rank;
  return tn_at(s, s->now.t, s->now.y, s->e);
}
