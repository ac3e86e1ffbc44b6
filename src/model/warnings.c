/* warnings: remarks on models that are good, where a mistake is likely. One warning for one cause: the members of a repeat are one. */
#include "model/model.h"

static const double AT_CENTER = 1e-6; /* of the length of the model: a joint so near to a mass centre is at it */

enum { MOST_ALIKE = 5 }; /* names of others, in one warning */

/* ---- to say them ----------------------------------------------------------------------------------------------------------- */

/* an earlier warning of the same kind at the same place of a file, -1: there is none */
static int alike(const tn_context *c, const tn_node *at, const char *format) {
  const tn_model *m = c->m;
  for (int i = 0; c->kind && at->place.line > 0 && i < m->warnings; i++)
    if (c->warned[i].format == format && m->warning[i]->byte == at->place.byte &&
        m->warning[i]->line == at->place.line && strcmp(c->warned[i].kind, c->kind) == 0)
      return i;
  return -1;
}

/* the present part behind the message of warning i, by its name or in a number */
static void add_member(tn_context *c, int i) {
  enum { NAME = 56, REST = 24 };
  tn_warned *w = &c->warned[i];
  tn_error *e = c->m->warning[i];
  char *end = e->message + w->length;
  const size_t room = sizeof e->message - w->length;
  w->others++;
  if (w->named < MOST_ALIKE && room > NAME + REST) {
    w->length += (size_t)tn_format(end, room, "%s'%.40s'", w->named ? ", " : "; likewise ", c->name);
    w->named++;
  } else if (room > REST) {
    tn_format(end, room, "%s%d more", w->named ? " and " : "; likewise ", w->others - w->named);
  }
}

static void warn(tn_context *c, const tn_node *at, const char *format, const char *text) {
  tn_model *m = c->m;
  char message[512], pointer[256];
  const int same = alike(c, at, format);
  if (same >= 0) {
    add_member(c, same);
    return;
  }
  if (m->warnings == TN_MOST_WARNINGS) {
    m->warnings_more++;
    return;
  }
  tn_error *w = tn_arena_alloc(c->arena, sizeof *w);
  if (!w) {
    c->warning_lost = true;
    return;
  }
  tn_of_part(c, text, message, sizeof message);
  tn_fail(w, TN_OK, "%s", message);
  tn_node_pointer(at, pointer, sizeof pointer);
  tn_error_at(w, &at->place, pointer);
  c->warned[m->warnings] = (tn_warned){.format = format, .kind = c->kind ? c->kind : "", .length = strlen(w->message)};
  m->warning[m->warnings++] = w;
}

void tn_warn(tn_context *c, const tn_node *at, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  warn(c, at, format, text);
}

void tn_context_warn(tn_context *c, const char *key, const char *format, ...) {
  if (!c || !format) return;
  char text[400];
  va_list args;
  va_start(args, format);
  tn_vformat(text, sizeof text, format, args);
  va_end(args);
  const tn_node *at = key ? tn_node_get(c->node, key) : NULL;
  warn(c, at ? at : c->node, format, text);
}

void tn_warn_angle(tn_context *c, const tn_node *node) {
  const double turn = 6.283185307179586;
  if (node->kind != TN_NODE_NUMBER || fabs(node->number) <= turn) return;
  const int before = c->m->warnings;
  tn_warn(c, node, "an angle of %g rad is more than a turn: are degrees meant?", node->number);
  if (c->m->warnings > before) tn_hint(c->m->warning[before], "write \"%g*deg\"", node->number);
}

const char *tn_model_file(const tn_model *m, int i) {
  for (int k = 0; m && k < m->draws && i >= 0; k++)
    if (m->draw[k].figure == TN_MESH && !i--) return m->draw[k].file;
  return NULL;
}

int tn_model_warnings(const tn_model *m) { return m ? m->warnings : 0; }
const tn_error *tn_model_warning(const tn_model *m, int i) {
  return m && i >= 0 && i < m->warnings ? m->warning[i] : NULL;
}

/* ---- a joint far from the rod it is on ------------------------------------------------------------------------------------ */

/* holonomic ones, whether or not the joint carries a body */
static int rows_of(const tn_model *m, const tn_joint *j) {
  return m->dimension == 2 ? j->type->plane.rows : j->type->space.rows;
}

static int lengths_of(const tn_model *m, const tn_joint *j) {
  const tn_unit *unit = m->dimension == 2 ? j->type->plane.unit : j->type->space.unit;
  const int rows = rows_of(m, j);
  int n = 0;
  for (int i = 0; i < rows; i++) n += unit[i] == TN_LENGTH;
  return n;
}

