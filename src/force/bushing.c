/* bushing: two bodies held to each other at a place, by springs and dampers along and about its axes; a stiffness matrix couples
 * them.
 *   (1) xi = (d, phi), d = A0'(r1 - r0), phi the rotation vector of A0'A1; in the plane phi = angle1 - angle0, which counts turns
 *   (2) V = xi'K xi / 2;  g = K xi + D xidot, power -xidot'D xidot
 *   (3) ddot = A0'(v1 - v0 - w0 x (r1 - r0)),  phidot = J A0'(w1 - w0), J the inverse of the left Jacobian of the exponential,
 *       J = 1 - [phi]/2 + b [phi]^2, b = (1 - (a/2) cot(a/2)) / a^2, a = |phi|
 *   (4) with F = A0 g_d and T = A0 J'g_phi, by (3):  w1 = (-F, -T), w0 = (F, T + (r1 - r0) x F)
 * so that the wrenches are -dV/dx and the power of the damping is that of (2), however far the two are apart or turned. where they
 * are turned by half a turn from each other, phi changes sign: the torque is that of the shorter way. */
#include "force/force.h"

typedef struct bushing {
  double K[36], D[36]; /* 3 x 3 in the plane, 6 x 6 in space */
} bushing;

/* (2); the gradient g */
static void gradient(const bushing *p, int n, const double *xi, const double *rate, double *g, tn_force_out *out) {
  for (int i = 0; i < n; i++) {
    double elastic = 0, viscous = 0;
    for (int j = 0; j < n; j++) {
      elastic += p->K[i * n + j] * xi[j];
      viscous += p->D[i * n + j] * rate[j];
    }
    g[i] = elastic + viscous;
    out->energy += 0.5 * elastic * xi[i];
    out->dissipated += viscous * rate[i];
  }
  out->dissipated = fmax(out->dissipated, 0); /* a sum of terms of either sign */
  out->power = -out->dissipated;
}

static void plane(const void *self, const tn_force_in *in, tn_force_out *out) {
  const tn_frame2 *a = &in->f[0], *b = &in->f[1];
  const double r[2] = {b->r[0] - a->r[0], b->r[1] - a->r[1]};
  const double v[2] = {b->v[0] - a->v[0] + a->w * r[1], b->v[1] - a->v[1] - a->w * r[0]};
  const double xi[3] = {a->c * r[0] + a->s * r[1], -a->s * r[0] + a->c * r[1], b->angle - a->angle};
  const double rate[3] = {a->c * v[0] + a->s * v[1], -a->s * v[0] + a->c * v[1], b->w - a->w};
  double g[3];
  gradient(self, 3, xi, rate, g, out);
  const double F[2] = {a->c * g[0] - a->s * g[1], a->s * g[0] + a->c * g[1]};
  out->w[0] = F[0];
  out->w[1] = F[1];
  out->w[2] = g[2] + r[0] * F[1] - r[1] * F[0];
  out->w[3] = -F[0];
  out->w[4] = -F[1];
  out->w[5] = -g[2];
}

/* J x of (3), or J'x: the same with phi turned round */
static void inverse_jacobian(const double phi[3], bool transposed, const double x[3], double y[3]) {
  const double square = tn_dot3(phi, phi), a = sqrt(square), sign = transposed ? 0.5 : -0.5;
  const double b = a > 0.02 ? (1 - a / 2 / tan(a / 2)) / square : 1.0 / 12 + square / 720 + square * square / 30240;
  double once[3], twice[3];
  tn_cross3(phi, x, once);
  tn_cross3(phi, once, twice);
  for (int i = 0; i < 3; i++) y[i] = x[i] + sign * once[i] + b * twice[i];
}

static void space(const void *self, const tn_force_in *in, tn_force_out *out) {
  const tn_frame3 *a = &in->f3[0], *b = &in->f3[1];
  double r[3], v[3], w[3], w_0[3], x[3], A[9], xi[6], rate[6], g[6];
  tn_sub3(b->r, a->r, r);
  tn_unturn3(a->A, r, xi);
  tn_t_product3(a->A, b->A, A);
  tn_rotation_vector3(A, xi + 3);
  tn_sub3(b->v, a->v, v);
  tn_cross3(a->w, r, x);
  tn_axpy3(-1, x, v);
  tn_unturn3(a->A, v, rate);
  tn_sub3(b->w, a->w, w);
  tn_unturn3(a->A, w, w_0);
  inverse_jacobian(xi + 3, false, w_0, rate + 3);
  gradient(self, 6, xi, rate, g, out);
  inverse_jacobian(xi + 3, true, g + 3, x);
  tn_turn3(a->A, g, out->w);
  tn_turn3(a->A, x, out->w + 3);
  for (int i = 0; i < 6; i++) out->w[6 + i] = -out->w[i];
  tn_cross3(r, out->w, x);
  tn_axpy3(1, x, out->w + 3);
}

/* (1 + cos |phi|)/2: at half a turn phi changes sign */
static double regular(const void *self, const tn_force_in *in) {
  double A[9];
  (void)self;
  if (!in->f3) return 1;
  tn_t_product3(in->f3[0].A, in->f3[1].A, A);
  return fmax(0, (1 + A[0] + A[4] + A[8]) / 4);
}

static const tn_field fields[] = {
    {.key = "stiffness",
     .unit = "N/m, N and N m/rad",
     .doc = "along its axes and then about them, in the plane 3 numbers, in space 6; or a symmetric matrix",
     .kind = TN_MATRIX,
     .offset = offsetof(bushing, K),
     .required = true},
    {.key = "damping",
     .unit = "N s/m, N s and N m s/rad",
     .doc = "likewise, none if left out",
     .kind = TN_MATRIX,
     .offset = offsetof(bushing, D)},
    {.key = NULL}};

const tn_force_type tn_force_bushing = {
    .name = "bushing",
    .doc = "springs and dampers along and about the axes of a place that two bodies share",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'engine': { 'mass': 80, 'inertia': 3, 'position': [0, 0.2] } },\n"
               "'forces': { 'left': { 'type': 'bushing', 'between': ['ground', 'engine'], 'at': [-0.4, 0], "
               "'stiffness': [2e4, 5e4, 100], 'damping': [50, 100, 1] },\n"
               "  'right': { 'type': 'bushing', 'between': ['ground', 'engine'], 'at': [0.4, 0], "
               "'stiffness': [2e4, 5e4, 100], 'damping': [50, 100, 1] } },\n"
               "'outputs': { 'y': 'engine.y', 'angle': 'engine.angle', 'stored': 'left.energy' }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'axle': { 'mass': 30, 'inertia': [2, 0.5, 2.2], 'position': [0.5, 0, 0] } },\n"
        "'forces': { 'mount': { 'type': 'bushing', 'between': ['ground', 'axle'], 'at': [0, 0, 0], "
        "'stiffness': [1e5, 1e5, 2e4, 500, 500, 200], 'damping': [100, 100, 40, 1, 1, 0.5], 'axis': 'y' } },\n"
        "'outputs': { 'at': 'position(axle)', 'stored': 'mount.energy' },\n"
        "'run': { 'until': 0.5 }",
    .takes = TN_BETWEEN | TN_SHARED,
    .size = sizeof(bushing),
    .fields = fields,
    .plane = plane,
    .space = space,
    .regular = regular,
};
