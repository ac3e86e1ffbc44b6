/* simulate: the step loop, the contract, ledgers, the event log.
 *
 *   sim.c    life of a simulation, its state      start.c   assembling a start; rank and freedom
 *   start_beside.c start values without matrices
 *   moves.c  what assembling the start moved
 *   conflict.c what keeps a start from being assembled
 *   rates.c  the ode the integrators see          step.c    one accepted step
 *   servo.c  efforts of actuators in place of those along rows
 *   dae.c    the same with multipliers as unknowns
 *   loads.c  forces that depend on the loads of joints
 *   accept.c end of a step: stabilizers, ledger, contract
 *   unique.c reactions that redundant rows leave open
 *   sharing.c which of them are taken
 *   singular.c positions where rows become dependent
 *   packed.c other numbers for the integrator than q and u
 *   scale.c  sizes of the motion that errors are relative to
 *   guards*.c event functions, discrete modes, events: guards.h
 *   kink.c   drivers that jump, have a kink, or start with a speed
 *   equation.c equations that the user writes, at the start
 *   crossing.c from where the motion comes near a singular position to where it leaves it
 *   verdict.c what the run is worth, and why
 *   output.c rows and channels                    run.c     from the start to the end
 *   ask.c    questions from outside: channels, poses, the equations at any state
 *   balance.c energy of each assembly             finite.c  outputs that are not finite numbers
 *   cost.c   CPU time and its parts
 *   saved.c  all of it between two steps: what is new below gets a line in the list there */
#ifndef TN_SIMULATE_H
#define TN_SIMULATE_H

#include <assert.h>

#include "formulate/formulate.h"
#include "simulate/guards.h"

enum { TN_MOST_EVENTS = 256, TN_MOST_SINGULAR = 256, TN_MOST_IN_SINGULAR = 16 };

/* components of a joint's reaction that redundant rows leave open, bit k for component k: in the axes of the world and in its own */
typedef struct tn_shared {
  unsigned world, own;
  bool load; /* the effort of a row on channels or of a mesh */
} tn_shared;

/* a position where the rows have less rank than in general */
typedef enum tn_singular_kind { TN_SINGULAR_PASSED, TN_SINGULAR_START, TN_SINGULAR_STAYS } tn_singular_kind;
typedef struct tn_singular {
  double t, rho;
  tn_singular_kind kind;          /* passed; where the motion starts; the first of many            */
  int joints;                     /* whose rows become dependent, and those that carry their bodies */
  int joint[TN_MOST_IN_SINGULAR]; /* the first of them                                              */
  double change;                  /* of the velocities over the step, relative; NaN: it was not taken */
  bool more;                      /* joints than there is room for                                  */
  bool smooth;                    /* small, and the error of the step within its tolerance          */
} tn_singular;

/* how the motion stands to singular positions */
typedef struct tn_passing {
  bool known, rising, staying, is_found;
  double rho;         /* at the state, 1 where it is far from any    */
  double rho_end;     /* as the solver had it there                  */
  double typical;     /* what rho is relative to; 0: not known yet   */
  double rho_typical; /* of the factorisation                        */
  tn_singular found;  /* in the step under way                       */
} tn_passing;

/* the way through the neighbourhood of a singular position: crossing.c */
typedef struct tn_crossing {
  bool inside;          /* the last step was in it                                             */
  bool accelerates;     /* accel is known                                                      */
  bool begins;          /* the run began inside: there is no accel of before                   */
  double t_in, work_in; /* s, J: where it was entered, and work of the stabilizers up to there */
  int64_t happened;     /* switches, events and impulses up to there                           */
  int first;            /* of the singular positions found in it                               */
  double *u_in, *accel; /* nu: speeds there; acceleration of the last step outside             */
} tn_crossing;

/* reasons to doubt a run, counted as it goes from tn_doubts_reset on; valid at every accepted step. written by verdict.c alone.
 * n: how often. t: s, of the first; where there is a largest and no n, of that */
typedef struct tn_doubts {
  /* steps taken with an error above the tolerance */
  struct {
    int64_t n;
    double t, error; /* the largest, in tolerances */
  } forced;
  /* singular positions that were not passed smoothly */
  struct {
    int64_t n;
    double t, change; /* of velocities, the largest */
  } branch;
  /* stabilizers in the neighbourhood of a singular position */
  struct {
    double t, work; /* J: the largest */
  } crossing;
  /* singular positions where a step began and ended */
  struct {
    int64_t n;
    double t;
  } stays;
  /* steps whose gap was more than a step leaves */
  struct {
    int64_t n;
    double t, gap; /* the largest, scaled as the contract does */
    int row;       /* of the largest                           */
    bool rate;     /* it was in velocity                       */
  } closed;
  /* values of outputs that are not finite */
  struct {
    int64_t n;
    double t;
    int column; /* of the first */
  } outputs;
  /* functions or events that chatter */
  struct {
    int64_t n;
    double t;
    int guard; /* of the first */
  } chatter;
  /* rows of output inside steps */
  struct {
    double balance[2]; /* J: energy that nothing explains, at both ends of the last step     */
    double t, energy;  /* J: what the ends of a step do not explain, the largest             */
    double off;        /* before a row is corrected, scaled as the contract does: the largest */
    int row;           /* constraint equation of that                                        */
  } inside;
  /* steps that turned a joint whose angle is counted by more than half a turn */
  struct {
    int64_t n;
    double t, angle; /* rad: the most */
  } turns;
} tn_doubts;

