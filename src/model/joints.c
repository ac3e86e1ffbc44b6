/* joints: type, frames on the bodies, parameters; then rows on channels; then numbers for the rows. */
#include "model/model.h"

int tn_joint_named(const tn_context *c, const char *name) { return tn_index_find(&c->m->joint_index, name); }

static void at_work(tn_context *c, const tn_joint *j) {
  c->kind = "joint";
  c->name = j->name;
  c->node = j->node;
}

tn_status tn_joints_list(tn_context *c) {
  tn_model *m = c->m;
  const tn_node *joints = tn_node_get(c->root, "joints");
  if (!joints) return TN_OK;
  if (joints->kind != TN_NODE_OBJECT) return tn_refuse(c, joints, "`joints` must be an object");
  m->joint = tn_arena_alloc(c->arena, sizeof *m->joint * (joints->size + 1));
  if (!m->joint || !tn_index_make(&m->joint_index, c->arena, joints->size)) return tn_no_memory(c);
  for (const tn_node *k = joints->first; k; k = k->next) {
    if (tn_node_is_own(k)) continue;
    TN_TRY(tn_check_name(c, k));
    if (tn_body_named(c, k->key) >= 0)
      return tn_refuse_key(c, k, "'%s' is the name of a body and of a joint: one of them must be renamed", k->key);
    tn_joint *j = &m->joint[m->joints++];
    j->node = k;
    if (!(j->name = tn_arena_text(c->arena, k->key, strlen(k->key)))) return tn_no_memory(c);
    tn_index_add(&m->joint_index, j->name, m->joints - 1);
  }
  return TN_OK;
}

static tn_status joint_type(tn_context *c, tn_joint *j) {
  const char *word;
  const void *type;
  if (j->node->kind != TN_NODE_OBJECT) return tn_refuse(c, j->node, "a joint must be an object");
  TN_TRY(tn_type_word(c, j->node, &word));
  TN_TRY(tn_registry_find(c, tn_node_get(j->node, "type"), TN_JOINTS, word, &type));
  j->type = type;
  for (const tn_coordinate *k = j->type->coordinates; k && k->name; k++) j->coordinates++;
  return TN_OK;
}

/* one place for both: frames with the same orientation in the world at the given pose, x along `axis` */
static tn_status shared_frames(tn_context *c, tn_joint *j, const int body[2]) {
  const tn_node *at = tn_node_get(j->node, "at"), *on = tn_node_get(j->node, "on_bodies"),
                *axis = tn_node_get(j->node, "axis");
  double e[2] = {1, 0};
  if (axis && !j->type->has_axis) return tn_refuse(c, axis, "a %s in the plane has no `axis`", j->type->name);
  if (j->type->has_axis) {
    if (!axis) return tn_refuse(c, j->node, "`axis` is missing");
    TN_TRY(tn_direction_at(c, axis, e));
  }
  const double angle = atan2(e[1], e[0]);
  if (at && on) return tn_refuse(c, on, "give `at` or `on_bodies`, not both");
  if (on) {
    if (on->kind != TN_NODE_LIST || on->size != 2)
      return tn_refuse(c, on, "`on_bodies` needs a place on each of the two bodies");
    TN_TRY(tn_spot_on(c, on->first, body[0], angle, &j->spot[0]));
    return tn_spot_on(c, on->last, body[1], angle, &j->spot[1]);
  }
  /* a particle is its own place; a weld sits by default where the second body is */
  tn_node here = {.kind = TN_NODE_TEXT};
  if (!at) {
    const int b = body[1] >= 0 && !c->m->body[body[1]].oriented   ? body[1]
                  : body[0] >= 0 && !c->m->body[body[0]].oriented ? body[0]
                  : j->type->at_second                            ? (body[1] >= 0 ? body[1] : body[0])
                                                                  : TN_GROUND;
    if (b == TN_GROUND) return tn_refuse(c, j->node, "`at` is missing: a place in the world at the given pose");
    here.text = c->m->body[b].name;
    at = &here;
  }
  TN_TRY(tn_spot_at(c, at, body[0], angle, &j->spot[0]));
  return tn_spot_at(c, at, body[1], angle, &j->spot[1]);
}

