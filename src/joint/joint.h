/* joint: what a joint forbids (C, rows on twists, gamma) and what it allows (coordinates, motion). one file a joint.
 * notation of the derivations in the plane: d = r1 - r0; x, n the axes of frame 0 (c, s), (-s, c); k x (a, b) = (-b, a).
 * frames move with dx/dt = w0 n, dn/dt = -w0 x.
 * in space: d = r1 - r0; x0 y0 z0, x1 y1 z1 the axes of the frames, numbers 0 1 2; d/dt x0 = w0 x x0. */
#ifndef TN_JOINT_H
#define TN_JOINT_H

#include "base/base.h"
#include "tenon/extend.h"

/* ---- in the plane: line.c ------------------------------------------------------------------------------------------- */

/* the row n'd = 0 shared by prismatic and point-on-line: point 1 stays on the x axis of frame 0 */
double tn_line_position(const tn_frame2 *f);
void tn_line_row(const tn_frame2 *f, double J[6]);
double tn_line_gamma(const tn_frame2 *f);

/* the row angle1 - angle0 = 0 */
void tn_angle_row(double J[6]);

/* ---- in space: space.c ---------------------------------------------------------------------------------------------- */

/* joints that are lists of rows, tn_row3 */
void tn_rows3_position(const tn_row3 *list, const tn_frame3 *f, double *C);
void tn_rows3_on_twists(const tn_row3 *list, const tn_frame3 *f, double *J); /* rows x 12 */
void tn_rows3_rates(const tn_row3 *list, const tn_frame3 *f, double *Ct, double *gamma);
void tn_rows3_stretch(const tn_row3 *list, const tn_frame3 *f, double *E); /* rows x 2 */

/* of bodies that stretch: the axis k of a frame, of length 1, and its rotation */
static inline void tn_unit_axis3(const tn_frame3 *f, int k, double e[3]) {
  tn_axis3(f->A, k, e);
  for (int i = 0; i < 3 && f->stretch != 0; i++) e[i] /= 1 + f->stretch;
}
static inline void tn_rotation3(const tn_frame3 *f, double R[9]) {
  for (int i = 0; i < 9; i++) R[i] = f->stretch != 0 ? f->A[i] / (1 + f->stretch) : f->A[i];
}

/* those of a joint in space, by its list or its functions */
void tn_joint3_position(const tn_joint3 *type, const void *self, const double *memory, double t, const tn_frame3 *f,
                        double *C);
void tn_joint3_rows(const tn_joint3 *type, const void *self, double t, const tn_frame3 *f, double *J);
void tn_joint3_rates(const tn_joint3 *type, const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma);

/* single ones, for rows that are sums and for coordinates; a, b unit vectors that turn with frame 0 and frame 1 */
double tn_along3(const tn_frame3 *f, const double a[3]);
void tn_along3_row(const tn_frame3 *f, const double a[3], double J[12]);
double tn_along3_gamma(const tn_frame3 *f, const double a[3]);
void tn_dot3_row(const double a[3], const double b[3], double J[12]);
double tn_dot3_gamma(const tn_frame3 *f, const double a[3], const double b[3]);

/* the angle by which frame 1 is turned against frame 0 about z, within half a turn */
double tn_angle3(const tn_frame3 *f);
void tn_angle3_row(const tn_frame3 *f, double J[12]);
double tn_angle3_gamma(const tn_frame3 *f);
void tn_angle3_accept(const void *self, const tn_frame3 *f, double *memory); /* memory[0] follows it */

/* [0 -g' 0 g'] */
void tn_turn3_row(const double g[3], double J[12]);
/* no displacement, no axes, no bias */
void tn_motion3_none(tn_motion3 *m);
/* turned by an angle about z */
void tn_motion3_turn(tn_motion3 *m, double angle);

/* which way round a joint is: z of both the same way; all axes */
double tn_side_axis(const void *self, const tn_frame3 *f);
double tn_side_axes(const void *self, const tn_frame3 *f);

/* `regular`: 0 where z of the two are opposite, where they are parallel or opposite */
double tn_regular_axis(const void *self, const tn_frame3 *f);
double tn_regular_across(const void *self, const tn_frame3 *f);

/* ---- what is seen: marks.c ------------------------------------------------------------------------------------------ */

/* a rail on frame 0, along x in the plane and z in space, and on frame 1 a block or roller that runs on it */
int tn_marks_block2(const void *self, const tn_frame2 *f, tn_mark *mark);
int tn_marks_block3(const void *self, const tn_frame3 *f, tn_mark *mark);
int tn_marks_roller2(const void *self, const tn_frame2 *f, tn_mark *mark);
int tn_marks_roller3(const void *self, const tn_frame3 *f, tn_mark *mark);
/* the plane through frame 0 normal to its z */
int tn_marks_floor3(const void *self, const tn_frame3 *f, tn_mark *mark);

#endif
