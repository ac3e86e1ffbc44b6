/* actuators: channels along which the objective of a row is realised, once rows have their numbers. */
#include "model/model.h"

static tn_status read_term(tn_context *c, const tn_node *at, const char *name, tn_term *t) {
  bool rate;
  TN_TRY(tn_measure_at(c, at, name, &t->of, &rate));
  if (rate) return tn_refuse(c, at, "'%s' is a rate: an actuator acts along a coordinate", name);
  if (t->of.kind == TN_OF_RAW && c->m->body[t->of.part].joint < 0) {
    tn_refuse(c, at, "'%s' is a coordinate of its own kind: an actuator has nothing to push against", name);
    tn_hint(c->e, "x, y, z of a body, or a coordinate of a joint");
    return TN_E_MODEL;
  }
  return TN_OK;
}

/* a channel, or {channel: coefficient} */
static tn_status read_actuator(tn_context *c, const tn_node *node, tn_servo *v) {
  const bool sum = node->kind == TN_NODE_OBJECT;
  const char *name;
  char text[160] = "";
  size_t used = 0;
  bool some = !sum;
  if (sum && node->size == 0) return tn_refuse(c, node, "an actuator without a channel moves nothing");
  if (!(v->term = tn_context_alloc(c, sizeof *v->term * (sum ? node->size : 1)))) return TN_E_MEMORY;
  v->node = node;
  v->term[0].coefficient = 1;
  if (!sum) {
    TN_TRY(tn_word_at(c, node, "actuators", &name));
    TN_TRY(read_term(c, node, name, &v->term[v->terms++]));
    v->name = tn_arena_text(c->arena, name, strlen(name));
    return v->name ? TN_OK : tn_no_memory(c);
  }
  for (const tn_node *k = node->first; k; k = k->next) {
    tn_term *t = &v->term[v->terms++];
    TN_TRY(tn_number_at(c, k, &t->coefficient));
    TN_TRY(read_term(c, k, k->key, t));
    some = some || t->coefficient != 0;
    const double size = fabs(t->coefficient);
    char factor[32] = "";
    if (size != 1) tn_format(factor, sizeof factor, "%.4g*", size);
    if (used < 100)
      used += (size_t)tn_format(text + used, sizeof text - used, "%s%s%.40s",
                                t->coefficient < 0 ? (used ? " - " : "-")
                                : used             ? " + "
                                                   : "",
                                factor, k->key);
    else if (used < 104)
      used += (size_t)tn_format(text + used, sizeof text - used, " + ..") + 100;
  }
  if (!some) return tn_refuse(c, node, "an actuator whose coefficients are all 0 moves nothing");
  v->name = tn_arena_text(c->arena, text, strlen(text));
  return v->name ? TN_OK : tn_no_memory(c);
}

tn_status tn_servos_read(tn_context *c) {
  tn_model *m = c->m;
  int n = 0;
  for (int i = 0; i < m->joints; i++)
    if (tn_joint_common(m->joint[i].type) == tn_row_fields && tn_node_get(m->joint[i].node, "actuators"))
      n += m->joint[i].rows;
  if (!n) return TN_OK;
  if (!(m->servo = tn_context_alloc(c, sizeof *m->servo * (size_t)n))) return TN_E_MEMORY;
  for (int i = 0; i < m->joints; i++) {
    tn_joint *j = &m->joint[i];
    const tn_node *list = tn_joint_common(j->type) == tn_row_fields ? tn_node_get(j->node, "actuators") : NULL;
    if (!list) continue;
    c->kind = "joint";
    c->name = j->name;
    c->node = j->node;
    if (list->kind != TN_NODE_LIST || (int)list->size != j->rows)
      return tn_refuse(c, list, "`actuators` must be a list of %d channel%s, as many as it has rows", j->rows,
                       j->rows == 1 ? "" : "s");
    j->servo = m->servos;
    for (const tn_node *k = list->first; k; k = k->next) {
      tn_servo *v = &m->servo[m->servos++];
      v->joint = i;
      v->row = j->row + j->servos++;
      TN_TRY(read_actuator(c, k, v));
    }
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

tn_unit tn_servo_unit(const tn_servo *v, const tn_model *m, bool *mixed) {
  const tn_unit unit = tn_measure_unit(m, &v->term[0].of);
  *mixed = false;
  for (int k = 1; k < v->terms; k++) *mixed = *mixed || tn_measure_unit(m, &v->term[k].of) != unit;
  return unit;
}
