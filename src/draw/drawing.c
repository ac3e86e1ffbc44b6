/* The shapes of a model: first the places of every body and the marks of its joints, then body after body. Sizes follow from the extents
 * of bodies. A body of extent l is drawn with the width w = 0.075 sqrt(l l_m), within 0.02 l to 0.2 l; l_m is the median extent. */
#include <stdlib.h>

#include "draw/maker.h"

/* of the largest body that is seen: smaller ones do not tell how large a picture is */
static const double TINY_BODY = 1e-3;

const char *const tn_role_name[] = {"body", "given", "point", "slider", "rail", "gear", "ground"};
const char *const tn_symbol_name[] = {"other", "pin", "slide", "ball", "weld", "wheel"};

enum { MOST_PLACES = 512 };

/* ---- tools ---- */

void *tn_maker_alloc(tn_maker *k, size_t size) {
  void *p = tn_arena_alloc(k->arena, size);
  if (!p) k->failed = true;
  return p;
}

bool tn_maker_grow(tn_maker *k, void **list, int n, int *room, size_t size) {
  if (n < *room) return true;
  if (*room > INT32_MAX / 2) return k->failed = true, false;
  const int more = *room ? 2 * *room : 16;
  void *p = tn_maker_alloc(k, size * (size_t)more);
  if (!p) return false;
  if (n) memcpy(p, *list, size * (size_t)n);
  *list = p;
  *room = more;
  return true;
}

void tn_maker_remark(tn_maker *k, const char *format, ...) {
  char text[600];
  void *remarks = k->d->remark;
  if (k->d->remarks >= 100) return;
  va_list args;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  const char *copy = tn_arena_text(k->arena, text, strlen(text));
  if (!copy || !tn_maker_grow(k, &remarks, k->d->remarks, &k->remark_room, sizeof *k->d->remark)) {
    k->failed = true;
    return;
  }
  k->d->remark = remarks;
  k->d->remark[k->d->remarks++] = copy;
}

void tn_maker_beyond(tn_maker *k) {
  if (!k->beyond) tn_maker_remark(k, "a shape is beyond all bounds, and is not drawn");
  k->beyond = true;
}

