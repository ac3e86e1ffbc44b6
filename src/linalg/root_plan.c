/* The order in which rows are eliminated by reflections, and where everything stands. A step takes the rows of one node. It joins the
 * pieces that they touch into one, whose ports are the bodies with rows still to come. So a body with many joints costs the same for
 * each of them. The order is greedy, the step first that multiplies least: from the leaves inwards, along a chain of loops from its ends.
 *
 * Freedoms are counted as if all rows were independent, and places are given as if none were: a piece has no more freedoms than its ports
 * have numbers, root.c (5). */
#include "linalg/root.h"

#include <limits.h>

enum { ENTRIES = 24 }; /* numbers of left-null vectors for each row there is room for */

typedef struct span { /* numbers in a list of their own */
  int first, n;
} span;

typedef struct maker {
  tn_root_plan *r;
  tn_arena *arena, scratch;
  const tn_plan *plan;
  int nodes;
  span *near; /* nodes: neighbours, in the order of the edges             */
  int *neighbour;
  int *body;       /* nodes: of mass, its number                               */
  int *tie, *tied; /* free nodes: their tie; rows: the free node, or -1        */
  span *touch;     /* nodes of rows: bodies that they touch                    */
  int *touched;
  int *left;                    /* bodies: nodes of rows still to come                      */
  int *at;                      /* bodies: the piece                                        */
  int *freedoms;                /* pieces, if all rows are independent                      */
  span *port;                   /* pieces: open bodies                                      */
  int *open, opened, room;      /* bodies                                                   */
  int *place;                   /* bodies: row of their twist in their piece                */
  int *mark, marks;             /* pieces: seen                                             */
  const unsigned char *role;    /* nodes: tn_root_role, or NULL                           */
  int *node;                    /* bodies                                                   */
  bool *grounded;               /* pieces: ties lead from there to the ground               */
  bool *queued, *closes, *done; /* nodes: in the heap, or were; as one in one piece; eliminated */
  struct entry *heap;
  int heaped;
} maker;

static int kind_of(const maker *k, int node) { return k->plan->columns[k->plan->column[node]].kind; }
static int size_of(const maker *k, int node) { return k->plan->columns[k->plan->column[node]].size; }
static int x_of(const maker *k, int node) { return k->plan->columns[k->plan->column[node]].x; }

/* ---- what is joined with what ------------------------------------------------------------------------------------------------ */

static bool list_neighbours(maker *k, int edges, const tn_edge *edge) {
  k->near = tn_arena_alloc(&k->scratch, sizeof *k->near * ((size_t)k->nodes + 1));
  k->neighbour = tn_arena_alloc(&k->scratch, sizeof *k->neighbour * (2 * (size_t)edges + 1));
  if (!k->near || !k->neighbour) return false;
  for (int i = 0; i < edges; i++) k->near[edge[i].a].n++, k->near[edge[i].b].n++;
  for (int i = 0, at = 0; i < k->nodes; i++) k->near[i].first = at, at += k->near[i].n, k->near[i].n = 0;
  for (int i = 0; i < edges; i++) {
    span *a = &k->near[edge[i].a], *b = &k->near[edge[i].b];
    k->neighbour[a->first + a->n++] = edge[i].b;
    k->neighbour[b->first + b->n++] = edge[i].a;
  }
  return true;
}

/* rows stand between all others; each free node has a tie to itself */
static bool is_suitable(maker *k, int edges, const tn_edge *edge) {
  for (int i = 0; i < edges; i++)
    if ((kind_of(k, edge[i].a) == TN_BLOCK_ROWS) == (kind_of(k, edge[i].b) == TN_BLOCK_ROWS)) return false;
  for (int i = 0; i < k->nodes; i++) {
    if (kind_of(k, i) != TN_BLOCK_FREE) continue;
    if (!k->near[i].n) return false;
    const int tie = k->neighbour[k->near[i].first];
    if (k->tied[tie] >= 0 || size_of(k, tie) < size_of(k, i)) return false;
    k->tie[i] = tie;
    k->tied[tie] = i;
  }
  for (int i = 0; i < k->nodes; i++) /* what a tie is solved for are bodies alone */
    for (int n = 0; k->tied[i] >= 0 && n < k->near[i].n; n++) {
      const int other = k->neighbour[k->near[i].first + n];
      if (kind_of(k, other) == TN_BLOCK_FREE && other != k->tied[i]) return false;
    }
  return true;
}

