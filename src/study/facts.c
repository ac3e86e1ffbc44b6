/* measures that need no run.
 *   stability-real, stability-imaginary, stability-area   of an `integrator`, where zdot = lambda z is stable (stability.c)
 *   stability-outside      middles of squares of a `grid`, above the real axis, where `integrator` is stable and `of` is not
 *   coefficients           those that differ from the list `are`, compared as rational numbers, the first of them with k = `from`:
 *                            of "gamma", "gamma-star": of the k-th difference, Adams-Bashforth, Adams-Moulton
 *                            of "weight": of Adams-Bashforth of k steps, in its mean with Adams-Moulton of k - 1 steps in which the
 *                            errors of both cancel, w gamma_k + (1 - w) gamma*_k = 0
 *   weighted-coefficients  of those means, k = 1 .. `to`: coefficients that differ from Adams-Moulton of k steps (Wu, Chiou & Lin
 *                          2000, Theorem 1)
 *   controller-slope       of a `stabilizer`: of F at zero, `along` x (if left out), y, or rate: rows without a C
 *   feedback-damping       of a `stabilizer`, near zero: a/(2 sqrt(b)) of U = a Cdot + b C
 *   feedback-step          the longest step at which that is stable with `integrator`, in s */
#include "study/study.h"

/* ---- stability --------------------------------------------------------------------------------------------------------- */

typedef struct formula {
  tn_desc *d;
  tn_model *m;
} formula;

/* an integrator with its parameters is what a model has that names it */
static tn_status integrator_of(const tn_allocator *allocator, const tn_node *node, const char *key, formula *f,
                               tn_error *e) {
  static const char text[] = "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"b\": {\"mass\": 1, \"inertia\": 1}},"
                             " \"run\": {\"until\": 1, \"integrator\": {\"type\": \"rk4\", \"step\": 1}}}";
  const tn_node *part = tn_node_get(node, key);
  char words[256];
  *f = (formula){NULL, NULL};
  if (!part || part->kind != TN_NODE_TEXT) return tn_node_fail(node, e, TN_E_MODEL, "`%s` names an integrator", key);
  TN_TRY(tn_desc_new(allocator, &f->d, e));
  TN_TRY(tn_desc_parse(f->d, "", text, sizeof text - 1, e));
  tn_format(words, sizeof words, "%s%cstep=1", part->text, strchr(part->text, ':') ? ',' : ':');
  TN_TRY(tn_desc_part(f->d, "/run/integrator", words, e));
  TN_TRY(tn_compile(f->d, &f->m, e));
  return f->m->run.integrator->attempt ? TN_OK : tn_node_fail(node, e, TN_E_MODEL, "it has no region of its own");
}

static void release(formula *f) {
  tn_model_free(f->m);
  tn_desc_free(f->d);
}

static tn_status no_memory(tn_error *e) { return tn_fail(e, TN_E_MEMORY, "out of memory"); }

static tn_status region_of(const formula *f, tn_region *r, tn_error *e) {
  return tn_stability(f->m->run.integrator, tn_integrator_self(f->m), 0, r) == TN_OK ? TN_OK : no_memory(e);
}

static tn_status stability(const tn_allocator *allocator, const tn_node *node, double *value, tn_error *e) {
  const char *name = tn_node_get(node, "fact")->text;
  tn_region *r = tn_block_new(allocator, sizeof *r);
  if (!r) return no_memory(e);
  formula f;
  tn_status status = integrator_of(allocator, node, "integrator", &f, e);
  if (status == TN_OK) status = region_of(&f, r, e);
  if (status == TN_OK)
    *value = strcmp(name, "stability-real") == 0        ? r->real
             : strcmp(name, "stability-imaginary") == 0 ? r->imaginary
                                                        : r->area;
  release(&f);
  tn_block_free(allocator, r);
  return status;
}

enum { MOST_POINTS = 1 << 24 };

