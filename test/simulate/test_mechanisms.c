/* mechanisms in space against closed forms, in absolute and in relative coordinates: every joint, gears, rolling, drivers,
 * channels; what is refused and with which words; and mechanisms put together at random, which must keep their energy. */
#include "support/reference.h"
#include "test.h"

#include <stdarg.h>
#include <stdint.h>

static const double g = 9.81, PI = 3.141592653589793;

/* ---- small models as text, ' for " -------------------------------------------------------------------------------------- */

typedef struct motion {
  ref_table table;
  tn_summary sum;
  bool ok;
} motion;

static char *whole(int dimension, bool relative, const char *run, const char *sections) {
  const size_t n = strlen(sections) + strlen(run) + 256;
  char *text = malloc(n);
  if (!text) abort();
  snprintf(text, n, "{'tenon': 1, 'dimension': %d%s, %s%s}", dimension, relative ? ", 'coordinates': 'relative'" : "",
           sections, run);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  return text;
}

static const char *coordinates = ""; /* of the last motion, for messages */

static motion move_in(int dimension, bool relative, double until, double every, const char *sections) {
  motion m = {.ok = false};
  coordinates = relative ? "relative" : "absolute";
  tn_desc *desc;
  tn_model *model;
  char run[256];
  snprintf(run, sizeof run,
           ", 'run': {'until': %.17g, 'every': %.17g, 'integrator': {'type': 'dopri5', 'rtol': 1e-12, 'atol': 1e-12}}",
           until, every);
  char *text = whole(dimension, relative, run, sections);
  if (ref_desc(text, NULL, &desc)) {
    if (ref_compile(desc, &model)) {
      m.ok = ref_run(model, &m.table, &m.sum);
      tn_model_free(model);
    }
    tn_desc_free(desc);
  }
  if (!m.ok) FAIL("%s coordinates: no motion", coordinates);
  if (m.ok && !(m.sum.energy_balance <= 1e-9 && m.sum.contract_kept))
    FAIL("%s coordinates: energy balance %.3g", coordinates, m.sum.energy_balance);
  free(text);
  return m;
}

static motion move(bool relative, double until, double every, const char *sections) {
  return move_in(3, relative, until, every, sections);
}

static void stop(motion *m) { ref_table_free(&m->table); }

static double at(const motion *m, int row, const char *column) {
  const int k = ref_column(&m->table, column);
  if (k < 0 || row >= m->table.rows) return NAN;
  return m->table.value[(size_t)row * (size_t)m->table.columns + (size_t)k];
}

static double last(const motion *m, const char *column) { return at(m, m->table.rows - 1, column); }

static double worse(double most, double d) { return isnan(d) ? INFINITY : fmax(most, fabs(d)); }

/* the largest |column - expression in t|; VALUE for other columns in the expression */
#define VALUE(column) at(moved, row, column)
#define FOLLOWS(m, column, expression, tolerance)                                                                      \
  do {                                                                                                                 \
    const motion *moved = (m);                                                                                         \
    double off_by = moved->table.rows > 1 ? 0 : INFINITY;                                                              \
    for (int row = 0; row < moved->table.rows; row++) {                                                                \
      const double t = moved->table.t[row];                                                                            \
      (void)t;                                                                                                         \
      off_by = worse(off_by, at(moved, row, column) - (expression));                                                   \
    }                                                                                                                  \
    if (!(off_by <= (tolerance)))                                                                                      \
      FAIL("%s coordinates: %s is off by %.3g > %.3g", coordinates, column, off_by, (double)(tolerance));              \
  } while (0)

/* columns of two runs, `a b c`, or `a=b` where they are named otherwise */
static void same(const motion *a, const motion *b, const char *columns, double tolerance) {
  char where[128];
  if (a->table.rows < 2 || b->table.rows != a->table.rows) {
    FAIL("no two motions to compare");
    return;
  }
  const double d = ref_distance(&a->table, &b->table, columns, INFINITY, false, where);
  if (!(d <= tolerance)) FAIL("two motions differ by %.3g > %.3g: %s", d, tolerance, where);
}

#define BOTH(relative) for (int relative = 0; relative < 2; relative++)

/* ---- screw, cylindrical, shafts ------------------------------------------------------------------------------------------ */

TEST(a_nut_falls_on_a_screw) {
  /* the axis is (1, 2, 2)/3: two thirds of gravity */
  const double m = 0.5, I = 1.5e-4, p = 0.03, h = p / (2 * PI), a = g * 2 / 3 / (1 + I / (m * h * h));
  BOTH(relative) {
    motion s =
        move(relative, 3, 0.05,
             "'gravity': [0, 0, -9.81], 'bodies': { 'nut': { 'mass': 0.5, 'inertia': [1e-4, 1e-4, 1.5e-4], "
             "'position': [1, 2, 2], 'axes': {'z': [1, 2, 2], 'x': [2, -2, 1]} } },"
             "'joints': { 'thread': { 'type': 'screw', 'between': ['ground', 'nut'], 'at': 'nut', 'axis': [1, 2, "
             "2], 'pitch': 0.03 } },"
             "'outputs': { 'angle': 'thread.angle', 'rate': 'thread.rate', 'z': 'nut.z', 'C': "
             "'thread.violation', 'thrust': 'in(thread, force(thread))', 'torque': 'in(thread, torque(thread))' }");
    FOLLOWS(&s, "angle", -0.5 * a * t * t / h, 1e-8);
    FOLLOWS(&s, "rate", -a * t / h, 1e-8);
    FOLLOWS(&s, "z", 2 - 0.5 * a * t * t * 2 / 3, 1e-9);
    FOLLOWS(&s, "C", 0, 1e-12);
    FOLLOWS(&s, "thrust.z", m * (g * 2 / 3 - a), 1e-9);
    FOLLOWS(&s, "torque.z", -I * a / h, 1e-9);
    CHECK(last(&s, "angle") < -6 * 2 * PI);
    stop(&s);
  }
}

TEST(a_cylinder_slides_and_spins) {
  BOTH(relative) {
    motion s = move(relative, 2, 0.05,
                    "'gravity': [0, 0, -9.81], 'bodies': { 'bush': { 'mass': 2, 'inertia': [0.02, 0.03, 0.01], "
                    "'axes': {'z': [1, 2, 2], 'x': [2, -2, 1]} } },"
                    "'joints': { 'rail': { 'type': 'cylindrical', 'between': ['ground', 'bush'], 'at': [1, 2, 2], "
                    "'axis': [1, 2, 2] } },"
                    "'start': { 'rail.rate': 30, 'rail.speed': 4 },"
                    "'outputs': { 'angle': 'rail.angle', 'shift': 'rail.shift', 'f': 'in(rail, force(rail))' }");
    FOLLOWS(&s, "angle", 30 * t, 1e-9);
    FOLLOWS(&s, "shift", 4 * t - 0.5 * g * 2 / 3 * t * t, 1e-9);
    FOLLOWS(&s, "f.z", 0, 1e-10);
    CHECK(s.sum.degrees_of_freedom == 2);
    stop(&s);
  }
}

/* a joint across a bend of b at the origin: input along x, output along (cos b, 0, -sin b) */
#define SHAFTS(joint, more)                                                                                            \
  "'constants': {'b': '30*deg', 'c': 'cos(b)', 's': 'sin(b)'}, 'bodies': {"                                            \
  "  'input': { 'mass': 1, 'inertia': [0.01, 0.02, 0.02], 'position': [-0.2, 0, 0] },"                                 \
  "  'output': { 'mass': 1, 'inertia': [0.03, 0.02, 0.02], 'position': ['0.2*c', 0, '-0.2*s'], "                       \
  "    'axis_angle': ['y', 'b'] } },"                                                                                  \
  "'joints': {"                                                                                                        \
  "  'drive': { 'type': 'revolute', 'between': ['ground', 'input'], 'at': [0, 0, 0], 'axis': 'x' }, " joint            \
  "  , 'bearing': { 'type': 'cylindrical', 'between': ['ground', 'output'], 'at': 'output', 'axis': ['c', 0, '-s'] "   \
  "} " more

#define CARDAN                                                                                                         \
  "'cross': { 'type': 'universal', 'between': ['input', 'output'], 'at': [0, 0, 0], 'axes': ['y', ['s', 0, 'c']] }"

TEST(a_cardan_joint_turns_unevenly) {
  /* a = y is normal to the plane of the shafts at the start: theta = 90 deg + w t in the formula */
  const double w = 7, b = PI / 6, cb = cos(b), sb = sin(b), I = 0.03;
  BOTH(relative) {
    motion s = move(
        relative, 3, 0.05,
        SHAFTS(
            CARDAN,
            ", 'motor': { 'type': 'driver', 'on': 'drive.angle', 'value': '7*t' } },") "'outputs': { 'in': "
                                                                                       "'drive.angle', 'angle': "
                                                                                       "'bearing.angle', 'rate': "
                                                                                       "'bearing.rate', 'w1': "
                                                                                       "'output.w1', 'power': "
                                                                                       "'motor.power', 'torque': "
                                                                                       "'motor.load', 'a1': "
                                                                                       "'cross.angle1', 'r1': "
                                                                                       "'cross.rate1', 'turned': "
                                                                                       "'in(input, axis(output, z))', "
                                                                                       "'shift': 'bearing.shift' }");
    FOLLOWS(&s, "in", w * t, 1e-10);
    FOLLOWS(&s, "rate", w * cb / (1 - sb * sb * pow(sin(w * t), 2)), 1e-9);
    FOLLOWS(&s, "w1", VALUE("rate"), 1e-10);
    FOLLOWS(&s, "shift", 0, 1e-11);
    /* tan(angle) = cos b tan(w t), turns counted */
    FOLLOWS(&s, "angle", atan2(cb * sin(w * t), cos(w * t)) + 2 * PI * floor((w * t + PI) / (2 * PI)), 1e-9);
    /* what the motor gives is what the output gains: d/dt I w^2/2 */
#define N_ (1 - sb * sb * pow(sin(w * t), 2))
    FOLLOWS(&s, "power", I * pow(w * cb / N_, 2) * (2 * sb * sb * sin(w * t) * cos(w * t) * w / N_), 1e-7);
    FOLLOWS(&s, "torque", VALUE("power") / w, 1e-9);
#undef N_
    CHECK(s.sum.degrees_of_freedom == 0 && s.sum.redundant_rows == 2); /* the bearings hold the point too */
    CHECK(last(&s, "angle") > 6 * PI);
    stop(&s);
  }
}

TEST(two_cardan_joints_turn_evenly) {
  BOTH(relative) {
    motion s =
        move(relative, 3, 0.05,
             "'constants': {'b': '25*deg', 'c': 'cos(b)', 's': 'sin(b)', 'l': 0.5}, 'bodies': {"
             "  'input': { 'mass': 1, 'inertia': [0.01, 0.02, 0.02] },"
             "  'middle': { 'mass': 2, 'inertia': [0.01, 0.04, 0.04], 'position': ['l*c/2', 0, '-l*s/2'], "
             "'axis_angle': ['y', "
             "'b'] },"
             "  'output': { 'mass': 1, 'inertia': [0.05, 0.03, 0.03], 'position': ['l*c', 0, '-l*s'] } },"
             "'joints': {"
             "  'drive': { 'type': 'revolute', 'between': ['ground', 'input'], 'at': [0, 0, 0], 'axis': 'x' },"
             "  'first': { 'type': 'universal', 'between': ['input', 'middle'], 'at': [0, 0, 0], 'axes': ['y', ['s', "
             "0, 'c']] },"
             "  'second': { 'type': 'universal', 'between': ['middle', 'output'], 'at': 'output', 'axes': [['s', 0, "
             "'c'], 'y'] },"
             "  'bearing': { 'type': 'cylindrical', 'between': ['ground', 'output'], 'at': 'output', 'axis': 'x' },"
             "  'motor': { 'type': 'driver', 'on': 'drive.angle', 'value': '5*t' } },"
             "'outputs': { 'angle': 'bearing.angle', 'rate': 'bearing.rate', 'shift': 'bearing.shift', 'middle': "
             "'middle.w1' }");
    const double b = 25 * PI / 180;
    FOLLOWS(&s, "angle", 5 * t, 1e-9);
    FOLLOWS(&s, "rate", 5, 1e-9);
    FOLLOWS(&s, "shift", 0, 1e-10);
    FOLLOWS(&s, "middle", 5 * cos(b) / (1 - pow(sin(b) * sin(5 * t), 2)), 1e-9);
    stop(&s);
  }
}

TEST(a_constant_velocity_joint_turns_evenly) {
  const double T = 0.5, a = T / (0.01 + 0.03);
  BOTH(relative) {
    motion s =
        move(relative, 2, 0.05,
             SHAFTS("'cross': { 'type': 'constant-velocity', 'between': ['input', 'output'], 'at': [0, 0, 0], "
                    "'axes': ['x', ['c', 0, '-s']] }",
                    "},") "'forces': { 'motor': { 'type': 'torque', 'on': 'drive.angle', 'value': 0.5 } },"
                          "'outputs': { 'in': 'drive.angle', 'out': 'bearing.angle', 'rin': 'drive.rate', 'rout': "
                          "'bearing.rate', 'E': 'energy.total', 'W': 'energy.force' }");
    FOLLOWS(&s, "in", 0.5 * a * t * t, 1e-8);
    FOLLOWS(&s, "out", VALUE("in"), 1e-9);
    FOLLOWS(&s, "rin", a * t, 1e-8);
    FOLLOWS(&s, "rout", VALUE("rin"), 1e-9);
    FOLLOWS(&s, "E", T * 0.5 * a * t * t, 1e-8);
    FOLLOWS(&s, "W", VALUE("E"), 1e-9);
    stop(&s);
  }
}

/* a bent shaft whose output swings freely: nothing but the joint holds it, and the twist it takes along is that of the input */
TEST(a_constant_velocity_joint_carries_no_turn_along) {
  motion s = move(false, 2, 0.05,
                  "'bodies': { 'a': { 'mass': 1, 'inertia': [0.1, 0.2, 0.25], 'center': [0, 0, 0.5] } }, 'joints': { "
                  "'j': { 'type': 'constant-velocity', 'between': ['ground', 'a'], 'at': [0, 0, 0], 'axes': ['z', 'z'] "
                  "} }, 'gravity': [0, 2, -9.81], 'start': {'a.wx': 1, 'a.wy': 0.7},"
                  "'outputs': { 'along': 'axis(a, z).z', 'twist': 'axis(a, y).x - axis(a, x).y', 'w': 'dot(omega(a), "
                  "axis(j, z) + axis(a, z))', 'E': 'energy.total' }");
  FOLLOWS(&s, "twist", 0, 1e-10);
  FOLLOWS(&s, "w", 0, 1e-10);
  FOLLOWS(&s, "E", at(&s, 0, "E"), 1e-9);
  CHECK(s.sum.degrees_of_freedom == 2);
  stop(&s);
}

