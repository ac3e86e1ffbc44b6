/* The interpreter of the postfix program, for any type of number. It is included once for each type:
 *   NUMBER     the type: double, a jet, or the class of a value
 *   OF(name)   the functions of that type: OF(add), OF(sin) ..; OF(machine) is what OF(leaf) takes numbers from
 *   VALUED     defined: the type has a value, by which pieces and `if` are chosen; else the type has its own OF(piece), OF(choose) ..
 * The operations that take and leave one number are in the tables of expr_operations.h. A function with a line there has a value and
 * two derivatives.
 * SPDX-License-Identifier: MIT */
#ifndef RUN_FUNCTION
#include "base/expr_operations.h"

#define RUN_FUNCTION(code, name, slope, bend)                                                                          \
  case TN_OP_##code:                                                                                                   \
    s[-1] = OF(name)(s[-1]);                                                                                           \
    break;
#define RUN_PAIR(code, name)                                                                                           \
  case TN_OP_##code:                                                                                                   \
    s--, s[-1] = OF(name)(s[-1], s[0]);                                                                                \
    break;
#define RUN_VECTOR(code, name)                                                                                         \
  case TN_OP_##code:                                                                                                   \
    s = OF(name)(op->width, s);                                                                                        \
    break;
#endif

static NUMBER OF(dot)(int n, const NUMBER *a, const NUMBER *b) {
  NUMBER sum = OF(mul)(a[0], b[0]);
  for (int i = 1; i < n; i++) sum = OF(add)(sum, OF(mul)(a[i], b[i]));
  return sum;
}

static NUMBER OF(minor)(const NUMBER *a, const NUMBER *b, int i, int k) {
  return OF(sub)(OF(mul)(a[i], b[k]), OF(mul)(a[k], b[i]));
}

/* ---- vectors: v w, or v and a number k, above them the first free place s -------------------------------------------------- */

static NUMBER *OF(vadd)(int w, NUMBER *s) {
  s -= w;
  for (int i = 0; i < w; i++) s[i - w] = OF(add)(s[i - w], s[i]);
  return s;
}

static NUMBER *OF(vsub)(int w, NUMBER *s) {
  s -= w;
  for (int i = 0; i < w; i++) s[i - w] = OF(sub)(s[i - w], s[i]);
  return s;
}

static NUMBER *OF(vneg)(int w, NUMBER *s) {
  for (int i = 1; i <= w; i++) s[-i] = OF(neg)(s[-i]);
  return s;
}

static NUMBER *OF(scale)(int w, NUMBER *s) {
  s--;
  const NUMBER k = s[-w];
  for (int i = -w; i < 0; i++) s[i] = OF(mul)(k, s[i + 1]);
  return s;
}

static NUMBER *OF(scaled)(int w, NUMBER *s) {
  s--;
  for (int i = 1; i <= w; i++) s[-i] = OF(mul)(s[-i], s[0]);
  return s;
}

static NUMBER *OF(vdiv)(int w, NUMBER *s) {
  s--;
  for (int i = 1; i <= w; i++) s[-i] = OF(div)(s[-i], s[0]);
  return s;
}

static NUMBER *OF(vdot)(int w, NUMBER *s) {
  s -= 2 * w - 1;
  s[-1] = OF(dot)(w, s - 1, s - 1 + w);
  return s;
}

static NUMBER *OF(cross2)(int w, NUMBER *s) {
  (void)w;
  s -= 3;
  s[-1] = OF(minor)(s - 1, s + 1, 0, 1);
  return s;
}

static NUMBER *OF(cross3)(int w, NUMBER *s) {
  (void)w;
  s -= 3;
  const NUMBER x = OF(minor)(s - 3, s, 1, 2), y = OF(minor)(s - 3, s, 2, 0), z = OF(minor)(s - 3, s, 0, 1);
  s[-3] = x, s[-2] = y, s[-1] = z;
  return s;
}

static NUMBER *OF(norm)(int w, NUMBER *s) {
  s -= w - 1;
  s[-1] = OF(sqrt)(OF(dot)(w, s - 1, s - 1));
  return s;
}

/* v e_0 .. e_(w-1) -> (v'e_i) */
static NUMBER *OF(along)(int w, NUMBER *s) {
  NUMBER result[3];
  NUMBER *a = s - w * (w + 1);
  for (int i = 0; i < w; i++) result[i] = OF(dot)(w, a, a + (i + 1) * w);
  for (int i = 0; i < w; i++) a[i] = result[i];
  return a + w;
}

