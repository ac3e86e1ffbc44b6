/* rows of the joints: a row J on the twists of its frames becomes a row of A through the bodies' motion axes,
 *   (1) A = sum_f J_f X_f J_body(f), X_f from the body's frame to the joint's
 *   (2) gamma = gamma_joint - sum_f J_f (a0, al0)_f
 * rows on channels:
 *   (3) C = sum c_k m_k - f(t), Ct = -f', row = sum c_k J_k, gamma = f'' - sum c_k m_k''(udot = 0)
 * measures of equations that the user writes, as (J, gamma) with value'' = J (a, al) - gamma:
 *   (4) component k of the place of a spot: J = e_k on its velocity, gamma = 0
 *   (5) component k of a unit axis e that turns with w: e' = w x e, so J = e x e_k on w, gamma = -(w x (w x e))_k
 * the angular velocity that is measured on a body that stretches is (1 + stretch) w, Gbar edot along the axes of the body:
 *   (6) J = (1 + stretch) e on w, d/dt J = ds J + what turns with w;  gamma = -ds J w */
#include "assemble/assemble.h"
#include "joint/joint.h"

/* a measure as a row on the twists of one or two frames; a raw coordinate has none */
typedef struct measured {
  int n;
  tn_seen seen[2];
  double J[2 * TN_TWIST], value, gamma;
} measured;

static void measure_body(const tn_system *s, const tn_measure *of, measured *x) {
  x->n = 1;
  tn_look_body(s, of->part, &x->seen[0]);
  if (s->m->dimension == 2) {
    const tn_frame2 *f = &s->pose.body[of->part];
    x->J[of->k] = 1;
    x->value = of->k == 2 ? f->angle : f->r[of->k];
    return;
  }
  const tn_frame3 *f = &s->pose.body3[of->part];
  if (of->k < 3) {
    x->J[of->k] = 1;
    x->value = f->r[of->k];
    return;
  }
  if (of->k < 6) {
    double turned[9], angle[3];
    tn_product_t3(f->A, s->m->body[of->part].pose.A, turned);
    for (int i = 0; i < 9 && f->stretch != 0; i++) turned[i] /= 1 + f->stretch;
    tn_rotation_vector3(turned, angle);
    x->J[of->k] = 1 + f->stretch;
    x->value = angle[of->k - 3];
  } else { /* d/dt w'e = al'e, for w'(w x e) = 0 */
    tn_axis3(f->A, of->k - 6, x->J + 3);
    x->value = NAN;
  }
  if (f->stretch != 0 || f->ds != 0) x->gamma = -f->ds * tn_dot3(x->J + 3, f->w); /* (6) */
}

/* (4) */
static void measure_point(const tn_system *s, const tn_measure *of, measured *x) {
  double origin[3];
  x->n = 1;
  tn_look(s, of->spot, NULL, NULL, &x->seen[0]);
  tn_body_origin(s, of->part, origin);
  x->J[of->k] = 1;
  x->value = origin[of->k] + x->seen[0].arm[of->k];
}

/* (5) */
static void measure_axis(const tn_system *s, const tn_measure *of, measured *x) {
  const int axis = of->k / 3, k = of->k % 3;
  x->n = 1;
  if (s->m->dimension == 2) {
    tn_frame2 f;
    tn_look(s, of->spot, &f, NULL, &x->seen[0]);
    const double e[2] = {axis ? -f.s : f.c, axis ? f.c : f.s};
    x->J[2] = k ? e[0] : -e[1];
    x->value = e[k];
    x->gamma = f.w * f.w * e[k];
    return;
  }
  tn_frame3 f;
  double e[3], along;
  tn_look(s, of->spot, NULL, &f, &x->seen[0]);
  tn_unit_axis3(&f, axis, e);
  along = tn_dot3(f.w, e);
  x->J[3 + (k + 1) % 3] = e[(k + 2) % 3];
  x->J[3 + (k + 2) % 3] = -e[(k + 1) % 3];
  x->value = e[k];
  x->gamma = tn_dot3(f.w, f.w) * e[k] - along * f.w[k];
}

