/* what a model is before it runs: sizes, freedom, the start, and of redundant rows the joints that they follow from - all of them
 * and no others. */
#include "support/build.h"
#include "test.h"

typedef struct page {
  char text[60000];
  size_t used;
  long calls, fail; /* the call number `fail` is refused */
} page;

static page paper;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (++p->calls == p->fail || p->used + size >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

static const char *check_text(build *b) {
  paper = (page){.used = 0};
  CHECK(tn_report_check_text(b->sim, "dir/m.json", to_page, &paper) == TN_OK);
  return paper.text;
}

/* read back; the description must be freed */
static tn_desc *check_json(build *b) {
  tn_desc *d = NULL;
  tn_error e;
  paper = (page){.used = 0};
  CHECK(tn_report_check_json(b->sim, "dir/m.json", to_page, &paper) == TN_OK);
  if (tn_desc_new(NULL, &d, &e)) abort();
  if (tn_desc_parse(d, "check", paper.text, paper.used, &e) != TN_OK) FAIL("%s at %d:%d", e.message, e.line, e.column);
  return d;
}

static const tn_node *member(const tn_desc *d, const char *key) {
  static const tn_node none = {.kind = TN_NODE_NULL, .text = "", .number = -1};
  const tn_node *node = tn_node_get(d->root, key);
  if (!node) FAIL("no \"%s\"", key);
  return node ? node : &none;
}

static void parse(build *b, const char *model) {
  char text[8000];
  snprintf(text, sizeof text, "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], %s}", model);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
}

static void start(build *b, const char *model) {
  parse(b, model);
  if (!build_simulate(b)) FAIL("%s", b->message);
}

/* ---- fields ------------------------------------------------------------------------------------------------------------- */

TEST(fields_of_a_good_model) {
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_simulate(&b));
  if (b.failed) return;
  tn_desc *d = check_json(&b);
  static const struct {
    const char *key;
    double value;
  } numbers[] = {{"bodies", 3},         {"joints", 4},
                 {"forces", 0},         {"coordinates", 9},
                 {"rows", 8},           {"nonholonomic_rows", 0},
                 {"rank", 8},           {"degrees_of_freedom", 1},
                 {"redundant_rows", 0}, {"until", 10},
                 {"every", 0.01},       {"rtol", 1e-8}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (member(d, numbers[i].key)->number != numbers[i].value)
      FAIL("%s is %g, not %g", numbers[i].key, member(d, numbers[i].key)->number, numbers[i].value);
  CHECK(member(d, "atol")->kind == TN_NODE_NULL && tn_node_get(d->root, "atol"));
  CHECK_TEXT(member(d, "atol_reason")->text, "not given");
  CHECK_TEXT(member(d, "tenon")->text, TN_VERSION);
  CHECK_TEXT(member(d, "model")->text, "dir/m.json");
  CHECK_TEXT(member(d, "title")->text, b.model->title);
  CHECK_TEXT(member(d, "coordinate_kind")->text, "absolute");
  CHECK_TEXT(member(d, "method")->text, "project");
  CHECK_TEXT(member(d, "integrator")->text, "dopri5");
  CHECK_TEXT(member(d, "status")->text, "good");
  CHECK(!tn_node_get(d->root, "message"));
  CHECK(member(d, "length")->number == b.model->length && member(d, "redundant")->size == 0);
  CHECK(member(d, "kinetic")->number == build_channel(&b, "energy.kinetic") && member(d, "kinetic")->number > 1);
  CHECK(member(d, "potential")->number == build_channel(&b, "energy.potential"));
  CHECK(member(d, "start_violation")->number < 1e-14 && member(d, "start_moved")->number < 1e-14);
  const tn_node *contract = member(d, "contract"), *channels = member(d, "channels"), *tip = tn_node_item(channels, 1),
                *load = tn_node_item(channels, 3);
  CHECK(tn_node_get(contract, "position")->number == 1e-8 && tn_node_get(contract, "velocity")->number == 1e-6);
  CHECK(channels->size == 4 && tip && load);
  if (tip && load) {
    CHECK_TEXT(tn_node_get(tip, "name")->text, "tip.x");
    CHECK_TEXT(tn_node_get(tip, "unit")->text, "m");
    CHECK_TEXT(tn_node_get(load, "unit")->text, "N");
  }
  CHECK(member(d, "warnings")->kind == TN_NODE_LIST && member(d, "warnings")->size == 0);
  tn_desc_free(d);
  const char *text = check_text(&b);
  static const char *const parts[] = {"dir/m.json: crank-rocker",
                                      "3 bodies, 4 joints, 0 forces; 9 coordinates (absolute)",
                                      "8 rows, rank 8; degrees of freedom: 1\n",
                                      "nothing had to move",
                                      "energy at the start: kinetic ",
                                      "method project: --formulation augmented",
                                      "contract: position 1e-08, velocity 1e-06, stop"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) CHECK_HAS(text, parts[i]);
  CHECK(!strstr(text, "redundant") && !strstr(text, "warning"));
  build_free(&b);
}

TEST(fields_that_differ) {
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/coordinates", "\"relative\"");
  build_set(&b, "/run",
            "{\"until\": 2, \"every\": 0.5, \"integrator\": {\"type\": \"rk4\", \"step\": 0.01}, \"stabilize\": "
            "[{\"type\": \"baumgarte\", \"alpha\": 5, \"beta\": 6}, \"none\"],"
            "\"contract\": {\"position\": 1e-3, \"breach\": \"record\"}}");
  tn_desc_remove(b.desc, "/gravity");
  CHECK(build_simulate(&b));
  if (b.failed) printf("%s\n", b.message);
  if (b.failed) return;
  tn_desc *d = check_json(&b);
  CHECK_TEXT(member(d, "coordinate_kind")->text, "relative");
  CHECK(member(d, "coordinates")->number == 3 && member(d, "rows")->number == 2 &&
        member(d, "degrees_of_freedom")->number == 1);
  CHECK(member(d, "step")->number == 0.01 && !tn_node_get(d->root, "rtol") && member(d, "stabilizers")->size == 2);
  CHECK_TEXT(member(d, "method")->text, "custom");
  CHECK(tn_node_get(member(d, "contract"), "position")->number == 1e-3);
  CHECK_TEXT(tn_node_get(member(d, "contract"), "breach")->text, "record");
  CHECK(member(d, "warnings")->size == 1);
  tn_desc_free(d);
  CHECK_HAS(check_text(&b), "3 coordinates (relative)");
  CHECK_HAS(check_text(&b), ", record\n");
  CHECK_HAS(check_text(&b), "warning: no gravity");
  build_free(&b);
}

