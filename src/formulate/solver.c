/* the system with its factorisation. M and A depend on q and t alone, so a change of u (a velocity correction, a first stage
 * after it) factors nothing anew. the factorisation has the number of the position that it was made at; a system that went elsewhere
 * and came back, as corrections that do not help and outputs do, stands at another number with the same t and q: these are compared
 * once, before it would be factored again. */
#include "formulate/formulate.h"

#include <time.h>

/* of a singular position: nearer the dense factorisation takes over, as it does for redundant rows, unless there is no room for
 * matrices: it leaves out the same rows from stage to stage, and is quieter by some digits where these contradict each other */
static const double NEAR = 1e-4;

/* 1, nearness of a singular position: nearer, the formulation itself serves, where another has stood in for it. steps do not end
 * there (simulate/step.c) */
static const double AT_POSITION = 1e-9;

/* rad, or of the model's length: so near, a factorisation far from a singular position tells that this is far from it too */
static const double BESIDE = 1e-3;

double tn_clock(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void tn_solver_carve(tn_solver *s, tn_carve *c, const tn_model *m) {
  tn_system_carve(&s->sys, c, m);
  s->type = m->run.formulation.type;
  s->self = m->run.formulation.self;
  const int nu = m->large ? 0 : m->nu, rows = m->large ? 0 : m->rows; /* of matrices */
  s->work = tn_carve_bytes(c, s->type->memory(s->self, nu, rows));
  if (c->base) s->type->prepare(s->self, s->work, nu, rows);
  tn_sparse_carve(&s->sparse, c, m);
  tn_penalty_carve(&s->penalty, c, m, m->run.uses_penalty);
  s->blocks_stand_in = s->sparse.there && s->type->same_as_augmented && s->type->same_as_augmented(s->self);
  s->at_mass.q = TN_CARVE(c, double, m->nq);
  s->at_identity.q = TN_CARVE(c, double, m->nq);
  tn_kkt_carve(&s->identity, c, nu, rows);
  s->identity.group = m->row_group;
  if (m->run.chooses_dependent) tn_dependent_carve(&s->dependent, c, m);
  s->scratch = TN_CARVE(c, double, m->rows + 1);
  s->noise = TN_CARVE(c, double, m->rows + 1);
  s->r = TN_CARVE(c, double, m->rows + 1);
  s->s = TN_CARVE(c, double, m->nu + 1);
  s->q_try = TN_CARVE(c, double, m->nq + 1);
  s->nearness = s->seen = 1;
  s->rank = m->rows;
}

void tn_solver_forget(tn_solver *s) {
  s->at_mass.ready = s->at_identity.ready = false;
  s->penalty.at = 0;
  for (int k = 0; k < 2; k++) s->dependent.sparse.set[k].at = 0;
}

void tn_solver_reset(tn_solver *s) {
  s->rank = s->sys.m->rows - s->sys.given.idle;
  if (!s->sys.m->large) s->type->reset(s->work);
  tn_sparse_reset(&s->sparse, s->sys.m);
  tn_kkt_reset(&s->identity);
  tn_dependent_reset(&s->dependent);
  s->identity_typical = false;
  tn_solver_forget(s);
}

void tn_solver_typical(tn_solver *s, int rank) {
  assert(rank >= 0 && rank <= s->sys.m->rows);
  s->rank = rank;
  if (!s->sys.m->large) s->type->typical(s->work, rank);
  if (s->blocks_stand_in) tn_sparse_typical(&s->sparse, &s->sys, s->sys.m->rows - s->sys.given.idle - rank);
  tn_dependent_reset(&s->dependent);
  tn_solver_forget(s); /* other rows may be left out now */
}

bool tn_solver_typical_by_blocks(tn_solver *s) {
  assert(!s->sys.m->large);
  s->rank = s->sys.m->rows - s->sys.given.idle;
  tn_sparse_typical(&s->sparse, &s->sys, 0);
  tn_dependent_reset(&s->dependent);
  tn_solver_forget(s);
  return s->sparse.ready && s->sparse.rooted;
}

/* what is not a number, in words */
static tn_status not_finite(tn_solver *s, const char *otherwise, tn_error *e) {
  char what[160];
  if (!tn_system_fault(&s->sys, what, sizeof what)) tn_format(what, sizeof what, "%s", otherwise);
  tn_fail(e, TN_E_RUN, "%s", what);
  if (e) e->time = s->sys.at.t;
  tn_system_stale(&s->sys);
  return TN_E_RUN;
}

tn_status tn_solver_evaluate(tn_solver *s, tn_error *e) {
  tn_system *sys = &s->sys;
  if (tn_knows(sys, TN_LEVEL_FORCES)) return TN_OK;
  const double start = tn_profile_begin(&s->profile);
  tn_need(sys, TN_LEVEL_FORCES);
  tn_profile_end(&s->profile, TN_TIME_ASSEMBLE, start);
  const bool singular = tn_system_singular(sys, e);
  if (sys->known.finite && !singular) return TN_OK;
  if (!singular) return not_finite(s, "a force is beyond all bounds", e);
  if (e) e->time = sys->at.t;
  tn_system_stale(sys);
  return TN_E_RUN;
}

tn_status tn_solver_at(tn_solver *s, double t, const double *q, const double *u, tn_error *e) {
  if (!tn_system_is_at(&s->sys, t, q, u, NULL)) tn_system_move(&s->sys, t, q, u, NULL);
  return tn_solver_evaluate(s, e);
}

void tn_solver_rows_at(tn_solver *s, double t, const double *q, const double *u) {
  const double start = tn_profile_begin(&s->profile);
  tn_system_move(&s->sys, t, q, u, NULL);
  tn_need(&s->sys, TN_LEVEL_ROWS);
  tn_profile_end(&s->profile, TN_TIME_ASSEMBLE, start);
}

static tn_status no_mass(tn_solver *s, int bad, tn_error *e) {
  const tn_model *m = s->sys.m;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (bad < b->u || bad >= b->u + b->nu) continue;
    tn_fail(e, TN_E_MODEL, "body '%s': the mass matrix is singular, nothing gives %s inertia", b->name, m->u_name[bad]);
    tn_hint(e, "give it mass or inertia, or hold all of its freedom by drivers");
    char pointer[256];
    tn_node_pointer(b->node, pointer, sizeof pointer);
    tn_error_at(e, &b->node->place, pointer);
    return TN_E_MODEL;
  }
  return tn_fail(e, TN_E_INTERNAL, "the mass matrix is singular at speed %d", bad);
}

