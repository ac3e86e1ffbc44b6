/* the start: exact values and constraints are met by the smallest change of what the pose and the guesses say. guesses come first and alone;
 * then positions, then velocities. where exact values contradict joints by a little, joints win. */
#include "simulate/start.h"

/* joints that are violated by more than this, of their extent, are not so by roundoff */
static const double ROUNDOFF = 8 * TN_EPS;

/* 1: speeds and rows from which on the start forms no matrices if it need not. Below they cost less than reading the model */
enum { REFLECTS_FROM = 200, VALUES_BESIDE = 64 };

bool tn_start_may_reflect(const tn_model *m) {
  const tn_formulation_type *f = m->run.formulation.type;
  return !m->large && m->plan.nodes > 0 && m->root_plan.steps > 0 && m->nu + m->rows >= REFLECTS_FROM &&
         m->exact <= VALUES_BESIDE && f->same_as_augmented && f->same_as_augmented(m->run.formulation.self);
}

/* memory of the start, which the search for singular positions and the count of freedom use later, too */
void tn_start_carve(tn_start *s, tn_carve *c, const tn_model *m) {
  const int extra = m->exact + m->guesses, all = m->rows + extra + 1;
  const int beside = m->large ? extra : tn_start_may_reflect(m) ? m->exact + 1 : 0;
  tn_start_rows *rows = &s->rows;
  tn_start_walk *walk = &s->walk;
  tn_kkt_carve(&rows->kkt, c, m->large ? 0 : m->nu, m->large ? 0 : all);
  rows->A = TN_CARVE(c, double, (uint64_t)(m->large ? extra : all) * (uint64_t)m->nu);
  rows->X = TN_CARVE(c, double, (uint64_t)beside *(uint64_t)m->nu);
  rows->S = TN_CARVE(c, double, (uint64_t)beside *(uint64_t)beside);
  rows->push = TN_CARVE(c, double, m->large &&extra ? m->bodies * m->twist : 0);
  rows->zero = TN_CARVE(c, double, m->large &&extra ? m->rows : 0);
  rows->r = TN_CARVE(c, double, all);
  rows->x = TN_CARVE(c, double, m->nu);
  rows->lambda = TN_CARVE(c, double, all);
  rows->sigma = TN_CARVE(c, double, all);
  rows->weight = TN_CARVE(c, double, all);
  rows->of = TN_CARVE(c, int, all);
  rows->number = TN_CARVE(c, int, extra);
  rows->left_out = TN_CARVE(c, bool, extra);
  rows->gives = TN_CARVE(c, bool, extra);
  rows->without = TN_CARVE(c, bool, m->joints + m->owned);
  walk->base = TN_CARVE(c, double, m->nq + m->nu + m->memory);
  walk->goal = TN_CARVE(c, double, extra);
  walk->begin = TN_CARVE(c, double, extra);
  walk->end = TN_CARVE(c, double, extra);
  walk->final = TN_CARVE(c, double, extra);
  walk->turns = TN_CARVE(c, double, extra);
  walk->turned = TN_CARVE(c, double, m->nq + m->memory);
  walk->way = TN_CARVE(c, double, m->nu);
  walk->try = TN_CARVE(c, double, m->nq);
  walk->s = TN_CARVE(c, double, m->nu);
  walk->memory = TN_CARVE(c, double, m->memory);
}

/* exact values may contradict the joints by a little; then the joints win. those values that have a part in a dependence among
 * the rows give way, the others stay */
static tn_status joints_win(tn_sim *s, const tn_wanted *w) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_kkt *k = &s->start.rows.kkt;
  double off, *c = s->start.rows.lambda;
  int worst;
  const double violation = tn_violation_seen(sys, w->rate);
  if (violation <= ROUNDOFF) return TN_OK;
  if (m->large) { /* dependences are not known there: all of them, or none */
    const tn_wanted joints = {.constraints = true, .rate = w->rate};
    if (violation <= TN_START_NEXT_TO) return TN_OK;
    return w->rate ? tn_start_velocities(s, &joints, &off, &worst)
                   : tn_start_positions(s, &joints, s->now.y, &off, &worst);
  }
  s->start.rows.reflected = false; /* nor by reflections */
  const int n = tn_start_collect(s, w, &off, &worst);
  tn_status status = tn_start_factor(s, w, n);
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
  return w->rate ? tn_start_velocities(s, w, &off, &worst) : tn_start_positions(s, w, s->now.y, &off, &worst);
}

