/* a run with a second one beside it: errors that it tells against errors that are known. */
#include "study/study.h"

#include "support/build.h"
#include "support/failing.h"
#include "support/reference.h"
#include "test.h"

/* ---- support ------------------------------------------------------------------------------------------------------------- */

static void parse(build *b, const char *text) {
  char *copy = strdup(text);
  if (!copy) abort();
  for (char *c = copy; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, copy);
  free(copy);
}

static void set(build *b, const char *name, const char *value) {
  tn_error e;
  const tn_setting s = {name, value};
  if (!b->failed && tn_desc_settings(b->desc, 1, &s, &e) != TN_OK) build_fail(b, "%s", e.message);
}

static tn_status keep(void *user, double t, int n, const double *values) {
  build_table *r = user;
  if (r->rows == r->room) {
    r->room = 2 * r->room + 64;
    if (!(r->value = realloc(r->value, sizeof *r->value * (size_t)(n + 1) * (size_t)r->room))) abort();
  }
  r->columns = n;
  r->value[(int64_t)r->rows * (n + 1)] = t;
  memcpy(r->value + (int64_t)r->rows++ * (n + 1) + 1, values, sizeof *values * (size_t)n);
  return TN_OK;
}

/* both runs of what b describes; rows of the first in `table` */
static tn_verify *verify(build *b, build_table *table, tn_status expected) {
  tn_verify *v = NULL;
  tn_error e = {.status = TN_OK};
  *table = (build_table){.rows = 0};
  if (!build_simulate(b)) {
    FAIL("%s", b->message);
    return NULL;
  }
  if (tn_verify_new(b->desc, NULL, &v, &e) != TN_OK) {
    FAIL("%s", e.message);
    return NULL;
  }
  const tn_status status = tn_verify_run(v, b->sim, keep, table, &e);
  if (status != expected) FAIL("%d: %s", status, e.message);
  return v;
}

static void done(build *b, build_table *table, tn_verify *v) {
  tn_verify_free(v);
  build_table_free(table);
  build_free(b);
}

/* the largest error of column i against a reference with the same rows, up to t */
static double error_of(const build_table *run, const build_table *reference, int i, double t) {
  double most = 0;
  for (int k = 0; k < run->rows && k < reference->rows && build_at(run, k, -1) <= t * (1 + 1e-12); k++)
    most = fmax(most, fabs(build_at(run, k, i) - build_at(reference, k, i)));
  return most;
}

static bool within(double a, double b, double factor) { return a <= factor * b && b <= factor * a; }

/* ---- a pendulum, whose motion is an elliptic function -------------------------------------------------------------------- */

#define PENDULUM                                                                                                       \
  "{'tenon':1,'dimension':2,'gravity':[0,-9.81],"                                                                      \
  "'bodies':{'arm':{'mass':1,'inertia':'1/12','position':['0.5*sin(1.25)','-0.5*cos(1.25)'],'angle':'1.25-pi/2'}},"    \
  "'joints':{'pin':{'type':'revolute','between':['ground','arm'],'on_bodies':[[0,0],[-0.5,0]]}},"                      \
  "'outputs':{'a':'arm.angle','w':'arm.rate'},'run':{'until':%g,'every':%g}}"

/* sn and cn by the descending Landen transformation (AGM), Abramowitz & Stegun 16.4; K by the same */
static double jacobi(double u, double m, double *sn, double *cn) {
  double a[20], c[20], b = sqrt(1 - m), phi;
  int n = 0;
  a[0] = 1;
  c[0] = sqrt(m);
  while (fabs(c[n]) > 1e-17 && n < 18) {
    a[n + 1] = 0.5 * (a[n] + b);
    c[n + 1] = 0.5 * (a[n] - b);
    b = sqrt(a[n] * b);
    n++;
  }
  const double K = 1.5707963267948966 / a[n];
  phi = ldexp(1, n) * a[n] * u;
  for (; n > 0; n--) phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
  *sn = sin(phi);
  *cn = cos(phi);
  return K;
}

/* angle from the vertical and rate, released at 1.25 rad: theta = 2 asin(k sn(K - w0 t)) */
static void exact(double t, double *angle, double *rate) {
  const double w0 = sqrt(9.81 * 0.5 * 3), k = sin(0.625), m = k * k;
  double sn, cn;
  const double K = jacobi(0, m, &sn, &cn), period = 4 * K / w0;
  jacobi(K - w0 * fmod(t, period), m, &sn, &cn);
  *angle = 2 * asin(k * sn) - 1.5707963267948966;
  *rate = -2 * k * w0 * cn;
}

