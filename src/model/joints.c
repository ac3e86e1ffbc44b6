/* joints: type, frames on the bodies, parameters; then rows on channels; then numbers for the rows. */
#include "model/model.h"

int tn_joint_named(const tn_context *c, const char *name) { return tn_index_find(&c->m->joint_index, name); }

static void at_work(tn_context *c, const tn_joint *j) {
  c->kind = "joint";
  c->name = j->name;
  c->node = j->node;
  c->joint = j;
}

tn_status tn_joints_list(tn_context *c) {
  tn_model *m = c->m;
  const tn_node *joints = tn_node_get(c->root, "joints");
  if (!joints) { /* bodies may have rows of their own */
    m->joint = tn_arena_alloc(c->arena, sizeof *m->joint * ((size_t)m->bodies + 1));
    return m->joint ? TN_OK : tn_no_memory(c);
  }
  if (joints->kind != TN_NODE_OBJECT) return tn_refuse(c, joints, "`joints` must be an object");
  m->joint = tn_arena_alloc(c->arena, sizeof *m->joint * (joints->size + (size_t)m->bodies + 1));
  if (!m->joint || !tn_index_make(&m->joint_index, c->arena, joints->size)) return tn_no_memory(c);
  for (const tn_node *k = joints->first; k; k = k->next) {
    if (tn_node_is_own(k)) continue;
    TN_TRY(tn_check_name(c, k));
    if (tn_body_named(c, k->key) >= 0)
      return tn_refuse_key(c, k, "'%s' is the name of a body and of a joint: one of them must be renamed", k->key);
    tn_joint *j = &m->joint[m->joints++];
    j->node = k;
    j->owner = j->carries = -1;
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
  if (!tn_joint_there(c->m, type))
    return tn_refuse(c, tn_node_get(j->node, "type"), "there is no joint `%s` in %s", word,
                     c->m->dimension == 2 ? "the plane" : "space");
  for (const tn_coordinate *k = j->type->coordinates; k && k->name; k++) j->coordinates++;
  return TN_OK;
}

bool tn_joint_there(const tn_model *m, const tn_joint_type *type) {
  return m->dimension == 2 ? type->plane.there : type->space.there;
}

int tn_joint_axes(const tn_model *m, const tn_joint_type *type) {
  return m->dimension == 2 ? type->plane.axes : type->space.axes;
}

bool tn_joint_has_wrench(const tn_joint *j) { return j->frames >= 2 && j->type->seat != TN_SEAT_CENTERS; }

bool tn_joint_remembers(const tn_joint *j) {
  return j->type->space.memory && !j->in_tree && (j->type->seat != TN_SEAT_MESH || j->rows);
}

const tn_field *tn_joint_common(const tn_joint_type *type) {
  switch (type->seat) {
  case TN_SEAT_SHARED: return tn_seat_fields;
  case TN_SEAT_TWO: return tn_seat_two_fields;
  case TN_SEAT_NOWHERE: return tn_seat_nowhere_fields;
  case TN_SEAT_MESH: return tn_seat_mesh_fields;
  case TN_SEAT_CENTERS:
  case TN_SEAT_CHANNELS: break;
  }
  return tn_row_fields;
}

static const char *const directions[] = {"axis", "axis_on_bodies", "axes", "normal"};

bool tn_is_direction(const char *key) {
  for (int i = 0; i < 4; i++)
    if (strcmp(key, directions[i]) == 0) return true;
  return false;
}

bool tn_joint_takes(const tn_joint_type *type, int dimension, const char *key) {
  const bool axis = strcmp(key, "axis") == 0, normal = strcmp(key, "normal") == 0;
  if (dimension == 2) return axis && type->plane.there && type->plane.has_axis;
  if (!type->space.there) return false;
  if (type->seat == TN_SEAT_MESH) return axis;
  switch (type->space.frames) {
  case TN_AXES_NONE: return false;
  case TN_AXES_AXIS: return axis || strcmp(key, "axis_on_bodies") == 0;
  case TN_AXES_NORMAL:
  case TN_AXES_FLOOR: return normal;
  case TN_AXES_PAIR: return strcmp(key, "axes") == 0;
  case TN_AXES_BLADE: return axis || normal;
  }
  return false;
}

bool tn_joint_needs(const tn_joint_type *type, int dimension, const char *key) {
  if (!tn_joint_takes(type, dimension, key)) return false;
  if (dimension == 2) return true;
  const tn_axes frames = type->space.frames;
  return type->seat != TN_SEAT_MESH && frames != TN_AXES_AXIS && frames != TN_AXES_FLOOR &&
         !(frames == TN_AXES_BLADE && strcmp(key, "normal") == 0);
}

/* a field of its own, not the direction of its frames */
static bool has_field(const tn_joint_type *type, int dimension, const char *key) {
  const tn_field *const tables[] = {type->fields, dimension == 3 ? type->fields_space : NULL};
  for (int i = 0; i < 2; i++)
    for (const tn_field *f = tables[i]; f && f->key; f++)
      if (strcmp(f->key, key) == 0) return true;
  return false;
}

/* no direction is given that the joint does not take */
static tn_status check_directions(tn_context *c, const tn_joint *j) {
  for (int i = 0; i < 4; i++) {
    const tn_node *node = tn_node_get(j->node, directions[i]);
    const bool field = has_field(j->type, c->m->dimension, directions[i]);
    if (!node && !field && tn_joint_needs(j->type, c->m->dimension, directions[i]))
      return tn_missing(c, j->node, directions[i]);
    if (!node || field || tn_joint_takes(j->type, c->m->dimension, directions[i])) continue;
    return tn_refuse(c, node, "a %s%s has no `%s`", j->type->name, c->m->dimension == 2 ? " in the plane" : "",
                     directions[i]);
  }
  return TN_OK;
}

static tn_status read_pair(tn_context *c, const tn_joint *j, double a[3], double b[3]) {
  const tn_joint3 *type = &j->type->space;
  const tn_node *axes = tn_node_get(j->node, "axes");
  if (axes->kind != TN_NODE_LIST || axes->size != 2)
    return tn_refuse(c, axes, "`axes` needs two directions: one fixed in the first body, one in the second");
  TN_TRY(tn_direction_at(c, axes->first, a));
  TN_TRY(tn_direction_at(c, axes->last, b));
  double n[3];
  tn_cross3(a, b, n);
  if (type->perpendicular && !(fabs(tn_dot3(a, b)) <= TN_GIVEN_DIRECTION))
    return tn_refuse(c, axes, "the axes of a %s are perpendicular at the given pose; the cosine of their angle is %.3g",
                     j->type->name, tn_dot3(a, b));
  if (type->parallel && !(tn_norm3(n) <= TN_GIVEN_DIRECTION))
    return tn_refuse(c, axes, "the axes of a %s are parallel at the given pose; the sine of their angle is %.3g",
                     j->type->name, tn_norm3(n));
  if (!type->perpendicular && !type->parallel && tn_dot3(a, b) < -1 + TN_GIVEN_DIRECTION)
    return tn_refuse(c, axes, "the axes of a %s are opposite: both point the same way along the shafts", j->type->name);
  return TN_OK;
}

static tn_status read_normal(tn_context *c, const tn_joint *j, double n[3]) {
  const tn_node *node = tn_node_get(j->node, "normal");
  if (node) return tn_direction_at(c, node, n);
  const double g = tn_norm3(c->m->gravity);
  if (!(g > 0)) {
    tn_refuse(c, j->node, "`normal` is missing, and there is no gravity that tells it");
    tn_hint(c->e, "the direction from the plane to the side of the wheel");
    return TN_E_MODEL;
  }
  for (int i = 0; i < 3; i++) n[i] = -c->m->gravity[i] / g;
  return TN_OK;
}

/* the axes of the two frames in space */
static tn_status turn_frames(tn_context *c, tn_joint *j) {
  const tn_node *axis = tn_node_get(j->node, "axis"), *each = tn_node_get(j->node, "axis_on_bodies");
  double a[3], b[3], A[9], B[9], turn[9];
  switch (j->type->space.frames) {
  case TN_AXES_NONE: return TN_OK; /* along the world's */
  case TN_AXES_AXIS:
    if (axis && each) return tn_refuse(c, each, "give `axis` or `axis_on_bodies`, not both");
    if (each) {
      if (each->kind != TN_NODE_LIST || each->size != 2)
        return tn_refuse(c, each, "`axis_on_bodies` needs a direction in the axes of each of the two bodies");
      for (int k = 0; k < 2; k++) {
        double e[3];
        const tn_spot origin = tn_spot_origin(j->spot[k].body);
        TN_TRY(tn_direction_at(c, k ? each->last : each->first, e));
        tn_spot_axes(c, &origin, A);
        tn_turn3(A, e, k ? b : a);
      }
    } else {
      if (!axis) return tn_missing(c, j->node, "axis");
      TN_TRY(tn_direction_at(c, axis, a));
      memcpy(b, a, sizeof a);
    }
    break;
  case TN_AXES_NORMAL:
    if (!tn_node_get(j->node, "normal")) return tn_missing(c, j->node, "normal");
    TN_TRY(tn_direction_at(c, tn_node_get(j->node, "normal"), a));
    memcpy(b, a, sizeof a);
    break;
  case TN_AXES_PAIR:
    if (!tn_node_get(j->node, "axes")) return tn_missing(c, j->node, "axes");
    TN_TRY(read_pair(c, j, a, b));
    break;
  case TN_AXES_FLOOR:
    TN_TRY(read_normal(c, j, a));
    tn_frame_along3(a, NULL, A);
    tn_spot_turn3(c, &j->spot[0], A);
    tn_identity3(j->spot[1].A);
    return TN_OK;
  case TN_AXES_BLADE:
    TN_TRY(read_normal(c, j, a));
    if (!axis) return tn_missing(c, j->node, "axis");
    TN_TRY(tn_direction_at(c, axis, b));
    tn_frame_along3(a, NULL, A);
    tn_frame_along3(b, NULL, B);
    tn_spot_turn3(c, &j->spot[0], A);
    tn_spot_turn3(c, &j->spot[1], B);
    return TN_OK;
  }
  tn_frame_along3(a, j->type->space.frames == TN_AXES_PAIR ? b : NULL, A);
  tn_rotation_to3(a, b, turn);
  tn_product3(turn, A, B);
  tn_spot_turn3(c, &j->spot[0], A);
  tn_spot_turn3(c, &j->spot[1], B);
  return TN_OK;
}

/* a particle is its own place; a weld sits by default where the second body is */
static int place_of(const tn_context *c, const tn_joint *j, const int body[2]) {
  for (int k = 1; k >= 0; k--)
    if (body[k] >= 0 && !c->m->body[body[k]].oriented) return body[k];
  return !j->type->at_second ? TN_GROUND : body[1] >= 0 ? body[1] : body[0];
}

/* axes of frames that are placed: in space, or x along `axis` in the plane */
static tn_status turn(tn_context *c, tn_joint *j) {
  if (c->m->dimension == 3) return turn_frames(c, j);
  if (!j->type->plane.has_axis) return TN_OK;
  double e[3];
  if (!tn_node_get(j->node, "axis")) return tn_missing(c, j->node, "axis");
  TN_TRY(tn_direction_at(c, tn_node_get(j->node, "axis"), e));
  for (int k = 0; k < 2; k++) tn_spot_turn(c, &j->spot[k], atan2(e[1], e[0]));
  return TN_OK;
}

/* the bearing of a wheel: a joint about one angle that holds it, on the carrier if there is one; NULL: none */
static const tn_spot *bearing(const tn_context *c, int wheel, int carrier) {
  const tn_spot *found = NULL;
  for (int i = 0; i < c->m->joints && wheel >= 0; i++) {
    const tn_joint *j = &c->m->joint[i];
    if (!j->spot || j->type->seat != TN_SEAT_SHARED || tn_joint_axes(c->m, j->type) != 1 || j->coordinates != 1 ||
        j->type->coordinates[0].unit != TN_ANGLE)
      continue;
    for (int k = 0; k < 2; k++) {
      if (j->spot[k].body != wheel) continue;
      if (j->spot[1 - k].body == carrier) return &j->spot[k];
      if (!found) found = &j->spot[k];
    }
  }
  return found;
}

static tn_status mesh_frames(tn_context *c, tn_joint *j, const int body[2]) {
  const tn_node *carrier = tn_node_get(j->node, "carrier"), *axis = tn_node_get(j->node, "axis");
  int on = TN_GROUND;
  double z[2][3], A[9], r[3];
  const tn_spot *seat[2];
  j->frames = 3;
  if (carrier) TN_TRY(tn_body_at(c, carrier, &on));
  if (on == body[0] || on == body[1]) {
    tn_refuse(c, carrier, "the carrier '%s' is one of the two", on >= 0 ? c->m->body[on].name : "ground");
    if (!carrier) tn_hint(c->e, "name the body that holds both wheels as `carrier`");
    return TN_E_MODEL;
  }
  if (on >= 0 && !c->m->body[on].oriented)
    return tn_refuse(c, carrier, "the carrier '%s' is a particle", c->m->body[on].name);
  for (int k = 0; k < 2; k++) {
    seat[k] = bearing(c, body[k], on);
    j->spot[k] = seat[k] ? *seat[k] : tn_spot_origin(body[k]);
  }
  if (c->m->dimension == 2) {
    for (int k = 0; k < 2; k++) tn_spot_turn(c, &j->spot[k], 0);
    tn_spot_place(c, &j->spot[0], r);
    tn_spot_from(c, r, on, &j->spot[2]);
    return TN_OK;
  }
  if (!axis && !seat[0] && !seat[1]) {
    tn_refuse(c, j->node, "neither of the two turns in a revolute: `axis` is missing");
    return TN_E_MODEL;
  }
  for (int k = 0; k < 2; k++) {
    if (axis) {
      TN_TRY(tn_direction_at(c, axis, z[k]));
    } else { /* a wheel that is welded turns about the axis of the other */
      tn_spot_axes(c, seat[k] ? seat[k] : seat[1 - k], A);
      tn_axis3(A, 2, z[k]);
    }
  }
  for (int k = 0; k < 2; k++) {
    tn_frame_along3(z[k], NULL, A);
    tn_spot_turn3(c, &j->spot[k], A);
  }
  tn_spot_place(c, &j->spot[0], r);
  tn_spot_from(c, r, on, &j->spot[2]);
  tn_frame_along3(z[0], NULL, A);
  tn_spot_turn3(c, &j->spot[2], A);
  return TN_OK;
}

static tn_status read_frames(tn_context *c, tn_joint *j) {
  int body[2] = {TN_GROUND, TN_GROUND};
  if (j->type->seat == TN_SEAT_CHANNELS) return TN_OK;
  if (j->type->seat == TN_SEAT_CENTERS) {
    const tn_node *bodies = tn_node_get(j->node, "bodies");
    if (!bodies || bodies->kind != TN_NODE_LIST || bodies->size == 0)
      return tn_refuse(c, bodies, "`bodies` must be a list of bodies");
    j->spot = tn_context_alloc(c, sizeof *j->spot * bodies->size);
    if (!j->spot) return TN_E_MEMORY;
    for (const tn_node *k = bodies->first; k; k = k->next) {
      int b;
      TN_TRY(tn_body_at(c, k, &b));
      if (b == TN_GROUND) return tn_refuse(c, k, "the ground has no mass centre");
      tn_spot *spot = &j->spot[j->frames++];
      *spot = tn_spot_origin(b);
      memcpy(spot->p, c->m->body[b].center, sizeof spot->p);
    }
    return TN_OK;
  }
  j->frames = 2;
  j->spot = tn_context_alloc(c, 3 * sizeof *j->spot);
  if (!j->spot) return TN_E_MEMORY;
  TN_TRY(tn_between_at(c, j->node, body));
  const unsigned oriented = j->type->oriented | (c->m->dimension == 3 ? j->type->space.oriented : 0);
  for (int i = 0; i < 2; i++)
    if ((oriented >> i & 1) && body[i] >= 0 && !c->m->body[body[i]].oriented)
      return tn_refuse(c, tn_node_get(j->node, "between"), "a %s needs a body that can turn, '%s' is a particle",
                       j->type->name, c->m->body[body[i]].name);
  TN_TRY(check_directions(c, j));
  switch (j->type->seat) {
  case TN_SEAT_MESH: return mesh_frames(c, j, body);
  case TN_SEAT_TWO: TN_TRY(tn_two_places(c, j->node, body, j->spot)); break;
  case TN_SEAT_NOWHERE:
    for (int k = 0; k < 2; k++) j->spot[k] = tn_spot_origin(body[k]);
    break;
  default: TN_TRY(tn_one_place(c, j->node, body, place_of(c, j, body), j->spot)); break;
  }
  return turn(c, j);
}

static tn_status init(tn_context *c, tn_joint *j) {
  const size_t n = (size_t)j->frames;
  const bool few = j->frames <= TN_FEW_FRAMES;
  double some[TN_FEW_FRAMES], *masses = few ? some : tn_context_alloc(c, sizeof *masses * n);
  if (!masses) return TN_E_MEMORY;
  for (int k = 0; k < j->frames; k++) masses[k] = j->spot[k].body >= 0 ? c->m->body[j->spot[k].body].mass : 0;
  if (c->m->dimension == 2) {
    tn_frame2 here[TN_FEW_FRAMES], *f = few ? here : tn_context_alloc(c, sizeof *f * n);
    if (!f) return TN_E_MEMORY;
    for (int k = 0; k < j->frames; k++) tn_spot_frame(c, &j->spot[k], &f[k]);
    if (j->type->plane.init) TN_TRY(j->type->plane.init(j->self, c, j->frames, f, masses));
    return tn_joint_check_rows(c, j, f, NULL);
  }
  tn_frame3 here[TN_FEW_FRAMES], *f = few ? here : tn_context_alloc(c, sizeof *f * n);
  if (!f) return TN_E_MEMORY;
  for (int k = 0; k < j->frames; k++) tn_spot_frame3(c, &j->spot[k], &f[k]);
  if (j->type->space.init) TN_TRY(j->type->space.init(j->self, c, j->frames, f, masses));
  return tn_joint_check_rows(c, j, NULL, f);
}

bool tn_context_on_bodies(tn_context *c) { return c && tn_node_get(c->node, "on_bodies") != NULL; }

tn_status tn_joints_read(tn_context *c) {
  tn_model *m = c->m;
  for (int pass = 0; pass < 2; pass++) /* gears ask for the bearings of their wheels */
    for (int i = 0; i < m->joints; i++) {
      tn_joint *j = &m->joint[i];
      at_work(c, j);
      if (pass == 0) TN_TRY(joint_type(c, j));
      if ((j->type->seat == TN_SEAT_MESH) != (pass == 1)) continue;
      if (!(j->self = tn_context_alloc(c, j->type->size + 1))) return TN_E_MEMORY;
      TN_TRY(
          tn_fields_read_both(c, j->node, j->type->fields, j->type->fields_space, tn_joint_common(j->type), j->self));
      TN_TRY(read_frames(c, j));
      tn_warn_off_rod(c, j);
      if (j->frames > m->max_frames) m->max_frames = j->frames;
      TN_TRY(init(c, j));
      if (m->dimension == 3) {
        j->memory = m->memory;
        m->memory += j->type->space.memory;
      }
    }
  c->kind = NULL;
  c->node = NULL;
  c->joint = NULL;
  return TN_OK;
}

/* rows on channels: their terms, once all bodies and joints can be named */
tn_status tn_joints_terms(tn_context *c) {
  for (int i = 0; i < c->m->joints; i++) {
    tn_joint *j = &c->m->joint[i];
    if (j->type->seat != TN_SEAT_CHANNELS) continue;
    at_work(c, j);
    if (j->type->equation) {
      TN_TRY(tn_equation_read(c, j));
      continue;
    }
    j->value = j->type->value(j->self);
    const tn_node *on = tn_node_get(j->node, "on"), *terms = tn_node_get(j->node, "terms");
    if (!on && !terms) return tn_refuse(c, j->node, "`terms` is missing");
    if (!j->value) return tn_refuse(c, j->node, "`value` is missing");
    const int n = on ? 1 : (int)terms->size;
    bool rate;
    if (!on && (terms->kind != TN_NODE_OBJECT || n == 0))
      return tn_refuse(c, terms, "`terms` must be an object {channel: number, ..}");
    if (!(j->term = tn_context_alloc(c, sizeof *j->term * (size_t)n))) return TN_E_MEMORY;
    const tn_node *k = on ? on : terms->first;
    bool nothing = true;
    for (; k && j->terms < n; k = k->next) {
      tn_term *t = &j->term[j->terms++];
      const char *name = k->key;
      t->coefficient = 1;
      if (on)
        TN_TRY(tn_word_at(c, on, "on", &name));
      else
        TN_TRY(tn_number_at(c, k, &t->coefficient));
      nothing = nothing && t->coefficient == 0;
      TN_TRY(tn_measure_at(c, k, name, &t->of, &rate));
      if (rate) {
        tn_refuse(c, k, "'%s' is a rate: a coordinate is needed", name);
        tn_hint(c->e, "drive the coordinate, with a value such as \"speed*t\"");
        return TN_E_MODEL;
      }
      if (on && tn_measure_unit(c->m, &t->of) == TN_ANGLE) tn_warn_angle(c, tn_node_get(j->node, "value"));
    }
    if (nothing) return tn_refuse(c, terms, "all coefficients are zero");
  }
  c->kind = NULL;
  c->node = NULL;
  c->joint = NULL;
  return TN_OK;
}

static tn_unit channel_unit(const tn_model *m, const tn_joint *j) {
  if (j->equation.expr) return j->equation.has_unit ? j->equation.unit : TN_ANGLE;
  const tn_unit unit = tn_measure_unit(m, &j->term[0].of);
  for (int k = 1; k < j->terms; k++)
    if (tn_measure_unit(m, &j->term[k].of) != unit) return TN_ANGLE; /* mixed: taken as it is */
  return unit;
}

/* without mass, or able to turn without inertia; rods between places lend theirs */
static bool is_light(const tn_model *m, int body) {
  if (body < 0) return false;
  const tn_body *b = &m->body[body];
  const double inertia = m->dimension == 2 ? b->inertia : b->tensor[0] + b->tensor[4] + b->tensor[8];
  if (b->mass > 0 && (inertia > 0 || !b->oriented)) return false;
  for (int i = 0; i < 2 * m->rods; i++)
    if (m->rod[i / 2].end[i % 2].body == body) return false;
  return true;
}

/* a body that lacks mass or inertia gets its definiteness from the rows that hold it */
static bool holds_light(const tn_model *m, const tn_joint *j) {
  bool light = false;
  for (int k = 0; k < j->frames; k++) light = light || is_light(m, j->spot[k].body);
  for (int k = 0; k < j->terms; k++) {
    const tn_measure *of = &j->term[k].of;
    if (of->kind == TN_OF_JOINT)
      light = light || is_light(m, m->joint[of->part].spot[0].body) || is_light(m, m->joint[of->part].spot[1].body);
    else
      light = light || is_light(m, of->part);
  }
  return light;
}

/* rows that bodies have on their own coordinates stand behind the joints as one more of them each */
static void add_owned(tn_model *m) {
  static const tn_joint_type own = {.name = "coordinates", .seat = TN_SEAT_CHANNELS};
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (m->dimension == 2 || !b->type || !b->type->space.rows) continue;
    tn_joint *j = &m->joint[m->joints + m->owned++];
    *j = (tn_joint){
        .name = b->name, .node = b->node, .type = &own, .owner = i, .carries = -1, .rows = b->type->space.rows};
  }
}