static void measure_joint(const tn_system *s, const tn_measure *of, measured *x) {
  const tn_joint *j = &s->m->joint[of->part];
  const int twist = s->m->twist, own = s->m->wrench;
  double v[6], g[6], all[72];
  tn_frame2 f2[2];
  tn_frame3 f3[2];
  x->n = 2;
  for (int k = 0; k < 2; k++) tn_look(s, &j->spot[k], &f2[k], &f3[k], &x->seen[k]);
  if (s->m->dimension == 2)
    j->type->plane.measure(j->self, f2, v, all, g);
  else
    j->type->space.measure(j->self, s->given.memory + j->memory, f3, v, all, g);
  for (int k = 0; k < 2; k++) memcpy(x->J + twist * k, all + own * (2 * of->k + k), sizeof *x->J * (size_t)own);
  x->value = v[of->k];
  x->gamma = g[of->k];
}

static void measure(const tn_system *s, const tn_measure *of, measured *x) {
  memset(x->J, 0, sizeof x->J);
  x->gamma = 0;
  switch (of->kind) {
  case TN_OF_JOINT: measure_joint(s, of, x); return;
  case TN_OF_POINT: measure_point(s, of, x); return;
  case TN_OF_AXIS: measure_axis(s, of, x); return;
  default: measure_body(s, of, x); return;
  }
}

/* the body of which it is a coordinate: its rate is the speed itself; -1: none */
static int body_of_coordinate(const tn_system *s, const tn_measure *of) {
  const int body = of->kind == TN_OF_RAW ? of->part : of->kind == TN_OF_JOINT ? s->m->joint[of->part].carries : -1;
  return body >= 0 && !s->m->body[body].chart ? body : -1;
}

static void coordinate(const tn_system *s, int body, int k, double *value, double *rate, double *accel0) {
  const tn_body *b = &s->m->body[body];
  *value = s->at.q[b->q + k];
  *rate = s->at.u[b->u + k];
  *accel0 = 0;
}

/* of a place or the angle of a body in the plane, whose motion is a number of its frame */
static bool plainly(const tn_system *s, const tn_measure *of, double *value, double *rate, double *accel0) {
  if (of->kind != TN_OF_BODY || s->m->dimension != 2) return false;
  const tn_frame2 *f = &s->pose.body[of->part];
  const bool angle = of->k == 2;
  *value = angle ? f->angle : f->r[of->k];
  *rate = angle ? f->w : f->v[of->k];
  *accel0 = angle ? f->al0 : f->a0[of->k];
  return true;
}

static void motion(const tn_system *s, const measured *x, double *value, double *rate, double *accel0) {
  const int twist = s->m->twist;
  *value = x->value;
  *rate = 0;
  *accel0 = -x->gamma;
  for (int k = 0; k < x->n; k++) {
    *rate += tn_dot(twist, x->J + twist * k, x->seen[k].twist);
    *accel0 += tn_dot(twist, x->J + twist * k, x->seen[k].bias);
  }
}

void tn_measure_eval(const tn_system *s, const tn_measure *of, double *value, double *rate, double *accel0,
                     double *row) {
  const int twist = s->m->twist, body = body_of_coordinate(s, of);
  measured x;
  if (body >= 0) {
    coordinate(s, body, of->k, value, rate, accel0);
    if (row) row[s->m->body[body].u + of->k] += 1;
    return;
  }
  if (!row && plainly(s, of, value, rate, accel0)) return;
  measure(s, of, &x);
  motion(s, &x, value, rate, accel0);
  for (int k = 0; row && k < x.n; k++) tn_add_row(s, &x.seen[k], x.J + twist * k, row, NULL);
}

int tn_measure_rows(const tn_system *s, const tn_measure *of, tn_seen seen[2], double *J) {
  measured x;
  measure(s, of, &x);
  for (int k = 0; k < x.n; k++) seen[k] = x.seen[k];
  memcpy(J, x.J, sizeof x.J);
  return x.n;
}

/* along a coordinate that a joint gives a body: of the wrenches that do the same on it, that in the span of its axes S,
 * w = S (S'S)^-1 e_k effort, and the opposite on the parent. false: a free body has nobody to push against */
