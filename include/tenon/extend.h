/* The interfaces of the parts Tenon is made of: joints, forces, coordinates of bodies, formulations, stabilizers, integrators.
 * SPDX-License-Identifier: MIT
 *
 * A part is one file that ends in a const table of one of the types below. The build collects the tables; nothing else has to
 * be edited. A type declares its parameters once, as tn_field: reader, defaults, messages and lists come from there. */
#ifndef TENON_EXTEND_H
#define TENON_EXTEND_H

#include <float.h>
#include <math.h>

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_expr tn_expr;       /* an expression, compiled; base.h            */
typedef struct tn_system tn_system;   /* a model at a state; assemble.h             */
typedef struct tn_solver tn_solver;   /* a system with its factorisation; formulate.h */
typedef struct tn_context tn_context; /* what `init` may ask and say; model.h       */

/* ---- a model at a state, as parts see it ------------------------------------------------------------------------------ */

typedef struct tn_view {
  int coordinates, speeds, rows, holonomic; /* nq, nu; the first `holonomic` rows have a C                    */
  double t, length;                         /* s; the model's length, m                                       */
  const double *q, *u;                      /* nq, nu                                                         */
  const double *M, *f;                      /* nu x nu, nu                                                    */
  const double *A;                          /* rows x nu                                                      */
  const double *C, *Cdot, *gamma;           /* rows                                                           */
  const double *scale;                      /* rows: C times this is what the contract sees                   */
} tn_view;

TN_API void tn_system_view(const tn_system *system, tn_view *view);
TN_API const tn_system *tn_solver_system(const tn_solver *solver);
/* assemble at a state; for the view of what an accept has been given or has changed */
TN_API tn_status tn_solver_assemble(tn_solver *solver, double t, const double *q, const double *u);
/* s (nu): the smallest change in the kinetic-energy norm with A s = r (rows), at the state last assembled. `position`: r is
 * made of C, else of Cdot; near a singular position what of it is roundoff is left alone */
TN_API tn_status tn_solver_smallest(tn_solver *solver, bool position, const double *r, double *s);

/* ---- fields ------------------------------------------------------------------------------------------------------- */

typedef enum tn_kind {
  /* read from the table; stored at `offset` */
  TN_NUMBER,    /* number or constant expression: double                                            */
  TN_VECTOR,    /* list of n numbers: double[n]                                                     */
  TN_DIRECTION, /* `x`, `-y` .. or a vector of any length but 0: double[2], of length 1             */
  TN_WORD,      /* one of `choices`, "length squared": int, index                                   */
  TN_BOOLEAN,   /* true, false: int                                                                 */
  TN_TIME,      /* number or function of t: const tn_expr *, NULL if not given                      */
  TN_RUNNING,   /* number or running expression; list if n > 1: const tn_expr *[n], NULL if not given */
  /* declared in the table, read by the compiler */
  TN_TEXT,    /* any text                                                                           */
  TN_NAME,    /* the name of a body                                                                 */
  TN_CHANNEL, /* the name of a coordinate channel                                                   */
  TN_PLACE,   /* the name of a point or body, or coordinates                                        */
  TN_PLACES,  /* two places; that of a particle may be null or left out                             */
  TN_PART,    /* a word, or an object with `type`: one of the registry `choices`                    */
  TN_PARTS,   /* one of them, or a list                                                             */
  TN_LIST,    /* n of what `inside` says (0: any number)                                            */
  TN_OBJECT   /* its members are those of `inside`                                                  */
} tn_kind;

#define TN_POSITIVE DBL_MIN /* as `lo` of a range: above 0 */

typedef struct tn_field {
  const char *key; /* `*`: any other key                              */
  const char *unit, *doc;
  tn_kind kind;
  int n;               /* numbers in a vector, running expressions       */
  size_t offset;       /* in the part's own struct                       */
  double dflt, lo, hi; /* default (NaN: none, `init` decides) and range of numbers, both 0: any */
  bool required;
  const char *choices;           /* words, separated by blanks                     */
  const struct tn_field *inside; /* of a list or object; of anything else: its long form as an object */
} tn_field;                      /* a table ends with key NULL                */

/* for `inside`: names of bodies; numbers by name */
TN_API extern const tn_field tn_fields_names[], tn_fields_numbers[];

/* what `init` of a part knows. messages: set one with tn_context_fail and return its status */
TN_API tn_status tn_context_fail(tn_context *ctx, const char *key, const char *format, ...);
TN_API void *tn_context_alloc(tn_context *ctx, size_t size); /* lives as long as the model; NULL: no memory */

/* ---- frames in the plane ------------------------------------------------------------------------------------------ */

