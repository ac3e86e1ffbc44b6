/* expressions: running the postfix program, on numbers and on 2-jets. what is made of pieces is in expr_piece.c.
 * SPDX-License-Identifier: MIT
 *
 * a jet is (f, f', f''), derivatives with respect to t:
 *   (1) (a b)   = (a b, a'b + a b', a''b + 2 a'b' + a b'')
 *   (2) c = a/b : c' = (a' - c b')/b, c'' = (a'' - 2 c'b' - c b'')/b
 *   (3) F(a)    = (F, F_a a', F_aa a'^2 + F_a a''); a factor a' or a'' of 0 makes its term 0, F_a infinite or not
 *   (4) a^p, p constant: (3) with F_a = p a^(p-1), F_aa = p (p-1) a^(p-2), 0 where the factor p or p-1 is 0
 *   (5) a^b     : c' = c l', c'' = c (l'' + l'^2) with l = b log a
 *   (6) functions made of pieces have the derivatives of the piece that gave the value (at a seam, of one of the two)
 *
 * a not-a-number comes out, unless it was not asked for: `if` with the other branch chosen, `0 and`, `1 or`. */
#include "base/expr.h"

#include <assert.h>

/* the analyzer cannot know that the parser counted what is on the stack */
/* NOLINTBEGIN(clang-analyzer-core.*) */

static double both(double a, double b) { return a == 0 || b == 0 ? 0 : isunordered(a, b) ? NAN : 1; }
static double either(double a, double b) {
  if ((a != 0 && !isnan(a)) || (b != 0 && !isnan(b))) return 1;
  return isunordered(a, b) ? NAN : 0;
}
static double neither(double a) { return isnan(a) ? a : a == 0; }

