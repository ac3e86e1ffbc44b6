/* what the file says of how things look: shapes of bodies and of the ground, places whose paths are drawn. nothing here has a part in
 * the motion. */
#include "model/model.h"

static const char *const figures[] = {"box", "cylinder", "sphere", "capsule", "polyline", "mesh"};
enum { FIGURES = sizeof figures / sizeof *figures };

static tn_status positive(tn_context *c, const tn_node *node, const char *key, int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!(x[i] > 0) || !isfinite(x[i]))
      return tn_refuse(c, node, "sizes of a `%s` must be positive, not %g", key, x[i]);
  return TN_OK;
}

/* a radius, with a length where it has one */
static tn_status read_sizes(tn_context *c, const tn_node *node, tn_draw *d) {
  const bool disc = d->figure == TN_CYLINDER && c->m->dimension == 2;
  double x[2] = {0, 0};
  if (disc && node->kind != TN_NODE_LIST)
    TN_TRY(tn_number_at(c, node, x));
  else if (node->kind != TN_NODE_LIST || node->size != (disc ? 1 : 2))
    return tn_refuse(c, node, disc ? "in the plane a `%s` is a disc: its radius" : "a `%s` is [radius, length]",
                     figures[d->figure]);
  else
    TN_TRY(tn_numbers_at(c, node, disc ? 1 : 2, x));
  TN_TRY(positive(c, node, figures[d->figure], disc ? 1 : 2, x));
  d->radius = x[0];
  d->length = x[1];
  return TN_OK;
}

/* names are places in the world at the given pose, coordinates are in body axes */
static tn_status read_place(tn_context *c, const tn_node *node, int body, double p[3]) {
  if (node->kind != TN_NODE_TEXT) {
    TN_TRY(tn_vector_at(c, node, p));
  } else {
    tn_spot spot;
    double place[3];
    TN_TRY(tn_place_at(c, node, place));
    tn_spot_from(c, place, body, &spot);
    memcpy(p, spot.p, sizeof spot.p);
  }
  if (!tn_all_finite(3, p)) return tn_refuse(c, node, "this place is beyond all bounds");
  return TN_OK;
}

static tn_status read_polyline(tn_context *c, const tn_node *node, tn_draw *d) {
  if (node->kind != TN_NODE_LIST || node->size < 2) return tn_refuse(c, node, "a `polyline` needs two places or more");
  if (node->size > 1000000) return tn_refuse(c, node, "a `polyline` of more than a million places");
  if (!(d->point = tn_context_alloc(c, 3 * sizeof *d->point * node->size))) return TN_E_MEMORY;
  double far = 0, e[3];
  for (const tn_node *k = node->first; k; k = k->next) {
    TN_TRY(read_place(c, k, d->body, d->point + 3 * d->points));
    tn_sub3(d->point + 3 * d->points++, d->point, e);
    far = fmax(far, tn_norm3(e));
  }
  if (!(far > 0)) return tn_refuse(c, node, "the `polyline` has no length");
  return TN_OK;
}

static tn_status read_file_name(tn_context *c, const tn_node *node, tn_draw *d) {
  if (node->kind != TN_NODE_TEXT) return tn_refuse(c, node, "`mesh` must be the name of a file");
  const char *dot = strrchr(node->text, '.');
  if (!dot ||
      (strcmp(dot, ".stl") != 0 && strcmp(dot, ".STL") != 0 && strcmp(dot, ".glb") != 0 && strcmp(dot, ".gltf") != 0)) {
    tn_refuse(c, node, "a mesh is read from a file .stl, .glb or .gltf, not '%.100s'", node->text);
    return TN_E_MODEL;
  }
  if (!(d->file = tn_arena_text(c->arena, node->text, node->size))) return tn_no_memory(c);
  return TN_OK;
}

static tn_status read_color(tn_context *c, const tn_node *node, int *color) {
  int value = 0;
  bool good = node->kind == TN_NODE_TEXT && node->size == 7 && node->text[0] == '#';
  for (int i = 1; good && i < 7; i++) {
    const char k = node->text[i];
    const int digit = k >= '0' && k <= '9'   ? k - '0'
                      : k >= 'a' && k <= 'f' ? k - 'a' + 10
                      : k >= 'A' && k <= 'F' ? k - 'A' + 10
                                             : -1;
    good = digit >= 0;
    value = 16 * value + digit;
  }
  if (!good) return tn_refuse(c, node, "a color is \"#rrggbb\", six hexadecimal digits");
  *color = value;
  return TN_OK;
}

/* keys that other shapes have */
static tn_status check_keys(tn_context *c, const tn_node *node, const tn_draw *d) {
  static const struct {
    const char *key;
    tn_shape_kind of;
  } only[] = {{"width", TN_POLYLINE}, {"closed", TN_POLYLINE}, {"scale", TN_MESH}};
  for (int i = 0; i < 3; i++) {
    const tn_node *k = tn_node_get(node, only[i].key);
    if (k && d->figure != only[i].of) return tn_refuse_key(c, k, "a `%s` has no `%s`", figures[d->figure], only[i].key);
  }
  const char *other = c->m->dimension == 2 ? "axis" : "angle";
  const tn_node *turn = tn_node_get(node, other);
  if (turn)
    return tn_refuse_key(c, turn, "`%s` is for shapes in %s", other, c->m->dimension == 2 ? "space" : "the plane");
  return TN_OK;
}

