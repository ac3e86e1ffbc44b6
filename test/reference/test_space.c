/* models in space against solutions that others computed (test/data: minimal coordinates, 34 digits), closed forms and linear
 * theory. dopri5 with rtol = 1e-12 and the method `project`, the same for every model. */
#include "support/reference.h"

#include "test.h"

enum { MOST_CHANGES = 10 };

/* run a model with changes at 1e-12; `every` and `until` NULL: those of the model */
static bool run(const char *name, const ref_change *more, const char *until, const char *every, ref_table *table,
                tn_summary *sum) {
  char integrator[96];
  ref_change changes[MOST_CHANGES] = {{"/run/integrator", integrator}, {"/run/method", "\"project\""}};
  int n = 2;
  ref_tolerance(integrator, 1e-12);
  if (until) changes[n++] = (ref_change){"/run/until", until};
  if (every) changes[n++] = (ref_change){"/run/every", every};
  for (; more && more->pointer && n < MOST_CHANGES - 1; more++) changes[n++] = *more;
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  *sum = (tn_summary){.status = TN_E_INTERNAL};
  const bool ok = ref_desc(name, changes, &desc) && ref_compile(desc, &model) && ref_run(model, table, sum);
  tn_model_free(model);
  tn_desc_free(desc);
  return ok;
}

static double value(const ref_table *t, int row, const char *column) {
  const int c = ref_column(t, column);
  return c < 0 || row < 0 || row >= t->rows ? NAN : t->value[row * t->columns + c];
}

static double last(const ref_table *t, const char *column) { return value(t, t->rows - 1, column); }

/* largest |x - x(0)| of a column */
static double wander(const ref_table *t, const char *column) {
  double most = 0;
  for (int i = 0; i < t->rows; i++) {
    const double d = fabs(value(t, i, column) - value(t, 0, column));
    if (!(d <= most)) most = d;
  }
  return most;
}

static void against(const char *model, const ref_change *more, const char *file, const char *rows, const char *columns,
                    const char *until, const char *every, double tolerance, int freedom, int redundant) {
  ref_table got = {0}, reference = {0};
  tn_summary sum;
  char where[128] = "the run";
  double error = INFINITY;
  if (run(model, more, until, every, &got, &sum) && ref_read(file, rows, &reference))
    error = ref_distance(&got, &reference, columns, atof(until), false, where);
  printf("%s%s%s to %s s: error %.2e (%s), balance %.1e, %" PRId64 " steps, %" PRId64 " rejected\n", model,
         more ? " " : "", more ? more->json : "", until, error, where, sum.energy_balance, sum.steps, sum.rejected);
  CHECK_NEAR(error, 0, tolerance);
  CHECK(sum.status == TN_OK);
  CHECK(sum.contract_kept);
  CHECK(sum.degrees_of_freedom == freedom);
  CHECK(sum.redundant_rows == redundant);
  CHECK_NEAR(sum.max_position_violation, 0, 1e-11);
  CHECK_NEAR(sum.energy_balance, 0, 1e-10);
  ref_table_free(&got);
  ref_table_free(&reference);
}

static const ref_change quaternion[] = {{"/body_coordinates", "\"quaternion\""}, {NULL, NULL}},
                        parameters[] = {{"/body_coordinates", "\"euler-parameters\""}, {NULL, NULL}},
                        angles[] = {{"/body_coordinates", "\"euler-angles\""}, {NULL, NULL}},
                        relative[] = {{"/coordinates", "\"relative\""}, {NULL, NULL}};
static const ref_change *const ways[] = {NULL, relative};

/* ---- references ------------------------------------------------------------------------------------------------------ */

TEST_FULL(rotary_pendulum) {
  const ref_change *const all[] = {angles, quaternion, parameters, relative};
  for (int i = 0; i < 4; i++)
    against("rotary_pendulum", all[i], "ref_rotary", "/values", "phi psi phid psid", "10", "0.25", 1e-7, 2, 0);
}

