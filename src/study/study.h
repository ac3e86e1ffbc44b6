/* study: many runs, and what comes of them.
 *
 *   read.c       a study file, read_row.c its rows
 *                                              trial.c    one run of a model, with meters on it
 *   members.c    of such files                 plan.c     what a run is made of
 *   metric.c     what can be measured          reference.c a motion to compare with
 *   facts.c      measures that need no run     verdict.c  tolerances, claims
 *   pool.c       runs on all cores             study.c    from the file to the rows
 *   figure_read.c, figure.c, curve.c, track.c: the figures of a paper
 *   print.c      rows as text and JSON         compare.c  methods on a model of the user's own
 *   compare_print.c                            page.c     either of them as a page
 *   sweep_read.c a sweep file                  axis.c     what is varied: grids, lists, random numbers
 *   sweep.c      from the file to the values   journal.c  what is done, for one that is cut off
 *   claims.c     what is counted: claims, checks beyond the paper, remarks; where the paper is to be found
 *   rule.c       how a row is judged, with other values
 *   assume.c     what had to be assumed, and which rows rest on it
 *   vary.c       the same rows with another choice; vary_print.c
 *   sweep_try.c  wrong in every run            sensitivity.c  derivatives by differences
 *   sweep_print.c, sweep_page.c                verify.c   a run with a second one beside it
 *   difference.c outputs of two runs compared  verify_print.c
 *   tune.c       gains of a stabilizer         tune_read.c what is varied, between what
 *   tune_print.c                               batch.c    a description over many values, all rows */
#ifndef TN_STUDY_INTERNAL_H
#define TN_STUDY_INTERNAL_H

#include "integrate/integrate.h"
#include "report/report.h"
#include "simulate/simulate.h"
#include "stabilize/stabilize.h"
#include "tenon/study.h"

/* ---- metrics: a signal over a run, reduced to a number. metric.c ------------------------------------------------------- */

/* signals are sampled at the start and at the ends of all steps, or at rows of output */
typedef enum tn_quantity {
  TN_SIGNAL_C,     /* rows of C: a norm, or one of them with its sign */
  TN_SIGNAL_CDOT,  /* likewise                                       */
  TN_SIGNAL_BOTH,  /* the larger of the two norms                    */
  TN_SIGNAL_ERROR, /* distance of channels from a reference, at its times */
  TN_SIGNAL_POSE, /* distance of all bodies from where a reference has them, at its times: in lengths of the model, and of
                           unit vectors along their axes: the largest */
  TN_SIGNAL_EXPRESSION, /* of channels                                    */
  TN_SIGNAL_FIGURE      /* a number of the whole run: right-hand sides .. */
} tn_quantity;

typedef enum tn_take {
  TN_TAKE_MAX,
  TN_TAKE_MIN,
  TN_TAKE_MEAN,
  TN_TAKE_RMS,
  TN_TAKE_FIRST,
  TN_TAKE_FINAL,
  TN_TAKE_COUNT,    /* changes of sign                                          */
  TN_TAKE_CROSSING, /* time of the k-th of them                                 */
  TN_TAKE_ABOVE,    /* time when its size first exceeds a level; NaN: never      */
  TN_TAKE_SETTLED   /* time after which its size stays below a share of the first */
} tn_take;

typedef struct tn_reference tn_reference;

/* all samples of a meter, or, of a long run, a choice of them. track.c */
typedef struct tn_track {
  bool
      paired; /* goes with another one, sample by sample: every k-th of both is kept, else the outermost of every 2 k */
  const tn_allocator *allocator;
  size_t n, room;
  double (*p)[2]; /* time, value */
  int64_t every, seen;
  int held; /* of a group that is not full: its least and its largest */
  double least[2], most[2];
} tn_track;
void tn_track_begin(tn_track *k);
void tn_track_add(tn_track *k, double t, double x); /* without memory nothing is added */
void tn_track_end(tn_track *k);
void tn_track_free(tn_track *k);

