/* prismatic in the plane: point 1 slides on the x axis of frame 0, without turning.
 *   (1) C[0] = n'd            row and gamma in line.c
 *   (2) C[1] = angle1 - angle0
 *   (3) coordinate shift = x'd - shift0, shift0 that of the given pose
 *       d/dt x'd = x'(v1 - v0) + w0 n'd: row [-x' n'd x' 0]
 *       d2/dt2 = x'(a1 - a0) + al0 n'd + 2 w0 n'(v1 - v0) - w0^2 x'd, so gamma = -2 w0 n'(v1 - v0) + w0^2 x'd
 *   (4) motion: d = (shift + shift0) x, S = [1 0 0]
 * in space: point 1 slides on the z axis of frame 0, without turning. rows in space.c
 *   (5) C = x0'd, y0'd, x0'y1, y0'z1, z0'x1
 *   (6) coordinate shift = z0'd - shift0
 *   (7) motion: d = (shift + shift0) z0, A = 1, S = [z0 0] */
#include "joint/joint.h"

typedef struct prismatic {
  double shift0;
} prismatic;

static double along(const tn_frame2 *f) { return f[0].c * (f[1].r[0] - f[0].r[0]) + f[0].s * (f[1].r[1] - f[0].r[1]); }

static tn_status init(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  (void)ctx, (void)frames, (void)masses;
  ((prismatic *)self)->shift0 = along(f);
  return TN_OK;
}

static void position(const void *self, double t, const tn_frame2 *f, double *C) {
  (void)self, (void)t;
  C[0] = tn_line_position(f);
  C[1] = f[1].angle - f[0].angle;
}

static void rows(const void *self, double t, const tn_frame2 *f, double *J) {
  (void)self, (void)t;
  tn_line_row(f, J);
  tn_angle_row(J + 6);
}

static void rates(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  (void)self, (void)t;
  Ct[0] = Ct[1] = gamma[1] = 0;
  gamma[0] = tn_line_gamma(f);
}

static void measure(const void *self, const tn_frame2 *f, double *value, double *J, double *gamma) {
  const double c = f[0].c, s = f[0].s, w = f[0].w, xd = along(f);
  const double vn = -s * (f[1].v[0] - f[0].v[0]) + c * (f[1].v[1] - f[0].v[1]);
  value[0] = xd - ((const prismatic *)self)->shift0;
  J[0] = -c;
  J[1] = -s;
  J[2] = tn_line_position(f);
  J[3] = c;
  J[4] = s;
  J[5] = 0;
  gamma[0] = -2 * w * vn + w * w * xd;
}

static void motion(const void *self, const double *q, double d[2], double *angle, double *S) {
  d[0] = q[0] + ((const prismatic *)self)->shift0;
  d[1] = 0;
  *angle = 0;
  S[0] = 1;
  S[1] = S[2] = 0;
}

static const tn_row3 list[] = {{TN_ROW_ALONG, 0, 0}, {TN_ROW_ALONG, 1, 0}, {TN_ROW_DOT, 0, 1},
                               {TN_ROW_DOT, 1, 2},   {TN_ROW_DOT, 2, 0},   {TN_ROWS_END, 0, 0}};

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  double z0[3];
  (void)ctx, (void)frames, (void)masses;
  tn_axis3(f[0].A, 2, z0);
  ((prismatic *)self)->shift0 = tn_along3(f, z0);
  return TN_OK;
}

static void measure3(const void *self, const double *memory, const tn_frame3 *f, double *value, double *J,
                     double *gamma) {
  double z0[3];
  (void)memory;
  tn_unit_axis3(f, 2, z0);
  value[0] = tn_along3(f, z0) - ((const prismatic *)self)->shift0;
  tn_along3_row(f, z0, J);
  gamma[0] = tn_along3_gamma(f, z0);
}

static void motion3(const void *self, const double *q, const double *u, tn_motion3 *m) {
  (void)u;
  tn_motion3_none(m);
  m->d[2] = q[0] + ((const prismatic *)self)->shift0;
  m->S[2] = 1;
}

static const tn_coordinate coordinates[] = {{"shift", "speed", TN_LENGTH}, {NULL, NULL, TN_LENGTH}};

const tn_joint_type tn_joint_prismatic = {
    .name = "prismatic",
    .doc = "a slider: the second body moves along `axis`, fixed in the first, without turning",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'block': { 'mass': 2, 'inertia': 0.01, 'angle': '-30*deg' } },\n"
               "'joints': { 'slope': { 'type': 'prismatic', 'between': ['ground', 'block'], 'at': 'block', 'axis': "
               "['cos(30*deg)', '-sin(30*deg)'] } },\n"
               "'outputs': { 'way': 'slope.shift', 'speed': 'slope.speed' }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'block': { 'mass': 2, 'inertia': [0.01, 0.01, 0.01], 'position': [0, 0, 1] } },\n"
        "'joints': { 'slope': { 'type': 'prismatic', 'between': ['ground', 'block'], 'at': 'block', 'axis': "
        "['cos(30*deg)', 0, '-sin(30*deg)'] } },\n"
        "'outputs': { 'way': 'slope.shift', 'height': 'block.z' }",
    .symbol = TN_SYM_SLIDE,
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .coordinates = coordinates,
    .size = sizeof(prismatic),
    .plane = {.there = true,
              .has_axis = true,
              .marks = tn_marks_block2,
              .rows = 2,
              .unit = {TN_LENGTH, TN_ANGLE},
              .axes = 1,
              .init = init,
              .position = position,
              .rows_on_twists = rows,
              .rates = rates,
              .measure = measure,
              .motion = motion},
    .space = {.side = tn_side_axes,
              .there = true,
              .frames = TN_AXES_AXIS,
              .marks = tn_marks_block3,
              .list = list,
              .rows = 5,
              .unit = {TN_LENGTH, TN_LENGTH, TN_ANGLE, TN_ANGLE, TN_ANGLE},
              .axes = 1,
              .init = init3,
              .measure = measure3,
              .motion = motion3},
};
