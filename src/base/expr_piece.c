/* Expressions: piecewise smooth operations, the piece that their operands are in, and the margin inside it.
 * SPDX-License-Identifier: MIT
 *
 * pieces are numbered:
 *   abs step sign   -1, 0, 1: the sign of x; abs and step have no 0 of their own: abs -1 1, step 0 1
 *   min max         1: the first operand, 0: the second          comparisons   1 true, 0 false
 *   mod(a, b)       floor(a/b)                                   step(x, ..)   -1 before, 0 between, 1 after
 *   table           left knot of the piece, -1 before the first  spline        -1 before, 0 inside, 1 after
 * The margin of a piece is 0 at its threshold and negative outside. A piece may be a single point, as that of `a == b`: its margin is 0
 * there and negative everywhere else. The piece on both sides of such a point has a margin that touches 0, and nothing switches. */
#include "base/expr.h"

int tn_piece_takes(int code) {
  static const uint8_t takes[TN_OP_ALONG + 1] = {
      [TN_OP_ABS] = 1, [TN_OP_SIGN] = 1, [TN_OP_STEP] = 1, [TN_OP_TABLE] = 1, [TN_OP_SPLINE] = 1,
      [TN_OP_LT] = 2,  [TN_OP_LE] = 2,   [TN_OP_GT] = 2,   [TN_OP_GE] = 2,    [TN_OP_EQ] = 2,
      [TN_OP_NE] = 2,  [TN_OP_MIN] = 2,  [TN_OP_MAX] = 2,  [TN_OP_MOD] = 2,   [TN_OP_SMOOTH] = 5};
  return takes[code];
}