/* ---- planar, spherical, points, directions -------------------------------------------------------------------------------- */

TEST(held_in_a_plane_it_moves_as_in_the_plane) {
  motion p = move_in(2, false, 2, 0.05,
                     "'gravity': [0.5, -9.81], 'bodies': { 'b': { 'mass': 2, 'inertia': 0.3, 'center': [0.1, 0.05], "
                     "'position': [0.4, -0.2], 'angle': 0.3 } },"
                     "'forces': { 's': { 'type': 'spring', 'between': ['ground', 'b'], 'at': [[0, 1], [0.6, 0]], "
                     "'stiffness': 40, 'damping': 0.3, 'length': 0.7 } },"
                     "'start': { 'b.vx': 1, 'b.vy': 0, 'b.rate': 2 },"
                     "'outputs': { 'x': 'b.x', 'y': 'b.y', 'vx': 'b.vx', 'vy': 'b.vy', 'rate': 'b.rate', 'c': "
                     "'cos(b.angle)', 's': 'sin(b.angle)', 'T': 'energy.kinetic', 'V': 'energy.potential' }");
  BOTH(relative) {
    /* x y of the plane are z x of space, its normal is y */
    motion s =
        move(relative, 2, 0.05,
             "'gravity': [-9.81, 0, 0.5], 'bodies': { 'b': { 'mass': 2, 'inertia': [0.2, 0.25, 0.3], 'center': "
             "[0.1, 0.05, 0], 'position': [-0.2, 0, 0.4], 'axes': {'x': ['sin(0.3)', 0, 'cos(0.3)'], 'z': 'y'} } },"
             "'joints': { 'table': { 'type': 'planar', 'between': ['ground', 'b'], 'at': [1, 0, 1], 'normal': "
             "'y' } },"
             "'forces': { 's': { 'type': 'spring', 'between': ['ground', 'b'], 'at': [[1, 0, 0], [0, 0, 0.6]], "
             "'stiffness': 40, 'damping': 0.3, 'length': 0.7 } },"
             "'start': { 'b.vz': 1, 'b.vx': 0, 'b.wy': 2 },"
             "'outputs': { 'x': 'b.z', 'y': 'b.x', 'vx': 'b.vz', 'vy': 'b.vx', 'rate': 'b.wy', 'c': "
             "'axis(b, x).z', 's': 'axis(b, x).x', 'T': 'energy.kinetic', 'V': 'energy.potential', 'off': 'b.y' }");
    same(&s, &p, "x y vx vy rate c s T V", 1e-9);
    FOLLOWS(&s, "off", 0, 1e-12);
    CHECK(s.sum.degrees_of_freedom == 3);
    stop(&s);
  }
  stop(&p);
}

TEST(a_conical_pendulum_turns_in_its_period) {
  const double m = 2, l = 0.8, A = 0.1 + m * l * l, C = 0.03, th = 0.6;
  const double W = sqrt(m * g * l / ((A - C) * cos(th)));
  char text[1600];
  BOTH(relative) {
    snprintf(
        text, sizeof text,
        "'gravity': [0, 0, -9.81], 'constants': {'l': 0.8, 'th': 0.6}, 'points': {'M': ['l*sin(th)', 0, "
        "'-l*cos(th)']},"
        "'bodies': { 'bob': { 'mass': 2, 'inertia': [0.1, 0.1, 0.03], 'center': [0, 0, '-l'], 'axis_angle': ['y', "
        "'-th'] } },"
        "'joints': { 'pivot': { 'type': 'spherical', 'between': ['ground', 'bob'], 'at': [0, 0, 0] } },"
        "'start': { 'bob.wx': 0, 'bob.wy': 0, 'bob.wz': %.17g },"
        "'outputs': { 'm': 'position(bob, M)', 'Lz': 'momentum.lz', 'E': 'energy.total', 'f': 'force(pivot)', 'T': "
        "'torque(pivot)' }",
        W);
    motion s = move(relative, 3, 0.05, text);
    FOLLOWS(&s, "m.x", l * sin(th) * cos(W * t), 1e-9);
    FOLLOWS(&s, "m.y", l * sin(th) * sin(W * t), 1e-9);
    FOLLOWS(&s, "m.z", -l * cos(th), 1e-9);
    FOLLOWS(&s, "Lz", W * (A * pow(sin(th), 2) + C * pow(cos(th), 2)), 1e-10);
    FOLLOWS(&s, "f.z", m * g, 1e-8);
    FOLLOWS(&s, "f.x", -m * W * W * l * sin(th) * cos(W * t), 1e-8);
    FOLLOWS(&s, "T.x", 0, 1e-9);
    stop(&s);
  }
}

TEST(a_spherical_pendulum_keeps_what_it_has) {
  BOTH(relative) {
    motion s = move(relative, 3, 0.05,
                    "'gravity': [0, 0, -9.81], 'bodies': { 'bob': { 'mass': 2, 'inertia': [0.1, 0.12, 0.03], 'center': "
                    "[0.1, 0, -0.8], 'axis_angle': ['y', 1.1] } },"
                    "'joints': { 'pivot': { 'type': 'spherical', 'between': ['ground', 'bob'], 'at': [0, 0, 0] } },"
                    "'start': { 'bob.wx': 1, 'bob.wy': 2, 'bob.wz': 3 },"
                    "'outputs': { 'Lz': 'momentum.lz', 'Lx': 'momentum.lx', 'E': 'energy.total', 'x': 'bob.x' }");
    FOLLOWS(&s, "Lz", at(&s, 0, "Lz"), 1e-9);
    FOLLOWS(&s, "E", at(&s, 0, "E"), 1e-9);
    FOLLOWS(&s, "x", 0, 1e-11);
    CHECK(fabs(at(&s, 0, "Lz")) > 0.1 && fabs(at(&s, 0, "Lx") - at(&s, 20, "Lx")) > 0.1);
    CHECK(s.sum.degrees_of_freedom == 3);
    stop(&s);
  }
}

TEST(a_point_on_a_rope_is_a_conical_pendulum) {
  const double l = 1.3, th = 0.7, W = sqrt(g / (l * cos(th))), m = 0.4;
  static const char *const forms[] = {"length", "squared"};
  char text[900];
  for (int k = 0; k < 2; k++) {
    snprintf(
        text, sizeof text,
        "'gravity': [0, 0, -9.81], 'bodies': { 'p': { 'mass': 0.4, 'coordinates': 'point', 'position': [%.17g, 0, "
        "%.17g] } },"
        "'joints': { 'rope': { 'type': 'distance', 'between': ['ground', 'p'], 'at': [[0, 0, 0]], 'form': '%s' } },"
        "'start': { 'p.vy': %.17g, 'p.vx': 0, 'p.vz': 0 },"
        "'outputs': { 'x': 'p.x', 'y': 'p.y', 'z': 'p.z', 'pull': 'norm(force(rope))', 'fz': 'rope.fz' }",
        l * sin(th), -l * cos(th), forms[k], W * l * sin(th));
    motion s = move(false, 3, 0.05, text);
    FOLLOWS(&s, "x", l * sin(th) * cos(W * t), 1e-9);
    FOLLOWS(&s, "y", l * sin(th) * sin(W * t), 1e-9);
    FOLLOWS(&s, "z", -l * cos(th), 1e-9);
    FOLLOWS(&s, "pull", m * g / cos(th), 1e-9);
    FOLLOWS(&s, "fz", m * g, 1e-9);
    stop(&s);
  }
}

TEST(particles_on_a_plane_and_on_a_line) {
  /* the line along (1, 2, -2)/3; the plane with normal (1, 2, 2)/3, gravity without its part along it */
  const double n[3] = {1. / 3, 2. / 3, 2. / 3}, gn = -g * n[2];
  BOTH(relative) {
    motion s = move(
        relative, 1, 0.02,
        "'gravity': [0, 0, -9.81], 'bodies': { 'bead': { 'mass': 2, 'coordinates': 'point', 'position': [1, 0, 1] }, "
        "'p': { 'mass': 3, 'coordinates': 'point' } },"
        "'joints': { 'wire': { 'type': 'point-on-line', 'between': ['ground', 'bead'], 'axis': [1, 2, -2] },"
        "            'floor': { 'type': 'point-on-plane', 'between': ['ground', 'p'], 'normal': [1, 2, 2] } },"
        "'start': { 'p.vx': 2, 'p.vy': -1 },"
        "'outputs': { 'b': 'position(bead)', 'v': 'velocity(bead)', 'p': 'position(p)', 'side': 'norm(force(wire))', "
        "'f': 'force(floor)' }");
    FOLLOWS(&s, "b.x", 1 + 0.5 * g * 2 / 3 * t * t / 3, 1e-10);
    FOLLOWS(&s, "b.z", 1 - 0.5 * g * 2 / 3 * t * t * 2 / 3, 1e-10);
    FOLLOWS(&s, "v.y", g * 2 / 3 * t * 2 / 3, 1e-10);
    FOLLOWS(&s, "side", 2 * g * sqrt(5) / 3, 1e-9);
    FOLLOWS(&s, "p.x", 2 * t + 0.5 * (-gn * n[0]) * t * t, 1e-10);
    FOLLOWS(&s, "p.y", -t + 0.5 * (-gn * n[1]) * t * t, 1e-10);
    FOLLOWS(&s, "p.z", 0.5 * (-g - gn * n[2]) * t * t, 1e-10); /* vz = -(n1 2 - n2 1)/n3 = 0 */
    FOLLOWS(&s, "f.y", -3 * gn * n[1], 1e-9);
    CHECK(s.sum.degrees_of_freedom == 3);
    stop(&s);
  }
}

TEST(directions_alone_leave_the_rest_free) {
  static const struct {
    const char *type, *axes, *dot;
    int freedom;
    double cosine;
  } cases[] = {{"parallel", "['z', 'z']", "axis(a, z), axis(b, z)", 4, 1},
               {"parallel", "['z', '-z']", "axis(a, z), axis(b, z)", 4, 1},
               {"perpendicular", "['x', 'z']", "axis(a, x), axis(b, z)", 5, 0},
               {"perpendicular", "[[1, 1, 0], 'z']", "axis(a, x) + axis(a, y), axis(b, z)", 5, 0}};
  char text[900];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) BOTH(relative) {
      snprintf(text, sizeof text,
               "'bodies': { 'a': { 'mass': 1, 'inertia': [0.2, 0.3, 0.4], 'center': [0.1, 0.2, 0] }, 'b': { 'mass': 2, "
               "'inertia': [0.3, 0.35, 0.4], 'position': [1, 0, 0], 'axis_angle': ['z', 0.8] } },"
               "'joints': { 'j': { 'type': '%s', 'between': ['a', 'b'], 'axes': %s }, 'hook': { 'type': 'spherical', "
               "'between': ['ground', 'a'], 'at': [0, 0, 0] } }, 'gravity': [0, 1, -9.81],"
               "'start': { 'guess': { 'a.wx': 1, 'a.wy': 2, 'b.wz': 3, 'b.wx': -1, 'b.vx': 1 } },"
               "'outputs': { 'cosine': 'dot(%s)', 'E': 'energy.total', 'f': 'norm(force(j))', 'T': 'norm(torque(j))', "
               "'turned': 'axis(a, z).z' }",
               cases[k].type, cases[k].axes, cases[k].dot);
      motion s = move(relative, 1, 0.02, text);
      FOLLOWS(&s, "cosine", cases[k].cosine, 1e-10);
      FOLLOWS(&s, "E", at(&s, 0, "E"), 1e-9);
      FOLLOWS(&s, "f", 0, 1e-12);
      CHECK(s.sum.degrees_of_freedom == 12 - 3 - (6 - cases[k].freedom));
      CHECK(last(&s, "turned") < 0.9 && last(&s, "T") > 1e-3);
      stop(&s);
    }
}

/* ---- free, weld ----------------------------------------------------------------------------------------------------------- */

TEST(a_free_joint_is_no_joint) {
  /* the second flies against the first, which tumbles: nothing but a spring is between them */
  motion s[2];
  BOTH(relative)
  s[relative] =
      move(relative, 2, 0.05,
           "'gravity': [0, 0, -1], 'bodies': { 'a': { 'mass': 1, 'inertia': [0.2, 0.3, 0.4], 'center': [0.1, 0, "
           "0] }, 'b': { 'mass': 2, 'inertia': [0.3, 0.35, 0.4], 'position': [1, 0, 0.5], 'axis_angle': "
           "[[1, 2, 3], 0.8], 'center': [0, 0.1, 0.05] } },"
           "'joints': { 'first': { 'type': 'free', 'between': ['ground', 'a'] }, 'second': { 'type': 'free', "
           "'between': ['a', 'b'], 'on_bodies': [[0.2, 0, 0.1], [0, 0.3, 0]] } },"
           "'forces': { 's': { 'type': 'spring', 'between': ['a', 'b'], 'at': [[0.2, 0.3, 0], [1, 0.5, 0]], "
           "'stiffness': 20, 'length': 0.3 } },"
           "'start': { 'a.wx': 3, 'a.wy': -2, 'a.wz': 1, 'a.vx': 1, 'a.vy': 0, 'a.vz': 0, 'b.wx': 0, 'b.wy': 5, "
           "'b.wz': 0.1, 'b.vx': 0, 'b.vy': 0, 'b.vz': 2 },"
           "'outputs': { 'p': 'position(b)', 'v': 'velocity(b)', 'w': 'omega(b)', 'x': 'axis(b, x)', 'r': "
           "'position(a)', 'a': 'acceleration(b)', 'm': 'momentum.ly', 'f': 'norm(force(second))' }");
  same(&s[1], &s[0], "p.x p.y p.z v.x v.y v.z w.x w.y w.z x.x x.y x.z r.x r.y r.z a.x a.y a.z m f", 1e-8);
  FOLLOWS(&s[1], "f", 0, 1e-9);
  CHECK(s[1].sum.degrees_of_freedom == 12);
  stop(&s[0]);
  stop(&s[1]);
}

