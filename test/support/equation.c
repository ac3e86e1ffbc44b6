#include "support/equation.h"

#include <stdio.h>
#include <string.h>

/* one of the lists, for the plane or for space */
#define ONE_OF(b, space, plane_list, space_list)                                                                       \
  ((space) ? space_list[build_integer(b, 0, (int)(sizeof space_list / sizeof *space_list) - 1)]                        \
           : plane_list[build_integer(b, 0, (int)(sizeof plane_list / sizeof *plane_list) - 1)])

static const char *coordinate(build *b) { return b->channel[build_integer(b, 0, b->channels - 1)]; }

/* its rate, by the tables that name both */
static void rate_of(const char *channel, char *text, size_t size) {
  static const char *const places[][2] = {{"x", "vx"}, {"y", "vy"}, {"z", "vz"}, {"angle", "rate"}};
  const int part = (int)strcspn(channel, ".");
  const char *word = channel + part + 1, *rate = NULL;
  for (size_t i = 0; i < 4 && channel[0] != 'h'; i++)
    if (strcmp(places[i][0], word) == 0) rate = places[i][1];
  for (int i = 0; i < tn_joint_type_count && !rate; i++)
    for (const tn_coordinate *k = tn_joint_types[i]->coordinates; k && k->name; k++)
      if (strcmp(k->name, word) == 0) rate = k->rate;
  snprintf(text, size, "%.*s.%s", part, channel, rate ? rate : "unknown");
}

/* a position: a coordinate, or a component, product or length of vectors. bodies a and b are in every model */
static void position(build *b, bool space, char *text, size_t size) {
  static const char *const plane[] = {"position(a, E).x",
                                      "position(b).y",
                                      "axis(b, x).y",
                                      "axis(a, y).x",
                                      "norm(position(a, E) - position(b))",
                                      "dot(axis(a, y), position(b, E) - position(a))",
                                      "cross(axis(a, x), axis(b, x))"};
  static const char *const spatial[] = {"position(a, E).z",
                                        "position(b).y",
                                        "axis(b, x).z",
                                        "axis(a, z).y",
                                        "norm(position(a, E) - position(b))",
                                        "dot(axis(a, y), axis(b, z))",
                                        "dot(cross(axis(a, x), axis(b, y)), position(b, E) - position(a))"};
  if (build_integer(b, 0, 1))
    snprintf(text, size, "%s", coordinate(b));
  else
    snprintf(text, size, "%s", ONE_OF(b, space, plane, spatial));
}

static void rate(build *b, bool space, char *text, size_t size) {
  static const char *const plane[] = {"velocity(a, E).x", "velocity(b).y", "omega(b)", "a.rate",
                                      "dot(axis(a, y), velocity(b, E) - velocity(a))"};
  static const char *const spatial[] = {"velocity(a, E).z",
                                        "velocity(b).y",
                                        "omega(b).y",
                                        "a.w2",
                                        "a.wz",
                                        "dot(axis(a, y), velocity(b, E) - velocity(a))",
                                        "dot(omega(a) - omega(b), axis(a, z))"};
  if (build_integer(b, 0, 1))
    rate_of(coordinate(b), text, size);
  else
    snprintf(text, size, "%s", ONE_OF(b, space, plane, spatial));
}

void build_equation_value(build *b, bool space, char *text, size_t size) {
  char x[3][120];
  for (int i = 0; i < 3; i++) position(b, space, x[i], sizeof x[i]);
  const double k = build_uniform(b, 0.3, 1), w = build_uniform(b, 0.5, 2);
  switch (build_integer(b, 0, 5)) {
  case 0: snprintf(text, size, "%s - %.3f*%s*%s", x[0], k, x[1], x[2]); return;
  case 1: snprintf(text, size, "sin(%.3f*%s) + %s*cos(%.3f*t)", w, x[0], x[1], w); return;
  case 2: snprintf(text, size, "sqrt(2 + (%s)^2) - %.3f*exp(-(%s)^2) + %.3f*t^2", x[0], k, x[1], k); return;
  case 3: snprintf(text, size, "atan2(%s, 3 + (%s)^2) + %.3f*(%s)^3", x[0], x[1], k, x[2]); return;
  case 4: snprintf(text, size, "tanh(%s + %.3f*t)*(%s) + (%s)/(4 + cos(t))", x[0], w, x[1], x[2]); return;
  default: snprintf(text, size, "%s*t - step(%s, -9, 0, 9, %.3f)", x[0], x[1], w); return;
  }
}

void build_equation_rate(build *b, bool space, char *text, size_t size) {
  char v[3][120], x[3][120];
  for (int i = 0; i < 3; i++) position(b, space, x[i], sizeof x[i]), rate(b, space, v[i], sizeof v[i]);
  const double k = build_uniform(b, 0.3, 1), w = build_uniform(b, 0.5, 2);
  switch (build_integer(b, 0, 3)) {
  case 0: snprintf(text, size, "%s - %.3f*%s", v[0], k, v[1]); return;
  case 1: snprintf(text, size, "sin(%s)*(%s) - cos(%.3f*%s)*(%s) + t*(%s)", x[0], v[0], w, x[0], v[1], v[2]); return;
  case 2: snprintf(text, size, "(%s - %.3f*%s)/(2 + (%s)^2) + sin(%.3f*t)*(%s)", v[0], k, v[1], x[0], w, x[1]); return;
  default: snprintf(text, size, "(%s)*exp(-(%s)^2) + (%s) - %.3f*t", v[0], x[0], v[1], k); return;
  }
}

/* field `key`, and choice `chosen` of a word, are given */
static void note(const tn_joint_type *type, const char *key, unsigned chosen, build_given *given) {
  for (int i = 0; type->fields[i].key; i++)
    if (strcmp(type->fields[i].key, key) == 0) given->fields |= 1u << i, given->words[i] |= chosen;
}

bool build_equation(build *b, const char *part, const tn_joint_type *type, bool space, build_given *given) {
  static const char *const units[] = {"auto", "m", "m^2", "rad", "1"};
  const bool on_rates = build_integer(b, 0, 2) == 0;
  char text[700], at[80];
  memset(given, 0, sizeof *given);
  build_set(b, "/points/E", space ? "[0.3, -0.2, 0.4]" : "[0.3, -0.2]");
  if (on_rates)
    build_equation_rate(b, space, text, sizeof text);
  else
    build_equation_value(b, space, text, sizeof text);
  snprintf(at, sizeof at, "%s/%s", part, on_rates ? "rate" : "value");
  build_set(b, at, "\"%s\"", text);
  note(type, on_rates ? "rate" : "value", 0, given);
  if (build_integer(b, 0, 1)) {
    const int i = build_integer(b, 0, 4);
    snprintf(at, sizeof at, "%s/unit", part);
    build_set(b, at, "\"%s\"", units[i]);
    note(type, "unit", 1u << i, given);
  }
  if (build_integer(b, 0, 1)) {
    snprintf(at, sizeof at, "%s/scale", part);
    build_set(b, at, "%.17g", build_uniform(b, 0.1, 4));
    note(type, "scale", 0, given);
  }
  return !b->failed;
}
