/* singular positions on the way: found where they are, once each, with the joints whose rows become dependent; a near miss is not
 * one; and what a run does that shall stop there. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

/* a parallelogram that turns at a constant rate of -1 rad/s from 0.5 rad: flat at t = 0.5 and again at 0.5 + pi. `long` makes the
 * coupler longer, `third` adds a crank in the middle and with it a redundant row */
static void parallelogram(build *b, double longer, bool third, const char *integrator, bool relative, double until) {
  char text[4000];
  snprintf(
      text, sizeof text,
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'constants': {'th': 0.5, 'l': %.17g},"
      "'points': {'A': [0, 0], 'D': [2, 0], 'B': ['cos(th)', 'sin(th)'], 'C': ['2 + cos(th)', 'sin(th)'], 'M': [1, 0],"
      " 'N': ['1 + cos(th)', 'sin(th)']},"
      "'bodies': {'a': {'rod': ['A', 'B'], 'mass': 1}, 'c': {'rod': ['D', 'C'], 'mass': 1}%s,"
      " 'b': {'mass': 1, 'inertia': 0.3, 'position': 'B'}},"
      "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'a'], 'at': 'A'},"
      " 'B': {'type': 'revolute', 'between': ['a', 'b'], 'at': 'B'},"
      " 'C': {'type': 'revolute', 'between': ['b', 'c'], 'on_bodies': [['2 + l', 0], [1, 0]]},"
      " 'D': {'type': 'revolute', 'between': ['ground', 'c'], 'at': 'D'}%s},"
      "'start': {'a.rate': -1}, 'outputs': {'angle': 'a.angle', 'off': 'c.angle - a.angle'},"
      "'run': {'until': %g, 'every': 0.05, 'integrator': %s}}",
      longer, third ? ", 'm': {'rod': ['M', 'N'], 'mass': 1}" : "",
      third ? ", 'M': {'type': 'revolute', 'between': ['ground', 'm'], 'at': 'M'},"
              " 'N': {'type': 'revolute', 'between': ['m', 'b'], 'at': 'N'}"
            : "",
      until, integrator);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
  if (relative) build_set(b, "/coordinates", "\"relative\"");
}

