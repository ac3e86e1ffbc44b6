/* curves of a figure that need no measure: regions of stability, controllers, poses. */
#include "study/study.h"

static tn_layer *layer(tn_study *s, const tn_curve_plan *c, tn_panel *panel, tn_layer_kind kind, size_t n) {
  tn_layer *l = &panel->layer[panel->layers];
  *l = c->style;
  l->kind = kind;
  l->p = tn_arena_alloc(&s->arena, sizeof *l->p * (n + 1));
  panel->layers += l->p != NULL;
  return l->p ? l : NULL;
}

static void put(tn_layer *l, double x, double y) {
  l->p[l->n][0] = x;
  l->p[l->n++][1] = y;
}

/* ---- regions of stability ---------------------------------------------------------------------------------------------------------- */

enum { WIDE = TN_REGION_COLUMNS, HIGH = 2 * TN_REGION_ROWS };

static bool inside(const tn_region *r, int i, int j) {
  if (i < 0 || i >= WIDE || j < 0 || j >= HIGH) return false;
  return r->stable[i][j < TN_REGION_ROWS ? TN_REGION_ROWS - 1 - j : j - TN_REGION_ROWS];
}

/* whether the edge from corner (i, j) towards 0 east, 1 north, 2 west, 3 south has stable cells on its left side alone */
static bool is_edge(const tn_region *r, int i, int j, int way) {
  static const int left[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}},
                   right[4][2] = {{0, -1}, {0, 0}, {-1, 0}, {-1, -1}};
  return inside(r, i + left[way][0], j + left[way][1]) && !inside(r, i + right[way][0], j + right[way][1]);
}

/* once around; points are the middles of edges, which makes corners of cells smooth */
static void follow(const tn_region *r, int i, int j, bool (*seen)[HIGH + 1], tn_layer *l) {
  static const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
  const double wide = (r->right - r->left) / WIDE, high = r->top / TN_REGION_ROWS;
  int way = 0;
  do {
    if (way == 0) seen[i][j] = true;
    put(l, r->left + (i + 0.5 * dx[way]) * wide, (j + 0.5 * dy[way] - TN_REGION_ROWS) * high);
    i += dx[way];
    j += dy[way];
    way = (way + 3) % 4; /* right, straight on, left: diagonal cells are apart */
    for (int k = 0; k < 3 && !is_edge(r, i, j, way); k++) way = (way + 1) % 4;
  } while (way != 0 || !seen[i][j]);
  put(l, l->p[l->n - 1][0], NAN);
  l->p[l->n - 1][0] = NAN;
}

static tn_status outline(tn_study *s, const tn_curve_plan *c, const tn_region *r, tn_panel *panel, tn_error *e) {
  bool(*seen)[HIGH + 1] = tn_block_new(&s->arena.allocator, sizeof *seen * (WIDE + 1));
  size_t edges = 0;
  for (int i = 0; i <= WIDE; i++)
    for (int j = 0; j <= HIGH; j++)
      for (int way = 0; way < 4; way++) edges += is_edge(r, i, j, way);
  tn_layer *l = layer(s, c, panel, TN_LAYER_SHAPES, 2 * edges + 2);
  if (l) l->fill = TN_NO_COLOR;
  for (int i = 0; seen && l && i <= WIDE; i++)
    for (int j = 0; j <= HIGH; j++)
      if (is_edge(r, i, j, 0) && !seen[i][j]) follow(r, i, j, seen, l);
  tn_block_free(&s->arena.allocator, seen);
  return seen && l ? TN_OK : tn_out_of_memory(e);
}

static tn_status region(tn_study *s, const tn_curve_plan *c, const char *name, tn_panel *panel, tn_error *e) {
  tn_region *r = tn_block_new(&s->arena.allocator, sizeof *r);
  if (!r) return tn_out_of_memory(e);
  tn_status status = tn_placed(tn_stability_region(name, r, e), tn_node_get(c->node, "region"), e);
  if (status == TN_OK) status = outline(s, c, r, panel, e);
  tn_block_free(&s->arena.allocator, r);
  return status;
}

/* ---- controllers --------------------------------------------------------------------------------------------------------------------- */