TEST(every_model_can_be_checked) {
  static char name[64][64];
  const int n = build_models(name, 64);
  CHECK(n > 5);
  for (int i = 0; i < n; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, name[i]);
    CHECK(build_simulate(&b));
    if (!b.failed) {
      tn_desc *d = check_json(&b);
      const tn_summary *s = tn_sim_summary(b.sim);
      CHECK(member(d, "degrees_of_freedom")->number == s->degrees_of_freedom &&
            member(d, "redundant_rows")->number == s->redundant_rows);
      const int off = (int)member(d, "rows_switched_off")->number; /* a joint that begins so */
      CHECK(off == (strcmp(name[i], "clutch") == 0));
      CHECK(member(d, "rank")->number == b.model->rows - off - s->redundant_rows);
      CHECK(member(d, "start_violation")->number == s->start_violation &&
            member(d, "start_moved")->number == s->start_moved);
      tn_desc_free(d);
      CHECK(strlen(check_text(&b)) > 200);
    }
    build_free(&b);
  }
}

/* ---- redundant rows -------------------------------------------------------------------------------------------------------- */

enum { MOST = 96 };

/* rank of some rows of A, by elimination with both exchanges */
static int rank_of(int n, int nu, const double *A) {
  static double U[MOST * MOST];
  int rank = 0;
  memcpy(U, A, sizeof *U * (size_t)(n * nu));
  for (; rank < n && rank < nu; rank++) {
    int row = rank, column = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < nu; j++)
        if (fabs(U[i * nu + j]) > fabs(U[row * nu + column])) row = i, column = j;
    if (!(fabs(U[row * nu + column]) > 1e-9)) break;
    for (int j = 0; j < nu; j++) {
      const double swap = U[rank * nu + j];
      U[rank * nu + j] = U[row * nu + j], U[row * nu + j] = swap;
    }
    for (int i = 0; i < n; i++) {
      const double swap = U[i * nu + rank];
      U[i * nu + rank] = U[i * nu + column], U[i * nu + column] = swap;
    }
    for (int i = rank + 1; i < n; i++)
      for (int j = nu - 1; j >= rank; j--) U[i * nu + j] -= U[i * nu + rank] / U[rank * nu + rank] * U[rank * nu + j];
  }
  return rank;
}

