/* a system knows how far it has been evaluated where it stands. */
#include "support/build.h"
#include "test.h"

enum { MOST = BUILD_MOST };

static bool at(const tn_system *s, tn_level position, tn_level motion) {
  return s->known.position == position && s->known.motion == motion;
}

static void begin(build *b, double *q, double *u) {
  build_new(b, 1);
  build_read(b, "four_bar");
  CHECK(build_compile(b));
  memcpy(q, b->model->q0, sizeof *q * (size_t)b->model->nq);
  for (int i = 0; i < b->model->nu; i++) u[i] = 0.1 * (i + 1);
}

TEST(each_level_brings_those_below_it_and_no_more) {
  build b;
  double q[MOST], u[MOST];
  begin(&b, q, u);
  tn_system *s = &b.sys;
  tn_system_move(s, 0, q, u, NULL);
  CHECK(at(s, TN_LEVEL_NONE, TN_LEVEL_NONE) && !tn_knows(s, TN_LEVEL_ROWS) && !tn_knows(s, TN_LEVEL_TWISTS));
  tn_need(s, TN_LEVEL_ROWS);
  CHECK(at(s, TN_LEVEL_ROWS, TN_LEVEL_TWISTS)); /* one pass makes both */
  tn_need(s, TN_LEVEL_FORCES);
  CHECK(at(s, TN_LEVEL_ROWS, TN_LEVEL_FORCES));
  tn_need(s, TN_LEVEL_MATRICES);
  CHECK(at(s, TN_LEVEL_MATRICES, TN_LEVEL_FORCES));
  tn_need(s, TN_LEVEL_GENERALIZED);
  CHECK(at(s, TN_LEVEL_MATRICES, TN_LEVEL_GENERALIZED) && s->evaluations == 1);
  tn_need(s, TN_LEVEL_GENERALIZED);
  CHECK(s->evaluations == 1); /* nothing was missing */
  tn_system_move(s, 0, q, u, NULL);
  tn_need(s, TN_LEVEL_GENERALIZED);
  CHECK(at(s, TN_LEVEL_ROWS, TN_LEVEL_GENERALIZED)); /* matrices only for those who ask */
  build_free(&b);
}

TEST(a_move_says_what_stays) {
  build b;
  double q[MOST], u[MOST];
  begin(&b, q, u);
  tn_system *s = &b.sys;
  tn_assemble(s, 0, q, u);
  const int64_t place = s->known.place, epoch = s->known.epoch;
  tn_system_move_speeds(s, u);
  CHECK(at(s, TN_LEVEL_MATRICES, TN_LEVEL_NONE) && s->known.place == place && s->known.epoch > epoch);
  tn_need(s, TN_LEVEL_TWISTS);
  CHECK(at(s, TN_LEVEL_MATRICES, TN_LEVEL_TWISTS));
  tn_system_move(s, 0, q, u, NULL);
  CHECK(at(s, TN_LEVEL_NONE, TN_LEVEL_NONE) && s->known.place > place);
  tn_need(s, TN_LEVEL_FORCES);
  tn_system_stale(s);
  CHECK(at(s, TN_LEVEL_NONE, TN_LEVEL_NONE) && tn_system_is_at(s, 0, q, u, NULL));
  u[0] = nextafter(u[0], 1);
  CHECK(!tn_system_is_at(s, 0, q, u, NULL) && !tn_system_is_at(s, 1e-300, s->at.q, s->at.u, NULL));
  build_free(&b);
}

TEST(levels_are_reached_in_any_order_with_the_same_numbers) {
  build a, b;
  double q[MOST], u[MOST], w[MOST];
  begin(&a, q, u);
  begin(&b, q, u);
  for (int i = 0; i < a.model->nu; i++) w[i] = -u[i];
  tn_assemble(&a.sys, 0.3, q, u);
  tn_system_move(&b.sys, 0.3, q, w, NULL); /* by other speeds, and the matrices first */
  tn_need(&b.sys, TN_LEVEL_MATRICES);
  tn_system_move_speeds(&b.sys, u);
  tn_need(&b.sys, TN_LEVEL_TWISTS);
  tn_need(&b.sys, TN_LEVEL_GENERALIZED);
  const size_t nu = (size_t)a.model->nu, rows = (size_t)a.model->rows, one = sizeof(double);
  CHECK(memcmp(a.sys.M, b.sys.M, one * nu * nu) == 0 && memcmp(a.sys.A, b.sys.A, one * rows * nu) == 0);
  CHECK(memcmp(a.sys.f, b.sys.f, one * nu) == 0 && memcmp(a.sys.rows.gamma, b.sys.rows.gamma, one * rows) == 0);
  CHECK(memcmp(a.sys.rows.C, b.sys.rows.C, one * rows) == 0 &&
        memcmp(a.sys.rows.Cdot, b.sys.rows.Cdot, one * rows) == 0);
  build_free(&a);
  build_free(&b);
}
