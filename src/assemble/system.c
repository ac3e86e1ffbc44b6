/* the system M udot + A'lambda = f, A udot = gamma at a state.
 *   (1) M = sum_b J_b' M_b J_b + rods + sum_w I_w r_w r_w' of flywheels, r_w the row of the coordinate; M_b = [m 0 -m y; 0 m m x; -m y m x I + m (x^2 + y^2)], (x, y) the mass centre from the
 *       frame; in space M_b (v, w) = (p, h), p = m (v + w x rho), h = I w + rho x p
 *   (2) f = sum_b J_b' (wrench_b - bias_b) */
#include "assemble/assemble.h"

/* 1: how regular coordinates are (bodies say it, 1 at best): below, the run ends */
static const double REGULAR_LEAST = 1e-8;

/* joints that evaluate functions of time themselves do not know the system: a copy of their parameters has functions that do */
static const void *copy_self(tn_system *s, tn_carve *c, const tn_joint *j) {
  unsigned char *self = NULL;
  for (const tn_field *f = j->type->seat == TN_SEAT_CHANNELS ? NULL : j->type->fields; f && f->key; f++) {
    const tn_expr *expr = NULL;
    if (f->kind == TN_TIME) memcpy(&expr, (const unsigned char *)j->self + f->offset, sizeof expr);
    const size_t size = expr ? tn_expr_copy_size(expr) : 0;
    if (!size) continue;
    if (!self) {
      self = tn_carve_bytes(c, j->type->size);
      if (c->base) memcpy(self, j->self, j->type->size);
    }
    void *room = tn_carve_bytes(c, size);
    if (!c->base) continue;
    expr = tn_expr_copy(expr, &s->given.switching, room);
    memcpy(self + f->offset, &expr, sizeof expr);
  }
  return c->base && self ? self : j->self;
}

static void copy_selves(tn_system *s, tn_carve *c, const tn_model *m) {
  bool some = false;
  for (int i = 0; i < m->switches; i++) some = some || m->switched[i].in_joint;
  some = some || m->parameters_in_joints;
  const void **self = TN_CARVE(c, const void *, some ? m->joints + m->owned : 0);
  if (c->base) s->given.self = some ? self : NULL;
  for (int i = 0; some && i < m->joints + m->owned; i++) {
    const void *x = m->joint[i].self && m->joint[i].type ? copy_self(s, c, &m->joint[i]) : m->joint[i].self;
    if (c->base) self[i] = x;
  }
}

static void zero(const tn_carve *c, double *x, uint64_t n) {
  if (c->base) memset(x, 0, sizeof *x * (size_t)n);
}

/* of a body whose speeds are its twist: the unit matrix, and it stays so */
static void fill_plain(const tn_system *s, int i, int twist) {
  for (int k = 0; k < twist * twist; k++) s->pose.S[i][k] = k % (twist + 1) == 0;
  for (int k = 0; k < twist * twist && !s->m->large; k++) s->J[i][k] = s->pose.S[i][k];
}

/* frames of the bodies, their motion axes S and their rows J */
static void carve_bodies(tn_system *s, tn_carve *c, const tn_model *m) {
  const int plane = m->dimension == 2, twist = m->twist, bodies = m->bodies;
  s->pose.body = TN_CARVE(c, tn_frame2, plane ? bodies : 0);
  if (c->base)
    memset(s->pose.body, 0, sizeof *s->pose.body * (size_t)(plane ? bodies : 0)); /* of plain bodies a0 stays so */
  s->pose.body3 = TN_CARVE(c, tn_frame3, plane ? 0 : bodies);
  s->given.memory = TN_CARVE(c, double, m->memory);
  s->pose.S = TN_CARVE(c, double *, bodies);
  s->J = TN_CARVE(c, double *, bodies);
  double *S = TN_CARVE(c, double, (uint64_t)twist *(uint64_t)m->nu); /* all together, in the order of speeds */
  for (int i = 0; i < bodies; i++) {
    double *J = TN_CARVE(c, double, m->large ? 0 : twist * m->body[i].cols);
    if (!c->base) continue;
    s->J[i] = J;
    s->pose.S[i] = S + twist * m->body[i].u;
    if (m->body[i].plain) fill_plain(s, i, twist);
  }
}

