/* numbers that forces and stabilizers have of their own: their names, units and values at the start. */
#include "model/model.h"

static tn_status name(tn_context *c, int i, const char *part, const char *word, const char *unit) {
  const size_t size = strlen(part) + strlen(word) + 2;
  char *text = tn_context_alloc(c, size);
  if (!text) return TN_E_MEMORY;
  tn_format(text, size, "%s.%s", part, word);
  c->m->state_name[i] = text;
  c->m->state_unit[i] = unit;
  return TN_OK;
}

tn_status tn_states_name(tn_context *c) {
  tn_model *m = c->m;
  for (int i = 0; i < m->run.stabilizers; i++) {
    tn_part *p = &m->run.stabilizer[i];
    const tn_stabilizer_type *type = p->type;
    p->states = type->states ? type->states(p->self, m->rows, m->holonomic) : 0;
    p->state = m->states;
    m->states += p->states;
  }
  const size_t n = (size_t)m->states + 1;
  m->state_name = tn_context_alloc(c, sizeof *m->state_name * n);
  m->state_unit = tn_context_alloc(c, sizeof *m->state_unit * n);
  m->state0 = tn_context_alloc(c, sizeof *m->state0 * n);
  if (!m->state_name || !m->state_unit || !m->state0) return TN_E_MEMORY;
  for (int i = 0; i < m->forces; i++)
    for (int k = 0; k < m->force[i].states; k++) {
      const tn_signal *signal = &m->force[i].type->signals[k];
      TN_TRY(name(c, m->force[i].state + k, m->force[i].name, signal->name, signal->unit));
    }
  for (int i = 0; i < m->run.stabilizers; i++) {
    const tn_part *p = &m->run.stabilizer[i];
    for (int k = 0; k < p->states; k++) {
      char number[32];
      tn_format(number, sizeof number, "%d", k + 1);
      TN_TRY(name(c, p->state + k, tn_type_name(p->type), number, NULL));
    }
  }
  return TN_OK;
}
