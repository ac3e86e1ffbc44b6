/* equations that the user writes, as motions: those of a joint written by hand move and push as that joint, in all coordinates and
 * formulations; a bead on a wire that turns has a closed form; what is switched off lets go. */
#include "support/build.h"
#include "test.h"

/* runs one text, whose ' stand for ", with settings of its own; false: said */
static bool run(const char *text, const char *coordinates, const char *formulation, build *b, build_table *t) {
  char quoted[6000];
  size_t n = strlen(text);
  if (n >= sizeof quoted) return false;
  for (size_t i = 0; i <= n; i++) quoted[i] = text[i] == '\'' ? '"' : text[i];
  build_new(b, 1);
  build_parse(b, quoted);
  build_set(b, "/coordinates", "\"%s\"", coordinates);
  build_set(b, "/run/formulation", "\"%s\"", formulation);
  build_tight(b, 0.6, 0.05);
  if (build_simulate(b) && build_run(b, t)) return true;
  FAIL("%s %s: %s", coordinates, formulation, b->message);
  return false;
}

/* largest difference of the columns both have in the same place, over the largest value of each, in the first `columns` */
static double apart(const build_table *x, const build_table *y, int columns) {
  double most = x->rows == y->rows && x->rows > 10 && x->columns >= columns && y->columns >= columns ? 0 : INFINITY;
  for (int k = 0; k < columns; k++) {
    double size = 0, off = 0;
    for (int i = 0; i < x->rows; i++) {
      size = fmax(size, fabs(build_at(x, i, k)));
      off = fmax(off, fabs(build_at(x, i, k) - build_at(y, i, k)));
    }
    if (!(off <= most * size)) most = isnan(off) ? INFINITY : off / size;
  }
  return most;
}

/* the joint of the library and the equation by hand agree to 1e-9 in motion and reaction */
static void twins(const char *what, const char *by_joint, const char *by_hand, int columns) {
  static const struct {
    const char *coordinates, *formulation;
  } forms[] = {{"absolute", "augmented"},
               {"relative", "augmented"},
               {"absolute", "gauss"},
               {"relative", "nullspace"},
               {"absolute", "partition"}};
  build b;
  build_table joint = {0};
  double most = 0;
  if (!run(by_joint, "absolute", "augmented", &b, &joint)) return;
  build_free(&b);
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
    build_table hand = {0};
    const bool ran = run(by_hand, forms[k].coordinates, forms[k].formulation, &b, &hand);
    const double off = ran ? apart(&joint, &hand, columns) : INFINITY;
    if (!(off <= 1e-9)) FAIL("%s, %s %s: off by %.3g", what, forms[k].coordinates, forms[k].formulation, off);
    most = fmax(most, off);
    build_table_free(&hand);
    build_free(&b);
  }
  printf("%s: %.1e\n", what, most);
  build_table_free(&joint);
}

#define TWO_BODIES                                                                                                     \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'points': {'S': [1.4, 0.2], 'B': [2.2, 0.1]},"                  \
  "'bodies': {'s': {'mass': 1.3, 'inertia': 0.2, 'position': [1, 0]},"                                                 \
  "           'b': {'mass': 0.7, 'inertia': 0.1, 'position': [2.5, 0.3]}},"                                            \
  "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 's'], 'at': [0, 0]},"

TEST(a_distance_in_the_plane) {
  twins("distance",
        TWO_BODIES
        "'rod': {'type': 'distance', 'between': ['s', 'b'], 'at': ['S', 'B']}},"
        "'outputs': {'a': 's.angle', 'x': 'b.x', 'w': 'b.rate', 'force': 'norm(force(rod))', 'pin': 'pin.fx'}}",
        TWO_BODIES "'rod': {'type': 'constraint', 'value': 'norm(position(b, B) - position(s, S)) - dist(S, B)'}},"
                   "'outputs': {'a': 's.angle', 'x': 'b.x', 'w': 'b.rate', 'force': 'abs(rod.load)', 'pin': 'pin.fx'}}",
        5);
}