/* M, f, A, and what belongs to the rows */
static void carve_equations(tn_system *s, tn_carve *c, const tn_model *m) {
  const int nu = m->nu, rows = m->rows;
  const uint64_t masses = m->large ? 0 : (uint64_t)nu * (uint64_t)nu,
                 matrix = m->large ? 0 : (uint64_t)rows * (uint64_t)nu;
  s->M = TN_CARVE(c, double, masses);
  s->f = TN_CARVE(c, double, nu);
  s->A = TN_CARVE(c, double, matrix);
  zero(c, s->M, masses); /* of plain models what is zero stays so */
  zero(c, s->A, matrix);
  s->rows.R = TN_CARVE(c, double, m->R + 1);
  s->rows.coefficient = TN_CARVE(c, double, m->coefficients);
  zero(c, s->rows.coefficient, (uint64_t)m->coefficients); /* of one that is switched off */
  s->rows.term = (double(*)[3])TN_CARVE(c, double, 3 * m->coefficients);
  s->rows.C = TN_CARVE(c, double, rows);
  s->rows.Ct = TN_CARVE(c, double, rows);
  zero(c, s->rows.Ct, (uint64_t)rows); /* of pins it stays so */
  s->rows.Cdot = TN_CARVE(c, double, rows);
  s->rows.scale = TN_CARVE(c, double, rows);
  if (c->base) memcpy(s->rows.scale, m->row_scale, sizeof *s->rows.scale * (size_t)rows);
  s->room.extent = TN_CARVE(c, double, m->assemblies + 1);
  s->rows.gamma = TN_CARVE(c, double, rows);
}

/* wrenches, states, and what forces have told */
static void carve_forces(tn_system *s, tn_carve *c, const tn_model *m) {
  const int twist = m->twist, bodies = m->bodies;
  s->forces.wrench = TN_CARVE(c, double, twist *bodies);
  s->forces.bias = TN_CARVE(c, double, m->rods || m->flywheels ? twist * bodies : 0);
  s->at.state = TN_CARVE(c, double, m->states);
  s->forces.state_rate = TN_CARVE(c, double, m->states);
  zero(c, s->at.state, (uint64_t)m->states);
  s->forces.out = TN_CARVE(c, tn_force_out, m->forces);
  s->forces.power_of = TN_CARVE(c, double, m->forces);
  s->forces.side_power = TN_CARVE(c, double, m->assemblies > 1 ? 2 * m->forces : 0);
  s->forces.load = TN_CARVE(c, double, m->loaded ? m->forces : 0);
  s->unloaded.wrench = TN_CARVE(c, double, m->loaded ? twist *bodies : 0);
}

/* accelerations and multipliers, and the reactions that follow from them */
static void carve_solution(tn_system *s, tn_carve *c, const tn_model *m) {
  s->solved.udot = TN_CARVE(c, double, m->nu);
  s->solved.lambda = TN_CARVE(c, double, m->rows);
  s->solved.udot_s = TN_CARVE(c, double, m->nu);
  s->solved.lambda_s = TN_CARVE(c, double, m->rows);
  s->solved.effort = TN_CARVE(c, double, m->servos);
  s->solved.reaction = TN_CARVE(c, double, m->twist * m->joints);
  s->solved.share = TN_CARVE(c, double, m->twist * m->joints);
  s->solved.pivot = TN_CARVE(c, double, 2 * m->bodies);
}

