/* violations of constraint equations as channels, position C or velocity Cdot, in SI or scaled as the contract does:
 *   violation(joint, k)        equation k of a joint, from 1, with its sign
 *   violation(joint, norm1)    a norm of those of a joint; norm1, norm2, max. left out: max
 *   violation.norm1            the same of all of the model
 * Equations on velocities alone have no C and come last in their joint. */
#include "model/model.h"

static const tn_norm norms[TN_NORMS] = {TN_NORM_1, TN_NORM_2, TN_NORM_MAX}; /* of tn_norm_names */

static const struct {
  const char *function, *prefix; /* `violation.` prefix norm */
  bool rate, scaled;
} kinds[] = {{"violation", "", false, false},
             {"violation_rate", "rate_", true, false},
             {"scaled_violation", "scaled_", false, true},
             {"scaled_violation_rate", "scaled_rate_", true, true}};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool tn_is_violation(const char *function) {
  for (int i = 0; i < KINDS; i++)
    if (strcmp(function, kinds[i].function) == 0) return true;
  return false;
}

static bool norm_named(const char *word, tn_norm *norm) {
  for (int i = 0; i < TN_NORMS; i++)
    if (strcmp(word, tn_norm_names[i]) == 0) {
      *norm = norms[i];
      return true;
    }
  return false;
}

static tn_status not_here(const char *name, tn_error *e) {
  return tn_fail(e, TN_E_MODEL, "'%s' is for outputs and events: the constraint equations are not known here", name);
}

bool tn_violation_channel(const tn_model *m, const char *word, tn_channel *ch, tn_error *e) {
  char name[KINDS * TN_NORMS][24];
  const char *known[KINDS * TN_NORMS];
  ch->kind = TN_CH_VIOLATION;
  ch->part = -1;
  ch->after_solve = true;
  for (int i = 0; i < KINDS * TN_NORMS; i++) {
    tn_format(name[i], sizeof name[i], "%s%s", kinds[i / TN_NORMS].prefix, tn_norm_names[i % TN_NORMS]);
    known[i] = name[i];
    if (strcmp(word, name[i]) != 0) continue;
    ch->violated = (tn_violated){norms[i % TN_NORMS], kinds[i / TN_NORMS].rate, kinds[i / TN_NORMS].scaled};
    return m->row_scale || not_here("violation", e) == TN_OK;
  }
  const char *near = tn_nearest(word, KINDS * TN_NORMS, known);
  tn_fail(e, TN_E_MODEL, "there is no channel 'violation.%.60s'", word);
  tn_hint(e, near ? "did you mean 'violation.%s'?" : "it has norm1 norm2 max, also with rate_, scaled_, scaled_rate_",
          near);
  return false;
}

/* the equation k of a joint, from 1 */
static tn_status one_row(const tn_joint *j, const char *function, const char *text, tn_channel *ch, tn_error *e) {
  double k = 0;
  if (!tn_json_number(text, strlen(text), &k)) k = 0;
  const int all = j->rows + j->rows_velocity;
  if (!(k >= 1 && k <= all) || k != floor(k))
    return tn_fail(e, TN_E_MODEL, "'%s': joint '%s' has constraint equations 1 to %d, not %s", function, j->name, all,
                   text);
  if (!ch->violated.rate && k > j->rows) {
    tn_fail(e, TN_E_MODEL, "'%s': equation %d of joint '%s' is on velocities alone", function, (int)k, j->name);
    tn_hint(e, "%sviolation_rate(%s, %d) is its violation", ch->violated.scaled ? "scaled_" : "", j->name, (int)k);
    return TN_E_MODEL;
  }
  ch->violated.norm = TN_NORM_NONE;
  ch->component = k <= j->rows ? j->row + (int)k - 1 : j->row_velocity + (int)k - 1 - j->rows;
  return TN_OK;
}

tn_status tn_violation_call(tn_context *c, const char *function, int n, const char *const *args, tn_channel *ch,
                            tn_error *e) {
  int kind = 0;
  while (strcmp(function, kinds[kind].function) != 0) kind++;
  if (!c->m->row_scale) return not_here(function, e);
  const int joint = tn_joint_named(c, args[0]);
  if (joint < 0) return tn_no_part(c->m, function, "joint", args[0], e);
  const tn_joint *j = &c->m->joint[joint];
  *ch = (tn_channel){.kind = TN_CH_VIOLATION,
                     .part = joint,
                     .width = 1,
                     .violated = {TN_NORM_MAX, kinds[kind].rate, kinds[kind].scaled},
                     .after_solve = true};
  if (j->in_tree || j->rows + j->rows_velocity == 0)
    return tn_fail(e, TN_E_MODEL, "'%s': joint '%s' has no constraint equations%s", function, j->name,
                   j->in_tree ? ": it carries a body in relative coordinates" : "");
  if (n == 2 && !norm_named(args[1], &ch->violated.norm)) return one_row(j, function, args[1], ch, e);
  if (j->rows || kinds[kind].rate) return TN_OK;
  tn_fail(e, TN_E_MODEL, "'%s': joint '%s' constrains velocities alone", function, j->name);
  tn_hint(e, "%sviolation_rate(%s) is its violation", kinds[kind].scaled ? "scaled_" : "", j->name);
  return TN_E_MODEL;
}

/* of equations with different units: NULL */
const char *tn_violation_unit(const tn_model *m, const tn_channel *ch) {
  static const char *const rates[][2] = {
      {" m", "m/s"}, {" m^2", "m^2/s"}, {" rad", "rad/s"}, {"", "1/s"}}; /* of tn_row_si */
  const tn_violated *v = &ch->violated;
  const char *unit = NULL;
  if (v->scaled) return v->rate ? "1/s" : "1";
  for (int r = 0; r < (v->rate ? m->rows : m->holonomic); r++) {
    if (v->norm == TN_NORM_NONE ? r != ch->component : ch->part >= 0 && m->row_joint[r] != ch->part) continue;
    if (unit && strcmp(unit, tn_row_si(m, r)) != 0) return NULL;
    unit = tn_row_si(m, r);
  }
  for (size_t i = 0; unit && v->rate && i < sizeof rates / sizeof *rates; i++)
    if (strcmp(unit, rates[i][0]) == 0) return rates[i][1];
  return !unit ? NULL : *unit ? unit + 1 : "1";
}