/* the same equation squared has other multipliers, 1/(2 l) of them, and the same motion */
TEST(a_distance_squared) {
  twins(
      "distance squared",
      TWO_BODIES
      "'rod': {'type': 'distance', 'between': ['s', 'b'], 'at': ['S', 'B']}},"
      "'outputs': {'a': 's.angle', 'x': 'b.x', 'w': 'b.rate', 'force': 'norm(force(rod))', 'pin': 'pin.fx'}}",
      TWO_BODIES
      "'rod': {'type': 'constraint', 'unit': 'm^2', 'value': "
      "'dot(position(b, B) - position(s, S), position(b, B) - position(s, S)) - dist(S, B)^2'}},"
      "'outputs': {'a': 's.angle', 'x': 'b.x', 'w': 'b.rate', 'force': '2*dist(S, B)*abs(rod.load)', 'pin': 'pin.fx'}}",
      5);
}

TEST(a_distance_and_a_right_angle_in_space) {
#define BALLS                                                                                                          \
  "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'points': {'S': [1.4, 0.2, -0.1], 'B': [2.2, 0.1, 0.3]},"    \
  "'bodies': {'s': {'mass': 1.3, 'inertia': [0.2, 0.3, 0.25], 'position': [1, 0, 0]},"                                 \
  "           'b': {'mass': 0.7, 'inertia': [0.1, 0.15, 0.12], 'position': [2.5, 0.3, 0.2]}},"                         \
  "'start': {'s.w1': 1, 'b.w3': 2},"                                                                                   \
  "'joints': {'ball': {'type': 'spherical', 'between': ['ground', 's'], 'at': [0, 0, 0]},"
#define SEEN "'outputs': {'x': 'b.x', 'z': 's.z', 'w': 'b.wy', 'ball': 'ball.fz', "
  twins("distance and right angle",
        BALLS "'rod': {'type': 'distance', 'between': ['s', 'b'], 'at': ['S', 'B']},"
              "'right': {'type': 'perpendicular', 'between': ['s', 'b'], 'axes': ['x', 'y']}}," SEEN
              "'force': 'norm(force(rod))', 'torque': 'norm(torque(right))'}}",
        BALLS "'rod': {'type': 'constraint', 'value': 'norm(position(b, B) - position(s, S)) - dist(S, B)'},"
              "'right': {'type': 'constraint', 'value': 'dot(axis(s, x), axis(b, y))'}}," SEEN
              "'force': 'abs(rod.load)', 'torque': 'abs(right.load)'}}",
        6);
}

TEST(a_blade) {
#define SLEIGH                                                                                                         \
  "{'tenon': 1, 'dimension': 2, 'bodies': {'sled': {'mass': 1, 'inertia': 0.5, 'center': [0.25, 0]}},"                 \
  "'start': {'sled.vx': 0.5, 'sled.rate': 2}, 'joints': {'blade': "
  twins("Chaplygin's sleigh",
        SLEIGH "{'type': 'knife-edge', 'between': ['ground', 'sled'], 'at': 'sled', 'axis': 'x'}},"
               "'outputs': {'x': 'sled.x', 'y': 'sled.y', 'angle': 'sled.angle', 'across': 'norm(force(blade))'}}",
        SLEIGH "{'type': 'constraint', 'rate': 'cos(sled.angle)*sled.vy - sin(sled.angle)*sled.vx'}},"
               "'outputs': {'x': 'sled.x', 'y': 'sled.y', 'angle': 'sled.angle', 'across': 'abs(blade.load)'}}",
        4);
}

