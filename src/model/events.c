/* parameters, what can be switched, and events.
 *
 * an event is a switch of the model whose two pieces are the signs of `when`: steps end where it passes zero, as they do at edges of
 * functions made of pieces, and what stands under `do` is done there. a condition is 0 or 1 and has its edges inside; the event is
 * then at the edge that makes it true. */
#include "model/model.h"

static tn_status object_of(tn_context *c, const char *key, const tn_node **object) {
  *object = tn_node_get(c->root, key);
  if (*object && (*object)->kind != TN_NODE_OBJECT) return tn_refuse(c, *object, "`%s` must be an object", key);
  return TN_OK;
}

tn_status tn_parameters_list(tn_context *c) {
  tn_model *m = c->m;
  const tn_node *all;
  TN_TRY(object_of(c, "parameters", &all));
  if (!all) return TN_OK;
  m->parameter = tn_context_alloc(c, sizeof *m->parameter * (all->size + 1));
  if (!m->parameter || !tn_index_make(&m->parameter_index, c->arena, all->size)) return tn_no_memory(c);
  for (const tn_node *k = all->first; k; k = k->next) {
    double value;
    if (tn_node_is_own(k)) continue;
    TN_TRY(tn_check_name(c, k));
    if (tn_index_find(&c->constant_index, k->key) >= 0 || (c->points && tn_index_find(&c->point_index, k->key) >= 0) ||
        tn_index_find(&c->table_index, k->key) >= 0)
      return tn_refuse_key(c, k, "'%s' is the name of a parameter and of a constant, point or table", k->key);
    TN_TRY(tn_number_at(c, k, &value)); /* before its own name is known */
    if (!isfinite(value)) return tn_refuse(c, k, "parameter '%s' is not a finite number", k->key);
    tn_parameter *p = &m->parameter[m->parameters];
    *p = (tn_parameter){.node = k, .value = value};
    if (!(p->name = tn_arena_text(c->arena, k->key, strlen(k->key)))) return tn_no_memory(c);
    tn_index_add(&m->parameter_index, p->name, m->parameters++);
  }
  return TN_OK;
}

/* ---- what can be switched --------------------------------------------------------------------------------------------------- */

/* one name after the other of `on` or `off`: a list of texts, or one text with + between them. false: past the last */
typedef struct names {
  const tn_node *node, *item;
  const char *rest;
  char name[64];
} names;

static tn_status names_at(tn_context *c, const tn_node *node, names *n) {
  *n = (names){.node = node, .item = node->kind == TN_NODE_LIST ? node->first : node};
  if (node->kind == TN_NODE_LIST && node->size == 0) return tn_refuse(c, node, "`%s` names nothing", node->key);
  for (const tn_node *k = n->item; k; k = node->kind == TN_NODE_LIST ? k->next : NULL)
    if (k->kind != TN_NODE_TEXT) return tn_refuse(c, k, "`%s` must name joints or forces", node->key);
  n->rest = n->item->text;
  return TN_OK;
}

static bool next_name(names *n) {
  while (n->item && !n->rest) {
    n->item = n->node->kind == TN_NODE_LIST ? n->item->next : NULL;
    n->rest = n->item ? n->item->text : NULL;
  }
  if (!n->item) return false;
  const size_t size = strcspn(n->rest, "+");
  tn_format(n->name, sizeof n->name, "%.*s", (int)(size < sizeof n->name ? size : sizeof n->name - 1), n->rest);
  n->rest = n->rest[size] ? n->rest + size + 1 : NULL;
  return true;
}

static tn_status no_such_part(tn_context *c, const tn_node *at, const char *name) {
  const tn_model *m = c->m;
  const char *known[192];
  int n = 0;
  for (int i = 0; i < m->joints && n < 96; i++) known[n++] = m->joint[i].name;
  for (int i = 0; i < m->forces && n < 192; i++) known[n++] = m->force[i].name;
  const char *near = tn_nearest(name, n, known);
  tn_refuse(c, at, "there is no joint or force '%.60s' to be switched", name);
  if (near) tn_hint(c->e, "did you mean '%s'?", near);
  return TN_E_MODEL;
}

/* the items of `do`: itself, or those of the list */
static const tn_node *first_act(const tn_node *event) {
  const tn_node *todo = event->kind == TN_NODE_OBJECT ? tn_node_get(event, "do") : NULL;
  return todo && todo->kind == TN_NODE_LIST ? todo->first : todo;
}

static const tn_node *next_act(const tn_node *event, const tn_node *act) {
  return tn_node_get(event, "do")->kind == TN_NODE_LIST ? act->next : NULL;
}

static void at_work(tn_context *c, const tn_node *event) {
  c->kind = "event";
  c->name = event->key;
  c->node = event;
}

