/* frames of bodies from q and u, parents first; in the plane.
 *
 * a joint that carries a body, frames 0 and 1, motion d, angle, S in frame 0 axes (R0 world from frame 0, D = R0 d):
 *   (1) r1 = r0 + D                         angle1 = angle0 + angle
 *   (2) v1 = v0 + w0 k x D + R0 Sv u        w1 = w0 + Sw u
 *   (3) a1 = a0 + al0 k x D - w0^2 D + 2 w0 k x (R0 Sv u) + R0 Sv udot      al1 = al0 + Sw udot
 * (plane joints have constant S.) the child is frame 1, or frame 0 when it is carried backwards: then (1) to (3) are solved
 * for frame 0. from the child's joint frame to its body frame it is rigid. */
#include "assemble/assemble.h"

static const tn_frame2 ground = {.c = 1};

/* a frame at offset rho (world axes) on the rigid body of f */
static void shift(tn_frame2 *f, double x, double y) {
  f->r[0] += x;
  f->r[1] += y;
  f->v[0] -= f->w * y;
  f->v[1] += f->w * x;
  f->a0[0] -= f->al0 * y + f->w * f->w * x;
  f->a0[1] += f->al0 * x - f->w * f->w * y;
}

/* by an angle of this cosine and sine */
static inline void turn_by(tn_frame2 *f, double angle, double ca, double sa) {
  if (angle == 0) return;
  const double c = f->c, s = f->s;
  f->angle += angle;
  f->c = c * ca - s * sa;
  f->s = s * ca + c * sa;
}

static void turn(tn_frame2 *f, double angle) {
  if (angle != 0) turn_by(f, angle, cos(angle), sin(angle));
}

void tn_frame_on(const tn_system *s, const tn_spot *spot, tn_frame2 *f) {
  *f = spot->body == TN_GROUND ? ground : s->pose.body[spot->body];
  shift(f, f->c * spot->p[0] - f->s * spot->p[1], f->s * spot->p[0] + f->c * spot->p[1]);
  turn_by(f, spot->angle, spot->c, spot->s);
}

/* the child's frame, and S (3 x n) on the twist of its body frame */
static void carried(const tn_system *s, const tn_body *b, const double *q, const double *u, tn_frame2 *child,
                    double *S) {
  const tn_joint *j = &s->m->joint[b->joint];
  const tn_joint2 *type = &j->type->plane;
  const int n = type->axes;
  double d[2], angle, Sj[9];
  const tn_spot *on_child = &j->spot[b->backwards ? 0 : 1];
  tn_frame2 p, f;
  tn_frame_on(s, &j->spot[b->backwards ? 1 : 0], &p);
  type->motion(j->self, q, d, &angle, Sj);
  double Sv[2] = {0, 0}, Sw = 0;
  for (int i = 0; i < n; i++) {
    Sv[0] += Sj[i] * u[i];
    Sv[1] += Sj[n + i] * u[i];
    Sw += Sj[2 * n + i] * u[i];
  }
  f = p;
  if (b->backwards) { /* p is frame 1, f becomes frame 0 */
    turn(&f, -angle);
    f.w = p.w - Sw;
  }
  const double c = f.c, sn = f.s, D[2] = {c * d[0] - sn * d[1], sn * d[0] + c * d[1]};
  const double V[2] = {c * Sv[0] - sn * Sv[1], sn * Sv[0] + c * Sv[1]}, w = f.w;
  const double sign = b->backwards ? -1 : 1;
  /* w and al0 of frame 0 in (2) and (3) */
  f.r[0] += sign * D[0];
  f.r[1] += sign * D[1];
  f.v[0] += sign * (-w * D[1] + V[0]);
  f.v[1] += sign * (w * D[0] + V[1]);
  f.a0[0] += sign * (-p.al0 * D[1] - w * w * D[0] - 2 * w * V[1]);
  f.a0[1] += sign * (p.al0 * D[0] - w * w * D[1] + 2 * w * V[0]);
  if (!b->backwards) {
    f.w = p.w + Sw;
    turn(&f, angle);
  }
  /* from the joint frame to the body frame */
  turn_by(&f, -on_child->angle, on_child->c, -on_child->s);
  const double x = -(f.c * on_child->p[0] - f.s * on_child->p[1]), y = -(f.s * on_child->p[0] + f.c * on_child->p[1]);
  shift(&f, x, y);
  /* what u adds to the twist of the body frame: at the joint frame, then moved. backwards, w0 = w1 - Sw u also
   * swings the offset D: v0 = v1 - w0 k x D - V */
  for (int i = 0; i < n; i++) {
    double sv[2] = {c * Sj[i] - sn * Sj[n + i], sn * Sj[i] + c * Sj[n + i]}, sw = Sj[2 * n + i];
    if (b->backwards) {
      sw = -sw;
      sv[0] = -sv[0] + sw * D[1];
      sv[1] = -sv[1] - sw * D[0];
    }
    S[i] = sv[0] - sw * y;
    S[n + i] = sv[1] + sw * x;
    S[2 * n + i] = sw;
  }
  *child = f;
}

static void plain_in_plane(tn_system *s, int first, int end) {
  double cosine[TN_AT_ONCE], sine[TN_AT_ONCE];
  const double *q = s->at.q + 3 * first, *u = s->at.u + 3 * first;
  tn_cos_sin(end - first, q + 2, 3, cosine, sine);
  for (int i = first; i < end; i++, q += 3, u += 3) {
    tn_frame2 *f = &s->pose.body[i];
    f->r[0] = q[0];
    f->r[1] = q[1];
    f->angle = q[2];
    f->c = cosine[i - first];
    f->s = sine[i - first];
    f->v[0] = u[0];
    f->v[1] = u[1];
    f->w = u[2];
  }
}

static void plain_in_space(tn_system *s, int first, int end) {
  const int nq = s->m->plain->space.nq, nu = s->m->plain->space.nu;
  for (int i = first; i < end; i++)
    s->m->plain->space.motion(s->at.q + nq * i, s->at.u + nu * i, &s->pose.body3[i], NULL);
}

void tn_plain_frames(tn_system *s, int first, int end) {
  assert(s->m->plain && first >= 0 && end <= s->m->bodies);
  if (s->m->dimension == 2)
    plain_in_plane(s, first, end);
  else
    plain_in_space(s, first, end);
}

void tn_kinematics(tn_system *s) {
  const tn_model *m = s->m;
  if (m->plain) {
    for (int i = 0; i < m->bodies; i += TN_AT_ONCE) tn_plain_frames(s, i, tn_at_once(i, m->bodies));
    return;
  }
  if (m->dimension == 3) {
    tn_kinematics3(s);
    return;
  }
  for (int k = 0; k < m->bodies; k++) {
    const int i = m->order[k];
    const tn_body *b = &m->body[i];
    double *S = s->pose.S[i];
    tn_frame2 *f = &s->pose.body[i];
    if (b->type) {
      tn_frame2 p = ground;
      if (b->type->on_parent) tn_frame_on(s, &b->pivot, &p);
      b->type->plane.motion(s->at.q + b->q, s->at.u + b->u, &p, f, S);
    } else {
      carried(s, b, s->at.q + b->q, s->at.u + b->u, f, S);
    }
  }
}
