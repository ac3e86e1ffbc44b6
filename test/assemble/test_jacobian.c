/* det and sigma_min: parts of A by the names of their rows and coordinates, against the whole A, and on the robot of Hoang et al.
 * 2023 against its reference solution. */
#include "support/build.h"
#include "support/reference.h"
#include "test.h"

/* the robot in the six coordinates of the paper: cranks by their angles, the platform by x, y and angle, and the links between them as
 * squared distances. Masses are those of the paper's constant mass matrix */
static const char robot[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"constants\": {\"b\": \"0.2/sqrt(3)\", \"r\": 0.581},"
    "\"tables\": {\"ox\": [0, 1.2, 0.6], \"oy\": [0, 0, \"0.6*sqrt(3)\"], \"alpha\": [\"210*deg\", \"-30*deg\", "
    "\"90*deg\"], \"volts\": [5, -5, 5], \"th\": [-0.1259, 1.3727, 3.2675]},"
    "\"bodies\": {\"crank{i}\": {\"repeat\": \"i=1..3\", \"mass\": 1, \"inertia\": 1.43144197, \"angle\": \"th[i]\", "
    "\"coordinates\": "
    "{\"type\": \"swing\", \"parent\": \"ground\", \"at\": [\"ox[i]\", \"oy[i]\"]}},"
    "  \"platform\": {\"mass\": 2.103, \"inertia\": 0.022, \"position\": [0.59, 0.6], \"angle\": 0.02}},"
    "\"joints\": {\"link{i}\": {\"repeat\": \"i=1..3\", \"type\": \"distance\", \"between\": [\"crank{i}\", "
    "\"platform\"], \"on_bodies\": [[\"r\", 0], [\"b*cos(alpha[i])\", \"b*sin(alpha[i])\"]], \"length\": 0.62, "
    "\"form\": \"squared\"}},"
    "\"forces\": {\"motor{i}\": {\"repeat\": \"i=1..3\", \"type\": \"torque\", \"on\": \"crank{i}\", \"value\": "
    "\"10*volts[i] - 10*crank{i}.rate\"}},"
    "\"start\": {\"crank1.angle\": -0.1259, \"crank2.angle\": 1.3727, \"crank3.angle\": 3.2675, \"crank1.rate\": 0, "
    "\"crank2.rate\": 0, \"crank3.rate\": 0, \"guess\": {\"platform.x\": 0.59363, \"platform.y\": 0.60145, "
    "\"platform.angle\": 0.0207}},"
    "\"outputs\": {\"det_theta\": \"det([link1, link2, link3], [crank1.angle, crank2.angle, crank3.angle])\","
    "  \"det_x\": \"det([link1, link2, link3], [platform.x, platform.y, platform.angle])\","
    "  \"turned\": \"det([link2, link1, link3], [platform.x, platform.y, platform.angle])\","
    "  \"least_x\": \"sigma_min([link1, link2, link3], [platform.x, platform.y, platform.angle])\","
    "  \"least\": \"sigma_min()\", \"one\": \"det(link1, crank1.angle)\"},"
    "\"run\": {\"until\": 1, \"every\": 0.001, \"integrator\": {\"type\": \"dopri5\", \"rtol\": 1e-11}}}";

/* sign changes of a column, with their times by straight lines, into `at`; returns their number */
static int crossings(const ref_table *t, const char *name, double *at, int most) {
  const int k = ref_column(t, name);
  int n = 0;
  for (int i = 1; k >= 0 && i < t->rows; i++) {
    const double a = t->value[(i - 1) * t->columns + k], b = t->value[i * t->columns + k];
    if ((a > 0) == (b > 0) || n == most) continue;
    at[n++] = t->t[i - 1] + (t->t[i] - t->t[i - 1]) * a / (a - b);
  }
  return n;
}

TEST(robot_of_hoang) {
  tn_desc *d = NULL;
  tn_model *m = NULL;
  ref_table run = {0}, ref = {0};
  tn_summary sum;
  char where[128];
  CHECK(ref_desc(robot, NULL, &d) && ref_compile(d, &m));
  if (m && ref_run(m, &run, &sum) && ref_read("ref_hoang_const", "/rows", &ref)) {
    const double off = ref_distance(&run, &ref, "det_theta det_x", 1, false, where);
    printf("determinants: %.1e from the reference, %s\n", off, where);
    CHECK_NEAR(off, 0, 1e-8);
    /* hoang2023: det Phi_theta and det Phi_x vanish 4 and 5 times in the first second */
    static const double theta[] = {0.29772977718702056, 0.52002846910027361, 0.77800040706982897, 0.9229683776191112},
                        x[] = {0.39351209778104842, 0.42553363087063576, 0.47065517728488476, 0.76589303172227944,
                               0.93723762328986037};
    double at[16];
    CHECK(crossings(&run, "det_theta", at, 16) == 4);
    for (int i = 0; i < 4; i++) CHECK_NEAR(at[i], theta[i], 3e-5);
    CHECK(crossings(&run, "det_x", at, 16) == 5);
    for (int i = 0; i < 5; i++) CHECK_NEAR(at[i], x[i], 3e-5);
    /* Phi_q itself keeps its rank: its smallest singular value is least at about 0.2937 s; the reference has that of its own steps */
    double least = INFINITY, t = 0;
    for (int i = 0; i < run.rows; i++) {
      const double *row = run.value + i * run.columns;
      if (row[ref_column(&run, "least")] < least) least = row[ref_column(&run, "least")], t = run.t[i];
      CHECK_NEAR(row[ref_column(&run, "turned")], -row[ref_column(&run, "det_x")], 1e-14);
      /* of a singular part the least value vanishes with the determinant */
      CHECK(row[ref_column(&run, "least_x")] <= cbrt(fabs(row[ref_column(&run, "det_x")])) * (1 + 1e-12));
    }
    CHECK_NEAR(least, 0.32068497, 2e-5);
    CHECK_NEAR(t, 0.29417, 6e-4);
  } else {
    FAIL("the robot does not run");
  }
  ref_table_free(&run);
  ref_table_free(&ref);
  tn_model_free(m);
  tn_desc_free(d);
}

/* sigma_min() of every model is the last singular value of its A; a row of A, made a part, has its length */
TEST(all_of_every_model) {
  static char name[128][64];
  const int n = build_models(name, 128);
  int seen = 0;
  for (int i = 0; i < n; i++) {
    build b;
    tn_eval e;
    tn_error error;
    build_table table = {0};
    build_new(&b, 1);
    build_read(&b, name[i]);
    build_set(&b, "/outputs", "{\"least\": \"sigma_min()\"}");
    build_set(&b, "/run/until", "0");
    if (!build_compile(&b)) {
      CHECK_HAS(b.message, "has no rows");
      build_free(&b);
      continue;
    }
    if (build_simulate(&b) && build_run(&b, &table) && tn_sim_eval(b.sim, &e, &error) == TN_OK && e.values) {
      CHECK_NEAR(build_at(&table, 0, 0), e.singular_values[e.values - 1], 1e-12 * e.singular_values[0]);
      seen++;
    } else {
      FAIL("%s: %s", name[i], b.message);
    }
    build_table_free(&table);
    build_free(&b);
  }
  CHECK(seen > 20);
}

/* a part of more rows than coordinates, and of velocity rows too: against the numbers of A */
TEST(a_part_of_the_whole) {
  build b;
  tn_eval e;
  tn_error error;
  build_table table = {0};
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/outputs",
            "{\"d\": \"det(A, [crank.y, crank.x])\", \"s\": \"sigma_min([C, A], [crank.angle, crank.x])\", \"r\": "
            "\"sigma_min(B, crank.angle)\"}");
  build_set(&b, "/run/until", "0");
  if (!build_simulate(&b) || !build_run(&b, &table) || tn_sim_eval(b.sim, &e, &error) != TN_OK) {
    FAIL("%s", b.message);
    return;
  }
  int row[3][2], speed[3]; /* A B C; crank.x y angle */
  for (int k = 0; k < 3; k++) {
    const int joint = tn_index_find(&b.model->joint_index, (const char *[]){"A", "B", "C"}[k]);
    row[k][0] = b.model->joint[joint].row;
    row[k][1] = row[k][0] + 1;
  }
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < e.coordinates; i++)
      if (!strcmp(tn_sim_coordinate(b.sim, i), (const char *[]){"crank.x", "crank.y", "crank.angle"}[k])) speed[k] = i;
