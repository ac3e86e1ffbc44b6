/* panels beside and below one another. each has from top to bottom: its title, a legend of as many lines as it needs, the frame with
 * what is drawn in it, numbers, the name of the x axis. */
#include "graph/graph.h"

#include <math.h>

enum {
  LEFT = 76,
  RIGHT = 22, /* of a frame, px */
  BELOW = 50,
  TOP = 12,
  LINE = 19, /* of a legend, title or note */
  SMALL = 12,
  BIG = 14,
  SAMPLE = 28, /* of a line in a legend */
  PIECE = 4096 /* points that are handed to a canvas at once */
};

const int tn_colors[TN_COLORS] = {0x0b62c4, 0xd1495b, 0x2e933c, 0x8a4fbf, 0xc77700,
                                  0x008b8b, 0x444444, 0xb0307a, 0x7a8b00, 0x6b4a2b};

typedef struct frame {
  double x, y, w, h; /* px */
  tn_scale u, v;     /* with both ends */
} frame;

/* ---- values to pixels ------------------------------------------------------------------------------------------------------- */

static double share(const tn_scale *s, double value) {
  if (!s->log) return (value - s->from) / (s->to - s->from);
  return value > 0 ? log(value / s->from) / log(s->to / s->from) : NAN;
}

/* far beyond the frame all is the same: pictures have no room for larger numbers */
static void place(const frame *f, const double *value, double at[2]) {
  const double far = 3;
  const double u = share(&f->u, value[0]), v = share(&f->v, value[1]);
  at[0] = isnan(u) || isnan(v) ? (double)NAN : f->x + f->w * fmin(fmax(u, -far), far);
  at[1] = f->y + f->h * (1 - fmin(fmax(v, -far), far));
}

/* ---- ranges ----------------------------------------------------------------------------------------------------------------- */

static void widen(const tn_scale *s, double value, double *lo, double *hi) {
  if (!(fabs(value) < 1e300) || (s->log && !(value > TN_LOG_LEAST))) return; /* powers of ten around it are numbers */
  *lo = fmin(*lo, value);
  *hi = fmax(*hi, value);
}

/* room around what was found; of a logarithmic axis whole powers of ten */
static void settle(tn_scale *s, double lo, double hi, bool from_zero) {
  if (!(lo <= hi)) lo = s->log ? 0.1 : 0, hi = 1;
  if (from_zero && !s->log) lo = fmin(lo, 0), hi = fmax(hi, 0);
  if (s->log) {
    if (isnan(s->from)) s->from = pow(10, floor(log10(lo) + TN_WHOLE));
    if (isnan(s->to)) s->to = pow(10, ceil(log10(hi) - TN_WHOLE));
    if (!(s->from < s->to)) s->to = 10 * s->from;
    return;
  }
  const double least = TN_FLAT_RANGE * fmax(fabs(lo), fabs(hi)), size = fmax(hi - lo, least > 0 ? least : 1);
  if (isnan(s->from)) s->from = from_zero && lo == 0 ? 0 : lo - 0.05 * size;
  if (isnan(s->to)) s->to = from_zero && hi == 0 ? 0 : hi + 0.05 * size;
  if (!(s->from < s->to)) s->to = s->from + size;
}

static void ranges(const tn_panel *a, frame *f) {
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
  bool bars = false;
  f->u = a->x;
  f->v = a->y;
  for (int k = 0; k < a->layers; k++) {
    const tn_layer *l = &a->layer[k];
    bars = bars || l->kind == TN_LAYER_BARS || l->kind == TN_LAYER_STEMS;
    for (int i = 0; i < l->n; i++) {
      if (isnan(l->p[i][0]) || isnan(l->p[i][1])) continue;
      widen(&f->u, l->p[i][0], &lo[0], &hi[0]);
      widen(&f->v, l->p[i][1], &lo[1], &hi[1]);
    }
  }
  if (a->names) lo[0] = 0, hi[0] = a->names - 1, f->u.from = -0.6, f->u.to = a->names - 0.4;
  settle(&f->u, lo[0], hi[0], false);
  settle(&f->v, lo[1], hi[1], bars);
  if (!a->equal) return;
  const double scale = fmax((f->u.to - f->u.from) / f->w, (f->v.to - f->v.from) / f->h); /* of a pixel */
  const double u = (f->u.from + f->u.to) / 2, v = (f->v.from + f->v.to) / 2;
  f->u.from = u - scale * f->w / 2, f->u.to = u + scale * f->w / 2;
  f->v.from = v - scale * f->h / 2, f->v.to = v + scale * f->h / 2;
}

