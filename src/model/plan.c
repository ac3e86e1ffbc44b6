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
  m->R += (j->rows + j->rows_velocity) * j->touches * (m->twist > TN_BLOCK_MOST ? m->twist : TN_BLOCK_MOST);
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
    b->plain = b->type && (m->dimension == 2 ? b->type->plane.plain : b->type->space.plain);
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
 * relative coordinates the two break even at a ratio of 3 (chains) to 5 (loops); in absolute ones the blocks win from the start, but
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
  return m->nu + m->rows >= LEAST && (absolute || dense > 5 * blocks);
}

/* without matrices, memory and time grow with the bodies only; but start values that are wanted need them */
bool tn_plan_is_large(const tn_model *m) {
  return m->plan.nodes && m->nu + m->rows >= LARGE && !(m->exact + m->guesses);
}

tn_status tn_plan_build(tn_context *c) {
  tn_model *m = c->m;
  size_t edges = (size_t)m->rods + 1;
  for (int i = 0; i < m->joints + m->owned; i++) {
    if (m->joint[i].in_tree) continue;
    TN_TRY(list_touches(c, &m->joint[i]));
    edges += (size_t)m->joint[i].touches;
  }
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
  if (m->nu + m->rows < LARGE && !worth_it(m)) m->plan.nodes = 0;
  return TN_OK;
}
