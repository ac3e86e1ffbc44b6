/* rigid bodies of points and unit vectors: the same motions as bodies on quaternions, and a mass matrix that is constant. */
#include "support/build.h"
#include "test.h"

#define HEAD "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'points': {'O': [0, 0, 0], 'P': [0.5, 0.1, 0.2]},"

static bool start(const char *text, const char *method, build *b) {
  char quoted[6000];
  const size_t n = strlen(text);
  if (n >= sizeof quoted) return false;
  for (size_t i = 0; i <= n; i++) quoted[i] = text[i] == '\'' ? '"' : text[i];
  build_new(b, 1);
  build_parse(b, quoted);
  build_set(b, "/run/method", "\"%s\"", method);
  build_tight(b, 0.2, 0.02);
  build_set(b, "/run/integrator", "{\"type\": \"dop853\", \"rtol\": 1e-11}");
  if (build_simulate(b)) return true;
  FAIL("%s: %s", method, b->message);
  return false;
}

/* outputs of both agree to 1e-9 of their size in several methods */
static void twins(const char *what, const char *by_body, const char *by_elements) {
  static const char *const methods[] = {"project", "braun-goldfarb", "nullspace", "udwadia-kalaba"};
  build a, b;
  build_table x = {0};
  double most = 0;
  if (!start(by_body, "project", &a) || !build_run(&a, &x)) return;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    build_table y = {0};
    if (!start(by_elements, methods[k], &b) || !build_run(&b, &y)) {
      FAIL("%s, %s: %s", what, methods[k], b.message);
      continue;
    }
    CHECK(y.rows == x.rows && y.columns == x.columns && x.rows == 11);
    for (int c = 0; c < x.columns; c++) {
      double off = 0, size = 0;
      for (int i = 0; i < x.rows; i++) {
        off = fmax(off, fabs(build_at(&x, i, c) - build_at(&y, i, c)));
        size = fmax(size, fabs(build_at(&x, i, c)));
      }
      most = fmax(most, off / size);
      if (!(off <= 1e-9 * size)) FAIL("%s, %s: column %d is off by %.3g of %.3g", what, methods[k], c, off, size);
    }
    build_table_free(&y);
    build_free(&b);
  }
  printf("%s: %.1e\n", what, most);
  build_table_free(&x);
  build_free(&a);
}

#define INERTIA "'inertia': [0.04, 0.05, 0.03, 0.001, -0.002, 0.003]"
#define TOP                                                                                                            \
  HEAD "'bodies': {'u': {'coordinates': 'vector', 'position': 'x'}, 'v': {'coordinates': 'vector', 'position': 'y'},"  \
       "'w': {'coordinates': 'vector', 'position': [0.6, 0, 0.8]}},"                                                   \
       "'elements': {'top': {'points': ['O'], 'vectors': ['u', 'v', 'w'], 'mass': 2, 'center': [0.3, 0.05, "           \
       "0.4], " INERTIA "}}, 'joints': {"                                                                              \
       "'uv': {'type': 'constraint', 'value': 'dot(position(u), position(v))'},"                                       \
       "'uw': {'type': 'constraint', 'value': 'dot(position(u), position(w)) - 0.6'},"                                 \
       "'vw': {'type': 'constraint', 'value': 'dot(position(v), position(w))'}},"                                      \
       "'start': {'u.vx': 0, 'u.vy': 3, 'u.vz': -1, 'v.vx': -3, 'v.vy': 0, 'v.vz': 2, 'w.vx': 0.8, 'w.vy': 0.2, "      \
       "'w.vz': -0.6},"                                                                                                \
       "'outputs': {'uy': 'u.y', 'wz': 'w.z', 'T': 'energy.kinetic', 'V': 'energy.potential', 'lx': 'momentum.lx', "   \
       "'lz': 'momentum.lz', 'pz': 'momentum.pz'}}"

