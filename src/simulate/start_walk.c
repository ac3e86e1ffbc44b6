/* the way to exact values that are far from the pose, along the constraints. */
#include "simulate/start.h"

/* of walking to exact values: steps of small models at most, those of any size; and turns beyond which one is walked for all */
enum { MOST_STEPS = 10000, FEW_STEPS = 200, WALKED_TURNS = 4 };

static const double TURN = 6.283185307179586;

/* a mechanism is where it was after a turn: to this in rad and of its length */
static const double CLOSED = 1e-6;

/* steps of walking target i from start_begin to start_end: a tenth of the length, or 0.2 rad each */
static double steps_of(const tn_sim *s, int i) {
  const tn_measure *of = &s->m->target[i].of;
  const double each = tn_measure_unit(s->m, of) == TN_LENGTH ? 10 / tn_measure_length(s->m, of) : 5;
  return ceil(fabs(s->start.walk.end[i] - s->start.walk.begin[i]) * each);
}

/* the target with most steps to walk; -1: none is asked for */
static int farthest(const tn_sim *s, const tn_wanted *w) {
  int far = -1;
  for (int i = 0; i < s->m->exact; i++)
    if (tn_start_asks(s, w, i) && (far < 0 || steps_of(s, i) > steps_of(s, far))) far = i;
  return far;
}

static double steps_between(const tn_sim *s, const tn_wanted *w) {
  const int far = farthest(s, w);
  return far < 0 ? 0 : steps_of(s, far);
}

/* each step is a few dense factorisations */
static int most_steps(const tn_model *m) {
  const double size = m->nu + m->rows + m->exact;
  return (int)fmax(FEW_STEPS, fmin(MOST_STEPS, 3e8 / (size * size * size)));
}

/* q along the constraints from start_begin to start_end in n steps, the last of them left to the caller unless `whole` */
static tn_status walk(tn_sim *s, const tn_wanted *w, double *q, int n, bool whole, bool *barred) {
  const tn_model *m = s->m;
  double off;
  int worst;
  tn_status status = TN_OK;
  *barred = false;
  for (int k = 0; k < n + whole && status == TN_OK && !*barred; k++) {
    for (int i = 0; i < m->exact; i++)
      if (!m->target[i].rate)
        s->start.walk.goal[i] =
            s->start.walk.begin[i] + (s->start.walk.end[i] - s->start.walk.begin[i]) * k / fmax(n, 1);
    status = tn_start_positions(s, w, q, &off, &worst);
    *barred = !(off <= 1e-9);
  }
  if (status == TN_E_RUN) *barred = true, status = TN_OK;
  return status;
}

/* x - x0 in turns if that is a whole number of them, else NaN */
static double turns_of(double x, double x0) {
  const double turns = round((x - x0) / TURN);
  return fabs(x - x0 - turns * TURN) <= CLOSED ? turns : NAN;
}

/* is q the configuration q0 again, but for whole turns of angles? Then q becomes q0 after `times` of such turns, and so does what is
 * remembered, which is angles. A rotation has two quaternions */
static bool repeats(const tn_sim *s, const double *q0, const double *memory0, double times, double *q, double *memory) {
  const tn_model *m = s->m;
  double same = 0, opposite = 0;
  for (int i = 0; i < m->nq; i++) {
    if (m->q_unit[i] == TN_ANGLE && isnan(turns_of(q[i], q0[i]))) return false;
    if (m->q_unit[i] == TN_LENGTH && !(fabs(q[i] - q0[i]) <= CLOSED * m->q_length[i])) return false;
    if (m->q_unit[i] != TN_RATIO) continue;
    if (i == 0 || m->q_unit[i - 1] != TN_RATIO) same = opposite = 0; /* the first of a body */
    same = fmax(same, fabs(q[i] - q0[i]));
    opposite = fmax(opposite, fabs(q[i] + q0[i]));
    if (!(fmin(same, opposite) <= CLOSED)) return false;
  }
  for (int i = 0; i < m->memory; i++)
    if (isnan(turns_of(memory[i], memory0[i]))) return false;
  for (int i = 0; i < m->nq; i++) {
    const double turns = m->q_unit[i] == TN_ANGLE ? turns_of(q[i], q0[i]) : 0;
    q[i] = q0[i] + TURN * turns * times;
  }
  for (int i = 0; i < m->memory; i++) memory[i] = memory0[i] + TURN * turns_of(memory[i], memory0[i]) * times;
  return true;
}