static tn_status read_shape(tn_context *c, const tn_node *node, int body, tn_draw *d) {
  const tn_node *named = NULL, *color;
  if (node->kind != TN_NODE_OBJECT) return tn_refuse(c, node, "a shape is an object: {\"box\": ..}, {\"sphere\": ..}");
  *d = (tn_draw){.node = node, .body = body, .given = true, .color = -1};
  TN_TRY(tn_fields_read(c, node, tn_shape_fields, NULL, d));
  for (int i = 0; i < FIGURES; i++) {
    const tn_node *k = tn_node_get(node, figures[i]);
    if (!k) continue;
    if (named) return tn_refuse_key(c, k, "one shape has `%s` and `%s`: make them two", named->key, k->key);
    named = k;
    d->figure = (tn_shape_kind)i;
  }
  if (!named) return tn_refuse(c, node, "a shape has one of: box cylinder sphere capsule polyline mesh");
  TN_TRY(check_keys(c, node, d));
  switch (d->figure) {
  case TN_BOX: TN_TRY(positive(c, named, "box", c->m->dimension, d->box)); break;
  case TN_SPHERE: TN_TRY(positive(c, named, "sphere", 1, &d->radius)); break;
  case TN_CYLINDER:
  case TN_CAPSULE: TN_TRY(read_sizes(c, named, d)); break;
  case TN_POLYLINE: TN_TRY(read_polyline(c, named, d)); break;
  case TN_MESH: TN_TRY(read_file_name(c, named, d)); break;
  }
  if (!isfinite(d->width)) return tn_refuse(c, tn_node_get(node, "width"), "the width is beyond all bounds");
  if (!isfinite(d->scale)) return tn_refuse(c, tn_node_get(node, "scale"), "the scale is beyond all bounds");
  if (!tn_all_finite(3, d->at)) return tn_refuse(c, tn_node_get(node, "at"), "this place is beyond all bounds");
  if (!isfinite(d->angle)) return tn_refuse(c, tn_node_get(node, "angle"), "the angle is beyond all bounds");
  static const double z[3] = {0, 0, 1};
  tn_rotation_about3(z, d->angle, d->A);
  if (tn_node_get(node, "axis")) tn_rotation_to3(z, d->axis, d->A);
  if ((color = tn_node_get(node, "color"))) TN_TRY(read_color(c, color, &d->color));
  return TN_OK;
}

static bool is_none(const tn_node *node) { return node->kind == TN_NODE_TEXT && strcmp(node->text, "none") == 0; }

static size_t count(const tn_node *node) {
  return !node || is_none(node) ? 0 : node->kind == TN_NODE_LIST ? node->size : 1;
}

static tn_status read_shapes(tn_context *c, const tn_node *node, int body) {
  tn_model *m = c->m;
  if (is_none(node)) return TN_OK;
  if (node->kind == TN_NODE_TEXT) {
    tn_refuse(c, node, "'%.100s' is no shape", node->text);
    tn_hint(c->e, "`none`, or an object such as {\"sphere\": 0.1}");
    return TN_E_MODEL;
  }
  if (node->kind != TN_NODE_LIST) return read_shape(c, node, body, &m->draw[m->draws++]);
  for (const tn_node *k = node->first; k; k = k->next) TN_TRY(read_shape(c, k, body, &m->draw[m->draws++]));
  return TN_OK;
}

