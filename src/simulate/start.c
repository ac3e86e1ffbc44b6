/* the start: exact values and constraints are met by the smallest change, in the kinetic-energy metric, of what the pose and the
 * guesses say.
 *   (1) position: rows C(q) = 0 and exact channels m(q) = value, Newton with step halving on K (0, r)
 *   (2) velocity: A u = -Ct and exact rates, one linear solve
 * and the count of freedom: rank of the rows at the start and at a pose nearby on the constraints, so that a start in a singular
 * position does not mislead. */
#include "simulate/simulate.h"

enum { MOST_PASSES = 60, MOST_HALVINGS = 20, POSES_NEARBY = 16 };

/* which rows are wanted: the constraints, and of the targets those that pass the filter */
typedef struct wanted {
  bool constraints, exact, guesses, rate;
  bool away; /* and to be start_way away from the state, along it */
} wanted;

static bool asks(const tn_sim *s, const wanted *w, int i) {
  const tn_target *t = &s->m->target[i];
  return t->rate == w->rate && (i < s->m->exact ? w->exact : w->guesses);
}

static double target_scale(const tn_sim *s, const tn_target *t) {
  return tn_measure_unit(s->m, &t->of) == TN_LENGTH ? 1 / s->m->length : 1;
}

/* rows, residuals r = wanted - present at the assembled system; returns the number of rows, the worst scaled residual in *off */
static int collect(tn_sim *s, const wanted *w, double *off, int *worst) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  const size_t nu = (size_t)m->nu;
  tn_system_dense(&s->solver.sys);
  int n = 0;
  *off = 0;
  *worst = -1;
  if (w->constraints)
    for (int i = 0; i < m->rows; i++) {
      const bool position_of_velocity_row = !w->rate && i >= m->holonomic;
      s->start_r[n] = w->rate ? -sys->Cdot[i] : position_of_velocity_row ? 0 : -sys->C[i];
      memcpy(s->start_A + (size_t)n * nu, sys->A + (size_t)i * nu, sizeof(double) * nu);
      const double v = fabs(s->start_r[n]) * m->row_scale[i];
      if (!(v <= *off)) *off = v, *worst = i;
      n++;
    }
  if (w->away) { /* in units of the step: 1 is all of it */
    double size = 0, gone = 0, *row = s->start_A + (size_t)n * nu, *dq = s->start_gone, *ds = dq + m->nq;
    for (int i = 0; i < m->nq; i++) dq[i] = sys->q[i] - s->y[i];
    tn_model_tangent(m, s->y, dq, ds);
    for (int i = 0; i < m->nu; i++) size += s->start_way[i] * s->start_way[i];
    for (int i = 0; i < m->nu; i++) {
      row[i] = size > 0 ? s->start_way[i] / size : 0;
      gone += row[i] * ds[i];
    }
    s->start_r[n] = 1 - gone;
    if (!(fabs(s->start_r[n]) * 1e-3 <= *off)) *off = 1e-3 * fabs(s->start_r[n]);
    n++;
  }
  for (int i = 0; i < m->exact + m->guesses; i++) {
    if (!asks(s, w, i)) continue;
    const tn_target *t = &m->target[i];
    double value, rate, accel, *row = s->start_A + (size_t)n * nu;
    memset(row, 0, sizeof *row * nu);
    tn_measure_eval(sys, &t->of, &value, &rate, &accel, row);
    s->start_r[n] = s->start_goal[i] - (w->rate ? rate : value);
    const double v = fabs(s->start_r[n]) * target_scale(s, t);
    if (!(v <= *off)) *off = v, *worst = m->rows + i;
    n++;
  }
  return n;
}

