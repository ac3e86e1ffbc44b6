/* fuzzy: the surface of the controller against slopes and values that an independent check of Nada & Bayoumi 2023 measured; bounds that
 * are kept; projection as a guard and at stages. */
#include "simulate/simulate.h"
#include "stabilize/stabilize.h"
#include "support/build.h"
#include "test.h"

static double surface(int set, int both, double x, double y) {
  tn_controller c;
  tn_controller_preset(&c, set, both);
  return tn_controller_surface(&c, x, y);
}

static double line(int set, double y) {
  tn_controller c;
  tn_controller_preset(&c, set, 0);
  return tn_controller_line(&c, y);
}

/* slopes at zero along x and along the diagonal, F(1, 0); rows: triangular, trapezoidal, Gaussian; minimum, product */
TEST(the_surface) {
  static const struct {
    int set, both;
    double slope, diagonal, end;
  } all[] = {{0, 1, 1, 4, 1},           {0, 0, 1, 2, 1}, {1, 1, 0, 0, 1}, {1, 0, 0, 0, 1}, {2, 1, 0.813, 1.63, 0.928},
             {2, 0, 0.505, 1.01, 0.960}};
  const double d = 1e-5;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const int set = all[i].set, both = all[i].both;
    CHECK_NEAR(surface(set, both, d, 0) / d, all[i].slope, 1e-3);
    CHECK_NEAR(surface(set, both, 0, d) / d, all[i].slope, 1e-3);
    CHECK_NEAR(surface(set, both, d, d) / d, all[i].diagonal, 5e-3);
    CHECK_NEAR(surface(set, both, 1, 0), all[i].end, 1e-3);
    for (double x = -3; x <= 3; x += 0.25)
      for (double y = -3; y <= 3; y += 0.25) { /* odd, bounded, cut at 1, and of the sign of the violation */
        const double F = surface(set, both, x, y);
        CHECK_NEAR(F, -surface(set, both, -x, -y), 1e-14);
        CHECK(fabs(F) <= 1 && (x < 0 || y < 0 || F >= 0));
        CHECK(F == surface(set, both, fmin(fmax(x, -1), 1), fmin(fmax(y, -1), 1)));
      }
  }
  CHECK_NEAR(line(2, d) / d, 0.505, 1e-3);
  CHECK_NEAR(line(0, 0.3), 0.3, 1e-14);
  CHECK(line(1, 0.09) == 0 && line(1, 5) == 1);
  /* triangular with products: x + y inside */
  CHECK_NEAR(surface(0, 0, 0.2, 0.15), 0.35, 1e-14);
}

/* a controller as a part names it; text: the part as the model has it */
static bool controller_of(const char *stabilize, tn_controller *c, char *text, size_t size) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "pendulum");
  if (tn_desc_part(b.desc, "/run/stabilize", stabilize, &e) != TN_OK) build_fail(&b, "%s", e.message);
  const bool good = !b.failed && build_compile(&b);
  if (good) *c = *tn_controller_of(b.model->run.stabilizer[0].type, b.model->run.stabilizer[0].self);
  if (good && text) snprintf(text, size, "%s", tn_model_stabilizer(b.model, 0));
  if (!good) FAIL("%s: %s", stabilize, b.message);
  build_free(&b);
  return good;
}

#define GAINS "kp=1,kd=1,ku=1,"
#define OWN "[[-1,-1,-0.4],[-1,-0.5,-0.3,0],[0,0.2],[0,0.25,0.5,1],[0.5,1,1]]"