/* rows of these joints that the others of them imply */
static int surplus(build *b, const tn_eval *e, int n, const char *const *joints) {
  static double A[MOST * MOST];
  int rows = 0;
  (void)b;
  for (int i = 0; i < e->rows; i++)
    for (int k = 0; k < n; k++)
      if (strcmp(joints[k], tn_sim_row_joint(b->sim, i)) == 0) {
        memcpy(A + rows++ * e->speeds, e->A + i * e->speeds, sizeof *A * (size_t)e->speeds);
        break;
      }
  return rows - rank_of(rows, e->speeds, A);
}

/* every entry: the rows do follow from the joints that are named, and from no fewer; `innocent` (ends with NULL) are named nowhere.
 * returns the rows that are accounted for */
static int check_redundant(build *b, const char *const *innocent, const char *what) {
  tn_desc *d = check_json(b);
  tn_eval e;
  int total = 0;
  const tn_node *list = member(d, "redundant");
  CHECK(tn_sim_eval(b->sim, &e, NULL) == TN_OK && list->kind == TN_NODE_LIST);
  for (const tn_node *k = list->first; k; k = k->next) {
    const tn_node *joint = tn_node_get(k, "joint"), *rows = tn_node_get(k, "rows"),
                  *from = tn_node_get(k, "follows_from");
    const char *names[MOST];
    int n = 0;
    if (!joint || !rows || !from || from->size >= MOST) {
      FAIL("%s: an entry without joint, rows or follows_from", what);
      break;
    }
    total += (int)rows->number;
    names[n++] = joint->text;
    for (const tn_node *f = from->first; f; f = f->next) {
      CHECK(strcmp(f->text, joint->text) != 0);
      for (int i = 0; i < n; i++) CHECK(strcmp(names[i], f->text) != 0); /* once each */
      names[n++] = f->text;
    }
    for (int i = 0; i < n; i++)
      for (const char *const *other = innocent; other && *other; other++)
        if (strcmp(names[i], *other) == 0) FAIL("%s: '%s' has nothing to do with it", what, *other);
    const int all = surplus(b, &e, n, names);
    if (all < (int)rows->number)
      FAIL("%s: %g rows of '%s' do not follow from the %d joints named", what, rows->number, joint->text, n - 1);
    for (int out = 1; out < n; out++) { /* each of them is needed */
      const char *fewer[MOST];
      int m = 0;
      for (int i = 0; i < n; i++)
        if (i != out) fewer[m++] = names[i];
      if (surplus(b, &e, m, fewer) >= all) FAIL("%s: '%s' is named and not needed", what, names[out]);
    }
  }
  CHECK(total == tn_sim_summary(b->sim)->redundant_rows);
  tn_desc_free(d);
  return total;
}