static tn_status too_large(const tn_model *m, tn_metric metric, tn_error *e) {
  tn_fail(e, TN_E_MODEL, "a model of %d speeds and %d rows is too large for the metric `%s`", m->nu, m->rows,
          metric == TN_METRIC_DEPENDENT ? "dependent" : "identity");
  tn_hint(e, "the metric `mass`, which is the default");
  return TN_E_MODEL;
}

bool tn_solver_has_blocks(const tn_solver *s) {
  return s->sparse.quick && (s->sys.m->large || s->rank == s->sys.m->rows - s->sys.given.idle);
}

/* Where blocks stand in for a formulation, the dense factorization of `augmented` serves until they are ready and takes over near
 * singular positions: its answer is the same, and it costs a small part of singular values. As near as `AT_POSITION` the formulation
 * serves as it is defined. So it does where rows turn out to depend on each other, since blocks do not serve there, and where it has a
 * penalty, since its answer is another one. */
static bool kkt_takes_over(const tn_solver *s) {
  return s->blocks_stand_in && (tn_solver_has_blocks(s) || !s->sparse.judged) && s->type->rank == tn_by_kkt_rank &&
         !s->type->penalty;
}

static bool factor_dense(tn_solver *s, int *bad) {
  s->by_kkt = kkt_takes_over(s);
  if (s->by_kkt) {
    if (!tn_by_kkt_factor(s->work, &s->sys, bad)) return false;
    s->by_kkt = !s->sparse.judged || tn_by_kkt_nearness(s->work) > AT_POSITION;
  }
  return s->by_kkt || s->type->factor(s->self, s->work, &s->sys, bad);
}

static void solve_dense(tn_solver *s, const double *f, const double *gamma, double *udot, double *lambda,
                        tn_solve_info *info) {
  if (s->by_kkt)
    tn_by_kkt_solve(s->work, &s->sys, f, gamma, udot, lambda, info);
  else
    s->type->solve(s->self, s->work, &s->sys, f, gamma, udot, lambda, info);
}

extern const tn_formulation_type tn_formulation_augmented;

/* Reflections serve near singular positions and where rows are redundant: `augmented` always, what blocks stand in for if its rows are
 * independent, but not a formulation with a penalty, whose answer is another one. */
