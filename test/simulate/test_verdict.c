/* the verdict of a run: each reason is given where it holds and not where it does not; no wrong run is trusted. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

/* the fact of that key; false: there is none */
static bool fact_of(const tn_sim *s, const char *key, tn_run_fact *f) {
  for (int i = 0; tn_sim_fact(s, i, f); i++)
    if (strcmp(f->key, key) == 0) return true;
  return false;
}

/* keys of all reasons, one behind the other */
static const char *reasons(const tn_sim *s) {
  static char text[400];
  tn_run_fact f;
  *text = 0;
  for (int i = 0; tn_sim_fact(s, i, &f); i++)
    if (f.severity != TN_TRUSTED) snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", f.key);
  return text;
}

static void parse(build *b, const char *format, ...) {
  static char text[8000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
}

static void must_run(build *b, build_table *t) {
  *t = (build_table){0};
  if (!build_simulate(b) || !build_run(b, t)) {
    printf("%s\n", b->message);
    exit(1);
  }
}

/* a shipped model with other settings, run */
static void run_model(build *b, const char *model, const char *run) {
  build_table t;
  tn_error e;
  build_new(b, 1);
  build_read(b, model);
  if (*run && tn_desc_json(b->desc, "/run", run, &e) != TN_OK) build_fail(b, "%s", e.message);
  must_run(b, &t);
  build_table_free(&t);
}

/* ---- shipped models --------------------------------------------------------------------------------------------------------- */

TEST_FULL(every_shipped_model_is_trusted) {
  static char name[128][64];
  const int n = build_models(name, 128);
  CHECK(n > 40);
  for (int i = 0; i < n; i++) {
    build b;
    run_model(&b, name[i], "");
    const tn_summary *s = tn_sim_summary(b.sim);
    if (s->verdict != TN_TRUSTED) FAIL("%s: %s, %s", name[i], tn_run_verdict_name(s->verdict), reasons(b.sim));
    build_free(&b);
  }
}

/* ---- facts ------------------------------------------------------------------------------------------------------------------ */

TEST(facts_are_whole_and_the_verdict_is_the_worst_of_them) {
  static const struct {
    const char *run;
    tn_run_verdict verdict;
  } cases[] = {{"{\"until\": 0.5}", TN_TRUSTED},
               {"{\"until\": 0.5, \"integrator\": {\"rtol\": 1e-5}}", TN_DOUBTFUL},
               {"{\"until\": 0.5, \"integrator\": {\"type\": \"euler\", \"step\": 0.001}}", TN_WRONG}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    tn_run_fact f;
    tn_run_verdict worst = TN_TRUSTED;
    int n = 0;
    run_model(&b, "four_bar", cases[i].run);
    for (; tn_sim_fact(b.sim, n, &f); n++) {
      CHECK(*f.key && *f.unit && *f.sentence && f.sentence[strlen(f.sentence) - 1] != '.');
      CHECK((f.severity == TN_TRUSTED) == (isnan(f.limit) || f.value <= f.limit)); /* within its limit, or a reason */
      if (f.severity > worst) worst = f.severity;
    }
    CHECK(n >= 2 && !tn_sim_fact(b.sim, n, &f) && !tn_sim_fact(b.sim, -1, &f));
    CHECK(worst == cases[i].verdict && tn_sim_summary(b.sim)->verdict == worst);
    build_free(&b);
  }
  CHECK_TEXT(tn_run_verdict_name(TN_TRUSTED), "trusted");
  CHECK_TEXT(tn_run_verdict_name(TN_DOUBTFUL), "doubtful");
  CHECK_TEXT(tn_run_verdict_name(TN_WRONG), "wrong");
}

TEST(a_broken_contract_is_wrong) {
  build b;
  tn_run_fact f;
  run_model(
      &b, "four_bar",
      "{\"until\": 1, \"method\": \"fci\", \"integrator\": {\"rtol\": 1e-6}, \"contract\": {\"breach\": \"record\"}}");
  CHECK(fact_of(b.sim, "contract", &f) && f.severity == TN_WRONG && f.value > 1 && f.limit == 1);
  CHECK_HAS(f.sentence, "contract broken: joint '");
  CHECK(tn_sim_summary(b.sim)->verdict == TN_WRONG);
  build_free(&b);
}

TEST(a_balance_is_judged_by_its_size_and_must_be_a_number) {
  static const struct {
    double balance;
    tn_run_verdict verdict;
  } cases[] = {{0, TN_TRUSTED},    {1e-6, TN_TRUSTED},   {1.1e-6, TN_DOUBTFUL}, {1e-3, TN_DOUBTFUL},
               {1.1e-3, TN_WRONG}, {INFINITY, TN_WRONG}, {NAN, TN_WRONG}};
  build b;
  tn_run_fact f;
  run_model(&b, "pendulum", "{\"until\": 0.1}");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    b.sim->summary.energy_balance = cases[i].balance;
    CHECK(fact_of(b.sim, "balance", &f) && f.severity == cases[i].verdict && tn_verdict_of(b.sim) == f.severity);
  }
  build_free(&b);
  /* and by a run: the ledger overflows */
  build_table t;
  parse(&b, "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'bodies': {'p': {'mass': 1, 'inertia': 1}},"
            "'start': {'p.vx': 1e200}, 'run': {'until': 1, 'integrator': {'type': 'euler', 'step': 0.1}}}");
  must_run(&b, &t);
  CHECK(!(tn_sim_summary(b.sim)->energy_balance <= 1) && tn_sim_summary(b.sim)->verdict == TN_WRONG);
  build_table_free(&t);
  build_free(&b);
}

