/* figures of a study: before the runs, what they need; after them, their graphs. */
#include "study/study.h"

int tn_study_figures(const tn_study *s) { return s ? s->figures : 0; }
const tn_study_figure *tn_study_figure_at(const tn_study *s, int i) {
  return s && i >= 0 && i < s->figures ? &s->figure[i].figure : NULL;
}

/* ---- before the runs ---------------------------------------------------------------------------------------------------------- */

static void keep_all(tn_study *s, int i, bool paired) {
  tn_finding *m = &s->measure[i];
  m->needed = true;
  if (m->against >= 0) s->reference[m->against].needed = true;
  if (m->kind != TN_MEASURE_RUN) return;
  m->track.allocator = &s->arena.allocator;
  m->track.paired = m->track.paired || paired;
  m->meter.track = &m->track;
}

static tn_status begin(tn_study *s, tn_curve_plan *c, tn_error *e) {
  if (c->y >= 0) keep_all(s, c->y, c->x >= 0);
  if (c->x >= 0) keep_all(s, c->x, true);
  for (int i = 0; i < c->points; i++)
    for (int k = 0; k < 2; k++) tn_study_need(s, c->at[k][i]);
  if (c->kind != TN_CURVE_POSES) return TN_OK;
  if (!c->strobe && !(c->strobe = tn_arena_alloc(&s->arena, sizeof *c->strobe))) return tn_out_of_memory(e);
  tn_strobe_free(c->strobe);
  *c->strobe = (tn_strobe){.allocator = &s->arena.allocator, .from = c->from, .to = c->to, .by = c->by};
  return TN_OK;
}

tn_status tn_figure_begin(tn_study *s, tn_figure_plan *f, tn_error *e) {
  f->figure.drawn = false;
  f->figure.failure = NULL;
  for (int k = 0; k < f->panels; k++)
    for (int i = 0; i < f->panel[k].curves; i++) TN_TRY(begin(s, &f->panel[k].curve[i], e));
  return TN_OK;
}

int tn_figure_strobes(const tn_study *s, const tn_plan_of_run *p, tn_strobe **out) {
  int n = 0;
  for (int i = 0; i < s->figures; i++)
    for (int k = 0; s->figure[i].wanted && k < s->figure[i].panels; k++)
      for (int l = 0; l < s->figure[i].panel[k].curves; l++) {
        const tn_curve_plan *c = &s->figure[i].panel[k].curve[l];
        if (c->kind != TN_CURVE_POSES || c->plan != p) continue;
        if (out) out[n] = c->strobe;
        n++;
      }
  return n;
}

static void see(tn_strobe *k, tn_sim *s, double t) {
  const tn_model *m = s->m;
  if (!tn_strobe_due(k, t) || tn_row_here(s) != TN_OK) return;
  double *row = tn_block_new(k->allocator, sizeof *row * (size_t)(3 * m->bodies + 1));
  if (!row) return;
  for (int i = 0; m->dimension == 2 && i < m->bodies; i++) {
    const tn_frame2 *f = &s->solver.sys.pose.body[i];
    const double pose[] = {f->r[0], f->r[1], m->body[i].oriented ? f->angle : 0};
    memcpy(row + 3 * i, pose, sizeof pose);
  }
  tn_strobe_row(k, m, t, row);
  tn_block_free(k->allocator, row);
}

void tn_figure_see(void *strobes, tn_sim *s, double t) {
  for (tn_strobe **k = strobes; *k; k++) see(*k, s, t);
}

void tn_figure_free(tn_figure_plan *f) {
  for (int k = 0; k < f->panels; k++)
    for (int i = 0; i < f->panel[k].curves; i++)
      if (f->panel[k].curve[i].strobe) tn_strobe_free(f->panel[k].curve[i].strobe);
}

/* ---- after them ----------------------------------------------------------------------------------------------------------------- */

static tn_status room(tn_study *s, const tn_curve_plan *c, tn_panel *panel, size_t n, tn_layer **out, tn_error *e) {
  tn_layer *l = &panel->layer[panel->layers];
  *l = c->style;
  if (!(l->p = tn_arena_alloc(&s->arena, sizeof *l->p * (n + 1)))) return tn_out_of_memory(e);
  panel->layers++;
  *out = l;
  return TN_OK;
}

