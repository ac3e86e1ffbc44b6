/* Tenon: dynamics of constrained multibody systems.
 * SPDX-License-Identifier: MIT
 *
 *   text --tn_desc_parse--> description --tn_compile--> model --tn_sim_new--> simulation --tn_sim_run--> rows, summary
 *
 * Every fallible call returns a tn_status and, if it is not TN_OK, fills the caller's tn_error. The library never exits,
 * prints or resets a state. A model is immutable and may be shared between threads; a simulation belongs to one.
 * SI units and radians throughout.
 *
 * Lifetimes. An object keeps alive what it needs: a simulation its model, a recorder and a verification their simulation. The
 * functions that free give up the caller's handle, in any order; the last user of an object ends it. A model needs its description no
 * longer, nor does a result its file. Not kept alive: a tn_allocator's `user` and functions, tables of types that were added
 * (extend.h), what `user` of a callback points to. Pointers that a function returns are valid as long as the handle that it was asked
 * with, but for those of tn_sim_eval, tn_sim_q and their like, whose numbers are those of the next state after the next call.
 *
 * Callbacks. While tn_sim_run, tn_sim_advance or tn_sim_save is under way, a watch, a receiver of rows and a tn_write may read the
 * simulation and tn_sim_save it. What would change it is refused with TN_E_USAGE and the name of the call, and the run goes on as if
 * it had not been made: tn_sim_start, _advance, _run, _set, _set_state, _remember, _set_parameter, _switch, _load,
 * _outputs, _eval_at, _rates, tn_recorder_resume, tn_verify_run, and tn_report_eval. tn_sim_free and tn_recorder_free do nothing then: free afterwards.
 *
 * NULL. An argument that is NULL and is not said to be optional: TN_E_USAGE with the names of function and argument. Functions
 * without a status return NULL, 0, false, NaN or an empty text, and do nothing else. Those that free accept NULL. `tn_error *error`
 * and `void *user` may always be NULL. */
#ifndef TENON_TENON_H
#define TENON_TENON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TN_VERSION "0.10.0"

/* what a shared library shows */
#if defined(__GNUC__)
#define TN_API __attribute__((visibility("default")))
#else
#define TN_API
#endif

/* the numbers are the exit codes of the command-line program (TN_E_INTERNAL exits with 5) */
typedef enum tn_status {
  TN_OK = 0,
  TN_E_USAGE = 1,    /* a call or command line that makes no sense */
  TN_E_MODEL = 2,    /* the model is refused                       */
  TN_E_RUN = 3,      /* the run stopped before its end             */
  TN_E_IO = 4,       /* cannot read or write                       */
  TN_E_MEMORY = 5,   /* an allocation failed                       */
  TN_E_INTERNAL = 6, /* a mistake in Tenon itself                  */
  TN_E_STOPPED = 7   /* the run was stopped by its watcher         */
} tn_status;

typedef struct tn_error {
  tn_status status;
  char message[512]; /* one sentence with names and numbers                                   */
  char hint[256];    /* what would help; may be empty                                         */
  char pointer[256]; /* JSON pointer of the value concerned, `/joints/knee/axis`; may be empty */
  char file[256];    /* where the value was read; may be empty                                */
  int64_t byte;      /* offset in the file, from 0; -1 unknown                                */
  int line, column;  /* from 1; 0 unknown. columns count bytes                                */
  double time;       /* simulation time, s; NaN before the run                                */
} tn_error;

/* the version of the library at hand (TN_VERSION is that of the header), and what it was built with; as snprintf */
TN_API const char *tn_version(void);
TN_API int tn_built_with(char *text, size_t size);

/* the nearest of n names to one that is not known, for `did you mean`; NULL: none is near */
TN_API const char *tn_nearest(const char *name, int n, const char *const *names);

/* message, place and hint as one line: `joint 'knee': axis has zero length (leg.json:41:15)`; returns as snprintf */
TN_API int tn_error_text(const tn_error *error, char *text, size_t size);
/* a name, path or title as it may be shown on a terminal: control characters, marks of writing direction and what is not UTF-8 stand
 * as \n, \x1b, \u202e. cut between characters; returns the length it needs */
TN_API int tn_show(char *shown, size_t size, const char *text);

/* where memory comes from; NULL stands for malloc and free wherever one is asked for */
typedef struct tn_allocator {
  void *(*allocate)(void *user, size_t size); /* NULL when there is none */
  void (*release)(void *user, void *block);
  void *user;
} tn_allocator;

