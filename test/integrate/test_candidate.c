/* an attempt that may still be thrown away tells its inside: that leaves no trace, and is what it tells once it is accepted. */
#include "integrate/integrate.h"
#include "model/model.h"
#include "test.h"

#include <stdlib.h>

enum { N = 3, STEPS = 25 };

static tn_status no_begin(void *self, double t, const double *y, double h) {
  (void)self, (void)t, (void)y, (void)h;
  return TN_OK;
}

/* an oscillator, and a sum that nothing depends on */
static tn_status rates(void *self, double t, const double *y, double *ydot) {
  (void)self;
  ydot[0] = y[1];
  ydot[1] = -y[0] + 0.1 * cos(3 * t);
  ydot[2] = y[0] * y[1];
  return TN_OK;
}

static void weights(void *self, const double *y, double *w) {
  (void)self, (void)y;
  for (int i = 0; i < N; i++) w[i] = 1e-9;
}

static tn_status refuse(void *self, double t, const char *message) {
  (void)self, (void)t, (void)message;
  return TN_E_RUN;
}

/* one of two runs that are alike, but that one asks */
typedef struct side {
  void *work;
  tn_effort effort;
  tn_ode ode;
  double y[N], ynew[N], error[N], inside[2][N];
} side;

static void begin(side *s, const tn_integrator_type *type) {
  *s = (side){.y = {1, 0.2, 0}};
  s->ode = (tn_ode){.n = N, .ledgers = 1, .begin = no_begin, .rates = rates, .weights = weights, .refuse = refuse};
  s->work = calloc(1, type->memory(type->constants, N));
  type->start(type->constants, s->work, N);
}

static const double THETA[2] = {0.3, 0.85};

static bool attempt(side *s, const tn_integrator_type *type, bool adaptive, double t, double h, bool asks) {
  s->ode.effort = &s->effort;
  bool good = type->attempt(s->work, &s->ode, t, s->y, h, s->ynew, adaptive ? s->error : NULL) == TN_OK;
  for (int k = 0; asks && k < 2; k++) good = type->dense(s->work, &s->ode, THETA[k], s->inside[k]) == TN_OK && good;
  return good;
}

/* the largest difference between what candidates tell and what they tell when they stand; *traces: numbers that asking has changed */
static double compare(const tn_integrator_type *type, bool adaptive, bool changed, int *traces) {
  side plain, asked;
  double t = 0, most = 0;
  *traces = 0;
  begin(&plain, type);
  begin(&asked, type);
  for (int n = 0; n < STEPS; n++) {
    const double h = 0.02 * (1 + 0.3 * sin(n));
    CHECK(attempt(&plain, type, adaptive, t, 1.3 * h, false) && attempt(&asked, type, adaptive, t, 1.3 * h, true));
    CHECK(attempt(&plain, type, adaptive, t, h, false) && attempt(&asked, type, adaptive, t, h, true));
    for (int i = 0; i < N; i++) *traces += plain.ynew[i] != asked.ynew[i];
    for (int i = 0; adaptive && i < N; i++) *traces += plain.error[i] != asked.error[i];
    if (adaptive && type->plan)
      *traces += type->plan(plain.work, &plain.ode, 0.5, 0.5) != type->plan(asked.work, &asked.ode, 0.5, 0.5);
    t += h;
    for (side *s = &plain; s; s = s == &plain ? &asked : NULL) {
      for (int i = 0; i < N; i++) s->y[i] = s->ynew[i] * (changed ? 1 + 1e-6 : 1);
      type->accept(s->work, s->y, changed);
    }
    for (int k = 0; k < 2 && !changed; k++) {
      double y[N];
      CHECK(type->dense(asked.work, &asked.ode, THETA[k], y) == TN_OK);
      for (int i = 0; i < N; i++) most = fmax(most, fabs(y[i] - asked.inside[k][i]));
    }
  }
  free(plain.work);
  free(asked.work);
  return most;
}

TEST(the_inside_of_an_attempt_is_known_before_it_is_accepted) {
  int types = 0;
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *type = tn_integrator_types[i];
    if (!type->attempt) continue;
    for (int adaptive = 0; adaptive < 2; adaptive++) {
      if (adaptive ? !type->adaptive : !type->fixed) continue;
      for (int changed = 0; changed < 2; changed++) {
        int traces;
        /* an order that `plan` has raised goes through one rate more */
        const double off = compare(type, adaptive, changed, &traces), allowed = type->orders ? 1e-6 : 1e-14;
        if (traces || !(off <= allowed)) printf("%s: %d traces, off by %.3g\n", type->name, traces, off);
        CHECK(traces == 0 && off <= allowed);
        types++;
      }
    }
  }
  CHECK(types > 40);
}
