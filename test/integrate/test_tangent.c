/* what an implicit integrator is handed beside rates: q moved along a tangent, the tangent of a difference, and a residual that is zero
 * for the motion. where speeds are integrated along the axes of bodies, tangents are along these. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

typedef struct stand {
  build b;
  tn_ode *ode;
  double *y;
} stand;

/* the state as the integrator has it, at the start */
static bool begin(stand *s, const char *model) {
  static tn_error e;
  *s = (stand){.ode = NULL};
  build_new(&s->b, 1);
  build_read(&s->b, model);
  if (!build_simulate(&s->b)) return false;
  s->ode = &s->b.sim->stepper.ode;
  s->y = s->b.sim->packed.indirect ? s->b.sim->now.z : s->b.sim->now.y;
  s->b.sim->e = &e;
  return true;
}

TEST(a_tangent_moves_q_and_is_found_again) {
  static const char *const models[] = {"four_bar", "heavy_top", "spatial_four_bar", "bricard"};
  for (int k = 0; k < 4; k++) {
    stand s;
    double y[64], dq[64], x[64], back[64], error[2];
    if (!begin(&s, models[k])) {
      FAIL("%s: %s", models[k], s.b.message);
      return;
    }
    const int nq = s.ode->coordinates, nu = s.ode->speeds;
    CHECK(nq > 0 && nu > 0 && nq <= 64 && s.ode->n >= nq + nu);
    for (int pass = 0; pass < 2; pass++) {
      const double size = pass ? 5e-5 : 1e-4;
      for (int i = 0; i < nu; i++) x[i] = size * cos(1.7 * i);
      memcpy(y, s.y, sizeof *y * (size_t)nq);
      s.ode->move(s.ode->self, y, x);
      for (int i = 0; i < nq; i++) dq[i] = y[i] - s.y[i];
      s.ode->tangent(s.ode->self, s.y, dq, back);
      error[pass] = 0;
      for (int i = 0; i < nu; i++) error[pass] = fmax(error[pass], fabs(back[i] - x[i]));
    }
    /* of second order at least: it falls by four, or is roundoff */
    CHECK(error[0] < 1e-7 && (error[1] < 0.3 * error[0] || error[1] < 1e-14));
    build_free(&s.b);
  }
}

TEST(the_residual_is_zero_for_the_motion) {
  static const char *const models[] = {"four_bar", "heavy_top", "spatial_four_bar"};
  for (int k = 0; k < 3; k++) {
    stand s;
    double ydot[128] = {0}, lambda[64] = {0}, mu[64] = {0}, r[256], size = 1;
    if (!begin(&s, models[k])) {
      FAIL("%s: %s", models[k], s.b.message);
      return;
    }
    const int all = s.ode->n + s.ode->rows + s.ode->holonomic;
    CHECK(all <= 256 && s.ode->n <= 128 && s.ode->rows <= 64);
    CHECK(s.ode->multipliers(s.ode->self, 0, s.y, ydot, lambda) == TN_OK);
    CHECK(s.ode->residual(s.ode->self, 0, s.y, ydot, lambda, mu, r) == TN_OK);
    for (int i = 0; i < s.ode->rows; i++) size = fmax(size, fabs(lambda[i]));
    for (int i = 0; i < all; i++)
      if (!(fabs(r[i]) <= 1e-9 * size)) FAIL("%s: residual %d is %g", models[k], i, r[i]);
    build_free(&s.b);
  }
}