/* guesses alone move what they name and nothing else: the metric of the coordinates */
static tn_status solve(tn_sim *s, const wanted *w, int n) {
  tn_kkt *k = &s->start_kkt;
  tn_kkt_info info;
  const double *M = w->constraints ? s->solver.sys.M : NULL;
  const double *sigma =
      w->constraints && s->m->sigma ? s->start_sigma : NULL; /* of the constraint rows, which come first */
  k->rows = n;
  k->rank = n;
  if (!tn_kkt_factor(k, M, s->start_A, sigma)) {
    /* the solver says it in words */
    tn_status status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
    return status != TN_OK ? status : tn_fail(s->e, TN_E_MODEL, "the mass matrix is singular");
  }
  const int rank = tn_kkt_rank(k);
  if (rank < n) {
    k->rank = rank;
    tn_kkt_factor(k, M, s->start_A, sigma);
  }
  tn_kkt_solve(k, M, s->start_A, sigma, NULL, s->start_r, s->start_x, s->start_lambda, &info);
  if (!info.failed) return TN_OK;
  tn_fail(s->e, TN_E_MODEL, "the start cannot be assembled: a correction is not a finite number");
  if (s->m->rows) { /* the place where the pose is open most */
    const tn_node *node = s->m->joint[s->m->row_joint[s->start_row]].node;
    char pointer[256];
    tn_node_pointer(node, pointer, sizeof pointer);
    tn_error_at(s->e, &node->place, pointer);
  }
  return TN_E_MODEL;
}

static void describe(const tn_sim *s, int worst, char *text, size_t size) {
  const tn_model *m = s->m;
  if (worst < m->rows)
    tn_row_owner(m, worst, text, size);
  else
    tn_format(text, size, "start value '%s'", m->target[worst - m->rows].name);
}

/* (1); what stays away from what is wanted, and by how much, comes back in *worst and *off */
static tn_status positions(tn_sim *s, const wanted *w, double *q, double *off, int *worst) {
  const tn_model *m = s->m;
  double *u = tn_u_of(s, s->y);
  tn_status status = tn_solver_at(&s->solver, s->t, q, u, s->e);
  if (status != TN_OK) return status;
  int n = collect(s, w, off, worst);
  for (int pass = 0; n && pass<MOST_PASSES && * off> 1e-15; pass++) {
    if ((status = solve(s, w, n)) != TN_OK) return status;
    memcpy(s->start_q, q, sizeof *q * (size_t)m->nq);
    const double before = *off;
    double step = 1;
    for (int h = 0; h < MOST_HALVINGS; h++, step /= 2) {
      for (int i = 0; i < m->nu; i++) s->start_s[i] = step * s->start_x[i];
      memcpy(q, s->start_q, sizeof *q * (size_t)m->nq);
      tn_model_add(m, q, s->start_s);
      if ((status = tn_solver_at(&s->solver, s->t, q, u, NULL)) == TN_OK) {
        n = collect(s, w, off, worst);
        if (*off < before) {
          tn_remember(&s->solver.sys);
          break;
        }
      }
    }
    if (status != TN_OK || !(*off < before)) { /* no way down from here: roundoff, or a contradiction */
      memcpy(q, s->start_q, sizeof *q * (size_t)m->nq);
      if ((status = tn_solver_at(&s->solver, s->t, q, u, s->e)) != TN_OK) return status;
      collect(s, w, off, worst);
      break;
    }
  }
  tn_remember(&s->solver.sys);
  return TN_OK;
}

static tn_status velocities(tn_sim *s, const wanted *w, double *off, int *worst) {
  double *u = tn_u_of(s, s->y);
  tn_status status = tn_at(s, s->t, s->y, s->e);
  if (status != TN_OK) return status;
  int n = collect(s, w, off, worst);
  /* linear: the second pass is refinement */
  for (int pass = 0; n && pass < 2; pass++) {
    if ((status = solve(s, w, n)) != TN_OK) return status;
    for (int i = 0; i < s->m->nu; i++) u[i] += s->start_x[i];
    if ((status = tn_at(s, s->t, s->y, s->e)) != TN_OK) return status;
    collect(s, w, off, worst);
  }
  return TN_OK;
}

