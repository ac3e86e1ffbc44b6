/* mechanisms as model files: bodies and joints as they were made; forces, events and settings chosen here.
 * SPDX-License-Identifier: MIT */
#include "mechanism.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct word {
  const char *name, *fields; /* fields: what may stand beside `type`, or "" */
} word;

static const word formulations[] = {
    {"augmented", ""},
    {"augmented-lagrangian", ""},
    {"augmented-lagrangian", ", 'eps': 0.01, 'matrices': 'dense'"},
    {"gauss", ""},
    {"gauss", ", 'matrices': 'dense'"},
    {"nullspace", ""},
    {"nullspace", ", 'form': 'elimination'"},
    {"constraint-inertia", ""},
    {"constraint-inertia", ", 'form': 'symmetric'"},
    {"partition", ""},
    {"partition", ", 'matrices': 'dense'"},
    {"partition", ", 'layout': 'speeds'"},
    {"partition", ", 'layout': 'independent', 'choose': 'kept'"},
    {NULL, NULL},
};
static const word stabilizers[] = {
    {"project", ""},
    {"project", ", 'metric': 'identity'"},
    {"project", ", 'metric': 'dependent'"},
    {"project", ", 'passes': 'one'"},
    {"project", ", 'place': 'stage'"},
    {"project", ", 'place': 'guard'"},
    {"none", ""},
    {"baumgarte", ", 'a': 1, 'b': 0.5"},
    {"baumgarte", ", 'alpha': 20, 'beta': 20"},
    {"baumgarte", ", 'frequency': 30, 'damping': 0.7"},
    {"baumgarte-adaptive", ""},
    {"pid", ""},
    {"input-output", ""},
    {"input-output", ", 'pole': 5, 'second': 12, 'integral': 3"},
    {"penalty-staggered", ""},
    {"discrete-multipliers", ""},
    {"embedded", ""},
    {"embedded", ", 'form': 'velocity'"},
    {"fuzzy", ""},
    {"fuzzy", ", 'set': 'gaussian'"},
    {"fuzzy", ", 'infer': 'mamdani', 'size': 7"},
    {"fuzzy", ", 'rule': 'measured', 'ku': 1e-9"},
    {"adjust", ""},
    {NULL, NULL},
};
static const word methods[] = {{"project", ""},
                               {"direct", ""},
                               {"fci", ""},
                               {"gcpi", ""},
                               {"scpi", ""},
                               {"nullspace", ""},
                               {"udwadia-kalaba", ""},
                               {"braun-goldfarb", ""},
                               {"baumgarte-b1", ""},
                               {"baumgarte-b2", ""},
                               {"baumgarte-b3", ""},
                               {"fuzzy-1", ""},
                               {"fuzzy-2", ""},
                               {"fuzzy-3", ""},
                               {"fuzzy", ""},
                               {"baumgarte-step", ""},
                               {NULL, NULL}};
/* fields: "step", "tolerance", or both may be given */
static const word integrators[] = {{"dopri5", "both"},
                                   {"dop853", "both"},
                                   {"radau5", "both"},
                                   {"trbdf2", "both"},
                                   {"abm", "tolerance"},
                                   {"cvode-adams", "tolerance"},
                                   {"cvode-bdf", "tolerance"},
                                   {"arkode", "tolerance"},
                                   {"ida", "tolerance"},
                                   {"euler", "step"},
                                   {"heun", "step"},
                                   {"rk4", "step"},
                                   {"ab1", "step"},
                                   {"ab2", "step"},
                                   {"ab3", "step"},
                                   {"ab4", "step"},
                                   {"ab5", "step"},
                                   {"ab6", "step"},
                                   {"ab7", "step"},
                                   {"ab8", "step"},
                                   {"ampc1", "step"},
                                   {"ampc2", "step"},
                                   {"ampc3", "step"},
                                   {"ampc4", "step"},
                                   {"ampc5", "step"},
                                   {"ampc6", "step"},
                                   {"ampc7", "step"},
                                   {"ampc8", "step"},
                                   {"mampc1", "step"},
                                   {"mampc2", "step"},
                                   {"mampc3", "step"},
                                   {"mampc4", "step"},
                                   {"mampc5", "step"},
                                   {"mampc6", "step"},
                                   {"mampc7", "step"},
                                   {"mampc8", "step"},
                                   {"am1", "step"},
                                   {"am2", "step"},
                                   {"am3", "step"},
                                   {"am4", "step"},
                                   {"am5", "step"},
                                   {"am6", "step"},
                                   {"am7", "step"},
                                   {"am8", "step"},
                                   {"am9", "step"},
                                   {"midpoint", "step"},
                                   {NULL, NULL}};
