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
    if (strcmp(tn_type_name(*type), word) == 0) return TN_OK;
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

/* what a table may declare: a vector has room for three numbers where it is read */
static bool good_fields(const tn_field *fields) {
  for (const tn_field *f = fields; f && f->key; f++) {
    if ((f->kind == TN_VECTOR || f->kind == TN_RUNNING) && (f->n < 0 || f->n > 3)) return false;
    if (f->kind == TN_WORD && !f->choices) return false;
    if ((f->kind == TN_LIST || f->kind == TN_OBJECT || f->kind == TN_SHAPES || f->kind == TN_ACTS) && !f->inside)
      return false;
  }
  return true;
}

/* how many coordinates have a name, and one for their rate */
static int named(const tn_coordinate *c) {
  int n = 0;
  for (; c && c[n].name && c[n].rate; n++) continue;
  return n;
}

static bool good_chart(const tn_chart *c) {
  if (!c) return true;
  if (c->nu < 1 || c->nq < 1 || c->nu > 8 || c->nq > 8 || !c->rates || !c->add || !c->tangent) return false;
  if (!c->to_own != !c->from_own || !c->to_own != !c->carry) return false;
  for (int i = 0; i < c->nq; i++)
    if (!c->q_name[i]) return false;
  for (int i = 0; i < c->nu; i++)
    if (!c->u_name[i] || (c->to_own && !c->own_name[i])) return false;
  return true;
}

static bool good_joint2(const tn_joint_type *t) {
  const tn_joint2 *p = &t->plane;
  const int coordinates = named(t->coordinates), carried = p->carried ? named(p->carried) : coordinates;
  if (p->rows < 0 || p->rows_velocity_only < 0 || p->rows + p->rows_velocity_only > 3) return false;
  if (coordinates > 3 || (coordinates && !p->measure)) return false;
  if (p->axes >= 0 && (!p->motion || p->axes > 3 || p->axes > carried)) return false;
  return p->position && p->rows_on_twists && p->rates;
}

static bool good_joint3(const tn_joint_type *t) {
  const tn_joint3 *p = &t->space;
  const int coordinates = named(t->coordinates), carried = p->carried ? named(p->carried) : coordinates;
  if (p->rows < 0 || p->rows_velocity_only < 0 || p->rows + p->rows_velocity_only > 6) return false;
  if (coordinates > 6 || (coordinates && !p->measure)) return false;
  if (p->memory < 0 || (p->memory && !p->accept) || !good_chart(p->chart)) return false;
  if (p->axes >= 0 && (!p->motion || p->axes > 6 || (p->chart ? p->chart->nu != p->axes : p->axes > carried)))
    return false;
  return p->position && p->rows_on_twists && p->rates;
}

static bool good_joint(const tn_joint_type *t) {
  if (!good_fields(t->fields) || !(t->plane.there || t->space.there)) return false;
  if (t->seat == TN_SEAT_CHANNELS)
    return t->value && (!t->plane.there || (t->plane.rows == 1 && !t->plane.rows_velocity_only)) &&
           (!t->space.there || (t->space.rows == 1 && !t->space.rows_velocity_only));
  if (named(t->coordinates) && (t->seat == TN_SEAT_CENTERS || t->seat == TN_SEAT_MESH)) return false;
  if (named(t->coordinates) && (t->plane.carried || t->space.carried))
    return false; /* what it measures is what it gives */
  return (!t->plane.there || good_joint2(t)) && (!t->space.there || good_joint3(t));
}

static bool good_coordinates(const tn_body_type *t) {
  const tn_body2 *p = &t->plane;
  const tn_body3 *q = &t->space;
  if (p->n && !(p->motion && p->from_pose && p->n >= 1 && p->n <= 3 && named(p->coordinates) >= p->n)) return false;
  if (q->nq < 0 || p->n < 0 || !good_chart(q->chart)) return false;
  if (q->nq && !(q->motion && q->from_pose && q->nu >= 1 && q->nu <= 8 && q->nq <= 8 &&
                 (q->chart ? q->chart->nq == q->nq && q->chart->nu == q->nu
                           : q->nq == q->nu && named(q->coordinates) >= q->nq) &&
                 (q->rows == 0 || (q->rows == 1 && q->own && !q->chart))))
    return false;
  return p->n || q->nq;
}

static tn_status add(tn_desc *d, tn_registry kind, const void *type, bool usable, tn_error *e) {
  tn_error_clear(e);
  if (!d || !type || !tn_type_name(type) || !*tn_type_name(type))
    return tn_fail(e, TN_E_USAGE, "a %s to be added needs a description and a name", tn_registry_kinds[kind]);
  const char *name = tn_type_name(type);
  if (!usable)
    return tn_fail(e, TN_E_USAGE, "%s '%s': functions that it needs are NULL, or its sizes make no sense",
                   tn_registry_kinds[kind], name);
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
  return add(d, TN_JOINTS, t, t && good_joint(t), e);
}

tn_status tn_desc_add_force(tn_desc *d, const tn_force_type *t, tn_error *e) {
  return add(d, TN_FORCES, t,
             t && (t->plane || t->space) && t->takes && good_fields(t->fields) && good_fields(t->fields_space), e);
}

tn_status tn_desc_add_coordinates(tn_desc *d, const tn_body_type *t, tn_error *e) {
  return add(d, TN_COORDINATES, t, t && good_coordinates(t), e);
}

tn_status tn_desc_add_formulation(tn_desc *d, const tn_formulation_type *t, tn_error *e) {
  return add(d, TN_FORMULATIONS, t,
             t && good_fields(t->fields) && t->memory && t->prepare && t->reset && t->typical && t->factor &&
                 t->solve && t->correct && t->nearness && t->rank,
             e);
}

tn_status tn_desc_add_stabilizer(tn_desc *d, const tn_stabilizer_type *t, tn_error *e) {
  return add(d, TN_STABILIZERS, t, t && good_fields(t->fields) && (!t->feedback || (t->held && t->tied_to_step)), e);
}

tn_status tn_desc_add_integrator(tn_desc *d, const tn_integrator_type *t, tn_error *e) {
  return add(d, TN_INTEGRATORS, t,
             t && good_fields(t->fields) && t->memory && t->start && (t->attempt || t->advance) && t->accept &&
                 t->dense && (t->fixed || t->adaptive) && !(t->fixed && !t->attempt),
             e);
}

/* ---- for those who list ------------------------------------------------------------------------------------------------ */

typedef struct listed {
  const char *name, *doc;
} listed;

static listed entry(const char *kind, int i) {
  for (int k = 0; k < TN_REGISTRIES; k++) {
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
