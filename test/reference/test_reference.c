/* motions against solutions that others computed: closed forms, Taylor series and extrapolation in more digits (test/data).
 * dopri5 and the method `project`, the same for every model. */
#include "support/reference.h"

#include "test.h"

typedef struct problem {
  const char *model, *file, *rows;
  const char *plain; /* columns whose error is |a - b|                        */
  const char *every; /* s; meets every time of the reference                  */
  ref_change change; /* of the model, if any                                  */
  double until;      /* s                                                     */
  int freedom, redundant;
} problem;

static const problem pendulum = {.model = "pendulum",
                                 .file = "ref_pendulum",
                                 .rows = "/rows",
                                 .plain = "x y vx vy",
                                 .every = "0.05",
                                 .until = 10,
                                 .freedom = 1};
static const problem slider_crank = {.model = "braun_slider_crank",
                                     .file = "ref_slider_crank",
                                     .rows = "/rows",
                                     .plain = "theta1 theta2 omega1 alpha1 xs vxs",
                                     .every = "0.05",
                                     .until = 10,
                                     .freedom = 1};
static const problem wu = {.model = "wu_crank_slider",
                           .file = "ref_wu_crank_slider",
                           .rows = "/rows",
                           .plain = "theta=q0 phi=q1 x=q2 y=q3 theta_rate=v0 phi_rate=v1 vx=v2 vy=v3",
                           .every = "0.25",
                           .until = 10,
                           .freedom = 1};
static const problem triple_small = {.model = "triple_pendulum",
                                     .file = "ref_triple_small",
                                     .rows = "/values",
                                     .plain = "th1 th2 th3 w1 w2 w3",
                                     .every = "0.5",
                                     .until = 10,
                                     .freedom = 3};
static const problem triple_large = {.model = "triple_pendulum",
                                     .file = "ref_triple_large",
                                     .rows = "/values",
                                     .plain = "th1 th2 th3 w1 w2 w3",
                                     .every = "0.2",
                                     .change = {"/constants/release", "0"},
                                     .until = 1, /* for the slope: later it is chaos that grows */
                                     .freedom = 3};
static const problem a01 = {.model = "iftomm_a01",
                            .file = "iftomm_A01_simple_pendulum",
                            .rows = "/reference/samples",
                            .plain = "p.x=x p.y=y v.x=vx v.y=vy",
                            .every = "0.25",
                            .until = 10,
                            .freedom = 1};
static const problem a03 = {.model = "andrews",
                            .file = "iftomm_A03_andrews_0.05s",
                            .rows = "/reference/samples",
                            .plain = "beta Theta gamma Phi delta Omega eps beta_d Fx Fy Fvx Fvy",
                            .every = "0.00125",
                            .until = 0.05,
                            .freedom = 1};
/* through the singular position, where the bars lie flat */
static const problem four_bars = {.model = "braun_four_bars",
                                  .file = "ref_fourbar",
                                  .rows = "/rows",
                                  .plain = "x1 y1 x3 vx vy",
                                  .every = "0.05",
                                  .until = 10,
                                  .freedom = 1};
static const problem a02 = {.model = "n_four_bar",
                            .file = "iftomm_A02_n_four_bar_N2",
                            .rows = "/reference/samples",
                            .plain = "B0.x=B0x B0.y=B0y B0v.x=B0vx B0v.y=B0vy rate=-link_rate_clockwise",
                            .every = "0.25",
                            .until = 10,
                            .freedom = 1};