static tn_status refuse(tn_sim *s, const char *what, double off, int worst) {
  const tn_model *m = s->m;
  char name[128];
  describe(s, worst, name, sizeof name);
  const tn_node *node = worst >= m->rows ? m->target[worst - m->rows].node : m->joint[m->row_joint[worst]].node;
  bool exact = false;
  for (int i = 0; i < m->exact; i++) exact = exact || m->target[i].rate == (what[0] == 'v');
  /* what stays off is where the least squares left it; what the given pose has open is more likely to be at fault */
  const tn_joint *open = s->summary.start_violation > 1e-9 ? &m->joint[m->row_joint[s->start_row]] : NULL;
  if (open && !exact && what[0] == 'p' && open->node != node) {
    node = open->node;
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: joint '%s' is off by %.3g at the given pose, and closing it leaves %s off "
            "by %.3g",
            open->name, s->summary.start_violation, name, off);
  } else {
    tn_fail(s->e, TN_E_MODEL, "the start cannot be assembled: %s stays off by %.3g in %s", name, off, what);
  }
  /* joints hold still; what moves in time is what cannot be followed */
  char moving[160] = "";
  const tn_node *mover = NULL;
  for (int i = 0, used = 0; what[0] == 'v' && i < m->rows && used < 100; i++) {
    const tn_joint *j = &m->joint[m->row_joint[i]];
    if (s->solver.sys.Ct[i] == 0 || j->node == mover) continue;
    used += tn_format(moving + used, sizeof moving - (size_t)used, "%s'%.40s'", mover ? ", " : "", j->name);
    mover = j->node;
  }
  if (mover && !exact && worst < m->rows) {
    node = mover;
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: the motion of %s cannot be followed, %s stays off by %.3g "
            "in velocity",
            moving, name, off);
  }
  if (exact) tn_hint(s->e, "exact start values must not contradict the joints; put some of them under \"guess\"");
  char pointer[256];
  tn_node_pointer(node, pointer, sizeof pointer);
  tn_error_at(s->e, &node->place, pointer);
  return TN_E_MODEL;
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

static void report_move(tn_sim *s, const double *from) {
  const tn_model *m = s->m;
  tn_summary *sum = &s->summary;
  double *dq = s->start_gone, *moved = dq + m->nq;
  int most = -1;
  for (int i = 0; i < m->nq; i++) dq[i] = s->y[i] - from[i];
  tn_model_tangent(m, from, dq, moved);
  for (int i = 0; i < m->nu; i++)
    if (fabs(moved[i]) > sum->start_moved) sum->start_moved = fabs(moved[i]), most = i;
  if (most < 0) return;
  /* by the name of the coordinate where there is one, else by that of the speed whose integral it is */
  const char *name = m->u_name[most];
  for (int i = 0; i < m->bodies; i++)
    if (!m->body[i].chart && most >= m->body[i].u && most < m->body[i].u + m->body[i].nu)
      name = m->q_name[m->body[i].q + most - m->body[i].u];
  tn_format(sum->start_moved_name, sizeof sum->start_moved_name, "%.63s", name);
  if (sum->start_moved > 1e-9) tn_log(s, s->t, "assembled", "the start moved %s by %.3g", name, sum->start_moved);
}

/* exact values far from the pose are approached little by little along the constraints, so that a mechanism is turned there and
 * does not jump to another branch. where the way is barred it is left, and the last leap is made from the pose itself */
static tn_status approach(tn_sim *s, const wanted *w) {
  const tn_model *m = s->m;
  double *goal = s->start_goal, *begin = s->start_begin, *q = s->start_try, far = 0, off;
  int worst;
  for (int i = 0; i < m->exact; i++) {
    const tn_target *t = &m->target[i];
    double rate, accel;
    tn_measure_eval(&s->solver.sys, &t->of, &begin[i], &rate, &accel, NULL);
    if (!t->rate)
      far = fmax(far, fabs(goal[i] - begin[i]) * (tn_measure_unit(m, &t->of) == TN_LENGTH ? 10 / m->length : 5));
  }
  const int n = (int)fmin(ceil(far), 200000);
  if (n < 2) return TN_OK;
  memcpy(s->start_memory, s->solver.sys.memory, sizeof(double) * (size_t)m->memory);
  memcpy(q, s->y, sizeof *q * (size_t)m->nq);
  for (int i = 0; i < m->exact; i++) s->start_end[i] = goal[i];
  tn_status status = TN_OK;
  bool barred = false;
  for (int k = 0; k < n && status == TN_OK && !barred; k++) {
    for (int i = 0; i < m->exact; i++)
      if (!m->target[i].rate) goal[i] = begin[i] + (s->start_end[i] - begin[i]) * k / n;
    status = positions(s, w, q, &off, &worst);
    barred = !(off <= 1e-9);
  }
  for (int i = 0; i < m->exact; i++) goal[i] = s->start_end[i];
  if (status == TN_OK && !barred)
    memcpy(s->y, q, sizeof *q * (size_t)m->nq);
  else
    memcpy(s->solver.sys.memory, s->start_memory, sizeof(double) * (size_t)m->memory);
  return status == TN_E_RUN ? TN_OK : status;
}

