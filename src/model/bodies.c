/* bodies: given pose and coordinates; and rods as mass elements between places. */
#include "model/model.h"

int tn_body_named(const tn_context *c, const char *name) {
  if (strcmp(name, "ground") == 0 || strcmp(name, "world") == 0) return TN_GROUND;
  const int i = tn_index_find(&c->m->body_index, name);
  return i >= 0 ? i : -2;
}

tn_status tn_body_at(tn_context *c, const tn_node *node, int *body) {
  const char *word;
  TN_TRY(tn_word_at(c, node, "body", &word));
  *body = tn_body_named(c, word);
  if (*body != -2) return TN_OK;
  const char *known[128] = {"ground"};
  int n = 1;
  for (int i = 0; i < c->m->bodies && n < 128; i++) known[n++] = c->m->body[i].name;
  const char *near = tn_nearest(word, n, known);
  tn_refuse(c, node, "there is no body '%s'", word);
  if (strchr(word, '{'))
    tn_hint(c->e, "braces are replaced inside a `repeat` only");
  else if (near)
    tn_hint(c->e, "did you mean '%s'?", near);
  return TN_E_MODEL;
}

tn_status tn_bodies_list(tn_context *c) {
  tn_model *m = c->m;
  const tn_node *bodies = tn_node_get(c->root, "bodies");
  if (bodies && bodies->kind != TN_NODE_OBJECT) return tn_refuse(c, bodies, "`bodies` must be an object");
  if (!bodies || bodies->size == 0) return tn_refuse(c, bodies, "the model has no `bodies`");
  m->body = tn_arena_alloc(c->arena, sizeof *m->body * bodies->size);
  m->order = tn_arena_alloc(c->arena, sizeof *m->order * bodies->size);
  c->pose_state = tn_arena_alloc(c->arena, sizeof *c->pose_state * bodies->size);
  if (!m->body || !m->order || !c->pose_state || !tn_index_make(&m->body_index, c->arena, bodies->size))
    return tn_no_memory(c);
  for (const tn_node *b = bodies->first; b; b = b->next) {
    if (tn_node_is_own(b)) continue;
    TN_TRY(tn_check_name(c, b));
    if (b->kind != TN_NODE_OBJECT) return tn_refuse(c, b, "body '%s' must be an object", b->key);
    tn_body *body = &m->body[m->bodies++];
    body->node = b;
    body->joint = -1;
    body->parent = TN_GROUND;
    if (!(body->name = tn_arena_text(c->arena, b->key, strlen(b->key)))) return tn_no_memory(c);
    tn_index_add(&m->body_index, body->name, m->bodies - 1);
  }
  return TN_OK;
}

static void at_work(tn_context *c, int body) {
  c->kind = "body";
  c->name = c->m->body[body].name;
  c->node = c->m->body[body].node;
}

/* its parameters, and the table that they choose */
static tn_status chosen_type(tn_context *c, const tn_node *node, tn_body *b) {
  static const tn_node none = {.kind = TN_NODE_OBJECT};
  const tn_field *common = b->type->on_parent ? tn_swing_fields : tn_part_fields;
  if (!b->type->chosen) return node && node->kind == TN_NODE_OBJECT ? tn_keys_known(c, node, common, NULL) : TN_OK;
  void *self = tn_context_alloc(c, b->type->size + 1);
  if (!self) return TN_E_MEMORY;
  TN_TRY(tn_fields_read(c, node && node->kind == TN_NODE_OBJECT ? node : &none, b->type->fields, common, self));
  b->type = b->type->chosen(self);
  return TN_OK;
}

/* `type:key=value` as the object that it stands for */
static tn_status long_form(tn_context *c, const tn_node **node) {
  if (!*node || (*node)->kind != TN_NODE_TEXT || !strchr((*node)->text, ':')) return TN_OK;
  tn_error why = {0};
  tn_node *object = tn_context_alloc(c, sizeof *object);
  if (!object) return TN_E_MEMORY;
  const tn_status status = tn_part_parse(c->arena, (*node)->text, 3, object, &why);
  if (status == TN_E_MEMORY) return tn_no_memory(c);
  if (status != TN_OK) return tn_refuse(c, *node, "%s", why.message);
  object->key = (*node)->key;
  object->parent = (*node)->parent;
  object->place = (*node)->place;
  for (tn_node *k = object->first; k; k = k->next) k->place = k->key_place = object->place;
  *node = object;
  return TN_OK;
}