/* largest error over the run, infinite if it does not come to its end */
static double run(const problem *p, double rtol, double until, tn_summary *sum, char where[128]) {
  char integrator[96], end[32];
  ref_tolerance(integrator, rtol);
  snprintf(end, sizeof end, "%.17g", until);
  const ref_change changes[] = {{"/run/integrator", integrator},
                                {"/run/method", "\"project\""},
                                {"/run/until", end},
                                {"/run/every", p->every},
                                p->change,
                                {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  ref_table got = {0}, reference = {0};
  double error = INFINITY;
  *sum = (tn_summary){.status = TN_E_INTERNAL};
  snprintf(where, 128, "the run");
  if (ref_desc(p->model, changes, &desc) && ref_compile(desc, &model) && ref_run(model, &got, sum) &&
      ref_read(p->file, p->rows, &reference)) {
    error = ref_distance(&got, &reference, p->plain, until, false, where);
  }
  ref_table_free(&got);
  ref_table_free(&reference);
  tn_model_free(model);
  tn_desc_free(desc);
  return error;
}

static void check_run(const tn_summary *sum, int freedom, int redundant) {
  CHECK(sum->status == TN_OK);
  CHECK_TEXT(sum->message, "done");
  CHECK(sum->contract_kept);
  CHECK(sum->degrees_of_freedom == freedom);
  CHECK(sum->redundant_rows == redundant);
  CHECK_NEAR(sum->max_position_violation, 0, 1e-11);
  CHECK_NEAR(sum->max_velocity_violation, 0, 1e-11);
}

static void accuracy(const problem *p, double until, double tolerance) {
  tn_summary sum;
  char where[128];
  const double error = run(p, 1e-12, until, &sum, where);
  printf("%s to %g s: error %.2e (%s), violation %.1e %.1e, balance %.1e, %" PRId64 " steps\n", p->model, until, error,
         where, sum.max_position_violation, sum.max_velocity_violation, sum.energy_balance, sum.steps);
  CHECK_NEAR(error, 0, tolerance);
  check_run(&sum, p->freedom, p->redundant);
  if (until <= 10) CHECK_NEAR(sum.energy_balance, 0, 1e-10);
}

/* the error falls with the tolerance: slope of the logs over three of them */
static void slope(const problem *p) {
  static const double rtol[3] = {1e-10, 1e-8, 1e-6};
  double error[3];
  for (int i = 0; i < 3; i++) {
    tn_summary sum;
    char where[128];
    error[i] = run(p, rtol[i], p->until, &sum, where);
    CHECK(sum.contract_kept);
  }
  const double k = ref_slope(3, rtol, error);
  printf("%s: error %.2e %.2e %.2e at rtol 1e-10 1e-8 1e-6, slope %.2f\n", p->model, error[0], error[1], error[2], k);
  CHECK(k >= 0.7 && k <= 1.2);
}

TEST(pendulum_10_s) { accuracy(&pendulum, 10, 1e-8); }
TEST(slider_crank_10_s) { accuracy(&slider_crank, 10, 1e-8); }
TEST(wu_10_s) { accuracy(&wu, 10, 1e-8); }
TEST(triple_small_10_s) { accuracy(&triple_small, 10, 1e-8); }
TEST(triple_large_5_s) { accuracy(&triple_large, 5, 1e-8); }
TEST(a01_10_s) { accuracy(&a01, 10, 1e-8); }
TEST(a03_50_ms) { accuracy(&a03, 0.05, 1e-8); }
TEST(four_bars_10_s) { accuracy(&four_bars, 10, 1e-7); }
TEST(a02_10_s) { accuracy(&a02, 10, 1e-7); }
TEST_FULL(pendulum_100_s) { accuracy(&pendulum, 100, 1e-7); }
TEST_FULL(four_bars_100_s) { accuracy(&four_bars, 100, 1e-6); }

TEST(pendulum_slope) { slope(&pendulum); }
TEST(slider_crank_slope) { slope(&slider_crank); }
TEST(wu_slope) { slope(&wu); }
TEST(triple_small_slope) { slope(&triple_small); }
TEST(triple_large_slope) { slope(&triple_large); }
TEST(a01_slope) { slope(&a01); }
TEST(a03_slope) { slope(&a03); }
TEST(four_bars_slope) { slope(&four_bars); }
TEST(a02_slope) { slope(&a02); }

/* the three exercises of the biped: nine coordinates, all of whose motion the rows dictate; closed forms over one period.
 * positions follow from the rows alone, rates too */
static void biped(int exercise, int redundant) {
  char name[32], rows[32];
  snprintf(name, sizeof name, "biped_%d", exercise);
  snprintf(rows, sizeof rows, "/ex%d/rows", exercise);
  const double until = exercise == 3 ? 5 : 2;
  const problem p = {
      .model = name,
      .file = "ref_biped",
      .rows = rows,
      .plain = "x=q0 y=q1 theta=q2 theta1=q3 theta2=q4 theta3=q5 theta4=q6 theta5=q7 theta6=q8",
      .every = exercise == 3 ? "0.125" : "0.05",
  };
  problem rates = p;
  rates.plain = "x_rate=v0 y_rate=v1 theta_rate=v2 theta1_rate=v3 theta2_rate=v4 theta3_rate=v5 theta4_rate=v6 "
                "theta5_rate=v7 theta6_rate=v8";
  tn_summary sum;
  char where[128];
  const double q = run(&p, 1e-12, until, &sum, where);
  printf("%s: error %.2e (%s), violation %.1e %.1e, balance %.1e, %" PRId64 " steps\n", name, q, where,
         sum.max_position_violation, sum.max_velocity_violation, sum.energy_balance, sum.steps);
  CHECK_NEAR(q, 0, 1e-9);
  check_run(&sum, 0, redundant);
  CHECK_NEAR(sum.energy_balance, 0, 1e-10); /* of the kinetic energy: the drivers do up to 70 times that work */
  const double v = run(&rates, 1e-12, until, &sum, where);
  printf("%s: error of rates %.2e (%s)\n", name, v, where);
  CHECK_NEAR(v, 0, 1e-8);
}

TEST(biped_1) { biped(1, 0); }
TEST(biped_2) { biped(2, 0); }
TEST(biped_3) { biped(3, 1); }

/* ---- absolute and relative coordinates ---------------------------------------------------------------------------------- */

typedef struct motion {
  tn_desc *desc;
  tn_model *model;
  ref_table table;
  tn_summary sum;
} motion;

typedef struct two_ways {
  const char *model, *until, *every;
  ref_change change;      /* of the model, if any */
  int absolute, relative; /* coordinates          */
} two_ways;

static bool moves(const two_ways *w, bool relative, bool turned, motion *m) {
  char integrator[96];
  ref_tolerance(integrator, 1e-12);
  const ref_change changes[] = {{"/run/integrator", integrator},
                                {"/run/method", "\"project\""},
                                {"/run/until", w->until},
                                {"/run/every", w->every},
                                w->change,
                                {NULL, NULL}};
  tn_error e;
  *m = (motion){0};
  if (!ref_desc(w->model, changes, &m->desc)) return false;
  if (tn_desc_text(m->desc, "/coordinates", relative ? "relative" : "absolute", &e) != TN_OK) return false;
  if (turned) ref_turn_joints(m->desc);
  return ref_watch_all(m->desc) && ref_compile(m->desc, &m->model) && ref_run(m->model, &m->table, &m->sum);
}

static void motion_free(motion *m) {
  ref_table_free(&m->table);
  tn_model_free(m->model);
  tn_desc_free(m->desc);
}

/* largest reaction of a joint over the run, and largest difference between the two runs */
static void reaction(const motion *a, const motion *b, const tn_joint *j, bool turned, double *size,
                     double *difference) {
  static const char *const channel[] = {"fx", "fy", "load", "t"};
  /* the torque is about a place on the second body, and a sliding one is elsewhere when it is the first */
  const int n = turned && strcmp(j->type->name, "prismatic") == 0 ? 3 : 4;
  const double sign = turned && ref_turns(j->type->name) ? -1 : 1;
  *size = *difference = 0;
  for (int k = 0; k < n; k++) {
    char name[80];
    snprintf(name, sizeof name, "%s_%s", j->name, channel[k]);
    const int ia = ref_column(&a->table, name), ib = ref_column(&b->table, name);
    if ((ia < 0) != (ib < 0)) *difference = INFINITY;
    for (int r = 0; ia >= 0 && ib >= 0 && r < a->table.rows; r++) {
      const double x = a->table.value[r * a->table.columns + ia], y = sign * b->table.value[r * b->table.columns + ib];
      *difference = fmax(*difference, isnan(x - y) ? INFINITY : fabs(x - y));
      *size = fmax(*size, fabs(x));
    }
  }
}

/* every body's place to 1e-9, its velocity to 1e-9 max(1, velocity) since the crank of Andrews turns at 1,000 rad/s, every
 * joint's reaction to 1e-7 of its largest. turned: the bodies of the joints in the other order, so that a joint carries
 * its first body from its second; reactions, which are those on the second, change sign */
static void same_motion(const two_ways *w, const motion *a, const motion *b, bool turned) {
  char places[4096] = "", rates[4096] = "", where[128] = "", when[128] = "";
  size_t used = 0, used_rates = 0;
  double reactions = 0, largest = 0, size, difference;
  const char *worst = "";
  int carried = 0, backwards = 0;
  for (int i = 0; i < a->model->bodies; i++) {
    const char *n = a->model->body[i].name;
    used += (size_t)snprintf(places + used, sizeof places - used, "%s_x %s_y %s_angle ", n, n, n);
    used_rates += (size_t)snprintf(rates + used_rates, sizeof rates - used_rates, "%s_vx %s_vy %s_rate ", n, n, n);
    carried += b->model->body[i].joint >= 0;
    backwards += b->model->body[i].backwards;
  }
  for (int pass = 0; pass < 2; pass++) /* a reaction that is next to nothing beside the others is measured by them */
    for (int i = 0; i < a->model->joints; i++) {
      const tn_joint *j = &a->model->joint[i];
      reaction(a, b, j, turned, &size, &difference);
      if (pass == 0) largest = fmax(largest, size);
      const double d = difference / fmax(size, 1e-6 * largest);
      if (pass == 1 && !(d <= reactions)) reactions = d, worst = j->name;
    }
  const double d = ref_distance(&a->table, &b->table, places, a->sum.t_end, false, where);
  const double v = ref_distance(&a->table, &b->table, rates, a->sum.t_end, true, when);
  printf("%s to %s s%s: %d and %d coordinates, places apart by %.2e (%s), rates by %.2e (%s), reactions by %.2e (%s)\n",
         a->model->title, w->until, turned ? ", turned" : "", a->model->nq, b->model->nq, d, where, v, when, reactions,
         worst);
  CHECK(used < sizeof places && used_rates < sizeof rates);
  CHECK(a->table.rows > 50);
  CHECK(a->model->nq == w->absolute && b->model->nq == w->relative);
  CHECK(carried > 0);
  CHECK((backwards > 0) == turned);
  CHECK(a->sum.degrees_of_freedom == b->sum.degrees_of_freedom);
  CHECK_NEAR(d, 0, 1e-9);
  CHECK_NEAR(v, 0, 1e-9);
  CHECK_NEAR(reactions, 0, 1e-7);
}

static void both_ways(const two_ways *w) {
  motion absolute, relative;
  const bool ok = moves(w, false, false, &absolute);
  CHECK(ok);
  for (int turned = 0; ok && turned < 2; turned++) {
    const bool also = moves(w, true, turned, &relative);
    CHECK(also && relative.table.rows == absolute.table.rows);
    if (also && relative.table.rows == absolute.table.rows) same_motion(w, &absolute, &relative, turned);
    motion_free(&relative);
  }
  motion_free(&absolute);
}

TEST(four_bar_relative) {
  both_ways(&(two_ways){"four_bar", "5", "0.05", {"/start", "{\"crank.rate\": \"60*rpm\"}"}, 9, 3});
}
/* rows at least 0.08 rad from flat: there the reactions have a pole, and their error with them */
TEST(n_four_bar_relative) { both_ways(&(two_ways){"n_four_bar", "5", "0.0625", {NULL, NULL}, 15, 5}); }
TEST(triple_pendulum_relative) { both_ways(&(two_ways){"triple_pendulum", "5", "0.05", {NULL, NULL}, 9, 3}); }
TEST(slider_crank_relative) { both_ways(&(two_ways){"braun_slider_crank", "5", "0.05", {NULL, NULL}, 4, 2}); }
TEST(wu_relative) { both_ways(&(two_ways){"wu_crank_slider", "5", "0.05", {NULL, NULL}, 4, 2}); }
TEST(driven_pivot_relative) { both_ways(&(two_ways){"driven_pivot", "5", "0.05", {NULL, NULL}, 6, 4}); }
TEST(andrews_relative) { both_ways(&(two_ways){"andrews", "0.05", "0.0005", {NULL, NULL}, 21, 7}); }

/* a rod slides along a turning arm and carries another: a joint with a place that moves */
TEST(sliding_rod_relative) {
  static const char text[] =
      "{\"tenon\": 1, \"dimension\": 2, \"title\": \"sliding rod\", \"gravity\": [0, -9.81], \"bodies\": {"
      "\"arm\": {\"rod\": [[0, 0], [2, 0.5]], \"mass\": 3},"
      "\"slider\": {\"rod\": [[0.5, 0], [1, 0.4]], \"mass\": 1},"
      "\"tail\": {\"rod\": [[1, 0.4], [1.5, 0.4]], \"mass\": 1}},"
      "\"joints\": {\"pivot\": {\"type\": \"revolute\", \"between\": [\"ground\", \"arm\"], \"at\": [0, 0]},"
      "\"slot\": {\"type\": \"prismatic\", \"between\": [\"arm\", \"slider\"], \"at\": [0.8, 0.2], \"axis\": [2, 0.5]},"
      "\"pin\": {\"type\": \"revolute\", \"between\": [\"slider\", \"tail\"], \"at\": [1, 0.4]}},"
      "\"forces\": {\"spring\": {\"type\": \"spring\", \"between\": [\"arm\", \"slider\"], \"at\": [[0, 0], [1, 0.4]],"
      "\"stiffness\": 100}}, \"start\": {\"arm.rate\": 2, \"tail.rate\": -1}}";
  both_ways(&(two_ways){text, "2", "0.02", {NULL, NULL}, 9, 3});
}
