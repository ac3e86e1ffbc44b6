/* the same mechanism written in another way moves in the same way: world rotated, names and order changed, a body cut into
 * welded halves, other units, a run in two pieces, absolute and relative coordinates, a row doubled, calls instead of a file.
 *
 * the mechanism, 2 freedoms: crank and coupler drive a block along a guide, a particle hangs from the block on a rope; a
 * damped spring, a motor on the crank, a force that turns with the coupler, weight. */
#include "support/build.h"
#include "test.h"

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

typedef struct variant {
  double turn, length, mass; /* the world turned by an angle; how many units a metre and a kilogram are */
  bool renamed, reversed;    /* names; order in the file                                               */
  bool halves;               /* the crank is two, welded                                               */
  bool relative;
} variant;

static const variant plain = {.length = 1, .mass = 1};

enum { CRANK, COUPLER, BLOCK, BOB, A, B, C, GUIDE, ROPE, SPRING, MOTOR, PUSH, NAMES };
static const char *const names[NAMES][2] = {{"crank", "z1"}, {"coupler", "m"}, {"block", "B2"}, {"bob", "aa"},
                                            {"A", "q_9"},    {"B", "P"},       {"C", "_w"},     {"guide", "G"},
                                            {"rope", "b1"},  {"spring", "zz"}, {"motor", "a_"}, {"push", "force7"}};

/* kinds of output: how many numbers, and what a change of units multiplies them with */
enum { LENGTH, SPEED, ANGLE, RATE, FORCE, ENERGY };
static const struct {
  const char *text;
  int of, width, kind;
} outputs[] = {{"position(%s)", BLOCK, 2, LENGTH}, {"velocity(%s)", BLOCK, 2, SPEED}, {"position(%s)", BOB, 2, LENGTH},
               {"velocity(%s)", BOB, 2, SPEED},    {"force(%s)", A, 2, FORCE},        {"force(%s)", B, 2, FORCE},
               {"force(%s)", ROPE, 2, FORCE},      {"force(%s)", GUIDE, 2, FORCE},    {"%s.angle", CRANK, 1, ANGLE},
               {"%s.angle", COUPLER, 1, ANGLE},    {"%s.rate", COUPLER, 1, RATE},     {"%s.shift", GUIDE, 1, LENGTH},
               {"%s.t", GUIDE, 1, ENERGY},         {"%s.energy", SPRING, 1, ENERGY},  {"%s.power", MOTOR, 1, ENERGY}};
enum { OUTPUTS = sizeof outputs / sizeof *outputs, COLUMNS = 23, ROWS = 41 };

/* a list of parts that is written forwards or backwards */
typedef struct part {
  char pointer[64], text[700];
} part;
typedef struct parts {
  int n;
  part part[16];
} parts;

static void add(parts *list, const char *kind, const char *name, const char *format, ...) TN_PRINTF(4, 5);
static void add(parts *list, const char *kind, const char *name, const char *format, ...) {
  part *p = &list->part[list->n++];
  va_list args;
  va_start(args, format);
  vsnprintf(p->text, sizeof p->text, format, args);
  va_end(args);
  snprintf(p->pointer, sizeof p->pointer, "/%s/%s", kind, name);
}

typedef struct place {
  char text[80];
} place;

static place at(const variant *v, double x, double y) {
  place p;
  const double c = v->length * cos(v->turn), s = v->length * sin(v->turn);
  snprintf(p.text, sizeof p.text, "[%.17g, %.17g]", c * x - s * y, s * x + c * y);
  return p;
}

#define AT(x, y) (at(v, (x), (y)).text)
#define NAME(i) (names[i][v->renamed])

