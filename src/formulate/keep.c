/* what a solver keeps from one solve to the next. where the last factorisation stands the next step may begin with it, and an order of
 * rows or a choice of speeds holds as long as it is good: with them put back, the same numbers come out. the system itself is
 * assembled anew (simulate/saved.c). */
#include "formulate/formulate.h"

/* a file may say what cannot be together: a factorization by blocks that does not serve here is made anew */
static void forget_blocks(tn_solver *s) {
  const tn_sparse *blocks = &s->sparse;
  if (!s->by_blocks || (blocks->ready && (blocks->by_root ? blocks->rooted : blocks->quick))) return;
  s->by_blocks = s->at_mass.ready = false;
}

void tn_solver_keep(tn_solver *s, tn_keep *keep) {
  const tn_model *m = s->sys.m;
  tn_keep_group(keep, "solver");
  tn_keep_ints(keep, "rank", 1, &s->rank, 0, m->rows);
  tn_factor *const mass = &s->at_mass, *const identity = &s->at_identity;
  bool *const flags[] = {&mass->ready, &identity->ready, &s->identity_typical};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) tn_keep_flags(keep, "flag", 1, flags[i]);
  tn_keep_flag(keep, "by_blocks", &s->by_blocks, tn_sparse_begun(&s->sparse));
  tn_keep_flag(keep, "by_kkt", &s->by_kkt, s->blocks_stand_in);
  double *const scalar[] = {&mass->t, &identity->t, &s->nearness, &s->seen, &s->inconsistency};
  for (size_t i = 0; i < sizeof scalar / sizeof *scalar; i++) tn_keep_numbers(keep, "scalar", 1, scalar[i]);
  tn_keep_numbers(keep, "q_mass", (size_t)m->nq, mass->q);
  tn_keep_numbers(keep, "q_identity", (size_t)m->nq, identity->q);
  if (tn_keep_reads(keep))
    mass->place = identity->place = s->penalty.at = 0; /* numbers are of the system that wrote it */
  tn_keep_longs(keep, "factorizations", 1, &s->factorizations);
  tn_keep_longs(keep, "guard_calls", 1, &s->guard_calls);
  tn_sparse_keep(&s->sparse, &s->sys, keep);
  if (tn_keep_reads(keep)) forget_blocks(s);
  if (m->run.chooses_dependent) tn_dependent_keep(&s->dependent, m, keep);
  if (m->large) return; /* no matrices */
  tn_kkt_keep(&s->identity, keep);
  tn_keep_group(keep, s->type->name);
  if (s->type->keep)
    s->type->keep(s->work, keep);
  else if (tn_keep_reads(keep)) /* what it knew of typical poses is of the start, as in every run */
    mass->ready = false;
}
