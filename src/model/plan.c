/* what rows touch, and the plan of the sparse factorisation of
 *   K = [M A'; A 0]
 * with the accelerations of bodies as unknowns: of a body on its own coordinates its speeds; of one that stands on another, its twist a,
 * the multiplier of its tie, and its coordinates udot:
 *   (1) a - X a_parent - S udot = 0
 * so that everything couples bodies with their neighbours only, in every kind of coordinates. */
#include "model/model.h"

enum { LEAST = 20, LARGE = 2500 }; /* speeds and rows: blocks from here; from here no matrices at all */

static bool stands_on(const tn_body *b) { return !b->type || b->type->on_parent; }

static void touch_twist(tn_joint *j, int body) {
  if (body >= 0) j->touch[j->touches++] = (tn_touch){.body = body, .speed = -1};
}

static tn_status list_touches(tn_context *c, tn_joint *j) {
  tn_model *m = c->m;
  j->touch = tn_context_alloc(c, sizeof *j->touch * (size_t)(j->frames + 2 * j->terms + 1));
  if (!j->touch) return TN_E_MEMORY;
  if (j->owner >= 0) j->touch[j->touches++] = (tn_touch){.body = j->owner, .speed = m->body[j->owner].u};
  for (int k = 0; k < j->frames; k++) touch_twist(j, j->spot[k].body);
  for (int k = 0; k < j->terms; k++) {
    const tn_measure *of = &j->term[k].of;
    const int carried = of->kind == TN_OF_RAW ? of->part : of->kind == TN_OF_JOINT ? m->joint[of->part].carries : -1;
    if (carried >= 0 && !m->body[carried].chart) {
      j->touch[j->touches++] = (tn_touch){.body = carried, .speed = m->body[carried].u + of->k};
    } else if (of->kind == TN_OF_JOINT) {
      for (int f = 0; f < 2; f++) touch_twist(j, m->joint[of->part].spot[f].body);
    } else {
      touch_twist(j, of->part);
    }
  }
  j->R = m->R;
  j->stride = j->owner >= 0 ? m->body[j->owner].nu : m->twist;
  j->pin = m->dimension == 2 && j->type && j->type->plane.pin && j->frames == 2;
  j->listed = m->dimension == 3 && j->type && j->type->space.list && j->frames == 2;
  m->R += j->pin ? 4 : (j->rows + j->rows_velocity) * j->touches * j->stride;
  return TN_OK;
}

typedef struct graph {
  int nodes, edges;
  int *size, *kind;
  tn_edge *edge;
} graph;

static int node(graph *g, int size, int kind) {
  g->size[g->nodes] = size;
  g->kind[g->nodes] = kind;
  return g->nodes++;
}

static void edge(graph *g, int a, int b) {
  if (a != b && a >= 0 && b >= 0) g->edge[g->edges++] = (tn_edge){a, b};
}

/* the node that a touch is on */
static int touched(const tn_model *m, const tn_touch *t) {
  const tn_body *b = &m->body[t->body];
  return t->speed >= 0 && stands_on(b) ? b->free : b->block;
}

static void draw(tn_model *m, graph *g) {
  for (int k = 0; k < m->bodies; k++) {
    tn_body *b = &m->body[m->order[k]];
    b->tie = b->free = -1;
    if (!stands_on(b)) {
      b->block = node(g, b->nu, TN_BLOCK_MASS);
      continue;
    }
    b->block = node(g, m->twist, TN_BLOCK_MASS);
    b->tie = node(g, m->twist, TN_BLOCK_ROWS);
    if (b->nu) b->free = node(g, b->nu, TN_BLOCK_FREE);
    edge(g, b->tie, b->block);
    edge(g, b->tie, b->free);
    if (b->parent >= 0) edge(g, b->tie, m->body[b->parent].block);
  }
  for (int i = 0; i < m->joints + m->owned; i++) {
    tn_joint *j = &m->joint[i];
    j->block = -1;
    if (j->in_tree || !(j->rows + j->rows_velocity)) continue;
    j->block = node(g, j->rows + j->rows_velocity, TN_BLOCK_ROWS);
    for (int k = 0; k < j->touches; k++) edge(g, j->block, touched(m, &j->touch[k]));
  }
  for (int i = 0; i < m->rods; i++) {
    const int a = m->rod[i].end[0].body, b = m->rod[i].end[1].body;
    if (a >= 0 && b >= 0) edge(g, m->body[a].block, m->body[b].block);
  }
}