/* without matrices: the joints by the smallest change; no values are wanted besides */
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
  double *u = tn_u_of(s, s->y);
  bool changed = false;
  int row;
  tn_status status = tn_put_back(solver, TN_METRIC_MASS, false, s->t, s->y, u, NULL, NULL, &changed, s->e);
  if (status != TN_OK || !m->rows) return status;
  const double off = tn_violation(&solver->sys, solver->sys.C, m->holonomic, &row);
  if (!(off <= 1e-9)) return refuse(s, "position", off, row);
  return right_way_round(s);
}

static tn_status count_large(tn_sim *s) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  tn_solver_reset(solver);
  tn_status status = tn_at(s, s->t, s->y, s->e);
  if (status != TN_OK) return status;
  const int redundant = tn_sparse_redundant(&solver->sparse, &solver->sys);
  tn_solver_reset(solver);
  tn_solver_typical(solver, m->rows - redundant);
  if ((status = tn_solver_factor(solver, TN_METRIC_MASS, s->e)) != TN_OK) return status;
  solver->sys.counted = true;
  memcpy(s->q_general, s->y, sizeof *s->y * (size_t)m->nq);
  s->summary.degrees_of_freedom = m->nu - m->rows + redundant;
  s->summary.redundant_rows = redundant;
  s->beside = false;
  return TN_OK;
}

tn_status tn_start_assemble(tn_sim *s, bool targets) {
  const tn_model *m = s->m;
  double off, *from = s->ynew, *goal = s->start_goal;
  int worst;
  tn_status status = tn_at(s, s->t, s->y, s->e);
  if (status != TN_OK) return status;
  memcpy(from, s->y, sizeof *from * (size_t)m->nq);
  if (m->rows) {
    s->summary.start_violation = tn_violation(&s->solver.sys, s->solver.sys.C, m->holonomic, &s->start_row);
    tn_format(s->summary.start_violation_joint, sizeof s->summary.start_violation_joint, "%s",
              m->joint[m->row_joint[s->start_row]].name);
  }
  if (m->large) {
    if (targets && m->as_given) return TN_OK;
    status = assemble_large(s);
    if (status == TN_OK) report_move(s, from);
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
    status = rate ? velocities(s, &first, &off, &worst) : positions(s, &first, s->y, &off, &worst);
    if (status != TN_OK) return status;
  }
  if (targets && m->as_given) return TN_OK; /* nothing is assembled */
  const wanted position = {.constraints = true, .exact = targets},
               velocity = {.constraints = true, .exact = targets, .rate = true};
  if (targets && (status = approach(s, &position)) != TN_OK) return status;
  if ((status = positions(s, &position, s->y, &off, &worst)) != TN_OK) return status;
  if (!(off <= 1e-9)) return refuse(s, "position", off, worst);
  /* exact values may contradict the joints by a little; the joints win */
  const wanted joints = {.constraints = true}, their_rates = {.constraints = true, .rate = true};
  if (targets && (status = positions(s, &joints, s->y, &off, &worst)) != TN_OK) return status;
  if ((status = velocities(s, &velocity, &off, &worst)) != TN_OK) return status;
  if (!(off <= 1e-9)) {
    /* relative to the rates there are */
    double size = 1;
    for (int i = 0; i < m->nu; i++) size = fmax(size, fabs(tn_u_of(s, s->y)[i]));
    if (!(off <= 1e-9 * size)) return refuse(s, "velocity", off, worst);
  }
  if (targets && (status = velocities(s, &their_rates, &off, &worst)) != TN_OK) return status;
  if ((status = right_way_round(s)) != TN_OK) return status;
  report_move(s, from);
  return TN_OK;
}

