/* the controller of fuzzy beyond what is published: sets of their own for C and Cdot, tables of any odd size, first-order outputs, Mamdani
 * inference; gains of velocity rows and gains from the first steps. figures are those of an independent program, which takes centroids by
 * 400,000 rectangles. */
#include "simulate/simulate.h"
#include "stabilize/stabilize.h"
#include "support/build.h"
#include "test.h"

#define GAINS "fuzzy:kp=1,kd=1,ku=1,"
#define OUT "[[-1,-1,-0.4],[-0.9,-0.6,-0.4,-0.1],[-0.3,0,0.3],[0.1,0.4,0.6,0.9],[0.4,1,1]]"
#define T "[[-0.5,-0.3,-0.1],[-0.3,0,0.3],[0.1,0.3,0.5]]"
#define A "[[0.5,0.4,0.5],[0.3,0.6,0.3],[0.5,0.4,0.5]]"
#define B "[[0.2,0.1,0.2],[0.4,0.3,0.4],[0.2,0.1,0.2]]"
#define ZERO "[[0,0,0],[0,0,0],[0,0,0]]"
#define HALF "[[0.5,0.5,0.5],[0.5,0.5,0.5],[0.5,0.5,0.5]]"
#define QUARTER "[[0.25,0.25,0.25],[0.25,0.25,0.25],[0.25,0.25,0.25]]"

static const char *const all[] = {
    GAINS "infer=mamdani",
    GAINS "infer=mamdani,both=minimum",
    GAINS "infer=mamdani,both=minimum,set=gaussian,size=7",
    GAINS "infer=mamdani,set=gaussian,set_rate=triangular,size_rate=3,outputs=" OUT,
    GAINS "infer=mamdani,both=minimum,set=gaussian,set_rate=triangular,size_rate=3,outputs=" OUT,
    GAINS "size=3,both=minimum,table=" T ",table_x=" A ",table_y=" B,
    GAINS "set=gaussian,size=3,table=" T ",table_x=" A ",table_y=" B,
    GAINS "set=gaussian,size=9,width=1.5",
    GAINS "set_rate=gaussian,size_rate=7,both=minimum",
    GAINS "set=trapezoidal,size=31,size_rate=3"};
enum { ALL = sizeof all / sizeof *all };

static bool controller_of(const char *stabilize, tn_controller *c) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "pendulum");
  if (tn_desc_part(b.desc, "/run/stabilize", stabilize, &e) != TN_OK) build_fail(&b, "%s", e.message);
  const bool good = !b.failed && build_compile(&b);
  if (good)
    *c = *tn_controller_of(b.model->run.stabilizer[0].type, b.model->run.stabilizer[0].self);
  else
    FAIL("%s: %s", stabilize, b.message);
  build_free(&b);
  return good;
}

TEST(surfaces_of_another_program) {
  static const double at[][2] = {{0.13, -0.42}, {0.3, 0.4}, {-0.77, 0.21}, {0.05, 0.02}, {1.4, -0.6}, {-0.35, -0.9}};
  static const double F[ALL][6] = {{-0.355395496, 0.748936170, -0.588702661, 0.039975623, 0.417391304, -0.963898347},
                                   {-0.225155279, 0.652777778, -0.536681851, 0.108053097, 0.379310345, -0.873873874},
                                   {-0.289703274, 0.680392173, -0.551462411, 0.061532630, 0.362026096, -0.983661255},
                                   {-0.203436395, 0.454600206, -0.410159734, 0.046009687, 0.288670450, -0.750156363},
                                   {-0.171390345, 0.420195998, -0.255142925, 0.060206743, 0.275797623, -0.644918585},
                                   {-0.124753968, 0.473125000, -0.425816901, 0.064750000, 0.544000000, -0.747916667},
                                   {-0.157594621, 0.420984968, -0.531017276, 0.044513664, 0.512939189, -0.765949458},
                                   {-0.290719225, 0.695457844, -0.556541476, 0.068672161, 0.349295257, -0.992187096},
                                   {-0.254813038, 0.668636734, -0.549948776, 0.100140578, 0.373601776, -0.949616415},
                                   {-0.233333333, 0.533333333, -0.755555556, 0.061111111, 0.333333333, -1.000000000}};
  for (int i = 0; i < ALL; i++) {
    tn_controller c;
    if (!controller_of(all[i], &c)) continue;
    for (int k = 0; k < 6; k++) {
      const double value = tn_controller_surface(&c, at[k][0], at[k][1]);
      if (!(fabs(value - F[i][k]) < 2e-9)) FAIL("%s at %g, %g: %.9f", all[i], at[k][0], at[k][1], value);
    }
  }
}