/* the lowest point of the rim is the centre - r m, m = p/|p|, p = n - (n'a) a; it touches, and does not slip */
TEST(a_rolling_disc) {
#define DISC                                                                                                           \
  "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'points': {'X': [1, 0, 0], 'Y': [0, 1, 0], 'N': [0, 0, 1]}," \
  "'bodies': {'disc': {'mass': 1, 'inertia': [0.0625, 0.0625, 0.125],"                                                 \
  "  'position': [0, 0, '0.5*sin(75*deg)'], 'euler': {'zxz': [0, '75*deg', 0]}}},"                                     \
  "'start': {'disc.w1': 0, 'disc.w2': 0.1, 'disc.w3': -4},"
#define RIM "(N - axis(disc, z).z*axis(disc, z))/norm(N - axis(disc, z).z*axis(disc, z))"
#define SLIP(along) "'dot(" along ", velocity(disc) - 0.5*cross(omega(disc), " RIM "))'"
#define SHOWN "'outputs': {'x': 'disc.x', 'y': 'disc.y', 'lean': 'axis(disc, z).z', 'w': 'disc.w3', "
  twins("rolling disc",
        DISC "'joints': {'table': {'type': 'rolling-disc', 'between': ['ground', 'disc'], 'at': 'disc', "
             "'axis': [0, '-sin(75*deg)', 'cos(75*deg)'], 'radius': 0.5}}," SHOWN
             "'up': 'table.fz', 'side': 'table.fx', 'other': 'table.fy'}}",
        DISC "'joints': {'touch': {'type': 'constraint', 'value': 'disc.z - 0.5*sqrt(1 - axis(disc, z).z^2)'},"
             "'slip': {'type': 'constraint', 'unit': 'm', 'rate': " SLIP(
                 "X") "},"
                      "'slide': {'type': 'constraint', 'unit': 'm', 'rate': " SLIP(
                          "Y") "}}," SHOWN "'up': 'touch.load', 'side': 'slip.load', 'other': 'slide.load'}}",
        7);
}

/* a crank that is driven: load, power and the work of the driver */
TEST(a_driven_crank) {
#define CRANK                                                                                                          \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'bodies': {'crank': {'rod': [[0, 0], [0.3, 0]], 'mass': 2},"    \
  "'arm': {'rod': [[0.3, 0], [0.7, 0]], 'mass': 1}},"                                                                  \
  "'joints': {'main': {'type': 'revolute', 'between': ['ground', 'crank'], 'at': [0, 0]},"                             \
  "  'elbow': {'type': 'revolute', 'between': ['crank', 'arm'], 'at': [0.3, 0]}, 'motor': "
#define DONE                                                                                                           \
  "}, 'outputs': {'a': 'elbow.angle', 'load': 'motor.load', 'power': 'motor.power', 'work': 'energy.driver', "         \
  "'fx': 'main.fx'}}"
  twins("driver", CRANK "{'type': 'driver', 'on': 'main.angle', 'value': '1 - cos(2*t)'}" DONE,
        CRANK "{'type': 'constraint', 'value': 'main.angle - (1 - cos(2*t))'}" DONE, 5);
}

/* a coupling of three angles has no joint: absolute and relative coordinates are two forms of it */
TEST(a_coupling_of_angles_in_both_coordinates) {
#define CHAIN                                                                                                          \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'bodies': {'a': {'rod': [[0, 0], [0.3, 0]], 'mass': 2},"        \
  "'b': {'rod': [[0.3, 0], [0.7, 0]], 'mass': 1}, 'c': {'rod': [[0.7, 0], [1, 0]], 'mass': 1}},"                       \
  "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]},"                                    \
  "  'B': {'type': 'revolute', 'between': ['a', 'b'], 'at': [0.3, 0]},"                                                \
  "  'C': {'type': 'revolute', 'between': ['b', 'c'], 'at': [0.7, 0]}, "                                               \
  "  'law': {'type': 'constraint', 'value': 'C.angle - 0.4*A.angle*B.angle - 0.3*sin(B.angle)'}},"                     \
  "'outputs': {'a': 'A.angle', 'b': 'B.angle', 'c': 'C.angle', 'load': 'law.load', 'f': 'A.fx', 'g': 'C.fy'}}"
  twins("coupling", CHAIN, CHAIN, 6);
}

