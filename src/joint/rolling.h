/* rolling: bodies that touch at a point which is fixed in neither, and rows on how they move past one another there.
 * shared by the wheels on a plane, the knife-edge, gear and rack; derivation in rolling.c */
#ifndef TN_ROLLING_H
#define TN_ROLLING_H

#include "joint/joint.h"

/* the point P where frames 0 and 1 touch, a direction e there of any length, and their rates; world axes */
typedef struct tn_touch2 {
  double P[2], Pdot[2], e[2], edot[2];
} tn_touch2;

typedef struct tn_touch3 {
  double P[3], Pdot[3], e[3], edot[3];
} tn_touch3;

/* the row on the twists of frames 0 and 1 (6 numbers, 12 in space), and its gamma */
void tn_touch_row2(const tn_frame2 *f, const tn_touch2 *k, double *J);
double tn_touch_gamma2(const tn_frame2 *f, const tn_touch2 *k);
void tn_touch_row3(const tn_frame3 *f, const tn_touch3 *k, double *J);
double tn_touch_gamma3(const tn_frame3 *f, const tn_touch3 *k);

/* P and e fixed in a carrier: P_c, e_c are their components along its axes, from its origin */
void tn_touch_fix2(const tn_frame2 *c, const double P[2], const double e[2], double P_c[2], double e_c[2]);
void tn_touch_carried2(const tn_frame2 *c, const double P_c[2], const double e_c[2], tn_touch2 *k);
void tn_touch_fix3(const tn_frame3 *c, const double P[3], const double e[3], double P_c[3], double e_c[3]);
void tn_touch_carried3(const tn_frame3 *c, const double P_c[3], const double e_c[3], tn_touch3 *k);

/* turn of a wheel against its carrier about the wheel's z, within half a turn of zero; B: its axes at the turn 0, in
 * those of the carrier */
double tn_touch_turn3(const tn_frame3 *wheel, const tn_frame3 *c, const double B[9]);

/* a wheel on the plane normal to z of frame 0: contact and no slip. what all of them share is the first member of their structs;
 * `lowest` gives rho = P - r1 and its rate. h is where the plane lies along the normal from the origin of frame 0 */
typedef struct tn_wheel {
  void (*lowest)(const void *self, const tn_frame3 *f, double rho[3], double rhodot[3]);
  double h;
} tn_wheel;

double tn_wheel_height(const tn_frame3 *f, const double rho[3]); /* of P over the origin of frame 0 */
/* with `at` the plane passes through the lowest point at the given pose, with `on_bodies` through the origin of frame 0. key: the field
 * of its radii, of which the smallest must not be zero beside the largest and the bodies */
tn_status tn_wheel_init(tn_wheel *j, tn_context *ctx, const tn_frame3 *f, const char *key, double smallest,
                        double largest);
void tn_wheel_position(const void *self, const double *memory, double t, const tn_frame3 *f, double *C);
void tn_wheel_rows(const void *self, double t, const tn_frame3 *f, double *J);
void tn_wheel_rates(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma);
void tn_wheel_contact(const void *self, const tn_frame3 *f, double c[3]);

/* `marks`: the plane where the wheel touches it; adds one */
int tn_wheel_floor(const void *self, const tn_frame3 *f, tn_mark *mark);

#endif