/* odd, bounded, of the sign of the violation; and continuous: the largest jump between neighbours falls with their distance */
TEST(surfaces_are_odd_and_continuous) {
  for (int i = 0; i < ALL; i++) {
    tn_controller c;
    if (!controller_of(all[i], &c)) continue;
    double jump[3] = {0, 0, 0};
    for (int k = -33; k <= 33; k++)
      for (int l = -33; l <= 33; l++) {
        const double x = k / 30.0, y = l / 30.0, F = tn_controller_surface(&c, x, y);
        if (!(fabs(F + tn_controller_surface(&c, -x, -y)) < 1e-12)) FAIL("%s at %g, %g: not odd", all[i], x, y);
        CHECK(fabs(F) <= 1 + 1e-15 && (x < 0 || y < 0 || F >= -1e-12));
        for (int s = 0; s < 3; s++) {
          const double d = 1e-2 * pow(0.1, s);
          jump[s] = fmax(jump[s], fabs(tn_controller_surface(&c, x + d, y) - F));
          jump[s] = fmax(jump[s], fabs(tn_controller_surface(&c, x, y + d) - F));
        }
      }
    for (int s = 1; s < 3; s++)
      if (!(jump[s] < 0.25 * jump[s - 1])) FAIL("%s: jumps of %.3g after %.3g", all[i], jump[s], jump[s - 1]);
    for (int k = -33; k <= 33; k++)
      CHECK_NEAR(tn_controller_line(&c, k / 30.0), -tn_controller_line(&c, -k / 30.0), 1e-12);
  }
}

static double membership(const tn_fuzzy_set *s, double z) {
  const int side = z > s->top[1];
  const double d = side ? z - s->top[1] : s->top[0] - z;
  return d <= 0 ? 1 : s->fall[side] > 0 ? fmax(0, 1 - d / s->fall[side]) : 0;
}

/* the centroid of random trapezoids, some of them with upright sides or hidden by others, against rectangles */
TEST(centroids_by_quadrature) {
  build b;
  build_new(&b, 7);
  for (int trial = 0; trial < 200; trial++) {
    tn_fuzzy_sets out = {.n = build_integer(&b, 1, 9)};
    double w[TN_CONTROLLER_MOST] = {0};
    for (int k = 0; k < out.n; k++) {
      const double top = build_uniform(&b, -1, 1), wide = build_uniform(&b, 0, 0.3);
      out.set[k] = (tn_fuzzy_set){
          .top = {top, top + wide},
          .fall = {build_integer(&b, 0, 3) ? build_uniform(&b, 0.01, 0.6) : 0, build_uniform(&b, 0.01, 0.6)}};
      w[k] = build_integer(&b, 0, 4) ? build_uniform(&b, 0, 1) : (double)build_integer(&b, 0, 1);
    }
    w[0] = fmax(w[0], 1e-3);
    for (int minimum = 0; minimum < 2; minimum++) {
      const double h = 1e-4;
      double area = 0, moment = 0;
      for (double z = -2 + h / 2; z < 3; z += h) {
        double mu = 0;
        for (int k = 0; k < out.n; k++) {
          const double m = membership(&out.set[k], z);
          mu = fmax(mu, minimum ? fmin(w[k], m) : w[k] * m);
        }
        area += mu, moment += mu * z;
      }
      CHECK_NEAR(tn_fuzzy_centroid(&out, w, minimum), moment / area, 2e-4);
    }
  }
  build_free(&b);
}

