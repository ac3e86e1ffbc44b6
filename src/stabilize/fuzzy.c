/* fuzzy: feedback by a controller of 25 rules, row by row (Nada & Bayoumi 2023). with x = Kp C, y = Kd Cdot and F of controller.c:
 *   (1) A udot = gamma - U,  U = Ku F(x, y);  nonholonomic rows, which have no C: U = Ku F(y)
 * the sets around -1, -1/2, 0, 1/2, 1 are triangular, trapezoidal or Gaussian, with outputs c_j + c_k within -1 .. 1; or one's own.
 * near zero F = g_x x + g_y y: feedback with beta^2 = Ku Kp g_x, 2 alpha = Ku Kd g_y that never exceeds Ku. gains by hand; by the paper's rule
 *   (2) Kp = 1/eps_position, Kd = 1/eps_velocity, Ku = 100 Kp, for C and Cdot as they are
 * which is stiff: with 1e-6, 1e-4 poles at -1e12 g and -100; or from bounds eps on C and Cdot, scaled as the contract does:
 *   (3) Kp = 1/(100 eps_position), Kd = Kp (a/b) h g_x/g_y, Ku = (b/h^2)/(Kp g_x), held, with a = 3/4, b = 1/4: inside what (1) of held.c
 *       allows
 *   (4) guard: after a step with a violation beyond the bounds the state is put back, once
 * gains by hand that are not stable at a fixed step are refused, unless the run allows them; (4) makes up for those of (3), with a
 * warning */
#include "stabilize/stabilize.h"

static const double A = 0.75, B = 0.25, UNIVERSE = 100, MANY = 1e7;

typedef struct fuzzy {
  int set, both, rule; /* 0 triangular, 1 trapezoidal, 2 Gaussian; 0 product, 1 smaller; 0 (3), 1 (2) */
  double kp, kd, ku, eps_position, eps_velocity;
  int feedback; /* 0 by default: staged, from bounds held; 1 held; 2 staged */
  bool bounded; /* (3) */
  tn_controller controller;
} fuzzy;

/* gains per step of length h near zero, of rows that have a C, and of those that have none */
static tn_feedback gains(const fuzzy *s, double h) {
  const tn_controller *c = &s->controller;
  tn_feedback g = {.n = 2, .held = s->feedback == 1, .gain = {A, B}};
  if (!s->bounded) g.gain[0] = s->ku * s->kd * c->slope_y * h, g.gain[1] = s->ku * s->kp * c->slope_x * h * h;
  return g;
}

