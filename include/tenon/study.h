/* Tenon: many runs and what comes of them.
 * SPDX-License-Identifier: MIT
 *
 *   study file --tn_study_read--> study --tn_study_run--> rows: claim, paper, measured, verdict
 *
 * A study is data: runs of models, what is measured on them, what somebody said of it. Runs are made in threads, each with a
 * model and a simulation of its own; an allocator that is given must bear that. */
#ifndef TENON_STUDY_H
#define TENON_STUDY_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_study tn_study;

TN_API tn_status tn_study_read(const tn_allocator *allocator, const char *path, tn_study **study, tn_error *error);
TN_API void tn_study_free(tn_study *study);
TN_API const char *tn_study_paper(const tn_study *study);
TN_API const char *tn_study_title(const tn_study *study);

/* called when a run has ended, from any thread but never from two at once; false ends the study with TN_E_STOPPED */
typedef bool (*tn_progress)(void *user, int done, int all, const char *run);

typedef struct tn_study_options {
  bool quick;       /* leave out rows that are marked long              */
  int workers;      /* threads; 0: as many as there are processors      */
  const char *only; /* rows whose id has this in it; NULL: all          */
  tn_progress progress;
  void *user;
} tn_study_options;

/* a run that fails is no error of the study: what is measured on it says so */
TN_API tn_status tn_study_run(tn_study *study, const tn_study_options *options, tn_error *error);

typedef enum tn_verdict { TN_NOT_RUN, TN_REPRODUCED, TN_DIFFERS, TN_NOT_DECIDABLE } tn_verdict;
TN_API const char *tn_verdict_name(tn_verdict verdict);

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
} tn_study_row;

TN_API int tn_study_rows(const tn_study *study);
TN_API const tn_study_row *tn_study_row_at(const tn_study *study, int i);
/* all rows that were run are as expected */
TN_API bool tn_study_as_expected(const tn_study *study);

TN_API tn_status tn_study_text(const tn_study *study, tn_write write, void *user);
TN_API tn_status tn_study_json(const tn_study *study, tn_write write, void *user);
/* what was recorded of run i over time, as CSV: violations, and errors where there is a reference; name NULL past the last */
TN_API const char *tn_study_curve(const tn_study *study, int i);
TN_API tn_status tn_study_curve_csv(const tn_study *study, int i, tn_write write, void *user);

#ifdef __cplusplus
}
#endif
#endif