/* as many turns of the exact angle i as start_turns says, from where start_end is reached: one is walked, and if the mechanism is then
 * where it was, all others are the same */
static tn_status turn(tn_sim *s, const tn_wanted *w, double *q, int i, bool *barred) {
  const tn_model *m = s->m;
  double *q0 = s->start.walk.turned, *memory0 = q0 + m->nq, *memory = s->solver.sys.given.memory;
  const double turns = s->start.walk.turns[i];
  memcpy(q0, q, sizeof *q * (size_t)m->nq);
  memcpy(memory0, memory, sizeof *memory * (size_t)m->memory);
  memcpy(s->start.walk.begin, s->start.walk.end, sizeof *s->start.walk.end * (size_t)m->exact);
  s->start.walk.end[i] = s->start.walk.begin[i] + copysign(TURN, turns);
  tn_status status = walk(s, w, q, (int)steps_between(s, w), true, barred);
  if (status != TN_OK || *barred) return status;
  *barred = !repeats(s, q0, memory0, fabs(turns), q, memory);
  s->start.walk.end[i] = s->start.walk.begin[i] + TURN * turns;
  tn_system_stale(&s->solver.sys); /* rows may depend on what is remembered */
  return TN_OK;
}

/* exact values far from the pose are approached little by little along the constraints, so that a mechanism is turned there and
 * does not jump to another branch. of many turns only one is walked, if the mechanism repeats itself. where the way is barred or too long
 * it is left, and the last leap is made from the pose itself */
tn_status tn_start_approach(tn_sim *s, const tn_wanted *w) {
  const tn_model *m = s->m;
  double *goal = s->start.walk.goal, *begin = s->start.walk.begin, *end = s->start.walk.end, *q = s->start.walk.try;
  const int most = most_steps(m);
  bool barred = false, turned = false;
  for (int i = 0; i < m->exact; i++) {
    double rate, accel;
    tn_measure_eval(&s->solver.sys, &m->target[i].of, &begin[i], &rate, &accel, NULL);
    s->start.walk.final[i] = end[i] = goal[i];
    s->start.walk.turns[i] = 0;
  }
  double n = steps_between(s, w);
  s->start.walk.steps = 0;
  s->start.walk.too_far = -1;
  if (n < 2) return TN_OK;
  for (int i = 0; i < m->exact && n > WALKED_TURNS * TURN * 5; i++) {
    if (!tn_start_asks(s, w, i) || tn_measure_unit(m, &m->target[i].of) != TN_ANGLE) continue;
    s->start.walk.turns[i] = trunc((end[i] - begin[i]) / TURN);
    end[i] -= TURN * s->start.walk.turns[i];
    turned = turned || s->start.walk.turns[i] != 0;
  }
  if (turned) n = steps_between(s, w);
  if (n > most) {
    s->start.walk.too_far = farthest(s, w);
    return TN_OK;
  }
  s->start.walk.steps = (int)n;
  memcpy(s->start.walk.memory, s->solver.sys.given.memory, sizeof(double) * (size_t)m->memory);
  memcpy(q, s->now.y, sizeof *q * (size_t)m->nq);
  tn_status status = walk(s, w, q, (int)n, turned, &barred);
  for (int i = 0; turned && i < m->exact && status == TN_OK && !barred; i++) {
    if (s->start.walk.turns[i] == 0) continue;
    s->start.walk.steps += (int)(TURN * 5);
    status = turn(s, w, q, i, &barred);
    if (barred) s->start.walk.too_far = i;
  }
  memcpy(goal, s->start.walk.final, sizeof *goal * (size_t)m->exact);
  if (status == TN_OK && !barred) {
    memcpy(s->now.y, q, sizeof *q * (size_t)m->nq);
  } else {
    memcpy(s->solver.sys.given.memory, s->start.walk.memory, sizeof(double) * (size_t)m->memory);
    tn_system_stale(&s->solver.sys);
  }
  return status;
}