typedef struct tn_meter {
  /* as written */
  const char *name; /* of the measure; NULL */
  tn_quantity signal;
  tn_take take;
  int norm;               /* 1, 2, 0: infinity                                           */
  int row;                /* one row, from 0; -1: all of those below                     */
  int rows;               /* 0 all, 1 holonomic, 2 nonholonomic                          */
  const char *joint;      /* rows of this joint alone; NULL                              */
  const char *figure;     /* TN_SIGNAL_FIGURE                                            */
  bool at_rows;           /* sampled at rows of output                                   */
  bool scaled;            /* rows as the contract scales them                            */
  bool by_time;           /* rms over time; else over samples, as papers take it           */
  double from, to, level; /* s; of TN_TAKE_ABOVE and _SETTLED                            */
  int k;                  /* of TN_TAKE_CROSSING                                         */
  int channels;           /* expressions, and their names among the outputs of the run; condition: those left out */
  const char *const *channel;
  const tn_reference *against;
  const int *theirs; /* channels: columns of the reference */
  /* in a run */
  int *column;                         /* channels: columns of a row                          */
  int64_t samples, signs;              /* so far                                              */
  double sum, x, t;                    /* reduced so far; last sample that was not zero       */
  double zero;                         /* when it was zero since then; NaN                    */
  double before, t_before, area, span; /* last sample; of rms by time          */
  double value;                        /* at the end                                          */
  size_t at;                           /* the next time of the reference                      */
  double seen;                         /* last sample, asked for or not                       */
  double spacing;                      /* times of both that differ by less are the same, s   */
  tn_track *track;                     /* NULL: nobody wants all samples                      */
} tn_meter;

void tn_meter_begin(tn_meter *m);
void tn_meter_add(tn_meter *m, double t, double x);
double tn_meter_end(const tn_meter *m);
/* words of the file: -1 if there is no such */
int tn_take_named(const char *word);
enum { TN_FIGURES = 29 };
int tn_figure_names(const char *name[TN_FIGURES]); /* how many */
bool tn_figure_timed(const char *name);            /* another one each time */
/* a number of a run that has ended; level: of `jacobian-rank`, which singular values count, as a share of the largest. 0: 1e-10 */
double tn_figure(tn_sim *s, const char *name, double level);
/* of a run that has ended: largest over smallest singular value of A without the columns of coordinates or speeds; NaN: there is no such */
double tn_condition_without(tn_sim *s, int n, const char *const *names);
/* of rows first .. of n: norm 1, 2, or 0 for infinity */
double tn_norm_of(int norm, int n, const double *x);

/* ---- a motion to compare with: reference.c ------------------------------------------------------------------------------ */

struct tn_reference {
  const char *name;
  int columns;
  const char **column; /* expressions, or heads of a file */
  size_t rows, room;
  double *value; /* rows x (1 + columns): t first    */
  tn_arena arena;
};
tn_status tn_reference_read(tn_reference *r, const char *path, tn_error *e);
tn_status tn_reference_parse(tn_reference *r, const char *path, const char *text, size_t size, tn_error *e);
tn_status tn_reference_add(tn_reference *r, double t, const double *values);
int tn_reference_column(const tn_reference *r, const char *name); /* -1 */

/* ---- one run: trial.c ------------------------------------------------------------------------------------------------------ */

enum { TN_BINS = 500 };
typedef struct tn_bin {
  double t, C, Cdot, error; /* largest in it */
} tn_bin;

/* a run as a study file writes it, with what it is `like`; {name} in its texts stands for what is given under that name */
typedef struct tn_plan_of_run {
  const char *name;
  const tn_node *node;
  const struct tn_plan_of_run *like; /* NULL */
} tn_plan_of_run;
const tn_node *tn_plan_get(const tn_plan_of_run *p, const char *key); /* its own, or of what it is like; NULL */

typedef struct tn_given {
  const char *name; /* one that begins with / is a pointer into the model */
  const char *text; /* NULL: it is a number                              */
  double number;
  char digits[32];     /* of it                       */
  const tn_node *node; /* where it is said; may be NULL */
} tn_given;
static inline const char *tn_given_text(const tn_given *g) { return g->text ? g->text : g->digits; }
/* what {name} at an opening brace stands for; NULL: it is none of them */
const tn_given *tn_given_at(int n, const tn_given *given, const char *brace);

