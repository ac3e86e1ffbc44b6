/* units of outputs: every kind of channel has its own, sums and parts keep it, and where it does not follow none is claimed. */
#include "support/build.h"
#include "test.h"

/* one of everything that has a channel */
static const char world[] =
    "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'constants': {'k': 2}, 'tables': {'w': [0, 1], 'v': [0, 1]},"
    "'points': {'O': [0, 0], 'P': [1, 0], 'Q': [2, 0], 'R': [3, 0]},"
    "'bodies': {'arm': {'rod': ['O', 'P'], 'mass': 1}, 'block': {'mass': 1, 'inertia': 1, 'position': 'Q'},"
    "  'bob': {'mass': 1, 'position': 'R', 'coordinates': 'point'},"
    "  'leg': {'rod': ['P', 'Q'], 'mass': 1, 'coordinates': {'type': 'swing', 'parent': 'arm', 'at': 'P'}}},"
    "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'arm'], 'at': 'O'},"
    "  'slide': {'type': 'prismatic', 'between': ['ground', 'block'], 'at': 'Q', 'axis': 'x'},"
    "  'string': {'type': 'distance', 'between': ['ground', 'bob'], 'at': ['Q', 'R']},"
    "  'square': {'type': 'distance', 'between': ['ground', 'bob'], 'at': ['Q', 'R'], 'form': 'squared'},"
    "  'turn': {'type': 'driver', 'on': 'pin.angle', 'value': 't'},"
    "  'push': {'type': 'driver', 'on': 'slide.shift', 'value': 't'},"
    "  'sum': {'type': 'coordinate', 'terms': {'bob.x': 1, 'bob.y': 2}, 'value': 3},"
    "  'held': {'type': 'center-of-mass', 'bodies': ['bob'], 'axis': 'x', 'value': 3}},"
    "'forces': {'spring': {'type': 'spring', 'between': ['arm', 'block'], 'at': ['P', 'Q'], 'stiffness': 1},"
    "  'motor': {'type': 'torque', 'on': 'arm', 'value': 1}}}";

/* the unit of the first column of an output, and the same for all of them; NULL: it was refused */
static const char *unit_of(const char *expression) {
  static char unit[32];
  char text[sizeof world];
  build b;
  unit[0] = 0;
  build_new(&b, 1);
  for (size_t i = 0; i < sizeof world; i++) text[i] = world[i] == '\'' ? '"' : world[i];
  build_parse(&b, text);
  build_set(&b, "/outputs/y", "\"%s\"", expression);
  tn_error e;
  if (build_compile(&b) && tn_sim_new(b.model, &b.sim, &e) == TN_OK) {
    snprintf(unit, sizeof unit, "%s", tn_sim_column_unit(b.sim, 0));
    for (int i = 1; i < tn_sim_columns(b.sim); i++) CHECK_TEXT(tn_sim_column_unit(b.sim, i), unit);
    CHECK(!tn_sim_column_unit(b.sim, -1) && !tn_sim_column_unit(b.sim, tn_sim_columns(b.sim)));
  } else {
    FAIL("%s: %s", expression, b.message);
  }
  build_free(&b);
  return unit;
}

typedef struct expected {
  const char *expression, *unit;
} expected;

static void check_all(const expected *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const char *unit = unit_of(list[i].expression);
    if (strcmp(unit, list[i].unit) != 0) FAIL("%s: \"%s\", not \"%s\"", list[i].expression, unit, list[i].unit);
  }
}
#define CHECK_ALL(list) check_all(list, sizeof(list) / sizeof *(list))