tn_shape *tn_shape_new(tn_maker *k, int body, tn_role role, int color) {
  void *shapes = k->d->shape;
  if (k->failed || !tn_maker_grow(k, &shapes, k->d->shapes, &k->shape_room, sizeof *k->d->shape)) return NULL;
  k->d->shape = shapes;
  tn_shape *s = &k->d->shape[k->d->shapes++];
  *s = (tn_shape){.body = body, .role = role, .color = color, .mesh = -1, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return s;
}

void tn_to_body(const tn_maker *k, int body, const double world[3], double p[3]) {
  tn_spot spot;
  tn_spot_from(&k->context, world, body, &spot);
  memcpy(p, spot.p, sizeof spot.p);
}

void tn_to_world(const tn_maker *k, int body, const double p[3], double world[3]) {
  tn_spot spot = tn_spot_origin(body);
  memcpy(spot.p, p, sizeof spot.p);
  tn_spot_place(&k->context, &spot, world);
}

void tn_turn_to_body(const tn_maker *k, int body, const double world[3], double e[3]) {
  memcpy(e, world, 3 * sizeof *e);
  if (body < 0) return;
  const tn_pose *pose = &k->m->body[body].pose;
  if (k->m->dimension == 3) {
    tn_unturn3(pose->A, world, e);
    return;
  }
  const double c = cos(pose->angle), s = sin(pose->angle);
  e[0] = c * world[0] + s * world[1];
  e[1] = -s * world[0] + c * world[1];
}

double tn_layer_height(const tn_maker *k, int body) {
  return 1.1 * k->thick * k->layer[body < 0 ? k->m->bodies : body];
}

double tn_width_for(const tn_maker *k, double extent) {
  if (!(extent > 0)) extent = k->typical;
  return fmin(fmax(0.075 * sqrt(extent * k->typical), 0.02 * extent), 0.2 * extent);
}

/* ---- places ---- */

static bool has_places(const tn_joint *j) {
  return j->frames >= 2 && (j->type->seat == TN_SEAT_SHARED || j->type->seat == TN_SEAT_TWO);
}

/* called twice: with places NULL it counts them, then it lists them */
static void put(tn_maker *k, int *room, int body, const double p[3]) {
  if (body < 0) return;
  if (!k->places[body].p) {
    if (room[body] < MOST_PLACES) room[body]++;
    return;
  }
  tn_places *at = &k->places[body];
  if (at->n < room[body]) memcpy(at->p[at->n++], p, sizeof *at->p);
}

static void put_all(tn_maker *k, int *room) {
  const tn_model *m = k->m;
  for (int i = 0; i < m->joints; i++)
    for (int f = 0; has_places(&m->joint[i]) && f < 2; f++)
      put(k, room, m->joint[i].spot[f].body, m->joint[i].spot[f].p);
  for (int i = 0; i < m->forces; i++)
    for (int f = 0; m->force[i].how == TN_BETWEEN && f < m->force[i].frames; f++)
      put(k, room, m->force[i].spot[f].body, m->force[i].spot[f].p);
  for (int i = 0; i < m->rods; i++)
    for (int f = 0; m->rod[i].drawn && f < 2; f++) put(k, room, m->rod[i].end[f].body, m->rod[i].end[f].p);
  for (int i = 0; i < m->bodies; i++) {
    static const double origin[3] = {0, 0, 0};
    if (!m->body[i].type || !m->body[i].type->on_parent) continue;
    put(k, room, m->body[i].parent, m->body[i].pivot.p);
    put(k, room, i, origin);
  }
  for (int i = 0; i < m->draws; i++)
    for (int f = 0; !m->draw[i].given && f < m->draw[i].points; f++)
      put(k, room, m->draw[i].body, m->draw[i].point + 3 * f);
}

static void measure(const tn_maker *k, int body) {
  tn_places *at = &k->places[body];
  const tn_body *b = &k->m->body[body];
  double e[3];
  int n = 0;
  for (int i = 0; i < at->n; i++) {
    bool there = false;
    for (int j = 0; j < n && !there; j++) {
      tn_sub3(at->p[i], at->p[j], e);
      there = tn_norm3(e) <= TN_UNDRAWN * k->m->length;
    }
    if (!there) memmove(at->p[n++], at->p[i], sizeof *at->p);
  }
  at->n = n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      tn_sub3(at->p[i], at->p[j], e);
      at->extent = fmax(at->extent, tn_norm3(e));
    }
    tn_sub3(at->p[i], b->center, e);
    if (b->mass > 0) at->extent = fmax(at->extent, tn_norm3(e));
  }
  if (at->extent <= TN_UNDRAWN * k->m->length) at->extent = 0;
}

static void find_places(tn_maker *k) {
  const int n = k->m->bodies;
  int *room = tn_maker_alloc(k, sizeof *room * (size_t)(n + 1));
  k->places = tn_maker_alloc(k, sizeof *k->places * (size_t)(n + 1));
  if (k->failed) return;
  put_all(k, room);
  for (int i = 0; i < n; i++)
    if (!(k->places[i].p = tn_maker_alloc(k, sizeof *k->places[i].p * (size_t)(room[i] + 1)))) return;
  put_all(k, room);
  for (int i = 0; i < n; i++) measure(k, i);
}

/* ---- joints ---- */

static void find_marks(tn_maker *k) {
  const tn_model *m = k->m;
  int room = 0;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    tn_mark mark[TN_MOST_MARKS];
    int n = 0;
    memset(mark, 0, sizeof mark);
    if (j->frames > 0 && j->frames <= 3 && m->dimension == 2 && j->type->plane.marks) {
      tn_frame2 f[3];
      for (int c = 0; c < j->frames; c++) tn_spot_frame(&k->context, &j->spot[c], &f[c]);
      n = j->type->plane.marks(j->self, f, mark);
    } else if (j->frames > 0 && j->frames <= 3 && m->dimension == 3 && j->type->space.marks) {
      tn_frame3 f[3];
      for (int c = 0; c < j->frames; c++) tn_spot_frame3(&k->context, &j->spot[c], &f[c]);
      n = j->type->space.marks(j->self, f, mark);
    }
    for (int c = 0; c < n && c < TN_MOST_MARKS; c++) {
      void *seen = k->seen;
      if (mark[c].frame < 0 || mark[c].frame >= j->frames) continue;
      if (!tn_maker_grow(k, &seen, k->seens, &room, sizeof *k->seen)) return;
      k->seen = seen;
      k->seen[k->seens++] = (tn_marked){.mark = mark[c], .joint = i, .body = j->spot[mark[c].frame].body};
    }
  }
}

