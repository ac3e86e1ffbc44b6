/* Tenon: many runs and what comes of them.
 * SPDX-License-Identifier: MIT
 *
 *   study file --tn_study_read--> study --tn_study_run--> rows: claim, paper, measured, verdict
 *
 * A study is data: runs of models, what is measured on them, what somebody said of it. Runs are made in threads, each with a
 * model and a simulation of its own; an allocator that is given must bear that.
 * Lifetimes and NULL are as in tenon.h. Studies, comparisons and sweeps own all that they have read. From `progress`, `stop` or `done`
 * they may be read. To run them is refused there, and to free them does nothing. */
#ifndef TENON_STUDY_H
#define TENON_STUDY_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_study tn_study;

TN_API tn_status tn_study_read(const tn_allocator *allocator, const char *path, tn_study **study, tn_error *error);
/* the same, with files from elsewhere than a disk: `files` has the text of the one at `path`, the study and those that it names, or NULL
 * if there is none. paths that a study names begin where its own does. texts stay as they are as long as the study. it is called from
 * many threads */
typedef const char *(*tn_files)(void *user, const char *path, size_t *size);
TN_API tn_status tn_study_read_from(const tn_allocator *allocator, const char *path, tn_files files, void *user,
                                    tn_study **study, tn_error *error);
TN_API void tn_study_free(tn_study *study);
TN_API const char *tn_study_paper(const tn_study *study);
TN_API const char *tn_study_title(const tn_study *study);
/* files that it needs beside its own, models and references; one may come twice. NULL past the last */
TN_API const char *tn_study_file(const tn_study *study, int i);

/* called when a run has ended, from any thread but never from two at once; false ends the study with TN_E_STOPPED */
typedef bool (*tn_progress)(void *user, int done, int all, const char *run);

typedef struct tn_study_options {
  bool quick;       /* leave out rows that are marked long              */
  int workers;      /* threads; 0: as many as there are processors      */
  const char *only; /* rows and figures whose id has this in it; NULL: all */
  bool figures;     /* draw the figures too                             */
  tn_progress progress;
  void *user;
} tn_study_options;

/* a run that fails is no error of the study: what is measured on it says so */
TN_API tn_status tn_study_run(tn_study *study, const tn_study_options *options, tn_error *error);

/* TN_IN_PART: of a claim alone, some of whose rows are reproduced and some differ */
typedef enum tn_verdict { TN_NOT_RUN, TN_REPRODUCED, TN_DIFFERS, TN_NOT_DECIDABLE, TN_IN_PART } tn_verdict;
TN_API const char *tn_verdict_name(tn_verdict verdict);

/* what a row is evidence of: a claim of the paper; something that the paper does not say; a remark, such as another reading */
typedef enum tn_claim_kind { TN_CLAIM, TN_CHECK, TN_REMARK } tn_claim_kind;

typedef struct tn_study_row {
  const char *id, *what, *where; /* the claim and where it is made                                        */
  const char *paper;             /* what the paper says, in words or digits; may be empty                 */
  double measured;               /* NaN: there is no number                                               */
  const char *failure;           /* why there is none; NULL                                               */
  double expected;               /* as an independent check measured it; NaN: none                        */
  const char *tolerance;         /* of that: `rel 0.05`, `factor 2`, `at most 1e-9`                       */
  bool within;                   /* it is                                                                 */
  tn_verdict verdict, foreseen;  /* on the claim, by the measured value; as the study expects it          */
  bool as_expected;              /* verdict and value are                                                 */
  const char *why;
  const char *differs; /* why the measured value may differ from the expected one; NULL: it must not */
  double seconds;      /* of processor, of the runs behind it                                   */
  bool quick;
  double own; /* the same measured in Tenon's own form, beside that of the paper; NaN: none. no verdict comes of it */
  const char *own_why; /* how that form differs; NULL: there is none                            */
  int claim;           /* the one that it belongs to                                            */
  int assumptions;     /* variations of assumptions that change its verdict, as the study says  */
} tn_study_row;

TN_API int tn_study_rows(const tn_study *study);
TN_API const tn_study_row *tn_study_row_at(const tn_study *study, int i);
/* a claim is what a reader counts: one row, or several that are evidence of the same */
typedef struct tn_study_claim {
  const char *name, *what, *where;
  tn_claim_kind kind;
  tn_verdict verdict; /* of the rows that were run and can be decided   */
  int rows, run;      /* all of them; those that were run               */
} tn_study_claim;