typedef struct tn_frame2 { /* a frame fixed to a body, as a joint sees it; world axes                  */
  double r[2], angle;      /* position; angle, which counts turns                                      */
  double c, s;             /* cosine and sine of the angle: x axis (c, s), y axis (-s, c)               */
  double v[2], w;          /* twist                                                                    */
  double a0[2], al0;       /* acceleration when udot = 0 (classical, with centripetal and Coriolis)    */
} tn_frame2;

/* unit of a row or coordinate: chooses how the contract and the error norm scale it */
typedef enum tn_unit { TN_LENGTH, TN_LENGTH_SQUARED, TN_ANGLE } tn_unit;

/* ---- joints ------------------------------------------------------------------------------------------------------- */

/* the plane half of a joint. J: rows x 3*frames, twists in the order v0 w0 v1 w1 ..
 * acceleration: J (a, al) = gamma; the assembler subtracts J (a0, al0) once for all rows                            */
typedef struct tn_joint2 {
  int rows;               /* holonomic rows                                                           */
  int rows_velocity_only; /* nonholonomic rows, after the holonomic ones                              */
  tn_unit unit[3];        /* of each row                                                              */
  int axes;               /* coordinates it gives when it carries a body in a tree; -1: it cannot     */
  void (*units)(const void *self, tn_unit *unit); /* if they depend on the instance; may be NULL         */
  void (*position)(const void *self, double t, const tn_frame2 *f, double *C);
  void (*rows_on_twists)(const void *self, double t, const tn_frame2 *f, double *J);
  void (*rates)(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma);
  /* its coordinates measured on the frames: value; rows on twists (axes x 6); gamma as above, with value'' = J(a,al) - gamma */
  void (*measure)(const void *self, const tn_frame2 *f, double *value, double *J, double *gamma);
  /* tree use: pose of frame 1 in frame 0, and in frame 0 axes what its twist gains by u: S (3 x axes) */
  void (*motion)(const void *self, const double *q, double d[2], double *angle, double *S);
} tn_joint2;

typedef struct tn_coordinate {
  const char *name, *rate; /* channels: `angle`, `rate`                                                */
  tn_unit unit;
} tn_coordinate; /* a list ends with name NULL                                               */

typedef enum tn_seat {                  /* where the frames of a joint sit                                          */
                       TN_SEAT_SHARED,  /* one place: `at`, or `on_bodies` [p, q]; x axis along `axis`               */
                       TN_SEAT_TWO,     /* two places: `at` [P, Q], or `on_bodies`                                   */
                       TN_SEAT_CENTERS, /* at the mass centres of `bodies`                                          */
                       TN_SEAT_CHANNELS /* no frames: a row on channels, sum of coefficient times channel = value    */
} tn_seat;

typedef struct tn_joint_type {
  const char *name, *doc;
  const char *example; /* sections of a model that shows it, ' for "                                  */
  tn_seat seat;
  bool has_axis;     /* takes `axis`                                                             */
  bool at_second;    /* without a place it sits at the origin of the second body                 */
  unsigned oriented; /* bit i: frame i must turn with its body, so a particle is refused         */
  const tn_coordinate *coordinates;
  size_t size;            /* of the struct the fields are stored in                                   */
  const tn_field *fields; /* beyond type, between, places and axis                                    */
  /* f: the frames at the given pose; masses of their bodies. may be NULL */
  tn_status (*init)(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses);
  /* TN_SEAT_CHANNELS: the right side of the row */
  const tn_expr *(*value)(const void *self);
  tn_joint2 plane;
} tn_joint_type;

/* ---- forces ------------------------------------------------------------------------------------------------------- */

enum { TN_ON_BODY = 1, TN_ON_CHANNEL = 2, TN_BETWEEN = 4, TN_AT_POINT = 8 }; /* AT_POINT: `at` or `on_body` */

typedef struct tn_force_in {
  double t;
  int how;                 /* TN_ON_BODY, TN_ON_CHANNEL or TN_BETWEEN                                  */
  const tn_frame2 *f;      /* frames: one on a body, two between                                       */
  double value, rate;      /* of the channel                                                           */
  const tn_system *system; /* to evaluate running expressions with tn_running                          */
} tn_force_in;

typedef struct tn_force_out {
  double w[6];       /* force and torque on each frame, at its origin: fx fy t fx fy t            */
  double effort;     /* along the channel                                                        */
  double energy;     /* potential, J                                                             */
  double power;      /* of the part without a potential, W                                       */
  double dissipated; /* of that, what a damper turns into heat, >= 0                             */
} tn_force_out;

TN_API double tn_running(const tn_system *system, const tn_expr *e);

