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

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* where a value stands in the text it was read from */
typedef struct tn_place {
  const char *file; /* NULL: built by calls */
  int64_t byte;     /* from 0 */
  int line, column; /* from 1 */
} tn_place;

/* format.c: tn_vformat, what %s gives as tn_show shows it */
int tn_vformat_shown(char *text, size_t size, const char *format, va_list list) TN_PRINTF(3, 0);

/* put.c: text for whoever takes it; `failed` once that was refused. names in it are shown as tn_show does */
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
/* show.c, as tn_show. the character at s (n > 0 bytes left): its bytes, and how it is shown, "" if as it is */
int tn_escape(const char *s, size_t n, char escape[8]);
int tn_show_part(char *shown, size_t size, const char *text, size_t n);
/* error.c: the same into a field of at most 1024 bytes, which may be the text; of one that was cut, half a character at its end goes */
void tn_show_cut(char *field, size_t size, const char *text, bool cut);
/* names with `between` after each but the last, as many as there is room for, then ` and 3 more`; returns how many these are */
int tn_names_text(char *text, size_t size, const char *between, int n, const char *const *names);

double tn_cpu_clock(void); /* clock.c: of this thread, s */

/* an argument of a public function that may not be NULL: `name` as the header has it. TN_E_USAGE names both */
tn_status tn_null_argument(tn_error *e, const char *function, const char *name);
#define TN_NEED(e, argument, name)                                                                                     \
  do {                                                                                                                 \
    if (!(argument)) return tn_null_argument(e, __func__, name);                                                       \
  } while (0)

/* how many hold an object that threads share. tn_references_drop is true for the last of them: what the others did is visible to
 * that one. without threads (TN_THREADS 0, or a compiler that has no atomics) it is a plain number */
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

/* a growing arena: many small pieces, freed together. zeroed, aligned to 16 bytes */
typedef struct tn_arena {
  tn_allocator allocator;
  struct tn_chunk *head;
} tn_arena;

void tn_arena_init(tn_arena *a, const tn_allocator *allocator); /* NULL: malloc */
void tn_arena_free(tn_arena *a);
void *tn_arena_alloc(tn_arena *a, size_t size); /* NULL when there is no memory */
char *tn_arena_text(tn_arena *a, const char *text, size_t n);

/* index.c: names, which stay where they are, to numbers >= 0; room for as many as were said when it was made */
typedef struct tn_index {
  size_t room;
  const char **name;
  int *value;
} tn_index;
bool tn_index_make(tn_index *x, tn_arena *arena, size_t n); /* false: no memory */
void tn_index_add(tn_index *x, const char *name, int value);
int tn_index_find(const tn_index *x, const char *name); /* -1: not there */

/* one block carved into aligned pieces, in two passes: with base NULL it measures, then it hands out */
typedef struct tn_carve {
  unsigned char *base;
  size_t used;
} tn_carve;
/* aligned to 64 bytes. sizes have 64 bits on every platform: products of dimensions pass 2^32 before anybody asks for the memory */
void *tn_carve_bytes(tn_carve *c, uint64_t size);
#define TN_CARVE(c, type, n) ((type *)tn_carve_bytes((c), sizeof(type) * (uint64_t)(n)))

/* a zeroed 64-byte aligned block and its release */
void *tn_block_new(const tn_allocator *allocator, size_t size);
void tn_block_free(const tn_allocator *allocator, void *block);

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* crc.c: CRC-32 of data behind what has the CRC `before` (0: nothing) */
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

/* keep.c: what is kept of something that runs, for extend.h's tn_keep_numbers and the others of them */
struct tn_keep {
  enum { TN_KEEP_MEASURE, TN_KEEP_WRITE, TN_KEEP_CHECK, TN_KEEP_READ } mode;
  bool failed; /* the rest is passed over */
  tn_error *e;
  uint64_t size;  /* written, without head and end */
  tn_write write; /* and what waits for it         */
  void *user;
  uint32_t crc;
  size_t used;
  unsigned char buffer[4096];
  const unsigned char *data; /* read                        */
  size_t at, end;
};
typedef void (*tn_keep_list)(void *self, tn_keep *k);
/* all of a list as one piece; and back, checked before anything is changed. used: bytes of data that it was; NULL: all of them */
tn_status tn_keep_save(tn_keep_list list, void *self, uint64_t fingerprint, tn_write write, void *user, tn_error *e);
/* size of what begins at data, by its head and its checksum; 0: refused */
size_t tn_keep_look(const void *data, size_t size, uint64_t fingerprint, tn_error *e);
tn_status tn_keep_load(tn_keep_list list, void *self, uint64_t fingerprint, const void *data, size_t size, size_t *used,
                       tn_error *e);