TEST(two_welded_halves_are_one_body) {
#define BRICK(first)                                                                                                   \
  "'gravity': [0, 0, -9.81], 'points': {'P': [0.05, 0.3, 0.1]}, 'bodies': {" first "},"                                \
  "'start': { 'a.wx': 3, 'a.wy': 8, 'a.wz': 1, 'a.vx': 1, 'a.vy': 0, 'a.vz': 2 },"                                     \
  "'outputs': { 'p': 'position(a, P)', 'v': 'velocity(a, P)', 'w': 'omega(a)', 'al': 'a.alx', 'T': 'energy.kinetic', " \
  "'L': 'momentum.lx'"
#define PUSH                                                                                                           \
  "}, 'forces': { 'push': { 'type': 'force', 'on': 'a', 'at': [0, 0.1, 0.1], 'value': [1, 'sin(5*t)', 0], 'axes': "    \
  "'body' } }"
  motion one =
      move(false, 2, 0.05,
           BRICK("'a': { 'box': [0.4, 0.2, 0.1], 'mass': 2, 'position': [-0.1, 0, 0], 'center': [0.1, 0, 0] }") PUSH);
  BOTH(relative) {
    motion two = move(
        relative, 2, 0.05,
        BRICK("'a': { 'box': [0.2, 0.2, 0.1], 'mass': 1, 'position': [-0.1, 0, 0] }, 'c': { 'box': [0.1, "
              "0.2, 0.2], 'mass': 1, 'position': [0.1, 0, 0], 'axes': {'z': 'x', 'x': 'z'} }") ", 'f': 'force(glue)', "
                                                                                               "'m': 'c.ax', 'z': "
                                                                                               "'c.az'" PUSH
                                                                                               ", 'joints': { 'glue': "
                                                                                               "{ 'type': 'weld', "
                                                                                               "'between': ['a', 'c'], "
                                                                                               "'at': [0.1, 0.7, 0.3] "
                                                                                               "} }");
    same(&two, &one, "p.x p.y p.z v.x v.y v.z w.x w.y w.z al T L", 1e-8);
    FOLLOWS(&two, "f.x", VALUE("m"), 1e-9); /* all that moves the second half, of 1 kg */
    FOLLOWS(&two, "f.z", VALUE("z") + g, 1e-9);
    CHECK(two.sum.degrees_of_freedom == 6);
    stop(&two);
  }
  stop(&one);
}

/* ---- drivers, couplings ----------------------------------------------------------------------------------------------------- */

TEST(a_driver_holds_every_kind_of_coordinate) {
  static const struct {
    const char *on, *joint;
  } cases[] = {{"b.x", NULL},
               {"b.y", NULL},
               {"b.z", NULL},
               {"j.angle", "'revolute', 'axis': [1, 1, 0]"},
               {"j.shift", "'prismatic', 'axis': [1, 1, 1]"},
               {"j.angle", "'cylindrical', 'axis': [1, 1, 0]"},
               {"j.shift", "'cylindrical', 'axis': [1, 1, 1]"},
               {"j.angle1", "'universal', 'axes': ['x', [0, 1, 1]]"},
               {"j.angle2", "'universal', 'axes': ['x', [0, 1, 1]]"},
               {"j.angle", "'screw', 'pitch': 0.4, 'axis': [1, 1, 1]"}};
  char text[1600], joint[256];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) BOTH(relative) {
      snprintf(joint, sizeof joint, "'j': { 'type': %s, 'between': ['a', 'b'], 'at': [0.3, 0, 0.1] },",
               cases[k].joint ? cases[k].joint : "");
      snprintf(
          text, sizeof text,
          "'gravity': [0, 1, -9.81], 'bodies': { 'a': { 'mass': 2, 'inertia': [0.4, 0.3, 0.3], 'center': [0.1, 0, 0] "
          "}, 'b': { 'mass': 1, 'inertia': [0.02, 0.03, 0.04], 'position': [0.5, 0.1, 0.2], 'axis_angle': [[1, 2, "
          "3], 0.8], 'center': [0.05, 0.1, 0.15] } },"
          "'joints': { 'base': { 'type': 'spherical', 'between': ['ground', 'a'], 'at': [0, 0, 0] }, %s 'drive': { "
          "'type': 'driver', 'on': '%s', 'value': '%s0.5*sin(3*t)' } }, 'start': {'guess': {'b.wx': 1, 'a.wz': 2}},"
          "'outputs': { 'q': '%s', 'P': 'drive.power', 'load': 'drive.load', 'E': 'energy.total', 'W': "
          "'energy.driver' }",
          cases[k].joint ? joint : "", cases[k].on,
          cases[k].joint                    ? ""
          : strcmp(cases[k].on, "b.x") == 0 ? "0.5 + "
          : strcmp(cases[k].on, "b.y") == 0 ? "0.1 + "
                                            : "0.2 + ",
          cases[k].on);
      motion s = move(relative, 1, 0.0025, text);
      const double q0 = at(&s, 0, "q");
      FOLLOWS(&s, "q", q0 + 0.5 * sin(3 * t), 1e-10);
      FOLLOWS(&s, "P", VALUE("load") * 1.5 * cos(3 * t), 1e-9);
      FOLLOWS(&s, "W", VALUE("E") - at(&s, 0, "E"), 1e-9);
      /* Simpson */
      double work = 0;
      const int n = s.table.rows - 1;
      for (int i = 0; i <= n; i++) work += at(&s, i, "P") * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * 0.0025 / 3;
      CHECK_NEAR(work, last(&s, "E") - at(&s, 0, "E"), 1e-7);
      if (tn_test_failures)
        printf("driver on %s of %s, %s\n", cases[k].on, cases[k].joint ? cases[k].joint : "a body",
               relative ? "relative" : "absolute");
      stop(&s);
    }
}

TEST(a_coupling_makes_a_winch) {
  const double r = 0.1, I = 0.05, m = 3, a = g * 2 / 3 / (1 + I / (m * r * r));
  BOTH(relative) {
    motion s =
        move(relative, 2, 0.05,
             "'gravity': [0, 0, -9.81], 'bodies': { 'drum': { 'mass': 1, 'inertia': [0.05, 0.04, 0.03] }, "
             "'block': { 'mass': 3, 'inertia': [1, 1, 1], 'position': [0, 1, 0] } },"
             "'joints': { 'axle': { 'type': 'revolute', 'between': ['ground', 'drum'], 'at': 'drum', 'axis': 'x' "
             "}, 'slide': { 'type': 'prismatic', 'between': ['ground', 'block'], 'at': 'block', 'axis': [1, 2, -2] "
             "}, 'rope': { 'type': 'coordinate', 'terms': {'axle.angle': 0.1, 'slide.shift': -1}, 'value': 0 } },"
             "'outputs': { 'angle': 'axle.angle', 'shift': 'slide.shift', 'pull': 'rope.load', 'f': "
             "'in(slide, force(slide)).z', 'tx': 'axle.tx' }");
    FOLLOWS(&s, "shift", 0.5 * a * t * t, 1e-9);
    FOLLOWS(&s, "angle", 0.5 * a * t * t / r, 1e-8);
    FOLLOWS(&s, "pull", I * a / r / r, 1e-9); /* along + angle */
    FOLLOWS(&s, "f", 0, 1e-9);
    FOLLOWS(&s, "tx", 0, 1e-9);
    stop(&s);
  }
}

TEST(a_mass_centre_is_led) {
  const double m = 3, k = sqrt(0.5);
  BOTH(relative) {
    motion s =
        move(relative, 2, 0.05,
             "'gravity': [1, 0, -9.81], 'bodies': { 'a': { 'mass': 1, 'inertia': [0.2, 0.3, 0.4], 'center': [0.1, "
             "0.2, 0] }, 'b': { 'mass': 2, 'inertia': [0.3, 0.35, 0.4], 'position': [1, 0, 0], 'center': [0, 0.1, "
             "0] } }, 'points': { 'A': [0.1, 0.2, 0], 'B': [1, 0.1, 0] },"
             "'joints': { 'led': { 'type': 'center-of-mass', 'bodies': ['a', 'b'], 'axis': [1, 1, 0], 'value': "
             "'(2.1 + 0.4)/3/sqrt(2) + 0.2*sin(3*t)' }, 'pin': { 'type': 'revolute', 'between': ['a', 'b'], 'at': "
             "[0.5, 0, 0], 'axis': 'z' } },"
             "'start': { 'guess': { 'a.wx': 3, 'a.wz': 1 } },"
             "'outputs': { 'p': 'position(a, A)/3 + position(b, B)*2/3', 'load': 'led.load', 'power': "
             "'led.power', 'pz': 'momentum.pz' }");
    FOLLOWS(&s, "p.x", 2.5 / 3 - VALUE("p.y") + 0.2 * sin(3 * t) / k, 1e-9);
    FOLLOWS(&s, "load", m * (-1.8 * sin(3 * t) - k), 1e-8);
    FOLLOWS(&s, "power", VALUE("load") * 0.6 * cos(3 * t), 1e-9);
    FOLLOWS(&s, "pz", at(&s, 0, "pz") - m * g * t, 1e-8);
    stop(&s);
  }
}

/* ---- gears ------------------------------------------------------------------------------------------------------------------- */

static const char *const gear_form[] = {"velocity", "position", "rates"};

/* two wheels, 20 and 40 teeth, on bearings in the ground, a torque on the first: closed forms of speeds and loads */
static void gear_pair(int dimension, bool relative, int form, bool internal) {
  const double ra = 0.1, rb = 0.2, Ia = 0.005, Ib = 0.08, T = 0.4, k = ra / rb * (internal ? 1 : -1);
  const double a = T / (Ia + Ib * k * k), D = internal ? -0.1 : 0.3, ab = k * a;
  /* on the second at the pitch point (0.1, 0), along y: (0.1 - D) F = Ib ab; rates alone make two torques of it */
  const double F = form == 2 ? 0 : Ib * ab / (0.1 - D);
  const bool plane = dimension == 2;
  char text[1600];
  snprintf(
      text, sizeof text,
      "'bodies': { 'a': { 'mass': 1, 'inertia': %s }, 'b': { 'mass': 4, 'inertia': %s, 'position': [%g, 0%s] } },"
      "'joints': { 'fast': { 'type': 'revolute', 'between': ['ground', 'a'], 'at': 'a'%s },"
      "            'slow': { 'type': 'revolute', 'between': ['ground', 'b'], 'at': 'b'%s },"
      "            'mesh': { 'type': 'gear', 'between': ['a', 'b'], 'teeth': [20, 40], 'form': '%s', 'internal': %s } "
      "},"
      "'forces': { 'motor': { 'type': 'torque', 'on': 'fast.angle', 'value': 0.4 } },"
      "'outputs': { 'fast': 'fast.angle', 'slow': 'slow.angle', 'ra': 'fast.rate', 'rb': 'slow.rate', 'f': "
      "'force(mesh)', 'tb': 'mesh.%s', 'load': 'mesh.load', 'A': 'fast.fy', 'Ax': 'fast.fx', 'B': 'slow.fy', 'At': "
      "'fast.%s', 'Bt': 'slow.%s', 'cx': 'mesh.cx', 'C': 'mesh.violation' }",
      plane ? "0.005" : "[0.003, 0.003, 0.005]", plane ? "0.08" : "[0.05, 0.06, 0.08]", D, plane ? "" : ", 0",
      plane ? "" : ", 'axis': 'z'", plane ? "" : ", 'axis': 'z'", gear_form[form], internal ? "true" : "false",
      plane ? "t" : "tz", plane ? "t" : "tz", plane ? "t" : "tz");
  motion s = move_in(dimension, relative, 2, 0.05, text);
  FOLLOWS(&s, "ra", a * t, 1e-8);
  FOLLOWS(&s, "rb", k * a * t, 1e-8);
  FOLLOWS(&s, "fast", 0.5 * a * t * t, 1e-8);
  FOLLOWS(&s, "slow", 0.5 * k * a * t * t, 1e-8);
  FOLLOWS(&s, "f.y", F, 1e-9);
  FOLLOWS(&s, "f.x", 0, 1e-9);
  FOLLOWS(&s, "tb", Ib * ab, 1e-9);
  FOLLOWS(&s, "A", F, 1e-9); /* the wheel gets -F at its rim and F from its bearing */
  FOLLOWS(&s, "Ax", 0, 1e-9);
  FOLLOWS(&s, "B", -F, 1e-9);
  FOLLOWS(&s, "At", 0, 1e-9);
  FOLLOWS(&s, "Bt", 0, 1e-9);
  FOLLOWS(&s, "cx", 0.1, 1e-12);
  FOLLOWS(&s, "C", 0, 1e-11);
  if (form != 2) CHECK_NEAR(fabs(F) * ra, T - Ia * a, 1e-12);
  CHECK_NEAR(fabs(at(&s, 0, "load")) * 20, T - Ia * a, 1e-9);
  CHECK(last(&s, "fast") > 4 * PI);
  if (tn_test_failures)
    printf("%d, %s, %s, internal %d\n", dimension, relative ? "relative" : "absolute", gear_form[form], internal);
  stop(&s);
}

TEST(a_pair_of_gears_and_its_loads) {
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int k = 0; k < 12; k++) gear_pair(dimension, k & 1, k >> 2, k >> 1 & 1);
}

TEST(a_pair_of_bevel_gears) {
  /* pinion along x at (0.1, 0, 0), wheel along z at (0, 0, 0.05): pitch point (0.1, 0, 0.05) */
  const double Ia = 0.005, Ib = 0.08, T = 0.3, a = T / (Ia + Ib / 4), F = Ib * a / 2 / 0.1;
  for (int form = 0; form < 2; form++) BOTH(relative) {
      char text[1600];
      snprintf(text, sizeof text,
               "'bodies': { 'a': { 'mass': 1, 'inertia': [0.005, 0.003, 0.003], 'position': [0.1, 0, 0] }, 'b': { "
               "'mass': 4, 'inertia': [0.05, 0.05, 0.08], 'position': [0, 0, 0.05] } },"
               "'joints': { 'fast': { 'type': 'revolute', 'between': ['ground', 'a'], 'at': 'a', 'axis': 'x' },"
               "            'slow': { 'type': 'revolute', 'between': ['ground', 'b'], 'at': 'b', 'axis': 'z' },"
               "            'mesh': { 'type': 'gear', 'between': ['a', 'b'], 'teeth': [20, 40], 'form': '%s' } },"
               "'forces': { 'motor': { 'type': 'torque', 'on': 'fast.angle', 'value': 0.3 } },"
               "'outputs': { 'ra': 'fast.rate', 'rb': 'slow.rate', 'f': 'force(mesh)', 'c': 'mesh.cz', 'b': "
               "'force(slow)', 'm': 'torque(slow)', 'n': 'torque(fast)' }",
               gear_form[form]);
      motion s = move(relative, 2, 0.05, text);
      /* a turn +x moves the pinion's rim at (0.1, 0, 0.05) along -y, which turns the wheel about -z */
      FOLLOWS(&s, "ra", a * t, 1e-8);
      FOLLOWS(&s, "rb", -a / 2 * t, 1e-8);
      FOLLOWS(&s, "f.y", -F, 1e-9);
      FOLLOWS(&s, "f.x", 0, 1e-9);
      FOLLOWS(&s, "c", 0.05, 1e-12);
      FOLLOWS(&s, "b.y", F, 1e-9);
      FOLLOWS(&s, "m.x", 0, 1e-9); /* the pitch point lies abreast of the wheel's centre */
      FOLLOWS(&s, "n.x", 0, 1e-9);
      FOLLOWS(&s, "n.z", 0, 1e-9);
      stop(&s);
    }
}

