/* knife-edge: a blade, a skate: its point moves only along the way it glides.
 * in the plane, x1, n1 the axes of frame 1:
 *   (1) n1'(v1 - v0 - w0 k x d) = 0: (2) of rolling.c with P = r1, Pdot = v1, e = n1, edot = -w1 x1
 *   (2) row [-n1' -x1'd n1' 0];  gamma = (w0 + w1) x1'(v1 - v0) + w0 w1 n1'd. nothing is said of positions
 * in space, n = z of frame 0, g = z of frame 1, the way it glides:
 *   (3) C = n'd: the point stays in the plane through the place;  (2) of rolling.c with P = r1, e = n, edot = w0 x n
 *   (4) b'(v1 - v0 - w0 x d) = 0:  the same with e = b = p/|p|, p = n x g;
 *       edot = (pdot - (b'pdot) b)/|p|,  pdot = (w0 x n) x g + n x (w1 x g)
 * a blade normal to the plane, p = 0, glides nowhere: at the given pose it is refused, later the row comes out as
 * not-a-number and the run stops there */
#include "joint/rolling.h"

static void touch2(const tn_frame2 *f, tn_touch2 *k) { /* (1) */
  for (int i = 0; i < 2; i++) {
    k->P[i] = f[1].r[i];
    k->Pdot[i] = f[1].v[i];
  }
  k->e[0] = -f[1].s;
  k->e[1] = f[1].c;
  k->edot[0] = -f[1].w * f[1].c;
  k->edot[1] = -f[1].w * f[1].s;
}

static void position2(const void *self, double t, const tn_frame2 *f, double *C) {
  (void)self, (void)t, (void)f, (void)C;
}

static void rows2(const void *self, double t, const tn_frame2 *f, double *J) {
  tn_touch2 k;
  (void)self, (void)t;
  touch2(f, &k);
  tn_touch_row2(f, &k, J);
}

static void rates2(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  tn_touch2 k;
  (void)self, (void)t;
  touch2(f, &k);
  Ct[0] = 0;
  gamma[0] = tn_touch_gamma2(f, &k);
}

static void contact2(const void *self, const tn_frame2 *f, double c[2]) {
  (void)self;
  for (int i = 0; i < 2; i++) c[i] = f[1].r[i];
}

/* what holds the blade in the plane, and what across */
static void touch3(const tn_frame3 *f, tn_touch3 *in, tn_touch3 *across) {
  double g[3], gdot[3], p[3], pdot[3], other[3];
  for (int i = 0; i < 3; i++) {
    in->P[i] = across->P[i] = f[1].r[i];
    in->Pdot[i] = across->Pdot[i] = f[1].v[i];
  }
  tn_axis3(f[0].A, 2, in->e); /* (3) */
  tn_cross3(f[0].w, in->e, in->edot);
  tn_axis3(f[1].A, 2, g); /* (4) */
  tn_cross3(f[1].w, g, gdot);
  tn_cross3(in->e, g, p);
  tn_cross3(in->edot, g, pdot);
  tn_cross3(in->e, gdot, other);
  tn_axpy3(1, other, pdot);
  const double l = tn_norm3(p), along = tn_dot3(p, pdot) / (l * l);
  for (int i = 0; i < 3; i++) {
    across->e[i] = p[i] / l;
    across->edot[i] = (pdot[i] - along * p[i]) / l;
  }
}

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  double n[3], g[3], p[3];
  (void)self, (void)frames, (void)masses;
  tn_axis3(f[0].A, 2, n);
  tn_axis3(f[1].A, 2, g);
  tn_cross3(n, g, p);
  if (tn_norm3(p) < TN_GIVEN_DIRECTION)
    return tn_context_fail(ctx, "axis", "the blade is normal to the plane: it has no way to glide");
  return TN_OK;
}

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  const double zero[3] = {0, 0, 0};
  (void)self, (void)memory, (void)t;
  C[0] = tn_wheel_height(f, zero);
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) {
  tn_touch3 in, across;
  (void)self, (void)t;
  touch3(f, &in, &across);
  tn_touch_row3(f, &in, J);
  tn_touch_row3(f, &across, J + 12);
}

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  tn_touch3 in, across;
  (void)self, (void)t;
  touch3(f, &in, &across);
  Ct[0] = Ct[1] = 0;
  gamma[0] = tn_touch_gamma3(f, &in);
  gamma[1] = tn_touch_gamma3(f, &across);
}

