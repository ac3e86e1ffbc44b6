/* figures of constraint equations in SI, for messages. The contract divides lengths by a length; this is the only place that
 * multiplies by it again.
 *   (1) seen by the contract = C scale,   so C = seen / scale;   scale: tn_system.scale
 * Rows of direction in space are products of unit vectors, the sine of the angle that they are off by: in rad while that is small. */
#include "model/model.h"

/* a sum of lengths and angles has no unit; an equation has that which is given or follows */
static bool is_mixed(const tn_model *m, const tn_joint *j) {
  if (j->equation.expr) return !j->equation.has_unit;
  for (int k = 1; k < j->terms; k++)
    if (tn_measure_unit(m, &j->term[k].of) != tn_measure_unit(m, &j->term[0].of)) return true;
  return false;
}

const char *tn_row_si(const tn_model *m, int row) {
  static const char *const unit[] = {
      [TN_LENGTH] = " m", [TN_LENGTH_SQUARED] = " m^2", [TN_ANGLE] = " rad", [TN_RATIO] = ""};
  const tn_joint *j = &m->joint[m->row_joint[row]];
  return j->owner >= 0 || is_mixed(m, j) ? "" : unit[tn_row_unit(m, row)];
}

/* `/s` of a rate, ` 1/s` of a rate of what has no unit */
static const char *per_second(bool rate, const char *unit) { return !rate ? "" : *unit ? "/s" : " 1/s"; }

void tn_row_figure(const tn_model *m, int row, double scale, bool rate, double seen, int digits, char *text,
                   size_t size) {
  const char *unit = tn_row_si(m, row);
  tn_format(text, size, "%.*g%s%s", digits, seen / scale, unit, per_second(rate, unit));
}

void tn_row_share(const tn_model *m, int row, double scale, bool rate, double seen, char *text, size_t size) {
  const char *unit = tn_row_si(m, row);
  if (tn_row_unit(m, row) == TN_ANGLE)
    tn_format(text, size, "%.2e%s%s", seen, unit, per_second(rate, unit));
  else
    tn_format(text, size, "%.2e of %.4g%s%s", seen, 1 / scale, unit, per_second(rate, unit));
}