/* first order: with slopes of zero the zeroth; with outputs x/2 + y/4 that plane, whatever the sets */
TEST(first_order_outputs) {
  static const char *const sets[] = {"set=triangular,", "set=gaussian,", "set=trapezoidal,both=minimum,"};
  for (int i = 0; i < 3; i++) {
    char part[400];
    tn_controller zeroth, first, plane, steep;
    snprintf(part, sizeof part, GAINS "%ssize=3,table=" T, sets[i]);
    if (!controller_of(part, &zeroth)) return;
    snprintf(part, sizeof part, GAINS "%ssize=3,table=" T ",table_x=" ZERO ",table_y=" ZERO, sets[i]);
    if (!controller_of(part, &first)) return;
    snprintf(part, sizeof part, GAINS "%ssize=3,table=" ZERO ",table_x=" HALF ",table_y=" QUARTER, sets[i]);
    if (!controller_of(part, &plane)) return;
    snprintf(part, sizeof part, GAINS "%ssize=3,table=" ZERO ",table_x=[[4,4,4],[4,4,4],[4,4,4]]", sets[i]);
    if (!controller_of(part, &steep)) return;
    CHECK(first.first_order && !zeroth.first_order);
    for (double x = -1; x <= 1; x += 0.125)
      for (double y = -1; y <= 1; y += 0.125) {
        CHECK(tn_controller_surface(&first, x, y) == tn_controller_surface(&zeroth, x, y));
        CHECK_NEAR(tn_controller_surface(&plane, x, y), x / 2 + y / 4, 4e-16);
        CHECK_NEAR(tn_controller_surface(&steep, x, y), fmax(-1, fmin(1, 4 * x)), 2e-15);
      }
    CHECK_NEAR(tn_controller_line(&plane, 0.4), 0.1, 1e-16);
    CHECK_NEAR(plane.slope_x, 0.5, 1e-9);
    CHECK_NEAR(plane.slope_line, 0.25, 1e-9);
  }
}

/* Gaussian sets of C meet an output set by 3.7e-6 at zero already: below that Cdot changes nothing, above it does */
TEST(slopes_of_mamdani) {
  tn_controller c;
  if (!controller_of(GAINS "infer=mamdani,both=minimum,set=gaussian,set_rate=triangular,size_rate=3", &c)) return;
  CHECK_NEAR(tn_controller_surface(&c, 0, 1e-6), 0, 1e-12);
  CHECK_NEAR(c.slope_y, 1.14346446, 1e-6); /* 0.001 by 2,000,000 rectangles */
  CHECK_NEAR(c.slope_y, tn_controller_surface(&c, 0, 1e-3) / 1e-3, 1e-9);
  if (!controller_of(GAINS "infer=mamdani", &c)) return;
  CHECK_NEAR(c.slope_x, 0.66833300, 1e-6);
}

