/* how redundant rows share a load: as equally stiff joints would. the same reactions in any world, order of bodies and joints,
 * coordinates; equal parts carry equal loads; exact answers for hinges, legs and walls that give way a little, and the limit of
 * stiff joints in motion, whose equations are solved here with other algebra. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

enum { MOST_JOINTS = 16 };

typedef struct body {
  const char *name;
  double place[3], mass, center[3], inertia[3];
} body;

typedef struct joint {
  const char *name, *type, *first, *second;
  double at[3], axis[3];
  const char *more; /* instead of all this but name and type */
} joint;

typedef struct mechanism {
  const char *name;
  int bodies, joints;
  const body *body;
  const joint *joint;
  double gravity[3];
  const char *rate; /* of the start, or NULL */
  double speed;
  const char *forces, *forces_swapped; /* the second: where joints measure the other way round */
  int redundant;
} mechanism;

/* how a mechanism is written down: turned by `angle` about `axis`, then moved */
typedef struct way {
  const char *name;
  double axis[3], angle, move[3];
  bool swap, reverse, relative;
} way;

/* A v of the way, or A'v */
static void turn(const way *w, const double v[3], bool back, double out[3]) {
  const double n = tn_norm3(w->axis), c = cos(w->angle), s = back ? -sin(w->angle) : sin(w->angle);
  double a[3], x[3];
  for (int d = 0; d < 3; d++) a[d] = n > 0 ? w->axis[d] / n : d == 2;
  tn_cross3(a, v, x);
  const double along = tn_dot3(a, v);
  for (int d = 0; d < 3; d++) out[d] = c * v[d] + s * x[d] + (1 - c) * along * a[d];
}

static const char *vector(const way *w, const double v[3], bool place) {
  static char text[4][120];
  static int next;
  char *out = text[next = (next + 1) % 4];
  double x[3];
  turn(w, v, false, x);
  for (int d = 0; d < 3 && place; d++) x[d] += w->move[d];
  snprintf(out, sizeof text[0], "[%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
  return out;
}

static bool swaps(const joint *j) { return !j->more && strcmp(j->type, "point-on-plane") != 0; }

static void write_joint(build *b, const way *w, const joint *j) {
  char at[80];
  snprintf(at, sizeof at, "/joints/%s", j->name);
  if (j->more) {
    build_set(b, at, "{\"type\": \"%s\", %s}", j->type, j->more);
    return;
  }
  const bool swap = w->swap && swaps(j), plane = strcmp(j->type, "point-on-plane") == 0;
  build_set(b, at, "{\"type\": \"%s\", \"between\": [\"%s\", \"%s\"], \"at\": %s}", j->type,
            swap ? j->second : j->first, swap ? j->first : j->second, vector(w, j->at, true));
  if (tn_norm3(j->axis) == 0) return;
  snprintf(at, sizeof at, "/joints/%s/%s", j->name, plane ? "normal" : "axis");
  build_set(b, at, "%s", vector(w, j->axis, false));
}

static void describe(build *b, const mechanism *m, const way *w) {
  char at[80];
  build_new(b, 1);
  build_set(b, "/dimension", "3");
  build_set(b, "/coordinates", w->relative ? "\"relative\"" : "\"absolute\"");
  build_set(b, "/gravity", "%s", vector(w, m->gravity, false));
  for (int i = 0; i < m->bodies; i++) {
    const body *x = &m->body[w->reverse ? m->bodies - 1 - i : i];
    snprintf(at, sizeof at, "/bodies/%s", x->name);
    build_set(b, at,
              "{\"mass\": %.17g, \"inertia\": [%.17g, %.17g, %.17g], \"position\": %s, \"center\": [%.17g, %.17g, "
              "%.17g], \"axis_angle\": [[%.17g, %.17g, %.17g], %.17g]}",
              x->mass, x->inertia[0], x->inertia[1], x->inertia[2], vector(w, x->place, true), x->center[0],
              x->center[1], x->center[2], w->axis[0], w->axis[1], tn_norm3(w->axis) > 0 ? w->axis[2] : 1, w->angle);
  }
  /* rows on channels stand behind the joints that they use */
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m->joints; i++) {
      const joint *j = &m->joint[w->reverse ? m->joints - 1 - i : i];
      if ((j->more != NULL) == pass) write_joint(b, w, j);
    }
  if (m->forces) build_set(b, "/forces", "%s", w->swap && m->forces_swapped ? m->forces_swapped : m->forces);
  if (m->rate) {
    snprintf(at, sizeof at, "/start/%s", m->rate);
    build_set(b, "/start", "{}");
    build_set(b, at, "%.17g", w->swap ? -m->speed : m->speed);
  }
  build_set(b, "/outputs", "{\"one\": \"1\"}");
  build_tight(b, 10, 1);
}

static bool simulate(build *b, const mechanism *m, const way *w) {
  if (!build_simulate(b)) FAIL("%s, %s: %s", m->name, w->name, b->message);
  return !b->failed;
}

static bool make(build *b, const mechanism *m, const way *w) {
  describe(b, m, w);
  return simulate(b, m, w);
}

static int find(const build *b, const char *name) {
  for (int i = 0; i < b->model->joints; i++)
    if (strcmp(b->model->joint[i].name, name) == 0) return i;
  FAIL("there is no joint '%s'", name);
  return 0;
}

/* wrenches on the second bodies of the mechanism at their places, in its own axes; of rows on channels the load */
static void loads(build *b, const mechanism *m, const way *w, double (*out)[6]) {
  build_channel(b, "energy.total"); /* any channel asks for reactions */
  tn_system *sys = &b->sim->solver.sys;
  for (int i = 0; i < m->joints; i++) {
    const joint *j = &m->joint[i];
    const int k = find(b, j->name);
    double place[18], arm[3], x[6] = {0};
    memset(out[i], 0, sizeof out[i]);
    if (j->more && strcmp(j->type, "gear") != 0) {
      out[i][0] = build_channel(b, "%s.load", j->name);
      continue;
    }
    memcpy(x, sys->solved.reaction + 6 * k, sizeof x);
    if (w->swap && swaps(j)) {
      double moved[6] = {0};
      tn_stress_places(sys, k, place);
      tn_sub3(place + 3, place, arm);
      tn_move_wrench(6, arm, x, moved);
      for (int d = 0; d < 6; d++) x[d] = -moved[d];
    }
    turn(w, x, true, out[i]);
    turn(w, x + 3, true, out[i] + 3);
  }
}

