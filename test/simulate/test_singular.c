/* through singular positions: wherever the bars of the four-bars lie flat the rows lose rank, and motions on other branches
 * leave from there. starts that are perturbed and put back on the constraints meet it at other phases of the steps; every
 * run stays on the branch on which the links are parallel, and keeps the contract. */
#include "support/build.h"
#include "support/reference.h"

#include "test.h"

/* a fixed sequence in -1 .. 1, the same on every machine */
static double jitter(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1;
}

/* a run from its start with every q and u moved by up to size, then assembled */
static bool perturbed(const tn_model *m, double size, unsigned seed, ref_table *table, tn_summary *sum) {
  enum { MOST = 64 };
  double q[MOST], u[MOST];
  unsigned state = 2654435761u * (seed + 1);
  tn_sim *sim = NULL;
  tn_error e;
  *table = (ref_table){0};
  *sum = (tn_summary){.status = TN_E_INTERNAL};
  if (tn_sim_new(m, &sim, &e) != TN_OK) return false;
  bool ok = tn_sim_start(sim, &e) == TN_OK && tn_sim_coordinates(sim) <= MOST && tn_sim_speeds(sim) <= MOST;
  for (int i = 0; ok && i < tn_sim_coordinates(sim); i++) q[i] = tn_sim_q(sim)[i] + size * jitter(&state);
  for (int i = 0; ok && i < tn_sim_speeds(sim); i++) u[i] = tn_sim_u(sim)[i] + size * jitter(&state);
  ok = ok && tn_sim_set(sim, 0, q, u, true, &e) == TN_OK && ref_run_on(sim, table);
  if (ok) *sum = *tn_sim_summary(sim);
  tn_sim_free(sim);
  return ok;
}

/* how often a column changes its sign */
static int crossings(const ref_table *t, const char *name) {
  const int k = ref_column(t, name);
  int n = 0;
  for (int i = 1; k >= 0 && i < t->rows; i++)
    n += (t->value[i * t->columns + k] > 0) != (t->value[(i - 1) * t->columns + k] > 0);
  return n;
}

/* largest |column - value| over all rows; infinite for NaN or no rows */
static double farthest(const ref_table *t, const char *name, double value) {
  const int k = ref_column(t, name);
  double most = k >= 0 && t->rows ? 0 : INFINITY;
  for (int i = 0; k >= 0 && i < t->rows; i++) {
    const double d = fabs(t->value[i * t->columns + k] - value);
    most = d <= most ? most : isnan(d) ? INFINITY : d;
  }
  return most;
}

/* the four-bars of Braun from `seeds` starts a size; one line a setting */
static void four_bars(const char *what, const char *integrator, int seeds) {
  const ref_change changes[] = {{"/run/integrator", integrator},
                                {"/run/method", "\"project\""},
                                {"/run/until", "10"},
                                {"/run/every", "0.05"},
                                {"/outputs", "{\"y1\": \"p1.y\", \"dx1\": \"p2.x - p1.x\", \"dy1\": \"p2.y - p1.y\", "
                                             "\"dx2\": \"p3.x - p2.x\", \"dy2\": \"p3.y - p2.y\"}"},
                                {NULL, NULL}};
  static const double sizes[] = {1e-9, 1e-7};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  double apart = 0, violation = 0;
  int kept = 0, least = 1000;
  CHECK(ref_desc("braun_four_bars", changes, &desc) && ref_compile(desc, &m));
  for (int s = 0; m && s < 2 * seeds; s++) {
    ref_table table;
    tn_summary sum;
    const bool ok = perturbed(m, sizes[s % 2], (unsigned)s, &table, &sum);
    kept += ok && sum.contract_kept && sum.t_end == 10 && sum.degrees_of_freedom == 1;
    apart = fmax(apart, fmax(farthest(&table, "dx1", 1), farthest(&table, "dx2", 1)));
    apart = fmax(apart, fmax(farthest(&table, "dy1", 0), farthest(&table, "dy2", 0)));
    violation = fmax(violation, sum.max_position_violation);
    const int n = crossings(&table, "y1");
    if (n < least) least = n;
    ref_table_free(&table);
  }
  printf("four-bars, %s: %d of %d kept the contract, links parallel to %.1e, violation %.1e, at least %d flat "
         "positions passed\n",
         what, kept, 2 * seeds, apart, violation, least);
  CHECK(kept == 2 * seeds);
  CHECK_NEAR(apart, 0, 1e-6);
  CHECK(least >= 8);
  tn_model_free(m);
  tn_desc_free(desc);
}