TEST(a_top_of_three_vectors) {
  twins("top",
        HEAD "'bodies': {'b': {'mass': 2, 'center': [0.3, 0.05, 0.4], " INERTIA "}},"
             "'joints': {'ball': {'type': 'spherical', 'between': ['ground', 'b'], 'at': 'O'}},"
             "'start': {'b.wx': 2, 'b.wy': 1, 'b.wz': 3},"
             "'outputs': {'uy': 'axis(b, x).y', 'wz': '0.6*axis(b, x).z + 0.8*axis(b, z).z', 'T': 'energy.kinetic', "
             "'V': 'energy.potential', 'lx': 'momentum.lx', 'lz': 'momentum.lz', 'pz': 'momentum.pz'}}",
        TOP);
}

/* four points that fly, six distances; one of them is the place of a spring */
TEST(four_points_that_fly) {
  static const char by_points[] = HEAD
      "'bodies': {'a': {'mass': 0, 'coordinates': 'point', 'position': [1, 0, 0]},"
      "'b': {'mass': 0, 'coordinates': 'point', 'position': [1.3, 0.1, 0.1]},"
      "'c': {'mass': 0, 'coordinates': 'point', 'position': [1, 0.4, 0.1]},"
      "'d': {'mass': 0, 'coordinates': 'point', 'position': [1.1, 0.1, 0.5]}},"
      "'elements': {'body': {'points': ['a', 'b', 'c', 'd'], 'mass': 2, 'center': [1.1, 0.2, 0.1], " INERTIA "}},"
      "'joints': {'ab': {'type': 'distance', 'between': ['a', 'b']}, 'ac': {'type': 'distance', 'between': ['a', "
      "'c']}, 'ad': {'type': 'distance', 'between': ['a', 'd']}, 'bc': {'type': 'distance', 'between': ['b', 'c']},"
      "'bd': {'type': 'distance', 'between': ['b', 'd']}, 'cd': {'type': 'distance', 'between': ['c', 'd'], "
      "'form': 'squared'}},"
      "'forces': {'s': {'type': 'spring', 'between': ['ground', 'b'], 'at': ['O', 'b'], 'stiffness': 30}},"
      "'start': {'a.vx': 0, 'a.vy': 0, 'a.vz': 0.5},"
      "'outputs': {'x': 'a.x', 'y': 'b.y', 'z': 'd.z', 'T': 'energy.kinetic', 'V': 'energy.total', 'lx': "
      "'momentum.lx', 'px': 'momentum.px'}}";
  static const char by_body[] =
      "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'bodies': {'q': {'mass': 2, 'position': [1, 0, 0], "
      "'center': [0.1, 0.2, 0.1], " INERTIA "}},"
      "'forces': {'s': {'type': 'spring', 'between': ['ground', 'q'], 'at': ['O', [1.3, 0.1, 0.1]], 'stiffness': 30}},"
      "'start': {'q.vx': 0, 'q.vy': 0, 'q.vz': 0.5},"
      "'points': {'O': [0, 0, 0], 'B': [1.3, 0.1, 0.1], 'D': [1.1, 0.1, 0.5]},"
      "'outputs': {'x': 'q.x', 'y': 'position(q, B).y', 'z': 'position(q, D).z', 'T': 'energy.kinetic', 'V': "
      "'energy.total', 'lx': 'momentum.lx', 'px': 'momentum.px'}}";
  twins("four points", by_body, by_points);
}