/* the search for loads of joints that forces depend on */
enum { TN_MOST_SWEEPS = 10 };
typedef struct tn_loads {
  int n, *force;       /* how many, which                                                   */
  int most;            /* sweeps that a solve has taken                                     */
  double *N, *last;    /* n: loads that the forces were given, and the time before          */
  double *R;           /* n x 3: reactions that came of it                                  */
  double *N0, *R0;     /* of the first sweep                                                */
  double *Q, *S, *now; /* 10 x n, 10 x n x 3: directions, what they do to R; n x 3: R there */
} tn_loads;

/* how redundant rows share a load; joints and bodies: of these pivots of `swing` bodies. n: numbers of the wrenches of those that
 * take part. W, q and t are valid if `ready`, for the factorisation that was counted `factorizations` */
typedef struct tn_sharing {
  double *length;           /* joints and bodies: l, m; 0: takes no part. of the last count; saved          */
  int *group;               /* joints and bodies: the group's first, by way of others, or -1                */
  double *W;                /* n x columns: wrenches of self-stresses, of length 1, as tn_qr leaves them    */
  double *diagonal;         /* columns: likewise                                                            */
  double *scale;            /* columns: 1 over their length                                                 */
  double *w;                /* n: wrenches                                                                  */
  double *z;                /* columns                                                                      */
  double *c, *dlambda;      /* rows: a self-stress; change of multipliers                                  */
  double *reaction, *pivot; /* joints x twist, bodies x 2: of these                                   */
  double *pivot_s;          /* bodies x 2: of the stabilizer's share                                        */
  double *wrench, *place;   /* of the frames of one joint                                               */
  int n, columns;
  bool ready;
  const tn_kkt *kkt; /* W is of its null vectors                                                     */
  int64_t factorizations;
  double t, *q; /* s; nq                                                                        */
} tn_sharing;

/* efforts of actuators; servos: n */
typedef struct tn_servos {
  double *x, *l;             /* n x nu, n x rows: what an effort of 1 does                        */
  double *row, *push;        /* n x nu; bodies x twist                                              */
  double *w, *mu, *g;        /* nu, rows, rows: room; g is zero between calls                      */
  double *L, *Z, *S, *sigma; /* n x n, n x n, n x n, n                                            */
  int *pivot;                /* n                                                                  */
  int sign;                  /* of the determinant of L since the start, 0: not known                      */
  bool singular;             /* the last failure                                                  */
} tn_servos;

/* energy of each assembly, J; n: how many, 0 where there is one alone. all but `row` are n numbers */
typedef struct tn_balances {
  int n;
  double *energy0;                                   /* T + V at the start                                          */
  double *max_kinetic, *max_potential, *max_balance; /* largest |.| since then; one that is not a number stays       */
  double *reach;                                 /* largest distance of its bodies from the origin at the start, m */
  double *mass;                                  /* kg                                                          */
  int *row;                                      /* rows: whose it is, TN_NOTHING: nobody's                     */
  double *before, *event;                        /* T + V before a correction, and before what an event does    */
  double *kinetic, *potential, *across, *beside; /* scratch                                                     */
} tn_balances;

/* sizes of the motion that errors are relative to: scale.c */
typedef struct tn_group { /* numbers of one unit that a body has; or one state of a force */
  int first, n;           /* in u, states behind it                                      */
  int body;               /* -1: a state of a force                                      */
} tn_group;
typedef struct tn_scales {
  int groups;
  tn_group *group;
  double *d, *dbar, *ubar;       /* numbers: displacement since the start, running means of it and of u; saved    */
  double *s_d, *s_u, *m_d, *m_u; /* groups: sizes over the last steps and over the run; saved                    */
  double *far;                   /* bodies: how far their places are from the origin, m; saved                   */
  double *away;                  /* assemblies: the largest of `far`, m; saved                                     */
  double h_first;                /* s: the first step; shorter ones do not raise the floor of what is at rest; saved */
  double h_long;                 /* s: the longest of the last steps, which is forgotten over 20 of them; saved   */
  tn_unit *row_unit;             /* rows                                                                          */
  double *S_d, *S_u, *w_d, *w_u; /* groups: of the attempt at hand, or of the state whose weights were asked for */
  double *gone;                  /* numbers: change of places in a step                                          */
  double *C_d, *C_u;             /* parts: the largest S, m and m/s                                              */
  double *B_d, *B_u;             /* assemblies: likewise                                                         */
  double *twist;                 /* bodies x twist: weights of their twists                                      */
} tn_scales;

