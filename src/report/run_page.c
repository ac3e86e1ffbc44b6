/* the page of a run, from a result file. numbers are written in passes over its rows, a section each, so that a result may be larger
 * than the memory. */
#include "report/report.h"

/* a browser has to hold it: of more, every k-th row is shown, and the page says so */
enum { MOST_ROWS = 200000, MOST_NUMBERS = 48000000 };

typedef struct section {
  const char *name;
  bool outputs;    /* of the model; else motion */
  bool wide;       /* in double precision: angles of the plane count turns, outputs may be anything */
  int first, size; /* numbers of a row          */
  double *base;    /* their values at the start */
} section;

enum { POSES, OUTPUTS, JOINTS, ENERGY, EFFORT, SECTIONS };

typedef struct maker {
  tn_page page;
  tn_result *r;
  const tn_model *m;
  const tn_drawing *d;
  section section[SECTIONS];
  int64_t rows, every; /* of the result; one in so many is shown */
  /* a pass */
  const section *now; /* NULL: the time */
  int64_t row;
} maker;

static bool shown(const maker *k, int64_t row) { return row % k->every == 0 || row == k->rows - 1; }

static tn_status one_row(void *user, double t, int n, const double *values) {
  maker *k = user;
  (void)n;
  if (k->row < k->rows && shown(k, k->row)) {
    if (!k->now) tn_page_f64(&k->page, t);
    for (int i = 0; k->now && i < k->now->size; i++) {
      const double x = values[k->now->first + i] - k->now->base[i];
      if (k->now->wide)
        tn_page_f64(&k->page, x);
      else
        tn_page_f32(&k->page, (float)x);
    }
  }
  k->row++;
  return k->page.out.failed ? TN_E_IO : TN_OK;
}

static tn_status pass(maker *k, const section *s, tn_error *e) {
  k->now = s;
  k->row = 0;
  tn_page_bytes(&k->page, s ? s->name : "time");
  const tn_status status = tn_result_pair_each(k->r, !(s && s->outputs), one_row, k, e);
  tn_page_bytes_end(&k->page);
  return status;
}

static tn_status first_row(void *user, double t, int n, const double *values) {
  maker *k = user;
  (void)t;
  for (int i = 0; i < SECTIONS; i++) {
    section *s = &k->section[i];
    if (s->outputs != (k->now != NULL) || s->first + s->size > n) continue;
    for (int j = 0; j < s->size; j++) {
      const double x = values[s->first + j];
      s->base[j] = isfinite(x) ? x : 0;
    }
  }
  return TN_E_STOPPED;
}

/* ---- columns -------------------------------------------------------------------------------------------------------- */

static void column(maker *k, const section *s, int i, const char *part, const char *word, const char *unit) {
  tn_json *j = &k->page.json;
  char name[256];
  tn_format(name, sizeof name, part ? "%s.%s" : "%s%s", part ? part : "", word);
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "name", name);
  tn_json_text(j, "unit", unit);
  tn_json_real(j, "base", s->base[i]);
  tn_json_close(j);
}

static void columns(maker *k) {
  static const char *const poses[2][7] = {{"x", "y", "angle"}, {"x", "y", "z", "e0", "e1", "e2", "e3"}},
                           *const wrenches[2][6] = {{"fx", "fy", "t"}, {"fx", "fy", "fz", "tx", "ty", "tz"}};
  const tn_model *m = k->m;
  const bool plane = m->dimension == 2;
  const int pose = tn_motion_pose(m);
  tn_json *j = &k->page.json;
  tn_json_open(j, "sections", "{");
  for (int q = 0; q < SECTIONS; q++) {
    const section *s = &k->section[q];
    tn_json_open(j, s->name, "{");
    if (s->wide) tn_json_bool(j, "wide", true);
    tn_json_open(j, "columns", "[");
    for (int i = 0; i < s->size; i++) {
      const int body = i / pose, b = i % pose, joint = i / (1 + m->wrench), w = i % (1 + m->wrench);
      switch (q) {
      case POSES:
        column(k, s, i, m->body[body].name, poses[!plane][b], b < m->dimension ? "m" : plane ? "rad" : "1");
        break;
      case OUTPUTS: column(k, s, i, NULL, tn_result_column(k->r, i), tn_result_unit(k->r, i)); break;
      case JOINTS:
        column(k, s, i, m->joint[joint].name, !w ? "violation" : wrenches[!plane][w - 1],
               !w                  ? "1"
               : w <= m->dimension ? "N"
                                   : "N m");
        break;
      case ENERGY: column(k, s, i, "energy", tn_energy_name[i], "J"); break;
      default: column(k, s, i, NULL, tn_effort_name[i], "1"); break;
      }
    }
    tn_json_close(j);
    tn_json_close(j);
  }
  tn_json_close(j);
}