/* a fixed sequence, the same on every machine */
static double jitter(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1;
}

static tn_status rank_at(tn_sim *s, const double *q, int *rank) {
  tn_status status = tn_solver_at(&s->solver, s->t, q, tn_u_of(s, s->y), s->e);
  if (status == TN_OK) status = tn_solver_factor(&s->solver, TN_METRIC_MASS, s->e);
  if (status == TN_OK) *rank = s->solver.type->rank(s->solver.work);
  return status;
}

static int gap_in(tn_sim *s, const double *M) {
  tn_kkt *k = &s->start_kkt;
  k->rows = k->rank = s->m->rows;
  return tn_kkt_factor(k, M, s->solver.sys.A, M && s->m->sigma ? s->start_sigma : NULL) ? tn_kkt_gap(k) : k->rows;
}

/* rows at the assembled system before those that repeat them, at least nearly, as a joint does that is there twice a little apart.
 * bodies of very different mass look like that in the metric of masses, small ones in that of the coordinates: both must */
static int gap_here(tn_sim *s) {
  tn_system_dense(&s->solver.sys);
  const int gap = gap_in(s, s->solver.sys.M), other = gap < s->m->rows ? gap_in(s, NULL) : 0;
  return gap > other ? gap : other;
}

/* a pose nearby into q: a random step along the allowed directions, put back on the constraints; *off: how well that went */
static tn_status nearby(tn_sim *s, unsigned *state, double *q, double *off) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  double *x = s->start_x;
  int rank, worst;
  tn_status status = rank_at(s, s->y, &rank);
  if (status != TN_OK) return status;
  double *way = s->start_way;
  for (int i = 0; i < m->nu; i++) way[i] = jitter(state) * 1e-2 * (m->u_unit[i] == TN_LENGTH ? m->length : 1);
  tn_solver_rows_times(solver, way, solver->r);
  if ((status = tn_solver_correct(solver, TN_METRIC_MASS, TN_OF_ESTIMATE, solver->r, x, s->e)) != TN_OK) return status;
  for (int i = 0; i < m->nu; i++) way[i] -= x[i];
  memcpy(q, s->y, sizeof *q * (size_t)m->nq);
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
  double *q = s->yrow, off;
  if (m->large) return count_large(s);
  memcpy(s->start_memory, solver->sys.memory, sizeof(double) * (size_t)m->memory); /* poses nearby are not on the way */
  tn_solver_reset(solver);
  solver->sys.counted = false;
  tn_status status = rank_at(s, s->y, &rank);
  if (status != TN_OK) return status;
  tn_solver_typical(solver, rank);
  gap = best = gap_here(s);
  memcpy(s->q_general, s->y, sizeof *q * (size_t)m->nq);
  s->beside = false;
  const int full = m->rows < m->nu ? m->rows : m->nu;
  for (int tries = 0; m->rows && rank < m->nu && tries < (rank < full ? POSES_NEARBY : 1); tries++) {
    if ((status = nearby(s, &state, q, &off)) != TN_OK) return status;
    if (!(off < 1e-9)) continue;
    if ((status = rank_at(s, q, &near)) != TN_OK) return status;
    const int here = gap_here(s);
    if (here > best) best = here;
    if (near > rank) {
      rank = near;
      memcpy(s->q_general, q, sizeof *q * (size_t)m->nq);
      s->beside = false;
    } else {
      if (near == rank && !s->beside) memcpy(s->q_beside, q, sizeof *q * (size_t)m->nq), s->beside = true;
      if (tries > 0) continue;
    }
    tn_solver_typical(solver, rank);
  }
  if (gap == best && gap < rank) {
    rank = gap;
    if ((status = rank_at(s, s->q_general, &near)) != TN_OK) return status;
    tn_solver_typical(solver, rank);
  }
  solver->sys.counted = true;
  solver->mass_ready = solver->sys.complete = false;
  memcpy(solver->sys.memory, s->start_memory, sizeof(double) * (size_t)m->memory);
  s->summary.degrees_of_freedom = m->nu - rank;
  s->summary.redundant_rows = m->rows - rank;
  return tn_at(s, s->t, s->y, s->e);
}
