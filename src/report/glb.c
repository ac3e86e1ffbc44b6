/* the motion as binary glTF 2.0: a node for every body, its shapes below it, and an animation of all rows.
 *   12 bytes head, JSON chunk, BIN chunk. BIN: times; of every body translations, then rotations; positions and normals; indices
 * y is up in glTF: the root node turns z up there; models of the plane have it up already. an animation has its numbers body by body,
 * the file of the motion row by row: as many bodies as fit into ROOM are gathered in one pass over it. */
#include "report/report.h"

#define ROOM ((size_t)64 << 20)
static const double MOST_BYTES = 2e9; /* bytes of a file: readers count them in 32 bits */

typedef struct painted {  /* a solid in a colour: what glTF calls a mesh */
  int solid, color, next; /* next of this solid */
} painted;

typedef struct maker { /* what moves: bodies, and links between them */
  tn_result *r;
  const tn_model *m;
  const tn_drawing *d;
  tn_printer out;
  tn_arena arena;
  int64_t rows, every; /* in the file; of the recorded ones */
  float first, last;
  painted *mesh;
  int meshes, *first_mesh, *mesh_of; /* of a solid + 1; of a shape */
  int colors, *color;
  size_t animation, vertices, indices; /* bytes of the three views */
  /* a pass */
  int64_t at, kept;
  float before;
  int mover, movers; /* gathered in this one */
  float *pose;       /* movers x (rows x 3, rows x 4) */
  double *given;     /* bodies: the given pose, as in a row */
} maker;

static int movers(const maker *k) { return k->m->bodies + k->d->links; }
static bool turns(const maker *k, int mover) { return mover >= k->m->bodies || k->m->body[mover].oriented; }

static const double PI = 3.141592653589793;

/* ---- colours ---- */

enum { LINK_COLOR = 0x707882 };

static int color_of(const tn_shape *s) {
  static const int bodies[] = {0x4c78a8, 0xe08a3c, 0x59a14f, 0xb65a8c, 0x8a6fc0, 0x3a9ea5, 0xc9a227, 0xc8553d};
  if (s->color >= 0) return s->color;
  switch (s->role) {
  case TN_ROLE_GROUND: return 0x8c939c;
  case TN_ROLE_RAIL: return 0x707882;
  case TN_ROLE_POINT: return 0x30363d;
  default: return s->body < 0 ? 0x8c939c : bodies[s->body % 8];
  }
}

/* a solid in a colour, made if it is not there yet */
static int mesh_in(maker *k, int solid, int color) {
  int c = 0, j = k->first_mesh[solid] - 1;
  while (c < k->colors && k->color[c] != color) c++;
  if (c == k->colors) k->color[k->colors++] = color;
  while (j >= 0 && k->mesh[j].color != c) j = k->mesh[j].next;
  if (j >= 0) return j;
  k->mesh[k->meshes] = (painted){solid, c, k->first_mesh[solid] - 1};
  k->first_mesh[solid] = k->meshes + 1;
  return k->meshes++;
}

static tn_status find_meshes(maker *k, tn_error *e) {
  const tn_drawing *d = k->d;
  const size_t n = (size_t)d->shapes + (size_t)d->links + 1;
  k->mesh = tn_arena_alloc(&k->arena, sizeof *k->mesh * n);
  k->mesh_of = tn_arena_alloc(&k->arena, sizeof *k->mesh_of * n);
  k->color = tn_arena_alloc(&k->arena, sizeof *k->color * n);
  k->first_mesh = tn_arena_alloc(&k->arena, sizeof *k->first_mesh * ((size_t)d->solids + 1));
  if (!k->mesh || !k->mesh_of || !k->color || !k->first_mesh) return tn_fail(e, TN_E_MEMORY, "out of memory");
  for (int i = 0; i < d->shapes; i++) k->mesh_of[i] = mesh_in(k, d->shape[i].mesh, color_of(&d->shape[i]));
  for (int i = 0; i < d->links; i++)
    if (d->link[i].mesh >= 0) k->mesh_of[d->shapes + i] = mesh_in(k, d->link[i].mesh, LINK_COLOR);
  return TN_OK;
}

/* ---- poses ---- */

