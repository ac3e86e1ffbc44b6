/* Mamdani inference: the output sets of a controller, cut or scaled by how far their rules are met, joined by the larger membership, and
 * the centroid of that.
 *   (1) mu(z) = max_k min(w_k, m_k(z))  or  max_k w_k m_k(z),   F = int z mu dz / int mu dz
 *   (2) a set of straight sides that is cut or scaled is a trapezoid: foot, top, top, foot and its height w_k
 *   (3) between two neighbouring corners all sets are straight, and mu is the upper envelope of straight lines. it is walked from the
 *       left: from the highest line on to the one that crosses it next. both integrals are exact */
#include "stabilize/stabilize.h"

enum { MOST = TN_CONTROLLER_MOST };

typedef struct piece { /* (2) */
  double corner[4], height;
} piece;

typedef struct line { /* over an interval: its ends */
  double left, right;
} line;

typedef struct sums {
  double area, moment;
} sums;

static piece cut_piece(const tn_fuzzy_set *s, double w, bool minimum) {
  const double lost = minimum ? 1 - w : 0;
  return (piece){
      {s->top[0] - s->fall[0], s->top[0] - lost * s->fall[0], s->top[1] + lost * s->fall[1], s->top[1] + s->fall[1]},
      w};
}

/* a piece between two neighbouring corners, of all pieces */
static bool line_of(const piece *p, double from, double to, line *l) {
  const double *c = p->corner, middle = (from + to) / 2;
  if (!(middle > c[0] && middle < c[3])) return false;
  *l = (line){p->height, p->height};
  if (middle < c[1])
    *l = (line){p->height * (from - c[0]) / (c[1] - c[0]), p->height * (to - c[0]) / (c[1] - c[0])};
  else if (middle > c[2])
    *l = (line){p->height * (c[3] - from) / (c[3] - c[2]), p->height * (c[3] - to) / (c[3] - c[2])};
  return true;
}

static void add(sums *s, double from, double to, double a, double b) {
  const double width = to - from;
  s->area += width * (a + b) / 2;
  s->moment += width * (from * (2 * a + b) + to * (a + 2 * b)) / 6;
}

/* (3) over one interval; shares of it: 0 at its left end, 1 at its right */
static void walk(sums *s, double from, double to, int n, const line *l) {
  int now = 0;
  for (int i = 1; i < n; i++)
    if (l[i].left > l[now].left || (l[i].left == l[now].left && l[i].right > l[now].right)) now = i;
  for (double at = 0;;) {
    double next = 1;
    int then = -1;
    for (int i = 0; i < n; i++) {
      const double above = l[i].right - l[now].right;
      if (!(above > 0)) continue;
      const double below = l[now].left - l[i].left, cross = fmax(at, below / (below + above));
      if (then < 0 || cross < next || (cross == next && l[i].right > l[then].right)) next = cross, then = i;
    }
    const double rise = l[now].right - l[now].left, width = to - from;
    add(s, from + at * width, from + next * width, l[now].left + at * rise, l[now].left + next * rise);
    if (then < 0) return;
    at = next, now = then;
  }
}

static void sort(int n, double *x) {
  for (int i = 1; i < n; i++) {
    const double v = x[i];
    int k = i;
    for (; k > 0 && x[k - 1] > v; k--) x[k] = x[k - 1];
    x[k] = v;
  }
}

double tn_fuzzy_centroid(const tn_fuzzy_sets *out, const double *w, bool minimum) {
  piece all[MOST];
  line straight[MOST];
  double corner[4 * MOST];
  sums s = {0, 0};
  int n = 0;
  for (int k = 0; k < out->n; k++) {
    if (!(w[k] > 0)) continue;
    all[n] = cut_piece(&out->set[k], w[k], minimum);
    memcpy(corner + (ptrdiff_t)4 * n, all[n].corner, sizeof all[n].corner);
    n++;
  }
  sort(4 * n, corner);
  for (int i = 1; i < 4 * n; i++) {
    int lines = 0;
    for (int k = 0; k < n; k++) lines += line_of(&all[k], corner[i - 1], corner[i], &straight[lines]);
    if (lines) walk(&s, corner[i - 1], corner[i], lines, straight);
  }
  return s.moment / s.area;
}
