/* Expressions: the postfix program is run on numbers and on 2-jets. The interpreter is expr_machine.h; piecewise operations are in
 * expr_piece.c.
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
#include "base/expr_operations.h"

#include <assert.h>

/* the analyzer cannot know that the parser counted what is on the stack */
/* NOLINTBEGIN(clang-analyzer-core.*) */

static double both(double a, double b) { return a == 0 || b == 0 ? 0 : isunordered(a, b) ? NAN : 1; }
static double either(double a, double b) {
  if ((a != 0 && !isnan(a)) || (b != 0 && !isnan(b))) return 1;
  return isunordered(a, b) ? NAN : 0;
}
static double neither(double a) { return isnan(a) ? a : a == 0; }

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

typedef struct n_machine {
  double t;
  tn_fetch fetch;
  const void *scope;
  const tn_switching *held;
} n_machine;

static double n_number(double f) { return f; }
static double n_valued(double f, double a) { return (void)a, f; }
static double n_value(double a) { return a; }
static double n_add(double a, double b) { return a + b; }
static double n_sub(double a, double b) { return a - b; }
static double n_mul(double a, double b) { return a * b; }
static double n_div(double a, double b) { return a / b; }
static double n_pow(double a, double b) { return pow(a, b); }
static double n_atan2(double a, double b) { return atan2(a, b); }
static double n_neg(double a) { return -a; }
static double n_times(double k, double a) { return k * a; }
static double n_chain(double f, double f_a, double f_aa, double a) { return (void)f_a, (void)f_aa, (void)a, f; }
#define FUNCTION_OF_NUMBERS(code, name, slope, bend)                                                                   \
  static double n_##name(double x) { return name(x); }
FUNCTIONS(FUNCTION_OF_NUMBERS)

static double parameter(const tn_switching *held, int i) { return held && held->parameter ? held->parameter[i] : NAN; }
static double n_time(const n_machine *m) { return m->t; }
static double n_parameter(const n_machine *m, int i) { return parameter(m->held, i); }
static void n_slot(const n_machine *m, const tn_op *op, double *s) {
  for (int i = 0; i < op->width; i++) s[i] = NAN;
  if (m->fetch) m->fetch(m->scope, op->index, s);
}

static const double *n_values(int n, const double *a, double *room) { return (void)n, (void)room, a; }

/* ---- jets --------------------------------------------------------------------------------------------------------- */

typedef struct jet {
  double f, d, dd;
} jet;

typedef struct j_machine {
  jet t;
  tn_fetch_jets fetch;
  const void *scope;
  const tn_switching *held;
} j_machine;

static jet j_number(double f) { return (jet){f, 0, 0}; }
static jet j_valued(double f, jet a) { return (jet){f, a.d, a.dd}; } /* another value, the same derivatives */
static double j_value(jet a) { return a.f; }
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

#define FUNCTION_OF_JETS(code, name, slope, bend)                                                                      \
  static jet j_##name(jet a) {                                                                                         \
    const double x = a.f, y = name(x), d = slope;                                                                      \
    return j_chain(y, d, bend, a);                                                                                     \
  }
FUNCTIONS(FUNCTION_OF_JETS)

static jet j_time(const j_machine *m) { return m->t; }
static jet j_parameter(const j_machine *m, int i) { return j_number(parameter(m->held, i)); }
static void j_slot(const j_machine *m, const tn_op *op, jet *s) {
  double jets[3][3] = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
  if (m->fetch) m->fetch(m->scope, op->index, jets);
  for (int i = 0; i < op->width; i++) s[i] = (jet){jets[i][0], jets[i][1], jets[i][2]};
}

static const double *j_values(int n, const jet *a, double *room) {
  for (int i = 0; i < n; i++) room[i] = a[i].f;
  return room;
}

/* ---- both ----------------------------------------------------------------------------------------------------------- */

#define VALUED
#define NUMBER double
#define OF(name) n_##name
#include "base/expr_machine.h"
#undef NUMBER
#undef OF
#define NUMBER jet
#define OF(name) j_##name
#include "base/expr_machine.h"

void tn_expr_run(int n, const tn_op *op, double t, tn_fetch fetch, const void *scope, const tn_switching *held,
                 double *stack) {
  const n_machine machine = {t, fetch, scope, held};
  n_run(&machine, n, op, stack);
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

void tn_expr_jet_along(const tn_expr *expr, const double time[3], tn_fetch_jets fetch, const void *scope,
                       const tn_switching *w, double jets[3]) {
  const j_machine machine = {{time[0], time[1], time[2]}, fetch, scope, w};
  jet stack[TN_EXPR_STACK];
  assert(expr->width == 1);
  j_run(&machine, expr->n, expr->op, stack);
  jets[0] = stack[0].f, jets[1] = stack[0].d, jets[2] = stack[0].dd;
}

void tn_expr_jet_on(const tn_expr *expr, double t, const tn_switching *w, double jets[3]) {
  assert(expr->kind != TN_CLASS_RUNNING);
  tn_expr_jet_along(expr, (const double[]){t, 1, 0}, NULL, NULL, w, jets);
}

void tn_expr_jet(const tn_expr *expr, double t, double jets[3]) { tn_expr_jet_on(expr, t, expr->held, jets); }

/* NOLINTEND(clang-analyzer-core.*) */