/* five sets have the names of the paper, others their number from the middle on */
static const char *set_name(tn_study *s, int n, int k) {
  static const char *const names[] = {"negative big", "negative small", "zero", "positive small", "positive big"};
  enum { NAMED = sizeof names / sizeof *names };
  char number[32];
  if (n == NAMED) return names[k];
  tn_format(number, sizeof number, "set %+d", k - n / 2);
  return tn_arena_text(&s->arena, number, strlen(number));
}

static tn_status sets(tn_study *s, const tn_curve_plan *c, const tn_controller *f, tn_panel *panel, tn_error *e) {
  enum { POINTS = 400 };
  _Static_assert((int)TN_CONTROLLER_MOST <= (int)TN_CURVE_LAYERS, "a curve for each set");
  for (int k = 0; k < f->x.n; k++) {
    tn_layer *l = layer(s, c, panel, TN_LAYER_CURVE, POINTS + 1);
    if (!l || !(l->label = set_name(s, f->x.n, k))) return tn_out_of_memory(e);
    l->color = tn_colors[k % TN_COLORS];
    for (int i = 0; i <= POINTS; i++) {
      const double x = -1 + 2.0 * i / POINTS;
      put(l, x, tn_fuzzy_member(&f->x.set[k], x));
    }
  }
  return TN_OK;
}

static tn_status singletons(tn_study *s, const tn_curve_plan *c, const tn_controller *f, tn_panel *panel, tn_error *e) {
  tn_layer *l = layer(s, c, panel, TN_LAYER_STEMS, (size_t)f->x.n * (size_t)f->y.n);
  if (!l) return tn_out_of_memory(e);
  for (int j = 0; j < f->x.n; j++)
    for (int k = 0; k < f->y.n; k++) {
      const double z = f->table[j][k];
      bool there = false;
      for (int i = 0; i < l->n; i++) there = there || l->p[i][0] == z;
      if (!there) put(l, z, 1);
    }
  return TN_OK;
}

/* seen from before and above, as far as (x, y, z) -> (u, v) */
static void project(double x, double y, double z, double *u, double *v) {
  static const double azimuth = -37.5 / 57.29577951308232, elevation = 30 / 57.29577951308232;
  *u = cos(azimuth) * x + sin(azimuth) * y;
  *v = -sin(elevation) * sin(azimuth) * x + sin(elevation) * cos(azimuth) * y + cos(elevation) * z;
}

static void put3(tn_layer *l, double x, double y, double z) {
  double u, v;
  project(x, y, z, &u, &v);
  put(l, u, v);
}

/* from blue through white to red */
static int tint(double z) {
  const double a = fmin(fabs(z), 1),
               fade[3] = {z < 0 ? 1 - 0.85 * a : 1 - 0.1 * a, 1 - 0.65 * a, z < 0 ? 1 - 0.1 * a : 1 - 0.8 * a};
  return (int)(255 * fade[0]) << 16 | (int)(255 * fade[1]) << 8 | (int)(255 * fade[2]);
}

static tn_status patches(tn_study *s, const tn_curve_plan *c, const tn_controller *f, tn_panel *panel) {
  enum { N = 24 };
  tn_layer *l = layer(s, c, panel, TN_LAYER_SHAPES, (size_t)5 * N * N);
  int *tints = tn_arena_alloc(&s->arena, sizeof *tints * (size_t)(N * N));
  if (!l || !tints) return TN_E_MEMORY;
  l->color = 0x333333;
  l->width = 0.5;
  l->tint = tints;
  for (int i = N - 1; i >= 0; i--) /* from behind */
    for (int j = N - 1; j >= 0; j--) {
      static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
      double middle = 0;
      for (int k = 0; k < 4; k++) {
        const double x = -1 + 2.0 * (i + corner[k][0]) / N, y = -1 + 2.0 * (j + corner[k][1]) / N;
        const double z = tn_controller_surface(f, x, y);
        put3(l, x, y, z);
        middle += z / 4;
      }
      put(l, NAN, NAN);
      *tints++ = tint(middle);
    }
  return TN_OK;
}

