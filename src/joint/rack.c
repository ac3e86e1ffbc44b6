/* rack: a pinion a (frame 0) turns on a carrier c (frame 2) and moves a straight rack b (frame 1). r the radius of the
 * pitch circle, axis z_a, direction t of the rack, normal to z_a and fixed in the carrier.
 *   (1) pitch point, fixed in the carrier: P = O_a + r t x z_a; there a turn W about z_a moves the pinion at W r t
 *   (2) t'(v_a(P) - v_b(P)) = 0,  v_k(P) = v_k + w_k x (P - r_k): (2) of rolling.c with e = -t, carried. it is 0 on the
 *       carrier's twist. with the pinion in a bearing and the rack in a guide on the carrier: r W = speed of the rack
 *   (3) form `position`: C = r phi - t'(r_b - r_c) + c0, phi the turn of the pinion against the carrier, C = 0 at the
 *       given pose. in bearing and guide Cdot is (2); off them it differs, and the row stays (2): the load is the same
 *       in both forms */
#include "joint/rolling.h"

typedef struct rack {
  double radius, direction[3];
  int form; /* 0 velocity, 1 position */
  double P_c[3], e_c[3];
  double c0;
  double angle; /* plane: of the pinion against the carrier at the given pose */
  double B[9];  /* space: axes of the pinion in those of the carrier then */
} rack;

static double along2(const tn_frame2 *f, const tn_touch2 *k) { /* t'(r_b - r_c) */
  return -k->e[0] * (f[1].r[0] - f[2].r[0]) - k->e[1] * (f[1].r[1] - f[2].r[1]);
}

static tn_status check_radius(const rack *j, tn_context *ctx) {
  if (j->radius > tn_context_least_length(ctx, 0)) return TN_OK;
  return tn_context_fail(ctx, "radius", "the radius is zero beside the bodies: the pinion cannot move the rack");
}

static tn_status init2(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  rack *j = self;
  tn_touch2 k;
  const double *t = j->direction, r = j->radius;
  const double P[2] = {f[0].r[0] + r * t[1], f[0].r[1] - r * t[0]}, e[2] = {-t[0], -t[1]}; /* (1), z_a = k */
  (void)frames, (void)masses;
  const tn_status status = check_radius(j, ctx);
  if (status != TN_OK) return status;
  tn_touch_fix2(&f[2], P, e, j->P_c, j->e_c);
  j->angle = f[0].angle - f[2].angle;
  tn_touch_carried2(&f[2], j->P_c, j->e_c, &k);
  j->c0 = along2(f, &k);
  return TN_OK;
}

static void units(const void *self, tn_unit *unit, int *rows, int *rows_velocity_only) {
  unit[0] = TN_LENGTH;
  *rows = ((const rack *)self)->form;
  *rows_velocity_only = 1 - *rows;
}

static void position2(const void *self, double t, const tn_frame2 *f, double *C) {
  const rack *j = self;
  tn_touch2 k;
  (void)t;
  if (!j->form) return;
  tn_touch_carried2(&f[2], j->P_c, j->e_c, &k);
  C[0] = j->radius * (f[0].angle - f[2].angle - j->angle) - along2(f, &k) + j->c0; /* (3) */
}

static void rows2(const void *self, double t, const tn_frame2 *f, double *J) {
  const rack *j = self;
  tn_touch2 k;
  (void)t;
  tn_touch_carried2(&f[2], j->P_c, j->e_c, &k);
  tn_touch_row2(f, &k, J);
  memset(J + 6, 0, 3 * sizeof *J);
}

static void rates2(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  const rack *j = self;
  tn_touch2 k;
  (void)t;
  tn_touch_carried2(&f[2], j->P_c, j->e_c, &k);
  Ct[0] = 0;
  gamma[0] = tn_touch_gamma2(f, &k);
}

static void contact2(const void *self, const tn_frame2 *f, double c[2]) {
  const rack *j = self;
  tn_touch2 k;
  tn_touch_carried2(&f[2], j->P_c, j->e_c, &k);
  for (int i = 0; i < 2; i++) c[i] = k.P[i];
}

