/* values of channels at the present state. those after a solve need tn_reactions to have been called. */
#include "assemble/assemble.h"
#include "joint/joint.h"

double tn_energy_balance(const tn_system *s, double total) {
  const double *w = s->ledger;
  return total - s->energy0 - w[TN_LEDGER_FORCE] - w[TN_LEDGER_DRIVER] - w[TN_LEDGER_STABILIZER];
}

double tn_energy_of(const tn_system *s, tn_energy which) {
  assert(tn_knows(s, TN_LEVEL_FORCES));
  const double *w = s->ledger;
  double kinetic = 0, potential = 0;
  if (which <= TN_TOTAL || which == TN_BALANCE) tn_energy_here(s, &kinetic, &potential);
  const double total = kinetic + potential;
  switch (which) {
  case TN_KINETIC: return kinetic;
  case TN_POTENTIAL: return potential;
  case TN_TOTAL: return total;
  case TN_WORK_FORCE: return w[TN_LEDGER_FORCE];
  case TN_WORK_DRIVER: return w[TN_LEDGER_DRIVER];
  case TN_WORK_STABILIZER: return w[TN_LEDGER_STABILIZER];
  case TN_DISSIPATED: return w[TN_LEDGER_DISSIPATED];
  case TN_BALANCE: return tn_energy_balance(s, total);
  case TN_ENERGIES: break;
  }
  return NAN;
}

static double row_violation(const tn_system *s, const tn_violated *v, int r) {
  return (v->rate ? s->rows.Cdot[r] : s->rows.C[r]) * (v->scaled ? s->rows.scale[r] : 1);
}

/* the norm of `sum` and of rows first .. first + n; of norm 2 its square. not a number if one of them is not */
static double add_rows(const tn_system *s, const tn_violated *v, int first, int n, double sum) {
  for (int r = first; r < first + n; r++) {
    const double x = fabs(row_violation(s, v, r));
    if (v->norm == TN_NORM_MAX)
      sum = x > sum || isnan(x) ? x : sum;
    else
      sum += v->norm == TN_NORM_2 ? x * x : x;
  }
  return sum;
}

static double violation(const tn_system *s, const tn_channel *ch) {
  const tn_violated *v = &ch->violated;
  double sum;
  if (v->norm == TN_NORM_NONE) return row_violation(s, v, ch->component);
  if (ch->part < 0) {
    sum = add_rows(s, v, 0, v->rate ? s->m->rows : s->m->holonomic, 0);
  } else {
    const tn_joint *j = &s->m->joint[ch->part];
    sum = add_rows(s, v, j->row, j->rows, 0);
    if (v->rate) sum = add_rows(s, v, j->row_velocity, j->rows_velocity, sum);
  }
  return v->norm == TN_NORM_2 ? sqrt(sum) : sum;
}

static double joint_power(const tn_system *s, const tn_joint *j) {
  double sum = 0;
  for (int i = j->servo; i < j->servo + j->servos; i++) sum += s->solved.effort[i] * tn_servo_rate(s, i);
  for (int r = j->row; r < j->row + j->rows; r++) sum += s->solved.lambda[r] * s->rows.Ct[r];
  for (int r = j->row_velocity; r < j->row_velocity + j->rows_velocity; r++) sum += s->solved.lambda[r] * s->rows.Ct[r];
  return sum;
}

/* acceleration of a place with the whole udot */
static void acceleration(const tn_system *s, const tn_spot *spot, double a[TN_TWIST]) {
  const int twist = s->m->twist;
  tn_seen seen;
  double g[TN_TWIST] = {0};
  tn_look(s, spot, NULL, NULL, &seen);
  for (int r = 0; r < twist; r++)
    g[r] = s->room.gains[twist * spot->body + r] + s->room.gains_s[twist * spot->body + r];
  for (int r = 0; r < twist; r++) a[r] = seen.bias[r] + g[r];
  if (twist == 3) {
    a[0] -= g[2] * seen.arm[1];
    a[1] += g[2] * seen.arm[0];
  } else {
    double x[3];
    tn_cross3(g + 3, seen.arm, x);
    tn_axpy3(1, x, a);
    if (twist == TN_TWIST) tn_axpy3(g[6], seen.arm, a);
  }
}

