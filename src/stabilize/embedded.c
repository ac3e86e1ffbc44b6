/* embedded: the corrections of Braun & Goldfarb 2009, built into the equation of motion. with the step h, rows A, s and w the smallest
 * in the kinetic-energy norm:
 *   (1) qdot = N (u + s),  A s = -Cdot - C/h                                         (16)_1, (19)
 *   (2) udot = udot_0 + w,  A w = -Cdot/h                                            (16)_2, (18)
 * where Cdot = A u + Ct. `velocity`: (2) alone, their (12). with euler these are their (20), (21).
 * held: what is divided by h is that of the start of the step, the rest is of the stage. staged: all of the stage, the literal
 * reading; stages lie off the constraints by h^2 even where the step begins on them, and the order falls to two */
#include "stabilize/stabilize.h"

typedef struct embedded {
  int form, feedback; /* 0 full, 1 velocity; 0 held, 1 staged */
} embedded;

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  const embedded *s = self;
  if (s->feedback == 1 && !fixed_step)
    return tn_context_fail(
        ctx, "feedback",
        "corrections divided by the step, evaluated at every stage, need a fixed step: give `step`, or "
        "feedback held");
  return TN_OK;
}

static bool held(const void *self) { return ((const embedded *)self)->feedback == 0; }

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  (void)self;
  const tn_view *v = tn_view_of(sys);
  for (int i = 0; i < v->rows; i++) U[i] += v->Cdot[i] / at->h;
}

static void drift(const void *self, const tn_system *sys, const tn_stage *at, double *fixed, double *live) {
  if (((const embedded *)self)->form == 1) return;
  const tn_view *v = tn_view_of(sys);
  for (int i = 0; fixed && i < v->holonomic; i++) fixed[i] -= v->C[i] / at->h;
  for (int i = 0; live && i < v->rows; i++) live[i] -= v->Cdot[i];
}

static const tn_field fields[] = {{.key = "form",
                                   .doc = "both corrections, or that of the velocities alone",
                                   .kind = TN_WORD,
                                   .offset = offsetof(embedded, form),
                                   .choices = "full velocity"},
                                  {.key = "feedback",
                                   .doc = "what is divided by the step is held over it, or taken at every stage",
                                   .kind = TN_WORD,
                                   .offset = offsetof(embedded, feedback),
                                   .choices = "held staged"},
                                  {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_embedded = {
    .name = "embedded",
    .doc = "one corrective step a step, in positions and velocities, as a part of the equation of motion",
    .example = "--stabilize embedded --integrator rk4 --step 1e-3",
    .source = "Braun & Goldfarb 2009, eqs. 12, 16, 20, 21",
    .size = sizeof(embedded),
    .fields = fields,
    .init = init,
    .held = held,
    .tied_to_step = tn_always,
    .feedback = feedback,
    .drift = drift,
};
