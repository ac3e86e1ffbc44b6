/* expressions: functions.
 * SPDX-License-Identifier: MIT
 *
 * the arguments are read like any values and lie on the stack in their order; min and max are folded pair by pair.
 * arguments that are names (of bodies, points, joints, tables) are handed to the callbacks as text. */
#include "base/expr.h"

typedef enum { NUMBERS, PAIRS, CHOICE, STEP, TABLE, VECTORS, ALONG, ASKED, LISTS, ROWS } function_kind;

typedef struct function {
  const char *name;
  function_kind kind;
  int least, most; /* arguments; most 0: any number */
  int named;       /* so many of the first are names */
  tn_opcode code;
} function;

static const function functions[] = {
    {"sin", NUMBERS, 1, 1, 0, TN_OP_SIN},
    {"cos", NUMBERS, 1, 1, 0, TN_OP_COS},
    {"tan", NUMBERS, 1, 1, 0, TN_OP_TAN},
    {"asin", NUMBERS, 1, 1, 0, TN_OP_ASIN},
    {"acos", NUMBERS, 1, 1, 0, TN_OP_ACOS},
    {"atan", NUMBERS, 1, 1, 0, TN_OP_ATAN},
    {"atan2", NUMBERS, 2, 2, 0, TN_OP_ATAN2},
    {"sqrt", NUMBERS, 1, 1, 0, TN_OP_SQRT},
    {"tanh", NUMBERS, 1, 1, 0, TN_OP_TANH},
    {"exp", NUMBERS, 1, 1, 0, TN_OP_EXP},
    {"log", NUMBERS, 1, 1, 0, TN_OP_LOG},
    {"abs", NUMBERS, 1, 1, 0, TN_OP_ABS},
    {"sign", NUMBERS, 1, 1, 0, TN_OP_SIGN},
    {"mod", NUMBERS, 2, 2, 0, TN_OP_MOD},
    {"min", PAIRS, 2, 0, 0, TN_OP_MIN},
    {"max", PAIRS, 2, 0, 0, TN_OP_MAX},
    {"if", CHOICE, 3, 3, 0, TN_OP_IF},
    {"step", STEP, 1, 5, 0, TN_OP_SMOOTH},
    {"table", TABLE, 3, 3, 2, TN_OP_TABLE},
    {"spline", TABLE, 3, 3, 2, TN_OP_SPLINE},
    {"dot", VECTORS, 2, 2, 0, TN_OP_DOT},
    {"cross", VECTORS, 2, 2, 0, TN_OP_CROSS3},
    {"norm", VECTORS, 1, 1, 0, TN_OP_NORM},
    {"in", ALONG, 2, 2, 1, TN_OP_ALONG},
    {"dist", ASKED, 2, 2, 2, TN_OP_SLOT},
    {"position", ASKED, 1, 2, 2, TN_OP_SLOT},
    {"velocity", ASKED, 1, 2, 2, TN_OP_SLOT},
    {"acceleration", ASKED, 1, 2, 2, TN_OP_SLOT},
    {"omega", ASKED, 1, 1, 1, TN_OP_SLOT},
    {"axis", ASKED, 2, 2, 2, TN_OP_SLOT},
    {"force", ASKED, 1, 1, 1, TN_OP_SLOT},
    {"torque", ASKED, 1, 1, 1, TN_OP_SLOT},
    {"det", LISTS, 0, 2, 2, TN_OP_SLOT},
    {"sigma_min", LISTS, 0, 2, 2, TN_OP_SLOT},
    {"violation", ROWS, 1, 2, 1, TN_OP_SLOT},
    {"violation_rate", ROWS, 1, 2, 1, TN_OP_SLOT},
    {"scaled_violation", ROWS, 1, 2, 1, TN_OP_SLOT},
    {"scaled_violation_rate", ROWS, 1, 2, 1, TN_OP_SLOT},
};
const char *const tn_norm_names[TN_NORMS] = {"norm1", "norm2", "max"};
enum { FUNCTIONS = sizeof functions / sizeof *functions, ARGUMENTS = 5, LISTED = 256 };

