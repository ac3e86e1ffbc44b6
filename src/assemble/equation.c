/* rows that the user writes: an expression of channels x_i and of t. jets carry derivatives through it exactly (base/expr_eval.c).
 * of a holonomic one, C = phi(x, t):
 *   (1) Cdot = phi' and -gamma = phi'' of the jets (x_i, x_i', x_i'' at udot = 0) and (t, 1, 0): the second has all of
 *       sum phi_ij x_i' x_j' + 2 sum phi_it x_i' + phi_tt + sum phi_i x_i''(udot = 0)
 *   (2) phi_i is phi' of the jets (x_k, delta_ik, 0) and (t, 0, 0);  row = sum phi_i J_i
 *   (3) Ct = phi_t = phi' of the jets (x_i, 0, 0) and (t, 1, 0)
 * of a nonholonomic one, Cdot = psi(x, v, t) with rates v_i = J_i u to the first power:
 *   (4) -gamma = psi' of the jets (x_i, x_i', .), (v_i, v_i' at udot = 0, .) and (t, 1, .)
 *   (5) row = sum dpsi/dv_i J_i as in (2);  Ct = psi(x, 0, t) */
#include "assemble/assemble.h"

/* jets of the terms, all of them or the first derivative of one alone */
typedef struct terms {
  const tn_system *s;
  const tn_joint *j;
  const double (*jet)[3]; /* terms                                                                  */
  int rule;               /* ALONG, STILL, or the term that changes                                 */
} terms;
enum { STILL = -1, ALONG = -2 };

static void fetch(const void *scope, int slot, double (*jets)[3]) {
  const terms *x = scope;
  const tn_channel *ch = &x->s->m->channel[slot];
  for (int i = 0; i < ch->width; i++) {
    const int k = ch->term + i;
    jets[i][0] = x->jet[k][0];
    jets[i][1] = x->rule == ALONG ? x->jet[k][1] : k == x->rule;
    jets[i][2] = x->rule == ALONG ? x->jet[k][2] : 0;
  }
}

static void run(const terms *x, double dt, double jet[3]) {
  const double time[3] = {x->s->at.t, dt, 0};
  tn_expr_jet_along(x->j->equation.expr, time, fetch, x, &x->s->given.switching, jet);
}

/* x_i, x_i' and x_i'' at udot = 0; of a rate v_i, v_i' */
static void look(const tn_system *s, const tn_joint *j, double (*jet)[3]) {
  for (int k = 0; k < j->terms; k++) {
    double value, rate, accel0;
    tn_measure_eval(s, &j->term[k].of, &value, &rate, &accel0, NULL);
    jet[k][0] = j->term[k].rate ? rate : value;
    jet[k][1] = j->term[k].rate ? accel0 : rate;
    jet[k][2] = j->term[k].rate ? 0 : accel0;
  }
}

static double *touch_row(const tn_system *s, const tn_joint *j, int body, int speed) {
  int k = 0;
  while (j->touch[k].body != body || j->touch[k].speed != speed) k++;
  return s->rows.R + j->R + k * j->stride;
}

/* c J of a term added to the rows on what the joint touches */
static void add_term(const tn_system *s, const tn_joint *j, const tn_measure *of, double c) {
  const int twist = s->m->twist, speed = tn_measure_speed(s->m, of);
  tn_seen seen[2];
  double J[2 * TN_TWIST];
  if (speed >= 0) {
    touch_row(s, j, of->kind == TN_OF_RAW ? of->part : s->m->joint[of->part].carries, speed)[0] += c;
    return;
  }
  const int n = tn_measure_rows(s, of, seen, J);
  for (int f = 0; f < n; f++) {
    if (seen[f].body < 0) continue;
    for (int i = 0; i < twist; i++) J[twist * f + i] *= c;
    tn_move_wrench(twist, seen[f].arm, J + twist * f, touch_row(s, j, seen[f].body, -1));
  }
}

void tn_equation_rows(tn_system *s, const tn_joint *j) {
  assert(j->equation.expr);
  const int row = tn_term_row(j);
  double(*jet)[3] = s->rows.term + j->coefficient, along[3], still[3];
  terms x = {s, j, (const double(*)[3])jet, ALONG};
  look(s, j, jet);
  run(&x, 1, along);
  memset(s->rows.R + j->R, 0, sizeof *s->rows.R * (size_t)(j->touches * j->stride));
  for (int k = 0; k < j->terms; k++) {
    double partial[3] = {0, 0, 0};
    x.rule = k;
    if (j->term[k].rate == j->equation.on_rates) run(&x, 0, partial);
    s->rows.coefficient[j->coefficient + k] = partial[1];
    if (partial[1] != 0) add_term(s, j, &j->term[k].of, partial[1]);
  }
  if (j->equation.on_rates) {
    for (int k = 0; k < j->terms; k++)
      if (j->term[k].rate) jet[k][0] = 0;
    x.rule = STILL;
    run(&x, 0, still);
    s->rows.C[row] = 0;
    s->rows.Ct[row] = still[0];
    s->rows.Cdot[row] = along[0];
    s->rows.gamma[row] = -along[1];
  } else {
    x.rule = STILL;
    run(&x, 1, still);
    s->rows.C[row] = along[0];
    s->rows.Ct[row] = still[1];
    s->rows.Cdot[row] = along[1];
    s->rows.gamma[row] = -along[2];
  }
}
