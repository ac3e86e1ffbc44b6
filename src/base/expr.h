/* expressions inside: the postfix program that expr.c writes and expr_eval.c runs.
 * SPDX-License-Identifier: MIT */
#ifndef TN_EXPR_H
#define TN_EXPR_H

#include "base/base.h"

#define TN_EXPR_TEXT 10000   /* bytes of text                                        */
#define TN_EXPR_NEST 100     /* parentheses, calls, signs and powers inside each other */
#define TN_EXPR_NEST_ALL 300 /* of definitions that ask for one another, all together */
#define TN_EXPR_STACK 192    /* numbers waiting: 64 vectors                          */

/* operands and result of each operation on the stack: s scalar, v w vectors of `width` numbers */
typedef enum tn_opcode {
  TN_OP_NUMBER,    /* -> number             */
  TN_OP_TIME,      /* -> t                  */
  TN_OP_SLOT,      /* -> `width` fetched numbers */
  TN_OP_PARAMETER, /* -> number `index` of the parameters, as it stands */

  TN_OP_ADD,
  TN_OP_SUB,
  TN_OP_MUL,
  TN_OP_DIV,
  TN_OP_POW,
  TN_OP_NEG,
  TN_OP_LT,
  TN_OP_LE,
  TN_OP_GT,
  TN_OP_GE,
  TN_OP_EQ,
  TN_OP_NE,
  TN_OP_AND,
  TN_OP_OR,
  TN_OP_NOT,

  TN_OP_SIN,
  TN_OP_COS,
  TN_OP_TAN,
  TN_OP_ASIN,
  TN_OP_ACOS,
  TN_OP_ATAN,
  TN_OP_ATAN2,
  TN_OP_SQRT,
  TN_OP_EXP,
  TN_OP_LOG,
  TN_OP_TANH,
  TN_OP_ABS,
  TN_OP_SIGN,
  TN_OP_MIN,
  TN_OP_MAX,
  TN_OP_MOD,
  TN_OP_STEP,   /* x -> 0 or 1           */
  TN_OP_SMOOTH, /* x x0 y0 x1 y1 -> y    */
  TN_OP_TABLE,  /* x -> y                */
  TN_OP_SPLINE, /* x -> y                */
  TN_OP_IF,     /* s v w -> v or w       */

  TN_OP_VADD,
  TN_OP_VSUB,
  TN_OP_VNEG,
  TN_OP_SCALE,  /* s v -> s v            */
  TN_OP_SCALED, /* v s -> v s            */
  TN_OP_VDIV,   /* v s -> v / s          */
  TN_OP_DOT,    /* v w -> s              */
  TN_OP_CROSS2, /* v w -> s              */
  TN_OP_CROSS3, /* v w -> v x w          */
  TN_OP_NORM,   /* v -> s                */
  TN_OP_PART,   /* v -> v[index]         */
  TN_OP_ALONG   /* v e_x e_y (e_z) -> (v'e_x, v'e_y, v'e_z) */
} tn_opcode;

typedef struct tn_lookup {
  int n;               /* at least 2              */
  const double *x, *y; /* (n), x strictly increasing */
  const double *bend;  /* (n): y'' at them, of a spline; NULL: straight lines */
} tn_lookup;

typedef struct tn_op {
  uint8_t code;  /* tn_opcode                */
  uint8_t width; /* of its vectors; 1: scalar */
  int index;     /* slot; component; of a piecewise operation: 1 + its switch, 0 if it has none */
  union {
    double number;
    const tn_lookup *table;
  } as;
} tn_op;

struct tn_expr {
  int width;
  tn_class kind;
  const tn_switching *held; /* of a copy that belongs to one system; else NULL */
  int n;                    /* operations */
  tn_op op[];
};

/* run n operations; the result is in stack[0 .. width-1]. the stack has TN_EXPR_STACK numbers, and the compiler saw to
 * it that these suffice */
void tn_expr_run(int n, const tn_op *op, double t, tn_fetch fetch, const void *scope, const tn_switching *w,
                 double *stack);

/* ---- piecewise operations: expr_piece.c. a: the first of their operands ------------------------------------------------ */

