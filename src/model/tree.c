/* who carries whom. in absolute coordinates every body stands on its own coordinates; in relative ones joints that allow
 * motion carry bodies, taken in the order of the file as soon as one of their ends is placed, and the others close loops. bodies
 * with coordinates of their own (`swing`, `point`) keep them. */
#include "model/model.h"

/* 1: how regular coordinates are (bodies say it, 1 at best): at the start they have to be more */
static const double REGULAR_START = 1e-6;

/* a joint that can carry the body at its other end, from a body that is placed already */
static bool can_carry(const tn_model *m, const tn_joint *j, const bool *placed, int *child, bool *backwards) {
  if (j->in_tree || j->cut || j->switchable || j->frames != 2 || tn_joint_axes(m, j->type) < 0 ||
      j->type->seat != TN_SEAT_SHARED)
    return false;
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
static bool is_settled(const tn_model *m, const tn_joint *j, const bool *placed) {
  if (j->in_tree || j->cut || j->switchable || j->frames != 2 || tn_joint_axes(m, j->type) < 0 ||
      j->type->seat != TN_SEAT_SHARED)
    return true;
  return (j->spot[0].body < 0 || placed[j->spot[0].body]) && (j->spot[1].body < 0 || placed[j->spot[1].body]);
}

static bool stands(const tn_body *b, const bool *placed) { return b->parent == TN_GROUND || placed[b->parent]; }

static void count_columns(tn_model *m) {
  for (int k = 0; k < m->bodies; k++) {
    tn_body *b = &m->body[m->order[k]];
    b->cols = (b->parent >= 0 ? m->body[b->parent].cols : 0) + b->nu;
  }
}

tn_status tn_tree_columns(tn_context *c) {
  tn_model *m = c->m;
  for (int k = 0; k < m->bodies; k++) {
    tn_body *b = &m->body[m->order[k]];
    const int inherited = b->cols - b->nu;
    b->col = tn_context_alloc(c, sizeof *b->col * (size_t)(b->cols + 1));
    if (!b->col) return TN_E_MEMORY;
    for (int i = 0; i < inherited; i++) b->col[i] = m->body[b->parent].col[i];
    for (int i = 0; i < b->nu; i++) b->col[inherited + i] = b->u + i;
  }
  return TN_OK;
}

/* number k of the coordinates or speeds of a body: its name, and the unit (of a speed: of its integral) */
static const char *name_of(const tn_model *m, const tn_body *b, bool speed, int k, tn_unit *unit) {
  if (b->chart) {
    *unit = speed ? b->chart->u_unit[k] : b->chart->q_unit[k];
    return speed ? b->chart->u_name[k] : b->chart->q_name[k];
  }
  const tn_coordinate *x;
  if (b->type) {
    x = m->dimension == 2 ? b->type->plane.coordinates : b->type->space.coordinates;
  } else {
    const tn_joint_type *type = m->joint[b->joint].type;
    x = m->dimension == 2 ? type->plane.carried : type->space.carried;
    if (!x) x = type->coordinates;
  }
  *unit = x[k].unit;
  return speed ? x[k].rate : x[k].name;
}

static const char *full_name(tn_context *c, const char *part, const char *name) {
  const size_t size = strlen(part) + strlen(name) + 2;
  char *text = tn_context_alloc(c, size);
  if (text) tn_format(text, size, "%s.%s", part, name);
  return text;
}

static tn_status name_them(tn_context *c, const tn_body *b, bool speed) {
  tn_model *m = c->m;
  const char *part = b->type ? b->name : m->joint[b->joint].name;
  for (int k = 0; k < (speed ? b->nu : b->nq); k++) {
    tn_unit unit;
    const char *name = name_of(m, b, speed, k, &unit);
    const char *text = full_name(c, part, name);
    if (!text) return TN_E_MEMORY;
    (speed ? m->u_name : m->q_name)[(speed ? b->u : b->q) + k] = text;
    const bool turns = speed && b->own_axes && strcmp(b->chart->own_name[k], name) != 0;
    if (speed) m->own_name[b->u + k] = turns ? full_name(c, part, b->chart->own_name[k]) : text;
    if (speed && !m->own_name[b->u + k]) return TN_E_MEMORY;
    (speed ? m->u_unit : m->q_unit)[(speed ? b->u : b->q) + k] = unit;
  }
  return TN_OK;
}

/* the given pose: joints have their coordinates at 0 there */
static tn_status start_pose(tn_context *c, const tn_body *b, double *q) {
  if (!b->type) {
    for (int k = 0; k < b->nq; k++) q[k] = b->chart ? b->chart->zero[k] : 0;
    return TN_OK;
  }
  if (c->m->dimension == 2) {
    const double pose[3] = {b->pose.r[0], b->pose.r[1], b->pose.angle};
    b->type->plane.from_pose(pose, q);
    return TN_OK;
  }
  b->type->space.from_pose(b->pose.r, b->pose.A, q);
  if (!b->type->space.regular || b->type->space.regular(q) > REGULAR_START) return TN_OK;
  c->kind = "body";
  c->name = b->name;
  tn_refuse(c, b->node, "coordinates `%s` are singular at the given pose", b->type->name);
  if (b->type->space.remedy) tn_hint(c->e, "%s", b->type->space.remedy);
  return TN_E_MODEL;
}

static tn_status name_coordinates(tn_context *c) {
  tn_model *m = c->m;
  m->q0 = tn_context_alloc(c, sizeof *m->q0 * (size_t)(m->nq + 1));
  m->q_unit = tn_context_alloc(c, sizeof *m->q_unit * (size_t)(m->nq + 1));
  m->u_unit = tn_context_alloc(c, sizeof *m->u_unit * (size_t)(m->nu + 1));
  m->q_name = tn_context_alloc(c, sizeof *m->q_name * (size_t)(m->nq + 1));
  m->u_name = tn_context_alloc(c, sizeof *m->u_name * (size_t)(m->nu + 1));
  m->own_name = tn_context_alloc(c, sizeof *m->own_name * (size_t)(m->nu + 1));
  if (!m->q0 || !m->q_unit || !m->q_name || !m->u_unit || !m->u_name || !m->own_name) return TN_E_MEMORY;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    TN_TRY(name_them(c, b, false));
    TN_TRY(name_them(c, b, true));
    TN_TRY(start_pose(c, b, m->q0 + b->q));
  }
  return TN_OK;
}

