#include "support/reference.h"

#include <stdio.h>
#include <stdlib.h>

static bool report(const char *what, tn_status status, const tn_error *e) {
  char text[1024];
  if (status == TN_OK) return true;
  tn_error_text(e, text, sizeof text);
  printf("%s: %s\n", what, text);
  return false;
}

/* ---- tables --------------------------------------------------------------------------------------------------------- */

void ref_table_free(ref_table *table) {
  free(table->name);
  free(table->t);
  free(table->value);
  *table = (ref_table){0};
}

int ref_column(const ref_table *table, const char *name) {
  for (int i = 0; i < table->columns; i++)
    if (strcmp(table->name[i], name) == 0) return i;
  return -1;
}

static void *must(void *block) {
  if (!block) abort();
  return block;
}

static void name_columns(ref_table *table, int n) {
  table->columns = n;
  table->name = must(calloc((size_t)n + 1, sizeof *table->name));
}

/* one more row, to be filled */
static double *add_row(ref_table *table, double t) {
  if (table->rows == table->room) {
    table->room = 2 * table->room + 64;
    table->t = must(realloc(table->t, sizeof *table->t * (size_t)table->room));
    table->value =
        must(realloc(table->value, sizeof *table->value * ((size_t)table->room * (size_t)table->columns + 1)));
  }
  table->t[table->rows] = t;
  return table->value + (size_t)table->rows++ * (size_t)table->columns;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------- */

bool ref_desc(const char *model, const ref_change *changes, tn_desc **desc) {
  char path[512];
  tn_error e;
  snprintf(path, sizeof path, "%s/models/%.100s.json", TN_SOURCE_DIR, model);
  if (!report(model, tn_desc_new(NULL, desc, &e), &e)) return false;
  const bool text = model[0] == '{';
  bool ok =
      report(model, text ? tn_desc_parse(*desc, "text", model, strlen(model), &e) : tn_desc_read(*desc, path, &e), &e);
  for (; ok && changes && changes->pointer; changes++)
    ok = report(model, tn_desc_json(*desc, changes->pointer, changes->json, &e), &e);
  if (ok) return true;
  tn_desc_free(*desc);
  *desc = NULL;
  return false;
}

bool ref_compile(const tn_desc *desc, tn_model **model) {
  tn_error e;
  return report("compile", tn_compile(desc, model, &e), &e);
}

void ref_tolerance(char json[96], double rtol) { snprintf(json, 96, "{\"type\": \"dopri5\", \"rtol\": %.17g}", rtol); }

void ref_step(char json[96], const char *integrator, double step) {
  snprintf(json, 96, "{\"type\": \"%s\", \"step\": %.17g}", integrator, step);
}

bool ref_watch_all(tn_desc *desc) {
  static const char *const of_body[] = {"x", "y", "vx", "vy", "angle", "rate"}, *const of_joint[] = {"fx", "fy", "t"},
                           *const of_row[] = {"load"};
  tn_model *m;
  tn_error e;
  bool ok = true;
  if (!ref_compile(desc, &m)) return false;
  tn_desc_remove(desc, "/outputs");
  for (int i = 0; i < m->bodies + m->joints && ok; i++) {
    const tn_body *b = i < m->bodies ? &m->body[i] : NULL;
    const tn_joint *j = b ? NULL : &m->joint[i - m->bodies];
    const bool wrench = j && j->frames == 2 && j->type->seat != TN_SEAT_CENTERS;
    const char *const *channel = b ? of_body : wrench ? of_joint : of_row;
    const int n = b ? (b->oriented ? 6 : 4) : wrench ? 3 : 1;
    for (int k = 0; k < n && ok; k++) {
      char pointer[256], value[256];
      snprintf(pointer, sizeof pointer, "/outputs/%s_%s", b ? b->name : j->name, channel[k]);
      snprintf(value, sizeof value, "%s.%s", b ? b->name : j->name, channel[k]);
      ok = report(value, tn_desc_text(desc, pointer, value, &e), &e);
    }
  }
  tn_model_free(m);
  return ok;
}

static void turn(const tn_node *pair) {
  tn_node *list, *a, *b;
  if (!pair) return;
  a = pair->first;
  b = pair->last;
  list = a->parent;
  list->first = b;
  b->next = a;
  list->last = a;
  a->next = NULL;
}

bool ref_turns(const char *joint_type) {
  return strcmp(joint_type, "revolute") == 0 || strcmp(joint_type, "prismatic") == 0;
}

void ref_turn_joints(tn_desc *desc) {
  const tn_node *joints = tn_node_get(desc->root, "joints");
  for (const tn_node *j = joints ? joints->first : NULL; j; j = j->next) {
    const tn_node *type = tn_node_get(j, "type");
    if (!type || !ref_turns(type->text)) continue;
    turn(tn_node_get(j, "between"));
    turn(tn_node_get(j, "on_bodies"));
  }
}

static tn_status keep_row(void *user, double t, int n, const double *values) {
  memcpy(add_row(user, t), values, sizeof *values * (size_t)n);
  return TN_OK;
}

bool ref_run_on(tn_sim *sim, ref_table *table) {
  tn_error e;
  *table = (ref_table){0};
  name_columns(table, tn_sim_columns(sim));
  for (int i = 0; i < table->columns; i++) snprintf(table->name[i], sizeof *table->name, "%s", tn_sim_column(sim, i));
  return report("run", tn_sim_run(sim, keep_row, table, &e), &e);
}

bool ref_run(const tn_model *model, ref_table *table, tn_summary *summary) {
  tn_sim *sim;
  tn_error e;
  *table = (ref_table){0};
  if (summary) *summary = (tn_summary){.status = TN_E_INTERNAL};
  if (!report("run", tn_sim_new(model, &sim, &e), &e)) return false;
  const bool ok = ref_run_on(sim, table);
  if (summary) *summary = *tn_sim_summary(sim);
  tn_sim_free(sim);
  return ok;
}

/* ---- reference solutions ---------------------------------------------------------------------------------------------- */

static bool number_of(const tn_node *node, double *value) {
  if (node->kind == TN_NODE_TEXT) return tn_json_number(node->text, node->size, value);
  *value = node->number;
  return node->kind == TN_NODE_NUMBER;
}

/* the numbers of a row in order, lists in it opened; their names where wanted. returns how many, or -1 */
static int flatten(const tn_node *row, const tn_node *columns, double *value, char (*name)[64]) {
  int n = 0, place = 0;
  for (const tn_node *k = row->first; k; k = k->next, place++) {
    const tn_node *heading = columns ? tn_node_item(columns, place) : NULL;
    const char *key = k->key ? k->key : heading ? heading->text : "";
    const bool list = k->kind == TN_NODE_LIST;
    int i = 0;
    for (const tn_node *x = list ? k->first : k; x; x = list ? x->next : NULL, i++, n++) {
      double number;
      if (!number_of(x, &number)) return -1;
      if (value) value[n] = number;
      if (name && list) snprintf(name[n], sizeof *name, "%.40s%d", key, i);
      if (name && !list) snprintf(name[n], sizeof *name, "%.60s", key);
    }
  }
  return n;
}

static bool table_of(const tn_node *list, ref_table *table) {
  const tn_node *columns = list && list->parent ? tn_node_get(list->parent, "columns") : NULL;
  if (!list || list->kind != TN_NODE_LIST || !list->first) return false;
  const int n = flatten(list->first, NULL, NULL, NULL);
  if (n < 1) return false;
  name_columns(table, n);
  flatten(list->first, columns, NULL, table->name);
  const int time = ref_column(table, "t");
  for (const tn_node *r = list->first; r; r = r->next) {
    if (time < 0 || flatten(r, NULL, NULL, NULL) != n) return false;
    double *row = add_row(table, 0);
    flatten(r, NULL, row, NULL);
    table->t[table->rows - 1] = row[time];
  }
  return true;
}

bool ref_read(const char *file, const char *pointer, ref_table *table) {
  char path[512], key[64];
  tn_desc *desc;
  tn_error e;
  *table = (ref_table){0};
  snprintf(path, sizeof path, "%s/test/data/%s.json", TN_SOURCE_DIR, file);
  if (!report(file, tn_desc_new(NULL, &desc, &e), &e)) return false;
  bool ok = report(file, tn_desc_read(desc, path, &e), &e);
  if (ok) {
    const tn_node *node = desc->root;
    for (const char *p = pointer; node && *p == '/';) {
      const size_t n = strcspn(++p, "/");
      snprintf(key, sizeof key, "%.*s", (int)n, p);
      node = tn_node_get(node, key);
      p += n;
    }
    ok = table_of(node, table);
    if (!ok) printf("%s: no rows of numbers at %s\n", path, pointer);
  }
  tn_desc_free(desc);
  return ok;
}

/* ---- distance ----------------------------------------------------------------------------------------------------------- */

static int row_at(const ref_table *table, double t) {
  for (int i = 0; i < table->rows; i++)
    if (fabs(table->t[i] - t) <= 1e-12 * fmax(1, fabs(t))) return i;
  return -1;
}

static double column_distance(const ref_table *a, int ia, const ref_table *b, int ib, double sign, double until,
                              bool relative, double *when) {
  double most = -1;
  for (int i = 0; i < b->rows; i++) {
    if (b->t[i] > until * (1 + 1e-12)) continue;
    const int r = row_at(a, b->t[i]);
    const double x = r < 0 ? NAN : a->value[r * a->columns + ia], y = sign * b->value[i * b->columns + ib];
    const double d = fabs(x - y) / (relative ? fmax(1, fabs(y)) : 1);
    if (d <= most) continue;
    most = isnan(d) ? INFINITY : d;
    *when = b->t[i];
  }
  return most < 0 ? INFINITY : most;
}

double ref_distance(const ref_table *a, const ref_table *b, const char *columns, double until, bool relative,
                    char *text) {
  double most = -1;
  for (const char *p = columns + strspn(columns, " "); *p; p += strspn(p, " ")) {
    char of_a[64], of_b[64];
    size_t n = strcspn(p, "= ");
    snprintf(of_a, sizeof of_a, "%.*s", (int)n, p);
    snprintf(of_b, sizeof of_b, "%s", of_a);
    p += n;
    double sign = 1, when = 0;
    if (*p == '=') {
      if (*++p == '-') sign = -1, p++;
      n = strcspn(p, " ");
      snprintf(of_b, sizeof of_b, "%.*s", (int)n, p);
      p += n;
    }
    const int ia = ref_column(a, of_a), ib = ref_column(b, of_b);
    const double d = ia < 0 || ib < 0 ? INFINITY : column_distance(a, ia, b, ib, sign, until, relative, &when);
    if (ia < 0 || ib < 0) printf("there is no column %s\n", ia < 0 ? of_a : of_b);
    if (!(d > most)) continue;
    most = d;
    if (text) snprintf(text, 128, "%s at t = %g s", of_a, when);
  }
  return most < 0 ? INFINITY : most;
}

double ref_slope(int n, const double *x, const double *y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    const double a = log10(x[i]), b = log10(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
