/* a random mechanism through the library, and what its rows say about the verdict.
 * SPDX-License-Identifier: MIT */
#ifndef TN_MECHANISM_JUDGE_H
#define TN_MECHANISM_JUDGE_H

#include "mechanism.h"
#include "tenon/tenon.h"

typedef struct mech_outcome {
  tn_status status;
  bool compiled, kept;
  tn_run_verdict verdict;
  int rows;
  double share; /* largest gap that was found, as a share of what the contract allows, and in which joint, when (s) */
  int joint;
  double t;
  double scaled;   /* largest gap, scaled as the contract does */
  double reported; /* what the library says of that */
  tn_error error;  /* if status is not TN_OK */
  char fault[512]; /* what must not be; empty: nothing */
} mech_outcome;

/* compiles and runs m, at most `steps` steps long. A fault is: a refusal without words, a row that is no row, a run that is called trusted,
 * or its contract kept, though a gap is larger than the contract allows, a violation that is reported smaller than it is */
void mech_judge(const mechanism *m, int steps, mech_outcome *outcome);

#endif