#define AT(r, s) e.A[(r)*e.speeds + (s)]
  const double det =
      AT(row[0][0], speed[1]) * AT(row[0][1], speed[0]) - AT(row[0][0], speed[0]) * AT(row[0][1], speed[1]);
  CHECK_NEAR(build_at(&table, 0, 0), det, 1e-15);
  CHECK(fabs(det) > 0.5);
  CHECK_NEAR(build_at(&table, 0, 2), hypot(AT(row[1][0], speed[2]), AT(row[1][1], speed[2])), 1e-15);
  /* of two columns x, y: (|x|^2 + |y|^2)/2 - sqrt(((|x|^2 - |y|^2)/2)^2 + (x'y)^2) is the square of the smaller */
  double xx = 0, yy = 0, xy = 0;
  for (int k = 0; k < 4; k++) {
    const int r = row[k < 2 ? 2 : 0][k % 2];
    xx += AT(r, speed[2]) * AT(r, speed[2]);
    yy += AT(r, speed[0]) * AT(r, speed[0]);
    xy += AT(r, speed[2]) * AT(r, speed[0]);
  }
  CHECK_NEAR(build_at(&table, 0, 1), sqrt((xx + yy) / 2 - sqrt((xx - yy) * (xx - yy) / 4 + xy * xy)), 1e-14);
