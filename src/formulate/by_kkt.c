/* what formulations leave to kkt.c: those whose workspace begins with a tn_kkt. */
#include "formulate/formulate.h"

bool tn_by_kkt_factor(void *work, const tn_system *sys, int *bad) {
  assert(tn_knows(sys, TN_LEVEL_MATRICES));
  tn_kkt *k = work;
  k->group = sys->known.counted ? sys->m->row_group : NULL; /* not while rows are counted, near singular poses */
  if (tn_kkt_factor(k, sys->M, sys->A, sys->m->sigma)) return true;
  *bad = k->bad_pivot;
  return false;
}

void tn_by_kkt_solve(void *work, const tn_system *sys, const double *f, const double *gamma, double *udot,
                     double *lambda, tn_solve_info *info) {
  tn_kkt_info i = {0};
  tn_kkt_solve(work, sys->M, sys->A, sys->m->sigma, f, gamma, udot, lambda, &i);
  *info = (tn_solve_info){i.inconsistency, i.failed};
}

void tn_by_kkt_reset(void *work) { tn_kkt_reset(work); }

void tn_by_kkt_typical(void *work, int rank) { tn_kkt_typical(work, rank); }

void tn_by_kkt_keep(void *work, tn_keep *keep) { tn_kkt_keep(work, keep); }

void tn_by_kkt_correct(const void *self, void *work, const tn_system *sys, const double *r, const double *noise,
                       double *x, double *lambda, tn_solve_info *info) {
  tn_kkt_info i = {0};
  (void)self;
  tn_kkt_correct(work, sys->M, sys->A, sys->m->sigma, r, noise, x, lambda, &i);
  *info = (tn_solve_info){i.inconsistency, i.failed};
}

double tn_by_kkt_nearness(const void *work) { return tn_kkt_nearness(work); }

int tn_by_kkt_rank(const void *work) { return tn_kkt_rank(work); }
