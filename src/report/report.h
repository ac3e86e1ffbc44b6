/* report: how a run went, for programs and for people. */
#ifndef TN_REPORT_H
#define TN_REPORT_H

#include "record/record.h"

typedef struct tn_printer {
  tn_write write;
  void *user;
  bool failed;
} tn_printer;

void tn_put(tn_printer *p, const char *format, ...) TN_PRINTF(2, 3);

#endif