static bool may_reflect(const tn_solver *s) {
  if (!s->sparse.rooted || s->sys.m->large) return s->sparse.rooted;
  return !s->type->penalty && (s->type == &tn_formulation_augmented || s->rank == s->sys.m->rows - s->sys.given.idle);
}

/* By blocks; near a singular position or with redundant rows by reflections, or where a model has no plan for these not at all. false:
 * the dense matrices have to be factored instead. */
static bool factor_blocks(tn_solver *s) {
  const tn_model *m = s->sys.m;
  tn_sparse *blocks = &s->sparse;
  const bool independent = s->rank == m->rows - s->sys.given.idle;
  double nearness = 1;
  if (m->large && !blocks->ready) tn_sparse_typical(blocks, &s->sys, m->rows - s->sys.given.idle - s->rank);
  if (!blocks->ready || !(independent || s->sys.known.counted || m->large))
    return false; /* a rank is asked of matrices */
  if (tn_solver_has_blocks(s)) {
    const bool good = tn_sparse_factor(blocks, &s->sys, &nearness);
    s->seen = tn_min(s->seen, nearness);
    if (good && nearness > NEAR) return true;
    if (m->large && !blocks->rooted) {
      s->nearness = tn_min(s->nearness, nearness);
      return good;
    }
  }
  if (!may_reflect(s) || !tn_sparse_factor_root(blocks, &s->sys, &nearness)) return false;
  s->nearness = tn_min(s->nearness, nearness);
  return true;
}

static tn_status factor_mass(tn_solver *s, tn_error *e) {
  s->by_blocks = factor_blocks(s);
  if (s->by_blocks) return TN_OK;
  if (s->sys.m->large) return tn_fail(e, TN_E_MODEL, "the mass matrix is singular");
  int bad = 0;
  tn_need(&s->sys, TN_LEVEL_MATRICES);
  if (!factor_dense(s, &bad)) return no_mass(s, bad, e);
  s->nearness = tn_min(s->nearness, s->type->nearness(s->work));
  return TN_OK;
}

/* the first pose it meets is near the start */
static tn_status factor_identity(tn_solver *s, tn_error *e) {
  tn_need(&s->sys, TN_LEVEL_MATRICES);
  if (!s->identity_typical) {
    tn_kkt_factor(&s->identity, NULL, s->sys.A, NULL);
    tn_kkt_typical(&s->identity, s->rank);
    s->identity_typical = true;
  }
  return tn_kkt_factor(&s->identity, NULL, s->sys.A, NULL) ? TN_OK : no_mass(s, 0, e);
}

static void factored_here(tn_solver *s, tn_factor *f) {
  f->ready = true;
  f->place = s->sys.known.place;
  f->t = s->sys.at.t;
  memcpy(f->q, s->sys.at.q, sizeof *f->q * (size_t)s->sys.m->nq);
}

bool tn_solver_is_factored(const tn_solver *s, tn_metric metric) {
  const tn_factor *f = metric == TN_METRIC_MASS ? &s->at_mass : &s->at_identity;
  return f->ready && (f->place == s->sys.known.place ||
                      (f->t == s->sys.at.t && memcmp(f->q, s->sys.at.q, sizeof *f->q * (size_t)s->sys.m->nq) == 0));
}

tn_status tn_solver_factor(tn_solver *s, tn_metric metric, tn_error *e) {
  assert(tn_knows(&s->sys, TN_LEVEL_ROWS));
  const bool mass = metric == TN_METRIC_MASS;
  const bool served = mass || (metric == TN_METRIC_DEPENDENT && tn_dependent_sparse_serves(s));
  if (!served && s->sys.m->large) return too_large(s->sys.m, metric, e);
  if (metric == TN_METRIC_DEPENDENT) return TN_OK; /* a correction makes its own factorization */
  tn_factor *at = mass ? &s->at_mass : &s->at_identity;
  if (tn_solver_is_factored(s, metric)) {
    at->place = s->sys.known.place;
    return TN_OK;
  }
  const double start = tn_profile_begin(&s->profile);
  const tn_status status = mass ? factor_mass(s, e) : factor_identity(s, e);
  s->factorizations++;
  tn_profile_end(&s->profile, TN_TIME_SOLVE, start);
  at->ready = false;
  if (status == TN_OK) factored_here(s, at);
  return status;
}

double tn_solver_nearness(const tn_solver *s) {
  assert(tn_solver_is_factored(s, TN_METRIC_MASS));
  if (!s->by_blocks) return s->type->nearness(s->work);
  return s->sparse.by_root ? s->sparse.root.root.nearness : 1;
}