#define DIFFERENTIAL                                                                                                   \
  "'bodies': { 'cage': { 'mass': 5, 'inertia': [0.04, 0.03, 0.03] },"                                                  \
  "  'left': { 'mass': 1, 'inertia': [0.002, 0.0015, 0.0015], 'position': [-0.05, 0, 0] },"                            \
  "  'right': { 'mass': 1, 'inertia': [0.002, 0.0015, 0.0015], 'position': [0.05, 0, 0] },"                            \
  "  'planet': { 'mass': 0.5, 'inertia': [5e-4, 5e-4, 8e-4], 'position': [0, 0, 0.04] } },"                            \
  "'joints': { 'main': { 'type': 'revolute', 'between': ['ground', 'cage'], 'at': 'cage', 'axis': 'x' },"              \
  "  'axle1': { 'type': 'revolute', 'between': ['ground', 'left'], 'at': 'left', 'axis': 'x' },"                       \
  "  'axle2': { 'type': 'revolute', 'between': ['ground', 'right'], 'at': 'right', 'axis': 'x' },"                     \
  "  'pin': { 'type': 'revolute', 'between': ['cage', 'planet'], 'at': 'planet', 'axis': 'z' },"                       \
  "  'mesh1': { 'type': 'gear', 'between': ['left', 'planet'], 'carrier': 'cage', 'teeth': [16, 20], 'form': '%s' },"  \
  "  'mesh2': { 'type': 'gear', 'between': ['right', 'planet'], 'carrier': 'cage', 'teeth': [16, 20], 'form': '%s' } " \
  "%s }, 'outputs': { 'l': 'axle1.rate', 'r': 'axle2.rate', 'cage': 'main.rate', 'turn': 'main.angle', 'planet': "     \
  "'pin.rate', 'left': 'axle1.angle', 'F1': 'norm(force(mesh1))', 'F2': 'norm(force(mesh2))' %s}"

TEST_FULL(a_differential_shares_evenly) {
  char text[2400];
  for (int form = 0; form < 2; form++) BOTH(relative) {
      /* both sides driven: the cage takes the mean, the planet the difference */
      snprintf(text, sizeof text, DIFFERENTIAL, gear_form[form], gear_form[form],
               ", 'm1': { 'type': 'driver', 'on': 'axle1.angle', 'value': '7*t' }, 'm2': { 'type': 'driver', 'on': "
               "'axle2.angle', 'value': '2*t + sin(t)' }",
               "");
      motion s = move(relative, 3, 0.05, text);
      FOLLOWS(&s, "left", 7 * t, 1e-9);
      FOLLOWS(&s, "cage", (9 + cos(t)) / 2, 1e-9);
      FOLLOWS(&s, "turn", (9 * t + sin(t)) / 2, 1e-9);
      FOLLOWS(&s, "planet", copysign(16. / 20 * (5 - cos(t)) / 2, VALUE("planet")), 1e-9);
      CHECK(s.sum.degrees_of_freedom == 0 && s.sum.redundant_rows == 0);
      stop(&s);
      /* a torque on the cage, sides free: all turn as one, and the two meshes carry half each */
      snprintf(
          text, sizeof text, DIFFERENTIAL, gear_form[form], gear_form[form], "",
          ", 'T': 'energy.kinetic' }, 'forces': { 'motor': { 'type': 'torque', 'on': 'main.angle', 'value': 0.5 }");
      s = move(relative, 2, 0.05, text);
      const double J = 0.04 + 2 * 0.002 + 5e-4 + 0.5 * 0.04 * 0.04, a = 0.5 / J;
      FOLLOWS(&s, "cage", a * t, 1e-8);
      FOLLOWS(&s, "l", a * t, 1e-8);
      FOLLOWS(&s, "r", a * t, 1e-8);
      FOLLOWS(&s, "planet", 0, 1e-9);
      FOLLOWS(&s, "F1", 0.002 * a / 0.04, 1e-8); /* pitch radius of the sides: 0.05 16/20 */
      FOLLOWS(&s, "F2", VALUE("F1"), 1e-9);
      FOLLOWS(&s, "T", J * pow(a * t, 2) / 2, 1e-8);
      CHECK(s.sum.degrees_of_freedom == 2);
      stop(&s);
    }
}

TEST_FULL(a_planetary_train_by_willis) {
  /* sun 20, planet 15, ring 50, module such that the arm is 0.175: radii 0.1, 0.075, 0.25 */
  const double Is = 0.01, Ip = 0.004, Ia = 0.05, mp = 1.5, ra = 0.175, T = 2;
  char text[2400];
  for (int form = 0; form < 2; form++)
    for (int held = 0; held < 2; held++) BOTH(relative) {
        snprintf(
            text, sizeof text,
            "'bodies': { 'sun': { 'mass': 1, 'inertia': [0.006, 0.006, 0.01] }, 'arm': { 'mass': 2, 'inertia': [0.03, "
            "0.03, 0.05] }, 'ring': { 'mass': 4, 'inertia': [0.12, 0.12, 0.24] }, 'planet': { 'mass': 1.5, "
            "'inertia': [0.002, 0.002, 0.004], 'position': [0.175, 0, 0] } },"
            "'joints': { 's': { 'type': 'revolute', 'between': ['ground', 'sun'], 'at': 'sun', 'axis': 'z' },"
            "  'a': { 'type': 'revolute', 'between': ['ground', 'arm'], 'at': 'arm', 'axis': 'z' },"
            "  'r': %s,"
            "  'p': { 'type': 'revolute', 'between': ['arm', 'planet'], 'at': 'planet', 'axis': 'z' },"
            "  'inner': { 'type': 'gear', 'between': ['sun', 'planet'], 'carrier': 'arm', 'teeth': [20, 15], 'form': "
            "'%s' },"
            "  'outer': { 'type': 'gear', 'between': ['ring', 'planet'], 'carrier': 'arm', 'teeth': [50, 15], "
            "'internal': true, 'form': '%s' } %s },"
            "'forces': { 'motor': { 'type': 'torque', 'on': 's.angle', 'value': 2 } },"
            "'outputs': { 's': 's.rate', 'a': 'a.rate', 'angle': 'a.angle', 'r': 'ring.wz', 'p': 'planet.wz', 'x': "
            "'planet.x', 'hold': 'r.tz', 'f': 'norm(force(inner))' }",
            held ? "{ 'type': 'weld', 'between': ['ground', 'ring'] }"
                 : "{ 'type': 'revolute', 'between': ['ground', 'ring'], 'at': 'ring', 'axis': 'z' }",
            gear_form[form], gear_form[form],
            held ? "" : ", 'brake': { 'type': 'driver', 'on': 'r.angle', 'value': 't' }");
        motion s = move(relative, 1, 0.05, text);
        /* the arm turns by 2/7 of the sun and 5/7 of the ring; the planet against it by -20/15 of the sun against it */
        const double i = 2. / 7, w = held ? 0 : 1;
        const double pi = i - 20. / 15 * (1 - i), J = Is + i * i * (Ia + mp * ra * ra) + pi * pi * Ip, al = T / J;
        const double s0 = at(&s, 0, "s");
        FOLLOWS(&s, "s", s0 + al * t, 1e-8);
        FOLLOWS(&s, "a", i * VALUE("s") + 5. / 7 * w, 1e-9);
        FOLLOWS(&s, "p", VALUE("a") - 20. / 15 * (VALUE("s") - VALUE("a")), 1e-9);
        FOLLOWS(&s, "angle", (i * s0 + 5. / 7 * w) * t + i * al / 2 * t * t, 1e-8);
        FOLLOWS(&s, "x", ra * cos(VALUE("angle")), 1e-9);
        FOLLOWS(&s, "r", w, 1e-10);
        FOLLOWS(&s, "f", (T - Is * al) / 0.1, 1e-8);
        if (held) FOLLOWS(&s, "hold", Ip * pi * al + Is * al + (Ia + mp * ra * ra) * i * al - T, 1e-8);
        CHECK(s.sum.redundant_rows == 0);
        stop(&s);
      }
}

TEST(a_rack_and_its_pinion) {
  const double r = 0.05, I = 0.002, m = 3, T = 0.3, a = T * r / (I + m * r * r);
  char text[1600];
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int form = 0; form < 2; form++) BOTH(relative) {
        const bool plane = dimension == 2;
        snprintf(
            text, sizeof text,
            "'bodies': { 'pinion': { 'mass': 1, 'inertia': %s, 'position': %s }, 'bar': { 'mass': 3, 'inertia': %s } },"
            "'joints': { 'axle': { 'type': 'revolute', 'between': ['ground', 'pinion'], 'at': 'pinion'%s },"
            "  'guide': { 'type': 'prismatic', 'between': ['ground', 'bar'], 'at': 'bar', 'axis': 'x' },"
            "  'teeth': { 'type': 'rack', 'between': ['pinion', 'bar'], 'radius': 0.05, 'direction': 'x', 'form': '%s' "
            "} },"
            "'forces': { 'motor': { 'type': 'torque', 'on': 'axle.angle', 'value': 0.3 } },"
            "'outputs': { 'angle': 'axle.angle', 'rate': 'axle.rate', 'shift': 'guide.shift', 'speed': "
            "'guide.speed', 'f': 'force(teeth)', 'bearing': 'axle.fx', 'guide': 'guide.%s', 'cy': 'teeth.cy', 'C': "
            "'teeth.violation' }",
            plane ? "0.002" : "[0.001, 0.001, 0.002]", plane ? "[0, 0.05]" : "[0, 0.05, 0]", plane ? "1" : "[1, 1, 1]",
            plane ? "" : ", 'axis': 'z'", gear_form[form], plane ? "t" : "tz");
        motion s = move_in(dimension, relative, 2, 0.05, text);
        FOLLOWS(&s, "speed", a * t, 1e-9);
        FOLLOWS(&s, "shift", 0.5 * a * t * t, 1e-9);
        FOLLOWS(&s, "rate", a / r * t, 1e-8);
        FOLLOWS(&s, "angle", 0.5 * a / r * t * t, 1e-8);
        FOLLOWS(&s, "f.x", m * a, 1e-9);
        FOLLOWS(&s, "bearing", m * a, 1e-9);
        FOLLOWS(&s, "guide", 0, 1e-9);
        FOLLOWS(&s, "cy", 0, 1e-12);
        FOLLOWS(&s, "C", 0, 1e-11);
        CHECK(last(&s, "angle") > 6 * PI);
        stop(&s);
      }
}

/* ---- rolling and gliding ---------------------------------------------------------------------------------------------------- */

TEST(a_ball_rolls_down) {
  const double al = 0.4, a = 5. / 7 * g * sin(al), m = 2, r = 0.1;
  motion s =
      move(false, 2, 0.05,
           "'constants': {'a': 0.4}, 'gravity': [0, 0, -9.81], 'bodies': { 'ball': { 'sphere': 0.1, 'mass': 2 } },"
           "'joints': { 'slope': { 'type': 'rolling-sphere', 'between': ['ground', 'ball'], 'at': 'ball', 'radius': "
           "0.1, 'normal': ['sin(a)', 0, 'cos(a)'] } }, 'start': { 'ball.vy': 1.5, 'ball.vx': 0 },"
           "'outputs': { 'x': 'ball.x', 'y': 'ball.y', 'z': 'ball.z', 'wx': 'ball.wx', 'wy': 'ball.wy', 'f': "
           "'force(slope)', 'in': 'in(slope, force(slope)).z', 'cx': 'slope.cx', 'cz': 'slope.cz' }");
  FOLLOWS(&s, "x", 0.5 * a * t * t * cos(al), 1e-9);
  FOLLOWS(&s, "z", -0.5 * a * t * t * sin(al), 1e-9);
  FOLLOWS(&s, "y", 1.5 * t, 1e-9);
  FOLLOWS(&s, "wy", a * t / r, 1e-8);
  FOLLOWS(&s, "wx", -1.5 / r * cos(al), 1e-8);
  FOLLOWS(&s, "in", m * g * cos(al), 1e-8);
  FOLLOWS(&s, "f.x", m * a * cos(al), 1e-8);
  FOLLOWS(&s, "f.z", m * (g - a * sin(al)), 1e-8);
  FOLLOWS(&s, "cx", VALUE("x") - r * sin(al), 1e-12);
  FOLLOWS(&s, "cz", VALUE("z") - r * cos(al), 1e-12);
  CHECK(s.sum.degrees_of_freedom == 3);
  stop(&s);
}

TEST(a_ball_on_a_turntable_runs_in_circles) {
  const double W = 5, k = 2 * W / 7, vx = 0.3, vy = 0.7;
  BOTH(relative) {
    motion s =
        move(relative, 4, 0.05,
             "'gravity': [0, 0, -9.81], 'bodies': { 'table': { 'mass': 20, 'inertia': [5, 5, 10] }, 'ball': { "
             "'sphere': 0.1, 'mass': 0.5, 'position': [0.3, 0.2, 0.1] } },"
             "'joints': { 'spindle': { 'type': 'revolute', 'between': ['ground', 'table'], 'at': [0, 0, 0], "
             "'axis': 'z' }, 'top': { 'type': 'rolling-sphere', 'between': ['table', 'ball'], 'at': 'ball', "
             "'radius': 0.1 }, 'motor': { 'type': 'driver', 'on': 'spindle.angle', 'value': '5*t' } },"
             "'start': { 'ball.vx': 0.3, 'ball.vy': 0.7, 'ball.wz': 2 },"
             "'outputs': { 'x': 'ball.x', 'y': 'ball.y', 'vx': 'ball.vx', 'vy': 'ball.vy', 'wz': 'ball.wz', 'z': "
             "'ball.z', 'f': 'force(top)' }");
    FOLLOWS(&s, "vx", vx * cos(k * t) - vy * sin(k * t), 1e-9);
    FOLLOWS(&s, "vy", vx * sin(k * t) + vy * cos(k * t), 1e-9);
    FOLLOWS(&s, "x", 0.3 + (vx * sin(k * t) - vy * (1 - cos(k * t))) / k, 1e-9);
    FOLLOWS(&s, "y", 0.2 + (vx * (1 - cos(k * t)) + vy * sin(k * t)) / k, 1e-9);
    FOLLOWS(&s, "z", 0.1, 1e-11);
    FOLLOWS(&s, "wz", 2, 1e-9);
    FOLLOWS(&s, "f.x", -0.5 * k * VALUE("vy"), 1e-8);
    stop(&s);
  }
}

