/* joints whose lengths are roundoff beside their bodies are refused, at every size of the model; those that are merely small are not.
 * ' stands for " in the models here; S is the size of the model in m. */
#include "tenon/tenon.h"
#include "test.h"

static const double SIZES[] = {1e-9, 1e-3, 1, 1e3, 1e9};
enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES };

/* what comes of a model: TN_OK, or the status with its message in *e */
static tn_status compiled(const char *model, double S, const char *value, tn_error *e) {
  char text[4000];
  snprintf(text, sizeof text, model, S, value);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  tn_status status = tn_desc_new(NULL, &desc, e);
  if (!status) status = tn_desc_parse(desc, "m.json", text, strlen(text), e);
  if (!status) status = tn_compile(desc, &m, e);
  if (status) printf("%s\n", e->message);
  tn_model_free(m);
  tn_desc_free(desc);
  return status;
}

/* the first member of a model: a size and what the joint is given */
#define HEAD "{'tenon': 1, 'constants': {'S': %.17g, 'x': '%s'}, "
#define PLANE HEAD "'dimension': 2, "
#define SPACE HEAD "'dimension': 3, "

typedef struct degenerate {
  const char *joint, *model; /* the joint is the last member of all and named `it` */
  const char *bad[4], *good[3];
  const char *says;
} degenerate;

/* turned bodies: the same place by two ways differs by roundoff */
#define TURNED                                                                                                         \
  "'bodies': {'b0': {'mass': 1, 'inertia': 'S^2', 'position': ['-0.412*S', '0.7655*S'], 'angle': -3.9311},"            \
  " 'b1': {'mass': 2, 'inertia': 'S^2', 'position': ['0.3*S', '0.2394*S'], 'angle': 0.7}}, "
#define TURNED3                                                                                                        \
  "'bodies': {'b0': {'mass': 1, 'inertia': ['S^2', 'S^2', 'S^2'], 'position': ['-0.412*S', '0.7655*S', 0],"            \
  " 'axis_angle': [[1, 2, 3], 0.7]}, 'b1': {'mass': 2, 'inertia': ['S^2', 'S^2', 'S^2'], 'position': ['0.3*S', "       \
  "'0.1*S', 'S/3'], 'axis_angle': [[3, 1, 2], -0.3]}}, "

