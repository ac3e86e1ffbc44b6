/* assemblies: what joints tie together, what does not tie, their extents and their names. ' stands for " in the models here. */
#include "support/build.h"
#include "test.h"

static const tn_model *compiled(build *b, const char *coordinates, const char *model) {
  char text[8000];
  snprintf(text, sizeof text, "{'tenon': 1, 'dimension': 2, 'coordinates': '%s', %s}", coordinates, model);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, text);
  build_compile(b);
  if (b->failed) printf("%s\n", b->message);
  CHECK(!b->failed && b->model);
  return b->model;
}

static int of(const tn_model *m, const char *name) {
  for (int i = 0; i < m->bodies; i++)
    if (strcmp(m->body[i].name, name) == 0) return m->assembly[i];
  return -100;
}

static int of_force(const tn_model *m, const char *name) {
  for (int i = 0; i < m->forces; i++)
    if (strcmp(m->force[i].name, name) == 0) return m->force_assembly[i];
  return -100;
}

/* a and b on a pin, c and d each on the ground, e free; springs between them */
#define WORLD                                                                                                          \
  "'bodies': {'a': {'rod': [[0, 0], [1, 0]], 'mass': 1}, 'b': {'rod': [[1, 0], [3, 0]], 'mass': 1},"                   \
  "'c': {'rod': [[10, 0], [14, 0]], 'mass': 1}, 'd': {'rod': [[20, 0], [20.5, 0]], 'mass': 1},"                        \
  "'e': {'mass': 1, 'inertia': 1, 'position': [30, 0]}},"                                                              \
  "'joints': {'p': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]},"                                    \
  "'ab': {'type': 'revolute', 'between': ['a', 'b'], 'at': [1, 0]},"                                                   \
  "'c0': {'type': 'revolute', 'between': ['ground', 'c'], 'at': [10, 0]},"                                             \
  "'d0': {'type': 'revolute', 'between': ['ground', 'd'], 'at': [20, 0]}%s},"                                          \
  "'forces': {'in': {'type': 'spring', 'between': ['a', 'b'], 'at': [[0.5, 0], [2, 0]], 'stiffness': 1},"              \
  "'to_ground': {'type': 'spring', 'between': ['ground', 'c'], 'at': [[10, 5], [12, 0]], 'stiffness': 1},"             \
  "'across': {'type': 'spring', 'between': ['c', 'e'], 'at': [[14, 0], [30, 0]], 'stiffness': 1},"                     \
  "'motor': {'type': 'torque', 'on': 'd0.angle', 'value': 1},"                                                         \
  "'slow': {'type': 'lag', 'time_constant': 1, 'value': 'a.angle'}}"

static void check_world(const char *coordinates) {
  char text[6000];
  build b;
  snprintf(text, sizeof text, WORLD, "");
  const tn_model *m = compiled(&b, coordinates, text);
  CHECK(m->assemblies == 4);
  CHECK(of(m, "a") == 0 && of(m, "b") == 0 && of(m, "c") == 1 && of(m, "d") == 2 && of(m, "e") == 3);
  CHECK(of_force(m, "in") == 0 && of_force(m, "to_ground") == 1 && of_force(m, "motor") == 2);
  CHECK(of_force(m, "across") == TN_ACROSS && of_force(m, "slow") == TN_NOTHING);
  /* from the pin on the ground to the centre of b; half of a rod; no other place */
  const double length[] = {2, 2, 0.25, 0};
  for (int i = 0; i < 4; i++) CHECK(fabs(m->assembly_length[i] - length[i]) <= 1e-12);
  const int joint[] = {0, 0, 1, 2};
  for (int i = 0; i < 4; i++) CHECK(m->joint_assembly[i] == joint[i]);
  char name[80];
  tn_assembly_name(m, 0, name, sizeof name);
  CHECK(strcmp(name, "'a' and 1 more body") == 0);
  tn_assembly_name(m, 3, name, sizeof name);
  CHECK(strcmp(name, "'e'") == 0);
  build_free(&b);
}

TEST(joints_tie_and_forces_and_ground_do_not) {
  check_world("absolute");
  check_world("relative");
}

/* a joint that forbids nothing gives coordinates to a body where they are relative: the partition does not depend on that */
TEST(a_free_joint_ties) {
  static const char *const coordinates[] = {"absolute", "relative"};
  for (int i = 0; i < 2; i++) {
    char text[6000];
    build b;
    snprintf(text, sizeof text, WORLD, ", 'loose': {'type': 'free', 'between': ['d', 'e'], 'at': [30, 0]}");
    const tn_model *m = compiled(&b, coordinates[i], text);
    CHECK(m->assemblies == 3);
    CHECK(of(m, "d") == 2 && of(m, "e") == 2);
    build_free(&b);
  }
}

/* a row on channels ties what it is made of, whatever stands between them */
TEST(rows_on_channels_tie) {
  static const char *const coordinates[] = {"absolute", "relative"};
  for (int i = 0; i < 2; i++) {
    char text[6000];
    build b;
    snprintf(text, sizeof text, WORLD,
             ", 'gear': {'type': 'coordinate', 'terms': {'c0.angle': 2, 'e.angle': 1, 'd0.angle': -1}, 'value': 0}");
    const tn_model *m = compiled(&b, coordinates[i], text);
    CHECK(m->assemblies == 2);
    CHECK(of(m, "c") == 1 && of(m, "d") == 1 && of(m, "e") == 1 && of(m, "a") == 0);
    CHECK(of_force(m, "across") == 1);
    CHECK(fabs(m->assembly_length[1] - 20) <= 1e-12);
    build_free(&b);
  }
}

/* joints without a place have their frames at the origins of bodies, and the ground's is that of the world: it is no part of a model that
 * stands elsewhere */
TEST(the_origin_of_the_world_is_no_place) {
  static const char *const loose[] = {"'type': 'parallel', 'axes': ['z', 'z']",
                                      "'type': 'perpendicular', 'axes': ['z', 'x']"};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      char text[2000];
      build b;
      const double x = k ? 1000 : 0;
      snprintf(
          text, sizeof text,
          "{'tenon': 1, 'dimension': 3, 'bodies': {'b': {'mass': 1, 'inertia': [0.01, 0.01, 0.01], 'position': [%g, 0, "
          "0]}}, "
          "'joints': {'bar': {'type': 'distance', 'between': ['ground', 'b'], 'at': [[%g, 0, 0.3], [%g, 0.1, 0]]}, "
          "'loose': {'between': ['ground', 'b'], %s}}}",
          x, x, x, loose[i]);
      for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
      build_new(&b, 1);
      build_parse(&b, text);
      build_compile(&b);
      CHECK(!b.failed && b.model);
      if (b.model) CHECK_NEAR(b.model->assembly_length[0], hypot(0.1, 0.3), 1e-12);
      build_free(&b);
    }
}
