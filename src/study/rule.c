/* the rule of a row, with other values in the place of those that were measured: it is then seen what a zero would come to, or a run
 * that has failed. */
#include "study/claims.h"

typedef struct scope {
  const tn_study *s;
  const tn_row_plan *row;
  tn_rule_value value;
  void *user;
  double measured;
} scope;

static double of_measure(const scope *c, int i);

static void fetch(const void *user, int slot, double *value) {
  const scope *c = user;
  *value = slot == TN_SLOT_MEASURED   ? c->measured
           : slot == TN_SLOT_PAPER    ? c->row->paper
           : slot >= TN_SLOT_MEASURED ? NAN
                                      : of_measure(c, slot);
}

static double evaluate(const tn_expr *expr, const scope *c) {
  double value[3];
  tn_expr_eval(expr, 0, fetch, c, value);
  return value[0];
}

/* expressions over other measures are computed anew, each once; one that needs itself is not a number */
static double of_measure(const scope *c, int i) {
  const tn_finding *m = &c->s->measure[i];
  if (m->kind != TN_MEASURE_VALUE) return c->value(c->user, c->s, i);
  if (c->s->is_ruled[i]) return c->s->ruled[i];
  c->s->is_ruled[i] = true;
  c->s->ruled[i] = NAN;
  return c->s->ruled[i] = evaluate(m->value, c);
}

bool tn_rule_holds(const tn_study *s, const tn_row_plan *r, tn_rule_value value, void *user) {
  scope c = {s, r, value, user, NAN};
  memset(s->is_ruled, 0, sizeof *s->is_ruled * (size_t)s->measures);
  if (r->measure >= 0) c.measured = of_measure(&c, r->measure);
  if (!r->holds) return tn_within(r->agree, c.measured, r->paper);
  const double so = evaluate(r->holds, &c);
  return so != 0 && !isnan(so);
}

/* what grows is not known to its end where the run ended before its time: it may have become anything */
double tn_rule_unbounded(void *user, const tn_study *s, int i) {
  const tn_finding *m = &s->measure[i];
  (void)user;
  const bool grows = m->meter.take == TN_TAKE_MAX || m->meter.take == TN_TAKE_MEAN || m->meter.take == TN_TAKE_RMS;
  if (m->kind != TN_MEASURE_RUN || m->meter.signal == TN_SIGNAL_FIGURE || !grows) return m->result;
  return s->trial[m->plan - s->plan].status != TN_OK ? INFINITY : m->result;
}