TEST(chaplygin_sleigh) {
  against("chaplygin_sleigh", NULL, "nonholonomic_chaplygin_sleigh", "/reference/samples", "Px Py angle v omega", "10",
          "0.5", 1e-8, 2, 0);
}

TEST_FULL(heavy_top) {
  against("heavy_top", NULL, "ref_heavy_top", "/values", "G.x G.y G.z v.x v.y v.z", "2", "0.1", 1e-8, 3, 0);
  against("heavy_top", relative, "ref_heavy_top", "/values", "G.x G.y G.z v.x v.y v.z", "2", "0.1", 1e-8, 3, 0);
}

/* over 10 s: energy, the momentum about the vertical and the spin about the own axis stay */
TEST_FULL(heavy_top_keeps_what_is_conserved) {
  ref_table got = {0};
  tn_summary sum;
  const ref_change outputs[] = {
      {"/outputs", "{\"Lz\": \"momentum.lz\", \"spin\": \"top.w2\", \"E\": \"energy.total\"}"}, {NULL, NULL}};
  CHECK(run("heavy_top", outputs, "10", "0.05", &got, &sum));
  printf("heavy top, 10 s: energy %.1e, momentum %.1e, spin %.1e, %" PRId64 " steps\n", wander(&got, "E") / 5435.7,
         wander(&got, "Lz") / 70.3, wander(&got, "spin") / 150, sum.steps);
  CHECK_NEAR(value(&got, 0, "Lz"), -70.3124296875, 1e-9);
  CHECK_NEAR(wander(&got, "E"), 0, 1e-10 * 5435.7);
  CHECK_NEAR(wander(&got, "Lz"), 0, 1e-10 * 70.3);
  CHECK_NEAR(wander(&got, "spin"), 0, 1e-10 * 150);
  CHECK_NEAR(sum.energy_balance, 0, 1e-10);
  ref_table_free(&got);
}

TEST(rolling_disc) {
  against("rolling_disc", NULL, "ref_rolling_disc", "/values", "x y z lean cx cy push", "2", "0.1", 1e-10, 3, 0);
}

TEST(four_bar_in_space) {
  for (int i = 0; i < 2; i++)
    against("spatial_four_bar", ways[i], "ref_spatial_four_bar", "/values",
            "crank rocker crank_rate rocker_rate tip.x tip.y tip.z spin load", "2", "0.1", 1e-9, 1, 0);
  against("spatial_four_bar", parameters, "ref_spatial_four_bar", "/values",
          "crank rocker crank_rate rocker_rate tip.x tip.y tip.z spin load", "2", "0.1", 1e-9, 1, 0);
}

TEST_FULL(slider_crank_in_space) {
  for (int i = 0; i < 2; i++)
    against("spatial_slider_crank", ways[i], "ref_spatial_slider_crank", "/values", "theta omega x vx spin side", "5",
            "0.1", 2e-9, 1, 0);
}

/* an overconstrained loop: in every position one row is redundant */
TEST_FULL(bricard) {
  for (int i = 0; i < 2; i++)
    against("bricard", ways[i], "ref_bricard", "/values", "th1 th2 rate P3.x P3.y P3.z", "10", "0.1", 1e-8, 1, 1);
}

TEST_FULL(bricard_keeps_its_closed_form) {
  ref_table got = {0};
  tn_summary sum;
  CHECK(run("bricard", NULL, NULL, NULL, &got, &sum));
  double off = 0;
  for (int i = 0; i < got.rows; i++) {
    off = fmax(off, fabs((1 + sin(value(&got, i, "th1"))) * (1 + sin(value(&got, i, "th2"))) - 1));
    off = fmax(off, fabs(value(&got, i, "th1") - value(&got, i, "th5")));
    off = fmax(off, fabs(value(&got, i, "th2") - value(&got, i, "th4")));
  }
  CHECK_NEAR(off, 0, 1e-11);
  CHECK(sum.contract_kept);
  CHECK_NEAR(sum.energy_balance, 0, 1e-9);
  CHECK(sum.rejected < 20);
  CHECK_NEAR(sum.inconsistency, 0, 1e-9);
  ref_table_free(&got);
}