/* a bead on a straight wire through the origin that turns at w, from rest on it: r = r0 cosh(w t). the wire does the work */
TEST(a_bead_on_a_turning_wire) {
  static const char text[] =
      "{'tenon': 1, 'dimension': 2, 'constants': {'w': 1.7}, 'bodies': {'bead': {'mass': 2, 'coordinates': 'point', "
      "'position': [0.4, 0]}}, 'joints': {'wire': {'type': 'constraint', 'unit': 'm', "
      "'value': 'cos(w*t)*bead.y - sin(w*t)*bead.x'}}, 'start': {'bead.vx': 0},"
      "'outputs': {'r': 'norm(position(bead))', 'load': 'wire.load', 'work': 'energy.driver', 'balance': "
      "'energy.balance', 'power': 'wire.power'}}";
  build b;
  build_table t = {0};
  if (!run(text, "absolute", "augmented", &b, &t)) return;
  const double w = 1.7;
  for (int i = 0; i < t.rows; i++) {
    const double time = build_at(&t, i, -1), r = 0.4 * cosh(w * time), rate = 0.4 * w * sinh(w * time);
    CHECK_NEAR(build_at(&t, i, 0), r, 1e-10 * r);
    CHECK_NEAR(build_at(&t, i, 1), 2 * 2 * w * rate, 1e-9 * (1 + rate)); /* 2 m w rdot, across the wire */
    CHECK_NEAR(build_at(&t, i, 4), build_at(&t, i, 1) * w * r, 1e-9 * (1 + rate * r));
    /* m (rdot^2 + w^2 r^2)/2 less what it had */
    CHECK_NEAR(build_at(&t, i, 2), rate * rate + w * w * (r * r - 0.16), 1e-9 * (1 + r * r));
    CHECK_NEAR(build_at(&t, i, 3), 0, 1e-9);
  }
  CHECK(t.rows == 13);
  build_table_free(&t);
  build_free(&b);
}