/* what another stage adds to the reports of a run: members of the JSON object, lines of the text. functions may be NULL */
typedef struct tn_addition {
  const void *self;
  void (*json)(const void *self, tn_json *j);
  tn_status (*text)(const void *self, tn_write write, void *user);
} tn_addition;

/* cost.c: what calls have cost. a stretch of a call is the work between two readings of the clock by cost.c itself */
typedef struct tn_cost {
  double cpu, wall;      /* s, of calls that have ended: of the processor, of the wall clock                         */
  double part[TN_TIMES]; /* s of the wall clock: what parts took, in steps that were not measured by estimate        */
  double cpu_began, wall_began; /* clocks where the call under way began                                             */
  enum { TN_STRETCH_OUTSIDE, TN_STRETCH_MEASURED, TN_STRETCH_SKIPPED } stretch; /* of the call under way             */
  double since, skipped;         /* where the stretch began; the length of those of the call that were skipped       */
  double before[TN_TIMES];       /* of the profile, where the stretch began                                          */
  double at_call[TN_TIMES];      /* where the call began                                                             */
  double measured, in[TN_TIMES]; /* all measured stretches so far, and what parts took in them: the sample           */
  int64_t steps;                 /* so far                                                                           */
} tn_cost;

/* ---- a simulation and its parts. each part is written by the files that its comment names, and read by others ---- */

/* parts that are off */
typedef struct tn_mask {
  bool *off, *force_off; /* joints; forces */
} tn_mask;

/* sim.c, run.c: the block that everything lies in, and how far the run is */
typedef struct tn_life {
  tn_allocator allocator;           /* of the block                                                                  */
  size_t size;                      /* bytes of the block, with all that it points to but the model                  */
  int references;                   /* of the caller, and of recorders and verifications; one thread                 */
  bool started, stopped, under_way; /* under way: inside tn_sim_run, tn_sim_advance or tn_sim_save                   */
  bool reminded;                    /* memory of joints was given for the next state that is set                     */
  tn_error spare;                   /* where messages go if the caller has no room for them                          */
  tn_mask read;                     /* of a state that is read: saved.c                                               */
} tn_life;

/* a state of the motion: s, and n numbers each. y: q, u, states of forces, ledgers. z: what the integrator sees of it, ode.n numbers; y
 * itself, or another vector: packed.c */
typedef struct tn_state {
  double t, *y, *z;
} tn_state;

/* packed.c: the vector z that the integrator sees, where it is not y */
typedef struct tn_packed {
  const tn_packing *packing; /* z is what the formulation makes of y; NULL: it makes nothing of it */
  bool turns;                /* z is y with angular speeds along axes of bodies                    */
  bool indirect;             /* one of these                                                       */
  void *memory;              /* of the packing                                                     */
  double *error;             /* ode.n: estimate of the error of z, of the attempt at hand          */
  double *y_stage, *y_rate;  /* n: y and its rate, of the z at hand                                */
} tn_packed;

/* step.c: lengths of steps, and the integrator */
typedef struct tn_stepper {
  tn_ode ode;          /* what the integrator sees                                                         */
  tn_effort effort;    /* what it has spent; it counts itself                                              */
  void *work;          /* its memory                                                                       */
  double t0;           /* s: start of the run; fixed steps end at multiples of the step from here          */
  double length;       /* s: of the step last begun                                                        */
  double h;            /* s: next to try, adaptive; 0: not known                                           */
  double err_last;     /* error of the last step, in units of what it aimed at; 0: says nothing            */
  double turning;      /* rad/s: fastest of the angles that are counted, at the present state              */
  int turning_joint;   /* whose that is                                                                    */
  int64_t fixed_steps; /* made since t0                                                                    */
  bool unfinished;     /* the last fixed step ended before its end                                         */
  double share;        /* of the integrator's last attempt: what was taken of it; 1: all, and it was accepted */
  double longest;      /* s: step so far                                                                   */
} tn_stepper;

/* step.c, scale.c: how far off an attempt may be */
typedef struct tn_estimate {
  double *error;    /* n: of y, as the integrator has it                                          */
  double *tangent;  /* 2 nu + states: of q, as a tangent, of u, and of states of forces           */
  int worst;        /* component with the largest error in the last accepted step                 */
  tn_scales scales; /* sizes of the motion that errors are relative to                            */
} tn_estimate;

/* rates.c: what stabilizers add to the rates, and their memory */
typedef struct tn_stabilizing {
  bool feedback, drifts, stages,
      held;                   /* some has a feedback, acts on qdot, at stages; some feedback is held through a step */
  double gain_length;         /* s: step that gains are tied to                                        */
  double *U_held, *U, *gamma; /* rows: feedback held, of the stage; gamma of the joints without it      */
  double *r_held, *r;         /* rows: what stabilizers want of qdot                                   */
  double *drift, *speed;      /* nu: what that adds to u there, and the sum                            */
  double *y_corrected;        /* n: state of a stage, corrected                                        */
  void **room;                /* stabilizers: their memory, in `rooms`                                 */
  unsigned char *rooms,
      *rooms_trial; /* rooms_size bytes; and a copy that a trial correction may write                  */
  size_t rooms_size;
} tn_stabilizing;

