/* figures of a study file: which curves they have, on which axes. what is wrong is refused with its place. */
#include "study/study.h"

enum { MOST_FIGURES = 200, MOST_PANELS = 24, MOST_CURVES = 64, MOST_POINTS = 10000 };

static const char *const figure_keys[] = {"figure", "caption", "left_out", "remark", "cost", "columns", "panels",
                                          "title",  "x",       "y",        "equal",  "bare", "curves",  NULL},
                         *const panel_keys[] = {"title", "x", "y", "equal", "bare", "curves", NULL},
                         *const axis_keys[] = {"label", "from", "to", "log", "unit", NULL},
                         *const poses_keys[] = {"run", "from", "to", "by", NULL};
/* how a curve is drawn, and behind these what it is of: one of the kinds, in their order */
static const char *const curve_keys[] = {"label", "line",   "mark", "color",      "width",   "x",     "y", "points",
                                         "bars",  "region", "sets", "singletons", "surface", "poses", NULL},
                         *const kind_keys[TN_CURVES] = {"y",    "points",     "bars",    "region",
                                                        "sets", "singletons", "surface", "poses"};

/* of a list, else NULL */
static const tn_node *first_of(const tn_node *node) { return node && node->kind == TN_NODE_LIST ? node->first : NULL; }

static int curves_of(const tn_node *panel) {
  int n = 0;
  for (const tn_node *c = first_of(tn_node_get(panel, "curves")); c && n < MOST_CURVES; c = c->next) n++;
  return n;
}

int tn_figures_measures(const tn_node *figures) {
  int n = 0, left = MOST_FIGURES;
  for (const tn_node *f = first_of(figures); f && left--; f = f->next) {
    n += 2 * curves_of(f);
    int panels = MOST_PANELS;
    for (const tn_node *a = first_of(tn_node_get(f, "panels")); a && panels--; a = a->next) n += 2 * curves_of(a);
  }
  return n;
}

static tn_status boolean(const tn_node *object, const char *key, bool *out, tn_error *e) {
  const tn_node *node = tn_node_get(object, key);
  *out = node && node->kind == TN_NODE_BOOL && node->boolean;
  if (node && node->kind != TN_NODE_BOOL) return tn_node_fail(node, e, TN_E_MODEL, "`%s` is true or false", key);
  return TN_OK;
}

/* ---- a curve ----------------------------------------------------------------------------------------------------------------- */

/* of a run or varied, by its name or here */
static tn_status measure(tn_study *s, const tn_node *object, const char *key, int *out, tn_error *e) {
  const tn_node *node = tn_node_get(object, key);
  *out = -1;
  if (!node) return TN_OK;
  if (node->kind == TN_NODE_TEXT) {
    if ((*out = tn_study_measure_named(s, node->text)) < 0)
      return tn_node_fail(node, e, TN_E_MODEL, "there is no measure '%.64s'", node->text);
  } else {
    if (node->kind != TN_NODE_OBJECT)
      return tn_node_fail(node, e, TN_E_MODEL, "`%s` of a curve is a measure, or the name of one", key);
    if (tn_node_get(node, "take") && !tn_node_get(node, "vary"))
      return tn_node_fail(tn_node_get(node, "take"), e, TN_E_MODEL,
                          "a curve over time has all values: nothing is taken");
    TN_TRY(tn_study_measure(s, node, NULL, out, e));
  }
  const tn_finding *m = &s->measure[*out];
  if ((m->kind == TN_MEASURE_RUN && m->meter.signal != TN_SIGNAL_FIGURE) || m->kind == TN_MEASURE_VARIED) return TN_OK;
  return tn_node_fail(node, e, TN_E_MODEL, "this measure is one number: a curve needs one over time, or with `vary`");
}

/* sampled at the same times */
static bool go_together(const tn_finding *x, const tn_finding *y) {
  const tn_meter *a = &x->meter, *b = &y->meter;
  const bool rows_a = a->at_rows || a->signal == TN_SIGNAL_ERROR, rows_b = b->at_rows || b->signal == TN_SIGNAL_ERROR;
  return x->kind == TN_MEASURE_RUN && y->kind == TN_MEASURE_RUN && x->plan == y->plan && rows_a == rows_b &&
         a->from == b->from && a->to == b->to && (a->signal == TN_SIGNAL_ERROR) == (b->signal == TN_SIGNAL_ERROR);
}

