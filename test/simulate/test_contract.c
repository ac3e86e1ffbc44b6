/* the contract: how violations are scaled, what a breach does, and that rows between steps are as good as the steps.
 * ' stands for " in the models here. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

#define HEAD "{'tenon': 1, 'dimension': 2, "

static void simulated(build *b, const char *model) {
  char text[8000];
  if (strlen(model) >= sizeof text) abort();
  for (char *c = strcpy(text, model); *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
  CHECK(build_simulate(b));
  if (b->failed) printf("%s\n", b->message);
}

static void loose_four_bar(build *b, const char *breach) {
  build_new(b, 1);
  build_read(b, "four_bar");
  build_set(b, "/run/method", "\"fci\"");
  build_set(b, "/run/until", "1");
  build_set(b, "/run/integrator/rtol", "1e-3");
  build_set(b, "/run/contract/breach", "\"%s\"", breach);
  CHECK(build_simulate(b));
}

typedef struct page {
  char text[20000];
  size_t used;
} page;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (p->used + size >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

static tn_status keep_time(void *user, double t, int n, const double *values) {
  (void)n, (void)values;
  *(double *)user = t;
  return TN_OK;
}

TEST(a_breach_stops_and_is_named) {
  build b;
  tn_error e;
  double last = -1;
  static page report;
  loose_four_bar(&b, "stop");
  CHECK(tn_sim_run(b.sim, keep_time, &last, &e) == TN_E_RUN);
  const tn_summary *s = tn_sim_summary(b.sim);
  CHECK(e.status == TN_E_RUN && s->status == TN_E_RUN && (int)s->status == 3); /* the exit code */
  CHECK(strncmp(e.message, "contract broken: joint '", 24) == 0);
  CHECK_HAS(e.message, s->worst_joint);
  CHECK_HAS(e.message, "off by");
  CHECK(strlen(s->worst_joint) == 1 && strchr("ABCD", s->worst_joint[0]));
  CHECK(e.time > 0 && e.time < 1 && e.time == s->worst_time && s->t_end == e.time && tn_sim_time(b.sim) == e.time);
  CHECK(last >= 0 && last <= e.time);
  CHECK(!s->contract_kept && strncmp(s->contract_text, "contract broken: joint '", 24) == 0);
  char time[40];
  snprintf(time, sizeof time, "t = %.6g s", e.time);
  CHECK_HAS(s->contract_text, time);
  CHECK_HAS(s->message, "contract broken: ");
  CHECK_HAS(s->message, " at t = ");
  /* the size it names is the size it has, in m or m/s; the model is 4.123 m long */
  const char *off = strstr(e.message, "off by ");
  const double size = off ? strtod(off + 7, NULL) : NAN;
  const bool position = strstr(e.message, "position off") != NULL;
  const double length = sqrt(17);
  CHECK_NEAR(size / length / (position ? s->max_position_violation : s->max_velocity_violation), 1, 5e-3);
  CHECK(size > length * (position ? 1e-8 : 1e-6));
  CHECK_HAS(e.message, position ? " m, allowed 4.12e-08 m" : " m/s, allowed 4.12e-06 m/s");
  CHECK(tn_sim_events(b.sim) == 1);
  if (tn_sim_events(b.sim) == 1) CHECK_TEXT(tn_sim_event(b.sim, 0)->kind, "contract");
  CHECK(tn_report_text(b.sim, "m", to_page, &report) == TN_OK &&
        strncmp(report.text, "verdict: wrong\n  wrong: contract broken: ", 40) == 0);
  CHECK_HAS(report.text, "; largest violation: position ");
  CHECK_HAS(report.text, "stopped: contract broken");
  build_free(&b);
}

TEST(a_breach_that_is_recorded_goes_on) {
  build b;
  build_table t = {0};
  static page report;
  loose_four_bar(&b, "record");
  CHECK(build_run(&b, &t) && t.rows == 101);
  const tn_summary *s = tn_sim_summary(b.sim);
  CHECK(s->status == TN_OK && s->t_end == 1 && !s->contract_kept);
  CHECK(s->max_position_violation > 1e-8 && s->max_velocity_violation > 1e-6);
  CHECK_TEXT(s->message, "done");
  int told = 0;
  for (int i = 0; i < tn_sim_events(b.sim); i++) told += strcmp(tn_sim_event(b.sim, i)->kind, "contract") == 0;
  CHECK(told == 1); /* the first, not every one */
  CHECK(tn_report_text(b.sim, "m", to_page, &report) == TN_OK &&
        strncmp(report.text, "verdict: wrong\n  wrong: contract broken: ", 40) == 0);
  build_table_free(&t);
  build_free(&b);
}