/* the named sets written out are the named sets; a part as a model has it is read back */
TEST(sets_written_out) {
  static const char *const sets[] = {
      "[[-1.5,-1,-0.5],[-1,-0.5,0],[-1/2,0,1/2],[0,0.5,1],[0.5,1,1.5]]",
      "[[-1.4,-1.1,-0.9,-0.6],[-0.9,-0.6,-0.4,-0.1],[-0.4,-0.1,0.1,0.4],[0.1,0.4,0.6,0.9],[0.6,0.9,1.1,1.4]]",
      "[[-1,0.2],[-0.5,0.2],[0,0.2],[0.5,0.2],[1,0.2]]"};
  for (int k = 0; k < 6; k++) {
    char part[400], text[400], again[400];
    tn_controller own, named;
    snprintf(part, sizeof part, "fuzzy:" GAINS "both=%s,sets=%s", k % 2 ? "minimum" : "product", sets[k / 2]);
    if (!controller_of(part, &own, text, sizeof text)) return;
    tn_controller_preset(&named, k / 2, k % 2);
    for (double x = -1.1; x < 1.2; x += 0.0625)
      for (double y = -1.1; y < 1.2; y += 0.0625)
        CHECK_NEAR(tn_controller_surface(&own, x, y), tn_controller_surface(&named, x, y), 2e-14);
    CHECK_NEAR(own.slope_x, named.slope_x, 1e-8);
    CHECK(controller_of(text, &named, again, sizeof again) && strcmp(text, again) == 0);
    CHECK(memcmp(own.table, named.table, sizeof own.table) == 0);
    CHECK(tn_controller_surface(&own, 0.3, 0.4) == tn_controller_surface(&named, 0.3, 0.4));
  }
}

/* sets and table of one's own against (T173), (T162) by hand; and from a model file */
TEST(own_sets_and_table) {
  tn_controller c, half;
  const double e = exp(-0.5 * 0.1 * 0.1 / (0.2 * 0.2)), left = 0.1 / 0.3; /* at -0.1: the middle set, the second one */
  const double right = (0.5 - 0.375) / 0.5;                               /* at 0.625: the fourth, the fifth 0.25  */
  const double middle = exp(-0.5 * 0.625 * 0.625 / (0.2 * 0.2)), fifth = 0.125 / 0.5;
  if (!controller_of("fuzzy:" GAINS "sets=" OWN, &c, NULL, 0)) return;
  CHECK_NEAR(right, 0.25, 1e-15);
  CHECK_NEAR(tn_controller_line(&c, -0.1), -0.5 * left / (left + e), 1e-14);
  CHECK_NEAR(tn_controller_line(&c, 0.625), (0.5 * 0.75 + fifth) / (0.75 + fifth + middle), 1e-14);
  CHECK_NEAR(tn_controller_line(&c, -1), (-1) / (1 + exp(-12.5)), 1e-14);
  const double w[2] = {left, e}, z[2] = {-0.5, 0};
  double sum = 0, all = 0;
  for (int j = 0; j < 2; j++)
    for (int k = 0; k < 2; k++) sum += w[j] * w[k] * (z[j] + z[k]), all += w[j] * w[k];
  CHECK_NEAR(tn_controller_surface(&c, -0.1, -0.1), sum / all, 1e-14);
  /* slopes of the two sides, -0.5/0.3 and 0.5/0.25 of the rules beside the middle: their mean */
  CHECK_NEAR(c.slope_x, (0.5 / 0.3 + 0.5 / 0.25) / 2, 1e-5);
  if (!controller_of("fuzzy:" GAINS
                     "table=[[-1,-1,-0.5,-0.5,0],[-1,-0.5,-0.25,0,0.5],[-1,-0.5,0,0.5,1],[-0.5,0,0.25,0.5,1],"
                     "[0,0.5,0.5,1,1]]",
                     &half, NULL, 0))
    return;
  CHECK_NEAR(half.slope_x, 0.5, 1e-8);
  CHECK_NEAR(half.slope_y, 1, 1e-8);
  CHECK_NEAR(tn_controller_surface(&half, 0.5, -1), -0.5, 1e-14);
  CHECK_NEAR(tn_controller_surface(&half, -1, 0.5), -0.5, 1e-14);
  CHECK_NEAR(tn_controller_line(&half, 0.75), 0.75, 1e-14); /* the middle row */
  build b;
  build_new(&b, 1);
  build_read(&b, "pendulum");
  build_set(&b, "/constants/wide", "0.2");
  build_set(&b, "/run/stabilize",
            "{\"type\": \"fuzzy\", \"sets\": [[-1, -1, -0.4], [-1, -0.5, -0.3, 0], [0, \"wide\"], "
            "[0, 0.25, 0.5, 1], [0.5, 1, 1]]}");
  CHECK(build_compile(&b));
  if (!b.failed) {
    const tn_controller *own = tn_controller_of(b.model->run.stabilizer[0].type, b.model->run.stabilizer[0].self);
    CHECK(tn_controller_surface(own, -0.1, 0.625) == tn_controller_surface(&c, -0.1, 0.625));
  } else {
    FAIL("%s", b.message);
  }
  build_free(&b);
}

