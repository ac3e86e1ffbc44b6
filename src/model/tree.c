/* who carries whom. in absolute coordinates every body stands on its own coordinates; in relative ones joints that allow
 * motion carry bodies, taken in the order of the file as soon as one of their ends is placed, and the others close loops. bodies
 * with coordinates of their own (`swing`, `point`) keep them. */
#include "model/model.h"

/* a joint that can carry the body at its other end, from a body that is placed already */
static bool can_carry(const tn_model *m, const tn_joint *j, const bool *placed, int *child, bool *backwards) {
  if (j->in_tree || j->frames != 2 || j->type->plane.axes < 0 || j->type->seat != TN_SEAT_SHARED) return false;
  for (int k = 1; k >= 0; k--) {
    const int b = j->spot[k].body, p = j->spot[1 - k].body;
    if (b < 0 || placed[b] || tn_node_get(m->body[b].node, "coordinates") || !m->body[b].oriented) continue;
    if (p >= 0 && (!placed[p] || !m->body[p].oriented)) continue;
    *child = b;
    *backwards = k == 0;
    return true;
  }
  return false;
}

/* it carries a body already, or never will */
static bool is_settled(const tn_joint *j, const bool *placed) {
  if (j->in_tree || j->frames != 2 || j->type->plane.axes < 0 || j->type->seat != TN_SEAT_SHARED) return true;
  return (j->spot[0].body < 0 || placed[j->spot[0].body]) && (j->spot[1].body < 0 || placed[j->spot[1].body]);
}

static bool stands(const tn_body *b, const bool *placed) { return b->parent == TN_GROUND || placed[b->parent]; }

static tn_status columns(tn_context *c) {
  tn_model *m = c->m;
  for (int k = 0; k < m->bodies; k++) {
    tn_body *b = &m->body[m->order[k]];
    const tn_body *p = b->parent >= 0 ? &m->body[b->parent] : NULL;
    const int inherited = p ? p->cols : 0;
    b->col = tn_context_alloc(c, sizeof *b->col * (size_t)(inherited + b->n + 1));
    if (!b->col) return TN_E_MEMORY;
    for (int i = 0; i < inherited; i++) b->col[b->cols++] = p->col[i];
    for (int i = 0; i < b->n; i++) b->col[b->cols++] = b->u + i;
  }
  return TN_OK;
}

static tn_status name_coordinates(tn_context *c) {
  tn_model *m = c->m;
  m->q0 = tn_context_alloc(c, sizeof *m->q0 * (size_t)(m->nq + 1));
  m->q_unit = tn_context_alloc(c, sizeof *m->q_unit * (size_t)(m->nq + 1));
  m->q_name = tn_context_alloc(c, sizeof *m->q_name * (size_t)(m->nq + 1));
  if (!m->q0 || !m->q_unit || !m->q_name) return TN_E_MEMORY;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    const tn_coordinate *k = b->type ? b->type->coordinates : m->joint[b->joint].type->coordinates;
    const char *part = b->type ? b->name : m->joint[b->joint].name;
    for (int n = 0; n < b->n; n++) {
      const size_t size = strlen(part) + strlen(k[n].name) + 2;
      char *text = tn_context_alloc(c, size);
      if (!text) return TN_E_MEMORY;
      tn_format(text, size, "%s.%s", part, k[n].name);
      m->q_name[b->q + n] = text;
      m->q_unit[b->q + n] = k[n].unit;
    }
    if (b->type) b->type->from_pose(b->pose, m->q0 + b->q); /* a joint's coordinates are 0 at the given pose */
  }
  return TN_OK;
}

tn_status tn_tree_build(tn_context *c) {
  tn_model *m = c->m;
  bool *placed = tn_context_alloc(c, sizeof *placed * (size_t)(m->bodies + 1));
  if (!placed) return TN_E_MEMORY;
  int first_body = 0, first_joint = 0; /* all before them are settled */
  for (int n = 0; n < m->bodies;) {
    int chosen = -1;
    while (first_body < m->bodies && placed[first_body]) first_body++;
    while (first_joint < m->joints && is_settled(&m->joint[first_joint], placed)) first_joint++;
    /* bodies that keep their own coordinates as soon as what they stand on is there; in absolute coordinates all do */
    for (int i = first_body; i < m->bodies && chosen < 0; i++) {
      const tn_body *b = &m->body[i];
      if (placed[i]) continue;
      const bool own = !m->relative || b->type->on_parent || !b->oriented || tn_node_get(b->node, "coordinates");
      if (own && stands(b, placed)) chosen = i;
    }
    for (int i = first_joint; i < m->joints && chosen < 0 && m->relative; i++) {
      tn_joint *j = &m->joint[i];
      bool backwards;
      int child;
      if (!can_carry(m, j, placed, &child, &backwards)) continue;
      tn_body *b = &m->body[child];
      b->type = NULL;
      b->joint = i;
      b->backwards = backwards;
      b->parent = j->spot[backwards ? 1 : 0].body;
      j->in_tree = true;
      chosen = child;
    }
    /* nothing carries the rest: the first of them stands free */
    for (int i = first_body; i < m->bodies && chosen < 0; i++)
      if (!placed[i] && stands(&m->body[i], placed)) chosen = i;
    if (chosen < 0) return tn_refuse(c, NULL, "bodies stand on each other in a ring");
    placed[chosen] = true;
    m->order[n++] = chosen;
  }
  /* numbers in file order where bodies are free, so that the columns of a result are where one looks for them */
  for (int k = 0; k < m->bodies; k++) {
    tn_body *b = &m->body[m->order[k]];
    b->n = b->type ? b->type->n : m->joint[b->joint].type->plane.axes;
    b->q = m->nq;
    b->u = m->nu;
    m->nq += b->n;
    m->nu += b->n;
  }
  TN_TRY(columns(c));
  return name_coordinates(c);
}