enum { TN_PATH = 1024 };
/* where its model is; `folder`: where paths begin */
tn_status tn_plan_model(const tn_plan_of_run *p, const char *folder, int n, const tn_given *given, char path[TN_PATH],
                        tn_error *e);
/* changes and settings into the description of the model */
tn_status tn_plan_apply(const tn_plan_of_run *p, int givens, const tn_given *given, tn_desc *d, tn_error *e);

typedef struct tn_trial {
  const char *text, *text_name; /* of the model; NULL: it is read from where the plan says */
  const tn_plan_of_run *plan;   /* or NULL, and these:                                     */
  int settings;
  const tn_setting *setting;
  int64_t most_rhs; /* 0: no limit */
  const char *folder;
  tn_files files; /* of the study */
  void *files_user;
  int givens; /* of the plan */
  const tn_given *given;
  bool tighter;             /* more accurate than it says: see make in trial.c */
  bool enforced;            /* a broken contract ends it where nothing is said of that, as it does a `tenon run` */
  bool (*stop)(void *user); /* asked at every step; NULL */
  void *stop_user;
  bool (*enough)(void *user, const tn_summary *now); /* likewise: ended as by most_rhs; NULL */
  void *enough_user;
  bool own_outputs; /* those of the model stay; meters name columns               */
  bool poses;       /* the reference is to be filled with those of bodies instead */
  int meters;
  tn_meter **meter;
  tn_reference *reference; /* to be filled with the rows of the run; or NULL */
  /* how it went */
  bool done;
  bool broken;  /* it could not begin: the model cannot be read, or is refused */
  bool stopped; /* by `stop` */
  int blamed;   /* the meter that asks for what the model does not have; -1 */
  tn_status status;
  char message[512];
  double t_end, seconds;
  tn_summary summary;                           /* of the last run */
  void (*see)(void *user, tn_sim *s, double t); /* at the start and at the end of every step; NULL */
  void *see_user;
  bool scaled;           /* curves as the contract scales rows */
  bool curve, has_error; /* bins are kept; some meter compares with a reference */
  tn_bin *bin;           /* TN_BINS */
} tn_trial;

/* of bodies, n numbers: the largest distance of a place or of a unit vector */
double tn_pose_distance(int dimension, int n, const double *a, const double *b);

/* makes the model, runs it, leaves values in the meters; a model that is refused and a run that fails are results too */
void tn_trial_run(tn_trial *trial, const tn_allocator *allocator);
/* the model with the settings of the trial, without what is measured */
tn_status tn_trial_describe(const tn_trial *trial, tn_desc *desc, tn_error *e);
/* all that comes before the run, and no run */
tn_status tn_trial_try(tn_trial *trial, const tn_allocator *allocator, tn_error *e);

/* ---- without a run: facts.c -------------------------------------------------------------------------------------------------- */

/* {"fact": NAME, ...}: stability of an integrator, its coefficients */
tn_status tn_fact(const tn_allocator *allocator, const tn_node *node, double *value, tn_error *e);
const char *const *tn_fact_keys(const char *name); /* that it takes; NULL: there is no such fact */

/* ---- judgement: verdict.c ------------------------------------------------------------------------------------------------------ */

/* `rel X`, `abs X`, `factor X`, `at most X`, `at least X`, `exact`, `exact count`, `qualitative` */
bool tn_tolerance_reads(const char *text);
bool tn_tolerance_needs_value(const char *text);
bool tn_within(const char *tolerance, double value, double expected);

/* ---- threads: pool.c ------------------------------------------------------------------------------------------------------------ */

typedef struct tn_pool tn_pool;
/* job(pool, user, i) for all i < n, in order of i as threads become free; false: one returned that, and no more were begun */
bool tn_pool_run(int workers, int n, bool (*job)(tn_pool *pool, void *user, int i), void *user);
int tn_processors(void);
/* one thread at a time between these two */
void tn_pool_lock(tn_pool *p);
void tn_pool_unlock(tn_pool *p);

/* ---- members of files: members.c ------------------------------------------------------------------------------------------------------ */

