/* puts mechanisms together: poses, then joints that fit them. See mechanism.h.
 * SPDX-License-Identifier: MIT */
#include "mechanism.h"

#include <math.h>
#include <string.h>

const char *const mech_joint_names[] = {"revolute",
                                        "prismatic",
                                        "weld",
                                        "cylindrical",
                                        "screw",
                                        "universal",
                                        "constant-velocity",
                                        "spherical",
                                        "planar",
                                        "point-on-plane",
                                        "point-on-line",
                                        "distance",
                                        "parallel",
                                        "perpendicular",
                                        "gear",
                                        "rack",
                                        "rolling-disc",
                                        "rolling-sphere",
                                        "rolling-ellipsoid",
                                        "knife-edge",
                                        "free",
                                        "driver",
                                        "coordinate",
                                        "center-of-mass",
                                        "constraint",
                                        NULL};

/* rows on positions and velocities in the plane and in space */
static const int rows[][2] = {{2, 5}, {2, 5}, {3, 6}, {0, 4}, {0, 5}, {0, 4}, {0, 4}, {0, 3}, {0, 3},
                              {0, 1}, {1, 2}, {1, 1}, {0, 2}, {0, 1}, {1, 1}, {1, 1}, {0, 3}, {0, 3},
                              {0, 3}, {1, 2}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};

/* ---- choices ------------------------------------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

mech_choices mech_choices_of(const uint8_t *bytes, size_t size) {
  mech_choices c = {bytes, size, size};
  for (size_t i = 0; i < size; i++) c.state = mixed(c.state ^ bytes[i]);
  return c;
}

static unsigned next_byte(mech_choices *c) {
  if (c->left) {
    c->left--;
    return *c->bytes++;
  }
  c->state = mixed(c->state);
  return (unsigned)(c->state & 255);
}

unsigned mech_pick(mech_choices *c, unsigned n) {
  const unsigned x = next_byte(c);
  return (n > 100 ? x << 8 | next_byte(c) : x) % n;
}

bool mech_chance(mech_choices *c, unsigned percent) { return mech_pick(c, 100) < percent; }

double mech_between(mech_choices *c, double low, double high) {
  const unsigned x = next_byte(c) << 8;
  return low + (high - low) * (double)(x | next_byte(c)) / 65535;
}

/* a unit vector: of the world, or any; across z in the plane */
static void direction(mech_choices *c, int dimension, double out[3]) {
  if (mech_chance(c, 40)) {
    memset(out, 0, 3 * sizeof *out);
    out[mech_pick(c, (unsigned)dimension)] = mech_chance(c, 20) ? -1 : 1;
    return;
  }
  double n;
  do {
    for (int i = 0; i < 3; i++) out[i] = i < dimension ? mech_between(c, -1, 1) : 0;
    n = hypot(hypot(out[0], out[1]), out[2]);
    if (n < 0.1) c->left = 0; /* bytes that are all the same never end */
  } while (n < 0.1);
  for (int i = 0; i < 3; i++) out[i] /= n;
}

/* a unit vector across a, of some kind */
static void across(mech_choices *c, const double a[3], double out[3]) {
  double v[3], n;
  do {
    direction(c, 3, v);
    const double k = v[0] * a[0] + v[1] * a[1] + v[2] * a[2];
    for (int i = 0; i < 3; i++) out[i] = v[i] - k * a[i];
    n = hypot(hypot(out[0], out[1]), out[2]);
    if (n < 0.1) c->left = 0;
  } while (n < 0.1);
  for (int i = 0; i < 3; i++) out[i] /= n;
}

/* ---- bodies -------------------------------------------------------------------------------------------------------------- */