/* ---- what is drawn -------------------------------------------------------------------------------------------------- */

static void shape(maker *k, const tn_shape *s) {
  tn_json *j = &k->page.json;
  char color[16];
  tn_json_open(j, NULL, "{-");
  if (k->m->dimension == 2) {
    tn_json_text(j, "kind", s->kind == TN_FILL ? "fill" : s->kind == TN_STROKE ? "stroke" : "disc");
    if (s->kind == TN_DISC) {
      tn_json_reals(j, "center", 2, s->center);
      tn_json_real(j, "radius", s->radius);
    } else {
      const int outline = s->kind == TN_FILL && s->loops ? s->loop[0] : s->points;
      tn_json_reals(j, "points", 2 * outline, s->point);
      if (s->kind == TN_FILL && s->loops > 1) {
        tn_json_open(j, "holes", "[");
        for (int i = 1; i < s->loops; i++)
          tn_json_reals(j, NULL, 2 * (s->loop[i] - s->loop[i - 1]), s->point + 2 * s->loop[i - 1]);
        tn_json_close(j);
      }
      if (s->kind == TN_STROKE) {
        tn_json_bool(j, "closed", s->closed);
        tn_json_real(j, "width", s->width);
      }
    }
  } else {
    double at[7];
    memcpy(at, s->at, sizeof s->at);
    tn_rotation_quaternion(s->A, at + 3);
    tn_json_whole(j, "mesh", s->mesh);
    tn_json_reals(j, "at", 7, at);
  }
  if (s->color >= 0) {
    tn_format(color, sizeof color, "#%06x", (unsigned)s->color & 0xffffffu);
    tn_json_text(j, "color", color);
  }
  tn_json_text(j, "role", tn_role_name[s->role]);
  tn_json_close(j);
}

/* shapes in the order of bodies: where those of each begin is counted first, for there may be very many */
static tn_status shapes(maker *k, tn_error *e) {
  const tn_drawing *d = k->d;
  const tn_model *m = k->m;
  const tn_allocator *a = tn_result_allocator(k->r);
  tn_json *j = &k->page.json;
  int *begin = a->allocate(a->user, sizeof *begin * ((size_t)m->bodies + 3 + (size_t)d->shapes)), *order;
  if (!begin) return tn_fail(e, TN_E_MEMORY, "out of memory for the page");
  memset(begin, 0, sizeof *begin * ((size_t)m->bodies + 3));
  order = begin + m->bodies + 3;
  for (int i = 0; i < d->shapes; i++) begin[d->shape[i].body + 3]++;
  for (int i = 1; i < m->bodies + 3; i++) begin[i] += begin[i - 1];
  for (int i = 0; i < d->shapes; i++) order[begin[d->shape[i].body + 2]++] = i;
  /* begin[b + 1] is now where those of body b begin */
  tn_json_open(j, "ground", "[");
  for (int i = 0; i < begin[1]; i++) shape(k, &d->shape[order[i]]);
  tn_json_close(j);
  tn_json_open(j, "bodies", "[");
  for (int b = 0; b < m->bodies; b++) {
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "name", m->body[b].name);
    tn_json_open(j, "shapes", "[");
    for (int i = begin[b + 1]; i < begin[b + 2]; i++) shape(k, &d->shape[order[i]]);
    tn_json_close(j);
    tn_json_close(j);
  }
  tn_json_close(j);
  a->release(a->user, begin);
  return TN_OK;
}

static void ends(tn_json *j, const tn_model *m, bool placed, const tn_spot *spot) {
  tn_json_open(j, "bodies", "[-");
  for (int i = 0; i < 2; i++) tn_json_whole(j, NULL, placed ? spot[i].body : TN_GROUND);
  tn_json_close(j);
  tn_json_open(j, "at", "[-");
  for (int i = 0; placed && i < 2; i++) tn_json_reals(j, NULL, m->dimension, spot[i].p);
  tn_json_close(j);
}

static void link(tn_json *j, const tn_model *m, const char *name, const char *type, const tn_spot *spot) {
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "name", name);
  tn_json_text(j, "type", type);
  ends(j, m, true, spot);
  tn_json_close(j);
}