/* loads.c, servo.c, sharing.c: forces that belong to a solution */
typedef struct tn_efforts {
  tn_loads loads;
  tn_servos servos;
  tn_sharing sharing;
} tn_efforts;

/* accept.c, balance.c: energies, J */
typedef struct tn_ledger {
  double energy;        /* T + V at the last state that was watched                                  */
  double max_balance;   /* largest |energy balance| so far; one that is not a number stays           */
  double max_potential; /* largest |V| so far                                                        */
  tn_balances balances; /* of each assembly                                                          */
} tn_ledger;

/* accept.c: violations of constraints */
typedef struct tn_contract {
  double *C0, *V0, *C1, *V1; /* rows: C and Cdot at both ends of the last step                        */
  double *C_row, *V_row;     /* rows: level of a row of output; room                                  */
  tn_drift *drifted;         /* joints: largest so far, and instead of means integrals of squares     */
  int worst_row[2];          /* rows with the largest violation of position and of velocity           */
  double inconsistency;      /* of redundant rows, the largest where rows of output are               */
} tn_contract;

/* singular.c, crossing.c */
typedef struct tn_singular_watch {
  tn_passing passing;           /* how the motion stands to singular positions                                  */
  tn_crossing crossing;         /* the way through the neighbourhood of one                                     */
  double *q_general, *q_beside; /* nq: a pose where rows have their general rank; another near it, if `beside`  */
  bool beside;
  bool *near;                       /* bodies: near a singular position of their coordinates, and it was said       */
  double *D_typical;                /* rows: of the factorisation that looks for singular positions                 */
  double *value;                    /* rows: its singular values                                                    */
  tn_reflected look;                /* where models have a plan for it: of positions inside a step                  */
  double nearest_rho, nearest_time; /* of all positions with a least rho inside a step; 1: none came near           */
  int count;                        /* of those in `found`                                                          */
  tn_singular found[TN_MOST_SINGULAR];
} tn_singular_watch;

/* kink.c */
typedef struct tn_kinks {
  double *C, *Ct; /* rows: before pieces of drivers change, then what they change by */
  int *lines;     /* joints: lines in the log so far                                 */
  int *part;      /* bodies: room                                                    */
  bool kinked;    /* the rate or value of a driver jumps where pieces change, and it was said */
  bool driving;   /* velocities are being put to what rows want behind that: guards_apply.c   */
} tn_kinks;

/* run.c, output.c, finite.c, motion.c: rows of output, and who gets them */
typedef struct tn_output_rows {
  double *row;                        /* columns: the row at hand                                       */
  double t_row;                       /* s: rows up to here were given before an interruption           */
  double t_given;                     /* s: of the last row; NaN: none                                  */
  tn_row to;                          /* receives rows while the run is under way, or NULL              */
  void *user;                         /* of the receiver                                                */
  tn_watch watch;                     /* asked after every step whether to go on, or NULL               */
  void *watcher;                      /* its argument                                                   */
  int64_t *bad_rows;                  /* columns: rows given in which it was not a finite number        */
  double *bad_since;                  /* columns: s, of the first of these                              */
  double *motion, t_motion;           /* of the last row, where it is recorded: motion.c; s, NaN: none  */
  bool moving;                        /* it is recorded                                                 */
  tn_shared *shared;                  /* joints: what redundant rows leave open                         */
  bool *column_shared;                /* columns: redundant rows leave it open                          */
  double *column_base, *column_other; /* columns: room                                                  */
  tn_addition addition;               /* to reports; set from outside, not saved                        */
} tn_output_rows;

/* sim.c, verdict.c, cost.c: what is told of the run */
typedef struct tn_run_log {
  int events; /* in the list */
  tn_event event[TN_MOST_EVENTS];
  char kind[TN_MOST_EVENTS][16]; /* of events that were put back, which are no words of the program     */
  tn_doubts doubts;
  tn_cost cost;
} tn_run_log;

/* start.c: the linear problem of a correction. rows: those of joints and of targets that are asked for, `all` at most: as many as the
 * model has of both, and one */
typedef struct tn_start_rows {
  tn_kkt kkt;                  /* all; of large models none                                           */
  double *A;                   /* all x nu; without matrices rows of targets alone, if joints are met */
  double *r, *lambda;          /* all: wanted - present; multipliers                                  */
  double *sigma, *weight;      /* all: of rows of the model; of those collected                       */
  double *x;                   /* nu: the correction                                                  */
  int *of;                     /* all: which target it is                                             */
  int *number;                 /* targets: the number of q or u that it is, or -1                     */
  bool *left_out, *gives;      /* targets: not asked for; found to contradict the joints a little     */
  bool *without;               /* joints and owned: their rows are not asked for                      */
  double *X, *S, *push, *zero; /* where values stand beside a factorization: start_beside.c           */
  bool reflected;              /* no matrices are formed, though there is room for them               */
} tn_start_rows;