const tn_kkt *tn_solver_kkt(const tn_solver *s) {
  if (s->by_blocks || s->type->rank != tn_by_kkt_rank) return NULL;
  return tn_solver_is_factored(s, TN_METRIC_MASS) ? s->work : NULL;
}

bool tn_solver_stale_is_near(const tn_solver *s) {
  const tn_model *m = s->sys.m;
  const tn_factor *f = &s->at_mass;
  if (!f->ready || !s->by_blocks || s->sparse.by_root || f->t != s->sys.at.t ||
      isinf(tn_saddle_error(&s->sparse.saddle)))
    return false;
  for (int i = 0; i < m->nq; i++)
    if (!(fabs(s->sys.at.q[i] - f->q[i]) < BESIDE * m->q_length[i])) return false;
  return !tn_solver_is_factored(s, TN_METRIC_MASS);
}

/* sweeps did not settle: the factorization by reflections at the same place, or the dense one */
static bool leave_blocks(tn_solver *s) {
  int bad;
  double nearness;
  if (may_reflect(s)) {
    factored_here(s, &s->at_mass); /* it may have been stale */
    if (!tn_sparse_factor_root(&s->sparse, &s->sys, &nearness)) return false;
    s->nearness = fmin(s->nearness, nearness);
    return true;
  }
  s->by_blocks = false;
  factored_here(s, &s->at_mass); /* it may have been stale */
  tn_need(&s->sys, TN_LEVEL_MATRICES);
  if (!factor_dense(s, &bad)) return false;
  s->nearness = tn_min(s->nearness, s->type->nearness(s->work));
  return true;
}

/* and another factorization is there */
static bool unsettled(const tn_solver *s) { return !s->sparse.settled && (!s->sys.m->large || may_reflect(s)); }

static bool solve_penalty(tn_solver *s, bool forces, const double *gamma, double *udot, double *lambda, double *left) {
  int passes;
  const double eps = s->type->penalty(s->self, &passes);
  return tn_penalty_lagrangian(s, eps, passes, forces, gamma, udot, lambda, left);
}

static tn_status solve(tn_solver *s, bool exact, const double *f, const double *gamma, double *udot, double *lambda,
                       tn_error *e) {
  assert(tn_solver_is_factored(s, TN_METRIC_MASS));
  const double start = tn_profile_begin(&s->profile);
  const bool gives_way = s->type->penalty && !exact;
  tn_solve_info info = {0};
  if (s->by_blocks && gives_way)
    info.failed = !solve_penalty(s, f != NULL, gamma, udot, lambda, &info.inconsistency);
  else if (s->by_blocks)
    info.failed = !tn_sparse_solve(&s->sparse, &s->sys, f != NULL, gamma, udot, lambda, &info.inconsistency);
  if (s->by_blocks && !gives_way && unsettled(s)) {
    info.failed = !leave_blocks(s);
    if (s->by_blocks && !info.failed)
      info.failed = !tn_sparse_solve(&s->sparse, &s->sys, f != NULL, gamma, udot, lambda, &info.inconsistency);
  }
  if (!s->by_blocks) {
    if (f == s->sys.f) tn_need(&s->sys, TN_LEVEL_GENERALIZED);
    solve_dense(s, f, gamma, udot, lambda, &info);
  }
  tn_profile_end(&s->profile, TN_TIME_SOLVE, start);
  s->inconsistency = info.inconsistency;
  if (udot == s->sys.solved.udot) tn_set_solved(&s->sys);
  return info.failed ? not_finite(s, "the accelerations are not finite numbers", e) : TN_OK;
}

tn_status tn_solver_solve(tn_solver *s, const double *f, const double *gamma, double *udot, double *lambda,
                          tn_error *e) {
  return solve(s, false, f, gamma, udot, lambda, e);
}

tn_status tn_solver_solve_exactly(tn_solver *s, const double *f, const double *gamma, double *udot, double *lambda,
                                  tn_error *e) {
  assert(s->by_blocks);
  return solve(s, true, f, gamma, udot, lambda, e);
}

/* roundoff in C and Cdot: they are sums of places and velocities of this size. an error estimate has none of it */
static void roundoff(tn_solver *s, tn_residual of) {
  if (of == TN_OF_ESTIMATE)
    memset(s->noise, 0, sizeof *s->noise * (size_t)s->sys.m->rows);
  else
    tn_rows_noise(&s->sys, of == TN_OF_VELOCITY, s->noise);
}