static void check_pendulum(double periods, double every, const char *integrator, const char *step, double factor) {
  char text[1200];
  build b;
  build_table rows;
  snprintf(text, sizeof text, PENDULUM, 1.8138811995041222 * periods, every);
  parse(&b, text);
  set(&b, "integrator", integrator);
  if (step) set(&b, "step", step);
  tn_verify *v = verify(&b, &rows, TN_OK);
  if (!v) return;
  double most[2] = {0, 0}, last[2] = {0, 0};
  for (int k = 0; k < rows.rows; k++) {
    double angle, rate;
    exact(build_at(&rows, k, -1), &angle, &rate);
    last[0] = fabs(build_at(&rows, k, 0) - angle);
    last[1] = fabs(build_at(&rows, k, 1) - rate);
    for (int i = 0; i < 2; i++) most[i] = fmax(most[i], last[i]);
  }
  for (int i = 0; i < 2; i++) {
    tn_verify_output o;
    CHECK(tn_verify_output_at(v, i, &o));
    if (!within(o.error, most[i], factor))
      FAIL("%s, %g periods, %s: error %.3g, estimated %.3g", integrator, periods, o.name, most[i], o.error);
    if (!within(o.error_end, last[i], factor) && last[i] > 0.05 * most[i])
      FAIL("%s, %s at the end: error %.3g, estimated %.3g", integrator, o.name, last[i], o.error_end);
  }
  const tn_verify_summary *r = tn_verify_result(v);
  if (!r->complete || r->rows != rows.rows || r->growth == TN_GROWTH_EXPONENTIAL)
    FAIL("%s: %" PRId64 " rows of %d, growth %d", integrator, r->rows, rows.rows, r->growth);
  done(&b, &rows, v);
}

TEST(error_of_a_pendulum) {
  check_pendulum(20, 0.02, "dopri5", NULL, 1.5);
  check_pendulum(20, 0.02, "rk4", "2e-3", 1.1);
  check_pendulum(20, 0.02, "heun", "1e-3", 1.1);
}

TEST_FULL(error_of_a_pendulum_with_other_integrators) {
  static const char *const adaptive[] = {"dop853", "abm:rtol=1e-5", "radau5", "trbdf2"};
  for (int i = 0; i < 4; i++) check_pendulum(100, 0.1, adaptive[i], NULL, 3);
  check_pendulum(100, 0.1, "ab4", "1e-3", 1.2);
  check_pendulum(100, 0.1, "ampc3", "1e-3", 1.2);
}

/* the rate is off by 0.2 rad/s at a balance of 2e-5 */
TEST_LONG(error_of_20000_periods) { check_pendulum(20000, 1.7, "dopri5", NULL, 1.2); }

static bool is_long(const char *text, const char *integrator, const char *step, double *local) {
  build b;
  build_table rows = {.rows = 0};
  parse(&b, text);
  if (step) set(&b, "integrator", integrator), set(&b, "step", step);
  if (!build_simulate(&b) || !build_run(&b, &rows)) FAIL("%s", b.message);
  const bool yes = b.sim && tn_sim_is_long(b.sim);
  if (local && b.sim) *local = tn_sim_summary(b.sim)->local_errors;
  build_table_free(&rows);
  build_free(&b);
  return yes;
}

/* errors of steps add up in proportion to the time */
TEST_FULL(long_runs_are_told) {
  char text[1200];
  double local[3];
  const double periods[] = {20, 200, 1000};
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text, PENDULUM, 1.8138811995041222 * periods[i], 10.0);
    CHECK(is_long(text, NULL, NULL, &local[i]) == (i == 2));
  }
  CHECK_NEAR(local[1] / local[0], 10, 0.5);
  CHECK_NEAR(local[2] / local[0], 50, 2.5);
  snprintf(text, sizeof text, PENDULUM, 90.0, 10.0);
  CHECK(!is_long(text, "rk4", "1e-3", &local[0]) && local[0] == 0);
  snprintf(text, sizeof text, PENDULUM, 110.0, 10.0);
  CHECK(is_long(text, "rk4", "1e-3", NULL));
}