tn_status tn_out_of_memory(tn_error *e);
/* an error that has no place in a file yet gets that of the node; the status again */
tn_status tn_placed(tn_status status, const tn_node *node, tn_error *e);
/* every key of an object is one of these, which end with NULL */
tn_status tn_members_known(const tn_node *node, const char *const *known, tn_error *e);
/* a member, or what it is if it is left out; a text without such has to be there */
tn_status tn_member_text(const tn_node *object, const char *key, const char *otherwise, const char **out, tn_error *e);
tn_status tn_member_number(const tn_node *object, const char *key, double otherwise, double *out, tn_error *e);
tn_status tn_member_whole(const tn_node *object, const char *key, int otherwise, double lo, double hi, int *out,
                          tn_error *e);
/* one of the words, as its number; the first if it is left out */
tn_status tn_member_word(const tn_node *object, const char *key, const char *const *words, int *out, tn_error *e);
int tn_member_count(const tn_node *node); /* of its members; 0 of NULL */
/* all that is in a file */
tn_status tn_file_text(tn_arena *arena, const char *path, char **text, size_t *size, tn_error *e);
/* of one that is not on a disk */
tn_status tn_file_from(tn_files files, void *user, const char *path, const char **text, size_t *size, tn_error *e);

/* ---- a study: read.c, study.c ------------------------------------------------------------------------------------------------------ */

typedef enum tn_finding_kind { TN_MEASURE_RUN, TN_MEASURE_VARIED, TN_MEASURE_FACT, TN_MEASURE_VALUE } tn_finding_kind;
typedef enum tn_collect {
  TN_COLLECT_MAX,
  TN_COLLECT_MIN,
  TN_COLLECT_SUM,
  TN_COLLECT_FIRST,
  TN_COLLECT_LAST
} tn_collect;

typedef struct tn_point {
  double x, value;
  bool holds, failed; /* `where` does; the run did not come to its end */
} tn_point;

typedef struct tn_finding {
  const char *name; /* NULL: nobody refers to it */
  const tn_node *node;
  tn_finding_kind kind;
  const tn_plan_of_run *plan; /* of a run            */
  tn_meter meter;
  int against;         /* reference, or -1    */
  double from, to, by; /* varied: x           */
  tn_collect
      collect; /* what is taken of all values; the first x where `where` holds, the last before it no longer does */
  tn_expr *value, *where; /* over other measures; over m, x and others */
  int points;             /* varied: what came of the runs made          */
  tn_point *point;
  tn_track track; /* valid if a figure asks for all samples */
  bool needed, busy, done;
  bool broken; /* a run behind it could not begin */
  double result, seconds;
  const char *failure; /* NULL */
  char message[512];
} tn_finding;

typedef struct tn_reference_plan {
  tn_reference table;
  const char *path;           /* of a file, or NULL */
  const tn_plan_of_run *plan; /* of a run           */
  const tn_node *node;
  bool needed;
  double seconds;
  char failure[512]; /* "": none */
} tn_reference_plan;

typedef struct tn_row_plan {
  tn_study_row row; /* what is shown of it */
  const tn_node *node;
  int measure;
  double paper; /* NaN: words              */
  const char *agree;
  bool decidable;
  tn_expr *holds;
  double ours; /* NaN */
  const char *ours_tolerance;
  tn_verdict ours_verdict;
  int own_measure; /* of Tenon's own form, beside that of the paper; -1: none */
  double own_expected;
  const char *own_tolerance; /* NULL: any value will do */
  bool wanted;
} tn_row_plan;

/* claims.h */
typedef struct tn_claim_plan tn_claim_plan;
typedef struct tn_assumption_plan tn_assumption_plan;

/* ---- figures of a study: figure_read.c, figure.c, curve.c ------------------------------------------------------------------ */

typedef enum tn_curve_kind {
  TN_CURVE_MEASURE, /* of a run over time or another measure, or over what is varied */
  TN_CURVE_POINTS,  /* expressions of measures                                       */
  TN_CURVE_BARS,    /* likewise, under names                                         */
  TN_CURVE_REGION,  /* of stability, of an integrator                                */
  TN_CURVE_SETS,    /* membership functions of a controller                          */
  TN_CURVE_SINGLETONS,
  TN_CURVE_SURFACE,
  TN_CURVE_POSES, /* of a run, over one another */
  TN_CURVES
} tn_curve_kind;

