/* values of channels at the present state. those after a solve need tn_reactions to have been called. */
#include "assemble/assemble.h"

double tn_energy_of(const tn_system *s, tn_energy which) {
  const double *w = s->ledger, total = s->kinetic + s->potential;
  switch (which) {
  case TN_KINETIC: return s->kinetic;
  case TN_POTENTIAL: return s->potential;
  case TN_TOTAL: return total;
  case TN_WORK_FORCE: return w[TN_LEDGER_FORCE];
  case TN_WORK_DRIVER: return w[TN_LEDGER_DRIVER];
  case TN_WORK_STABILIZER: return w[TN_LEDGER_STABILIZER];
  case TN_DISSIPATED: return w[TN_LEDGER_DISSIPATED];
  case TN_BALANCE: return total - s->energy0 - w[TN_LEDGER_FORCE] - w[TN_LEDGER_DRIVER] - w[TN_LEDGER_STABILIZER];
  case TN_ENERGIES: break;
  }
  return NAN;
}

static double violation(const tn_system *s, const tn_joint *j) {
  double worst = 0;
  for (int r = j->row; r < j->row + j->rows; r++) worst = fmax(worst, fabs(s->C[r]) * s->m->row_scale[r]);
  return worst;
}

static double joint_power(const tn_system *s, const tn_joint *j) {
  double sum = 0;
  for (int r = j->row; r < j->row + j->rows; r++) sum += s->lambda[r] * s->Ct[r];
  for (int r = j->row_velocity; r < j->row_velocity + j->rows_velocity; r++) sum += s->lambda[r] * s->Ct[r];
  return sum;
}

/* acceleration of the frame with the whole udot */
static void add_udot(const tn_system *s, const tn_spot *spot, const tn_frame2 *f, double a[3]) {
  const tn_body *b = &s->m->body[spot->body];
  const double *J = s->J[spot->body], x = f->r[0] - s->body[spot->body].r[0], y = f->r[1] - s->body[spot->body].r[1];
  const int n = b->cols;
  a[0] = f->a0[0];
  a[1] = f->a0[1];
  a[2] = f->al0;
  for (int c = 0; c < n; c++) {
    const double ud = s->udot[b->col[c]] + s->udot_s[b->col[c]], w = J[2 * n + c];
    a[0] += (J[c] - w * y) * ud;
    a[1] += (J[n + c] + w * x) * ud;
    a[2] += w * ud;
  }
}

/* along its channel; between two places what it pulls the first towards the second with */
static double force_load(const tn_system *s, int i) {
  const tn_force *p = &s->m->force[i];
  const tn_force_out *out = &s->force[i];
  if (p->how == TN_ON_CHANNEL) return out->effort;
  tn_frame2 f[2];
  for (int k = 0; k < 2; k++) tn_frame_on(s, &p->spot[k], &f[k]);
  const double dx = f[1].r[0] - f[0].r[0], dy = f[1].r[1] - f[0].r[1], l = hypot(dx, dy);
  return l > 0 ? (out->w[0] * dx + out->w[1] * dy) / l : 0;
}

void tn_channel_eval(const tn_system *s, const tn_channel *ch, double *value) {
  double rate, accel, a[3];
  tn_frame2 f;
  switch (ch->kind) {
  case TN_CH_MEASURE: tn_measure_eval(s, &ch->measure, value, &rate, &accel, NULL); return;
  case TN_CH_RATE: tn_measure_eval(s, &ch->measure, &rate, value, &accel, NULL); return;
  case TN_CH_ACCELERATION: {
    const tn_spot spot = {ch->part, {0, 0}, 0};
    add_udot(s, &spot, &s->body[ch->part], a);
    value[0] = a[ch->component];
    return;
  }
  case TN_CH_REACTION: value[0] = s->reaction[3 * ch->part + ch->component]; return;
  case TN_CH_STABILIZER: value[0] = s->share[3 * ch->part + ch->component]; return;
  case TN_CH_PIVOT: value[0] = s->pivot[2 * ch->part + ch->component]; return;
  case TN_CH_LOAD: value[0] = -s->lambda[s->m->joint[ch->part].row]; return;
  case TN_CH_VIOLATION: value[0] = violation(s, &s->m->joint[ch->part]); return;
  case TN_CH_JOINT_POWER: value[0] = joint_power(s, &s->m->joint[ch->part]); return;
  case TN_CH_FORCE_POWER: value[0] = s->force_power[ch->part]; return;
  case TN_CH_FORCE_ENERGY: value[0] = s->force[ch->part].energy; return;
  case TN_CH_FORCE_LOAD: value[0] = force_load(s, ch->part); return;
  case TN_CH_ENERGY: value[0] = tn_energy_of(s, (tn_energy)ch->component); return;
  case TN_CH_POSITION:
    tn_frame_on(s, &ch->spot, &f);
    value[0] = f.r[0];
    value[1] = f.r[1];
    return;
  case TN_CH_VELOCITY:
    tn_frame_on(s, &ch->spot, &f);
    value[0] = f.v[0];
    value[1] = f.v[1];
    return;
  case TN_CH_POINT_ACCELERATION:
    tn_frame_on(s, &ch->spot, &f);
    add_udot(s, &ch->spot, &f, a);
    value[0] = a[0];
    value[1] = a[1];
    return;
  case TN_CH_AXIS: {
    const tn_frame2 *b = &s->body[ch->part];
    value[0] = ch->component ? -b->s : b->c;
    value[1] = ch->component ? b->c : b->s;
    return;
  }
  case TN_CH_FORCE_VECTOR:
    value[0] = s->reaction[3 * ch->part];
    value[1] = s->reaction[3 * ch->part + 1];
    return;
  }
  value[0] = NAN;
}

static void fetch(const void *scope, int slot, double *value) {
  const tn_system *s = scope;
  tn_channel_eval(s, &s->m->channel[slot], value);
}

void tn_expr_on(const tn_system *s, const tn_expr *e, double *value) { tn_expr_eval(e, s->t, fetch, s, value); }
