/* base: tools with no mechanics in them: status and messages, memory, plane vectors, expressions. */
#ifndef TN_BASE_H
#define TN_BASE_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#if TN_THREADS && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#endif
#include <string.h>

#include "base/chart.h"
#include "base/space.h"
#include "base/tolerance.h"
#include "tenon/extend.h"

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* As fmax and fmin, which are calls into the C library: where one number is NaN, the other counts. Of two zeros it is the second. */
static inline double tn_max(double a, double b) { return a > b || isnan(b) ? a : b; }
static inline double tn_min(double a, double b) { return a < b || isnan(b) ? a : b; }

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* the position of a value in the text that it was read from */
typedef struct tn_place {
  const char *file; /* NULL: built by calls */
  int64_t byte;     /* from 0 */
  int line, column; /* from 1 */
} tn_place;

/* format.c: tn_vformat, with the texts of %s as tn_show shows them */
int tn_vformat_shown(char *text, size_t size, const char *format, va_list list) TN_PRINTF(3, 0);

/* put.c: formatted text for a callback; `failed` once the callback has refused some. Names are shown as by tn_show. */
typedef struct tn_printer {
  tn_write write;
  void *user;
  bool failed;
} tn_printer;
void tn_put(tn_printer *p, const char *format, ...) TN_PRINTF(2, 3);

void tn_error_clear(tn_error *e);
/* set status and message (hint and place cleared); returns the status */
tn_status tn_fail(tn_error *e, tn_status status, const char *format, ...) TN_PRINTF(3, 4);
void tn_hint(tn_error *e, const char *format, ...) TN_PRINTF(2, 3);
void tn_error_at(tn_error *e, const tn_place *place, const char *pointer);
/* bytes of the UTF-8 character at s (n bytes left), 0 if it is not a valid one */
int tn_utf8(const char *s, size_t n);
/* show.c, as tn_show: the number of bytes of the character at s (n > 0 bytes left), and how it is shown; "": unchanged */
int tn_escape(const char *s, size_t n, char escape[8]);
int tn_show_part(char *shown, size_t size, const char *text, size_t n);
/* error.c: the same into a field of at most 1024 bytes, which may be the text itself; half a character at the end of a cut text is removed */
void tn_show_cut(char *field, size_t size, const char *text, bool cut);
/* names separated by `between`, as many as there is room for, then ` and 3 more`; returns how many names are left out */
int tn_names_text(char *text, size_t size, const char *between, int n, const char *const *names);

double tn_cpu_clock(void); /* clock.c: of this thread, s */

/* an argument of a public function that may not be NULL: `name` as the header has it. TN_E_USAGE names both */
tn_status tn_null_argument(tn_error *e, const char *function, const char *name);
#define TN_NEED(e, argument, name)                                                                                     \
  do {                                                                                                                 \
    if (!(argument)) return tn_null_argument(e, __func__, name);                                                       \
  } while (0)

/* The reference count of an object that threads share. tn_references_drop is true for the last one, and the writes of all others are
 * visible to it. Without threads (TN_THREADS 0, or a compiler without atomics) the count is a plain number. */
#if !TN_THREADS || defined(__STDC_NO_ATOMICS__)
typedef int tn_references;
static inline void tn_references_begin(tn_references *r) { *r = 1; }
static inline void tn_references_add(tn_references *r) { ++*r; }
static inline bool tn_references_drop(tn_references *r) { return --*r == 0; }
#else
typedef atomic_int tn_references;
static inline void tn_references_begin(tn_references *r) { atomic_init(r, 1); }
static inline void tn_references_add(tn_references *r) { atomic_fetch_add_explicit(r, 1, memory_order_relaxed); }
static inline bool tn_references_drop(tn_references *r) {
  return atomic_fetch_sub_explicit(r, 1, memory_order_acq_rel) == 1;
}
#endif

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A growing arena: many small pieces, freed together. Pieces are zeroed and aligned to 16 bytes. */
typedef struct tn_arena {
  tn_allocator allocator;
  struct tn_chunk *head;
} tn_arena;

void tn_arena_init(tn_arena *a, const tn_allocator *allocator); /* NULL: malloc */
void tn_arena_free(tn_arena *a);
void *tn_arena_alloc(tn_arena *a, size_t size); /* NULL when there is no memory */
char *tn_arena_text(tn_arena *a, const char *text, size_t n);