/* r, and x y z w as glTF has it */
static void body_pose(const maker *k, const double *values, int body, double r[3], double e[4]) {
  const bool plane = k->m->dimension == 2;
  const double *p = values + (size_t)(plane ? 3 : 7) * (size_t)body;
  const double half = plane ? fmod(p[2] / 2, 2 * PI) : 0;
  for (int c = 0; c < 3; c++) r[c] = plane && c == 2 ? 0 : p[c];
  e[0] = plane ? 0 : p[4];
  e[1] = plane ? 0 : p[5];
  e[2] = plane ? sin(half) : p[6];
  e[3] = plane ? cos(half) : p[3];
}

/* before: as it was turned in the row before, or NULL: it does not spin about itself */
static void link_pose(const maker *k, const double *values, const tn_link *link, const float *before, double r[3],
                      double e[4]) {
  double p[2][3], d[3], A[9], q[4], x[3];
  for (int i = 0; i < 2; i++) tn_motion_place(k->m, values, &link->end[i], p[i]);
  tn_sub3(p[1], p[0], d);
  for (int c = 0; c < 3; c++) r[c] = (p[0][c] + p[1][c]) / 2;
  if (k->m->dimension == 2) {
    r[2] = link->height;
    tn_rotation_about3((double[3]){0, 0, 1}, atan2(d[1], d[0]), A);
  } else {
    const double length = tn_norm3(d);
    for (int c = 0; c < 3; c++) d[c] = length > 0 ? d[c] / length : c == 2;
    for (int c = 0; before && c < 4; c++) q[(c + 1) % 4] = (double)before[c];
    if (before) tn_quaternion_rotation(q, A), tn_axis3(A, 0, x);
    tn_frame_along3(d, before ? x : NULL, A);
  }
  tn_rotation_quaternion(A, q);
  for (int c = 0; c < 4; c++) e[c] = q[(c + 1) % 4];
}

/* ---- JSON ---- */

static void list(tn_json *j, const char *key, int n, const double *x) {
  tn_json_open(j, key, "[-");
  for (int i = 0; i < n; i++) tn_json_real(j, NULL, x[i]);
  tn_json_close(j);
}

/* x y z w, as glTF has it */
static void put_rotation(tn_json *j, const double A[9]) {
  double e[4];
  tn_rotation_quaternion(A, e);
  if (e[0] != 1) list(j, "rotation", 4, (double[4]){e[1], e[2], e[3], e[0]});
}

static void put_nodes(maker *k, tn_json *j) {
  const tn_model *m = k->m;
  const tn_drawing *d = k->d;
  /* root, ground, bodies, then shapes in order */
  const int shapes = 2 + m->bodies;
  int *count = tn_arena_alloc(&k->arena, sizeof *count * ((size_t)m->bodies + 2)),
      *order = tn_arena_alloc(&k->arena, sizeof *order * ((size_t)d->shapes + 1));
  if (!count || !order) {
    j->failed = true;
    return;
  }
  for (int i = 0; i < d->shapes; i++) count[2 + (d->shape[i].body < 0 ? -1 : d->shape[i].body)]++;
  for (int i = 1; i < m->bodies + 2; i++) count[i] += count[i - 1];
  for (int i = 0; i < d->shapes; i++) order[count[1 + (d->shape[i].body < 0 ? -1 : d->shape[i].body)]++] = i;
  /* now count[i] is the end of those of ground (0) and body i - 1 */
  tn_json_open(j, "nodes", "[");
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "name", *m->title ? m->title : tn_result_name(k->r));
  if (m->dimension == 3) list(j, "rotation", 4, (double[4]){-sqrt(0.5), 0, 0, sqrt(0.5)});
  tn_json_open(j, "children", "[");
  for (int i = 0; i <= m->bodies; i++) tn_json_whole(j, NULL, 1 + i);
  for (int i = 0; i < d->links; i++) tn_json_whole(j, NULL, shapes + d->shapes + i);
  tn_json_close(j);
  tn_json_close(j);
  for (int i = 0; i <= m->bodies; i++) {
    const int from = i ? count[i - 1] : 0;
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "name", i ? m->body[i - 1].name : "ground");
    if (i) {
      const tn_pose *p = &m->body[i - 1].pose;
      double A[9];
      memcpy(A, p->A, sizeof A);
      if (m->dimension == 2) tn_rotation_about3((double[3]){0, 0, 1}, p->angle, A);
      list(j, "translation", 3, p->r);
      put_rotation(j, A);
    }
    if (count[i] > from) {
      tn_json_open(j, "children", "[");
      for (int c = from; c < count[i]; c++) tn_json_whole(j, NULL, shapes + c);
      tn_json_close(j);
    }
    tn_json_close(j);
  }
  for (int c = 0; c < d->shapes; c++) {
    const tn_shape *s = &d->shape[order[c]];
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "name", tn_role_name[s->role]);
    tn_json_whole(j, "mesh", k->mesh_of[order[c]]);
    list(j, "translation", 3, s->at);
    put_rotation(j, s->A);
    tn_json_close(j);
  }
  for (int i = 0; i < d->links; i++) {
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "name", d->link[i].name);
    double r[3], e[4];
    link_pose(k, k->given, &d->link[i], NULL, r, e);
    if (d->link[i].mesh >= 0) tn_json_whole(j, "mesh", k->mesh_of[d->shapes + i]);
    list(j, "translation", 3, r);
    list(j, "rotation", 4, e);
    tn_json_close(j);
  }
  tn_json_close(j);
}