static tn_feedback gain_of_rate(const fuzzy *s, double h) {
  const tn_controller *c = &s->controller;
  const double g = s->bounded ? A / c->slope_y * c->slope_line : s->ku * s->kd * c->slope_line * h;
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

static tn_status read_gains(fuzzy *s, tn_context *ctx) {
  const bool hand = !isnan(s->kp) || !isnan(s->kd) || !isnan(s->ku),
             bounds = !isnan(s->eps_position) || !isnan(s->eps_velocity);
  if (hand && bounds)
    return tn_context_fail(ctx, NULL,
                           "give gains `kp`, `kd`, `ku`, or bounds `eps_position`, `eps_velocity`, not both");
  if (hand && s->rule) return tn_context_fail(ctx, "rule", "gains are given: a rule finds them from bounds");
  if (bounds && (isnan(s->eps_position) || isnan(s->eps_velocity)))
    return tn_context_fail(ctx, NULL, "`eps_position` and `eps_velocity` are needed both");
  if (hand && (isnan(s->kp) || isnan(s->kd) || isnan(s->ku)))
    return tn_context_fail(ctx, NULL, "`kp`, `kd` and `ku` are needed all three");
  if (!hand && !bounds) { /* those of the contract */
    s->eps_position = ctx->m->run.contract_position;
    s->eps_velocity = ctx->m->run.contract_velocity;
  }
  s->bounded = !hand && !s->rule;
  if (!hand && s->rule) s->kp = 1 / s->eps_position, s->kd = 1 / s->eps_velocity, s->ku = 100 * s->kp;
  return TN_OK;
}

static tn_status judge_growth(const fuzzy *s, tn_context *ctx, const tn_feedback *g, double h, const char *rows) {
  const tn_run *run = &ctx->m->run;
  const tn_integrator_type *type = run->integrator;
  const void *parameters = type->size ? run->integrator_part.self : type->constants;
  const double growth = tn_feedback_growth(type, parameters, g);
  char text[160];
  if (tn_feedback_stable(growth)) return TN_OK;
  tn_feedback_text(type, parameters, g, s->bounded ? 0 : h, false, text, sizeof text);
  if (s->bounded) { /* the guard of (4) ends the growth */
    tn_context_warn(ctx, NULL, "a small violation%s grows by %.4g a step with %s, until the guard takes it away; %s",
                    rows, growth, type->name, text);
    return TN_OK;
  }
  return tn_feedback_refuse(ctx, NULL, growth, text, "a small violation%s grows by %.4g a step with %s", rows, growth,
                            type->name);
}

static tn_status judge_gains(const fuzzy *s, tn_context *ctx, bool fixed_step) {
  const tn_run *run = &ctx->m->run;
  const tn_integrator_type *type = run->integrator;
  const void *parameters = type->size ? run->integrator_part.self : type->constants;
  const double h = s->bounded ? 1 : fixed_step ? run->step : 0;
  const tn_feedback g = gains(s, h), v = gain_of_rate(s, h), second = gains(s, 1);
  double p[2];
  if (h > 0) {
    if (ctx->m->holonomic > 0) TN_TRY(judge_growth(s, ctx, &g, h, ""));
    if (ctx->m->rows > ctx->m->holonomic) TN_TRY(judge_growth(s, ctx, &v, h, " of velocity rows"));
  } else if (poles(second.gain[0], second.gain[1], p) && -p[0] * run->until > MANY) {
    const double longest = tn_feedback_limit(type, parameters, &second);
    if (longest > 0 && run->until / longest > MANY)
      tn_context_warn(ctx, NULL,
                      "poles at %.3g and %.3g 1/s: steps of %s stay below %.3g s, and %.2g of them are needed", p[0],
                      p[1], type->name, longest, run->until / longest);
  }
  return TN_OK;
}

static tn_status init(void *self, tn_context *ctx, bool fixed_step) {
  fuzzy *s = self;
  tn_controller *c = &s->controller;
  TN_TRY(read_gains(s, ctx));
  tn_controller_preset(c, s->set, s->both);
  TN_TRY(tn_controller_read(c, ctx));
  if (s->bounded && !(c->slope_x > 0.1 && c->slope_y > 0.1))
    return tn_context_fail(
        ctx, tn_node_get(ctx->node, "sets") ? "sets" : "set",
        "these sets do not act near zero, so bounds cannot be kept: triangular or gaussian, or `kp`, `kd`, `ku`");
  if (s->feedback == 0) s->feedback = s->bounded ? 1 : 2;
  if (s->bounded && s->feedback == 2)
    return tn_context_fail(ctx, "feedback", "gains that come from bounds are tied to the step: feedback held");
  return judge_gains(s, ctx, fixed_step);
}

static void limits(const void *self, const tn_integrator_type *type, const void *parameters, double h, char *text,
                   size_t size) {
  const fuzzy *s = self;
  const tn_feedback g = gains(s, h > 0 ? h : 1), second = gains(s, 1);
  double p[2];
  int used = 0;
  if (!s->bounded && !(g.gain[0] > 0 || g.gain[1] > 0)) {
    tn_format(text, size, "nothing is fed back near zero: a small violation stays");
    return;
  }
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

static bool held(const void *self) { return ((const fuzzy *)self)->feedback == 1; }
static bool tied(const void *self) { return ((const fuzzy *)self)->bounded; }

static void feedback(const void *self, const tn_system *sys, const tn_stage *at, double *U) {
  const fuzzy *s = self;
  const tn_controller *c = &s->controller;
  const tn_model *m = sys->m;
  double kp = s->kp, kd = s->kd, ku = s->ku;
  if (s->bounded) {
    kp = 1 / (UNIVERSE * s->eps_position);
    kd = kp * (A / B) * at->h * (c->slope_x / c->slope_y);
    ku = B / (at->h * at->h) / (kp * c->slope_x);
  }
  for (int i = 0; i < m->rows; i++) {
    const double scale = s->bounded ? sys->scale[i] : 1, y = kd * scale * sys->Cdot[i];
    U[i] += ku / scale *
            (i < m->holonomic ? tn_controller_surface(c, kp * scale * sys->C[i], y) : tn_controller_line(c, y));
  }
}

static tn_status accept(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q, double *u,
                        bool *changed) {
  const fuzzy *s = self;
  (void)at;
  return s->bounded ? tn_put_back_beyond(solver, s->eps_position, s->eps_velocity, t, q, u, changed) : TN_OK;
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
    {.key = "sets",
     .doc = "one's own, from left to right: [centre, sigma], [foot, top, foot] or [foot, top, top, foot] each",
     .kind = TN_LIST,
     .n = TN_CONTROLLER_SETS,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_LIST, .inside = tn_fields_numbers}, {.key = NULL}}},
    {.key = "table",
     .doc = "outputs, -1 to 1, by the set of C (rows) and that of Cdot",
     .kind = TN_LIST,
     .n = TN_CONTROLLER_SETS,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_LIST, .n = TN_CONTROLLER_SETS, .inside = tn_fields_numbers},
                                  {.key = NULL}}},
    NUMBER(kp, NULL, "gain of C"),
    NUMBER(kd, NULL, "gain of Cdot"),
    NUMBER(ku, NULL, "largest feedback"),
    NUMBER(eps_position, NULL,
           "bound, scaled as in the contract; gains follow from it. that of the contract if nothing is given"),
    NUMBER(eps_velocity, "1/s", "the same of velocities"),
    {.key = "rule",
     .doc =
         "gains from bounds: by the step, held, with a guard; or as published, 1/eps_position, 1/eps_velocity, 100 kp",
     .kind = TN_WORD,
     .offset = offsetof(fuzzy, rule),
     .choices = "step paper"},
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
    .limits = limits,
    .feedback = feedback,
    .accept = accept,
};

const tn_controller *tn_controller_of(const tn_part *stabilizer) {
  return stabilizer->type == &tn_stabilizer_fuzzy ? &((const fuzzy *)stabilizer->self)->controller : NULL;
}
