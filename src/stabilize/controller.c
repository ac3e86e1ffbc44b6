/* the controller of `fuzzy`: zero-order Sugeno, five sets of x and the same of y, a table of 25 outputs.
 *   (1) F(x, y) = sum_jk w_jk z_jk / sum_jk w_jk,  w_jk = m_j(x) m_k(y) or the smaller of the two,  x and y cut to -1 .. 1
 *   (2) of y alone: F(y) = sum_k m_k(y) z_2k / sum_k m_k(y), the rules whose x is in the middle set
 *   (3) m(x) = 1 between top[0] and top[1]; beside it, at a distance d: 1 - d/fall, at least 0, or exp(-(d/fall)^2/2)
 *   (4) gap: an x within -1 .. 1 that belongs to no set by 1e-6: F is not defined there, or is roundoff
 * one's own sets, by the numbers a list has: [centre, sigma]; [foot, top, foot]; [foot, top, top, foot] */
#include "stabilize/stabilize.h"

enum { SETS = TN_CONTROLLER_SETS };
static const double LEAST = 1e-6, NEAR = 1e-6, REST = 1e-3, ROUNDOFF = 1e-9;

static double within(double x) { return x < -1 ? -1 : x > 1 ? 1 : x; }

double tn_fuzzy_member(const tn_fuzzy_set *s, double x) {
  const int side = x > s->top[1];
  const double d = side ? x - s->top[1] : s->top[0] - x;
  if (d <= 0) return 1;
  const double r = d / s->fall[side];
  return s->gaussian ? exp(-0.5 * r * r) : fmax(0, 1 - r);
}

double tn_controller_surface(const tn_controller *c, double x, double y) {
  double sum = 0, all = 0, mx[SETS], my[SETS];
  x = within(x), y = within(y);
  for (int k = 0; k < SETS; k++) mx[k] = tn_fuzzy_member(&c->set[k], x), my[k] = tn_fuzzy_member(&c->set[k], y);
  for (int j = 0; j < SETS; j++)
    for (int k = 0; k < SETS; k++) {
      const double w = c->both ? fmin(mx[j], my[k]) : mx[j] * my[k];
      sum += w * c->table[j][k];
      all += w;
    }
  return sum / all;
}

double tn_controller_line(const tn_controller *c, double y) {
  double sum = 0, all = 0;
  y = within(y);
  for (int k = 0; k < SETS; k++) {
    const double m = tn_fuzzy_member(&c->set[k], y);
    sum += m * c->table[SETS / 2][k], all += m;
  }
  return sum / all;
}

static void find_slopes(tn_controller *c) {
  c->slope_x = (tn_controller_surface(c, NEAR, 0) - tn_controller_surface(c, -NEAR, 0)) / (2 * NEAR);
  c->slope_y = (tn_controller_surface(c, 0, NEAR) - tn_controller_surface(c, 0, -NEAR)) / (2 * NEAR);
  c->slope_line = (tn_controller_line(c, NEAR) - tn_controller_line(c, -NEAR)) / (2 * NEAR);
}

void tn_controller_preset(tn_controller *c, int set, int both) {
  static const double top[] = {0, 0.1, 0}, fall[] = {0.5, 0.3, 0.2};
  c->both = both;
  for (int k = 0; k < SETS; k++) {
    const double centre = -1 + 0.5 * k;
    c->set[k] = (tn_fuzzy_set){
        .top = {centre - top[set], centre + top[set]}, .fall = {fall[set], fall[set]}, .gaussian = set == 2};
    for (int j = 0; j < SETS; j++) c->table[j][k] = within(-1 + 0.5 * j + centre);
  }
  find_slopes(c);
}

/* ---- one's own ---------------------------------------------------------------------------------------------------------- */

static tn_status finite_numbers(tn_context *ctx, const tn_node *node, int n, double *x) {
  TN_TRY(tn_numbers_at(ctx, node, n, x));
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return tn_refuse(ctx, tn_node_item(node, i), "a finite number is needed here");
  return TN_OK;
}

static tn_status read_set(tn_context *ctx, const tn_node *node, tn_fuzzy_set *s) {
  double x[4];
  const int n = node->kind == TN_NODE_LIST ? (int)node->size : 0;
  if (n < 2 || n > 4)
    return tn_refuse(ctx, node,
                     "a set is [centre, sigma], [foot, top, foot] or [foot, top, top, foot]: two to four numbers");
  TN_TRY(finite_numbers(ctx, node, n, x));
  if (n == 2) {
    if (!(x[1] > 0)) return tn_refuse(ctx, node, "sigma must be positive, not %g", x[1]);
    *s = (tn_fuzzy_set){.top = {x[0], x[0]}, .fall = {x[1], x[1]}, .gaussian = true};
    return TN_OK;
  }
  for (int i = 1; i < n; i++)
    if (x[i] < x[i - 1])
      return tn_refuse(ctx, node, "the numbers of a set go from left to right: %g is left of %g", x[i], x[i - 1]);
  *s = (tn_fuzzy_set){.top = {x[1], x[n - 2]}, .fall = {x[1] - x[0], x[n - 1] - x[n - 2]}};
  for (int i = 0; i < 2; i++)
    if (!(s->fall[i] > 0) && fabs(s->top[i]) < 1)
      return tn_refuse(ctx, node, "the side of this set at %g is upright: the feedback would jump there", s->top[i]);
  return TN_OK;
}

