/* the factorisation block by block: against the dense one on random graphs, its order, and what it costs. */
#include "linalg/linalg.h"

#include "test.h"

enum { MOST = 400 };

static unsigned state = 1;

static double uniform(void) {
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / 8388608.0 - 1;
}

static int whole(int n) { return (int)((uniform() + 1) / 2 * n) % n; }

typedef struct problem {
  int masses, rows, edges, nu, rank;
  int size[MOST], kind[MOST], first[MOST]; /* nodes: masses, then rows; first: number in the dense vector */
  tn_edge edge[4 * MOST];
} problem;

/* bodies on a tree, and joints across it as far as freedom is left */
static void make(problem *p, int bodies, int across, int twist) {
  *p = (problem){.masses = bodies};
  for (int i = 0; i < bodies; i++) {
    p->size[i] = twist;
    p->first[i] = p->nu;
    p->nu += twist;
  }
  for (int i = 0; i < bodies + across; i++) {
    const int node = bodies + p->rows, n = i < bodies ? 1 + whole(twist - 1) : 1;
    const int a = i < bodies ? i : whole(bodies), b = i < bodies ? (i ? whole(i) : -1) : whole(bodies);
    if (p->rank + n > p->nu - 2 || a == b) continue;
    p->size[node] = n;
    p->kind[node] = TN_BLOCK_ROWS;
    p->first[node] = p->nu + p->rank;
    p->rank += n;
    p->rows++;
    p->edge[p->edges++] = (tn_edge){node, a};
    if (b >= 0) p->edge[p->edges++] = (tn_edge){node, b};
  }
}