static void find_signs(tn_maker *k) {
  const tn_model *m = k->m;
  if (!(k->d->sign = tn_maker_alloc(k, sizeof *k->d->sign * (size_t)(m->joints + 1)))) return;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    tn_sign *s = &k->d->sign[i];
    s->symbol = j->type->symbol;
    s->placed = has_places(j);
    if (!s->placed || (s->symbol != TN_SYM_PIN && s->symbol != TN_SYM_SLIDE)) continue;
    if (m->dimension == 3) {
      s->has_axis = j->type->space.frames == TN_AXES_AXIS;
      if (s->has_axis) tn_axis3(j->spot[0].A, 2, s->axis);
    } else if (j->type->plane.has_axis) {
      s->has_axis = true;
      s->axis[0] = cos(j->spot[0].angle);
      s->axis[1] = sin(j->spot[0].angle);
    }
  }
}

/* ---- sizes ---- */

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double size_of(const tn_draw *g) {
  switch (g->figure) {
  case TN_BOX: return tn_norm3(g->box);
  case TN_SPHERE: return 2 * g->radius;
  case TN_CYLINDER:
  case TN_CAPSULE: return fmax(2 * g->radius, g->length);
  default: return 0;
  }
}

static double gyration(const tn_maker *k, const tn_body *b) {
  if (!(b->mass > 0)) return 0;
  const double I = k->m->dimension == 2 ? b->inertia : (b->tensor[0] + b->tensor[4] + b->tensor[8]) / 2;
  return 2 * sqrt(2 * I / b->mass);
}

static void find_sizes(tn_maker *k) {
  const tn_model *m = k->m;
  double *size = tn_maker_alloc(k, sizeof *size * (size_t)(m->bodies + 1));
  if (!size) return;
  for (int i = 0; i < m->bodies; i++) size[i] = k->places[i].extent;
  for (int i = 0; i < m->draws; i++)
    if (m->draw[i].body >= 0) size[m->draw[i].body] = fmax(size[m->draw[i].body], size_of(&m->draw[i]));
  for (int i = 0; i < k->seens; i++) {
    const tn_marked *s = &k->seen[i];
    if (s->body < 0) continue;
    if (s->mark.kind == TN_MARK_WHEEL) size[s->body] = fmax(size[s->body], 2 * s->mark.radius);
    for (int c = 0; s->mark.kind == TN_MARK_BALL && c < 3; c++)
      size[s->body] = fmax(size[s->body], 2 * s->mark.size[c]);
  }
  double most = 0;
  for (int i = 0; i < m->bodies; i++) most = fmax(most, size[i]);
  for (int pass = 0; pass < 2; pass++) { /* by the visible extent, else by inertia */
    int n = 0;
    for (int i = 0; i < m->bodies; i++) {
      const double x = pass ? gyration(k, &m->body[i]) : size[i];
      if (pass ? x > 0 && isfinite(x) : x > TINY_BODY * most && x > 0) size[n++] = x;
    }
    if (!n && pass == 0) continue;
    qsort(size, (size_t)n, sizeof *size, by_size);
    k->typical = n ? size[n / 2] : m->length;
    k->by_places = pass == 0;
    break;
  }
  /* particles between joints: about as far as these are apart */
  if (most == 0 && !(k->typical > 0.02 * m->length && k->typical < m->length)) k->typical = 0.3 * m->length;
  k->width = tn_width_for(k, k->typical);
  k->thick = 0.6 * k->width;
  for (int c = 0; c < 3; c++) k->box[0][c] = INFINITY, k->box[1][c] = -INFINITY;
  for (int i = 0; i < m->bodies; i++)
    for (int j = -1; j < k->places[i].n; j++) {
      double r[3];
      tn_to_world(k, i, j < 0 ? m->body[i].center : k->places[i].p[j], r);
      for (int c = 0; c < 3; c++) k->box[0][c] = fmin(k->box[0][c], r[c]), k->box[1][c] = fmax(k->box[1][c], r[c]);
    }
  const double g = tn_norm3(m->gravity);
  for (int c = 0; c < 3; c++) k->down[c] = g > 0 ? m->gravity[c] / g : c == m->dimension - 1 ? -1 : 0;
}