static tn_status of_measure(tn_study *s, tn_curve_plan *c, tn_error *e) {
  TN_TRY(measure(s, c->node, "y", &c->y, e));
  TN_TRY(measure(s, c->node, "x", &c->x, e));
  if (c->x < 0 || go_together(&s->measure[c->x], &s->measure[c->y])) return TN_OK;
  return tn_node_fail(tn_node_get(c->node, "x"), e, TN_E_MODEL, "`x` and `y` have to be of one run, at the same times");
}

static tn_status of_points(tn_study *s, tn_curve_plan *c, const tn_node *list, tn_error *e) {
  const int n = tn_member_count(list);
  if (list->kind != TN_NODE_LIST || !n || n > MOST_POINTS)
    return tn_node_fail(list, e, TN_E_MODEL, "this has to be a list of 1 to %d pairs", MOST_POINTS);
  for (const tn_node *p = list->first; p; p = p->next)
    if (p->kind != TN_NODE_LIST || tn_member_count(p) != 2 ||
        (c->kind == TN_CURVE_BARS && p->first->kind != TN_NODE_TEXT))
      return tn_node_fail(p, e, TN_E_MODEL,
                          c->kind == TN_CURVE_BARS ? "a bar is a name and a value" : "a point is x and y");
  c->points = n;
  for (int k = 0; k < 2; k++)
    if (!(c->at[k] = tn_arena_alloc(&s->arena, sizeof *c->at[k] * (size_t)n))) return tn_out_of_memory(e);
  return TN_OK;
}

static tn_status of_poses(const tn_study *s, tn_curve_plan *c, const tn_node *node, tn_error *e) {
  TN_TRY(tn_members_known(node, poses_keys, e));
  if (!(c->plan = tn_study_run_at(s, node, "run", e))) return e->status;
  TN_TRY(tn_member_number(node, "from", 0, &c->from, e));
  TN_TRY(tn_member_number(node, "to", NAN, &c->to, e));
  TN_TRY(tn_member_number(node, "by", NAN, &c->by, e));
  if (c->from <= c->to && c->by > 0 && (c->to - c->from) / c->by < TN_MOST_POSES) return TN_OK;
  return tn_node_fail(node, e, TN_E_MODEL, "`from`, `to` and `by` do not give up to %d poses", TN_MOST_POSES);
}

static tn_status style(const tn_node *node, int number, tn_layer *l, tn_error *e) {
  static const char *const lines[] = {"solid", "dashed", "dash-dot", "dotted", "none", NULL}, *const marks[] = {
                                                                                                  "none",    "circle",
                                                                                                  "square",  "triangle",
                                                                                                  "diamond", "plus",
                                                                                                  "dot",     NULL};
  int line, color;
  *l = (tn_layer){.opacity = 1};
  TN_TRY(tn_member_text(node, "label", "", &l->label, e));
  TN_TRY(tn_member_word(node, "line", lines, &line, e));
  TN_TRY(tn_member_word(node, "mark", marks, &l->mark, e));
  TN_TRY(tn_member_whole(node, "color", number % TN_COLORS + 1, 1, TN_COLORS, &color, e));
  TN_TRY(tn_member_number(node, "width", 1.6, &l->width, e));
  if (!(l->width > 0 && l->width <= 20))
    return tn_node_fail(tn_node_get(node, "width"), e, TN_E_MODEL, "`width` is from 0 to 20 pixels");
  l->no_line = line == TN_DASHES;
  l->dash = l->no_line ? TN_SOLID : line;
  l->color = l->fill = tn_colors[color - 1];
  return TN_OK;
}

static tn_status curve(tn_study *s, const tn_node *node, int number, tn_curve_plan *c, tn_error *e) {
  const tn_node *given = NULL;
  int kinds = 0;
  *c = (tn_curve_plan){.node = node, .x = -1, .y = -1};
  TN_TRY(tn_members_known(node, curve_keys, e));
  TN_TRY(style(node, number, &c->style, e));
  for (int k = 0; k < TN_CURVES; k++)
    if (tn_node_get(node, kind_keys[k])) given = tn_node_get(node, kind_keys[k]), c->kind = (tn_curve_kind)k, kinds++;
  if (kinds != 1)
    return tn_node_fail(node, e, TN_E_MODEL,
                        "a curve has one of `y`, `points`, `bars`, `region`, `sets`, `singletons`, `surface`, `poses`");
  if (c->kind != TN_CURVE_MEASURE && tn_node_get(node, "x"))
    return tn_node_fail(tn_node_get(node, "x"), e, TN_E_MODEL, "`x` goes with `y`");
  if (c->kind == TN_CURVE_MEASURE) return of_measure(s, c, e);
  if (c->kind == TN_CURVE_POINTS || c->kind == TN_CURVE_BARS) return of_points(s, c, given, e);
  if (c->kind == TN_CURVE_POSES) return of_poses(s, c, given, e);
  return given->kind == TN_NODE_TEXT ? TN_OK
                                     : tn_node_fail(given, e, TN_E_MODEL, "`%s` names a part", kind_keys[c->kind]);
}