static void count_coordinates(const tn_model *m, tn_body *b) {
  if (m->dimension == 2) {
    b->nq = b->nu = b->type ? b->type->plane.n : m->joint[b->joint].type->plane.axes;
  } else if (b->type) {
    b->nq = b->type->space.nq;
    b->nu = b->type->space.nu;
    b->chart = b->type->space.chart;
  } else {
    const tn_joint3 *type = &m->joint[b->joint].type->space;
    b->nu = type->axes;
    b->nq = type->chart ? type->chart->nq : type->axes;
    b->chart = type->chart;
  }
  b->own_axes = b->chart && b->chart->to_own && !tn_is_axisymmetric(b);
}

/* joints that the user wants to close loops */
static tn_status read_cut(tn_context *c) {
  const tn_node *cut = tn_node_get(c->root, "cut");
  if (!cut) return TN_OK;
  if (cut->kind != TN_NODE_LIST) return tn_refuse(c, cut, "`cut` must be a list of joints");
  for (const tn_node *k = cut->first; k; k = k->next) {
    const char *word;
    TN_TRY(tn_word_at(c, k, "cut", &word));
    const int i = tn_joint_named(c, word);
    if (i < 0) {
      const char *known[128];
      int n = 0;
      for (int j = 0; j < c->m->joints && n < 128; j++) known[n++] = c->m->joint[j].name;
      const char *near = tn_nearest(word, n, known);
      tn_refuse(c, k, "there is no joint '%s'", word);
      if (near) tn_hint(c->e, "did you mean '%s'?", near);
      return TN_E_MODEL;
    }
    c->m->joint[i].cut = true;
  }
  return TN_OK;
}

tn_status tn_tree_build(tn_context *c) {
  tn_model *m = c->m;
  bool *placed = tn_context_alloc(c, sizeof *placed * (size_t)(m->bodies + 1));
  bool *own = tn_context_alloc(c, sizeof *own * (size_t)(m->bodies + 1)); /* keep coordinates of their own */
  if (!placed || !own) return TN_E_MEMORY;
  TN_TRY(read_cut(c));
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    own[i] = !m->relative || b->type->on_parent || !b->oriented || tn_node_get(b->node, "coordinates");
  }
  int first_body = 0, first_own = 0, first_joint = 0; /* all before them are settled */
  for (int n = 0; n < m->bodies;) {
    int chosen = -1;
    while (first_body < m->bodies && placed[first_body]) first_body++;
    while (first_own < m->bodies && (placed[first_own] || !own[first_own])) first_own++;
    while (first_joint < m->joints && is_settled(m, &m->joint[first_joint], placed)) first_joint++;
    /* bodies that keep their own coordinates as soon as what they stand on is there; in absolute coordinates all do */
    for (int i = first_own; i < m->bodies && chosen < 0; i++)
      if (own[i] && !placed[i] && stands(&m->body[i], placed)) chosen = i;
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
      j->carries = child;
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
    count_coordinates(m, b);
    b->q = m->nq;
    b->u = m->nu;
    m->nq += b->nq;
    m->nu += b->nu;
  }
  count_columns(m);
  return name_coordinates(c);
}
