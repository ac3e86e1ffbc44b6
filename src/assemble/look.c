/* frames on bodies as rows and wrenches see them, the same for plane and space: a place, a twist, an arm.
 *   (1) a row w on the twist at an arm rho is (w_v, w_w + rho x w_v) on the twist of the body's frame; a force and torque likewise
 *   (2) where bodies stretch, what is fixed at rho moves with v + w x rho + ds rho: (w_v, w_w + rho x w_v, w_ds + rho'w_v) */
#include "assemble/assemble.h"
#include "joint/joint.h"

void tn_look(const tn_system *s, const tn_spot *spot, tn_frame2 *f2, tn_frame3 *f3, tn_seen *seen) {
  assert(spot->body < s->m->bodies);
  double origin[3];
  seen->body = spot->body;
  tn_body_origin(s, spot->body, origin);
  if (s->m->dimension == 2) {
    tn_frame2 here, *f = f2 ? f2 : &here;
    tn_frame_on(s, spot, f);
    seen->arm[0] = f->r[0] - origin[0];
    seen->arm[1] = f->r[1] - origin[1];
    seen->arm[2] = 0;
    for (int i = 0; i < 2; i++) {
      seen->twist[i] = f->v[i];
      seen->bias[i] = f->a0[i];
    }
    seen->twist[2] = f->w;
    seen->bias[2] = f->al0;
  } else {
    tn_frame3 here, *f = f3 ? f3 : &here;
    tn_frame3_on(s, spot, f);
    for (int i = 0; i < 3; i++) {
      seen->arm[i] = f->r[i] - origin[i];
      seen->twist[i] = f->v[i];
      seen->twist[3 + i] = f->w[i];
      seen->bias[i] = f->a0[i];
      seen->bias[3 + i] = f->al0[i];
    }
    if (s->m->twist != TN_TWIST) return;
    seen->twist[6] = f->ds;
    seen->bias[6] = f->ds0;
  }
}

void tn_look_body(const tn_system *s, int body, tn_seen *seen) {
  assert(body >= 0 && body < s->m->bodies);
  seen->body = body;
  for (int i = 0; i < 3; i++) seen->arm[i] = 0;
  if (s->m->dimension == 2) {
    const tn_frame2 *f = &s->pose.body[body];
    memcpy(seen->twist, f->v, sizeof f->v);
    memcpy(seen->bias, f->a0, sizeof f->a0);
    seen->twist[2] = f->w;
    seen->bias[2] = f->al0;
    return;
  }
  const tn_frame3 *f = &s->pose.body3[body];
  memcpy(seen->twist, f->v, sizeof f->v);
  memcpy(seen->bias, f->a0, sizeof f->a0);
  memcpy(seen->twist + 3, f->w, sizeof f->w);
  memcpy(seen->bias + 3, f->al0, sizeof f->al0);
  if (s->m->twist != TN_TWIST) return;
  seen->twist[6] = f->ds;
  seen->bias[6] = f->ds0;
}

void tn_look_joint(tn_system *s, const tn_joint *j) {
  assert(j->frames <= s->m->max_frames);
  const bool plane = s->m->dimension == 2;
  for (int k = 0; k < j->frames; k++)
    tn_look(s, &j->spot[k], plane ? &s->room.frame[k] : NULL, plane ? NULL : &s->room.frame3[k], &s->room.seen[k]);
}

static inline void move_rigid(bool plane, const double arm[3], const double *w, double *root) {
  if (plane) {
    root[0] += w[0];
    root[1] += w[1];
    root[2] += w[2] + arm[0] * w[1] - arm[1] * w[0];
    return;
  }
  double moment[3];
  tn_cross3(arm, w, moment);
  for (int i = 0; i < 3; i++) {
    root[i] += w[i];
    root[3 + i] += w[3 + i] + moment[i];
  }
}

void tn_move_wrench(int twist, const double arm[3], const double *w, double *root) {
  assert(twist == 3 || twist == 6 || twist == TN_TWIST);
  move_rigid(twist == 3, arm, w, root);
  if (twist == TN_TWIST) root[6] += w[6] + tn_dot3(arm, w); /* (2) */
}

void tn_root_wrench(int twist, const double arm[3], const double *w, double *restrict root) {
  for (int i = 0; i < 3; i++) root[i] = 0;
  for (int i = 3; i < 6 && twist > 3; i++) root[i] = 0;
  if (twist == TN_TWIST) root[6] = 0;
  tn_move_wrench(twist, arm, w, root);
}

void tn_clean_row(int n, double *row, const double *size) {
  for (int i = 0; i < n; i++)
    if (fabs(row[i]) <= 32 * TN_EPS * size[i]) row[i] = 0;
}

