/* screw in space: the axis z in common, and a shift along it for every turn. rows and the angle in space.c
 *   (1) C[0..3] = x0'd, y0'd, x0'z1, y0'z1
 *   (2) C[4] = z0'd - shift0 - h angle     h = pitch/2 pi, angle with its turns, shift0 = z0'd of the given pose
 *       row and gamma of z0'd less h times those of the angle
 *   (3) coordinate angle
 *   (4) motion: d = (shift0 + h angle) z0, A = Rz(angle), S = [h z0 z0] */
#include "joint/joint.h"

typedef struct screw {
  double pitch, h, shift0;
} screw;

static const tn_row3 list[] = {
    {TN_ROW_ALONG, 0, 0}, {TN_ROW_ALONG, 1, 0}, {TN_ROW_DOT, 0, 2}, {TN_ROW_DOT, 1, 2}, {TN_ROWS_END, 0, 0}};

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  screw *j = self;
  double z0[3];
  (void)frames, (void)masses;
  tn_axis3(f[0].A, 2, z0);
  j->shift0 = tn_along3(f, z0);
  j->h = j->pitch / 6.283185307179586;
  /* least/1e-12 is the size of the bodies: beyond 1e12 of it roundoff of the angle moves them by more than they resolve */
  const double least = tn_context_least_length(ctx, 0);
  if (least > 0 && least < tn_context_least_length(ctx, TN_RESOLVED * j->pitch))
    return tn_context_fail(ctx, "pitch", "the pitch is infinite beside the bodies, %.3g m: use a prismatic", j->pitch);
  return TN_OK;
}

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  const screw *j = self;
  double z0[3];
  (void)t;
  tn_rows3_position(list, f, C);
  tn_unit_axis3(f, 2, z0);
  C[4] = tn_along3(f, z0) - j->shift0 - j->h * tn_unwrap(tn_angle3(f), memory[0]);
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) {
  const screw *j = self;
  double z0[3], turn[12];
  (void)t;
  tn_rows3_on_twists(list, f, J);
  tn_unit_axis3(f, 2, z0);
  tn_along3_row(f, z0, J + 48);
  tn_angle3_row(f, turn);
  for (int i = 0; i < 12; i++) J[48 + i] -= j->h * turn[i];
}

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  double z0[3];
  (void)t;
  tn_rows3_rates(list, f, Ct, gamma);
  tn_unit_axis3(f, 2, z0);
  Ct[4] = 0;
  gamma[4] = tn_along3_gamma(f, z0) - ((const screw *)self)->h * tn_angle3_gamma(f);
}

/* z0 of (2) is of length 1 */
static bool stretch3(const void *self, const tn_frame3 *f, double *E) {
  (void)self;
  tn_rows3_stretch(list, f, E);
  E[8] = E[9] = 0;
  return true;
}

static void measure3(const void *self, const double *memory, const tn_frame3 *f, double *value, double *J,
                     double *gamma) {
  (void)self;
  value[0] = tn_unwrap(tn_angle3(f), memory[0]);
  tn_angle3_row(f, J);
  gamma[0] = tn_angle3_gamma(f);
}

static void motion3(const void *self, const double *q, const double *u, tn_motion3 *m) {
  const screw *j = self;
  (void)u;
  tn_motion3_none(m);
  tn_motion3_turn(m, q[0]);
  m->d[2] = j->shift0 + j->h * q[0];
  m->S[2] = j->h;
  m->S[5] = 1;
}

static const tn_coordinate coordinates[] = {{"angle", "rate", TN_ANGLE}, {NULL, NULL, TN_ANGLE}};

static const tn_field fields[] = {{.key = "pitch",
                                   .unit = "m",
                                   .doc = "way along the axis in a turn, positive for a right-handed thread",
                                   .offset = offsetof(screw, pitch),
                                   .required = true},
                                  {.key = NULL}};

const tn_joint_type tn_joint_screw = {
    .name = "screw",
    .doc = "a thread: the second body turns about `axis`, fixed in the first, and moves along it by `pitch` in a turn",
    .example = "'gravity': [0, 0, -9.81],\n"
               "'bodies': { 'nut': { 'mass': 0.5, 'inertia': [0.0001, 0.0001, 0.00015], 'position': [0, 0, 1] } },\n"
               "'joints': { 'thread': { 'type': 'screw', 'between': ['ground', 'nut'], 'at': 'nut', 'axis': 'z', "
               "'pitch': 0.1 } },\n"
               "'outputs': { 'angle': 'thread.angle', 'height': 'nut.z' }",
    .symbol = TN_SYM_SLIDE,
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .coordinates = coordinates,
    .size = sizeof(screw),
    .fields = fields,
    .space = {.side = tn_side_axis,
              .regular = tn_regular_axis,
              .there = true,
              .frames = TN_AXES_AXIS,
              .marks = tn_marks_block3,
              .rows = 5,
              .unit = {TN_LENGTH, TN_LENGTH, TN_ANGLE, TN_ANGLE, TN_LENGTH},
              .axes = 1,
              .memory = 1,
              .init = init3,
              .position = position3,
              .rows_on_twists = rows3,
              .rates = rates3,
              .stretch = stretch3,
              .measure = measure3,
              .motion = motion3,
              .accept = tn_angle3_accept},
};