static mech_body *add_body(mechanism *m, mech_choices *c, const double p[3], bool point) {
  mech_body *b = &m->body[m->bodies++];
  const double l = m->length;
  *b = (mech_body){.point = point, .e = {1, 0, 0, 0}, .mass = pow(10, mech_between(c, -1, 1))};
  memcpy(b->p, p, sizeof b->p);
  if (m->dimension == 2) {
    b->angle = mech_chance(c, 60) ? mech_between(c, -3, 3) : 0;
    b->coordinates = point ? "point" : NULL;
  } else {
    static const char *const kinds[] = {NULL, NULL, NULL, "euler-parameters", "euler-angles"};
    if (mech_chance(c, 60)) {
      double n = 0;
      for (int i = 0; i < 4; i++) b->e[i] = mech_between(c, -1, 1) + (i == 0 ? 1.2 : 0), n = hypot(n, b->e[i]);
      for (int i = 0; i < 4; i++) b->e[i] /= n;
    }
    b->coordinates =
        point ? "point" : kinds[mech_pick(c, b->e[1] != 0 ? 5 : 4)]; /* angles are singular along the world */
  }
  if (point) return b;
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = mech_between(c, 0.05, 0.4) * l;
  b->inertia[0] = b->mass * (s[1] * s[1] + s[2] * s[2]);
  b->inertia[1] = b->mass * (s[0] * s[0] + s[2] * s[2]);
  b->inertia[2] = b->mass * (s[0] * s[0] + s[1] * s[1]);
  for (int i = 0; i < m->dimension && mech_chance(c, 30); i++) b->center[i] = mech_between(c, -0.2, 0.2) * l;
  return b;
}

static void somewhere(mechanism *m, mech_choices *c, double p[3]) {
  for (int i = 0; i < 3; i++) p[i] = i < m->dimension ? mech_between(c, -1, 1) * m->length : 0;
}

/* ---- joints -------------------------------------------------------------------------------------------------------------- */

/* the last one again if there is no room */
static mech_joint *add_joint(mechanism *m, mech_joint_kind kind, int first, int second, const double *at) {
  if (m->joints < MECH_JOINTS) m->joints++;
  mech_joint *j = &m->joint[m->joints - 1];
  *j = (mech_joint){.kind = kind, .body = {first, second}, .of = {-1, -1}, .hold = -1, .on = -1, .factor = {1, 1}};
  if (at) memcpy(j->at[0], at, sizeof j->at[0]), memcpy(j->at[1], at, sizeof j->at[1]);
  return j;
}

static void set_axes(mech_joint *j, const double a[3], const double b[3]) {
  memcpy(j->axis[0], a, sizeof j->axis[0]);
  memcpy(j->axis[1], b, sizeof j->axis[1]);
}

static void set_length(mech_joint *j) {
  j->size[0] = hypot(hypot(j->at[1][0] - j->at[0][0], j->at[1][1] - j->at[0][1]), j->at[1][2] - j->at[0][2]);
}

/* an equation is between origins; where these are close together it becomes a distance */
static void between_origins(const mechanism *m, mech_joint *j, const double a[3]) {
  for (int k = 0; k < 2; k++)
    if (j->body[k] >= 0) memcpy(j->at[k], m->body[j->body[k]].p, sizeof j->at[k]);
  for (int i = 0; i < 3 && j->body[0] < 0; i++) j->at[0][i] = j->at[1][i] - 0.5 * m->length * a[i];
  set_length(j);
  if (j->size[0] > 0.1 * m->length && j->body[0] != j->body[1]) return;
  j->kind = MECH_DISTANCE;
  for (int i = 0; i < 3; i++) j->at[1][i] += 0.5 * m->length * a[i];
  set_length(j);
}

/* directions and sizes that a type needs. `common`: axes are along it if it is not NULL */
static void fit(const mechanism *m, mech_choices *c, mech_joint *j, const double *common) {
  double a[3], b[3];
  if (common)
    memcpy(a, common, sizeof a);
  else
    direction(c, m->dimension, a);
  memcpy(b, a, sizeof b);
  switch (j->kind) {
  case MECH_UNIVERSAL:
  case MECH_PERPENDICULAR: across(c, a, b); break;
  case MECH_CONSTANT_VELOCITY: {
    double side[3];
    across(c, a, side);
    const double tilt = mech_between(c, 0, 1);
    for (int i = 0; i < 3; i++) b[i] = cos(tilt) * a[i] + sin(tilt) * side[i];
    break;
  }
  case MECH_SCREW: j->size[0] = mech_between(c, 0.02, 0.3) * m->length * (mech_chance(c, 30) ? -1 : 1); break;
  case MECH_DISTANCE:
    for (int i = 0; i < m->dimension; i++) j->at[1][i] += mech_between(c, 0.2, 0.8) * m->length * a[i];
    set_length(j);
    j->squared = mech_chance(c, 30);
    break;
  case MECH_CONSTRAINT:
    between_origins(m, j, a);
    j->squared = mech_chance(c, 30);
    break;
  default: break;
  }
  set_axes(j, a, b);
  j->on_bodies = mech_chance(c, 25);
}

