/* Expressions: how they depend on positions and rates. The postfix program is run on classes instead of numbers, by expr_machine.h.
 * SPDX-License-Identifier: MIT
 *
 *   (1) a sum has the higher class of its operands, and so has a product of which one operand has no rate
 *   (2) a product of two that have rates, a quotient by one, and a function of one are not linear
 *   (3) piecewise functions have kinks where their operands are not fixed; `spline` and `step` of five operands have continuous slopes */
#include "base/expr.h"
#include "base/expr_operations.h"

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

typedef struct o_machine {
  tn_order (*order)(const void *user, int slot);
  const void *user;
  const char **kinked; /* the first function that has a kink */
} o_machine;

static tn_order o_add(tn_order a, tn_order b) { return a > b ? a : b; }
static tn_order o_sub(tn_order a, tn_order b) { return o_add(a, b); }
static tn_order o_neg(tn_order a) { return a; }

static tn_order most(int n, const tn_order *a) {
  tn_order x = TN_ORDER_FIXED;
  for (int i = 0; i < n; i++) x = o_add(x, a[i]);
  return x;
}

/* (2) */
static tn_order of_function(tn_order a) { return a == TN_ORDER_LINEAR ? TN_ORDER_NONLINEAR : a; }
static tn_order o_pow(tn_order a, tn_order b) { return of_function(o_add(a, b)); }
static tn_order o_atan2(tn_order a, tn_order b) { return of_function(o_add(a, b)); }

static tn_order o_mul(tn_order a, tn_order b) {
  const tn_order x = o_add(a, b);
  return a >= TN_ORDER_LINEAR && b >= TN_ORDER_LINEAR && x == TN_ORDER_LINEAR ? TN_ORDER_NONLINEAR : x;
}

static tn_order o_div(tn_order a, tn_order b) {
  return b == TN_ORDER_LINEAR ? (a == TN_ORDER_KINKED ? a : TN_ORDER_NONLINEAR) : o_add(a, b);
}

#define FUNCTION_OF_ORDERS(code, name, slope, bend)                                                                    \
  static tn_order o_##name(tn_order a) { return of_function(a); }
FUNCTIONS(FUNCTION_OF_ORDERS)

static tn_order o_number(double f) { return (void)f, TN_ORDER_FIXED; }
static tn_order o_time(const o_machine *m) { return (void)m, TN_ORDER_FIXED; }
static tn_order o_parameter(const o_machine *m, int i) { return (void)m, (void)i, TN_ORDER_FIXED; }
static void o_slot(const o_machine *m, const tn_op *op, tn_order *s) {
  for (int i = 0; i < op->width; i++) s[i] = m->order(m->user, op->index);
}

/* (3): the value is fixed or has kinks */
static tn_order kink(const o_machine *m, int code, tn_order a) {
  if (a == TN_ORDER_FIXED) return a;
  if (!*m->kinked) *m->kinked = kink_name(code);
  return TN_ORDER_KINKED;
}

static tn_order o_piece(const o_machine *m, const tn_op *op, int takes, const tn_order *a) {
  const bool smooth = op->code == TN_OP_SMOOTH || op->code == TN_OP_SPLINE;
  return smooth ? of_function(most(takes, a)) : kink(m, op->code, most(takes, a));
}

static tn_order o_neither(const o_machine *m, tn_order a) { return kink(m, TN_OP_NOT, a); }
static tn_order o_both(const o_machine *m, tn_order a, tn_order b) { return kink(m, TN_OP_AND, o_add(a, b)); }
static tn_order o_either(const o_machine *m, tn_order a, tn_order b) { return kink(m, TN_OP_OR, o_add(a, b)); }

static void o_choose(const o_machine *m, int w, tn_order *a) {
  const tn_order x = a[0] == TN_ORDER_FIXED ? most(2 * w, a + 1) : kink(m, TN_OP_IF, a[0]);
  for (int i = 0; i < w; i++) a[i] = x;
}

#define NUMBER tn_order
#define OF(name) o_##name
#include "base/expr_machine.h"

tn_order tn_expr_order(const tn_expr *expr, tn_order (*order)(const void *user, int slot), const void *user,
                       const char **kinked) {
  const o_machine machine = {order, user, kinked};
  tn_order stack[TN_EXPR_STACK];
  *kinked = NULL;
  o_run(&machine, expr->n, expr->op, stack);
  return most(expr->width, stack);
}