/* points of the grid that covers the region of f[0], where f[0] is stable and f[1] is not */
static tn_status count_outside(const tn_allocator *allocator, const tn_node *node, const formula *f, double *value,
                               tn_error *e) {
  const tn_node *grid = tn_node_get(node, "grid");
  const double d = grid && grid->kind == TN_NODE_NUMBER ? grid->number : 0;
  tn_region *r = tn_block_new(allocator, sizeof *r);
  if (!r) return no_memory(e);
  tn_status status = region_of(&f[0], r, e);
  const double columns = (r->right - r->left) / d + 2, rows = r->top / d + 2;
  const bool finite = status == TN_OK && isfinite(r->area) && d > 0 && columns * rows < MOST_POINTS;
  const int first = finite ? (int)floor(r->left / d) : 0;
  tn_block_free(allocator, r);
  if (status != TN_OK) return status;
  if (!finite)
    return tn_node_fail(node, e, TN_E_MODEL, "it needs a finite region, and the spacing of its points as `grid`");
  const size_t points = (size_t)columns * (size_t)rows;
  bool *stable = tn_block_new(allocator, 2 * points);
  if (!stable) return no_memory(e);
  for (int i = 0; i < 2 && status == TN_OK; i++)
    status = tn_stability_at(f[i].m->run.integrator, tn_integrator_self(f[i].m), 0, d, first, (int)columns, (int)rows,
                             stable + (size_t)i * points);
  *value = 0;
  for (size_t i = 0; i < points; i++) *value += stable[i] && !stable[points + i];
  tn_block_free(allocator, stable);
  return status == TN_OK ? TN_OK : no_memory(e);
}

static tn_status outside(const tn_allocator *allocator, const tn_node *node, double *value, tn_error *e) {
  formula f[2] = {{NULL, NULL}, {NULL, NULL}};
  tn_status status = integrator_of(allocator, node, "integrator", &f[0], e);
  if (status == TN_OK) status = integrator_of(allocator, node, "of", &f[1], e);
  if (status == TN_OK) status = count_outside(allocator, node, f, value, e);
  release(&f[0]);
  release(&f[1]);
  return status;
}

/* ---- coefficients ------------------------------------------------------------------------------------------------------- */

/* w of Adams-Bashforth of k steps */
static tn_ratio weight(int k) {
  tn_ratio gamma[TN_ADAMS_MOST + 1], star[TN_ADAMS_MOST + 1];
  tn_adams_gamma(k, true, gamma);
  tn_adams_gamma(k, false, star);
  const tn_ratio s = tn_ratio_minus(star[k]);
  return tn_ratio_product(s, tn_ratio_inverse(tn_ratio_sum(gamma[k], s)));
}

static tn_status coefficients(const tn_allocator *allocator, const tn_node *node, double *value, tn_error *e) {
  const tn_node *of = tn_node_get(node, "of"), *list = tn_node_get(node, "are"), *from = tn_node_get(node, "from");
  const char *word = of && of->kind == TN_NODE_TEXT ? of->text : "";
  const bool star = strcmp(word, "gamma-star") == 0, weights = strcmp(word, "weight") == 0;
  const double first = from && from->kind == TN_NODE_NUMBER ? from->number : 0;
  int k = first >= 0 && first <= TN_ADAMS_MOST ? (int)first : -1;
  (void)allocator;
  if (!star && !weights && strcmp(word, "gamma") != 0)
    return tn_node_fail(node, e, TN_E_MODEL, "`of` is gamma, gamma-star or weight");
  if (!list || list->kind != TN_NODE_LIST || k < weights || list->size > (size_t)(TN_ADAMS_MOST - k))
    return tn_node_fail(node, e, TN_E_MODEL, "`are` is a list of texts like \"5/12\", with k below %d", TN_ADAMS_MOST);
  *value = 0;
  for (const tn_node *c = list->first; c; c = c->next, k++) {
    tn_ratio gamma[TN_ADAMS_MOST + 1], r;
    if (c->kind != TN_NODE_TEXT || !tn_ratio_read(c->text, &r))
      return tn_node_fail(c, e, TN_E_MODEL, "this has to be a text like \"5/12\"");
    tn_adams_gamma(k, !star, gamma);
    *value += !tn_ratio_same(weights ? weight(k) : gamma[k], r);
  }
  return TN_OK;
}