static const word forces[] = {{"spring", ""}, {"torque", ""}, {"force", ""},    {"bushing", ""}, {"friction", ""},
                              {"pid", ""},    {"lag", ""},    {"dc-motor", ""}, {NULL, NULL}};

const char *mech_word(const char *kind, int i) {
  const word *words = strcmp(kind, "formulation") == 0  ? formulations
                      : strcmp(kind, "stabilizer") == 0 ? stabilizers
                      : strcmp(kind, "integrator") == 0 ? integrators
                      : strcmp(kind, "method") == 0     ? methods
                      : strcmp(kind, "force") == 0      ? forces
                                                        : NULL;
  if (words) return words[i].name;
  return strcmp(kind, "joint") == 0 ? mech_joint_names[i] : NULL;
}

static unsigned count(const word *words) {
  unsigned n = 0;
  while (words[n].name) n++;
  return n;
}

/* ---- text ---------------------------------------------------------------------------------------------------------------- */

/* appends, ' becomes " */
__attribute__((format(printf, 2, 3))) static void say(mechanism *m, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int room = MECH_TEXT - m->used, n = room > 0 ? vsnprintf(m->text + m->used, (size_t)room, format, list) : room;
  va_end(list);
  for (int i = m->used; i < m->used + n && i < MECH_TEXT; i++)
    if (m->text[i] == '\'') m->text[i] = '"';
  m->used += n;
}

static void say_vector(mechanism *m, const double v[3]) {
  if (m->dimension == 2)
    say(m, "[%.17g, %.17g]", v[0], v[1]);
  else
    say(m, "[%.17g, %.17g, %.17g]", v[0], v[1], v[2]);
}

static const char *body_name(int i, char name[MECH_NAME]) {
  if (i < 0) return "ground";
  snprintf(name, MECH_NAME, "b%d", i);
  return name;
}

/* ---- bodies and joints ----------------------------------------------------------------------------------------------------- */

static void say_body(mechanism *m, int i) {
  const mech_body *b = &m->body[i];
  say(m, "%s'b%d': {'mass': %.17g, 'position': ", i ? ", " : "", i, b->mass);
  say_vector(m, b->p);
  if (!b->point && m->dimension == 2) {
    say(m, ", 'inertia': %.17g", b->inertia[0]);
    if (b->angle != 0) say(m, ", 'angle': %.17g", b->angle);
  } else if (!b->point) {
    say(m, ", 'inertia': [%.17g, %.17g, %.17g]", b->inertia[0], b->inertia[1], b->inertia[2]);
    say(m, ", 'quaternion': [%.17g, %.17g, %.17g, %.17g]", b->e[0], b->e[1], b->e[2], b->e[3]);
  }
  if (!b->point && (b->center[0] != 0 || b->center[1] != 0 || b->center[2] != 0)) {
    say(m, ", 'center': ");
    say_vector(m, b->center);
  }
  if (b->coordinates) say(m, ", 'coordinates': '%s'", b->coordinates);
  say(m, "}");
}

