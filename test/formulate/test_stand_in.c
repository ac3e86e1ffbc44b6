/* blocks that stand in for the formulations of the papers: accelerations, corrections and motions of the dense forms, on every model
 * that has blocks, on random mechanisms in the plane and in space, in absolute and relative coordinates. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "support/space.h"
#include "test.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
enum { MOST = 512, STATES = 3, LONG = 60 };

static const double RELATIVE = 1e-8; /* the dense mass matrix of 100 links in a row has a condition of 1e7 and more */

static const char *const forms[] = {"gauss",
                                    "gauss:form=cholesky",
                                    "gauss:form=multiplier",
                                    "nullspace",
                                    "nullspace:form=elimination",
                                    "partition",
                                    "augmented-lagrangian",
                                    "augmented-lagrangian:eps=0.1,iterations=2"};

static const char *dense_form(const char *form) {
  static char text[80];
  snprintf(text, sizeof text, "%s%cmatrices=dense", form, strchr(form, ':') ? ',' : ':');
  return text;
}

/* what a test is about: a model by name, with one constant; a random mechanism by number */
typedef struct subject {
  const char *model, *coordinates, *set;
  int N, seed; /* seed: of a mechanism in space if model is "space", in the plane if it is "plane" */
} subject;

/* links pinned each on one before it, on the last one if there are many: only deep trees have blocks in relative coordinates; and bars between some of them that are far enough apart */
static void plane_mechanism(build *b, int seed, int links) {
  build_set(b, "/gravity", "[0, -9.81]");
  for (int i = 0; i < 7 * seed; i++) build_uniform(b, 0, 1);
  for (int i = 0; i < links; i++) {
    const int on = i ? build_integer(b, i > 4 && links < LONG ? i - 4 : i - 1, i - 1) : -1;
    char at[32];
    build_set(b, (snprintf(at, sizeof at, "/bodies/b%d", i), at),
              "{\"mass\": %g, \"inertia\": %g, \"position\": [%g, %g], \"angle\": %g}", build_uniform(b, 0.5, 2),
              build_uniform(b, 0.1, 0.5), 0.4 * i, build_uniform(b, -1, 1), build_uniform(b, -1, 1));
    char other[16] = "ground";
    if (on >= 0) snprintf(other, sizeof other, "b%d", on);
    build_set(b, (snprintf(at, sizeof at, "/joints/j%d", i), at),
              "{\"type\": \"revolute\", \"between\": [\"%s\", \"b%d\"], \"at\": [%g, %g]}", other, i,
              0.4 * i - build_uniform(b, 0.1, 0.3), build_uniform(b, -1, 1));
    if (i % 5 != 4) continue;
    build_set(b, (snprintf(at, sizeof at, "/joints/bar%d", i), at),
              "{\"type\": \"distance\", \"between\": [\"b%d\", \"b%d\"], \"at\": [[%g, %g], [%g, %g]]}", i - 4, i,
              0.4 * i - 1.7, build_uniform(b, -1, 1), 0.4 * i + 0.2, build_uniform(b, -1, 1));
  }
}

/* of any size: build_simulate has a table of BUILD_MOST numbers */
static bool simulate(build *b) {
  tn_error e;
  if (b->failed) return false;
  if (tn_compile(b->desc, &b->model, &e) != TN_OK || tn_sim_new(b->model, &b->sim, &e) != TN_OK ||
      tn_sim_start(b->sim, &e) != TN_OK)
    build_fail(b, "%s", e.message);
  return !b->failed;
}

static bool begin(build *b, const subject *s, const char *form, const char *stabilize) {
  tn_error e;
  if (strcmp(s->model, "space") == 0) {
    space_tree(b, (uint64_t)s->seed, false, 6, NULL, SPACE_FORCES);
  } else if (strcmp(s->model, "plane") == 0) {
    build_new(b, 11);
    plane_mechanism(b, s->seed, s->N);
  } else {
    build_new(b, 5);
    build_read(b, s->model);
    if (s->set) build_set(b, s->set, "%d", s->N);
  }
  if (s->coordinates) build_set(b, "/coordinates", "\"%s\"", s->coordinates);
  if (!b->failed && tn_desc_part(b->desc, "/run/formulation", form, &e) != TN_OK) build_fail(b, "%s", e.message);
  if (!b->failed && stabilize && tn_desc_part(b->desc, "/run/stabilize", stabilize, &e) != TN_OK)
    build_fail(b, "%s", e.message);
  return !b->failed;
}

