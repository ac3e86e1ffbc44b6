/* measures that need no run: of an integrator, where zdot = lambda z is stable. */
#include "study/study.h"

/* an integrator with its parameters is what a model has that names it */
static tn_status integrator_of(const tn_allocator *allocator, const tn_node *node, const char *key, tn_desc **d,
                               tn_model **m, tn_error *e) {
  static const char text[] = "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"b\": {\"mass\": 1, \"inertia\": 1}},"
                             " \"run\": {\"until\": 1, \"integrator\": {\"type\": \"rk4\", \"step\": 1}}}";
  const tn_node *part = tn_node_get(node, key);
  char words[256];
  *d = NULL;
  *m = NULL;
  if (!part || part->kind != TN_NODE_TEXT) return tn_node_fail(node, e, TN_E_MODEL, "`%s` names an integrator", key);
  TN_TRY(tn_desc_new(allocator, d, e));
  TN_TRY(tn_desc_parse(*d, "", text, sizeof text - 1, e));
  tn_format(words, sizeof words, "%s%cstep=1", part->text, strchr(part->text, ':') ? ',' : ':');
  TN_TRY(tn_desc_part(*d, "/run/integrator", words, e));
  return tn_compile(*d, m, e);
}

/* stable points of a grid, of the first where the second is not */
static double outside(const tn_region *a, const tn_region *b) {
  double n = 0;
  const double dx = (a->right - a->left) / TN_REGION_COLUMNS, dy = a->top / TN_REGION_ROWS;
  for (int i = 0; i < TN_REGION_COLUMNS; i++)
    for (int j = 0; j < TN_REGION_ROWS; j++) {
      if (!a->stable[i][j]) continue;
      const double x = a->left + (i + 0.5) * dx, y = (j + 0.5) * dy;
      const int k = (int)floor((x - b->left) / (b->right - b->left) * TN_REGION_COLUMNS),
                l = (int)floor(y / b->top * TN_REGION_ROWS);
      n += !(k >= 0 && k < TN_REGION_COLUMNS && l < TN_REGION_ROWS && b->stable[k][l]);
    }
  return n;
}

static tn_status region_of(const tn_allocator *allocator, const tn_node *node, const char *key, tn_region *r,
                           tn_error *e) {
  tn_desc *d;
  tn_model *m;
  tn_status status = integrator_of(allocator, node, key, &d, &m, e);
  if (status == TN_OK && !m->run.integrator->attempt)
    status = tn_node_fail(node, e, TN_E_MODEL, "it has no region of its own");
  if (status == TN_OK) status = tn_stability(m->run.integrator, tn_integrator_self(m), 0, r);
  tn_model_free(m);
  tn_desc_free(d);
  return status;
}

static const char *const facts[] = {"stability-real", "stability-imaginary", "stability-area", "stability-outside",
                                    NULL};

bool tn_fact_known(const char *name) {
  for (int i = 0; facts[i]; i++)
    if (strcmp(facts[i], name) == 0) return true;
  return false;
}

tn_status tn_fact(const tn_allocator *allocator, const tn_node *node, double *value, tn_error *e) {
  const char *name = tn_node_get(node, "fact")->text;
  tn_region *r = tn_block_new(allocator, 2 * sizeof *r);
  if (!r) return tn_fail(e, TN_E_MEMORY, "out of memory");
  tn_status status = region_of(allocator, node, "integrator", &r[0], e);
  if (status == TN_OK && strcmp(name, "stability-outside") == 0) {
    status = region_of(allocator, node, "of", &r[1], e);
    *value = outside(&r[0], &r[1]);
  }
  if (strcmp(name, "stability-real") == 0) *value = r[0].real;
  if (strcmp(name, "stability-imaginary") == 0) *value = r[0].imaginary;
  if (strcmp(name, "stability-area") == 0) *value = r[0].area;
  tn_block_free(allocator, r);
  return status;
}
