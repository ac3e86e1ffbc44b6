/* gaps of joints from poses. Rotations, joint equations and lengths are written here a second time, from docs/model.md, so that a mistake of
 * the library is not made twice. Nothing of the library is called.
 *
 *   (1) r_k = p_k + R_k place_k,  a_k = R_k direction_k        k = 0, 1: place and axis of a joint on its two bodies
 *   (2) d = r_1 - r_0
 *   (3) A = R_1 (R_1^0)' R_0^0 R_0'     how the second body has turned against the first since the given pose (0)
 *   (4) v = (A_32 - A_23, A_13 - A_31, A_21 - A_12)/2 = sin(angle) times its axis;  trace A = 1 + 2 cos(angle)
 * SPDX-License-Identifier: MIT */
#include "mechanism.h"

#include <math.h>
#include <string.h>

static const double TURN = 6.283185307179586;

/* ---- vectors and rotations ---------------------------------------------------------------------------------------------- */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static double length_of(const double a[3]) { return hypot(hypot(a[0], a[1]), a[2]); }

static void cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void between(const double from[3], const double to[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = to[i] - from[i];
}

/* the columns are the turned axes; e need not have length 1 */
static void matrix_of(const double e[4], double R[9]) {
  const double n = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3], w = e[0], x = e[1], y = e[2], z = e[3];
  const double all[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
                         2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                         2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
  for (int i = 0; i < 9; i++) R[i] = all[i] / n;
}

static void turned(const double R[9], const double v[3], double out[3]) {
  double all[3];
  for (int i = 0; i < 3; i++) all[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
  memcpy(out, all, sizeof all);
}

static void turned_back(const double R[9], const double v[3], double out[3]) {
  double all[3];
  for (int i = 0; i < 3; i++) all[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
  memcpy(out, all, sizeof all);
}

/* A B'; or A' B */
static void times_back(const double A[9], const double B[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += A[3 * i + k] * B[3 * j + k];
      out[3 * i + j] = sum;
    }
}

static void back_times(const double A[9], const double B[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += A[3 * k + i] * B[3 * k + j];
      out[3 * i + j] = sum;
    }
}

void gap_rotate(const double e[4], const double v[3], double out[3]) {
  double R[9];
  matrix_of(e, R);
  turned(R, v, out);
}

/* ---- poses ---------------------------------------------------------------------------------------------------------------- */

typedef struct pose {
  double p[3], R[9], angle;
} pose;

static pose from(int dimension, bool point, const double p[3], double angle, const double e[4]) {
  pose x = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .angle = angle};
  memcpy(x.p, p, sizeof x.p);
  if (point) return x;
  if (dimension == 2) {
    x.R[0] = x.R[4] = cos(angle);
    x.R[3] = sin(angle);
    x.R[1] = -x.R[3];
  } else {
    matrix_of(e, x.R);
  }
  return x;
}

static pose given(const mechanism *m, int body) {
  static const double zero[3];
  if (body < 0) return from(m->dimension, true, zero, 0, NULL);
  const mech_body *b = &m->body[body];
  return from(m->dimension, b->point, b->p, b->point ? 0 : b->angle, b->e);
}

static pose present(const mechanism *m, int body, const double *row) {
  if (body < 0) return given(m, body);
  const mech_body *b = &m->body[body];
  const double *x = row + b->column;
  const double p[3] = {x[0], x[1], m->dimension == 2 ? 0 : x[2]};
  return from(m->dimension, b->point, p, b->point || m->dimension == 3 ? 0 : x[2], x + 3);
}

/* ---- joints ---------------------------------------------------------------------------------------------------------------- */

/* some vector across a unit vector */
static void across(const double a[3], double out[3]) {
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
  cross(a, fabs(a[0]) < 0.7 ? x : y, out);
  const double n = length_of(out);
  for (int i = 0; i < 3; i++) out[i] /= n;
}

/* v turned by the smallest turn from unit vector a to unit vector b */
static void turned_least(const double a[3], const double b[3], const double v[3], double out[3]) {
  double w[3], wv[3], wwv[3];
  cross(a, b, w);
  cross(w, v, wv);
  cross(w, wv, wwv);
  for (int i = 0; i < 3; i++) out[i] = v[i] + wv[i] + wwv[i] / (1 + dot(a, b));
}

/* height of the centre of what rolls above its plane, with the normal in the axes of the body that rolls */
static double height(const mech_joint *j, const double n[3], const double axle[3]) {
  if (j->kind == MECH_ROLLING_DISC) return j->size[0] * sqrt(fmax(0, 1 - dot(n, axle) * dot(n, axle)));
  const double all[3] = {j->size[0] * n[0], j->size[1] * n[1], j->size[2] * n[2]};
  return length_of(all);
}

/* a coordinate of a joint: angle or shift since the given pose; angles within half a turn in space */
static double coordinate(const mechanism *m, int k, bool shift, const double *row) {
  const mech_joint *j = &m->joint[k];
  const pose a = present(m, j->body[0], row), b = present(m, j->body[1], row);
  double axis[3], r[2][3], d[3];
  turned(a.R, j->direction[0], axis);
  if (shift) {
    turned(a.R, j->place[0], r[0]);
    turned(b.R, j->place[1], r[1]);
    for (int i = 0; i < 3; i++) d[i] = b.p[i] + r[1][i] - a.p[i] - r[0][i];
    return dot(axis, d);
  }
  if (m->dimension == 2) return b.angle - a.angle - (given(m, j->body[1]).angle - given(m, j->body[0]).angle);
  double A[9], T[9];
  times_back(b.R, j->turn, T); /* R_1 (R_1^0)' R_0^0 */
  times_back(T, a.R, A);
  const double v[3] = {(A[7] - A[5]) / 2, (A[2] - A[6]) / 2, (A[3] - A[1]) / 2};
  return atan2(dot(v, axis), (A[0] + A[4] + A[8] - 1) / 2);
}

static double law_at(const mech_joint *j, double t) {
  const double x = j->frequency * t;
  switch (j->law) {
  case MECH_LAW_LINEAR: return j->base + j->amount * t;
  case MECH_LAW_SINE: return j->base + j->amount * sin(x);
  case MECH_LAW_COSINE: return j->base + j->amount * (1 - cos(x));
  default: return j->base + j->amount * t * t;
  }
}

static double mass_center(const mechanism *m, const double axis[3], const double *row) {
  double sum = 0, mass = 0, c[3];
  for (int i = 0; i < m->bodies; i++) {
    const mech_body *b = &m->body[i];
    const pose x = row ? present(m, i, row) : given(m, i);
    turned(x.R, b->center, c);
    for (int k = 0; k < 3; k++) c[k] += x.p[k];
    sum += b->mass * dot(axis, c);
    mass += b->mass;
  }
  return sum / mass;
}

void gaps_prepare(mechanism *m) {
  for (int i = 0; i < m->joints; i++) {
    mech_joint *j = &m->joint[i];
    pose x[2];
    for (int k = 0; k < 2; k++) {
      double arm[3];
      x[k] = given(m, j->body[k]);
      between(x[k].p, j->at[k], arm);
      turned_back(x[k].R, arm, j->place[k]);
      turned_back(x[k].R, j->axis[k], j->direction[k]);
    }
    back_times(x[0].R, x[1].R, j->turn); /* (R_0^0)' R_1^0, whose transpose is wanted in (3) */
    if (j->kind == MECH_CONSTANT_VELOCITY) {
      double v[3], w[3];
      across(j->axis[0], v);
      turned_least(j->axis[0], j->axis[1], v, w);
      turned_back(x[0].R, v, j->cross[0]);
      turned_back(x[1].R, w, j->cross[1]);
    }
    if (j->kind == MECH_ROLLING_DISC || j->kind == MECH_ROLLING_ELLIPSOID) {
      double n[3];
      turned_back(x[1].R, j->axis[0], n);
      j->start = height(j, n, j->direction[1]);
    }
  }
}

static double wrapped(double x, double period) { return x - period * round(x / period); }

static void larger(double *most, double x) {
  if (!(fabs(x) <= *most)) *most = fabs(x);
}

/* of rows on channels; false: the joint is another */
static bool gap_of_channels(const mechanism *m, const mech_joint *j, double t, const double *row, mech_gap *gap) {
  double sum = 0;
  if (j->kind == MECH_CENTER_OF_MASS) {
    larger(&gap->length, mass_center(m, j->axis[0], row) - law_at(j, t));
    return true;
  }
  if (j->kind != MECH_DRIVER && j->kind != MECH_COORDINATE) return false;
  for (int k = 0; k < 2; k++)
    if (j->of[k] >= 0) sum += j->factor[k] * coordinate(m, j->of[k], j->shift, row);
  const double off = sum - (j->hold >= 0 ? row[j->hold] : law_at(j, t));
  if (j->shift)
    larger(&gap->length, off);
  else
    larger(&gap->angle, m->dimension == 2 ? off : wrapped(off, TURN)); /* factors are whole numbers: turns stay turns */
  return true;
}

static bool gap_of_wheels(const mechanism *m, const mech_joint *j, const double *row, mech_gap *gap) {
  if (j->kind != MECH_GEAR && j->kind != MECH_RACK) return false;
  if (!j->position_form) return true; /* velocities alone */
  const pose a = present(m, j->body[0], row), b = present(m, j->body[1], row), a0 = given(m, j->body[0]),
             b0 = given(m, j->body[1]);
  if (j->kind == MECH_GEAR) {
    larger(&gap->angle, j->size[0] * (a.angle - a0.angle) + j->size[1] * (b.angle - b0.angle));
  } else {
    double d[3];
    between(b0.p, b.p, d);
    larger(&gap->length, dot(j->axis[0], d) - j->size[0] * (a.angle - a0.angle));
  }
  return true;
}

bool gap_of(const mechanism *m, int index, double t, const double *row, mech_gap *gap) {
  const mech_joint *j = &m->joint[index];
  *gap = (mech_gap){0, 0};
  if (j->on >= 0 && row[j->on] == 0) return false;
  if (gap_of_channels(m, j, t, row, gap) || gap_of_wheels(m, j, row, gap)) return true;

  const pose x[2] = {present(m, j->body[0], row), present(m, j->body[1], row)};
  double r[2][3], a[2][3], d[3], A[9], T[9], n[3];
  for (int k = 0; k < 2; k++) {
    turned(x[k].R, j->place[k], r[k]);
    turned(x[k].R, j->direction[k], a[k]);
    for (int i = 0; i < 3; i++) r[k][i] += x[k].p[i];
  }
  between(r[0], r[1], d);
  times_back(x[1].R, j->turn, T);
  times_back(T, x[0].R, A);
  const double along = dot(a[0], d), spin[3] = {(A[7] - A[5]) / 2, (A[2] - A[6]) / 2, (A[3] - A[1]) / 2};
  double off[3] = {d[0] - along * a[0][0], d[1] - along * a[0][1], d[2] - along * a[0][2]}, tilt[3];
  cross(a[0], a[1], tilt);
  const bool plane = m->dimension == 2;

  switch (j->kind) {
  case MECH_REVOLUTE:
    larger(&gap->length, length_of(d));
    if (!plane) larger(&gap->angle, length_of(tilt));
    break;
  case MECH_PRISMATIC:
    larger(&gap->length, length_of(off));
    larger(&gap->angle, length_of(spin));
    break;
  case MECH_WELD:
    larger(&gap->length, length_of(d));
    larger(&gap->angle, length_of(spin));
    break;
  case MECH_CYLINDRICAL:
    larger(&gap->length, length_of(off));
    larger(&gap->angle, length_of(tilt));
    break;
  case MECH_SCREW:
    larger(&gap->length, length_of(off));
    larger(&gap->angle, length_of(tilt));
    larger(&gap->length, wrapped(along - j->size[0] / TURN * coordinate(m, index, false, row), j->size[0]));
    break;
  case MECH_UNIVERSAL:
    larger(&gap->length, length_of(d));
    larger(&gap->angle, dot(a[0], a[1]));
    break;
  case MECH_CONSTANT_VELOCITY: {
    double c[2][3], s[2][3];
    for (int k = 0; k < 2; k++) {
      turned(x[k].R, j->cross[k], c[k]);
      cross(a[k], c[k], s[k]);
    }
    larger(&gap->length, length_of(d));
    larger(&gap->angle, dot(c[0], s[1]) - dot(s[0], c[1]));
    break;
  }
  case MECH_SPHERICAL: larger(&gap->length, length_of(d)); break;
  case MECH_PLANAR:
    larger(&gap->length, along);
    larger(&gap->angle, length_of(tilt));
    break;
  case MECH_POINT_ON_PLANE:
  case MECH_ROLLING_SPHERE: larger(&gap->length, along); break;
  case MECH_KNIFE_EDGE:
    if (!plane) larger(&gap->length, along); /* axis[0] is the normal, axis[1] the blade */
    break;
  case MECH_ROLLING_DISC:
  case MECH_ROLLING_ELLIPSOID: {
    double own[3];
    turned_back(x[1].R, a[0], n);
    memcpy(own, j->direction[1], sizeof own);
    larger(&gap->length, along + j->start - height(j, n, own));
    break;
  }
  case MECH_POINT_ON_LINE: larger(&gap->length, length_of(off)); break;
  case MECH_CONSTRAINT:
  case MECH_DISTANCE: {
    const double l = length_of(d);
    larger(&gap->length, j->squared ? (l * l - j->size[0] * j->size[0]) / 2 : l - j->size[0]);
    break;
  }
  case MECH_PARALLEL: larger(&gap->angle, length_of(tilt)); break;
  case MECH_PERPENDICULAR: larger(&gap->angle, dot(a[0], a[1])); break;
  default: break;
  }
  return true;
}

/* ---- lengths -------------------------------------------------------------------------------------------------------------- */

static int root(int *up, int i) {
  while (up[i] != i) i = up[i];
  return i;
}

static void tie(int *up, int a, int b) {
  if (a >= 0 && b >= 0) up[root(up, a)] = root(up, b);
}

void gap_lengths(const mechanism *m, double *length) {
  int up[MECH_BODIES];
  double L[MECH_BODIES] = {0}, place[2 * MECH_JOINTS + MECH_BODIES][3];
  int owner[2 * MECH_JOINTS + MECH_BODIES], places = 0;
  for (int i = 0; i < m->bodies; i++) up[i] = i;
  for (int i = 0; i < m->joints; i++) {
    const mech_joint *j = &m->joint[i];
    tie(up, j->body[0], j->body[1]);
    for (int k = 0; k < 2 && j->of[0] >= 0; k++)
      for (int l = 0; l < 2 && j->of[k] >= 0; l++)
        for (int o = 0; o < 2; o++) tie(up, m->joint[j->of[0]].body[o], m->joint[j->of[k]].body[l]);
    for (int k = 0; k < m->bodies && j->kind == MECH_CENTER_OF_MASS; k++) tie(up, 0, k);
  }
  for (int i = 0; i < m->bodies; i++, places++) {
    const pose x = given(m, i);
    turned(x.R, m->body[i].center, place[places]);
    for (int k = 0; k < 3; k++) place[places][k] += x.p[k];
    owner[places] = i;
  }
  for (int i = 0; i < m->joints; i++) {
    const mech_joint *j = &m->joint[i];
    const int body = j->body[0] >= 0 ? j->body[0] : j->body[1];
    if (body < 0 || j->kind == MECH_PARALLEL || j->kind == MECH_PERPENDICULAR || j->kind == MECH_CONSTRAINT) continue;
    for (int k = 0; k < 2; k++, places++) {
      memcpy(place[places], j->at[k], sizeof place[places]);
      owner[places] = body;
    }
  }
  for (int i = 0; i < places; i++)
    for (int k = 0; k < i; k++) {
      double d[3];
      if (root(up, owner[i]) != root(up, owner[k])) continue;
      between(place[i], place[k], d);
      L[root(up, owner[i])] = fmax(L[root(up, owner[i])], length_of(d));
    }
  for (int i = 0; i < m->bodies; i++) {
    const mech_body *b = &m->body[i];
    const double sum = m->dimension == 2 ? b->inertia[0] : 0.5 * (b->inertia[0] + b->inertia[1] + b->inertia[2]);
    double *of = &L[root(up, i)];
    if (!b->point) *of = fmax(*of, sqrt(sum / b->mass));
  }
  for (int i = 0; i < m->joints; i++) {
    const mech_joint *j = &m->joint[i];
    int body = j->body[0] >= 0 ? j->body[0] : j->body[1];
    if (j->of[0] >= 0) body = m->joint[j->of[0]].body[0] >= 0 ? m->joint[j->of[0]].body[0] : m->joint[j->of[0]].body[1];
    if (j->kind == MECH_CENTER_OF_MASS) body = 0;
    length[i] = body >= 0 && L[root(up, body)] > 0 ? L[root(up, body)] : 1;
  }
}

double gap_reach(const mechanism *m, const double *row) {
  double most = 0;
  for (int i = 0; i < m->bodies; i++) most = fmax(most, length_of(present(m, i, row).p));
  for (int i = 0; i < m->joints; i++)
    for (int k = 0; k < 2; k++) most = fmax(most, length_of(m->joint[i].at[k]));
  return most;
}

double gap_turns(const mechanism *m, const double *row) {
  double most = 0;
  for (int i = 0; i < m->bodies && m->dimension == 2; i++)
    if (!m->body[i].point) most = fmax(most, fabs(row[m->body[i].column + 2]) / TURN);
  return most;
}

double gap_unit(const mechanism *m, const double *row) {
  double most = 0;
  for (int i = 0; i < m->bodies && m->dimension == 3; i++) {
    const double *e = row + m->body[i].column + 3;
    if (!m->body[i].point) larger(&most, sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]) - 1);
  }
  return most;
}