static double most(int n, const double *x) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  return size;
}

static double apart(int n, const double *a, const double *b) {
  double worst = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= worst)) worst = isnan(a[i]) ? HUGE_VAL : fabs(a[i] - b[i]);
  return worst / (1 + most(n, b));
}

/* ---- accelerations -------------------------------------------------------------------------------------------------------- */

typedef struct answer {
  double udot[MOST], lambda[MOST], x[MOST];
  double left; /* of the rows */
  bool by_blocks;
} answer;

/* at the start, with speeds that the rows need not allow: both sides of the system are the same for every form */
static bool solved(build *b, int state, answer *a) {
  tn_solver *s = &b->sim->solver;
  const tn_model *m = b->model;
  double q[MOST], u[MOST], way[MOST], r[MOST];
  tn_error e;
  if (m->nu > MOST || m->rows > MOST) abort();
  memcpy(q, tn_sim_q(b->sim), sizeof *q * (size_t)m->nq);
  memcpy(u, tn_sim_u(b->sim), sizeof *u * (size_t)m->nu);
  for (int i = 0; i < m->nu; i++) way[i] = 0.02 * state * m->u_length[i] * sin(3.0 * i + state);
  tn_model_add(m, q, way);
  for (int i = 0; i < m->nu; i++) u[i] += 10 * way[i];
  if (tn_solver_at(s, 0, q, u, &e) != TN_OK || tn_solver_factor(s, TN_METRIC_MASS, &e) != TN_OK) return false;
  a->by_blocks = s->by_blocks;
  if (tn_solver_solve(s, s->sys.f, s->sys.rows.gamma, a->udot, a->lambda, &e) != TN_OK) return false;
  a->left = s->inconsistency;
  tn_solver_rows_times(s, way, r);
  for (int i = 0; i < m->rows; i++) r[i] += 1e-3 * sin(1 + i) / m->row_scale[i];
  return tn_solver_correct(s, TN_METRIC_MASS, TN_OF_ESTIMATE, r, a->x, &e) == TN_OK;
}

static int compare(const subject *s, double tolerance, double worst[3]) {
  static answer dense, blocks;
  int compared = 0;
  for (int f = 0; f < COUNT(forms); f++) {
    build a, b;
    const bool ok = begin(&a, s, forms[f], "none") && simulate(&a);
    const bool also = begin(&b, s, dense_form(forms[f]), "none") && simulate(&b);
    if (!ok || !also) FAIL("%s %d %s: %s %s", s->model, s->seed, forms[f], a.message, b.message);
    for (int state = 0; ok && also && state < STATES; state++) {
      if (!solved(&a, state, &blocks) || !solved(&b, state, &dense)) continue;
      CHECK(!dense.by_blocks);
      if (!blocks.by_blocks) continue;
      const int nu = a.model->nu, rows = a.model->rows;
      const double off[3] = {apart(nu, blocks.udot, dense.udot), apart(rows, blocks.lambda, dense.lambda),
                             apart(nu, blocks.x, dense.x)};
      for (int i = 0; i < 3; i++) {
        worst[i] = fmax(worst[i], off[i]);
        if (!(off[i] < tolerance)) FAIL("%s %d %s: %d is off by %.2g", s->model, s->seed, forms[f], i, off[i]);
      }
      if (!(fabs(blocks.left - dense.left) < tolerance * (1 + dense.left)))
        FAIL("%s %d %s: %g is left of the rows, %g dense", s->model, s->seed, forms[f], blocks.left, dense.left);
      compared++;
    }
    build_free(&a);
    build_free(&b);
  }
  return compared;
}