typedef struct arguments {
  int n;
  size_t at;                   /* position of the function       */
  const char *name[ARGUMENTS]; /* as text, if it is a named one */
  tn_value v[ARGUMENTS];
  tn_error *waiting[ARGUMENTS];
  size_t from[ARGUMENTS];
} arguments;

static const function *find_function(const char *name) {
  for (int i = 0; i < FUNCTIONS; i++)
    if (!strcmp(functions[i].name, name)) return &functions[i];
  return NULL;
}

bool tn_expr_is_function(const char *name) { return find_function(name) != NULL; }

static bool wrong_count(tn_parser *p, const function *f, int given, size_t at) {
  char takes[32];
  if (f->most == 0)
    tn_format(takes, sizeof takes, "%d or more arguments", f->least);
  else if (f->least == f->most)
    tn_format(takes, sizeof takes, "%d argument%s", f->least, f->least == 1 ? "" : "s");
  else
    tn_format(takes, sizeof takes, "%d or %d arguments", f->least, f->most);
  return tn_expr_fail(p, at, "'%s' takes %s, %d given", f->name, takes, given);
}

/* a norm of rows, and not a constant of that name */
static bool is_norm(const tn_parser *p) {
  const tn_quote word = tn_expr_quote(p, p->now.from, p->now.to);
  for (int i = 0; p->now.kind == TN_TOKEN_NAME && i < TN_NORMS; i++)
    if (strcmp(word.text, tn_norm_names[i]) == 0) return true;
  return false;
}

/* one argument; superfluous ones are read and dropped, so that the message has their number */
static bool read_argument(tn_parser *p, const function *f, arguments *a) {
  int i = a->n++;
  tn_value extra = {0}, *v = i < ARGUMENTS ? &a->v[i] : &extra;
  if (i < ARGUMENTS) a->from[i] = p->now.from;
  if (i < f->named || f->kind == ASKED) {
    if (p->now.kind != TN_TOKEN_NAME) return tn_expr_expected(p, "a name");
    if (i < ARGUMENTS && !(a->name[i] = tn_expr_text(p, &p->now))) return false;
    return tn_expr_advance(p);
  }
  if (f->kind == ROWS && i == 1 && is_norm(p)) {
    if (!(a->name[i] = tn_expr_text(p, &p->now))) return false;
    return tn_expr_advance(p);
  }
  tn_error *before = p->waiting;
  bool apart = f->kind == CHOICE && i < ARGUMENTS; /* errors of a branch are kept apart from the others */
  if (apart) p->waiting = NULL;
  if (!tn_expr_value(p, 0, v)) return false;
  if (apart) {
    a->waiting[i] = p->waiting;
    p->waiting = before;
  }
  if (f->kind == PAIRS && i > 0) {
    tn_value pair[2] = {a->v[0], *v};
    return tn_expr_apply_to_numbers(p, f->code, 2, pair, a->at, &a->v[0]);
  }
  if (f->most && i >= f->most) {
    p->count = v->start;
    p->depth = v->depth;
  }
  return true;
}

static bool read_arguments(tn_parser *p, const function *f, size_t at, arguments *a) {
  *a = (arguments){.at = at};
  if (!tn_expr_enter(p) || !tn_expr_take(p, '(', "'('")) return false;
  while (p->now.kind != ')' || a->n > 0) {
    if (!read_argument(p, f, a)) return false;
    if (p->now.kind != ',') break;
    if (!tn_expr_advance(p)) return false;
  }
  p->nest--;
  return tn_expr_take(p, ')', "',' or ')'");
}

