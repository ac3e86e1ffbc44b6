/* expressions: grammar, functions, jets, classes, messages, hostile texts, no memory.
 * SPDX-License-Identifier: MIT */
#include "base/base.h"

#include <locale.h>
#include <stdint.h>

#include "test.h"

#define PI 3.14159265358979323846
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* ---- a small world to name things in ------------------------------------------------------------------------------- */

enum { ANGLE, RATE, TIP = 10, AXES = 20 }; /* slots */

static double slots[32][3];

static void reset_slots(void) {
  memset(slots, 0, sizeof slots);
  slots[ANGLE][0] = 0.75;
  slots[RATE][0] = -2;
  slots[TIP][0] = 1, slots[TIP][1] = 2, slots[TIP][2] = 3;
  /* axes of `crank`: turned about z by atan(3/4) */
  slots[AXES][0] = 0.8, slots[AXES][1] = 0.6;
  slots[AXES + 1][0] = -0.6, slots[AXES + 1][1] = 0.8;
  slots[AXES + 2][2] = 1;
}

typedef struct world {
  int dimension;
  char asked[64]; /* the last call, `position(crank,P)` */
  int finds;
} world;

static void fetch(const void *scope, int slot, double *value) {
  int width = slot >= TIP ? ((const world *)scope)->dimension : 1;
  for (int i = 0; i < width; i++) value[i] = slots[slot][i];
}

static bool find(void *user, const char *name, tn_meaning *m, tn_error *e) {
  world *w = user;
  w->finds++;
  static const struct {
    const char *name;
    tn_meaning m;
    bool vector;
  } known[] = {
      {"L", {.value = {2}}, false},
      {"zero", {.value = {0}}, false},
      {"i", {.value = {3}}, false},
      {"huge", {.value = {INFINITY}}, false},
      {"v", {.value = {3, 4, 12}}, true},
      {"w", {.value = {1, -2, 0.5}}, true},
      {"w.x", {.value = {77}}, false}, /* a name that looks like a component */
      {"a.b", {.value = {5, 6, 7}}, true},
      {"crank.angle", {.is_slot = true, .slot = ANGLE}, false},
      {"crank.rate", {.is_slot = true, .slot = RATE}, false},
      {"tip", {.is_slot = true, .slot = TIP}, true},
      {"energy.total", {.value = {42}}, false},
      {"broken", {.value = {1}, .width = 9}, false},
      {"flat", {.value = {1, 2}, .width = 2}, false}, /* in space too */
      {"AZaz_09", {.value = {8}}, false},
  };
  for (int i = 0; i < COUNT(known); i++)
    if (!strcmp(known[i].name, name)) {
      *m = known[i].m;
      if (!m->width) m->width = known[i].vector ? w->dimension : 1;
      return true;
    }
  if (!strcmp(name, "mute")) return false; /* no message: a generic one is expected */
  tn_fail(e, TN_E_MODEL, "unknown name '%.100s'", name);
  tn_hint(e, "asked for %.100s", name);
  return false;
}

static const double th0[] = {10, 20, 30}, xs[] = {0, 1, 3}, ys[] = {5, 7, 3}, flat[] = {0, 1, 1}, fall[] = {0, -1, 1},
                    one[] = {1}, steep[] = {-1.7e308, 1.7e308, -1.7e308}, bad[] = {0, NAN, 2}, worse[] = {INFINITY, 1},
                    two[] = {1, 2};

