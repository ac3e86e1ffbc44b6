/* the count of freedom: rank of the rows at the start and at a pose nearby on the constraints, so that a start in a singular position does not
 * mislead. */
#include "simulate/start.h"

enum { POSES_NEARBY = 16 };
static const unsigned SEED = 12345;
static const double NEARBY_OFF =
    1e-9;                           /* 1: what a pose nearby may be off                                              */
static const double CLEARLY = 1e-6; /* 1: pivots above, and no row is nearly dependent by any count (TN_RHO_NEARLY) */

/* a fixed sequence, the same on every machine */
double tn_start_jitter(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1;
}

static tn_status count_large(tn_sim *s) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  tn_solver_reset(solver);
  tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  if (status != TN_OK) return status;
  const int redundant = tn_sparse_redundant(&solver->sparse, &solver->sys);
  tn_solver_reset(solver);
  const int rank = m->rows - solver->sys.given.idle - redundant;
  tn_solver_typical(solver, rank);
  if ((status = tn_solver_factor(solver, TN_METRIC_MASS, s->e)) != TN_OK) return status;
  solver->sys.known.counted = true;
  memcpy(s->singular.q_general, s->now.y, sizeof *s->now.y * (size_t)m->nq);
  s->summary.degrees_of_freedom = m->nu - rank;
  s->summary.redundant_rows = redundant;
  s->singular.beside = false;
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

/* a pose nearby into q: a random step along the allowed directions, put back on the constraints; *off: how well that went.
 * From a state that is far off the constraints the corrections may diverge until nothing can be factored. Then there is no such
 * pose, which is no fault of the state */
static tn_status nearby(tn_sim *s, unsigned *state, double *q, double *off) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  double *x = s->start.rows.x;
  int rank, worst;
  tn_status status = rank_at(s, s->now.y, &rank);
  if (status != TN_OK) return status;
  double *way = s->start.walk.way;
  for (int i = 0; i < m->nu; i++) way[i] = tn_start_jitter(state) * 1e-2 * m->u_length[i];
  tn_solver_rows_times(solver, way, solver->r);
  if ((status = tn_solver_correct(solver, TN_METRIC_MASS, TN_OF_ESTIMATE, solver->r, x, s->e)) != TN_OK) return status;
  for (int i = 0; i < m->nu; i++) way[i] -= x[i];
  memcpy(q, s->now.y, sizeof *q * (size_t)m->nq);
  tn_model_add(m, q, way);
  const tn_wanted position = {.constraints = true, .away = true};
  status = tn_start_positions(s, &position, q, off, &worst);
  if (status != TN_E_MODEL) return status; /* numbers that are not finite are a fault of the state */
  tn_error_clear(s->e);
  *off = INFINITY;
  return TN_OK;
}

/* by reflections: rows are independent, and so clearly that the dense count says the same */
static bool clearly_independent(tn_sim *s) {
  const tn_root *by = &s->singular.look.root;
  return tn_reflected_factor(&s->singular.look, &s->solver.sys) == 0 && by->rho_min > CLEARLY;
}

/* the same at a pose nearby, which then is a typical one, too */
static tn_status look_beside(tn_sim *s, bool *known) {
  unsigned state = SEED;
  double *q = s->inside.y, off;
  TN_TRY(nearby(s, &state, q, &off));
  if (!(off < NEARBY_OFF)) return TN_OK;
  TN_TRY(tn_solver_at(&s->solver, s->now.t, q, tn_u_of(s, s->now.y), s->e));
  *known = clearly_independent(s) && tn_solver_typical_by_blocks(&s->solver);
  memcpy(s->singular.q_beside, q, sizeof *q * (size_t)s->m->nq);
  s->singular.beside = true;
  return TN_OK;
}

/* without matrices; *known: it could be told */
static tn_status count_reflected(tn_sim *s, bool *known) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  tn_solver_reset(solver);
  solver->sys.known.counted = *known = false;
  TN_TRY(tn_solver_at(solver, s->now.t, s->now.y, tn_u_of(s, s->now.y), s->e));
  if (!clearly_independent(s) || !tn_solver_typical_by_blocks(solver)) return TN_OK;
  memcpy(s->singular.q_general, s->now.y, sizeof *s->now.y * (size_t)m->nq);
  s->singular.beside = false;
  *known = true;
  return m->rows && solver->rank < m->nu ? look_beside(s, known) : TN_OK;
}

/* the rank in general is the largest of the start and a few poses nearby: a start may be singular, and of the branches that
 * leave it one may be singular all along. rows that are nearly dependent count as dependent where they are so at the start and
 * at no pose nearby less so: then it is not a singular position that makes them */
static tn_status count_densely(tn_sim *s) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  int rank, near, gap, best;
  unsigned state = SEED;
  double *q = s->inside.y, off;
  tn_solver_reset(solver);
  solver->sys.known.counted = false;
  tn_status status = rank_at(s, s->now.y, &rank);
  if (status != TN_OK) return status;
  tn_solver_typical(solver, rank);
  gap = best = gap_here(s);
  memcpy(s->singular.q_general, s->now.y, sizeof *q * (size_t)m->nq);
  s->singular.beside = false;
  const int rows = m->rows - solver->sys.given.idle, full = rows < m->nu ? rows : m->nu;
  for (int tries = 0; m->rows && rank < m->nu && tries < (rank < full ? POSES_NEARBY : 1); tries++) {
    if ((status = nearby(s, &state, q, &off)) != TN_OK) return status;
    if (!(off < NEARBY_OFF)) continue;
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
  return TN_OK;
}

static void forget_pose(tn_sim *s) {
  tn_solver *solver = &s->solver;
  solver->at_mass.ready = false;
  tn_system_stale(&solver->sys);
  memcpy(solver->sys.given.memory, s->start.walk.memory, sizeof(double) * (size_t)s->m->memory);
}

tn_status tn_start_count(tn_sim *s) {
  const tn_model *m = s->m;
  tn_solver *solver = &s->solver;
  if (m->large) return count_large(s);
  memcpy(s->start.walk.memory, solver->sys.given.memory,
         sizeof(double) * (size_t)m->memory); /* poses nearby are not on the way */
  s->start.rows.reflected = tn_start_may_reflect(m);
  if (s->start.rows.reflected) {
    tn_error *const e = s->e;
    bool known;
    s->e = &s->life.spare;
    s->start.rows.reflected = count_reflected(s, &known) == TN_OK && known;
    s->e = e;
  }
  if (!s->start.rows.reflected) {
    forget_pose(s);
    TN_TRY(count_densely(s));
  }
  solver->sys.known.counted = true;
  TN_TRY(tn_sharing_find(s));
  forget_pose(s);
  s->summary.degrees_of_freedom = m->nu - solver->rank;
  s->summary.redundant_rows = m->rows - solver->sys.given.idle - solver->rank;
  return tn_at(s, s->now.t, s->now.y, s->e);
}
