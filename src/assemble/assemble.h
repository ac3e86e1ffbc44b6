/* assemble: a model at a state: poses and twists, M f A C Cdot gamma, energies, reactions.
 *
 *   kinematics.c  frames of bodies and their motion axes     forces.c    wrenches on bodies, energies
 *   space.c       the same in space                          look.c      frames as rows and wrenches see them
 *   system.c      M, f, and all of it in order               rows.c      C, A, Cdot, gamma; measures
 *   reactions.c   what joints exert                          channels.c  values of channels
 *   pins.c        rows of pins in the plane                  lists.c     of lists of rows in space
 *   jacobian.c    parts of A                                 servo.c     actuators
 *   stress.c      wrenches on all frames of a joint          equation.c  rows that the user writes
 *   coriolis.c    the Coriolis matrix */
#ifndef TN_ASSEMBLE_H
#define TN_ASSEMBLE_H

#include "model/model.h"

#include <assert.h>

enum { TN_LEDGER_FORCE, TN_LEDGER_DRIVER, TN_LEDGER_STABILIZER, TN_LEDGER_DISSIPATED, TN_LEDGERS };

/* a frame on a body as rows and wrenches see it: twists have m->twist numbers */
typedef struct tn_seen {
  int body;
  double arm[3]; /* from the origin of the body, world axes */
  double twist[TN_TWIST], bias[TN_TWIST];
} tn_seen;

/* how far a system has been evaluated at the point (t, q, u, state) where it stands: two ladders.
 *
 *     position, of t and q:             ROWS < MATRICES                   frames, C, R | J, M, A
 *     motion, of u and states as well:  TWISTS < FORCES < GENERALIZED     twists, Cdot, Ct, gamma | wrenches, power | f
 *
 * ROWS and TWISTS are reached together: frames and rows come out of one pass over the bodies, and C alone would cost nearly as much.
 * a change of u alone leaves the position ladder as it is. tn_need climbs; all others assert where they have to be. the solver adds
 * two levels, each kept as the number of what it belongs to: factored (tn_factor.place) of a position, and solved (solved.epoch) of a
 * point. friction that depends on loads makes FORCES and solved one fixed point: simulate/loads.c */
typedef enum tn_level {
  TN_LEVEL_NONE,
  TN_LEVEL_ROWS,
  TN_LEVEL_MATRICES,
  TN_LEVEL_TWISTS,
  TN_LEVEL_FORCES,
  TN_LEVEL_GENERALIZED
} tn_level;

