/* rows in space that joints have in common. rows act on twists [v0 w0 v1 w1]; a turns with frame 0, b with frame 1.
 *   (1) point  C = d            row [-1 0 1 0];  gamma = 0
 *   (2) along  C = a'd          Cdot = a'(v1 - v0) + (w0 x a)'d: row [-a' (a x d)' a' 0]
 *              gamma = -((w0 x (w0 x a))'d + 2 (w0 x a)'(v1 - v0))
 *   (3) dot    C = a'b          Cdot = (w0 x a)'b + a'(w1 x b): row [0 (a x b)' 0 (b x a)']
 *              gamma = -(b'(w0 x (w0 x a)) + a'(w1 x (w1 x b)) + 2 (w0 x a)'(w1 x b))
 *   (4) angle  phi, the turn about z0 that is left when the smallest turn from z0 to z1 is taken off. with the quaternion e
 *              of frame 1 in frame 0, phi = 2 atan2(e3, e0), so that
 *                tan phi = (y0'x1 - x0'y1)/(x0'x1 + y0'y1)
 *              on a common axis the angle of rotation, off it regular to all z1 but -z0, and 0 for frames that differ by a
 *              smallest turn. edot = (0, w)*e/2, w = w1 - w0, gives
 *                phidot = h'w,  h = (z0 + z1)/(1 + k),  k = z0'z1,  kdot = (z1 x z0)'w:  row [0 -h' 0 h']
 *              (w0 x z0 + w1 x z1)'w = -(z0 + z1)'(w0 x w1), so gamma = -hdot'w = h'(w0 x w1) + h'w kdot/(1 + k)
 * on bodies that stretch (tn_frame3) the axes a, b are those of A with their length, adot = w x a + ds a; (4) takes unit vectors:
 *   (5) along  ds0 has a'd in addition, ds1 nothing;  dot  ds0 and ds1 have a'b each;  point  nothing at its frames
 *   (6) in gamma of (2) and (3) adot as above and addot = w x (w x a) + 2 ds w x a + ds^2 a; what ds0 adds is in J (a0, al0, ds0) */
#include "joint/joint.h"

double tn_along3(const tn_frame3 *f, const double a[3]) {
  double d[3];
  tn_sub3(f[1].r, f[0].r, d);
  return tn_dot3(a, d);
}

void tn_along3_row(const tn_frame3 *f, const double a[3], double J[12]) {
  double d[3];
  tn_sub3(f[1].r, f[0].r, d);
  tn_cross3(a, d, J + 3);
  for (int i = 0; i < 3; i++) {
    J[i] = -a[i];
    J[6 + i] = a[i];
    J[9 + i] = 0;
  }
}

double tn_along3_gamma(const tn_frame3 *f, const double a[3]) {
  double d[3], dv[3], adot[3], addot[3];
  tn_sub3(f[1].r, f[0].r, d);
  tn_sub3(f[1].v, f[0].v, dv);
  tn_cross3(f[0].w, a, adot);
  tn_cross3(f[0].w, adot, addot);
  return -tn_dot3(addot, d) - 2 * tn_dot3(adot, dv);
}

void tn_dot3_row(const double a[3], const double b[3], double J[12]) {
  memset(J, 0, 12 * sizeof *J);
  tn_cross3(a, b, J + 3);
  tn_cross3(b, a, J + 9);
}

double tn_dot3_gamma(const tn_frame3 *f, const double a[3], const double b[3]) {
  double adot[3], addot[3], bdot[3], bddot[3];
  tn_cross3(f[0].w, a, adot);
  tn_cross3(f[0].w, adot, addot);
  tn_cross3(f[1].w, b, bdot);
  tn_cross3(f[1].w, bdot, bddot);
  return -(tn_dot3(b, addot) + tn_dot3(a, bddot) + 2 * tn_dot3(adot, bdot));
}

