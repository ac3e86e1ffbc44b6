/* corrections that move dependent components alone: projection with the metric `dependent`, `adjust` of Hoang et al. 2023, the
 * methods made of them; and what an independent check of Hoang et al. 2023 measured. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "support/reference.h"
#include "test.h"

enum { MOST = 64 };

/* a model started with stabilizers, then moved off the constraints by about `off` in every coordinate and rate */
typedef struct moved {
  build b;
  tn_solver *solver;
  const tn_model *m;
  double q[MOST], u[MOST];
} moved;

static void stabilize_by(build *b, const char *part) {
  tn_error e;
  if (!b->failed && tn_desc_part(b->desc, "/run/stabilize/-", part, &e) != TN_OK) build_fail(b, "%s", e.message);
}

static bool moved_new(moved *s, const char *model, const char *part, double off) {
  build_new(&s->b, 7);
  build_read(&s->b, model);
  build_set(&s->b, "/run/integrator", "{\"step\": 0.01}");
  build_set(&s->b, "/run/stabilize", "[]");
  stabilize_by(&s->b, part);
  build_simulate(&s->b);
  if (s->b.failed) {
    FAIL("%s", s->b.message);
    return false;
  }
  s->m = s->b.model;
  s->solver = &s->b.sim->solver;
  if (s->m->nq > MOST) abort();
  for (int i = 0; i < s->m->nq; i++) s->q[i] = tn_sim_q(s->b.sim)[i] + off * build_uniform(&s->b, -1, 1);
  for (int i = 0; i < s->m->nu; i++) s->u[i] = tn_sim_u(s->b.sim)[i] + off * build_uniform(&s->b, -1, 1);
  return true;
}

static void accept(moved *s, double *q, double *u) {
  const tn_part *part = &s->m->run.stabilizer[0];
  const tn_stabilizer_type *type = part->type;
  bool changed = false;
  tn_error e;
  s->solver->e = &e;
  void *room = type->memory ? calloc(1, type->memory(part->self, &s->solver->sys) + 1) : NULL;
  CHECK(tn_solver_at(s->solver, 0, q, u, &e) == TN_OK);
  CHECK(type->accept(part->self, &(tn_stage){.room = room}, s->solver, 0, q, u, &changed) == TN_OK);
  CHECK(changed);
  free(room);
}

static void violations(moved *s, const double *q, const double *u, double off[2]) {
  tn_error e;
  CHECK(tn_solver_at(s->solver, 0, q, u, &e) == TN_OK);
  tn_need(&s->solver->sys, TN_LEVEL_MATRICES);
  off[0] = tn_violation(&s->solver->sys, s->solver->sys.rows.C, s->m->holonomic, NULL);
  off[1] = tn_violation(&s->solver->sys, s->solver->sys.rows.Cdot, s->m->rows, NULL);
}

/* ---- metric dependent -------------------------------------------------------------------------------------------------------- */

/* (T170): as many components move as rows are independent, the others stand to the last bit; the rows hold */
TEST(dependent_components_follow_and_the_others_stand) {
  static const struct {
    const char *model;
    int position, velocity; /* rank */
  } table[] = {{"four_bar", 8, 8},    {"triple_pendulum", 6, 6},  {"braun_four_bars", 5, 5}, {"pendulum", 1, 1},
               {"hoang_const", 3, 3}, {"chaplygin_sleigh", 0, 1}, {"wu_crank_slider", 8, 8}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    moved s;
    double q[MOST], u[MOST], off[2];
    if (!moved_new(&s, table[k].model, "project:metric=dependent", 1e-3)) continue;
    memcpy(q, s.q, sizeof q);
    memcpy(u, s.u, sizeof u);
    violations(&s, q, u, off);
    CHECK(off[1] > 1e-6);
    accept(&s, q, u);
    violations(&s, q, u, off);
    if (!(off[0] < 4e-15 && off[1] < 1e-14)) FAIL("%s: %.1e %.1e", table[k].model, off[0], off[1]);
    int moves = 0, changes = 0;
    for (int i = 0; i < s.m->nq; i++) moves += q[i] != s.q[i];
    for (int i = 0; i < s.m->nu; i++) changes += u[i] != s.u[i];
    if (moves > table[k].position || changes > table[k].velocity || changes == 0)
      FAIL("%s: %d coordinates and %d speeds moved", table[k].model, moves, changes);
    build_free(&s.b);
  }
}