static bool raw_wrench(const tn_system *s, const tn_measure *of, double effort, double w[TN_TWIST]) {
  const tn_body *b = &s->m->body[of->part];
  const int n = b->nu, twist = s->m->twist;
  if (b->joint < 0) return false;
  const double *S = s->pose.S[of->part];
  double G[36], y[6] = {0};
  memset(w, 0, sizeof *w * TN_TWIST);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int r = 0; r < twist; r++) sum += S[r * n + i] * S[r * n + j];
      for (int k = 0; k < j; k++) sum -= G[i * n + k] * G[j * n + k];
      G[i * n + j] = i == j ? sqrt(sum) : sum / G[j * n + j];
    }
  y[of->k] = effort;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) y[i] -= G[i * n + k] * y[k];
    y[i] /= G[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) y[i] -= G[k * n + i] * y[k];
    y[i] /= G[i * n + i];
  }
  for (int r = 0; r < twist; r++)
    for (int i = 0; i < n; i++) w[r] += S[r * n + i] * y[i];
  return true;
}

static void push_raw(const tn_system *s, const tn_measure *of, double effort, double *wrench) {
  const tn_model *m = s->m;
  const tn_body *b = &m->body[of->part];
  const int twist = m->twist;
  double w[TN_TWIST];
  if (!raw_wrench(s, of, effort, w)) return;
  for (int r = 0; r < twist; r++) wrench[twist * of->part + r] += w[r];
  if (b->parent < 0) return;
  double here[3], there[3], arm[3];
  tn_body_origin(s, of->part, here);
  tn_body_origin(s, b->parent, there);
  tn_sub3(here, there, arm);
  for (int r = 0; r < twist; r++) w[r] = -w[r];
  tn_move_wrench(twist, arm, w, wrench + twist * b->parent);
}

int tn_measure_wrenches(const tn_system *s, const tn_measure *of, double effort, double *wrench, double *place) {
  const int twist = s->m->twist;
  measured x;
  if (of->kind == TN_OF_RAW) {
    double w[TN_TWIST];
    if (!raw_wrench(s, of, effort, w)) return 0;
    for (int i = 0; i < 2 * twist; i++) wrench[i] = i < twist ? w[i] : -w[i - twist];
    for (int k = 0; k < 2; k++) tn_body_origin(s, of->part, place + 3 * k);
    return 2;
  }
  measure(s, of, &x);
  for (int k = 0; k < x.n; k++) {
    double origin[3];
    tn_body_origin(s, x.seen[k].body, origin);
    for (int d = 0; d < 3; d++) place[3 * k + d] = origin[d] + x.seen[k].arm[d];
    for (int i = 0; i < twist; i++) wrench[twist * k + i] = effort * x.J[twist * k + i];
  }
  return x.n;
}

void tn_measure_push(const tn_system *s, const tn_measure *of, double effort, double *wrench) {
  const int twist = s->m->twist;
  measured x;
  if (of->kind == TN_OF_RAW) {
    push_raw(s, of, effort, wrench);
    return;
  }
  if (of->kind == TN_OF_BODY && twist == 3) { /* at its own frame */
    wrench[3 * of->part + of->k] += effort;
    return;
  }
  measure(s, of, &x);
  for (int k = 0; k < x.n; k++) {
    double w[TN_TWIST];
    if (x.seen[k].body < 0) continue;
    for (int i = 0; i < twist; i++) w[i] = effort * x.J[twist * k + i];
    tn_move_wrench(twist, x.seen[k].arm, w, wrench + twist * x.seen[k].body);
  }
}

/* numbers of row i and touch k of a joint in R */
static double *touch_row(const tn_system *s, const tn_joint *j, int i, int k) {
  return s->rows.R + j->R + (i * j->touches + k) * j->stride;
}

const double *tn_touch_row(const tn_system *s, const tn_joint *j, int i, int k, double room[3]) {
  assert(i >= 0 && i < j->rows + j->rows_velocity && k >= 0 && k < j->touches);
  if (!j->pin) return touch_row(s, j, i, k);
  const int f = j->spot[0].body < 0 ? 1 : k;
  const double *arm = s->rows.R + j->R + 2 * f, sign = f ? 1 : -1;
  room[i] = sign;
  room[1 - i] = 0;
  room[2] = i ? sign * arm[0] : -sign * arm[1];
  return room;
}