static void contact3(const void *self, const tn_frame3 *f, double c[3]) {
  (void)self;
  for (int i = 0; i < 3; i++) c[i] = f[1].r[i];
}

static int marks2(const void *self, const tn_frame2 *f, tn_mark *mark) {
  (void)self;
  mark->kind = TN_MARK_BLADE;
  mark->frame = 1;
  mark->at[0] = f[1].r[0], mark->at[1] = f[1].r[1];
  mark->axis[0] = f[1].c, mark->axis[1] = f[1].s;
  mark->toward[2] = 1;
  return 1;
}

static int marks3(const void *self, const tn_frame3 *f, tn_mark *mark) {
  (void)self;
  mark->kind = TN_MARK_BLADE;
  mark->frame = 1;
  memcpy(mark->at, f[1].r, sizeof mark->at);
  tn_axis3(f[1].A, 2, mark->axis);
  tn_axis3(f[0].A, 2, mark->toward);
  mark[1].kind = TN_MARK_FLOOR;
  memcpy(mark[1].at, f[1].r, sizeof mark->at);
  memcpy(mark[1].axis, mark->toward, sizeof mark->axis);
  return 2;
}

const tn_joint_type tn_joint_knife_edge = {
    .name = "knife-edge",
    .doc =
        "a blade of the second body at the place moves past the first only along `axis`, which is fixed in the second; "
        "in space it stays in a plane of the first",
    .example =
        "'bodies': { 'sled': { 'mass': 1, 'inertia': 0.1, 'center': [0.3, 0] } },\n"
        "'joints': { 'blade': { 'type': 'knife-edge', 'between': ['ground', 'sled'], 'at': [0, 0], 'axis': 'x' } },\n"
        "'start': { 'sled.vx': 1, 'sled.rate': 3 },\n"
        "'outputs': { 'x': 'blade.cx', 'y': 'blade.cy', 'across': 'norm(force(blade))' }",
    .example_space =
        "'gravity': [1.7, 0, -9.66],\n"
        "'bodies': { 'skate': { 'mass': 1, 'inertia': [0.02, 0.02, 0.01], 'center': [0.05, 0, -0.3] } },\n"
        "'joints': { 'blade': { 'type': 'knife-edge', 'between': ['ground', 'skate'], 'at': [0, 0, 0], 'normal': 'z', "
        "'axis': 'x' } },\n"
        "'start': { 'skate.vx': 1, 'skate.wz': 2 },\n"
        "'outputs': { 'x': 'blade.cx', 'y': 'blade.cy', 'across': 'norm(force(blade))' }",
    .symbol = TN_SYM_WHEEL,
    .seat = TN_SEAT_SHARED,
    .oriented = 3,
    .plane = {.there = true,
              .has_axis = true,
              .rows_velocity_only = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .position = position2,
              .rows_on_twists = rows2,
              .rates = rates2,
              .contact = contact2,
              .marks = marks2},
    .space = {.there = true,
              .regular = tn_regular_across,
              .frames = TN_AXES_BLADE,
              .rows = 1,
              .rows_velocity_only = 1,
              .unit = {TN_LENGTH, TN_LENGTH},
              .axes = -1,
              .init = init3,
              .position = position3,
              .rows_on_twists = rows3,
              .rates = rates3,
              .contact = contact3,
              .marks = marks3},
};
