/* the factorization by reflections: against elimination in long double, on random trees with loops, in absolute unknowns and with
 * coordinates that ties determine; near singular and with redundant rows against the solution in four times the digits. */
#include "linalg/root.h"
#include "support/quad.h"

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

/* ---- rows that repeat others ------------------------------------------------------------------------------------------------ */

/* nodes of rows once more, `off` apart from what they were; how many rows that makes */
static int repeat_rows(problem *q, int times, double off) {
  int rows = 0;
  const int nodes = q->nodes, edges = q->edges;
  for (int i = 0; i < nodes && times > 0; i++) {
    if (q->kind[i] != TN_BLOCK_ROWS || i % 3) continue;
    const int again = add_node(q, q->size[i], TN_BLOCK_ROWS);
    for (int e = 0; e < edges; e++) {
      if (q->edge[e].a != i) continue;
      const int node = q->edge[e].b;
      q->edge[q->edges++] = (tn_edge){again, node};
      for (int k = 0; k < q->size[i]; k++)
        for (int l = 0; l < q->size[node]; l++)
          put(q, q->first[again] + k, q->first[node] + l,
              2 * q->K[(q->first[i] + k) * SIZE + q->first[node] + l] + off * uniform());
    }
    rows += q->size[i];
    times--;
  }
  return rows;
}

typedef struct dense {
  int n, rows, at[SIZE]; /* at: of numbers of the problem, among accelerations or multipliers */
  double M[SIZE * SIZE], A[SIZE * SIZE], D[SIZE], f[SIZE], g[SIZE], x[SIZE], lambda[SIZE], own[SIZE], of_rows[SIZE];
} dense;

static dense d;

static void to_dense(const problem *q, const made *m, const double *b) {
  d.n = d.rows = 0;
  for (int a = 0; a < q->nodes; a++)
    for (int i = 0; i < q->size[a]; i++) d.at[q->first[a] + i] = q->kind[a] == TN_BLOCK_ROWS ? d.rows++ : d.n++;
  memset(d.M, 0, sizeof d.M);
  memset(d.A, 0, sizeof d.A);
  for (int a = 0; a < q->nodes; a++) {
    const bool rows = q->kind[a] == TN_BLOCK_ROWS;
    for (int i = 0; i < q->size[a]; i++) {
      const int from = q->first[a] + i, at = d.at[from];
      if (rows) d.D[at] = m->root.D[m->plan.columns[m->plan.column[a]].row + i];
      *(rows ? &d.g[at] : &d.f[at]) = b[from];
      for (int c = 0; c < q->nodes; c++)
        for (int j = 0; q->kind[c] != TN_BLOCK_ROWS && j < q->size[c]; j++)
          (rows ? d.A : d.M)[at * d.n + d.at[q->first[c] + j]] = q->K[from * SIZE + q->first[c] + j];
    }
  }
}

static void from_plan(const problem *q, const made *m) {
  for (int a = 0; a < q->nodes; a++)
    for (int i = 0; i < q->size[a]; i++)
      (q->kind[a] == TN_BLOCK_ROWS ? d.of_rows : d.own)[d.at[q->first[a] + i]] =
          m->x[m->plan.columns[m->plan.column[a]].x + i];
}

/* redundant: so many rows; 0: none are, but some nearly. errors of accelerations, multipliers and inconsistency */
static bool compare(int redundant, double error[3]) {
  made m;
  double b[SIZE];
  begin(&p, &m);
  for (int i = 0; i < p.n; i++) b[i] = uniform();
  to_dense(&p, &m, b);
  const int left = tn_root_leave_out(&m.root, m.K, redundant);
  CHECK(left >= redundant); /* more where rows hold all bodies and more */
  CHECK(tn_root_factor(&m.root, m.K));
  tn_root_typical(&m.root);
  to_plan(&p, &m, b, m.x);
  tn_root_solve(&m.root, m.x);
  from_plan(&p, &m);
  const quad_system q = {
      .n = d.n, .rows = d.rows, .rank = d.rows - redundant, .M = d.M, .A = d.A, .f = d.f, .g = d.g, .D = d.D};
  quad_answer a = {.x = d.x, .lambda = d.lambda};
  const bool good = quad_solve(&q, &a);
  error[0] = quad_error(d.n, d.M, d.own, d.x);
  error[1] = quad_error_by(d.rows, d.D, d.of_rows, d.lambda);
  error[2] = fabs(m.root.inconsistency - a.inconsistency);
  end(&m);
  return good && left == redundant;
}

