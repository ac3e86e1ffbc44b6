/* parts of a model that know nothing of each other: bodies that no joint, rod, force or expression ties together. what moves in
 * one has no effect on the rates of another, so that a Jacobian by differences can move one number in each at once. */
#include "model/model.h"

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
  tn_ties_of_joints(m, up);
  for (int i = 0; i < m->forces; i++) {
    const tn_force *f = &m->force[i];
    if (f->how == TN_BETWEEN) tn_ties_join(up, f->spot[0].body, f->spot[1].body);
    if (f->how == TN_ON_CHANNEL && f->on.kind == TN_OF_JOINT) tn_ties_measured(m, up, &f->on, one_body(m, f));
  }
  /* expressions of forces may use channels of any body, stabilizers of rows the numbers of all */
  bool stabilized = false;
  for (int i = 0; i < m->run.stabilizers; i++) stabilized = stabilized || m->run.stabilizer[i].states;
  for (int i = 1; (m->channels > m->equation_channels || stabilized) && i < m->bodies; i++) tn_ties_join(up, 0, i);
  for (int i = 0; i < m->bodies; i++) number[i] = -1;
  for (int i = 0; i < m->bodies; i++) {
    int *at = &number[tn_ties_root(up, i)];
    if (*at < 0) *at = m->parts++;
    for (int k = 0; k < m->body[i].nq; k++) m->part[m->body[i].q + k] = *at;
    for (int k = 0; k < m->body[i].nu; k++) m->part[m->nq + m->body[i].u + k] = *at;
  }
  for (int i = 0; i < m->forces; i++) { /* one that acts on nothing is used through channels: then there is one part */
    const tn_force *f = &m->force[i];
    const int body = one_body(m, f);
    for (int k = 0; k < f->states; k++)
      m->part[m->nq + m->nu + f->state + k] = body >= 0 ? number[tn_ties_root(up, body)] : 0;
  }
  return TN_OK;
}
