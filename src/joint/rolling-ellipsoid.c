/* rolling-ellipsoid: an ellipsoid rolls on a plane without slipping. n = z of frame 0; semi-axes s_i along the axes of
 * frame 1, which are those of its body.
 *   (1) surface sum (x_i/s_i)^2 = 1 in axes of frame 1, lowest where x_i/s_i^2 ~ -b_i with b = A1'n:
 *       rho_b = -D b/k,  D = diag(s_i^2),  k = sqrt(b'D b);  rho = A1 rho_b = -Q n/sqrt(n'Q n), Q = A1 D A1'
 *   (2) C = n'd - k - h, since n'rho = -k. h is where the plane lies along n from the origin of frame 0: with `at` such
 *       that C = 0 at the given pose, with `on_bodies` 0
 *   (3) bdot = A1'((w0 - w1) x n),  kdot = b'D bdot/k,  rhodot = A1 (-D bdot/k + D b kdot/k^2) + w1 x rho
 *   (4) rows and gamma of contact and no slip from rho, rhodot: (5), (2), (3) of rolling.c */
#include "joint/rolling.h"

typedef struct ellipsoid {
  tn_wheel wheel;
  double s[3];
} ellipsoid;

static void lowest(const void *self, const tn_frame3 *f, double rho[3], double rhodot[3]) {
  const ellipsoid *j = self;
  double n[3], w[3], wn[3], b[3], bdot[3], rho_b[3], rhodot_b[3], turned[3], k2 = 0, kkdot = 0;
  tn_axis3(f[0].A, 2, n);
  tn_sub3(f[0].w, f[1].w, w);
  tn_cross3(w, n, wn);
  tn_unturn3(f[1].A, n, b);
  tn_unturn3(f[1].A, wn, bdot);
  for (int i = 0; i < 3; i++) {
    k2 += j->s[i] * j->s[i] * b[i] * b[i];
    kkdot += j->s[i] * j->s[i] * b[i] * bdot[i];
  }
  const double k = sqrt(k2);
  for (int i = 0; i < 3; i++) {
    rho_b[i] = -j->s[i] * j->s[i] * b[i] / k;                             /* (1) */
    rhodot_b[i] = -j->s[i] * j->s[i] * (bdot[i] - b[i] * kkdot / k2) / k; /* (3) */
  }
  tn_turn3(f[1].A, rho_b, rho);
  tn_turn3(f[1].A, rhodot_b, rhodot);
  tn_cross3(f[1].w, rho, turned);
  tn_axpy3(1, turned, rhodot);
}

static tn_status init(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  ellipsoid *j = self;
  (void)frames, (void)masses;
  j->wheel.lowest = lowest;
  return tn_wheel_init(&j->wheel, ctx, f, "semi_axes", fmin(fmin(j->s[0], j->s[1]), j->s[2]),
                       fmax(fmax(j->s[0], j->s[1]), j->s[2]));
}

static int marks(const void *self, const tn_frame3 *f, tn_mark *mark) {
  const ellipsoid *j = self;
  mark->kind = TN_MARK_BALL;
  mark->frame = 1;
  memcpy(mark->size, j->s, sizeof mark->size);
  memcpy(mark->at, f[1].r, sizeof mark->at);
  return 1 + tn_wheel_floor(self, f, mark + 1);
}

static const tn_field fields[] = {{.key = "semi_axes",
                                   .unit = "m",
                                   .doc = "half the lengths of its axes, along x, y and z of the second body",
                                   .kind = TN_VECTOR,
                                   .n = 3,
                                   .offset = offsetof(ellipsoid, s),
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY,
                                   .required = true},
                                  {.key = NULL}};

const tn_joint_type tn_joint_rolling_ellipsoid = {
    .name = "rolling-ellipsoid",
    .doc = "an ellipsoid along the axes of the second body rolls without slipping on a plane of the first; `at` is its "
           "centre, and the plane is where it is at its lowest",
    .example = "'gravity': [0, 0, -9.81],\n"
               "'bodies': { 'egg': { 'mass': 0.5, 'inertia': [5e-4, 8.9e-4, 8.9e-4], 'position': [0, 0, 0.06], "
               "'axis_angle': ['y', 0.4] } },\n"
               "'joints': { 'table': { 'type': 'rolling-ellipsoid', 'between': ['ground', 'egg'], 'at': 'egg', "
               "'semi_axes': [0.08, 0.05, 0.05] } },\n"
               "'outputs': { 'x': 'egg.x', 'height': 'egg.z', 'contact': 'table.cx', 'load': 'table.fz' },\n"
               "'run': { 'until': 2 }",
    .symbol = TN_SYM_WHEEL,
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .size = sizeof(ellipsoid),
    .fields = fields,
    .space = {.there = true,
              .frames = TN_AXES_FLOOR,
              .rows = 1,
              .rows_velocity_only = 2,
              .unit = {TN_LENGTH, TN_LENGTH, TN_LENGTH},
              .axes = -1,
              .init = init,
              .position = tn_wheel_position,
              .rows_on_twists = tn_wheel_rows,
              .rates = tn_wheel_rates,
              .contact = tn_wheel_contact,
              .marks = marks},
};
