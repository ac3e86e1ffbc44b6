/* degrees of freedom and redundant rows are those of the mechanism, not of the pose it happens to start in: laid flat, in line,
 * at a dead centre; in absolute and in relative coordinates. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

typedef struct counted {
  int freedom, redundant;
} counted;

/* compiled and started; -1 if it is refused */
static counted count(build *b, const char *what) {
  if (!build_simulate(b)) {
    FAIL("%s: %s", what, b->message);
    return (counted){-1, -1};
  }
  const tn_summary *s = tn_sim_summary(b->sim);
  const int rows = b->model->rows - b->sim->solver.sys.given.idle; /* those of joints that are switched off are none */
  CHECK(s->degrees_of_freedom + rows - s->redundant_rows == b->model->nu); /* rank is what is left */
  return (counted){s->degrees_of_freedom, s->redundant_rows};
}

static void check_count(build *b, int freedom, int redundant, const char *what) {
  const counted c = count(b, what);
  if (c.freedom != freedom || c.redundant != redundant)
    FAIL("%s: %d degrees of freedom and %d redundant rows, not %d and %d", what, c.freedom, c.redundant, freedom,
         redundant);
}

/* text with ' for ", in absolute and in relative coordinates */
static void check_text(const char *model, int freedom, int redundant, const char *what) {
  for (int relative = 0; relative < 2; relative++) {
    build b;
    char text[6000], name[200];
    snprintf(text, sizeof text, "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], %s}", model);
    for (char *c = text; *c; c++)
      if (*c == '\'') *c = '"';
    build_new(&b, 1);
    build_parse(&b, text);
    if (relative) build_set(&b, "/coordinates", "\"relative\"");
    snprintf(name, sizeof name, "%s, %s", what, relative ? "relative" : "absolute");
    check_count(&b, freedom, redundant, name);
    build_free(&b);
  }
}

static const double angles[] = {0, 1e-12, 1e-9, 1e-6, 1e-3, 0.3, 1, 1.5707963267948966, 3.0, 3.141592653589793, -2};
enum { ANGLES = sizeof angles / sizeof *angles };

TEST(two_four_bars_of_particles_laid_flat) {
  for (int i = 0; i < ANGLES; i++) {
    build b;
    char what[100];
    build_new(&b, 1);
    build_read(&b, "braun_four_bars");
    build_set(&b, "/bodies/p{i}/position", "[\"i - 1 + cos(%.17g)\", \"sin(%.17g)\"]", angles[i], angles[i]);
    tn_desc_remove(b.desc, "/start");
    snprintf(what, sizeof what, "bars at %g", angles[i]);
    check_count(&b, 1, 0, what);
    build_free(&b);
  }
}

/* N four-bars in a row, flat: at the start the rows lose N of their rank */
TEST(a_row_of_four_bars_laid_flat) {
  for (int n = 1; n <= 6; n++)
    for (int i = 0; i < ANGLES; i++) {
      char model[3000], what[100];
      snprintf(
          model, sizeof model,
          "'constants': {'N': %d, 'a': %.17g},"
          "'points': {'A{i}': {'repeat': 'i=0..N', 'at': ['i', 0]}, 'B{i}': {'repeat': 'i=0..N', 'at': ['i + cos(a)', "
          "'sin(a)']}},"
          "'bodies': {'link{i}': {'repeat': 'i=0..N', 'rod': ['A{i}', 'B{i}'], 'mass': 1},"
          "  'coupler{i}': {'repeat': 'i=1..N', 'rod': ['B{i-1}', 'B{i}'], 'mass': 1}},"
          "'joints': {'ground{i}': {'repeat': 'i=0..N', 'type': 'revolute', 'between': ['ground', 'link{i}'], 'at': "
          "'A{i}'},"
          "  'left{i}': {'repeat': 'i=1..N', 'type': 'revolute', 'between': ['link{i-1}', 'coupler{i}'], 'at': "
          "'B{i-1}'},"
          "  'right{i}': {'repeat': 'i=1..N', 'type': 'revolute', 'between': ['coupler{i}', 'link{i}'], 'at': 'B{i}'}}",
          n, angles[i]);
      snprintf(what, sizeof what, "%d four-bars at %g", n, angles[i]);
      check_text(model, 1, 0, what);
    }
}