TEST_FULL(no_model_of_ours_is_a_long_run) {
  char name[BUILD_MOST][64];
  const int n = build_models(name, BUILD_MOST);
  CHECK(n > 30);
  for (int i = 0; i < n; i++) {
    build b;
    build_table rows = {.rows = 0};
    build_new(&b, 1);
    build_read(&b, name[i]);
    if (!build_simulate(&b) || !build_run(&b, &rows)) FAIL("%s: %s", name[i], b.message);
    if (b.sim && tn_sim_is_long(b.sim)) FAIL("%s: %.3g", name[i], tn_sim_summary(b.sim)->local_errors);
    build_table_free(&rows);
    build_free(&b);
  }
}

/* ---- a mechanism, against a run that is nearly exact ----------------------------------------------------------------------- */

static void reference(build_table *table, const char *model, const char *until, const char *every, const char *links,
                      const char *constants) {
  build b;
  *table = (build_table){.rows = 0};
  build_new(&b, 1);
  build_read(&b, model);
  if (links) set(&b, "set", links);
  if (constants) set(&b, "set", constants);
  set(&b, "until", until);
  set(&b, "every", every);
  set(&b, "integrator", "dop853");
  set(&b, "rtol", "1e-14");
  set(&b, "atol", "1e-14");
  if (!build_simulate(&b) || !build_run(&b, table)) FAIL("%s", b.message);
  build_free(&b);
}

TEST_FULL(error_of_a_four_bar_with_every_method_and_integrator) {
  static const char *const setting[][3] = {
      {"project", "dopri5", NULL},  {"project", "dop853", NULL},   {"project", "abm", NULL},
      {"project", "radau5", NULL},  {"project", "trbdf2", NULL},   {"baumgarte-step", "dopri5", NULL},
      {"direct", "dopri5", NULL},   {"gcpi", "dopri5", NULL},      {"braun-goldfarb", "dopri5", NULL},
      {"project", "rk4", "1e-3"},   {"project", "heun", "1e-3"},   {"project", "ab3", "1e-3"},
      {"project", "ampc4", "1e-3"}, {"project", "dopri5", "4e-3"},
  };
  build_table exact_rows;
  reference(&exact_rows, "four_bar", "5", "0.01", NULL, NULL);
  for (size_t k = 0; k < sizeof setting / sizeof *setting; k++) {
    build b;
    build_table rows;
    build_new(&b, 1);
    build_read(&b, "four_bar");
    set(&b, "until", "5");
    set(&b, "every", "0.01");
    set(&b, "method", setting[k][0]);
    set(&b, "integrator", setting[k][1]);
    set(&b, "breach", "record");
    if (setting[k][2]) set(&b, "step", setting[k][2]);
    tn_verify *v = verify(&b, &rows, TN_OK);
    if (!v) continue;
    tn_verify_output o;
    for (int i = 0; tn_verify_output_at(v, i, &o); i++) {
      const double error = error_of(&rows, &exact_rows, i, 5);
      if (!within(o.error, error, 3) && error > 1e-11)
        FAIL("%s, %s, %s: error %.3g, estimated %.3g", setting[k][0], setting[k][1], o.name, error, o.error);
    }
    done(&b, &rows, v);
  }
  build_table_free(&exact_rows);
}

/* ---- chaos ------------------------------------------------------------------------------------------------------------------ */

/* e-folding time of a small change of the start, between a tenth and all of the time that it takes to grow to 1 % */
static double folding_of_a_change(const build_table *reference_rows, const char *links, const char *constants) {
  build_table beside;
  double first = NAN, last = NAN, t0 = NAN, t1 = NAN, most = 0;
  reference(&beside, "triple_pendulum", "20", "0.02", links, constants);
  for (int k = 1; k < beside.rows && k < reference_rows->rows && most < 0.1; k++) {
    most = fmax(most, fabs(build_at(&beside, k, 1) - build_at(reference_rows, k, 1)));
    if (k == 20) first = most, t0 = build_at(&beside, k, -1);
    last = most, t1 = build_at(&beside, k, -1);
  }
  build_table_free(&beside);
  return (t1 - t0) / log(last / first);
}

/* where the motion is said to be predictable until, the error is what the threshold says; its e-folding time is that of a change of the
 * start */
