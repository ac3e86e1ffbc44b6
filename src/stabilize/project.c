/* project: the state after a step is put back on the constraints, by the smallest change in a metric.
 * the algorithm is formulate/put_back.c. metric mass: |s| in the kinetic-energy norm; identity: in the norm of the coordinates, as pinv(C_q) in the papers */
#include "stabilize/stabilize.h"

typedef struct project {
  int metric, passes; /* 0 mass, 1 identity; 0 iterate, 1 one */
} project;

static tn_status accept(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u,
                        bool *changed) {
  (void)at;
  const project *p = self;
  const tn_metric metric = p->metric ? TN_METRIC_IDENTITY : TN_METRIC_MASS;
  return tn_put_back(solver, metric, p->passes == 1, t, q, u, NULL, NULL, changed, solver->e);
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
    tn_solver_rows_times(solver, x, solver->r);
    for (int i = sys->m->holonomic; !k && i < rows; i++) solver->r[i] = 0;
    taken[k] = tn_violation(sys, solver->r, rows, NULL);
    if (tn_solver_correct(solver, metric, TN_OF_ESTIMATE, solver->r, solver->s, NULL) != TN_OK) return;
    for (int j = 0; j < nu; j++) x[j] -= solver->s[j];
  }
}

static const tn_field fields[] = {{.key = "metric",
                                   .doc = "in which the change is smallest",
                                   .kind = TN_WORD,
                                   .offset = offsetof(project, metric),
                                   .choices = "mass identity"},
                                  {.key = "passes",
                                   .doc = "of the position: until roundoff, or one",
                                   .kind = TN_WORD,
                                   .offset = offsetof(project, passes),
                                   .choices = "iterate one"},
                                  {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_project = {
    .name = "project",
    .doc = "the state after each step is put back on the constraints by the smallest change",
    .example = "--stabilize project:metric=identity",
    .source = "mass: Tenon; identity: direct correction, Nada & Bayoumi 2023",
    .size = sizeof(project),
    .fields = fields,
    .accept = accept,
    .filter = filter,
};
