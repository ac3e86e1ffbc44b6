/* charts of a rotation and of a pose by quaternions e = (e0, e1, e2, e3), of any length but 0; x is x, y, z.
 *   (1) rates:   xdot = v, edot = (0, w) * e / 2, with w in the axes the rotation leads to. |e| is kept
 *   (2) add:     x + s, and e turned by |s| about s, of length 1 again
 *   (3) tangent: (1) solved for w dt: s = 2 vec(de * conj(e)) / |e|^2; the part of de along e is dropped
 *   (4) own:     w along the axes of the body, A'w. its rate is A'wdot, for d(A')/dt w = -A'(w x w) = 0. A body that tumbles about its
 *                middle axis has w small across that axis, which world axes hide: they turn it into the large component */
#include "base/chart.h"

#include "base/space.h"

static void rotation_rates(const double *q, const double *u, double *qdot) {
  const double half[4] = {0, 0.5 * u[0], 0.5 * u[1], 0.5 * u[2]};
  tn_quaternion_product(half, q, qdot);
}

static void rotation_add(double *q, const double *s) { tn_quaternion_add(q, s); }

static void rotation_tangent(const double *q, const double *dq, double *s) {
  const double k = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double conjugate[4] = {q[0], -q[1], -q[2], -q[3]};
  double p[4];
  tn_quaternion_product(dq, conjugate, p);
  for (int i = 0; i < 3; i++) s[i] = k * p[1 + i];
}

static void rotation_to_own(const double *q, const double *u, double *x) {
  double A[9];
  tn_quaternion_rotation(q, A);
  tn_unturn3(A, u, x);
}

static void rotation_from_own(const double *q, const double *x, double *u) {
  double A[9];
  tn_quaternion_rotation(q, A);
  tn_turn3(A, x, u);
}

static void rotation_carry(const double *u, const double *s, double k, double *du) {
  double x[3];
  tn_cross3(s, u, x);
  tn_axpy3(k, x, du);
}

static void pose_carry(const double *u, const double *s, double k, double *du) {
  rotation_carry(u + 3, s + 3, k, du + 3);
}

static void pose_to_own(const double *q, const double *u, double *x) {
  memcpy(x, u, 3 * sizeof *u);
  rotation_to_own(q + 3, u + 3, x + 3);
}

static void pose_from_own(const double *q, const double *x, double *u) {
  memcpy(u, x, 3 * sizeof *u);
  rotation_from_own(q + 3, x + 3, u + 3);
}

static void pose_rates(const double *q, const double *u, double *qdot) {
  memcpy(qdot, u, 3 * sizeof *u);
  rotation_rates(q + 3, u + 3, qdot + 3);
}

static void pose_add(double *q, const double *s) {
  tn_axpy3(1, s, q);
  tn_quaternion_add(q + 3, s + 3);
}

static void pose_tangent(const double *q, const double *dq, double *s) {
  memcpy(s, dq, 3 * sizeof *s);
  rotation_tangent(q + 3, dq + 3, s + 3);
}

const tn_chart tn_chart_rotation = {
    .nq = 4,
    .nu = 3,
    .zero = {1},
    .q_name = {"e0", "e1", "e2", "e3"},
    .u_name = {"wx", "wy", "wz"},
    .q_unit = {TN_RATIO, TN_RATIO, TN_RATIO, TN_RATIO},
    .u_unit = {TN_ANGLE, TN_ANGLE, TN_ANGLE},
    .rates = rotation_rates,
    .add = rotation_add,
    .tangent = rotation_tangent,
    .to_own = rotation_to_own,
    .from_own = rotation_from_own,
    .carry = rotation_carry,
    .own_name = {"w1", "w2", "w3"},
};

const tn_chart tn_chart_pose = {
    .nq = 7,
    .nu = 6,
    .zero = {0, 0, 0, 1},
    .q_name = {"x", "y", "z", "e0", "e1", "e2", "e3"},
    .u_name = {"vx", "vy", "vz", "wx", "wy", "wz"},
    .q_unit = {TN_LENGTH, TN_LENGTH, TN_LENGTH, TN_RATIO, TN_RATIO, TN_RATIO, TN_RATIO},
    .u_unit = {TN_LENGTH, TN_LENGTH, TN_LENGTH, TN_ANGLE, TN_ANGLE, TN_ANGLE},
    .rates = pose_rates,
    .add = pose_add,
    .tangent = pose_tangent,
    .to_own = pose_to_own,
    .from_own = pose_from_own,
    .carry = pose_carry,
    .own_name = {"vx", "vy", "vz", "w1", "w2", "w3"},
};
