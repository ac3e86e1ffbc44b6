/* run settings: a method is a preset of formulation and stabilizers, of which each may be named instead; the integrator;
 * the contract. */
#include "model/model.h"

static const double RTOL = 1e-8;              /* of the motion: relative tolerance if none is given */
static const double TOLERANCE_LEAST = 1e-15;  /* 1: tolerances below cannot be reached */
static const double CONTRACT_POSITION = 1e-8; /* scaled violation: what the contract allows if nothing is given */
static const double CONTRACT_VELOCITY = 1e-6; /* 1/s, scaled violation: the same of rates */

static bool among(const tn_field *fields, const char *key) {
  for (; fields->key; fields++)
    if (strcmp(fields->key, key) == 0) return true;
  return false;
}

typedef struct typed {
  char *text; /* NULL: only counted */
  size_t size, used;
} typed;

static void TN_PRINTF(2, 3) type_on(typed *to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const bool fits = to->used < to->size;
  to->used += (size_t)tn_vformat(fits ? to->text + to->used : NULL, fits ? to->size - to->used : 0, format, args);
  va_end(args);
}

static void type_value(typed *to, const tn_node *node) {
  char digits[32];
  if (node->kind == TN_NODE_NUMBER) tn_json_digits(node->number, digits), type_on(to, "%s", digits);
  if (node->kind == TN_NODE_TEXT) type_on(to, "%s", node->text);
  if (node->kind == TN_NODE_BOOL) type_on(to, "%s", node->boolean ? "true" : "false");
  if (node->kind != TN_NODE_LIST) return;
  type_on(to, "[");
  for (const tn_node *k = node->first; k; k = k->next) {
    type_value(to, k);
    if (k->next) type_on(to, ",");
  }
  type_on(to, "]");
}

static void type_part(typed *to, const char *word, const tn_node *node, const tn_field *common) {
  char mark = ':';
  type_on(to, "%s", word);
  if (node->kind != TN_NODE_OBJECT) return;
  for (const tn_node *k = node->first; k; k = k->next) {
    if (among(common, k->key) || tn_node_is_own(k)) continue;
    type_on(to, "%c%s=", mark, k->key);
    type_value(to, k);
    mark = ',';
  }
}

/* a part as one types it: `baumgarte:alpha=5,beta=5`; without the keys that all parts of its kind have in common */
static const char *short_form(tn_context *c, const char *word, const tn_node *node, const tn_field *common) {
  typed count = {NULL, 0, 0};
  type_part(&count, word, node, common);
  typed to = {tn_arena_alloc(c->arena, count.used + 1), count.used + 1, 0};
  if (to.text) type_part(&to, word, node, common);
  return to.text;
}

const char *tn_part_text(tn_context *c, const tn_node *node) {
  static const tn_field type[] = {{.key = "type"}, {.key = NULL}};
  const tn_node *word = node->kind == TN_NODE_OBJECT ? tn_node_get(node, "type") : node;
  if (!word || word->kind != TN_NODE_TEXT) return "";
  return short_form(c, word->text, node, type);
}

/* parameters of a part into a struct of its own, and its short form */
static tn_status read_part(tn_context *c, const tn_node *node, const char *name, size_t size, const tn_field *fields,
                           const tn_field *common, tn_part *part) {
  part->self = tn_context_alloc(c, size + 1);
  part->text = short_form(c, name, node, common);
  if (!part->self || !part->text) return tn_no_memory(c);
  return tn_fields_read(c, node, fields, common, part->self);
}

static const tn_node *type_node(const tn_node *node) {
  const tn_node *type = tn_node_get(node, "type");
  return type ? type : node;
}