static tn_status body_type(tn_context *c, tn_body *b) {
  const tn_node *node = tn_node_get(b->node, "coordinates");
  const bool plane = c->m->dimension == 2;
  if (!node) node = tn_node_get(c->root, "body_coordinates");
  const char *word = plane ? "plane" : "quaternion";
  TN_TRY(long_form(c, &node));
  if (node) TN_TRY(tn_type_word(c, node, &word));
  const void *type;
  const tn_node *at = node && node->kind == TN_NODE_OBJECT ? tn_node_get(node, "type") : node;
  TN_TRY(tn_registry_find(c, at, TN_COORDINATES, word, &type));
  b->type = type;
  TN_TRY(chosen_type(c, node, b));
  b->oriented = b->type->oriented;
  if (!(plane ? b->type->plane.n : b->type->space.nq)) {
    tn_refuse(c, at, "coordinates `%s` are for bodies in %s", word, plane ? "space" : "the plane");
    tn_hint(c->e, "the default is `%s`", plane ? "plane" : "quaternion");
    return TN_E_MODEL;
  }
  return TN_OK;
}

static tn_status swing_pose(tn_context *c, tn_body *b) {
  const tn_node *node = tn_node_get(b->node, "coordinates"), *parent, *at, *on;
  if (!node || node->kind != TN_NODE_OBJECT)
    return tn_refuse(c, node, "coordinates `%s` need `parent` and `at`", b->type->name);
  if (!(parent = tn_node_get(node, "parent")))
    return tn_refuse(c, node, "coordinates `%s` need a `parent`", b->type->name);
  TN_TRY(tn_body_at(c, parent, &b->parent));
  if (b->parent >= 0) {
    tn_status status = tn_pose_of(c, b->parent, parent);
    at_work(c, (int)(b - c->m->body));
    if (status != TN_OK) return status;
    if (!c->m->body[b->parent].oriented)
      return tn_refuse(c, parent, "the parent '%s' is a particle", c->m->body[b->parent].name);
  }
  at = tn_node_get(node, "at");
  on = tn_node_get(node, "on_body");
  if (!at == !on) return tn_refuse(c, node, "give exactly one of `at` (world) and `on_body` (axes of the parent)");
  if (at)
    TN_TRY(tn_spot_at(c, at, b->parent, &b->pivot));
  else
    TN_TRY(tn_spot_on(c, on, b->parent, &b->pivot));
  tn_spot_place(c, &b->pivot, b->pose.r);
  return TN_OK;
}

/* frame origin at the first place, x to the second; in space turned there by the smallest rotation */
static tn_status rod_pose(tn_context *c, tn_body *b, const tn_node *rod) {
  double p[2][3], e[3];
  if (!b->oriented) return tn_refuse(c, rod, "a particle cannot be a rod: see `rods`, mass elements between places");
  if (rod->kind != TN_NODE_LIST || rod->size != 2) return tn_refuse(c, rod, "`rod` needs two places");
  TN_TRY(tn_place_at(c, rod->first, p[0]));
  TN_TRY(tn_place_at(c, rod->last, p[1]));
  tn_sub3(p[1], p[0], e);
  const double l = c->m->dimension == 2 ? hypot(e[0], e[1]) : tn_norm3(e);
  if (!(l > 0)) return tn_refuse(c, rod, "the rod has no length");
  if (!isfinite(l)) return tn_refuse(c, rod, "the length of the rod is beyond all bounds");
  memcpy(b->pose.r, p[0], sizeof p[0]);
  if (c->m->dimension == 2) {
    b->pose.angle = atan2(e[1], e[0]);
  } else {
    static const double x[3] = {1, 0, 0};
    for (int i = 0; i < 3; i++) e[i] /= l;
    tn_rotation_to3(x, e, b->pose.A);
  }
  if (!b->type->on_parent) return TN_OK;
  TN_TRY(swing_pose(c, b));
  if (hypot(p[0][0] - b->pose.r[0], p[0][1] - b->pose.r[1]) > TN_SAME_PLACE)
    return tn_refuse(c, rod, "the rod does not begin at the pivot of its coordinates");
  return TN_OK;
}