/* the velocity of the body at the point of contact, on a ground that rests */
static double slip(const motion *m, int row) {
  const double d[3] = {at(m, row, "cx") - at(m, row, "p.x"), at(m, row, "cy") - at(m, row, "p.y"),
                       at(m, row, "cz") - at(m, row, "p.z")};
  const double w[3] = {at(m, row, "w.x"), at(m, row, "w.y"), at(m, row, "w.z")};
  return fabs(at(m, row, "v.x") + w[1] * d[2] - w[2] * d[1]) + fabs(at(m, row, "v.y") + w[2] * d[0] - w[0] * d[2]) +
         fabs(at(m, row, "v.z") + w[0] * d[1] - w[1] * d[0]);
}

#define ROLLS(name)                                                                                                    \
  "'outputs': { 'p': 'position(b)', 'v': 'velocity(b)', 'w': 'omega(b)', 'E': 'energy.total', 'cx': '" name            \
  ".cx', 'cy': '" name ".cy', 'cz': '" name ".cz', 'f': 'force(" name ")', 'lean': 'axis(b, z).z' }"

TEST(an_ellipsoid_of_equal_axes_is_a_ball) {
  static const char *const type[] = {"'rolling-sphere', 'radius': 0.3",
                                     "'rolling-ellipsoid', 'semi_axes': [0.3, 0.3, 0.3]"};
  motion s[2];
  char text[1200];
  for (int k = 0; k < 2; k++) {
    snprintf(
        text, sizeof text,
        "'gravity': [1, 0, -9.81], 'bodies': { 'b': { 'mass': 2, 'inertia': [0.05, 0.06, 0.08], 'position': [0, 0, "
        "0.3], 'center': [0.05, 0, -0.1], 'axis_angle': [[1, 2, 3], 0.7] } },"
        "'joints': { 'floor': { 'type': %s, 'between': ['ground', 'b'], 'at': 'b', 'normal': [0, 0.1, 1] } },"
        "'start': { 'b.wx': 1, 'b.wy': 3, 'b.wz': 2 }, " ROLLS("floor"),
        type[k]);
    s[k] = move(false, 2, 0.05, text);
    FOLLOWS(&s[k], "E", at(&s[k], 0, "E"), 1e-8);
    double most = 0;
    for (int i = 0; i < s[k].table.rows; i++) most = worse(most, slip(&s[k], i));
    CHECK(most <= 1e-9 && s[k].table.rows == 41);
  }
  same(&s[0], &s[1], "p.x p.y p.z v.x v.y v.z w.x w.y w.z cx cy cz f.x f.y f.z", 1e-7);
  stop(&s[0]);
  stop(&s[1]);
}

TEST(a_celt_wobbles_and_keeps_its_energy) {
  motion s =
      move(false, 4, 0.05,
           "'gravity': [0, 0, -9.81], 'bodies': { 'b': { 'mass': 1, 'inertia': [0.0004, 0.0015, 0.0017, 0.0002, 0, "
           "0], 'position': [0, 0, 0.06], 'center': [0, 0, -0.01], 'axis_angle': [[1, 0.2, 0], 0.1] } },"
           "'joints': { 'floor': { 'type': 'rolling-ellipsoid', 'between': ['ground', 'b'], 'at': 'b', 'semi_axes': "
           "[0.2, 0.05, 0.04] } }, 'start': { 'b.wx': 0.1, 'b.wy': 0.2, 'b.wz': -4 }, " ROLLS("floor"));
  double most = 0, lift = 0;
  FOLLOWS(&s, "E", at(&s, 0, "E"), 1e-9);
  for (int i = 0; i < s.table.rows; i++) {
    most = worse(most, slip(&s, i));
    lift = worse(lift, at(&s, i, "cz") - at(&s, 0, "cz"));
  }
  CHECK(most <= 1e-10 && lift <= 1e-11);
  double least = INFINITY, greatest = -INFINITY;
  for (int i = 0; i < s.table.rows; i++) {
    least = fmin(least, at(&s, i, "p.z"));
    greatest = fmax(greatest, at(&s, i, "p.z"));
  }
  CHECK(greatest - least > 1e-4); /* it does wobble */
  CHECK(s.sum.degrees_of_freedom == 3);
  stop(&s);
}

TEST(a_disc_rolls_upright) {
  const double al = 0.2, a = 2. / 3 * g * sin(al), r = 0.5, m = 1;
  motion s =
      move(false, 1, 0.02,
           "'constants': {'a': 0.2}, 'gravity': ['9.81*sin(a)', 0, '-9.81*cos(a)'], 'bodies': { 'b': { 'mass': 1, "
           "'inertia': [0.0625, 0.125, 0.0625], 'position': [0, 0, 0.5] } },"
           "'joints': { 'floor': { 'type': 'rolling-disc', 'between': ['ground', 'b'], 'at': 'b', 'axis': 'y', "
           "'radius': 0.5, 'normal': 'z' } }, 'start': { 'b.wy': 6, 'b.wx': 0, 'b.wz': 0 }, " ROLLS("floor"));
  FOLLOWS(&s, "v.x", 6 * r + a * t, 1e-9);
  FOLLOWS(&s, "p.x", 6 * r * t + 0.5 * a * t * t, 1e-9);
  FOLLOWS(&s, "w.y", 6 + a / r * t, 1e-9);
  FOLLOWS(&s, "p.y", 0, 1e-9);
  FOLLOWS(&s, "p.z", r, 1e-11);
  FOLLOWS(&s, "f.z", m * g * cos(al), 1e-8);
  FOLLOWS(&s, "f.x", m * (a - g * sin(al)), 1e-8);
  FOLLOWS(&s, "cx", VALUE("p.x"), 1e-9);
  FOLLOWS(&s, "cz", 0, 1e-11);
  stop(&s);
  /* a coin that stands and spins */
  s = move(
      false, 3, 0.05,
      "'gravity': [0, 0, -9.81], 'bodies': { 'b': { 'mass': 1, 'inertia': [0.0625, 0.125, 0.0625], 'position': [0, 0, "
      "0.5] } }, 'joints': { 'floor': { 'type': 'rolling-disc', 'between': ['ground', 'b'], 'at': 'b', 'axis': 'y', "
      "'radius': 0.5 } }, 'start': { 'b.wy': 0, 'b.wx': 0, 'b.wz': 20 }, " ROLLS("floor"));
  FOLLOWS(&s, "w.z", 20, 1e-9);
  FOLLOWS(&s, "p.x", 0, 1e-9);
  FOLLOWS(&s, "p.z", 0.5, 1e-10);
  FOLLOWS(&s, "cx", 0, 1e-9);
  FOLLOWS(&s, "f.z", g, 1e-8);
  stop(&s);
}

TEST(a_leaning_disc_runs_in_a_circle) {
  /* axle e3 = (0, -s, c) at the start, e1 = x the way it rolls, e2 = e3 x e1; all turn steadily at W about z = s e2 + c e3.
   *   w = W s e2 + w3 e3, contact at -r e2: v = -r w3 e1, F = m W z x v + m g z, z x e1 = c e2 - s e3
   *   moments about the centre along e1: W z x (I W s e2 + I3 w3 e3) = -r e2 x F gives
   *   W s (I3 w3 - c I W) = -r (m r w3 W s + m g c), solved for w3 */
  const double m = 1, r = 0.5, th = 1.2, W = 1.7, I = m * r * r / 4, I3 = m * r * r / 2, s = sin(th), c = cos(th);
  const double spin = (W * W * c * s * I - m * g * r * c) / (W * s * (I3 + m * r * r));
  char text[1200];
  snprintf(
      text, sizeof text,
      "'gravity': [0, 0, -9.81], 'bodies': { 'b': { 'mass': 1, 'inertia': [0.0625, 0.0625, 0.125], 'position': [0, 0, "
      "'0.5*sin(1.2)'], 'axis_angle': ['x', 1.2] } },"
      "'joints': { 'floor': { 'type': 'rolling-disc', 'between': ['ground', 'b'], 'at': 'b', 'axis': [0, "
      "'-sin(1.2)', 'cos(1.2)'], 'radius': 0.5 } }, 'start': { 'b.w1': 0, 'b.w2': %.17g, 'b.w3': %.17g }, " ROLLS(
          "floor"),
      W * s, spin);
  motion d = move(false, 3, 0.05, text);
  const double v = -r * spin, R = v / W;
  FOLLOWS(&d, "lean", cos(th), 1e-8);
  FOLLOWS(&d, "p.x", R * sin(W * t), 1e-8);
  FOLLOWS(&d, "p.y", R * (1 - cos(W * t)), 1e-8);
  FOLLOWS(&d, "w.z", W * s * s + spin * c, 1e-8);
  FOLLOWS(&d, "f.z", m * g, 1e-8);
  stop(&d);
}

TEST(a_blade_glides_as_in_the_plane) {
  motion p =
      move_in(2, false, 3, 0.05,
              "'bodies': { 'b': { 'mass': 2, 'inertia': 0.3, 'center': [0.3, 0.05], 'angle': 0.2 } },"
              "'joints': { 'blade': { 'type': 'knife-edge', 'between': ['ground', 'b'], 'at': [0, 0], 'axis': [1, "
              "0.1] } }, 'start': { 'b.vx': 1, 'b.rate': 3 },"
              "'outputs': { 'x': 'b.x', 'y': 'b.y', 'vx': 'b.vx', 'vy': 'b.vy', 'rate': 'b.rate', 'fx': "
              "'blade.fx', 'fy': 'blade.fy', 'cx': 'blade.cx', 'T': 'energy.kinetic' }");
  motion s =
      move(false, 3, 0.05,
           "'bodies': { 'b': { 'mass': 2, 'inertia': [0.2, 0.25, 0.3], 'center': [0.3, 0.05, 0], 'axis_angle': "
           "['z', 0.2] } }, 'joints': { 'blade': { 'type': 'knife-edge', 'between': ['ground', 'b'], 'at': [0, 0, "
           "0], 'axis': [1, 0.1, 0.3], 'normal': 'z' }, 'upright': { 'type': 'parallel', 'between': ['ground', "
           "'b'], 'axes': ['z', 'z'] } }, 'start': { 'b.vx': 1, 'b.wz': 3 },"
           "'outputs': { 'x': 'b.x', 'y': 'b.y', 'vx': 'b.vx', 'vy': 'b.vy', 'rate': 'b.wz', 'fx': 'blade.fx', "
           "'fy': 'blade.fy', 'cx': 'blade.cx', 'T': 'energy.kinetic', 'z': 'b.z' }");
  same(&s, &p, "x y vx vy rate fx fy cx T", 1e-8);
  FOLLOWS(&s, "z", 0, 1e-11);
  CHECK(s.sum.degrees_of_freedom == 2);
  stop(&s);
  stop(&p);
}

TEST(a_skate_on_a_slope_drifts_across) {
  /* down the slope is x: v = (k/w) sin wt along the heading wt, so x = k/(2w^2) sin^2 wt, y = k/(2w^2) (wt - sin 2wt/2) */
  const double w = 3, al = 0.3, k = g * sin(al), K = k / (2 * w * w), m = 2;
  motion s =
      move(false, 4, 0.05,
           "'constants': {'a': 0.3}, 'gravity': ['9.81*sin(a)', 0, '-9.81*cos(a)'], 'bodies': { 'b': { 'mass': 2, "
           "'inertia': [0.2, 0.25, 0.3] } }, 'joints': { 'blade': { 'type': 'knife-edge', 'between': ['ground', "
           "'b'], 'at': [0, 0, 0], 'axis': 'x', 'normal': 'z' }, 'upright': { 'type': 'parallel', 'between': "
           "['ground', 'b'], 'axes': ['z', 'z'] } }, 'start': { 'b.wz': 3 },"
           "'outputs': { 'x': 'b.x', 'y': 'b.y', 'w': 'b.wz', 'f': 'in(b, force(blade))' }");
  FOLLOWS(&s, "x", K * pow(sin(w * t), 2), 1e-9);
  FOLLOWS(&s, "y", K * (w * t - sin(2 * w * t) / 2), 1e-9);
  FOLLOWS(&s, "w", w, 1e-9);
  FOLLOWS(&s, "f.x", 0, 1e-9);
  FOLLOWS(&s, "f.y", m * 2 * k * sin(w * t), 1e-8); /* holds k sin across and turns the way: v w */
  FOLLOWS(&s, "f.z", m * g * cos(al), 1e-8);
  stop(&s);
}

/* ---- channels ------------------------------------------------------------------------------------------------------------------ */

