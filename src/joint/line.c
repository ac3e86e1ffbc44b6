/* the row that keeps point 1 on the x axis of frame 0.
 *   (1) C    = n'd
 *   (2) Cdot = n'(v1 - v0) - w0 x'd
 *   (3) row on twists [v0 w0 v1 w1]: [-n' -x'd n' 0]
 *   (4) Cddot = n'(a1 - a0) - al0 x'd - 2 w0 x'(v1 - v0) - w0^2 n'd, so gamma = 2 w0 x'(v1 - v0) + w0^2 n'd */
#include "joint/joint.h"

double tn_line_position(const tn_frame2 *f) {
  return -f[0].s * (f[1].r[0] - f[0].r[0]) + f[0].c * (f[1].r[1] - f[0].r[1]);
}

void tn_line_row(const tn_frame2 *f, double J[6]) {
  const double c = f[0].c, s = f[0].s;
  J[0] = s;
  J[1] = -c;
  J[2] = -(c * (f[1].r[0] - f[0].r[0]) + s * (f[1].r[1] - f[0].r[1]));
  J[3] = -s;
  J[4] = c;
  J[5] = 0;
}

double tn_line_gamma(const tn_frame2 *f) {
  const double c = f[0].c, s = f[0].s, w = f[0].w;
  const double vx = c * (f[1].v[0] - f[0].v[0]) + s * (f[1].v[1] - f[0].v[1]);
  return 2 * w * vx + w * w * tn_line_position(f);
}

void tn_angle_row(double J[6]) {
  memset(J, 0, 6 * sizeof *J);
  J[2] = -1;
  J[5] = 1;
}