TEST_FULL(forms_are_the_same_by_blocks_on_every_model) {
  static char names[64][64];
  const int models = build_models(names, 64);
  double worst[3] = {0};
  int compared = 0, some = 0;
  for (int k = 0; k < models; k++) {
    const int now = compare(&(subject){.model = names[k], .coordinates = "absolute"}, 1e-9, worst);
    compared += now;
    some += now > 0;
  }
  printf("%d models, %d compared: udot %.1e, lambda %.1e, corrections %.1e\n", some, compared, worst[0], worst[1],
         worst[2]);
  CHECK(some >= 9 && compared >= 9 * COUNT(forms));
}

TEST_FULL(forms_are_the_same_by_blocks_on_random_mechanisms) {
  double worst[3] = {0};
  int compared[3] = {0};
  for (int seed = 1; seed <= 12; seed++) {
    compared[0] += compare(&(subject){.model = "plane", .N = 15, .seed = seed}, 1e-9, worst);
    compared[1] += compare(&(subject){.model = "space", .seed = seed}, 1e-9, worst);
  }
  for (int seed = 1; seed <= 3; seed++)
    compared[2] +=
        compare(&(subject){.model = "plane", .coordinates = "relative", .N = 100, .seed = seed}, RELATIVE, worst);
  printf("plane %d, space %d, relative %d compared: udot %.1e, lambda %.1e, corrections %.1e\n", compared[0],
         compared[1], compared[2], worst[0], worst[1], worst[2]);
  for (int i = 0; i < 3; i++) CHECK(compared[i] >= 3 * COUNT(forms));
}

/* ---- corrections of dependent components ------------------------------------------------------------------------------------ */

/* a correction moves the dependent components alone, meets the rows, and is what the dense matrix gives for these */
static bool corrected(const subject *s, bool velocity, double *worst) {
  static double D[MOST * MOST];
  build b;
  tn_error e;
  double r[MOST], x[MOST], back[MOST], y[MOST];
  int pivot[MOST];
  bool served = false;
  if (begin(&b, s, "partition", "project:metric=dependent") && simulate(&b)) {
    tn_solver *solver = &b.sim->solver;
    const tn_model *m = b.model;
    const int rows = velocity ? m->rows : m->holonomic;
    CHECK(tn_solver_at(solver, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), &e) == TN_OK);
    tn_dependent_by(&solver->dependent, 0, NULL, true);
    served = tn_dependent_sparse_choose(solver, velocity) >= 0;
    for (int i = 0; i < m->rows; i++) r[i] = i < rows ? sin(1 + i) / m->row_scale[i] : 0;
    if (served &&
        tn_solver_correct(solver, TN_METRIC_DEPENDENT, velocity ? TN_OF_VELOCITY : TN_OF_POSITION, r, x, &e)) {
      FAIL("%s", e.message);
    } else if (served) {
      const int n = tn_dependent_choose(solver, velocity), *column = solver->dependent.column;
      tn_need(&solver->sys, TN_LEVEL_MATRICES);
      CHECK(n == rows);
      for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
          D[i * n + k] = solver->sys.A[i * m->nu + column[k]] * tn_component_size(m, column[k]) * m->row_scale[i];
      for (int i = 0; i < n; i++) y[i] = r[i] * m->row_scale[i];
      CHECK(tn_lu_factor(n, D, pivot));
      tn_lu_solve(n, D, pivot, y);
      int moved = 0;
      for (int j = 0; j < m->nu; j++) moved += x[j] != 0;
      CHECK(moved <= n);
      for (int k = 0; k < n; k++) x[column[k]] /= tn_component_size(m, column[k]);
      for (int k = 0; k < n; k++) back[k] = x[column[k]];
      const double off = apart(n, back, y);
      *worst = fmax(*worst, off);
      if (!(off < 1e-9)) FAIL("%s %d: off by %.2g", s->model, s->seed, off);
    }
  }
  build_free(&b);
  return served;
}