#undef AT
  build_table_free(&table);
  build_free(&b);
}

TEST(refusals) {
  static const struct {
    const char *model, *coordinates, *output, *words;
  } list[] = {
      {"four_bar", "absolute", "det([A, B], [crank.x, crank.y])", "there are 4 rows and 2 coordinates"},
      {"four_bar", "absolute", "det(A, crank.x)", "sigma_min, the smallest singular value"},
      {"four_bar", "absolute", "sigma_min(Q)", "there is none named 'Q'"},
      {"four_bar", "absolute", "sigma_min(A, crank.xx)", "did you mean 'crank.x'?"},
      {"four_bar", "absolute", "sigma_min(A, B.angle)", "is not one of the model's 9 coordinates"},
      {"four_bar", "absolute", "sigma_min([A, A])", "'A' is named twice"},
      {"four_bar", "absolute", "sigma_min(A, [crank.x, crank.x])", "'crank.x' is named twice"},
      {"four_bar", "absolute", "sigma_min([A, B)", "expected ',' or ']' before ')'"},
      {"four_bar", "absolute", "sigma_min(A, crank.x, crank.y)", "takes two lists of names at most"},
      {"four_bar", "absolute", "sigma_min([])", "expected a name before ']'"},
      {"four_bar", "absolute", "sigma_min(3)", "expected a name or '[' before '3'"},
      {"four_bar", "absolute", "sigma_min(A,)", "expected a name or '[' before ')'"},
      {"four_bar", "relative", "sigma_min(A)", "it carries a body in relative coordinates"},
      {"heavy_top", "absolute", "sigma_min(O, top.e0)", "one number of a rotation"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, list[i].model);
    build_set(&b, "/coordinates", "\"%s\"", list[i].coordinates);
    build_set(&b, "/outputs", "{\"x\": \"%s\"}", list[i].output);
    if (build_compile(&b))
      FAIL("%s is not refused", list[i].output);
    else if (!strstr(b.message, list[i].words))
      FAIL("%s: %s", list[i].output, b.message);
    build_free(&b);
  }
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/forces", "{\"f\": {\"type\": \"torque\", \"on\": \"crank\", \"value\": \"sigma_min()\"}}");
  CHECK(!build_compile(&b));
  CHECK_HAS(b.message, "a force cannot depend on it");
  build_free(&b);
}

/* names up to the most, and one more: nothing runs over */
TEST(as_many_names_as_there_is_room_for) {
  for (int n = 252; n < 258; n++) {
    char text[6000] = "{\"x\": \"sigma_min([";
    build b;
    for (int i = 0; i < n; i++) sprintf(text + strlen(text), "%sq%d", i ? "," : "", i);
    strcat(text, "], [crank.x, crank.y])\"}");
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/outputs", "%s", text);
    CHECK(!build_compile(&b));
    CHECK_HAS(b.message, n > 253 ? "more than 256 names" : "there is none named 'q0'");
    build_free(&b);
  }
}