TEST(angles_count_their_turns) {
  /* 20 turns in 10 s; the axis is that of the inertia, so nothing else moves */
  const double w = 4 * PI;
  static const char *const types[] = {"revolute", "cylindrical", "screw', 'pitch': '0"};
  char text[900];
  for (int k = 0; k < 3; k++) BOTH(relative) {
      snprintf(
          text, sizeof text,
          "'bodies': { 'a': { 'mass': 1, 'inertia': [0.1, 0.2, 0.25], 'axes': {'z': [1, 2, 2], 'x': [2, -2, 1]} } },"
          "'joints': { 'j': { 'type': '%s', 'between': ['ground', 'a'], 'at': [0, 0, 0], 'axis': [1, 2, 2] } },"
          "'start': { 'j.rate': '4*pi' }, 'outputs': { 'angle': 'j.angle', 'rate': 'j.rate', 'e0': 'a.e0' }",
          types[k]);
      motion s = move(relative, 10, 0.1, text);
      FOLLOWS(&s, "angle", w * t, 1e-8);
      FOLLOWS(&s, "rate", w, 1e-9);
      stop(&s);
      /* the axis named the other way round, and the bodies too: three signs */
      snprintf(text, sizeof text,
               "'bodies': { 'a': { 'mass': 1, 'inertia': [0.1, 0.2, 0.25] } },"
               "'joints': { 'j': { 'type': '%s', 'between': ['a', 'ground'], 'at': [0, 0, 0], 'axis': '-z' } },"
               "'start': { 'a.wz': '4*pi' }, 'outputs': { 'angle': 'j.angle', 'rate': 'j.rate' }",
               types[k]);
      s = move(relative, 3, 0.1, text);
      FOLLOWS(&s, "angle", w * t, 1e-8);
      FOLLOWS(&s, "rate", w, 1e-9);
      stop(&s);
    }
  /* both angles of a cardan joint go round: driven */
  BOTH(relative) { /* rows close enough for the ledger of the motors: steps are as long as their distance */
    motion s =
        move(relative, 3, 0.005,
             "'bodies': { 'a': { 'mass': 1, 'inertia': [0.1, 0.2, 0.25] } }, 'joints': { 'u': { 'type': "
             "'universal', 'between': ['ground', 'a'], 'at': [0, 0, 0], 'axes': ['z', 'x'] }, 'd1': { 'type': "
             "'driver', 'on': 'u.angle1', 'value': '11*t' }, 'd2': { 'type': 'driver', 'on': 'u.angle2', 'value': "
             "'-8*t' } }, 'outputs': { 'a1': 'u.angle1', 'a2': 'u.angle2', 'wz': 'a.wz', 'wx': 'a.wx', 'w1': "
             "'a.w1', 'w2': 'a.w2', 'w3': 'a.w3' }");
    FOLLOWS(&s, "a1", 11 * t, 1e-10);
    FOLLOWS(&s, "a2", -8 * t, 1e-10);
    FOLLOWS(&s, "wz", 11, 1e-9);
    FOLLOWS(&s, "wx", -8 * cos(11 * t), 1e-9);
    FOLLOWS(&s, "w1", -8, 1e-9);
    FOLLOWS(&s, "w2", 11 * sin(-8 * t), 1e-9); /* z as seen in the body, Rz Rx: (0, sin, cos) of the second angle */
    FOLLOWS(&s, "w3", 11 * cos(-8 * t), 1e-9);
    stop(&s);
  }
}

TEST(a_spinning_bar_loads_its_hinge) {
  const double m = 2, l = 0.5, w = 6;
  BOTH(relative) {
    /* frame 0 of the joint is the bar's: its load is constant along these axes; on the ground it is opposite */
    motion s =
        move(relative, 1, 0.02,
             "'gravity': [0, 0, -9.81], 'points': {'M': [0.5, 0, 0]}, 'bodies': { 'bar': { 'mass': 2, 'inertia': "
             "[0.01, 0.1, 0.1], 'center': [0.5, 0, 0] } },"
             "'joints': { 'hinge': { 'type': 'revolute', 'between': ['bar', 'ground'], 'at': [0, 0, 0], 'axis': 'z' "
             "} }, 'start': { 'bar.wz': 6 },"
             "'outputs': { 'along': 'in(bar, force(hinge))', 'joint': 'in(hinge, force(hinge))', 'turned': "
             "'in(hinge, torque(hinge))', 'fx': 'hinge.fx', 'fy': 'hinge.fy', 'fz': 'hinge.fz', 'tx': 'hinge.tx', "
             "'ty': 'hinge.ty', 'tz': 'hinge.tz', 'w': 'omega(bar)', 'wb': 'in(bar, omega(bar))', 'w1': 'bar.w1', "
             "'w3': 'bar.w3', 'z': 'axis(hinge, z)', 'x': 'axis(bar, x)', 'hx': 'norm(axis(hinge, x) - axis(hinge, "
             "y))', 'px': 'momentum.px', 'py': 'momentum.py', 'pz': 'momentum.pz', 'lx': 'momentum.lx', 'lz': "
             "'momentum.lz', 'e0': 'bar.e0', 'e3': 'bar.e3', 'v': 'velocity(bar, M)', 'a': 'acceleration(bar, M)', "
             "'ax': 'bar.ax', 'alz': 'bar.alz', 'angle': 'hinge.angle' }");
    FOLLOWS(&s, "along.x", m * l * w * w, 1e-8);
    FOLLOWS(&s, "along.y", 0, 1e-8);
    FOLLOWS(&s, "along.z", -m * g, 1e-8);
    FOLLOWS(&s, "joint.z", -m * g, 1e-8);
    FOLLOWS(&s, "joint.x", at(&s, 0, "joint.x"), 1e-8);
    FOLLOWS(&s, "joint.y", at(&s, 0, "joint.y"), 1e-8);
    FOLLOWS(&s, "turned.x", at(&s, 0, "turned.x"), 1e-8);
    FOLLOWS(&s, "fx", m * l * w * w * cos(w * t), 1e-8);
    FOLLOWS(&s, "fy", m * l * w * w * sin(w * t), 1e-8);
    FOLLOWS(&s, "fz", -m * g, 1e-8);
    FOLLOWS(&s, "tx", -m * g * l * sin(w * t), 1e-8);
    FOLLOWS(&s, "ty", m * g * l * cos(w * t), 1e-8);
    FOLLOWS(&s, "tz", 0, 1e-9);
    FOLLOWS(&s, "w.z", w, 1e-9);
    FOLLOWS(&s, "wb.z", VALUE("w3"), 1e-12);
    FOLLOWS(&s, "wb.x", VALUE("w1"), 1e-12);
    FOLLOWS(&s, "z.z", 1, 1e-12);
    FOLLOWS(&s, "x.y", sin(w * t), 1e-9);
    FOLLOWS(&s, "hx", sqrt(2), 1e-12);
    FOLLOWS(&s, "px", -m * l * w * sin(w * t), 1e-8);
    FOLLOWS(&s, "py", m * l * w * cos(w * t), 1e-8);
    FOLLOWS(&s, "pz", 0, 1e-10);
    FOLLOWS(&s, "lx", 0, 1e-9);
    FOLLOWS(&s, "lz", (0.1 + m * l * l) * w, 1e-9);
    FOLLOWS(&s, "v.x", -l * w * sin(w * t), 1e-9);
    FOLLOWS(&s, "a.x", -l * w * w * cos(w * t), 1e-8);
    FOLLOWS(&s, "ax", 0, 1e-9);
    FOLLOWS(&s, "alz", 0, 1e-9);
    FOLLOWS(&s, "angle", -w * t, 1e-9); /* the ground against the bar */
    FOLLOWS(&s, "e3", copysign(fabs(sin(w * t / 2)), VALUE("e3")), 1e-9);
    FOLLOWS(&s, "e0", copysign(fabs(cos(w * t / 2)), VALUE("e0")), 1e-9);
    stop(&s);
  }
}

TEST(raw_coordinates_have_names) {
  /* a conical pendulum, its body turned as a whole about z: phi = phi0 + W t, theta and psi stay */
  const double m = 2, l = 0.8, A = 0.1 + m * l * l, C = 0.03, th = 0.6, W = sqrt(m * g * l / ((A - C) * cos(th)));
  static const char *const kinds[] = {"euler-angles", "euler-parameters", "quaternion"};
  static const char *const outputs[] = {
      "'a': 'bob.phi', 'da': 'bob.dphi', 'b': 'bob.theta', 'c': 'bob.psi', 'dc': 'bob.dpsi'",
      "'a': '2*atan2(bob.e3, bob.e0)', 'e': 'bob.e3', 'n': 'bob.e0^2 + bob.e1^2 + "
      "bob.e2^2 + bob.e3^2'",
      "'a': '2*atan2(bob.e3, bob.e0)', 'e': 'bob.e3'"};
  char text[1200];
  for (int k = 0; k < 3; k++) {
    snprintf(
        text, sizeof text,
        "'gravity': [0, 0, -9.81], 'constants': {'th': 0.6}, 'body_coordinates': '%s', 'bodies': { 'bob': { 'mass': 2, "
        "'inertia': [0.1, 0.1, 0.03], 'center': [0, 0, -0.8], 'euler': {'zxz': [0, 'th', 0]} } },"
        "'joints': { 'pivot': { 'type': 'spherical', 'between': ['ground', 'bob'], 'at': [0, 0, 0] } },"
        "'start': { 'bob.wx': 0, 'bob.wy': 0, 'bob.wz': %.17g }, 'outputs': { %s }",
        kinds[k], W, outputs[k]);
    motion s = move(false, 1.5, 0.05, text);
    if (k == 0) {
      FOLLOWS(&s, "a", W * t, 1e-9);
      FOLLOWS(&s, "da", W, 1e-9);
      FOLLOWS(&s, "b", th, 1e-9);
      FOLLOWS(&s, "c", 0, 1e-8);
      FOLLOWS(&s, "dc", 0, 1e-8);
    } else { /* Rz(a) Rx(th): e0 = cos(a/2) cos(th/2), e3 = sin(a/2) cos(th/2) */
      FOLLOWS(&s, "e", sin(W * t / 2) * cos(th / 2), 1e-9);
      FOLLOWS(&s, "a", remainder(W * t, 4 * PI), 1e-8);
      if (k == 1) FOLLOWS(&s, "n", 1, 1e-10);
    }
    stop(&s);
  }
}

TEST(a_raw_angle_is_driven) {
  motion s = move(false, 2, 0.05,
                  "'gravity': [0, 0, -9.81], 'bodies': { 'b': { 'mass': 1, 'inertia': [0.1, 0.2, 0.25], 'coordinates': "
                  "'euler-angles', 'euler': {'zxz': [0, 1, 0]} } },"
                  "'joints': { 'd': { 'type': 'driver', 'on': 'b.phi', 'value': '0.5*sin(3*t)' } },"
                  "'start': { 'guess': { 'b.w3': 2 } },"
                  "'outputs': { 'phi': 'b.phi', 'W': 'energy.driver', 'E': 'energy.total' }");
  FOLLOWS(&s, "phi", 0.5 * sin(3 * t), 1e-10);
  FOLLOWS(&s, "W", VALUE("E") - at(&s, 0, "E"), 1e-9);
  stop(&s);
}

TEST(columns_without_outputs) {
  static const char *const names[] = {"a.x",     "a.y",    "a.z",     "a.e0",   "a.e1", "a.e2",    "a.e3",
                                      "a.vx",    "a.vy",   "a.vz",    "a.wx",   "a.wy", "a.wz",    "p.x",
                                      "p.y",     "p.z",    "p.vx",    "p.vy",   "p.vz", "h.angle", "h.rate",
                                      "c.angle", "c.rate", "c.shift", "c.speed"};
  enum { N = sizeof names / sizeof *names };
  BOTH(relative) {
    motion s =
        move(relative, 0.1, 0.05,
             "'bodies': { 'a': { 'mass': 1, 'inertia': [1, 1, 1] }, 'p': { 'mass': 1, 'coordinates': 'point' } },"
             "'joints': { 'h': { 'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0, 0], 'axis': 'z' }, "
             "'c': { 'type': 'cylindrical', 'between': ['ground', 'a'], 'at': [0, 0, 0], 'axis': 'z' } },"
             "'start': {'p.vz': 1, 'h.rate': 2}");
    CHECK(s.table.columns == N);
    for (int k = 0; k < N && k < s.table.columns; k++) CHECK_TEXT(s.table.name[k], names[k]);
    CHECK_NEAR(last(&s, "p.z"), 0.1, 1e-12);
    CHECK_NEAR(last(&s, "h.angle"), 0.2, 1e-12);
    CHECK_NEAR(last(&s, "c.angle"), 0.2, 1e-12);
    CHECK_NEAR(last(&s, "a.e3"), sin(0.1), 1e-12);
    stop(&s);
  }
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------------ */

/* the status of reading, starting or running, and its text; rows must be numbers */
static tn_status finite_row(void *user, double t, int n, const double *values) {
  bool *finite = user;
  *finite = *finite && isfinite(t);
  for (int i = 0; i < n; i++) *finite = *finite && isfinite(values[i]);
  return TN_OK;
}

/* a run that creeps is ended, not waited for */
static bool patience(void *user, double t) {
  (void)t;
  return ++*(long *)user < 50000;
}

static tn_status outcome(const char *text, char *words, size_t size, tn_summary *summary, int *warnings) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_error e = {0};
  bool finite = true;
  *words = 0;
  if (warnings) *warnings = 0;
  tn_status status = tn_desc_new(NULL, &desc, &e);
  if (status == TN_OK) status = tn_desc_parse(desc, "text", text, strlen(text), &e);
  if (status == TN_OK) status = tn_compile(desc, &model, &e);
  if (status == TN_OK) {
    for (int i = 0; i < tn_model_warnings(model); i++) {
      const size_t used = strlen(words);
      snprintf(words + used, size - used, "%s; ", tn_model_warning(model, i)->message);
    }
    if (warnings) *warnings = tn_model_warnings(model);
    status = tn_sim_new(model, &sim, &e);
  }
  if (status == TN_OK) {
    long steps = 0;
    tn_sim_watch(sim, patience, &steps);
    status = tn_sim_run(sim, finite_row, &finite, &e);
    if (summary) *summary = *tn_sim_summary(sim);
  }
  if (status != TN_OK) tn_error_text(&e, words, size);
  if (status != TN_OK && !*words) FAIL("no words for status %d", (int)status);
  if (strstr(words, "nan") || !finite) FAIL("not a number in a row or a message: %s", words);
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
  return status;
}

static void refused(int dimension, const char *sections, tn_status expected, const char *part, const char *reason) {
  char words[1200];
  BOTH(relative) {
    if (relative && strstr(sections, "'coordinates': 'rel")) continue;
    char *text = whole(dimension, relative, "", sections);
    const tn_status status = outcome(text, words, sizeof words, NULL, NULL);
    if (status != expected) FAIL("status %d, not %d: %s\n%s", (int)status, (int)expected, words, text);
    CHECK_HAS(words, part);
    CHECK_HAS(words, reason);
    free(text);
  }
}

#define BODIES                                                                                                         \
  "'bodies': { 'a': { 'mass': 1, 'inertia': [1, 1, 1] }, 'b': { 'mass': 1, 'inertia': [1, 1, 1], 'position': [1, 0, "  \
  "0] } }"
#define BODY(fields) "'bodies': { 'a': { 'mass': 1, 'inertia': [1, 1, 1], " fields " } }"
#define HINGE "'hinge': { 'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0, 0], 'axis': 'z' }"