/* rows that repeat each other: pivoting stops at the rank, and the state is put back all the same */
TEST(redundant_rows_have_no_pivots) {
  static const struct {
    const char *model;
    int speeds; /* that move */
  } table[] = {{"bricard", 0}, {"door_three_hinges", 5}};
  for (size_t k = 0; k < 2; k++) {
    moved s;
    double q[MOST], u[MOST], off[2];
    if (!moved_new(&s, table[k].model, "project:metric=dependent", 1e-3)) continue;
    memcpy(q, s.q, sizeof q);
    memcpy(u, s.u, sizeof u);
    violations(&s, q, u, off); /* where they look independent by as much as it is off */
    for (int velocity = 0; velocity < 2; velocity++) {
      tn_dependent_by(&s.solver->dependent, 0, NULL, false);
      CHECK(tn_dependent_choose(s.solver, velocity) == s.solver->rank);
    }
    accept(&s, q, u);
    violations(&s, q, u, off);
    if (!(off[0] < 1e-14 && off[1] < 1e-13)) FAIL("%s: %.1e %.1e", table[k].model, off[0], off[1]);
    int changes = 0;
    for (int i = 0; i < s.m->nu; i++) changes += u[i] != s.u[i];
    const int most = table[k].speeds ? table[k].speeds : s.solver->rank;
    if (changes > most || s.solver->rank >= s.m->rows) FAIL("%s: %d speeds moved", table[k].model, changes);
    build_free(&s.b);
  }
}

/* names stand; where they cannot, pivoting decides; and wrong ones are refused */
TEST(independent_components_by_name) {
  moved s;
  double q[MOST], u[MOST], off[2];
  static const char *const named[] = {"platform.x+platform.y+platform.angle", "crank1.angle+crank2.angle+crank3.angle",
                                      "[crank1.angle,crank2.angle+crank3.angle]"};
  for (int k = 0; k < 3; k++) {
    char part[128];
    snprintf(part, sizeof part, "project:metric=dependent,independent=%s", named[k]);
    if (!moved_new(&s, "hoang_const", part, 1e-3)) return;
    memcpy(q, s.q, sizeof q);
    memcpy(u, s.u, sizeof u);
    accept(&s, q, u);
    violations(&s, q, u, off);
    CHECK(off[0] < 4e-15 && off[1] < 1e-14);
    for (int i = 0; i < s.m->nu; i++) {
      const bool platform = strncmp(s.m->q_name[i], "platform", 8) == 0;
      CHECK((q[i] == s.q[i]) == (platform == (k == 0)));
      CHECK((u[i] == s.u[i]) == (platform == (k == 0)));
    }
    build_free(&s.b);
  }
  /* all of them cannot stand */
  if (!moved_new(&s, "pendulum", "project:metric=dependent,independent=bob.x+bob.y", 1e-3)) return;
  accept(&s, s.q, s.u);
  violations(&s, s.q, s.u, off);
  CHECK(off[0] < 4e-15 && off[1] < 1e-14);
  build_free(&s.b);
  static const struct {
    const char *part, *says;
  } wrong[] = {{"project:metric=dependent,independent=bob.z", "is not one of the model's 2 coordinates"},
               {"project:metric=dependent,independent=bob.x+bob.x", "named twice"},
               {"project:metric=dependent,independent=[bob.x,bob.x]", "named twice"},
               {"project:metric=dependent,independent=[bob.x,1]", "needs names of coordinates"},
               {"project:metric=dependent,independent=[bob.x,[bob.y]]", "needs names of coordinates"},
               {"project:metric=dependent,independent=[]", "needs names of coordinates"},
               {"project:metric=dependent,independent=bob.x+", "is not one of the model's 2 coordinates"},
               {"adjust:dependent=[bob.x,bob.z]", "is not one of the model's 2 coordinates"},
               {"project:independent=bob.x", "for the metric `dependent`"},
               {"project:choose=once", "for the metric `dependent`"},
               {"adjust:dependent=bob.z", "is not one of the model's 2 coordinates"},
               {"adjust:passes=1.5", "whole"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "pendulum");
    stabilize_by(&b, wrong[k].part);
    CHECK(!build_compile(&b));
    if (!strstr(b.message, wrong[k].says)) FAIL("%s: %s", wrong[k].part, b.message);
    build_free(&b);
  }
}