/* ---- description: the model as written, a tree of named values ------------------------------------------------- */

typedef struct tn_desc tn_desc;

TN_API tn_status tn_desc_new(const tn_allocator *allocator, tn_desc **desc, tn_error *error);
TN_API void tn_desc_free(tn_desc *desc);

/* read a model; `name` is used in messages. replaces what the description held */
TN_API tn_status tn_desc_read(tn_desc *desc, const char *path, tn_error *error);
TN_API tn_status tn_desc_parse(tn_desc *desc, const char *name, const char *text, size_t size, tn_error *error);

/* build or change it by calls. `pointer` names the value, `/bodies/crank/mass`; objects on the way are made, and a word
 * where an object is needed becomes {"type": word}. a pointer ending in `/-` appends to a list (made if missing).      */
TN_API tn_status tn_desc_number(tn_desc *desc, const char *pointer, double value, tn_error *error);
TN_API tn_status tn_desc_numbers(tn_desc *desc, const char *pointer, int n, const double *values, tn_error *error);
TN_API tn_status tn_desc_text(tn_desc *desc, const char *pointer, const char *text, tn_error *error);
TN_API tn_status tn_desc_json(tn_desc *desc, const char *pointer, const char *json, tn_error *error);
/* a part in the short form of the command line, `baumgarte:alpha=5,beta=5`; numbers, words, expressions and
 * lists of them, `[1,2]`, as values */
TN_API tn_status tn_desc_part(tn_desc *desc, const char *pointer, const char *part, tn_error *error);
TN_API void tn_desc_remove(tn_desc *desc, const char *pointer); /* nothing happens if it is not there */
TN_API bool tn_desc_has(const tn_desc *desc, const char *pointer);

/* what a run uses instead of what the model says, by names of the command line without dashes: `method`, `step`, `until`; `stabilize`
 * may repeat, they stack; `set` is for constants and parameters, `NAME=VALUE`; `allow-unstable` is `true` or `false` */
typedef struct tn_setting {
  const char *name, *value;
} tn_setting;
TN_API tn_status tn_desc_settings(tn_desc *desc, int n, const tn_setting *setting, tn_error *error);

/* the description as JSON text, two spaces a level; `write` returns false to stop */
typedef bool (*tn_write)(void *user, const char *text, size_t size);
TN_API tn_status tn_desc_print(const tn_desc *desc, tn_write write, void *user, tn_error *error);

/* ---- model: compiled, immutable -------------------------------------------------------------------------------- */

typedef struct tn_model tn_model;

TN_API tn_status tn_compile(const tn_desc *desc, tn_model **model, tn_error *error);
TN_API void tn_model_free(tn_model *model); /* its simulations keep it alive until they are freed */

typedef struct tn_model_info {
  const char *title;                                     /* may be empty                                   */
  const char *method, *formulation, *integrator;         /* the effective ones                             */
  int stabilizers;                                       /* how many; names by tn_model_stabilizer         */
  int bodies, joints, forces, coordinates, speeds, rows; /* rows: holonomic and nonholonomic                */
  double length;                                         /* the model's length, m, used to scale rows      */
  double until, every;                                   /* s                                              */
  int dimension;                                         /* 2 or 3                                         */
} tn_model_info;

TN_API void tn_model_get_info(const tn_model *model, tn_model_info *info);
TN_API const char *tn_model_stabilizer(const tn_model *model, int i);
/* the effective settings as options of the command line; returns as snprintf */
TN_API int tn_model_settings(const tn_model *model, char *text, size_t size);

/* the model as JSON text with every `repeat` carried out; it compiles to the same model */
TN_API tn_status tn_model_print(const tn_model *model, tn_write write, void *user, tn_error *error);
/* the JSON schema of model files, from the tables of this build */
TN_API tn_status tn_schema_print(tn_write write, void *user);

/* remarks on a model that is good: no gravity, an angle that looks like degrees. as an error, with TN_OK */
TN_API int tn_model_warnings(const tn_model *model);
TN_API const tn_error *tn_model_warning(const tn_model *model, int i);
/* files that the model is drawn from, meshes, as it names them: beside the model unless they begin with a slash. NULL past the last */
TN_API const char *tn_model_file(const tn_model *model, int i);

/* ---- simulation ------------------------------------------------------------------------------------------------ */