/* near zero (T174): the feedback of a state is that of baumgarte with 2 alpha = Ku Kd g_y, beta^2 = Ku Kp g_x; from bounds a/h, b/h^2,
 * whatever the sets and the table; and gains by the paper's rule (T175) */
TEST(feedback_near_zero) {
  static const struct {
    const char *part;
    double off, kd, kp, kv; /* gains of Cdot, C; rows without a C */
  } all[] = {{"fuzzy:kp=100,kd=0.01,ku=1e4", 1e-8, 100, 1e6, 100},
             {"fuzzy:set=gaussian,both=minimum,kp=100,kd=0.01,ku=1e4", 1e-8, 81.31, 8.131e5, 50.5},
             {"fuzzy:rule=paper,eps_position=1e-6,eps_velocity=1e-4", 1e-12, 1e12, 1e14, 1e12},
             {"fuzzy:rule=paper", 1e-14, 1e18, 1e18, 1e18}, /* bounds of the contract */
             {"fuzzy", 1e-12, 75, 2500, 75},
             {"fuzzy:set=gaussian", 1e-12, 75, 2500, 75},
             {"fuzzy:table=[[-1,-1,-0.5,-0.5,0],[-1,-0.5,-0.25,0,0.5],[-1,-0.5,0,0.5,1],[-0.5,0,0.25,0.5,1],"
              "[0,0.5,0.5,1,1]]",
              1e-12, 75, 2500, 75}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "rolling_disc");
    build_set(&b, "/run/contract", "{\"position\": 1e-8, \"velocity\": 1e-8, \"breach\": \"record\"}");
    if (tn_desc_part(b.desc, "/run/stabilize", all[k].part, &e) != TN_OK) build_fail(&b, "%s", e.message);
    if (!build_simulate(&b)) FAIL("%s: %s", all[k].part, b.message);
    if (!b.failed) {
      const tn_part *p = &b.model->run.stabilizer[0];
      tn_system *sys = &b.sim->solver.sys;
      const int rows = b.model->rows, holonomic = b.model->holonomic;
      double U[64];
      CHECK(holonomic > 0 && rows > holonomic && rows < 64);
      for (int part = 0; part < 2; part++) {
        memset(U, 0, sizeof U);
        for (int i = 0; i < rows; i++)
          sys->rows.C[i] = part ? 0 : all[k].off, sys->rows.Cdot[i] = part ? all[k].off : 0;
        ((const tn_stabilizer_type *)p->type)->feedback(p->self, sys, &(tn_stage){.h = 1e-2}, U);
        for (int i = 0; i < rows; i++) {
          const double want = i < holonomic ? (part ? all[k].kd : all[k].kp) : part ? all[k].kv : 0;
          if (!(fabs(U[i] / all[k].off - want) <= 1e-3 * (want + all[k].kv)))
            FAIL("%s, row %d, %s: %g, not %g", all[k].part, i, part ? "Cdot" : "C", U[i] / all[k].off, want);
        }
      }
    }
    build_free(&b);
  }
}