/* a fixed step has its order on an overconstrained loop too */
TEST_FULL(bricard_order) {
  double h[3] = {0.02, 0.01, 0.005}, error[3];
  for (int i = 0; i < 3; i++) {
    char integrator[96];
    ref_step(integrator, "dopri5", h[i]);
    const ref_change changes[] = {
        {"/run/integrator", integrator}, {"/run/until", "1"}, {"/run/every", "0.1"}, {NULL, NULL}};
    ref_table got = {0}, reference = {0};
    tn_desc *desc = NULL;
    tn_model *model = NULL;
    tn_summary sum;
    error[i] = INFINITY;
    if (ref_desc("bricard", changes, &desc) && ref_compile(desc, &model) && ref_run(model, &got, &sum) &&
        ref_read("ref_bricard", "/values", &reference))
      error[i] = ref_distance(&got, &reference, "th1 th2", 1, false, NULL);
    ref_table_free(&got);
    ref_table_free(&reference);
    tn_model_free(model);
    tn_desc_free(desc);
  }
  const double order = ref_slope(3, h, error);
  printf("bricard: errors %.1e %.1e %.1e, order %.2f\n", error[0], error[1], error[2], order);
  CHECK(order > 4.75);
  CHECK(error[0] < 3e-8);
}

TEST(doors) {
  static const char *const doors[] = {"door", "door_three_hinges"};
  for (int i = 0; i < 2; i++)
    against(doors[i], NULL, "ref_door", "/values", "th rate hold.x hold.y hold.z", "10", "0.5", 1e-9, 1, i ? 10 : 5);
}

TEST_FULL(chain) {
  for (int i = 0; i < 2; i++)
    against("spatial_chain", ways[i], "ref_spatial_chain", "/values",
            "tip10.x tip10.y tip10.z th1 th2 th3 th4 th5 th6 th7 th8 th9 th10", "2", "0.1", 1e-9, 10, 0);
}

/* all freedom is driven, and the platform moves as the legs were made to */
TEST(stewart_platform) {
  for (int i = 0; i < 2; i++) {
    ref_table got = {0};
    tn_summary sum;
    double off = 0;
    CHECK(run("stewart_platform", ways[i], NULL, NULL, &got, &sum));
    for (int k = 0; k < got.rows; k++) {
      const double t = got.t[k], turn = 1 - cos(2 * t);
      off = fmax(off, fabs(value(&got, k, "x") - 0.05 * turn));
      off = fmax(off, fabs(value(&got, k, "y")));
      off = fmax(off, fabs(value(&got, k, "z") - 0.6 - 0.04 * (1 - cos(3 * t))));
      off = fmax(off, fabs(value(&got, k, "yaw") - 0.1 * turn));
    }
    CHECK(got.rows > 100);
    CHECK_NEAR(off, 0, 1e-12);
    CHECK(sum.degrees_of_freedom == 0 && sum.redundant_rows == 0);
    ref_table_free(&got);
  }
}

/* ---- the gear train -------------------------------------------------------------------------------------------------- */

static const double arm_acceleration = 0.230321422996851;

