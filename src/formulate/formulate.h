/* formulate: from the system at a state to udot, lambda, and to corrections for a residual. */
#ifndef TN_FORMULATE_H
#define TN_FORMULATE_H

#include "assemble/assemble.h"
#include "linalg/linalg.h"

/* root.c: the factorization by reflections of a system, near singular positions and where rows are redundant */
typedef struct tn_reflected {
  bool there; /* the model has a plan for it                     */
  tn_root root;
  double *K;         /* of the plan: as filled                          */
  double *x, *noise; /* unknowns and right side; roundoff of that       */
} tn_reflected;

/* owns: it has a K of its own; else the caller sets it */
void tn_reflected_carve(tn_reflected *r, tn_carve *c, const tn_model *m, bool owns);
void tn_reflected_reset(tn_reflected *r, const tn_model *m);
void tn_reflected_fill(tn_reflected *r, const tn_system *sys);
/* Fills and factors K with all its rows measured at this position alone; rows that clearly repeat others are left out: their number, which
 * does not count rows that are switched off; -1: a mass is not positive definite */
int tn_reflected_factor(tn_reflected *r, const tn_system *sys);
/* K x = (force, 0), force on the speeds: the smallest motion that does `force x` and moves no row; false: not finite */
bool tn_reflected_push(tn_reflected *r, const tn_system *sys, const double *force, double *x, double *lambda);
/* both at the position that was factored; false: not finite */
bool tn_reflected_solve(tn_reflected *r, const tn_system *sys, bool forces, const double *gamma, double *udot,
                        double *lambda, double *inconsistency);
bool tn_reflected_correct(tn_reflected *r, const tn_system *sys, const double *rows, const double *noise, double *x,
                          double *lambda);

/* sparse.c: the factorisation block by block, where the model has a plan; far from singular positions */
typedef struct tn_sparse {
  bool there, ready; /* the model has a plan; typical poses are known                          */
  bool judged;       /* typical poses have told whether blocks can serve: `ready`              */
  bool quick;        /* blocks are accurate at typical poses                                   */
  bool rooted;       /* reflections leave out as many rows as are redundant                     */
  int64_t forward;   /* the point at whose factor x is the right side of the accelerations, taken forward; 0: none */
  bool settled;      /* the last solution is as good as it should be                          */
  tn_saddle saddle;
  bool by_root; /* the factorization at hand is that by reflections: near a singular position, or rows are redundant */
  tn_reflected root;
  double *x, *b;    /* unknowns and right side, in the order of elimination                   */
  double *typical;  /* of rows: pivots over D at typical poses                                */
  double *measured; /* of rows: D there, the largest of each                                 */
} tn_sparse;

/* fill.c: what is needed before a tile, in the matrix and, for accelerations, in the right side x unless it is NULL; who: the
 * tn_system */
void tn_fill(const void *who, int tile, double *K, double *x);
/* a right side alone; without forces only rows are held to */
void tn_right_side(const tn_system *sys, int tile, bool forces, const double *gamma, double *b);
static inline int tn_node_x(const tn_model *m, int node) { return m->plan.columns[m->plan.column[node]].x; }
static inline bool tn_stands_on(const tn_body *b) { return b->tie >= 0; }
static inline bool tn_direct(const tn_body *b) { return b->plain || tn_stands_on(b); } /* its unknowns are its twist */

void tn_sparse_carve(tn_sparse *s, tn_carve *c, const tn_model *m);
void tn_sparse_reset(tn_sparse *s, const tn_model *m);
bool tn_sparse_begun(const tn_sparse *s); /* the formulation factors by blocks, and has met a pose */
void tn_sparse_keep(tn_sparse *s, const tn_system *sys, tn_keep *keep);
/* the present pose is a typical one; redundant: how many rows depend on others in general */
void tn_sparse_typical(tn_sparse *s, const tn_system *sys, int redundant);
/* unknowns in the order of elimination as accelerations and multipliers; false: not finite */
bool tn_sparse_results(const tn_system *sys, const double *x, double *udot, double *lambda);
/* how many rows depend on others at the present pose */
int tn_sparse_redundant(tn_sparse *s, const tn_system *sys);
/* at the present state of the system whose typical poses were told. false: not here. where it knows what acts, the right side of
 * the accelerations is taken forward on the way, which is what is asked for next, most often. nearness of a singular position as
 * the smallest pivot over what it typically is */