typedef struct tn_curve_plan {
  const tn_node *node;
  tn_curve_kind kind;
  int x, y;       /* measures, or -1 */
  double unit[2]; /* of the axes, as numbers of the units of the values */
  int points;     /* expressions; x is NULL under names */
  tn_expr **at[2];
  const tn_plan_of_run *plan; /* of poses */
  double from, to, by;
  tn_strobe *strobe; /* of poses; NULL: not asked for */
  tn_layer style;
} tn_curve_plan;

typedef struct tn_panel_plan {
  const tn_node *node;
  tn_panel look;
  int curves;
  tn_curve_plan *curve;
} tn_panel_plan;

typedef struct tn_figure_plan {
  tn_study_figure figure; /* what is shown of it */
  const tn_node *node;
  bool wanted;
  int panels, columns;
  tn_panel_plan *panel;
  tn_graph graph; /* once it is drawn */
} tn_figure_plan;

/* how many measures the figures of a study may have; all but expressions, which come once all measures are known */
int tn_figures_measures(const tn_node *figures);
tn_status tn_figures_read(tn_study *s, const tn_node *figures, tn_error *e);
tn_status tn_figures_rule(tn_study *s, tn_error *e);
const tn_plan_of_run *tn_study_run_at(const tn_study *s, const tn_node *object, const char *key,
                                      tn_error *e); /* NULL */
tn_status tn_study_expression_at(tn_study *s, const tn_node *node, const char *what, tn_expr **out, tn_error *e);
/* before the runs: all samples of its measures are kept, and poses. after them: layers of the graph */
tn_status tn_figure_begin(tn_study *s, tn_figure_plan *f, tn_error *e);
tn_status tn_figure_draw(tn_study *s, tn_figure_plan *f, tn_error *e);
void tn_figure_free(tn_figure_plan *f);
/* the value of an expression over measures that are settled */
double tn_study_value(tn_study *s, const tn_expr *expr);
void tn_study_settle(tn_study *s, int i);               /* after the runs: its result, and why it has none */
void tn_study_need(tn_study *s, const tn_expr *expr);   /* all measures that it names; of NULL none */
void tn_figure_see(void *strobes, tn_sim *s, double t); /* `tn_strobe **`, which ends with NULL: a step has ended */
int tn_figure_strobes(const tn_study *s, const tn_plan_of_run *p,
                      tn_strobe **out); /* of figures that are wanted; out may be NULL */
/* curve.c: the layers of a curve that are not of measures; added to the panel, which has room for TN_CURVE_LAYERS more */
enum { TN_CURVE_LAYERS = 32 };
tn_status tn_curve_layers(tn_study *s, const tn_curve_plan *c, tn_panel *panel, tn_error *e);

struct tn_study {
  tn_arena arena;
  bool under_way;    /* runs are being made: it may not be freed or run from what they call, but read */
  char folder[1024]; /* with a slash at its end */
  tn_files files;    /* where texts come from; NULL: a disk */
  void *files_user;
  const char *paper, *title;
  tn_node *root;
  int plans, references, measures, rows, claims, trials;
  tn_plan_of_run *plan;
  tn_reference_plan *reference;
  tn_finding *measure;
  double *ruled;  /* measures: values in a rule that is being judged, rule.c */
  bool *is_ruled; /* likewise: it is known there                              */
  tn_row_plan *row;
  tn_claim_plan *claim;
  int assumptions;
  tn_assumption_plan *assumption;
  const tn_node *replace; /* this variation of another study; NULL */
  const bool *rows_only;  /* rows: no others are run; NULL         */
  const char *path;
  const char *check; /* who measured the expected values, and with what; "": not said */
  tn_trial *trial;   /* plans: those that rows need */
  int figures;
  tn_figure_plan *figure;
  bool figures_asked; /* in the last run */
  bool one_run;       /* it is that of a sweep: measures do not name it */
  int inputs;         /* models of all plans, and references that are files; not of a sweep */
  const char **input;
  const char *const *word; /* that expressions know beside measures, from TN_SLOT_MEASURED on; ends with NULL */
};

