/* expressions made of pieces: splines against what defines them, pieces that are held, their margins. */
#include "base/base.h"

#include "test.h"

/* ---- a world of tables and one channel, `x` -------------------------------------------------------------------------------- */

enum { MOST = 16, SLOTS = 8 };

static double xs[MOST], ys[MOST], channel;
static int points;

static bool find(void *user, const char *name, tn_meaning *m, tn_error *e) {
  (void)user;
  *m = (tn_meaning){.is_slot = true, .width = 1};
  if (strcmp(name, "x") == 0) return true;
  tn_fail(e, TN_E_MODEL, "unknown name");
  return false;
}

static bool items(void *user, const char *table, int *n, const double **values, tn_error *e) {
  (void)user, (void)e;
  *n = points;
  *values = strcmp(table, "xs") == 0 ? xs : ys;
  return true;
}

static void fetch(const void *scope, int slot, double *value) {
  (void)scope, (void)slot;
  *value = channel;
}

static int slots;
static char texts[SLOTS][80];
static int piecewise(void *user, const char *text) {
  (void)user;
  if (slots >= SLOTS) return -1;
  snprintf(texts[slots], sizeof texts[slots], "%s", text);
  return slots++;
}

static tn_expr *parse(tn_arena *arena, const char *text, tn_class allowed) {
  const tn_names names = {.dimension = 2, .find = find, .items = items, .piecewise = piecewise};
  tn_expr *expr = NULL;
  tn_error e;
  slots = 0;
  tn_arena_init(arena, NULL);
  if (tn_expr_parse(arena, text, strlen(text), allowed, &names, &expr, &e) != TN_OK) FAIL("%s: %s", text, e.message);
  return expr;
}

/* ---- splines ------------------------------------------------------------------------------------------------------------- */

static void spline_at(double t, double jet[3]) {
  tn_arena arena;
  const tn_expr *expr = parse(&arena, "spline(xs, ys, t)", TN_CLASS_TIME);
  if (expr) tn_expr_jet(expr, t, jet);
  tn_arena_free(&arena);
}

static void place(int n, double (*f)(double)) {
  points = n;
  for (int i = 0; i < n; i++) {
    xs[i] = 0.3 * i + 0.11 * sin(5.0 * i) - 1; /* not uniform */
    ys[i] = f(xs[i]);
  }
}

static double a_line(double x) { return 2 - 3 * x; }
static double a_parabola(double x) { return 1 + x * (2 - 5 * x); }
static double a_cubic(double x) { return 1 + x * (2 + x * (-3 + 4 * x)); }
static double a_sine(double x) { return sin(3 * x); }

/* T142: two points a line, three a parabola, more: a cubic comes back with its derivatives */
TEST(polynomials_come_back) {
  static const struct {
    int n;
    double (*f)(double);
    double d1, d2; /* at 0 */
  } rows[] = {
      {2, a_line, -3, 0}, {3, a_parabola, 2, -10}, {4, a_cubic, 2, -6}, {5, a_cubic, 2, -6}, {13, a_cubic, 2, -6}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double jet[3];
    place(rows[i].n, rows[i].f);
    const double shift = 0.5 * (xs[0] + xs[rows[i].n - 1]);
    for (int k = 0; k < rows[i].n; k++) xs[k] -= shift, ys[k] = rows[i].f(xs[k]); /* 0 inside */
    spline_at(0, jet);
    CHECK_NEAR(jet[0], rows[i].f(0), 1e-13);
    CHECK_NEAR(jet[1], rows[i].d1, 1e-12);
    CHECK_NEAR(jet[2], rows[i].d2, 2e-11);
  }
}

/* value and two derivatives are the same on both sides of a knot, the third at the second and last but one too */
TEST(a_spline_is_smooth_and_goes_through_its_points) {
  place(9, a_sine);
  for (int i = 0; i < points; i++) {
    const double h = 1e-4;
    double at[3], left[3], right[3], left2[3], right2[3];
    spline_at(xs[i], at);
    CHECK_NEAR(at[0], ys[i], 1e-15);
    if (i == 0 || i == points - 1) continue;
    spline_at(xs[i] - h, left);
    spline_at(xs[i] + h, right);
    spline_at(xs[i] - 2 * h, left2);
    spline_at(xs[i] + 2 * h, right2);
    CHECK_NEAR(2 * left[2] - left2[2], 2 * right[2] - right2[2], 1e-9);
    CHECK_NEAR(left[1] + h * left[2], right[1] - h * right[2], 1e-5);
    const double jump = (right2[2] - right[2]) / h - (left[2] - left2[2]) / h;
    if (i == 1 || i == points - 2)
      CHECK_NEAR(jump, 0, 1e-7);
    else
      CHECK(fabs(jump) > 1e-2);
  }
}