TEST(work_of_the_stabilizer_is_a_share_of_the_kinetic_energy) {
  build b;
  tn_run_fact f;
  run_model(&b, "pendulum", "{\"until\": 0.5}");
  CHECK(!fact_of(b.sim, "stabilizer-work", &f)); /* nothing to tell */
  b.sim->summary.stabilizer_work = 0.9e-3 * b.sim->summary.max_kinetic;
  CHECK(fact_of(b.sim, "stabilizer-work", &f) && f.severity == TN_TRUSTED);
  b.sim->summary.stabilizer_work = 1.1e-3 * b.sim->summary.max_kinetic;
  CHECK(fact_of(b.sim, "stabilizer-work", &f) && f.severity == TN_DOUBTFUL);
  CHECK_NEAR(f.value, 1.1e-3, 1e-12);
  build_free(&b);
  run_model(&b, "pendulum", "{\"until\": 1, \"integrator\": {\"type\": \"euler\", \"step\": 0.001}}");
  CHECK(fact_of(b.sim, "stabilizer-work", &f) && f.severity == TN_DOUBTFUL);
  build_free(&b);
}

TEST(outputs_that_are_not_finite_are_counted) {
  for (int bad = 0; bad < 2; bad++) {
    build b;
    build_table t;
    tn_run_fact f;
    parse(&b,
          "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'bodies': {'p': {'mass': 1, 'inertia': 1}},"
          "'outputs': {'y': 'p.y', 'root': 'sqrt(%sp.y)'}, 'run': {'until': 1, 'every': 0.25}}",
          bad ? "" : "-");
    must_run(&b, &t);
    CHECK(fact_of(b.sim, "outputs", &f) == bad);
    CHECK(tn_sim_summary(b.sim)->verdict == (bad ? TN_DOUBTFUL : TN_TRUSTED));
    if (bad) {
      CHECK(f.value == 4 && f.timed && f.t == 0.25); /* rows at 0.25 0.5 0.75 1 */
      CHECK_HAS(f.sentence, "'root'");
    }
    build_table_free(&t);
    build_free(&b);
  }
}

