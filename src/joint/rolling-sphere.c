/* rolling-sphere: a ball rolls on a plane without slipping; it may spin on the spot. n = z of frame 0, radius r.
 *   (1) lowest point: rho = -r n,  rhodot = -r w0 x n
 *   (2) C = n'd - r - h. h is where the plane lies along n from the origin of frame 0: with `at` such that C = 0 at the
 *       given pose, with `on_bodies` 0
 *   (3) rows and gamma of contact and no slip from rho, rhodot: (5), (2), (3) of rolling.c */
#include "joint/rolling.h"

typedef struct ball {
  tn_wheel wheel;
  double radius;
} ball;

static void lowest(const void *self, const tn_frame3 *f, double rho[3], double rhodot[3]) {
  const ball *j = self;
  double n[3], ndot[3];
  tn_axis3(f[0].A, 2, n);
  tn_cross3(f[0].w, n, ndot);
  for (int i = 0; i < 3; i++) { /* (1) */
    rho[i] = -j->radius * n[i];
    rhodot[i] = -j->radius * ndot[i];
  }
}

static tn_status init(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  ball *j = self;
  (void)frames, (void)masses;
  j->wheel.lowest = lowest;
  return tn_wheel_init(&j->wheel, ctx, f, "radius", j->radius, j->radius);
}

static int marks(const void *self, const tn_frame3 *f, tn_mark *mark) {
  const ball *j = self;
  mark->kind = TN_MARK_BALL;
  mark->frame = 1;
  for (int i = 0; i < 3; i++) mark->size[i] = j->radius;
  memcpy(mark->at, f[1].r, sizeof mark->at);
  return 1 + tn_wheel_floor(self, f, mark + 1);
}

static const tn_field fields[] = {{.key = "radius",
                                   .unit = "m",
                                   .doc = "of the ball",
                                   .offset = offsetof(ball, radius),
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY,
                                   .required = true},
                                  {.key = NULL}};

const tn_joint_type tn_joint_rolling_sphere = {
    .name = "rolling-sphere",
    .doc = "a ball rolls without slipping on a plane of the first body; `at` is its centre, and the plane touches it "
           "there",
    .example = "'gravity': [0, 0, -9.81],\n"
               "'bodies': {\n"
               "  'table': { 'mass': 20, 'inertia': [5, 5, 10] },\n"
               "  'ball': { 'mass': 0.5, 'inertia': [0.002, 0.002, 0.002], 'position': [0.3, 0, 0.1] }\n"
               "},\n"
               "'joints': {\n"
               "  'spindle': { 'type': 'revolute', 'between': ['ground', 'table'], 'at': [0, 0, 0], 'axis': 'z' },\n"
               "  'top': { 'type': 'rolling-sphere', 'between': ['table', 'ball'], 'at': 'ball', 'radius': 0.1 }\n"
               "},\n"
               "'start': { 'table.wz': 2, 'ball.vy': 0.3, 'ball.wx': 3 },\n"
               "'outputs': { 'x': 'top.cx', 'y': 'top.cy', 'spin': 'table.wz' },\n"
               "'run': { 'until': 11 }",
    .symbol = TN_SYM_WHEEL,
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .size = sizeof(ball),
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