/* arm, sun and planets at 15 s, and the mesh loads: minus the multipliers of the reference, whose middle row is the ring's */
static void check_gears(const char *what, const char *model, const ref_change *more, bool four) {
  ref_table got = {0};
  tn_summary sum;
  CHECK(run(model, more, "15", "1", &got, &sum));
  printf("gear train %s: arm %.15g, %" PRId64 " steps, balance %.1e\n", what, last(&got, "arm"), sum.steps,
         sum.energy_balance);
  for (int i = 0; i < got.rows; i++) CHECK_NEAR(value(&got, i, "arm"), arm_acceleration * got.t[i], 1e-9);
  CHECK_NEAR(last(&got, "arm"), 3.45482134495277, 1e-9);
  CHECK_NEAR(last(&got, "sun"), 22.5314435540398, 1e-9);
  CHECK_NEAR(last(&got, "planet1"), -4.98291540137419, 1e-9);
  CHECK_NEAR(last(&got, "planet2"), -4.98291540137419, 1e-9);
  CHECK(sum.degrees_of_freedom == 1 && sum.redundant_rows == four);
  for (int i = 0; !four && i < got.rows; i++) {
    CHECK_NEAR(value(&got, i, "mesh1"), 2.10138896763841e-4, 1e-9 * 2e-4);
    CHECK_NEAR(value(&got, i, "ringmesh"), 3.63459370652278e-4, 1e-9 * 3e-4);
    CHECK_NEAR(value(&got, i, "mesh2"), -1.53320473888436e-4, 1e-9 * 1e-4);
  }
  ref_table_free(&got);
}

TEST_FULL(gear_train) {
  check_gears("euler-parameters", "gear_train", parameters, false);
  check_gears("quaternion", "gear_train", quaternion, false);
  check_gears("relative", "gear_train", relative, false);
  check_gears("four meshes", "gear_train_four_meshes", NULL, true);
  check_gears("four meshes, relative", "gear_train_four_meshes", relative, true);
  check_gears("four meshes, quaternion", "gear_train_four_meshes", quaternion, true);
}

/* Euler angles are singular in the pose of the paper, where body and world axes coincide, and it is said; turned about the
 * world's x and with their axes labelled anew, they serve */
TEST_FULL(gear_train_in_euler_angles) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error error;
  CHECK(ref_desc("gear_train", angles, &desc));
  CHECK(tn_compile(desc, &model, &error) == TN_E_MODEL);
  CHECK_HAS(error.message, "body 'ring': coordinates `euler-angles` are singular at the given pose");
  CHECK_HAS(error.hint, "quaternion");
  tn_desc_free(desc);
  static const char text[] =
      "{\"tenon\": 1, \"dimension\": 3, \"body_coordinates\": \"euler-angles\",\n"
      " \"constants\": {\"Tr\": 127, \"Ts\": 23, \"Tp\": 52, \"ra\": 0.15},\n"
      " \"bodies\": {\n"
      "  \"ring\": {\"axes\": {\"z\": \"x\", \"x\": \"y\"}, \"mass\": 6.97, \"inertia\": [0.25, 0.255, 0.507]},\n"
      "  \"sun\": {\"axes\": {\"z\": \"x\", \"x\": \"y\"}, \"mass\": 0.85, \"inertia\": [0.00064, 0.00064, 0.00087]},\n"
      "  \"arm\": {\"axes\": {\"z\": \"x\", \"x\": \"y\"}, \"mass\": 5.42, \"inertia\": [0.0032, 0.0569, 0.05957]},\n"
      "  \"carrier{k}\": {\"repeat\": \"k=1..2\", \"position\": [0, \"ra*(3-2*k)\", 0], \"axes\": {\"z\": \"x\", "
      "\"x\": "
      "\"y\"}, \"mass\": 0.832, \"inertia\": [0.0016, 0.0016, 0.00093]},\n"
      "  \"planet{k}\": {\"repeat\": \"k=1..2\", \"position\": [0, \"ra*(3-2*k)\", 0], \"axes\": {\"z\": \"x\", \"x\": "
      "\"y\"}, \"mass\": 4.41, \"inertia\": [0.013, 0.013, 0.024]}},\n"
      " \"joints\": {\n"
      "  \"frame\": {\"type\": \"weld\", \"between\": [\"ground\", \"ring\"]},\n"
      "  \"sunaxle\": {\"type\": \"revolute\", \"between\": [\"ground\", \"sun\"], \"at\": [0, 0, 0], \"axis\": "
      "\"x\"},\n"
      "  \"armaxle\": {\"type\": \"revolute\", \"between\": [\"ground\", \"arm\"], \"at\": [0, 0, 0], \"axis\": "
      "\"x\"},\n"
      "  \"seat{k}\": {\"repeat\": \"k=1..2\", \"type\": \"weld\", \"between\": [\"arm\", \"carrier{k}\"]},\n"
      "  \"pin{k}\": {\"repeat\": \"k=1..2\", \"type\": \"revolute\", \"between\": [\"carrier{k}\", \"planet{k}\"], "
      "\"at\": \"planet{k}\", \"axis\": \"x\"},\n"
      "  \"mesh{k}\": {\"repeat\": \"k=1..2\", \"type\": \"gear\", \"between\": [\"sun\", \"planet{k}\"], \"carrier\": "
      "\"arm\", \"teeth\": [\"Ts\", \"Tp\"]},\n"
      "  \"ringmesh\": {\"type\": \"gear\", \"between\": [\"ring\", \"planet1\"], \"carrier\": \"arm\", \"teeth\": "
      "[\"Tr\", \"Tp\"], \"internal\": true}},\n"
      " \"forces\": {\"drive\": {\"type\": \"torque\", \"on\": \"arm\", \"about\": \"x\", \"value\": 0.1}},\n"
      " \"outputs\": {\"arm\": \"arm.wx\", \"sun\": \"sun.wx\", \"planet1\": \"planet1.wx\", \"planet2\": "
      "\"planet2.wx\", \"mesh1\": \"mesh1.load\", \"mesh2\": \"mesh2.load\", \"ringmesh\": \"ringmesh.load\"},\n"
      " \"run\": {}}";
  check_gears("euler-angles", text, NULL, false);
  check_gears("the same in quaternions", text, quaternion, false);
}