/* what one evaluation leaves to the next function, and nobody else */
static void carve_scratch(tn_system *s, tn_carve *c, const tn_model *m) {
  const int nu = m->nu, twist = m->twist, bodies = m->bodies;
  s->room.frame = TN_CARVE(c, tn_frame2, m->max_frames + 2);
  s->room.frame3 = TN_CARVE(c, tn_frame3, m->dimension == 2 ? 0 : m->max_frames + 2);
  s->room.seen = TN_CARVE(c, tn_seen, m->max_frames + 2);
  s->room.acts = TN_CARVE(c, bool, m->max_frames + 2);
  s->room.row =
      TN_CARVE(c, double, 2 * nu + twist * twist * (m->max_frames + 2)); /* a row, two rows of a rod, or J of a joint */
  s->room.size = TN_CARVE(c, double, nu);
  s->room.carried = TN_CARVE(c, double, twist *bodies);
  s->room.carried_s = TN_CARVE(c, double, twist *bodies);
  s->room.gains = TN_CARVE(c, double, twist *bodies);
  s->room.gains_s = TN_CARVE(c, double, twist *bodies);
}

/* branches of piecewise functions, parameters, and what is switched off */
static void carve_switching(tn_system *s, tn_carve *c, const tn_model *m) {
  const int joints = m->joints + m->owned;
  copy_selves(s, c, m);
  s->given.switching.piece = TN_CARVE(c, double, m->switches);
  s->given.switching.margin = TN_CARVE(c, double, m->switches);
  s->given.switching.live = TN_CARVE(c, double, m->switches);
  s->given.switching.parameter = TN_CARVE(c, double, m->parameters);
  s->given.off = TN_CARVE(c, bool, joints);
  s->given.force_off = TN_CARVE(c, bool, m->forces);
  if (!c->base) return;
  for (int i = 0; i < m->switches; i++) s->given.switching.margin[i] = INFINITY;
  for (int i = 0; i < m->parameters; i++) s->given.switching.parameter[i] = m->parameter[i].value;
  for (int i = 0; i < joints; i++) s->given.off[i] = false;
  for (int i = 0; i < m->joints; i++)
    if (m->joint[i].off) tn_system_switch(s, true, i, false);
  for (int i = 0; i < m->forces; i++) s->given.force_off[i] = m->force[i].off;
}

void tn_system_carve(tn_system *s, tn_carve *c, const tn_model *m) {
  s->m = m;
  s->known.place = s->known.epoch = 1;
  s->at.q = TN_CARVE(c, double, m->nq);
  s->at.u = TN_CARVE(c, double, m->nu);
  carve_bodies(s, c, m);
  carve_equations(s, c, m);
  carve_forces(s, c, m);
  carve_solution(s, c, m);
  carve_scratch(s, c, m);
  carve_switching(s, c, m);
  s->room.probe = TN_CARVE(c, double, m->jacobian_room ? m->nu + m->twist * m->bodies + m->rows + m->jacobian_room : 0);
  s->view = (tn_view){.coordinates = m->nq,
                      .speeds = m->nu,
                      .rows = m->rows,
                      .holonomic = m->holonomic,
                      .large = m->large,
                      .length = m->length,
                      .q = s->at.q,
                      .u = s->at.u,
                      .M = m->large ? NULL : s->M,
                      .f = s->f,
                      .A = m->large ? NULL : s->A,
                      .C = s->rows.C,
                      .Cdot = s->rows.Cdot,
                      .gamma = s->rows.gamma,
                      .scale = s->rows.scale,
                      .Ct = s->rows.Ct,
                      .sigma = m->sigma};
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

/* of a body whose speeds are its twist: rows `pad` apart. what is added to 0 has no sign where it is zero */
static void mass_of_twist(const tn_system *s, int i, int pad, double *M) {
  const tn_body *b = &s->m->body[i];
  const tn_frame2 *f = &s->pose.body[i];
  const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1],
               m = b->mass;
  double *const row[3] = {M, M + pad, M + 2 * pad};
  row[0][0] = row[1][1] = m;
  row[0][1] = row[1][0] = 0;
  row[0][2] = row[2][0] = 0 - m * y;
  row[1][2] = row[2][1] = 0 + m * x;
  row[2][2] = b->inertia + m * (x * x + y * y);
}