static void channel_row(tn_system *s, const tn_joint *j) {
  const int r = j->row, twist = s->m->twist;
  double jet[3];
  tn_expr_jet_on(j->value, s->at.t, &s->given.switching, jet);
  s->rows.C[r] = -jet[0];
  s->rows.Ct[r] = -jet[1];
  s->rows.Cdot[r] = -jet[1];
  s->rows.gamma[r] = jet[2];
  for (int k = 0, touch = 0; k < j->terms; k++) {
    const tn_measure *of = &j->term[k].of;
    const double c = j->term[k].coefficient;
    const int body = body_of_coordinate(s, of);
    const bool on_speed = touch < j->touches && j->touch[touch].speed >= 0;
    double value, rate, accel0;
    measured x;
    if (body < 0 || !on_speed) measure(s, of, &x);
    if (body >= 0)
      coordinate(s, body, of->k, &value, &rate, &accel0);
    else
      motion(s, &x, &value, &rate, &accel0);
    s->rows.C[r] += c * value;
    s->rows.Cdot[r] += c * rate;
    s->rows.gamma[r] -= c * accel0;
    if (on_speed) {
      touch_row(s, j, 0, touch++)[0] = c;
      continue;
    }
    for (int f = 0; f < x.n; f++) {
      if (x.seen[f].body < 0) continue;
      double *R = touch_row(s, j, 0, touch++);
      tn_root_wrench(twist, x.seen[f].arm, x.J + twist * f, R);
      for (int i = 0; i < twist; i++) R[i] *= c;
    }
  }
}

static void joint_rows(tn_system *s, const tn_joint *j) {
  const int n = j->rows + j->rows_velocity, twist = s->m->twist;
  double C[6], Ct[6], gamma[6], *J = s->room.row;
  tn_look_joint(s, j);
  tn_joint_rows(s, j, J, C, Ct, gamma);
  for (int i = 0; i < n; i++) {
    const int r = i < j->rows ? j->row + i : j->row_velocity + i - j->rows;
    s->rows.C[r] = i < j->rows ? C[i] : 0;
    s->rows.Ct[r] = Ct[i];
    s->rows.Cdot[r] = Ct[i];
    s->rows.gamma[r] = gamma[i];
    for (int k = 0, touch = 0; k < j->frames; k++) {
      const double *Jf = J + (i * j->frames + k) * twist;
      if (s->room.seen[k].body < 0) continue; /* the ground does not move */
      s->rows.Cdot[r] += tn_dot(twist, Jf, s->room.seen[k].twist);
      s->rows.gamma[r] -= tn_dot(twist, Jf, s->room.seen[k].bias);
      double *R = touch_row(s, j, i, touch++);
      tn_root_wrench(twist, s->room.seen[k].arm, Jf, R);
    }
  }
}

/* of a body on its own coordinates, where qdot = u */
static void own_row(tn_system *s, const tn_joint *j) {
  const tn_body *b = &s->m->body[j->owner];
  const int r = j->row;
  double *row = touch_row(s, j, 0, 0), gamma;
  b->type->space.own(s->at.q + b->q, s->at.u + b->u, &s->rows.C[r], row, &gamma);
  s->rows.Ct[r] = s->rows.Cdot[r] = 0;
  s->rows.gamma[r] = gamma;
  for (int k = 0; k < b->nu; k++) s->rows.Cdot[r] += row[k] * s->at.u[b->u + k];
}

/* of a joint that is switched off: rows of zeros hold nothing */
static void no_rows(tn_system *s, const tn_joint *j) {
  for (int i = 0; i < j->rows + j->rows_velocity; i++) {
    const int r = i < j->rows ? j->row + i : j->row_velocity + i - j->rows;
    s->rows.C[r] = s->rows.Ct[r] = s->rows.Cdot[r] = s->rows.gamma[r] = 0;
  }
  memset(s->rows.R + j->R, 0, sizeof *s->rows.R * (size_t)((j->rows + j->rows_velocity) * j->touches * j->stride));
}

static int row_number(const tn_joint *j, int i) { return i < j->rows ? j->row + i : j->row_velocity + i - j->rows; }

/* the two rows of pins: +-(1, 0, -y) and +-(0, 1, x) */
static void pin_rows(tn_system *s) {
  const size_t nu = (size_t)s->m->nu;
  for (const tn_pin *p = s->m->pin, *end = p + s->m->pins; p < end; p++)
    for (int k = 0; k < 2; k++) {
      if (p->body[k] < 0) continue;
      const double *arm = s->rows.R + p->R + 2 * k, sign = k ? 1 : -1;
      double *x = s->A + (size_t)p->row * nu + 3 * p->body[k], *y = x + nu;
      x[0] = y[1] = sign;
      x[1] = y[0] = 0;
      x[2] = 0 - sign * arm[1];
      y[2] = 0 + sign * arm[0];
    }
}

