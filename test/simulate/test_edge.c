/* rows of output at edges of drivers and laws: one side, all of it, that from which the motion comes; where a run ends there too, and for
 * those who ask the library. against closed forms. */
#include "support/build.h"
#include "test.h"

static const char *const integrators[] = {"dopri5",        "dop853",           "abm",
                                          "radau5",        "cvode-adams",      "cvode-bdf",
                                          "ida",           "arkode",           "rk4:step=0.01",
                                          "rk4:step=0.07", "dopri5:step=0.05", "dop853:step=0.1",
                                          "ab4:step=0.01", "ampc4:step=0.01",  "radau5:step=0.05"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

static bool has(const char *integrator) {
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const size_t n = strcspn(integrator, ":");
    if (strncmp(tn_integrator_types[i]->name, integrator, n) == 0 && !tn_integrator_types[i]->name[n]) return true;
  }
  return false;
}

/* a body of 2 kg along x that a driver moves against a damper of 3 N s/m, or that a force pushes; the edge is at t = 1 */
static const struct {
  const char *driver, *force;
  double before[3], after[3]; /* x, v, a at 1 - 0 and 1 + 0 */
} edges[] = {
    {"spline(ts, qs, t)", NULL, {4, -0.5, -27}, {4, 0, 0}}, /* -t/2 + 27 t^2/2 - 9 t^3: its end */
    {"table(kt, kq, t)", NULL, {0.5, 0.5, 0}, {0.5, -1, 0}},
    {"table(et, eq, t)", NULL, {0.5, 0.5, 0}, {0.5, 0, 0}}, /* its end */
    {"abs(t^2 - 1)", NULL, {0, -2, -2}, {0, 2, 2}},
    {"abs(t - 0.9999999999999999)", NULL, {0, -1, 0}, {0, 1, 0}}, /* roundoff before the row */
    {"min(t^2, 2 - t^2)", NULL, {1, 2, 2}, {1, -2, -2}},
    {"max(0, t - 1)*(1 + t)", NULL, {0, 0, 0}, {0, 2, 2}},
    {"if(t < 1, t^3, 3*t^2 - 3*t + 1)", NULL, {1, 3, 6}, {1, 3, 6}},
    {"if(t <= 1, t^2, 2*t - 1)", NULL, {1, 2, 2}, {1, 2, 0}},
    {"step(t, 0, 0, 1, 1)", NULL, {1, 0, -6}, {1, 0, 0}},
    {"step(t - 1)*(t - 1)^2 + t", NULL, {1, 1, 0}, {1, 1, 2}},
    {NULL, "if(t < 1, 5, -5)", {1.25 + 1, 2.5 + 1, 2.5}, {2.25, 3.5, -2.5}},
    {NULL, "if(t > 1, 5, -5)", {-1.25 + 1, -2.5 + 1, -2.5}, {-0.25, -1.5, 2.5}},
    {NULL, "4*step(t - 1)", {1, 1, 0}, {1, 1, 2}},
    {NULL,
     "table(et, eq, t) + spline(ts, qs, t)*step(1 - t)",
     {1 + 0.5 / 12 + 0.80416666666666667 - 0.5 / 24, 0, 2.25},
     {0, 0, 0.25}},
    {NULL, "if(x >= 1, 8, 0)", {1, 1, 0}, {1, 1, 4}},
    {NULL, "if(x < 1, 0, 8)", {1, 1, 0}, {1, 1, 4}},
};
enum { EDGES = sizeof edges / sizeof *edges };

/* a law that an output can repeat */
static bool of_time(int i) { return edges[i].force && !strchr(edges[i].force, 'x'); }