static void check_chaos(const char *links, const char *constants, const char *changed) {
  static const char *const rtol[] = {"1e-8", "1e-10"};
  build_table exact_rows;
  double until[2] = {0, 0}, folding[2] = {0, 0};
  reference(&exact_rows, "triple_pendulum", "20", "0.02", links, constants);
  const double expected = folding_of_a_change(&exact_rows, links, changed);
  for (int k = 0; k < 2; k++) {
    build b;
    build_table rows;
    build_new(&b, 1);
    build_read(&b, "triple_pendulum");
    set(&b, "set", links);
    set(&b, "set", constants);
    set(&b, "until", "20");
    set(&b, "every", "0.02");
    set(&b, "rtol", rtol[k]);
    set(&b, "atol", rtol[k]);
    tn_verify *v = verify(&b, &rows, TN_OK);
    if (!v) continue;
    const tn_verify_summary *r = tn_verify_result(v);
    tn_verify_output o;
    CHECK(!r->predictable && r->growth == TN_GROWTH_EXPONENTIAL && r->complete);
    until[k] = r->predictable_until;
    folding[k] = r->folding_time;
    double worst = 0;
    for (int i = 0; tn_verify_output_at(v, i, &o); i++)
      worst = fmax(worst, error_of(&rows, &exact_rows, i, until[k] + 0.02) / o.scale);
    if (!within(worst, r->threshold, 3)) FAIL("rtol %s: at t = %g the error is %.3g", rtol[k], until[k], worst);
    if (!within(folding[k], expected, 1.5)) FAIL("e-folding in %g s, of a change %g s", folding[k], expected);
    double t;
    tn_error e;
    CHECK(tn_predictable_until(b.desc, 0, &t, &e) == TN_OK && t == until[k]);
    CHECK(tn_predictable_until(b.desc, 1e-4, &t, &e) == TN_OK && t < until[k] - folding[k]);
    done(&b, &rows, v);
  }
  CHECK(until[1] > until[0] + folding[0]);
  build_table_free(&exact_rows);
}

TEST_FULL(triple_pendulum_is_predictable_for_a_while) { check_chaos("N=3", "release=0", "release=1e-10"); }
TEST_FULL(double_pendulum_is_predictable_for_a_while) { check_chaos("N=2", "release=0.6", "release=0.6000000001"); }

/* ---- events ----------------------------------------------------------------------------------------------------------------- */

/* times of events against those of a run with tight tolerances; and a run that ends between an event of the one and of the other */
TEST(events_of_both_runs) {
  static const char text[] =
      "{'tenon':1,'dimension':2,'gravity':[0,-9.81],"
      "'bodies':{'arm':{'mass':1,'inertia':'1/12','position':[0.5,0]}},"
      "'joints':{'pin':{'type':'revolute','between':['ground','arm'],'on_bodies':[[0,0],[-0.5,0]]}},"
      "'events':{'low':{'when':'arm.angle+pi/2','do':'record'},"
      "          'never':{'when':'t-1000','do':'record'}},"
      "'outputs':{'a':'arm.angle'},'run':{'until':20,'every':0.5,'integrator':{'type':'dopri5','rtol':1e-4}}}";
  build b;
  build_table rows;
  parse(&b, text);
  tn_verify *v = verify(&b, &rows, TN_OK);
  if (!v) return;
  tn_verify_event low, never;
  CHECK(tn_verify_event_at(v, 0, &low) && tn_verify_event_at(v, 1, &never));
  CHECK(!never.count && !never.count_second && isnan(never.difference) && !tn_verify_event_at(v, 2, &never));
  CHECK_TEXT(low.event, "low");
  CHECK(low.count == low.count_second && low.count > 15);
  CHECK(!tn_verify_result(v)->events_differ);
  /* the error of the last time, against that of a run with tight tolerances */
  tn_fired first, tight;
  build c;
  build_table none = {.rows = 0};
  parse(&c, text);
  set(&c, "rtol", "1e-12");
  set(&c, "atol", "1e-12");
  if (!build_simulate(&c) || !build_run(&c, &none)) FAIL("%s", c.message);
  CHECK(tn_sim_fired(b.sim, 0, &first) && tn_sim_fired(c.sim, 0, &tight) && tight.count == first.count);
  if (!within(low.difference_end * 10 / 9, fabs(first.last - tight.last), 1.5))
    FAIL("time of the last: %.3g off, difference %.3g", first.last - tight.last, low.difference_end);
  CHECK(low.difference >= low.difference_end && low.number >= 1 && low.number <= low.count);
  build_table_free(&none);
  build_free(&c);
  done(&b, &rows, v);

  char until[40];
  snprintf(until, sizeof until, "%.17g", 0.5 * (first.last + tight.last));
  parse(&b, text);
  set(&b, "until", until);
  v = verify(&b, &rows, TN_OK);
  tn_verify_event cut;
  if (!v) return;
  CHECK(tn_verify_event_at(v, 0, &cut) && (cut.count - cut.count_second == 1 || cut.count_second - cut.count == 1) &&
        tn_verify_result(v)->events_differ);
  done(&b, &rows, v);
}