TEST(dependent_components_are_those_of_dense_rows) {
  static const subject of[] = {{.model = "n_four_bar", .set = "/constants/N", .N = 12},
                               {.model = "n_four_bar", .coordinates = "relative", .set = "/constants/N", .N = 60},
                               {.model = "gear_train_rates"},
                               {.model = "andrews"},
                               {.model = "stewart_platform"},
                               {.model = "spatial_four_bar"},
                               {.model = "spatial_chain"}};
  double worst = 0;
  int served = 0;
  for (int velocity = 0; velocity < 2; velocity++) {
    for (int k = 0; k < COUNT(of); k++) {
      const bool now = corrected(&of[k], velocity, &worst);
      if (!now) FAIL("%s is left to dense matrices", of[k].model);
    }
    for (int seed = 1; seed <= 12; seed++) {
      served += corrected(&(subject){.model = "plane", .N = 15, .seed = seed}, velocity, &worst);
      served += corrected(&(subject){.model = "space", .seed = seed}, velocity, &worst);
    }
  }
  printf("%d random mechanisms; off by %.1e\n", served, worst);
  CHECK(served >= 24);
}

/* speeds that are independent stand among positions too */
static void check_one_set(tn_solver *s) {
  bool free[MOST];
  for (int j = 0; j < s->sys.m->nu; j++) free[j] = true;
  for (int velocity = 1; velocity >= 0; velocity--) {
    tn_dependent_by(&s->dependent, 0, NULL, true);
    const int n = tn_dependent_sparse_choose(s, velocity);
    CHECK(n == (velocity ? s->rank : s->rank - 3));
    for (int i = 0; i < n; i++) {
      if (velocity) free[s->dependent.column[i]] = false;
      CHECK(!free[s->dependent.column[i]]);
    }
  }
}

TEST(a_partition_has_one_set_by_blocks) {
  static const char *const how[] = {"partition", "partition:choose=kept"};
  for (int k = 0; k < 2 * COUNT(how); k++) {
    build b;
    tn_error e;
    begin(&b, &(subject){.model = "gear_train_rates"}, how[k / 2], "project:metric=dependent");
    if (k % 2) build_set(&b, "/body_coordinates", "\"euler-parameters\"");
    if (simulate(&b))
      for (int i = 0; i < 12; i++) {
        CHECK(tn_sim_advance(b.sim, 0.7 * i, &e) == TN_OK);
        check_one_set(&b.sim->solver);
      }
    else
      FAIL("%s", b.message);
    build_free(&b);
  }
}

/* numbers of L and U for each four-bar do not grow with their number */
TEST(a_row_of_four_bars_fills_in_as_it_grows_longer) {
  double each[2];
  for (int k = 0; k < 2; k++) {
    const int N = k ? 160 : 20;
    build b;
    tn_error e;
    if (begin(&b, &(subject){.model = "n_four_bar", .set = "/constants/N", .N = N}, "partition",
              "project:metric=dependent") &&
        simulate(&b)) {
      tn_solver *s = &b.sim->solver;
      CHECK(tn_solver_at(s, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), &e) == TN_OK);
      tn_dependent_by(&s->dependent, 0, NULL, true);
      CHECK(tn_dependent_sparse_choose(s, true) == b.model->rows);
      const tn_pivots *p = &s->dependent.sparse.set[0].pivots;
      each[k] = (double)(p->first_l[p->rows] + p->first_u[p->rows]) / N;
    } else {
      FAIL("%s", b.message);
    }
    build_free(&b);
  }
  printf("numbers for each four-bar: %.1f of 20, %.1f of 160\n", each[0], each[1]);
  CHECK(each[1] < 1.3 * each[0]);
}

/* ---- motions ---------------------------------------------------------------------------------------------------------------- */