/* along its channel; between two places what it pulls the first towards the second with */
static double force_load(const tn_system *s, int i) {
  const tn_force *p = &s->m->force[i];
  const tn_force_out *out = &s->forces.out[i];
  if (p->how == TN_ON_CHANNEL) return out->effort;
  tn_seen seen[2];
  double end[2][3], d[3], pull = 0;
  for (int k = 0; k < 2; k++) {
    tn_look(s, &p->spot[k], NULL, NULL, &seen[k]);
    tn_body_origin(s, seen[k].body, end[k]);
    tn_axpy3(1, seen[k].arm, end[k]);
  }
  tn_sub3(end[1], end[0], d);
  const double l = tn_norm3(d);
  for (int k = 0; k < s->m->dimension; k++) pull += out->w[k] * d[k];
  return l > 0 ? pull / l : 0;
}

/* of bodies and rods together: linear, and angular about the origin of the world */
static void momentum(const tn_system *s, double sum[6]) {
  const tn_model *m = s->m;
  double v[3] = {0}, r[3] = {0}, l[3], x[3];
  memset(sum, 0, 6 * sizeof *sum);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    tn_spot center = tn_spot_origin(i);
    tn_seen seen;
    memcpy(center.p, b->center, sizeof center.p);
    tn_look(s, &center, NULL, NULL, &seen);
    tn_body_origin(s, i, r);
    tn_axpy3(1, seen.arm, r);
    for (int d = 0; d < m->dimension; d++) v[d] = b->mass * seen.twist[d];
    tn_cross3(r, v, l);
    if (m->dimension == 2) {
      l[2] += b->inertia * seen.twist[2];
    } else {
      double w[3], h[3];
      tn_unturn3(s->pose.body3[i].A, seen.twist + 3, w);
      tn_turn3(b->tensor, w, h);
      tn_turn3(s->pose.body3[i].A, h, x);
      tn_axpy3(1, x, l);
    }
    tn_axpy3(1, v, sum);
    tn_axpy3(1, l, sum + 3);
  }
  for (int i = 0; i < m->rods; i++) { /* of rods m/6 (2 vP + vQ) at P, as a sum m/2 (vP + vQ) */
    double end[2][3];
    tn_seen seen[2];
    for (int k = 0; k < 2; k++) {
      tn_look(s, &m->rod[i].end[k], NULL, NULL, &seen[k]);
      tn_body_origin(s, seen[k].body, end[k]);
      tn_axpy3(1, seen[k].arm, end[k]);
    }
    for (int k = 0; k < 2; k++) {
      for (int d = 0; d < m->dimension; d++) {
        v[d] = m->rod[i].own[k] * seen[k].twist[d] + m->rod[i].shared * seen[1 - k].twist[d];
        sum[d] += m->rod[i].share[k] * seen[k].twist[d];
      }
      tn_cross3(end[k], v, l);
      tn_axpy3(1, l, sum + 3);
    }
  }
}

static double momentum_component(const tn_system *s, int k) {
  double sum[6];
  momentum(s, sum);
  return sum[s->m->dimension == 2 && k == 2 ? 5 : k];
}

static double contact(const tn_system *s, const tn_joint *j, int component) {
  tn_frame2 f2[3];
  tn_frame3 f3[3];
  tn_seen seen;
  double c[3] = {0};
  if (j->frames > 3) return NAN;
  for (int k = 0; k < j->frames; k++) tn_look(s, &j->spot[k], &f2[k], &f3[k], &seen);
  if (s->m->dimension == 2)
    j->type->plane.contact(j->self, f2, c);
  else
    j->type->space.contact(j->self, f3, c);
  return c[component];
}

static void axis(const tn_system *s, const tn_spot *spot, int k, double *value) {
  if (s->m->dimension == 2) {
    tn_frame2 f;
    tn_frame_on(s, spot, &f);
    value[0] = k ? -f.s : f.c;
    value[1] = k ? f.c : f.s;
  } else {
    tn_frame3 f;
    tn_frame3_on(s, spot, &f);
    tn_unit_axis3(&f, k, value);
  }
}

/* position k of a body, or its rate, from its frame */
static double number_of_frame2(const tn_frame2 *f, int k, bool rate) {
  if (rate) return 0.0 + (k == 2 ? f->w : f->v[k]);
  return k == 2 ? f->angle : f->r[k];
}

static double number_of_frame3(const tn_frame3 *f, int k, bool rate) {
  if (rate) return 0.0 + (k < 3 ? f->v[k] : (1 + f->stretch) * f->w[k - 3]);
  return f->r[k];
}

/* the angle of a joint in the plane that turns and does no more */
static double turn_of_joint2(const tn_system *s, const tn_joint *j, bool rate) {
  double end[2];
  for (int k = 0; k < 2; k++) {
    const tn_spot *spot = &j->spot[k];
    const tn_frame2 *f = spot->body < 0 ? NULL : &s->pose.body[spot->body];
    end[k] = !f ? 0 : rate ? f->w : f->angle;
    if (!rate && spot->angle != 0) end[k] += spot->angle;
  }
  return rate ? (0.0 - end[0]) + end[1] : end[1] - end[0];
}