/* rows that say that axes are parallel are met by opposite ones too */
static tn_status right_way_round(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  for (int i = 0; s->m->dimension == 3 && i < s->m->joints; i++) {
    const tn_joint *j = &s->m->joint[i];
    if (j->in_tree || !j->type->space.side) continue;
    tn_look_joint(sys, j);
    if (j->type->space.side(j->self, sys->room.frame3) > 0) continue;
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

/* where assembly of positions, then of rates begins */
static void keep_base(tn_sim *s) {
  const tn_model *m = s->m;
  memcpy(s->start.walk.base, s->now.y, sizeof *s->now.y * (size_t)(m->nq + m->nu));
  memcpy(s->start.walk.base + m->nq + m->nu, s->solver.sys.given.memory, sizeof *s->now.y * (size_t)m->memory);
}

static void go_to_base(tn_sim *s) {
  const tn_model *m = s->m;
  memcpy(s->now.y, s->start.walk.base, sizeof *s->now.y * (size_t)(m->nq + m->nu));
  memcpy(s->solver.sys.given.memory, s->start.walk.base + m->nq + m->nu, sizeof *s->now.y * (size_t)m->memory);
  tn_system_stale(&s->solver.sys); /* rows may depend on what is remembered */
}

bool tn_start_reach(tn_sim *s, bool rate) {
  const tn_wanted w = {.constraints = true, .exact = true, .rate = rate};
  double off = 0;
  int worst;
  go_to_base(s);
  tn_status status = rate ? tn_start_velocities(s, &w, &off, &worst)
                          : tn_solver_at(&s->solver, s->now.t, s->now.y, tn_u_of(s, s->now.y), s->e);
  if (!rate && status == TN_OK) status = tn_start_approach(s, &w);
  if (!rate && status == TN_OK) status = tn_start_positions(s, &w, s->now.y, &off, &worst);
  return status != TN_OK || off <= tn_start_allowed(s, rate);
}

int tn_start_rank(tn_sim *s, bool rate, bool nearby) {
  const tn_model *m = s->m;
  const tn_wanted w = {.constraints = true, .rate = rate};
  double off;
  int worst;
  go_to_base(s);
  unsigned state = 1;
  double *way = s->start.walk.way;
  for (int i = 0; i < m->nu; i++) way[i] = tn_start_jitter(&state) * 1e-2 * m->u_length[i];
  if (nearby) tn_model_add(m, s->now.y, way);
  if (tn_solver_at(&s->solver, s->now.t, s->now.y, tn_u_of(s, s->now.y), s->e) != TN_OK) return -1;
  const int n = tn_start_collect(s, &w, &off, &worst);
  if (!n) return 0;
  return tn_start_factor(s, &w, n) == TN_OK ? s->start.rows.kkt.rank : -1;
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
  TN_TRY(tn_at(s, s->now.t, s->now.y, s->e));
  tn_status status = tn_put_back(solver, TN_METRIC_MASS, false, s->now.t, s->now.y, u, NULL, NULL, &changed, s->e);
  if (status != TN_OK || !m->rows) return status;
  const double off = tn_violation(&solver->sys, solver->sys.rows.C, m->holonomic, &row);
  if (!(off <= tn_start_allowed(s, false))) return tn_start_refuse(s, false, off, row);
  return right_way_round(s);
}

/* what assembly finds before it begins, for the report */
static void note_violation(tn_sim *s) {
  const tn_model *m = s->m;
  tn_summary *sum = &s->summary;
  if (!m->rows) return;
  sum->start_violation = tn_violation(&s->solver.sys, s->solver.sys.rows.C, m->holonomic, &s->start.row);
  tn_format(sum->start_violation_joint, sizeof sum->start_violation_joint, "%s",
            m->joint[m->row_joint[s->start.row]].name);
}

/* all rows are asked for, and all targets or none */
static void ask(tn_sim *s, bool targets) {
  const tn_model *m = s->m;
  tn_start_rows *rows = &s->start.rows;
  const size_t n = (size_t)(m->exact + m->guesses);
  memset(rows->left_out, !targets, sizeof *rows->left_out * n);
  memset(rows->gives, 0, sizeof *rows->gives * n);
  memset(rows->without, 0, sizeof *rows->without * (size_t)(m->joints + m->owned));
  rows->reflected = tn_start_may_reflect(m);
}

/* guesses first, and alone: where assembly begins. a start as given is set and left there */
static tn_status set_guesses(tn_sim *s) {
  const tn_model *m = s->m;
  double off;
  int worst;
  for (int i = 0; i < m->exact + m->guesses; i++) {
    const tn_target *target = &m->target[i];
    double value, rate, accel;
    tn_measure_eval(&s->solver.sys, &target->of, &value, &rate, &accel, NULL);
    s->start.walk.goal[i] = !isnan(target->value) ? target->value : target->rate ? 0 : value;
  }
  const tn_wanted position = {.guesses = true, .exact = m->as_given};
  TN_TRY(tn_start_positions(s, &position, s->now.y, &off, &worst));
  const tn_wanted rates = {.guesses = true, .exact = m->as_given, .rate = true};
  return tn_start_velocities(s, &rates, &off, &worst);
}

static tn_status reach(tn_sim *s, const tn_wanted *w, double *off, int *worst) {
  if (w->rate) return tn_start_velocities(s, w, off, worst);
  s->start.walk.too_far = -1;
  s->start.walk.steps = 0;
  if (w->exact) TN_TRY(tn_start_approach(s, w));
  return tn_start_positions(s, w, s->now.y, off, worst);
}

/* what reflections do not reach is tried with matrices, which judge it, and say why it cannot be */
static tn_status reach_either_way(tn_sim *s, const tn_wanted *w, double *off, int *worst) {
  tn_error *const e = s->e;
  keep_base(s);
  if (s->start.rows.reflected) s->e = &s->life.spare;
  const tn_status status = reach(s, w, off, worst);
  s->e = e;
  if (!s->start.rows.reflected || (status == TN_OK && *off <= tn_start_allowed(s, w->rate))) return status;
  s->start.rows.reflected = false;
  go_to_base(s);
  TN_TRY(tn_solver_at(&s->solver, s->now.t, s->now.y, tn_u_of(s, s->now.y), s->e));
  return reach(s, w, off, worst);
}

static tn_status assemble_positions(tn_sim *s, bool targets) {
  const tn_wanted w = {.constraints = true, .exact = targets};
  const tn_start_walk *walk = &s->start.walk;
  double off;
  int worst;
  TN_TRY(reach_either_way(s, &w, &off, &worst));
  if (!(off <= tn_start_allowed(s, false))) return tn_start_refuse(s, false, off, worst);
  if (walk->too_far >= 0)
    tn_log(s, s->now.t, "assembled",
           "start value '%.60s' is too far from the initial configuration to be followed there: the mechanism may be "
           "closed in another way",
           s->m->target[walk->too_far].name);
  return targets ? joints_win(s, &w) : TN_OK;
}

static tn_status assemble_velocities(tn_sim *s, bool targets) {
  const tn_wanted w = {.constraints = true, .exact = targets, .rate = true};
  double off;
  int worst;
  TN_TRY(reach_either_way(s, &w, &off, &worst));
  if (!(off <= tn_start_allowed(s, true))) return tn_start_refuse(s, true, off, worst);
  return targets ? joints_win(s, &w) : TN_OK;
}

/* `set`: some targets are set, so that rows of a large model are not all there is */
static tn_status assemble(tn_sim *s, bool targets, bool set) {
  if (s->m->large && !set) return assemble_large(s);
  TN_TRY(assemble_positions(s, targets));
  TN_TRY(assemble_velocities(s, targets));
  return right_way_round(s);
}

tn_status tn_start_assemble(tn_sim *s, bool targets) {
  const tn_model *m = s->m;
  const bool set = targets && m->exact + m->guesses;
  double *from = s->next.y;
  const tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  if (targets) TN_TRY(tn_equations_check(s)); /* where one fails its place is known, too */
  TN_TRY(status);
  memcpy(from, s->now.y, sizeof *from * (size_t)m->nq);
  ask(s, targets);
  note_violation(s);
  if (targets && (set || !m->large)) TN_TRY(set_guesses(s));
  if (targets && m->as_given) return TN_OK; /* nothing is assembled */
  TN_TRY(assemble(s, targets, set));
  tn_report_moves(s, from);
  return TN_OK;
}