bool tn_sparse_factor(tn_sparse *s, const tn_system *sys, double *nearness);
/* The same by reflections, for positions that are singular but for roundoff and for redundant rows. It does not take the right side
 * forward. */
bool tn_sparse_factor_root(tn_sparse *s, const tn_system *sys, double *nearness);
/* the smallest rho of a row of the model, and which */
double tn_sparse_least(const tn_sparse *s, const tn_model *m, int *row);
/* forces: with the applied forces on the right side, else none. false: not finite */
bool tn_sparse_solve(tn_sparse *s, const tn_system *sys, bool forces, const double *gamma, double *udot, double *lambda,
                     double *inconsistency);
/* the smallest x with A x = r, whose error is judged by the violation it leaves; noise (rows): roundoff of r */
bool tn_sparse_correct(tn_sparse *s, const tn_system *sys, const double *r, const double *noise, double *x,
                       double *lambda);

/* D of rows, in the order of the plan, of a matrix as filled, 1 where rows are switched off: their inverse mass, as if
 * coordinates of trees had stiff ties */
void tn_sparse_scale(const tn_system *sys, const double *K, double *D);
/* the solution x, in the order of elimination; false: not finite */
bool tn_sparse_results(const tn_system *sys, const double *x, double *udot, double *lambda);

/* dependent_sparse.c: the same by sparse rows, where blocks stand in for the formulation */
typedef struct tn_dependent_sparse {
  bool there;
  int sets, joints;   /* 2 where velocities have rows of their own; joints with rows          */
  int *joint;         /* joints: in the order of the plan                                     */
  int *first, *place; /* rows + 1: columns of a row, by its number, in `place`                */
  bool *off;          /* joints: as they were switched when columns were chosen last          */
  double *scale, *x;  /* rows, by number; nu: work                                            */
  double *size;       /* nu: work                                                             */
  double typical[2];  /* of a set: the largest that its smallest pivot ever was               */
  int64_t fits;       /* the choice of velocities that the set of positions was made for      */
  struct {
    tn_pivots pivots;
    int64_t at;     /* the position that it is factored at; 0: none              */
    bool chosen;    /* the columns of its pattern are a choice                   */
    int64_t number; /* of choices: positions know by it whether their set still fits that of velocities */
  } set[2];         /* of positions and of velocities                            */
} tn_dependent_sparse;

/* dependent.c: components of a change that the rows determine, in terms of the others; two sets, of positions [0] and of
 * velocities [1] */
typedef struct tn_dependent {
  int nu, least;                    /* and the least of it and rows                                     */
  int choose;                       /* 0 always, 1 kept, 2 once                                         */
  const bool *independent;          /* nu, or NULL: named to stand where they can                       */
  bool shared;                      /* the formulation's dependent speeds, where it has chosen some      */
  bool *stands;                     /* nu: the others, while they are                                   */
  bool fresh[2];                    /* the next choice is the first of a correction                     */
  int rank;                         /* components in `column`                                           */
  int chosen[2], *kept[2];          /* nu: as they were chosen last; 0: none                            */
  double best[2];                   /* the largest that the smallest pivot of this choice was           */
  double *As, *X, *L, *U;           /* rows x nu twice, rows x rank by reflections, rank x nu           */
  double *scale, *diagonal, *b, *y; /* rows                                                    */
  int *column;                      /* nu                                                      */
  bool *taken;                      /* rows                                                    */
  bool *named, some_named;          /* nu: as `independent` was, and whether it was            */
  tn_dependent_sparse sparse;
} tn_dependent;

