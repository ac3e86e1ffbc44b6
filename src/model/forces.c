/* forces: what they act on, parameters, states; the order in which they are evaluated. */
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
  const tn_node *at = tn_node_get(f->node, "at"), *on_body = tn_node_get(f->node, "on_body");
  if (f->type->takes & TN_AT_POINT) {
    if (at && on_body) return tn_refuse(c, on_body, "give `at` or `on_body`, not both");
    if (at) TN_TRY(tn_spot_at(c, at, body, &f->spot[0]));
    if (on_body) TN_TRY(tn_spot_on(c, on_body, body, &f->spot[0]));
    f->spot[0].angle = f->spot[0].s = 0, f->spot[0].c = 1; /* the body's own axes */
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

/* one place for both, and axes that both have in common at the given pose: z along `axis`, in the plane x */
static tn_status shared_frames(tn_context *c, tn_force *f, const int body[2]) {
  const tn_node *axis = tn_node_get(f->node, "axis");
  double e[3], A[9];
  for (int k = 0; k < 2; k++)
    if (body[k] >= 0 && !c->m->body[body[k]].oriented)
      return tn_refuse(c, tn_node_get(f->node, "between"), "the particle '%s' does not turn: a %s has no hold on it",
                       c->m->body[body[k]].name, f->type->name);
  TN_TRY(tn_one_place(c, f->node, body, TN_GROUND, f->spot));
  if (!axis) return TN_OK;
  TN_TRY(tn_direction_at(c, axis, e));
  tn_frame_along3(e, NULL, A);
  for (int k = 0; k < 2; k++) {
    if (c->m->dimension == 2)
      tn_spot_turn(c, &f->spot[k], atan2(e[1], e[0]));
    else
      tn_spot_turn3(c, &f->spot[k], A);
  }
  return TN_OK;
}

/* type, and what it acts on */
static tn_status read_where(tn_context *c, tn_force *f) {
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
  if (on && !(f->type->takes & (TN_ON_BODY | TN_ON_CHANNEL)))
    return tn_refuse(c, on, "a %s acts between two bodies: give `between`, not `on`", f->type->name);
  if (on) {
    TN_TRY(read_on(c, f, on));
  } else if (f->type->takes & TN_BETWEEN) {
    int body[2] = {TN_GROUND, TN_GROUND};
    if (!between && f->type->takes & (TN_ON_BODY | TN_ON_CHANNEL) && tn_misspelt(f->node, "on"))
      return tn_missing(c, f->node, "on");
    TN_TRY(tn_between_at(c, f->node, body));
    if (f->type->takes & TN_SHARED)
      TN_TRY(shared_frames(c, f, body));
    else
      TN_TRY(tn_two_places(c, f->node, body, f->spot));
    f->how = TN_BETWEEN;
    f->frames = 2;
  } else {
    if (f->type->takes & TN_ON_NOTHING) return TN_OK;
    if (tn_misspelt(f->node, "on")) return tn_missing(c, f->node, "on");
    return tn_refuse(c, f->node, "`on` is missing: %s",
                     f->type->takes & TN_ON_CHANNEL ? "a body or a coordinate channel" : "a body");
  }
  return TN_OK;
}

/* its frames are on bodies that it can act on */
static tn_status check_stretch(tn_context *c, const tn_force *f) {
  for (int i = 0; i < f->frames && !f->type->stretch; i++)
    if (tn_stretches(c->m, f->spot[i].body)) {
      tn_refuse(c, f->node, "a `%s` has no meaning on body '%s', whose Euler parameters are not normalized",
                f->type->name, c->m->body[f->spot[i].body].name);
      tn_hint(c->e, "use \"euler-parameters\" without `normalized`");
      return TN_E_MODEL;
    }
  return TN_OK;
}

static tn_status init(tn_context *c, tn_force *f) {
  const bool plane = c->m->dimension == 2;
  if (!f->type->init) return TN_OK;
  tn_frame2 f2[2];
  tn_frame3 f3[2];
  tn_force_in in = {.how = f->how, .f = plane ? f2 : NULL, .f3 = plane ? NULL : f3};
  if (f->how == TN_ON_CHANNEL) in.unit = tn_measure_unit(c->m, &f->on);
  for (int i = 0; i < f->frames; i++) {
    if (plane)
      tn_spot_frame(c, &f->spot[i], &f2[i]);
    else
      tn_spot_frame3(c, &f->spot[i], &f3[i]);
  }
  return f->type->init(f->self, c, &in);
}

/* parameters; channels of its own coordinate or body need no name in its expressions */
static tn_status read_rest(tn_context *c, tn_force *f) {
  if (!(f->self = tn_context_alloc(c, f->type->size + 1))) return TN_E_MEMORY;
  c->has_own = f->how == TN_ON_CHANNEL || f->how == TN_ON_BODY;
  c->own = f->how == TN_ON_CHANNEL ? f->on : (tn_measure){TN_OF_BODY, f->spot[0].body, 0, NULL};
  f->channels = c->m->channels;
  TN_TRY(tn_fields_read_both(c, f->node, f->type->fields, f->type->fields_space, tn_force_fields, f->self));
  TN_TRY(check_stretch(c, f));
  f->slots = c->m->channels - f->channels;
  TN_TRY(init(c, f));
  f->states = f->type->states ? f->type->states(f->self) : 0;
  f->state = c->m->states;
  c->m->states += f->states;
  f->loaded = f->type->loaded && f->type->loaded(f->self);
  if (!f->loaded) return TN_OK;
  c->m->loaded++;
  const tn_node *on = tn_node_get(f->node, "on");
  if (f->how != TN_ON_CHANNEL)
    return tn_refuse(c, on, "a %s that goes with the load needs a coordinate of a joint", f->type->name);
  if (f->on.kind == TN_OF_JOINT && tn_joint_has_wrench(&c->m->joint[f->on.part])) return TN_OK;
  return tn_refuse(c, on, "'%s' is a coordinate of a body: a %s that goes with the load needs one of a joint", on->text,
                   f->type->name);
}

static void work_on(tn_context *c, const tn_force *f) {
  c->kind = "force";
  c->name = f->name;
  c->node = f->node;
}

/* the force that a channel must be evaluated after, or -1 */
static int comes_after(const tn_model *m, const tn_channel *ch) {
  switch (ch->kind) {
  case TN_CH_SIGNAL: return ch->component < m->force[ch->part].states ? -1 : ch->part;
  case TN_CH_FORCE_POWER:
  case TN_CH_FORCE_ENERGY:
  case TN_CH_FORCE_WRENCH:
  case TN_CH_FORCE_LOAD: return ch->part;
  default: return -1;
  }
}

/* those that others use come first. by depth, with a stack of one's own: there may be very many. state: 0 not yet, 1 on the
 * stack, 2 done; next: of its channels, the one to look at */
static tn_status put_in_order(tn_context *c) {
  tn_model *m = c->m;
  const size_t n = (size_t)m->forces + 1;
  int *state = tn_context_alloc(c, sizeof *state * 3 * n), *next = state + n, *stack = next + n, placed = 0;
  m->force_order = tn_context_alloc(c, sizeof *m->force_order * n);
  if (!state || !m->force_order) return TN_E_MEMORY;
  for (int i = 0; i < m->forces; i++) {
    int depth = 0;
    if (state[i]) continue;
    stack[depth++] = i;
    state[i] = 1;
    while (depth) {
      const int at = stack[depth - 1];
      const tn_force *f = &m->force[at];
      if (next[at] == f->slots) {
        m->force_order[placed++] = at;
        state[at] = 2;
        depth--;
        continue;
      }
      const int first = comes_after(m, &m->channel[f->channels + next[at]++]);
      if (first >= 0 && m->force[first].loaded) {
        work_on(c, f);
        return tn_refuse(c, f->node, "it depends on force '%s', which is known only after the accelerations",
                         m->force[first].name);
      }
      if (first < 0 || state[first] == 2) continue;
      if (state[first] == 1) {
        work_on(c, f);
        if (first == at) return tn_refuse(c, f->node, "it depends on itself at the same moment");
        return tn_refuse(c, f->node, "it depends on force '%s', which at the same moment depends on it",
                         m->force[first].name);
      }
      state[first] = 1;
      stack[depth++] = first;
    }
  }
  return TN_OK;
}

static tn_status list_flywheels(tn_context *c) {
  tn_model *m = c->m;
  m->flywheel = tn_context_alloc(c, sizeof *m->flywheel * (size_t)(m->forces + 1));
  if (!m->flywheel) return TN_E_MEMORY;
  for (int i = 0; i < m->forces; i++) {
    const tn_force *f = &m->force[i];
    const double inertia = f->type->inertia && f->how == TN_ON_CHANNEL ? f->type->inertia(f->self) : 0;
    if (inertia == 0) continue;
    tn_flywheel *w = &m->flywheel[m->flywheels++];
    *w = (tn_flywheel){.on = f->on, .inertia = inertia, .body = {TN_GROUND, TN_GROUND}};
    if (f->on.kind == TN_OF_BODY) w->body[0] = f->on.part;
    for (int k = 0; f->on.kind == TN_OF_JOINT && k < 2; k++) w->body[k] = m->joint[f->on.part].spot[k].body;
  }
  return TN_OK;
}

tn_status tn_forces_read(tn_context *c) {
  tn_model *m = c->m;
  c->before_solve = true;
  c->has_own = false;
  for (int i = 0; i < m->forces; i++) { /* all of them, before expressions use their channels */
    work_on(c, &m->force[i]);
    TN_TRY(read_where(c, &m->force[i]));
  }
  for (int i = 0; i < m->forces; i++) {
    work_on(c, &m->force[i]);
    TN_TRY(read_rest(c, &m->force[i]));
  }
  TN_TRY(put_in_order(c));
  TN_TRY(list_flywheels(c));
  c->kind = NULL;
  c->node = NULL;
  c->has_own = c->before_solve = false;
  return TN_OK;
}