/* slots of expressions in a study: measures, and these */
enum { TN_SLOT_MEASURED = 1 << 20, TN_SLOT_PAPER, TN_SLOT_M, TN_SLOT_X, TN_SLOT_FAILED };
tn_status tn_study_parse(tn_study *s, const char *path, tn_error *e);
/* a measure: its place among those of the study; by name, or -1. an expression over measures, NULL if there is none */
tn_status tn_study_measure(tn_study *s, const tn_node *node, const char *name, int *out, tn_error *e);
int tn_study_measure_named(const tn_study *s, const char *name);
tn_status tn_study_expression(tn_study *s, const tn_node *object, const char *key, tn_expr **out, tn_error *e);
/* a row, and, once all measures are known, how it is judged */
tn_status tn_row_read(tn_study *s, const tn_node *node, tn_error *e);
tn_status tn_row_rule(tn_study *s, tn_row_plan *r, tn_error *e);
/* the text of a file; paths in it begin where `path` is */
tn_status tn_study_parse_text(tn_study *s, const char *path, const char *text, size_t size, tn_error *e);

/* what a sweep has of a study: one `run`, `references` that are files, `expressions`, `measures`. first its text, then these */
tn_status tn_study_parse_json(tn_study *s, const char *path, const char *text, size_t size, tn_error *e);
tn_status tn_study_parse_run(tn_study *s, const char *const *words, tn_error *e);

/* print.c: what tn_study_json and the page both have; a line of CSV */
void tn_study_members(tn_json *j, const tn_study *s);
void tn_figure_members(tn_json *j, const tn_study *s, int i);
void tn_bin_line(tn_printer *p, const tn_bin *b, bool error);

/* ---- a sweep: sweep_read.c, sweep_try.c, axis.c, sweep.c, journal.c, sensitivity.c, sweep_print.c ------------------------------ */

enum {
  TN_MOST_RUNS = 10000000,
  TN_MOST_AXES = 64,
  TN_BESIDE = 6
}; /* the last: runs of a sensitivity for each parameter */

typedef enum tn_axis_kind {
  TN_AXIS_GRID,        /* n numbers from a to b, evenly or, `log`, by a factor */
  TN_AXIS_LIST,        /* n numbers or texts                                    */
  TN_AXIS_UNIFORM,     /* random between a and b                                */
  TN_AXIS_LOG_UNIFORM, /* likewise, its logarithm                               */
  TN_AXIS_NORMAL,      /* random with mean a and standard deviation b           */
  TN_AXIS_AT           /* of a sensitivity: at a, steps of b                    */
} tn_axis_kind;

typedef struct tn_axis {
  const char *name;
  const tn_node *node;
  tn_axis_kind kind;
  int n;
  double a, b;
  bool log;
  const tn_node **item; /* of a list                            */
  int per;              /* runs in a row that have the same one */
} tn_axis;

/* one of `vary`; what does not make sense is refused */
tn_status tn_axis_read(tn_arena *arena, const tn_node *node, bool sensitivity, tn_axis *a, tn_error *e);
static inline bool tn_axis_random(const tn_axis *a) {
  return a->kind == TN_AXIS_UNIFORM || a->kind == TN_AXIS_LOG_UNIFORM || a->kind == TN_AXIS_NORMAL;
}
/* the k-th of a grid or list; what the sample-th of a random one is depends on seed, sample and name alone */
void tn_axis_value(const tn_axis *a, uint64_t seed, int k, tn_given *out);
/* a number as what is given */
void tn_axis_number(const tn_axis *a, double x, tn_given *out);

typedef struct tn_journal {
  int file;     /* -1: none                                                                     */
  void *stream; /* of it, once it is read: closing either lets go of the lock, so both are kept */
  const char *path;
  double synced; /* s of a clock: when its lines were brought to the disk                        */
} tn_journal;

struct tn_sweep {
  tn_study study;   /* its run, references, measures */
  const char *text; /* of the file                   */
  bool sensitivity;
  int axes, samples, runs; /* samples: 0 if nothing is random */
  uint64_t seed;
  tn_axis *axis;
  int models; /* their texts: one, or one for each item of the axis that `model` names */
  const tn_axis *model_axis;
  char **model_text, **model_name, **reference_name;
  char fingerprint[33];
  int *order;             /* measures: a `value` comes after those that it names */
  double *value;          /* runs x measures                                     */
  char **failure;         /* runs: why it has none; NULL                         */
  unsigned char *done;    /* runs                                                */
  unsigned char *verdict; /* runs: a tn_run_verdict, of those that did not fail   */
  tn_arena words;         /* these four, and the reasons                         */
  int finished, failed, resumed;
  tn_journal journal;
};