static void find_places(tn_model *m) {
  const tn_plan *p = &m->plan;
  for (int i = 0; i < m->bodies; i++) {
    tn_body *b = &m->body[i];
    tn_plan_where(p, b->block, b->block, &b->where);
    if (b->tie < 0) continue;
    tn_plan_where(p, b->tie, b->block, &b->where_tie[0]);
    if (b->parent >= 0) tn_plan_where(p, b->tie, m->body[b->parent].block, &b->where_tie[1]);
    if (b->free >= 0) tn_plan_where(p, b->tie, b->free, &b->where_tie[2]);
  }
  for (int i = 0; i < m->joints + m->owned; i++)
    for (int k = 0; m->joint[i].block >= 0 && k < m->joint[i].touches; k++)
      tn_plan_where(p, m->joint[i].block, touched(m, &m->joint[i].touch[k]), &m->joint[i].touch[k].where);
  for (int i = 0; i < m->rods; i++) {
    const int a = m->rod[i].end[0].body, b = m->rod[i].end[1].body;
    if (a >= 0 && b >= 0) tn_plan_where(p, m->body[a].block, m->body[b].block, &m->rod[i].where);
  }
}

/* ---- side by side ------------------------------------------------------------------------------------------------------- */

static tn_status list_lumps(tn_context *c) {
  tn_model *m = c->m;
  m->plain = m->bodies > 0;
  for (int i = 0; i < m->bodies; i++) {
    tn_body *b = &m->body[i];
    b->plain = b->type && (m->dimension == 2 ? b->type->plane.plain : b->type->space.plain);
    m->plain = m->plain && b->plain;
  }
  if (m->dimension == 3) return TN_OK;
  m->lump = tn_context_alloc(c, sizeof *m->lump * (size_t)(m->bodies + 1));
  if (!m->lump) return TN_E_MEMORY;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    m->lump[i] = (tn_lump){.mass = b->mass, .inertia = b->inertia, .center = {b->center[0], b->center[1]}};
  }
  return TN_OK;
}

static tn_status list_pins(tn_context *c) {
  tn_model *m = c->m;
  int n = 0;
  for (int i = 0; i < m->joints; i++) n += m->joint[i].pin;
  m->pin = tn_context_alloc(c, sizeof *m->pin * (size_t)(n + 1));
  if (!m->pin) return TN_E_MEMORY;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (!j->pin) continue;
    tn_pin *p = &m->pin[m->pins++];
    *p = (tn_pin){.row = j->row, .R = j->R};
    for (int k = 0; k < 2; k++) {
      p->body[k] = j->spot[k].body;
      memcpy(p->p[k], j->spot[k].p, sizeof p->p[k]);
    }
  }
  return TN_OK;
}

static tn_status list_lists(tn_context *c) {
  tn_model *m = c->m;
  int n = 0;
  for (int i = 0; i < m->joints; i++) n += m->joint[i].listed;
  m->list = tn_context_alloc(c, sizeof *m->list * (size_t)(n + 1));
  if (!m->list) return TN_E_MEMORY;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (!j->listed) continue;
    tn_list *l = &m->list[m->lists++];
    *l = (tn_list){.row = j->type->space.list, .first = j->row, .R = j->R};
    for (int k = 0; k < 2; k++) {
      l->body[k] = j->spot[k].body;
      memcpy(l->p[k], j->spot[k].p, sizeof l->p[k]);
      memcpy(l->A[k], j->spot[k].A, sizeof l->A[k]);
    }
  }
  return TN_OK;
}

static int place(const tn_model *m, int node) { return m->plan.columns[m->plan.column[node]].x; }

/* where lumps and pins stand in the matrix; the ranges that they do not set are those that filling adds to */
static tn_status place_them(tn_context *c) {
  tn_model *m = c->m;
  const tn_plan *p = &m->plan;
  tn_arena scratch;
  tn_arena_init(&scratch, &c->arena->allocator);
  bool *set = tn_arena_alloc(&scratch, sizeof *set * (size_t)(p->values + 1));
  bool ok = set != NULL;
  for (int i = 0; ok && m->dimension == 2 && i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    m->lump[i].at = b->where.at;
    m->lump[i].x = place(m, b->block);
    for (int k = 0; k < 9 && (b->plain || stands_on(b)); k++) set[b->where.at + k] = true;
  }
  for (int i = 0, n = 0; ok && i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (!j->pin) continue;
    tn_pin *pin = &m->pin[n++];
    pin->x = place(m, j->block);
    pin->at = p->columns[p->column[j->block]].at;
    for (int k = 0; k < 4; k++) set[pin->at + k] = true;
    for (int k = 0, touch = 0; k < 2; k++) {
      if (pin->body[k] < 0) continue;
      const tn_body *b = &m->body[pin->body[k]];
      pin->where[k] = j->touch[touch++].where;
      pin->direct[k] = b->plain || stands_on(b);
      for (int v = 0; v < 6 && pin->direct[k]; v++) set[pin->where[k].at + v] = true;
    }
  }
  for (int i = 0; ok && m->dimension == 3 && i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    for (int k = 0; k < 48 && (b->plain || stands_on(b)); k++) set[b->where.at + k] = true;
  }
  for (int i = 0; ok && i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    for (int k = 0; j->listed && k < j->touches; k++) {
      const tn_body *b = &m->body[j->touch[k].body];
      const tn_where *w = &j->touch[k].where;
      const int n = w->row == 1 ? 6 * w->col : j->rows * w->row;
      for (int v = 0; v < n && (b->plain || stands_on(b)); v++) set[w->at + v] = true;
    }
  }
  for (int pass = 0; ok && pass < 2; pass++) {
    int n = 0;
    for (int at = 0; at < p->values; n++) {
      while (at < p->values && set[at]) at++;
      const int first = at;
      while (at < p->values && !set[at]) at++;
      if (at == first) break;
      if (pass) m->clear[n] = (tn_range){first, at - first};
    }
    m->clears = n;
    if (!pass) ok = (m->clear = tn_arena_alloc(c->arena, sizeof *m->clear * (size_t)(n + 1)));
  }
  tn_arena_free(&scratch);
  return ok ? TN_OK : tn_no_memory(c);
}

