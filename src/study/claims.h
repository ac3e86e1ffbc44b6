/* what a study says of its rows: claims that they are evidence of, rules by which they are judged, assumptions that they rest on. */
#ifndef TN_STUDY_CLAIMS_H
#define TN_STUDY_CLAIMS_H

#include "study/study.h"

/* a claim of several rows, or of one; valid from tn_claims_read on, its verdict from tn_claims_judge on */
struct tn_claim_plan {
  tn_study_claim claim; /* what is shown of it             */
  const tn_node *node;  /* NULL: of a row that stands alone */
  int place;            /* in the order of rows; -1: none yet */
};

typedef struct tn_variation_plan {
  tn_study_variation variation; /* what is shown of it */
  const tn_node *node, *replace;
  bool *rests;              /* rows                                              */
  tn_verdict *said;         /* rows: as the file says; TN_NOT_RUN: unchanged     */
  tn_verdict *used, *found; /* rows: by tn_study_vary; TN_NOT_RUN: was not run   */
} tn_variation_plan;

struct tn_assumption_plan {
  tn_study_assumption assumption;
  bool *rests; /* rows */
  int variations;
  tn_variation_plan *variation;
};

/* `publication`, `check` and `claims`; once rows are known. what comes of the claims, once rows are judged */
tn_status tn_claims_read(tn_study *s, tn_error *e);
void tn_claims_judge(tn_study *s);
const char *tn_claim_kind_name(tn_claim_kind kind);
/* `a.b` is that row, `a.*` are all rows whose names begin with `a.` */
bool tn_row_is(const char *pattern, const char *id);
/* `assumptions`, once everything else is known */
tn_status tn_assumptions_read(tn_study *s, tn_error *e);
void tn_assumptions_json(tn_json *j, const tn_study *s);
/* members of `replace` in the place of those in the file */
tn_status tn_study_replace(tn_arena *arena, tn_node *into, const tn_node *replace, tn_error *e);
/* a study from a file; replace: NULL, or a variation of it, which has to stay as long as the study */
tn_status tn_study_make(const tn_allocator *allocator, const char *path, tn_files files, void *user,
                        const tn_node *replace, tn_study **study, tn_error *e);
/* a run begun by the study itself; tn_study_run without its guard */
tn_status tn_study_make_runs(tn_study *s, const tn_study_options *options, tn_error *e);
/* rule.c: whether the rule of a row holds with these values of measures that are no expressions over others; a run that has failed
 * may have become anything */
typedef double (*tn_rule_value)(void *user, const tn_study *s, int measure);
bool tn_rule_holds(const tn_study *s, const tn_row_plan *r, tn_rule_value value, void *user);
double tn_rule_unbounded(void *user, const tn_study *s, int measure);

#endif