/* index.c: a hash table from names, which are not copied, to numbers >= 0; its capacity is fixed when it is made */
typedef struct tn_index {
  size_t room;
  const char **name;
  int *value;
} tn_index;
bool tn_index_make(tn_index *x, tn_arena *arena, size_t n); /* false: no memory */
void tn_index_add(tn_index *x, const char *name, int value);
int tn_index_find(const tn_index *x, const char *name); /* -1: not there */

/* The layout of one block in aligned pieces. The same function runs twice: with base NULL it measures, then it places. */
typedef struct tn_carve {
  unsigned char *base;
  size_t used;
} tn_carve;
/* Aligned to 64 bytes. Sizes have 64 bits on every platform, because products of dimensions may exceed 2^32 before memory is asked for. */
void *tn_carve_bytes(tn_carve *c, uint64_t size);
#define TN_CARVE(c, type, n) ((type *)tn_carve_bytes((c), sizeof(type) * (uint64_t)(n)))

/* scratch.c: numbers that live as long as a scope, from a stack whose size is set when it is carved. nothing allocates. scopes are closed in
 * the opposite order of opening; asserts see an overflow and a scope that is left open */
typedef struct tn_scratch {
  double *base;      /* NULL while the block is measured                                      */
  size_t size, used; /* numbers: of the stack; up to the top of the innermost scope           */
  int scopes;        /* open ones                                                             */
} tn_scratch;
typedef struct tn_scratch_scope {
  size_t used;
  int depth;
} tn_scratch_scope;
void tn_scratch_carve(tn_scratch *s, tn_carve *c, uint64_t size);
tn_scratch_scope tn_scratch_open(tn_scratch *s);
double *tn_scratch_numbers(tn_scratch *s, size_t n); /* with no value: NaN where asserts are on */
void tn_scratch_close(tn_scratch *s, tn_scratch_scope scope);
/* numbers that the stack needs for so many pieces of n numbers at a time, with the alignment of each */
static inline uint64_t tn_scratch_need(uint64_t pieces, uint64_t n) { return pieces * (n + 8); }

/* a zeroed 64-byte aligned block and its release */
void *tn_block_new(const tn_allocator *allocator, size_t size);
void tn_block_free(const tn_allocator *allocator, void *block);

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* crc.c: CRC-32 of earlier bytes, whose CRC is `before` (0: none), followed by data */
uint32_t tn_crc32(uint32_t before, const void *data, size_t size);
/* little endian */
static inline void tn_put_u32(unsigned char *to, uint32_t x) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(x >> (8 * i));
}
static inline void tn_put_u64(unsigned char *to, uint64_t x) {
  for (int i = 0; i < 8; i++) to[i] = (unsigned char)(x >> (8 * i));
}
static inline uint32_t tn_get_u32(const unsigned char *from) {
  uint32_t x = 0;
  for (int i = 0; i < 4; i++) x |= (uint32_t)from[i] << (8 * i);
  return x;
}
static inline uint64_t tn_get_u64(const unsigned char *from) {
  uint64_t x = 0;
  for (int i = 0; i < 8; i++) x |= (uint64_t)from[i] << (8 * i);
  return x;
}

/* keep.c: serialization of a running object; tn_keep_numbers and the like of extend.h use it */
struct tn_keep {
  enum { TN_KEEP_MEASURE, TN_KEEP_WRITE, TN_KEEP_CHECK, TN_KEEP_READ } mode;
  bool failed; /* the rest is skipped */
  tn_error *e;
  uint64_t size;  /* written, without head and end */
  tn_write write; /* and the bytes that wait for it */
  void *user;
  uint32_t crc;
  size_t used;
  unsigned char buffer[4096];
  const unsigned char *data; /* read                        */
  size_t at, end;
};
typedef void (*tn_keep_list)(void *self, tn_keep *k);
/* Write a list as one piece; read it back, checked before anything is changed. used: bytes of data that it took; NULL: all of them. */
tn_status tn_keep_save(tn_keep_list list, void *self, uint64_t fingerprint, tn_write write, void *user, tn_error *e);
/* the size of the state that begins at data, by its head and its checksum; 0: refused */
size_t tn_keep_look(const void *data, size_t size, uint64_t fingerprint, tn_error *e);
tn_status tn_keep_load(tn_keep_list list, void *self, uint64_t fingerprint, const void *data, size_t size, size_t *used,
                       tn_error *e);