static bool items(void *user, const char *table, int *n, const double **values, tn_error *e) {
  (void)user;
#define TABLE(x)                                                                                                       \
  if (!strcmp(table, #x)) return *n = COUNT(x), *values = x, true
  TABLE(th0);
  TABLE(xs);
  TABLE(ys);
  TABLE(flat);
  TABLE(fall);
  TABLE(one);
  TABLE(bad);
  TABLE(steep);
  TABLE(worse);
  TABLE(two);
#undef TABLE
  tn_fail(e, TN_E_MODEL, "no table '%.100s'", table);
  return false;
}

static bool item(void *user, const char *table, double index, double *value, tn_error *e) {
  int n;
  const double *x;
  if (!items(user, table, &n, &x, e)) return false;
  if (!(index >= 1 && index <= n && index == floor(index))) {
    tn_fail(e, TN_E_MODEL, "table '%s' has no item %g", table, index);
    return false;
  }
  *value = x[(int)index - 1];
  return true;
}

static bool call(void *user, const char *function, int n, const char *const *arguments, tn_meaning *m, tn_error *e) {
  world *w = user;
  int used = snprintf(w->asked, sizeof w->asked, "%s(", function);
  for (int i = 0; i < n; i++)
    if (used < (int)sizeof w->asked)
      used += snprintf(w->asked + used, sizeof w->asked - (size_t)used, "%s%s", arguments[i], i + 1 < n ? "," : ")");
  if (strcmp(arguments[0], "nobody") == 0) {
    tn_fail(e, TN_E_MODEL, "no body 'nobody'");
    return false;
  }
  if (!strcmp(function, "dist"))
    *m = (tn_meaning){.value = {5}, .width = 1};
  else if (!strcmp(function, "axis"))
    *m = (tn_meaning){.is_slot = true, .slot = AXES + arguments[1][0] - 'x', .width = w->dimension};
  else if (!strcmp(function, "omega") && w->dimension == 2)
    *m = (tn_meaning){.is_slot = true, .slot = RATE, .width = 1};
  else
    *m = (tn_meaning){.is_slot = true, .slot = TIP, .width = w->dimension};
  /* of the ground all is constant: axes turned by a right angle about z */
  if (!strcmp(arguments[0], "ground") && !strcmp(function, "axis")) {
    static const double axes[3][3] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
    m->is_slot = false;
    memcpy(m->value, axes[arguments[1][0] - 'x'], sizeof m->value);
  }
  return true;
}

static world the_world = {.dimension = 3};

static tn_status parse_bytes(tn_arena *arena, const char *text, size_t n, int dimension, tn_class allowed,
                             tn_expr **expr, tn_error *e) {
  reset_slots();
  the_world.dimension = dimension;
  tn_names names = {&the_world, dimension, find, item, items, call, NULL, NULL, NULL};
  char *exact = malloc(n ? n : 1); /* nothing behind it: the sanitizer sees a byte read too far */
  memcpy(exact, text, n);
  tn_error_clear(e);
  tn_status status = tn_expr_parse(arena, exact, n, allowed, &names, expr, e);
  memset(exact, '#', n); /* the expression must not need it any more */
  free(exact);
  return status;
}

/* components of the value at time t; NaN if it does not parse, and says so */
static int value_of(const char *text, int dimension, double t, double *x) {
  tn_arena arena;
  tn_expr *expr;
  tn_error e;
  tn_arena_init(&arena, NULL);
  int width = 0;
  x[0] = x[1] = x[2] = NAN;
  if (parse_bytes(&arena, text, strlen(text), dimension, TN_CLASS_RUNNING, &expr, &e) == TN_OK) {
    tn_expr_eval(expr, t, fetch, &the_world, x);
    width = tn_expr_width(expr);
  } else {
    printf("'%s': %s (byte %" PRId64 ")\n", text, e.message, e.byte);
  }
  tn_arena_free(&arena);
  return width;
}

static double number_in(const char *text, int dimension, double t) {
  double x[3];
  return value_of(text, dimension, t, x) == 1 ? x[0] : NAN;
}
static double number_at(const char *text, double t) { return number_in(text, 3, t); }
static double number(const char *text) { return number_at(text, 0); }

#define CHECK_NUMBER(text, expected) CHECK_NEAR(number(text), expected, TOL_MACHINE(4) * (1 + fabs((double)(expected))))
#define CHECK_VECTOR(text, dimension, a, b, c)                                                                         \
  do {                                                                                                                 \
    double x_[3];                                                                                                      \
    CHECK(value_of(text, dimension, 0, x_) == (dimension));                                                            \
    CHECK_NEAR(x_[0], a, TOL_MACHINE(100));                                                                            \
    CHECK_NEAR(x_[1], b, TOL_MACHINE(100));                                                                            \
    if ((dimension) == 3) CHECK_NEAR(x_[2], c, TOL_MACHINE(100));                                                      \
  } while (0)

/* ---- values --------------------------------------------------------------------------------------------------------- */

TEST(numbers) {
  static const struct {
    const char *text;
    double value;
  } exact[] = {{"0", 0},
               {"7", 7},
               {"007", 7},
               {"1.5", 1.5},
               {".5", 0.5},
               {"5.", 5},
               {"1e3", 1e3},
               {"1E+3", 1e3},
               {"1.25e-3", 1.25e-3},
               {"2.e2", 200},
               {"0.1", 0.1},
               {"1e22", 1e22},
               {"1e23", 1e23},
               {"123456789012345678901234567890", 123456789012345678901234567890.0},
               {"2.2250738585072014e-308", 2.2250738585072014e-308},
               {"1.7976931348623157e308", 1.7976931348623157e308},
               {"4.9e-324", 4.9e-324},
               {"1e-400", 0},
               {"0e999999999999", 0},
               {"9007199254740993", 9007199254740992.0},
               {"0.000000000000000000000000000001e30", 1}};
  for (int i = 0; i < COUNT(exact); i++) CHECK(number(exact[i].text) == exact[i].value);
}

/* every double survives printing with 17 digits, whatever the decimal point of the locale */
TEST(numbers_in_every_locale) {
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE", "tn_COMMA"};
  uint64_t state = 88172645463325252u;
  for (int pass = 0; pass < 2; pass++) {
    if (pass)
      for (int i = 0; i < COUNT(locales); i++)
        if (setlocale(LC_NUMERIC, locales[i])) break;
    for (int k = 0; k < 2000; k++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      double x;
      memcpy(&x, &state, sizeof x);
      x = fabs(x);
      if (!isfinite(x)) continue;
      char text[40];
      snprintf(text, sizeof text, "%.17g", x);
      char *comma = strchr(text, ',');
      if (comma) *comma = '.';
      CHECK(number(text) == x);
    }
    CHECK(number("1.5 + atan2(0.0, 1.25)") == 1.5);
  }
  setlocale(LC_NUMERIC, "C");
}

TEST(precedence) {
  CHECK_NUMBER("1 + 2*3", 7);
  CHECK_NUMBER("(1 + 2)*3", 9);
  CHECK_NUMBER("10 - 4 - 3", 3);
  CHECK_NUMBER("10 - (4 - 3)", 9);
  CHECK_NUMBER("100/5/2", 10);
  CHECK_NUMBER("100/(5/2)", 40);
  CHECK_NUMBER("12/3*2", 8);
  CHECK_NUMBER("-2^2", -4);
  CHECK_NUMBER("(-2)^2", 4);
  CHECK_NUMBER("2^-1", 0.5);
  CHECK_NUMBER("2^3^2", 512);
  CHECK_NUMBER("(2^3)^2", 64);
  CHECK_NUMBER("2^-1^2", 0.5);
  CHECK_NUMBER("2^-2*8", 2);
  CHECK_NUMBER("-2*-3", 6);
  CHECK_NUMBER("1--1", 2);
  CHECK_NUMBER("--3", 3);
  CHECK_NUMBER("+3 - +2", 1);
  CHECK_NUMBER("2*3^2", 18);
  CHECK_NUMBER("1 + 1 < 3", 1);
  CHECK_NUMBER("1 + (1 < 3)", 2);
  CHECK_NUMBER("1 == 1 and 2 == 3", 0);
  CHECK_NUMBER("1 or 0 and 0", 1);
  CHECK_NUMBER("(1 or 0) and 0", 0);
  CHECK_NUMBER("not 1 == 2", 1);
  CHECK_NUMBER("not 0 and 0", 0);
  CHECK_NUMBER("not not 5", 1);
  CHECK_NUMBER("not (0 or 1)", 0);
  CHECK_NUMBER(" \t1\n+\r2 ", 3);
}

/* all comparisons and logic on t, so that nothing is folded */
TEST(comparisons_and_logic) {
  static const struct {
    const char *text;
    double at_1, at_2, at_3;
  } rows[] = {{"t < 2", 1, 0, 0},           {"t <= 2", 1, 1, 0},         {"t > 2", 0, 0, 1},
              {"t >= 2", 0, 1, 1},          {"t == 2", 0, 1, 0},         {"t != 2", 1, 0, 1},
              {"t > 1 and t < 3", 0, 1, 0}, {"t < 2 or t > 2", 1, 0, 1}, {"not t == 2", 1, 0, 1},
              {"(t - 2) and 7", 1, 0, 1},   {"0 or (t - 2)", 1, 0, 1}};
  for (int i = 0; i < COUNT(rows); i++) {
    CHECK(number_at(rows[i].text, 1) == rows[i].at_1);
    CHECK(number_at(rows[i].text, 2) == rows[i].at_2);
    CHECK(number_at(rows[i].text, 3) == rows[i].at_3);
  }
}

TEST(names) {
  CHECK_NUMBER("pi", PI);
  CHECK_NUMBER("180*deg", PI);
  CHECK_NUMBER("60*rpm", 2 * PI);
  CHECK_NUMBER("4*mm", 4e-3);
  CHECK_NUMBER("2*ms", 2e-3);
  CHECK_NUMBER("g0", 9.80665);
  CHECK(number_at("t", 1.25) == 1.25);
  CHECK_NUMBER("L^2", 4);
  CHECK_NUMBER("crank.angle", 0.75);
  CHECK_NUMBER("150*(0.4 - crank.angle) - 50*crank.rate", 150 * (0.4 - 0.75) + 100);
  CHECK_NUMBER("energy.total", 42);
  CHECK_NUMBER("AZaz_09", 8);
  CHECK_NUMBER("th0[i]", 30);
  CHECK_NUMBER("th0 [ i - 1 ]", 20);
  CHECK_NUMBER("th0[th0[1] - 8]*2", 40);
  CHECK_NUMBER("0.2/sqrt(3)", 0.2 / sqrt(3));
  /* built-in names are not asked for */
  the_world.finds = 0;
  number("pi + deg + rpm + mm + ms + g0 + t + sin(1)");
  CHECK(the_world.finds == 0);
  number("L");
  CHECK(the_world.finds == 1);
}

TEST(functions_of_numbers) {
  CHECK_NUMBER("sin(0.7)", sin(0.7));
  CHECK_NUMBER("cos(0.7)", cos(0.7));
  CHECK_NUMBER("tan(0.7)", tan(0.7));
  CHECK_NUMBER("asin(0.7)", asin(0.7));
  CHECK_NUMBER("acos(0.7)", acos(0.7));
  CHECK_NUMBER("atan(0.7)", atan(0.7));
  CHECK_NUMBER("atan2(-1, -2)", atan2(-1, -2));
  CHECK_NUMBER("sqrt(2)", sqrt(2));
  CHECK_NUMBER("exp(1.5)", exp(1.5));
  CHECK_NUMBER("log(1.5)", log(1.5));
  CHECK_NUMBER("abs(-3) + abs(2)", 5);
  CHECK_NUMBER("min(3, 1)", 1);
  CHECK_NUMBER("min(3, 1, 2, -7, 4, 5, 6, 7)", -7);
  CHECK_NUMBER("max(3, 1)", 3);
  CHECK_NUMBER("max(3, 1, 2, -7, 4, 5, 6, 7)", 7);
  CHECK_NUMBER("sign(-0.1)*10 + sign(0)*100 + sign(5)", -9);
  CHECK_NUMBER("mod(7, 3)", 1);
  CHECK_NUMBER("mod(-7, 3)", 2);
  CHECK_NUMBER("mod(7, -3)", -2);
  CHECK_NUMBER("if(2 > 1, 5, 6)", 5);
  CHECK_NUMBER("if(2 < 1, 5, 6)", 6);
  CHECK_NUMBER("step(-1e-9)", 0);
  CHECK_NUMBER("step(0)", 1);
  CHECK_NUMBER("step(3)", 1);
  CHECK_NUMBER("step(1, 2, 10, 4, 20)", 10);
  CHECK_NUMBER("step(5, 2, 10, 4, 20)", 20);
  CHECK_NUMBER("step(3, 2, 10, 4, 20)", 15);
  CHECK_NUMBER("step(2.5, 2, 10, 4, 20)", 10 + 10 * (0.0625 * 2.5));
  CHECK_NUMBER("step(3.5, 4, 20, 2, 10)", 20 - 10 * (0.0625 * 2.5)); /* downwards */
  CHECK_NUMBER("table(xs, ys, -1)", 5);
  CHECK_NUMBER("table(xs, ys, 0)", 5);
  CHECK_NUMBER("table(xs, ys, 0.25)", 5.5);
  CHECK_NUMBER("table(xs, ys, 1)", 7);
  CHECK_NUMBER("table(xs, ys, 2.5)", 4);
  CHECK_NUMBER("table(xs, ys, 3)", 3);
  CHECK_NUMBER("table(xs, ys, 99)", 3);
  CHECK_NUMBER("table(two, two, 1.5)", 1.5);
  CHECK(number_at("step(t, t - 1, 2, 0, 5)", 3) == 2); /* no end is a constant that equals the other */
  CHECK_NEAR(number_at("table(xs, ys, t)", 0.75), 6.5, TOL_MACHINE(8));
}

TEST(vectors) {
  CHECK_VECTOR("v", 3, 3, 4, 12);
  CHECK_VECTOR("v", 2, 3, 4, 0);
  CHECK_VECTOR("v + w", 3, 4, 2, 12.5);
  CHECK_VECTOR("v - w", 3, 2, 6, 11.5);
  CHECK_VECTOR("tip + v - w", 3, 3, 8, 14.5);
  CHECK_VECTOR("-tip", 3, -1, -2, -3);
  CHECK_VECTOR("2*tip", 3, 2, 4, 6);
  CHECK_VECTOR("tip*2", 2, 2, 4, 0);
  CHECK_VECTOR("crank.rate*tip/4", 3, -0.5, -1, -1.5);
  CHECK_VECTOR("tip/2 - v*0", 2, 0.5, 1, 0);
  CHECK_VECTOR("+v", 2, 3, 4, 0);
  CHECK_NUMBER("norm(v)", 13);
  CHECK_NUMBER("dot(v, tip)", 3 + 8 + 36);
  CHECK_NUMBER("v.x + 10*v.y + 100*v.z", 3 + 40 + 1200);
  CHECK_NUMBER("(v).y", 4);
  CHECK_NUMBER("(v + tip).z^2", 225);
  CHECK_NUMBER("-(v).y", -4);
  CHECK_NUMBER("tip.y", 2);
  CHECK_NUMBER("a.b.z", 7);
  CHECK_NUMBER("w.x", 77); /* the longest name wins */
  CHECK_NUMBER("(w).x", 1);
  CHECK_VECTOR("cross(v, tip)", 3, 4 * 3 - 12 * 2, 12 * 1 - 3 * 3, 3 * 2 - 4 * 1);
  CHECK_VECTOR("if(crank.rate < 0, v, tip)", 3, 3, 4, 12);
  CHECK_VECTOR("if(crank.rate > 0, v, tip)", 3, 1, 2, 3);
  CHECK_VECTOR("if(0, tip, v)", 2, 3, 4, 0);
  double x[3];
  CHECK(value_of("cross(v, tip)", 2, 0, x) == 1);
  CHECK_NEAR(x[0], 3 * 2 - 4 * 1, TOL_MACHINE(8));
  CHECK(value_of("norm(v)", 2, 0, x) == 1);
  CHECK_NEAR(x[0], 5, TOL_MACHINE(8));
  CHECK(value_of("dot(v, w)", 2, 0, x) == 1);
  CHECK_NEAR(x[0], -5, TOL_MACHINE(8));
}

TEST(functions_of_names) {
  static const char *const calls[] = {"dist(A,B)",           "position(crank)", "position(crank,P)",
                                      "velocity(crank,P)",   "velocity(crank)", "acceleration(crank,P)",
                                      "acceleration(crank)", "omega(crank)",    "axis(crank,x)",
                                      "force(knee)",         "torque(knee)"};
  double x[3];
  for (int i = 0; i < COUNT(calls); i++) {
    the_world.asked[0] = 0;
    CHECK(value_of(calls[i], 3, 0, x) >= 1);
    CHECK_TEXT(the_world.asked, calls[i]);
  }
  CHECK_NUMBER("1.5*dist( A , B )", 7.5);
  CHECK_NUMBER("position(crank, P).y", 2);
  CHECK_NUMBER("norm(force(D))", sqrt(14));
  CHECK(value_of("omega(crank)", 2, 0, x) == 1);
  CHECK_NEAR(x[0], -2, 0);
}

TEST(components_along_a_body) {
  CHECK_VECTOR("in(crank, tip)", 3, 0.8 + 1.2, -0.6 + 1.6, 3);
  CHECK_VECTOR("in(crank, v)", 2, 2.4 + 2.4, -1.8 + 3.2, 0);
  CHECK_VECTOR("in(ground, v)", 3, 4, -3, 12);
  CHECK_NUMBER("in(crank, axis(crank, y)).y", 1);
  CHECK_NUMBER("in(crank, axis(crank, y)).x", 0);
}

/* not-a-number comes out, except from what was not asked for */
TEST(not_a_number) {
  CHECK(isnan(number_at("sqrt(-1 - t)", 0)));
  CHECK(isnan(number_at("sqrt(-1 - t) < 1", 0)));
  CHECK(isnan(number_at("if(log(-1 - t) < 1, 2, 3)", 0)));
  CHECK(isnan(number_at("min(1, log(-1 - t))", 0)));
  CHECK(isnan(number_at("min(log(-1 - t), 1)", 0)));
  CHECK(isnan(number_at("max(1, log(-1 - t))", 0)));
  CHECK(isnan(number_at("max(log(-1 - t), 1)", 0)));
  CHECK(isnan(number_at("sign(log(-1 - t))", 0)));
  CHECK(isnan(number_at("step(log(-1 - t))", 0)));
  CHECK(isnan(number_at("step(log(-1 - t), 0, 0, 1, 1)", 0)));
  CHECK(isnan(number_at("table(xs, ys, log(-1 - t))", 0)));
  CHECK(isnan(number_at("not log(-1 - t)", 0)));
  CHECK(isnan(number_at("1 and log(-1 - t)", 0)));
  CHECK(isnan(number_at("0 or log(-1 - t)", 0)));
  /* nothing is fetched: not-a-number */
  tn_arena arena;
  tn_expr *expr;
  tn_error e;
  double x[3] = {0};
  tn_arena_init(&arena, NULL);
  CHECK(parse_bytes(&arena, "-tip", 4, 3, TN_CLASS_RUNNING, &expr, &e) == TN_OK);
  tn_expr_eval(expr, 0, NULL, NULL, x);
  CHECK(isnan(x[0]) && isnan(x[1]) && isnan(x[2]));
  tn_arena_free(&arena);
  CHECK(number_at("if(t > 0, 1/t, 7)", 0) == 7);
  CHECK(number_at("if(t <= 0, 7, log(t))", 0) == 7);
  CHECK(number_at("if(t > 0, log(t), sqrt(-1 - t)) + 1", 1) == 1);
  CHECK(number_at("t > 0 and log(t) > 0", -1) == 0);
  CHECK(number_at("log(t) > 0 and t > 0", -1) == 0);
  CHECK(number_at("t < 0 or log(t) > 0", -1) == 1);
  CHECK(number_at("log(t) > 0 or t < 0", -1) == 1);
}

/* ---- jets ------------------------------------------------------------------------------------------------------------ */

static void jet_of(const char *text, int dimension, double t, double jet[3]) {
  tn_arena arena;
  tn_expr *expr;
  tn_error e;
  tn_arena_init(&arena, NULL);
  jet[0] = jet[1] = jet[2] = NAN;
  if (parse_bytes(&arena, text, strlen(text), dimension, TN_CLASS_TIME, &expr, &e) == TN_OK)
    tn_expr_jet(expr, t, jet);
  else
    printf("'%s': %s\n", text, e.message);
  tn_arena_free(&arena);
}

/* against central differences of order 8 */
TEST(jets_and_differences) {
  static const char *const texts[] = {
      "t",
      "3*t - 2*t*t/7",
      "-t^3",
      "1/t",
      "(t + 1)/(t^2 + 2)",
      "sin(3*t)",
      "cos(t^2)",
      "tan(t/2)",
      "asin(t/3)",
      "acos(t/3 - 0.1)",
      "atan(2*t)",
      "atan2(sin(t), 2 + t)",
      "atan2(-1 - t^2, -t)",
      "atan2(sin(t), cos(2*t) + t^2)",
      "sqrt(1 + t^2)",
      "exp(-t/2)",
      "log(1 + t^2)",
      "abs(t^2 - 9)",
      "abs(t + 1)*t",
      "abs(t/2)",
      "abs(-t/2)",
      "min(t^2, 100)",
      "min(100, t^2)",
      "max(sin(t), 5, t^3)",
      "sign(t)*t^2",
      "mod(t^2, 0.7 + t/10)",
      "mod(-3*t, 2)",
      "if(t > 0.2, sin(t), cos(t))",
      "if(t < 0.2, sin(t), cos(t)*t)",
      "step(t)*t^2",
      "step(t, 0, 1, 2, 3)",
      "step(t, -1, t^2, 2 + t, 3*t)",
      "step(t, 5, t^2, 7, 3*t)",
      "step(t, -5, t^2, -2, 3*t)",
      "table(xs, ys, t)*t",
      "spline(xs, ys, t)*t",
      "tanh(3*t - 1)^2",
      "table(xs, ys, t^2/4 + 1.4)",
      "t^0.5",
      "t^-2",
      "2^t",
      "t^t",
      "(1 + t^2)^sin(t)",
      "(t > 0) + (t < 3)*t and t",
      "norm(t*v - t^2*w)",
      "dot(t*v, v/t + cross(v*t, w))",
      "cross(t*v, w - v*sin(t)).y",
      "-(t^2*v).z + (v/(1 + t) + v).x",
      "in(ground, t^3*v).y",
      "norm(if(t > 0.1, t*v, w))",
      "not (t - 5)",
      "norm(cross(t*v, w + v/t)*t + v*t)",
      "norm(-(t^2*v) - w*t)",
      "dot(-(t^2*v), -(t*w))",
      "dot(v*t, w*t^2)",
      "(-(t*v)).x + (-(t^2*v)).y",
      "in(ground, t^3*v).x",
      "in(ground, v*exp(t)).z",
      "if(t < 0.1, t*v, w*t^2).x + if(t < 0.1, t*v, w*t^2).y",
      "if(t > 0.1, t*v, w*t^2).x + if(t > 0.1, t*v, w*t^2).y",
      "norm(t*(v + t*w))",
      /* in the plane */
      "2 cross(t*v, w - v*sin(t))",
      "2 cross(w - v*exp(t), v*t^2)",
      "2 in(ground, t^3*v).x + in(ground, t*v).y",
      "2 norm(-(t^2*v) - w*t)",
      "2 dot(-(t^2*v), t*w + v)",
      "2 if(t < 0.1, t*v, w*t^2).y",
  };
  static const double c1[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  static const double c2[] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  for (int i = 0; i < COUNT(texts); i++)
    for (int k = 0; k < 3; k++) {
      bool plane = strncmp(texts[i], "2 ", 2) == 0;
      const char *text = texts[i] + (plane ? 2 : 0);
      int dimension = plane ? 2 : 3;
      double t = 0.37 + 0.23 * k, h = 4e-3, f = number_in(text, dimension, t), d = 0, dd = -205.0 / 72 * f, jet[3];
      for (int n = 0; n < 4; n++) {
        double right = number_in(text, dimension, t + (n + 1) * h), left = number_in(text, dimension, t - (n + 1) * h);
        d += c1[n] * (right - left);
        dd += c2[n] * (right + left);
      }
      d /= h, dd /= h * h;
      jet_of(text, dimension, t, jet);
      double scale = 1 + fabs(f) + fabs(d) + fabs(dd);
      int failures = tn_test_failures;
      CHECK_NEAR(jet[0], f, TOL_MACHINE(4) * scale);
      CHECK_NEAR(jet[1], d, 1e-11 * scale);
      CHECK_NEAR(jet[2], dd, 3e-9 * scale);
      if (tn_test_failures > failures) printf("  in %s at %g\n", texts[i], t);
    }
}

/* against formulas */
TEST(jets_and_formulas) {
  static const struct {
    const char *f, *d, *dd;
  } rows[] = {
      {"5", "0", "0"},
      {"t", "1", "0"},
      {"t^5", "5*t^4", "20*t^3"},
      {"1/t", "-1/t^2", "2/t^3"},
      {"sin(2*t)", "2*cos(2*t)", "-4*sin(2*t)"},
      {"cos(2*t)", "-2*sin(2*t)", "-4*cos(2*t)"},
      {"tan(t)", "1 + tan(t)^2", "2*tan(t)*(1 + tan(t)^2)"},
      {"asin(t)", "1/sqrt(1 - t^2)", "t/(1 - t^2)^1.5"},
      {"acos(t)", "-1/sqrt(1 - t^2)", "-t/(1 - t^2)^1.5"},
      {"atan(t)", "1/(1 + t^2)", "-2*t/(1 + t^2)^2"},
      {"atan2(t, 2)", "2/(4 + t^2)", "-4*t/(4 + t^2)^2"},
      {"atan2(2, t)", "-2/(4 + t^2)", "4*t/(4 + t^2)^2"},
      {"sqrt(t)", "0.5/sqrt(t)", "-0.25*t^-1.5"},
      {"exp(3*t)", "3*exp(3*t)", "9*exp(3*t)"},
      {"log(t)", "1/t", "-1/t^2"},
      {"t^2*exp(t)", "(2*t + t^2)*exp(t)", "(2 + 4*t + t^2)*exp(t)"},
      {"2^t", "log(2)*2^t", "log(2)^2*2^t"},
      {"t^t", "t^t*(log(t) + 1)", "t^t*((log(t) + 1)^2 + 1/t)"},
      {"abs(-t)", "1", "0"},
      {"sign(t)", "0", "0"},
      {"mod(t, 0.1)", "1", "0"},
      {"mod(1, t)", "-floor1", "0"},
      {"step(t, 0, 2, 2, 6)", "4*(6*(t/2) - 6*(t/2)^2)/2", "4*(6 - 12*(t/2))/4"},
      {"table(xs, ys, t)", "2", "0"},
      {"norm(t*v)", "13", "0"},
  };
  for (int i = 0; i < COUNT(rows); i++)
    for (double t = 0.21; t < 0.9; t += 0.23) {
      double jet[3], d = strcmp(rows[i].d, "-floor1") ? number_at(rows[i].d, t) : -floor(1 / t);
      double dd = number_at(rows[i].dd, t);
      jet_of(rows[i].f, 3, t, jet);
      CHECK_NEAR(jet[0], number_at(rows[i].f, t), TOL_MACHINE(2) * (1 + fabs(jet[0])));
      CHECK_NEAR(jet[1], d, TOL_MACHINE(16) * (1 + fabs(d)));
      CHECK_NEAR(jet[2], dd, TOL_MACHINE(32) * (1 + fabs(dd)));
    }
}

/* base 0, seams, and factors that vanish where a derivative is infinite */
TEST(jets_at_special_places) {
  static const struct {
    const char *text;
    double t, f, d, dd;
  } rows[] = {
      {"t^0", 0, 1, 0, 0},
      {"t^1", 0, 0, 1, 0},
      {"t^2", 0, 0, 0, 2},
      {"t^3", 0, 0, 0, 0},
      {"(2*t)^2", 0, 0, 0, 8},
      {"(t - 1)^2", 1, 0, 0, 2},
      {"(t^2)^1.5", 0, 0, 0, 0},
      {"(-2 + t)^3", 0, -8, 12, -12},
      {"sqrt(max(0, t - 1))", 0.5, 0, 0, 0},
      {"norm(max(0, t - 1)*v)", 0.5, 0, 0, 0},
      {"if(t > 0, log(t), 3*t^2)", 0, 0, 0, 6},
      {"table(xs, ys, t)", 1, 7, -2, 0},
      {"table(xs, ys, t)", -0.5, 5, 0, 0},
      {"table(xs, ys, t)", 3, 3, 0, 0},
      {"step(t, 1, 5, 2, 6)", 0.5, 5, 0, 0},
      {"step(t, 1, 5, 2, 6)", 2.5, 6, 0, 0},
      {"abs(t)", -2, 2, -1, 0},
      {"abs(t)", 2, 2, 1, 0},
      {"min(t, t^2)", 3, 3, 1, 0},
      {"max(t, t^2)", 3, 9, 6, 2},
      {"2^(t^2)", 0, 1, 0, 1.3862943611198906},
      {"not (t - 1)", 1, 1, 0, 0},
      {"not t", 1, 0, 0, 0},
      {"(t - 1) or 0", 1, 0, 0, 0},
      {"(t - 1) or 0", 2, 1, 0, 0},
      {"0 or t", 2, 1, 0, 0},
  };
  for (int i = 0; i < COUNT(rows); i++) {
    double jet[3];
    jet_of(rows[i].text, 3, rows[i].t, jet);
    CHECK_NEAR(jet[0], rows[i].f, TOL_MACHINE(8));
    CHECK_NEAR(jet[1], rows[i].d, TOL_MACHINE(8));
    CHECK_NEAR(jet[2], rows[i].dd, TOL_MACHINE(32));
  }
}

/* ---- classes and folding --------------------------------------------------------------------------------------------- */

static int class_of(const char *text, tn_class allowed) {
  tn_arena arena;
  tn_expr *expr;
  tn_error e;
  tn_arena_init(&arena, NULL);
  int class = -1;
  if (parse_bytes(&arena, text, strlen(text), 3, allowed, &expr, &e) == TN_OK) class = (int)tn_expr_class(expr);
  tn_arena_free(&arena);
  return class;
}

TEST(classes) {
  CHECK(class_of("1 + L*pi", TN_CLASS_CONSTANT) == TN_CLASS_CONSTANT);
  CHECK(class_of("dist(A, B)*th0[1]", TN_CLASS_CONSTANT) == TN_CLASS_CONSTANT);
  CHECK(class_of("1 + L*pi", TN_CLASS_RUNNING) == TN_CLASS_CONSTANT);
  CHECK(class_of("table(xs, ys, 0.5)", TN_CLASS_RUNNING) == TN_CLASS_CONSTANT);
  CHECK(class_of("norm(in(ground, v))", TN_CLASS_RUNNING) == TN_CLASS_CONSTANT);
  CHECK(class_of("sin(t)", TN_CLASS_TIME) == TN_CLASS_TIME);
  CHECK(class_of("sin(t)", TN_CLASS_RUNNING) == TN_CLASS_TIME);
  CHECK(class_of("t + crank.angle", TN_CLASS_RUNNING) == TN_CLASS_RUNNING);
  CHECK(class_of("crank.angle + t", TN_CLASS_RUNNING) == TN_CLASS_RUNNING);
  CHECK(class_of("position(crank)", TN_CLASS_RUNNING) == TN_CLASS_RUNNING);
  CHECK(class_of("in(crank, v)", TN_CLASS_RUNNING) == TN_CLASS_RUNNING);
  CHECK(class_of("if(zero, crank.angle, t)", TN_CLASS_RUNNING) == TN_CLASS_TIME);
  CHECK(class_of("if(zero, t, 2)", TN_CLASS_RUNNING) == TN_CLASS_CONSTANT);
  CHECK(class_of("if(L, t, 2)", TN_CLASS_RUNNING) == TN_CLASS_TIME);
  CHECK(class_of("t", TN_CLASS_CONSTANT) == -1);
  CHECK(class_of("crank.angle", TN_CLASS_CONSTANT) == -1);
  CHECK(class_of("crank.angle", TN_CLASS_TIME) == -1);
  CHECK(class_of("if(zero, t, 2)", TN_CLASS_CONSTANT) == -1);
}

/* a branch not taken is dropped with the errors of its values */
TEST(constant_choices) {
  CHECK_NUMBER("if(zero > 0, 1/zero, 7)", 7);
  CHECK_NUMBER("if(zero == 0, 7, sqrt(-1) + 1/zero)", 7);
  CHECK_NUMBER("if(i > 3, th0[i + 1], 5)", 5);
  CHECK_NUMBER("if(i < 3, 5, 2*th0[i])", 60);
  CHECK_NUMBER("if(zero, 1/zero, if(L, 2, 1/zero)) + 1", 3);
  CHECK_NUMBER("if(zero, th0[1/zero], 2)", 2);
  CHECK(number_at("2*if(1, t + 1, 1/zero)*3", 4) == 30);
  CHECK(number_at("2*if(0, 1/zero, t + 1)*3", 4) == 30);
}

/* a constant takes one operation, and long constant sums no room on the stack */
TEST(folding) {
  char text[4096] = "t";
  for (int i = 0; i < 500; i++) strcat(text, " + 2*3");
  CHECK(number_at(text, 1) == 3001);
  for (int i = 0; i < 90; i++) text[i] = '(';
  text[90] = 0;
  strcat(text, "1 + 1");
  for (int i = 0; i < 90; i++) strcat(text, ")");
  CHECK(number(text) == 2);
  tn_arena arena;
  tn_arena_init(&arena, NULL);
  tn_expr *expr = tn_expr_number(&arena, 6.5);
  double x = 0, jet[3];
  tn_expr_eval(expr, 1, NULL, NULL, &x);
  tn_expr_jet(expr, 1, jet);
  CHECK(x == 6.5 && jet[0] == 6.5 && jet[1] == 0 && jet[2] == 0);
  CHECK(tn_expr_width(expr) == 1 && tn_expr_class(expr) == TN_CLASS_CONSTANT);
  /* without names only the built-in ones are known */
  tn_error e;
  CHECK(tn_expr_parse(&arena, "2*pi", 4, TN_CLASS_CONSTANT, NULL, &expr, &e) == TN_OK);
  static const char *const unknown[] = {"L", "th0[1]", "table(xs, ys, 1)", "dist(A, B)"};
  for (int i = 0; i < COUNT(unknown); i++) {
    CHECK(tn_expr_parse(&arena, unknown[i], strlen(unknown[i]), TN_CLASS_RUNNING, NULL, &expr, &e) == TN_E_MODEL);
    CHECK_HAS(e.message, "unknown");
  }
  CHECK(tn_expr_parse(&arena, "1 +", 3, TN_CLASS_RUNNING, NULL, &expr, NULL) == TN_E_MODEL);
  tn_arena_free(&arena);
}

/* ---- messages -------------------------------------------------------------------------------------------------------- */

static const struct refusal {
  const char *text;
  int64_t byte;
  const char *message, *hint;
} refusals[] = {
    {"", 0, "the expression is empty", ""},
    {" \t\n ", 0, "the expression is empty", ""},
    {"1 +", 3, "expected a value at the end", ""},
    {"* 2", 0, "expected a value before '*'", ""},
    {"1 + * 2", 4, "expected a value before '*'", ""},
    {"(1 + 2", 6, "expected ')' at the end", ""},
    {"(1 2)", 3, "expected ')' before '2'", ""},
    {"dist(A*B)", 6, "expected ',' or ')' before '*'", ""},
    {"sin(1 2)", 6, "expected ',' or ')' before '2'", ""},
    {"sin(1", 5, "expected ',' or ')' at the end", ""},
    {"sin(1,)", 6, "expected a value before ')'", ""},
    {"1)", 1, "unexpected ')'", ""},
    {"1, 2", 1, "unexpected ','", ""},
    {"1]", 1, "unexpected ']'", ""},
    {"1 2", 2, "expected an operator before '2'", ""},
    {"L L", 2, "expected an operator before 'L'", ""},
    {"2(3)", 1, "expected an operator before '('", ""},
    {"th0[1", 5, "expected ']' at the end", ""},
    {"th0[1)", 5, "expected ']' before ')'", ""},
    {"30deg", 0, "'30deg' is not a number", "a product needs its '*'"},
    {"1 + 1.2.3", 4, "'1.2.3' is not a number", ""},
    {"1e", 0, "'1e' is not a number", "a product needs its '*'"},
    {"0x10", 0, "'0x10' is not a number", "a product needs its '*'"},
    {"1 + 1e999", 4, "'1e999' is too large for a number", ""},
    {"1 + crnk.angle", 4, "unknown name 'crnk.angle'", "asked for crnk.angle"},
    {"nix.x", 0, "unknown name 'nix.x'", "asked for nix.x"},
    {"L.x", 0, "unknown name 'L.x'", "asked for L.x"},
    {"t.x", 0, "unknown name 't.x'", "asked for t.x"},
    {"mute", 0, "unknown name 'mute'", ""},
    {"a.b.xy", 0, "unknown name 'a.b.xy'", "asked for a.b.xy"},
    {"v + flat", 4, "vectors of 3 and 2 components do not go together", ""},
    {"flat - v", 7, "vectors of 2 and 3 components do not go together", ""},
    {"dot(v, flat)", 7, "vectors of 3 and 2 components do not go together", ""},
    {"in(crank, flat)", 0, "vectors of 2 and 3 components do not go together", ""},
    {"if(t, v, flat)", 9, "vectors of 3 and 2 components do not go together", ""},
    {"1 !", 2, "unexpected '!'", "write 'not'"},
    {"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh(1)", 0,
     "unknown function 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh'", ""},
    {"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghi(1)", 0,
     "unknown function 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh..'", ""},
    {"table(worse, two, 1)", 6, "item 1 of table 'worse' is not finite", ""},
    {"step(v, 0, 0, 1, 1)", 5, "vector where a number is needed", ""},
    {"broken", 0, "'broken' has 9 components", ""},
    {"sin", 0, "'sin' is a function and needs its arguments in parentheses", ""},
    {"1 + sine(2)", 4, "unknown function 'sine'", "did you mean 'sin'?"},
    {"sqtr(2)", 0, "unknown function 'sqtr'", "did you mean 'sqrt'?"},
    {"Sin(2)", 0, "unknown function 'Sin'", "did you mean 'sin'?"},
    {"quadrature(2)", 0, "unknown function 'quadrature'", ""},
    {"a.b(2)", 0, "unknown function 'a.b'", ""},
    {"1 + sin(1, 2)", 4, "'sin' takes 1 argument, 2 given", ""},
    {"sin()", 0, "'sin' takes 1 argument, 0 given", ""},
    {"atan2(1)", 0, "'atan2' takes 2 arguments, 1 given", ""},
    {"min(1)", 0, "'min' takes 2 or more arguments, 1 given", ""},
    {"max()", 0, "'max' takes 2 or more arguments, 0 given", ""},
    {"if(1, 2)", 0, "'if' takes 3 arguments, 2 given", ""},
    {"if(1, 2, 3, 4, 5, 6, 7)", 0, "'if' takes 3 arguments, 7 given", ""},
    {"step(1, 2, 3)", 0, "'step' takes 1 or 5 arguments, 3 given", ""},
    {"step(1, 2, 3, 4, 5, 6)", 0, "'step' takes 1 or 5 arguments, 6 given", ""},
    {"step(t, 2, 3, 4/2, 5)", 14, "'step' begins and ends at the same place", ""},
    {"position()", 0, "'position' takes 1 or 2 arguments, 0 given", ""},
    {"position(a, b, c)", 0, "'position' takes 1 or 2 arguments, 3 given", ""},
    {"dist(a, b, c, d, e, f, g)", 0, "'dist' takes 2 arguments, 7 given", ""},
    {"omega(a, b)", 0, "'omega' takes 1 argument, 2 given", ""},
    {"in(crank)", 0, "'in' takes 2 arguments, 1 given", ""},
    {"in(crank, v, v)", 0, "'in' takes 2 arguments, 3 given", ""},
    {"table(xs, ys)", 0, "'table' takes 3 arguments, 2 given", ""},
    {"spline(xs, ys)", 0, "'spline' takes 3 arguments, 2 given", ""},
    {"spline(flat, ys, 1)", 7, "table 'flat' does not increase at item 3", ""},
    {"spline(one, one, 1)", 7, "table 'one' has 1 item, 2 are needed", ""},
    {"spline(xs, two, t)", 11, "tables 'xs' and 'two' have 3 and 2 items", ""},
    {"spline(xs, bad, 1)", 11, "item 2 of table 'bad' is not finite", ""},
    {"spline(xs, steep, 1)", 11, "the spline through 'xs' and 'steep' is not finite", ""},
    {"position(1)", 9, "expected a name before '1'", ""},
    {"position(crank, )", 16, "expected a name before ')'", ""},
    {"1 + position(nobody, P).x", 4, "no body 'nobody'", ""},
    {"in(nobody, v)", 0, "no body 'nobody'", ""},
    {"1 + none[1]", 4, "no table 'none'", ""},
    {"th0[4]", 0, "table 'th0' has no item 4", ""},
    {"2*th0[0]", 2, "table 'th0' has no item 0", ""},
    {"th0[1.5]", 0, "table 'th0' has no item 1.5", ""},
    {"th0[t]", 4, "the index of 'th0' must be a constant", ""},
    {"th0[v]", 4, "vector where a number is needed", ""},
    {"1 + bad[2]", 4, "'bad[2]' is not a number", ""},
    {"table(none, ys, 1)", 6, "no table 'none'", ""},
    {"table(xs, none, 1)", 10, "no table 'none'", ""},
    {"table(flat, ys, 1)", 6, "table 'flat' does not increase at item 3", ""},
    {"table(fall, ys, 1)", 6, "table 'fall' does not increase at item 2", ""},
    {"table(one, one, 1)", 6, "table 'one' has 1 item, 2 are needed", ""},
    {"table(xs, one, 1)", 10, "tables 'xs' and 'one' have 3 and 1 items", ""},
    {"table(bad, ys, 1)", 6, "item 2 of table 'bad' is not finite", ""},
    {"table(xs, bad, 1)", 10, "item 2 of table 'bad' is not finite", ""},
    {"table(xs, ys, v)", 14, "vector where a number is needed", ""},
    {"table(1, ys, 1)", 6, "expected a name before '1'", ""},
    {"sin(v)", 4, "vector where a number is needed", ""},
    {"1 + v", 4, "vector where a number is needed", ""},
    {"v - 1", 4, "number where a vector is needed", ""},
    {"1 + v*w", 6, "vector where a number is needed", "products of vectors are dot(a, b) and cross(a, b)"},
    {"1/v", 2, "vector where a number is needed", ""},
    {"v^2", 0, "vector where a number is needed", ""},
    {"2^v", 2, "vector where a number is needed", ""},
    {"v < 1", 0, "vector where a number is needed", ""},
    {"not v", 4, "vector where a number is needed", ""},
    {"1 and v", 6, "vector where a number is needed", ""},
    {"min(1, 2, v)", 10, "vector where a number is needed", ""},
    {"step(v)", 5, "vector where a number is needed", ""},
    {"step(t, 0, 0, v, 1)", 14, "vector where a number is needed", ""},
    {"norm(1)", 5, "number where a vector is needed", ""},
    {"dot(v, 1)", 7, "number where a vector is needed", ""},
    {"in(crank, 1)", 10, "number where a vector is needed", ""},
    {"if(v, 1, 2)", 3, "vector where a number is needed", ""},
    {"if(1, 1, v)", 9, "vector where a number is needed", ""},
    {"if(1, v, 1)", 9, "number where a vector is needed", ""},
    {"L + (1).x", 8, "a number has no component 'x'", ""},
    {"(v).a", 4, "expected x, y or z before 'a'", ""},
    {"(v).", 4, "expected x, y or z at the end", ""},
    {"(v).x.y", 4, "expected x, y or z before 'x.y'", ""},
    {"1 + 1/0", 4, "'1/0' is infinite", ""},
    {"2*(3 - 1/(1 - 1)) + 1", 7, "'1/(1 - 1)' is infinite", ""},
    {"1 + sqrt(-1)", 4, "'sqrt(-1)' is not a number", ""},
    {"log(0)*t", 0, "'log(0)' is infinite", ""},
    {"1e300*1e300", 0, "'1e300*1e300' is infinite", ""},
    {"exp(1000)", 0, "'exp(1000)' is infinite", ""},
    {"min(1/0, 2)", 4, "'1/0' is infinite", ""},
    {"v/0", 0, "'v/0' is infinite", ""},
    {"2*huge", 2, "'huge' is infinite", ""},
    {"if(t > 1, 1/0, 5)", 10, "'1/0' is infinite", ""},
    {"if(1/0 > 2, 5, 6)", 3, "'1/0' is infinite", ""},
    {"if(1, 1/0, 5)", 6, "'1/0' is infinite", ""},
    {"if(0, 1, 1/0)", 9, "'1/0' is infinite", ""},
    {"if(0, 1/, 5)", 8, "expected a value before ','", ""},
    {"if(0, nix, 5)", 6, "unknown name 'nix'", "asked for nix"},
    {"1 < 2 < 3", 6, "unexpected '<' after a comparison", "write 'a < b and b < c'"},
    {"1 + not 2", 4, "unexpected 'not'", "put it in parentheses"},
    {"and 1", 0, "expected a value before 'and'", ""},
    {"L = 2", 2, "unexpected '='", "equality is '=='"},
    {"2**3", 1, "unexpected '**'", "a power is written a^b"},
    {"1 && 2", 2, "unexpected '&&'", "write 'and'"},
    {"1 || 2", 2, "unexpected '||'", "write 'or'"},
    {"!1", 0, "unexpected '!'", "write 'not'"},
    {"7 % 2", 2, "unexpected '%'", "the remainder is mod(a, b)"},
    {"1 ? 2 : 3", 2, "unexpected '?'", "a choice is if(c, a, b)"},
    {"crank{i}.angle", 5, "unexpected '{'", "braces belong to 'repeat'"},
    {"1 $ 2", 2, "unexpected '$'", ""},
    {"1 & 2", 2, "unexpected '&'", ""},
    {"2 \xc3\x97 3", 2, "unexpected '\xc3\x97'", ""},
    {"2 \xff 3", 2, "unexpected byte 0xff", ""},
    {"2 \x01", 2, "unexpected byte 0x01", ""},
    {"L.", 2, "expected x, y or z at the end", ""},
};

/* the messages that need vectors with another number of components, another class or bytes that are not text */
static const char *refused(const char *text, size_t n, int dimension, tn_class allowed, int64_t byte) {
  static tn_error e;
  tn_arena arena;
  tn_expr *expr = NULL;
  tn_arena_init(&arena, NULL);
  CHECK(parse_bytes(&arena, text, n, dimension, allowed, &expr, &e) == TN_E_MODEL);
  CHECK(expr == NULL);
  CHECK(e.status == TN_E_MODEL);
  if (e.byte != byte) printf("'%.60s': byte %" PRId64 "\n", text, e.byte);
  CHECK(e.byte == byte);
  tn_arena_free(&arena);
  return e.message;
}

TEST(messages) {
  for (int i = 0; i < COUNT(refusals); i++) {
    const struct refusal *r = &refusals[i];
    tn_arena arena;
    tn_expr *expr = NULL;
    tn_error e;
    tn_arena_init(&arena, NULL);
    int failures = tn_test_failures;
    tn_status status = parse_bytes(&arena, r->text, strlen(r->text), 3, TN_CLASS_RUNNING, &expr, &e);
    CHECK(status == (strstr(r->message, "has 9") ? TN_E_INTERNAL : TN_E_MODEL) && e.status == status);
    CHECK(e.byte == r->byte);
    CHECK(expr == NULL);
    CHECK_TEXT(e.message, r->message);
    CHECK_TEXT(e.hint, r->hint);
    if (tn_test_failures > failures) printf("  in '%s': '%s' byte %" PRId64 "\n", r->text, e.message, e.byte);
    tn_arena_free(&arena);
  }
}

/* every function with 0 .. 7 arguments */
TEST(argument_counts) {
  static const struct {
    const char *name, *arguments[8]; /* of a legal kind; the last goes on */
    int least, most;                 /* step: both and nothing between */
  } rows[] = {
      {"sin", {"0.5"}, 1, 1},        {"cos", {"0.5"}, 1, 1},
      {"tan", {"0.5"}, 1, 1},        {"asin", {"0.5"}, 1, 1},
      {"acos", {"0.5"}, 1, 1},       {"atan", {"0.5"}, 1, 1},
      {"atan2", {"0.5"}, 2, 2},      {"sqrt", {"0.5"}, 1, 1},
      {"exp", {"0.5"}, 1, 1},        {"log", {"0.5"}, 1, 1},
      {"abs", {"0.5"}, 1, 1},        {"min", {"0.5"}, 2, 7},
      {"max", {"t"}, 2, 7},          {"sign", {"0.5"}, 1, 1},
      {"mod", {"0.5"}, 2, 2},        {"if", {"t"}, 3, 3},
      {"step", {"t"}, 1, 5},         {"table", {"xs", "ys", "t"}, 3, 3},
      {"dot", {"v"}, 2, 2},          {"cross", {"v"}, 2, 2},
      {"norm", {"v"}, 1, 1},         {"in", {"crank", "v"}, 2, 2},
      {"dist", {"A"}, 2, 2},         {"position", {"crank"}, 1, 2},
      {"velocity", {"crank"}, 1, 2}, {"acceleration", {"crank"}, 1, 2},
      {"omega", {"crank"}, 1, 1},    {"axis", {"crank", "x"}, 2, 2},
      {"force", {"A"}, 1, 1},        {"torque", {"A"}, 1, 1},
  };
  for (int i = 0; i < COUNT(rows); i++)
    for (int n = 0; n <= 7; n++) {
      char text[128], given[32];
      const char *argument = "";
      snprintf(text, sizeof text, "%s(", rows[i].name);
      for (int k = 0; k < n; k++) {
        if (rows[i].arguments[k]) argument = rows[i].arguments[k];
        strcat(strcat(text, k ? ", " : ""), argument);
      }
      strcat(text, ")");
      bool legal = n >= rows[i].least && n <= rows[i].most;
      if (!strcmp(rows[i].name, "step")) legal = n == 1 || n == 5;
      if (legal) {
        CHECK(class_of(text, TN_CLASS_RUNNING) >= 0);
        continue;
      }
      const char *message = refused(text, strlen(text), 3, TN_CLASS_RUNNING, 0);
      snprintf(given, sizeof given, ", %d given", n);
      CHECK_HAS(message, given);
      CHECK_HAS(message, rows[i].name);
    }
}

TEST(messages_of_classes) {
  CHECK_TEXT(refused("1 + t", 5, 3, TN_CLASS_CONSTANT, 4), "'t' is not known here: this must be a constant");
  CHECK_TEXT(refused("t*crank.angle", 13, 3, TN_CLASS_TIME, 2),
             "a function of time cannot use the channel 'crank.angle'");
  CHECK_TEXT(refused("crank.angle", 11, 3, TN_CLASS_CONSTANT, 0), "a constant cannot use the channel 'crank.angle'");
  CHECK_TEXT(refused("1 + force(D).x", 14, 3, TN_CLASS_TIME, 4),
             "a function of time cannot use the channel 'force(D)'");
  CHECK_TEXT(refused("in(crank, v).x", 14, 3, TN_CLASS_TIME, 0),
             "a function of time cannot use the channel 'in(crank, v)'");
  CHECK_TEXT(refused("if(1, v, 1)", 11, 2, TN_CLASS_RUNNING, 9), "number where a vector is needed");
  CHECK_TEXT(refused("1 + v.z", 7, 2, TN_CLASS_RUNNING, 4), "a vector in the plane has no component 'z'");
  CHECK_TEXT(refused("(v).z", 5, 2, TN_CLASS_RUNNING, 4), "a vector in the plane has no component 'z'");
}

/* ---- hostile texts --------------------------------------------------------------------------------------------------- */

static char *repeated(const char *piece, int times, size_t *n) {
  size_t length = strlen(piece);
  char *text = malloc(length * (size_t)times + 1);
  for (int i = 0; i < times; i++) memcpy(text + (size_t)i * length, piece, length);
  *n = length * (size_t)times;
  text[*n] = 0;
  return text;
}

TEST(nesting) {
  static const struct {
    const char *piece;
    int64_t byte; /* where level 101 begins */
  } rows[] = {{"(", 100},    {"-", 100},     {"sin(", 403}, {"2^", 201},       {"not ", 400},
              {"th0[", 403}, {"if(1,", 502}, {"t+(", 302},  {"1+2^sin(", 403}, {"0 or 1 and 1<1+(", 768}};
  for (int i = 0; i < COUNT(rows); i++) {
    size_t n;
    char *text = repeated(rows[i].piece, 10000 / (int)strlen(rows[i].piece), &n);
    CHECK_TEXT(refused(text, n, 3, TN_CLASS_RUNNING, rows[i].byte),
               i < 9 ? "nested deeper than 100 levels" : "too deep: more than 192 numbers wait to be used");
    free(text);
  }
  /* 100 levels are allowed */
  char text[512] = "";
  for (int i = 0; i < 100; i++) strcat(text, "(");
  strcat(text, "7");
  for (int i = 0; i < 100; i++) strcat(text, ")");
  CHECK(number(text) == 7);
  /* and are left again */
  size_t n;
  char *many = repeated("+(1)-sin(0)+2^0-(-(1))+th0[1]", 100, &n);
  CHECK(number(many) == 1300);
  free(many);
}

/* the stack holds 64 vectors: one more is refused, and so is a number too many */
TEST(stack) {
  static const struct {
    const char *piece;
    int levels;   /* so many fit             */
    int64_t byte; /* what does not fit after */
  } rows[] = {{"tip+(", 63, 64 * 5}, {"tip*t - t*tip+(", 62, 62 * 15 + 10}, {"if(1, tip, v)+(", 62, 62 * 15 + 11}};
  for (int i = 0; i < COUNT(rows); i++)
    for (int more = 0; more < 2; more++) {
      size_t n, levels = (size_t)(rows[i].levels + more), end = levels * strlen(rows[i].piece);
      char *text = repeated(rows[i].piece, 100, &n);
      memcpy(text + end, "tip", 3);
      memset(text + end + 3, ')', levels);
      text[end + 3 + levels] = 0;
      double x[3];
      if (more)
        CHECK_TEXT(refused(text, strlen(text), 3, TN_CLASS_RUNNING, rows[i].byte),
                   "too deep: more than 192 numbers wait to be used");
      else
        CHECK(value_of(text, 3, 1, x) == 3);
      if (!more && i != 1) CHECK(x[2] == 3 * (double)(levels + 1));
      free(text);
    }
  size_t n;
  char *steps = repeated("step(t,t,t,t,", 99, &n);
  CHECK_TEXT(refused(steps, n, 3, TN_CLASS_RUNNING, 48 * 13 + 5), "too deep: more than 192 numbers wait to be used");
  free(steps);
}

TEST(long_texts) {
  size_t n;
  char *text = repeated("1+", 5000, &n);
  text[9999] = ' ';
  CHECK(number(text) == 5000);
  text[9999] = '+';
  CHECK_TEXT(refused(text, 10000, 3, TN_CLASS_RUNNING, 10000), "expected a value at the end");
  free(text);
  text = repeated(" ", 10001, &n);
  CHECK_TEXT(refused(text, n, 3, TN_CLASS_RUNNING, 10000), "the expression has 10001 bytes, 10000 are allowed");
  memset(text, 'a', n);
  CHECK_HAS(refused(text, 10000, 3, TN_CLASS_RUNNING, 0), "unknown name 'aaaaaa");
  text[9999] = '(';
  CHECK_HAS(refused(text, 10000, 3, TN_CLASS_RUNNING, 0), "unknown function 'aaaaaa");
  memset(text, '1', n);
  CHECK_HAS(refused(text, 10000, 3, TN_CLASS_RUNNING, 0), "is too large for a number");
  memset(text, '0', n);
  text[1] = '.', text[9990] = '5';
  memcpy(text + 9991, "e+9989   ", 9);
  text[10000] = 0;
  CHECK(number(text) == 5);
  memset(text, 'a', n);
  for (int i = 1; i < 10000; i += 2) text[i] = '.';
  CHECK_HAS(refused(text, 9999, 3, TN_CLASS_RUNNING, 0), "unknown name 'a.a.a");
  CHECK_HAS(refused("dist(A, B", 9, 3, TN_CLASS_RUNNING, 9), "expected ',' or ')' at the end");
  free(text);
  text = repeated("sin(1,1,1,1,1,1,1,1,1,1,1", 1, &n);
  text[n - 1] = ')';
  CHECK_HAS(refused(text, n, 3, TN_CLASS_RUNNING, n > 0 ? (int64_t)n - 1 : 0), "expected a value before ')'");
  free(text);
}

TEST(bytes_that_are_not_text) {
  CHECK_TEXT(refused("1\0+2", 4, 3, TN_CLASS_RUNNING, 1), "unexpected byte 0x00");
  CHECK_TEXT(refused("\0", 1, 3, TN_CLASS_RUNNING, 0), "unexpected byte 0x00");
  CHECK_TEXT(refused("L\0x", 3, 3, TN_CLASS_RUNNING, 1), "unexpected byte 0x00");
  CHECK_TEXT(refused("1 + 2 ", 4, 3, TN_CLASS_RUNNING, 4), "expected a value at the end");
  /* every byte alone and after a value */
  for (int c = 0; c < 256; c++) {
    char text[2] = {'1', (char)c};
    tn_arena arena;
    tn_expr *expr;
    tn_error e;
    tn_arena_init(&arena, NULL);
    tn_status status = parse_bytes(&arena, text, 2, 3, TN_CLASS_RUNNING, &expr, &e);
    bool fine = c == ' ' || c == '\t' || c == '\n' || c == '\r' || (c >= '0' && c <= '9') || c == '.';
    CHECK(status == (fine ? TN_OK : TN_E_MODEL));
    CHECK(fine || (e.byte >= 0 && e.byte <= 2 && e.message[0]));
    tn_arena_free(&arena);
  }
}

/* random sequences of pieces: what is accepted can be run, what is refused has a message and a place */
TEST(soup) {
  static const char *const pieces[] = {"1",
                                       "2.5",
                                       "t",
                                       "L",
                                       "v",
                                       "w",
                                       "tip",
                                       "crank.angle",
                                       "v.x",
                                       "+",
                                       "-",
                                       "*",
                                       "/",
                                       "^",
                                       "(",
                                       ")",
                                       "(",
                                       ")",
                                       ",",
                                       " ",
                                       "sin(",
                                       "norm(",
                                       "dot(",
                                       "cross(",
                                       "min(",
                                       "if(",
                                       "step(",
                                       "in(crank,",
                                       "position(crank)",
                                       ".y",
                                       "th0[",
                                       "]",
                                       "<",
                                       "==",
                                       " and ",
                                       " or ",
                                       " not ",
                                       "0",
                                       "zero",
                                       "table(xs,ys,",
                                       "sqrt(",
                                       "mod(",
                                       "atan2(",
                                       "e",
                                       "#",
                                       "1e3"};
  uint64_t state = 12345;
  int accepted = 0, refusals_seen = 0;
  for (int k = 0; k < 60000; k++) {
    char text[256] = "";
    state = state * 6364136223846793005u + 1442695040888963407u;
    int length = 1 + (int)((state >> 33) % 9), open = 0;
    for (int i = 0; i < length; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const char *piece = pieces[(state >> 33) % (uint64_t)COUNT(pieces)];
      strcat(text, piece);
      for (const char *c = piece; *c; c++) open += (*c == '(') - (*c == ')');
    }
    for (; open > 0; open--) strcat(text, ")");
    tn_class allowed = (tn_class)(k % 3);
    int dimension = 2 + k / 3 % 2;
    tn_arena arena;
    tn_expr *expr = NULL;
    tn_error e;
    tn_arena_init(&arena, NULL);
    tn_status status = parse_bytes(&arena, text, strlen(text), dimension, allowed, &expr, &e);
    if (status == TN_OK) {
      double x[3] = {0}, jet[3];
      accepted++;
      int width = tn_expr_width(expr);
      CHECK(width == 1 || width == dimension);
      CHECK(tn_expr_class(expr) <= allowed);
      tn_expr_eval(expr, 0.6, fetch, &the_world, x);
      if (width == 1 && tn_expr_class(expr) != TN_CLASS_RUNNING) {
        tn_expr_jet(expr, 0.6, jet);
        CHECK(jet[0] == x[0] || (isnan(jet[0]) && isnan(x[0])) || fabs(jet[0] - x[0]) <= TOL_MACHINE(8) * fabs(x[0]));
        if (tn_expr_class(expr) == TN_CLASS_CONSTANT) CHECK(isfinite(x[0]) && jet[1] == 0 && jet[2] == 0);
      }
    } else {
      refusals_seen++;
      CHECK(status == TN_E_MODEL && e.message[0] && e.byte >= 0 && e.byte <= (int64_t)strlen(text));
    }
    tn_arena_free(&arena);
  }
  CHECK(accepted > 2000 && refusals_seen > 2000);
}

/* ---- no memory ------------------------------------------------------------------------------------------------------- */

typedef struct counter {
  int calls, fail_at, live;
} counter;

static void *count_allocate(void *user, size_t size) {
  counter *c = user;
  if (c->calls++ == c->fail_at) return NULL;
  c->live++;
  return malloc(size);
}

static void count_release(void *user, void *block) {
  counter *c = user;
  c->live--;
  free(block);
}

TEST(no_memory) {
  size_t n;
  char *text = repeated("+ norm(tip*t - v) + table(xs, ys, t) + if(zero, 1/zero, th0[1])", 150, &n);
  int failed = 0;
  for (int at = 0;; at++) {
    counter c = {.fail_at = at};
    tn_allocator allocator = {count_allocate, count_release, &c};
    tn_arena arena;
    tn_expr *expr = NULL;
    tn_error e;
    tn_arena_init(&arena, &allocator);
    tn_status status = parse_bytes(&arena, text, n, 3, TN_CLASS_RUNNING, &expr, &e);
    bool done = status == TN_OK;
    if (!done) {
      failed++;
      CHECK(status == TN_E_MEMORY && e.status == TN_E_MEMORY && expr == NULL);
      CHECK_TEXT(e.message, "no memory for an expression");
    } else { /* running it takes no memory */
      double x = NAN;
      int calls = c.calls;
      tn_expr_eval(expr, 1, fetch, &the_world, &x);
      CHECK(isfinite(x) && c.calls == calls);
      CHECK(c.calls <= at);
    }
    tn_arena_free(&arena);
    CHECK(c.live == 0);
    if (done || at > 1000) break;
  }
  CHECK(failed >= 5);
  counter c = {.fail_at = 0};
  tn_allocator allocator = {count_allocate, count_release, &c};
  tn_arena arena;
  tn_arena_init(&arena, &allocator);
  CHECK(tn_expr_number(&arena, 1) == NULL);
  tn_arena_free(&arena);
  free(text);
}
