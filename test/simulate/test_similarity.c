/* dynamic similarity: a model whose lengths, times and masses are multiplied by any numbers moves the same, in those units, as far as
 * its own error goes (judge.h). default settings, which have no units of their own. test_metamorphic.c changes units at tight
 * tolerances. TENON_ONLY="four_bar L1e-9 T1 M1 absolute" runs one case. */
#include "support/judge.h"
#include "test.h"

static const struct {
  const char *name, *text;
} models[] = {{"pendulum", "{ 'tenon': 1, 'dimension': 2, 'gravity': [0, '-9.81*L/T^2'],"
                           "  'bodies': { 'rod': { 'rod': [[0, 0], ['L', 0]], 'mass': 'M' } },"
                           "  'joints': { 'pin': { 'type': 'revolute', 'between': ['ground', 'rod'], 'at': [0, 0] } },"
                           "  'outputs': { 'angle': 'pin.angle', 'rate': 'pin.rate*T', 'x': 'rod.x/L', 'vx': "
                           "'rod.vx*T/L', 'load': 'norm(force(pin))*T^2/(M*L)' },"
                           "  'run': { 'until': '10*T', 'every': '0.1*T' } }"},
              {"four_bar",
               "{ 'tenon': 1, 'dimension': 2, 'gravity': [0, '-9.81*L/T^2'],"
               "  'points': { 'A': [0, 0], 'B': [0, 'L'], 'C': ['3*L', '2*L'], 'D': ['4*L', 0] },"
               "  'bodies': { 'crank': { 'rod': ['A', 'B'], 'mass': 'M' }, 'coupler': { 'rod': ['B', 'C'], 'mass': "
               "'3*M' }, 'rocker': { 'rod': ['D', 'C'], 'mass': '2*M' } },"
               "  'joints': { 'A': { 'type': 'revolute', 'between': ['ground', 'crank'], 'at': 'A' }, 'B': { 'type': "
               "'revolute', 'between': ['crank', 'coupler'], 'at': 'B' },"
               "              'C': { 'type': 'revolute', 'between': ['coupler', 'rocker'], 'at': 'C' }, 'D': { 'type': "
               "'revolute', 'between': ['ground', 'rocker'], 'at': 'D' } },"
               "  'forces': { 'spring': { 'type': 'spring', 'between': ['ground', 'coupler'], 'at': [['2*L', '4*L'], "
               "'C'], 'stiffness': '20*M/T^2', 'damping': '0.5*M/T', 'length': 'L' },"
               "              'motor': { 'type': 'torque', 'on': 'A.angle', 'value': 'M*L^2/T^2*(5 - 0.5*T*rate)' } },"
               "  'start': { 'A.rate': '6/T' },"
               "  'outputs': { 'angle': 'D.angle', 'rate': 'A.rate*T', 'x': 'coupler.x/L', 'vy': 'coupler.vy*T/L', "
               "'load': 'norm(force(C))*T^2/(M*L)', 'power': 'motor.power*T^3/(M*L^2)' },"
               "  'run': { 'until': '5*T', 'every': '0.05*T' } }"},
              {"space",
               "{ 'tenon': 1, 'dimension': 3, 'gravity': [0, 0, '-9.81*L/T^2'],"
               "  'points': { 'A': [0, 0, 0], 'B': [0, 0, '0.2*L'], 'C': ['0.8*L', '0.5*L', '0.6*L'], 'D': ['0.8*L', "
               "'0.5*L', 0] },"
               "  'bodies': { 'crank': { 'rod': ['A', 'B'], 'radius': '0.01*L', 'mass': '0.4*M' }, 'coupler': { 'rod': "
               "['B', 'C'], 'radius': '0.01*L', 'mass': '2*M' },"
               "              'rocker': { 'rod': ['D', 'C'], 'radius': '0.01*L', 'mass': '1.2*M' } },"
               "  'joints': { 'A': { 'type': 'revolute', 'between': ['ground', 'crank'], 'at': 'A', 'axis': 'x' }, "
               "'B': { 'type': 'spherical', 'between': ['crank', 'coupler'], 'at': 'B' },"
               "              'C': { 'type': 'universal', 'between': ['coupler', 'rocker'], 'at': 'C', 'axes': [[0, 4, "
               "-5], 'x'] }, 'D': { 'type': 'revolute', 'between': ['ground', 'rocker'], 'at': 'D', 'axis': 'y' } },"
               "  'forces': { 'spring': { 'type': 'spring', 'between': ['ground', 'rocker'], 'at': [[0, 0, 'L'], 'C'], "
               "'stiffness': '20*M/T^2', 'damping': '0.5*M/T', 'length': 'L' } },"
               "  'start': { 'A.rate': '6/T' },"
               "  'outputs': { 'angle': 'D.angle', 'rate': 'A.rate*T', 'x': 'coupler.x/L', 'vz': 'coupler.vz*T/L', "
               "'wy': 'coupler.wy*T', 'load': 'norm(force(C))*T^2/(M*L)' },"
               "  'run': { 'until': '2*T', 'every': '0.02*T' } }"}};

static const struct units {
  double L, T, M;
} units[] = {{1e-9, 1, 1},        {1e-6, 1, 1},       {1e-3, 1, 1},       {1e3, 1, 1},        {1e6, 1, 1},
             {1e9, 1, 1},         {1, 1e-9, 1},       {1, 1e-6, 1},       {1, 1e-3, 1},       {1, 1e3, 1},
             {1, 1e5, 1},         {1, 1, 1e-21},      {1, 1, 1e-9},       {1, 1, 1e9},        {1, 1, 1e24},
             {1e-9, 1e-9, 1e-21}, {1e-9, 1e-9, 1e24}, {1e-9, 1e5, 1e-21}, {1e-9, 1e5, 1e24},  {1e9, 1e-9, 1e-21},
             {1e9, 1e-9, 1e24},   {1e9, 1e5, 1e-21},  {1e9, 1e5, 1e24},   {1e-6, 1e-3, 1e-12}};

static tn_model *model_of(const char *text, const struct units *u, const char *coordinates) {
  tn_desc *desc = model_new(text);
  tn_model *model = NULL;
  model_set(desc, "/coordinates", "'%s'", coordinates);
  model_set(desc, "/constants", "{'L': %.17g, 'T': %.17g, 'M': %.17g}", u->L, u->T, u->M);
  ref_compile(desc, &model);
  tn_desc_free(desc);
  return model;
}

static void similar(int which, const char *coordinates) {
  const struct units one = {1, 1, 1};
  judge j = {0};
  yardstick y = {0};
  tn_model *model = model_of(models[which].text, &one, coordinates);
  CHECK(model && yardstick_make(&y, model, model->run.until));
  tn_model_free(model);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    const struct units *u = &units[i];
    char name[128];
    snprintf(name, sizeof name, "%s L%g T%g M%g %s", models[which].name, u->L, u->T, u->M, coordinates);
    if (judge_wants(name)) yardstick_judge(&y, model_of(models[which].text, u, coordinates), u->T, &j, name);
  }
  yardstick_free(&y);
  CHECK(judge_ends(&j, models[which].name));
}

TEST_FULL(a_pendulum_of_any_size) {
  similar(0, "absolute");
  similar(0, "relative");
}
TEST_FULL(a_four_bar_of_any_size) {
  similar(1, "absolute");
  similar(1, "relative");
}
TEST_FULL(a_mechanism_in_space_of_any_size) {
  similar(2, "absolute");
  similar(2, "relative");
}