bool tn_keep_reads(const tn_keep *k); /* numbers are being restored                    */
void tn_keep_longs(tn_keep *k, const char *name, size_t n, int64_t *x); /* counters: not below 0 */
void tn_keep_flag(tn_keep *k, const char *name, bool *x, bool can);     /* true is refused unless `can` */
void tn_keep_text(tn_keep *k, const char *name, size_t room, char *x);
void tn_keep_same(tn_keep *k, const char *name, const char *text); /* refused if it is another; shorter than 64 */
/* the number of items that follow: the one that is written, or the one that is read */
int tn_keep_count(tn_keep *k, const char *name, int *x, int least, int most);
size_t tn_keep_bytes(tn_keep *k, const char *name, size_t *used, size_t most, unsigned char *x); /* likewise */

/* ---- expressions: see expr.c for the grammar --------------------------------------------------------------------- */

/* what an expression may contain; each class includes those before it */
typedef enum tn_class {
  TN_CLASS_CONSTANT, /* constants, tables, geometry of the given pose */
  TN_CLASS_TIME,     /* and t: value, first and second derivative are exact */
  TN_CLASS_RUNNING   /* and channels: slots fetched when it is evaluated */
} tn_class;

/* what a name means, given by the caller that parses the expression */
typedef struct tn_meaning {
  bool is_slot;      /* else a constant                                               */
  bool is_parameter; /* number `slot` of the parameters: a constant that a run may change  */
  double value[3];   /* of the constant                                               */
  int slot;          /* number handed to `fetch`                                      */
  int width;         /* 1: scalar; 2, 3: vector with components x y z                 */
} tn_meaning;

/* each callback returns true with *m filled, or false with a message in *e (tn_fail; without place) */
typedef struct tn_names {
  void *user;
  int dimension; /* 2 or 3: width of vectors */
  /* `name` or `name.part.part`, as written without spaces. not asked for the built-in names */
  bool (*find)(void *user, const char *name, tn_meaning *m, tn_error *e);
  /* item `index` (as written, from 1) of a table */
  bool (*item)(void *user, const char *table, double index, double *value, tn_error *e);
  /* all items of a table, for table(xs, ys, x); must stay alive as long as the expression */
  bool (*items)(void *user, const char *table, int *n, const double **values, tn_error *e);
  /* a function whose arguments are names: dist position velocity acceleration omega axis force torque; det and sigma_min have
   * two lists of them, with an empty one between */
  bool (*call)(void *user, const char *function, int n, const char *const *arguments, tn_meaning *m, tn_error *e);
  /* counts the nesting of expressions that refer to one another; NULL: each expression counts its own */
  int *nest;
  size_t *at; /* receives the position in the text of the name that `find` is asked for; may be NULL */
  /* a piecewise function, as written: the number of its switch, -1 if it has none, -2: no memory. NULL: none has */
  int (*piecewise)(void *user, const char *text);
} tn_names;

typedef struct tn_expr tn_expr;

/* parse `text` (n bytes); the expression lives in the arena. an error's byte is the offset within `text` */
tn_status tn_expr_parse(tn_arena *arena, const char *text, size_t n, tn_class allowed, const tn_names *names,
                        tn_expr **expr, tn_error *error);
/* a constant as an expression */
tn_expr *tn_expr_number(tn_arena *arena, double value);

int tn_expr_width(const tn_expr *expr);
tn_class tn_expr_class(const tn_expr *expr); /* the class it really is */
/* slots that it fetches, in this order; some may occur twice */
int tn_expr_slots(const tn_expr *expr);
int tn_expr_slot(const tn_expr *expr, int i);
bool tn_expr_uses_time(const tn_expr *expr); /* t itself, not only through channels */
bool tn_expr_uses_parameters(const tn_expr *expr);
bool tn_expr_has_pieces(const tn_expr *expr);   /* piecewise functions, or comparisons */
bool tn_expr_is_condition(const tn_expr *expr); /* made of comparisons: 0 or 1 */