/* ---- adjust ------------------------------------------------------------------------------------------------------------------ */

/* (T171), (T172) by their definition: after enough iterations the gradient is zero; only the named components move */
TEST(adjust_is_the_least_of_its_function) {
  for (int passes = 1; passes <= 20; passes += 19) {
    moved s;
    double q[MOST], u[MOST], off[2], worst[2] = {0, 0}, Cdot0[MOST];
    char part[160];
    snprintf(part, sizeof part, "adjust:dependent=platform.x+platform.y+platform.angle,passes=%d", passes);
    if (!moved_new(&s, "hoang_const", part, 1e-3)) return;
    memcpy(q, s.q, sizeof q);
    memcpy(u, s.u, sizeof u);
    violations(&s, q, u, off);
    memcpy(Cdot0, s.solver->sys.rows.Cdot, sizeof *Cdot0 * (size_t)s.m->rows);
    accept(&s, q, u);
    double now[2];
    violations(&s, q, u, now);
    CHECK(now[0] < 0.05 * off[0] && now[1] < 0.05 * off[1]);
    const tn_system *sys = &s.solver->sys;
    for (int j = 0; j < s.m->nu; j++) {
      if (strncmp(s.m->q_name[j], "platform", 8) != 0) {
        CHECK(q[j] == s.q[j] && u[j] == s.u[j]);
        continue;
      }
      double h = 0.1 * (q[j] - s.q[j]), hdot = 0.1 * (u[j] - s.u[j]);
      for (int i = 0; i < s.m->rows; i++) {
        h += 100 * sys->A[i * s.m->nu + j] * sys->rows.C[i];
        hdot += 100 * sys->A[i * s.m->nu + j] * sys->rows.Cdot[i];
      }
      worst[0] = fmax(worst[0], fabs(h));
      worst[1] = fmax(worst[1], fabs(hdot));
    }
    CHECK(passes == 1 ? worst[0] > 1e-9 && worst[0] < 1e-3 : worst[0] < 1e-13);
    CHECK(worst[1] < 1e-12);
    build_free(&s.b);
  }
}

/* positions adjusted by `how`, into q (MOST); |h| of (28) there */
static double gradient_after(const char *how, double *q, int *nq) {
  moved s;
  double u[MOST], off[2], square = 0;
  char part[160];
  snprintf(part, sizeof part, "adjust:dependent=platform.x+platform.y+platform.angle,%s", how);
  if (!moved_new(&s, "hoang_const", part, 1e-2)) return NAN;
  memcpy(q, s.q, sizeof s.q);
  memcpy(u, s.u, sizeof u);
  accept(&s, q, u);
  violations(&s, q, u, off);
  for (int j = 0; j < s.m->nu; j++) {
    if (strncmp(s.m->q_name[j], "platform", 8) != 0) continue;
    double h = 0.1 * (q[j] - s.q[j]);
    for (int i = 0; i < s.m->rows; i++) h += 100 * s.solver->sys.A[i * s.m->nu + j] * s.solver->sys.rows.C[i];
    square += h * h;
  }
  *nq = s.m->nq;
  build_free(&s.b);
  return sqrt(square);
}

/* step 3 of the paper: the first iterate with |h| < eps, and no more than `passes` */
TEST(adjust_stops_where_h_is_below_eps) {
  double q[MOST], least[MOST], h = INFINITY;
  int nq = 0, passes = 0;
  char how[40];
  while (!(h < 1e-6) && ++passes < 50) {
    snprintf(how, sizeof how, "passes=%d", passes);
    h = gradient_after(how, least, &nq);
  }
  printf("|h| is %.2g after %d passes\n", h, passes);
  CHECK(passes > 2 && passes < 50);
  CHECK(gradient_after("passes=100,eps=1e-6", q, &nq) == h && memcmp(q, least, sizeof *q * (size_t)nq) == 0);
  CHECK(gradient_after("passes=2,eps=1e-6", q, &nq) > 1e-6); /* step 3: or k >= N */
  const double before = gradient_after("passes=100,eps=1e9", q, &nq);
  CHECK(before > 1e-2); /* it is below eps as it is: positions stay */
}