/* ---- lines, marks, bars ----------------------------------------------------------------------------------------------------- */

static void line(tn_canvas *c, double x0, double y0, double x1, double y1, int color, double width) {
  const double p[2][2] = {{x0, y0}, {x1, y1}};
  const tn_ink ink = {.stroke = color, .fill = TN_NO_COLOR, .width = width, .opacity = 1};
  c->path(c, 2, p, false, &ink);
}

static void words(tn_canvas *c, double x, double y, double anchor, double size, const char *text) {
  const tn_letters l = {.size = size, .anchor = anchor, .color = 0x222222};
  c->text(c, x, y, &l, text);
}

static void mark(tn_canvas *c, int kind, double x, double y, int color) {
  enum { ROUND = 14 };
  static const double square[][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
                      triangle[][2] = {{0, -1.2}, {1.1, .8}, {-1.1, .8}},
                      diamond[][2] = {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}},
                      plus[][2] = {{-1.3, 0}, {1.3, 0}, {NAN, NAN}, {0, -1.3}, {0, 1.3}};
  double p[ROUND][2];
  const double size = kind == TN_MARK_DOT ? 2 : 3.2;
  const double(*from)[2] = kind == TN_MARK_SQUARE     ? square
                           : kind == TN_MARK_TRIANGLE ? triangle
                           : kind == TN_MARK_DIAMOND  ? diamond
                           : kind == TN_MARK_PLUS     ? plus
                                                      : NULL;
  const int n = kind == TN_MARK_TRIANGLE ? 3 : kind == TN_MARK_PLUS ? 5 : from ? 4 : ROUND;
  for (int i = 0; i < n; i++) {
    const double angle = 2 * acos(-1) * i / ROUND, dx = from ? from[i][0] : cos(angle),
                 dy = from ? from[i][1] : sin(angle);
    p[i][0] = x + size * dx;
    p[i][1] = y + size * dy;
  }
  const tn_ink ink = {.stroke = color,
                      .fill = kind == TN_MARK_DOT    ? color
                              : kind == TN_MARK_PLUS ? TN_NO_COLOR
                                                     : 0xffffff,
                      .width = 1.3,
                      .opacity = 1};
  c->path(c, n, (const double(*)[2])p, kind != TN_MARK_PLUS, &ink);
}

/* points on their way to a canvas: those that are in one column of pixels after one another are the first, the outermost and the last
 * of them, so that a long run costs no more than a short one */
typedef struct pieces {
  tn_canvas *c;
  const tn_ink *ink;
  double p[PIECE][2];
  int n;
  double column, first, lo, hi, last;
  int held;
} pieces;

static void add(pieces *s, double x, double y) {
  if (s->n == PIECE) { /* the next piece begins where this one ends */
    s->c->path(s->c, s->n, (const double(*)[2])s->p, false, s->ink);
    s->p[0][0] = s->p[s->n - 1][0], s->p[0][1] = s->p[s->n - 1][1];
    s->n = 1;
  }
  s->p[s->n][0] = x;
  s->p[s->n++][1] = y;
}

static void release(pieces *s) {
  const double y[] = {s->first, s->lo, s->hi, s->last};
  const bool level = s->hi - s->lo < 0.7; /* one place will do */
  for (int k = 0; k < 4 && s->held; k++)
    if (k == 0 || (!level && y[k] != y[k - 1])) add(s, s->column, y[k]);
  s->held = 0;
}

static void see(pieces *s, const double at[2]) {
  if (isnan(at[0])) {
    release(s);
    if (s->n && !isnan(s->p[s->n - 1][0])) add(s, NAN, NAN);
    return;
  }
  if (s->held && floor(at[0]) != floor(s->column)) release(s);
  if (!s->held) s->column = at[0], s->first = s->lo = s->hi = at[1];
  s->lo = fmin(s->lo, at[1]);
  s->hi = fmax(s->hi, at[1]);
  s->last = at[1];
  s->held++;
}