/* two bodies that share a point and a vector: the hinge between them has no equation. 21 speeds, by blocks */
TEST(a_hinge_is_what_bodies_share) {
  static const char by_bodies[] =
      HEAD "'bodies': {'A': {'mass': 1, 'center': [0.25, 0, 0.1], " INERTIA "},"
           "'B': {'mass': 3, 'position': 'P', 'center': [0.3, 0.1, -0.2], " INERTIA "},"
           "'C': {'mass': 1, 'center': [0, 0.2, 0], " INERTIA "}},"
           "'joints': {'ball': {'type': 'spherical', 'between': ['ground', 'A'], 'at': 'O'},"
           "'hinge': {'type': 'revolute', 'between': ['A', 'B'], 'at': 'P', 'axis': 'y'},"
           "'other': {'type': 'spherical', 'between': ['ground', 'C'], 'at': 'O'}},"
           "'start': {'A.wx': 1, 'A.wy': 0, 'A.wz': 2, 'hinge.rate': -3, 'C.wx': 0, 'C.wy': 0, 'C.wz': 4},"
           "'outputs': {'x': 'position(A, P).x', 'z': 'position(B).z', 'u': 'axis(A, y).x', 'b': 'axis(B, x).z', "
           "'c': 'axis(C, z).x', 'T': 'energy.kinetic', 'V': 'energy.potential', 'lz': 'momentum.lz'}}";
  /* w = (1, 0, 2) of A, (1, -3, 2) of B, (0, 0, 4) of C */
  static const char by_elements[] =
      HEAD "'bodies': {'p': {'mass': 0, 'coordinates': 'point', 'position': 'P'},"
           "'u': {'coordinates': 'vector', 'position': 'y'}, 'a': {'coordinates': 'vector', 'position': 'x'},"
           "'b': {'coordinates': 'vector', 'position': 'x'}, 'c': {'coordinates': 'vector', 'position': 'z'},"
           "'f': {'coordinates': 'vector', 'position': 'x'}, 'g': {'coordinates': 'vector', 'position': 'y'},"
           "'h': {'coordinates': 'vector', 'position': 'z'}},"
           "'elements': {"
           "'A': {'points': ['O', 'p'], 'vectors': ['u', 'a'], 'mass': 1, 'center': [0.25, 0, 0.1], " INERTIA "},"
           "'B': {'points': ['p'], 'vectors': ['u', 'b', 'c'], 'mass': 3, 'center': [0.8, 0.2, 0], " INERTIA "},"
           "'C': {'points': ['O'], 'vectors': ['f', 'g', 'h'], 'mass': 1, 'center': [0, 0.2, 0], " INERTIA "}},"
           "'joints': {'l': {'type': 'distance', 'between': ['ground', 'p'], 'at': ['O', 'P']},"
           "'pu': {'type': 'constraint', 'value': 'dot(position(p), position(u)) - 0.1'},"
           "'pa': {'type': 'constraint', 'value': 'dot(position(p), position(a)) - 0.5'},"
           "'ua': {'type': 'constraint', 'value': 'dot(position(u), position(a))'},"
           "'ub': {'type': 'constraint', 'value': 'dot(position(u), position(b))'},"
           "'uc': {'type': 'constraint', 'value': 'dot(position(u), position(c))'},"
           "'bc': {'type': 'constraint', 'value': 'dot(position(b), position(c))'},"
           "'fg': {'type': 'constraint', 'value': 'dot(position(f), position(g))'},"
           "'gh': {'type': 'constraint', 'value': 'dot(position(g), position(h))'},"
           "'hf': {'type': 'constraint', 'value': 'dot(position(h), position(f))'}},"
           "'start': {'a.vx': 0, 'a.vy': 2, 'a.vz': 0, 'u.vx': -2, 'u.vy': 0, 'u.vz': 1, 'b.vx': 0, 'b.vy': 2, "
           "'b.vz': 3, 'c.vx': -3, 'c.vy': -1, 'c.vz': 0, 'f.vx': 0, 'f.vy': 4, 'f.vz': 0, 'g.vx': -4, 'g.vz': 0, "
           "'h.vx': 0, 'h.vy': 0},"
           "'outputs': {'x': 'p.x', 'z': 'p.z', 'u': 'u.x', 'b': 'b.z', 'c': 'h.x', 'T': 'energy.kinetic', "
           "'V': 'energy.potential', 'lz': 'momentum.lz'}}";
  twins("hinge", by_bodies, by_elements);
}

TEST(the_mass_matrix_is_constant) {
  build b;
  build_motion m;
  double M[81], H[81], room[27], norm = 0;
  if (!start(TOP, "project", &b)) return;
  build_motion_random(&b, 0.5, &m);
  tn_assemble(&b.sys, 0, m.q, m.u);
  memcpy(M, b.sys.M, sizeof M);
  tn_system_coriolis(&b.sys, m.u, M, room, H);
  double most = 0;
  for (int i = 0; i < 81; i++) most = fmax(most, fabs(H[i])), norm = fmax(norm, fabs(M[i]));
  CHECK(most == 0);
  build_motion_random(&b, 0.5, &m);
  tn_assemble(&b.sys, 0, m.q, m.u);
  CHECK(b.model->nu == 9 && norm > 0 && memcmp(M, b.sys.M, sizeof M) == 0);
  build_free(&b);
}
