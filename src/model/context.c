/* what `init` of a part may ask of the model and of the run, beside its fields. */
#include "model/model.h"

#include <limits.h>

void tn_context_settings(const tn_context *c, tn_settings *s) {
  if (!s) return;
  *s = (tn_settings){0};
  if (!c) return;
  const tn_model *m = c->m;
  const tn_run *r = &m->run;
  *s = (tn_settings){.coordinates = m->nq,
                     .speeds = m->nu,
                     .rows = m->rows,
                     .holonomic = m->holonomic,
                     .large = m->large,
                     .until = r->until,
                     .fixed = r->fixed,
                     .step = r->step,
                     .contract_position = r->contract_position,
                     .contract_velocity = r->contract_velocity,
                     .integrator = r->integrator};
  if (r->integrator) s->integrator_self = tn_integrator_self(m);
}

void tn_context_hint(tn_context *c, const char *format, ...) {
  char text[400];
  va_list args;
  if (!c || !format) return;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  tn_hint(c->e, "%s", text);
}

tn_status tn_context_unstable(tn_context *c, const char *key, double growth, const char *hint, const char *format,
                              ...) {
  char text[400];
  va_list args;
  if (!c || !hint || !format) return TN_E_USAGE;
  tn_run *run = &c->m->run;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  if (run->allows_unstable) {
    run->unstable_growth = fmax(run->unstable_growth, growth);
    tn_context_warn(c, key, "%s; %s", text, hint);
    return TN_OK;
  }
  tn_context_fail(c, key, "%s", text);
  tn_hint(c->e, "%s; --allow-unstable runs it all the same", hint);
  return TN_E_MODEL;
}

void tn_context_use_dependent(tn_context *c) {
  if (c) c->m->run.chooses_dependent = true;
}

void tn_context_use_penalty(tn_context *c) {
  if (c) c->m->run.uses_penalty = true;
}

const tn_node *tn_context_value(const tn_context *c, const char *key) {
  return c && key ? tn_node_get(c->node, key) : NULL;
}

int tn_node_items(const tn_node *value) {
  return value && value->kind == TN_NODE_LIST && value->size <= INT_MAX ? (int)value->size : -1;
}

tn_status tn_context_numbers(tn_context *c, const tn_node *value, int n, double *x) {
  return c && value && x ? tn_numbers_at(c, value, n, x) : TN_E_USAGE;
}

tn_status tn_context_refuse(tn_context *c, const tn_node *value, const char *format, ...) {
  char text[400];
  va_list args;
  if (!c || !format) return TN_E_USAGE;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  return tn_refuse(c, value, "%s", text);
}

tn_status tn_context_speeds(tn_context *c, const char *key, const int **speed, int *n) {
  if (!c || !key || !speed || !n) return TN_E_USAGE;
  return tn_speeds_in_order(c, tn_node_get(c->node, key), key, speed, n);
}

tn_status tn_context_speed_set(tn_context *c, const char *key, const bool **which) {
  if (!c || !key || !which) return TN_E_USAGE;
  return tn_speeds_at(c, tn_node_get(c->node, key), key, which);
}