/* the left knot of the piece of a table that x is in, or -1 before the first and n-1 from the last on */
static int knot_of(const tn_lookup *table, double x) {
  int low = -1, high = table->n;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (table->x[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* the held piece, whatever its number */
static int knot_held(const tn_lookup *table, double piece) {
  return !(piece >= 0) ? -1 : piece >= table->n - 1 ? table->n - 1 : (int)piece;
}

static double between(double s) { return s <= 0 ? -1 : s >= 1 ? 1 : 0; }

double tn_piece_live(const tn_op *op, const double *a) {
  const double x = a[0];
  if (isnan(x)) return x;
  if (tn_piece_takes(op->code) == 2 && isnan(a[1])) return a[1];
  switch (op->code) {
  case TN_OP_ABS: return x < 0 ? -1 : 1;
  case TN_OP_SIGN: return x > 0 ? 1 : x < 0 ? -1 : 0;
  case TN_OP_STEP: return x >= 0;
  case TN_OP_TABLE: return knot_of(op->as.table, x);
  case TN_OP_SPLINE: return x < op->as.table->x[0] ? -1 : x >= op->as.table->x[op->as.table->n - 1];
  case TN_OP_LT: return x < a[1];
  case TN_OP_LE: return x <= a[1];
  case TN_OP_GT: return x > a[1];
  case TN_OP_GE: return x >= a[1];
  case TN_OP_EQ: return x == a[1];
  case TN_OP_NE: return x != a[1];
  case TN_OP_MIN: return x <= a[1];
  case TN_OP_MAX: return x >= a[1];
  case TN_OP_MOD: return floor(x / a[1]);
  default: { /* step(x, x0, y0, x1, y1) */
    const double s = (x - a[1]) / (a[3] - a[1]);
    return isnan(s) ? s : between(s);
  }
  }
}

double tn_piece_margin(const tn_op *op, double piece, const double *a) {
  const double x = a[0];
  switch (op->code) {
  case TN_OP_ABS: return piece < 0 ? -x : x;
  case TN_OP_SIGN: return piece < 0 ? -x : piece > 0 ? x : -fabs(x);
  case TN_OP_STEP: return piece != 0 ? x : -x;
  case TN_OP_TABLE: {
    const tn_lookup *table = op->as.table;
    const int k = knot_held(table, piece);
    if (k < 0) return table->x[0] - x;
    return k == table->n - 1 ? x - table->x[k] : fmin(x - table->x[k], table->x[k + 1] - x);
  }
  case TN_OP_SPLINE: {
    const double low = x - op->as.table->x[0], high = op->as.table->x[op->as.table->n - 1] - x;
    return piece < 0 ? -low : piece > 0 ? -high : fmin(low, high);
  }
  case TN_OP_LT:
  case TN_OP_LE:
  case TN_OP_MIN: return piece != 0 ? a[1] - x : x - a[1];
  case TN_OP_GT:
  case TN_OP_GE:
  case TN_OP_MAX: return piece != 0 ? x - a[1] : a[1] - x;
  case TN_OP_EQ: return piece != 0 ? -fabs(x - a[1]) : fabs(x - a[1]);
  case TN_OP_NE: return piece != 0 ? fabs(x - a[1]) : -fabs(x - a[1]);
  case TN_OP_MOD: {
    const double r = x / a[1];
    return fmin(r - piece, piece + 1 - r);
  }
  default: {
    const double s = (x - a[1]) / (a[3] - a[1]);
    return piece < 0 ? -s : piece > 0 ? s - 1 : fmin(s, 1 - s);
  }
  }
}

double tn_piece(const tn_op *op, const double *a, const tn_switching *w) {
  if (!w || !op->index || w->how == TN_PIECES_LIVE) return tn_piece_live(op, a);
  const int i = op->index - 1;
  if (w->how == TN_PIECES_RECORD) w->piece[i] = tn_piece_live(op, a);
  const double piece = w->piece[i], margin = tn_piece_margin(op, piece, a);
  w->margin[i] = margin;
  if (margin > 0) return piece;
  const double live = tn_piece_live(op, a);
  w->live[i] = live;
  return isnan(live) ? live : piece;
}

void tn_piece_look_up(const tn_op *op, double piece, double x, double y[3]) {
  const tn_lookup *t = op->as.table;
  const bool spline = op->code == TN_OP_SPLINE;
  int k = knot_held(t, piece);
  y[1] = y[2] = 0;
  if (k < 0 || (spline ? k > 0 : k == t->n - 1)) {
    y[0] = t->y[k < 0 ? 0 : t->n - 1];
    return;
  }
  if (spline) { /* held: beyond its ends the outer cubics go on */
    k = knot_of(t, x);
    k = k < 0 ? 0 : k > t->n - 2 ? t->n - 2 : k;
  }
  const double h = t->x[k + 1] - t->x[k], slope = (t->y[k + 1] - t->y[k]) / h, s = x - t->x[k];
  if (!spline) {
    y[0] = t->y[k] + slope * s;
    y[1] = slope;
    return;
  }
  /* y = y_k + s (slope - (2 b_k + b_{k+1}) h/6) + s^2 b_k/2 + s^3 (b_{k+1} - b_k)/(6 h) */
  const double b = t->bend[k], third = (t->bend[k + 1] - b) / h, c = slope - h * (2 * b + t->bend[k + 1]) / 6;
  y[0] = t->y[k] + s * (c + s * (b / 2 + s * third / 6));
  y[1] = c + s * (b + s * third / 2);
  y[2] = b + s * third;
}

size_t tn_expr_copy_size(const tn_expr *expr) {
  bool some = false;
  for (int i = 0; i < expr->n; i++)
    some = some || expr->op[i].code == TN_OP_PARAMETER || (tn_piece_takes(expr->op[i].code) && expr->op[i].index);
  return some ? sizeof *expr + sizeof *expr->op * (size_t)expr->n : 0;
}

const tn_expr *tn_expr_copy(const tn_expr *expr, const tn_switching *w, void *room) {
  tn_expr *copy = room;
  memcpy(copy, expr, tn_expr_copy_size(expr));
  copy->held = w;
  return copy;
}
