/* what a picture of the motion needs, beside the outputs that the model asks for: at a row of output everything is solved, and it
 * is read off there. */
#include "joint/joint.h"
#include "simulate/simulate.h"

int tn_motion_pose(const tn_model *m) { return m->dimension == 2 ? 3 : 7; }

int tn_motion_size(const tn_model *m) {
  return tn_motion_pose(m) * m->bodies + (1 + m->wrench) * m->joints + TN_ENERGIES + TN_EFFORTS;
}

const char *const tn_effort_name[TN_EFFORTS] = {"steps", "rejected", "rhs", "guard_calls"};

double *tn_motion_poses(const tn_sim *s, double *to) {
  const tn_system *sys = &s->solver.sys;
  const tn_model *m = s->m;
  for (int i = 0; i < m->bodies; i++, to += tn_motion_pose(m)) {
    const bool turns = m->body[i].oriented;
    if (m->dimension == 2) {
      memcpy(to, sys->pose.body[i].r, 2 * sizeof *to);
      to[2] = turns ? sys->pose.body[i].angle : 0;
    } else {
      memcpy(to, sys->pose.body3[i].r, 3 * sizeof *to);
      memcpy(to + 3, (const double[4]){1, 0, 0, 0}, 4 * sizeof *to);
      if (!turns) continue;
      double R[9];
      tn_rotation3(&sys->pose.body3[i], R);
      tn_rotation_quaternion(R, to + 3);
    }
  }
  return to;
}

void tn_motion_take(tn_sim *s) {
  const tn_system *sys = &s->solver.sys;
  const tn_model *m = s->m;
  if (!s->output.moving) return;
  s->output.t_motion = sys->at.t;
  double *to = tn_motion_poses(s, s->output.motion);
  for (int i = 0; i < m->joints; i++, to += 1 + m->wrench) {
    const tn_channel violation = {
        .kind = TN_CH_VIOLATION, .part = i, .width = 1, .violated = {TN_NORM_MAX, .scaled = true}};
    tn_channel_eval(sys, &violation, to);
    if (tn_joint_has_wrench(&m->joint[i]))
      memcpy(to + 1, sys->solved.reaction + m->twist * i, sizeof *to * (size_t)m->wrench);
    else
      memset(to + 1, 0, sizeof *to * (size_t)m->wrench);
  }
  for (int i = 0; i < TN_ENERGIES; i++) *to++ = tn_energy_of(sys, (tn_energy)i);
  const double effort[TN_EFFORTS] = {(double)s->summary.steps, (double)s->summary.rejected, (double)s->summary.rhs,
                                     (double)s->solver.guard_calls};
  memcpy(to, effort, sizeof effort);
}

void tn_motion(const tn_sim *s, double t, double *to) {
  const int n = tn_motion_size(s->m);
  if (fabs(t - s->output.t_motion) <= 1e-9 * fmax(1, fabs(t)))
    memcpy(to, s->output.motion, sizeof *to * (size_t)n);
  else
    for (int i = 0; i < n; i++) to[i] = NAN;
}

void tn_motion_body(const tn_model *m, const double *row, int body, double r[3], double A[9]) {
  const double *pose = row + (size_t)tn_motion_pose(m) * (size_t)body;
  r[2] = 0;
  memcpy(r, pose, sizeof *r * (size_t)m->dimension);
  if (m->dimension == 2)
    tn_rotation_about3((const double[3]){0, 0, 1}, pose[2], A);
  else
    tn_quaternion_rotation(pose + 3, A);
}

void tn_motion_place(const tn_model *m, const double *row, const tn_spot *spot, double p[3]) {
  double r[3], A[9];
  memcpy(p, spot->p, sizeof spot->p);
  if (spot->body < 0) return;
  tn_motion_body(m, row, spot->body, r, A);
  tn_turn3(A, spot->p, p);
  tn_axpy3(1, r, p);
}