/* the named sets of five are those of before; the same written out, of C and of Cdot, have the same surface */
TEST(sets_for_each_input) {
  tn_controller named, own, preset;
  tn_controller_preset(&preset, 2, 0);
  if (!controller_of(GAINS "set=gaussian", &named)) return;
  CHECK(memcmp(&named.x, &preset.x, sizeof named.x) == 0 && memcmp(named.table, preset.table, sizeof named.table) == 0);
  if (!controller_of(GAINS "set=triangular,size=3,set_rate=gaussian,size_rate=7,width_rate=1.5", &named)) return;
  if (!controller_of(GAINS "sets=[[-2,-1,0],[-1,0,1],[0,1,2]],sets_rate=[[-1,0.2],[-2/3,0.2],[-1/3,0.2],[0,0.2],"
                           "[1/3,0.2],[2/3,0.2],[1,0.2]]",
                     &own))
    return;
  CHECK(named.x.n == 3 && named.y.n == 7);
  for (double x = -1; x <= 1; x += 0.125)
    for (double y = -1; y <= 1; y += 0.125)
      CHECK_NEAR(tn_controller_surface(&named, x, y), tn_controller_surface(&own, x, y), 1e-14);
  CHECK_NEAR(named.slope_x, tn_controller_surface(&named, 1e-5, 0) / 1e-5, 1e-4);
  CHECK(fabs(named.slope_x - named.slope_y) > 0.01);
}

/* what a stabilizer feeds back on a rolling disc whose rows are all off by 1 in C, then in Cdot; room: its memory. rows: those of velocity */
static bool feedback_of(const char *stabilize, double off, double *U, int *holonomic, int *rows) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "rolling_disc");
  build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
  if (tn_desc_part(b.desc, "/run/stabilize", stabilize, &e) != TN_OK) build_fail(&b, "%s", e.message);
  const bool good = build_simulate(&b);
  if (good) {
    const tn_part *p = &b.model->run.stabilizer[0];
    tn_system *sys = &b.sim->solver.sys;
    *holonomic = b.model->holonomic, *rows = b.model->rows;
    memset(U, 0, sizeof *U * 64);
    for (int i = 0; i < *rows; i++) sys->rows.C[i] = 0, sys->rows.Cdot[i] = off;
    ((const tn_stabilizer_type *)p->type)->feedback(p->self, sys, &(tn_stage){.h = 1e-2}, U);
  } else {
    FAIL("%s: %s", stabilize, b.message);
  }
  build_free(&b);
  return good;
}

TEST(gains_of_velocity_rows) {
  static const struct {
    const char *part;
    double holonomic, other; /* gains of Cdot */
  } gains[] = {{"fuzzy:kp=100,kd=0.01,ku=1e4", 100, 100},
               {"fuzzy:kp=100,kd=0.01,ku=1e4,kd_nonholonomic=0.02", 100, 200},
               {"fuzzy:kp=100,kd=0.01,ku=1e4,ku_nonholonomic=500", 100, 5},
               {"fuzzy:set=gaussian,kp=100,kd=0.01,ku=1e4,kd_nonholonomic=2,ku_nonholonomic=3", 50.5, 3.03},
               {"fuzzy:rule=paper,eps_position=0.01,eps_velocity=100,kd_nonholonomic=0.5", 100, 5000}};
  for (size_t k = 0; k < sizeof gains / sizeof *gains; k++) {
    double U[64];
    int holonomic, rows;
    if (!feedback_of(gains[k].part, 1e-7, U, &holonomic, &rows)) continue;
    CHECK(rows > holonomic && holonomic > 0);
    for (int i = 0; i < rows; i++) {
      const double want = i < holonomic ? gains[k].holonomic : gains[k].other;
      if (!(fabs(U[i] / 1e-7 - want) < 1e-3 * want)) FAIL("%s, row %d: %g", gains[k].part, i, U[i] / 1e-7);
    }
  }
}

/* gains of velocity rows alone are judged where the step is known */
TEST(growth_of_velocity_rows) {
  for (int k = 0; k < 2; k++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "rolling_disc");
    build_set(&b, "/run/integrator", "{\"type\": \"rk4\", \"step\": 1e-3}");
    CHECK(tn_desc_part(b.desc, "/run/stabilize",
                       k ? "fuzzy:kp=1,kd=1,ku=1,kd_nonholonomic=1,ku_nonholonomic=3000" : "fuzzy:kp=1,kd=1,ku=1",
                       &e) == TN_OK);
    CHECK(build_compile(&b) == (k == 0));
    if (k) CHECK_HAS(b.message, "of velocity rows grows by 1.37");
    build_free(&b);
  }
}

