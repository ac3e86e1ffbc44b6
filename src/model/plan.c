/* what rows touch, and the plan of the sparse factorisation of
 *   K = [M A'; A 0]
 * with the accelerations of bodies as unknowns: of a body on its own coordinates its speeds; of one that stands on another, its twist a,
 * the multiplier of its tie, and its coordinates udot:
 *   (1) a - X a_parent - S udot = 0
 * so that everything couples bodies with their neighbours only, in every kind of coordinates. */
#include "model/model.h"

enum { TARGETS = 64 };             /* start values of a model without matrices, at most */
enum { LEAST = 20, LARGE = 2500 }; /* speeds and rows: blocks from here; from here no matrices at all */

static bool stands_on(const tn_body *b) { return !b->type || b->type->on_parent; }

int tn_measure_speed(const tn_model *m, const tn_measure *of) {
  const int body = of->kind == TN_OF_RAW ? of->part : of->kind == TN_OF_JOINT ? m->joint[of->part].carries : -1;
  return body >= 0 && !m->body[body].chart ? m->body[body].u + of->k : -1;
}

/* an equation, which may use many channels of one body, touches it once */
static void touch(tn_joint *j, int body, int speed) {
  for (int k = 0; j->equation.expr && k < j->touches; k++)
    if (j->touch[k].body == body && j->touch[k].speed == speed) return;
  if (body >= 0) j->touch[j->touches++] = (tn_touch){.body = body, .speed = speed};
}