tn_status tn_sweep_parse_text(tn_sweep *s, const char *path, const char *text, size_t size, tn_error *e);
/* what is varied in a run: axes of them */
void tn_sweep_given(const tn_sweep *s, int run, tn_given *given);
int tn_sweep_model(const tn_sweep *s, int run); /* which of the models it has */
/* a run as it is to be made, with meters of its own */
tn_status tn_sweep_trial(const tn_sweep *s, int run, tn_given *given, tn_arena *arena, tn_trial *trial);
/* refuses what would be wrong in every run */
tn_status tn_sweep_try(const tn_sweep *s, tn_error *e);
/* opens or makes it, takes what is in it into the sweep; refused if it is another's, or in use */
tn_status tn_journal_open(tn_journal *j, const char *path, bool anew, tn_sweep *s, tn_error *e);
bool tn_journal_add(tn_journal *j, const tn_sweep *s, int run); /* false: errno says why */
bool tn_journal_sync(tn_journal *j);                            /* as above */
void tn_journal_close(tn_journal *j);
/* why a run failed, as it is kept and written: no control characters, no broken UTF-8 */
void tn_one_line(char *text);
/* a run that is done into the sweep; false: no memory */
bool tn_sweep_keep(tn_sweep *s, int run, const double *values, const char *failure);
/* what tn_sweep_json and the page both have; false: no memory */
bool tn_sweep_members(tn_json *j, const tn_sweep *s);
/* 128 bits of what was read, as text */
void tn_fingerprint(int n, const char *const *texts, char out[33]);

/* ---- a run and a second one: difference.c, verify.c, verify_print.c -------------------------------------------------------- */

/* where the largest difference so far grew: row before it, row, difference */
typedef struct tn_stair {
  double before, t, d;
} tn_stair;

/* one output of both runs */
typedef struct tn_difference {
  const char *name, *unit;
  bool angle;
  double low, high;      /* over both runs                                        */
  double most, at, last; /* largest difference, its time, s; at the last row      */
  double change;
  int64_t changes;                                    /* from row to row, of both runs: sum, and how many */
  double jump;                                        /* largest at rows between the jumps of the two runs     */
  int64_t jump_rows;                                  /* how many                                              */
  int64_t not_finite;                                 /* rows where one of them is not a finite number         */
  int64_t one_finite;                                 /* and the other is                                      */
  int64_t waiting;                                    /* rows between jumps of which it is not known yet       */
  double wait_before, wait_since, wait_at, wait_most; /* of these: row before, first, largest, s; how large that is */
  bool alone;                                         /* they wait for a jump of this output, not for an event */
  int stairs, room;
  tn_stair *stair;
  /* valid after tn_differences_end */
  double range, scale;
  bool constant; /* but for errors: there is no scale */
} tn_difference;

typedef struct tn_differences {
  tn_arena arena;
  int n;
  tn_difference *output;
  double *a, *b; /* the row before, of both runs */
  bool between;  /* one has had more jumps: see `ahead` */
  int64_t rows, ahead;
  double begin, end, apart_since; /* s */
  /* valid after tn_differences_end */
  double factor, threshold, predictable_until, folding, exponent;
  int limited_by, growing; /* outputs, or -1 */
  tn_growth growth;
} tn_differences;

tn_status tn_differences_new(tn_differences *s, const tn_allocator *allocator, const tn_sim *sim, tn_error *e);
void tn_differences_free(tn_differences *s);
/* a row of both runs; ahead: how many more events, switches and impulses the first has had. false: no memory */
bool tn_differences_row(tn_differences *s, double t, int64_t ahead, const double *a, const double *b);
/* t0: when the motion began, s; length: of the model, m; kinetic: its largest energy, J */
bool tn_differences_end(tn_differences *s, double t0, double length, double kinetic, double factor, double threshold);