static const char *const integrators[] = {"{'type': 'dopri5', 'rtol': 1e-6, 'max_step': 1}",
                                          "{'type': 'dopri5', 'rtol': 1e-8, 'max_step': 1}",
                                          "{'type': 'dopri5', 'rtol': 1e-11, 'max_step': 1}",
                                          "{'type': 'rk4', 'step': 0.1}",
                                          "{'type': 'rk4', 'step': 0.03}",
                                          "{'type': 'rk4', 'step': 0.007}"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

static int events_of(const tn_sim *s, const char *kind) {
  int n = 0;
  for (int i = 0; i < tn_sim_events(s); i++) n += strcmp(tn_sim_event(s, i)->kind, kind) == 0;
  return n;
}

static void crossings(bool third, bool relative, const char *names) {
  static const double at[] = {0.5, 0.5 + 3.141592653589793};
  for (int k = 0; k < INTEGRATORS; k++) {
    build b;
    build_table t = {0};
    parallelogram(&b, 0, third, integrators[k], relative, 4);
    if (!build_simulate(&b) || !build_run(&b, &t)) FAIL("%s: %s", integrators[k], b.message);
    if (b.failed) return;
    CHECK(tn_sim_summary(b.sim)->redundant_rows == third);
    if (b.sim->singular.count != 2 || events_of(b.sim, "singular") != 2 ||
        tn_sim_summary(b.sim)->singular_positions != 2)
      FAIL("%s: %d positions, %d events", integrators[k], b.sim->singular.count, events_of(b.sim, "singular"));
    for (int i = 0; i < 2 && i < b.sim->singular.count; i++) {
      const tn_singular *p = &b.sim->singular.found[i];
      char text[200] = "";
      for (int j = 0; j < p->joints; j++) strcat(text, b.model->joint[p->joint[j]].name);
      CHECK_TEXT(text, names);
      /* the motion itself is off by what its tolerance leaves */
      CHECK_NEAR(p->t, at[i], k == 0 ? 1e-4 : k == 3 ? 1e-4 : 1e-6);
      CHECK(p->rho < 1e-12 && p->smooth && p->change < 0.1 && p->kind == TN_SINGULAR_PASSED);
    }
    CHECK_NEAR(build_at(&t, t.rows - 1, 1), 0, 1e-3); /* and it stayed a parallelogram */
    build_table_free(&t);
    build_free(&b);
  }
}

TEST(found_where_they_are) { crossings(false, false, "ABCD"); }
TEST(found_in_relative_coordinates) { crossings(false, true, "ABCD"); }
TEST(found_beside_redundant_rows) { crossings(true, false, "ABCDMN"); }

/* steps of many lengths, which come near in many ways; with redundant rows rho must not jump with the choice of what is left out */
TEST(found_by_steps_of_any_length) {
  for (int third = 0; third < 2; third++)
    for (int k = 0; k < 40; k++) {
      char integrator[80];
      build b;
      build_table t = {0};
      snprintf(integrator, sizeof integrator, "{'type': 'rk4', 'step': %.6f}", 0.004 + 0.00213 * k);
      parallelogram(&b, 0, third, integrator, false, 4);
      if (!build_simulate(&b) || !build_run(&b, &t)) FAIL("%s: %s", integrator, b.message);
      if (b.failed) return;
      if (b.sim->singular.count != 2)
        FAIL("%s, %s: %d positions", integrator, third ? "redundant" : "", b.sim->singular.count);
      build_table_free(&t);
      build_free(&b);
    }
}

/* links of 4 (ground), 2, 3 and 3: they lie in line with the crank at half a turn, and nowhere else are they symmetric. The way between
 * the ends of long steps leaves the constraints, there the angles would pass pi at different times, and rho stay away from 0 */
TEST(found_in_long_steps) {
  static const char linkage[] =
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'constants': {'th': 2.6},"
      "'points': {'A': [0, 0], 'D': [4, 0], 'B': ['2*cos(th)', '2*sin(th)'], 'C': [0.6, 1.5]},"
      "'bodies': {'a': {'rod': ['A', 'B'], 'mass': 1}, 'b': {'mass': 1, 'inertia': 0.7, 'position': 'B', 'angle': 0.2},"
      " 'c': {'mass': 2, 'inertia': 1, 'position': 'D', 'angle': 2.7}},"
      "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'a'], 'at': 'A'},"
      " 'B': {'type': 'revolute', 'between': ['a', 'b'], 'on_bodies': [[2, 0], [0, 0]]},"
      " 'C': {'type': 'revolute', 'between': ['b', 'c'], 'on_bodies': [[3, 0], [3, 0]]},"
      " 'D': {'type': 'revolute', 'between': ['ground', 'c'], 'at': 'D'}},"
      "'start': {'a.angle': 2.6, 'a.rate': 1}, 'outputs': {'a': 'a.angle', 'b': 'b.angle', 'c': 'c.angle'},"
      "'run': {'until': 1, 'every': 0.1}}";
  char text[sizeof linkage];
  double reference = 0;
  snprintf(text, sizeof text, "%s", linkage);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  for (int k = 0; k < 6; k++) {
    build b;
    build_table t = {0};
    build_new(&b, 1);
    build_parse(&b, text);
    build_set(&b, "/run/integrator", k ? "{\"type\": \"dopri5\", \"step\": %g}" : "{\"rtol\": 1e-12}", 0.04 * k);
    if (!build_simulate(&b) || !build_run(&b, &t)) FAIL("%s", b.message);
    if (b.failed) return;
    if (b.sim->singular.count != 1)
      FAIL("step %g: %d positions, nearest %g", 0.04 * k, b.sim->singular.count, b.sim->singular.nearest_rho);
    const tn_singular *p = &b.sim->singular.found[0];
    if (!k) reference = p->t;
    CHECK_NEAR(p->t, reference, 2e-3);
    printf("step %g: t = %.6f s, rho %.1e\n", 0.04 * k, p->t, p->rho);
    CHECK(p->rho < 1e-10 && p->joints == 4);
    build_table_free(&t);
    build_free(&b);
  }
}

/* a coupler longer by 1 mm never lies flat with the cranks: the nearest is rho of the order of the angle squared at which it turns */
TEST(a_near_miss_is_not_one) {
  for (int k = 0; k < INTEGRATORS; k++) {
    build b;
    build_table t = {0};
    parallelogram(&b, 1e-3, false, integrators[k], false, 1);
    build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
    if (!build_simulate(&b) || !build_run(&b, &t)) FAIL("%s: %s", integrators[k], b.message);
    if (b.failed) return;
    CHECK(b.sim->singular.count == 0 && events_of(b.sim, "singular") == 0);
    CHECK(b.sim->singular.nearest_rho > 1e-8 && b.sim->singular.nearest_rho < 1e-1);
    CHECK(b.sim->singular.nearest_rho == 1 || fabs(b.sim->singular.nearest_time - 0.5) < 0.1);
    build_table_free(&t);
    build_free(&b);
  }
}

/* it starts there, at rest and on its way; and at rest it stays without a word more */
TEST(a_start_there) {
  for (int rest = 0; rest < 2; rest++) {
    build b;
    build_table t = {0};
    parallelogram(&b, 0, false, integrators[1], false, 2);
    build_set(&b, "/constants/th", "0");
    build_set(&b, "/start", rest ? "{}" : "{\"a.rate\": -1, \"c.rate\": -1}");
    if (!build_simulate(&b) || !build_run(&b, &t)) FAIL("%s", b.message);
    if (b.failed) return;
    CHECK(b.sim->singular.count == 1 && events_of(b.sim, "singular") == 1);
    CHECK(b.sim->singular.found[0].t == 0 && b.sim->singular.found[0].kind == TN_SINGULAR_START);
    CHECK_HAS(tn_sim_event(b.sim, 0)->text, "starts there: rows of 'A', 'B', 'C', 'D' dependent, rho ");
    build_table_free(&t);
    build_free(&b);
  }
}

/* far from any there is nothing to tell */
TEST(nothing_far_away) {
  build b;
  build_table t = {0};
  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_simulate(&b) && build_run(&b, &t));
  if (b.failed) return;
  CHECK(b.sim->singular.count == 0 && tn_sim_summary(b.sim)->singular_positions == 0);
  build_table_free(&t);
  build_free(&b);
}

