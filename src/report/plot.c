/* rows as a picture (SVG): every group of channels over time, and a vector in the plane as a path on the left of its panel. curves
 * are drawn by the smallest and largest value in each column of pixels, so that a long run costs no more than a short one. */
#include "report/report.h"

static const double RANGE_LEAST = 1e-12; /* in the unit of the axis: a range of zeros alone is drawn as wide */

enum { WIDTH = 1000, HEIGHT = 190, LEFT = 84, RIGHT = 20, TOP = 56, BETWEEN = 66, PATH = 230, BINS = 800 };
enum { PANELS_MOST = 24, CURVES_MOST = 8, POINTS_MOST = 4000, NOTE = 24, NOTES_MOST = 8 };

static const char *const colors[CURVES_MOST] = {"#0b62c4", "#d1495b", "#2e933c", "#8a4fbf",
                                                "#c77700", "#008b8b", "#666666", "#b0307a"};

typedef struct curve {
  double lo[BINS], hi[BINS]; /* lo > hi: nothing there */
  double first[BINS], last[BINS];
  double *raw; /* POINTS_MOST: the points themselves, while there are few */
} curve;

typedef struct panel {
  char name[128];
  int first, n; /* columns; n at most CURVES_MOST are drawn */
  bool path;
  double lo, hi;
  double x[2], y[2]; /* range of the path */
  double *px, *py;   /* POINTS_MOST       */
  int64_t points;
  curve *curve;
} panel;

typedef struct picture {
  tn_printer p;
  tn_result *r;
  int panels, left_out;
  panel panel[PANELS_MOST];
  double t0, t1;
  double *t; /* POINTS_MOST */
  int64_t rows, row;
  bool scaled; /* second pass: t0, t1 are known */
} picture;

static void widen(double *lo, double *hi, double value) {
  if (value < *lo) *lo = value;
  if (value > *hi) *hi = value;
}

/* what can be drawn: sums of two of them are finite */
static bool drawable(double value) { return fabs(value) < 1e300; }

static tn_status see_row(void *user, double t, int n, const double *values) {
  picture *g = user;
  (void)n;
  if (!drawable(t)) return TN_OK;
  if (!g->scaled) {
    widen(&g->t0, &g->t1, t);
    return TN_OK;
  }
  const double width = g->t1 - g->t0;
  int bin = width > 0 ? (int)((t - g->t0) / width * (BINS - 1) + 0.5) : 0;
  bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
  const int64_t every = g->rows / POINTS_MOST + 1;
  if (every == 1) g->t[g->row] = t;
  for (int k = 0; k < g->panels; k++) {
    panel *a = &g->panel[k];
    for (int i = 0; i < a->n; i++) {
      const double v = values[a->first + i];
      if (!drawable(v)) {
        if (every == 1) a->curve[i].raw[g->row] = NAN;
        continue;
      }
      widen(&a->lo, &a->hi, v);
      curve *c = &a->curve[i];
      if (every == 1) c->raw[g->row] = v;
      if (!(c->lo[bin] <= c->hi[bin])) c->first[bin] = v;
      c->last[bin] = v;
      widen(&c->lo[bin], &c->hi[bin], v);
    }
    if (!a->path || g->row % every) continue;
    const double x = values[a->first], y = values[a->first + 1];
    if (!drawable(x) || !drawable(y)) continue;
    widen(&a->x[0], &a->x[1], x);
    widen(&a->y[0], &a->y[1], y);
    a->px[a->points] = x;
    a->py[a->points++] = y;
  }
  g->row++;
  return TN_OK;
}

/* a step of 1, 2 or 5 times a power of ten that divides the range into about n */
static double tick(double range, int n) {
  const double rough = range / n, power = pow(10, floor(log10(rough))), s = rough / power;
  return power * (s <= 1 ? 1 : s <= 2 ? 2 : s <= 5 ? 5 : 10);
}