static tn_status mark_switched(tn_context *c, const tn_node *act) {
  static const char *const keys[] = {"on", "off"};
  for (int k = 0; k < 2; k++) {
    const tn_node *node = act->kind == TN_NODE_OBJECT ? tn_node_get(act, keys[k]) : NULL;
    names n;
    if (!node) continue;
    TN_TRY(names_at(c, node, &n));
    while (next_name(&n)) {
      const int joint = tn_joint_named(c, n.name);
      if (joint < 0 && tn_index_find(&c->m->force_index, n.name) < 0) return no_such_part(c, n.item, n.name);
      if (joint >= 0) c->m->joint[joint].switchable = true;
    }
  }
  return TN_OK;
}

static tn_status read_active(tn_context *c, const char *kind, const char *name, const tn_node *part, bool *off,
                             bool *given) {
  const tn_node *node = part->kind == TN_NODE_OBJECT ? tn_node_get(part, "active") : NULL;
  if (!node) return TN_OK;
  c->kind = kind;
  c->name = name;
  c->node = part;
  if (node->kind != TN_NODE_BOOL) return tn_refuse(c, node, "`active` must be true or false");
  *off = !node->boolean;
  *given = true;
  c->kind = NULL;
  return TN_OK;
}

tn_status tn_switchable_list(tn_context *c) {
  tn_model *m = c->m;
  const tn_node *all;
  bool unused;
  for (int i = 0; i < m->joints; i++)
    TN_TRY(read_active(c, "joint", m->joint[i].name, m->joint[i].node, &m->joint[i].off, &m->joint[i].switchable));
  for (int i = 0; i < m->forces; i++)
    TN_TRY(read_active(c, "force", m->force[i].name, m->force[i].node, &m->force[i].off, &unused));
  TN_TRY(object_of(c, "events", &all));
  for (const tn_node *k = all ? all->first : NULL; k; k = k->next) {
    if (tn_node_is_own(k)) continue;
    at_work(c, k);
    for (const tn_node *act = first_act(k); act; act = next_act(k, act)) TN_TRY(mark_switched(c, act));
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

/* ---- events ------------------------------------------------------------------------------------------------------------------ */

static tn_act *new_act(tn_trigger *x, tn_act_kind kind) {
  x->act[x->acts] = (tn_act){.kind = kind};
  return &x->act[x->acts++];
}

static tn_status read_set(tn_context *c, const tn_node *set, tn_trigger *x) {
  bool first = true;
  if (set->kind != TN_NODE_OBJECT || set->size == 0)
    return tn_refuse(c, set, "`set` needs parameters and what they become: {\"k\": 2}");
  for (const tn_node *k = set->first; k; k = k->next) {
    const int i = tn_index_find(&c->m->parameter_index, k->key);
    if (i < 0) {
      const char *known[96];
      int n = 0;
      for (; n < c->m->parameters && n < 96; n++) known[n] = c->m->parameter[n].name;
      const char *near = tn_nearest(k->key, n, known);
      tn_refuse_key(c, k, "there is no parameter '%.60s'", k->key);
      if (near)
        tn_hint(c->e, "did you mean '%s'?", near);
      else if (tn_index_find(&c->constant_index, k->key) >= 0)
        tn_hint(c->e, "a constant stays what it is: what a run changes stands under `parameters`");
      return TN_E_MODEL;
    }
    tn_act *act = new_act(x, TN_ACT_SET);
    act->part = i;
    act->together = !first;
    first = false;
    TN_TRY(tn_expr_at(c, k, TN_CLASS_RUNNING, 1, &act->value));
  }
  return TN_OK;
}

static tn_status read_switched(tn_context *c, const tn_node *node, bool on, tn_trigger *x) {
  bool first = true;
  names n;
  TN_TRY(names_at(c, node, &n));
  while (next_name(&n)) {
    tn_act *act = new_act(x, on ? TN_ACT_ON : TN_ACT_OFF);
    act->together = !first;
    first = false;
    act->part = tn_joint_named(c, n.name);
    act->joint = act->part >= 0;
    if (!act->joint) act->part = tn_index_find(&c->m->force_index, n.name);
    if (act->joint && c->m->joint[act->part].servos)
      return tn_refuse(c, n.item, "joint '%s' is kept by actuators: it cannot be switched", n.name);
  }
  return TN_OK;
}

static tn_status read_act(tn_context *c, const tn_node *act, tn_trigger *x) {
  if (act->kind == TN_NODE_TEXT) {
    const bool stop = strcmp(act->text, "stop") == 0;
    if (stop || strcmp(act->text, "record") == 0) {
      new_act(x, stop ? TN_ACT_STOP : TN_ACT_RECORD);
      return TN_OK;
    }
    static const char *const known[] = {"stop", "record"};
    return tn_unknown(c, act, "action", act->text, 2, known);
  }
  if (act->kind != TN_NODE_OBJECT || act->size != 1)
    return tn_refuse(c, act, "an action is `stop`, `record`, {\"set\": ..}, {\"on\": ..} or {\"off\": ..}");
  TN_TRY(tn_keys_known(c, act, tn_act_fields, NULL));
  if (strcmp(act->first->key, "set") == 0) return read_set(c, act->first, x);
  return read_switched(c, act->first, strcmp(act->first->key, "on") == 0, x);
}

/* how many actions there can be at most */
static size_t act_room(const tn_node *event) {
  size_t n = 1;
  for (const tn_node *act = first_act(event); act; act = next_act(event, act)) {
    n++;
    for (const tn_node *k = act->kind == TN_NODE_OBJECT ? act->first : NULL; k; k = k->next) {
      n += k->size + 1;
      for (const tn_node *i = k->kind == TN_NODE_LIST ? k->first : NULL; i; i = i->next) n += i->size + 1;
    }
  }
  return n;
}

static bool is_after_solve(const tn_model *m, const tn_expr *e) {
  for (int i = 0; i < tn_expr_slots(e); i++)
    if (m->channel[tn_expr_slot(e, i)].after_solve) return true;
  return false;
}

static tn_status read_event(tn_context *c, const tn_node *node, tn_trigger *x) {
  tn_model *m = c->m;
  struct own {
    const tn_expr *when;
    int direction;
    int times;
  } own = {.direction = -1};
  static const tn_field fields[] = {
      {.key = "direction", .kind = TN_WORD, .choices = "up down both", .offset = offsetof(struct own, direction)},
      {.key = "times", .kind = TN_INTEGER, .lo = 1, .hi = 1e9, .offset = offsetof(struct own, times)},
      {.key = NULL}};
  if (node->kind != TN_NODE_OBJECT) return tn_refuse(c, node, "an event must be an object");
  const tn_node *when = tn_node_get(node, "when");
  if (!when) return tn_missing(c, node, "when");
  TN_TRY(tn_keys_known(c, node, tn_event_fields, NULL));
  const tn_node *direction = tn_node_get(node, "direction");
  TN_TRY(tn_fields_read(c, node, fields, tn_event_fields, &own));
  if (!direction) own.direction = -1;
  x->switches = m->switches;
  c->switching = true;
  const tn_status status = tn_expr_at(c, when, TN_CLASS_RUNNING, 1, &x->when);
  c->switching = false;
  if (status != TN_OK) return status;
  x->inside = m->switches - x->switches;
  if (tn_expr_class(x->when) == TN_CLASS_CONSTANT) return tn_refuse(c, when, "`when` never changes");
  m->uses_time = m->uses_time || tn_expr_uses_time(x->when);
  x->condition = tn_expr_is_condition(x->when);
  x->after_solve = is_after_solve(m, x->when);
  m->triggers_after_solve = m->triggers_after_solve || x->after_solve;
  x->up = own.direction != 1;
  x->down = own.direction == 1 || own.direction == 2 || (own.direction < 0 && !x->condition);
  x->most = own.times;
  if ((x->slot = tn_switch_new(c, when->kind == TN_NODE_TEXT ? when->text : "")) < 0) return tn_no_memory(c);
  if (!(x->act = tn_context_alloc(c, sizeof *x->act * act_room(node)))) return TN_E_MEMORY;
  for (const tn_node *act = first_act(node); act; act = next_act(node, act)) TN_TRY(read_act(c, act, x));
  return TN_OK;
}

/* functions of time of a joint, whoever evaluates them */
static bool has_parameters(const tn_joint *j) {
  const tn_expr *x = j->value;
  if (x && tn_expr_uses_parameters(x)) return true;
  const tn_field *const tables[] = {j->self ? j->type->fields : NULL, j->self ? j->type->fields_space : NULL};
  for (int i = 0; i < 2; i++)
    for (const tn_field *f = tables[i]; f && f->key; f++) {
      if (f->kind != TN_TIME) continue; /* one of space is NULL in the plane */
      memcpy(&x, (const unsigned char *)j->self + f->offset, sizeof x);
      if (x && tn_expr_uses_parameters(x)) return true;
    }
  return false;
}

tn_status tn_events_read(tn_context *c) {
  tn_model *m = c->m;
  for (int i = 0; i < m->joints; i++) {
    m->joint[i].has_parameters = has_parameters(&m->joint[i]);
    m->parameters_in_joints = m->parameters_in_joints || m->joint[i].has_parameters;
  }
  const tn_node *all = tn_node_get(c->root, "events");
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (!j->off || !j->servos) continue;
    c->kind = "joint", c->name = j->name, c->node = j->node;
    return tn_refuse(c, tn_node_get(j->node, "active"), "it is kept by actuators: it cannot be switched");
  }
  if (!all) return TN_OK;
  if (!(m->trigger = tn_context_alloc(c, sizeof *m->trigger * (all->size + 1)))) return TN_E_MEMORY;
  for (const tn_node *k = all->first; k; k = k->next) {
    if (tn_node_is_own(k)) continue;
    TN_TRY(tn_check_name(c, k));
    at_work(c, k);
    tn_trigger *x = &m->trigger[m->triggers++];
    *x = (tn_trigger){.node = k};
    if (!(x->name = tn_arena_text(c->arena, k->key, strlen(k->key)))) return tn_no_memory(c);
    c->name = x->name;
    TN_TRY(read_event(c, k, x));
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}