static bool choice(tn_parser *p, const arguments *a, size_t from, tn_value *out) {
  const tn_value *c = &a->v[0], *v = &a->v[1], *w = &a->v[2];
  if (!tn_expr_needs_number(p, c)) return false;
  if (!(v->width > 1 ? tn_expr_needs_vector(p, w) : tn_expr_needs_number(p, w))) return false;
  if (!tn_expr_same_width(p, v, w)) return false;
  bool first = c->constant && p->op[c->start].as.number != 0;
  for (int i = 0; i < 3; i++)
    if (!p->waiting && !(c->constant && i == (first ? 2 : 1))) p->waiting = a->waiting[i];
  if (!c->constant)
    return tn_expr_apply(p, (tn_op){.code = TN_OP_IF, .width = (uint8_t)v->width}, 3, c, v->width, from, out);
  /* only the branch taken stays, in the place of the condition */
  const tn_value *taken = first ? v : w;
  int count = (first ? w->start : p->count) - taken->start;
  memmove(p->op + c->start, p->op + taken->start, sizeof *p->op * (size_t)count);
  *out = (tn_value){.start = c->start, .depth = c->depth, .width = v->width, .constant = taken->constant, .from = from};
  p->count = c->start + count;
  p->depth = c->depth + v->width;
  return true;
}

/* y'' (n) at the points of the cubic spline through them, not-a-knot: one cubic over the first two pieces, and over the last
 * two. two points: a line, three: a parabola. with h_i = x_{i+1} - x_i, d_i = (y_{i+1} - y_i)/h_i
 *   (1) h_{i-1} b_{i-1} + 2 (h_{i-1} + h_i) b_i + h_i b_{i+1} = 6 (d_i - d_{i-1}),  0 < i < n-1
 *   (2) (b_1 - b_0)/h_0 = (b_2 - b_1)/h_1, put into (1) for i = 1; alike at the end
 * false: not finite. room: 2 n */
static bool spline(int n, const double *x, const double *y, double *b, double *room) {
  double *diagonal = room, *above = room + n, sum = 0;
  memset(b, 0, sizeof *b * (size_t)n);
  if (n == 3) {
    const double h0 = x[1] - x[0], h1 = x[2] - x[1];
    b[0] = b[1] = b[2] = 2 * ((y[2] - y[1]) / h1 - (y[1] - y[0]) / h0) / (h0 + h1);
  }
  for (int i = 1; n > 3 && i < n - 1; i++) {
    const double h = x[i] - x[i - 1], g = x[i + 1] - x[i];
    double below = i == 1 ? 0 : h;
    diagonal[i] = i == 1 ? (h + g) * (h / g + 2) : i == n - 2 ? (h + g) * (g / h + 2) : 2 * (h + g);
    above[i] = i == 1 ? (g - h) * (h / g + 1) : i == n - 2 ? 0 : g;
    if (i == n - 2) below = (h - g) * (g / h + 1);
    b[i] = 6 * ((y[i + 1] - y[i]) / g - (y[i] - y[i - 1]) / h);
    if (i == 1) continue;
    const double factor = below / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    b[i] -= factor * b[i - 1];
  }
  for (int i = n - 2; n > 3 && i > 0; i--) b[i] = (b[i] - (i < n - 2 ? above[i] * b[i + 1] : 0)) / diagonal[i];
  if (n > 3) {
    b[0] = b[1] + (b[1] - b[2]) * ((x[1] - x[0]) / (x[2] - x[1]));
    b[n - 1] = b[n - 2] + (b[n - 2] - b[n - 3]) * ((x[n - 1] - x[n - 2]) / (x[n - 2] - x[n - 3]));
  }
  for (int i = 0; i < n; i++) sum += 0 * b[i] + 0 * ((i ? y[i] - y[i - 1] : 0) / (i ? x[i] - x[i - 1] : 1));
  return sum == 0;
}

static bool items_of(tn_parser *p, const char *name, size_t at, int *n, const double **x) {
  tn_error_clear(&p->error);
  tn_expr_tell_nest(p);
  if (!p->names.items || !p->names.items(p->names.user, name, n, x, &p->error))
    return tn_expr_refused(p, at, "table", name);
  for (int i = 0; i < *n; i++)
    if (!isfinite((*x)[i])) return tn_expr_fail(p, at, "item %d of table '%.60s' is not finite", i + 1, name);
  return true;
}