static double largest(const mechanism *m, double (*a)[6]) {
  double most = 0;
  for (int i = 0; i < m->joints; i++)
    for (int d = 0; d < 6; d++) most = fmax(most, fabs(a[i][d]));
  return most;
}

static double difference(const mechanism *m, double (*a)[6], double (*b)[6]) {
  double most = 0;
  for (int i = 0; i < m->joints; i++)
    for (int d = 0; d < 6; d++)
      if (!(fabs(a[i][d] - b[i][d]) <= most)) most = fabs(a[i][d] - b[i][d]);
  return most;
}

static const way plain = {.name = "plain"};
static const way ways[] = {
    {.name = "relative", .relative = true},
    {.name = "turned", .axis = {1, 1, 0.3}, .angle = 0.9},
    {.name = "moved", .move = {3, -5, 20}},
    {.name = "swapped", .swap = true},
    {.name = "reversed", .reverse = true},
    {.name = "reversed, relative", .reverse = true, .relative = true},
    {.name = "all", .axis = {-1, 2, 0.7}, .angle = 2.1, .move = {1, 2, -3}, .swap = true, .reverse = true},
    {.name = "all, relative",
     .axis = {0.2, -1, 0.7},
     .angle = -1.3,
     .move = {-1, 2, 3},
     .swap = true,
     .reverse = true,
     .relative = true}};

/* ---- mechanisms ------------------------------------------------------------------------------------------------------- */

#define HINGE(name, first, second, x, y, z)                                                                            \
  { name, "revolute", first, second, {x, y, z}, {0, 0, 1}, NULL }
#define COUNT(a) (int)(sizeof(a) / sizeof *(a))
#define PARTS(b, j) .bodies = COUNT(b), .body = b, .joints = COUNT(j), .joint = j

static const body leaf[] = {{"door", {0.4, 0, 1}, 20, {0, 0, 0}, {7, 8, 1.2}}};
static const joint two[] = {HINGE("lower", "ground", "door", 0, 0, 0.2), HINGE("upper", "ground", "door", 0, 0, 1.8)};
static const joint three[] = {HINGE("h1", "ground", "door", 0, 0, 0.2), HINGE("h2", "ground", "door", 0, 0, 1),
                              HINGE("h3", "ground", "door", 0, 0, 1.8)};
static const body top[] = {{"table", {0.1, 0.05, 0.7}, 25, {0, 0, 0}, {1, 2, 3}}};
#define LEG(name, x, y)                                                                                                \
  { name, "point-on-plane", "ground", "table", {x, y, 0}, {0, 0, 1}, NULL }
static const joint legs[] = {LEG("leg1", -0.6, -0.4), LEG("leg2", 0.6, -0.4), LEG("leg3", 0.6, 0.4),
                             LEG("leg4", -0.6, 0.4)};
static const body beams[] = {{"beam", {0.7, 0, 0}, 10, {0, 0, 0}, {0.1, 3, 3}}};
static const joint walls[] = {{"left", "weld", "ground", "beam", {0, 0, 0}, {0, 0, 0}, NULL},
                              {"right", "weld", "ground", "beam", {2, 0, 0}, {0, 0, 0}, NULL}};

/* sun of 0.1 m, planets of 0.05 m on a carrier, ring of 0.2 m on the ground */
#define PX(k) (0.15 * (k == 0 ? 1 : -0.5))
#define PY(k) (0.15 * (k == 0 ? 0 : k == 1 ? 0.8660254037844386 : -0.8660254037844386))
#define PLANET(name, k)                                                                                                \
  {                                                                                                                    \
    name, {PX(k), PY(k), 0}, 0.3, {0, 0, 0}, { 4e-4, 4e-4, 7e-4 }                                                      \
  }
static const body wheels[] = {{"sun", {0, 0, 0}, 1, {0, 0, 0}, {3e-3, 3e-3, 5e-3}},
                              {"arm", {0, 0, 0}, 2, {0, 0, 0}, {2e-2, 2e-2, 3e-2}},
                              {"ring", {0, 0, 0}, 3, {0, 0, 0}, {5e-2, 5e-2, 9e-2}},
                              PLANET("p1", 0),
                              PLANET("p2", 1),
                              PLANET("p3", 2)};