/* the position form has no phase drift, and the same motion and loads */
TEST_FULL(gear_train_in_position_form) {
  const ref_change form[] = {
      {"/joints/mesh{k}/form", "\"position\""}, {"/joints/ringmesh/form", "\"position\""}, {NULL, NULL}};
  check_gears("position form", "gear_train", form, false);
}

/* ---- the rolling disc against linear theory ------------------------------------------------------------------------- */

/* upright, the axle along -y, rolling along x at `spin` with a small rate of lean: the lean then swings about zero */
static bool upright(double spin, double push, const char *until, const char *every, ref_table *got, tn_summary *sum) {
  char w[2][40];
  snprintf(w[0], sizeof w[0], "%.17g", push);
  snprintf(w[1], sizeof w[1], "%.17g", -spin);
  const ref_change changes[] = {{"/constants/theta", "\"pi/2\""},
                                {"/start/disc.w1", w[0]},
                                {"/start/disc.w3", w[1]},
                                {"/outputs", "{\"lean\": \"axis(disc, z).z\"}"},
                                {NULL, NULL}};
  return run("rolling_disc", changes, until, every, got, sum);
}

/* between zeros of the lean, from straight lines through the samples on both sides */
static double frequency(const ref_table *t) {
  double first = NAN, end = NAN;
  int crossings = 0;
  for (int i = 2; i < t->rows; i++) {
    const double a = value(t, i - 1, "lean"), b = value(t, i, "lean");
    if ((a < 0) == (b < 0)) continue;
    const double at = t->t[i - 1] + (t->t[i] - t->t[i - 1]) * a / (a - b);
    if (isnan(first))
      first = at;
    else
      crossings++, end = at;
  }
  return 3.141592653589793 * crossings / (end - first);
}

TEST_FULL(rolling_disc_swings_as_linear_theory_says) {
  static const double spin[] = {4, 3, 6};
  const double g = 9.81, r = 0.5;
  for (int i = 0; i < 3; i++) {
    ref_table got = {0};
    tn_summary sum;
    CHECK(upright(spin[i], 1e-6, "20", "0.002", &got, &sum));
    const double expected = sqrt((12 * spin[i] * spin[i] - 4 * g / r) / 5), found = frequency(&got);
    printf("disc at %g rad/s: swings with %.9f, linear theory %.9f; balance %.1e\n", spin[i], found, expected,
           sum.energy_balance);
    CHECK_NEAR(found, expected, 1e-6);
    CHECK_NEAR(sum.energy_balance, 0, 1e-10);
    ref_table_free(&got);
  }
}