/* right sides that contradict themselves: least squares, and the shortest multipliers */
TEST(redundant_rows) {
  double worst[3] = {0, 0, 0};
  int most = 0;
  for (int n = 0; n < 40; n++) {
    double error[3];
    make(&p, 2 + whole(7), 0, n % 2 ? 6 : 3, false);
    const int redundant = repeat_rows(&p, 1 + whole(3), 0);
    if (!compare(redundant, error)) continue;
    if (redundant > most) most = redundant;
    for (int k = 0; k < 3; k++) worst[k] = fmax(worst[k], error[k]);
  }
  printf("redundant rows, %d at most: accelerations %.1e, multipliers %.1e, inconsistency %.1e\n", most, worst[0],
         worst[1], worst[2]);
  CHECK(most >= 5 && worst[0] < 1e-12 && worst[1] < 1e-12 && worst[2] < 1e-12);
}

/* the error is u/sigma, and not u/sigma^2 */
TEST(nearly_dependent_rows) {
  static const double off[] = {1e-2, 1e-4, 1e-6, 1e-8};
  for (int k = 0; k < 4; k++) {
    double worst[2] = {0, 0};
    int compared = 0;
    for (int n = 0; n < 12; n++) {
      double error[3];
      make(&p, 3 + whole(6), 0, n % 2 ? 6 : 3, false);
      if (!repeat_rows(&p, 2, off[k]) || !compare(0, error)) continue;
      compared++;
      for (int i = 0; i < 2; i++) worst[i] = fmax(worst[i], error[i]);
    }
    printf("%d systems with rows %.0e apart: accelerations %.1e, multipliers %.1e\n", compared, off[k], worst[0],
           worst[1]);
    CHECK(compared >= 8 && worst[0] < 1e-12 / off[k] && worst[1] < 1e-12 / off[k]);
  }
}

/* the left-null vector of a row left out: no force on any body, and 1 at that row */
TEST(null_vectors) {
  for (int n = 0; n < 20; n++) {
    made m;
    make(&p, 3 + whole(6), 0, n % 2 ? 6 : 3, false);
    const int redundant = repeat_rows(&p, 2, 0);
    begin(&p, &m);
    CHECK(tn_root_leave_out(&m.root, m.K, redundant) == redundant);
    int found = 0;
    for (int row; (row = tn_root_null(&m.root, found, m.x)) >= 0; found++) {
      for (int a = 0; a < p.nodes; a++)
        for (int i = 0; p.kind[a] == TN_BLOCK_MASS && i < p.size[a]; i++) {
          double force = 0;
          for (int c = 0; c < p.nodes; c++)
            for (int j = 0; p.kind[c] == TN_BLOCK_ROWS && j < p.size[c]; j++)
              force += p.K[(p.first[c] + j) * SIZE + p.first[a] + i] * m.x[m.plan.columns[m.plan.column[c]].x + j];
          CHECK_NEAR(force, 0, 1e-12);
        }
    }
    CHECK(found == redundant);
    end(&m);
  }
}

/* a body with many joints: the numbers of a plan grow with the bodies and not faster, on a chain and on a star, with loops */
TEST(size_of_the_plan) {
  double per_body[2][2];
  for (int shape = 0; shape < 2; shape++)
    for (int k = 0; k < 2; k++) {
      const int bodies = k ? 72 : 36;
      made m;
      memset(&p, 0, sizeof p);
      int mass[72], before = -1;
      for (int i = 0; i < bodies; i++) {
        mass[i] = add_mass(&p, 3);
        const int rows = add_node(&p, 2, TN_BLOCK_ROWS);
        join(&p, rows, mass[i]);
        if (i) join(&p, rows, shape ? mass[0] : before);
        before = mass[i];
        if (i % 2 == 0) continue;
        const int across = add_node(&p, 1, TN_BLOCK_ROWS);
        join(&p, across, mass[i]);
        join(&p, across, shape ? mass[0] : mass[i > 1 ? i - 2 : 0]);
      }
      begin(&p, &m);
      per_body[shape][k] = (double)m.root_plan.values / bodies;
      end(&m);
    }
  printf("numbers a body: chain %.0f and %.0f, star %.0f and %.0f\n", per_body[0][0], per_body[0][1], per_body[1][0],
         per_body[1][1]);
  for (int shape = 0; shape < 2; shape++) CHECK(per_body[shape][1] < 1.2 * per_body[shape][0]);
}