/* a mass held near rest by a relay: it switches whenever its speed leaves the band */
TEST(chattering_is_seen_and_slow_switching_is_not) {
  static const struct {
    const char *band;
    bool chatters;
  } cases[] = {{"1e-4", true}, {"0.3", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    build_table t;
    tn_run_fact f;
    parse(&b,
          "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'parameters': {'u': -1}, 'constants': {'w': %s},"
          "'bodies': {'p': {'mass': 1, 'inertia': 1}},"
          "'forces': {'push': {'type': 'force', 'on': 'p', 'at': [0, 0], 'value': ['u', 0]},"
          " 'swing': {'type': 'force', 'on': 'p', 'at': [0, 0], 'value': [0, '-100*y']}},"
          "'events': {'up': {'when': 'p.vx < -w', 'do': {'set': {'u': 1}}},"
          " 'down': {'when': 'p.vx > w', 'do': {'set': {'u': -1}}}},"
          "'start': {'p.vx': 0.5, 'p.y': 0.1}, 'run': {'until': 1.5, 'every': 0.5}}",
          cases[i].band);
    must_run(&b, &t);
    CHECK(tn_sim_summary(b.sim)->fired > (cases[i].chatters ? 100 : 0));
    CHECK(fact_of(b.sim, "chattering", &f) == cases[i].chatters);
    if (cases[i].chatters) CHECK(f.severity == TN_DOUBTFUL && strstr(f.sentence, "chattering: event '"));
    if (!cases[i].chatters && tn_sim_summary(b.sim)->verdict != TN_TRUSTED) FAIL("%s", reasons(b.sim));
    build_table_free(&t);
    build_free(&b);
  }
}

/* a driver of time alone that switches at every step is no chattering */
TEST(a_function_of_time_may_switch_as_often_as_it_likes) {
  build b;
  build_table t;
  tn_run_fact f;
  parse(&b, "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'p': {'mass': 1, 'inertia': 1}},"
            "'forces': {'push': {'type': 'force', 'on': 'p', 'at': [0, 0], 'value': ['sign(sin(400*t + 0.1))', 0]}},"
            "'run': {'until': 1, 'every': 0.5}}");
  must_run(&b, &t);
  CHECK(tn_sim_summary(b.sim)->switches > 100 && !fact_of(b.sim, "chattering", &f));
  build_table_free(&t);
  build_free(&b);
}

/* long steps with many rows inside: each row is off, the steps are not */
TEST(interpolation_that_is_too_coarse_is_told_from_steps_that_are_too_long) {
  static const struct {
    const char *run;
    bool coarse;
  } cases[] = {
      {"{\"until\": 1, \"every\": 0.001, \"integrator\": {\"type\": \"dop853\", \"rtol\": 1e-5}}", true},
      {"{\"until\": 1, \"every\": 0.001, \"integrator\": {\"type\": \"dop853\", \"rtol\": 1e-5, \"max_step\": 0.005}}",
       false},
      {"{\"until\": 1, \"every\": 0.001}", false},
      {"{\"until\": 1, \"every\": 0.001, \"integrator\": {\"type\": \"rk4\", \"step\": 0.001}}", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    tn_run_fact f;
    run_model(&b, "four_bar", cases[i].run);
    if (fact_of(b.sim, "interpolation", &f) != cases[i].coarse) FAIL("%s: %s", cases[i].run, reasons(b.sim));
    build_free(&b);
  }
}

/* a step so long that the projection has to close what no accurate step leaves */
TEST(a_gap_that_no_step_leaves_is_a_reason) {
  build b;
  tn_run_fact f;
  run_model(&b, "four_bar", "{\"until\": 0.3, \"integrator\": {\"type\": \"euler\", \"step\": 0.03}}");
  CHECK(fact_of(b.sim, "projection", &f) && f.severity == TN_DOUBTFUL && f.value > 0);
  build_free(&b);
}

static bool stop_at(void *user, double t) { return t < *(double *)user; }

TEST(a_run_that_did_not_reach_its_end_says_so) {
  build b;
  tn_run_fact f;
  tn_error e;
  double when = 0.3;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_simulate(&b));
  tn_sim_watch(b.sim, stop_at, &when);
  CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_E_STOPPED);
  CHECK(fact_of(b.sim, "interrupted", &f) && f.severity == TN_TRUSTED && f.value >= 0.3);
  CHECK(tn_sim_summary(b.sim)->verdict == TN_TRUSTED); /* as far as it went */
  when = INFINITY;
  CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_OK && !fact_of(b.sim, "interrupted", &f));
  build_free(&b);
  build_new(&b, 1);
  build_read(&b, "braun_four_bars");
  build_set(&b, "/run", "{\"until\": 2, \"at_singularity\": \"stop\"}");
  CHECK(build_simulate(&b) && tn_sim_run(b.sim, NULL, NULL, &e) == TN_E_RUN);
  CHECK(fact_of(b.sim, "stopped", &f) && f.severity == TN_DOUBTFUL && f.limit == 2 && f.value < 0.72);
  build_free(&b);
}