static tn_status read_formulation(tn_context *c, const tn_node *node, tn_part *part) {
  const char *word;
  TN_TRY(tn_type_word(c, node, &word));
  TN_TRY(tn_registry_find(c, type_node(node), TN_FORMULATIONS, word, &part->type));
  const tn_formulation_type *type = part->type;
  c->kind = "formulation";
  c->name = type->name;
  c->node = node;
  TN_TRY(read_part(c, node, type->name, type->size, type->fields, tn_part_fields, part));
  if (type->init) TN_TRY(type->init(part->self, c));
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

static tn_status read_stabilizer(tn_context *c, const tn_node *node, tn_part *part) {
  const char *word;
  TN_TRY(tn_type_word(c, node, &word));
  TN_TRY(tn_registry_find(c, type_node(node), TN_STABILIZERS, word, &part->type));
  const tn_stabilizer_type *type = part->type;
  c->kind = "stabilizer";
  c->name = type->name;
  c->node = node;
  TN_TRY(read_part(c, node, type->name, type->size, type->fields, tn_part_fields, part));
  if (type->init) TN_TRY(type->init(part->self, c, c->m->run.fixed));
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}

static tn_status positive(tn_context *c, const tn_node *object, const char *key, double *value, bool *given) {
  const tn_node *node = tn_node_get(object, key);
  if (!node) return TN_OK;
  TN_TRY(tn_number_at(c, node, value));
  if (!(*value > 0)) return tn_refuse(c, node, "`%s` must be positive, it is %g", key, *value);
  if (given) *given = true;
  return TN_OK;
}

static tn_status read_control(tn_context *c, const tn_node *node, tn_run *r) {
  static const char *const known[] = {"motion", "numbers", "mean"};
  const char *word;
  if (!node) return TN_OK;
  TN_TRY(tn_word_at(c, node, "control", &word));
  r->by_mean = strcmp(word, "mean") == 0;
  r->by_numbers = r->by_mean || strcmp(word, "numbers") == 0;
  return r->by_numbers || strcmp(word, "motion") == 0 ? TN_OK : tn_unknown(c, node, "control", word, 3, known);
}

static tn_status read_integrator(tn_context *c, const tn_node *node) {
  tn_run *r = &c->m->run;
  const char *word = "dopri5";
  static const tn_node none = {.kind = TN_NODE_OBJECT};
  const void *found;
  bool step = false, tolerance = false;
  if (node && (node->kind != TN_NODE_OBJECT || tn_node_get(node, "type"))) TN_TRY(tn_type_word(c, node, &word));
  TN_TRY(tn_registry_find(c, node ? type_node(node) : NULL, TN_INTEGRATORS, word, &found));
  const tn_integrator_type *type = r->integrator = found;
  c->kind = "integrator";
  c->name = type->name;
  c->node = node;
  TN_TRY(read_part(c, node ? node : &none, type->name, type->size, type->fields, tn_integrator_fields,
                   &r->integrator_part));
  if (type->init) TN_TRY(type->init(r->integrator_part.self, c));
  c->kind = NULL;
  c->node = NULL;
  r->rtol = RTOL;
  TN_TRY(positive(c, node, "step", &r->step, &step));
  TN_TRY(positive(c, node, "rtol", &r->rtol, &tolerance));
  TN_TRY(positive(c, node, "atol", &r->atol, &tolerance));
  if (tolerance && fmax(r->rtol, r->atol) < TOLERANCE_LEAST)
    return tn_refuse(c, node, "tolerances below 1e-15 cannot be reached: numbers have 16 digits");
  /* what depends on time may change while nothing moves: an error estimate would not see it */
  r->max_step = c->m->uses_time || tn_node_get(c->root, "events") ? r->every : INFINITY;
  TN_TRY(positive(c, node, "max_step", &r->max_step, &r->max_step_given));
  tolerance = tolerance || r->max_step_given;
  const tn_node *control = tn_node_get(node, "control");
  TN_TRY(read_control(c, control, r));
  if (r->by_mean && (type->plan || type->advance))
    return tn_refuse(c, control,
                     "`control` `mean` is for explicit formulas of one step, as dopri5 and dop853 are, not for %s",
                     type->name);
  if (r->by_numbers && !(r->atol > 0)) r->atol = r->rtol;
  if (control && (step || !type->adaptive)) return tn_refuse(c, control, "a fixed step is not controlled");
  if (step && tolerance)
    return tn_refuse(c, node, "give `step` (fixed) or `rtol`, `atol`, `max_step` (adaptive), not both");
  if (tolerance && !type->adaptive)
    return tn_refuse(c, node, "%s has a fixed step: it takes `step`, not tolerances", word);
  if (step && !type->fixed)
    return tn_refuse(c, tn_node_get(node, "step"), "%s chooses its step itself: it takes `rtol`, `atol` and `max_step`",
                     word);
  if (!step && !type->adaptive) {
    tn_refuse(c, node, "%s needs a step", word);
    tn_hint(c->e, "\"integrator\": {\"type\": \"%s\", \"step\": 1e-3}, or --step 1e-3", word);
    return TN_E_MODEL;
  }
  r->fixed = step;
  if (step && r->until / r->step > 1e10)
    return tn_refuse(c, tn_node_get(node, "step"), "more than 1e10 steps: `step` is too small");
  return TN_OK;
}

static tn_status read_contract(tn_context *c, const tn_node *node) {
  tn_run *r = &c->m->run;
  r->contract_position = CONTRACT_POSITION;
  r->contract_velocity = CONTRACT_VELOCITY;
  r->breach_stops = true;
  if (!node) return TN_OK;
  TN_TRY(tn_keys_known(c, node, tn_contract_fields, NULL));
  TN_TRY(positive(c, node, "position", &r->contract_position, NULL));
  TN_TRY(positive(c, node, "velocity", &r->contract_velocity, NULL));
  const tn_node *breach = tn_node_get(node, "breach");
  if (breach) {
    static const char *const known[] = {"stop", "record"};
    const char *word;
    TN_TRY(tn_word_at(c, breach, "breach", &word));
    r->breach_stops = strcmp(word, "stop") == 0;
    if (!r->breach_stops && strcmp(word, "record") != 0) return tn_unknown(c, breach, "breach", word, 2, known);
  }
  return TN_OK;
}

static tn_status read_at_singularity(tn_context *c, const tn_node *node) {
  static const char *const known[] = {"pass", "stop"};
  const char *word;
  if (!node) return TN_OK;
  TN_TRY(tn_word_at(c, node, "at_singularity", &word));
  c->m->run.singular_stops = strcmp(word, "stop") == 0;
  if (c->m->run.singular_stops || strcmp(word, "pass") == 0) return TN_OK;
  return tn_unknown(c, node, "at_singularity", word, 2, known);
}

static tn_status read_allow_unstable(tn_context *c, const tn_node *node) {
  if (!node) return TN_OK;
  if (node->kind != TN_NODE_BOOL) return tn_refuse(c, node, "`allow_unstable` must be true or false");
  c->m->run.allows_unstable = node->boolean;
  return TN_OK;
}

static tn_status read_method(tn_context *c, const tn_node *run) {
  tn_run *r = &c->m->run;
  const tn_node *node = tn_node_get(run, "method"), *formulation = tn_node_get(run, "formulation"),
                *stabilize = tn_node_get(run, "stabilize");
  const tn_method *method = &tn_methods[0];
  if (node) {
    const char *word;
    const void *type;
    TN_TRY(tn_word_at(c, node, "method", &word));
    TN_TRY(tn_registry_find(c, node, TN_METHODS, word, &type));
    method = type;
  }
  r->method = formulation || stabilize ? "custom" : method->name;
  /* the preset through the same door as the user's own words */
  tn_desc preset;
  tn_arena_init(&preset.arena, &c->arena->allocator);
  preset.root = tn_node_new(&preset.arena, TN_NODE_OBJECT);
  tn_status status = preset.root ? TN_OK : tn_no_memory(c);
  if (status == TN_OK) status = tn_desc_part(&preset, "/run/formulation", method->formulation, c->e);
  for (const char *s = method->stabilizer; *s && status == TN_OK;) { /* separated by blanks */
    char part[128];
    const size_t n = strcspn(s, " ");
    tn_format(part, sizeof part, "%.*s", (int)n, s);
    status = tn_desc_part(&preset, "/run/stabilize/-", part, c->e);
    s += n + (s[n] == ' ');
  }
  const tn_node *parts = tn_node_get(preset.root, "run");
  if (!formulation) formulation = tn_node_get(parts, "formulation");
  if (!stabilize) stabilize = tn_node_get(parts, "stabilize");
  if (status == TN_OK) status = read_formulation(c, formulation, &r->formulation);
  if (status == TN_OK) {
    const bool list = stabilize->kind == TN_NODE_LIST;
    r->stabilizer = tn_context_alloc(c, sizeof *r->stabilizer * (list ? stabilize->size + 1 : 1));
    if (!r->stabilizer) status = TN_E_MEMORY;
    const tn_node *k = list ? stabilize->first : stabilize;
    for (; k && status == TN_OK; k = list ? k->next : NULL)
      status = read_stabilizer(c, k, &r->stabilizer[r->stabilizers++]);
  }
  tn_arena_free(&preset.arena);
  return status;
}

tn_status tn_run_read(tn_context *c) {
  tn_run *r = &c->m->run;
  static const tn_node none = {.kind = TN_NODE_OBJECT};
  const tn_node *run = tn_node_get(c->root, "run");
  if (!run) run = &none;
  TN_TRY(tn_keys_known(c, run, tn_run_fields, NULL));
  const tn_node *until = tn_node_get(run, "until");
  if (until) {
    TN_TRY(tn_number_at(c, until, &r->until));
    if (!(r->until >= 0)) return tn_refuse(c, until, "`until` must not be negative, it is %g", r->until);
  } else {
    r->until = 1;
  }
  r->every = r->until > 0 ? r->until / 100 : 1;
  TN_TRY(positive(c, tn_node_get(run, "every") ? run : NULL, "every", &r->every, NULL));
  if (r->until / r->every > 1e9)
    return tn_refuse(c, tn_node_get(run, "every"), "more than 1e9 rows of output: `every` is too small");
  TN_TRY(read_integrator(c, tn_node_get(run, "integrator")));
  TN_TRY(read_contract(c, tn_node_get(run, "contract")));
  TN_TRY(read_at_singularity(c, tn_node_get(run, "at_singularity")));
  TN_TRY(read_allow_unstable(c, tn_node_get(run, "allow_unstable")));
  return read_method(c, run);
}
