/* rows on the velocity with which frame 1 moves past frame 0 at a point P that is fixed in neither of them.
 *   (1) c = v1 + w1 x rho1 - v0 - w0 x rho0,  rho_i = P - r_i: the material of 1 against that of 0 at P
 *   (2) the row e'c = 0 on twists [v0 w0 v1 w1]: [-e' -(rho0 x e)' e' (rho1 x e)'], equal and opposite forces at P
 *   (3) d/dt e'c = J (a, al) + edot'c + e'(w1 x rho1dot - w0 x rho0dot),  rho_idot = Pdot - v_i
 *       so gamma = -edot'c - e'(w1 x (Pdot - v1) - w0 x (Pdot - v0)), exact for any motion of P and e
 *   (4) P and e fixed in a carrier c: Pdot = v_c + w_c x (P - r_c), edot = w_c x e
 *   (5) a wheel on a plane, n = z of frame 0: P = r1 + rho, Pdot = v1 + rhodot, rho(n, A1) the lowest point of the
 *       wheel's surface S: n'rho = min n's over s in S. a minimum, so what rho moves along S does not change n'rho:
 *         d/dt n'rho = ndot'rho + n'(w1 x rho)                          (envelope)
 *         C = n'(d + rho) - h,  Cdot = ndot'(d + rho) + n'(v1 - v0 + w1 x rho) = n'c:  (2) with e = n is exactly dC
 *       no slip: (2) with e = x and y of frame 0. in all three edot = w0 x e */
#include "joint/rolling.h"

void tn_touch_row2(const tn_frame2 *f, const tn_touch2 *k, double *J) {
  for (int i = 0; i < 2; i++) { /* (2) */
    const double sign = i ? 1 : -1, rx = k->P[0] - f[i].r[0], ry = k->P[1] - f[i].r[1];
    J[3 * i] = sign * k->e[0];
    J[3 * i + 1] = sign * k->e[1];
    J[3 * i + 2] = sign * (rx * k->e[1] - ry * k->e[0]);
  }
}

double tn_touch_gamma2(const tn_frame2 *f, const tn_touch2 *k) {
  double gamma = 0;
  for (int i = 0; i < 2; i++) { /* (3) */
    const double sign = i ? 1 : -1, w = f[i].w;
    const double rx = k->P[0] - f[i].r[0], ry = k->P[1] - f[i].r[1];
    const double sx = k->Pdot[0] - f[i].v[0], sy = k->Pdot[1] - f[i].v[1];
    gamma -= sign * (k->edot[0] * (f[i].v[0] - w * ry) + k->edot[1] * (f[i].v[1] + w * rx));
    gamma -= sign * w * (k->e[1] * sx - k->e[0] * sy);
  }
  return gamma;
}

void tn_touch_row3(const tn_frame3 *f, const tn_touch3 *k, double *J) {
  for (int i = 0; i < 2; i++) { /* (2) */
    const double sign = i ? 1 : -1;
    double rho[3], m[3];
    tn_sub3(k->P, f[i].r, rho);
    tn_cross3(rho, k->e, m);
    for (int l = 0; l < 3; l++) {
      J[6 * i + l] = sign * k->e[l];
      J[6 * i + 3 + l] = sign * m[l];
    }
  }
}

double tn_touch_gamma3(const tn_frame3 *f, const tn_touch3 *k) {
  double gamma = 0;
  for (int i = 0; i < 2; i++) { /* (3) */
    const double sign = i ? 1 : -1;
    double rho[3], rhodot[3];
    tn_sub3(k->P, f[i].r, rho);
    tn_sub3(k->Pdot, f[i].v, rhodot);
    gamma -= sign * (tn_dot3(k->edot, f[i].v) + tn_triple3(k->edot, f[i].w, rho) + tn_triple3(k->e, f[i].w, rhodot));
  }
  return gamma;
}

void tn_touch_fix2(const tn_frame2 *c, const double P[2], const double e[2], double P_c[2], double e_c[2]) {
  const double x = P[0] - c->r[0], y = P[1] - c->r[1];
  P_c[0] = c->c * x + c->s * y;
  P_c[1] = -c->s * x + c->c * y;
  e_c[0] = c->c * e[0] + c->s * e[1];
  e_c[1] = -c->s * e[0] + c->c * e[1];
}

void tn_touch_carried2(const tn_frame2 *c, const double P_c[2], const double e_c[2], tn_touch2 *k) {
  const double x = c->c * P_c[0] - c->s * P_c[1], y = c->s * P_c[0] + c->c * P_c[1];
  k->P[0] = c->r[0] + x;
  k->P[1] = c->r[1] + y;
  k->Pdot[0] = c->v[0] - c->w * y; /* (4) */
  k->Pdot[1] = c->v[1] + c->w * x;
  k->e[0] = c->c * e_c[0] - c->s * e_c[1];
  k->e[1] = c->s * e_c[0] + c->c * e_c[1];
  k->edot[0] = -c->w * k->e[1];
  k->edot[1] = c->w * k->e[0];
}