static double along3(const tn_frame3 *f, const tn_touch3 *k) {
  double x[3];
  tn_sub3(f[1].r, f[2].r, x);
  return -tn_dot3(k->e, x);
}

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  rack *j = self;
  tn_touch3 k;
  double z[3], t[3], P[3], e[3];
  (void)frames, (void)masses;
  const tn_status status = check_radius(j, ctx);
  if (status != TN_OK) return status;
  tn_axis3(f[0].A, 2, z);
  const double skew = tn_dot3(j->direction, z);
  if (fabs(skew) > TN_GIVEN_DIRECTION)
    return tn_context_fail(ctx, "direction", "the direction of the rack must be normal to the axis of the pinion");
  /* without what is left along the axis, that (2) be exact */
  for (int i = 0; i < 3; i++) t[i] = j->direction[i] - skew * z[i];
  const double l = tn_norm3(t);
  for (int i = 0; i < 3; i++) t[i] /= l;
  tn_cross3(t, z, P);
  for (int i = 0; i < 3; i++) {
    P[i] = f[0].r[i] + j->radius * P[i]; /* (1) */
    e[i] = -t[i];
  }
  tn_touch_fix3(&f[2], P, e, j->P_c, j->e_c);
  tn_t_product3(f[2].A, f[0].A, j->B);
  tn_touch_carried3(&f[2], j->P_c, j->e_c, &k);
  j->c0 = along3(f, &k);
  return TN_OK;
}

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  const rack *j = self;
  tn_touch3 k;
  (void)t;
  if (!j->form) return;
  tn_touch_carried3(&f[2], j->P_c, j->e_c, &k);
  C[0] = j->radius * tn_unwrap(tn_touch_turn3(&f[0], &f[2], j->B), memory[0]) - along3(f, &k) + j->c0; /* (3) */
}

static void accept3(const void *self, const tn_frame3 *f, double *memory) {
  memory[0] = tn_unwrap(tn_touch_turn3(&f[0], &f[2], ((const rack *)self)->B), memory[0]);
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) {
  const rack *j = self;
  tn_touch3 k;
  (void)t;
  tn_touch_carried3(&f[2], j->P_c, j->e_c, &k);
  tn_touch_row3(f, &k, J);
  memset(J + 12, 0, 6 * sizeof *J);
}

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  const rack *j = self;
  tn_touch3 k;
  (void)t;
  tn_touch_carried3(&f[2], j->P_c, j->e_c, &k);
  Ct[0] = 0;
  gamma[0] = tn_touch_gamma3(f, &k);
}

static void contact3(const void *self, const tn_frame3 *f, double c[3]) {
  const rack *j = self;
  tn_touch3 k;
  tn_touch_carried3(&f[2], j->P_c, j->e_c, &k);
  memcpy(c, k.P, sizeof k.P);
}

static int pinion_and_bar(const rack *j, const double O[3], const double z[3], const double P[3], const double e[3],
                          tn_mark *mark) {
  for (int k = 0; k < 2; k++) {
    mark[k].kind = k ? TN_MARK_RACK : TN_MARK_WHEEL;
    mark[k].frame = k;
    mark[k].radius = j->radius;
    mark[k].teeth = -1;
  }
  for (int i = 0; i < 3; i++) {
    mark[0].at[i] = O[i];
    mark[0].axis[i] = z[i];
    mark[0].toward[i] = P[i] - O[i];
    mark[1].at[i] = P[i];
    mark[1].axis[i] = -e[i];
    mark[1].toward[i] = O[i] - P[i];
  }
  return 2;
}

static int marks2(const void *self, const tn_frame2 *f, tn_mark *mark) {
  const rack *j = self;
  tn_touch2 k;
  tn_touch_carried2(&f[2], j->P_c, j->e_c, &k);
  return pinion_and_bar(j, (double[3]){f[0].r[0], f[0].r[1], 0}, (double[3]){0, 0, 1}, (double[3]){k.P[0], k.P[1], 0},
                        (double[3]){k.e[0], k.e[1], 0}, mark);
}

