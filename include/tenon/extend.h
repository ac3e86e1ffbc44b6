/* The interfaces of the parts Tenon is made of: joints, forces, coordinates of bodies, formulations, stabilizers, integrators.
 * SPDX-License-Identifier: MIT
 *
 * A part is one file that ends in a const table of one of the types below. The build collects the tables; nothing else has to
 * be edited. A type declares its parameters once, as tn_field: reader, defaults, messages and lists come from there.
 *
 * NULL is as in tenon.h. What a part is handed (tn_context, tn_system, tn_solver, tn_keep) lives until its function returns. A table
 * that was added to a description lives until that, its models and their simulations are freed. */
#ifndef TENON_EXTEND_H
#define TENON_EXTEND_H

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tenon/dense.h"
#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_expr tn_expr;       /* an expression, compiled; base.h            */
typedef struct tn_system tn_system;   /* a model at a state; assemble.h             */
typedef struct tn_solver tn_solver;   /* a system with its factorisation; formulate.h */
typedef struct tn_context tn_context; /* what `init` may ask and say; model.h       */
typedef struct tn_keep tn_keep;       /* a state that is saved or put back; base.h  */
typedef struct tn_node tn_node;       /* a value as the description has it; read.h  */

/* ---- status and text -------------------------------------------------------------------------------------------------- */

#if defined(__GNUC__)
#define TN_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TN_PRINTF(f, a)
#endif

/* return a status that is not TN_OK to the caller */
#define TN_TRY(call)                                                                                                   \
  do {                                                                                                                 \
    tn_status tn_tried = (call);                                                                                       \
    if (tn_tried != TN_OK) return tn_tried;                                                                            \
  } while (0)

/* snprintf and vsnprintf whose numbers have a decimal point in every locale */
TN_API int tn_format(char *text, size_t size, const char *format, ...) TN_PRINTF(3, 4);
TN_API int tn_vformat(char *text, size_t size, const char *format, va_list list) TN_PRINTF(3, 0);

/* ---- states that are saved -------------------------------------------------------------------------------------------- */

/* a part with memory of its own tells it in its `keep`, one call an array: they are gone through in the same order when a state is
 * saved, checked and put back. all of what the next step depends on; arrays have the same length each time. names are compared. of
 * whole numbers the range is told, of numbers whether they must be finite: what is read may come from anywhere */
TN_API void tn_keep_numbers(tn_keep *keep, const char *name, size_t n, double *x);
TN_API void tn_keep_finite(tn_keep *keep, const char *name, size_t n, double *x);
TN_API void tn_keep_ints(tn_keep *keep, const char *name, size_t n, int *x, int least, int most);
TN_API void tn_keep_flags(tn_keep *keep, const char *name, size_t n, bool *x);
TN_API void tn_keep_group(tn_keep *keep, const char *name); /* what follows belongs to this */

/* ---- workspaces ------------------------------------------------------------------------------------------------------- */

/* the memory of a part: a struct, and behind it the arrays that the struct has pointers to. a table describes them; size, pointers
 * and what is saved follow from the table */
typedef struct tn_sizes {
  int n; /* of an integrator the length of y; of others the number of speeds */
  int m; /* rows                                                             */
  int q; /* coordinates                                                      */
} tn_sizes;

typedef enum tn_extent {
  TN_ONE,           /* 1                   */
  TN_N,             /* n                   */
  TN_M,             /* m                   */
  TN_Q,             /* q                   */
  TN_N_OR_M,        /* the smaller of both */
  TN_N_OR_M_LARGER, /* the larger          */
  TN_N_AND_M,       /* n + m               */
  TN_N_AND_LEAST    /* n + the smaller     */
} tn_extent;

typedef enum tn_element {
  TN_DOUBLES,
  TN_FINITE_DOUBLES, /* a saved state with an infinity or a NaN here is refused */
  TN_INTS,
  TN_FLAGS, /* bool                                                */
  TN_NESTED /* another workspace: the pointer is to its struct     */
} tn_element;

struct tn_workspace;
typedef struct tn_array {
  const char *name;
  tn_element element;
  size_t at;         /* offset in the struct: of the pointer, or of the first of `count` pointers          */
  int rows, columns; /* tn_extent                                                                          */
  int count;         /* 0: one                                                                             */
  bool inside;       /* there are no pointers: `count` elements stand in the struct itself                 */
  bool kept;         /* part of a saved state. never of TN_NESTED, whose own table says it                 */
  int least, most;   /* range of TN_INTS that are kept; most is added to the extent `most_of`, unless TN_ONE */
  int most_of;       /* tn_extent */
  int (*many)(
      const void *self); /* instead of count, where it depends on the parameters: 0, the pointers stay NULL    */
  const struct tn_workspace *nested;
} tn_array; /* a table ends with name NULL */