/* ---- a panel, a figure --------------------------------------------------------------------------------------------------------- */

static tn_status axis(const tn_node *object, const tn_node *otherwise, const char *key, tn_scale *a, double *unit,
                      tn_error *e) {
  const tn_node *node = tn_node_get(object, key);
  if (!node) node = tn_node_get(otherwise, key); /* of the figure, for all of its panels */
  *a = (tn_scale){.label = "", .from = NAN, .to = NAN};
  *unit = 1;
  if (!node) return TN_OK;
  TN_TRY(tn_members_known(node, axis_keys, e));
  TN_TRY(tn_member_text(node, "label", "", &a->label, e));
  TN_TRY(tn_member_number(node, "from", NAN, &a->from, e));
  TN_TRY(tn_member_number(node, "to", NAN, &a->to, e));
  TN_TRY(tn_member_number(node, "unit", 1, unit, e));
  TN_TRY(boolean(node, "log", &a->log, e));
  if (a->from >= a->to || fabs(a->from) > 1e100 || fabs(a->to) > 1e100)
    return tn_node_fail(node, e, TN_E_MODEL, "`from` has to be less than `to`");
  if (a->log && (a->from < TN_LOG_LEAST || a->to < TN_LOG_LEAST))
    return tn_node_fail(node, e, TN_E_MODEL, "a logarithmic axis begins above 0, at 1e-300 or more");
  return *unit > 0 ? TN_OK : tn_node_fail(node, e, TN_E_MODEL, "`unit` is a number above 0");
}

/* names under bars: those of the first curve that has any; all have the same */
static tn_status names(tn_study *s, tn_panel_plan *a, tn_error *e) {
  const char **name = NULL;
  for (int k = 0; k < a->curves; k++) {
    const tn_curve_plan *c = &a->curve[k];
    if (c->kind != TN_CURVE_BARS) continue;
    if (!name) {
      if (!(name = tn_arena_alloc(&s->arena, sizeof *name * (size_t)c->points))) return tn_out_of_memory(e);
      for (const tn_node *p = tn_node_get(c->node, "bars")->first; p; p = p->next)
        name[a->look.names++] = p->first->text;
    }
    int i = 0;
    for (const tn_node *p = tn_node_get(c->node, "bars")->first; p; p = p->next, i++)
      if (i >= a->look.names || strcmp(p->first->text, name[i]) != 0 || c->points != a->look.names)
        return tn_node_fail(p, e, TN_E_MODEL, "all bars of a panel have the same names in the same order");
  }
  a->look.name = name;
  return TN_OK;
}

static tn_status panel(tn_study *s, const tn_node *node, const tn_node *figure, tn_panel_plan *a, tn_error *e) {
  const tn_node *curves = tn_node_get(node, "curves");
  double unit[2];
  *a = (tn_panel_plan){.node = node};
  TN_TRY(tn_member_text(node, "title", "", &a->look.title, e));
  TN_TRY(axis(node, figure, "x", &a->look.x, &unit[0], e));
  TN_TRY(axis(node, figure, "y", &a->look.y, &unit[1], e));
  TN_TRY(boolean(node, "equal", &a->look.equal, e));
  TN_TRY(boolean(node, "bare", &a->look.bare, e));
  const int n = tn_member_count(curves);
  if (!curves || curves->kind != TN_NODE_LIST || n < 1 || n > MOST_CURVES)
    return tn_node_fail(curves ? curves : node, e, TN_E_MODEL, "`curves` is a list of 1 to %d", MOST_CURVES);
  if (!(a->curve = tn_arena_alloc(&s->arena, sizeof *a->curve * (size_t)n))) return tn_out_of_memory(e);
  for (const tn_node *c = curves->first; c; c = c->next, a->curves++) {
    TN_TRY(curve(s, c, a->curves, &a->curve[a->curves], e));
    a->curve[a->curves].unit[0] = unit[0];
    a->curve[a->curves].unit[1] = unit[1];
  }
  return names(s, a, e);
}