typedef struct tn_sim tn_sim;

typedef struct tn_event {
  double t;
  const char *kind; /* `assembled`, `as-given`, `shared`, `singular`, `coordinates`, `switch`, `event`, `jump`, `start`,
                       `contract`, `restart`, `dropped` */
  char text[240];
} tn_event;

/* what assembling the start moved: a coordinate by its name, `arm.x`; a rotation by quaternions about three axes, `arm about x` */
enum { TN_MOST_MOVES = 8 };
typedef struct tn_move {
  char name[64];
  char unit[4]; /* of `by`: `m`, `rad`; "" of a number without unit */
  double by;
} tn_move;

/* what a run is worth: the worst of its facts */
typedef enum tn_run_verdict { TN_TRUSTED, TN_DOUBTFUL, TN_WRONG } tn_run_verdict;
TN_API const char *tn_run_verdict_name(tn_run_verdict verdict); /* `trusted`, `doubtful`, `wrong` */

typedef struct tn_summary {
  tn_status status;
  tn_run_verdict verdict; /* valid behind tn_sim_start, tn_sim_advance and tn_sim_run; the reasons: tn_sim_fact */
  char message[512];      /* how the run ended, in words */
  double t_end;           /* s, reached */
  int64_t steps, rejected, rhs, factorizations;
  int64_t guard_calls; /* corrections of the state that a bound of a stabilizer has asked for */
  double max_position_violation, max_velocity_violation; /* scaled as the contract does */
  char worst_joint[64];
  double worst_time; /* s, when it was */
  /* max |T + V - T0 - V0 - W| over the run, divided by max T (at least 1e-9 max |V|), of the part where that is largest. a part is
   * what joints tie together; forces between parts are work on each. NaN where a balance is not a number */
  double energy_balance;
  char balance_part[64];  /* the first body of that part, "" if it is the whole model                     */
  int balance_bodies;     /* bodies in that part                                                          */
  double balance_kinetic; /* J, largest kinetic energy of that part                                       */
  double max_kinetic;     /* J */
  double stabilizer_work; /* J, largest |work of the stabilizer so far|, which the balance does not count as an error */
  double
      local_errors; /* sum over all steps of the error estimates, relative to the scale of the motion; 0 with a fixed step */
  bool contract_kept;
  char contract_text[256]; /* `contract broken: joint, time, size` when it was not */
  int degrees_of_freedom, redundant_rows;
  int64_t singular_positions; /* passed on the way, where the rows lose rank */
  double inconsistency;       /* largest part of gamma that redundant rows contradict each other by */
  double start_moved;         /* largest change of a coordinate by assembling the start, m or rad */
  char start_moved_name[64];
  int start_moves;                   /* coordinates that it changed by more than 1e-9 */
  tn_move start_move[TN_MOST_MOVES]; /* of these the largest changes, largest first  */
  double start_violation;            /* of the given pose, before anything is assembled; scaled as the contract does */
  char start_violation_joint[64];
  /* of an implicit integrator: Jacobians, right-hand sides that went into them, decompositions, iterations */
  int64_t jacobians, jacobian_rhs, decompositions, iterations;
  int64_t set_changes; /* of the numbers that are integrated, where a formulation chooses them */
  int64_t switches;    /* of functions made of pieces, in laws of forces and drivers            */
  int64_t fired;       /* events of the model, all together                                      */
  int64_t impulses;    /* velocities jumped because joints were switched on or drivers changed    */
  int bad_outputs;     /* columns that were not a finite number in some row that was given: tn_sim_bad_output */
  /* s, of the processor: of all calls that started, set or moved the simulation. parts of it: assembling the system, solving it,
   * corrections by stabilizers at the ends of steps without these two */
  double cpu_seconds, cpu_assemble, cpu_solve, cpu_project;
} tn_summary;

TN_API tn_status tn_sim_new(const tn_model *model, tn_sim **sim, tn_error *error);
TN_API void tn_sim_free(tn_sim *sim); /* nothing happens while it runs; recorders and verifications keep it alive */

/* the start of the model: assembled, or as given; nothing happens if it has been done. tn_sim_run and tn_sim_advance do it
 * themselves. another run from another state: tn_sim_set */