static void model(int i, char *text, size_t size, double until, double every) {
  char part[512];
  if (edges[i].driver)
    snprintf(part, sizeof part,
             "'joints': {'d': {'type': 'driver', 'on': 'c.x', 'value': '%s'}}, 'forces': {'f': "
             "{'type': 'force', 'on': 'c', 'value': ['-3*c.vx', 0]}}, ",
             edges[i].driver);
  else
    snprintf(part, sizeof part,
             "'start': {'c.vx': 1}, 'forces': {'f': {'type': 'force', 'on': 'c', 'value': ['%s', 0]}}, ",
             edges[i].force);
  snprintf(
      text, size,
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'c': {'mass': 2, 'coordinates': 'point'}}, %s"
      "'tables': {'ts': [0, '1/3', '2/3', 1], 'qs': [0, 1, 3, 4], 'kt': [0, 1, 3], 'kq': [0, 0.5, -1.5], 'et': [0, "
      "1], 'eq': [0, 0.5]}, 'outputs': {'x': 'c.x', 'v': 'c.vx', 'a': 'c.ax', 'E': 'energy.kinetic', 'f': 'f.power'%s, "
      "'law': '%s', 'now': 't'},"
      " 'run': {'until': %.17g, 'every': %.17g}}",
      part, edges[i].driver ? ", 'F': 'd.load', 'P': 'd.power'" : "", of_time(i) ? edges[i].force : "c.x", until,
      every);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
}

static bool made(build *b, const char *text, const char *integrator, const char *formulation) {
  tn_error e;
  build_new(b, 1);
  build_parse(b, text);
  if (!b->failed && integrator && tn_desc_part(b->desc, "/run/integrator", integrator, &e))
    build_fail(b, "%s", e.message);
  if (!b->failed && formulation && tn_desc_part(b->desc, "/run/formulation", formulation, &e))
    build_fail(b, "%s", e.message);
  if (!b->failed) build_simulate(b);
  if (b->failed) FAIL("%s", b->message);
  return !b->failed;
}

/* numbers of one row or of channels: x v a E f F P */
static void one_side(int i, const double *row, const char *what) {
  const double *s = edges[i].before, tolerance = 1e-4, v = row[1], a = row[2];
  bool good = fabs(a - s[2]) < tolerance && fabs(row[3] - v * v) < tolerance;
  if (edges[i].driver) {
    good =
        good && fabs(row[0] - s[0]) < tolerance && fabs(v - s[1]) < tolerance && fabs(row[4] + 3 * v * v) < tolerance;
    good = good && fabs(row[5] - (2 * s[2] + 3 * s[1])) < tolerance && fabs(row[6] - row[5] * s[1]) < tolerance;
  } else {
    good = good && fabs(row[4] - 2 * s[2] * v) < tolerance;
  }
  if (!good)
    FAIL("%s, %s: x %g v %g a %g E %g f %g F %g P %g", edges[i].driver ? edges[i].driver : edges[i].force, what, row[0],
         row[1], row[2], row[3], row[4], edges[i].driver ? row[5] : 0, edges[i].driver ? row[6] : 0);
}

/* in mid-run and where it ends, with rows whose times are the edge to the last digit or roundoff beside it */
TEST(a_row_at_an_edge_is_of_the_side_before) {
  static const double until[] = {1, 1.5}, every[] = {0.5, 0.1, 0.2, 1.0 / 3, 1.0 / 7};
  char text[2048];
  for (int k = 0; k < INTEGRATORS; k++)
    for (int i = 0; has(integrators[k]) && i < EDGES; i++)
      for (int u = 0; u < 2; u++)
        for (int e = 0; e < 5; e++) {
          build b;
          build_table rows = {0};
          bool seen = false;
          model(i, text, sizeof text, until[u], every[e]);
          if (!made(&b, text, integrators[k], NULL)) return;
          if (!build_run(&b, &rows)) FAIL("%s: %s", integrators[k], b.message);
          for (int r = 0; r < rows.rows; r++) {
            if (fabs(build_at(&rows, r, -1) - 1) > 1e-9) continue;
            const double *row = rows.value + r * (rows.columns + 1) + 1;
            one_side(i, row, integrators[k]);
            if (of_time(i)) CHECK_NEAR(row[5], 2 * edges[i].before[2], 1e-4);
            CHECK_NEAR(row[rows.columns - 1], build_at(&rows, r, -1), 2e-15); /* and no further back */
            seen = true;
          }
          CHECK(seen || u == 1);
          build_table_free(&rows);
          build_free(&b);
        }
}

