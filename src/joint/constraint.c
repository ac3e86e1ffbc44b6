/* constraint: an equation that the user writes, C = value or Cdot = rate. the assembler forms its row by the chain rule, see
 * assemble/equation.c */
#include "joint/joint.h"

typedef struct constraint {
  const tn_expr *value, *rate;
  int unit;
  double scale;
} constraint;

enum { AUTO };

static void equation(const void *self, tn_equation *x) {
  static const tn_unit units[] = {TN_LENGTH, TN_LENGTH_SQUARED, TN_ANGLE,
                                  TN_RATIO}; /* those of the words behind `auto` */
  const constraint *k = self;
  x->expr = k->rate ? k->rate : k->value;
  x->on_rates = k->rate != NULL;
  x->has_unit = k->unit != AUTO;
  if (x->has_unit) x->unit = units[k->unit - 1];
  x->scale = k->scale > 0 ? k->scale : 0;
}

static const tn_field fields[] = {
    {.key = "value",
     .doc =
         "what is kept at 0, of a holonomic constraint: a smooth function of coordinates, position(..), axis(..) and t",
     .kind = TN_RUNNING,
     .n = 1,
     .offset = offsetof(constraint, value)},
    {.key = "rate",
     .doc = "or what is kept at 0 of a nonholonomic one: linear in rates, velocity(..) and omega(..)",
     .kind = TN_RUNNING,
     .n = 1,
     .offset = offsetof(constraint, rate)},
    {.key = "unit",
     .doc = "of `value`, or of the integral of `rate`; `auto`: as far as it follows from the expression, else none",
     .kind = TN_WORD,
     .offset = offsetof(constraint, unit),
     .choices = "auto m m^2 rad 1"},
    {.key = "scale",
     .doc =
         "the size that the contract compares the equation with, in its unit; if left out the length of the assembly, "
         "twice its square for m^2, and else 1",
     .kind = TN_NUMBER,
     .offset = offsetof(constraint, scale),
     .dflt = NAN,
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = NULL}};

const tn_joint_type tn_joint_constraint = {
    .name = "constraint",
    .doc = "an equation written by the user, of coordinates, points, axes, rates and time",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'bead': { 'mass': 1, 'coordinates': 'point', 'position': [1, 1] } },\n"
               "'joints': { 'wire': { 'type': 'constraint', 'value': 'bead.y - bead.x^2', 'unit': 'm' } },\n"
               "'outputs': { 'x': 'bead.x', 'force': 'wire.load' }",
    .example_space = "'gravity': [0, 0, -9.81],\n"
                     "'bodies': { 'bead': { 'mass': 1, 'coordinates': 'point', 'position': [1, 0, 0.5] } },\n"
                     "'joints': {\n"
                     "  'bowl': { 'type': 'constraint', 'value': 'bead.z - (bead.x^2 + bead.y^2)/2', 'unit': 'm' },\n"
                     "  'blade': { 'type': 'constraint', 'rate': '-sin(t)*bead.vx + cos(t)*bead.vy' }\n"
                     "},\n"
                     "'start': { 'bead.vx': 0.5 },\n"
                     "'outputs': { 'x': 'bead.x', 'force': 'bowl.load', 'side': 'blade.load' }",
    .seat = TN_SEAT_CHANNELS,
    .size = sizeof(constraint),
    .fields = fields,
    .equation = equation,
    .plane = {.there = true, .rows = 1, .unit = {TN_RATIO}, .axes = -1},
    .space = {.there = true, .rows = 1, .unit = {TN_RATIO}, .axes = -1},
};