static bool lookup(tn_parser *p, const function *f, const arguments *a, size_t from, tn_value *out) {
  int n = 0, m = 0;
  const double *x = NULL, *y = NULL;
  if (!items_of(p, a->name[0], a->from[0], &n, &x) || !items_of(p, a->name[1], a->from[1], &m, &y)) return false;
  if (n < 2)
    return tn_expr_fail(p, a->from[0], "table '%.60s' has %d item%s, 2 are needed", a->name[0], n, n == 1 ? "" : "s");
  if (n != m)
    return tn_expr_fail(p, a->from[1], "tables '%.60s' and '%.60s' have %d and %d items", a->name[0], a->name[1], n, m);
  for (int i = 1; i < n; i++)
    if (x[i] <= x[i - 1])
      return tn_expr_fail(p, a->from[0], "table '%.60s' does not increase at item %d", a->name[0], i + 1);
  if (!tn_expr_needs_number(p, &a->v[2])) return false;
  tn_lookup *table = tn_arena_alloc(p->arena, sizeof *table);
  if (!table) return tn_expr_no_memory(p);
  *table = (tn_lookup){.n = n, .x = x, .y = y};
  if (f->code == TN_OP_SPLINE) {
    double *room = tn_arena_alloc(p->arena, sizeof *room * 3 * (size_t)n);
    if (!room) return tn_expr_no_memory(p);
    if (!spline(n, x, y, room, room + n))
      return tn_expr_fail(p, a->from[1], "the spline through '%.60s' and '%.60s' is not finite", a->name[0],
                          a->name[1]);
    table->bend = room;
  }
  return tn_expr_apply(p, (tn_op){.code = (uint8_t)f->code, .width = 1, .as.table = table}, 1, &a->v[2], 1, from, out);
}

static bool ask(tn_parser *p, const char *function_name, int n, const char *const *names, size_t from, tn_value *out) {
  tn_meaning m = {.width = 1};
  tn_error_clear(&p->error);
  tn_expr_tell_nest(p);
  if (!p->names.call || !p->names.call(p->names.user, function_name, n, names, &m, &p->error))
    return tn_expr_refused(p, from, "function", function_name);
  return tn_expr_push_meaning(p, &m, from, out);
}

/* violation(joint), (joint, norm) or (joint, k): k is a constant, handed on as its digits */
static bool row(tn_parser *p, const function *f, const arguments *a, size_t from, tn_value *out) {
  const char *names[2] = {a->name[0], a->name[1]};
  char digits[32];
  if (a->n == 2 && !names[1]) {
    const tn_value *k = &a->v[1];
    if (!tn_expr_needs_number(p, k)) return false;
    if (!k->constant) return tn_expr_fail(p, k->from, "the number of a constraint equation must be a constant");
    tn_format(digits, sizeof digits, "%.10g", p->op[k->start].as.number);
    names[1] = digits;
    p->count = k->start;
    p->depth = k->depth;
  }
  return ask(p, f->name, a->n, names, from, out);
}

/* in(body, v): v is on the stack, the axes of the body follow it */
static bool along(tn_parser *p, const arguments *a, size_t from, tn_value *out) {
  static const char *const axes[] = {"x", "y", "z"};
  tn_value v[4] = {a->v[1]};
  int n = v[0].width;
  if (!tn_expr_needs_vector(p, &v[0])) return false;
  for (int i = 0; i < n; i++) {
    if (!ask(p, "axis", 2, (const char *const[]){a->name[0], axes[i]}, from, &v[i + 1])) return false;
    if (!tn_expr_same_width(p, &v[0], &v[i + 1])) return false;
  }
  return tn_expr_apply(p, (tn_op){.code = TN_OP_ALONG, .width = (uint8_t)n}, n + 1, v, n, from, out);
}

static bool vectors(tn_parser *p, const function *f, const arguments *a, size_t from, tn_value *out) {
  int w = a->v[0].width;
  for (int i = 0; i < a->n; i++) {
    if (!tn_expr_needs_vector(p, &a->v[i])) return false;
    if (!tn_expr_same_width(p, &a->v[0], &a->v[i])) return false;
  }
  bool vector = f->code == TN_OP_CROSS3 && w == 3;
  tn_opcode code = f->code == TN_OP_CROSS3 && w == 2 ? TN_OP_CROSS2 : f->code;
  return tn_expr_apply(p, (tn_op){.code = (uint8_t)code, .width = (uint8_t)w}, a->n, a->v, vector ? 3 : 1, from, out);
}