typedef struct tn_force_type {
  const char *name, *doc;
  const char *example;
  unsigned takes; /* sum of TN_ON_BODY ..                                                     */
  size_t size;
  const tn_field *fields; /* beyond type, on, between and places                                      */
  tn_status (*init)(void *self, tn_context *ctx, int how, const tn_frame2 *f);
  void (*plane)(const void *self, const tn_force_in *in, tn_force_out *out);
} tn_force_type;

/* ---- coordinates of bodies ---------------------------------------------------------------------------------------- */

/* the plane half: how q and u of one body give its frame. qdot = u in all plane coordinates */
typedef struct tn_body_type {
  const char *name, *doc;
  const char *example;
  bool oriented;                    /* false: a particle                                                        */
  bool on_parent;                   /* sits at a place of another body (`parent`, `at`)                          */
  bool turns_with_parent;           /* inherits the parent's rotation                                           */
  const tn_coordinate *coordinates; /* names of q and u                                                  */
  int n;                            /* numbers in q, and in u                                                   */
  /* p: frame of the parent's place (ground: at rest in the origin). fills the body's frame, r .. al0, and S (3 x n) */
  void (*motion)(const double *q, const double *u, const tn_frame2 *p, tn_frame2 *body, double *S);
  void (*from_pose)(const double pose[3], double *q);
} tn_body_type;

/* ---- formulations ------------------------------------------------------------------------------------------------- */

typedef struct tn_solve_info {
  double inconsistency;
  bool failed;
} tn_solve_info;

typedef struct tn_formulation_type {
  const char *name, *doc;
  const char *example; /* options of the command line that show it */
  const char *source;
  size_t size;
  const tn_field *fields;
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
  double (*nearness)(const void *work); /* of a singular position: rho, 1 far away       */
  int (*rank)(const void *work);        /* of the rows as factored                       */
} tn_formulation_type;

/* ---- stabilizers -------------------------------------------------------------------------------------------------- */

/* three places to act, any of which may be NULL */
typedef struct tn_stabilizer_type {
  const char *name, *doc;
  const char *example; /* options of the command line that show it */
  const char *source;
  size_t size;
  const tn_field *fields;
  tn_status (*init)(void *self, tn_context *ctx, bool fixed_step);
  bool (*held)(const void *self);         /* feedback evaluated at the start of an attempt and held through it */
  bool (*tied_to_step)(const void *self); /* depends on h                                                */
  /* U (rows) to be taken from gamma: C, Cdot of the system, step h; the first `holonomic` rows have a C  */
  void (*feedback)(const void *self, const tn_system *sys, double h, double *U);
  /* a corrected state at the end of a step; q, u in and out. *changed when they moved                    */
  tn_status (*accept)(const void *self, tn_solver *solver, double t, double *q, double *u, bool *changed);
  /* take from an error estimate (dq, du) at the present factorisation what accept will take from the state;
   * taken: the largest violation, of position and velocity, that this part amounts to */
  void (*filter)(const void *self, tn_solver *solver, double *dq, double *du, double taken[2]);
} tn_stabilizer_type;

/* ---- integrators -------------------------------------------------------------------------------------------------- */

typedef struct tn_ode { /* ydot = f(t, y), as an integrator sees it                                 */
  void *self;
  int n;
  bool rates_know_step; /* rates depend on h given to begin: a rate may not outlive its attempt     */
  tn_status (*begin)(void *self, double t, const double *y, double h);
  tn_status (*rates)(void *self, double t, const double *y, double *ydot);
} tn_ode;

typedef struct tn_integrator_type {
  const char *name, *doc;
  const char *example; /* options of the command line that show it */
  const char *source;
  int order;                        /* of the trajectory                                                        */
  bool adaptive;                    /* gives an error estimate                                                  */
  int order_estimate;               /* of the estimate: it falls as h^(order_estimate + 1)                       */
  size_t (*memory)(int n);          /* bytes of its workspace                                                   */
  void (*start)(void *work, int n); /* forget everything                                                 */
  /* one step of length h from y: ynew, and error (n) if adaptive                                        */
  tn_status (*attempt)(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew, double *error);
  void (*accept)(void *work, bool changed); /* the attempt stands; changed: not at ynew exactly           */
  /* the state at t + theta h of the last attempt, 0 <= theta <= 1                                        */
  tn_status (*dense)(void *work, const tn_ode *ode, double theta, double *y);
} tn_integrator_type;

/* ---- methods: named combinations ---------------------------------------------------------------------------------- */

typedef struct tn_method {
  const char *name, *doc;
  const char *example; /* options of the command line that show it */
  const char *source;
  const char *formulation, *stabilizer; /* in the short form of the command line; NULL: none */
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
