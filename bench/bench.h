/* bench: the mechanisms that are measured, as models of any size and states on their constraints. cases.c */
#ifndef TN_BENCH_H
#define TN_BENCH_H

#include "simulate/simulate.h"

/* n: bodies of a chain or tree, four-bars, or cells of a ladder */
typedef struct tn_case {
  const char *name, *text; /* text: a model with the constant N                        */
  int largest;             /* n up to which it is measured                             */
  int (*bodies)(int n);    /* how many there are                                       */
  /* place of every body (bodies) at s, where on a path through the constraints; with its twist. plane: (x, y, angle) */
  void (*plane)(int n, double s, double (*pose)[3], double (*twist)[3]);
} tn_case;

extern const tn_case tn_cases[];
extern const int tn_cases_count;

tn_status tn_case_describe(const tn_case *c, int n, bool relative, tn_desc *d, tn_error *e);
/* q and u of the model of a case at s; room: bodies x 6 numbers */
void tn_case_state(const tn_case *c, const tn_model *m, int n, double s, double *room, double *q, double *u);

/* laws.c: running expressions, each an output of a small model */
typedef struct tn_law {
  const char *name, *model, *text, *more; /* model: a format of the other two */
} tn_law;

extern const tn_law tn_laws[];
extern const int tn_laws_count;

tn_status tn_law_describe(const tn_law *law, tn_desc *d, tn_error *e);

#endif