static void say_law(mechanism *m, const mech_joint *j) {
  char text[128];
  if (j->law == MECH_LAW_LINEAR || j->law == MECH_LAW_SQUARE)
    snprintf(text, sizeof text, j->law == MECH_LAW_LINEAR ? "%.17g + %.17g*t" : "%.17g + %.17g*t^2", j->base,
             j->amount);
  else
    snprintf(text, sizeof text,
             j->law == MECH_LAW_SINE ? "%.17g + %.17g*sin(%.17g*t)" : "%.17g + %.17g*(1 - cos(%.17g*t))", j->base,
             j->amount, j->frequency);
  say(m, "'%s'", text);
}

static void say_channel_joint(mechanism *m, const mech_joint *j, int first_parameter) {
  const char *channel = j->shift ? "shift" : "angle";
  if (j->kind == MECH_CENTER_OF_MASS) {
    say(m, ", 'bodies': [");
    for (int i = 0; i < m->bodies; i++) say(m, "%s'b%d'", i ? ", " : "", i);
    say(m, "], 'axis': 'x', 'value': ");
  } else if (j->kind == MECH_DRIVER) {
    say(m, ", 'on': 'j%d.%s', 'value': ", j->of[0], channel);
  } else {
    say(m, ", 'terms': {'j%d.%s': %.17g", j->of[0], channel, j->factor[0]);
    if (j->of[1] >= 0) say(m, ", 'j%d.%s': %.17g", j->of[1], channel, j->factor[1]);
    say(m, "}, 'value': ");
  }
  if (j->hold >= 0)
    say(m, "'p%d'", j->hold - first_parameter);
  else
    say_law(m, j);
}

static void say_places(mechanism *m, const mech_joint *j) {
  const bool two = j->kind == MECH_DISTANCE;
  if (j->kind == MECH_PARALLEL || j->kind == MECH_PERPENDICULAR || j->kind == MECH_GEAR || j->kind == MECH_RACK) return;
  say(m, j->on_bodies ? ", 'on_bodies': " : ", 'at': ");
  if (two || j->on_bodies) {
    say(m, "[");
    say_vector(m, j->on_bodies ? j->place[0] : j->at[0]);
    say(m, ", ");
    say_vector(m, j->on_bodies ? j->place[1] : j->at[1]);
    say(m, "]");
  } else {
    say_vector(m, j->at[0]);
  }
}

static void say_directions(mechanism *m, const mech_joint *j) {
  switch (j->kind) {
  case MECH_REVOLUTE:
    if (m->dimension == 2) break; /* fall through */
  case MECH_PRISMATIC:
  case MECH_CYLINDRICAL:
  case MECH_SCREW:
  case MECH_POINT_ON_LINE:
    if (j->on_bodies && m->dimension == 3) {
      say(m, ", 'axis_on_bodies': [");
      say_vector(m, j->direction[0]);
      say(m, ", ");
      say_vector(m, j->direction[1]);
      say(m, "]");
      break;
    }
    say(m, ", 'axis': ");
    say_vector(m, j->axis[0]);
    break;
  case MECH_UNIVERSAL:
  case MECH_CONSTANT_VELOCITY:
  case MECH_PARALLEL:
  case MECH_PERPENDICULAR:
    say(m, ", 'axes': [");
    say_vector(m, j->axis[0]);
    say(m, ", ");
    say_vector(m, j->axis[1]);
    say(m, "]");
    break;
  case MECH_PLANAR:
  case MECH_POINT_ON_PLANE:
  case MECH_ROLLING_SPHERE:
  case MECH_ROLLING_ELLIPSOID:
  case MECH_ROLLING_DISC:
  case MECH_KNIFE_EDGE:
    if (j->kind == MECH_ROLLING_DISC || j->kind == MECH_KNIFE_EDGE) {
      say(m, ", 'axis': ");
      say_vector(m, j->axis[1]);
    }
    if (m->dimension == 2) break;
    say(m, ", 'normal': ");
    say_vector(m, j->axis[0]);
    break;
  case MECH_RACK:
    say(m, ", 'direction': ");
    say_vector(m, j->axis[0]);
    break;
  default: break;
  }
}