static tn_status panels(tn_study *s, tn_figure_plan *f, tn_error *e) {
  const tn_node *list = tn_node_get(f->node, "panels");
  const int n = list ? tn_member_count(list) : 1;
  if (list && (list->kind != TN_NODE_LIST || n < 1 || n > MOST_PANELS || tn_node_get(f->node, "curves")))
    return tn_node_fail(list, e, TN_E_MODEL, "`panels` is a list of 1 to %d, in place of `curves`", MOST_PANELS);
  if (!(f->panel = tn_arena_alloc(&s->arena, sizeof *f->panel * (size_t)n))) return tn_out_of_memory(e);
  TN_TRY(tn_member_whole(f->node, "columns", n > 1 ? 2 : 1, 1, 3, &f->columns, e));
  if (!list) {
    f->panels = 1;
    return panel(s, f->node, NULL, f->panel, e);
  }
  for (const tn_node *a = list->first; a; a = a->next, f->panels++) {
    TN_TRY(tn_members_known(a, panel_keys, e));
    TN_TRY(panel(s, a, f->node, &f->panel[f->panels], e));
  }
  return TN_OK;
}

static tn_status figure(tn_study *s, const tn_node *node, tn_error *e) {
  static const char *const costs[] = {"quick", "long", NULL}, *const beside[] = {"figure", "caption", "left_out", NULL};
  tn_figure_plan *f = &s->figure[s->figures];
  char id[160];
  int cost;
  *f = (tn_figure_plan){.node = node};
  TN_TRY(tn_members_known(node, figure_keys, e));
  TN_TRY(tn_member_whole(node, "figure", 0, 1, 999, &f->figure.number, e));
  if (!f->figure.number) return tn_node_fail(node, e, TN_E_MODEL, "`figure` is its number in the paper");
  if (s->figures && f->figure.number <= s->figure[s->figures - 1].figure.number)
    return tn_node_fail(tn_node_get(node, "figure"), e, TN_E_MODEL, "figures stand in the order of the paper");
  TN_TRY(tn_member_text(node, "caption", NULL, &f->figure.caption, e));
  TN_TRY(tn_member_text(node, "remark", "", &f->figure.remark, e));
  TN_TRY(tn_member_text(node, "left_out", "", &f->figure.left_out, e));
  TN_TRY(tn_member_word(node, "cost", costs, &cost, e));
  tn_format(id, sizeof id, "%.100s.fig%d", s->paper, f->figure.number);
  if (!(f->figure.id = tn_arena_text(&s->arena, id, strlen(id)))) return tn_out_of_memory(e);
  f->figure.quick = cost == 0;
  s->figures++;
  if (!*f->figure.left_out) {
    f->figure.left_out = NULL;
    return panels(s, f, e);
  }
  return tn_members_known(node, beside, e); /* why it is not drawn, and nothing to draw */
}

tn_status tn_figures_read(tn_study *s, const tn_node *figures, tn_error *e) {
  const int n = tn_member_count(figures);
  if (!figures) return TN_OK;
  if (figures->kind != TN_NODE_LIST || n > MOST_FIGURES)
    return tn_node_fail(figures, e, TN_E_MODEL, "`figures` is a list of at most %d", MOST_FIGURES);
  if (!(s->figure = tn_arena_alloc(&s->arena, sizeof *s->figure * (size_t)(n + 1)))) return tn_out_of_memory(e);
  for (const tn_node *f = figures->first; f; f = f->next) TN_TRY(figure(s, f, e));
  return TN_OK;
}

static tn_status rule(tn_study *s, tn_curve_plan *c, tn_error *e) {
  const tn_node *list = tn_node_get(c->node, kind_keys[c->kind]);
  int i = 0;
  if (c->kind != TN_CURVE_POINTS && c->kind != TN_CURVE_BARS) return TN_OK;
  for (const tn_node *p = list->first; p; p = p->next, i++) {
    if (c->kind == TN_CURVE_POINTS) TN_TRY(tn_study_expression_at(s, p->first, "x", &c->at[0][i], e));
    TN_TRY(tn_study_expression_at(s, p->first->next, "a value", &c->at[1][i], e));
  }
  return TN_OK;
}

tn_status tn_figures_rule(tn_study *s, tn_error *e) {
  for (int i = 0; i < s->figures; i++)
    for (int k = 0; k < s->figure[i].panels; k++)
      for (int l = 0; l < s->figure[i].panel[k].curves; l++) TN_TRY(rule(s, &s->figure[i].panel[k].curve[l], e));
  return TN_OK;
}
