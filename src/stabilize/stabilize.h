/* stabilize: what keeps constraints from drifting. three places to act: on gamma before the solve, on qdot, on the state after
 * a step. one file a stabilizer. */
#ifndef TN_STABILIZE_H
#define TN_STABILIZE_H

#include "tenon/extend.h"

/* 1: growth over a step that is above 1 by no more is roundoff, and below 1 by no more no damping */
static const double TN_GROWTH_EDGE = 1e-9;
/* of the universe: so near to zero a controller is asked for its slope */
static const double TN_FUZZY_NEAR = 1e-6;

/* fields `position` and `velocity` of a part's own struct: bounds; and these, where they were left out, those of the contract */
#define TN_BOUNDS(type)                                                                                                \
  {.key = "position",                                                                                                  \
   .doc = "bound of the violation, scaled as the contract's, which it is if left out",                                 \
   .offset = offsetof(type, position),                                                                                 \
   .dflt = NAN,                                                                                                        \
   .lo = TN_POSITIVE,                                                                                                  \
   .hi = INFINITY},                                                                                                    \
  {                                                                                                                    \
    .key = "velocity", .unit = "1/s", .doc = "the same of velocities", .offset = offsetof(type, velocity),             \
    .dflt = NAN, .lo = TN_POSITIVE, .hi = INFINITY                                                                     \
  }
static inline void tn_bounds_default(const tn_settings *run, double *position, double *velocity) {
  if (isnan(*position)) *position = run->contract_position;
  if (isnan(*velocity)) *velocity = run->contract_velocity;
}

/* held.c: a violation under feedback (a/h) Cdot + (b/h^2) C that is held over each step grows by this a step, in the long run; and the
 * gains a that do not let it, at b: false: none */
double tn_held_growth(const tn_integrator_type *type, const void *self, double a, double b);
bool tn_held_range(const tn_integrator_type *type, const void *self, double b, double *from, double *to);

/* growth.c: feedback with gains per step, held or not: gain[0] h Cdot + gain[1] C + gain[2] Z/h, Z the integral of C, over h^2; of
 * these numbers the first n. what it multiplies a violation by in a step, in the long run, NaN: who knows; and the largest x so that
 * gains times x, x^2, x^3 are stable, as x times the step makes them: INFINITY: any, 0: none */
typedef struct tn_feedback {
  double gain[3];
  int n;
  bool held;
} tn_feedback;
double tn_feedback_growth(const tn_integrator_type *type, const void *self, const tn_feedback *g);
double tn_feedback_limit(const tn_integrator_type *type, const void *self, const tn_feedback *g);
bool tn_feedback_stable(double growth);
/* both in words. h: the gains are in 1/s, 1/s^2 .., times powers of this; 0: they are per step. `growth`: the step is known */
void tn_feedback_text(const tn_integrator_type *type, const void *self, const tn_feedback *g, double h, bool growth,
                      char *text, size_t size);

/* no, yes: of an instance */
static inline bool tn_never(const void *self) {
  (void)self;
  return false;
}
static inline bool tn_always(const void *self) {
  (void)self;
  return true;
}

/* bytes of a room that the table describes */
static inline size_t tn_room_size(const tn_workspace *workspace, const void *self, const tn_system *sys) {
  const tn_view *v = tn_view_of(sys);
  return tn_workspace_size(workspace, self, tn_matrix_sizes(v));
}

/* gram.c: (1) to (3) there, of stabilizers that have `needs_matrices` */
typedef struct tn_gram {
  int nu, rows;
  double *L, *y;   /* nu x nu, nu                        */
  double *B;       /* rows x nu                          */
  double *S, *G;   /* rows x rows; G the factor of add + S */
  double *g, *add; /* rows                               */
} tn_gram;
extern const tn_workspace tn_gram_workspace;
bool tn_gram_form(tn_gram *w, const tn_view *v); /* false: no mass in some direction */
void tn_gram_least(tn_gram *w);                  /* the least `add`                  */
bool tn_gram_factor(tn_gram *w);
void tn_gram_solve(const tn_gram *w, double *x);
void tn_gram_spread(const tn_gram *w, const double *x, double *dx);

/* controller.c: what `fuzzy` makes of x = Kp C and y = Kd Cdot, and of y alone; slopes of F(x, 0), F(0, y), F(y) at zero */
enum { TN_CONTROLLER_MOST = 31 }; /* sets of an input, or of the output */
typedef struct tn_fuzzy_set {
  double top[2], fall[2]; /* a member between the tops; on both sides, over which length not any more */
  bool gaussian;          /* `fall` is sigma */
} tn_fuzzy_set;
double tn_fuzzy_member(const tn_fuzzy_set *s, double x); /* 0 to 1 */
typedef struct tn_fuzzy_sets {
  int n;
  tn_fuzzy_set set[TN_CONTROLLER_MOST];
} tn_fuzzy_sets;
typedef double tn_rules[TN_CONTROLLER_MOST][TN_CONTROLLER_MOST]; /* j set of x, k set of y */
typedef struct tn_controller {
  tn_fuzzy_sets x, y;        /* of both an odd number */
  int both;                  /* 0 product, 1 smaller  */
  tn_rules table;            /* outputs, or centres of output sets */
  bool first_order, mamdani; /* neither: zeroth-order Sugeno */
  tn_rules table_x, table_y; /* first order: slopes of the outputs along x and y; else 0 */
  tn_fuzzy_sets out;         /* Mamdani: output sets, straight sides; and which one a rule names */
  unsigned char output[TN_CONTROLLER_MOST][TN_CONTROLLER_MOST];
  double slope_x, slope_y, slope_line;
} tn_controller;
double tn_controller_surface(const tn_controller *c, double x, double y);
double tn_controller_line(const tn_controller *c, double y);
void tn_controller_preset(tn_controller *c, int set, int both); /* set: 0 triangular, 1 trapezoidal, 2 Gaussian */
/* parts of a controller: named sets, the table that goes with the sets, slopes */
void tn_fuzzy_sets_named(tn_fuzzy_sets *s, int set, int n, double width);
void tn_controller_rules(tn_controller *c);
void tn_controller_slopes(tn_controller *c);
/* centroid.c: of the output sets, cut (`minimum`) or scaled to w. some w is positive */
double tn_fuzzy_centroid(const tn_fuzzy_sets *out, const double *w, bool minimum);
/* controller_read.c: as the part has it. choice: sets of C, of Cdot */
typedef struct tn_choice_of_sets {
  int set, size;
  double width; /* times that of the published sets */
} tn_choice_of_sets;
tn_status tn_controller_read(tn_controller *c, tn_context *ctx, const tn_choice_of_sets choice[2], int both,
                             bool mamdani);
/* fuzzy.c: of a stabilizer with its parameters; NULL: it has none */
extern const tn_stabilizer_type tn_stabilizer_fuzzy;
const tn_controller *tn_controller_of(const tn_stabilizer_type *type, const void *self);

#endif
