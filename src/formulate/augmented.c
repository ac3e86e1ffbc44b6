/* augmented: udot and lambda together from K = [M A'; A 0], regularised and refined (linalg/kkt.c), so that redundant rows and
 * singular positions do not fail. */
#include "formulate/formulate.h"

static size_t memory(const void *self, int nu, int rows) {
  tn_carve c = {NULL, 0};
  tn_kkt k;
  (void)self;
  TN_CARVE(&c, tn_kkt, 1);
  tn_kkt_carve(&k, &c, nu, rows);
  return c.used;
}

static void prepare(const void *self, void *work, int nu, int rows) {
  tn_carve c = {work, 0};
  (void)self;
  tn_kkt *k = TN_CARVE(&c, tn_kkt, 1);
  tn_kkt_carve(k, &c, nu, rows);
}

static void reset(void *work) { tn_kkt_reset(work); }

static void typical(void *work, int rank) { tn_kkt_typical(work, rank); }

static bool factor(const void *self, void *work, const tn_system *sys, int *bad) {
  tn_kkt *k = work;
  (void)self;
  k->group = sys->counted ? sys->m->row_group : NULL; /* not while rows are counted, near singular poses */
  if (tn_kkt_factor(k, sys->M, sys->A, sys->m->sigma)) return true;
  *bad = k->bad_pivot;
  return false;
}

static void solve(const void *self, void *work, const tn_system *sys, const double *f, const double *gamma,
                  double *udot, double *lambda, tn_solve_info *info) {
  tn_kkt_info i = {0};
  (void)self;
  tn_kkt_solve(work, sys->M, sys->A, sys->m->sigma, f, gamma, udot, lambda, &i);
  *info = (tn_solve_info){i.inconsistency, i.failed};
}

static void correct(const void *self, void *work, const tn_system *sys, const double *r, const double *noise, double *x,
                    double *lambda, tn_solve_info *info) {
  tn_kkt_info i = {0};
  (void)self;
  tn_kkt_correct(work, sys->M, sys->A, sys->m->sigma, r, noise, x, lambda, &i);
  *info = (tn_solve_info){i.inconsistency, i.failed};
}

static double nearness(const void *work) { return tn_kkt_nearness(work); }

static int rank(const void *work) { return tn_kkt_rank(work); }

const tn_formulation_type tn_formulation_augmented = {
    .name = "augmented",
    .doc = "accelerations and multipliers together, from one symmetric system",
    .example = "--formulation augmented",
    .same_as_augmented = true,
    .source = "Tenon; regularised and refined for redundant rows and singular positions",
    .memory = memory,
    .prepare = prepare,
    .reset = reset,
    .typical = typical,
    .factor = factor,
    .solve = solve,
    .correct = correct,
    .nearness = nearness,
    .rank = rank,
};
