/* expressions: text to a postfix program.
 * SPDX-License-Identifier: MIT
 *
 *   expression = and { "or" and }
 *   and        = not { "and" not }
 *   not        = "not" not | compare
 *   compare    = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
 *   sum        = product { ( "+" | "-" ) product }
 *   product    = sign { ( "*" | "/" ) sign }
 *   sign       = ( "-" | "+" ) sign | power
 *   power      = part [ "^" sign ]                            -2^2 = -4, 2^-1 = 0.5, 2^3^2 = 2^9
 *   part       = value { "." ( "x" | "y" | "z" ) }
 *   value      = number | name | name "[" expression "]" | name "(" [ expression { "," expression } ] ")"
 *              | "(" expression ")"
 *   number     = ( digits [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ]
 *   name       = word { "." word },  word = letter or "_" { letter, digit or "_" };  no spaces inside
 *
 * read by precedence climbing, one token ahead; operations go into a growing list in the order they run. a value whose
 * operations are all numbers is a constant: an operation on constants only is run at once and replaced by its result.
 * A constant that is not finite, or an item outside its table, is a deferred error: `if` with a constant condition
 * drops the branch that it does not take, and the errors of values in it. */
#include "base/expr.h"

/* ---- operations -------------------------------------------------------------------------------------------------- */

bool tn_expr_needs_number(tn_parser *p, const tn_value *v) {
  return v->width == 1 || tn_expr_fail(p, v->from, "vector where a number is needed");
}

bool tn_expr_needs_vector(tn_parser *p, const tn_value *v) {
  return v->width > 1 || tn_expr_fail(p, v->from, "number where a vector is needed");
}

bool tn_expr_same_width(tn_parser *p, const tn_value *v, const tn_value *w) {
  if (v->width == w->width) return true;
  return tn_expr_fail(p, w->from, "vectors of %d and %d components do not go together", v->width, w->width);
}

/* the error is deferred until it is known whether its value is needed */
static bool wait_with_error(tn_parser *p) {
  if (p->error.status == TN_E_MEMORY) return false;
  if (!p->waiting) {
    if (!(p->waiting = tn_arena_alloc(&p->scratch, sizeof(tn_error)))) return tn_expr_no_memory(p);
    *p->waiting = p->error;
  }
  return true;
}

static bool emit(tn_parser *p, tn_op op) {
  if (p->count == p->room) {
    int room = p->room ? 2 * p->room : 32;
    tn_op *more = tn_arena_alloc(&p->scratch, sizeof *more * (size_t)room);
    if (!more) return tn_expr_no_memory(p);
    if (p->count) memcpy(more, p->op, sizeof *more * (size_t)p->count);
    p->op = more;
    p->room = room;
  }
  p->op[p->count++] = op;
  return true;
}

/* an operation that puts `width` numbers on the stack */
static bool push(tn_parser *p, tn_op op) {
  p->depth += op.width;
  if (p->depth > TN_EXPR_STACK)
    return tn_expr_fail(p, p->last.from, "too deep: more than %d numbers wait to be used", TN_EXPR_STACK);
  return emit(p, op);
}

static bool push_constant(tn_parser *p, int width, const double *x, size_t from, tn_value *out) {
  *out = (tn_value){.start = p->count, .depth = p->depth, .width = width, .constant = true, .from = from};
  bool finite = true;
  for (int i = 0; i < width; i++) {
    if (!push(p, (tn_op){.code = TN_OP_NUMBER, .width = 1, .as.number = x[i]})) return false;
    finite = finite && isfinite(x[i]);
  }
  if (finite || p->waiting) return true;
  bool nan = false;
  for (int i = 0; i < width; i++) nan = nan || isnan(x[i]);
  tn_expr_fail(p, from, "'%s' is %s", tn_expr_quote(p, from, p->last.to).text, nan ? "not a number" : "infinite");
  return wait_with_error(p);
}

/* a piecewise operation gets its switch if the caller wants one; min and max may have more operands */
static bool has_switch(tn_parser *p, size_t from, tn_op *op) {
  if (!p->names.piecewise || !tn_piece_takes(op->code)) return true;
  const bool pair = op->code == TN_OP_MIN || op->code == TN_OP_MAX;
  char text[80];
  tn_format(text, sizeof text, "%s%s", tn_expr_quote(p, from, p->last.to).text,
            !pair                ? ""
            : p->now.kind == ',' ? ", ..)"
                                 : ")");
  const int number = p->names.piecewise(p->names.user, text);
  if (number < -1) return tn_expr_no_memory(p);
  op->index = number + 1;
  return true;
}