static int marks3(const void *self, const tn_frame3 *f, tn_mark *mark) {
  const rack *j = self;
  double z[3];
  tn_touch3 k;
  tn_touch_carried3(&f[2], j->P_c, j->e_c, &k);
  tn_axis3(f[0].A, 2, z);
  return pinion_and_bar(j, f[0].r, z, k.P, k.e, mark);
}

static const tn_field fields[] = {{.key = "radius",
                                   .unit = "m",
                                   .doc = "of the pitch circle of the pinion",
                                   .offset = offsetof(rack, radius),
                                   .lo = TN_POSITIVE,
                                   .hi = INFINITY,
                                   .required = true},
                                  {.key = "direction",
                                   .doc = "the way the rack moves when the pinion turns forward, fixed in the carrier; "
                                          "it tells on which side of the pinion the rack is",
                                   .kind = TN_DIRECTION,
                                   .offset = offsetof(rack, direction),
                                   .required = true},
                                  {.key = "form",
                                   .doc = "whether the row is on speeds, or on angle and way too",
                                   .kind = TN_WORD,
                                   .offset = offsetof(rack, form),
                                   .choices = "velocity position"},
                                  {.key = NULL}};

const tn_joint_type tn_joint_rack = {
    .name = "rack",
    .doc = "a pinion that turns on the carrier moves a straight rack along `direction`",
    .example = "'bodies': {\n"
               "  'pinion': { 'mass': 1, 'inertia': 0.002 },\n"
               "  'bar': { 'mass': 2, 'inertia': 0.05, 'position': [0, -0.05] }\n"
               "},\n"
               "'joints': {\n"
               "  'axle': { 'type': 'revolute', 'between': ['ground', 'pinion'], 'at': 'pinion' },\n"
               "  'guide': { 'type': 'prismatic', 'between': ['ground', 'bar'], 'at': 'bar', 'axis': 'x' },\n"
               "  'mesh': { 'type': 'rack', 'between': ['pinion', 'bar'], 'radius': 0.05, 'direction': 'x' }\n"
               "},\n"
               "'forces': { 'motor': { 'type': 'torque', 'on': 'axle.angle', 'value': 0.1 } },\n"
               "'outputs': { 'turn': 'axle.angle', 'way': 'guide.shift', 'tooth': 'norm(force(mesh))' }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': {\n"
        "  'pinion': { 'mass': 1, 'inertia': [0.002, 0.0015, 0.0015] },\n"
        "  'bar': { 'mass': 2, 'inertia': [0.05, 0.05, 0.002], 'position': [0, 0.05, 0] }\n"
        "},\n"
        "'joints': {\n"
        "  'axle': { 'type': 'revolute', 'between': ['ground', 'pinion'], 'at': 'pinion', 'axis': 'x' },\n"
        "  'guide': { 'type': 'prismatic', 'between': ['ground', 'bar'], 'at': 'bar', 'axis': 'z' },\n"
        "  'mesh': { 'type': 'rack', 'between': ['pinion', 'bar'], 'radius': 0.05, 'axis': 'x', 'direction': 'z' }\n"
        "},\n"
        "'outputs': { 'turn': 'axle.angle', 'way': 'guide.shift', 'tooth': 'norm(force(mesh))' }",
    .symbol = TN_SYM_WHEEL,
    .seat = TN_SEAT_MESH,
    .oriented = 7,
    .size = sizeof(rack),
    .fields = fields,
    .plane = {.there = true,
              .rows_velocity_only = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .init = init2,
              .units = units,
              .position = position2,
              .rows_on_twists = rows2,
              .rates = rates2,
              .contact = contact2,
              .marks = marks2},
    .space = {.there = true,
              .frames = TN_AXES_AXIS,
              .rows_velocity_only = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .memory = 1,
              .init = init3,
              .units = units,
              .position = position3,
              .rows_on_twists = rows3,
              .rates = rates3,
              .accept = accept3,
              .contact = contact3,
              .marks = marks3},
};
