/* report: what a model is and how a run went, for programs and for people.
 *
 *   text.c json.c   the summary of a run          check.c   a model before it runs
 *   eval.c          the system at a state         list.c    types with their fields and examples
 *   plot.c          rows as a picture             stability.c  of an integrator
 *   surface.c       of a controller */
#ifndef TN_REPORT_H
#define TN_REPORT_H

#include "record/record.h"

typedef struct tn_printer {
  tn_write write;
  void *user;
  bool failed;
} tn_printer;

#define TN_S(n) ((n) == 1 ? "" : "s") /* of a plural */
void tn_put(tn_printer *p, const char *format, ...) TN_PRINTF(2, 3);

/* members of a JSON object that several reports share */
void tn_report_settings(tn_json *j, const tn_model *m);
void tn_report_warnings(tn_json *j, const tn_model *m);

#endif
