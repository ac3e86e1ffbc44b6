/* registry: the types that can be named. those of the build come from generated lists; those added from outside belong to one
 * description and the models compiled from it, so that there is nothing global to lock. */
#include "model/model.h"

const char *const tn_registry_kinds[TN_REGISTRIES] = {"joint",      "force",      "coordinates", "formulation",
                                                      "stabilizer", "integrator", "method"};

/* every table of a type begins with its name */
const char *tn_type_name(const void *type) { return *(const char *const *)type; }

const void *tn_registry_type(const tn_desc *d, tn_registry kind, int i) {
  const int count[TN_REGISTRIES] = {
      tn_joint_type_count,      tn_force_type_count,      tn_body_type_count, tn_formulation_type_count,
      tn_stabilizer_type_count, tn_integrator_type_count, tn_method_count};
  if (i < 0) return NULL;
  if (i < count[kind]) {
    switch (kind) {
    case TN_JOINTS: return tn_joint_types[i];
    case TN_FORCES: return tn_force_types[i];
    case TN_COORDINATES: return tn_body_types[i];
    case TN_FORMULATIONS: return tn_formulation_types[i];
    case TN_STABILIZERS: return tn_stabilizer_types[i];
    case TN_INTEGRATORS: return tn_integrator_types[i];
    default: return &tn_methods[i];
    }
  }
  i -= count[kind];
  for (const tn_added *a = d ? d->added : NULL; a; a = a->next)
    if (a->kind == (int)kind && i-- == 0) return a->type;
  return NULL;
}

tn_status tn_registry_find(tn_context *c, const tn_node *at, tn_registry kind, const char *word, const void **type) {
  const char *known[64];
  int n = 0;
  for (int i = 0; (*type = tn_registry_type(c->desc, kind, i)); i++) {
    if (strcmp(tn_type_name(*type), word) == 0) {
      char why[200];
      return tn_type_fault(kind, *type, why, sizeof why) ? tn_refuse(c, at, "its type cannot be used: %s", why) : TN_OK;
    }
    if (n < 64) known[n++] = tn_type_name(*type);
  }
  for (const tn_left_out *l = tn_types_left_out; l->name; l++)
    if (strcmp(l->kind, tn_registry_kinds[kind]) == 0 && strcmp(l->name, word) == 0) {
      tn_refuse(c, at, "%s '%s' is not in this build: it was made without %s", l->kind, word, l->library);
      tn_hint(c->e, "known without it: see tenon list %s", l->kind);
      return TN_E_MODEL;
    }
  char what[32];
  tn_format(what, sizeof what, kind <= TN_FORCES ? "%s type" : "%s", tn_registry_kinds[kind]);
  return tn_unknown(c, at, what, word, n, known);
}

/* ---- from outside ----------------------------------------------------------------------------------------------------- */

static tn_status add(tn_desc *d, tn_registry kind, const void *type, tn_error *e) {
  tn_error_clear(e);
  if (!tn_type_name(type) || !*tn_type_name(type))
    return tn_fail(e, TN_E_USAGE, "a %s to be added needs a name", tn_registry_kinds[kind]);
  const char *name = tn_type_name(type);
  char why[200];
  if (tn_type_fault(kind, type, why, sizeof why))
    return tn_fail(e, TN_E_USAGE, "%s '%s': %s", tn_registry_kinds[kind], name, why);
  const void *other;
  for (int i = 0; (other = tn_registry_type(d, kind, i)); i++)
    if (strcmp(tn_type_name(other), name) == 0)
      return tn_fail(e, TN_E_USAGE, "%s '%s' is there already", tn_registry_kinds[kind], name);
  tn_added *a = tn_arena_alloc(&d->types, sizeof *a), **last = &d->added;
  if (!a) return tn_fail(e, TN_E_MEMORY, "out of memory");
  *a = (tn_added){(int)kind, type, NULL};
  while (*last) last = &(*last)->next;
  *last = a;
  return TN_OK;
}

tn_status tn_desc_add_joint(tn_desc *d, const tn_joint_type *t, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, t, "type");
  return add(d, TN_JOINTS, t, e);
}

tn_status tn_desc_add_force(tn_desc *d, const tn_force_type *t, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, t, "type");
  return add(d, TN_FORCES, t, e);
}

tn_status tn_desc_add_coordinates(tn_desc *d, const tn_body_type *t, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, t, "type");
  return add(d, TN_COORDINATES, t, e);
}

tn_status tn_desc_add_formulation(tn_desc *d, const tn_formulation_type *t, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, t, "type");
  return add(d, TN_FORMULATIONS, t, e);
}

tn_status tn_desc_add_stabilizer(tn_desc *d, const tn_stabilizer_type *t, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, t, "type");
  return add(d, TN_STABILIZERS, t, e);
}

tn_status tn_desc_add_integrator(tn_desc *d, const tn_integrator_type *t, tn_error *e) {
  TN_NEED(e, d, "desc");
  TN_NEED(e, t, "type");
  return add(d, TN_INTEGRATORS, t, e);
}

/* ---- for those who list ------------------------------------------------------------------------------------------------ */

typedef struct listed {
  const char *name, *doc;
} listed;

static listed entry(const char *kind, int i) {
  for (int k = 0; kind && k < TN_REGISTRIES; k++) {
    if (strcmp(kind, tn_registry_kinds[k]) != 0) continue;
    const void *type = tn_registry_type(NULL, (tn_registry)k, i);
    if (!type) break;
    /* and its second member is what it is */
    return (listed){tn_type_name(type), ((const char *const *)type)[1]};
  }
  return (listed){NULL, NULL};
}

const char *tn_list_kind(int i) { return i >= 0 && i < TN_REGISTRIES ? tn_registry_kinds[i] : NULL; }
const char *tn_list_name(const char *kind, int i) { return entry(kind, i).name; }
const char *tn_list_doc(const char *kind, int i) { return entry(kind, i).doc; }
