/* Tenon: dynamics of constrained multibody systems.
 * SPDX-License-Identifier: MIT
 *
 *   text --tn_desc_parse--> description --tn_compile--> model --tn_sim_new--> simulation --tn_sim_run--> rows, summary
 *
 * Every fallible call returns a tn_status and, if it is not TN_OK, fills the caller's tn_error. The library never exits,
 * prints or resets a state. A model is immutable and may be shared between threads; a simulation belongs to one.
 * SI units and radians throughout. */
#ifndef TENON_TENON_H
#define TENON_TENON_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TN_VERSION "0.1.0"

/* the numbers are the exit codes of the command-line program (TN_E_INTERNAL exits with 5) */
typedef enum tn_status {
  TN_OK = 0,
  TN_E_USAGE = 1,   /* a call or command line that makes no sense */
  TN_E_MODEL = 2,   /* the model is refused                       */
  TN_E_RUN = 3,     /* the run stopped before its end             */
  TN_E_IO = 4,      /* cannot read or write                       */
  TN_E_MEMORY = 5,  /* an allocation failed                       */
  TN_E_INTERNAL = 6 /* a mistake in Tenon itself                  */
} tn_status;

typedef struct tn_error {
  tn_status status;
  char message[512]; /* one sentence with names and numbers                                   */
  char hint[256];    /* what would help; may be empty                                         */
  char pointer[256]; /* JSON pointer of the value concerned, `/joints/knee/axis`; may be empty */
  char file[256];    /* where the value was read; may be empty                                */
  long byte;         /* offset in the file, from 0; -1 unknown                                */
  int line, column;  /* from 1; 0 unknown. columns count bytes                                */
  double time;       /* simulation time, s; NaN before the run                                */
} tn_error;

/* message, place and hint as one line: `joint 'knee': axis has zero length (leg.json:41:15)`; returns as snprintf */
int tn_error_text(const tn_error *error, char *text, size_t size);

/* where memory comes from; NULL stands for malloc and free wherever one is asked for */
typedef struct tn_allocator {
  void *(*allocate)(void *user, size_t size); /* NULL when there is none */
  void (*release)(void *user, void *block);
  void *user;
} tn_allocator;

/* ---- description: the model as written, a tree of named values ------------------------------------------------- */

typedef struct tn_desc tn_desc;

tn_status tn_desc_new(const tn_allocator *allocator, tn_desc **desc, tn_error *error);
void tn_desc_free(tn_desc *desc);

/* read a model; `name` is used in messages. replaces what the description held */
tn_status tn_desc_read(tn_desc *desc, const char *path, tn_error *error);
tn_status tn_desc_parse(tn_desc *desc, const char *name, const char *text, size_t size, tn_error *error);

/* build or change it by calls. `pointer` names the value, `/bodies/crank/mass`; objects on the way are made, and a word
 * where an object is needed becomes {"type": word}. a pointer ending in `/-` appends to a list (made if missing).      */
tn_status tn_desc_number(tn_desc *desc, const char *pointer, double value, tn_error *error);
tn_status tn_desc_numbers(tn_desc *desc, const char *pointer, int n, const double *values, tn_error *error);
tn_status tn_desc_text(tn_desc *desc, const char *pointer, const char *text, tn_error *error);
tn_status tn_desc_json(tn_desc *desc, const char *pointer, const char *json, tn_error *error);
/* a part in the short form of the command line, `baumgarte:alpha=5,beta=5`; numbers, words and expressions as values */
tn_status tn_desc_part(tn_desc *desc, const char *pointer, const char *part, tn_error *error);
void tn_desc_remove(tn_desc *desc, const char *pointer); /* nothing happens if it is not there */
bool tn_desc_has(const tn_desc *desc, const char *pointer);

/* the description as JSON text, two spaces a level; `write` returns false to stop */
typedef bool (*tn_write)(void *user, const char *text, size_t size);
tn_status tn_desc_print(const tn_desc *desc, tn_write write, void *user, tn_error *error);

/* ---- model: compiled, immutable -------------------------------------------------------------------------------- */

typedef struct tn_model tn_model;

tn_status tn_compile(const tn_desc *desc, tn_model **model, tn_error *error);
void tn_model_free(tn_model *model);

typedef struct tn_model_info {
  const char *title;                                     /* may be empty                                   */
  const char *method, *formulation, *integrator;         /* the effective ones                             */
  int stabilizers;                                       /* how many; names by tn_model_stabilizer         */
  int bodies, joints, forces, coordinates, speeds, rows; /* rows: holonomic and nonholonomic                */
  double length;                                         /* the model's length, m, used to scale rows      */
  double until, every;                                   /* s                                              */
} tn_model_info;

