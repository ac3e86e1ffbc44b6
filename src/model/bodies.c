/* bodies: given pose, mass, coordinates; and rods as mass elements between places. */
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

static tn_status body_type(tn_context *c, tn_body *b) {
  const tn_node *node = tn_node_get(b->node, "coordinates");
  if (!node) node = tn_node_get(c->root, "body_coordinates");
  const char *word = "plane";
  if (node) TN_TRY(tn_type_word(c, node, &word));
  const void *type;
  const tn_node *at = node && node->kind == TN_NODE_OBJECT ? tn_node_get(node, "type") : node;
  TN_TRY(tn_registry_find(c, at, TN_COORDINATES, word, &type));
  b->type = type;
  b->oriented = b->type->oriented;
  if (node && node->kind == TN_NODE_OBJECT)
    TN_TRY(tn_keys_known(c, node, b->type->on_parent ? tn_swing_fields : tn_part_fields, NULL));
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
    TN_TRY(tn_spot_at(c, at, b->parent, 0, &b->pivot));
  else
    TN_TRY(tn_spot_on(c, on, b->parent, 0, &b->pivot));
  tn_frame2 f;
  tn_spot_frame(c, &b->pivot, &f);
  b->pose[0] = f.r[0];
  b->pose[1] = f.r[1];
  return TN_OK;
}

