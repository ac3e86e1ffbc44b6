/* what functions rely on is asserted where they begin: in builds without NDEBUG, a call at the wrong level ends the program. */
#include "formulate/formulate.h"
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool asserts_are_on(void) {
  bool on = false;
  assert((on = true));
  return on;
}

/* a call that relies on what is not there */
typedef void breach(tn_solver *s);

static void energy_of_a_point_not_evaluated(tn_solver *s) {
  double kinetic, potential;
  tn_system_stale(&s->sys);
  tn_energy_here(&s->sys, &kinetic, &potential);
}

static void reactions_of_another_point(tn_solver *s) {
  tn_need(&s->sys, TN_LEVEL_FORCES);
  tn_system_changed(&s->sys);
  tn_reactions(&s->sys);
}

static void rows_of_another_position(tn_solver *s) {
  double x[BUILD_MOST] = {0}, r[BUILD_MOST];
  tn_system_stale(&s->sys);
  tn_solver_rows_times(s, x, r);
}

static void solution_at_another_position(tn_solver *s) {
  double q[BUILD_MOST], u[BUILD_MOST];
  memcpy(q, s->sys.at.q, sizeof *q * (size_t)s->sys.m->nq);
  memcpy(u, s->sys.at.u, sizeof *u * (size_t)s->sys.m->nu);
  q[0] += 0.1;
  if (tn_solver_factor(s, TN_METRIC_MASS, NULL) != TN_OK || tn_solver_at(s, 0, q, u, NULL) != TN_OK) return;
  tn_solver_solve(s, s->sys.f, s->sys.rows.gamma, s->sys.solved.udot, s->sys.solved.lambda, NULL);
}

static void projection_of_a_state_elsewhere(tn_solver *s) {
  double q[BUILD_MOST] = {0}, u[BUILD_MOST] = {0};
  bool changed = false;
  tn_put_back(s, TN_METRIC_MASS, false, 7, q, u, NULL, NULL, &changed, NULL);
}

static void joint_that_is_not_there(tn_solver *s) { tn_system_switch(&s->sys, true, s->sys.m->joints + 99, false); }

/* in a process of its own: the signal that ends it, 0: none */
static int signal_of(tn_solver *s, breach *call) {
  int status = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stderr)) _exit(2);
    call(s);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) abort();
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(calls_at_the_wrong_level_are_caught) {
  static breach *const calls[] = {energy_of_a_point_not_evaluated, reactions_of_another_point,
                                  rows_of_another_position,        solution_at_another_position,
                                  projection_of_a_state_elsewhere, joint_that_is_not_there};
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  CHECK(build_simulate(&b));
  tn_solver *s = &b.sim->solver;
  CHECK(tn_solver_at(s, 0, b.model->q0, s->sys.at.u, NULL) == TN_OK &&
        tn_solver_factor(s, TN_METRIC_MASS, NULL) == TN_OK);
  for (size_t i = 0; i < sizeof calls / sizeof *calls && asserts_are_on(); i++)
    if (signal_of(s, calls[i]) != SIGABRT) FAIL("call %zu was not caught", i);
  build_free(&b);
}