/* start.c: the way from the given pose to one where targets have their values */
typedef struct tn_start_walk {
  double *goal, *begin, *end; /* targets: value asked for now; where walking begins and ends          */
  double *final, *turns;      /* targets: the value itself; whole turns of it that are not walked     */
  double *turned;             /* nq + memory: before a turn                                           */
  double *base;               /* nq + nu + memory: where assembly begins                              */
  double *memory;             /* what joints remember, before an attempt                              */
  double *way;                /* nu: a direction                                                      */
  double *try, *s;            /* nq, nu: room                                                         */
  int steps;                  /* of the last approach                                                 */
  int too_far;                /* target that was not walked to: too many steps, or turns that differ; -1 */
} tn_start_walk;

typedef struct tn_start {
  tn_start_rows rows;
  tn_start_walk walk;
  int row; /* the one that the given pose violates most */
} tn_start;

struct tn_sim {
  const tn_model *m; /* held: tn_model_hold */
  tn_life life;
  tn_scratch scratch; /* numbers with a scope; none is open between two steps */
  tn_error *e;        /* of the call under way; never NULL inside one */
  int n;              /* length of y */
  tn_state now;       /* the present state                                            */
  tn_state before;    /* where the last accepted step began                           */
  tn_state next;      /* end of the attempt at hand                                   */
  tn_state inside;    /* a state inside a step, or beside the present one: room       */
  tn_solver solver;
  tn_efforts efforts;
  tn_packed packed;
  tn_stepper stepper;
  tn_estimate estimate;
  tn_stabilizing stabilizing;
  tn_ledger ledger;
  tn_contract contract;
  tn_singular_watch singular;
  tn_guards guards;
  tn_events events;
  tn_kinks kinks;
  tn_output_rows output;
  tn_start start;
  tn_run_log log;
  tn_summary summary;
};

/* views of a state vector */
static inline double *tn_u_of(const tn_sim *s, double *y) { return y + s->m->nq; }
static inline double *tn_states_of(const tn_sim *s, double *y) { return y + s->m->nq + s->m->nu; }
static inline double *tn_ledger_of(const tn_sim *s, double *y) { return y + s->m->nq + s->m->nu + s->m->states; }

/* n numbers with the scope that is open */
static inline double *tn_room(tn_sim *s, int n) {
  assert(n >= 0);
  return tn_scratch_numbers(&s->scratch, (size_t)n);
}

/* their number: four of the whole, then the work on each assembly where there are several */
static inline int tn_ledgers(const tn_model *m) { return TN_LEDGERS + (m->assemblies > 1 ? m->assemblies : 0); }

/* sim.c: recorders and verifications keep their simulation alive */
void tn_sim_hold(tn_sim *s);
void tn_sim_drop(tn_sim *s); /* NULL: nothing */
/* TN_E_USAGE, with the name of the function, for a simulation that is NULL or runs: the call came from a watch or a receiver of rows. then
 * nothing of the simulation is touched; else `e` is cleared */
tn_status tn_sim_may_change(const tn_sim *s, const char *function, tn_error *e);

/* parts.c: memory of the parts; what of them the next step depends on; what is 0 where a run begins */
typedef struct tn_walk tn_walk;
void tn_parts_carve(tn_sim *s, tn_carve *c, const tn_model *m);
void tn_parts_keep(tn_sim *s, tn_keep *k);
void tn_parts_begin(tn_sim *s);

/* cost.c: around all that a public call does to the simulation; what came of it into the summary */
void tn_cost_begin(tn_sim *s);
void tn_cost_step(tn_sim *s); /* before a step */
void tn_cost_end(tn_sim *s);
void tn_cost_report(tn_sim *s);

void tn_log(tn_sim *s, double t, const char *kind, const char *format, ...) TN_PRINTF(4, 5);

/* does the system stand at the state y, with all known that is not asked for apart? */
static inline bool tn_is_at(const tn_sim *s, double t, const double *y) {
  const double *u = y + s->m->nq;
  return tn_knows(&s->solver.sys, TN_LEVEL_FORCES) && tn_system_is_at(&s->solver.sys, t, y, u, u + s->m->nu);
}

/* the system at the state y */
static inline tn_status tn_at(tn_sim *s, double t, const double *y, tn_error *e) {
  const double *u = y + s->m->nq;
  if (tn_is_at(s, t, y)) return TN_OK;
  tn_system_move_states(&s->solver.sys, u + s->m->nu);
  return tn_solver_at(&s->solver, t, y, u, e);
}

