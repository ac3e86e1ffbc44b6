/* coordinates of the whole model against its speeds, body by body: qdot = N(q) u, q moved by s, s of a small dq;
 * speeds as they are integrated. */
#include "model/model.h"

/* of the speeds of one body, mostly 1 or 3: without a call */
static inline void copy(int n, const double *from, double *to) {
  if (n == 3)
    to[0] = from[0], to[1] = from[1], to[2] = from[2];
  else if (n == 1)
    to[0] = from[0];
  else
    memcpy(to, from, sizeof *to * (size_t)n);
}

void tn_model_rates(const tn_model *m, const double *q, const double *u, double *qdot) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (b->chart)
      b->chart->rates(q + b->q, u + b->u, qdot + b->q);
    else
      copy(b->nu, u + b->u, qdot + b->q);
  }
}

void tn_model_add(const tn_model *m, double *q, const double *s) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (b->chart)
      b->chart->add(q + b->q, s + b->u);
    else
      for (int k = 0; k < b->nu; k++) q[b->q + k] += s[b->u + k];
  }
}

bool tn_model_turns(const tn_model *m) {
  for (int i = 0; i < m->bodies; i++)
    if (m->body[i].own_axes) return true;
  return false;
}

void tn_model_to_own(const tn_model *m, const double *q, const double *u, double *x) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (b->own_axes)
      b->chart->to_own(q + b->q, u + b->u, x + b->u);
    else
      memcpy(x + b->u, u + b->u, sizeof *u * (size_t)b->nu);
  }
}

void tn_model_from_own(const tn_model *m, const double *q, const double *x, double *u) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (b->own_axes)
      b->chart->from_own(q + b->q, x + b->u, u + b->u);
    else
      memcpy(u + b->u, x + b->u, sizeof *u * (size_t)b->nu);
  }
}

void tn_model_carry(const tn_model *m, const double *u, const double *s, double k, double *du) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (b->own_axes) b->chart->carry(u + b->u, s + b->u, k, du + b->u);
  }
}

void tn_model_tangent(const tn_model *m, const double *q, const double *dq, double *s) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (b->chart)
      b->chart->tangent(q + b->q, dq + b->q, s + b->u);
    else
      copy(b->nu, dq + b->q, s + b->u);
  }
}

/* in the unit of the coordinate: a coordinate that its chart moves by less has not wandered */
static const double WANDERED = 1e-9;

bool tn_model_tidy(const tn_model *m, double *q) {
  static const double nowhere[8];
  bool changed = false;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    double tidy[8], off = 0;
    if (!b->chart) continue;
    memcpy(tidy, q + b->q, sizeof *tidy * (size_t)b->nq);
    b->chart->add(tidy, nowhere);
    for (int k = 0; k < b->nq; k++) off = fmax(off, fabs(tidy[k] - q[b->q + k]));
    if (!(off > WANDERED)) continue;
    memcpy(q + b->q, tidy, sizeof *tidy * (size_t)b->nq);
    changed = true;
  }
  return changed;
}