static tn_status read_pose(tn_context *c, tn_body *b) {
  const tn_node *rod = tn_node_get(b->node, "rod"), *position = tn_node_get(b->node, "position"),
                *angle = tn_node_get(b->node, "angle");
  TN_TRY(body_type(c, b));
  if (rod) {
    double p[2][2];
    if (position || angle) return tn_refuse(c, position ? position : angle, "a `rod` has its pose already");
    if (!b->oriented) return tn_refuse(c, rod, "a particle cannot be a rod: see `rods`, mass elements between places");
    if (rod->kind != TN_NODE_LIST || rod->size != 2) return tn_refuse(c, rod, "`rod` needs two places");
    TN_TRY(tn_place_at(c, rod->first, p[0]));
    TN_TRY(tn_place_at(c, rod->last, p[1]));
    if (!(hypot(p[1][0] - p[0][0], p[1][1] - p[0][1]) > 0)) return tn_refuse(c, rod, "the rod has no length");
    b->pose[0] = p[0][0];
    b->pose[1] = p[0][1];
    b->pose[2] = atan2(p[1][1] - p[0][1], p[1][0] - p[0][0]);
    if (b->type->on_parent) {
      double x = b->pose[0], y = b->pose[1];
      TN_TRY(swing_pose(c, b));
      if (hypot(x - b->pose[0], y - b->pose[1]) > 1e-9)
        return tn_refuse(c, rod, "the rod does not begin at the pivot of its coordinates");
    }
    return TN_OK;
  }
  if (angle) {
    if (!b->oriented) return tn_refuse(c, angle, "a particle has no angle");
    TN_TRY(tn_number_at(c, angle, &b->pose[2]));
    tn_warn_angle(c, angle);
  }
  if (b->type->on_parent) {
    if (position) return tn_refuse(c, position, "coordinates `%s` take `angle` and no `position`", b->type->name);
    return swing_pose(c, b);
  }
  if (position) TN_TRY(tn_place_at(c, position, b->pose));
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

/* mass, centre and inertia, with lumps folded in:
 *   m = m0 + sum m_i;  c = (m0 c0 + sum m_i p_i)/m;  I = I0 + m0 |c0 - c|^2 + sum m_i |p_i - c|^2 */
static tn_status read_mass(tn_context *c, tn_body *b) {
  const tn_node *mass = tn_node_get(b->node, "mass"), *inertia = tn_node_get(b->node, "inertia"),
                *center = tn_node_get(b->node, "center"), *lumps = tn_node_get(b->node, "lumps"),
                *rod = tn_node_get(b->node, "rod");
  double m = 0, I = 0, p[2] = {0, 0};
  if (mass) {
    TN_TRY(tn_number_at(c, mass, &m));
    if (!(m >= 0)) return tn_refuse(c, mass, "the mass must not be negative, it is %g", m);
  } else if (inertia || lumps) {
    return tn_refuse(c, b->node, "`mass` is missing");
  } /* without any: allowed if joints and drivers hold all of its freedom; the start finds out */
  if (rod && mass) {
    double e[2][2];
    TN_TRY(tn_place_at(c, rod->first, e[0]));
    TN_TRY(tn_place_at(c, rod->last, e[1]));
    const double l = hypot(e[1][0] - e[0][0], e[1][1] - e[0][1]);
    p[0] = l / 2;
    I = m * l * l / 12;
  }
  if (center) {
    if (!b->oriented) return tn_refuse(c, center, "a particle is its own mass centre");
    TN_TRY(tn_numbers_at(c, center, 2, p));
  }
  if (inertia) {
    if (!b->oriented) return tn_refuse(c, inertia, "a particle has no inertia");
    TN_TRY(tn_number_at(c, inertia, &I));
    if (!(I >= 0)) return tn_refuse(c, inertia, "the inertia must not be negative, it is %g", I);
  } else if (b->oriented && mass && !rod) {
    tn_refuse(c, b->node, "`inertia` is missing");
    tn_hint(c->e, "about the mass centre, kg m^2; 0 is allowed where a joint keeps the mass matrix regular");
    return TN_E_MODEL;
  }
  b->mass = m;
  b->center[0] = p[0];
  b->center[1] = p[1];
  b->inertia = I;
  if (lumps && !b->oriented) return tn_refuse(c, lumps, "a particle has no lumps");
  if (lumps && lumps->kind != TN_NODE_LIST) return tn_refuse(c, lumps, "`lumps` must be a list");
  for (const tn_node *l = lumps ? lumps->first : NULL; l; l = l->next) {
    const tn_node *lm, *at;
    double ml, pl[2];
    TN_TRY(tn_keys_known(c, l, tn_lump_fields, NULL));
    if (!(lm = tn_node_get(l, "mass")) || !(at = tn_node_get(l, "at")))
      return tn_refuse(c, l, "a lump needs `mass` and `at`");
    TN_TRY(tn_number_at(c, lm, &ml));
    if (!(ml >= 0)) return tn_refuse(c, lm, "the mass of a lump must not be negative, it is %g", ml);
    TN_TRY(tn_numbers_at(c, at, 2, pl));
    const double sum = b->mass + ml;
    if (sum > 0) {
      const double dx = pl[0] - b->center[0], dy = pl[1] - b->center[1];
      b->inertia += b->mass * ml / sum * (dx * dx + dy * dy);
      b->center[0] += ml / sum * dx;
      b->center[1] += ml / sum * dy;
      b->mass = sum;
    }
  }
  if (!isfinite(b->mass) || !isfinite(b->inertia) || !isfinite(b->center[0]) || !isfinite(b->center[1]))
    return tn_refuse(c, b->node, "its mass, mass centre or inertia is beyond all bounds");
  return TN_OK;
}

tn_status tn_bodies_read(tn_context *c) {
  for (int i = 0; i < c->m->bodies; i++) {
    at_work(c, i);
    TN_TRY(tn_keys_known(c, c->node, tn_body_fields, NULL));
    TN_TRY(tn_pose_of(c, i, NULL));
    TN_TRY(read_mass(c, &c->m->body[i]));
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

tn_status tn_rods_read(tn_context *c) {
  const tn_node *rods = tn_node_get(c->root, "rods");
  if (!rods) return TN_OK;
  if (rods->kind != TN_NODE_OBJECT) return tn_refuse(c, rods, "`rods` must be an object");
  c->m->rod = tn_arena_alloc(c->arena, sizeof *c->m->rod * (rods->size + 1));
  if (!c->m->rod) return tn_no_memory(c);
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
    TN_TRY(tn_between_at(c, r, body));
    TN_TRY(tn_two_places(c, r, body, rod->end));
    if (!(rod->name = tn_arena_text(c->arena, r->key, strlen(r->key)))) return tn_no_memory(c);
    c->m->rods++;
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

/* ---- places on bodies ------------------------------------------------------------------------------------------------- */

static const double *pose_of(const tn_context *c, int body) {
  static const double ground[3] = {0, 0, 0};
  return body == TN_GROUND ? ground : c->m->body[body].pose;
}

static tn_status particle_at_origin(tn_context *c, const tn_node *node, const tn_spot *s) {
  if (s->body >= 0 && !c->m->body[s->body].oriented && hypot(s->p[0], s->p[1]) > 1e-9)
    return tn_refuse(c, node, "the particle '%s' can be held at its own place only", c->m->body[s->body].name);
  return TN_OK;
}

static void spot_from_world(const tn_context *c, const double place[2], int body, double angle, tn_spot *spot) {
  const double *pose = pose_of(c, body), cs = cos(pose[2]), sn = sin(pose[2]);
  const double dx = place[0] - pose[0], dy = place[1] - pose[1];
  spot->body = body;
  spot->p[0] = cs * dx + sn * dy;
  spot->p[1] = -sn * dx + cs * dy;
  spot->angle = angle - pose[2];
}

tn_status tn_spot_at(tn_context *c, const tn_node *node, int body, double angle, tn_spot *spot) {
  double place[2];
  TN_TRY(tn_place_at(c, node, place));
  spot_from_world(c, place, body, angle, spot);
  return particle_at_origin(c, node, spot);
}

tn_status tn_spot_on(tn_context *c, const tn_node *node, int body, double angle, tn_spot *spot) {
  spot->body = body;
  spot->angle = angle - pose_of(c, body)[2];
  if (node->kind == TN_NODE_TEXT)
    return tn_refuse(c, node, "coordinates in the axes of the body are needed here, not the name '%s'", node->text);
  TN_TRY(tn_numbers_at(c, node, 2, spot->p));
  return particle_at_origin(c, node, spot);
}

void tn_spot_frame(const tn_context *c, const tn_spot *spot, tn_frame2 *f) {
  const double *pose = pose_of(c, spot->body), cs = cos(pose[2]), sn = sin(pose[2]);
  memset(f, 0, sizeof *f);
  f->r[0] = pose[0] + cs * spot->p[0] - sn * spot->p[1];
  f->r[1] = pose[1] + sn * spot->p[0] + cs * spot->p[1];
  f->angle = pose[2] + spot->angle;
  f->c = cos(f->angle);
  f->s = sin(f->angle);
}

tn_status tn_between_at(tn_context *c, const tn_node *node, int body[2]) {
  const tn_node *between = tn_node_get(node, "between");
  if (!between) return tn_missing(c, node, "between");
  if (between->kind != TN_NODE_LIST || between->size != 2)
    return tn_refuse(c, between, "`between` must name two bodies");
  TN_TRY(tn_body_at(c, between->first, &body[0]));
  TN_TRY(tn_body_at(c, between->last, &body[1]));
  if (body[0] == body[1]) return tn_refuse(c, between, "the two bodies are the same, '%s'", between->first->text);
  return TN_OK;
}

static bool is_particle(const tn_context *c, int body) { return body >= 0 && !c->m->body[body].oriented; }

/* two places, `at` [P, Q] in the world or `on_bodies` in body axes. a particle is held at its own place: it may be left out,
 * `at` [P] or [P, null] */
tn_status tn_two_places(tn_context *c, const tn_node *node, const int body[2], tn_spot spot[2]) {
  const tn_node *at = tn_node_get(node, "at"), *on = tn_node_get(node, "on_bodies"), *list = at ? at : on;
  if (at && on) return tn_refuse(c, on, "give `at` or `on_bodies`, not both");
  if (!list) {
    for (int i = 0; i < 2; i++) {
      if (!is_particle(c, body[i]))
        return tn_refuse(c, node, "two places are needed: `at` [P, Q] in the world, or `on_bodies` in body axes");
      spot[i] = (tn_spot){body[i], {0, 0}, 0};
    }
    return TN_OK;
  }
  const bool particle[2] = {is_particle(c, body[0]), is_particle(c, body[1])};
  const bool one = list->kind == TN_NODE_LIST && list->size == 1 && particle[0] != particle[1];
  if (!one && (list->kind != TN_NODE_LIST || list->size != 2))
    return tn_refuse(c, list, "two places are needed here, one on each body");
  for (int i = 0; i < 2; i++) {
    const tn_node *place = i ? list->last : list->first;
    if (particle[i] && (one || place->kind == TN_NODE_NULL)) {
      spot[i] = (tn_spot){body[i], {0, 0}, 0};
      continue;
    }
    if (at)
      TN_TRY(tn_spot_at(c, place, body[i], 0, &spot[i]));
    else
      TN_TRY(tn_spot_on(c, place, body[i], 0, &spot[i]));
  }
  return TN_OK;
}