/* the end values are held outside, as those of a table */
TEST(outside_the_data) {
  double jet[3];
  place(6, a_sine);
  static const double far[] = {-1e-9, -3, 0, 1e-9, 7};
  for (int i = 0; i < 5; i++) {
    const bool before = i < 2;
    spline_at(before ? xs[0] + far[i] : xs[5] + far[i], jet);
    CHECK(jet[0] == (before ? ys[0] : ys[5]) && jet[1] == 0 && jet[2] == 0);
  }
}

/* the error falls with the fourth power of the distance */
TEST(order_of_a_spline) {
  double off[2];
  for (int k = 0; k < 2; k++) {
    double jet[3];
    points = k ? 16 : 8;
    off[k] = 0;
    for (int i = 0; i < points; i++) xs[i] = 2.0 * i / (points - 1), ys[i] = a_sine(xs[i]);
    for (double t = 0; t < 2; t += 0.013) {
      spline_at(t, jet);
      off[k] = fmax(off[k], fabs(jet[0] - a_sine(t)));
    }
  }
  CHECK(off[0] / off[1] > 14);
}

/* ---- pieces that are held ----------------------------------------------------------------------------------------------------- */

static const struct {
  const char *text; /* of x */
  double inside;    /* where it is live */
  double at, value; /* held from there: the value at another place */
  double margin;    /* of the last switch there */
} held[] = {
    {"abs(x)", 1, -2, -2, -2},
    {"abs(x)", -1, 3, -3, -3},
    {"sign(x)", 2, -1, 1, -1},
    {"sign(x)", 0, -0.5, 0, -0.5},
    {"step(x)", 0, -3, 1, -3},
    {"step(x)", -1, 4, 0, -4},
    {"min(x, 2)", 1, 5, 5, -3},
    {"min(x, 2)", 3, 1, 2, -1},
    {"max(x, 2)", 3, 1, 1, -1},
    {"max(x, 2)", 1, 1.5, 2, 0.5},
    {"mod(x, 2)", 1, 5, 5, -1.5},
    {"mod(x, -2)", 1, 5, 3, -1.5},
    {"x < 1", 0, 2, 1, -1},
    {"x <= 1", 2, 0, 0, -1},
    {"x > 1", 0, 3, 0, -2},
    {"x >= 1", 1, 1, 1, 0},
    {"x == 1", 1, 1.25, 1, -0.25},
    {"x == 1", 0, 1, 0, 0},
    {"x != 1", 1, 3, 0, -2},
    {"if(x > 1, 10*x, 20*x)", 2, 0.5, 5, -0.5},
    {"step(x, 1, 5, 3, 9)", 0, 2, 5, -0.5},
    {"step(x, 1, 5, 3, 9)", 2, 5, -11, -1},
    {"step(x, 1, 5, 3, 9)", 4, 2, 9, -0.5},
    {"table(xs, ys, x)", 0.5, 2, 4, -1},
    {"table(xs, ys, x)", -1, 0.5, 0, -0.5},
    {"table(xs, ys, x)", 5, 0.5, 4, -2.5},
    {"spline(xs, ys, x)", 9, 1, 4, -2},
    {"spline(xs, ys, x)", -9, 1, 0, -1},
};