static void mechanism(build *b, const variant *v) {
  const double l = v->length, m = v->mass;
  parts list = {0};
  build_new(b, 1);
  build_set(b, "/gravity", "%s", AT(0, -9.81));
  build_set(b, "/coordinates", v->relative ? "\"relative\"" : "\"absolute\"");
  if (v->halves) {
    add(&list, "bodies", NAME(CRANK), "{\"rod\": [%s, %s], \"mass\": %.17g}", AT(0, 0), AT(0.15, 0.2), m);
    add(&list, "bodies", "half", "{\"rod\": [%s, %s], \"mass\": %.17g}", AT(0.15, 0.2), AT(0.3, 0.4), m);
    add(&list, "joints", "glue", "{\"type\": \"weld\", \"between\": [\"%s\", \"half\"], \"at\": %s}", NAME(CRANK),
        AT(0.4, -0.1));
  } else {
    add(&list, "bodies", NAME(CRANK), "{\"rod\": [%s, %s], \"mass\": %.17g}", AT(0, 0), AT(0.3, 0.4), 2 * m);
  }
  add(&list, "bodies", NAME(COUPLER), "{\"rod\": [%s, %s], \"mass\": %.17g}", AT(0.3, 0.4), AT(1.5, -0.1), 3 * m);
  add(&list, "bodies", NAME(BLOCK),
      "{\"position\": %s, \"angle\": %.17g, \"mass\": %.17g, \"inertia\": %.17g, \"center\": [%.17g, 0]}", AT(1.5, 0),
      v->turn, 1.5 * m, 0.1 * m * l * l, 0.05 * l);
  add(&list, "bodies", NAME(BOB), "{\"position\": %s, \"mass\": %.17g, \"coordinates\": \"point\"}", AT(1.7, -0.7), m);
  add(&list, "joints", NAME(A), "{\"type\": \"revolute\", \"between\": [\"ground\", \"%s\"], \"at\": %s}", NAME(CRANK),
      AT(0, 0));
  add(&list, "joints", NAME(B), "{\"type\": \"revolute\", \"between\": [\"%s\", \"%s\"], \"at\": %s}",
      v->halves ? "half" : NAME(CRANK), NAME(COUPLER), AT(0.3, 0.4));
  add(&list, "joints", NAME(C), "{\"type\": \"revolute\", \"between\": [\"%s\", \"%s\"], \"at\": %s}", NAME(COUPLER),
      NAME(BLOCK), AT(1.5, -0.1));
  add(&list, "joints", NAME(GUIDE),
      "{\"type\": \"prismatic\", \"between\": [\"ground\", \"%s\"], \"at\": %s, \"axis\": %s}", NAME(BLOCK), AT(1.5, 0),
      AT(1, 0));
  add(&list, "joints", NAME(ROPE), "{\"type\": \"distance\", \"between\": [\"%s\", \"%s\"], \"at\": [%s, \"%s\"]}",
      NAME(BLOCK), NAME(BOB), AT(1.6, 0), NAME(BOB));
  add(&list, "forces", NAME(SPRING),
      "{\"type\": \"spring\", \"between\": [\"ground\", \"%s\"], \"at\": [%s, %s], \"stiffness\": %.17g, \"damping\": "
      "%.17g, \"length\": %.17g}",
      NAME(COUPLER), AT(0.8, 1), AT(0.9, 0.15), 40 * m, 0.5 * m, 0.6 * l);
  add(&list, "forces", NAME(MOTOR), "{\"type\": \"torque\", \"on\": \"%s.angle\", \"value\": \"%.17g*(3 - 0.5*rate)\"}",
      NAME(A), m * l * l);
  add(&list, "forces", NAME(PUSH),
      "{\"type\": \"force\", \"on\": \"%s\", \"at\": %s, \"value\": [%.17g, \"%.17g*sin(3*t)\"], \"axes\": \"body\"}",
      NAME(COUPLER), AT(0.9, 0.3), 2 * m * l, m * l);
  for (int i = 0; i < list.n; i++) {
    const part *p = &list.part[v->reversed ? list.n - 1 - i : i];
    build_set(b, p->pointer, "%s", p->text);
  }
  for (int i = 0; i < OUTPUTS; i++) {
    char pointer[64], text[64];
    snprintf(pointer, sizeof pointer, "/outputs/o%d", i);
    snprintf(text, sizeof text, outputs[i].text, NAME(outputs[i].of));
    build_set(b, pointer, "\"%s\"", text);
  }
  char start[64];
  snprintf(start, sizeof start, "/start/%s.rate", NAME(A));
  build_set(b, start, "2");
  build_set(
      b, "/run",
      "{\"until\": 2, \"every\": 0.05, \"integrator\": {\"type\": \"dopri5\", \"rtol\": 1e-12, \"atol\": 1e-12}}");
}

static bool ran(build *b, build_table *t) {
  if (!build_simulate(b) || !build_run(b, t)) {
    FAIL("%s", b->message);
    return false;
  }
  CHECK(t->rows == ROWS && t->columns == COLUMNS);
  return t->rows == ROWS && t->columns == COLUMNS;
}