/* rates.c */
tn_status tn_rates_begin(void *sim, double t, const double *y, double h);
tn_status tn_rates(void *sim, double t, const double *y, double *ydot);
tn_status tn_rates_kick(void *sim, double t, const double *y, double h, double *dy);
tn_status tn_rates_correct(void *sim, double t, double *y, bool *changed);
tn_status tn_rates_refuse(void *sim, double t, const char *message);
const char *tn_rates_name(void *sim, int i);
/* stabilizer i corrects q and u in y at the end of a step */
tn_status tn_stabilizer_accept(tn_sim *s, int i, double t, double *y, bool *changed);
/* likewise, on a copy of its memory in rooms_trial: nothing of it stays but y */
tn_status tn_stabilizer_try(tn_sim *s, int i, double t, double *y, bool *changed);
/* udot, lambda and the stabilizer's share at a state; feedback as a step of the last length would begin with */
tn_status tn_solve_here(tn_sim *s, double t, double *y);
tn_status tn_solve_at(tn_sim *s, double t, double *y); /* with pieces as they are set */
/* udot, lambda and efforts of actuators, with the system factored */
tn_status tn_solve_motion(tn_sim *s);

/* loads.c: accelerations with the loads that go with them; and what acts with those of given accelerations and multipliers */
void tn_loads_carve(tn_loads *l, tn_carve *c, const tn_model *m);
tn_status tn_loads_solve(tn_sim *s);
tn_status tn_loads_given(tn_sim *s, const double *udot, const double *lambda);
/* servo.c: with udot and lambda of ideal rows found: of actuators instead. `begin`, at a state from which a run starts, refuses
 * where that is singular, `check` where redundant rows leave it open, which tn_unique knows */
void tn_servos_carve(tn_servos *v, tn_carve *c, const tn_model *m);
tn_status tn_servos_solve(tn_sim *s);
tn_status tn_servos_begin(tn_sim *s);
tn_status tn_servos_check(tn_sim *s);
const double *tn_servos_force(tn_sim *s); /* after a solve: f with what they add to it */

/* dae.c: the stabilised index-2 form */
tn_status tn_dae_residual(void *sim, double t, const double *y, const double *ydot, const double *lambda,
                          const double *mu, double *r);
tn_status tn_dae_multipliers(void *sim, double t, const double *y, double *ydot, double *lambda);
void tn_dae_move(void *sim, double *y, const double *s);
void tn_dae_tangent(void *sim, const double *y, const double *dq, double *s);

/* packed.c: what the integrator sees, in words of y. those that have nothing to do where it is y itself do nothing */
const tn_packing *tn_packing_of(const tn_model *m);
void tn_packed_carve(tn_sim *s, tn_carve *c, const tn_model *m);
tn_status tn_packed_start(tn_sim *s); /* length of z, and z of the present state */
/* at the present state, before a step: which numbers z has from here on */
tn_status tn_packed_renew(tn_sim *s, tn_choice when, bool *changed);
tn_status tn_packed_end(tn_sim *s, double t, bool adaptive); /* ynew of znew, and the estimate of its error */
/* the estimate is of u, as filters want it; then, of speeds as they are integrated, along the axes of u */
void tn_packed_own_error(tn_sim *s);
/* z stands, but for positions that stabilizers have corrected; y follows */
tn_status tn_packed_accept(tn_sim *s, double t, double *y, bool *changed);
void tn_packed_ledger(tn_sim *s);
/* the state inside the last step, from one state to another, into zrow and yrow */
tn_status tn_packed_inside(tn_sim *s, double t, double theta, const double *from, const double *to);
tn_status tn_packed_again(tn_sim *s,
                          double t); /* yrow with its positions corrected: speeds that follow from those in z */

/* start.c */
void tn_start_carve(tn_start *s, tn_carve *c, const tn_model *m);
tn_status tn_start_assemble(tn_sim *s, bool targets);
/* equation.c: those that the user writes have values and derivatives at the state of the system */
tn_status tn_equations_check(tn_sim *s);
tn_status tn_start_count(tn_sim *s);
tn_status tn_start_large(const tn_model *m, tn_error *e); /* what a large model asks that needs matrices */
/* whether exact values and joints that are not left out can be met together, from where assembly began; also if that cannot be
 * told */
bool tn_start_reach(tn_sim *s, bool rate);
/* rank of the rows of joints that are not left out, where assembly began or at a pose nearby, off the constraints; -1: cannot be told */
int tn_start_rank(tn_sim *s, bool rate, bool nearby);
double tn_target_scale(const tn_model *m,
                       const tn_target *t); /* what its values are multiplied by, as rows by row_scale */
/* start_beside.c: without matrices, the smallest change start_x that does start_r to the rows of joints, if `constraints`, and to the
 * targets, whose rows are in start_A */
tn_status tn_start_solve_beside(tn_sim *s, bool constraints, bool rate, int n);
/* moves.c: from the pose `from` (nq) to the present one, into the summary and the event log; as words: `a.x by 0.1 m, b about z by -0.02
 * rad and 3 more` */