/* the shape that gives a body its inertia, and a rod; sizes are known to be good */
static tn_status own_shape(tn_context *c, int body) {
  tn_model *m = c->m;
  const tn_body *b = &m->body[body];
  const tn_node *rod = tn_node_get(b->node, "rod"), *box = tn_node_get(b->node, "box"),
                *cylinder = tn_node_get(b->node, "cylinder"), *sphere = tn_node_get(b->node, "sphere"),
                *section = tn_node_get(b->node, "section"), *radius = tn_node_get(b->node, "radius"),
                *center = tn_node_get(b->node, "center");
  tn_draw d = {.node = b->node, .body = body, .color = -1, .scale = 1, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double x[3];
  if (center) TN_TRY(tn_vector_at(c, center, d.at));
  if (box) {
    d.figure = TN_BOX;
    TN_TRY(tn_numbers_at(c, box, 3, d.box));
  } else if (cylinder) {
    d.figure = TN_CYLINDER;
    TN_TRY(tn_numbers_at(c, cylinder, 2, x));
    d.radius = x[0], d.length = x[1];
  } else if (sphere) {
    d.figure = TN_SPHERE;
    TN_TRY(tn_number_at(c, sphere, &d.radius));
  } else if (rod) {
    double e[2][3], l[3];
    TN_TRY(tn_place_at(c, rod->first, e[0]));
    TN_TRY(tn_place_at(c, rod->last, e[1]));
    tn_sub3(e[1], e[0], l);
    const double length = tn_norm3(l);
    static const double turned[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0}; /* z of the cylinder along x */
    memset(d.at, 0, sizeof d.at);
    if (section) {
      d.figure = TN_BOX;
      TN_TRY(tn_numbers_at(c, section, 2, x));
      d.box[0] = length, d.box[1] = x[0], d.box[2] = x[1];
      d.at[0] = length / 2;
    } else if (radius) {
      d.figure = TN_CYLINDER;
      TN_TRY(tn_number_at(c, radius, &d.radius));
      d.length = length;
      d.at[0] = length / 2;
      memcpy(d.A, turned, sizeof d.A);
    } else {
      d.figure = TN_POLYLINE;
      if (!(d.point = tn_context_alloc(c, 6 * sizeof *d.point))) return TN_E_MEMORY;
      d.points = 2;
      d.point[3] = length;
    }
  } else {
    return TN_OK;
  }
  m->draw[m->draws++] = d;
  return TN_OK;
}

/* lumps are points; they are known to be good */
static tn_status own_lumps(tn_context *c, int body) {
  const tn_node *lumps = tn_node_get(c->m->body[body].node, "lumps");
  for (const tn_node *k = lumps ? lumps->first : NULL; k; k = k->next) {
    tn_draw *d = &c->m->draw[c->m->draws++];
    *d = (tn_draw){.node = k, .body = body, .figure = TN_SPHERE, .color = -1, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    TN_TRY(tn_vector_at(c, tn_node_get(k, "at"), d->at));
  }
  return TN_OK;
}

static tn_status read_traces(tn_context *c, const tn_node *traces) {
  tn_model *m = c->m;
  if (traces->kind != TN_NODE_OBJECT)
    return tn_refuse(c, traces, "`traces` must be an object {name: {\"on\": ..}, ..}");
  if (!(m->trace = tn_context_alloc(c, sizeof *m->trace * (traces->size + 1)))) return TN_E_MEMORY;
  for (const tn_node *k = traces->first; k; k = k->next) {
    if (tn_node_is_own(k)) continue;
    tn_traced *t = &m->trace[m->traces++];
    int body;
    c->kind = NULL;
    TN_TRY(tn_check_name(c, k));
    c->kind = "trace";
    c->name = k->key;
    c->node = k;
    TN_TRY(tn_keys_known(c, k, tn_traced_fields, NULL));
    const tn_node *on = tn_node_get(k, "on"), *at = tn_node_get(k, "at"), *on_body = tn_node_get(k, "on_body");
    if (!on) return tn_missing(c, k, "on");
    TN_TRY(tn_body_at(c, on, &body));
    if (body == TN_GROUND) return tn_refuse(c, on, "the ground leaves no trace");
    if (at && on_body) return tn_refuse(c, on_body, "give `at` or `on_body`, not both");
    t->spot = tn_spot_origin(body);
    if (at) TN_TRY(tn_spot_at(c, at, body, &t->spot));
    if (on_body) TN_TRY(tn_spot_on(c, on_body, body, &t->spot));
    if (!tn_all_finite(3, t->spot.p)) return tn_refuse(c, at ? at : on_body, "this place is beyond all bounds");
    if (!(t->name = tn_arena_text(c->arena, k->key, strlen(k->key)))) return tn_no_memory(c);
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

tn_status tn_scene_read(tn_context *c) {
  tn_model *m = c->m;
  const tn_node *scene = tn_node_get(c->root, "scene"), *ground = NULL, *traces = NULL;
  if (scene) {
    c->kind = NULL;
    TN_TRY(tn_keys_known(c, scene, tn_scene_fields, NULL));
    ground = tn_node_get(scene, "ground");
    traces = tn_node_get(scene, "traces");
  }
  size_t n = count(ground);
  for (int i = 0; i < m->bodies; i++) {
    const tn_node *draw = tn_node_get(m->body[i].node, "draw");
    n += draw ? count(draw) : 1 + count(tn_node_get(m->body[i].node, "lumps"));
  }
  if (!(m->draw = tn_context_alloc(c, sizeof *m->draw * (n + 1)))) return TN_E_MEMORY;
  if (ground) {
    m->ground_drawn = true;
    TN_TRY(read_shapes(c, ground, TN_GROUND));
  }
  for (int i = 0; i < m->bodies; i++) {
    tn_body *b = &m->body[i];
    const tn_node *draw = tn_node_get(b->node, "draw");
    c->kind = "body";
    c->name = b->name;
    c->node = b->node;
    b->drawn = draw != NULL;
    TN_TRY(draw ? read_shapes(c, draw, i) : own_shape(c, i));
    if (!draw) TN_TRY(own_lumps(c, i));
  }
  c->kind = NULL;
  c->node = NULL;
  return traces ? read_traces(c, traces) : TN_OK;
}