/* largest difference to the plain variant, turned and in the plain units */
static double compare(const variant *v, const build_table *t, const build_table *reference) {
  const double l = v->length, m = v->mass, c = cos(v->turn), s = sin(v->turn);
  const double unit[] = {[LENGTH] = l, [SPEED] = l, [ANGLE] = 1, [RATE] = 1, [FORCE] = m * l, [ENERGY] = m * l * l};
  const double size[] = {[LENGTH] = 1, [SPEED] = 1, [ANGLE] = 1, [RATE] = 1, [FORCE] = 10, [ENERGY] = 10};
  double worst = 0;
  for (int i = 0; i < ROWS; i++)
    for (int k = 0, column = 0; k < OUTPUTS; column += outputs[k++].width) {
      const int kind = outputs[k].kind;
      double x = build_at(t, i, column) / unit[kind],
             y = outputs[k].width > 1 ? build_at(t, i, column + 1) / unit[kind] : 0;
      if (outputs[k].width > 1) {
        const double turned = c * x + s * y;
        y = -s * x + c * y;
        x = turned;
        worst = worse(worst, fabs(y - build_at(reference, i, column + 1)) / size[kind]);
      } else if (kind == ANGLE) { /* that of a rod starts between -pi and pi */
        const double pi = acos(-1);
        x -= v->turn + 2 * pi * round((build_at(t, 0, column) - v->turn - build_at(reference, 0, column)) / (2 * pi));
      }
      worst = worse(worst, fabs(x - build_at(reference, i, column)) / size[kind]);
    }
  return worst;
}

/* how far things go in the plain variant: a test of it tests something */
static bool moves(const build_table *t) {
  double angle = 0, rope = INFINITY;
  for (int i = 0; i < t->rows; i++) {
    angle = fmax(angle, fabs(build_at(t, i, 16) - build_at(t, 0, 16)));
    rope = fmin(rope, hypot(build_at(t, i, 12), build_at(t, i, 13)));
  }
  return angle > 2 && rope < 5;
}

static void same(const char *what, const variant *list, int n, double tolerance) {
  build b;
  build_table reference = {0};
  mechanism(&b, &plain);
  const bool ok = ran(&b, &reference);
  CHECK(ok && moves(&reference));
  build_free(&b);
  for (int i = 0; ok && i < n; i++) {
    build_table t = {0};
    mechanism(&b, &list[i]);
    if (ran(&b, &t)) {
      const double off = compare(&list[i], &t, &reference);
      printf("%s %d: differs by %.1e, %" PRId64 " steps\n", what, i, off, tn_sim_summary(b.sim)->steps);
      if (!(off <= tolerance)) FAIL("%s %d: differs by %.3g > %.3g", what, i, off, tolerance);
    }
    build_table_free(&t);
    build_free(&b);
  }
  build_table_free(&reference);
}

TEST(world_rotated) {
  static const variant list[] = {{.turn = 0.7, .length = 1, .mass = 1},
                                 {.turn = -2.9, .length = 1, .mass = 1, .relative = true},
                                 {.turn = 1.5707963267948966, .length = 1, .mass = 1}};
  same("rotated", list, 3, 1e-9);
}

TEST(names_and_order) {
  static const variant list[] = {{.length = 1, .mass = 1, .renamed = true},
                                 {.length = 1, .mass = 1, .reversed = true},
                                 {.length = 1, .mass = 1, .renamed = true, .reversed = true, .relative = true}};
  same("renamed", list, 3, 1e-9);
}

TEST(body_cut_in_welded_halves) {
  static const variant list[] = {{.length = 1, .mass = 1, .halves = true},
                                 {.length = 1, .mass = 1, .halves = true, .relative = true},
                                 {.length = 1, .mass = 1, .halves = true, .relative = true, .reversed = true}};
  same("halves", list, 3, 1e-9);
}

TEST(absolute_and_relative) {
  static const variant list[] = {{.length = 1, .mass = 1, .relative = true}};
  same("relative", list, 1, 1e-9);
}

/* millimetres and grams; inches and tonnes */
TEST(other_units) {
  static const variant list[] = {{.length = 1000, .mass = 1000},
                                 {.length = 39.37007874, .mass = 1e-3, .relative = true},
                                 {.length = 1e-3, .mass = 1e3}};
  same("units", list, 3, 1e-9);
}

