/* the start: values that are exact, kept or guessed. */
#include "model/model.h"

static tn_status name_target(tn_context *c, tn_target *t, const tn_node *node, const char *name) {
  t->node = node;
  t->name = tn_arena_text(c->arena, name, strlen(name));
  return t->name ? TN_OK : tn_no_memory(c);
}

/* a state of a force: nothing is to be assembled. *is: it is one */
static tn_status set_state(tn_context *c, const tn_node *node, const char *name, const tn_node *value, bool *is) {
  tn_channel ch;
  tn_error unused;
  *is = false;
  if (!tn_model_channel(c->m, name, &ch, &unused) || ch.kind != TN_CH_SIGNAL) return TN_OK;
  const tn_force *f = &c->m->force[ch.part];
  if (ch.component >= f->states)
    return (node->key ? tn_refuse_key : tn_refuse)(
        c, node, "'%s' is not a state of its own: it follows from others at every moment", name);
  *is = true;
  return value ? tn_number_at(c, value, &c->m->state0[f->state + ch.component]) : TN_OK;
}

/* value NULL: that of the given pose, or rate 0. *more is counted up, unless it is a state */
static tn_status add(tn_context *c, const tn_node *node, const char *name, const tn_node *value, int *more) {
  tn_target *t = &c->m->target[c->m->exact + c->m->guesses];
  if (value && value->kind == TN_NODE_OBJECT) {
    TN_TRY(tn_keys_known(c, value, tn_value_fields, NULL));
    if (!tn_node_get(value, "value")) return tn_refuse(c, value, "`value` is missing");
    value = tn_node_get(value, "value");
  }
  bool state;
  TN_TRY(set_state(c, node, name, value, &state));
  if (state) return TN_OK;
  (*more)++;
  TN_TRY(tn_measure_at(c, node, name, &t->of, &t->rate));
  t->value = NAN;
  if (value) {
    TN_TRY(tn_number_at(c, value, &t->value));
    if (!t->rate && tn_measure_unit(c->m, &t->of) == TN_ANGLE) tn_warn_angle(c, value);
  }
  return name_target(c, t, node, name);
}

/* `body.orientation`: all three, in space */
static tn_status keep_orientation(tn_context *c, const tn_node *node, const char *name, size_t n) {
  char part[64];
  tn_format(part, sizeof part, "%.*s", (int)n, name);
  const int body = tn_body_named(c, part);
  if (body < 0) return tn_refuse(c, node, "there is no body '%s'", part);
  if (!c->m->body[body].oriented) return tn_refuse(c, node, "'%s' is a particle and has no orientation", part);
  for (int k = 0; k < 3; k++) {
    tn_target *t = &c->m->target[c->m->exact++];
    t->of = (tn_measure){TN_OF_BODY, body, 3 + k, NULL};
    t->value = NAN;
    TN_TRY(name_target(c, t, node, name));
  }
  return TN_OK;
}

tn_status tn_start_read(tn_context *c) {
  tn_model *m = c->m;
  const tn_node *start = tn_node_get(c->root, "start"), *keep = tn_node_get(start, "keep"),
                *guess = tn_node_get(start, "guess"), *mode = tn_node_get(start, "mode");
  if (!start) return TN_OK;
  if (start->kind != TN_NODE_OBJECT) return tn_refuse(c, start, "`start` must be an object");
  if (keep && keep->kind != TN_NODE_LIST) return tn_refuse(c, keep, "`keep` must be a list of channels");
  if (guess && guess->kind != TN_NODE_OBJECT) return tn_refuse(c, guess, "`guess` must be an object {channel: number}");
  m->target = tn_context_alloc(c, sizeof *m->target *
                                      (start->size + 3 * (keep ? keep->size : 0) + (guess ? guess->size : 0) + 1));
  if (!m->target) return TN_E_MEMORY;
  if (mode) {
    static const char *const known[] = {"assemble", "as-given"};
    const char *word;
    TN_TRY(tn_word_at(c, mode, "mode", &word));
    m->as_given = strcmp(word, "as-given") == 0;
    if (!m->as_given && strcmp(word, "assemble") != 0) return tn_unknown(c, mode, "mode", word, 2, known);
  }
  for (const tn_node *k = start->first; k; k = k->next) {
    if (k == keep || k == guess || k == mode || tn_node_is_own(k)) continue;
    TN_TRY(add(c, k, k->key, k, &m->exact));
  }
  for (const tn_node *k = keep ? keep->first : NULL; k; k = k->next) {
    const char *name;
    TN_TRY(tn_word_at(c, k, "keep", &name));
    const char *dot = strchr(name, '.');
    if (m->dimension == 3 && dot && dot - name < 64 && strcmp(dot, ".orientation") == 0) {
      TN_TRY(keep_orientation(c, k, name, (size_t)(dot - name)));
      continue;
    }
    TN_TRY(add(c, k, name, NULL, &m->exact));
  }
  for (const tn_node *k = guess ? guess->first : NULL; k; k = k->next) {
    if (tn_node_is_own(k)) continue;
    TN_TRY(add(c, k, k->key, k, &m->guesses));
  }
  return TN_OK;
}