TEST(every_channel_has_its_unit) {
  static const expected list[] = {{"arm.x", "m"},
                                  {"arm.y", "m"},
                                  {"arm.angle", "rad"},
                                  {"arm.vx", "m/s"},
                                  {"arm.vy", "m/s"},
                                  {"arm.rate", "rad/s"},
                                  {"arm.ax", "m/s^2"},
                                  {"arm.ay", "m/s^2"},
                                  {"arm.accel", "rad/s^2"},
                                  {"bob.x", "m"},
                                  {"bob.vy", "m/s"},
                                  {"bob.ax", "m/s^2"},
                                  {"leg.angle", "rad"},
                                  {"leg.rate", "rad/s"},
                                  {"leg.accel", "rad/s^2"},
                                  {"leg.x", "m"},
                                  {"leg.fx", "N"},
                                  {"leg.fy", "N"},
                                  {"pin.angle", "rad"},
                                  {"pin.rate", "rad/s"},
                                  {"slide.shift", "m"},
                                  {"slide.speed", "m/s"},
                                  {"pin.fx", "N"},
                                  {"pin.fy", "N"},
                                  {"pin.t", "N m"},
                                  {"pin.sfx", "N"},
                                  {"pin.sfy", "N"},
                                  {"pin.st", "N m"},
                                  {"slide.fy", "N"},
                                  {"slide.t", "N m"},
                                  {"string.fx", "N"},
                                  {"square.fx", "N"},
                                  {"turn.load", "N m"},
                                  {"push.load", "N"},
                                  {"sum.load", "N"},
                                  {"held.load", "N"},
                                  {"pin.violation", "1"},
                                  {"turn.violation", "1"},
                                  {"square.violation", "1"},
                                  {"turn.power", "W"},
                                  {"pin.power", "W"},
                                  {"held.power", "W"},
                                  {"spring.power", "W"},
                                  {"motor.power", "W"},
                                  {"spring.energy", "J"},
                                  {"motor.energy", "J"},
                                  {"energy.kinetic", "J"},
                                  {"energy.potential", "J"},
                                  {"energy.total", "J"},
                                  {"energy.force", "J"},
                                  {"energy.driver", "J"},
                                  {"energy.stabilizer", "J"},
                                  {"energy.balance", "J"},
                                  {"energy.dissipated", "J"},
                                  {"t", "s"}};
  CHECK_ALL(list);
}

TEST(functions_of_bodies_and_joints_have_theirs) {
  static const expected list[] = {{"position(arm)", "m"},      {"position(arm, P)", "m"},
                                  {"velocity(arm, P)", "m/s"}, {"acceleration(arm, P)", "m/s^2"},
                                  {"omega(arm)", "rad/s"},     {"axis(arm, x)", "1"},
                                  {"axis(arm, y)", "1"},       {"force(pin)", "N"},
                                  {"torque(pin)", "N m"},      {"force(string)", "N"}};
  CHECK_ALL(list);
}

TEST(what_keeps_the_unit) {
  static const expected list[] = {{"-arm.x", "m"},
                                  {"arm.x + block.x", "m"},
                                  {"arm.x - block.x + bob.y", "m"},
                                  {"-(arm.angle - pin.angle)", "rad"},
                                  {"abs(arm.vx - bob.vx)", "m/s"},
                                  {"min(arm.x, bob.x, block.x)", "m"},
                                  {"max(arm.x, -bob.x)", "m"},
                                  {"position(arm, P).x", "m"},
                                  {"position(arm, P).y - bob.y", "m"},
                                  {"norm(position(arm, P) - position(bob))", "m"},
                                  {"norm(force(pin) + force(slide))", "N"},
                                  {"-force(pin)", "N"},
                                  {"norm(velocity(arm, P))", "m/s"},
                                  {"energy.kinetic + energy.potential - spring.energy", "J"},
                                  {"norm(-force(pin)) + pin.fx", "N"},
                                  {"turn.load + pin.t", "N m"},
                                  {"t - t", "s"}};
  CHECK_ALL(list);
}

/* a number may stand for anything, and a product has a unit of its own: better none than a wrong one */
TEST(what_does_not_follow_is_not_claimed) {
  static const expected list[] = {{"2*arm.x", ""},
                                  {"arm.x*2", ""},
                                  {"arm.x/2", ""},
                                  {"arm.x + 1", ""},
                                  {"1 - arm.x", ""},
                                  {"arm.x + k", ""},
                                  {"arm.x + P.x", ""},
                                  {"position(arm) - P", ""},
                                  {"norm(P - position(arm))", ""},
                                  {"(position(arm) + P).x", ""},
                                  {"position(arm) + P - P", ""},
                                  {"arm.x*bob.x", ""},
                                  {"arm.x/bob.x", ""},
                                  {"arm.x^2", ""},
                                  {"sqrt(arm.x)", ""},
                                  {"sin(arm.angle)", ""},
                                  {"arm.x + arm.angle", ""},
                                  {"arm.x - arm.vx", ""},
                                  {"max(arm.x, arm.angle)", ""},
                                  {"max(arm.x, 0)", ""},
                                  {"dot(force(pin), velocity(arm))", ""},
                                  {"cross(position(arm), force(pin))", ""},
                                  {"2*force(pin)", ""},
                                  {"force(pin)/2", ""},
                                  {"force(pin) + velocity(arm)", ""},
                                  {"in(arm, force(pin))", ""},
                                  {"if(t < 1, arm.x, bob.x)", ""},
                                  {"arm.x < bob.x", ""},
                                  {"step(t)", ""},
                                  {"table(w, v, t)", ""},
                                  {"atan2(arm.y, arm.x)", ""},
                                  {"mod(arm.angle, 2*pi)", ""},
                                  {"arm.x - t", ""},
                                  {"P", ""},
                                  {"1", ""},
                                  {"pi", ""}};
  CHECK_ALL(list);
}