static tn_status read_pose(tn_context *c, tn_body *b) {
  const tn_node *rod = tn_node_get(b->node, "rod"), *position = tn_node_get(b->node, "position"), *turn;
  TN_TRY(body_type(c, b));
  tn_identity3(b->pose.A);
  TN_TRY(tn_orientation_at(c, b->node, &b->pose, &turn));
  if (rod) {
    if (position || turn) return tn_refuse(c, position ? position : turn, "a `rod` has its pose already");
    return rod_pose(c, b, rod);
  }
  if (turn && !b->oriented)
    return tn_refuse(c, turn, c->m->dimension == 2 ? "a particle has no angle" : "a particle has no orientation");
  if (b->type->on_parent) {
    if (position) return tn_refuse(c, position, "coordinates `%s` take `angle` and no `position`", b->type->name);
    return swing_pose(c, b);
  }
  if (b->type->direction)
    return position ? tn_direction_at(c, position, b->pose.r) : tn_missing(c, b->node, "position");
  if (position) TN_TRY(tn_place_at(c, position, b->pose.r));
  return TN_OK;
}

tn_status tn_pose_of(tn_context *c, int body, const tn_node *at) {
  if (c->pose_state[body] == 2) return TN_OK;
  if (c->pose_state[body] == 1) {
    if (c->node == c->m->body[body].node) return tn_refuse(c, at, "its place is defined by itself");
    return tn_refuse(c, at, "its place is defined by that of '%s', and so by itself", c->m->body[body].name);
  }
  if (c->depth >= TN_MOST_DEPTH)
    return tn_refuse(c, c->m->body[body].node,
                     "more than %d bodies stand on bodies listed after them: list parents first", TN_MOST_DEPTH);
  c->depth++;
  c->pose_state[body] = 1;
  const char *kind = c->kind, *name = c->name;
  const tn_node *node = c->node;
  at_work(c, body);
  tn_status status = read_pose(c, &c->m->body[body]);
  c->kind = kind;
  c->name = name;
  c->node = node;
  c->pose_state[body] = 2;
  c->depth--;
  return status;
}

tn_status tn_bodies_read(tn_context *c) {
  const tn_node *all = tn_node_get(c->root, "body_coordinates");
  if (all && !(c->m->body_coordinates = tn_part_text(c, all))) return tn_no_memory(c);
  for (int i = 0; i < c->m->bodies; i++) {
    at_work(c, i);
    TN_TRY(tn_keys_known(c, c->node, tn_body_fields, NULL));
    TN_TRY(tn_pose_of(c, i, NULL));
    TN_TRY(tn_mass_read(c, &c->m->body[i]));
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

tn_status tn_rods_read(tn_context *c) {
  const tn_node *rods = tn_node_get(c->root, "rods"), *elements = tn_node_get(c->root, "elements");
  const size_t n = (rods ? rods->size : 0) + TN_MOST_PAIRS * (elements ? elements->size : 0);
  if (!(c->m->rod = tn_arena_alloc(c->arena, sizeof *c->m->rod * (n + 1)))) return tn_no_memory(c);
  if (!rods) return TN_OK;
  if (rods->kind != TN_NODE_OBJECT) return tn_refuse(c, rods, "`rods` must be an object");
  for (const tn_node *r = rods->first; r; r = r->next) {
    if (tn_node_is_own(r)) continue;
    tn_rod *rod = &c->m->rod[c->m->rods];
    int body[2] = {TN_GROUND, TN_GROUND};
    c->kind = NULL;
    TN_TRY(tn_check_name(c, r));
    c->kind = "rod";
    c->name = r->key;
    c->node = r;
    TN_TRY(tn_keys_known(c, r, tn_rod_fields, NULL));
    const tn_node *mass = tn_node_get(r, "mass");
    if (!mass) return tn_refuse(c, r, "`mass` is missing");
    TN_TRY(tn_number_at(c, mass, &rod->mass));
    if (!(rod->mass > 0)) return tn_refuse(c, mass, "the mass must be positive, it is %g", rod->mass);
    for (int k = 0; k < 2; k++) rod->own[k] = rod->mass / 3, rod->share[k] = rod->mass / 2;
    rod->shared = rod->mass / 6;
    rod->drawn = true;
    TN_TRY(tn_between_at(c, r, body));
    TN_TRY(tn_two_places(c, r, body, rod->end));
    if (!(rod->name = tn_arena_text(c->arena, r->key, strlen(r->key)))) return tn_no_memory(c);
    c->m->rods++;
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}