/* whether a body inherits the rotation of what it stands on */
static bool turns(const tn_body *b) { return !b->type || b->type->turns_with_parent; }

static void arm_to_parent(const tn_system *s, int body, double arm[3]) {
  double here[3], there[3];
  tn_body_origin(s, body, here);
  tn_body_origin(s, s->m->body[body].parent, there);
  tn_sub3(here, there, arm);
}

/* where bodies stretch; none of them stands on another, and no row is cleaned */
static void add_wide_row(const tn_system *s, const tn_seen *at, const double *w, double *x, double *size) {
  const tn_body *b = &s->m->body[at->body];
  const double *S = s->pose.S[at->body];
  double root[TN_TWIST] = {0};
  tn_move_wrench(TN_TWIST, at->arm, w, root);
  for (int c = 0; c < b->nu; c++)
    for (int r = 0; r < TN_TWIST; r++) {
      x[b->u + c] += root[r] * S[r * b->nu + c];
      if (size) size[b->u + c] += fabs(root[r] * S[r * b->nu + c]);
    }
}

/* in the plane, where a body has an arm to its parent of two numbers */
static void add_plane_row(const tn_system *s, const tn_seen *at, const double *w, double *x, double *size) {
  const tn_model *m = s->m;
  double r0 = 0 + w[0], r1 = 0 + w[1], r2 = 0 + (w[2] + at->arm[0] * w[1] - at->arm[1] * w[0]);
  const double big[3] = {fabs(r0), fabs(r1), fabs(r2)};
  for (int i = at->body;;) {
    const tn_body *b = &m->body[i];
    const double *S = s->pose.S[i];
    const int n = b->nu, parent = b->parent;
    for (int c = 0; c < n; c++) {
      x[b->u + c] += r0 * S[c] + r1 * S[n + c] + r2 * S[2 * n + c];
      if (size)
        size[b->u + c] = size[b->u + c] + fabs(big[0] * S[c]) + fabs(big[1] * S[n + c]) + fabs(big[2] * S[2 * n + c]);
    }
    if (parent < 0) return;
    const double *here = s->pose.body[i].r, *there = s->pose.body[parent].r;
    if (!turns(b)) r2 = 0;
    r2 = 0 + (r2 + (here[0] - there[0]) * r1 - (here[1] - there[1]) * r0);
    i = parent;
  }
}

void tn_add_row(const tn_system *s, const tn_seen *at, const double *w, double *x, double *size) {
  assert(at->body < s->m->bodies);
  const tn_model *m = s->m;
  const int twist = m->twist;
  double root[6] = {0, 0, 0, 0, 0, 0};
  if (at->body < 0) return;
  if (twist == 3) {
    add_plane_row(s, at, w, x, size);
    return;
  }
  if (twist == TN_TWIST) {
    add_wide_row(s, at, w, x, size);
    return;
  }
  move_rigid(false, at->arm, w, root);
  /* what is summed may be small by itself: in space a moment is one of forces at arms as long as the assembly */
  double big[6], f = 0, t = 0;
  for (int r = 0; r < 6; r++) big[r] = fabs(root[r]);
  if (size) {
    for (int r = 0; r < 3; r++) f += big[r], t += big[3 + r];
    for (int r = 0; r < 3; r++) big[r] = f, big[3 + r] = t + f * tn_length_at(m, at->body);
  }
  for (int i = at->body;; i = m->body[i].parent) { /* on its own speeds, then on those it stands on */
    const tn_body *b = &m->body[i];
    const double *S = s->pose.S[i];
    for (int c = 0; c < b->nu; c++) {
      double sum = root[0] * S[c];
      for (int r = 1; r < 6; r++) sum += root[r] * S[r * b->nu + c];
      x[b->u + c] += sum;
      for (int r = 0; size && r < 6; r++) size[b->u + c] += fabs(big[r] * S[r * b->nu + c]);
    }
    if (b->parent < 0) return;
    double arm[3], below[6] = {0, 0, 0, 0, 0, 0};
    arm_to_parent(s, i, arm);
    if (!turns(b))
      for (int r = 3; r < 6; r++) root[r] = 0;
    move_rigid(false, arm, root, below);
    memcpy(root, below, sizeof root);
  }
}

/* the twist at the parent's frame, seen at the child's, and what its own speeds add */
static void gain_from(const tn_system *s, int i, const double *below, const double *x, double *twist) {
  const tn_model *m = s->m;
  const tn_body *b = &m->body[i];
  const double *S = s->pose.S[i];
  for (int r = 0; r < m->twist; r++) {
    twist[r] = 0;
    for (int c = 0; c < b->nu; c++) twist[r] += S[r * b->nu + c] * x[b->u + c];
  }
  if (!below) return;
  double arm[3], moved[3];
  arm_to_parent(s, i, arm);
  if (m->dimension == 2) {
    twist[0] += below[0] - below[2] * arm[1];
    twist[1] += below[1] + below[2] * arm[0];
    if (turns(b)) twist[2] += below[2];
    return;
  }
  tn_cross3(below + 3, arm, moved);
  for (int r = 0; r < 3; r++) {
    twist[r] += below[r] + moved[r];
    if (turns(b)) twist[3 + r] += below[3 + r];
  }
}

