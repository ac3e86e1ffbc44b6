/* what joints exert on their second body, at its frame: force and torque in world axes.
 *   (1) a joint with rows: -J_1' lambda
 *   (2) a joint that carries a body: what the body and all it carries need beyond their other forces,
 *       F_b = M_b a_b - applied_b - (rows on it), summed from the leaves to the root, moved to the joint
 * both for the motion itself (udot, lambda) and for the stabilizer's share (udot_s, lambda_s, no applied forces). */
#include "assemble/assemble.h"

/* -J' lambda of every row on the bodies, and (1). what a body has on its own coordinates exerts nothing */
static void rows_on_bodies(tn_system *s, const double *lambda, double *needed, double *reaction) {
  const tn_model *m = s->m;
  const int twist = m->twist;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    double *out = reaction + twist * i;
    memset(out, 0, sizeof *out * (size_t)twist);
    if (j->in_tree) continue;
    if (j->terms) {
      for (int k = 0; k < j->terms; k++)
        tn_measure_push(s, &j->term[k].of, tn_term_coefficient(s, j, k) * lambda[tn_term_row(j)], needed);
      continue;
    }
    double *J = s->room.row;
    tn_look_joint(s, j);
    tn_joint_rows(s, j, J, NULL, NULL, NULL);
    for (int k = 0; k < j->frames; k++) {
      double w[TN_TWIST] = {0};
      for (int r = 0; r < j->rows + j->rows_velocity; r++) {
        const double l = lambda[r < j->rows ? j->row + r : j->row_velocity + r - j->rows];
        for (int d = 0; d < twist; d++) w[d] += J[(r * j->frames + k) * twist + d] * l;
      }
      if (k == 1)
        for (int d = 0; d < twist; d++) out[d] = -w[d];
      if (s->room.seen[k].body >= 0)
        tn_move_wrench(twist, s->room.seen[k].arm, w, needed + twist * s->room.seen[k].body);
    }
  }
}

static void inertia_of_body(const tn_system *s, int i, const double *a, double *needed) {
  const tn_body *b = &s->m->body[i];
  if (s->m->dimension == 2) {
    const tn_frame2 *f = &s->pose.body[i];
    const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1];
    const double px = b->mass * (a[0] - a[2] * y), py = b->mass * (a[1] + a[2] * x);
    needed[0] += px;
    needed[1] += py;
    needed[2] += x * py - y * px + b->inertia * a[2];
    return;
  }
  const int twist = s->m->twist;
  const tn_frame3 *f = &s->pose.body3[i];
  double rho[3], p[TN_TWIST], x[3], y[3];
  tn_turn3(f->A, b->center, rho);
  tn_cross3(a + 3, rho, p);
  if (twist == TN_TWIST) tn_axpy3(a[6], rho, p);
  for (int k = 0; k < 3; k++) p[k] = b->mass * (p[k] + a[k]);
  tn_unturn3(f->A, a + 3, x);
  tn_turn3(b->tensor, x, y);
  tn_turn3(f->A, y, p + 3);
  p[6] = 0;
  tn_move_wrench(twist, rho, p, needed);
}

/* J'I J of what udot gives the bodies */
static void inertia_of_flywheel(const tn_system *s, const tn_flywheel *e, const double *gains, double *needed) {
  const int twist = s->m->twist;
  tn_seen seen[2];
  double J[2 * TN_TWIST], accel = 0;
  const int n = tn_measure_rows(s, &e->on, seen, J);
  for (int k = 0; k < n; k++) {
    double root[TN_TWIST] = {0};
    if (seen[k].body < 0) continue;
    tn_move_wrench(twist, seen[k].arm, J + twist * k, root);
    for (int d = 0; d < twist; d++) accel += root[d] * gains[twist * seen[k].body + d];
  }
  for (int k = 0; k < n; k++) {
    double w[TN_TWIST];
    for (int d = 0; d < twist; d++) w[d] = e->inertia * accel * J[twist * k + d];
    if (seen[k].body >= 0) tn_move_wrench(twist, seen[k].arm, w, needed + twist * seen[k].body);
  }
}