void tn_row_units(const tn_model *m, const tn_joint *j, tn_unit unit[6], int *rows, int *rows_velocity) {
  for (int k = 0; k < 6; k++) unit[k] = TN_ANGLE;
  *rows = j->rows;
  *rows_velocity = 0;
  if (j->owner >= 0) return;
  if (m->dimension == 2) {
    const tn_joint2 *type = &j->type->plane;
    memcpy(unit, type->unit, sizeof type->unit);
    *rows = type->rows;
    *rows_velocity = type->rows_velocity_only;
    if (type->units) type->units(j->self, unit, rows, rows_velocity);
  } else {
    const tn_joint3 *type = &j->type->space;
    memcpy(unit, type->unit, sizeof type->unit);
    *rows = type->rows;
    *rows_velocity = type->rows_velocity_only;
    if (type->units) type->units(j->self, unit, rows, rows_velocity);
  }
  if (j->terms) unit[0] = channel_unit(m, j);
  if (j->equation.on_rates) *rows = 0, *rows_velocity = 1;
}

/* numbers for the rows: all holonomic ones in file order, then the nonholonomic ones */
tn_status tn_rows_build(tn_context *c) {
  tn_model *m = c->m;
  tn_unit unit[6];
  add_owned(m);
  const int all = m->joints + m->owned;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < all; i++) {
      tn_joint *j = &m->joint[i];
      if (j->in_tree) continue;
      tn_row_units(m, j, unit, &j->rows, &j->rows_velocity);
      if (pass == 0) {
        j->row = m->rows;
        m->rows += j->rows;
      } else {
        j->row_velocity = m->rows;
        m->rows += j->rows_velocity;
      }
    }
    if (pass == 0) m->holonomic = m->rows;
  }
  const size_t n = (size_t)m->rows + 1;
  m->row_joint = tn_context_alloc(c, sizeof *m->row_joint * n);
  m->row_scale = tn_context_alloc(c, sizeof *m->row_scale * n);
  double *sigma = tn_context_alloc(c, sizeof *sigma * n);
  m->row_group = tn_context_alloc(c, sizeof *m->row_group * n);
  if (!m->row_joint || !m->row_scale || !m->row_group || !sigma) return TN_E_MEMORY;
  for (int i = 0; i < all; i++) {
    const tn_joint *j = &m->joint[i];
    int rows, rows_velocity;
    if (j->in_tree) continue;
    tn_row_units(m, j, unit, &rows, &rows_velocity);
    const bool light = j->owner >= 0 || holds_light(m, j);
    if (light) m->sigma = sigma;
    for (int k = 0; k < j->rows + j->rows_velocity; k++) {
      const int r = k < j->rows ? j->row + k : j->row_velocity + k - j->rows;
      m->row_joint[r] = i;
      m->row_group[r] = r;
      for (int l = k - 1; l >= 0; l--)
        if (unit[l] == unit[k]) m->row_group[r] = l < j->rows ? j->row + l : j->row_velocity + l - j->rows;
      sigma[r] = light; /* its size will follow, with that of the assembly */
    }
  }
  return TN_OK;
}

