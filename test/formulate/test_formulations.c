/* the formulations that are references, in all of their forms: the accelerations and multipliers of `augmented` on every model,
 * at the start and on the way, and the same motion; the choice of a partition; positions where rows become dependent. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
enum { MOST = BUILD_MOST, STATES = 5 };

static const char *const forms[] = {"gauss:matrices=dense",
                                    "gauss:matrices=dense,form=cholesky",
                                    "gauss:matrices=dense,form=multiplier",
                                    "gauss:form=fast",
                                    "gauss", /* blocks, where the model has them */
                                    "nullspace:matrices=dense",
                                    "nullspace:matrices=dense,form=elimination",
                                    "constraint-inertia",
                                    "constraint-inertia:form=symmetric",
                                    "partition:matrices=dense",
                                    "partition:pivoting=rref",
                                    "partition:matrices=dense,choose=kept",
                                    "partition:pivoting=rref,choose=kept",
                                    "partition:matrices=dense,choose=once",
                                    "partition:pivoting=rref,choose=once"};

/* a model with a formulation; coordinates NULL: as they are; relative, or absolute with those of free bodies */
static bool begin(build *b, const char *model, const char *coordinates, const char *form) {
  tn_error e;
  const bool of_bodies = coordinates && strcmp(coordinates, "absolute") != 0 && strcmp(coordinates, "relative") != 0;
  build_new(b, 5);
  build_read(b, model);
  if (coordinates) build_set(b, "/coordinates", "\"%s\"", of_bodies ? "absolute" : coordinates);
  if (of_bodies) build_set(b, "/body_coordinates", "\"%s\"", coordinates);
  CHECK(tn_desc_part(b->desc, "/run/formulation", form, &e) == TN_OK);
  return !b->failed;
}

static double most(int n, const double *x) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  return size;
}

/* largest difference, relative to the largest of b; NaN counts */
static double apart(int n, const double *a, const double *b) {
  double worst = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= worst)) worst = isnan(a[i]) ? HUGE_VAL : fabs(a[i] - b[i]);
  return worst / (1 + most(n, b));
}

typedef struct state {
  double t, q[MOST], u[MOST], own[MOST], udot[MOST], lambda[MOST]; /* own: of forces */
} state;

static bool accelerations(build *b, double t, const double *q, const double *u, double *udot, double *lambda) {
  tn_solver *s = &b->sim->solver;
  tn_error e;
  return tn_solver_at(s, t, q, u, &e) == TN_OK && tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK &&
         tn_solver_solve(s, s->sys.f, s->sys.rows.gamma, udot, lambda, &e) == TN_OK;
}

/* along the motion, by `augmented`; every other with speeds of its own, which rows that do not repeat each other can bear */
static int states_of(const char *model, const char *coordinates, state *at) {
  build b;
  tn_error e;
  int n = 0;
  if (begin(&b, model, coordinates, "augmented") && build_simulate(&b)) {
    const double until = fmin(b.model->run.until, 1);
    for (; n < STATES; n++) {
      state *s = &at[n];
      if (tn_sim_advance(b.sim, until * n / (STATES - 1), &e) != TN_OK) break;
      s->t = tn_sim_time(b.sim);
      memcpy(s->q, tn_sim_q(b.sim), sizeof *s->q * (size_t)b.model->nq);
      memcpy(s->u, tn_sim_u(b.sim), sizeof *s->u * (size_t)b.model->nu);
      for (int i = 0; n % 2 && tn_sim_summary(b.sim)->redundant_rows == 0 && i < b.model->nu; i++)
        s->u[i] += build_uniform(&b, -1, 1);
      memcpy(s->own, tn_sim_state(b.sim), sizeof *s->own * (size_t)b.model->states);
      tn_system_move_states(&b.sim->solver.sys, s->own);
      if (!accelerations(&b, s->t, s->q, s->u, s->udot, s->lambda)) break;
    }
  }
  if (n < STATES) FAIL("%s: %s", model, b.failed ? b.message : e.message);
  build_free(&b);
  return n;
}