void tn_gains(const tn_system *s, const double *x, double *twists) {
  assert(tn_knows(s, TN_LEVEL_ROWS));
  const tn_model *m = s->m;
  if (m->plain) {
    for (int i = 0; i < m->nu; i++) twists[i] = 0 + x[i];
    return;
  }
  for (int k = 0; k < m->bodies; k++) {
    const int i = m->order[k], parent = m->body[i].parent;
    gain_from(s, i, parent >= 0 ? twists + m->twist * parent : NULL, x, twists + m->twist * i);
  }
}

static const void *self_of(const tn_system *s, const tn_joint *j) {
  return s->given.self ? s->given.self[j - s->m->joint] : j->self;
}

static void joint_position(const tn_system *s, const tn_joint *j, double *C) {
  if (s->m->dimension == 2)
    j->type->plane.position(self_of(s, j), s->at.t, s->room.frame, C);
  else
    tn_joint3_position(&j->type->space, self_of(s, j), s->given.memory + j->memory, s->at.t, s->room.frame3, C);
}

/* rows x 6 frames in J become rows x 7 frames, with what ds adds */
static void widen(const tn_system *s, const tn_joint *j, double *J) {
  const int rows = j->rows + j->rows_velocity, all = rows * j->frames;
  const tn_joint3 *type = &j->type->space;
  double *E = J + TN_TWIST * all;
  if (type->list)
    tn_rows3_stretch(type->list, s->room.frame3, E);
  else if (!type->stretch || !type->stretch(self_of(s, j), s->room.frame3, E))
    memset(E, 0, sizeof *E * (size_t)all); /* no frame of it is on a body that stretches */
  for (int i = all - 1; i >= 0; i--) {
    memmove(J + TN_TWIST * i, J + 6 * i, 6 * sizeof *J);
    J[TN_TWIST * i + 6] = E[i];
  }
}

/* J, Ct, gamma of a joint in a model in which bodies stretch */
static void rows_that_stretch(const tn_system *s, const tn_joint *j, double *J, double *C, double *Ct, double *gamma) {
  const tn_joint3 *type = &j->type->space;
  tn_joint3_rows(type, self_of(s, j), s->at.t, s->room.frame3, J);
  widen(s, j, J);
  if (!C) return;
  joint_position(s, j, C);
  tn_joint3_rates(type, self_of(s, j), s->at.t, s->room.frame3, Ct, gamma);
}

void tn_joint_rows(const tn_system *s, const tn_joint *j, double *J, double *C, double *Ct, double *gamma) {
  if (s->m->twist == TN_TWIST) {
    rows_that_stretch(s, j, J, C, Ct, gamma);
    return;
  }
  if (s->m->dimension == 2)
    j->type->plane.rows_on_twists(self_of(s, j), s->at.t, s->room.frame, J);
  else
    tn_joint3_rows(&j->type->space, self_of(s, j), s->at.t, s->room.frame3, J);
  if (!C) return;
  joint_position(s, j, C);
  if (s->m->dimension == 2)
    j->type->plane.rates(self_of(s, j), s->at.t, s->room.frame, Ct, gamma);
  else
    tn_joint3_rates(&j->type->space, self_of(s, j), s->at.t, s->room.frame3, Ct, gamma);
}

double tn_turning(tn_system *s, int *which) {
  assert(tn_knows(s, TN_LEVEL_TWISTS));
  double most = 0;
  for (int i = 0; i < s->m->joints && s->m->memory; i++) {
    const tn_joint *j = &s->m->joint[i];
    if (!tn_joint_remembers(j)) continue;
    tn_look_joint(s, j);
    for (int k = 0; k < j->frames; k++)
      for (int l = 0; l < k; l++) {
        double w[3];
        tn_sub3(s->room.frame3[k].w, s->room.frame3[l].w, w);
        if (tn_norm3(w) <= most) continue;
        most = tn_norm3(w);
        *which = i;
      }
  }
  return most;
}

void tn_remember(tn_system *s) {
  assert(tn_knows(s, TN_LEVEL_ROWS));
  for (int i = 0; i < s->m->joints && s->m->memory; i++) {
    const tn_joint *j = &s->m->joint[i];
    if (!tn_joint_remembers(j)) continue;
    tn_look_joint(s, j);
    j->type->space.accept(j->self, s->room.frame3, s->given.memory + j->memory);
  }
}