static tn_status read_frames(tn_context *c, tn_joint *j) {
  int body[2] = {TN_GROUND, TN_GROUND};
  switch (j->type->seat) {
  case TN_SEAT_CHANNELS: return TN_OK;
  case TN_SEAT_CENTERS: {
    const tn_node *bodies = tn_node_get(j->node, "bodies");
    if (!bodies || bodies->kind != TN_NODE_LIST || bodies->size == 0)
      return tn_refuse(c, bodies, "`bodies` must be a list of bodies");
    j->spot = tn_context_alloc(c, sizeof *j->spot * bodies->size);
    if (!j->spot) return TN_E_MEMORY;
    for (const tn_node *k = bodies->first; k; k = k->next) {
      int b;
      TN_TRY(tn_body_at(c, k, &b));
      if (b == TN_GROUND) return tn_refuse(c, k, "the ground has no mass centre");
      j->spot[j->frames++] = (tn_spot){b, {c->m->body[b].center[0], c->m->body[b].center[1]}, 0};
    }
    return TN_OK;
  }
  case TN_SEAT_SHARED:
  case TN_SEAT_TWO: break;
  }
  j->frames = 2;
  j->spot = tn_context_alloc(c, 2 * sizeof *j->spot);
  if (!j->spot) return TN_E_MEMORY;
  TN_TRY(tn_between_at(c, j->node, body));
  for (int i = 0; i < 2; i++)
    if ((j->type->oriented >> i & 1) && body[i] >= 0 && !c->m->body[body[i]].oriented)
      return tn_refuse(c, tn_node_get(j->node, "between"), "a %s needs a body that can turn, '%s' is a particle",
                       j->type->name, c->m->body[body[i]].name);
  if (j->type->seat == TN_SEAT_TWO) {
    const tn_node *axis = tn_node_get(j->node, "axis");
    if (axis) return tn_refuse(c, axis, "a %s has no `axis`", j->type->name);
    return tn_two_places(c, j->node, body, j->spot);
  }
  return shared_frames(c, j, body);
}

/* a place in the world that is off the rod it should be on: often a slip, and another mechanism */
static void warn_off_rod(tn_context *c, const tn_joint *j) {
  const tn_node *at = tn_node_get(j->node, "at");
  for (int k = 0; at && j->type->seat == TN_SEAT_SHARED && k < 2; k++) {
    const tn_spot *p = &j->spot[k];
    const tn_body *b = p->body >= 0 ? &c->m->body[p->body] : NULL;
    const tn_node *rod = b ? tn_node_get(b->node, "rod") : NULL;
    double e[2][2];
    if (!rod || tn_place_at(c, rod->first, e[0]) != TN_OK || tn_place_at(c, rod->last, e[1]) != TN_OK) continue;
    const double l = hypot(e[1][0] - e[0][0], e[1][1] - e[0][1]);
    const double beyond = fmax(fmax(-p->p[0], p->p[0] - l), 0), off = hypot(beyond, p->p[1]);
    if (off > 1e-3 * l) tn_warn(c, at, "its place is %.3g m off the rod '%s'", off, b->name);
  }
}