/* solids of the plane: bodies that a joint ties together are in different layers, the ground is below all */
static void find_layers(tn_maker *k) {
  const tn_model *m = k->m;
  const int n = m->bodies;
  k->layer = tn_maker_alloc(k, sizeof *k->layer * (size_t)(n + 1));
  k->dressed = tn_maker_alloc(k, sizeof *k->dressed * (size_t)(n + 1));
  k->shaped = tn_maker_alloc(k, sizeof *k->shaped * (size_t)(n + 1));
  int *first = tn_maker_alloc(k, sizeof *first * (size_t)(n + 2)),
      *next = tn_maker_alloc(k, sizeof *next * (size_t)(2 * m->joints + 1)),
      *other = tn_maker_alloc(k, sizeof *other * (size_t)(2 * m->joints + 1));
  if (k->failed) return;
  for (int i = 0; i < k->seens; i++) {
    const tn_mark_kind kind = k->seen[i].mark.kind;
    if (k->seen[i].body >= 0 &&
        (kind == TN_MARK_WHEEL || kind == TN_MARK_BALL || kind == TN_MARK_BLOCK || kind == TN_MARK_RACK))
      k->dressed[k->seen[i].body] = true;
  }
  for (int i = 0; i < m->draws; i++)
    if (m->draw[i].body >= 0 && (m->draw[i].given || m->draw[i].radius + m->draw[i].box[0] > 0))
      k->shaped[m->draw[i].body] = true;
  for (int i = 0; i < n; i++) k->shaped[i] = k->shaped[i] || m->body[i].drawn;
  if (m->dimension == 3) return;
  for (int i = 0, at = 0; i < m->joints; i++) {
    if (!has_places(&m->joint[i])) continue;
    for (int f = 0; f < 2; f++) {
      const int a = m->joint[i].spot[f].body, b = m->joint[i].spot[1 - f].body;
      if (a < 0 || b < 0) continue;
      other[at] = b;
      next[at] = first[a];
      first[a] = ++at;
    }
  }
  for (int i = 0; i < n; i++) {
    uint64_t taken = 1; /* the ground's */
    for (int e = first[i]; e; e = next[e - 1])
      if (k->layer[other[e - 1]] < 64) taken |= (uint64_t)(k->layer[other[e - 1]] > 0) << k->layer[other[e - 1]];
    int free = 1;
    while (free < 63 && (taken >> free & 1)) free++;
    k->layer[i] = free;
  }
}

/* ---- the whole ---- */

/* rods from a shape that has the body's inertia to places that are off it */
static void draw_arms(tn_maker *k, const tn_draw *g) {
  const tn_places *at = &k->places[g->body];
  const double reach = 0.55 * size_of(g);
  for (int i = 0; i < at->n && g->figure != TN_POLYLINE && g->radius + g->box[0] > 0; i++) {
    double d[3];
    tn_sub3(at->p[i], g->at, d);
    const double l = tn_norm3(d);
    if (l > reach)
      tn_piece_rod(k, g->body, TN_ROLE_BODY, -1, at->p[i], g->at, fmin(0.5 * tn_width_for(k, l), 0.5 * reach));
  }
}

static int link_solid(tn_maker *k, const tn_spot *end) {
  double p[2][3], d[3];
  for (int i = 0; i < 2; i++) tn_to_world(k, end[i].body, end[i].p, p[i]);
  tn_sub3(p[1], p[0], d);
  const double length = tn_norm3(d), width = 0.4 * k->width;
  if (!isfinite(length)) return -1;
  if (k->m->dimension == 3) return tn_solid_capsule(k, width / 2, length);
  double ends[2][2] = {{-length / 2, 0}, {length / 2, 0}};
  tn_outline_start(&k->outline);
  tn_outline_hull(k, &k->outline, 2, ends, width / 2);
  return tn_solid_prism(k, &k->outline, 0.5 * k->thick, 1);
}

static void add_link(tn_maker *k, const char *name, const tn_spot *end) {
  double height = 0;
  for (int i = 0; i < 2; i++) height = fmax(height, tn_layer_height(k, end[i].body));
  k->d->link[k->d->links++] = (tn_link){name, end, k->flat ? -1 : link_solid(k, end), height + k->thick};
}