/* on constants it is run at once: the run is the folding */
bool tn_expr_apply(tn_parser *p, tn_op op, int n, const tn_value *v, int width, size_t from, tn_value *out) {
  tn_value result = {.start = v[0].start, .depth = v[0].depth, .width = width, .constant = true, .from = from};
  for (int i = 0; i < n; i++) result.constant = result.constant && v[i].constant;
  if (!result.constant && !has_switch(p, from, &op)) return false;
  if (!emit(p, op)) return false;
  p->depth = result.depth + width;
  *out = result;
  if (!result.constant) return true;
  double stack[TN_EXPR_STACK];
  tn_expr_run(p->count - result.start, p->op + result.start, NAN, NULL, NULL, NULL, stack);
  p->count = result.start;
  p->depth = result.depth;
  return push_constant(p, width, stack, from, out);
}

bool tn_expr_apply_to_numbers(tn_parser *p, tn_opcode code, int n, const tn_value *v, size_t from, tn_value *out) {
  for (int i = 0; i < n; i++)
    if (!tn_expr_needs_number(p, &v[i])) return false;
  return tn_expr_apply(p, (tn_op){.code = (uint8_t)code, .width = 1}, n, v, 1, from, out);
}

bool tn_expr_push_meaning(tn_parser *p, const tn_meaning *m, size_t from, tn_value *out) {
  if (m->width < 1 || m->width > 3) {
    tn_fail(&p->error, TN_E_INTERNAL, "'%s' has %d components", tn_expr_quote(p, from, p->last.to).text, m->width);
    p->error.byte = (int64_t)from;
    return false;
  }
  if (m->is_parameter) {
    if (p->allowed == TN_CLASS_CONSTANT)
      return tn_expr_fail(p, from, "a constant cannot use the parameter '%s', which a run may change",
                          tn_expr_quote(p, from, p->last.to).text);
    *out = (tn_value){.start = p->count, .depth = p->depth, .width = 1, .from = from};
    return push(p, (tn_op){.code = TN_OP_PARAMETER, .width = 1, .index = m->slot});
  }
  if (!m->is_slot) return push_constant(p, m->width, m->value, from, out);
  if (p->allowed != TN_CLASS_RUNNING)
    return tn_expr_fail(p, from, "a %s cannot use the channel '%s'",
                        p->allowed == TN_CLASS_TIME ? "function of time" : "constant",
                        tn_expr_quote(p, from, p->last.to).text);
  *out = (tn_value){.start = p->count, .depth = p->depth, .width = m->width, .from = from};
  return push(p, (tn_op){.code = TN_OP_SLOT, .width = (uint8_t)m->width, .index = m->slot});
}