static void put(tn_layer *l, const tn_curve_plan *c, double x, double y) {
  l->p[l->n][0] = x / c->unit[0];
  l->p[l->n++][1] = y / c->unit[1];
}

static tn_status of_track(tn_study *s, const tn_curve_plan *c, tn_panel *panel, tn_error *e) {
  tn_study_settle(s, c->y);
  tn_finding *y = &s->measure[c->y], *x = c->x >= 0 ? &s->measure[c->x] : NULL;
  tn_layer *l = NULL;
  tn_track_end(&y->track);
  const size_t n = x && x->track.n < y->track.n ? x->track.n : y->track.n;
  TN_TRY(room(s, c, panel, n, &l, e));
  for (size_t i = 0; i < n; i++) put(l, c, x ? x->track.p[i][1] : y->track.p[i][0], y->track.p[i][1]);
  return TN_OK;
}

static tn_status of_varied(tn_study *s, const tn_curve_plan *c, tn_panel *panel, tn_error *e) {
  const tn_finding *y = &s->measure[c->y];
  tn_layer *l = NULL;
  TN_TRY(room(s, c, panel, (size_t)y->points, &l, e));
  for (int i = 0; i < y->points; i++) put(l, c, y->point[i].x, y->point[i].value);
  return TN_OK;
}

static tn_status of_points(tn_study *s, const tn_curve_plan *c, tn_panel *panel, tn_error *e) {
  tn_layer *l = NULL;
  TN_TRY(room(s, c, panel, (size_t)c->points, &l, e));
  if (c->kind == TN_CURVE_BARS) l->kind = TN_LAYER_BARS;
  for (int i = 0; i < c->points; i++) {
    const double y = tn_study_value(s, c->at[1][i]);
    if (c->kind == TN_CURVE_POINTS)
      put(l, c, tn_study_value(s, c->at[0][i]), y);
    else
      put(l, c, i * c->unit[0], y);
  }
  return TN_OK;
}

static const char *failure_of(tn_study *s, const tn_curve_plan *c) {
  const tn_finding *y = c->y >= 0 ? &s->measure[c->y] : NULL;
  if (y && y->failure) return y->failure;
  if (c->strobe && c->strobe->failed) return c->strobe->why;
  const tn_trial *t = c->plan ? &s->trial[c->plan - s->plan] : NULL;
  return t && t->status != TN_OK ? t->message : NULL;
}

static tn_status draw_curve(tn_study *s, tn_curve_plan *c, tn_panel *panel, tn_error *e) {
  const int first = panel->layers;
  tn_status status = TN_OK;
  if (c->kind == TN_CURVE_MEASURE)
    status = s->measure[c->y].kind == TN_MEASURE_RUN ? of_track(s, c, panel, e) : of_varied(s, c, panel, e);
  else if (c->kind == TN_CURVE_POINTS || c->kind == TN_CURVE_BARS)
    status = of_points(s, c, panel, e);
  else
    status = tn_curve_layers(s, c, panel, e);
  int n = 0;
  for (int i = first; i < panel->layers; i++)
    for (int k = 0; k < panel->layer[i].n; k++)
      n += isfinite(panel->layer[i].p[k][0]) && isfinite(panel->layer[i].p[k][1]);
  if (status == TN_OK && !n) panel->layers = first; /* nothing of it is to be seen */
  return status;
}

static tn_status note_poses(tn_study *s, const tn_curve_plan *c, const char **note, int *notes, tn_error *e) {
  char text[160];
  tn_strobe_remark(c->strobe, text, sizeof text);
  if (!(note[*notes] = tn_arena_text(&s->arena, text, strlen(text)))) return tn_out_of_memory(e);
  ++*notes;
  return TN_OK;
}