/* names alone change nothing, to the last bit */
TEST(names_change_no_bit) {
  const variant renamed = {.length = 1, .mass = 1, .renamed = true};
  build b[2];
  build_table t[2] = {{0}};
  mechanism(&b[0], &plain);
  mechanism(&b[1], &renamed);
  if (ran(&b[0], &t[0]) && ran(&b[1], &t[1]))
    CHECK(memcmp(t[0].value, t[1].value, sizeof(double) * ROWS * (COLUMNS + 1)) == 0);
  for (int i = 0; i < 2; i++) build_table_free(&t[i]), build_free(&b[i]);
}

/* ---- in pieces -------------------------------------------------------------------------------------------------------- */

static double apart(const build *a, const build *b) {
  double worst = 0;
  for (int i = 0; i < a->model->nq; i++) {
    worst = worse(worst, fabs(tn_sim_q(a->sim)[i] - tn_sim_q(b->sim)[i]));
    worst = worse(worst, fabs(tn_sim_u(a->sim)[i] - tn_sim_u(b->sim)[i]));
  }
  return worst;
}

TEST(run_in_two_pieces) {
  build one, two, again;
  tn_error e;
  mechanism(&one, &plain);
  mechanism(&two, &plain);
  mechanism(&again, &plain);
  if (build_simulate(&one) && build_simulate(&two) && build_simulate(&again)) {
    CHECK(tn_sim_advance(one.sim, 2, &e) == TN_OK);
    CHECK(tn_sim_advance(two.sim, 0.7313, &e) == TN_OK);
    CHECK(tn_sim_time(two.sim) == 0.7313);
    /* a simulation put where another one is goes on as that one does */
    CHECK(tn_sim_set(again.sim, 0.7313, tn_sim_q(two.sim), tn_sim_u(two.sim), false, &e) == TN_OK);
    CHECK(tn_sim_advance(two.sim, 2, &e) == TN_OK);
    CHECK(tn_sim_advance(again.sim, 2, &e) == TN_OK);
    printf("in two pieces: %.1e; set and gone on: %.1e\n", apart(&one, &two), apart(&one, &again));
    CHECK(tn_sim_time(one.sim) == 2 && tn_sim_time(two.sim) == 2);
    CHECK(apart(&one, &two) <= 1e-9);
    CHECK(apart(&one, &again) <= 1e-9);
    CHECK(tn_sim_advance(one.sim, 1, &e) == TN_E_USAGE);
  } else {
    FAIL("%s%s%s", one.message, two.message, again.message);
  }
  build_free(&one), build_free(&two), build_free(&again);
}

/* ---- rows on channels ------------------------------------------------------------------------------------------------- */

TEST(row_with_twice_the_coefficient) {
  static const char *const row[] = {
      "{\"type\": \"driver\", \"on\": \"pivot.x\", \"value\": \"amplitude*(1 - cos(omega*t))\"}",
      "{\"type\": \"coordinate\", \"terms\": {\"pivot.x\": 1}, \"value\": \"amplitude*(1 - cos(omega*t))\"}",
      "{\"type\": \"coordinate\", \"terms\": {\"pivot.x\": 2}, \"value\": \"2*amplitude*(1 - cos(omega*t))\"}",
      "{\"type\": \"coordinate\", \"terms\": {\"pivot.x\": -0.7}, \"value\": \"0.7*amplitude*(cos(omega*t) - 1)\"}"};
  static const double coefficient[] = {1, 1, 2, -0.7};
  build_table first = {0};
  for (int n = 0; n < 4; n++) {
    build b;
    build_table t = {0};
    double worst = 0;
    build_new(&b, 1);
    build_read(&b, "driven_pivot");
    build_set(&b, "/joints/shake", "%s", row[n]);
    build_set(&b, "/run", "{\"until\": 3, \"every\": 0.05, \"integrator\": {\"rtol\": 1e-12}}");
    if (!build_simulate(&b) || !build_run(&b, &t)) FAIL("%s", b.message);
    CHECK(t.rows == 61);
    if (n == 0) first = t;
    /* angle, push, power, total, work, balance: the effort along the row is per unit of the row */
    for (int i = 0; i < t.rows; i++)
      for (int c = 0; c < 5; c++)
        worst = worse(worst, fabs(build_at(&t, i, c) * (c == 1 ? coefficient[n] : 1) - build_at(&first, i, c)));
    printf("coefficient %g: %.1e\n", coefficient[n], worst);
    CHECK(worst <= 1e-9);
    if (n) build_table_free(&t);
    build_free(&b);
  }
  build_table_free(&first);
}