/* ended by an event: at its time in each of them */
TEST(runs_that_an_event_ends) {
  build b;
  build_table rows;
  parse(&b, "{'tenon':1,'dimension':2,'gravity':[0,-9.81],"
            "'bodies':{'arm':{'mass':1,'inertia':'1/12','position':[0.5,0]}},"
            "'joints':{'pin':{'type':'revolute','between':['ground','arm'],'on_bodies':[[0,0],[-0.5,0]]}},"
            "'events':{'end':{'when':'t > 9 and arm.angle > -0.3','do':'stop'}},"
            "'outputs':{'a':'arm.angle'},'run':{'until':1000,'every':0.1,'integrator':{'type':'dopri5','rtol':1e-4}}}");
  tn_verify *v = verify(&b, &rows, TN_OK);
  if (!v) return;
  tn_verify_event e;
  const tn_verify_summary *r = tn_verify_result(v);
  CHECK(tn_verify_event_at(v, 0, &e) && e.count == 1 && e.count_second == 1);
  CHECK(e.difference > 1e-9 && e.difference < 1e-2 && e.number == 1);
  CHECK(r->complete && r->status == TN_OK && !r->events_differ && r->rows == rows.rows - 1);
  CHECK_NEAR(r->t_end, rows.value[2 * (rows.rows - 1)], 1e-2);
  done(&b, &rows, v);
}

/* ---- runs that do not reach their end ----------------------------------------------------------------------------------------- */

/* drift breaks the contract, in the second run later */
TEST(a_run_that_stops_is_compared_as_far_as_it_went) {
  build b;
  build_table rows;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  set(&b, "method", "fci");
  set(&b, "rtol", "1e-7");
  tn_verify *v = verify(&b, &rows, TN_E_RUN);
  if (!v) return;
  const tn_verify_summary *r = tn_verify_result(v);
  CHECK(rows.rows > 10 && rows.rows < 1001);
  CHECK(r->rows == rows.rows && r->complete && r->status == TN_E_STOPPED);
  CHECK(r->t_end == tn_sim_time(b.sim) && r->steps == 0);
  done(&b, &rows, v);
}

/* events that the second run had beyond the end of the first are not counted */
TEST(events_behind_the_end_of_a_run_that_stops) {
  build b;
  build_table rows;
  parse(&b, "{'tenon':1,'dimension':2,'gravity':[0,-9.81],"
            "'bodies':{'arm':{'mass':1,'inertia':'1/12','position':[0.5,0]}},"
            "'joints':{'pin':{'type':'revolute','between':['ground','arm'],'on_bodies':[[0,0],[-0.5,0]]}},"
            "'events':{'low':{'when':'arm.angle+pi/2','do':'record'}},"
            "'outputs':{'a':'arm.angle'},'run':{'until':1000,'every':2,'method':'fci','integrator':{'rtol':1e-5}}}");
  tn_verify *v = verify(&b, &rows, TN_E_RUN);
  if (!v) return;
  tn_verify_event e;
  CHECK(tn_verify_event_at(v, 0, &e) && e.count == e.count_second && !tn_verify_result(v)->events_differ);
  CHECK(v->occasion[0].seen[1] > e.count);
  done(&b, &rows, v);
}

