/* the way through the neighbourhood of a singular position, judged as a whole.
 *
 * Branches of the motion cross at a singular position. Along its branch the velocity is smooth, so over the neighbourhood
 *   (1) u1 - u0 = (t1 - t0) (a0 + a1)/2
 * up to the third power of the time, with u0, u1 where it is entered and left, and a0, a1 the accelerations of the steps before and
 * behind it. If the motion leaves along another branch, (1) is off by the angle between them, however small the steps are that
 * made the turn: constraints that are off by a little have a smooth way from one branch to the other.
 *   (2) the work of stabilizers in the neighbourhood is what the projection took from velocities that point off the branch. On
 *       the branch it is of the size of the balance.
 * The neighbourhood is a run of steps that have a singular position inside, or an evaluation with rho < INSIDE. An event or a switch
 * inside changes velocities for reasons of its own: then nothing is judged. Nothing of it changes the motion. */
#include "simulate/simulate.h"

static const double INSIDE = 1e-4; /* of rho, which is the square of a distance */

void tn_crossing_reset(tn_sim *s) {
  tn_crossing *x = &s->singular.crossing;
  x->inside = x->accelerates = false;
}

/* what changes velocities at once */
static int64_t happenings(const tn_sim *s) { return s->summary.switches + s->summary.fired + s->summary.impulses; }

static double work(const tn_sim *s, double *y) { return tn_ledger_of(s, y)[TN_LEDGER_STABILIZER]; }

/* (1) and (2), with the step behind the neighbourhood at hand */
static void judge(tn_sim *s, double h, const double *before, const double *after) {
  const tn_model *m = s->m;
  tn_crossing *x = &s->singular.crossing;
  double off = 0, size = 0;
  if (x->happened != happenings(s)) return;
  for (int i = 0; i < m->nu; i++) {
    const double unit = 1 / m->u_length[i], a1 = (after[i] - before[i]) / h;
    const double mean = x->begins ? a1 : 0.5 * (x->accel[i] + a1);
    off = fmax(off, fabs(before[i] - x->u_in[i] - (s->before.t - x->t_in) * mean) * unit);
    size = fmax(size, fmax(fabs(x->u_in[i]), fabs(before[i])) * unit);
  }
  tn_doubt_crossing(s, x->t_in, x->first, size > 0 ? off / size : 0, work(s, s->before.y) - x->work_in);
}

void tn_crossing_follow(tn_sim *s, double h, double rho, bool singular) {
  const tn_model *m = s->m;
  tn_crossing *x = &s->singular.crossing;
  double *before = s->before.y + m->nq, *after = s->now.y + m->nq; /* the step has been taken */
  if (!m->rows || !(h > 0)) return;
  if (rho < INSIDE || singular) {
    if (!x->inside) {
      x->inside = true;
      x->begins = !x->accelerates;
      x->t_in = s->before.t;
      x->work_in = work(s, s->before.y);
      x->happened = happenings(s);
      x->first = s->singular.count - (singular && s->singular.count > 0);
      memcpy(x->u_in, before, sizeof *before * (size_t)m->nu);
    }
    return;
  }
  if (x->inside) { /* this step is behind it */
    judge(s, h, before, after);
    x->inside = false;
  }
  x->accelerates = true;
  for (int i = 0; i < m->nu; i++) x->accel[i] = (after[i] - before[i]) / h;
}
