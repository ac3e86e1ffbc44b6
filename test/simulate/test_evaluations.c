/* what one step costs in evaluations of the system: its stages and its end point, each once. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

typedef struct cost {
  double moves, evaluations, factorizations, readings; /* per accepted step; of the clock */
} cost;

/* of the steps between two times, none of which is rejected */
static cost cost_of(const char *model, const char *stabilize, double from, double to) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, model);
  build_set(&b, "/run/stabilize", stabilize);
  if (!build_simulate(&b) || tn_sim_advance(b.sim, from, &e) != TN_OK) FAIL("%s: %s", model, b.message);
  const tn_system *sys = &b.sim->solver.sys;
  const int64_t moves = sys->moves, evaluations = sys->evaluations, factorizations = b.sim->solver.factorizations,
                readings = b.sim->solver.profile.readings;
  const tn_summary first = *tn_sim_summary(b.sim);
  CHECK(tn_sim_advance(b.sim, to, &e) == TN_OK);
  const tn_summary last = *tn_sim_summary(b.sim);
  const double steps = (double)(last.steps - first.steps);
  CHECK(steps >= 20 && last.rejected - first.rejected <= 0.01 * steps);
  printf("%g steps, %g rejected\n", steps, (double)(last.rejected - first.rejected));
  const cost c = {(double)(sys->moves - moves) / steps, (double)(sys->evaluations - evaluations) / steps,
                  (double)(b.sim->solver.factorizations - factorizations) / steps,
                  (double)(b.sim->solver.profile.readings - readings) / steps};
  printf("%g moves, %g evaluations, %g factorizations, clock %g times\n", c.moves, c.evaluations, c.factorizations,
         c.readings);
  build_free(&b);
  return c;
}

/* dopri5 has 7 stages, the first of which stands where the step before has ended. its end is put back on the constraints: one more
 * position, and there other speeds */
TEST(a_projected_step_moves_the_system_eight_times) {
  const cost c = cost_of("four_bar", "\"project\"", 0.2, 0.4);
  CHECK(c.moves == 8 && c.evaluations == 8 && c.factorizations == 7);
}

/* without a projection the last stage is the first of the next step */
TEST(a_step_that_nobody_corrects_has_six_stages) {
  const cost c = cost_of("four_bar", "\"none\"", 0.2, 0.4);
  CHECK(c.moves == 6 && c.evaluations == 6 && c.factorizations == 6);
}

/* parts of a step are measured in one step of 64, and in the first ones */
TEST(the_clock_is_read_less_than_twice_a_step) {
  const cost c = cost_of("four_bar", "\"project\"", 0.2, 3);
  CHECK(c.readings > 0 && c.readings < 2);
}