/* three cranks and beside them a pendulum, a chain and a four-bar that are nobody's business */
TEST(the_joints_of_the_loop_and_no_others) {
  static const char *const innocent[] = {"pin", "arm1", "arm2", "fA", "fB", "fC", "fD", "motor", NULL};
  build b;
  start(&b, "'constants': {'a': 0.7},"
            "'points': {'A{i}': {'repeat': 'i=0..2', 'at': ['2*i', 0]}, 'B{i}': {'repeat': 'i=0..2', 'at': ['2*i + "
            "cos(a)', 'sin(a)']}},"
            "'bodies': {'pend': {'rod': [[9, 0], [10, 0]], 'mass': 1}, 'crank{i}': {'repeat': 'i=0..2', 'rod': "
            "['A{i}', 'B{i}'], 'mass': '1+i'},"
            "  'coupler': {'rod': ['B0', 'B2'], 'mass': 1}, 'arm': {'rod': [[0, 5], [1, 5]], 'mass': 1}, 'hand': "
            "{'rod': [[1, 5], [1, 6]], 'mass': 1},"
            "  'f1': {'rod': [[0, 9], [0, 10]], 'mass': 1}, 'f2': {'rod': [[0, 10], [3, 11]], 'mass': 1}, 'f3': "
            "{'rod': [[4, 9], [3, 11]], 'mass': 1}},"
            "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'pend'], 'at': [9, 0]},"
            "  'low{i}': {'repeat': 'i=0..2', 'type': 'revolute', 'between': ['ground', 'crank{i}'], 'at': 'A{i}'},"
            "  'arm1': {'type': 'revolute', 'between': ['ground', 'arm'], 'at': [0, 5]},"
            "  'high{i}': {'repeat': 'i=0..2', 'type': 'revolute', 'between': ['crank{i}', 'coupler'], 'at': 'B{i}'},"
            "  'arm2': {'type': 'revolute', 'between': ['arm', 'hand'], 'at': [1, 5]},"
            "  'fA': {'type': 'revolute', 'between': ['ground', 'f1'], 'at': [0, 9]}, 'fB': {'type': 'revolute', "
            "'between': ['f1', 'f2'], 'at': [0, 10]},"
            "  'fC': {'type': 'revolute', 'between': ['f2', 'f3'], 'at': [3, 11]}, 'fD': {'type': 'revolute', "
            "'between': ['ground', 'f3'], 'at': [4, 9]},"
            "  'motor': {'type': 'driver', 'on': 'fA.angle', 'value': 't'}}");
  if (b.failed) return;
  CHECK(check_redundant(&b, innocent, "three cranks") == 1);
  tn_desc *d = check_json(&b);
  const tn_node *entry = tn_node_item(member(d, "redundant"), 0);
  CHECK(entry && tn_node_get(entry, "follows_from")->size == 5); /* low and high, all six */
  CHECK(member(d, "redundant")->size == 1 && member(d, "rank")->number == b.model->rows - 1);
  const char *joint = entry ? tn_node_get(entry, "joint")->text : "";
  char line[128];
  snprintf(line, sizeof line, "    a row of joint '%s' follows from '", joint);
  CHECK_HAS(check_text(&b), line);
  CHECK_HAS(check_text(&b), "  1 redundant row:\n");
  tn_desc_free(d);
  build_free(&b);
}

