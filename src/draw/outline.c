/* Loops in the plane: arcs, convex hulls, and triangulation by ear clipping; holes are first joined to the outline by bridges. */
#include <stdlib.h>

#include "draw/maker.h"

static const double SAME_ANGLE = 1e-9; /* rad: two directions of an outline are one */

void tn_outline_start(tn_outline *o) { o->points = o->loops = 0; }

bool tn_outline_add(tn_maker *k, tn_outline *o, double x, double y) {
  void *xy = o->xy;
  if (!tn_maker_grow(k, &xy, o->points, &o->room, 2 * sizeof *o->xy)) return false;
  o->xy = xy;
  o->xy[2 * o->points] = x;
  o->xy[2 * o->points++ + 1] = y;
  return true;
}

void tn_outline_close(tn_maker *k, tn_outline *o) {
  void *loop = o->loop;
  if (!tn_maker_grow(k, &loop, o->loops, &o->loop_room, sizeof *o->loop)) return;
  o->loop = loop;
  o->loop[o->loops++] = o->points;
}

void tn_outline_arc(tn_maker *k, tn_outline *o, const double c[2], double r, double from, double to) {
  const int n = 1 + (int)ceil(fabs(to - from) / (TN_PI / 18));
  for (int i = 0; i <= n; i++) {
    const double a = from + (to - from) * i / n;
    tn_outline_add(k, o, c[0] + r * cos(a), c[1] + r * sin(a));
  }
}

static int by_place(const void *a, const void *b) {
  const double *p = a, *q = b;
  if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
  return p[1] < q[1] ? -1 : p[1] > q[1];
}