/* and tenon check says how far they are stable: rk4 along the real axis to 2.785 */
TEST(limits_of_velocity_rows) {
  static const struct {
    const char *part, *says;
  } all_limits[] = {
      {"fuzzy:kp=1,kd=1,ku=1,kd_nonholonomic=2,ku_nonholonomic=50", "pole at -100 1/s, stable to a step of 0.02785"},
      {"fuzzy:set=trapezoidal,kp=1,kd=1,ku=1,kd_nonholonomic=2", "stays; velocity rows: near zero a pole at 0 1/s"},
      {"fuzzy:kp=1,kd=1,ku=1", "near zero poles at"}};
  for (int k = 0; k < 3; k++) {
    build b;
    tn_error e;
    char text[400] = "";
    build_new(&b, 1);
    build_read(&b, "rolling_disc");
    CHECK(tn_desc_part(b.desc, "/run/stabilize", all_limits[k].part, &e) == TN_OK && build_compile(&b));
    if (!b.failed) {
      const tn_part *p = &b.model->run.stabilizer[0];
      const tn_integrator_type *rk4 = NULL;
      for (int i = 0; i < tn_integrator_type_count; i++)
        if (strcmp(tn_integrator_types[i]->name, "rk4") == 0) rk4 = tn_integrator_types[i];
      ((const tn_stabilizer_type *)p->type)->limits(p->self, rk4, rk4->constants, 0, text, sizeof text);
    }
    CHECK_HAS(text, all_limits[k].says);
    if (k == 2) CHECK(!strstr(text, "velocity rows"));
    build_free(&b);
  }
}

/* rule measured: no feedback in the first steps, and then gains from the largest 1-norms after each of them */
TEST(gains_from_the_first_steps) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "triple_pendulum");
  build_set(&b, "/constants/release", "0");
  build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&b, "/run/integrator", "{\"type\": \"rk4\", \"step\": 1e-3}");
  CHECK(tn_desc_part(b.desc, "/run/stabilize", "fuzzy:rule=measured,steps=20", &e) == TN_OK);
  CHECK(build_simulate(&b));
  if (!b.failed) {
    const tn_part *p = &b.model->run.stabilizer[0];
    const tn_stabilizer_type *type = p->type;
    double room[16] = {0}, U[64] = {0}, C = 0, Cdot = 0;
    tn_stage at = {.h = 1e-3, .room = room};
    tn_system *sys = &b.sim->solver.sys;
    CHECK(type->memory(p->self, sys) <= sizeof room);
    for (int step = 1; step <= 20; step++) {
      bool changed = false;
      double *q = b.sim->now.y, *u = q + b.model->nq;
      CHECK(tn_sim_advance(b.sim, step * 1e-3, &e) == TN_OK);
      type->feedback(p->self, sys, &at, U);
      for (int i = 0; i < b.model->rows; i++) CHECK(U[i] == 0);
      CHECK(tn_solver_at(&b.sim->solver, step * 1e-3, q, u, b.sim->solver.e) == TN_OK);
      CHECK(type->accept(p->self, &at, &b.sim->solver, step * 1e-3, q, u, &changed) == TN_OK && !changed);
      double sum[2] = {0, 0};
      for (int i = 0; i < b.model->rows; i++) sum[0] += fabs(sys->rows.C[i]), sum[1] += fabs(sys->rows.Cdot[i]);
      C = fmax(C, sum[0]), Cdot = fmax(Cdot, sum[1]);
    }
    printf("1-norms %.3g, %.3g\n", C, Cdot);
    CHECK(C > 1e-14 && Cdot > 1e-12);
    for (int i = 0; i < b.model->rows; i++) sys->rows.C[i] = 1e-3 * C, sys->rows.Cdot[i] = 0;
    type->feedback(p->self, sys, &at, U);
    for (int i = 0; i < b.model->rows; i++) CHECK_NEAR(U[i], 100 / C * 1e-3, 1e-9 / C);
    memset(U, 0, sizeof U);
    for (int i = 0; i < b.model->rows; i++) sys->rows.C[i] = 0, sys->rows.Cdot[i] = 1e-3 * Cdot;
    type->feedback(p->self, sys, &at, U);
    for (int i = 0; i < b.model->rows; i++) CHECK_NEAR(U[i], 100 / C * 1e-3, 1e-9 / C);
  } else {
    FAIL("%s", b.message);
  }
  build_free(&b);
}

