/* which reactions are unique. Multipliers are determined up to the left null space of A: c with c'A = 0 are efforts of rows that
 * hold each other and move nothing.
 *   (1) a reaction is linear in lambda, also of a joint that carries a body and has no rows: w(lambda + c) = w(lambda) + w(c)
 *   (2) a component is unique if it vanishes in w(c) for every c of a basis
 *   (3) a column of output is unique if it is the same for lambda and lambda + c; `the same` is measured by what it becomes when
 *       every reaction changes by as much on its own, so that a sum that is given while its terms are not is found out
 * which of them is shown: sharing.c. lengths of forces against torques: by the model's length. All of it is looked at in general positions, one on the way and one
 * beside it: a component that is unique only as long as a link lies along an axis of the world is not. */
#include "simulate/simulate.h"

static const double UNIQUE = 1e-7; /* of the largest change of any component */

bool tn_redundancy(tn_sim *s, const double *q, int *redundant) {
  const tn_model *m = s->m;
  tn_kkt *k = &s->start.rows.kkt;
  *redundant = 0;
  if (m->large) return false; /* its rows are independent, or it would not have started */
  if (tn_solver_at(&s->solver, s->now.t, q, tn_u_of(s, s->now.y), NULL) != TN_OK) return false;
  k->rows = m->rows;
  k->rank = s->solver.rank;
  tn_need(&s->solver.sys, TN_LEVEL_MATRICES);
  if (!tn_kkt_factor(k, s->solver.sys.M, s->solver.sys.A, m->sigma ? s->start.rows.sigma : NULL)) return false;
  *redundant = m->rows - k->independent;
  return true;
}

/* component i of a wrench or row as energy */
static double as_energy(const tn_model *m, int joint, int component) {
  return component < m->dimension ? tn_joint_length(m, joint) : 1;
}

/* null vector number e, its largest effort 1 J. false: of a row that is switched off, which is none */
static bool null_vector(tn_sim *s, int e, double *c) {
  const tn_model *m = s->m;
  double most = 0;
  const int row = tn_kkt_dependence(&s->start.rows.kkt, e, c);
  if (s->solver.sys.given.off[m->row_joint[row]]) return false;
  for (int i = 0; i < m->rows; i++) most = fmax(most, tn_effort_energy(m, i, c[i]));
  for (int i = 0; i < m->rows && most > 0; i++) c[i] /= most;
  return true;
}

/* w (twist) in the axes of the joint's first frame */
static void in_joint_axes(const tn_system *sys, const tn_joint *j, const double *w, double *out) {
  if (sys->m->dimension == 2) {
    tn_frame2 f;
    tn_frame_on(sys, &j->spot[0], &f);
    out[0] = f.c * w[0] + f.s * w[1];
    out[1] = -f.s * w[0] + f.c * w[1];
    out[2] = w[2];
  } else {
    tn_frame3 f;
    tn_frame3_on(sys, &j->spot[0], &f);
    tn_unturn3(f.A, w, out);
    tn_unturn3(f.A, w + 3, out + 3);
  }
}

/* (2) for one c: its reactions lie in solved.reaction */
static void mark(tn_sim *s, const double *c) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  double most = 0;
  for (int i = 0; i < m->joints * m->twist; i++)
    most = fmax(most, fabs(sys->solved.reaction[i]) * as_energy(m, i / m->twist, i % m->twist));
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    tn_shared *shared = &s->output.shared[i];
    const int row = j->rows ? j->row : j->row_velocity;
    if (!j->in_tree && j->rows + j->rows_velocity && tn_effort_energy(m, row, c[row]) > UNIQUE) shared->load = true;
    if (!tn_joint_has_wrench(j)) continue;
    const double *w = sys->solved.reaction + m->twist * i;
    double own[6];
    in_joint_axes(sys, j, w, own);
    for (int k = 0; k < m->wrench; k++) {
      if (fabs(w[k]) * as_energy(m, i, k) > UNIQUE * most) shared->world |= 1u << k;
      if (fabs(own[k]) * as_energy(m, i, k) > UNIQUE * most) shared->own |= 1u << k;
    }
  }
}