/* in the order of their first rows; NULL past the last */
TN_API const tn_study_claim *tn_study_claim_at(const tn_study *study, int i);

typedef struct tn_study_counts {
  int claims, reproduced, in_part, differ, not_decidable; /* of the paper, of which a row was run */
  int assumed;                                            /* of them: an assumption decides a row  */
  int checks, remarks;
  int rows, measured;       /* that were run; that have a value and an independent one          */
  int outside, unexplained; /* values outside their tolerances; of them those without a reason  */
} tn_study_counts;

TN_API void tn_study_count(const tn_study *study, tn_study_counts *counts);
/* all rows that were run are as expected, and figures that were asked for are drawn */
TN_API bool tn_study_as_expected(const tn_study *study);

/* a figure of the paper. it is drawn if the study was run with `figures`, or there is a reason why it is not */
typedef struct tn_study_figure {
  const char *id, *caption; /* `wu2000.fig5` */
  int number;
  const char *left_out; /* why it is not drawn; NULL: it is                        */
  const char *remark;   /* what is not as in the paper, or assumed; may be empty  */
  const char *failure;  /* why it could not be drawn; NULL                         */
  bool drawn, quick;
} tn_study_figure;

TN_API int tn_study_figures(const tn_study *study);
TN_API const tn_study_figure *tn_study_figure_at(const tn_study *study, int i);
/* one that is drawn: as SVG, as PNG (TN_E_USAGE where there is no cairo), as CSV of all points: panel, curve, x, y */
TN_API tn_status tn_study_figure_svg(const tn_study *study, int i, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_study_figure_png(const tn_study *study, int i, tn_write write, void *user, tn_error *error);
TN_API tn_status tn_study_figure_csv(const tn_study *study, int i, tn_write write, void *user, tn_error *error);
/* what the paper does not say, or what cannot be read in it */
typedef struct tn_study_assumption {
  const char *what, *used, *why;
  const char *not_varied; /* why nothing else was tried; NULL: there are variations */
  int rows;               /* that rest on it                                        */
} tn_study_assumption;

/* another choice in its place. A verdict changes if it is another one than with what is used */
typedef struct tn_study_variation {
  const char *to;
  bool quick;
  int rows, said;   /* that rest on it; verdicts that change, as the study says             */
  int run, changed; /* of tn_study_vary: rows that were run, verdicts that changed          */
  bool done;        /* it was run                                                           */
  bool as_said;     /* of the rows that were run those change, and in that way, that it says */
} tn_study_variation;

/* NULL past the last */
TN_API const tn_study_assumption *tn_study_assumption_at(const tn_study *study, int i);
TN_API const tn_study_variation *tn_study_variation_at(const tn_study *study, int assumption, int i);
/* all rows that rest on an assumption, with what is used and with every variation of it; rows of times and rows that take long are
 * left out. What an earlier run
 * of the study has found is forgotten */
TN_API tn_status tn_study_vary(tn_study *study, const tn_study_options *options, tn_error *error);
/* all variations that were run are as the study says */
TN_API bool tn_study_varied_as_said(const tn_study *study);
TN_API tn_status tn_study_vary_text(const tn_study *study, tn_write write, void *user);
TN_API tn_status tn_study_vary_json(const tn_study *study, tn_write write, void *user);

TN_API tn_status tn_study_text(const tn_study *study, tn_write write, void *user);
TN_API tn_status tn_study_json(const tn_study *study, tn_write write, void *user);
/* what was recorded of run i over time, as CSV: violations, and errors where there is a reference; name NULL past the last */
TN_API const char *tn_study_curve(const tn_study *study, int i);
TN_API tn_status tn_study_curve_csv(const tn_study *study, int i, tn_write write, void *user);
/* a page for a browser: the claims with what is measured, and the curves, steps and sweeps behind them. `command`: how it was made */
TN_API tn_status tn_study_page(const tn_study *study, const char *command, tn_write write, void *user, tn_error *error);

/* ---- methods compared on a model of one's own ---------------------------------------------------------------------- */

typedef struct tn_compare tn_compare;

typedef struct tn_compare_options {
  int methods, integrators, settings;
  const char *const *method;     /* named methods, or stabilizers with their parameters; none: a choice of them */
  const char *const *integrator; /* none: that of the model                                                   */
  const double *setting;         /* relative tolerances, or steps in s; none: those of the model               */
  bool fixed;                    /* they are steps                                                             */
  const char *reference;         /* path of a CSV with outputs of the model; NULL: one is made                 */
  double accuracy;               /* of places in lengths of the model and of directions: what is good enough; 0: 1e-4 */
  int workers;                   /* threads; 0: as many as there are processors                                */
  tn_progress progress;
  void *user;
} tn_compare_options;

typedef struct tn_compare_row {
  const char *method, *integrator;
  double setting;            /* rtol or step; NaN: as the model has it                           */
  const char *failure;       /* why it did not come to the end; NULL                             */
  double error, error_final; /* largest, and last: against the reference, as long as that holds  */
  bool resolved;             /* it is larger than ten times what the reference may be off itself */
  int compared;              /* times at which it was compared, but for the start                */
  bool contract_kept;
  tn_run_verdict verdict;                  /* as `tenon run` judges it, without the reference */
  double energy;                           /* balance, as in tn_summary                                        */
  double C_max, C_rms, Cdot_max, Cdot_rms; /* scaled as the contract does                          */
  int64_t steps, rejected, rhs;
  double cpu_seconds;
  int rank_error, rank_residual; /* from 1, of those that came to the end; 0: not ranked           */
} tn_compare_row;

/* the model with every method, integrator and setting; a run that fails is a row that says so. TN_E_USAGE: a name is not known, TN_E_RUN: no
 * reference could be made. nothing of the options is kept */
TN_API tn_status tn_compare_run(const tn_desc *desc, const char *model_name, const tn_compare_options *options,
                                tn_compare **compare, tn_error *error);
TN_API void tn_compare_free(tn_compare *compare);
TN_API int tn_compare_rows(const tn_compare *compare);
TN_API const tn_compare_row *tn_compare_row_at(const tn_compare *compare, int i);
/* what the reference is, how far it may be off, and until when it holds, s */
TN_API const char *tn_compare_reference(const tn_compare *compare, double *error, double *until);
/* one sentence; and the row that it names, -1: none */
TN_API const char *tn_compare_recommendation(const tn_compare *compare, int *row);
TN_API tn_status tn_compare_text(const tn_compare *compare, tn_write write, void *user);
TN_API tn_status tn_compare_json(const tn_compare *compare, tn_write write, void *user);
TN_API tn_status tn_compare_csv(const tn_compare *compare, tn_write write, void *user);
/* drift over time of all runs: run, t, |C| and |Cdot| scaled as the contract does, error as long as the reference holds */
TN_API tn_status tn_compare_curves(const tn_compare *compare, tn_write write, void *user);
/* a page for a browser: work and precision, drift over time, the table, how to repeat it. `command`: how it was made; `run`: a command
 * that runs the model, to which the options of a row can be added; NULL: `tenon run` and the name of the model */
TN_API tn_status tn_compare_page(const tn_compare *compare, const char *command, const char *run, tn_write write,
                                 void *user, tn_error *error);

/* ---- gains of a stabilizer for a model of one's own ----------------------------------------------------------------- */

typedef struct tn_tune tn_tune;

typedef struct tn_tune_range {
  const char *field; /* of the stabilizer, a number                    */
  double from, to;   /* both positive; both 0: a range around the start */
} tn_tune_range;

typedef struct tn_tune_options {
  const char *
      stabilizer; /* as on the command line, `fuzzy` or `fuzzy:kp=10,kd=0.1,ku=100`; without numbers the published ones */
  int ranges;
  const tn_tune_range *range; /* what is varied; none: the numbers of the stabilizer                  */
  int budget;                 /* runs; 0: 100                                                         */
  int64_t most_rhs;           /* a run with more right-hand sides does not count; 0: twenty times those of the start */
  bool velocity;              /* violations of velocities count, and not those of positions           */
  int workers;                /* threads; 0: as many as there are processors. results are the same    */
  tn_progress progress;       /* `run` is the stage                                                   */
  bool (*stop)(void *user);   /* asked at every step of every run, from any thread: TN_E_STOPPED. NULL */
  void *user;
} tn_tune_options;

typedef struct tn_tune_row {
  const char *stage;         /* `published`, `start`, `sample`, `search`                                */
  const double *value;       /* of what is varied; NaN: the published stabilizer has no such number     */
  const char *failure;       /* why the run did not come to its end; NULL                               */
  double position, velocity; /* largest violations, as the contract scales them                         */
  int64_t rhs;
  double product; /* of the violation that counts and rhs: what is to be small; NaN          */
  double energy;  /* balance, as in tn_summary                                                 */
  tn_run_verdict verdict;
} tn_tune_row;

/* the model, with numbers of one stabilizer varied, until the product of the largest violation and of the right-hand sides is small. the
 * search is the same each time. TN_E_USAGE, TN_E_MODEL: there is nothing to vary, or not like that; TN_E_RUN: no run came to its end.
 * nothing of the options is kept */
TN_API tn_status tn_tune_run(const tn_desc *desc, const char *model_name, const tn_tune_options *options,
                             tn_tune **tune, tn_error *error);
TN_API void tn_tune_free(tn_tune *tune);
TN_API int tn_tune_parameters(const tn_tune *tune);
TN_API const char *tn_tune_parameter(const tn_tune *tune, int i, double *from, double *to); /* NULL past the last */
TN_API int tn_tune_rows(const tn_tune *tune);                                               /* in the order of runs */
TN_API const tn_tune_row *tn_tune_row_at(const tn_tune *tune, int i);
TN_API int tn_tune_best(const tn_tune *tune); /* the row; -1: none */
/* a table and the block to paste into a model; all of it; a line a run */
TN_API tn_status tn_tune_text(const tn_tune *tune, tn_write write, void *user);
TN_API tn_status tn_tune_json(const tn_tune *tune, tn_write write, void *user);
TN_API tn_status tn_tune_csv(const tn_tune *tune, tn_write write, void *user);

/* ---- a model over many values of its parameters ---------------------------------------------------------------------- */

typedef struct tn_sweep tn_sweep;

/* read a sweep and the models it names; what it says is checked as far as that can be done without a run */
TN_API tn_status tn_sweep_read(const tn_allocator *allocator, const char *path, tn_sweep **sweep, tn_error *error);
TN_API void tn_sweep_free(tn_sweep *sweep);
TN_API const char *tn_sweep_title(const tn_sweep *sweep);
/* of all that was read, and of the version: the same text, the same values */
TN_API const char *tn_sweep_fingerprint(const tn_sweep *sweep);
/* files that were read beside it; NULL past the last */
TN_API const char *tn_sweep_file(const tn_sweep *sweep, int i);

TN_API int tn_sweep_runs(const tn_sweep *sweep);
TN_API int tn_sweep_parameters(const tn_sweep *sweep);
TN_API const char *tn_sweep_parameter(const tn_sweep *sweep, int i);
TN_API int tn_sweep_measures(const tn_sweep *sweep);
TN_API const char *tn_sweep_measure(const tn_sweep *sweep, int i);
/* numbers that tn_sweep_one gives: the measures, and behind them the verdict of the run, a tn_run_verdict; NaN: it failed */
TN_API int tn_sweep_values(const tn_sweep *sweep);
/* the value of a parameter in a run: a number, or NaN and a text; the text is of a number too. as snprintf */
TN_API int tn_sweep_given_text(const tn_sweep *sweep, int run, int parameter, char *text, size_t size, double *number);

/* make one run: `values` (tn_sweep_values); a run that fails is TN_OK with the reason in `failure`, else that is empty. may be called from
 * many threads and programs: the values depend on the sweep and the number of the run alone. `stop` is asked at every step and may be
 * NULL: TN_E_STOPPED. TN_E_MEMORY: there was none, which says nothing of the run */
typedef bool (*tn_stop)(void *user);
TN_API tn_status tn_sweep_one(const tn_sweep *sweep, int run, tn_stop stop, void *user, double *values,
                              char failure[512]);

/* where runs are made: whoever takes this on calls `done` once for each of them, in any order, never from two threads at once, until
 * that returns false, and returns when nothing is under way any more. tn_sweep_threads is one */
typedef struct tn_sweep_work {
  const tn_sweep *sweep;
  int runs;
  const int *run;
  int workers;
  tn_stop stop; /* may be asked from any thread; NULL */
  void *user;
  bool (*done)(void *to, int run, tn_status status, const double *values, const char *failure);
  void *to;
} tn_sweep_work;
typedef void (*tn_farm)(void *user, const tn_sweep_work *work);
TN_API void tn_sweep_threads(void *unused, const tn_sweep_work *work);

typedef struct tn_sweep_progress {
  int done, all, failed;
  int resumed; /* of those done, what was in the journal already */
} tn_sweep_progress;

typedef struct tn_sweep_options {
  int workers; /* threads; 0: as many as there are processors                                  */
  const char *
      journal; /* path of a file to which runs are added as they end, and from which they are taken if they are there: of
                          a sweep that was cut off. it is locked until the sweep is freed, and stays: remove it when the results
                          are safe. NULL: none */
  bool anew;   /* begin it anew, whatever is in it                                             */
  /* called at the start and when a run has ended, never from two threads at once; false: TN_E_STOPPED */
  bool (*progress)(void *user, const tn_sweep_progress *progress);
  tn_stop stop; /* asked at every step of every run, from any thread; true: TN_E_STOPPED. NULL          */
  void *user;
  tn_farm farm; /* NULL: tn_sweep_threads */
  void *farm_user;
} tn_sweep_options;

/* a run that fails is no error of the sweep */
TN_API tn_status tn_sweep_run(tn_sweep *sweep, const tn_sweep_options *options, tn_error *error);

typedef struct tn_sweep_row {
  bool done;
  const double *values;   /* measures; NaN where there is none */
  const char *failure;    /* why there are none; NULL          */
  tn_run_verdict verdict; /* of a run that did not fail      */
} tn_sweep_row;
TN_API bool tn_sweep_row_at(const tn_sweep *sweep, int run, tn_sweep_row *row); /* false: there is no such run */
TN_API int tn_sweep_failed(const tn_sweep *sweep);
TN_API int tn_sweep_count(const tn_sweep *sweep, tn_run_verdict verdict); /* runs that did not fail and have it */

/* of a sweep of the kind `sensitivity`: the derivative of a measure by a parameter, and what it may be off; false past the last */
typedef struct tn_sensitivity {
  const char *parameter, *measure;
  double at, step, value, derivative, error; /* NaN: there is none */
  const char *failure;                       /* why; NULL          */
} tn_sensitivity;
TN_API bool tn_sweep_sensitivity(const tn_sweep *sweep, int i, tn_sensitivity *out);

/* a line a run, or a derivative; nothing in them depends on when, where or on how many processors they were made */
TN_API tn_status tn_sweep_csv(const tn_sweep *sweep, tn_write write, void *user);
TN_API tn_status tn_sweep_json(const tn_sweep *sweep, tn_write write, void *user);
TN_API tn_status tn_sweep_text(const tn_sweep *sweep, tn_write write, void *user);
/* what comes of it all: runs that failed, and of each measure smallest, mean, deviation, largest and quantiles */
TN_API tn_status tn_sweep_summary(const tn_sweep *sweep, tn_write write, void *user);
/* a page for a browser: every measure over every parameter, how it is distributed, what failed. `command`: how it was made */
TN_API tn_status tn_sweep_page(const tn_sweep *sweep, const char *command, tn_write write, void *user, tn_error *error);
/* what would be run: number and parameters of every run, as CSV */
TN_API tn_status tn_sweep_plan(const tn_sweep *sweep, tn_write write, void *user);

/* ---- a description over many values, all rows ------------------------------------------------------------------------- */

typedef struct tn_batch_options {
  const char *name; /* of the description, for messages; may be NULL                                       */
  int runs, parameters;
  const char *const *parameter; /* names of constants or parameters of the model, or pointers, `/start/A.rate` */
  const double *value;          /* runs x parameters                                                          */
  int workers;                  /* threads; 0: as many as there are processors                                */
  tn_progress progress;         /* when a run has ended, from any thread but never from two at once; `run` is NULL */
  tn_stop stop;                 /* asked at every step, from any thread; true: TN_E_STOPPED. NULL             */
  void *user;
} tn_batch_options;

typedef struct tn_batch_result {
  tn_status status; /* of this run; TN_E_STOPPED too where it was never begun                     */
  tn_run_verdict verdict;
  int64_t rows; /* that it has given                                                           */
  double t_end; /* s; NaN: it did not begin                                                    */
  int64_t steps, rhs;
  double energy_balance, max_position_violation; /* as in tn_summary                        */
  char message[512];                             /* why it failed, with its place; else empty */
} tn_batch_result;

/* the description with each set of values: `value` gets runs x rows x (1 + columns) numbers, t first, `result` one a run. rows: room of
 * each run; what a run does not fill is NaN. columns: tn_sim_columns of its models. a run that fails is no error of the batch. the
 * numbers do not depend on the number of threads. an allocator that the description has must bear them, and so must added types */
TN_API tn_status tn_batch_run(const tn_desc *desc, const tn_batch_options *options, int64_t rows, int columns,
                              double *value, tn_batch_result *result, tn_error *error);

/* ---- a run verified by a second one ---------------------------------------------------------------------------------- */

/* a second run of the model at a tenth of the tolerances, or at half the step. rows of both are compared as they come; what is kept
 * does not grow with the number of rows. docs/results.md has the definitions */
typedef struct tn_verify tn_verify;

typedef struct tn_verify_options {
  double threshold; /* of the scale of an output: an error above it is no prediction; 0: 0.01 */
  tn_stop stop;     /* asked at every step of the second run, in its thread: true ends it; NULL */
  void *user;
} tn_verify_options;

/* how the largest difference grows: not known, as t^exponent, or e-fold in every `folding_time` (chaos) */
typedef enum tn_growth { TN_GROWTH_UNKNOWN, TN_GROWTH_POWER, TN_GROWTH_EXPONENTIAL } tn_growth;

typedef struct tn_verify_summary {
  double rtol, atol, step;   /* of the second run; NaN: it has none                                             */
  double factor;             /* from differences to errors of the first run; NaN: tolerances cannot be tighter   */
  tn_status status;          /* of the second run                                                               */
  char message[512];         /* how it ended, in words                                                          */
  double t_end, cpu_seconds; /* s; t_end is that of the first run if that ended first and this one was ended with it */
  int64_t steps, rhs;        /* 0 then */
  bool complete;             /* all rows of the first run have been compared                                    */
  int64_t rows;              /* compared                                                                        */
  double from, until;        /* of these the first and the last, s                                              */
  double threshold;
  double predictable_until;      /* s: up to this row the estimated error of every output is below the threshold      */
  bool predictable;              /* that is the last row compared                                                   */
  int limited_by;                /* output whose error is above it next; -1                                         */
  tn_growth growth;              /* of the output `growing`, -1: none                                               */
  double folding_time, exponent; /* s; NaN                                                                       */
  int growing;
  bool events_differ; /* some event has happened another number of times, over the time of both runs     */
} tn_verify_summary;

typedef struct tn_verify_output {
  const char *name, *unit;
  double range, scale;          /* over both runs; what `relative` is relative to, NaN: it is constant but for errors */
  double difference, time;      /* largest, and when, s                                             */
  double relative;              /* of the scale; NaN                                                */
  double error, error_relative; /* of the first run, estimated: the largest                         */
  double difference_end, error_end; /* at the last row                                                  */
  double difference_at_jumps; /* at rows between the jump of one run and that of the other, which count nowhere else */
  int64_t rows_at_jumps;
  int64_t not_finite, one_finite; /* rows where one of both is not a finite number; and the other is     */
} tn_verify_output;

typedef struct tn_verify_event {
  const char *event;
  int64_t count, count_second; /* as far as both runs went                                           */
  double difference, time; /* of the times of those of the same number: the largest, and when, s; NaN: there are none */
  int64_t number;          /* which, from 1                                                      */
  double difference_end;   /* of the last ones                                                   */
} tn_verify_event;

TN_API tn_status tn_verify_new(const tn_desc *desc, const tn_verify_options *options, tn_verify **verify,
                               tn_error *error);
/* reports of the simulation have no verification in them from then on. nothing happens while its runs are under way */
TN_API void tn_verify_free(tn_verify *verify);
/* tn_sim_run, once, with the second run beside it in a thread of its own. `sim` is of the same description and begins where that says,
 * or was resumed: then rows are compared from there on. what comes of the second run is no error of the first. reports of `sim`,
 * tn_report_text and tn_report_json, have the result in them from then on */
TN_API tn_status tn_verify_run(tn_verify *verify, tn_sim *sim, tn_row row, void *user, tn_error *error);
TN_API const tn_verify_summary *tn_verify_result(const tn_verify *verify);
TN_API bool tn_verify_output_at(const tn_verify *verify, int i, tn_verify_output *out); /* false past the last */
TN_API bool tn_verify_event_at(const tn_verify *verify, int i, tn_verify_event *out);   /* likewise */

/* both runs for this one number: tn_verify_summary.predictable_until. threshold 0: 0.01 */
TN_API tn_status tn_predictable_until(const tn_desc *desc, double threshold, double *t, tn_error *error);

#ifdef __cplusplus
}
#endif
#endif