tn_status tn_joints_read(tn_context *c) {
  tn_model *m = c->m;
  for (int i = 0; i < m->joints; i++) {
    tn_joint *j = &m->joint[i];
    at_work(c, j);
    TN_TRY(joint_type(c, j));
    if (!(j->self = tn_context_alloc(c, j->type->size + 1))) return TN_E_MEMORY;
    TN_TRY(tn_fields_read(c, j->node, j->type->fields,
                          j->type->seat == TN_SEAT_SHARED ? tn_seat_fields
                          : j->type->seat == TN_SEAT_TWO  ? tn_seat_two_fields
                                                          : tn_row_fields,
                          j->self));
    TN_TRY(read_frames(c, j));
    warn_off_rod(c, j);
    if (j->frames > m->max_frames) m->max_frames = j->frames;
    if (j->type->init) {
      tn_frame2 *f = tn_context_alloc(c, sizeof *f * (size_t)(j->frames + 1));
      double *masses = tn_context_alloc(c, sizeof *masses * (size_t)(j->frames + 1));
      if (!f || !masses) return TN_E_MEMORY;
      for (int k = 0; k < j->frames; k++) {
        tn_spot_frame(c, &j->spot[k], &f[k]);
        masses[k] = j->spot[k].body >= 0 ? m->body[j->spot[k].body].mass : 0;
      }
      TN_TRY(j->type->init(j->self, c, j->frames, f, masses));
    }
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

/* rows on channels: their terms, once all bodies and joints can be named */
tn_status tn_joints_terms(tn_context *c) {
  for (int i = 0; i < c->m->joints; i++) {
    tn_joint *j = &c->m->joint[i];
    if (j->type->seat != TN_SEAT_CHANNELS) continue;
    at_work(c, j);
    j->value = j->type->value(j->self);
    const tn_node *on = tn_node_get(j->node, "on"), *terms = tn_node_get(j->node, "terms");
    const int n = on ? 1 : (int)terms->size;
    bool rate;
    if (!on && (terms->kind != TN_NODE_OBJECT || n == 0))
      return tn_refuse(c, terms, "`terms` must be an object {channel: number, ..}");
    if (!(j->term = tn_context_alloc(c, sizeof *j->term * (size_t)n))) return TN_E_MEMORY;
    const tn_node *k = on ? on : terms->first;
    for (; k && j->terms < n; k = k->next) {
      tn_term *t = &j->term[j->terms++];
      const char *name = k->key;
      t->coefficient = 1;
      if (on)
        TN_TRY(tn_word_at(c, on, "on", &name));
      else
        TN_TRY(tn_number_at(c, k, &t->coefficient));
      TN_TRY(tn_measure_at(c, k, name, &t->of, &rate));
      if (rate) {
        tn_refuse(c, k, "'%s' is a rate: a coordinate is needed", name);
        tn_hint(c->e, "drive the coordinate, with a value such as \"speed*t\"");
        return TN_E_MODEL;
      }
      if (on && tn_measure_unit(c->m, &t->of) == TN_ANGLE) tn_warn_angle(c, tn_node_get(j->node, "value"));
    }
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

static tn_unit channel_unit(const tn_model *m, const tn_joint *j) {
  const tn_unit unit = tn_measure_unit(m, &j->term[0].of);
  for (int k = 1; k < j->terms; k++)
    if (tn_measure_unit(m, &j->term[k].of) != unit) return TN_ANGLE; /* mixed: taken as it is */
  return unit;
}

/* without mass, or able to turn without inertia; rods between places lend theirs */
static bool is_light(const tn_model *m, int body) {
  if (body < 0) return false;
  const tn_body *b = &m->body[body];
  if (b->mass > 0 && (b->inertia > 0 || !b->oriented)) return false;
  for (int i = 0; i < 2 * m->rods; i++)
    if (m->rod[i / 2].end[i % 2].body == body) return false;
  return true;
}

/* numbers for the rows: all holonomic ones in file order, then the nonholonomic ones */
tn_status tn_rows_build(tn_context *c) {
  tn_model *m = c->m;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < m->joints; i++) {
      tn_joint *j = &m->joint[i];
      if (j->in_tree) continue;
      if (pass == 0) {
        j->row = m->rows;
        m->rows += j->rows = j->type->plane.rows;
      } else {
        j->row_velocity = m->rows;
        m->rows += j->rows_velocity = j->type->plane.rows_velocity_only;
      }
    }
    if (pass == 0) m->holonomic = m->rows;
  }
  const size_t n = (size_t)m->rows + 1;
  m->row_joint = tn_context_alloc(c, sizeof *m->row_joint * n);
  m->row_scale = tn_context_alloc(c, sizeof *m->row_scale * n);
  double *sigma = tn_context_alloc(c, sizeof *sigma * n);
  if (!m->row_joint || !m->row_scale || !sigma) return TN_E_MEMORY;
  double heaviest = 0;
  for (int i = 0; i < m->bodies; i++) heaviest = fmax(heaviest, m->body[i].mass);
  if (!(heaviest > 0)) heaviest = 1;
  const double L = m->length;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    tn_unit unit[3];
    memcpy(unit, j->type->plane.unit, sizeof unit);
    if (j->type->plane.units) j->type->plane.units(j->self, unit);
    if (j->terms) unit[0] = channel_unit(m, j);
    /* a body that lacks mass or inertia gets its definiteness from the rows that hold it */
    bool light = false;
    for (int k = 0; k < j->frames; k++) light = light || is_light(m, j->spot[k].body);
    for (int k = 0; k < j->terms; k++) {
      const tn_measure *of = &j->term[k].of;
      if (of->of_joint)
        light = light || is_light(m, m->joint[of->part].spot[0].body) || is_light(m, m->joint[of->part].spot[1].body);
      else
        light = light || is_light(m, of->part);
    }
    for (int k = 0; k < j->rows + j->rows_velocity; k++) {
      const int r = k < j->rows ? j->row + k : j->row_velocity + k - j->rows;
      m->row_joint[r] = i;
      m->row_scale[r] = unit[k] == TN_LENGTH ? 1 / L : unit[k] == TN_LENGTH_SQUARED ? 1 / (2 * L * L) : 1;
      if (!light) continue;
      m->sigma = sigma;
      sigma[r] = heaviest * (unit[k] == TN_LENGTH ? 1 : unit[k] == TN_LENGTH_SQUARED ? 1 / (4 * L * L) : L * L);
    }
  }
  return TN_OK;
}
