/* Rotations: Rodrigues' formula, and the best conditioned quaternion of a matrix (Shepperd 1978). */
#include "base/space.h"

#include "base/base.h"

/* 1: sine of the angle between two directions that are one. below it, digits of their difference are roundoff */
static const double PARALLEL = 1e-14;
/* 1: what a hint for the x axis has to have across z to be followed */
static const double TOWARDS_LEAST = 1e-9;
/* rad: below, two terms of the series of sin(x)/x have an error below roundoff */
static const double SMALL_HALF_ANGLE = 1e-4;
/* 1: sine of half an angle below which the angle is twice the sine to roundoff */
static const double SMALL_SINE = 1e-8;

static const double TURN = 6.283185307179586;

void tn_identity3(double A[9]) {
  for (int i = 0; i < 9; i++) A[i] = i % 4 == 0;
}

void tn_rotation_about3(const double e[3], double angle, double A[9]) {
  const double c = cos(angle), s = sin(angle), k = 1 - c;
  A[0] = c + k * e[0] * e[0];
  A[1] = k * e[0] * e[1] - s * e[2];
  A[2] = k * e[0] * e[2] + s * e[1];
  A[3] = k * e[1] * e[0] + s * e[2];
  A[4] = c + k * e[1] * e[1];
  A[5] = k * e[1] * e[2] - s * e[0];
  A[6] = k * e[2] * e[0] - s * e[1];
  A[7] = k * e[2] * e[1] + s * e[0];
  A[8] = c + k * e[2] * e[2];
}

/* the world axis that is least along z, made normal to it */
static void any_normal(const double z[3], double x[3]) {
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(z[i]) < fabs(z[least])) least = i;
  for (int i = 0; i < 3; i++) x[i] = (i == least) - z[least] * z[i];
  const double n = tn_norm3(x);
  for (int i = 0; i < 3; i++) x[i] /= n;
}

/* x made normal to z again, and of length 1 */
static void square(const double z[3], double x[3]) {
  const double k = tn_dot3(x, z);
  tn_axpy3(-k, z, x);
  const double n = tn_norm3(x);
  for (int i = 0; i < 3; i++) x[i] /= n;
}

/* in the basis a, m, n = a x m with m the direction of b across a: (c, s) turns a into b, n stays. b = c a + s m to the last digit
 * however close the two are to opposite */
void tn_rotation_to3(const double a[3], const double b[3], double A[9]) {
  const double c = tn_dot3(a, b);
  double m[3], n[3];
  for (int i = 0; i < 3; i++) m[i] = b[i] - c * a[i];
  const double s = tn_norm3(m);
  if (s < PARALLEL) {
    if (c > 0) {
      tn_identity3(A);
      return;
    }
    any_normal(a, m);
  } else {
    for (int i = 0; i < 3; i++) m[i] /= s;
    square(a, m);
  }
  tn_cross3(a, m, n);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      A[3 * i + k] = (c * a[i] + s * m[i]) * a[k] + (c * m[i] - s * a[i]) * m[k] + n[i] * n[k];
}

void tn_frame_along3(const double z[3], const double *towards, double A[9]) {
  double x[3] = {0, 0, 0}, y[3];
  if (towards) {
    const double k = tn_dot3(towards, z);
    for (int i = 0; i < 3; i++) x[i] = towards[i] - k * z[i];
  }
  const double n = tn_norm3(x);
  if (n > TOWARDS_LEAST) {
    for (int i = 0; i < 3; i++) x[i] /= n;
    square(z, x);
  } else {
    any_normal(z, x);
  }
  tn_cross3(z, x, y);
  for (int i = 0; i < 3; i++) {
    A[3 * i] = x[i];
    A[3 * i + 1] = y[i];
    A[3 * i + 2] = z[i];
  }
}

void tn_quaternion_rotation(const double e[4], double A[9]) {
  const double k = 2 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  const double w = e[0], x = e[1], y = e[2], z = e[3];
  A[0] = 1 - k * (y * y + z * z);
  A[1] = k * (x * y - w * z);
  A[2] = k * (x * z + w * y);
  A[3] = k * (x * y + w * z);
  A[4] = 1 - k * (x * x + z * z);
  A[5] = k * (y * z - w * x);
  A[6] = k * (x * z - w * y);
  A[7] = k * (y * z + w * x);
  A[8] = 1 - k * (x * x + y * y);
}

void tn_rotation_quaternion(const double A[9], double e[4]) {
  const double d[4] = {A[0] + A[4] + A[8], A[0], A[4], A[8]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (d[i] > d[k]) k = i;
  if (k == 0) {
    e[0] = 1 + d[0];
    e[1] = A[7] - A[5];
    e[2] = A[2] - A[6];
    e[3] = A[3] - A[1];
  } else {
    const int i = k - 1, j = (i + 1) % 3, l = (i + 2) % 3;
    e[0] = A[3 * l + j] - A[3 * j + l];
    e[1 + i] = 1 + A[4 * i] - A[4 * j] - A[4 * l];
    e[1 + j] = A[3 * j + i] + A[3 * i + j];
    e[1 + l] = A[3 * l + i] + A[3 * i + l];
  }
  double n = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  if (e[0] < 0) n = -n;
  for (int i = 0; i < 4; i++) e[i] /= n;
}

void tn_quaternion_product(const double a[4], const double b[4], double c[4]) {
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

void tn_quaternion_add(double e[4], const double s[3]) {
  const double half = 0.5 * tn_norm3(s), k = half > SMALL_HALF_ANGLE ? sin(half) / (2 * half) : 0.5 - half * half / 12;
  const double turn[4] = {cos(half), k * s[0], k * s[1], k * s[2]};
  double c[4];
  tn_quaternion_product(turn, e, c);
  const double n = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
  for (int i = 0; i < 4; i++) e[i] = c[i] / n;
}

void tn_rotation_vector3(const double A[9], double s[3]) {
  double e[4];
  tn_rotation_quaternion(A, e);
  const double n = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3]), angle = 2 * atan2(n, e[0]);
  const double k = n > SMALL_SINE ? angle / n : 2;
  for (int i = 0; i < 3; i++) s[i] = k * e[1 + i];
}

double tn_unwrap(double angle, double last) { return angle + TURN * round((last - angle) / TURN); }