static double moved_apart(const subject *s, const char *form, const char *stabilize, const char *dense_stabilize,
                          const char *integrator, double until) {
  build_table t[2] = {{0}, {0}};
  double worst = HUGE_VAL;
  tn_error e;
  for (int k = 0; k < 2; k++) {
    build b;
    begin(&b, s, k ? dense_form(form) : form, k ? dense_stabilize : stabilize);
    build_tight(&b, until, until / 4);
    if (integrator) CHECK(tn_desc_part(b.desc, "/run/integrator", integrator, &e) == TN_OK);
    build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
    if (!simulate(&b) || !build_run(&b, &t[k])) FAIL("%s %s: %s", s->model, form, b.message);
    if (b.sim) CHECK(b.sim->solver.blocks_stand_in == (k == 0));
    build_free(&b);
  }
  if (t[0].rows == 5 && t[1].rows == 5) worst = apart(5 * (t[0].columns + 1), t[0].value, t[1].value);
  for (int k = 0; k < 2; k++) build_table_free(&t[k]);
  return worst;
}

static const struct {
  const char *form, *stabilize, *integrator;
} methods[] = {
    {"partition", "project:metric=dependent", NULL},
    {"partition:choose=kept", "project:metric=dependent,choose=kept", NULL},
    /* rows are measured by no less than at typical poses: a kink, which adaptive steps see at different times */
    {"augmented-lagrangian:eps=0.01,iterations=2", "none", "rk4:step=1e-3"},
    {"gauss", "none", NULL},
    {"gauss", "embedded", "rk4:step=1e-3"}};

static void same_motion(const subject *s, double until) {
  for (int k = 0; k < COUNT(methods); k++) {
    if (s->coordinates && strncmp(methods[k].form, "augmented-", 10) == 0) continue; /* dense in relative ones */
    const double off =
        moved_apart(s, methods[k].form, methods[k].stabilize, methods[k].stabilize, methods[k].integrator, until);
    printf("%s %s %s: %.1e\n", s->model, s->coordinates ? s->coordinates : "", methods[k].form, off);
    if (!(off < 1e-9)) FAIL("%s %s: %.2g apart", s->model, methods[k].form, off);
  }
}

TEST(methods_move_alike_by_blocks) {
  same_motion(&(subject){.model = "n_four_bar", .set = "/constants/N", .N = 6}, 0.2);
}

TEST_FULL(methods_move_alike_by_blocks_on_more_models) {
  same_motion(&(subject){.model = "gear_train_rates"}, 0.5);
  same_motion(&(subject){.model = "andrews"}, 0.01);
  same_motion(&(subject){.model = "stewart_platform"}, 0.2);
  same_motion(&(subject){.model = "spatial_chain"}, 0.1);
  same_motion(&(subject){.model = "n_four_bar", .coordinates = "relative", .set = "/constants/N", .N = 40}, 0.02);
  same_motion(&(subject){.model = "plane", .N = 15, .seed = 3}, 0.1);
  same_motion(&(subject){.model = "space", .seed = 4}, 0.1);
}

/* without matrices: 601 bodies, 1802 rows. what `nullspace` leaves of the rows is seen in the motion */
TEST_FULL(models_without_matrices_have_these_methods) {
  static const struct {
    const char *form, *stabilize, *integrator;
    double tolerance;
  } of[] = {{"augmented", "project", NULL, 0},
            {"partition", "project:metric=dependent", NULL, 1e-9},
            {"partition:choose=kept", "project:metric=dependent,choose=kept", NULL, 1e-9},
            {"gauss", "none", NULL, 1e-9},
            {"gauss", "embedded", "rk4:step=1e-3", 1e-9},
            {"augmented-lagrangian", "project", NULL, 1e-9},
            {"nullspace", "adjust", "rk4:step=1e-3", 1e-6}};
  build_table first = {0};
  for (int k = 0; k < COUNT(of); k++) {
    build b;
    build_table t = {0};
    tn_error e;
    begin(&b, &(subject){.model = "n_four_bar", .set = "/constants/N", .N = 300}, of[k].form, of[k].stabilize);
    build_tight(&b, 0.05, 0.025);
    if (of[k].integrator) CHECK(tn_desc_part(b.desc, "/run/integrator", of[k].integrator, &e) == TN_OK);
    build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
    if (!simulate(&b) || !build_run(&b, &t)) FAIL("%s: %s", of[k].form, b.message);
    if (b.model) CHECK(b.model->large && b.sim->solver.by_blocks);
    if (k && t.rows == 3) {
      const double off = apart(3 * (t.columns + 1), t.value, first.value);
      if (!(off < of[k].tolerance)) FAIL("%s %s: %.2g apart", of[k].form, of[k].stabilize, off);
    }
    CHECK(t.rows == 3);
    build_free(&b);
    if (k == 0)
      first = t;
    else
      build_table_free(&t);
  }
  build_table_free(&first);
}