static void touch(maker *k, span *list, int body) {
  for (int i = 0; i < list->n; i++)
    if (k->touched[list->first + i] == body) return;
  k->touched[list->first + list->n++] = body;
}

/* bodies that rows touch, themselves or by coordinates */
static bool list_touches(maker *k) {
  int most = 0;
  for (int i = 0; i < k->nodes; i++)
    for (int n = 0; kind_of(k, i) == TN_BLOCK_ROWS && n < k->near[i].n; n++) {
      const int other = k->neighbour[k->near[i].first + n];
      most += kind_of(k, other) == TN_BLOCK_MASS ? 1 : k->near[k->tie[other]].n;
    }
  k->touch = tn_arena_alloc(&k->scratch, sizeof *k->touch * ((size_t)k->nodes + 1));
  k->touched = tn_arena_alloc(&k->scratch, sizeof *k->touched * ((size_t)most + 1));
  if (!k->touch || !k->touched) return false;
  for (int i = 0, at = 0; i < k->nodes; i++) {
    k->touch[i].first = at;
    for (int n = 0; kind_of(k, i) == TN_BLOCK_ROWS && n < k->near[i].n; n++) {
      const int other = k->neighbour[k->near[i].first + n];
      if (kind_of(k, other) == TN_BLOCK_MASS) touch(k, &k->touch[i], k->body[other]);
      const span *more = kind_of(k, other) == TN_BLOCK_FREE && k->tied[i] != other ? &k->near[k->tie[other]] : NULL;
      for (int l = 0; more && l < more->n; l++) {
        const int mass = k->neighbour[more->first + l];
        if (kind_of(k, mass) == TN_BLOCK_MASS) touch(k, &k->touch[i], k->body[mass]);
      }
    }
    at += k->touch[i].n;
  }
  return true;
}

/* ---- the order -------------------------------------------------------------------------------------------------------------- */

typedef struct entry {
  double work;
  int node;
} entry;

static int rows_of(const maker *k, int node) {
  return size_of(k, node) - (k->tied[node] >= 0 ? size_of(k, k->tied[node]) : 0);
}

static bool touches(const maker *k, int node, int body) {
  for (int i = 0; i < k->touch[node].n; i++)
    if (k->touched[k->touch[node].first + i] == body) return true;
  return false;
}

static bool is_tie(const maker *k, int node) { return k->role && k->role[node] == TN_ROOT_TIE; }

static bool in_one_piece(const maker *k, int node) {
  for (int i = 1; i < k->touch[node].n; i++)
    if (k->at[k->touched[k->touch[node].first + i]] != k->at[k->touched[k->touch[node].first]]) return false;
  return k->touch[node].n > 0;
}

/* multiplications of a step, about; what closes a loop of ties goes first */
static double work_of(maker *k, int node) {
  int p = 0, ports = 0;
  if (!rows_of(k, node) || (!is_tie(k, node) && in_one_piece(k, node))) return 0;
  k->marks++;
  for (int i = 0; i < k->touch[node].n; i++) {
    const int piece = k->at[k->touched[k->touch[node].first + i]];
    if (k->mark[piece] == k->marks) continue;
    k->mark[piece] = k->marks;
    p += k->freedoms[piece];
    for (int n = 0; n < k->port[piece].n; n++) {
      const int body = k->open[k->port[piece].first + n];
      if (k->left[body] > touches(k, node, body)) ports += k->r->body[body].n;
    }
  }
  const double r = rows_of(k, node);
  return (r + ports) * p * (r + (p - r > ports ? ports : 0));
}

static bool before(const entry *a, const entry *b) {
  return a->work < b->work || (a->work == b->work && a->node < b->node);
}

static void sink(maker *k, int i) {
  for (;;) {
    int next = 2 * i + 1;
    if (next >= k->heaped) return;
    if (next + 1 < k->heaped && before(&k->heap[next + 1], &k->heap[next])) next++;
    if (!before(&k->heap[next], &k->heap[i])) return;
    const entry e = k->heap[i];
    k->heap[i] = k->heap[next];
    k->heap[next] = e;
    i = next;
  }
}