TEST(bodies_that_cannot_be) {
  refused(3, "'bodies': { 'a': {} }", TN_E_MODEL, "body 'a'", "nothing gives a.vx inertia");
  refused(3, "'bodies': { 'a': {} }, 'joints': { " HINGE " }", TN_E_MODEL, "body 'a'", "mass matrix is singular");
  refused(3, "'bodies': { 'a': { 'mass': 1, 'inertia': [1, 1, 2.1] } }", TN_E_MODEL, "body 'a'",
          "5 % more than the sum");
  refused(3, "'bodies': { 'a': { 'mass': 1, 'inertia': [1, 1, 1, 0.9, 0, 0] } }", TN_E_MODEL, "body 'a'",
          "% more than the sum");
  refused(3, "'bodies': { 'a': { 'mass': 1, 'inertia': [1, 1, 1, 1.1, 0, 0] } }", TN_E_MODEL, "body 'a'",
          "must be positive");
  refused(3, "'bodies': { 'a': { 'mass': 1, 'rod': [[0, 0, 0], [1, 0, 0]] } }", TN_E_MODEL, "body 'a'", "`radius`");
  refused(3, BODY("'coordinates': 'euler-angles'"), TN_E_MODEL, "body 'a'", "singular at the given pose");
  refused(3, BODY("'coordinates': 'quaternions'"), TN_E_MODEL, "body 'a'", "did you mean 'quaternion'?");
  refused(3, BODY("'coordinates': 'plane'"), TN_E_MODEL, "body 'a'", "are for bodies in the plane");
  refused(2, "'bodies': { 'a': { 'mass': 1, 'inertia': 1, 'coordinates': 'quaternion' } }", TN_E_MODEL, "body 'a'",
          "are for bodies in space");
  refused(3, BODY("'euler': {'zzx': [0, 0, 0]}"), TN_E_MODEL, "body 'a'", "'zzx' is not a sequence of axes");
  refused(3, BODY("'quaternion': [1.1, 0, 0, 0]"), TN_E_MODEL, "body 'a'", "this one 1.1");
  refused(3, BODY("'axes': {'x': 'x', 'z': [1, 0, 1]}"), TN_E_MODEL, "body 'a'", "not perpendicular");
  refused(3, BODY("'angle': 1"), TN_E_MODEL, "body 'a'", "`angle` is for bodies in the plane");
  char words[1200];
  char *text = whole(3, false, "", "'gravity': [0, 0, -1], 'bodies': { 'a': { 'mass': 1, 'inertia': [1, 1, 2.008] } }");
  int warnings;
  CHECK(outcome(text, words, sizeof words, NULL, &warnings) == TN_OK);
  CHECK(warnings == 1);
  CHECK_HAS(words, "body 'a': a principal moment of inertia, 2.008, is 0.4 % more");
  free(text);
}

TEST(joints_that_cannot_be) {
#define JOINT(text) BODIES ", 'joints': { " text " }"
  refused(3,
          JOINT("'u': { 'type': 'universal', 'between': ['ground', 'a'], 'at': [0, 0, 0], 'axes': ['x', [1, 1, 0]] }"),
          TN_E_MODEL, "joint 'u'", "perpendicular");
  refused(3, JOINT("'u': { 'type': 'parallel', 'between': ['ground', 'a'], 'axes': ['x', 'y'] }"), TN_E_MODEL,
          "joint 'u'", "are parallel");
  refused(3, JOINT("'m': { 'type': 'gear', 'between': ['a', 'b'], 'teeth': [10, 20] }"), TN_E_MODEL, "joint 'm'",
          "`axis` is missing");
  refused(3, JOINT("'m': { 'type': 'rolling-sphere', 'between': ['ground', 'a'], 'at': 'a', 'radius': 1 }"), TN_E_MODEL,
          "joint 'm'", "`normal` is missing");
  refused(3, JOINT("'m': { 'type': 'knife-edge', 'between': ['ground', 'a'], 'at': 'a', 'axis': 'x', 'normal': 'x' }"),
          TN_E_MODEL, "joint 'm'", "no way to glide");
  refused(3,
          "'gravity': [0, 0, -9.81], " JOINT("'m': { 'type': 'rolling-disc', 'between': ['ground', 'a'], 'at': 'a', "
                                             "'axis': 'z', 'radius': 1 }"),
          TN_E_MODEL, "joint 'm'", "lies flat");
  refused(3, JOINT("'j': { 'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0, 0] }"), TN_E_MODEL, "joint 'j'",
          "`axis` is missing");
  refused(
      2,
      "'bodies': { 'a': { 'mass': 1, 'inertia': 1 } }, 'joints': { 'u': { 'type': 'universal', 'between': ['ground', "
      "'a'], 'at': [0, 0], 'axes': ['x', 'y'] } }",
      TN_E_MODEL, "joint 'u'", "there is no joint `universal` in the plane");
  refused(
      2,
      "'bodies': { 'a': { 'mass': 1, 'inertia': 1 } }, 'joints': { 'j': { 'type': 'revolute', 'between': ['ground', "
      "'a'], 'at': [0, 0], 'axis': 'x' } }",
      TN_E_MODEL, "joint 'j'", "in the plane has no `axis`");
  refused(3, "'coordinates': 'relative', 'cut': ['hing'], " JOINT(HINGE), TN_E_MODEL, "no joint 'hing'", "'hinge'");
  refused(3, "'coordinates': 'relativ', " BODIES, TN_E_MODEL, "'relativ'", "did you mean 'relative'?");
}

TEST(starts_that_cannot_be) {
  refused(3,
          JOINT(HINGE
                ", 'd1': { 'type': 'driver', 'on': 'hinge.angle', 'value': 't' }, 'd2': { 'type': 'driver', 'on': "
                "'hinge.angle', 'value': '2*t' }"),
          TN_E_MODEL, "drivers 'd1', 'd2' are over-determined", "disagree by 1 rad/s");
  refused(3,
          JOINT(HINGE
                ", 'd1': { 'type': 'driver', 'on': 'hinge.angle', 'value': 't' }, 'd2': { 'type': 'driver', 'on': "
                "'hinge.angle', 'value': '0.1 + t' }"),
          TN_E_MODEL, "drivers 'd1', 'd2' are over-determined", "disagree by 0.1 rad");
  refused(3,
          JOINT(HINGE
                ", 'd1': { 'type': 'driver', 'on': 'hinge.angle', 'value': 't' }, 'd2': { 'type': 'driver', 'on': "
                "'hinge.angle', 'value': 't + t^2' }"),
          TN_E_RUN, "joint 'd", "contract broken");
  refused(
      3,
      JOINT(
          "'p': { 'type': 'revolute', 'between': ['ground', 'a'], 'on_bodies': [[0, 0, 0], [0, 0, 0]], 'axis': 'z' "
          "}, 'q': { 'type': 'revolute', 'between': ['a', 'b'], 'on_bodies': [[1, 0, 0], [0, 0, 0]], 'axis': 'z' }, "
          "'r': { 'type': 'revolute', 'between': ['b', 'ground'], 'on_bodies': [[1, 0, 0], [5, 0, 0]], 'axis': 'z' }"),
      TN_E_MODEL, "joint 'r'", "cannot be assembled");
  refused(3, JOINT(HINGE) ", 'start': { 'a.wx': 1 }", TN_E_MODEL, "'a.wx'", "must not contradict the joints");
  refused(3, BODIES ", 'start': { 'a.e1': 0.1 }", TN_E_MODEL, "'a.e1'", "one number of a rotation");
}

TEST(forces_that_cannot_be) {
  refused(
      3,
      BODY("'coordinates': 'euler-angles', 'euler': {'zxz': [0, 1, 0]}") ", 'forces': { 'f': { 'type': 'torque', 'on': "
                                                                         "'a.phi', 'value': 1 } }",
      TN_E_MODEL, "force 'f'", "'a.phi'");
  refused(3, BODIES ", 'forces': { 'f': { 'type': 'torque', 'on': 'a.e1', 'value': 1 } }", TN_E_MODEL, "force 'f'",
          "'a.e1'");
  refused(3, BODIES ", 'forces': { 'f': { 'type': 'torque', 'on': 'a', 'value': 1 } }", TN_E_MODEL, "force 'f'",
          "`about` is missing");
  refused(3, BODIES ", 'joints': { 'd': { 'type': 'driver', 'on': 'a.wx', 'value': 't' } }", TN_E_MODEL, "joint 'd'",
          "is a rate");
}

TEST(too_many_rows_that_agree) {
  char words[1200];
  tn_summary sum;
  BOTH(relative) {
    /* a door on two hinges: the second says the same five times */
    char *text =
        whole(3, relative, "",
              "'gravity': [1, 0, -9.81], 'bodies': { 'a': { 'mass': 1, 'inertia': [1, 1, 1], 'center': [0, 0.5, 0] } "
              "}, 'joints': { " HINGE ", 'upper': { 'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0, 1], "
              "'axis': 'z' } }");
    CHECK(outcome(text, words, sizeof words, &sum, NULL) == TN_OK);
    CHECK(sum.redundant_rows == 5 && sum.degrees_of_freedom == 1);
    CHECK(sum.energy_balance < 1e-8 && sum.contract_kept);
    free(text);
  }
}

/* rows that say nothing new are roundoff in relative coordinates, and must not be taken for more */
TEST(rows_of_roundoff_hold_nothing) {
  static const struct {
    const char *joints;
    int freedom, redundant;
  } cases[] = {
      /* a skew door on two hinges */
      {"'j': { 'type': 'revolute', 'between': ['ground', 'a'], 'at': [0.1, 0.2, 0.3], 'axis': [1, 2, 0.3] }, 'k': { "
       "'type': "
       "'revolute', 'between': ['ground', 'a'], 'at': [1.1, 2.2, 0.6], 'axis': [1, 2, 0.3] }, 'w': { 'type': 'weld', "
       "'between': ['a', 'b'] }",
       1, 5},
      /* a rod, and a wheel that would roll, between two that are welded */
      {"'j': { 'type': 'spherical', 'between': ['ground', 'a'], 'at': [0.1, 0.2, 0.3] }, 'w': { 'type': 'weld', "
       "'between': "
       "['a', 'b'] }, 'k': { 'type': 'distance', 'between': ['a', 'b'], 'at': [[0.1, 0.2, 0.3], [0.77, 0.31, -0.4]] }",
       3, 1},
      {"'j': { 'type': 'point-on-line', 'between': ['ground', 'a'], 'at': [0.1, 0.2, 0.3], 'axis': [1, 2, 0.3] }, 'w': "
       "{ "
       "'type': 'weld', 'between': ['b', 'a'], 'at': [0.3, -0.7, 0.2] }, 'k': { 'type': 'rolling-ellipsoid', "
       "'between': ['a', "
       "'b'], 'at': [0.77, 0.31, -0.4], 'normal': [1, -2, 0.7], 'semi_axes': [0.3, 0.4, 0.25] }",
       4, 3},
      {"'j': { 'type': 'universal', 'between': ['ground', 'a'], 'at': [0.1, 0.2, 0.3], 'axes': [[1, 2, 0], [2, -1, "
       "0.7]] }, "
       "'w': { 'type': 'weld', 'between': ['b', 'a'], 'at': [0.3, -0.7, 0.2] }, 'k': { 'type': 'planar', 'between': "
       "['a', "
       "'b'], 'at': [0.77, 0.31, -0.4], 'normal': [1, -2, 0.7] }",
       2, 3}};
  char sections[1600];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    motion s[2];
    snprintf(sections, sizeof sections,
             "'gravity': [0, 1, -9.81], 'bodies': { 'a': { 'mass': 1, 'inertia': [0.1, 0.15, 0.12], 'center': [0.3, "
             "0.1, 0], "
             "'axis_angle': [[1, 2, 3], 0.7] }, 'b': { 'mass': 0.7, 'inertia': [0.1, 0.15, 0.12], 'position': [1, 0.3, "
             "0.2], "
             "'axis_angle': [[3, -1, 1], 1.7] } }, 'joints': { %s },"
             "'forces': { 'wind': { 'type': 'torque', 'on': 'b', 'about': [1, 2, 0.3], 'value': '3*sin(5*t)' } },"
             "'outputs': { 'p': 'position(b)', 'w': 'omega(b)' }",
             cases[k].joints);
    BOTH(relative) {
      s[relative] = move(relative, 1, 0.05, sections);
      if (s[relative].sum.degrees_of_freedom != cases[k].freedom ||
          s[relative].sum.redundant_rows != cases[k].redundant)
        FAIL("case %zu, %s: %d free, %d redundant", k, coordinates, s[relative].sum.degrees_of_freedom,
             s[relative].sum.redundant_rows);
    }
    same(&s[1], &s[0], "p.x p.y p.z w.x w.y w.z", 1e-8);
    CHECK(fabs(last(&s[0], "p.z") - 0.2) > 0.01);
    stop(&s[0]);
    stop(&s[1]);
  }
}

/* a state of roundoff at rest says nothing about the first step */
TEST(a_start_of_almost_nothing) {
  motion s =
      move(true, 0.5, 0.05,
           "'gravity': [0, 0, -9.81], 'bodies': { 'a': { 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'center': [0.3, 0, "
           "0.01] } }, 'joints': { 'j': { 'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0, 0], 'axis': "
           "'y' } }, 'start': { 'j.angle': 1e-14 }, 'outputs': { 'angle': 'j.angle', 'E': 'energy.total' }");
  FOLLOWS(&s, "E", at(&s, 0, "E"), 1e-10);
  CHECK(s.table.rows == 11 && last(&s, "angle") > 0.5);
  stop(&s);
}

/* what goes wrong on the way ends with words, and soon */
TEST(motions_that_end) {
  refused(
      3,
      "'gravity': [0, 0, -9.81], 'bodies': { 'a': { 'mass': 1, 'inertia': [0.0625, 0.0625, 0.125], 'position': [0, 0, "
      "'0.5*sin(1.2)'], 'axis_angle': ['x', 1.2] } }, 'joints': { 'floor': { 'type': 'rolling-disc', 'between': "
      "['ground', 'a'], 'at': 'a', 'axis': [0, '-sin(1.2)', 'cos(1.2)'], 'radius': 0.5 } }",
      TN_E_RUN, "joint 'floor'", "at t = 0.5537");
  refused(
      3,
      BODY("'coordinates': 'euler-angles', 'euler': {'zxz': [0, 1, 0]}") ", 'start': { 'a.wx': -1 }, 'run': { 'until': "
                                                                         "5 }",
      TN_E_RUN, "body 'a'", "`euler-angles` are singular");
}