static double linear(int channel) { /* colours of pictures are not in proportion to light */
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void put_meshes(const maker *k, tn_json *j) {
  if (!k->meshes) return; /* lists in glTF are not empty */
  tn_json_open(j, "materials", "[");
  for (int i = 0; i < k->colors; i++) {
    tn_json_open(j, NULL, "{-");
    tn_json_open(j, "pbrMetallicRoughness", "{");
    list(j, "baseColorFactor", 4,
         (double[4]){linear(k->color[i] >> 16 & 255), linear(k->color[i] >> 8 & 255), linear(k->color[i] & 255), 1});
    tn_json_real(j, "metallicFactor", 0.1);
    tn_json_real(j, "roughnessFactor", 0.6);
    tn_json_close(j);
    tn_json_bool(j, "doubleSided", true); /* meshes from files may be open */
    tn_json_close(j);
  }
  tn_json_close(j);
  int accessors = 1;
  for (int i = 0; i < movers(k); i++) accessors += 1 + turns(k, i);
  tn_json_open(j, "meshes", "[");
  for (int i = 0; i < k->meshes; i++) {
    const int first = accessors + 3 * k->mesh[i].solid;
    tn_json_open(j, NULL, "{-");
    tn_json_open(j, "primitives", "[");
    tn_json_open(j, NULL, "{");
    tn_json_open(j, "attributes", "{");
    tn_json_whole(j, "POSITION", first);
    tn_json_whole(j, "NORMAL", first + 1);
    tn_json_close(j);
    tn_json_whole(j, "indices", first + 2);
    tn_json_whole(j, "material", k->mesh[i].color);
    tn_json_close(j);
    tn_json_close(j);
    tn_json_close(j);
  }
  tn_json_close(j);
}

/* view 0: animation, 1: vertices, 2: indices */
static void put_accessor(tn_json *j, int view, size_t at, int component, int64_t count, const char *type, int n,
                         const double *lo, const double *hi) {
  tn_json_open(j, NULL, "{-");
  tn_json_whole(j, "bufferView", view);
  tn_json_whole(j, "byteOffset", (int64_t)at);
  tn_json_whole(j, "componentType", component);
  tn_json_whole(j, "count", count);
  tn_json_text(j, "type", type);
  if (n) list(j, "min", n, lo);
  if (n) list(j, "max", n, hi);
  tn_json_close(j);
}

static void put_accessors(const maker *k, tn_json *j) {
  enum { FLOAT = 5126, WHOLE = 5125 };
  const size_t row = 4 * (size_t)k->rows;
  size_t at = 0;
  tn_json_open(j, "accessors", "[");
  put_accessor(j, 0, at, FLOAT, k->rows, "SCALAR", 1, (double[1]){(double)k->first}, (double[1]){(double)k->last});
  at += row;
  for (int i = 0; i < movers(k); i++) {
    put_accessor(j, 0, at, FLOAT, k->rows, "VEC3", 0, NULL, NULL);
    at += 3 * row;
    if (!turns(k, i)) continue;
    put_accessor(j, 0, at, FLOAT, k->rows, "VEC4", 0, NULL, NULL);
    at += 4 * row;
  }
  size_t vertex = 0, index = 0;
  for (int i = 0; i < k->d->solids; i++) {
    const tn_solid *s = &k->d->solid[i];
    const size_t bytes = 12 * (size_t)s->vertices;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int v = 0; v < 3 * s->vertices; v++) {
      lo[v % 3] = fmin(lo[v % 3], (double)s->position[v]);
      hi[v % 3] = fmax(hi[v % 3], (double)s->position[v]);
    }
    put_accessor(j, 1, vertex, FLOAT, s->vertices, "VEC3", 3, lo, hi);
    put_accessor(j, 1, vertex + bytes, FLOAT, s->vertices, "VEC3", 0, NULL, NULL);
    put_accessor(j, 2, index, WHOLE, 3 * (int64_t)s->triangles, "SCALAR", 0, NULL, NULL);
    vertex += 2 * bytes;
    index += 12 * (size_t)s->triangles;
  }
  tn_json_close(j);
  tn_json_open(j, "bufferViews", "[");
  const size_t size[3] = {k->animation, k->vertices, k->indices};
  int64_t from = 0;
  for (int i = 0; i < 3; i++) {
    if (!size[i]) continue;
    tn_json_open(j, NULL, "{-");
    tn_json_whole(j, "buffer", 0);
    tn_json_whole(j, "byteOffset", from);
    tn_json_whole(j, "byteLength", (int64_t)size[i]);
    if (i == 1) tn_json_whole(j, "byteStride", 12);
    if (i) tn_json_whole(j, "target", i == 1 ? 34962 : 34963);
    tn_json_close(j);
    from += (int64_t)size[i];
  }
  tn_json_close(j);
}