TEST(the_model_of_n_four_bars_starts_flat_too) {
  for (int n = 1; n <= 5; n++) {
    build b;
    char what[64];
    build_new(&b, 1);
    build_read(&b, "n_four_bar");
    build_set(&b, "/constants/N", "%d", n);
    snprintf(what, sizeof what, "n_four_bar, N = %d", n);
    check_count(&b, 1, 0, what);
    build_free(&b);
  }
}

/* bars so light beside the others that their rows look dependent in the metric of masses; a mechanism so small that they do in that
 * of metres and radians; and a joint that is there twice, a little apart, whose rows are */
TEST(rows_that_look_dependent_and_rows_that_nearly_are) {
  static const char *const bodies =
      "'bodies': {'a': {'rod': ['A', 'B'], 'mass': 1}, 'b': {'rod': ['B', 'C'], 'mass': %s},"
      "'c': {'rod': ['D', 'C'], 'mass': 1}},"
      "'points': {'A': [0, 0], 'B': [0, %g], 'C': [%g, %g], 'D': [%g, 0]},"
      "'joints': {%s"
      "'A': {'type': 'revolute', 'between': ['ground', 'a'], 'at': 'A'},"
      "'B': {'type': 'revolute', 'between': ['a', 'b'], 'at': 'B'},"
      "'C': {'type': 'revolute', 'between': ['b', 'c'], 'at': 'C'},"
      "'D': {'type': 'revolute', 'between': ['ground', 'c'], 'at': 'D'}}";
  static const char *const twice = "'B2': {'type': 'revolute', 'between': ['a', 'b'], 'at': [%g, %g]},";
  char text[3000], second[200];
  const struct {
    const char *mass;
    double size, apart; /* apart: of the size, 0: no second joint */
    int freedom, redundant;
  } cases[] = {{"1", 1, 0, 1, 0},    {"1e-10", 1, 0, 1, 0}, {"1e-11", 1, 0, 1, 0}, {"1", 1e-5, 0, 1, 0},
               {"1", 3e-6, 0, 1, 0}, {"1", 1, 1e-6, 1, 2},  {"1", 1, 1e-7, 1, 2},  {"1", 0.05, 1e-6, 1, 2},
               {"1", 1, 5e-6, 1, 2}, {"1", 1, 1e-3, 0, 1},  {"3", 10, 1e-6, 1, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double l = cases[i].size;
    snprintf(second, sizeof second, twice, cases[i].apart * l, l);
    snprintf(text, sizeof text, bodies, cases[i].mass, l, 3 * l, 2 * l, 4 * l, cases[i].apart > 0 ? second : "");
    char what[100], model[4000];
    snprintf(what, sizeof what, "mass %s, size %g, apart %g", cases[i].mass, l, cases[i].apart);
    snprintf(model, sizeof model, "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], %s}", text);
    for (char *c = model; *c; c++)
      if (*c == '\'') *c = '"';
    build b;
    build_new(&b, 1);
    build_parse(&b, model);
    check_count(&b, cases[i].freedom, cases[i].redundant, what);
    build_free(&b);
  }
}

/* three equal cranks on one coupler: one row too many in every position, and no more than that in any */
TEST(a_parallelogram_with_three_cranks) {
  for (int i = 0; i < ANGLES; i++) {
    char model[3000], what[100];
    snprintf(model, sizeof model,
             "'constants': {'a': %.17g},"
             "'points': {'A{i}': {'repeat': 'i=0..2', 'at': ['2*i', 0]}, 'B{i}': {'repeat': 'i=0..2', 'at': ['2*i + "
             "cos(a)', 'sin(a)']}},"
             "'bodies': {'crank{i}': {'repeat': 'i=0..2', 'rod': ['A{i}', 'B{i}'], 'mass': 1}, 'coupler': {'rod': "
             "['B0', 'B2'], 'mass': 1}},"
             "'joints': {'low{i}': {'repeat': 'i=0..2', 'type': 'revolute', 'between': ['ground', 'crank{i}'], 'at': "
             "'A{i}'},"
             "  'high{i}': {'repeat': 'i=0..2', 'type': 'revolute', 'between': ['crank{i}', 'coupler'], 'at': 'B{i}'}}",
             angles[i]);
    snprintf(what, sizeof what, "three cranks at %g", angles[i]);
    check_text(model, 1, 1, what);
  }
}

/* and with five: three too many */
TEST(a_parallelogram_with_five_cranks) {

  for (int i = 0; i < ANGLES; i++) {
    char model[3000], what[100];
    snprintf(model, sizeof model,
             "'constants': {'a': %.17g},"
             "'points': {'A{i}': {'repeat': 'i=0..4', 'at': ['2*i', 0]}, 'B{i}': {'repeat': 'i=0..4', 'at': ['2*i + "
             "cos(a)', 'sin(a)']}},"
             "'bodies': {'crank{i}': {'repeat': 'i=0..4', 'rod': ['A{i}', 'B{i}'], 'mass': 1}, 'coupler': {'rod': "
             "['B0', 'B4'], 'mass': 1}},"
             "'joints': {'low{i}': {'repeat': 'i=0..4', 'type': 'revolute', 'between': ['ground', 'crank{i}'], 'at': "
             "'A{i}'},"
             "  'high{i}': {'repeat': 'i=0..4', 'type': 'revolute', 'between': ['crank{i}', 'coupler'], 'at': 'B{i}'}}",
             angles[i]);
    snprintf(what, sizeof what, "five cranks at %g", angles[i]);
    check_text(model, 1, 3, what);
  }
}

/* a truss of particles: as many bars as it needs, one more, one less */
TEST(a_truss) {
  static const char frame[] =
      "'bodies': {'c': {'mass': 1, 'position': [2, 1], 'coordinates': 'point'}, 'd': {'mass': 1, 'position': [0, 1.5], "
      "'coordinates': 'point'}},"
      "'joints': {'bc': {'type': 'distance', 'between': ['ground', 'c'], 'at': [[2, 0], 'c']},"
      "  'ad': {'type': 'distance', 'between': ['ground', 'd'], 'at': [[0, 0], 'd'], 'form': 'squared'},"
      "  'cd': {'type': 'distance', 'between': ['c', 'd']}%s%s}";
  static const char diagonal[] = ", 'ac': {'type': 'distance', 'between': ['ground', 'c'], 'at': [[0, 0], 'c']}",
                    other[] = ", 'bd': {'type': 'distance', 'between': ['ground', 'd'], 'at': [[2, 0], 'd']}";
  char model[3000];
  snprintf(model, sizeof model, frame, "", "");
  check_text(model, 1, 0, "a frame without diagonals");
  snprintf(model, sizeof model, frame, diagonal, "");
  check_text(model, 0, 0, "a frame with a diagonal");
  snprintf(model, sizeof model, frame, diagonal, other);
  check_text(model, 0, 1, "a frame with both diagonals");
}

/* bodies pinned at three corners each: a bridge of triangles, rigid and just so; then with a second support that cannot move */
TEST(a_bridge) {
  static const char bridge[] =
      "'points': {'L{i}': {'repeat': 'i=0..4', 'at': ['2*i', 0]}, 'U{i}': {'repeat': 'i=1..4', 'at': ['2*i - 1', "
      "1.5]}},"
      "'bodies': {'n{i}': {'repeat': 'i=1..4', 'mass': 1, 'position': 'L{i}', 'coordinates': 'point'},"
      "  'u{i}': {'repeat': 'i=1..4', 'mass': 1, 'position': 'U{i}', 'coordinates': 'point'}},"
      "'joints': {'first': {'type': 'distance', 'between': ['ground', 'n1'], 'at': ['L0', 'L1']},"
      "  'up': {'type': 'distance', 'between': ['ground', 'u1'], 'at': ['L0', 'U1']},"
      "  'low{i}': {'repeat': 'i=1..3', 'type': 'distance', 'between': ['n{i}', 'n{i+1}']},"
      "  'high{i}': {'repeat': 'i=1..3', 'type': 'distance', 'between': ['u{i}', 'u{i+1}']},"
      "  'rise{i}': {'repeat': 'i=1..3', 'type': 'distance', 'between': ['n{i}', 'u{i+1}']},"
      "  'fall{i}': {'repeat': 'i=1..4', 'type': 'distance', 'between': ['u{i}', 'n{i}']},"
      "  %s}";
  char model[4000];
  snprintf(model, sizeof model, bridge, "'roller': {'type': 'driver', 'on': 'n4.y', 'value': 0}");
  check_text(model, 0, 0, "a bridge on a pin and a roller");
  snprintf(
      model, sizeof model, bridge,
      "'roller': {'type': 'driver', 'on': 'n4.y', 'value': 0}, 'pin': {'type': 'driver', 'on': 'n4.x', 'value': 8}");
  check_text(model, 0, 1, "a bridge on two pins");
}

/* a slider-crank in both of its dead centres, and anywhere else */
TEST(a_crank_and_a_slider) {
  for (int i = 0; i < ANGLES; i++) {
    char model[3000], what[100];
    snprintf(model, sizeof model,
             "'constants': {'a': %.17g, 's': 'cos(a) + sqrt(9 - sin(a)^2)'},"
             "'points': {'P': ['cos(a)', 'sin(a)'], 'Q': ['s', 0]},"
             "'bodies': {'crank': {'rod': [[0, 0], 'P'], 'mass': 1}, 'rod': {'rod': ['P', 'Q'], 'mass': 1}, 'block': "
             "{'mass': 1, 'inertia': 1, 'position': 'Q'}},"
             "'joints': {'O': {'type': 'revolute', 'between': ['ground', 'crank'], 'at': [0, 0]}, 'P': {'type': "
             "'revolute', 'between': ['crank', 'rod'], 'at': 'P'},"
             "  'Q': {'type': 'revolute', 'between': ['rod', 'block'], 'at': 'Q'}, 'guide': {'type': 'prismatic', "
             "'between': ['ground', 'block'], 'at': 'Q', 'axis': 'x'}}",
             angles[i]);
    snprintf(what, sizeof what, "a slider-crank at %g", angles[i]);
    check_text(model, 1, 0, what);
  }
}

/* joints said twice, and slides that are parallel */
TEST(rows_said_twice) {
  check_text("'bodies': {'a': {'rod': [[0, 0], [1, 0]], 'mass': 1}},"
             "'joints': {'p': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]}, 'q': {'type': "
             "'revolute', 'between': ['a', 'ground'], 'at': [0, 0]}}",
             1, 2, "a pin twice");
  check_text("'bodies': {'a': {'rod': [[0, 0], [1, 0]], 'mass': 1}},"
             "'joints': {'p': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]}, 'q': {'type': "
             "'revolute', 'between': ['ground', 'a'], 'at': [1, 0]}}",
             0, 1, "a rod pinned at both ends");
  check_text("'bodies': {'a': {'mass': 1, 'inertia': 1}},"
             "'joints': {'p': {'type': 'prismatic', 'between': ['ground', 'a'], 'at': [0, 0], 'axis': 'x'}, 'q': "
             "{'type': 'prismatic', 'between': ['ground', 'a'], 'at': [0, 1], 'axis': 'x'}}",
             1, 2, "two parallel slides");
  check_text("'bodies': {'a': {'mass': 1, 'inertia': 1}},"
             "'joints': {'p': {'type': 'prismatic', 'between': ['ground', 'a'], 'at': [0, 0], 'axis': 'x'}, 'q': "
             "{'type': 'prismatic', 'between': ['ground', 'a'], 'at': [0, 1], 'axis': 'y'}}",
             0, 1, "two slides across");
  check_text("'bodies': {'a': {'mass': 1, 'inertia': 1}},"
             "'joints': {'p': {'type': 'weld', 'between': ['ground', 'a'], 'at': [0, 0]}, 'q': {'type': 'weld', "
             "'between': ['ground', 'a'], 'at': [5, 0]},"
             "  'r': {'type': 'weld', 'between': ['a', 'ground'], 'at': [0, 5]}}",
             0, 6, "welded three times");
}

/* a loop of slides alone: its turning is held once too often */
TEST(a_loop_of_slides) {
  check_text("'bodies': {'a': {'mass': 1, 'inertia': 1}, 'b': {'mass': 1, 'inertia': 1, 'position': [1, 1]}},"
             "'joints': {'p': {'type': 'prismatic', 'between': ['ground', 'a'], 'at': [0, 0], 'axis': 'x'},"
             "  'q': {'type': 'prismatic', 'between': ['a', 'b'], 'at': [0, 1], 'axis': [1, 1]}, 'r': {'type': "
             "'prismatic', 'between': ['ground', 'b'], 'at': [1, 1], 'axis': 'y'}}",
             1, 1, "a wedge");
}

/* without redundancy 3 n - 2 j: chains of any length, open and closed, at random */
TEST(chains_at_random) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    build r;
    char model[5000], what[64];
    build_new(&r, seed);
    const int n = build_integer(&r, 1, 6);
    const bool closed = n >= 3 && build_integer(&r, 0, 1);
    size_t used = 0;
    double x[8] = {0}, y[8] = {0};
    for (int i = 1; i <= n; i++)
      x[i] = x[i - 1] + build_uniform(&r, -1, 1), y[i] = y[i - 1] + build_uniform(&r, 0.2, 1);
    used += (size_t)snprintf(model + used, sizeof model - used, "'bodies': {");
    for (int i = 1; i <= n; i++)
      used += (size_t)snprintf(model + used, sizeof model - used,
                               "%s'b%d': {'rod': [[%.17g, %.17g], [%.17g, %.17g]], 'mass': 1}", i > 1 ? "," : "", i,
                               x[i - 1], y[i - 1], x[i], y[i]);
    used += (size_t)snprintf(model + used, sizeof model - used,
                             "}, 'joints': {'j0': {'type': 'revolute', 'between': ['ground', 'b1'], 'at': [0, 0]}");
    for (int i = 1; i < n; i++)
      used += (size_t)snprintf(model + used, sizeof model - used,
                               ",'j%d': {'type': 'revolute', 'between': ['b%d', 'b%d'], 'at': [%.17g, %.17g]}", i, i,
                               i + 1, x[i], y[i]);
    if (closed)
      used += (size_t)snprintf(model + used, sizeof model - used,
                               ",'end': {'type': 'revolute', 'between': ['b%d', 'ground'], 'at': [%.17g, %.17g]}", n,
                               x[n], y[n]);
    snprintf(model + used, sizeof model - used, "}");
    snprintf(what, sizeof what, "a%s chain of %d", closed ? " closed" : "n open", n);
    check_text(model, closed ? n - 2 : n, 0, what);
    build_free(&r);
  }
}