static double worst(const char *stabilize) {
  build b;
  tn_error e;
  double C = INFINITY;
  build_new(&b, 1);
  build_read(&b, "rotary_pendulum");
  build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
  build_set(&b, "/run/integrator", "{\"type\": \"dopri5\", \"rtol\": 1e-6}");
  CHECK(tn_desc_part(b.desc, "/run/stabilize", stabilize, &e) == TN_OK);
  if (!build_simulate(&b))
    FAIL("%s", b.message);
  else if (tn_sim_advance(b.sim, 5, &e) != TN_OK)
    FAIL("%s: %s", stabilize, e.message);
  else
    C = tn_sim_summary(b.sim)->max_position_violation;
  build_free(&b);
  return C;
}

/* with a largest feedback that the integrator stands, measured gains hold the drift about where it was measured */
TEST(measured_gains_hold_the_drift) {
  const double none = worst("none"), measured = worst("fuzzy:rule=measured,steps=50,ku=1e-5");
  printf("none %.2g, measured %.2g\n", none, measured);
  CHECK(none > 2e-6 && measured < 1e-7);
}

/* it says that it cannot say how far such gains are stable */
TEST(measured_gains_are_not_judged) {
  build b;
  tn_error e;
  char text[300] = "";
  build_new(&b, 1);
  build_read(&b, "pendulum");
  build_set(&b, "/run/integrator", "{\"type\": \"rk4\", \"step\": 1e-3}");
  CHECK(tn_desc_part(b.desc, "/run/stabilize", "fuzzy:rule=measured", &e) == TN_OK && build_compile(&b));
  if (!b.failed) {
    const tn_run *run = &b.model->run;
    const tn_stabilizer_type *type = run->stabilizer[0].type;
    type->limits(run->stabilizer[0].self, run->integrator, run->integrator->constants, 1e-3, text, sizeof text);
  }
  CHECK_HAS(text, "cannot be known before");
  build_free(&b);
}

