/* rotating bodies. A body with three different moments of inertia is integrated in its own axes: a tumbling one against Euler's equations.
 * An axisymmetric one is integrated in world axes: wheels and rotors must cost no more than with the world axes of version 0.10, which had
 * these right-hand sides and errors at tolerances from 1e-5 to 1e-9. */
#include "support/build.h"
#include "test.h"

/* ---- tumbling ----------------------------------------------------------------------------------------------------------- */

static const long double I[3] = {0.3L, 0.2L, 0.1L};

static void euler(const long double w[3], long double wdot[3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    wdot[i] = (I[j] - I[k]) * w[j] * w[k] / I[i];
  }
}

/* w along body axes, by rk4 in extended precision */
static void tumble(long double w[3], double until, int steps) {
  const long double h = (long double)until / steps;
  for (int n = 0; n < steps; n++) {
    static const long double c[4] = {0, 0.5L, 0.5L, 1}, weight[4] = {1 / 6.0L, 1 / 3.0L, 1 / 3.0L, 1 / 6.0L};
    long double sum[3] = {0}, k[3] = {0};
    for (int s = 0; s < 4; s++) {
      long double at[3];
      for (int i = 0; i < 3; i++) at[i] = w[i] + c[s] * h * k[i];
      euler(at, k);
      for (int i = 0; i < 3; i++) sum[i] += weight[s] * k[i];
    }
    for (int i = 0; i < 3; i++) w[i] += h * sum[i];
  }
}