/* without names: by pivoting, as many as the rank */
TEST(adjust_chooses_by_itself) {
  moved s;
  double q[MOST], u[MOST], off[2], now[2];
  if (!moved_new(&s, "four_bar", "adjust:weight=1e-6,passes=5", 1e-3)) return;
  memcpy(q, s.q, sizeof q);
  memcpy(u, s.u, sizeof u);
  violations(&s, q, u, off);
  accept(&s, q, u);
  violations(&s, q, u, now);
  CHECK(now[0] < 1e-6 * off[0] && now[1] < 1e-6 * off[1]);
  int stand = 0;
  for (int j = 0; j < s.m->nu; j++) stand += u[j] == s.u[j];
  CHECK(stand == s.m->nu - s.m->rows);
  build_free(&s.b);
}

/* a partition owns the set: its independent speeds stand in both corrections, and positions have more that stand */
TEST(partition_and_projection_share_one_set) {
  static const char *const how[] = {"partition:matrices=dense", "partition:matrices=dense,choose=kept",
                                    "partition:independent=arm.e3"};
  for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "gear_train_rates");
    if (!b.failed && tn_desc_part(b.desc, "/run/formulation", how[k], &e) != TN_OK) FAIL("%s", e.message);
    if (!b.failed && tn_desc_part(b.desc, "/run/stabilize", "project:metric=dependent", &e) != TN_OK)
      FAIL("%s", e.message);
    if (!build_simulate(&b) || tn_sim_advance(b.sim, 1, &e) != TN_OK) FAIL("%s", b.message);
    if (b.failed) continue;
    tn_solver *s = &b.sim->solver;
    int n = 0;
    const int *set = s->type->dependent(s->self, s->work, &n);
    CHECK(set && n == s->rank);
    for (int velocity = 0; velocity < 2; velocity++) {
      tn_dependent_by(&s->dependent, 0, NULL, true);
      const int chosen = tn_dependent_choose(s, velocity);
      CHECK(chosen == (velocity ? s->rank : s->rank - 3));
      for (int i = 0; i < chosen; i++) {
        bool found = false;
        for (int j = 0; j < n; j++) found = found || set[j] == s->dependent.column[i];
        CHECK(found);
      }
    }
    build_free(&b);
  }
}

/* ---- methods ----------------------------------------------------------------------------------------------------------------- */

TEST(a_method_may_have_two_stabilizers) {
  build b;
  build_new(&b, 1);
  build_read(&b, "pendulum");
  build_set(&b, "/run/method", "\"nullspace\"");
  CHECK(build_compile(&b));
  if (!b.failed) {
    CHECK(b.model->run.stabilizers == 2);
    CHECK_TEXT(tn_model_stabilizer(b.model, 1), "adjust");
    CHECK(strncmp(tn_model_stabilizer(b.model, 0), "baumgarte:alpha=141.42", 22) == 0);
  }
  build_free(&b);
}

/* the same motion as `project`, to the tolerance, on models with loops, redundant and nonholonomic rows */
TEST(methods_of_dependent_coordinates_move_alike) {
  static const char *const model[] = {"four_bar", "bricard", "rolling_disc", "hoang_const", "gear_train"};
  static const char *const method[] = {"\"project\"", "\"gcpi\"", "\"scpi\""};
  for (int k = 0; k < 5; k++) {
    build_table t[3] = {0};
    for (int i = 0; i < 3; i++) {
      build b;
      build_new(&b, 1);
      build_read(&b, model[k]);
      build_set(&b, "/run/method", "%s", method[i]);
      build_set(&b, "/run/until", "0.5");
      build_set(&b, "/run/every", "0.05");
      if (!build_simulate(&b) || !build_run(&b, &t[i])) FAIL("%s: %s", model[k], b.message);
      build_free(&b);
      double far = 0;
      for (int r = 0; r < t[i].rows && t[i].rows == t[0].rows; r++)
        for (int c = 0; c < t[i].columns; c++)
          far = fmax(far, fabs(build_at(&t[i], r, c) - build_at(&t[0], r, c)) / fmax(1, fabs(build_at(&t[0], r, c))));
      if (!(far < 1e-5) || t[i].rows != t[0].rows) FAIL("%s %s: off by %.1e", model[k], method[i], far);
    }
    for (int i = 0; i < 3; i++) build_table_free(&t[i]);
  }
}