TN_API tn_status tn_sim_start(tn_sim *sim, tn_error *error);
/* on to time t, s; the state there is that of a step, never an interpolated one */
TN_API tn_status tn_sim_advance(tn_sim *sim, double t, tn_error *error);
/* to the end of the model's run, handing out a row of tn_sim_columns values at every output time */
typedef tn_status (*tn_row)(void *user, double t, int n, const double *values);
TN_API tn_status tn_sim_run(tn_sim *sim, tn_row row, void *user, tn_error *error);

/* called after every step with its time; false ends the call under way with TN_E_STOPPED at a good state, from which it can go
 * on. NULL: nobody watches. for progress, and for Ctrl-C by way of a flag. it may read the simulation, and change nothing of it */
typedef bool (*tn_watch)(void *user, double t);
TN_API void tn_sim_watch(tn_sim *sim, tn_watch watch, void *user);

/* a simulation as it is between two steps, complete: put back into another simulation of the same description it goes on
 * as if nothing had happened, to the last bit with formulas of one step. those that keep a history (`abm`, `ab4`, cvode ..) begin
 * anew there, and an event `restart` says so. they allocate nothing; tn_sim_save may be called from a watch, but TN_E_USAGE in the
 * receiver of a row that an event of the model records, where that event is still at work; tn_sim_load not while
 * the simulation runs. no bytes at all are no state: TN_E_IO. it starts a simulation that was not, and refuses in words, before anything is changed, what does not fit (damaged, another model, another version); one whose
 * numbers contradict each other, or do not fit the joints that are on in it where others are now, leaves the simulation stopped
 * until a good one is loaded */
