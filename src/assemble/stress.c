/* wrenches that a joint exerts on each of its frames, at the place of that frame, for sums over all of them.
 *   (1) a joint with rows: J_k' lambda on frame k. where its rows are pure forces at some of its frames only, as those of a point
 *       on a plane are at the point, it acts there: only these frames count, and stand for the others
 *   (2) a joint that carries a body: (F, tau) on the second frame, -(F, tau + (p2 - p1) x F) on the first
 *   (3) a row on channels: each term on the frames that its channel is measured between
 *   (4) the pivot of a `swing` body: a force on the body, the opposite on its parent, at one place
 * the sign is one for all frames of a joint; sums of squares do not see it. */
#include "assemble/assemble.h"

static const double STRESS_FORCE = 1e-12; /* of a force times the model's length: a torque that is roundoff */

static bool is_pivot(const tn_model *m, int i) {
  const tn_body *b = &m->body[i - m->joints];
  return m->dimension == 2 && b->type && b->type->on_parent;
}

int tn_stress_frames(const tn_model *m, int i) {
  if (i >= m->joints) return is_pivot(m, i) ? 2 : 0;
  const tn_joint *j = &m->joint[i];
  return j->in_tree ? 2 : j->terms ? 2 * j->terms : j->frames;
}

static void place_of(const tn_system *s, const tn_seen *at, double p[3]) {
  double origin[3];
  tn_body_origin(s, at->body, origin);
  for (int d = 0; d < 3; d++) p[d] = origin[d] + at->arm[d];
}

/* rows J of a joint are forces without torque on frame k */
static bool is_force(const tn_model *m, const tn_joint *j, const double *J, int k) {
  const double L = tn_joint_length(m, (int)(j - m->joint));
  const int d = m->dimension;
  for (int r = 0; r < j->rows + j->rows_velocity; r++) {
    const double *w = J + (r * j->frames + k) * m->twist;
    double force = 0, torque = 0;
    for (int i = 0; i < m->twist; i++) *(i < d ? &force : &torque) += w[i] * w[i];
    if (!(force > 0) || sqrt(torque) > STRESS_FORCE * L * sqrt(force)) return false;
  }
  return true;
}

/* rows of a joint on its frames, into room.row; which frames it acts at, and how many of them */
static int look_at_rows(tn_system *s, const tn_joint *j, bool *acts) {
  int n = 0;
  tn_look_joint(s, j);
  tn_joint_rows(s, j, s->room.row, NULL, NULL, NULL);
  for (int k = 0; k < j->frames; k++) n += acts[k] = is_force(s->m, j, s->room.row, k);
  for (int k = 0; k < j->frames && !n; k++) acts[k] = true;
  return n ? n : j->frames;
}

static void of_rows(tn_system *s, const tn_joint *j, const double *lambda, bool *acts, double *wrench) {
  const int twist = s->m->twist, n = look_at_rows(s, j, acts);
  const double *J = s->room.row, weight = sqrt((double)j->frames / n);
  for (int r = 0; r < j->rows + j->rows_velocity; r++) {
    const double l = weight * lambda[r < j->rows ? j->row + r : j->row_velocity + r - j->rows];
    for (int k = 0; k < j->frames; k++)
      for (int d = 0; d < twist && acts[k]; d++) wrench[k * twist + d] += J[(r * j->frames + k) * twist + d] * l;
  }
}

static void of_terms(const tn_system *s, const tn_joint *j, const double *lambda, double *wrench) {
  for (int k = 0; k < j->terms; k++) {
    double place[6];
    tn_measure_wrenches(s, &j->term[k].of, tn_term_coefficient(s, j, k) * lambda[tn_term_row(j)],
                        wrench + 2 * k * s->m->twist, place);
  }
}

static void of_carrier(const tn_system *s, const tn_joint *j, const double *reaction, double *wrench) {
  const int twist = s->m->twist;
  double place[2][3], arm[3];
  for (int k = 0; k < 2; k++) {
    tn_seen seen;
    tn_look(s, &j->spot[k], NULL, NULL, &seen);
    place_of(s, &seen, place[k]);
  }
  tn_sub3(place[1], place[0], arm);
  tn_move_wrench(twist, arm, reaction, wrench);
  for (int d = 0; d < twist; d++) {
    wrench[d] = -wrench[d];
    wrench[twist + d] = reaction[d];
  }
}

void tn_stress(tn_system *s, int i, const double *lambda, const double *reaction, const double *pivot, double *wrench) {
  assert(i >= 0 && i < s->m->joints + s->m->bodies);
  const tn_model *m = s->m;
  const tn_joint *j = &m->joint[i < m->joints ? i : 0];
  memset(wrench, 0, sizeof *wrench * (size_t)(tn_stress_frames(m, i) * m->twist));
  if (i >= m->joints) {
    for (int d = 0; d < 2; d++) {
      wrench[d] = -pivot[2 * (i - m->joints) + d];
      wrench[m->twist + d] = pivot[2 * (i - m->joints) + d];
    }
  } else if (s->given.off[i]) {
    return;
  } else if (j->in_tree) {
    of_carrier(s, j, reaction + m->twist * i, wrench);
  } else if (j->terms) {
    of_terms(s, j, lambda, wrench);
  } else {
    of_rows(s, j, lambda, s->room.acts, wrench);
  }
}

int tn_stress_places(tn_system *s, int i, double *place) {
  assert(tn_knows(s, TN_LEVEL_ROWS));
  const tn_model *m = s->m;
  if (i >= m->joints) {
    for (int k = 0; k < 2; k++) tn_body_origin(s, i - m->joints, place + 3 * k);
    return 2;
  }
  const tn_joint *j = &m->joint[i];
  if (j->terms) {
    int n = 0;
    for (int k = 0; k < j->terms; k++) {
      double wrench[2 * TN_TWIST];
      n += tn_measure_wrenches(s, &j->term[k].of, 0, wrench, place + 3 * n);
    }
    return n;
  }
  if (j->type->seat == TN_SEAT_NOWHERE) return 0;
  int n = 0;
  if (!j->in_tree) look_at_rows(s, j, s->room.acts);
  for (int k = 0; k < j->frames; k++) {
    tn_seen seen;
    if (!j->in_tree && !s->room.acts[k]) continue;
    tn_look(s, &j->spot[k], NULL, NULL, &seen);
    place_of(s, &seen, place + 3 * n++);
  }
  return n;
}

void tn_mass_center(const tn_system *s, int body, double r[3]) {
  tn_spot center = tn_spot_origin(body);
  tn_seen seen;
  memcpy(center.p, s->m->body[body].center, sizeof center.p);
  tn_look(s, &center, NULL, NULL, &seen);
  place_of(s, &seen, r);
}