#define MESHES(k)                                                                                                      \
  {"sun" #k,                                                                                                           \
   "gear",                                                                                                             \
   "sun",                                                                                                              \
   "p" #k,                                                                                                             \
   {0},                                                                                                                \
   {0},                                                                                                                \
   "\"between\": [\"sun\", \"p" #k "\"], \"carrier\": \"arm\", \"teeth\": [40, 20]"},                                  \
  {                                                                                                                    \
    "ring" #k, "gear", "ring", "p" #k, {0}, {0},                                                                       \
        "\"between\": [\"ring\", \"p" #k "\"], \"carrier\": \"arm\", \"teeth\": [80, 20], \"internal\": true"          \
  }
static const joint teeth[] = {HINGE("sunaxle", "ground", "sun", 0, 0, 0),
                              HINGE("armaxle", "ground", "arm", 0, 0, 0),
                              {"frame", "weld", "ground", "ring", {0, 0, 0}, {0, 0, 0}, NULL},
                              HINGE("pin1", "arm", "p1", PX(0), PY(0), 0),
                              HINGE("pin2", "arm", "p2", PX(1), PY(1), 0),
                              HINGE("pin3", "arm", "p3", PX(2), PY(2), 0),
                              MESHES(1),
                              MESHES(2),
                              MESHES(3)};

/* three equal cranks on a coupler, all in a plane, in space */
static const body cranks[] = {{"c1", {0, 0.3, 0}, 1, {0, 0, 0}, {0.03, 0.001, 0.03}},
                              {"c2", {1, 0.3, 0}, 1, {0, 0, 0}, {0.03, 0.001, 0.03}},
                              {"c3", {2, 0.3, 0}, 1, {0, 0, 0}, {0.03, 0.001, 0.03}},
                              {"coupler", {1.1, 0.6, 0}, 4, {0, 0, 0}, {0.01, 2, 2}}};
static const joint pins[] = {HINGE("a1", "ground", "c1", 0, 0, 0),    HINGE("a2", "ground", "c2", 1, 0, 0),
                             HINGE("a3", "ground", "c3", 2, 0, 0),    HINGE("b1", "c1", "coupler", 0, 0.6, 0),
                             HINGE("b2", "c2", "coupler", 1, 0.6, 0), HINGE("b3", "c3", "coupler", 2, 0.6, 0)};

static const body links[] = {{"l1", {0.5, 0, 0}, 1, {0, 0, 0}, {0.0017, 0.084, 0.084}},
                             {"l2", {1, 0.5, 0}, 1, {0, 0, 0}, {0.084, 0.0017, 0.084}},
                             {"l3", {1, 1, 0.5}, 1, {0, 0, 0}, {0.084, 0.084, 0.0017}},
                             {"l4", {0.5, 1, 1}, 1, {0, 0, 0}, {0.0017, 0.084, 0.084}},
                             {"l5", {0, 0.5, 1}, 1, {0, 0, 0}, {0.084, 0.0017, 0.084}}};
static const joint bricard[] = {{"h1", "revolute", "ground", "l1", {0, 0, 0}, {0, 1, 0}, NULL},
                                {"h2", "revolute", "l1", "l2", {1, 0, 0}, {0, 0, -1}, NULL},
                                {"h3", "revolute", "l2", "l3", {1, 1, 0}, {-1, 0, 0}, NULL},
                                {"h4", "revolute", "l3", "l4", {1, 1, 1}, {0, 1, 0}, NULL},
                                {"h5", "revolute", "l4", "l5", {0, 1, 1}, {0, 0, -1}, NULL},
                                {"h6", "revolute", "l5", "ground", {0, 0, 1}, {-1, 0, 0}, NULL}};

/* a carriage on two rails that slope down, with its weight aside: two sleeves on one, a slider on the other */
static const body carriages[] = {{"cart", {0.1, 0.2, 0.1}, 12, {0, 0, 0}, {0.4, 0.5, 0.6}}};
static const joint rails[] = {{"sleeve1", "cylindrical", "ground", "cart", {-0.2, -0.3, 0}, {0.8, 0, -0.6}, NULL},
                              {"sleeve2", "cylindrical", "ground", "cart", {0.3, -0.3, -0.375}, {0.8, 0, -0.6}, NULL},
                              {"slider", "prismatic", "ground", "cart", {0, 0.4, 0}, {0.8, 0, -0.6}, NULL}};

/* shafts geared by ratio all round, and driven twice */
static const body shafts[] = {{"A", {0, 0, 0}, 1, {0, 0, 0}, {0.01, 0.01, 0.02}},
                              {"B", {0.5, 0, 0}, 2, {0, 0, 0}, {0.03, 0.03, 0.05}},
                              {"C", {0.2, 0.6, 0}, 3, {0, 0, 0}, {0.05, 0.05, 0.09}}};
#define AXLES                                                                                                          \
  HINGE("a", "ground", "A", 0, 0, 0), HINGE("b", "ground", "B", 0.5, 0, 0), HINGE("c", "ground", "C", 0.2, 0.6, 0)
static const joint ratios[] = {
    AXLES,
    {"ab", "coordinate", NULL, NULL, {0}, {0}, "\"terms\": {\"a.angle\": 1, \"b.angle\": 2}, \"value\": 0"},
    {"bc", "coordinate", NULL, NULL, {0}, {0}, "\"terms\": {\"b.angle\": 3, \"c.angle\": -1}, \"value\": 0"},
    {"ca", "coordinate", NULL, NULL, {0}, {0}, "\"terms\": {\"c.angle\": 2, \"a.angle\": 3}, \"value\": 0"},
    {"da", "driver", NULL, NULL, {0}, {0}, "\"on\": \"a.angle\", \"value\": \"sin(t)\""},
    {"dc", "driver", NULL, NULL, {0}, {0}, "\"on\": \"c.angle\", \"value\": \"-1.5*sin(t)\""}};

#define DRIVE(sun, arm)                                                                                                \
  "{\"drive\": {\"type\": \"torque\", \"on\": \"sunaxle.angle\", \"value\": " sun "}, \"load\": {\"type\": "           \
  "\"torque\", \"on\": \"armaxle.angle\", \"value\": " arm "}}"
static const mechanism all[] = {
    {"door", PARTS(leaf, two), .gravity = {0, 0, -9.81}, .rate = "lower.rate", .speed = 2, .redundant = 5},
    {"three hinges", PARTS(leaf, three), .gravity = {0, 0, -9.81}, .rate = "h2.rate", .speed = 2, .redundant = 10},
    {"table", PARTS(top, legs), .gravity = {0, 0, -9.81}, .redundant = 1},
    {"beam", PARTS(beams, walls), .gravity = {0, 3, -9.81}, .redundant = 6},
    {"planets", PARTS(wheels, teeth), .forces = DRIVE("3", "-8"), .forces_swapped = DRIVE("-3", "8"), .redundant = 2},
    {"cranks", PARTS(cranks, pins), .gravity = {1, -9.81, 0.5}, .rate = "a1.rate", .speed = 3, .redundant = 7},
    {"bricard", PARTS(links, bricard), .gravity = {0, -9.81, 0}, .rate = "h1.rate", .speed = -1, .redundant = 1},
    {"rails", PARTS(carriages, rails), .gravity = {0, 1, -9.81}, .rate = "slider.speed", .speed = 1, .redundant = 8},
    {"ratios", PARTS(shafts, ratios),
     .forces = "{\"brake\": {\"type\": \"torque\", \"on\": \"A\", \"about\": \"z\", \"value\": 2}}", .redundant = 2}};

static const mechanism *named(const char *name) {
  for (int i = 0; i < COUNT(all); i++)
    if (strcmp(all[i].name, name) == 0) return &all[i];
  abort();
}

/* ---- the same in every way -------------------------------------------------------------------------------------------- */

/* reactions after a time of motion, in one way and another. torques about axes of the world do not turn with it */
static void same_in_every_way(const mechanism *m, double t, double tolerance) {
  double want[MOST_JOINTS][6], got[MOST_JOINTS][6];
  build b;
  if (!make(&b, m, &plain)) return;
  CHECK(tn_sim_summary(b.sim)->redundant_rows == m->redundant);
  if (tn_sim_summary(b.sim)->redundant_rows != m->redundant)
    printf("%s: %d redundant rows\n", m->name, tn_sim_summary(b.sim)->redundant_rows);
  if (t > 0) CHECK(tn_sim_advance(b.sim, t, NULL) == TN_OK);
  loads(&b, m, &plain, want);
  const double most = largest(m, want);
  CHECK(most > 1);
  build_free(&b);
  for (int i = 0; i < COUNT(ways); i++) {
    if (strcmp(m->name, "ratios") == 0 && (ways[i].swap || ways[i].angle != 0)) continue;
    if (!make(&b, m, &ways[i])) return;
    if (t > 0) CHECK(tn_sim_advance(b.sim, t, NULL) == TN_OK);
    loads(&b, m, &ways[i], got);
    const double off = difference(m, want, got) / most;
    if (!(off <= tolerance)) FAIL("%s at t = %g, %s: off by %.3g", m->name, t, ways[i].name, off);
    if (getenv("SHOW")) printf("%s at t = %g, %s: %.3g\n", m->name, t, ways[i].name, off);
    build_free(&b);
  }
}

TEST(at_the_start) {
  for (int i = 0; i < COUNT(all); i++) same_in_every_way(&all[i], 0, 1e-11);
}

TEST_FULL(in_motion) {
  for (int i = 0; i < COUNT(all); i++) same_in_every_way(&all[i], 0.3, 1e-9);
}

/* ---- exact answers ----------------------------------------------------------------------------------------------------- */

/* a door that gives way by w and turns by phi in its hinges, k (w, phi z) and k l^2 phi in each: a third or half of the weight, and
 * phi k = W b / (sum z^2 + n l^2), l = r/10, r the root mean square of z; the weight pulls the upper part off the wall, which holds it */
static void hinges(const char *name, int n, const double *z) {
  const mechanism *m = named(name);
  const double W = 20 * 9.81, b = 0.4;
  double square = 0, got[MOST_JOINTS][6];
  mechanism still = *m;
  still.rate = NULL;
  for (int i = 0; i < n; i++) square += z[i] * z[i];
  const double l = sqrt(square / n) / 10, phi = W * b / (square + n * l * l);
  for (int i = 0; i < COUNT(ways); i++) {
    build x;
    if (!make(&x, &still, &ways[i])) return;
    loads(&x, &still, &ways[i], got);
    for (int k = 0; k < n; k++) {
      CHECK_NEAR(got[k][2], W / n, 1e-11 * W);
      CHECK_NEAR(got[k][0], -phi * z[k], 1e-11 * W);
      CHECK_NEAR(got[k][1], 0, 1e-11 * W);
      CHECK_NEAR(got[k][4], -phi * l * l, 1e-11 * W);
      CHECK_NEAR(got[k][3], 0, 1e-11 * W);
    }
    build_free(&x);
  }
}

TEST(hinges_of_a_door) {
  hinges("door", 2, (const double[]){-0.8, 0.8});
  hinges("three hinges", 3, (const double[]){-0.8, 0, 0.8});
}

/* W at b from the left end of a beam of length 2 between two walls, across y and z: F = W/2 -+ phi, phi (2 + 2 l^2) = W (b - 1),
 * and l^2 phi in each wall; l = 1/10 */
TEST(beam_between_walls) {
  double got[MOST_JOINTS][6];
  const mechanism *m = named("beam");
  const double l = 0.1;
  for (int i = 0; i < COUNT(ways); i++) {
    build x;
    if (!make(&x, m, &ways[i])) return;
    loads(&x, m, &ways[i], got);
    for (int axis = 1; axis < 3; axis++) {
      const double W = axis == 1 ? -30 : 98.1, phi = W * (0.7 - 1) / (2 + 2 * l * l), sign = axis == 1 ? 1 : -1;
      CHECK_NEAR(got[0][axis], W / 2 - phi, 1e-11 * 98);
      CHECK_NEAR(got[1][axis], W / 2 + phi, 1e-11 * 98);
      for (int k = 0; k < 2; k++) CHECK_NEAR(got[k][axis == 1 ? 5 : 4], sign * l * l * phi, 1e-11 * 98);
    }
    build_free(&x);
  }
}

/* legs alike: of the alternating sum nothing is left; and so it stays where the table turns on the floor */
TEST(legs_of_a_table) {
  double got[MOST_JOINTS][6], first[MOST_JOINTS][6];
  mechanism m = *named("table");
  m.rate = "table.wz";
  m.speed = 3;
  build x;
  if (!make(&x, &m, &plain)) return;
  loads(&x, &m, &plain, first);
  CHECK(tn_sim_advance(x.sim, 2, NULL) == TN_OK);
  loads(&x, &m, &plain, got);
  CHECK_NEAR(got[0][2] - got[1][2] + got[2][2] - got[3][2], 0, 1e-9);
  CHECK_NEAR(got[0][2] + got[1][2] + got[2][2] + got[3][2], 25 * 9.81, 1e-9);
  CHECK(fabs(got[0][2] - got[2][2]) > 10);
  for (int k = 0; k < 4; k++) CHECK_NEAR(got[k][2], first[k][2], 1e-9);
  build_free(&x);
}

/* three equal planets, and nothing in the bearings of sun and carrier */
TEST(planets_carry_the_same) {
  double got[MOST_JOINTS][6];
  const mechanism *m = named("planets");
  const way some[] = {plain, ways[0], ways[1], ways[7]};
  for (int i = 0; i < COUNT(some); i++) {
    build x;
    if (!make(&x, m, &some[i])) return;
    for (int moment = 0; moment < 2; moment++) {
      if (moment) CHECK(tn_sim_advance(x.sim, 0.1, NULL) == TN_OK);
      loads(&x, m, &some[i], got);
      const double sun = tn_norm3(got[6]), ring = tn_norm3(got[7]);
      CHECK(sun > 1 && ring > 1);
      for (int k = 1; k < 3; k++) {
        CHECK_NEAR(tn_norm3(got[6 + 2 * k]), sun, 1e-9 * sun);
        CHECK_NEAR(tn_norm3(got[7 + 2 * k]), ring, 1e-9 * ring);
        CHECK_NEAR(tn_norm3(got[3 + k]), tn_norm3(got[3]), 1e-9 * sun);
      }
      for (int k = 0; k < 2; k++) CHECK_NEAR(tn_norm3(got[k]), 0, 1e-9 * sun);
    }
    build_free(&x);
  }
}

/* rows on channels: torques c lambda on shafts at both ends, so that sum c^2 lambda^2 is least, however a row is scaled */
TEST(rows_on_channels) {
  static const joint doubled[] = {
      AXLES,
      {"ab", "coordinate", NULL, NULL, {0}, {0}, "\"terms\": {\"a.angle\": 1, \"b.angle\": 2}, \"value\": 0"},
      {"ba", "coordinate", NULL, NULL, {0}, {0}, "\"terms\": {\"a.angle\": -50, \"b.angle\": -100}, \"value\": 0"},
      {"da", "driver", NULL, NULL, {0}, {0}, "\"on\": \"a.angle\", \"value\": \"0.3*t\""}};
  const mechanism m = {"doubled", PARTS(shafts, doubled),
                       .forces = "{\"brake\": {\"type\": \"torque\", \"on\": \"B\", \"about\": \"z\", \"value\": 6}}"};
  for (int relative = 0; relative < 2; relative++) {
    build x;
    if (!make(&x, &m, &(way){.relative = relative})) return;
    /* load is along the sum: 2 (ab) - 100 (ba) = -6, half of it each; a: ab - 50 ba + da = 0 */
    CHECK_NEAR(build_channel(&x, "ab.load"), -1.5, 1e-12);
    CHECK_NEAR(build_channel(&x, "ba.load"), 0.03, 1e-12);
    CHECK_NEAR(build_channel(&x, "da.load"), 3, 1e-12);
    build_free(&x);
  }
}

/* ---- the limit of stiff joints ----------------------------------------------------------------------------------------- */

/* x of S x = b, S and b used up */
static void eliminate(int n, long double *S, long double *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(S[i * n + k]) > fabsl(S[best * n + k])) best = i;
    for (int j = 0; j < n && best != k; j++) {
      const long double t = S[k * n + j];
      S[k * n + j] = S[best * n + j];
      S[best * n + j] = t;
    }
    const long double t = b[k];
    b[k] = b[best];
    b[best] = t;
    for (int i = k + 1; i < n; i++) {
      const long double c = S[i * n + k] / S[k * n + k];
      for (int j = k; j < n; j++) S[i * n + j] -= c * S[k * n + j];
      b[i] -= c * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= S[k * n + j] * b[j];
    b[k] /= S[k * n + k];
  }
}

