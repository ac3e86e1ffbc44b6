/* the same mechanism in space told in other ways moves the same: the world turned and moved, names changed, bodies and joints in
 * another order, the bodies of joints named in the other order, a body made of two welded halves. dopri5 at 1e-12, `project`. */
#include "base/base.h"
#include "support/reference.h"

#include "test.h"

typedef struct body {
  const char *name;
  double r[3], mass, center[3], inertia[3];
} body;

typedef struct joint {
  const char *name, *type;
  const char *first, *second;
  double at[3];
  const char *key; /* axis, axes, normal, or NULL */
  double e[2][3];
  const char *more;
} joint;

/* a loop of revolute, spherical, universal, revolute; on its rocker a slider that turns, on that a nut on a screw; on the coupler a
 * plate in a planar joint with a ball on a distance */
static const body bodies[] = {{"crank", {0, 0, 0}, 1.2, {0.1, 0.02, 0.05}, {0.02, 0.03, 0.04}},
                              {"coupler", {0.3, 0.1, 0.2}, 0.8, {0.4, 0.1, -0.1}, {0.03, 0.05, 0.06}},
                              {"rocker", {1.2, 0.5, 0}, 1.5, {-0.1, 0.05, 0.2}, {0.05, 0.04, 0.03}},
                              {"slider", {1.2, 0.6, 0.5}, 0.4, {0.01, 0, 0.02}, {0.004, 0.003, 0.005}},
                              {"nut", {1.3, 0.6, 0.5}, 0.3, {0, 0.02, 0.01}, {0.002, 0.003, 0.002}},
                              {"plate", {0.6, 0.3, 0.1}, 0.2, {0.03, 0.01, 0}, {0.001, 0.002, 0.0025}}};
static const joint joints[] = {
    {"A", "revolute", "ground", "crank", {0, 0, 0}, "axis", {{0.2, -0.3, 1}}, NULL},
    {"B", "spherical", "crank", "coupler", {0.3, 0.1, 0.2}, NULL, {{0}}, NULL},
    {"C", "universal", "coupler", "rocker", {1.1, 0.3, 0.4}, "axes", {{0, 1, 0}, {1, 0, 0.5}}, NULL},
    {"D", "revolute", "ground", "rocker", {1.2, 0.5, 0}, "axis", {{-0.4, 0.2, 1}}, NULL},
    {"E", "cylindrical", "rocker", "slider", {1.2, 0.6, 0.5}, "axis", {{0.3, 1, 0.2}}, NULL},
    {"F", "screw", "slider", "nut", {1.3, 0.6, 0.5}, "axis", {{1, 0.2, 0.1}}, ", \"pitch\": 0.05"},
    {"G", "planar", "coupler", "plate", {0.6, 0.3, 0.1}, "normal", {{0.2, 0.3, 1}}, NULL}};
enum { BODIES = sizeof bodies / sizeof *bodies, JOINTS = sizeof joints / sizeof *joints };

typedef struct way {
  double A[9], move[3]; /* the world turned, then moved */
  const char *prefix;   /* of names */
  bool reversed;        /* order of bodies and joints */
  bool turned;          /* first and second of joints exchanged */
  bool split;           /* the coupler in two halves */
  bool relative;
} way;