static void middle(const mechanism *m, mech_choices *c, int a, int b, double at[3]) {
  const double share = mech_between(c, -0.2, 1.2);
  for (int i = 0; i < 3; i++) {
    const double from = a < 0 ? 0 : m->body[a].p[i], to = b < 0 ? 0 : m->body[b].p[i];
    at[i] = i < m->dimension ? from + share * (to - from) : 0;
  }
}

static int freedom(const mechanism *m) {
  int n = 0;
  for (int i = 0; i < m->bodies; i++) n += m->body[i].point ? m->dimension : m->dimension == 2 ? 3 : 6;
  for (int i = 0; i < m->joints; i++) n -= rows[m->joint[i].kind][m->dimension - 2];
  return n;
}

static mech_joint_kind any_of(mech_choices *c, const mech_joint_kind *kinds, unsigned n) {
  return kinds[mech_pick(c, n)];
}

static mech_joint_kind tree_kind(const mechanism *m, mech_choices *c) {
  static const mech_joint_kind plane[] = {MECH_REVOLUTE, MECH_REVOLUTE,      MECH_REVOLUTE, MECH_PRISMATIC,
                                          MECH_WELD,     MECH_POINT_ON_LINE, MECH_DISTANCE, MECH_FREE},
                               space[] = {MECH_REVOLUTE,    MECH_REVOLUTE,          MECH_SPHERICAL,     MECH_PRISMATIC,
                                          MECH_CYLINDRICAL, MECH_UNIVERSAL,         MECH_SCREW,         MECH_PLANAR,
                                          MECH_WELD,        MECH_CONSTANT_VELOCITY, MECH_POINT_ON_LINE, MECH_FREE};
  return m->dimension == 2 ? any_of(c, plane, 8) : any_of(c, space, 12);
}

static mech_joint_kind loop_kind(const mechanism *m, mech_choices *c) {
  static const mech_joint_kind plane[] = {MECH_DISTANCE, MECH_POINT_ON_LINE, MECH_REVOLUTE, MECH_PRISMATIC,
                                          MECH_CONSTRAINT},
                               space[] = {MECH_DISTANCE,      MECH_POINT_ON_PLANE, MECH_SPHERICAL,
                                          MECH_POINT_ON_LINE, MECH_PERPENDICULAR,  MECH_PARALLEL,
                                          MECH_PLANAR,        MECH_UNIVERSAL,      MECH_CONSTRAINT};
  return m->dimension == 2 ? any_of(c, plane, 5) : any_of(c, space, 9);
}

/* a tree of bodies, then joints that close loops as long as something can still move */
static void make_any(mechanism *m, mech_choices *c) {
  const int n = 1 + (int)mech_pick(c, m->dimension == 2 ? 6 : 4);
  double p[3], at[3];
  for (int i = 0; i < n; i++) {
    somewhere(m, c, p);
    const bool point = mech_chance(c, 8);
    add_body(m, c, p, point);
    if (mech_chance(c, 6)) continue; /* it flies */
    int parent = i > 0 && mech_chance(c, 75) ? (int)mech_pick(c, (unsigned)i) : MECH_GROUND;
    if (parent >= 0 && m->body[parent].point && point) parent = MECH_GROUND;
    if (point || (parent >= 0 && m->body[parent].point)) { /* particles are held at their own place */
      const bool bar = m->dimension == 2 || (parent >= 0 && m->body[parent].point) || mech_chance(c, 70);
      mech_joint *j = add_joint(m, bar ? MECH_DISTANCE : MECH_POINT_ON_PLANE, parent, i, m->body[i].p);
      fit(m, c, j, NULL);
      memcpy(j->at[1], m->body[i].p, sizeof j->at[1]);
      if (bar && parent < 0) somewhere(m, c, j->at[0]);
      if (bar && parent >= 0) memcpy(j->at[0], m->body[parent].p, sizeof j->at[0]);
      j->size[0] = hypot(hypot(j->at[1][0] - j->at[0][0], j->at[1][1] - j->at[0][1]), j->at[1][2] - j->at[0][2]);
      j->on_bodies = false;
      continue;
    }
    middle(m, c, parent, i, at);
    mech_joint *j = add_joint(m, tree_kind(m, c), parent, i, at);
    fit(m, c, j, NULL);
  }
  for (unsigned k = mech_pick(c, 4); k > 0 && freedom(m) > 1; k--) {
    const int a = (int)mech_pick(c, (unsigned)n), b = n > 1 && mech_chance(c, 60) ? (a + 1) % n : MECH_GROUND;
    if (m->body[a].point || (b >= 0 && m->body[b].point)) continue;
    middle(m, c, b, a, at);
    const mech_joint_kind kind = loop_kind(m, c);
    if (freedom(m) - rows[kind][m->dimension - 2] < (mech_chance(c, 10) ? -1 : 1)) continue;
    mech_joint *j = add_joint(m, kind, b, a, at);
    fit(m, c, j, NULL);
  }
}