/* value or rate of a coordinate without frames and rows, where it is one of the numbers there are; the same to the last bit (0
 * is added as sums begin with it). false: it is not */
static bool direct(const tn_system *s, const tn_measure *of, bool rate, double *value) {
  const tn_model *m = s->m;
  const bool plane = m->dimension == 2;
  const int body = of->kind == TN_OF_RAW ? of->part : of->kind == TN_OF_JOINT ? m->joint[of->part].carries : -1;
  if (body >= 0 && !m->body[body].chart)
    *value = rate ? s->at.u[m->body[body].u + of->k] : s->at.q[m->body[body].q + of->k];
  else if (of->kind == TN_OF_BODY && plane)
    *value = number_of_frame2(&s->pose.body[of->part], of->k, rate);
  else if (of->kind == TN_OF_BODY && of->k < (rate ? 6 : 3))
    *value = number_of_frame3(&s->pose.body3[of->part], of->k, rate);
  else if (of->kind == TN_OF_JOINT && plane && m->joint[of->part].type->plane.turns)
    *value = turn_of_joint2(s, &m->joint[of->part], rate);
  else
    return false;
  return true;
}

static void of_coordinate(const tn_system *s, const tn_channel *ch, double *value) {
  double other, accel, R[9], e[4];
  switch (ch->kind) {
  case TN_CH_MEASURE:
    if (!direct(s, &ch->measure, false, value)) tn_measure_eval(s, &ch->measure, value, &other, &accel, NULL);
    return;
  case TN_CH_RATE:
    if (!direct(s, &ch->measure, true, value)) tn_measure_eval(s, &ch->measure, &other, value, &accel, NULL);
    return;
  case TN_CH_Q: value[0] = s->at.q[ch->component]; return;
  case TN_CH_U: value[0] = s->at.u[ch->component]; return;
  case TN_CH_QUATERNION:
    tn_rotation3(&s->pose.body3[ch->part], R);
    tn_rotation_quaternion(R, e);
    value[0] = e[ch->component];
    return;
  default: value[0] = NAN;
  }
}

static void of_place(const tn_system *s, const tn_channel *ch, double *value) {
  const int dimension = s->m->dimension;
  const tn_spot origin = tn_spot_origin(ch->part);
  double a[TN_TWIST], r[3];
  tn_seen seen;
  switch (ch->kind) {
  case TN_CH_POSITION:
    tn_look(s, &ch->spot, NULL, NULL, &seen);
    tn_body_origin(s, ch->spot.body, r);
    for (int d = 0; d < dimension; d++) value[d] = r[d] + seen.arm[d];
    return;
  case TN_CH_VELOCITY:
    tn_look(s, &ch->spot, NULL, NULL, &seen);
    memcpy(value, seen.twist, sizeof *value * (size_t)dimension);
    return;
  case TN_CH_POINT_ACCELERATION:
    acceleration(s, &ch->spot, a);
    memcpy(value, a, sizeof *value * (size_t)dimension);
    return;
  case TN_CH_ACCELERATION:
    acceleration(s, &origin, a);
    value[0] = a[ch->component];
    return;
  case TN_CH_OMEGA:
    for (int k = 0; k < 3; k++) value[k] = (1 + s->pose.body3[ch->part].stretch) * s->pose.body3[ch->part].w[k];
    return;
  case TN_CH_AXIS: axis(s, &ch->spot, ch->component, value); return;
  case TN_CH_JOINT_AXIS: axis(s, &s->m->joint[ch->part].spot[0], ch->component, value); return;
  default: value[0] = NAN;
  }
}

/* effort of a joint along what it holds: of a servo, or the multiplier of its row */
static double joint_load(const tn_system *s, int i) {
  const tn_joint *j = &s->m->joint[i];
  if (j->servos) return s->solved.effort[j->servo];
  return s->given.off[i] ? 0 : -s->solved.lambda[j->rows ? j->row : j->row_velocity];
}