TEST(pieces_are_held) {
  points = 3; /* 2 x up to 1, then to 4 at 3 */
  xs[0] = 0, xs[1] = 1, xs[2] = 3, ys[0] = 0, ys[1] = 2, ys[2] = 4;
  for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
    double piece[SLOTS], margin[SLOTS], live[SLOTS], value, plain;
    tn_switching w = {TN_PIECES_RECORD, piece, margin, live, NULL};
    tn_arena arena;
    const tn_expr *expr = parse(&arena, held[i].text, TN_CLASS_RUNNING);
    CHECK(slots == 1 && strstr(held[i].text, texts[0]));
    channel = held[i].inside;
    tn_expr_eval_on(expr, 0, fetch, NULL, &w, &value);
    tn_expr_eval(expr, 0, fetch, NULL, &plain);
    CHECK(value == plain && margin[0] >= 0);
    w.how = TN_PIECES_HELD;
    channel = held[i].at;
    tn_expr_eval_on(expr, 0, fetch, NULL, &w, &value);
    if (value != held[i].value || margin[0] != held[i].margin)
      printf("%s: %g, margin %g\n", held[i].text, value, margin[0]);
    CHECK(value == held[i].value && margin[0] == held[i].margin);
    /* with the piece it is in it is what it is without any */
    if (margin[0] <= 0) piece[0] = live[0];
    tn_expr_eval_on(expr, 0, fetch, NULL, &w, &value);
    tn_expr_eval(expr, 0, fetch, NULL, &plain);
    CHECK(value == plain && margin[0] >= 0);
    /* live: nothing is held, and nothing noted */
    w.how = TN_PIECES_LIVE;
    piece[0] = margin[0] = live[0] = NAN;
    tn_expr_eval_on(expr, 0, fetch, NULL, &w, &value);
    CHECK(value == plain && isnan(piece[0]) && isnan(margin[0]) && isnan(live[0]));
    /* what is not a number comes out, held or not */
    w.how = TN_PIECES_HELD;
    piece[0] = 1;
    channel = NAN;
    tn_expr_eval_on(expr, 0, fetch, NULL, &w, &value);
    CHECK(isnan(value) && !(margin[0] < 0));
    tn_arena_free(&arena);
  }
}

/* of functions of time, with both derivatives: the piece goes on beyond its edge */
TEST(jets_of_held_pieces) {
  static const struct {
    const char *text;
    double from, to, f, d, dd;
  } rows[] = {{"abs(t^2 - 1)", 0, 2, -3, -4, -2},
              {"min(t^2, 4)", 1, 3, 9, 6, 2},
              {"mod(t^2, 2)", 1, 2, 4, 4, 2},
              {"if(t < 1, t^2, 7)", 0, 3, 9, 6, 2},
              {"step(t, 0, 0, 1, 1)", 0.5, 2, -4, -12, -18},
              {"table(xs, ys, t^2)", 0.5, 2, 8, 8, 4},
              {"sign(t - 1)*t", 0, 3, -3, -1, 0}};
  points = 3;
  xs[0] = 0, xs[1] = 1, xs[2] = 3, ys[0] = 0, ys[1] = 2, ys[2] = 4;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double piece[SLOTS], margin[SLOTS], live[SLOTS], jet[3];
    tn_switching w = {TN_PIECES_RECORD, piece, margin, live, NULL};
    tn_arena arena;
    const tn_expr *expr = parse(&arena, rows[i].text, TN_CLASS_TIME);
    tn_expr_jet_on(expr, rows[i].from, &w, jet);
    w.how = TN_PIECES_HELD;
    tn_expr_jet_on(expr, rows[i].to, &w, jet);
    CHECK_NEAR(jet[0], rows[i].f, 1e-14);
    CHECK_NEAR(jet[1], rows[i].d, 1e-14);
    CHECK_NEAR(jet[2], rows[i].dd, 1e-14);
    CHECK(margin[0] < 0);
    tn_arena_free(&arena);
  }
}

/* what stands in messages; constants have no switch, nor has what a constant condition drops */
TEST(which_have_a_switch) {
  static const struct {
    const char *text, *switches[4];
  } rows[] = {{"abs(x) + abs(-2)", {"abs(x)"}},
              {"min(x, 1, 2*x)", {"min(x, 1, ..)", "min(x, 1, 2*x)"}},
              {"if(x > 1 and not x < 3, x, 1)", {"x > 1", "x < 3"}},
              {"3*x + tanh(x)", {NULL}},
              {"step(mod(x, 1) - 0.5)", {"mod(x, 1)", "step(mod(x, 1) - 0.5)"}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tn_arena arena;
    int n = 0;
    parse(&arena, rows[i].text, TN_CLASS_RUNNING);
    for (; n < 4 && rows[i].switches[n]; n++) CHECK_TEXT(texts[n], rows[i].switches[n]);
    CHECK(slots == n);
    tn_arena_free(&arena);
  }
}