/* ---- whether ------------------------------------------------------------------------------------------------------------ */

/* weights that stand in for missing mass tie bodies together; only that of a body's own row stays inside its block */
static bool can_be_sparse(const tn_model *m) {
  for (int i = 0; i < m->rows && m->sigma; i++)
    if (m->sigma[i] > 0 && m->joint[m->row_joint[i]].owner < 0) return false;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (b->nu > TN_BLOCK_MOST) return false;
    if (stands_on(b) && !b->oriented) return false;
    if (stands_on(b) &&
        !(b->mass > 0 && (m->dimension == 2 ? b->inertia : b->tensor[0] + b->tensor[4] + b->tensor[8]) > 0))
      return false; /* its twist has no mass of its own */
  }
  for (int i = 0; i < m->joints; i++)
    if (m->joint[i].rows + m->joint[i].rows_velocity > TN_BLOCK_MOST) return false;
  return true;
}

/* multiplications of a factorisation, block by block with what handling a block costs, and of dense matrices. measured on chains in
 * relative coordinates the two break even at a ratio of about 2; in absolute ones the blocks win from the start, but
 * little as long as there are few of them: those stay with the dense one, which goes through singular positions */
static bool worth_it(const tn_model *m) {
  const tn_plan *p = &m->plan;
  double blocks = 0, mass = 0;
  bool absolute = true;
  for (int k = 0; k < p->nodes; k++) {
    int length = p->columns[k].size;
    for (int i = 0; i < p->columns[k].n; i++) length += p->later[p->columns[k].first + i].size;
    blocks += 60 + 0.5 * p->columns[k].size * length * length;
  }
  for (int i = 0; i < m->bodies; i++) {
    absolute = absolute && !stands_on(&m->body[i]);
    mass += (double)m->twist * m->body[i].cols * m->body[i].cols;
  }
  const double n = m->nu, r = m->rows, dense = mass + n * n * n / 6 + r * n * n / 2 + r * r * n / 2 + r * r * r / 6;
  return m->nu + m->rows >= LEAST && (absolute || dense > 2 * blocks);
}

/* without matrices, memory and time grow with the bodies only; but start values that are wanted need them */
bool tn_plan_is_large(const tn_model *m) {
  return m->plan.nodes && m->nu + m->rows >= LARGE && !(m->exact + m->guesses);
}

tn_status tn_plan_build(tn_context *c) {
  tn_model *m = c->m;
  size_t edges = (size_t)m->rods + 1;
  TN_TRY(list_lumps(c));
  for (int i = 0; i < m->joints + m->owned; i++) {
    if (m->joint[i].in_tree) continue;
    TN_TRY(list_touches(c, &m->joint[i]));
    edges += (size_t)m->joint[i].touches;
  }
  TN_TRY(list_pins(c));
  TN_TRY(list_lists(c));
  if (!can_be_sparse(m)) return TN_OK;
  const size_t nodes = 3 * (size_t)m->bodies + (size_t)(m->joints + m->owned) + 1;
  edges += 3 * (size_t)m->bodies;
  tn_arena scratch;
  tn_arena_init(&scratch, &c->arena->allocator);
  graph g = {.size = tn_arena_alloc(&scratch, sizeof *g.size * nodes),
             .kind = tn_arena_alloc(&scratch, sizeof *g.kind * nodes),
             .edge = tn_arena_alloc(&scratch, sizeof *g.edge * edges)};
  bool ok = g.size && g.kind && g.edge;
  if (ok) {
    draw(m, &g);
    ok = tn_plan_make(&m->plan, c->arena, g.nodes, g.size, g.kind, g.edges, g.edge);
  }
  tn_arena_free(&scratch);
  if (!ok) return tn_no_memory(c);
  find_places(m);
  if (m->nu + m->rows < LARGE && !worth_it(m)) {
    m->plan.nodes = 0;
    return TN_OK;
  }
  return place_them(c);
}