/* The unit of the value, as far as it follows from sums, components and lengths of channels. `unit` returns that of a slot. NULL: not
 * known. */
const char *tn_expr_unit(const tn_expr *expr, const char *(*unit)(const void *user, int slot), const void *user);
/* norms of the constraint equations of a joint, as words of `violation(joint, norm1)` */
enum { TN_NORMS = 3 };
extern const char *const tn_norm_names[TN_NORMS];

/* which piece a piecewise function (step sign abs min max mod table .., comparisons) takes, if it has a switch */
typedef enum tn_how {
  TN_PIECES_LIVE,   /* the piece of the operands                          */
  TN_PIECES_RECORD, /* the same, and it is stored in `piece`              */
  TN_PIECES_HELD    /* the one in `piece`; `margin` and `live` are filled */
} tn_how;
typedef struct tn_switching {
  tn_how how;
  double *piece;     /* switches                                               */
  double *margin;    /* switches: how far inside it the operands are, below 0 outside */
  double *live;      /* switches: where margin <= 0, the piece the operands are in */
  double *parameter; /* parameters, which stay as they are until an event or a call changes them */
} tn_switching;

typedef void (*tn_fetch)(const void *scope, int slot, double *value);
/* value at time t; `value` has room for tn_expr_width numbers. never allocates; not-a-number comes out as such */
void tn_expr_eval(const tn_expr *expr, double t, tn_fetch fetch, const void *scope, double *value);
/* f, f', f'' of a TIME expression (exact, by arithmetic on truncated Taylor series) */
void tn_expr_jet(const tn_expr *expr, double t, double jet[3]);
/* The same of any expression along a motion: `time` is the jet of t, `fetch` gives those of a slot. With first derivatives of the slots
 * alone the result is a directional derivative, with second ones also the second derivative along the motion. */
typedef void (*tn_fetch_jets)(const void *scope, int slot, double (*jets)[3]);
void tn_expr_jet_along(const tn_expr *expr, const double time[3], tn_fetch_jets fetch, const void *scope,
                       const tn_switching *w, double jet[3]);
/* expr_order.c: how an expression depends on its slots; each class includes those before it */
typedef enum tn_order {
  TN_ORDER_FIXED,     /* on none of them: a function of t                              */
  TN_ORDER_POSITION,  /* on positions                                                  */
  TN_ORDER_LINEAR,    /* on rates too, these to the first power                        */
  TN_ORDER_NONLINEAR, /* on products or functions of rates                             */
  TN_ORDER_KINKED     /* its first derivative jumps, as that of `abs` does: `*kinked` is its name */
} tn_order;
/* `order` returns that of a slot: TN_ORDER_POSITION or TN_ORDER_LINEAR */
tn_order tn_expr_order(const tn_expr *expr, tn_order (*order)(const void *user, int slot), const void *user,
                       const char **kinked);
/* the same with held pieces; NULL: live */
void tn_expr_eval_on(const tn_expr *expr, double t, tn_fetch fetch, const void *scope, const tn_switching *w,
                     double *value);
void tn_expr_jet_on(const tn_expr *expr, double t, const tn_switching *w, double jet[3]);
/* a copy that is bound to held pieces, for callers that know nothing of them: its bytes, 0 if it has no switch and no parameter */
size_t tn_expr_copy_size(const tn_expr *expr);
const tn_expr *tn_expr_copy(const tn_expr *expr, const tn_switching *w, void *room);

/* trig.c: cosines and sines of x[0], x[stride] .., n of them */
void tn_cos_sin(int n, const double *x, int stride, double *restrict c, double *restrict s);
/* Prefetch data that is used soon: the hardware foresees long ranges only. */
static inline __attribute__((always_inline)) void tn_soon(const void *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + i, 1);
}

/* true if all numbers are finite */
static inline bool tn_all_finite(int n, const double *x) {
  typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
  two a = {0, 0}, b = {0, 0}; /* 0 times a number that is not finite is NaN */
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    a += 0 * *(const two *)(const void *)(x + i);
    b += 0 * *(const two *)(const void *)(x + i + 2);
  }
  for (; i < n; i++) a[0] += 0 * x[i];
  a += b;
  return a[0] + a[1] == 0;
}

#endif
