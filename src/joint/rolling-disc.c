/* rolling-disc: a disc with a sharp rim rolls on a plane without slipping. n = z of frame 0, axle a = z of frame 1.
 *   (1) lowest point of the rim: rho = -r m,  m = p/|p|,  p = n - (n'a) a,  r the radius
 *   (2) C = n'd - r |p| - h: since n'm = |p| this is n'(d + rho) - h. h is where the plane lies along n from the origin
 *       of frame 0: with `at` such that C = 0 at the given pose, with `on_bodies` 0
 *   (3) rhodot = -r (pdot - (m'pdot) m)/|p|,  pdot = ndot - (ndot'a + n'adot) a - (n'a) adot,
 *       ndot = w0 x n, adot = w1 x a
 *   (4) rows and gamma of contact and no slip from rho, rhodot: (5), (2), (3) of rolling.c
 * a disc that lies flat, p = 0, has no lowest point: at the given pose it is refused, later the rows come out as
 * not-a-number and the run stops there */
#include "joint/rolling.h"

typedef struct disc {
  tn_wheel wheel;
  double radius;
} disc;

static void lowest(const void *self, const tn_frame3 *f, double rho[3], double rhodot[3]) {
  const disc *j = self;
  double n[3], a[3], ndot[3], adot[3], p[3], pdot[3];
  tn_axis3(f[0].A, 2, n);
  tn_axis3(f[1].A, 2, a);
  tn_cross3(f[0].w, n, ndot);
  tn_cross3(f[1].w, a, adot);
  const double na = tn_dot3(n, a), nadot = tn_dot3(ndot, a) + tn_dot3(n, adot);
  for (int i = 0; i < 3; i++) {
    p[i] = n[i] - na * a[i];
    pdot[i] = ndot[i] - nadot * a[i] - na * adot[i];
  }
  const double size = tn_norm3(p), l = size < TN_GIVEN_DIRECTION ? NAN : size, along = tn_dot3(p, pdot) / (l * l);
  for (int i = 0; i < 3; i++) {
    rho[i] = -j->radius * p[i] / l;                        /* (1) */
    rhodot[i] = -j->radius * (pdot[i] - along * p[i]) / l; /* (3) */
  }
}

static tn_status init(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  disc *j = self;
  double n[3], a[3], p[3];
  (void)frames, (void)masses;
  tn_axis3(f[0].A, 2, n);
  tn_axis3(f[1].A, 2, a);
  tn_cross3(n, a, p);
  if (tn_norm3(p) < TN_GIVEN_DIRECTION)
    return tn_context_fail(ctx, "axis", "the disc lies flat on the plane: its rim has no lowest point");
  j->wheel.lowest = lowest;
  return tn_wheel_init(&j->wheel, ctx, f, "radius", j->radius, j->radius);
}

static int marks(const void *self, const tn_frame3 *f, tn_mark *mark) {
  const disc *j = self;
  mark->kind = TN_MARK_WHEEL;
  mark->frame = 1;
  mark->radius = j->radius;
  tn_axis3(f[1].A, 2, mark->axis);
  memcpy(mark->at, f[1].r, sizeof mark->at);
  return 1 + tn_wheel_floor(self, f, mark + 1);
}

static const tn_field fields[] = {{.key = "radius",
                                   .unit = "m",
                                   .doc = "of the rim",
                                   .offset = offsetof(disc, radius),
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY,
                                   .required = true},
                                  {.key = NULL}};

const tn_joint_type tn_joint_rolling_disc = {
    .name = "rolling-disc",
    .doc =
        "a disc with a sharp rim, its axle along `axis`, rolls without slipping on a plane of the first body; `at` is "
        "its centre, and the plane is where the rim is at its lowest",
    .example =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'wheel': { 'mass': 2, 'inertia': [0.02, 0.04, 0.02], 'position': [0, 0, 0.2] } },\n"
        "'joints': { 'floor': { 'type': 'rolling-disc', 'between': ['ground', 'wheel'], 'at': 'wheel', 'axis': 'y', "
        "'radius': 0.2 } },\n"
        "'start': { 'wheel.wy': 5, 'wheel.vx': 1, 'wheel.wx': 0.3, 'wheel.vy': -0.06 },\n"
        "'outputs': { 'x': 'floor.cx', 'y': 'floor.cy', 'height': 'wheel.z', 'load': 'floor.fz' },\n"
        "'run': { 'until': 5 }",
    .symbol = TN_SYM_WHEEL,
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .size = sizeof(disc),
    .fields = fields,
    .space = {.there = true,
              .regular = tn_regular_across,
              .frames = TN_AXES_BLADE,
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