/* two loops, each with its own */
TEST(each_loop_names_its_own) {
  build b;
  start(&b, "'bodies': {'a': {'mass': 1, 'inertia': 1}, 'b': {'mass': 1, 'inertia': 1, 'position': [1, 1]},"
            "  'c': {'rod': [[5, 0], [6, 0]], 'mass': 1}, 'd': {'mass': 1, 'inertia': 2, 'position': [8, 8]}},"
            "'joints': {'p': {'type': 'prismatic', 'between': ['ground', 'a'], 'at': [0, 0], 'axis': 'x'},"
            "  'q': {'type': 'prismatic', 'between': ['a', 'b'], 'at': [0, 1], 'axis': [1, 1]}, 'r': {'type': "
            "'prismatic', 'between': ['ground', 'b'], 'at': [1, 1], 'axis': 'y'},"
            "  'u': {'type': 'revolute', 'between': ['ground', 'c'], 'at': [5, 0]}, 'v': {'type': 'revolute', "
            "'between': ['ground', 'c'], 'at': [6, 0]},"
            "  'w': {'type': 'weld', 'between': ['ground', 'd'], 'at': [8, 8]}, 'x': {'type': 'weld', 'between': "
            "['ground', 'd'], 'at': [9, 9]}}");
  if (b.failed) return;
  CHECK(check_redundant(&b, NULL, "loops") == 5);
  tn_desc *d = check_json(&b);
  static const char *const loops[][4] = {{"p", "q", "r", NULL}, {"u", "v", NULL, NULL}, {"w", "x", NULL, NULL}};
  for (const tn_node *k = member(d, "redundant")->first; k; k = k->next) {
    const char *joint = tn_node_get(k, "joint")->text;
    for (int i = 0; i < 3; i++) {
      bool mine = false;
      for (int j = 0; loops[i][j]; j++) mine = mine || strcmp(loops[i][j], joint) == 0;
      for (const tn_node *f = tn_node_get(k, "follows_from")->first; f; f = f->next) {
        bool inside = false;
        for (int j = 0; loops[i][j]; j++) inside = inside || strcmp(loops[i][j], f->text) == 0;
        if (inside != mine) FAIL("'%s' follows from '%s'", joint, f->text);
      }
    }
  }
  tn_desc_free(d);
  CHECK_HAS(check_text(&b), "rows of joint '"); /* all three of a weld at once */
  CHECK_HAS(check_text(&b), "  5 redundant rows:\n");
  build_free(&b);
}

/* in relative coordinates only the joints that close loops have rows */
TEST(in_relative_coordinates_too) {
  build b;
  parse(
      &b,
      "'coordinates': 'relative', 'constants': {'a': 0.7},"
      "'points': {'A{i}': {'repeat': 'i=0..3', 'at': ['2*i', 0]}, 'B{i}': {'repeat': 'i=0..3', 'at': ['2*i + cos(a)', "
      "'sin(a)']}},"
      "'bodies': {'crank{i}': {'repeat': 'i=0..3', 'rod': ['A{i}', 'B{i}'], 'mass': 1}, 'coupler': {'rod': ['B0', "
      "'B3'], 'mass': 1}},"
      "'joints': {'low{i}': {'repeat': 'i=0..3', 'type': 'revolute', 'between': ['ground', 'crank{i}'], 'at': 'A{i}'},"
      "  'high{i}': {'repeat': 'i=0..3', 'type': 'revolute', 'between': ['crank{i}', 'coupler'], 'at': 'B{i}'}}");
  CHECK(build_simulate(&b));
  if (!b.failed) CHECK(check_redundant(&b, NULL, "relative") == 2);
  build_free(&b);
}