static bool limits_text(const char *stabilize, const char *integrator, double step, char *text, size_t size,
                        char *warning, size_t room) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "rotary_pendulum");
  if (step > 0)
    build_set(&b, "/run/integrator", "{\"type\": \"%s\", \"step\": %g}", integrator, step);
  else
    build_set(&b, "/run/integrator", "\"%s\"", integrator);
  build_set(&b, "/run/allow_unstable", "true");
  if (tn_desc_part(b.desc, "/run/stabilize", stabilize, &e) != TN_OK) build_fail(&b, "%s", e.message);
  const bool good = !b.failed && build_compile(&b);
  if (!good) FAIL("%s: %s", stabilize, b.message);
  *text = *warning = 0;
  if (good) {
    const tn_run *run = &b.model->run;
    const tn_stabilizer_type *type = run->stabilizer[0].type;
    type->limits(run->stabilizer[0].self, run->integrator, run->integrator->constants, step, text, size);
    for (int i = 0; i < tn_model_warnings(b.model); i++)
      if (strstr(tn_model_warning(b.model, i)->message, "fuzzy"))
        snprintf(warning, room, "%s", tn_model_warning(b.model, i)->message);
  }
  build_free(&b);
  return good;
}

/* longest steps of dopri5 with the published gains as an independent check found them; poles (T176); and who is warned */
TEST(limits_of_gains) {
  static const struct {
    const char *part, *integrator;
    double step, longest; /* s; 0: not said */
    const char *says, *warning;
  } all[] = {
      {"fuzzy:kp=100,kd=0.01,ku=1e4", "dopri5", 0, 2.4e-3, "poles at -50 +- 998.7 i", ""},
      {"fuzzy:set=gaussian,both=minimum,kp=100,kd=0.01,ku=1e4", "dopri5", 0, 2.6e-3, "poles at -40.66 +- 900.8 i", ""},
      {"fuzzy:set=gaussian,kp=100,kd=0.01,ku=1e4", "dopri5", 0, 3.2e-3, "poles at -25.25 +- 710.2 i", ""},
      {"fuzzy:set=gaussian,kp=100,kd=0.01,ku=1e4", "dopri5", 3.1e-3, 3.2e-3, "multiplied by 0.9", ""},
      {"fuzzy:set=gaussian,kp=100,kd=0.01,ku=1e4", "dopri5", 3.3e-3, 3.2e-3, "multiplied by 1.", "grows by 1."},
      {"fuzzy:set=gaussian,kp=100,kd=0.01,ku=1e4", "radau5", 1e-2, 0, "stable at any step", ""},
      {"fuzzy:set=trapezoidal,kp=100,kd=0.01,ku=1e4", "dopri5", 1e-2, 0, "nothing is fed back near zero", ""},
      {"fuzzy:rule=paper,eps_position=1e-6,eps_velocity=1e-4,set=gaussian,both=minimum", "dopri5", 0, 4.07e-12,
       "poles at -8.131e+11 and -100 1/s", "stay below 4.07e-12 s"},
      {"fuzzy:rule=paper,eps_position=1e-6,eps_velocity=1e-4", "radau5", 0, 0, "stable at any step", ""},
      {"fuzzy:kp=100,kd=0.01,ku=1e4,feedback=held", "rk4", 1e-2, 2e-4, "stable to", "grows by"},
      {"fuzzy", "dopri5", 0, 0, "multiplied by 0.6124 a step", ""},
      {"fuzzy", "abm", 0, 0, "multiplied by 1.2", "grows by 1.2"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char text[600], warning[600];
    if (!limits_text(all[i].part, all[i].integrator, all[i].step, text, sizeof text, warning, sizeof warning)) continue;
    if (!strstr(text, all[i].says)) FAIL("%s: %s", all[i].part, text);
    if (!strstr(warning, all[i].warning) || (!*all[i].warning && *warning)) FAIL("%s: %s", all[i].part, warning);
    const char *at = strstr(text, "to a step of ");
    CHECK(!at == !(all[i].longest > 0));
    if (at) CHECK_NEAR(atof(at + strlen("to a step of ")), all[i].longest, 0.05 * all[i].longest);
  }
}

typedef struct result {
  double position, velocity;
  int64_t guard, rhs;
} result;

static result run(const char *model, const char *stabilize, double rtol, double until, bool large) {
  build b;
  tn_error e;
  result r = {INFINITY, INFINITY, -1, 0};
  build_new(&b, 1);
  build_read(&b, model);
  if (large) build_set(&b, "/constants/release", "0");
  build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&b, "/run/integrator", "{\"type\": \"dopri5\", \"rtol\": %g, \"atol\": %g}", rtol, rtol / 10);
  if (!b.failed && tn_desc_part(b.desc, "/run/stabilize", stabilize, &e) != TN_OK) build_fail(&b, "%s", e.message);
  if (build_simulate(&b)) {
    if (tn_sim_advance(b.sim, until, &e) != TN_OK) FAIL("%s: %s", model, e.message);
    const tn_summary *s = tn_sim_summary(b.sim);
    r = (result){s->max_position_violation, s->max_velocity_violation, s->guard_calls, s->rhs};
    if (!(s->energy_balance < 10 * sqrt(rtol))) FAIL("%s: balance %.1e", model, s->energy_balance);
  }
  if (b.failed) FAIL("%s", b.message);
  build_free(&b);
  return r;
}

