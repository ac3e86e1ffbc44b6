/* fuzzy: feedback by a controller of rules, row by row (Nada & Bayoumi 2023). with x = Kp C, y = Kd Cdot and F of controller.c:
 *   (1) A udot = gamma - U,  U = Ku F(x, y);  nonholonomic rows, which have no C: U = Ku' F(y), y = Kd' Cdot, their own gains
 * sets, rules and inference are the business of controller.c and controller_read.c; as published 25 rules, of Sugeno's zeroth order.
 * near zero F = g_x x + g_y y: feedback with beta^2 = Ku Kp g_x, 2 alpha = Ku Kd g_y that never exceeds Ku. gains by hand; by the paper's
 * rule from bounds, for C and Cdot as they are
 *   (2) Kp = 1/eps_position, Kd = 1/eps_velocity, Ku = 100 Kp
 * which is stiff: with 1e-6, 1e-4 poles at -1e12 g and -100; by the same rule from the largest 1-norms of C and Cdot after each of the
 * first steps, which are made without feedback (Sec. 3.3, step 4)
 *   (3) Kp = 1/|C|, Kd = 1/|Cdot|, Ku = 100 Kp, Kd' = 1/|Cdot'|, Ku' = Ku, or 100 Kd' if no row has a C
 * but for those given by hand. as long as all of these are roundoff there is no feedback; or from bounds eps on C and Cdot, scaled as the contract does:
 *   (4) Kp = 1/(100 eps_position), Kd = Kp (a/b) h g_x/g_y, Ku = (b/h^2)/(Kp g_x), held, with a = 3/4, b = 1/4: inside what (1) of held.c
 *       allows
 *   (5) guard: after a step with a violation beyond the bounds the state is put back, once
 * gains by hand that are not stable at a fixed step are refused, unless the run allows them; (5) makes up for those of (4), with a
 * warning. those of (3) are not known before the run, and nobody judges them */
#include "stabilize/stabilize.h"

static const double HELD_A = 0.75, HELD_B = 0.25, GAINS_UNIVERSE = 100, STEPS_MANY = 1e7, VIOLATION_FELT = 1e-14;
enum { BY_STEP, BY_PAPER, BY_MEASURE }; /* (4), (2), (3) */
enum { MOST_STEPS = 1000000 };

typedef struct gain_set {
  double kp, kd, ku, kd_nonholonomic, ku_nonholonomic;
} gain_set;

typedef struct fuzzy {
  tn_choice_of_sets sets[2]; /* of C, Cdot */
  int both, infer, rule;     /* 0 product, 1 smaller; 0 Sugeno, 1 Mamdani */
  gain_set hand;             /* or by (2) */
  double eps_position, eps_velocity;
  int steps;
  int feedback; /* 0 by default: staged, from bounds held; 1 held; 2 staged */
  bool bounded; /* (4) */
  tn_controller controller;
} fuzzy;

typedef struct measured { /* (3), all 0 at first: 1-norms, their largest so far */
  int steps;
  double C, Cdot, rate;
  bool known;
} measured;