TEST(a_contract_that_allows_it_is_kept) {
  build b;
  build_table t = {0};
  static page report;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run",
            "{\"until\": 1, \"method\": \"fci\", \"integrator\": {\"rtol\": 1e-3},"
            " \"contract\": {\"position\": 0.01, \"velocity\": 1}}");
  CHECK(build_simulate(&b) && build_run(&b, &t));
  const tn_summary *s = tn_sim_summary(b.sim);
  CHECK(s->contract_kept && !*s->contract_text && s->max_position_violation > 1e-8 && tn_sim_events(b.sim) == 0);
  CHECK(tn_report_text(b.sim, "m", to_page, &report) == TN_OK && !strstr(report.text, "roken"));
  CHECK_HAS(report.text, ": kept)");
  CHECK_HAS(report.text, " of 4.123 m, velocity ");
  CHECK_HAS(report.text, " of 4.123 m/s (contract 1e-02, 1e+00: kept)");
  build_table_free(&t);
  build_free(&b);
  /* broken by the velocity alone */
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run",
            "{\"until\": 1, \"method\": \"fci\", \"integrator\": {\"rtol\": 1e-3}, \"contract\": {\"position\": 1}}");
  CHECK(build_simulate(&b) && !build_run(&b, &t));
  CHECK_HAS(b.message, "velocity off by");
  build_table_free(&t);
  build_free(&b);
}

/* ---- scaling, by hand ----------------------------------------------------------------------------------------------- */

/* the state as it is, which is off */
static void check_violation(build *b, const double *q, const double *u, double position, double velocity,
                            const char *joint) {
  tn_error e;
  if (b->failed) return;
  CHECK(tn_sim_set(b->sim, 0, q, u, false, &e) == TN_OK); /* as it is: not judged yet */
  b->sim->e = &e;
  CHECK(tn_contract_check(b->sim, 0) == TN_E_RUN);
  const tn_summary *s = tn_sim_summary(b->sim);
  CHECK_NEAR(s->max_position_violation, position, 1e-14);
  CHECK_NEAR(s->max_velocity_violation, velocity, 1e-14);
  CHECK_TEXT(s->worst_joint, joint);
  char channel[40];
  double value = NAN;
  snprintf(channel, sizeof channel, "%s.violation", joint);
  CHECK(tn_sim_channel(b->sim, channel, &value, &e) == TN_OK);
  CHECK_NEAR(value, position, 1e-14);
}

TEST(lengths_are_scaled_by_the_length_of_the_model) {
  static const double q[] = {6, 8}, u[] = {1, 2};
  build b;
  /* length of the model: from (0, 0) to (3, 4) */
  simulated(&b, HEAD "'bodies': {'p': {'mass': 1, 'position': [3, 4], 'coordinates': 'point'}},"
                     "'joints': {'d': {'type': 'distance', 'between': ['ground', 'p'], 'at': [[0, 0], 'p']}}}");
  check_violation(&b, q, u, 5.0 / 5, (0.6 * 1 + 0.8 * 2) / 5, "d");
  build_free(&b);
  simulated(&b, HEAD "'bodies': {'p': {'mass': 1, 'position': [3, 4], 'coordinates': 'point'}}, 'joints': {'d': "
                     "{'type': 'distance', 'between': ['ground', 'p'], 'at': [[0, 0], 'p'], 'form': 'squared'}}}");
  check_violation(&b, q, u, (100.0 - 25) / (2 * 25), 2 * (6 * 1 + 8 * 2) / (2 * 25.0), "d");
  build_free(&b);
}

TEST(angles_are_radians_and_the_worst_row_counts) {
  static const char model[] = HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1, 'position': [0, 0], 'center': [2, 0]}},"
                                   "'joints': {'w': {'type': 'weld', 'between': ['ground', 'k'], 'at': [0, 0]}}}";
  build b;
  simulated(&b, model);
  check_violation(&b, (double[]){0.1, 0.2, 0.25}, (double[]){3, 0, 1}, 0.25, 1.5, "w"); /* 0.2/2 < 0.25; 3/2 > 1 */
  build_free(&b);
  simulated(&b, model);
  check_violation(&b, (double[]){0.1, -0.9, 0.25}, (double[]){0, 0, -1}, 0.45, 1, "w");
  build_free(&b);
}

/* ---- rows between steps ------------------------------------------------------------------------------------------------ */