/* (4): from the left, as far as the sets that are there reach */
static tn_status find_gap(tn_context *ctx, const tn_node *node, const tn_controller *c) {
  double x = -1;
  for (;;) {
    double reach = x, next = 1;
    for (int k = 0; k < SETS; k++) {
      const tn_fuzzy_set *s = &c->set[k];
      const double share = s->gaussian ? sqrt(-2 * log(LEAST)) : 1 - LEAST;
      const double from = s->top[0] - share * s->fall[0], to = s->top[1] + share * s->fall[1];
      if (from <= x && to > reach) reach = to;
      if (from > x && from < next) next = from;
    }
    if (reach >= 1) return TN_OK;
    if (reach == x)
      return tn_refuse(ctx, node, "between %.6g and %.6g no set has a member: the feedback is not defined there", x,
                       next);
    x = reach;
  }
}

static tn_status read_sets(tn_context *ctx, const tn_node *node, tn_controller *c) {
  if (node->kind != TN_NODE_LIST || node->size != SETS)
    return tn_refuse(ctx, node, "`sets` needs a list of %d sets", SETS);
  const tn_node *k = node->first;
  for (int i = 0; i < SETS; i++, k = k->next) {
    const tn_fuzzy_set *s = &c->set[i];
    TN_TRY(read_set(ctx, k, &c->set[i]));
    if (i && !(s->top[0] / 2 + s->top[1] / 2 > s[-1].top[0] / 2 + s[-1].top[1] / 2))
      return tn_refuse(ctx, k, "the sets go from left to right: set %d is not right of set %d", i + 1, i);
  }
  return find_gap(ctx, node, c);
}

static tn_status read_table(tn_context *ctx, const tn_node *node, tn_controller *c) {
  if (node->kind != TN_NODE_LIST || node->size != SETS)
    return tn_refuse(ctx, node, "`table` needs %d rows, one for each set of C", SETS);
  const tn_node *row = node->first;
  for (int j = 0; j < SETS; j++, row = row->next) {
    if (row->kind != TN_NODE_LIST || row->size != SETS)
      return tn_refuse(ctx, row, "a row of `table` needs %d numbers, one for each set of Cdot", SETS);
    TN_TRY(finite_numbers(ctx, row, SETS, c->table[j]));
    for (int k = 0; k < SETS; k++)
      if (fabs(c->table[j][k]) > 1)
        return tn_refuse(ctx, tn_node_item(row, k), "outputs are between -1 and 1, not %g: `ku` makes them larger",
                         c->table[j][k]);
  }
  return TN_OK;
}

/* what would push where nothing is off, or away from where it should. sets that are not symmetric, as Gaussian ones are everywhere,
 * leave a little at zero */
static tn_status find_drive(tn_context *ctx, const tn_node *node, const tn_controller *c) {
  static const char *const of[] = {"F(x, 0)", "F(0, y)", "F(y)"};
  const double rest = tn_controller_surface(c, 0, 0), line = tn_controller_line(c, 0);
  if (!(fabs(rest) <= REST && fabs(line) <= REST))
    return tn_refuse(ctx, node, "the feedback at zero is %.4g, %.4g of Cdot alone: rows would be pushed off", rest,
                     line);
  for (int i = -20; i <= 20; i++) {
    const double x = i ? i / 20.0 : NEAR;
    const double F[] = {tn_controller_surface(c, x, 0) - rest, tn_controller_surface(c, 0, x) - rest,
                        tn_controller_line(c, x) - line};
    for (int k = 0; k < 3; k++)
      if (F[k] * x < -ROUNDOFF * fabs(x))
        return tn_refuse(ctx, node, "%s at %g is %.4g: it would drive a violation instead of taking it away", of[k], x,
                         F[k]);
  }
  return TN_OK;
}

tn_status tn_controller_read(tn_controller *c, tn_context *ctx) {
  const tn_node *sets = tn_node_get(ctx->node, "sets"), *table = tn_node_get(ctx->node, "table");
  if (sets && tn_node_get(ctx->node, "set")) return tn_refuse(ctx, sets, "give `set` or `sets`, not both");
  if (sets) TN_TRY(read_sets(ctx, sets, c));
  if (table) TN_TRY(read_table(ctx, table, c));
  if (sets || table) TN_TRY(find_drive(ctx, table ? table : sets, c));
  find_slopes(c);
  return TN_OK;
}