/* one loop of many slides: its turning is held once too often, and every joint has a part in it */
TEST(a_loop_of_many_joints_is_named_in_full) {
  static const int sizes[] = {3, 8, 12, 13, 14, 15, 20, 28};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int n = sizes[i];
    char model[3000];
    build b;
    snprintf(model, sizeof model,
             "'constants': {'N': %d}, 'bodies': {'s{i}': {'repeat': 'i=1..N', 'mass': 1, 'inertia': 1, 'position': "
             "['i', 'i^2/N']}},"
             "'joints': {'first': {'type': 'prismatic', 'between': ['ground', 's1'], 'at': 's1', 'axis': ['cos(1)', "
             "'sin(1)']},"
             "  'j{i}': {'repeat': 'i=1..N-1', 'type': 'prismatic', 'between': ['s{i}', 's{i+1}'], 'at': 's{i}', "
             "'axis': ['cos(2*i)', 'sin(2*i)']},"
             "  'last': {'type': 'prismatic', 'between': ['s{N}', 'ground'], 'at': 's1', 'axis': ['cos(5)', 'sin(5)'], "
             "'repeat': 'k=1..1'}}",
             n);
    start(&b, model);
    if (b.failed) continue;
    CHECK(tn_sim_summary(b.sim)->redundant_rows == 1);
    tn_desc *d = check_json(&b);
    const tn_node *entry = tn_node_item(member(d, "redundant"), 0),
                  *from = entry ? tn_node_get(entry, "follows_from") : NULL;
    if (!from || (int)from->size != n)
      FAIL("a loop of %d joints: %d are named besides the one", n + 1, from ? (int)from->size : -1);
    tn_desc_free(d);
    const char *text = check_text(&b);
    char more[32];
    snprintf(more, sizeof more, " and %d more\n", n - 12);
    if (n > 12) CHECK_HAS(text, more); /* for people a dozen is enough */
    if (n <= 12) CHECK(!strstr(text, " more\n"));
    build_free(&b);
  }
}

/* within one joint: nothing else to name */
TEST(a_joint_that_contradicts_nobody_but_itself) {
  build b;
  start(&b, "'bodies': {'p': {'mass': 1, 'position': [1, 2], 'coordinates': 'point'}},"
            "'joints': {'a': {'type': 'coordinate', 'terms': {'p.x': 1}, 'value': 1}, 'b': {'type': 'coordinate', "
            "'terms': {'p.x': 2}, 'value': 2},"
            "  'c': {'type': 'driver', 'on': 'p.y', 'value': 2}}");
  if (b.failed) return;
  CHECK(check_redundant(&b, (const char *const[]){"c", NULL}, "said twice") == 1);
  build_free(&b);
}

/* laid flat: the rows that are redundant there and nowhere else are not redundant */
TEST(a_flat_start_is_not_redundant) {
  build b;
  build_new(&b, 1);
  build_read(&b, "braun_four_bars");
  build_set(&b, "/bodies/p{i}/position", "[\"i\", 0]");
  tn_desc_remove(b.desc, "/start");
  CHECK(build_simulate(&b));
  if (!b.failed) {
    tn_desc *d = check_json(&b);
    CHECK(member(d, "redundant_rows")->number == 0 && member(d, "redundant")->size == 0 &&
          member(d, "degrees_of_freedom")->number == 1);
    tn_desc_free(d);
    CHECK(!strstr(check_text(&b), "redundant"));
  }
  build_free(&b);
}

/* ---- the start -------------------------------------------------------------------------------------------------------------- */

/* two assemblies. Their lengths are 0.6 m ('a') and 0.5 m ('b'), from the joint to the mass centre: the gaps are 1/6 and 1/50 of them */
static const char open_pose[] =
    "'bodies': {'a': {'mass': 1, 'inertia': 1, 'position': [0.1, 0], 'center': [0.5, 0]},"
    "  'b': {'mass': 1, 'inertia': 1, 'position': [1, 0], 'center': [0.5, 0]}},"
    "'joints': {'near': {'type': 'revolute', 'between': ['ground', 'b'], 'on_bodies': [[1.01, 0], [0, 0]]},"
    "  'far': {'type': 'revolute', 'between': ['ground', 'a'], 'on_bodies': [[0, 0], [0, 0]]}}, 'start': {%s}";