/* inertia forces of what udot gives the bodies, on them, on rods and along coordinates with inertia of their own */
static void inertia(tn_system *s, const double *gains, double *needed) {
  const tn_model *m = s->m;
  const int dimension = m->dimension, twist = m->twist;
  for (int i = 0; i < m->bodies; i++) inertia_of_body(s, i, gains + twist * i, needed + twist * i);
  for (int i = 0; i < m->flywheels; i++) inertia_of_flywheel(s, &m->flywheel[i], gains, needed);
  for (int i = 0; i < m->rods; i++) {
    const tn_rod *r = &m->rod[i];
    double a[2][3] = {{0}};
    tn_seen end[2];
    for (int k = 0; k < 2; k++) {
      double x[3];
      tn_look(s, &r->end[k], NULL, NULL, &end[k]);
      if (end[k].body < 0) continue;
      const double *g = gains + twist * end[k].body;
      if (dimension == 2) {
        a[k][0] = g[0] - g[2] * end[k].arm[1];
        a[k][1] = g[1] + g[2] * end[k].arm[0];
      } else {
        tn_cross3(g + 3, end[k].arm, x);
        for (int d = 0; d < 3; d++) a[k][d] = g[d] + x[d];
        if (twist == TN_TWIST) tn_axpy3(g[6], end[k].arm, a[k]);
      }
    }
    for (int k = 0; k < 2; k++) {
      double w[TN_TWIST] = {0};
      if (end[k].body < 0) continue;
      for (int d = 0; d < dimension; d++) w[d] = r->own[k] * a[k][d] + r->shared * a[1 - k][d];
      tn_move_wrench(twist, end[k].arm, w, needed + twist * end[k].body);
    }
  }
}

/* (2): hand what a body needs to its parent, noting it at the joint on the way */
static void carry(tn_system *s, double *needed, double *reaction, double *pivot) {
  const tn_model *m = s->m;
  const int twist = m->twist;
  for (int k = m->bodies - 1; k >= 0; k--) {
    const int i = m->order[k];
    const tn_body *b = &m->body[i];
    const double *w = needed + twist * i;
    double here[3], there[3], arm[3];
    tn_body_origin(s, i, here);
    if (b->joint >= 0) { /* from the origin of the body to the joint's frame on the second */
      double *out = reaction + twist * b->joint;
      const tn_spot *second = &m->joint[b->joint].spot[1];
      tn_seen seen;
      tn_look(s, second, NULL, NULL, &seen);
      tn_body_origin(s, second->body, there);
      for (int d = 0; d < 3; d++) arm[d] = here[d] - there[d] - seen.arm[d];
      memset(out, 0, sizeof *out * (size_t)twist);
      tn_move_wrench(twist, arm, w, out);
      for (int d = 0; d < twist && b->backwards; d++) out[d] = -out[d];
    } else if (pivot && m->dimension == 2) {
      pivot[2 * i] = w[0];
      pivot[2 * i + 1] = w[1];
    }
    if (b->parent < 0) continue;
    tn_body_origin(s, b->parent, there);
    tn_sub3(here, there, arm);
    tn_move_wrench(twist, arm, w, needed + twist * b->parent);
  }
}

void tn_reactions_of(tn_system *s, const double *lambda, double *reaction, double *pivot) {
  assert(tn_knows(s, TN_LEVEL_ROWS) && reaction);
  memset(s->room.carried, 0, sizeof *s->room.carried * (size_t)(s->m->twist * s->m->bodies));
  rows_on_bodies(s, lambda, s->room.carried, reaction);
  carry(s, s->room.carried, reaction, pivot);
}

void tn_reactions_of_change(tn_system *s, const double *change, const double *lambda, double *reaction, double *pivot) {
  assert(tn_knows(s, TN_LEVEL_ROWS) && reaction);
  memset(s->room.carried_s, 0, sizeof *s->room.carried_s * (size_t)(s->m->twist * s->m->bodies));
  tn_gains(s, change, s->room.gains_s);
  inertia(s, s->room.gains_s, s->room.carried_s);
  rows_on_bodies(s, lambda, s->room.carried_s, reaction);
  carry(s, s->room.carried_s, reaction, pivot);
}

void tn_reactions_of_motion(tn_system *s) {
  assert(tn_is_solved(s));
  const tn_model *m = s->m;
  for (int i = 0; i < m->bodies; i++) tn_body_net(s, i, s->room.carried + m->twist * i);
  for (int i = 0; i < m->twist * m->bodies; i++) s->room.carried[i] = -s->room.carried[i];
  tn_gains(s, s->solved.udot, s->room.gains);
  inertia(s, s->room.gains, s->room.carried);
  for (int i = 0; i < m->servos; i++) tn_servo_push(s, i, -s->solved.effort[i], s->room.carried);
  rows_on_bodies(s, s->solved.lambda, s->room.carried, s->solved.reaction);
  carry(s, s->room.carried, s->solved.reaction, s->solved.pivot);
}

void tn_reactions(tn_system *s) {
  assert(tn_is_solved(s));
  tn_reactions_of_motion(s);
  tn_reactions_of_change(s, s->solved.udot_s, s->solved.lambda_s, s->solved.share, NULL);
}
