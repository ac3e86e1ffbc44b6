/* the controller of `fuzzy`: sets of x and sets of y, a rule for each pair of them, and what the rules have in common.
 *   (1) F(x, y) = sum_jk w_jk z_jk / sum_jk w_jk,  w_jk = m_j(x) m_k(y) or the smaller of the two,  x and y cut to -1 .. 1
 *   (2) of y alone: the rules whose x is in the middle set:  w_k = m_k(y), x = 0
 *   (3) m(x) = 1 between top[0] and top[1]; beside it, at a distance d: 1 - d/fall, at least 0, or exp(-(d/fall)^2/2)
 *   (4) z_jk: a number c_jk (Sugeno, order zero), or a_jk x + b_jk y + c_jk (order one), F then cut to -1 .. 1
 *   (5) Mamdani: each rule names an output set; the centroid of all, F, is that of centroid.c, cut to -1 .. 1. how far an output set is
 *       met is the largest w_jk of its rules
 *   (6) as published: five sets around -1, -1/2, 0, 1/2, 1, c_jk the sum of the two centres, cut to -1 .. 1. n sets: centres
 *       2/(n - 1) apart, and widths in proportion */
#include "stabilize/stabilize.h"

enum { MOST = TN_CONTROLLER_MOST };
/* of the universe: the same of Mamdani, whose slope at zero is that of a dead band */
static const double PROBE_MAMDANI = 1e-3;

static double within(double x) { return x < -1 ? -1 : x > 1 ? 1 : x; }

double tn_fuzzy_member(const tn_fuzzy_set *s, double x) {
  const int side = x > s->top[1];
  const double d = side ? x - s->top[1] : s->top[0] - x;
  if (d <= 0) return 1;
  const double r = d / s->fall[side];
  return s->gaussian ? exp(-0.5 * r * r) : fmax(0, 1 - r);
}

static void members(const tn_fuzzy_sets *s, double x, double *m) {
  for (int k = 0; k < s->n; k++) m[k] = tn_fuzzy_member(&s->set[k], x);
}

/* (1) or (2), of rows from .. to of the table */
static double sugeno(const tn_controller *c, int from, int to, double x, double y, const double *mx, const double *my) {
  double sum = 0, all = 0;
  for (int j = from; j < to; j++)
    for (int k = 0; k < c->y.n; k++) {
      const double w = c->both ? fmin(mx[j], my[k]) : mx[j] * my[k];
      sum += w * (c->first_order ? c->table_x[j][k] * x + c->table_y[j][k] * y + c->table[j][k] : c->table[j][k]);
      all += w;
    }
  return c->first_order ? within(sum / all) : sum / all;
}

/* (5), likewise */
static double mamdani(const tn_controller *c, int from, int to, const double *mx, const double *my) {
  double met[MOST] = {0};
  for (int j = from; j < to; j++)
    for (int k = 0; k < c->y.n; k++) {
      const double w = c->both ? fmin(mx[j], my[k]) : mx[j] * my[k];
      double *of = &met[c->output[j][k]];
      *of = fmax(*of, w);
    }
  return within(tn_fuzzy_centroid(&c->out, met, c->both));
}

double tn_controller_surface(const tn_controller *c, double x, double y) {
  double mx[MOST], my[MOST];
  x = within(x), y = within(y);
  members(&c->x, x, mx);
  members(&c->y, y, my);
  return c->mamdani ? mamdani(c, 0, c->x.n, mx, my) : sugeno(c, 0, c->x.n, x, y, mx, my);
}

double tn_controller_line(const tn_controller *c, double y) {
  double mx[MOST], my[MOST];
  const int middle = c->x.n / 2;
  y = within(y);
  members(&c->y, y, my);
  mx[middle] = 1;
  return c->mamdani ? mamdani(c, middle, middle + 1, mx, my) : sugeno(c, middle, middle + 1, 0, y, mx, my);
}

/* slopes of a Mamdani controller are taken over a longer way: a rule that is met by less than another one of the same output set does
 * nothing, and where Gaussian sets overlap by 1e-6 the slope at zero itself would be that of such a dead band */
void tn_controller_slopes(tn_controller *c) {
  const double near = c->mamdani ? PROBE_MAMDANI : TN_FUZZY_NEAR;
  c->slope_x = (tn_controller_surface(c, near, 0) - tn_controller_surface(c, -near, 0)) / (2 * near);
  c->slope_y = (tn_controller_surface(c, 0, near) - tn_controller_surface(c, 0, -near)) / (2 * near);
  c->slope_line = (tn_controller_line(c, near) - tn_controller_line(c, -near)) / (2 * near);
}

static double centre_of(int n, int k) { return (2.0 * k - (n - 1)) / (n - 1); }

void tn_fuzzy_sets_named(tn_fuzzy_sets *s, int set, int n, double width) {
  static const double top[] = {0, 0.1, 0}, fall[] = {0.5, 0.3, 0.2};
  const double share = 4.0 / (n - 1) * width;
  s->n = n;
  for (int k = 0; k < n; k++) {
    const double c = centre_of(n, k), t = top[set] * share, f = fall[set] * share;
    s->set[k] = (tn_fuzzy_set){.top = {c - t, c + t}, .fall = {f, f}, .gaussian = set == 2};
  }
}

void tn_controller_rules(tn_controller *c) {
  for (int j = 0; j < c->x.n; j++)
    for (int k = 0; k < c->y.n; k++) c->table[j][k] = within(centre_of(c->x.n, j) + centre_of(c->y.n, k));
}

void tn_controller_preset(tn_controller *c, int set, int both) {
  memset(c, 0, sizeof *c);
  c->both = both;
  tn_fuzzy_sets_named(&c->x, set, 5, 1);
  c->y = c->x;
  tn_controller_rules(c);
  tn_controller_slopes(c);
}
