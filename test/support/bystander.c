#include "support/bystander.h"

#include <stdio.h>
#include <stdlib.h>

/* stiffness 1e18 N/m makes the planet go round the origin at 1e-3 rad/s */
static const bystander list[] = {
    {.name = "ship", .mass = 1e6, .inertia = 1e9, .x = 1e5, .vx = 10},
    {.name = "flywheel", .held = BYSTANDER_WHEEL, .mass = 10, .inertia = 0.1, .x = 2, .rate = 1000},
    {.name = "train", .held = BYSTANDER_RAIL, .mass = 1e4, .inertia = 1e4, .x = 1000, .vx = 30},
    {.name = "planet", .mass = 1e24, .inertia = 1e35, .x = 1e6},
    {.name = "orbit", .held = BYSTANDER_TIED, .mass = 1e24, .inertia = 1e35, .x = 1e6, .vy = 1e3, .stiffness = 1e18},
    {.name = "crane", .held = BYSTANDER_CRANE, .mass = 1e4, .inertia = 1e5, .x = 20, .rate = 0.5},
    {.name = "near", .mass = 1, .inertia = 1},
    {.name = "far", .mass = 1, .inertia = 1, .x = 1e6},
    {.name = "heavy", .mass = 1e15, .inertia = 1e15, .x = 1},
    {.name = "fast", .mass = 1, .inertia = 1, .x = 1, .vx = 1e4},
    {.name = "tiny", .held = BYSTANDER_SPRING, .mass = 1, .inertia = 1, .stiffness = 100, .amplitude = 1e-7},
};

const bystander *bystander_named(const char *name) {
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(list[i].name, name) == 0) return &list[i];
  abort();
}

/* [x, y] or [x, y, 0] */
static const char *place(char text[96], int dimension, double x, double y) {
  snprintf(text, 96, dimension == 2 ? "[%.17g, %.17g]" : "[%.17g, %.17g, 0]", x, y);
  return text;
}

static void start(tn_desc *desc, const char *channel, double value) {
  char pointer[96];
  snprintf(pointer, sizeof pointer, "/start/bystander%s", channel);
  if (value != 0) model_set(desc, pointer, "%.17g", value);
}

static void spring(tn_desc *desc, const char *name, const char *channel, double stiffness) {
  char pointer[96];
  snprintf(pointer, sizeof pointer, "/forces/bystander_%s", name);
  model_set(desc, pointer, "{'type': 'spring', 'on': 'bystander%s', 'stiffness': %.17g}", channel, stiffness);
}

void bystander_add(tn_desc *desc, int dimension, const bystander *b) {
  const bool space = dimension == 3, slides = b->held == BYSTANDER_RAIL || b->held == BYSTANDER_SPRING;
  const bool turns = b->held == BYSTANDER_WHEEL || b->held == BYSTANDER_CRANE;
  char at[96], inertia[96];
  snprintf(inertia, sizeof inertia, space ? "[%.17g, %.17g, %.17g]" : "%.17g", b->inertia, b->inertia, b->inertia);
  model_set(desc, "/bodies/bystander", "{'mass': %.17g, 'inertia': %s, 'position': %s}", b->mass, inertia,
            place(at, dimension, b->x, 0));
  /* a model may say that bodies have other coordinates. with coordinates of its own no joint would carry it */
  const tn_node *kind = tn_node_get(desc->root, "coordinates");
  const bool carried = (slides || turns) && kind && strcmp(kind->text, "relative") == 0;
  if (!carried) model_set(desc, "/bodies/bystander/coordinates", space ? "'quaternion'" : "'plane'");
  if (slides)
    model_set(desc, "/joints/bystander_joint",
              "{'type': 'prismatic', 'between': ['ground', 'bystander'], 'at': 'bystander', 'axis': 'x'}");
  if (turns)
    model_set(desc, "/joints/bystander_joint", "{'type': 'revolute', 'between': ['ground', 'bystander'], 'at': %s%s}",
              place(at, dimension, b->x, b->held == BYSTANDER_CRANE ? 10 : 0), space ? ", 'axis': 'z'" : "");
  if (b->held == BYSTANDER_TIED) {
    spring(desc, "x", ".x", b->stiffness);
    spring(desc, "y", ".y", b->stiffness);
  }
  if (b->held == BYSTANDER_SPRING) spring(desc, "x", "_joint.shift", b->stiffness);
  start(desc, slides ? "_joint.speed" : ".vx", b->vx);
  start(desc, ".vy", b->vy);
  start(desc, turns ? "_joint.rate" : space ? ".wz" : ".rate", b->rate);
  start(desc, "_joint.shift", b->amplitude);
}