/* `adjust` of named components: one set for both, so that what it leaves of the rows is the same too */
TEST(adjust_leaves_the_same_by_blocks) {
  static const struct {
    subject of;
    const char *dependent;
  } of[] = {{{.model = "n_four_bar", .set = "/constants/N", .N = 3},
             "coupler1.x+coupler1.y+coupler2.x+coupler2.y+coupler3.x+coupler3.y+link1.angle+link2.angle"},
            {{.model = "gear_train_rates"}, "sun.e1+sun.e2+planet1.x+planet1.y+arm.x+arm.y"},
            {{.model = "plane", .N = 15, .seed = 2}, "b3.x+b3.y+b7.angle+b9.x+b14.y"}};
  static const char *const how[] = {"", ",passes=4", ",passes=20,eps=1e-5", ",weight=1e-4,penalty=1e4,passes=3"};
  for (int k = 0; k < COUNT(of); k++)
    for (int i = 0; i < COUNT(how); i++) {
      double q[2][MOST], u[2][MOST], moved = 0;
      int nq = 0, nu = 0;
      for (int dense = 0; dense < 2; dense++) {
        build b;
        tn_error e;
        char adjust[300];
        snprintf(adjust, sizeof adjust, "adjust:dependent=%s%s", of[k].dependent, how[i]);
        if (begin(&b, &of[k].of, dense ? "nullspace:matrices=dense" : "nullspace", adjust) && simulate(&b)) {
          tn_solver *s = &b.sim->solver;
          const tn_part *p = &b.model->run.stabilizer[0];
          const tn_stage at = {.room = b.sim->stabilizing.room[0]};
          bool changed = false;
          nq = b.model->nq, nu = b.model->nu;
          memcpy(q[dense], tn_sim_q(b.sim), sizeof *q[0] * (size_t)nq);
          memcpy(u[dense], tn_sim_u(b.sim), sizeof *u[0] * (size_t)nu);
          for (int j = 0; j < nu; j++) u[dense][j] += 0.01 * sin(2 * j);
          for (int j = 0; j < nu; j++) s->s[j] = 1e-3 * b.model->u_length[j] * sin(3 * j);
          tn_model_add(b.model, q[dense], s->s);
          CHECK(tn_solver_has_penalized(s) == !dense);
          CHECK(tn_solver_at(s, 0, q[dense], u[dense], &e) == TN_OK);
          const double before = tn_violation(&s->sys, s->sys.rows.C, b.model->holonomic, NULL);
          CHECK(((const tn_stabilizer_type *)p->type)->accept(p->self, &at, s, 0, q[dense], u[dense], &changed) ==
                TN_OK);
          moved = fmax(moved, before - tn_violation(&s->sys, s->sys.rows.C, b.model->holonomic, NULL));
        } else {
          FAIL("%s", b.message);
        }
        build_free(&b);
      }
      if (!(moved > 1e-9) && of[k].of.N) FAIL("%s: %.2g moved", of[k].of.model, moved);
      const double off = fmax(apart(nq, q[0], q[1]), apart(nu, u[0], u[1]));
      /* the matrix has a condition of about penalty/weight times the squared length of rows */
      if (!(off < (strstr(how[i], "1e-4") ? 1e-9 : 1e-12))) FAIL("%s %s: %.2g apart", of[k].of.model, how[i], off);
    }
}
