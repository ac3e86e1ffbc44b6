/* glTF 2.0: the triangles of all nodes of its scene, in one mesh. Reads a .glb, or a .gltf whose buffers are in data: URIs.
 * Every index (buffer, view, accessor, node) is checked against the length of its list. If nodes are visited more often than there are
 * nodes, they form a ring. */
#include "draw/maker.h"

enum { MOST_TRIANGLES = 5000000, MOST_BUFFERS = 64, MOST_PRIMITIVES = 1000000 };
static const char *const lists[] = {"nodes", "meshes", "accessors", "bufferViews", "scenes"};
enum { LISTS = sizeof lists / sizeof *lists };

typedef struct buffer {
  const unsigned char *bytes;
  size_t size;
} buffer;

typedef struct file {
  tn_arena *arena;
  tn_error *e;
  const tn_node *root;
  int buffers;
  buffer buffer[MOST_BUFFERS];
  const tn_node **item[LISTS]; /* of each list, by number */
  size_t items[LISTS];
  int64_t visits, primitives; /* of nodes left; met */
  tn_triangles out;
  size_t vertex_room, triangle_room;
  int normals; /* vertices that have one */
} file;

typedef struct accessor {
  const unsigned char *bytes;
  size_t stride, count;
  int component;
} accessor;

static tn_status bad(const file *f, const tn_node *at, const char *what) {
  return tn_node_fail(at ? at : f->root, f->e, TN_E_MODEL, "%s", what);
}

static tn_status no_memory(const file *f) { return tn_fail(f->e, TN_E_MEMORY, "out of memory"); }

/* a whole number from 0 on; `missing` where there is none */
static tn_status whole(const file *f, const tn_node *object, const char *key, int64_t missing, int64_t most,
                       int64_t *value) {
  const tn_node *node = tn_node_get(object, key);
  *value = missing;
  if (!node) return missing >= 0 ? TN_OK : tn_node_fail(object, f->e, TN_E_MODEL, "`%s` is missing", key);
  if (node->kind != TN_NODE_NUMBER || !(node->number >= 0) || node->number != floor(node->number))
    return tn_node_fail(node, f->e, TN_E_MODEL, "`%s` is not a whole number", key);
  if (node->number > (double)most)
    return tn_node_fail(node, f->e, TN_E_MODEL, "`%s` is %.17g, and at most %" PRId64 " is possible", key, node->number,
                        most);
  *value = (int64_t)node->number;
  return TN_OK;
}

static tn_status find_lists(file *f) {
  for (int l = 0; l < LISTS; l++) {
    const tn_node *list = tn_node_get(f->root, lists[l]);
    if (!list) continue;
    if (list->kind != TN_NODE_LIST) return bad(f, list, "a list is needed here");
    if (!(f->item[l] = tn_arena_alloc(f->arena, sizeof *f->item[l] * (list->size + 1)))) return no_memory(f);
    for (const tn_node *k = list->first; k; k = k->next) f->item[l][f->items[l]++] = k;
  }
  return TN_OK;
}

/* member `list` of the file, item i */
static tn_status item(const file *f, const char *list, const tn_node *at, int64_t i, const tn_node **out) {
  int l = 0;
  while (strcmp(lists[l], list) != 0) l++;
  *out = NULL;
  if (i < 0 || (size_t)i >= f->items[l])
    return tn_node_fail(at, f->e, TN_E_MODEL, "there is no %" PRId64 " in `%s`", i, list);
  *out = f->item[l][i];
  if ((*out)->kind != TN_NODE_OBJECT) return bad(f, *out, "an object is needed here");
  return TN_OK;
}

/* ---- buffers ---- */