/* a fixed sequence, the same on every machine, of size 0.5 .. 1 with either sign */
static double jitter(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  const double x = (double)(*state >> 8) / 8388608.0 - 1;
  return x < 0 ? x / 2 - 0.5 : x / 2 + 0.5;
}

/* the outputs with the multipliers in solved.lambda into `row` */
static void outputs(tn_sim *s, bool react, double *row) {
  if (react) tn_reactions(&s->solver.sys);
  for (int i = 0, k = 0; i < s->m->outputs; i++) {
    double value[3];
    tn_expr_on(&s->solver.sys, s->m->output[i].expr, value);
    for (int j = 0; j < tn_expr_width(s->m->output[i].expr); j++) row[k++] = value[j];
  }
}

/* (3), with multipliers of the size of 1 J: any will do */
static void mark_columns(tn_sim *s, int redundant) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  double *c = s->start.rows.lambda, *base = s->output.column_base, *other = s->output.column_other;
  unsigned state = 54321;
  memset(sys->solved.udot, 0, sizeof(double) * (size_t)m->nu);
  memset(sys->solved.udot_s, 0, sizeof(double) * (size_t)m->nu);
  memset(sys->solved.lambda_s, 0, sizeof(double) * (size_t)m->rows);
  for (int i = 0; i < m->rows; i++) sys->solved.lambda[i] = jitter(&state) * m->row_scale[i];
  tn_set_solved(sys);
  outputs(s, true, base);
  for (int e = m->rows - redundant; e < m->rows; e++) {
    const double size = jitter(&state);
    if (!null_vector(s, e, c)) continue;
    for (int i = 0; i < m->rows; i++) sys->solved.lambda[i] += size * c[i];
  }
  outputs(s, true, other);
  /* every reaction on its own, from where the others have come to: to within a factor this is what a column can change by */
  for (int i = 0; i < m->rows; i++) sys->solved.lambda[i] += jitter(&state) * m->row_scale[i];
  for (int i = 0; i < m->joints * m->twist; i++)
    sys->solved.reaction[i] += jitter(&state) / as_energy(m, i / m->twist, i % m->twist);
  for (int i = 0; m->dimension == 2 && i < 2 * m->bodies; i++)
    sys->solved.pivot[i] += jitter(&state) / tn_length_at(m, i / 2);
  outputs(s, false, s->output.row);
  for (int i = 0; i < m->columns; i++)
    if (fabs(other[i] - base[i]) > UNIQUE * fabs(s->output.row[i] - other[i])) s->output.column_shared[i] = true;
}

static void look_at(tn_sim *s, const double *q) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  double *c = s->start.rows.lambda;
  int redundant;
  if (!tn_redundancy(s, q, &redundant)) return;
  for (int e = m->rows - redundant; e < m->rows; e++) {
    if (!null_vector(s, e, c)) continue;
    tn_reactions_of(sys, c, sys->solved.reaction, NULL);
    mark(s, c);
  }
  if (redundant) mark_columns(s, redundant);
}

/* one event for all columns */
static void tell(tn_sim *s) {
  char text[200] = "";
  size_t used = 0;
  int n = 0, shown = 0;
  for (int i = 0; i < s->m->columns; i++) {
    if (!s->output.column_shared[i]) continue;
    if (used + strlen(s->m->column[i]) + 3 < 110) {
      used += (size_t)tn_format(text + used, sizeof text - used, "%s%s", n ? ", " : "", s->m->column[i]);
      shown++;
    }
    n++;
  }
  if (!n) return;
  if (shown < n) tn_format(text + used, sizeof text - used, "%s%d more", shown ? " and " : "", n - shown);
  tn_log(s, s->now.t, "shared",
         "%s: redundant rows share this load in more than one way, shown as equally stiff joints would share it", text);
}

tn_status tn_unique(tn_sim *s) {
  const tn_model *m = s->m;
  memset(s->output.shared, 0, sizeof *s->output.shared * (size_t)m->joints);
  memset(s->output.column_shared, 0, sizeof *s->output.column_shared * (size_t)m->columns);
  if (m->large || !s->summary.redundant_rows) return TN_OK;
  look_at(s, s->singular.q_general);
  if (s->singular.beside) look_at(s, s->singular.q_beside);
  tell(s);
  return tn_at(s, s->now.t, s->now.y, s->e);
}