static tn_status correct(tn_solver *s, tn_metric metric, tn_residual of, const double *r, double *x, tn_error *e) {
  const double start = tn_profile_begin(&s->profile);
  bool failed = false;
  if (metric == TN_METRIC_DEPENDENT) {
    if (s->sys.m->large && tn_dependent_sparse_choose(s, of == TN_OF_VELOCITY) < 0)
      return tn_fail(e, TN_E_MODEL, "its rows fill in too much for the metric `dependent` without matrices");
    failed = !tn_dependent_correct(s, of == TN_OF_VELOCITY, r, x);
    s->factorizations++;
    tn_profile_end(&s->profile, TN_TIME_SOLVE, start);
    return failed ? tn_fail(e, TN_E_RUN, "a correction is not a finite number") : TN_OK;
  }
  bool blocks = metric == TN_METRIC_MASS && s->by_blocks;
  if (!blocks || s->sparse.by_root) roundoff(s, of);
  if (blocks) {
    failed = !tn_sparse_correct(&s->sparse, &s->sys, r, s->noise, x, s->scratch);
    if (unsettled(s)) {
      failed = !leave_blocks(s);
      roundoff(s, of);
      blocks = s->by_blocks;
      if (blocks && !failed) failed = !tn_sparse_correct(&s->sparse, &s->sys, r, s->noise, x, s->scratch);
    }
  }
  if (blocks) {
    /* done */
  } else if (metric == TN_METRIC_MASS) {
    tn_solve_info info = {0};
    s->type->correct(s->self, s->work, &s->sys, r, s->noise, x, s->scratch, &info);
    failed = info.failed;
  } else {
    tn_kkt_info info = {0};
    tn_kkt_correct(&s->identity, NULL, s->sys.A, NULL, r, s->noise, x, s->scratch, &info);
    failed = info.failed;
  }
  tn_profile_end(&s->profile, TN_TIME_SOLVE, start);
  return failed ? tn_fail(e, TN_E_RUN, "a correction is not a finite number") : TN_OK;
}

tn_status tn_solver_correct(tn_solver *s, tn_metric metric, tn_residual of, const double *r, double *x, tn_error *e) {
  assert(metric == TN_METRIC_DEPENDENT || tn_solver_is_factored(s, metric));
  return correct(s, metric, of, r, x, e);
}

tn_status tn_solver_correct_stale(tn_solver *s, const double *r, double *x, tn_error *e) {
  assert(s->at_mass.ready);
  return correct(s, TN_METRIC_MASS, TN_OF_POSITION, r, x, e);
}

void tn_solver_rows_times(tn_solver *s, const double *x, double *r) {
  if (!s || !x || !r) return;
  const int nu = s->sys.m->nu;
  assert(tn_knows(&s->sys, TN_LEVEL_ROWS));
  if (!tn_knows(&s->sys, TN_LEVEL_MATRICES)) {
    tn_gains(&s->sys, x, s->sys.room.gains);
    tn_rows_times(&s->sys, x, s->sys.room.gains, r);
    return;
  }
  for (int i = 0; i < s->sys.m->rows; i++) {
    const double *row = s->sys.A + (size_t)i * (size_t)nu;
    double sum = 0;
    for (int j = 0; j < nu; j++) sum += row[j] * x[j];
    r[i] = sum;
  }
}

double tn_violation(const tn_system *s, const double *rows, int n, int *which) {
  double worst = 0;
  if (which) *which = 0;
  if (!s || !rows) return NAN;
  assert(n >= 0 && n <= s->m->rows);
  for (int i = 0; i < n; i++) {
    const double v = fabs(rows[i]) * s->rows.scale[i];
    if (v <= worst) continue;
    worst = v;
    if (which) *which = i;
    if (isnan(v)) break; /* nothing is worse */
  }
  return worst;
}

double tn_violation_seen(tn_system *s, bool velocity) {
  assert(tn_knows(s, velocity ? TN_LEVEL_TWISTS : TN_LEVEL_ROWS));
  const tn_model *m = s->m;
  double worst = 0;
  tn_system_extents(s, velocity);
  for (int i = 0; i < (velocity ? m->rows : m->holonomic); i++) {
    const double v = fabs((velocity ? s->rows.Cdot : s->rows.C)[i]) * s->rows.scale[i] / tn_max(1, tn_row_extent(s, i));
    if (!(v <= worst)) worst = v;
    if (isnan(v)) break;
  }
  return worst;
}