void tn_model_get_info(const tn_model *model, tn_model_info *info);
const char *tn_model_stabilizer(const tn_model *model, int i);
/* the effective settings as options of the command line; returns as snprintf */
int tn_model_settings(const tn_model *model, char *text, size_t size);

/* ---- simulation ------------------------------------------------------------------------------------------------ */

typedef struct tn_sim tn_sim;

typedef struct tn_event {
  double t;
  const char *kind; /* `assembled`, `as-given`, `singular`, `contract`, `dropped` */
  char text[160];
} tn_event;

typedef struct tn_summary {
  tn_status status;
  char message[512]; /* how the run ended, in words */
  double t_end;      /* s, reached */
  long steps, rejected, rhs, factorizations;
  double max_position_violation, max_velocity_violation; /* scaled as the contract does */
  char worst_joint[64];
  double worst_time;     /* s, when it was */
  double energy_balance; /* max |T + V - T0 - V0 - W| over the run, divided by max T (at least 1e-9 max |V|) */
  double max_kinetic;    /* J */
  bool contract_kept;
  char contract_text[256]; /* `contract broken: joint, time, size` when it was not */
  int degrees_of_freedom, redundant_rows;
  double inconsistency; /* largest part of gamma that redundant rows contradict each other by */
  double start_moved;   /* largest change of a coordinate by assembling the start, m or rad */
  char start_moved_name[64];
  double cpu_seconds, time_assemble, time_solve, time_project;
} tn_summary;

tn_status tn_sim_new(const tn_model *model, tn_sim **sim, tn_error *error);
void tn_sim_free(tn_sim *sim);

/* the start of the model: assembled, or as given; nothing happens if it has been done. tn_sim_run and tn_sim_advance do it
 * themselves. another run from another state: tn_sim_set */
tn_status tn_sim_start(tn_sim *sim, tn_error *error);
/* on to time t, s; the state there is that of a step, never an interpolated one */
tn_status tn_sim_advance(tn_sim *sim, double t, tn_error *error);
/* to the end of the model's run, handing out a row of tn_sim_columns values at every output time */
typedef tn_status (*tn_row)(void *user, double t, int n, const double *values);
tn_status tn_sim_run(tn_sim *sim, tn_row row, void *user, tn_error *error);

/* the columns of a row, without `t` */
int tn_sim_columns(const tn_sim *sim);
const char *tn_sim_column(const tn_sim *sim, int i);

double tn_sim_time(const tn_sim *sim);
int tn_sim_coordinates(const tn_sim *sim); /* length of q */
int tn_sim_speeds(const tn_sim *sim);      /* length of u */
const double *tn_sim_q(const tn_sim *sim);
const double *tn_sim_u(const tn_sim *sim);
/* another state, made consistent like a start when `assemble`, else taken as it is and its violation noted among the events; q or u may be NULL: kept. ledgers, largest violations and the
 * contract begin anew. a simulation that has stopped goes on from it */
tn_status tn_sim_set(tn_sim *sim, double t, const double *q, const double *u, bool assemble, tn_error *error);
/* any channel by name (`crank.angle`, `knee.fx`, `energy.total`) at the present state */
tn_status tn_sim_channel(tn_sim *sim, const char *name, double *value, tn_error *error);

const tn_summary *tn_sim_summary(const tn_sim *sim);
int tn_sim_events(const tn_sim *sim);
const tn_event *tn_sim_event(const tn_sim *sim, int i);

/* ---- results as text ------------------------------------------------------------------------------------------- */

/* CSV: a line of names, then a line a row; %.17g, a point in every locale. TN_E_IO when `write` returns false */
tn_status tn_csv_head(const tn_sim *sim, tn_write write, void *user);
tn_status tn_csv_row(double t, int n, const double *values, tn_write write, void *user);
/* how the run went: one JSON object (never NaN: null), or for people */
tn_status tn_report_json(const tn_sim *sim, const char *model_name, tn_write write, void *user);
/* the same object for a model that did not get as far as a simulation */
tn_status tn_report_failure(const tn_error *error, const char *model_name, tn_write write, void *user);
tn_status tn_report_text(const tn_sim *sim, const char *model_name, tn_write write, void *user);

/* ---- the registries: what can be named ------------------------------------------------------------------------- */

/* kind: `joint force coordinates formulation stabilizer integrator method`; NULL past the last */
const char *tn_list_name(const char *kind, int i);
const char *tn_list_doc(const char *kind, int i);

#ifdef __cplusplus
}
#endif
#endif