/* the forms at the states of `augmented`; returns how many states were compared, the worst of them in *worst */
static int compare_forms(const char *model, const char *coordinates, double *worst) {
  static state at[STATES];
  const int n = states_of(model, coordinates, at);
  int compared = 0;
  for (int f = 0; f < COUNT(forms); f++) {
    build b;
    bool ok = begin(&b, model, coordinates, forms[f]) && build_simulate(&b);
    if (!ok) FAIL("%s %s %s: %s", model, coordinates, forms[f], b.message);
    for (int i = 0; ok && i < n; i++, compared++) {
      double udot[MOST], lambda[MOST];
      tn_system_move_states(&b.sim->solver.sys, at[i].own);
      ok = accelerations(&b, at[i].t, at[i].q, at[i].u, udot, lambda);
      const double du = ok ? apart(b.model->nu, udot, at[i].udot) : HUGE_VAL,
                   dl = ok ? apart(b.model->rows, lambda, at[i].lambda) : HUGE_VAL;
      *worst = fmax(*worst, du);
      if (!(du < 1e-9 && dl < 1e-9))
        FAIL("%s %s %s at %g: udot differs by %.2g, lambda by %.2g", model, coordinates, forms[f], at[i].t, du, dl);
    }
    build_free(&b);
  }
  return compared;
}

TEST_FULL(every_form_gives_the_same_accelerations) {
  static char names[64][64];
  const int models = build_models(names, 64);
  int compared = 0;
  double worst = 0;
  CHECK(models >= 27);
  for (int k = 0; k < 2 * models; k++) compared += compare_forms(names[k / 2], k % 2 ? "relative" : "absolute", &worst);
  printf("absolute and relative: %d compared, udot within %.1e\n", compared, worst);
  CHECK(compared == 2 * models * COUNT(forms) * STATES);
}

/* bodies in space by every set of coordinates that orients them: those of Euler parameters have one more, and a row and a weight
 * for it. where the coordinates of a set are singular at the start it is refused, and not compared */
TEST_FULL(every_form_gives_the_same_accelerations_in_all_coordinates_of_bodies) {
  static const char *const sets[] = {"quaternion", "euler-parameters", "euler-angles"};
  static char names[64][64];
  const int models = build_models(names, 64);
  int compared[COUNT(sets)] = {0};
  double worst = 0;
  for (int k = 0; k < models; k++)
    for (int c = 0; c < COUNT(sets); c++) {
      build b;
      bool space = begin(&b, names[k], sets[c], "augmented") && build_compile(&b) && b.model->dimension == 3;
      space = space && build_simulate(&b);
      build_free(&b);
      if (space) compared[c] += compare_forms(names[k], sets[c], &worst);
    }
  printf("coordinates of bodies: %d, %d and %d compared, udot within %.1e\n", compared[0], compared[1], compared[2],
         worst);
  for (int c = 0; c < COUNT(sets); c++) CHECK(compared[c] % (COUNT(forms) * STATES) == 0);
  CHECK(compared[0] >= 12 * COUNT(forms) * STATES && compared[1] >= 12 * COUNT(forms) * STATES && compared[2] > 0);
}

/* redundant rows too share their load in the same way, and where they contradict each other the same is done about it */
TEST(rows_that_contradict_each_other_are_met_in_the_mean) {
  static const char *const models[] = {"door",    "door_three_hinges", "gear_train_four_meshes",
                                       "bricard", "biped_3",           "driven_pivot"};
  int redundant = 0;
  for (int k = 0; k < 2 * COUNT(models); k++) {
    const char *model = models[k / 2], *coordinates = k % 2 ? "relative" : "absolute";
    double udot[2][MOST], lambda[2][MOST], gamma[MOST], inconsistency = 0;
    for (int f = -1; f < COUNT(forms); f++) {
      build b;
      tn_error e;
      const int me = f >= 0;
      if (!begin(&b, model, coordinates, me ? forms[f] : "augmented") || !build_simulate(&b)) {
        FAIL("%s %s: %s", model, me ? forms[f] : "augmented", b.message);
        build_free(&b);
        continue;
      }
      tn_solver *s = &b.sim->solver;
      const int nu = b.model->nu, rows = b.model->rows;
      CHECK(tn_solver_at(s, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), &e) == TN_OK &&
            tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
      for (int i = 0; !me && i < rows; i++) gamma[i] = s->sys.rows.gamma[i] + build_uniform(&b, -1, 1);
      CHECK(tn_solver_solve(s, s->sys.f, gamma, udot[me], lambda[me], &e) == TN_OK);
      if (!me) {
        inconsistency = s->inconsistency;
        redundant += b.sim->summary.redundant_rows > 0 && inconsistency > 1e-3;
      } else {
        const double du = apart(nu, udot[1], udot[0]), dl = apart(rows, lambda[1], lambda[0]);
        if (!(du < 1e-9 && dl < 1e-9 && fabs(s->inconsistency - inconsistency) < 1e-9))
          FAIL("%s %s %s: udot differs by %.2g, lambda by %.2g; inconsistency %g and %g", model, coordinates, forms[f],
               du, dl, s->inconsistency, inconsistency);
      }
      build_free(&b);
    }
  }
  CHECK(redundant >= 5);
}