/* ---- Hoang et al. 2023, constant voltage, rk4 of 2 ms --------------------------------------------------------------------------- */

#define ADJUST "adjust:dependent=platform.x+platform.y+platform.angle"
#define FEEDBACK "baumgarte:alpha=141.4213562373095,beta=141.4213562373095,feedback=staged"

/* largest |C|, and error of q at 1, 2, 5 s; NaN: not measured */
typedef struct robot {
  const char *first, *second;
  double most, error[3];
} robot;

static double error_at(build *b, const ref_table *ref, double t) {
  static const char *const channel[] = {"crank1.angle", "crank2.angle", "crank3.angle",
                                        "platform.x",   "platform.y",   "platform.angle"};
  double far = NAN;
  for (int r = 0; r < ref->rows; r++)
    if (fabs(ref->t[r] - t) < 1e-9) {
      far = 0;
      for (int k = 0; k < 6; k++) {
        char name[24];
        snprintf(name, sizeof name, "q%d", k);
        far =
            fmax(far, fabs(build_channel(b, "%s", channel[k]) - ref->value[r * ref->columns + ref_column(ref, name)]));
      }
    }
  return far;
}

TEST(robot_by_stabilizer) {
  static const robot table[] = {{FEEDBACK, ADJUST, 1.2e-6, {1.5e-3, 1.6e-2, 3.8e-1}},
                                {ADJUST, NULL, 7.7e-7, {5.8e-5, 7.3e-4, 8.5e-3}},
                                {FEEDBACK, NULL, 2.4e-6, {4.3e-5, 8.4e-5, 1.9e-3}},
                                {"none", NULL, 2.5e-3, {2.7e-4, 9.4e-4, 1.7e-1}},
                                {"project", NULL, 4.4e-15, {1.3e-5, 1.3e-4, NAN}}};
  ref_table ref = {0};
  CHECK(ref_read("ref_hoang_const", "/rows", &ref));
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    const robot *x = &table[k];
    build b;
    tn_error e;
    double most = 0, error[3] = {NAN, NAN, NAN};
    build_new(&b, 1);
    build_read(&b, "hoang_const");
    build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
    build_set(&b, "/run/integrator", "{\"type\": \"rk4\", \"step\": 2e-3}");
    stabilize_by(&b, x->first);
    if (x->second) stabilize_by(&b, x->second);
    build_simulate(&b);
    for (int step = 1; step <= 2500 && !b.failed; step++) {
      if (tn_sim_advance(b.sim, step * 2e-3, &e) != TN_OK) build_fail(&b, "%s", e.message);
      for (int i = 0; i < 3 && !b.failed; i++) most = fmax(most, fabs(b.sim->solver.sys.rows.C[i]));
      if (step == 500) error[0] = error_at(&b, &ref, 1);
      if (step == 1000) error[1] = error_at(&b, &ref, 2);
      if (step == 2500) error[2] = error_at(&b, &ref, 5);
    }
    if (b.failed) FAIL("%s", b.message);
    printf("%.12s%s%.6s: |C| %.2e, error %.2e %.2e %.2e\n", x->first, x->second ? " + " : "",
           x->second ? x->second : "", most, error[0], error[1], error[2]);
    /* roundoff as a bound */
    CHECK(x->most < 1e-11 ? most < x->most : fabs(most / x->most - 1) < 0.2);
    CHECK(fabs(error[0] / x->error[0] - 1) < 0.2);
    for (int i = 1; i < 3; i++)
      if (!isnan(x->error[i])) CHECK(error[i] < 2 * x->error[i] && error[i] > x->error[i] / 2);
    build_free(&b);
  }
  ref_table_free(&ref);
}
