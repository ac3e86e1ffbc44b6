/* fuzzing whole runs: the bytes choose a mechanism that fits together (mechanism/), and its run is judged by the gaps of its joints, which
 * are computed from the rows without the library.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdio.h>

#include "judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_OF_A_RUN = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static mechanism m;
  mech_outcome o;
  if (!mech_make(&m, data, size)) return 0;
  mech_judge(&m, STEPS_OF_A_RUN, &o);
  if (o.fault[0]) fprintf(stderr, "%s\n%s\n", o.fault, m.text);
  require(!o.fault[0]);
  return 0;
}
