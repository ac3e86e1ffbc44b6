/* rows of the joints: a row J on the twists of its frames becomes a row of A through the bodies' motion axes,
 *   (1) A = sum_f J_f X_f J_body(f), X_f from the body's frame to the joint's
 *   (2) gamma = gamma_joint - sum_f J_f (a0, al0)_f
 * rows on channels:
 *   (3) C = sum c_k m_k - f(t), Ct = -f', row = sum c_k J_k, gamma = f'' - sum c_k m_k''(udot = 0) */
#include "assemble/assemble.h"

void tn_add_row(const tn_system *s, const tn_spot *spot, const tn_frame2 *f, const double row[3], double *x) {
  if (spot->body < 0) return;
  const tn_body *b = &s->m->body[spot->body];
  const tn_frame2 *o = &s->body[spot->body];
  const double *J = s->J[spot->body];
  const int n = b->cols;
  const double rw = row[2] + row[1] * (f->r[0] - o->r[0]) - row[0] * (f->r[1] - o->r[1]);
  for (int c = 0; c < n; c++) x[b->col[c]] += row[0] * J[c] + row[1] * J[n + c] + rw * J[2 * n + c];
}

static double times_twist(const double *J, const tn_frame2 *f) { return J[0] * f->v[0] + J[1] * f->v[1] + J[2] * f->w; }

static double times_bias(const double *J, const tn_frame2 *f) {
  return J[0] * f->a0[0] + J[1] * f->a0[1] + J[2] * f->al0;
}

/* frames and row of a measure: returns the number of frames */
static int measure_row(const tn_system *s, const tn_measure *of, tn_spot spot[2], tn_frame2 f[2], double J[6],
                       double *value, double *gamma) {
  memset(J, 0, 6 * sizeof *J);
  *gamma = 0;
  if (!of->of_joint) {
    spot[0] = (tn_spot){of->part, {0, 0}, 0};
    f[0] = s->body[of->part];
    J[of->k] = 1;
    *value = of->k == 2 ? f[0].angle : f[0].r[of->k];
    return 1;
  }
  const tn_joint *j = &s->m->joint[of->part];
  double v[3], g[3], all[18];
  for (int k = 0; k < 2; k++) {
    spot[k] = j->spot[k];
    tn_frame_on(s, &spot[k], &f[k]);
  }
  j->type->plane.measure(j->self, f, v, all, g);
  memcpy(J, all + 6 * of->k, 6 * sizeof *J);
  *value = v[of->k];
  *gamma = g[of->k];
  return 2;
}

void tn_measure_eval(const tn_system *s, const tn_measure *of, double *value, double *rate, double *accel0,
                     double *row) {
  tn_spot spot[2];
  tn_frame2 f[2];
  double J[6], gamma;
  const int n = measure_row(s, of, spot, f, J, value, &gamma);
  *rate = 0;
  *accel0 = -gamma;
  for (int k = 0; k < n; k++) {
    *rate += times_twist(J + 3 * k, &f[k]);
    *accel0 += times_bias(J + 3 * k, &f[k]);
    if (row) tn_add_row(s, &spot[k], &f[k], J + 3 * k, row);
  }
}

void tn_measure_push(const tn_system *s, const tn_measure *of, double effort, double *wrench) {
  tn_spot spot[2];
  tn_frame2 f[2];
  double J[6], value, gamma;
  const int n = measure_row(s, of, spot, f, J, &value, &gamma);
  for (int k = 0; k < n; k++) {
    if (spot[k].body < 0) continue;
    const tn_frame2 *b = &s->body[spot[k].body];
    const double *j = J + 3 * k;
    double *w = wrench + 3 * spot[k].body;
    w[0] += effort * j[0];
    w[1] += effort * j[1];
    w[2] += effort * (j[2] + (f[k].r[0] - b->r[0]) * j[1] - (f[k].r[1] - b->r[1]) * j[0]);
  }
}

static void channel_row(tn_system *s, const tn_joint *j) {
  const int r = j->row;
  double jet[3], *row = s->A + (size_t)r * (size_t)s->m->nu;
  tn_expr_jet(j->value, s->t, jet);
  s->C[r] = -jet[0];
  s->Ct[r] = -jet[1];
  s->Cdot[r] = -jet[1];
  s->gamma[r] = jet[2];
  for (int k = 0; k < j->terms; k++) {
    const double c = j->term[k].coefficient;
    double value, rate, accel0;
    memset(s->row, 0, sizeof *s->row * (size_t)s->m->nu);
    tn_measure_eval(s, &j->term[k].of, &value, &rate, &accel0, s->row);
    for (int i = 0; i < s->m->nu; i++) row[i] += c * s->row[i];
    s->C[r] += c * value;
    s->Cdot[r] += c * rate;
    s->gamma[r] -= c * accel0;
  }
}

static void joint_rows(tn_system *s, const tn_joint *j) {
  const tn_joint2 *type = &j->type->plane;
  const int nu = s->m->nu, n = j->rows + j->rows_velocity, width = 3 * j->frames;
  double C[3], Ct[3], gamma[3], *J = s->row;
  tn_frame2 *f = s->frame;
  for (int k = 0; k < j->frames; k++) tn_frame_on(s, &j->spot[k], &f[k]);
  type->position(j->self, s->t, f, C);
  type->rows_on_twists(j->self, s->t, f, J);
  type->rates(j->self, s->t, f, Ct, gamma);
  for (int i = 0; i < n; i++) {
    const int r = i < j->rows ? j->row + i : j->row_velocity + i - j->rows;
    s->C[r] = i < j->rows ? C[i] : 0;
    s->Ct[r] = Ct[i];
    s->Cdot[r] = Ct[i];
    s->gamma[r] = gamma[i];
    for (int k = 0; k < j->frames; k++) {
      const double *Jf = J + i * width + 3 * k;
      s->Cdot[r] += times_twist(Jf, &f[k]);
      s->gamma[r] -= times_bias(Jf, &f[k]);
      tn_add_row(s, &j->spot[k], &f[k], Jf, s->A + (size_t)r * (size_t)nu);
    }
  }
}

void tn_assemble_rows(tn_system *s) {
  const tn_model *m = s->m;
  memset(s->A, 0, sizeof *s->A * (size_t)m->rows * (size_t)m->nu);
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->in_tree) continue;
    if (j->terms)
      channel_row(s, j);
    else
      joint_rows(s, j);
  }
}

void tn_rows_position(tn_system *s) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->in_tree) continue;
    if (j->terms) {
      double jet[3];
      tn_expr_jet(j->value, s->t, jet);
      s->C[j->row] = -jet[0];
      for (int k = 0; k < j->terms; k++) {
        double value, rate, accel0;
        tn_measure_eval(s, &j->term[k].of, &value, &rate, &accel0, NULL);
        s->C[j->row] += j->term[k].coefficient * value;
      }
    } else if (j->rows) {
      for (int k = 0; k < j->frames; k++) tn_frame_on(s, &j->spot[k], &s->frame[k]);
      double C[3];
      j->type->plane.position(j->self, s->t, s->frame, C);
      memcpy(s->C + j->row, C, sizeof *C * (size_t)j->rows);
    }
  }
}