/* from a small rate of lean, d(t) is push sin(w t)/w, or push sinh(k t)/k: of them only the second goes beyond 40 push in 40 s */
static bool falls(double spin) {
  ref_table got = {0};
  tn_summary sum;
  CHECK(upright(spin, 1e-7, "40", "0.1", &got, &sum));
  const double most = wander(&got, "lean");
  ref_table_free(&got);
  return most > 100e-7;
}

TEST_FULL(rolling_disc_is_stable_above_its_limit) {
  const double limit = sqrt(9.81 / (3 * 0.5));
  double below = 0.9 * limit, above = 1.1 * limit;
  CHECK(falls(below));
  CHECK(!falls(above));
  while (above - below > 5e-4 * limit) {
    const double middle = 0.5 * (below + above);
    if (falls(middle))
      below = middle;
    else
      above = middle;
  }
  printf("disc: stable above %.6f rad/s, g/(3r) gives %.6f\n", 0.5 * (below + above), limit);
  CHECK_NEAR(0.5 * (below + above), limit, 1e-3 * limit);
}

/* ---- one motion, many coordinates ------------------------------------------------------------------------------------ */

/* an arm about a sloping axis, a plate on it by a universal, a ball-ended rod; body axes are so chosen that no z comes near
 * the world's z */
static const char mobile[] =
    "{\"tenon\": 1, \"dimension\": 3, \"gravity\": [0, 9.81, 0], \"coordinates\": \"absolute\",\n"
    " \"bodies\": {\n"
    "  \"arm\": {\"axes\": {\"z\": \"x\", \"x\": \"y\"}, \"mass\": 2, \"center\": [0, 0, 0.4], \"inertia\": [0.1, "
    "0.12, "
    "0.03]},\n"
    "  \"plate\": {\"position\": [0.8, 0, 0], \"axes\": {\"z\": [1, 1, 0], \"y\": \"z\"}, \"mass\": 1, \"center\": [0, "
    "0.02, 0.2], \"inertia\": [0.02, 0.015, 0.012, 0.001, 0, 0.002]}},\n"
    " \"joints\": {\n"
    "  \"base\": {\"type\": \"revolute\", \"between\": [\"ground\", \"arm\"], \"at\": [0, 0, 0], \"axis\": [0, 0.1, "
    "1]},\n"
    "  \"cross\": {\"type\": \"universal\", \"between\": [\"arm\", \"plate\"], \"at\": [0.8, 0, 0], \"axes\": [\"z\", "
    "\"y\"]}},\n"
    " \"start\": {\"base.rate\": 0.3, \"cross.rate1\": 0.2, \"cross.rate2\": 0.2},\n"
    " \"outputs\": {\"p\": \"position(plate)\", \"z\": \"axis(plate, z)\", \"w\": \"omega(plate)\", \"a\": "
    "\"base.angle\", \"b\": \"cross.angle1\", \"c\": \"cross.angle2\"},\n"
    " \"run\": {\"until\": 5, \"every\": 0.05}}";

/* every way to give bodies coordinates, and joints in their place; reactions too where rows are not redundant */
static void same_motion(const char *model, const char *until, const ref_change *const *all, int n, double tolerance) {
  ref_table first = {0};
  for (int i = 0; i < n; i++) {
    ref_table got = {0};
    tn_summary sum;
    char where[128];
    CHECK(run(model, all[i], until, NULL, &got, &sum));
    CHECK(sum.contract_kept);
    if (i == 0) {
      first = got;
      continue;
    }
    char columns[2000] = "";
    const bool door = strncmp(model, "door", 4) == 0; /* how its hinges share their load is not given by mechanics */
    for (int k = 0; k < got.columns; k++)
      if (!door || strstr("th rate hold.x hold.y hold.z", got.name[k]))
        snprintf(columns + strlen(columns), sizeof columns - strlen(columns), " %s", got.name[k]);
    const double off = ref_distance(&got, &first, columns, atof(until), false, where);
    printf("%.20s, %s: %.1e (%s)\n", model[0] == '{' ? "mobile" : model, all[i]->json, off, where);
    CHECK_NEAR(off, 0, tolerance);
    ref_table_free(&got);
  }
  ref_table_free(&first);
}