/* ---- pieces and choices, by the value of a number, a double: OF(value)(a) -------------------------------------------- */

#ifdef VALUED
static NUMBER OF(neither)(const OF(machine) * m, NUMBER a) { return (void)m, OF(number)(neither(OF(value)(a))); }
static NUMBER OF(both)(const OF(machine) * m, NUMBER a, NUMBER b) {
  return (void)m, OF(number)(both(OF(value)(a), OF(value)(b)));
}
static NUMBER OF(either)(const OF(machine) * m, NUMBER a, NUMBER b) {
  return (void)m, OF(number)(either(OF(value)(a), OF(value)(b)));
}

/* `if` with operands c v w: what moves down is v, w or not-a-number */
static void OF(choose)(const OF(machine) * m, int w, NUMBER *a) {
  const double c = OF(value)(a[0]);
  (void)m;
  for (int i = 0; i < w; i++) a[i] = isnan(c) ? OF(number)(c) : c != 0 ? a[1 + i] : a[1 + w + i];
}

static NUMBER OF(smooth)(double piece, const NUMBER *a) {
  if (piece != 0) return piece < 0 ? a[2] : a[4];
  const NUMBER s = OF(div)(OF(sub)(a[0], a[1]), OF(sub)(a[3], a[1]));
  const NUMBER ramp = OF(mul)(OF(mul)(s, s), OF(sub)(OF(number)(3), OF(times)(2, s)));
  return OF(add)(a[2], OF(mul)(OF(sub)(a[4], a[2]), ramp));
}

/* on one of its pieces; a[1] of abs, sign .. is not looked at */
static NUMBER OF(on_piece)(const tn_op *op, double piece, const NUMBER *a) {
  double y[3];
  if (isnan(piece)) return op->code == TN_OP_ABS ? OF(valued)(piece, a[0]) : OF(number)(piece);
  switch (op->code) {
  case TN_OP_ABS: return piece < 0 ? OF(neg)(a[0]) : OF(valued)(OF(value)(a[0]) + 0.0, a[0]);
  case TN_OP_MIN:
  case TN_OP_MAX: return piece != 0 ? a[0] : a[1];
  case TN_OP_MOD: return OF(sub)(a[0], OF(times)(piece, a[1]));
  case TN_OP_SMOOTH: return OF(smooth)(piece, a);
  case TN_OP_TABLE:
  case TN_OP_SPLINE: tn_piece_look_up(op, piece, OF(value)(a[0]), y); return OF(chain)(y[0], y[1], y[2], a[0]);
  default: return OF(number)(piece); /* sign, step, comparisons */
  }
}

static NUMBER OF(piece)(const OF(machine) * m, const tn_op *op, int takes, const NUMBER *a) {
  double room[5];
  return OF(on_piece)(op, tn_piece(op, OF(values)(takes, a, room), m->held), a);
}
#endif

/* ---- the program ---------------------------------------------------------------------------------------------------------- */

static void OF(run)(const OF(machine) * m, int n, const tn_op *op, NUMBER *s) {
  for (const tn_op *end = op + n; op < end; op++) {
    switch (op->code) {
    case TN_OP_NUMBER: *s++ = OF(number)(op->as.number); break;
    case TN_OP_TIME: *s++ = OF(time)(m); break;
    case TN_OP_PARAMETER: *s++ = OF(parameter)(m, op->index); break;
    case TN_OP_SLOT:
      OF(slot)(m, op, s);
      s += op->width;
      break;
      FUNCTIONS(RUN_FUNCTION)
      PAIRS(RUN_PAIR)
      VECTORS(RUN_VECTOR)
    case TN_OP_NEG: s[-1] = OF(neg)(s[-1]); break;
    case TN_OP_NOT: s[-1] = OF(neither)(m, s[-1]); break;
    case TN_OP_AND: s--, s[-1] = OF(both)(m, s[-1], s[0]); break;
    case TN_OP_OR: s--, s[-1] = OF(either)(m, s[-1], s[0]); break;
    case TN_OP_IF: /* c v w */
      s -= op->width + 1;
      OF(choose)(m, op->width, s - op->width);
      break;
    case TN_OP_PART:
      s -= op->width - 1;
      s[-1] = s[op->index - 1];
      break;
    default: { /* piecewise */
      const int takes = tn_piece_takes(op->code);
      s -= takes - 1;
      s[-1] = OF(piece)(m, op, takes, s - 1);
    }
    }
  }
}