/* lines of a table: TN_ARRAY(room, H, .rows = TN_N, .columns = TN_N), TN_INSIDE(room, ready, .element = TN_FLAGS, .kept = true) */
#define TN_ARRAY(type, member, ...)                                                                                    \
  { .name = #member, .at = offsetof(type, member), __VA_ARGS__ }
#define TN_INSIDE(type, member, ...)                                                                                   \
  { .name = #member, .at = offsetof(type, member), .inside = true, __VA_ARGS__ }

typedef struct tn_workspace {
  size_t size; /* of the struct                                    */
  const tn_array *arrays;
} tn_workspace;

/* bytes; any allocation of that size is aligned well enough */
TN_API size_t tn_workspace_size(const tn_workspace *workspace, const void *self, tn_sizes sizes);
/* set the pointers, and nothing else; the struct, which stands at `work`. NULL if work is */
TN_API void *tn_workspace_ready(const tn_workspace *workspace, const void *self, void *work, tn_sizes sizes);
/* the same with the structs set to zero before. arrays stay as they are */
TN_API void *tn_workspace_start(const tn_workspace *workspace, const void *self, void *work, tn_sizes sizes);
/* every array that is kept, in the order of the table */
TN_API void tn_workspace_keep(const tn_workspace *workspace, const void *self, void *work, tn_sizes sizes,
                              tn_keep *keep);

/* ---- a model at a state, as parts see it ------------------------------------------------------------------------------ */

typedef struct tn_view {
  int coordinates, speeds, rows, holonomic; /* nq, nu; the first `holonomic` rows have a C                    */
  bool large;                               /* there are no matrices                                          */
  double t, length;                         /* s; the model's length, m                                       */
  const double *q, *u;                      /* nq, nu                                                         */
  const double *M, *f;                      /* nu x nu, NULL in large models; nu                              */
  const double *A;                          /* rows x nu; likewise                                            */
  const double *C, *Cdot, *gamma;           /* rows                                                           */
  const double *scale;                      /* rows: C times this is what the contract sees                   */
  const double *Ct;                         /* rows: Cdot = A u + Ct                                          */
  /* rows, or NULL: M is positive definite once sigma_i a_i a_i' of these rows are added, a_i row i of A: they hold what has no mass */
  const double *sigma;
} tn_view;

/* of a workspace for matrices; all 0 in a large model, which has none */
static inline tn_sizes tn_matrix_sizes(const tn_view *v) {
  tn_sizes sizes = {0, 0, 0};
  if (!v->large) sizes.n = v->speeds, sizes.m = v->rows, sizes.q = v->coordinates;
  return sizes;
}

/* the view of a system, which follows its evaluations; or a copy of it, whose arrays follow them and whose t does not */
TN_API const tn_view *tn_view_of(const tn_system *system);
TN_API void tn_system_view(const tn_system *system, tn_view *view);
TN_API const tn_system *tn_solver_system(const tn_solver *solver);

/* what is evaluated at a state */
typedef enum tn_evaluation {
  TN_EVALUATE_ROWS,    /* C, Cdot, Ct and scale; for tn_solver_rows_times and corrections. M, A, f and gamma are void */
  TN_EVALUATE_MOTION,  /* gamma too, and all that a solve for accelerations needs                                   */
  TN_EVALUATE_MATRICES /* M, A and f too; in large models there are none                                          */
} tn_evaluation;
/* q (nq), u (nu) may be the state an accept has been given, or what it has made of that. an accept ends with at least
 * TN_EVALUATE_MOTION at the state it leaves, if it has evaluated another. TN_E_RUN: something is not finite, with a message */
TN_API tn_status tn_solver_evaluate_at(tn_solver *solver, tn_evaluation level, double t, const double *q,
                                       const double *u);
/* tn_solver_evaluate_at with TN_EVALUATE_MATRICES */
TN_API tn_status tn_solver_assemble(tn_solver *solver, double t, const double *q, const double *u);
/* r (rows) = A x, x (nu), at the state last evaluated; A itself is not formed for it */
TN_API void tn_solver_rows_times(tn_solver *solver, const double *x, double *r);
/* the largest |rows_i| scale_i of the first n rows: of C or Cdot what the contract sees. NaN if one of them is. which: that
 * row; may be NULL */
TN_API double tn_violation(const tn_system *system, const double *rows, int n, int *which);
/* s (nu): the smallest change in the kinetic-energy norm with A s = r (rows), at the state last assembled. `position`: r is
 * made of C, else of Cdot; near a singular position what of it is roundoff is left alone */
TN_API tn_status tn_solver_smallest(tn_solver *solver, bool position, const double *r, double *s);
/* q (nq) moved by s (nu): added, where rates are speeds; turned, where they are not */
TN_API void tn_solver_move(const tn_solver *solver, double *q, const double *s);
/* TN_E_RUN or TN_E_MODEL with a message, for a part to return where it cannot go on */
TN_API tn_status tn_solver_fail(tn_solver *solver, tn_status status, const char *format, ...) TN_PRINTF(3, 4);

/* how a state is projected on the constraints */
typedef enum tn_metric {
  TN_METRIC_MASS,     /* the change is the smallest in the kinetic-energy norm */
  TN_METRIC_IDENTITY, /* in the norm of the speeds                             */
  TN_METRIC_DEPENDENT /* dependent components alone are moved. tn_context_use_dependent must have been called */
} tn_metric;

typedef struct tn_projection {
  tn_metric metric;
  bool once; /* one pass of the position; else until C is roundoff */
  /* TN_METRIC_DEPENDENT. choose: 0 at every correction, 1 again when the choice is ten times worse than it was, 2 only before it
   * degenerates. independent (nu, or NULL): components that stand as long as the others are enough; its memory lives as long as the model.
   * shared: those that the formulation has chosen, where it has chosen some */
  int choose;
  const bool *independent;
  bool shared;
} tn_projection;

/* q and u moved so that C and Cdot are zero. *changed is set when they move. leaves TN_EVALUATE_MOTION at the result */
TN_API tn_status tn_solver_project(tn_solver *solver, const tn_projection *how, double t, double *q, double *u,
                                   bool *changed);
/* the same once and in the metric of masses, if the violation of C or Cdot is beyond a bound; such projections are counted */
TN_API tn_status tn_solver_guard(tn_solver *solver, double position, double velocity, double t, double *q, double *u,
                                 bool *changed);
/* the `filter` of a stabilizer whose accept is tn_solver_project: its arguments are those of `filter` */
TN_API void tn_solver_filter(tn_solver *solver, const tn_projection *how, double *dq, double *du,
                             double *taken_position, double *taken_velocity);
/* the components that depend on the others at the matrices of the state last evaluated, by pivoting: their numbers in column
 * (nu); how many. for tn_context_use_dependent */
TN_API int tn_solver_dependent(tn_solver *solver, bool velocity, int *column);
/* for tn_context_use_penalty. true: the model has blocks at present, and the next two serve; else `A` of the view does */
TN_API bool tn_solver_has_penalized(const tn_solver *solver);
/* at the present rows, C and Cdot, the change x (nu) of the dependent components alone (which are: dependent, nu) that makes
 * w |far + x|^2/2 + p |off + A x|^2/2 least, with off = C and the holonomic rows, or Cdot and all rows; far (nu, or NULL: 0) */
TN_API tn_status tn_solver_penalized(tn_solver *solver, bool velocity, double weight, double penalty,
                                     const bool *dependent, const double *far, double *x);
/* of that sum for positions, at x = 0, the norm of the derivatives along the dependent components */
TN_API double tn_solver_penalized_slope(tn_solver *solver, double weight, double penalty, const bool *dependent,
                                        const double *far);

/* ---- fields ------------------------------------------------------------------------------------------------------- */

typedef enum tn_kind {
  /* read from the table; stored at `offset` */
  TN_NUMBER,    /* number or constant expression: double                                            */
  TN_INTEGER,   /* the same, of a whole value: int                                                  */
  TN_VECTOR,    /* list of n numbers (0: as many as the model has dimensions): double[n], double[3] if 0 */
  TN_DIRECTION, /* `x`, `-y` .. or a vector of any length but 0: double[3], of length 1; in the plane z is 0 */
  TN_WORD,      /* one of `choices`, "length squared": int, index                                   */
  TN_BOOLEAN,   /* true, false: int                                                                 */
  TN_TIME,      /* number or function of t: const tn_expr *, NULL if not given                      */
  TN_MATRIX, /* symmetric, without negative eigenvalues: its diagonal, or list of its rows; n x n (0: as many as a twist
               * has numbers): double[n n], double[36] if 0, row major                               */
  TN_RUNNING, /* number or running expression; list if n != 1: const tn_expr *[n] ([3] if n is 0), NULL if not given */
  /* declared in the table, read by the compiler */
  TN_TEXT,    /* any text                                                                           */
  TN_NAMES,   /* names: a list of texts, or one text with + between them                            */
  TN_NAME,    /* the name of a body                                                                 */
  TN_CHANNEL, /* the name of a coordinate channel                                                   */
  TN_PLACE,   /* the name of a point or body, or coordinates                                        */
  TN_PLACES,  /* two places; that of a particle may be null or left out                             */
  TN_PART,    /* a word, or an object with `type`: one of the registry `choices`                    */
  TN_PARTS,   /* one of them, or a list                                                             */
  TN_LIST,    /* n of what `inside` says (0: any number)                                            */
  TN_OBJECT,  /* its members are those of `inside`                                                  */
  TN_INERTIA, /* plane: a number; space: 3 or 6 numbers                                             */
  TN_SIZES,   /* a number, or a list of them                                                        */
  TN_SHAPES,  /* `none`, an object with the members of `inside`, or a list of these                 */
  TN_ACTS,    /* one of `choices`, an object with the members of `inside`, or a list of these       */
  TN_ANY      /* what the compiler makes of it                                                      */
} tn_kind;

enum { TN_MOST_FIELDS = 32 }; /* of a joint or force, those in space included */
#define TN_POSITIVE DBL_MIN   /* as `lo` of a range: above 0 */

typedef struct tn_field {
  const char *key; /* `*`: any other key                              */
  const char *unit, *doc;
  tn_kind kind;
  int n;               /* numbers in a vector, running expressions; 0: the dimension of the model */
  size_t offset;       /* in the part's own struct                       */
  double dflt, lo, hi; /* default (of a number NaN: none, `init` decides) and range of numbers, both 0: any */
  bool required;
  bool
      opens; /* of a joint: given a value, the joint may be open in the initial configuration, until the start closes it */
  const char *choices;           /* words, separated by blanks                     */
  const struct tn_field *inside; /* of a list or object; of anything else: its long form as an object */
} tn_field;                      /* a table ends with key NULL                */

/* for `inside`: names of bodies; numbers by name */
TN_API extern const tn_field tn_fields_names[], tn_fields_numbers[];

/* what `init` of a part knows. messages: set one with tn_context_fail and return its status */
TN_API tn_status tn_context_fail(tn_context *ctx, const char *key, const char *format, ...);
/* the same as a remark that `check` shows: the part is good                                                       */
TN_API void tn_context_warn(tn_context *ctx, const char *key, const char *format, ...);
TN_API void tn_context_hint(tn_context *ctx, const char *format, ...)
    TN_PRINTF(2, 3);                                         /* after tn_context_fail: a remedy */
TN_API void *tn_context_alloc(tn_context *ctx, size_t size); /* lives as long as the model; NULL: no memory */

/* settings of the run and sizes of the model, for `init` of a formulation, stabilizer or integrator */
struct tn_integrator_type;
typedef struct tn_settings {
  int coordinates, speeds, rows,
      holonomic; /* nq; nu; rows; those of them that have a C. not for `init` of an integrator */
  bool large;    /* there are no matrices                                                */
  double until;  /* s                                                                    */
  bool fixed;    /* steps of one length                                                  */
  double step;   /* s, if fixed                                                          */
  double contract_position,
      contract_velocity; /* bounds of |C| scale and of |Cdot| scale                              */
  const struct tn_integrator_type
      *integrator;             /* its own for `init` of an integrator; NULL for that of a formulation  */
  const void *integrator_self; /* its parameters                                                       */
} tn_settings;
TN_API void tn_context_settings(const tn_context *ctx, tn_settings *settings);

/* for `init` of a stabilizer: feedback that lets a violation grow by the factor `growth` a step is refused at the field `key`, with
 * the hint. where the run allows unstable gains it is a warning, and part of the verdict of the run */
TN_API tn_status tn_context_unstable(tn_context *ctx, const char *key, double growth, const char *hint,
                                     const char *format, ...) TN_PRINTF(5, 6);
/* for `init` of a stabilizer: it will use TN_METRIC_DEPENDENT or tn_solver_dependent, which need a workspace */
TN_API void tn_context_use_dependent(tn_context *ctx);
/* for `init` of a stabilizer or a formulation: it will use tn_solver_penalized, or has `penalty`, which need a workspace */
TN_API void tn_context_use_penalty(tn_context *ctx);

/* values that a part reads by itself, of fields of kind TN_LIST, TN_TEXT or TN_NAMES: as they are written; NULL if left out */
TN_API const tn_node *tn_context_value(const tn_context *ctx, const char *key);
TN_API int tn_node_items(const tn_node *value);                 /* of a list how many; -1: it is no list */
TN_API const tn_node *tn_node_item(const tn_node *list, int i); /* NULL: it has none */
/* a list of n numbers or constant expressions; else refused */
TN_API tn_status tn_context_numbers(tn_context *ctx, const tn_node *value, int n, double *x);
/* as tn_context_fail, at a value; NULL: at the part */
TN_API tn_status tn_context_refuse(tn_context *ctx, const tn_node *value, const char *format, ...) TN_PRINTF(3, 4);
/* names of coordinates or speeds, `a.x+a.y` or a list: *n numbers of speeds in the order named. and *which (nu): whether each is
 * among them. left out: NULL and 0. both live as long as the model */
TN_API tn_status tn_context_speeds(tn_context *ctx, const char *key, const int **speed, int *n);
TN_API tn_status tn_context_speed_set(tn_context *ctx, const char *key, const bool **which);
TN_API bool tn_context_on_bodies(tn_context *ctx); /* the places of the part were given in body axes */
/* for `init` of a joint: the shortest length, m, that is more than roundoff beside `length` (0: none), the size of the bodies
 * and where they are. a distance, radius or arm up to it makes the joint degenerate and is to be refused */
TN_API double tn_context_least_length(tn_context *ctx, double length);

/* how smooth the functions of a type are: those of a joint in its frames and in t, those of a force in its frames or its channel.
 * derivatives jump where a law changes, and nowhere else but where `regular` is 0. tests of types take differences accordingly */
typedef enum tn_smooth {
  TN_ANALYTIC, /* all derivatives are continuous          */
  TN_C0,       /* continuous, the first derivatives jump  */
  TN_C1,       /* the second derivatives jump             */
  TN_C2        /* the third derivatives jump              */
} tn_smooth;

/* ---- frames in the plane ------------------------------------------------------------------------------------------ */

typedef struct tn_frame2 { /* a frame fixed to a body, as a joint sees it; world axes                  */
  double r[2], angle;      /* position; angle, which counts turns                                      */
  double c, s;             /* cosine and sine of the angle: x axis (c, s), y axis (-s, c)               */
  double v[2], w;          /* twist                                                                    */
  double a0[2], al0;       /* acceleration when udot = 0 (classical, with centripetal and Coriolis)    */
} tn_frame2;

/* ---- frames in space ---------------------------------------------------------------------------------------------- */

typedef struct tn_frame3 { /* as above; world axes                                                     */
  double r[3], A[9];       /* position; rotation, row major, frame to world: its columns are the axes  */
  double v[3], w[3];       /* twist                                                                    */
  double a0[3], al0[3];    /* acceleration when udot = 0                                               */
  /* of bodies in Euler parameters that are not normalized: A is 1 + stretch times a rotation, and what is fixed to the body at
   * rho moves with v + w x rho + ds rho. else all three are 0 */
  double ds0, ds; /* 1/s^2, 1/s: rate of stretch over 1 + stretch, and its derivative when udot = 0       */
  double stretch;
} tn_frame3;

/* unit of a row or coordinate: chooses how the contract and the error norm scale it */
typedef enum tn_unit { TN_LENGTH, TN_LENGTH_SQUARED, TN_ANGLE, TN_RATIO } tn_unit; /* ratio: number of a rotation */

typedef struct tn_coordinate {
  const char *name, *rate; /* channels: `angle`, `rate`                                                */
  tn_unit unit;
} tn_coordinate; /* a list ends with name NULL                                               */

/* coordinates whose rates are not the speeds: qdot = N(q) u */
typedef struct tn_chart {
  int nq, nu;
  double zero[8];                                                /* q of no displacement                      */
  const char *q_name[8], *u_name[8];                             /* nq, nu                                    */
  tn_unit q_unit[8], u_unit[8];                                  /* of u: of its integral                     */
  void (*rates)(const double *q, const double *u, double *qdot); /* N u                                       */
  void (*add)(double *q,
              const double *s); /* q moved by s (nu), an integral of u; q may leave and is put back to unit length */
  void (*tangent)(const double *q, const double *dq,
                  double *s); /* the s of a small change dq: N s = dq as far as it is one */
  /* speeds x as they are integrated, x = T(q) u, and back; NULL: u itself. of T it is asked that d(T u)/dt = T udot, as of rotations
   * into axes that turn with the body. the length of x is that of u, group by group of one unit */
  void (*to_own)(const double *q, const double *u, double *x);
  void (*from_own)(const double *q, const double *x, double *u);
  /* du += k times the change of u where q moves by a small s and x stays: of a rotation, s x u */
  void (*carry)(const double *u, const double *s, double k, double *du);
  const char *own_name[8]; /* nu: names of x, where there is one */
} tn_chart;

/* ---- what a joint looks like --------------------------------------------------------------------------------------- */

/* the sign a joint is drawn with. pin: turns about its axis; slide: goes along it; wheel: rolls or meshes */
typedef enum tn_symbol { TN_SYM_OTHER, TN_SYM_PIN, TN_SYM_SLIDE, TN_SYM_BALL, TN_SYM_WELD, TN_SYM_WHEEL } tn_symbol;

typedef enum tn_mark_kind {
  TN_MARK_WHEEL,  /* radius, about `axis`; with teeth it meets the other of its joint along `toward`        */
  TN_MARK_RACK,   /* a straight one, along `axis`; `at` is where it meets the wheel, which is the way of `toward` */
  TN_MARK_BALL,   /* of semi-axes `size` along the axes of its frame                                       */
  TN_MARK_RAIL,   /* something runs on it along `axis`                                                      */
  TN_MARK_BLOCK,  /* runs along `axis` and cannot tilt                                                      */
  TN_MARK_ROLLER, /* a point that runs along or on something                                                */
  TN_MARK_FLOOR,  /* the plane through `at`, normal to `axis`                                               */
  TN_MARK_BLADE   /* glides along `axis` on what is normal to `toward`                                      */
} tn_mark_kind;

typedef struct tn_mark { /* a thing that a joint wants to be seen on one of its bodies. world axes, at the given pose */
  tn_mark_kind kind;
  int frame;              /* on the body of which frame                                                     */
  double at[3], axis[3];  /* of a wheel: the centre of its pitch circle                                     */
  double toward[3];       /* direction                                                                      */
  double radius, size[3]; /* m                                                                              */
  double teeth;           /* 0: none, below 0: any number                                                   */
  bool internal;          /* its teeth point inwards                                                        */
  bool cone;              /* teeth run to `apex`                                                            */
  double apex[3];
} tn_mark;
enum { TN_MOST_MARKS = 4 };

/* ---- joints ------------------------------------------------------------------------------------------------------- */

/* the plane half of a joint. J: rows x 3*frames, twists in the order v0 w0 v1 w1 ..
 * acceleration: J (a, al) = gamma; the assembler subtracts J (a0, al0) once for all rows                            */
typedef struct tn_joint2 {
  bool there;                   /* it exists in the plane                                                   */
  bool has_axis;                /* takes `axis`: x of both frames                                           */
  bool pin;                     /* its rows are r1 - r0 and no more: the assembler may form them by itself  */
  bool turns;                   /* its coordinate is the angle of frame 1 less that of frame 0, and no more */
  int rows;                     /* holonomic rows                                                           */
  int rows_velocity_only;       /* nonholonomic rows, after the holonomic ones                              */
  tn_unit unit[3];              /* of each row                                                              */
  int axes;                     /* coordinates it gives when it carries a body in a tree; -1: it cannot     */
  const tn_coordinate *carried; /* their names, if it measures none                                         */
  /* f: the frames at the given pose; masses of their bodies. may be NULL */
  tn_status (*init)(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses);
  /* if they depend on the instance; may be NULL. may change *rows and *rows_velocity_only, whose sum stays          */
  void (*units)(const void *self, tn_unit *unit, int *rows, int *rows_velocity_only);
  void (*position)(const void *self, double t, const tn_frame2 *f, double *C);
  void (*rows_on_twists)(const void *self, double t, const tn_frame2 *f, double *J);
  void (*rates)(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma);
  /* its coordinates measured on the frames: value; rows on twists (axes x 6); gamma as above, with value'' = J(a,al) - gamma */
  void (*measure)(const void *self, const tn_frame2 *f, double *value, double *J, double *gamma);
  /* tree use: pose of frame 1 in frame 0, and in frame 0 axes what its twist gains by u: S (3 x axes) */
  void (*motion)(const void *self, const double *q, double d[2], double *angle, double *S);
  /* the point where it acts, for channels cx cy; may be NULL                                               */
  void (*contact)(const void *self, const tn_frame2 *f, double c[2]);
  /* things to be drawn, TN_MOST_MARKS at most: how many. f: at the given pose; mark is zero; may be NULL    */
  int (*marks)(const void *self, const tn_frame2 *f, tn_mark *mark);
  /* 0 where its functions have no derivative or its rows depend on each other, 1 far away; NULL: nowhere  */
  double (*regular)(const void *self, const tn_frame2 *f);
} tn_joint2;

/* tree use in space: frame 1 in frame 0, everything in axes of frame 0 and as seen from it */
typedef struct tn_motion3 {
  double d[3], A[9]; /* place of its origin; rotation, row major, from frame 1 to frame 0                 */
  double S[36];      /* 6 x axes: its twist (v of the origin, w) is S u                                   */
  double bias[6];    /* Sdot u                                                                            */
} tn_motion3;

/* how the axes of the frames are given in space. at the given pose: */
typedef enum tn_axes {
  TN_AXES_NONE,   /* both along the world axes                                                            */
  TN_AXES_AXIS,   /* z of both along `axis` (`axis_on_bodies`: each along its own, x by the smallest turn)     */
  TN_AXES_NORMAL, /* z of both along `normal`                                                             */
  TN_AXES_PAIR,   /* `axes` [a, b]: z of the first along a, of the second along b; x of the first towards b,
                   * the second by the smallest turn from a to b                                          */
  TN_AXES_FLOOR,  /* z of the first along `normal` (default: against gravity), the second along its body's axes */
  TN_AXES_BLADE   /* z of the first along `normal`, as above; z of the second along `axis`                */
} tn_axes;

/* most joints in space are lists of these rows between two frames; a list ends with TN_ROWS_END. d = r1 - r0 */
typedef struct tn_row3 {
  enum {
    TN_ROWS_END,
    TN_ROWS_POINT, /* d, three rows                             */
    TN_ROW_ALONG,  /* a'd                   a: axis of frame 0  */
    TN_ROW_DOT     /* a'b                   b: axis of frame 1  */
  } kind;
  int a, b;
} tn_row3;

/* the space half. J: rows x 6*frames, twists in the order v0 w0 v1 w1 .. of 3 + 3 numbers                             */
typedef struct tn_joint3 {
  bool there;
  tn_axes frames;
  bool parallel, perpendicular; /* TN_AXES_PAIR: what a and b must be at the given pose                   */
  unsigned oriented;            /* as that of the type, in addition                                         */
  int rows, rows_velocity_only;
  const tn_row3 *list; /* its rows are these and no more; position, rows_on_twists, rates are NULL. or NULL */
  tn_unit unit[6];
  int axes;                     /* speeds when it carries a body; -1: it cannot                             */
  const tn_chart *chart;        /* of its coordinates then, if their rates are not the speeds                */
  const tn_coordinate *carried; /* names of its coordinates then, if it measures none                       */
  int memory;                   /* numbers it remembers: angles when the last step was accepted              */
  tn_status (*init)(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses);
  void (*units)(const void *self, tn_unit *unit, int *rows, int *rows_velocity_only);
  void (*position)(const void *self, const double *memory, double t, const tn_frame3 *f, double *C);
  void (*rows_on_twists)(const void *self, double t, const tn_frame3 *f, double *J);
  void (*rates)(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma);
  void (*measure)(const void *self, const double *memory, const tn_frame3 *f, double *value, double *J, double *gamma);
  void (*motion)(const void *self, const double *q, const double *u, tn_motion3 *m);
  void (*accept)(const void *self, const tn_frame3 *f,
                 double *memory); /* remember; before the first step memory is 0 */
  void (*contact)(const void *self, const tn_frame3 *f, double c[3]);
  /* rows may be met the wrong way round too: negative there; may be NULL                                   */
  double (*side)(const void *self, const tn_frame3 *f);
  int (*marks)(const void *self, const tn_frame3 *f, tn_mark *mark);
  /* what the `ds` of the frames adds to the rows: rows x frames. false: this instance has no meaning on bodies that stretch. NULL:
   * no instance has, but those whose rows are a `list` always do. `rates` counts ds in, `measure` measures along unit axes */
  bool (*stretch)(const void *self, const tn_frame3 *f, double *E);
  double (*regular)(const void *self, const tn_frame3 *f); /* as in the plane */
} tn_joint3;

typedef enum tn_seat {                  /* where the frames of a joint sit                                          */
                       TN_SEAT_SHARED,  /* one place: `at`, or `on_bodies` [p, q]                                    */
                       TN_SEAT_TWO,     /* two places: `at` [P, Q], or `on_bodies`                                   */
                       TN_SEAT_NOWHERE, /* no place: at the origins of the bodies                                   */
                       TN_SEAT_MESH, /* three frames: the two of `between` at the centres of their own revolutes (else at
                                         * their origins), z along their axes; the `carrier`, as the first at the given pose */
                       TN_SEAT_CENTERS, /* at the mass centres of `bodies`                                          */
                       TN_SEAT_CHANNELS /* no frames: a row on channels, sum of coefficient times channel = value    */
} tn_seat;

/* an equation that the user wrote: the row of a joint of TN_SEAT_CHANNELS */
typedef struct tn_equation {
  const tn_expr *expr; /* C of coordinates, points, axes and t; or, with `on_rates`, Cdot, linear in rates         */
  bool on_rates;       /* nonholonomic                                                                       */
  bool has_unit;       /* `unit` is given; else it is that of the expression, as far as that has one           */
  tn_unit unit;        /* of C; of Cdot that of its integral                                                 */
  double scale;        /* in that unit: what the contract divides C by; 0: as the unit has it                  */
} tn_equation;

typedef struct tn_joint_type {
  const char *name, *doc;
  const char *example; /* sections of a model that shows it, ' for "; in the plane if it is there, else in space */
  const char *example_space; /* one in space, where it is in both and differs                            */
  tn_symbol symbol;
  tn_seat seat;
  bool at_second;                   /* without a place it sits at the origin of the second body                 */
  unsigned oriented;                /* bit i: frame i must turn with its body, so a particle is refused         */
  const tn_coordinate *coordinates; /* that it measures                                                     */
  size_t size;                      /* of the struct the fields are stored in                                   */
  const tn_field *fields;           /* beyond type, between, places and axes                                    */
  const tn_field *fields_space;     /* in addition, in space                                                    */
  /* TN_SEAT_CHANNELS: the right side of the row */
  const tn_expr *(*value)(const void *self);
  void (*equation)(const void *self, tn_equation *equation); /* instead of `value`: the whole row            */
  tn_smooth smooth; /* of C and of what it measures. TN_C0 is refused: velocities would jump     */
  tn_joint2 plane;
  tn_joint3 space;
} tn_joint_type;

/* ---- forces ------------------------------------------------------------------------------------------------------- */

/* AT_POINT: `at` or `on_body`. SHARED, with BETWEEN: one place for both, `at` or `on_bodies`, and axes along the world's or
 * `axis`, at the given pose. ON_NOTHING: `on` may be left out, and others use its signals */
enum { TN_ON_BODY = 1, TN_ON_CHANNEL = 2, TN_BETWEEN = 4, TN_AT_POINT = 8, TN_SHARED = 16, TN_ON_NOTHING = 32 };
enum { TN_MOST_STATES = 4, TN_MOST_SIGNALS = 8 };

typedef struct tn_signal {
  const char *name, *unit;
} tn_signal; /* a list ends with name NULL */

typedef struct tn_force_in {
  double t;
  int how;                 /* TN_ON_BODY, TN_ON_CHANNEL, TN_BETWEEN, or 0: on nothing                  */
  const tn_frame2 *f;      /* frames: one on a body, two between                                       */
  const tn_frame3 *f3;     /* the same in space                                                        */
  double value, rate;      /* of the channel                                                           */
  const double *state;     /* its own, as many as `states` said                                        */
  tn_unit unit;            /* of its value; for `init`                                                 */
  double load;             /* N: force in the joint whose channel it is, if `loaded`                   */
  const tn_system *system; /* to evaluate running expressions with tn_running                          */
} tn_force_in;

typedef struct tn_force_out {
  double w[12];      /* force and torque on each frame, at its origin: fx fy t fx fy t; space: fx fy fz tx ty tz .. */
  double effort;     /* along the channel                                                        */
  double energy;     /* potential, J                                                             */
  double power;      /* of the part without a potential, W                                       */
  double dissipated; /* of that, what a damper or a resistance turns into heat, >= 0              */
  double state_rate[TN_MOST_STATES];
  double signal[TN_MOST_SIGNALS]; /* those that are no states                                    */
} tn_force_out;

TN_API double tn_running(const tn_system *system, const tn_expr *e);

typedef struct tn_force_type {
  const char *name, *doc;
  const char *example;
  unsigned takes; /* sum of TN_ON_BODY ..                                                     */
  size_t size;
  const tn_field *fields; /* beyond type, on, between and places                                      */
  const char *example_space;
  const tn_field *fields_space; /* in addition, in space                                                */
  const tn_signal *signals;     /* its channels beside power, energy, load; NULL: none                  */
  /* in: frames at the given pose; may be NULL */
  tn_status (*init)(void *self, tn_context *ctx, const tn_force_in *in);
  /* numbers of its own that change in time: the first of its signals. NULL: none                       */
  int (*states)(const void *self);
  /* what it adds to the inertia of its coordinate; NULL: nothing                                       */
  double (*inertia)(const void *self);
  /* its effort depends on the load of the joint it acts on, as a + b load: both are found together. NULL: it does not   */
  bool (*loaded)(const void *self);
  void (*plane)(const void *self, const tn_force_in *in, tn_force_out *out); /* NULL: not in the plane */
  void (*space)(const void *self, const tn_force_in *in, tn_force_out *out);
  bool stretch;     /* its frames may be on bodies that stretch (tn_frame3)                                */
  tn_smooth smooth; /* of its wrench or effort                                                          */
  /* 0 where its wrench or effort has no derivative, 1 far away; NULL: nowhere                          */
  double (*regular)(const void *self, const tn_force_in *in);
} tn_force_type;

/* ---- coordinates of bodies ---------------------------------------------------------------------------------------- */

/* the plane half: how q and u of one body give its frame. qdot = u in all plane coordinates */
typedef struct tn_body2 {
  int n;                            /* numbers in q, and in u; 0: not in the plane                              */
  bool plain;                       /* its speeds are the twist of its frame                                    */
  const tn_coordinate *coordinates; /* names of q and u                                                         */
  /* p: frame of the parent's place (ground: at rest in the origin). fills the body's frame, r .. al0, and S (3 x n) */
  void (*motion)(const double *q, const double *u, const tn_frame2 *p, tn_frame2 *body, double *S);
  void (*from_pose)(const double pose[3], double *q);
} tn_body2;

/* the space half */
typedef struct tn_body3 {
  int nq, nu;                       /* 0: not in space                                                          */
  bool plain;                       /* its speeds are the twist of its frame                                    */
  bool stretches;                   /* its axes may leave length 1: S is 7 x nu, the last row that of `ds`      */
  const tn_chart *chart;            /* NULL: qdot = u, nq = nu                                                  */
  const tn_coordinate *coordinates; /* names of q and u if there is no chart                                    */
  void (*motion)(const double *q, const double *u, tn_frame3 *body, double *S); /* S (6 x nu)                   */
  void (*from_pose)(const double r[3], const double A[9], double *q);
  int rows; /* holonomic rows on its own coordinates, 0 or 1; qdot = u then              */
  void (*own)(const double *q, const double *u, double *C, double *row, double *gamma); /* row (nu)             */
  double (*regular)(const double *q); /* 0 where the coordinates are singular, 1 far away; may be NULL           */
  const char *remedy;
} tn_body3;

typedef struct tn_body_type {
  const char *name, *doc;
  const char *example, *example_space;
  bool oriented;          /* false: a particle                                                        */
  bool direction;         /* the components of a unit vector: it has no place and no mass; space      */
  bool on_parent;         /* sits at a place of another body (`parent`, `at`); plane                   */
  bool turns_with_parent; /* inherits the parent's rotation                                           */
  tn_body2 plane;
  tn_body3 space;
  size_t size;
  const tn_field *fields; /* beyond type                                                               */
  /* with fields: the table that their values choose, this one or another of its name. it is then that of the body */
  const struct tn_body_type *(*chosen)(const void *self);
} tn_body_type;

/* ---- formulations ------------------------------------------------------------------------------------------------- */

typedef struct tn_solve_info {
  double inconsistency;
  bool failed;
} tn_solve_info;

typedef enum tn_choice { TN_AT_START, TN_BEFORE_STEP, TN_AFTER_REJECTION } tn_choice;

/* another vector z for the integrator than (q, u): fewer numbers, from which the others follow. `room` is its memory */
typedef struct tn_packing {
  bool (*wanted)(const void *self); /* false: (q, u) itself                                                 */
  size_t (*memory)(const void *self, const tn_system *sys);
  void (*prepare)(const void *self, void *room, const tn_system *sys);
  /* numbers in z: from a pose q where as many rows are independent as in general, `rank`                    */
  tn_status (*count)(const void *self, void *room, tn_solver *solver, double t, const double *q, const double *u,
                     int rank, int *n);
  /* at an accepted state: which numbers are integrated from here on. *changed: others than before            */
  tn_status (*choose)(const void *self, void *room, tn_solver *solver, double t, const double *q, const double *u,
                      tn_choice when, bool *changed);
  void (*names)(const void *self, const void *room, const tn_system *sys, char *text, size_t size); /* of them */
  tn_status (*pack)(const void *self, void *room, tn_solver *solver, double t, const double *q, const double *u,
                    double *z);
  /* (q, u) of z; in: a state nearby. TN_E_RUN: these numbers do not tell it well enough, or at all             */
  tn_status (*unpack)(const void *self, void *room, tn_solver *solver, double t, const double *z, double *q, double *u);
  /* zdot, with the system at the state */
  void (*rates)(const void *self, void *room, const tn_system *sys, const double *qdot, const double *udot,
                double *zdot);
  /* wz (z) from the wy of (q, u): errors that numbers may have                                                 */
  void (*weights)(const void *self, const void *room, const tn_system *sys, const double *wy, double *wz);
  /* positions that a stabilizer has corrected, as far as they are in z                                         */
  void (*adopt)(const void *self, void *room, const tn_system *sys, const double *q, double *z);
  void (*keep)(void *room, tn_keep *keep); /* what it remembers, for a state that is saved; NULL: nothing   */
} tn_packing;

typedef struct tn_formulation_type {
  const char *name, *doc;
  const char *example; /* options of the command line that show it */
  const char *source;
  size_t size;
  const tn_field *fields;
  tn_status (*init)(void *self, tn_context *ctx); /* may be NULL                                   */
  bool inexact; /* rows are met as far as its parameters ask; what is left of them is `inconsistency` */
  size_t (*memory)(const void *self, int nu, int rows); /* bytes of its workspace                        */
  void (*prepare)(const void *self, void *work, int nu, int rows);
  void (*reset)(void *work);             /* nothing is known of rank and typical poses    */
  void (*typical)(void *work, int rank); /* the pose as factored is one; rank in general  */
  /* at the M, A of the system; false: M is not positive definite at speed *bad */
  bool (*factor)(const void *self, void *work, const tn_system *sys, int *bad);
  /* udot, lambda of M udot + A'lambda = f, A udot = gamma; f NULL: zero */
  void (*solve)(const void *self, void *work, const tn_system *sys, const double *f, const double *gamma, double *udot,
                double *lambda, tn_solve_info *info);
  /* the mass-orthogonal correction A x = r for a residual known to within its roundoff `noise`                     */
  void (*correct)(const void *self, void *work, const tn_system *sys, const double *r, const double *noise, double *x,
                  double *lambda, tn_solve_info *info);
  /* far from singular positions the sparse factorisation of the augmented system stands for this instance; NULL: never */
  bool (*same_as_augmented)(const void *self);
  /* of an instance for which blocks stand in, and whose rows give way by a penalty: eps, the share of the mass of a row beside it,
   * and the passes by which its force goes into the multipliers (augmented-lagrangian). NULL: its rows hold */
  double (*penalty)(const void *self, int *passes);
  double (*nearness)(const void *work); /* of a singular position: rho, 1 far away       */
  int (*rank)(const void *work);        /* of the rows as factored                       */
  const tn_packing *packing;            /* NULL: the integrator sees (q, u)              */
  int (*independent)(
      const void *work); /* the first of its independent speeds, -1 where that was not the same all along; or NULL */
  /* its workspace, for a state that is saved; NULL: it is made anew when that is put back, and an event says so */
  void (*keep)(void *work, tn_keep *keep);
  /* the dependent speeds it has chosen, *n of them: a projection in the metric `dependent` moves the same ones. NULL: none */
  const int *(*dependent)(const void *self, const void *work, int *n);
} tn_formulation_type;

/* ---- stabilizers -------------------------------------------------------------------------------------------------- */

typedef struct tn_stage { /* where a stabilizer acts                                                  */
  double h;               /* length of the step under way, or just made; 0: before the first          */
  const double *state;    /* its own numbers                                                          */
  void *room;             /* its memory, zero at first. accept may change it, nobody else: attempts are repeated */
} tn_stage;

/* places to act, any of which may be NULL: on gamma, on qdot, on the state. U and C are those of all rows; the first `holonomic`
 * rows have a C */
typedef struct tn_stabilizer_type {
  const char *name, *doc;
  const char *example; /* options of the command line that show it */
  const char *source;
  size_t size;
  const tn_field *fields;
  tn_status (*init)(void *self, tn_context *ctx, bool fixed_step);
  bool (*held)(const void *self);         /* feedback evaluated at the start of an attempt and held through it */
  bool (*tied_to_step)(const void *self); /* depends on h                                                */
  /* how far its gains are stable with an integrator, in words that follow its name; h 0: the step is not fixed */
  void (*limits)(const void *self, const struct tn_integrator_type *integrator, const void *parameters, double h,
                 char *text, size_t size);
  size_t (*memory)(const void *self, const tn_system *sys); /* bytes of its room                        */
  /* numbers of its own that are integrated, how many and their rates                                     */
  int (*states)(const void *self, int rows, int holonomic);
  void (*state_rates)(const void *self, const tn_system *sys, const tn_stage *at, double *rate);
  bool needs_matrices; /* feedback reads M, f, A of the system: they are formed before it is called           */
  /* U (rows), added: to be taken from gamma                                                              */
  void (*feedback)(const void *self, const tn_system *sys, const tn_stage *at, double *U);
  /* qdot = N (u + s), A s = r, s the smallest: r (rows), added. `live` is taken at every stage, `fixed` where the step begins if it
   * is held; either may be NULL: not wanted                                                              */
  void (*drift)(const void *self, const tn_system *sys, const tn_stage *at, double *fixed, double *live);
  /* a corrected state at the end of a step; q, u in and out. *changed when they moved                    */
  tn_status (*accept)(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u,
                      bool *changed);
  /* the same at every stage: rates are those of the corrected state. `wants_stages`: this instance does   */
  bool (*wants_stages)(const void *self);
  tn_status (*stage)(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u);
  /* take from an error estimate (dq, du), both nu numbers (dq as a tangent: an integral of u), at the present
   * factorisation what accept will take from the state; taken (rows each): the violations, of position and velocity, that this part amounts
   * to; zero where nothing is taken */
  void (*filter)(const void *self, tn_solver *solver, double *dq, double *du, double *taken_position,
                 double *taken_velocity);
  /* its room, for a state that is saved; NULL: zero when that is put back, and an event says so if there is one */
  void (*keep)(const void *self, void *room, tn_keep *keep);
  /* a part with numbers that somebody recommends, `baumgarte:alpha=5,beta=5`: what `tenon tune` begins with where none are given, and
   * shows beside. NULL: the defaults of its fields */
  const char *published;
} tn_stabilizer_type;

/* ---- integrators -------------------------------------------------------------------------------------------------- */

/* what an implicit formula has spent beside steps; of all rates evaluated, `jacobian_rates` went into Jacobians             */
typedef struct tn_effort {
  int64_t jacobians, jacobian_rates, decompositions, iterations;
  int64_t rejected; /* attempts inside `advance` that did not stand                                     */
} tn_effort;

typedef struct tn_ode { /* ydot = f(t, y), as an integrator sees it                                 */
  void *self;
  int n;
  int ledgers;          /* the last numbers of y: sums that no rate depends on, and no error is judged by */
  bool rates_know_step; /* rates depend on h given to begin: a rate may not outlive its attempt     */
  const int *part;      /* n - ledgers: numbers of different parts know nothing of each other; NULL: one part */
  double max_step;      /* of those that choose it themselves                                       */
  bool by_numbers;      /* the control by numbers; for them alike                                   */
  int rows, holonomic;  /* of the constraints, for `residual`                                       */
  int redundant;        /* of the rows: those that depend on others                                 */
  tn_effort *effort;    /* to be counted up                                                         */
  tn_status (*begin)(void *self, double t, const double *y, double h);
  tn_status (*rates)(void *self, double t, const double *y, double *ydot);
  /* for formulas that keep rates of earlier steps, which must not have feedback in them that is held over one step: what
   * that adds to a step of length h from y. NULL: nothing                                           */
  tn_status (*kick)(void *self, double t, const double *y, double h, double *dy);
  void (*weights)(void *self, const double *y, double *w);  /* error that each number may have; INFINITY: any */
  void (*sizes)(void *self, const double *y, double *size); /* for differences of rates; NULL: 1 each */
  /* the stabilizers correct y as after a step, and the ledger in it                                 */
  tn_status (*correct)(void *self, double t, double *y, bool *changed);
  /* y = (q, u, states, ledgers) with `coordinates` numbers q and `speeds` numbers u; both are 0 where a formulation integrates other
   * numbers, and then the next four are NULL. In large models, and where a joint or driver is realized by actuators, the first two of
   * these are NULL, too.
   * residual: the stabilised index-2 form, (n + rows + holonomic) numbers: qdot - N (u - A'mu), M udot + A'lambda - f, the rates of
   * states and of ledgers less what they should be, Cdot (rows), C (holonomic). an index-3 method takes mu = 0 and leaves Cdot out */
  int coordinates, speeds;
  tn_status (*residual)(void *self, double t, const double *y, const double *ydot, const double *lambda,
                        const double *mu, double *r);
  /* lambda (rows) with ydot at a state */
  tn_status (*multipliers)(void *self, double t, const double *y, double *ydot, double *lambda);
  /* q (+) s: the q of y moved by the tangent s (speeds), an integral of u: a step, or an increment for a column of a matrix */
  void (*move)(void *self, double *y, const double *s);
  /* the tangent s of a small difference dq at the q of y, as of an error */
  void (*tangent)(void *self, const double *y, const double *dq, double *s);
  const char *(*name)(void *self, int i); /* of number i of y, no ledger; NULL: y is not (q, u, ledgers) */
  /* why a step cannot be made, in words; NULL: there is no memory for it                            */
  tn_status (*refuse)(void *self, double t, const char *message);
} tn_ode;

typedef struct tn_integrator_type {
  const char *name, *doc;
  const char *example; /* options of the command line that show it */
  const char *source;
  size_t size;
  const tn_field *fields; /* beyond type, step, rtol, atol, max_step                                           */
  tn_status (*init)(void *self, tn_context *ctx); /* may be NULL                                        */
  const void *constants;                          /* `self` where there are no fields, or none are given */
  int order;                                      /* of the trajectory                                  */
  int orders;                                     /* of variable order: how many `formula` knows, from 1; else 0 */
  bool fixed;                                     /* takes `step`                                       */
  bool adaptive;                                  /* takes tolerances                                   */
  bool keeps_rates;                               /* of earlier steps                                   */
  int order_estimate;                             /* of the error: it falls as h^(order_estimate + 1)     */
  double proportion; /* of the error of the step before, in the control of its length; 0: none     */
  /* the error that `plan` is asked for, of 1/32 of the tolerance, 0: all of that; and in the control by numbers, of the tolerance,
   * 0: a half                                                                                          */
  double aim, aim_of_numbers;
  size_t (*memory)(const void *self, int n);          /* bytes of its workspace, which is zero at first       */
  void (*start)(const void *self, void *work, int n); /* forget everything                              */
  void (*end)(void *work);                            /* give back what start has asked for; may be NULL */
  /* one step of length h from y: ynew, and error (n) if adaptive                                        */
  tn_status (*attempt)(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew, double *error);
  /* the attempt stands, and y is the state from which it goes on; changed: not ynew exactly              */
  void (*accept)(void *work, const double *y, bool changed);
  /* the state at t + theta h of the last attempt, 0 <= theta <= 1. it is asked before the attempt is accepted, too, and the attempt
   * may be thrown away then                                                                              */
  tn_status (*dense)(void *work, const tn_ode *ode, double theta, double *y);
  /* variable order: of the last attempt's estimate, for order_estimate; and after that attempt, whose error was err times
   * what is allowed (above 1: it does not stand), the order of the next and the factor of its length. NULL: order_estimate */
  int (*order_now)(const void *work);
  double (*plan)(void *work, const tn_ode *ode, double err, double aim);
  /* instead of attempt: one step of its own choice from (t, y), not beyond limit                         */
  tn_status (*advance)(void *work, const tn_ode *ode, double t, const double *y, double limit, double *tnew,
                       double *ynew);
  /* y_{n+1} = y_n + h (c_0 f(p) + c_1 f_n + .. c_k f_{n-k+1}), p = y_n + h (b_0 f_n + .. b_{k-1} f_{n-k+1}) with steps of one
   * length: k, at most 16, b, and c (k + 1), all 0 if p is y_{n+1}. order: for which of them, where it varies. for formulas that
   * keep rates; NULL: one step tells all                                                                */
  int (*formula)(const void *self, int order, double *b, double *c);
  /* n, of which y_{n+1} is the last: y_0 = p, y_i with f(y_{i-1}) in the place of f(p); 0: with f(y_{n+1}) itself. NULL: 1 */
  int (*corrections)(const void *self);
  bool (*keeps_predicted)(
      const void *self); /* f_n .. are the rates that y_n was corrected by, not those at y_n: PEC; NULL: at y_n */
  /* its workspace, for a state that is saved; NULL: it starts anew when that is put back, and an event says so */
  void (*keep)(void *work, tn_keep *keep);
} tn_integrator_type;

/* ---- methods: named combinations ---------------------------------------------------------------------------------- */

typedef struct tn_method {
  const char *name, *doc;
  const char *example; /* options of the command line that show it */
  const char *source;
  const char *formulation, *stabilizer; /* in the short form of the command line; stabilizers separated by blanks */
  const char *text;                     /* what it does, ten lines at most, with its equation */
} tn_method;

/* ---- types from outside --------------------------------------------------------------------------------------------- */

/* make a type known to this description and the models compiled from it; the table must outlive them. a name that is
 * taken is refused */
TN_API tn_status tn_desc_add_joint(tn_desc *desc, const tn_joint_type *type, tn_error *error);
TN_API tn_status tn_desc_add_force(tn_desc *desc, const tn_force_type *type, tn_error *error);
TN_API tn_status tn_desc_add_coordinates(tn_desc *desc, const tn_body_type *type, tn_error *error);
TN_API tn_status tn_desc_add_formulation(tn_desc *desc, const tn_formulation_type *type, tn_error *error);
TN_API tn_status tn_desc_add_stabilizer(tn_desc *desc, const tn_stabilizer_type *type, tn_error *error);
TN_API tn_status tn_desc_add_integrator(tn_desc *desc, const tn_integrator_type *type, tn_error *error);

#ifdef __cplusplus
}
#endif
#endif