static double *zeros(size_t n) {
  double *x = calloc(n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

/* fills both, solves both: the largest difference of accelerations, relative; twice the same bits */
static double compare(const problem *p, double *rho) {
  tn_arena arena;
  tn_plan plan;
  *rho = 1;
  tn_arena_init(&arena, NULL);
  CHECK(tn_plan_make(&plan, &arena, p->masses + p->rows, p->size, p->kind, p->edges, p->edge));
  CHECK(plan.size == p->nu + p->rank);
  const size_t nu = (size_t)p->nu, rank = (size_t)p->rank, all = nu + rank;
  double *M = zeros(nu * nu), *A = zeros(rank * nu), *K = zeros((size_t)plan.values), *b = zeros(all), *x = zeros(all),
         *udot = zeros(nu), *lambda = zeros(rank), *again = zeros(all);
  for (int i = 0; i < p->masses; i++) {
    const int n = p->size[i];
    tn_where w;
    CHECK(tn_plan_where(&plan, i, i, &w));
    double G[64];
    for (int k = 0; k < n * n; k++) G[k] = 0.4 * uniform();
    for (int k = 0; k < n; k++)
      for (int l = 0; l < n; l++) {
        double sum = k == l;
        for (int m = 0; m < n; m++) sum += G[k * n + m] * G[l * n + m];
        M[(size_t)(p->first[i] + k) * nu + (size_t)(p->first[i] + l)] = sum;
        K[w.at + k * w.row + l * w.col] = sum;
      }
  }
  for (int e = 0; e < p->edges; e++) {
    const int row = p->edge[e].a, body = p->edge[e].b;
    tn_where w;
    CHECK(tn_plan_where(&plan, row, body, &w));
    for (int k = 0; k < p->size[row]; k++)
      for (int l = 0; l < p->size[body]; l++) {
        const double v = uniform();
        A[(size_t)(p->first[row] - p->nu + k) * nu + (size_t)(p->first[body] + l)] += v;
        K[w.at + k * w.row + l * w.col] += v;
      }
  }
  for (size_t i = 0; i < all; i++) b[i] = uniform();
  /* dense */
  tn_kkt kkt;
  tn_carve c = {NULL, 0};
  tn_kkt_carve(&kkt, &c, p->nu, p->rank);
  unsigned char *room = tn_block_new(&arena.allocator, c.used);
  c = (tn_carve){room, 0};
  tn_kkt_carve(&kkt, &c, p->nu, p->rank);
  tn_kkt_info info;
  CHECK(tn_kkt_factor(&kkt, M, A, NULL));
  tn_kkt_solve(&kkt, M, A, NULL, b, b + nu, udot, lambda, &info);
  /* blocks, quickly and carefully, each twice: the right side on the way, and afterwards */
  tn_ldl ldl = {.eps = 1e-15};
  c = (tn_carve){NULL, 0};
  tn_ldl_carve(&ldl, &c, &plan);
  unsigned char *blocks = tn_block_new(&arena.allocator, c.used);
  c = (tn_carve){blocks, 0};
  tn_ldl_carve(&ldl, &c, &plan);
  double off = 0, size = 0;
  for (int careful = 0; careful < 2; careful++) {
    /* rows that are measured by a size they do not have look small: they are taken number by number */
    for (int i = 0; i < plan.rows; i++) ldl.gauge[i] = (tn_gauge){.D = 1, .D_inv = careful ? 1e-12 : 1, .usual = 1};
    for (int k = 0; k < 2; k++) {
      double *y = k ? again : x;
      for (int i = 0; i < p->masses + p->rows; i++)
        for (int m = 0; m < p->size[i]; m++) y[plan.columns[plan.column[i]].x + m] = b[p->first[i] + m];
      memcpy(ldl.K, K, sizeof *K * (size_t)plan.values);
      CHECK(tn_ldl_factor(&ldl, k ? NULL : y));
      CHECK(!careful || !p->rows || ldl.some_careful);
      if (k) tn_ldl_forward(&ldl, y);
      tn_ldl_backward(&ldl, y);
    }
    CHECK(memcmp(x, again, sizeof *x * all) == 0);
    for (int i = 0; i < p->masses; i++)
      for (int m = 0; m < p->size[i]; m++) {
        off = fmax(off, fabs(x[plan.columns[plan.column[i]].x + m] - udot[p->first[i] + m]));
        size = fmax(size, fabs(udot[p->first[i] + m]));
      }
    if (!careful) *rho = fmin(ldl.rho_min, 1); /* without rows there is none */
  }
  double *all_of_them[] = {M, A, K, b, x, udot, lambda, again};
  for (size_t i = 0; i < sizeof all_of_them / sizeof *all_of_them; i++) free(all_of_them[i]);
  tn_block_free(&arena.allocator, room);
  tn_block_free(&arena.allocator, blocks);
  tn_arena_free(&arena);
  return off / size;
}

/* without a sweep the error is within 1e-11 of what the smallest pivot leaves of the digits */
TEST(random_trees_and_loops) {
  double worst = 0;
  for (int n = 0; n < 200; n++) {
    problem p;
    double rho;
    make(&p, 1 + whole(30), whole(12), n % 2 ? 6 : 3);
    const double off = compare(&p, &rho);
    worst = fmax(worst, off * rho);
    if (!(off * rho < 1e-11)) FAIL("problem %d: %d masses, off by %.2g, rho %.2g", n, p.masses, off, rho);
  }
  printf("200 problems: error times rho at most %.1e\n", worst);
}

/* leaf to root: a chain and a ladder of any length have columns of the same length */
TEST(order_has_no_fill_on_chains) {
  static const int lengths[] = {10, 100, 1000, 20000};
  for (int k = 0; k < 4; k++) {
    const int n = lengths[k];
    tn_arena arena;
    tn_plan plan;
    tn_arena_init(&arena, NULL);
    int *size = calloc((size_t)(2 * n), sizeof *size), *kind = calloc((size_t)(2 * n), sizeof *kind);
    tn_edge *edge = calloc((size_t)(2 * n), sizeof *edge);
    if (!size || !kind || !edge) abort();
    int edges = 0;
    for (int i = 0; i < n; i++) {
      size[i] = 3;
      size[n + i] = 2;
      kind[n + i] = TN_BLOCK_ROWS;
      edge[edges++] = (tn_edge){n + i, i};
      if (i) edge[edges++] = (tn_edge){n + i, i - 1};
    }
    CHECK(tn_plan_make(&plan, &arena, 2 * n, size, kind, edges, edge));
    CHECK(plan.most <= 1);
    CHECK(plan.values <= 26 * n);
    /* no row before a body that it holds, and so no pivot that is nothing but eps */
    for (int i = 0; i < n; i++) {
      const int row = plan.column[n + i], a = plan.column[i], b = i ? plan.column[i - 1] : a;
      CHECK(row > (a < b ? a : b));
    }
    tn_arena_free(&arena);
    free(size), free(kind), free(edge);
  }
}

TEST(a_mass_that_is_none_is_found) {
  const int size[] = {3, 2}, kind[] = {TN_BLOCK_MASS, TN_BLOCK_ROWS};
  const tn_edge edge[] = {{1, 0}};
  tn_arena arena;
  tn_plan plan;
  tn_arena_init(&arena, NULL);
  CHECK(tn_plan_make(&plan, &arena, 2, size, kind, 1, edge));
  double numbers[1024] = {0};
  tn_carve c = {(unsigned char *)numbers, 0};
  tn_ldl ldl = {.eps = 1e-15, .bad = -1};
  tn_ldl_carve(&ldl, &c, &plan);
  CHECK(c.used <= sizeof numbers && !tn_ldl_factor(&ldl, NULL) && ldl.bad == 0);
  tn_arena_free(&arena);
}