/* component k of the way from the one to the other */
static void say_way(mechanism *m, const mech_joint *j, int k) {
  static const char axis[] = "xyz";
  say(m, "(b%d.%c - ", j->body[1], axis[k]);
  if (j->body[0] < 0)
    say(m, "(%.17g))", j->at[0][k]);
  else
    say(m, "b%d.%c)", j->body[0], axis[k]);
}

/* with vectors where both are bodies, else by components */
static void say_equation(mechanism *m, const mech_joint *j) {
  say(m, ", 'unit': '%s', 'value': '", j->squared ? "m^2" : "m");
  if (j->body[0] >= 0 && !j->squared) {
    say(m, "norm(position(b%d) - position(b%d)) - %.17g'", j->body[1], j->body[0], j->size[0]);
    return;
  }
  say(m, j->squared ? "(" : "sqrt(");
  for (int k = 0; k < m->dimension; k++) {
    say(m, k ? " + " : "");
    say_way(m, j, k);
    say(m, "^2");
  }
  say(m, j->squared ? ") - (%.17g)^2'" : ") - %.17g'", j->size[0]);
}

static void say_joint(mechanism *m, int i, int first_parameter) {
  const mech_joint *j = &m->joint[i];
  char name[2][MECH_NAME];
  say(m, "%s'j%d': {'type': '%s'", i ? ", " : "", i, mech_joint_names[j->kind]);
  if (j->kind == MECH_DRIVER || j->kind == MECH_COORDINATE || j->kind == MECH_CENTER_OF_MASS) {
    say_channel_joint(m, j, first_parameter);
  } else if (j->kind == MECH_CONSTRAINT) {
    say_equation(m, j);
  } else {
    say(m, ", 'between': ['%s', '%s']", body_name(j->body[0], name[0]), body_name(j->body[1], name[1]));
    say_places(m, j);
    say_directions(m, j);
    if (j->kind == MECH_SCREW) say(m, ", 'pitch': %.17g", j->size[0]);
    if (j->kind == MECH_DISTANCE) {
      if (j->on_bodies) say(m, ", 'length': %.17g", j->size[0]);
      if (j->squared) say(m, ", 'form': 'squared'");
    }
    if (j->kind == MECH_GEAR) say(m, ", 'teeth': [%.17g, %.17g]", j->size[0], j->size[1]);
    if (j->kind == MECH_RACK || j->kind == MECH_ROLLING_DISC || j->kind == MECH_ROLLING_SPHERE)
      say(m, ", 'radius': %.17g", j->size[0]);
    if (j->kind == MECH_ROLLING_ELLIPSOID)
      say(m, ", 'semi_axes': [%.17g, %.17g, %.17g]", j->size[0], j->size[1], j->size[2]);
    if ((j->kind == MECH_GEAR || j->kind == MECH_RACK) && j->position_form) say(m, ", 'form': 'position'");
  }
  if (j->on >= 0) say(m, ", 'active': %s", m->parameter[j->on - first_parameter] > 0 ? "true" : "false");
  say(m, "}");
}

/* ---- forces ---------------------------------------------------------------------------------------------------------------- */

/* a joint with an angle or a shift that is not the subject of a driver; -1: none */
static int channel_joint(const mechanism *m, mech_choices *c, bool *shift) {
  for (int tries = 0; tries < 4 && m->joints; tries++) {
    const int i = (int)mech_pick(c, (unsigned)m->joints);
    const mech_joint_kind kind = m->joint[i].kind;
    *shift = kind == MECH_PRISMATIC;
    if (*shift || kind == MECH_REVOLUTE || kind == MECH_CYLINDRICAL) return i;
  }
  return -1;
}