/* scales of rows, and weights that stand in for missing mass: by length and mass of the assembly, so that other parts of the model have
 * no say in them */
tn_status tn_rows_scale(tn_context *c) {
  tn_model *m = c->m;
  double *heaviest = tn_context_alloc(c, sizeof *heaviest * (size_t)(m->assemblies + 1));
  if (!heaviest) return tn_no_memory(c);
  for (int i = 0; i < m->bodies; i++) heaviest[m->assembly[i]] = fmax(heaviest[m->assembly[i]], m->body[i].mass);
  for (int i = 0; i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    const int a = m->joint_assembly[i];
    const double L = a >= 0 && m->assembly_size[a] > 0 ? m->assembly_size[a] : 1,
                 mass = a >= 0 && heaviest[a] > 0 ? heaviest[a] : 1;
    tn_unit unit[6];
    int rows, rows_velocity;
    if (j->in_tree) continue;
    tn_row_units(m, j, unit, &rows, &rows_velocity);
    for (int k = 0; k < j->rows + j->rows_velocity; k++) {
      const int r = k < j->rows ? j->row + k : j->row_velocity + k - j->rows;
      m->row_scale[r] = unit[k] == TN_LENGTH ? 1 / L : unit[k] == TN_LENGTH_SQUARED ? 1 / (2 * L * L) : 1;
      if (j->equation.scale > 0) m->row_scale[r] = 1 / j->equation.scale;
      if (!m->sigma || !(m->sigma[r] > 0)) continue;
      m->sigma[r] = mass * (unit[k] == TN_LENGTH ? 1 : unit[k] == TN_LENGTH_SQUARED ? 1 / (4 * L * L) : L * L);
      if (j->owner >= 0) { /* the norm of Euler parameters: along it there is no inertia */
        const double *I = m->body[j->owner].tensor, sum = I[0] + I[4] + I[8];
        m->sigma[r] = sum > 0 ? sum / 3 : mass * L * L;
      }
    }
  }
  return TN_OK;
}

tn_unit tn_row_unit(const tn_model *m, int row) {
  const tn_joint *j = &m->joint[m->row_joint[row]];
  tn_unit unit[6];
  int rows, rows_velocity;
  tn_row_units(m, j, unit, &rows, &rows_velocity);
  return unit[row < m->holonomic ? row - j->row : j->rows + row - j->row_velocity];
}

void tn_row_owner(const tn_model *m, int row, char *text, size_t size) {
  const tn_joint *j = &m->joint[m->row_joint[row]];
  tn_format(text, size, j->owner >= 0 ? "body '%s', its own coordinates" : "joint '%s'", j->name);
}