void tn_rows3_position(const tn_row3 *list, const tn_frame3 *f, double *C) {
  double a[3], b[3];
  for (; list->kind != TN_ROWS_END; list++) {
    if (list->kind == TN_ROWS_POINT) {
      tn_sub3(f[1].r, f[0].r, C);
      C += 3;
      continue;
    }
    tn_axis3(f[0].A, list->a, a);
    tn_axis3(f[1].A, list->b, b);
    *C++ = list->kind == TN_ROW_ALONG ? tn_along3(f, a) : tn_dot3(a, b);
  }
}

void tn_rows3_on_twists(const tn_row3 *list, const tn_frame3 *f, double *J) {
  double a[3], b[3];
  for (; list->kind != TN_ROWS_END; list++) {
    if (list->kind == TN_ROWS_POINT) {
      memset(J, 0, 36 * sizeof *J);
      for (int i = 0; i < 3; i++) {
        J[12 * i + i] = -1;
        J[12 * i + 6 + i] = 1;
      }
      J += 36;
      continue;
    }
    tn_axis3(f[0].A, list->a, a);
    tn_axis3(f[1].A, list->b, b);
    if (list->kind == TN_ROW_ALONG)
      tn_along3_row(f, a, J);
    else
      tn_dot3_row(a, b, J);
    J += 12;
  }
}

/* of an axis that stretches, when udot = 0 */
static void axis_rates(const tn_frame3 *f, const double a[3], double adot[3], double addot[3]) {
  tn_cross3(f->w, a, adot);
  tn_cross3(f->w, adot, addot);
  tn_axpy3(2 * f->ds, adot, addot);
  tn_axpy3(f->ds * f->ds, a, addot);
  tn_axpy3(f->ds, a, adot);
}

/* (5), (6) */
static double stretched_gamma(const tn_row3 *row, const tn_frame3 *f, const double a[3], const double b[3]) {
  double adot[3], addot[3], bdot[3], bddot[3], d[3], dv[3];
  axis_rates(&f[0], a, adot, addot);
  if (row->kind == TN_ROW_ALONG) {
    tn_sub3(f[1].r, f[0].r, d);
    tn_sub3(f[1].v, f[0].v, dv);
    return -tn_dot3(addot, d) - 2 * tn_dot3(adot, dv);
  }
  axis_rates(&f[1], b, bdot, bddot);
  return -(tn_dot3(b, addot) + tn_dot3(a, bddot) + 2 * tn_dot3(adot, bdot));
}

void tn_rows3_stretch(const tn_row3 *list, const tn_frame3 *f, double *E) {
  double a[3], b[3];
  for (; list->kind != TN_ROWS_END; list++) {
    if (list->kind == TN_ROWS_POINT) {
      for (int i = 0; i < 6; i++) *E++ = 0;
      continue;
    }
    tn_axis3(f[0].A, list->a, a);
    tn_axis3(f[1].A, list->b, b);
    *E++ = list->kind == TN_ROW_ALONG ? tn_along3(f, a) : tn_dot3(a, b);
    *E++ = list->kind == TN_ROW_ALONG ? 0 : tn_dot3(a, b);
  }
}

void tn_rows3_rates(const tn_row3 *list, const tn_frame3 *f, double *Ct, double *gamma) {
  double a[3], b[3];
  for (; list->kind != TN_ROWS_END; list++) {
    if (list->kind == TN_ROWS_POINT) {
      for (int i = 0; i < 3; i++) *Ct++ = *gamma++ = 0;
      continue;
    }
    tn_axis3(f[0].A, list->a, a);
    tn_axis3(f[1].A, list->b, b);
    *Ct++ = 0;
    if (f[0].ds != 0 || f[1].ds != 0)
      *gamma++ = stretched_gamma(list, f, a, b);
    else
      *gamma++ = list->kind == TN_ROW_ALONG ? tn_along3_gamma(f, a) : tn_dot3_gamma(f, a, b);
  }
}