/* f and gamma add up, and either may be missing */
TEST(solutions_add_up) {
  for (int f = 0; f < COUNT(forms); f++) {
    build b;
    tn_error e;
    if (begin(&b, "gear_train", "absolute", forms[f]) && build_simulate(&b)) {
      tn_solver *s = &b.sim->solver;
      const int nu = b.model->nu, rows = b.model->rows;
      double x[3][MOST], l[3][MOST], gamma[MOST], zero[MOST] = {0};
      for (int i = 0; i < rows; i++) gamma[i] = build_uniform(&b, -1, 1);
      CHECK(tn_solver_at(s, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), &e) == TN_OK &&
            tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
      CHECK(tn_solver_solve(s, s->sys.f, gamma, x[0], l[0], &e) == TN_OK);
      CHECK(tn_solver_solve(s, s->sys.f, zero, x[1], l[1], &e) == TN_OK);
      CHECK(tn_solver_solve(s, NULL, gamma, x[2], l[2], &e) == TN_OK);
      CHECK(most(nu, x[1]) > 1e-3 && most(nu, x[2]) > 1e-3);
      for (int i = 0; i < nu; i++) x[1][i] += x[2][i];
      for (int i = 0; i < rows; i++) l[1][i] += l[2][i];
      CHECK(apart(nu, x[1], x[0]) < 1e-11 && apart(rows, l[1], l[0]) < 1e-11);
    } else {
      FAIL("%s: %s", forms[f], b.message);
    }
    build_free(&b);
  }
}

/* what `project` asks for: the smallest change in the metric of the masses, of every formulation */
TEST(corrections_are_those_of_augmented) {
  static const char *const models[] = {"four_bar", "gear_train", "bricard"};
  for (int k = 0; k < COUNT(models); k++) {
    double r[MOST], x[2][MOST];
    for (int f = -1; f < COUNT(forms); f++) {
      build b;
      tn_error e;
      if (begin(&b, models[k], NULL, f < 0 ? "augmented" : forms[f]) && build_simulate(&b)) {
        tn_solver *s = &b.sim->solver;
        double way[MOST];
        CHECK(tn_solver_at(s, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), &e) == TN_OK &&
              tn_solver_factor(s, TN_METRIC_MASS, &e) == TN_OK);
        for (int i = 0; i < b.model->nu; i++) way[i] = build_uniform(&b, -1, 1);
        tn_solver_rows_times(s, way, r);
        CHECK(tn_solver_correct(s, TN_METRIC_MASS, TN_OF_VELOCITY, r, x[f >= 0], &e) == TN_OK);
        CHECK(most(b.model->nu, x[f >= 0]) > 0.1);
        if (f >= 0) CHECK(apart(b.model->nu, x[1], x[0]) < 1e-12);
      } else {
        FAIL("%s: %s", models[k], b.message);
      }
      build_free(&b);
    }
  }
}

/* ---- motions ------------------------------------------------------------------------------------------------------------ */