/* ---- calls instead of a file ------------------------------------------------------------------------------------------ */

static void by_calls(build *b) {
  tn_desc *d = b->desc;
  tn_error e;
  static const struct {
    const char *name;
    double at[2];
  } point[] = {{"A", {0, 0}}, {"B", {0, 1}}, {"C", {3, 2}}, {"D", {4, 0}}};
  static const struct {
    const char *name, *from, *to, *mass;
  } body[] = {{"crank", "A", "B", "rho*dist(A,B)"},
              {"coupler", "B", "C", "rho*dist(B,C)"},
              {"rocker", "D", "C", "rho*dist(D,C)"}};
  static const char *const joint[][3] = {
      {"A", "ground", "crank"}, {"B", "crank", "coupler"}, {"C", "coupler", "rocker"}, {"D", "ground", "rocker"}};
  CHECK(tn_desc_text(d, "/title", "crank-rocker, falling from a spin", &e) == TN_OK);
  CHECK(tn_desc_number(d, "/constants/rho", 1.5, &e) == TN_OK);
  CHECK(tn_desc_numbers(d, "/gravity", 2, (double[]){0, -9.81}, &e) == TN_OK);
  for (int i = 0; i < 4; i++) {
    char p[64];
    snprintf(p, sizeof p, "/points/%s", point[i].name);
    CHECK(tn_desc_numbers(d, p, 2, point[i].at, &e) == TN_OK);
  }
  for (int i = 0; i < 3; i++) {
    char p[64];
    snprintf(p, sizeof p, "/bodies/%s/rod/-", body[i].name);
    CHECK(tn_desc_text(d, p, body[i].from, &e) == TN_OK);
    CHECK(tn_desc_text(d, p, body[i].to, &e) == TN_OK);
    snprintf(p, sizeof p, "/bodies/%s/mass", body[i].name);
    CHECK(tn_desc_text(d, p, body[i].mass, &e) == TN_OK);
  }
  for (int i = 0; i < 4; i++) {
    char p[64];
    snprintf(p, sizeof p, "/joints/%s", joint[i][0]);
    CHECK(tn_desc_part(d, p, "revolute", &e) == TN_OK); /* a word, made an object by what follows */
    snprintf(p, sizeof p, "/joints/%s/between/-", joint[i][0]);
    CHECK(tn_desc_text(d, p, joint[i][1], &e) == TN_OK);
    CHECK(tn_desc_text(d, p, joint[i][2], &e) == TN_OK);
    snprintf(p, sizeof p, "/joints/%s/at", joint[i][0]);
    CHECK(tn_desc_text(d, p, joint[i][0], &e) == TN_OK);
  }
  CHECK(tn_desc_text(d, "/start/A.rate", "60*rpm", &e) == TN_OK);
  CHECK(tn_desc_text(d, "/outputs/tip", "position(coupler, C)", &e) == TN_OK);
  CHECK(tn_desc_json(d, "/outputs/load", "\"norm(force(D))\"", &e) == TN_OK);
  CHECK(tn_desc_number(d, "/run/until", 10, &e) == TN_OK);
  CHECK(tn_desc_number(d, "/run/every", 0.01, &e) == TN_OK);
  CHECK(tn_desc_text(d, "/run/method", "project", &e) == TN_OK);
  CHECK(tn_desc_part(d, "/run/integrator", "dopri5:rtol=1e-8", &e) == TN_OK);
}

TEST(calls_give_the_bits_of_the_file) {
  build file, calls;
  build_table a = {0}, c = {0};
  build_new(&file, 1);
  build_new(&calls, 1);
  build_read(&file, "four_bar");
  by_calls(&calls);
  if (build_simulate(&file) && build_run(&file, &a) && build_simulate(&calls) && build_run(&calls, &c)) {
    CHECK(a.rows == 1001 && a.columns == 3);
    CHECK(a.rows == c.rows && a.columns == c.columns);
    CHECK(a.rows == c.rows && memcmp(a.value, c.value, sizeof(double) * (size_t)a.rows * 4) == 0);
  } else {
    FAIL("%s%s", file.message, calls.message);
  }
  build_table_free(&a), build_table_free(&c);
  build_free(&file), build_free(&calls);
}