TEST(a_start_that_is_assembled) {
  build b;
  char model[1000];
  snprintf(model, sizeof model, open_pose, "");
  start(&b, model);
  if (b.failed) return;
  tn_desc *d = check_json(&b);
  CHECK_NEAR(b.model->row_scale[0], 1, 1e-12); /* radius of gyration, m: more than the distances of places */
  CHECK_NEAR(b.model->row_scale[2], 1, 1e-12);
  CHECK_NEAR(member(d, "start_violation")->number, 0.1, 1e-12);
  CHECK_TEXT(member(d, "start_violation_joint")->text, "far");
  CHECK_NEAR(member(d, "start_moved")->number, 0.1, 1e-12);
  CHECK_TEXT(member(d, "start_moved_name")->text, "a.x");
  const tn_node *moves = member(d, "start_moves");
  CHECK(moves->size == 2 && member(d, "start_moves_more")->number == 0);
  CHECK_TEXT(tn_node_get(moves->first, "name")->text, "a.x");
  CHECK_NEAR(tn_node_get(moves->first, "by")->number, -0.1, 1e-12);
  CHECK_TEXT(tn_node_get(moves->last, "name")->text, "b.x");
  tn_desc_free(d);
  CHECK_HAS(
      check_text(&b),
      "off by 0.1 m (joint 'far'); assembled, a.x moved most, by 0.1 m\n    moved: a.x by -0.1 m, b.x by 0.01 m\n");
  build_free(&b);
}

TEST(a_start_that_is_kept_as_given) {
  build b;
  char model[1000];
  snprintf(model, sizeof model, open_pose, "'mode': 'as-given'");
  start(&b, model);
  if (b.failed) return;
  tn_desc *d = check_json(&b);
  CHECK_NEAR(member(d, "start_violation")->number, 0.1, 1e-12);
  CHECK(member(d, "start_moved")->number == 0);
  CHECK_TEXT(member(d, "start_violation_joint")->text, "far");
  CHECK_TEXT(member(d, "status")->text, "good");
  tn_desc_free(d);
  CHECK_HAS(check_text(&b), "off by 0.1 m (joint 'far'); kept as given\n");
  build_free(&b);
}

TEST(a_start_that_cannot_be) {
  build b;
  tn_error e;
  parse(&b, "'bodies': {'p': {'mass': 1, 'position': [1, 0], 'coordinates': 'point'}},"
            "'joints': {'a': {'type': 'distance', 'between': ['ground', 'p'], 'at': [[0, 0]]}, 'b': {'type': "
            "'distance', 'between': ['ground', 'p'], 'at': [[0, 0]], 'length': 2}}");
  CHECK(build_compile(&b) && tn_sim_new(b.model, &b.sim, &e) == TN_OK);
  if (!b.sim) return;
  /* before: what is known without a start */
  tn_desc *d = check_json(&b);
  CHECK(member(d, "rows")->number == 2 && member(d, "bodies")->number == 1 && !tn_node_get(d->root, "rank") &&
        !tn_node_get(d->root, "degrees_of_freedom"));
  tn_desc_free(d);
  CHECK_HAS(check_text(&b), "constraints: 2 rows\n");
  /* after: and why */
  CHECK(tn_sim_start(b.sim, &e) == TN_E_MODEL);
  d = check_json(&b);
  CHECK_TEXT(member(d, "status")->text, "refused");
  CHECK_HAS(member(d, "message")->text, "the start cannot be assembled");
  CHECK(member(d, "rows")->number == 2 && !tn_node_get(d->root, "rank") && member(d, "channels")->size > 1);
  CHECK_TEXT(member(d, "method")->text, "project");
  tn_desc_free(d);
  CHECK_HAS(check_text(&b), "1 body, 2 joints");
  build_free(&b);
}

/* ---- writing ---------------------------------------------------------------------------------------------------------------- */

