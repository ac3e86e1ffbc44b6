/* joint: what a joint forbids (C, rows on twists, gamma) and what it allows (coordinates, motion). one file a joint.
 * notation of the derivations: d = r1 - r0; x, n the axes of frame 0 (c, s), (-s, c); k x (a, b) = (-b, a).
 * frames move with dx/dt = w0 n, dn/dt = -w0 x. */
#ifndef TN_JOINT_H
#define TN_JOINT_H

#include "base/base.h"
#include "tenon/extend.h"

/* the row n'd = 0 shared by prismatic and point-on-line: point 1 stays on the x axis of frame 0 */
double tn_line_position(const tn_frame2 *f);
void tn_line_row(const tn_frame2 *f, double J[6]);
double tn_line_gamma(const tn_frame2 *f);

/* the row angle1 - angle0 = 0 */
void tn_angle_row(double J[6]);

#endif