static void bounds(double until) {
  static const struct {
    const char *model;
    bool large;
  } models[] = {{"triple_pendulum", false}, {"triple_pendulum", true}, {"rotary_pendulum", false}};
  static const double eps[][2] = {{1e-4, 1e-2}, {1e-6, 1e-4}, {1e-8, 1e-6}};
  static const char *const set[] = {"triangular", "gaussian"};
  for (int m = 0; m < 3; m++)
    for (int k = 0; k < 3; k++)
      for (int s = 0; s < 2; s++) {
        char stabilize[128];
        snprintf(stabilize, sizeof stabilize, "fuzzy:set=%s,eps_position=%g,eps_velocity=%g", set[s], eps[k][0],
                 eps[k][1]);
        const result r = run(models[m].model, stabilize, eps[k][0], until, models[m].large);
        printf("%s %d, %g %g, %s: %.1e %.1e, %" PRId64 " guard calls\n", models[m].model, models[m].large, eps[k][0],
               eps[k][1], set[s], r.position, r.velocity, r.guard);
        CHECK(r.position <= eps[k][0] && r.velocity <= eps[k][1]);
      }
}

TEST(bounds_are_kept) { bounds(5); }
TEST_LONG(bounds_are_kept_for_a_hundred_seconds) { bounds(100); }

/* without a stabilizer the bounds are left; a guard alone keeps them with hardly more right-hand sides */
TEST(a_guard_alone) {
  const result none = run("triple_pendulum", "none", 1e-5, 10, true),
               guard = run("triple_pendulum", "project:place=guard,position=1e-6,velocity=1e-4", 1e-5, 10, true);
  printf("none %.1e %.1e, %" PRId64 " right-hand sides; guard %.1e %.1e, %" PRId64 ", %" PRId64 " calls\n",
         none.position, none.velocity, none.rhs, guard.position, guard.velocity, guard.rhs, guard.guard);
  CHECK(none.position > 1e-6);
  CHECK(guard.position <= 1e-6 && guard.velocity <= 1e-4);
  CHECK(guard.guard > 0 && (double)guard.rhs < 1.2 * (double)none.rhs);
}

/* corrections that rates see and the state does not: the state drifts all the same */
TEST(at_stages_alone) {
  const result stage = run("triple_pendulum", "project:place=stage", 1e-6, 5, true),
               step = run("triple_pendulum", "project", 1e-6, 5, true);
  printf("stage %.1e, step %.1e\n", stage.position, step.position);
  CHECK(step.position < 1e-14 && stage.position > 1e-9);
}

/* published gains: a feedback with beta 711 to 1000 and hardly any damping; at a fixed step of 10 ms it blows up */
TEST(published_gains) {
  static const struct {
    const char *method;
    double step;
    bool blows_up;
  } all[] = {{"fuzzy-1", 1e-2, true}, {"fuzzy-3", 1e-2, true}, {"fuzzy-1", 1e-3, false}, {"fuzzy-3", 1e-3, false}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "rotary_pendulum");
    build_set(&b, "/run/method", "\"%s\"", all[i].method);
    build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
    build_set(&b, "/run/integrator", "{\"type\": \"dopri5\", \"step\": %g}", all[i].step);
    build_set(&b, "/run/allow_unstable", "true");
    CHECK(build_simulate(&b));
    const tn_status status = tn_sim_advance(b.sim, 1, &e);
    const double C = tn_sim_summary(b.sim)->max_position_violation;
    printf("%s, %g s: %s, %.1e\n", all[i].method, all[i].step, status == TN_OK ? "done" : e.message, C);
    CHECK((status != TN_OK || !(C < 1e-2)) == all[i].blows_up);
    if (!all[i].blows_up) CHECK(C < 1e-6);
    build_free(&b);
  }
}