static void say_force(mechanism *m, mech_choices *c, int i) {
  const unsigned which = mech_pick(c, count(forces));
  const int a = (int)mech_pick(c, (unsigned)m->bodies),
            b = m->bodies > 1 && mech_chance(c, 50) ? (a + 1) % m->bodies : -1;
  const double l = m->length, k = pow(10, mech_between(c, 0, 3)), mass = m->body[a].mass;
  bool shift = false;
  const int on = channel_joint(m, c, &shift);
  const double unit = shift ? 1 : l * l; /* from forces to torques */
  const char *channel = shift ? "shift" : "angle", *rate = shift ? "speed" : "rate";
  char name[2][MECH_NAME];
  double place[3];
  for (int x = 0; x < 3; x++) place[x] = m->body[a].p[x];
  say(m, "%s'f%d': ", i ? ", " : "", i);
  if (which >= 4 && on >= 0) { /* along channels */
    const char *type = forces[which].name;
    say(m, "{'type': '%s', 'on': 'j%d.%s'", type, on, channel);
    if (strcmp(type, "friction") == 0)
      say(m, ", 'viscous': %.6g, 'coulomb': %.6g, 'speed': %.6g}", 0.1 * unit, mech_between(c, 0, 1) * mass * unit,
          mech_between(c, 0.01, 0.5) * (shift ? l : 1));
    else if (strcmp(type, "pid") == 0)
      say(m, ", 'target': '%.6g*sin(3*t)', 'kp': %.6g, 'ki': %.6g, 'kd': %.6g}", 0.2 * (shift ? l : 1), k * unit,
          k * unit, 0.1 * k * unit);
    else if (strcmp(type, "lag") == 0)
      say(m, ", 'value': '%.6g*cos(2*t)', 'time_constant': %.6g}", mass * unit, mech_between(c, 0.02, 0.5));
    else
      say(m, ", 'voltage': '%.6g*sin(5*t)', 'k_torque': %.6g, 'resistance': %.6g, 'inductance': %.6g}", 2.0,
          0.05 * fmin(unit, 1), mech_between(c, 0.5, 5), mech_chance(c, 50) ? 0.01 : 0.0);
    return;
  }
  if (which == 0 && on >= 0 && mech_chance(c, 50)) {
    say(m, "{'type': 'spring', 'on': 'j%d.%s', 'stiffness': %.6g, 'rest': %.6g, 'damping': %.6g}", on, channel,
        k * unit, mech_between(c, -0.3, 0.3) * (shift ? l : 1), mech_chance(c, 50) ? 0.05 * k * unit : 0.0);
  } else if (which == 1 && on >= 0) {
    say(m, "{'type': 'torque', 'on': 'j%d.%s', 'value': '%.6g*sin(%.6g*t) - %.6g*%s%s'}", on, channel, mass * unit,
        mech_between(c, 1, 9), 0.2 * mass * unit, rate, m->parameters && mech_chance(c, 50) ? " - 0.1*p0" : "");
  } else if (which == 3 && !m->body[a].point && (b < 0 || !m->body[b].point)) {
    say(m, "{'type': 'bushing', 'between': ['%s', '%s'], 'at': ", body_name(b, name[0]), body_name(a, name[1]));
    say_vector(m, place);
    if (m->dimension == 2)
      say(m, ", 'stiffness': [%.6g, %.6g, %.6g], 'damping': [1, 1, 0]}", k, 2 * k, k * l * l);
    else
      say(m, ", 'stiffness': [%.6g, %.6g, %.6g, %.6g, %.6g, %.6g]}", k, 2 * k, k, k * l * l, k * l * l, k * l * l);
  } else if (which == 2 || (b >= 0 && m->body[b].point)) {
    say(m, "{'type': 'force', 'on': 'b%d', 'on_body': ", a);
    for (int x = 0; x < 3; x++) place[x] = x < m->dimension && !m->body[a].point ? mech_between(c, -0.5, 0.5) * l : 0;
    say_vector(m, place);
    say(m, ", 'value': [%.6g, '%.6g*sin(4*t) - 0.1*vx'%s]%s}", mech_between(c, -5, 5) * mass,
        mech_between(c, -5, 5) * mass, m->dimension == 3 ? ", 0" : "",
        !m->body[a].point && mech_chance(c, 40) ? ", 'axes': 'body'" : "");
  } else {
    double far[3];
    for (int x = 0; x < 3; x++) far[x] = x < m->dimension ? place[x] + mech_between(c, 0.3, 1.5) * l : 0;
    say(m, "{'type': 'spring', 'between': ['%s', '%s'], 'at': [", body_name(b, name[0]), body_name(a, name[1]));
    say_vector(m, far);
    say(m, ", ");
    say_vector(m, place);
    say(m, "], 'stiffness': %.6g, 'damping': %.6g}", k, mech_chance(c, 50) ? 0.03 * k : 0.0);
  }
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

/* every switch of a joint sets the parameter that tells of it in the same event; no row is between them */
static void say_events(mechanism *m, mech_choices *c, int first) {
  int n = 0;
  say(m, ", 'events': {");
  for (int i = 0; i < m->joints; i++) {
    const mech_joint *j = &m->joint[i];
    if (j->on < 0) continue;
    const int on = j->on - first;
    const double t = mech_between(c, 0.2, 0.5) * m->until;
    if (j->hold >= 0) {
      say(m, "%s'e%d': {'when': 't > %.6g', 'do': [{'set': {'p%d': 'j%d.%s', 'p%d': 1}}, {'on': 'j%d'}]}",
          n ? ", " : "", n, t, j->hold - first, j->of[0], j->shift ? "shift" : "angle", on, i);
      n++;
      if (mech_chance(c, 50)) {
        say(m, ", 'e%d': {'when': 't > %.6g', 'do': [{'off': 'j%d'}, {'set': {'p%d': 0}}]}", n, t + 0.3 * m->until, i,
            on);
        n++;
      }
    } else {
      say(m, "%s'e%d': {'when': 't > %.6g', 'do': ['record', {'set': {'p%d': 0}}, {'off': 'j%d'}]}", n ? ", " : "", n,
          t, on, i);
      n++;
    }
  }
  bool shift;
  const int on = channel_joint(m, c, &shift);
  if (on >= 0 && mech_chance(c, 60)) {
    say(m, "%s'e%d': {'when': 'j%d.%s - %.6g', 'do': ['record'%s]}", n ? ", " : "", n, on, shift ? "speed" : "rate",
        mech_between(c, -1, 1), mech_chance(c, 10) ? ", 'stop'" : "");
    n++;
  }
  if (mech_chance(c, 30))
    say(m, "%s'e%d': {'when': 'b0.x - %.6g', 'direction': 'up', 'times': 3}", n ? ", " : "", n,
        m->body[0].p[0] + 0.05 * m->length);
  say(m, "}");
}

/* ---- settings -------------------------------------------------------------------------------------------------------------- */

static void say_run(mechanism *m, mech_choices *c) {
  static const double bounds[] = {1e-8, 1e-8, 1e-8, 1e-6, 1e-4, 1e-10};
  const unsigned how = mech_pick(c, 10);
  m->contract_position = bounds[mech_pick(c, 6)];
  m->stops = mech_chance(c, 50);
  say(m, ", 'run': {'until': %.17g, 'every': %.17g", m->until, m->every);
  if (how < 2) { /* the defaults */
  } else if (how < 6) {
    say(m, ", 'method': '%s'", methods[mech_pick(c, count(methods))].name);
  } else {
    const word *f = &formulations[mech_pick(c, count(formulations))];
    say(m, ", 'formulation': {'type': '%s'%s}, 'stabilize': [", f->name, f->fields);
    for (int i = 0, n = 1 + mech_chance(c, 20); i < n; i++) {
      const word *s = &stabilizers[mech_pick(c, count(stabilizers))];
      say(m, "%s{'type': '%s'%s}", i ? ", " : "", s->name, s->fields);
    }
    say(m, "]");
  }
  if (mech_chance(c, 60)) {
    /* those of the library itself are taken more often than the others together */
    const unsigned first = mech_chance(c, 60) ? 5 : count(integrators);
    const word *i = &integrators[mech_pick(c, first)];
    const bool step = i->fields[0] == 's' || (i->fields[0] == 'b' && mech_chance(c, 25));
    if (step)
      say(m, ", 'integrator': {'type': '%s', 'step': %.6g}", i->name, pow(10, mech_between(c, -3.3, -2)));
    else
      say(m, ", 'integrator': {'type': '%s', 'rtol': %.3g}", i->name, pow(10, mech_between(c, -10, -4)));
  }
  say(m, ", 'contract': {'position': %.17g, 'velocity': %.17g, 'breach': '%s'}}", m->contract_position,
      100 * m->contract_position, m->stops ? "stop" : "record");
}

static void say_outputs(mechanism *m) {
  static const char *const plane[] = {"x", "y", "angle"}, *const space[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  say(m, ", 'outputs': {");
  for (int i = 0; i < m->bodies; i++) {
    const int n = m->body[i].point ? m->dimension : m->dimension == 2 ? 3 : 7;
    for (int k = 0; k < n; k++) {
      const char *of = m->dimension == 2 ? plane[k] : space[k];
      say(m, "%s'b%d_%s': 'b%d.%s'", i + k ? ", " : "", i, of, i, of);
    }
  }
  for (int i = 0; i < m->parameters; i++) say(m, ", 'p%d_': 'p%d'", i, i);
  say(m, "}");
}

bool mech_write(mechanism *m, mech_choices *c) {
  const int first = m->columns - m->parameters;
  m->until = mech_between(c, 0.1, 0.6);
  m->every = m->until / (4 + mech_pick(c, 30));
  say(m, "{'tenon': 1, 'dimension': %d", m->dimension);
  if (mech_chance(c, 30)) say(m, ", 'coordinates': 'relative'");
  if (mech_chance(c, 80)) say(m, ", 'gravity': [0, %s%s]", m->dimension == 3 ? "0, " : "", "-9.81");
  if (m->parameters) {
    say(m, ", 'parameters': {");
    for (int i = 0; i < m->parameters; i++) say(m, "%s'p%d': %g", i ? ", " : "", i, m->parameter[i]);
    say(m, "}");
  }
  say(m, ", 'bodies': {");
  for (int i = 0; i < m->bodies; i++) say_body(m, i);
  say(m, "}");
  if (m->joints) {
    say(m, ", 'joints': {");
    for (int i = 0; i < m->joints; i++) say_joint(m, i, first);
    say(m, "}");
  }
  const int loads = (int)mech_pick(c, 4);
  if (loads) {
    say(m, ", 'forces': {");
    for (int i = 0; i < loads; i++) say_force(m, c, i);
    say(m, "}");
  }
  if (m->parameters || mech_chance(c, 20)) say_events(m, c, first);
  bool shift = false;
  const int on = channel_joint(m, c, &shift);
  if (!m->driven && on >= 0 && mech_chance(c, 50)) {
    say(m, ", 'start': {'j%d.%s': %.6g}", on, shift ? "speed" : "rate",
        mech_between(c, -4, 4) * (shift ? m->length : 1));
  } else if (m->bodies && mech_chance(c, 30) && m->joints == 0) {
    say(m, ", 'start': {'b0.vx': %.6g}", mech_between(c, -4, 4) * m->length);
  }
  say_outputs(m);
  say_run(m, c);
  say(m, "}");
  return m->used < MECH_TEXT && m->columns <= MECH_COLUMNS;
}
