/* actuators of objectives: a sum of channels, sum c_k m_k, as a row, a rate, an effort.
 *   (1) b = sum c_k J_k, rate = b u, power = effort rate
 *   (2) an effort along the sum is c_k effort along each of its channels, as pairs on the bodies they are measured between */
#include "assemble/assemble.h"

void tn_servo_row(const tn_system *s, int i, double *row) {
  assert(tn_knows(s, TN_LEVEL_ROWS) && i >= 0 && i < s->m->servos);
  const tn_servo *v = &s->m->servo[i];
  double value, rate, accel, *one = s->room.size;
  const size_t n = sizeof *row * (size_t)s->m->nu;
  memset(row, 0, n);
  for (int k = 0; k < v->terms; k++) {
    memset(one, 0, n);
    tn_measure_eval(s, &v->term[k].of, &value, &rate, &accel, one);
    for (int j = 0; j < s->m->nu; j++) row[j] += v->term[k].coefficient * one[j];
  }
}

double tn_servo_rate(const tn_system *s, int i) {
  assert(tn_knows(s, TN_LEVEL_TWISTS) && i >= 0 && i < s->m->servos);
  const tn_servo *v = &s->m->servo[i];
  double sum = 0, value, rate, accel;
  for (int k = 0; k < v->terms; k++) {
    tn_measure_eval(s, &v->term[k].of, &value, &rate, &accel, NULL);
    sum += v->term[k].coefficient * rate;
  }
  return sum;
}

void tn_servo_push(const tn_system *s, int i, double effort, double *wrench) {
  assert(tn_knows(s, TN_LEVEL_ROWS) && i >= 0 && i < s->m->servos);
  const tn_servo *v = &s->m->servo[i];
  for (int k = 0; k < v->terms; k++) tn_measure_push(s, &v->term[k].of, v->term[k].coefficient * effort, wrench);
}

double tn_servo_power(const tn_system *s) {
  assert(tn_is_solved(s));
  double sum = 0;
  for (int i = 0; i < s->m->servos; i++) sum += s->solved.effort[i] * tn_servo_rate(s, i);
  return sum;
}
