/* det(rows, coordinates) and sigma_min(rows, coordinates): a part of the Jacobian A, of the rows of some joints by some of the
 * model's coordinates. Names in two lists; an empty list is all of them. */
#include "model/model.h"

enum { MOST = 4000000 }; /* numbers */

/* number of the speed that goes with a coordinate, or that has the name itself; -1: none */
static int speed_named(const tn_model *m, const char *name) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    for (int k = 0; k < b->nu; k++)
      if ((!b->chart && strcmp(m->q_name[b->q + k], name) == 0) || strcmp(m->u_name[b->u + k], name) == 0)
        return b->u + k;
  }
  return -1;
}

static tn_status no_speed(const tn_context *c, const char *function, const char *name, tn_error *e) {
  const tn_model *m = c->m;
  for (int i = 0; i < m->bodies; i++)
    for (int k = 0; m->body[i].chart && k < m->body[i].nq; k++)
      if (strcmp(m->q_name[m->body[i].q + k], name) == 0) {
        tn_fail(e, TN_E_MODEL, "'%s': '%.60s' is one number of a rotation, whose rate is no speed", function, name);
        tn_hint(e, "a speed such as '%s' can be named instead", m->u_name[m->body[i].u + m->body[i].nu - 1]);
        return TN_E_MODEL;
      }
  const char *known[256];
  int n = 0;
  for (int i = 0; i < m->nq && n < 256; i++) known[n++] = m->q_name[i];
  const char *near = tn_nearest(name, n, known);
  tn_fail(e, TN_E_MODEL, "'%s': '%.60s' is not one of the model's %d coordinates", function, name, m->nq);
  if (near)
    tn_hint(e, "did you mean '%s'?", near);
  else if (m->nq)
    tn_hint(e, "they are '%s' .. '%s'%s", m->q_name[0], m->q_name[m->nq - 1],
            m->relative ? "" : "; those of joints are coordinates with \"coordinates\": \"relative\" only");
  return TN_E_MODEL;
}

static int rows_of(const tn_joint *j) { return j->in_tree ? 0 : j->rows + j->rows_velocity; }

static tn_status rows_named(const tn_context *c, const char *function, const char *name, int *joint, tn_error *e) {
  *joint = tn_joint_named(c, name);
  if (*joint < 0) {
    const char *known[256];
    int n = 0;
    for (int i = 0; i < c->m->joints && n < 256; i++) known[n++] = c->m->joint[i].name;
    const char *near = tn_nearest(name, n, known);
    tn_fail(e, TN_E_MODEL, "'%s' needs joints, there is none named '%.60s'", function, name);
    if (near) tn_hint(e, "did you mean '%s'?", near);
    return TN_E_MODEL;
  }
  if (rows_of(&c->m->joint[*joint])) return TN_OK;
  return tn_fail(e, TN_E_MODEL, "'%s': joint '%s' has no rows%s", function, name,
                 c->m->joint[*joint].in_tree ? ": it carries a body in relative coordinates" : "");
}

/* a list of names as numbers, each once; `all` of them if there is none */
static tn_status read_list(tn_context *c, const char *function, bool rows, int n, const char *const *name, int *number,
                           tn_error *e) {
  for (int i = 0; i < n; i++) {
    if (rows) {
      TN_TRY(rows_named(c, function, name[i], &number[i], e));
    } else if ((number[i] = speed_named(c->m, name[i])) < 0) {
      return no_speed(c, function, name[i], e);
    }
    for (int k = 0; k < i; k++)
      if (number[k] == number[i]) return tn_fail(e, TN_E_MODEL, "'%s': '%.60s' is named twice", function, name[i]);
  }
  return TN_OK;
}

/* those of one text, joined by +, behind the *count that are there */
static tn_status add_speeds(tn_context *c, const tn_node *node, const char *key, int *speed, int *count) {
  char name[128];
  const char *s = node->text;
  for (;; s++) {
    tn_error e = {0};
    const size_t n = strcspn(s, "+");
    tn_format(name, sizeof name, "%.*s", (int)n, s);
    const int number = n < sizeof name ? speed_named(c->m, name) : -1;
    if (number < 0) {
      no_speed(c, key, name, &e);
      tn_refuse(c, node, "%s", e.message);
      if (*e.hint) tn_hint(c->e, "%s", e.hint);
      return TN_E_MODEL;
    }
    for (int k = 0; k < *count; k++)
      if (speed[k] == number) return tn_refuse(c, node, "`%s`: '%s' is named twice", key, name);
    speed[(*count)++] = number;
    if (!*(s += n)) return TN_OK;
  }
}