/* wall times of parts of the work, s. a clock takes as long to read as a joint to evaluate: it is read only while `on`, and
 * simulate/cost.c says when that is and what it stands for. parts of one sum: assemble, solve, and project without these two; and
 * corrections of positions and of velocities, with what they assemble and solve */
typedef enum tn_timed {
  TN_TIME_ASSEMBLE,
  TN_TIME_SOLVE,
  TN_TIME_PROJECT,
  TN_TIME_POSITION,
  TN_TIME_VELOCITY,
  TN_TIMES
} tn_timed;

typedef struct tn_profile {
  bool on;
  int64_t readings;      /* of the clock */
  double time[TN_TIMES]; /* while it was on */
} tn_profile;

double tn_clock(void); /* s */
static inline double tn_profile_begin(tn_profile *p) { return p->on ? p->readings++, tn_clock() : 0; }
static inline void tn_profile_end(tn_profile *p, tn_timed part, double began) {
  if (p->on) p->readings++, p->time[part] += tn_clock() - began;
}

/* penalty.c: rows that give way, by blocks */
typedef struct tn_penalty {
  bool there; /* somebody wants it, and the model is one that it can serve    */
  int64_t at; /* the position that the factor of a formulation is of; 0: none */
  tn_ldl ldl;
  double *E;            /* rows, in the order of the plan                               */
  double *b, *x, *last; /* vectors in the order of elimination                          */
} tn_penalty;

/* the position that a factorisation was made at */
typedef struct tn_factor {
  bool ready;    /* there is one, of this position or of another one, then it is stale */
  int64_t place; /* the number of its position: that of the system, if it is not stale; 0: not known, see t and q */
  double t, *q;  /* nq                                                                   */
} tn_factor;

/* a system with its factorisation, which is kept as long as q and t stay the same */
struct tn_solver {
  tn_system sys;
  const tn_formulation_type *type;
  const void *self;
  void *work;
  tn_factor at_mass, at_identity; /* where the factorisations in either metric were made */
  bool identity_typical;
  tn_sparse sparse;
  tn_penalty penalty;
  bool blocks_stand_in;    /* blocks give what the formulation does       */
  bool by_blocks;          /* the factorisation at hand is the sparse one */
  bool by_kkt;             /* or the dense one of `augmented`, though the formulation is another */
  tn_kkt identity;         /* the metric of the coordinates               */
  tn_dependent dependent;  /* only if the run asks for it                 */
  double *scratch, *noise; /* rows                                        */
  double *r, *s, *q_try;   /* rows, nu, nq: for those who correct          */
  tn_error *e;             /* where errors of a step go                    */
  double nearness;         /* smallest rho since it was last set to 1          */
  double seen;             /* likewise, by blocks: the least pivot over what it typically is   */
  double inconsistency;    /* of the last solve                           */
  int64_t factorizations;
  int64_t guard_calls; /* corrections that a bound has asked for */
  tn_profile profile;
  int rank; /* independent rows in general                 */
};

