/* project: the state after a step is put back on the constraints, by the smallest change in a metric. at `stage`, every state that
 * rates are taken of is put back for them, and not the state itself; as a guard, only a state beyond bounds is.
 * the algorithm is formulate/put_back.c. metric mass: |s| in the kinetic-energy norm; identity: in the norm of the coordinates, as pinv(C_q) in the papers.
 * dependent: not the smallest; independent components stand, the others follow from them (formulate/dependent.c): those of the
 * formulation where it has chosen some, as `partition` does, else its own */
#include "stabilize/stabilize.h"

enum { STEP, STAGE, GUARD };

typedef struct project {
  int metric, passes, place; /* tn_metric; 0 iterate, 1 one */
  int choose;
  const bool *independent;   /* nu, or NULL */
  double position, velocity; /* bounds of a guard */
} project;

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  project *p = self;
  tn_settings run;
  (void)fixed_step;
  if (p->place != GUARD && (!isnan(p->position) || !isnan(p->velocity)))
    return tn_context_fail(ctx, isnan(p->position) ? "velocity" : "position", "only a guard has bounds: place guard");
  if (p->place == GUARD && (p->metric || p->passes))
    return tn_context_fail(ctx, p->metric ? "metric" : "passes", "a guard makes one pass in the metric of masses");
  const bool named = tn_context_value(ctx, "independent") != NULL;
  if (p->metric != TN_METRIC_DEPENDENT && (named || p->choose))
    return tn_context_fail(ctx, named ? "independent" : "choose", "it is for the metric `dependent`");
  TN_TRY(tn_context_speed_set(ctx, "independent", &p->independent));
  if (p->metric == TN_METRIC_DEPENDENT) tn_context_use_dependent(ctx);
  tn_context_settings(ctx, &run);
  tn_bounds_default(&run, &p->position, &p->velocity);
  return TN_OK;
}

static tn_projection how(const project *p) {
  return (tn_projection){.metric = (tn_metric)p->metric,
                         .once = p->passes == 1,
                         .choose = p->choose,
                         .independent = p->independent,
                         .shared = !p->independent};
}

static bool wants_stages(const void *self) { return ((const project *)self)->place == STAGE; }

static tn_status stage(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u) {
  const tn_projection by = how(self);
  bool changed = false;
  (void)at;
  return tn_solver_project(solver, &by, t, q, u, &changed);
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u,
                        bool *changed) {
  (void)at;
  const project *p = self;
  if (p->place == STAGE) return TN_OK;
  if (p->place == GUARD) return tn_solver_guard(solver, p->position, p->velocity, t, q, u, changed);
  const tn_projection by = how(p);
  return tn_solver_project(solver, &by, t, q, u, changed);
}

/* place step: of the estimate what accept takes away: e <- e - s, A s = A e */
static void filter(const void *self, tn_solver *solver, double *dq, double *du, double *taken_position,
                   double *taken_velocity) {
  const project *p = self;
  if (p->place != STEP) return; /* what is off stays, or is judged where it is */
  const tn_projection by = how(p);
  tn_solver_filter(solver, &by, dq, du, taken_position, taken_velocity);
}

static const tn_field fields[] = {{.key = "metric",
                                   .doc = "in which the change is smallest; dependent: independent components stand",
                                   .kind = TN_WORD,
                                   .offset = offsetof(project, metric),
                                   .choices = "mass identity dependent"},
                                  {.key = "passes",
                                   .doc = "of the position: until roundoff, or one",
                                   .kind = TN_WORD,
                                   .offset = offsetof(project, passes),
                                   .choices = "iterate one"},
                                  {.key = "place",
                                   .doc = "after every step, at every stage instead, or after steps beyond bounds",
                                   .kind = TN_WORD,
                                   .offset = offsetof(project, place),
                                   .choices = "step stage guard"},
                                  {.key = "independent",
                                   .doc = "metric dependent: coordinates or speeds that stand where they can, "
                                          "`a.x+a.y` or a list; if left out those that the formulation has chosen, "
                                          "else by pivoting",
                                   .kind = TN_NAMES},
                                  {.key = "choose",
                                   .doc =
                                       "metric dependent, of what the formulation has not chosen: at every correction, "
                                       "when the choice becomes ten times worse than it was, or only before it "
                                       "degenerates",
                                   .kind = TN_WORD,
                                   .offset = offsetof(project, choose),
                                   .choices = "always kept once"},
                                  TN_BOUNDS(project),
                                  {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_project = {
    .name = "project",
    .doc = "the state after each step is put back on the constraints by the smallest change",
    .example = "--stabilize project:metric=identity",
    .source = "mass: Tenon; identity: direct correction, Nada & Bayoumi 2023; dependent: Wehage & Haug 1982",
    .size = sizeof(project),
    .fields = fields,
    .init = init,
    .wants_stages = wants_stages,
    .stage = stage,
    .accept = accept,
    .filter = filter,
};