#define PENDULUM                                                                                                       \
  HEAD "'gravity': [0, -9.81], 'bodies': {'bob': {'mass': 1, 'position': [1, 0], 'coordinates': 'point'}},"            \
       "'joints': {'rod': {'type': 'distance', 'between': ['ground', 'bob'], 'at': [[0, 0], 'bob'],"                   \
       "                   'form': 'squared'}},"                                                                       \
       "'outputs': {'C': 'bob.x^2 + bob.y^2 - 1', 'D': '2*(bob.x*bob.vx + bob.y*bob.vy)', 'v': 'rod.violation',"       \
       "            'f': 'norm(force(rod))', 'down': '-bob.y',"                                                        \
       "            'a': 'bob.x*bob.ax + bob.y*bob.ay + bob.vx^2 + bob.vy^2'},"

TEST(rows_between_projected_steps_are_on_the_constraints) {
  static const char *const run[] = {
      PENDULUM "'run': {'until': 1.5, 'every': 0.007, 'integrator': {'rtol': 1e-4}}}",
      PENDULUM "'run': {'until': 1.5, 'every': 0.007, 'integrator': {'type': 'rk4', 'step': 0.05}}}",
      PENDULUM
      "'run': {'until': 1.5, 'every': 0.007, 'method': 'direct', 'integrator': {'type': 'dopri5', 'step': 0.05}}}"};
  for (int i = 0; i < 3; i++) {
    build b;
    build_table t = {0};
    simulated(&b, run[i]);
    CHECK(build_run(&b, &t) && t.rows > 200 && tn_sim_summary(b.sim)->steps < 90); /* most rows lie inside steps */
    double worst[4] = {0, 0, 0, 0}, off = 0;
    for (int k = 0; k < t.rows; k++) {
      for (int c = 0; c < 3; c++) worst[c] = fmax(worst[c], fabs(build_at(&t, k, c)));
      worst[3] = fmax(worst[3], fabs(build_at(&t, k, 5))); /* accelerations fit too */
      /* and they are rows of the motion: tension 3 g times the height fallen */
      off = fmax(off, fabs(build_at(&t, k, 3) - 3 * 9.81 * build_at(&t, k, 4)));
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(worst[k], 0, 1e-12);
    CHECK_NEAR(worst[3], 0, 1e-11);
    CHECK(off < 0.02);
    build_table_free(&t);
    build_free(&b);
  }
}

/* without a stabilizer the rows show the drift of the steps: linear between C of one end and C of the other */
TEST(rows_between_drifting_steps_are_on_their_level) {
  build b;
  build_table t = {0};
  simulated(&b, PENDULUM "'run': {'until': 1, 'every': 0.01, 'method': 'fci',"
                         "'integrator': {'type': 'rk4', 'step': 0.05}, 'contract': {'breach': 'record'}}}");
  CHECK(build_run(&b, &t) && t.rows == 101);
  double drift = 0;
  for (int k = 0; k < t.rows && !b.failed; k++) {
    const int from = k / 5 * 5, to = from + (k % 5 ? 5 : 0);
    const double theta = (k - from) / 5.0;
    for (int c = 0; c < 2; c++) {
      const double level = (1 - theta) * build_at(&t, from, c) + theta * build_at(&t, to, c);
      CHECK_NEAR(build_at(&t, k, c), level, c ? 1e-9 : 1e-12);
      drift = fmax(drift, fabs(level));
    }
    CHECK_NEAR(build_at(&t, k, 2), fabs(build_at(&t, k, 0)) / 2, 1e-15); /* squared row, length 1 */
  }
  CHECK(drift > 1e-6); /* else nothing was tested */
  build_table_free(&t);
  build_free(&b);
}

/* ---- starts that are off ------------------------------------------------------------------------------------------------ */

TEST(a_start_as_given_is_judged_from_the_first_step) {
  static const char *const method[] = {"fci", "project"};
  for (int i = 0; i < 2; i++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "pendulum");
    build_set(&b, "/start", "{\"mode\": \"as-given\", \"bob.x\": 1.01}");
    build_set(&b, "/run/method", "\"%s\"", method[i]);
    CHECK(build_simulate(&b)); /* not judged yet */
    const tn_status status = tn_sim_run(b.sim, NULL, NULL, &e);
    const tn_summary *s = tn_sim_summary(b.sim);
    CHECK(status == (i ? TN_OK : TN_E_RUN));
    if (i == 0) CHECK(s->steps == 1 && strstr(e.message, "joint 'rod', position off by 0.0"));
    if (i == 1) CHECK(s->contract_kept && s->max_position_violation < 1e-14);
    build_free(&b);
  }
}