/* times of one event of the model in both runs */
typedef struct tn_occasion {
  int64_t seen[2];            /* how often in either run                                               */
  int64_t passed;             /* of the first run before it began here, where it was resumed           */
  double *time;               /* those that the other run has not had yet                              */
  int head, tail, room, of;   /* of: whose these are                                         */
  double most, most_at, last; /* largest difference of times and when, s; of the last pair  */
  int64_t most_number, pairs;
} tn_occasion;

struct tn_verify {
  tn_arena arena; /* under the lock while both runs go on */
  tn_model *model;
  tn_sim *sim;   /* the second run                       */
  tn_sim *first; /* the one that is verified; NULL: none */
  tn_verify_options options;
  tn_verify_summary summary;
  tn_differences differences;
  tn_occasion *occasion;    /* triggers */
  struct tn_beside *beside; /* threads: valid while both go on */
  double limit;             /* s: the second run was not needed behind it */
  bool used, no_memory;
};

/* tolerances of a tenth, as far as there are digits, or half the step; the ratio of the errors of both runs. trial.c, verify.c */
void tn_tighten(tn_run *r);
double tn_tightened(tn_run *r);
void tn_verify_json(const void *verify, tn_json *j);
tn_status tn_verify_text(const void *verify, tn_write write, void *user);

/* ---- a comparison: compare.c, compare_print.c ------------------------------------------------------------------------------ */

static const double TN_HOLDS =
    1e-6;                          /* of lengths of the model: a reference holds as long as it is known to this      */
static const double TN_APART = 10; /* of what the reference may be off: errors that are smaller are not told apart */

typedef struct tn_entry {
  tn_compare_row row;
  tn_setting setting[5];
  char digits[32];
  tn_meter meter[6], *of[6];
  tn_trial trial;
} tn_entry;

struct tn_compare {
  tn_arena arena;
  const tn_compare_options *options;
  const char *name, *title;
  double contract[2]; /* of positions, of velocities */
  char *text;         /* of the model */
  size_t size, room;
  tn_reference first, second; /* looser, tighter */
  char reference[256];
  double reference_error, holds, until, accuracy;
  char every[32]; /* distance of the times at which poses are compared, s */
  bool fixed, from_file;
  bool absolute; /* the model gives an absolute tolerance: it goes with the relative one */
  int dimension;
  int64_t patience;
  int rows, done, all;
  tn_entry *entry;
  int winner;
  char recommendation[1024], remark[1024];
};

/* method, integrator and setting in words */
void tn_compare_label(const tn_compare *c, const tn_compare_row *r, char *text, size_t size);
/* what tn_compare_json and the page both have */
void tn_compare_members(tn_json *j, const tn_compare *c);

/* ---- gains that are searched: tune.c, tune_read.c, tune_print.c ------------------------------------------------------------------ */

enum { TN_TUNE_MOST = 8, TN_TUNE_LEAST_RUNS = 10, TN_TUNE_MOST_RUNS = 100000 };

typedef struct tn_tuned {             /* a number that is varied */
  const char *field, *unit, *pointer; /* into the model */
  double start, from, to, published;  /* the last: NaN if there is none */
} tn_tuned;

struct tn_tune {
  tn_arena arena;
  const tn_tune_options *options;
  const char *name; /* of the model */
  const tn_stabilizer_type *type;
  char *text,
      *published_text; /* the model with the part that it begins with; with the published one, NULL: it is the same, or there is none */
  char *start_part, *published_part, *best_part; /* as one types them                    */
  char *block;                                   /* the best one as a member of `run`, JSON */
  bool velocity;                                 /* which violation counts */
  int varied;
  tn_tuned vary[TN_TUNE_MOST];
  int budget, rows, done, best;
  tn_tune_row *row;
  double *value; /* rows x varied */
  char (*message)[512];
  tn_node plan_node;
  tn_plan_of_run plan;
  double give_up; /* violation times right-hand sides that a run may have */
  int64_t most_rhs;
  bool stopped;
};

/* all but runs: texts of the models, what is varied, and between what */
tn_status tn_tune_read(tn_tune *t, const tn_desc *desc, tn_error *e);
/* the stabilizer with the numbers of a row, as one types it and, unless that is NULL, as JSON */
tn_status tn_tune_describe(tn_tune *t, int row, char **typed, char **json, tn_error *e);

#endif