void tn_solver_carve(tn_solver *s, tn_carve *c, const tn_model *m);
/* forget the rank; or take the pose as factored for a typical one, with `rank` independent rows in general */
void tn_solver_reset(tn_solver *s);
/* keep.c: all that outlives a solve, of the factorisations too: a step may begin with the one that the last has left */
void tn_solver_keep(tn_solver *s, tn_keep *keep);
void tn_solver_typical(tn_solver *s, int rank);
/* the same where no matrices were factored, and rows are independent; false: only they can tell */
bool tn_solver_typical_by_blocks(tn_solver *s);
/* all that is not asked for apart (TN_LEVEL_FORCES) where the system stands; TN_E_RUN names what is not a number */
tn_status tn_solver_evaluate(tn_solver *s, tn_error *e);
/* the same at another point, unless it stands there; states of forces as they are */
tn_status tn_solver_at(tn_solver *s, double t, const double *q, const double *u, tn_error *e);
/* moves it to a point and evaluates frames and rows alone (TN_LEVEL_ROWS, TN_LEVEL_TWISTS), for corrections */
void tn_solver_rows_at(tn_solver *s, double t, const double *q, const double *u);
/* factor at the present state, unless that has been done at this q and t */
tn_status tn_solver_factor(tn_solver *s, tn_metric metric, tn_error *e);
/* the factorisation in a metric is of the position where the system stands */
bool tn_solver_is_factored(const tn_solver *s, tn_metric metric);
/* of a singular position, at the factorization at hand, in the metric of masses; 1 where blocks are far from it */
double tn_solver_nearness(const tn_solver *s);
/* all factorisations are of another system: rows were switched or parameters set */
void tn_solver_forget(tn_solver *s);
/* the dense factorisation of the rows at the present state, in the metric of masses; NULL: there is none */
const tn_kkt *tn_solver_kkt(const tn_solver *s);
/* the cached factorization, in the metric of masses, is stale, but belongs to a nearby position at the same time, and both are far
 * from singular: a correction with it (tn_solver_correct_stale) makes a violation smaller */
bool tn_solver_stale_is_near(const tn_solver *s);
/* factored: accelerations */
tn_status tn_solver_solve(tn_solver *s, const double *f, const double *gamma, double *udot, double *lambda,
                          tn_error *e);
/* the same by blocks, with rows that hold though those of the formulation give way by a penalty: for the start */
tn_status tn_solver_solve_exactly(tn_solver *s, const double *f, const double *gamma, double *udot, double *lambda,
                                  tn_error *e);
/* the smallest change x (nu) with A x = r (rows). of: what r is made of, and so how far it is roundoff */
typedef enum tn_residual { TN_OF_POSITION, TN_OF_VELOCITY, TN_OF_ESTIMATE } tn_residual;
tn_status tn_solver_correct(tn_solver *s, tn_metric metric, tn_residual of, const double *r, double *x, tn_error *e);
/* the same of a position in the metric of masses, with the factorisation at hand, of whatever position it is */
tn_status tn_solver_correct_stale(tn_solver *s, const double *r, double *x, tn_error *e);

/* penalty.c. numbers in brackets are those at its head */
void tn_penalty_carve(tn_penalty *k, tn_carve *c, const tn_model *m, bool wanted);
bool tn_penalty_serves(const tn_solver *s);
/* (1) at the position where the solver has its blocks; left: the largest of (3), in units of D. false: not finite */
bool tn_penalty_lagrangian(tn_solver *s, double eps, int passes, bool forces, const double *gamma, double *udot,
                           double *lambda, double *left);
/* (2): the change x (nu) of the dependent components (nu); far (nu, or NULL): s. positions: rows with a C; velocities: all */
bool tn_penalty_change(tn_solver *s, bool velocity, double weight, double penalty, const bool *dependent,
                       const double *far, double *x);
double tn_penalty_slope(tn_solver *s, double weight, double penalty, const bool *dependent, const double *far);

/* put_back.c: the state (q, u), where the system stands, moved by the smallest change so that C and Cdot are at a level (NULL:
 * zero); `once`: one pass of the position. the system is evaluated at the result then (TN_LEVEL_FORCES) */
tn_status tn_put_back(tn_solver *s, tn_metric metric, bool once, double t, double *q, double *u, const double *C_level,
                      const double *Cdot_level, bool *changed, tn_error *e);
/* an error estimate without the part that such a correction takes away, and the violations that this part amounts to */
void tn_put_back_filter(tn_solver *s, tn_metric metric, double *dq, double *du, double *taken_position,
                        double *taken_velocity);
