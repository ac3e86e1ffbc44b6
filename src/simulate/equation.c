/* equations that the user writes, at the start: one that has no value or no derivative there is refused at its place. */
#include "simulate/simulate.h"

static bool has_slopes(const tn_system *s, const tn_joint *j) {
  for (int k = 0; k < j->terms; k++)
    if (!isfinite(s->rows.coefficient[j->coefficient + k])) return false;
  return isfinite(s->rows.gamma[tn_term_row(j)]);
}

/* as that of (y - 1)^2 at y = 1: no motion changes the value, to first order, so that nothing can hold it */
static bool is_flat(const tn_system *s, const tn_joint *j) {
  for (int k = 0; k < j->terms; k++)
    if (s->rows.coefficient[j->coefficient + k] != 0) return false;
  return !j->equation.on_rates;
}

static tn_status refuse(tn_sim *s, const tn_joint *j, const char *what, const char *how, const char *hint) {
  const tn_node *node = tn_node_get(j->node, j->equation.on_rates ? "rate" : "value");
  char pointer[256];
  tn_fail(s->e, TN_E_MODEL, "joint '%s': %s`%s` %s in the initial configuration", j->name, what, node->key, how);
  tn_hint(s->e, "%s", hint);
  tn_node_pointer(node, pointer, sizeof pointer);
  tn_error_at(s->e, &node->place, pointer);
  return TN_E_MODEL;
}

tn_status tn_equations_check(tn_sim *s) {
  const tn_system *sys = &s->solver.sys;
  for (int i = 0; s->m->coefficients && i < s->m->joints; i++) {
    const tn_joint *j = &s->m->joint[i];
    if (!j->equation.expr || sys->given.off[i]) continue;
    const bool has_value = isfinite(sys->rows.C[tn_term_row(j)] + sys->rows.Cdot[tn_term_row(j)]);
    if (!has_value || !has_slopes(sys, j))
      return refuse(s, j, has_value ? "a derivative of " : "", "is not a finite number",
                    "it must be smooth there, and wherever the motion goes");
    if (is_flat(sys, j))
      return refuse(s, j, "all derivatives of ", "are zero", "a square of an equation holds nothing: write it without");
  }
  return TN_OK;
}