/* (gamma_k - gamma*_k) x = -gamma*_k a + gamma_k b, that is x = w a + (1 - w) b */
static bool is_mean(int k, tn_ratio x, tn_ratio a, tn_ratio b) {
  tn_ratio gamma[TN_ADAMS_MOST + 1], star[TN_ADAMS_MOST + 1];
  tn_adams_gamma(k, true, gamma);
  tn_adams_gamma(k, false, star);
  const tn_ratio s = tn_ratio_minus(star[k]), left = tn_ratio_product(tn_ratio_sum(gamma[k], s), x);
  return tn_ratio_same(left, tn_ratio_sum(tn_ratio_product(s, a), tn_ratio_product(gamma[k], b)));
}

static tn_status weighted(const tn_allocator *allocator, const tn_node *node, double *value, tn_error *e) {
  const tn_node *to = tn_node_get(node, "to");
  const int most =
      to && to->kind == TN_NODE_NUMBER && to->number >= 0 && to->number <= TN_ADAMS_MOST ? (int)to->number : 0;
  (void)allocator;
  if (most < 1 || most >= TN_ADAMS_MOST)
    return tn_node_fail(node, e, TN_E_MODEL, "`to` is a number of steps, 1 to %d", TN_ADAMS_MOST - 1);
  *value = 0;
  for (int k = 1; k <= most; k++) {
    tn_ratio b[TN_ADAMS_MOST + 1], c[TN_ADAMS_MOST + 1], next[TN_ADAMS_MOST + 1];
    const tn_ratio none = tn_ratio_of(0, 1);
    tn_adams_beta(k, true, b);
    tn_adams_beta(k, false, c);
    tn_adams_beta(k + 1, false, next);
    /* of f_{n+1-j}: one begins with f_n, the other ends before f_{n+1-k} */
    for (int j = 0; j <= k; j++) *value += !is_mean(k, next[j], j > 0 ? b[j - 1] : none, j < k ? c[j] : none);
  }
  return TN_OK;
}

/* ---- stabilizers --------------------------------------------------------------------------------------------------------- */

/* a stabilizer with its parameters, on one row that has a C */
static tn_status stabilizer_of(const tn_allocator *allocator, const tn_node *node, tn_desc **d, tn_model **m,
                               tn_error *e) {
  static const char text[] =
      "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"b\": {\"mass\": 1, \"position\": [1, 0], "
      "\"coordinates\": \"point\"}}, \"joints\": {\"j\": {\"type\": \"distance\", \"between\": [\"ground\", \"b\"], "
      "\"at\": [[0, 0], \"b\"]}}, \"run\": {\"until\": 1}}";
  const tn_node *part = tn_node_get(node, "stabilizer");
  if (!part || part->kind != TN_NODE_TEXT) return tn_node_fail(node, e, TN_E_MODEL, "`stabilizer` names one");
  TN_TRY(tn_desc_new(allocator, d, e));
  TN_TRY(tn_desc_parse(*d, "", text, sizeof text - 1, e));
  TN_TRY(tn_desc_part(*d, "/run/stabilize", part->text, e));
  TN_TRY(tn_compile(*d, m, e));
  return (*m)->run.stabilizers == 1 ? TN_OK : tn_node_fail(part, e, TN_E_MODEL, "this has to be one stabilizer");
}

static tn_status slope(const tn_node *node, const tn_part *stabilizer, double *value, tn_error *e) {
  const tn_controller *c = tn_controller_of(stabilizer->type, stabilizer->self);
  const tn_node *along = tn_node_get(node, "along");
  const char *word = along && along->kind == TN_NODE_TEXT ? along->text : along ? "" : "x";
  if (!c) return tn_node_fail(node, e, TN_E_MODEL, "this stabilizer is no controller");
  if (strcmp(word, "x") != 0 && strcmp(word, "y") != 0 && strcmp(word, "rate") != 0)
    return tn_node_fail(along, e, TN_E_MODEL, "`along` is x, y or rate");
  *value = *word == 'x' ? c->slope_x : *word == 'y' ? c->slope_y : c->slope_line;
  return TN_OK;
}

/* gains that neither the length of the step nor the run before it decides */
static bool has_own_gains(const tn_part *part, const tn_system *sys) {
  const tn_stabilizer_type *type = part->type;
  if (!type->feedback || type->states) return false;
  if (type->tied_to_step && type->tied_to_step(part->self)) return false;
  return !type->memory || type->memory(part->self, sys) == 0;
}