static void of_joint(const tn_system *s, const tn_channel *ch, double *value) {
  const int twist = s->m->twist;
  const double *reaction = s->solved.reaction + twist * ch->part;
  switch (ch->kind) {
  case TN_CH_REACTION: value[0] = reaction[ch->component]; return;
  case TN_CH_FORCE_VECTOR: memcpy(value, reaction, sizeof *value * (size_t)s->m->dimension); return;
  case TN_CH_TORQUE_VECTOR: memcpy(value, reaction + 3, 3 * sizeof *value); return;
  case TN_CH_STABILIZER: value[0] = s->solved.share[twist * ch->part + ch->component]; return;
  case TN_CH_LOAD: value[0] = joint_load(s, ch->part); return;
  case TN_CH_VIOLATION: value[0] = violation(s, ch); return;
  case TN_CH_JOINT_POWER: value[0] = joint_power(s, &s->m->joint[ch->part]); return;
  case TN_CH_CONTACT: value[0] = contact(s, &s->m->joint[ch->part], ch->component); return;
  default: value[0] = NAN;
  }
}

static void of_force(const tn_system *s, const tn_channel *ch, double *value) {
  const tn_force *f = &s->m->force[ch->part];
  const tn_force_out *out = &s->forces.out[ch->part];
  switch (ch->kind) {
  case TN_CH_FORCE_POWER: value[0] = s->forces.power_of[ch->part]; return;
  case TN_CH_FORCE_ENERGY: value[0] = out->energy; return;
  case TN_CH_FORCE_WRENCH: value[0] = out->w[s->m->twist + ch->component]; return;
  case TN_CH_FORCE_LOAD: value[0] = force_load(s, ch->part); return;
  case TN_CH_SIGNAL:
    value[0] = ch->component < f->states ? s->at.state[f->state + ch->component] : out->signal[ch->component];
    return;
  default: value[0] = NAN;
  }
}

static void of_pivot(const tn_system *s, const tn_channel *ch, double *value) {
  value[0] = s->solved.pivot[2 * ch->part + ch->component];
}

static void of_energy(const tn_system *s, const tn_channel *ch, double *value) {
  value[0] = tn_energy_of(s, (tn_energy)ch->component);
}

static void of_momentum(const tn_system *s, const tn_channel *ch, double *value) {
  value[0] = momentum_component(s, ch->component);
}

static void of_jacobian(const tn_system *s, const tn_channel *ch, double *value) { value[0] = tn_jacobian_eval(s, ch); }

/* who evaluates a channel of a kind; all of them are here */
static void (*const evaluate[])(const tn_system *s, const tn_channel *ch, double *value) = {
    [TN_CH_MEASURE] = of_coordinate,
    [TN_CH_RATE] = of_coordinate,
    [TN_CH_Q] = of_coordinate,
    [TN_CH_U] = of_coordinate,
    [TN_CH_QUATERNION] = of_coordinate,
    [TN_CH_POSITION] = of_place,
    [TN_CH_VELOCITY] = of_place,
    [TN_CH_POINT_ACCELERATION] = of_place,
    [TN_CH_ACCELERATION] = of_place,
    [TN_CH_OMEGA] = of_place,
    [TN_CH_AXIS] = of_place,
    [TN_CH_JOINT_AXIS] = of_place,
    [TN_CH_REACTION] = of_joint,
    [TN_CH_FORCE_VECTOR] = of_joint,
    [TN_CH_TORQUE_VECTOR] = of_joint,
    [TN_CH_STABILIZER] = of_joint,
    [TN_CH_LOAD] = of_joint,
    [TN_CH_VIOLATION] = of_joint,
    [TN_CH_JOINT_POWER] = of_joint,
    [TN_CH_CONTACT] = of_joint,
    [TN_CH_FORCE_POWER] = of_force,
    [TN_CH_FORCE_ENERGY] = of_force,
    [TN_CH_FORCE_WRENCH] = of_force,
    [TN_CH_FORCE_LOAD] = of_force,
    [TN_CH_SIGNAL] = of_force,
    [TN_CH_PIVOT] = of_pivot,
    [TN_CH_ENERGY] = of_energy,
    [TN_CH_MOMENTUM] = of_momentum,
    [TN_CH_DETERMINANT] = of_jacobian,
    [TN_CH_SIGMA_MIN] = of_jacobian,
};

void tn_channel_eval(const tn_system *s, const tn_channel *ch, double *value) {
  assert(tn_knows(s, TN_LEVEL_TWISTS) && evaluate[ch->kind]);
  evaluate[ch->kind](s, ch, value);
}

static void fetch(const void *scope, int slot, double *value) {
  const tn_system *s = scope;
  tn_channel_eval(s, &s->m->channel[slot], value);
}

void tn_expr_on(const tn_system *s, const tn_expr *e, double *value) {
  tn_expr_eval_on(e, s->at.t, fetch, s, &s->given.switching, value);
}
