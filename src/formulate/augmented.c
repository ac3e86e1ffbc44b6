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

static bool factor(const void *self, void *work, const tn_system *sys, int *bad) {
  (void)self;
  return tn_by_kkt_factor(work, sys, bad);
}

static void solve(const void *self, void *work, const tn_system *sys, const double *f, const double *gamma,
                  double *udot, double *lambda, tn_solve_info *info) {
  (void)self;
  tn_by_kkt_solve(work, sys, f, gamma, udot, lambda, info);
}

static bool same(const void *self) {
  (void)self;
  return true;
}

const tn_formulation_type tn_formulation_augmented = {
    .name = "augmented",
    .doc = "accelerations and multipliers together, from one symmetric system",
    .example = "--formulation augmented",
    .same_as_augmented = same,
    .source = "Tenon; regularised and refined for redundant rows and singular positions",
    .memory = memory,
    .prepare = prepare,
    .reset = tn_by_kkt_reset,
    .typical = tn_by_kkt_typical,
    .factor = factor,
    .solve = solve,
    .correct = tn_by_kkt_correct,
    .nearness = tn_by_kkt_nearness,
    .rank = tn_by_kkt_rank,
    .keep = tn_by_kkt_keep,
};