/* ---- rows of loops wait for the ties of their loops -------------------------------------------------------------------------------
 * A tie has to hold exactly, and must not be the row that is found redundant. It is independent of all rows eliminated before it if these
 * lie in loops whose ties are eliminated, too. Then pieces are joined by ties alone, and rows wait until their bodies are in one piece. A
 * row on the ground, or by way of it, waits until its pieces are tied to the ground. */

static bool is_ripe(const maker *k, int node) {
  if (!k->role || is_tie(k, node)) return true;
  if (k->role[node] == TN_ROOT_BETWEEN && in_one_piece(k, node)) return true;
  for (int i = 0; i < k->touch[node].n; i++)
    if (!k->grounded[k->at[k->touched[k->touch[node].first + i]]]) return false;
  return true;
}

/* once, and once more when its bodies are in one piece */
static void enter(maker *k, int node) {
  const bool again = k->queued[node] && !k->closes[node] && in_one_piece(k, node);
  if (k->done[node] || (k->queued[node] && !again) || !is_ripe(k, node)) return;
  k->closes[node] = in_one_piece(k, node);
  k->queued[node] = true;
  k->heap[k->heaped] = (entry){work_of(k, node), node};
  for (int i = k->heaped++; i > 0 && before(&k->heap[i], &k->heap[(i - 1) / 2]); i = (i - 1) / 2) {
    const entry e = k->heap[i];
    k->heap[i] = k->heap[(i - 1) / 2];
    k->heap[(i - 1) / 2] = e;
  }
}

static void enter_rows(maker *k, int body) {
  const span *near = &k->near[k->node[body]];
  for (int i = 0; i < near->n; i++) {
    const int rows = k->neighbour[near->first + i];
    enter(k, rows);
    /* and those on the coordinates that it determines */
    const span *of = k->tied[rows] >= 0 ? &k->near[k->tied[rows]] : NULL;
    for (int l = 0; of && l < of->n; l++) enter(k, k->neighbour[of->first + l]);
  }
}

/* rows that a step has made ripe, or cheap, are on a body of one of its pieces that was not grounded, or on bodies of two of them */
static void wake(maker *k, const tn_root_step *s, bool grounds) {
  int largest = 0, most = -1;
  for (int c = 0; c < s->children; c++) {
    const int piece = k->r->child[s->child + c];
    int weight = 0;
    for (int i = 0; i < k->port[piece].n; i++) weight += k->left[k->open[k->port[piece].first + i]];
    if (weight > most) most = weight, largest = c;
  }
  for (int c = 0; c < s->children; c++) grounds = grounds || k->grounded[k->r->child[s->child + c]];
  k->grounded[s->piece] = grounds;
  for (int c = 0; c < s->children; c++) {
    const int piece = k->r->child[s->child + c];
    if (c == largest && k->grounded[piece] == grounds) continue;
    for (int i = 0; i < k->port[piece].n; i++) enter_rows(k, k->open[k->port[piece].first + i]);
  }
}

/* the node that multiplies least; what its neighbours have changed is seen when its turn comes */
static int take(maker *k) {
  while (k->heaped > 0) {
    const int node = k->heap[0].node;
    const double work = k->done[node] ? 0 : work_of(k, node);
    if (work > k->heap[0].work) {
      k->heap[0].work = work;
      sink(k, 0);
      continue;
    }
    k->heap[0] = k->heap[--k->heaped];
    sink(k, 0);
    if (k->done[node]) continue;
    k->done[node] = true;
    return node;
  }
  return -1;
}

/* ---- a step ------------------------------------------------------------------------------------------------------------------ */

static bool open_body(maker *k, int body) {
  if (k->opened == k->room) {
    const int room = 2 * k->room + 64;
    int *more = tn_arena_alloc(&k->scratch, sizeof *more * (size_t)room);
    if (!more) return false;
    if (k->opened) memcpy(more, k->open, sizeof *more * (size_t)k->opened);
    k->open = more;
    k->room = room;
  }
  k->open[k->opened++] = body;
  return true;
}

typedef struct places { /* so far */
  int end, child, via, map, v;
  int64_t value;
} places;

static int reserve(places *at, int64_t n) {
  const int first = (int)at->value;
  at->value += n;
  return first;
}

