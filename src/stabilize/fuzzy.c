/* fuzzy: feedback by a controller of 25 rules, row by row (Nada & Bayoumi 2023). with x = Kp C, y = Kd Cdot, each within -1 .. 1:
 *   (1) F(x, y) = sum_jk w_jk z_jk / sum_jk w_jk,  w_jk = m_j(x) m_k(y) or the smaller of the two,  z_jk = c_j + c_k within -1 .. 1
 *   (2) A udot = gamma - U,  U = Ku F(x, y);  nonholonomic rows, which have no C: U = Ku F(y), sum_k m_k(y) c_k / sum_k m_k(y)
 * m_k: membership in the set with centre c_k = -1, -1/2, 0, 1/2, 1, triangular, trapezoidal or Gaussian. a set that no number belongs to
 * cannot be met within -1 .. 1, which is why x and y are cut there.
 * near zero F = g (x + y): feedback with beta^2 = Ku Kp g, 2 alpha = Ku Kd g that never exceeds Ku. from bounds eps on C and Cdot, scaled as the
 * contract does:
 *   (3) Kp = 1/(100 eps_position), Kd = Kp (a/b) h, Ku = (b/h^2)/(Kp g), held, with a = 3/4, b = 1/4: inside what (1) of held.c allows
 *   (4) guard: after a step with a violation beyond the bounds the state is put back, once */
#include "stabilize/stabilize.h"

enum { SETS = 5 };
static const double A = 0.75, B = 0.25, UNIVERSE = 100;
static const double centre[SETS] = {-1, -0.5, 0, 0.5, 1};

typedef struct fuzzy {
  int set, both; /* 0 triangular, 1 trapezoidal, 2 Gaussian; 0 product, 1 smaller */
  double kp, kd, ku, eps_position, eps_velocity;
  int feedback; /* 0 by default: staged, from bounds held; 1 held; 2 staged */
  double slope; /* g: of F(x, 0) at 0 */
} fuzzy;

static double within(double x) { return x < -1 ? -1 : x > 1 ? 1 : x; }

static double member(int set, double x, double c) {
  const double d = fabs(x - c);
  if (set == 0) return fmax(0, 1 - d / 0.5);
  if (set == 1) return d <= 0.1 ? 1 : fmax(0, (0.4 - d) / 0.3);
  return exp(-0.5 * (d / 0.2) * (d / 0.2));
}

double tn_fuzzy_surface(int set, int both, double x, double y) {
  double sum = 0, all = 0, mx[SETS], my[SETS];
  x = within(x), y = within(y);
  for (int k = 0; k < SETS; k++) mx[k] = member(set, x, centre[k]), my[k] = member(set, y, centre[k]);
  for (int j = 0; j < SETS; j++)
    for (int k = 0; k < SETS; k++) {
      const double w = both ? fmin(mx[j], my[k]) : mx[j] * my[k];
      sum += w * within(centre[j] + centre[k]);
      all += w;
    }
  return sum / all;
}

double tn_fuzzy_line(int set, double y) {
  double sum = 0, all = 0;
  y = within(y);
  for (int k = 0; k < SETS; k++) sum += member(set, y, centre[k]) * centre[k], all += member(set, y, centre[k]);
  return sum / all;
}