static double dot(int n, const double *a, const double *b) {
  double sum = a[0] * b[0];
  for (int i = 1; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* `if` with operands c v w: what moves down is v, w or not-a-number */
static void choose(int n, double *a) {
  double c = a[0];
  for (int i = 0; i < n; i++) a[i] = isnan(c) ? c : c != 0 ? a[1 + i] : a[1 + n + i];
}

static void cross3(double *a, const double *b) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  a[0] = x, a[1] = y, a[2] = z;
}

/* v e_0 .. e_(n-1) -> (v'e_i) */
static void along(int n, double *a) {
  double result[3] = {0};
  for (int i = 0; i < n; i++) result[i] = dot(n, a, a + (i + 1) * n);
  memcpy(a, result, sizeof(double) * (size_t)n);
}

/* on one of its pieces; a[1] of abs, sign .. is not looked at */
static double on_piece(const tn_op *op, double piece, const double *a) {
  double y[3];
  if (isnan(piece)) return piece;
  switch (op->code) {
  case TN_OP_ABS: return piece < 0 ? -a[0] : a[0] + 0.0;
  case TN_OP_MIN:
  case TN_OP_MAX: return piece != 0 ? a[0] : a[1];
  case TN_OP_MOD: return a[0] - a[1] * piece;
  case TN_OP_SMOOTH: {
    const double s = (a[0] - a[1]) / (a[3] - a[1]);
    return piece < 0 ? a[2] : piece > 0 ? a[4] : a[2] + (a[4] - a[2]) * (s * s * (3 - 2 * s));
  }
  case TN_OP_TABLE:
  case TN_OP_SPLINE: tn_piece_look_up(op, piece, a[0], y); return y[0];
  default: return piece; /* sign, step, comparisons */
  }
}

void tn_expr_run(int n, const tn_op *op, double t, tn_fetch fetch, const void *scope, const tn_switching *held,
                 double *stack) {
  double *s = stack; /* the first free place */
  for (const tn_op *end = op + n; op < end; op++) {
    int w = op->width;
    switch ((tn_opcode)op->code) {
    case TN_OP_NUMBER: *s++ = op->as.number; break;
    case TN_OP_TIME: *s++ = t; break;
    case TN_OP_SLOT:
      for (int i = 0; i < w; i++) s[i] = NAN;
      if (fetch) fetch(scope, op->index, s);
      s += w;
      break;
    case TN_OP_PARAMETER: *s++ = held && held->parameter ? held->parameter[op->index] : NAN; break;

    case TN_OP_ADD: s--, s[-1] += s[0]; break;
    case TN_OP_SUB: s--, s[-1] -= s[0]; break;
    case TN_OP_MUL: s--, s[-1] *= s[0]; break;
    case TN_OP_DIV: s--, s[-1] /= s[0]; break;
    case TN_OP_POW: s--, s[-1] = pow(s[-1], s[0]); break;
    case TN_OP_NEG: s[-1] = -s[-1]; break;
    case TN_OP_AND: s--, s[-1] = both(s[-1], s[0]); break;
    case TN_OP_OR: s--, s[-1] = either(s[-1], s[0]); break;
    case TN_OP_NOT: s[-1] = neither(s[-1]); break;

    case TN_OP_SIN: s[-1] = sin(s[-1]); break;
    case TN_OP_COS: s[-1] = cos(s[-1]); break;
    case TN_OP_TAN: s[-1] = tan(s[-1]); break;
    case TN_OP_ASIN: s[-1] = asin(s[-1]); break;
    case TN_OP_ACOS: s[-1] = acos(s[-1]); break;
    case TN_OP_ATAN: s[-1] = atan(s[-1]); break;
    case TN_OP_ATAN2: s--, s[-1] = atan2(s[-1], s[0]); break;
    case TN_OP_SQRT: s[-1] = sqrt(s[-1]); break;
    case TN_OP_EXP: s[-1] = exp(s[-1]); break;
    case TN_OP_LOG: s[-1] = log(s[-1]); break;
    case TN_OP_TANH: s[-1] = tanh(s[-1]); break;
    case TN_OP_LT:
    case TN_OP_LE:
    case TN_OP_GT:
    case TN_OP_GE:
    case TN_OP_EQ:
    case TN_OP_NE:
    case TN_OP_ABS:
    case TN_OP_SIGN:
    case TN_OP_MIN:
    case TN_OP_MAX:
    case TN_OP_MOD:
    case TN_OP_STEP:
    case TN_OP_SMOOTH:
    case TN_OP_TABLE:
    case TN_OP_SPLINE:
      s -= tn_piece_takes(op->code) - 1;
      s[-1] = on_piece(op, tn_piece(op, s - 1, held), s - 1);
      break;
    case TN_OP_IF: s -= w + 1, choose(w, s - w); break;

    case TN_OP_VADD:
      s -= w;
      for (int i = 0; i < w; i++) s[i - w] += s[i];
      break;
    case TN_OP_VSUB:
      s -= w;
      for (int i = 0; i < w; i++) s[i - w] -= s[i];
      break;
    case TN_OP_VNEG:
      for (int i = 1; i <= w; i++) s[-i] = -s[-i];
      break;
    case TN_OP_SCALE: {
      s--;
      double k = s[-w];
      for (int i = -w; i < 0; i++) s[i] = k * s[i + 1];
      break;
    }
    case TN_OP_SCALED:
      s--;
      for (int i = 1; i <= w; i++) s[-i] *= s[0];
      break;
    case TN_OP_VDIV:
      s--;
      for (int i = 1; i <= w; i++) s[-i] /= s[0];
      break;
    case TN_OP_DOT: s -= 2 * w - 1, s[-1] = dot(w, s - 1, s - 1 + w); break;
    case TN_OP_CROSS2: s -= 3, s[-1] = s[-1] * s[2] - s[0] * s[1]; break;
    case TN_OP_CROSS3: s -= 3, cross3(s - 3, s); break;
    case TN_OP_NORM: s -= w - 1, s[-1] = sqrt(dot(w, s - 1, s - 1)); break;
    case TN_OP_PART: s -= w - 1, s[-1] = s[op->index - 1]; break;
    case TN_OP_ALONG: s -= w * w, along(w, s - w); break;
    }
  }
}

int tn_expr_width(const tn_expr *expr) { return expr->width; }
tn_class tn_expr_class(const tn_expr *expr) { return expr->kind; }

void tn_expr_eval_on(const tn_expr *expr, double t, tn_fetch fetch, const void *scope, const tn_switching *w,
                     double *value) {
  double stack[TN_EXPR_STACK];
  tn_expr_run(expr->n, expr->op, t, fetch, scope, w, stack);
  for (int i = 0; i < expr->width; i++) value[i] = stack[i];
}

void tn_expr_eval(const tn_expr *expr, double t, tn_fetch fetch, const void *scope, double *value) {
  tn_expr_eval_on(expr, t, fetch, scope, expr->held, value);
}

/* ---- jets -------------------------------------------------------------------------------------------------------- */

typedef struct jet {
  double f, d, dd;
} jet;

static jet j_number(double f) { return (jet){f, 0, 0}; }
static jet j_add(jet a, jet b) { return (jet){a.f + b.f, a.d + b.d, a.dd + b.dd}; }
static jet j_sub(jet a, jet b) { return (jet){a.f - b.f, a.d - b.d, a.dd - b.dd}; }
static jet j_neg(jet a) { return (jet){-a.f, -a.d, -a.dd}; }
static jet j_times(double k, jet a) { return (jet){k * a.f, k * a.d, k * a.dd}; }

static jet j_mul(jet a, jet b) { /* (1) */
  return (jet){a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}

static jet j_div(jet a, jet b) { /* (2) */
  double c = a.f / b.f, d = (a.d - c * b.d) / b.f;
  return (jet){c, d, (a.dd - 2 * d * b.d - c * b.dd) / b.f};
}

static double term(double factor, double inner) { return inner == 0 ? 0 : factor * inner; }
static jet j_chain(double f, double f_a, double f_aa, jet a) { /* (3) */
  return (jet){f, term(f_a, a.d), term(f_aa, a.d * a.d) + term(f_a, a.dd)};
}

static jet j_pow(jet a, jet b) {
  double c = pow(a.f, b.f), p = b.f;
  if (b.d == 0 && b.dd == 0) { /* (4) */
    double f_a = p == 0 ? 0 : p * pow(a.f, p - 1), f_aa = p == 0 || p == 1 ? 0 : p * (p - 1) * pow(a.f, p - 2);
    return j_chain(c, f_a, f_aa, a);
  }
  jet l = j_mul(b, j_chain(log(a.f), 1 / a.f, -1 / (a.f * a.f), a)); /* (5) */
  return (jet){c, c * l.d, c * (l.dd + l.d * l.d)};
}

static jet j_atan2(jet y, jet x) {
  double rr = x.f * x.f + y.f * y.f, d = (x.f * y.d - y.f * x.d) / rr;
  return (jet){atan2(y.f, x.f), d, (x.f * y.dd - y.f * x.dd - 2 * d * (x.f * x.d + y.f * y.d)) / rr};
}

static jet j_sqrt(jet a) {
  double r = sqrt(a.f);
  return j_chain(r, 0.5 / r, -0.25 / (a.f * r), a);
}

static jet j_call(int code, jet a) {
  double x = a.f, y, d;
  switch (code) {
  case TN_OP_SIN: return j_chain(sin(x), cos(x), -sin(x), a);
  case TN_OP_COS: return j_chain(cos(x), -sin(x), -cos(x), a);
  case TN_OP_TAN: return y = tan(x), j_chain(y, 1 + y * y, 2 * y * (1 + y * y), a);
  case TN_OP_ASIN: return d = 1 / sqrt((1 - x) * (1 + x)), j_chain(asin(x), d, x * d * d * d, a);
  case TN_OP_ACOS: return d = 1 / sqrt((1 - x) * (1 + x)), j_chain(acos(x), -d, -x * d * d * d, a);
  case TN_OP_ATAN: return d = 1 / (1 + x * x), j_chain(atan(x), d, -2 * x * d * d, a);
  case TN_OP_EXP: return y = exp(x), j_chain(y, y, y, a);
  case TN_OP_LOG: return j_chain(log(x), 1 / x, -1 / (x * x), a);
  case TN_OP_TANH: return y = tanh(x), d = 1 - y * y, j_chain(y, d, -2 * y * d, a);
  case TN_OP_SQRT: return j_sqrt(a);
  default: return j_number(neither(x)); /* not */
  }
}

static jet j_on_piece(const tn_op *op, double piece, const jet *a) {
  double y[3];
  if (isnan(piece)) return (jet){piece, op->code == TN_OP_ABS ? a->d : 0, op->code == TN_OP_ABS ? a->dd : 0};
  switch (op->code) {
  case TN_OP_ABS: return piece < 0 ? j_neg(a[0]) : (jet){a->f + 0.0, a->d, a->dd};
  case TN_OP_MIN:
  case TN_OP_MAX: return piece != 0 ? a[0] : a[1];
  case TN_OP_MOD: return j_sub(a[0], j_times(piece, a[1]));
  case TN_OP_SMOOTH: {
    const jet s = j_div(j_sub(a[0], a[1]), j_sub(a[3], a[1]));
    if (piece != 0) return piece < 0 ? a[2] : a[4];
    return j_add(a[2], j_mul(j_sub(a[4], a[2]), j_mul(j_mul(s, s), j_sub(j_number(3), j_times(2, s)))));
  }
  case TN_OP_TABLE:
  case TN_OP_SPLINE: tn_piece_look_up(op, piece, a->f, y); return j_chain(y[0], y[1], y[2], a[0]);
  default: return j_number(piece);
  }
}

static jet j_dot(int n, const jet *a, const jet *b) {
  jet sum = j_mul(a[0], b[0]);
  for (int i = 1; i < n; i++) sum = j_add(sum, j_mul(a[i], b[i]));
  return sum;
}

static jet j_minor(const jet *a, const jet *b, int i, int k) { return j_sub(j_mul(a[i], b[k]), j_mul(a[k], b[i])); }

static void j_choose(int n, jet *a) {
  double c = a[0].f;
  for (int i = 0; i < n; i++) a[i] = isnan(c) ? j_number(c) : c != 0 ? a[1 + i] : a[1 + n + i];
}

static void j_along(int n, jet *a) {
  jet result[3] = {{0, 0, 0}};
  for (int i = 0; i < n; i++) result[i] = j_dot(n, a, a + (i + 1) * n);
  memcpy(a, result, sizeof(jet) * (size_t)n);
}

static void fetch_slot(tn_fetch_jets fetch, const void *scope, const tn_op *op, jet *to) {
  double jets[3][3] = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
  if (fetch) fetch(scope, op->index, jets);
  for (int i = 0; i < op->width; i++) to[i] = (jet){jets[i][0], jets[i][1], jets[i][2]};
}

/* as tn_expr_run */
static void run_jets(int n, const tn_op *op, jet t, tn_fetch_jets fetch, const void *scope, const tn_switching *held,
                     jet *s) {
  for (const tn_op *end = op + n; op < end; op++) {
    int w = op->width;
    switch ((tn_opcode)op->code) {
    case TN_OP_NUMBER: *s++ = j_number(op->as.number); break;
    case TN_OP_TIME: *s++ = t; break;
    case TN_OP_SLOT:
      fetch_slot(fetch, scope, op, s);
      s += w;
      break;
    case TN_OP_PARAMETER: *s++ = j_number(held && held->parameter ? held->parameter[op->index] : NAN); break;

    case TN_OP_ADD: s--, s[-1] = j_add(s[-1], s[0]); break;
    case TN_OP_SUB: s--, s[-1] = j_sub(s[-1], s[0]); break;
    case TN_OP_MUL: s--, s[-1] = j_mul(s[-1], s[0]); break;
    case TN_OP_DIV: s--, s[-1] = j_div(s[-1], s[0]); break;
    case TN_OP_POW: s--, s[-1] = j_pow(s[-1], s[0]); break;
    case TN_OP_NEG: s[-1] = j_neg(s[-1]); break;
    case TN_OP_AND: s--, s[-1] = j_number(both(s[-1].f, s[0].f)); break;
    case TN_OP_OR: s--, s[-1] = j_number(either(s[-1].f, s[0].f)); break;

    case TN_OP_NOT:
    case TN_OP_SIN:
    case TN_OP_COS:
    case TN_OP_TAN:
    case TN_OP_ASIN:
    case TN_OP_ACOS:
    case TN_OP_ATAN:
    case TN_OP_SQRT:
    case TN_OP_EXP:
    case TN_OP_LOG:
    case TN_OP_TANH: s[-1] = j_call(op->code, s[-1]); break;
    case TN_OP_ATAN2: s--, s[-1] = j_atan2(s[-1], s[0]); break;
    case TN_OP_LT:
    case TN_OP_LE:
    case TN_OP_GT:
    case TN_OP_GE:
    case TN_OP_EQ:
    case TN_OP_NE:
    case TN_OP_ABS:
    case TN_OP_SIGN:
    case TN_OP_MIN:
    case TN_OP_MAX:
    case TN_OP_MOD:
    case TN_OP_STEP:
    case TN_OP_SMOOTH:
    case TN_OP_TABLE:
    case TN_OP_SPLINE: {
      double a[5];
      const int takes = tn_piece_takes(op->code);
      s -= takes - 1;
      for (int i = 0; i < takes; i++) a[i] = s[i - 1].f;
      s[-1] = j_on_piece(op, tn_piece(op, a, held), s - 1);
      break;
    }
    case TN_OP_IF: s -= w + 1, j_choose(w, s - w); break;

    case TN_OP_VADD:
      s -= w;
      for (int i = 0; i < w; i++) s[i - w] = j_add(s[i - w], s[i]);
      break;
    case TN_OP_VSUB:
      s -= w;
      for (int i = 0; i < w; i++) s[i - w] = j_sub(s[i - w], s[i]);
      break;
    case TN_OP_VNEG:
      for (int i = 1; i <= w; i++) s[-i] = j_neg(s[-i]);
      break;
    case TN_OP_SCALE: {
      s--;
      jet k = s[-w];
      for (int i = -w; i < 0; i++) s[i] = j_mul(k, s[i + 1]);
      break;
    }
    case TN_OP_SCALED:
      s--;
      for (int i = 1; i <= w; i++) s[-i] = j_mul(s[-i], s[0]);
      break;
    case TN_OP_VDIV:
      s--;
      for (int i = 1; i <= w; i++) s[-i] = j_div(s[-i], s[0]);
      break;
    case TN_OP_DOT: s -= 2 * w - 1, s[-1] = j_dot(w, s - 1, s - 1 + w); break;
    case TN_OP_CROSS2: s -= 3, s[-1] = j_minor(s - 1, s + 1, 0, 1); break;
    case TN_OP_CROSS3: {
      s -= 3;
      jet x = j_minor(s - 3, s, 1, 2), q = j_minor(s - 3, s, 2, 0), z = j_minor(s - 3, s, 0, 1);
      s[-3] = x, s[-2] = q, s[-1] = z;
      break;
    }
    case TN_OP_NORM: s -= w - 1, s[-1] = j_sqrt(j_dot(w, s - 1, s - 1)); break;
    case TN_OP_PART: s -= w - 1, s[-1] = s[op->index - 1]; break;
    case TN_OP_ALONG: s -= w * w, j_along(w, s - w); break;
    }
  }
}

void tn_expr_jet_along(const tn_expr *expr, const double time[3], tn_fetch_jets fetch, const void *scope,
                       const tn_switching *w, double jets[3]) {
  jet stack[TN_EXPR_STACK];
  assert(expr->width == 1);
  run_jets(expr->n, expr->op, (jet){time[0], time[1], time[2]}, fetch, scope, w, stack);
  jets[0] = stack[0].f, jets[1] = stack[0].d, jets[2] = stack[0].dd;
}

void tn_expr_jet_on(const tn_expr *expr, double t, const tn_switching *w, double jets[3]) {
  assert(expr->kind != TN_CLASS_RUNNING);
  tn_expr_jet_along(expr, (const double[]){t, 1, 0}, NULL, NULL, w, jets);
}

void tn_expr_jet(const tn_expr *expr, double t, double jets[3]) { tn_expr_jet_on(expr, t, expr->held, jets); }

/* NOLINTEND(clang-analyzer-core.*) */