static int child_of(maker *k, const tn_root_step *s, int piece) {
  for (int i = 0; i < s->children; i++)
    if (k->r->child[s->child + i] == piece) return i;
  return -1;
}

static void put_end(maker *k, const tn_root_step *s, places *at, int body) {
  const int piece = k->at[body];
  tn_root_end *e = &k->r->end[at->end++];
  *e = (tn_root_end){.body = body, .child = child_of(k, s, piece), .where.at = -1};
  e->T = k->r->piece[piece].T + k->place[body] * k->r->piece[piece].most;
}

/* the pieces that it touches, in `child`; their freedoms if all rows are independent. a tie that only determines coordinates joins none */
static int join(maker *k, tn_root_step *s, places *at, int node) {
  int freedoms = 0;
  for (int i = 0; s->size > s->skip && i < s->ends; i++) {
    const int piece = k->at[k->touched[k->touch[node].first + i]];
    if (child_of(k, s, piece) >= 0) continue;
    k->r->child[at->child++] = piece;
    s->children++;
    s->p += k->r->piece[piece].most;
    freedoms += k->freedoms[piece];
  }
  return freedoms;
}

static int end_of(const tn_root_plan *r, const tn_root_step *s, int body) {
  for (int i = 0; i < s->ends; i++)
    if (r->end[s->end + i].body == body) return i;
  return -1;
}

/* where the rows of a step stand in K */
static void find_rows(maker *k, tn_root_step *s, places *at, int node) {
  tn_root_plan *r = k->r;
  tn_where own;
  tn_plan_where(k->plan, node, node, &own);
  s->off = own.at;
  s->stride = own.row + own.col;
  for (int n = 0; n < k->near[node].n; n++) {
    const int other = k->neighbour[k->near[node].first + n];
    tn_where w;
    tn_plan_where(k->plan, node, other, &w);
    if (kind_of(k, other) == TN_BLOCK_MASS) {
      r->end[s->end + end_of(r, s, k->body[other])].where = w;
    } else if (k->tied[node] == other) {
      s->free = w;
      s->free_x = x_of(k, other);
    } else {
      r->via[at->via++] =
          (tn_root_via){.step = k->tie[other], .where = w, .V = reserve(at, s->size * size_of(k, other))};
      s->vias++;
    }
  }
}

static bool put_step(maker *k, places *at, int node, int number) {
  tn_root_plan *r = k->r;
  tn_root_step *s = &r->step[number];
  const tn_column *column = &k->plan->columns[k->plan->column[node]];
  *s = (tn_root_step){.x = column->x,
                      .row = column->row,
                      .size = column->size,
                      .free_x = -1,
                      .skip = size_of(k, node) - rows_of(k, node),
                      .end = at->end,
                      .ends = k->touch[node].n,
                      .child = at->child,
                      .via = at->via,
                      .piece = r->bodies + number};
  const int freedoms = join(k, s, at, node);
  for (int i = 0; i < s->ends; i++) {
    const int body = k->touched[k->touch[node].first + i];
    put_end(k, s, at, body);
    r->end[at->end - 1].a = reserve(at, s->size * r->body[body].n);
    k->left[body]--;
  }
  span port = {k->opened, 0};
  for (int c = 0; c < s->children; c++) {
    const span of = k->port[r->child[s->child + c]];
    for (int i = 0; i < of.n; i++) {
      const int body = k->open[of.first + i];
      if (!k->left[body]) continue;
      put_end(k, s, at, body);
      if (!open_body(k, body)) return false;
      s->port_rows += r->body[body].n;
      port.n++;
    }
  }
  s->ports = port.n;
  for (int i = 0, row = 0; i < port.n; i++) {
    const int body = k->open[port.first + i];
    k->at[body] = s->piece;
    k->place[body] = row;
    row += r->body[body].n;
  }
  const int rows = s->size - s->skip, rest = freedoms > rows ? freedoms - rows : 0;
  k->port[s->piece] = port;
  k->freedoms[s->piece] = rest < s->port_rows ? rest : s->port_rows;
  s->most = s->p < s->port_rows ? s->p : s->port_rows;
  r->piece[s->piece] = (tn_root_piece){.most = s->most, .v = at->v};
  at->v += s->p;
  s->W = reserve(at, (int64_t)(rows + s->port_rows) * s->p);
  s->scale = reserve(at, 2 * rows + s->port_rows);
  r->piece[s->piece].T = reserve(at, (int64_t)s->port_rows * s->most);
  if (s->skip) s->tie = reserve(at, s->skip * (s->skip + 1 + s->size));
  if (s->p > r->widest) r->widest = s->p;
  find_rows(k, s, at, node);
  return true;
}