/* ---- singular positions ----------------------------------------------------------------------------------------------------- */

/* linkages whose branches cross: where the motion goes on is known, since branches are smooth */
typedef struct linkage {
  const char *name;
  double crank, coupler, rocker, ground, angle, side, rate, gravity;
} linkage;

static const linkage linkages[] = {
    {"fold", 1, 2.5, 2, 1.5, -1.918410739079101, -1, -6.873308956183405, 9.81},
    {"kite", 1, 2, 2, 1, -2.6927339127756538, -1, 10.30817160271144, 0},
    {"kite that falls", 1, 1.7, 1.7, 1, 0.9, 1, 5, 9.81},
    {"parallelogram", 1, 2, 1, 2, 0.7, 1, -4, 0},
    {"fold above", 1, 1.1, 1.6, 1.7, 1.1, -1, 5, 0},
};
enum { LINKAGES = sizeof linkages / sizeof *linkages };

static void make(build *b, const linkage *k, const char *run) {
  const double bx = k->crank * cos(k->angle), by = k->crank * sin(k->angle), dx = k->ground - bx, dy = -by,
               d = hypot(dx, dy), x = (k->coupler * k->coupler - k->rocker * k->rocker + d * d) / (2 * d),
               y = k->side * sqrt(k->coupler * k->coupler - x * x);
  parse(b,
        "{'tenon': 1, 'dimension': 2, 'gravity': [0, %.17g], 'points': {'A': [0, 0], 'B': [%.17g, %.17g],"
        " 'C': [%.17g, %.17g], 'D': [%.17g, 0]},"
        "'bodies': {'a': {'rod': ['A', 'B'], 'mass': %.17g}, 'b': {'rod': ['B', 'C'], 'mass': %.17g},"
        " 'c': {'rod': ['D', 'C'], 'mass': %.17g}},"
        "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'a'], 'at': 'A'},"
        " 'B': {'type': 'revolute', 'between': ['a', 'b'], 'at': 'B'},"
        " 'C': {'type': 'revolute', 'between': ['b', 'c'], 'at': 'C'},"
        " 'D': {'type': 'revolute', 'between': ['ground', 'c'], 'at': 'D'}},"
        "'start': {'A.rate': %.17g}, 'outputs': {'th': 'A.angle', 'C': 'position(b, C)'}, 'run': %s}",
        -k->gravity, bx, by, bx + (x * dx - y * dy) / d, by + (x * dy + y * dx) / d, k->ground, k->crank, k->coupler,
        k->rocker, k->rate, run);
}

static double apart(const build_table *a, const build_table *b) {
  double most = 0;
  if (a->rows != b->rows) return INFINITY;
  for (int i = 0; i < a->rows; i++)
    for (int j = 0; j < a->columns; j++) {
      const double d = fabs(build_at(a, i, j) - build_at(b, i, j));
      if (!(d <= most)) most = d;
    }
  return most;
}

