/* Expressions: the unit of a value where it follows from those of the channels. A plain number may have any unit, so a product with one
 * has no known unit. */
#include "base/expr.h"

const char *tn_expr_unit(const tn_expr *expr, const char *(*unit)(const void *user, int slot), const void *user) {
  const char *stack[TN_EXPR_STACK + 1];
  int n = 0;
  for (int i = 0; i < expr->n; i++) {
    const tn_op *op = &expr->op[i];
    int takes;
    switch (op->code) {
    case TN_OP_SLOT: stack[n++] = unit(user, op->index); continue;
    case TN_OP_TIME: stack[n++] = "s"; continue;
    case TN_OP_PARAMETER:
    case TN_OP_NUMBER: stack[n++] = NULL; continue;
    case TN_OP_NEG:
    case TN_OP_VNEG:
    case TN_OP_ABS:
    case TN_OP_NORM:
    case TN_OP_PART: takes = 1; break;
    case TN_OP_ADD:
    case TN_OP_SUB:
    case TN_OP_VADD:
    case TN_OP_VSUB:
    case TN_OP_MIN:
    case TN_OP_MAX: takes = 2; break;
    default: return NULL;
    }
    const char *a = n >= takes ? stack[n - takes] : NULL;
    if (takes == 2 && (!a || !stack[n - 1] || strcmp(a, stack[n - 1]) != 0)) a = NULL;
    if (n < takes) return NULL;
    n -= takes;
    stack[n++] = a;
  }
  return n == 1 ? stack[0] : NULL;
}
