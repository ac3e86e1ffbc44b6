/* the system M udot + A'lambda = f, A udot = gamma at a state.
 *   (1) M = sum_b J_b' M_b J_b + rods, M_b = [m 0 -m y; 0 m m x; -m y m x I + m (x^2 + y^2)], (x, y) the mass centre from the frame
 *   (2) f = sum_b J_b' (wrench_b - bias_b) */
#include "assemble/assemble.h"

void tn_system_carve(tn_system *s, tn_carve *c, const tn_model *m) {
  const int nu = m->nu, rows = m->rows, bodies = m->bodies, joints = m->joints;
  s->m = m;
  s->q = TN_CARVE(c, double, m->nq);
  s->u = TN_CARVE(c, double, nu);
  s->body = TN_CARVE(c, tn_frame2, bodies);
  s->J = TN_CARVE(c, double *, bodies);
  for (int i = 0; i < bodies; i++) {
    double *J = TN_CARVE(c, double, 3 * m->body[i].cols);
    if (c->base) s->J[i] = J;
  }
  s->M = TN_CARVE(c, double, (size_t)nu *(size_t)nu);
  s->f = TN_CARVE(c, double, nu);
  s->A = TN_CARVE(c, double, (size_t)rows *(size_t)nu);
  s->C = TN_CARVE(c, double, rows);
  s->Ct = TN_CARVE(c, double, rows);
  s->Cdot = TN_CARVE(c, double, rows);
  s->gamma = TN_CARVE(c, double, rows);
  s->wrench = TN_CARVE(c, double, 3 * bodies);
  s->bias = TN_CARVE(c, double, 3 * bodies);
  s->force = TN_CARVE(c, tn_force_out, m->forces);
  s->force_power = TN_CARVE(c, double, m->forces);
  s->udot = TN_CARVE(c, double, nu);
  s->lambda = TN_CARVE(c, double, rows);
  s->udot_s = TN_CARVE(c, double, nu);
  s->lambda_s = TN_CARVE(c, double, rows);
  s->reaction = TN_CARVE(c, double, 3 * joints);
  s->share = TN_CARVE(c, double, 3 * joints);
  s->pivot = TN_CARVE(c, double, 2 * bodies);
  s->frame = TN_CARVE(c, tn_frame2, m->max_frames + 2);
  s->row = TN_CARVE(c, double, 2 * nu + 9 * m->max_frames + 18); /* a row, two rows of a rod, or J of a joint */
  s->carried = TN_CARVE(c, double, 3 * bodies);
  s->carried_s = TN_CARVE(c, double, 3 * bodies);
}

/* M += scale (R' R) for two rows each on its columns */
static void add_product(tn_system *s, const tn_body *a, const double *x, const tn_body *b, const double *y,
                        double scale) {
  const int nu = s->m->nu;
  for (int i = 0; i < a->cols; i++) {
    const double k = scale * x[i];
    if (k == 0) continue;
    double *row = s->M + (size_t)a->col[i] * (size_t)nu;
    for (int j = 0; j < b->cols; j++) row[b->col[j]] += k * y[j];
  }
}

static void mass_of_body(tn_system *s, int i) {
  const tn_body *b = &s->m->body[i];
  const tn_frame2 *f = &s->body[i];
  const double *J = s->J[i];
  const int n = b->cols, nu = s->m->nu;
  const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1],
               m = b->mass;
  const double I = b->inertia + m * (x * x + y * y);
  for (int c = 0; c < n; c++) {
    const double vx = J[c], vy = J[n + c], w = J[2 * n + c];
    const double px = m * (vx - y * w), py = m * (vy + x * w), h = m * (x * vy - y * vx) + I * w;
    double *row = s->M + (size_t)b->col[c] * (size_t)nu;
    for (int d = 0; d < n; d++) row[b->col[d]] += px * J[d] + py * J[n + d] + h * J[2 * n + d];
  }
}