/* as XML, cut at whole characters */
static void escaped(tn_printer *p, const char *s) {
  const size_t n = strlen(s);
  char escape[8];
  for (size_t i = 0; i < n && i < 160;) {
    const int size = tn_escape(s + i, n - i, escape);
    const char c = s[i];
    if (c == '<' || c == '&' || c == '>')
      tn_put(p, c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;");
    else
      tn_put(p, "%.*s", size, s + i);
    i += (size_t)size;
  }
}

static void text(tn_printer *p, double x, double y, const char *anchor, const char *words) {
  tn_put(p, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  escaped(p, words);
  tn_put(p, "</text>\n");
}

typedef struct box {
  double x, y, w, h;     /* pixels */
  double u0, u1, v0, v1; /* values */
} box;

static double at_u(const box *b, double u) { return b->x + b->w * (u - b->u0) / (b->u1 - b->u0); }
static double at_v(const box *b, double v) { return b->y + b->h - b->h * (v - b->v0) / (b->v1 - b->v0); }

static void frame(tn_printer *p, const box *b, int across, int up) {
  char words[32];
  tn_put(p, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#fff\" stroke=\"#999\"/>\n", b->x, b->y,
         b->w, b->h);
  const double du = tick(b->u1 - b->u0, across), dv = tick(b->v1 - b->v0, up);
  for (double k = ceil(b->u0 / du - TN_WHOLE); k * du <= b->u1 + TN_WHOLE * du; k++) {
    tn_format(words, sizeof words, "%.6g", k * du + 0.0);
    tn_put(p, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"#e4e4e4\"/>\n", at_u(b, k * du), b->y, b->h);
    text(p, at_u(b, k * du), b->y + b->h + 16, "middle", words);
  }
  for (double k = ceil(b->v0 / dv - TN_WHOLE); k * dv <= b->v1 + TN_WHOLE * dv; k++) {
    tn_format(words, sizeof words, "%.6g", k * dv + 0.0);
    tn_put(p, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#e4e4e4\"/>\n", b->x, at_v(b, k * dv), b->w);
    text(p, b->x - 6, at_v(b, k * dv) + 4, "end", words);
  }
}

/* room around a range; one without width gets some */
static void loosen(double *lo, double *hi) {
  if (!(*lo <= *hi)) *lo = 0, *hi = 0;
  const double middle = (*lo + *hi) / 2, size = fmax(*hi - *lo, fmax(TN_FLAT_RANGE * fabs(middle), RANGE_LEAST));
  *lo = middle - 0.54 * size;
  *hi = middle + 0.54 * size;
}

static void draw_path(tn_printer *p, const panel *a, double y) {
  box b = {LEFT, y, HEIGHT, HEIGHT, 0, 0, 0, 0};
  double half = fmax(a->x[1] - a->x[0], a->y[1] - a->y[0]) / 2;
  const double cx = (a->x[0] + a->x[1]) / 2, cy = (a->y[0] + a->y[1]) / 2;
  half = 1.08 * fmax(half, fmax(TN_FLAT_RANGE * fmax(fabs(cx), fabs(cy)), RANGE_LEAST));
  b.u0 = cx - half, b.u1 = cx + half, b.v0 = cy - half, b.v1 = cy + half;
  frame(p, &b, 4, 5);
  tn_put(p, "<polyline fill=\"none\" stroke=\"%s\" points=\"", colors[0]);
  for (int64_t i = 0; i < a->points; i++) tn_put(p, "%.2f,%.2f ", at_u(&b, a->px[i]), at_v(&b, a->py[i]));
  tn_put(p, "\"/>\n");
}

static void draw_curve(const picture *g, tn_printer *p, const box *b, const curve *c, const char *color) {
  const bool few = g->rows < POINTS_MOST;
  tn_put(p, "<polyline fill=\"none\" stroke=\"%s\" points=\"", color);
  for (int64_t i = 0; few && i < g->row; i++)
    if (isfinite(c->raw[i])) tn_put(p, "%.2f,%.2f ", at_u(b, g->t[i]), at_v(b, c->raw[i]));
  for (int i = 0; !few && i < BINS; i++) {
    if (!(c->lo[i] <= c->hi[i])) continue;
    const double x = b->x + b->w * i / (BINS - 1);
    const double v[] = {c->first[i], c->lo[i], c->hi[i], c->last[i]};
    for (int k = 0; k < 4; k++)
      if (k == 0 || v[k] != v[k - 1]) tn_put(p, "%.2f,%.2f ", x, at_v(b, v[k]));
  }
  tn_put(p, "\"/>\n");
}

static void draw_panel(picture *g, panel *a, double y) {
  tn_printer *p = &g->p;
  char words[320];
  double x = LEFT;
  if (a->path && a->x[0] <= a->x[1]) {
    draw_path(p, a, y);
    x += PATH + 30;
  }
  box b = {x, y, WIDTH - RIGHT - x, HEIGHT, g->t0, g->t1, a->lo, a->hi};
  loosen(&b.v0, &b.v1);
  if (!(b.u1 - b.u0 > TN_FLAT_RANGE * fmax(fabs(b.u0), fabs(b.u1)))) loosen(&b.u0, &b.u1);
  frame(p, &b, 10, 6);
  double legend = LEFT;
  for (int i = 0; i < a->n; i++) {
    const char *unit = tn_result_unit(g->r, a->first + i), *name = tn_result_column(g->r, a->first + i);
    draw_curve(g, p, &b, &a->curve[i], colors[i]);
    tn_format(words, sizeof words, "%s%s%s", name, *unit ? ", " : "", unit);
    tn_put(p, "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", legend, y - 17, colors[i]);
    text(p, legend + 15, y - 8, "start", words);
    legend += 32 + 7.2 * (double)strlen(words);
  }
}

static tn_status arrange(picture *g, tn_arena *arena) {
  int first, n;
  char name[128];
  if (!(g->t = tn_arena_alloc(arena, sizeof *g->t * (POINTS_MOST + 1)))) return TN_E_MEMORY;
  for (int k = 1; k < tn_result_groups(g->r); k++) {
    n = tn_result_group(g->r, k, name, sizeof name, &first);
    /* a body has lengths and angles: what has one unit shares a panel */
    for (int from = first; from < first + n;) {
      int to = from + 1;
      while (to < first + n && to - from < CURVES_MOST &&
             strcmp(tn_result_unit(g->r, from), tn_result_unit(g->r, to)) == 0)
        to++;
      if (g->panels == PANELS_MOST) {
        g->left_out++;
        from = to;
        continue;
      }
      panel *a = &g->panel[g->panels++];
      const char *last = strrchr(tn_result_column(g->r, from), '.'), *next = NULL;
      if (to - from >= 2) next = strrchr(tn_result_column(g->r, from + 1), '.');
      *a = (panel){.first = from, .n = to - from, .lo = INFINITY, .hi = -INFINITY};
      a->path = to - from == 2 && strcmp(tn_result_unit(g->r, from), "m") == 0 && last && next &&
                strcmp(last, ".x") == 0 && strcmp(next, ".y") == 0;
      a->x[0] = a->y[0] = INFINITY;
      a->x[1] = a->y[1] = -INFINITY;
      a->curve = tn_arena_alloc(arena, sizeof *a->curve * (size_t)a->n);
      if (a->path) {
        a->px = tn_arena_alloc(arena, sizeof *a->px * (POINTS_MOST + 1));
        a->py = tn_arena_alloc(arena, sizeof *a->py * (POINTS_MOST + 1));
        if (!a->px || !a->py) return TN_E_MEMORY;
      }
      if (!a->curve) return TN_E_MEMORY;
      for (int i = 0; i < a->n; i++)
        if (!(a->curve[i].raw = tn_arena_alloc(arena, sizeof *a->curve[i].raw * (POINTS_MOST + 1)))) return TN_E_MEMORY;
      for (int i = 0; i < a->n; i++)
        for (int j = 0; j < BINS; j++) a->curve[i].lo[j] = INFINITY, a->curve[i].hi[j] = -INFINITY;
      from = to;
    }
  }
  return TN_OK;
}

static tn_status draw(picture *g, tn_arena *arena, tn_error *e) {
  tn_status status = arrange(g, arena);
  if (status != TN_OK) return tn_fail(e, status, "out of memory for the picture");
  g->rows = tn_result_rows(g->r);
  g->t0 = INFINITY;
  g->t1 = -INFINITY;
  for (int pass = 0; pass < 2 && status == TN_OK; pass++) {
    g->scaled = pass == 1;
    status = tn_result_each(g->r, see_row, g, e);
  }
  if (status != TN_OK) return status;
  tn_printer *p = &g->p;
  char words[200];
  int notes = g->left_out > 0;
  for (int i = 0; i < NOTES_MOST && tn_result_missing(g->r, i, words, sizeof words); i++) notes++;
  const int height = TOP + g->panels * (HEIGHT + BETWEEN) + NOTE * notes;
  const char *title = tn_result_title(g->r);
  tn_put(p,
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
         "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
         WIDTH, height, WIDTH, height);
  tn_put(p, "<g font-size=\"15\">");
  text(p, LEFT, 24, "start", *title ? title : tn_result_name(g->r));
  tn_put(p, "</g>\n");
  for (int k = 0; k < g->panels; k++) draw_panel(g, &g->panel[k], TOP + 8 + k * (HEIGHT + BETWEEN));
  if (g->panels) text(p, WIDTH - RIGHT, height - 14 - NOTE * notes, "end", "t, s");
  int at = height - 12 - NOTE * (notes - 1);
  for (int i = 0; i < NOTES_MOST && tn_result_missing(g->r, i, words, sizeof words); i++, at += NOTE)
    text(p, LEFT, at, "start", words);
  if (g->left_out) {
    tn_format(words, sizeof words, "and %d more that are not drawn", g->left_out);
    text(p, LEFT, at, "start", words);
  }
  tn_put(p, "</svg>\n");
  return p->failed ? tn_fail(e, TN_E_IO, "the picture could not be written") : TN_OK;
}

tn_status tn_result_svg(tn_result *r, tn_write write, void *user, tn_error *e) {
  TN_NEED(e, r, "result");
  TN_NEED(e, write, "write");
  tn_arena arena;
  tn_error_clear(e);
  tn_arena_init(&arena, tn_result_allocator(r));
  picture *g = tn_arena_alloc(&arena, sizeof *g);
  tn_status status = g ? TN_OK : tn_fail(e, TN_E_MEMORY, "out of memory for the picture");
  if (g) {
    *g = (picture){.p = {write, user, false}, .r = r};
    status = draw(g, &arena, e);
  }
  tn_arena_free(&arena);
  return status;
}