/* rows on coordinates: ties, and their bodies among those of the rows */
static void map_vias(maker *k, const int *step_of) {
  tn_root_plan *r = k->r;
  int map = 0;
  for (int i = 0; i < r->steps; i++) {
    tn_root_step *s = &r->step[i];
    for (int n = 0; n < s->vias; n++) {
      tn_root_via *via = &r->via[s->via + n];
      via->step = step_of[via->step];
      via->map = map;
      const tn_root_step *tie = &r->step[via->step];
      for (int l = 0; l < tie->ends; l++) r->maps[map++] = end_of(r, s, r->end[tie->end + l].body);
    }
  }
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------------ */

static bool number_bodies(maker *k, places *at) {
  tn_root_plan *r = k->r;
  for (int i = 0; i < k->nodes; i++) {
    r->bodies += kind_of(k, i) == TN_BLOCK_MASS;
    r->steps += kind_of(k, i) == TN_BLOCK_ROWS;
  }
  r->pieces = r->bodies + r->steps;
  const size_t bodies = (size_t)r->bodies + 1, pieces = (size_t)r->pieces + 1;
  r->body = tn_arena_alloc(k->arena, sizeof *r->body * bodies);
  r->piece = tn_arena_alloc(k->arena, sizeof *r->piece * pieces);
  r->step = tn_arena_alloc(k->arena, sizeof *r->step * ((size_t)r->steps + 1));
  int **of_bodies[] = {&k->left, &k->at, &k->place, &k->node}, **of_pieces[] = {&k->freedoms, &k->mark};
  bool ok = r->body && r->piece && r->step;
  for (int i = 0; i < 4; i++) ok = ok && (*of_bodies[i] = tn_arena_alloc(&k->scratch, sizeof(int) * bodies));
  for (int i = 0; i < 2; i++) ok = ok && (*of_pieces[i] = tn_arena_alloc(&k->scratch, sizeof(int) * pieces));
  k->port = tn_arena_alloc(&k->scratch, sizeof *k->port * pieces);
  k->grounded = tn_arena_alloc(&k->scratch, sizeof *k->grounded * pieces);
  if (!ok || !k->port || !k->grounded) return false;
  for (int i = 0, body = 0; i < k->nodes; i++) {
    if (kind_of(k, i) != TN_BLOCK_MASS) continue;
    const int n = size_of(k, i);
    tn_root_body *b = &r->body[body];
    *b = (tn_root_body){.x = x_of(k, i), .n = n, .t = r->twists, .L = reserve(at, n * n)};
    tn_plan_where(k->plan, i, i, &b->where);
    r->piece[body] = (tn_root_piece){.most = n, .v = at->v, .T = reserve(at, n * n)};
    at->v += n;
    r->twists += n;
    k->body[i] = k->at[body] = body;
    k->node[body] = i;
    k->freedoms[body] = n;
    k->port[body] = (span){k->opened, 1};
    if (!open_body(k, body)) return false;
    body++;
  }
  return true;
}

static bool make_lists(maker *k) {
  tn_root_plan *r = k->r;
  size_t ends = 1, vias = 1, maps = 1;
  for (int i = 0; i < k->nodes; i++) {
    if (kind_of(k, i) != TN_BLOCK_ROWS) continue;
    ends += (size_t)k->touch[i].n;
    for (int n = 0; n < k->near[i].n; n++) {
      const int other = k->neighbour[k->near[i].first + n];
      if (kind_of(k, other) != TN_BLOCK_FREE || k->tied[i] == other) continue;
      vias++;
      maps += (size_t)k->touch[k->tie[other]].n;
    }
    for (int n = 0; n < k->touch[i].n; n++) k->left[k->touched[k->touch[i].first + n]]++;
  }
  r->child = tn_arena_alloc(k->arena, sizeof *r->child * ends); /* not more than ends */
  r->via = tn_arena_alloc(k->arena, sizeof *r->via * vias);
  r->maps = tn_arena_alloc(k->arena, sizeof *r->maps * maps);
  k->heap = tn_arena_alloc(&k->scratch, sizeof *k->heap * (2 * (size_t)r->steps + 1));
  return r->child && r->via && r->maps && k->heap;
}

/* the ends of a step are touches and ports: their number is known as it is made */
static bool grow_ends(maker *k, const places *at, int node, int *room) {
  int need = at->end + 2 * k->touch[node].n + 1;
  for (int i = 0; i < k->touch[node].n; i++) need += k->port[k->at[k->touched[k->touch[node].first + i]]].n;
  if (need <= *room) return true;
  *room = 2 * need;
  tn_root_end *more = tn_arena_alloc(k->arena, sizeof *more * (size_t)*room);
  if (!more) return false;
  if (at->end) memcpy(more, k->r->end, sizeof *more * (size_t)at->end);
  k->r->end = more;
  return true;
}

/* bodies on coordinates of their own, and those whose ties hold nothing, move freely: as if they were tied to the ground */
static void ground_pieces(maker *k) {
  for (int i = 0; k->role && i < k->r->bodies; i++) k->grounded[i] = true;
  for (int i = 0; k->role && i < k->nodes; i++)
    if (is_tie(k, i) && rows_of(k, i)) k->grounded[k->touched[k->touch[i].first]] = false;
}

/* rows that no ties bring together, or to the ground, come last */
static int take_any(maker *k) {
  const int node = take(k);
  if (node >= 0) return node;
  for (int i = 0; i < k->nodes; i++)
    if (kind_of(k, i) == TN_BLOCK_ROWS && !k->done[i]) k->queued[i] = true, k->heap[k->heaped++] = (entry){0, i};
  return take(k);
}

static bool make_steps(maker *k, places *at) {
  tn_root_plan *r = k->r;
  int room = 0, *step_of = tn_arena_alloc(&k->scratch, sizeof *step_of * ((size_t)k->nodes + 1));
  if (!step_of) return false;
  ground_pieces(k);
  for (int i = 0; i < k->nodes; i++)
    if (kind_of(k, i) == TN_BLOCK_ROWS) enter(k, i);
  for (int i = 0; i < r->steps; i++) {
    const int node = take_any(k);
    step_of[node] = i;
    if (!grow_ends(k, at, node, &room) || !put_step(k, at, node, i)) return false;
    wake(k, &r->step[i], is_tie(k, node) && k->touch[node].n == 1);
    if (at->value > INT_MAX / 2) return false;
  }
  map_vias(k, step_of);
  return true;
}

bool tn_root_plan_make(tn_root_plan *r, tn_arena *arena, const tn_plan *p, int edges, const tn_edge *edge,
                       const unsigned char *role) {
  const size_t nodes = (size_t)p->nodes + 1;
  places at = {0};
  *r = (tn_root_plan){.plan = p};
  maker k = {.r = r, .arena = arena, .plan = p, .nodes = p->nodes, .role = role};
  tn_arena_init(&k.scratch, &arena->allocator);
  int **of_nodes[] = {&k.body, &k.tie, &k.tied};
  bool **flags[] = {&k.queued, &k.closes, &k.done}, ok = true;
  for (int i = 0; i < 3; i++) ok = ok && (*flags[i] = tn_arena_alloc(&k.scratch, sizeof(bool) * nodes));
  for (int i = 0; i < 3; i++) ok = ok && (*of_nodes[i] = tn_arena_alloc(&k.scratch, sizeof(int) * nodes));
  for (int i = 0; ok && i < p->nodes; i++) k.body[i] = k.tie[i] = k.tied[i] = -1;
  ok = ok && list_neighbours(&k, edges, edge);
  const bool suitable = ok && is_suitable(&k, edges, edge);
  if (suitable) ok = number_bodies(&k, &at) && list_touches(&k) && make_lists(&k) && make_steps(&k, &at);
  if (!suitable) r->steps = r->bodies = 0;
  r->freedoms = at.v;
  r->values = at.value;
  r->entries = r->steps ? ENTRIES * p->rows : 0;
  tn_arena_free(&k.scratch);
  return ok;
}