static void mass_of_rods(tn_system *s) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->rods; i++) {
    const tn_rod *r = &m->rod[i];
    for (int dir = 0; dir < 2; dir++)
      for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++) {
          const int a = r->end[k].body, b = r->end[l].body;
          if (a < 0 || b < 0) continue;
          double *x = s->row, *y = s->row + m->body[a].cols;
          const int body[2] = {a, b};
          const tn_spot *end[2] = {&r->end[k], &r->end[l]};
          double *out[2] = {x, y};
          /* velocity of the end along world axis `dir`, on the columns of its body */
          for (int e = 0; e < 2; e++) {
            const tn_frame2 *f = &s->body[body[e]];
            const double *J = s->J[body[e]], *p = end[e]->p;
            const int n = m->body[body[e]].cols;
            const double arm = dir ? f->c * p[0] - f->s * p[1] : -(f->s * p[0] + f->c * p[1]);
            for (int c = 0; c < n; c++) out[e][c] = J[dir * n + c] + arm * J[2 * n + c];
          }
          add_product(s, &m->body[a], x, &m->body[b], y, k == l ? r->mass / 3 : r->mass / 6);
        }
  }
}

void tn_assemble(tn_system *s, double t, const double *q, const double *u) {
  const tn_model *m = s->m;
  const size_t nu = (size_t)m->nu;
  tn_kinematics(s, t, q, u);
  tn_assemble_forces(s);
  memset(s->M, 0, sizeof *s->M * nu * nu);
  memset(s->f, 0, sizeof *s->f * nu);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    const double *J = s->J[i], *w = s->wrench + 3 * i, *h = s->bias + 3 * i;
    const int n = b->cols;
    if (b->mass > 0 || b->inertia > 0) mass_of_body(s, i);
    for (int c = 0; c < n; c++)
      s->f[b->col[c]] += J[c] * (w[0] - h[0]) + J[n + c] * (w[1] - h[1]) + J[2 * n + c] * (w[2] - h[2]);
  }
  mass_of_rods(s);
  tn_assemble_rows(s);
  s->complete = true;
}

void tn_assemble_position(tn_system *s, double t, const double *q) {
  /* velocities do not matter for C: those of the last state stand */
  s->complete = false;
  tn_kinematics(s, t, q, s->u);
  tn_rows_position(s);
}

double tn_system_extent(const tn_system *s) {
  double most = 1;
  for (int i = 0; i < s->m->bodies; i++)
    most = fmax(most, fmax(fabs(s->body[i].r[0]), fabs(s->body[i].r[1])) / s->m->length);
  return most;
}

double tn_system_speed(const tn_system *s) {
  double most = 0;
  for (int i = 0; i < s->m->bodies; i++) {
    const tn_frame2 *f = &s->body[i];
    most = fmax(most, fmax(fmax(fabs(f->v[0]), fabs(f->v[1])) / s->m->length, fabs(f->w)));
  }
  return most;
}

bool tn_system_fault(const tn_system *s, char *text, size_t size) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->nq; i++)
    if (!isfinite(s->q[i]) || !isfinite(s->u[i])) {
      tn_format(text, size, "%s or its rate is not a finite number", m->q_name[i]);
      return true;
    }
  for (int i = 0; i < m->forces; i++) {
    double sum = s->force[i].effort + s->force[i].energy;
    for (int k = 0; k < 6; k++) sum += s->force[i].w[k];
    if (!isfinite(sum)) {
      tn_format(text, size, "force '%s' is not a finite number", m->force[i].name);
      return true;
    }
  }
  for (int i = 0; i < m->rows; i++) {
    double sum = s->C[i] + s->gamma[i] + s->Cdot[i];
    for (int k = 0; k < m->nu; k++) sum += s->A[(size_t)i * (size_t)m->nu + (size_t)k];
    if (!isfinite(sum)) {
      tn_format(text, size, "joint '%s' is not a finite number", m->joint[m->row_joint[i]].name);
      return true;
    }
  }
  return false;
}

void tn_system_view(const tn_system *s, tn_view *v) {
  const tn_model *m = s->m;
  *v = (tn_view){.coordinates = m->nq,
                 .speeds = m->nu,
                 .rows = m->rows,
                 .holonomic = m->holonomic,
                 .t = s->t,
                 .length = m->length,
                 .q = s->q,
                 .u = s->u,
                 .M = s->M,
                 .f = s->f,
                 .A = s->A,
                 .C = s->C,
                 .Cdot = s->Cdot,
                 .gamma = s->gamma,
                 .scale = m->row_scale};
}