/* r/10 by hand. of planets all joints, at the middle but for pins and their ends of the meshes; of rows on channels it does not
 * matter, for all of them are torques */
static double length_by_hand(const mechanism *m) {
  if (strcmp(m->name, "planets") == 0) return 0.15 * sqrt(12 / 30.) / 10;
  if (strcmp(m->name, "ratios") == 0) return 1;
  double mean[3] = {0}, square = 0;
  for (int i = 0; i < m->joints; i++)
    for (int d = 0; d < 3; d++) mean[d] += m->joint[i].at[d] / m->joints;
  for (int i = 0; i < m->joints; i++) {
    double d[3];
    tn_sub3(m->joint[i].at, mean, d);
    square += tn_dot3(d, d) / m->joints;
  }
  return sqrt(square) / 10;
}

/* H: joints give way by H lambda / K */
static void compliance(build *b, const mechanism *m, double l, long double *H) {
  tn_system *sys = &b->sim->solver.sys;
  const int n = b->model->rows;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &b->model->joint[find(b, m->joint[i].name)];
    for (int k = 0; k < j->terms; k++)
      H[j->row * n + j->row] += 2 * tn_term_coefficient(sys, j, k) * tn_term_coefficient(sys, j, k) / (l * l);
    if (j->terms) continue;
    double J[6 * 3 * 6];
    tn_look_joint(sys, j);
    tn_joint_rows(sys, j, J, NULL, NULL, NULL);
    for (int r = 0; r < j->rows; r++)
      for (int c = 0; c < j->rows; c++)
        for (int k = 0; k < 6 * j->frames; k++)
          H[(j->row + r) * n + j->row + c] +=
              J[r * 6 * j->frames + k] * J[c * 6 * j->frames + k] / (k % 6 < 3 ? 1 : l * l);
  }
}