static tn_status list_touches(tn_context *c, tn_joint *j) {
  tn_model *m = c->m;
  j->touch = tn_context_alloc(c, sizeof *j->touch * (size_t)(j->frames + 2 * j->terms + 1));
  if (!j->touch) return TN_E_MEMORY;
  if (j->owner >= 0) j->touch[j->touches++] = (tn_touch){.body = j->owner, .speed = m->body[j->owner].u};
  for (int k = 0; k < j->frames; k++) touch(j, j->spot[k].body, -1);
  for (int k = 0; k < j->terms; k++) {
    const tn_measure *of = &j->term[k].of;
    const int speed = tn_measure_speed(m, of);
    if (speed >= 0)
      touch(j, of->kind == TN_OF_RAW ? of->part : m->joint[of->part].carries, speed);
    else if (of->kind != TN_OF_JOINT)
      touch(j, of->part, -1);
    else
      for (int f = 0; f < 2; f++) touch(j, m->joint[of->part].spot[f].body, -1);
  }
  j->R = m->R;
  j->stride = j->owner >= 0 ? m->body[j->owner].nu : m->twist;
  j->pin = m->dimension == 2 && j->type && j->type->plane.pin && j->frames == 2 && !j->switchable;
  j->listed = m->twist == 6 && j->type && j->type->space.list && j->frames == 2 && !j->switchable;
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
  for (int i = 0; i < m->flywheels; i++) {
    const int *body = m->flywheel[i].body;
    if (body[0] >= 0 && body[1] >= 0) edge(g, m->body[body[0]].block, m->body[body[1]].block);
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
  for (int i = 0; i < m->flywheels; i++) {
    tn_flywheel *e = &m->flywheel[i];
    if (e->body[0] >= 0 && e->body[1] >= 0)
      tn_plan_where(p, m->body[e->body[0]].block, m->body[e->body[1]].block, &e->where);
  }
}

/* ---- side by side ------------------------------------------------------------------------------------------------------- */

static tn_status list_lumps(tn_context *c) {
  tn_model *m = c->m;
  const bool plane = m->dimension == 2;
  m->plain = m->bodies > 0 ? m->body[0].type : NULL;
  m->lump = tn_context_alloc(c, sizeof *m->lump * (size_t)(plane ? m->bodies + 1 : 1));
  m->lump3 = tn_context_alloc(c, sizeof *m->lump3 * (size_t)(plane ? 1 : m->bodies + 1));
  if (!m->lump || !m->lump3) return TN_E_MEMORY;
  for (int i = 0; i < m->bodies; i++) {
    tn_body *b = &m->body[i];
    b->plain = m->twist == m->wrench && b->type && (plane ? b->type->plane.plain : b->type->space.plain);
    if (!b->plain || b->type != m->plain || b->q != i * b->nq || b->u != i * b->nu) m->plain = NULL;
    if (plane) {
      m->lump[i] = (tn_lump){.mass = b->mass, .inertia = b->inertia, .center = {b->center[0], b->center[1]}};
      continue;
    }
    m->lump3[i].mass = b->mass;
    memcpy(m->lump3[i].center, b->center, sizeof b->center);
    memcpy(m->lump3[i].tensor, b->tensor, sizeof b->tensor);
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

static tn_status list_ready(tn_context *c) {
  tn_model *m = c->m;
  if (!m->plain) return TN_OK;
  m->ready = tn_context_alloc(c, sizeof *m->ready * (size_t)(m->bodies / TN_AT_ONCE + 1));
  if (!m->ready) return TN_E_MEMORY;
  for (int end = 0, k = 0, n = 0; end < m->bodies; k++) {
    end += TN_AT_ONCE;
    for (; n < m->pins + m->lists; n++) {
      const int *body = m->pins ? m->pin[n].body : m->list[n].body;
      if (body[0] >= end || body[1] >= end) break;
    }
    m->ready[k] = n;
  }
  return TN_OK;
}

/* ---- in the order of elimination ----------------------------------------------------------------------------------------- */

typedef struct placer {
  tn_model *m;
  bool *set;  /* values: filling sets it, and does not add to it          */
  int *body;  /* nodes: whose block, tie or coordinates it is, or -1      */
  int *joint; /* nodes: whose rows, or -1                                 */
  int *tile;  /* nodes: before which they are needed                      */
} placer;

static int place(const tn_model *m, int node) { return m->plan.columns[m->plan.column[node]].x; }

/* its unknowns are its twist: a row on that is its row in the matrix */
static bool direct(const tn_body *b) { return b->plain || stands_on(b); }

static void set_range(placer *p, int at, int n) { memset(p->set + at, true, sizeof *p->set * (size_t)n); }

static void put_body(placer *p, tn_put_tile *n, const tn_body *b) {
  p->m->put.body[n->body++] =
      (tn_put_body){.body = (int)(b - p->m->body), .at = b->where.at, .x = place(p->m, b->block)};
  if (direct(b)) set_range(p, b->where.at, p->m->twist * b->where.row);
}

static void put_joint(placer *p, tn_put_tile *n, const tn_joint *j) {
  const tn_model *m = p->m;
  const tn_column *c = &m->plan.columns[m->plan.column[j->block]];
  tn_put_rows r = {.row = j->row, .R = j->R, .x = c->x, .at = c->at, .end = {-1, -1}};
  bool all = j->pin || j->listed;
  for (int k = 0, touch = 0; all && k < 2; k++) {
    if (j->spot[k].body < 0) continue;
    const tn_where *w = &j->touch[touch++].where;
    if (!direct(&m->body[j->spot[k].body])) continue;
    r.end[k] = w->at;
    r.down[k] = w->row == 1;
    set_range(p, w->at, r.down[k] ? m->twist * w->col : j->rows * w->row);
  }
  if (all) {
    r.rows = (unsigned char)j->rows;
    r.touches = (unsigned char)j->touches;
    set_range(p, c->at, j->rows * tn_block_pad(j->rows));
    for (int k = 0; k < 2; k++) all = all && (r.end[k] >= 0 || j->spot[k].body < 0);
    m->put.rows[n->rows++] = r;
  }
  if (!all) m->put.joint[n->joint++] = (int)(j - m->joint);
}

static void put_nodes(placer *p) {
  const tn_model *m = p->m;
  const tn_plan *plan = &m->plan;
  tn_put_tile n = {0};
  for (int t = 0; t < plan->tiles; t++) {
    m->put.tile[t] = n;
    for (int i = plan->tile[t].needed; i < plan->tile[t + 1].needed; i++) {
      const int node = plan->needed[i];
      const tn_column *c = &plan->columns[plan->column[node]];
      p->tile[node] = t;
      if (p->joint[node] >= 0) {
        put_joint(p, &n, &m->joint[p->joint[node]]);
        continue;
      }
      const tn_body *b = &m->body[p->body[node]];
      if (node == b->block) {
        put_body(p, &n, b);
        continue;
      }
      m->put.zero[n.zero++] = (tn_range){c->x, c->size};
      if (node == b->tie) m->put.tie[n.tie++] = p->body[node];
    }
  }
  m->put.tile[plan->tiles] = n;
}

/* the columns of which a block is there first, by the tile before which that is: chains from head (tiles) through after (columns) */
static void columns_by_tile(const placer *p, int *head, int *after) {
  const tn_plan *plan = &p->m->plan;
  for (int t = 0; t < plan->tiles; t++) head[t] = -1;
  for (int k = plan->nodes - 1; k >= 0; k--) {
    const tn_column *c = &plan->columns[k];
    int first = p->tile[plan->node[k]];
    for (int i = c->first; i < c->first + c->n; i++) {
      const int other = p->tile[plan->node[plan->later[i].column]];
      if (other < first) first = other;
    }
    after[k] = head[first];
    head[first] = k;
  }
}

/* the ranges that filling does not set are those that it adds to; range NULL: they are only counted */
static int clear_ranges(const placer *p, const int *head, const int *after, tn_range *range) {
  const tn_plan *plan = &p->m->plan;
  int n = 0;
  for (int t = 0; t < plan->tiles; t++) {
    p->m->put.tile[t].clear = n;
    for (int k = head[t]; k >= 0; k = after[k]) {
      const int end = k + 1 < plan->nodes ? plan->columns[k + 1].at : plan->values;
      for (int at = plan->columns[k].at; at < end;) {
        while (at < end && p->set[at]) at++;
        const int first = at;
        while (at < end && !p->set[at]) at++;
        if (at > first && range) range[n] = (tn_range){first, at - first};
        n += at > first;
      }
    }
  }
  p->m->put.tile[plan->tiles].clear = n;
  return n;
}

static tn_status put_in_order(tn_context *c) {
  tn_model *m = c->m;
  tn_plan *plan = &m->plan;
  tn_filling *put = &m->put;
  tn_arena scratch;
  placer p = {.m = m};
  const size_t nodes = (size_t)plan->nodes + 1, bodies = (size_t)m->bodies + 1,
               joints = (size_t)(m->joints + m->owned) + 1;
  /* a rod, a flywheel, and a row of a body on its own coordinates, adds to blocks of others, which must be there */
  if (m->rods || m->flywheels || m->owned) plan->tile[1] = plan->tile[plan->tiles], plan->tiles = 1;
  tn_arena_init(&scratch, &c->arena->allocator);
  p.set = tn_arena_alloc(&scratch, sizeof *p.set * (size_t)(plan->values + 1));
  p.body = tn_arena_alloc(&scratch, sizeof *p.body * nodes);
  p.joint = tn_arena_alloc(&scratch, sizeof *p.joint * nodes);
  p.tile = tn_arena_alloc(&scratch, sizeof *p.tile * nodes);
  int *head = tn_arena_alloc(&scratch, sizeof *head * (size_t)(plan->tiles + 1)),
      *after = tn_arena_alloc(&scratch, sizeof *after * nodes);
  put->tile = tn_arena_alloc(c->arena, sizeof *put->tile * (size_t)(plan->tiles + 1));
  put->body = tn_arena_alloc(c->arena, sizeof *put->body * bodies);
  put->rows = tn_arena_alloc(c->arena, sizeof *put->rows * (size_t)(m->pins + m->lists + 1));
  put->tie = tn_arena_alloc(c->arena, sizeof *put->tie * bodies);
  put->joint = tn_arena_alloc(c->arena, sizeof *put->joint * joints);
  put->zero = tn_arena_alloc(c->arena, sizeof *put->zero * 2 * bodies);
  bool ok = p.set && p.body && p.joint && p.tile && head && after && put->tile && put->body && put->rows && put->tie &&
            put->joint && put->zero;
  for (int i = 0; ok && i < plan->nodes; i++) p.body[i] = p.joint[i] = -1;
  for (int i = 0; ok && i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    p.body[b->block] = i;
    if (b->tie >= 0) p.body[b->tie] = i;
    if (b->free >= 0) p.body[b->free] = i;
  }
  for (int i = 0; ok && i < m->joints + m->owned; i++)
    if (m->joint[i].block >= 0) p.joint[m->joint[i].block] = i;
  if (ok) {
    put_nodes(&p);
    columns_by_tile(&p, head, after);
    const int n = clear_ranges(&p, head, after, NULL);
    ok = (put->clear = tn_arena_alloc(c->arena, sizeof *put->clear * (size_t)(n + 1)));
  }
  if (ok) clear_ranges(&p, head, after, put->clear);
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

/* without matrices, memory and time grow with the bodies only; but many start values need them, and those on coordinates that nothing
 * pushes along */
bool tn_plan_is_large(const tn_model *m) {
  const int targets = m->exact + m->guesses;
  if (!m->plan.nodes || m->nu + m->rows < LARGE || targets > TARGETS) return false;
  for (int i = 0; i < targets; i++)
    if (m->target[i].of.kind == TN_OF_RAW && m->body[m->target[i].of.part].joint < 0) return false;
  return true;
}

/* a joint of two frames on two bodies stands between them, and a loop of these need not touch the ground */
static bool plan_root(tn_context *c, tn_arena *scratch, const graph *g) {
  tn_model *m = c->m;
  unsigned char *role = tn_arena_alloc(scratch, sizeof *role * ((size_t)g->nodes + 1));
  bool ties = false;
  if (!role) return false;
  for (int i = 0; i < m->bodies; i++)
    if (m->body[i].tie >= 0) role[m->body[i].tie] = TN_ROOT_TIE, ties = true;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->block >= 0 && j->frames == 2 && !j->terms && j->spot[0].body >= 0 && j->spot[1].body >= 0)
      role[j->block] = TN_ROOT_BETWEEN;
  }
  return tn_root_plan_make(&m->root_plan, c->arena, &m->plan, g->edges, g->edge, ties ? role : NULL);
}

tn_status tn_plan_build(tn_context *c) {
  tn_model *m = c->m;
  size_t edges = (size_t)(m->rods + m->flywheels) + 1;
  TN_TRY(list_lumps(c));
  for (int i = 0; i < m->joints + m->owned; i++) {
    if (m->joint[i].in_tree) continue;
    TN_TRY(list_touches(c, &m->joint[i]));
    edges += (size_t)m->joint[i].touches;
  }
  TN_TRY(list_pins(c));
  TN_TRY(list_lists(c));
  TN_TRY(list_ready(c));
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
  const bool use = ok && (m->nu + m->rows >= LARGE || worth_it(m));
  if (use) ok = plan_root(c, &scratch, &g);
  tn_arena_free(&scratch);
  if (!ok) return tn_no_memory(c);
  find_places(m);
  if (use) return put_in_order(c);
  m->plan.nodes = 0;
  return TN_OK;
}