/* a run as it goes; false: it stopped, which is not silent */
static bool try_run(build *b, build_table *t) {
  *t = (build_table){0};
  return build_simulate(b) && build_run(b, t);
}

typedef struct tally {
  int trusted_wrong, doubted_wrong, trusted_right, doubted_right, inaccurate, stopped;
} tally;

/* the default at a thousandth of its tolerance, or the nearest to it that is trusted: with so small steps roundoff may decide which
 * branch a run takes where they cross, on another platform than on this one, and it says that it is in doubt */
static void run_reference(const linkage *k, build *b, build_table *t) {
  static const char *const rtol[] = {"1e-11", "1e-10", "1e-9"};
  for (int i = 0; i < 3; i++) {
    char run[100];
    snprintf(run, sizeof run, "{'until': 2, 'every': 0.1, 'integrator': {'rtol': %s}}", rtol[i]);
    make(b, k, run);
    if (try_run(b, t) && tn_sim_summary(b->sim)->verdict == TN_TRUSTED) return;
    if (i == 2) FAIL("%s: no reference is trusted", k->name);
    if (i == 2) return;
    build_table_free(t);
    build_free(b);
  }
}

/* every linkage by methods and integrators, against that. doubt that the balance explains is not held against a run that is right:
 * it is what its tolerance costs */
static void judge(const char *const *methods, const char *const *integrators, tally *n) {
  static const double WRONG = 1e-2, RIGHT = 1e-5; /* rad, m: what is in between is neither */
  for (int k = 0; k < LINKAGES; k++) {
    build reference;
    build_table right;
    run_reference(&linkages[k], &reference, &right);
    for (int m = 0; methods[m]; m++)
      for (int i = 0; integrators[i]; i++) {
        build b;
        build_table t;
        char run[300];
        snprintf(run, sizeof run,
                 "{'until': 2, 'every': 0.1, 'method': '%s', 'integrator': %s, 'contract': {'position': 1e-4,"
                 " 'velocity': 1e-2}}",
                 methods[m], integrators[i]);
        make(&b, &linkages[k], run);
        if (!try_run(&b, &t)) {
          n->stopped++;
        } else {
          const double off = apart(&t, &right);
          const bool trusted = tn_sim_summary(b.sim)->verdict == TN_TRUSTED;
          if (off > WRONG && trusted)
            FAIL("%s, %s, %s: off by %g and trusted", linkages[k].name, methods[m], integrators[i], off);
          if (off > WRONG) ++*(trusted ? &n->trusted_wrong : &n->doubted_wrong);
          if (off < RIGHT) {
            if (trusted)
              n->trusted_right++;
            else if (tn_sim_summary(b.sim)->energy_balance > 1e-6)
              n->inaccurate++;
            else
              n->doubted_right++;
          }
        }
        build_table_free(&t);
        build_free(&b);
      }
    build_table_free(&right);
    build_free(&reference);
  }
}

TEST(the_default_is_right_and_trusted_at_singular_positions) {
  static const char *const method[] = {"project", NULL}, *const integrator[] = {"{'type': 'dopri5'}", NULL};
  tally n = {0};
  judge(method, integrator, &n);
  CHECK(n.trusted_right == LINKAGES && !n.doubted_right && !n.stopped && !n.inaccurate);
}

/* methods that hold the constraints differently, or not at all */
static void count(const char *const *methods, const char *const *integrators, int least) {
  tally n = {0};
  judge(methods, integrators, &n);
  printf("wrong: %d trusted, %d doubted; right: %d trusted, %d doubted, %d by their balance; stopped: %d\n",
         n.trusted_wrong, n.doubted_wrong, n.trusted_right, n.doubted_right, n.inaccurate, n.stopped);
  CHECK(n.trusted_wrong == 0);
  CHECK(n.doubted_wrong >= least); /* there is something to see */
  CHECK(n.doubted_right <= n.trusted_right / 2);
}