/* (A M^-1 A' + H/K) lambda = A M^-1 f - gamma, at K and 2 K: what is of order 1/K is taken out */
static void stiff(build *b, const mechanism *m, const tn_eval *e, double l, double K, double *lambda) {
  const int n = e->rows, nu = e->speeds;
  long double *S = calloc((size_t)(n * n), sizeof *S), *H = calloc((size_t)(n * n), sizeof *H),
              *X = calloc((size_t)nu, sizeof *X), *M = calloc((size_t)(nu * nu), sizeof *M),
              *x = calloc((size_t)n, sizeof *x), *G = calloc((size_t)(n * n), sizeof *G),
              *g = calloc((size_t)n, sizeof *g);
  compliance(b, m, l, H);
  for (int c = -1; c < n; c++) { /* M^-1 f, then M^-1 of the rows */
    for (int i = 0; i < nu; i++) X[i] = c < 0 ? e->f[i] : e->A[c * nu + i];
    for (int i = 0; i < nu * nu; i++) M[i] = e->M[i];
    eliminate(nu, M, X);
    for (int r = 0; r < n; r++) {
      long double sum = 0;
      for (int i = 0; i < nu; i++) sum += e->A[r * nu + i] * X[i];
      if (c < 0)
        g[r] = sum - e->gamma[r];
      else
        G[r * n + c] = sum;
    }
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n * n; i++) S[i] = G[i] + H[i] / (K * (1 + pass));
    for (int i = 0; i < n; i++) x[i] = g[i];
    eliminate(n, S, x);
    for (int i = 0; i < n; i++) lambda[i] = (double)(pass ? 2 * x[i] - lambda[i] : x[i]);
  }
  free(S), free(H), free(X), free(M), free(x), free(G), free(g);
}