static void joints(maker *k) {
  const tn_model *m = k->m;
  tn_json *j = &k->page.json;
  tn_json_open(j, "joints", "[");
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *joint = &m->joint[i];
    const tn_sign *sign = &k->d->sign[i];
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "name", joint->name);
    tn_json_text(j, "type", joint->type->name);
    tn_json_text(j, "symbol", tn_symbol_name[sign->symbol]);
    ends(j, m, sign->placed, joint->spot);
    tn_json_reals(j, "axis", sign->has_axis ? m->dimension : 0, sign->axis);
    tn_json_whole(j, "rows", joint->rows);
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_open(j, "links", "[");
  for (int i = 0; i < m->forces; i++)
    if (m->force[i].how == TN_BETWEEN && m->force[i].frames >= 2)
      link(j, m, m->force[i].name, m->force[i].type->name, m->force[i].spot);
  for (int i = 0; i < k->d->links; i++) link(j, m, k->d->link[i].name, "rod", k->d->link[i].end);
  tn_json_close(j);
  tn_json_open(j, "traces", "[");
  for (int i = 0; i < k->d->traces; i++) {
    const tn_trace *t = &k->d->trace[i];
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "name", t->name);
    tn_json_whole(j, "body", t->body);
    tn_json_reals(j, "at", m->dimension, t->at);
    tn_json_close(j);
  }
  tn_json_close(j);
}

static void solids(maker *k) {
  tn_json *j = &k->page.json;
  int64_t at = 0;
  tn_json_open(j, "meshes", "[");
  for (int i = 0; i < k->d->solids; i++) {
    const tn_solid *s = &k->d->solid[i];
    tn_json_open(j, NULL, "{-");
    tn_json_whole(j, "vertices", s->vertices);
    tn_json_whole(j, "triangles", s->triangles);
    tn_json_whole(j, "position", at);
    tn_json_whole(j, "normal", at += 12 * s->vertices);
    tn_json_whole(j, "index", at += 12 * s->vertices);
    at += 12 * s->triangles;
    tn_json_close(j);
  }
  tn_json_close(j);
}

static void solid_bytes(maker *k) {
  tn_page *p = &k->page;
  tn_page_bytes(p, "meshes");
  for (int i = 0; i < k->d->solids; i++) {
    const tn_solid *s = &k->d->solid[i];
    for (int v = 0; v < 3 * s->vertices; v++) tn_page_f32(p, s->position[v]);
    for (int v = 0; v < 3 * s->vertices; v++) tn_page_f32(p, s->normal[v]);
    for (int v = 0; v < 3 * s->triangles; v++) tn_page_u32(p, s->index[v]);
  }
  tn_page_bytes_end(p);
}

/* ---- words ---------------------------------------------------------------------------------------------------------- */

static void words(maker *k) {
  const tn_model *m = k->m;
  tn_json *j = &k->page.json;
  /* the text of the model has in it what the command line changed: under the name that the page offers it by */
  char name[1200], command[1400];
  const char *slash = strrchr(tn_result_name(k->r), '/'), *base = slash ? slash + 1 : tn_result_name(k->r);
  const bool file = *base && strcmp(base, "<stdin>") != 0;
  tn_shell_word(name, sizeof name, file ? base : "model.json");
  tn_format(command, sizeof command, "tenon run %s", name);
  tn_json_text(j, "kind", "run");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "name", tn_result_name(k->r));
  tn_json_text(j, "title", tn_result_title(k->r));
  tn_json_whole(j, "dimension", m->dimension);
  tn_json_text(j, "command", command);
  tn_json_text(j, "model", tn_result_model(k->r));
  tn_json_text(j, "summary", tn_result_summary(k->r) ? tn_result_summary(k->r) : "");
  tn_json_open(j, "contract", "{-");
  tn_json_real(j, "position", m->run.contract_position);
  tn_json_real(j, "velocity", m->run.contract_velocity);
  tn_json_close(j);
  tn_json_reals(j, "gravity", m->dimension, m->gravity);
  tn_json_real(j, "length", m->length);
  int64_t rows = 0;
  for (int64_t i = 0; i < k->rows; i++) rows += shown(k, i);
  tn_json_whole(j, "rows", rows);
  tn_json_whole(j, "constraints", m->rows); /* with nonholonomic ones and those of bodies on their own coordinates */
  tn_json_whole(j, "every", k->every);
  tn_json_open(j, "missing", "[");
  for (int i = 0; tn_result_missing(k->r, i, command, sizeof command); i++) tn_json_text(j, NULL, command);
  tn_json_close(j);
  tn_json_open(j, "remarks", "[");
  for (int i = 0; i < k->d->remarks; i++) tn_json_text(j, NULL, k->d->remark[i]);
  tn_json_close(j);
}