/* where all bodies are plain, a row on the twist of a body is one on its speeds */
static void plain_rows(tn_system *s, const tn_joint *j) {
  const tn_model *m = s->m;
  const int twist = m->twist;
  for (int r = 0; !j->in_tree && r < j->rows + j->rows_velocity; r++) {
    double *row = s->A + (size_t)row_number(j, r) * (size_t)m->nu;
    for (int k = 0; k < j->touches; k++)
      for (int c = 0; c < twist; c++) row[twist * j->touch[k].body + c] = 0;
    for (int k = 0; k < j->touches; k++) {
      const tn_touch *t = &j->touch[k];
      double room[3], *at = row + (t->speed >= 0 ? t->speed : twist * t->body);
      const double *R = tn_touch_row(s, j, r, k, room);
      for (int c = 0; c < (t->speed >= 0 ? 1 : twist); c++) at[c] += R[c];
    }
  }
}

void tn_dense_rows(tn_system *s) {
  assert(tn_knows(s, TN_LEVEL_ROWS) && !s->m->large);
  const tn_model *m = s->m;
  if (m->plain && !m->owned) {
    pin_rows(s);
    for (int i = 0; m->pins < m->joints && i < m->joints; i++)
      if (!m->joint[i].pin) plain_rows(s, &m->joint[i]);
    return;
  }
  tn_seen at = {.body = -1};
  memset(s->A, 0, sizeof *s->A * (size_t)m->rows * (size_t)m->nu);
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int r = 0; !j->in_tree && r < j->rows + j->rows_velocity; r++) {
      double *row = s->A + (size_t)row_number(j, r) * (size_t)m->nu;
      if (m->relative) memset(s->room.size, 0, sizeof *s->room.size * (size_t)m->nu);
      for (int k = 0; k < j->touches; k++) {
        double room[3];
        const double *R = tn_touch_row(s, j, r, k, room);
        const tn_touch *t = &j->touch[k];
        at.body = t->body;
        if (j->owner >= 0)
          memcpy(row + t->speed, R, sizeof *R * (size_t)m->body[t->body].nu);
        else if (t->speed >= 0)
          row[t->speed] += R[0];
        else
          tn_add_row(s, &at, R, row, m->relative ? s->room.size : NULL);
      }
      if (m->relative) tn_clean_row(m->nu, row, s->room.size);
    }
  }
}

void tn_rows_times(const tn_system *s, const double *x, const double *gains, double *r) {
  assert(tn_knows(s, TN_LEVEL_ROWS));
  const tn_model *m = s->m;
  for (int i = 0; i < m->pins; i++) {
    const tn_pin *p = &m->pin[i];
    const double *R = s->rows.R + p->R;
    double d[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      if (p->body[k] < 0) continue;
      const double *g = gains + 3 * p->body[k], sign = k ? 1 : -1;
      d[0] += sign * (g[0] - g[2] * R[2 * k + 1]);
      d[1] += sign * (g[1] + g[2] * R[2 * k]);
    }
    r[p->row] = d[0];
    r[p->row + 1] = d[1];
  }
  if (m->pins == m->joints + m->owned) return;
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int k = 0; !j->in_tree && !j->pin && k < j->rows + j->rows_velocity; k++) {
      double sum = 0;
      for (int l = 0; l < j->touches; l++) {
        const double *R = touch_row(s, j, k, l);
        const tn_touch *t = &j->touch[l];
        if (t->speed >= 0)
          sum += tn_dot(j->owner >= 0 ? m->body[t->body].nu : 1, R, x + t->speed);
        else
          sum += tn_dot(m->twist, R, gains + m->twist * t->body);
      }
      r[row_number(j, k)] = sum;
    }
  }
}

void tn_other_rows(tn_system *s) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->in_tree || j->pin || j->listed) continue;
    if (j->owner >= 0)
      own_row(s, j);
    else if (s->given.off[i])
      no_rows(s, j);
    else if (j->equation.expr)
      tn_equation_rows(s, j);
    else if (j->terms)
      channel_row(s, j);
    else
      joint_rows(s, j);
  }
}