static int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static tn_status read_base64(file *f, const tn_node *uri, const char *s, buffer *b) {
  size_t n = strlen(s);
  while (n && s[n - 1] == '=') n--;
  unsigned char *out = tn_arena_alloc(f->arena, n / 4 * 3 + 3);
  if (!out) return no_memory(f);
  uint32_t bits = 0;
  b->bytes = out;
  for (size_t i = 0; i < n; i++) {
    const int x = sextet(s[i]);
    if (x < 0) return bad(f, uri, "a character that base64 does not have");
    bits = bits << 6 | (uint32_t)x;
    if (i % 4) out[b->size++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
  }
  return TN_OK;
}

static tn_status read_buffers(file *f, const unsigned char *binary, size_t binary_size) {
  const tn_node *list = tn_node_get(f->root, "buffers");
  if (!list) return TN_OK;
  if (list->kind != TN_NODE_LIST || list->size > MOST_BUFFERS) return bad(f, list, "`buffers` is a list of 64 at most");
  for (const tn_node *k = list->first; k; k = k->next) {
    buffer *b = &f->buffer[f->buffers];
    const tn_node *uri = tn_node_get(k, "uri");
    int64_t length;
    TN_TRY(whole(f, k, "byteLength", -1, (int64_t)1 << 30, &length));
    if (!uri) {
      if (f->buffers || !binary) return bad(f, k, "a buffer without `uri`, and no binary chunk for it");
      *b = (buffer){binary, binary_size};
    } else {
      if (uri->kind != TN_NODE_TEXT) return bad(f, uri, "`uri` must be a text");
      const char *data = strncmp(uri->text, "data:", 5) == 0 ? strstr(uri->text, ";base64,") : NULL;
      if (!data) return bad(f, uri, "only buffers in the file itself are read: data:..;base64, or a .glb");
      TN_TRY(read_base64(f, uri, data + 8, b));
    }
    if ((size_t)length > b->size)
      return tn_node_fail(k, f->e, TN_E_MODEL, "`byteLength` is %" PRId64 ", the buffer has %zu bytes", length,
                          b->size);
    b->size = (size_t)length;
    f->buffers++;
  }
  return TN_OK;
}

static size_t component_size(int64_t type) {
  return type == 5120 || type == 5121 ? 1 : type == 5122 || type == 5123 ? 2 : 4;
}

/* its bytes: first of each element lies `stride` behind the one before */
static tn_status read_accessor(const file *f, const tn_node *at, int64_t i, const char *type, accessor *a) {
  const tn_node *node = NULL, *view = NULL, *word;
  int64_t v, buffer_number, view_at, view_size, stride, offset, component, count;
  TN_TRY(item(f, "accessors", at, i, &node));
  if (tn_node_get(node, "sparse")) return bad(f, node, "sparse accessors are not read");
  TN_TRY(whole(f, node, "bufferView", -1, INT32_MAX, &v));
  TN_TRY(whole(f, node, "byteOffset", 0, INT32_MAX, &offset));
  TN_TRY(whole(f, node, "componentType", -1, 5126, &component));
  TN_TRY(whole(f, node, "count", -1, INT32_MAX, &count));
  if (count < 1) return bad(f, tn_node_get(node, "count"), "`count` must be at least 1");
  word = tn_node_get(node, "type");
  if (!word || word->kind != TN_NODE_TEXT || strcmp(word->text, type) != 0)
    return tn_node_fail(word ? word : node, f->e, TN_E_MODEL, "`type` must be %s here", type);
  if (component < 5120 || component == 5124)
    return bad(f, tn_node_get(node, "componentType"), "no such `componentType`");
  TN_TRY(item(f, "bufferViews", node, v, &view));
  TN_TRY(whole(f, view, "buffer", -1, MOST_BUFFERS, &buffer_number));
  TN_TRY(whole(f, view, "byteOffset", 0, INT32_MAX, &view_at));
  TN_TRY(whole(f, view, "byteLength", -1, INT32_MAX, &view_size));
  TN_TRY(whole(f, view, "byteStride", 0, 252, &stride));
  if (buffer_number >= f->buffers) return bad(f, view, "there is no such buffer");
  const buffer *b = &f->buffer[buffer_number];
  if ((size_t)view_at + (size_t)view_size > b->size) return bad(f, view, "it reaches past the end of its buffer");
  if (offset > view_size) return bad(f, node, "it reaches past the end of its view");
  const size_t element = component_size(component) * (strcmp(type, "VEC3") == 0 ? 3 : 1);
  if (stride && (size_t)stride < element) return bad(f, view, "`byteStride` is less than an element");
  *a = (accessor){b->bytes + view_at + offset, stride ? (size_t)stride : element, (size_t)count, (int)component};
  if (count && (size_t)offset + a->stride * ((size_t)count - 1) + element > (size_t)view_size)
    return bad(f, node, "it reaches past the end of its view");
  return TN_OK;
}

static tn_status read_vectors(const file *f, const tn_node *at, const accessor *a, float *out) {
  for (size_t i = 0; i < a->count; i++)
    for (size_t c = 0; c < 3; c++) {
      const uint32_t bits = tn_u32_at(a->bytes + i * a->stride + 4 * c);
      memcpy(&out[3 * i + c], &bits, sizeof bits);
      if (!isfinite(out[3 * i + c]))
        return tn_node_fail(at, f->e, TN_E_MODEL, "number %zu of element %zu is not finite", c, i);
    }
  return TN_OK;
}

/* ---- nodes ---- */

static bool grow(file *f, size_t vertices, size_t triangles) {
  tn_triangles *t = &f->out;
  const size_t v = (size_t)t->vertices, n = (size_t)t->triangles;
  if (v + vertices > f->vertex_room) {
    f->vertex_room = 2 * (v + vertices);
    float *p = tn_arena_alloc(f->arena, 3 * sizeof *p * f->vertex_room),
          *q = tn_arena_alloc(f->arena, 3 * sizeof *q * f->vertex_room);
    if (!p || !q) return false;
    if (v) memcpy(p, t->position, 3 * sizeof *p * v);
    if (v) memcpy(q, t->normal, 3 * sizeof *q * v);
    t->position = p;
    t->normal = q;
  }
  if (n + triangles > f->triangle_room) {
    f->triangle_room = 2 * (n + triangles);
    uint32_t *index = tn_arena_alloc(f->arena, 3 * sizeof *index * f->triangle_room);
    if (!index) return false;
    if (n) memcpy(index, t->index, 3 * sizeof *index * n);
    t->index = index;
  }
  return true;
}

static uint32_t index_at(const accessor *a, size_t i) {
  const unsigned char *p = a->bytes + i * a->stride;
  return a->component == 5121 ? p[0] : a->component == 5123 ? (uint32_t)p[0] | (uint32_t)p[1] << 8 : tn_u32_at(p);
}

/* T: 3 x 4, row major */
static tn_status add_primitive(file *f, const tn_node *primitive, const double T[12]) {
  const tn_node *attributes = tn_node_get(primitive, "attributes");
  accessor position = {0}, normal = {0}, index = {0};
  int64_t p, n, i, mode;
  if (primitive->kind != TN_NODE_OBJECT || !attributes) return bad(f, primitive, "`attributes` is missing");
  if (f->primitives++ > MOST_PRIMITIVES) return bad(f, primitive, "more than a million primitives");
  TN_TRY(whole(f, primitive, "mode", 4, 6, &mode));
  if (mode < 4) return TN_OK; /* points and lines */
  TN_TRY(whole(f, attributes, "POSITION", -1, INT32_MAX, &p));
  TN_TRY(read_accessor(f, attributes, p, "VEC3", &position));
  if (position.component != 5126) return bad(f, attributes, "positions must be floats");
  const bool has_normal = tn_node_get(attributes, "NORMAL") != NULL;
  if (has_normal) {
    TN_TRY(whole(f, attributes, "NORMAL", -1, INT32_MAX, &n));
    TN_TRY(read_accessor(f, attributes, n, "VEC3", &normal));
    if (normal.component != 5126 || normal.count != position.count)
      return bad(f, attributes, "normals must be floats, as many as positions");
  }
  const bool indexed = tn_node_get(primitive, "indices") != NULL;
  if (indexed) {
    TN_TRY(whole(f, primitive, "indices", -1, INT32_MAX, &i));
    TN_TRY(read_accessor(f, primitive, i, "SCALAR", &index));
    if (index.component != 5121 && index.component != 5123 && index.component != 5125)
      return bad(f, primitive, "indices must be whole numbers without sign");
  }
  const size_t corners = indexed ? index.count : position.count;
  const size_t triangles = mode == 4 ? corners / 3 : corners >= 3 ? corners - 2 : 0;
  tn_triangles *t = &f->out;
  if (triangles > MOST_TRIANGLES - (size_t)t->triangles || position.count > 3 * MOST_TRIANGLES - (size_t)t->vertices)
    return bad(f, primitive, "more than 5 million triangles");
  if (!grow(f, position.count, triangles)) return no_memory(f);
  float *to = t->position + 3 * (size_t)t->vertices, *up = t->normal + 3 * (size_t)t->vertices;
  TN_TRY(read_vectors(f, attributes, &position, to));
  if (has_normal) TN_TRY(read_vectors(f, attributes, &normal, up));
  const double r[3][3] = {{T[0], T[1], T[2]}, {T[4], T[5], T[6]}, {T[8], T[9], T[10]}};
  double cofactor[3][3];
  for (int c = 0; c < 3; c++) tn_cross3(r[(c + 1) % 3], r[(c + 2) % 3], cofactor[c]);
  const bool mirrored = tn_dot3(r[0], cofactor[0]) < 0;
  for (size_t v = 0; v < position.count; v++) {
    const double x[3] = {(double)to[3 * v], (double)to[3 * v + 1], (double)to[3 * v + 2]};
    const double u[3] = {(double)up[3 * v], (double)up[3 * v + 1], (double)up[3 * v + 2]};
    double turned[3];
    for (int c = 0; c < 3; c++) {
      to[3 * v + (size_t)c] = (float)(tn_dot3(r[c], x) + T[4 * c + 3]);
      turned[c] = (mirrored ? -1 : 1) * tn_dot3(cofactor[c], u);
      if (!isfinite(to[3 * v + (size_t)c]))
        return bad(f, primitive, "moved by its nodes, a place is beyond all bounds");
    }
    const double l = tn_norm3(turned);
    for (int c = 0; c < 3; c++) up[3 * v + (size_t)c] = has_normal && l > 0 ? (float)(turned[c] / l) : 0;
  }
  for (size_t k = 0; k < triangles; k++) {
    size_t corner[3] = {k, k + 1, k + 2};
    if (mode == 4) corner[0] = 3 * k, corner[1] = 3 * k + 1, corner[2] = 3 * k + 2;
    if (mode == 5 && k % 2) corner[0] = k + 1, corner[1] = k;
    if (mode == 6) corner[0] = 0;
    for (size_t c = 0; c < 3; c++) {
      const size_t at = corner[mirrored ? 2 - c : c], v = indexed ? index_at(&index, at) : at;
      if (v >= position.count)
        return tn_node_fail(primitive, f->e, TN_E_MODEL, "index %zu is %zu, and there are %zu vertices", at, v,
                            position.count);
      t->index[3 * ((size_t)t->triangles + k) + c] = (uint32_t)((size_t)t->vertices + v);
    }
  }
  t->triangles += (int)triangles;
  t->vertices += (int)position.count;
  if (has_normal) f->normals += (int)position.count;
  return TN_OK;
}

static tn_status numbers(const file *f, const tn_node *node, const char *key, int n, double *x) {
  const tn_node *list = tn_node_get(node, key);
  if (!list) return TN_OK;
  if (list->kind != TN_NODE_LIST || list->size != (size_t)n)
    return bad(f, list, "a list of another length is needed here");
  const tn_node *k = list->first;
  for (int i = 0; i < n; i++, k = k->next) {
    if (k->kind != TN_NODE_NUMBER) return bad(f, k, "a number is needed here");
    x[i] = k->number;
  }
  return TN_OK;
}

/* T times the transform of the node */
static tn_status moved(const file *f, const tn_node *node, const double T[12], double out[12]) {
  double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, t[3] = {0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
  double own[12];
  if (tn_node_get(node, "matrix")) {
    TN_TRY(numbers(f, node, "matrix", 16, m)); /* by columns */
    for (int i = 0; i < 12; i++) own[i] = m[4 * (i % 4) + i / 4];
  } else {
    double A[9];
    TN_TRY(numbers(f, node, "translation", 3, t));
    TN_TRY(numbers(f, node, "rotation", 4, q)); /* x, y, z, w */
    TN_TRY(numbers(f, node, "scale", 3, s));
    const double e[4] = {q[3], q[0], q[1], q[2]};
    if (!(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] > 0))
      return bad(f, tn_node_get(node, "rotation"), "a rotation of length zero");
    tn_quaternion_rotation(e, A);
    for (int i = 0; i < 12; i++) own[i] = i % 4 == 3 ? t[i / 4] : A[3 * (i / 4) + i % 4] * s[i % 4];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      out[4 * i + j] = j == 3 ? T[4 * i + 3] : 0;
      for (int k = 0; k < 3; k++) out[4 * i + j] += T[4 * i + k] * own[4 * k + j];
    }
  return TN_OK;
}

static tn_status add_node(file *f, const tn_node *at, int64_t number, const double T[12], int depth) {
  const tn_node *node = NULL, *mesh = NULL, *primitives, *children;
  double own[12];
  if (f->visits-- <= 0) return bad(f, at, "nodes that are children of two, or of themselves");
  if (depth > 100) return bad(f, at, "nodes more than 100 deep: they may be children of themselves");
  TN_TRY(item(f, "nodes", at, number, &node));
  TN_TRY(moved(f, node, T, own));
  if (tn_node_get(node, "mesh")) {
    int64_t m;
    TN_TRY(whole(f, node, "mesh", -1, INT32_MAX, &m));
    TN_TRY(item(f, "meshes", node, m, &mesh));
    primitives = tn_node_get(mesh, "primitives");
    if (!primitives || primitives->kind != TN_NODE_LIST) return bad(f, mesh, "`primitives` is missing");
    for (const tn_node *k = primitives->first; k; k = k->next) TN_TRY(add_primitive(f, k, own));
  }
  children = tn_node_get(node, "children");
  if (!children) return TN_OK;
  if (children->kind != TN_NODE_LIST) return bad(f, children, "`children` must be a list");
  for (const tn_node *k = children->first; k; k = k->next) {
    if (k->kind != TN_NODE_NUMBER || !(k->number >= 0 && k->number < INT32_MAX))
      return bad(f, k, "no number of a node");
    TN_TRY(add_node(f, k, (int64_t)k->number, own, depth + 1));
  }
  return TN_OK;
}

static tn_status add_scene(file *f) {
  static const double one[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  const tn_node *all = tn_node_get(f->root, "nodes"), *scenes = tn_node_get(f->root, "scenes"), *scene = NULL, *roots;
  if (!all || all->kind != TN_NODE_LIST || !all->size) return bad(f, f->root, "no `nodes`");
  f->visits = (int64_t)all->size;
  if (scenes) {
    int64_t number;
    TN_TRY(whole(f, f->root, "scene", 0, INT32_MAX, &number));
    TN_TRY(item(f, "scenes", f->root, number, &scene));
    roots = tn_node_get(scene, "nodes");
    if (!roots || roots->kind != TN_NODE_LIST) return bad(f, scene, "the scene has no `nodes`");
    for (const tn_node *k = roots->first; k; k = k->next) {
      if (k->kind != TN_NODE_NUMBER || !(k->number >= 0 && k->number < INT32_MAX))
        return bad(f, k, "no number of a node");
      TN_TRY(add_node(f, k, (int64_t)k->number, one, 0));
    }
    return TN_OK;
  }
  /* without a scene: nodes without a parent */
  bool *child = tn_arena_alloc(f->arena, all->size);
  if (!child) return no_memory(f);
  for (const tn_node *k = all->first; k; k = k->next) {
    const tn_node *list = tn_node_get(k, "children");
    for (const tn_node *c = list && list->kind == TN_NODE_LIST ? list->first : NULL; c; c = c->next)
      if (c->kind == TN_NODE_NUMBER && c->number >= 0 && c->number < (double)all->size) child[(size_t)c->number] = true;
  }
  for (size_t i = 0; i < all->size; i++)
    if (!child[i]) TN_TRY(add_node(f, all, (int64_t)i, one, 0));
  return TN_OK;
}

/* extensions without which triangles are the same */
static tn_status check_extensions(const file *f) {
  static const char *const harmless[] = {"KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_"};
  const tn_node *list = tn_node_get(f->root, "extensionsRequired");
  for (const tn_node *k = list && list->kind == TN_NODE_LIST ? list->first : NULL; k; k = k->next) {
    bool known = false;
    for (size_t i = 0; k->kind == TN_NODE_TEXT && i < sizeof harmless / sizeof *harmless; i++)
      known = known || strncmp(k->text, harmless[i], strlen(harmless[i])) == 0;
    if (!known)
      return tn_node_fail(k, f->e, TN_E_MODEL, "it requires the extension '%.60s', which is not read",
                          k->kind == TN_NODE_TEXT ? k->text : "");
  }
  return TN_OK;
}

tn_status tn_read_gltf(tn_arena *arena, const char *name, const unsigned char *bytes, size_t size, tn_triangles *t,
                       tn_error *e) {
  file f = {.arena = arena, .e = e};
  tn_node *root;
  const unsigned char *binary = NULL;
  const char *text = (const char *)bytes;
  size_t text_size = size, binary_size = 0;
  *t = (tn_triangles){0};
  if (size >= 4 && memcmp(bytes, "glTF", 4) == 0) {
    if (size < 20) return tn_fail(e, TN_E_MODEL, "the file ends in its head (byte %zu)", size);
    if (tn_u32_at(bytes + 4) != 2)
      return tn_fail(e, TN_E_MODEL, "version %u of glTF, 2 is read (byte 4)", (unsigned)tn_u32_at(bytes + 4));
    const size_t length = tn_u32_at(bytes + 8), json = tn_u32_at(bytes + 12);
    if (length > size) return tn_fail(e, TN_E_MODEL, "%zu bytes announced, there are %zu (byte 8)", length, size);
    if (length < 20 || json > length - 20)
      return tn_fail(e, TN_E_MODEL, "the first chunk reaches past the end (byte 12)");
    if (memcmp(bytes + 16, "JSON", 4) != 0) return tn_fail(e, TN_E_MODEL, "the first chunk is not JSON (byte 16)");
    text = (const char *)bytes + 20;
    text_size = json;
    const size_t at = 20 + json;
    if (length - at >= 8) {
      binary_size = tn_u32_at(bytes + at);
      if (binary_size > length - at - 8)
        return tn_fail(e, TN_E_MODEL, "the second chunk reaches past the end (byte %zu)", at);
      if (memcmp(bytes + at + 4, "BIN\0", 4) == 0) binary = bytes + at + 8;
    }
    while (text_size && (text[text_size - 1] == '\0')) text_size--; /* seen in the wild, blanks are meant */
  }
  TN_TRY(tn_json_parse(arena, name, text, text_size, &root, e));
  f.root = root;
  TN_TRY(find_lists(&f));
  TN_TRY(check_extensions(&f));
  TN_TRY(read_buffers(&f, binary, binary_size));
  TN_TRY(add_scene(&f));
  if (!f.out.triangles) return bad(&f, root, "no triangles");
  *t = f.out;
  if (f.normals < t->vertices) t->normal = NULL; /* some have none: all follow from the corners */
  return TN_OK;
}