static void curve(const frame *f, const tn_layer *l, tn_canvas *c) {
  const tn_ink ink = {
      .stroke = l->color, .fill = TN_NO_COLOR, .width = l->width, .opacity = l->opacity, .dash = l->dash};
  pieces s = {.c = c, .ink = &ink};
  double at[2];
  for (int i = 0; i < l->n && !l->no_line; i++) {
    place(f, l->p[i], at);
    see(&s, at);
  }
  release(&s);
  if (s.n > 1) c->path(c, s.n, (const double(*)[2])s.p, false, &ink);
  const int every = l->no_line ? 1 : 1 + l->n / 40; /* on a line that is known already a few will do */
  for (int i = 0; i < l->n && l->mark; i += every) {
    place(f, l->p[i], at);
    if (!isnan(at[0])) mark(c, l->mark, at[0], at[1], l->color);
  }
}

/* side by side where several layers have bars; `of` of `all` */
static void bars(const frame *f, const tn_layer *l, int of, int all, tn_canvas *c) {
  const tn_ink ink = {.stroke = 0x222222, .fill = l->color, .width = 0.6, .opacity = 1};
  const double wide = 0.76 / all, foot[2] = {f->u.from, f->v.log ? f->v.from : 0};
  double low[2];
  place(f, foot, low);
  for (int i = 0; i < l->n; i++) {
    const double left = l->p[i][0] - 0.38 + of * wide, a[2] = {left, l->p[i][1]}, b[2] = {left + wide, l->p[i][1]};
    double p[4][2];
    place(f, a, p[0]);
    place(f, b, p[1]);
    if (isnan(p[0][0])) continue;
    p[2][0] = p[1][0], p[3][0] = p[0][0];
    p[2][1] = p[3][1] = low[1];
    c->path(c, 4, (const double(*)[2])p, true, &ink);
  }
}

static void stems(const frame *f, const tn_layer *l, tn_canvas *c) {
  for (int i = 0; i < l->n; i++) {
    const double foot[2] = {l->p[i][0], 0};
    double a[2], b[2];
    place(f, foot, a);
    place(f, l->p[i], b);
    line(c, a[0], a[1], b[0], b[1], l->color, 2.5);
    mark(c, TN_MARK_DOT, b[0], b[1], l->color);
  }
}

static void shapes(const frame *f, const tn_layer *l, tn_canvas *c) {
  double p[PIECE][2];
  int n = 0, part = 0;
  tn_ink ink = {.stroke = l->color, .fill = l->fill, .width = l->width, .opacity = l->opacity, .dash = l->dash};
  for (int i = 0; i <= l->n; i++) {
    if (i < l->n && !isnan(l->p[i][0])) {
      if (n < PIECE) place(f, l->p[i], p[n++]); /* of a longer outline the rest is left out */
      continue;
    }
    if (n && l->tint) ink.fill = l->tint[part];
    if (n) c->path(c, n, (const double(*)[2])p, true, &ink);
    part++;
    n = 0;
  }
}

static void layers(const tn_panel *a, const frame *f, tn_canvas *c) {
  int all = 0, of = 0;
  for (int k = 0; k < a->layers; k++) all += a->layer[k].kind == TN_LAYER_BARS;
  for (int k = 0; k < a->layers; k++) {
    const tn_layer *l = &a->layer[k];
    double at[2];
    if (l->kind == TN_LAYER_CURVE) curve(f, l, c);
    if (l->kind == TN_LAYER_BARS) bars(f, l, of++, all, c);
    if (l->kind == TN_LAYER_STEMS) stems(f, l, c);
    if (l->kind == TN_LAYER_SHAPES) shapes(f, l, c);
    if (l->kind != TN_LAYER_WORDS || !l->n) continue;
    place(f, l->p[0], at);
    if (!isnan(at[0])) words(c, at[0], at[1], 0.5, SMALL, l->label);
  }
}

/* ---- axes and legend -------------------------------------------------------------------------------------------------------- */

