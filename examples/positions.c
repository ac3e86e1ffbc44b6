/* a stabilizer from outside that projects positions alone, by tenon/extend.h alone.
 *
 *   cc positions.c $(pkg-config --cflags --libs tenon) -lm -o positions && ./positions
 *
 * `positions`: after each step q is moved onto C(q) = 0 by Newton steps, each the smallest in the norm of the kinetic energy:
 *   (1) q <- q moved by s,  A s = -C,  until max |C_i| scale_i no longer falls to a half, `passes` times at most
 * u is left as it is: velocities drift off Cdot = 0, by about what the integration does wrong, and the contract watches that. */
#include <stdio.h>
#include <string.h>
#include <tenon/extend.h>

/* ---- the stabilizer ----------------------------------------------------------------------------------------------------- */

typedef struct positions {
  int passes;
} positions;

/* a run allocates nothing: what the stabilizer needs is asked for once, by a table */
typedef struct room {
  double *r, *s; /* rows; speeds */
} room;

static const tn_array arrays[] = {TN_ARRAY(room, r, .rows = TN_M), TN_ARRAY(room, s, .rows = TN_N), {.name = NULL}};
static const tn_workspace workspace = {sizeof(room), arrays};

static tn_sizes sizes_of(const tn_view *v) { return (tn_sizes){.n = v->speeds, .m = v->rows}; }

static size_t memory(const void *self, const tn_system *system) {
  return tn_workspace_size(&workspace, self, sizes_of(tn_view_of(system)));
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u,
                        bool *changed) {
  const positions *p = self;
  const tn_system *system = tn_solver_system(solver);
  const tn_view *v = tn_view_of(system);
  room *w = tn_workspace_ready(&workspace, self, at->room, sizes_of(v));
  double before = INFINITY;
  for (int pass = 0; pass < p->passes; pass++) {
    TN_TRY(tn_solver_evaluate_at(solver, TN_EVALUATE_ROWS, t, q, u));
    const double now = tn_violation(system, v->C, v->holonomic, NULL);
    if (now == 0 || now > before / 2) break;
    before = now;
    for (int i = 0; i < v->rows; i++) w->r[i] = i < v->holonomic ? -v->C[i] : 0;
    TN_TRY(tn_solver_smallest(solver, true, w->r, w->s));
    tn_solver_move(solver, q, w->s); /* not q += s: the rates of a quaternion are not its speeds */
    *changed = true;
  }
  return tn_solver_evaluate_at(solver, TN_EVALUATE_MOTION, t, q, u); /* for whoever comes next */
}

/* nothing in its memory outlives a correction, so there is nothing to save */
static void keep(const void *self, void *work, tn_keep *kept) { (void)self, (void)work, (void)kept; }

static const tn_field positions_fields[] = {{.key = "passes",
                                             .doc = "Newton steps at most",
                                             .kind = TN_INTEGER,
                                             .offset = offsetof(positions, passes),
                                             .dflt = 5,
                                             .lo = 1,
                                             .hi = 20},
                                            {.key = NULL}};

static const tn_stabilizer_type positions_type = {
    .name = "positions",
    .doc = "positions are put back on the constraints after each step, velocities are left",
    .example = "--stabilize positions:passes=3",
    .source = "Newton's method",
    .size = sizeof(positions),
    .fields = positions_fields,
    .memory = memory,
    .accept = accept,
    .keep = keep,
};

/* ---- does it work? ------------------------------------------------------------------------------------------------------ */

static int failures;

/* value <= allowed, or >= if `least`, with a line to read */
static void compare(const char *what, double value, bool least, double allowed) {
  const bool good = least ? value >= allowed : value <= allowed;
  printf("  %-52s %9.2e  %s %7.0e  %s\n", what, value, least ? "at least" : "at most ", allowed, good ? "ok" : "WRONG");
  if (!good) failures++;
}

/* the largest violations of a run, and its last height of the body `m` */
typedef struct outcome {
  double position, velocity, height;
} outcome;

static outcome run(const char *title, const char *text, const char *stabilizer) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  char message[1600];
  outcome out = {NAN, NAN, NAN};
  tn_status status = tn_desc_new(NULL, &desc, &e);
  if (status == TN_OK) status = tn_desc_add_stabilizer(desc, &positions_type, &e);
  if (status == TN_OK) status = tn_desc_parse(desc, title, text, strlen(text), &e);
  if (status == TN_OK) status = tn_desc_part(desc, "/run/stabilize", stabilizer, &e);
  if (status == TN_OK) status = tn_compile(desc, &model, &e);
  if (status == TN_OK) status = tn_sim_new(model, &sim, &e);
  if (status == TN_OK) status = tn_sim_run(sim, NULL, NULL, &e);
  if (status == TN_OK) status = tn_sim_channel(sim, "m.y", &out.height, &e);
  if (status == TN_OK) {
    out.position = tn_sim_summary(sim)->max_position_violation;
    out.velocity = tn_sim_summary(sim)->max_velocity_violation;
  } else {
    tn_error_text(&e, message, sizeof message);
    fprintf(stderr, "%s\n", message);
    failures++;
  }
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
  return out;
}

/* rough steps, so that there is something to put back */
static void check(const char *title, const char *text) {
  const outcome none = run(title, text, "none"), ours = run(title, text, "positions"),
                both = run(title, text, "project");
  printf("%s:\n", title);
  compare("position violation, none", none.position, true, 1e-8);
  compare("position violation, positions", ours.position, false, 1e-13);
  compare("velocity violation, positions", ours.velocity, true, 1e-8);
  compare("height, positions against project, m", fabs(ours.height - both.height), false, 1e-4);
}

static const char four_bar[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
    " \"bodies\": {\"a\": {\"rod\": [[0, 0], [0.5, 0.4]], \"mass\": 1}, \"m\": {\"rod\": [[0.5, 0.4], [1.5, 0.6]], "
    "   \"mass\": 2}, \"c\": {\"rod\": [[1.5, 0.6], [1.2, 0]], \"mass\": 1}},"
    " \"joints\": {\"A\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]},"
    "   \"B\": {\"type\": \"revolute\", \"between\": [\"a\", \"m\"], \"at\": [0.5, 0.4]},"
    "   \"C\": {\"type\": \"revolute\", \"between\": [\"m\", \"c\"], \"at\": [1.5, 0.6]},"
    "   \"D\": {\"type\": \"revolute\", \"between\": [\"ground\", \"c\"], \"at\": [1.2, 0]}},"
    " \"run\": {\"until\": 2, \"integrator\": {\"type\": \"rk4\", \"step\": 0.002}, \"contract\": {\"breach\": "
    "\"record\"}}}";

/* a body on a ball joint: its coordinates are a place and a quaternion, seven numbers, and its speeds are six */
static const char ball[] =
    "{\"tenon\": 1, \"dimension\": 3, \"gravity\": [0, -9.81, 0],"
    " \"bodies\": {\"m\": {\"mass\": 2, \"inertia\": [0.1, 0.2, 0.25], \"position\": [1, 0, 0]}},"
    " \"joints\": {\"A\": {\"type\": \"spherical\", \"between\": [\"ground\", \"m\"], \"at\": [0, 0, 0]}},"
    " \"start\": {\"m.wx\": 3, \"m.wy\": 1},"
    " \"run\": {\"until\": 2, \"integrator\": {\"type\": \"rk4\", \"step\": 0.01}, \"contract\": {\"breach\": "
    "\"record\"}}}";

int main(void) {
  check("a four-bar linkage", four_bar);
  check("a body on a ball joint", ball);
  printf("%d wrong\n", failures);
  return failures ? 1 : 0;
}