/* gains by the paper's rule with bounds 1e-6, 1e-4 and tolerances 1e-3, 1e-6: after 1.5e6 evaluations an independent check had come
 * to 8.1e-7 s of 10 s; the steps are those that are stable, so that the time is in proportion. Errors are judged as there: in steps of
 * 1e-12 s, speeds that come of the roundoff of places are no errors otherwise */
static void reach(double evaluations) {
  build b;
  tn_error e;
  const double until = 8.08e-7 * evaluations / 1.5e6;
  build_new(&b, 1);
  build_read(&b, "rotary_pendulum");
  build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&b, "/run/integrator", "{\"type\": \"dopri5\", \"rtol\": 1e-3, \"atol\": 1e-6, \"control\": \"numbers\"}");
  CHECK(tn_desc_part(b.desc, "/run/stabilize",
                     "fuzzy:set=gaussian,both=minimum,rule=paper,eps_position=1e-6,eps_velocity=1e-4", &e) == TN_OK);
  CHECK(build_simulate(&b));
  CHECK(!b.failed && tn_sim_advance(b.sim, until, &e) == TN_OK);
  const double rhs = b.failed ? 0 : (double)tn_sim_summary(b.sim)->rhs;
  printf("%.3g s after %.0f evaluations, expected after %.0f\n", until, rhs, evaluations);
  CHECK(rhs > evaluations / 3 && rhs < evaluations * 3);
  build_free(&b);
}

TEST(steps_collapse_by_the_papers_rule) { reach(1.5e4); }
TEST_LONG(steps_collapse_by_the_papers_rule_for_long) { reach(1.5e6); }

/* bounds are kept with sets and tables of one's own, too, along x and y as steep as they are */
TEST(bounds_are_kept_by_own_sets) {
  static const char *const own[] = {
      "sets=" OWN, "both=minimum,sets=" OWN,
      "table=[[-1,-1,-0.5,-0.5,0],[-1,-0.5,-0.25,0,0.5],[-1,-0.5,0,0.5,1],[-0.5,0,0.25,0.5,1],[0,0.5,0.5,1,1]]"};
  for (int i = 0; i < 3; i++) {
    char stabilize[400];
    snprintf(stabilize, sizeof stabilize, "fuzzy:eps_position=1e-6,eps_velocity=1e-4,%s", own[i]);
    const result r = run("triple_pendulum", stabilize, 1e-6, 5, true);
    printf("%s: %.1e %.1e, %" PRId64 " guard calls\n", own[i], r.position, r.velocity, r.guard);
    CHECK(r.position <= 1e-6 && r.velocity <= 1e-4);
  }
}