/* a force that is not a number in a moment that only stages of the second run meet: 0.505 s */
TEST(a_second_run_that_stops_leaves_the_first_alone) {
  build b;
  build_table rows;
  parse(&b, "{'tenon':1,'dimension':2,'gravity':[0,-9.81],"
            "'bodies':{'p':{'mass':1,'coordinates':'point','position':[0,1]}},"
            "'forces':{'f':{'type':'torque','on':'p.x','value':'sqrt((t-0.505)^2-1e-8)'}},"
            "'outputs':{'y':'p.y'},'run':{'until':1,'every':0.1,'integrator':{'type':'rk4','step':0.02}}}");
  tn_verify *v = verify(&b, &rows, TN_OK);
  if (!v) return;
  const tn_verify_summary *r = tn_verify_result(v);
  CHECK(rows.rows == 11 && r->rows == 6 && !r->complete && r->status == TN_E_RUN);
  CHECK_HAS(r->message, "not a finite number");
  CHECK_NEAR(r->until, 0.5, 1e-12);
  CHECK_NEAR(r->predictable_until, 0.5, 1e-12);
  done(&b, &rows, v);
}

typedef struct stopper {
  int64_t calls, most;
} stopper;
static bool count_down(void *user, double t) {
  stopper *s = user;
  (void)t;
  return ++s->calls < s->most;
}
static bool always(void *user) { return user == NULL; }

TEST(both_runs_can_be_ended) {
  build b;
  tn_verify *v = NULL;
  tn_error e;
  stopper s = {0, 100};
  build_new(&b, 1);
  build_read(&b, "four_bar");
  if (!build_simulate(&b)) FAIL("%s", b.message);
  tn_sim_watch(b.sim, count_down, &s);
  CHECK(tn_verify_new(b.desc, NULL, &v, &e) == TN_OK);
  CHECK(tn_verify_run(v, b.sim, NULL, NULL, &e) == TN_E_STOPPED && s.calls == 100);
  CHECK(tn_verify_run(v, b.sim, NULL, NULL, &e) == TN_E_USAGE);
  const tn_verify_summary *r = tn_verify_result(v);
  CHECK(r->rows > 5 && r->rows < 1001 && r->until <= tn_sim_time(b.sim));
  s.most = INT64_C(1) << 40;
  CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_OK &&
        s.calls > 1000); /* its own watch is there again, and it goes on */
  tn_verify_free(v);
  build_free(&b);

  const tn_verify_options stopped = {.stop = always};
  build_new(&b, 1);
  build_read(&b, "four_bar");
  if (!build_simulate(&b)) FAIL("%s", b.message);
  CHECK(tn_verify_new(b.desc, &stopped, &v, &e) == TN_OK);
  CHECK(tn_verify_run(v, b.sim, NULL, NULL, &e) == TN_OK && tn_sim_summary(b.sim)->t_end == 10);
  CHECK(!tn_verify_result(v)->complete && tn_verify_result(v)->status == TN_E_STOPPED);
  tn_verify_free(v);
  build_free(&b);
}

/* ---- what it costs ------------------------------------------------------------------------------------------------------------ */

/* rows and steps of the first run are those of a run alone, to the last bit */
TEST(the_first_run_is_as_if_alone) {
  build b, c;
  build_table rows, alone = {.rows = 0};
  build_new(&b, 1);
  build_read(&b, "pendulum_stop");
  build_new(&c, 1);
  build_read(&c, "pendulum_stop");
  tn_verify *v = verify(&b, &rows, TN_OK);
  if (!build_simulate(&c) || !build_run(&c, &alone)) FAIL("%s", c.message);
  CHECK(rows.rows == alone.rows && rows.columns == alone.columns);
  CHECK(memcmp(rows.value, alone.value, sizeof(double) * (size_t)(rows.rows * (rows.columns + 1))) == 0);
  CHECK(tn_sim_summary(b.sim)->steps == tn_sim_summary(c.sim)->steps);
  CHECK(tn_sim_summary(b.sim)->local_errors == tn_sim_summary(c.sim)->local_errors);
  build_table_free(&alone);
  build_free(&c);
  done(&b, &rows, v);
}

static void *count_allocate(void *user, size_t size) {
  __atomic_add_fetch((int64_t *)user, (int64_t)size, __ATOMIC_RELAXED);
  return malloc(size);
}
static void count_release(void *user, void *block) {
  (void)user;
  free(block);
}

