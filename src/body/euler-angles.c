/* euler-angles: x, y, z of the frame origin and the angles phi, theta, psi about z, x, z; u = qdot.
 *   (1) A = Rz(phi) Rx(theta) Rz(psi)
 *   (2) the three turns are about z = (0, 0, 1), n = (cos phi, sin phi, 0) and k, the third axis of A:
 *       w = z phidot + n thetadot + k psidot, S = [1 0; 0 z n k];  k = (sin phi sin theta, -cos phi sin theta, cos theta)
 *   (3) bias: n turns with z phidot, k with p = z phidot + n thetadot:
 *       al0 = z x n phidot thetadot + p x k psidot
 *   (4) at sin theta = 0, k is along z and S has rank 5: a turn about z x n has no rates
 *   (5) backwards: theta in [0, pi] and phi from k; then psi from n, which is (cos psi, -sin psi) along the axes of the body.
 *       at (4) any phi will do, as psi makes up for it: 0 is taken */
#include "body/body.h"

static void motion(const double *q, const double *u, tn_frame3 *b, double *S) {
  static const double z[3] = {0, 0, 1};
  const double cf = cos(q[3]), sf = sin(q[3]), ct = cos(q[4]), st = sin(q[4]), cp = cos(q[5]), sp = sin(q[5]);
  const double n[3] = {cf, sf, 0}, zn[3] = {-sf, cf, 0}, k[3] = {sf * st, -cf * st, ct};
  const double p[3] = {n[0] * u[4], n[1] * u[4], u[3]};
  memset(b, 0, sizeof *b);
  memcpy(b->r, q, sizeof b->r);
  memcpy(b->v, u, sizeof b->v);
  memset(S, 0, 36 * sizeof *S);
  double pk[3];
  tn_cross3(p, k, pk);
  for (int i = 0; i < 3; i++) {
    const double m = zn[i] * ct + z[i] * st; /* k x n: the second axis of Rz Rx */
    b->A[3 * i] = n[i] * cp + m * sp;
    b->A[3 * i + 1] = m * cp - n[i] * sp;
    b->A[3 * i + 2] = k[i];
    S[7 * i] = 1;
    S[6 * (3 + i) + 3] = z[i];
    S[6 * (3 + i) + 4] = n[i];
    S[6 * (3 + i) + 5] = k[i];
    b->w[i] = p[i] + k[i] * u[5];
    b->al0[i] = zn[i] * u[3] * u[4] + pk[i] * u[5];
  }
}

/* 1: sine of nutation below which spin and precession cannot be told apart */
static const double POLE = 1e-15;

static void from_pose(const double r[3], const double A[9], double *q) {
  const double st = hypot(A[2], A[5]), phi = st > POLE ? atan2(A[2], -A[5]) : 0, cf = cos(phi), sf = sin(phi);
  memcpy(q, r, 3 * sizeof *q);
  q[3] = phi;
  q[4] = atan2(st, A[8]);
  q[5] = atan2(-cf * A[1] - sf * A[4], cf * A[0] + sf * A[3]);
}

static double regular(const double *q) { return fabs(sin(q[4])); }

static const tn_coordinate coordinates[] = {
    {"x", "vx", TN_LENGTH},        {"y", "vy", TN_LENGTH},    {"z", "vz", TN_LENGTH}, {"phi", "dphi", TN_ANGLE},
    {"theta", "dtheta", TN_ANGLE}, {"psi", "dpsi", TN_ANGLE}, {NULL, NULL, TN_ANGLE}};

const tn_body_type tn_body_euler_angles = {
    .name = "euler-angles",
    .doc = "x, y, z of the frame origin and three angles about z, x, z (phi, theta, psi); singular where the body's z "
           "axis is along the world's",
    .example =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'top': { 'mass': 0.5, 'inertia': [0.0012, 0.0012, 0.002], 'center': [0, 0, 0.05], 'euler': { "
        "'zxz': [0, 0.5, 0] }, 'coordinates': 'euler-angles' } },\n"
        "'joints': { 'tip': { 'type': 'spherical', 'between': ['ground', 'top'], 'at': [0, 0, 0] } },\n"
        "'start': { 'top.dpsi': 60 },\n"
        "'outputs': { 'precession': 'top.phi', 'nutation': 'top.theta' },\n"
        "'run': { 'until': 3 }",
    .oriented = true,
    .space = {.nq = 6,
              .nu = 6,
              .coordinates = coordinates,
              .motion = motion,
              .from_pose = from_pose,
              .regular = regular,
              .remedy = "use \"quaternion\" coordinates, or turn the body's own axes so that its z axis stays "
                        "away from the world's z"},
};
