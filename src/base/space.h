/* vectors, rotations and quaternions in space. matrices are 3 x 3, row major; a rotation A takes components along the axes of a
 * frame to those along the world's, its columns are the axes. quaternions are (w, x, y, z). all results may not alias inputs. */
#ifndef TN_SPACE_H
#define TN_SPACE_H

#include <math.h>
#include <string.h>

static inline double tn_dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline double tn_norm3(const double a[3]) { return sqrt(tn_dot3(a, a)); }
static inline void tn_cross3(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
/* a'(b x c) */
static inline double tn_triple3(const double a[3], const double b[3], const double c[3]) {
  double x[3];
  tn_cross3(b, c, x);
  return tn_dot3(a, x);
}
/* a x (b x c) */
static inline void tn_cross_twice3(const double a[3], const double b[3], const double c[3], double out[3]) {
  double x[3];
  tn_cross3(b, c, x);
  tn_cross3(a, x, out);
}
static inline void tn_sub3(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}
/* c += k a */
static inline void tn_axpy3(double k, const double a[3], double c[3]) {
  for (int i = 0; i < 3; i++) c[i] += k * a[i];
}
static inline void tn_axis3(const double A[9], int k, double e[3]) { /* column k: an axis of the frame */
  e[0] = A[k];
  e[1] = A[3 + k];
  e[2] = A[6 + k];
}
static inline void tn_turn3(const double A[9], const double x[3], double y[3]) { /* A x */
  for (int i = 0; i < 3; i++) y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}
static inline void tn_unturn3(const double A[9], const double x[3], double y[3]) { /* A' x */
  for (int i = 0; i < 3; i++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}
static inline void tn_product3(const double A[9], const double B[9], double C[9]) { /* A B */
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) C[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
}
static inline void tn_product_t3(const double A[9], const double B[9], double C[9]) { /* A B' */
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) C[3 * i + k] = tn_dot3(A + 3 * i, B + 3 * k);
}
static inline void tn_t_product3(const double A[9], const double B[9], double C[9]) { /* A' B */
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) C[3 * i + k] = A[i] * B[k] + A[3 + i] * B[3 + k] + A[6 + i] * B[6 + k];
}

void tn_identity3(double A[9]);
/* turn by an angle about a unit vector */
void tn_rotation_about3(const double e[3], double angle, double A[9]);
/* the smallest turn that takes unit vector a to unit vector b; opposite ones: half a turn about any normal */
void tn_rotation_to3(const double a[3], const double b[3], double A[9]);
/* a frame with z along the unit vector, x near `towards` (NULL, or along z: any) */
void tn_frame_along3(const double z[3], const double *towards, double A[9]);
/* of e/|e| */
void tn_quaternion_rotation(const double e[4], double A[9]);
/* unit, w >= 0 */
void tn_rotation_quaternion(const double A[9], double e[4]);
void tn_quaternion_product(const double a[4], const double b[4], double c[4]);
/* the turn by |s| about s (world axes) after that of e; the result has length 1 */
void tn_quaternion_add(double e[4], const double s[3]);
/* the rotation vector of A: axis times angle, |.| <= pi */
void tn_rotation_vector3(const double A[9], double s[3]);
/* an angle without its turns, moved to within half a turn of the last */
double tn_unwrap(double angle, double last);

#endif
