/* The symbolic factorisation by blocks: the order of elimination, and the address of every block.
 *
 * The order is minimum degree with two conditions. A row block may be eliminated only if the eliminated pieces that it touches have
 * freedom left for it. The freedom of a piece is the size of its masses less the rows already eliminated there; pieces are joined by
 * union-find. A free node waits for the rows that hold it. The following results: from the leaves to the root, joints that close loops
 * late, the norm of Euler parameters after its body. */
#include "linalg/linalg.h"

#include <limits.h>

/* ---- order ------------------------------------------------------------------------------------------------------------ */

typedef struct list { /* numbers, each once, sorted */
  int n, room, *item;
} list;

typedef struct orderer {
  tn_arena *arena; /* memory that only ordering needs */
  int nodes;
  const int *size, *kind;
  list *next;    /* nodes: neighbours that are left        */
  list *touched; /* rows: pieces that they touch           */
  bool *done;
  int *piece, *freedom;                /* union-find over nodes; of its root     */
  int *seen, looks;                    /* nodes: the look that has seen it last  */
  int *head, *after, *before, *degree; /* nodes that may be taken, by degree     */
  int least, rest;                     /* no degree below it; rows and masses before it are done */
} orderer;

static bool list_add(orderer *o, list *l, int x) {
  int lo = 0, hi = l->n;
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (l->item[mid] < x)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (lo < l->n && l->item[lo] == x) return true;
  if (l->n == l->room) {
    const int room = l->room ? 2 * l->room : 4;
    int *more = tn_arena_alloc(o->arena, sizeof *more * (size_t)room);
    if (!more) return false;
    if (l->n) memcpy(more, l->item, sizeof *more * (size_t)l->n);
    l->item = more;
    l->room = room;
  }
  memmove(l->item + lo + 1, l->item + lo, sizeof *l->item * (size_t)(l->n - lo));
  l->item[lo] = x;
  l->n++;
  return true;
}

static void list_remove(list *l, int x) {
  for (int i = 0; i < l->n; i++)
    if (l->item[i] == x) {
      memmove(l->item + i, l->item + i + 1, sizeof *l->item * (size_t)(l->n - i - 1));
      l->n--;
      return;
    }
}

static int root(orderer *o, int x) {
  while (o->piece[x] != x) x = o->piece[x] = o->piece[o->piece[x]];
  return x;
}

/* whether the pieces that it touches have freedom left for its rows; a free node waits for the rows that hold it */
static bool ripe(orderer *o, int x) {
  if (o->kind[x] == TN_BLOCK_MASS) return true;
  int room = 0;
  list *t = &o->touched[x];
  o->looks++;
  for (int i = 0, n = t->n; i < n; i++) { /* each root once. Rows that close a long loop touch many pieces */
    const int r = root(o, t->item[i]);
    if (i == 0) t->n = 0;
    if (o->seen[r] == o->looks) continue;
    o->seen[r] = o->looks;
    t->item[t->n++] = r;
    room += o->freedom[r];
  }
  if (o->kind[x] == TN_BLOCK_FREE) return t->n > 0;
  return room >= o->size[x];
}

static void leave(orderer *o, int x) {
  if (o->degree[x] < 0) return;
  if (o->before[x] >= 0)
    o->after[o->before[x]] = o->after[x];
  else
    o->head[o->degree[x]] = o->after[x];
  if (o->after[x] >= 0) o->before[o->after[x]] = o->before[x];
  o->degree[x] = -1;
}

/* numbers below its pivot at present */
static int weight(const orderer *o, int x) {
  int sum = 0;
  for (int i = 0; i < o->next[x].n; i++) sum += o->size[o->next[x].item[i]];
  return sum < o->nodes ? sum : o->nodes - 1;
}

static void enter(orderer *o, int x) {
  leave(o, x);
  if (o->done[x] || !ripe(o, x)) return;
  const int d = weight(o, x);
  o->degree[x] = d;
  o->before[x] = -1;
  o->after[x] = o->head[d];
  if (o->head[d] >= 0) o->before[o->head[d]] = x;
  o->head[d] = x;
  if (d < o->least) o->least = d;
}

static int take(orderer *o) {
  while (o->least < o->nodes && o->head[o->least] < 0) o->least++;
  if (o->least < o->nodes) return o->head[o->least];
  /* no node meets the conditions: take the first of the others. Its pivot may be small, and is guarded */
  while (o->rest < o->nodes && (o->done[o->rest] || o->kind[o->rest] == TN_BLOCK_FREE)) o->rest++;
  int best = o->rest;
  if (best == o->nodes)
    for (best = 0; o->done[best];) best++;
  return best;
}

