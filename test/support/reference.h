/* runs of the models of this repository, and the reference solutions of test/data: both as tables of named columns over
 * time, and the distance between two of them. what goes wrong is printed, and the call says false. */
#ifndef TN_TEST_REFERENCE_H
#define TN_TEST_REFERENCE_H

#include "model/model.h"
#include "tenon/tenon.h"

/* a value of the model file set to this JSON before it is compiled; a list ends with {NULL, NULL} */
typedef struct ref_change {
  const char *pointer, *json;
} ref_change;

typedef struct ref_table {
  int rows, columns;
  char (*name)[64]; /* columns              */
  double *t;        /* rows                 */
  double *value;    /* rows x columns       */
  int room;         /* rows there is memory for */
} ref_table;

void ref_table_free(ref_table *table);
int ref_column(const ref_table *table, const char *name); /* -1 if there is none */

/* models/NAME.json, or a model given as its text, with changes (NULL: none), as a description and compiled */
bool ref_desc(const char *model, const ref_change *changes, tn_desc **desc);
bool ref_compile(const tn_desc *desc, tn_model **model);

/* changes often made: `/run/integrator` dopri5 with rtol = atol, or any with a fixed step */
void ref_tolerance(char json[96], double rtol);
void ref_step(char json[96], const char *integrator, double step);

/* instead of its outputs, all that can be seen of bodies and joints: x y angle vx vy rate, and fx fy t or load. the output
 * for `crank.x` is named `crank_x` */
bool ref_watch_all(tn_desc *desc);
/* the two bodies of every revolute and prismatic joint are named in the other order, and with them their places */
void ref_turn_joints(tn_desc *desc);
bool ref_turns(const char *joint_type);

/* from the start of the model to the end of its run, or on from where the simulation is; false if it does not reach it */
bool ref_run(const tn_model *model, ref_table *table, tn_summary *summary);
bool ref_run_on(tn_sim *sim, ref_table *table);

/* the list of rows at `pointer` in test/data/FILE: objects whose members are numbers, numbers in quotes, or lists of these
 * (member `q` gives columns q0, q1, ..), or lists, with the names in a member `columns` beside it. a row's time is its `t` */
bool ref_read(const char *file, const char *pointer, ref_table *table);

/* largest |a - b| over the rows of b up to `until` and the columns named: `x y rate=-omega` compares x with x, y with y and
 * rate of a with minus omega of b. relative: divided by max(1, |b|). NaN, a column or a time that a does not have: infinite.
 * text (128) says where the largest is; may be NULL */
double ref_distance(const ref_table *a, const ref_table *b, const char *columns, double until, bool relative,
                    char *text);

/* slope of the least-squares line of log10 y over log10 x */
double ref_slope(int n, const double *x, const double *y);

#endif
