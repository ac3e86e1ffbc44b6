/* a run of a study file: a model, and what is changed in it. {x} in texts stands for a number that is varied. */
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

/* {x} put in, wherever it stands */
static bool filled(const char *from, double x, text *to) {
  char digits[32];
  if (!isnan(x)) tn_json_digits(x, digits);
  for (const char *at; !isnan(x) && (at = strstr(from, "{x}")); from = at + 3)
    if (!put(to, from, (size_t)(at - from)) || !put(to, digits, strlen(digits))) return false;
  return put(to, from, strlen(from));
}

/* a value as JSON text, or as plain text where it is one */
static tn_status as_text(const tn_node *node, bool json, double x, char *out, tn_error *e) {
  char raw[TEXT];
  text t = {.at = raw, .size = sizeof raw}, filling = {.at = out, .size = TEXT};
  *raw = *out = 0;
  if (node->kind == TN_NODE_TEXT && !json)
    put(&t, node->text, strlen(node->text));
  else
    tn_node_print(node, 0, put, &t);
  if (t.cut || !filled(raw, x, &filling)) return tn_node_fail(node, e, TN_E_MODEL, "this is too long");
  return TN_OK;
}

static tn_status model_of(const tn_plan_of_run *p, const char *folder, tn_desc *d, tn_error *e) {
  const tn_node *model = tn_plan_get(p, "model");
  char path[TEXT];
  if (!model || model->kind != TN_NODE_TEXT) return tn_node_fail(p->node, e, TN_E_MODEL, "it needs a `model`");
  const bool whole = model->text[0] == '/';
  if (tn_format(path, sizeof path, "%s%s", whole ? "" : folder, model->text) >= (int)sizeof path)
    return tn_node_fail(model, e, TN_E_MODEL, "this path is too long");
  return tn_desc_read(d, path, e);
}

/* what it is like comes first */
static tn_status set(const tn_plan_of_run *p, double x, tn_desc *d, tn_error *e) {
  char value[TEXT];
  tn_status status = p->like ? set(p->like, x, d, e) : TN_OK;
  const tn_node *changes = tn_node_get(p->node, "set");
  for (const tn_node *c = changes ? changes->first : NULL; c && status == TN_OK; c = c->next) {
    if (c->kind == TN_NODE_NULL) {
      tn_desc_remove(d, c->key);
      continue;
    }
    status = as_text(c, true, x, value, e);
    if (status == TN_OK && tn_desc_json(d, c->key, value, e) != TN_OK) {
      char why[400];
      tn_format(why, sizeof why, "%.390s", e->message);
      status = tn_node_fail(c, e, TN_E_MODEL, "%s", why);
    }
  }
  return status;
}

static const char *const names[] = {
    "method", "formulation", "stabilize",   "integrator",       "step", "rtol", "atol", "breach", "at-singularity",
    "until",  "every",       "coordinates", "body-coordinates", NULL};

tn_status tn_plan_apply(const tn_plan_of_run *p, const char *folder, double x, tn_desc *d, tn_error *e) {
  tn_setting setting[MOST_SETTINGS];
  char value[MOST_SETTINGS][TEXT];
  int n = 0;
  tn_status status = model_of(p, folder, d, e);
  if (status == TN_OK) status = set(p, x, d, e);
  for (int k = 0; names[k] && status == TN_OK; k++) {
    const tn_node *node = tn_plan_get(p, names[k]);
    if (!node) continue;
    const tn_node *item = node->kind == TN_NODE_LIST ? node->first : node;
    for (; item && status == TN_OK; item = node->kind == TN_NODE_LIST ? item->next : NULL) {
      if (n == MOST_SETTINGS) return tn_node_fail(node, e, TN_E_MODEL, "these are too many settings");
      status = as_text(item, false, x, value[n], e);
      setting[n] = (tn_setting){names[k], value[n]};
      n++;
    }
  }
  return status == TN_OK ? tn_desc_settings(d, n, setting, e) : status;
}
