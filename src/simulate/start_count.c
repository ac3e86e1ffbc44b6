/* the count of freedom: rank of the rows at the start and at a pose nearby on the constraints, so that a start in a singular position does not
 * mislead. */
#include "simulate/start.h"

enum { POSES_NEARBY = 16 };

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
