/* the sparse factorisation of models against the dense one: accelerations, multipliers and corrections at states of the motion, in
 * absolute and relative coordinates. */
#include "formulate/formulate.h"
#include "simulate/simulate.h"
#include "support/reference.h"

#include "test.h"

static double apart(int n, const double *a, const double *b) {
  double off = 0, size = 0;
  for (int i = 0; i < n; i++) {
    off = fmax(off, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return off / (size + 1e-9);
}

/* at the present state of the simulation, both ways; true if the blocks were used */
static bool both_ways(tn_sim *sim, double worst[3]) {
  tn_solver *s = &sim->solver;
  const tn_model *m = s->sys.m;
  double *x[2][4];
  bool by_blocks = false;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 4; i++)
      if (!(x[k][i] = calloc((size_t)(m->nu + m->rows + 1), sizeof(double)))) abort();
  const bool ready = s->sparse.ready;
  for (int k = 0; k < 2; k++) {
    s->sparse.ready = ready && k == 0;
    s->at_mass.ready = false;
    tn_system_stale(&s->sys);
    CHECK(tn_solver_at(s, sim->now.t, sim->now.y, tn_u_of(sim, sim->now.y), NULL) == TN_OK);
    CHECK(tn_solver_factor(s, TN_METRIC_MASS, NULL) == TN_OK);
    if (k == 0) by_blocks = s->by_blocks;
    CHECK(s->by_blocks == (k == 0 && by_blocks));
    CHECK(tn_solver_solve(s, s->sys.f, s->sys.rows.gamma, x[k][0], x[k][1], NULL) == TN_OK);
    for (int i = 0; i < m->rows; i++) x[k][3][i] = sin(1 + i) / m->row_scale[i];
    CHECK(tn_solver_correct(s, TN_METRIC_MASS, TN_OF_ESTIMATE, x[k][3], x[k][2], NULL) == TN_OK);
  }
  s->sparse.ready = ready;
  s->at_mass.ready = false;
  worst[0] = fmax(worst[0], apart(m->nu, x[0][0], x[1][0]));
  worst[1] = fmax(worst[1], apart(m->rows, x[0][1], x[1][1]));
  worst[2] = fmax(worst[2], apart(m->nu, x[0][2], x[1][2]));
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 4; i++) free(x[k][i]);
  return by_blocks;
}

static void check(const char *model, const ref_change *changes, double until, bool expected) {
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  double worst[3] = {0, 0, 0};
  int used = 0;
  CHECK(ref_desc(model, changes, &desc) && ref_compile(desc, &m));
  CHECK(tn_sim_new(m, &sim, &e) == TN_OK);
  CHECK(tn_sim_advance(sim, 0, &e) == TN_OK);
  for (int i = 0; i < 12; i++) {
    used += both_ways(sim, worst);
    CHECK(tn_sim_advance(sim, until * (i + 1) / 12, &e) == TN_OK);
  }
  printf("%.30s%s: %d and %d, blocks %d of 12: udot %.1e, lambda %.1e, correction %.1e\n",
         model[0] == '{' ? "chain" : model, m->relative ? ", relative" : "", m->nu, m->rows, used, worst[0], worst[1],
         worst[2]);
  CHECK(expected ? used >= 9 : used == 0);
  /* the dense mass matrix of 60 links in a row has a condition of 1e7 */
  const double tolerance = m->relative ? 1e-8 : 1e-11;
  CHECK(worst[0] < tolerance && worst[1] < tolerance && worst[2] < tolerance);
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(desc);
}

static const ref_change relative[] = {{"/coordinates", "\"relative\""}, {NULL, NULL}};