/* the same in space */
static void mass_of_twist3(const tn_system *s, int i, int pad, double *M) {
  const tn_body *b = &s->m->body[i];
  const tn_frame3 *f = &s->pose.body3[i];
  const double m = b->mass;
  double rho[3], AI[9], I[9];
  tn_turn3(f->A, b->center, rho);
  tn_product3(f->A, b->tensor, AI);
  tn_product_t3(AI, f->A, I);
  for (int c = 0; c < 3; c++) {
    double *row = M + c * pad, *low = M + (3 + c) * pad, p[3], x[3];
    double e[3] = {0};
    e[c] = m;
    tn_cross3(rho, e, x);
    for (int k = 0; k < 3; k++) row[k] = e[k], row[3 + k] = 0 + x[k];
    e[c] = 1;
    tn_cross3(e, rho, p);
    for (int k = 0; k < 3; k++) p[k] *= m;
    tn_cross3(rho, p, x);
    for (int k = 0; k < 3; k++) low[k] = 0 + p[k], low[3 + k] = 0 + (I[3 * k + c] + x[k]);
  }
}

static void mass_of_body(tn_system *s, int i) {
  const tn_body *b = &s->m->body[i];
  const tn_frame2 *f = &s->pose.body[i];
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

static void mass_of_body3(tn_system *s, int i) {
  const tn_body *b = &s->m->body[i];
  const tn_frame3 *f = &s->pose.body3[i];
  const double *J = s->J[i], m = b->mass;
  const int n = b->cols, nu = s->m->nu;
  double rho[3], AI[9], I[9];
  tn_turn3(f->A, b->center, rho);
  tn_product3(f->A, b->tensor, AI);
  tn_product_t3(AI, f->A, I);
  for (int c = 0; c < n; c++) {
    const double v[3] = {J[c], J[n + c], J[2 * n + c]}, w[3] = {J[3 * n + c], J[4 * n + c], J[5 * n + c]};
    double p[3], h[3], x[3];
    tn_cross3(w, rho, p);
    for (int k = 0; k < 3; k++) p[k] = m * (p[k] + v[k]);
    tn_turn3(I, w, h);
    tn_cross3(rho, p, x);
    tn_axpy3(1, x, h);
    double *row = s->M + (size_t)b->col[c] * (size_t)nu;
    for (int d = 0; d < n; d++)
      row[b->col[d]] += p[0] * J[d] + p[1] * J[n + d] + p[2] * J[2 * n + d] + h[0] * J[3 * n + d] +
                        h[1] * J[4 * n + d] + h[2] * J[5 * n + d];
  }
}

/* where bodies stretch, what p = m (v + w x rho + eps rho) has beyond m (v + w x rho), on v and w and on eps */
static void mass_of_stretch(tn_system *s, int i) {
  const tn_body *b = &s->m->body[i];
  const double *J = s->J[i], m = b->mass;
  const int n = b->cols, nu = s->m->nu;
  double rho[3];
  tn_turn3(s->pose.body3[i].A, b->center, rho);
  const double square = tn_dot3(rho, rho);
  for (int c = 0; c < n; c++)
    for (int d = 0; d < n; d++) { /* rho'(w x rho) is 0 */
      const double along_c = rho[0] * J[c] + rho[1] * J[n + c] + rho[2] * J[2 * n + c],
                   along_d = rho[0] * J[d] + rho[1] * J[n + d] + rho[2] * J[2 * n + d];
      s->M[(size_t)b->col[c] * (size_t)nu + (size_t)b->col[d]] +=
          m * (J[6 * n + c] * along_d + along_c * J[6 * n + d] + square * J[6 * n + c] * J[6 * n + d]);
    }
}

/* velocity of a place along world axis `dir`, on the columns of its body */
static void velocity_row(const tn_system *s, const tn_seen *at, int dir, double *out) {
  const int n = s->m->body[at->body].cols, twist = s->m->twist;
  const double *J = s->J[at->body];
  double e[TN_TWIST] = {0}, root[TN_TWIST] = {0};
  e[dir] = 1;
  tn_move_wrench(twist, at->arm, e, root);
  for (int c = 0; c < n; c++) {
    out[c] = 0;
    for (int r = 0; r < twist; r++) out[c] += root[r] * J[r * n + c];
  }
}

static void mass_of_rods(tn_system *s) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->rods; i++) {
    const tn_rod *r = &m->rod[i];
    tn_seen end[2];
    for (int k = 0; k < 2; k++) tn_look(s, &r->end[k], NULL, NULL, &end[k]);
    for (int dir = 0; dir < m->dimension; dir++)
      for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++) {
          const int a = end[k].body, b = end[l].body;
          if (a < 0 || b < 0) continue;
          double *x = s->room.row, *y = s->room.row + m->body[a].cols;
          velocity_row(s, &end[k], dir, x);
          velocity_row(s, &end[l], dir, y);
          add_product(s, &m->body[a], x, &m->body[b], y, k == l ? r->own[k] : r->shared);
        }
  }
}

