/* which reactions are unique: exact answers by joint and component, derived by hand, in absolute and in relative coordinates. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

/* components of a set as text: `fz tx ty` */
static const char *words(const tn_model *m, unsigned set) {
  static const char *const plane[] = {"fx", "fy", "t"}, *const space[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  static char text[4][40];
  static int next;
  char *out = text[next = (next + 1) % 4];
  *out = 0;
  for (int k = 0; k < m->twist; k++)
    if (set >> k & 1) sprintf(out + strlen(out), "%s%s", *out ? " " : "", (m->dimension == 2 ? plane : space)[k]);
  return out;
}

static void expect(const build *b, const char *joint, const char *world, const char *own) {
  for (int i = 0; i < b->model->joints; i++) {
    if (strcmp(b->model->joint[i].name, joint) != 0) continue;
    const tn_shared *x = &b->sim->output.shared[i];
    if (strcmp(words(b->model, x->world), world) != 0 || strcmp(words(b->model, x->own), own) != 0)
      FAIL("joint '%s': '%s', in its axes '%s', expected '%s' and '%s'", joint, words(b->model, x->world),
           words(b->model, x->own), world, own);
    return;
  }
  FAIL("there is no joint '%s'", joint);
}

static void start(build *b, const char *model, bool relative) {
  build_new(b, 1);
  build_read(b, model);
  if (relative) build_set(b, "/coordinates", "\"relative\"");
  if (!build_simulate(b)) FAIL("%s: %s", model, b->message);
}

static void parse(build *b, const char *model) {
  char text[4000];
  snprintf(text, sizeof text, "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], %s}", model);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
  if (!build_simulate(b)) FAIL("%s", b->message);
}

static bool column_shared(const build *b, const char *name) {
  const int k = build_column(b, name);
  if (k < 0) FAIL("there is no column '%s'", name);
  return k >= 0 && b->sim->output.column_shared[k];
}

/* a wrench (0, 0, fz, tx, ty, 0) about any point, carried around the loop by all four hinges, moves nothing: three parameters,
 * which appear in fz, tx and ty of each. fx and fy are those of the planar four-bar, and a hinge has no tz. in relative
 * coordinates only the hinge that closes the loop has rows, and the answer is the same */
TEST(four_bar_of_parallel_hinges) {
  for (int relative = 0; relative < 2; relative++) {
    build b;
    start(&b, "four_bar_in_space", relative);
    if (b.failed) return;
    CHECK(tn_sim_summary(b.sim)->redundant_rows == 3);
    static const char *const hinge[] = {"hinge_a", "hinge_b", "hinge_c", "hinge_d"};
    for (int i = 0; i < 4; i++) expect(&b, hinge[i], "fz tx ty", "fz tx ty");
    CHECK(!column_shared(&b, "pull") && !column_shared(&b, "angle") && column_shared(&b, "across"));
    build_free(&b);
  }
}

/* one hinge made a ball and one a sleeve: 5 + 3 + 4 + 5 = 17 rows on 18 speeds, none too many */
TEST(four_bar_with_ball_and_sleeve) {
  for (int relative = 0; relative < 2; relative++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "four_bar_in_space");
    build_set(&b, "/joints/hinge_b/type", "\"spherical\"");
    tn_desc_remove(b.desc, "/joints/hinge_b/axis");
    build_set(&b, "/joints/hinge_c/type", "\"cylindrical\"");
    if (relative) build_set(&b, "/coordinates", "\"relative\"");
    if (!build_simulate(&b)) FAIL("%s", b.message);
    if (b.failed) return;
    CHECK(tn_sim_summary(b.sim)->redundant_rows == 0 && tn_sim_summary(b.sim)->degrees_of_freedom == 1);
    static const char *const hinge[] = {"hinge_a", "hinge_b", "hinge_c", "hinge_d"};
    for (int i = 0; i < 4; i++) expect(&b, hinge[i], "", "");
    CHECK(!column_shared(&b, "across") && tn_sim_events(b.sim) == 0);
    build_free(&b);
  }
}

/* a hinge carries three forces and two bending torques. five equations hold the door in them; two hinges have ten unknowns and
 * three fifteen. along the line the forces, across it forces against each other and against the bending of either: each of the
 * five can be had at any hinge, none about the line. the line leans in the plane of x and z, so that in world axes tz is bending too */
static void door(const char *model, int hinges, const char *const *hinge, int redundant) {
  for (int relative = 0; relative < 2; relative++) {
    build b;
    start(&b, model, relative);
    if (b.failed) return;
    CHECK(tn_sim_summary(b.sim)->redundant_rows == redundant);
    for (int i = 0; i < hinges; i++) expect(&b, hinge[i], "fx fy fz tx ty tz", "fx fy fz tx ty");
    for (int k = 0; k < 3; k++) CHECK(!column_shared(&b, (const char *[]){"hold.x", "hold.y", "hold.z"}[k]));
    CHECK(!column_shared(&b, "th"));
    build_free(&b);
  }
}

TEST(doors) {
  door("door", 2, (const char *[]){"lower", "upper"}, 5);
  door("door_three_hinges", 3, (const char *[]){"hinge1", "hinge2", "hinge3"}, 10);
  build b;
  start(&b, "door", false);
  if (b.failed) return;
  CHECK(column_shared(&b, "low.x") && column_shared(&b, "high.z"));
  CHECK(tn_sim_events(b.sim) == 1);
  const tn_event *e = tn_sim_event(b.sim, 0);
  CHECK_TEXT(e->kind, "shared");
  CHECK_HAS(e->text, "low.x, low.y, low.z, high.x, high.y, high.z: redundant rows");
  CHECK(!strstr(e->text, "hold"));
  build_free(&b);
}