/* a chain with lumps, off-centre masses, springs, a driver, a rod between, alternately pinned and sliding */
static const char chain[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"coordinates\": \"absolute\", \"constants\": {\"N\": "
    "24},\n"
    " \"points\": {\"P{i}\": {\"repeat\": \"i=0..N\", \"at\": [\"0.3*i\", \"0.05*mod(i,2)\"]}},\n"
    " \"bodies\": {\"b{i}\": {\"repeat\": \"i=1..N\", \"rod\": [\"P{i-1}\", \"P{i}\"], \"mass\": \"0.2+0.01*i\", "
    "\"lumps\": "
    "[{\"mass\": 0.1, \"at\": [0.1, 0.05]}]}},\n"
    " \"joints\": {\"j1\": {\"type\": \"revolute\", \"between\": [\"ground\", \"b1\"], \"at\": \"P0\"},\n"
    "  \"j{i}\": {\"repeat\": \"i=2..N\", \"type\": \"revolute\", \"between\": [\"b{i-1}\", \"b{i}\"], \"at\": "
    "\"P{i-1}\"},\n"
    "  \"d\": {\"type\": \"driver\", \"on\": \"j1.angle\", \"value\": \"0.2*sin(3*t)\"},\n"
    "  \"c\": {\"type\": \"coordinate\", \"terms\": {\"j3.angle\": 1, \"j5.angle\": -2}, \"value\": 0},\n"
    "  \"tie\": {\"type\": \"distance\", \"between\": [\"b4\", \"b9\"], \"at\": [\"P4\", \"P9\"]}},\n"
    " \"forces\": {\"s\": {\"type\": \"spring\", \"between\": [\"b6\", \"b12\"], \"at\": [\"P6\", \"P12\"], "
    "\"stiffness\": "
    "30, \"damping\": 0.1}},\n"
    " \"rods\": {\"r\": {\"between\": [\"b2\", \"b7\"], \"at\": [\"P2\", \"P7\"], \"mass\": 0.3}},\n"
    " \"run\": {\"until\": 0.3}}";

TEST(models_in_absolute_coordinates) {
  check("spatial_four_bar", NULL, 0.5, true);
  check("andrews", NULL, 0.03, true);
  check("spatial_chain", NULL, 0.5, true);
  check("stewart_platform", NULL, 1, true);
  check("gear_train", NULL, 1, true);
  check(chain, NULL, 0.3, true);
}

TEST(models_in_relative_coordinates) {
  const ref_change long_one[] = {{"/coordinates", "\"relative\""}, {"/constants/N", "60"}, {NULL, NULL}};
  check("spatial_chain", long_one, 0.05, true);
  const ref_change longer[] = {{"/coordinates", "\"relative\""}, {"/constants/N", "60"}, {NULL, NULL}};
  check(chain, longer, 0.05, true);
}

TEST(small_models_are_dense) {
  check("four_bar", NULL, 0.2, false);
  check("spatial_chain", relative, 0.2, false);
}

/* below 100 speeds and rows the dense factorization is cheaper */
TEST(models_with_redundant_rows) {
  check("gear_train_four_meshes", NULL, 0.2, false);
  check("bricard", NULL, 1, false);
  check("door_three_hinges", NULL, 0.5, false);
}

/* through the singular position of a row of four-bars reflections take over, and hand back */
TEST(hands_over_at_a_singular_position) {
  const ref_change n[] = {{"/constants/N", "10"}, {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  int blocks = 0, root = 0;
  CHECK(ref_desc("n_four_bar", n, &desc) && ref_compile(desc, &m) && tn_sim_new(m, &sim, &e) == TN_OK);
  for (int i = 0; i <= 400; i++) {
    if (tn_sim_advance(sim, 0.005 * i, &e) != TN_OK) FAIL("%s", e.message);
    CHECK(sim->solver.by_blocks);
    if (sim->solver.sparse.by_root)
      root++;
    else
      blocks++;
  }
  printf("row of 10 four-bars, 2 s: blocks at %d of 401 times, reflections at %d\n", blocks, root);
  CHECK(blocks > 200 && root > 0);
  CHECK(tn_sim_summary(sim)->contract_kept && tn_sim_summary(sim)->energy_balance < 1e-8);
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(desc);
}

/* what a right-hand side touches grows with the bodies and not faster */
TEST(size_of_the_plan) {
  double per_body[2];
  for (int k = 0; k < 2; k++) {
    const ref_change n[] = {{"/constants/N", k ? "200" : "50"}, {NULL, NULL}};
    tn_desc *desc = NULL;
    tn_model *m = NULL;
    CHECK(ref_desc("spatial_chain", n, &desc) && ref_compile(desc, &m));
    per_body[k] = (double)m->plan.values / m->bodies;
    tn_model_free(m);
    tn_desc_free(desc);
  }
  CHECK(per_body[1] <= 1.02 * per_body[0]);
}

/* ---- models without matrices ------------------------------------------------------------------------------------------------ */

static const char long_chain[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"coordinates\": \"absolute\", \"constants\": {\"N\": "
    "600},\n"
    " \"points\": {\"P{i}\": {\"repeat\": \"i=0..N\", \"at\": [\"0.3*i\", 0]}},\n"
    " \"bodies\": {\"b{i}\": {\"repeat\": \"i=1..N\", \"rod\": [\"P{i-1}\", \"P{i}\"], \"mass\": 0.25}},\n"
    " \"joints\": {\"j1\": {\"type\": \"revolute\", \"between\": [\"ground\", \"b1\"], \"at\": \"P0\"},\n"
    "  \"j{i}\": {\"repeat\": \"i=2..N\", \"type\": \"revolute\", \"between\": [\"b{i-1}\", \"b{i}\"], \"at\": "
    "\"P{i-1}\"}},\n"
    " \"outputs\": {\"first\": \"b1.angle\", \"tip\": \"position(b{N})\", \"load\": \"norm(force(j1))\", \"E\": "
    "\"energy.total\"},\n"
    " \"run\": {\"until\": 0.2, \"every\": 0.02}}";

/* no braces outside a repeat */
static void chain_text(char *text, size_t size, int n) {
  char number[16];
  snprintf(number, sizeof number, "%d", n);
  const char *at = strstr(long_chain, "{N}");
  snprintf(text, size, "%.*s%s%s", (int)(at - long_chain), long_chain, number, at + 3);
}

/* a chain in absolute coordinates, without matrices, and in relative ones, with them: one motion */
TEST_FULL(large_models_move_alike) {
  char text[2000];
  ref_table got[2] = {{0}, {0}};
  chain_text(text, sizeof text, 600);
  for (int k = 0; k < 2; k++) {
    const ref_change changes[] = {{"/coordinates", k ? "\"relative\"" : "\"absolute\""}, {NULL, NULL}};
    tn_desc *desc = NULL;
    tn_model *m = NULL;
    tn_summary sum;
    CHECK(ref_desc(text, changes, &desc) && ref_compile(desc, &m));
    CHECK(m->large == (k == 0)); /* 3,000 speeds and rows, or 600 */
    CHECK(ref_run(m, &got[k], &sum));
    CHECK(sum.contract_kept && sum.energy_balance < 1e-7 && sum.degrees_of_freedom == 600 && sum.redundant_rows == 0);
    tn_model_free(m);
    tn_desc_free(desc);
  }
  char where[128];
  const double off = ref_distance(&got[0], &got[1], "first tip.x tip.y load", 0.2, true, where);
  printf("600 links, absolute without matrices against relative: %.1e (%s)\n", off, where);
  CHECK_NEAR(off, 0, 1e-6);
  ref_table_free(&got[0]);
  ref_table_free(&got[1]);
}

TEST(a_chain_with_a_joint_given_twice) {
  static const ref_change again[] = {
      {"/constants/N", "40"},
      {"/joints/again", "{\"type\": \"revolute\", \"between\": [\"b7\", \"b8\"], \"at\": \"P7\"}"},
      {NULL, NULL}};
  char text[2000];
  chain_text(text, sizeof text, 40);
  check(text, again, 0.05, true);
}

/* a chain too large for matrices with a joint given twice, and with a bar across two links that are held already: the motion is
 * that of the chain alone, and what a joint carries is shared */
TEST(large_models_with_redundant_rows) {
  static const ref_change again[] = {
      {"/joints/again", "{\"type\": \"revolute\", \"between\": [\"b7\", \"b8\"], \"at\": \"P7\"}"},
      {"/joints/last", "{\"type\": \"revolute\", \"between\": [\"b300\", \"b301\"], \"at\": \"P300\"}"},
      {NULL, NULL}};
  char text[2000];
  chain_text(text, sizeof text, 600);
  double end[2][1800];
  for (int k = 0; k < 2; k++) {
    tn_desc *desc = NULL;
    tn_model *m = NULL;
    tn_sim *sim = NULL;
    tn_error e = {0};
    CHECK(ref_desc(text, k ? again : NULL, &desc) && ref_compile(desc, &m) && tn_sim_new(m, &sim, &e) == TN_OK);
    if (tn_sim_advance(sim, 0.05, &e) != TN_OK) FAIL("%s", e.message);
    const tn_summary *sum = tn_sim_summary(sim);
    CHECK(sum->contract_kept);
    CHECK_NEAR(sum->redundant_rows, k ? 4 : 0, 0);
    CHECK_NEAR(sum->degrees_of_freedom, 600, 0);
    for (int i = 0; i < 1800; i++) end[k][i] = tn_sim_q(sim)[i];
    if (k) {
      double one = 0, two = 0, other = 0;
      CHECK(tn_sim_channel(sim, "last.fy", &two, &e) == TN_OK && tn_sim_channel(sim, "j301.fy", &one, &e) == TN_OK);
      CHECK(tn_sim_channel(sim, "j302.fy", &other, &e) == TN_OK);
      CHECK_NEAR(one, two, 1e-9 * (1 + fabs(one)));
    }
    tn_sim_free(sim);
    tn_model_free(m);
    tn_desc_free(desc);
  }
  double worst = 0;
  for (int i = 0; i < 1800; i++) worst = fmax(worst, fabs(end[1][i] - end[0][i]));
  printf("600 links, two joints given twice: places differ by %.1e\n", worst);
  CHECK(worst <= 1e-9);
}

/* accelerations and multipliers do not depend, in any digit, on how much of the matrix is filled before elimination begins: nothing is
 * filled too late, or cleared after something was added to it */
static void check_tiles(const char *model, const ref_change *changes) {
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  tn_sim *sim = NULL;
  tn_error e = {0};
  CHECK(ref_desc(model, changes, &desc) && ref_compile(desc, &m) && tn_sim_new(m, &sim, &e) == TN_OK);
  if (tn_sim_advance(sim, 0.01, &e) != TN_OK) FAIL("%s", e.message);
  tn_solver *s = &sim->solver;
  const size_t n = (size_t)(m->nu + m->rows);
  double *x[2];
  for (int k = 0; k < 2; k++) {
    if (!(x[k] = calloc(n + 1, sizeof(double)))) abort();
    s->at_mass.ready = false;
    tn_system_stale(&s->sys);
    CHECK(tn_solver_at(s, sim->now.t, sim->now.y, tn_u_of(sim, sim->now.y), NULL) == TN_OK);
    CHECK(tn_solver_factor(s, TN_METRIC_MASS, NULL) == TN_OK && s->by_blocks);
    CHECK(tn_solver_solve(s, s->sys.f, s->sys.rows.gamma, x[k], x[k] + m->nu, NULL) == TN_OK);
    if (k) break;
    CHECK(m->plan.tiles > 1);
    m->plan.tile[1] = m->plan.tile[m->plan.tiles];
    m->put.tile[1] = m->put.tile[m->plan.tiles];
    m->plan.tiles = 1;
  }
  if (memcmp(x[0], x[1], sizeof *x[0] * n) != 0) FAIL("%.30s..: tiles differ from all at once", model);
  free(x[0]), free(x[1]);
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(desc);
}

TEST_FULL(tiles_change_nothing) {
  static const char four_bars[] =
      "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"constants\": {\"N\": 250}, \"bodies\": {"
      " \"link{i}\": {\"repeat\": \"i=0..N\", \"rod\": [[\"i\", 0], [\"i + 0.3\", 1]], \"mass\": 1},"
      " \"coupler{i}\": {\"repeat\": \"i=1..N\", \"rod\": [[\"i - 0.7\", 1], [\"i + 0.3\", 1]], \"mass\": 1}},"
      "\"joints\": {"
      " \"ground{i}\": {\"repeat\": \"i=0..N\", \"type\": \"revolute\", \"between\": [\"ground\", \"link{i}\"], "
      "\"at\": [\"i\", 0]},"
      " \"left{i}\": {\"repeat\": \"i=1..N\", \"type\": \"revolute\", \"between\": [\"link{i-1}\", \"coupler{i}\"], "
      "\"at\": [\"i - 0.7\", 1]},"
      " \"right{i}\": {\"repeat\": \"i=1..N\", \"type\": \"revolute\", \"between\": [\"coupler{i}\", \"link{i}\"], "
      "\"at\": [\"i + 0.3\", 1]}}}";
  static const char slide[] =
      "{\"type\": \"prismatic\", \"between\": [\"ground\", \"b%d\"], \"at\": \"P%d\", \"axis\": "
      "[1, 0.2]}";
  static const char mesh[] =
      "{\"type\": \"coordinate\", \"terms\": {\"j5.angle\": 1, \"j30.angle\": 2, \"j60.angle\": 3, "
      "\"j90.angle\": 1, \"j120.angle\": 2, \"j150.angle\": 3, \"j180.angle\": 1}, \"value\": 0}";
  static const ref_change spatial[] = {{"/constants/N", "250"}, {NULL, NULL}},
                          carried[] = {{"/constants/N", "100"}, {"/coordinates", "\"relative\""}, {NULL, NULL}};
  char text[2000], end[200];
  chain_text(text, sizeof text, 600);
  snprintf(end, sizeof end, slide, 600, 600);
  check_tiles(text, (const ref_change[]){{"/joints/end", end}, {NULL, NULL}});
  chain_text(text, sizeof text, 200);
  snprintf(end, sizeof end, slide, 200, 200);
  check_tiles(text, (const ref_change[]){{"/constants/N", "200"},
                                         {"/coordinates", "\"relative\""},
                                         {"/joints/end", end},
                                         {"/joints/mesh", mesh},
                                         {NULL, NULL}});
  check_tiles("spatial_chain", spatial);
  check_tiles("spatial_chain", carried);
  check_tiles(four_bars, NULL);
}

TEST(large_models_say_what_they_cannot) {
  static const struct {
    ref_change change;
    const char *message;
  } cases[] = {{{"/run/method", "\"direct\""}, "too large for the metric `identity`"},
               {{"/run/formulation", "{\"type\": \"partition\", \"matrices\": \"dense\"}"},
                "too large for the formulation `partition`"}};
  char text[2000];
  chain_text(text, sizeof text, 600);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ref_change changes[] = {cases[i].change, {"/run/until", "0.01"}, {NULL, NULL}};
    tn_desc *desc = NULL;
    tn_model *m = NULL;
    tn_sim *sim = NULL;
    tn_error e = {0};
    CHECK(ref_desc(text, changes, &desc) && ref_compile(desc, &m));
    tn_status status = tn_sim_new(m, &sim, &e);
    if (status == TN_OK) status = tn_sim_advance(sim, 0.01, &e);
    CHECK(status == TN_E_MODEL);
    CHECK_HAS(e.message, cases[i].message);
    tn_sim_free(sim);
    tn_model_free(m);
    tn_desc_free(desc);
  }
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  tn_sim *sim = NULL;
  tn_eval eval;
  tn_error e;
  CHECK(ref_desc(text, NULL, &desc) && ref_compile(desc, &m) && tn_sim_new(m, &sim, &e) == TN_OK);
  CHECK(tn_sim_eval(sim, &eval, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "too large for its matrices");
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(desc);
}
