/* the factorization by reflections: against elimination in long double, on random trees with loops, in absolute unknowns and with
 * coordinates that ties determine. */
#include "linalg/root.h"

#include "test.h"

enum { MOST = 200, SIZE = 420 };

static unsigned state = 1;

static double uniform(void) {
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / 8388608.0 - 1;
}

static int whole(int n) { return (int)((uniform() + 1) / 2 * n) % n; }

/* nodes with edges, and the blocks of the matrix on them, dense */
typedef struct problem {
  int nodes, edges, n;
  int size[MOST], kind[MOST], first[MOST];
  tn_edge edge[4 * MOST];
  double K[SIZE * SIZE];
} problem;

static int add_node(problem *p, int size, int kind) {
  p->size[p->nodes] = size;
  p->kind[p->nodes] = kind;
  p->first[p->nodes] = p->n;
  p->n += size;
  return p->nodes++;
}

static void put(problem *p, int i, int j, double v) { p->K[i * SIZE + j] = p->K[j * SIZE + i] = v; }

static int add_mass(problem *p, int size) {
  const int node = add_node(p, size, TN_BLOCK_MASS), at = p->first[node];
  double G[64];
  for (int k = 0; k < size * size; k++) G[k] = 0.4 * uniform();
  for (int k = 0; k < size; k++)
    for (int l = 0; l < size; l++) {
      double sum = k == l;
      for (int m = 0; m < size; m++) sum += G[k * size + m] * G[l * size + m];
      put(p, at + k, at + l, sum);
    }
  return node;
}

static void join(problem *p, int rows, int node) {
  p->edge[p->edges++] = (tn_edge){rows, node};
  for (int k = 0; k < p->size[rows]; k++)
    for (int l = 0; l < p->size[node]; l++) put(p, p->first[rows] + k, p->first[node] + l, uniform());
}

/* bodies on a tree, by rows or by ties with coordinates; joints across it as far as freedom is left, on bodies or on coordinates */
static void make(problem *p, int bodies, int across, int twist, bool ties) {
  int mass[MOST], coordinate[MOST], freedom = 0;
  memset(p, 0, sizeof *p);
  for (int i = 0; i < bodies; i++) {
    const int free = 1 + whole(ties && i % 3 == 2 ? twist : twist - 1), rows = twist - free;
    mass[i] = add_mass(p, twist);
    coordinate[i] = -1;
    freedom += free;
    if (ties && i % 3) {
      const int tie = add_node(p, twist, TN_BLOCK_ROWS);
      coordinate[i] = add_node(p, free, TN_BLOCK_FREE);
      join(p, tie, mass[i]);
      join(p, tie, coordinate[i]);
      if (i) join(p, tie, mass[whole(i)]);
      continue;
    }
    if (!rows) continue;
    const int node = add_node(p, rows, TN_BLOCK_ROWS);
    join(p, node, mass[i]);
    if (i) join(p, node, mass[i % 4 ? whole(i) : 0]); /* some of them on one body */
  }
  for (int i = 0; i < across && freedom > 2; i++) {
    const int a = whole(bodies), b = whole(bodies), rows = 1 + (i % 3 == 0 && freedom > 4);
    if (a == b) continue;
    const int node = add_node(p, rows, TN_BLOCK_ROWS);
    freedom -= rows;
    join(p, node, coordinate[a] >= 0 && i % 2 ? coordinate[a] : mass[a]);
    join(p, node, coordinate[b] >= 0 && i % 2 ? coordinate[b] : mass[b]);
  }
}

/* by elimination with row pivoting in long double */
static void solve_long(const problem *p, const double *b, double *x) {
  static long double A[SIZE * SIZE], y[SIZE];
  const int n = p->n;
  for (int i = 0; i < n; i++) {
    y[i] = b[i];
    for (int j = 0; j < n; j++) A[i * n + j] = p->K[i * SIZE + j];
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(A[i * n + k]) > fabsl(A[best * n + k])) best = i;
    for (int j = 0; j < n && best != k; j++) {
      const long double t = A[k * n + j];
      A[k * n + j] = A[best * n + j];
      A[best * n + j] = t;
    }
    const long double t = y[k];
    y[k] = y[best];
    y[best] = t;
    for (int i = k + 1; i < n; i++) {
      const long double c = A[i * n + k] / A[k * n + k];
      if (c == 0) continue;
      for (int j = k; j < n; j++) A[i * n + j] -= c * A[k * n + j];
      y[i] -= c * y[k];
    }
  }
  for (int k = n; k-- > 0;) {
    for (int j = k + 1; j < n; j++) y[k] -= A[k * n + j] * y[j];
    y[k] /= A[k * n + k];
  }
  for (int i = 0; i < n; i++) x[i] = (double)y[i];
}

