/* outputs that are not finite numbers in rows that were given: which, since when, in how many rows. An output does not act on the motion,
 * so that the run goes on; but nobody shall find out from a blank in a table. */
#include "simulate/simulate.h"

void tn_finite_carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  s->output.bad_rows = TN_CARVE(c, int64_t, m->columns);
  s->output.bad_since = TN_CARVE(c, double, m->columns);
}

void tn_finite_reset(tn_sim *s) {
  memset(s->output.bad_rows, 0, sizeof *s->output.bad_rows * (size_t)s->m->columns);
  memset(s->output.bad_since, 0, sizeof *s->output.bad_since * (size_t)s->m->columns);
  s->summary.bad_outputs = 0;
}

void tn_finite_row(tn_sim *s, double t) {
  for (int i = 0; i < s->m->columns; i++) {
    if (isfinite(s->output.row[i]) || s->output.bad_rows[i]++) continue;
    s->output.bad_since[i] = t;
    s->summary.bad_outputs++;
  }
}

void tn_finite_keep(tn_sim *s, tn_keep *k) {
  tn_keep_group(k, "bad outputs");
  tn_keep_longs(k, "rows", (size_t)s->m->columns, s->output.bad_rows);
  tn_keep_numbers(k, "since", (size_t)s->m->columns, s->output.bad_since);
  tn_keep_ints(k, "outputs", 1, &s->summary.bad_outputs, 0, s->m->columns);
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