/* U = gain[0] Cdot + gain[1] C near zero, by asking for it */
static tn_status near_zero(const tn_node *node, tn_model *m, tn_feedback *g, tn_error *e) {
  static const double PROBE = 1e-8;
  const tn_part *part = &m->run.stabilizer[0];
  const tn_stabilizer_type *type = part->type;
  const tn_stage at = {.h = 1};
  tn_sim *sim = NULL;
  tn_status status = tn_sim_new(m, &sim, e);
  if (status == TN_OK && !has_own_gains(part, &sim->solver.sys))
    status = tn_node_fail(node, e, TN_E_MODEL, "this stabilizer has no feedback of C and Cdot with gains of its own");
  if (status == TN_OK) status = tn_sim_start(sim, e);
  *g = (tn_feedback){.n = 2, .held = type->held && type->held(part->self)};
  for (int k = 0; k < 2 && status == TN_OK; k++) {
    double U = 0;
    sim->solver.sys.rows.Cdot[0] = k == 0 ? PROBE : 0;
    sim->solver.sys.rows.C[0] = k == 1 ? PROBE : 0;
    type->feedback(part->self, &sim->solver.sys, &at, &U);
    g->gain[k] = U / PROBE;
  }
  tn_sim_free(sim);
  return status;
}

static tn_status longest_step(const tn_allocator *allocator, const tn_node *node, const tn_feedback *g, double *value,
                              tn_error *e) {
  formula f;
  const tn_status status = integrator_of(allocator, node, "integrator", &f, e);
  if (status == TN_OK) *value = tn_feedback_limit(f.m->run.integrator, tn_integrator_self(f.m), g);
  release(&f);
  return status;
}

static tn_status feedback(const tn_allocator *allocator, const tn_node *node, double *value, tn_error *e) {
  const char *name = tn_node_get(node, "fact")->text;
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_feedback g;
  tn_status status = stabilizer_of(allocator, node, &d, &m, e);
  if (status == TN_OK && strcmp(name, "controller-slope") == 0) {
    status = slope(node, &m->run.stabilizer[0], value, e);
  } else if (status == TN_OK) {
    status = near_zero(node, m, &g, e);
    if (status == TN_OK && strcmp(name, "feedback-damping") == 0) *value = g.gain[0] / (2 * sqrt(g.gain[1]));
    if (status == TN_OK && strcmp(name, "feedback-step") == 0) status = longest_step(allocator, node, &g, value, e);
  }
  tn_model_free(m);
  tn_desc_free(d);
  return status;
}

/* ---- all of them ---------------------------------------------------------------------------------------------------------- */

typedef struct known {
  const char *name;
  tn_status (*value)(const tn_allocator *allocator, const tn_node *node, double *value, tn_error *e);
  const char *keys[7];
} known;
#define COMMON "fact", "name", "doc"

static const known facts[] = {{"stability-real", stability, {COMMON, "integrator"}},
                              {"stability-imaginary", stability, {COMMON, "integrator"}},
                              {"stability-area", stability, {COMMON, "integrator"}},
                              {"stability-outside", outside, {COMMON, "integrator", "of", "grid"}},
                              {"coefficients", coefficients, {COMMON, "of", "from", "are"}},
                              {"weighted-coefficients", weighted, {COMMON, "to"}},
                              {"controller-slope", feedback, {COMMON, "stabilizer", "along"}},
                              {"feedback-damping", feedback, {COMMON, "stabilizer"}},
                              {"feedback-step", feedback, {COMMON, "stabilizer", "integrator"}},
                              {NULL, NULL, {NULL}}};

static const known *fact_named(const char *name) {
  for (const known *f = facts; f->name; f++)
    if (strcmp(f->name, name) == 0) return f;
  return NULL;
}

const char *const *tn_fact_keys(const char *name) {
  const known *f = fact_named(name);
  return f ? f->keys : NULL;
}

tn_status tn_fact(const tn_allocator *allocator, const tn_node *node, double *value, tn_error *e) {
  return fact_named(tn_node_get(node, "fact")->text)->value(allocator, node, value, e);
}