static void mass_of_flywheels(tn_system *s) {
  const int nu = s->m->nu;
  for (int e = 0; e < s->m->flywheels; e++) {
    const tn_flywheel *wheel = &s->m->flywheel[e];
    double value, rate, accel, *row = s->room.row;
    memset(row, 0, sizeof *row * (size_t)nu);
    tn_measure_eval(s, &wheel->on, &value, &rate, &accel, row);
    for (int i = 0; i < nu; i++)
      for (int j = 0; row[i] != 0 && j < nu; j++)
        s->M[(size_t)i * (size_t)nu + (size_t)j] += wheel->inertia * row[i] * row[j];
  }
}

/* J of a body: its parent's, moved to its origin, and its own axes */
static void axes_of_body(tn_system *s, int i) {
  const tn_model *m = s->m;
  const tn_body *b = &m->body[i];
  const int own = b->nu, n = b->cols, inherited = n - own, twist = m->twist;
  double *J = s->J[i];
  const double *S = s->pose.S[i];
  if (inherited) {
    const double *P = s->J[b->parent];
    const bool turns = !b->type || b->type->turns_with_parent;
    double here[3], there[3], d[3];
    tn_body_origin(s, i, here);
    tn_body_origin(s, b->parent, there);
    tn_sub3(here, there, d);
    for (int c = 0; c < inherited; c++) {
      if (twist == 3) {
        const double w = P[2 * inherited + c];
        J[c] = P[c] - w * d[1];
        J[n + c] = P[inherited + c] + w * d[0];
        J[2 * n + c] = turns ? w : 0;
      } else {
        const double w[3] = {P[3 * inherited + c], P[4 * inherited + c], P[5 * inherited + c]};
        double x[3];
        tn_cross3(w, d, x);
        for (int r = 0; r < 3; r++) {
          J[r * n + c] = P[r * inherited + c] + x[r];
          J[(3 + r) * n + c] = turns ? w[r] : 0;
        }
      }
    }
  }
  for (int r = 0; r < twist; r++)
    for (int c = 0; c < own; c++) J[r * n + inherited + c] = S[r * own + c];
}

/* (2), from the leaves to the root: on its own speeds, and on what it stands on */
void tn_generalized_forces(tn_system *s) {
  const tn_model *m = s->m;
  const int twist = m->twist;
  for (int i = 0; i < m->bodies; i++) tn_body_net(s, i, s->room.gains + twist * i);
  s->known.motion = TN_LEVEL_GENERALIZED;
  if (m->plain) {
    for (int i = 0; i < m->nu; i++) s->f[i] = 0 + s->room.gains[i];
    return;
  }
  for (int k = m->bodies - 1; k >= 0; k--) {
    const int i = m->order[k];
    const tn_body *b = &m->body[i];
    double *net = s->room.gains + twist * i;
    const double *S = s->pose.S[i];
    for (int c = 0; c < b->nu; c++) {
      double sum = 0;
      for (int r = 0; r < twist; r++) sum += S[r * b->nu + c] * net[r];
      s->f[b->u + c] = sum;
    }
    if (b->parent < 0) continue;
    double here[3], there[3], d[3];
    tn_body_origin(s, i, here);
    tn_body_origin(s, b->parent, there);
    tn_sub3(here, there, d);
    if (b->type && !b->type->turns_with_parent)
      for (int r = m->dimension; r < twist; r++) net[r] = 0;
    tn_move_wrench(twist, d, net, s->room.gains + twist * b->parent);
  }
}