static const tn_array arrays[] = {TN_INSIDE(measured, C, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(measured, Cdot, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(measured, rate, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(measured, known, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(measured, steps, .element = TN_INTS, .kept = true, .most = MOST_STEPS),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(measured), arrays};

/* gains per step of length h near zero, of rows that have a C, and of those that have none */
static tn_feedback gains(const fuzzy *s, double h) {
  const tn_controller *c = &s->controller;
  tn_feedback g = {.n = 2, .held = s->feedback == 1, .gain = {HELD_A, HELD_B}};
  if (!s->bounded)
    g.gain[0] = s->hand.ku * s->hand.kd * c->slope_y * h, g.gain[1] = s->hand.ku * s->hand.kp * c->slope_x * h * h;
  return g;
}

static tn_feedback gain_of_rate(const fuzzy *s, double h) {
  const tn_controller *c = &s->controller;
  const double g = s->bounded ? HELD_A / c->slope_y * c->slope_line
                              : s->hand.ku_nonholonomic * s->hand.kd_nonholonomic * c->slope_line * h;
  return (tn_feedback){.n = 1, .held = s->feedback == 1, .gain = {g}};
}

/* roots of s^2 + a s + b: both real, or real part and frequency */
static bool poles(double a, double b, double p[2]) {
  const double d = a * a / 4 - b;
  if (d < 0) {
    p[0] = -a / 2, p[1] = sqrt(-d);
    return false;
  }
  p[0] = -a / 2 - sqrt(d);
  p[1] = p[0] < 0 ? b / p[0] : 0;
  return true;
}

/* what a rule finds is not to be given */
static tn_status refuse_rule(const fuzzy *s, tn_context *ctx, bool hand, bool all, bool bounds) {
  if (hand && s->rule == BY_PAPER)
    return tn_context_fail(ctx, "rule", "gains are given: a rule finds them from bounds");
  if (all && s->rule == BY_MEASURE)
    return tn_context_fail(ctx, "rule", "`kp`, `kd` and `ku` are given: nothing is left to measure");
  if (bounds && s->rule == BY_MEASURE)
    return tn_context_fail(ctx, "rule", "bounds are given: this rule measures violations instead");
  return TN_OK;
}

static tn_status refuse_mixture(const fuzzy *s, tn_context *ctx, bool hand, bool bounds) {
  const gain_set *g = &s->hand;
  if (hand && bounds)
    return tn_context_fail(ctx, NULL,
                           "give gains `kp`, `kd`, `ku`, or bounds `eps_position`, `eps_velocity`, not both");
  const bool all = !isnan(g->kp) && !isnan(g->kd) && !isnan(g->ku);
  TN_TRY(refuse_rule(s, ctx, hand, all, bounds));
  if (bounds && (isnan(s->eps_position) || isnan(s->eps_velocity)))
    return tn_context_fail(ctx, NULL, "`eps_position` and `eps_velocity` are needed both");
  if (hand && !all && s->rule == BY_STEP) return tn_context_fail(ctx, NULL, "`kp`, `kd` and `ku` are needed all three");
  if (!hand && s->rule == BY_STEP && !(isnan(g->kd_nonholonomic) && isnan(g->ku_nonholonomic)))
    return tn_context_fail(ctx, isnan(g->kd_nonholonomic) ? "ku_nonholonomic" : "kd_nonholonomic",
                           "gains that come from bounds and the step are those of velocity rows, too");
  if (s->rule != BY_MEASURE && tn_context_value(ctx, "steps"))
    return tn_context_fail(ctx, "steps", "only `rule` measured waits for the first steps");
  return TN_OK;
}

static tn_status read_gains(fuzzy *s, tn_context *ctx, const tn_settings *run) {
  gain_set *g = &s->hand;
  const bool hand = !isnan(g->kp) || !isnan(g->kd) || !isnan(g->ku),
             bounds = !isnan(s->eps_position) || !isnan(s->eps_velocity);
  TN_TRY(refuse_mixture(s, ctx, hand, bounds));
  if (!hand && !bounds) { /* those of the contract */
    s->eps_position = run->contract_position;
    s->eps_velocity = run->contract_velocity;
  }
  s->bounded = !hand && s->rule == BY_STEP;
  if (s->rule == BY_PAPER) g->kp = 1 / s->eps_position, g->kd = 1 / s->eps_velocity, g->ku = 100 * g->kp;
  if (s->rule == BY_MEASURE) return TN_OK;
  if (isnan(g->kd_nonholonomic)) g->kd_nonholonomic = g->kd;
  if (isnan(g->ku_nonholonomic)) g->ku_nonholonomic = g->ku;
  return TN_OK;
}

/* key: of the gains that it is about */
static tn_status judge_growth(const fuzzy *s, tn_context *ctx, const tn_settings *run, const tn_feedback *g, double h,
                              const char *key, const char *rows) {
  const tn_integrator_type *type = run->integrator;
  const void *parameters = run->integrator_self;
  const double growth = tn_feedback_growth(type, parameters, g);
  char text[160];
  if (tn_feedback_stable(growth)) return TN_OK;
  tn_feedback_text(type, parameters, g, s->bounded ? 0 : h, false, text, sizeof text);
  if (s->bounded) { /* the guard of (5) ends the growth */
    tn_context_warn(ctx, NULL, "a small violation%s grows by %.4g a step with %s, until the guard takes it away; %s",
                    rows, growth, type->name, text);
    return TN_OK;
  }
  return tn_context_unstable(ctx, key, growth, text, "a small violation%s grows by %.4g a step with %s", rows, growth,
                             type->name);
}

static tn_status judge_gains(const fuzzy *s, tn_context *ctx, const tn_settings *run) {
  const tn_integrator_type *type = run->integrator;
  const double h = s->bounded ? 1 : run->fixed ? run->step : 0;
  const tn_feedback g = gains(s, h), v = gain_of_rate(s, h), second = gains(s, 1);
  const char *own = tn_context_value(ctx, "ku_nonholonomic")   ? "ku_nonholonomic"
                    : tn_context_value(ctx, "kd_nonholonomic") ? "kd_nonholonomic"
                                                               : NULL;
  double p[2];
  if (h > 0) {
    if (run->holonomic > 0) TN_TRY(judge_growth(s, ctx, run, &g, h, NULL, ""));
    if (run->rows > run->holonomic) TN_TRY(judge_growth(s, ctx, run, &v, h, own, " of velocity rows"));
  } else if (poles(second.gain[0], second.gain[1], p) && -p[0] * run->until > STEPS_MANY) {
    const double longest = tn_feedback_limit(type, run->integrator_self, &second);
    if (longest > 0 && run->until / longest > STEPS_MANY)
      tn_context_warn(ctx, NULL,
                      "poles at %.3g and %.3g 1/s: steps of %s stay below %.3g s, and %.2g of them are needed", p[0],
                      p[1], type->name, longest, run->until / longest);
  }
  return TN_OK;
}

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  fuzzy *s = self;
  tn_controller *c = &s->controller;
  tn_settings run;
  (void)fixed_step; /* the settings have it */
  tn_context_settings(ctx, &run);
  TN_TRY(read_gains(s, ctx, &run));
  TN_TRY(tn_controller_read(c, ctx, s->sets, s->both, s->infer));
  if (s->bounded && !(c->slope_x > 0.1 && c->slope_y > 0.1))
    return tn_context_fail(
        ctx, tn_context_value(ctx, "sets") ? "sets" : "set",
        "these sets do not act near zero, so bounds cannot be kept: triangular or gaussian, or `kp`, `kd`, `ku`");
  if (s->feedback == 0) s->feedback = s->bounded ? 1 : 2;
  if (s->bounded && s->feedback == 2)
    return tn_context_fail(ctx, "feedback", "gains that come from bounds are tied to the step: feedback held");
  if (s->rule != BY_MEASURE) return judge_gains(s, ctx, &run);
  if (run.integrator->attempt) return TN_OK;
  return tn_context_fail(ctx, "rule", "%s keeps what it knows of earlier steps: gains may not change between them",
                         run.integrator->name);
}

/* how far gains of velocity rows that are their own are stable; h 0: the step is not fixed */
static void own_limits(const fuzzy *s, const tn_integrator_type *type, const void *parameters, double h, char *text,
                       size_t size) {
  const gain_set *g = &s->hand;
  const tn_feedback v = gain_of_rate(s, h > 0 ? h : 1);
  if (s->bounded || (g->kd_nonholonomic == g->kd && g->ku_nonholonomic == g->ku)) return;
  const int used = tn_format(text, size, "; velocity rows: near zero a pole at %.4g 1/s, ",
                             0 - g->ku_nonholonomic * g->kd_nonholonomic * s->controller.slope_line);
  if ((size_t)used < size)
    tn_feedback_text(type, parameters, &v, h > 0 ? h : 1, h > 0, text + used, size - (size_t)used);
}

static void limits(const void *self, const tn_integrator_type *type, const void *parameters, double h, char *text,
                   size_t size) {
  const fuzzy *s = self;
  const tn_feedback g = gains(s, h > 0 ? h : 1), second = gains(s, 1);
  double p[2];
  int used = 0;
  if (s->rule == BY_MEASURE) {
    tn_format(text, size, "gains follow from the first %d steps: how far they are stable cannot be known before",
              s->steps);
    return;
  }
  if (!s->bounded && !(g.gain[0] > 0 || g.gain[1] > 0)) {
    tn_format(text, size, "nothing is fed back near zero: a small violation stays");
  } else {
    if (!s->bounded)
      used = poles(second.gain[0], second.gain[1], p)
                 ? tn_format(text, size, "near zero poles at %.4g and %.4g 1/s; ", p[0], p[1])
                 : tn_format(text, size, "near zero poles at %.4g +- %.4g i 1/s; ", p[0], p[1]);
    if ((size_t)used >= size) return;
    tn_feedback_text(type, parameters, &g,
                     s->bounded ? 0
                     : h > 0    ? h
                                : 1,
                     h > 0 || s->bounded, text + used, size - (size_t)used);
  }
  const size_t end = strlen(text);
  own_limits(s, type, parameters, h, text + end, size - end);
}

static bool held(const void *self) { return ((const fuzzy *)self)->feedback == 1; }

/* gains that are found in the run change at the end of a step: no rate outlives it */
static bool tied(const void *self) {
  const fuzzy *s = self;
  return s->bounded || s->rule == BY_MEASURE;
}

static size_t memory(const void *self, const tn_system *sys) {
  (void)sys;
  return ((const fuzzy *)self)->rule == BY_MEASURE ? tn_workspace_size(&workspace, self, (tn_sizes){0}) : 0;
}

static void keep(const void *self, void *room, tn_keep *k) {
  if (((const fuzzy *)self)->rule == BY_MEASURE) tn_workspace_keep(&workspace, self, room, (tn_sizes){0}, k);
}

/* (3); false: not yet */
static bool by_measure(const fuzzy *s, int holonomic, const measured *r, gain_set *g) {
  if (!r->known) return false;
  *g = s->hand;
  if (isnan(g->kp)) g->kp = 1 / r->C;
  if (isnan(g->kd)) g->kd = 1 / r->Cdot;
  if (isnan(g->ku)) g->ku = 100 * g->kp;
  if (isnan(g->kd_nonholonomic)) g->kd_nonholonomic = 1 / r->rate;
  if (isnan(g->ku_nonholonomic)) g->ku_nonholonomic = holonomic ? g->ku : 100 * g->kd_nonholonomic;
  return true;
}

/* (4) */
static gain_set by_step(const fuzzy *s, double h) {
  const tn_controller *c = &s->controller;
  gain_set g = {.kp = 1 / (GAINS_UNIVERSE * s->eps_position)};
  g.kd = g.kd_nonholonomic = g.kp * (HELD_A / HELD_B) * h * (c->slope_x / c->slope_y);
  g.ku = g.ku_nonholonomic = HELD_B / (h * h) / (g.kp * c->slope_x);
  return g;
}

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  const fuzzy *s = self;
  const tn_controller *c = &s->controller;
  const tn_view *v = tn_view_of(sys);
  gain_set g = s->hand;
  if (s->bounded) g = by_step(s, at->h);
  if (s->rule == BY_MEASURE && !by_measure(s, v->holonomic, at->room, &g)) return;
  for (int i = 0; i < v->holonomic; i++) {
    const double scale = s->bounded ? v->scale[i] : 1, y = g.kd * scale * v->Cdot[i];
    U[i] += g.ku / scale * tn_controller_surface(c, g.kp * scale * v->C[i], y);
  }
  for (int i = v->holonomic; i < v->rows; i++) {
    const double scale = s->bounded ? v->scale[i] : 1, y = g.kd_nonholonomic * scale * v->Cdot[i];
    U[i] += g.ku_nonholonomic / scale * tn_controller_line(c, y);
  }
}

static double norm(int from, int to, const double *x, const double *scale) {
  double sum = 0;
  for (int i = from; i < to; i++) sum += fabs(x[i]) * (scale ? scale[i] : 1);
  return sum;
}

/* (3), at the end of a step: known as soon as enough steps are made and there is more than roundoff to measure */
static tn_status measure(const fuzzy *s, const tn_stage *at, tn_solver *solver, double t, const double *q,
                         const double *u) {
  measured *r = at->room;
  if (r->known || !(at->h > 0)) return TN_OK;
  TN_TRY(tn_solver_evaluate_at(solver, TN_EVALUATE_MOTION, t, q, u));
  const tn_view *v = tn_view_of(tn_solver_system(solver));
  const int holonomic = v->holonomic, rows = v->rows;
  r->C = fmax(r->C, norm(0, holonomic, v->C, NULL));
  r->Cdot = fmax(r->Cdot, norm(0, holonomic, v->Cdot, NULL));
  r->rate = fmax(r->rate, norm(holonomic, rows, v->Cdot, NULL));
  if (r->steps < MOST_STEPS) r->steps++;
  const bool felt =
      norm(0, holonomic, v->C, v->scale) > VIOLATION_FELT || norm(0, holonomic, v->Cdot, v->scale) > VIOLATION_FELT;
  r->known = r->steps >= s->steps && (!holonomic || (felt && r->C > 0 && r->Cdot > 0)) &&
             (rows == holonomic || norm(holonomic, rows, v->Cdot, v->scale) > VIOLATION_FELT);
  return TN_OK;
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u,
                        bool *changed) {
  const fuzzy *s = self;
  if (s->rule == BY_MEASURE) return measure(s, at, solver, t, q, u);
  return s->bounded ? tn_solver_guard(solver, s->eps_position, s->eps_velocity, t, q, u, changed) : TN_OK;
}

#define NUMBER(name, at, of, text)                                                                                     \
  {                                                                                                                    \
    .key = name, .unit = of, .doc = text, .offset = offsetof(fuzzy, at), .dflt = NAN, .lo = TN_POSITIVE,               \
    .hi = INFINITY                                                                                                     \
  }
#define RULES(name, text)                                                                                              \
  {                                                                                                                    \
    .key = name, .doc = text, .kind = TN_LIST, .inside = (const tn_field[]) {                                          \
      {.key = "*", .kind = TN_LIST, .inside = tn_fields_numbers}, { .key = NULL }                                      \
    }                                                                                                                  \
  }
#define NAMED(suffix, i, whose)                                                                                        \
  {.key = "set" suffix,                                                                                                \
   .doc = "memberships" whose,                                                                                         \
   .kind = TN_WORD,                                                                                                    \
   .offset = offsetof(fuzzy, sets[i].set),                                                                             \
   .choices = "triangular trapezoidal gaussian"},                                                                      \
      {.key = "size" suffix,                                                                                           \
       .doc = "how many sets" whose ", an odd number",                                                                 \
       .kind = TN_INTEGER,                                                                                             \
       .offset = offsetof(fuzzy, sets[i].size),                                                                        \
       .dflt = 5,                                                                                                      \
       .lo = 3,                                                                                                        \
       .hi = TN_CONTROLLER_MOST},                                                                                      \
      {.key = "width" suffix,                                                                                          \
       .doc = "width of the sets" whose ", times that of the published ones",                                          \
       .offset = offsetof(fuzzy, sets[i].width),                                                                       \
       .dflt = 1,                                                                                                      \
       .lo = 0.25,                                                                                                     \
       .hi = 4},                                                                                                       \
      RULES("sets" suffix,                                                                                             \
            "one's own" whose ", an odd number from left to right: [centre, sigma], [foot, top, foot] or "             \
            "[foot, top, top, foot] each")

static const tn_field fields[] = {
    NAMED("", 0, ""),
    NAMED("_rate", 1, " of Cdot, if other than those of C"),
    {.key = "both",
     .doc = "how far a rule of two conditions is met: product or smaller of the two; Mamdani: output sets likewise "
            "scaled or cut",
     .kind = TN_WORD,
     .offset = offsetof(fuzzy, both),
     .choices = "product minimum"},
    {.key = "infer",
     .doc = "outputs are numbers and their mean is taken, or sets and the centroid",
     .kind = TN_WORD,
     .offset = offsetof(fuzzy, infer),
     .choices = "sugeno mamdani"},
    RULES("table", "outputs, -1 to 1, by the set of C (rows) and that of Cdot; Mamdani: middles of output sets"),
    RULES("table_x", "first-order Sugeno: a of a x + b y + c, as `table`, which has c; 0 if left out"),
    RULES("table_y", "the same of b"),
    RULES("outputs", "Mamdani: one's own output sets, [foot, top, foot] or [foot, top, top, foot]"),
    NUMBER("kp", hand.kp, NULL, "gain of C"),
    NUMBER("kd", hand.kd, NULL, "gain of Cdot"),
    NUMBER("ku", hand.ku, NULL, "largest feedback"),
    NUMBER("kd_nonholonomic", hand.kd_nonholonomic, NULL, "gain of Cdot of rows that have no C; `kd` if left out"),
    NUMBER("ku_nonholonomic", hand.ku_nonholonomic, NULL, "their largest feedback; `ku` if left out"),
    NUMBER("eps_position", eps_position, NULL,
           "bound, scaled as in the contract; gains follow from it. that of the contract if nothing is given"),
    NUMBER("eps_velocity", eps_velocity, "1/s", "the same of velocities"),
    {.key = "rule",
     .doc = "gains from bounds: by the step, held, with a guard; or as published, 1/eps_position, 1/eps_velocity, 100 "
            "kp; or the same from violations measured after the first steps, but for gains given by hand",
     .kind = TN_WORD,
     .offset = offsetof(fuzzy, rule),
     .choices = "step paper measured"},
    {.key = "steps",
     .doc = "`rule` measured: how many steps are made first, without feedback",
     .kind = TN_INTEGER,
     .offset = offsetof(fuzzy, steps),
     .dflt = 10,
     .lo = 1,
     .hi = MOST_STEPS},
    {.key = "feedback",
     .doc = "held over the step, or at every stage; by default held if gains come from bounds and the step",
     .kind = TN_WORD,
     .offset = offsetof(fuzzy, feedback),
     .choices = "default held staged"},
    {.key = NULL}};

const tn_stabilizer_type tn_stabilizer_fuzzy = {
    .name = "fuzzy",
    .doc = "feedback by a fuzzy controller, of 25 rules as published; from bounds alone, with a guard that keeps them",
    .example = "--stabilize fuzzy:set=gaussian --breach record",
    .source = "Nada & Bayoumi 2023; from bounds and held: Tenon",
    .size = sizeof(fuzzy),
    .fields = fields,
    .init = init,
    .held = held,
    .tied_to_step = tied,
    .memory = memory,
    .limits = limits,
    .feedback = feedback,
    .accept = accept,
    .keep = keep,
    .published = "fuzzy:set=gaussian,kp=100,kd=0.01,ku=10000,width=1,feedback=staged",
};

const tn_controller *tn_controller_of(const tn_stabilizer_type *type, const void *self) {
  return type == &tn_stabilizer_fuzzy && self ? &((const fuzzy *)self)->controller : NULL;
}