static void as_stiff_joints(const mechanism *m, double t, double tolerance) {
  build b;
  double lambda[200], most = 0, off = 0;
  tn_eval e;
  if (!make(&b, m, &plain)) return;
  if (t > 0) CHECK(tn_sim_advance(b.sim, t, NULL) == TN_OK);
  CHECK(tn_sim_eval(b.sim, &e, NULL) == TN_OK);
  stiff(&b, m, &e, length_by_hand(m), 1e8, lambda);
  for (int i = 0; i < e.rows; i++) most = fmax(most, fabs(lambda[i]));
  for (int i = 0; i < e.rows; i++)
    if (!(fabs(lambda[i] - e.lambda[i]) <= off)) off = fabs(lambda[i] - e.lambda[i]);
  if (getenv("SHOW")) printf("%s at t = %g, stiff joints: %.3g of %.3g\n", m->name, t, off / most, most);
  if (!(off <= tolerance * most)) FAIL("%s at t = %g: off by %.3g of stiff joints", m->name, t, off / most);
  build_free(&b);
}

TEST(as_stiff_joints_at_the_start) {
  for (int i = 0; i < COUNT(all); i++) as_stiff_joints(&all[i], 0, 1e-8);
}

TEST(as_stiff_joints_in_motion) {
  for (int i = 0; i < COUNT(all); i++) as_stiff_joints(&all[i], 0.3, 1e-8);
}

/* ---- friction by load --------------------------------------------------------------------------------------------------- */

#define RUB(lower, upper)                                                                                              \
  "{\"r1\": {\"type\": \"friction\", \"on\": \"" lower ".angle\", \"mu\": 0.3, \"radius\": 0.05},"                     \
  " \"r2\": {\"type\": \"friction\", \"on\": \"" upper ".angle\", \"mu\": 0.1, \"radius\": 0.02}}"

/* the load of each hinge is that of the statics above, with the whirl of the door: none about the axis, and b w^2 along it */
TEST(friction_of_hinges) {
  mechanism m = *named("door");
  m.forces = RUB("lower", "upper");
  const double W = 20 * 9.81, l = 0.08, I = 1.2 + 20 * 0.16, phi = W * 0.4 / (1.28 + 2 * l * l);
  for (int i = -1; i < COUNT(ways); i++) {
    const way *w = i < 0 ? &plain : &ways[i];
    build x;
    if (!make(&x, &m, w)) return;
    /* along the door: half of -m b w^2 and -+ 0.8 phi */
    const double center = 20 * 0.4 * 4, N1 = hypot(W / 2, 0.8 * phi - center / 2),
                 N2 = hypot(W / 2, -0.8 * phi - center / 2);
    double torque = 0.3 * 0.05 * N1 + 0.1 * 0.02 * N2;
    /* with the torque the mass centre is slowed down, which is a force across: m b wdot/2 in each */
    for (int k = 0; k < 50; k++) {
      const double across = 20 * 0.4 * torque / I / 2;
      torque = 0.3 * 0.05 * hypot(N1, across) + 0.1 * 0.02 * hypot(N2, across);
    }
    tn_eval e;
    CHECK(tn_sim_eval(x.sim, &e, NULL) == TN_OK);
    const double rate = w->swap ? 2 : -2;
    CHECK_NEAR(build_channel(&x, "r1.load") + build_channel(&x, "r2.load"), copysign(torque, rate), 1e-10);
    build_free(&x);
  }
}

/* the motion itself is the same in all coordinates */
static void same_motion(const mechanism *m, const char *channel, double until, double tolerance) {
  double want = 0;
  for (int i = -1; i < COUNT(ways); i++) {
    const way *w = i < 0 ? &plain : &ways[i];
    build x;
    if (!make(&x, m, w)) return;
    CHECK(tn_sim_advance(x.sim, until, NULL) == TN_OK);
    const double got = (w->swap ? -1 : 1) * build_channel(&x, "%s", channel);
    if (i < 0) want = got;
    if (!(fabs(got - want) <= tolerance)) FAIL("%s, %s: %.15g for %.15g", m->name, w->name, got, want);
    CHECK(fabs(got) > 0.01);
    build_free(&x);
  }
}

TEST(friction_slows_alike) {
  mechanism door = *named("door"), crank = *named("cranks"), cart = *named("rails");
  door.forces = RUB("lower", "upper");
  same_motion(&door, "lower.angle", 0.5, 1e-9);
  crank.forces = RUB("a1", "b3");
  same_motion(&crank, "a1.angle", 0.2, 1e-9);
  cart.forces = "{\"r\": {\"type\": \"friction\", \"on\": \"sleeve1.shift\", \"mu\": 0.2},"
                " \"s\": {\"type\": \"friction\", \"on\": \"slider.shift\", \"mu\": 0.1}}";
  same_motion(&cart, "slider.shift", 0.4, 1e-9);
}

/* ---- what takes part ------------------------------------------------------------------------------------------------------ */