typedef struct made {
  tn_arena arena;
  tn_plan plan;
  tn_root_plan root_plan;
  tn_root root;
  void *room;
  double *K, *x;
} made;

static void fill(const problem *p, made *m) {
  memset(m->K, 0, sizeof *m->K * (size_t)m->plan.values);
  for (int a = 0; a < p->nodes; a++)
    for (int b = 0; b < p->nodes; b++) {
      tn_where w;
      if (a != b && p->kind[a] != TN_BLOCK_ROWS) continue;
      if (!tn_plan_where(&m->plan, a, b, &w)) continue;
      for (int i = 0; i < p->size[a]; i++)
        for (int j = 0; j < p->size[b]; j++)
          m->K[w.at + i * w.row + j * w.col] = p->K[(p->first[a] + i) * SIZE + p->first[b] + j];
    }
}

static void begin(const problem *p, made *m) {
  tn_arena_init(&m->arena, NULL);
  CHECK(tn_plan_make(&m->plan, &m->arena, p->nodes, p->size, p->kind, p->edges, p->edge));
  CHECK(tn_root_plan_make(&m->root_plan, &m->arena, &m->plan, p->edges, p->edge, NULL));
  tn_carve c = {NULL, 0};
  tn_root_carve(&m->root, &c, &m->root_plan);
  m->room = tn_block_new(&m->arena.allocator, c.used);
  c = (tn_carve){m->room, 0};
  tn_root_carve(&m->root, &c, &m->root_plan);
  tn_root_reset(&m->root);
  m->K = calloc((size_t)m->plan.values + 1, sizeof(double));
  m->x = calloc((size_t)m->plan.size + 1, sizeof(double));
  if (!m->K || !m->x) abort();
  for (int i = 0; i < m->plan.rows; i++) m->root.D[i] = 1 + 0.5 * uniform();
  fill(p, m);
}

static void end(made *m) {
  free(m->K);
  free(m->x);
  tn_block_free(&m->arena.allocator, m->room);
  tn_arena_free(&m->arena);
}

static void to_plan(const problem *p, const made *m, const double *b, double *x) {
  for (int a = 0; a < p->nodes; a++)
    for (int i = 0; i < p->size[a]; i++) x[m->plan.columns[m->plan.column[a]].x + i] = b[p->first[a] + i];
}

static double off_by(const problem *p, const made *m, const double *x, bool rows) {
  double off = 0, size = 0;
  for (int a = 0; a < p->nodes; a++)
    for (int i = 0; (p->kind[a] == TN_BLOCK_ROWS) == rows && i < p->size[a]; i++) {
      off = fmax(off, fabs(m->x[m->plan.columns[m->plan.column[a]].x + i] - x[p->first[a] + i]));
      size = fmax(size, fabs(x[p->first[a] + i]));
    }
  return size > 0 ? off / size : off;
}

static problem p; /* too large for a stack */

TEST(random_trees_and_loops) {
  double worst[2] = {0, 0};
  for (int n = 0; n < 120; n++) {
    made m;
    double b[SIZE], x[SIZE];
    make(&p, 1 + whole(18), whole(8), n % 2 ? 6 : 3, n % 4 > 1);
    begin(&p, &m);
    if (!m.root_plan.steps) {
      end(&m);
      continue;
    }
    for (int i = 0; i < p.n; i++) b[i] = uniform();
    solve_long(&p, b, x);
    CHECK(tn_root_factor(&m.root, m.K));
    to_plan(&p, &m, b, m.x);
    tn_root_solve(&m.root, m.x);
    const double sigma = sqrt(m.root.rho_min);
    const double off[2] = {off_by(&p, &m, x, false) * sigma, off_by(&p, &m, x, true) * sigma};
    for (int k = 0; k < 2; k++) {
      worst[k] = fmax(worst[k], off[k]);
      if (!(off[k] < 1e-12)) FAIL("problem %d: %d numbers, off by %.2g of 1/%.2g", n, p.n, off[k], sigma);
    }
    end(&m);
  }
  printf("120 problems: errors times the smallest pivot at most %.1e and %.1e\n", worst[0], worst[1]);
}