TEST(what_is_refused) {
  static const struct {
    const char *stabilize, *message;
  } all[] = {
      {"fuzzy:kp=1,eps_position=1e-6", "not both"},
      {"fuzzy:eps_position=1e-6", "needed both"},
      {"fuzzy:kp=1,kd=1", "needed all three"},
      {"fuzzy:set=trapezoidal", "do not act near zero"},
      {"fuzzy:feedback=staged", "tied to the step"},
      {"fuzzy:rule=paper,kp=1,kd=1,ku=1", "a rule finds them"},
      {"fuzzy:rule=papers", "`rule` is one of"},
      {"fuzzy:set=gaussian,sets=" OWN, "not both"},
      {"fuzzy:sets=1", "an odd number of sets"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0,0.2],[0.5,0.2]]", "an odd number of sets"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0,0.2],[0.5,0.2],[1]]", "two to four numbers"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0,0.2],[0.5,0.2],[1,2,3,4,5]]", "two to four numbers"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0,0.2],[0.5,0.2],word]", "two to four numbers"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0,0],[0.5,0.2],[1,0.2]]", "sigma must be positive"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0,-0.2],[0.5,0.2],[1,0.2]]", "sigma must be positive"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0,0/0],[0.5,0.2],[1,0.2]]", "not a number"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0,0.2],[0.5,0.2],[1/0,0.2]]", "finite"},
      {"fuzzy:sets=[[-1,0.2],[0,0.2],[-0.5,0.2],[0.5,0.2],[1,0.2]]", "set 3 is not right of set 2"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0,0.2],[0.5,0.2],[0.5,0.2]]", "set 5 is not right of set 4"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[0.2,0,0.5],[0.5,0.2],[1,0.2]]", "0 is left of 0.2"},
      {"fuzzy:sets=[[-1,0.2],[-0.5,0.2],[-0.2,0,0],[0.5,0.2],[1,0.2]]", "at 0 is upright"},
      {"fuzzy:sets=[[-1,-1,-0.6],[-0.5,-0.3,0],[-0.3,0,0.3],[0,0.5,1],[0.5,1,1]]", "between -0.6 and -0.5 no"},
      {"fuzzy:sets=[[-1,-1,-0.4],[-1,-0.5,0],[-0.3,0,0.3],[0,0.5,0.9],[0.9,1,1]]", "between 0.9"},
      {"fuzzy:sets=[[-0.9,0.01],[-0.5,0.2],[0,0.2],[0.5,0.2],[1,0.2]]", NULL},
      {"fuzzy:sets=[[-1,1e-3],[-0.5,1e-3],[0,1e-3],[0.5,1e-3],[1,1e-3]]", "between -0.99"},
      {"fuzzy:sets=[[-5,0.1],[-4,0.1],[0,0.1],[4,0.1],[5,0.1]]", "between -1 and -0.52"},
      {"fuzzy:table=[1,2,3,4,5]", "needs 5 numbers"},
      {"fuzzy:table=[[0,0,0,0,0]]", "needs 5 rows"},
      {"fuzzy:table=[[-1,-1,-1,0,0],[-1,-1,0,0,1],[-1,0,0,0,1],[-1,0,0,1,1],[0,0,1,1,1.5]]", "not 1.5"},
      {"fuzzy:table=[[-1,-1,-1,0,0],[-1,-1,0,0,1],[-1,0,0.1,0,1],[-1,0,0,1,1],[0,0,1,1,1]]", "pushed off"},
      {"fuzzy:table=[[1,1,1,0,0],[1,1,1,0,-1],[1,1,0,-1,-1],[1,0,-1,-1,-1],[0,0,-1,-1,-1]]", "drive a violation"},
      {"fuzzy:table=[[-1,-1,-1,0,0],[-1,-1,0,0,1],[-1,0,0,0,1],[-1,0,0,1,1],[0,0,1,1,1]]", "do not act near zero"},
      {"fuzzy:table=[[-1,-1,-1,0,0],[-1,-1,-1,0,1],[-1,-1,0,1,1],[-1,0,1,1,1],[0,0,1,1,0/0]]", "not a number"},
      {"project:position=1e-6", "only a guard has bounds"},
      {"project:place=guard,metric=identity", "one pass in the metric of masses"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "four_bar");
    CHECK(tn_desc_part(b.desc, "/run/stabilize", all[i].stabilize, &e) == TN_OK);
    const bool good = build_compile(&b);
    if (good != !all[i].message) FAIL("%s: %s", all[i].stabilize, good ? "taken" : b.message);
    if (all[i].message) CHECK_HAS(b.message, all[i].message);
    build_free(&b);
  }
}

/* every method is explained, in ten lines at most, with names that exist */
TEST(methods_are_explained) {
  for (int i = 0; i < tn_method_count; i++) {
    const char *text = tn_methods[i].text;
    if (!text) {
      FAIL("%s is not explained", tn_methods[i].name);
      continue;
    }
    int lines = 1;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    CHECK(lines <= 10 && strlen(text) > 60);
  }
}