static void axes(const tn_panel *a, const frame *f, tn_canvas *c) {
  tn_ticks t;
  const double box[4][2] = {{f->x, f->y}, {f->x + f->w, f->y}, {f->x + f->w, f->y + f->h}, {f->x, f->y + f->h}};
  const tn_ink ink = {.stroke = 0x888888, .fill = TN_NO_COLOR, .width = 1, .opacity = 1};
  double widest = 0;
  tn_ticks_of(&f->u, (int)(f->w / 75), &t);
  for (int i = 0; i < t.n && !a->names; i++) {
    const double x = f->x + f->w * share(&f->u, t.at[i]);
    line(c, x, f->y, x, f->y + f->h, 0xe4e4e4, 1);
    words(c, x, f->y + f->h + 17, 0.5, SMALL, t.text[i]);
  }
  for (int i = 0; i < a->names; i++) words(c, f->x + f->w * share(&f->u, i), f->y + f->h + 17, 0.5, SMALL, a->name[i]);
  if (*t.factor && !a->names) words(c, f->x + f->w, f->y + f->h + 34, 1, SMALL, t.factor);
  tn_ticks_of(&f->v, (int)(f->h / 45), &t);
  for (int i = 0; i < t.n; i++) {
    const double y = f->y + f->h * (1 - share(&f->v, t.at[i]));
    line(c, f->x, y, f->x + f->w, y, 0xe4e4e4, 1);
    words(c, f->x - 6, y + 4, 1, SMALL, t.text[i]);
    widest = fmax(widest, tn_text_width(t.text[i], SMALL));
  }
  if (*t.factor) words(c, f->x, f->y - 6, 0, SMALL, t.factor);
  c->path(c, 4, box, true, &ink);
  words(c, f->x + f->w / 2, f->y + f->h + 38, 0.5, BIG, a->x.label);
  const tn_letters up = {.size = BIG, .angle = -acos(-1) / 2, .anchor = 0.5, .color = 0x222222};
  c->text(c, f->x - fmin(widest, LEFT - 34) - 18, f->y + f->h / 2, &up, a->y.label);
}

static void sample(tn_canvas *c, const tn_layer *l, double x, double y) {
  const tn_ink ink = {.stroke = l->color, .fill = TN_NO_COLOR, .width = l->width, .opacity = 1, .dash = l->dash};
  const tn_ink solid = {.stroke = l->color,
                        .fill = l->kind == TN_LAYER_SHAPES ? l->fill : l->color,
                        .width = 1,
                        .opacity = l->kind == TN_LAYER_SHAPES ? l->opacity : 1};
  const double p[2][2] = {{x, y}, {x + SAMPLE, y}},
               box[4][2] = {{x + 6, y - 5}, {x + 22, y - 5}, {x + 22, y + 5}, {x + 6, y + 5}};
  const bool outline = l->kind == TN_LAYER_SHAPES && l->fill == TN_NO_COLOR;
  if ((l->kind == TN_LAYER_CURVE && !l->no_line) || outline) c->path(c, 2, p, false, &ink);
  if (l->mark) mark(c, l->mark, x + SAMPLE / 2.0, y, l->color);
  if (l->kind != TN_LAYER_CURVE && !outline) c->path(c, 4, box, true, &solid);
}

/* lines of a legend in a width; c NULL: only how many there are */
static int legend(const tn_panel *a, double left, double top, double width, tn_canvas *c) {
  double x = left;
  int lines = 0;
  for (int k = 0; k < a->layers; k++) {
    const tn_layer *l = &a->layer[k];
    if (!*l->label || l->kind == TN_LAYER_WORDS) continue;
    const double size = SAMPLE + 24 + tn_text_width(l->label, SMALL);
    if (!lines || x + size > left + width + 20) lines++, x = left;
    if (c) {
      sample(c, l, x, top + LINE * lines - 12);
      words(c, x + SAMPLE + 6, top + LINE * lines - 8, 0, SMALL, l->label);
    }
    x += size;
  }
  return lines;
}

/* ---- panels ------------------------------------------------------------------------------------------------------------------- */

static double frame_width(const tn_graph *c) { return c->columns == 1 ? 640 : c->columns == 2 ? 440 : 330; }
static double frame_height(const tn_graph *c) { return c->panels == 1 ? 400 : c->columns == 3 ? 260 : 290; }

/* above the frames of a row of panels: titles and legends, and a factor */
static double above(const tn_graph *c, int row) {
  double most = 0;
  for (int k = row * c->columns; k < c->panels && k < (row + 1) * c->columns; k++) {
    const tn_panel *a = &c->panel[k];
    most = fmax(most, LINE * ((*a->title != 0) + legend(a, 0, 0, frame_width(c), NULL)));
  }
  return most + 26;
}