/* places of the bodies coincide: as many lengths are kept as there are directions. what slides keeps less */
static bool holds_a_point(const tn_model *m, const tn_joint *j) {
  return j->type->seat == TN_SEAT_SHARED && lengths_of(m, j) >= m->dimension;
}

/* a pin may sit beside its rod, in a fork or on a lever, but hardly farther away than the rod is long */
void tn_warn_off_rod(tn_context *c, const tn_joint *j) {
  const tn_node *at = tn_node_get(j->node, "at");
  for (int k = 0; at && k < 2 && holds_a_point(c->m, j); k++) {
    const tn_spot *p = &j->spot[k];
    const tn_body *b = p->body >= 0 ? &c->m->body[p->body] : NULL;
    const tn_node *rod = b ? tn_node_get(b->node, "rod") : NULL;
    double e[2][3], d[3];
    if (!rod || tn_place_at(c, rod->first, e[0]) != TN_OK || tn_place_at(c, rod->last, e[1]) != TN_OK) continue;
    tn_sub3(e[1], e[0], d);
    const double l = tn_norm3(d), beyond = fmax(fmax(-p->p[0], p->p[0] - l), 0);
    const double off = hypot(beyond, hypot(p->p[1], p->p[2]));
    if (off > l)
      tn_warn(c, at, "its place is %.3g m off the rod '%s', which is %.3g m long: is it mistyped?", off, b->name, l);
  }
}

/* ---- no gravity -------------------------------------------------------------------------------------------------------------- */

/* Weight is in play where a body hangs: a joint lets it turn about a point, none of its joints is at its mass centre, and joints tie it
 * to the ground. So gears on their shafts, bodies in free flight, and sliders are left alone. */

/* the mass centre of the body at frame k is at the point of the joint, or on its only axis */
static bool is_at_center(const tn_model *m, const tn_joint *j, int k) {
  const tn_spot *p = &j->spot[k];
  const tn_body *b = &m->body[p->body];
  double d[3];
  tn_sub3(b->center, p->p, d);
  if (m->dimension == 2) d[2] = 0;
  if (m->dimension == 3 && rows_of(m, j) == 5) { /* z of its frame */
    const double z[3] = {p->A[2], p->A[5], p->A[8]}, along = tn_dot3(d, z);
    for (int i = 0; i < 3; i++) d[i] -= along * z[i];
  }
  return tn_norm3(d) <= AT_CENTER * m->length;
}

/* of a body: nothing holds it at a point; some joint does; one does at its mass centre */
typedef enum hold { LOOSE, HANGING, BALANCED } hold;

static void look_at_joint(const tn_model *m, const tn_joint *j, hold *held) {
  const bool point = holds_a_point(m, j) && rows_of(m, j) < m->wrench;
  for (int k = 0; k < j->frames && k < 2; k++) {
    const int body = j->spot[k].body;
    if (body < 0 || !(point || j->type->seat == TN_SEAT_TWO)) continue;
    if (point && is_at_center(m, j, k)) held[body] = BALANCED;
    if (held[body] == LOOSE) held[body] = HANGING;
  }
}

/* joints, directly or by way of other bodies: marks the roots of such sets */
static void look_for_ground(const tn_model *m, int *up, bool *grounded) {
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    const bool ties = j->frames == 2 && lengths_of(m, j) > 0 && (j->spot[0].body < 0) != (j->spot[1].body < 0);
    if (ties) grounded[tn_ties_root(up, j->spot[0].body < 0 ? j->spot[1].body : j->spot[0].body)] = true;
  }
}

void tn_warn_gravity(tn_context *c) {
  const tn_model *m = c->m;
  const size_t n = (size_t)m->bodies + 1;
  if (tn_node_get(c->root, "gravity")) return;
  hold *held = tn_arena_alloc(c->arena, sizeof *held * n);
  int *up = tn_arena_alloc(c->arena, sizeof *up * n);
  bool *grounded = tn_arena_alloc(c->arena, sizeof *grounded * n);
  if (!held || !up || !grounded) return;
  for (int i = 0; i < m->bodies; i++) up[i] = i, held[i] = LOOSE, grounded[i] = false;
  tn_ties_of_joints(m, up);
  for (int i = 0; i < m->joints; i++) look_at_joint(m, &m->joint[i], held);
  look_for_ground(m, up, grounded);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (held[i] != HANGING || !(b->mass > 0) || !grounded[tn_ties_root(up, i)]) continue;
    tn_warn(c, c->root, "no gravity is given, so body '%s' has no weight", b->name);
    if (m->warnings)
      tn_hint(m->warning[m->warnings - 1], "write \"gravity\": %s if that is meant",
              m->dimension == 2 ? "[0, 0]" : "[0, 0, 0]");
    return;
  }
}
