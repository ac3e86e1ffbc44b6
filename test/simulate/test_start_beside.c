/* A start by reflections forms no matrices, and is the start that the dense factorization finds: the same pose, the same speeds, the same
 * rank, the same words where it cannot be. */
#include "simulate/start.h"
#include "support/build.h"
#include "test.h"

static const double SAME = 1e-10; /* of coordinates and speeds */

typedef struct start {
  const char *model, *size, *values;
} start;

/* it has more coordinates than build_simulate takes */
static bool simulate(build *b) {
  tn_error e;
  tn_status status = tn_compile(b->desc, &b->model, &e);
  if (status == TN_OK) status = tn_sim_new(b->model, &b->sim, &e);
  if (status == TN_OK) status = tn_sim_start(b->sim, &e);
  if (status != TN_OK) build_fail(b, "%s", e.message);
  return status == TN_OK;
}

/* started with another formulation if `dense`, which needs matrices from the start */
static bool begin(build *b, const start *at, bool relative, bool dense) {
  build_new(b, 1);
  build_read(b, at->model);
  build_set(b, "/constants/N", "%s", at->size);
  if (at->values) build_set(b, "/start", "%s", at->values);
  if (relative) build_set(b, "/coordinates", "\"relative\"");
  if (dense) build_set(b, "/run/formulation", "\"constraint-inertia\"");
  return simulate(b);
}

static bool formed_matrices(const build *b) {
  const tn_system *sys = &b->sim->solver.sys;
  for (int i = 0; i < b->model->nu * b->model->nu; i++)
    if (sys->M[i] != 0) return true;
  return false;
}

static void check_same(const start *at, bool relative) {
  build by[2];
  bool started[2];
  for (int k = 0; k < 2; k++) started[k] = begin(&by[k], at, relative, k == 1);
  for (int k = 0; k < 2; k++)
    if (!started[k]) FAIL("%s %s: %s", at->model, at->values ? at->values : "", by[k].message);
  if (started[0] && started[1]) {
    const tn_model *m = by[0].model;
    double off = 0;
    CHECK(tn_start_may_reflect(m) && !tn_start_may_reflect(by[1].model));
    CHECK(!formed_matrices(&by[0]) && formed_matrices(&by[1]));
    for (int i = 0; i < m->nq; i++) off = fmax(off, fabs(tn_sim_q(by[0].sim)[i] - tn_sim_q(by[1].sim)[i]));
    for (int i = 0; i < m->nu; i++) off = fmax(off, fabs(tn_sim_u(by[0].sim)[i] - tn_sim_u(by[1].sim)[i]));
    if (!(off < SAME)) FAIL("%s %s: off by %.2g", at->model, at->values ? at->values : "", off);
    const tn_summary *a = tn_sim_summary(by[0].sim), *b = tn_sim_summary(by[1].sim);
    CHECK(a->degrees_of_freedom == b->degrees_of_freedom && a->redundant_rows == b->redundant_rows);
  }
  for (int k = 0; k < 2; k++) build_free(&by[k]);
}

TEST(the_same_start_without_matrices) {
  static const start starts[] = {
      {"n_four_bar", "18", NULL},
      {"n_four_bar", "18", "{\"link3.angle\": 1.9, \"link7.rate\": -0.5}"},
      {"n_four_bar", "18", "{\"coupler2.vx\": 0.7, \"guess\": {\"link1.angle\": 1.2}}"},
      {"spatial_chain", "20", "{\"hinge3.rate\": 2, \"guess\": {\"hinge9.rate\": 0.5}}"},
  };
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) check_same(&starts[i], false);
}

TEST(in_relative_coordinates_too) {
  static const start starts[] = {
      {"n_four_bar", "50", NULL},
      {"n_four_bar", "50", "{\"ground0.angle\": 0.2, \"left9.rate\": 0.5}"},
      {"n_four_bar", "50", "{\"link40.rate\": 0.5}"},
  };
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) check_same(&starts[i], true);
}

/* matrices judge what reflections do not reach, so the words are the same */
TEST(the_same_words_where_it_cannot_be) {
  static const start starts[] = {
      {"n_four_bar", "18", "{\"link3.angle\": 1.9, \"link7.angle\": 1.2}"},
      {"n_four_bar", "18", "{\"link3.rate\": 1, \"link7.rate\": 2}"},
      {"n_four_bar", "18", "{\"coupler3.y\": 1.5}"},
  };
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    build by[2];
    for (int k = 0; k < 2; k++)
      CHECK(!begin(&by[k], &starts[i], false, k == 1) && strstr(by[k].message, "cannot be assembled"));
    if (strcmp(by[0].message, by[1].message) != 0)
      FAIL("%s\n  %s\n  %s", starts[i].values, by[0].message, by[1].message);
    for (int k = 0; k < 2; k++) build_free(&by[k]);
  }
}

/* a row that another one repeats is counted with matrices */
TEST(redundant_rows_are_counted_the_same) {
  for (int dense = 0; dense < 2; dense++) {
    const start at = {"n_four_bar", "18", NULL};
    build b;
    build_new(&b, 1);
    build_read(&b, at.model);
    build_set(&b, "/constants/N", "%s", at.size);
    build_set(&b, "/joints/again", "{\"type\": \"revolute\", \"between\": [\"ground\", \"link4\"], \"at\": \"A4\"}");
    if (dense) build_set(&b, "/run/formulation", "\"constraint-inertia\"");
    if (!simulate(&b)) FAIL("%s", b.message);
    CHECK(!b.failed && tn_sim_summary(b.sim)->degrees_of_freedom == 1 && tn_sim_summary(b.sim)->redundant_rows == 2);
    build_free(&b);
  }
}