/* step(x) or step(x, x0, y0, x1, y1) */
static bool step(tn_parser *p, const arguments *a, size_t from, tn_value *out) {
  const tn_value *v = a->v;
  if (a->n == 1) return tn_expr_apply_to_numbers(p, TN_OP_STEP, 1, v, from, out);
  for (int i = 0; i < a->n; i++)
    if (!tn_expr_needs_number(p, &v[i])) return false;
  if (v[1].constant && v[3].constant && p->op[v[1].start].as.number == p->op[v[3].start].as.number)
    return tn_expr_fail(p, v[3].from, "'step' begins and ends at the same place");
  return tn_expr_apply_to_numbers(p, TN_OP_SMOOTH, 5, v, from, out);
}

/* a name, or "[" name { "," name } "]" */
static bool read_list(tn_parser *p, const char **name, int *n) {
  const bool one = p->now.kind != '[';
  if (!one && !tn_expr_advance(p)) return false;
  for (;;) {
    if (p->now.kind != TN_TOKEN_NAME) return tn_expr_expected(p, one ? "a name or '['" : "a name");
    if (*n >= LISTED) return tn_expr_fail(p, p->now.from, "more than %d names", LISTED);
    if (!(name[(*n)++] = tn_expr_text(p, &p->now)) || !tn_expr_advance(p)) return false;
    if (one) return true;
    if (p->now.kind != ',') return tn_expr_take(p, ']', "',' or ']'");
    if (!tn_expr_advance(p)) return false;
  }
}

/* none, one or two lists; an empty name between them */
static bool lists(tn_parser *p, const function *f, size_t from, tn_value *out) {
  const char **name = tn_arena_alloc(&p->scratch, sizeof *name * (LISTED + 1));
  int n = 0;
  if (!name) return tn_expr_no_memory(p);
  if (!tn_expr_enter(p) || !tn_expr_take(p, '(', "'('")) return false;
  for (int list = 0; p->now.kind != ')' || list; list++) {
    if (list == f->most) return tn_expr_fail(p, p->now.from, "'%s' takes two lists of names at most", f->name);
    if (list) name[n++] = "";
    if (!read_list(p, name, &n)) return false;
    if (p->now.kind != ',') break;
    if (!tn_expr_advance(p)) return false;
  }
  p->nest--;
  return tn_expr_take(p, ')', "',' or ')'") && ask(p, f->name, n, name, from, out);
}

/* name "(" .. ")": the name has been read */
bool tn_expr_call(tn_parser *p, const tn_token *name, tn_value *out) {
  const char *text = tn_expr_text(p, name);
  if (!text) return false;
  const function *f = find_function(text);
  if (!f) {
    tn_expr_fail(p, name->from, "unknown function '%s'", tn_expr_quote(p, name->from, name->to).text);
    const char *known[FUNCTIONS];
    for (int i = 0; i < FUNCTIONS; i++) known[i] = functions[i].name;
    const char *near = tn_nearest(text, FUNCTIONS, known);
    if (near) tn_hint(&p->error, "did you mean '%s'?", near);
    return false;
  }
  if (f->kind == LISTS) return lists(p, f, name->from, out);
  arguments a;
  if (!read_arguments(p, f, name->from, &a)) return false;
  if (a.n < f->least || (f->most && a.n > f->most) || (f->kind == STEP && a.n != 1 && a.n != 5))
    return wrong_count(p, f, a.n, name->from);

  switch (f->kind) {
  case NUMBERS: return tn_expr_apply_to_numbers(p, f->code, a.n, a.v, name->from, out);
  case PAIRS:
    *out = a.v[0];
    out->from = name->from;
    return true;
  case CHOICE: return choice(p, &a, name->from, out);
  case STEP: return step(p, &a, name->from, out);
  case TABLE: return lookup(p, f, &a, name->from, out);
  case VECTORS: return vectors(p, f, &a, name->from, out);
  case ALONG: return along(p, &a, name->from, out);
  case ROWS: return row(p, f, &a, name->from, out);
  case ASKED:
  case LISTS: break;
  }
  return ask(p, f->name, a.n, a.name, name->from, out);
}