tn_status tn_speeds_in_order(tn_context *c, const tn_node *node, const char *key, const int **speed, int *count) {
  *speed = NULL;
  *count = 0;
  if (!node) return TN_OK;
  const bool list = node->kind == TN_NODE_LIST && node->first;
  int *number = tn_context_alloc(c, sizeof *number * (size_t)(c->m->nu + 1));
  if (!number) return tn_no_memory(c);
  for (const tn_node *k = list ? node->first : node; k; k = list ? k->next : NULL) {
    if (k->kind != TN_NODE_TEXT)
      return tn_refuse(c, k, "`%s` needs names of coordinates: [\"a.x\", \"a.y\"] or \"a.x+a.y\"", key);
    TN_TRY(add_speeds(c, k, key, number, count));
  }
  *speed = number;
  return TN_OK;
}

tn_status tn_speeds_at(tn_context *c, const tn_node *node, const char *key, const bool **which) {
  const int *speed;
  int count;
  *which = NULL;
  if (!node) return TN_OK;
  TN_TRY(tn_speeds_in_order(c, node, key, &speed, &count));
  bool *named = tn_context_alloc(c, sizeof *named * (size_t)(c->m->nu + 1));
  if (!named) return tn_no_memory(c);
  for (int k = 0; k < count; k++) named[speed[k]] = true;
  *which = named;
  return TN_OK;
}

tn_status tn_jacobian_call(tn_context *c, const char *function, int n, const char *const *args, tn_channel *ch,
                           tn_error *e) {
  tn_model *m = c->m;
  const bool det = strcmp(function, "det") == 0;
  int first = 0;
  while (first < n && *args[first]) first++;
  const int second = first < n ? n - first - 1 : 0;
  if (!m->q_name || !m->u_name || !m->row_scale)
    return tn_fail(e, TN_E_MODEL, "'%s' is for outputs: the rows are not known here", function);
  tn_jacobian *x = tn_arena_alloc(c->arena, sizeof *x);
  int *joint = tn_arena_alloc(c->arena, sizeof *joint * (size_t)(m->joints + first + 1)),
      *speed = tn_arena_alloc(c->arena, sizeof *speed * (size_t)(m->nu + second + 1));
  if (!x || !joint || !speed) return tn_fail(e, TN_E_MEMORY, "out of memory");
  TN_TRY(read_list(c, function, true, first, args, joint, e));
  TN_TRY(read_list(c, function, false, second, args + first + 1, speed, e));
  *x = (tn_jacobian){.joints = first, .joint = joint, .speeds = second, .speed = speed};
  for (int i = 0; !first && i < m->joints; i++)
    if (rows_of(&m->joint[i])) joint[x->joints++] = i;
  for (int i = 0; !second && i < m->nu; i++) speed[x->speeds++] = i;
  for (int i = 0; i < x->joints; i++) x->rows += rows_of(&m->joint[joint[i]]);
  if (!x->rows || !x->speeds) return tn_fail(e, TN_E_MODEL, "'%s': the model has no rows", function);
  if (det && x->rows != x->speeds) {
    tn_fail(e, TN_E_MODEL, "'det' needs as many coordinates as rows: there are %d row%s and %d coordinate%s", x->rows,
            x->rows == 1 ? "" : "s", x->speeds, x->speeds == 1 ? "" : "s");
    tn_hint(e, "sigma_min, the smallest singular value, is there for any shape");
    return TN_E_MODEL;
  }
  const double room = (double)x->rows * x->speeds;
  if (room > MOST)
    return tn_fail(e, TN_E_MODEL, "'%s': %d rows by %d coordinates are too many", function, x->rows, x->speeds);
  const int own = x->rows * x->speeds + (x->rows < x->speeds ? x->rows : x->speeds);
  if (own > m->jacobian_room) m->jacobian_room = own;
  *ch = (tn_channel){.kind = det ? TN_CH_DETERMINANT : TN_CH_SIGMA_MIN, .width = 1, .jacobian = x, .after_solve = true};
  return TN_OK;
}