static bool component(tn_parser *p, int name, size_t at, tn_value *v) {
  int i = name - 'x';
  if (v->width == 1) return tn_expr_fail(p, at, "a number has no component '%c'", name);
  if (i >= v->width) return tn_expr_fail(p, at, "a vector in the plane has no component '%c'", name);
  return tn_expr_apply(p, (tn_op){.code = TN_OP_PART, .width = (uint8_t)v->width, .index = i}, 1, v, 1, v->from, v);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

#define PI 3.14159265358979323846

static const struct {
  const char *name;
  double value;
} constants[] = {{"pi", PI}, {"deg", PI / 180}, {"rpm", 2 * PI / 60}, {"mm", 1e-3}, {"ms", 1e-3}, {"g0", 9.80665}};

static const double *constant_of(const char *name) {
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (!strcmp(constants[i].name, name)) return &constants[i].value;
  return NULL;
}

static bool find(tn_parser *p, const char *name, tn_meaning *m, tn_error *e) {
  tn_error_clear(e);
  *m = (tn_meaning){.width = 1};
  tn_expr_tell_nest(p);
  return p->names.find && !constant_of(name) && strcmp(name, "t") != 0 && p->names.find(p->names.user, name, m, e);
}

/* an error with a place of its own is that of a definition: it is final, and asking again would cost as much again */
static bool is_of_definition(const tn_error *e) { return e->line > 0 || e->pointer[0]; }

/* a name alone, already read. `v.x` may be a name or a component of `v` */
static bool name_alone(tn_parser *p, const tn_token *name, tn_value *out) {
  char *text = tn_expr_text(p, name);
  if (!text) return false;
  const double *constant = constant_of(text);
  if (constant) return push_constant(p, 1, constant, name->from, out);
  if (!strcmp(text, "t")) {
    if (p->allowed == TN_CLASS_CONSTANT)
      return tn_expr_fail(p, name->from, "'t' is not known here: this must be a constant");
    *out = (tn_value){.start = p->count, .depth = p->depth, .width = 1, .from = name->from};
    return push(p, (tn_op){.code = TN_OP_TIME, .width = 1});
  }

  tn_meaning m;
  if (p->names.at) *p->names.at = name->from;
  if (find(p, text, &m, &p->error)) return tn_expr_push_meaning(p, &m, name->from, out);
  if (p->error.status == TN_E_MEMORY) return false; /* it may well be a name */
  if (is_of_definition(&p->error)) return tn_expr_refused(p, name->from, "name", text);
  if (tn_expr_is_function(text))
    return tn_expr_fail(p, name->from, "'%s' is a function and needs its arguments in parentheses", text);
  char *dot = strrchr(text, '.');
  if (dot && dot[1] >= 'x' && dot[1] <= 'z' && !dot[2]) {
    tn_error other;
    *dot = 0;
    if (find(p, text, &m, &other) && m.width > 1)
      return tn_expr_push_meaning(p, &m, name->from, out) && component(p, dot[1], name->from, out);
  }
  return tn_expr_refused(p, name->from, "name", tn_expr_quote(p, name->from, name->to).text);
}

/* name "[" index "]": the name has been read */
static bool item(tn_parser *p, const tn_token *name, tn_value *out) {
  const char *text = tn_expr_text(p, name);
  tn_value index;
  if (!text || !tn_expr_enter(p) || !tn_expr_advance(p) || !tn_expr_value(p, 0, &index)) return false;
  p->nest--;
  if (!tn_expr_needs_number(p, &index)) return false;
  if (!index.constant)
    return tn_expr_fail(p, index.from, "the index of '%s' must be a constant",
                        tn_expr_quote(p, name->from, name->to).text);
  if (!tn_expr_take(p, ']', "']'")) return false;
  double x = NAN, i = p->op[index.start].as.number;
  p->count = index.start;
  p->depth = index.depth;
  tn_error_clear(&p->error);
  tn_expr_tell_nest(p);
  if (isfinite(i) && (!p->names.item || !p->names.item(p->names.user, text, i, &x, &p->error))) {
    tn_expr_refused(p, name->from, "table", tn_expr_quote(p, name->from, name->to).text);
    if (is_of_definition(&p->error) || !wait_with_error(p)) return false;
    x = NAN;
  }
  return push_constant(p, 1, &x, name->from, out);
}

/* ---- grammar ----------------------------------------------------------------------------------------------------- */

/* how strongly an operator binds */
enum { ANY, LOOSE, BOTH, NEGATE, COMPARE, SUM, PRODUCT, SIGN, POWER };

static const struct binary {
  int token, power;
  tn_opcode code;
} binaries[] = {
    {TN_TOKEN_OR, LOOSE, TN_OP_OR},
    {TN_TOKEN_AND, BOTH, TN_OP_AND},
    {'<', COMPARE, TN_OP_LT},
    {'>', COMPARE, TN_OP_GT},
    {TN_TOKEN_LE, COMPARE, TN_OP_LE},
    {TN_TOKEN_GE, COMPARE, TN_OP_GE},
    {TN_TOKEN_EQ, COMPARE, TN_OP_EQ},
    {TN_TOKEN_NE, COMPARE, TN_OP_NE},
    {'+', SUM, TN_OP_ADD},
    {'-', SUM, TN_OP_SUB},
    {'*', PRODUCT, TN_OP_MUL},
    {'/', PRODUCT, TN_OP_DIV},
    {'^', POWER, TN_OP_POW},
};

static const struct binary *binary_of(int kind) {
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (binaries[i].token == kind) return &binaries[i];
  return NULL;
}

static bool combine(tn_parser *p, tn_opcode code, const tn_value *left, const tn_value *right, tn_value *out) {
  tn_value v[2] = {*left, *right};
  int a = left->width, b = right->width, w = a > b ? a : b;
  if (a > 1 && b > 1 && !tn_expr_same_width(p, left, right)) return false;
  if (w == 1) return tn_expr_apply_to_numbers(p, code, 2, v, left->from, out);
  switch (code) {
  case TN_OP_ADD:
  case TN_OP_SUB:
    if (a != b) return a == 1 ? tn_expr_needs_number(p, right) : tn_expr_needs_vector(p, right);
    code = code == TN_OP_ADD ? TN_OP_VADD : TN_OP_VSUB;
    break;
  case TN_OP_MUL:
    if (a == b) {
      tn_expr_needs_number(p, right);
      tn_hint(&p->error, "products of vectors are dot(a, b) and cross(a, b)");
      return false;
    }
    code = a == 1 ? TN_OP_SCALE : TN_OP_SCALED;
    break;
  case TN_OP_DIV:
    if (!tn_expr_needs_number(p, right)) return false;
    code = TN_OP_VDIV;
    break;
  default: return tn_expr_needs_number(p, left) && tn_expr_needs_number(p, right);
  }
  return tn_expr_apply(p, (tn_op){.code = (uint8_t)code, .width = (uint8_t)w}, 2, v, w, left->from, out);
}

/* - + not: the operator has not been read */
static bool prefix(tn_parser *p, int least, tn_value *out) {
  tn_token sign = p->now;
  if (sign.kind == TN_TOKEN_NOT && least > NEGATE) {
    tn_expr_fail(p, sign.from, "unexpected 'not'");
    tn_hint(&p->error, "put it in parentheses");
    return false;
  }
  tn_value v;
  if (!tn_expr_enter(p) || !tn_expr_advance(p) || !tn_expr_value(p, sign.kind == TN_TOKEN_NOT ? NEGATE : SIGN, &v))
    return false;
  p->nest--;
  if (sign.kind == TN_TOKEN_NOT) return tn_expr_apply_to_numbers(p, TN_OP_NOT, 1, &v, sign.from, out);
  *out = v;
  out->from = sign.from;
  if (sign.kind == '+') return true;
  tn_op op = {.code = v.width == 1 ? TN_OP_NEG : TN_OP_VNEG, .width = (uint8_t)v.width};
  return tn_expr_apply(p, op, 1, &v, v.width, sign.from, out);
}

static bool primary(tn_parser *p, tn_value *out) {
  tn_token k = p->now;
  switch (k.kind) {
  case TN_TOKEN_NUMBER: return tn_expr_advance(p) && push_constant(p, 1, &k.number, k.from, out);
  case '(':
    if (!tn_expr_enter(p) || !tn_expr_advance(p) || !tn_expr_value(p, ANY, out)) return false;
    p->nest--;
    out->from = k.from;
    return tn_expr_take(p, ')', "')'");
  case TN_TOKEN_NAME:
    if (!tn_expr_advance(p)) return false;
    return p->now.kind == '('   ? tn_expr_call(p, &k, out)
           : p->now.kind == '[' ? item(p, &k, out)
                                : name_alone(p, &k, out);
  default: return tn_expr_expected(p, "a value");
  }
}

/* precedence climbing */
bool tn_expr_value(tn_parser *p, int least, tn_value *out) {
  *out = (tn_value){0};
  int kind = p->now.kind;
  if (kind == '-' || kind == '+' || kind == TN_TOKEN_NOT) {
    if (!prefix(p, least, out)) return false;
  } else {
    if (!primary(p, out)) return false;
    while (p->now.kind == '.') {
      if (!tn_expr_advance(p)) return false;
      tn_token k = p->now;
      int name = tn_expr_byte(p, k.from);
      if (k.kind != TN_TOKEN_NAME || k.to - k.from != 1 || name < 'x' || name > 'z')
        return tn_expr_expected(p, "x, y or z");
      if (!tn_expr_advance(p) || !component(p, name, k.from, out)) return false;
    }
  }
  for (int before = ANY;;) {
    const struct binary *b = binary_of(p->now.kind);
    if (!b || b->power < least) return true;
    if (b->power == COMPARE && before == COMPARE) {
      tn_expr_fail(p, p->now.from, "unexpected '%s' after a comparison", tn_expr_quote(p, p->now.from, p->now.to).text);
      tn_hint(&p->error, "write 'a < b and b < c'");
      return false;
    }
    before = b->power;
    tn_value right;
    bool deeper = b->power == POWER; /* to the right; the others rise in strength, so their depth is bounded */
    if ((deeper && !tn_expr_enter(p)) || !tn_expr_advance(p) || !tn_expr_value(p, deeper ? SIGN : b->power + 1, &right))
      return false;
    if (deeper) p->nest--;
    if (!combine(p, b->code, out, &right, out)) return false;
  }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool whole(tn_parser *p, tn_expr **expr) {
  tn_value v;
  if (p->n > TN_EXPR_TEXT)
    return tn_expr_fail(p, TN_EXPR_TEXT, "the expression has %zu bytes, %d are allowed", p->n, TN_EXPR_TEXT);
  if (!tn_expr_advance(p)) return false;
  if (p->now.kind == TN_TOKEN_END) return tn_expr_fail(p, 0, "the expression is empty");
  if (!tn_expr_value(p, ANY, &v)) return false;
  if (p->now.kind == ')' || p->now.kind == ']' || p->now.kind == ',')
    return tn_expr_fail(p, p->now.from, "unexpected '%c'", p->now.kind);
  if (p->now.kind != TN_TOKEN_END) {
    tn_expr_expected(p, "an operator");
    if (p->now.kind == TN_TOKEN_NAME && p->last.kind == TN_TOKEN_NUMBER) tn_hint(&p->error, "a product needs its '*'");
    return false;
  }
  if (p->waiting) {
    p->error = *p->waiting;
    return false;
  }
  tn_expr *e = tn_arena_alloc(p->arena, sizeof *e + sizeof *e->op * (size_t)p->count);
  if (!e) return tn_expr_no_memory(p);
  *e = (tn_expr){.width = v.width, .n = p->count, .kind = TN_CLASS_CONSTANT};
  for (int i = 0; i < p->count; i++) {
    e->op[i] = p->op[i];
    tn_class kind = e->op[i].code == TN_OP_SLOT                                       ? TN_CLASS_RUNNING
                    : e->op[i].code == TN_OP_TIME || e->op[i].code == TN_OP_PARAMETER ? TN_CLASS_TIME
                                                                                      : TN_CLASS_CONSTANT;
    if (kind > e->kind) e->kind = kind;
  }
  *expr = e;
  return true;
}

int tn_expr_slots(const tn_expr *e) {
  int n = 0;
  for (int i = 0; i < e->n; i++) n += e->op[i].code == TN_OP_SLOT;
  return n;
}

int tn_expr_slot(const tn_expr *e, int k) {
  for (int i = 0; i < e->n; i++)
    if (e->op[i].code == TN_OP_SLOT && k-- == 0) return e->op[i].index;
  return -1;
}

bool tn_expr_uses_time(const tn_expr *e) {
  for (int i = 0; i < e->n; i++)
    if (e->op[i].code == TN_OP_TIME) return true;
  return false;
}

bool tn_expr_uses_parameters(const tn_expr *e) {
  for (int i = 0; i < e->n; i++)
    if (e->op[i].code == TN_OP_PARAMETER) return true;
  return false;
}

bool tn_expr_has_pieces(const tn_expr *e) {
  for (int i = 0; i < e->n; i++)
    if (tn_piece_takes(e->op[i].code)) return true;
  return false;
}

bool tn_expr_is_condition(const tn_expr *e) { /* the last operation makes the value */
  const int code = e->op[e->n - 1].code;
  return code >= TN_OP_LT && code <= TN_OP_NOT;
}

tn_status tn_expr_parse(tn_arena *arena, const char *text, size_t n, tn_class allowed, const tn_names *names,
                        tn_expr **expr, tn_error *error) {
  tn_parser p = {.text = text, .n = n, .allowed = allowed, .arena = arena};
  if (names) p.names = *names;
  if (p.names.nest) p.outer = *p.names.nest;
  tn_error_clear(&p.error);
  tn_arena_init(&p.scratch, &arena->allocator);
  bool ok = whole(&p, expr);
  tn_arena_free(&p.scratch);
  if (p.names.nest) *p.names.nest = p.outer;
  if (ok) return TN_OK;
  if (error) *error = p.error;
  return p.error.status;
}

tn_expr *tn_expr_number(tn_arena *arena, double value) {
  tn_expr *e = tn_arena_alloc(arena, sizeof *e + sizeof *e->op);
  if (!e) return NULL;
  *e = (tn_expr){.width = 1, .n = 1, .kind = TN_CLASS_CONSTANT};
  e->op[0] = (tn_op){.code = TN_OP_NUMBER, .width = 1, .as.number = value};
  return e;
}