static bool finite_rows(const tn_system *s, int first, int end) {
  const int n = end - first;
  return tn_all_finite(n, s->rows.C + first) && tn_all_finite(n, s->rows.Cdot + first) &&
         tn_all_finite(n, s->rows.gamma + first);
}

/* the first row of pin or list n, if there are no other joints */
static int first_row(const tn_model *m, int n) {
  return n < m->pins ? m->pin[n].row : n < m->lists ? m->list[n].first : m->rows;
}

/* frames, weights if wanted, and rows of some bodies after the others, while they are near */
static void side_by_side(tn_system *s, bool weights) {
  const tn_model *m = s->m;
  const bool all = m->pins + m->lists == m->joints + m->owned;
  s->known.finite = true;
  for (int i = 0, k = 0, n = 0; i < m->bodies; i += TN_AT_ONCE, k++) {
    const int end = tn_at_once(i, m->bodies), past = m->ready[k];
    tn_plain_frames(s, i, end);
    if (weights) tn_weights(s, i, end);
    if (m->dimension == 2)
      tn_pins(s, n, past);
    else
      tn_lists(s, n, past);
    if (all) s->known.finite = finite_rows(s, first_row(m, n), first_row(m, past)) && s->known.finite;
    n = past;
  }
  if (all) return;
  tn_other_rows(s);
  s->known.finite = finite_rows(s, 0, m->rows);
}

/* nobody evaluates the law of a part that is off: it is inside its pieces, however long ago, and jumps where it is on again */
static void forget_margins(tn_system *s, bool joint, int part) {
  const tn_model *m = s->m;
  const char *name = joint ? m->joint[part].name : m->force[part].name;
  for (int i = 0; i < m->switches; i++)
    if (m->switched[i].kind && strcmp(m->switched[i].kind, joint ? "joint" : "force") == 0 &&
        strcmp(m->switched[i].name, name) == 0)
      s->given.switching.margin[i] = INFINITY;
}

void tn_system_switch(tn_system *s, bool joint, int i, bool on) {
  assert(i >= 0 && i < (joint ? s->m->joints + s->m->owned : s->m->forces));
  bool *off = joint ? &s->given.off[i] : &s->given.force_off[i];
  const int rows = joint ? s->m->joint[i].rows + s->m->joint[i].rows_velocity : 0;
  if (*off == !on) return;
  *off = !on;
  if (!on) forget_margins(s, joint, i);
  s->given.idle += on ? -rows : rows;
  tn_system_stale(s);
}

/* ---- where it stands, and what is known there ----------------------------------------------------------------------------- */

void tn_system_stale(tn_system *s) {
  s->known.position = s->known.motion = TN_LEVEL_NONE;
  s->known.epoch++;
}

void tn_system_move(tn_system *s, double t, const double *q, const double *u, const double *state) {
  assert(s->known.epoch > 0 && q && u);
  const tn_model *m = s->m;
  s->at.t = s->view.t = t;
  memcpy(s->at.q, q, sizeof *q * (size_t)m->nq);
  memcpy(s->at.u, u, sizeof *u * (size_t)m->nu);
  if (state) memcpy(s->at.state, state, sizeof *state * (size_t)m->states);
  s->known.position = s->known.motion = TN_LEVEL_NONE;
  s->known.place++;
  s->known.epoch++;
  s->moves++;
}

void tn_system_move_speeds(tn_system *s, const double *u) {
  assert(u);
  memcpy(s->at.u, u, sizeof *u * (size_t)s->m->nu);
  s->known.motion = TN_LEVEL_NONE;
  s->known.epoch++;
  s->moves++;
}