/* x is eliminated: a piece of its own, or joined with those it touches */
static void join(orderer *o, int x) {
  o->piece[x] = x;
  o->freedom[x] = o->kind[x] == TN_BLOCK_ROWS ? -o->size[x] : o->size[x];
  if (o->kind[x] == TN_BLOCK_MASS) return;
  for (int i = 0; i < o->touched[x].n; i++) {
    const int r = root(o, o->touched[x].item[i]);
    if (r == x) continue;
    o->piece[r] = x;
    o->freedom[x] += o->freedom[r];
  }
}

static bool order(orderer *o, int *sequence, list *below) {
  for (int i = 0; i < o->nodes; i++) enter(o, i);
  for (int k = 0; k < o->nodes; k++) {
    const int x = take(o);
    list *n = &o->next[x];
    leave(o, x);
    o->done[x] = true;
    sequence[k] = x;
    join(o, x);
    for (int i = 0; i < n->n; i++) {
      const int y = n->item[i];
      list_remove(&o->next[y], x);
      for (int j = 0; j < n->n; j++)
        if (j != i && !list_add(o, &o->next[y], n->item[j])) return false;
      if (o->kind[y] != TN_BLOCK_MASS && !list_add(o, &o->touched[y], x)) return false;
    }
    below[k] = *n; /* as it was when eliminated */
    for (int i = 0; i < n->n; i++) enter(o, n->item[i]);
  }
  return true;
}

/* ---- plan ------------------------------------------------------------------------------------------------------------- */

static int block_of(const tn_plan *p, int column, int other) { /* in `later`, or -1; other > column */
  const tn_column *c = &p->columns[column];
  int lo = c->first, hi = c->first + c->n;
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (p->later[mid].column < other)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < c->first + c->n && p->later[lo].column == other ? lo : -1;
}

bool tn_plan_where(const tn_plan *p, int a, int b, tn_where *w) {
  const int ca = p->column[a], cb = p->column[b];
  if (ca == cb) {
    *w = (tn_where){p->columns[ca].at, tn_block_pad(p->columns[ca].size), 1};
    return true;
  }
  const int first = ca < cb ? ca : cb, i = block_of(p, first, ca < cb ? cb : ca);
  if (i < 0) return false;
  const int stride = tn_block_pad(p->later[i].size);
  *w = ca > cb ? (tn_where){p->later[i].at, 1, stride} : (tn_where){p->later[i].at, stride, 1};
  return true;
}

static int by_column(const tn_plan *p, list *l) { /* nodes to columns, sorted */
  for (int i = 0; i < l->n; i++) l->item[i] = p->column[l->item[i]];
  for (int i = 1; i < l->n; i++)
    for (int j = i; j > 0 && l->item[j] < l->item[j - 1]; j--) {
      const int t = l->item[j];
      l->item[j] = l->item[j - 1];
      l->item[j - 1] = t;
    }
  return l->n;
}

static const tn_kernel *kernel_of(const tn_plan *p, const tn_column *c) {
  int code = c->size;
  for (int i = 0; i < 2; i++) code = 10 * code + (i < c->n ? p->later[c->first + i].size : 0);
  const tn_kernel *lists[] = {tn_kernels_small, tn_kernels_wide};
  for (int l = 0; l < 2 && c->n <= 2; l++)
    for (const tn_kernel *k = lists[l]; k->code; k++)
      if (k->code == code) return k;
  return &tn_kernel_any;
}