/* let go by an event: then it flies */
TEST(an_event_lets_go) {
  static const char text[] =
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'bodies': {'bead': {'mass': 2, 'coordinates': 'point', "
      "'position': [0, 1]}}, 'joints': {'ring': {'type': 'constraint', 'active': true, "
      "'value': 'norm(position(bead)) - 1'}}, 'start': {'bead.vx': 1},"
      "'events': {'off': {'when': 't - 0.23', 'do': {'off': 'ring'}}},"
      "'outputs': {'x': 'bead.x', 'y': 'bead.y', 'vx': 'bead.vx', 'vy': 'bead.vy', 'load': 'ring.load'}}";
  build b;
  build_table t = {0};
  if (!run(text, "absolute", "augmented", &b, &t)) return;
  for (int i = 0; i < t.rows; i++) {
    const double time = build_at(&t, i, -1), d = time - 0.25;
    if (time < 0.23) {
      CHECK_NEAR(hypot(build_at(&t, i, 0), build_at(&t, i, 1)), 1, 1e-12);
      CHECK(fabs(build_at(&t, i, 4)) > 0.1);
    } else if (time >= 0.249) {
      CHECK_NEAR(build_at(&t, i, 0), build_at(&t, 5, 0) + build_at(&t, 5, 2) * d, 1e-10);
      CHECK_NEAR(build_at(&t, i, 1), build_at(&t, 5, 1) + build_at(&t, 5, 3) * d - 9.81 * d * d / 2, 1e-9);
      CHECK(build_at(&t, i, 4) == 0);
    }
  }
  build_table_free(&t);
  build_free(&b);
}

/* an equation that repeats a joint is redundant, and takes nothing from the motion */
TEST(an_equation_that_repeats_a_joint) {
  build b;
  build_table one = {0}, two = {0};
  static const char alone[] =
      TWO_BODIES "'rod': {'type': 'constraint', 'value': 'norm(position(b, B) - position(s, S)) - dist(S, B)'}},"
                 "'outputs': {'a': 's.angle', 'x': 'b.x', 'force': 'rod.load'}}",
                    twice[] = TWO_BODIES
                    "'rod': {'type': 'constraint', 'value': 'norm(position(b, B) - position(s, S)) - dist(S, B)'},"
                    "'again': {'type': 'constraint', 'value': 'norm(position(b, B) - position(s, S)) - dist(S, B)'}},"
                    "'outputs': {'a': 's.angle', 'x': 'b.x', 'force': 'rod.load + again.load', 'share': "
                    "'rod.load - again.load'}}";
  if (!run(alone, "absolute", "augmented", &b, &one)) return;
  build_free(&b);
  if (!run(twice, "absolute", "augmented", &b, &two)) return;
  CHECK(apart(&one, &two, 3) < 1e-9);
  CHECK(tn_sim_summary(b.sim)->redundant_rows == 1);
  for (int i = 0; i < two.rows; i++) CHECK_NEAR(build_at(&two, i, 3), 0, 1e-9); /* each has half of it */
  build_table_free(&one);
  build_table_free(&two);
  build_free(&b);
}

/* bodies that stretch: without a stabilizer |e| drifts by 1e-5 and more, and the equation has the part of that rate too */
TEST(a_distance_between_bodies_that_stretch) {
#define STRETCHED                                                                                                      \
  "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'points': {'S': [1.4, 0.2, -0.1], 'B': [2.2, 0.1, 0.3]},"    \
  "'bodies': {'s': {'mass': 1.3, 'inertia': [0.2, 0.3, 0.25], 'position': [1, 0, 0]},"                                 \
  "           'b': {'mass': 0.7, 'inertia': [0.1, 0.15, 0.12], 'position': [2.5, 0.3, 0.2]}},"                         \
  "'body_coordinates': 'euler-parameters:normalized=false', 'start': {'s.wx': 6, 'b.wz': 8},"                          \
  "'run': {'until': 2, 'every': 0.1, 'method': 'fci', 'integrator': {'type': 'rk4', 'step': 0.05},"                    \
  "        'contract': {'breach': 'record'}},"                                                                         \
  "'outputs': {'x': 'b.x', 'y': 's.y', 'w': 'b.wy', 'e': 'b.e0^2 + b.e1^2 + b.e2^2 + b.e3^2', 'load': "
  static const char *const texts[] = {
      STRETCHED "'abs(rod.load)'}, 'joints': {'rod': {'type': 'constraint', 'value': 'norm(position(b, B) - "
                "position(s, S)) - dist(S, B)'}}}",
      STRETCHED
      "'norm(force(rod))'}, 'joints': {'rod': {'type': 'distance', 'between': ['s', 'b'], 'at': ['S', 'B']}}}"};
  build_table t[2] = {{0}, {0}};
  for (int k = 0; k < 2; k++) {
    char quoted[3000];
    build b;
    size_t n = strlen(texts[k]);
    for (size_t i = 0; i <= n; i++) quoted[i] = texts[k][i] == '\'' ? '"' : texts[k][i];
    build_new(&b, 1);
    build_parse(&b, quoted);
    if (!build_simulate(&b) || !build_run(&b, &t[k])) FAIL("%s", b.message);
    build_free(&b);
  }
  const double drift = t[0].rows ? fabs(build_at(&t[0], t[0].rows - 1, 3) - 1) : 0;
  printf("|e|^2 is off by %.1e, the runs by %.1e\n", drift, apart(&t[0], &t[1], 5));
  CHECK(drift > 1e-5);
  CHECK(apart(&t[0], &t[1], 5) < 1e-9);
  for (int k = 0; k < 2; k++) build_table_free(&t[k]);
}
