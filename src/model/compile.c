/* the compile, in order: what can be named first, then what refers to it. */
#include "model/model.h"

void tn_of_part(const tn_context *c, const char *message, char *text, size_t size) {
  char part[100] = "";
  if (c->kind) tn_format(part, sizeof part, "%s '%s': ", c->kind, c->name);
  const bool said = strncmp(message, part, strlen(part)) == 0; /* one that comes from inside has its part already */
  tn_format(text, size, "%s%s", said ? "" : part, message);
}

tn_status tn_refuse(tn_context *c, const tn_node *at, const char *format, ...) {
  char text[400], message[512];
  va_list args;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  if (!at) at = c->node ? c->node : c->root;
  tn_of_part(c, text, message, sizeof message);
  return tn_node_fail(at, c->e, TN_E_MODEL, "%s", message);
}

tn_status tn_refuse_key(tn_context *c, const tn_node *member, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  tn_refuse(c, member, "%s", text);
  if (c->e->line > 0 && member->key_place.line > 0) tn_error_at(c->e, &member->key_place, NULL);
  return TN_E_MODEL;
}

const tn_node *tn_misspelt(const tn_node *object, const char *key) {
  if (!object || object->kind != TN_NODE_OBJECT) return NULL;
  for (const tn_node *k = object->first; k; k = k->next)
    if (strcmp(k->key, key) != 0 && tn_nearest(k->key, 1, &key)) return k;
  return NULL;
}

tn_status tn_missing(tn_context *c, const tn_node *object, const char *key) {
  const tn_node *near = tn_misspelt(object, key);
  if (!near) return tn_refuse(c, object, "`%s` is missing", key);
  tn_refuse_key(c, near, "unknown key '%s'", near->key);
  tn_hint(c->e, "did you mean '%s'?", key);
  return TN_E_MODEL;
}

tn_status tn_no_memory(tn_context *c) { return tn_fail(c->e, TN_E_MEMORY, "out of memory"); }

tn_status tn_context_fail(tn_context *c, const char *key, const char *format, ...) {
  if (!c || !format) return TN_E_USAGE;
  char text[400];
  va_list args;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  return tn_refuse(c, key ? tn_node_get(c->node, key) : NULL, "%s", text);
}

void *tn_context_alloc(tn_context *c, size_t size) {
  if (!c) return NULL;
  void *p = tn_arena_alloc(c->arena, size);
  if (!p) tn_no_memory(c);
  return p;
}

/* before anything is expanded: what is misspelt here would be missed elsewhere */
static tn_status read_version(tn_context *c) {
  const tn_node *root = c->root;
  double value;
  for (const tn_node *k = root->first; k; k = k->next)
    if (strcmp(k->key, "include") == 0 || strcmp(k->key, "parts") == 0)
      return tn_refuse_key(c, k, "`%s` is reserved and not there yet", k->key);
  if (tn_node_get(root, "repeat"))
    return tn_refuse_key(c, tn_node_get(root, "repeat"),
                         "the model itself cannot repeat; a member or an item of a list can");
  if (!tn_node_get(root, "tenon")) {
    if (tn_misspelt(root, "tenon")) return tn_missing(c, root, "tenon");
    tn_refuse(c, root, "the model has no `tenon` key");
    tn_hint(c->e, "write \"tenon\": 1, the version of the format, as the first line");
    return TN_E_MODEL;
  }
  TN_TRY(tn_number_at(c, tn_node_get(root, "tenon"), &value));
  if (value != 1)
    return tn_refuse(c, tn_node_get(root, "tenon"), "this Tenon reads format version 1, the model has version %g",
                     value);
  TN_TRY(tn_keys_known(c, root, tn_top_fields, NULL));
  const tn_node *node = tn_node_get(root, "dimension");
  if (!node) {
    tn_refuse(c, root, "the model has no `dimension`");
    tn_hint(c->e, "write \"dimension\": 2 for the plane, 3 for space");
    return TN_E_MODEL;
  }
  TN_TRY(tn_number_at(c, node, &value));
  if (value != 2 && value != 3) return tn_refuse(c, node, "`dimension` must be 2 or 3, not %g", value);
  c->m->dimension = (int)value;
  c->m->wrench = c->m->twist = c->m->dimension == 2 ? 3 : 6;
  return TN_OK;
}

static tn_status read_head(tn_context *c) {
  const tn_node *root = c->root, *node;
  c->m->title = "";
  if ((node = tn_node_get(root, "title"))) {
    if (node->kind != TN_NODE_TEXT) return tn_refuse(c, node, "`title` must be a text");
    for (const char *s = node->text; *s; s++)
      if ((unsigned char)*s < 0x20 || *s == 0x7f)
        return tn_refuse(c, node, "`title` must be one line, without control characters");
    if (node->size > 400) return tn_refuse(c, node, "`title` is longer than 400 bytes");
    if (!(c->m->title = tn_arena_text(c->arena, node->text, node->size))) return tn_no_memory(c);
  }
  if ((node = tn_node_get(root, "gravity"))) TN_TRY(tn_vector_at(c, node, c->m->gravity));
  if ((node = tn_node_get(root, "coordinates"))) {
    const char *word;
    static const char *const known[] = {"absolute", "relative"};
    TN_TRY(tn_word_at(c, node, "coordinates", &word));
    if (strcmp(word, "relative") == 0)
      c->m->relative = true;
    else if (strcmp(word, "absolute") != 0)
      return tn_unknown(c, node, "coordinates", word, 2, known);
  }
  return TN_OK;
}