static bool lay_out(tn_plan *p, tn_arena *arena, const int *size, const int *kind, const int *sequence, list *below) {
  int blocks = 0, targets = 0;
  for (int k = 0; k < p->nodes; k++) p->column[sequence[k]] = k;
  for (int k = 0; k < p->nodes; k++) {
    const int n = by_column(p, &below[k]);
    if (n > SHRT_MAX) return false; /* their blocks with each other are too many for any memory */
    blocks += n;
    targets += n * (n + 1) / 2;
  }
  p->later = tn_arena_alloc(arena, sizeof *p->later * (size_t)(blocks + 1));
  p->target = tn_arena_alloc(arena, sizeof *p->target * (size_t)(targets + 1));
  if (!p->later || !p->target) return false;
  int b = 0, t = 0;
  for (int k = 0; k < p->nodes; k++) {
    tn_column *c = &p->columns[k];
    *c = (tn_column){.size = (unsigned char)size[sequence[k]], .kind = (unsigned char)kind[sequence[k]], .x = p->size};
    p->size += c->size;
    if (c->kind != TN_BLOCK_ROWS) continue;
    c->row = p->rows;
    p->rows += c->size;
  }
  for (int k = 0; k < p->nodes; k++) {
    tn_column *c = &p->columns[k];
    c->at = p->values;
    p->values += c->size * tn_block_pad(c->size);
    c->first = b;
    c->n = (short)below[k].n;
    for (int i = 0; i < c->n; i++) {
      const tn_column *other = &p->columns[below[k].item[i]];
      p->later[b++] = (tn_later){below[k].item[i], other->size, p->values, other->x};
      p->values += c->size * tn_block_pad(other->size);
    }
    if (below[k].n > p->most) p->most = below[k].n;
    c->kernel = kernel_of(p, c);
  }
  for (int k = 0; k < p->nodes; k++) {
    tn_column *c = &p->columns[k];
    c->update = t;
    for (int i = 0; i < c->n; i++)
      for (int j = 0; j <= i; j++) {
        const int ci = p->later[c->first + i].column, cj = p->later[c->first + j].column;
        p->target[t++] = ci == cj ? p->columns[ci].at : p->later[block_of(p, cj, ci)].at;
      }
  }
  return true;
}

/* A tile is a range of columns that stays in the caches of a core, with the data that it is filled from. A node must be filled before
 * the first column that has a block of it, because that column adds to the other blocks of the node. */
static bool cut_tiles(tn_plan *p, tn_arena *arena, bool *there) {
  int needed = 0;
  p->tile = tn_arena_alloc(arena, sizeof *p->tile * (size_t)(p->values / TN_TILE + 3));
  p->needed = tn_arena_alloc(arena, sizeof *p->needed * (size_t)(p->nodes + 1));
  if (!p->tile || !p->needed) return false;
  for (int k = 0; k < p->nodes; k++) {
    const tn_column *c = &p->columns[k];
    if (k == 0 || c->at - p->columns[p->tile[p->tiles - 1].column].at >= TN_TILE)
      p->tile[p->tiles++] = (tn_tile){k, needed};
    for (int i = -1; i < c->n; i++) {
      const int node = p->node[i < 0 ? k : p->later[c->first + i].column];
      if (there[node]) continue;
      there[node] = true;
      p->needed[needed++] = node;
    }
  }
  p->columns[p->nodes].at = p->values;
  p->tile[p->tiles] = (tn_tile){p->nodes, needed};
  return true;
}

bool tn_plan_make(tn_plan *p, tn_arena *arena, int nodes, const int *size, const int *kind, int edges,
                  const tn_edge *edge) {
  tn_arena scratch;
  tn_arena_init(&scratch, &arena->allocator);
  orderer o = {.arena = &scratch, .nodes = nodes, .size = size, .kind = kind};
  const size_t n = (size_t)nodes + 1;
  list *below = tn_arena_alloc(&scratch, sizeof *below * n);
  int **ints[] = {&o.piece, &o.freedom, &o.seen, &o.head, &o.after, &o.before, &o.degree};
  bool ok = below != NULL;
  *p = (tn_plan){.nodes = nodes};
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
    ok = ok && (*ints[i] = tn_arena_alloc(&scratch, sizeof(int) * n));
  o.next = tn_arena_alloc(&scratch, sizeof *o.next * n);
  o.touched = tn_arena_alloc(&scratch, sizeof *o.touched * n);
  o.done = tn_arena_alloc(&scratch, sizeof *o.done * n);
  p->column = tn_arena_alloc(arena, sizeof *p->column * n);
  p->node = tn_arena_alloc(arena, sizeof *p->node * n);
  p->columns = tn_arena_alloc(arena, sizeof *p->columns * n);
  ok = ok && o.next && o.touched && o.done && p->column && p->node && p->columns;
  for (int i = 0; ok && i < nodes; i++) o.head[i] = o.degree[i] = -1;
  for (int i = 0; ok && i < edges; i++)
    ok = list_add(&o, &o.next[edge[i].a], edge[i].b) && list_add(&o, &o.next[edge[i].b], edge[i].a);
  ok = ok && order(&o, p->node, below) && lay_out(p, arena, size, kind, p->node, below) &&
       memset(o.done, 0, sizeof *o.done * n) && cut_tiles(p, arena, o.done);
  tn_arena_free(&scratch);
  return ok;
}