/* once, in the metric of masses, if a violation is beyond these bounds; counted in guard_calls */
tn_status tn_put_back_beyond(tn_solver *s, double position, double velocity, double t, double *q, double *u,
                             bool *changed);

/* typical poses are known, and rows are independent there, or there are no matrices: blocks serve far from singular positions */
bool tn_solver_has_blocks(const tn_solver *s);

void tn_dependent_carve(tn_dependent *w, tn_carve *c, const tn_model *m);
void tn_dependent_reset(tn_dependent *w);
void tn_dependent_keep(tn_dependent *w, const tn_model *m, tn_keep *keep);
/* dependent_sparse.c, for dependent.c: as the functions below, -1 or false where the dense ones must serve */
void tn_dependent_sparse_carve(tn_dependent_sparse *l, tn_carve *c, const tn_model *m);
void tn_dependent_sparse_reset(tn_dependent_sparse *l);
void tn_dependent_sparse_keep(tn_dependent_sparse *l, const tn_model *m, tn_keep *keep);
bool tn_dependent_sparse_serves(const tn_solver *s);
int tn_dependent_sparse_choose(tn_solver *s, bool velocity);
/* the next correction chooses anew; false: it cannot, or does so anyway */
bool tn_dependent_sparse_renew(tn_solver *s);
bool tn_dependent_sparse_correct(tn_solver *s, bool velocity, const double *r, double *x);
/* smallest pivot over the best it has had, below which a set is chosen again; by tn_dependent.choose */
extern const double tn_dependent_give_up[3];
/* how long a component of a change is that counts as one: the model's length, its square, or 1 rad */
static inline double tn_component_size(const tn_model *m, int j) {
  return m->u_unit[j] == TN_LENGTH_SQUARED ? m->length * m->length : m->u_length[j];
}
/* 1: rows and pivots below it, in these units, hold nothing: what is off would be moved a million times as far */
static const double TN_DEPENDENT_LEAST = 1e-6;
/* before a correction, of one or more passes: how they are chosen. shared: as the formulation has them, where it has */
void tn_dependent_by(tn_dependent *w, int choose, const bool *independent, bool shared);
/* at the matrix A of the system: which are dependent, in `column`; their number is returned */
int tn_dependent_choose(tn_solver *s, bool velocity);
/* x (nu) with A x = r that moves nothing else; false: not finite */
bool tn_dependent_correct(tn_solver *s, bool velocity, const double *r, double *x);

/* a parameter of the formulations that are written down dense: whether the block factorization may stand in for them. both give the
 * same accelerations and multipliers */
typedef enum tn_matrices { TN_MATRICES_AUTO, TN_MATRICES_DENSE } tn_matrices;
#define TN_FIELD_MATRICES(part)                                                                                        \
  {                                                                                                                    \
    .key = "matrices",                                                                                                 \
    .doc = "auto: by blocks where `augmented` is, with the same result; dense: as defined, for every model",           \
    .kind = TN_WORD, .offset = offsetof(part, matrices), .choices = "auto dense"                                       \
  }

/* by_kkt.c: for formulations whose workspace begins with a tn_kkt, what they leave to it */
bool tn_by_kkt_factor(void *work, const tn_system *sys, int *bad);
void tn_by_kkt_solve(void *work, const tn_system *sys, const double *f, const double *gamma, double *udot,
                     double *lambda, tn_solve_info *info);
void tn_by_kkt_reset(void *work);
void tn_by_kkt_typical(void *work, int rank);
void tn_by_kkt_keep(void *work, tn_keep *keep);
void tn_by_kkt_correct(const void *self, void *work, const tn_system *sys, const double *r, const double *noise,
                       double *x, double *lambda, tn_solve_info *info);
double tn_by_kkt_nearness(const void *work);
int tn_by_kkt_rank(const void *work);

/* of C, or of Cdot, in shares of what its assembly spans and of how fast it moves, at least 1 */
double tn_violation_seen(tn_system *s, bool velocity);

#endif