struct tn_system {
  const tn_model *m;
  tn_view view; /* what parts see: the arrays below */
  /* how far it has been evaluated, always valid. written by system.c and forces.c, `counted` by simulate/start_count.c */
  struct {
    tn_level position, motion;
    int64_t place; /* number of the position (t, q), from 1; each move makes a new one                    */
    int64_t epoch; /* number of the point, from 1: of all that is evaluated at it                         */
    bool finite;   /* from TWISTS on: so are rows; from FORCES on: and wrenches, where there are forces   */
    bool counted;  /* how many rows are independent in general is known, of the model                     */
  } known;
  int64_t moves, evaluations; /* how often, since it was made; nothing depends on these */
  /* the point where it stands, always valid. written by tn_system_move, tn_system_move_speeds and tn_system_move_states */
  struct {
    double t;
    double *q, *u; /* nq, nu                            */
    double *state; /* states: of forces and stabilizers */
  } at;
  /* what evaluations depend on beside the point, always valid. a change of it makes stale what is known: tn_system_stale. written by
   * tn_system_switch and tn_remember, and by starts and guards of simulate; `push` is set around one solve */
  struct {
    tn_switching switching; /* pieces of functions that are made of them; parameters          */
    bool *off, *force_off;  /* joints, forces: switched off: their rows and wrenches are zero */
    int idle;               /* rows of joints that are                                        */
    double *memory;         /* what joints remember of the last accepted state                */
    /* joints: parameters, of those whose functions of time have pieces a copy; NULL: as in the model */
    const void **self;
    const double *push; /* bodies x twist: acts alone, nothing else does. NULL: all that acts */
  } given;
  /* bodies: where they are, from ROWS on, and how they move, from TWISTS on. written by kinematics.c, space.c */
  struct {
    tn_frame2 *body;  /* frames, in the plane                                   */
    tn_frame3 *body3; /* frames, in space                                       */
    double **S;       /* twist x nu of it, what its own speeds add to its twist */
  } pose;
  /* rows: C and R from ROWS on, the others from TWISTS on. written by pins.c, lists.c, rows.c, equation.c */
  struct {
    double *C, *Ct, *Cdot, *gamma; /* C of nonholonomic rows is 0, their Ct is g                                  */
    double *R;                     /* on the twists of the bodies they touch, at their frames: model.h            */
    double *coefficient;           /* coefficients: partial derivatives of equations by their terms, with R       */
    double (*term)[3];             /* coefficients: scratch, jets of the terms                                    */
    double *scale;                 /* C and Cdot times this is what the contract sees; written by simulate/scale.c */
  } rows;
  /* M udot + A'lambda = f, A udot = gamma: J, M and A from MATRICES on, f at GENERALIZED. written by system.c, rows.c */
  double **J; /* bodies: twist x cols, twist of the frame = J u(col) */
  double *M;  /* nu x nu   */
  double *A;  /* rows x nu */
  double *f;  /* nu        */
  /* what acts on bodies, from FORCES on. written by forces.c; `load` and `loads` by simulate/loads.c as well */
  struct {
    double *wrench;           /* bodies x twist: applied forces, at the frame                                     */
    double *bias;             /* bodies x twist, if there are rods or flywheels: their inertia forces at udot = 0 */
    double *state_rate;       /* states: of forces                                                                */
    tn_force_out *out;        /* forces                                                                           */
    double *power_of;         /* forces: all of it                                                                */
    double *side_power;       /* forces x 2, of those between two assemblies: on each frame                       */
    double power, dissipated; /* without a potential; lost                                                        */
    double potential;
    double *load; /* forces: N, of the joint that each depends on, 0 where they have none */
    /* wrenches as assembled, with no loads; with others; with those of the motion */
    enum { TN_LOADS_NONE, TN_LOADS_SOME, TN_LOADS_FOUND } loads;
  } forces;
  /* the same without forces that depend on loads, from FORCES on. written by forces.c */
  struct {
    double *wrench;
    double power, dissipated, potential;
  } unloaded;
  /* after a solve, valid while tn_is_solved. written by rates.c, servo.c and loads.c of simulate; reactions and pivots by
   * reactions.c */
  struct {
    int64_t epoch;             /* the point that udot and lambda are of                              */
    double *udot, *lambda;     /* nu, rows: without the stabilizer                                   */
    double *udot_s, *lambda_s; /* its share                                                          */
    double *effort;            /* servos: along their channels                                       */
    double *reaction, *share;  /* joints x twist: on the second body, at its frame; the stabilizer's */
    double *pivot;             /* bodies x 2: force of the parent on a body that stands on it        */
  } solved;
  /* energies that the motion brings along. written by simulate */
  double ledger[TN_LEDGERS]; /* J, since the start    */
  double energy0;            /* J: T + V at the start */
  /* scratch: what one function of assemble leaves to the next */
  struct {
    tn_frame2 *frame; /* of a joint: tn_look_joint */
    tn_frame3 *frame3;
    tn_seen *seen;
    bool *acts;
    double *row, *size, *carried, *carried_s;
    double *gains, *gains_s; /* bodies x twist: of udot, udot_s after a solve; of any x before */
    double *probe;           /* for parts of A that outputs ask for                            */
    double *extent;          /* assemblies: as tn_system_extents found them                    */
  } room;
};

void tn_system_carve(tn_system *s, tn_carve *c, const tn_model *m);

/* a joint or force is switched, for the evaluations to come */
void tn_system_switch(tn_system *s, bool joint, int i, bool on);

/* to another point, where nothing is known yet; state (of forces and stabilizers): NULL: as it is. the only way to another
 * position */
void tn_system_move(tn_system *s, double t, const double *q, const double *u, const double *state);
/* to other speeds: what depends on the position alone stays, and so does its factorisation */
void tn_system_move_speeds(tn_system *s, const double *u);
/* to other states of forces and stabilizers, if they are others: only what acts is stale then */
void tn_system_move_states(tn_system *s, const double *state);
/* does it stand there? to the last bit; for those who cannot know where they are. state: NULL: any */
bool tn_system_is_at(const tn_system *s, double t, const double *q, const double *u, const double *state);
/* what it evaluates has changed, as parameters, pieces or what joints remember: nothing is known any more. a factorisation of the
 * position is kept, see tn_solver_forget */
