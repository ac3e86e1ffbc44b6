/* many runs, each judged by what is known of it: the worst ratio of a difference to what is allowed, and where it was.
 *
 * a case has a name of words, `four_bar heavy absolute dopri5`. TENON_ONLY="four_bar heavy" runs the cases alone that have all
 * of these words; TENON_SHOW=1 prints every case and not only those that fail. */
#ifndef TN_TEST_JUDGE_H
#define TN_TEST_JUDGE_H

#include "support/reference.h"

typedef struct judge {
  int cases, failed;
  double ratio;    /* the largest      */
  char worst[400]; /* of which case it is */
} judge;

bool judge_filters(void);           /* TENON_ONLY is set      */
bool judge_wants(const char *name); /* it is not, or names it */
/* the largest difference of a case, in the output named, and what it may be. not-a-number, and a run that failed, are infinite */
void judge_case(judge *j, const char *name, const char *output, double difference, double allowed);
/* prints the worst case; true if all were within what is allowed, and there were some or a filter */
bool judge_ends(const judge *j, const char *title);

/* a description, and a value of one, as JSON with ' for "; they have to be good */
tn_desc *model_new(const char *text);
void model_set(tn_desc *desc, const char *pointer, const char *format, ...) TN_PRINTF(3, 4);

/* ---- a run that others are compared with ------------------------------------------------------------------------------ */

/* scale of a column: its largest change, |value - first value|. If that is below 1e-6 of its largest size, the column is constant but
 * for errors, and its scale is that size. It is at least a thousandth of the largest scale of all columns of the same unit, and of
 * angles a thousandth of a radian: a component that stays near zero has the errors of the others */
typedef struct yardstick {
  ref_table run;
  double *scale; /* columns                                                                        */
  double *
      own; /* columns: the largest error, against a run at a hundredth of the tolerances, of the run and of eight more at 0.5
                  * to 2 times its tolerances. Errors of a single run scatter: those of `cvode-adams` by a factor of 40 */
  double rtol;
  double until;    /* s: later rows are not compared */
  double roundoff; /* of a scale: what the other model may be off because its places have fewer digits */
} yardstick;

/* of a model, whose tolerances are changed thereby. false: a run has failed, or is off by more than 1 % of a scale */
bool yardstick_make(yardstick *y, tn_model *model, double until);
void yardstick_free(yardstick *y);
/* the run of another model, which is freed, row by row and columns by name: it may differ by the largest of 10 rtol scale, 3 own and
 * roundoff scale.
 * t_unit: by what its times are longer. NULL: it was refused, and the case fails */
void yardstick_judge(const yardstick *y, tn_model *other, double t_unit, judge *j, const char *name);

#endif