TEST(a_run_that_shall_stop_there) {
  for (int k = 0; k < INTEGRATORS; k++) {
    build b;
    build_table t = {0};
    tn_error e;
    parallelogram(&b, 0, false, integrators[k], false, 4);
    build_set(&b, "/run/at_singularity", "\"stop\"");
    CHECK(build_simulate(&b));
    if (b.failed) return;
    CHECK(!build_run(&b, &t));
    const tn_summary *sum = tn_sim_summary(b.sim);
    CHECK(sum->status == TN_E_RUN && sum->t_end < 0.5 && sum->t_end > 0.3 && sum->singular_positions == 1);
    CHECK_HAS(sum->message,
              "a singular position: the rows of 'A', 'B', 'C', 'D' become dependent, rho below 1e-14 at t = ");
    CHECK_HAS(sum->message, "--at-singularity pass");
    CHECK(t.rows >= 6); /* what was written before stays */
    CHECK_NEAR(b.sim->singular.found[0].t, 0.5, 1e-4);
    CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_E_RUN);
    CHECK_HAS(e.message, "has stopped before");
    /* another state, and it goes on */
    CHECK(tn_sim_set(b.sim, 0, b.model->q0, NULL, true, &e) == TN_OK && b.sim->singular.count == 0);
    build_table_free(&t);
    build_free(&b);
  }
}

TEST(settings_say_it) {
  build b;
  char text[1000];
  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_compile(&b) && !b.model->run.singular_stops);
  tn_model_settings(b.model, text, sizeof text);
  CHECK(!strstr(text, "singularity"));
  build_free(&b);
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run/at_singularity", "\"stop\"");
  CHECK(build_compile(&b) && b.model->run.singular_stops);
  tn_model_settings(b.model, text, sizeof text);
  CHECK_HAS(text, "--at-singularity stop");
  build_free(&b);
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run/at_singularity", "\"halt\"");
  CHECK(!build_compile(&b));
  CHECK_HAS(b.message, "at_singularity");
  build_free(&b);
}