static void find_links(tn_maker *k) {
  const tn_model *m = k->m;
  if (!(k->d->link = tn_maker_alloc(k, sizeof *k->d->link * (size_t)(m->rods + m->joints + 1)))) return;
  for (int i = 0; i < m->rods; i++)
    if (m->rod[i].drawn) add_link(k, m->rod[i].name, m->rod[i].end);
  for (int i = 0; i < m->joints; i++)
    if (k->d->sign[i].placed && m->joint[i].type->seat == TN_SEAT_TWO) add_link(k, m->joint[i].name, m->joint[i].spot);
}

static tn_status draw_all(tn_maker *k) {
  const tn_model *m = k->m;
  find_places(k);
  if (!k->failed) find_marks(k);
  if (!k->failed) find_signs(k);
  if (!k->failed) find_sizes(k);
  if (!k->failed) find_layers(k);
  if (k->failed) return TN_OK;
  int g = 0;
  for (; g < m->draws && m->draw[g].body < 0; g++) TN_TRY(tn_draw_given(k, &m->draw[g]));
  tn_draw_joints(k);
  if (!k->failed) tn_draw_gears(k);
  for (int i = 0; i < m->bodies && !k->failed; i++) {
    for (; g < m->draws && m->draw[g].body == i; g++) {
      const tn_draw *d = &m->draw[g];
      if (!d->given && d->figure == TN_POLYLINE) continue; /* a rod: among its places */
      TN_TRY(tn_draw_given(k, d));
      if (!d->given) draw_arms(k, d);
    }
    if (!k->shaped[i] && tn_has_place(m, i)) tn_draw_body(k, i);
  }
  if (!k->failed) find_links(k);
  if (!(k->d->trace = tn_maker_alloc(k, sizeof *k->d->trace * (size_t)(m->traces + 1)))) return TN_OK;
  for (int i = 0; i < m->traces; i++) {
    tn_trace *t = &k->d->trace[k->d->traces++];
    t->name = m->trace[i].name;
    t->body = m->trace[i].spot.body;
    memcpy(t->at, m->trace[i].spot.p, sizeof t->at);
  }
  return TN_OK;
}

/* shapes that are not finite: of places near the largest number there is */
static void drop_beyond(tn_maker *k) {
  int n = 0;
  for (int i = 0; i < k->d->shapes; i++) {
    const tn_shape *s = &k->d->shape[i];
    if (tn_all_finite(2 * s->points, s->point) && tn_all_finite(2, s->center) && tn_all_finite(3, s->at) &&
        tn_all_finite(9, s->A) && isfinite(s->width) && isfinite(s->radius))
      k->d->shape[n++] = *s;
    else
      tn_maker_beyond(k);
  }
  k->d->shapes = n;
}

tn_status tn_drawing_new(const tn_model *m, const tn_picture *picture, tn_drawing **drawing, tn_error *e) {
  tn_error local;
  tn_error_clear(e ? e : &local);
  *drawing = NULL;
  tn_arena arena;
  tn_arena_init(&arena, &m->arena.allocator);
  tn_drawing *d = tn_arena_alloc(&arena, sizeof *d);
  tn_maker *k = tn_arena_alloc(&arena, sizeof *k);
  if (!d || !k) {
    tn_arena_free(&arena);
    return tn_fail(e, TN_E_MEMORY, "out of memory");
  }
  k->model = *m;
  k->context.m = &k->model;
  k->m = m;
  k->d = d;
  k->arena = &arena;
  k->e = e ? e : &local;
  k->flat = picture->flat && m->dimension == 2;
  k->folder = picture->folder;
  k->strict = picture->strict;
  k->travel = picture->travel;
  tn_status status = draw_all(k);
  if (status == TN_OK && !k->failed) drop_beyond(k);
  if (status == TN_OK && k->failed) status = tn_fail(e, TN_E_MEMORY, "out of memory");
  if (status != TN_OK) {
    tn_arena_free(&arena);
    return status;
  }
  d->arena = arena;
  *drawing = d;
  return TN_OK;
}

void tn_remarks_text(const tn_drawing *d, char *text, size_t size) {
  const int more = d->remarks - 1;
  if (more > 0)
    tn_format(text, size, "%s; and %d more remark%s", d->remark[0], more, more > 1 ? "s" : "");
  else
    tn_format(text, size, "%s", d->remarks ? d->remark[0] : "");
}

void tn_drawing_free(tn_drawing *d) {
  if (!d) return;
  tn_arena arena = d->arena; /* the drawing lies in its own arena */
  tn_arena_free(&arena);
}