/* four legs, three equations (z and two tilts): +1 -1 +1 -1 around the table. a leg on a plane has no other force, and no torque at
 * its foot. their sum is the weight, and known */
TEST(table_on_four_legs) {
  build b;
  start(&b, "table", false);
  if (b.failed) return;
  CHECK(tn_sim_summary(b.sim)->redundant_rows == 1 && tn_sim_summary(b.sim)->degrees_of_freedom == 3);
  static const char *const leg[] = {"leg1", "leg2", "leg3", "leg4"};
  for (int i = 0; i < 4; i++) expect(&b, leg[i], "fz", "fz");
  CHECK(column_shared(&b, "carried1") && column_shared(&b, "carried4") && !column_shared(&b, "weight"));
  build_free(&b);
}

/* three legs in line and one beside it: +1 -2 +1 along the line, and the fourth is given by the tilt about it */
TEST(table_with_three_legs_in_line) {
  build b;
  parse(&b, "'bodies': { 'table': { 'box': [2, 1, 0.1], 'mass': 10, 'position': [0, 0.3, 1] } }, 'joints': {"
            "'a': { 'type': 'point-on-plane', 'between': ['ground', 'table'], 'at': [-1, 0, 0], 'normal': 'z' },"
            "'b': { 'type': 'point-on-plane', 'between': ['ground', 'table'], 'at': [0, 0, 0], 'normal': 'z' },"
            "'c': { 'type': 'point-on-plane', 'between': ['ground', 'table'], 'at': [1, 0, 0], 'normal': 'z' },"
            "'d': { 'type': 'point-on-plane', 'between': ['ground', 'table'], 'at': [0.2, 1, 0], 'normal': 'z' } },"
            "'outputs': { 'd': 'd.fz', 'outer': 'a.fz - c.fz', 'sums': 'a.fz + b.fz + c.fz', 'b': 'b.fz',"
            " 'a_and_b': '2*a.fz + b.fz', 'size': 'norm(force(b)) + norm(force(d))', 'nothing': 'a.tz + a.fx' }");
  if (b.failed) return;
  expect(&b, "a", "fz", "fz");
  expect(&b, "b", "fz", "fz");
  expect(&b, "c", "fz", "fz");
  expect(&b, "d", "", "");
  CHECK(!column_shared(&b, "d") && !column_shared(&b, "outer") && !column_shared(&b, "sums"));
  CHECK(!column_shared(&b, "a_and_b") && !column_shared(&b, "nothing"));
  CHECK(column_shared(&b, "b") && column_shared(&b, "size"));
  build_free(&b);
}

/* the tooth forces of planet 1 against those of planet 2: s and s on planet 1 from sun and ring, -s and -s on planet 2, no torque on
 * any wheel. Pins and seats carry 2 s each, the sun's axle 2 s, the arm's 4 s and the ring's frame 2 s, all across the line of the
 * planets. That line turns with the arm: a joint on the arm or a carrier sees it along its own y, one on the ground or on a wheel that
 * turns otherwise in x and y. On a planet the tooth force has a torque about its centre */
TEST(gear_train_with_a_fourth_mesh) {
  build b;
  start(&b, "gear_train_four_meshes", false);
  if (b.failed) return;
  CHECK(tn_sim_summary(b.sim)->redundant_rows == 1);
  static const char *const ground[] = {"frame", "sunaxle", "armaxle"},
                           *const arm[] = {"seat1", "seat2", "pin1", "pin2"},
                           *const mesh[] = {"mesh1", "mesh2", "ringmesh1", "ringmesh2"};
  for (int i = 0; i < 3; i++) expect(&b, ground[i], "fx fy", "fx fy");
  for (int i = 0; i < 4; i++) expect(&b, arm[i], "fx fy", "fy");
  for (int i = 0; i < 4; i++) expect(&b, mesh[i], "fx fy tz", "fx fy tz");
  for (int i = 7; i < 11; i++) CHECK(b.sim->output.shared[i].load);
  CHECK(column_shared(&b, "mesh1") && column_shared(&b, "ringmesh2") && !column_shared(&b, "arm"));
  build_free(&b);
}

/* two drivers of one angle: their efforts are open, not their sum, nor the force in the bearing */
TEST(in_the_plane) {
  static const char beam[] =
      "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": {\"beam\": {\"rod\": [[0, 0], [2, 0]], "
      "\"mass\": 3}}, \"joints\": {\"pin\": {\"type\": \"revolute\", \"between\": [\"ground\", \"beam\"], \"at\": [0, "
      "0]}, "
      "\"one\": {\"type\": \"driver\", \"on\": \"pin.angle\", \"value\": 0}, \"two\": {\"type\": \"driver\", \"on\": "
      "\"pin.angle\", \"value\": 0}}, \"outputs\": {\"f\": \"pin.fy\", \"one\": \"one.load\", \"both\": \"one.load + "
      "two.load\"}}";
  build b;
  build_new(&b, 1);
  build_parse(&b, beam);
  if (!build_simulate(&b)) FAIL("%s", b.message);
  if (b.failed) return;
  expect(&b, "pin", "", "");
  CHECK(b.sim->output.shared[1].load && b.sim->output.shared[2].load);
  CHECK(!column_shared(&b, "f") && column_shared(&b, "one") && !column_shared(&b, "both"));
  build_free(&b);
}
