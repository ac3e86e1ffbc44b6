/* a run of a study or of a sweep: a model, and what is changed in it. {name} in texts stands for what is varied under that name; a
 * name that begins with / is a pointer into the model itself. */
#include "study/study.h"

enum { MOST_SETTINGS = 24, TEXT = 1024 };

const tn_node *tn_plan_get(const tn_plan_of_run *p, const char *key) {
  for (; p; p = p->like) {
    const tn_node *node = tn_node_get(p->node, key);
    if (node) return node;
  }
  return NULL;
}

typedef struct text {
  char *at;
  size_t size, used;
  bool cut;
} text;

static bool put(void *user, const char *s, size_t n) {
  text *t = user;
  if (t->used + n >= t->size) {
    t->cut = true;
    return false;
  }
  memcpy(t->at + t->used, s, n);
  t->used += n;
  t->at[t->used] = 0;
  return true;
}

/* a text inside a text of JSON */
static bool put_escaped(text *to, const char *from) {
  char code[8];
  for (; *from; from++) {
    const unsigned char c = (unsigned char)*from;
    if (c == '"' || c == '\\')
      tn_format(code, sizeof code, "\\%c", c);
    else if (c < 0x20)
      tn_format(code, sizeof code, "\\u%04x", c);
    else
      tn_format(code, sizeof code, "%c", c);
    if (!put(to, code, strlen(code))) return false;
  }
  return true;
}

const tn_given *tn_given_at(int n, const tn_given *given, const char *brace) {
  for (int i = 0; i < n; i++) {
    const size_t size = strlen(given[i].name);
    if (strncmp(brace + 1, given[i].name, size) == 0 && brace[1 + size] == '}') return &given[i];
  }
  return NULL;
}

/* what stands before ^ has to be taken as a whole */
static bool needs_parentheses(const tn_given *g, const char *behind) {
  while (*behind == ' ') behind++;
  return !g->text && g->digits[0] == '-' && *behind == '^';
}

/* {name} put in, wherever it stands; other braces are the model's own */
static bool filled(const char *from, bool json, int n, const tn_given *given, text *to) {
  for (const char *at = from; (at = strchr(at, '{'));) {
    const tn_given *g = tn_given_at(n, given, at);
    if (!g) {
      at++;
      continue;
    }
    const bool whole = needs_parentheses(g, at + strlen(g->name) + 2);
    if (!put(to, from, (size_t)(at - from)) || !put(to, "(", whole)) return false;
    if (!(json && g->text ? put_escaped(to, g->text) : put(to, tn_given_text(g), strlen(tn_given_text(g)))))
      return false;
    if (!put(to, ")", whole)) return false;
    at = from = at + strlen(g->name) + 2;
  }
  return put(to, from, strlen(from));
}

/* a value as JSON text, or as plain text where it is one */
static tn_status as_text(const tn_node *node, bool json, int n, const tn_given *given, char *out, tn_error *e) {
  char raw[TEXT];
  text t = {.at = raw, .size = sizeof raw}, filling = {.at = out, .size = TEXT};
  *raw = *out = 0;
  if (node->kind == TN_NODE_TEXT && !json)
    put(&t, node->text, strlen(node->text));
  else
    tn_node_print(node, 0, put, &t);
  if (t.cut || !filled(raw, json, n, given, &filling)) return tn_node_fail(node, e, TN_E_MODEL, "this is too long");
  return TN_OK;
}

tn_status tn_plan_model(const tn_plan_of_run *p, const char *folder, int n, const tn_given *given, char path[TN_PATH],
                        tn_error *e) {
  const tn_node *model = tn_plan_get(p, "model");
  char name[TEXT] = "";
  text filling = {.at = name, .size = sizeof name};
  if (!model || model->kind != TN_NODE_TEXT) return tn_node_fail(p->node, e, TN_E_MODEL, "it needs a `model`");
  const bool fits = filled(model->text, false, n, given, &filling);
  if (!fits || tn_format(path, TN_PATH, "%s%s", *name == '/' ? "" : folder, name) >= TN_PATH)
    return tn_node_fail(model, e, TN_E_MODEL, "this path is too long");
  return TN_OK;
}

static tn_status change(const tn_node *at, tn_desc *d, const char *pointer, const char *json, tn_error *e) {
  if (tn_desc_json(d, pointer, json, e) == TN_OK) return TN_OK;
  char why[400];
  tn_format(why, sizeof why, "%.390s", e->message);
  return tn_node_fail(at, e, TN_E_MODEL, "%s", why);
}

/* what it is like comes first */
static tn_status set(const tn_plan_of_run *p, int n, const tn_given *given, tn_desc *d, tn_error *e) {
  char value[TEXT], pointer[TEXT];
  tn_status status = p->like ? set(p->like, n, given, d, e) : TN_OK;
  const tn_node *changes = tn_node_get(p->node, "set");
  for (const tn_node *c = changes ? changes->first : NULL; c && status == TN_OK; c = c->next) {
    text key = {.at = pointer, .size = sizeof pointer};
    *pointer = 0;
    if (!filled(c->key, false, n, given, &key)) return tn_node_fail(c, e, TN_E_MODEL, "this pointer is too long");
    if (c->kind == TN_NODE_NULL) {
      tn_desc_remove(d, pointer);
      continue;
    }
    status = as_text(c, true, n, given, value, e);
    if (status == TN_OK) status = change(c, d, pointer, value, e);
  }
  return status;
}

/* a value that is not there would be made, and mean nothing */
static tn_status point(const tn_plan_of_run *p, const tn_given *g, tn_desc *d, tn_error *e) {
  if (g->name[0] != '/') return TN_OK;
  if (!tn_desc_has(d, g->name)) {
    tn_node_fail(g->node ? g->node : p->node, e, TN_E_MODEL, "the model has nothing at '%.200s'", g->name);
    tn_hint(e, "what is left out there can be given by `set`");
    return TN_E_MODEL;
  }
  return g->text ? tn_desc_text(d, g->name, g->text, e) : tn_desc_json(d, g->name, g->digits, e);
}

static const char *const names[] = {"method", "formulation", "stabilize",   "integrator",       "step",
                                    "rtol",   "atol",        "breach",      "at-singularity",   "allow-unstable",
                                    "until",  "every",       "coordinates", "body-coordinates", NULL};

tn_status tn_plan_apply(const tn_plan_of_run *p, int givens, const tn_given *given, tn_desc *d, tn_error *e) {
  tn_setting setting[MOST_SETTINGS];
  char value[MOST_SETTINGS][TEXT];
  int n = 0;
  tn_status status = set(p, givens, given, d, e);
  for (int i = 0; i < givens && status == TN_OK; i++) status = point(p, &given[i], d, e);
  for (int k = 0; names[k] && status == TN_OK; k++) {
    const tn_node *node = tn_plan_get(p, names[k]);
    if (!node) continue;
    const tn_node *item = node->kind == TN_NODE_LIST ? node->first : node;
    for (; item && status == TN_OK; item = node->kind == TN_NODE_LIST ? item->next : NULL) {
      if (n == MOST_SETTINGS) return tn_node_fail(node, e, TN_E_MODEL, "these are too many settings");
      status = as_text(item, false, givens, given, value[n], e);
      setting[n] = (tn_setting){names[k], value[n]};
      n++;
    }
  }
  return status == TN_OK ? tn_desc_settings(d, n, setting, e) : status;
}