TEST(variants_that_are_refused) {
  static const struct {
    const char *part, *message;
  } bad[] = {
      {"size=4", "an odd number of sets, 3 to 31, not 4"},
      {"size=5.5", "whole number, not 5.5"},
      {"size=33", "between 3 and 31"},
      {"size=1", "between 3 and 31"},
      {"size_rate=6", "`size_rate` is an odd number"},
      {"width=0.5", "between -0.75 and -0.75"},
      {"width=0.4", "no set has a member"},
      {"width_rate=0.4", "no set has a member"},
      {"width=0", "between 0.25 and 4"},
      {"sets=[[-1,0.5],[1,0.5]]", "an odd number of sets, 3 to 31"},
      {"sets=[[-1,0.5],[-0.5,0.5],[0.5,0.5],[1,0.5]]", "an odd number of sets"},
      {"sets_rate=[[0,1]]", "`sets_rate` needs a list of an odd number"},
      {"sets_rate=[[-1,0.3],[1,0.3],[0,0.3]]", "set 3 is not right of set 2"},
      {"sets_rate=[[-1,-1,-0.6],[-0.5,0,0.5],[0.4,1,1]]", "between -0.6 and -0.499999 no"},
      {"set=gaussian,sets=[[-1,0.5],[0,0.5],[1,0.5]]", "give `set` or `sets`, not both"},
      {"size=3,sets=[[-1,0.5],[0,0.5],[1,0.5]]", "give `size` or `sets`, not both"},
      {"size_rate=3,sets_rate=[[-1,0.5],[0,0.5],[1,0.5]]", "give `size_rate` or `sets_rate`, not both"},
      {"sets=[[-1,0.5],[0,0.5],[1,0.5]],size_rate=3", "`set_rate` is needed"},
      {"size=3,table=[[-1,-1,-1,-1,0],[0,0,0,0,0],[0,1,1,1,1]]", "needs 3 numbers"},
      {"size_rate=3,table=" T, "needs 5 rows, one for each set of C"},
      {"size=3,table_x=[[1,2],[3,4]]", "`table_x` needs 3 rows"},
      {"size=3,table_y=[[1,2],[3,4],[5,6]]", "a row of `table_y` needs 3 numbers"},
      {"size=3,table_y=[[1,2,3],[3,4,5],[5,6,1e9]]", "between -1000 and 1000, not 1e+09"},
      {"size=3,table_y=[[1,2,3],[3,4,5],[5,6,word]]", "unknown"},
      {"size=3,table=" ZERO ",table_x=[[-1,-1,-1],[-1,-1,-1],[-1,-1,-1]]", "drive a violation"},
      {"infer=mamdani,size=3,table_x=" A, "belong to `infer` sugeno"},
      {"infer=goedel", "`infer` is one of: sugeno mamdani"},
      {"outputs=" OUT, "belong to `infer` mamdani"},
      {"infer=mamdani,outputs=1", "a list of 1 to 31 sets"},
      {"infer=mamdani,outputs=[[0,1]]", "three or four numbers"},
      {"infer=mamdani,outputs=[[0,0,0]]", "has a width"},
      {"infer=mamdani,outputs=[[-9,0,1]]", "at most 2 wide"},
      {"infer=mamdani,outputs=[[0,1,0.5]]", "0.5 is left of 1"},
      {"infer=mamdani,outputs=[[-1,0,1],[-1,0,1]]", "set 2 is not right of set 1"},
      {"infer=mamdani,outputs=[[-1,0,1]]", "the rule of set 1 of C and set 1 of Cdot says -1: no output set is there"},
      {"infer=mamdani,size=31,size_rate=5", "more than 31 different outputs"},
      {"rule=measured", "nothing is left to measure"},
      {"rule=paper", "gains are given: a rule"},
      {"steps=3", "only `rule` measured waits"}};
  static const struct {
    const char *part, *message;
  } whole[] = {{"fuzzy:rule=measured,eps_position=1e-6,eps_velocity=1e-4", "this rule measures violations"},
               {"fuzzy:rule=measured,steps=0", "between 1 and 1e+06, not 0"},
               {"fuzzy:rule=measured,steps=2.5", "a whole number, not 2.5"},
               {"fuzzy:kd_nonholonomic=2", "those of velocity rows, too"},
               {"fuzzy:eps_position=1,eps_velocity=1,ku_nonholonomic=2", "those of velocity rows, too"},
               {"fuzzy:kd_nonholonomic=-2", "must be positive"}};
  enum { BAD = sizeof bad / sizeof *bad, WHOLE = sizeof whole / sizeof *whole };
  for (size_t i = 0; i < BAD + WHOLE; i++) {
    char part[400];
    build b;
    tn_error e;
    snprintf(part, sizeof part, "%s%s", i < BAD ? GAINS : "", i < BAD ? bad[i].part : whole[i - BAD].part);
    build_new(&b, 1);
    build_read(&b, "four_bar");
    CHECK(tn_desc_part(b.desc, "/run/stabilize", part, &e) == TN_OK);
    if (build_compile(&b))
      FAIL("%s: taken", part);
    else
      CHECK_HAS(b.message, i < BAD ? bad[i].message : whole[i - BAD].message);
    build_free(&b);
  }
}
