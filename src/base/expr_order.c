/* Expressions: how they depend on positions and rates. The postfix program is run on classes instead of numbers.
 * SPDX-License-Identifier: MIT
 *
 *   (1) a sum has the higher class of its operands, and so has a product of which one operand has no rate
 *   (2) a product of two that have rates, a quotient by one, and a function of one are not linear
 *   (3) piecewise functions have kinks where their operands are not fixed; `spline` and `step` of five operands have continuous slopes */
#include "base/expr.h"

static const struct {
  int code;
  const char *name;
} kinks[] = {{TN_OP_ABS, "abs"}, {TN_OP_SIGN, "sign"}, {TN_OP_MIN, "min"},     {TN_OP_MAX, "max"},
             {TN_OP_MOD, "mod"}, {TN_OP_STEP, "step"}, {TN_OP_TABLE, "table"}, {TN_OP_IF, "if"}};

static const char *kink_name(int code) {
  for (size_t i = 0; i < sizeof kinks / sizeof *kinks; i++)
    if (kinks[i].code == code) return kinks[i].name;
  return "a comparison";
}

static tn_order most(int n, const tn_order *a) {
  tn_order x = TN_ORDER_FIXED;
  for (int i = 0; i < n; i++) x = a[i] > x ? a[i] : x;
  return x;
}

/* (2) of a function of n operands */
static tn_order of_function(int n, const tn_order *a) {
  const tn_order x = most(n, a);
  return x == TN_ORDER_LINEAR ? TN_ORDER_NONLINEAR : x;
}

static tn_order of_product(tn_order a, tn_order b) {
  const tn_order x = a > b ? a : b;
  return a >= TN_ORDER_LINEAR && b >= TN_ORDER_LINEAR && x == TN_ORDER_LINEAR ? TN_ORDER_NONLINEAR : x;
}

static tn_order of_quotient(tn_order a, tn_order b) {
  return b == TN_ORDER_LINEAR ? (a == TN_ORDER_KINKED ? a : TN_ORDER_NONLINEAR) : a > b ? a : b;
}

/* sum of products of the components of two vectors */
static tn_order of_dot(int n, const tn_order *a, const tn_order *b) {
  tn_order x = TN_ORDER_FIXED;
  for (int i = 0; i < n; i++) {
    const tn_order y = of_product(a[i], b[i]);
    x = y > x ? y : x;
  }
  return x;
}

/* of a piecewise operation: its value is fixed or has kinks; `smooth` and `spline` are exceptions */
static tn_order of_piece(const tn_op *op, int n, const tn_order *a, const char **kinked) {
  if (op->code == TN_OP_SMOOTH || op->code == TN_OP_SPLINE) return of_function(n, a);
  if (most(n, a) == TN_ORDER_FIXED) return TN_ORDER_FIXED;
  if (!*kinked) *kinked = kink_name(op->code);
  return TN_ORDER_KINKED;
}

static tn_order *fill(tn_order *s, int n, tn_order x) {
  for (int i = 0; i < n; i++) s[i] = x;
  return s + n;
}

/* one operation; s: the first free place, which comes back */
static tn_order *apply(const tn_op *op, tn_order *s, const char **kinked) {
  const int w = op->width, takes = tn_piece_takes(op->code);
  tn_order x;
  if (takes) return s -= takes, fill(s, 1, of_piece(op, takes, s, kinked));
  switch ((tn_opcode)op->code) {
  case TN_OP_NEG:
  case TN_OP_VNEG: return s;
  case TN_OP_ADD:
  case TN_OP_SUB: return s -= 2, fill(s, 1, most(2, s));
  case TN_OP_MUL: return s -= 2, fill(s, 1, of_product(s[0], s[1]));
  case TN_OP_DIV: return s -= 2, fill(s, 1, of_quotient(s[0], s[1]));
  case TN_OP_POW:
  case TN_OP_ATAN2: return s -= 2, fill(s, 1, of_function(2, s));
  case TN_OP_AND:
  case TN_OP_OR:
  case TN_OP_NOT:
    s -= op->code == TN_OP_NOT ? 1 : 2;
    return fill(s, 1, of_piece(op, op->code == TN_OP_NOT ? 1 : 2, s, kinked));
  case TN_OP_IF:
    s -= 2 * w + 1;
    x = s[0] == TN_ORDER_FIXED ? most(2 * w, s + 1) : of_piece(op, 1, s, kinked);
    return fill(s, w, x);
  case TN_OP_VADD:
  case TN_OP_VSUB:
    s -= 2 * w;
    for (int i = 0; i < w; i++) s[i] = s[i] > s[i + w] ? s[i] : s[i + w];
    return s + w;
  case TN_OP_SCALE:
    s -= w + 1, x = s[0];
    for (int i = 0; i < w; i++) s[i] = of_product(x, s[i + 1]);
    return s + w;
  case TN_OP_SCALED:
    s -= w + 1, x = s[w];
    for (int i = 0; i < w; i++) s[i] = of_product(s[i], x);
    return s + w;
  case TN_OP_VDIV:
    s -= w + 1, x = s[w];
    for (int i = 0; i < w; i++) s[i] = of_quotient(s[i], x);
    return s + w;
  case TN_OP_DOT: return s -= 2 * w, fill(s, 1, of_dot(w, s, s + w));
  case TN_OP_CROSS2: return s -= 4, fill(s, 1, of_product(most(2, s), most(2, s + 2)));
  case TN_OP_CROSS3: return s -= 6, fill(s, 3, of_product(most(3, s), most(3, s + 3)));
  case TN_OP_NORM: return s -= w, fill(s, 1, of_function(w, s));
  case TN_OP_PART: return s -= w, fill(s, 1, s[op->index]);
  case TN_OP_ALONG:
    s -= w * (w + 1);
    x = of_product(most(w, s), most(w * w, s + w));
    return fill(s, w, x);
  default: return s -= 1, fill(s, 1, of_function(1, s)); /* sin, cos .. */
  }
}

tn_order tn_expr_order(const tn_expr *expr, tn_order (*order)(const void *user, int slot), const void *user,
                       const char **kinked) {
  tn_order stack[TN_EXPR_STACK + 4], *s = stack;
  *kinked = NULL;
  for (const tn_op *op = expr->op; op < expr->op + expr->n; op++) {
    if (op->code == TN_OP_SLOT)
      s = fill(s, op->width, order(user, op->index));
    else if (op->code == TN_OP_NUMBER || op->code == TN_OP_TIME || op->code == TN_OP_PARAMETER)
      s = fill(s, 1, TN_ORDER_FIXED);
    else
      s = apply(op, s, kinked);
  }
  return most(expr->width, stack);
}