TEST(columns_that_nobody_asked_for_have_units_too) {
  static const expected list[] = {{"arm.x", "m"},        {"arm.angle", "rad"}, {"arm.vx", "m/s"},
                                  {"arm.rate", "rad/s"}, {"bob.vy", "m/s"},    {"pin.angle", "rad"},
                                  {"pin.rate", "rad/s"}, {"slide.shift", "m"}, {"slide.speed", "m/s"}};
  build b;
  char text[sizeof world];
  build_new(&b, 1);
  for (size_t i = 0; i < sizeof world; i++) text[i] = world[i] == '\'' ? '"' : world[i];
  build_parse(&b, text);
  tn_error e;
  CHECK(build_compile(&b) && tn_sim_new(b.model, &b.sim, &e) == TN_OK);
  for (size_t i = 0; b.sim && i < sizeof list / sizeof *list; i++) {
    const int k = build_column(&b, list[i].expression);
    CHECK(k >= 0);
    if (k >= 0) CHECK_TEXT(tn_sim_column_unit(b.sim, k), list[i].unit);
  }
  for (int i = 0; b.sim && i < tn_sim_columns(b.sim); i++) CHECK(*tn_sim_column_unit(b.sim, i));
  build_free(&b);
}

/* a wheel on a rack: whether its row is in m or in rad, only the coefficients know */
TEST(the_load_of_a_row_over_lengths_and_angles_is_not_claimed) {
  static const char *const terms[] = {"{\"arm.angle\": 0.5, \"block.x\": -1}", "{\"block.x\": -1, \"arm.angle\": 0.5}"};
  for (int i = 0; i < 2; i++) {
    build b;
    char text[sizeof world];
    build_new(&b, 1);
    for (size_t k = 0; k < sizeof world; k++) text[k] = world[k] == '\'' ? '"' : world[k];
    build_parse(&b, text);
    build_set(&b, "/joints/rack", "{\"type\": \"coordinate\", \"terms\": %s, \"value\": -2}", terms[i]);
    build_set(&b, "/outputs", "{\"effort\": \"rack.load\"}");
    tn_error e;
    CHECK(build_compile(&b) && tn_sim_new(b.model, &b.sim, &e) == TN_OK);
    if (b.sim) CHECK_TEXT(tn_sim_column_unit(b.sim, 0), "");
    build_free(&b);
  }
}

/* components of a vector, each with the unit of the whole */
TEST(vectors_are_columns_of_one_unit) {
  build b;
  char text[sizeof world];
  build_new(&b, 1);
  for (size_t i = 0; i < sizeof world; i++) text[i] = world[i] == '\'' ? '"' : world[i];
  build_parse(&b, text);
  build_set(&b, "/outputs", "{\"tip\": \"position(arm, P)\", \"pull\": \"force(pin)\", \"way\": \"2*arm.x\"}");
  static const char *const names[] = {"tip.x", "tip.y", "pull.x", "pull.y", "way"}, *const units[] = {"m", "m", "N",
                                                                                                      "N", ""};
  tn_error e;
  CHECK(build_compile(&b) && tn_sim_new(b.model, &b.sim, &e) == TN_OK);
  CHECK(b.sim && tn_sim_columns(b.sim) == 5);
  for (int i = 0; b.sim && i < 5; i++) {
    CHECK_TEXT(tn_sim_column(b.sim, i), names[i]);
    CHECK_TEXT(tn_sim_column_unit(b.sim, i), units[i]);
  }
  build_free(&b);
}