TN_API tn_status tn_sim_save(tn_sim *sim, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_sim_load(tn_sim *sim, const void *data, size_t size, tn_error *error);

/* the columns of a row, without `t`; the unit is "" where it is not known */
TN_API int tn_sim_columns(const tn_sim *sim);
TN_API const char *tn_sim_column(const tn_sim *sim, int i);
TN_API const char *tn_sim_column_unit(const tn_sim *sim, int i);

TN_API double tn_sim_time(const tn_sim *sim);
TN_API int tn_sim_coordinates(const tn_sim *sim); /* length of q */
TN_API int tn_sim_speeds(const tn_sim *sim);      /* length of u */
TN_API const double *tn_sim_q(const tn_sim *sim);
TN_API const double *tn_sim_u(const tn_sim *sim);
/* another state, made consistent like a start when `assemble`, else taken as it is and its violation noted among the events; q or u may be NULL: kept. ledgers, largest violations and the
 * contract begin anew. a simulation that has stopped goes on from it */
TN_API tn_status tn_sim_set(tn_sim *sim, double t, const double *q, const double *u, bool assemble, tn_error *error);
/* angles of joints in space beyond half a turn, as of the last step: their number and values; tn_sim_set with a q counts from the
 * given pose anew, unless they are given before it: so a state that was saved is put back by tn_sim_remember and tn_sim_set */
TN_API int tn_sim_remembered(const tn_sim *sim);
TN_API const double *tn_sim_memory(const tn_sim *sim);
TN_API tn_status tn_sim_remember(tn_sim *sim, const double *memory, tn_error *error);
/* how well the rows of a joint were kept since the run began, scaled as the contract does: the largest violation at the ends of steps,
 * and the root of its mean square over time; of position and of velocity. false past the last joint */
typedef struct tn_drift {
  const char *joint;
  int rows; /* 0: it carries a body, and cannot drift */
  double position_max, position_rms, velocity_max, velocity_rms;
} tn_drift;
TN_API bool tn_sim_drift(const tn_sim *sim, int i, tn_drift *drift);

/* a column that was not a finite number in some row: number i of those that the summary counts. false past the last */
typedef struct tn_bad_output {
  const char *name;
  double first; /* s, of the first such row */
  int64_t rows; /* how many                 */
} tn_bad_output;
TN_API bool tn_sim_bad_output(const tn_sim *sim, int i, tn_bad_output *bad);

/* states of forces, as the current of a motor: their number, values and names. other values may be given: before the first step, or
 * later, where ledgers and the contract begin anew as with tn_sim_set, which leaves them as they are. one that is refused leaves
 * everything as it was, to the last bit; for that the call needs memory for a copy of the simulation while it works */
TN_API int tn_sim_states(const tn_sim *sim);
TN_API const double *tn_sim_state(const tn_sim *sim);
TN_API const char *tn_sim_state_name(const tn_sim *sim, int i);
TN_API tn_status tn_sim_set_state(tn_sim *sim, const double *state, tn_error *error);
/* any channel by name (`crank.angle`, `knee.fx`, `energy.total`) at the present state */
TN_API tn_status tn_sim_channel(tn_sim *sim, const char *name, double *value, tn_error *error);
/* n of them at once: value (n) */
TN_API tn_status tn_sim_channels(tn_sim *sim, int n, const char *const *name, double *value, tn_error *error);
/* the outputs of the model at the present state: value (tn_sim_columns). not while it runs, where rows have them */
TN_API tn_status tn_sim_outputs(tn_sim *sim, double *value, tn_error *error);
/* poses of all bodies at the present state, in the order of the model, tn_sim_pose_size numbers each: x y angle in the plane, x y z and a
 * unit quaternion of either sign in space, its scalar first. a particle does not turn */
TN_API int tn_sim_bodies(const tn_sim *sim);
TN_API const char *tn_sim_body(const tn_sim *sim, int i);
TN_API int tn_sim_pose_size(const tn_sim *sim); /* 3 or 7 */
TN_API tn_status tn_sim_poses(tn_sim *sim, double *pose, tn_error *error);

/* M udot + A'lambda = f, A udot = gamma at the present state; what the pointers show is valid until the next call */
typedef struct tn_eval {
  int coordinates, speeds, rows, holonomic; /* nq, nu; the first `holonomic` rows are holonomic                 */
  int rank;                                 /* of A here                                                        */
  double t;
  const double *q, *u;            /* nq, nu                                                           */
  const double *M, *f;            /* nu x nu, row by row; nu, with efforts of actuators               */
  const double *A;                /* rows x nu                                                        */
  const double *C, *Cdot, *gamma; /* rows                                                             */
  const double *udot, *lambda;    /* nu, rows                                                         */
  int values;                     /* min(rows, nu)                                                    */
  const double *singular_values;  /* of A, largest first                                              */
} tn_eval;
TN_API tn_status tn_sim_eval(tn_sim *sim, tn_eval *eval, tn_error *error);
/* the same at any state, and its rates alone, in large models too: qdot (coordinates), udot (speeds), state_rate (states of forces), lambda
 * (rows), any of which may be NULL. q, u, state NULL: the present ones. the state of the simulation stays; not while it runs. no part of it
 * is what stabilizers add */
TN_API tn_status tn_sim_eval_at(tn_sim *sim, double t, const double *q, const double *u, const double *state,
                                tn_eval *eval, tn_error *error);
TN_API tn_status tn_sim_rates(tn_sim *sim, double t, const double *q, const double *u, const double *state,
                              double *qdot, double *udot, double *state_rate, double *lambda, tn_error *error);
/* the Coriolis matrix H (speeds x speeds, row by row, into `matrix`) of Christoffel symbols at the same state: H u are the inertia
 * forces that f has with the opposite sign, and dM/dt - 2 H is skew-symmetric */
TN_API tn_status tn_sim_coriolis(tn_sim *sim, double *matrix, tn_error *error);
TN_API const char *tn_sim_coordinate(const tn_sim *sim, int i); /* name of q[i], `crank.angle` */
TN_API const char *tn_sim_speed(const tn_sim *sim, int i);      /* name of u[i], `crank.rate`  */
TN_API const char *tn_sim_row_joint(const tn_sim *sim, int i);  /* the joint whose row i is     */

TN_API const tn_summary *tn_sim_summary(const tn_sim *sim);
/* facts about a run: all that text, JSON and page say of it. A fact whose severity is not TN_TRUSTED is a reason for the verdict, and
 * comes first. The keys and limits are listed in docs/results.md. false past the last */
typedef enum tn_fact_about {
  TN_ABOUT_WORTH,  /* how good the motion is; all reasons are this   */
  TN_ABOUT_RUN,    /* what was run                                   */
  TN_ABOUT_COST,   /* how far it came and what it took               */
  TN_ABOUT_EVENTS, /* events of the model, and jumps of velocities   */
  TN_ABOUT_LOG,    /* what happened on the way, one by one           */
  TN_ABOUT_MODEL,  /* warnings                                       */
  TN_ABOUT_END     /* why it ended before its time                   */
} tn_fact_about;
TN_API const char *tn_fact_about_name(tn_fact_about about); /* `worth`, `run`, `cost` .. */
typedef struct tn_run_fact {
  const char *key;         /* `contract`, `balance`, `forced-steps` ..        */
  double value;            /* NaN: it is not a number                         */
  double limit;            /* a value up to it is trusted; NaN: there is none */
  const char *unit;        /* of both; `1`: none                              */
  tn_run_verdict severity; /* the verdict that it asks for                    */
  bool timed;              /* t is known                                      */
  double t;                /* s: when it was first, or largest                */
  tn_fact_about about;
  bool detail;         /* one of many: a summary that is not asked for all leaves it out */
  char sentence[1600]; /* for people                                      */
} tn_run_fact;
TN_API bool tn_sim_fact(const tn_sim *sim, int i, tn_run_fact *fact);
/* the run is so long that errors of steps may have added up to something: local_errors above 1e-5 and above 1000 tolerances, or more
 * than 100,000 fixed steps, whose error nobody has estimated. tn_verify_run of study.h measures it */
TN_API bool tn_sim_is_long(const tn_sim *sim);
TN_API int tn_sim_events(const tn_sim *sim);
TN_API const tn_event *tn_sim_event(const tn_sim *sim, int i);

/* events of the model: how often each has happened, when first and last (s, NaN: never), what impulses at it have taken from the
 * kinetic energy (J). false past the last */
typedef struct tn_fired {
  const char *event;
  int64_t count;
  double first, last, energy_lost;
} tn_fired;
TN_API bool tn_sim_fired(const tn_sim *sim, int i, tn_fired *fired);
/* impulses, the first of them, of every joint that was switched on or changed: what it exerted on the second body of that joint (N s and N m s, in the axes of the
 * world; in the plane fx fy t; of rows on channels the first number, along it), and its part of the energy lost. false past the last */
typedef struct tn_impulse {
  double t;
  const char *joint, *event; /* event NULL: tn_sim_switch or tn_sim_set_parameter */
  double wrench[6];
  double energy_lost; /* J */
} tn_impulse;
TN_API bool tn_sim_impulse(const tn_sim *sim, int i, tn_impulse *impulse);
/* parameters of the model: names and present values, and others from the present state on. a driver must not jump thereby: it is
 * refused, and so is a joint switched on that is off by more than the contract allows; velocities do jump, as at an event */
TN_API int tn_sim_parameters(const tn_sim *sim);
TN_API const char *tn_sim_parameter_name(const tn_sim *sim, int i);
TN_API double tn_sim_parameter(const tn_sim *sim, int i);
TN_API tn_status tn_sim_set_parameter(tn_sim *sim, const char *name, double value, tn_error *error);
/* a force, or a joint that is switchable, on or off; and whether it is on. TN_E_USAGE: there is none */
TN_API tn_status tn_sim_switch(tn_sim *sim, const char *name, bool on, tn_error *error);
TN_API tn_status tn_sim_is_on(const tn_sim *sim, const char *name, bool *on, tn_error *error);

/* ---- result files: `.tnr` ----------------------------------------------------------------------------------------- */

typedef struct tn_recorder tn_recorder;

/* a report that ends the file: tn_report_json */
typedef tn_status (*tn_report)(const tn_sim *sim, const char *model_name, tn_write write, void *user);

/* write the head: version, model, settings, channels. each block is handed to `write` in one call: what it flushes is safe. rows have the motion
 * with them, as it was at the last row of `sim`, which is kept alive: those of another time have none */
TN_API tn_status tn_recorder_new(tn_sim *sim, const tn_desc *desc, const char *model_name, tn_write write, void *user,
                                 tn_recorder **recorder, tn_error *error);
TN_API void tn_recorder_free(tn_recorder *recorder); /* nothing happens while its simulation runs */
TN_API tn_status tn_recorder_row(void *recorder, double t, int n, const double *values); /* a tn_row */
TN_API tn_status tn_recorder_flush(tn_recorder *recorder); /* the rows so far as a block */
/* the rows that wait for a whole block, as blocks, handed to `write` and still waiting: what shows them behind the file for as long as
 * nothing else is written there, without another place for the ends of blocks */
TN_API tn_status tn_recorder_tail(tn_recorder *recorder, tn_write write, void *user);
/* a state from which the file and its simulation go on: that of tn_sim_save, with the length of the file and the rows that wait. what was
 * handed over must be on the disk before it is. tn_recorder_resume takes it back in a program that begins anew: it looks
 * whether the file at `path` begins with what was written then, loads the simulation and tells the length; the caller cuts the
 * file there, and `write` appends. the file is then, byte for byte but for clocks, that of a run which was never stopped */
TN_API tn_status tn_recorder_save(tn_recorder *recorder, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_recorder_resume(tn_sim *sim, const char *path, const void *state, size_t size, tn_write write,
                                    void *user, tn_recorder **recorder, int64_t *length, tn_error *error);
TN_API tn_status tn_recorder_end(tn_recorder *recorder, const tn_sim *sim, const char *model_name, tn_report report);

typedef struct tn_result tn_result;

/* a result opens if its head can be read. rows are those before the first fault, and so are tables, arrays and pictures; functions that
 * go through rows hand these out, and then return TN_E_IO with the message of tn_result_check. so nothing that is not whole passes for
 * whole. behind tn_result_recover they go through all good rows and return TN_OK */
TN_API tn_status tn_result_open(const tn_allocator *allocator, const char *path, tn_result **result, tn_error *error);
typedef enum tn_result_fault {
  TN_FAULT_NONE,   /* all blocks are good, and the last one is the summary                                 */
  TN_FAULT_NO_END, /* the file ends without a summary: the run was killed or goes on, or the file was cut off */
  TN_FAULT_HEAD,   /* the checksum of the head is wrong: names, units, settings and model may be, too       */
  TN_FAULT_BLOCK,  /* a block behind the head has a wrong checksum or size                                  */
  TN_FAULT_READ    /* the system refused to read the file; it may succeed when it is opened again          */
} tn_result_fault;
/* the first fault, and a message with its place in the file. TN_OK: none; else TN_E_IO. fault may be NULL */
TN_API tn_status tn_result_check(const tn_result *result, tn_result_fault *fault, tn_error *error);
/* looks for good blocks behind the first fault. the summary is there if it was found. TN_E_MEMORY, or TN_OK, whatever was found */
TN_API tn_status tn_result_recover(tn_result *result, tn_error *error);
/* rows that tn_result_recover has not found. false past the last gap. rows of a run are at k every and at its end; the number is counted by that */
typedef struct tn_gap {
  bool motion;     /* of the motion, which pages and glTF are made of; else of the outputs                  */
  bool end;        /* up to the end of the run; without a summary, up to where it was to end               */
  int64_t rows;    /* that are missing; -1: not known. without a summary, at the end: at most             */
  double from, to; /* s: of the last row before and the first one behind, or of the end; NaN: there is none  */
} tn_gap;
TN_API bool tn_result_gap(const tn_result *result, int i, tn_gap *gap);
/* what is missing behind tn_result_recover, in sentences; as snprintf, 0 past the last. none: rows and summary are all there */
TN_API int tn_result_missing(const tn_result *result, int i, char *text, size_t size);
TN_API void tn_result_close(tn_result *result);
TN_API int64_t tn_result_rows(const tn_result *result);
TN_API int tn_result_columns(const tn_result *result);               /* without t             */
TN_API const char *tn_result_column(const tn_result *result, int i); /* -1: t                 */
TN_API const char *tn_result_unit(const tn_result *result, int i);   /* "" where not known    */
TN_API const char *tn_result_name(const tn_result *result);          /* of the model          */
TN_API const char *tn_result_title(const tn_result *result);
TN_API const char *tn_result_model(const tn_result *result);    /* its text              */
TN_API const char *tn_result_settings(const tn_result *result); /* as options            */
TN_API const char *tn_result_summary(const tn_result *result);  /* JSON; NULL: not found */
TN_API bool tn_result_verdict(const tn_result *result,
                              tn_run_verdict *verdict); /* false: no summary, or older than verdicts */
TN_API tn_status tn_result_each(tn_result *result, tn_row row, void *user, tn_error *error);
/* groups of channels: the components of a vector, the channels of a body; t is the first. returns how many columns a group has,
 * 0 past the last; its name and first column (-1: t) */
TN_API int tn_result_groups(const tn_result *result);
TN_API int tn_result_group(const tn_result *result, int group, char *name, size_t size, int *first);
TN_API tn_status tn_result_csv(tn_result *result, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_result_npy(tn_result *result, int group, tn_write write, void *user, tn_error *error);
/* a picture: every group over time, vectors in the plane also as a path */
TN_API tn_status tn_result_svg(tn_result *result, tn_write write, void *user, tn_error *error);
/* a picture of a mechanism in the plane in several poses over one another: those of the first rows at or behind from, from + by .. to,
 * in s; NaN: the first and the last row. as SVG, or as PNG, which needs cairo. TN_E_USAGE: there is none, or the model is in space */
typedef struct tn_poses {
  double from, to, by;
} tn_poses;
TN_API bool tn_has_png(const char **missing); /* false: there is no PNG here, and why */
TN_API tn_status tn_result_poses(tn_result *result, const tn_poses *poses, bool png, tn_write write, void *user,
                                 tn_error *error);
/* a page for a browser: the mechanism in motion, plots of everything, how good it is, how to repeat it. meshes that the model names are
 * looked for beside it. false: this build has no pages, and why */
TN_API bool tn_has_pages(const char **missing);
TN_API tn_status tn_result_page(tn_result *result, tn_write write, void *user, tn_error *error);
/* the motion as binary glTF 2.0, for Blender and other programs that show solids: a node for every body, all rows as an animation */
TN_API tn_status tn_result_glb(tn_result *result, tn_write write, void *user, tn_error *error);

/* ---- results as text ------------------------------------------------------------------------------------------- */

/* CSV: a line of names, then a line a row; %.17g, a point in every locale. TN_E_IO when `write` returns false */
TN_API tn_status tn_csv_head(const tn_sim *sim, tn_write write, void *user);
TN_API tn_status tn_csv_row(double t, int n, const double *values, tn_write write, void *user);
/* how the run went: one JSON object (never NaN: null), or for people */
TN_API tn_status tn_report_json(const tn_sim *sim, const char *model_name, tn_write write, void *user);
/* the same object for a model that did not get as far as a simulation */
TN_API tn_status tn_report_failure(const tn_error *error, const char *model_name, tn_write write, void *user);
TN_API tn_status tn_report_text(const tn_sim *sim, const char *model_name, tn_write write, void *user);
/* with all facts, where the other has the first of many */
TN_API tn_status tn_report_text_all(const tn_sim *sim, const char *model_name, tn_write write, void *user);

/* a model before it runs: sizes, freedom, rank, redundant rows by joint, the start, settings, warnings. after tn_sim_start, or
 * with less in it before or after a start that failed */
TN_API tn_status tn_report_check_text(tn_sim *sim, const char *model_name, tn_write write, void *user);
TN_API tn_status tn_report_check_json(tn_sim *sim, const char *model_name, tn_write write, void *user);
/* tn_sim_eval as JSON */
TN_API tn_status tn_report_eval(tn_sim *sim, const char *model_name, tn_write write, void *user, tn_error *error);

/* where the steps of an integrator do not let zdot = lambda z grow, and which gains may be held over a step: for people, as one
 * JSON object, and the region on a grid as CSV: re, im of h lambda, and 1 where it is stable */
TN_API tn_status tn_report_stability_text(const char *integrator, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_report_stability_json(const char *integrator, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_report_stability_csv(const char *integrator, tn_write write, void *user, tn_error *error);
/* a page for a browser, of n of them side by side. `command`: how it was made */
TN_API tn_status tn_report_stability_page(int n, const char *const *integrators, const char *command, tn_write write,
                                          void *user, tn_error *error);

/* what a stabilizer that is a controller, in the short form of the command line, `fuzzy:set=gaussian`, makes of x = Kp C and
 * y = Kd Cdot, -1 to 1: for people, as one JSON object, and on a grid as CSV: x, y, F(x, y), and F of y alone */
TN_API tn_status tn_report_surface_text(const char *stabilizer, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_report_surface_json(const char *stabilizer, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_report_surface_csv(const char *stabilizer, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_report_surface_page(const char *stabilizer, const char *command, tn_write write, void *user,
                                        tn_error *error);

/* ---- the registries: what can be named ------------------------------------------------------------------------- */

/* kind: `joint force coordinates formulation stabilizer integrator method`; NULL past the last */
TN_API const char *tn_list_kind(int i);
TN_API const char *tn_list_name(const char *kind, int i);
TN_API const char *tn_list_doc(const char *kind, int i);
/* all of a kind (NULL: of every kind), a line each; or one type with its fields and an example; or either as Markdown */
TN_API tn_status tn_list_print(const char *kind, const char *name, bool markdown, tn_write write, void *user,
                               tn_error *error);

#ifdef __cplusplus
}
#endif
#endif