TEST_FULL(every_parametrization_gives_the_same_motion) {
  const ref_change *const four[] = {quaternion, parameters, angles, relative}, *const three[] = {quaternion, parameters,
                                                                                                 relative};
  same_motion("rotary_pendulum", "5", four, 4, 1e-8);
  same_motion(mobile, "5", four, 4, 1e-8);
  same_motion("spatial_slider_crank", "5", three, 3, 1e-8);
}

TEST_FULL(absolute_and_relative_agree) {
  static const struct {
    const char *model, *until;
  } all[] = {{"heavy_top", "2"},
             {"gear_train", "15"},
             {"spatial_four_bar", "2"},
             {"bricard", "10"},
             {"rolling_disc", "2"},
             {"stewart_platform", "6"},
             {"door", "10"},
             {"door_three_hinges", "10"},
             {"spatial_chain", "2"},
             {"spatial_slider_crank", "5"},
             {"rotary_pendulum", "10"},
             {"chaplygin_sleigh", "10"},
             {"gear_train_four_meshes", "15"}};
  const ref_change absolute[] = {{"/coordinates", "\"absolute\""}, {NULL, NULL}}, *const two[] = {absolute, relative};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) same_motion(all[i].model, all[i].until, two, 2, 1e-8);
}

/* the joints that close loops may be named: another tree, the same motion */
TEST(cut_joints_are_the_users_choice) {
  static const char *const cuts[] = {"[\"A\"]", "[\"D\"]", "[\"C\"]"};
  ref_table first = {0};
  for (int i = 0; i < 3; i++) {
    const ref_change changes[] = {{"/coordinates", "\"relative\""}, {"/cut", cuts[i]}, {NULL, NULL}};
    ref_table got = {0};
    tn_summary sum;
    CHECK(run("spatial_four_bar", changes, "2", NULL, &got, &sum));
    if (i == 0) {
      first = got;
      continue;
    }
    char where[128];
    const double off =
        ref_distance(&got, &first, "crank rocker crank_rate rocker_rate tip.x tip.y tip.z load", 2, false, where);
    printf("cut %s: %.1e (%s)\n", cuts[i], off, where);
    CHECK_NEAR(off, 0, 1e-8);
    ref_table_free(&got);
  }
  ref_table_free(&first);
}

/* functions give the vectors whose components are channels */
TEST(vectors_and_their_components) {
  const ref_change outputs[] = {
      {"/outputs",
       "{\"T\": \"torque(D)\", \"tx\": \"D.tx\", \"ty\": \"D.ty\", \"tz\": \"D.tz\", \"F\": \"force(D)\", \"fx\": "
       "\"D.fx\", "
       "\"fy\": \"D.fy\", \"fz\": \"D.fz\", \"w\": \"omega(coupler)\", \"wx\": \"coupler.wx\", \"wy\": \"coupler.wy\", "
       "\"wz\": \"coupler.wz\", \"b\": \"in(coupler, omega(coupler))\", \"w1\": \"coupler.w1\", \"w2\": "
       "\"coupler.w2\", "
       "\"w3\": \"coupler.w3\", \"v\": \"velocity(coupler)\", \"vx\": \"coupler.vx\", \"vy\": \"coupler.vy\", \"vz\": "
       "\"coupler.vz\", \"a\": \"acceleration(coupler)\", \"ax\": \"coupler.ax\", \"ay\": \"coupler.ay\", \"az\": "
       "\"coupler.az\", \"p\": \"position(coupler)\", \"px\": \"coupler.x\", \"py\": \"coupler.y\", \"pz\": "
       "\"coupler.z\"}"},
      {NULL, NULL}};
  static const char *const pairs[][2] = {{"T", "tx ty tz"}, {"F", "fx fy fz"}, {"w", "wx wy wz"}, {"b", "w1 w2 w3"},
                                         {"v", "vx vy vz"}, {"a", "ax ay az"}, {"p", "px py pz"}};
  ref_table got = {0};
  tn_summary sum;
  CHECK(run("spatial_four_bar", outputs, "0.3", "0.1", &got, &sum));
  for (int i = 0; i < got.rows; i++)
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
      double size = 0;
      for (int c = 0; c < 3; c++) {
        char vector[16], part[8];
        snprintf(vector, sizeof vector, "%s.%c", pairs[k][0], 'x' + c);
        snprintf(part, sizeof part, "%.2s", pairs[k][1] + 3 * c);
        CHECK_NEAR(value(&got, i, vector), value(&got, i, part), 1e-12 * (1 + fabs(value(&got, i, part))));
        size += fabs(value(&got, i, part));
      }
      CHECK(size > 1e-3);
    }
  ref_table_free(&got);
}