/* bytes that are taken while both runs go on */
static int64_t bytes(double every) {
  char text[1200];
  int64_t taken = 0;
  const tn_allocator allocator = {count_allocate, count_release, &taken};
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  tn_verify *v = NULL;
  tn_error e;
  snprintf(text, sizeof text, PENDULUM, 10.0, every);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  CHECK(tn_desc_new(&allocator, &d, &e) == TN_OK && tn_desc_parse(d, "p", text, strlen(text), &e) == TN_OK);
  CHECK(tn_compile(d, &m, &e) == TN_OK && tn_sim_new(m, &s, &e) == TN_OK && tn_verify_new(d, NULL, &v, &e) == TN_OK);
  const int64_t before = taken;
  CHECK(tn_verify_run(v, s, NULL, NULL, &e) == TN_OK);
  const int64_t after = taken;
  CHECK(tn_verify_result(v)->rows == (int64_t)ceil(10 / every * (1 - 1e-12)) + 1);
  tn_verify_free(v);
  tn_sim_free(s);
  tn_model_free(m);
  tn_desc_free(d);
  return after - before;
}

TEST_FULL(rows_that_were_compared_are_not_kept) {
  const int64_t few = bytes(1e-2), many = bytes(1e-4);
  if (many > few + 40000) FAIL("%" PRId64 " bytes for 1001 rows, %" PRId64 " for 100001", few, many);
}

TEST(without_memory_it_is_refused) {
  char text[1200];
  snprintf(text, sizeof text, PENDULUM, 1.0, 0.1);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  for (long k = 1;; k++) {
    failing f = {0, 0, 0};
    const tn_allocator allocator = {fail_allocate, fail_release, &f};
    tn_desc *d = NULL;
    tn_verify *v = NULL;
    tn_error e;
    CHECK(tn_desc_new(&allocator, &d, &e) == TN_OK && tn_desc_parse(d, "p", text, strlen(text), &e) == TN_OK);
    f.fail = f.calls + k;
    const tn_status status = tn_verify_new(d, NULL, &v, &e);
    const bool failed = f.calls >= f.fail;
    CHECK(failed ? status == TN_E_MEMORY && !v && *e.message : status == TN_OK);
    tn_verify_free(v);
    tn_desc_free(d);
    CHECK(f.out == 0);
    if (!failed) break;
  }
}

/* roundoff: there are no digits left for a tenth */
TEST(tolerances_that_cannot_be_tighter) {
  build b;
  build_table rows;
  char text[1200];
  snprintf(text, sizeof text, PENDULUM, 1.0, 0.1);
  parse(&b, text);
  set(&b, "rtol", "1e-15");
  set(&b, "atol", "1e-15");
  tn_verify *v = verify(&b, &rows, TN_OK);
  if (!v) return;
  tn_verify_output o;
  CHECK(isnan(tn_verify_result(v)->factor) && tn_verify_output_at(v, 0, &o) && isnan(o.error) && o.difference < 1e-12);
  done(&b, &rows, v);
}

/* steps that `max_step` bounds: still two different runs */
TEST(steps_that_something_else_bounds) {
  build b;
  build_table rows;
  char text[1200];
  snprintf(text, sizeof text, PENDULUM, 10.0, 0.1);
  parse(&b, text);
  set(&b, "integrator", "dopri5:max_step=0.02,rtol=1e-2");
  tn_verify *v = verify(&b, &rows, TN_OK);
  if (!v) return;
  double most = 0;
  for (int k = 0; k < rows.rows; k++) {
    double angle, rate;
    exact(build_at(&rows, k, -1), &angle, &rate);
    most = fmax(most, fabs(build_at(&rows, k, 0) - angle));
  }
  tn_verify_output o;
  CHECK(tn_verify_output_at(v, 0, &o));
  if (!within(o.error, most, 2)) FAIL("error %.3g, estimated %.3g", most, o.error);
  done(&b, &rows, v);
}

/* another model, or none of its settings */
TEST(what_does_not_belong_together_is_refused) {
  build b, c;
  tn_verify *v = NULL;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_new(&c, 1);
  build_read(&c, "pendulum");
  if (!build_simulate(&c)) FAIL("%s", c.message);
  CHECK(tn_verify_new(b.desc, NULL, &v, &e) == TN_OK);
  CHECK(tn_verify_run(v, c.sim, NULL, NULL, &e) == TN_E_USAGE);
  tn_verify_free(v);
  tn_verify_free(NULL);
  build_free(&b);
  build_free(&c);
}