static void put_animation(const maker *k, tn_json *j) {
  static const char *const path[2] = {"translation", "rotation"};
  for (int what = 0; what < 2; what++) {
    if (!what) {
      tn_json_open(j, "animations", "[");
      tn_json_open(j, NULL, "{");
      tn_json_text(j, "name", "motion");
    }
    tn_json_open(j, what ? "channels" : "samplers", "[");
    for (int i = 0, n = 0; i < movers(k); i++)
      for (int p = 0; p < 1 + turns(k, i); p++, n++) {
        tn_json_open(j, NULL, "{-");
        if (!what) {
          tn_json_whole(j, "input", 0);
          tn_json_whole(j, "output", 1 + n);
          tn_json_text(j, "interpolation", "LINEAR");
        } else {
          tn_json_whole(j, "sampler", n);
          tn_json_open(j, "target", "{");
          tn_json_whole(j, "node", i < k->m->bodies ? 2 + i : 2 + k->d->shapes + i); /* links come last */
          tn_json_text(j, "path", path[p]);
          tn_json_close(j);
        }
        tn_json_close(j);
      }
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_close(j);
}

static bool put_json(maker *k, tn_write write, void *user) {
  tn_json j = {.write = write, .user = user};
  tn_json_open(&j, NULL, "{");
  tn_json_open(&j, "asset", "{-");
  tn_json_text(&j, "version", "2.0");
  tn_json_text(&j, "generator", "Tenon " TN_VERSION);
  tn_json_close(&j);
  tn_json_whole(&j, "scene", 0);
  tn_json_open(&j, "scenes", "[-");
  tn_json_open(&j, NULL, "{");
  tn_json_open(&j, "nodes", "[");
  tn_json_whole(&j, NULL, 0);
  tn_json_close(&j);
  tn_json_close(&j);
  tn_json_close(&j);
  put_nodes(k, &j);
  put_meshes(k, &j);
  put_accessors(k, &j);
  put_animation(k, &j);
  tn_json_open(&j, "buffers", "[-");
  tn_json_open(&j, NULL, "{");
  tn_json_whole(&j, "byteLength", (int64_t)(k->animation + k->vertices + k->indices));
  tn_json_close(&j);
  tn_json_close(&j);
  tn_json_close(&j);
  return !j.failed;
}

static bool measure(void *user, const char *text, size_t n) {
  (void)text;
  *(size_t *)user += n;
  return true;
}

/* ---- rows ---- */

static void put_bytes(maker *k, const void *bytes, size_t n) {
  if (n && !k->out.failed && !k->out.write(k->out.user, bytes, n)) k->out.failed = true;
}

static void put_u32s(maker *k, size_t n, const uint32_t *x) {
  unsigned char piece[4096];
  for (size_t at = 0; at < n;) {
    size_t i = 0;
    for (; i < sizeof piece / 4 && at < n; i++, at++) tn_put_u32(piece + 4 * i, x[at]);
    put_bytes(k, piece, 4 * i);
  }
}

static void put_floats(maker *k, size_t n, const float *x) {
  unsigned char piece[4096];
  for (size_t at = 0; at < n;) {
    size_t i = 0;
    for (; i < sizeof piece / 4 && at < n; i++, at++) {
      uint32_t bits;
      memcpy(&bits, &x[at], sizeof bits);
      tn_put_u32(piece + 4 * i, bits);
    }
    put_bytes(k, piece, 4 * i);
  }
}

/* whether a row goes into the file: times must grow in single precision */
static bool taken(maker *k, double t) {
  if (k->at++ % k->every) return false;
  const float time = (float)t;
  if (k->kept && !(time > k->before)) return false;
  k->before = time;
  return true;
}

static tn_status count_row(void *user, double t, int n, const double *values) {
  maker *k = user;
  (void)n, (void)values;
  if (!taken(k, t)) return TN_OK;
  if (!k->kept++) k->first = (float)t;
  k->last = (float)t;
  return TN_OK;
}

static tn_status time_row(void *user, double t, int n, const double *values) {
  maker *k = user;
  (void)n, (void)values;
  if (!taken(k, t)) return TN_OK;
  k->kept++;
  put_floats(k, 1, &k->before);
  return k->out.failed ? TN_E_IO : TN_OK;
}

static tn_status pose_row(void *user, double t, int n, const double *values) {
  maker *k = user;
  const size_t rows = (size_t)k->rows;
  (void)n;
  if (!taken(k, t)) return TN_OK;
  for (int i = 0; i < k->movers; i++) {
    const int mover = k->mover + i;
    float *r = k->pose + 7 * rows * (size_t)i + 3 * (size_t)k->kept;
    float *q = k->pose + 7 * rows * (size_t)i + 3 * rows + 4 * (size_t)k->kept;
    double p[3], e[4], same = 0; /* of the two that say the same, the one near that of the row before */
    if (mover < k->m->bodies)
      body_pose(k, values, mover, p, e);
    else
      link_pose(k, values, &k->d->link[mover - k->m->bodies], k->kept ? q - 4 : NULL, p, e);
    for (int c = 0; c < 3; c++) r[c] = (float)p[c];
    for (int c = 0; k->kept && c < 4; c++) same += e[c] * (double)q[c - 4];
    for (int c = 0; c < 4; c++) q[c] = (float)(same < 0 ? -e[c] : e[c]);
  }
  k->kept++;
  return TN_OK;
}

static tn_status pass(maker *k, tn_row row, tn_error *e) {
  k->at = k->kept = 0;
  const tn_status status = tn_result_motion_each(k->r, row, k, e);
  return k->out.failed ? tn_fail(e, TN_E_IO, "the file could not be written") : status;
}

/* ---- all of it ---- */

static tn_status find_given(maker *k, tn_error *e) {
  const tn_model *m = k->m;
  const int n = tn_motion_pose(m);
  if (!(k->given = tn_arena_alloc(&k->arena, sizeof *k->given * (size_t)(n * m->bodies + 1))))
    return tn_fail(e, TN_E_MEMORY, "out of memory");
  for (int i = 0; i < m->bodies; i++) {
    const tn_pose *p = &m->body[i].pose;
    double *to = k->given + (size_t)n * (size_t)i;
    memcpy(to, p->r, sizeof *to * (size_t)m->dimension);
    if (m->dimension == 2)
      to[2] = p->angle;
    else
      tn_rotation_quaternion(p->A, to + 3);
  }
  return TN_OK;
}

static tn_status plan(maker *k, tn_error *e) {
  const int64_t rows = tn_result_motion_rows(k->r);
  size_t row = 4;
  double solid = 0;
  for (int i = 0; i < movers(k); i++) row += turns(k, i) ? 28 : 12;
  for (int i = 0; i < k->d->solids; i++) {
    k->vertices += 24 * (size_t)k->d->solid[i].vertices;
    k->indices += 12 * (size_t)k->d->solid[i].triangles;
  }
  solid = (double)k->vertices + (double)k->indices;
  if (solid > 0.75 * MOST_BYTES)
    return tn_fail(e, TN_E_USAGE, "its shapes alone need more than a file of this kind holds");
  k->every = (int64_t)fmax(1, ceil((double)rows * (double)row / (MOST_BYTES - solid)));
  TN_TRY(pass(k, count_row, e));
  k->rows = k->kept;
  if (!k->rows) return tn_fail(e, TN_E_USAGE, "the result has no rows to show");
  k->animation = row * (size_t)k->rows;
  TN_TRY(find_given(k, e));
  return find_meshes(k, e);
}

static tn_status write_rows(maker *k, tn_error *e) {
  const tn_allocator *a = tn_result_allocator(k->r);
  const size_t rows = (size_t)k->rows, one = 28 * rows;
  const size_t fit = ROOM / one;
  const int all = movers(k), most = fit < 1 ? 1 : fit < (size_t)all ? (int)fit : all;
  TN_TRY(pass(k, time_row, e));
  if (!(k->pose = a->allocate(a->user, one * (size_t)most))) return tn_fail(e, TN_E_MEMORY, "out of memory");
  tn_status status = TN_OK;
  for (k->mover = 0; k->mover < all && status == TN_OK; k->mover += k->movers) {
    k->movers = all - k->mover < most ? all - k->mover : most;
    status = pass(k, pose_row, e);
    for (int i = 0; i < k->movers && status == TN_OK; i++)
      put_floats(k, (turns(k, k->mover + i) ? 7 : 3) * rows, k->pose + 7 * rows * (size_t)i);
  }
  a->release(a->user, k->pose);
  return status;
}

static tn_status write_file(maker *k, tn_error *e) {
  size_t json = 0;
  unsigned char head[20] = {'g', 'l', 'T', 'F', [16] = 'J', 'S', 'O', 'N'}, chunk[8] = {[4] = 'B', 'I', 'N'};
  const size_t binary = k->animation + k->vertices + k->indices;
  if (!put_json(k, measure, &json)) return tn_fail(e, TN_E_MEMORY, "out of memory");
  const size_t padded = (json + 3) & ~(size_t)3;
  if ((double)padded + (double)binary + 28 > 4294967295.0)
    return tn_fail(e, TN_E_USAGE, "the model is too large for a file of this kind");
  tn_put_u32(head + 4, 2);
  tn_put_u32(head + 8, (uint32_t)(28 + padded + binary));
  tn_put_u32(head + 12, (uint32_t)padded);
  put_bytes(k, head, sizeof head);
  if (!k->out.failed && !put_json(k, k->out.write, k->out.user)) k->out.failed = true;
  put_bytes(k, "   ", padded - json);
  tn_put_u32(chunk, (uint32_t)binary);
  put_bytes(k, chunk, sizeof chunk);
  TN_TRY(write_rows(k, e));
  for (int i = 0; i < k->d->solids; i++) {
    const size_t n = 3 * (size_t)k->d->solid[i].vertices;
    put_floats(k, n, k->d->solid[i].position);
    put_floats(k, n, k->d->solid[i].normal);
  }
  for (int i = 0; i < k->d->solids; i++) put_u32s(k, 3 * (size_t)k->d->solid[i].triangles, k->d->solid[i].index);
  return k->out.failed ? tn_fail(e, TN_E_IO, "the file could not be written") : TN_OK;
}

tn_status tn_result_glb(tn_result *r, tn_write write, void *user, tn_error *e) {
  TN_NEED(e, r, "result");
  TN_NEED(e, write, "write");
  maker k = {.r = r, .out = {.write = write, .user = user}};
  tn_error local;
  tn_model *m = NULL;
  tn_drawing *d = NULL;
  if (!e) e = &local;
  tn_error_clear(e);
  tn_arena_init(&k.arena, tn_result_allocator(r));
  tn_status status = tn_result_drawing(r, false, &m, &d, e);
  k.m = m;
  k.d = d;
  if (status == TN_OK) status = plan(&k, e);
  if (status == TN_OK) status = write_file(&k, e);
  if (status == TN_OK && k.every > 1) /* told, though all is well */
    tn_format(e->message, sizeof e->message, "one row of %" PRId64 " is in it: with all of them it would pass 2 GB",
              k.every);
  else if (status == TN_OK && d->remarks)
    tn_remarks_text(d, e->message, sizeof e->message);
  tn_arena_free(&k.arena);
  tn_drawing_free(d);
  tn_model_free(m);
  return status;
}