void tn_system_move_states(tn_system *s, const double *state) {
  const size_t size = sizeof *state * (size_t)s->m->states;
  if (!size || memcmp(s->at.state, state, size) == 0) return;
  memcpy(s->at.state, state, size);
  if (s->known.motion > TN_LEVEL_TWISTS) s->known.motion = TN_LEVEL_TWISTS;
  s->known.epoch++;
}

bool tn_system_is_at(const tn_system *s, double t, const double *q, const double *u, const double *state) {
  const tn_model *m = s->m;
  return s->at.t == t && memcmp(s->at.q, q, sizeof *q * (size_t)m->nq) == 0 &&
         memcmp(s->at.u, u, sizeof *u * (size_t)m->nu) == 0 &&
         (!state || !m->states || memcmp(s->at.state, state, sizeof *state * (size_t)m->states) == 0);
}

/* frames, rows and twists, and weights on the way if they are wanted */
static void pass(tn_system *s, bool weights) {
  const tn_model *m = s->m;
  s->evaluations++;
  if (m->plain) {
    side_by_side(s, weights);
  } else {
    tn_kinematics(s);
    if (weights) tn_weights(s, 0, m->bodies);
    tn_pins(s, 0, m->pins);
    tn_lists(s, 0, m->lists);
    tn_other_rows(s);
    s->known.finite = finite_rows(s, 0, m->rows);
  }
  if (s->known.position < TN_LEVEL_ROWS) s->known.position = TN_LEVEL_ROWS;
  s->known.motion = TN_LEVEL_TWISTS;
}

static void forces(tn_system *s) {
  const tn_model *m = s->m;
  tn_other_forces(s);
  if (m->forces)
    s->known.finite = s->known.finite && tn_all_finite(m->twist * m->bodies, s->forces.wrench) &&
                      tn_all_finite(m->states, s->forces.state_rate);
  s->known.motion = TN_LEVEL_FORCES;
}

/* M of bodies that stand on others, or on coordinates of their own */
static void mass_of_bodies(tn_system *s) {
  const tn_model *m = s->m;
  memset(s->M, 0, sizeof *s->M * (size_t)m->nu * (size_t)m->nu);
  for (int k = 0; k < m->bodies; k++)
    if (!m->body[m->order[k]].plain) axes_of_body(s, m->order[k]);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (m->twist != 3)
      mass_of_body3(s, i);
    else if (b->mass > 0 || b->inertia > 0)
      mass_of_body(s, i);
    if (m->twist == TN_TWIST) mass_of_stretch(s, i);
  }
}

static void matrices(tn_system *s) {
  const tn_model *m = s->m;
  if (m->plain && !m->rods && !m->flywheels) /* blocks on the diagonal; all else stays zero */
    for (int i = 0; i < m->bodies; i++)
      (m->twist == 3 ? mass_of_twist : mass_of_twist3)(s, i, m->nu,
                                                       s->M + (size_t)(i * m->twist) * (size_t)(m->nu + 1));
  else
    mass_of_bodies(s);
  mass_of_rods(s);
  mass_of_flywheels(s);
  tn_dense_rows(s);
  s->known.position = TN_LEVEL_MATRICES;
}

void tn_need(tn_system *s, tn_level level) {
  assert(level > TN_LEVEL_NONE && level <= TN_LEVEL_GENERALIZED);
  const bool wants_forces = level >= TN_LEVEL_FORCES;
  if (s->known.position < TN_LEVEL_ROWS || (level >= TN_LEVEL_TWISTS && s->known.motion < TN_LEVEL_TWISTS)) {
    pass(s, wants_forces);
    if (wants_forces) forces(s);
  } else if (wants_forces && s->known.motion < TN_LEVEL_FORCES) {
    tn_weights(s, 0, s->m->bodies);
    forces(s);
  }
  if (level == TN_LEVEL_GENERALIZED && s->known.motion < level) tn_generalized_forces(s);
  if (level == TN_LEVEL_MATRICES && s->known.position < level && !s->m->large) matrices(s);
}