TEST(a_write_that_fails_is_an_error_wherever_it_fails) {
  build b;
  start(&b, "'bodies': {'d': {'mass': 1, 'inertia': 2, 'position': [8, 8], 'angle': 90}},"
            "'joints': {'w': {'type': 'weld', 'between': ['ground', 'd'], 'at': [8, 8]}, 'x': {'type': 'weld', "
            "'between': ['ground', 'd'], 'at': [9, 9]}}");
  for (int json = 0; json < 2 && !b.failed; json++) {
    static page p;
    tn_status (*report)(tn_sim *, const char *, tn_write, void *) = json ? tn_report_check_json : tn_report_check_text;
    p = (page){.used = 0};
    CHECK(report(b.sim, "m", to_page, &p) == TN_OK && p.text[p.used - 1] == '\n');
    const long calls = p.calls;
    for (long n = 1; n <= calls; n++) {
      p = (page){.fail = n};
      CHECK(report(b.sim, "m", to_page, &p) == TN_E_IO && p.calls == n);
    }
  }
  build_free(&b);
}

/* to look is not to touch */
TEST(a_check_changes_nothing) {
  build a, b;
  build_table one = {0}, two = {0};
  for (int k = 0; k < 2; k++) {
    build *x = k ? &b : &a;
    build_new(x, 1);
    build_read(x, "biped_3"); /* with rows to spare */
    build_set(x, "/run/until", "0.2");
    CHECK(build_simulate(x));
  }
  if (!a.failed && !b.failed) {
    tn_desc_free(check_json(&b));
    check_text(&b);
    CHECK(build_run(&a, &one) && build_run(&b, &two) && one.rows == two.rows);
    CHECK(one.rows &&
          memcmp(one.value, two.value, sizeof *one.value * (size_t)one.rows * (size_t)(one.columns + 1)) == 0);
  }
  build_table_free(&one);
  build_table_free(&two);
  build_free(&a);
  build_free(&b);
}

/* ---- reactions that redundant rows leave open: test/simulate/test_unique.c has the sets, here is how they are told ---- */

TEST(reactions_that_are_open) {
  build b;
  build_new(&b, 1);
  build_read(&b, "door");
  CHECK(build_simulate(&b));
  if (b.failed) return;
  CHECK_HAS(check_text(&b), "    joint 'lower': fx fy fz tx ty tz; in its own axes fx fy fz tx ty\n");
  tn_desc *d = check_json(&b);
  const tn_node *upper = tn_node_item(member(d, "reactions"), 1);
  CHECK(member(d, "reactions")->size == 2 && upper);
  CHECK_TEXT(tn_node_get(upper, "joint")->text, "upper");
  CHECK(tn_node_get(upper, "not_unique")->size == 6 && tn_node_get(upper, "not_unique_in_its_axes")->size == 5);
  CHECK_TEXT(tn_node_item(tn_node_get(upper, "not_unique_in_its_axes"), 4)->text, "ty");
  tn_desc_free(d);
  build_free(&b);

  build_new(&b, 1);
  build_read(&b, "gear_train_four_meshes");
  CHECK(build_simulate(&b));
  if (b.failed) return;
  CHECK_HAS(check_text(&b), "    joint 'pin1': fx fy; in its own axes fy\n");
  CHECK_HAS(check_text(&b), "    joint 'mesh1': load fx fy tz\n");
  build_free(&b);

  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_simulate(&b));
  if (b.failed) return;
  CHECK(!strstr(check_text(&b), "not unique"));
  d = check_json(&b);
  CHECK(member(d, "reactions")->size == 4);
  CHECK(tn_node_get(tn_node_item(member(d, "reactions"), 0), "not_unique")->size == 0);
  tn_desc_free(d);
  build_free(&b);
}

/* in relative coordinates the joints that carry the bodies have no rows, and are named all the same */
TEST(rows_that_joints_in_the_tree_keep) {
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar_in_space");
  build_set(&b, "/coordinates", "\"relative\"");
  CHECK(build_simulate(&b));
  if (b.failed) return;
  CHECK_HAS(check_text(&b), "    3 rows of joint 'hinge_d' follow from 'hinge_a', 'hinge_b', 'hinge_c'\n");
  build_free(&b);
}