/* beside the door a table, a far body and a door ten times as large: each shares as if it were alone */
TEST(groups_have_their_own_length) {
  static const body bodies[] = {{"door", {0.4, 0, 1}, 20, {0, 0, 0}, {7, 8, 1.2}},
                                {"gate", {4, 100, 10}, 20, {0, 0, 0}, {700, 800, 120}},
                                {"table", {0.1, 50.05, 0.7}, 25, {0, 0, 0}, {1, 2, 3}},
                                {"far", {1e4, 0, 0}, 1e6, {0, 0, 0}, {1e6, 1e6, 1e6}}};
  static const joint joints[] = {HINGE("lower", "ground", "door", 0, 0, 0.2),
                                 HINGE("upper", "ground", "door", 0, 0, 1.8),
                                 HINGE("g1", "ground", "gate", 0, 100, 2),
                                 HINGE("g2", "ground", "gate", 0, 100, 18),
                                 LEG("leg1", -0.6, 49.6),
                                 LEG("leg2", 0.6, 49.6),
                                 LEG("leg3", 0.6, 50.4),
                                 LEG("leg4", -0.6, 50.4)};
  const mechanism m = {"yard", PARTS(bodies, joints), .gravity = {0, 0, -9.81}};
  double got[MOST_JOINTS][6];
  for (int relative = 0; relative < 2; relative++) {
    build x;
    if (!make(&x, &m, &(way){.name = "yard", .relative = relative})) return;
    loads(&x, &m, &plain, got);
    const double W = 20 * 9.81, F = W * 0.4 / 1.6 / 1.01;
    CHECK_NEAR(got[0][0], F, 1e-9);
    CHECK_NEAR(got[1][0], -F, 1e-9);
    CHECK_NEAR(got[0][4], -W * 0.4 / 2 * 0.01 / 1.01, 1e-9);
    CHECK_NEAR(got[2][0], F, 1e-9);
    CHECK_NEAR(got[2][4], -W * 4 / 2 * 0.01 / 1.01, 1e-8);
    CHECK_NEAR(got[4][2] - got[5][2] + got[6][2] - got[7][2], 0, 1e-9);
    CHECK(x.sim->efforts.sharing.length[find(&x, "lower")] < 0.0801 &&
          x.sim->efforts.sharing.length[find(&x, "g1")] > 0.799);
    build_free(&x);
  }
}

/* one hinge of three is switched off and on again: the other two share as a door on two hinges does */
TEST(joints_that_are_switched_off) {
  mechanism m = *named("three hinges");
  m.rate = NULL;
  const double W = 20 * 9.81;
  for (int relative = 0; relative < 2; relative++) {
    build x;
    double got[MOST_JOINTS][6];
    const way w = {.name = "switched", .relative = relative};
    describe(&x, &m, &w);
    build_set(&x, "/joints/h2/active", "true");
    build_set(&x, "/events",
              "{\"cut\": {\"when\": \"t > 0.1\", \"do\": {\"off\": \"h2\"}}, \"mend\": {\"when\": \"t > 0.2\", "
              "\"do\": {\"on\": \"h2\"}}}");
    build_set(&x, "/run/every", "0.02");
    if (!simulate(&x, &m, &w)) return;
    for (int k = 0; k < 3; k++) {
      const int n = k == 1 ? 2 : 3;
      if (k) CHECK(tn_sim_advance(x.sim, 0.1 * k + 0.05, NULL) == TN_OK);
      loads(&x, &m, &w, got);
      const double square = 2 * 0.64, l2 = square / n / 100, phi = W * 0.4 / (square + n * l2);
      CHECK_NEAR(got[0][2], W / n, 1e-9);
      CHECK_NEAR(got[1][2], n == 2 ? 0 : W / n, 1e-9);
      CHECK_NEAR(got[0][0], 0.8 * phi, 1e-9);
      CHECK_NEAR(got[2][0], -0.8 * phi, 1e-9);
      CHECK_NEAR(got[0][4], -l2 * phi, 1e-9);
    }
    build_free(&x);
  }
}

/* joints there twice, on top of each other and nearly so: half of all, and no couple of huge forces */
TEST(joints_on_top_of_each_other) {
  for (int k = 0; k < 2; k++)
    for (int relative = 0; relative < 2; relative++) {
      const joint twice[] = {{"one", "weld", "ground", "beam", {0, 0, 0}, {0, 0, 0}, NULL},
                             {"two", "weld", "ground", "beam", {0, k * 1e-6, 0}, {0, 0, 0}, NULL}};
      const mechanism m = {"twice", PARTS(beams, twice), .gravity = {0, 0, -9.81}};
      double got[MOST_JOINTS][6];
      build x;
      if (!make(&x, &m, &(way){.name = "twice", .relative = relative})) return;
      loads(&x, &m, &plain, got);
      for (int i = 0; i < 2; i++) {
        CHECK_NEAR(got[i][2], 49.05, 1e-3);
        CHECK_NEAR(got[i][4], -0.7 * 49.05, 1e-3);
      }
      build_free(&x);
    }
}

/* in the plane: three cranks by hinges, by angles about their pivots (`swing`) and in relative coordinates */
TEST(pivots_of_swinging_bodies) {
  static const char *const text =
      "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [1, -9.81], \"bodies\": {"
      "\"c1\": {\"rod\": [[0, 0], [0.2, 0.6]], \"mass\": 1}, \"c2\": {\"rod\": [[1, 0], [1.2, 0.6]], \"mass\": 2},"
      "\"c3\": {\"rod\": [[2, 0], [2.2, 0.6]], \"mass\": 1}, \"bar\": {\"rod\": [[0.2, 0.6], [2.2, 0.6]], \"mass\": "
      "4}},"
      "\"joints\": {%s"
      "\"b1\": {\"type\": \"revolute\", \"between\": [\"c1\", \"bar\"], \"at\": [0.2, 0.6]},"
      "\"b2\": {\"type\": \"revolute\", \"between\": [\"c2\", \"bar\"], \"at\": [1.2, 0.6]},"
      "\"b3\": {\"type\": \"revolute\", \"between\": [\"c3\", \"bar\"], \"at\": [2.2, 0.6]}},"
      "\"start\": {\"c1.rate\": 2}, \"outputs\": {\"x\": \"bar.x\"}, \"run\": {\"until\": 1}}";
  double want[3][2] = {{0}};
  for (int how = 0; how < 3; how++) {
    char model[4000], hinge[800] = "";
    for (int k = 0; k < 3 && how < 2; k++)
      sprintf(hinge + strlen(hinge),
              "\"a%d\": {\"type\": \"revolute\", \"between\": [\"ground\", \"c%d\"], \"at\": [%d, 0]},", k + 1, k + 1,
              k);
    snprintf(model, sizeof model, text, hinge);
    build x;
    build_new(&x, 1);
    build_parse(&x, model);
    if (how == 1) build_set(&x, "/coordinates", "\"relative\"");
    for (int k = 0; k < 3 && how == 2; k++) {
      char at[80];
      snprintf(at, sizeof at, "/bodies/c%d/coordinates", k + 1);
      build_set(&x, at, "{\"type\": \"swing\", \"parent\": \"ground\", \"at\": [%d, 0]}", k);
    }
    if (!build_simulate(&x)) FAIL("%s", x.message);
    if (x.failed) return;
    CHECK(tn_sim_summary(x.sim)->redundant_rows == 1);
    for (int k = 0; k < 3; k++)
      for (int d = 0; d < 2; d++) {
        const double got = build_channel(&x, "%s%d.%s", how < 2 ? "a" : "c", k + 1, d ? "fy" : "fx");
        if (!how) want[k][d] = got;
        CHECK_NEAR(got, want[k][d], 1e-10 * 60);
      }
    build_free(&x);
  }
}