static const degenerate cases[] = {
    {"distance",
     PLANE TURNED "'joints': {'it': {'type': 'distance', 'between': ['b0', 'b1'], 'at': [['0.7*S + x', "
                  "'0.1*S'], ['0.7*S', '0.1*S']]}}}",
     {"0", "1e-17*S", "1e-14*S"},
     {"1e-9*S", "S"},
     "the distance is zero"},
    {"distance with a length",
     PLANE TURNED "'joints': {'it': {'type': 'distance', 'between': ['b0', 'b1'], 'at': "
                  "[['0.7*S + x', '0.1*S'], ['0.7*S', '0.1*S']], 'length': 'S'}}}",
     {"0", "1e-17*S", "1e-14*S"},
     {"1e-9*S", "S"},
     "coincide"},
    {"length of a distance",
     PLANE TURNED "'joints': {'it': {'type': 'distance', 'between': ['b0', 'b1'], 'at': "
                  "[['1.7*S', '0.1*S'], ['0.7*S', '0.1*S']], 'length': 'x'}}}",
     {"0", "1e-20*S", "1e-14*S"},
     {"1e-9*S", "S"},
     "the distance is zero"},
    {"squared distance",
     SPACE TURNED3 "'joints': {'it': {'type': 'distance', 'between': ['b0', 'b1'], 'at': "
                   "[['0.7*S', '0.1*S', 'x'], ['0.7*S', '0.1*S', 0]], 'form': 'squared'}}}",
     {"0", "1e-17*S", "1e-14*S"},
     {"1e-9*S", "S"},
     "the distance is zero"},
    {"distance far from the origin",
     PLANE "'bodies': {'bob': {'mass': 1, 'position': ['1e6*S', 'x'], 'coordinates': "
           "'point'}}, 'joints': {'it': {'type': 'distance', 'between': ['ground', "
           "'bob'], 'at': [['1e6*S', 0]]}}}",
     {"0", "1e-17*S", "1e-7*S"},
     {"1e-3*S", "S"},
     "the distance is zero"},
    {"gear in the plane",
     PLANE "'bodies': {'a': {'mass': 1, 'inertia': 'S^2'}, 'b': {'mass': 1, 'inertia': 'S^2', "
           "'position': ['x', 0]}}, 'joints': {'it': {'type': 'gear', 'between': ['a', 'b'], "
           "'teeth': [20, 30]}}}",
     {"0", "1e-17*S", "1e-13*S"},
     {"1e-9*S", "S"},
     "same centre"},
    {"teeth",
     PLANE "'bodies': {'a': {'mass': 1, 'inertia': 'S^2'}, 'b': {'mass': 1, 'inertia': 'S^2', 'position': "
           "['S', 0]}}, 'joints': {'it': {'type': 'gear', 'between': ['a', 'b'], 'teeth': ['x', 30]}}}",
     {"1e-20", "1e20", "1e-12"},
     {"1e-6", "30", "1e6"},
     "pitch circle"},
    {"teeth inside",
     PLANE "'bodies': {'a': {'mass': 1, 'inertia': 'S^2'}, 'b': {'mass': 1, 'inertia': 'S^2', "
           "'position': ['S', 0]}}, 'joints': {'it': {'type': 'gear', 'between': ['a', 'b'], "
           "'internal': true, 'teeth': ['x', 30]}}}",
     {"30", "30 + 1e-12", "30 - 1e-9"},
     {"29", "31", "30.001"},
     "as many teeth"},
    {"teeth inside in space",
     SPACE "'bodies': {'a': {'mass': 1, 'inertia': ['S^2', 'S^2', 'S^2']}, 'b': {'mass': 1, "
           "'inertia': ['S^2', 'S^2', 'S^2'], 'position': ['S', 0, 0]}}, 'joints': {'it': "
           "{'type': 'gear', 'between': ['a', 'b'], 'internal': true, 'axis': 'z', 'teeth': "
           "['x', 30]}}}",
     {"30", "30 + 1e-12", "30 - 1e-9"},
     {"29", "31", "30.001"},
     "as many teeth"},
    {"bevel gear",
     SPACE "'bodies': {'a': {'mass': 1, 'inertia': ['S^2', 'S^2', 'S^2'], 'position': ['S', 0, 0]}, "
           "'b': {'mass': 1, 'inertia': ['S^2', 'S^2', 'S^2'], 'position': [0, 0, 'S']}}, 'joints': "
           "{'p': {'type': 'revolute', 'between': ['ground', 'a'], 'at': 'a', 'axis': 'x'}, 'q': "
           "{'type': 'revolute', 'between': ['ground', 'b'], 'at': 'b', 'axis': 'z'}, 'it': {'type': "
           "'gear', 'between': ['a', 'b'], 'teeth': ['x', 30]}}}",
     {"1e-20", "1e20"},
     {"1e-6", "30", "1e6"},
     "pitch circle"},
    {"rack in the plane",
     PLANE TURNED "'joints': {'it': {'type': 'rack', 'between': ['b0', 'b1'], 'direction': 'x', "
                  "'radius': 'x'}}}",
     {"1e-30*S", "1e-14*S"},
     {"1e-9*S", "S"},
     "radius"},
    {"rack in space",
     SPACE TURNED3 "'joints': {'it': {'type': 'rack', 'between': ['b0', 'b1'], 'axis': 'z', "
                   "'direction': 'x', 'radius': 'x'}}}",
     {"1e-30*S", "1e-14*S"},
     {"1e-9*S", "S"},
     "radius"},
    {"rolling-sphere",
     SPACE TURNED3 "'joints': {'it': {'type': 'rolling-sphere', 'between': ['ground', 'b0'], 'at': "
                   "'b0', 'normal': 'z', 'radius': 'x'}}}",
     {"1e-30*S", "1e-14*S"},
     {"1e-9*S", "S"},
     "cannot roll"},
    {"rolling-disc",
     SPACE TURNED3 "'joints': {'it': {'type': 'rolling-disc', 'between': ['ground', 'b0'], 'at': "
                   "'b0', 'normal': 'z', 'axis': 'y', 'radius': 'x'}}}",
     {"1e-30*S", "1e-14*S"},
     {"1e-9*S", "S"},
     "cannot roll"},
    {"rolling-ellipsoid",
     SPACE TURNED3 "'joints': {'it': {'type': 'rolling-ellipsoid', 'between': ['ground', 'b0'], "
                   "'at': 'b0', 'normal': 'z', 'semi_axes': ['S', 'x', 'S']}}}",
     {"1e-30*S", "1e-14*S"},
     {"1e-6*S", "S"},
     "cannot roll"},
    {"screw",
     SPACE TURNED3 "'joints': {'it': {'type': 'screw', 'between': ['ground', 'b0'], 'at': 'b0', 'axis': 'z', "
                   "'pitch': 'x'}}}",
     {"1e14*S", "-1e20*S"},
     {"0", "1e-14*S", "1e6*S"},
     "pitch"},
    {"coordinate",
     PLANE TURNED "'joints': {'it': {'type': 'coordinate', 'terms': {'b0.x': 'x', 'b1.x': 0}, 'value': "
                  "0}}}",
     {"0"},
     {"1", "1e-6"},
     "all coefficients are zero"}};

TEST(lengths_that_are_roundoff_are_refused_at_every_size) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int s = 0; s < SIZES_COUNT; s++)
      for (int k = 0; k < 4 && cases[i].bad[k]; k++) {
        tn_error e = {0};
        printf("%s, size %g, x = %s: ", cases[i].joint, SIZES[s], cases[i].bad[k]);
        CHECK(compiled(cases[i].model, SIZES[s], cases[i].bad[k], &e) == TN_E_MODEL);
        CHECK(strstr(e.message, cases[i].says) && strstr(e.message, "joint 'it'") && e.line == 1 && e.column > 1);
        CHECK(strncmp(e.pointer, "/joints/it", 10) == 0);
      }
}

TEST(lengths_that_are_small_are_not) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int s = 0; s < SIZES_COUNT; s++)
      for (int k = 0; k < 3 && cases[i].good[k]; k++) {
        tn_error e = {0};
        printf("%s, size %g, x = %s: ", cases[i].joint, SIZES[s], cases[i].good[k]);
        CHECK(compiled(cases[i].model, SIZES[s], cases[i].good[k], &e) == TN_OK);
        printf("\n");
      }
}

/* the smallest and the largest alone: a particle has no size beside which its string would be short */
TEST(a_pendulum_of_any_length_is_good) {
  static const char *const length[] = {"1e-30*S", "1e-12*S", "S", "1e12*S"};
  for (int s = 0; s < SIZES_COUNT; s++)
    for (int k = 0; k < 4; k++) {
      tn_error e = {0};
      CHECK(compiled(PLANE "'bodies': {'bob': {'mass': 1, 'position': ['x', 0], 'coordinates': 'point'}}, 'joints': "
                           "{'it': {'type': 'distance', 'between': ['ground', 'bob'], 'at': [[0, 0]]}}}",
                     SIZES[s], length[k], &e) == TN_OK);
    }
}