void tn_system_stale(tn_system *s);
/* right sides were changed by hand: what has been computed of them belongs to another point */
static inline void tn_system_changed(tn_system *s) { s->known.epoch++; }
/* evaluates what is missing below a level. a large model has no matrices: there, TN_LEVEL_MATRICES is TN_LEVEL_ROWS */
void tn_need(tn_system *s, tn_level level);
static inline bool tn_knows(const tn_system *s, tn_level level) {
  return (level <= TN_LEVEL_MATRICES ? s->known.position : s->known.motion) >= level;
}
/* udot and lambda are those of the point where it stands */
static inline bool tn_is_solved(const tn_system *s) { return s->solved.epoch == s->known.epoch; }
static inline void tn_set_solved(tn_system *s) { s->solved.epoch = s->known.epoch; } /* they were written by hand */
/* move, and all of it: matrices and f */
void tn_assemble(tn_system *s, double t, const double *q, const double *u);

/* frames, twists and motion axes where it stands: below all levels */
void tn_kinematics(tn_system *s);
/* a speed or row that is not a number, in words, or false */
bool tn_system_fault(const tn_system *s, char *text, size_t size);

/* coordinates of a body are singular here: said in *e */
bool tn_system_singular(const tn_system *s, tn_error *e);

/* of each assembly: the largest coordinate of a body's place, or its largest speed, in units of its length (angles: rad); of a row, then:
 * of its assembly. and what C or Cdot of rows may be off by roundoff: sums of places, or of velocities, of this size */
void tn_system_extents(tn_system *s, bool velocity);
double tn_row_extent(const tn_system *s, int row);
void tn_rows_noise(tn_system *s, bool velocity, double *noise);

/* kinematics.c, space.c */
void tn_frame_on(const tn_system *s, const tn_spot *spot, tn_frame2 *f);
void tn_frame3_on(const tn_system *s, const tn_spot *spot, tn_frame3 *f);
void tn_kinematics3(tn_system *s); /* at at.q, at.u */

/* look.c: a frame on a body; f2 or f3 may be NULL if not wanted */
void tn_look(const tn_system *s, const tn_spot *spot, tn_frame2 *f2, tn_frame3 *f3, tn_seen *seen);
/* the frame of a body itself */
void tn_look_body(const tn_system *s, int body, tn_seen *seen);
/* the frames of a joint into room.frame or room.frame3, and room.seen */
void tn_look_joint(tn_system *s, const tn_joint *j);
static inline void tn_body_origin(const tn_system *s, int body, double r[3]) {
  assert(body < s->m->bodies);
  const bool plane = s->m->dimension == 2;
  const double *at = body < 0 ? NULL : plane ? s->pose.body[body].r : s->pose.body3[body].r;
  r[0] = at ? at[0] : 0;
  r[1] = at ? at[1] : 0;
  r[2] = at && !plane ? at[2] : 0;
}
/* a wrench at the end of an arm, or a row on the twist there, added to one at its root */
void tn_move_wrench(int twist, const double arm[3], const double *w, double *root);
/* the same, not added */
void tn_root_wrench(int twist, const double arm[3], const double *w, double *restrict root);
/* what a vector of speeds x (nu) gives the twists of the bodies' frames (bodies x twist) */
void tn_gains(const tn_system *s, const double *x, double *twists);
/* row i of a joint on its k-th touch; room: for those that are not kept as rows */
const double *tn_touch_row(const tn_system *s, const tn_joint *j, int i, int k, double room[3]);
/* A x, without A; gains: what tn_gains made of x */
void tn_rows_times(const tn_system *s, const double *x, const double *gains, double *r);
/* J'w added to x (nu): a row on the twist of the frame, or a wrench there, on the speeds; size (nu, may be NULL): the same of
 * magnitudes */
void tn_add_row(const tn_system *s, const tn_seen *at, const double *w, double *x, double *size);
/* what is roundoff of the terms that a row was summed from is zero: a row that vanishes must not look like one */
void tn_clean_row(int n, double *row, const double *size);
/* the joint's rows on twists at the frames looked at: J, and C, Ct, gamma if C is not NULL */
void tn_joint_rows(const tn_system *s, const tn_joint *j, double *J, double *C, double *Ct, double *gamma);
/* the largest rate, rad/s, at which an angle may turn that is remembered, and whose it is */
double tn_turning(tn_system *s, int *which);
/* joints remember the present state: angles that count turns */
void tn_remember(tn_system *s);

/* models whose speeds are all twists: frames of some bodies */
void tn_plain_frames(tn_system *s, int first, int end);
static inline int tn_at_once(int first, int n) { return n - first < TN_AT_ONCE ? n : first + TN_AT_ONCE; }