bool tn_keep_reads(const tn_keep *k); /* numbers are being put back                    */
void tn_keep_longs(tn_keep *k, const char *name, size_t n, int64_t *x); /* that count: not below 0 */
void tn_keep_flag(tn_keep *k, const char *name, bool *x, bool can);     /* yes is refused where it cannot be */
void tn_keep_text(tn_keep *k, const char *name, size_t room, char *x);
void tn_keep_same(tn_keep *k, const char *name, const char *text); /* refused if it is another; shorter than 64 */
/* how many of something follow: that which is kept, or is being read */
int tn_keep_count(tn_keep *k, const char *name, int *x, int least, int most);
size_t tn_keep_bytes(tn_keep *k, const char *name, size_t *used, size_t most, unsigned char *x); /* likewise */

/* ---- expressions: see expr.c for the grammar --------------------------------------------------------------------- */

/* what an expression may contain, each class including those before it */
typedef enum tn_class {
  TN_CLASS_CONSTANT, /* constants, tables, geometry of the given pose */
  TN_CLASS_TIME,     /* and t: value, first and second derivative are exact */
  TN_CLASS_RUNNING   /* and channels: slots fetched when it is evaluated */
} tn_class;

/* what a name means, told by whoever parses the expression */
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
  /* levels of all expressions that ask for one another are counted here; NULL: each its own */
  int *nest;
  size_t *at; /* told where the name that `find` is asked for stands in the text; may be NULL */
  /* a function made of pieces, as written: the number of its switch, -1 if it has none, -2: no memory. NULL: none has */
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
/* slots that it fetches, in the order it does; some perhaps twice */
int tn_expr_slots(const tn_expr *expr);
int tn_expr_slot(const tn_expr *expr, int i);
bool tn_expr_uses_time(const tn_expr *expr); /* t itself, not only through channels */
bool tn_expr_uses_parameters(const tn_expr *expr);
bool tn_expr_has_pieces(const tn_expr *expr);   /* functions made of pieces, or comparisons */
bool tn_expr_is_condition(const tn_expr *expr); /* a comparison, or made of some: 0 or 1 */

/* the unit of the value as far as it follows from sums, components and lengths of channels; `unit` tells that of a slot.
 * NULL: not known */
const char *tn_expr_unit(const tn_expr *expr, const char *(*unit)(const void *user, int slot), const void *user);
/* norms of the constraint equations of a joint, as words of `violation(joint, norm1)` */
enum { TN_NORMS = 3 };
extern const char *const tn_norm_names[TN_NORMS];

/* which piece functions made of pieces (step sign abs min max mod table .., comparisons) take, where they have a switch */
typedef enum tn_how {
  TN_PIECES_LIVE,   /* that of the operands                              */
  TN_PIECES_RECORD, /* the same, and it is noted in `piece`              */
  TN_PIECES_HELD    /* that in `piece`, and the two others are filled in */
} tn_how;
typedef struct tn_switching {
  tn_how how;
  double *piece;     /* switches                                               */
  double *margin;    /* switches: how far inside it the operands are, below 0 outside */
  double *live;      /* switches: where margin <= 0, the piece the operands are in */
  double *parameter; /* numbers that stay as they are until somebody changes them   */
} tn_switching;

typedef void (*tn_fetch)(const void *scope, int slot, double *value);
/* value at time t; `value` has room for tn_expr_width numbers. never allocates; not-a-number comes out as such */
void tn_expr_eval(const tn_expr *expr, double t, tn_fetch fetch, const void *scope, double *value);
/* f, f', f'' of a TIME expression (exact, by arithmetic on truncated Taylor series) */
void tn_expr_jet(const tn_expr *expr, double t, double jet[3]);
/* the same of any expression along a motion: `time` is the jet of t, `fetch` gives those of a slot. first derivatives of slots alone
 * give a directional derivative, and with the second ones the whole second derivative along the motion */
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
/* `order` tells that of a slot: TN_ORDER_POSITION or TN_ORDER_LINEAR */
tn_order tn_expr_order(const tn_expr *expr, tn_order (*order)(const void *user, int slot), const void *user,
                       const char **kinked);
/* the same with pieces as they are held; NULL: live */
void tn_expr_eval_on(const tn_expr *expr, double t, tn_fetch fetch, const void *scope, const tn_switching *w,
                     double *value);
void tn_expr_jet_on(const tn_expr *expr, double t, const tn_switching *w, double jet[3]);
/* for those who evaluate where nothing is known of what is held: a copy that knows. bytes, 0 if it has no switch and no parameter */
size_t tn_expr_copy_size(const tn_expr *expr);
const tn_expr *tn_expr_copy(const tn_expr *expr, const tn_switching *w, void *room);

/* trig.c: cosines and sines of x[0], x[stride] .., n of them */
void tn_cos_sin(int n, const double *x, int stride, double *restrict c, double *restrict s);
/* asked for early, what is used soon is near by then: caches foresee long ranges only */
static inline __attribute__((always_inline)) void tn_soon(const void *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + i, 1);
}

/* whether all of them are finite numbers */
static inline bool tn_all_finite(int n, const double *x) {
  typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
  four sum = {0, 0, 0, 0}; /* 0 times what is not is not a number */
  double rest = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) sum += 0 * *(const four *)(const void *)(x + i);
  for (; i < n; i++) rest += 0 * x[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest == 0;
}

#endif