void tn_report_moves(tn_sim *s, const double *from);
void tn_moves_text(const tn_summary *sum, char *text, size_t size);

/* conflict.c: TN_E_MODEL in words; row: the one that stays off most, those of targets behind those of the model */
tn_status tn_start_refuse(tn_sim *s, bool rate, double off, int row);

/* unique.c: what redundant rows leave open; needs tn_start_count. the rows that depend on others at q: their number, factored
 * in start_kkt, the last of its pivots; false: cannot be told */
tn_status tn_unique(tn_sim *s);
bool tn_redundancy(tn_sim *s, const double *q, int *redundant);

/* sharing.c: groups of joints that share loads, and their lengths, at the present state; part of tn_start_count. then, with the system
 * solved at a state: multipliers of the motion, with the reactions and pivots that they give, become those of equally stiff joints.
 * nothing changes where no rows are redundant. `here`: reactions of the motion and of the stabilizer after a solve, so shared */
void tn_sharing_carve(tn_sharing *x, tn_carve *c, const tn_model *m);
tn_status tn_sharing_find(tn_sim *s);
void tn_share(tn_sim *s, double *lambda, double *reaction, double *pivot);
void tn_reactions_here(tn_sim *s);

/* accept.c: the present state (t, y) is corrected; *changed: it is another */
tn_status tn_accept(tn_sim *s, double t, double *y, bool *changed);

/* contract.c: a violation of a row, in its unit, scaled; at a start by lengths of the model. what the run allows, by rate: of velocity. the
 * larger share of that. the largest of all rows where the system is, and its row. one in words, in its unit */
double tn_contract_scaled(const tn_sim *s, int row, double off);
double tn_contract_at_start(const tn_model *m, int row, double off);
double tn_contract_allowed(const tn_model *m, bool rate);
/* the same in the unit of the row */
double tn_contract_allowed_of(const tn_sim *s, int row, bool rate);
double tn_contract_share(const tn_model *m, double position, double velocity);
double tn_contract_largest(const tn_sim *s, bool rate, int *row);
void tn_contract_figure(const tn_sim *s, int row, bool rate, double scaled, int digits, char *text, size_t size);
/* an effort along a row as energy, J: over the length that the row is about in the model */
double tn_effort_energy(const tn_model *m, int row, double effort);
void tn_contract_begin(tn_sim *s); /* where a run begins */
tn_status tn_contract_check(tn_sim *s, double t);
void tn_contract_drift(tn_sim *s, double h); /* of every joint, over a step of length h that has ended */

/* ledger.c: power, with the system solved; lambda_s may be NULL. an impulse of h lambda_s against the feedback U. a jump: energy before
 * it, then what it did, which it returns, into number `whose` of the ledger in y */
void tn_ledger_rates(const tn_sim *s, const double *lambda, const double *lambda_s, double *rate);
void tn_ledger_kick(const tn_sim *s, double h, const double *U, double *work);
double tn_ledger_before(tn_sim *s);
double tn_ledger_book(tn_sim *s, int whose, double before, double *y);
/* energy of the system that ledgers do not explain since the last step, J; and T of it */
double tn_ledger_unexplained(const tn_sim *s, const double *before, const double *after, double *kinetic);
double tn_watch_energy(tn_sim *s, double *y); /* returns T + V */
void tn_ledger_begin(tn_sim *s);              /* where a run begins */

/* balance.c, nothing of which does anything where there is one assembly. power on each, with the system solved; lambda_s may be NULL */
void tn_balance_carve(tn_sim *s, tn_carve *c, const tn_model *m);
void tn_balance_rates(const tn_sim *s, const double *lambda, const double *lambda_s, double *rate);
/* T + V of each where the system is; what they have gained since `before` goes into the work in y */
void tn_balance_energies(const tn_sim *s, double *energy);
void tn_balance_book(const tn_sim *s, const double *before, double *y);
void tn_balance_kick(const tn_sim *s, double h, double *work); /* (5) of rates.c */
void tn_balance_begin(tn_sim *s);
void tn_balance_watch(tn_sim *s, double *y);
void tn_balance_end(tn_sim *s); /* into the summary */

/* finite.c: of the row at hand, which is given at t */
void tn_finite_row(tn_sim *s, double t);

/* singular.c: of a step of length h that came as near as rho (as blocks see it: `seen`) and ends at rho_end, before it is taken and after; `look` ends the run where it shall stop
 * there */
void tn_singular_reset(tn_sim *s);
tn_status tn_singular_look(tn_sim *s, double h, double rho, double seen, double rho_end);
void tn_singular_log(tn_sim *s, double h, double error);

/* crossing.c: behind a step of length h that was taken, which came as near as rho; `singular`: there is a singular position inside */
void tn_crossing_reset(tn_sim *s);
void tn_crossing_follow(tn_sim *s, double h, double rho, bool singular);