void tn_assemble(tn_system *s, double t, const double *q, const double *u) {
  tn_system_move(s, t, q, u, NULL);
  tn_need(s, TN_LEVEL_GENERALIZED);
  tn_need(s, TN_LEVEL_MATRICES);
}

void tn_system_extents(tn_system *s, bool velocity) {
  assert(tn_knows(s, velocity ? TN_LEVEL_TWISTS : TN_LEVEL_ROWS));
  const tn_model *m = s->m;
  memset(s->room.extent, 0, sizeof *s->room.extent * (size_t)(m->assemblies + 1));
  for (int i = 0; i < m->bodies; i++) {
    const double L = tn_length_at(m, i);
    double *most = &s->room.extent[m->assembly[i]], r[3];
    if (!velocity) {
      tn_body_origin(s, i, r);
      for (int k = 0; k < 3; k++) *most = tn_max(*most, fabs(r[k]) / L);
    } else if (m->dimension == 2) {
      const tn_frame2 *f = &s->pose.body[i];
      *most = tn_max(*most, tn_max(tn_max(fabs(f->v[0]), fabs(f->v[1])) / L, fabs(f->w)));
    } else {
      const tn_frame3 *f = &s->pose.body3[i];
      for (int k = 0; k < 3; k++) *most = tn_max(*most, tn_max(fabs(f->v[k]) / L, fabs(f->w[k])));
    }
  }
}

double tn_row_extent(const tn_system *s, int row) {
  assert(row >= 0 && row < s->m->rows);
  const int a = s->m->joint_assembly[s->m->row_joint[row]];
  return a >= 0 ? s->room.extent[a] : 0;
}

void tn_rows_noise(tn_system *s, bool velocity, double *noise) {
  tn_system_extents(s, velocity);
  for (int i = 0; i < s->m->rows; i++) {
    const double size = tn_row_extent(s, i);
    noise[i] = 2 * TN_EPS * (velocity ? size : tn_max(1, size)) / s->m->row_scale[i];
  }
}

bool tn_system_singular(const tn_system *s, tn_error *e) {
  const tn_model *m = s->m;
  if (m->dimension == 2 || (m->plain && !m->plain->space.regular)) return false;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (!b->type || !b->type->space.regular || b->type->space.regular(s->at.q + b->q) > REGULAR_LEAST) continue;
    tn_fail(e, TN_E_RUN, "body '%s': its coordinates `%s` are singular here", b->name, b->type->name);
    if (b->type->space.remedy) tn_hint(e, "%s", b->type->space.remedy);
    return true;
  }
  return false;
}

bool tn_system_fault(const tn_system *s, char *text, size_t size) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->nq + m->nu; i++)
    if (!isfinite(i < m->nq ? s->at.q[i] : s->at.u[i - m->nq])) {
      tn_format(text, size, "%s is not a finite number", i < m->nq ? m->q_name[i] : m->u_name[i - m->nq]);
      return true;
    }
  for (int i = 0; i < m->forces; i++) {
    double sum = s->forces.out[i].effort + s->forces.out[i].energy;
    for (int k = 0; k < 12; k++) sum += s->forces.out[i].w[k];
    for (int k = 0; k < m->force[i].states; k++) sum += s->forces.out[i].state_rate[k];
    if (!isfinite(sum)) {
      tn_format(text, size, "force '%s' is not a finite number", m->force[i].name);
      return true;
    }
  }
  for (int i = 0; i < m->rows; i++) {
    if (!isfinite(s->rows.C[i] + s->rows.gamma[i] + s->rows.Cdot[i])) {
      char owner[160];
      tn_row_owner(m, i, owner, sizeof owner);
      tn_format(text, size, "%s is not a finite number", owner);
      return true;
    }
  }
  return false;
}

const tn_view *tn_view_of(const tn_system *s) { return s ? &s->view : NULL; }

void tn_system_view(const tn_system *s, tn_view *v) {
  static const tn_view none = {0};
  if (v) *v = s ? s->view : none;
}