void tn_touch_fix3(const tn_frame3 *c, const double P[3], const double e[3], double P_c[3], double e_c[3]) {
  double x[3];
  tn_sub3(P, c->r, x);
  tn_unturn3(c->A, x, P_c);
  tn_unturn3(c->A, e, e_c);
}

void tn_touch_carried3(const tn_frame3 *c, const double P_c[3], const double e_c[3], tn_touch3 *k) {
  double x[3];
  tn_turn3(c->A, P_c, x);
  tn_cross3(c->w, x, k->Pdot); /* (4) */
  for (int i = 0; i < 3; i++) {
    k->P[i] = c->r[i] + x[i];
    k->Pdot[i] += c->v[i];
  }
  tn_turn3(c->A, e_c, k->e);
  tn_cross3(c->w, k->e, k->edot);
}

double tn_touch_turn3(const tn_frame3 *wheel, const tn_frame3 *c, const double B[9]) {
  double A[9], x[3], x0[3], y0[3];
  tn_product3(c->A, B, A);
  tn_axis3(wheel->A, 0, x);
  tn_axis3(A, 0, x0);
  tn_axis3(A, 1, y0);
  return atan2(tn_dot3(y0, x), tn_dot3(x0, x));
}

double tn_wheel_height(const tn_frame3 *f, const double rho[3]) {
  double n[3], d[3];
  tn_axis3(f[0].A, 2, n);
  tn_sub3(f[1].r, f[0].r, d);
  return tn_dot3(n, d) + tn_dot3(n, rho);
}

tn_status tn_wheel_init(tn_wheel *j, tn_context *ctx, const tn_frame3 *f, const char *key, double smallest,
                        double largest) {
  double rho[3], rhodot[3];
  if (!(smallest > tn_context_least_length(ctx, largest)))
    return tn_context_fail(ctx, key, "%.3g m is zero beside the bodies: a point cannot roll", smallest);
  j->lowest(j, f, rho, rhodot);
  j->h = tn_context_on_bodies(ctx) ? 0 : tn_wheel_height(f, rho);
  return TN_OK;
}

void tn_wheel_position(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  const tn_wheel *j = self;
  double rho[3], rhodot[3];
  (void)memory, (void)t;
  j->lowest(self, f, rho, rhodot);
  C[0] = tn_wheel_height(f, rho) - j->h;
}

/* n, then x and y of frame 0 */
static const int order[3] = {2, 0, 1};

void tn_wheel_rows(const void *self, double t, const tn_frame3 *f, double *J) {
  double rho[3], rhodot[3];
  tn_touch3 k;
  (void)t;
  ((const tn_wheel *)self)->lowest(self, f, rho, rhodot);
  for (int i = 0; i < 3; i++) k.P[i] = f[1].r[i] + rho[i];
  for (int i = 0; i < 3; i++) {
    tn_axis3(f[0].A, order[i], k.e);
    tn_touch_row3(f, &k, J + 12 * i);
  }
}

void tn_wheel_rates(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  double rho[3], rhodot[3];
  tn_touch3 k;
  (void)t;
  ((const tn_wheel *)self)->lowest(self, f, rho, rhodot);
  for (int i = 0; i < 3; i++) {
    k.P[i] = f[1].r[i] + rho[i];
    k.Pdot[i] = f[1].v[i] + rhodot[i];
  }
  for (int i = 0; i < 3; i++) {
    tn_axis3(f[0].A, order[i], k.e);
    tn_cross3(f[0].w, k.e, k.edot);
    Ct[i] = 0;
    gamma[i] = tn_touch_gamma3(f, &k);
  }
}

void tn_wheel_contact(const void *self, const tn_frame3 *f, double c[3]) {
  double rho[3], rhodot[3];
  ((const tn_wheel *)self)->lowest(self, f, rho, rhodot);
  for (int i = 0; i < 3; i++) c[i] = f[1].r[i] + rho[i];
}

int tn_wheel_floor(const void *self, const tn_frame3 *f, tn_mark *mark) {
  mark->kind = TN_MARK_FLOOR;
  mark->frame = 0;
  tn_wheel_contact(self, f, mark->at);
  tn_axis3(f[0].A, 2, mark->axis);
  /* `on_bodies` may have the wheel off its plane at the given pose */
  double d[3];
  tn_sub3(mark->at, f[0].r, d);
  tn_axpy3(((const tn_wheel *)self)->h - tn_dot3(d, mark->axis), mark->axis, mark->at);
  return 1;
}
