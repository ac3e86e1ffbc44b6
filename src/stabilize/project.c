/* project: the state after a step is put back on the constraints, by the smallest change in a metric.
 *   (1) position: A s = -C, |s| least; q <- q + s; once, or until |C| is at roundoff
 *   (2) velocity: A du = -Cdot, |du| least, A at the corrected q; all rows
 * mass: |s| in the kinetic-energy norm; identity: in the norm of the coordinates, as pinv(C_q) in the papers */
#include "stabilize/stabilize.h"

typedef struct project {
  int metric, passes; /* 0 mass, 1 identity; 0 iterate, 1 one */
} project;

enum { MOST_PASSES = 12 };

static tn_status accept(const void *self, tn_solver *solver, double t, double *q, double *u, bool *changed) {
  const project *p = self;
  const tn_metric metric = p->metric ? TN_METRIC_IDENTITY : TN_METRIC_MASS;
  tn_system *sys = &solver->sys;
  const tn_model *m = sys->m;
  const int rows = m->rows, nu = m->nu;
  if (!rows) return TN_OK;
  double *r = solver->r, *s = solver->s, *best = solver->q_try;
  tn_error *e = solver->e;
  /* position */
  if (m->holonomic) {
    tn_status status = tn_solver_at(solver, t, q, u, e);
    if (status != TN_OK) return status;
    double worst = tn_violation(sys, sys->C, m->holonomic, NULL);
    for (int pass = 0; pass < (p->passes ? 1 : MOST_PASSES); pass++) {
      if (worst == 0) break;
      if ((status = tn_solver_factor(solver, metric, e)) != TN_OK) return status;
      for (int i = 0; i < rows; i++) r[i] = i < m->holonomic ? -sys->C[i] : 0;
      if ((status = tn_solver_correct(solver, metric, TN_OF_POSITION, r, s, e)) != TN_OK) return status;
      for (int i = 0; i < nu; i++) best[i] = q[i] + s[i]; /* qdot = u in the plane: q (+) s is addition */
      tn_assemble_position(sys, t, best);
      const double now = tn_violation(sys, sys->C, m->holonomic, NULL);
      if (!(now < worst)) break; /* roundoff reached, or no help */
      memcpy(q, best, sizeof *q * (size_t)m->nq);
      *changed = true;
      if (p->passes) break;
      /* the next pass would only stir the last digits */
      if (now < 1e-15) break;
      worst = now;
      if (pass + 1 < MOST_PASSES && (status = tn_solver_at(solver, t, q, u, e)) != TN_OK) return status;
    }
  }
  /* velocity, with A at the corrected q */
  tn_status status = tn_solver_at(solver, t, q, u, e);
  if (status == TN_OK) status = tn_solver_factor(solver, metric, e);
  if (status != TN_OK) return status;
  for (int i = 0; i < rows; i++) r[i] = -sys->Cdot[i];
  if ((status = tn_solver_correct(solver, metric, TN_OF_VELOCITY, r, s, e)) != TN_OK) return status;
  for (int i = 0; i < nu; i++) {
    u[i] += s[i];
    *changed = *changed || s[i] != 0;
  }
  return TN_OK;
}

/* an error estimate without the part that accept takes away: e <- e - s, A s = A e */
static void filter(const void *self, tn_solver *solver, double *dq, double *du, double taken[2]) {
  const project *p = self;
  const tn_metric metric = p->metric ? TN_METRIC_IDENTITY : TN_METRIC_MASS;
  const tn_system *sys = &solver->sys;
  const int rows = sys->m->rows, nu = sys->m->nu;
  if (!rows || tn_solver_factor(solver, metric, NULL) != TN_OK) return;
  for (int k = 0; k < 2; k++) {
    double *x = k ? du : dq;
    for (int i = 0; i < rows; i++) {
      double sum = 0;
      const double *row = sys->A + (size_t)i * (size_t)nu;
      for (int j = 0; j < nu; j++) sum += row[j] * x[j];
      solver->r[i] = k || i < sys->m->holonomic ? sum : 0;
    }
    taken[k] = tn_violation(sys, solver->r, rows, NULL);
    if (tn_solver_correct(solver, metric, TN_OF_ESTIMATE, solver->r, solver->s, NULL) != TN_OK) return;
    for (int j = 0; j < nu; j++) x[j] -= solver->s[j];
  }
}

static const tn_field fields[] = {{"metric", "", "in which the change is smallest", TN_WORD, 1,
                                   offsetof(project, metric), 0, 0, 0, false, "mass identity"},
                                  {"passes", "", "of the position: until roundoff, or one", TN_WORD, 1,
                                   offsetof(project, passes), 0, 0, 0, false, "iterate one"},
                                  {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_project = {
    .name = "project",
    .doc = "the state after each step is put back on the constraints by the smallest change",
    .source = "mass: Tenon; identity: direct correction, Nada & Bayoumi 2023",
    .size = sizeof(project),
    .fields = fields,
    .accept = accept,
    .filter = filter,
};
