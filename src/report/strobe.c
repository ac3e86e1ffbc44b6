/* a model in the plane in several poses, over one another: its shapes where the bodies are in the first row, or at the end of the first
 * step, that reaches a time that is asked for. */
#include "report/report.h"

enum { ROUND = 20, MOST_PLACES = 1 << 20 };
static const double SAME_POSE = 1e-4; /* of the length of the model: nobody sees that a pose is another one */

void tn_strobe_free(tn_strobe *k) {
  for (int i = 0; i < 2; i++) tn_block_free(k->allocator, k->p[i]);
  tn_block_free(k->allocator, k->seen);
  tn_drawing_free(k->drawing);
  *k = (tn_strobe){.allocator = k->allocator};
}

static void fail(tn_strobe *k, const char *why) {
  k->failed = true;
  tn_format(k->why, sizeof k->why, "%.150s", why);
}

static void add(tn_strobe *k, int kind, double x, double y) {
  if (k->n[kind] == k->room[kind]) {
    const size_t room = k->room[kind] ? 2 * k->room[kind] : 256;
    double(*more)[2] = room > MOST_PLACES ? NULL : tn_block_new(k->allocator, sizeof *more * room);
    if (!more) {
      fail(k, "the poses have too many places");
      return;
    }
    if (k->n[kind]) memcpy(more, k->p[kind], sizeof *more * k->n[kind]);
    tn_block_free(k->allocator, k->p[kind]);
    k->p[kind] = more;
    k->room[kind] = room;
  }
  k->p[kind][k->n[kind]][0] = x;
  k->p[kind][k->n[kind]++][1] = y;
}

static void end(tn_strobe *k, int kind) { add(k, kind, NAN, NAN); }

/* of a body, or the ground; row: x, y, angle of each body, as in a motion */
static void place(const double *row, int body, const double p[2], double to[2]) {
  memcpy(to, p, 2 * sizeof *to);
  if (body < 0) return;
  const double *at = row + 3 * body, c = cos(at[2]), s = sin(at[2]);
  to[0] = at[0] + c * p[0] - s * p[1];
  to[1] = at[1] + s * p[0] + c * p[1];
}

static void disc(tn_strobe *k, const double *row, const tn_shape *a) {
  double to[2];
  place(row, a->body, a->center, to);
  for (int i = 0; i < ROUND; i++) {
    const double angle = 2 * acos(-1) * i / ROUND;
    add(k, 1, to[0] + a->radius * cos(angle), to[1] + a->radius * sin(angle));
  }
  end(k, 1);
}

static void shape(tn_strobe *k, const double *row, const tn_shape *a) {
  const int kind = a->kind == TN_FILL;
  double to[2];
  if (a->kind == TN_DISC) {
    disc(k, row, a);
    return;
  }
  for (int i = 0, loop = 0, first = 0; i < a->points; i++) {
    place(row, a->body, a->point + 2 * i, to);
    add(k, kind, to[0], to[1]);
    const bool last = i == a->points - 1 || (kind && loop < a->loops && i == a->loop[loop] - 1);
    if (!last) continue;
    if (!kind && a->closed) {
      place(row, a->body, a->point + 2 * first, to);
      add(k, kind, to[0], to[1]);
    }
    end(k, kind);
    loop++;
    first = i + 1;
  }
}

static void rods(tn_strobe *k, const double *row) {
  for (int i = 0; i < k->drawing->links; i++) {
    for (int end_of = 0; end_of < 2; end_of++) {
      const tn_spot *spot = &k->drawing->link[i].end[end_of];
      double to[2];
      place(row, spot->body, spot->p, to);
      add(k, 0, to[0], to[1]);
    }
    end(k, 0);
  }
}

/* the pose is new; it is kept */
static bool is_new(tn_strobe *k, const tn_model *m, const double *row) {
  const int n = 4 * m->bodies, drawn = k->poses - k->earlier;
  if (!k->seen) k->seen = tn_block_new(k->allocator, sizeof *k->seen * ((size_t)n * TN_MOST_POSES + 1));
  if (!k->seen) {
    fail(k, "out of memory for the poses");
    return false;
  }
  double *here = k->seen + (size_t)n * (size_t)drawn;
  for (int i = 0; i < m->bodies; i++) {
    const double *at = row + 3 * i, pose[] = {at[0], at[1], m->length * cos(at[2]), m->length * sin(at[2])};
    memcpy(here + 4 * i, pose, sizeof pose);
  }
  for (int i = 0; i < drawn; i++) {
    double most = 0;
    for (int l = 0; l < n; l++) most = fmax(most, fabs(here[l] - k->seen[(size_t)n * (size_t)i + (size_t)l]));
    if (most <= SAME_POSE * m->length) return false;
  }
  return true;
}

bool tn_strobe_due(const tn_strobe *k, double t) {
  const double due = k->from + k->next * k->by, near = TN_SAME_TIME * fmax(1, fabs(due));
  return !k->failed && due <= k->to + near && t >= due - near && k->poses < TN_MOST_POSES;
}

void tn_strobe_row(tn_strobe *k, const tn_model *m, double t, const double *row) {
  if (!tn_strobe_due(k, t)) return;
  if (m->dimension != 2) {
    fail(k, "poses are drawn of models in the plane");
    return;
  }
  const tn_picture picture = {.flat = true};
  tn_error e;
  if (!k->drawing && tn_drawing_new(m, &picture, &k->drawing, &e) != TN_OK) {
    fail(k, e.message);
    return;
  }
  if (!tn_all_finite(3 * m->bodies, row)) return;
  const bool draw = is_new(k, m, row);
  for (int i = 0; i < k->drawing->shapes && draw; i++)
    if (k->drawing->shape[i].body >= 0 || !k->poses) shape(k, row, &k->drawing->shape[i]);
  if (draw) rods(k, row);
  k->earlier += !draw;
  k->poses++;
  k->next = floor((t - k->from) / k->by + TN_WHOLE) + 1; /* one pose for all times that this row has passed */
}

