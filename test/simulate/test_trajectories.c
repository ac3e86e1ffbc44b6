/* long motions through singular positions against solutions that others computed, from many starts; a long chain; and the
 * same bytes every time. */
#include <sys/wait.h>
#include <time.h>

#include "support/reference.h"

#include "test.h"

/* ---- Braun's mechanisms, 100 s ------------------------------------------------------------------------------------------- */

/* every time the reference has; a fixed step, as the paper takes it */
static void hundred_seconds(const char *model, const char *file, const char *places, const char *all, double bound) {
  char integrator[96], where[128], at[128];
  ref_step(integrator, "rk4", 1e-3);
  const ref_change changes[] = {{"/run/integrator", integrator},
                                {"/run/method", "\"project\""},
                                {"/run/until", "100"},
                                {"/run/every", "0.05"},
                                {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  ref_table got = {0}, reference = {0};
  tn_summary sum = {.status = TN_E_INTERNAL};
  const bool ok = ref_desc(model, changes, &desc) && ref_compile(desc, &m) && ref_run(m, &got, &sum) &&
                  ref_read(file, "/rows", &reference);
  CHECK(ok);
  if (ok) {
    const double error = ref_distance(&got, &reference, places, 100, false, where);
    const double worst = ref_distance(&got, &reference, all, 100, false, at);
    printf("%s: error of places %.2e (%s), of all %.2e (%s), violation %.1e %.1e, %" PRId64 " rhs, %" PRId64
           " factorizations, %.2f s\n",
           model, error, where, worst, at, sum.max_position_violation, sum.max_velocity_violation, sum.rhs,
           sum.factorizations, sum.cpu_seconds);
    CHECK(sum.contract_kept && sum.t_end == 100);
    CHECK(sum.steps >= 100000);
    CHECK_NEAR(error, 0, bound);
    CHECK_NEAR(sum.max_position_violation, 0, 1e-11);
  }
  ref_table_free(&got);
  ref_table_free(&reference);
  tn_model_free(m);
  tn_desc_free(desc);
}

TEST_FULL(slider_crank_100_s) {
  hundred_seconds("braun_slider_crank", "ref_slider_crank", "xs", "theta1 theta2 omega1 xs vxs", 4.5e-8);
}
TEST_FULL(four_bars_100_s) { hundred_seconds("braun_four_bars", "ref_fourbar", "x1 y1 x3", "x1 y1 x3 vx vy", 2e-7); }

/* ---- N four-bars, 20 s --------------------------------------------------------------------------------------------------- */

/* links parallel: theta'' = W2 sin(theta), theta from upright; on by dt */
static void one_bar(long double W2, long double dt, long double *theta, long double *rate) {
  const int n = (int)(dt / 1e-4L + 0.5L);
  const long double h = dt / n;
  for (int i = 0; i < n; i++) {
    long double k[4][2], x = *theta, v = *rate;
    for (int s = 0; s < 4; s++) {
      k[s][0] = v;
      k[s][1] = W2 * sinl(x);
      const long double c = s == 2 ? 1 : 0.5L;
      x = *theta + c * h * k[s][0];
      v = *rate + c * h * k[s][1];
    }
    *theta += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    *rate += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
  }
}

/* a fixed sequence in -1 .. 1, the same on every machine */
static double jitter(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1;
}

/* a run from its start with every q and u moved by up to size (0: not at all), then assembled */
static bool perturbed(const tn_model *m, double size, unsigned seed, ref_table *table, tn_summary *sum) {
  unsigned state = 2654435761u * (seed + 1);
  tn_sim *sim = NULL;
  tn_error e;
  *table = (ref_table){0};
  *sum = (tn_summary){.status = TN_E_INTERNAL};
  if (tn_sim_new(m, &sim, &e) != TN_OK) return false;
  bool ok = tn_sim_start(sim, &e) == TN_OK;
  double *q = calloc((size_t)(m->nq + m->nu), sizeof *q), *u = q + m->nq;
  if (!q) abort();
  for (int i = 0; ok && i < m->nq; i++) q[i] = tn_sim_q(sim)[i] + size * jitter(&state);
  for (int i = 0; ok && i < m->nu; i++) u[i] = tn_sim_u(sim)[i] + size * jitter(&state);
  if (ok && size > 0) ok = tn_sim_set(sim, 0, q, u, true, &e) == TN_OK;
  ok = ok && ref_run_on(sim, table);
  if (ok) *sum = *tn_sim_summary(sim);
  free(q);
  tn_sim_free(sim);
  return ok;
}

/* largest distance of the links from each other, and of the first from the motion of one bar that begins as it does */
static void errors_of(const ref_table *t, int N, double *spread, double *error) {
  const long double W2 = 9.81L * ((N + 1) / 2.0L + N) / ((N + 1) / 3.0L + N), up = 1.57079632679489661923L;
  const int first = ref_column(t, "a0"), rate = ref_column(t, "w");
  *spread = *error = first >= 0 && rate >= 0 && t->rows ? 0 : INFINITY;
  if (*error > 0) return;
  long double theta = up - (long double)t->value[first], omega = -(long double)t->value[rate];
  for (int r = 0; r < t->rows; r++) {
    const double *v = t->value + (size_t)r * (size_t)t->columns;
    if (r) one_bar(W2, (long double)t->t[r] - (long double)t->t[r - 1], &theta, &omega);
    *error = fmax(*error, fabs((double)(up - theta - (long double)v[first])));
    for (int i = 0; i <= N; i++) *spread = fmax(*spread, fabs(v[first + i] - v[first]));
    if (isnan(v[first])) *error = INFINITY;
  }
}

static void n_four_bar(int N, int starts) {
  char integrator[96], number[16];
  ref_tolerance(integrator, 1e-12);
  snprintf(number, sizeof number, "%d", N);
  const ref_change changes[] = {{"/run/integrator", integrator},
                                {"/run/method", "\"project\""},
                                {"/run/until", "20"},
                                {"/run/every", "0.05"},
                                {"/constants/N", number},
                                {"/outputs", "{\"a{i}\": {\"repeat\": \"i=0..N\", \"value\": \"link{i}.angle\"}, "
                                             "\"w\": \"link0.rate\"}"},
                                {NULL, NULL}};
  static const double sizes[] = {1e-9, 1e-8, 1e-7};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  double spread = 0, error = 0, worst = 0, seconds = 0, balance = 0;
  int good = 0;
  int64_t steps = 0, rejected = 0;
  CHECK(ref_desc("n_four_bar", changes, &desc) && ref_compile(desc, &m));
  for (int s = 0; m && s <= starts; s++) {
    ref_table table;
    tn_summary sum;
    double apart, off;
    const bool ok = perturbed(m, s ? sizes[s % 3] : 0, (unsigned)s, &table, &sum) && table.rows == 401;
    errors_of(&table, N, &apart, &off);
    good += ok && sum.contract_kept && apart < 1e-6 && off < 1e-6;
    if (!(ok && apart < 1e-6 && off < 1e-6))
      printf("start %d, %g: apart %.1e, off %.1e\n", s, sizes[s % 3], apart, off);
    if (s == 0) error = off;
    spread = fmax(spread, apart);
    worst = fmax(worst, off);
    balance = fmax(balance, fabs(sum.energy_balance));
    seconds += sum.cpu_seconds;
    steps += sum.steps;
    rejected += sum.rejected;
    ref_table_free(&table);
  }
  printf(
      "N-four-bar %d: %d of %d starts good; links apart by %.1e, off by %.1e (exact start %.1e), balance %.1e; %" PRId64
      " "
      "steps, %" PRId64 " rejected, %.2f s each\n",
      N, good, starts + 1, spread, worst, error, balance, steps / (starts + 1), rejected, seconds / (starts + 1));
  CHECK(good == starts + 1);
  tn_model_free(m);
  tn_desc_free(desc);
}

TEST_LONG(n_four_bar_2_from_fifty_starts) { n_four_bar(2, 50); }
TEST_FULL(n_four_bar_40) { n_four_bar(40, 1); }
TEST_LONG(n_four_bar_40_from_fifty_starts) { n_four_bar(40, 50); }

/* ---- a chain of 1,000 links, 1 s ------------------------------------------------------------------------------------------ */

static const char chain[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"constants\": {\"N\": 1000, \"l\": 0.3},"
    "\"bodies\": {\"link{i}\": {\"repeat\": \"i=1..N\", \"rod\": [[\"(i-1)*l\", 0], [\"i*l\", 0]], \"mass\": 0.25}},"
    "\"joints\": {\"root\": {\"type\": \"revolute\", \"between\": [\"ground\", \"link1\"], \"at\": [0, 0]},"
    "\"pin{i}\": {\"repeat\": \"i=2..N\", \"type\": \"revolute\", \"between\": [\"link{i-1}\", \"link{i}\"],"
    "\"at\": [\"(i-1)*l\", 0]}},"
    "\"outputs\": {\"p{i}\": {\"repeat\": \"i=1..N\", \"value\": \"position(link{i})\"},"
    "\"a{i}\": {\"repeat\": \"i=1..N\", \"value\": \"link{i}.angle\"}}, \"run\": {\"until\": 1, \"every\": 0.05}}";

static bool fall(double rtol, ref_table *table, tn_summary *sum) {
  char integrator[96];
  ref_tolerance(integrator, rtol);
  const ref_change changes[] = {{"/run/integrator", integrator}, {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  const bool ok = ref_desc(chain, changes, &desc) && ref_compile(desc, &m) && ref_run(m, table, sum);
  tn_model_free(m);
  tn_desc_free(desc);
  return ok;
}

static double apart(const ref_table *a, const ref_table *b) {
  double most = a->rows == b->rows && a->columns == b->columns && a->rows > 1 ? 0 : INFINITY;
  for (int i = 0; most < INFINITY && i < a->rows * a->columns; i++) {
    const double d = fabs(a->value[i] - b->value[i]);
    most = d <= most ? most : isnan(d) ? INFINITY : d;
  }
  return most;
}

/* the loosest tolerance that gives every place (m) and angle to 1e-6, and what it costs */
TEST_LONG(chain_of_1000_links) {
  static const double rtol[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
  ref_table reference = {0};
  tn_summary sum;
  bool found = false;
  CHECK(fall(1e-9, &reference, &sum));
  for (int i = 0; i < 5 && !found; i++) {
    ref_table table = {0};
    CHECK(fall(rtol[i], &table, &sum));
    const double error = apart(&table, &reference);
    printf("chain of 1000 links, 1 s, rtol %g: error %.1e, %" PRId64 " steps, %" PRId64
           " rhs, %.2f s CPU, balance %.1e\n",
           rtol[i], error, sum.steps, sum.rhs, sum.cpu_seconds, sum.energy_balance);
    found = error <= 1e-6;
    ref_table_free(&table);
  }
  CHECK(found);
  ref_table_free(&reference);
}

/* ---- the same bytes ------------------------------------------------------------------------------------------------------- */

/* bytes of a file, or NULL */
static char *contents(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  *size = 0;
  if (!f) return NULL;
  for (size_t room = 0, n = 1; n > 0;) {
    if (*size + 65536 > room && !(text = realloc(text, room = 2 * room + 65536))) abort();
    n = fread(text + *size, 1, room - *size, f);
    *size += n;
  }
  fclose(f);
  return text;
}

/* in a process of its own, whose stack and memory lie elsewhere */
static bool run_into(const char *model, const char *options, int pad, const char *path) {
  char command[2000], room[400];
  memset(room, 'x', (size_t)pad);
  room[pad] = '\0';
  snprintf(command, sizeof command, "PAD=%s '%s' run '%s/models/%s.json' %s -q -o %s", room, TN_BINARY, TN_SOURCE_DIR,
           model, options, path);
  const int status = system(command);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void same_bytes(const char *model, const char *options) {
  size_t n = 0, k = 0;
  CHECK(run_into(model, options, 1, "one.csv") && run_into(model, options, 333, "two.csv"));
  char *a = contents("one.csv", &n), *b = contents("two.csv", &k);
  if (!a || !b || n != k || n < 1000 || memcmp(a, b, n) != 0)
    FAIL("%s %s: not the same bytes (%zu, %zu)", model, options, n, k);
  free(a);
  free(b);
}

TEST(same_bytes_from_run_to_run) {
  same_bytes("four_bar", "--until 2");
  same_bytes("n_four_bar", "--set N=12 --until 2 --every 0.02");
  same_bytes("spatial_chain", "--until 0.5");
  same_bytes("stewart_platform", "--until 0.5");
  same_bytes("gear_train_four_meshes", "--until 2 --every 0.05");
  same_bytes("bricard", "--until 1");
}

/* and in one process, where memory was used before */
TEST(same_bytes_in_one_process) {
  const ref_change changes[] = {{"/run/until", "2"}, {"/run/every", "0.05"}, {"/constants/N", "12"}, {NULL, NULL}};
  ref_table table[2] = {{0}, {0}};
  for (int i = 0; i < 2; i++) {
    tn_desc *desc = NULL;
    tn_model *m = NULL;
    tn_summary sum;
    CHECK(ref_desc("n_four_bar", changes, &desc) && ref_compile(desc, &m) && ref_run(m, &table[i], &sum));
    tn_model_free(m);
    tn_desc_free(desc);
  }
  CHECK(table[0].rows == 41 && table[1].rows == 41);
  CHECK(memcmp(table[0].value, table[1].value, sizeof(double) * (size_t)(table[0].rows * table[0].columns)) == 0);
  ref_table_free(&table[0]);
  ref_table_free(&table[1]);
}