static void fixed(double step, int seeds) {
  char json[96], what[32];
  ref_step(json, "rk4", step);
  snprintf(what, sizeof what, "rk4 %g s", step);
  four_bars(what, json, seeds);
}

static void adaptive(double rtol, int seeds) {
  char json[96], what[32];
  ref_tolerance(json, rtol);
  snprintf(what, sizeof what, "dopri5 rtol %g", rtol);
  four_bars(what, json, seeds);
}

TEST(four_bars_few) {
  fixed(1e-2, 1);
  fixed(5e-3, 1);
  adaptive(1e-8, 1);
}

TEST_LONG(four_bars_fixed) {
  static const double steps[] = {1e-2, 5e-3, 2e-3, 1e-3, 5e-4};
  for (int i = 0; i < 5; i++) fixed(steps[i], 10);
}

TEST_FULL(four_bars_adaptive) {
  adaptive(1e-12, 10);
  adaptive(1e-8, 10);
}

/* N four-bars in a row: at a flat position N freedoms more */
static void n_four_bar(const char *N, double rtol) {
  char json[96];
  ref_tolerance(json, rtol);
  const ref_change changes[] = {{"/run/integrator", json}, {"/run/method", "\"project\""},
                                {"/run/until", "10"},      {"/run/every", "0.05"},
                                {"/constants/N", N},       {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  ref_table table = {0};
  tn_summary sum = {.status = TN_E_INTERNAL};
  CHECK(ref_desc("n_four_bar", changes, &desc) && ref_compile(desc, &m) && ref_run(m, &table, &sum));
  double apart = 0;
  int spreads = 0;
  for (int i = 0; i < table.columns; i++)
    if (strncmp(table.name[i], "spread", 6) == 0) apart = fmax(apart, farthest(&table, table.name[i], 0)), spreads++;
  const int flat = crossings(&table, "B0.y");
  printf("N-four-bar, N = %s, rtol %g: links parallel to %.1e, violation %.1e %.1e, balance %.1e, %d flat positions "
         "passed, "
         "%" PRId64 " steps, %" PRId64 " rejected\n",
         N, rtol, apart, sum.max_position_violation, sum.max_velocity_violation, sum.energy_balance, flat, sum.steps,
         sum.rejected);
  CHECK(sum.contract_kept && sum.t_end == 10);
  CHECK(sum.degrees_of_freedom == 1);
  CHECK(spreads == atoi(N));
  CHECK_NEAR(apart, 0, 1e-6);
  CHECK(flat >= 8);
  ref_table_free(&table);
  tn_model_free(m);
  tn_desc_free(desc);
}

TEST(n_four_bar_5) { n_four_bar("5", 1e-8); }
TEST_FULL(n_four_bar_5_tight) { n_four_bar("5", 1e-12); }
TEST_FULL(n_four_bar_10) { n_four_bar("10", 1e-8); }
TEST_FULL(n_four_bar_10_tight) { n_four_bar("10", 1e-12); }
TEST_LONG(n_four_bar_40_tight) { n_four_bar("40", 1e-12); }

/* a formula of high order makes long steps, and now and then one begins near a flat position. roundoff there is above the tolerance: of 40 m
 * of places, divided by the distance and by the 40 loops. it is a violation that the corrections take away, and nothing of it is in the motion */
TEST_LONG(n_four_bar_40_high_order) {
  static const double rtol[] = {5e-11, 7e-11, 9e-11, 9.5e-11, 1e-10, 1.2e-10, 1.4e-10, 2e-10};
  enum { RUNS = sizeof rtol / sizeof *rtol, DOUBTFUL = 2 };
  int doubtful = 0;
  for (int i = 0; i < RUNS; i++) {
    char json[96];
    snprintf(json, sizeof json, "{\"type\": \"dop853\", \"rtol\": %g}", rtol[i]);
    const ref_change changes[] = {
        {"/run/integrator", json}, {"/run/until", "20"}, {"/run/every", "20"}, {"/constants/N", "40"}, {NULL, NULL}};
    tn_desc *desc = NULL;
    tn_model *m = NULL;
    ref_table table = {0};
    tn_summary sum = {.status = TN_E_INTERNAL};
    CHECK(ref_desc("n_four_bar", changes, &desc) && ref_compile(desc, &m) && ref_run(m, &table, &sum));
    printf("N = 40, dop853, rtol %g: balance %.1e, verdict %d\n", rtol[i], sum.energy_balance, (int)sum.verdict);
    CHECK(sum.t_end == 20 && sum.energy_balance < 1e-6);
    CHECK_NEAR(farthest(&table, "spread40", 0), 0, 1e-9);
    doubtful += sum.verdict != TN_TRUSTED;
    ref_table_free(&table);
    tn_model_free(m);
    tn_desc_free(desc);
  }
  CHECK(doubtful <= DOUBTFUL);
}

/* another kind of change point: a deltoid (2, 1, 1 on a base of 2) folds flat 52 times in 20 s, spinning. every tolerance must
 * stay on the same branch; the branches differ by radians */
static const char deltoid_text[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
    " \"bodies\": {\"crank\": {\"mass\": 2, \"inertia\": \"2/3\", \"center\": [1, 0], \"angle\": 0.6},"
    "  \"coupler\": {\"mass\": 1, \"inertia\": \"1/12\", \"center\": [0.5, 0],"
    "   \"position\": [\"2*cos(0.6)\", \"2*sin(0.6)\"], \"angle\": -0.2},"
    "  \"rocker\": {\"mass\": 1, \"inertia\": \"1/12\", \"center\": [0.5, 0], \"position\": [2, 0], \"angle\": 0.8}},"
    " \"joints\": {\"A\": {\"type\": \"revolute\", \"between\": [\"ground\", \"crank\"], \"on_bodies\": [[0, 0], [0, "
    "0]]},"
    "  \"B\": {\"type\": \"revolute\", \"between\": [\"crank\", \"coupler\"], \"on_bodies\": [[2, 0], [0, 0]]},"
    "  \"C\": {\"type\": \"revolute\", \"between\": [\"coupler\", \"rocker\"], \"on_bodies\": [[1, 0], [1, 0]]},"
    "  \"D\": {\"type\": \"revolute\", \"between\": [\"ground\", \"rocker\"], \"on_bodies\": [[2, 0], [0, 0]]}},"
    " \"start\": {\"rocker.rate\": 8}, \"run\": {\"until\": 20}}";

/* returns whether the run is trusted */
static bool deltoid_end(double rtol, double rate, double end[3], double *balance) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_parse(&b, deltoid_text);
  build_set(&b, "/run/integrator", "{\"rtol\": %g}", rtol);
  build_set(&b, "/start/rocker.rate", "%.17g", rate);
  CHECK(build_simulate(&b) && tn_sim_advance(b.sim, 20, &e) == TN_OK);
  CHECK(tn_sim_summary(b.sim)->contract_kept);
  *balance = tn_sim_summary(b.sim)->energy_balance;
  for (int k = 0; k < 3; k++) end[k] = tn_sim_q(b.sim)[3 * k + 2];
  const bool trusted = tn_sim_summary(b.sim)->verdict == TN_TRUSTED;
  build_free(&b);
  return trusted;
}

/* errors fall with the tolerance: 1.6e-7 at 1e-10 makes about 3e-5 at 1e-8 */
TEST_FULL(deltoid) {
  static const double rtol[] = {1e-6, 1e-8, 1e-10, 1e-12}, most[] = {1e-2, 1e-4, 1e-6, 0};
  double end[4][3], balance[4];
  for (int i = 0; i < 4; i++) deltoid_end(rtol[i], 8, end[i], &balance[i]);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) CHECK_NEAR(end[i][k], end[3][k], most[i]);
  CHECK(balance[3] < 1e-9 && balance[2] < 1e-6);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* the same from several starts that differ in their last digits. about one in fifteen meets one of the 52 positions badly: balance
 * 1e-7 to 3e-6 at 1e-12 (4 of 60 counted). at 1e-12 roundoff of the start of a step is a violation above the tolerance at its end. the
 * corrections take it away, and it is no reason for doubt: 2 of 14 starts are doubtful, 11 were when it was judged alike */
TEST_LONG(deltoid_from_several_starts) {
  enum { STARTS = 7, WORSE = 1 };
  static const double rtol[] = {1e-6, 1e-8, 1e-10, 1e-12}, most[] = {1e-2, 1e-4, 1e-6, 1e-7};
  double end[4][STARTS][3], balance[4][STARTS], middle[3];
  int trusted = 0; /* at the last tolerance */
  for (int i = 0; i < 4; i++)
    for (int n = 0; n < STARTS; n++)
      trusted += deltoid_end(rtol[i], 8 + 1e-13 * n, end[i][n], &balance[i][n]) && i == 3;
  printf("rtol %g: %d of %d starts are trusted\n", rtol[3], trusted, STARTS);
  CHECK(trusted > STARTS / 2);
  for (int k = 0; k < 3; k++) {
    double sorted[STARTS];
    for (int n = 0; n < STARTS; n++) sorted[n] = end[3][n][k];
    qsort(sorted, STARTS, sizeof *sorted, by_size);
    middle[k] = sorted[STARTS / 2];
  }
  for (int i = 0; i < 4; i++) {
    int worse = 0;
    for (int n = 0; n < STARTS; n++) {
      double off = 0;
      for (int k = 0; k < 3; k++) off = fmax(off, fabs(end[i][n][k] - middle[k]));
      worse += !(off <= most[i]);
    }
    qsort(balance[i], STARTS, sizeof *balance[i], by_size);
    printf("rtol %g: %d of %d starts worse than %g, balance %.1e, at most %.1e\n", rtol[i], worse, STARTS, most[i],
           balance[i][STARTS / 2], balance[i][STARTS - 1]);
    CHECK(worse <= (i > 1 ? WORSE : 0));
  }
  CHECK(balance[3][STARTS / 2] < 3e-9 && balance[2][STARTS / 2] < 1e-6);
}

/* where steps fall before a singular position is a matter of the last digits; what comes after it is not */
TEST_FULL(deltoid_does_not_depend_on_the_last_digits) {
  double first[3], worst = 0, most = 0;
  for (int n = 0; n < 6; n++) {
    double end[3], balance;
    deltoid_end(1e-11, 8 * (1 + n * 2e-15), end, &balance);
    if (n == 0) memcpy(first, end, sizeof first);
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(end[k] - first[k]));
    most = fmax(most, balance);
  }
  printf("deltoid, 6 starts apart by 1.6e-14: ends differ by %.1e, balance %.1e\n", worst, most);
  CHECK(worst < 1e-6 && most < 1e-8);
}

/* the parallel motion of the four-bars is that of one bar: 3 theta'' = -3.5 g cos(theta) */
static double one_bar(double theta, double rate, double t_end) {
  const int n = 20000;
  const double h = t_end / n;
  for (int i = 0; i < n; i++) {
    double k[4][2], x = theta, v = rate;
    for (int s = 0; s < 4; s++) {
      k[s][0] = v;
      k[s][1] = -3.5 * 9.81 * cos(x) / 3;
      const double c = s == 2 ? 1 : 0.5;
      x = theta + c * h * k[s][0];
      v = rate + c * h * k[s][1];
    }
    theta += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    rate += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
  }
  return theta;
}

/* bars that begin at an angle with which a fixed step ends in the flat position, or a little beside it */
static double landing(const char *integrator, const char *step, double angle, int *events) {
  build b;
  double x = NAN;
  build_new(&b, 1);
  build_read(&b, "braun_four_bars");
  build_set(&b, "/constants/th", "%.17g", angle);
  build_set(&b, "/bodies/p{i}/position", "[\"i-1+cos(th)\", \"sin(th)\"]");
  build_set(&b, "/start", "{\"p1.vy\": 3, \"p2.vy\": 3, \"p3.vy\": 3}");
  build_set(&b, "/run", "{\"until\": 1, \"integrator\": {\"type\": \"%s\", \"step\": %s}}", integrator, step);
  tn_error e;
  if (build_simulate(&b) && tn_sim_advance(b.sim, 1, &e) == TN_OK) tn_sim_channel(b.sim, "p1.x", &x, &e);
  *events = b.sim ? tn_sim_events(b.sim) : 0;
  build_free(&b);
  return fabs(x - cos(one_bar(angle, 3 / cos(angle), 1)));
}

TEST(a_fixed_step_that_ends_in_a_singular_position) {
  static const double beside[] = {0, 1e-10, -1e-10, 1e-9, -1e-9, 1e-8, -1e-8, 1e-7, -1e-7, 1e-6, -1e-6, 1e-5, -1e-5};
  static const struct {
    const char *integrator, *step;
    double bound; /* twice the error far from landing */
  } ways[] = {{"rk4", "1e-2", 3e-6}, {"dopri5", "1e-2", 1e-8}, {"rk4", "1e-3", 4e-10}, {"dopri5", "1e-3", 1e-10}};
  int met = 0;
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
      int events;
      const double off = landing(ways[w].integrator, ways[w].step, -0.057812294950061336 + beside[i], &events);
      met += events > 0;
      if (!(off < ways[w].bound)) FAIL("%s %s beside %g: %.2e", ways[w].integrator, ways[w].step, beside[i], off);
    }
  CHECK(met >= 40); /* the landing is there to be met */
}