/* the largest distance between joint places and mass centres at the given pose; 1 m if there is none */
static tn_status model_length(tn_context *c) {
  const tn_model *m = c->m;
  int n = m->bodies + 2 * m->rods, k = 0;
  for (int i = 0; i < m->joints; i++) n += m->joint[i].frames;
  double(*p)[3] = tn_arena_alloc(c->arena, sizeof *p * (size_t)(n + 1));
  if (!p) return tn_no_memory(c);
  for (int i = 0; i < m->bodies; i++) {
    tn_spot center = tn_spot_origin(i);
    memcpy(center.p, m->body[i].center, sizeof center.p);
    if (tn_has_place(m, i)) tn_spot_place(c, &center, p[k++]);
  }
  for (int i = 0; i < m->joints; i++)
    for (int j = 0; j < m->joint[i].frames; j++, k++) tn_spot_place(c, &m->joint[i].spot[j], p[k]);
  for (int i = 0; i < 2 * m->rods; i++)
    if (tn_has_place(m, m->rod[i / 2].end[i % 2].body)) tn_spot_place(c, &m->rod[i / 2].end[i % 2], p[k++]);
  /* beyond 2,000 places the corners of the box do: never less than the diameter, at most sqrt(3) of it */
  double L = 0, d[3];
  if (k <= 2000) {
    for (int i = 0; i < k; i++)
      for (int j = 0; j < i; j++) {
        tn_sub3(p[i], p[j], d);
        L = fmax(L, hypot(hypot(d[0], d[1]), d[2]));
      }
  } else {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < k; i++)
      for (int x = 0; x < 3; x++) lo[x] = fmin(lo[x], p[i][x]), hi[x] = fmax(hi[x], p[i][x]);
    tn_sub3(hi, lo, d);
    L = hypot(hypot(d[0], d[1]), d[2]);
  }
  c->m->length = L > 0 ? L : 1;
  return TN_OK;
}

static tn_status compile(tn_context *c, const tn_desc *desc) {
  tn_node *expanded;
  /* constants are needed to expand the repeats, points may be repeated themselves */
  c->root = desc->root;
  TN_TRY(read_version(c));
  TN_TRY(tn_names_points(c, desc->root));
  TN_TRY(tn_names_prepare(c, desc->root));
  TN_TRY(tn_expand(c->arena, desc->root, tn_number_text, c, &expanded, c->e));
  c->root = expanded;
  TN_TRY(tn_names_points(c, expanded));
  TN_TRY(tn_parameters_list(c));
  TN_TRY(read_head(c));
  TN_TRY(tn_names_settle(c));
  TN_TRY(tn_bodies_list(c));
  TN_TRY(tn_joints_list(c));
  TN_TRY(tn_forces_list(c));
  TN_TRY(tn_switchable_list(c));
  TN_TRY(tn_bodies_read(c));
  TN_TRY(tn_rods_read(c));
  TN_TRY(tn_elements_read(c));
  TN_TRY(tn_joints_read(c));
  c->names_ready = true;
  TN_TRY(model_length(c));
  TN_TRY(tn_tree_build(c));
  TN_TRY(tn_stretch_build(c));
  TN_TRY(tn_joints_terms(c));
  TN_TRY(tn_rows_build(c));
  TN_TRY(tn_servos_read(c));
  TN_TRY(tn_forces_read(c));
  TN_TRY(tn_plan_build(c));
  c->kind = NULL;
  tn_warn_gravity(c);
  TN_TRY(tn_run_read(c));
  TN_TRY(tn_states_name(c));
  TN_TRY(tn_parts_build(c));
  TN_TRY(tn_assemblies_build(c));
  TN_TRY(tn_rows_scale(c));
  TN_TRY(tn_scene_read(c));
  TN_TRY(tn_start_read(c));
  c->m->large = tn_plan_is_large(c->m);
  if (!c->m->large) TN_TRY(tn_tree_columns(c));
  TN_TRY(tn_events_read(c));
  return tn_outputs_read(c);
}

/* FNV-1a */
static bool add_to_fingerprint(void *user, const char *text, size_t size) {
  uint64_t *x = user;
  for (size_t i = 0; i < size; i++) *x = (*x ^ (unsigned char)text[i]) * 0x100000001b3u;
  return true;
}