/* ---- mechanisms at random --------------------------------------------------------------------------------------------------------- */

static uint64_t state;

static double uniform(double lo, double hi) {
  state += 0x9e3779b97f4a7c15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return lo + (hi - lo) * (double)(z >> 11) / 9007199254740992.0;
}

static int integer(int n) { return (int)uniform(0, n); }

typedef struct text {
  char text[24000];
  size_t used;
} text;

static void say(text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(text *to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  to->used += (size_t)vsnprintf(to->text + to->used, sizeof to->text - to->used, format, args);
  va_end(args);
  if (to->used >= sizeof to->text) abort();
}

typedef struct vector {
  double x[3];
} vector;
typedef struct words {
  char text[96];
} words;

static vector direction(void) {
  vector v;
  double n;
  do {
    for (int i = 0; i < 3; i++) v.x[i] = uniform(-1, 1);
    n = sqrt(v.x[0] * v.x[0] + v.x[1] * v.x[1] + v.x[2] * v.x[2]);
  } while (n < 0.1 || n > 1);
  for (int i = 0; i < 3; i++) v.x[i] /= n;
  return v;
}

static vector across(vector a) { /* at random, of length 1 */
  const vector b = direction();
  vector c = {
      {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
  const double n = sqrt(c.x[0] * c.x[0] + c.x[1] * c.x[1] + c.x[2] * c.x[2]);
  if (n < 0.1) return across(a);
  for (int i = 0; i < 3; i++) c.x[i] /= n;
  return c;
}

static vector beyond(vector a, double k, vector d) {
  for (int i = 0; i < 3; i++) a.x[i] += k * d.x[i];
  return a;
}

static words show(vector v) {
  words w;
  snprintf(w.text, sizeof w.text, "[%.17g, %.17g, %.17g]", v.x[0], v.x[1], v.x[2]);
  return w;
}

#define SHOW(v) (show(v).text)

enum { MOST_BODIES = 12 };

typedef struct mechanism {
  text bodies, joints, outputs, guess, all;
  int n, j, freedom;
  vector place[MOST_BODIES];
} mechanism;

static const char *named(int body, char name[16]) {
  if (body < 0) return "ground";
  snprintf(name, 16, "b%d", body);
  return name;
}

static int add_body(mechanism *m, vector place) {
  const double mass = uniform(0.5, 2), a = uniform(0.1, 0.6), b = uniform(0.1, 0.6), c = uniform(0.1, 0.6);
  const int i = m->n++;
  m->place[i] = place;
  say(&m->bodies,
      "%s'b%d': { 'mass': %.17g, 'inertia': [%.17g, %.17g, %.17g], 'center': %s, 'position': %s, 'axis_angle': [%s, "
      "%.17g] }",
      i ? ", " : "", i, mass, mass / 12 * (b * b + c * c), mass / 12 * (a * a + c * c), mass / 12 * (a * a + b * b),
      SHOW(beyond((vector){{0}}, uniform(0, 0.2), direction())), SHOW(place), SHOW(direction()), uniform(-3, 3));
  say(&m->outputs, "%s'p%d': 'position(b%d)', 'w%d': 'omega(b%d)'", i ? ", " : "", i, i, i, i);
  for (int k = 0; k < 6; k++)
    say(&m->guess, "%s'b%d.%s': %.17g", i || k ? ", " : "", i,
        ((const char *[]){"vx", "vy", "vz", "wx", "wy", "wz"})[k], uniform(-2, 2));
  m->freedom += 6;
  return i;
}

/* kinds of joints that are random by their place and directions; rows that they have */
static const struct {
  const char *type;
  int rows;
} kinds[] = {{"revolute", 5},   {"prismatic", 5},      {"cylindrical", 4},   {"screw", 5},
             {"universal", 4},  {"spherical", 3},      {"planar", 3},        {"weld", 6},
             {"free", 0},       {"distance", 1},       {"parallel", 2},      {"perpendicular", 1},
             {"knife-edge", 2}, {"point-on-plane", 1}, {"point-on-line", 2}, {"constant-velocity", 4}};
enum { KINDS = sizeof kinds / sizeof *kinds - 1 }; /* the last folds back on itself where it swings freely */

static void add_joint(mechanism *m, int kind, int first, int second) {
  char a[16], b[16];
  const vector d = direction(), e = across(d);
  const vector at = beyond(m->place[second >= 0 ? second : first], uniform(0, 0.4), direction());
  const char *type = kinds[kind].type;
  m->freedom -= kinds[kind].rows;
  say(&m->joints, "%s'j%d': { 'type': '%s', 'between': ['%s', '%s']", m->j ? ", " : "", m->j, type, named(first, a),
      named(second, b));
  m->j++;
  if (strcmp(type, "distance") == 0)
    say(&m->joints, ", 'at': [%s, %s]", SHOW(beyond(at, uniform(0.3, 1), direction())), SHOW(at));
  else if (strcmp(type, "parallel") != 0 && strcmp(type, "perpendicular") != 0)
    say(&m->joints, ", 'at': %s", SHOW(at));
  switch (kind) {
  case 3: say(&m->joints, ", 'pitch': %.17g", uniform(-0.5, 0.5)); /* fallthrough */
  case 0:
  case 1:
  case 2:
  case 14: say(&m->joints, ", 'axis': %s", SHOW(d)); break;
  case 4:
  case 11: say(&m->joints, ", 'axes': [%s, %s]", SHOW(d), SHOW(e)); break;
  case 10: say(&m->joints, ", 'axes': [%s, %s]", SHOW(d), SHOW(d)); break;
  case 15: say(&m->joints, ", 'axes': [%s, %s]", SHOW(d), SHOW(beyond(e, uniform(-0.5, 1), d))); break;
  case 6:
  case 13: say(&m->joints, ", 'normal': %s", SHOW(d)); break;
  case 12: say(&m->joints, ", 'normal': %s, 'axis': %s", SHOW(d), SHOW(beyond(e, uniform(-0.5, 0.5), d))); break;
  default: break;
  }
  say(&m->joints, " }");
}

static void add_rolling(mechanism *m, int under) {
  char a[16];
  const vector n = direction(), e = across(n);
  const int b = add_body(m, beyond(under >= 0 ? m->place[under] : (vector){{0}}, 1, direction())), kind = integer(3);
  say(&m->joints, ", 'j%d': { 'type': '%s', 'between': ['%s', 'b%d'], 'at': %s, 'normal': %s", m->j++,
      ((const char *[]){"rolling-sphere", "rolling-ellipsoid", "rolling-disc"})[kind], named(under, a), b,
      SHOW(beyond(m->place[b], uniform(0, 0.1), direction())), SHOW(n));
  if (kind == 1)
    say(&m->joints, ", 'semi_axes': [%.17g, %.17g, %.17g] }", uniform(0.2, 0.5), uniform(0.2, 0.5), uniform(0.2, 0.5));
  else
    say(&m->joints, ", 'radius': %.17g", uniform(0.2, 0.5));
  if (kind == 2) say(&m->joints, ", 'axis': %s", SHOW(beyond(e, uniform(-0.7, 0.7), n)));
  if (kind != 1) say(&m->joints, " }");
  m->freedom -= 3;
}

/* two wheels, or a pinion and a rack, on a carrier */
static void add_gears(mechanism *m, int carrier) {
  char c[16];
  const vector z = direction(), x = across(z);
  const bool rack = integer(3) == 0, internal = !rack && integer(2);
  const int a = add_body(m, beyond(carrier >= 0 ? m->place[carrier] : (vector){{0}}, 0.5, direction()));
  const int b = add_body(m, beyond(m->place[a], 0.3, x));
  say(&m->joints, ", 'j%d': { 'type': 'revolute', 'between': ['%s', 'b%d'], 'at': 'b%d', 'axis': %s }", m->j,
      named(carrier, c), a, a, SHOW(z));
  if (rack) {
    say(&m->joints, ", 'j%d': { 'type': 'prismatic', 'between': ['%s', 'b%d'], 'at': 'b%d', 'axis': %s }", m->j + 1,
        named(carrier, c), b, b, SHOW(x));
    say(&m->joints,
        ", 'j%d': { 'type': 'rack', 'between': ['b%d', 'b%d'], 'carrier': '%s', 'radius': 0.2, 'direction': %s, "
        "'form': '%s' }",
        m->j + 2, a, b, named(carrier, c), SHOW(x), gear_form[integer(2)]);
  } else {
    say(&m->joints, ", 'j%d': { 'type': 'revolute', 'between': ['b%d', '%s'], 'at': 'b%d', 'axis': %s }", m->j + 1, b,
        named(carrier, c), b, SHOW(z));
    say(&m->joints,
        ", 'j%d': { 'type': 'gear', 'between': ['b%d', 'b%d'], 'carrier': '%s', 'teeth': [%d, %d], 'internal': "
        "%s, 'form': '%s' }",
        m->j + 2, a, b, named(carrier, c), 20 + integer(20), 50 + integer(20), internal ? "true" : "false",
        gear_form[integer(2)]);
  }
  m->j += 3;
  m->freedom -= 11;
}

/* closed at the given pose, since every place is one in the world */
static mechanism *at_random(unsigned seed, bool moving) {
  static mechanism whole_one;
  mechanism *m = &whole_one;
  memset(m, 0, sizeof *m);
  state = seed * 7919u + 17;
  const int n = 1 + integer(4);
  for (int i = 0; i < n; i++) {
    const int parent = integer(i + 1) - 1;
    add_body(m, beyond(parent >= 0 ? m->place[parent] : (vector){{0}}, 1, direction()));
    const bool turned = integer(4) == 0;
    add_joint(m, integer(KINDS), turned ? i : parent, turned ? parent : i);
  }
  if (integer(3) == 0) add_rolling(m, integer(n + 1) - 1);
  if (integer(3) == 0) add_gears(m, integer(n + 1) - 1);
  for (int loops = integer(3); loops > 0 && m->n > 1; loops--) {
    const int kind = integer(KINDS), a = integer(m->n) - 1, b = integer(m->n);
    if (a != b && kinds[kind].rows < m->freedom) add_joint(m, kind, a, b);
  }
  char c[16];
  const int from = integer(m->n + 1) - 1, to = integer(m->n);
  say(&m->all, "'gravity': %s, 'bodies': { %s }, 'joints': { %s }, 'outputs': { %s }",
      SHOW(beyond((vector){{0, 0, -5}}, 5, direction())), m->bodies.text, m->joints.text, m->outputs.text);
  say(&m->all,
      ", 'forces': { 'turn': { 'type': 'torque', 'on': 'b%d', 'about': %s, 'axes': 'body', 'value': '2*sin(7*t)' }",
      integer(m->n), SHOW(direction()));
  if (from != to)
    say(&m->all,
        ", 'spring': { 'type': 'spring', 'between': ['%s', 'b%d'], 'at': [%s, %s], 'stiffness': 20, 'damping': 0.2, "
        "'length': 0.4 }",
        named(from, c), to, SHOW(beyond(from >= 0 ? m->place[from] : (vector){{0}}, 0.3, direction())),
        SHOW(beyond(m->place[to], 0.1, direction())));
  say(&m->all, " }");
  if (moving) say(&m->all, ", 'start': { 'guess': { %s } }", m->guess.text);
  return m;
}

/* what came of it: 0 good, 1 a message that names something, 2 a failure */
static int try_one(const char *sections, bool relative, ref_table *table, tn_summary *sum) {
  char message[1200] = "";
  char *json = whole(
      3, relative, ", 'run': {'until': 0.5, 'every': 0.1, 'integrator': {'type': 'dopri5', 'rtol': 1e-11}}", sections);
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error e = {0};
  *table = (ref_table){0};
  *sum = (tn_summary){.status = TN_E_MODEL};
  tn_status status = tn_desc_new(NULL, &desc, &e);
  if (status == TN_OK) status = tn_desc_parse(desc, "text", json, strlen(json), &e);
  if (status == TN_OK) status = tn_compile(desc, &model, &e);
  if (status != TN_OK)
    tn_error_text(&e, message, sizeof message);
  else if (!ref_run(model, table, sum))
    snprintf(message, sizeof message, "%s", sum->message);
  int result = status != TN_OK || sum->status != TN_OK;
  if (!result) {
    bool finite = true;
    for (int i = 0; i < table->rows * table->columns; i++) finite = finite && isfinite(table->value[i]);
    const bool kept =
        sum->energy_balance < 1e-8 || sum->degrees_of_freedom == 0; /* roundoff over roundoff, if all rests */
    if (!finite || !kept || !sum->contract_kept) result = 2;
  } else if (!strchr(message, '\'') && !strstr(message, ": b") &&
             !strstr(message, ": j")) { /* a part or a coordinate */
    result = 2;
  }
  if (result == 2) printf("balance %.2g, %s\n%s\n", sum->energy_balance, message, json);
  free(json);
  tn_model_free(model);
  tn_desc_free(desc);
  return result;
}

TEST_FULL(mechanisms_at_random) {
  int told = 0, compared = 0;
  enum { N = 60 };
  for (unsigned seed = 1; seed <= N; seed++) {
    const bool moving = seed % 2;
    ref_table table[2];
    tn_summary sum[2];
    int result[2];
    const mechanism *m = at_random(seed, moving);
    BOTH(relative) {
      result[relative] = try_one(m->all.text, relative, &table[relative], &sum[relative]);
      told += result[relative] == 1;
      if (result[relative] == 2) FAIL("mechanism %u, %s", seed, relative ? "relative" : "absolute");
    }
    /* from rest both have the same start: the same motion */
    if (!moving && !result[0] && !result[1]) {
      char columns[1024] = "", where[128] = "";
      for (int i = 0; i < m->n; i++) {
        const size_t used = strlen(columns);
        snprintf(columns + used, sizeof columns - used, "p%d.x p%d.y p%d.z w%d.x w%d.y w%d.z ", i, i, i, i, i, i);
      }
      const double d = ref_distance(&table[1], &table[0], columns, INFINITY, true, where);
      compared++;
      if (!(d < 1e-6)) FAIL("mechanism %u: absolute and relative differ by %.3g, %s\n%s", seed, d, where, m->all.text);
      if (sum[0].degrees_of_freedom != sum[1].degrees_of_freedom)
        FAIL("mechanism %u: %d and %d degrees of freedom", seed, sum[0].degrees_of_freedom, sum[1].degrees_of_freedom);
    }
    ref_table_free(&table[0]);
    ref_table_free(&table[1]);
  }
  CHECK(told <= N / 10 && compared >= N / 3);
}