int tn_piece_takes(int code);                           /* operands; 0: it is not piecewise                 */
double tn_piece_live(const tn_op *op, const double *a); /* the piece that the operands are in; NaN if one is */
/* the margin inside a piece: 0 at its threshold, negative outside */
double tn_piece_margin(const tn_op *op, double piece, const double *a);
/* the piece to take: the held or the live one */
double tn_piece(const tn_op *op, const double *a, const tn_switching *w);
/* the table or spline of a piece, beyond its ends too: y, y', y'' */
void tn_piece_look_up(const tn_op *op, double piece, double x, double y[3]);

/* ---- parsing: shared by expr.c (grammar), expr_call.c (functions), expr_token.c (tokens and messages) ------------ */

/* tokens of one character are that character */
enum {
  TN_TOKEN_END = 256,
  TN_TOKEN_NUMBER,
  TN_TOKEN_NAME,
  TN_TOKEN_LE,
  TN_TOKEN_GE,
  TN_TOKEN_EQ,
  TN_TOKEN_NE,
  TN_TOKEN_AND,
  TN_TOKEN_OR,
  TN_TOKEN_NOT
};

typedef struct tn_token {
  int kind;
  size_t from, to; /* bytes of the text */
  double number;
} tn_token;

typedef struct tn_parser {
  const char *text;
  size_t n;
  tn_class allowed;
  tn_names names;
  tn_arena *arena;    /* memory of the expression                 */
  tn_arena scratch;   /* memory that only parsing needs           */
  char *digits;       /* (n + 32), once a number was read         */
  tn_token now, last; /* the token not yet read, the one before it */
  int nest;           /* values inside each other                 */
  int outer;          /* levels of the definitions that ask for it */
  int depth;          /* numbers on the stack here                */
  int count, room;    /* operations                               */
  tn_op *op;          /* (room)                                   */
  tn_error *waiting;  /* the first error of a value, NULL if none */
  tn_error error;
} tn_parser;

/* a parsed value: its operations are the last ones, from `start` on */
typedef struct tn_value {
  int start, depth; /* first operation; numbers on the stack before it       */
  int width;
  bool constant; /* its operations are `width` numbers                    */
  size_t from;   /* in the text; it ends where the last token read ended */
} tn_value;

typedef struct tn_quote {
  char text[64];
} tn_quote;

/* everything below that returns a bool returns false with p->error filled */
bool tn_expr_fail(tn_parser *p, size_t at, const char *format, ...) TN_PRINTF(3, 4);
bool tn_expr_no_memory(tn_parser *p);
bool tn_expr_expected(tn_parser *p, const char *what); /* `expected ')' before '*'` */
/* a callback said no: its message, at this place */
bool tn_expr_refused(tn_parser *p, size_t at, const char *what, const char *name);
tn_quote tn_expr_quote(const tn_parser *p, size_t from, size_t to); /* a piece of the text, shortened */

bool tn_expr_advance(tn_parser *p);                          /* on to the next token */
bool tn_expr_take(tn_parser *p, int kind, const char *what); /* read a token of this kind */
char *tn_expr_text(tn_parser *p, const tn_token *k);         /* NULL: no memory */
bool tn_expr_enter(tn_parser *p);                            /* one level deeper; p->nest-- leaves it */
/* before every callback: the callback may parse the definition of a name */
static inline void tn_expr_tell_nest(const tn_parser *p) {
  if (p->names.nest) *p->names.nest = p->outer + p->nest;
}
static inline int tn_expr_byte(const tn_parser *p, size_t i) { return i < p->n ? (unsigned char)p->text[i] : 0; }

/* a value with the operators after it that bind at least so strongly; 0: all */
bool tn_expr_value(tn_parser *p, int least, tn_value *out);
bool tn_expr_needs_number(tn_parser *p, const tn_value *v);
bool tn_expr_needs_vector(tn_parser *p, const tn_value *v);
bool tn_expr_same_width(tn_parser *p, const tn_value *v, const tn_value *w); /* of two vectors */
/* an operation on the last n values, v[0] the first of them; `from`: where the result begins in the text */
bool tn_expr_apply(tn_parser *p, tn_op op, int n, const tn_value *v, int width, size_t from, tn_value *out);
bool tn_expr_apply_to_numbers(tn_parser *p, tn_opcode code, int n, const tn_value *v, size_t from, tn_value *out);
/* the result of a callback */
bool tn_expr_push_meaning(tn_parser *p, const tn_meaning *m, size_t from, tn_value *out);

bool tn_expr_is_function(const char *name);
bool tn_expr_call(tn_parser *p, const tn_token *name, tn_value *out); /* the name has been read */

#endif