TEST_FULL(no_wrong_run_is_trusted) {
  static const char *const methods[] = {"direct", "fci", "braun-goldfarb", "gcpi", NULL};
  static const char *const integrators[] = {"{'type': 'dopri5', 'rtol': 1e-7}", "{'type': 'dop853'}",
                                            "{'type': 'rk4', 'step': 0.001}", NULL};
  count(methods, integrators, 5);
}

TEST_LONG(no_wrong_run_is_trusted_by_any_method) {
  static const char *const methods[] = {
      "project", "direct", "fci", "udwadia-kalaba", "braun-goldfarb", "baumgarte-b1", "gcpi", "nullspace", NULL};
  static const char *const integrators[] = {"{'type': 'dopri5', 'rtol': 1e-6}",
                                            "{'type': 'dopri5'}",
                                            "{'type': 'dop853'}",
                                            "{'type': 'abm'}",
                                            "{'type': 'radau5'}",
                                            "{'type': 'dopri5', 'rtol': 1e-10}",
                                            "{'type': 'rk4', 'step': 0.001}",
                                            "{'type': 'ab4', 'step': 0.0002}",
                                            NULL};
  count(methods, integrators, 20);
}

/* a fold and a kite that leave their branch, or lose their energy, where they lie flat */
TEST(steps_that_no_length_makes_accurate_are_a_reason) {
  static const struct {
    const linkage *of;
    const char *run;
  } cases[] = {{&linkages[0], "{'until': 2, 'every': 0.1, 'method': 'braun-goldfarb'}"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    build_table t;
    tn_run_fact f;
    make(&b, cases[i].of, cases[i].run);
    must_run(&b, &t);
    CHECK(tn_sim_summary(b.sim)->verdict >= TN_DOUBTFUL);
    CHECK(fact_of(b.sim, "forced-steps", &f) && f.value >= 1 && f.severity == TN_DOUBTFUL && f.t > 0.8 && f.t < 0.9);
    build_table_free(&t);
    build_free(&b);
  }
}

/* a formula that is spoiled beside a singular position: the projection mends it, and does work */
TEST(work_at_a_singular_position_is_a_reason) {
  for (int i = 0; i < 2; i++) {
    build b;
    build_table t;
    tn_run_fact f;
    make(&b, &linkages[1],
         i ? "{'until': 2, 'every': 0.1, 'method': 'direct', 'integrator': {'type': 'rk4', 'step': 0.001}}"
           : "{'until': 2, 'every': 0.1}");
    must_run(&b, &t);
    CHECK(tn_sim_summary(b.sim)->singular_positions > 2 && fact_of(b.sim, "crossing", &f) == i);
    build_table_free(&t);
    build_free(&b);
  }
}

/* a slider-crank whose crank is as long as its rod, by methods that do not hold the constraints: they turn to the other branch */
TEST_FULL(a_slider_crank_that_leaves_its_branch_is_doubtful) {
  static const char *const methods[] = {"fci", "udwadia-kalaba", "project", "braun-goldfarb"};
  double angle[4];
  for (int i = 0; i < 4; i++) {
    build b;
    tn_run_fact f;
    char run[100];
    snprintf(run, sizeof run, "{\"until\": 20, \"every\": 1, \"method\": \"%s\"}", methods[i]);
    run_model(&b, "braun_slider_crank", run);
    angle[i] = build_channel(&b, "crank.angle");
    CHECK((tn_sim_summary(b.sim)->verdict == TN_TRUSTED) == (i >= 2));
    CHECK(fact_of(b.sim, "singular", &f) == (i < 2)); /* the first two stay there */
    CHECK(tn_sim_summary(b.sim)->energy_balance < 1e-6 && tn_sim_summary(b.sim)->contract_kept); /* these see nothing */
    build_free(&b);
  }
  CHECK(fabs(angle[0] - angle[2]) > 1 && fabs(angle[1] - angle[2]) > 1);
  CHECK_NEAR(angle[3], angle[2], 1e-6);
}

/* through many small steps: none of them is abrupt, the turn as a whole is */
TEST(a_turn_to_another_branch_is_seen_however_small_its_steps_are) {
  build b;
  build_table t;
  tn_run_fact f;
  make(&b, &(linkage){"kite", 1, 2.3, 2.3, 1, 1.2, 1, -3, 0}, "{'until': 3, 'every': 0.1, 'method': 'fci'}");
  must_run(&b, &t);
  CHECK(fact_of(b.sim, "branch", &f) && f.severity == TN_DOUBTFUL && f.timed);
  bool other = false;
  for (int i = 0; i < b.sim->singular.count; i++) other = other || !b.sim->singular.found[i].smooth;
  CHECK(other);
  build_table_free(&t);
  build_free(&b);
}

/* ---- saved --------------------------------------------------------------------------------------------------------------------- */

typedef struct bytes {
  unsigned char *data;
  size_t used, room;
} bytes;

static bool to_bytes(void *user, const char *text, size_t size) {
  bytes *b = user;
  if (b->used + size > b->room && !(b->data = realloc(b->data, b->room = 2 * (b->used + size)))) abort();
  memcpy(b->data + b->used, text, size);
  b->used += size;
  return true;
}

TEST(a_run_that_goes_on_from_a_saved_state_has_the_same_facts) {
  build whole, first, second;
  build_table t;
  tn_error e;
  tn_run_fact f, g;
  bytes state = {0};
  static const char run[] = "{'until': 2, 'every': 0.1, 'method': 'braun-goldfarb'}";
  make(&whole, &linkages[0], run);
  must_run(&whole, &t);
  build_table_free(&t);
  CHECK(tn_sim_summary(whole.sim)->verdict != TN_TRUSTED);
  make(&first, &linkages[0], run);
  make(&second, &linkages[0], run);
  double when = 1.2; /* behind its first singular position */
  CHECK(build_simulate(&first) && build_simulate(&second));
  tn_sim_watch(first.sim, stop_at, &when);
  CHECK(tn_sim_run(first.sim, NULL, NULL, &e) == TN_E_STOPPED && tn_sim_save(first.sim, to_bytes, &state, &e) == TN_OK);
  CHECK(tn_sim_load(second.sim, state.data, state.used, &e) == TN_OK &&
        tn_sim_run(second.sim, NULL, NULL, &e) == TN_OK);
  int n = 0;
  for (; tn_sim_fact(whole.sim, n, &f); n++) {
    CHECK(tn_sim_fact(second.sim, n, &g) && strcmp(f.key, g.key) == 0);
    CHECK(strcmp(f.key, "cpu") == 0 || (strcmp(f.sentence, g.sentence) == 0 && f.value == g.value));
  }
  CHECK(n > 3 && !tn_sim_fact(second.sim, n, &g));
  free(state.data);
  build_free(&second);
  build_free(&first);
  build_free(&whole);
}

TEST(another_state_begins_anew) {
  build b;
  build_table t = {0};
  tn_error e;
  make(&b, &linkages[0], "{'until': 2, 'every': 0.1, 'method': 'braun-goldfarb'}");
  CHECK(build_simulate(&b));
  double q[32], u[32];
  memcpy(q, tn_sim_q(b.sim), sizeof *q * (size_t)tn_sim_coordinates(b.sim));
  memcpy(u, tn_sim_u(b.sim), sizeof *u * (size_t)tn_sim_speeds(b.sim));
  CHECK(build_run(&b, &t) && tn_sim_summary(b.sim)->verdict != TN_TRUSTED);
  CHECK(tn_sim_set(b.sim, 0, q, u, true, &e) == TN_OK && tn_sim_summary(b.sim)->verdict == TN_TRUSTED);
  build_table_free(&t);
  build_free(&b);
}