static void put_vector(char *text, size_t size, const way *w, const double v[3], bool place) {
  double x[3];
  tn_turn3(w->A, v, x);
  if (place) tn_axpy3(1, w->move, x);
  snprintf(text, size, "[%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
}

static void put_body(char *text, size_t size, const way *w, const body *b, bool half) {
  char r[96];
  double e[4];
  const double share = (w->split && strcmp(b->name, "coupler") == 0) ? (half ? 0.3 : 0.7) : 1;
  put_vector(r, sizeof r, w, b->r, true);
  tn_rotation_quaternion(w->A, e);
  const size_t n = strlen(text);
  snprintf(text + n, size - n,
           "\"%s%s%s\": {\"position\": %s, \"quaternion\": [%.17g, %.17g, %.17g, %.17g], \"mass\": %.17g, \"center\": "
           "[%.17g, %.17g, %.17g], \"inertia\": [%.17g, %.17g, %.17g]},\n",
           w->prefix, b->name, half ? "_half" : "", r, e[0], e[1], e[2], e[3], share * b->mass, b->center[0],
           b->center[1], b->center[2], share * b->inertia[0], share * b->inertia[1], share * b->inertia[2]);
}

static void put_joint(char *text, size_t size, const way *w, const joint *j) {
  char at[96], e[2][96];
  const bool pair = j->key && strcmp(j->key, "axes") == 0, turned = w->turned && strcmp(j->type, "planar") != 0;
  const char *first = turned ? j->second : j->first, *second = turned ? j->first : j->second;
  put_vector(at, sizeof at, w, j->at, true);
  for (int k = 0; k < 2; k++) put_vector(e[k], sizeof e[k], w, j->e[pair && turned ? 1 - k : k], false);
  size_t n = strlen(text);
  n +=
      (size_t)snprintf(text + n, size - n, "\"%s%s\": {\"type\": \"%s\", \"between\": [\"%s%s\", \"%s%s\"], \"at\": %s",
                       w->prefix, j->name, j->type, strcmp(first, "ground") ? w->prefix : "", first,
                       strcmp(second, "ground") ? w->prefix : "", second, at);
  if (pair)
    n += (size_t)snprintf(text + n, size - n, ", \"axes\": [%s, %s]", e[0], e[1]);
  else if (j->key)
    n += (size_t)snprintf(text + n, size - n, ", \"%s\": %s", j->key, e[0]);
  snprintf(text + n, size - n, "%s},\n", j->more ? j->more : "");
}

static void close_list(char *text, size_t size) {
  text[strlen(text) - 2] = 0; /* the last comma */
  snprintf(text + strlen(text), size - strlen(text), "},\n");
}

static void model_text(const way *w, char *text, size_t size) {
  char g[96];
  const double gravity[3] = {0.5, -1, -9.5};
  put_vector(g, sizeof g, w, gravity, false);
  snprintf(text, size, "{\"tenon\": 1, \"dimension\": 3, \"gravity\": %s, \"coordinates\": \"%s\",\n\"bodies\": {", g,
           w->relative ? "relative" : "absolute");
  for (int i = 0; i < BODIES; i++) put_body(text, size, w, &bodies[w->reversed ? BODIES - 1 - i : i], false);
  if (w->split) put_body(text, size, w, &bodies[1], true);
  close_list(text, size);
  snprintf(text + strlen(text), size - strlen(text), "\"joints\": {");
  for (int i = 0; i < JOINTS; i++) put_joint(text, size, w, &joints[w->reversed ? JOINTS - 1 - i : i]);
  if (w->split)
    snprintf(text + strlen(text), size - strlen(text),
             "\"%sseam\": {\"type\": \"weld\", \"between\": [\"%scoupler\", \"%scoupler_half\"]},\n", w->prefix,
             w->prefix, w->prefix);
  close_list(text, size);
  /* a spring, and a torque about the crank's axis */
  char p[2][96], axis[96];
  const double ends[2][3] = {{0.5, 0.5, 0.6}, {0.7, 0.2, 0.1}};
  for (int k = 0; k < 2; k++) put_vector(p[k], sizeof p[k], w, ends[k], true);
  put_vector(axis, sizeof axis, w, joints[0].e[0], false);
  const char *x = w->prefix, *s = w->turned ? "-" : "";
  snprintf(
      text + strlen(text), size - strlen(text),
      "\"forces\": {\"%sspring\": {\"type\": \"spring\", \"between\": [\"ground\", \"%splate\"], \"at\": [%s, %s], "
      "\"stiffness\": 40, \"damping\": 0.3}, \"%sdrive\": {\"type\": \"torque\", \"on\": \"%scrank\", \"about\": "
      "%s, \"value\": \"0.3*cos(2*t)\"}},\n"
      "\"start\": {\"%sA.rate\": %s2, \"%sE.speed\": %s0.1, \"%sF.rate\": %s3, \"%sE.rate\": %s0.5},\n",
      x, x, p[0], p[1], x, x, axis, x, s, x, s, x, s, x, s);
  snprintf(
      text + strlen(text), size - strlen(text),
      "\"outputs\": {\"a\": \"%s%sA.angle\", \"b\": \"%s%sD.angle\", \"c\": \"%s%sE.shift\", \"d\": \"%s%sE.angle\", "
      "\"e\": \"%s%sF.angle\", \"u\": \"%s%sC.angle%d\", \"ar\": \"%s%sA.rate\", \"f\": \"norm(force(%sD))\", \"n\": "
      "\"norm(velocity(%splate))\", \"T\": \"energy.kinetic\"},\n\"run\": {\"until\": 2, \"every\": 0.05}}",
      s, x, s, x, s, x, s, x, s, x, s, x, w->turned ? 2 : 1, s, x, x, x);
}

static bool run(const way *w, ref_table *got) {
  static char text[20000];
  char integrator[96];
  ref_tolerance(integrator, 1e-12);
  const ref_change changes[] = {{"/run/integrator", integrator}, {NULL, NULL}};
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_summary sum = {0};
  model_text(w, text, sizeof text);
  const bool ok = ref_desc(text, changes, &desc) && ref_compile(desc, &model) && ref_run(model, got, &sum);
  if (!ok) printf("%s\n", text);
  CHECK(sum.degrees_of_freedom == 7);
  CHECK_NEAR(sum.energy_balance, 0, 1e-10);
  tn_model_free(model);
  tn_desc_free(desc);
  return ok;
}

static const way plain = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .prefix = ""};

static void same(const char *what, const way *w) {
  ref_table a = {0}, b = {0};
  char where[128] = "";
  CHECK(run(&plain, &a));
  CHECK(run(w, &b));
  const double off = ref_distance(&b, &a, "a b c d e u ar f n T", 2, true, where);
  printf("%s: %.1e (%s)\n", what, off, where);
  CHECK(a.rows == 41);
  CHECK_NEAR(off, 0, 1e-9);
  ref_table_free(&a);
  ref_table_free(&b);
}

TEST_FULL(the_world_turned_and_moved) {
  static const double axis[3] = {0.48, -0.6, 0.64};
  way w = plain;
  tn_rotation_about3(axis, 2.1, w.A);
  same("turned", &w);
  w.move[0] = 3, w.move[1] = -2, w.move[2] = 1;
  same("turned and moved", &w);
  w.relative = true;
  same("in relative coordinates", &w);
}

TEST_FULL(renamed) {
  way w = plain;
  w.prefix = "zz_";
  same("renamed", &w);
}

TEST_FULL(in_another_order) {
  way w = plain;
  w.reversed = true;
  same("reversed", &w);
  w.relative = true;
  same("reversed, relative", &w);
  w.turned = true;
  same("reversed, relative, joints turned", &w);
}

TEST_FULL(joints_turned) {
  way w = plain;
  w.turned = true;
  same("joints turned", &w);
  w.relative = true;
  same("joints turned, relative", &w);
}

TEST_FULL(a_body_of_two_welded_halves) {
  way w = plain;
  w.split = true;
  same("split", &w);
  w.relative = true;
  same("split, relative", &w);
}
