/* forces: what they act on, parameters. */
#include "model/model.h"

tn_status tn_forces_list(tn_context *c) {
  tn_model *m = c->m;
  const tn_node *forces = tn_node_get(c->root, "forces");
  if (!forces) return TN_OK;
  if (forces->kind != TN_NODE_OBJECT) return tn_refuse(c, forces, "`forces` must be an object");
  m->force = tn_arena_alloc(c->arena, sizeof *m->force * (forces->size + 1));
  if (!m->force || !tn_index_make(&m->force_index, c->arena, forces->size)) return tn_no_memory(c);
  for (const tn_node *k = forces->first; k; k = k->next) {
    if (tn_node_is_own(k)) continue;
    TN_TRY(tn_check_name(c, k));
    if (tn_body_named(c, k->key) >= 0 || tn_joint_named(c, k->key) >= 0)
      return tn_refuse_key(c, k, "'%s' is the name of a force and of a body or joint: one of them must be renamed",
                           k->key);
    tn_force *f = &m->force[m->forces++];
    f->node = k;
    if (!(f->name = tn_arena_text(c->arena, k->key, strlen(k->key)))) return tn_no_memory(c);
    tn_index_add(&m->force_index, f->name, m->forces - 1);
  }
  return TN_OK;
}

/* `on`: a channel if it has a dot, else a body */
static tn_status read_on(tn_context *c, tn_force *f, const tn_node *on) {
  const char *word;
  TN_TRY(tn_word_at(c, on, "on", &word));
  if (strchr(word, '.')) {
    bool rate;
    if (!(f->type->takes & TN_ON_CHANNEL))
      return tn_refuse(c, on, "a %s acts on a body, not on a channel", f->type->name);
    TN_TRY(tn_measure_at(c, on, word, &f->on, &rate));
    if (rate) return tn_refuse(c, on, "'%s' is a rate: a coordinate is needed", word);
    if (f->on.kind == TN_OF_RAW)
      return tn_refuse(c, on,
                       "'%s' is a coordinate of its own kind: a force acts on x, y, z of a body or on those of a joint",
                       word);
    f->how = TN_ON_CHANNEL;
    c->own = f->on;
    c->has_own = true;
    return TN_OK;
  }
  int body;
  if (tn_joint_named(c, word) >= 0)
    return tn_refuse(c, on, "'%s' is a joint: a %s is needed", word,
                     f->type->takes & TN_ON_CHANNEL ? "coordinate channel of it" : "body");
  if (!(f->type->takes & TN_ON_BODY))
    return tn_refuse(c, on, "a %s acts on a coordinate channel, not on a body", f->type->name);
  TN_TRY(tn_body_at(c, on, &body));
  if (body == TN_GROUND) return tn_refuse(c, on, "a force on the ground moves nothing");
  f->how = TN_ON_BODY;
  f->frames = 1;
  f->spot[0] = tn_spot_origin(body);
  c->own = (tn_measure){TN_OF_BODY, body, 0};
  c->has_own = true;
  const tn_node *at = tn_node_get(f->node, "at"), *on_body = tn_node_get(f->node, "on_body");
  if (f->type->takes & TN_AT_POINT) {
    if (at && on_body) return tn_refuse(c, on_body, "give `at` or `on_body`, not both");
    if (at) TN_TRY(tn_spot_at(c, at, body, &f->spot[0]));
    if (on_body) TN_TRY(tn_spot_on(c, on_body, body, &f->spot[0]));
    f->spot[0].angle = 0; /* the body's own axes */
    tn_identity3(f->spot[0].A);
    if (!at && !on_body && c->m->body[body].oriented)
      return tn_refuse(c, f->node, "where does it act? give `at` (world) or `on_body` (body axes)");
  } else {
    if (at || on_body) return tn_refuse(c, at ? at : on_body, "a %s has no place", f->type->name);
    if (!c->m->body[body].oriented)
      return tn_refuse(c, on, "a torque cannot turn the particle '%s'", c->m->body[body].name);
  }
  return TN_OK;
}

/* its own fields, those in space beside them */
static tn_status read_fields(tn_context *c, tn_force *f) {
  enum { MOST = 32 };
  tn_field all[MOST + 1];
  int n = 0;
  for (const tn_field *k = f->type->fields; k && k->key && n < MOST; k++) all[n++] = *k;
  for (const tn_field *k = c->m->dimension == 3 ? f->type->fields_space : NULL; k && k->key && n < MOST; k++)
    all[n++] = *k;
  all[n].key = NULL;
  return tn_fields_read(c, f->node, all, tn_force_fields, f->self);
}

static tn_status read_force(tn_context *c, tn_force *f) {
  const char *word;
  const void *type;
  if (f->node->kind != TN_NODE_OBJECT) return tn_refuse(c, f->node, "a force must be an object");
  TN_TRY(tn_type_word(c, f->node, &word));
  TN_TRY(tn_registry_find(c, tn_node_get(f->node, "type"), TN_FORCES, word, &type));
  f->type = type;
  const bool plane = c->m->dimension == 2;
  if (!(plane ? f->type->plane : f->type->space))
    return tn_refuse(c, tn_node_get(f->node, "type"), "there is no force `%s` in %s", word,
                     plane ? "the plane" : "space");
  const tn_node *on = tn_node_get(f->node, "on"), *between = tn_node_get(f->node, "between");
  if (on && between) return tn_refuse(c, between, "give `on` or `between`, not both");
  if (on) {
    TN_TRY(read_on(c, f, on));
  } else if (f->type->takes & TN_BETWEEN) {
    int body[2] = {TN_GROUND, TN_GROUND};
    if (!between && f->type->takes & (TN_ON_BODY | TN_ON_CHANNEL) && tn_misspelt(f->node, "on"))
      return tn_missing(c, f->node, "on");
    TN_TRY(tn_between_at(c, f->node, body));
    TN_TRY(tn_two_places(c, f->node, body, f->spot));
    f->how = TN_BETWEEN;
    f->frames = 2;
  } else {
    if (tn_misspelt(f->node, "on")) return tn_missing(c, f->node, "on");
    return tn_refuse(c, f->node, "`on` is missing: %s",
                     f->type->takes & TN_ON_CHANNEL ? "a body or a coordinate channel" : "a body");
  }
  if (!(f->self = tn_context_alloc(c, f->type->size + 1))) return TN_E_MEMORY;
  TN_TRY(read_fields(c, f));
  if (!f->type->init) return TN_OK;
  tn_frame2 f2[2];
  tn_frame3 f3[2];
  tn_force_in in = {.how = f->how, .f = plane ? f2 : NULL, .f3 = plane ? NULL : f3};
  for (int i = 0; i < f->frames; i++) {
    if (plane)
      tn_spot_frame(c, &f->spot[i], &f2[i]);
    else
      tn_spot_frame3(c, &f->spot[i], &f3[i]);
  }
  return f->type->init(f->self, c, &in);
}

tn_status tn_forces_read(tn_context *c) {
  c->before_solve = true;
  for (int i = 0; i < c->m->forces; i++) {
    tn_force *f = &c->m->force[i];
    c->kind = "force";
    c->name = f->name;
    c->node = f->node;
    c->has_own = false;
    TN_TRY(read_force(c, f));
  }
  c->kind = NULL;
  c->node = NULL;
  c->has_own = c->before_solve = false;
  return TN_OK;
}
