/* read: text to description. the description is a tree of values that know where they were written. */
#ifndef TN_READ_H
#define TN_READ_H

#include "base/base.h"

typedef enum tn_node_kind {
  TN_NODE_NULL,
  TN_NODE_BOOL,
  TN_NODE_NUMBER,
  TN_NODE_TEXT,
  TN_NODE_LIST,
  TN_NODE_OBJECT
} tn_node_kind;

/* a counter of a `repeat` around a value: a constant inside its expressions */
typedef struct tn_scope {
  const char *name;
  double value;
  const struct tn_scope *outer;
} tn_scope;

struct tn_node {
  tn_node_kind kind;
  const char *key;    /* in an object; NULL in a list or at the root  */
  tn_place key_place; /* of the key                                   */
  tn_place place;     /* of the value                                 */
  bool boolean;
  double number;
  const char *text;             /* unescaped, UTF-8, no NUL inside              */
  size_t size;                  /* of text; number of children                  */
  bool rewritten;               /* the text is not as in the file: escapes, or braces of a repeat */
  struct tn_node *first, *last; /* children in file order                      */
  struct tn_node *next, *parent;
  const tn_scope *scope; /* counters of the repeats around it            */
  bool *counters; /* inside a repeat, of a text: bytes at which a counter was met when it was read as an expression */
};

/* a type from outside, known to one description */
typedef struct tn_added {
  int kind; /* tn_registry */
  const void *type;
  struct tn_added *next;
} tn_added;

struct tn_desc {
  tn_arena arena;
  tn_node *root;  /* an object                                        */
  tn_arena types; /* of `added`, which stays when another text is read */
  tn_added *added;
};

/* a member that is the user's own and is not read: its key starts with x- */
static inline bool tn_node_is_own(const tn_node *member) { return member->key && strncmp(member->key, "x-", 2) == 0; }

tn_node *tn_node_new(tn_arena *arena, tn_node_kind kind); /* NULL: no memory */
void tn_node_append(tn_node *parent, tn_node *child);
const tn_node *tn_node_get(const tn_node *object, const char *key); /* NULL if missing or not an object */
/* `/joints/knee/axis` of a node, cut to size */
void tn_node_pointer(const tn_node *node, char *text, size_t size);
/* an error at a node: message as tn_fail, place and pointer of the node */
tn_status tn_node_fail(const tn_node *node, tn_error *e, tn_status status, const char *format, ...) TN_PRINTF(4, 5);

/* two members with the same key: the first that repeats one before it, and that one; both NULL if there are none */
tn_status tn_node_duplicate(const tn_allocator *allocator, const tn_node *object, const tn_node **first,
                            const tn_node **again, tn_error *e);

enum { TN_DEPTH = 64 };                 /* objects and lists in one another, the root counted */
#define TN_TEXT_MOST ((size_t)64 << 20) /* bytes of a text that is read                       */

/* json.c: the strict reader. `name` for messages is copied into the arena; may be NULL */
tn_status tn_json_parse(tn_arena *arena, const char *name, const char *text, size_t size, tn_node **root, tn_error *e);
/* one value of any kind, for use inside `depth` objects and lists; its nodes have no positions, as if built by calls */
tn_status tn_json_value(tn_arena *arena, const char *text, size_t size, int depth, tn_node **out, tn_error *e);
/* all of the text is a JSON number that a double can hold; the locale plays no part */
bool tn_json_number(const char *text, size_t n, double *value);
/* desc.c: a part in its short form, `type` or `type:key=value,key=value`, for use inside `depth` objects and lists */
tn_status tn_part_parse(tn_arena *arena, const char *part, int depth, tn_node *out, tn_error *e);
/* print.c: the character at s (n > 0 bytes left) inside a JSON text: its bytes, and its escape, "" if it needs none */
int tn_json_escape(const char *s, size_t n, char piece[8]);
/* print.c: the shortest digits that read back as the same number, NUL at the end; returns their count */
int tn_json_digits(double value, char text[32]);

/* a tree as JSON text at a level of indentation, without a line end; counters in what was read as an expression stand as
 * numbers. false: `write` stopped it */
bool tn_node_print(const tn_node *node, int level, tn_write write, void *user);

/* write.c: JSON piece by piece. a key in an object, NULL in a list. kind: "{" or "[", with a dash all on one line */
enum { TN_JSON_LEVELS = 32 };
typedef struct tn_json {
  tn_write write;
  void *user;
  bool failed;
  int level;
  bool filled[TN_JSON_LEVELS], flat[TN_JSON_LEVELS];
  char bracket[TN_JSON_LEVELS];
  const char *hidden; /* left out of all texts; NULL: nothing */
  size_t used;
  char buffer[1024];
} tn_json;
void tn_json_open(tn_json *j, const char *key, const char *kind);
void tn_json_close(tn_json *j); /* the last one ends the line and hands everything over */
void tn_json_text(tn_json *j, const char *key, const char *value);
void tn_json_real(tn_json *j, const char *key, double value); /* not finite: null, and `key_reason` */
void tn_json_whole(tn_json *j, const char *key, int64_t value);
void tn_json_bool(tn_json *j, const char *key, bool value);
void tn_json_null(tn_json *j, const char *key, const char *reason); /* reason: `key_reason`, or NULL */
void tn_json_reals(tn_json *j, const char *key, int n, const double *values);
void tn_json_node(tn_json *j, const char *key, const tn_node *node);
void tn_json_flush(tn_json *j);

/* expand.c: a copy of the tree in `arena` without any `repeat`: each repeated member or list item stands once for every
 * value of its counter, `{expression}` in keys and texts replaced, `scope` set. `number` evaluates a constant
 * expression (of the range or in braces) with a node's scope */
typedef tn_status (*tn_number_of)(void *user, const tn_scope *scope, const tn_node *at, const char *text, size_t n,
                                  double *value, tn_error *e);
tn_status tn_expand(tn_arena *arena, const tn_node *root, tn_number_of number, void *user, tn_node **out, tn_error *e);

#endif