/* a linkage of revolutes about parallel axes, closed once or twice; in space its rows are redundant */
static void make_linkage(mechanism *m, mech_choices *c) {
  const int n = 2 + (int)mech_pick(c, 4);
  double axis[3] = {0, 0, 1}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, P[MECH_BODIES + 1][3];
  if (m->dimension == 3) {
    direction(c, 3, axis);
    across(c, axis, x);
    y[0] = axis[1] * x[2] - axis[2] * x[1];
    y[1] = axis[2] * x[0] - axis[0] * x[2];
    y[2] = axis[0] * x[1] - axis[1] * x[0];
  }
  for (int i = 0; i <= n; i++) {
    const double u = (i + mech_between(c, -0.3, 0.3)) * m->length,
                 v = mech_between(c, -0.8, 0.8) * (i > 0 && i < n) * m->length,
                 w = m->dimension == 3 ? mech_between(c, -0.2, 0.2) * m->length : 0;
    for (int k = 0; k < 3; k++) P[i][k] = u * x[k] + v * y[k] + w * axis[k];
  }
  for (int i = 0; i < n; i++) {
    double p[3];
    for (int k = 0; k < 3; k++) p[k] = 0.5 * (P[i][k] + P[i + 1][k]);
    add_body(m, c, p, false);
    mech_joint *j = add_joint(m, MECH_REVOLUTE, i - 1, i, P[i]);
    fit(m, c, j, m->dimension == 3 ? axis : NULL);
  }
  static const mech_joint_kind last[] = {MECH_REVOLUTE, MECH_REVOLUTE, MECH_REVOLUTE, MECH_PRISMATIC, MECH_DISTANCE};
  mech_joint_kind kind = any_of(c, last, n > 2 ? 5 : 1);
  if (n == 2) kind = MECH_POINT_ON_LINE;
  mech_joint *j = add_joint(m, kind, MECH_GROUND, n - 1, P[n]);
  const bool about = kind == MECH_REVOLUTE || m->dimension == 2;
  fit(m, c, j, about ? (m->dimension == 3 ? axis : NULL) : x);
  if (n > 3 && mech_chance(c, 40)) {
    /* a bar across: it takes a freedom away, or repeats what is there */
    j = add_joint(m, MECH_DISTANCE, 0, n - 1, P[1]);
    fit(m, c, j, NULL);
  }
}

/* bodies on hinges in line, which repeat each other */
static void make_doors(mechanism *m, mech_choices *c) {
  const int n = 1 + (int)mech_pick(c, 2);
  double p[3], at[3], axis[3];
  for (int i = 0; i < n; i++) {
    somewhere(m, c, p);
    add_body(m, c, p, false);
    middle(m, c, i - 1, i, at);
    direction(c, m->dimension, axis);
    const mech_joint_kind kind = mech_chance(c, 60) ? MECH_REVOLUTE : MECH_PRISMATIC;
    for (int k = 0; k < 2; k++) {
      mech_joint *j = add_joint(m, kind, i - 1, i, at);
      fit(m, c, j, axis);
      if (m->dimension == 3 || kind == MECH_PRISMATIC)
        for (int l = 0; l < 3; l++) at[l] += mech_between(c, 0.1, 1) * m->length * axis[l];
    }
  }
}