static bool bounded(const fuzzy *s) { return !isnan(s->eps_position); }

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  fuzzy *s = self;
  const bool gains = !isnan(s->kp) || !isnan(s->kd) || !isnan(s->ku), bounds = bounded(s) || !isnan(s->eps_velocity);
  (void)fixed_step;
  if (gains && bounds)
    return tn_context_fail(ctx, NULL,
                           "give gains `kp`, `kd`, `ku`, or bounds `eps_position`, `eps_velocity`, not both");
  if (bounds && (isnan(s->eps_position) || isnan(s->eps_velocity)))
    return tn_context_fail(ctx, NULL, "`eps_position` and `eps_velocity` are needed both");
  if (!gains && !bounds) { /* those of the contract */
    s->eps_position = ctx->m->run.contract_position;
    s->eps_velocity = ctx->m->run.contract_velocity;
  }
  if (gains && (isnan(s->kp) || isnan(s->kd) || isnan(s->ku)))
    return tn_context_fail(ctx, NULL, "`kp`, `kd` and `ku` are needed all three");
  const double d = 1e-6;
  s->slope = tn_fuzzy_surface(s->set, s->both, d, 0) / d;
  if (bounded(s) && !(s->slope > 0.1))
    return tn_context_fail(ctx, "set",
                           "these sets do not act near zero, so bounds cannot be kept: triangular or gaussian");
  if (s->feedback == 0) s->feedback = bounded(s) ? 1 : 2;
  if (bounded(s) && s->feedback == 2)
    return tn_context_fail(ctx, "feedback", "gains that come from bounds are tied to the step: feedback held");
  return TN_OK;
}

static bool held(const void *self) { return ((const fuzzy *)self)->feedback == 1; }
static bool tied(const void *self) { return bounded(self); }

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  const fuzzy *s = self;
  const tn_model *m = sys->m;
  double kp = s->kp, kd = s->kd, ku = s->ku;
  if (bounded(s)) {
    kp = 1 / (UNIVERSE * s->eps_position);
    kd = kp * (A / B) * at->h;
    ku = B / (at->h * at->h) / (kp * s->slope);
  }
  for (int i = 0; i < m->rows; i++) {
    const double scale = bounded(s) ? m->row_scale[i] : 1;
    const double F = i < m->holonomic
                         ? tn_fuzzy_surface(s->set, s->both, kp * scale * sys->C[i], kd * scale * sys->Cdot[i])
                         : tn_fuzzy_line(s->set, kd * scale * sys->Cdot[i]);
    U[i] += ku / scale * F;
  }
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u,
                        bool *changed) {
  const fuzzy *s = self;
  (void)at;
  return bounded(s) ? tn_put_back_beyond(solver, s->eps_position, s->eps_velocity, t, q, u, changed) : TN_OK;
}

#define NUMBER(name, of, text)                                                                                         \
  {                                                                                                                    \
    .key = #name, .unit = of, .doc = text, .offset = offsetof(fuzzy, name), .dflt = NAN, .lo = TN_POSITIVE,            \
    .hi = INFINITY                                                                                                     \
  }

static const tn_field fields[] = {
    {.key = "set",
     .doc = "memberships",
     .kind = TN_WORD,
     .offset = offsetof(fuzzy, set),
     .choices = "triangular trapezoidal gaussian"},
    {.key = "both",
     .doc = "how far a rule of two conditions is met: product or smaller of the two",
     .kind = TN_WORD,
     .offset = offsetof(fuzzy, both),
     .choices = "product minimum"},
    NUMBER(kp, NULL, "gain of C"),
    NUMBER(kd, NULL, "gain of Cdot"),
    NUMBER(ku, NULL, "largest feedback"),
    NUMBER(eps_position, NULL,
           "bound, scaled as in the contract; gains follow from it. that of the contract if nothing is given"),
    NUMBER(eps_velocity, "1/s", "the same of velocities"),
    {.key = "feedback",
     .doc = "held over the step, or at every stage; by default held if gains come from bounds",
     .kind = TN_WORD,
     .offset = offsetof(fuzzy, feedback),
     .choices = "default held staged"},
    {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_fuzzy = {
    .name = "fuzzy",
    .doc = "feedback by a controller of 25 rules; from bounds alone, with a guard that keeps them",
    .example = "--stabilize fuzzy:set=gaussian --breach record",
    .source = "Nada & Bayoumi 2023; from bounds and held: Tenon",
    .size = sizeof(fuzzy),
    .fields = fields,
    .init = init,
    .held = held,
    .tied_to_step = tied,
    .feedback = feedback,
    .accept = accept,
};
