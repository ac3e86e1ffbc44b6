/* parts of a model that know nothing of each other: bodies that no joint, rod, force or expression ties together. what moves in
 * one has no effect on the rates of another, so that a Jacobian by differences can move one number in each at once. */
#include "model/model.h"

static int root(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static void tie(int *up, int a, int b) {
  if (a >= 0 && b >= 0) up[root(up, a)] = root(up, b);
}

static void tie_measured(const tn_model *m, int *up, const tn_measure *of, int body) {
  if (of->kind != TN_OF_JOINT) tie(up, of->part, body);
  if (of->kind == TN_OF_JOINT)
    for (int k = 0; k < m->joint[of->part].frames; k++) tie(up, m->joint[of->part].spot[k].body, body);
}

/* of those that a force acts on; -1: none */
static int one_body(const tn_model *m, const tn_force *f) {
  if (f->how == TN_ON_CHANNEL && f->on.kind == TN_OF_JOINT) {
    const tn_spot *spot = m->joint[f->on.part].spot;
    return spot[0].body >= 0 ? spot[0].body : spot[1].body;
  }
  if (f->how == TN_ON_CHANNEL) return f->on.part;
  for (int k = 0; k < f->frames; k++)
    if (f->spot[k].body >= 0) return f->spot[k].body;
  return -1;
}

tn_status tn_parts_build(tn_context *c) {
  tn_model *m = c->m;
  int *up = tn_context_alloc(c, sizeof *up * (size_t)(2 * m->bodies + 1)), *number = up + m->bodies;
  m->part = tn_context_alloc(c, sizeof *m->part * (size_t)(m->nq + m->nu + m->states + 1));
  if (!up || !m->part) return tn_no_memory(c);
  for (int i = 0; i < m->bodies; i++) up[i] = i;
  for (int i = 0; i < m->bodies; i++) tie(up, i, m->body[i].parent);
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    const int first = j->touches ? j->touch[0].body : -1;
    for (int k = 1; k < j->touches; k++) tie(up, first, j->touch[k].body);
    for (int k = 0; k < j->frames; k++) tie(up, first, j->spot[k].body);
  }
  for (int i = 0; i < m->servos; i++) {
    const tn_joint *j = &m->joint[m->servo[i].joint];
    for (int k = 0; j->touches && k < m->servo[i].terms; k++)
      tie_measured(m, up, &m->servo[i].term[k].of, j->touch[0].body);
  }
  for (int i = 0; i < m->rods; i++) tie(up, m->rod[i].end[0].body, m->rod[i].end[1].body);
  for (int i = 0; i < m->forces; i++) {
    const tn_force *f = &m->force[i];
    if (f->how == TN_BETWEEN) tie(up, f->spot[0].body, f->spot[1].body);
    if (f->how == TN_ON_CHANNEL && f->on.kind == TN_OF_JOINT) tie_measured(m, up, &f->on, one_body(m, f));
  }
  /* expressions of forces may use channels of any body, stabilizers of rows the numbers of all */
  bool stabilized = false;
  for (int i = 0; i < m->run.stabilizers; i++) stabilized = stabilized || m->run.stabilizer[i].states;
  for (int i = 1; (m->channels || stabilized) && i < m->bodies; i++) tie(up, 0, i);
  for (int i = 0; i < m->bodies; i++) number[i] = -1;
  for (int i = 0; i < m->bodies; i++) {
    int *at = &number[root(up, i)];
    if (*at < 0) *at = m->parts++;
    for (int k = 0; k < m->body[i].nq; k++) m->part[m->body[i].q + k] = *at;
    for (int k = 0; k < m->body[i].nu; k++) m->part[m->nq + m->body[i].u + k] = *at;
  }
  for (int i = 0; i < m->forces; i++) { /* one that acts on nothing is used through channels: then there is one part */
    const tn_force *f = &m->force[i];
    const int body = one_body(m, f);
    for (int k = 0; k < f->states; k++) m->part[m->nq + m->nu + f->state + k] = body >= 0 ? number[root(up, body)] : 0;
  }
  return TN_OK;
}