/* every model, in both kinds of coordinates and whatever its start: the same freedom, and the same redundancy */
TEST(absolute_and_relative_agree_on_every_model) {
  static char name[64][64];
  const int n = build_models(name, 64);
  CHECK(n > 5);
  for (int i = 0; i < n; i++) {
    counted c[2] = {{-1, -1}, {-2, -2}};
    for (int relative = 0; relative < 2; relative++) {
      build b;
      build_new(&b, 1);
      build_read(&b, name[i]);
      if (relative) build_set(&b, "/coordinates", "\"relative\"");
      c[relative] = count(&b, name[i]);
      build_free(&b);
    }
    if (c[0].freedom != c[1].freedom || c[0].redundant != c[1].redundant)
      FAIL("%s: %d and %d degrees of freedom, %d and %d redundant rows", name[i], c[0].freedom, c[1].freedom,
           c[0].redundant, c[1].redundant);
  }
}

/* a state that is set is counted like a start */
TEST(a_state_that_is_set_flat_is_counted_too) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "braun_four_bars");
  check_count(&b, 1, 0, "two four-bars");
  const double flat[] = {1, 0, 2, 0, 3, 0}, rest[6] = {0};
  for (int assemble = 0; b.sim && assemble < 2; assemble++) {
    CHECK(tn_sim_set(b.sim, 0, flat, rest, assemble, &e) == TN_OK);
    CHECK(tn_sim_summary(b.sim)->degrees_of_freedom == 1 && tn_sim_summary(b.sim)->redundant_rows == 0);
    tn_eval eval;
    CHECK(tn_sim_eval(b.sim, &eval, &e) == TN_OK && eval.rank < 5); /* while here it is lower */
  }
  build_free(&b);
}

/* from flat it moves: with one degree of freedom, all bars alike or not, and the contract is kept */
TEST(what_starts_flat_runs) {
  build b;
  build_new(&b, 1);
  build_read(&b, "braun_four_bars");
  build_set(&b, "/bodies/p{i}/position", "[\"i\", 0]");
  build_set(&b, "/start", "{\"guess\": {\"p1.vy\": 0.5, \"p2.vy\": 0.5, \"p3.vy\": 0.5}}");
  build_set(&b, "/run/until", "1");
  build_table table = {0};
  CHECK(build_simulate(&b) && build_run(&b, &table));
  if (b.failed) printf("%s\n", b.message);
  if (!b.failed) CHECK(tn_sim_summary(b.sim)->contract_kept && tn_sim_summary(b.sim)->energy_balance < 1e-3);
  build_table_free(&table);
  build_free(&b);
}