/* a bevel pinion inside a bevel ring: whichever of the two is named first, they meet at the same point and turn alike */
TEST(internal_bevel_gears_either_way_round) {
  ref_table got[2] = {{0}, {0}};
  for (int k = 0; k < 2; k++) {
    char text[1600];
    snprintf(
        text, sizeof text,
        "{\"tenon\": 1, \"dimension\": 3, \"constants\": {\"b\": \"20*deg\"},\n"
        " \"bodies\": {\"ring\": {\"mass\": 3, \"cylinder\": [0.4, 0.05], \"position\": [0, 0, 1]},\n"
        "  \"pinion\": {\"mass\": 1, \"cylinder\": [0.1, 0.05], \"position\": [\"sin(b)\", 0, \"cos(b)\"], "
        "\"axis_angle\": "
        "[\"y\", \"b\"]}},\n"
        " \"joints\": {\"r\": {\"type\": \"revolute\", \"between\": [\"ground\", \"ring\"], \"at\": \"ring\", "
        "\"axis\": "
        "\"z\"},\n"
        "  \"p\": {\"type\": \"revolute\", \"between\": [\"ground\", \"pinion\"], \"at\": \"pinion\", \"axis\": "
        "[\"sin(b)\", 0, \"cos(b)\"]},\n"
        "  \"mesh\": {\"type\": \"gear\", \"between\": [%s], \"teeth\": [%s], \"internal\": true}},\n"
        " \"start\": {\"p.rate\": 6},\n"
        " \"outputs\": {\"x\": \"mesh.cx\", \"y\": \"mesh.cy\", \"z\": \"mesh.cz\", \"ring\": \"r.rate\", \"pinion\": "
        "\"p.rate\"},\n"
        " \"run\": {\"until\": 0.2, \"every\": 0.1}}",
        k ? "\"pinion\", \"ring\"" : "\"ring\", \"pinion\"", k ? "20, 60" : "60, 20");
    tn_summary sum;
    CHECK(run(text, NULL, NULL, NULL, &got[k], &sum));
    CHECK_NEAR(last(&got[k], "pinion"), 6, 1e-9);
    CHECK_NEAR(last(&got[k], "ring"), 2, 1e-9); /* inside, both the same way */
    CHECK(last(&got[k], "x") > 0.34 &&
          fabs(last(&got[k], "y")) < 1e-12); /* beyond the pinion, seen from the ring's axis */
  }
  char where[128];
  /* the place along the teeth is that of the first wheel: the direction from the apex is the same */
  CHECK_NEAR(last(&got[0], "x") / last(&got[0], "z"), last(&got[1], "x") / last(&got[1], "z"), 1e-12);
  CHECK_NEAR(ref_distance(&got[0], &got[1], "ring pinion", 0.2, false, where), 0, 1e-9);
  ref_table_free(&got[0]);
  ref_table_free(&got[1]);
}
