/* frames of bodies in space from q and u.
 *
 * a joint that carries a body, frames 0 and 1, motion d, A, S, bias b in frame 0 axes (R world from frame 0, D = R d):
 *   (1) r1 = r0 + D                              R1 = R A
 *   (2) v1 = v0 + w0 x D + R Sv u                w1 = w0 + R Sw u
 *   (3) a1 = a0 + al0 x D + w0 x (w0 x D) + 2 w0 x (R Sv u) + R (Sv udot + bv)
 *       al1 = al0 + w0 x (R Sw u) + R (Sw udot + bw)
 * the child is frame 1, or frame 0 when it is carried backwards: then (1) to (3) are solved for frame 0. from the child's joint
 * frame to its body frame it is rigid.
 * on a body that stretches (tn_frame3), rho = A p with A as long as it is:
 *   (4) v' = v + w x rho + ds rho,  a0' = a0 + al0 x rho + w x (w x rho) + 2 ds w x rho + (ds0 + ds^2) rho
 * no joint carries such a body or stands on one */
#include "assemble/assemble.h"

static const tn_frame3 ground = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

/* a frame at offset rho (world axes) on the rigid body of f */
static void shift(tn_frame3 *f, const double rho[3]) {
  double x[3], y[3];
  tn_cross3(f->w, rho, x);
  tn_cross3(f->w, x, y);
  for (int i = 0; i < 3; i++) {
    f->r[i] += rho[i];
    f->v[i] += x[i];
    f->a0[i] += y[i];
  }
  tn_cross3(f->al0, rho, x);
  tn_axpy3(1, x, f->a0);
}

/* (4), what `shift` does not have */
static void stretch(tn_frame3 *f, const double rho[3]) {
  double x[3];
  tn_cross3(f->w, rho, x);
  tn_axpy3(f->ds, rho, f->v);
  tn_axpy3(2 * f->ds, x, f->a0);
  tn_axpy3(f->ds0 + f->ds * f->ds, rho, f->a0);
}

void tn_frame3_on(const tn_system *s, const tn_spot *spot, tn_frame3 *f) {
  const tn_frame3 *b = spot->body == TN_GROUND ? &ground : &s->pose.body3[spot->body];
  double rho[3];
  *f = *b;
  tn_turn3(b->A, spot->p, rho);
  shift(f, rho);
  if (s->m->twist == TN_TWIST) stretch(f, rho);
  tn_product3(b->A, spot->A, f->A);
}

/* the frame of the body from that of a joint on it */
static void to_body(tn_frame3 *f, const tn_spot *spot, double rho[3]) {
  double A[9];
  tn_product_t3(f->A, spot->A, A);
  memcpy(f->A, A, sizeof A);
  tn_turn3(A, spot->p, rho);
  for (int i = 0; i < 3; i++) rho[i] = -rho[i];
  shift(f, rho);
}

/* the child's frame, and S (6 x n) on the twist of its body frame */
static void carried(const tn_system *s, const tn_body *b, const double *q, const double *u, tn_frame3 *child,
                    double *S) {
  const tn_joint *j = &s->m->joint[b->joint];
  const int n = j->type->space.axes;
  const double sign = b->backwards ? -1 : 1;
  tn_motion3 m;
  tn_frame3 p, f;
  double R[9], D[3], Su[6] = {0, 0, 0, 0, 0, 0}, V[3], W[3], bv[3], bw[3], x[3], rho[3], w0[3], al0[3];
  memset(&m, 0, sizeof m);
  tn_frame3_on(s, &j->spot[b->backwards ? 1 : 0], &p);
  j->type->space.motion(j->self, q, u, &m);
  for (int r = 0; r < 6; r++)
    for (int i = 0; i < n; i++) Su[r] += m.S[r * n + i] * u[i];
  f = p;
  if (b->backwards) /* p is frame 1, f becomes frame 0 */
    tn_product_t3(p.A, m.A, R);
  else
    memcpy(R, p.A, sizeof R);
  tn_turn3(R, m.d, D);
  tn_turn3(R, Su, V);
  tn_turn3(R, Su + 3, W);
  tn_turn3(R, m.bias, bv);
  tn_turn3(R, m.bias + 3, bw);
  /* w and al0 of frame 0 */
  memcpy(w0, p.w, sizeof w0);
  memcpy(al0, p.al0, sizeof al0);
  if (b->backwards) {
    tn_axpy3(-1, W, w0);
    tn_cross3(w0, W, x);
    for (int i = 0; i < 3; i++) al0[i] -= x[i] + bw[i];
    memcpy(f.w, w0, sizeof w0);
    memcpy(f.al0, al0, sizeof al0);
    memcpy(f.A, R, sizeof R);
  } else {
    tn_axpy3(1, W, f.w);
    tn_cross3(w0, W, x);
    for (int i = 0; i < 3; i++) f.al0[i] += x[i] + bw[i];
    tn_product3(R, m.A, f.A);
  }
  tn_axpy3(sign, D, f.r);
  tn_cross3(w0, D, x);
  for (int i = 0; i < 3; i++) f.v[i] += sign * (x[i] + V[i]);
  tn_cross_twice3(w0, w0, D, x);
  for (int i = 0; i < 3; i++) f.a0[i] += sign * (x[i] + bv[i]);
  tn_cross3(al0, D, x);
  tn_axpy3(sign, x, f.a0);
  tn_cross3(w0, V, x);
  tn_axpy3(2 * sign, x, f.a0);
  to_body(&f, &j->spot[b->backwards ? 0 : 1], rho);
  /* what u adds to the twist of the body frame: at the joint frame, then moved. backwards, w0 = w1 - R Sw u also swings the
   * offset D: v0 = v1 - w0 x D - R Sv u */
  for (int i = 0; i < n; i++) {
    const double sj[6] = {m.S[i], m.S[n + i], m.S[2 * n + i], m.S[3 * n + i], m.S[4 * n + i], m.S[5 * n + i]};
    double sv[3], sw[3];
    tn_turn3(R, sj, sv);
    tn_turn3(R, sj + 3, sw);
    if (b->backwards) {
      for (int k = 0; k < 3; k++) sw[k] = -sw[k], sv[k] = -sv[k];
      tn_cross3(sw, D, x);
      tn_axpy3(-1, x, sv);
    }
    tn_cross3(sw, rho, x);
    for (int k = 0; k < 3; k++) {
      S[k * n + i] = sv[k] + x[k];
      S[(3 + k) * n + i] = sw[k];
    }
  }
  *child = f;
}

void tn_kinematics3(tn_system *s) {
  const tn_model *m = s->m;
  for (int k = 0; k < m->bodies; k++) {
    const int i = m->order[k];
    const tn_body *b = &m->body[i];
    double *S = s->pose.S[i];
    tn_frame3 *f = &s->pose.body3[i];
    if (b->plain) {
      b->type->space.motion(s->at.q + b->q, s->at.u + b->u, f, NULL);
      continue;
    }
    memset(S, 0, sizeof *S * (size_t)(m->twist * b->nu));
    if (b->type)
      b->type->space.motion(s->at.q + b->q, s->at.u + b->u, f, S);
    else
      carried(s, b, s->at.q + b->q, s->at.u + b->u, f, S);
  }
}