static void asked(build *b, int i, double *row) {
  static const char *const names[] = {"c.x", "c.vx", "c.ax", "energy.kinetic", "f.power", "d.load", "d.power"};
  for (int k = 0; k < (edges[i].driver ? 7 : 5); k++) row[k] = build_channel(b, "%s", names[k]);
  if (b->failed) FAIL("%s", b->message);
  CHECK(tn_sim_u(b->sim)[0] == row[1]);
}

/* by the library: where it was led to the edge, where a run has ended there, and beyond */
TEST(channels_at_an_edge) {
  static const char *const formulations[] = {"augmented", "partition:layout=independent", "nullspace"};
  char text[2048];
  double row[7];
  for (int k = 0; k < INTEGRATORS; k++)
    for (int i = 0; has(integrators[k]) && i < EDGES; i++)
      for (int f = 0; f < (k < 4 && edges[i].driver ? 3 : 1); f++) {
        build b;
        tn_error e;
        tn_eval at;
        model(i, text, sizeof text, 1, 0.5);
        if (!made(&b, text, integrators[k], formulations[f])) return;
        CHECK(tn_sim_advance(b.sim, 0.3, &e) == TN_OK && tn_sim_advance(b.sim, 1, &e) == TN_OK);
        asked(&b, i, row);
        one_side(i, row, integrators[k]);
        CHECK(tn_sim_eval(b.sim, &at, &e) == TN_OK);
        CHECK_NEAR(at.udot[0], edges[i].before[2], 1e-4);
        CHECK(tn_sim_advance(b.sim, 1 + 1e-7, &e) == TN_OK);
        asked(&b, i, row);
        CHECK_NEAR(row[2], edges[i].after[2], 1e-4);
        if (edges[i].driver) CHECK_NEAR(row[1], edges[i].after[1], 1e-4);
        build_free(&b);
        if (!made(&b, text, integrators[k], formulations[f])) return;
        CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_OK);
        asked(&b, i, row);
        one_side(i, row, integrators[k]);
        build_free(&b);
      }
}

/* an event at the time of a kink: it comes behind it, and its row is of that side, all of it */
TEST(an_event_at_a_kink) {
  for (int k = 0; k < INTEGRATORS; k++) {
    build b;
    build_table rows = {0};
    if (!has(integrators[k])) continue;
    if (!made(
            &b,
            "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"bodies\": {\"c\": {\"mass\": 2, \"coordinates\": "
            "\"point\"}}, \"joints\": {\"d\": {\"type\": \"driver\", \"on\": \"c.x\", \"value\": \"if(t > 1, 2 - t^2, "
            "t^2)\"}}, \"events\": {\"e\": {\"when\": \"t > 1\", \"do\": \"record\"}}, \"outputs\": {\"v\": \"c.vx\", "
            "\"a\": \"c.ax\", \"F\": \"d.load\", \"E\": \"energy.kinetic\"}, \"run\": {\"until\": 1.5, \"every\": "
            "0.5}}",
            integrators[k], NULL))
      return;
    if (!build_run(&b, &rows)) FAIL("%s: %s", integrators[k], b.message);
    CHECK(rows.rows == 5);
    for (int i = 2; rows.rows == 5 && i < 4; i++) {
      const double sign = i == 2 ? 1 : -1;
      CHECK_NEAR(build_at(&rows, i, -1), 1, 1e-9);
      CHECK_NEAR(build_at(&rows, i, 0), sign * 2, 1e-4);
      CHECK_NEAR(build_at(&rows, i, 1), sign * 2, 1e-4);
      CHECK_NEAR(build_at(&rows, i, 2), sign * 4, 1e-4);
      CHECK_NEAR(build_at(&rows, i, 3), 4, 1e-4);
    }
    build_table_free(&rows);
    build_free(&b);
  }
}