/* SciPy's DOP853 on (quaternion, w in body axes) at 1e-8 is off by 5.6e-5 rad/s after 100 s; world axes were off by up to 1.7 */
TEST(a_tumbling_body_as_in_body_axes) {
  static const char *const integrators[] = {"dopri5", "dop853", "abm", "radau5"};
  long double exact[3] = {0.001L, 2, 0.002L}, coarse[3] = {0.001L, 2, 0.002L};
  tumble(exact, 100, 400000);
  tumble(coarse, 100, 200000);
  for (int i = 0; i < 3; i++) CHECK_NEAR((double)(exact[i] - coarse[i]), 0, 1e-9);
  for (int k = 0; k < 4; k++) {
    build b;
    build_new(&b, 1);
    build_parse(&b, "{\"tenon\": 1, \"dimension\": 3, \"bodies\": {\"b\": {\"mass\": 1, \"inertia\": [0.3, 0.2, 0.1]}},"
                    " \"start\": {\"b.w1\": 0.001, \"b.w2\": 2, \"b.w3\": 0.002}, \"run\": {\"until\": 100}}");
    build_set(&b, "/run/integrator", "\"%s\"", integrators[k]);
    CHECK(build_simulate(&b) && tn_sim_advance(b.sim, 100, NULL) == TN_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(build_channel(&b, "b.w%d", i + 1), (double)exact[i], 1e-5);
    build_free(&b);
  }
}

/* ---- spinning ----------------------------------------------------------------------------------------------------------- */

static const char top[] =
    "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'constants': {'spin': 150},"
    " 'bodies': {'top': {'mass': 15, 'center': [0, 1, 0], 'inertia': [0.234375, 0.46875, 0.234375]}},"
    " 'joints': {'O': {'type': 'spherical', 'between': ['ground', 'top'], 'at': [0, 0, 0]}},"
    " 'start': {'top.w1': 0, 'top.w2': 'spin', 'top.w3': -4.61538}, 'outputs': {'a': 'axis(top, y)'}}";

static const char gimbals[] =
    "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'constants': {'spin': 150},"
    " 'bodies': {'outer': {'mass': 0.3, 'inertia': [1e-3, 1.1e-3, 2e-3]},"
    "  'inner': {'mass': 0.3, 'center': [0, 0.04, 0], 'inertia': [6e-4, 4e-4, 7e-4]},"
    "  'rotor': {'mass': 1, 'inertia': [8e-4, 1.4e-3, 8e-4]}},"
    " 'joints': {'yaw': {'type': 'revolute', 'between': ['ground', 'outer'], 'at': [0, 0, 0], 'axis': 'z'},"
    "  'pitch': {'type': 'revolute', 'between': ['outer', 'inner'], 'at': [0, 0, 0], 'axis': 'x'},"
    "  'spin': {'type': 'revolute', 'between': ['inner', 'rotor'], 'at': [0, 0, 0], 'axis': 'y'}},"
    " 'start': {'spin.rate': 'spin', 'pitch.rate': 0.3, 'yaw.rate': 0}, 'outputs': {'a': 'axis(rotor, y)'}}";

static const char disc[] =
    "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'constants': {'spin': 50, 'th': '75*deg'},"
    " 'bodies': {'disc': {'position': [0, 0, '0.5*sin(th)'], 'euler': {'zxz': [0, 'th', 0]}, 'mass': 1,"
    "  'inertia': [0.0625, 0.0625, 0.125]}},"
    " 'joints': {'table': {'type': 'rolling-disc', 'between': ['ground', 'disc'], 'at': 'disc',"
    "  'axis': [0, '-sin(th)', 'cos(th)'], 'radius': 0.5}},"
    " 'start': {'disc.w1': 0.5, 'disc.w2': 0, 'disc.w3': '-spin'}, 'outputs': {'x': 'disc.x', 'y': 'disc.y', 'z': "
    "'disc.z'}}";

static const char bicycle[] =
    "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'constants': {'spin': 15},"
    " 'bodies': {'rear': {'mass': 2, 'inertia': [0.06, 0.12, 0.06], 'position': [0, 0, 0.3]},"
    "  'front': {'mass': 3, 'inertia': [0.14, 0.28, 0.14], 'position': [1, 0, 0.3]},"
    "  'frame': {'mass': 85, 'inertia': [9.2, 11, 2.8], 'position': [0.3, 0, 0.9]},"
    "  'fork': {'mass': 4, 'inertia': [0.06, 0.06, 0.01], 'position': [0.9, 0, 0.7]}},"
    " 'joints': {'gr': {'type': 'rolling-disc', 'between': ['ground', 'rear'], 'at': 'rear', 'axis': 'y', 'radius': "
    "0.3},"
    "  'gf': {'type': 'rolling-disc', 'between': ['ground', 'front'], 'at': 'front', 'axis': 'y', 'radius': 0.3},"
    "  'hr': {'type': 'revolute', 'between': ['frame', 'rear'], 'at': [0, 0, 0.3], 'axis': 'y'},"
    "  'hf': {'type': 'revolute', 'between': ['fork', 'front'], 'at': [1, 0, 0.3], 'axis': 'y'},"
    "  'steer': {'type': 'revolute', 'between': ['frame', 'fork'], 'at': [0.88, 0, 0.7], 'axis': ['-sin(0.3)', 0, "
    "'cos(0.3)']}},"
    " 'start': {'hr.rate': 'spin', 'frame.wx': 0.2, 'steer.rate': 0},"
    " 'outputs': {'x': 'frame.x', 'y': 'frame.y', 'z': 'frame.z', 'steer': 'steer.angle'}}";

enum { ROWS = 20, COLUMNS = 4, TOLERANCES = 5 };

typedef struct rows {
  long rhs;
  double value[ROWS][COLUMNS];
} rows;

static bool run(const char *text, double spin, double until, const char *integrator, double rtol, rows *r) {
  build b;
  char copy[2048];
  build_table table = {0};
  snprintf(copy, sizeof copy, "%s", text);
  for (char *c = copy; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(&b, 1);
  build_parse(&b, copy);
  build_set(&b, "/constants/spin", "%g", spin);
  build_set(&b, "/run/until", "%g", until);
  build_set(&b, "/run/every", "%.17g", until / ROWS);
  build_set(&b, "/run/integrator", "{\"type\": \"%s\", \"rtol\": %g}", integrator, rtol);
  const bool good = build_simulate(&b) && build_run(&b, &table);
  if (!good) FAIL("%s at %g: %s", integrator, rtol, b.message);
  r->rhs = good ? tn_sim_summary(b.sim)->rhs : 0;
  memset(r->value, 0, sizeof r->value);
  for (int i = 0; good && i < ROWS; i++)
    for (int k = 0; k < table.columns && k < COLUMNS; k++) r->value[i][k] = build_at(&table, i + 1, k);
  build_table_free(&table);
  build_free(&b);
  return good;
}

static double apart(const rows *a, const rows *b) {
  double most = 0, size = 0;
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COLUMNS; k++) {
      most = fmax(most, fabs(a->value[i][k] - b->value[i][k]));
      size = fmax(size, fabs(b->value[i][k]));
    }
  return most / size;
}

typedef struct point {
  double rhs, error;
} point;

typedef struct spinning {
  const char *name, *text;
  double spin, until;
  const char *integrator;
  point world[TOLERANCES]; /* of version 0.10, rtol 1e-5 .. 1e-9 */
} spinning;

/* disc and bicycle without abm, whose errors are soon those of roundoff */
static const spinning cases[] = {
    {"top",
     top,
     150,
     1,
     "dopri5",
     {{2795, 6.6e-05}, {4447, 4.9e-06}, {7051, 4.5e-07}, {11194, 3.8e-08}, {17732, 3.4e-09}}},
    {"top",
     top,
     150,
     1,
     "dop853",
     {{1902, 2.1e-05}, {2550, 1.5e-06}, {3390, 1.2e-07}, {4506, 1.1e-08}, {5994, 1.0e-09}}},
    {"top", top, 150, 1, "abm", {{938, 1.2e-05}, {1159, 1.5e-07}, {1269, 1.9e-07}, {1512, 1.3e-09}, {1528, 1.6e-09}}},
    {"top",
     top,
     150,
     1,
     "radau5",
     {{6213, 1.0e-04}, {7711, 8.2e-06}, {11091, 6.8e-07}, {19033, 2.4e-08}, {32483, 3.4e-09}}},
    {"top",
     top,
     1000,
     0.2,
     "dopri5",
     {{3838, 5.2e-05}, {6099, 3.3e-06}, {9669, 2.1e-07}, {15352, 1.3e-08}, {24326, 9.2e-10}}},
    {"top",
     top,
     1000,
     0.2,
     "dop853",
     {{1650, 5.9e-05}, {2154, 7.0e-06}, {2850, 7.6e-07}, {3786, 7.6e-08}, {5046, 7.9e-09}}},
    {"top",
     top,
     1000,
     0.2,
     "abm",
     {{1163, 5.7e-06}, {1542, 3.8e-08}, {1598, 1.1e-08}, {1907, 4.0e-09}, {2137, 6.3e-10}}},
    {"top",
     top,
     1000,
     0.2,
     "radau5",
     {{6116, 8.1e-05}, {7932, 9.8e-06}, {10789, 1.3e-06}, {16643, 1.3e-07}, {34546, 2.3e-09}}},
    {"gimbals",
     gimbals,
     150,
     1,
     "dopri5",
     {{2864, 3.3e-07}, {4551, 2.1e-08}, {7218, 1.4e-09}, {11439, 1.2e-10}, {18131, 1.1e-11}}},
    {"gimbals",
     gimbals,
     150,
     1,
     "dop853",
     {{1254, 2.3e-07}, {1650, 2.1e-08}, {2190, 1.7e-09}, {2898, 2.0e-10}, {3893, 1.6e-11}}},
    {"gimbals",
     gimbals,
     150,
     1,
     "abm",
     {{1004, 4.2e-07}, {1236, 3.8e-08}, {1533, 2.5e-09}, {1707, 8.4e-10}, {2026, 3.2e-11}}},
    {"gimbals",
     gimbals,
     150,
     1,
     "radau5",
     {{8610, 7.0e-07}, {9925, 5.0e-08}, {13195, 3.2e-09}, {22414, 1.2e-10}, {38110, 7.9e-12}}},
    {"gimbals",
     gimbals,
     1000,
     0.2,
     "dopri5",
     {{3858, 2.6e-08}, {6133, 1.6e-09}, {9724, 1.0e-10}, {15421, 7.5e-12}, {24437, 5.9e-13}}},
    {"gimbals",
     gimbals,
     1000,
     0.2,
     "dop853",
     {{1482, 2.3e-08}, {1902, 2.5e-09}, {2454, 2.9e-10}, {3210, 3.5e-11}, {4229, 3.2e-12}}},
    {"gimbals",
     gimbals,
     1000,
     0.2,
     "abm",
     {{1177, 2.7e-08}, {1627, 9.6e-10}, {2048, 1.5e-10}, {2070, 1.1e-10}, {2593, 1.2e-12}}},
    {"gimbals",
     gimbals,
     1000,
     0.2,
     "radau5",
     {{9290, 1.1e-07}, {10753, 8.0e-09}, {14249, 4.1e-10}, {24116, 1.9e-11}, {40692, 9.7e-13}}},
    {"disc",
     disc,
     50,
     0.5,
     "dopri5",
     {{575, 7.1e-09}, {911, 7.8e-10}, {1436, 7.6e-11}, {2276, 7.3e-12}, {3606, 7.1e-13}}},
    {"disc",
     disc,
     50,
     0.5,
     "dop853",
     {{378, 4.0e-09}, {509, 2.2e-10}, {641, 1.9e-11}, {833, 1.9e-12}, {1073, 1.8e-13}}},
    {"disc",
     disc,
     50,
     0.5,
     "radau5",
     {{1259, 3.5e-09}, {1882, 9.8e-11}, {2697, 6.5e-11}, {4367, 1.0e-11}, {7425, 5.9e-13}}},
    {"disc",
     disc,
     1000,
     0.05,
     "dopri5",
     {{1135, 4.0e-10}, {1807, 3.5e-11}, {2864, 3.4e-12}, {4550, 3.1e-13}, {7210, 2.9e-14}}},
    {"disc",
     disc,
     1000,
     0.05,
     "dop853",
     {{678, 2.1e-10}, {1040, 1.1e-11}, {1181, 1.2e-12}, {1577, 7.7e-14}, {2032, 1.6e-14}}},
    {"disc",
     disc,
     1000,
     0.05,
     "radau5",
     {{2597, 2.0e-10}, {3804, 1.8e-10}, {5594, 2.8e-12}, {8783, 2.4e-13}, {14924, 1.9e-14}}},
    {"bicycle",
     bicycle,
     1000,
     0.05,
     "dopri5",
     {{974, 4.9e-11}, {1541, 3.5e-12}, {2437, 2.6e-13}, {3871, 2.7e-14}, {6125, 1.9e-15}}},
    {"bicycle",
     bicycle,
     1000,
     0.05,
     "dop853",
     {{462, 1.3e-10}, {570, 2.8e-11}, {737, 1.4e-12}, {929, 1.0e-13}, {1181, 1.3e-14}}},
    {"bicycle",
     bicycle,
     1000,
     0.05,
     "radau5",
     {{2098, 3.7e-10}, {2172, 8.3e-11}, {2581, 2.6e-11}, {4705, 2.5e-12}, {7124, 2.1e-13}}},
};

/* the error that world axes had at so many right-hand sides, as a logarithm */
static double as_before(const spinning *c, double rhs) {
  int i = 1;
  while (i < TOLERANCES - 1 && rhs > c->world[i].rhs) i++;
  const point *a = &c->world[i - 1], *b = &c->world[i];
  const double share = log(rhs / a->rhs) / log(b->rhs / a->rhs);
  return log(a->error) + share * log(b->error / a->error);
}

TEST_FULL(wheels_and_rotors_as_in_world_axes) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const spinning *c = &cases[i];
    rows exact, r;
    double ratio[TOLERANCES];
    if (!run(c->text, c->spin, c->until, "dop853", 1e-13, &exact)) continue;
    printf("%s, %g rad/s, %s:", c->name, c->spin, c->integrator);
    for (int k = 0; k < TOLERANCES; k++) {
      if (!run(c->text, c->spin, c->until, c->integrator, pow(10, -5 - k), &r)) break;
      ratio[k] = exp(log(apart(&r, &exact)) - as_before(c, (double)r.rhs));
      printf(" {%ld, %.1e}", r.rhs, apart(&r, &exact));
    }
    for (int k = 1; k < TOLERANCES; k++) /* the middle one */
      for (int j = k; j > 0 && ratio[j] < ratio[j - 1]; j--) {
        const double swap = ratio[j];
        ratio[j] = ratio[j - 1], ratio[j - 1] = swap;
      }
    printf(": %.2g times the error at equal cost\n", ratio[TOLERANCES / 2]);
    CHECK(ratio[TOLERANCES / 2] <= 2);
  }
}