static double turn(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* counterclockwise, in place; two points stay two */
static int hull(tn_maker *k, int n, double (*p)[2]) {
  if (n < 3) return n;
  double(*h)[2] = tn_maker_alloc(k, sizeof *h * (size_t)(2 * n));
  if (!h) return 0;
  qsort(p, (size_t)n, sizeof *p, by_place);
  int m = 0;
  for (int i = 0; i < n; i++) {
    while (m >= 2 && turn(h[m - 2], h[m - 1], p[i]) <= 0) m--;
    memcpy(h[m++], p[i], sizeof *p);
  }
  const int lower = m + 1;
  for (int i = n - 2; i >= 0; i--) {
    while (m >= lower && turn(h[m - 2], h[m - 1], p[i]) <= 0) m--;
    memcpy(h[m++], p[i], sizeof *p);
  }
  m--;
  memcpy(p, h, sizeof *p * (size_t)m);
  return m;
}

void tn_outline_hull(tn_maker *k, tn_outline *o, int n, double (*p)[2], double margin) {
  n = hull(k, n, p);
  if (n == 1) {
    const int steps = 36;
    for (int i = 0; i < steps; i++)
      tn_outline_add(k, o, p[0][0] + margin * cos(2 * TN_PI * i / steps),
                     p[0][1] + margin * sin(2 * TN_PI * i / steps));
  }
  for (int i = 0; n > 1 && i < n; i++) {
    const double *a = p[(i + n - 1) % n], *b = p[i], *c = p[(i + 1) % n];
    if (margin <= 0) {
      tn_outline_add(k, o, b[0], b[1]);
      continue;
    }
    const double in = atan2(b[1] - a[1], b[0] - a[0]) - TN_PI / 2;
    double out = atan2(c[1] - b[1], c[0] - b[0]) - TN_PI / 2;
    while (out < in - SAME_ANGLE) out += 2 * TN_PI;
    while (out > in + 2 * TN_PI - SAME_ANGLE) out -= 2 * TN_PI;
    tn_outline_arc(k, o, b, margin, in, out);
  }
  tn_outline_close(k, o);
}

/* ---- triangles ---- */

typedef struct ring { /* points of a polygon in order; a bridge goes over two of them twice */
  int n, *at;
} ring;

static bool cross(const double a[2], const double b[2], const double c[2], const double d[2]) {
  return turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
}

static bool same(const double a[2], const double b[2]) { return a[0] == b[0] && a[1] == b[1]; }

/* no edge of any loop crosses the line from p to q */
static bool clear(const tn_outline *o, const double p[2], const double q[2]) {
  for (int l = 0, from = 0; l < o->loops; from = o->loop[l++])
    for (int i = from, last = o->loop[l] - 1; i < o->loop[l]; last = i++) {
      const double *a = o->xy + 2 * last, *b = o->xy + 2 * i;
      if (!same(a, p) && !same(a, q) && !same(b, p) && !same(b, q) && cross(a, b, p, q)) return false;
    }
  return true;
}

/* whether the bridge leaves a corner of the ring inwards */
static bool inside(const tn_outline *o, const ring *r, int i, const double q[2]) {
  const double *a = o->xy + 2 * r->at[(i + r->n - 1) % r->n], *b = o->xy + 2 * r->at[i],
               *c = o->xy + 2 * r->at[(i + 1) % r->n];
  if (turn(a, b, c) >= 0) return turn(b, q, a) > 0 && turn(b, c, q) > 0;
  return !(turn(b, q, c) >= 0 && turn(b, a, q) >= 0);
}

static void join_hole(const tn_outline *o, ring *r, int from, int to) {
  int best = 0, start = from;
  double near = INFINITY;
  for (int j = from; j < to; j += 1 + (to - from) / 12)
    for (int i = 0; i < r->n; i++) {
      const double *p = o->xy + 2 * r->at[i], *q = o->xy + 2 * j;
      const double d = hypot(p[0] - q[0], p[1] - q[1]);
      if (d < near && inside(o, r, i, q) && clear(o, p, q)) near = d, best = i, start = j;
    }
  const int n = to - from, added = n + 2;
  memmove(r->at + best + 1 + added, r->at + best + 1, sizeof *r->at * (size_t)(r->n - best - 1));
  for (int i = 0; i <= n; i++) r->at[best + 1 + i] = from + (start - from + i) % n;
  r->at[best + 1 + n + 1] = r->at[best];
  r->n += added;
}

static bool is_ear(const tn_outline *o, const ring *r, const int *next, const int *before, int i) {
  const double *a = o->xy + 2 * r->at[before[i]], *b = o->xy + 2 * r->at[i], *c = o->xy + 2 * r->at[next[i]];
  if (turn(a, b, c) <= 0) return false;
  for (int j = next[next[i]]; j != before[i]; j = next[j]) {
    const double *p = o->xy + 2 * r->at[j];
    if (same(p, a) || same(p, b) || same(p, c)) continue;
    if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
  }
  return true;
}

const uint32_t *tn_outline_triangles(tn_maker *k, const tn_outline *o, int *triangles) {
  const size_t most = (size_t)o->points + 2 * (size_t)o->loops + 2;
  ring r = {0, tn_maker_alloc(k, sizeof *r.at * most)};
  int *next = tn_maker_alloc(k, sizeof *next * most), *before = tn_maker_alloc(k, sizeof *before * most);
  uint32_t *out = tn_maker_alloc(k, 3 * sizeof *out * most);
  *triangles = 0;
  if (!r.at || !next || !before || !out || !o->loops) return NULL;
  for (int i = 0; i < o->loop[0]; i++) r.at[r.n++] = i;
  for (int l = 1; l < o->loops; l++) join_hole(o, &r, o->loop[l - 1], o->loop[l]);
  for (int i = 0; i < r.n; i++) {
    next[i] = (i + 1) % r.n;
    before[i] = (i + r.n - 1) % r.n;
  }
  /* an ear; if there is none the polygon is not simple, and some corner is cut so that the loop ends */
  int left = r.n, i = 0, looked = 0;
  while (left > 2) {
    const bool ear = is_ear(o, &r, next, before, i);
    if (!ear && looked++ < left) {
      i = next[i];
      continue;
    }
    if (ear) {
      const int corner[3] = {before[i], i, next[i]};
      for (int c = 0; c < 3; c++) out[3 * *triangles + c] = (uint32_t)r.at[corner[c]];
      ++*triangles;
    }
    next[before[i]] = next[i];
    before[next[i]] = before[i];
    i = next[next[i]];
    left--;
    looked = 0;
  }
  return out;
}
