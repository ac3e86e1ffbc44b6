/* outputs that are not finite numbers in rows that were given: which, since when, in how many rows. An output does not act on the motion,
 * so that the run goes on; but nobody shall find out from a blank in a table. */
#include "simulate/simulate.h"

void tn_finite_row(tn_sim *s, double t) {
  for (int i = 0; i < s->m->columns; i++) {
    if (isfinite(s->output.row[i]) || s->output.bad_rows[i]++) continue;
    s->output.bad_since[i] = t;
    s->summary.bad_outputs++;
  }
}

bool tn_sim_bad_output(const tn_sim *s, int i, tn_bad_output *bad) {
  if (!s || !bad) return false;
  for (int k = 0; i >= 0 && k < s->m->columns; k++) {
    if (!s->output.bad_rows[k] || i-- > 0) continue;
    *bad = (tn_bad_output){.name = s->m->column[k], .first = s->output.bad_since[k], .rows = s->output.bad_rows[k]};
    return true;
  }
  return false;
}