/* the stabilizer's share: efforts that hold each other have no part in it. those of two hinges in line, lower and upper, at a
 * distance d: forces against each other along the line; across it with a torque d, at the lower one or at the upper */
TEST(share_of_the_stabilizer) {
  mechanism m = *named("door");
  m.rate = NULL;
  build x;
  describe(&x, &m, &plain);
  build_set(&x, "/start", "{\"mode\": \"as-given\", \"door.x\": 0.400001, \"door.y\": 3e-6, \"door.z\": 1.000002}");
  build_set(&x, "/run/stabilize", "{\"type\": \"baumgarte\", \"alpha\": 50, \"beta\": 50}");
  if (!simulate(&x, &m, &plain)) return;
  build_channel(&x, "energy.total");
  const double *low = x.sim->solver.sys.solved.share, *high = low + 6, l2 = 0.0064, d = 1.6;
  const double size = tn_norm3(low);
  CHECK(size > 1e-3);
  CHECK_NEAR(low[2] - high[2], 0, 1e-5 * size);
  for (int k = 0; k < 2; k++) {
    const double *w = k ? high : low;
    CHECK_NEAR(low[0] - high[0] + d * w[4] / l2, 0, 1e-4 * size);
    CHECK_NEAR(low[1] - high[1] - d * w[3] / l2, 0, 1e-4 * size);
  }
  build_free(&x);
}

/* ---- bushings ---------------------------------------------------------------------------------------------------------------- */

/* the door on stiff bushings of the program, k along and k l^2 about the axes across the line, until it has come to rest */
TEST_FULL(a_door_on_bushings) {
  mechanism m = *named("three hinges");
  double want[MOST_JOINTS][6];
  m.rate = NULL;
  build x;
  if (!make(&x, &m, &plain)) return;
  loads(&x, &m, &plain, want);
  build_free(&x);
  const double k = 1e8, kt = k * 1.28 / 3 / 100, c = 1e5, ct = 1e3;
  mechanism free = m;
  free.joints = 0;
  describe(&x, &free, &plain);
  for (int i = 0; i < 3; i++) {
    char at[80];
    snprintf(at, sizeof at, "/forces/b%d", i + 1);
    if (!i) build_set(&x, "/forces", "{}");
    build_set(&x, at,
              "{\"type\": \"bushing\", \"between\": [\"ground\", \"door\"], \"at\": [0, 0, %g], \"stiffness\": "
              "[%g, %g, %g, %g, %g, 0], \"damping\": [%g, %g, %g, %g, %g, 0]}",
              three[i].at[2], k, k, k, kt, kt, c, c, c, ct, ct);
  }
  build_set(&x, "/run/integrator", "{\"type\": \"radau5\", \"rtol\": 1e-9, \"atol\": 1e-13}");
  if (!simulate(&x, &m, &plain)) return;
  CHECK(tn_sim_advance(x.sim, 1, NULL) == TN_OK);
  static const char *const component[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 6; d++)
      CHECK_NEAR(build_channel(&x, "b%d.%s", i + 1, component[d]), want[i][d], 1e-5 * 20 * 9.81);
  build_free(&x);
}

/* ---- saved states ------------------------------------------------------------------------------------------------------------ */

static unsigned char saved[1 << 20];
static size_t saved_size;

static bool to_saved(void *user, const char *text, size_t n) {
  (void)user;
  if (saved_size + n > sizeof saved) return false;
  memcpy(saved + saved_size, text, n);
  saved_size += n;
  return true;
}

/* lengths are of the pose where joints were switched: a state that is put back has them too, and goes on to the same bits */
TEST(goes_on_from_a_saved_state) {
  mechanism m = *named("bricard");
  m.forces = RUB("h1", "h4");
  for (int relative = 0; relative < 2; relative++) {
    const way w = {.name = "saved", .relative = relative};
    build x[2];
    double got[2][MOST_JOINTS][6];
    for (int i = 0; i < 2; i++) {
      describe(&x[i], &m, &w);
      build_set(&x[i], "/bodies/weight", "{\"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0, 5]}");
      build_set(
          &x[i], "/joints/hook",
          "{\"type\": \"spherical\", \"between\": [\"ground\", \"weight\"], \"at\": [0, 0, 6], \"active\": true}");
      build_set(&x[i], "/events", "{\"cut\": {\"when\": \"t > 0.1\", \"do\": {\"off\": \"hook\"}}}");
      build_set(&x[i], "/run/every", "0.02");
      if (!simulate(&x[i], &m, &w)) return;
    }
    saved_size = 0;
    CHECK(tn_sim_advance(x[0].sim, 0.15, NULL) == TN_OK);
    CHECK(tn_sim_save(x[0].sim, to_saved, NULL, NULL) == TN_OK);
    CHECK(tn_sim_load(x[1].sim, saved, saved_size, NULL) == TN_OK);
    for (int i = 0; i < 2; i++) {
      CHECK(tn_sim_advance(x[i].sim, 0.2, NULL) == TN_OK);
      loads(&x[i], &m, &w, got[i]);
    }
    CHECK(memcmp(got[0], got[1], sizeof got[0]) == 0 || difference(&m, got[0], got[1]) == 0);
    CHECK(memcmp(tn_sim_q(x[0].sim), tn_sim_q(x[1].sim), sizeof(double) * (size_t)x[0].model->nq) == 0);
    CHECK(largest(&m, got[0]) > 1);
    for (int i = 0; i < 2; i++) build_free(&x[i]);
  }
}