static tn_status say(tn_study *s, const tn_curve_plan *c, tn_panel *panel, const char *words, const double at[3]) {
  tn_layer *l = layer(s, c, panel, TN_LAYER_WORDS, 1);
  if (!l) return TN_E_MEMORY;
  l->label = words;
  put3(l, at[0], at[1], at[2]);
  return TN_OK;
}

/* the walls behind it, and what is on the axes */
static tn_status box(tn_study *s, const tn_curve_plan *c, tn_panel *panel) {
  static const double walls[][3] = {{-1, 1, 1},  {-1, 1, -1}, {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},
                                    {-1, 1, -1}, {NAN, 0, 0}, {-1, 1, 1},   {1, 1, 1},   {1, -1, 1},
                                    {1, -1, -1}, {NAN, 0, 0}, {1, 1, 1},    {1, 1, -1}};
  static const double ends[3] = {-1, 0, 1};
  static const char *const digits[3] = {"-1", "0", "1"};
  tn_layer *l = layer(s, c, panel, TN_LAYER_CURVE, sizeof walls / sizeof *walls);
  if (!l) return TN_E_MEMORY;
  l->color = 0x999999;
  l->width = 1;
  l->label = "";
  for (size_t i = 0; i < sizeof walls / sizeof *walls; i++) put3(l, walls[i][0], walls[i][1], walls[i][2]);
  for (int k = 0; k < 3; k++) {
    const double x[] = {ends[k], -1.2, -1.06}, y[] = {-1.2, ends[k], -1.12}, z[] = {-1.1, 1.1, ends[k]};
    TN_TRY(say(s, c, panel, digits[k], x));
    TN_TRY(say(s, c, panel, digits[k], y));
    TN_TRY(say(s, c, panel, digits[k], z));
  }
  TN_TRY(say(s, c, panel, panel->x.label, (const double[3]){0.2, -1.45, -1.1}));
  TN_TRY(say(s, c, panel, panel->y.label, (const double[3]){-1.45, 0.1, -1.1}));
  return say(s, c, panel, c->style.label, (const double[3]){-1.25, 1.25, 0.1});
}

static tn_status surface(tn_study *s, const tn_curve_plan *c, const tn_controller *f, tn_panel *panel, tn_error *e) {
  tn_status status = box(s, c, panel);
  if (status == TN_OK) status = patches(s, c, f, panel);
  if (status == TN_OK) panel->layer[panel->layers - 1].label = "";
  return status == TN_OK ? TN_OK : tn_out_of_memory(e);
}

/* ---- poses ------------------------------------------------------------------------------------------------------------------------------ */

static tn_status poses(tn_study *s, const tn_curve_plan *c, tn_panel *panel, tn_error *e) {
  const int n = tn_strobe_layers(c->strobe, &c->style, c->unit, &s->arena, panel->layer + panel->layers);
  if (n < 0) return tn_out_of_memory(e);
  panel->layers += n;
  return TN_OK;
}

tn_status tn_curve_layers(tn_study *s, const tn_curve_plan *c, tn_panel *panel, tn_error *e) {
  typedef tn_status (*drawer)(tn_study *, const tn_curve_plan *, const tn_controller *, tn_panel *, tn_error *);
  static const drawer drawers[TN_CURVES] = {
      [TN_CURVE_SETS] = sets, [TN_CURVE_SINGLETONS] = singletons, [TN_CURVE_SURFACE] = surface};
  static const char *const keys[TN_CURVES] = {[TN_CURVE_REGION] = "region",
                                              [TN_CURVE_SETS] = "sets",
                                              [TN_CURVE_SINGLETONS] = "singletons",
                                              [TN_CURVE_SURFACE] = "surface"};
  tn_controller f;
  if (c->kind == TN_CURVE_POSES) return poses(s, c, panel, e);
  const tn_node *part = tn_node_get(c->node, keys[c->kind]);
  if (c->kind == TN_CURVE_REGION) return region(s, c, part->text, panel, e);
  TN_TRY(tn_placed(tn_surface_controller(part->text, &f, e), part, e));
  return drawers[c->kind](s, c, &f, panel, e);
}