static void check_motion(const char *model, const char *body_coordinates, const char *stabilizer, double until,
                         double tolerance) {
  build_table first = {0}, table;
  tn_error e;
  for (int f = -1; f < COUNT(forms); f++) {
    build b;
    begin(&b, model, NULL, f < 0 ? "augmented" : forms[f]);
    build_tight(&b, until, until / 10);
    if (body_coordinates) build_set(&b, "/body_coordinates", "\"%s\"", body_coordinates);
    CHECK(tn_desc_part(b.desc, "/run/stabilize", stabilizer, &e) == TN_OK);
    if (!build_simulate(&b) || !build_run(&b, &table)) {
      FAIL("%s %s: %s", model, f < 0 ? "augmented" : forms[f], b.message);
      build_free(&b);
      continue;
    }
    CHECK(table.rows == 11 && (f < 0 || (table.rows == first.rows && table.columns == first.columns)));
    double worst = 0, moved = 0;
    const int width = table.columns + 1;
    for (int i = 0; f >= 0 && i < table.rows * width; i++)
      worst = fmax(worst, apart(1, table.value + i, first.value + i));
    for (int i = 0; i < table.columns; i++) moved = fmax(moved, fabs(build_at(&table, 10, i) - build_at(&table, 0, i)));
    CHECK(moved > 1e-3);
    if (!(worst < tolerance)) FAIL("%s %s: %.2g away", model, forms[f], worst);
    build_free(&b);
    if (f < 0)
      first = table;
    else
      build_table_free(&table);
  }
  build_table_free(&first);
}

TEST_FULL(four_bars_give_the_same_motion) {
  check_motion("four_bar", NULL, "project", 2, 1e-9);
  check_motion("spatial_four_bar", NULL, "project", 0.2, 1e-9);
  check_motion("spatial_four_bar", "euler-parameters", "none", 0.2, 1e-9);
}

TEST_FULL(redundant_rows_give_the_same_motion) { check_motion("bricard", NULL, "project", 0.5, 1e-9); }

TEST_FULL(euler_parameters_give_the_same_motion) {
  check_motion("gear_train", "euler-parameters", "project", 0.5, 1e-9);
}

/* ---- singular positions --------------------------------------------------------------------------------------------------- */

/* all links in line, to within an angle c: rows part only as c. the motion there is known: three links and two couplers turn as one,
 * 3 rate' = -3.5 g cos c. where the angle is too small to be seen at all another answer, the shortest, is given: finite too */
TEST(flat_four_bars) {
  static const double off[] = {1e-2, 1e-4, 1e-6, 1e-9, 1e-12, 0};
  for (int k = 0; k < COUNT(off); k++)
    for (int f = -1; f < COUNT(forms); f++) {
      build b;
      double q[MOST], u[MOST] = {0}, udot[MOST], lambda[MOST], worst = 0;
      const double c = off[k], expected = -3.5 / 3 * 9.81 * cos(c);
      const char *form = f < 0 ? "augmented" : forms[f];
      if (begin(&b, "n_four_bar", "absolute", form) && build_simulate(&b)) {
        for (int i = 0; i < b.model->bodies; i++) {
          const tn_body *body = &b.model->body[i];
          const bool link = body->name[0] == 'l';
          const double number = body->name[strlen(body->name) - 1] - '0';
          q[body->q] = link ? number : number - 1 + cos(c);
          q[body->q + 1] = link ? 0 : sin(c);
          q[body->q + 2] = link ? c : 0;
        }
        CHECK(accelerations(&b, 0, q, u, udot, lambda));
        CHECK(most(b.model->rows, b.sim->solver.sys.rows.C) < 1e-15);
        for (int i = 0; i < b.model->bodies; i++) {
          const double rate = udot[b.model->body[i].u + 2];
          worst = fmax(worst, fabs(b.model->body[i].name[0] == 'l' ? rate - expected : rate));
        }
      } else {
        FAIL("%s", b.message);
      }
      build_free(&b);
      const bool squares = strstr(form, "multiplier") != NULL, by_kkt = f < 0 || strstr(form, "fast");
      if (!(worst < 20)) FAIL("%s at %g: %.2g", form, c, worst);
      if (c > 1e-7 && !(worst < (squares ? fmax(1e-10, 1e-15 / (c * c)) : 1e-10)))
        FAIL("%s at %g: %.2g", form, c, worst);
      if (c > 0 && !by_kkt && !squares && !(worst < 1e-3)) FAIL("%s at %g: %.2g", form, c, worst);
    }
}

/* ---- the choice of a partition -------------------------------------------------------------------------------------------- */

/* a particle on a circle: x is the dependent coordinate at first, and can be so as long as x is not zero. in order of how far down it
 * is, `kept` gives it up and then `once`, from where on they do what `always` does, to the last bit; at the bottom all do */