/* wheels on the ground: gears and racks in the plane, rolling in space */
static void make_wheels(mechanism *m, mech_choices *c) {
  const double l = m->length;
  double p[3] = {0, 0, 0}, q[3] = {0, 0, 0};
  if (m->dimension == 2) {
    const bool rack = mech_chance(c, 50);
    const double teeth[2] = {10 + mech_pick(c, 30), 10 + mech_pick(c, 30)}, r = mech_between(c, 0.1, 0.5) * l;
    add_body(m, c, p, false)->center[0] = 0;
    q[0] = rack ? 0 : l;
    q[1] = rack ? -r : 0;
    add_body(m, c, q, false);
    fit(m, c, add_joint(m, MECH_REVOLUTE, MECH_GROUND, 0, p), NULL);
    const double x[3] = {1, 0, 0};
    fit(m, c, add_joint(m, rack ? MECH_PRISMATIC : MECH_REVOLUTE, MECH_GROUND, 1, q), x);
    mech_joint *j = add_joint(m, rack ? MECH_RACK : MECH_GEAR, 0, 1, p);
    set_axes(j, x, x);
    memcpy(j->at[1], q, sizeof q);
    j->size[0] = rack ? r : teeth[0];
    j->size[1] = teeth[1];
    j->position_form = mech_chance(c, 60);
    if (!mech_chance(c, 40)) return;
    q[1] += 2 * l;
    add_body(m, c, q, false);
    j = add_joint(m, MECH_KNIFE_EDGE, MECH_GROUND, 2, q);
    fit(m, c, j, NULL);
    return;
  }
  static const mech_joint_kind kinds[] = {MECH_ROLLING_SPHERE, MECH_ROLLING_DISC, MECH_ROLLING_ELLIPSOID,
                                          MECH_KNIFE_EDGE};
  mech_joint *j = add_joint(m, any_of(c, kinds, 4), MECH_GROUND, 0, p);
  const double up[3] = {0, 0, 1};
  double axle[3];
  mech_body *b = add_body(m, c, p, false);
  memset(b->center, 0, sizeof b->center);
  for (int i = 0; i < 3; i++) j->size[i] = mech_between(c, 0.2, 0.6) * l;
  if (j->kind == MECH_ROLLING_SPHERE) j->size[1] = j->size[2] = j->size[0];
  across(c, up, axle);
  set_axes(j, up, axle);
  if (mech_chance(c, 50)) { /* something rides on it */
    somewhere(m, c, q);
    q[2] += 2 * l;
    add_body(m, c, q, false);
    j = add_joint(m, MECH_SPHERICAL, 0, 1, b->p);
    fit(m, c, j, NULL);
  }
}

/* whether a joint has the coordinate; *shift: it may be the shift */
static bool has_coordinate(const mech_joint *j, bool *angle, bool *shift) {
  *angle = j->kind == MECH_REVOLUTE || j->kind == MECH_CYLINDRICAL || j->kind == MECH_SCREW;
  *shift = j->kind == MECH_PRISMATIC || j->kind == MECH_CYLINDRICAL;
  return *angle || *shift;
}