static tn_status draw_panel(tn_study *s, tn_figure_plan *f, tn_panel_plan *plan, tn_panel *panel, const char **note,
                            int *notes, tn_error *e) {
  *panel = plan->look;
  panel->layers = 0;
  panel->layer = tn_arena_alloc(&s->arena, sizeof *panel->layer * (size_t)(plan->curves * TN_CURVE_LAYERS));
  if (!panel->layer) return tn_out_of_memory(e);
  for (int i = 0; i < plan->curves; i++) {
    tn_curve_plan *c = &plan->curve[i];
    const int before = panel->layers;
    TN_TRY(draw_curve(s, c, panel, e));
    const char *why = failure_of(s, c);
    if (panel->layers == before && !f->figure.failure) f->figure.failure = why ? why : "a curve has no points";
    if (c->strobe && c->strobe->earlier) TN_TRY(note_poses(s, c, note, notes, e));
    bool known = !why;
    for (int k = 0; k < *notes; k++) known = known || strcmp(note[k], why) == 0;
    if (!known) note[(*notes)++] = why;
  }
  return TN_OK;
}

tn_status tn_figure_draw(tn_study *s, tn_figure_plan *f, tn_error *e) {
  int curves = 2, notes = 0;
  char title[1200];
  for (int k = 0; k < f->panels; k++) curves += 2 * f->panel[k].curves;
  tn_panel *panel = tn_arena_alloc(&s->arena, sizeof *panel * (size_t)(f->panels + 1));
  const char **note = tn_arena_alloc(&s->arena, sizeof *note * (size_t)curves);
  if (!panel || !note) return tn_out_of_memory(e);
  if (*f->figure.remark) note[notes++] = f->figure.remark;
  for (int k = 0; k < f->panels; k++) TN_TRY(draw_panel(s, f, &f->panel[k], &panel[k], note, &notes, e));
  tn_format(title, sizeof title, "Fig. %d. %.1000s", f->figure.number, f->figure.caption);
  f->graph = (tn_graph){.title = tn_arena_text(&s->arena, title, strlen(title)),
                        .notes = notes,
                        .note = note,
                        .panels = f->panels,
                        .columns = f->columns,
                        .panel = panel};
  f->figure.drawn = true;
  return f->graph.title ? TN_OK : tn_out_of_memory(e);
}

/* ---- as files ------------------------------------------------------------------------------------------------------------------- */

static tn_status drawn(const tn_study *s, int i, const tn_graph **graph, tn_error *e) {
  tn_error_clear(e);
  if (!tn_study_figure_at(s, i) || !s->figure[i].figure.drawn)
    return tn_fail(e, TN_E_USAGE, "figure %d of the study is not drawn", i);
  *graph = &s->figure[i].graph;
  return TN_OK;
}

tn_status tn_study_figure_svg(const tn_study *s, int i, tn_write write, void *user, tn_error *error) {
  const tn_graph *graph = NULL;
  TN_NEED(error, s, "study");
  TN_NEED(error, write, "write");
  TN_TRY(drawn(s, i, &graph, error));
  return tn_graph_svg(graph, write, user, error);
}

tn_status tn_study_figure_png(const tn_study *s, int i, tn_write write, void *user, tn_error *error) {
  const tn_graph *graph = NULL;
  TN_NEED(error, s, "study");
  TN_NEED(error, write, "write");
  TN_TRY(drawn(s, i, &graph, error));
  return tn_graph_png(graph, write, user, error);
}

/* a text in quotes where it could be taken for something else */
static void cell(tn_printer *p, const char *text) {
  tn_put(p, "\"%s", *text && strchr("=+-@\t\r", *text) ? "'" : "");
  for (; *text; text++) tn_put(p, *text == '"' ? "\"\"" : "%c", *text);
  tn_put(p, "\"");
}

tn_status tn_study_figure_csv(const tn_study *s, int i, tn_write write, void *user, tn_error *error) {
  const tn_graph *graph = NULL;
  TN_NEED(error, s, "study");
  TN_NEED(error, write, "write");
  TN_TRY(drawn(s, i, &graph, error));
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  tn_put(p, "panel,curve,label,x,y\n");
  for (int k = 0; k < graph->panels; k++)
    for (int l = 0; l < graph->panel[k].layers; l++) {
      const tn_layer *a = &graph->panel[k].layer[l];
      for (int n = 0; n < a->n; n++) {
        if (isnan(a->p[n][0])) continue;
        tn_put(p, "%d,%d,", k + 1, l + 1);
        cell(p, a->label);
        tn_put(p, ",%.12g,%.12g\n", a->p[n][0], a->p[n][1]);
      }
    }
  return p->failed ? tn_fail(error, TN_E_IO, "the table could not be written") : TN_OK;
}