/* verdict.c: reasons to doubt, each noted where it is seen; t in s */
void tn_doubts_reset(tn_sim *s);
void tn_doubt_forced(tn_sim *s, double t, double error); /* a step from t is taken, its error in tolerances */
void tn_doubt_singular(tn_sim *s, const tn_singular *p);
/* through the neighbourhood of a singular position: what velocities are off by, relative, and the work of stabilizers, J; `first` of the
 * singular positions inside */
void tn_doubt_crossing(tn_sim *s, double t, int first, double off, double work);
void tn_doubt_closed(tn_sim *s, double t, double gap, int row, bool rate); /* rate: in velocity */
void tn_doubt_turn(tn_sim *s, double t, double turned);                    /* rad, in the step that ends at t */
void tn_doubt_row(tn_sim *s, double t);                                    /* the row at hand is handed out */
/* a step has been taken, with the system at its end, of this T + V, and the ledger in it */
void tn_doubt_step(tn_sim *s, double energy);
/* a row of output at theta of a step was off by so much before it was corrected, scaled as the contract does, most of all in constraint
 * equation `row`; the system, of this T + V, and its ledger are there */
void tn_doubt_interpolation(tn_sim *s, double t, double theta, double energy, double off, int row);
void tn_doubt_chatter(tn_sim *s, int i); /* guard i */
/* a fact that decides the verdict, by number; false past the last */
bool tn_judged_fact(const tn_sim *s, int i, tn_run_fact *fact);
tn_run_verdict tn_verdict_of(const tn_sim *s);

/* scale.c: memory of the motion, from where a run begins, with its first step, and with every step that is taken; of an attempt at hand.
 * error that each number of y (or of z) may have, and sizes that differences of rates may be tied to. errors of the attempt at hand in
 * tolerances: of the estimate, and of what is taken from it as violations (rows) */
void tn_scales_carve(tn_sim *s, tn_carve *c, const tn_model *m);
void tn_scales_begin(tn_sim *s);
void tn_scales_first(tn_sim *s, double h, const double *accel);
void tn_scales_trial(tn_sim *s, double h);
void tn_scales_take(tn_sim *s, double h);
void tn_error_weights(void *sim, const double *y, double *w);
void tn_error_sizes(void *sim, const double *y, double *size);
double tn_error_norm(const tn_sim *s, int *worst);
double tn_error_rows(tn_sim *s, const double *position, const double *velocity);
double tn_weight_of_number(const tn_run *r, double a, double b);
/* the body whose motion is the least above the roundoff of its place: that in shares of the motion, and in m. false: none is worth telling */
bool tn_scales_coarse(const tn_sim *s, int *body, double *share, double *length);

/* step.c: one accepted step, not beyond t_limit */
tn_status tn_step(tn_sim *s, double t_limit);

tn_status tn_hand_out(tn_sim *s, double t); /* run.c: the row at hand */

/* sim.c: the equations at a state, densely; why they are not there */
tn_status tn_evaluate(tn_sim *s, double t, double *y, tn_eval *e);
tn_status tn_too_large(const tn_sim *s, tn_error *error);

/* output.c */
tn_status tn_row_inside(tn_sim *s, double t);
tn_status tn_row_here(tn_sim *s);
void tn_row_outdated(tn_sim *s); /* a row of this time is not the last word */
tn_status tn_row_eval(tn_sim *s, double *y);

/* motion.c: pose of every body (x y angle; x y z e0 e1 e2 e3), of every joint its violation and its wrench on the second body,
 * energies, effort so far; taken where the system is that of a row */
enum { TN_EFFORTS = 4 };
extern const char *const tn_effort_name[TN_EFFORTS];
int tn_motion_pose(const tn_model *m);                /* numbers of one */
double *tn_motion_poses(const tn_sim *s, double *to); /* of all bodies, where the system is; what is behind them */
int tn_motion_size(const tn_model *m);
void tn_motion_take(tn_sim *s);
/* in a row of it: where a body is, and a place on one or on the ground */
void tn_motion_body(const tn_model *m, const double *row, int body, double r[3], double A[9]);
void tn_motion_place(const tn_model *m, const double *row, const tn_spot *spot, double p[3]);
/* of the row at t; NaN if that was not the last one */
void tn_motion(const tn_sim *s, double t, double *to);

/* kink.c: with the pieces before those of drivers change, and behind that: which jump, and by what. those that start with a speed which
 * the model does not give */
void tn_kink_carve(tn_sim *s, tn_carve *c, const tn_model *m);
void tn_kink_reset(tn_sim *s);
tn_status tn_kink_begin(tn_sim *s);
tn_status tn_kink_end(tn_sim *s);
tn_status tn_kink_start(tn_sim *s);
const char *tn_impulse_unit(const tn_model *m, int row); /* ` N s`, ` N m s`; or "", of a row on channels of both */

/* run.c */
double tn_energy_scale(const tn_sim *s); /* J: what balances are relative to */
tn_status tn_begin_run(tn_sim *s);
tn_status tn_end_run(tn_sim *s, tn_status status);

#endif