void tn_weights(tn_system *s, int first, int end); /* wrench: of bodies                  */
void tn_other_forces(tn_system *s);                /* and of rods and forces; power      */
void tn_forces_loaded(tn_system *s);               /* those on loads once more, with forces.load; f is not known then */
/* what acts on a body, at its frame: its wrench less the inertia forces at udot = 0 */
void tn_body_net(const tn_system *s, int i, double *net);
void tn_generalized_forces(tn_system *s); /* f of what acts: TN_LEVEL_GENERALIZED */
void tn_dense_rows(tn_system *s);         /* A of R */
/* C Ct Cdot R gamma: pins.c, of pins in the plane; lists.c, of lists of rows in space; of others */
void tn_pins(tn_system *s, int first, int past);
void tn_lists(tn_system *s, int first, int past);
void tn_other_rows(tn_system *s);

/* a coordinate channel: value, rate, and its acceleration when udot = 0; row (nu) may be NULL */
void tn_measure_eval(const tn_system *s, const tn_measure *of, double *value, double *rate, double *accel0,
                     double *row);
/* the same as rows on the twists of the frames it is measured between (2 x twist): how many of these, and where they are. not of
 * raw coordinates */
int tn_measure_rows(const tn_system *s, const tn_measure *of, tn_seen seen[2], double *J);
/* an effort along a channel: wrenches on the one or two frames it is measured between (2 x twist) and their places (2 x 3); how
 * many. 0: nobody is pushed */
int tn_measure_wrenches(const tn_system *s, const tn_measure *of, double effort, double *wrench, double *place);
/* effort along a channel as wrenches on the bodies it is measured between */
void tn_measure_push(const tn_system *s, const tn_measure *of, double effort, double *wrench);

/* equation.c: C Ct Cdot R gamma of one */
void tn_equation_rows(tn_system *s, const tn_joint *j);
/* of term k of a row on channels: its coefficient at the present state. and the row of such a joint */
static inline double tn_term_coefficient(const tn_system *s, const tn_joint *j, int k) {
  return j->equation.expr ? s->rows.coefficient[j->coefficient + k] : j->term[k].coefficient;
}
static inline int tn_term_row(const tn_joint *j) { return j->rows ? j->row : j->row_velocity; }

/* servo.c: what actuator i is as a row on u (nu), the rate of its channel, an effort along it as wrenches on bodies */
void tn_servo_row(const tn_system *s, int i, double *row);
double tn_servo_rate(const tn_system *s, int i);
void tn_servo_push(const tn_system *s, int i, double effort, double *wrench);
double tn_servo_power(const tn_system *s); /* of all of them, after a solve */

void tn_reactions(tn_system *s);           /* after a solve */
void tn_reactions_of_motion(tn_system *s); /* without the share of the stabilizer */
/* what multipliers alone (rows) add to the reactions (joints x twist): these are linear in them. pivot (bodies x 2) may be NULL */
void tn_reactions_of(tn_system *s, const double *lambda, double *reaction, double *pivot);
/* of a change of the speeds (nu) by multipliers alone, as of an impulse or of the stabilizer */
void tn_reactions_of_change(tn_system *s, const double *change, const double *lambda, double *reaction, double *pivot);

/* stress.c: what joint i exerts on each of its frames, at their places. joints from m->joints on: pivots of `swing` bodies, body
 * i - m->joints */
int tn_stress_frames(const tn_model *m, int i);
/* the wrenches (frames x twist) that go with multipliers and the reactions and pivots that these give */
void tn_stress(tn_system *s, int i, const double *lambda, const double *reaction, const double *pivot, double *wrench);
/* places of the frames (frames x 3), how many. 0: it acts at no place */
int tn_stress_places(tn_system *s, int i, double *place);
void tn_mass_center(const tn_system *s, int body, double r[3]);

void tn_energy_here(const tn_system *s, double *kinetic, double *potential);
/* of each assembly; what a force between two of them stores is of neither */
void tn_energy_by_assembly(const tn_system *s, double *kinetic, double *potential);
/* coriolis.c: the Coriolis matrix H (nu x nu) at the place of the system and speeds u, none of them its own arrays; M: at that place.
 * room: 3 nu. the system is at other speeds then, and has to be assembled anew. false: speeds of a chart change in a way not known */
bool tn_coriolis_is_known(const tn_model *m);
void tn_system_coriolis(tn_system *s, const double *u, const double *M, double *room, double *H);
void tn_inertia_alone(tn_system *s); /* forces.c: no weight and no force on bodies, but inertia at udot = 0 */

/* jacobian.c: det or sigma_min of a part of A */
double tn_jacobian_eval(const tn_system *s, const tn_channel *ch);

double tn_energy_of(const tn_system *s, tn_energy which);
double tn_energy_balance(const tn_system *s, double total); /* of T + V that is known already */
void tn_channel_eval(const tn_system *s, const tn_channel *ch, double *value);
void tn_expr_on(const tn_system *s, const tn_expr *e, double *value);

#endif