/* drivers along what the joints leave free, and locks that events close */
static void make_driven(mechanism *m, mech_choices *c) {
  const int joints = m->joints;
  unsigned left = mech_pick(c, 3);
  for (int i = 0; i < joints && left && m->joints < MECH_JOINTS - 1; i++) {
    bool angle, shift;
    if (!has_coordinate(&m->joint[i], &angle, &shift) || mech_chance(c, 50)) continue;
    if (freedom(m) < 1 && !mech_chance(c, 5)) break;
    mech_joint *j = add_joint(m, mech_chance(c, 75) ? MECH_DRIVER : MECH_COORDINATE, MECH_GROUND, MECH_GROUND, NULL);
    left--;
    j->of[0] = i;
    j->shift = shift && (!angle || mech_chance(c, 50));
    j->law = (mech_law)mech_pick(c, MECH_LAWS);
    j->amount = mech_between(c, -1, 1) * (j->shift ? 0.3 * m->length : 1.5);
    j->frequency = mech_between(c, 0.5, 8);
    m->driven = true;
    if (j->kind != MECH_COORDINATE) continue;
    for (int k = 0; k < joints; k++) {
      bool other_angle, other_shift;
      if (k == i || !has_coordinate(&m->joint[k], &other_angle, &other_shift)) continue;
      if (!(j->shift ? other_shift : other_angle) || mech_chance(c, 40)) continue;
      j->of[1] = k;
      j->factor[1] = mech_chance(c, 50) ? -1 : 2;
      break;
    }
  }
  if (m->bodies == 1 && m->joints == 0 && mech_chance(c, 50)) {
    mech_joint *j = add_joint(m, MECH_CENTER_OF_MASS, MECH_GROUND, MECH_GROUND, NULL);
    double x[3] = {1, 0, 0}, r[3];
    set_axes(j, x, x);
    const mech_body *b = &m->body[0];
    gap_rotate(b->e, b->center, r);
    j->base = b->p[0] + (m->dimension == 3 && !b->point ? r[0]
                         : b->point                     ? 0
                                                        : b->center[0] * cos(b->angle) - b->center[1] * sin(b->angle));
    j->law = MECH_LAW_SINE;
    j->amount = mech_between(c, -0.5, 0.5) * m->length;
    j->frequency = mech_between(c, 0.5, 5);
    m->driven = true;
  }
}

/* locks that events close where the mechanism is, and joints of loops that events open */
static void make_switched(mechanism *m, mech_choices *c) {
  const int joints = m->joints;
  for (int i = 0; i < joints && m->parameters + 2 <= MECH_PARAMETERS; i++) {
    mech_joint *j = &m->joint[i];
    bool angle, shift;
    const bool bar = j->kind == MECH_DISTANCE || j->kind == MECH_POINT_ON_PLANE || j->kind == MECH_POINT_ON_LINE;
    if (bar && mech_chance(c, 15)) {
      j->on = m->parameters; /* becomes a column below */
      m->parameter[m->parameters++] = 1;
    } else if (has_coordinate(j, &angle, &shift) && m->joints < MECH_JOINTS && freedom(m) > 0 && mech_chance(c, 12)) {
      mech_joint *lock = add_joint(m, MECH_COORDINATE, MECH_GROUND, MECH_GROUND, NULL);
      lock->of[0] = i;
      lock->shift = shift && !angle;
      lock->on = m->parameters;
      m->parameter[m->parameters++] = 0;
      lock->hold = m->parameters;
      m->parameter[m->parameters++] = 0;
    }
  }
}

static void give_columns(mechanism *m) {
  int n = 0;
  for (int i = 0; i < m->bodies; i++) {
    m->body[i].column = n;
    n += m->body[i].point ? m->dimension : m->dimension == 2 ? 3 : 7;
  }
  for (int i = 0; i < m->joints; i++) {
    if (m->joint[i].on >= 0) m->joint[i].on += n;
    if (m->joint[i].hold >= 0) m->joint[i].hold += n;
  }
  m->columns = n + m->parameters;
}

bool mech_make(mechanism *m, const uint8_t *bytes, size_t size) {
  static const double lengths[] = {1, 1, 1, 1, 0.01, 100, 0.3, 5};
  mech_choices c = mech_choices_of(bytes, size);
  memset(m, 0, sizeof *m);
  m->dimension = 2 + (int)mech_pick(&c, 2);
  m->length = lengths[mech_pick(&c, 8)];
  switch (mech_pick(&c, 8)) {
  case 0:
  case 1: make_linkage(m, &c); break;
  case 2: make_doors(m, &c); break;
  case 3: make_wheels(m, &c); break;
  default: make_any(m, &c); break;
  }
  make_driven(m, &c);
  make_switched(m, &c);
  give_columns(m);
  gaps_prepare(m);
  return mech_write(m, &c);
}

bool mech_make_seed(mechanism *m, uint64_t seed) {
  uint8_t bytes[8];
  const uint64_t x = mixed(seed);
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(x >> 8 * i);
  return mech_make(m, bytes, sizeof bytes);
}