static int rows_of(const tn_graph *c) { return (c->panels + c->columns - 1) / c->columns; }

/* a text in lines of a width; c NULL: only how many. each is shown with `size` */
static int wrapped(tn_canvas *c, const char *text, double x, double y, double width, double size, double step) {
  char part[512];
  int lines = 0;
  while (*text) {
    size_t n = 0, good = 0;
    for (; text[n] && n < sizeof part - 1; n++) {
      if (text[n] != ' ') continue;
      tn_format(part, sizeof part, "%.*s", (int)n, text);
      if (good && tn_text_width(part, size) > width) break;
      good = n;
    }
    tn_format(part, sizeof part, "%.*s", (int)n, text);
    if ((!text[n] && tn_text_width(part, size) <= width) || !good) good = n;
    tn_format(part, sizeof part, "%.*s", (int)good, text);
    if (c) words(c, x, y + step * lines, 0, size, part);
    lines++;
    text += good;
    while (*text == ' ') text++;
  }
  return lines;
}

static double text_width(const tn_graph *c) { return c->columns * (LEFT + frame_width(c) + RIGHT) - 2 * RIGHT; }

static int note_lines(const tn_graph *c) {
  int lines = 0;
  for (int k = 0; k < c->notes; k++) lines += wrapped(NULL, c->note[k], 0, 0, text_width(c), SMALL, 0);
  return lines;
}

void tn_graph_size(const tn_graph *c, double *width, double *height) {
  *width = c->columns * (LEFT + frame_width(c) + RIGHT);
  *height = TOP + (LINE + 2) * wrapped(NULL, c->title, 0, 0, text_width(c), BIG + 1, 0) + LINE * note_lines(c) + 6;
  for (int row = 0; row < rows_of(c); row++) *height += above(c, row) + frame_height(c) + BELOW;
}

static void panel(const tn_graph *graph, const tn_panel *a, double x, double y, double head, tn_canvas *c) {
  frame f = {.x = x + LEFT, .y = y + head, .w = frame_width(graph), .h = frame_height(graph)};
  const double box[4] = {f.x, f.y, f.w, f.h};
  const double lines = LINE * ((*a->title != 0) + legend(a, 0, 0, f.w, NULL));
  ranges(a, &f);
  if (*a->title) words(c, f.x, f.y - lines - 5, 0, BIG, a->title);
  legend(a, f.x, f.y - lines + (*a->title ? LINE : 0) - 16, f.w, c);
  if (!a->bare) axes(a, &f, c);
  c->clip(c, box);
  layers(a, &f, c);
  c->clip(c, NULL);
}

void tn_graph_draw(const tn_graph *graph, tn_canvas *c) {
  const double wide = LEFT + frame_width(graph) + RIGHT;
  double y = TOP;
  y += (LINE + 2) * wrapped(c, graph->title, RIGHT, y + LINE - 3, text_width(graph), BIG + 1, LINE + 2);
  for (int k = 0; k < graph->panels; k++) {
    const double head = above(graph, k / graph->columns);
    panel(graph, &graph->panel[k], wide * (k % graph->columns), y, head, c);
    if (k % graph->columns == graph->columns - 1 || k == graph->panels - 1) y += head + frame_height(graph) + BELOW;
  }
  for (int k = 0; k < graph->notes; k++)
    y += LINE * wrapped(c, graph->note[k], RIGHT, y + LINE - 4, text_width(graph), SMALL, LINE);
}

static void draw(void *what, tn_canvas *c) { tn_graph_draw(what, c); }

typedef tn_status (*maker)(double width, double height, const char *name, tn_drawer draw, void *what, tn_write write,
                           void *user, tn_error *e);

static tn_status make(maker m, const tn_graph *graph, tn_write write, void *user, tn_error *e) {
  double width, height;
  tn_graph copy = *graph;
  tn_graph_size(graph, &width, &height);
  return m(width, height, graph->title, draw, &copy, write, user, e);
}

tn_status tn_graph_svg(const tn_graph *graph, tn_write write, void *user, tn_error *e) {
  return make(tn_canvas_svg, graph, write, user, e);
}

tn_status tn_graph_png(const tn_graph *graph, tn_write write, void *user, tn_error *e) {
  return make(tn_canvas_png, graph, write, user, e);
}