tn_status tn_compile(const tn_desc *desc, tn_model **model, tn_error *error) {
  tn_context c = {0};
  tn_error local = {0};
  c.e = error ? error : &local;
  tn_error_clear(c.e);
  TN_NEED(c.e, model, "model");
  *model = NULL;
  TN_NEED(c.e, desc, "desc");
  c.desc = desc;
  tn_arena arena;
  tn_arena_init(&arena, &desc->arena.allocator);
  tn_model *m = tn_arena_alloc(&arena, sizeof *m);
  if (!m) {
    tn_arena_free(&arena);
    return tn_no_memory(&c);
  }
  c.m = m;
  c.arena = &arena;
  tn_status status = compile(&c, desc);
  if (status == TN_OK && c.warning_lost) status = tn_no_memory(&c);
  if (status != TN_OK) {
    tn_arena_free(&arena);
    return status;
  }
  tn_references *references = tn_arena_alloc(&arena, sizeof *references);
  if (!references) {
    tn_arena_free(&arena);
    return tn_no_memory(&c);
  }
  tn_references_begin(references);
  m->references = references;
  m->arena = arena;
  m->root = c.root;
  m->fingerprint = 0xcbf29ce484222325u;
  tn_desc_print(desc, add_to_fingerprint, &m->fingerprint, NULL);
  *model = m;
  return TN_OK;
}

void tn_model_hold(const tn_model *m) { tn_references_add(m->references); }

void tn_model_drop(const tn_model *m) {
  if (!m || !tn_references_drop(m->references)) return;
  tn_arena arena = m->arena; /* the model lies in its own arena */
  tn_arena_free(&arena);
}

void tn_model_free(tn_model *model) { tn_model_drop(model); }

void tn_model_get_info(const tn_model *m, tn_model_info *info) {
  if (!info) return;
  *info = (tn_model_info){0};
  if (!m) return;
  *info = (tn_model_info){.title = m->title,
                          .method = m->run.method,
                          .formulation = ((const tn_formulation_type *)m->run.formulation.type)->name,
                          .integrator = m->run.integrator->name,
                          .stabilizers = m->run.stabilizers,
                          .bodies = m->bodies,
                          .joints = m->joints,
                          .forces = m->forces,
                          .coordinates = m->nq,
                          .speeds = m->nu,
                          .rows = m->rows,
                          .dimension = m->dimension,
                          .length = m->length,
                          .until = m->run.until,
                          .every = m->run.every};
}

const char *tn_model_stabilizer(const tn_model *m, int i) {
  return m && i >= 0 && i < m->run.stabilizers ? m->run.stabilizer[i].text : NULL;
}

int tn_model_settings(const tn_model *m, char *text, size_t size) {
  if (!m) return tn_format(text, size, "%s", "");
  const tn_run *r = &m->run;
  size_t used = 0;
  int total = 0;
#define ADD(...)                                                                                                       \
  do {                                                                                                                 \
    int k = tn_format(used < size ? text + used : NULL, used < size ? size - used : 0, __VA_ARGS__);                   \
    total += k;                                                                                                        \
    used += (size_t)k;                                                                                                 \
  } while (0)
  ADD("--formulation %s", r->formulation.text);
  for (int i = 0; i < r->stabilizers; i++) ADD(" --stabilize %s", r->stabilizer[i].text);
  if (!r->stabilizers) ADD(" --stabilize none");
  ADD(" --integrator %s", r->integrator_part.text);
  if (r->max_step_given) {
    char digits[32];
    tn_json_digits(r->max_step, digits);
    ADD("%cmax_step=%s", strchr(r->integrator_part.text, ':') ? ',' : ':', digits);
  }
  if (r->by_numbers)
    ADD("%ccontrol=%s", strchr(r->integrator_part.text, ':') || r->max_step_given ? ',' : ':',
        r->by_mean ? "mean" : "numbers");
  const struct {
    const char *flag;
    double value;
    bool shown;
  } number[] = {{"--step", r->step, r->fixed},
                {"--rtol", r->rtol, !r->fixed},
                {"--atol", r->atol, !r->fixed && r->atol > 0},
                {"--until", r->until, true},
                {"--every", r->every, true}};
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
    char digits[32];
    if (!number[i].shown) continue;
    tn_json_digits(number[i].value, digits);
    ADD(" %s %s", number[i].flag, digits);
  }
  if (m->relative) ADD(" --coordinates relative");
  if (m->body_coordinates) ADD(" --body-coordinates %s", m->body_coordinates);
  if (!r->breach_stops) ADD(" --breach record");
  if (r->singular_stops) ADD(" --at-singularity stop");
  if (r->allows_unstable) ADD(" --allow-unstable");
#undef ADD
  return total;
}

tn_status tn_model_print(const tn_model *m, tn_write write, void *user, tn_error *e) {
  TN_NEED(e, m, "model");
  TN_NEED(e, write, "write");
  tn_error_clear(e);
  if (tn_node_print(m->root, 0, write, user) && write(user, "\n", 1)) return TN_OK;
  return tn_fail(e, TN_E_IO, "writing the model was stopped");
}
