/* what joints exert on their second body, at its frame: force and torque in world axes.
 *   (1) a joint with rows: -J_1' lambda
 *   (2) a joint that carries a body: what the body and all it carries need beyond their other forces,
 *       F_b = M_b a_b - applied_b - (rows on it), summed from the leaves to the root, moved to the joint
 * both for the motion itself (udot, lambda) and for the stabilizer's share (udot_s, lambda_s, no applied forces). */
#include "assemble/assemble.h"

/* -J' lambda of every row on the bodies, and (1) */
static void rows_on_bodies(tn_system *s, const double *lambda, double *needed, double *reaction) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    double *out = reaction + 3 * i;
    out[0] = out[1] = out[2] = 0;
    if (j->in_tree) continue;
    if (j->terms) {
      for (int k = 0; k < j->terms; k++)
        tn_measure_push(s, &j->term[k].of, j->term[k].coefficient * lambda[j->row], needed);
      continue;
    }
    double *J = s->row;
    const int width = 3 * j->frames;
    for (int k = 0; k < j->frames; k++) tn_frame_on(s, &j->spot[k], &s->frame[k]);
    j->type->plane.rows_on_twists(j->self, s->t, s->frame, J);
    for (int k = 0; k < j->frames; k++) {
      double w[3] = {0, 0, 0};
      for (int r = 0; r < j->rows + j->rows_velocity; r++) {
        const double l = lambda[r < j->rows ? j->row + r : j->row_velocity + r - j->rows];
        for (int d = 0; d < 3; d++) w[d] -= J[r * width + 3 * k + d] * l;
      }
      if (k == 1) memcpy(out, w, sizeof w);
      const int b = j->spot[k].body;
      if (b < 0) continue;
      const double x = s->frame[k].r[0] - s->body[b].r[0], y = s->frame[k].r[1] - s->body[b].r[1];
      needed[3 * b] -= w[0];
      needed[3 * b + 1] -= w[1];
      needed[3 * b + 2] -= w[2] + x * w[1] - y * w[0];
    }
  }
}

/* inertia forces of udot on bodies and rods */
static void inertia(tn_system *s, const double *udot, double *needed) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    const tn_frame2 *f = &s->body[i];
    const double *J = s->J[i];
    double a[3] = {0, 0, 0};
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < b->cols; c++) a[r] += J[r * b->cols + c] * udot[b->col[c]];
    const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1];
    const double px = b->mass * (a[0] - a[2] * y), py = b->mass * (a[1] + a[2] * x);
    needed[3 * i] += px;
    needed[3 * i + 1] += py;
    needed[3 * i + 2] += x * py - y * px + b->inertia * a[2];
  }
  for (int i = 0; i < m->rods; i++) {
    const tn_rod *r = &m->rod[i];
    double a[2][2] = {{0}};
    tn_frame2 f[2];
    for (int k = 0; k < 2; k++) {
      const int b = r->end[k].body;
      tn_frame_on(s, &r->end[k], &f[k]);
      if (b < 0) continue;
      for (int c = 0; c < m->body[b].cols; c++) {
        const double *J = s->J[b], ud = udot[m->body[b].col[c]];
        const int n = m->body[b].cols;
        a[k][0] += (J[c] - (f[k].r[1] - s->body[b].r[1]) * J[2 * n + c]) * ud;
        a[k][1] += (J[n + c] + (f[k].r[0] - s->body[b].r[0]) * J[2 * n + c]) * ud;
      }
    }
    for (int k = 0; k < 2; k++) {
      const int b = r->end[k].body;
      if (b < 0) continue;
      const double fx = r->mass / 6 * (2 * a[k][0] + a[1 - k][0]), fy = r->mass / 6 * (2 * a[k][1] + a[1 - k][1]);
      needed[3 * b] += fx;
      needed[3 * b + 1] += fy;
      needed[3 * b + 2] += (f[k].r[0] - s->body[b].r[0]) * fy - (f[k].r[1] - s->body[b].r[1]) * fx;
    }
  }
}

/* (2): hand what a body needs to its parent, noting it at the joint on the way */
static void carry(tn_system *s, double *needed, double *reaction, double *pivot) {
  const tn_model *m = s->m;
  for (int k = m->bodies - 1; k >= 0; k--) {
    const int i = m->order[k];
    const tn_body *b = &m->body[i];
    const double *w = needed + 3 * i;
    if (b->joint >= 0) {
      const tn_joint *j = &m->joint[b->joint];
      const tn_spot *second = &j->spot[1];
      tn_frame2 f;
      tn_frame_on(s, second, &f);
      const double x = f.r[0] - s->body[i].r[0], y = f.r[1] - s->body[i].r[1], sign = b->backwards ? -1 : 1;
      double *out = reaction + 3 * b->joint;
      out[0] = sign * w[0];
      out[1] = sign * w[1];
      out[2] = sign * (w[2] - (x * w[1] - y * w[0]));
    } else if (pivot) {
      pivot[2 * i] = w[0];
      pivot[2 * i + 1] = w[1];
    }
    if (b->parent < 0) continue;
    const double x = s->body[i].r[0] - s->body[b->parent].r[0], y = s->body[i].r[1] - s->body[b->parent].r[1];
    double *p = needed + 3 * b->parent;
    p[0] += w[0];
    p[1] += w[1];
    p[2] += w[2] + x * w[1] - y * w[0];
  }
}

void tn_reactions(tn_system *s) {
  const tn_model *m = s->m;
  for (int i = 0; i < 3 * m->bodies; i++) {
    s->carried[i] = s->bias[i] - s->wrench[i];
    s->carried_s[i] = 0;
  }
  inertia(s, s->udot, s->carried);
  inertia(s, s->udot_s, s->carried_s);
  rows_on_bodies(s, s->lambda, s->carried, s->reaction);
  rows_on_bodies(s, s->lambda_s, s->carried_s, s->share);
  carry(s, s->carried, s->reaction, s->pivot);
  carry(s, s->carried_s, s->share, NULL);
}