/* those of the summary, which came with the file and may be anything */
static tn_status events(maker *k) {
  const char *text = tn_result_summary(k->r);
  tn_json *j = &k->page.json;
  tn_arena arena;
  tn_node *root = NULL;
  tn_error why;
  tn_arena_init(&arena, tn_result_allocator(k->r));
  tn_json_open(j, "events", "[");
  if (text && tn_json_parse(&arena, "summary", text, strlen(text), &root, &why) == TN_OK) {
    const tn_node *list = root->kind == TN_NODE_OBJECT ? tn_node_get(root, "events") : NULL;
    for (const tn_node *n = list && list->kind == TN_NODE_LIST ? list->first : NULL; n; n = n->next) {
      const tn_node *t = n->kind == TN_NODE_OBJECT ? tn_node_get(n, "t") : NULL,
                    *kind = t ? tn_node_get(n, "kind") : NULL, *what = t ? tn_node_get(n, "text") : NULL;
      if (!t || t->kind != TN_NODE_NUMBER || !kind || kind->kind != TN_NODE_TEXT || !what || what->kind != TN_NODE_TEXT)
        continue;
      tn_json_open(j, NULL, "{-");
      tn_json_real(j, "t", t->number);
      tn_json_text(j, "kind", kind->text);
      tn_json_text(j, "text", what->text);
      tn_json_close(j);
    }
  }
  tn_json_close(j);
  tn_arena_free(&arena);
  return TN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

static tn_status plan(maker *k, tn_error *e) {
  const tn_model *m = k->m;
  const tn_allocator *a = tn_result_allocator(k->r);
  const int pose = tn_motion_pose(m) * m->bodies, joint = (1 + m->wrench) * m->joints;
  k->rows = tn_result_pairs(k->r);
  if (!k->rows) return tn_fail(e, TN_E_USAGE, "the result has no rows to show");
  k->section[POSES] = (section){"poses", false, m->dimension == 2, 0, pose, NULL};
  k->section[OUTPUTS] = (section){"outputs", true, true, 0, tn_result_columns(k->r), NULL};
  k->section[JOINTS] = (section){"joints", false, false, pose, joint, NULL};
  k->section[ENERGY] = (section){"energy", false, false, pose + joint, TN_ENERGIES, NULL};
  k->section[EFFORT] = (section){"effort", false, false, pose + joint + TN_ENERGIES, TN_EFFORTS, NULL};
  const double numbers = (double)k->rows * (tn_motion_size(m) + tn_result_columns(k->r));
  k->every = (int64_t)ceil(fmax((double)k->rows / MOST_ROWS, numbers / MOST_NUMBERS));
  size_t all = 0;
  for (int i = 0; i < SECTIONS; i++) all += (size_t)k->section[i].size;
  double *base = a->allocate(a->user, sizeof *base * (all + 1));
  if (!base) return tn_fail(e, TN_E_MEMORY, "out of memory for the page");
  memset(base, 0, sizeof *base * (all + 1));
  for (int i = 0; i < SECTIONS; i++) k->section[i].base = i ? k->section[i - 1].base + k->section[i - 1].size : base;
  for (int outputs = 0; outputs < 2; outputs++) {
    tn_error stopped; /* after one row, as asked */
    k->now = outputs ? &k->section[OUTPUTS] : NULL;
    const tn_status status = tn_result_pair_each(k->r, !outputs, first_row, k, &stopped);
    if (status != TN_E_STOPPED) return tn_fail(e, status, "%s", stopped.message);
  }
  return TN_OK;
}

static tn_status write_page(maker *k, tn_write write, void *user, tn_error *e) {
  const char *title = *tn_result_title(k->r) ? tn_result_title(k->r) : tn_result_name(k->r);
  tn_status status =
      tn_page_begin(&k->page, write, user, k->m->dimension == 2 ? "plane" : "space", tn_result_name(k->r), title, e);
  if (status != TN_OK) return status;
  tn_json *j = tn_page_data(&k->page);
  tn_json_open(j, NULL, "{");
  words(k);
  columns(k);
  status = shapes(k, e);
  joints(k);
  solids(k);
  if (status == TN_OK) status = events(k);
  tn_json_close(j);
  tn_page_data_end(&k->page);
  if (status == TN_OK) status = pass(k, NULL, e);
  for (int i = 0; i < SECTIONS && status == TN_OK; i++) status = pass(k, &k->section[i], e);
  if (status != TN_OK) return status;
  if (k->m->dimension == 3) solid_bytes(k);
  return tn_page_end(&k->page, e);
}

tn_status tn_result_page(tn_result *r, tn_write write, void *user, tn_error *e) {
  TN_NEED(e, r, "result");
  TN_NEED(e, write, "write");
  maker k = {.r = r};
  tn_model *m = NULL;
  tn_drawing *d = NULL;
  tn_error local;
  if (!e) e = &local;
  tn_error_clear(e);
  tn_status status = tn_result_drawing(r, true, &m, &d, e);
  k.m = m;
  k.d = d;
  if (status == TN_OK) status = plan(&k, e);
  if (status == TN_OK) status = write_page(&k, write, user, e);
  if (status == TN_OK && d->remarks) /* told, though all is well */
    tn_remarks_text(d, e->message, sizeof e->message);
  if (k.section[0].base) tn_result_allocator(r)->release(tn_result_allocator(r)->user, k.section[0].base);
  tn_drawing_free(d);
  tn_model_free(m);
  return status;
}