void tn_joint3_position(const tn_joint3 *type, const void *self, const double *memory, double t, const tn_frame3 *f,
                        double *C) {
  if (type->list)
    tn_rows3_position(type->list, f, C);
  else
    type->position(self, memory, t, f, C);
}

void tn_joint3_rows(const tn_joint3 *type, const void *self, double t, const tn_frame3 *f, double *J) {
  if (type->list)
    tn_rows3_on_twists(type->list, f, J);
  else
    type->rows_on_twists(self, t, f, J);
}

void tn_joint3_rates(const tn_joint3 *type, const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  if (type->list)
    tn_rows3_rates(type->list, f, Ct, gamma);
  else
    type->rates(self, t, f, Ct, gamma);
}

double tn_angle3(const tn_frame3 *f) {
  double R[9];
  tn_t_product3(f[0].A, f[1].A, R);
  return atan2(R[3] - R[1], R[0] + R[4]);
}

/* h, kdot and 1 + k of (4) */
static void angle_axis(const tn_frame3 *f, double h[3], double *kdot, double *k1) {
  double z0[3], z1[3], w[3];
  tn_unit_axis3(&f[0], 2, z0);
  tn_unit_axis3(&f[1], 2, z1);
  tn_sub3(f[1].w, f[0].w, w);
  *kdot = tn_triple3(w, z1, z0);
  *k1 = 1 + tn_dot3(z0, z1);
  for (int i = 0; i < 3; i++) h[i] = (z0[i] + z1[i]) / *k1;
}

void tn_angle3_row(const tn_frame3 *f, double J[12]) {
  double h[3], kdot, k1;
  angle_axis(f, h, &kdot, &k1);
  tn_turn3_row(h, J);
}

double tn_angle3_gamma(const tn_frame3 *f) {
  double h[3], w[3], kdot, k1;
  angle_axis(f, h, &kdot, &k1);
  tn_sub3(f[1].w, f[0].w, w);
  return tn_triple3(h, f[0].w, f[1].w) + tn_dot3(h, w) * kdot / k1;
}

void tn_angle3_accept(const void *self, const tn_frame3 *f, double *memory) {
  (void)self;
  memory[0] = tn_unwrap(tn_angle3(f), memory[0]);
}

void tn_turn3_row(const double g[3], double J[12]) {
  for (int i = 0; i < 3; i++) {
    J[i] = J[6 + i] = 0;
    J[3 + i] = -g[i];
    J[9 + i] = g[i];
  }
}

void tn_motion3_none(tn_motion3 *m) {
  memset(m, 0, sizeof *m);
  tn_identity3(m->A);
}

void tn_motion3_turn(tn_motion3 *m, double angle) {
  static const double z[3] = {0, 0, 1};
  tn_rotation_about3(z, angle, m->A);
}

double tn_side_axis(const void *self, const tn_frame3 *f) {
  double z[2][3];
  (void)self;
  for (int k = 0; k < 2; k++) tn_axis3(f[k].A, 2, z[k]);
  return tn_dot3(z[0], z[1]);
}

/* of the angle between z of the two, whatever their length */
static double cosine(const tn_frame3 *f) {
  double z[2][3];
  for (int k = 0; k < 2; k++) tn_unit_axis3(&f[k], 2, z[k]);
  return tn_dot3(z[0], z[1]);
}

double tn_regular_axis(const void *self, const tn_frame3 *f) {
  (void)self;
  return (1 + cosine(f)) / 2;
}

double tn_regular_across(const void *self, const tn_frame3 *f) {
  const double k = cosine(f);
  (void)self;
  return 1 - k * k;
}

double tn_side_axes(const void *self, const tn_frame3 *f) {
  double least = 1;
  (void)self;
  for (int i = 0; i < 3; i++) {
    double e[2][3];
    for (int k = 0; k < 2; k++) tn_axis3(f[k].A, i, e[k]);
    least = fmin(least, tn_dot3(e[0], e[1]));
  }
  return least;
}