TEST(a_choice_is_given_up_before_it_degenerates) {
  static const double x_of[] = {0.71, 0.3, 1e-3, 1e-5, 1e-9, 0};
  static const char *const choose[] = {"always", "kept", "once"};
  static const bool same[][3] = {{true, true, true},  {true, false, false}, {true, true, false},
                                 {true, true, false}, {true, true, true},   {true, true, true}};
  for (int k = 0; k < COUNT(x_of); k++)
    for (int rref = 0; rref < 2; rref++) {
      int differ[3] = {0};
      for (int i = 0; i < 40; i++) {
        double udot[3][2];
        const double x = x_of[k] * (1 + 0.01 * i / 40), q[2] = {x, -sqrt(1 - x * x)}, v = 1 + 0.1 * i,
                     u[2] = {-v * q[1], v * q[0]};
        for (int c = 0; c < 3; c++) {
          build b;
          char form[64];
          double lambda[1];
          snprintf(form, sizeof form, "partition:pivoting=%s,choose=%s", rref ? "rref" : "full", choose[c]);
          if (!begin(&b, "pendulum", NULL, form) || !build_simulate(&b) ||
              !accelerations(&b, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), udot[c], lambda) ||
              !accelerations(&b, 0.1, q, u, udot[c], lambda)) {
            FAIL("%s at %g: %s", form, x, b.message);
            udot[c][0] = udot[c][1] = NAN;
          }
          build_free(&b);
          /* q'' = -q (v^2 - g y) + g */
          const double tension = v * v + 9.81 * -q[1];
          CHECK_NEAR(udot[c][0], -tension * q[0], 1e-9);
          CHECK_NEAR(udot[c][1], -tension * q[1] - 9.81, 1e-9);
          differ[c] += memcmp(udot[c], udot[0], sizeof udot[0]) != 0;
        }
      }
      /* rref takes the first column that it can, whatever its size */
      for (int c = 0; c < 3; c++)
        if ((differ[c] == 0) != (same[k][c] || (rref && x_of[k] > 1e-6)))
          FAIL("x = %g, %s, %s: %d of 40 differ", x_of[k], rref ? "rref" : "full", choose[c], differ[c]);
    }
}

/* ---- dependent speeds by name (Hoang 2023, eq. 20) ------------------------------------------------------------------------ */

#define NAMED "nullspace:form=elimination,dependent="
#define PLATFORM "platform.x+platform.y+platform.angle"

static void refused(const char *form, const char *message) {
  build b;
  CHECK(begin(&b, "hoang_pd", NULL, form) && !build_compile(&b));
  CHECK_HAS(b.message, message);
  build_free(&b);
}

/* the same accelerations while the others tell where the platform is; where they hardly do, at the first crossing of det Phi_x,
 * digits are lost that the choice by pivoting keeps */
TEST(elimination_of_named_speeds) {
  static const char *const by[] = {"augmented", "nullspace:form=elimination", NAMED PLATFORM};
  static const double q[] = {0.6138448421703785,   0.6891130996069599, 0.7250817064582532,
                             -0.06961523409933353, 1.3458778950936003, 2.992682889591263},
                      u[] = {0.8479587025864939, 1.8596594678243887, 22.18782364570951,
                             1.7886348006551294, 1.2086692700039328, -3.8466944185581005};
  double udot[3][MOST], lambda[MOST], start[3][MOST];
  for (int k = 0; k < 3; k++) {
    build b;
    CHECK(begin(&b, "hoang_pd", NULL, by[k]) && build_simulate(&b));
    CHECK(!b.failed && accelerations(&b, 0, tn_sim_q(b.sim), tn_sim_u(b.sim), start[k], lambda));
    CHECK(!b.failed && accelerations(&b, 0, q, u, udot[k], lambda));
    build_free(&b);
  }
  const double pivots = apart(6, udot[1], udot[0]), named = apart(6, udot[2], udot[0]);
  printf("at det Phi_x = 4.6e-14: %.1e by pivoting, %.1e by name\n", pivots, named);
  CHECK(apart(6, start[1], start[0]) < 1e-12 && apart(6, start[2], start[0]) < 1e-12);
  CHECK(pivots < 1e-12 && named > 1e-8 && named < 1e-2);
  refused(NAMED "platform.z", "platform.z");
  refused(NAMED PLATFORM "+crank1.angle", "`dependent` names 4 speeds: there are 3 rows");
  refused("nullspace:dependent=" PLATFORM, "`dependent` is for the form `elimination`");
}