void tn_strobe_remark(const tn_strobe *k, char *text, size_t size) {
  tn_format(text, size, "%d poses, of which %d lie on earlier ones to within a ten-thousandth of the model's length.",
            k->poses, k->earlier);
}

int tn_strobe_layers(const tn_strobe *k, const tn_layer *style, const double unit[2], tn_arena *arena, tn_layer *out) {
  static const tn_layer_kind kinds[2] = {TN_LAYER_CURVE, TN_LAYER_SHAPES};
  int n = 0;
  for (int i = 1; i >= 0; i--) {
    if (!k->n[i]) continue;
    tn_layer *l = &out[n];
    *l = *style;
    l->kind = kinds[i];
    if (kinds[i] == TN_LAYER_SHAPES) l->fill = TN_NO_COLOR, l->width = 0.6 * style->width;
    if (n) l->label = "";
    if (!(l->p = tn_arena_alloc(arena, sizeof *l->p * k->n[i]))) return -1;
    l->n = (int)k->n[i];
    for (int p = 0; p < l->n; p++) l->p[p][0] = k->p[i][p][0] / unit[0], l->p[p][1] = k->p[i][p][1] / unit[1];
    n++;
  }
  return n;
}

/* ---- of a result ------------------------------------------------------------------------------------------------------------- */

typedef struct viewer {
  tn_strobe *strobe;
  const tn_model *m;
  double first, last;
} viewer;

static tn_status find_span(void *user, double t, int n, const double *row) {
  viewer *v = user;
  (void)n, (void)row;
  v->first = fmin(v->first, t);
  v->last = fmax(v->last, t);
  return TN_OK;
}

static tn_status see_row(void *user, double t, int n, const double *row) {
  const viewer *v = user;
  (void)n;
  tn_strobe_row(v->strobe, v->m, t, row);
  return TN_OK;
}

static tn_status gather(tn_result *r, const tn_poses *poses, viewer *v, tn_error *e) {
  tn_strobe *k = v->strobe;
  *k = (tn_strobe){.allocator = tn_result_allocator(r), .from = poses->from, .to = poses->to, .by = poses->by};
  if (v->m->dimension != 2) return tn_fail(e, TN_E_USAGE, "poses are drawn of models in the plane");
  TN_TRY(tn_result_motion_each(r, find_span, v, e));
  if (isnan(k->from)) k->from = v->first;
  if (isnan(k->to)) k->to = v->last;
  if (!(k->by > 0) || !(k->from <= k->to) || !((k->to - k->from) / k->by < TN_MOST_POSES))
    return tn_fail(e, TN_E_USAGE, "poses from %g to %g s, each %g s, are not 1 to %d", k->from, k->to, k->by,
                   TN_MOST_POSES);
  TN_TRY(tn_result_motion_each(r, see_row, v, e));
  if (k->failed) return tn_fail(e, TN_E_MEMORY, "%s", k->why);
  return k->poses ? TN_OK : tn_fail(e, TN_E_USAGE, "no row is at %g s or behind it", k->from);
}

static tn_status picture_of(tn_result *r, const tn_strobe *k, bool png, tn_write write, void *user, tn_error *e) {
  static const double unit[2] = {1, 1};
  char title[512], remark[160];
  tn_layer layer[2];
  tn_arena arena;
  const tn_layer style = {.label = "", .color = tn_colors[0], .fill = TN_NO_COLOR, .width = 1.2, .opacity = 1};
  const char *name = *tn_result_title(r) ? tn_result_title(r) : tn_result_name(r), *note = remark;
  tn_format(title, sizeof title, "%.300s: poses from %.6g to %.6g s, each %.6g s", name, k->from, k->to, k->by);
  tn_strobe_remark(k, remark, sizeof remark);
  tn_arena_init(&arena, tn_result_allocator(r));
  const int layers = tn_strobe_layers(k, &style, unit, &arena, layer);
  tn_panel panel = {.title = "",
                    .x = {"x, m", NAN, NAN, false},
                    .y = {"y, m", NAN, NAN, false},
                    .equal = true,
                    .layer = layer,
                    .layers = layers};
  const tn_graph graph = {
      .title = title, .notes = k->earlier > 0, .note = &note, .panels = 1, .columns = 1, .panel = &panel};
  tn_status status = layers < 0 ? tn_fail(e, TN_E_MEMORY, "out of memory") : TN_OK;
  if (status == TN_OK) status = png ? tn_graph_png(&graph, write, user, e) : tn_graph_svg(&graph, write, user, e);
  tn_arena_free(&arena);
  return status;
}

tn_status tn_result_poses(tn_result *r, const tn_poses *poses, bool png, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, r, "result");
  TN_NEED(error, poses, "poses");
  TN_NEED(error, write, "write");
  tn_error spare, *e = error ? error : &spare;
  tn_model *model;
  tn_drawing *drawing;
  tn_strobe strobe;
  tn_error_clear(e);
  tn_status status = tn_result_drawing(r, true, &model, &drawing, e);
  if (status == TN_OK) {
    viewer v = {&strobe, model, INFINITY, -INFINITY};
    status = gather(r, poses, &v, e);
    if (status == TN_OK) status = picture_of(r, &strobe, png, write, user, e);
    tn_strobe_free(&strobe);
  }
  tn_drawing_free(drawing);
  tn_model_free(model);
  return status;
}
